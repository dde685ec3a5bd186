//! What the tests share: a tree of files in one string, for memory and for the disk; a host that answers from
//! sets; properties; a seeded generator of numbers; transcripts; skipped tests. Absent: any rule of the library.
#![allow(dead_code, reason = "each test binary uses a part")]

pub(crate) mod effort;
pub(crate) mod ground;
pub(crate) mod living;
pub(crate) mod property;
pub(crate) mod recording;
pub(crate) mod runtimes;
pub(crate) mod skip;

use skilltree::discovery::Override;
use skilltree::model::Origin;
use skilltree::{FsPath, Host, MemFs, Permission, Requirement, Skill, Trust};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The folder of the project, whichever of its packages is tested.
pub(crate) fn root() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().find(|dir| dir.join("testdata").is_dir()).expect("a package of the project")
}

#[track_caller]
pub(crate) fn path(text: &str) -> FsPath {
    FsPath::new(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Files to be built in memory or on the disk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    entries: Vec<(String, Thing)>,
}

#[derive(Clone, Debug)]
enum Thing {
    File(Vec<u8>),
    /// A file that may not be read, which the root user reads all the same.
    Unreadable(Vec<u8>),
    Dir,
    Link(String),
    Other,
    Sparse(u64),
}

/// Reads a tree: each file under a line `//- /path`, its text up to the next such line.
///
/// After the path may stand `link=TARGET`, `dir`, `other` (a FIFO), `unreadable`, `crlf` (the text's line ends)
/// and `sparse=BYTES`. A path may hold spaces.
#[track_caller]
pub(crate) fn tree(text: &str) -> Tree {
    let mut tree = Tree::default();
    for part in format!("\n{text}").split("\n//- ").skip(1) {
        let (head, body) = part.split_once('\n').unwrap_or((part, ""));
        // the line end before the next header belongs to the file
        let body = if body.is_empty() || body.ends_with('\n') { body.to_owned() } else { format!("{body}\n") };
        tree.add(head, body);
    }
    tree
}

impl Tree {
    #[track_caller]
    fn add(&mut self, head: &str, body: String) {
        let (mut name, mut thing, mut crlf) = (head.trim_end(), None, false);
        while let Some((rest, word)) = name.rsplit_once(' ') {
            let value = word.split_once('=').map_or("", |(_, value)| value);
            match word.split('=').next() {
                Some("link") => thing = Some(Thing::Link(value.to_owned())),
                Some("dir") => thing = Some(Thing::Dir),
                Some("other") => thing = Some(Thing::Other),
                Some("unreadable") => thing = Some(Thing::Unreadable(body.clone().into_bytes())),
                Some("sparse") => thing = Some(Thing::Sparse(value.parse().expect("a number of bytes"))),
                Some("crlf") => crlf = true,
                _ => break,
            }
            name = rest.trim_end();
        }
        assert!(name.starts_with('/'), "a header names an absolute path: {head}");
        let body = if crlf { body.replace('\n', "\r\n") } else { body };
        self.entries.push((name.to_owned(), thing.unwrap_or(Thing::File(body.into_bytes()))));
    }

    /// These files; a path may go without its first slash.
    #[must_use]
    pub(crate) fn files<'f>(self, files: impl IntoIterator<Item = &'f (&'f str, &'f str)>) -> Tree {
        files
            .into_iter()
            .fold(self, |tree, (path, text)| tree.with(&format!("/{}", path.trim_start_matches('/')), *text))
    }

    /// One more file.
    #[must_use]
    pub(crate) fn with(mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Tree {
        self.entries.push((path.to_owned(), Thing::File(bytes.into())));
        self
    }

    /// Without a file.
    #[must_use]
    pub(crate) fn without(mut self, path: &str) -> Tree {
        self.entries.retain(|(name, _)| name != path);
        self
    }

    /// One more folder.
    #[must_use]
    pub(crate) fn with_dir(mut self, path: &str) -> Tree {
        self.entries.push((path.to_owned(), Thing::Dir));
        self
    }

    /// One more link.
    #[must_use]
    pub(crate) fn with_link(mut self, path: &str, target: &str) -> Tree {
        self.entries.push((path.to_owned(), Thing::Link(target.to_owned())));
        self
    }

    /// One more FIFO.
    #[must_use]
    pub(crate) fn with_other(mut self, path: &str) -> Tree {
        self.entries.push((path.to_owned(), Thing::Other));
        self
    }

    /// One more file of so many zero bytes.
    #[must_use]
    pub(crate) fn with_sparse(mut self, path: &str, bytes: u64) -> Tree {
        self.entries.push((path.to_owned(), Thing::Sparse(bytes)));
        self
    }

    /// The tree in memory.
    pub(crate) fn mem(&self) -> MemFs {
        let mut fs = MemFs::new();
        for (name, thing) in &self.entries {
            let at = name.as_str();
            match thing {
                Thing::File(bytes) => fs.file(at, bytes.clone()),
                Thing::Unreadable(bytes) => fs.file(at, bytes.clone()).unreadable(at),
                Thing::Dir => fs.dir(at),
                Thing::Link(target) => fs.link(at, target),
                Thing::Other => fs.other(at),
                Thing::Sparse(bytes) => fs.sparse(at, *bytes),
            };
        }
        fs
    }

    /// The tree on the disk, in a folder of its own that goes with the guard.
    pub(crate) fn folder(&self) -> TempDir {
        let folder = TempDir::new("tree");
        for (name, thing) in &self.entries {
            let at = folder.path().join(&name[1..]);
            let parent = if matches!(thing, Thing::Dir) { Some(at.as_path()) } else { at.parent() };
            fs::create_dir_all(parent.expect("below the folder")).expect("a folder can be made");
            match thing {
                Thing::File(bytes) => fs::write(&at, bytes).expect("a file can be written"),
                Thing::Unreadable(bytes) => {
                    fs::write(&at, bytes).expect("a file can be written");
                    forbid(&at);
                }
                Thing::Dir => {}
                Thing::Link(target) => link(folder.path(), target, &at),
                Thing::Other => fifo(&at),
                Thing::Sparse(bytes) => {
                    fs::File::create(&at).and_then(|file| file.set_len(*bytes)).expect("a sparse file can be made");
                }
            }
        }
        folder
    }

    /// The tree on the disk, seen with the folder as `/`.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn disk(&self) -> (skilltree::OsFs, TempDir) {
        let folder = self.folder();
        (skilltree::OsFs::rooted(folder.path()), folder)
    }
}

