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

pub(in crate::dialect) use agent_base::agent_base;
pub(in crate::dialect) use agentskills::agentskills;
pub(in crate::dialect) use claude::claude;
pub(in crate::dialect) use daycare::daycare;
pub(in crate::dialect) use gencode::gencode;
pub(in crate::dialect) use pegasus::pegasus;
pub(in crate::dialect) use sven::sven;
