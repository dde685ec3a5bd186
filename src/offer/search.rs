//! Finds the skills that fit a request in words: [`SearchIndex::search`] (topic 28 of the rules).
//! `search/index` knows which skill has which words, and `search/rank` how much they count.

mod index;
mod rank;

use crate::diagnostic::Code;
use crate::discovery::catalog::Catalog;
use crate::discovery::manifest::{ReadMode, read_all};
use crate::discovery::resolve::Skipped;
use crate::discovery::world::World;
use crate::fs::Fs;
use crate::model::skill::{Caller, Frontmatter, Skill};
use crate::path::FsPath;
use crate::text::frontmatter;
use crate::text::lower::lower;
use crate::text::terms::{each_word, stem};
use index::Index;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// A request in words.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchRequest {
    /// What is looked for: some words, or a whole task. Of more than 16 384 characters the rest is ignored.
    pub query: String,
    /// The most skills that are found: 10 by default.
    pub limit: usize,
    /// Who asks. Skills that the caller may not see are not found.
    pub caller: Caller,
}

impl SearchRequest {
    /// A request for at most ten skills.
    pub fn new(query: &str, caller: Caller) -> SearchRequest {
        const USUAL_LIMIT: usize = 10;
        SearchRequest { query: query.to_owned(), limit: USUAL_LIMIT, caller }
    }
}

/// A part of a skill that is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SearchField {
    /// Its key.
    Name,
    /// Another name, if the key does not end in it: that in the frontmatter, for example.
    Alias,
    /// Its description.
    Description,
    /// The keywords and verbs by which it is selected.
    Triggers,
    /// When to use it, beyond its description.
    WhenToUse,
    /// The text below the frontmatter, in an index with bodies.
    Body,
}

impl SearchField {
    /// All fields, in the order in which they are listed.
    pub const ALL: [SearchField; 6] = [
        SearchField::Name,
        SearchField::Alias,
        SearchField::Description,
        SearchField::Triggers,
        SearchField::WhenToUse,
        SearchField::Body,
    ];

    /// The name of the field in JSON.
    ///
    /// ```
    /// assert_eq!(skilltree::offer::SearchField::WhenToUse.as_str(), "when_to_use");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            SearchField::Name => "name",
            SearchField::Alias => "alias",
            SearchField::Description => "description",
            SearchField::Triggers => "triggers",
            SearchField::WhenToUse => "when_to_use",
            SearchField::Body => "body",
        }
    }

    fn is_name(self) -> bool {
        matches!(self, SearchField::Name | SearchField::Alias)
    }
}

/// A skill that was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Hit {
    /// Its key.
    pub key: String,
    /// Its SKILL.md, as a dialect may keep several skills with one key.
    pub path: FsPath,
    /// Its description. [`Hits::marks`] says which of its words were looked for.
    pub description: String,
    /// How well it fits, to three decimals. Only scores of one answer can be compared.
    pub score: f64,
    /// Why it is not in use, if it is not: the code of the finding about it. Only files without a description are found though they
    /// are not in use, and only for a user.
    pub unused: Option<Code>,
    /// The fields that have words of the request, in the order of [`SearchField::ALL`]. None if only the name as a whole is
    /// equal.
    pub matched: Vec<SearchField>,
}

/// The skills that fit a request, the best first.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Hits {
    /// What was looked for.
    pub query: String,
    /// What was found.
    pub hits: Vec<Hit>,
    /// The stems that were looked for and that any skill has.
    stems: BTreeSet<String>,
}

impl Hits {
    /// Where the words of a text are that were looked for, or are similar to such words; in order.
    ///
    /// ```
    /// use skilltree::offer::{SearchIndex, SearchRequest};
    /// use skilltree::{Caller, FsPath, MemFs, Places, World, dialect, discover};
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Brews a cup.\n---\n");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let catalog = discover(&World::new(&fs, &places, &()), &dialect("agentskills").unwrap());
    /// let hits = SearchIndex::new(&catalog).search(&SearchRequest::new("brewing", Caller::User));
    /// assert_eq!(hits.marks("Brews a cup."), [0..5]);
    /// ```
    pub fn marks(&self, text: &str) -> Vec<Range<usize>> {
        let mut marks: Vec<Range<usize>> = Vec::new();
        each_word(text, &mut |word, range| {
            if !self.stems.contains(&*stem(word)) {
                return;
            }
            // Words overlap: pairs of letters, and a word with its parts.
            while let Some(last) = marks.last_mut() {
                if last.end < range.start {
                    break;
                }
                if last.start <= range.start {
                    last.end = last.end.max(range.end);
                    return;
                }
                marks.pop();
            }
            marks.push(range);
        });
        marks
    }
}

