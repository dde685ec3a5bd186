//! For those who write skills, and compare what several skill systems do with them. Each file has one question:
//!
//! - `new_skill`: what are the files of a new skill?
//! - `field`: which fields does a dialect read, and what may be written in them?
//! - `fix`: what do the checked files look like when they are mended?
//! - `convert`: what is the skill like for another skill system, and what does it lose?
//! - `outline`: where are the parts of a SKILL.md, for editors?
//! - `matrix`: what becomes of each file in several dialects?
//! - `overview`: which clients are here, and what does each of them see, use and lose?
//! - `elsewhere`: in which other dialects is there a skill of this name?
//! - `overlap`: which skills may a model confuse?

pub(crate) mod convert;
pub(crate) mod elsewhere;
pub(crate) mod field;
pub(crate) mod fix;
pub(crate) mod matrix;
pub(crate) mod new_skill;
pub(crate) mod outline;
pub(crate) mod overlap;
pub(crate) mod overview;

pub use crate::dialect::fields::FieldRole;
pub use convert::{Conversion, Loss};
pub use elsewhere::Elsewhere;
pub use field::FieldValue;
pub use fix::{FixRequest, FixScope, FixedFile};
pub use matrix::{Cell, CellState, Matrix, MatrixColumn, MatrixRow, MatrixTable};
pub use new_skill::{NewFolder, NewSkill, NewSkillRequest};
pub use outline::{Outline, OutlineField};
pub use overlap::Overlap;
pub use overview::{ClientOverview, Foremost, Overview};

use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::model::error::Error;
use crate::model::skill::Skill;
use crate::offer::list::PromptRequest;
use crate::path::FsPath;
use crate::text::markdown;
use std::ops::Range;
use std::sync::Arc;

impl Conversion {
    /// Converts a skill for the skill system that `to` describes.
    ///
    /// Fields are written under the keys that `to` has for the same meaning, and placeholders in the body in the form that
    /// `to` replaces. What has no place there is kept where it does no harm, and is listed in [`Conversion::lost`]; what is
    /// too long or has a wrong form is cut or changed, and listed too. Fields that neither of the two dialects knows are kept.
    /// A skill that is converted for its own system stays as it is.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
    /// use skilltree::author::Conversion;
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\ndescription: Makes tea.\nsven:\n  always: true\n---\nBoil water.\n");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let catalog = discover(&world, &dialect("sven").unwrap());
    /// let converted = Conversion::of(&world, &catalog, catalog.find_any("tea")?, &dialect("agent-base").unwrap())?;
    /// assert_eq!(converted.name, "tea");
    /// assert!(converted.manifest.starts_with("---\nname: tea\ndescription: Makes tea.\n"));
    /// assert_eq!(converted.lost[0].field, "sven.always");
    /// # Ok::<(), skilltree::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::SkillGone`] if the file is no longer a skill, [`Error::ReadDenied`] if the host refuses it,
    /// [`Error::TooMuch`] if its folder contains too much to be copied, [`Error::Fs`] for what cannot be read.
    pub fn of(world: &World<'_>, catalog: &Catalog, skill: &Skill, to: &Dialect) -> Result<Conversion, Error> {
        convert::convert(world, catalog, skill, to)
    }
}

impl FixRequest {
    /// Returns what the files that [`check`](crate::check()) checks are to hold, for those that can be mended. Their bodies stay
    /// as they are, and with [`FixScope::Safe`] the values of their fields too.
    ///
    /// ```
    /// use skilltree::author::FixRequest;
    /// use skilltree::{FsPath, MemFs, Places, World, dialect};
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Tea: green\n---\nBoil.\n");
    /// let (places, tree) = (Places::default(), FsPath::new("/s").unwrap());
    /// let world = World::new(&fs, &places, &());
    /// let fixed = FixRequest::default().fix(&world, &dialect("agentskills").unwrap(), &[tree]).unwrap();
    /// assert_eq!(fixed[0].after, b"---\nname: tea\ndescription: \"Tea: green\"\n---\nBoil.\n");
    /// assert_eq!(fixed[0].lines, [3]);
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Fs`] for a path that does not exist or cannot be accessed.
    pub fn fix(&self, world: &World<'_>, dialect: &Arc<Dialect>, paths: &[FsPath]) -> Result<Vec<FixedFile>, Error> {
        fix::fix(world, dialect, paths, self)
    }
}

impl NewSkill {
    /// The files of a new skill with this name for a dialect. Strict checks find nothing in them but notes of the placeholders for
    /// the text, and for a description that was not given.
    ///
    /// ```
    /// use skilltree::author::{NewSkill, NewSkillRequest};
    /// use skilltree::dialect;
    /// let ask = NewSkillRequest { name: "brew-tea".into(), description: "Brews tea when asked.".into(), ..Default::default() };
    /// let skill = NewSkill::of(&dialect("agentskills").unwrap(), &ask).unwrap();
    /// assert!(skill.files[0].1.starts_with("---\nname: brew-tea\ndescription: Brews tea when asked.\n---\n"));
    /// assert!(NewSkill::of(&dialect("agentskills").unwrap(), &NewSkillRequest { name: "Tea!".into(), ..ask }).is_err());
    /// ```
    ///
    /// # Errors
    /// Returns what strict checks find in a skill of this name and description, such as that the name is invalid.
    pub fn of(dialect: &Arc<Dialect>, ask: &NewSkillRequest) -> Result<NewSkill, Vec<Diagnostic>> {
        new_skill::new_skill(dialect, ask)
    }
}

