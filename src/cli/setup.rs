//! Turns the global options and the user's own configuration into what the library needs: the file system, the places, the
//! host and the dialect.
//!
//! A project or root that is not a folder is an error. A home directory may be missing.

use crate::archives;
use crate::args::GlobalOptions;
use crate::dialects::{self, Dialects};
use crate::git;
use crate::host::Machine;
use crate::output::findings;
use crate::output::no_skills::no_skills_message;
use crate::policy::{Gate, Policies};
use crate::reply::Failure;
use crate::suggested::{OPTIONS, command};
use crate::verify::records::name_of;
use crate::why::outcomes;
use skilltree::discovery::Choices;
use skilltree::fs::{FileKind, OverlayFs};
use skilltree::{
    Catalog, Code, Diagnostic, Dialect, Error, Fs, FsPath, OsFs, Outcome, Places, PromptRequest, Severity, Why, World,
    visible,
};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

/// Maximum size of an archive. Packed files are hardly ever larger than the unpacked files, which are limited as
/// well.
pub(crate) const MAX_ARCHIVE_BYTES: u64 = 134_217_728;

/// Everything that the answer to a command depends on.
pub(crate) struct Setup {
    pub(crate) fs: OsFs,
    pub(crate) dialect: Arc<Dialect>,
    pub(crate) places: Places,
    pub(crate) project: FsPath,
    /// The project's folder and those above it in its repository, the nearest first.
    pub(crate) folders: Vec<FsPath>,
    pub(crate) machine: Machine,
    /// Findings about entries of the opened archives that are ignored.
    pub(crate) notes: Vec<Diagnostic>,
    pub(crate) options: GlobalOptions,
    /// The disk with each opened archive mounted as a folder at its path; `None` if no archive is open.
    opened: Option<Arc<OverlayFs<'static>>>,
    base: Option<FsPath>,
}

impl Setup {
    pub(crate) fn new(options: &GlobalOptions) -> Result<Setup, Failure> {
        let fs = OsFs::new();
        let base = working_directory(&fs);
        let project = existing_folder(&fs, &fs, base.as_ref(), options.project.as_deref().unwrap_or("."), "project")?;
        Setup::of_project(options, project)
    }

    /// Like [`Setup::new`], for a project that need not be there yet. The option `--project` is not read.
    pub(crate) fn of_project(options: &GlobalOptions, project: FsPath) -> Result<Setup, Failure> {
        let fs = OsFs::new();
        let base = working_directory(&fs);
        let chosen = Dialects::new(options).named(options.dialect.as_deref())?;
        let mut setup = Setup {
            fs,
            dialect: chosen.dialect,
            places: Places { project: Some(project.clone()), ..Places::default() },
            project,
            folders: Vec::new(),
            machine: Machine::new(options),
            notes: Vec::new(),
            options: options.clone(),
            opened: None,
            base,
        };
        setup.places.home = match &options.home {
            Some(home) => Some(setup.path(home)?),
            None => Places::home_from_env().map(|home| setup.home(&home)).transpose()?,
        };
        let unreadable = |error| Failure::error("no-directory", format!("the project cannot be used: {error}"));
        setup.folders = setup.places.project_folders(&setup.fs).map_err(unreadable)?;
        let base = setup.base.clone();
        apply_configuration(&mut setup, base.as_ref())?;
        for root in &options.root {
            setup.opened(root)?;
            setup.places.roots.push(setup.folder(root, "root")?);
        }
        setup.places.only_roots = options.only_roots;
        setup.places.follow_links_out = options.follow_links_out;
        setup.places.bundled = setup.optional(&options.bundled, "`--bundled` folder")?;
        setup.places.config = setup.optional(&options.config, "`--config` folder")?;
        setup.places.user = setup.optional(&options.user, "`--user` folder")?;
        setup.places.managed = match &options.managed {
            Some(managed) => Some(setup.folder(managed, "managed folder")?),
            None => setup.dialect.managed_folder(&setup.fs),
        };
        for touched in &options.touch {
            setup.places.touched.push(setup.path(touched)?);
        }
        setup.places.active = setup.optional(&options.active, "`--active` folder")?.or_else(|| setup.own_copies());
        setup.places.mount.clone_from(&options.mount);
        for one in &options.register {
            let path = setup.opened(&one.path)?;
            setup.places.registered.push((one.id.clone(), setup.packed(path)?));
        }
        if chosen.is_file {
            dialects::check_owners(&setup.fs, &setup.dialect, &setup.places)?;
        }
        setup.machine.set_places(&setup.dialect, &setup.places);
        let policies = Policies::read(&setup)?;
        if !policies.is_empty() {
            let plain = Setup {
                fs: setup.fs.clone(),
                dialect: Arc::clone(&setup.dialect),
                places: setup.places.clone(),
                project: setup.project.clone(),
                folders: setup.folders.clone(),
                machine: Machine::new(options),
                notes: Vec::new(),
                options: options.clone(),
                opened: setup.opened.clone(),
                base: setup.base.clone(),
            };
            setup.machine.gate = Some(Gate::new(policies, plain));
        }
        Ok(setup)
    }

