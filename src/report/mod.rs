//! The JSON of answers, shared by the command line and the modules for JavaScript and Python; that of sessions and receipts, which
//! are read again, is in `record`. Absent values are left out, unless the documented format has null. Paths are absolute, as the host spells them.

#[cfg(feature = "author")]
mod author;
#[cfg(feature = "digest")]
mod digest;
mod list;
#[cfg(feature = "archive")]
mod pack;
#[cfg(feature = "processes")]
mod processes;
#[cfg(feature = "receipts")]
mod receipt;
mod table;

use crate::diagnostic::{Code, Diagnostic, Explanation};
#[cfg(feature = "digest")]
use crate::dialect::ForkAnswer;
use crate::discovery::catalog::Catalog;
use crate::discovery::source::{Presence, SearchedPlace};
use crate::explain::why::Why;
use crate::fs::Fs;
use crate::loading::invoke::Invocation;
use crate::loading::load::Loaded;
use crate::loading::tool::Tool;
use crate::model::error::Error;
use crate::model::skill::Visibility;
use crate::offer::commands::Command;
use crate::offer::list::Prompt;
use crate::offer::select::Selection;
use crate::offer::{Hit, Hits, SearchField};
use crate::package::activate::CopyPlan;
use crate::path::FsPath;
use crate::text::json::{Fields, Json};
use std::collections::BTreeMap;

impl Prompt {
    /// `prompt`. An absent budget is null.
    pub fn to_json(&self) -> Json {
        Fields::default()
            .text("text", &self.text)
            .text("guidance", &self.guidance)
            .text("list", &self.list)
            .texts("shown", &self.shown)
            .texts("shortened", &self.shortened)
            .texts("left_out", &self.left_out)
            .number("cost", self.cost)
            .put("budget", self.budget.map_or(Json::Null, Json::from))
            .some_text("note", Some(self.note.as_str()).filter(|note| !note.is_empty()))
            .done()
    }
}

impl Catalog {
    /// `state`: the state of every skill in use.
    pub fn states_json(&self) -> Json {
        let states = self.skills().iter().map(|skill| (skill.key.as_str(), Json::from(skill.state.as_str())));
        Json::map([("states", Json::map(states))])
    }

    /// `state` in dialects without states of their own: how every skill in use is offered. Of several skills with one key, the
    /// narrowest visibility counts.
    pub fn visibilities_json(&self) -> Json {
        let mut narrowest: BTreeMap<&str, Visibility> = BTreeMap::new();
        for skill in self.skills() {
            let own = skill.visibility();
            narrowest.entry(&skill.key).and_modify(|known| *known = own.max(*known)).or_insert(own);
        }
        let words = self.skills().iter().filter_map(|skill| narrowest.remove_entry(skill.key.as_str()));
        Json::map([("states", Json::map(words.map(|(key, word)| (key, Json::from(word.as_str())))))])
    }
}

impl Selection {
    /// `match`.
    pub fn to_json(&self) -> Json {
        Fields::default().number("tier", self.tier.number()).texts("keys", &self.keys).text("text", &self.text).done()
    }
}

impl Loaded {
    /// `load`. `view` is what a user sees of it, if the dialect has a load tool.
    pub fn to_json(&self, fs: &dyn Fs, view: Option<&str>) -> Json {
        Fields::default()
            .text("key", &self.key)
            .text("text", &self.text)
            .flag("already", self.is_already_loaded)
            .put("dir", path(fs, &self.dir))
            .put("files", Json::list(&self.files, |file| path(fs, file)))
            .texts("children", &self.children)
            .known_texts("tools", self.tools.as_deref())
            .put("findings", Diagnostic::all_to_json(fs, &self.findings))
            .some_text("view", view)
            .done()
    }
}

impl Tool {
    /// `tool`. The schema stands under each of its names.
    pub fn to_json(&self) -> Json {
        let mut fields = Fields::default();
        fields
            .text("name", &self.name)
            .text("description", &self.description)
            .put("input_schema", self.input_schema.clone());
        if let Some(alias) = &self.schema_alias {
            fields.put(alias, self.input_schema.clone());
        }
        fields.done()
    }
}

