//! A folder that is exchanged for a link to elsewhere after a skill was found: nothing outside is listed or read, at
//! whichever point the exchange comes. After every call to the file system in turn, in memory and on the disk; there
//! also back again after one call more, and by a thread that goes on exchanging while files are read.
#![cfg(all(unix, feature = "archive", feature = "digest"))]

use crate::common;

use common::ground::table;
use common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::fs::{Action, ArchiveFs, EmbeddedFs, Entry, FilePrefix, Metadata, OverlayFs, Step, Visit, Walk};
use skilltree::package::{Contents, FilePart, FileRequest, Packed, Purpose, Served};
use skilltree::{Caller, Catalog, Fs, FsError, FsPath, MemFs, OsFs, Places, World, discover};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What must never come out: it is in every file outside, and in the names of some.
const SECRET: &str = "SECRET";

const SKILL: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";

/// A skill, and a folder outside with files of the same names.
fn tree() -> Tree {
    let inside = [("SKILL.md", SKILL), ("notes.md", "Notes.\n"), ("sub/notes.md", "More.\n"), ("sub/in/a.md", "A.\n")];
    let tree = inside.iter().fold(Tree::default(), |tree, (name, text)| tree.with(&format!("/s/tea/{name}"), *text));
    let tree = tree.with_link("/s/tea/linked.md", "sub/notes.md");
    let tree = inside
        .iter()
        .fold(tree, |tree, (name, text)| tree.with(&format!("/out/tea/{name}"), format!("{text}{SECRET}")));
    let more = ["/out/tea/SECRET.md", "/out/tea/sub/SECRET.md", "/out/tea/sub/in/SECRET.md", "/out/sub/notes.md"];
    more.iter().fold(tree, |tree, name| tree.with(name, SECRET)).with("/out/sub/in/a.md", SECRET)
}

/// The folders that are exchanged, and what for.
const SWAPS: &[(&str, &str)] = &[("/s", "/out"), ("/s/tea", "/out/tea"), ("/s/tea/sub", "/out/sub")];

fn places() -> Places {
    Places { roots: vec![path("/s")], ..Places::default() }
}

/// Everything that hands out what is in a skill's folder, by name.
const CALLS: &[(&str, FsCall)] = &[
    ("file", |world, catalog, _| part(world, catalog, "notes.md")),
    ("file below", |world, catalog, _| part(world, catalog, "sub/in/a.md")),
    ("file by its whole path", |world, catalog, _| part(world, catalog, "/s/tea/sub/notes.md")),
    ("linked file", |world, catalog, _| part(world, catalog, "linked.md")),
    ("own file", |world, catalog, _| part(world, catalog, "SKILL.md")),
    ("served", |world, catalog, _| format!("{:?}", Served::of(world, catalog))),
    ("entries", |world, _, served| format!("{:?}", served.entries(world).0)),
    ("served own file", |world, _, served| read(world, served, "SKILL.md")),
    ("served file", |world, _, served| read(world, served, "notes.md")),
    ("served file below", |world, _, served| read(world, served, "sub/in/a.md")),
    ("served linked file", |world, _, served| read(world, served, "linked.md")),
    ("folder", |world, _, served| format!("{:?}", served.directory(world, "skill://root/tea"))),
    ("folder below", |world, _, served| format!("{:?}", served.directory(world, "skill://root/tea/sub/in"))),
    ("contents to serve", |world, catalog, _| {
        format!("{:?}", Contents::of(world, &catalog.skills()[0], Purpose::Serve))
    }),
    ("contents to approve", |world, catalog, _| format!("{:?}", approvable(world, catalog))),
];

