//! The tools of the server: the load tool of the dialect, `match_skills`, `find_skills`, `read_skill_file`, `reattach_skills` and,
//! if the user allows it, tools that run something. A refusal is a result that the model can read; an unknown tool is a
//! protocol error.
//!
//! An invocation is executed, for a prompt as well, as far as the user allows: its commands are run, and a fork is passed
//! to the agent. The result is the text for the conversation, or the reason why nothing was run.

use super::conversation::{Conversation, LOAD_AGAIN, REATTACH, given, losses};
use super::convert::{self, Arguments, MAX_WHOLE, failed, loaded, refused, result, with_view};
use super::engine::{Engine, locked};
use super::server::{Context, has_session};
use super::toolset_pool::{Slot, ToolsetPool};
use crate::hints::{complete_invocation, host_error_message};
use crate::output::FOR_A_SUBAGENT;
use crate::output::text::count;
use crate::processes::execute::{self, resumed};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde_json::Value;
use skilltree::host::{
    CancelToken, CommandAgent, CommandOutput, HostError, Limits, ProcessOutput, Task, TaskState, ToolResult,
};
use skilltree::offer::{Hits, PromptRow, SearchIndex, SearchRequest};
use skilltree::package::{FilePart, FileRequest};
use skilltree::{
    Caller, Catalog, Code, Diagnostic, Error, Fs, FsPath, Invocation, Json, Pending, PromptRequest, SelectRequest,
    Selection, Severity, World, visible,
};
use std::sync::{Arc, Mutex};

const MATCH: &str = "match_skills";
pub(super) const READ: &str = "read_skill_file";
const RUN: &str = "run_skill_script";

/// A tool, and how its calls are answered.
#[derive(Clone)]
pub(super) struct Offer {
    pub(super) tool: Tool,
    route: Route,
}

#[derive(Clone)]
enum Route {
    Load,
    Match,
    Find,
    Read,
    Reattach,
    Script,
    /// A tool of a toolset, under its own name.
    Toolset(Arc<Slot>),
}

/// The tools for a catalog, and the findings about those of toolsets.
pub(super) fn offers(engine: &Engine, catalog: &Catalog, toolsets: &ToolsetPool) -> (Vec<Offer>, Vec<Diagnostic>) {
    let mut offers = Vec::new();
    let has_skills = catalog.skills().iter().any(|skill| skill.is_for(Caller::Model));
    if let Ok(tool) = skilltree::tool(catalog) {
        offers.extend(offer(Route::Load, &tool.name, &tool.description, &tool.input_schema, reads()));
    }
    if is_matched(catalog) {
        let help = "Returns the skills that match a message, or lists the available skills.";
        let schema = schema(&[("query", text("The user's message, verbatim"))], &["query"]);
        offers.extend(offer(Route::Match, MATCH, help, &schema, reads()));
    }
    if has_skills || engine.told.mentions_find() {
        let help = "Searches all skills and returns the best matches.";
        let fields = [
            ("query", text("The task, in the user's words or as keywords")),
            (
                "limit",
                number(1, &format!("Maximum number of skills, from 1 to {MAX_FOUND}; 10 by default"))
                    .with("maximum", Some(Json::Number(MAX_FOUND.to_string()))),
            ),
        ];
        offers.extend(offer(Route::Find, FIND, help, &schema(&fields, &["query"]), reads()));
    }
    if has_skills {
        let help = "Reads a file of a skill, such as one that its instructions mention. Long files are returned in \
            parts.";
        let offset = number(0, "The byte to start from, as reported by an earlier call");
        let fields = [
            ("skill", text("The skill's name")),
            ("path", text("The path of the file, relative to the skill's folder")),
            ("offset", offset),
        ];
        offers.extend(offer(Route::Read, READ, help, &schema(&fields, &["skill", "path"]), reads()));
    }
    if has_skills && engine.ask.allow_run {
        let help = "Runs a script of a skill in the skill's folder, and returns its output and exit code.";
        let fields = [
            ("skill", text("The skill's name")),
            ("script", text("The path of the script, relative to the skill's `scripts` folder")),
            ("args", texts("Arguments for the script, passed as they are, without a shell")),
        ];
        offers.extend(offer(Route::Script, RUN, help, &schema(&fields, &["skill", "script"]), runs()));
    }
    if offers.iter().any(|offer| matches!(offer.route, Route::Load)) {
        let help = "Returns the list of skills and the instructions of the loaded skills again. Call it after the \
            conversation was compacted or summarized.";
        let fields = [("budget", number(0, "Maximum size of the answer in tokens of four bytes"))];
        offers.extend(offer(Route::Reattach, REATTACH, help, &schema(&fields, &[]), reads()));
    }
    let mut findings: Vec<Diagnostic> = toolsets.loading_findings().cloned().collect();
    for (slot, tool) in toolsets.tools() {
        let unlisted = |code, why: &str| {
            let message =
                format!("the tool `{}` of `{}` is not listed: {why}", visible(&tool.name), visible(slot.key()));
            slot.finding(Severity::Warning, code, message).help("give it another name")
        };
        if !is_name(&tool.name) {
            let why = "expected 1 to 128 ASCII letters, digits, `_`, `-` and `.` for its name";
            findings.push(unlisted(Code::ToolsetFailed, why));
        } else if offers.iter().any(|offer| offer.tool.name == tool.name) {
            findings.push(unlisted(Code::ToolNameTaken, "another tool has the same name"));
        } else {
            let route = Route::Toolset(Arc::clone(slot));
            match offer(route, &tool.name, &tool.description, &tool.input_schema, runs()) {
                Some(offer) => offers.push(offer),
                None => findings.push(unlisted(Code::ToolsetFailed, "its schema is not an object")),
            }
        }
    }
    (offers, findings)
}

