//! Plans to run a script of a skill: [`ScriptPlan::of`] returns a plan with the file, its interpreter, the working
//! directory and the environment variables, or why the script may not be run. `ScriptPlan::run` (feature `processes`) carries the plan out.
//!
//! A script is a file of the skill itself, with symlinks resolved, that is named by a path below the folder `scripts`.
//! The path may go through symlinks, but the real file must be in the skill's inventory.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::fs::{FileKind, FsError};
use crate::model::error::Error;
use crate::model::skill::{ScriptList, Skill, State};
use crate::package::body;
use crate::package::inventory::files_of;
use crate::package::trust::{ExpectedContents, trusted};
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::order::sort_by;
use crate::text::words::{excerpt, nearest};
use std::collections::{HashSet, VecDeque};

const SCRIPTS: &str = "scripts";

// Rule 17.3
/// The most arguments of a script.
const MAX_ARGUMENTS: usize = 100;

// Rule 17.3
/// The most bytes of all arguments together.
const MAX_ARGUMENT_BYTES: usize = 4_096;

/// How many names an error lists.
const MAX_NAMED: usize = 10;

/// How many characters of a listed name are shown in a message.
const MAX_SHOWN_CHARS: usize = 60;

/// The most bytes of a `#!` line. Operating systems allow 127 to 511.
const MAX_LINE_BYTES: u64 = 1_024;

/// The first bytes of binary programs: ELF, PE, and Mach-O in both byte orders and for several architectures.
const PROGRAMS: &[&[u8]] = &[
    b"\x7fELF",
    b"MZ",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
];

/// What runs a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Interpreter {
    /// The file is a program itself.
    Itself,
    /// The program of its `#!` line.
    Line {
        /// An absolute path, or a name that is looked up in PATH.
        program: String,
        /// The arguments before the file.
        arguments: Vec<String>,
    },
    /// A program of the machine that runs this language.
    Language(Language),
}

/// A language that scripts and toolsets are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Language {
    /// Python 3.
    Python,
    /// The language of `sh` and `bash`.
    Shell,
    /// JavaScript.
    JavaScript,
    /// TypeScript, run as it is.
    TypeScript,
    /// The batch files of Windows.
    Batch,
    /// PowerShell.
    PowerShell,
}

impl Language {
    /// The language of a file by what its name ends in, in any letter case.
    ///
    /// ```
    /// use skilltree::loading::Language;
    /// assert_eq!(Language::of("scripts/fill.py"), Some(Language::Python));
    /// assert_eq!(Language::of("scripts/fill"), None);
    /// ```
    pub fn of(file: &str) -> Option<Language> {
        let (stem, ending) = file.rsplit('/').next()?.rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            _ if stem.is_empty() => None,
            "py" => Some(Language::Python),
            "sh" | "bash" => Some(Language::Shell),
            "js" | "mjs" | "cjs" => Some(Language::JavaScript),
            "ts" | "mts" | "cts" => Some(Language::TypeScript),
            "bat" | "cmd" => Some(Language::Batch),
            "ps1" => Some(Language::PowerShell),
            _ => None,
        }
    }

    /// Whether a toolset can be written in it: a runtime loads the file as a module.
    pub(crate) fn has_modules(self) -> bool {
        matches!(self, Language::Python | Language::JavaScript | Language::TypeScript)
    }
}

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