type FsCall = fn(&World<'_>, &Catalog, &Served) -> String;

/// What an approval would be of, without what it says is behind a link to a file outside.
fn approvable(world: &World<'_>, catalog: &Catalog) -> Result<Vec<(String, skilltree::Digest)>, skilltree::Error> {
    let found = Contents::of(world, &catalog.skills()[0], Purpose::Approve)?;
    let is_inside = |target: &Option<FsPath>| target.as_ref().is_none_or(|target| target.starts_with(&path("/s/tea")));
    let files = found.files.into_iter().filter(|file| is_inside(&file.target));
    Ok(files.map(|file| (file.name, file.digest)).collect())
}

/// Everything in a packed skill; nothing where there is none.
fn packed(fs: &dyn Fs) -> String {
    let places = places();
    let Ok(packed) = Packed::of(&World::new(fs, &places, &()), &table("agentskills"), &path("/s/tea")) else {
        return String::new();
    };
    let archive = ArchiveFs::new(packed.bytes).expect("it can be read");
    let files = packed.files.into_iter().map(|packed| {
        let read = archive.read(&path(&format!("/tea/{}", packed.name)), 1_000).expect("it is in there");
        format!("{} {}", packed.name, String::from_utf8(read.bytes).expect("text"))
    });
    files.collect()
}

fn part(world: &World<'_>, catalog: &Catalog, name: &str) -> String {
    let ask = FileRequest { caller: Caller::Model, name: name.to_owned(), offset: 0 };
    format!("{:?}", FilePart::read(world, catalog, &catalog.skills()[0], &ask).map(|part| (part.text, part.bytes)))
}

fn read(world: &World<'_>, served: &Served, name: &str) -> String {
    let read = served.read(world, &format!("skill://root/tea/{name}"), None);
    format!("{:?}", read.map(|read| String::from_utf8(read.bytes)))
}

/// The digest of every file outside, which is as bad as the file to who can guess it, and its length.
fn gives_away(said: &str) -> bool {
    let digests = ["", "Notes.\n", "More.\n", "A.\n", SKILL]
        .map(|text| format!("{:?}", skilltree::Digest::of(format!("{text}{SECRET}").as_bytes())));
    said.contains(SECRET) || digests.iter().any(|digest| said.contains(digest.as_str()))
}

/// Another tree from a certain call on.
struct Exchanged {
    before: MemFs,
    after: MemFs,
    calls: Cell<usize>,
    at: usize,
}

impl Exchanged {
    fn now(&self) -> &MemFs {
        let calls = self.calls.replace(self.calls.get() + 1);
        if calls < self.at { &self.before } else { &self.after }
    }
}

impl Fs for Exchanged {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.now().list(dir)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.now().read(file, at_most)
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.now().metadata(path)
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        self.now().canonical(path)
    }
}

/// The tree with one folder exchanged, in memory.
fn exchanged(swap: (&str, &str)) -> MemFs {
    let (folder, outside) = swap;
    // What is at the link now is the outside; what lies beside it is as it was.
    let rows = ["/s/tea/SKILL.md", "/s/tea/notes.md", "/s/tea/sub/notes.md", "/s/tea/sub/in/a.md"];
    let texts = [SKILL, "Notes.\n", "More.\n", "A.\n"];
    let stays = rows.iter().zip(texts).filter(|(name, _)| !path(name).starts_with(&path(folder)));
    let mut fs = MemFs::new();
    for (name, text) in stays {
        fs.file(name, text);
    }
    for (name, text) in rows.iter().zip(texts) {
        fs.file(&name.replacen("/s/", "/out/", 1), format!("{text}{SECRET}"));
    }
    for name in ["/out/tea/SECRET.md", "/out/tea/sub/in/SECRET.md", "/out/sub/notes.md", "/out/sub/in/a.md"] {
        fs.file(name, SECRET);
    }
    fs.link(folder, outside);
    fs
}

#[test]
fn after_any_call_in_memory() {
    let places = places();
    for swap in SWAPS {
        let (before, after) = (tree().mem(), exchanged(*swap));
        let world = World::new(&before, &places, &());
        let catalog = discover(&world, &table("agentskills"));
        let served = Served::of(&world, &catalog);
        assert_eq!(served.skills.len(), 1);
        for (case, call) in CALLS {
            for at in 0.. {
                let fs = Exchanged { before: tree().mem(), after: exchanged(*swap), calls: Cell::new(0), at };
                let said = call(&World::new(&fs, &places, &()), &catalog, &served);
                assert!(!gives_away(&said), "{case}, {swap:?} after {at} calls: {said}");
                if fs.calls.get() <= at {
                    break;
                }
            }
        }
        drop(after);
    }
}