impl Invocation {
    /// `call`: `ok`, and the invocation or the error. `view` is what a user sees of the call, from
    /// [`Catalog::call_view`].
    pub fn answer_json(fs: &dyn Fs, answer: Result<&Invocation, &Error>, view: Option<&str>) -> Json {
        let mut fields = Fields::default();
        match answer {
            Ok(invocation) => {
                fields.flag("ok", true).all_of(Invocation::line_json(fs, Some(invocation), ""));
                #[cfg(feature = "digest")]
                if let Some(spawned) = invocation.spawned_json() {
                    fields.all_of(spawned);
                }
                &mut fields
            }
            Err(error) => fields.flag("ok", false).put("error", error.to_json()),
        };
        fields.some_text("view", view).done()
    }

    /// `invoke`: the decision, or the line itself where it is an ordinary message.
    pub fn line_json(fs: &dyn Fs, invocation: Option<&Invocation>, line: &str) -> Json {
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
                .put("findings", Diagnostic::all_to_json(fs, &message.findings))
                .some_texts("disallowed_tools", message.disallowed_tools.as_deref())
                .some_text("effort", message.effort.as_deref())
                .filled("also", &message.also),
            Some(Invocation::Fork(fork)) => {
                fields.text("kind", "fork").text("key", &fork.key).text("text", &fork.text);
                fork.add_terms(fs, &mut fields);
                fields
                    .filled("declared", &fork.permissions)
                    .put("findings", Diagnostic::all_to_json(fs, &fork.findings))
            }
            Some(Invocation::Pending(pending)) => fields
                .text("kind", "pending")
                .text("key", &pending.key)
                .texts("commands", &pending.commands)
                .texts("words", &pending.words)
                .flag("trusted", pending.trusted().is_ok())
                .texts("pieces", pending.pieces())
                .put("variables", variables(&pending.variables))
                .put("then", Invocation::line_json(fs, Some(pending.next()), line))
                .some_text("shell", pending.shell.as_deref())
                .filled("requires_env", &pending.requires_env),
        };
        fields.done()
    }
}

#[cfg(feature = "digest")]
impl Invocation {
    /// What the load tool answers to a call whose task a host has yet to start, if it answers at once
    /// (`ForkAnswer::Spawned`): `taskId` and `status`.
    pub fn spawned_json(&self) -> Option<Json> {
        let Invocation::Fork(fork) = self else { return None };
        (fork.answer == ForkAnswer::Spawned).then(|| task_answer(&fork.task_id(), "spawned"))
    }
}

#[cfg(feature = "digest")]
fn task_answer(id: &str, status: &str) -> Json {
    Fields::default().text("taskId", id).text("status", status).done()
}

/// Of a variable that stands twice the last value counts.
fn variables(variables: &[(String, String)]) -> Json {
    Json::map(variables.iter().map(|(name, value)| (name, Json::from(value.as_str()))))
}

impl CopyPlan {
    /// `sync`: what was copied, what stays, what was removed; of a dry run, what would be.
    pub fn copied_json(&self, fs: &dyn Fs, copied: &[String], removed: &[String], found: &[Diagnostic]) -> Json {
        Fields::default()
            .texts("copied", copied)
            .texts("unchanged", &self.unchanged)
            .texts("removed", removed)
            .put("findings", Diagnostic::all_to_json(fs, found))
            .done()
    }
}

impl Command {
    /// `complete`.
    pub fn all_to_json(commands: &[&Command]) -> Json {
        let rows = Json::list(commands, |command| {
            Fields::default()
                .text("name", &command.name)
                .text("key", command.shared_key.as_deref().unwrap_or(&command.key))
                .known("hint", command.hint.as_deref())
                .text("description", &command.description)
                .done()
        });
        Fields::default().put("commands", rows).done()
    }
}