    pub(crate) fn world(&self) -> World<'_> {
        self.world_of(self.files())
    }

    /// The same world with these files.
    pub(crate) fn world_of<'w>(&'w self, files: &'w dyn Fs) -> World<'w> {
        World::new(files, &self.places, &self.machine).with_reading(self.options.reading())
    }

    /// The file system that skills are read from: the disk, with opened archives mounted.
    pub(crate) fn files(&self) -> &(dyn Fs + Sync) {
        self.opened.as_deref().map_or(&self.fs, |opened| opened)
    }

    /// Resolves a path. If it is that of an archive or leads into one, mounts the archive as a folder at its path; and
    /// `git:REVISION:PATH` is mounted as a folder of that name in the working directory.
    pub(crate) fn opened(&mut self, text: &str) -> Result<FsPath, Failure> {
        let path = self.path(text)?;
        if let Some(named) = text.strip_prefix(git::PREFIX) {
            self.mount(path.clone(), git::read_tree(named)?.0);
        } else if let Some(at) = archive_at(&self.fs, &path).filter(|at| self.files().list(at).is_err()) {
            let (archive, notes) = archive(&self.fs, &at)?;
            self.notes.extend(notes);
            self.mount(at, archive);
        }
        Ok(path)
    }

    fn mount(&mut self, path: FsPath, files: impl Fs + Send + Sync + 'static) {
        let below = match self.opened.take() {
            Some(opened) => OverlayFs::new().layer(opened),
            None => OverlayFs::new().layer(self.fs.clone()),
        };
        self.opened = Some(Arc::new(below.mount(path, files)));
    }

    /// The folder of the skill in an opened archive; any other path is returned unchanged.
    fn packed(&self, path: FsPath) -> Result<FsPath, Failure> {
        let is_opened = self
            .fs
            .metadata(&path)
            .is_ok_and(|metadata| metadata.is_none_or(|metadata| metadata.kind != FileKind::Dir));
        let mut entries = self.files().list(&path).unwrap_or_default();
        // What macOS adds to archives is no part of the skill.
        entries.retain(|entry| entry.name != "__MACOSX");
        match entries.as_slice() {
            [only] if is_opened && only.kind == FileKind::Dir => Ok(path.child(&only.name)?),
            _ => Ok(path),
        }
    }

    /// The activation root in the user's folder, if the dialect has activation and the user's folder is given.
    pub(crate) fn own_copies(&self) -> Option<FsPath> {
        self.places.user.as_ref()?.join(self.dialect.activation_folder()?).ok()
    }

    /// The opened archive that contains this path, or is at it.
    pub(crate) fn archive_of(&self, path: &FsPath) -> Option<FsPath> {
        self.opened.as_ref()?;
        archive_at(&self.fs, path)
    }

    pub(crate) fn working_directory(&self) -> Option<&FsPath> {
        self.base.as_ref()
    }

    /// The outermost folder with files about the project: that of its repository, or that of the project if it lies in none.
    pub(crate) fn tree(&self) -> &FsPath {
        self.folders.last().unwrap_or(&self.project)
    }

    /// A path that means the same on another machine: from the project, or from `~`. None elsewhere.
    pub(crate) fn portable(&self, path: &FsPath) -> Option<String> {
        match path.relative_to(&self.project) {
            Some("") => Some(".".to_owned()),
            Some(below) => Some(below.to_owned()),
            None => Some(format!("~/{}", path.relative_to(self.places.home.as_ref()?)?)),
        }
    }

    /// The path relative to the working directory, if it is below it.
    pub(crate) fn below_working_directory<'p>(&self, path: &'p FsPath) -> Option<&'p str> {
        path.relative_to(self.base.as_ref()?)
    }

    /// Resolves a path from the working directory.
    pub(crate) fn path(&self, text: &str) -> Result<FsPath, Failure> {
        absolute_path(&self.fs, self.base.as_ref(), text)
    }

    /// Lines for standard error about skills that could not be read, or about there being no skills at all.
    pub(crate) fn missing_skills_note(&self, catalog: &Catalog) -> String {
        findings::unread(&self.fs, catalog.findings()) + &no_skills_message(self, catalog)
    }

    /// The failure for a skill that cannot be used. A skill that was found and skipped is not a typing error, so
    /// `why` is suggested (rule 8.5).
    pub(crate) fn lookup_failure(&self, catalog: &Catalog, asked: &str, error: Error) -> Failure {
        if let Some(refused) = self.refused(catalog, &error) {
            return refused;
        }
        let is_unknown = matches!(error, Error::UnknownSkill { .. });
        let failure = Failure::from(error);
        if !is_unknown {
            return failure;
        }
        let told = outcomes(self, catalog, asked, &PromptRequest::default());
        if told.is_empty() {
            return failure.with_note(self.missing_skills_note(catalog));
        }
        // A skill in use may have been named by its path.
        let is_used = |why: &Why| matches!(why.outcome, Outcome::InUse | Outcome::LeftOut);
        if let [used] = told.iter().filter(|why| is_used(why)).collect::<Vec<_>>().as_slice() {
            if let Some(skill) = catalog.skills().iter().find(|skill| skill.path == used.path) {
                return failure.with_help(format!("the key of this skill is `{}`", visible(&skill.key)));
            }
        }
        failure.with_help(format!("{} explains why", command(&["why"], &[asked])))
    }

    /// The failure for a skill that is switched off by a policy.
    pub(crate) fn refused(&self, catalog: &Catalog, error: &Error) -> Option<Failure> {
        let Error::Disabled { key, .. } = error else { return None };
        let breach = self.machine.gate.as_ref()?.refusal(catalog.find_any(key).ok()?)?;
        Some(Failure::negative("policy-blocked", format!("`{}` is {}", visible(key), breach.told())))
    }

    /// A path in the project's tree as it is from the folder of that tree, if symlinks on the way to the tree give it another spelling.
    pub(crate) fn in_tree(&self, path: FsPath) -> FsPath {
        let (tree, files) = (self.tree(), self.files());
        let spelled = |real_tree: FsPath| {
            let moved = |above: FsPath| {
                let real = files.canonical(&above).ok().filter(|real| real_tree.starts_with(real))?;
                let below = real.join(path.relative_to(&above)?).ok()?;
                tree.join(below.relative_to(&real_tree)?).ok()
            };
            and_above(&path).find_map(moved)
        };
        let real_tree = files.canonical(tree).ok().filter(|_| !path.starts_with(tree));
        // An archive is opened at its path alone.
        let kind = |path: &FsPath| files.metadata(path).ok().flatten().map(|found| found.kind);
        real_tree.and_then(spelled).filter(|moved| kind(moved) == kind(&path)).unwrap_or(path)
    }

    /// The path of a folder that must exist.
    pub(crate) fn folder(&self, text: &str, what: &str) -> Result<FsPath, Failure> {
        existing_folder(&self.fs, self.files(), self.base.as_ref(), text, what)
    }

    /// The home directory that the environment names.
    fn home(&self, home: &OsStr) -> Result<FsPath, Failure> {
        let invalid = || {
            let why = format!(
                "the home directory `{}` is not valid UTF-8; use another one with `--home DIR`",
                visible(&home.to_string_lossy())
            );
            Failure::error("bad-path", why)
        };
        self.path(home.to_str().ok_or_else(invalid)?)
    }

    /// The path of a folder that an option names. A missing one is a finding: not every dialect has it, and `sync` makes some.
    fn optional(&mut self, text: &Option<String>, what: &str) -> Result<Option<FsPath>, Failure> {
        let Some(text) = text else { return Ok(None) };
        let path = self.opened(text)?;
        if let Err(failure) = self.folder(text, what) {
            let why = failure.message();
            self.notes.push(Diagnostic::new(Severity::Warning, Code::SourceUnreadable, path.clone(), why));
        }
        Ok(Some(path))
    }
}

