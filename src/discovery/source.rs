//! Finds out which sources a discovery scans, lowest precedence first: those of the dialect's table, the folders of
//! plugins, and the search roots that the caller names. The skills themselves are not looked at, and a folder that does
//! not exist is found out by the scan.

pub(crate) mod ignored;
mod named;
mod owned;
mod placed;
pub(crate) mod plugins;
mod searched_places;

pub(crate) use searched_places::searched_places;
pub use searched_places::{Presence, SearchedPlace};

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Base, Dialect, LinkedFolders, Permitted, ScanRule, SourceKind, SourceRule};
use crate::discovery::extras::{is_not_read, read_settings};
use crate::discovery::settings::{SettingPlace, Settings};
use crate::discovery::world::{Places, World};
use crate::model::skill::{ContainedFs, Origin, Source};
use crate::path::{FsPath, PathError};
pub(crate) use placed::base;
use placed::{PlacedRule, placed_rules};
use plugins::PluginSkills;
pub(super) use plugins::{MAX_MANIFEST_BYTES, declared_name};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

/// A source to scan.
pub(crate) struct SourceToScan {
    pub(crate) source: Arc<Source>,
    pub(crate) contents: Contents,
    pub(crate) linked_folders: LinkedFolders,
    /// What is done with hidden folders, if it is not as in the dialect's rule for scans.
    pub(crate) hidden: Option<Permitted>,
}

impl SourceToScan {
    /// The rule by which its folders are scanned: that of the dialect, with what the source itself says.
    pub(crate) fn scan_rule<'d>(&self, dialect: &'d Dialect) -> Cow<'d, ScanRule> {
        match self.hidden {
            Some(hidden) => Cow::Owned(ScanRule { hidden, ..dialect.scan.clone() }),
            None => Cow::Borrowed(&dialect.scan),
        }
    }
}

/// What a source holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Folders of skills.
    Folders,
    /// Plugins. They are not scanned: each is replaced by its folder of skills.
    Plugins,
    /// One skill: the root is a SKILL.md, or a folder that holds one.
    Skill,
    /// Command files.
    Commands,
}

/// Like [`sources_with`], by the settings as they are now.
pub(crate) fn sources(
    world: &World<'_>,
    dialect: &Dialect,
    findings: &mut Vec<Diagnostic>,
    pending: &mut Vec<FsPath>,
) -> Vec<SourceToScan> {
    // Faults in the settings are reported by discovery.
    let settings = read_settings(world, dialect, &mut Vec::new(), &mut Vec::new());
    sources_with(world, dialect, &settings, findings, pending)
}

/// The sources of a discovery, from lowest to highest precedence. A rule whose base the caller does not name has none.
pub(crate) fn sources_with(
    world: &World<'_>,
    dialect: &Dialect,
    settings: &Settings,
    findings: &mut Vec<Diagnostic>,
    pending: &mut Vec<FsPath>,
) -> Vec<SourceToScan> {
    let places = world.places;
    let mut all: Vec<OwnedSource> = Vec::new();
    let mut trusted: Vec<FsPath> = Vec::new();
    // While plugins are listed no source is trusted yet: the lists of a project's plugins are files of the project.
    let project_tree = places.containment(Vec::new());
    let placed = placed_rules(world, dialect, settings, pending);
    for (rank, placed) in placed.iter().enumerate() {
        let rule = &*placed.rule;
        let (root, owner) = match root(placed, places) {
            Ok(Some(root)) => root,
            Ok(None) => {
                all.extend(registered(rule, rank, places));
                continue;
            }
            Err((base, error)) => {
                let message = format!("the source `{}` is ignored: {error}", rule.label);
                findings.push(Diagnostic::new(Severity::Error, Code::SourceUnreadable, base, message));
                continue;
            }
        };
        match &rule.kind {
            SourceKind::Folders | SourceKind::Commands => all.push(owned_source(placed, rank, root, None, owner)),
            SourceKind::Plugins { list, skills } => {
                let files = ContainedFs::new(world.fs, project_tree.as_ref().filter(|_| owner == Owner::Project));
                let files = &World { fs: &files, ..*world };
                let found = match world.extras {
                    Some(extras) => {
                        (extras.plugins)(files, dialect, (&root, list.as_deref(), skills), findings, pending)
                    }
                    None => {
                        is_not_read(files.fs, &root, "the folder of plugins", findings, pending);
                        Vec::new()
                    }
                };
                // A project may list plugins that the user has installed for all projects.
                trusted.extend(Some(root).filter(|_| owner == Owner::User));
                for PluginSkills { name, dir, contents } in found {
                    all.push(OwnedSource { contents, ..owned_source(placed, rank, dir, Some(name), owner) });
                }
            }
        }
    }
    all.extend(search_roots(placed.len(), places));
    contained(world, dialect, trusted, all, findings, pending)
}

