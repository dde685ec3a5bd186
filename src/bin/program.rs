//! The binary `skilltree`: the command line with the feature `cli-core`. On WASM it is the module: the functions that the
//! library exports with the feature `wasm`, linked, with nothing to start. Cargo names the module after the binary, and
//! `skilltree.wasm` is what `skilltree.mjs` loads.

#![cfg_attr(all(target_family = "wasm", not(any(feature = "cli-core", test))), no_main)]

#[cfg(feature = "cli-core")]
#[path = "skilltree/main.rs"]
mod cli;

#[cfg(feature = "cli-core")]
use cli::*;

#[cfg(not(feature = "cli-core"))]
extern crate skilltree as _;

#[cfg(feature = "cli-core")]
fn main() -> std::process::ExitCode {
    cli::main()
}

#[cfg(all(not(feature = "cli-core"), any(test, not(target_family = "wasm"))))]
#[allow(clippy::print_stderr, reason = "a program that can do nothing says so")]
fn main() -> std::process::ExitCode {
    eprintln!("error: this `skilltree` was built without the feature `cli-core`, which is the command line");
    std::process::ExitCode::from(2)
}