/// An index of a catalog for requests in words.
///
/// The index holds the catalog that it was made of, and less than 1 KB for each skill without bodies; with them about 2 to
/// 5 KB, and less the more skills there are. Without bodies, a catalog with ten thousand skills is indexed in a fraction of
/// the time that its discovery takes.
#[derive(Clone, Debug)]
pub struct SearchIndex {
    catalog: Catalog,
    index: Index,
}

impl SearchIndex {
    /// Indexes what the frontmatter of each skill says.
    ///
    /// ```
    /// use skilltree::offer::{SearchIndex, SearchRequest};
    /// use skilltree::{Caller, FsPath, MemFs, Places, World, dialect, discover};
    /// let mut fs = MemFs::new();
    /// fs.file("/s/pdf-forms/SKILL.md", "---\nname: pdf-forms\ndescription: Fills in documents.\n---\n");
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Brews tea.\n---\n");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let catalog = discover(&World::new(&fs, &places, &()), &dialect("agentskills").unwrap());
    /// let index = SearchIndex::new(&catalog);
    /// let hits = index.search(&SearchRequest::new("fill a form", Caller::Model));
    /// assert_eq!(hits.hits[0].key, "pdf-forms");
    /// assert!(index.search(&SearchRequest::new("spaceship", Caller::Model)).hits.is_empty());
    /// ```
    pub fn new(catalog: &Catalog) -> SearchIndex {
        SearchIndex::of(catalog, &|_| None)
    }

    /// Like [`SearchIndex::new`], and indexes the bodies too, of which each is read: at most its first 65 536 bytes. A skill
    /// whose body cannot be read is found by its other fields. What is read is the skill's own file, not a copy of it.
    pub fn with_bodies(world: &World<'_>, catalog: &Catalog) -> SearchIndex {
        SearchIndex::of(catalog, &|entry| entry.body(world, catalog))
    }

