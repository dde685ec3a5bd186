//! What the answers about the real disk depend on besides the arguments of the call: the working directory, the home
//! directory, the user's choices, and what the machine has. What differs from the command line is listed at `discover`
//! in Python.

use crate::error::Failure;
use skilltree::discovery::given::GivenHost;
use skilltree::discovery::{Choices, Override};
use skilltree::fs::FileKind;
use skilltree::host::Programs;
use skilltree::{
    Code, Diagnostic, Dialect, Fs, FsPath, Host, OsFs, Permission, Places, Requirement, Severity, Skill, Trust, World,
};
use std::ffi::OsString;
use std::path::{Path, is_separator};

/// The variable that names the folder of skilltree's configuration, and that which names the folder of all programs'.
const FOLDER_VARIABLE: &str = "SKILLTREE_CONFIG";
const SHARED_VARIABLE: &str = if cfg!(windows) { "APPDATA" } else { "XDG_CONFIG_HOME" };

const FILE: &str = "skilltree.yaml";

/// The path of the disk that a text names: relative to the working directory, and `~` is the user's home directory.
pub(crate) fn path(text: &str) -> Result<FsPath, Failure> {
    let fs = OsFs::new();
    if text.is_empty() {
        return Err(Failure::value("bad-path", "expected a path, got an empty text"));
    }
    let (base, rest) = match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with(is_separator) => {
            let none = || Failure::value("bad-path", "`~` is used, and no home directory is set");
            (home()?.ok_or_else(none)?, rest.trim_start_matches(is_separator))
        }
        _ if Path::new(text).is_absolute() => (FsPath::root(), text),
        _ => (working_directory()?, text),
    };
    if rest.is_empty() {
        return Ok(base);
    }
    let invalid = || Failure::value("bad-path", format!("`{text}` is not a valid path"));
    fs.parse(rest, &base).ok_or_else(invalid)
}

/// The home directory that the environment names.
fn home() -> Result<Option<FsPath>, Failure> {
    Places::home_from_env().map(|home| named("the home directory", home)).transpose()
}

fn named(what: &str, path: OsString) -> Result<FsPath, Failure> {
    let invalid = || Failure::value("bad-path", format!("{what} has no path in valid UTF-8"));
    let text = path.into_string().map_err(|_| invalid())?;
    let base = if Path::new(&text).is_absolute() { FsPath::root() } else { working_directory()? };
    OsFs::new().parse(&text, &base).ok_or_else(invalid)
}

fn working_directory() -> Result<FsPath, Failure> {
    let unusable =
        || Failure::value("no-directory", "the path is relative, and the working directory has no usable path");
    let dir = std::env::current_dir().map_err(|_| unusable())?;
    dir.to_str().and_then(|dir| OsFs::new().parse(dir, &FsPath::root())).ok_or_else(unusable)
}

/// Adds the places that were not given, and the folders that the user's file of choices names. Returns findings about
/// those that do not exist.
pub(crate) fn complete(places: &mut Places, dialect: &Dialect) -> Result<Vec<Diagnostic>, Failure> {
    let fs = OsFs::new();
    if let Some(project) = &places.project {
        check_folder(&fs, project, "project")?;
    }
    for root in &places.roots {
        check_folder(&fs, root, "root")?;
    }
    if places.home.is_none() {
        places.home = home()?;
    }
    if places.managed.is_none() {
        places.managed = dialect.managed_folder(&fs);
    }
    if places.user_choices.is_none() {
        places.user_choices = user_choices(places.home.as_ref())?;
    }
    if places.project_choices.is_empty() {
        let folders = places.project_folders(&fs).map_err(skilltree::Error::from)?;
        places.project_choices = Places::project_choices_in(&folders);
    }
    if places.active.is_none() {
        let copies = places.user.as_ref().zip(dialect.activation_folder());
        places.active = copies.and_then(|(user, folder)| user.join(folder).ok());
    }
    let mut notes = Vec::new();
    if places.only_roots {
        return Ok(notes);
    }
    let mut roots = Vec::new();
    for root in Choices::read(&World::new(&fs, places, &())).roots {
        match check_folder(&fs, &root, "root") {
            Ok(()) => roots.push(root),
            Err(failure) => {
                notes.push(Diagnostic::new(Severity::Warning, Code::SourceUnreadable, root, failure.message()));
            }
        }
    }
    roots.append(&mut places.roots);
    places.roots = roots;
    Ok(notes)
}

/// The user's file of choices, which need not exist.
fn user_choices(home: Option<&FsPath>) -> Result<Option<FsPath>, Failure> {
    let set = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty());
    let folder = match (set(FOLDER_VARIABLE), set(SHARED_VARIABLE)) {
        (Some(folder), _) => Some(named(FOLDER_VARIABLE, folder)?),
        (None, Some(folder)) if Path::new(&folder).is_absolute() => {
            named(SHARED_VARIABLE, folder)?.child("skilltree").ok()
        }
        _ => home.and_then(|home| home.join(".config/skilltree").ok()),
    };
    Ok(folder.and_then(|folder| folder.child(FILE).ok()))
}

fn check_folder(fs: &OsFs, path: &FsPath, what: &str) -> Result<(), Failure> {
    let refused = |why: String| Err(Failure::value("no-directory", why));
    let shown = fs.display(path);
    match fs.metadata(path) {
        Ok(Some(metadata)) if metadata.kind == FileKind::Dir => Ok(()),
        Ok(Some(metadata)) if metadata.kind != FileKind::Broken => {
            refused(format!("the {what} `{shown}` is not a directory"))
        }
        Ok(_) => refused(format!("the {what} `{shown}` does not exist")),
        Err(error) => refused(format!("the {what} cannot be used: {error}")),
    }
}

/// The host of a call: what was given, and for the real disk also what the machine has.
pub(crate) struct Machine {
    pub(crate) given: GivenHost,
    /// The programs in PATH, if the caller does not say which there are.
    pub(crate) programs: Option<Programs>,
    /// Whether the variables of the environment count: those that skills require, and those in the texts of skills.
    pub(crate) has_environment: bool,
    pub(crate) has_variables: bool,
}

impl Host for Machine {
    fn meets(&self, need: &Requirement) -> bool {
        match (need, &self.programs) {
            (Requirement::Bin(name), Some(programs)) => programs.find(name).is_some(),
            (Requirement::Env(name), _) if self.has_environment => {
                std::env::var_os(name).is_some_and(|value| !value.is_empty())
            }
            _ => self.given.meets(need),
        }
    }

    fn trusts(&self, skill: &Skill) -> Trust {
        self.given.trusts(skill)
    }

    fn holds(&self, permission: &Permission) -> bool {
        self.given.holds(permission)
    }

    fn may_read(&self, file: &FsPath) -> bool {
        self.given.may_read(file)
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.given.variable(name).or_else(|| std::env::var(name).ok().filter(|_| self.has_variables))
    }

    fn rank(&self, skill: &Skill) -> u64 {
        self.given.rank(skill)
    }

    fn override_of(&self, skill: &Skill) -> Override {
        self.given.override_of(skill)
    }
}
