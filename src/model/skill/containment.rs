//! Where the symlinks that come with a project may lead, and a view of a file system that follows no others.
//!
//! A repository is not trusted: a symlink in it may name any file of the machine, and the contents of a SKILL.md are
//! shown to a model. A symlink in a source of the project is therefore followed only within the project's own tree,
//! which is its repository, and into the sources that the user trusts (rules 3.7 and 3.8).

use crate::fs::{
    Action, Entry, FilePrefix, Fs, FsError, Metadata, Step, Visit, VisitOutcome, Walk, WalkEntry, spelled_by,
};
use crate::path::FsPath;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// The entry that marks the root of a repository: a folder, or a file in a worktree or submodule.
const REPOSITORY: &str = ".git";

/// Where the symlinks of a project's source may lead. Paths are as they were given, symlinks not resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Containment {
    pub(crate) project: FsPath,
    pub(crate) home: Option<FsPath>,
    /// The roots of the sources that the user trusts.
    pub(crate) trusted: Vec<FsPath>,
}

impl Containment {
    /// The real paths of the folders that symlinks may lead into, the project's tree first.
    pub(crate) fn folders(&self, fs: &dyn Fs) -> Result<Vec<FsPath>, FsError> {
        let mut folders = Vec::new();
        folders.push(self.tree(fs)?);
        for root in &self.trusted {
            match fs.canonical(root) {
                Ok(real) => folders.push(real),
                Err(error @ FsError::Pending(_)) => return Err(error),
                // A source that does not exist holds nothing that a symlink could lead to.
                Err(_) => {}
            }
        }
        Ok(folders)
    }

    /// The real root of the repository that the project lies in, else the real project itself.
    fn tree(&self, fs: &dyn Fs) -> Result<FsPath, FsError> {
        let project = fs.canonical(&self.project)?;
        Ok(self.repository_of(fs, &project)?.unwrap_or(project))
    }

    /// The real root of the repository that the project lies in.
    pub(crate) fn repository(&self, fs: &dyn Fs) -> Result<Option<FsPath>, FsError> {
        self.repository_of(fs, &fs.canonical(&self.project)?)
    }

    /// The real root of the repository that this real folder of the project lies in.
    fn repository_of(&self, fs: &dyn Fs, project: &FsPath) -> Result<Option<FsPath>, FsError> {
        let home = match self.home.as_ref().map(|home| (home, fs.canonical(home))) {
            None => None,
            Some((_, Ok(real))) => Some(real),
            Some((_, Err(error @ FsError::Pending(_)))) => return Err(error),
            // A home directory that cannot be resolved is compared as it was given.
            Some((home, Err(_))) => Some(home.clone()),
        };
        let mut folder = Some(project.clone());
        while let Some(at) = folder {
            // A repository of the home directory, or of the whole machine, holds far more than this project.
            if at.depth() == 0 || home.as_ref().is_some_and(|home| home.starts_with(&at)) {
                break;
            }
            if let Ok(mark) = at.child(REPOSITORY) {
                if fs.metadata(&mark)?.is_some() {
                    return Ok(Some(at));
                }
            }
            folder = at.parent();
        }
        Ok(None)
    }
}

/// A view of a file system that follows symlinks only to where a [`Containment`] allows; without one it follows all.
///
/// [`Fs::canonical`], [`Fs::list`] and [`Fs::read`] give [`FsError::Escapes`] for a path that leads elsewhere. A path
/// that leads inside is opened by its real path below the folder that allows it, so that a symlink which replaces a
/// part of it in the meantime is refused too.
pub(crate) struct ContainedFs<'a> {
    fs: &'a dyn Fs,
    containment: Option<&'a Containment>,
    /// The folders that symlinks may lead into; computed when a path first leads out of the project.
    folders: OnceCell<Vec<FsPath>>,
    /// The project, held open; `None` if its path has a symlink in it.
    project: OnceCell<Option<Box<dyn Fs + 'a>>>,
}

impl<'a> ContainedFs<'a> {
    pub(crate) fn new(fs: &'a dyn Fs, containment: Option<&'a Containment>) -> ContainedFs<'a> {
        ContainedFs { fs, containment, folders: OnceCell::new(), project: OnceCell::new() }
    }

    /// Asks about a path by the open project, which needs fewer system calls than resolving the path; `None` if that says
    /// nothing, as the path leads out of the project.
    fn ask_project<T>(
        &self,
        containment: &Containment,
        path: &FsPath,
        ask: impl FnOnce(&dyn Fs) -> Result<T, FsError>,
    ) -> Option<Result<T, FsError>> {
        if !path.starts_with(&containment.project) {
            return None;
        }
        let project = self.project.get_or_init(|| self.fs.confined(&containment.project).ok()).as_ref()?;
        Some(ask(&**project)).filter(|answer| !matches!(answer, Err(FsError::Escapes(_))))
    }

    /// The one of the allowed folders in which the real path of `path` lies.
    fn folder(&self, containment: &Containment, path: &FsPath, real: &FsPath) -> Result<FsPath, FsError> {
        // Most paths have no symlink in them, and need no look at the file system.
        if path == real && path.starts_with(&containment.project) {
            return Ok(containment.project.clone());
        }
        let folders = match self.folders.get() {
            Some(folders) => folders,
            None => {
                let folders = containment.folders(self.fs)?;
                self.folders.get_or_init(|| folders)
            }
        };
        let folder = folders.iter().find(|folder| real.starts_with(folder));
        folder.cloned().ok_or_else(|| FsError::Escapes(path.clone()))
    }
}

