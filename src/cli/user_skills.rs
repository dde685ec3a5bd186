//! Tells the user's own skills from those of the project: a skill belongs to the user if it is in a folder that a
//! home source searches.

use skilltree::{Dialect, Fs, FsPath, OsFs, Places, Skill};

/// The folders that contain the user's own skills.
pub(crate) struct UserFolders {
    /// The folders of the home sources.
    folders: Vec<FsPath>,
    /// The maximum depth at which skills are found in them.
    depth: Option<usize>,
    project: Option<FsPath>,
}

impl UserFolders {
    pub(crate) fn new(dialect: &Dialect, places: &Places) -> UserFolders {
        UserFolders {
            folders: places.home_folders(dialect),
            depth: dialect.scan_depth(),
            project: places.project.clone(),
        }
    }

    /// The skill at its real path, if a home source finds it there: however it was reached, the trust in it is the
    /// same (rule 19.1). This includes a repository in such a folder: the user put it among their own skills, and
    /// it is searched like them, to the same depth. A folder of the project does not become the user's through a
    /// symlink to it from the home directory, nor through a symlink in it to a file there: the scripts beside the
    /// file would still be the project's.
    pub(crate) fn place(&self, skill: &Skill) -> Option<Skill> {
        let fs = OsFs::new();
        let canonical = |path: &FsPath| fs.canonical(path).ok();
        let (file, dir) = (canonical(&skill.path)?, canonical(&skill.dir())?);
        let is_read = |folder: &FsPath| {
            let levels = dir.relative_to(folder).map(|below| below.split('/').count());
            file.starts_with(folder) && levels.is_some_and(|levels| self.depth.is_none_or(|most| levels <= most))
        };
        let is_own = self
            .folders
            .iter()
            .filter_map(canonical)
            .filter(|folder| !self.project.as_ref().is_some_and(|project| is_in_project(&fs, folder, project)))
            .any(|folder| is_read(&folder) || canonical(&skill.source.root).as_ref() == Some(&folder));
        if !is_own {
            return None;
        }
        let path = dir.child(skill.path.name()).ok()?;
        let target = Some(file).filter(|file| *file != path);
        Some(skill.with_location(path, target))
    }
}

/// Whether a path is in the project, and the project is not the user's home directory.
pub(crate) fn is_in_project(fs: &OsFs, path: &FsPath, project: &FsPath) -> bool {
    let project = resolved(fs, project);
    let home = Places::home_from_env().and_then(|home| fs.parse(home.to_str()?, &FsPath::root()));
    resolved(fs, path).starts_with(&project) && home.is_none_or(|home| resolved(fs, &home) != project)
}

/// The path with symlinks resolved in the part that exists.
pub(crate) fn resolved(fs: &OsFs, path: &FsPath) -> FsPath {
    let mut above = Some(path.clone());
    while let Some(at) = above {
        if let (Ok(real), Some(rest)) = (fs.canonical(&at), path.relative_to(&at)) {
            match real.join(rest) {
                Ok(resolved) => return resolved,
                Err(error) => debug_assert!(false, "a part of a path is a path: {error}"),
            }
        }
        above = at.parent();
    }
    path.clone()
}
