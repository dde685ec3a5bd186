//! In: a plan for a toolset. Out: its tools, and what they answer. The toolset lives in a process of its own, which is
//! started on first use, stays for further calls, and is started anew by the call after one that it did not survive.
//! Before each start and each call the toolset is planned anew, so that one whose skill is no longer trusted is ended.
//! A toolset that fails costs the call that found out, and no other. Absent: which toolsets a skill has.

mod connection;
mod launch;
mod registry;

pub use registry::{RegisteredTool, ToolRegistry};

use super::error::HostError;
use super::limits::{CancelToken, Limits};
use super::private_copy::PrivateCopy;
use super::programs::Programs;
use crate::answers::toolset::{ToolsetPlan, in_copy, toolsets};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::discovery::catalog::Catalog;
use crate::fs::OsFs;
use crate::model::world::World;
use crate::text::escape::{unhidden, visible};
use crate::text::json::Json;
use crate::text::schema;
use crate::text::words::nearest;
use connection::{Broken, Talk};
use std::time::Instant;

/// How many bytes the arguments of a call may have, as JSON: what an answer may have.
const MAX_ARGUMENT_BYTES: usize = 1_048_576;

/// A tool of a toolset, as a model is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolSpec {
    /// Its name, unique in its toolset.
    pub name: String,
    /// What it does; empty where its author does not say.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub input_schema: Json,
}

/// What a tool answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolResult {
    /// A title for people.
    pub title: Option<String>,
    /// What the host may want to know, as the tool gave it.
    pub metadata: Option<Json>,
    /// The text for the model.
    pub output: String,
}

/// A toolset of a skill, and its process while there is one.
pub struct Toolset {
    disk: OsFs,
    plan: ToolsetPlan,
    programs: Programs,
    limits: Limits,
    live: Option<Live>,
}

/// A toolset that is loaded.
struct Live {
    talk: Talk,
    /// What it runs from, where its skill's contents are pinned. Dropped after the process.
    _copy: Option<PrivateCopy>,
    tools: Vec<ToolSpec>,
    findings: Vec<Diagnostic>,
}

impl Toolset {
    /// A toolset that is not started yet. `disk` is the one that the plan was made over; the limits are those of each
    /// call, with what it has to start.
    pub fn new(disk: &OsFs, plan: ToolsetPlan, programs: &Programs, limits: Limits) -> Toolset {
        Toolset { disk: disk.clone(), plan, programs: programs.clone(), limits, live: None }
    }

    /// The plan that it was made from.
    pub fn plan(&self) -> &ToolsetPlan {
        &self.plan
    }

    /// Plans it anew. One that is not to be run any more, or not so, is ended: its skill is no longer trusted, is switched
    /// off, or has been approved with other contents. That is done before each start and each call; it is for hosts
    /// that would know of it before the next one.
    ///
    /// # Errors
    /// [`HostError::Refused`] as [`toolsets`] has it; [`HostError::ToolsetFailed`] where its skill has no such toolset.
    pub fn renew(&mut self, world: &World<'_>, catalog: &Catalog) -> Result<(), HostError> {
        let planned = planned_again(world, catalog, &self.plan);
        match &planned {
            Ok(plan) if *plan == self.plan => {}
            Ok(_) | Err(_) => self.live = None,
        }
        planned.map(|plan| self.plan = plan)
    }

    /// Its tools, in its author's order. Starts it where it is not running.
    ///
    /// # Errors
    /// Those of [`Toolset::renew`]; [`HostError::ProgramMissing`] and [`HostError::NotStarted`] where there is nothing to run it,
    /// [`HostError::ToolsetFailed`] and [`HostError::TimedOut`] where it cannot be loaded, [`HostError::Stopped`].
    pub fn tools(
        &mut self,
        world: &World<'_>,
        catalog: &Catalog,
        stop: &CancelToken,
    ) -> Result<&[ToolSpec], HostError> {
        self.renew(world, catalog)?;
        let until = self.limits.end(Instant::now());
        Ok(&self.live(until, stop)?.tools)
    }

    /// What was found about its tools when it was started: what of their schemas could not be told.
    pub fn findings(&self) -> &[Diagnostic] {
        self.live.as_ref().map_or(&[], |live| &live.findings)
    }