/// Whether a source of the project lies outside of the project's own folder, and where the client looks for it: above the
/// project, or where a setting of the user says. A symlink on the way from there could lead anywhere.
fn is_elsewhere(owned: &OwnedSource, world: &World<'_>) -> bool {
    let (Some(base), Some(project)) = (&owned.base, &world.places.project) else { return false };
    let root = &owned.source.root;
    let is_outside = || owned.owner == Owner::Project && owned.named_at.is_none() && !root.starts_with(project);
    let is_below = |real: FsPath| world.fs.canonical(base).is_ok_and(|base| real.starts_with(&base));
    is_outside() && world.fs.canonical(root).is_ok_and(is_below)
}

/// The sources for the search roots that the caller names, above all others: `first` is the rank of the first of them.
fn search_roots(first: usize, places: &Places) -> impl Iterator<Item = OwnedSource> + '_ {
    places.roots.iter().enumerate().map(move |(n, root)| {
        let source = Source {
            label: "root".to_owned(),
            scope: "extra".to_owned(),
            origin: Origin::Extra,
            root: root.clone(),
            rank: first + n,
            namespace: None,
            nested_in: None,
            containment: None,
        };
        OwnedSource {
            source,
            contents: Contents::Folders,
            linked_folders: LinkedFolders::Followed,
            hidden: None,
            owner: Owner::User,
            base: None,
            named_at: None,
        }
    })
}

/// A source of which it is known who has chosen its root, but not yet where its symlinks may lead.
struct OwnedSource {
    source: Source,
    contents: Contents,
    linked_folders: LinkedFolders,
    hidden: Option<Permitted>,
    owner: Owner,
    /// The folder in which the dialect or a setting says that the rule applies; `None` for the folder of a plugin.
    base: Option<FsPath>,
    /// The folder and the place, if a settings file of the project names it.
    named_at: Option<(String, SettingPlace)>,
}

/// Who has chosen the root of a source.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    User,
    /// The root lies in the project, and so has come with it.
    Project,
}

