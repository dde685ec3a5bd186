//! The [`Host`] of the command line: programs are looked up in PATH, variables in the environment, overrides in the
//! options, and trust in the options and in the user's approvals. A skill is the user's own, and not the project's, if it is
//! in a folder that a home source searches.

use crate::approve::approval_store;
use crate::args::GlobalOptions;
use crate::policy::Gate;
use crate::setup::and_above;
use skilltree::discovery::Override;
use skilltree::host::Programs;
use skilltree::model::Origin;
use skilltree::package::{Approval, Approvals, Contents, Purpose};
use skilltree::{Dialect, Fs, FsPath, Host, OsFs, Permission, Places, Requirement, Skill, Trust, World};
use std::collections::HashSet;
use std::path::Path;

/// The machine that this program runs on, and what its user has decided.
pub(crate) struct Machine {
    programs: Programs,
    enabled: HashSet<String>,
    disabled: HashSet<String>,
    trust: bool,
    /// The user's own skills; `None` until the places are known.
    own: Option<UserFolders>,
    /// The places, which determine where the store of approvals is.
    places: Places,
    permissions: Vec<Permission>,
    /// What policies forbid; none if there is no policy.
    pub(crate) gate: Option<Gate>,
}

impl Machine {
    pub(crate) fn new(options: &GlobalOptions) -> Machine {
        Machine {
            programs: Programs::of_environment(),
            enabled: options.enable.iter().cloned().collect(),
            disabled: options.disable.iter().cloned().collect(),
            trust: options.trust,
            own: None,
            places: Places::default(),
            permissions: options.permission.iter().map(|tag| tag.permission.clone()).collect(),
            gate: None,
        }
    }

    /// Sets which skills are the user's own, and where approvals are stored.
    pub(crate) fn set_places(&mut self, dialect: &Dialect, places: &Places) {
        self.own = Some(UserFolders::new(dialect, places));
        self.places.clone_from(places);
    }

    /// Whether a skill belongs to the project, so that it is not trusted until it is approved.
    // Rule 19.1: home and `--root` sources are trusted
    pub(crate) fn needs_approval(&self, skill: &Skill) -> bool {
        self.is_from_project(skill) && self.own.as_ref().is_none_or(|own| own.place(skill).is_none())
    }

    /// Whether a skill came with the project, though perhaps a symlink in the home directory leads to it.
    fn is_from_project(&self, skill: &Skill) -> bool {
        let leads_there = || self.own.as_ref().is_some_and(|own| own.leads_into_project(skill));
        self.places.is_from_project(skill) || (skill.source.origin == Origin::User && leads_there())
    }

    /// Read again each time: both the store and the skill may have changed, and most commands never ask.
    fn approval(&self, skill: &Skill) -> Approval {
        let fs = OsFs::new();
        let Ok(store) = approval_store(&fs, &self.places) else { return Approval::None };
        Approvals::read(&fs, &store).of(&World::new(&fs, &Places::default(), &()), skill)
    }
}

impl Host for Machine {
    fn meets(&self, need: &Requirement) -> bool {
        match need {
            Requirement::Bin(name) => self.programs.find(name).is_some(),
            Requirement::Env(name) => std::env::var_os(name).is_some_and(|value| !value.is_empty()),
            _ => false,
        }
    }

    fn trusts(&self, skill: &Skill) -> Trust {
        if let Some(breach) = self.gate.as_ref().and_then(|gate| gate.refusal(skill)) {
            return Trust::No(Some(format!("it is {}", breach.told())));
        }
        if self.trust || !self.is_from_project(skill) {
            return Trust::Yes;
        }
        match self.own.as_ref().and_then(|own| own.place(skill)) {
            Some(own) => as_it_is(&own),
            None => self.approval(skill).trust(),
        }
    }

    fn holds(&self, permission: &Permission) -> bool {
        // A file may be reached by another path than the one asked for, and symlinks may lead out of a permitted
        // folder.
        let real = resolved_permission(permission);
        let covers = |held: &Permission| Some(resolved_permission(held)?.covers(real.as_ref()?));
        self.permissions.iter().any(|held| held == permission || covers(held) == Some(true))
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn override_of(&self, skill: &Skill) -> Override {
        // Nothing switches on what a policy forbids.
        if self.gate.as_ref().is_some_and(|gate| gate.refusal(skill).is_some()) {
            return Override::Off;
        }
        Override::named(skill, &self.enabled, &self.disabled)
    }
}

/// The trust in a skill of the user that was found through the project. The project may lead elsewhere at any moment,
/// so only the present contents of the user's own folder are trusted.
fn as_it_is(own: &Skill) -> Trust {
    match Contents::of(&World::new(&OsFs::new(), &Places::default(), &()), own, Purpose::Approve) {
        Ok(contents) => contents.trust(own),
        Err(error) => Trust::No(Some(format!("the project refers to it, and it cannot be read completely: {error}"))),
    }
}

/// The permission with the symlinks in its path resolved, as far as the path exists; `None` if the result is not UTF-8.
fn resolved_permission(permission: &Permission) -> Option<Permission> {
    Some(match permission {
        Permission::Read(path) => Permission::Read(resolved_path(path)?),
        Permission::Write(path) => Permission::Write(resolved_path(path)?),
        other => other.clone(),
    })
}

fn resolved_path(path: &str) -> Option<String> {
    if !Path::new(path).is_absolute() {
        return Some(path.to_owned());
    }
    for above in Path::new(path).ancestors() {
        if let (Ok(real), Ok(rest)) = (above.canonicalize(), Path::new(path).strip_prefix(above)) {
            return real.join(rest).into_os_string().into_string().ok();
        }
    }
    Some(path.to_owned())
}

/// The folders that contain the user's own skills.
struct UserFolders {
    /// The folders of the home sources.
    folders: Vec<FsPath>,
    /// The maximum depth at which skills are found in them.
    depth: Option<usize>,
    project: Option<FsPath>,
    home: Option<FsPath>,
}

impl UserFolders {
    pub(crate) fn new(dialect: &Dialect, places: &Places) -> UserFolders {
        UserFolders {
            folders: places.home_folders(dialect),
            depth: dialect.scan_depth(),
            project: places.project.clone(),
            home: places.home.clone(),
        }
    }

    /// Whether the real file or folder of a skill that was found in the home directory is in the project, in which the home
    /// directory is not.
    fn leads_into_project(&self, skill: &Skill) -> bool {
        let (Some(project), Some(home)) = (&self.project, &self.home) else { return false };
        let is_within = |path: &FsPath| is_in_project(&OsFs::new(), path, project);
        let is_found_at_home = skill.source.root.starts_with(home) && !is_within(home);
        is_found_at_home && (is_within(&skill.path) || is_within(&skill.dir()))
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
        let in_project = |path: &FsPath| self.project.as_ref().is_some_and(|project| is_in_project(&fs, path, project));
        // A link in the home directory to a place outside of the project is the user's word for that place.
        let is_linked = |folder: &FsPath| {
            canonical(&skill.source.root).as_ref() == Some(folder) && !in_project(&file) && !in_project(&dir)
        };
        let mut own = self.folders.iter().filter_map(canonical).filter(|folder| !in_project(folder));
        let is_own = own.any(|folder| is_read(&folder) || is_linked(&folder));
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
    for at in and_above(path) {
        if let (Ok(real), Some(rest)) = (fs.canonical(&at), path.relative_to(&at)) {
            match real.join(rest) {
                Ok(resolved) => return resolved,
                Err(error) => debug_assert!(false, "a part of a path is a path: {error}"),
            }
        }
    }
    path.clone()
}