    /// Calls a tool with a JSON object.
    ///
    /// # Errors
    /// [`HostError::ToolUnknown`]; [`HostError::ToolArguments`] for arguments that are no object, too long, or not what
    /// the tool's schema asks for; [`HostError::ToolFailed`] where the tool says so; and those of [`Toolset::tools`],
    /// also where the toolset ends, hangs or prints too much in this call.
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

    /// The same right after it was planned anew.
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
        let live = self.live(until, stop)?;
        let Some(known) = live.tools.iter().find(|known| known.name == tool) else {
            return Err(unknown(tool, live.tools.iter().map(|tool| tool.name.as_str())));
        };
        let faults = schema::faults(&known.input_schema, args);
        if !faults.is_empty() {
            return Err(refused(faults.join("; ")));
        }
        let call = Json::map([("tool", Json::from(tool)), ("args", args.clone())]);
        let answer = live.talk.ask("call", call, &limits, until, stop).and_then(|answer| match refusal(&answer) {
            None => result(&answer).map(Ok).ok_or(Broken::Garbage),
            Some((code, message)) => Ok(Err((code, message))),
        });
        match answer {
            Ok(Ok(result)) => Ok(result),
            Ok(Err((code, message))) if code == "bad-arguments" => Err(refused(message)),
            Ok(Err((_, message))) => Err(HostError::ToolFailed { tool: visible(tool).into_owned(), message }),
            Err(broken) => Err(self.end(broken)),
        }
    }

    /// The running toolset, started where there is none, or where it has ended since.
    fn live(&mut self, until: Instant, stop: &CancelToken) -> Result<&mut Live, HostError> {
        if stop.is_stopped() {
            return Err(HostError::Stopped);
        }
        let has_ended = self.live.as_mut().is_some_and(|live| live.talk.has_ended());
        let live = match self.live.take().filter(|_| !has_ended) {
            Some(live) => live,
            None => self.start(until, stop)?,
        };
        Ok(self.live.insert(live))
    }

    fn start(&self, until: Instant, stop: &CancelToken) -> Result<Live, HostError> {
        let pinned = self.plan.pinned.as_ref();
        let copy = pinned.map(|pinned| PrivateCopy::of(&self.disk, &self.plan.key, pinned)).transpose()?;
        let mut launch = match &copy {
            None => launch::launch(&self.disk, &self.plan, &self.programs)?,
            Some(copy) => {
                let plan = copy.ask(|world| in_copy(world, copy.skill(), &self.plan))?;
                let plan = plan.ok_or_else(|| not_there(&self.plan))?;
                launch::launch(&OsFs::new(), &plan, &self.programs)?
            }
        };
        copy.iter().for_each(|copy| copy.name_source(&mut launch.command));
        let not_started = |error| HostError::not_started(launch.program.as_os_str(), &error);
        let mut talk = Talk::start(launch.command).map_err(not_started)?;
        launch.open = launch.open.with("token", Some(talk.token()));
        let answer = talk.ask("open", launch.open, &self.limits, until, stop);
        let answer = answer.and_then(|answer| match refusal(&answer) {
            Some((_, message)) => Err(Broken::Refused(message)),
            None => opened(&self.plan, &answer).ok_or(Broken::Garbage),
        });
        match answer {
            Ok((tools, findings)) => Ok(Live { talk, _copy: copy, tools, findings }),
            Err(broken) => Err(self.failed(broken, talk)),
        }
    }

    /// Ends what did not survive a call.
    fn end(&mut self, broken: Broken) -> HostError {
        match self.live.take() {
            Some(live) => self.failed(broken, live.talk),
            None => HostError::Stopped,
        }
    }

    fn failed(&self, broken: Broken, talk: Talk) -> HostError {
        let (key, toolset) = (visible(&self.plan.key).into_owned(), visible(&self.plan.spec).into_owned());
        let (status, last) = talk.end();
        let failed = |reason: String, last| HostError::ToolsetFailed {
            key: key.clone(),
            toolset: toolset.clone(),
            reason,
            last,
        };
        match broken {
            Broken::Stopped => HostError::Stopped,
            Broken::Late => {
                let what = format!("the toolset `{toolset}` of the skill `{key}`");
                HostError::TimedOut { what, after: self.limits.time, last }
            }
            Broken::TooMuch => failed(
                format!("printed more than {} bytes in one call and was stopped", self.limits.output_bytes),
                last,
            ),
            Broken::TooManyErrors => {
                let most = self.limits.flood_bytes();
                failed(format!("printed more than {most} bytes to standard error in one call and was stopped"), last)
            }
            Broken::Ended => {
                let how = status.map_or_else(String::new, |code| format!(" with exit code {code}"));
                failed(format!("exited{how} without an answer"), last)
            }
            Broken::Garbage => failed("gave an unreadable answer and was stopped".to_owned(), last),
            Broken::Refused(message) => failed(format!("failed: {message}"), last),
        }
    }
}