/// Confines the symlinks of the project's sources to the project's tree, to the folders in `trusted`, and to the
/// sources that the user has chosen (rule 3.7). Removes the sources that the project's settings place elsewhere.
fn contained(
    world: &World<'_>,
    dialect: &Dialect,
    mut trusted: Vec<FsPath>,
    mut all: Vec<OwnedSource>,
    findings: &mut Vec<Diagnostic>,
    pending: &mut Vec<FsPath>,
) -> Vec<SourceToScan> {
    let of_user = all.iter().filter(|owned| owned.owner == Owner::User);
    trusted.extend(of_user.map(|owned| owned.source.root.clone()));
    named::remove_outside(world, dialect, &trusted, &mut all, findings, pending);
    // The files of a source may be read where the client looks for it, even if its own symlinks are confined.
    let elsewhere = all.iter().filter(|owned| is_elsewhere(owned, world)).map(|owned| owned.source.root.clone());
    let allowed = trusted.iter().cloned().chain(elsewhere).collect();
    let containment = world.places.containment(allowed).map(Arc::new);
    let trusted: HashSet<FsPath> = trusted.into_iter().collect();
    let place = |OwnedSource { mut source, contents, linked_folders, hidden, owner, .. }| {
        // If the project is the home directory, its sources are the user's own.
        if owner == Owner::Project && !trusted.contains(&source.root) {
            source.containment.clone_from(&containment);
        }
        SourceToScan { source: Arc::new(source), contents, linked_folders, hidden }
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

/// The root of the source of a placed rule, and who has chosen it; `None` if the caller does not name its base. The error has
/// the base below which the path of the rule is not valid.
fn root(placed: &PlacedRule<'_>, places: &Places) -> Result<Option<(FsPath, Owner)>, (FsPath, PathError)> {
    let rule = &*placed.rule;
    if let Some(base) = &placed.base {
        let is_of_project = rule.base == Base::Project || placed.named_at.is_some();
        let owner = if is_of_project { Owner::Project } else { Owner::User };
        return base.join(&rule.path).map(|root| Some((root, owner))).map_err(|error| (base.clone(), error));
    }
    let (base, owner) = match rule.base {
        Base::Home => (places.home.as_ref(), Owner::User),
        Base::Project => (places.project.as_ref(), Owner::Project),
        Base::Bundled => (places.bundled.as_ref(), Owner::User),
        Base::Config => (places.config.as_ref(), Owner::User),
        Base::User => (places.user.as_ref(), Owner::User),
        Base::Managed => (places.managed.as_ref(), Owner::User),
        Base::Registered => (None, Owner::User),
    };
    let (base, path, owner) = match (base, &rule.project_fallback, &places.project) {
        (Some(base), ..) => (base, &rule.path, owner),
        (None, Some(otherwise), Some(project)) => (project, otherwise, Owner::Project),
        (None, ..) => return Ok(None),
    };
    base.join(path).map(|root| Some((root, owner))).map_err(|error| (base.clone(), error))
}

/// The source of a placed rule at this root. That of a plugin is its folder of skills, and `namespace` the name of the plugin.
fn owned_source(
    placed: &PlacedRule<'_>,
    rank: usize,
    root: FsPath,
    namespace: Option<String>,
    owner: Owner,
) -> OwnedSource {
    let rule = &*placed.rule;
    let (label, scope) = (rule.label.to_string(), rule.scope.to_string());
    let nested_in = placed.nested_in.clone();
    let source = Source { label, scope, origin: rule.origin, root, rank, namespace, nested_in, containment: None };
    let is_plugin = matches!(rule.kind, SourceKind::Plugins { .. });
    OwnedSource {
        source,
        contents: if rule.kind == SourceKind::Commands { Contents::Commands } else { Contents::Folders },
        linked_folders: rule.linked_folders,
        hidden: rule.hidden,
        owner,
        base: placed.base.clone().filter(|_| !is_plugin),
        named_at: placed.named_at.clone(),
    }
}

/// The sources for the files and folders that the caller registers, if the rule is for them.
fn registered<'p>(rule: &'p SourceRule, rank: usize, places: &'p Places) -> impl Iterator<Item = OwnedSource> + 'p {
    let registered = places.registered.iter().filter(|_| rule.base == Base::Registered);
    registered.map(move |(id, path)| {
        let source = Source {
            label: format!("{}:{id}", rule.label),
            scope: rule.scope.to_string(),
            origin: rule.origin,
            root: path.clone(),
            rank,
            namespace: None,
            nested_in: None,
            containment: None,
        };
        OwnedSource {
            source,
            contents: Contents::Skill,
            linked_folders: rule.linked_folders,
            hidden: rule.hidden,
            owner: Owner::User,
            base: None,
            named_at: None,
        }
    })
}
