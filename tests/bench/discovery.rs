//! Discovery, prompt and load against the floor: a walk with `std::fs` that reads every SKILL.md whole and does
//! nothing else. Turn by turn in one process; median and spread; ratios, as times move from day to day.
//! Calls are counted too, and held. `--quick`: a small tree and few turns. No time is asserted.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a bench says what it measured")]

#[path = "../common/mod.rs"]
mod common;
mod forest;

use common::{Machine, path};
use forest::{Forest, grow};
use skilltree::{
    Caller, Entry, Fs, FsError, FsPath, Head, Live, LoadAsk, OsFs, Places, PromptAsk, World, dialect, discover, load,
    prompt,
};
use std::cell::Cell;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

const SEED: u64 = 7;

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let (sizes, turns): (&[usize], usize) = if quick { (&[200], 3) } else { (&[1_000, 10_000], 9) };
    println!("{:>7} {:<24} {:>10} {:>10} {:>10} {:>8}", "skills", "what", "least", "median", "most", "÷ base");
    let mut medians = Vec::new();
    for &size in sizes {
        match grow(size, SEED) {
            Ok(forest) => {
                count(&forest);
                medians.push(measure(&forest, turns));
            }
            Err(error) => {
                eprintln!("the tree of {size} skills could not be made: {error}");
                std::process::exit(1);
            }
        }
    }
    if let [small, large] = medians[..] {
        println!("growth of discovery for ten times as many skills: {:.1} ×", ratio(large, small));
    }
}

/// What is measured: its name, and one turn of it, which answers with a number above 0.
type Work<'a> = (&'static str, Box<dyn FnMut() -> usize + 'a>);

/// Where the read of one file stands among what is measured.
const READ: usize = 7;

/// Median time of discovery.
fn measure(forest: &Forest, turns: usize) -> Duration {
    let places = places(forest);
    let (fs, machine) = (OsFs::new(), Machine::default());
    let world = World::new(&fs, &places, &machine);
    let Some(dialect) = dialect("agentskills") else { return Duration::ZERO };
    let catalog = discover(&world, &dialect);
    assert_eq!(catalog.skills().len(), forest.skills, "every skill is found");
    let one = path(&forest.one.to_string_lossy());
    let Some(skill) = catalog.skills().iter().find(|skill| skill.path == one) else { panic!("{one} is not found") };
    let ask = LoadAsk::new(Caller::User);
    let unbounded = PromptAsk { budget: Some(usize::MAX), ..PromptAsk::default() };

    let one_thread = OsFs::new().with_threads(1);
    let alone = World::new(&one_thread, &places, &machine);
    let (mut still, mut edited) = (Live::new(dialect.clone()), Live::new(dialect.clone()));
    // Stamps are given for what has been as it is for two seconds.
    std::thread::sleep(Duration::from_millis(2_100));
    still.refresh(&world);
    edited.refresh(&world);

    let work: &mut [Work<'_>] = &mut [
        ("floor", Box::new(|| floor(forest.root()))),
        ("discover", Box::new(|| discover(&world, &dialect).skills().len())),
        ("discover, one thread", Box::new(|| discover(&alone, &dialect).skills().len())),
        ("refresh, nothing changed", Box::new(|| still.refresh(&world).skills().len())),
        (
            "refresh, one changed",
            Box::new(|| {
                let text = std::fs::read(&forest.one).unwrap_or_default();
                std::fs::write(&forest.one, text).map_or(0, |()| edited.refresh(&world).skills().len())
            }),
        ),
        ("prompt, all rows", Box::new(|| prompt(&world, &catalog, &unbounded).text.len())),
        ("prompt, in its budget", Box::new(|| prompt(&world, &catalog, &PromptAsk::default()).text.len())),
        ("read one file whole", Box::new(|| std::fs::read(&forest.one).map_or(0, |bytes| bytes.len()))),
        ("load one skill", Box::new(|| load(&world, &catalog, skill, &ask).map_or(0, |loaded| loaded.text.len()))),
    ];
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); work.len()];
    for _ in 0..turns {
        for ((_, run), times) in work.iter_mut().zip(&mut times) {
            let begun = Instant::now();
            assert!(black_box(run()) > 0, "a turn has an answer");
            times.push(begun.elapsed());
        }
    }
    for times in &mut times {
        times.sort();
    }
    for (number, (what, _)) in work.iter().enumerate() {
        // the load of one skill is held against the read of its file, all else against the floor
        let base = times[if number > READ { READ } else { 0 }][turns / 2];
        let times = &times[number];
        let (least, median, most) = (times[0], times[turns / 2], times[turns - 1]);
        println!(
            "{:>7} {what:<24} {:>8.2}ms {:>8.2}ms {:>8.2}ms {:>8.4}",
            forest.skills,
            millis(least),
            millis(median),
            millis(most),
            ratio(median, base)
        );
    }
    times[1][turns / 2]
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn ratio(time: Duration, to: Duration) -> f64 {
    time.as_secs_f64() / to.as_secs_f64().max(f64::MIN_POSITIVE)
}

fn places(forest: &Forest) -> Places {
    Places { roots: vec![path(&forest.root().to_string_lossy())], only_roots: true, ..Places::default() }
}

/// The least that any loader does: how many bytes of SKILL.md there are.
fn floor(root: &Path) -> usize {
    let (mut bytes, mut waiting) = (0, vec![root.to_owned()]);
    while let Some(dir) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&dir) else { continue };
        for entry in entries.flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => waiting.push(entry.path()),
                Ok(kind) if kind.is_file() && entry.file_name() == "SKILL.md" => {
                    bytes += std::fs::read(entry.path()).map_or(0, |text| text.len());
                }
                _ => {}
            }
        }
    }
    bytes
}

/// The disk through the two calls that a file system must have, counted.
struct Counting {
    disk: OsFs,
    lists: Cell<usize>,
    reads: Cell<usize>,
    looks: Cell<usize>,
}

impl Fs for Counting {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.lists.set(self.lists.get() + 1);
        self.disk.list(dir)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<Head, FsError> {
        self.reads.set(self.reads.get() + 1);
        self.disk.read(file, at_most)
    }

    fn look(&self, path: &FsPath) -> Result<Option<skilltree::Look>, FsError> {
        self.looks.set(self.looks.get() + 1);
        self.disk.look(path)
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        self.looks.set(self.looks.get() + 1);
        self.disk.canonical(path)
    }
}

/// Each folder is listed once and each SKILL.md is read once; hardly anything else is asked.
fn count(forest: &Forest) {
    let places = places(forest);
    let fs = Counting { disk: OsFs::new(), lists: Cell::new(0), reads: Cell::new(0), looks: Cell::new(0) };
    let machine = Machine::default();
    let Some(dialect) = dialect("agentskills") else { return };
    discover(&World::new(&fs, &places, &machine), &dialect);
    let (lists, reads, looks) = (fs.lists.get(), fs.reads.get(), fs.looks.get());
    println!("{:>7} {lists} lists of {} folders, {reads} reads, {looks} looks", forest.skills, forest.dirs);
    assert_eq!((lists, reads), (forest.dirs, forest.skills), "one list a folder, one read a skill");
    assert!(looks <= 4, "a tree without links is looked at, not searched: {looks} looks");
}
