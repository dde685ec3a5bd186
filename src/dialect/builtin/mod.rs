//! The tables of the built-in dialects, one file for each skill system. A table holds no code: what its values do is
//! decided in the layers above.

mod agent_base;
mod agentskills;
mod claude;
mod daycare;
mod gencode;
mod pegasus;
mod rows;
mod sven;

/// The tables that are written as dialect files: the clients whose rules differ from the specification in single parts.
pub(in crate::dialect) const FILES: &[(&str, &str)] = &[
    ("codex", include_str!("codex.yaml")),
    ("opencode", include_str!("opencode.yaml")),
    ("goose", include_str!("goose.yaml")),
    ("gemini", include_str!("gemini.yaml")),
    ("copilot", include_str!("copilot.yaml")),
    ("cursor", include_str!("cursor.yaml")),
];

pub(in crate::dialect) use agent_base::agent_base;
pub(in crate::dialect) use agentskills::agentskills;
pub(in crate::dialect) use claude::claude;
pub(in crate::dialect) use daycare::daycare;
pub(in crate::dialect) use gencode::gencode;
pub(in crate::dialect) use pegasus::pegasus;
pub(crate) use rows::NEVER_ENTERED;
pub(in crate::dialect) use sven::sven;
