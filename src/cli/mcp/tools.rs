//! The tools of the server: the load tool of the dialect, a tool that reads files of skills and, if the user allows
//! it, tools that run something. A refusal is a result that the model can read; an unknown tool is a protocol error.

use super::arguments::Arguments;
use super::convert;
use super::engine::Engine;
use super::execute::execute;
use super::find::{FIND, MAX_FOUND, rows};
use super::results::{failed, loaded, refused, result, with_view};
use super::sent::{Conversation, REATTACH, given};
use super::server::Context;
use super::toolset_pool::{Slot, ToolsetPool};
use crate::hints::host_error_message;
use crate::output::text::count;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde_json::Value;
use skilltree::host::{CancelToken, HostError, ScriptOutput, ToolResult};
use skilltree::offer::Hits;
use skilltree::package::{FilePart, FileRequest};
use skilltree::{
    Caller, Catalog, Code, Diagnostic, Error, Fs, Invocation, Json, SelectRequest, Selection, Severity, visible,
};
use std::sync::Arc;

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
            ("limit", number(&format!("Maximum number of skills, from 1 to {MAX_FOUND}; 10 by default"))),
        ];
        offers.extend(offer(Route::Find, FIND, help, &schema(&fields, &["query"]), reads()));
    }
    if has_skills {
        let help = "Reads a file of a skill, such as one that its instructions mention. Long files are returned in \
            parts.";
        let offset = number("The byte to start from, as reported by an earlier call");
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
        let fields = [("budget", number("Maximum size of the answer in tokens of four bytes"))];
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

fn number(help: &str) -> Json {
    Json::map([("type", Json::from("integer")), ("minimum", Json::from(0)), ("description", Json::from(help))])
}

fn texts(help: &str) -> Json {
    let item = Json::map([("type", Json::from("string"))]);
    Json::map([("type", Json::from("array")), ("items", item), ("description", Json::from(help))])
}

/// Answers a call.
pub(super) async fn call(
    engine: &Arc<Engine>,
    name: &str,
    arguments: JsonObject,
    context: &Context,
) -> Result<CallToolResult, ErrorData> {
    let snapshot = engine.snapshot();
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
                    (called, view)
                })
                .await?;
            let result = match called {
                Ok(invocation) => {
                    let spawned = invocation.spawned_json();
                    let execution = execute(engine, invocation, context).await?;
                    let give = move |engine: &Engine| {
                        let mut result = match spawned {
                            Some(spawned) => execution.result_of_a_task(&spawned),
                            None => given(engine, &catalog, execution, &args),
                        };
                        engine.told.add_news(&catalog, &mut result);
                        result
                    };
                    engine.run_blocking(give).await?
                }
                Err(error) => refused(&error),
            };
            Ok(with_view(result, view))
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
                let found = find(engine, &catalog, &Arguments(&arguments))?;
                let mut result = loaded(&rows(engine, &catalog, &found), found.to_json(engine.world().fs));
                engine.told.add_news(&catalog, &mut result);
                Ok(result)
            };
            Ok(engine.run_blocking(find).await?.unwrap_or_else(|error: Error| refused(&error)))
        }
        Route::Read => {
            let read = engine.run_blocking(move |engine| read(engine, &catalog, &Arguments(&arguments))).await?;
            Ok(read.map_or_else(|error| refused(&error), |part| shown(engine, &part)))
        }
        Route::Reattach => {
            let arguments = Arguments(&arguments);
            let budget = arguments.only(&["budget"]).and_then(|()| arguments.number("budget"));
            match budget.map(|budget| budget.map(|budget| usize::try_from(budget).unwrap_or(usize::MAX))) {
                Ok(budget) => {
                    let back = Conversation::reattached(engine, catalog, budget).await?;
                    Ok(loaded(&back.text, back.to_json()))
                }
                Err(error) => Ok(refused(&error)),
            }
        }
        Route::Script => {
            let ran = engine
                .run_cancellable(context.ct.cancelled(), move |engine, stop| {
                    run(engine, &catalog, &Arguments(&arguments), stop)
                })
                .await?;
            Ok(ran.map_or_else(|error| failed(error.code(), &host_error_message(&error)), |ran| told(engine, &ran)))
        }
        Route::Toolset(slot) => {
            let (slot, tool) = (Arc::clone(slot), offer.tool.name.to_string());
            let called_off = {
                let slot = Arc::clone(&slot);
                async move {
                    tokio::select! {
                        () = context.ct.cancelled() => {}
                        () = slot.wait_until_retired() => {}
                    }
                }
            };
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

fn select(engine: &Engine, catalog: &Catalog, arguments: &Arguments<'_>) -> Result<Selection, Error> {
    arguments.only(&["query"])?;
    let ask = SelectRequest { query: arguments.text("query")?.to_owned(), ..SelectRequest::default() };
    skilltree::select(&engine.world(), catalog, &ask)
}

fn find(engine: &Engine, catalog: &Catalog, arguments: &Arguments<'_>) -> Result<Hits, Error> {
    arguments.only(&["query", "limit"])?;
    let (query, limit) = (arguments.text("query")?, arguments.number("limit")?);
    Ok(engine.search.find(&engine.world(), catalog, query, limit))
}

fn read(engine: &Engine, catalog: &Catalog, arguments: &Arguments<'_>) -> Result<FilePart, Error> {
    arguments.only(&["skill", "path", "offset"])?;
    let (key, name) = (arguments.text("skill")?, arguments.text("path")?.to_owned());
    let offset = arguments.number("offset")?.unwrap_or(0);
    engine.sync(catalog);
    let skill = catalog.locate(&engine.world(), key, Caller::Model)?;
    skilltree::package::FilePart::read(
        &engine.world(),
        catalog,
        skill,
        &FileRequest { caller: Caller::Model, name, offset },
    )
}

fn run(
    engine: &Engine,
    catalog: &Catalog,
    arguments: &Arguments<'_>,
    stop: &CancelToken,
) -> Result<ScriptOutput, HostError> {
    arguments.only(&["skill", "script", "args"])?;
    let (key, name, args) = (arguments.text("skill")?, arguments.text("script")?, arguments.texts("args")?);
    engine.sync(catalog);
    let skill = catalog.locate(&engine.world(), key, Caller::Model)?;
    let plan = skilltree::loading::ScriptPlan::of(&engine.world(), catalog, skill, name, &args)?;
    let ran = plan.run(&engine.setup.fs, &engine.limits(), stop)?;
    if ran.is_stopped { Err(HostError::Stopped) } else { Ok(ran) }
}

/// The output of a script, and how it ended if it failed.
fn told(engine: &Engine, ran: &ScriptOutput) -> CallToolResult {
    let mut content = vec![ContentBlock::text(String::from_utf8_lossy(&ran.output))];
    if !ran.errors.is_empty() {
        content.push(ContentBlock::text(format!("standard error:\n{}", String::from_utf8_lossy(&ran.errors))));
    }
    let limits = engine.limits();
    if ran.flooded {
        let note = format!("The script printed more than {} bytes and was stopped.", limits.flood_bytes());
        content.push(ContentBlock::text(note));
    } else if ran.is_cut {
        let note = format!("The script printed more than {} bytes; the rest was discarded.", limits.output_bytes);
        content.push(ContentBlock::text(note));
    }
    let is_well = !ran.timed_out && ran.code == 0;
    if ran.timed_out {
        content.push(ContentBlock::text(format!("The script was stopped after {} s.", limits.time.as_secs())));
    } else if !is_well && !ran.flooded {
        content.push(ContentBlock::text(format!("The script failed with exit code {}.", ran.code)));
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
