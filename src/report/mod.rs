//! The JSON of every answer, shared by the binary and the WASM module. Absent values are left out, unless the
//! documented format has null. Paths are absolute, as the host spells them.

#[cfg(feature = "digest")]
mod approve;
#[cfg(feature = "author")]
mod convert;
mod explain;
mod list;
mod matrix;
#[cfg(feature = "author")]
mod new_skill;
#[cfg(feature = "author")]
mod overlap;
mod overview;
#[cfg(feature = "archive")]
mod pack;
#[cfg(feature = "receipts")]
mod receipt;
#[cfg(feature = "processes")]
mod script_output;
mod search;
mod searched_places;
#[cfg(feature = "digest")]
mod serve;
#[cfg(feature = "digest")]
mod session;
mod table;
#[cfg(feature = "processes")]
mod task;
#[cfg(feature = "processes")]
mod toolset;

#[cfg(feature = "digest")]
pub use approve::approval;
#[cfg(feature = "author")]
pub use convert::converted;
pub use explain::{explanation, explanations};
pub use list::{List, list};
pub use matrix::matrix;
#[cfg(feature = "author")]
pub use new_skill::new_skill;
#[cfg(feature = "author")]
pub use overlap::overlap;
pub use overview::{elsewhere, overview};
#[cfg(all(feature = "archive", feature = "host"))]
pub use pack::unpacked;
#[cfg(feature = "archive")]
pub use pack::{not_packed, packed};
#[cfg(feature = "receipts")]
pub use receipt::replayed;
#[cfg(feature = "processes")]
pub use script_output::script_output;
pub use search::hits;
#[cfg(feature = "digest")]
pub use serve::{served_children, served_entry};
#[cfg(feature = "digest")]
pub use session::{reattached, session};
pub use table::dialect;
#[cfg(feature = "processes")]
pub use task::{commands_ran, task, task_result};
#[cfg(feature = "processes")]
pub use toolset::{tool_called, tools};

use crate::diagnostic::{Code, Diagnostic};
#[cfg(feature = "digest")]
use crate::dialect::ForkAnswer;
use crate::discovery::catalog::Catalog;
use crate::explain::why::Why;
use crate::fs::Fs;
use crate::loading::invoke::Invocation;
use crate::loading::load::Loaded;
use crate::loading::tool::Tool;
use crate::model::error::Error;
use crate::offer::commands::Command;
use crate::offer::list::Prompt;
use crate::offer::select::Selection;
use crate::path::FsPath;
use crate::text::json::{Fields, Json};

/// `prompt`. An absent budget is null.
pub fn prompt(prompt: &Prompt) -> Json {
    Fields::default()
        .text("text", &prompt.text)
        .text("guidance", &prompt.guidance)
        .text("list", &prompt.list)
        .texts("shown", &prompt.shown)
        .texts("shortened", &prompt.shortened)
        .texts("left_out", &prompt.left_out)
        .number("cost", prompt.cost)
        .put("budget", prompt.budget.map_or(Json::Null, Json::from))
        .some_text("note", Some(prompt.note.as_str()).filter(|note| !note.is_empty()))
        .done()
}

/// `state`: the state of every skill in use.
pub fn states(catalog: &Catalog) -> Json {
    let states = catalog.skills().iter().map(|skill| (skill.key.as_str(), Json::from(skill.state.as_str())));
    Json::map([("states", Json::map(states))])
}

/// `state` in dialects without states of their own: how every skill in use is offered.
pub fn visibilities(catalog: &Catalog) -> Json {
    let words = catalog.skills().iter().map(|skill| (skill.key.as_str(), Json::from(skill.visibility().as_str())));
    Json::map([("states", Json::map(words))])
}

/// `match`.
pub fn selection(selection: &Selection) -> Json {
    Fields::default()
        .number("tier", selection.tier.number())
        .texts("keys", &selection.keys)
        .text("text", &selection.text)
        .done()
}

/// `load`. `view` is what a user sees of it, if the dialect has a load tool.
pub fn loaded(fs: &dyn Fs, loaded: &Loaded, view: Option<&str>) -> Json {
    Fields::default()
        .text("key", &loaded.key)
        .text("text", &loaded.text)
        .flag("already", loaded.is_already_loaded)
        .put("dir", path(fs, &loaded.dir))
        .put("files", Json::list(&loaded.files, |file| path(fs, file)))
        .texts("children", &loaded.children)
        .known_texts("tools", loaded.tools.as_deref())
        .put("findings", findings(fs, &loaded.findings))
        .some_text("view", view)
        .done()
}

/// `tool`. The schema stands under each of its names.
pub fn tool(tool: &Tool) -> Json {
    let mut fields = Fields::default();
    fields
        .text("name", &tool.name)
        .text("description", &tool.description)
        .put("input_schema", tool.input_schema.clone());
    if let Some(alias) = &tool.schema_alias {
        fields.put(alias, tool.input_schema.clone());
    }
    fields.done()
}

/// `call`: `ok`, and the invocation or the error. `view` is what a user sees of the call, from
/// [`call_view`](crate::loading::call_view).
pub fn called(fs: &dyn Fs, answer: Result<&Invocation, &Error>, view: Option<&str>) -> Json {
    let mut fields = Fields::default();
    match answer {
        Ok(invocation) => {
            fields.flag("ok", true).all_of(self::invocation(fs, Some(invocation), ""));
            #[cfg(feature = "digest")]
            if let Some(spawned) = spawned(invocation) {
                fields.all_of(spawned);
            }
            &mut fields
        }
        Err(error) => fields.flag("ok", false).put("error", self::error(error)),
    };
    fields.some_text("view", view).done()
}

