//! [`ArchiveFs`], a file system over the bytes of a zip archive. A file is unpacked only as far as it is read. Names
//! and sizes are judged once, before anything is unpacked, and every refused entry is reported. Symlinks are not
//! followed, and archives inside the archive are plain files. Nothing is written to a disk.

mod directory;
mod entry;
pub(crate) mod zip;

use super::flat::{Flat, Node};
use super::{Entry, FilePrefix, Fs, FsError, Metadata, Stamp};
use crate::diagnostic::{Code, Diagnostic, Severity, put_in_order};
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::lower::lower;
use entry::{Judged, Part};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

/// How much an archive may hold. What passes `entries` or `bytes` is no archive to read; what passes the others is an
/// entry that is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArchiveLimits {
    /// How many entries, folders among them.
    pub entries: usize,
    /// How many bytes all files have when unpacked.
    pub bytes: u64,
    /// How many times larger than packed a file may be, where it has more than 1 MiB.
    pub ratio: u64,
    /// How many bytes a name has, its folders included.
    pub name_bytes: usize,
    /// How many names deep a path is.
    pub depth: usize,
}

impl Default for ArchiveLimits {
    /// 10 000 entries, 64 MiB, 200 times, 1 024 bytes, 32 names.
    fn default() -> ArchiveLimits {
        ArchiveLimits { entries: 10_000, bytes: 67_108_864, ratio: 200, name_bytes: 1_024, depth: 32 }
    }
}

/// Why bytes are no archive to read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// There is no directory of a zip at the end.
    #[error("not a zip archive, or a truncated one: no central directory at its end")]
    NotAnArchive,
    /// What the directory says cannot be so, or is not supported.
    #[error("the archive cannot be read: {0}")]
    Damaged(&'static str),
    /// It passes a limit.
    #[error("the archive has {found} {what}, expected at most {limit}")]
    TooMuch {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        limit: u64,
        /// How much there is.
        found: u64,
    },
}

/// A skill in an archive (a `.skill` file is a zip with one skill's folder), or any zip, with its root at `/`.
///
/// Read from memory, so it needs no disk. A file is unpacked when it is read, and no further than asked for; read
/// whole, its length and CRC-32 are held against what the archive says. Entries with hostile names (absolute, `..`,
/// `\`, a drive's letter, NUL, not UTF-8), of a name already taken or taken in another letter case, are not there; a
/// link is neither file nor folder; what is encrypted, of an unknown method, overlaps another entry, or is told
/// otherwise at its place than in the directory, fails to be read. [`ArchiveFs::notes`] tells of each.
///
/// ```no_run
/// use skilltree::{Fs, FsPath};
/// use skilltree::fs::ArchiveFs;
/// let bytes = std::fs::read("tea.skill")?;
/// let archive = ArchiveFs::new(bytes)?;
/// assert!(archive.notes().is_empty());
/// println!("{:?}", archive.list(&FsPath::root())?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ArchiveFs {
    bytes: Arc<[u8]>,
    tree: Flat<Part>,
    notes: Vec<Diagnostic>,
    stamp: Stamp,
}

impl ArchiveFs {
    /// Reads the directory of a zip, within the usual limits.
    ///
    /// # Errors
    /// [`ArchiveError`] where the bytes are no zip, or have too much in them.
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Result<ArchiveFs, ArchiveError> {
        ArchiveFs::within(bytes, &ArchiveLimits::default())
    }

