//! The WASM module: the functions that the library's feature `wasm` exports, linked. There is nothing to start, and
//! elsewhere than on WASM nothing to be had.

#![cfg_attr(target_family = "wasm", no_main)]

extern crate skilltree as _;

#[cfg(not(target_family = "wasm"))]
fn main() {}