/// Whether the dialect matches skills to messages and has no tool that loads them.
fn is_matched(catalog: &Catalog) -> bool {
    catalog.dialect().tool_name().is_none() && catalog.dialect().has_selection()
}

/// Whether clients and models accept the name of a tool.
fn is_name(name: &str) -> bool {
    let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    (1..=128).contains(&name.len()) && name.bytes().all(is_fine)
}

/// The instruction that the model needs in addition to the section of the dialect.
pub(super) fn hint(catalog: &Catalog) -> Option<&'static str> {
    is_matched(catalog).then_some(
        "Before you answer, call the tool `match_skills` with the user's message. It returns the full text of the \
            skills that match.",
    )
}

/// `None` if the schema is not an object, which the schemas of the tools here always are.
fn offer(route: Route, name: &str, description: &str, schema: &Json, annotations: ToolAnnotations) -> Option<Offer> {
    let schema = convert::object(schema)?;
    let tool = Tool::new(name.to_owned(), description.to_owned(), schema).with_annotations(annotations);
    Some(Offer { tool, route })
}

/// Annotations of a tool that only reads local files.
fn reads() -> ToolAnnotations {
    ToolAnnotations::new().read_only(true).open_world(false)
}

/// Annotations of a tool that runs code of a skill.
fn runs() -> ToolAnnotations {
    ToolAnnotations::new().read_only(false).destructive(true).open_world(true)
}

fn schema(fields: &[(&str, Json)], required: &[&str]) -> Json {
    Json::map([
        ("type", Json::from("object")),
        ("properties", Json::map(fields.iter().map(|(name, field)| (*name, field.clone())))),
        ("required", Json::List(required.iter().map(|name| Json::from(*name)).collect())),
        ("additionalProperties", Json::Bool(false)),
    ])
}

fn text(help: &str) -> Json {
    Json::map([("type", Json::from("string")), ("description", Json::from(help))])
}

fn number(least: usize, help: &str) -> Json {
    Json::map([("type", Json::from("integer")), ("minimum", least.into()), ("description", Json::from(help))])
}

fn texts(help: &str) -> Json {
    let item = Json::map([("type", Json::from("string"))]);
    Json::map([("type", Json::from("array")), ("items", item), ("description", Json::from(help))])
}

