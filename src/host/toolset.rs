//! Loads the toolsets of skills and calls their tools.
//!
//! Each toolset runs in its own process, which is started on first use and stays for further calls. If it ends during a
//! call, that call fails and the next one starts it again. Before each start and each call the toolset is planned again,
//! so a toolset whose skill is no longer trusted is ended.

mod connection;
mod launch;
mod registry;

pub use registry::{RegisteredTool, ToolRegistry};

use super::error::HostError;
use super::limits::{CancelToken, Limits};
use super::private_copy::PrivateCopy;
use super::programs::Programs;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::fs::OsFs;
use crate::loading::toolset::{ToolsetPlan, in_copy, toolsets};
use crate::text::escape::{unhidden, visible};
use crate::text::json::Json;
use crate::text::schema;
use crate::text::words::nearest;
use connection::{CallFailure, Connection};
use std::time::Instant;

/// How many bytes the arguments of a call may have as JSON.
const MAX_ARGUMENT_BYTES: usize = 1_048_576;

/// A tool of a toolset, as it is described to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolSpec {
    /// Its name, unique in its toolset.
    pub name: String,
    /// What it does; empty if the toolset has no description for it.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub input_schema: Json,
}

/// The result of a tool call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolResult {
    /// A title for people.
    pub title: Option<String>,
    /// Data for the host, as the tool returned it.
    pub metadata: Option<Json>,
    /// The text for the model.
    pub output: String,
}

/// A toolset of a skill, and its process while it is running.
pub struct Toolset {
    disk: OsFs,
    plan: ToolsetPlan,
    programs: Programs,
    limits: Limits,
    running: Option<Running>,
}

/// A toolset that is loaded.
struct Running {
    connection: Connection,
    /// The copy that it runs from, if its skill's contents are pinned. It is dropped after the process.
    _copy: Option<PrivateCopy>,
    tools: Vec<ToolSpec>,
    findings: Vec<Diagnostic>,
}

impl Toolset {
    /// A toolset that is not started yet. `disk` is the file system that the plan was made over. The limits apply to each
    /// call, including the start of the process if that is necessary.
    pub fn new(disk: &OsFs, plan: ToolsetPlan, programs: &Programs, limits: Limits) -> Toolset {
        Toolset { disk: disk.clone(), plan, programs: programs.clone(), limits, running: None }
    }

    /// The current plan.
    pub fn plan(&self) -> &ToolsetPlan {
        &self.plan
    }

    /// Plans the toolset again, and ends its process if the plan has changed or fails: the skill is no longer trusted, is
    /// disabled, or was approved with other contents. Each start and each call does this first; a host calls it to end the
    /// process earlier.
    ///
    /// # Errors
    /// Returns [`HostError::Refused`] with the errors of [`toolsets`], and [`HostError::ToolsetFailed`] if the skill no
    /// longer has this toolset.
    pub fn renew(&mut self, world: &World<'_>, catalog: &Catalog) -> Result<(), HostError> {
        let planned = plan_again(world, catalog, &self.plan);
        match &planned {
            Ok(plan) if *plan == self.plan => {}
            Ok(_) | Err(_) => self.running = None,
        }
        planned.map(|plan| self.plan = plan)
    }

    /// The tools in the order of the toolset. Starts the toolset if it is not running.
    ///
    /// # Errors
    /// Returns the errors of [`Toolset::renew`]; [`HostError::ProgramMissing`] or [`HostError::NotStarted`] if its runtime
    /// is missing; [`HostError::ToolsetFailed`] or [`HostError::TimedOut`] if it cannot be loaded; and
    /// [`HostError::Stopped`].
    pub fn tools(
        &mut self,
        world: &World<'_>,
        catalog: &Catalog,
        stop: &CancelToken,
    ) -> Result<&[ToolSpec], HostError> {
        self.renew(world, catalog)?;
        let until = self.limits.end(Instant::now());
        Ok(&self.running(until, stop)?.tools)
    }

    /// The findings about its tools from its last start, such as schemas that cannot be described.
    pub fn findings(&self) -> &[Diagnostic] {
        self.running.as_ref().map_or(&[], |running| &running.findings)
    }

    /// Calls a tool with a JSON object.
    ///
    /// # Errors
    /// Returns [`HostError::ToolUnknown`]; [`HostError::ToolArguments`] for arguments that are not an object, too long, or
    /// not valid by the tool's schema; [`HostError::ToolFailed`] if the tool reports an error; and the errors of
    /// [`Toolset::tools`], also if the toolset ends, hangs or prints too much during this call.
    pub fn call(
        &mut self,
        world: &World<'_>,
        catalog: &Catalog,
        tool: &str,
        args: &Json,
        stop: &CancelToken,
    ) -> Result<ToolResult, HostError> {
        self.renew(world, catalog)?;
        self.call_as_planned(tool, args, stop)
    }

