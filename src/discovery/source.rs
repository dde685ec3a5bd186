//! Finds out which sources a discovery scans, lowest precedence first: those of the dialect's table, the folders of
//! plugins and packages, and the search roots and registered files that the caller names. The skills themselves are not looked at, and a folder that does
//! not exist is found out by the scan.

pub(crate) mod packages;
mod placed;
pub(crate) mod plugins;

pub(crate) use placed::{base, folders_above};
pub(super) use plugins::{MAX_MANIFEST_BYTES, declared_name};

use crate::diagnostic::{Code, Diagnostic, Position, Severity};
use crate::dialect::{Base, Dialect, LinkedFolders, Permitted, ScanRule, ShownPaths, SourceKind, SourceRule};
use crate::discovery::extras::Noticed;
use crate::discovery::settings::{SettingPlace, Settings};
use crate::discovery::world::{Places, World};
use crate::fs::{FileKind, Fs, FsError, reached};
use crate::model::skill::{ContainedFs, Containment, Origin, Source};
use crate::path::{FsPath, PathError};
use crate::text::escape::visible;
use crate::text::glob::Globs;
use placed::{PlacedRule, placed_rules};
use plugins::PluginSkills;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::iter;
use std::sync::Arc;

pub(crate) struct SourceToScan {
    pub(crate) source: Arc<Source>,
    pub(crate) contents: Contents,
    pub(crate) linked_folders: LinkedFolders,
    /// What is done with hidden folders, if it is not as in the dialect's rule for scans.
    pub(crate) hidden: Option<Permitted>,
    /// The table by which the skills of a package are read.
    pub(crate) of_package: Option<Arc<Dialect>>,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Folders of skills.
    Folders,
    /// Folders of skills, and Markdown files directly in the root.
    FoldersAndFiles,
    /// Plugins. They are not scanned: each is replaced by its folder of skills.
    Plugins,
    /// One skill: the root is a SKILL.md, or a folder that holds one.
    Skill,
    /// Command files.
    Commands,
}

/// Like [`sources_with`], by the settings as they are now.
pub(crate) fn sources(world: &World<'_>, dialect: &Dialect, noticed: &mut Noticed) -> Vec<SourceToScan> {
    // Faults in the settings are reported by discovery.
    let settings = (world.extras.settings)(world, dialect, &mut Noticed::default());
    sources_with(world, dialect, &settings, noticed)
}

/// The sources of a discovery, from lowest to highest precedence. A rule whose base the caller does not name has none.
pub(crate) fn sources_with(
    world: &World<'_>,
    dialect: &Dialect,
    settings: &Settings,
    noticed: &mut Noticed,
) -> Vec<SourceToScan> {
    sources_and_targets(world, dialect, settings, noticed).0
}

