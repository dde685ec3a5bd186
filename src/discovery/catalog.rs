//! Runs a discovery and holds its outcome, a [`Catalog`]: which skills there are, which one is used for each key, and
//! what became of every file. A catalog never changes and is cheap to clone. Callers get at a skill by
//! [`Catalog::find`], which is the only way by which models and users do, and checks that they may (rules 7.7, 7.8,
//! 7.9, 7.10 and 9.1). Discovery never fails: what goes wrong is a finding. Precedence is decided in `resolve`.

mod triggers;

pub(crate) use triggers::Trigger;

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{ChildRule, Dialect, EqualKeys, Lookup};
use crate::discovery::extras::Noticed;
use crate::discovery::manifest::is_skill_file;
use crate::discovery::resolve::{Resolved, Shadowed, Skipped, resolve};
use crate::discovery::scan::{ScanCache, ScanResult, WalkedFolders, scan};
use crate::discovery::settings::Settings;
use crate::discovery::source::sources_with;
use crate::discovery::world::World;
use crate::model::error::Error;
use crate::model::skill::{Caller, Frontmatter, Skill, State, Visibility};
use crate::path::FsPath;
use crate::text::escape::{reveal, visible};
use crate::text::lower::lower;
use crate::text::order::sort_by;
use crate::text::words::{MOST_NEAR, nearest};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};
use std::{fmt, iter};
use triggers::TriggerIndex;

/// What a discovery found. Clones share their data. Two catalogs are equal if the same was found with the same dialect.
#[derive(Clone)]
pub struct Catalog {
    inner: Arc<Inner>,
}

struct Inner {
    dialect: Arc<Dialect>,
    resolved: Resolved,
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
    let mut noticed = Noticed::default();
    let settings = (world.extras.settings)(world, dialect, &mut noticed);
    let places = sources_with(world, dialect, &settings, &mut noticed);
    let before = ScanResult { findings: noticed.findings, pending: noticed.pending, ..ScanResult::default() };
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
        let is_lean = world.extras.is_lean;
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

    pub(crate) fn settings(&self) -> &Arc<Settings> {
        &self.inner.settings
    }

    /// The skills that are used, one for each key unless the dialect keeps all of a key, in the dialect's order. This includes
    /// skills that are switched off.
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

    /// Whether the client's settings forbid the commands in skills (rule 9.11).
    pub fn bans_commands(&self) -> bool {
        self.settings().bans_commands()
    }

    /// The folders that were seen in the sources and not entered, because of their names or because they lie below the
    /// limit of depth, by path.
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
        matches!(self.inner.dialect.equal_keys, EqualKeys::Keep | EqualKeys::QualifyOrKeep(_))
    }

    /// The direct children of a skill that a caller may see, sorted by key.
    pub fn children(&self, skill: &Skill, caller: Caller) -> Vec<&Skill> {
        self.direct_children(skill).filter(|child| child.is_for(caller)).collect()
    }

    pub(crate) fn triggers(&self) -> &TriggerIndex {
        self.inner.triggers.get_or_init(|| TriggerIndex::new(self.skills()))
    }

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

impl Catalog {
    /// The skill that a caller asks for, if the caller may have it.
    ///
    /// ```
    /// use skilltree::{Caller, Error, FsPath, MemFs, Places, World, dialect, discover};
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let catalog = discover(&World::new(&fs, &places, &()), &dialect("agentskills").unwrap());
    /// assert_eq!(catalog.find("tea", Caller::Model).unwrap().key, "tea");
    /// let error = catalog.find("te", Caller::Model).unwrap_err();
    /// assert_eq!(error.to_string(), "there is no skill `te`; did you mean `tea`?");
    /// ```
    ///
    /// # Errors
    /// [`Error::UnknownSkill`] with the nearest keys that the caller may see; [`Error::Disabled`],
    /// [`Error::NotForModel`], [`Error::Refused`] and [`Error::NotForUser`] for a skill that this caller may not have;
    /// [`Error::Ambiguous`] if several skills match.
    pub fn find(&self, asked: &str, caller: Caller) -> Result<&Skill, Error> {
        self.admitted(self.look_up(asked, Some(caller))?, caller)
    }