#[test]
fn after_any_call_of_packing_in_memory() {
    let whole = packed(&tree().mem());
    assert!(whole.contains("Boil water.") && whole.contains("sub/in/a.md"), "{whole}");
    for swap in SWAPS {
        // Before the first call the folder is what its path leads to: that is what the user named.
        for at in 1.. {
            let fs = Exchanged { before: tree().mem(), after: exchanged(*swap), calls: Cell::new(0), at };
            let said = packed(&fs);
            assert!(!gives_away(&said), "{swap:?} after {at} calls: {said}");
            if fs.calls.get() <= at {
                assert_eq!(said, whole);
                break;
            }
        }
    }
}

/// Exchanges a folder on the disk for a link before a certain call, and back before the next where that is wanted.
struct Hook {
    root: PathBuf,
    swap: (&'static str, &'static str),
    at: usize,
    is_back: bool,
    calls: Cell<usize>,
    is_swapped: RefCell<Option<Swapped>>,
}

/// A folder that a link stands in for, until this is dropped.
struct Swapped {
    folder: PathBuf,
    aside: PathBuf,
}

impl Swapped {
    fn new(root: &Path, (folder, outside): (&str, &str)) -> Swapped {
        let (folder, aside) = (root.join(&folder[1..]), root.join("aside"));
        std::fs::rename(&folder, &aside).expect("the folder can be moved");
        std::os::unix::fs::symlink(root.join(&outside[1..]), &folder).expect("a link can be made");
        Swapped { folder, aside }
    }
}

impl Drop for Swapped {
    fn drop(&mut self) {
        let back = std::fs::remove_file(&self.folder).and_then(|()| std::fs::rename(&self.aside, &self.folder));
        back.expect("the folder can be moved back");
    }
}

impl Hook {
    fn tick(&self) {
        let calls = self.calls.replace(self.calls.get() + 1);
        if calls == self.at {
            *self.is_swapped.borrow_mut() = Some(Swapped::new(&self.root, self.swap));
        } else if self.is_back {
            self.is_swapped.borrow_mut().take();
        }
    }
}

/// The disk, or a view of one of its folders, with the hook before every call.
struct Hooked<'f> {
    fs: Box<dyn Fs + 'f>,
    hook: &'f Hook,
}

impl Hooked<'_> {
    fn now(&self) -> &dyn Fs {
        self.hook.tick();
        &*self.fs
    }
}

impl Fs for Hooked<'_> {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.now().list(dir)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.now().read(file, at_most)
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.now().metadata(path)
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        self.now().canonical(path)
    }

    fn read_within(&self, root: &FsPath, rel: &str, at_most: u64) -> Result<FilePrefix, FsError> {
        self.now().read_within(root, rel, at_most)
    }

    fn confined<'f>(&'f self, root: &FsPath) -> Result<Box<dyn Fs + 'f>, FsError> {
        Ok(Box::new(Hooked { fs: self.now().confined(root)?, hook: self.hook }))
    }

    fn walk(&self, ask: &Walk<'_>, out: &mut dyn FnMut(&mut Visit)) {
        self.now().walk(ask, out);
    }

    fn display<'p>(&self, path: &'p FsPath) -> Cow<'p, str> {
        self.fs.display(path)
    }

    fn parse(&self, text: &str, base: &FsPath) -> Option<FsPath> {
        self.fs.parse(text, base)
    }
}

