//! The command `prompt`: the section for the system prompt, and notes about what it does not show.

use crate::command_line::command;
use crate::copies;
use crate::output::findings;
use crate::output::no_skills::no_skills_message;
use crate::output::summary::summary;
use crate::output::text::count;
use crate::receipt::Recording;
use crate::reply::Reply;
use crate::run::{Answer, Runner, note_line};
use skilltree::record::RecordedAnswer;
use skilltree::{Catalog, Code, Diagnostic, Dialect, Error, PromptRequest, State, visible};
use std::sync::Arc;

impl Runner<'_> {
    pub(crate) fn prompt(self, recording: &Recording<'_>, catalog: &Catalog, ask: &PromptRequest) -> Answer {
        let (setup, world) = (recording.setup, recording.world());
        let copied = findings::about(&setup.fs, &copies::before_a_call(setup, catalog));
        let prompt = self.with_session(recording, |session| Ok(session.prompt(&world, catalog, ask)))?;
        recording.note(|| RecordedAnswer::text(prompt.text.clone()));
        // The JSON of a prompt contains no findings, so they are printed to standard error in both forms.
        let (left_out, others): (Vec<_>, Vec<_>) =
            prompt.findings.iter().partition(|finding| finding.code == Code::LeftOut);
        let found: Vec<&Diagnostic> = setup.notes.iter().chain(catalog.findings()).chain(others).collect();
        // Findings that do not affect the answer are not printed.
        let is_lacking = found.iter().any(|one| findings::is_lost(one, &setup.dialect) || findings::is_unread(one));
        let told = if is_lacking { summary(setup, catalog, &found, false) } else { String::new() };
        let err = copied + &no_skills_message(setup, catalog) + &told;
        let left_out = match (left_out.len(), prompt.shown.len()) {
            (0, _) => String::new(),
            (left, shown) => note_line(&format!(
                "{left} of {} {} left out of the prompt to fit its budget: {}; use a larger `--budget` to show more",
                count(left + shown, "skill"),
                is_or_are(left),
                named(&prompt.left_out)
            )),
        };
        let reply = if self.json { Reply::json(&prompt.to_json()) } else { self.text(prompt.text) };
        let note = if prompt.note.is_empty() {
            String::new()
        } else {
            note_line(&(prompt.note.clone() + &activation_hint(catalog)))
        };
        let cut = match (prompt.shortened_to_fit, prompt.shown.len()) {
            (0, _) => String::new(),
            (cut, shown) => note_line(&format!(
                "{cut} of {} {} shortened or left out to fit the budget; use a larger `--budget` to show more",
                count(shown, "description"),
                is_or_are(cut)
            )),
        };
        Ok(reply.with_stderr(&err).with_stderr(&note).with_stderr(&left_out).with_stderr(&cut))
    }
}

/// The dialect with a prompt of names and descriptions alone.
pub(crate) fn with_metadata(dialect: &Dialect) -> Result<Arc<Dialect>, Error> {
    let what = "prompt with metadata only";
    let none = || Error::NotInDialect { dialect: dialect.name().to_owned(), what };
    dialect.with_metadata_prompt().map(Arc::new).ok_or_else(none)
}

/// How many skills a note names.
const MAX_NAMED: usize = 10;

/// The first of these keys, and how many there are besides.
fn named(keys: &[String]) -> String {
    let shown: Vec<String> = keys.iter().take(MAX_NAMED).map(|key| format!("`{}`", visible(key))).collect();
    match keys.len().saturating_sub(MAX_NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The command that activates the first skill that is only enabled; empty if there is none.
fn activation_hint(catalog: &Catalog) -> String {
    let enabled = catalog.skills().iter().find(|skill| skill.state == State::Enabled);
    enabled.map_or_else(String::new, |skill| {
        format!("; {} makes `{}` active", command(&["state"], &[&skill.key, "active"]), visible(&skill.key))
    })
}

fn is_or_are(number: usize) -> &'static str {
    if number == 1 { "is" } else { "are" }
}
