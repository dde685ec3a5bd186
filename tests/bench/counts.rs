//! What does not depend on how busy the machine is: instructions in user space (`valgrind`), system calls (`strace`),
//! and the peak of memory, of one thread on a tree on the disk. Runs itself as a child and holds each count at what it
//! is today, beside the goal; what cannot be counted on this machine is said. `--quick`: a smaller tree, no memory.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a bench says what it measured")]

#[path = "../common/mod.rs"]
mod common;
mod counted;
mod forest;
mod programs;

use common::{Machine, TempDir, path};
use counted::{counted, instructions};
use forest::{Forest, grow, varied};
use programs::has;
use skilltree::offer::{SearchIndex, SearchRequest};
use skilltree::{
    Caller, IncrementalDiscovery, LoadRequest, OsFs, Places, PromptRequest, World, dialect, discover, load, prompt,
};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio, exit};
use std::time::Duration;

const SEED: u64 = 7;

/// Stamps are given for what has been as it is for two seconds.
const SETTLED: Duration = Duration::from_millis(2_100);

/// Instructions a skill: what is counted, the goal, and what is held. Looking for restrictions that the other way of
/// reading finds, for braces that YAML takes for mappings, and for folders that are not entered took 1 100 of those of a
/// discovery, 120 of those of a prompt and 3 900 of those of a load. Built in another folder, the same source becomes
/// slightly different code: its counts differed by up to 5 % for a prompt and 3 % for a refresh, for which the bounds leave
/// room.
const INSTRUCTIONS: &[(&str, Option<f64>, f64)] = &[
    ("discover", Some(30_000.0), 37_950.0),
    ("refresh, nothing changed", None, 8_500.0),
    ("prompt, all rows", None, 5_700.0),
    ("load", None, 93_000.0),
];

/// System calls a directory and a skill: what is counted, the goal, and what is held.
const SYSTEM_CALLS: &[(&str, [f64; 2], [f64; 2])] = &[
    ("discover", [4.0, 4.0], [4.0, 4.0]),
    ("discover, with stamps", [5.0, 4.0], [5.0, 4.0]),
    ("refresh, nothing changed", [5.0, 4.0], [1.0, 1.0]),
];

/// System calls besides, whatever there is.
const MORE_CALLS: f64 = 200.0;

/// System calls a folder of a tree that is as deep as it is large; those a skill are the same.
const DEEP_CALLS: f64 = 7.0;

/// How deep it is.
const DEEP_LEVELS: usize = 500;

/// The peak of memory at 10 000 skills in MB: the goal, and what is held.
const PEAK: (f64, f64) = (14.0, 16.0);

/// How much more memory that takes with an index for searches.
const SEARCH_PEAK: f64 = 15.0;

/// The same with the texts of [`varied`]: the goal, and what is held.
const TEXT_SEARCH_PEAK: (f64, f64) = (40.0, 24.0);

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some(at) = words.iter().position(|word| word == "--probe") {
        if let [what, root] = &words[at + 1..] {
            probe(what, root);
            return;
        }
    }
    let quick = words.iter().any(|word| word == "--quick");
    println!("{:<44} {:>12} {:>12} {:>12}", "count", "now", "goal", "held");
    let Ok(forest) = grow(if quick { 300 } else { 1_000 }, SEED) else {
        eprintln!("the tree could not be made");
        exit(1)
    };
    std::thread::sleep(SETTLED);
    let mut held = Held(true);
    work(&forest, &mut held);
    calls(&forest, &mut held);
    if !quick {
        memory(&forest, &mut held);
    }
    if !held.0 {
        eprintln!("a count is larger than what is held");
        exit(1);
    }
}

/// Whether all counts so far are within what is held.
struct Held(bool);

impl Held {
    fn hold(&mut self, what: &str, now: f64, goal: Option<f64>, most: f64) {
        let goal = goal.map_or(String::new(), |goal| format!("{goal:.1}"));
        let note = if now > most { "  too much" } else { "" };
        println!("{what:<44} {now:>12.1} {goal:>12} {most:>12.1}{note}");
        self.0 &= now <= most;
    }
}

/// What a child does.
fn probe(what: &str, root: &str) {
    let places = Places { roots: vec![path(root)], only_roots: true, ..Places::default() };
    let (disk, machine) = (OsFs::new().with_threads(1), Machine::default());
    let world = World::new(&disk, &places, &machine);
    let Some(dialect) = dialect("agentskills") else { return };
    let mut live = IncrementalDiscovery::new(dialect.clone());
    match what {
        "discover" => drop(discover(&world, &dialect)),
        "refresh" => drop(live.refresh(&world)),
        "refresh twice" => drop((live.refresh(&world), live.refresh(&world))),
        "memory" | "search memory" | "text search memory" => {
            let catalog = discover(&world, &dialect);
            let index = match what {
                "search memory" => Some(SearchIndex::new(&catalog)),
                "text search memory" => Some(SearchIndex::with_bodies(&world, &catalog)),
                _ => None,
            };
            let request = SearchRequest::new("a skill to review a release", Caller::Model);
            assert!(index.is_none_or(|index| !index.search(&request).hits.is_empty()), "something is found");
            let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
            let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
            assert!(!catalog.skills().is_empty(), "there are skills");
            println!("{}", peak.trim().trim_end_matches("kB").trim());
        }
        _ => {
            let catalog = discover(&world, &dialect);
            let (prompted, loaded) = (
                PromptRequest { budget: Some(usize::MAX), ..PromptRequest::default() },
                LoadRequest::new(Caller::User),
            );
            let skill = &catalog.skills()[0];
            drop(live.refresh(&world));
            counted(&mut || discover(&world, &dialect).skills().len());
            counted(&mut || live.refresh(&world).skills().len());
            counted(&mut || prompt(&world, &catalog, &prompted).text.len());
            // once before, so that what is made when first asked for is not counted
            let one = || load(&world, &catalog, skill, &loaded).map_or(0, |loaded| loaded.text.len());
            one();
            counted(&mut || (0..catalog.skills().len()).map(|_| one()).sum());
        }
    }
}