pub(crate) fn absolute_path(fs: &OsFs, base: Option<&FsPath>, text: &str) -> Result<FsPath, Failure> {
    let path = match base {
        Some(base) => fs.parse(text, base),
        None if Path::new(text).is_absolute() => fs.parse(text, &FsPath::root()),
        None => {
            let why = format!("`{text}` is a relative path, and the working directory has no usable path");
            return Err(Failure::error("no-directory", why));
        }
    };
    path.ok_or_else(|| Failure::error("bad-path", format!("`{text}` is not a valid path")))
}

/// The path of a folder that must exist in `files`.
pub(crate) fn existing_folder(
    fs: &OsFs,
    files: &dyn Fs,
    base: Option<&FsPath>,
    text: &str,
    what: &str,
) -> Result<FsPath, Failure> {
    let path = absolute_path(fs, base, text)?;
    let shown = fs.display(&path).into_owned();
    match files.metadata(&path) {
        Ok(Some(metadata)) if metadata.kind == FileKind::Dir => Ok(path),
        Ok(Some(metadata)) if metadata.kind != FileKind::Broken => {
            Err(Failure::error("no-directory", format!("the {what} `{shown}` is not a directory")))
        }
        Ok(_) => Err(Failure::error("no-directory", format!("the {what} `{shown}` does not exist"))),
        Err(error) => Err(Failure::error("no-directory", format!("the {what} cannot be used: {error}"))),
    }
}