pub(super) async fn call(
    engine: &Arc<Engine>,
    name: &str,
    arguments: JsonObject,
    context: &Context,
) -> Result<CallToolResult, ErrorData> {
    let (snapshot, has_session) = (engine.snapshot(), has_session(context));
    let offer = snapshot.offers.iter().find(|offer| offer.tool.name == name);
    let (Some(offer), Some(catalog)) = (offer, snapshot.catalog.clone()) else {
        return Err(ErrorData::invalid_params(format!("unknown tool `{}`", convert::shown(name)), None));
    };
    match &offer.route {
        Route::Load => {
            let of_call = catalog.clone();
            // The arguments for the skill, besides its name.
            let input = catalog.dialect().tool_input();
            let args = input.and_then(|name| arguments.get(name)?.as_str()).unwrap_or_default().to_owned();
            let (called, view) = engine
                .run_blocking(move |engine| {
                    engine.sync(&of_call);
                    let (world, arguments) = (engine.world(), Value::Object(arguments).to_string());
                    let called = skilltree::call(&world, &of_call, &arguments);
                    let view = of_call.call_view(&world, &arguments, called.as_ref().map(Invocation::key));
                    (called.map_err(|error| refused_skill(engine, &of_call, &error)), view)
                })
                .await?;
            Ok(match called {
                Ok(invocation) => {
                    let (spawned, key) = (invocation.spawned_json(), invocation.key().to_owned());
                    let execution = execute(engine, invocation, context).await?;
                    let view = match &execution {
                        Execution::Refused { message, task: None, .. } => catalog.dialect().refused_view(&key, message),
                        _ => view,
                    };
                    let give = move |engine: &Engine| {
                        let mut result = match spawned {
                            Some(spawned) => execution.result_of_a_task(&spawned),
                            None if has_session => given(engine, &catalog, execution, &args),
                            None => execution.result(),
                        };
                        if has_session {
                            engine.told.add_news(&catalog, &mut result);
                        }
                        result
                    };
                    with_view(engine.run_blocking(give).await?, view)
                }
                Err(refusal) => with_view(refusal, view),
            })
        }
        Route::Match => {
            let selected = engine.run_blocking(move |engine| select(engine, &catalog, &Arguments(&arguments))).await?;
            Ok(selected.map_or_else(
                |error| refused(&error),
                |selection| {
                    let none = "No skill matches.";
                    let text = if selection.text.is_empty() { none } else { &selection.text };
                    loaded(text, selection.to_json())
                },
            ))
        }
        Route::Find => {
            let find = move |engine: &Engine| {
                let arguments = Arguments(&arguments);
                arguments.only(&["query", "limit"])?;
                let (query, limit) = (arguments.text("query")?, arguments.number("limit", 1..=MAX_FOUND)?);
                let found = engine.search.find(&engine.world(), &catalog, query, limit);
                let mut result = loaded(&rows(engine, &catalog, &found), found.to_json(engine.world().fs));
                if has_session {
                    engine.told.add_news(&catalog, &mut result);
                }
                Ok(result)
            };
            Ok(engine.run_blocking(find).await?.unwrap_or_else(|error: Error| refused(&error)))
        }
        Route::Read => {
            let read = move |engine: &Engine| match read(engine, &catalog, &Arguments(&arguments)) {
                Ok(part) => shown(engine, &part),
                Err(error) => refused_skill(engine, &catalog, &error),
            };
            engine.run_blocking(read).await
        }
        Route::Reattach => {
            let arguments = Arguments(&arguments);
            let budget = arguments.only(&["budget"]).and_then(|()| arguments.number("budget", 0..=MAX_WHOLE));
            match budget.map(|budget| budget.map(|budget| usize::try_from(budget).unwrap_or(usize::MAX))) {
                Ok(budget) => {
                    let back = Conversation::reattached(engine, catalog.clone(), budget, has_session).await?;
                    let mut result = loaded(&back.text, back.to_json());
                    result.content.extend(losses(&catalog, &back).map(ContentBlock::text));
                    result.content.extend((!has_session).then(|| ContentBlock::text(LOAD_AGAIN)));
                    Ok(result)
                }
                Err(error) => Ok(refused(&error)),
            }
        }
        Route::Script => {
            let run =
                move |engine: &Engine, stop: &CancelToken| match run(engine, &catalog, &Arguments(&arguments), stop) {
                    Ok(ran) => told(engine, &ran),
                    Err(HostError::Refused(error)) => refused_skill(engine, &catalog, &error),
                    Err(error) => failed(error.code(), &error.to_string()),
                };
            engine.run_cancellable(context.ct.cancelled(), run).await
        }
        Route::Toolset(slot) => {
            let called_off = async {
                tokio::select! {
                    () = context.ct.cancelled() => {}
                    () = slot.wait_until_retired() => {}
                }
            };
            let (slot, tool) = (Arc::clone(slot), offer.tool.name.to_string());
            let called = engine
                .run_cancellable(called_off, move |engine, stop| {
                    let arguments = Json::parse(&Value::Object(arguments).to_string());
                    let arguments = arguments.map_err(|error| Error::BadArguments(error.to_string()))?;
                    slot.call((engine, &catalog), &tool, &arguments, stop)
                })
                .await?;
            Ok(match called {
                Ok(called) => result(&called.output, &ToolResult::answer_json(Ok(&called))),
                Err(error) => failed(error.code(), &host_error_message(&error)),
            })
        }
    }
}

