//! The command `state`: shows how skills are offered and what decided it, or changes it. Some dialects have states of their
//! own; in all others, the user's choice is written.

use crate::answer::{Answer, Runner, note_line};
use crate::args::Change;
use crate::completion::keys;
use crate::hints::is_switched_off;
use crate::output::{findings, style, table, text};
use crate::reply::{Failure, Output, Reply, document};
use crate::setup::Setup;
use anstyle::Style;
use clap_complete::engine::ArgValueCompleter;
use skilltree::discovery::{Choices, FileWrite, StateChange, States, Store};
use skilltree::loading::StateRow;
use skilltree::{Catalog, Code, Diagnostic, Fs, Json, Skill, State, Visibility, visible};

// No doc comment here: clap would take it for the text about the command.
#[derive(clap::Args, Debug)]
pub(crate) struct StateArgs {
    /// Key of the skill
    #[arg(allow_hyphen_values = true, add = ArgValueCompleter::new(keys))]
    key: Option<String>,
    /// New state
    #[arg(value_enum)]
    change: Option<Change>,
    /// Change the user's file, for dialects that change the project's by default
    #[arg(long, conflicts_with = "project_level")]
    user_level: bool,
    /// Change the project's file, which only takes name-only, user-only and off
    #[arg(long)]
    project_level: bool,
}

impl Runner<'_> {
    /// Shows the states, after changing one if asked to, with the findings about the files that say what is in force. The
    /// JSON document has these findings itself, also if there is a failure.
    pub(crate) fn state(self, ask: &StateArgs) -> Answer {
        let setup = Setup::new(self.options)?;
        let catalog = self.catalog(&setup);
        let reply = match self.asked_state(&setup, &catalog, ask) {
            Err(failure) if self.json => {
                Reply { out: document(&failure.add_to_json(known(&setup, &catalog))), ..failure.reply(true) }
            }
            answered => answered.unwrap_or_else(|failure| failure.reply(false)),
        };
        // A change may have mended a file.
        let catalog = if ask.change.is_some() && !self.json { self.catalog(&setup) } else { catalog };
        let found = if self.json { String::new() } else { findings::about(&setup.fs, &of_files(&setup, &catalog)) };
        Ok(reply.with_stderr(&found))
    }

    fn asked_state(self, setup: &Setup, catalog: &Catalog, ask: &StateArgs) -> Answer {
        let Some(asked) = &ask.key else {
            let reply = if self.json { Reply::json(&known(setup, catalog)) } else { self.all_states(setup, catalog) };
            return Ok(reply.with_stderr(&setup.missing_skills_note(catalog)));
        };
        // A word of the other dialects is refused before the skill is looked for.
        let own = ask.change.filter(|_| setup.dialect.has_states());
        let own = own.map(|change| state_change(setup, change)).transpose()?;
        let skill = catalog
            .find_any(asked)
            .map_err(|error| Failure::from(error).with_note(setup.missing_skills_note(catalog)))?;
        let reply = match (own, ask.change) {
            (Some(change), _) => self.with_state(setup, skill, change, ask.user_level),
            (None, Some(change)) => self.with_choice(setup, skill, visibility(skill, change), ask.project_level),
            (None, None) => return Ok(self.one_state(setup, catalog, skill)),
        };
        // What is written names a key, which several skills may have.
        let note = match catalog.skills().iter().filter(|other| other.key == skill.key).count() {
            ..=1 => String::new(),
            all => note_line(&format!(
                "the state is kept by the key, so all {all} skills `{}` have it",
                visible(&skill.key)
            )),
        };
        Ok(reply?.with_stderr(&note))
    }

    /// Changes the state and shows the result of a new discovery.
    fn with_state(self, setup: &Setup, skill: &Skill, change: StateChange, user_level: bool) -> Answer {
        let store = if user_level { Store::User } else { Store::Project };
        FileWrite::rewrite::<Failure>(&setup.fs, || {
            Ok(Some(States::set(&setup.world(), &setup.dialect, skill, change, store)?))
        })?;
        let catalog = self.catalog(setup);
        let now = again(&catalog, skill).ok_or_else(|| gone(setup, &catalog, skill))?;
        let reply = self.one_state(setup, &catalog, now);
        if let Some((word, by)) = overruled(setup, now) {
            let key = visible(&now.key);
            return Ok(reply.with_stderr(&note_line(&format!("`{key}` is `{word}`, as decided by: {by}"))));
        }
        let counts = States::read(&setup.world(), &setup.dialect).store(&skill.key);
        // Both are one file where the project is the home directory.
        let file =
            |store| States::set(&setup.world(), &setup.dialect, skill, change, store).ok().map(|write| write.path);
        let Some(counts) = counts.filter(|counts| *counts != store && file(*counts) != file(store)) else {
            return Ok(reply);
        };
        let (key, counts, store) = (visible(&skill.key), counts.as_str(), store.as_str());
        Ok(reply.with_stderr(&note_line(&format!(
            "the state of `{key}` comes from the {counts}'s store, not from the {store}'s store that was changed"
        ))))
    }

    /// Writes the choice and shows the result of a new discovery.
    fn with_choice(self, setup: &Setup, skill: &Skill, choice: Visibility, is_project: bool) -> Answer {
        let store = if is_project { Store::Project } else { Store::User };
        FileWrite::rewrite::<Failure>(&setup.fs, || Ok(Some(Choices::set(&setup.world(), skill, choice, store)?)))?;
        let catalog = self.catalog(setup);
        let now = again(&catalog, skill).ok_or_else(|| gone(setup, &catalog, skill))?;
        let reply = self.one_state(setup, &catalog, now);
        if now.visibility() == choice {
            return Ok(reply);
        }
        let (key, word, by) = (visible(&now.key), now.visibility().as_str(), by(setup, now));
        Ok(reply.with_stderr(&note_line(&format!("`{key}` is `{word}`, as decided by: {by}"))))
    }

    fn all_states(self, setup: &Setup, catalog: &Catalog) -> Reply {
        let plain = Style::new();
        let styles = [plain, style::KEY, plain, style::FAINT, plain];
        let head = ["", "KEY", "STATE", "BY", "DESCRIPTION"];
        let (rows, columns): (Vec<_>, _) = if setup.dialect.has_states() {
            let rows = catalog.state_rows(&States::read(&setup.world(), &setup.dialect));
            (rows.iter().map(|row| state_row(setup, catalog, row)).collect(), 0..)
        } else {
            // The symbols in the first column are those of the dialect's own states.
            (catalog.skills().iter().map(|skill| choice_row(setup, skill)).collect(), 1..)
        };
        if rows.is_empty() {
            return Reply::new(Output::Exact(String::new()));
        }
        Reply::new(Output::Styled(table::table(
            &styles[columns.clone()],
            Some(&head[columns]),
            &rows,
            self.screen.width,
        )))
    }

    /// The state of a skill; as JSON, those of all skills, and its own if others have the same key.
    fn one_state(self, setup: &Setup, catalog: &Catalog, skill: &Skill) -> Reply {
        if self.json {
            let is_alone = catalog.skills().iter().all(|other| other.key != skill.key || other.path == skill.path);
            let own = (!is_alone && !setup.dialect.has_states()).then(|| Json::from(skill.visibility().as_str()));
            return Reply::json(&known(setup, catalog).with("state", own));
        }
        let cells = if setup.dialect.has_states() {
            let rows = catalog.state_rows(&States::read(&setup.world(), &setup.dialect));
            rows.iter().find(|row| row.key == skill.key).map(|row| state_row(setup, catalog, row)[..3].join(" "))
        } else {
            Some(choice_row(setup, skill)[..2].join(" "))
        };
        Reply::new(Output::Styled(cells.map_or_else(String::new, |cells| cells + "\n")))
    }
}

