//! What the library costs a program that embeds it: crates, bytes above an empty program, the processor's time to build it,
//! and public names; and how many lines its sources have. Each program is made in a folder of its own and built for size. The
//! bounds hold where there is a `cargo` that needs no network; times are printed only, as a ratio to building `yaml-rust2` in
//! the same run.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a bench says what it measured")]

#[path = "../common/mod.rs"]
mod common;

use common::{TempDir, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, exit};

/// The profile of all programs.
const PROFILE: &str =
    "[profile.release]\nopt-level = \"z\"\nlto = \"fat\"\ncodegen-units = 1\npanic = \"abort\"\nstrip = \"symbols\"\n";

/// The program that depends on the YAML parser alone, whose building is the unit of time.
const YAML: &str = "yaml-rust2";

/// A program, and its bounds.
struct Row {
    what: &'static str,
    dependency: Option<String>,
    main: String,
    most_kilobytes: u64,
    most_crates: usize,
}

/// What a build came to.
struct Cost {
    bytes: u64,
    crates: usize,
    /// Processor time in seconds, if everything was built.
    seconds: Option<f64>,
}

/// How many names may be public without default features and with all features.
const MOST_NAMES: [usize; 2] = [150, 239];

/// How many lines of Rust each package may have, without the tables that are generated: its folder, and the folders in it that are
/// others.
const MOST_LINES: [(&str, &[&str], usize); 4] = [
    ("src", &["cli", "python", "wasm"], 57_775),
    ("src/cli", &[], 24_300),
    ("src/python", &[], 1_290),
    ("src/wasm", &[], 1_110),
];

fn main() {
    let engine = |features: &str| {
        Some(format!("skilltree = {{ path = {:?}, default-features = false, features = [{features}] }}", root()))
    };
    let example = readme_example();
    let rows = [
        Row { what: "nothing", dependency: None, main: "fn main() {}".to_owned(), most_kilobytes: 0, most_crates: 1 },
        Row {
            what: YAML,
            dependency: Some("yaml-rust2 = { version = \"0.13\", default-features = false }".to_owned()),
            main: "fn main() { yaml_rust2::parser::Parser::new_from_str(\"\"); }".to_owned(),
            most_kilobytes: 100,
            most_crates: 6,
        },
        Row {
            what: "the README's example",
            dependency: engine(""),
            main: example.clone(),
            most_kilobytes: 968,
            most_crates: 13,
        },
        Row {
            what: "the same in a lean world",
            dependency: engine(""),
            main: example.replace("World::new(", "World::lean("),
            most_kilobytes: 788,
            most_crates: 13,
        },
        Row {
            what: "the README's example with all dialects by name",
            dependency: engine(""),
            main: example.replace(
                "skilltree::dialect::agentskills()",
                "skilltree::dialect(&std::env::args().next().unwrap()).unwrap()",
            ),
            most_kilobytes: 1_206,
            most_crates: 13,
        },
    ];
    let mut is_held = true;
    let (mut empty, mut unit) = (0, 1.0);
    // Where the programs with the same dependency are built.
    let mut targets: BTreeMap<Option<String>, TempDir> = BTreeMap::new();
    println!("{:<46} {:>7} {:>9} {:>10} {:>9}", "a program with", "crates", "kB above", "seconds", "÷ yaml");
    for row in rows {
        let is_first = !targets.contains_key(&row.dependency);
        let target = targets.entry(row.dependency.clone()).or_insert_with(|| TempDir::new("embed"));
        let Some(cost) = build(&row, target.path(), is_first) else {
            println!("skipped: `cargo` cannot build it without a network: {}", row.what);
            return;
        };
        match row.what {
            "nothing" => empty = cost.bytes,
            YAML => unit = cost.seconds.unwrap_or(unit),
            _ => {}
        }
        let above = cost.bytes.saturating_sub(empty) / 1_000;
        let is_within = above <= row.most_kilobytes && cost.crates <= row.most_crates;
        let note = if is_within {
            String::new()
        } else {
            format!("  at most {} kB and {} crates", row.most_kilobytes, row.most_crates)
        };
        let seconds = cost.seconds.map(|seconds| (format!("{seconds:.1}"), format!("{:.1}", seconds / unit)));
        let (seconds, ratio) = seconds.unwrap_or_default();
        println!("{:<46} {:>7} {above:>9} {seconds:>10} {ratio:>9}{note}", row.what, cost.crates);
        is_held &= is_within;
    }
    // What both depend on is built once.
    let target = TempDir::new("names");
    for (features, most) in ["--no-default-features", "--all-features"].iter().zip(MOST_NAMES) {
        let names = public_names(features, target.path());
        let note = if names <= most { String::new() } else { format!("  at most {most}") };
        println!("public names with {features}: {names}{note}");
        is_held &= names <= most;
    }
    for (folder, others, most) in MOST_LINES {
        let folder = root().join(folder);
        let lines = lines_below(&folder) - others.iter().map(|other| lines_below(&folder.join(other))).sum::<usize>();
        let note = if lines <= most { String::new() } else { format!("  at most {most}") };
        println!("lines of Rust in {} without the generated tables: {lines}{note}", folder.display());
        is_held &= lines <= most;
    }
    if !is_held {
        eprintln!("the library costs more than it may");
        exit(1);
    }
}

