//! The command `state` in dialects with states: shows or changes the states of skills.

use crate::args;
use crate::output::no_skills::no_skills_message;
use crate::output::{findings, style, table, text};
use crate::reply::{Failure, Output, Reply, Screen, document};
use crate::setup::Setup;
use anstyle::Style;
use skilltree::discovery::{FileWrite, StateChange, States, Store};
use skilltree::loading::StateRow;
use skilltree::{Catalog, Code, Diagnostic, Fs, Json, Skill, State, visible};

/// The arguments of `state`.
pub(crate) struct StateArgs {
    pub(crate) key: Option<String>,
    pub(crate) change: Option<args::Change>,
    pub(crate) user_level: bool,
    pub(crate) project_level: bool,
}

/// Shows the states, after changing one if asked to.
pub(crate) fn answer(setup: &Setup, ask: &StateArgs, json: bool, screen: Screen) -> Reply {
    let catalog = skilltree::discover(&setup.world(), &setup.dialect);
    let answered = answered(setup, &catalog, ask, json, screen);
    reply(setup, answered, || known(setup, &catalog), &of_stores(&catalog), json)
}

/// The reply of `state`, with the findings about the files that say what is in force. The JSON document of a failure
/// contains `known`, too, which has these findings itself.
pub(crate) fn reply(
    setup: &Setup,
    answered: Result<Reply, Failure>,
    known: impl FnOnce() -> Json,
    found: &[Diagnostic],
    json: bool,
) -> Reply {
    match answered {
        Ok(reply) if json => reply,
        Ok(reply) => reply.with_stderr(&findings::about(&setup.fs, found)),
        Err(failure) if json => Reply { out: document(&failure.add_to_json(known())), ..failure.reply(true) },
        Err(failure) => failure.reply(false).with_stderr(&findings::about(&setup.fs, found)),
    }
}

/// Adds the findings to a JSON document if there are any.
pub(crate) fn with_findings(setup: &Setup, document: Json, found: &[Diagnostic]) -> Json {
    document.with("findings", (!found.is_empty()).then(|| Diagnostic::all_to_json(&setup.fs, found)))
}

/// The findings about the stores of states.
fn of_stores(catalog: &Catalog) -> Vec<Diagnostic> {
    let is_of_store = |finding: &&Diagnostic| matches!(finding.code, Code::JsonFileCorrupt | Code::StateUnknown);
    catalog.findings().iter().filter(is_of_store).cloned().collect()
}

/// The states of all skills and the findings about their stores, as JSON.
fn known(setup: &Setup, catalog: &Catalog) -> Json {
    with_findings(setup, catalog.states_json(), &of_stores(catalog))
}

fn answered(setup: &Setup, catalog: &Catalog, ask: &StateArgs, json: bool, screen: Screen) -> Result<Reply, Failure> {
    let Some(asked) = &ask.key else {
        let reply = if json { Reply::json(&known(setup, catalog)) } else { all(setup, catalog, screen) };
        return Ok(reply.with_stderr(&no_skills_message(setup, catalog)));
    };
    let change = ask.change.map(|change| chosen(setup, change)).transpose()?;
    let skill =
        catalog.find_any(asked).map_err(|error| Failure::from(error).with_note(no_skills_message(setup, catalog)))?;
    let Some(change) = change else {
        return Ok(if json { Reply::json(&known(setup, catalog)) } else { one(setup, catalog, skill) });
    };
    changed(setup, skill, change, ask.user_level, json)
}

/// The change that a word names; an error for a word of the other dialects.
fn chosen(setup: &Setup, change: args::Change) -> Result<StateChange, Failure> {
    match change {
        args::Change::Next => Ok(StateChange::Next),
        args::Change::Off | args::Change::Disable => Ok(StateChange::To(State::Disabled)),
        args::Change::UserOnly | args::Change::Enable => Ok(StateChange::To(State::Enabled)),
        args::Change::On | args::Change::Full | args::Change::Active => Ok(StateChange::To(State::Active)),
        args::Change::Pinned | args::Change::NameOnly => {
            Err(change.is_not_for(&setup.dialect, &["on", "off", "disable", "enable", "active", "next"]))
        }
    }
}

/// Changes the state and shows the result of a new discovery.
fn changed(setup: &Setup, skill: &Skill, change: StateChange, user_level: bool, json: bool) -> Result<Reply, Failure> {
    let store = if user_level { Store::User } else { Store::Project };
    FileWrite::rewrite::<Failure>(&setup.fs, || {
        Ok(Some(States::set(&setup.world(), &setup.dialect, skill, change, store)?))
    })?;
    let catalog = skilltree::discover(&setup.world(), &setup.dialect);
    let now = catalog.get(&skill.key).ok_or_else(|| gone(setup, &catalog, skill))?;
    let reply = if json { Reply::json(&known(setup, &catalog)) } else { one(setup, &catalog, now) };
    let overruled = States::read(&setup.world(), &setup.dialect).store(&skill.key).filter(|counts| *counts != store);
    Ok(reply.with_stderr(&overruled.map_or_else(String::new, |counts| {
        let note = style::paint(style::NOTE, "note");
        let (key, counts, store) = (visible(&skill.key), counts.as_str(), store.as_str());
        format!(
            "{note}: the state of `{key}` comes from the {counts}'s store, not from the {store}'s store that was \
             changed\n"
        )
    })))
}

/// The failure for a skill that is not found again after its state was changed: it was removed, or cannot be read now.
pub(crate) fn gone(setup: &Setup, catalog: &Catalog, skill: &Skill) -> Failure {
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

fn all(setup: &Setup, catalog: &Catalog, screen: Screen) -> Reply {
    let rows: Vec<Vec<String>> =
        catalog.state_rows(&States::read(&setup.world(), &setup.dialect)).iter().map(row).collect();
    if rows.is_empty() {
        return Reply::new(Output::Exact(String::new()));
    }
    let plain = Style::new();
    let head = ["", "KEY", "STATE", "BY", "DESCRIPTION"];
    let styles = [plain, style::KEY, plain, style::FAINT, plain];
    Reply::new(Output::Styled(table::table(&styles, Some(&head), &rows, screen.width)))
}

fn row(row: &StateRow) -> Vec<String> {
    vec![
        row.state.symbol().to_string(),
        visible(&row.key).into_owned(),
        row.state.as_str().to_owned(),
        row.store.map_or("default", Store::as_str).to_owned(),
        text::folded(&row.description).into_owned(),
    ]
}

fn one(setup: &Setup, catalog: &Catalog, skill: &Skill) -> Reply {
    let rows = catalog.state_rows(&States::read(&setup.world(), &setup.dialect));
    let line = rows.iter().find(|row| row.key == skill.key).map_or_else(String::new, |found| {
        let mut cells = row(found);
        cells.truncate(3);
        format!("{}\n", cells.join(" "))
    });
    Reply::new(Output::Styled(line))
}

#[cfg(test)]
#[path = "../../tests/unit/gone.rs"]
mod tests;
