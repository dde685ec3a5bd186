//! In: a dialect's source table and the places. Out: the sources to scan, lowest precedence first, and findings
//! about lists of plugins. Absent: any look at skills; a folder that is not there is found out by the scan.

mod searched_places;

pub use searched_places::{Presence, SearchedPlace, searched_places};

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Base, Dialect, SourceKind, SourceRule};
use crate::fs::{FileKind, FsError};
use crate::model::skill::{ContainedFs, Origin, Source};
use crate::model::world::{Places, World};
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::json::Json;
use std::collections::HashSet;
use std::sync::Arc;

/// The file in a folder of plugins that names those installed elsewhere.
const INSTALLED: &str = "installed_plugins.json";

/// How many bytes of that file are read.
const INSTALLED_BYTES: u64 = 4_194_304;

/// A source, and how it is read.
pub(crate) struct Place {
    pub(crate) source: Arc<Source>,
    pub(crate) reading: SourceKind,
}

/// The sources, from lowest to highest precedence. Places that are absent have none.
pub(crate) fn sources(
    world: &World<'_>,
    dialect: &Dialect,
    findings: &mut Vec<Diagnostic>,
    pending: &mut Vec<FsPath>,
) -> Vec<Place> {
    let places = world.places;
    let mut all: Vec<Found> = Vec::new();
    let mut trusted: Vec<FsPath> = Vec::new();
    // The plugins of a project are listed with no source trusted yet: their lists are the project's own files.
    let own_tree = places.containment(Vec::new());
    for (rank, rule) in rules(dialect, places).iter().enumerate() {
        let root = root(rule, places);
        match (rule.reading, root) {
            (SourceKind::Files, _) => all.extend(registered(rule, rank, places)),
            (SourceKind::Folders, Some((root, owner))) => all.push(found(rule, rank, root, None, owner)),
            (SourceKind::Plugins, Some((root, owner))) => {
                let files = ContainedFs::new(world.fs, own_tree.as_ref().filter(|_| owner == Owner::Project));
                let roots = plugins(&World { fs: &files, ..*world }, &root, findings, pending);
                // A project may list plugins that the user has installed for all projects.
                trusted.extend(Some(root).filter(|_| owner == Owner::User));
                all.extend(roots.into_iter().map(|(name, dir)| found(rule, rank, dir, Some(name), owner)));
            }
            (SourceKind::Folders | SourceKind::Plugins, None) => {}
        }
    }
    all.extend(extra(dialect, places));
    contained(places, trusted, all)
}

/// The rules that count.
fn rules<'d>(dialect: &'d Dialect, places: &Places) -> &'d [SourceRule] {
    if places.only_roots { &[] } else { &dialect.sources }
}

/// The sources that the caller names, above all others.
fn extra<'p>(dialect: &Dialect, places: &'p Places) -> impl Iterator<Item = Found> + 'p {
    let first = rules(dialect, places).len();
    places.roots.iter().enumerate().map(move |(n, root)| {
        let source = Source {
            label: "root".to_owned(),
            scope: "extra".to_owned(),
            level: Origin::Extra,
            root: root.clone(),
            rank: first + n,
            namespace: None,
            containment: None,
        };
        Found { source, reading: SourceKind::Folders, owner: Owner::User }
    })
}

/// A source whose links are not judged yet.
struct Found {
    source: Source,
    reading: SourceKind,
    owner: Owner,
}

/// Who chose where a source lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    User,
    /// It lies in the project, and travels with it.
    Project,
}

/// Binds the project's sources to the project's tree, to these folders, and to the sources that the user trusts
/// (decisions 10).
fn contained(places: &Places, mut trusted: Vec<FsPath>, all: Vec<Found>) -> Vec<Place> {
    let of_user = all.iter().filter(|found| found.owner == Owner::User);
    trusted.extend(of_user.map(|found| found.source.root.clone()));
    let containment = places.containment(trusted.clone()).map(Arc::new);
    let place = |Found { mut source, reading, owner }| {
        // Where the project is the home directory, its sources are the user's own.
        if owner == Owner::Project && !trusted.contains(&source.root) {
            source.containment.clone_from(&containment);
        }
        Place { source: Arc::new(source), reading }
    };
    all.into_iter().map(place).collect()
}

