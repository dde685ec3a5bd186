//! In: a skill, the name of one of its scripts, arguments. Out: [`ScriptPlan`]: which file is to be run, by what,
//! where, and which variables it may see; or why it may not. A script is a file of the skill's own, links resolved,
//! by a path below its folder `scripts/`. Absent: running it, which is a door's, and what this machine has to run it.

mod interpreter;
mod language;
mod lookup;

pub use interpreter::Interpreter;
pub use language::Language;

use crate::diagnostic::Diagnostic;
use crate::discovery::catalog::Catalog;
use crate::model::error::Error;
use crate::model::skill::{Frontmatter, ScriptList, Skill, State};
use crate::model::world::World;
use crate::package::body;
use crate::package::trust::{ExpectedContents, trusted};
use crate::path::FsPath;
use crate::text::escape::visible;
use lookup::Folder;

// agent-base, "Script Execution"
/// How many arguments a script takes.
const MAX_ARGUMENTS: usize = 100;

// agent-base, "Script Execution"
/// How many bytes they have together.
const MAX_ARGUMENT_BYTES: usize = 4_096;

/// How many names an error lists.
const MAX_NAMED: usize = 10;

/// What is to be run, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScriptPlan {
    /// The skill's key.
    pub key: String,
    /// The script's name: its path below `scripts/`.
    pub name: String,
    /// The file, links resolved. It lies in `dir`.
    pub file: FsPath,
    /// The skill's folder, links resolved: the working directory.
    pub dir: FsPath,
    /// What runs the file.
    pub interpreter: Interpreter,
    /// What the script is given.
    pub args: Vec<String>,
    /// The variables of the environment that it may see besides the usual ones: what the skill requires.
    pub variables: Vec<String>,
    /// The contents that the skill's folder must have when the script is run; none where it is trusted whatever it
    /// holds.
    pub pinned: Option<ExpectedContents>,
}

/// The names of the scripts that a skill has and that may be run, in byte order: where its manifest lists scripts,
/// only those. A folder that more than one name leads to counts under one of them. Whether the skill is trusted is not asked. None where it can no longer be read.
pub fn scripts(world: &World<'_>, catalog: &Catalog, skill: &Skill) -> Vec<String> {
    let Ok(body) = body::read(catalog, world, skill) else { return Vec::new() };
    let mut names = Folder::of(world, &body.path).map(|folder| folder.names()).unwrap_or_default();
    names.retain(|name| body.frontmatter.lets_run(name));
    names
}

/// What is wrong with each of these names that a SKILL.md lists, if it names no script.
pub(crate) fn faults<'n>(
    world: &World<'_>,
    skill: &FsPath,
    listed: impl Iterator<Item = &'n str>,
) -> Vec<Option<Diagnostic>> {
    let Ok(folder) = Folder::of(world, skill) else { return Vec::new() };
    listed.map(|name| folder.find(name).err().map(|no| no.finding(skill, name, &folder.names()))).collect()
}

/// Plans to run a script. `asked` is its path below the folder `scripts/`, which may stand before it, and `./` too.
///
/// ```
/// use skilltree::{FsPath, Host, MemFs, Places, Skill, Trust, World, dialect, discover};
/// use skilltree::answers::{Interpreter, Language, script};
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
/// [`Error::Untrusted`] and [`Error::Void`] unless the host trusts the skill; [`Error::Disabled`] where it is switched off;
/// [`Error::TooManyArguments`], [`Error::ArgumentsTooLong`], [`Error::BadArguments`]; [`Error::NoScript`],
/// [`Error::NotPlain`], [`Error::Outside`], [`Error::ScriptNotListed`], [`Error::ScriptsUnclear`]; [`Error::NoInterpreter`]; and as [`load`](crate::answers::load) where
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
    fits(args)?;
    let folder = Folder::of(world, &body.path)?;
    let found = folder.find(asked).map_err(|no| {
        let mut runnable = folder.names();
        runnable.retain(|name| body.frontmatter.lets_run(name));
        no.error(&key, &runnable)
    })?;
    if !body.frontmatter.lets_run(&found.name) {
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
        variables: body.frontmatter.variables(),
        pinned,
    })
}

/// A script that was planned, in a copy of its skill's folder that has this SKILL.md. What the copy holds is what
/// counts: the plan's own file and interpreter were read before the contents were compared.
#[cfg(feature = "scripts")]
pub(crate) fn in_copy(world: &World<'_>, skill: &FsPath, plan: &ScriptPlan) -> Result<ScriptPlan, Error> {
    let folder = Folder::of(world, skill)?;
    let found = folder.find(&plan.name).map_err(|no| no.error(&visible(&plan.key), &[]))?;
    let interpreter = interpreter::interpreter(world, &folder.real, &found.rel, &found.name)?;
    Ok(ScriptPlan { file: found.file, dir: folder.real, interpreter, ..plan.clone() })
}

fn fits(args: &[String]) -> Result<(), Error> {
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

/// Why one that is there may not be run.
fn not_listed(frontmatter: &Frontmatter, key: String, name: &str) -> Error {
    let asked = visible(name).into_owned();
    match &frontmatter.run().scripts {
        ScriptList::Unclear => Error::ScriptsUnclear { key, asked },
        list => {
            let names = list.names().unwrap_or_default();
            let listed = names.iter().take(MAX_NAMED).map(|name| visible(name).into_owned()).collect();
            Error::ScriptNotListed { key, asked, listed, more: names.len().saturating_sub(MAX_NAMED) }
        }
    }
}
