//! [`EmbeddedFs`], a file system over a table of paths and bytes in the executable: the skills that an agent ships with
//! itself. No bytes are copied before a file is read. `EmbeddedFs::table` writes it.

use super::flat::{Flat, Node};
use super::{Entry, FilePrefix, Fs, FsError, Metadata, Stamp};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::path::FsPath;
use crate::text::escape::visible;
use std::borrow::Cow;
use std::sync::OnceLock;

/// Files in a table, below a folder of the user's choice.
///
/// Paths are relative, with `/` between names; folders follow from them. The table may be in any order: it is sorted
/// once, at the first call, without its contents. Of several files of one path the first counts; a file hides what
/// would lie below it; a path that is absolute or empty, climbs, or holds an empty name or a NUL is no file. [`EmbeddedFs::notes`]
/// lists each of these. An invalid root is replaced by `/`, and listed too.
///
/// ```
/// use skilltree::{Fs, FsPath};
/// use skilltree::fs::EmbeddedFs;
/// static BUNDLED: EmbeddedFs = EmbeddedFs::new("/bundled", &[
///     ("tea/SKILL.md", b"---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n"),
///     ("tea/notes.md", b"Hot."),
/// ]);
/// let files = BUNDLED.list(&FsPath::new("/bundled/tea").unwrap())?;
/// assert_eq!(files[1].name, "notes.md");
/// assert!(BUNDLED.notes().is_empty());
/// # Ok::<(), skilltree::FsError>(())
/// ```
#[derive(Clone, Debug)]
pub struct EmbeddedFs {
    root: &'static str,
    table: &'static [(&'static str, &'static [u8])],
    tree: OnceLock<(Flat<&'static [u8]>, Vec<Diagnostic>)>,
}

impl EmbeddedFs {
    /// The files of `table`, below `root`. Nothing is done before the first call.
    pub const fn new(root: &'static str, table: &'static [(&'static str, &'static [u8])]) -> EmbeddedFs {
        EmbeddedFs { root, table, tree: OnceLock::new() }
    }

    /// What of the table is no file, one error each.
    pub fn notes(&self) -> &[Diagnostic] {
        &self.read_table().1
    }

    fn tree(&self) -> &Flat<&'static [u8]> {
        &self.read_table().0
    }

    fn read_table(&self) -> &(Flat<&'static [u8]>, Vec<Diagnostic>) {
        self.tree.get_or_init(|| {
            let error = |path, message| Diagnostic::new(Severity::Error, Code::EntryRefused, path, message);
            let mut notes = Vec::new();
            let root = FsPath::new(self.root).unwrap_or_else(|why| {
                notes.push(error(FsPath::root(), format!("the root of embedded files is taken for `/`: {why}")));
                FsPath::root()
            });
            let nodes = self.table.iter().map(|(name, bytes)| (Cow::Borrowed(*name), Node::File(*bytes)));
            let (tree, refused) = Flat::new(root, nodes.collect());
            notes.extend(refused.into_iter().map(|(name, why)| {
                error(tree.path(&name), format!("the embedded file `{}` is ignored: {why}", visible(&name)))
            }));
            (tree, notes)
        })
    }

    /// The table never changes, and another one has another address or length.
    fn stamp(&self) -> Stamp {
        Stamp([self.table.as_ptr() as usize as u64, self.table.len() as u64, 0, 0, 0])
    }
}

impl Fs for EmbeddedFs {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.tree().list(dir)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        let whole = *self.tree().file(file)?;
        let wanted = usize::try_from(at_most).unwrap_or(usize::MAX);
        let bytes = whole.get(..wanted).unwrap_or(whole).to_vec();
        Ok(FilePrefix { bytes, len: whole.len() as u64, stamp: Some(self.stamp()) })
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.tree().metadata(path, self.stamp(), |bytes| bytes.len() as u64)
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        self.tree().node(path).map(|_| path.clone())
    }
}