/// The result of a call for a skill that the library refuses. The model is not told of policies, and no option switches on
/// what they block.
fn refused_skill(engine: &Engine, catalog: &Catalog, error: &Error) -> CallToolResult {
    match engine.setup.refused(catalog, error) {
        Some(_) => failed(error.code(), &error.to_string()),
        None => refused(error),
    }
}

fn select(engine: &Engine, catalog: &Catalog, arguments: &Arguments<'_>) -> Result<Selection, Error> {
    arguments.only(&["query"])?;
    let ask = SelectRequest { query: arguments.text("query")?.to_owned(), ..SelectRequest::default() };
    skilltree::select(&engine.world(), catalog, &ask)
}

fn read(engine: &Engine, catalog: &Catalog, arguments: &Arguments<'_>) -> Result<FilePart, Error> {
    arguments.only(&["skill", "path", "offset"])?;
    let (key, name) = (arguments.text("skill")?, arguments.text("path")?.to_owned());
    let offset = arguments.number("offset", 0..=MAX_WHOLE)?.unwrap_or(0);
    engine.sync(catalog);
    let skill = catalog.locate(&engine.world(), key, Caller::Model)?;
    let ask = FileRequest { caller: Caller::Model, name, offset };
    FilePart::read(&engine.world(), catalog, skill, &ask)
}

fn run(
    engine: &Engine,
    catalog: &Catalog,
    arguments: &Arguments<'_>,
    stop: &CancelToken,
) -> Result<ProcessOutput, HostError> {
    arguments.only(&["skill", "script", "args"])?;
    let (key, name, args) = (arguments.text("skill")?, arguments.text("script")?, arguments.texts("args")?);
    engine.sync(catalog);
    let skill = catalog.locate(&engine.world(), key, Caller::Model)?;
    let plan = skilltree::loading::ScriptPlan::of(&engine.world(), catalog, skill, name, &args)?;
    let ran = plan.run(&engine.setup.fs, &engine.limits(), stop)?;
    if ran.is_stopped { Err(HostError::Stopped) } else { Ok(ran) }
}

/// The output of a script, and how it ended if it failed.
fn told(engine: &Engine, ran: &ProcessOutput) -> CallToolResult {
    let mut content = vec![ContentBlock::text(String::from_utf8_lossy(&ran.output))];
    if !ran.errors.is_empty() {
        content.push(ContentBlock::text(format!("standard error:\n{}", String::from_utf8_lossy(&ran.errors))));
    }
    let limits = engine.limits();
    let mut note = |text: String| content.push(ContentBlock::text(text));
    if ran.flooded {
        note(format!("The script printed more than {} bytes and was stopped.", limits.flood_bytes()));
    } else if ran.is_cut {
        note(format!("The script printed more than {} bytes; the rest was discarded.", limits.output_bytes));
    }
    let is_well = !ran.timed_out && ran.code == 0;
    if ran.timed_out {
        note(format!("The script was stopped after {} s.", limits.time.as_secs_f64()));
    } else if !is_well && !ran.flooded {
        note(format!("The script failed with exit code {}.", ran.code));
    }
    let mut result = if is_well { CallToolResult::success(content) } else { CallToolResult::error(content) };
    result.structured_content = Some(convert::value(&ran.to_json()));
    result
}

/// A part of a file as text, and a note about the rest.
fn shown(engine: &Engine, part: &FilePart) -> CallToolResult {
    let path = engine.setup.fs.display(&part.path);
    let path = visible(&path);
    let Some(text) = &part.text else {
        let bytes = count(usize::try_from(part.bytes).unwrap_or(usize::MAX), "byte");
        let note = format!("`{path}` is not text ({bytes}) and is not shown");
        return CallToolResult::success(vec![ContentBlock::text(note)]);
    };
    let mut content = vec![ContentBlock::text(text.as_str())];
    if let Some(next) = part.next {
        let note = format!("The file continues: it has {} bytes; pass `offset` {next} to read on.", part.bytes);
        content.push(ContentBlock::text(note));
    }
    CallToolResult::success(content)
}

