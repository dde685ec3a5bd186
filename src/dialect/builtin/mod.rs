//! The built-in dialects. People edit the dialect files in this folder, in the format that users' own dialects have; each
//! extends `agentskills`. What programs link are constants: `tables.rs` is written from the files by
//! `UPDATE=1 cargo test --lib tables_are_those_of_the_files`, which also holds the two equal. Without `tables.rs`, or with one that
//! no longer compiles, set `RUSTFLAGS="--cfg skilltree_bootstrap"` too: the tables are then read from the files.

#[cfg(any(test, skilltree_bootstrap))]
pub(super) mod files;
#[cfg(not(skilltree_bootstrap))]
#[rustfmt::skip]
pub(super) mod tables;
