//! The contract of `Fs`, by the suite that users have too: memory as it is written down, and every other file system
//! as memory. What breaks a rule is found, rule by rule.
#![cfg(feature = "contract")]

#[cfg(feature = "archive")]
use crate::raw;

#[path = "fs/broken.rs"]
mod broken;
#[cfg(unix)]
#[path = "fs/on_disk.rs"]
mod on_disk;

use pretty_assertions::assert_eq;
use skilltree::fs::contract::{Holds, Item};
use skilltree::fs::{Action, CachedFs, EmbeddedFs, Entry, FileKind, FilePrefix, FsCall, OverlayFs, Step, Walk};
use skilltree::{Fs, FsError, FsPath, MemFs};

/// What memory answers, for review.
const WRITTEN: &str = "tests/fs/contract.txt";

const ODD_FILES: Holds = Holds { odd_names: true, ..Holds::FILES };

fn path(text: &str) -> FsPath {
    FsPath::new(text).unwrap()
}

fn in_memory(root: &str, rows: impl Iterator<Item = (&'static str, Item)>) -> MemFs {
    let mut fs = MemFs::new();
    fs.dir(root);
    for (name, item) in rows {
        let at = &format!("{}{name}", root.trim_end_matches('/'));
        match item {
            Item::File(text) => fs.file(at, text),
            Item::Long(len) => fs.file(at, vec![0; len]),
            Item::Dir => fs.dir(at),
            Item::Link(target) if target.starts_with('/') => {
                fs.link(at, &format!("{}{target}", root.trim_end_matches('/')))
            }
            Item::Link(target) => fs.link(at, target),
            Item::Special => fs.other(at),
            Item::Closed => fs.unreadable(at),
            Item::Lossy => {
                let (dir, name) = at.rsplit_once('/').unwrap();
                fs.lossy(dir, name)
            }
        };
    }
    fs
}

#[track_caller]
fn keeps(case: &str, fs: &dyn Fs, root: &str, holds: Holds) {
    assert_eq!(holds.check(fs, &path(root)), Vec::<String>::new(), "{case}");
}

/// Lists, reads and resolves like another file system; the rest is the trait's defaults.
struct Defaults<F>(F);

impl<F: Fs> Fs for Defaults<F> {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.0.list(dir)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.0.read(file, at_most)
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        self.0.canonical(path)
    }
}

/// Only what has to be written.
struct Required<F>(F);

impl<F: Fs> Fs for Required<F> {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.0.list(dir)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.0.read(file, at_most)
    }
}

#[test]
fn memory_answers_as_it_is_written_down() {
    let fs = in_memory("/", Holds::ALL.tree());
    let answers = Holds::ALL.answers(&fs, &FsPath::root());
    let text: String = answers.iter().map(|(ask, answer)| format!("{ask}\n    {answer}\n")).collect();
    let file = crate::common::root().join(WRITTEN);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(file).unwrap_or_default());
    keeps("memory", &fs, "/", Holds::ALL);
}

#[test]
fn the_defaults_keep_it() {
    keeps("defaults", &Defaults(in_memory("/", Holds::ALL.tree())), "/", Holds::ALL);
    for (case, holds) in [("files", Holds::FILES), ("all but links", Holds { links: false, ..Holds::ALL })] {
        keeps(case, &Required(in_memory("/", holds.tree())), "/", holds);
    }
    keeps("below a root", &Defaults(in_memory("/x/y", Holds::ALL.tree())), "/x/y", Holds::ALL);
    keeps("behind pointers", &std::sync::Arc::new(Box::new(in_memory("/", Holds::ALL.tree()))), "/", Holds::ALL);
}

#[test]
fn a_cache_keeps_it() {
    let fs = in_memory("/", Holds::ALL.tree());
    let cached = CachedFs::new(&fs);
    keeps("a cache", &cached, "/", Holds::ALL);
    keeps("a cache that knows all", &cached, "/", Holds::ALL);
    keeps("a cache of a cache", &CachedFs::new(&cached), "/", Holds::ALL);
    let real = path("/skill");
    let view = cached.confined(&real).unwrap();
    assert_eq!(view.read(&path("/skill/out"), 9), Err(FsError::Escapes(path("/skill/out"))));
    assert_eq!(cached.read(&path("/skill/out"), 9).unwrap().bytes, b"secret");
    assert_eq!(view.read(&path("/skill/out"), 9), Err(FsError::Escapes(path("/skill/out"))), "a view knows its own");
}

