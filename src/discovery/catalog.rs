//! Runs a discovery and holds its outcome, a [`Catalog`]: which skills there are, which one is used for each key, and
//! what became of every file. A catalog never changes and is cheap to clone. Callers get at a skill by
//! [`Catalog::find`], which checks that they may. Discovery never fails: what goes wrong is a finding. Precedence is
//! decided in `resolve`.

mod below;
mod lookup;
mod triggers;

use crate::text::order::sort_by;
pub(crate) use lookup::last_part;
pub(crate) use triggers::Trigger;

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{Dialect, EqualKeys};
use crate::discovery::extras::read_settings;
use crate::discovery::resolve::{Resolved, Shadowed, Skipped, resolve};
use crate::discovery::scan::{ScanCache, ScanResult, WalkedFolders, scan};
use crate::discovery::settings::Settings;
use crate::discovery::source::sources_with;
use crate::discovery::world::World;
use crate::model::skill::{Caller, Skill};
use crate::path::FsPath;
use std::collections::HashSet;
use std::fmt;
use std::iter;
use std::sync::{Arc, OnceLock};
use triggers::TriggerIndex;

/// What a discovery found. Clones share their data. Two catalogs are equal if the same was found with the same dialect.
#[derive(Clone)]
pub struct Catalog {
    inner: Arc<Inner>,
}

struct Inner {
    dialect: Arc<Dialect>,
    resolved: Resolved,
    /// What the settings of the client say.
    settings: Arc<Settings>,
    /// The indices of `resolved.skills`, sorted by key.
    by_key: Vec<u32>,
    /// The indices of `resolved.skills`, sorted by folder; computed when first needed.
    by_folder: OnceLock<Vec<u32>>,
    /// What skills are selected by; computed when first needed.
    triggers: OnceLock<TriggerIndex>,
}

