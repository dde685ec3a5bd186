//! [`OpenFiles`], the disk with the texts of open documents in place of the files: what a skill will be once the editor
//! saves it. Symlinks are those of the disk, so that what may not be followed there is not followed here either, which
//! layers of an [`OverlayFs`](skilltree::fs::OverlayFs) do not promise: each of them resolves its own symlinks only.

use skilltree::fs::{Entry, FileKind, FilePrefix, Metadata, Stamp, Visit, VisitOutcome, Walk};
use skilltree::{Fs, FsError, FsPath, MemFs};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

/// The texts of open documents by the path under which they were opened, and by their real path.
#[derive(Default)]
pub(super) struct Texts {
    texts: HashMap<FsPath, OpenText>,
    /// The paths of `texts` by their folders.
    by_folder: HashMap<FsPath, BTreeSet<FsPath>>,
    /// The number of edits so far, so that no two texts share a stamp.
    edits: u64,
}

struct OpenText {
    text: String,
    stamp: Stamp,
}

impl Texts {
    pub(super) fn put(&mut self, paths: &[FsPath], text: &str) {
        self.edits += 1;
        for path in paths {
            let stamp = Stamp([self.edits, u64::MAX, 0, 0, 0]);
            self.texts.insert(path.clone(), OpenText { text: text.to_owned(), stamp });
            if let Some(folder) = path.parent() {
                self.by_folder.entry(folder).or_default().insert(path.clone());
            }
        }
    }

    pub(super) fn remove(&mut self, paths: &[FsPath]) {
        for path in paths {
            self.texts.remove(path);
            if let Some(paths) = path.parent().and_then(|folder| self.by_folder.get_mut(&folder)) {
                paths.remove(path);
            }
        }
    }
}

impl OpenText {
    fn prefix(&self, at_most: u64) -> FilePrefix {
        let bytes = self.text.as_bytes();
        let end = usize::try_from(at_most).unwrap_or(usize::MAX).min(bytes.len());
        FilePrefix { bytes: bytes[..end].to_vec(), len: bytes.len() as u64, stamp: Some(self.stamp) }
    }

    fn metadata(&self, on_disk: Option<Metadata>) -> Metadata {
        let is_symlink = on_disk.is_some_and(|metadata| metadata.is_symlink);
        Metadata { kind: FileKind::File, is_symlink, len: self.text.len() as u64, stamp: Some(self.stamp) }
    }
}

/// A file system with the texts of open documents.
pub(super) struct OpenFiles<'t, F> {
    pub(super) base: F,
    pub(super) texts: &'t Texts,
}

impl<F: Fs> OpenFiles<'_, F> {
    /// The text of an open document, unless something that is no file is at its path now.
    fn text(&self, path: &FsPath) -> Option<&OpenText> {
        self.texts.texts.get(path)
    }

    fn seen(&self, path: &FsPath, on_disk: Result<Option<Metadata>, FsError>) -> Result<Option<Metadata>, FsError> {
        match (self.text(path), on_disk) {
            (Some(text), Ok(None)) => Ok(Some(text.metadata(None))),
            (Some(text), Ok(Some(found))) if found.kind == FileKind::File => Ok(Some(text.metadata(Some(found)))),
            (_, on_disk) => on_disk,
        }
    }

    /// Reads a file, or the text that is open in its place.
    fn read_by(
        &self,
        path: &FsPath,
        at_most: u64,
        on_disk: Result<FilePrefix, FsError>,
    ) -> Result<FilePrefix, FsError> {
        match (self.text(path), on_disk) {
            (Some(text), Ok(_) | Err(FsError::NotFound(_))) => Ok(text.prefix(at_most)),
            (_, on_disk) => on_disk,
        }
    }
}

impl<F: Fs> Fs for OpenFiles<'_, F> {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        let listed = self.base.list(dir);
        let mut new: Vec<&FsPath> = self.texts.by_folder.get(dir).into_iter().flatten().collect();
        if new.is_empty() {
            return listed;
        }
        let mut entries = match listed {
            Err(FsError::NotFound(_)) => Vec::new(),
            listed => listed?,
        };
        new.retain(|path| entries.iter().all(|entry| entry.name != path.name()));
        let added = |path: &FsPath| Entry {
            name: path.name().to_owned(),
            kind: FileKind::File,
            is_symlink: false,
            is_lossy: false,
        };
        entries.extend(new.into_iter().map(added));
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.read_by(file, at_most, self.base.read(file, if self.text(file).is_some() { 0 } else { at_most }))
    }

    fn read_listed(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.read_by(file, at_most, self.base.read_listed(file, if self.text(file).is_some() { 0 } else { at_most }))
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.seen(path, self.base.metadata(path))
    }

    fn metadata_all(&self, paths: &[&FsPath]) -> Vec<Result<Option<Metadata>, FsError>> {
        let found = self.base.metadata_all(paths);
        found.into_iter().zip(paths).map(|(found, path)| self.seen(path, found)).collect()
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        match self.base.canonical(path) {
            Err(FsError::NotFound(_)) if self.text(path).is_some() => Ok(path.clone()),
            canonical => canonical,
        }
    }

    fn read_within(&self, root: &FsPath, rel: &str, at_most: u64) -> Result<FilePrefix, FsError> {
        let on_disk = self.base.read_within(root, rel, at_most);
        match root.join(rel) {
            Ok(path) => self.read_by(&path, at_most, on_disk),
            Err(_) => on_disk,
        }
    }

    fn confined<'f>(&'f self, root: &FsPath) -> Result<Box<dyn Fs + 'f>, FsError> {
        match self.base.confined(root) {
            Ok(base) => Ok(Box::new(OpenFiles { base, texts: self.texts })),
            // A folder that is made with its first file holds nothing yet but the text that is open.
            Err(FsError::NotFound(_)) if self.texts.texts.keys().any(|path| path.starts_with(root)) => {
                Ok(Box::new(OpenFiles { base: MemFs::new(), texts: self.texts }))
            }
            Err(error) => Err(error),
        }
    }

    fn walk(&self, ask: &Walk<'_>, out: &mut dyn FnMut(&mut Visit)) {
        self.base.walk(ask, &mut |visit| {
            if let VisitOutcome::Listed(noted) = &mut visit.outcome {
                for noted in noted.iter_mut() {
                    let Ok(path) = visit.dir.child(&noted.entry.name) else { continue };
                    if let (Some(prefix @ Ok(_)), Some(text)) = (&mut noted.prefix, self.text(&path)) {
                        *prefix = Ok(text.prefix(ask.prefix_len));
                    }
                }
            }
            out(visit);
        });
    }

    fn display<'p>(&self, path: &'p FsPath) -> Cow<'p, str> {
        self.base.display(path)
    }

    fn parse(&self, text: &str, base: &FsPath) -> Option<FsPath> {
        self.base.parse(text, base)
    }
}
