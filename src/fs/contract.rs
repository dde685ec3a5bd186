//! Checks whether a file system that holds a given tree keeps the contract of [`Fs`], and reports each difference as
//! text. The expected answers are those of [`MemFs`] over the same tree. The caller puts the tree there; how a file
//! system behaves while it changes is not checked.

mod shown;

use crate::fs::mem::MemFs;
use crate::fs::{Action, Entry, FileKind, FilePrefix, Fs, FsError, Metadata, Step, Visit, VisitOutcome, Walk};
use crate::path::FsPath;
use shown::{entry, head, walk};
use std::fmt;

/// What a file system can hold besides files with plain names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holds {
    /// Symbolic links.
    pub links: bool,
    /// What is neither file nor folder: a FIFO.
    pub specials: bool,
    /// Folders with nothing in them.
    pub empty_folders: bool,
    /// What may not be read. Leave it out for the superuser, who may read everything.
    pub closed: bool,
    /// Names with a line break, a quote or a `\`.
    pub odd_names: bool,
    /// Names that are not UTF-8.
    pub lossy: bool,
}

impl Holds {
    /// All of it.
    pub const ALL: Holds =
        Holds { links: true, specials: true, empty_folders: true, closed: true, odd_names: true, lossy: true };
    /// Files alone.
    pub const FILES: Holds =
        Holds { links: false, specials: false, empty_folders: false, closed: false, odd_names: false, lossy: false };

    fn takes(self, path: &str, item: Item) -> bool {
        let of_kind = match item {
            Item::File(_) | Item::Long(_) => true,
            Item::Dir => self.empty_folders,
            Item::Link(_) => self.links,
            Item::Special => self.specials,
            Item::Closed => self.closed,
            Item::Lossy => self.lossy,
        };
        of_kind && (self.odd_names || !path.contains(['\n', '"', '\\']))
    }
}

impl Holds {
    /// The part of the tree of the contract that a file system can hold. Each path begins with `/` and stands below the root that is given to
    /// [`Holds::check`]: below the root `/x`, `/a/SKILL.md` is the file `/x/a/SKILL.md`. Folders follow from the paths. A link whose
    /// target begins with `/` leads to that path below the root too.
    pub fn tree(self) -> impl Iterator<Item = (&'static str, Item)> {
        TREE.iter().copied().filter(move |(path, item)| self.takes(path, *item))
    }

    /// Checks a file system that contains [`Holds::tree`] at `root` and nothing else. Returns each violation of the contract.
    ///
    /// ```
    /// use skilltree::fs::contract::{Holds, Item};
    /// use skilltree::{FsPath, MemFs};
    /// let mut mine = MemFs::new(); // your own file system
    /// for (path, item) in Holds::FILES.tree() {
    ///     match item {
    ///         Item::File(text) => mine.file(path, text),
    ///         Item::Long(len) => mine.file(path, vec![0; len]),
    ///         _ => unreachable!("files alone were asked for"),
    ///     };
    /// }
    /// assert_eq!(Holds::FILES.check(&mine, &FsPath::root()), Vec::<String>::new());
    /// ```
    pub fn check(self, fs: &dyn Fs, root: &FsPath) -> Vec<String> {
        let model = model(root, self);
        let expected = self.answers(&model, root);
        let mut broken: Vec<String> = self
            .answers(fs, root)
            .into_iter()
            .zip(expected)
            .filter(|(got, expected)| got != expected)
            .map(|((ask, got), (_, expected))| format!("{ask}: expected {expected}, got {got}"))
            .collect();
        agrees_with_itself(fs, root, self, &mut broken);
        broken
    }

