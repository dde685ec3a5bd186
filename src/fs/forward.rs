//! Implements [`Fs`] for references, boxes and `Arc`s of file systems by forwarding each call.

use super::{Entry, FilePrefix, Fs, FsError, Metadata, Visit, Walk};
use crate::path::FsPath;
use std::borrow::Cow;
use std::sync::Arc;

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<F: Fs + ?Sized> Fs for $pointer {
            fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
                (**self).list(dir)
            }

            fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
                (**self).read(file, at_most)
            }

            fn read_listed(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
                (**self).read_listed(file, at_most)
            }

            fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
                (**self).metadata(path)
            }

            fn metadata_all(&self, paths: &[&FsPath]) -> Vec<Result<Option<Metadata>, FsError>> {
                (**self).metadata_all(paths)
            }

            fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
                (**self).canonical(path)
            }

            fn read_within(&self, root: &FsPath, rel: &str, at_most: u64) -> Result<FilePrefix, FsError> {
                (**self).read_within(root, rel, at_most)
            }

            fn confined<'f>(&'f self, root: &FsPath) -> Result<Box<dyn Fs + 'f>, FsError> {
                (**self).confined(root)
            }

            fn walk(&self, ask: &Walk<'_>, out: &mut dyn FnMut(&mut Visit)) {
                (**self).walk(ask, out);
            }

            fn display<'p>(&self, path: &'p FsPath) -> Cow<'p, str> {
                (**self).display(path)
            }

            fn parse(&self, text: &str, base: &FsPath) -> Option<FsPath> {
                (**self).parse(text, base)
            }
        }
    )*};
}

forward!(&F, Box<F>, Arc<F>);
