//! The tables of the skill systems, one file each.

mod agent_base;
mod agentskills;
mod claude;
mod daycare;
mod gencode;
mod pegasus;
mod sven;

pub(in crate::dialect) use agent_base::agent_base;
pub(in crate::dialect) use agentskills::agentskills;
pub(in crate::dialect) use claude::claude;
pub(in crate::dialect) use daycare::daycare;
pub(in crate::dialect) use gencode::gencode;
pub(in crate::dialect) use pegasus::pegasus;
pub(in crate::dialect) use sven::sven;