/// A path and those of the folders above it, the innermost first.
pub(crate) fn and_above(path: &FsPath) -> impl Iterator<Item = FsPath> + use<> {
    std::iter::successors(Some(path.clone()), FsPath::parent)
}

/// The archive that is at a path, or that contains it.
pub(crate) fn archive_at(fs: &dyn Fs, path: &FsPath) -> Option<FsPath> {
    and_above(path).find(|path| is_archive(fs, path))
}

/// The ends of the names of archives.
pub(crate) const ARCHIVE_EXTENSIONS: [&str; 4] = [".skill", ".zip", ".tar.gz", ".tgz"];

/// Whether a path is that of an archive, by its name.
pub(crate) fn is_archive(fs: &dyn Fs, path: &FsPath) -> bool {
    let is_file = || matches!(fs.metadata(path), Ok(Some(metadata)) if metadata.kind == FileKind::File);
    let name = path.name().to_lowercase();
    ARCHIVE_EXTENSIONS.iter().any(|end| name.ends_with(end)) && is_file()
}

/// Opens an archive of any kind as a file system. The findings about ignored entries have paths below the path of the archive.
pub(crate) fn archive(fs: &OsFs, path: &FsPath) -> Result<(Box<dyn Fs + Send + Sync>, Vec<Diagnostic>), Failure> {
    let unpacked = archives::unpacked(archive_bytes(fs, path)?);
    let (files, mut notes) = unpacked.map_err(|error| not_an_archive(fs, path, &error))?;
    put_below(fs, path, &mut notes)?;
    Ok((in_folder(files, path), notes))
}

/// The files of an archive; those of a skill without a folder of its own are in one, as skills are found in folders.
fn in_folder(files: Box<dyn Fs + Send + Sync>, path: &FsPath) -> Box<dyn Fs + Send + Sync> {
    let root = FsPath::root();
    let is_skill = root.child("SKILL.md").is_ok_and(|manifest| matches!(files.metadata(&manifest), Ok(Some(_))));
    if !is_skill {
        return files;
    }
    let stem = path.name().split('.').next().filter(|stem| !stem.is_empty());
    let name = name_of(&*files, &root).and_then(|name| root.child(&name).ok());
    match name.or_else(|| root.child(stem?).ok()) {
        Some(folder) => Box::new(OverlayFs::new().mount(folder, files)),
        None => files,
    }
}

pub(crate) fn not_an_archive(fs: &OsFs, path: &FsPath, why: &str) -> Failure {
    Failure::error("not-an-archive", format!("`{}`: {why}", visible(&fs.display(path))))
}

/// Places findings about the entries of an archive below its path.
pub(crate) fn put_below(fs: &OsFs, path: &FsPath, notes: &mut [Diagnostic]) -> Result<(), Failure> {
    for note in notes {
        note.path = path.join(note.path.as_str()).map_err(|error| not_an_archive(fs, path, &error.to_string()))?;
    }
    Ok(())
}

