//! Discovery, prompt and load against the floor: a walk with `std::fs` that reads every SKILL.md whole and does
//! nothing else. Turn by turn in one process, over trees of several shapes; ratios, as times move from day to day.
//! Calls are counted too, and held. `--quick`: small trees and few turns. No time is asserted.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a bench says what it measured")]

#[path = "../common/mod.rs"]
mod common;
mod floor;
mod forest;
mod turns;

use common::{Machine, path};
use floor::floor;
use forest::{Forest, burdened, deep, flat, grow, varied};
use skilltree::author::Matrix;
use skilltree::dialect::NAMES;
use skilltree::fs::{Entry, FilePrefix, FsCall, Metadata};
use skilltree::offer::{SearchIndex, SearchRequest};
use skilltree::{
    Caller, Dialect, Fs, FsError, FsPath, IncrementalDiscovery, LoadRequest, OsFs, Places, PromptRequest, World,
    dialect, discover, load, prompt,
};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use turns::{Work, ratio, take};

const SEED: u64 = 7;

/// What a skill is searched for.
const TASK: &str = "Please look at the tickets of the last release and write a report: which queries were slow, what the \
    reviews of each branch said, and how much of the budget is left for deploying the images to the socket server. Put \
    the numbers into tables, filter out widgets that nobody renders, and draw a matrix of the signals by folder.";

/// Stamps are given for what has been as it is for two seconds.
const SETTLED: Duration = Duration::from_millis(2_100);

/// The numbers of one run.
struct Sizes {
    /// Trees of so many skills, and how many turns each.
    forests: &'static [(usize, usize)],
    /// Files in a `node_modules`, nested folders, skills in one folder, skills with texts of people.
    shapes: [usize; 4],
    turns: usize,
}

const WHOLE: Sizes =
    Sizes { forests: &[(1_000, 9), (10_000, 9), (100_000, 3)], shapes: [50_000, 1_500, 50_000, 10_000], turns: 5 };
const QUICK: Sizes = Sizes { forests: &[(50, 3), (500, 3)], shapes: [1_000, 300, 500, 500], turns: 3 };

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    if let Err(error) = run(if quick { &QUICK } else { &WHOLE }) {
        eprintln!("a tree could not be made: {error}");
        std::process::exit(1);
    }
}

fn run(sizes: &Sizes) -> io::Result<()> {
    let Some(dialect) = dialect("agentskills") else { return Ok(()) };
    turns::head();
    let forests = sizes.forests.iter().map(|&(skills, turns)| Ok((grow(skills, SEED)?, turns)));
    let forests: Vec<(Forest, usize)> = forests.collect::<io::Result<_>>()?;
    let [files, folders, skills, texts] = sizes.shapes;
    let shapes =
        [("node_modules", burdened(files, SEED)?), ("deep", deep(folders, SEED)?), ("flat", flat(skills, SEED)?)];
    std::thread::sleep(SETTLED);
    let mut grown: Vec<(usize, Duration)> = Vec::new();
    for (forest, turns) in forests {
        count(&forest, &dialect);
        grown.push((forest.skills, whole(&forest, &dialect, turns)));
    }
    for (name, forest) in shapes {
        count(&forest, &dialect);
        finding(&format!("{name} {}", forest.skills), forest.root(), Some(forest.skills), &dialect, sizes.turns);
    }
    searching(&varied(texts, SEED)?, &dialect, sizes.turns);
    if let Some(corpus) = std::env::var_os("SKILLTREE_CORPUS") {
        finding("corpus", Path::new(&corpus), None, &dialect, sizes.turns);
    }
    for pair in grown.windows(2) {
        let [(fewer, before), (more, after)] = pair else { continue };
        println!("discovery of {more} skills takes {:.1} × that of {fewer}; goal 11", ratio(*after, *before));
    }
    Ok(())
}

fn places(root: &Path) -> Places {
    Places { roots: vec![path(&root.to_string_lossy())], only_roots: true, ..Places::default() }
}