impl Why {
    /// `why`.
    pub fn all_to_json(fs: &dyn Fs, asked: &str, outcomes: &[Why]) -> Json {
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
}

impl Diagnostic {
    /// A list of findings, as under `findings`.
    pub fn all_to_json(fs: &dyn Fs, findings: &[Diagnostic]) -> Json {
        Json::list(findings, |finding| finding.to_json(fs))
    }

    /// One finding.
    pub fn to_json(&self, fs: &dyn Fs) -> Json {
        let fix = self.fix.as_ref().map(|fix| {
            let last = (fix.line < fix.last).then_some(fix.last);
            Fields::default().number("line", fix.line).text("with", &fix.with).some("last", last.map(Json::from)).done()
        });
        Fields::default()
            .text("severity", self.severity.as_str())
            .text("code", self.code.as_str())
            .put("path", path(fs, &self.path))
            .some("line", self.at.map(|at| Json::from(at.line)))
            .some("column", self.at.map(|at| Json::from(at.column)))
            .text("message", &self.message)
            .some_text("help", self.help.as_deref())
            .some("fix", fix)
            .done()
    }
}

impl Error {
    /// An error, as under `error`. Names that are spelled nearly alike and not in the message are in `near`.
    pub fn to_json(&self) -> Json {
        let mut fields = Fields::default();
        fields.text("code", self.code()).text("message", &self.to_string()).filled("near", self.near()).done()
    }
}

fn path(fs: &dyn Fs, path: &FsPath) -> Json {
    Json::from(fs.display(path).into_owned())
}

impl Code {
    /// `explain CODE`: what a code means, with an example. `dialect` and `strict` say by which rules the example is checked.
    pub fn to_json(self) -> Json {
        let explained = Explanation::of(self.explanation());
        Fields::default()
            .text("code", self.as_str())
            .text("severity", self.usual_severity().as_str())
            .text("text", explained.text)
            .some_text("dialect", explained.bad.dialect)
            .some("strict", explained.bad.strict.then_some(Json::Bool(true)))
            .text("bad", &explained.bad.text())
            .text("good", &explained.good.text())
            .done()
    }

    /// `explain`: every code.
    pub fn all_to_json() -> Json {
        Json::map([("codes", Json::list(Code::ALL, |code| code.to_json()))])
    }
}

impl Hits {
    /// `search`: the skills that fit a request, the best first. `marks` are the parts of each description that were looked for:
    /// where each starts and ends, in characters.
    pub fn to_json(&self, fs: &dyn Fs) -> Json {
        let hit = |hit: &Hit| {
            Fields::default()
                .text("key", &hit.key)
                .put("path", path(fs, &hit.path))
                .text("description", &hit.description)
                .put("score", Json::Number(hit.score.to_string()))
                .put("matched", Json::list(&hit.matched, |field: &SearchField| Json::from(field.as_str())))
                .some_text("unused", hit.unused.map(Code::as_str))
                .put("marks", marks(self, &hit.description))
                .done()
        };
        Fields::default().text("query", &self.query).put("hits", Json::list(&self.hits, hit)).done()
    }
}

fn marks(hits: &Hits, text: &str) -> Json {
    let (mut bytes, mut chars) = (0, 0);
    let mut place = |end: usize| {
        chars += text.get(bytes..end).map_or(0, |part| part.chars().count());
        bytes = end;
        Json::from(chars)
    };
    Json::list(&hits.marks(text), |mark| Json::List(vec![place(mark.start), place(mark.end)]))
}

/// A place where skills are looked for, as under `looked` of a list without skills.
fn place(fs: &dyn Fs, place: &SearchedPlace) -> Json {
    let reason = match &place.presence {
        Presence::Unreadable(reason) => Some(reason.as_str()),
        Presence::Exists | Presence::Missing => None,
    };
    Fields::default()
        .text("source", &place.label)
        .put("path", path(fs, &place.path))
        .text("presence", place.presence.as_str())
        .some_text("reason", reason)
        .done()
}