    /// Like [`Toolset::call`], for a toolset that was planned just now.
    fn call_as_planned(&mut self, tool: &str, args: &Json, stop: &CancelToken) -> Result<ToolResult, HostError> {
        let refused = |reason: String| HostError::ToolArguments { tool: visible(tool).into_owned(), reason };
        if !matches!(args, Json::Map(_)) {
            return Err(refused("expected a JSON object".to_owned()));
        }
        let bytes = args.to_string().len();
        if bytes > MAX_ARGUMENT_BYTES {
            return Err(refused(format!("expected at most {MAX_ARGUMENT_BYTES} bytes of JSON, got {bytes}")));
        }
        let until = self.limits.end(Instant::now());
        let limits = self.limits;
        let running = self.running(until, stop)?;
        let Some(known) = running.tools.iter().find(|known| known.name == tool) else {
            return Err(unknown(tool, running.tools.iter().map(|tool| tool.name.as_str())));
        };
        let faults = schema::faults(&known.input_schema, args);
        if !faults.is_empty() {
            return Err(refused(faults.join("; ")));
        }
        let call = Json::map([("tool", Json::from(tool)), ("args", args.clone())]);
        let answer = running.connection.ask("call", call, &limits, until, stop);
        match answer.and_then(|answer| read_answer(&answer, tool_result)) {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(Refusal { code, message })) if code == "bad-arguments" => Err(refused(message)),
            Ok(Err(Refusal { message, .. })) => {
                Err(HostError::ToolFailed { tool: visible(tool).into_owned(), message })
            }
            Err(failure) => Err(self.end(failure)),
        }
    }

    /// The running toolset. It is started if it is not running.
    fn running(&mut self, until: Instant, stop: &CancelToken) -> Result<&mut Running, HostError> {
        if stop.is_stopped() {
            return Err(HostError::Stopped);
        }
        let has_ended = self.running.as_mut().is_some_and(|running| running.connection.has_ended());
        let running = match self.running.take().filter(|_| !has_ended) {
            Some(running) => running,
            None => self.start(until, stop)?,
        };
        Ok(self.running.insert(running))
    }

    fn start(&self, until: Instant, stop: &CancelToken) -> Result<Running, HostError> {
        let pinned = self.plan.expected_contents.as_ref();
        let copy = pinned.map(|pinned| PrivateCopy::of(&self.disk, &self.plan.key, pinned)).transpose()?;
        let mut launch = match &copy {
            None => launch::launch(&self.disk, &self.plan, &self.programs)?,
            Some(copy) => {
                let plan = copy.with_world(|world| in_copy(world, copy.skill(), &self.plan))?;
                let plan = plan.ok_or_else(|| no_longer_exists(&self.plan))?;
                launch::launch(&OsFs::new(), &plan, &self.programs)?
            }
        };
        copy.iter().for_each(|copy| copy.set_source_variable(&mut launch.command));
        let not_started = |error| HostError::not_started(launch.program.as_os_str(), &error);
        let mut connection = Connection::start(launch.command).map_err(not_started)?;
        launch.open = launch.open.with("token", Some(connection.token()));
        let answer = connection.ask("open", launch.open, &self.limits, until, stop);
        match answer.and_then(|answer| read_answer(&answer, |answer| opened_tools(&self.plan, answer))) {
            Ok(Ok((tools, findings))) => Ok(Running { connection, _copy: copy, tools, findings }),
            Ok(Err(Refusal { message, .. })) => Err(self.failed(CallFailure::Refused(message), connection)),
            Err(failure) => Err(self.failed(failure, connection)),
        }
    }

    /// Ends the process after a call that it did not answer.
    fn end(&mut self, failure: CallFailure) -> HostError {
        match self.running.take() {
            Some(running) => self.failed(failure, running.connection),
            None => {
                debug_assert!(false, "only a running toolset can fail to answer");
                no_longer_exists(&self.plan)
            }
        }
    }

    /// Ends the process, and describes why it gave no answer.
    fn failed(&self, failure: CallFailure, connection: Connection) -> HostError {
        let (key, toolset) = (visible(&self.plan.key).into_owned(), visible(&self.plan.spec).into_owned());
        let (code, last) = connection.end();
        let failed = |reason: String, last| HostError::ToolsetFailed {
            key: key.clone(),
            toolset: toolset.clone(),
            reason,
            last,
        };
        match failure {
            CallFailure::Stopped => HostError::Stopped,
            CallFailure::Late => {
                let what = format!("the toolset `{toolset}` of the skill `{key}`");
                HostError::TimedOut { what, after: self.limits.time, last }
            }
            CallFailure::TooMuch => failed(
                format!("printed more than {} bytes in one call and was stopped", self.limits.output_bytes),
                last,
            ),
            CallFailure::TooManyErrors => {
                let most = self.limits.flood_bytes();
                failed(format!("printed more than {most} bytes to standard error in one call and was stopped"), last)
            }
            CallFailure::Ended => {
                let how = code.map_or_else(String::new, |code| format!(" with exit code {code}"));
                failed(format!("exited{how} without an answer"), last)
            }
            CallFailure::Unreadable => failed("gave an unreadable answer and was stopped".to_owned(), last),
            CallFailure::Refused(message) => failed(format!("failed: {message}"), last),
        }
    }
}