pub(super) const FIND: &str = "find_skills";

/// Maximum number of skills in an answer to a search.
const MAX_FOUND: u64 = 50;

/// The index of the catalog that was searched last.
#[derive(Default)]
pub(super) struct Search(Mutex<Option<SearchIndex>>);

impl Search {
    /// Searches the skills that the model may see.
    pub(super) fn find(&self, world: &World<'_>, catalog: &Catalog, query: &str, limit: Option<u64>) -> Hits {
        let mut request = SearchRequest::new(query, Caller::Model);
        if let Some(limit) = limit {
            request.limit = usize::try_from(limit).unwrap_or(usize::MAX);
        }
        let mut index = locked(&self.0);
        match index.as_mut() {
            Some(index) => index.update_with_bodies(world, catalog),
            None => *index = Some(SearchIndex::with_bodies(world, catalog)),
        }
        index.as_ref().map_or_else(|| SearchIndex::new(catalog).search(&request), |index| index.search(&request))
    }
}

/// What was found, as rows of the prompt.
pub(super) fn rows(engine: &Engine, catalog: &Catalog, found: &Hits) -> String {
    let world = engine.world();
    let row = |path: &FsPath| {
        let skill = catalog.skills().iter().find(|skill| skill.path == *path)?;
        Some(PromptRow::of(&world, catalog, skill, &PromptRequest::default()).text)
    };
    let rows: Vec<String> = found.hits.iter().filter_map(|hit| row(&hit.path)).collect();
    match rows.is_empty() {
        true => "No skill matches. Try other words.".to_owned(),
        false => rows.join("\n"),
    }
}

/// The result of an invocation.
pub(super) enum Execution {
    /// The text for the conversation, everything known about it as JSON, and the key of the skill if the text is its
    /// instructions.
    Done { text: String, known: Json, key: Option<String> },
    /// The reason why there is no text, and what a load tool that starts tasks answers if an agent has failed.
    Refused { code: String, message: String, task: Option<Json> },
}

impl Execution {
    fn refused(code: &str, message: String) -> Execution {
        Execution::Refused { code: code.to_owned(), message, task: None }
    }

    pub(super) fn result(self) -> CallToolResult {
        match self {
            Execution::Done { text, known, .. } => loaded(&text, known),
            Execution::Refused { code, message, .. } => failed(&code, &message),
        }
    }

    /// The result of a call that starts a task, where the load tool answers with the task's id and status: `spawned` if no
    /// agent has carried it out, so that the model is handed the task as well.
    pub(super) fn result_of_a_task(self, spawned: &Json) -> CallToolResult {
        let (text, known) = match self {
            Execution::Done { text, known, .. } => (text, known),
            Execution::Refused { code, message, task } => {
                let mut result = failed(&code, &message);
                result.content.splice(..0, task.map(|answer| ContentBlock::text(answer.to_string())));
                return result;
            }
        };
        let Some(task) = known.get("task") else {
            let mut result = loaded(&spawned.to_string(), with_all(known, spawned));
            result.content.push(ContentBlock::text(text));
            return result;
        };
        let field = |name: &str| task.get(name).cloned().unwrap_or(Json::Null);
        let answer =
            Json::map([("taskId", field("id")), ("status", field("status")), ("result", Json::from(text.as_str()))]);
        loaded(&answer.to_string(), with_all(known, &answer))
    }
}

/// A JSON object with the fields of another one.
fn with_all(known: Json, other: &Json) -> Json {
    let Json::Map(fields) = other else { return known };
    fields.iter().fold(known, |known, (name, value)| known.with(name, Some(value.clone())))
}

impl From<HostError> for Execution {
    fn from(error: HostError) -> Execution {
        Execution::refused(error.code(), host_error_message(&error))
    }
}

