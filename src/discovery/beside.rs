//! Adds what files beside a SKILL.md say about the skill: a second file of fields, and the manifest of a plugin in a folder
//! above it, whose name becomes the skill's namespace (rules 6.20 and 7.12).

use super::manifest::{SidecarError, read_sidecar};
use super::scan::ScanResult;
use super::source::{MAX_MANIFEST_BYTES, declared_name};
use crate::dialect::{Dialect, KeyPart, KeyPrefix, KeyRule};
use crate::discovery::small_file::{SmallFileError, read_json_file};
use crate::discovery::source::Contents;
use crate::discovery::world::World;
use crate::fs::{Entry, Fs};
use crate::model::skill::Source;
use crate::path::FsPath;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The first names of the paths, below a folder, of the files that a dialect reads beside a SKILL.md.
pub(super) struct Names(Vec<String>);

impl Names {
    pub(super) fn new(dialect: &Dialect) -> Names {
        let sidecar = dialect.sidecar.iter().map(|rule| &rule.path);
        // A path that leads out of the folder is not read.
        let paths = sidecar.chain(manifests_above(dialect)).filter_map(|path| FsPath::root().join(path).ok());
        Names(paths.filter_map(|path| path.as_str().split('/').nth(1).map(str::to_owned)).collect())
    }

    /// Whether a folder with these entries may hold one of the files.
    pub(super) fn may_be_in(&self, entries: &[Entry]) -> bool {
        self.0.iter().any(String::is_empty) || entries.iter().any(|entry| self.may_be(entry))
    }

    /// Whether an entry may be one of the files, or hold it. Where letter case is ignored, the file system decides which
    /// names are equal.
    pub(super) fn may_be(&self, entry: &Entry) -> bool {
        self.0.iter().any(|name| !entry.name.is_ascii() || entry.name.eq_ignore_ascii_case(name))
    }
}

/// The manifests that are looked for in the folders above a skill. Where keys are not names in a namespace, only the plugins
/// in a folder of plugins have one.
fn manifests_above(dialect: &Dialect) -> &[Cow<'static, str>] {
    match dialect.key {
        KeyRule { of: KeyPart::Name, prefix: Some(KeyPrefix::Namespace) } => &dialect.plugin_manifests,
        _ => &[],
    }
}

/// Completes the skills that a scan of a source with these contents found.
pub(super) fn complete(world: &World<'_>, dialect: &Dialect, contents: Contents, result: &mut ScanResult) {
    let manifests = manifests_above(dialect);
    let has_none = dialect.sidecar.is_none() && manifests.is_empty();
    if contents == Contents::Commands || has_none || result.beside.as_ref().is_some_and(HashSet::is_empty) {
        return;
    }
    let mut plugins: HashMap<FsPath, Option<String>> = HashMap::new();
    let ScanResult { files, findings, pending, beside, .. } = result;
    let may_hold = |folder: &FsPath| beside.as_ref().is_none_or(|folders| folders.contains(folder));
    for found in files {
        let source = Arc::clone(&found.source);
        let files = source.files(world.fs);
        let dir = found.path.dirname();
        if let Some(rule) = dialect.sidecar.as_ref().filter(|_| may_hold(&dir)) {
            match read_sidecar(&files, rule, &found.path, &mut found.manifest.frontmatter) {
                Ok(()) => {}
                Err(SidecarError::Pending(path)) => pending.push(path),
                Err(SidecarError::Ignored(finding)) => findings.push(*finding),
            }
        }
        if manifests.is_empty() || found.manifest.frontmatter.namespace.is_some() {
            continue;
        }
        let mut ask = |folder: &FsPath| {
            let mut manifests = manifests.iter().filter(|_| may_hold(folder));
            manifests.find_map(|manifest| plugin_name(&files, folder, manifest, pending))
        };
        if let Some(name) = namespace(&source, dir, &mut plugins, &mut ask) {
            Arc::make_mut(&mut found.manifest.frontmatter).namespace = Some(name);
        }
    }
}

/// The name of the plugin that a folder in a source belongs to. `ask` gives that of a plugin in exactly one folder, and
/// `known` has the answers for the folders that were asked for.
fn namespace(
    source: &Source,
    dir: FsPath,
    known: &mut HashMap<FsPath, Option<String>>,
    ask: &mut dyn FnMut(&FsPath) -> Option<String>,
) -> Option<String> {
    let mut passed: Vec<FsPath> = Vec::new();
    let mut at = Some(dir);
    let mut name = None;
    while let Some(folder) = at.filter(|folder| folder.starts_with(&source.root)) {
        if let Some(found) = known.get(&folder) {
            name = found.clone();
            break;
        }
        name = ask(&folder);
        at = folder.parent();
        passed.push(folder);
        if name.is_some() {
            break;
        }
    }
    for folder in passed {
        known.insert(folder, name.clone());
    }
    name
}

/// The name in the manifest of a plugin, or else the name of the plugin's folder; `None` if there is no manifest.
fn plugin_name(fs: &dyn Fs, folder: &FsPath, manifest: &str, pending: &mut Vec<FsPath>) -> Option<String> {
    let path = folder.join(manifest).ok()?;
    match read_json_file(fs, &path, MAX_MANIFEST_BYTES) {
        Ok(None) => None,
        Ok(Some((_, json))) => Some(declared_name(&json).unwrap_or(folder.name()).to_owned()),
        Err(SmallFileError::Pending(path)) => {
            pending.push(path);
            None
        }
        // A manifest that cannot be read marks the plugin all the same.
        Err(SmallFileError::Corrupt(_)) => Some(folder.name().to_owned()),
    }
}
