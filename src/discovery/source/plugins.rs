//! The folders of skills of plugins: those in a folder of plugins, and those that a list of installed plugins names. Packages
//! of the Agent Plugins specification are in `packages`.

use super::{Contents, packages};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Dialect, SourceKind};
use crate::discovery::extras::Noticed;
use crate::discovery::manifest::SKILL_FILE;
use crate::discovery::small_file::{SmallFileError, read_json_file};
use crate::discovery::world::World;
use crate::fs::{Entry, FileKind, FsError, is_dir};
use crate::model::skill::Containment;
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::json::Json;
use std::collections::HashSet;
use std::sync::Arc;

const MAX_INSTALLED_BYTES: u64 = 4_194_304;

pub(crate) const MAX_MANIFEST_BYTES: u64 = 262_144;

pub(crate) struct PluginSkills {
    pub(super) name: String,
    /// What the list of installed plugins calls the plugin.
    pub(super) id: Option<String>,
    pub(super) dir: FsPath,
    /// `Skill` for a plugin that is one skill itself.
    pub(super) contents: Contents,
    /// The table by which they are read, and where symlinks may lead, if it is a package of the specification.
    pub(super) package: Option<(Arc<Dialect>, Arc<Containment>)>,
}

/// The folders of skills of the plugins in the folder `root`, as the kind of the source has it.
pub(crate) fn plugins(
    world: &World<'_>,
    dialect: &Dialect,
    (root, kind): (&FsPath, &SourceKind),
    noticed: &mut Noticed,
) -> Vec<PluginSkills> {
    match kind {
        SourceKind::Plugins { list, skills, manifest } => {
            own(world, dialect, (root, list.as_deref(), (skills, manifest.as_deref())), noticed)
        }
        SourceKind::Packages => packages::packages(world, dialect, root, noticed),
        SourceKind::Folders | SourceKind::FoldersAndFiles | SourceKind::Commands => Vec::new(),
    }
}

/// The folders of skills of the client's own plugins: of those in the list of installed plugins, the file `list`, and of those
/// in the folder itself. They lie at `skills` in that of the plugin, if its manifest does not say otherwise. A folder that both
/// give is taken once, under the name in the list (rules 2.9 and 2.10).
fn own(
    world: &World<'_>,
    dialect: &Dialect,
    (root, list, (skills, manifest)): (&FsPath, Option<&str>, (&str, Option<&str>)),
    noticed: &mut Noticed,
) -> Vec<PluginSkills> {
    let Some(entries) = entries_of(world, root, noticed) else { return Vec::new() };
    let mut roots = Vec::new();
    if let Some(list) = list.filter(|list| entries.iter().any(|entry| entry.name == *list && !entry.is_lossy)) {
        roots.extend(installed(world, (root, list), noticed));
    }
    roots.extend(folders_in(root, &entries, noticed).into_iter().map(|(name, plugin)| (None, name, plugin)));
    // Where the client reads packages too, these are none of its own plugins.
    roots.retain(|(.., plugin)| dialect.packages.is_none() || !packages::is_package(world.fs, plugin));
    let mut folders = Vec::new();
    for (id, name, plugin) in roots {
        if let Some(manifest) = manifest.filter(|manifest| !has_manifest(world, &plugin, manifest, noticed)) {
            if plugin.join(skills).is_ok_and(|skills| is_dir(world.fs, &skills)) {
                let message =
                    format!("the plugin is ignored: expected `{manifest}`, a JSON file with `name` and `version`");
                let invalid = Diagnostic::new(Severity::Warning, Code::PluginInvalid, plugin, message);
                noticed.findings.push(invalid.help("write the manifest, or move the skills to a folder of skills"));
            }
            continue;
        }
        let found = folders_of(world, dialect, (name, skills), &plugin, noticed);
        folders.extend(found.into_iter().map(|found| PluginSkills { id: id.clone(), ..found }));
    }
    let mut seen = HashSet::new();
    // A folder that cannot be resolved is compared by the path it has: the scan reports it, or what has to be fetched.
    folders.retain(|found| seen.insert(world.fs.canonical(&found.dir).unwrap_or_else(|_| found.dir.clone())));
    folders
}