/// Plans the same toolset again.
fn plan_again(world: &World<'_>, catalog: &Catalog, plan: &ToolsetPlan) -> Result<ToolsetPlan, HostError> {
    let now = toolsets(world, catalog, catalog.find_any(&plan.key)?)?;
    now.plans.into_iter().find(|now| now.spec == plan.spec).ok_or_else(|| no_longer_exists(plan))
}

/// The error for a toolset that its skill no longer has.
fn no_longer_exists(plan: &ToolsetPlan) -> HostError {
    HostError::ToolsetFailed {
        key: visible(&plan.key).into_owned(),
        toolset: visible(&plan.spec).into_owned(),
        reason: "no longer exists".to_owned(),
        last: String::new(),
    }
}

/// The error for a tool that is not among these.
fn unknown<'a>(asked: &str, among: impl Iterator<Item = &'a str>) -> HostError {
    let near = nearest(asked, among).into_iter().map(|name| visible(name).into_owned()).collect();
    HostError::ToolUnknown { asked: visible(asked).into_owned(), near }
}

/// The error in a toolset's answer.
struct Refusal {
    code: String,
    message: String,
}

/// Reads an answer: the value that `read` returns, or the error that the toolset reports. An answer without either is
/// unreadable.
fn read_answer<T>(answer: &Json, read: impl FnOnce(&Json) -> Option<T>) -> Result<Result<T, Refusal>, CallFailure> {
    if answer.get("ok") == Some(&Json::Bool(true)) {
        return read(answer).map(Ok).ok_or(CallFailure::Unreadable);
    }
    let text = |name: &str| Some(answer.get("error")?.get(name)?.as_text()?.to_owned());
    match (text("code"), text("message")) {
        (Some(code), Some(message)) => Ok(Err(Refusal { code, message })),
        _ => Err(CallFailure::Unreadable),
    }
}

fn tool_result(answer: &Json) -> Option<ToolResult> {
    let title = answer.get("title").and_then(Json::as_text).map(str::to_owned);
    let metadata = answer.get("metadata").filter(|metadata| **metadata != Json::Null).cloned();
    Some(ToolResult { title, metadata, output: answer.get("output")?.as_text()?.to_owned() })
}

/// The tools in a toolset's answer to `open`, and the findings about them.
fn opened_tools(plan: &ToolsetPlan, answer: &Json) -> Option<(Vec<ToolSpec>, Vec<Diagnostic>)> {
    let (Json::List(tools), Json::List(notes)) = (answer.get("tools")?, answer.get("notes")?) else { return None };
    let text = |json: &Json, name: &str| Some(json.get(name)?.as_text()?.to_owned());
    let tool = |tool: &Json| {
        let input_schema = tool.get("input_schema").filter(|schema| matches!(schema, Json::Map(_)))?.clone();
        // A user who reads the description must see everything that the model sees, so invisible characters are removed.
        let description = text(tool, "description").map(|text| unhidden(&text).0.into_owned()).unwrap_or_default();
        Some(ToolSpec { name: text(tool, "name")?, description, input_schema })
    };
    let finding = |tool: &str, what: &str| {
        let message = format!("the tool `{}`: {}", visible(tool), visible(what));
        Diagnostic::new(Severity::Warning, Code::ToolInvalid, plan.file.clone(), message)
    };
    let tools = tools.iter().map(tool).collect::<Option<Vec<_>>>()?;
    let note = |note: &Json| Some(finding(&text(note, "tool")?, &text(note, "what")?));
    let mut findings = notes.iter().map(note).collect::<Option<Vec<_>>>()?;
    if tools.is_empty() && findings.is_empty() {
        let message = format!("the export `{}` contains no tools", visible(&plan.export));
        let none = Diagnostic::new(Severity::Warning, Code::ToolsetInvalid, plan.file.clone(), message);
        findings.push(none.help("export tools: an array, an object, a class or a function of them"));
    }
    let (tools, ignored): (Vec<_>, Vec<_>) =
        tools.into_iter().partition(|tool| schema::takes_object(&tool.input_schema));
    findings.extend(ignored.iter().map(|tool| {
        let got = schema::expected(&tool.input_schema);
        let finding = finding(&tool.name, &format!("is ignored: its parameters are {got}, expected an object"));
        finding.help("write the schema of an object that contains them")
    }));
    Some((tools, findings))
}
