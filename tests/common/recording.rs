//! A file system that records the calls that it passes on to another one.

use skilltree::fs::{Entry, FilePrefix, FsCall, Metadata};
use skilltree::{Fs, FsError, FsPath};
use std::cell::RefCell;

pub(crate) struct Recording<'f> {
    fs: &'f dyn Fs,
    calls: RefCell<Vec<(FsCall, FsPath)>>,
}

impl<'f> Recording<'f> {
    pub(crate) fn new(fs: &'f dyn Fs) -> Recording<'f> {
        Recording { fs, calls: RefCell::default() }
    }

    /// The calls, in their order.
    pub(crate) fn calls(self) -> Vec<(FsCall, FsPath)> {
        self.calls.into_inner()
    }

    fn record(&self, call: FsCall, path: &FsPath) {
        self.calls.borrow_mut().push((call, path.clone()));
    }
}

impl Fs for Recording<'_> {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.record(FsCall::List, dir);
        self.fs.list(dir)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.record(FsCall::Read, file);
        self.fs.read(file, at_most)
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.record(FsCall::Metadata, path);
        self.fs.metadata(path)
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        self.record(FsCall::Canonical, path);
        self.fs.canonical(path)
    }
}