/// Runs a call with the exchange before each of its calls in turn; the call says whether its answer is fine.
fn at_any_call(root: &Path, call: &dyn Fn(&dyn Fs, usize) -> Result<(), String>) {
    for swap in SWAPS {
        for is_back in [false, true] {
            for at in 0.. {
                let is_swapped = RefCell::new(None);
                let hook = Hook { root: root.to_owned(), swap: *swap, at, is_back, calls: Cell::new(0), is_swapped };
                let said = call(&Hooked { fs: Box::new(OsFs::rooted(root)), hook: &hook }, at);
                let calls = hook.calls.get();
                drop(hook);
                assert_eq!(said, Ok(()), "{swap:?} before call {at}, and back: {is_back}");
                if calls <= at {
                    break;
                }
            }
        }
    }
}

#[test]
fn before_any_call_on_the_disk() {
    let places = places();
    let (disk, folder) = tree().disk();
    let world = World::new(&disk, &places, &());
    let catalog = discover(&world, &table("agentskills"));
    let served = Served::of(&world, &catalog);
    for (case, call) in CALLS {
        let before = call(&world, &catalog, &served);
        assert!(!gives_away(&before), "{before}");
        at_any_call(folder.path(), &|fs, _| {
            let said = call(&World::new(fs, &places, &()), &catalog, &served);
            if gives_away(&said) { Err(format!("{case}: {said}")) } else { Ok(()) }
        });
        assert_eq!(call(&world, &catalog, &served), before, "{case}: as before when all is back");
    }
    let whole = packed(&disk);
    at_any_call(folder.path(), &|fs, at| {
        // What the path leads to when it is first looked at is what the user named.
        let said = packed(fs);
        if at != 0 && gives_away(&said) { Err(format!("packed: {said}")) } else { Ok(()) }
    });
    assert_eq!(packed(&disk), whole);
}

#[test]
fn while_a_thread_goes_on_exchanging() {
    const ROUNDS: usize = 2_000;
    let places = places();
    let (disk, folder) = tree().disk();
    let world = World::new(&disk, &places, &());
    let catalog = discover(&world, &table("agentskills"));
    let served = Served::of(&world, &catalog);
    for swap in SWAPS {
        let (rounds, is_done) = (AtomicUsize::new(0), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    drop(Swapped::new(folder.path(), *swap));
                    rounds.fetch_add(1, Ordering::Relaxed);
                }
            });
            let mut said = Ok(());
            while said.is_ok() && rounds.load(Ordering::Relaxed) < ROUNDS {
                let mut calls = CALLS.iter().map(|(case, call)| (case, call(&world, &catalog, &served)));
                said = calls.try_for_each(|(case, said)| if gives_away(&said) { Err((case, said)) } else { Ok(()) });
            }
            is_done.store(true, Ordering::Relaxed);
            assert_eq!(said, Ok(()), "{swap:?}");
        });
    }
}

#[test]
fn a_folder_that_is_a_link_is_read_until_it_leads_elsewhere() {
    let tree = tree().with_link("/r/tea", "/out/tea");
    let places = Places { roots: vec![path("/r")], ..Places::default() };
    let (disk, folder) = tree.disk();
    let world = World::new(&disk, &places, &());
    let found = |world: &World<'_>| {
        let catalog = discover(world, &table("agentskills"));
        let served = Served::of(world, &catalog);
        (catalog, served)
    };
    let notes = |world: &World<'_>, (catalog, served): &(Catalog, Served)| {
        [part(world, catalog, "notes.md"), read(world, served, "notes.md")]
    };
    let first = found(&world);
    assert!(notes(&world, &first).iter().all(|said| said.contains("Notes.\\nSECRET")), "{:?}", notes(&world, &first));
    let link = folder.path().join("r/tea");
    std::fs::remove_file(&link).expect("the link can be removed");
    std::os::unix::fs::symlink(folder.path().join("s/tea"), &link).expect("a link can be made");
    // The skill that was found is still the one that was found, and the next look finds the other.
    assert!(notes(&world, &first).iter().all(|said| said.contains("Notes.\\nSECRET")));
    let second = notes(&world, &found(&world));
    assert!(second.iter().all(|said| said.contains("Notes.\\n") && !said.contains(SECRET)), "{second:?}");
}

