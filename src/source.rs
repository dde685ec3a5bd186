//! In: a dialect's source table and the places. Out: the sources to scan, lowest precedence first, and findings
//! about lists of plugins. Absent: any look at skills; a folder that is not there is found out by the scan.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Base, Dialect, Reading, SourceRule};
use crate::fs::{FsError, Kind};
use crate::path::FsPath;
use crate::skill::{Level, Source};
use crate::text::json::Json;
use crate::world::{Places, World};
use std::collections::HashSet;
use std::sync::Arc;

/// The file in a folder of plugins that names those installed elsewhere.
const INSTALLED: &str = "installed_plugins.json";

/// How many bytes of that file are read.
const INSTALLED_BYTES: u64 = 4_194_304;

/// A source, and how it is read.
pub(crate) struct Place {
    pub(crate) source: Arc<Source>,
    pub(crate) reading: Reading,
}

/// The sources, from lowest to highest precedence. Places that are absent have none.
pub(crate) fn sources(world: &World<'_>, dialect: &Dialect, findings: &mut Vec<Diagnostic>) -> Vec<Place> {
    let places = world.places;
    let mut all = Vec::new();
    let rules = if places.only_roots { &[][..] } else { &dialect.sources };
    for (rank, rule) in rules.iter().enumerate() {
        match (rule.reading, root(rule, places)) {
            (Reading::Files, _) => all.extend(registered(rule, rank, places)),
            (Reading::Folders, Some(root)) => all.push(place(rule, rank, root, None)),
            (Reading::Plugins, Some(root)) => plugins(world, rule, rank, &root, &mut all, findings),
            (Reading::Folders | Reading::Plugins, None) => {}
        }
    }
    for (n, root) in places.roots.iter().enumerate() {
        let source = Source {
            label: "root".to_owned(),
            scope: "extra".to_owned(),
            level: Level::Extra,
            root: root.clone(),
            rank: rules.len() + n,
            namespace: None,
        };
        all.push(Place { source: Arc::new(source), reading: Reading::Folders });
    }
    all
}

/// The folders that hold copies for use. What lies in them is never a source (decisions 41).
pub(crate) fn copies(dialect: &Dialect, places: &Places) -> Vec<FsPath> {
    let Some(rule) = &dialect.activation else { return Vec::new() };
    let own = places.user.as_ref().and_then(|user| user.join(&rule.dir).ok());
    places.active.iter().cloned().chain(own).collect()
}

/// Where a rule leads, if its base is there.
fn root(rule: &SourceRule, places: &Places) -> Option<FsPath> {
    let base = match rule.base {
        Base::Home => places.home.as_ref(),
        Base::Project => places.project.as_ref(),
        Base::Bundled => places.bundled.as_ref(),
        Base::Config => places.config.as_ref(),
        Base::User => places.user.as_ref(),
        Base::Registered => None,
    };
    match (base, &rule.otherwise, &places.project) {
        (Some(base), ..) => base.join(&rule.path).ok(),
        (None, Some(otherwise), Some(project)) => project.join(otherwise).ok(),
        (None, ..) => None,
    }
}

fn place(rule: &SourceRule, rank: usize, root: FsPath, namespace: Option<String>) -> Place {
    let (label, scope) = (rule.label.clone(), rule.scope.clone());
    let source = Source { label, scope, level: rule.level, root, rank, namespace };
    Place { source: Arc::new(source), reading: rule.reading }
}

fn registered<'p>(rule: &'p SourceRule, rank: usize, places: &'p Places) -> impl Iterator<Item = Place> + 'p {
    places.registered.iter().map(move |(id, path)| {
        let source = Source {
            label: format!("{}:{id}", rule.label),
            scope: rule.scope.clone(),
            level: rule.level,
            root: path.clone(),
            rank,
            namespace: None,
        };
        Place { source: Arc::new(source), reading: rule.reading }
    })
}

/// The skills of plugins: those in the folder, and those that its list names. Each folder once (decisions 42).
fn plugins(
    world: &World<'_>,
    rule: &SourceRule,
    rank: usize,
    root: &FsPath,
    all: &mut Vec<Place>,
    findings: &mut Vec<Diagnostic>,
) {
    let mut roots: Vec<(String, FsPath)> = Vec::new();
    for entry in world.fs.list(root).unwrap_or_default() {
        if entry.kind == Kind::Dir && !entry.lossy {
            roots.extend(root.child(&entry.name).and_then(|dir| dir.child("skills")).ok().map(|dir| (entry.name, dir)));
        }
    }
    roots.extend(installed(world, root, findings));
    let mut seen = HashSet::new();
    for (name, dir) in roots {
        if world.fs.canonical(&dir).is_ok_and(|real| seen.insert(real)) {
            let mut place = place(rule, rank, dir, Some(name));
            place.reading = Reading::Folders;
            all.push(place);
        }
    }
}

/// The plugins that the list names, with their folders of skills.
fn installed(world: &World<'_>, root: &FsPath, findings: &mut Vec<Diagnostic>) -> Vec<(String, FsPath)> {
    let Ok(file) = root.child(INSTALLED) else { return Vec::new() };
    let head = match world.fs.read(&file, INSTALLED_BYTES) {
        Ok(head) => head,
        Err(FsError::NotFound(_) | FsError::NotADirectory(_) | FsError::Pending(_)) => return Vec::new(),
        Err(error) => {
            findings.push(corrupt(file, &error.to_string()));
            return Vec::new();
        }
    };
    let read = std::str::from_utf8(&head.bytes).map_err(|error| error.to_string());
    let plugins = match read.and_then(|text| Json::parse(text).map_err(|error| error.to_string())) {
        Ok(json) => json.get("plugins").cloned(),
        Err(reason) => {
            findings.push(corrupt(file, &reason));
            None
        }
    };
    let Some(Json::Map(plugins)) = plugins else { return Vec::new() };
    let mut roots = Vec::new();
    for (id, installs) in plugins {
        let name = id.split_once('@').map_or(id.as_str(), |(name, _)| name).to_owned();
        let Json::List(installs) = installs else { continue };
        for install in &installs {
            let path = install.get("installPath").and_then(Json::as_text);
            let dir = path.and_then(|path| world.fs.parse(path, root)).and_then(|dir| dir.child("skills").ok());
            roots.extend(dir.map(|dir| (name.clone(), dir)));
        }
    }
    roots
}

fn corrupt(file: FsPath, reason: &str) -> Diagnostic {
    let message = format!("the list of plugins could not be read: {reason}");
    Diagnostic::new(Severity::Error, Code::StoreCorrupt, file, message).help("mend the file; its plugins are not seen")
}