/// The sources of a discovery, and the folders outside of the project that its symlinks may lead into (rule 3.7).
pub(crate) fn sources_and_targets(
    world: &World<'_>,
    dialect: &Dialect,
    settings: &Settings,
    noticed: &mut Noticed,
) -> (Vec<SourceToScan>, Vec<FsPath>) {
    let is_confined = dialect.scan.links_out == Permitted::No && world.places.follow_links_out;
    let confined = is_confined.then(|| Places { follow_links_out: false, ..world.places.clone() });
    let places = confined.as_ref().unwrap_or(world.places);
    let world = &World { places, ..*world };
    let mut all: Vec<OwnedSource> = Vec::new();
    let mut trusted: Vec<FsPath> = Vec::new();
    // While plugins are listed no source is trusted yet: the lists of a project's plugins are files of the project.
    let project_tree = places.containment(Vec::new());
    let placed = placed_rules(world, dialect, settings, &mut noticed.pending);
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
                noticed.findings.push(Diagnostic::new(Severity::Error, Code::SourceUnreadable, base, message));
                continue;
            }
        };
        match &rule.kind {
            SourceKind::Folders | SourceKind::FoldersAndFiles | SourceKind::Commands => {
                all.push(owned_source(placed, rank, root, None, owner));
            }
            SourceKind::Plugins { .. } | SourceKind::Packages => {
                let files = ContainedFs::new(world.fs, project_tree.as_ref().filter(|_| owner == Owner::Project));
                let files = &World { fs: &files, ..*world };
                let found = (world.extras.plugins)(files, dialect, (&root, &rule.kind), noticed);
                // A project may list plugins that the user has installed for all projects.
                trusted.extend(Some(root).filter(|_| owner == Owner::User));
                // A package replaces one of its name in a lower source as a whole.
                all.retain(|OwnedSource { source, package, .. }| {
                    let is_it = |higher: &&PluginSkills| {
                        higher.package.is_some() && source.namespace.as_ref() == Some(&higher.name)
                    };
                    let higher = found.iter().filter(|_| package.is_some()).find(is_it);
                    if let Some(PluginSkills { name, .. }) = higher {
                        noticed.findings.push(packages::taken(name, &source.root));
                    }
                    higher.is_none()
                });
                for PluginSkills { name, id, dir, contents, package } in found {
                    let mut owned = owned_source(placed, rank, dir, Some(name), owner);
                    owned.source.plugin = id;
                    all.push(OwnedSource { contents, package, ..owned });
                }
            }
        }
    }
    all.extend(search_roots(placed.len(), places));
    contained(world, dialect, trusted, all, noticed)
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
    let source =
        move |(n, root)| OwnedSource::of_user(("root", "extra", Origin::Extra), root, first + n, Contents::Folders);
    places.roots.iter().enumerate().map(source)
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
    /// The table by which the skills of a package are read, and where its symlinks may lead.
    package: Option<(Arc<Dialect>, Arc<Containment>)>,
}