    /// The skill at the same path with the same key, if the caller may have it: for a skill of an older catalog.
    ///
    /// # Errors
    /// As [`Catalog::find`].
    pub(crate) fn find_counterpart(&self, skill: &Skill, caller: Caller) -> Result<&Skill, Error> {
        match self.counterpart(skill) {
            Some(same) => self.admitted(same, caller),
            None => self.find(&skill.key, caller),
        }
    }

    /// The skill, if the caller may have it.
    fn admitted<'c>(&self, skill: &'c Skill, caller: Caller) -> Result<&'c Skill, Error> {
        let key = || visible(&skill.key).into_owned();
        match (skill.state, caller) {
            (State::Disabled, _) => Err(self.disabled(skill)),
            (_, Caller::Model) if skill.is_inactive() => Err(Error::NotActive { key: key() }),
            (_, Caller::Model) if skill.is_refused() => Err(Error::Refused { key: key() }),
            (_, Caller::Model) if !skill.is_for_model => Err(Error::NotForModel { key: key() }),
            (_, Caller::User) if !skill.is_for_user => Err(Error::NotForUser { key: key() }),
            (State::Enabled | State::Active, _) => Ok(skill),
        }
    }

    /// Checks that the frontmatter of a skill, as it was read again, lets the caller have it.
    pub(crate) fn check_again(&self, skill: &Skill, now: &Frontmatter, caller: Caller) -> Result<(), Error> {
        let key = || visible(&skill.key).into_owned();
        match caller {
            Caller::Model if now.not_for_model => Err(Error::NotForModel { key: key() }),
            Caller::User if now.not_for_user => Err(Error::NotForUser { key: key() }),
            Caller::Model | Caller::User => Ok(()),
        }
    }

    pub(crate) fn disabled(&self, skill: &Skill) -> Error {
        let has_states = self.dialect().states.is_some() && skill.decided() != Some(Visibility::Off);
        Error::Disabled { key: visible(&skill.key).into_owned(), has_states }
    }

    /// Like [`Catalog::find`], but also finds a skill that no caller may have: for changing its state.
    ///
    /// # Errors
    /// [`Error::UnknownSkill`] with the nearest keys, [`Error::Ambiguous`] with all keys that match.
    pub fn find_any(&self, asked: &str) -> Result<&Skill, Error> {
        self.look_up(asked, None)
    }

    /// The skill that is asked for. What the caller may not see is not suggested; without a caller that is nothing.
    fn look_up(&self, asked: &str, caller: Option<Caller>) -> Result<&Skill, Error> {
        let sees = |skill: &Skill| caller.is_none_or(|caller| skill.is_for(caller));
        // Rule 7.7: a key may be written as it is, or with escapes for invisible characters.
        let found = self.get(asked).or_else(|| self.get(&reveal(asked)));
        let found = match found {
            Some(skill) => Some(skill),
            None if self.keeps_all() => self.find_among_equals(asked, &sees)?,
            None => self.find_without_key(asked, caller)?,
        };
        found.ok_or_else(|| {
            let near = self.nearest_keys(asked, &sees).into_iter().map(|key| visible(key).into_owned()).collect();
            Error::UnknownSkill { asked: visible(asked).into_owned(), near }
        })
    }

    /// The only skill with this key that the caller may see, or the skill at this path. The paths of several are the
    /// candidates of the error.
    fn find_among_equals(&self, asked: &str, sees: &dyn Fn(&Skill) -> bool) -> Result<Option<&Skill>, Error> {
        let asked = reveal(asked);
        let equals: Vec<&Skill> =
            self.with_key(&asked).iter().filter_map(|at| self.skills().get(*at as usize)).collect();
        let seen: Vec<&Skill> = equals.iter().copied().filter(|skill| sees(skill)).collect();
        match (seen.as_slice(), equals.as_slice()) {
            ([only], _) | ([], [only, ..]) => Ok(Some(only)),
            ([], []) => Ok(self.skills().iter().find(|skill| skill.path.as_str() == asked)),
            (several, _) => {
                let candidates = several.iter().map(|skill| visible(skill.path.as_str()).into_owned()).collect();
                Err(Error::Ambiguous { asked: visible(&asked).into_owned(), candidates })
            }
        }
    }

    /// The keys that are spelled most similarly. If skills are found by a part of the key, that part is compared too.
    fn nearest_keys(&self, asked: &str, sees: &dyn Fn(&Skill) -> bool) -> Vec<&str> {
        let keys = || self.skills().iter().filter(|skill| sees(skill)).map(|skill| skill.key.as_str());
        let names = self.skills().iter().filter(|skill| sees(skill)).map(|skill| skill.name.as_str());
        let by_name = self.inner.dialect.lookup == Lookup::NameOrPath;
        let near = nearest(asked, keys().chain(names.filter(|_| by_name)));
        match self.inner.dialect.lookup {
            Lookup::LastPart | Lookup::SecondNameOrLastPart if near.is_empty() => {
                let mut parts: Vec<&str> = keys().map(last_part).collect();
                sort_by(&mut parts, Ord::cmp);
                parts.dedup();
                let parts = nearest(asked, parts.into_iter());
                let with = parts.into_iter().flat_map(|part| keys().filter(move |key| last_part(key) == part));
                with.take(MOST_NEAR).collect()
            }
            Lookup::Key
            | Lookup::KeyInAnyCase
            | Lookup::LastPart
            | Lookup::SecondNameOrLastPart
            | Lookup::NameOrPath => near,
        }
    }

    /// The skill that the dialect finds by something other than its key (rules 7.9 and 7.10).
    fn find_without_key(&self, asked: &str, caller: Option<Caller>) -> Result<Option<&Skill>, Error> {
        match self.inner.dialect.lookup {
            Lookup::Key => Ok(None),
            Lookup::KeyInAnyCase => {
                let folded = lower(&reveal(asked));
                Ok(self.skills().iter().find(|skill| lower(&skill.key) == folded))
            }
            Lookup::LastPart => self.find_by_last_part(&reveal(asked), caller),
            Lookup::SecondNameOrLastPart => match self.second_names().get(&*reveal(asked)) {
                Some(skill) => Ok(Some(skill)),
                None => self.find_by_last_part(&reveal(asked), caller),
            },
            Lookup::NameOrPath => Ok(self.find_by_name(&reveal(asked))),
        }
    }

    /// Rule 7.10: finds a skill by its name, the source of the highest precedence first, then in any letter case,
    /// then by its path.
    fn find_by_name(&self, asked: &str) -> Option<&Skill> {
        let first = |is_it: &dyn Fn(&Skill) -> bool| {
            let found = self.skills().iter().filter(|skill| is_it(skill));
            found.min_by(|a, b| (b.source.rank, &a.path).cmp(&(a.source.rank, &b.path)))
        };
        // The name that a skill is listed by counts before the name in its frontmatter.
        let has_own_name =
            |skill: &Skill, is_it: &dyn Fn(&str) -> bool| skill.frontmatter.name.as_deref().is_some_and(is_it);
        let folded = lower(asked);
        first(&|skill| skill.name == asked)
            .or_else(|| first(&|skill| has_own_name(skill, &|name| name == asked)))
            .or_else(|| first(&|skill| lower(&skill.key) == folded))
            .or_else(|| first(&|skill| lower(&skill.name) == folded))
            .or_else(|| first(&|skill| has_own_name(skill, &|name| lower(name) == folded)))
            .or_else(|| first(&|skill| skill.path.as_str() == asked))
    }

    /// Like [`Catalog::find`], but if no skill has this name also takes the path of a SKILL.md in the host's spelling,
    /// if the dialect finds skills by path. A relative path starts from the project.
    ///
    /// # Errors
    /// As [`Catalog::find`].
    pub fn locate(&self, world: &World<'_>, asked: &str, caller: Caller) -> Result<&Skill, Error> {
        let unknown = match self.find(asked, caller) {
            Err(error @ Error::UnknownSkill { .. }) => error,
            answer => return answer,
        };
        let path = match self.inner.dialect.lookup {
            Lookup::Key | Lookup::KeyInAnyCase | Lookup::LastPart | Lookup::SecondNameOrLastPart => None,
            Lookup::NameOrPath => parse_path(world, &reveal(asked)),
        };
        match path.map(|path| self.find(path.as_str(), caller)) {
            None | Some(Err(Error::UnknownSkill { .. })) => Err(unknown),
            Some(answer) => answer,
        }
    }

    /// The text under which each skill is listed: its name, or its key if another skill has that name (rule 7.6).
    pub(crate) fn labels(&self) -> impl Fn(&'_ Skill) -> &'_ str {
        let mut times: HashMap<&str, usize> = HashMap::with_capacity(self.skills().len());
        for skill in self.skills() {
            *times.entry(&skill.name).or_default() += 1;
            *times.entry(&skill.key).or_default() += usize::from(skill.key != skill.name);
        }
        move |skill| match times.get(skill.name.as_str()) {
            Some(2..) => &skill.key,
            Some(_) | None => &skill.name,
        }
    }

    /// The skills by the names that they have besides their keys: of words alone, none of them a key, and of several skills
    /// with one name that of the first.
    pub(crate) fn second_names(&self) -> HashMap<&str, &Skill> {
        let is_word = |name: &str| name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '-'));
        let mut names = HashMap::new();
        for skill in self.skills().iter().filter(|skill| is_word(&skill.name) && self.with_key(&skill.name).is_empty())
        {
            names.entry(skill.name.as_str()).or_insert(skill);
        }
        names
    }

    /// The only skill whose key ends in this part, as written or else in any letter case. Skills that the caller may
    /// not see count only if no other matches, so that they make nothing ambiguous: [`Catalog::find`] refuses the only
    /// one. The keys of several are told to the user alone, who may switch them on.
    fn find_by_last_part<'c>(&'c self, asked: &str, caller: Option<Caller>) -> Result<Option<&'c Skill>, Error> {
        let sees = |skill: &Skill| caller.is_none_or(|caller| skill.is_for(caller));
        let folded = lower(asked);
        let exact = |key: &str| last_part(key) == asked;
        let alike = |key: &str| lower(last_part(key)) == folded || lower(key) == folded;
        let meant = |is_meant: &dyn Fn(&str) -> bool, sees: &dyn Fn(&Skill) -> bool| -> Vec<&'c Skill> {
            self.skills().iter().filter(|skill| is_meant(&skill.key) && sees(skill)).collect()
        };
        let steps: [&dyn Fn() -> Vec<&'c Skill>; 4] =
            [&|| meant(&exact, &sees), &|| meant(&alike, &sees), &|| meant(&exact, &|_| true), &|| {
                meant(&alike, &|_| true)
            }];
        match steps.iter().map(|step| step()).find(|found| !found.is_empty()).as_deref() {
            None | Some([]) => Ok(None),
            Some([only]) => Ok(Some(only)),
            Some(several) if caller == Some(Caller::Model) && !several.iter().any(|skill| sees(skill)) => Ok(None),
            Some(several) => {
                let candidates = several.iter().map(|skill| visible(&skill.key).into_owned()).collect();
                Err(Error::Ambiguous { asked: visible(asked).into_owned(), candidates })
            }
        }
    }
}