/// The plan for the same toolset as it is now.
fn planned_again(world: &World<'_>, catalog: &Catalog, plan: &ToolsetPlan) -> Result<ToolsetPlan, HostError> {
    let now = toolsets(world, catalog, catalog.seek(&plan.key)?)?;
    now.plans.into_iter().find(|now| now.spec == plan.spec).ok_or_else(|| not_there(plan))
}

fn not_there(plan: &ToolsetPlan) -> HostError {
    HostError::ToolsetFailed {
        key: visible(&plan.key).into_owned(),
        toolset: visible(&plan.spec).into_owned(),
        reason: "no longer exists".to_owned(),
        last: String::new(),
    }
}

/// There is no such tool among these.
fn unknown<'a>(asked: &str, among: impl Iterator<Item = &'a str>) -> HostError {
    let near = nearest(asked, among).into_iter().map(|name| visible(name).into_owned()).collect();
    HostError::ToolUnknown { asked: visible(asked).into_owned(), near }
}

/// The code and the message of an answer that is a no.
fn refusal(answer: &Json) -> Option<(String, String)> {
    if answer.get("ok") == Some(&Json::Bool(true)) {
        return None;
    }
    let text = |name: &str| answer.get("error").and_then(|error| error.get(name)?.as_text()).unwrap_or_default();
    Some((text("code").to_owned(), text("message").to_owned()))
}

fn result(answer: &Json) -> Option<ToolResult> {
    let title = answer.get("title").and_then(Json::as_text).map(str::to_owned);
    let metadata = answer.get("metadata").filter(|metadata| **metadata != Json::Null).cloned();
    Some(ToolResult { title, metadata, output: answer.get("output")?.as_text()?.to_owned() })
}

/// The tools that a toolset says it has, and what it says about them.
fn opened(plan: &ToolsetPlan, answer: &Json) -> Option<(Vec<ToolSpec>, Vec<Diagnostic>)> {
    let (Json::List(tools), Json::List(notes)) = (answer.get("tools")?, answer.get("notes")?) else { return None };
    let text = |json: &Json, name: &str| json.get(name).and_then(Json::as_text).unwrap_or_default().to_owned();
    let tool = |tool: &Json| {
        let input_schema = tool.get("input_schema").filter(|schema| matches!(schema, Json::Map(_)))?.clone();
        // A model reads the description, and shall read no more of it than a user does.
        let description = unhidden(&text(tool, "description")).0.into_owned();
        Some(ToolSpec { name: text(tool, "name"), description, input_schema })
    };
    let finding = |tool: &str, what: &str| {
        let message = format!("the tool `{}`: {}", visible(tool), visible(what));
        Diagnostic::new(Severity::Warning, Code::ToolInvalid, plan.file.clone(), message)
    };
    let tools = tools.iter().map(tool).collect::<Option<Vec<_>>>()?;
    let mut findings: Vec<_> = notes.iter().map(|note| finding(&text(note, "tool"), &text(note, "what"))).collect();
    if tools.is_empty() && findings.is_empty() {
        let message = format!("the export `{}` contains no tools", visible(&plan.export));
        let none = Diagnostic::new(Severity::Warning, Code::ToolsetInvalid, plan.file.clone(), message);
        findings.push(none.help("export tools: an array, an object, a class or a function of them"));
    }
    let (tools, others): (Vec<_>, Vec<_>) =
        tools.into_iter().partition(|tool| schema::takes_object(&tool.input_schema));
    findings.extend(others.iter().map(|tool| {
        let got = schema::expected(&tool.input_schema);
        let odd = finding(&tool.name, &format!("is ignored: its parameters are {got}, expected an object"));
        odd.help("write the schema of an object that contains them")
    }));
    Some((tools, findings))
}
