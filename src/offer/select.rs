//! Selects the skills that a message of the user needs, by their triggers: [`select`] and [`Selection`] (rules 10.1 and
//! 10.3). Which skills were used recently is up to the host, as nothing is stored here.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Dialect, SelectRule};
use crate::discovery::catalog::{Catalog, Trigger};
use crate::discovery::resolve::display_name;
use crate::discovery::world::World;
use crate::fs::FsError;
use crate::model::error::Error;
use crate::model::skill::{Caller, Skill};
use crate::offer::fill::{between, fill};
use crate::offer::list::{Prompt, PromptRequest, listing};
use crate::package::body::read;
use crate::path::FsPath;
use crate::text::escape::{reveal, visible};
use crate::text::order::sort_by;
use crate::text::pattern::PatternError;
use crate::text::phrases::Words;
use std::collections::HashMap;

/// The message of the user, and what the host knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectRequest {
    /// The message of the user.
    pub query: String,
    /// The keys of recently used skills, the latest first.
    pub recent: Vec<String>,
    /// The most skills that are shown in full. `None` means the dialect's default.
    pub max: Option<usize>,
}

/// How much of the skills the model is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Nothing.
    #[default]
    Nothing,
    /// How many there are.
    Breadcrumb,
    /// The list of all skills.
    Registry,
    /// The whole text of the selected skills.
    Documents,
}

impl Tier {
    /// The number of the tier, from 0 to 3.
    pub fn number(self) -> usize {
        self as usize
    }
}

/// What the model is shown for a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// How much the model is shown.
    pub tier: Tier,
    /// The keys of the skills in the text, in its order.
    pub keys: Vec<String>,
    /// The text for the model.
    pub text: String,
    /// The findings from reading the files, and about skills that could not be read or matched.
    pub findings: Vec<Diagnostic>,
    /// Files that the file system has not fetched yet. Select again when it has.
    pub pending: Vec<FsPath>,
}

/// Selects what the model is shown for a message of the user.
///
/// ```
/// use skilltree::{FsPath, MemFs, Places, SelectRequest, World, dialect, discover, select};
/// use skilltree::offer::Tier;
/// let mut fs = MemFs::new();
/// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\ntriggers: {verbs: [brew]}\n---\nBoil water.\n");
/// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
/// let world = World::new(&fs, &places, &());
/// let catalog = discover(&world, &dialect("agent-base").unwrap());
/// let ask = |query: &str| SelectRequest { query: query.to_owned(), ..SelectRequest::default() };
/// assert_eq!(select(&world, &catalog, &ask("Brew a pot")).unwrap().keys, ["tea"]);
/// let breadcrumb = select(&world, &catalog, &ask("good morning")).unwrap();
/// assert_eq!((breadcrumb.tier, breadcrumb.text.as_str()), (Tier::Breadcrumb, "[1 skills available]"));
/// ```
///
/// # Errors
/// Returns [`Error::NotInDialect`] if the dialect does not select skills by messages.
pub fn select(world: &World<'_>, catalog: &Catalog, ask: &SelectRequest) -> Result<Selection, Error> {
    let dialect = catalog.dialect();
    let Some(rule) = &dialect.selection else {
        return Err(Error::NotInDialect { dialect: dialect.name.to_string(), what: "triggers" });
    };
    let mut selection = select_by_rule(world, catalog, rule, ask);
    if selection.tier == Tier::Registry {
        let Prompt { shown, text, findings, .. } = listing(world, catalog, &PromptRequest::default());
        (selection.keys, selection.text) = (shown, text);
        selection.findings.extend(findings);
    }
    Ok(selection)
}

/// Selects skills by a dialect's rule (rule 10.1). The list of [`Tier::Registry`] is left to the caller.
pub(crate) fn select_by_rule(
    world: &World<'_>,
    catalog: &Catalog,
    rule: &SelectRule,
    ask: &SelectRequest,
) -> Selection {
    let count = catalog.skills().iter().filter(|skill| skill.is_for(Caller::Model)).count();
    let mut selection = Selection::default();
    if count == 0 {
        return selection;
    }
    let words = Words::of(&ask.query);
    if let Some(question) = rule.list_questions.iter().find_map(|question| words.ask(question)) {
        // A question for the list may also name a skill, which is then shown instead of the list.
        let query = between(&ask.query, question.into_iter()).join(" ");
        let ask = SelectRequest { query, ..ask.clone() };
        documents(world, catalog, rule, &ask, &mut selection);
        selection.tier = Tier::Registry;
    } else {
        documents(world, catalog, rule, ask, &mut selection);
        selection.tier = if catalog.triggers().has_triggers { Tier::Breadcrumb } else { Tier::Registry };
    }
    if !selection.keys.is_empty() {
        selection.tier = Tier::Documents;
    } else if selection.tier == Tier::Breadcrumb {
        fill(&rule.breadcrumb, catalog.dialect().load.escape, &[("count", &count.to_string())], &mut selection.text);
    }
    selection
}

