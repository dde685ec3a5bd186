//! The section of the system prompt: the list of the skills within a budget, or those that a message selects.

mod fit;

use crate::diagnostic::{Code, Diagnostic, Severity};
#[cfg(feature = "author")]
use crate::dialect::PromptRule;
use crate::discovery::catalog::Catalog;
use crate::discovery::order::{compare, lowest};
use crate::discovery::world::World;
use crate::model::skill::{Caller, Skill, State};
use crate::offer::fill::{fill, fill_unescaped};
use crate::offer::search::{SearchIndex, SearchRequest};
use crate::offer::select::{SelectRequest, Selection, Tier, select_by_rule};
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::order::sort_by;
use fit::{FittedList, Form};
#[cfg(feature = "author")]
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// Help for a skill that the prompt does not show completely.
pub(crate) const TOO_LONG_A_LIST: &str = "shorten descriptions, or use a larger budget";

/// The budget of the list, and the message that the prompt is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptRequest {
    /// The most that the list may cost: its characters, or the tokens of its rows in a dialect whose budget is in
    /// tokens. `None` means the dialect's default. It does not limit the texts of skills that a message selects.
    pub budget: Option<usize>,
    /// The size of the context window in tokens, if it is known.
    pub window: Option<usize>,
    /// What the list is for: the message of the user, for example. Dialects that select skills by messages go by it. In the
    /// others the skills that it matches keep their descriptions if not all descriptions fit, and skills that do not fit are
    /// counted by source (rule 11.16). Without words, the order of the list counts.
    pub query: Option<Query>,
}

/// What a list is for: the message of the user, for example. A program that makes none does not link the search.
///
/// ```
/// use skilltree::{PromptRequest, offer::Query};
/// let ask = PromptRequest { query: Some(Query::from("make green tea")), ..PromptRequest::default() };
/// assert_eq!(ask.query.unwrap().as_str(), "make green tea");
/// ```
#[derive(Clone)]
pub struct Query {
    text: String,
    /// The places of the skills that match the text, the best first. A function pointer, so that a program without
    /// queries does not link the search.
    relevant: fn(&Catalog, &[&Skill], &str) -> Vec<usize>,
}

