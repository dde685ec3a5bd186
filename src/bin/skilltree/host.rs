//! In: a requirement, a source, a skill. Out: what this machine and its user answer.
//! Programs are looked up in PATH, variables in the environment, overrides in the options; trust there, and in what
//! the user has approved.
//! Absent: running anything.

use crate::approve::approval_store;
use crate::args::GlobalOptions;
use crate::user_skills::UserFolders;
use skilltree::host::Programs;
use skilltree::model::{Origin, Override};
use skilltree::package::{Approval, Approvals, ContentScope, contents, fingerprint};
use skilltree::{Dialect, Host, OsFs, Permission, Places, Requirement, Skill, Trust, World};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The machine that the command runs on.
pub(crate) struct Machine {
    programs: Programs,
    enabled: HashSet<String>,
    disabled: HashSet<String>,
    trust: bool,
    /// Whether the user has said where the agent's skills lie. By default they lie in the project, and come with it.
    is_bundle_named: bool,
    /// Which skills are the user's own.
    own: Option<UserFolders>,
    /// GlobalOptions to look; the store of what the user has approved hangs on it.
    places: Places,
    permissions: Vec<Permission>,
}

impl Machine {
    pub(crate) fn new(options: &GlobalOptions) -> Machine {
        Machine {
            programs: Programs::of_environment(),
            enabled: options.enable.iter().cloned().collect(),
            disabled: options.disable.iter().cloned().collect(),
            trust: options.trust,
            is_bundle_named: options.bundled.is_some(),
            own: None,
            places: Places::default(),
            permissions: options.permission.iter().filter_map(|tag| Permission::parse(tag)).collect(),
        }
    }

    /// Takes what these places say of which skills are the user's own, and of where approvals are kept.
    pub(crate) fn stand_in(&mut self, dialect: &Dialect, places: &Places) {
        self.own = Some(UserFolders::new(dialect, places));
        self.places.clone_from(places);
    }

    /// Whether a skill comes along with the project, so that it is not trusted before it is approved.
    // decisions 21: home and `--root` sources are trusted
    pub(crate) fn needs_approval(&self, skill: &Skill) -> bool {
        self.is_in_project(skill) && self.own.as_ref().is_none_or(|own| own.place(skill).is_none())
    }

    /// Whether the way to a skill leads through the project.
    fn is_in_project(&self, skill: &Skill) -> bool {
        match skill.source.level {
            Origin::Project => true,
            Origin::Bundled => !self.is_bundle_named,
            _ => false,
        }
    }

    /// Looked up and read anew each time: both the store and the skill may have changed, and most commands never ask.
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
        if self.trust || !self.is_in_project(skill) {
            return Trust::Yes;
        }
        match self.own.as_ref().and_then(|own| own.place(skill)) {
            Some(own) => as_it_is(&own),
            None => self.approval(skill).trust(),
        }
    }

    fn holds(&self, permission: &Permission) -> bool {
        // What is there may be reached by another name than the one asked for, and links may lead out of it.
        let real = real(permission);
        self.permissions.iter().any(|held| held == permission || self::real(held).covers(&real))
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn override_of(&self, skill: &Skill) -> Override {
        Override::named(skill, &self.enabled, &self.disabled)
    }
}

/// The trust in a skill of the user's own that the project leads to. The way there may lead elsewhere at any moment, so
/// the trust is in what the user's own folder holds.
fn as_it_is(own: &Skill) -> Trust {
    match contents(&World::new(&OsFs::new(), &Places::default(), &()), own, ContentScope::Folder) {
        Ok(contents) => Trust::Contents(fingerprint(own, &contents)),
        Err(error) => Trust::No(Some(format!("the project refers to it, and it cannot be read completely: {error}"))),
    }
}

/// The permission with the links in its path resolved, as far as the path is there.
fn real(permission: &Permission) -> Permission {
    match permission {
        Permission::Read(path) => Permission::Read(reached(path)),
        Permission::Write(path) => Permission::Write(reached(path)),
        other => other.clone(),
    }
}

fn reached(path: &str) -> String {
    if !Path::new(path).is_absolute() {
        return path.to_owned();
    }
    for above in Path::new(path).ancestors() {
        if let (Ok(real), Ok(rest)) = (above.canonicalize(), Path::new(path).strip_prefix(above)) {
            return real.join(rest).to_string_lossy().into_owned();
        }
    }
    path.to_owned()
}

/// The user's home directory by the environment; none where it is not set, or empty.
pub(crate) fn home() -> Option<OsString> {
    let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    std::env::var_os(OsStr::new(name)).filter(|home| !home.is_empty())
}
