//! The command `why`.

use crate::answer::{Answer, Runner, note_line};
use crate::hints::{self, with_options};
use crate::output::findings;
use crate::output::no_skills::{self, no_skills_after_search};
use crate::output::style::{FAINT, HEAD, paint};
use crate::output::text::one_line;
use crate::policy::{Breach, Level};
use crate::reply::{Output, Reply, document};
use crate::setup::Setup;
use crate::suggested::command_at;
use skilltree::author::Elsewhere;
use skilltree::dialect::NAMES;
use skilltree::{Catalog, Diagnostic, Fs, Json, Outcome, PromptRequest, Why, dialect, visible};

impl Runner<'_> {
    pub(crate) fn why(self, asked: &str, ask: &PromptRequest) -> Answer {
        let (setup, catalog) = self.discover()?;
        let mut outcomes = outcomes(&setup, &catalog, asked, ask);
        let others = others(&setup, asked, &outcomes);
        let breaches: Vec<Vec<Breach>> = outcomes.iter().map(|one| breaches(&setup, &catalog, one)).collect();
        for (one, breaches) in outcomes.iter_mut().zip(&breaches) {
            hints::complete_why(one, &catalog, &setup);
            // No option switches on what a policy blocks.
            one.help = one.help.take().filter(|_| breaches.iter().all(|breach| breach.level != Level::Block));
        }
        let known = Some(&others).filter(|others| !others.is_empty());
        let json = Why::all_to_json(&setup.fs, asked, &outcomes)
            .with("elsewhere", known.map(|others| Elsewhere::all_to_json(&setup.fs, others)))
            .with("policy", policy_json(&setup, &breaches));
        if outcomes.is_empty() {
            let failure = no_skills::unknown_skill(&setup, &catalog, asked);
            let out = if self.json { document(&failure.add_to_json(json)) } else { Output::Exact(String::new()) };
            let note = known.map(|others| note_line(&in_others(asked, others))).unwrap_or_default();
            let unread = findings::unread(&setup.fs, catalog.findings());
            let reply = Reply { out, ..failure.reply(false) }.with_stderr(&note).with_stderr(&unread);
            return Ok(reply.with_stderr(&no_skills_after_search(&setup, &catalog)));
        }
        if self.json {
            return Ok(Reply::json(&json));
        }
        let mut text = formatted(&setup.fs, &outcomes, &breaches);
        text.extend(known.map(|others| format!("{}\n", in_others(asked, others))));
        Ok(Reply::new(self.screen.messages_output(text)))
    }
}

/// What a file breaches that is a skill.
fn breaches(setup: &Setup, catalog: &Catalog, one: &Why) -> Vec<Breach> {
    let skill = catalog.skills().iter().find(|skill| skill.path == one.path);
    let gate = setup.machine.gate.as_ref();
    gate.zip(skill).map(|(gate, skill)| gate.breaches(skill)).unwrap_or_default()
}

/// What is breached, without repetitions; `None` for nothing.
fn policy_json(setup: &Setup, breaches: &[Vec<Breach>]) -> Option<Json> {
    let mut all: Vec<Json> = Vec::new();
    for json in breaches.iter().flatten().map(|breach| breach.to_json(setup)) {
        if !all.contains(&json) {
            all.push(json);
        }
    }
    (!all.is_empty()).then(|| all.into())
}

/// The outcomes for a name, or for a path relative to the working directory or else to the project.
pub(crate) fn outcomes(setup: &Setup, catalog: &Catalog, asked: &str, ask: &PromptRequest) -> Vec<Why> {
    let here = setup.path(asked).ok();
    let here = here.filter(|path| catalog.get(asked).is_none() && matches!(setup.files().metadata(path), Ok(Some(_))));
    let why = |asked: &str| skilltree::why(&setup.world(), catalog, asked, ask);
    match here {
        Some(here) if is_path(asked) => why(&setup.fs.display(&here)),
        here => {
            let told = why(asked);
            let here = here.filter(|_| told.is_empty());
            let told = here.map_or(told, |here| why(&setup.fs.display(&here)));
            if told.is_empty() { refused(setup, asked) } else { told }
        }
    }
}

