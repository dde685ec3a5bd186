//! A view of one folder of the disk through its open descriptor. Every folder between it and a file is opened from the
//! one above and never through a link, so that nothing outside is read, whatever is exchanged meanwhile.

use super::{OsFs, unix};
use crate::fs::{Entry, FilePrefix, Fs, FsError, Metadata, Visit, VisitOutcome, Walk, walk};
use crate::path::FsPath;
use std::borrow::Cow;

pub(super) struct Confined<'f> {
    fs: &'f OsFs,
    dir: unix::Dir,
    root: FsPath,
}

impl<'f> Confined<'f> {
    /// Opens the folder at a real path. A link anywhere on the way is refused.
    pub(super) fn open(fs: &'f OsFs, root: &FsPath) -> Result<Confined<'f>, FsError> {
        let top = unix::Dir::open(&fs.host(&FsPath::root())?, root)?;
        let rest = root.as_str().trim_start_matches('/');
        let dir = top.pass(rest, root)?.ok_or_else(|| FsError::Escapes(root.clone()))?;
        Ok(Confined { fs, dir, root: root.clone() })
    }

    /// Asks by the path below the folder; where a link is on the way, by where it leads within the folder.
    fn ask<T>(
        &self,
        path: &FsPath,
        ask: impl Fn(&unix::Dir, &str) -> Result<Option<T>, FsError>,
    ) -> Result<T, FsError> {
        let escapes = || FsError::Escapes(path.clone());
        if let Some(answer) = ask(&self.dir, path.relative_to(&self.root).ok_or_else(escapes)?)? {
            return Ok(answer);
        }
        // The names come from the file system as it is now, the answer from the folder that is held.
        let real = self.canonical(path)?;
        // No link is on the way that the real path names, or it has just been put there.
        let answer = ask(&self.dir, real.relative_to(&self.root).ok_or_else(escapes)?)?;
        answer.ok_or_else(|| FsError::NotADirectory(path.clone()))
    }
}

impl Fs for Confined<'_> {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.ask(dir, |held, rest| held.list_below(rest, dir))
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.ask(file, |held, rest| held.read_unlinked(rest, file, at_most))
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        let looked = match path.parent().filter(|_| *path != self.root) {
            None => self.ask(path, |held, rest| held.look_below(rest, path)),
            Some(parent) => {
                let parent = self.ask(&parent, |held, rest| held.pass(rest, path));
                parent.and_then(|parent| parent.look_below(path.name(), path)?.ok_or(FsError::NotFound(path.clone())))
            }
        };
        match looked {
            Err(FsError::NotFound(_) | FsError::NotADirectory(_)) => return Ok(None),
            Ok(metadata) if !metadata.is_symlink => return Ok(Some(metadata)),
            Ok(_) => {}
            Err(error) => return Err(error),
        }
        match self.ask(path, |held, rest| {
            held.look_below(rest, path).map(|metadata| metadata.filter(|metadata| !metadata.is_symlink))
        }) {
            Ok(metadata) => Ok(Some(Metadata { is_symlink: true, ..metadata })),
            Err(error @ FsError::Escapes(_)) => Err(error),
            Err(_) => Ok(looked.ok()),
        }
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        let real = if path.starts_with(&self.root) { self.fs.canonical(path)? } else { path.clone() };
        if real.starts_with(&self.root) { Ok(real) } else { Err(FsError::Escapes(path.clone())) }
    }

    fn confined<'f>(&'f self, root: &FsPath) -> Result<Box<dyn Fs + 'f>, FsError> {
        let escapes = || FsError::Escapes(root.clone());
        let dir = self.dir.pass(root.relative_to(&self.root).ok_or_else(escapes)?, root)?.ok_or_else(escapes)?;
        Ok(Box::new(Confined { fs: self.fs, dir, root: root.clone() }))
    }

    fn walk(&self, ask: &Walk<'_>, out: &mut dyn FnMut(&mut Visit)) {
        match self.ask(ask.root, |held, rest| held.enter_below(rest, ask.root)) {
            Ok(dir) => dir.walk(ask, &|| self.fs.threads(), out),
            Err(error) => walk::visits(ask, out, |_, _, _| VisitOutcome::Failed(error.clone())),
        }
    }

    fn display<'p>(&self, path: &'p FsPath) -> Cow<'p, str> {
        self.fs.display(path)
    }

    fn parse(&self, text: &str, base: &FsPath) -> Option<FsPath> {
        self.fs.parse(text, base)
    }
}