impl Query {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl From<String> for Query {
    fn from(text: String) -> Query {
        Query { text, relevant }
    }
}

impl From<&str> for Query {
    fn from(text: &str) -> Query {
        Query::from(text.to_owned())
    }
}

impl fmt::Debug for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

/// Two queries are equal if their texts are.
impl PartialEq for Query {
    fn eq(&self, other: &Query) -> bool {
        self.text == other.text
    }
}

impl Eq for Query {}

/// The places of the skills that match a request, the best first. A request without words matches all, in the order of the
/// list.
fn relevant(catalog: &Catalog, skills: &[&Skill], query: &str) -> Vec<usize> {
    if !query.contains(char::is_alphanumeric) {
        return (0..skills.len()).collect();
    }
    let places: HashMap<&FsPath, usize> = skills.iter().enumerate().map(|(at, skill)| (&skill.path, at)).collect();
    let ask = SearchRequest { limit: usize::MAX, ..SearchRequest::new(query, Caller::Model) };
    SearchIndex::new(catalog).search(&ask).hits.iter().filter_map(|hit| places.get(&hit.path).copied()).collect()
}

/// The skills that the model sees, including those that it may not call; pinned ones first (rule 11.2), otherwise in the
/// order of the rows.
pub(crate) fn offered(catalog: &Catalog) -> Vec<&Skill> {
    let mut skills: Vec<&Skill> = catalog.skills().iter().filter(|skill| skill.is_listed()).collect();
    if let Some(order) = &catalog.dialect().prompt.order {
        let lowest = lowest(order, catalog.shadowed());
        sort_by(&mut skills, |a, b| compare(order, &lowest, a, b));
    }
    // The sort keeps the order among equals.
    sort_by(&mut skills, |a, b| b.is_pinned().cmp(&a.is_pinned()));
    skills
}

/// The section for the system prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prompt {
    /// The whole section: guidance, list and notice. If there is nothing to show, the dialect's text for that, or empty.
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
    /// How many of these were shortened to fit the budget. The others are longer than the dialect or the settings allow, or
    /// are listed by name only because the user or the settings say so.
    pub shortened_to_fit: usize,
    /// The keys of the skills that did not fit.
    pub left_out: Vec<String>,
    /// What the list costs, in the unit of the budget: its characters, including newlines and tags. In a dialect whose
    /// budget is in tokens, the tokens of its rows with their newlines; or the characters of the rows, if neither the size of the window nor a budget is given.
    pub cost: usize,
    /// The most that the list may cost.
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
    let Some(selection) = selection(world, catalog, ask) else { return listing(world, catalog, ask) };
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

/// What the request selects; `None` if the dialect does not select skills by messages, or the request has none.
fn selection(world: &World<'_>, catalog: &Catalog, ask: &PromptRequest) -> Option<Selection> {
    let (rule, query) = catalog.dialect().selection.as_ref().zip(ask.query.as_ref())?;
    let message = SelectRequest { query: query.as_str().to_owned(), ..SelectRequest::default() };
    Some(select_by_rule(world, catalog, rule, &message))
}

/// The section with the list of all skills.
pub(crate) fn listing(world: &World<'_>, catalog: &Catalog, ask: &PromptRequest) -> Prompt {
    if catalog.settings().is_unlisted {
        return Prompt { note: note(catalog), ..Prompt::default() };
    }
    let rule = &catalog.dialect().prompt;
    let mut fitted = FittedList::new(world, catalog, ask);
    let shown = Vec::with_capacity(fitted.skills.len());
    let (cost, budget, note) = (fitted.cost, fitted.budget, note(catalog));
    let mut prompt = Prompt { budget, cost, list: std::mem::take(&mut fitted.text), note, shown, ..Prompt::default() };
    for (skill, form) in fitted.skills.iter().zip(&fitted.forms) {
        match form {
            Form::LeftOut => {
                prompt.left_out.push(skill.key.clone());
                let message = format!("the skill `{}` did not fit into the prompt", visible(&skill.key));
                let finding = Diagnostic::new(Severity::Warning, Code::LeftOut, skill.path.clone(), message);
                prompt.findings.push(finding.help(TOO_LONG_A_LIST));
                continue;
            }
            Form::Name | Form::Cut(_) => prompt.shortened_to_fit += usize::from(!skill.is_name_only()),
            Form::Whole => {}
        }
        prompt.shown.push(skill.key.clone());
        if fitted.is_shortened(skill, form) {
            prompt.shortened.push(skill.key.clone());
        }
    }
    if !prompt.shown.is_empty() {
        prompt.guidance = rule.guidance.to_string();
    } else if !catalog.settings().refuses_all() {
        // Where the settings refuse all skills to the model, the client says nothing about skills.
        prompt.text = rule.empty.to_string();
    }
    let is_counted = fitted.notice.is_some();
    if let Some(notice) = fitted.notice {
        prompt.notice = notice;
    } else if !prompt.left_out.is_empty() {
        let (shown, total) = (prompt.shown.len().to_string(), fitted.skills.len().to_string());
        fill(&rule.notice, rule.escape, &[("shown", &shown), ("total", &total)], &mut prompt.notice);
    }
    if !prompt.list.is_empty() {
        let (guidance, list, notice) = (&prompt.guidance, &prompt.list, &prompt.notice);
        let mut text = String::with_capacity(guidance.len() + list.len() + notice.len() + 8);
        let holes = [("guidance", guidance.as_str()), ("list", list), ("notice", notice), ("roots", &fitted.roots)];
        fill_unescaped(&rule.layout, &holes, &mut text);
        // The clients whose layout has no sentence about skills that are left out leave out none.
        if is_counted && !rule.layout.placeholders().any(|hole| hole == "notice") {
            text.push_str("\n\n");
            text.push_str(notice);
        }
        prompt.text = text;
    }
    prompt
}

/// The row of one skill in the list of the prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptRow {
    /// The row, as it is if no budget shortens it.
    pub text: String,
    /// What it costs, in the unit of the budget; see [`Prompt::cost`].
    pub cost: usize,
    /// Whether the cost is in tokens, and not in characters.
    pub in_tokens: bool,
}

impl PromptRow {
    /// What the model sees of a skill in the list of the prompt; empty and free for a skill that it does not see.
    ///
    /// ```
    /// use skilltree::offer::PromptRow;
    /// use skilltree::{FsPath, MemFs, Places, PromptRequest, World, dialect, discover};
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let catalog = discover(&world, &dialect("claude").unwrap());
    /// let row = PromptRow::of(&world, &catalog, &catalog.skills()[0], &PromptRequest::default());
    /// assert_eq!((row.text.as_str(), row.cost), ("- tea: Makes tea.", 18));
    /// ```
    pub fn of(world: &World<'_>, catalog: &Catalog, skill: &Skill, ask: &PromptRequest) -> PromptRow {
        fit::whole_row(world, catalog, skill, ask)
    }
}

