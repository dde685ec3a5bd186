//! The law of refreshing: after any sequence of edits, what is remembered is what a fresh discovery finds.

use super::finding::machine;
use super::grow::{Item, Plan, any_tree, roots, skill_file};
use super::{account, dialects, places, with_catalog};
use crate::common::property;
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
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
            let kind = (!entry.is_symlink).then_some(entry.kind);
            (entry.name, kind, entry.is_symlink, entry.is_lossy).hash(&mut names);
        }
        Ok(Some(Metadata { stamp: Some(Stamp([names.finish(), 0, 0, 0, 0])), ..metadata }))
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        self.0.canonical(path)
    }
}

/// One change of a tree: something goes, moves, leads elsewhere, is something else, or says something else, if only
/// in as many bytes.
#[derive(Clone, Debug)]
struct Edit {
    at: Index,
    change: Change,
    /// What a file says after the change.
    file: Item,
    /// Where a symlink leads after the change.
    target: Index,
    /// The one skill that is disabled from now on.
    off: Option<&'static str>,
}

#[derive(Clone, Copy, Debug)]
enum Change {
    Remove,
    Move,
    /// A folder becomes a file, and a file a folder.
    Replace,
    /// A folder becomes a symlink, and a file a folder.
    ReplaceByLink,
    /// A file says something else in as many bytes.
    Letter,
    Rewrite,
}

fn edit() -> impl Strategy<Value = Edit> {
    let change = prop_oneof![
        2 => Just(Change::Remove),
        2 => Just(Change::Move),
        1 => Just(Change::Replace),
        1 => Just(Change::ReplaceByLink),
        2 => Just(Change::Letter),
        4 => Just(Change::Rewrite),
    ];
    let off = prop::option::weighted(1.0 / 3.0, select(&["a", "tea"][..]));
    (any::<Index>(), change, skill_file(), any::<Index>(), off).prop_map(|(at, change, file, target, off)| Edit {
        at,
        change,
        file,
        target,
        off,
    })
}

impl Edit {
    fn apply(self, plan: &mut Plan) {
        let paths: Vec<String> = plan.0.keys().cloned().collect();
        if paths.is_empty() {
            return;
        }
        let at = self.at.get(&paths).clone();
        let below =
            |other: &str| other.strip_prefix(at.as_str()).filter(|rest| rest.starts_with('/')).map(str::to_owned);
        match (self.change, plan.0.get(&at).cloned()) {
            (_, None) => {}
            (Change::Remove, Some(_)) => plan.0.retain(|other, _| *other != at && below(other).is_none()),
            (Change::Move, Some(item)) => {
                let to = format!("{at}-moved");
                let moved = |(path, item): (&String, &Item)| Some((format!("{to}{}", below(path)?), item.clone()));
                let moved: Vec<(String, Item)> = plan.0.iter().filter_map(moved).collect();
                plan.0.retain(|other, _| *other != at && below(other).is_none());
                plan.0.extend(moved);
                plan.0.insert(to, item);
            }
            (Change::Replace | Change::ReplaceByLink, Some(Item::Dir)) => {
                plan.0.retain(|other, _| below(other).is_none());
                let is_link = matches!(self.change, Change::ReplaceByLink);
                plan.0.insert(at, if is_link { Item::Link("nowhere".to_owned()) } else { self.file });
            }
            (Change::Replace | Change::ReplaceByLink, Some(Item::File(_))) => drop(plan.0.insert(at, Item::Dir)),
            (_, Some(Item::Link(_))) => drop(plan.0.insert(at, Item::Link(self.target.get(&paths).clone()))),
            (Change::Letter, Some(Item::File(mut bytes))) => {
                if let Some(letter) = bytes.iter_mut().find(|byte| byte.is_ascii_lowercase()) {
                    letter.make_ascii_uppercase();
                }
                plan.0.insert(at, Item::File(bytes));
            }
            (_, Some(Item::File(_))) => drop(plan.0.insert(at, self.file)),
            (_, Some(Item::Dir)) => drop(plan.0.entry(format!("{at}/SKILL.md")).or_insert(self.file)),
            (_, Some(Item::Fifo)) => {}
        }
    }
}

#[test]
fn a_refresh_is_a_fresh_discovery() {
    let remembered = Cell::new(0);
    property::check("a_refresh_is_a_fresh_discovery", 25, (any_tree(), vec(edit(), 0..=14)), |(tree, edits)| {
        for dialect in dialects() {
            let mut plan = tree.plan(&roots(&dialect));
            let (mut live, mut in_place) =
                (IncrementalDiscovery::new(dialect.clone()), IncrementalDiscovery::new(dialect.clone()));
            let places = places();
            let mut machine = machine();
            let mut fs = plan.tree().mem();
            for edit in edits.iter().cloned().map(Some).chain([None]) {
                fs.reset();
                let refreshed = live.refresh(&World::new(&fs, &places, &machine));
                let reads = fs.calls(FsCall::Read);
                fs.reset();
                let fresh = with_catalog(&fs, &machine, &dialect, |_, catalog| account(catalog));
                let fresh_reads = fs.calls(FsCall::Read);
                assert_eq!(account(&refreshed), fresh, "{}", dialect.name());
                let on_names = InPlace(&fs);
                let refreshed = in_place.refresh(&World::new(&on_names, &places, &machine));
                assert_eq!(account(&refreshed), fresh, "{}: edited in place", dialect.name());
                assert!(reads <= fresh_reads, "{}: no more is read", dialect.name());
                remembered.set(remembered.get() + fresh_reads - reads);
                let Some(edit) = edit else { break };
                if let Some(off) = edit.off {
                    machine.off = BTreeSet::from([off.to_owned()]);
                }
                let before = plan.clone();
                edit.apply(&mut plan);
                plan.change(&before, &mut fs);
            }
        }
        Ok(())
    });
    assert!(remembered.get() > 250, "the memory is used");
}
