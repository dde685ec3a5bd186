//! What a call of the engine may ask of its caller: a file system to read, the places to search, and a host that
//! answers for the machine and its user. The core itself never reads the clock or the environment, and starts no
//! process.

use crate::dialect::{Base, Dialect};
use crate::discovery::extras::Extras;
use crate::fs::{FilePrefix, Fs, FsError, reached};
use crate::model::parsed::ParsedFrontmatters;
use crate::model::reading::Reading;
use crate::model::skill::{Containment, Origin, Permission, Requirement, Skill, Source};
use crate::path::FsPath;
use crate::text::digest::Digest;
use crate::text::escape::visible;
use std::collections::HashSet;
use std::iter;
use std::sync::Arc;

/// Everything that a call may ask of its caller. A `World` is a set of references, made for a call and not stored.
#[derive(Clone, Copy)]
pub struct World<'a> {
    /// The files of the skills.
    pub fs: &'a dyn Fs,
    /// Where skills are searched.
    pub places: &'a Places,
    /// Answers for the machine and its user.
    pub host: &'a dyn Host,
    /// What not every host needs, or what a lean world does instead.
    pub(crate) extras: &'static Extras,
    /// How files are read, whatever the dialect says.
    pub(crate) reading: Option<Reading>,
    /// Whether discovery remembers the names of the files in resource folders.
    pub(crate) keeps_resources: bool,
    /// What discoveries by several dialects share.
    pub(crate) parsed: Option<&'a ParsedFrontmatters>,
    /// Is called with each SKILL.md that a walk of a source reads, while the file system may list further folders in other
    /// threads. The walk reads whole files then.
    pub(crate) on_read: Option<OnRead<'a>>,
}

