//! The law of refreshing: after any sequence of edits, what is remembered is what a fresh discovery finds.

use super::finding::machine;
use super::grow::{Item, Plan, linked, plain, roots};
use super::{account, dialects, hold, places, with_catalog, words};
use crate::common::Random;
use pretty_assertions::assert_eq;
use skilltree::fs::{Entry, FileKind, FilePrefix, FsCall, Metadata, Stamp};
use skilltree::{Fs, FsError, FsPath, IncrementalDiscovery, MemFs, World};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// As on a disk, where the stamp of a folder tells of the names in it and not of what is written into a file.
struct InPlace<'f>(&'f MemFs);

impl Fs for InPlace<'_> {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.0.list(dir)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.0.read(file, at_most)
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        let Some(metadata) = self.0.metadata(path)?.filter(|metadata| metadata.kind == FileKind::Dir) else {
            return self.0.metadata(path);
        };
        let mut names = DefaultHasher::new();
        for entry in self.0.list(path)? {
            // What a link leads to is asked every time.
            let kind = (!entry.link).then_some(entry.kind);
            (entry.name, kind, entry.link, entry.lossy).hash(&mut names);
        }
        Ok(Some(Metadata { stamp: Some(Stamp([names.finish(), 0, 0, 0, 0])), ..metadata }))
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        self.0.canonical(path)
    }
}

/// One change of a tree: something goes, moves, leads elsewhere, is something else, or says something else, if only
/// in as many bytes.
fn edit(random: &mut Random, plan: &mut Plan) {
    let paths: Vec<String> = plan.0.keys().cloned().collect();
    if paths.is_empty() {
        return;
    }
    let at = random.pick(&paths).clone();
    let below = |other: &str| other.strip_prefix(at.as_str()).filter(|rest| rest.starts_with('/')).map(str::to_owned);
    match (random.below(6), plan.0.get(&at).cloned()) {
        (0, Some(Item::Link(_) | Item::Fifo | Item::File(_))) => drop(plan.0.remove(&at)),
        (0, Some(Item::Dir)) => plan.0.retain(|other, _| *other != at && below(other).is_none()),
        (1, Some(item)) => {
            let to = format!("{}-moved", at);
            let moved: Vec<(String, Item)> = plan
                .0
                .iter()
                .filter_map(|(path, item)| Some((format!("{to}{}", below(path)?), item.clone())))
                .collect();
            plan.0.retain(|other, _| *other != at && below(other).is_none());
            plan.0.extend(moved);
            plan.0.insert(to, item);
        }
        (2, Some(Item::Dir)) => {
            plan.0.retain(|other, _| below(other).is_none());
            let text = words::manifest(random).into_bytes();
            plan.0.insert(at, if random.one_in(2) { Item::File(text) } else { Item::Link("nowhere".to_owned()) });
        }
        (2, Some(Item::File(_))) => drop(plan.0.insert(at, Item::Dir)),
        (_, Some(Item::Link(_))) => drop(plan.0.insert(at, Item::Link(random.pick(&paths).clone()))),
        (3, Some(Item::File(mut bytes))) => {
            if let Some(at) = bytes.iter().position(u8::is_ascii_lowercase) {
                bytes[at] = bytes[at].to_ascii_uppercase();
            }
            plan.0.insert(at, Item::File(bytes));
        }
        (_, Some(Item::File(_))) => drop(plan.0.insert(at, Item::File(words::manifest(random).into_bytes()))),
        (_, Some(Item::Dir)) => {
            plan.0.entry(format!("{at}/SKILL.md")).or_insert(Item::File(words::manifest(random).into_bytes()));
        }
        _ => {}
    }
}

#[test]
fn a_refresh_is_a_fresh_discovery() {
    let remembered = Cell::new(0);
    hold(25, |random| {
        for dialect in dialects() {
            // A tree without links may be taken over whole.
            let grow = if random.one_in(2) { plain } else { linked };
            let mut plan = grow(random, &roots(&dialect));
            let (mut live, mut in_place) =
                (IncrementalDiscovery::new(dialect.clone()), IncrementalDiscovery::new(dialect.clone()));
            let places = places();
            let mut machine = machine();
            let mut fs = plan.tree().mem();
            for _ in 0..8 {
                fs.reset();
                let refreshed = live.refresh(&World::new(&fs, &places, &machine));
                let reads = fs.calls(FsCall::Read);
                fs.reset();
                let fresh = with_catalog(&fs, &machine, &dialect, |_, catalog| account(catalog));
                let fresh_reads = fs.calls(FsCall::Read);
                assert_eq!(account(&refreshed), fresh, "{}", dialect.name);
                let on_names = InPlace(&fs);
                let refreshed = in_place.refresh(&World::new(&on_names, &places, &machine));
                assert_eq!(account(&refreshed), fresh, "{}: edited in place", dialect.name);
                assert!(reads <= fresh_reads, "{}: no more is read", dialect.name);
                remembered.set(remembered.get() + fresh_reads - reads);
                let before = plan.clone();
                edit(random, &mut plan);
                plan.change(&before, &mut fs);
                if random.one_in(3) {
                    machine.off = BTreeSet::from([(*random.pick(&["a", "tea"])).to_owned()]);
                }
            }
        }
    });
    assert!(remembered.get() > 1_000, "the memory is used");
}
