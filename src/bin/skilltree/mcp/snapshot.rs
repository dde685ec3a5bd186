//! In: a catalog. Out: everything that a client can list of it, so that what is listed and what is then asked for are the
//! same. What not every client asks for is made when it is asked for. Absent: when it is made anew.

use super::engine::Engine;
use super::prompts;
use super::resources::ResourceCache;
use super::tools::{self, Offer};
use super::toolset_pool::ToolsetPool;
use rmcp::model::{Implementation, ServerCapabilities, ServerConfig, Tool};
use skilltree::{Catalog, Commands, Diagnostic, PromptRequest};
use std::sync::{Arc, OnceLock};

/// What there was at one look.
#[derive(Clone, Default)]
pub(super) struct Snapshot {
    /// None before the first look.
    pub(super) catalog: Option<Catalog>,
    commands: OnceLock<Arc<Commands>>,
    pub(super) offers: Vec<Offer>,
    pub(super) toolsets: ToolsetPool,
    /// The skills as resources, once a client has asked for them.
    pub(super) resources: OnceLock<Arc<ResourceCache>>,
    instructions: String,
}

impl Snapshot {
    /// What the first answer is made from, and what was noticed.
    pub(super) fn of_catalog(engine: &Engine, catalog: Catalog) -> (Snapshot, Vec<Diagnostic>) {
        let section = skilltree::prompt(&engine.world(), &catalog, &PromptRequest::default());
        let mut instructions = section.text;
        if let Some(hint) = tools::hint(&catalog) {
            if !instructions.is_empty() {
                instructions.push_str("\n\n");
            }
            instructions.push_str(hint);
        }
        let mut findings = catalog.findings().to_vec();
        findings.extend(section.findings);
        (Snapshot { catalog: Some(catalog), instructions, ..Snapshot::default() }, findings)
    }

    /// The same with what all answers are made from, and what more was noticed.
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

    /// The same, made of another catalog in which the same was found.
    pub(super) fn with_catalog(&self, catalog: Catalog) -> Snapshot {
        Snapshot { catalog: Some(catalog), ..self.clone() }
    }

    /// The same with the tools that are known by now, and what was noticed about them.
    pub(super) fn with_tools(&self, engine: &Engine) -> (Snapshot, Vec<Diagnostic>) {
        let Some(catalog) = &self.catalog else { return (self.clone(), Vec::new()) };
        let (offers, unlisted) = tools::offers(engine, catalog, &self.toolsets);
        (Snapshot { offers, ..self.clone() }, unlisted)
    }

    /// The tools, in the order in which they are listed.
    pub(super) fn tools(&self) -> Vec<Tool> {
        self.offers.iter().map(|offer| offer.tool.clone()).collect()
    }

    /// What a user may type.
    pub(super) fn commands(&self, reserved: &[String]) -> &Arc<Commands> {
        self.commands.get_or_init(|| {
            let commands = self.catalog.as_ref().map(|catalog| skilltree::commands(catalog, reserved));
            Arc::new(commands.unwrap_or_default())
        })
    }

    /// Whether the prompts are those of another snapshot.
    pub(super) fn has_prompts_of(&self, other: &Snapshot, reserved: &[String]) -> bool {
        match (&self.catalog, &other.catalog) {
            (Some(own), Some(theirs)) => {
                let (mine, others) = (self.commands(reserved), other.commands(reserved));
                prompts::prompts(own, mine).eq(prompts::prompts(theirs, others))
            }
            (own, theirs) => own.is_none() && theirs.is_none(),
        }
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
