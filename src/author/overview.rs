//! Says which clients a machine has, what each of them does with the skills that it sees, and which findings matter most.

use crate::author::matrix::{CellState, Matrix};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Base, Dialect, Reach};
use crate::discovery::catalog::Catalog;
use crate::discovery::world::{Places, World};
use crate::fs::is_dir;
use crate::model::skill::Origin;
use crate::path::FsPath;
use crate::text::order::sort_by;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// How many findings are singled out.
const MAX_FOREMOST: usize = 3;

/// What several clients do with the skills of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Overview {
    /// What each client does, in the order of the matrix.
    pub clients: Vec<ClientOverview>,
    /// How many of the files are treated differently by some of the clients.
    pub different: usize,
    /// How many errors discovery has found, each once for all clients.
    pub errors: usize,
    /// How many warnings.
    pub warnings: usize,
    /// The findings that matter most: errors before warnings, and first what most clients find. At most three, each with
    /// another code if there are several.
    pub foremost: Vec<Foremost>,
    /// The folders below the project that hold skills which count only while a file in them is being worked on, by path.
    pub nested: Vec<FsPath>,
}

/// What one client does.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientOverview {
    /// The name of the dialect.
    pub dialect: String,
    /// How many SKILL.md files lie where the client looks, or below that.
    pub seen: usize,
    /// How many the model is shown.
    pub used: usize,
    /// How many are not read as skills, or did not fit into the prompt. The rest is shadowed, or hidden from the model.
    pub lost: usize,
}

/// A finding that matters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Foremost {
    /// The finding.
    pub finding: Diagnostic,
    /// The names of the dialects that have it.
    pub dialects: Vec<String>,
    /// How many more findings have the same code and severity.
    pub more: usize,
}

impl Overview {
    /// Those of these dialects whose clients have left traces: a folder of their own in the home directory, or a source of their
    /// own in the project. A folder belongs to those whose tables name the fewest folders besides it, and to none if more than
    /// half of the dialects name it.
    ///
    /// ```
    /// use skilltree::author::Overview;
    /// use skilltree::{FsPath, MemFs, Places, World, dialect, dialect::NAMES};
    /// let mut fs = MemFs::new();
    /// fs.dir("/me/.gemini").dir("/me/.agents/skills");
    /// let places = Places { home: FsPath::new("/me").ok(), ..Places::default() };
    /// let all: Vec<_> = NAMES.iter().filter_map(|name| dialect(name)).collect();
    /// let here = Overview::clients(&World::new(&fs, &places, &()), &all);
    /// assert_eq!(here.iter().map(|dialect| dialect.name()).collect::<Vec<_>>(), ["gemini"]);
    /// ```
    pub fn clients(world: &World<'_>, dialects: &[Arc<Dialect>]) -> Vec<Arc<Dialect>> {
        let folders: Vec<Vec<&str>> = dialects.iter().map(|dialect| folders(dialect)).collect();
        let is_own = |folder: &str, named: &[&str]| {
            let lengths = || folders.iter().filter(|named| named.contains(&folder)).map(Vec::len);
            lengths().min() == Some(named.len()) && lengths().count() * 2 <= dialects.len()
        };
        let is_here = |(dialect, named): &(&Arc<Dialect>, &Vec<&str>)| {
            let own: Vec<&str> = named.iter().copied().filter(|folder| is_own(folder, named)).collect();
            traces(dialect, world.places, &own).iter().any(|path| is_dir(world.fs, path))
        };
        dialects.iter().zip(&folders).filter(is_here).map(|(dialect, _)| Arc::clone(dialect)).collect()
    }
}

/// The sources of a dialect that a client makes: the base and the path.
fn made_by_client(dialect: &Dialect) -> impl Iterator<Item = (Base, &str)> {
    let rules = dialect.sources.iter().filter(|rule| rule.origin != Origin::Bundled && rule.reach != Reach::Below);
    rules.filter_map(|rule| match (rule.base, &rule.project_fallback) {
        (Base::Home | Base::Project, _) => Some((rule.base, &*rule.path)),
        (_, Some(path)) => Some((Base::Project, &**path)),
        _ => None,
    })
}