/// The SKILL.md files of the skills that the prompt does not show completely. Several skills may have one key.
pub(crate) struct Omissions<'c> {
    pub(crate) left_out: HashSet<&'c FsPath>,
    /// Those whose descriptions are cut or dropped.
    pub(crate) shortened: HashSet<&'c FsPath>,
    /// Those whose descriptions are dropped.
    pub(crate) bare: HashSet<&'c FsPath>,
    /// The keys of the skills that the message selects, if the prompt shows these in place of the list.
    pub(crate) selected: Option<HashSet<String>>,
}

/// Which skills do not fit completely into the prompt.
pub(crate) fn omissions<'c>(world: &World<'_>, catalog: &'c Catalog, ask: &PromptRequest) -> Omissions<'c> {
    let selection = selection(world, catalog, ask).filter(|selection| selection.tier != Tier::Registry);
    let selected = selection.map(|selection| selection.keys.into_iter().collect());
    let (left_out, shortened, bare) = (HashSet::new(), HashSet::new(), HashSet::new());
    let mut omissions = Omissions { left_out, shortened, bare, selected };
    if omissions.selected.is_some() {
        return omissions;
    }
    let list = FittedList::new(world, catalog, ask);
    for (skill, form) in list.skills.iter().zip(&list.forms) {
        match form {
            Form::LeftOut => _ = omissions.left_out.insert(&skill.path),
            Form::Name => _ = omissions.bare.insert(&skill.path),
            Form::Cut(description) if description.is_empty() => _ = omissions.bare.insert(&skill.path),
            Form::Cut(_) | Form::Whole => {}
        }
        if list.is_shortened(skill, form) {
            omissions.shortened.insert(&skill.path);
        }
    }
    omissions
}

/// What the list of the prompt shows of one skill.
#[cfg(feature = "author")]
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedSkill {
    /// Its key.
    pub key: String,
    /// Its SKILL.md, as the dialect shows its path in the list.
    pub path: FsPath,
    /// Its description as the model sees it: cut to the dialect's maximum and to the budget, and escaped. Empty if the skill
    /// is listed by name only.
    pub description: String,
}

#[cfg(feature = "author")]
impl ListedSkill {
    /// The skills that [`prompt()`] lists for the same request, in the order of the list. Those that did not fit are not
    /// among them, and there are none where the host is to say nothing about skills.
    pub fn all(world: &World<'_>, catalog: &Catalog, ask: &PromptRequest) -> Vec<ListedSkill> {
        if catalog.settings().is_unlisted {
            return Vec::new();
        }
        let FittedList { rule, skills, forms, .. } = FittedList::new(world, catalog, ask);
        let listed = skills.into_iter().zip(&forms).filter(|(_, form)| **form != Form::LeftOut);
        let listed = listed.map(|(skill, form)| {
            let description = rule.escape.text(&shown(&rule, skill, form)).into_owned();
            let path = catalog.dialect().listed_path(skill).into_owned();
            ListedSkill { key: skill.key.clone(), path, description }
        });
        listed.collect()
    }
}

/// What the list shows of a skill's description.
#[cfg(feature = "author")]
fn shown<'s>(rule: &PromptRule, skill: &'s Skill, form: &'s Form) -> Cow<'s, str> {
    match form {
        Form::Cut(description) if !skill.is_name_only() => Cow::Borrowed(description.as_str()),
        Form::LeftOut | Form::Name | Form::Cut(_) => Cow::Borrowed(""),
        Form::Whole => fit::described(rule, skill),
    }
}

#[cfg(feature = "author")]
pub(crate) struct Described<'c> {
    pub(crate) skill: &'c Skill,
    /// The description of any length, with the text about when to use the skill.
    pub(crate) whole: Cow<'c, str>,
    /// What the prompt shows of it; empty if the skill did not fit.
    pub(crate) shown: String,
}

#[cfg(feature = "author")]
pub(crate) fn descriptions<'c>(world: &World<'_>, catalog: &'c Catalog, ask: &PromptRequest) -> Vec<Described<'c>> {
    let FittedList { rule, skills, forms, .. } = FittedList::new(world, catalog, ask);
    let described = skills.into_iter().zip(&forms).map(|(skill, form)| Described {
        skill,
        whole: fit::whole_description(&rule, skill),
        shown: shown(&rule, skill, form).into_owned(),
    });
    described.collect()
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
