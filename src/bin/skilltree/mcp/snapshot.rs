//! In: a catalog. Out: everything that a client can list of it, made once, so that what is listed and what is then
//! asked for are the same. Absent: when it is made anew.

use super::bench::Bench;
use super::engine::Engine;
use super::prompts;
use super::resources::Shelf;
use super::tools::{self, Offer};
use rmcp::model::{Implementation, Prompt, ServerCapabilities, ServerConfig, Tool};
use skilltree::{Catalog, Commands, Diagnostic, PromptAsk};
use std::sync::Arc;

/// What there was at one look.
#[derive(Clone, Default)]
pub(super) struct Snapshot {
    /// None before the first look.
    pub(super) catalog: Option<Catalog>,
    pub(super) commands: Arc<Commands>,
    pub(super) offers: Vec<Offer>,
    pub(super) prompts: Arc<[Prompt]>,
    pub(super) bench: Bench,
    pub(super) shelf: Arc<Shelf>,
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
        let bench = Bench::new(engine, &catalog, &before.bench);
        findings.extend_from_slice(&bench.findings);
        let (offers, unlisted) = tools::offers(engine, &catalog, &bench);
        findings.extend(unlisted);
        let mut instructions = section.text;
        if let Some(hint) = tools::hint(&offers) {
            if !instructions.is_empty() {
                instructions.push_str("\n\n");
            }
            instructions.push_str(hint);
        }
        Snapshot {
            prompts: prompts::prompts(&catalog, &commands).into(),
            shelf: Arc::new(shelf),
            bench,
            catalog: Some(catalog),
            commands: Arc::new(commands),
            offers,
            instructions,
            findings,
        }
    }

    /// The same with the tools that are known by now, and what was noticed about them.
    pub(super) fn with_tools(&self, engine: &Engine) -> (Snapshot, Vec<Diagnostic>) {
        let Some(catalog) = &self.catalog else { return (self.clone(), Vec::new()) };
        let (offers, unlisted) = tools::offers(engine, catalog, &self.bench);
        (Snapshot { offers, ..self.clone() }, unlisted)
    }

    /// The tools, in the order in which they are listed.
    pub(super) fn tools(&self) -> Vec<Tool> {
        self.offers.iter().map(|offer| offer.tool.clone()).collect()
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
