//! Checks whether a file system that holds a given tree keeps the contract of [`Fs`], and reports each difference as
//! text. The expected answers are those of [`MemFs`] over the same tree. The caller puts the tree there; how a file
//! system behaves while it changes is not checked.

mod asks;
mod shown;

pub use asks::{Item, TREE};

use crate::fs::{Action, Entry, FileKind, FilePrefix, Fs, FsError, MemFs, Metadata, Step, Visit, VisitOutcome, Walk};
use crate::path::FsPath;
use asks::{ASKS, Ask};
use shown::{entry, head, walk};

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

/// The part of [`TREE`] that a file system can hold. Each path begins with `/` and stands below the root that is given to
/// [`check`]: below the root `/x`, `/a/SKILL.md` is the file `/x/a/SKILL.md`. Folders follow from the paths. A link whose
/// target begins with `/` leads to that path below the root too.
pub fn tree(holds: Holds) -> impl Iterator<Item = (&'static str, Item)> {
    TREE.iter().copied().filter(move |(path, item)| holds.takes(path, *item))
}

/// Checks a file system that contains [`tree`] at `root` and nothing else. Returns each violation of the contract.
///
/// ```
/// use skilltree::fs::contract::{self, Holds, Item};
/// use skilltree::{FsPath, MemFs};
/// let mut mine = MemFs::new(); // your own file system
/// for (path, item) in contract::tree(Holds::FILES) {
///     match item {
///         Item::File(text) => mine.file(path, text),
///         Item::Long(len) => mine.file(path, vec![0; len]),
///         _ => unreachable!("files alone were asked for"),
///     };
/// }
/// assert_eq!(contract::check(&mine, &FsPath::root(), Holds::FILES), Vec::<String>::new());
/// ```
pub fn check(fs: &dyn Fs, root: &FsPath, holds: Holds) -> Vec<String> {
    let model = model(root, holds);
    let expected = answers(&model, root, holds);
    let mut broken: Vec<String> = answers(fs, root, holds)
        .into_iter()
        .zip(expected)
        .filter(|(got, expected)| got != expected)
        .map(|((ask, got), (_, expected))| format!("{ask}: expected {expected}, got {got}"))
        .collect();
    agrees_with_itself(fs, root, holds, &mut broken);
    broken
}

/// What is asked in the suite, and what a file system answers.
pub fn answers(fs: &dyn Fs, root: &FsPath, holds: Holds) -> Vec<(String, String)> {
    let asked = |(rule, ask): &(&str, Ask)| (format!("{rule} ({ask})"), answer(fs, root, ask));
    let is_asked = |(_, ask): &&(&str, Ask)| holds.closed || !ask.is_of_closed();
    ASKS.iter().filter(is_asked).map(asked).collect()
}

/// The tree in memory.
fn model(root: &FsPath, holds: Holds) -> MemFs {
    let mut fs = MemFs::new();
    fs.dir(root.as_str());
    for (path, item) in tree(holds) {
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
        tree(holds).filter(|(_, item)| *item != Item::Lossy).map(|(path, _)| below(root, path)).collect();
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
