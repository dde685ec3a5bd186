//! Every test of the command line, as one program: `cargo test -p skilltree-cli --all-features --test cli mcp::` runs those of
//! one module.

#[cfg(unix)]
mod claude_skills;
#[path = "../common/mod.rs"]
mod common;
mod program;
#[path = "../archive/raw.rs"]
mod raw;

mod action;
mod agent_base;
mod approve;
mod baseline;
#[cfg(unix)]
mod browser;
mod choices;
mod clients;
mod completion;
mod containment;
mod convert;
mod daycare;
mod dialect_file;
mod diff;
mod equal_keys;
mod explain;
mod fix;
mod formats;
mod gencode;
mod general;
mod hidden;
mod host_races;
mod index;
mod invoke_run;
mod lock;
#[cfg(feature = "signatures")]
mod lock_signers;
mod lsp;
mod man;
mod matrix;
mod mcp;
mod mcp_clients;
mod new_skill;
mod nowhere;
mod npm;
mod overlap;
mod overview;
mod pack;
mod page;
mod pegasus;
mod pinned;
mod policy;
mod processes;
mod quiet;
mod random_attacks;
mod readme;
mod receipt;
mod run;
mod runtime_settings;
mod search;
mod session;
mod suggested;
mod tarball;
mod terminal;
mod toolset;
mod verify;
#[cfg(feature = "signatures")]
mod verify_manifests;
mod verify_sarif;
#[cfg(feature = "signatures")]
mod verify_signatures;
mod why;
mod writes;
