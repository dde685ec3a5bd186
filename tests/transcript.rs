//! In: a folder `testdata/<dialect>/<case>` with its trees, `case.txt` and `expected.txt`. Out: the same steps
//! answered from the disk and from memory, and held against what is expected. `UPDATE=1` writes it anew.
//! Absent: what a step means; the caller answers each.
//!
//! The lines of `case.txt` that are no steps say what the host answers, and where skills are searched. In a case `/project`
//! is the project, `/home` the home directory, and `/bundled`, `/config`, `/user` and `/managed` are what they are called,
//! if they exist. `project: PATH` names another project, `repository: PATH` makes a folder a repository of git, `touched:
//! PATH…` names the files that are being worked on, and `faithful` or `repair` says how files are read, if not as the
//! dialect has it. A line that begins with `#` is a comment.
//!
//! A package of Cargo holds no symlinks. A case that needs some names them in `symlinks.txt`, one `PATH -> TARGET` a line,
//! and is read from a copy that has them. So is a case with a repository, as a repository holds no `.git` of another one.

use crate::common::{Machine, path, root};
use pretty_assertions::assert_eq;
use skilltree::model::Reading;
use skilltree::{Dialect, Fs, FsPath, MemFs, Permission, Places, World, dialect};
use std::path::Path;
use std::sync::Arc;

/// What a step may ask.
pub(crate) struct Stage<'a> {
    pub(crate) world: World<'a>,
    pub(crate) dialect: Arc<Dialect>,
    /// The host's own command names.
    pub(crate) reserved: &'a [String],
    pub(crate) machine: &'a Machine,
}

/// A `case.txt`: what the host answers, then the steps.
#[derive(Debug, Default)]
struct Case {
    machine: Machine,
    reserved: Vec<String>,
    /// Whether its answers need regular expressions.
    patterns: bool,
    /// How files are read, if not as the dialect has it.
    reading: Option<Reading>,
    /// The project, if it is not `/project`.
    project: Option<FsPath>,
    /// The folders that have a `.git`.
    repositories: Vec<String>,
    touched: Vec<FsPath>,
    /// Places besides those whose folders are there.
    active: Option<FsPath>,
    mount: Option<String>,
    registered: Vec<(String, FsPath)>,
    steps: Vec<String>,
}

fn read_case(text: &str) -> Case {
    let mut case = Case::default();
    for line in text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (word, rest) = line.split_once(':').unwrap_or((line, ""));
        let names = rest.split([',', ' ']).filter(|name| !name.is_empty()).map(str::to_owned);
        match word {
            "bins" => case.machine.bins.extend(names),
            "env" => case.machine.envs.extend(names),
            "enable" => case.machine.on.extend(names),
            "disable" => case.machine.off.extend(names),
            "reserved" => case.reserved.extend(names),
            "patterns" => case.patterns = true,
            "faithful" => case.reading = Some(Reading::Faithful),
            "repair" => case.reading = Some(Reading::Repaired),
            "project" => case.project = Some(path(rest.trim())),
            "repository" => case.repositories.extend(names),
            "touched" => case.touched.extend(names.map(|file| path(&file))),
            "variable" => case.machine.variables.extend(pair(rest)),
            "rank" => case.machine.ranks.extend(pair(rest).map(|(key, rank)| (key, rank.parse().expect("a number")))),
            "trust" => case.machine.trust = true,
            "permission" => case.machine.held.extend(names.filter_map(|tag| Permission::parse(&tag))),
            "unreadable" => case.machine.unreadable.extend(names.map(|file| path(&file))),
            "active" => case.active = Some(path(rest.trim())),
            "mount" => case.mount = Some(rest.trim().to_owned()),
            "register" => {
                let (id, file) = rest.trim().split_once('=').unwrap_or_else(|| panic!("expected ID=PATH: {line}"));
                case.registered.push((id.to_owned(), path(file)));
            }
            _ => case.steps.push(line.to_owned()),
        }
    }
    case
}

/// `NAME=VALUE`.
fn pair(text: &str) -> Option<(String, String)> {
    text.trim().split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
}