/// The folders that hold the sources of a dialect, such as `.gemini`; none that lies in another one.
fn folders(dialect: &Dialect) -> Vec<&str> {
    let mut all: Vec<&str> = made_by_client(dialect).filter_map(|(_, path)| Some(path.rsplit_once('/')?.0)).collect();
    sort_by(&mut all, Ord::cmp);
    // A folder comes before those in it.
    all.dedup_by(|inner, outer| {
        inner.strip_prefix(&**outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    all
}

/// The folders whose presence shows that a client was used: those in `own` in the home directory, and the sources in them in
/// the project, where a folder such as `.github` may have other uses.
fn traces(dialect: &Dialect, places: &Places, own: &[&str]) -> Vec<FsPath> {
    let of = |(base, path): (Base, &str)| {
        let folder = own.iter().find(|own| path.strip_prefix(**own).is_some_and(|rest| rest.starts_with('/')))?;
        match base {
            Base::Home => places.home.as_ref()?.join(folder).ok(),
            _ => places.project.as_ref()?.join(path).ok(),
        }
    };
    made_by_client(dialect).filter_map(of).collect()
}

impl Overview {
    /// The overview of a matrix and of the catalogs that it was made of. The findings are those of discovery.
    ///
    /// ```
    /// use skilltree::author::{Matrix, Overview};
    /// use skilltree::{FsPath, MemFs, Places, PromptRequest, World, dialect, discover};
    /// let mut fs = MemFs::new();
    /// fs.file("/p/.claude/skills/tea/SKILL.md", "---\nname: tea\n---\n");
    /// let places = Places { project: FsPath::new("/p").ok(), ..Places::default() };
    /// let (world, dialects) = (World::new(&fs, &places, &()), [dialect("agentskills").unwrap()]);
    /// let catalog = discover(&world, &dialects[0]);
    /// let overview = Overview::of(&Matrix::of(&world, &dialects, &PromptRequest::default()), &[catalog]);
    /// let client = &overview.clients[0];
    /// assert_eq!((client.seen, client.used, client.lost, overview.errors), (1, 0, 1, 1));
    /// ```
    pub fn of(matrix: &Matrix, catalogs: &[Catalog]) -> Overview {
        let client = |(at, dialect): (usize, &String)| {
            let states = || matrix.rows.iter().filter_map(move |row| row.cells.get(at)).map(|cell| cell.state);
            let count = |among: &[CellState]| states().filter(|state| among.contains(state)).count();
            ClientOverview {
                dialect: dialect.clone(),
                seen: states().filter(|state| *state != CellState::Unseen).count(),
                used: count(&[CellState::InUse, CellState::NameOnly]),
                lost: count(&[CellState::Skipped, CellState::LeftOut]),
            }
        };
        let found = for_all_clients(catalogs);
        let with = |severity: Severity| found.iter().filter(move |one| one.finding.severity == severity);
        let (errors, warnings) = (with(Severity::Error).count(), with(Severity::Warning).count());
        let clients = matrix.dialects.iter().enumerate().map(client).collect();
        let different = matrix.rows.iter().filter(|row| row.is_different()).count();
        Overview { clients, different, errors, warnings, foremost: foremost(found), nested: matrix.nested.clone() }
    }
}

/// The errors and warnings of all catalogs, each once, with the greatest severity that it has in one of them.
fn for_all_clients(catalogs: &[Catalog]) -> Vec<Foremost> {
    let mut found: BTreeMap<(&FsPath, Code, usize), Foremost> = BTreeMap::new();
    for catalog in catalogs {
        // The clients may put the same finding at different places of a file.
        let mut counts: HashMap<(&FsPath, Code), usize> = HashMap::new();
        for finding in catalog.findings().iter().filter(|finding| finding.severity != Severity::Note) {
            let count = counts.entry((&finding.path, finding.code)).or_default();
            *count += 1;
            let new = || Foremost { finding: finding.clone(), dialects: Vec::new(), more: 0 };
            let known = found.entry((&finding.path, finding.code, *count)).or_insert_with(new);
            if known.finding.severity < finding.severity {
                known.finding = finding.clone();
            }
            let dialect = &*catalog.dialect().name;
            if known.dialects.last().is_none_or(|last| last != dialect) {
                known.dialects.push(dialect.to_owned());
            }
        }
    }
    found.into_values().collect()
}

/// The findings that matter most. The given ones are in the order of their paths.
fn foremost(mut found: Vec<Foremost>) -> Vec<Foremost> {
    let weight = |one: &Foremost| (Reverse(one.finding.severity), Reverse(one.dialects.len()));
    found.sort_by_key(weight);
    let kind = |one: &Foremost| (one.finding.severity, one.finding.code);
    let mut counts: BTreeMap<(Severity, Code), usize> = BTreeMap::new();
    found.iter().for_each(|one| *counts.entry(kind(one)).or_default() += 1);
    let mut taken = HashSet::new();
    found.retain(|one| taken.insert(kind(one)));
    found.truncate(MAX_FOREMOST);
    for one in &mut found {
        one.more = counts.get(&kind(one)).map_or(0, |count| count - 1);
    }
    found
}