impl Outline {
    /// The lines of a text that are not fenced code, each with the place of its first byte.
    ///
    /// ```
    /// use skilltree::author::Outline;
    /// let lines: Vec<(usize, &str)> = Outline::prose("# Tea\n```\n# code\n```\nBoil.\n").collect();
    /// assert_eq!(lines, [(0, "# Tea"), (21, "Boil.")]);
    /// ```
    pub fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
        markdown::prose(text)
    }

    /// The parts of a Markdown text that may name a file, by their places in bytes: the targets of links and images, and the
    /// code spans.
    ///
    /// ```
    /// use skilltree::author::Outline;
    /// let text = "Read [the guide](guide.md).\n";
    /// assert_eq!(Outline::mentions(text).map(|range| &text[range]).collect::<Vec<_>>(), ["guide.md"]);
    /// ```
    pub fn mentions(text: &str) -> impl Iterator<Item = Range<usize>> {
        markdown::references(text).into_iter().map(|reference| reference.range)
    }

    /// Finds the parts of a SKILL.md. Frontmatter that is not valid YAML is read as far as it can be repaired.
    ///
    /// ```
    /// use skilltree::author::Outline;
    /// use skilltree::{FsPath, dialect};
    /// let path = FsPath::new("/tea/SKILL.md").unwrap();
    /// let outline = Outline::of(&dialect("agentskills").unwrap(), &path, "---\nname: tea\n---\n# Tea\n");
    /// assert_eq!((outline.fields[0].path.as_str(), outline.fields[0].text.as_deref()), ("name", Some("tea")));
    /// assert_eq!(outline.body.unwrap().line, 4);
    /// ```
    pub fn of(dialect: &Dialect, path: &FsPath, text: &str) -> Outline {
        outline::outline(dialect, path, text)
    }

    /// The files that relative paths in a SKILL.md lead to, in their order; `None` for what is no file. As with
    /// [`check`](crate::check), what comes with a project is not followed to anywhere outside of it.
    pub fn references(world: &World<'_>, dialect: &Dialect, path: &FsPath, asked: &[&str]) -> Vec<Option<FsPath>> {
        outline::references(world, dialect, path, asked)
    }

    /// The files that belong to the skill with this SKILL.md, as paths relative to its folder.
    pub fn files_beside(world: &World<'_>, path: &FsPath) -> Vec<String> {
        outline::files_beside(world, path)
    }
}

impl Overlap {
    /// The pairs of skills that a model may confuse, those with most in common first. Only skills that the model may see are
    /// compared.
    ///
    /// Two skills are a pair if their descriptions have the same words in the same order; if the words that they share, of which
    /// rare ones count more, weigh at least half of all their words; if what the prompt shows of their descriptions is the
    /// same, once these are cut to its budget; or if all triggers of one are triggers of the other. Of skills with the same text,
    /// each is paired with the first one alone; and for any other reason, each with at most ten of those before it. A description
    /// is compared with at most 200 of those before it, which share its rarest words.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, PromptRequest, World, dialect, discover};
    /// use skilltree::author::Overlap;
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Brews a cup of tea.\n---\n");
    /// fs.file("/s/cup/SKILL.md", "---\nname: cup\ndescription: Brews a cup of tea!\n---\n");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let catalog = discover(&world, &dialect("agentskills").unwrap());
    /// let pairs = Overlap::all(&world, &catalog, &PromptRequest::default());
    /// assert_eq!((pairs[0].a.as_str(), pairs[0].b.as_str(), pairs[0].score), ("cup", "tea", 1.0));
    /// ```
    pub fn all(world: &World<'_>, catalog: &Catalog, ask: &PromptRequest) -> Vec<Overlap> {
        overlap::overlap(world, catalog, ask)
    }
}

impl Overview {
    /// Those of these dialects whose clients have left traces: a folder of their own in the home directory, or a source of their
    /// own in the project. A folder is a client's own if no other folder that it names is in the tables of fewer dialects.
    ///
    /// ```
    /// use skilltree::author::Overview;
    /// use skilltree::{FsPath, MemFs, Places, World, dialect, dialect::NAMES};
    /// let mut fs = MemFs::new();
    /// fs.dir("/me/.gemini").dir("/me/.agents/skills");
    /// let places = Places { home: FsPath::new("/me").ok(), ..Places::default() };
    /// let all: Vec<_> = NAMES.iter().filter_map(|name| dialect(name)).collect();
    /// let here = Overview::clients(&World::new(&fs, &places, &()), &all);
    /// assert_eq!(here.iter().map(|dialect| dialect.name()).collect::<Vec<_>>(), ["gemini"]);
    /// ```
    pub fn clients(world: &World<'_>, dialects: &[Arc<Dialect>]) -> Vec<Arc<Dialect>> {
        overview::clients_here(world, dialects)
    }
}