impl ScriptPlan {
    /// The names of the scripts of a skill that may be run, in byte order. If its manifest lists scripts, only those. A folder
    /// with several names, through symlinks, is listed under one of them. The result does not depend on trust, and is empty if
    /// the skill can no longer be read.
    pub fn names(world: &World<'_>, catalog: &Catalog, skill: &Skill) -> Vec<String> {
        let Ok(body) = body::read(catalog, world, skill) else { return Vec::new() };
        let mut names = Folder::of(world, &body.path).map(|folder| folder.names()).unwrap_or_default();
        names.retain(|name| body.frontmatter.allows_script(name));
        names
    }
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
        let key = visible(&skill.key).into_owned();
        if skill.state == State::Disabled {
            return Err(catalog.disabled(skill));
        }
        let body = body::read(catalog, world, skill)?;
        let pinned = trusted(world, skill, &body.path, &body.bytes)?;
        if MAX_ARGUMENTS < args.len() {
            return Err(Error::TooManyArguments { count: args.len(), most: MAX_ARGUMENTS });
        }
        let bytes = args.iter().map(String::len).sum();
        if MAX_ARGUMENT_BYTES < bytes {
            return Err(Error::ArgumentsTooLong { bytes, most: MAX_ARGUMENT_BYTES });
        }
        if let Some(at) = args.iter().position(|arg| arg.contains('\0')) {
            let number = at + 1;
            let message = format!("argument {number} contains a NUL character, which cannot be passed to a program");
            return Err(Error::BadArguments(message));
        }
        let folder = Folder::of(world, &body.path)?;
        let found = folder.find(asked).map_err(|no| {
            let mut runnable = folder.names();
            runnable.retain(|name| body.frontmatter.allows_script(name));
            no.error(&key, &runnable)
        })?;
        if !body.frontmatter.allows_script(&found.name) {
            let asked = visible(&found.name).into_owned();
            let run = body.frontmatter.run();
            return Err(match &run.scripts {
                ScriptList::Invalid => Error::ScriptListInvalid { key, asked },
                ScriptList::Absent | ScriptList::Names(_) => {
                    let (listed, more) = first_names(run.scripts().unwrap_or_default());
                    Error::ScriptNotListed { key, asked, listed, more }
                }
            });
        }
        let interpreter = interpreter(world, &folder.real, &found.rel, &found.name)?;
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
}

/// Plans a script again in a copy of its skill's folder, whose SKILL.md is `skill`. The file and the interpreter of the
/// first plan cannot be used, as they were read before the contents were compared.
#[cfg(feature = "processes")]
pub(crate) fn in_copy(world: &World<'_>, skill: &FsPath, plan: &ScriptPlan) -> Result<ScriptPlan, Error> {
    let folder = Folder::of(world, skill)?;
    let found = folder.find(&plan.name).map_err(|no| no.error(&visible(&plan.key), &[]))?;
    let interpreter = interpreter(world, &folder.real, &found.rel, &found.name)?;
    Ok(ScriptPlan { file: found.file, dir: folder.real, interpreter, ..plan.clone() })
}

/// The first of these names, for a message, and how many more there are.
fn first_names(names: &[String]) -> (Vec<String>, usize) {
    let shown = names.iter().take(MAX_NAMED).map(|name| visible(name).into_owned()).collect();
    (shown, names.len().saturating_sub(MAX_NAMED))
}

struct Folder<'w> {
    world: &'w World<'w>,
    /// The path of the folder as it was found.
    dir: FsPath,
    /// The real path of the folder.
    real: FsPath,
    /// The skill's own files, as paths below the folder.
    own: HashSet<String>,
}

struct Found {
    /// Its path below `scripts/`.
    name: String,
    /// The real path of the file.
    file: FsPath,
    /// The real path below the skill's folder.
    rel: String,
}

enum NotFound {
    /// The name contains `..`, a backslash or another part that is not allowed.
    NotPlain(String),
    /// The path leads outside of the skill's folder.
    Outside(String),
    /// There is no script of this name, and what exists there instead, if anything.
    Absent(String, Option<&'static str>),
    /// The file system returned an error.
    Fs(FsError),
}

impl NotFound {
    /// The error for the caller, with the names of the scripts that may be run.
    fn error(self, key: &str, runnable: &[String]) -> Error {
        let key = key.to_owned();
        let shown = |name: &str| visible(name).into_owned();
        match self {
            NotFound::NotPlain(asked) => Error::PathNotPlain { key, asked: shown(&asked) },
            NotFound::Outside(asked) => Error::OutsideScripts { key, asked: shown(&asked) },
            NotFound::Fs(error) => error.into(),
            NotFound::Absent(asked, found) => {
                let near = nearest(&asked, runnable.iter().map(String::as_str)).into_iter().map(shown).collect();
                let (there, more) = first_names(runnable);
                Error::NoScript { key, asked: shown(&asked), found, near, there, more }
            }
        }
    }