/// The part of a key after its last colon, or the whole key (rule 7.9).
pub(crate) fn last_part(key: &str) -> &str {
    key.rsplit_once(':').map_or(key, |(_, last)| last)
}

/// The path that a text in the host's spelling names; `None` for a relative one without a project to start from.
fn parse_path(world: &World<'_>, text: &str) -> Option<FsPath> {
    match &world.places.project {
        Some(project) => world.fs.parse(text, project),
        None => {
            // An absolute path is the same from everywhere.
            let path = world.fs.parse(text, &FsPath::root())?;
            world.fs.parse(text, &FsPath::root().appended("elsewhere")).filter(|other| *other == path)
        }
    }
}

impl Catalog {
    /// The direct children of a skill, sorted by key, including those that nobody may see: for showing the whole
    /// catalog.
    pub fn direct_children(&self, skill: &Skill) -> impl Iterator<Item = &Skill> {
        let own = self.counterpart(skill).filter(|skill| skill.state != State::Disabled);
        let mut children = own.map_or(Vec::new(), |skill| self.hierarchy().children(skill));
        if self.dialect().children == ChildRule::ByFolder {
            sort_by(&mut children, |a, b| a.key.cmp(&b.key));
        }
        children.into_iter()
    }

    fn hierarchy(&self) -> Hierarchy<'_> {
        let (rule, skills) = (self.dialect().children, self.skills());
        let order = match rule {
            ChildRule::ByKey => &self.inner.by_key,
            ChildRule::ByFolder => self.inner.by_folder.get_or_init(|| {
                let mut order: Vec<u32> = (0..skills.len() as u32).collect();
                let folder = |at: &u32| skills.get(*at as usize).map(folder);
                sort_by(&mut order, |a, b| folder(a).cmp(&folder(b)));
                order
            }),
        };
        Hierarchy { rule, skills, order }
    }
}