    fn of(catalog: &Catalog, body: &dyn Fn(Entry<'_>) -> Option<String>) -> SearchIndex {
        let mut index = Index::default();
        for entry in entries(catalog) {
            index.add(entry, body(entry).as_deref());
        }
        index.link();
        SearchIndex { catalog: catalog.clone(), index }
    }

    /// Makes this the index of another catalog, at no cost if it is the same one. Only skills are indexed that are new or were
    /// read again, so that after a [refresh](crate::IncrementalDiscovery::refresh) an edit costs little. The answers are those
    /// of a new index. If this one has bodies, [`SearchIndex::update_with_bodies`] is to be called instead, as otherwise skills
    /// that have changed are found without their bodies.
    pub fn update(&mut self, catalog: &Catalog) {
        self.replace(catalog, &|_| None);
    }

    /// Like [`SearchIndex::update`] for an index with bodies: reads those of the skills that have changed.
    pub fn update_with_bodies(&mut self, world: &World<'_>, catalog: &Catalog) {
        self.replace(catalog, &|entry| entry.body(world, catalog));
    }

    fn replace(&mut self, catalog: &Catalog, body: &dyn Fn(Entry<'_>) -> Option<String>) {
        if self.catalog.is_same(catalog) {
            return;
        }
        let before: HashMap<(&str, &FsPath), (usize, Entry<'_>)> = entries(&self.catalog)
            .enumerate()
            .map(|(number, entry)| ((entry.key(), entry.path()), (number, entry)))
            .collect();
        // Frontmatter that was not read again is shared.
        let known = |entry: Entry<'_>| {
            let (number, known) = before.get(&(entry.key(), entry.path()))?;
            (Arc::ptr_eq(known.frontmatter(), entry.frontmatter()) && known.name() == entry.name()).then_some(*number)
        };
        let next: Vec<Option<usize>> = entries(catalog).map(known).collect();
        if !next.iter().copied().eq((0..self.index.len()).map(Some)) {
            let mut before = std::mem::take(&mut self.index);
            self.index.vocabulary = std::mem::take(&mut before.vocabulary);
            for (entry, known) in entries(catalog).zip(next) {
                match known {
                    Some(number) => self.index.add_known(&before, number),
                    None => self.index.add(entry, body(entry).as_deref()),
                }
            }
            drop(before);
            self.index.link();
            self.index.forget_unused_words();
        }
        self.catalog = catalog.clone();
    }

    /// The skills that fit a request, the best first: by their words, of which rare ones and those in names count more (rules
    /// 28.1 to 28.4). A skill whose key or name is the request comes first, then those that it names.
    ///
    /// ```
    /// use skilltree::offer::{SearchField, SearchIndex, SearchRequest};
    /// use skilltree::{Caller, FsPath, MemFs, Places, World, dialect, discover};
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Brews a cup of tea.\n---\n");
    /// fs.file("/s/mail/SKILL.md", "---\nname: mail\ndescription: Sends letters.\n---\n");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let catalog = discover(&World::new(&fs, &places, &()), &dialect("agentskills").unwrap());
    /// let found = SearchIndex::new(&catalog).search(&SearchRequest::new("brewing some tea", Caller::Model));
    /// assert_eq!((found.hits.len(), found.hits[0].key.as_str()), (1, "tea"));
    /// assert_eq!(found.hits[0].matched, [SearchField::Name, SearchField::Description]);
    /// ```
    pub fn search(&self, request: &SearchRequest) -> Hits {
        let weights = rank::weights(&self.index, &request.query);
        let scores = rank::scores(&self.index, &weights);
        let best = scores.iter().copied().max().unwrap_or_default();
        let asked = request.query.trim();
        let (folded, named) = (lower(asked), named_in(asked));
        let mut found: Vec<(i64, usize, Entry<'_>)> = Vec::new();
        for ((number, entry), score) in entries(&self.catalog).enumerate().zip(scores) {
            // Rule 28.4: the score of an exact name is above all others.
            let score = score + exactness(entry, asked, &folded, &named) * (best + 1);
            if score > 0 && entry.is_for(request.caller) {
                found.push((score, number, entry));
            }
        }
        let order = |a: &(i64, usize, Entry<'_>), b: &(i64, usize, Entry<'_>)| {
            b.0.cmp(&a.0).then_with(|| (a.2.key(), a.2.path()).cmp(&(b.2.key(), b.2.path())))
        };
        if request.limit < found.len() {
            found.select_nth_unstable_by(request.limit, order);
            found.truncate(request.limit);
        }
        found.sort_unstable_by(order);
        let hit = |(score, number, entry): (i64, usize, Entry<'_>)| Hit {
            key: entry.key().to_owned(),
            path: entry.path().clone(),
            description: entry.description().to_owned(),
            score: score as f64 / 1000.0,
            unused: entry.unused(),
            matched: rank::matched(&self.index, &weights, number),
        };
        let hits = found.into_iter().map(hit).collect();
        let stems = weights.keys().map(|stem| self.index.vocabulary.text(*stem).to_owned()).collect();
        Hits { query: request.query.clone(), hits, stems }
    }
}

/// A skill, or a file that would be one if it had a description.
#[derive(Clone, Copy)]
enum Entry<'c> {
    Skill(&'c Skill),
    Undescribed(&'c Skipped),
}

/// All that is searched, in the order of the numbers in the index.
fn entries(catalog: &Catalog) -> impl Iterator<Item = Entry<'_>> {
    catalog.skills().iter().map(Entry::Skill).chain(catalog.undescribed().map(Entry::Undescribed))
}

impl<'c> Entry<'c> {
    fn key(self) -> &'c str {
        let (Entry::Skill(Skill { key, .. }) | Entry::Undescribed(Skipped { key, .. })) = self;
        key
    }

    fn name(self) -> &'c str {
        let (Entry::Skill(Skill { name, .. }) | Entry::Undescribed(Skipped { name, .. })) = self;
        name
    }

    fn path(self) -> &'c FsPath {
        let (Entry::Skill(Skill { path, .. }) | Entry::Undescribed(Skipped { path, .. })) = self;
        path
    }

