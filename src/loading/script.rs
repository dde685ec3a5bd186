//! Plans to run a script of a skill: [`script`] returns a [`ScriptPlan`] with the file, its interpreter, the working
//! directory and the environment variables, or why the script may not be run. `host::run_script` carries the plan out.
//!
//! A script is a file of the skill itself, with symlinks resolved, that is named by a path below the folder `scripts`.

mod interpreter;
mod language;
mod lookup;

pub use interpreter::Interpreter;
pub use language::Language;

use crate::diagnostic::Diagnostic;
use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::model::error::Error;
use crate::model::skill::{Frontmatter, ScriptList, Skill, State};
use crate::package::body;
use crate::package::trust::{ExpectedContents, trusted};
use crate::path::FsPath;
use crate::text::escape::visible;
use lookup::Folder;

// Rule 17.3
/// The most arguments of a script.
const MAX_ARGUMENTS: usize = 100;

// Rule 17.3
/// The most bytes of all arguments together.
const MAX_ARGUMENT_BYTES: usize = 4_096;

/// How many names an error lists.
const MAX_NAMED: usize = 10;

/// How to run a script.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScriptPlan {
    /// The skill's key.
    pub key: String,
    /// The script's name: its path below `scripts/`.
    pub name: String,
    /// The real path of the file, which is in `dir`.
    pub file: FsPath,
    /// The real path of the skill's folder, which is the working directory.
    pub dir: FsPath,
    /// What runs the file.
    pub interpreter: Interpreter,
    /// The arguments of the script.
    pub args: Vec<String>,
    /// The environment variables that the skill requires. The script may read them besides the usual ones.
    pub variables: Vec<String>,
    /// The contents that the skill's folder must have when the script is run; `None` if the skill is trusted whatever it
    /// contains.
    pub expected_contents: Option<ExpectedContents>,
}

/// The names of the scripts of a skill that may be run, in byte order. If its manifest lists scripts, only those. A folder
/// with several names, through symlinks, is listed under one of them. The result does not depend on trust, and is empty if
/// the skill can no longer be read.
pub fn scripts(world: &World<'_>, catalog: &Catalog, skill: &Skill) -> Vec<String> {
    let Ok(body) = body::read(catalog, world, skill) else { return Vec::new() };
    let mut names = Folder::of(world, &body.path).map(|folder| folder.names()).unwrap_or_default();
    names.retain(|name| body.frontmatter.allows_script(name));
    names
}

/// For each of these names in a SKILL.md, the finding if it is not the name of a script.
pub(crate) fn faults<'n>(
    world: &World<'_>,
    skill: &FsPath,
    listed: impl Iterator<Item = &'n str>,
) -> Vec<Option<Diagnostic>> {
    let Ok(folder) = Folder::of(world, skill) else { return Vec::new() };
    listed.map(|name| folder.find(name).err().map(|no| no.finding(skill, name, &folder.names()))).collect()
}

/// Plans to run a script. `asked` is its path below the folder `scripts`, with or without `scripts/` or `./` before it.
///
/// ```
/// use skilltree::{FsPath, Host, MemFs, Places, Skill, Trust, World, dialect, discover};
/// use skilltree::loading::{Interpreter, Language, script};
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
/// let plan = script(&world, &catalog, &catalog.skills()[0], "boil.py", &[])?;
/// assert_eq!(plan.file.as_str(), "/s/tea/scripts/boil.py");
/// assert_eq!(plan.interpreter, Interpreter::Language(Language::Python));
/// # Ok::<(), skilltree::Error>(())
/// ```
///
/// # Errors
/// [`Error::Untrusted`] and [`Error::ApprovalVoid`] unless the host trusts the skill; [`Error::Disabled`] where it is switched off;
/// [`Error::TooManyArguments`], [`Error::ArgumentsTooLong`], [`Error::BadArguments`]; [`Error::NoScript`],
/// [`Error::PathNotPlain`], [`Error::OutsideScripts`], [`Error::ScriptNotListed`], [`Error::ScriptListInvalid`]; [`Error::NoInterpreter`]; and as [`load`](crate::loading::load) where
/// the skill cannot be read.
pub fn script(
    world: &World<'_>,
    catalog: &Catalog,
    skill: &Skill,
    asked: &str,
    args: &[String],
) -> Result<ScriptPlan, Error> {
    let key = visible(&skill.key).into_owned();
    if skill.state == State::Disabled {
        return Err(catalog.disabled(skill));
    }
    let body = body::read(catalog, world, skill)?;
    let pinned = trusted(world, skill, &body.path, &body.bytes)?;
    check_arguments(args)?;
    let folder = Folder::of(world, &body.path)?;
    let found = folder.find(asked).map_err(|no| {
        let mut runnable = folder.names();
        runnable.retain(|name| body.frontmatter.allows_script(name));
        no.error(&key, &runnable)
    })?;
    if !body.frontmatter.allows_script(&found.name) {
        return Err(not_listed(&body.frontmatter, key, &found.name));
    }
    let interpreter = interpreter::interpreter(world, &folder.real, &found.rel, &found.name)?;
    Ok(ScriptPlan {
        key: skill.key.clone(),
        name: found.name,
        file: found.file,
        dir: folder.real,
        interpreter,
        args: args.to_vec(),
        variables: body.frontmatter.environment_variables(),
        expected_contents: pinned,
    })
}

/// Plans a script again in a copy of its skill's folder, whose SKILL.md is `skill`. The file and the interpreter of the
/// first plan cannot be used, as they were read before the contents were compared.
#[cfg(feature = "processes")]
pub(crate) fn in_copy(world: &World<'_>, skill: &FsPath, plan: &ScriptPlan) -> Result<ScriptPlan, Error> {
    let folder = Folder::of(world, skill)?;
    let found = folder.find(&plan.name).map_err(|no| no.error(&visible(&plan.key), &[]))?;
    let interpreter = interpreter::interpreter(world, &folder.real, &found.rel, &found.name)?;
    Ok(ScriptPlan { file: found.file, dir: folder.real, interpreter, ..plan.clone() })
}

/// Checks the arguments against the limits.
fn check_arguments(args: &[String]) -> Result<(), Error> {
    if MAX_ARGUMENTS < args.len() {
        return Err(Error::TooManyArguments { count: args.len(), most: MAX_ARGUMENTS });
    }
    let bytes = args.iter().map(String::len).sum();
    if MAX_ARGUMENT_BYTES < bytes {
        return Err(Error::ArgumentsTooLong { bytes, most: MAX_ARGUMENT_BYTES });
    }
    match args.iter().position(|arg| arg.contains('\0')) {
        Some(at) => Err(Error::BadArguments(format!(
            "argument {} contains a NUL character, which cannot be passed to \
             a program",
            at + 1
        ))),
        None => Ok(()),
    }
}

/// The error for a script that exists and is not listed.
fn not_listed(frontmatter: &Frontmatter, key: String, name: &str) -> Error {
    let asked = visible(name).into_owned();
    match &frontmatter.run().scripts {
        ScriptList::Invalid => Error::ScriptListInvalid { key, asked },
        list => {
            let names = list.names().unwrap_or_default();
            let listed = names.iter().take(MAX_NAMED).map(|name| visible(name).into_owned()).collect();
            Error::ScriptNotListed { key, asked, listed, more: names.len().saturating_sub(MAX_NAMED) }
        }
    }
}