/// Each question is put to the file system below once, by whatever path and in whatever way it is asked.
#[test]
fn a_cache_asks_once() {
    let mut fs = MemFs::new();
    fs.file("/s/a/SKILL.md", "long enough").file("/s/a/b/x.md", "x").link("/link", "s").link("/s/own", "a/SKILL.md");
    let cached = CachedFs::new(&fs);
    let calls = |call| fs.calls(call);
    let enter = |_: &FsPath, _: usize, entries: &[Entry], steps: &mut Vec<Step>| {
        for (entry, one) in entries.iter().enumerate() {
            let action = if one.kind == FileKind::Dir { Action::Enter } else { Action::Read };
            steps.push(Step { entry, action });
        }
    };
    let walk = |root: &str, prefix_len: u64| {
        let (root, mut seen) = (path(root), Vec::new());
        cached
            .walk(&Walk { root: &root, step: &enter, prefix_len, max_dirs: 99 }, &mut |visit| seen.push(visit.clone()));
        seen.sort_by(|a, b| a.dir.cmp(&b.dir));
        seen
    };
    let first = walk("/s", 4);
    assert_eq!((calls(FsCall::List), calls(FsCall::Read)), (3, 3));
    assert_eq!(walk("/s", 4), first, "a walk from memory gives the same");
    assert_eq!(walk("/link", 4).len(), 3);
    assert_eq!(walk("/s/a", 2).len(), 2);
    assert_eq!(cached.list(&path("/link/a")).unwrap().len(), 2);
    assert_eq!(cached.read(&path("/s/own"), 3).unwrap().bytes, b"lon");
    assert_eq!((calls(FsCall::List), calls(FsCall::Read)), (3, 3), "all of this is known");
    assert_eq!(cached.read(&path("/s/a/SKILL.md"), 99).unwrap().bytes, b"long enough");
    assert_eq!(calls(FsCall::Read), 4, "a longer prefix is read again");
    assert_eq!(cached.read(&path("/link/own"), 999).unwrap().bytes, b"long enough");
    assert_eq!(calls(FsCall::Read), 4, "the whole file is known");
    for _ in 0..2 {
        assert_eq!(cached.metadata(&path("/none")), Ok(None));
        assert_eq!(cached.list(&path("/none")), Err(FsError::NotFound(path("/none"))));
    }
    assert_eq!((calls(FsCall::Metadata), calls(FsCall::List)), (1, 4));
}

/// A file system that has to be asked again.
#[test]
fn a_cache_does_not_remember_that_an_answer_is_pending() {
    let file = path("/s/SKILL.md");
    let mut fs = MemFs::new();
    fs.file("/s/SKILL.md", "x").fault(FsCall::Read, "/s/SKILL.md", FsError::Pending(file.clone()));
    let cached = CachedFs::new(&fs);
    for asked in 1..3 {
        assert_eq!(cached.read(&file, 9), Err(FsError::Pending(file.clone())));
        assert_eq!(fs.calls(FsCall::Read), asked);
    }
}

#[test]
fn an_overlay_keeps_it() {
    let all = || Holds::ALL.tree();
    keeps("one layer", &OverlayFs::new().layer(in_memory("/", all())), "/", Holds::ALL);
    let under = OverlayFs::new().layer(in_memory("/", all())).layer(MemFs::new());
    keeps("under an empty layer", &under, "/", Holds::ALL);
    let over = OverlayFs::new().layer(MemFs::new()).layer(in_memory("/", all()));
    keeps("over an empty layer", &over, "/", Holds::ALL);
    // a link that climbs to the root of its layer does not lead above the layer's place
    let mounted = OverlayFs::new().layer(MemFs::new()).mount(path("/x/y"), in_memory("/", all()));
    keeps("at a place", &mounted, "/x/y", Holds::ALL);
    let twice = OverlayFs::new().layer(in_memory("/", all())).layer(in_memory("/", all()));
    keeps("over itself", &twice, "/", Holds::ALL);
    let nested = OverlayFs::new()
        .layer(MemFs::new())
        .mount(path("/x"), OverlayFs::new().mount(path("/y"), in_memory("/", all())));
    keeps("an overlay in an overlay", &nested, "/x/y", Holds::ALL);
}

#[test]
fn an_overlay_of_halves_keeps_it() {
    // a link leads where its own layer says, and what is closed goes along with what it closes
    let holds = Holds { links: false, closed: false, ..Holds::ALL };
    for (n, odd) in [(2, 0), (2, 1), (3, 0), (5, 2)] {
        let half = |one: bool| holds.tree().filter(move |(name, _)| (name.len() % n == odd) == one);
        let fs = OverlayFs::new().layer(in_memory("/", half(true))).layer(in_memory("/", half(false)));
        keeps(&format!("{odd} of {n}"), &fs, "/", holds);
    }
}

fn embedded(root: &'static str) -> EmbeddedFs {
    let bytes = |item| match item {
        Item::File(text) => text.as_bytes().to_vec(),
        Item::Long(len) => vec![0; len],
        _ => panic!("a file"),
    };
    let rows = ODD_FILES.tree().map(|(name, item)| (&name[1..], &*bytes(item).leak()));
    let mut rows: Vec<(&'static str, &'static [u8])> = rows.collect();
    rows.reverse();
    EmbeddedFs::new(root, rows.leak())
}

#[test]
fn embedded_files_keep_it() {
    keeps("at the root", &embedded("/"), "/", ODD_FILES);
    keeps("below", &embedded("/bundled/skills"), "/bundled/skills", ODD_FILES);
    keeps("in an overlay", &OverlayFs::new().layer(MemFs::new()).layer(embedded("/b")), "/b", ODD_FILES);
    keeps("at a place", &OverlayFs::new().layer(MemFs::new()).mount(path("/m"), embedded("/b")), "/m/b", ODD_FILES);
}

#[cfg(feature = "archive")]
#[test]
fn an_archive_keeps_it() {
    use raw::{build, file};
    let holds = Holds { empty_folders: true, ..Holds::FILES };
    let entry = |(name, item): (&str, Item)| match item {
        Item::File(text) => file(&name[1..], text),
        Item::Long(len) => file(&name[1..], vec![0; len]),
        _ => file(format!("{}/", &name[1..]), "").mode(0o040_755),
    };
    let archive = skilltree::fs::ArchiveFs::new(build(&holds.tree().map(entry).collect::<Vec<_>>())).unwrap();
    assert_eq!(archive.notes(), []);
    keeps("an archive", &archive, "/", holds);
    keeps("at a place", &OverlayFs::new().mount(path("/a.skill"), &archive), "/a.skill", holds);
}