impl OwnedSource {
    /// A source that the caller names, with this label, scope and origin. The table of the dialect says nothing about it.
    fn of_user(named: (&str, &str, Origin), root: &FsPath, rank: usize, contents: Contents) -> OwnedSource {
        let ((label, scope, origin), root) = (named, root.clone());
        let (label, scope) = (label.to_owned(), scope.to_owned());
        let (namespace, plugin, nested_in, real_root, containment) = (None, None, None, None, None);
        OwnedSource {
            source: Source { label, scope, origin, root, rank, namespace, plugin, nested_in, real_root, containment },
            contents,
            linked_folders: LinkedFolders::Followed,
            hidden: None,
            owner: Owner::User,
            base: None,
            named_at: None,
            package: None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    User,
    /// The root lies in the project, and so has come with it.
    Project,
}

/// Confines the symlinks of the project's sources to the project's tree, to the folders in `trusted`, and to the
/// sources that the user has chosen (rule 3.7). Removes the sources that the project's settings place elsewhere. Returns the
/// folders that symlinks may lead into, too.
fn contained(
    world: &World<'_>,
    dialect: &Dialect,
    mut trusted: Vec<FsPath>,
    mut all: Vec<OwnedSource>,
    noticed: &mut Noticed,
) -> (Vec<SourceToScan>, Vec<FsPath>) {
    let of_user = all.iter().filter(|owned| owned.owner == Owner::User);
    trusted.extend(of_user.map(|owned| owned.source.root.clone()));
    remove_outside(world, dialect, &trusted, &mut all, noticed);
    // The files of a source may be read where the client looks for it, even if its own symlinks are confined.
    let elsewhere = all.iter().filter(|owned| is_elsewhere(owned, world)).map(|owned| owned.source.root.clone());
    let allowed: Vec<FsPath> = trusted.iter().cloned().chain(elsewhere).collect();
    let containment = world.places.containment(allowed.clone()).map(Arc::new);
    let trusted: HashSet<FsPath> = trusted.into_iter().collect();
    let place = |OwnedSource { mut source, contents, linked_folders, hidden, owner, package, .. }| {
        let (of_package, own_folder) = package.unzip();
        // If the project is the home directory, its sources are the user's own.
        if own_folder.is_some() {
            source.containment = own_folder;
        } else if owner == Owner::Project && !trusted.contains(&source.root) {
            source.containment.clone_from(&containment);
        }
        if dialect.shown_paths == ShownPaths::Real {
            let real = source.files(world.fs).canonical(&source.root).ok();
            source.real_root = real.filter(|real| *real != source.root);
        }
        SourceToScan { source: Arc::new(source), contents, linked_folders, hidden, of_package }
    };
    (all.into_iter().map(place).collect(), allowed)
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
    let owner = if rule.base == Base::Project { Owner::Project } else { Owner::User };
    let (base, path, owner) = match (places.folder(rule.base), &rule.project_fallback, &places.project) {
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
    let (plugin, real_root, containment) = (None, None, None);
    // Where the caller names the folder that may be a part of the project, it is the user's (rule 19.1).
    let is_named = rule.project_fallback.is_some() && owner == Owner::User;
    let origin = if is_named && rule.origin == Origin::Project { Origin::User } else { rule.origin };
    let source = Source { label, scope, origin, root, rank, namespace, plugin, nested_in, real_root, containment };
    let is_plugin = is_plugins(&rule.kind);
    OwnedSource {
        source,
        contents: match rule.kind {
            SourceKind::Commands => Contents::Commands,
            SourceKind::FoldersAndFiles => Contents::FoldersAndFiles,
            SourceKind::Folders | SourceKind::Plugins { .. } | SourceKind::Packages => Contents::Folders,
        },
        linked_folders: rule.linked_folders,
        hidden: rule.hidden,
        owner,
        base: placed.base.clone().filter(|_| !is_plugin),
        named_at: placed.named_at.clone(),
        package: None,
    }
}

/// Whether a source holds plugins, each of which is a source itself.
fn is_plugins(kind: &SourceKind) -> bool {
    matches!(kind, SourceKind::Plugins { .. } | SourceKind::Packages)
}

/// The sources for the files and folders that the caller registers, if the rule is for them.
fn registered<'p>(rule: &'p SourceRule, rank: usize, places: &'p Places) -> impl Iterator<Item = OwnedSource> + 'p {
    let registered = places.registered.iter().filter(|_| rule.base == Base::Registered);
    registered.map(move |(id, path)| {
        let label = format!("{}:{id}", rule.label);
        OwnedSource::of_user((&label, &rule.scope, rule.origin), path, rank, Contents::Skill)
    })
}

/// The name of a file with patterns of what git ignores.
pub(crate) const GITIGNORE: &str = ".gitignore";

const MAX_BYTES: u64 = 65_536;

struct Rule {
    /// Whether it includes again what an earlier line has excluded.
    is_negated: bool,
    globs: Globs,
}

/// The rules of the `.gitignore` files on the way to a folder.
#[derive(Default)]
pub(crate) struct Ignored {
    /// The folders whose files were read.
    entered: HashSet<FsPath>,
    /// The rules of each file that has some, by the folder that it lies in.
    files: HashMap<FsPath, Vec<Rule>>,
}

impl Ignored {
    /// Reads the file in a folder, unless that was done before. A file that cannot be read excludes nothing.
    pub(crate) fn enter(&mut self, fs: &dyn Fs, dir: &FsPath, pending: &mut Vec<FsPath>) {
        if !self.entered.insert(dir.clone()) {
            return;
        }
        let bytes = match dir.child(GITIGNORE).map(|file| fs.read(&file, MAX_BYTES)) {
            Ok(Ok(prefix)) => prefix.bytes,
            Ok(Err(FsError::Pending(path))) => {
                pending.push(path);
                Vec::new()
            }
            Ok(Err(_)) | Err(_) => Vec::new(),
        };
        let rules: Vec<Rule> = String::from_utf8_lossy(&bytes).lines().filter_map(rule).collect();
        if !rules.is_empty() {
            self.files.insert(dir.clone(), rules);
        }
    }

    /// Whether a folder is excluded by the files in the folders above it. The last rule that matches counts, and the file of
    /// the innermost folder first.
    pub(crate) fn excludes(&self, dir: &FsPath) -> bool {
        if self.files.is_empty() {
            return false;
        }
        let bases = iter::successors(dir.parent(), FsPath::parent);
        let files = bases.filter_map(|base| Some((self.files.get(&base)?, dir.relative_to(&base)?)));
        let mut deciding = files.filter_map(|(rules, path)| {
            // A slash at the start binds a pattern to the folder of the file.
            let bound = format!("/{path}");
            rules.iter().rev().find(|rule| rule.globs.matches(&bound, Some(path)))
        });
        deciding.next().is_some_and(|rule| !rule.is_negated)
    }
}

/// The rule of a line; `None` for a blank line or a comment.
fn rule(line: &str) -> Option<Rule> {
    let line = line.trim_end();
    let (is_negated, pattern) = line.strip_prefix('!').map_or((false, line), |pattern| (true, pattern));
    let pattern = pattern.trim_end_matches('/');
    if pattern.is_empty() || line.starts_with('#') {
        return None;
    }
    Some(Rule { is_negated, globs: Globs::new(std::iter::once(pattern)) })
}

/// A place where skills are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchedPlace {
    /// The label of the source: `project-claude`, or `root` for a search root that the caller names.
    pub label: String,
    /// Who the skills come from.
    pub origin: Origin,
    /// The folder; for a skill that a plugin registers, the file or folder.
    pub path: FsPath,
    /// Whether folders below it are skills. If not, it is a skill itself, or holds plugins.
    pub holds_skills: bool,
    /// Whether it exists.
    pub presence: Presence,
}

/// Whether a place exists.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Presence {
    /// It exists and can be listed.
    Exists,
    /// It does not exist.
    Missing,
    /// It cannot be listed, with the reason: `it may not be read (permission denied)`.
    Unreadable(String),
}

impl Presence {
    /// `exists`, `missing` or `unreadable`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Presence::Exists => "exists",
            Presence::Missing => "missing",
            Presence::Unreadable(_) => "unreadable",
        }
    }
}

