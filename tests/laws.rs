//! Properties that hold for every input, over trees and texts that grow from seeds. A law that fails names its seed.
//! `grow` makes trees, `words` makes texts; each other file holds the laws of one kind of answer.
//! Absent: cases by hand, which stand with the rooms.

use crate::common;
#[path = "laws/finding.rs"]
mod finding;
#[path = "laws/grow.rs"]
mod grow;
#[path = "laws/listing.rs"]
mod listing;
#[cfg(all(feature = "archive", feature = "digest"))]
#[path = "laws/package.rs"]
mod package;
#[path = "laws/paths.rs"]
mod paths;
#[path = "laws/refresh.rs"]
mod refresh;
#[path = "laws/resources.rs"]
mod resources;
#[path = "laws/texts.rs"]
mod texts;
#[path = "laws/words.rs"]
mod words;

use common::{Random, path};
use grow::roots;
use skilltree::{Catalog, Dialect, Fs, Host, Places, World, dialect, discover};
use std::sync::Arc;

/// The seeds of every law begin here.
const FIRST_SEED: u64 = 0x5eed_0001;

/// Names its seed when the law fails.
struct Named(u64);

impl Drop for Named {
    #[allow(clippy::print_stderr, reason = "the seed of a failure is for whoever runs the tests")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the law does not hold for the seed {:#x}", self.0);
        }
    }
}

/// Holds a law for so many seeds.
fn hold(times: u64, law: impl Fn(&mut Random)) {
    for seed in FIRST_SEED..FIRST_SEED + times {
        let _named = Named(seed);
        law(&mut Random(seed));
    }
}

/// Every dialect that there is.
fn dialects() -> Vec<Arc<Dialect>> {
    skilltree::dialect::NAMES.iter().filter_map(|name| dialect(name)).collect()
}

fn places() -> Places {
    let roots = vec![path("/extra/one"), path("/extra/two")];
    Places { home: Some(path("/home")), project: Some(path("/project")), roots, ..Places::default() }
}

/// Discovers with the usual places, and lets the world be asked.
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