/// The findings about the files that say how skills are offered.
fn of_files(setup: &Setup, catalog: &Catalog) -> Vec<Diagnostic> {
    let choices = setup.places.user_choices.iter().chain(&setup.places.project_choices);
    let is_choice = |finding: &Diagnostic| choices.clone().any(|file| finding.path == *file);
    let is_of_file =
        |finding: &&Diagnostic| matches!(finding.code, Code::StoreCorrupt | Code::StateUnknown) || is_choice(finding);
    catalog.findings().iter().filter(is_of_file).cloned().collect()
}

/// How all skills are offered and the findings about the files that say so, as JSON.
fn known(setup: &Setup, catalog: &Catalog) -> Json {
    let states = if setup.dialect.has_states() { catalog.states_json() } else { catalog.visibilities_json() };
    let found = of_files(setup, catalog);
    states.with("findings", (!found.is_empty()).then(|| Diagnostic::all_to_json(&setup.fs, &found)))
}

/// The change that a word names; an error for a word of the other dialects.
fn state_change(setup: &Setup, change: Change) -> Result<StateChange, Failure> {
    match change {
        Change::Next => Ok(StateChange::Next),
        Change::Off | Change::Disable => Ok(StateChange::To(State::Disabled)),
        Change::UserOnly | Change::Enable => Ok(StateChange::To(State::Enabled)),
        Change::On | Change::Full | Change::Active => Ok(StateChange::To(State::Active)),
        Change::Pinned | Change::NameOnly => {
            let known = ["on", "off", "disable", "enable", "active", "next", "full", "user-only"];
            Err(change.is_not_for(&setup.dialect, &known))
        }
    }
}