/// What is done with a SKILL.md of a source and what was read of it, in a world that reads no file which the source may
/// not read.
pub(crate) type OnRead<'a> = &'a dyn Fn(&World<'_>, &Arc<Source>, &FsPath, Result<&FilePrefix, &FsError>);

impl<'a> World<'a> {
    /// A world of these three.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, World};
    /// let (fs, places) = (MemFs::new(), Places::default());
    /// let world = World::new(&fs, &places, &());
    /// assert!(world.places.project.is_none());
    /// ```
    pub fn new(fs: &'a dyn Fs, places: &'a Places, host: &'a dyn Host) -> World<'a> {
        World { extras: Extras::FULL, ..World::lean(fs, places, host) }
    }

    /// A world without the parts that not every host needs, for constrained builds: a program whose worlds are all lean does
    /// not link them, which saves about a sixth of the engine.
    ///
    /// Such a world reads the frontmatter of valid files alone, and none of the files that a client and its user keep beside
    /// skills. What it has not read has a finding ([`Code::NotRead`](crate::Code::NotRead), or the code of what is invalid),
    /// and what an unread part could restrict is withheld: the skills of a file that may be meant otherwise, and all skills
    /// where there is a settings file, a store of states or a file of choices.
    ///
    /// ```
    /// use skilltree::{Caller, MemFs, FsPath, Places, World, dialect, discover};
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n");
    /// fs.file("/s/mate/SKILL.md", "---\nname: mate\ndescription: Mate: the drink\n---\n");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let catalog = discover(&World::lean(&fs, &places, &()), &dialect("sven").unwrap());
    /// assert!(catalog.find("tea", Caller::Model).is_ok());
    /// assert_eq!(catalog.findings()[0].code, skilltree::Code::Yaml);
    /// ```
    pub fn lean(fs: &'a dyn Fs, places: &'a Places, host: &'a dyn Host) -> World<'a> {
        World {
            fs,
            places,
            host,
            extras: Extras::LEAN,
            reading: None,
            keeps_resources: false,
            parsed: None,
            on_read: None,
        }
    }

    /// A world in which files are read in this way, whatever the dialect says; `None` leaves it to the dialect.
    ///
    /// ```
    /// use skilltree::model::Reading;
    /// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Tea: green\n---\n");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let world = World::new(&fs, &places, &()).with_reading(Some(Reading::Faithful));
    /// assert!(discover(&world, &dialect("agentskills").unwrap()).skills().is_empty());
    /// ```
    #[must_use]
    pub fn with_reading(self, reading: Option<Reading>) -> World<'a> {
        World { reading, ..self }
    }

    /// A world in which discovery remembers the names of the files in `scripts/`, `references/` and `assets/`, so that
    /// [`Skill::resources`](crate::Skill::resources) need not list these folders again. For callers that show the resources
    /// of many skills.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n").file("/s/tea/scripts/boil.sh", "");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let world = World::new(&fs, &places, &()).with_resources();
    /// let catalog = discover(&world, &dialect("agentskills").unwrap());
    /// assert_eq!(catalog.skills()[0].resources(&world).scripts, ["scripts/boil.sh"]);
    /// ```
    #[must_use]
    pub fn with_resources(self) -> World<'a> {
        World { keeps_resources: true, ..self }
    }

    /// A world in which discoveries by several dialects parse each frontmatter once: see [`ParsedFrontmatters`].
    #[must_use]
    pub fn with_parsed(self, parsed: &'a ParsedFrontmatters) -> World<'a> {
        World { parsed: Some(parsed), ..self }
    }
}

impl Dialect {
    /// The dialect with the reading that counts in a world: that of the world if it has one, else the dialect's own. Whatever
    /// is given a world and a dialect begins with it, so that after it only [`Dialect::reading`] matters.
    pub(crate) fn in_world(self: &Arc<Dialect>, world: &World<'_>) -> Arc<Dialect> {
        match world.reading {
            Some(reading) if reading != self.reading => Arc::new(self.with_reading(reading)),
            Some(_) | None => Arc::clone(self),
        }
    }
}

/// Where skills and the choices about them are, and how symlinks are followed. A folder that is absent is not searched,
/// unless its field says otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The project's folder.
    pub project: Option<FsPath>,
    /// The user's home directory.
    pub home: Option<FsPath>,
    /// The folder of the skills that ship with the agent. If absent, the dialect's own folder below the project.
    pub bundled: Option<FsPath>,
    /// The agent's configuration folder. If absent, the dialect's own folder below the project.
    pub config: Option<FsPath>,
    /// The user's folder, in systems that have one besides the home directory.
    pub user: Option<FsPath>,
    /// The folder of the settings and skills that an administrator manages.
    pub managed: Option<FsPath>,
    /// The files and folders that are being worked on. They decide which nested sources are searched, and which skills with
    /// `paths` are offered.
    pub touched: Vec<FsPath>,
    /// The file with the user's choices of how skills are offered: `~/.config/skilltree/skilltree.yaml`. It need not
    /// exist.
    pub user_choices: Option<FsPath>,
    /// The files that may hold the project's choices, which only narrow. Those of the first folder that has any are read.
    pub project_choices: Vec<FsPath>,
    /// The folder that holds the copies of activated skills. Skills are read from there.
    pub active: Option<FsPath>,
    /// The path under which the model sees `active`, if it is another one.
    pub mount: Option<String>,
    /// Skill files, or folders that hold one, each with the id of the plugin that registers it.
    pub registered: Vec<(String, FsPath)>,
    /// Search roots: further folders of skills with precedence over all others, from lowest to highest.
    pub roots: Vec<FsPath>,
    /// Whether `roots` are the only sources.
    pub only_roots: bool,
    /// Whether symlinks that come with the project are followed out of the project's tree. By default they are not, as
    /// the contents of any file on the machine could be shown to a model: see the threat model.
    pub follow_links_out: bool,
}

impl Places {
    /// The folder of a base; `None` if the caller does not name it.
    pub(crate) fn folder(&self, base: Base) -> Option<&FsPath> {
        match base {
            Base::Home => self.home.as_ref(),
            Base::Project => self.project.as_ref(),
            Base::Bundled => self.bundled.as_ref(),
            Base::Config => self.config.as_ref(),
            Base::User => self.user.as_ref(),
            Base::Managed => self.managed.as_ref(),
            Base::Registered => None,
        }
    }

    /// Where symlinks that come with the project may lead: to its own tree, and to the folders in `trusted`. `None` if
    /// they may lead anywhere.
    pub(crate) fn containment(&self, trusted: Vec<FsPath>) -> Option<Containment> {
        let project = self.project.clone().filter(|_| !self.follow_links_out)?;
        Some(Containment { project, home: self.home.clone(), trusted })
    }

    /// The root of the repository that the project lies in; `None` if it lies in none, or if that is the home directory or
    /// a folder above it.
    pub(crate) fn repository(&self, fs: &dyn Fs) -> Result<Option<FsPath>, FsError> {
        let Some(project) = self.project.clone() else { return Ok(None) };
        Containment { project, home: self.home.clone(), trusted: Vec::new() }.repository(fs)
    }

    /// The project's folder and those above it in its tree, the nearest first: up to the folder of its repository, or the
    /// project's folder alone if it lies in none (rule 3.8). Each of them may have files that are about the project's skills, such as
    /// those in the folders above it that a client searches. Without a project there are none.
    ///
    /// # Errors
    /// If the file system cannot tell where the project really is, or where its repository begins. A project that does not exist is
    /// no error.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places};
    /// let mut fs = MemFs::new();
    /// fs.file("/me/code/.git/HEAD", "").file("/me/code/web/app/main.js", "");
    /// let places = Places { project: FsPath::new("/me/code/web/app").ok(), ..Places::default() };
    /// let folders = places.project_folders(&fs).unwrap();
    /// assert_eq!(folders.iter().map(FsPath::as_str).collect::<Vec<_>>(), ["/me/code/web/app", "/me/code/web", "/me/code"]);
    /// ```
    pub fn project_folders(&self, fs: &dyn Fs) -> Result<Vec<FsPath>, FsError> {
        let Some(project) = &self.project else { return Ok(Vec::new()) };
        let levels = match self.repository(fs) {
            // The path may have symlinks in it, so folders are counted in the real one.
            Ok(Some(root)) => fs.canonical(project)?.depth().saturating_sub(root.depth()),
            // A project need not be there yet.
            Ok(None) | Err(FsError::NotFound(_) | FsError::NotADirectory(_)) => 0,
            Err(error) => return Err(error),
        };
        Ok(iter::successors(Some(project.clone()), FsPath::parent).take(levels + 1).collect())
    }

    /// The files that may hold the choices of a project with these [folders](Places::project_folders), for
    /// [`Places::project_choices`]: `.skilltree/skilltree.yaml` and `skilltree.yaml` in each of them (rule 9.12).
    pub fn project_choices_in(folders: &[FsPath]) -> Vec<FsPath> {
        let names = [".skilltree/skilltree.yaml", "skilltree.yaml"];
        folders.iter().flat_map(|folder| names.iter().filter_map(|name| folder.join(name).ok())).collect()
    }

    /// Whether a skill came with the project, so that a host should not trust it before the user has approved it. Skills
    /// that ship with the agent count as the project's unless [`Places::bundled`] says where they are. The others are the
    /// user's own choice (rule 16.2).
    pub fn is_from_project(&self, skill: &Skill) -> bool {
        match skill.source.origin {
            Origin::Project => true,
            Origin::Bundled => self.bundled.is_none(),
            _ => false,
        }
    }

    /// Where symlinks at a path that is not in a source may lead; `None` if the path does not lie in the project.
    pub(crate) fn containment_of(&self, path: &FsPath) -> Option<Containment> {
        self.containment(Vec::new()).filter(|containment| path.starts_with(&containment.project))
    }

    /// The folder in which no symlink is followed on the way to a file that is written: the project, as its symlinks
    /// have come with it and are not the user's choice. `None` if there is no project, or if it holds the user's home
    /// directory.
    pub fn no_links_in(&self, fs: &dyn Fs) -> Option<&FsPath> {
        let project = self.project.as_ref()?;
        let real = reached(fs, project);
        let holds_home = self.home.as_ref().is_some_and(|home| reached(fs, home).starts_with(&real));
        (!holds_home).then_some(project)
    }
}

/// Answers for the machine and its user. Every method has a default; `()` meets, trusts and overrides nothing.
pub trait Host {
    /// Whether the machine has what a skill requires.
    fn meets(&self, _requirement: &Requirement) -> bool {
        false
    }

    /// Whether a skill is trusted, so that what it asks for may be granted and its scripts and tools may run. Asked
    /// each time that it matters, as trust may depend on what the skill contains now.
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

    /// The value of a variable of the host, such as `CLAUDE_SESSION_ID`; `None` if it is not known.
    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    /// How much a skill is used; higher is more. For dialects that drop the descriptions of the least used skills
    /// first.
    fn rank(&self, _skill: &Skill) -> u64 {
        0
    }

    /// Whether the host switches a skill on or off.
    fn override_of(&self, _skill: &Skill) -> Override {
        Override::Unset
    }
}

impl Host for () {}

/// How far a host trusts a skill.
///
/// An answer about files that others can write may be out of date as soon as it is given. [`Trust::Contents`] therefore
/// says which contents are trusted, and everything that is granted or run later is compared with them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// The skill is not trusted, with a reason if there is one to show: `its approval is void, as …`.
    No(Option<String>),
    /// The skill is trusted whatever it contains, as nobody but the user writes its files, or as the user says so.
    Yes,
    /// The skill is trusted as long as it contains exactly this, as `Contents::trust` says of what it contains now. Without
    /// the feature `digest` nothing can be compared, and the skill is not trusted.
    Contents {
        /// The digest of everything in its folder: `Contents::digest` for `Purpose::Approve`.
        folder: Digest,
        /// The digest of its SKILL.md.
        manifest: Digest,
    },
}

/// A host's override for a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Override {
    /// No override.
    Unset,
    /// The skill is switched on.
    On,
    /// The skill is switched off.
    Off,
}

impl Override {
    /// The override for a skill whose key is in one of these sets, as it is or with escapes for invisible characters. A
    /// skill in both sets is switched on.
    pub fn named(skill: &Skill, on: &HashSet<String>, off: &HashSet<String>) -> Override {
        match on.is_empty() && off.is_empty() {
            true => Override::Unset,
            false => Override::of(skill, &|key| on.contains(key), &|key| off.contains(key)),
        }
    }

    /// Like [`Override::named`], with functions that say what is in the sets.
    pub(crate) fn of(skill: &Skill, on: &dyn Fn(&str) -> bool, off: &dyn Fn(&str) -> bool) -> Override {
        // Rule 9.4: enable beats disable; rule 7.7: both spellings of a key
        let is_in = |set: &dyn Fn(&str) -> bool| set(&skill.key) || set(visible(&skill.key).as_ref());
        match (is_in(on), is_in(off)) {
            (true, _) => Override::On,
            (false, true) => Override::Off,
            (false, false) => Override::Unset,
        }
    }
}