/// The skills sorted by the path that says which is below which: the key or the folder. Everything below a skill is
/// adjacent, so it is found by binary search, and everything below a child is skipped at once.
struct Hierarchy<'c> {
    rule: ChildRule,
    skills: &'c [Skill],
    /// Indices of `skills`.
    order: &'c [u32],
}

impl<'c> Hierarchy<'c> {
    fn children(&self, skill: &'c Skill) -> Vec<&'c Skill> {
        let within = format!("{}/", self.path(skill));
        let mut children = Vec::new();
        let mut at = self.first(&within);
        while let Some(child) = self.skill(at).filter(|child| self.path(child).starts_with(&within)) {
            match self.between(self.path(child), within.len()) {
                None => {
                    children.push(child);
                    at += 1;
                }
                // `0` is the next character after `/`.
                Some(nearer) => at = self.first(&format!("{nearer}0")),
            }
        }
        children
    }

    /// The shortest path above `path`, of at least `from` bytes, that makes a skill there no direct child.
    fn between(&self, path: &'c str, from: usize) -> Option<&'c str> {
        match self.rule {
            ChildRule::ByKey => path[from..].find('/').map(|at| &path[..from + at]),
            ChildRule::ByFolder => self.nearest_below(path, from),
        }
    }

    /// The shortest path above `path`, of at least `from` bytes, that is the path of a skill. Disabled skills do not
    /// count.
    fn nearest_below(&self, path: &'c str, from: usize) -> Option<&'c str> {
        let slashes = path.bytes().enumerate().skip(from).filter(|(_, byte)| *byte == b'/');
        let mut above = slashes.map(|(at, _)| &path[..at]);
        above.find(|above| {
            let from = self.first(above);
            let skills = (from..).map_while(|at| self.skill(at).filter(|skill| self.path(skill) == *above));
            skills.into_iter().any(|skill| skill.state != State::Disabled)
        })
    }

    /// The position in `order` of the first path that is not less than this text.
    fn first(&self, text: &str) -> usize {
        let is_before = |at: &u32| self.skills.get(*at as usize).is_some_and(|skill| self.path(skill) < text);
        self.order.partition_point(is_before)
    }

    fn skill(&self, at: usize) -> Option<&'c Skill> {
        self.skills.get(*self.order.get(at)? as usize)
    }

    fn path(&self, skill: &'c Skill) -> &'c str {
        match self.rule {
            ChildRule::ByKey => &skill.key,
            ChildRule::ByFolder => folder(skill),
        }
    }
}

/// The folder of a skill, without a `/` at the end, and so empty for the root. A skill that is a file without a folder of its
/// own is the file itself, so that nothing lies below it.
fn folder(skill: &Skill) -> &str {
    let path = skill.path.as_str();
    match path.rsplit_once('/') {
        Some((folder, name)) if is_skill_file(name) => folder,
        Some(_) | None => path,
    }
}