/// The visibility that a word names. `next` offers the skill to one party less, and after `off` to all again.
fn visibility(skill: &Skill, change: Change) -> Visibility {
    match change {
        Change::On | Change::Full | Change::Active | Change::Enable => Visibility::Full,
        Change::Pinned => Visibility::Pinned,
        Change::NameOnly => Visibility::NameOnly,
        Change::UserOnly => Visibility::UserOnly,
        Change::Off | Change::Disable => Visibility::Off,
        Change::Next => match skill.visibility() {
            Visibility::Pinned | Visibility::Full => Visibility::NameOnly,
            Visibility::NameOnly => Visibility::UserOnly,
            Visibility::UserOnly => Visibility::Off,
            Visibility::Off => Visibility::Full,
        },
    }
}

/// The same skill in a new catalog: several may have its key.
fn again<'c>(catalog: &'c Catalog, skill: &Skill) -> Option<&'c Skill> {
    let same = |now: &&Skill| now.key == skill.key && now.path == skill.path;
    catalog.skills().iter().find(same).or_else(|| catalog.get(&skill.key))
}

/// The failure for a skill that is not found again after its state was changed: it was removed, or cannot be read now.
fn gone(setup: &Setup, catalog: &Catalog, skill: &Skill) -> Failure {
    let key = visible(&skill.key);
    let unread = catalog.findings().iter().find(|one| findings::is_unread(one) && skill.path.starts_with(&one.path));
    match unread {
        None => Failure::negative("gone", format!("the skill `{key}` was removed after its state was changed")),
        Some(unread) => {
            let path = setup.fs.display(&unread.path);
            let why = format!(
                "the state of `{key}` was changed, but the skill cannot be read any more: `{}`: {}",
                visible(&path),
                unread.message
            );
            Failure::error("unread", why)
        }
    }
}

fn state_row(setup: &Setup, catalog: &Catalog, row: &StateRow) -> Vec<String> {
    let by_store = || (row.state.as_str(), row.store.map_or("default", Store::as_str).to_owned());
    let (word, by) = catalog.get(&row.key).and_then(|skill| overruled(setup, skill)).unwrap_or_else(by_store);
    let symbol = if word == Visibility::UserOnly.as_str() { State::Enabled } else { row.state }.symbol();
    [vec![symbol.to_string()], cells(&row.key, word, by, &row.description)].concat()
}

/// How a skill is offered and what decides it, where that is not its state: the policy, an option, or a choice.
fn overruled(setup: &Setup, skill: &Skill) -> Option<(&'static str, String)> {
    let visibility = skill.visibility();
    let is_chosen = skill.decision.as_deref().is_some_and(|it| it.file.is_some() && it.visibility == visibility);
    let (word, is_overruled) = match skill.state {
        State::Active => (visibility.as_str(), is_chosen && visibility != Visibility::Full),
        State::Disabled => (skill.state.as_str(), is_chosen || is_switched_off(&visible(&skill.key))),
        _ => (skill.state.as_str(), false),
    };
    (is_overruled || by_policy(setup, skill).is_some()).then(|| (word, by(setup, skill)))
}

fn choice_row(setup: &Setup, skill: &Skill) -> Vec<String> {
    cells(&skill.key, skill.visibility().as_str(), by(setup, skill), skill.description())
}

fn cells(key: &str, word: &str, by: String, description: &str) -> Vec<String> {
    vec![visible(key).into_owned(), word.to_owned(), by, text::folded(description).into_owned()]
}

/// The line of the policy that blocks a skill.
fn by_policy(setup: &Setup, skill: &Skill) -> Option<String> {
    let breach = setup.machine.gate.as_ref()?.refusal(skill)?;
    Some(format!("{}:{}", visible(&breach.file), breach.line))
}

/// Who decided how a skill is offered: a file and its line, the options, or the skill's own frontmatter.
fn by(setup: &Setup, skill: &Skill) -> String {
    if let Some(policy) = by_policy(setup, skill) {
        return policy;
    }
    let file = skill.decision.as_deref().and_then(|decision| Some((decision.file.as_ref()?, decision.line)));
    let is_own = skill.frontmatter.not_for_model && skill.state != State::Disabled;
    match (file, skill.visibility()) {
        (Some((file, line)), _) if !is_own => {
            let file = visible(&setup.fs.display(file)).into_owned();
            line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"))
        }
        (_, Visibility::Off) if is_switched_off(&visible(&skill.key)) => "--disable".to_owned(),
        (_, Visibility::Full) => "default".to_owned(),
        _ => "frontmatter".to_owned(),
    }
}

#[cfg(test)]
#[path = "../../tests/unit/gone.rs"]
mod tests;
