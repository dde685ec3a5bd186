//! The section of the system prompt: the list of the skills, or those that a message selects.

use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::offer::list::{Prompt, PromptRequest, listing};
use crate::offer::select::{SelectRequest, Tier, select_by_rule};

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
    let selection = select_by_rule(
        world,
        catalog,
        rule,
        &SelectRequest { query: query.as_str().to_owned(), ..SelectRequest::default() },
    );
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
