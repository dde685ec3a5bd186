//! Loads the toolsets of skills and calls their tools.
//!
//! Each toolset runs in its own process, which is started on first use and stays for further calls. If it ends during a
//! call, that call fails and the next one starts it again. Before each start and each call the toolset is planned again,
//! so a toolset whose skill is no longer trusted is ended.
//!
//! The process runs our own program, which is passed as an argument, so no file is written. Nothing is downloaded: an
//! import is resolved by the runtime, by the skill's files, or by one of the modules that are provided here. Requests and
//! answers are lines of JSON. Each answer begins with a secret token, so that other output of a tool is not taken for an
//! answer.

use super::capture::{CancelToken, Limits};
use super::error::HostError;
use super::private_copy::{PrivateCopy, random_hex};
use super::process::{Outputs, Pause, Process, Stream, Want, exit_code, isolated_command};
use super::programs::Programs;
use super::runtime::{self, NO_INSTALL, NO_UPDATES, RuntimeKind, runtime};
use crate::diagnostic::{Code, Diagnostic, Severity, put_in_order};
use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::fs::OsFs;
use crate::loading::script::Language;
use crate::loading::toolset::{ToolsetPlan, ToolsetPlans, in_copy};
use crate::model::error::Error;
use crate::path::FsPath;
use crate::text::escape::{unhidden, visible};
use crate::text::json::Json;
use crate::text::words::nearest;
use crate::text::{percent, schema};
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

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
    /// Returns [`HostError::Refused`] with the errors of [`ToolsetPlans::of`](crate::loading::ToolsetPlans::of), and
    /// [`HostError::ToolsetFailed`] if the skill no longer has this toolset.
    pub fn renew(&mut self, world: &World<'_>, catalog: &Catalog) -> Result<(), HostError> {
        let now = catalog.find_any(&self.plan.key).and_then(|skill| ToolsetPlans::of(world, catalog, skill));
        let planned = now.map_err(HostError::from).and_then(|now| {
            let same = now.plans.into_iter().find(|now| now.spec == self.plan.spec);
            same.ok_or_else(|| no_longer_exists(&self.plan))
        });
        if planned.as_ref().ok() != Some(&self.plan) {
            self.running = None;
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
            Ok(Err((code, message))) if code == "bad-arguments" => Err(refused(message)),
            Ok(Err((_, message))) => Err(HostError::ToolFailed { tool: visible(tool).into_owned(), message }),
            Err(failure) => Err(self.end(failure)),
        }
    }

    fn running(&mut self, until: Instant, stop: &CancelToken) -> Result<&mut Running, HostError> {
        if stop.is_stopped() {
            return Err(HostError::Stopped);
        }
        let has_ended = self.running.as_mut().is_some_and(|running| running.connection.process.has_ended());
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
            None => launch(&self.disk, &self.plan, &self.programs)?,
            Some(copy) => {
                let plan = copy.with_world(|world| in_copy(world, &copy.skill, &self.plan))?;
                let plan = plan.ok_or_else(|| no_longer_exists(&self.plan))?;
                launch(&OsFs::new(), &plan, &self.programs)?
            }
        };
        copy.iter().for_each(|copy| copy.set_source_variable(&mut launch.command));
        let not_started = |error| HostError::not_started(launch.program.as_os_str(), &error);
        let mut connection = Connection::start(launch.command).map_err(not_started)?;
        launch.open = launch.open.with("token", Some(connection.token.as_str()));
        let answer = connection.ask("open", launch.open, &self.limits, until, stop);
        match answer.and_then(|answer| read_answer(&answer, |answer| opened_tools(&self.plan, answer))) {
            Ok(Ok((tools, findings))) => Ok(Running { connection, _copy: copy, tools, findings }),
            Ok(Err((_, message))) => Err(self.failed(CallFailure::Refused(message), connection)),
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
        let (code, last) = connection.end();
        let reason = match failure {
            CallFailure::Stopped => return HostError::Stopped,
            CallFailure::Late => {
                let (key, toolset) = (visible(&self.plan.key), visible(&self.plan.spec));
                let what = format!("the toolset `{toolset}` of the skill `{key}`");
                return HostError::TimedOut { what, after: self.limits.time, last };
            }
            CallFailure::TooMuch => {
                format!("printed more than {} bytes in one call and was stopped", self.limits.output_bytes)
            }
            CallFailure::TooManyErrors => {
                let most = self.limits.flood_bytes();
                format!("printed more than {most} bytes to standard error in one call and was stopped")
            }
            CallFailure::Ended => {
                let how = code.map_or_else(String::new, |code| format!(" with exit code {code}"));
                format!("exited{how} without an answer")
            }
            CallFailure::Unreadable => "gave an unreadable answer and was stopped".to_owned(),
            CallFailure::Refused(message) => format!("failed: {message}"),
        };
        toolset_failed(&self.plan, reason, last)
    }
}