impl Fs for ContainedFs<'_> {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        let Some(containment) = self.containment else { return self.fs.list(dir) };
        if let Some(answer) = self.ask_project(containment, dir, |project| project.list(dir)) {
            return answer;
        }
        let real = self.fs.canonical(dir)?;
        let folder = self.folder(containment, dir, &real)?;
        self.fs.confined(&folder)?.list(&real)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        let Some(containment) = self.containment else { return self.fs.read(file, at_most) };
        if let Some(answer) = self.ask_project(containment, file, |project| project.read(file, at_most)) {
            return answer;
        }
        let real = self.fs.canonical(file)?;
        let folder = self.folder(containment, file, &real)?;
        self.fs.confined(&folder)?.read(&real, at_most).map_err(|error| match error {
            // The path that has to be fetched is the real one.
            FsError::Pending(_) => error,
            error => error.at(file.clone()),
        })
    }

    fn read_listed(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        match self.containment {
            None => self.fs.read_listed(file, at_most),
            // A folder above the file may have become a symlink since it was listed.
            Some(_) => self.read(file, at_most),
        }
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.fs.metadata(path)
    }

    fn metadata_all(&self, paths: &[&FsPath]) -> Vec<Result<Option<Metadata>, FsError>> {
        self.fs.metadata_all(paths)
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        let real = self.fs.canonical(path)?;
        if let Some(containment) = self.containment {
            self.folder(containment, path, &real)?;
        }
        Ok(real)
    }

    fn read_within(&self, root: &FsPath, rel: &str, at_most: u64) -> Result<FilePrefix, FsError> {
        self.canonical(root)?;
        self.fs.read_within(root, rel, at_most)
    }

    fn confined<'f>(&'f self, root: &FsPath) -> Result<Box<dyn Fs + 'f>, FsError> {
        self.canonical(root)?;
        self.fs.confined(root)
    }

    /// A walk does not enter symlinks to folders, but reads the files that symlinks lead to. Those are read here
    /// instead.
    fn walk(&self, ask: &Walk<'_>, out: &mut dyn FnMut(&mut Visit)) {
        let Some(containment) = self.containment else { return self.fs.walk(ask, out) };
        let opened = self.fs.canonical(ask.root).and_then(|real| {
            let folder = self.folder(containment, ask.root, &real)?;
            Ok((self.fs.confined(&folder)?, real))
        });
        let (files, real) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                let (dir, outcome) = (ask.root.clone(), VisitOutcome::Failed(error));
                return out(&mut Visit { dir, depth: 0, outcome });
            }
        };
        // The confined view has real paths only, while the paths that the caller sees begin with the root as it was
        // given.
        let is_link = real != *ask.root;
        let given = |dir: &FsPath| dir.rebased(&real, ask.root);
        let links: Mutex<HashSet<FsPath>> = Mutex::default();
        let links = || links.lock().unwrap_or_else(PoisonError::into_inner);
        let step = |dir: &FsPath, depth: usize, entries: &[Entry], steps: &mut Vec<Step>| {
            let given = if is_link { given(dir) } else { None };
            (ask.step)(given.as_ref().unwrap_or(dir), depth, entries, steps);
            for step in steps.iter_mut().filter(|step| step.action == Action::Read) {
                if let Some(entry) = entries.get(step.entry).filter(|entry| entry.is_symlink) {
                    links().extend(dir.child(&entry.name).ok());
                    step.action = Action::Report;
                }
            }
        };
        files.walk(&Walk { root: &real, step: &step, ..*ask }, &mut |visit| {
            if let VisitOutcome::Listed(noted) = &mut visit.outcome {
                for WalkEntry { entry, prefix: head } in noted.iter_mut().filter(|noted| noted.entry.is_symlink) {
                    let path = visit.dir.child(&entry.name).ok().filter(|path| links().contains(path));
                    *head = path.map(|path| self.read(&path, ask.prefix_len));
                }
            }
            if is_link {
                match given(&visit.dir) {
                    Some(dir) => visit.dir = dir,
                    None => {
                        debug_assert!(false, "the walk of {real:?} visited {:?}", visit.dir);
                        visit.outcome = VisitOutcome::Failed(FsError::Escapes(visit.dir.clone()));
                    }
                }
            }
            out(visit);
        });
    }

    spelled_by!(fs);
}
