//! What an engine call may ask: a file system to read, the places to look, a host. A [`World`] is a short view,
//! copied freely and never stored. Absent: clock, environment and processes; a host answers for the machine.

use crate::fs::{Fs, reached};
use crate::model::skill::{Containment, Origin, Permission, Requirement, Skill};
use crate::path::FsPath;
use crate::text::digest::Digest;
use crate::text::escape::visible;
use std::collections::HashSet;

/// Everything that a call may ask.
#[derive(Clone, Copy)]
pub struct World<'a> {
    /// The files.
    pub fs: &'a dyn Fs,
    /// Where to look.
    pub places: &'a Places,
    /// The machine and the user's wishes.
    pub host: &'a dyn Host,
    /// Whether discovery keeps the names of resources.
    pub(crate) keeps_resources: bool,
}

impl<'a> World<'a> {
    /// A view of these three.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, World};
    /// let (fs, places) = (MemFs::new(), Places::default());
    /// let world = World::new(&fs, &places, &());
    /// assert!(world.places.project.is_none());
    /// ```
    pub fn new(fs: &'a dyn Fs, places: &'a Places, host: &'a dyn Host) -> World<'a> {
        World { fs, places, host, keeps_resources: false }
    }

    /// The same, for callers that list the resources of many skills: discovery keeps the names of the files that its walk
    /// comes by in `scripts/`, `references/` and `assets/`, and [`resources`](crate::package::resources) answers with them
    /// instead of listing the folders again.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
    /// use skilltree::package::resources;
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n").file("/s/tea/scripts/boil.sh", "");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let world = World::new(&fs, &places, &()).with_resources();
    /// let catalog = discover(&world, &dialect("agentskills").unwrap());
    /// assert_eq!(resources(&world, &catalog.skills()[0]).scripts, ["scripts/boil.sh"]);
    /// ```
    #[must_use]
    pub fn with_resources(self) -> World<'a> {
        World { keeps_resources: true, ..self }
    }
}

/// Where to look. What is absent is not looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The project's folder.
    pub project: Option<FsPath>,
    /// The user's home directory.
    pub home: Option<FsPath>,
    /// The root of the skills that ship with the agent. None: the dialect's own place below the project.
    pub bundled: Option<FsPath>,
    /// The agent's configuration folder. None: the dialect's own place below the project.
    pub config: Option<FsPath>,
    /// The user's folder, where it is not the home directory.
    pub user: Option<FsPath>,
    /// Where copies for use lie; skills are read there.
    pub active: Option<FsPath>,
    /// The path under which the model sees `active`; none: the same.
    pub mount: Option<String>,
    /// Single skill files, or folders that hold one, each with the id of the plugin that registers it.
    pub registered: Vec<(String, FsPath)>,
    /// More sources, above all others, from low to high.
    pub roots: Vec<FsPath>,
    /// Whether `roots` are the only sources.
    pub only_roots: bool,
    /// Whether links that the project ships may lead out of the project's tree. By default they may not, as what they
    /// lead to would be shown to a model: see the threat model.
    pub follow_links_out: bool,
}

impl Places {
    /// Where links that the project ships may lead: its own tree, and the roots of these sources, which the user
    /// trusts. None where they may lead anywhere.
    pub(crate) fn containment(&self, trusted: Vec<FsPath>) -> Option<Containment> {
        let project = self.project.clone().filter(|_| !self.follow_links_out)?;
        Some(Containment { project, home: self.home.clone(), trusted })
    }

    /// Whether a skill came with the project, so that a host should not trust it before the user has approved it. Skills
    /// that ship with the agent count as the project's unless [`Places::bundled`] says where they are. The others are the
    /// user's own choice (decisions 21).
    pub fn is_from_project(&self, skill: &Skill) -> bool {
        match skill.source.level {
            Origin::Project => true,
            Origin::Bundled => self.bundled.is_none(),
            _ => false,
        }
    }

