//! Everything that a client can list, made from one catalog, so that lists and answers agree. What few clients need
//! is created on demand.

use super::engine::Engine;
use super::instructions::Instructions;
use super::prompts;
use super::resources::ResourceCache;
use super::tools::{self, Offer};
use super::toolset_pool::ToolsetPool;
use rmcp::model::{Implementation, ServerCapabilities, ServerConfig, Tool};
use skilltree::{Catalog, Commands, Diagnostic};
use std::sync::{Arc, OnceLock};

/// The instructions as long as the skills are not known.
const UNLISTED: &str = "The list of skills is not ready yet. The descriptions of the tools say how to use skills.";

/// The result of one discovery.
#[derive(Clone, Default)]
pub(super) struct Snapshot {
    /// `None` before the first discovery and after the server has ended.
    pub(super) catalog: Option<Catalog>,
    commands: OnceLock<Arc<Commands>>,
    pub(super) offers: Vec<Offer>,
    pub(super) toolsets: ToolsetPool,
    /// The skills as resources, once a client has requested them.
    pub(super) resources: OnceLock<Arc<ResourceCache>>,
    instructions: Instructions,
}

impl Snapshot {
    /// The snapshot that the instructions need, and its findings.
    pub(super) fn of_catalog(engine: &Engine, catalog: Catalog) -> (Snapshot, Vec<Diagnostic>) {
        let (instructions, more) = Instructions::new(&engine.world(), &catalog);
        let mut findings = catalog.findings().to_vec();
        findings.extend(more);
        (Snapshot { catalog: Some(catalog), instructions, ..Snapshot::default() }, findings)
    }

    /// Whether the instructions mention the tool that searches.
    pub(super) fn mentions_find(&self) -> bool {
        self.instructions.mention_find
    }

    /// Adds the toolsets and the resources. Returns the findings about them as well.
    pub(super) fn with_toolsets(
        &self,
        engine: &Engine,
        toolsets: ToolsetPool,
        resources: Option<Arc<ResourceCache>>,
    ) -> (Snapshot, Vec<Diagnostic>) {
        let Some(catalog) = &self.catalog else { return (self.clone(), Vec::new()) };
        let (offers, unlisted) = tools::offers(engine, catalog, &toolsets);
        let findings = toolsets.findings.iter().cloned().chain(unlisted).collect();
        let resources = resources.map(OnceLock::from).unwrap_or_default();
        (Snapshot { offers, toolsets, resources, ..self.clone() }, findings)
    }

    /// Replaces the catalog by an equal one.
    pub(super) fn with_catalog(&self, catalog: Catalog) -> Snapshot {
        Snapshot { catalog: Some(catalog), ..self.clone() }
    }

    /// Updates the tools. Returns the findings about them as well.
    pub(super) fn with_tools(&self, engine: &Engine) -> (Snapshot, Vec<Diagnostic>) {
        let Some(catalog) = &self.catalog else { return (self.clone(), Vec::new()) };
        let (offers, unlisted) = tools::offers(engine, catalog, &self.toolsets);
        (Snapshot { offers, ..self.clone() }, unlisted)
    }

    /// The tools, in the order in which they are listed.
    pub(super) fn tools(&self) -> Vec<Tool> {
        self.offers.iter().map(|offer| offer.tool.clone()).collect()
    }

    /// The slash commands.
    pub(super) fn commands(&self, reserved: &[String]) -> &Arc<Commands> {
        self.commands.get_or_init(|| {
            let commands = self.catalog.as_ref().map(|catalog| skilltree::commands(catalog, reserved));
            Arc::new(commands.unwrap_or_default())
        })
    }

    /// Whether both snapshots have the same prompts.
    pub(super) fn has_prompts_of(&self, other: &Snapshot, reserved: &[String]) -> bool {
        match (&self.catalog, &other.catalog) {
            (Some(own), Some(theirs)) => {
                let (mine, others) = (self.commands(reserved), other.commands(reserved));
                prompts::prompts(own, mine).eq(prompts::prompts(theirs, others))
            }
            (own, theirs) => own.is_none() && theirs.is_none(),
        }
    }

    /// The description of the server.
    pub(super) fn info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_skills_with_directory_read()
            .enable_completions()
            .build();
        let info = ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("skilltree", env!("CARGO_PKG_VERSION")).with_title("Agent Skills"));
        match (&self.catalog, self.instructions.text.as_str()) {
            (None, _) => info.with_instructions(UNLISTED),
            (Some(_), "") => info,
            (Some(_), instructions) => info.with_instructions(instructions),
        }
    }
}
