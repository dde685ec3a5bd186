//! The command `state` in dialects without states of their own: shows how skills are offered and what decided it, or
//! writes the user's choice.

use crate::args::Change;
use crate::output::no_skills::no_skills_message;
use crate::output::{style, table, text};
use crate::reply::{Failure, Output, Reply, Screen};
use crate::setup::Setup;
use crate::states::{self, StateArgs, gone};
use anstyle::Style;
use skilltree::discovery::{Choices, FileWrite, Store};
use skilltree::{Catalog, Code, Diagnostic, Fs, Json, Skill, State, Visibility, visible};

/// Shows how skills are offered, after changing one if asked to.
pub(crate) fn answer(setup: &Setup, ask: &StateArgs, json: bool, screen: Screen) -> Reply {
    let catalog = skilltree::discover(&setup.world(), &setup.dialect);
    let answered = answered(setup, &catalog, ask, json, screen);
    states::reply(setup, answered, || known(setup, &catalog), &of_files(setup, &catalog), json)
}

/// The findings about files of choices and of settings.
fn of_files(setup: &Setup, catalog: &Catalog) -> Vec<Diagnostic> {
    let is_choice = |finding: &Diagnostic| {
        let places = &setup.places;
        places.user_choices.iter().chain(&places.project_choices).any(|file| finding.path == *file)
            || matches!(finding.code, Code::JsonFileCorrupt | Code::StateUnknown)
    };
    catalog.findings().iter().filter(|finding| is_choice(finding)).cloned().collect()
}

/// How all skills are offered and the findings about the files that say so, as JSON.
fn known(setup: &Setup, catalog: &Catalog) -> Json {
    states::with_findings(setup, catalog.visibilities_json(), &of_files(setup, catalog))
}

fn answered(setup: &Setup, catalog: &Catalog, ask: &StateArgs, json: bool, screen: Screen) -> Result<Reply, Failure> {
    let Some(asked) = &ask.key else {
        let reply = if json { Reply::json(&known(setup, catalog)) } else { all(setup, catalog, screen) };
        return Ok(reply.with_stderr(&no_skills_message(setup, catalog)));
    };
    let skill =
        catalog.find_any(asked).map_err(|error| Failure::from(error).with_note(no_skills_message(setup, catalog)))?;
    match ask.change.map(|change| chosen(skill, change)) {
        None if json => Ok(Reply::json(&known(setup, catalog))),
        None => Ok(one(setup, skill)),
        Some(visibility) => changed(setup, skill, visibility, ask.project_level, json),
    }
}

/// The visibility that a word names. `next` offers the skill to one party less, and after `off` to all again.
fn chosen(skill: &Skill, change: Change) -> Visibility {
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

/// Writes the choice and shows the result of a new discovery.
fn changed(
    setup: &Setup,
    skill: &Skill,
    visibility: Visibility,
    is_project: bool,
    json: bool,
) -> Result<Reply, Failure> {
    let store = if is_project { Store::Project } else { Store::User };
    FileWrite::rewrite::<Failure>(&setup.fs, || Ok(Some(Choices::set(&setup.world(), skill, visibility, store)?)))?;
    let catalog = skilltree::discover(&setup.world(), &setup.dialect);
    let now = catalog.get(&skill.key).ok_or_else(|| gone(setup, &catalog, skill))?;
    let reply = if json { Reply::json(&known(setup, &catalog)) } else { one(setup, now) };
    Ok(reply.with_stderr(&if now.visibility() == visibility { String::new() } else { overruled(setup, now) }))
}

/// Says that something else than the choice decides.
fn overruled(setup: &Setup, skill: &Skill) -> String {
    let (key, word) = (visible(&skill.key), skill.visibility().as_str());
    format!("{}: `{key}` is `{word}`, as decided by: {}\n", style::paint(style::NOTE, "note"), by(setup, skill))
}

fn all(setup: &Setup, catalog: &Catalog, screen: Screen) -> Reply {
    let rows: Vec<Vec<String>> = catalog.skills().iter().map(|skill| row(setup, skill)).collect();
    if rows.is_empty() {
        return Reply::new(Output::Exact(String::new()));
    }
    let plain = Style::new();
    let styles = [style::KEY, plain, style::FAINT, plain];
    let head = ["KEY", "STATE", "BY", "DESCRIPTION"];
    Reply::new(Output::Styled(table::table(&styles, Some(&head), &rows, screen.width)))
}

fn row(setup: &Setup, skill: &Skill) -> Vec<String> {
    vec![
        visible(&skill.key).into_owned(),
        skill.visibility().as_str().to_owned(),
        by(setup, skill),
        text::folded(skill.description()).into_owned(),
    ]
}

fn one(setup: &Setup, skill: &Skill) -> Reply {
    let mut cells = row(setup, skill);
    cells.truncate(2);
    Reply::new(Output::Styled(format!("{}\n", cells.join(" "))))
}

/// Who decided how a skill is offered: a file and its line, the options, or the skill's own frontmatter.
fn by(setup: &Setup, skill: &Skill) -> String {
    let named = |keys: &[String]| keys.iter().any(|key| *key == skill.key || *key == visible(&skill.key));
    let decision = skill.decision.as_deref();
    let file = decision.and_then(|decision| Some((decision.file.as_ref()?, decision.line)));
    let is_own = skill.frontmatter.not_for_model && skill.state != State::Disabled;
    match (file, skill.visibility()) {
        (Some((file, line)), _) if !is_own => {
            let file = visible(&setup.fs.display(file)).into_owned();
            line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"))
        }
        (_, Visibility::Off) if named(&setup.options.disable) => "--disable".to_owned(),
        (_, Visibility::Full) => "default".to_owned(),
        _ => "frontmatter".to_owned(),
    }
}
