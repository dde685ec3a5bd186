//! Finds out which sources a discovery scans, lowest precedence first: those of the dialect's table, the folders of
//! plugins, and the search roots that the caller names. The skills themselves are not looked at, and a folder that does
//! not exist is found out by the scan.

mod searched_places;

pub use searched_places::{Presence, SearchedPlace, searched_places};

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Base, Dialect, SourceKind, SourceRule};
use crate::discovery::json_file::{JsonFileError, read_json_file};
use crate::fs::{FileKind, FsError};
use crate::model::skill::{ContainedFs, Origin, Source};
use crate::model::world::{Places, World};
use crate::path::{FsPath, PathError};
use crate::text::escape::visible;
use crate::text::json::Json;
use std::collections::HashSet;
use std::sync::Arc;

/// The file in a folder of plugins that names plugins which are installed elsewhere.
const INSTALLED: &str = "installed_plugins.json";

/// How many bytes of this file are read.
const MAX_INSTALLED_BYTES: u64 = 4_194_304;

/// The folder of a plugin that holds its skills.
const PLUGIN_SKILLS: &str = "skills";

/// A source to scan.
pub(crate) struct SourceToScan {
    pub(crate) source: Arc<Source>,
    /// What the source holds. Plugins have been replaced by their folders of skills.
    pub(crate) reading: SourceKind,
}

/// The sources of a discovery, from lowest to highest precedence. A rule whose base the caller does not name has none.
pub(crate) fn sources(
    world: &World<'_>,
    dialect: &Dialect,
    findings: &mut Vec<Diagnostic>,
    pending: &mut Vec<FsPath>,
) -> Vec<SourceToScan> {
    let places = world.places;
    let mut all: Vec<OwnedSource> = Vec::new();
    let mut trusted: Vec<FsPath> = Vec::new();
    // While plugins are listed no source is trusted yet: the lists of a project's plugins are files of the project.
    let project_tree = places.containment(Vec::new());
    for (rank, rule) in rules(dialect, places).iter().enumerate() {
        let root = match root(rule, places) {
            Ok(root) => root,
            Err((base, error)) => {
                let message = format!("the source `{}` is ignored: {error}", rule.label);
                findings.push(Diagnostic::new(Severity::Error, Code::SourceUnreadable, base, message));
                continue;
            }
        };
        match (rule.kind, root) {
            (SourceKind::Files, _) => all.extend(registered(rule, rank, places)),
            (SourceKind::Folders, Some((root, owner))) => all.push(owned_source(rule, rank, root, None, owner)),
            (SourceKind::Plugins, Some((root, owner))) => {
                let files = ContainedFs::new(world.fs, project_tree.as_ref().filter(|_| owner == Owner::Project));
                let roots = plugins(&World { fs: &files, ..*world }, &root, findings, pending);
                // A project may list plugins that the user has installed for all projects.
                trusted.extend(Some(root).filter(|_| owner == Owner::User));
                all.extend(roots.into_iter().map(|(name, dir)| owned_source(rule, rank, dir, Some(name), owner)));
            }
            (SourceKind::Folders | SourceKind::Plugins, None) => {}
        }
    }
    all.extend(search_roots(dialect, places));
    contained(places, trusted, all)
}

/// The rules of the dialect's table, unless the caller wants nothing but the search roots.
fn rules<'d>(dialect: &'d Dialect, places: &Places) -> &'d [SourceRule] {
    if places.only_roots { &[] } else { &dialect.sources }
}

/// The sources for the search roots that the caller names, above all others.
fn search_roots<'p>(dialect: &Dialect, places: &'p Places) -> impl Iterator<Item = OwnedSource> + 'p {
    let first = rules(dialect, places).len();
    places.roots.iter().enumerate().map(move |(n, root)| {
        let source = Source {
            label: "root".to_owned(),
            scope: "extra".to_owned(),
            origin: Origin::Extra,
            root: root.clone(),
            rank: first + n,
            namespace: None,
            containment: None,
        };
        OwnedSource { source, kind: SourceKind::Folders, owner: Owner::User }
    })
}

/// A source of which it is known who has chosen its root, but not yet where its symlinks may lead.
struct OwnedSource {
    source: Source,
    kind: SourceKind,
    owner: Owner,
}

/// Who has chosen the root of a source.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    User,
    /// The root lies in the project, and so has come with it.
    Project,
}

