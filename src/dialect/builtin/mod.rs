//! The built-in dialects. People edit the dialect files in this folder, in the format that users' own dialects have; each but
//! `agentskills.yaml` extends another, in the end that one. What programs link are constants: `UPDATE=1 cargo tables` writes
//! `tables.rs` from the files, and `cargo tables` compares the two. Without `tables.rs`, or with one that no longer compiles, set
//! `RUSTFLAGS="--cfg skilltree_bootstrap"` too: the tables are then read from the files.

#[cfg(any(test, skilltree_bootstrap))]
pub(super) mod files;
#[cfg(not(skilltree_bootstrap))]
#[rustfmt::skip]
pub(super) mod tables;