/// Whether a plugin has this manifest, with a name and a version.
fn has_manifest(world: &World<'_>, plugin: &FsPath, manifest: &str, noticed: &mut Noticed) -> bool {
    let Ok(file) = plugin.join(manifest) else { return false };
    match read_json_file(world.fs, &file, MAX_MANIFEST_BYTES) {
        Ok(json) => {
            json.is_some_and(|(_, json)| ["name", "version"].iter().all(|field| json.get(field).is_some_and(is_set)))
        }
        Err(SmallFileError::Pending(path)) => {
            noticed.pending.push(path);
            false
        }
        Err(SmallFileError::Corrupt(_)) => false,
    }
}

/// Whether JavaScript takes a value for true.
fn is_set(value: &Json) -> bool {
    !matches!(value, Json::Null | Json::Bool(false)) && value.as_text() != Some("")
}

/// The entries of a folder of plugins; `None` if it is not there, or was reported.
pub(super) fn entries_of(world: &World<'_>, root: &FsPath, noticed: &mut Noticed) -> Option<Vec<Entry>> {
    match world.fs.list(root) {
        Ok(entries) => return Some(entries),
        Err(FsError::NotFound(_) | FsError::NotADirectory(_)) => {}
        Err(FsError::Pending(path)) => noticed.pending.push(path),
        Err(error) => noticed.findings.push(unlisted_plugins(root, &error)),
    }
    None
}

/// The folders among the entries of a folder of plugins, with their names. As in a scan, real folders come before symlinks
/// (rule 3.3).
pub(super) fn folders_in(root: &FsPath, entries: &[Entry], noticed: &mut Noticed) -> Vec<(String, FsPath)> {
    let mut folders = Vec::new();
    for links in [false, true] {
        for entry in entries {
            if entry.is_symlink == links && entry.kind == FileKind::Dir && !entry.is_lossy {
                match root.child(&entry.name) {
                    Ok(dir) => folders.push((entry.name.clone(), dir)),
                    Err(error) => {
                        let message = format!("a plugin is ignored: {error}");
                        noticed.findings.push(Diagnostic::new(
                            Severity::Warning,
                            Code::PathNotUtf8,
                            root.clone(),
                            message,
                        ));
                    }
                }
            }
        }
    }
    folders
}

/// The folders of skills of a plugin. In a dialect whose plugins have manifests, the plugin is called as its manifest says,
/// which may name further folders; and without any, the plugin may be one skill itself.
fn folders_of(
    world: &World<'_>,
    dialect: &Dialect,
    (mut name, skills): (String, &str),
    plugin: &FsPath,
    noticed: &mut Noticed,
) -> Vec<PluginSkills> {
    let Ok(own) = plugin.join(skills) else { return Vec::new() };
    let pending = &mut noticed.pending;
    let mut read = |path: &str| match read_json_file(world.fs, &plugin.join(path).ok()?, MAX_MANIFEST_BYTES) {
        Ok(json) => json.map(|(_, json)| json),
        Err(SmallFileError::Pending(path)) => {
            pending.push(path);
            None
        }
        Err(SmallFileError::Corrupt(_)) => None,
    };
    let manifest = dialect.plugin_manifests.iter().find_map(|path| read(path));
    // Where packages lie beside plugins, the manifest says which of the two a folder is.
    if manifest.is_none() && dialect.packages.is_some() {
        if is_dir(world.fs, &own) {
            let expected = dialect.plugin_manifests.join("`, `");
            let message = format!("the plugin is ignored: expected `{expected}`, or a `plugin.json` of a package");
            let invalid = Diagnostic::new(Severity::Warning, Code::PluginInvalid, plugin.clone(), message);
            noticed.findings.push(invalid.help("write a manifest, or move the skills to a folder of skills"));
        }
        return Vec::new();
    }
    if let Some(declared) = manifest.as_ref().and_then(declared_name) {
        name = declared.to_owned();
    }
    let field = manifest.as_ref().and_then(|json| json.get("skills")).filter(|field| **field != Json::Null);
    let is_skill = || plugin.child(SKILL_FILE).is_ok_and(|file| matches!(world.fs.metadata(&file), Ok(Some(_))));
    if !dialect.plugin_manifests.is_empty() && field.is_none() && !is_dir(world.fs, &own) && is_skill() {
        return vec![PluginSkills { name, id: None, dir: plugin.clone(), contents: Contents::Skill, package: None }];
    }
    let is_exclusive = field.and_then(|field| field.get("exclusive")) == Some(&Json::Bool(true));
    let paths = match field.and_then(|field| field.get("paths")).or(field) {
        Some(Json::List(paths)) => paths.as_slice(),
        Some(path) => std::slice::from_ref(path),
        None => &[],
    };
    // A path that leads out of the plugin is none of its own.
    let folder = |path: &Json| world.fs.parse(path.as_text()?, plugin).filter(|dir| dir.starts_with(plugin));
    let folders = (!is_exclusive).then_some(own).into_iter().chain(paths.iter().filter_map(folder));
    folders
        .map(|dir| PluginSkills { name: name.clone(), id: None, dir, contents: Contents::Folders, package: None })
        .collect()
}

