//! The language server, as an editor speaks to it: over pipes, with the real binary.
#![cfg(all(feature = "lsp", not(target_family = "wasm")))]

#[path = "lsp/client.rs"]
mod client;
#[path = "lsp/edits.rs"]
mod edits;
#[path = "lsp/features.rs"]
mod features;
#[path = "lsp/hostile.rs"]
mod hostile;
#[path = "lsp/session.rs"]
mod session;