impl World<'_> {
    /// All places where a discovery looks, from lowest to highest precedence.
    ///
    /// A rule whose base is not known, such as the home directory of a user who has none, has no place. A folder of plugins
    /// is one place, whatever plugins are in it. A place that several rules name is listed once.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, World, dialect};
    /// use skilltree::discovery::Presence;
    /// let mut fs = MemFs::new();
    /// fs.dir("/p/.claude/skills");
    /// let places = Places { project: FsPath::new("/p").ok(), ..Places::default() };
    /// let searched = World::new(&fs, &places, &()).searched_places(&dialect("agentskills").unwrap());
    /// assert_eq!((searched[0].path.as_str(), &searched[0].presence), ("/p/.claude/skills", &Presence::Exists));
    /// assert_eq!((searched[1].path.as_str(), &searched[1].presence), ("/p/.agents/skills", &Presence::Missing));
    /// ```
    pub fn searched_places(&self, dialect: &Dialect) -> Vec<SearchedPlace> {
        let mut all: Vec<OwnedSource> = Vec::new();
        let settings = (self.extras.settings)(self, dialect, &mut Noticed::default());
        let placed = placed_rules(self, dialect, &settings, &mut Vec::new());
        for (rank, placed) in placed.iter().enumerate() {
            let rule = &*placed.rule;
            match root(placed, self.places) {
                Ok(Some((root, owner))) => {
                    let source = owned_source(placed, rank, root, None, owner);
                    let contents = if is_plugins(&rule.kind) { Contents::Plugins } else { source.contents };
                    all.push(OwnedSource { contents, ..source });
                }
                Ok(None) => all.extend(registered(rule, rank, self.places)),
                // A rule whose path is not valid is reported by discovery.
                Err(_) => {}
            }
        }
        all.extend(search_roots(placed.len(), self.places));
        // Findings are those of discovery.
        let (mut places, _) = contained(self, dialect, Vec::new(), all, &mut Noticed::default());
        // If the project is the home directory, two rules have the same root.
        let mut roots: HashSet<FsPath> = HashSet::new();
        places.retain(|place| roots.insert(place.source.root.clone()));
        places.iter().map(|place| searched_place(self, place)).collect()
    }
}