    fn frontmatter(self) -> &'c Arc<Frontmatter> {
        let (Entry::Skill(Skill { frontmatter, .. }) | Entry::Undescribed(Skipped { frontmatter, .. })) = self;
        frontmatter
    }

    fn description(self) -> &'c str {
        match self {
            Entry::Skill(skill) => skill.description(),
            Entry::Undescribed(_) => "",
        }
    }

    fn unused(self) -> Option<Code> {
        match self {
            Entry::Skill(_) => None,
            Entry::Undescribed(file) => Some(file.code),
        }
    }

    /// Whether a caller may see it. A file that is no skill concerns the user alone.
    fn is_for(self, caller: Caller) -> bool {
        match self {
            Entry::Skill(skill) => skill.is_for(caller),
            Entry::Undescribed(_) => caller == Caller::User,
        }
    }

    /// Its text below the frontmatter, read now; `None` if it cannot be read.
    fn body(self, world: &World<'_>, catalog: &Catalog) -> Option<String> {
        let (Entry::Skill(Skill { source, .. }) | Entry::Undescribed(Skipped { source, .. })) = self;
        let (path, most) = (self.path(), catalog.dialect().max_skill_bytes());
        if !world.host.may_read(path) {
            return None;
        }
        let read = source.files(world.fs).read(path, most + 1).ok()?;
        // Nearly all files need no more than this.
        if let Some(front) = frontmatter::plain(&read.bytes).map(<[u8]>::len).filter(|_| read.len <= most) {
            let mut bytes = read.bytes;
            bytes.drain(..front);
            return String::from_utf8(bytes).ok();
        }
        let document = read_all(world.extras, catalog.dialect(), path, Ok(&read), ReadMode::Load);
        Some(document.body).filter(|body| !body.is_empty())
    }
}

/// 3 if the request is the key of the skill, 2 if it is its key or a name in another letter case, 1 if it names the skill among
/// other words, 0 otherwise. `folded` is the request in lower case, and `named` are the names in it.
fn exactness(entry: Entry<'_>, asked: &str, folded: &str, named: &HashSet<String>) -> i64 {
    let is_same = |name: &str| match name.is_ascii() {
        true => name.eq_ignore_ascii_case(folded),
        false => lower(name) == folded,
    };
    let declared = entry.frontmatter().name.as_deref();
    let mut names = [Some(entry.key()), Some(entry.name()), declared].into_iter().flatten();
    match entry.key() == asked {
        true => 3,
        false if asked.is_empty() => 0,
        false if names.clone().any(is_same) => 2,
        false => i64::from(!named.is_empty() && names.any(|name| named.contains(&lower(name)))),
    }
}

/// The words of a request that are names if a skill has one of them, in lower case: those with marks inside, as in `pdf-forms`,
/// those in quotes or behind a slash, and those beside the word "skill". Other words may be meant as such.
// Rule 28.4
fn named_in(request: &str) -> HashSet<String> {
    const OPENING: [char; 8] = ['/', '@', '"', '\'', '`', '“', '‘', '«'];
    let words: Vec<(bool, String)> = request
        .split_whitespace()
        .map(|word| {
            let name = word.trim_matches(|c: char| !c.is_alphanumeric());
            let is_marked = word.starts_with(OPENING) || name.contains(['-', '_', ':', '/']);
            (is_marked, lower(name))
        })
        .collect();
    let is_skill = |at: Option<usize>| at.and_then(|at| words.get(at)).is_some_and(|(_, word)| word == "skill");
    let is_name = |at: usize, is_marked: bool| is_marked || is_skill(at.checked_sub(1)) || is_skill(Some(at + 1));
    let names = words.iter().enumerate().filter(|(at, (is_marked, _))| is_name(*at, *is_marked));
    names.map(|(_, (_, word))| word.clone()).filter(|word| !word.is_empty()).collect()
}
