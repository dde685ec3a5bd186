//! What a skill gives when it is loaded, invoked or called. Each file has one question:
//!
//! - `load`: what is the text of a skill? `substitute` inserts the arguments, `knowledge` points to knowledge files.
//! - `invoke`: what does a line do that the user has typed?
//! - `script` and `toolset`: how is a script or a toolset of a skill run?
//! - `tool`: what is the tool for the model, and what does its call do?
//! - `display`: what does a user interface show?

pub(crate) mod display;
pub(crate) mod invoke;
pub(crate) mod knowledge;
pub(crate) mod load;
pub(crate) mod script;
pub(crate) mod substitute;
pub(crate) mod tool;
pub(crate) mod toolset;

pub use display::StateRow;
pub use knowledge::Hint;
pub use script::{Interpreter, Language, ScriptPlan};
pub use toolset::{ToolsetPlan, Toolsets};

use crate::dialect::Dialect;
use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::loading::load::Loaded;
use crate::model::error::Error;
use crate::model::skill::{Caller, Skill};
use crate::path::FsPath;
use std::sync::Arc;

impl Hint {
    /// The hint for any document with frontmatter, such as the specification of an agent. `path` is the path of the document in
    /// findings. The hint is empty if the dialect has no knowledge files.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, World, dialect};
    /// use skilltree::loading::Hint;
    /// let mut fs = MemFs::new();
    /// fs.file("/p/.sven/knowledge/tea.md", "---\nsubsystem: Tea\n---\n");
    /// let places = Places { project: FsPath::new("/p").ok(), ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let spec = "---\nname: brewer\nknowledge: [tea.md]\n---\nBrew.\n";
    /// let hint = Hint::of(&world, &dialect("sven").unwrap(), &FsPath::new("/p/agent.md").unwrap(), spec);
    /// assert!(hint.text.ends_with("  - .sven/knowledge/tea.md (Tea)"));
    /// ```
    pub fn of(world: &World<'_>, dialect: &Arc<Dialect>, path: &FsPath, text: &str) -> Hint {
        knowledge::knowledge(world, dialect, path, text)
    }
}

impl Catalog {
    /// Loads the file that is asked for as `NAME/FILE`, for dialects whose load tool takes that. `None` if the dialect's does
    /// not, or if no skill that the caller may have is named so. Of a file larger than 262,144 bytes only the beginning is
    /// loaded.
    ///
    /// # Errors
    /// Returns the errors of [`FilePart::read`](crate::package::FilePart::read), and [`Error::Fs`] for a file that is not text.
    pub fn load_file(&self, world: &World<'_>, asked: &str, caller: Caller) -> Result<Option<Loaded>, Error> {
        load::load_file(world, self, asked, caller)
    }

    /// What a call of the load tool tells the model of an unknown skill, if the dialect names other skills then; `None` for
    /// any other error.
    ///
    /// ```
    /// use skilltree::{Caller, MemFs, Places, World, dialect, discover};
    /// use skilltree::{Dialect, FsPath};
    /// use std::sync::Arc;
    /// let file = "name: mine\nextends: agentskills\ntool: {unknown: 'No skill {asked}. There are: {available}'}";
    /// let mine = Dialect::parse(&FsPath::new("/mine.yaml").unwrap(), file, &dialect).unwrap();
    /// let fs = MemFs::new();
    /// let catalog = discover(&World::new(&fs, &Places::default(), &()), &Arc::new(mine));
    /// let error = catalog.find("tea", Caller::Model).unwrap_err();
    /// assert_eq!(catalog.unknown_skill_text(&error).as_deref(), Some("No skill tea. There are: none"));
    /// ```
    pub fn unknown_skill_text(&self, error: &Error) -> Option<String> {
        tool::unknown_skill_text(self, error)
    }
}

impl ScriptPlan {
    /// Plans to run a script. `asked` is its path below the folder `scripts`, with or without `scripts/` or `./` before it.
    ///
    /// ```
    /// use skilltree::{FsPath, Host, MemFs, Places, Skill, Trust, World, dialect, discover};
    /// use skilltree::loading::{Interpreter, Language, ScriptPlan};
    /// struct Trusting;
    /// impl Host for Trusting {
    ///     fn trusts(&self, _: &Skill) -> Trust {
    ///         Trust::Yes
    ///     }
    /// }
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n").file("/s/tea/scripts/boil.py", "");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let world = World::new(&fs, &places, &Trusting);
    /// let catalog = discover(&world, &dialect("agentskills").unwrap());
    /// let plan = ScriptPlan::of(&world, &catalog, &catalog.skills()[0], "boil.py", &[])?;
    /// assert_eq!(plan.file.as_str(), "/s/tea/scripts/boil.py");
    /// assert_eq!(plan.interpreter, Interpreter::Language(Language::Python));
    /// # Ok::<(), skilltree::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Untrusted`] and [`Error::ApprovalVoid`] unless the host trusts the skill; [`Error::Disabled`] where it is switched off;
    /// [`Error::TooManyArguments`], [`Error::ArgumentsTooLong`], [`Error::BadArguments`]; [`Error::NoScript`],
    /// [`Error::PathNotPlain`], [`Error::OutsideScripts`], [`Error::ScriptNotListed`], [`Error::ScriptListInvalid`]; [`Error::NoInterpreter`]; and as [`load`](crate::load()) where
    /// the skill cannot be read.
    pub fn of(
        world: &World<'_>,
        catalog: &Catalog,
        skill: &Skill,
        asked: &str,
        args: &[String],
    ) -> Result<ScriptPlan, Error> {
        script::script(world, catalog, skill, asked, args)
    }

    /// The names of the scripts of a skill that may be run, in byte order. If its manifest lists scripts, only those. A folder
    /// with several names, through symlinks, is listed under one of them. The result does not depend on trust, and is empty if
    /// the skill can no longer be read.
    pub fn names(world: &World<'_>, catalog: &Catalog, skill: &Skill) -> Vec<String> {
        script::scripts(world, catalog, skill)
    }
}

impl Toolsets {
    /// The toolsets that a skill declares.
    ///
    /// ```
    /// use skilltree::{Caller, FsPath, MemFs, Places, World};
    /// use skilltree::loading::Language;
    /// let mut fs = MemFs::new();
    /// fs.file("/s/hi/SKILL.md", "---\nname: hi\ndescription: Hi.\ntoolsets: [\"toolsets/index:Hi\"]\n---\n");
    /// fs.file("/s/hi/toolsets/index.ts", "export const Hi = [];");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// # struct Trusting;
    /// # impl skilltree::Host for Trusting { fn trusts(&self, _: &skilltree::Skill) -> skilltree::Trust { skilltree::Trust::Yes } }
    /// let world = World::new(&fs, &places, &Trusting);
    /// let catalog = skilltree::discover(&world, &skilltree::dialect("agent-base").unwrap());
    /// let toolsets = skilltree::loading::Toolsets::of(&world, &catalog, catalog.find("hi", Caller::User)?)?;
    /// assert_eq!(toolsets.plans[0].file.as_str(), "/s/hi/toolsets/index.ts");
    /// assert_eq!(toolsets.plans[0].language, Language::TypeScript);
    /// # Ok::<(), skilltree::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Untrusted`] and [`Error::ApprovalVoid`] unless the host trusts the skill; [`Error::Disabled`] where it is switched off; and as
    /// [`load`](crate::load()) where the skill cannot be read.
    pub fn of(world: &World<'_>, catalog: &Catalog, skill: &Skill) -> Result<Toolsets, Error> {
        toolset::toolsets(world, catalog, skill)
    }
}