fn searched_place(world: &World<'_>, place: &SourceToScan) -> SearchedPlace {
    let source = &place.source;
    let is_file = || {
        let metadata = source.files(world.fs).metadata(&source.root);
        place.contents == Contents::Skill && matches!(metadata, Ok(Some(metadata)) if metadata.kind == FileKind::File)
    };
    let presence = match source.files(world.fs).list(&source.root) {
        Ok(_) => Presence::Exists,
        Err(_) if is_file() => Presence::Exists,
        Err(FsError::NotFound(_)) => Presence::Missing,
        Err(error) => Presence::Unreadable(error.reason()),
    };
    SearchedPlace {
        label: source.label.clone(),
        origin: source.origin,
        path: source.root.clone(),
        holds_skills: matches!(place.contents, Contents::Folders | Contents::FoldersAndFiles),
        presence,
    }
}

/// Removes the sources in folders that a project's settings name and that must not be opened, and reports them.
fn remove_outside(
    world: &World<'_>,
    dialect: &Dialect,
    trusted: &[FsPath],
    all: &mut Vec<OwnedSource>,
    noticed: &mut Noticed,
) {
    if all.iter().all(|owned| owned.named_at.is_none()) {
        return;
    }
    let containment = world.places.containment(trusted.to_vec());
    // `None` if symlinks of the project, and its settings, may lead anywhere.
    let folders: Option<HashSet<FsPath>> = match containment.map(|all| all.folders(world.fs)).transpose() {
        Ok(folders) => folders.map(HashSet::from_iter),
        Err(error) => {
            if let FsError::Pending(path) = error {
                noticed.pending.push(path);
            }
            Some(HashSet::new())
        }
    };
    let project = world.places.project.as_ref().map(|project| reached(world.fs, project));
    all.retain(|owned| {
        let Some((text, place)) = &owned.named_at else { return true };
        let real = reached(world.fs, &owned.source.root);
        let contains_project = project.as_ref().is_none_or(|project| project.starts_with(&real));
        let is_outside = || folders.as_ref().is_some_and(|folders| !lies_in_one(&real, folders));
        let (why, help) = match contains_project {
            true => ("contains the project", "name the folder of skills in the project"),
            false if is_outside() => (
                "leads out of the project",
                "if you trust the project, allow it with `--follow-links-out`, or name the folder yourself with `--root`",
            ),
            false => return true,
        };
        let message = format!(
            "the setting `{}` names `{}`, which {why}, so the folder is not read; `{}` would read it",
            place.setting,
            visible(text),
            visible(&dialect.name)
        );
        let mut finding = Diagnostic::new(Severity::Warning, Code::LeadsOut, place.file.clone(), message).help(help);
        finding.at = Some(Position { line: place.line, column: 1 });
        noticed.findings.push(finding);
        false
    });
}

/// Whether a path is one of these folders or below one, however many there are.
fn lies_in_one(path: &FsPath, folders: &HashSet<FsPath>) -> bool {
    let mut at = Some(path.clone());
    while let Some(folder) = at {
        if folders.contains(&folder) {
            return true;
        }
        at = folder.parent();
    }
    false
}

impl Places {
    /// The folders of the home directory that hold the user's own skills.
    pub fn home_folders(&self, dialect: &Dialect) -> Vec<FsPath> {
        let own = dialect.sources.iter().filter(|rule| rule.base == Base::Home && rule.origin == Origin::User);
        own.filter_map(|rule| self.home.as_ref()?.join(&rule.path).ok()).collect()
    }

    /// The roots of the sources whose skills are trusted as the user's own, without those that the user has named, each with
    /// the label of its source.
    pub fn trusted_roots<'d>(&self, dialect: &'d Dialect) -> Vec<(&'d str, FsPath)> {
        let root = |rule: &'d SourceRule| {
            let base = match rule.base {
                _ if rule.origin == Origin::Project => None,
                Base::Project => None,
                Base::Bundled if rule.origin == Origin::Bundled => None,
                base => self.folder(base),
            };
            Some((&*rule.label, base?.join(&rule.path).ok()?))
        };
        dialect.sources.iter().filter_map(root).collect()
    }
}