/// All that is done with a catalog; the median time of discovery.
fn whole(forest: &Forest, dialect: &Arc<Dialect>, turns: usize) -> Duration {
    let places = places(forest.root());
    let (fs, machine, one_thread) = (OsFs::new(), Machine::default(), OsFs::new().with_threads(1));
    let (world, alone) = (World::new(&fs, &places, &machine), World::new(&one_thread, &places, &machine));
    let catalog = discover(&world, dialect);
    assert_eq!(catalog.skills().len(), forest.skills, "every skill is found");
    let one = path(&forest.one.to_string_lossy());
    let Some(skill) = catalog.skills().iter().find(|skill| skill.path == one) else { panic!("{one} is not found") };
    let ask = LoadRequest::new(Caller::User);
    let unbounded = PromptRequest { budget: Some(usize::MAX), ..PromptRequest::default() };
    let (mut still, mut edited) =
        (IncrementalDiscovery::new(Arc::clone(dialect)), IncrementalDiscovery::new(Arc::clone(dialect)));
    still.refresh(&world);
    edited.refresh(&world);
    let edit = || {
        let text = std::fs::read(&forest.one).unwrap_or_default();
        std::fs::write(&forest.one, text).is_ok()
    };
    let (index, request) = (SearchIndex::new(&catalog), SearchRequest::new(TASK, Caller::Model));
    let whole = SearchIndex::with_bodies(&world, &catalog);
    // An update to the same catalog does nothing, so two are taken in turn in which nothing has changed.
    let (mut updated, mut live) = (index.clone(), IncrementalDiscovery::new(Arc::clone(dialect)));
    let mut kept = [live.refresh(&world), live.refresh(&world)];
    updated.update(&kept[0]);
    let dialects: Vec<Arc<Dialect>> = NAMES.iter().filter_map(|name| skilltree::dialect(name)).collect();
    let tree = forest.skills.to_string();
    let work = &mut [
        Work::new("floor", || floor(forest.root())),
        Work::new("discover", || discover(&world, dialect).skills().len()).goal(0.60),
        Work::new("discover, one thread", || discover(&alone, dialect).skills().len()).goal(1.0),
        Work::new("refresh, nothing changed", || still.refresh(&world).skills().len()).goal(0.35),
        Work::new("refresh, one changed", || if edit() { edited.refresh(&world).skills().len() } else { 0 }).goal(0.35),
        Work::new("prompt, all rows", || prompt(&world, &catalog, &unbounded).text.len()).goal(0.05),
        Work::new("prompt, in its budget", || prompt(&world, &catalog, &PromptRequest::default()).text.len())
            .goal(0.05),
        // What a load is held against: the file read whole, and its folders listed, as an answer names the files.
        Work::new("floor of one skill, 20 ×", || (0..20).map(|_| forest.one.parent().map_or(0, floor)).sum()),
        Work::new("load one skill, 20 ×", || {
            (0..20).filter_map(|_| load(&world, &catalog, skill, &ask).ok()).map(|loaded| loaded.text.len()).sum()
        })
        .over(7)
        .goal(1.5),
        Work::new("matrix, all dialects", || Matrix::of(&world, &dialects, &PromptRequest::default()).rows.len())
            .over(1)
            .goal(4.0),
        Work::new("search, index", || size_of_val(&SearchIndex::new(&catalog))).over(1).goal(0.25),
        Work::new("search, nothing changed", || {
            kept.swap(0, 1);
            updated.update(&kept[0]);
            size_of_val(&updated)
        })
        .over(1),
        Work::new("search, 10 requests", || (0..10).map(|_| index.search(&request).hits.len()).sum()),
        // The floor reads every file whole, as this does.
        Work::new("search, index with bodies", || size_of_val(&SearchIndex::with_bodies(&world, &catalog))),
        Work::new("search with bodies, 10 requests", || (0..10).map(|_| whole.search(&request).hits.len()).sum()),
    ];
    take(&tree, turns, work)[1]
}

/// Searches in texts of people.
fn searching(forest: &Forest, dialect: &Arc<Dialect>, turns: usize) {
    let places = places(forest.root());
    let (fs, machine) = (OsFs::new(), Machine::default());
    let world = World::new(&fs, &places, &machine);
    let catalog = discover(&world, dialect);
    let index = SearchIndex::with_bodies(&world, &catalog);
    let ask = |query: &str| index.search(&SearchRequest::new(query, Caller::Model)).hits.len();
    let work = &mut [
        Work::new("discover", || discover(&world, dialect).skills().len()),
        Work::new("search, index of texts", || size_of_val(&SearchIndex::with_bodies(&world, &catalog))),
        Work::new("search texts, 10 phrases", || (0..10).map(|_| ask("a skill to review a release")).sum()),
        Work::new("search texts, 10 tasks", || (0..10).map(|_| ask(&format!("skill: {TASK}"))).sum()),
    ];
    take(&format!("texts {}", forest.skills), turns, work);
}

/// Discovery alone.
fn finding(tree: &str, root: &Path, skills: Option<usize>, dialect: &Arc<Dialect>, turns: usize) {
    let places = places(root);
    let (fs, machine, one_thread) = (OsFs::new(), Machine::default(), OsFs::new().with_threads(1));
    let (world, alone) = (World::new(&fs, &places, &machine), World::new(&one_thread, &places, &machine));
    let found = discover(&world, dialect).skills().len();
    assert!(skills.is_none_or(|skills| skills == found), "{tree}: {found} skills are found");
    let mut still = IncrementalDiscovery::new(Arc::clone(dialect));
    still.refresh(&world);
    let work = &mut [
        Work::new("floor", || floor(root)),
        Work::new("discover", || discover(&world, dialect).skills().len()).goal(0.60),
        Work::new("discover, one thread", || discover(&alone, dialect).skills().len()).goal(1.0),
        Work::new("refresh, nothing changed", || still.refresh(&world).skills().len()).goal(0.35),
    ];
    take(tree, turns, work);
}

/// The disk through the calls that a file system of a host has, counted.
struct Counting {
    disk: OsFs,
    made: RefCell<BTreeMap<FsCall, usize>>,
}

impl Counting {
    fn count(&self, call: FsCall) {
        *self.made.borrow_mut().entry(call).or_default() += 1;
    }

    fn made(&self, call: FsCall) -> usize {
        self.made.borrow().get(&call).copied().unwrap_or(0)
    }
}

impl Fs for Counting {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.count(FsCall::List);
        self.disk.list(dir)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.count(FsCall::Read);
        self.disk.read(file, at_most)
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.count(FsCall::Metadata);
        self.disk.metadata(path)
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        self.count(FsCall::Canonical);
        self.disk.canonical(path)
    }
}

/// Each folder is listed once and each SKILL.md is read once; hardly anything else is asked.
fn count(forest: &Forest, dialect: &Arc<Dialect>) {
    let places = places(forest.root());
    let fs = Counting { disk: OsFs::new(), made: RefCell::default() };
    discover(&World::new(&fs, &places, &Machine::default()), dialect);
    let (lists, reads) = (fs.made(FsCall::List), fs.made(FsCall::Read));
    assert_eq!((lists, reads), (forest.dirs, forest.skills), "one list a folder, one read a skill");
    let all_metadata = fs.made(FsCall::Metadata) + fs.made(FsCall::Canonical);
    assert!(all_metadata <= 4, "a tree without links is looked at, not searched: {all_metadata} calls of `metadata`");
}