    /// What is asked in the suite, and what a file system answers.
    pub fn answers(self, fs: &dyn Fs, root: &FsPath) -> Vec<(String, String)> {
        let asked = |(rule, ask): &(&str, Ask)| (format!("{rule} ({ask})"), answer(fs, root, ask));
        // Whether the answer hangs on what may not be read.
        let is_of_closed = |ask: &Ask| match ask {
            Ask::List(path) | Ask::Read(path, _) | Ask::Walk(path, _) => path.starts_with("/shut"),
            _ => false,
        };
        let is_asked = |(_, ask): &&(&str, Ask)| self.closed || !is_of_closed(ask);
        ASKS.iter().filter(is_asked).map(asked).collect()
    }
}

fn model(root: &FsPath, holds: Holds) -> MemFs {
    let mut fs = MemFs::new();
    fs.dir(root.as_str());
    for (path, item) in holds.tree() {
        let at = below(root, path);
        let at = at.as_str();
        match item {
            Item::File(text) => fs.file(at, text),
            Item::Long(len) => fs.sparse(at, len as u64),
            Item::Dir => fs.dir(at),
            Item::Link(target) if target.starts_with('/') => fs.link(at, below(root, target).as_str()),
            Item::Link(target) => fs.link(at, target),
            Item::Special => fs.other(at),
            Item::Closed => fs.unreadable(at),
            Item::Lossy => {
                let (dir, name) = at.rsplit_once('/').unwrap_or(("", at));
                fs.lossy(dir, name)
            }
        };
    }
    fs
}

fn below(root: &FsPath, path: &str) -> FsPath {
    root.join(path).unwrap_or_else(|_| root.clone())
}

fn answer(fs: &dyn Fs, root: &FsPath, ask: &Ask) -> String {
    let at = |path: &str| below(root, path);
    match *ask {
        Ask::List(dir) => match fs.list(&at(dir)) {
            Ok(entries) => entries.iter().map(entry).collect::<Vec<_>>().join(", "),
            Err(error) => error.to_string(),
        },
        Ask::Read(file, at_most) => head(&fs.read(&at(file), at_most)),
        Ask::Metadata(path) => metadata(&fs.metadata(&at(path))),
        Ask::LookLong(bytes) => metadata(&fs.metadata(&at(&"n".repeat(bytes)))),
        Ask::Canonical(path) => fs.canonical(&at(path)).map_or_else(|error| error.to_string(), |real| real.to_string()),
        Ask::Within(dir, rel) => head(&fs.read_within(&at(dir), rel, 64)),
        Ask::Walk(dir, max_dirs) => walk(fs, &at(dir), max_dirs).join("; "),
    }
}

/// What a file system says by one way, it says by every other.
fn agrees_with_itself(fs: &dyn Fs, root: &FsPath, holds: Holds, broken: &mut Vec<String>) {
    let paths: Vec<FsPath> =
        holds.tree().filter(|(_, item)| *item != Item::Lossy).map(|(path, _)| below(root, path)).collect();
    let all_metadata = fs.metadata_all(&paths.iter().collect::<Vec<_>>());
    if all_metadata.len() != paths.len() {
        broken.push(format!("as many looks as paths: expected {}, got {}", paths.len(), all_metadata.len()));
    }
    for (path, together) in paths.iter().zip(&all_metadata) {
        let alone = fs.metadata(path);
        if *together != alone {
            let (together, alone) = (metadata(together), metadata(&alone));
            broken.push(format!("looked at together as alone (`{path}`): expected {alone}, got {together}"));
        }
        let stamps = (
            alone.ok().flatten().and_then(|metadata| metadata.stamp),
            fs.read(path, 1).ok().and_then(|head| head.stamp),
        );
        if let (Some(looked), Some(read)) = stamps {
            if looked != read {
                broken.push(format!("one stamp for look and read (`{path}`): expected {looked:?}, got {read:?}"));
            }
        }
        let (whole, listed) = (head(&fs.read(path, 64)), head(&fs.read_listed(path, 64)));
        if matches!(fs.metadata(path), Ok(Some(Metadata { kind: FileKind::File, is_symlink: false, .. })))
            && whole != listed
        {
            broken.push(format!("read as listed (`{path}`): expected {whole}, got {listed}"));
        }
        let spelled = fs.display(path);
        let parsed = fs.parse(&spelled, root);
        if parsed.as_ref() != Some(path) {
            broken.push(format!("parsed as it is spelled (`{spelled}`): expected {path}, got {parsed:?}"));
        }
    }
}