    /// Where links in a file or folder may lead that is no source; none where it is the user's own.
    pub(crate) fn containment_of(&self, path: &FsPath) -> Option<Containment> {
        self.containment(Vec::new()).filter(|containment| path.is_within(&containment.project))
    }
}

impl Places {
    /// The folder whose symbolic links are not followed on the way to a file that is written: the project, as its links
    /// have come with it and are not the user's choice. None where there is no project, and where the user's own home is
    /// in it or is the project itself.
    pub fn no_links_in(&self, fs: &dyn Fs) -> Option<&FsPath> {
        let project = self.project.as_ref()?;
        let real = reached(fs, project);
        let holds_home = self.home.as_ref().is_some_and(|home| reached(fs, home).is_within(&real));
        (!holds_home).then_some(project)
    }
}

/// What the machine and its user would answer. Every answer has a default; `()` meets, trusts and overrides nothing.
pub trait Host {
    /// Whether the machine has what a skill requires.
    fn meets(&self, _need: &Requirement) -> bool {
        false
    }

    /// Whether what this skill asks for may be granted, and what it brings along be run. Asked each time that it
    /// counts, as trust may hang on the skill's content now.
    fn trusts(&self, _skill: &Skill) -> Trust {
        Trust::No(None)
    }

    /// Whether the caller holds a permission.
    fn holds(&self, _permission: &Permission) -> bool {
        false
    }

    /// Whether the caller may read this file of a skill.
    fn may_read(&self, _file: &FsPath) -> bool {
        true
    }

    /// The value of a variable of the host's: `CLAUDE_SESSION_ID`. None where it is not known.
    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    /// How much a skill is used, for dialects that drop the least used first. Higher is more.
    fn rank(&self, _skill: &Skill) -> u64 {
        0
    }

    /// The host's override for a skill: switched on, off, or as it is.
    fn override_of(&self, _skill: &Skill) -> Override {
        Override::Unset
    }
}

impl Host for () {}

/// What a host's trust in a skill is worth.
///
/// An answer about files that others can write is out of date as soon as it is given. [`Trust::Contents`] says what
/// was found, and everything that is granted or run later is compared with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// The skill is not trusted; with the reason where there is one to give: `its approval is void, as …`.
    No(Option<String>),
    /// The skill is trusted whatever it holds: nobody but the user writes its files, or the user says so.
    Yes,
    /// The skill is trusted as long as it holds exactly this. Needs the feature `digest`: without it nothing can be
    /// compared, and the skill is taken as not trusted.
    Contents(Fingerprint),
}

/// What a skill held when it was found to be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// The digest of all that is in its folder: `Contents::digest` of `ContentScope::Folder`.
    pub folder: Digest,
    /// The digest of its SKILL.md.
    pub manifest: Digest,
}

/// A host's override for a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Override {
    /// No override.
    Unset,
    /// On.
    On,
    /// Off.
    Off,
}

impl Override {
    /// The override for a skill whose key, in either spelling, is in one of these sets; where it is in both it is on.
    pub fn named(skill: &Skill, on: &HashSet<String>, off: &HashSet<String>) -> Override {
        match on.is_empty() && off.is_empty() {
            true => Override::Unset,
            false => Override::of(skill, &|key| on.contains(key), &|key| off.contains(key)),
        }
    }

    /// The same where the sets are told by what is in them.
    pub(crate) fn of(skill: &Skill, on: &dyn Fn(&str) -> bool, off: &dyn Fn(&str) -> bool) -> Override {
        // decisions 20: enable beats disable; decisions 24: both spellings of a key
        let is_in = |set: &dyn Fn(&str) -> bool| set(&skill.key) || set(visible(&skill.key).as_ref());
        match (is_in(on), is_in(off)) {
            (true, _) => Override::On,
            (false, true) => Override::Off,
            (false, false) => Override::Unset,
        }
    }
}
