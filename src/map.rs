//! In: keys, and what stands under them. Out: maps and sets. They are the standard library's but in a WASM module, where
//! those would be there once more for every kind of key and value: there all of them are one that keeps places in the
//! order of their keys. Absent: hashes of ours.

#[cfg(any(test, target_family = "wasm"))]
mod order;
#[cfg(any(test, target_family = "wasm"))]
mod ordered;

#[cfg(target_family = "wasm")]
pub(crate) use ordered::{Map as BTreeMap, Map as HashMap, Set as BTreeSet, Set as HashSet};
#[cfg(not(target_family = "wasm"))]
pub(crate) use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