fn no_longer_exists(plan: &ToolsetPlan) -> HostError {
    toolset_failed(plan, "no longer exists".to_owned(), String::new())
}

fn toolset_failed(plan: &ToolsetPlan, reason: String, last: String) -> HostError {
    let (key, toolset) = (visible(&plan.key).into_owned(), visible(&plan.spec).into_owned());
    HostError::ToolsetFailed { key, toolset, reason, last }
}

fn unknown<'a>(asked: &str, among: impl Iterator<Item = &'a str>) -> HostError {
    let near = nearest(asked, among).into_iter().map(|name| visible(name).into_owned()).collect();
    HostError::ToolUnknown { asked: visible(asked).into_owned(), near }
}

/// The code and the message of the error in a toolset's answer.
type Refusal = (String, String);

/// Reads an answer: the value that `read` returns, or the error that the toolset reports. An answer without either is
/// unreadable.
fn read_answer<T>(answer: &Json, read: impl FnOnce(&Json) -> Option<T>) -> Result<Result<T, Refusal>, CallFailure> {
    if answer.get("ok") == Some(&Json::Bool(true)) {
        return read(answer).map(Ok).ok_or(CallFailure::Unreadable);
    }
    let text = |name: &str| Some(answer.get("error")?.get(name)?.as_text()?.to_owned());
    match (text("code"), text("message")) {
        (Some(code), Some(message)) => Ok(Err((code, message))),
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

/// A tool in a [`ToolRegistry`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegisteredTool {
    /// The key of the skill that it belongs to.
    pub key: String,
    /// Its toolset, as declared.
    pub toolset: String,
    /// Its name in the registry: its own name, or `KEY/NAME` if another tool had that name first.
    pub name: String,
    /// What it does; empty if the toolset has no description for it.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub input_schema: Json,
}

/// The tools of many toolsets. A toolset is started when it is first needed. If it cannot be loaded then, it is not tried
/// again.
pub struct ToolRegistry {
    slots: Vec<Slot>,
    tools: Vec<RegisteredTool>,
    /// For each tool the index of its slot, and its name in the toolset.
    owners: Vec<(usize, String)>,
    findings: Vec<Diagnostic>,
}

struct Slot {
    toolset: Toolset,
    /// `Ok` if its tools are in the table, otherwise why not; `None` before it was loaded.
    loaded: Option<Result<(), HostError>>,
}

impl ToolRegistry {
    /// A registry of these toolsets, in this order; none is started yet.
    pub fn new(disk: &OsFs, plans: Vec<ToolsetPlan>, programs: &Programs, limits: Limits) -> ToolRegistry {
        let slot = |plan| Slot { toolset: Toolset::new(disk, plan, programs, limits), loaded: None };
        let slots = plans.into_iter().map(slot).collect();
        ToolRegistry { slots, tools: Vec::new(), owners: Vec::new(), findings: Vec::new() }
    }

    /// Loads every toolset that has not been loaded yet, and returns all tools in order. A toolset that fails is a finding.
    /// A loaded toolset that may not run any more (see [`Toolset::renew`]) is ended, and its tools are removed.
    ///
    /// # Errors
    /// Returns [`HostError::Stopped`]; and the error of the first toolset if every toolset fails.
    pub fn tools(
        &mut self,
        world: &World<'_>,
        catalog: &Catalog,
        stop: &CancelToken,
    ) -> Result<&[RegisteredTool], HostError> {
        for n in 0..self.slots.len() {
            self.unload_if_refused(n, world, catalog);
            self.load(n, world, catalog, stop)?;
        }
        let failures = || self.slots.iter().map(|slot| slot.loaded.as_ref().and_then(|loaded| loaded.as_ref().err()));
        match failures().next().flatten() {
            Some(first) if failures().all(|failure| failure.is_some()) => Err(first.clone()),
            _ => Ok(&self.tools),
        }
    }

    /// The findings so far: toolsets that failed, names that are used twice, schemas that cannot be described.
    pub fn findings(&self) -> &[Diagnostic] {
        &self.findings
    }

    /// Calls a tool by its name or by `KEY/NAME`. Toolsets are loaded in order until one has it.
    ///
    /// # Errors
    /// Returns the errors of [`Toolset::call`]; and if no toolset has the tool and one failed, the error of that toolset.
    pub fn call(
        &mut self,
        world: &World<'_>,
        catalog: &Catalog,
        name: &str,
        args: &Json,
        stop: &CancelToken,
    ) -> Result<ToolResult, HostError> {
        let mut opened = None;
        for n in 0..self.slots.len() {
            if self.find(name).is_some() {
                break;
            }
            if self.load(n, world, catalog, stop)? {
                opened = Some(n);
            }
        }
        let Some((slot, own)) = self.find(name) else {
            let failed = self.slots.iter().find_map(|slot| slot.loaded.as_ref()?.as_ref().err());
            let names = self.tools.iter().map(|tool| tool.name.as_str());
            return Err(failed.cloned().unwrap_or_else(|| unknown(name, names)));
        };
        match self.slots.get_mut(slot) {
            // Loading has just planned the toolset, and planning may take long.
            Some(found) if opened == Some(slot) => found.toolset.call_as_planned(&own, args, stop),
            Some(slot) => slot.toolset.call(world, catalog, &own, args, stop),
            None => {
                debug_assert!(false, "the owner of a tool is a slot");
                Err(unknown(name, std::iter::empty()))
            }
        }
    }

    /// The index of a tool's slot, and its name in the toolset.
    fn find(&self, name: &str) -> Option<(usize, String)> {
        let by_name = self.tools.iter().position(|tool| tool.name == name);
        let is_full = |(tool, (_, own)): (&RegisteredTool, &(usize, String))| full_name(&tool.key, own) == name;
        let index = by_name.or_else(|| self.tools.iter().zip(&self.owners).position(is_full))?;
        self.owners.get(index).cloned()
    }

    fn unload_if_refused(&mut self, n: usize, world: &World<'_>, catalog: &Catalog) {
        let Some(slot) = self.slots.get_mut(n).filter(|slot| matches!(slot.loaded, Some(Ok(())))) else { return };
        let Err(error) = slot.toolset.renew(world, catalog) else { return };
        self.findings.push(failed(slot.toolset.plan(), &error));
        slot.loaded = Some(Err(error));
        let mut owners = self.owners.iter();
        self.tools.retain(|_| owners.next().is_some_and(|(owner, _)| *owner != n));
        self.owners.retain(|(owner, _)| *owner != n);
    }

    /// Loads a toolset if it has not been loaded, and returns whether it was loaded now.
    fn load(&mut self, n: usize, world: &World<'_>, catalog: &Catalog, stop: &CancelToken) -> Result<bool, HostError> {
        let Some(slot) = self.slots.get_mut(n).filter(|slot| slot.loaded.is_none()) else { return Ok(false) };
        match slot.toolset.tools(world, catalog, stop).map(<[ToolSpec]>::to_vec) {
            Err(HostError::Stopped) => return Err(HostError::Stopped),
            Err(error) => {
                self.findings.push(failed(slot.toolset.plan(), &error));
                slot.loaded = Some(Err(error));
            }
            Ok(tools) => {
                slot.loaded = Some(Ok(()));
                self.findings.extend_from_slice(slot.toolset.findings());
                let plan = slot.toolset.plan().clone();
                for tool in tools {
                    self.add(n, &plan, tool);
                }
            }
        }
        put_in_order(&mut self.findings);
        Ok(true)
    }

    fn add(&mut self, slot: usize, plan: &ToolsetPlan, tool: ToolSpec) {
        let ToolSpec { name: own, description, input_schema } = tool;
        let registered = |name: &str| self.tools.iter().find(|tool| tool.name == name);
        let mut name = own.clone();
        if let Some(first) = registered(&own) {
            name = full_name(&plan.key, &own);
            let message =
                format!("the tool name `{}` is already used by the skill `{}`", visible(&own), visible(&first.key));
            let is_lost = registered(&name).is_some() || first.key == plan.key;
            let help = match is_lost {
                true => "rename it; until then it cannot be called".to_owned(),
                false => format!("call it as `{}`, or rename it", visible(&name)),
            };
            let finding = Diagnostic::new(Severity::Warning, Code::ToolNameTaken, plan.file.clone(), message);
            self.findings.push(finding.help(help));
            if is_lost {
                return;
            }
        }
        let (key, toolset) = (plan.key.clone(), plan.spec.clone());
        self.tools.push(RegisteredTool { key, toolset, name, description, input_schema });
        self.owners.push((slot, own));
    }
}

fn failed(plan: &ToolsetPlan, error: &HostError) -> Diagnostic {
    Diagnostic::new(Severity::Error, Code::ToolsetFailed, plan.file.clone(), visible(&error.to_string()))
}

fn full_name(key: &str, name: &str) -> String {
    format!("{key}/{name}")
}

const JAVASCRIPT: &str = concat!(include_str!("toolset/zod.mjs"), include_str!("toolset/shim.mjs"));
const PYTHON: &str = include_str!("toolset/shim.py");
const TOOLS: &str = include_str!("toolset/module_tools.mjs");
const ZOD: &str = include_str!("toolset/module_zod.mjs");

/// The names by which a toolset may import the provided zod.
const ZOD_NAMES: &[&str] = &["zod", "zod/v3", "zod/v4"];

struct Launch {
    program: PathBuf,
    command: Command,
    /// The first request, without the token.
    open: Json,
}

/// Chooses the runtime of a toolset, and makes the command for it.
fn launch(disk: &OsFs, plan: &ToolsetPlan, programs: &Programs) -> Result<Launch, HostError> {
    let runtime = runtime(plan.language, &plan.spec, programs)?;
    if let Some(character) = unloadable_character(runtime.kind, &plan.file) {
        let reason = format!(
            "cannot be loaded: its path `{}` contains a `{character}`, from where `{}` cannot load files",
            visible(plan.file.as_str()),
            visible(&runtime.program.to_string_lossy())
        );
        return Err(toolset_failed(plan, reason, String::new()));
    }
    let modules = modules(plan);
    let dir = disk.for_programs(&plan.dir).map_err(Error::from)?;
    let file = disk.for_programs(&plan.file).map_err(Error::from)?;
    let mut command = isolated_command(&runtime.program, &plan.variables);
    match runtime.kind {
        RuntimeKind::Node => command.args(runtime.arguments).args(["--input-type=module", "-e", JAVASCRIPT]),
        RuntimeKind::Bun => {
            command.arg(NO_INSTALL).args(runtime::options(runtime.kind, &file, &dir, &[])).args(["-e", JAVASCRIPT])
        }
        RuntimeKind::Deno => {
            command.args(["eval", "--quiet", "--no-config", "--no-lock", "--no-remote", "--cached-only", "--no-check"]);
            command.args(["--node-modules-dir=manual", "--unstable-sloppy-imports"]);
            command.arg(format!("--import-map={}", import_map(&modules))).arg(JAVASCRIPT)
        }
        // `Language::has_modules` lets no other runtime through.
        RuntimeKind::Python | RuntimeKind::PowerShell | RuntimeKind::Shell | RuntimeKind::Batch => {
            command.args(runtime.arguments).args(["-c", PYTHON])
        }
    };
    command.env("NO_COLOR", "1").current_dir(&dir);
    if runtime.kind == RuntimeKind::Deno {
        command.env(NO_UPDATES.0, NO_UPDATES.1);
    }
    let open = Json::map([
        ("file", Json::from(file.to_string_lossy().into_owned())),
        ("export", Json::from(plan.export.as_str())),
        ("dir", Json::from(dir.to_string_lossy().into_owned())),
        ("key", Json::from(plan.key.as_str())),
        ("modules", Json::map(modules.into_iter().map(|(name, text)| (name, Json::from(text))))),
    ]);
    Ok(Launch { program: runtime.program, command, open })
}

/// A character of the path that keeps the runtime from loading the file, however it is escaped.
fn unloadable_character(kind: RuntimeKind, file: &FsPath) -> Option<char> {
    let characters: &[char] = match kind {
        RuntimeKind::Bun => &['?', '\\'],
        RuntimeKind::Deno | RuntimeKind::Node => &['\\'],
        RuntimeKind::Python | RuntimeKind::PowerShell | RuntimeKind::Shell | RuntimeKind::Batch => &[],
    };
    file.as_str().chars().find(|c| characters.contains(c))
}

/// The names and texts of the modules that are provided to the toolset.
fn modules(plan: &ToolsetPlan) -> Vec<(&'static str, &'static str)> {
    let needs_zod = plan.language != Language::Python && !plan.brings_zod;
    let zod = ZOD_NAMES.iter().filter(|_| needs_zod).map(|name| (*name, ZOD));
    [("@agent/tools", TOOLS)].into_iter().chain(zod).collect()
}

/// An import map with the modules, for a runtime that has no other way to provide them.
fn import_map(modules: &[(&str, &str)]) -> String {
    // The runtime shows the fragment of the URL in its errors.
    let module = |name, text| Json::from(format!("data:text/javascript,{}#{name}", percent::encoded(text)));
    let imports = Json::map(modules.iter().map(|(name, text)| (*name, module(name, text))));
    format!("data:application/json,{}", percent::encoded(&Json::map([("imports", imports)]).to_string()))
}

const MAX_LAST_BYTES: usize = 2_048;

/// Why there is no answer. The process cannot be used any more.
enum CallFailure {
    Ended,
    Late,
    Stopped,
    TooMuch,
    TooManyErrors,
    /// The answer has an unknown form.
    Unreadable,
    /// The process could not load the toolset, with its message.
    Refused(String),
}

struct Connection {
    process: Process,
    token: String,
    requests: usize,
    /// The end of standard error during the last request.
    last: Tail,
}

impl Connection {
    fn start(command: Command) -> io::Result<Connection> {
        Ok(Connection {
            process: Process::start(command, true, Outputs::Separate)?,
            token: format!("skilltree-{} ", random_hex()),
            requests: 0,
            last: Tail::default(),
        })
    }

    /// Sends the request `what` and waits for its answer.
    fn ask(
        &mut self,
        what: &str,
        body: Json,
        limits: &Limits,
        until: Instant,
        stop: &CancelToken,
    ) -> Result<Json, CallFailure> {
        let id = Json::from(self.requests);
        self.requests += 1;
        let line = format!("{}\n", Json::map([("id", id.clone()), (what, body)]));
        let mut lines =
            AnswerReader { token: self.token.as_bytes(), id, buffer: Vec::new(), searched: 0, answer: None };
        let (mut printed, mut errors, mut last) = (0_usize, 0_usize, Tail::default());
        let most_errors = limits.flood_bytes();
        let mut take = |stream, bytes: &[u8]| {
            if stream == Stream::Errors {
                last.add(bytes);
                errors = errors.saturating_add(bytes.len());
                return if errors > most_errors { Want::Enough } else { Want::More };
            }
            printed += bytes.len();
            if printed > limits.output_bytes || lines.add(bytes) { Want::Enough } else { Want::More }
        };
        let pause = self.process.pump(&mut line.as_bytes(), until, stop, &mut take);
        self.last = last;
        match (lines.answer, pause) {
            (_, Pause::Enough | Pause::Ended(_)) if printed > limits.output_bytes => Err(CallFailure::TooMuch),
            (_, Pause::Enough | Pause::Ended(_)) if errors > most_errors => Err(CallFailure::TooManyErrors),
            (Some(answer), _) => answer.ok_or(CallFailure::Unreadable),
            (None, Pause::Enough | Pause::Ended(_)) => Err(CallFailure::Ended),
            (None, Pause::Late) => Err(CallFailure::Late),
            (None, Pause::Stopped) => Err(CallFailure::Stopped),
        }
    }

    /// Ends the process. Returns its exit code if it had ended by itself, and the end of its standard error.
    fn end(mut self) -> (Option<i32>, String) {
        let by_itself = self.process.has_ended();
        let mut last = std::mem::take(&mut self.last);
        let status = self.process.end(&mut |stream, bytes: &[u8]| {
            if stream == Stream::Errors {
                last.add(bytes);
            }
            Want::More
        });
        (status.filter(|_| by_itself).map(|status| exit_code(Some(status))), last.text())
    }
}

impl Drop for Connection {
    /// Closes standard input first, so that the process can end by itself.
    fn drop(&mut self) {
        self.process.close_input();
        self.process.end(&mut |_, _| Want::More);
    }
}

/// Searches the printed lines for the answer to one request.
struct AnswerReader<'a> {
    token: &'a [u8],
    id: Json,
    buffer: Vec<u8>,
    /// The part of `buffer` that is known to contain no line end.
    searched: usize,
    /// The answer; `Some(None)` if it is not JSON.
    answer: Option<Option<Json>>,
}