/// The folders that hold copies for use. What lies in them is never a source (decisions 41).
pub(crate) fn copies(dialect: &Dialect, places: &Places) -> Vec<FsPath> {
    let Some(rule) = &dialect.activation else { return Vec::new() };
    let mut copies = Vec::new();
    copies.extend(places.active.clone());
    copies.extend(places.user.as_ref().and_then(|user| user.join(&rule.dir).ok()));
    copies
}

/// Where a rule leads, if its base is there, and who chose the place.
fn root(rule: &SourceRule, places: &Places) -> Option<(FsPath, Owner)> {
    let (base, owner) = match rule.base {
        Base::Home => (places.home.as_ref(), Owner::User),
        Base::Project => (places.project.as_ref(), Owner::Project),
        Base::Bundled => (places.bundled.as_ref(), Owner::User),
        Base::Config => (places.config.as_ref(), Owner::User),
        Base::User => (places.user.as_ref(), Owner::User),
        Base::Registered => (None, Owner::User),
    };
    match (base, &rule.otherwise, &places.project) {
        (Some(base), ..) => Some((base.join(&rule.path).ok()?, owner)),
        (None, Some(otherwise), Some(project)) => Some((project.join(otherwise).ok()?, Owner::Project)),
        (None, ..) => None,
    }
}

fn found(rule: &SourceRule, rank: usize, root: FsPath, namespace: Option<String>, owner: Owner) -> Found {
    let (label, scope) = (rule.label.to_string(), rule.scope.to_string());
    let source = Source { label, scope, level: rule.level, root, rank, namespace, containment: None };
    // What a rule for plugins leads to is one folder of skills each.
    let reading = match rule.reading {
        SourceKind::Folders | SourceKind::Plugins => SourceKind::Folders,
        SourceKind::Files => SourceKind::Files,
    };
    Found { source, reading, owner }
}

/// What is to be made of a file or folder that could not be read.
enum Trouble {
    /// Nothing: it is not there.
    Absent,
    Pending(FsPath),
    Broken(String),
}

fn trouble(error: FsError) -> Trouble {
    match error {
        FsError::NotFound(_) | FsError::NotADirectory(_) => Trouble::Absent,
        FsError::Pending(path) => Trouble::Pending(path),
        error => Trouble::Broken(error.to_string()),
    }
}

fn registered<'p>(rule: &'p SourceRule, rank: usize, places: &'p Places) -> impl Iterator<Item = Found> + 'p {
    places.registered.iter().map(move |(id, path)| {
        let source = Source {
            label: format!("{}:{id}", rule.label),
            scope: rule.scope.to_string(),
            level: rule.level,
            root: path.clone(),
            rank,
            namespace: None,
            containment: None,
        };
        Found { source, reading: rule.reading, owner: Owner::User }
    })
}