pub(super) async fn execute(
    engine: &Arc<Engine>,
    invocation: Invocation,
    context: &Context,
) -> Result<Execution, ErrorData> {
    let has_agent = engine.ask.agent_command.is_some();
    let to_run = match &invocation {
        Invocation::Pending(pending) => {
            if let Some(refused) = refusal(engine, pending) {
                return Ok(refused);
            }
            true
        }
        Invocation::Fork(fork) if has_agent => {
            if let Err(error) = fork.trusted() {
                return Ok(HostError::Refused(error.clone()).into());
            }
            true
        }
        _ => false,
    };
    if !to_run {
        return Ok(without_agent(engine, &invocation, None));
    }
    engine.run_cancellable(context.ct.cancelled(), move |engine, stop| run_invocation(engine, invocation, stop)).await
}

/// The reason why the commands of a skill must not run, if there is one.
fn refusal(engine: &Engine, pending: &Pending) -> Option<Execution> {
    if let Err(error) = pending.trusted() {
        return Some(HostError::Refused(error.clone()).into());
    }
    (!engine.ask.allow_run).then(|| {
        let message = format!(
            "the skill `{}` needs commands to run before it is read, and this server does not run commands; start it \
                 with `--allow-run` to allow them",
            visible(&pending.key)
        );
        Execution::refused("run-not-allowed", message)
    })
}

fn run_invocation(engine: &Engine, invocation: Invocation, stop: &CancelToken) -> Execution {
    let execution = match invocation {
        Invocation::Pending(pending) => {
            let limits = engine.with_timeout(Limits::of_commands(&pending));
            resumed(&engine.setup, pending, &limits, stop).map(|(next, ran)| (next, Some(ran)))
        }
        invocation => Ok((invocation, None)),
    };
    match (execution, &engine.ask.agent_command) {
        (Err(error), _) => error.into(),
        (Ok((Invocation::Fork(fork), ran)), Some(command)) => {
            let known = details(engine, &Invocation::Fork(fork.clone()), ran.as_deref());
            let (setup, limits) = (&engine.setup, engine.with_timeout(Limits::of_agent()));
            CommandAgent::new(&setup.fs, command, &setup.project, limits, stop)
                .and_then(|agent| execute::given(&agent, fork))
                .map_or_else(Execution::from, |task| agent_answer(engine, &task, known))
        }
        (Ok((invocation, ran)), _) => without_agent(engine, &invocation, ran.as_deref()),
    }
}

/// The result of a task that an agent has finished.
fn agent_answer(engine: &Engine, task: &Task, known: Json) -> Execution {
    let known = known.with("task", Some(task.to_json()));
    let Some(ran) = task.state.output() else { return HostError::Stopped.into() };
    let errors = String::from_utf8_lossy(&ran.errors);
    let limits = engine.with_timeout(Limits::of_agent());
    let wrong = match &task.state {
        TaskState::Done(_) => {
            return Execution::Done { text: String::from_utf8_lossy(&ran.output).into_owned(), known, key: None };
        }
        TaskState::TimedOut(_) => {
            format!("the agent was stopped after {} s", limits.time.as_secs_f64())
        }
        TaskState::Stopped(_) => return HostError::Stopped.into(),
        TaskState::Failed(ran) if ran.flooded => {
            format!("the agent printed more than {} bytes and was stopped", limits.flood_bytes())
        }
        _ => format!("the agent failed with exit code {}", ran.code),
    };
    let message = if errors.trim().is_empty() { wrong } else { format!("{wrong}: {}", errors.trim()) };
    let code = format!("agent-{}", task.state.as_str());
    Execution::Refused { code, message, task: Some(task.result_json()) }
}

/// The text of an invocation of which nothing is left to run here.
fn without_agent(engine: &Engine, invocation: &Invocation, ran: Option<&[CommandOutput]>) -> Execution {
    let known = details(engine, invocation, ran);
    let (text, key) = match invocation {
        Invocation::Inline(message) => (message.text.clone(), Some(message.key.clone())),
        Invocation::Fork(fork) => (format!("{FOR_A_SUBAGENT}\n\n{}", fork.text), None),
        _ => {
            let message = "this kind of invocation has no text".to_owned();
            return Execution::refused("not-supported", message);
        }
    };
    Execution::Done { text, known, key }
}

fn details(engine: &Engine, invocation: &Invocation, ran: Option<&[CommandOutput]>) -> Json {
    Invocation::line_json(&engine.setup.fs, Some(&complete_invocation(invocation.clone())), "")
        .with("ran", ran.map(CommandOutput::all_to_json))
}