/// Confines the symlinks of the project's sources to the project's tree, to the folders in `trusted`, and to the
/// sources that the user has chosen (rule 3.7).
fn contained(places: &Places, mut trusted: Vec<FsPath>, all: Vec<OwnedSource>) -> Vec<SourceToScan> {
    let of_user = all.iter().filter(|owned| owned.owner == Owner::User);
    trusted.extend(of_user.map(|owned| owned.source.root.clone()));
    let containment = places.containment(trusted.clone()).map(Arc::new);
    let place = |OwnedSource { mut source, kind, owner }| {
        // If the project is the home directory, its sources are the user's own.
        if owner == Owner::Project && !trusted.contains(&source.root) {
            source.containment.clone_from(&containment);
        }
        SourceToScan { source: Arc::new(source), reading: kind }
    };
    all.into_iter().map(place).collect()
}

/// The folders that hold the copies of activated skills. Skills in them are never found (rule 2.11).
pub(crate) fn copy_folders(dialect: &Dialect, places: &Places) -> Vec<FsPath> {
    let Some(rule) = &dialect.activation else { return Vec::new() };
    let mut copies = Vec::new();
    copies.extend(places.active.clone());
    // A path that is not valid cannot have copies.
    copies.extend(places.user.as_ref().and_then(|user| user.join(&rule.dir).ok()));
    copies
}

/// The root of the source of a rule, and who has chosen it; `None` if the caller does not name its base. The error has
/// the base below which the path of the rule is not valid.
fn root(rule: &SourceRule, places: &Places) -> Result<Option<(FsPath, Owner)>, (FsPath, PathError)> {
    let (base, owner) = match rule.base {
        Base::Home => (places.home.as_ref(), Owner::User),
        Base::Project => (places.project.as_ref(), Owner::Project),
        Base::Bundled => (places.bundled.as_ref(), Owner::User),
        Base::Config => (places.config.as_ref(), Owner::User),
        Base::User => (places.user.as_ref(), Owner::User),
        Base::Registered => (None, Owner::User),
    };
    let (base, path, owner) = match (base, &rule.project_fallback, &places.project) {
        (Some(base), ..) => (base, &rule.path, owner),
        (None, Some(otherwise), Some(project)) => (project, otherwise, Owner::Project),
        (None, ..) => return Ok(None),
    };
    base.join(path).map(|root| Some((root, owner))).map_err(|error| (base.clone(), error))
}

/// The source of a rule at this root. That of a plugin is its folder of skills, and `namespace` the name of the plugin.
fn owned_source(rule: &SourceRule, rank: usize, root: FsPath, namespace: Option<String>, owner: Owner) -> OwnedSource {
    let (label, scope) = (rule.label.to_string(), rule.scope.to_string());
    let source = Source { label, scope, origin: rule.origin, root, rank, namespace, containment: None };
    let kind = match rule.kind {
        SourceKind::Folders | SourceKind::Plugins => SourceKind::Folders,
        SourceKind::Files => SourceKind::Files,
    };
    OwnedSource { source, kind, owner }
}

/// The sources for the files and folders that the caller registers.
fn registered<'p>(rule: &'p SourceRule, rank: usize, places: &'p Places) -> impl Iterator<Item = OwnedSource> + 'p {
    places.registered.iter().map(move |(id, path)| {
        let source = Source {
            label: format!("{}:{id}", rule.label),
            scope: rule.scope.to_string(),
            origin: rule.origin,
            root: path.clone(),
            rank,
            namespace: None,
            containment: None,
        };
        OwnedSource { source, kind: rule.kind, owner: Owner::User }
    })
}

/// The plugins in the folder `root`, each with its name and its folder of skills: those in the list of installed
/// plugins, and those in the folder itself. A folder that both give is taken once, under the name in the list
/// (rules 2.9 and 2.10).
fn plugins(
    world: &World<'_>,
    root: &FsPath,
    findings: &mut Vec<Diagnostic>,
    pending: &mut Vec<FsPath>,
) -> Vec<(String, FsPath)> {
    let entries = match world.fs.list(root) {
        Ok(entries) => entries,
        Err(FsError::NotFound(_) | FsError::NotADirectory(_)) => return Vec::new(),
        Err(FsError::Pending(path)) => {
            pending.push(path);
            return Vec::new();
        }
        Err(error) => {
            findings.push(unlisted_plugins(root, &error));
            return Vec::new();
        }
    };
    let mut roots = Vec::new();
    if entries.iter().any(|entry| entry.name == INSTALLED && !entry.is_lossy) {
        roots.extend(installed(world, root, findings, pending));
    }
    // As in a scan, real folders come before symlinks (rule 3.3).
    for links in [false, true] {
        for entry in &entries {
            if entry.is_symlink == links && entry.kind == FileKind::Dir && !entry.is_lossy {
                let dir = root.child(&entry.name).and_then(|dir| dir.child(PLUGIN_SKILLS));
                match dir {
                    Ok(dir) => roots.push((entry.name.clone(), dir)),
                    Err(error) => {
                        let message = format!("a plugin is ignored: {error}");
                        findings.push(Diagnostic::new(Severity::Warning, Code::PathNotUtf8, root.clone(), message));
                    }
                }
            }
        }
    }
    let mut seen = HashSet::new();
    // A folder that cannot be resolved is compared by the path it has: the scan reports it, or what has to be fetched.
    roots.retain(|(_, dir)| seen.insert(world.fs.canonical(dir).unwrap_or_else(|_| dir.clone())));
    roots
}