fn metadata(metadata: &Result<Option<Metadata>, FsError>) -> String {
    match metadata {
        Ok(None) => "nothing".to_owned(),
        Ok(Some(metadata)) => {
            format!("{:?}{} of {}", metadata.kind, if metadata.is_symlink { " link" } else { "" }, metadata.len)
        }
        Err(error) => error.to_string(),
    }
}

/// What stands at a path of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A file with this text.
    File(&'static str),
    /// A file of so many zero bytes.
    Long(usize),
    /// An empty folder. Others follow from the paths.
    Dir,
    /// A symbolic link. An absolute target begins at the root of the tree.
    Link(&'static str),
    /// What is neither file nor folder: a FIFO.
    Special,
    /// What was put there by a row before may not be read.
    Closed,
    /// A file whose name is not UTF-8; this is the closest text, with one byte of 255 in place of U+FFFD.
    Lossy,
}

enum Ask {
    List(&'static str),
    Read(&'static str, u64),
    Metadata(&'static str),
    /// A name of so many bytes.
    LookLong(usize),
    Canonical(&'static str),
    Within(&'static str, &'static str),
    Walk(&'static str, usize),
}

impl fmt::Display for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ask::List(dir) => write!(f, "list {dir:?}"),
            Ask::Read(file, at_most) => write!(f, "read {file:?}, at most {at_most}"),
            Ask::Metadata(path) => write!(f, "look {path:?}"),
            Ask::LookLong(bytes) => write!(f, "look at a name of {bytes} bytes"),
            Ask::Canonical(path) => write!(f, "canonical {path:?}"),
            Ask::Within(root, rel) => write!(f, "read {rel:?} within {root:?}"),
            Ask::Walk(root, max_dirs) => write!(f, "walk {root:?}, at most {max_dirs}"),
        }
    }
}

/// What the tree of the suite holds, below the root of the user's choice.
const TREE: &[(&str, Item)] = &[
    ("/a/SKILL.md", Item::File("---\nname: a\n---\n")),
    ("/a/empty.md", Item::File("")),
    ("/a/deep/er/SKILL.md", Item::File("deep")),
    ("/a/void", Item::Dir),
    ("/b/SKILL.md", Item::Special),
    ("/b/long.txt", Item::Long(300_000)),
    ("/c/SKILL.md", Item::Dir),
    ("/d/SKILL.md", Item::Link("nowhere")),
    ("/e/SKILL.md", Item::Link("../a/SKILL.md")),
    ("/links/chain", Item::Link("dir")),
    ("/links/dir", Item::Link("../a/deep")),
    ("/links/file", Item::Link("../a/SKILL.md")),
    ("/links/dangling", Item::Link("../nowhere/at/all")),
    ("/links/cycle", Item::Link("elcyc")),
    ("/links/elcyc", Item::Link("cycle")),
    ("/links/up", Item::Link("..")),
    ("/links/through-file", Item::Link("../a/SKILL.md/x")),
    ("/links/absolute", Item::Link("/a/void")),
    ("/lossy/f\u{FFFD}", Item::Lossy),
    ("/names/new\nline", Item::File("1")),
    ("/names/quo\"te'", Item::File("2")),
    ("/names/Z", Item::File("3")),
    ("/names/é", Item::File("4")),
    ("/names/🦀", Item::File("5")),
    ("/names/ lead", Item::File("6")),
    ("/names/back\\slash", Item::File("7")),
    ("/skill/SKILL.md", Item::File("own")),
    ("/skill/in", Item::Link("refs/real.md")),
    ("/skill/in-dir", Item::Link("refs")),
    ("/skill/in-absolute", Item::Link("/skill/refs/real.md")),
    ("/skill/out", Item::Link("../secret/key")),
    ("/skill/out-dir", Item::Link("../secret")),
    ("/skill/out-and-in", Item::Link("../skill/SKILL.md")),
    ("/skill/refs/real.md", Item::File("real")),
    ("/skillful/key", Item::File("neighbour")),
    ("/secret/key", Item::File("secret")),
    ("/alias", Item::Link("skill")),
    ("/shut/dir/SKILL.md", Item::File("hidden")),
    ("/shut/dir", Item::Closed),
    ("/shut/file", Item::File("hidden")),
    ("/shut/file", Item::Closed),
];

const ASKS: &[(&str, Ask)] = &[
    ("sorted, with kinds", Ask::List("/a")),
    ("an empty folder", Ask::List("/a/void")),
    ("a FIFO", Ask::List("/b")),
    ("names in byte order", Ask::List("/names")),
    ("links, with what they lead to", Ask::List("/links")),
    ("through a chain of links", Ask::List("/links/chain/er")),
    ("a file", Ask::List("/a/SKILL.md")),
    ("below a file", Ask::List("/a/SKILL.md/x")),
    ("nothing", Ask::List("/nowhere")),
    ("a dangling link", Ask::List("/links/dangling")),
    ("a circle of links", Ask::List("/links/cycle")),
    ("the whole", Ask::Read("/a/SKILL.md", 100)),
    ("exactly", Ask::Read("/a/SKILL.md", 16)),
    ("a head", Ask::Read("/a/SKILL.md", 3)),
    ("nothing of it", Ask::Read("/a/SKILL.md", 0)),
    ("an empty file", Ask::Read("/a/empty.md", 10)),
    ("a head of a long file", Ask::Read("/b/long.txt", 2)),
    ("through links", Ask::Read("/links/chain/er/SKILL.md", 9)),
    ("an odd name", Ask::Read("/names/new\nline", 9)),
    ("a folder", Ask::Read("/c/SKILL.md", 9)),
    ("a FIFO does not block", Ask::Read("/b/SKILL.md", 9)),
    ("a dangling link", Ask::Read("/d/SKILL.md", 9)),
    ("a circle", Ask::Read("/links/cycle", 9)),
    ("nothing", Ask::Read("/a/none", 9)),
    ("below a file", Ask::Read("/a/SKILL.md/x", 9)),
    ("the root", Ask::Metadata("/")),
    ("a file", Ask::Metadata("/a/SKILL.md")),
    ("a folder has no length", Ask::Metadata("/a")),
    ("a FIFO", Ask::Metadata("/b/SKILL.md")),
    ("a link to a file", Ask::Metadata("/links/file")),
    ("a link to a folder", Ask::Metadata("/links/chain")),
    ("a dangling link", Ask::Metadata("/links/dangling")),
    ("a circle", Ask::Metadata("/links/cycle")),
    ("nothing", Ask::Metadata("/nowhere")),
    ("below nothing", Ask::Metadata("/nowhere/x")),
    ("below a file", Ask::Metadata("/a/SKILL.md/x")),
    ("below a dangling link", Ask::Metadata("/links/dangling/x")),
    ("a name longer than any", Ask::LookLong(5_000)),
    ("the root", Ask::Canonical("/")),
    ("a chain of links", Ask::Canonical("/links/chain/er")),
    ("a link to an ancestor", Ask::Canonical("/links/up/links/up")),
    ("an absolute link", Ask::Canonical("/links/absolute")),
    ("a dangling link", Ask::Canonical("/links/dangling")),
    ("a circle", Ask::Canonical("/links/cycle")),
    ("a link through a file", Ask::Canonical("/links/through-file")),
    ("nothing", Ask::Canonical("/nowhere")),
    ("nothing in a folder", Ask::Canonical("/a/nowhere/x")),
    ("below a file", Ask::Canonical("/a/SKILL.md/x")),
    ("a file", Ask::Canonical("/a/SKILL.md")),
    ("a file", Ask::Within("/skill", "SKILL.md")),
    ("a file further down", Ask::Within("/skill", "refs/real.md")),
    ("`..` inside", Ask::Within("/skill", "refs/../SKILL.md")),
    ("through a root that is a link", Ask::Within("/alias", "refs/real.md")),
    ("a link below a root that is a link", Ask::Within("/alias", "in")),
    ("a link that stays inside", Ask::Within("/skill", "in")),
    ("a folder's link that stays inside", Ask::Within("/skill", "in-dir/real.md")),
    ("an absolute link that stays inside", Ask::Within("/skill", "in-absolute")),
    ("a link that goes out and comes back", Ask::Within("/skill", "out-and-in")),
    ("a link that leads out", Ask::Within("/skill", "out")),
    ("a folder's link that leads out", Ask::Within("/skill", "out-dir/key")),
    ("climbing", Ask::Within("/skill", "../secret/key")),
    ("climbing later", Ask::Within("/skill", "refs/../../secret/key")),
    ("climbing to a like name", Ask::Within("/skill", "../skillful/key")),
    ("climbing above the root", Ask::Within("/skill", "../../x")),
    ("an absolute name", Ask::Within("/skill", "/secret/key")),
    ("an absolute name of one inside", Ask::Within("/skill", "/skill/SKILL.md")),
    ("a NUL", Ask::Within("/skill", "a\0b")),
    ("the folder itself", Ask::Within("/skill", "")),
    ("a folder", Ask::Within("/skill", "refs")),
    ("a FIFO", Ask::Within("/b", "SKILL.md")),
    ("nothing", Ask::Within("/skill", "none")),
    ("below a file", Ask::Within("/skill", "SKILL.md/x")),
    ("a root that is not there", Ask::Within("/nowhere", "x")),
    ("a circle", Ask::Within("/links", "cycle")),
    ("all in all", Ask::Within("/", "links/chain/er/SKILL.md")),
    ("a tree", Ask::Walk("/a", 100)),
    ("exactly at the bound", Ask::Walk("/a", 4)),
    ("a level that passes the bound", Ask::Walk("/a", 2)),
    ("a level that fits, the next not", Ask::Walk("/a", 3)),
    ("the first level does not fit", Ask::Walk("/a", 1)),
    ("no directory at all", Ask::Walk("/a", 0)),
    ("a FIFO", Ask::Walk("/b", 9)),
    ("a dangling link", Ask::Walk("/d", 9)),
    ("a link to a file", Ask::Walk("/e", 9)),
    ("a root that is a link", Ask::Walk("/links/dir", 9)),
    ("links are handed out, not entered", Ask::Walk("/links", 9)),
    ("nothing", Ask::Walk("/nowhere", 9)),
    ("a file", Ask::Walk("/a/SKILL.md", 9)),
    ("entries are seen", Ask::List("/shut")),
    ("a folder", Ask::List("/shut/dir")),
    ("a file", Ask::Read("/shut/file", 9)),
    ("a file in a folder", Ask::Read("/shut/dir/SKILL.md", 9)),
    ("a walk", Ask::Walk("/shut", 9)),
    ("the first buffer, one less", Ask::Read("/b/long.txt", 262_143)),
    ("the first buffer", Ask::Read("/b/long.txt", 262_144)),
    ("the first buffer, one more", Ask::Read("/b/long.txt", 262_145)),
    ("exactly a long file", Ask::Read("/b/long.txt", 300_000)),
    ("as much as there is", Ask::Read("/b/long.txt", u64::MAX)),
    ("every folder once", Ask::Walk("/", 1_000)),
    ("a name that is not UTF-8", Ask::List("/lossy")),
];
