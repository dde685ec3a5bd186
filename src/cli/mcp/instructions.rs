//! The instructions of the server: the section of the system prompt, or as much of it as clients pass on.

use super::find::FIND;
use super::tools;
use skilltree::{Caller, Catalog, Diagnostic, Prompt, PromptRequest, World, prompt};

/// How many characters of instructions clients pass on; some cut them there.
const MAX_CHARS: usize = 2_000;

/// How often a shorter list is tried.
const TRIES: usize = 8;

/// The instructions for a catalog.
#[derive(Clone, Default)]
pub(super) struct Instructions {
    pub(super) text: String,
    /// Whether they mention the tool that searches, as they do not have all skills with whole descriptions.
    pub(super) mention_find: bool,
}

impl Instructions {
    /// The instructions, and the findings about the section of the prompt.
    pub(super) fn new(world: &World<'_>, catalog: &Catalog) -> (Instructions, Vec<Diagnostic>) {
        let section = prompt(world, catalog, &PromptRequest::default());
        let text = with_paragraph(&section.text, tools::hint(catalog).unwrap_or_default());
        let is_whole = section.left_out.is_empty() && section.shortened_to_fit == 0;
        if is_whole && text.chars().count() <= MAX_CHARS {
            return (Instructions { text, mention_find: false }, section.findings);
        }
        let skills = catalog.skills().iter().filter(|skill| skill.is_for(Caller::Model)).count();
        let hint = format!(
            "{}. Before you start a task, call the tool `{FIND}` \
                with a description of it.",
            total(skills)
        );
        let list = |prompt: Prompt| with_paragraph(&prompt.list, &prompt.notice);
        let text = fitted(world, catalog, &hint, &|prompt| prompt.text)
            .or_else(|| fitted(world, catalog, &hint, &list))
            .unwrap_or(hint);
        (Instructions { text, mention_find: true }, section.findings)
    }
}

fn total(skills: usize) -> String {
    match skills {
        1 => "There is 1 skill, which is not described completely here".to_owned(),
        skills => format!("There are {skills} skills, more than are listed here"),
    }
}

/// As much of the section as fits before the hint; `None` if not even its parts besides the list do.
fn fitted(world: &World<'_>, catalog: &Catalog, hint: &str, shown: &dyn Fn(Prompt) -> String) -> Option<String> {
    let mut budget = MAX_CHARS.saturating_sub(hint.chars().count());
    for _ in 0..TRIES {
        let ask = PromptRequest { budget: Some(budget), query: Some("".into()), ..PromptRequest::default() };
        let section = prompt(world, catalog, &ask);
        let (listed, cost) = (section.list.chars().count(), section.cost);
        let text = with_paragraph(&shown(section), hint);
        let excess = text.chars().count().saturating_sub(MAX_CHARS);
        if excess == 0 {
            return Some(text);
        }
        // The unit of the cost depends on the dialect.
        budget = cost.saturating_sub((excess * cost).div_ceil(listed.max(1)) + 1);
    }
    None
}

/// Both texts, with an empty line between them if there are both.
fn with_paragraph(text: &str, paragraph: &str) -> String {
    let gap = if text.is_empty() || paragraph.is_empty() { "" } else { "\n\n" };
    format!("{text}{gap}{paragraph}")
}