/// What a view of `/s/tea` shows, row by row.
fn view(fs: &dyn Fs) -> Vec<String> {
    let held = fs.confined(&path("/s/tea")).expect("a folder");
    let mut rows = vec![format!("{:?}", held.list(&path("/s/tea")).map(|entries| entries.len()))];
    let paths = [
        "/s/tea/notes.md",
        "/s/tea/sub",
        "/s/tea/sub/in/a.md",
        "/s/tea/linked.md",
        "/s/tea/way/a.md",
        "/s/tea/out.md",
        "/s/tea/round.md",
        "/s/tea/none.md",
        "/s/tea/notes.md/x",
        "/s/tea",
        "/s/more.md",
        "/out/tea/notes.md",
    ];
    for path in paths.map(path) {
        let read = held.read(&path, 4).map(|head| (String::from_utf8(head.bytes), head.len));
        let metadata = held
            .metadata(&path)
            .map(|metadata| metadata.map(|metadata| (metadata.kind, metadata.is_symlink, metadata.len)));
        let listed = held.list(&path).map(|entries| entries.len());
        rows.push(format!("{path}: {read:?} {metadata:?} {:?} {listed:?}", held.canonical(&path)));
    }
    let mut visits = Vec::new();
    let step = |_: &FsPath, _: usize, entries: &[Entry], steps: &mut Vec<Step>| {
        steps.extend((0..entries.len()).map(|entry| Step { entry, action: Action::Enter }));
    };
    for root in ["/s/tea", "/s/tea/sub", "/s/tea/way", "/s", "/s/tea/up"].map(path) {
        held.walk(&Walk { root: &root, step: &step, prefix_len: 0, max_dirs: 9 }, &mut |visit| {
            visits.push(format!("{visit:?}"));
        });
    }
    visits.sort();
    rows.extend(visits);
    for root in ["/s/tea/sub", "/s/tea/way", "/s/tea/up", "/s", "/s/tea/none"].map(path) {
        let inner =
            held.confined(&root).and_then(|inner| inner.read(&root.child("in").unwrap().child("a.md").unwrap(), 9));
        let outer = held.confined(&root).and_then(|inner| inner.read(&path("/s/tea/notes.md"), 9));
        rows.push(format!("{root}: {:?} {outer:?}", inner.map(|head| head.len)));
    }
    rows.push(format!("{:?}", fs.confined(&path("/r")).map(|_| ())));
    rows.push(format!("{:?}", fs.confined(&path("/r/in")).map(|_| ())));
    rows.push(format!("{:?}", fs.confined(&path("/none")).map(|_| ())));
    rows
}

#[test]
fn a_view_of_a_folder_is_the_same_on_every_file_system() {
    static MORE: EmbeddedFs = EmbeddedFs::new("/more", &[("a.md", b"a")]);
    let tree = tree().with_link("/s/tea/way", "sub/in").with_link("/s/tea/out.md", "../../out/tea/notes.md");
    let tree = tree.with_link("/s/tea/round.md", "round.md").with_link("/s/tea/up", "..").with("/s/more.md", "more");
    let tree = tree.with_link("/r", "/s/tea/sub");
    let (disk, _folder) = tree.disk();
    let memory = view(&tree.mem());
    let row = |name: &str| memory.iter().find(|row| row.starts_with(name)).cloned().unwrap_or_default();
    assert_eq!(row("/s/tea/way/a.md").matches("Escapes").count(), 0, "{memory:#?}");
    for outside in ["/s/tea/out.md:", "/s/more.md:", "/out/tea/notes.md:"] {
        assert_eq!(row(outside).matches("Err(Escapes(").count(), 4, "{memory:#?}");
    }
    assert_eq!(view(&disk), memory);
    assert_eq!(view(&OverlayFs::new().layer(disk).layer(&MORE)), memory);
    assert_eq!(view(&OverlayFs::new().layer(tree.mem()).layer(&MORE)), memory);
}