impl AnswerReader<'_> {
    /// Appends output, and returns whether it completes the answer.
    fn add(&mut self, bytes: &[u8]) -> bool {
        self.buffer.extend_from_slice(bytes);
        let mut begin = 0;
        let line_end = |rest: &[u8]| rest.iter().position(|byte| *byte == b'\n');
        while let Some(length) = self.buffer.get(self.searched..).and_then(line_end) {
            let end = self.searched + length;
            self.answer = self.buffer.get(begin..end).and_then(|line| self.read(line));
            (begin, self.searched) = (end + 1, end + 1);
            if self.answer.is_some() {
                return true;
            }
        }
        self.buffer.drain(..begin);
        self.searched = self.buffer.len();
        false
    }

    /// The answer, if the line is an answer to this request.
    fn read(&self, line: &[u8]) -> Option<Option<Json>> {
        let text = line.strip_prefix(self.token)?;
        let json = std::str::from_utf8(text).ok().and_then(|text| Json::parse(text).ok());
        match json {
            Some(json) if json.get("id") == Some(&self.id) => Some(Some(json)),
            // An answer to an earlier request.
            Some(json) if matches!(json.get("id"), Some(Json::Number(_))) => None,
            Some(_) | None => Some(None),
        }
    }
}

#[derive(Default)]
struct Tail(Vec<u8>);

impl Tail {
    fn add(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        self.0.drain(..self.0.len().saturating_sub(MAX_LAST_BYTES));
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0).trim().to_owned()
    }
}