fn unlisted_plugins(root: &FsPath, error: &FsError) -> Diagnostic {
    if let FsError::Escapes(_) = error {
        let message = "the plugin folder leads out of the project, so it is not read";
        return Diagnostic::new(Severity::Warning, Code::LeadsOut, root.clone(), message)
            .help("copy the plugins into the project, or allow links that lead out of the project");
    }
    let message = format!("the plugins could not be listed: {error}");
    Diagnostic::new(Severity::Warning, Code::SourceUnreadable, root.clone(), message)
        .help("check that the folder can be listed; its plugins are ignored")
}

/// The plugins in the list of installed plugins, each with its name and the folder of skills of its first installation.
/// A plugin that does not exist is reported.
fn installed(
    world: &World<'_>,
    root: &FsPath,
    findings: &mut Vec<Diagnostic>,
    pending: &mut Vec<FsPath>,
) -> Vec<(String, FsPath)> {
    let file = match root.child(INSTALLED) {
        Ok(file) => file,
        Err(error) => {
            debug_assert!(false, "`{INSTALLED}` is a name");
            findings.push(corrupt_list(root.clone(), &error.to_string()));
            return Vec::new();
        }
    };
    let json = match read_json_file(world.fs, &file, MAX_INSTALLED_BYTES) {
        Ok(Some((_, json))) => json,
        Ok(None) => return Vec::new(),
        Err(JsonFileError::Pending(path)) => {
            pending.push(path);
            return Vec::new();
        }
        Err(JsonFileError::Corrupt(reason)) => {
            findings.push(corrupt_list(file, &reason));
            return Vec::new();
        }
    };
    let Some(Json::Map(plugins)) = json.get("plugins") else {
        findings.push(corrupt_list(file, "expected an object with an object `plugins`"));
        return Vec::new();
    };
    let mut folders = Vec::new();
    for (id, installs) in plugins {
        match installed_at(world, root, installs) {
            Ok(None) => {}
            Ok(Some(dir)) => folders.push((plugin_name(id).to_owned(), dir)),
            Err(reason) => {
                let message = format!("the plugin `{}` is ignored: {reason}", visible(id));
                let missing = Diagnostic::new(Severity::Warning, Code::PluginMissing, file.clone(), message);
                findings.push(missing.help("install the plugin again, or remove it from the list"));
            }
        }
    }
    folders
}

fn corrupt_list(file: FsPath, reason: &str) -> Diagnostic {
    let message = format!("the list of plugins could not be read: {reason}");
    Diagnostic::new(Severity::Error, Code::JsonFileCorrupt, file, message)
        .help("fix the file; plugins that only it names are ignored")
}

/// The folder of skills of a plugin with these installations; `None` if it has no installation. The error says why a
/// plugin is ignored.
fn installed_at(world: &World<'_>, root: &FsPath, installs: &Json) -> Result<Option<FsPath>, String> {
    let Json::List(installs) = installs else { return Err("expected an array of installations".to_owned()) };
    let Some(install) = installs.first() else { return Ok(None) };
    let path = install.get("installPath").and_then(Json::as_text).filter(|path| !path.is_empty());
    let Some(path) = path else { return Err("expected a path in the field `installPath`".to_owned()) };
    let dir = world
        .fs
        .parse(path, root)
        .ok_or_else(|| format!("its `installPath` is not a valid path: `{}`", visible(path)))?;
    match world.fs.metadata(&dir) {
        Ok(None) => Err(format!("its `installPath` does not exist: `{dir}`")),
        Ok(Some(metadata)) if metadata.kind == FileKind::Broken => {
            Err(format!("its `installPath` is a broken symlink: `{dir}`"))
        }
        Ok(Some(metadata)) if metadata.kind != FileKind::Dir => {
            Err(format!("its `installPath` is not a folder: `{dir}`"))
        }
        // A folder that cannot be looked at is reported by the scan.
        Ok(Some(_)) | Err(_) => dir.child(PLUGIN_SKILLS).map(Some).map_err(|error| error.to_string()),
    }
}

/// The name of a plugin by its id: the part before the first `@`, if there is one. `git@market` is `git`.
fn plugin_name(id: &str) -> &str {
    match id.split_once('@') {
        Some((name, _)) if !name.is_empty() => name,
        Some(_) | None => id,
    }
}