/// A SKILL.md that was read, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SeenFile<'c> {
    /// The file.
    pub path: &'c FsPath,
    /// Its path with symlinks resolved; `None` if that is `path`.
    pub target: Option<&'c FsPath>,
    /// The key that it has, or would have as a skill; `None` if it was never read.
    pub key: Option<&'c str>,
    /// Its name, or else that of its folder; `None` if it was never read.
    pub name: Option<&'c str>,
    /// What became of it.
    pub status: FileStatus<'c>,
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileStatus<'c> {
    /// It is the skill that is used for its key.
    InUse(&'c Skill),
    /// Another skill is used for its key.
    Shadowed(&'c Shadowed),
    /// It is not a skill. The finding with this code says why.
    Skipped(Code),
}

/// Finds the skills in all sources of the dialect. Never fails.
///
/// ```
/// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
/// let mut fs = MemFs::new();
/// fs.file("/p/.agents/skills/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n");
/// let places = Places { project: FsPath::new("/p").ok(), ..Places::default() };
/// let catalog = discover(&World::new(&fs, &places, &()), &dialect("agentskills").unwrap());
/// assert_eq!(catalog.skills()[0].key, "tea");
/// assert!(catalog.findings().is_empty());
/// ```
pub fn discover(world: &World<'_>, dialect: &Arc<Dialect>) -> Catalog {
    discovered(world, dialect, None, &mut |_| {})
}

/// Like [`discover`], and calls a function with the result of each scan before the skills in use are decided. The first
/// result has the findings about the sources themselves.
pub(crate) fn discover_with(
    world: &World<'_>,
    dialect: &Arc<Dialect>,
    inspect: &mut dyn FnMut(&ScanResult),
) -> Catalog {
    discovered(world, dialect, None, inspect)
}

fn discovered(
    world: &World<'_>,
    dialect: &Arc<Dialect>,
    mut cache: Option<&mut ScanCache>,
    inspect: &mut dyn FnMut(&ScanResult),
) -> Catalog {
    let dialect = &dialect.in_world(world);
    // If the rows of the prompt show resources, these are needed anyway.
    let shows_resources = dialect.prompt.row.placeholders().any(|hole| hole.trim_start_matches('@') == "resources");
    let world = &World { keeps_resources: world.keeps_resources || shows_resources, ..*world };
    if let Some(cache) = cache.as_deref_mut() {
        cache.begin_discovery(world);
    }
    let mut before = ScanResult::default();
    let settings = read_settings(world, dialect, &mut before.findings, &mut before.pending);
    let places = sources_with(world, dialect, &settings, &mut before.findings, &mut before.pending);
    inspect(&before);
    let mut walked = WalkedFolders::default();
    let scans = places.into_iter().map(|place| scan(world, dialect, &place, cache.as_deref_mut(), &mut walked));
    let scans: Vec<ScanResult> = scans.inspect(inspect).collect();
    let resolved = resolve(world, dialect, &settings, scans, before);
    let mut by_key: Vec<u32> = (0..resolved.skills.len() as u32).collect();
    sort_by(&mut by_key, |a, b| resolved.skills[*a as usize].key.cmp(&resolved.skills[*b as usize].key));
    let (dialect, settings) = (Arc::clone(dialect), Arc::new(settings));
    let (by_folder, triggers) = (OnceLock::new(), OnceLock::new());
    Catalog { inner: Arc::new(Inner { dialect, resolved, settings, by_key, by_folder, triggers }) }
}

/// Repeated discovery that lists and reads only what has changed, as shown by its [`Stamp`](crate::fs::Stamp).
///
/// A refresh gives the same catalog as a fresh discovery, whatever has changed, including the answers of the host. The
/// one exception is a file system that gives the same stamp to different content: for example if the clock was set
/// back, and a file was overwritten in place with the same length. [`IncrementalDiscovery::forget`] helps there. Bodies
/// are not cached.
///
/// ```
/// use skilltree::{IncrementalDiscovery, MemFs, Places, World, dialect};
/// let mut live = IncrementalDiscovery::new(dialect("sven").unwrap());
/// let (fs, places) = (MemFs::new(), Places::default());
/// assert!(live.refresh(&World::new(&fs, &places, &())).skills().is_empty());
/// ```
pub struct IncrementalDiscovery {
    dialect: Arc<Dialect>,
    /// The dialect with the reading that counted in the last refresh, by which the cached files were read.
    read_by: Arc<Dialect>,
    /// Whether the world of the last refresh was a lean one.
    is_lean: bool,
    cache: ScanCache,
}

impl IncrementalDiscovery {
    /// A discovery by this dialect, with an empty cache.
    pub fn new(dialect: Arc<Dialect>) -> IncrementalDiscovery {
        let read_by = Arc::clone(&dialect);
        IncrementalDiscovery { dialect, read_by, is_lean: false, cache: ScanCache::default() }
    }

    /// Discovers the skills that there are now. All refreshes must be given the same file system.
    pub fn refresh(&mut self, world: &World<'_>) -> Catalog {
        let is_lean = world.extras.is_none();
        if self.read_by.reading != world.reading.unwrap_or(self.dialect.reading) || self.is_lean != is_lean {
            (self.read_by, self.is_lean) = (self.dialect.in_world(world), is_lean);
            self.forget();
        }
        discovered(world, &self.read_by, Some(&mut self.cache), &mut |_| {})
    }

    /// Empties the cache, so that the next refresh reads everything.
    pub fn forget(&mut self) {
        self.cache = ScanCache::default();
    }
}

impl Catalog {
    /// The dialect with which it was made.
    pub fn dialect(&self) -> &Arc<Dialect> {
        &self.inner.dialect
    }

    /// Whether this is a clone of the other one. Of equal catalogs that are not, the bodies may differ.
    pub(crate) fn is_same(&self, other: &Catalog) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// What the settings of the client say.
    pub(crate) fn settings(&self) -> &Arc<Settings> {
        &self.inner.settings
    }

    /// The skills that are used, one for each key, in the dialect's order. This includes skills that are switched off.
    pub fn skills(&self) -> &[Skill] {
        &self.inner.resolved.skills
    }

    /// The skills that are not used, as others of the same key have precedence, by path.
    pub fn shadowed(&self) -> &[Shadowed] {
        &self.inner.resolved.shadowed
    }

    /// The findings, by path, line and column.
    pub fn findings(&self) -> &[Diagnostic] {
        &self.inner.resolved.findings
    }

    /// Files and folders that the file system has yet to fetch. Discover again when it has.
    pub fn pending(&self) -> &[FsPath] {
        &self.inner.resolved.pending
    }

    /// The folders that were seen in the sources and not entered, because of their names or as they lie below the limit of
    /// depth, by path.
    pub(crate) fn unentered(&self) -> &[FsPath] {
        &self.inner.resolved.unentered
    }

    /// How many folders that belong to no skill lie below the limit of depth and were not entered. What is in them,
    /// [`check`](crate::check()) says.
    pub fn count_below_depth(&self) -> usize {
        if self.unentered().is_empty() {
            return 0;
        }
        let skills: HashSet<FsPath> = self.seen().filter_map(|seen| seen.path.parent()).collect();
        let named: HashSet<&FsPath> = self.findings().iter().map(|finding| &finding.path).collect();
        let is_of_a_skill =
            |path: &FsPath| iter::successors(path.parent(), FsPath::parent).any(|at| skills.contains(&at));
        self.unentered().iter().filter(|path| !named.contains(path) && !is_of_a_skill(path)).count()
    }

    /// The files that were read and are not skills: the SKILL.md, and the real path of its folder.
    pub(crate) fn skipped(&self) -> impl Iterator<Item = (&FsPath, &FsPath)> {
        self.inner.resolved.skipped.iter().map(|skipped| (&skipped.path, &skipped.folder))
    }

    /// The files that are no skills only because they have no description.
    pub(crate) fn undescribed(&self) -> impl Iterator<Item = &Skipped> {
        self.inner.resolved.skipped.iter().filter(|skipped| skipped.code == Code::DescriptionMissing)
    }

    /// Every SKILL.md that was read, and what became of it. A file that was seen and not read has a finding.
    pub fn seen(&self) -> impl Iterator<Item = SeenFile<'_>> {
        let resolved = &self.inner.resolved;
        let used = resolved.skills.iter().map(|skill| seen(skill, FileStatus::InUse(skill)));
        let shadowed = resolved.shadowed.iter().map(|shadowed| seen(&shadowed.skill, FileStatus::Shadowed(shadowed)));
        let skipped = resolved.skipped.iter().map(|skipped| SeenFile {
            path: &skipped.path,
            target: skipped.target.as_ref(),
            key: Some(&skipped.key),
            name: Some(&skipped.name),
            status: FileStatus::Skipped(skipped.code),
        });
        used.chain(shadowed).chain(skipped)
    }

    /// The skill that is used for a key, whether or not a caller may have it. For showing it only: what a caller asks
    /// for goes through [`Catalog::find`]. `None` too if the dialect keeps several skills with the same key and there are
    /// some.
    pub fn get(&self, key: &str) -> Option<&Skill> {
        match self.with_key(key) {
            [only] => self.inner.resolved.skills.get(*only as usize),
            _ => None,
        }
    }

    /// The skill at the same path with the same key; that which is used for this key if there is none.
    pub(crate) fn counterpart(&self, skill: &Skill) -> Option<&Skill> {
        let skills = &self.inner.resolved.skills;
        let same = self.with_key(&skill.key).iter().filter_map(|at| skills.get(*at as usize));
        same.clone().find(|same| same.path == skill.path).or_else(|| same.clone().next().filter(|_| !self.keeps_all()))
    }

    /// Whether several skills may have the same key.
    fn keeps_all(&self) -> bool {
        self.inner.dialect.equal_keys == EqualKeys::Keep
    }

    /// The direct children of a skill that a caller may see, sorted by key.
    pub fn children(&self, skill: &Skill, caller: Caller) -> Vec<&Skill> {
        self.direct_children(skill).filter(|child| child.is_for(caller)).collect()
    }

    /// What the skills are selected by.
    pub(crate) fn triggers(&self) -> &TriggerIndex {
        self.inner.triggers.get_or_init(|| TriggerIndex::new(self.skills()))
    }

    /// The indices of the skills with this key.
    fn with_key(&self, key: &str) -> &[u32] {
        let (skills, by_key) = (&self.inner.resolved.skills, &self.inner.by_key);
        let start = by_key.partition_point(|at| skills[*at as usize].key.as_str() < key);
        let count = by_key[start..].iter().take_while(|at| skills[**at as usize].key == key).count();
        &by_key[start..start + count]
    }
}

impl PartialEq for Catalog {
    fn eq(&self, other: &Catalog) -> bool {
        let (own, theirs) = (&*self.inner, &*other.inner);
        self.is_same(other)
            || Arc::ptr_eq(&own.dialect, &theirs.dialect)
                && own.resolved == theirs.resolved
                && own.settings == theirs.settings
    }
}

impl fmt::Debug for Catalog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Catalog")
            .field("dialect", &self.inner.dialect.name)
            .field("skills", &self.skills())
            .field("shadowed", &self.shadowed())
            .field("findings", &self.findings())
            .finish()
    }
}

fn seen<'c>(skill: &'c Skill, status: FileStatus<'c>) -> SeenFile<'c> {
    let Skill { path, target, key, name, .. } = skill;
    SeenFile { path, target: target.as_ref(), key: Some(key), name: Some(name), status }
}
