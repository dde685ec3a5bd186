//! The section of the system prompt that lists the skills, within a budget of characters: [`prompt`] and [`Prompt`].

mod fit;
mod rows;

use crate::answers::fill::{fill, fill_unescaped};
use crate::answers::select::{SelectRequest, Tier, select_by_rule};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::discovery::catalog::Catalog;
use crate::model::skill::{Skill, State};
use crate::model::world::World;
use crate::path::FsPath;
use crate::text::escape::visible;
use fit::FittedList;
use std::collections::HashSet;

/// The budget of the list, and the message that the prompt is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptRequest {
    /// The most characters of the list. `None` means the dialect's default.
    pub budget: Option<usize>,
    /// The size of the context window in tokens, if it is known.
    pub window: Option<usize>,
    /// The message of the user, for dialects that select skills by it.
    pub query: Option<String>,
}

/// The section for the system prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prompt {
    /// The whole section: guidance, list and notice. Empty if there is nothing to show.
    pub text: String,
    /// The instructions for using the list.
    pub guidance: String,
    /// The list, with its tags.
    pub list: String,
    /// The sentence about skills that were left out. Empty if none was.
    pub notice: String,
    /// The keys of the listed skills, in the order of the list.
    pub shown: Vec<String>,
    /// The keys of the listed skills whose descriptions were cut or dropped.
    pub shortened: Vec<String>,
    /// The keys of the skills that did not fit.
    pub left_out: Vec<String>,
    /// The number of characters of the list, including newlines and tags.
    pub cost: usize,
    /// The most characters that the list may have.
    pub budget: Option<usize>,
    /// Why nothing is shown although there are skills: none of them is active. Otherwise empty.
    pub note: String,
    /// One finding for each skill that did not fit.
    pub findings: Vec<Diagnostic>,
    /// Files that the file system has not fetched yet. Ask again when it has.
    pub pending: Vec<FsPath>,
}

/// The section of the system prompt for a catalog: the list of its skills, within the budget. If the dialect selects
/// skills by the message of the user and `ask` has one, the selected skills in full.
///
/// ```
/// use skilltree::{FsPath, MemFs, Places, PromptRequest, World, dialect, discover, prompt};
/// let mut fs = MemFs::new();
/// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n");
/// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
/// let world = World::new(&fs, &places, &());
/// let catalog = discover(&world, &dialect("sven").unwrap());
/// let prompt = prompt(&world, &catalog, &PromptRequest::default());
/// assert!(prompt.list.contains("<command>tea</command>"));
/// assert_eq!(prompt.cost, prompt.list.chars().count());
/// ```
pub fn prompt(world: &World<'_>, catalog: &Catalog, ask: &PromptRequest) -> Prompt {
    let (Some(rule), Some(query)) = (&catalog.dialect().selection, &ask.query) else {
        return listing(world, catalog, ask);
    };
    let selection =
        select_by_rule(world, catalog, rule, &SelectRequest { query: query.clone(), ..SelectRequest::default() });
    if selection.tier == Tier::Registry {
        let mut listed = listing(world, catalog, ask);
        let mut findings = selection.findings;
        findings.append(&mut listed.findings);
        return Prompt { findings, pending: selection.pending, ..listed };
    }
    Prompt {
        cost: selection.text.chars().count(),
        list: selection.text.clone(),
        text: selection.text,
        shown: selection.keys,
        findings: selection.findings,
        pending: selection.pending,
        ..Prompt::default()
    }
}

/// The section with the list of all skills.
pub(crate) fn listing(world: &World<'_>, catalog: &Catalog, ask: &PromptRequest) -> Prompt {
    let rule = &catalog.dialect().prompt;
    let FittedList { skills, lines, fitting, budget } = FittedList::new(world, catalog, ask);
    let key = |at: &usize| skills.get(*at).map(|skill| skill.key.clone());
    let mut prompt = Prompt {
        budget,
        cost: lines.cost.saturating_sub(1),
        list: lines.text,
        shown: fitting.shown.iter().filter_map(key).collect(),
        shortened: fitting.shortened.iter().filter_map(key).collect(),
        left_out: fitting.left_out.iter().filter_map(key).collect(),
        note: note(catalog),
        ..Prompt::default()
    };
    for at in &fitting.left_out {
        prompt.findings.extend(skills.get(*at).map(|skill| left_out_finding(skill)));
    }
    if !prompt.shown.is_empty() {
        prompt.guidance = rule.guidance.to_string();
    }
    if !prompt.left_out.is_empty() {
        let (shown, total) = (prompt.shown.len().to_string(), skills.len().to_string());
        fill(&rule.notice, rule.escape, &[("shown", &shown), ("total", &total)], &mut prompt.notice);
    }
    if !prompt.list.is_empty() {
        let (guidance, list, notice) = (&prompt.guidance, &prompt.list, &prompt.notice);
        let mut text = String::with_capacity(guidance.len() + list.len() + notice.len() + 8);
        fill_unescaped(&rule.layout, &[("guidance", guidance), ("list", list), ("notice", notice)], &mut text);
        prompt.text = text;
    }
    prompt
}

/// The keys of the skills that the prompt does not show completely.
pub(crate) struct Omissions<'c> {
    pub(crate) left_out: HashSet<&'c str>,
    /// Those whose descriptions are cut or dropped.
    pub(crate) shortened: HashSet<&'c str>,
}

/// Which skills do not fit completely into the prompt.
pub(crate) fn omissions<'c>(world: &World<'_>, catalog: &'c Catalog, ask: &PromptRequest) -> Omissions<'c> {
    let FittedList { skills, fitting, .. } = FittedList::new(world, catalog, ask);
    let keys = |places: Vec<usize>| {
        let mut keys = HashSet::new();
        places.into_iter().for_each(|at| keys.extend(skills.get(at).map(|skill| skill.key.as_str())));
        keys
    };
    Omissions { left_out: keys(fitting.left_out), shortened: keys(fitting.shortened) }
}

fn left_out_finding(skill: &Skill) -> Diagnostic {
    let message = format!("the skill `{}` did not fit into the prompt", visible(&skill.key));
    Diagnostic::new(Severity::Warning, Code::LeftOut, skill.path.clone(), message)
        .help("shorten descriptions, or use a larger budget")
}

/// Says how many skills are enabled if none is active, for dialects that have states (rule 11.7).
fn note(catalog: &Catalog) -> String {
    let in_state = |state| catalog.skills().iter().filter(|skill| skill.state == state).count();
    match in_state(State::Enabled) {
        enabled if 0 < enabled && catalog.dialect().states.is_some() && in_state(State::Active) == 0 => {
            format!("{enabled} enabled, none active: the model sees no skill until one is active")
        }
        _ => String::new(),
    }
}