/// Adds the whole texts of the best matches. A skill that can no longer be read is replaced by the next one.
fn documents(world: &World<'_>, catalog: &Catalog, rule: &SelectRule, ask: &SelectRequest, selection: &mut Selection) {
    let max = ask.max.unwrap_or(rule.max);
    for skill in ranked(catalog, ask, max, &mut selection.findings) {
        if max <= selection.keys.len() {
            break;
        }
        let body = match read(catalog, world, skill) {
            Ok(body) => body,
            Err(Error::Fs(FsError::Pending(path))) => {
                selection.pending.push(path);
                continue;
            }
            Err(error) => {
                let lost = Diagnostic::new(Severity::Warning, Code::Unreadable, skill.path.clone(), error.to_string());
                selection.findings.push(lost.help("run discovery again to see the current skills"));
                continue;
            }
        };
        selection.findings.extend(body.findings);
        if selection.keys.is_empty() {
            selection.text.push_str(&rule.header);
        }
        selection.text.push_str("\n\n");
        let name = display_name(catalog.dialect(), &body.frontmatter, &skill.path);
        let holes = [("name", &*visible(&name)), ("body", body.text.as_str())];
        fill(&rule.document, catalog.dialect().load.escape, &holes, &mut selection.text);
        selection.keys.push(skill.key.clone());
    }
}

/// The skills that match the message, the best first (rule 10.3). Patterns have the lowest rank, so they are tried only
/// if fewer than `max` skills match otherwise.
fn ranked<'c>(catalog: &'c Catalog, ask: &SelectRequest, max: usize, findings: &mut Vec<Diagnostic>) -> Vec<&'c Skill> {
    let triggers = catalog.triggers();
    let mut matched = triggers.by_words(&ask.query);
    if matched.len() < max {
        triggers.by_patterns(&ask.query, &mut |place, found| match found {
            Ok(()) => {
                matched.entry(place).or_insert(Trigger::Pattern);
            }
            // Discovery has reported these already.
            Err(PatternError::Invalid(_) | PatternError::Unsupported) => {}
            Err(error) => {
                let finding = catalog.skills().get(place).map(|skill| pattern_ignored(catalog.dialect(), skill, error));
                findings.extend(finding.filter(|finding| findings.last() != Some(finding)));
            }
        });
    }
    let mut recent: HashMap<String, usize> = HashMap::new();
    for (n, key) in ask.recent.iter().enumerate() {
        recent.entry(reveal(key).into_owned()).or_insert(n);
    }
    let mut ranked: Vec<_> = matched
        .into_iter()
        .filter_map(|(place, trigger)| {
            let skill = catalog.skills().get(place)?;
            let used = recent.get(&skill.key).copied().unwrap_or(usize::MAX);
            Some(((trigger, used, place), skill))
        })
        .collect();
    sort_by(&mut ranked, |(a, _), (b, _)| a.cmp(b));
    ranked.into_iter().map(|(_, skill)| skill).collect()
}

/// The finding for a pattern that cannot be compiled. Discovery checks only the syntax of patterns.
fn pattern_ignored(dialect: &Dialect, skill: &Skill, error: &PatternError) -> Diagnostic {
    let key = visible(&skill.key);
    let a_pattern = format!("a pattern of the skill `{key}` is ignored");
    let (code, message, help) = match error {
        PatternError::OverLimit => {
            let why = "the patterns of all skills together are too many or too large";
            let help = "write keywords instead, or patterns with fewer repetitions and classes";
            (Code::TooManyPatterns, format!("patterns of the skill `{key}` are ignored: {why}"), help)
        }
        PatternError::Unknown(reason) => {
            (Code::PatternInvalid, format!("{a_pattern}: {reason}"), "check the skill to see which one")
        }
        _ => {
            let help = "use fewer repetitions; check the skill to see which one";
            (Code::PatternInvalid, format!("{a_pattern}: it is too large when compiled"), help)
        }
    };
    Diagnostic::new(dialect.severity(code), code, skill.path.clone(), message).help(help)
}