/// Runs the case in memory and on the disk, and holds both against `expected.txt`.
#[track_caller]
pub(crate) fn transcript(dir: &Path, answer: &dyn Fn(&Stage<'_>, &str) -> String) {
    let (named, dialect, case) = case_of(dir);
    if case.patterns && cfg!(not(feature = "patterns")) {
        return;
    }
    let memory = play(&copied(dir), &case, &dialect, answer);
    #[cfg(unix)]
    {
        let complete = completed(dir);
        let root = complete.as_ref().map_or(dir, crate::common::TempDir::path);
        assert_eq!(play(&skilltree::OsFs::rooted(root), &case, &dialect, answer), memory, "{named}: disk and memory");
    }

    let file = dir.join("expected.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &memory).unwrap_or_else(|error| panic!("{named}: {error}"));
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{named}: {error}; run with UPDATE=1"));
    assert_eq!(memory, expected, "{named}");
}

/// The case's name, dialect and steps.
#[track_caller]
fn case_of(dir: &Path) -> (String, Arc<Dialect>, Case) {
    let name = |dir: Option<&Path>| dir.and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
    let named = format!("{}/{}", name(dir.parent()), name(Some(dir)));
    let dialect = dialect(&name(dir.parent())).unwrap_or_else(|| panic!("{named}: no such dialect"));
    let case = std::fs::read_to_string(dir.join("case.txt")).unwrap_or_else(|error| panic!("{named}: {error}"));
    let case = read_case(&case);
    (named, dialect, case)
}

/// Shows each step of a case, in memory; none of one that needs regular expressions, which the module for JavaScript does
/// not have.
#[track_caller]
pub(crate) fn each_step(dir: &Path, step: &mut dyn FnMut(&Stage<'_>, &str)) {
    let (_, dialect, case) = case_of(dir);
    if !case.patterns {
        on_stage(&copied(dir), &case, &dialect, step);
    }
}

fn play(fs: &dyn Fs, case: &Case, dialect: &Arc<Dialect>, answer: &dyn Fn(&Stage<'_>, &str) -> String) -> String {
    let mut out = String::new();
    on_stage(fs, case, dialect, &mut |stage, step| {
        let text = answer(stage, step);
        out.push_str(&format!("$ {step}\n{text}\n\n"));
    });
    out
}

fn on_stage(fs: &dyn Fs, case: &Case, dialect: &Arc<Dialect>, play: &mut dyn FnMut(&Stage<'_>, &str)) {
    let folder = |at: &str| Some(path(at)).filter(|at| matches!(fs.metadata(at), Ok(Some(_))));
    let places = Places {
        project: Some(case.project.clone().unwrap_or_else(|| path("/project"))),
        home: Some(path("/home")),
        bundled: folder("/bundled"),
        config: folder("/config"),
        user: folder("/user"),
        managed: folder("/managed"),
        touched: case.touched.clone(),
        active: case.active.clone(),
        mount: case.mount.clone(),
        registered: case.registered.clone(),
        ..Places::default()
    };
    let world = World::new(fs, &places, &case.machine).with_reading(case.reading);
    let stage = Stage { world, dialect: Arc::clone(dialect), reserved: &case.reserved, machine: &case.machine };
    for step in &case.steps {
        play(&stage, step);
    }
}

const SYMLINKS: &str = "symlinks.txt";

/// What the file `.git` of a working tree says.
const REPOSITORY: &str = "gitdir: /elsewhere\n";

/// The files that make folders of a case repositories.
fn repository_marks(dir: &Path) -> Vec<String> {
    let case = std::fs::read_to_string(dir.join("case.txt")).unwrap_or_default();
    read_case(&case).repositories.iter().map(|folder| format!("{folder}/.git")).collect()
}

/// The symlinks of a case: where each stands, as an absolute path in the case, and its target.
fn symlinks(dir: &Path) -> Vec<(String, String)> {
    let Ok(text) = std::fs::read_to_string(dir.join(SYMLINKS)) else { return Vec::new() };
    let pair = |line: &str| {
        let (at, target) = line.split_once(" -> ").unwrap_or_else(|| panic!("expected PATH -> TARGET: {line}"));
        (at.to_owned(), target.to_owned())
    };
    text.lines().map(pair).collect()
}

/// A copy of the case with its symlinks and repositories, if it has any.
#[cfg(unix)]
pub(crate) fn completed(dir: &Path) -> Option<crate::common::TempDir> {
    let (links, marks) = (symlinks(dir), repository_marks(dir));
    if links.is_empty() && marks.is_empty() {
        return None;
    }
    let copy = crate::common::TempDir::new("case");
    let mut waiting = vec![dir.to_owned()];
    while let Some(from) = waiting.pop() {
        for entry in std::fs::read_dir(&from).expect("a case can be listed") {
            let real = entry.expect("an entry").path();
            let to = copy.path().join(real.strip_prefix(dir).expect("below the case"));
            if real.is_dir() {
                std::fs::create_dir(to).expect("a folder can be made");
                waiting.push(real);
            } else {
                std::fs::copy(real, to).expect("a file can be copied");
            }
        }
    }
    for (at, target) in links {
        let at = copy.path().join(&at[1..]);
        std::fs::create_dir_all(at.parent().expect("below the case")).expect("a folder can be made");
        std::os::unix::fs::symlink(target, at).expect("a symlink can be made");
    }
    for mark in marks {
        std::fs::write(copy.path().join(&mark[1..]), REPOSITORY).expect("a file can be written");
    }
    Some(copy)
}

/// The case's trees in memory, symlinks as symlinks, with its repositories.
pub(crate) fn copied(dir: &Path) -> MemFs {
    let mut fs = MemFs::new();
    let mut waiting = vec![dir.to_owned()];
    while let Some(from) = waiting.pop() {
        for entry in std::fs::read_dir(&from).expect("a case can be listed") {
            let real = entry.expect("an entry").path();
            let inside = real.strip_prefix(dir).expect("below the case").to_string_lossy().replace('\\', "/");
            let at = format!("/{inside}");
            if real.is_dir() {
                fs.dir(&at);
                waiting.push(real);
            } else {
                fs.file(&at, std::fs::read(&real).expect("a file can be read"));
            }
        }
    }
    for (at, target) in symlinks(dir) {
        fs.link(&at, &target);
    }
    for mark in repository_marks(dir) {
        fs.file(&mark, REPOSITORY);
    }
    fs
}

/// The folders `testdata/<dialect>/<case>`, sorted.
pub(crate) fn cases() -> Vec<std::path::PathBuf> {
    let folders = |dir: &Path| {
        let mut found: Vec<_> = std::fs::read_dir(dir)
            .expect("testdata can be listed")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.is_dir())
            .collect();
        found.sort();
        found
    };
    let dialects = folders(&root().join("testdata"));
    // These are no dialects: one tree that all of them read, what the README shows, the formats of `check`, and what clients
    // were seen to list.
    let others =
        ["example", "formats", "matrix", "one-tree", "pictures", "sessions", "signatures", "vectors", "verify"];
    dialects
        .iter()
        .filter(|dir| !others.iter().any(|other| dir.ends_with(other)))
        .flat_map(|dir| folders(dir))
        .collect()
}