/// The first example of the README, as a program.
fn readme_example() -> String {
    let readme = fs::read_to_string(root().join("README.md")).expect("the README");
    let (_, rest) = readme.split_once("```rust\n").expect("an example");
    let (code, _) = rest.split_once("```").expect("its end");
    let code: String = code.lines().filter(|line| !line.starts_with('#')).map(|line| format!("    {line}\n")).collect();
    format!("fn main() -> Result<(), skilltree::Error> {{\n{code}    Ok(())\n}}\n")
}

/// Builds a program; none if `cargo` has not all crates here. What several programs depend on is built once, for the first of
/// them, whose time is that of everything.
fn build(row: &Row, target: &Path, is_first: bool) -> Option<Cost> {
    let folder = TempDir::new("embed");
    let at = |name: &str| folder.path().join(name);
    let dependency = row.dependency.as_deref().unwrap_or_default();
    let manifest = format!(
        "[package]\nname = \"embeds\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n{dependency}\n\n{PROFILE}"
    );
    fs::create_dir(at("src")).expect("made");
    fs::write(at("Cargo.toml"), manifest).expect("written");
    fs::write(at("src/main.rs"), &row.main).expect("written");
    // The same versions as here.
    fs::copy(root().join("Cargo.lock"), at("Cargo.lock")).expect("copied");
    let before = children_seconds();
    let built = cargo(&["build", "--release", "--quiet", "--offline"], folder.path(), target);
    let seconds = is_first.then(|| children_seconds() - before);
    if !built.0 {
        eprintln!("{}", built.1);
        return None;
    }
    let tree = cargo(&["tree", "--prefix", "none", "--offline", "-e", "normal"], folder.path(), target).1;
    let crates: BTreeSet<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let program = target.join("release/embeds").with_extension(std::env::consts::EXE_EXTENSION);
    Some(Cost { bytes: fs::metadata(program).expect("it is built").len(), crates: crates.len(), seconds })
}

fn cargo(words: &[&str], folder: &Path, target: &Path) -> (bool, String) {
    let mut cargo = Command::new(env!("CARGO"));
    // What is set for this build is not for theirs.
    cargo.args(words).current_dir(folder).env("CARGO_TARGET_DIR", target).env_remove("RUSTFLAGS");
    let output = cargo.output().expect("cargo runs");
    (output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// The processor time of all programs that were started and have ended, where the system tells it.
fn children_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let words: Vec<&str> = stat.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ').collect();
    // The fields 16 and 17, in hundredths of a second; the first word here is field 3.
    [13, 14].iter().filter_map(|at| words.get(*at)?.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// How many items the documentation lists.
fn public_names(features: &str, target: &Path) -> usize {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["doc", "--quiet", "--no-deps", "--offline", "-p", "skilltree", features]).current_dir(root());
    let output = cargo.env("CARGO_TARGET_DIR", target).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let list = fs::read_to_string(target.join("doc/skilltree/all.html")).expect("the list");
    // The headings are links within the page.
    list.matches("<li><a href=").count() - list.matches("<li><a href=\"#").count()
}

/// How many lines the sources below a folder have, but for the generated tables.
fn lines_below(folder: &Path) -> usize {
    let mut lines = 0;
    for entry in fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            lines += lines_below(&path);
        } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("builtin/tables.rs") {
            lines += fs::read_to_string(&path).expect("a source").lines().count();
        }
    }
    lines
}