    /// The finding for the author, who listed a name. `there` are the names of the existing scripts.
    fn finding(&self, skill: &FsPath, listed: &str, there: &[String]) -> Diagnostic {
        let why = match self {
            NotFound::NotPlain(_) => "does not have a plain path".to_owned(),
            NotFound::Outside(_) => "leads outside of the skill's folder".to_owned(),
            NotFound::Absent(_, None) => format!("does not exist: expected the file in the folder `{SCRIPTS}`"),
            NotFound::Absent(_, Some(what)) => format!("is {what}, expected a file"),
            NotFound::Fs(error) => format!("cannot be read: {error}"),
        };
        let message = format!("the script `{}` {why}", excerpt(listed, MAX_SHOWN_CHARS));
        let near = nearest(listed, there.iter().map(String::as_str));
        let help = match near.first() {
            Some(near) => format!("did you mean `{}`? otherwise add the file, or drop the name", visible(near)),
            None => "correct the path, add the file, or drop the name".to_owned(),
        };
        Diagnostic::new(Severity::Error, Code::ScriptMissing, skill.clone(), message).help(help)
    }
}

impl<'w> Folder<'w> {
    fn of(world: &'w World<'w>, skill: &FsPath) -> Result<Folder<'w>, FsError> {
        let dir = skill.parent().ok_or_else(|| FsError::NotFound(skill.clone()))?;
        let own = files_of(world, skill).iter().filter_map(|file| file.relative_to(&dir)).map(str::to_owned).collect();
        Ok(Folder { world, real: world.fs.canonical(&dir)?, dir, own })
    }

    /// Looks up a script, with or without `scripts/` before its name.
    fn find(&self, asked: &str) -> Result<Found, NotFound> {
        let asked = asked.strip_prefix("./").unwrap_or(asked);
        let found = self.named(asked);
        // The whole name comes first, as the folder `scripts` may contain another folder `scripts`.
        match (found, asked.strip_prefix("scripts/")) {
            (Err(_), Some(inside)) => self.named(inside),
            (found, _) => found,
        }
    }

    fn named(&self, asked: &str) -> Result<Found, NotFound> {
        let name = || asked.to_owned();
        if leads_out(asked) {
            return Err(NotFound::Outside(name()));
        }
        let is_plain = !asked.contains(['\\', '\0']) && !asked.split('/').any(|part| matches!(part, "" | "." | ".."));
        let there = self.dir.child(SCRIPTS).and_then(|folder| folder.join(asked)).ok().filter(|_| is_plain);
        let there = there.ok_or_else(|| NotFound::NotPlain(name()))?;
        let absent = |found| Err(NotFound::Absent(name(), found));
        match self.world.fs.metadata(&there).ok().flatten().map(|metadata| metadata.kind) {
            None => absent(None),
            Some(FileKind::Dir) => absent(Some("a folder")),
            Some(FileKind::Other) => absent(Some("not a regular file")),
            Some(FileKind::Broken) => absent(Some("a broken symlink")),
            Some(FileKind::File) => {
                let file = match self.world.fs.canonical(&there) {
                    Err(FsError::Escapes(_)) => return Err(NotFound::Outside(name())),
                    file => file.map_err(NotFound::Fs)?,
                };
                match file.relative_to(&self.real).map(str::to_owned) {
                    None => Err(NotFound::Outside(name())),
                    Some(rel) if self.own.contains(&rel) => Ok(Found { name: name(), file, rel }),
                    Some(_) => absent(Some("a file of another skill")),
                }
            }
        }
    }