pub(crate) fn declared_name(manifest: &Json) -> Option<&str> {
    manifest.get("name").and_then(Json::as_text).map(str::trim).filter(|name| !name.is_empty())
}

pub(super) fn unlisted_plugins(root: &FsPath, error: &FsError) -> Diagnostic {
    if let FsError::Escapes(_) = error {
        let message = "the plugin folder leads out of the project, so it is not read";
        return Diagnostic::new(Severity::Warning, Code::LeadsOut, root.clone(), message)
            .help("copy the plugins into the project, or allow links that lead out of the project");
    }
    let message = format!("the plugins could not be listed: {error}");
    Diagnostic::new(Severity::Warning, Code::SourceUnreadable, root.clone(), message)
        .help("check that the folder can be listed; its plugins are ignored")
}

/// The plugins in the list of installed plugins, each with its id, its name and the folder of its first installation.
/// A plugin that does not exist is reported.
fn installed(
    world: &World<'_>,
    (root, list): (&FsPath, &str),
    noticed: &mut Noticed,
) -> Vec<(Option<String>, String, FsPath)> {
    let file = match root.child(list) {
        Ok(file) => file,
        Err(error) => {
            debug_assert!(false, "`{list}` is the name of an entry");
            noticed.findings.push(corrupt_list(root.clone(), &error.to_string()));
            return Vec::new();
        }
    };
    let json = match read_json_file(world.fs, &file, MAX_INSTALLED_BYTES) {
        Ok(Some((_, json))) => json,
        Ok(None) => return Vec::new(),
        Err(SmallFileError::Pending(path)) => {
            noticed.pending.push(path);
            return Vec::new();
        }
        Err(SmallFileError::Corrupt(reason)) => {
            noticed.findings.push(corrupt_list(file, &reason));
            return Vec::new();
        }
    };
    let Some(Json::Map(plugins)) = json.get("plugins") else {
        noticed.findings.push(corrupt_list(file, "expected an object with an object `plugins`"));
        return Vec::new();
    };
    let mut folders = Vec::new();
    for (id, installs) in plugins {
        match installed_at(world, root, installs) {
            Ok(None) => {}
            Ok(Some(dir)) => folders.push((Some(id.clone()), plugin_name(id).to_owned(), dir)),
            Err(reason) => {
                let message = format!("the plugin `{}` is ignored: {reason}", visible(id));
                let missing = Diagnostic::new(Severity::Warning, Code::PluginMissing, file.clone(), message);
                noticed.findings.push(missing.help("install the plugin again, or remove it from the list"));
            }
        }
    }
    folders
}

fn corrupt_list(file: FsPath, reason: &str) -> Diagnostic {
    let message = format!("the list of plugins could not be read: {reason}");
    Diagnostic::new(Severity::Error, Code::StoreCorrupt, file, message)
        .help("fix the file; plugins that only it names are ignored")
}

/// The folder of a plugin with these installations; `None` if it has no installation. The error says why a
/// plugin is ignored.
fn installed_at(world: &World<'_>, root: &FsPath, installs: &Json) -> Result<Option<FsPath>, String> {
    let install = match installs {
        Json::List(installs) => match installs.first() {
            Some(first) => first,
            None => return Ok(None),
        },
        // Lists of version 1 (rule 2.16).
        Json::Map(_) => installs,
        _ => return Err("expected an array of installations".to_owned()),
    };
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
        Ok(Some(_)) | Err(_) => Ok(Some(dir)),
    }
}

/// The name of a plugin by its id: the part before the first `@`, if there is one. `git@market` is `git`.
fn plugin_name(id: &str) -> &str {
    match id.split_once('@') {
        Some((name, _)) if !name.is_empty() => name,
        Some(_) | None => id,
    }
}
