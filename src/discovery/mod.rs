//! Makes a [`Catalog`](crate::Catalog) of a [`World`] and a dialect, in this order: `settings` reads the settings of the client, `source`
//! finds out which folders are searched, `scan` finds the SKILL.md files in them, and `manifest` reads each file. `resolve`
//! then decides which skill is used for each key, with the `states` and `choices` of the user, and `visibility`, which
//! decides how each skill is offered. `catalog` looks skills up. A cache makes repeated discoveries fast.

mod beside;
pub(crate) mod catalog;
pub(crate) mod choices;
pub(crate) mod extras;
pub mod given;
mod json_file;
pub(crate) mod manifest;
pub(crate) mod order;
pub(crate) mod resolve;
pub(crate) mod scan;
pub(crate) mod settings;
pub(crate) mod source;
pub(crate) mod state;
mod visibility;
pub(crate) mod world;

pub use catalog::{FileStatus, SeenFile};
pub use choices::{Choice, Choices};
pub use source::{Presence, SearchedPlace};
pub use state::{FileWrite, StateChange, States, Store};
pub use world::{Fingerprint, Override};

use crate::dialect::Dialect;
use crate::discovery::world::World;
use crate::model::error::Error;
use crate::model::skill::{Skill, Visibility};

impl Choices {
    /// Reads the files that [`Places`](crate::Places) names. Faults in them are reported by [`discover`](crate::discover),
    /// not here.
    ///
    /// ```
    /// use skilltree::discovery::{Choices, Store};
    /// use skilltree::{FsPath, MemFs, Places, Visibility, World};
    /// let mut fs = MemFs::new();
    /// fs.file("/me/skilltree.yaml", "dialect: claude\nskills:\n  git-*: name-only\n");
    /// let places = Places { user_choices: FsPath::new("/me/skilltree.yaml").ok(), ..Places::default() };
    /// let choices = Choices::read(&World::new(&fs, &places, &()));
    /// assert_eq!(choices.dialect.as_deref(), Some("claude"));
    /// let choice = choices.of("git-pr", Store::User).unwrap();
    /// assert_eq!((choice.visibility, choice.line), (Visibility::NameOnly, 3));
    /// ```
    pub fn read(world: &World<'_>) -> Choices {
        choices::choices(world)
    }

    /// Plans to change how a skill is offered, in the file of the user or of the project. The project's file takes only what
    /// narrows: `NameOnly`, `UserOnly` and `Off`.
    ///
    /// ```
    /// use skilltree::discovery::{Choices, Store};
    /// use skilltree::{FsPath, MemFs, Places, Visibility, World, dialect, discover};
    /// let mut fs = MemFs::new();
    /// fs.file("/p/.agents/skills/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n");
    /// fs.file("/me/skilltree.yaml", "skills:\n  coffee: off  # never\n");
    /// let (project, user_choices) = (FsPath::new("/p").ok(), FsPath::new("/me/skilltree.yaml").ok());
    /// let places = Places { project, user_choices, ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let catalog = discover(&world, &dialect("agentskills").unwrap());
    /// let write = Choices::set(&world, catalog.find_any("tea")?, Visibility::NameOnly, Store::User)?;
    /// assert_eq!(write.bytes, b"skills:\n  coffee: off  # never\n  tea: name-only\n");
    /// # Ok::<(), skilltree::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoStore`] if the places name no such file, [`Error::BadArguments`] for a project's file that is to widen,
    /// [`Error::JsonFileCorrupt`] for a file that cannot be read or changed, [`Error::Fs`] for a file of the project that is
    /// a symlink out of the project.
    pub fn set(world: &World<'_>, skill: &Skill, visibility: Visibility, store: Store) -> Result<FileWrite, Error> {
        choices::set_choice(world, skill, visibility, store)
    }
}

impl States {
    /// Reads both stores. Faults in them are reported by [`discover`](crate::discover), not here.
    pub fn read(world: &World<'_>, dialect: &Dialect) -> States {
        state::states(world, dialect)
    }

    /// Plans to change the state of a skill in one store.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, State, World, dialect, discover};
    /// use skilltree::discovery::{StateChange, States, Store};
    /// let mut fs = MemFs::new();
    /// fs.file("/p/.gen/skills/tea/SKILL.md", "---\nname: tea\n---\nBoil water.\n");
    /// let places = Places { project: FsPath::new("/p").ok(), ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let table = dialect("gencode").unwrap();
    /// let catalog = discover(&world, &table);
    /// let tea = catalog.find_any("tea")?;
    /// let write = States::set(&world, &table, tea, StateChange::To(State::Active), Store::Project)?;
    /// assert_eq!(write.path.as_str(), "/p/.gen/skills.json");
    /// assert_eq!(write.bytes, b"{\n  \"skills\": {\n    \"tea\": \"active\"\n  }\n}");
    /// assert_eq!(write.expected, None);
    /// # Ok::<(), skilltree::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotInDialect`] without states, [`Error::NoStore`] without the store's folder, [`Error::JsonFileCorrupt`]
    /// for a store that cannot be read, [`Error::Fs`] for a store of the project that is a symlink out of the project.
    pub fn set(
        world: &World<'_>,
        dialect: &Dialect,
        skill: &Skill,
        change: StateChange,
        store: Store,
    ) -> Result<FileWrite, Error> {
        state::set_state(world, dialect, skill, change, store)
    }
}

impl World<'_> {
    /// All places where a discovery looks, from lowest to highest precedence.
    ///
    /// A rule whose base is not known, such as the home directory of a user who has none, has no place. A folder of plugins
    /// is one place, whatever plugins are in it. A place that several rules name is listed once.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, World, dialect};
    /// use skilltree::discovery::Presence;
    /// let mut fs = MemFs::new();
    /// fs.dir("/p/.claude/skills");
    /// let places = Places { project: FsPath::new("/p").ok(), ..Places::default() };
    /// let searched = World::new(&fs, &places, &()).searched_places(&dialect("agentskills").unwrap());
    /// assert_eq!((searched[0].path.as_str(), &searched[0].presence), ("/p/.claude/skills", &Presence::Exists));
    /// assert_eq!((searched[1].path.as_str(), &searched[1].presence), ("/p/.agents/skills", &Presence::Missing));
    /// ```
    pub fn searched_places(&self, dialect: &Dialect) -> Vec<SearchedPlace> {
        source::searched_places(self, dialect)
    }
}