/// The answers about entries of archives that are refused, so that they are not among the files.
fn refused(setup: &Setup, asked: &str) -> Vec<Why> {
    let of = |asked: &str| Why::of_findings(&setup.world(), asked, &setup.notes);
    let told = of(asked);
    if !told.is_empty() {
        return told;
    }
    // An entry may be refused because its name separates folders with `\`.
    let has_part =
        |one: &&Diagnostic| one.path.name().contains('\\') && one.path.name().split('\\').any(|part| part == asked);
    let of_part = setup.notes.iter().filter(has_part).flat_map(|one| of(one.path.as_str()));
    let here = setup.path(asked).ok();
    here.map_or(Vec::new(), |here| of(&setup.fs.display(&here))).into_iter().chain(of_part).collect()
}

fn is_path(asked: &str) -> bool {
    asked.starts_with('.') || asked.contains(std::path::is_separator)
}

/// The other built-in dialects in which the skill is in use, if it is in use in none of the ways that the outcomes tell. One that
/// did not fit into the prompt is in use, too: whether it fits in another dialect is not known.
fn others(setup: &Setup, asked: &str, outcomes: &[Why]) -> Vec<Elsewhere> {
    if outcomes.iter().any(|one| matches!(one.outcome, Outcome::InUse | Outcome::LeftOut)) {
        return Vec::new();
    }
    // An outcome may be about a folder that the file lies in, in which others are in use.
    let named = |one: &Why| setup.path(asked).ok().filter(|path| path.starts_with(&one.path));
    let path = outcomes.first().filter(|_| is_path(asked));
    let path = path.map(|one| setup.fs.display(&named(one).unwrap_or_else(|| one.path.clone())).into_owned());
    let asked = path.as_deref().unwrap_or(asked);
    let names = NAMES.iter().filter(|name| **name != setup.dialect.name());
    let mut found = Elsewhere::find(&setup.world(), names.filter_map(|name| dialect(name)), asked);
    // Where a skill is hidden as well, nobody learns more.
    let is_hidden = outcomes.iter().any(|one| one.outcome == Outcome::Hidden);
    found.retain(|one| one.is_for_model || !is_hidden);
    found
}

/// In which other dialects the skill is in use or hidden, and the command that says more.
fn in_others(asked: &str, others: &[Elsewhere]) -> String {
    let (in_use, hidden): (Vec<&Elsewhere>, Vec<_>) = others.iter().partition(|one| one.is_for_model);
    let first = in_use.iter().chain(&hidden).next().map(|one| one.dialect.clone());
    let named = |(what, those): (&str, &[&Elsewhere])| {
        let names: Vec<String> = those.iter().map(|one| format!("`{}`", one.dialect)).collect();
        (!names.is_empty()).then(|| format!("{what} in {}", names.join(", ")))
    };
    let parts: Vec<String> =
        [("in use", &in_use[..]), ("hidden from the model", &hidden)].into_iter().filter_map(named).collect();
    let command = command_at(|options| options.dialect = first, &["why"], &[asked]);
    format!("`{}` is {}: {command}", visible(asked), parts.join(", and "))
}

/// Each outcome with its path, the reason, and advice.
fn formatted(fs: &dyn Fs, outcomes: &[Why], breaches: &[Vec<Breach>]) -> String {
    let mut out = String::new();
    for (one, breaches) in outcomes.iter().zip(breaches) {
        let code = one.code.map(|code| paint(FAINT, &format!(" [{code}]"))).unwrap_or_default();
        let path = fs.display(&one.path);
        out.push_str(&format!("{}: {}{code}\n", visible(&path), paint(HEAD, one.outcome.as_str())));
        out.push_str(&format!("  {}\n", one_line(&one.message)));
        out.extend(breaches.iter().map(|breach| format!("  {}\n", breach.shown())));
        if let Some(help) = &one.help {
            out.push_str(&format!("  help: {}\n", one_line(&with_options(one.code, help))));
        }
    }
    out
}