    /// Like `new`, with the given limits.
    ///
    /// # Errors
    /// As [`ArchiveFs::new`].
    pub fn within(bytes: impl Into<Arc<[u8]>>, limits: &ArchiveLimits) -> Result<ArchiveFs, ArchiveError> {
        let bytes = bytes.into();
        let (records, start) = directory::records(&bytes, limits)?;
        let (entries, strays) = entry::entries(&bytes, start, &records, limits);
        let mut notes: Vec<Diagnostic> = strays.into_iter().map(stray).collect();
        let twins = case_twins(&entries);
        let mut nodes = Vec::with_capacity(entries.len());
        for (n, entry) in entries.into_iter().enumerate() {
            let what = match entry.judged {
                Err(why) => Some(("is ignored", why)),
                Ok(_) if twins.contains(&n) => {
                    Some(("is ignored", "its name differs from another entry's only in letter case"))
                }
                Ok(node) => {
                    let told = match &node {
                        Node::File(part) => part.fault.map(|why| ("cannot be read", why)),
                        Node::Special => Some(("is not followed", "it is a symlink or another special file")),
                        Node::Folder => None,
                    };
                    nodes.push((Cow::Owned(entry.name.clone()), node));
                    told
                }
            };
            notes.extend(what.map(|(what, why)| refused(&entry.name, what, why)));
        }
        let (tree, others) = Flat::new(FsPath::root(), nodes);
        notes.extend(others.into_iter().map(|(name, why)| refused(&name, "is ignored", why)));
        put_in_order(&mut notes);
        Ok(ArchiveFs { bytes, tree, notes, stamp: super::mem::fresh_stamp() })
    }

    /// What is refused, one error each. The path is that of the entry where it has one, else `/`.
    pub fn notes(&self) -> &[Diagnostic] {
        &self.notes
    }

    /// The files, by name below the root and in byte order, and whether the archive says that each is a program.
    pub fn files(&self) -> impl Iterator<Item = (&str, bool)> {
        self.tree.files().map(|(name, part)| (name, part.executable))
    }
}

fn refused(name: &str, what: &str, why: &str) -> Diagnostic {
    let path = FsPath::root().join(name).unwrap_or_else(|_| FsPath::root());
    let message = format!("the entry `{}` of the archive {what}: {why}", visible(name));
    Diagnostic::new(Severity::Error, Code::EntryRefused, path, message).help("pack the skill again")
}

fn stray(at: usize) -> Diagnostic {
    let message =
        format!("the archive contains an entry at byte {at} that its directory does not list, so it is not read");
    Diagnostic::new(Severity::Error, Code::EntryRefused, FsPath::root(), message).help("pack the skill again")
}

/// The entries whose name, or a folder in it, differs in letter case alone from that of an entry which is kept: on
/// many disks they are the same.
fn case_twins(entries: &[Judged]) -> HashSet<usize> {
    let of_case = |name: &str| lower(name).replace('/', "\0");
    let named = entries.iter().enumerate().filter(|(_, entry)| entry.judged.is_ok());
    let mut sorted: Vec<(String, usize, &str)> =
        named.map(|(n, entry)| (of_case(&entry.name), n, entry.name.as_str())).collect();
    // A folder and all that is in it stand together, as NUL is before any other character.
    sorted.sort_unstable();
    let mut twins = HashSet::new();
    let mut kept: Option<&(String, usize, &str)> = None;
    for next in &sorted {
        let pairs = |(cases, _, name): &(String, usize, &str)| {
            let first = cases.split('\0').zip(name.split('/'));
            let second = next.0.split('\0').zip(next.2.split('/'));
            let mut alike = first.zip(second).take_while(|((one, _), (other, _))| one == other);
            alike.any(|((_, one), (_, other))| one != other)
        };
        if kept.is_some_and(pairs) {
            twins.insert(next.1);
        } else {
            kept = Some(next);
        }
    }
    twins
}

impl Fs for ArchiveFs {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.tree.list(dir)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        let part = self.tree.file(file)?;
        let bytes = part.unpack(&self.bytes, at_most);
        let bytes = bytes.map_err(|why| FsError::Other { path: file.clone(), message: why.to_owned() })?;
        Ok(FilePrefix { bytes, len: part.len, stamp: Some(self.stamp) })
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.tree.metadata(path, self.stamp, |part| part.len)
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        self.tree.node(path).map(|_| path.clone())
    }
}