    /// The names of all scripts, in byte order. A folder with several names is entered once, by the shortest of them.
    fn names(&self) -> Vec<String> {
        let mut folders: HashSet<&str> = HashSet::new();
        for file in self.own.iter() {
            folders.extend(file.match_indices('/').map(|(at, _)| &file[..at]).chain([""]));
        }
        let mut names = Vec::new();
        let mut entered = HashSet::new();
        let mut waiting: VecDeque<(String, Option<String>)> = [(String::new(), self.led_to(SCRIPTS))].into();
        while let Some((prefix, rel)) = waiting.pop_front() {
            let Some(rel) = rel.filter(|rel| folders.contains(rel.as_str()) && entered.insert(rel.clone())) else {
                continue;
            };
            let at = |name: &str| if rel.is_empty() { name.to_owned() } else { format!("{rel}/{name}") };
            let entries = self.dir.join(&rel).ok().and_then(|dir| self.world.fs.list(&dir).ok()).unwrap_or_default();
            for entry in entries.iter().filter(|entry| !entry.is_lossy) {
                let led_to = || if entry.is_symlink { self.led_to(&at(&entry.name)) } else { Some(at(&entry.name)) };
                let name = format!("{prefix}{}", entry.name);
                match entry.kind {
                    FileKind::File if led_to().is_some_and(|rel| self.own.contains(&rel)) => {
                        names.push(name);
                    }
                    FileKind::Dir => waiting.push_back((format!("{name}/"), led_to())),
                    FileKind::File | FileKind::Other | FileKind::Broken => {}
                }
            }
        }
        sort_by(&mut names, Ord::cmp);
        names.dedup();
        names
    }

    /// The real path of a path below the skill's folder, as a path below it. `None` if it is outside or does not exist.
    fn led_to(&self, rel: &str) -> Option<String> {
        let there = self.world.fs.canonical(&self.dir.join(rel).ok()?).ok()?;
        there.relative_to(&self.real).map(str::to_owned)
    }
}

/// Whether a path is absolute or climbs above its start with `..`.
fn leads_out(path: &str) -> bool {
    let mut depths = path.split('/').scan(0_isize, |depth, part| {
        *depth += match part {
            "" | "." => 0,
            ".." => -1,
            _ => 1,
        };
        Some(*depth)
    });
    path.starts_with('/') || depths.any(|depth| depth < 0)
}

/// What runs the file `rel` below `dir`, of the script `name`.
fn interpreter(world: &World<'_>, dir: &FsPath, rel: &str, name: &str) -> Result<Interpreter, Error> {
    let head = world.fs.read_within(dir, rel, MAX_LINE_BYTES)?;
    let bytes = head.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head.bytes);
    let no = |reason: &'static str| Error::NoInterpreter { name: visible(name).into_owned(), reason };
    if let Some(rest) = bytes.strip_prefix(b"#!") {
        let end = rest.iter().position(|byte| *byte == b'\n');
        if end.is_none() && (head.bytes.len() as u64) < head.len {
            return Err(no("its `#!` line is longer than 1,024 bytes"));
        }
        let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let line = std::str::from_utf8(line).map_err(|_| no("its `#!` line is not UTF-8"))?;
        return line_interpreter(line.trim()).map_err(no);
    }
    // The runtimes use the real name of the file.
    match Language::of(rel).or_else(|| Language::of(name)) {
        Some(language) => Ok(Interpreter::Language(language)),
        None if PROGRAMS.iter().any(|magic| head.bytes.starts_with(magic)) => Ok(Interpreter::Itself),
        None => Err(no("it has no `#!` line, no known file extension, and is not a binary program")),
    }
}

/// The interpreter in a `#!` line: a program, and the rest of the line as one argument, as on Linux. A program after `env` is
/// looked up here instead, so that an error can name it. Options and assignments of `env` are left to `env`.
fn line_interpreter(line: &str) -> Result<Interpreter, &'static str> {
    let (program, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let rest = rest.trim();
    if program.is_empty() {
        return Err("its `#!` line does not name a program");
    }
    if !program.starts_with('/') {
        return Err("its `#!` line does not name the program by its full path");
    }
    if program.ends_with("/env") {
        let rest = rest.strip_prefix("-S").unwrap_or(rest);
        let mut words = rest.split_whitespace().map(str::to_owned);
        match words.next() {
            None => return Err("its `#!` line does not name a program"),
            Some(word)
                if !rest.contains(['\'', '"', '\\', '$', '#']) && !word.starts_with('-') && !word.contains('=') =>
            {
                return Ok(Interpreter::Line { program: word, arguments: words.collect() });
            }
            Some(_) => {}
        }
    }
    let arguments = if rest.is_empty() { Vec::new() } else { vec![rest.to_owned()] };
    Ok(Interpreter::Line { program: program.to_owned(), arguments })
}