pub(crate) fn archive_bytes(fs: &OsFs, path: &FsPath) -> Result<Vec<u8>, Failure> {
    let refused = |why: String| not_an_archive(fs, path, &why);
    let most = MAX_ARCHIVE_BYTES;
    let over = |len: u64| refused(format!("the file has {len} bytes, expected at most {most}"));
    if let Some(metadata) = fs.metadata(path).map_err(Error::Fs)?.filter(|metadata| most < metadata.len) {
        return Err(over(metadata.len));
    }
    let head = fs.read(path, most).map_err(Error::Fs)?;
    if most < head.len {
        return Err(over(head.len));
    }
    Ok(head.bytes)
}

pub(crate) fn working_directory(fs: &OsFs) -> Option<FsPath> {
    let dir = std::env::current_dir().ok()?;
    fs.parse(dir.to_str()?, &FsPath::root())
}

/// The environment variable that names the folder of the user's configuration.
const FOLDER_VARIABLE: &str = "SKILLTREE_CONFIG";

/// The variable that names the folder of all programs' configuration.
const SHARED_VARIABLE: &str = if cfg!(windows) { "APPDATA" } else { "XDG_CONFIG_HOME" };

const FILE: &str = "skilltree.yaml";

/// The user's file of choices, which need not exist; `None` if there is no home directory.
fn user_file(fs: &OsFs, base: Option<&FsPath>, home: Option<&FsPath>) -> Result<Option<FsPath>, Failure> {
    Ok(user_folder(fs, base, home)?.and_then(|folder| folder.child(FILE).ok()))
}

/// The folder of the user's configuration, which need not exist; `None` if there is no home directory.
pub(crate) fn user_folder(fs: &OsFs, base: Option<&FsPath>, home: Option<&FsPath>) -> Result<Option<FsPath>, Failure> {
    let named = |variable: &str| {
        let Some(value) = std::env::var_os(variable).filter(|value| !value.is_empty()) else { return Ok(None) };
        let invalid = |_| Failure::error("bad-path", format!("the path in {variable} is not valid UTF-8"));
        value.into_string().map(Some).map_err(invalid)
    };
    Ok(match named(FOLDER_VARIABLE)? {
        Some(folder) => Some(absolute_path(fs, base, &folder)?),
        None => match named(SHARED_VARIABLE)?.filter(|folder| Path::new(folder).is_absolute()) {
            Some(folder) => absolute_path(fs, base, &folder)?.child("skilltree").ok(),
            None => home.and_then(|home| home.join(".config/skilltree").ok()),
        },
    })
}

/// Sets the files of choices, and adds the user's roots below those of the command line. A root that does not exist is a
/// finding, as the file may be shared by several machines.
fn apply_configuration(setup: &mut Setup, base: Option<&FsPath>) -> Result<(), Failure> {
    setup.places.user_choices = user_file(&setup.fs, base, setup.places.home.as_ref())?;
    setup.places.project_choices = Places::project_choices_in(&setup.folders);
    if setup.options.only_roots {
        return Ok(());
    }
    for root in Choices::read(&setup.world()).roots {
        let text = setup.fs.display(&root).into_owned();
        match setup.opened(&text).and_then(|_| setup.folder(&text, "root")) {
            Ok(root) => setup.places.roots.push(root),
            Err(failure) => {
                let finding = Diagnostic::new(Severity::Warning, Code::SourceUnreadable, root, failure.message());
                let file = setup.places.user_choices.as_ref().map(|file| setup.fs.display(file).into_owned());
                setup.notes.push(finding.help(format!("change `roots` in `{}`", file.unwrap_or_default())));
            }
        }
    }
    Ok(())
}

/// The dialect that the user's file names. Faults in the file are found by discovery.
pub(crate) fn chosen_dialect(options: &GlobalOptions) -> Option<String> {
    let fs = OsFs::new();
    let base = working_directory(&fs);
    let home = match &options.home {
        Some(home) => Some(home.clone()),
        None => Places::home_from_env().and_then(|home| home.into_string().ok()),
    };
    let home = home.and_then(|home| absolute_path(&fs, base.as_ref(), &home).ok());
    let user_choices = user_file(&fs, base.as_ref(), home.as_ref()).ok()??;
    let places = Places { home, user_choices: Some(user_choices), ..Places::default() };
    Choices::read(&World::new(&fs, &places, &())).dialect
}

/// What to do about an unknown dialect that the user's file names; `None` if it does not.
pub(crate) fn dialect_help(name: &str) -> Option<String> {
    let chosen = chosen_dialect(OPTIONS.get()?)?;
    (chosen == name)
        .then(|| format!("`{}` is the `dialect` of your `{FILE}`; change it there, or use `--dialect`", visible(name)))
}