#[cfg(unix)]
fn forbid(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o000)).expect("permissions can be taken");
}

/// An absolute target is absolute below the tree's own root.
#[cfg(unix)]
fn link(root: &Path, target: &str, at: &Path) {
    let target = target.strip_prefix('/').map_or_else(|| PathBuf::from(target), |inside| root.join(inside));
    std::os::unix::fs::symlink(target, at).expect("a link can be made");
}

#[cfg(unix)]
fn fifo(at: &Path) {
    let made = std::process::Command::new("mkfifo").arg(at).status();
    assert!(made.is_ok_and(|status| status.success()), "a FIFO can be made");
}

#[cfg(not(unix))]
fn forbid(_: &Path) {}
#[cfg(not(unix))]
fn link(_: &Path, _: &str, _: &Path) {}
#[cfg(not(unix))]
fn fifo(_: &Path) {}

/// A folder below cargo's own for tests, or below that which `SKILLTREE_TEST_DIR` names. It is removed on drop.
#[derive(Debug)]
pub(crate) struct TempDir(PathBuf);

impl TempDir {
    pub(crate) fn new(name: &str) -> TempDir {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let within =
            std::env::var_os("SKILLTREE_TEST_DIR").map_or_else(|| env!("CARGO_TARGET_TMPDIR").into(), PathBuf::from);
        let dir = within.join(format!("{name}-{}-{count}", std::process::id()));
        fs::create_dir_all(&dir).expect("a folder for the test can be made");
        // the file system answers with real paths, so this one is real too
        TempDir(dir.canonicalize().expect("the folder is there"))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A host that answers from sets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Machine {
    pub(crate) bins: BTreeSet<String>,
    pub(crate) envs: BTreeSet<String>,
    /// Keys that are switched on; they win over `off`.
    pub(crate) on: BTreeSet<String>,
    pub(crate) off: BTreeSet<String>,
    /// Whether the project is trusted; other sources are (rule 19.1).
    pub(crate) trust: bool,
    pub(crate) held: Vec<Permission>,
    /// Files that the caller may not read.
    pub(crate) unreadable: BTreeSet<FsPath>,
    pub(crate) variables: BTreeMap<String, String>,
    /// How much skills are used, by key.
    pub(crate) ranks: BTreeMap<String, u64>,
}

impl Host for Machine {
    fn meets(&self, need: &Requirement) -> bool {
        match need {
            Requirement::Bin(name) => self.bins.contains(name),
            Requirement::Env(name) => self.envs.contains(name),
            _ => false,
        }
    }

    fn trusts(&self, skill: &Skill) -> Trust {
        if self.trust || skill.source.origin != Origin::Project { Trust::Yes } else { Trust::No(None) }
    }

    fn holds(&self, permission: &Permission) -> bool {
        self.held.iter().any(|held| held.covers(permission))
    }

    fn may_read(&self, file: &FsPath) -> bool {
        !self.unreadable.contains(file)
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    fn rank(&self, skill: &Skill) -> u64 {
        self.ranks.get(&skill.key).copied().unwrap_or(0)
    }

    fn override_of(&self, skill: &Skill) -> Override {
        match (self.on.contains(&skill.key), self.off.contains(&skill.key)) {
            (true, _) => Override::On,
            (false, true) => Override::Off,
            (false, false) => Override::Unset,
        }
    }
}

/// Numbers from a seed (splitmix64): the same on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; 0 for a bound of 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.number() % bound).unwrap_or(0)
    }

    /// Whether one of `n` throws comes true.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    #[track_caller]
    pub(crate) fn pick<'a, T>(&mut self, among: &'a [T]) -> &'a T {
        &among[self.below(among.len())]
    }
}