/// What the load tool answers to a call whose task a host has yet to start, if it answers at once
/// ([`ForkAnswer::Spawned`]): `taskId` and `status`.
#[cfg(feature = "digest")]
pub fn spawned(invocation: &Invocation) -> Option<Json> {
    let Invocation::Fork(fork) = invocation else { return None };
    (fork.answer == ForkAnswer::Spawned).then(|| task_answer(&fork.task_id(), "spawned"))
}

/// The `taskId` and `status` of a task.
#[cfg(feature = "digest")]
fn task_answer(id: &str, status: &str) -> Json {
    Fields::default().text("taskId", id).text("status", status).done()
}

/// `invoke`: the decision, or the line itself where it is an ordinary message.
pub fn invocation(fs: &dyn Fs, invocation: Option<&Invocation>, line: &str) -> Json {
    let mut fields = Fields::default();
    match invocation {
        None => fields.text("kind", "message").text("text", line),
        Some(Invocation::Inline(message)) => fields
            .text("kind", "inline")
            .text("key", &message.key)
            .text("text", &message.text)
            .some("already", message.is_already_loaded.then_some(Json::Bool(true)))
            .known_texts("tools", message.tools.as_deref())
            .known("model", message.model.as_deref())
            .put("dir", path(fs, &message.dir))
            .put("findings", findings(fs, &message.findings))
            .some_texts("disallowed_tools", message.disallowed_tools.as_deref())
            .some_text("effort", message.effort.as_deref())
            .filled("also", &message.also),
        Some(Invocation::Fork(fork)) => {
            fields.text("kind", "fork").text("key", &fork.key).text("text", &fork.text);
            fork.add_terms(fs, &mut fields);
            fields.filled("declared", &fork.permissions).put("findings", findings(fs, &fork.findings))
        }
        Some(Invocation::Pending(pending)) => fields
            .text("kind", "pending")
            .text("key", &pending.key)
            .texts("commands", &pending.commands)
            .texts("words", &pending.words)
            .flag("trusted", pending.trusted().is_ok())
            .texts("pieces", pending.pieces())
            .put("variables", variables(&pending.variables))
            .put("then", self::invocation(fs, Some(pending.next()), line))
            .some_text("shell", pending.shell.as_deref())
            .filled("requires_env", &pending.requires_env),
    };
    fields.done()
}

/// Of a variable that stands twice the last value counts.
fn variables(variables: &[(String, String)]) -> Json {
    Json::map(variables.iter().map(|(name, value)| (name, Json::from(value.as_str()))))
}

/// `sync`: what was copied, what stays, what was removed; of a dry run, what would be.
pub fn synced(fs: &dyn Fs, copied: &[String], unchanged: &[String], removed: &[String], found: &[Diagnostic]) -> Json {
    Fields::default()
        .texts("copied", copied)
        .texts("unchanged", unchanged)
        .texts("removed", removed)
        .put("findings", findings(fs, found))
        .done()
}

/// `complete`.
pub fn completions(commands: &[&Command]) -> Json {
    let rows = Json::list(commands, |command| {
        Fields::default()
            .text("name", &command.name)
            .text("key", &command.key)
            .known("hint", command.hint.as_deref())
            .text("description", &command.description)
            .done()
    });
    Fields::default().put("commands", rows).done()
}

/// `why`.
pub fn why(fs: &dyn Fs, asked: &str, outcomes: &[Why]) -> Json {
    let rows = Json::list(outcomes, |why| {
        Fields::default()
            .put("path", path(fs, &why.path))
            .text("outcome", why.outcome.as_str())
            .known("code", why.code.map(Code::as_str))
            .known("rule", why.rule)
            .text("message", &why.message)
            .known("help", why.help.as_deref())
            .done()
    });
    Fields::default().text("asked", asked).put("outcomes", rows).done()
}

/// A list of findings, as under `findings`.
pub fn findings(fs: &dyn Fs, findings: &[Diagnostic]) -> Json {
    Json::list(findings, |finding| self::finding(fs, finding))
}

/// One finding.
pub fn finding(fs: &dyn Fs, finding: &Diagnostic) -> Json {
    let fix = finding.fix.as_ref().map(|fix| {
        let last = (fix.line < fix.last).then_some(fix.last);
        Fields::default().number("line", fix.line).text("with", &fix.with).some("last", last.map(Json::from)).done()
    });
    Fields::default()
        .text("severity", finding.severity.as_str())
        .text("code", finding.code.as_str())
        .put("path", path(fs, &finding.path))
        .some("line", finding.at.map(|at| Json::from(at.line)))
        .some("column", finding.at.map(|at| Json::from(at.column)))
        .text("message", &finding.message)
        .some_text("help", finding.help.as_deref())
        .some("fix", fix)
        .done()
}

/// An error, as under `error`. Names that are spelled nearly alike and not in the message are in `near`.
pub fn error(error: &Error) -> Json {
    let mut fields = Fields::default();
    fields.text("code", error.code()).text("message", &error.to_string()).filled("near", error.near()).done()
}

fn path(fs: &dyn Fs, path: &FsPath) -> Json {
    Json::from(fs.display(path).into_owned())
}
