//! A file system that records the calls that it passes on to another one. It has the methods that one of a host is likely to
//! have, and no more.

use skilltree::fs::{Entry, FilePrefix, FsCall, Metadata};
use skilltree::{Fs, FsError, FsPath};
use std::cell::RefCell;

pub(crate) struct Recording<F> {
    pub(crate) fs: F,
    calls: RefCell<Vec<(FsCall, FsPath)>>,
}

impl<F> Recording<F> {
    pub(crate) fn new(fs: F) -> Recording<F> {
        Recording { fs, calls: RefCell::default() }
    }

    /// The calls since the last time, in their order.
    pub(crate) fn calls(&self) -> Vec<(FsCall, FsPath)> {
        self.calls.take()
    }

    fn record(&self, call: FsCall, path: &FsPath) {
        self.calls.borrow_mut().push((call, path.clone()));
    }
}

impl<F: Fs> Fs for Recording<F> {
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
