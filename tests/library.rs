//! Every test of the library, as one program: sixty programs take three times as long to build.
//! `cargo test --all-features --test library laws::` runs those of one module.

mod common;
#[cfg(feature = "archive")]
#[path = "archive/raw.rs"]
mod raw;

mod activate;
mod approve;
mod architecture;
mod archive;
mod beside;
mod beyond;
mod calls;
mod check;
mod choices;
mod commands;
mod containment;
mod contents;
mod convert;
mod corpus;
mod described;
mod dialect_file;
mod dialects;
mod documents;
mod embedded;
mod explain;
mod facts;
mod file;
mod fix;
mod frameworks;
mod fs;
mod fs_contract;
mod host_shell;
mod host_subagent;
mod host_toolset;
mod host_write;
mod host_writes;
mod hostile;

mod invoke;
mod knowledge;
mod laboratory;
#[cfg(feature = "digest")]
mod large;
mod laws;
mod lean;
mod live;
mod load;
mod manifest;
mod marks;
mod matrix;
mod new_skill;
mod one_tree;
mod overlap;
mod overlay;
mod packages;
mod parts;
mod pinned;
mod places;
mod plugins;
mod prompt;
mod readings;
mod readme;
mod receipt;
mod report;
mod resolve;
mod rules_elsewhere;
mod scan;
mod script;
mod search;
mod select;
mod serve;
mod session;
mod settings;
mod state;
mod strict_yaml;
mod swaps;
mod threats;
mod tool;
mod toolset;
mod touched;
mod transcript;
mod vectors;
mod visibility;
mod wasm;
mod why;