/// The folders of skills of plugins, with the plugins' names: those that the list names, and those in the folder.
/// Each folder once; the list knows a plugin's name better than its folder does (decisions 42).
fn plugins(
    world: &World<'_>,
    root: &FsPath,
    findings: &mut Vec<Diagnostic>,
    pending: &mut Vec<FsPath>,
) -> Vec<(String, FsPath)> {
    let listed = world.fs.list(root);
    if let Err(FsError::Escapes(_)) = listed {
        let message = "the plugin folder leads out of the project, so it is not read";
        let finding = Diagnostic::new(Severity::Warning, Code::LeadsOut, root.clone(), message);
        findings.push(finding.help("copy the plugins into the project, or allow links that lead out of the project"));
        return Vec::new();
    }
    let entries = match listed.map_err(trouble) {
        Ok(entries) => entries,
        Err(Trouble::Absent) => return Vec::new(),
        Err(Trouble::Pending(path)) => {
            pending.push(path);
            return Vec::new();
        }
        Err(Trouble::Broken(reason)) => {
            let message = format!("the plugins could not be listed: {reason}");
            findings.push(
                Diagnostic::new(Severity::Warning, Code::SourceUnreadable, root.clone(), message)
                    .help("check that the folder can be listed; its plugins are ignored"),
            );
            return Vec::new();
        }
    };
    let mut roots = Vec::new();
    if entries.iter().any(|entry| entry.name == INSTALLED && !entry.lossy) {
        match installed(world, root, findings) {
            Ok(named) => roots.extend(named),
            Err(Trouble::Absent) => {}
            Err(Trouble::Pending(path)) => pending.push(path),
            Err(Trouble::Broken(reason)) => findings.extend(root.child(INSTALLED).ok().map(|file| {
                let message = format!("the list of plugins could not be read: {reason}");
                Diagnostic::new(Severity::Error, Code::StoreCorrupt, file, message)
                    .help("fix the file; plugins that only it names are ignored")
            })),
        }
    }
    // As in a scan: real folders first, then links (decisions 9).
    for links in [false, true] {
        for entry in &entries {
            if entry.link == links && entry.kind == FileKind::Dir && !entry.lossy {
                let dir = root.child(&entry.name).and_then(|dir| dir.child("skills")).ok();
                roots.extend(dir.map(|dir| (entry.name.clone(), dir)));
            }
        }
    }
    let mut seen = HashSet::new();
    // What has no canonical path yet is not here: the scan says what to fetch, or that there is nothing.
    roots.retain(|(_, dir)| seen.insert(world.fs.canonical(dir).unwrap_or_else(|_| dir.clone())));
    roots
}

/// The plugins that the list names, with their folders of skills: of each the install that it names first. One that is
/// not there has a finding.
fn installed(
    world: &World<'_>,
    root: &FsPath,
    findings: &mut Vec<Diagnostic>,
) -> Result<Vec<(String, FsPath)>, Trouble> {
    let file = root.child(INSTALLED).map_err(|_| Trouble::Absent)?;
    let head = world.fs.read(&file, INSTALLED_BYTES).map_err(trouble)?;
    if (head.bytes.len() as u64) < head.len {
        return Err(Trouble::Broken(format!("it is larger than {INSTALLED_BYTES} bytes")));
    }
    let text = std::str::from_utf8(&head.bytes).map_err(|_| Trouble::Broken("it is not UTF-8".to_owned()))?;
    let json = Json::parse(text).map_err(|error| Trouble::Broken(error.to_string()))?;
    let Some(Json::Map(plugins)) = json.get("plugins") else {
        return Err(Trouble::Broken("expected an object with an object `plugins`".to_owned()));
    };
    let mut folders = Vec::new();
    for (id, installs) in plugins {
        match installed_at(world, root, installs) {
            Ok(None) => {}
            Ok(Some(dir)) => folders.extend(dir.child("skills").ok().map(|dir| (plugin_name(id).to_owned(), dir))),
            Err(reason) => {
                let message = format!("the plugin `{}` is ignored: {reason}", visible(id));
                let missing = Diagnostic::new(Severity::Warning, Code::PluginMissing, file.clone(), message);
                findings.push(missing.help("install the plugin again, or remove it from the list"));
            }
        }
    }
    Ok(folders)
}

/// The folder of a plugin, by its entry in the list; none where it is not installed at all. Else why there is none.
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
        Ok(Some(metadata)) if metadata.kind == FileKind::Missing => {
            Err(format!("its `installPath` is a broken symlink: `{dir}`"))
        }
        Ok(Some(metadata)) if metadata.kind != FileKind::Dir => Err(format!(
            "its `installPath` is not a folder: \
             `{dir}`"
        )),
        // What cannot be looked at is told by the scan.
        Ok(Some(_)) | Err(_) => Ok(Some(dir)),
    }
}

/// The part before `@`, where there is one: `git@market` is `git`.
fn plugin_name(id: &str) -> &str {
    id.split_once('@').map(|(name, _)| name).filter(|name| !name.is_empty()).unwrap_or(id)
}
