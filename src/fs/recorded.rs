//! [`RecordedFs`], which notes what is read from another file system.

use super::{Entry, FileKind, FilePrefix, Fs, FsError, Metadata, Step, Visit, VisitOutcome, Walk, locked, spelled_by};
use crate::path::FsPath;
use crate::text::digest::Digest;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// What was read of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileRecord {
    /// The bytes at its beginning: how many were read, and their digest.
    Read {
        /// How many bytes were read: all, unless the file is larger than the reader wanted.
        bytes: usize,
        /// The digest of these bytes.
        digest: Digest,
    },
    /// It could not be read, for this reason.
    Failed(String),
}

impl FileRecord {
    /// How many bytes were read.
    fn bytes(&self) -> usize {
        if let FileRecord::Read { bytes, .. } = self { *bytes } else { 0 }
    }
}

/// The files that were read and the folders that were listed, each once, in the order of the paths that were asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FsRecord {
    pub(crate) files: Vec<(FsPath, FileRecord)>,
    /// For each folder the digest of the names and kinds of its entries. A folder that could not be listed is absent.
    pub(crate) folders: Vec<(FsPath, Digest)>,
}

/// A file system that notes the digest of each file that is read through it and of each listing, and passes every call on
/// to another one.
pub(crate) struct RecordedFs<'f> {
    fs: Box<dyn Fs + 'f>,
    /// In the order in which it was read, and what was read twice, twice.
    record: Arc<Mutex<FsRecord>>,
}

impl<'f> RecordedFs<'f> {
    pub(crate) fn new(fs: &'f dyn Fs) -> RecordedFs<'f> {
        RecordedFs { fs: Box::new(fs), record: Arc::default() }
    }

    pub(crate) fn record(&self) -> FsRecord {
        let FsRecord { files, folders } = locked(&self.record).clone();
        // The longest part of a file that was read says the most. Of equal ones the later counts, as that was given.
        let mut longest: BTreeMap<FsPath, FileRecord> = BTreeMap::new();
        for (path, read) in files {
            if longest.get(&path).is_none_or(|known| known.bytes() <= read.bytes()) {
                longest.insert(path, read);
            }
        }
        let folders: BTreeMap<FsPath, Digest> = folders.into_iter().collect();
        FsRecord { files: longest.into_iter().collect(), folders: folders.into_iter().collect() }
    }

    fn note_file(&self, file: &FsPath, read: &Result<FilePrefix, FsError>) {
        let read = match read {
            Ok(prefix) => FileRecord::Read { bytes: prefix.bytes.len(), digest: Digest::of(&prefix.bytes) },
            Err(FsError::Pending(_)) => return,
            Err(error) => FileRecord::Failed(error.reason()),
        };
        locked(&self.record).files.push((file.clone(), read));
    }

    fn noted(&self, file: &FsPath, read: Result<FilePrefix, FsError>) -> Result<FilePrefix, FsError> {
        self.note_file(file, &read);
        read
    }
}

fn note_folder(record: &Mutex<FsRecord>, dir: &FsPath, entries: &[Entry]) {
    let mut listing = Vec::new();
    for entry in entries {
        listing.extend_from_slice(entry.name.as_bytes());
        // No name contains a NUL or a slash.
        let kind = match entry.kind {
            FileKind::File => b'f',
            FileKind::Dir => b'd',
            FileKind::Other => b'o',
            FileKind::Broken => b'b',
        };
        listing.extend_from_slice(&[0, kind, b'0' + u8::from(entry.is_symlink), b'/']);
    }
    let digest = Digest::of(&listing);
    locked(record).folders.push((dir.clone(), digest));
}

impl Fs for RecordedFs<'_> {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        let entries = self.fs.list(dir)?;
        note_folder(&self.record, dir, &entries);
        Ok(entries)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.noted(file, self.fs.read(file, at_most))
    }

    fn read_listed(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.noted(file, self.fs.read_listed(file, at_most))
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.fs.metadata(path)
    }

    fn metadata_all(&self, paths: &[&FsPath]) -> Vec<Result<Option<Metadata>, FsError>> {
        self.fs.metadata_all(paths)
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        self.fs.canonical(path)
    }

    fn read_within(&self, root: &FsPath, rel: &str, at_most: u64) -> Result<FilePrefix, FsError> {
        let read = self.fs.read_within(root, rel, at_most);
        match root.join(rel) {
            Ok(file) => self.noted(&file, read),
            Err(_) => read,
        }
    }

    fn confined<'f>(&'f self, root: &FsPath) -> Result<Box<dyn Fs + 'f>, FsError> {
        let fs = self.fs.confined(root)?;
        Ok(Box::new(RecordedFs { fs, record: Arc::clone(&self.record) }))
    }

    fn walk(&self, ask: &Walk<'_>, out: &mut dyn FnMut(&mut Visit)) {
        // The rule may be asked in several threads.
        let record: &Mutex<FsRecord> = &self.record;
        let step = |dir: &FsPath, depth: usize, entries: &[Entry], steps: &mut Vec<Step>| {
            note_folder(record, dir, entries);
            (ask.step)(dir, depth, entries, steps);
        };
        self.fs.walk(&Walk { step: &step, ..*ask }, &mut |visit| {
            if let VisitOutcome::Listed(noted) = &visit.outcome {
                for found in noted {
                    if let (Some(read), Ok(file)) = (&found.prefix, visit.dir.child(&found.entry.name)) {
                        self.note_file(&file, read);
                    }
                }
            }
            out(visit);
        });
    }

    spelled_by!(fs);
}