fn work(forest: &Forest, held: &mut Held) {
    if !has("valgrind") {
        println!("skipped: no valgrind, so no instructions are held");
        return;
    }
    let folder = TempDir::new("counts");
    let Some(counts) = instructions(&["--probe", "work", &forest.root().to_string_lossy()], folder.path()) else {
        held.0 = false;
        return;
    };
    assert_eq!(counts.len(), INSTRUCTIONS.len(), "each piece of work is counted");
    for ((what, goal, most), count) in INSTRUCTIONS.iter().zip(counts) {
        held.hold(&format!("instructions a skill: {what}"), count as f64 / forest.skills as f64, *goal, *most);
    }
}

fn calls(forest: &Forest, held: &mut Held) {
    if !has("strace") {
        println!("skipped: no strace, so no system calls are held");
        return;
    }
    let folder = TempDir::new("counts");
    let empty = TempDir::new("empty");
    let of = |what: &str, root: &Path| system_calls(what, root, &folder.path().join("calls"));
    let share = |what: &str| Some(of(what, forest.root())? - of(what, empty.path())?);
    let (Some(discover), Some(once), Some(twice)) = (share("discover"), share("refresh"), share("refresh twice"))
    else {
        println!("skipped: strace may not trace here, so no system calls are held");
        return;
    };
    let deep = TempDir::new("deep");
    // Beside each folder is one that a walk comes back to.
    for level in 0..DEEP_LEVELS {
        let skill = deep.path().join("d/".repeat(level)).join("e");
        let text = format!("---\nname: e{level}\ndescription: D\n---\n");
        if let Err(error) = fs::create_dir_all(&skill).and_then(|()| fs::write(skill.join("SKILL.md"), text)) {
            eprintln!("the deep tree could not be made: {error}");
            held.0 = false;
        }
    }
    let levels = DEEP_LEVELS as f64;
    let most = 2.0 * levels * DEEP_CALLS + levels * SYSTEM_CALLS[0].2[1] + MORE_CALLS;
    if let (Some(all), Some(none)) = (of("discover", deep.path()), of("discover", empty.path())) {
        held.hold("system calls: discover a deep tree", all - none, None, most);
    }
    for ((what, goal, most), now) in SYSTEM_CALLS.iter().zip([discover, once, twice - once]) {
        let of = |[a_dir, a_skill]: [f64; 2]| a_dir * forest.dirs as f64 + a_skill * forest.skills as f64 + MORE_CALLS;
        held.hold(&format!("system calls: {what}"), now, Some(of(*goal)), of(*most));
    }
}

/// Those of the whole child, as the sum of the table that `strace` makes.
fn system_calls(what: &str, root: &Path, out: &Path) -> Option<f64> {
    let own = std::env::current_exe().ok()?;
    let mut command = Command::new("strace");
    command.args(["-f", "-c", "-o"]).arg(out).arg(own).args(["--probe", what]).arg(root);
    let is_done = command.stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?.success();
    let table = fs::read_to_string(out).ok().filter(|_| is_done)?;
    let total = table.lines().find(|line| line.ends_with(" total"))?;
    total.split_whitespace().nth(3)?.parse().ok()
}

fn memory(small: &Forest, held: &mut Held) {
    let (Ok(large), Ok(texts)) = (grow(10_000, SEED), varied(10_000, SEED)) else {
        held.0 = false;
        return;
    };
    let of = |what: &str, forest: &Forest| -> Option<f64> {
        let own = std::env::current_exe().ok()?;
        let said = Command::new(own).args(["--probe", what]).arg(forest.root()).output().ok()?;
        String::from_utf8(said.stdout).ok()?.trim().parse().ok()
    };
    let (Some(peak), Some(before), Some(searched), Some(without_texts), Some(with_texts)) = (
        of("memory", &large),
        of("memory", small),
        of("search memory", &large),
        of("memory", &texts),
        of("text search memory", &texts),
    ) else {
        println!("skipped: no peak of memory is told here");
        return;
    };
    held.hold("MB at the peak: discover 10 000", peak / 1024.0, Some(PEAK.0), PEAK.1);
    held.hold("MB more with an index: 10 000", (searched - peak) / 1024.0, Some(SEARCH_PEAK), SEARCH_PEAK);
    let (goal, most) = TEXT_SEARCH_PEAK;
    held.hold("MB more with an index of texts: 10 000", (with_texts - without_texts) / 1024.0, Some(goal), most);
    let more = (peak - before) / (large.skills - small.skills) as f64;
    println!("{:<44} {more:>12.2}", "kB at the peak for one skill more");
}
