//! The default of [`Fs::confined`]: a view of one folder, over a file system that lists, reads and resolves paths but
//! cannot keep a folder open. It resolves every path before and after it is used, so a folder that is replaced by a
//! link in between is noticed. One that is replaced and put back between the two is not: that takes descriptors.

use super::{Entry, FilePrefix, Fs, FsError, Metadata, Visit, VisitOutcome, Walk, walk};
use crate::path::FsPath;
use std::borrow::Cow;

struct Confined<'f> {
    fs: Box<dyn Fs + 'f>,
    root: FsPath,
}

/// The view of `root`, which must be a real path.
pub(in crate::fs) fn confined<'f>(fs: Box<dyn Fs + 'f>, root: &FsPath) -> Result<Box<dyn Fs + 'f>, FsError> {
    let view = Confined { fs, root: root.clone() };
    view.real(root)?;
    Ok(Box::new(view))
}

impl Confined<'_> {
    /// The path with links resolved, which must lie in the folder.
    fn real(&self, path: &FsPath) -> Result<FsPath, FsError> {
        let real = if path.starts_with(&self.root) { self.fs.canonical(path)? } else { path.clone() };
        if real.starts_with(&self.root) { Ok(real) } else { Err(FsError::Escapes(path.clone())) }
    }

    /// Asks about the real path, and makes sure that it was one while it was asked about.
    fn ask<T>(&self, path: &FsPath, ask: impl FnOnce(&FsPath) -> Result<T, FsError>) -> Result<T, FsError> {
        let real = self.real(path)?;
        let answer = ask(&real).map_err(|error| error.at(path.clone()))?;
        if self.fs.canonical(&real)? == real { Ok(answer) } else { Err(FsError::Escapes(path.clone())) }
    }
}

impl Fs for Confined<'_> {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.ask(dir, |real| self.fs.list(real))
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.ask(file, |real| self.fs.read(real, at_most))
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        let Some(parent) = path.parent().filter(|_| *path != self.root) else {
            return self.ask(path, |real| self.fs.metadata(real));
        };
        let looked = self.ask(&parent, |real| match real.child(path.name()) {
            Ok(real) => self.fs.metadata(&real),
            Err(_) => Ok(None),
        });
        match looked {
            Ok(Some(metadata)) if metadata.is_symlink => match self.real(path) {
                Err(error @ (FsError::Escapes(_) | FsError::Pending(_))) => Err(error),
                Ok(_) | Err(_) => Ok(Some(metadata)),
            },
            Err(FsError::NotFound(_) | FsError::NotADirectory(_)) => Ok(None),
            looked => looked,
        }
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        self.real(path)
    }

    fn confined<'f>(&'f self, root: &FsPath) -> Result<Box<dyn Fs + 'f>, FsError> {
        if root.starts_with(&self.root) {
            confined(Box::new(&*self.fs), root)
        } else {
            Err(FsError::Escapes(root.clone()))
        }
    }

    /// The walk of the file system itself, each directory of which is looked at again.
    fn walk(&self, ask: &Walk<'_>, out: &mut dyn FnMut(&mut Visit)) {
        let real = match self.real(ask.root) {
            Ok(real) if real == *ask.root => real,
            Ok(_) => return walk::walk(self, ask, out),
            Err(error) => return walk::visits(ask, out, |_, _, _| VisitOutcome::Failed(error.clone())),
        };
        self.fs.walk(&Walk { root: &real, ..*ask }, &mut |visit| {
            if matches!(visit.outcome, VisitOutcome::Listed(_)) {
                match self.fs.canonical(&visit.dir) {
                    Ok(now) if now == visit.dir => {}
                    Ok(_) => visit.outcome = VisitOutcome::Failed(FsError::Escapes(visit.dir.clone())),
                    Err(error) => visit.outcome = VisitOutcome::Failed(error),
                }
            }
            out(visit);
        });
    }

    fn display<'p>(&self, path: &'p FsPath) -> Cow<'p, str> {
        self.fs.display(path)
    }

    fn parse(&self, text: &str, base: &FsPath) -> Option<FsPath> {
        self.fs.parse(text, base)
    }
}
