//! Properties that hold for every input, checked for random trees and texts. `grow` has the strategies for trees,
//! `words` those for texts; each other file holds the laws of one kind of answer.

use crate::common;
#[path = "laws/beyond.rs"]
mod beyond;
#[path = "laws/convert.rs"]
mod convert;
#[path = "laws/dialect_file.rs"]
mod dialect_file;
#[path = "laws/finding.rs"]
mod finding;
#[path = "laws/fix.rs"]
mod fix;
#[path = "laws/grow.rs"]
mod grow;
#[path = "laws/lean.rs"]
mod lean;
#[path = "laws/listing.rs"]
mod listing;
#[path = "laws/one_answer.rs"]
mod one_answer;
#[cfg(all(feature = "archive", feature = "digest"))]
#[path = "laws/package.rs"]
mod package;
#[path = "laws/paths.rs"]
mod paths;
#[path = "laws/refresh.rs"]
mod refresh;
#[path = "laws/resources.rs"]
mod resources;
#[path = "laws/round_robin.rs"]
mod round_robin;
#[path = "laws/texts.rs"]
mod texts;
#[path = "laws/words.rs"]
pub(crate) mod words;

use common::path;
use grow::roots;
use skilltree::{Catalog, Dialect, Fs, Host, Places, World, dialect, discover};
use std::sync::Arc;

/// Every dialect that there is.
fn dialects() -> Vec<Arc<Dialect>> {
    skilltree::dialect::NAMES.iter().filter_map(|name| dialect(name)).collect()
}

fn places() -> Places {
    let roots = vec![path("/extra/one"), path("/extra/two")];
    Places { home: Some(path("/home")), project: Some(path("/project")), roots, ..Places::default() }
}

/// Discovers with the usual places, and calls `then` with the world and the catalog.
fn with_catalog<T>(
    fs: &dyn Fs,
    host: &dyn Host,
    dialect: &Arc<Dialect>,
    then: impl FnOnce(&World<'_>, &Catalog) -> T,
) -> T {
    let places = places();
    let world = World::new(fs, &places, host);
    let catalog = discover(&world, dialect);
    then(&world, &catalog)
}

/// All that a catalog holds, as text.
fn account(catalog: &Catalog) -> String {
    let seen: Vec<_> = catalog.seen().map(|seen| (seen.path.clone(), seen.key.map(str::to_owned))).collect();
    format!("{catalog:#?}\n{seen:#?}\n{:#?}", catalog.pending())
}
