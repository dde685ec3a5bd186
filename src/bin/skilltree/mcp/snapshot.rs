//! In: a catalog. Out: everything that a client can list of it, made once, so that what is listed and what is then
//! asked for are the same. Absent: when it is made anew.

use super::engine::Engine;
use super::prompts;
use super::resources::Shelf;
use super::tools::{self, Offer};
use rmcp::model::{Implementation, Prompt, ServerCapabilities, ServerConfig, Tool};
use skilltree::{Catalog, Commands, Diagnostic, PromptAsk};

/// What there was at one look.
#[derive(Default)]
pub(super) struct Snapshot {
    /// None before the first look.
    pub(super) catalog: Option<Catalog>,
    pub(super) commands: Commands,
    pub(super) offers: Vec<Offer>,
    pub(super) prompts: Vec<Prompt>,
    pub(super) shelf: Shelf,
    pub(super) instructions: String,
    /// What was noticed.
    pub(super) findings: Vec<Diagnostic>,
}

impl Snapshot {
    pub(super) fn new(engine: &Engine, catalog: Catalog, reserved: &[String], before: &Snapshot) -> Snapshot {
        let world = engine.world();
        let commands = skilltree::commands(&catalog, reserved);
        let section = skilltree::prompt(&world, &catalog, &PromptAsk::default());
        let mut findings = catalog.findings().to_vec();
        findings.extend(section.findings);
        let shelf = Shelf::new(&world, &catalog, &before.shelf);
        findings.extend_from_slice(shelf.findings());
        let offers = tools::offers(engine, &catalog);
        let mut instructions = section.text;
        if let Some(hint) = tools::hint(&offers) {
            if !instructions.is_empty() {
                instructions.push_str("\n\n");
            }
            instructions.push_str(hint);
        }
        Snapshot {
            prompts: prompts::prompts(&catalog, &commands),
            shelf,
            catalog: Some(catalog),
            commands,
            offers,
            instructions,
            findings,
        }
    }

    /// The tools, in the order in which they are listed.
    pub(super) fn tools(&self) -> Vec<&Tool> {
        self.offers.iter().map(|offer| &offer.tool).collect()
    }

    /// What the server says of itself.
    pub(super) fn info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_skills_with_directory_read()
            .build();
        let info = ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("skilltree", env!("CARGO_PKG_VERSION")).with_title("Agent Skills"));
        if self.instructions.is_empty() { info } else { info.with_instructions(self.instructions.as_str()) }
    }
}
