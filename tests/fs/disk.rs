//! What only a disk has.

use super::{head, path, visited, walked};
use pretty_assertions::assert_eq;
use skilltree::fs::{Action, Entry, FileKind, Step, Walk};
use skilltree::{Fs, FsError, FsPath, OsFs};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// A folder of its own, taken away at the end.
struct TempDir(PathBuf);

impl TempDir {
    fn new(name: &str) -> TempDir {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fs-{name}-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        TempDir(dir)
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_whole_machine_answers_the_same() {
    let dir = TempDir::new("whole");
    fs::create_dir_all(dir.0.join("a/deep/er")).unwrap();
    fs::create_dir_all(dir.0.join("skill/refs")).unwrap();
    fs::create_dir_all(dir.0.join("links")).unwrap();
    fs::write(dir.0.join("a/deep/er/SKILL.md"), "deep").unwrap();
    fs::write(dir.0.join("skill/refs/real.md"), "real").unwrap();
    fs::write(dir.0.join("key"), "secret").unwrap();
    for (at, target) in
        [("links/dir", "../a/deep"), ("links/chain", "dir"), ("skill/in", "refs/real.md"), ("skill/out", "../key")]
    {
        symlink(target, dir.0.join(at)).unwrap();
    }
    let whole = OsFs::new();
    let root = path(dir.0.to_str().unwrap());
    let below = |text: &str| root.join(text).unwrap();
    assert_eq!(whole.canonical(&below("/links/chain")), whole.canonical(&below("/a/deep")));
    assert_eq!(head(&whole.read_within(&below("/skill"), "in", 9)), "\"real\" of 4");
    assert_eq!(whole.read_within(&below("/skill"), "out", 9), Err(FsError::Escapes(below("/skill/out"))));
    let lines = walked(&whole, root.as_str(), 1_000).into_iter();
    let lines: Vec<String> = lines.map(|line| line.replace(root.as_str(), "").replacen(" :", " /:", 1)).collect();
    assert_eq!(lines, walked(&OsFs::rooted(&dir.0), "/", 1_000));
    assert_eq!(whole.display(&root), root.as_str());
    assert_eq!(whole.parse("x", &root), Some(below("x")));
}

#[test]
fn a_link_out_of_the_root_has_no_name_inside() {
    let outer = TempDir::new("outer");
    fs::create_dir(outer.0.join("inner")).unwrap();
    fs::write(outer.0.join("secret"), "x").unwrap();
    symlink("../secret", outer.0.join("inner/out")).unwrap();
    let disk = OsFs::rooted(outer.0.join("inner"));
    let out = path("/out");
    assert_eq!(disk.canonical(&out), Err(FsError::Escapes(out.clone())));
    assert_eq!(disk.read_within(&FsPath::root(), "out", 9), Err(FsError::Escapes(out)));
    let gone = OsFs::rooted(outer.0.join("gone"));
    assert_eq!(gone.metadata(&FsPath::root()), Ok(None), "a root that is not there");
    assert_eq!(gone.list(&FsPath::root()), Err(FsError::NotFound(FsPath::root())));
}

#[test]
fn a_path_longer_than_the_kernel_takes_is_read() {
    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
    let dir = TempDir::new("long");
    let name = "n".repeat(200);
    let mut at = openat(CWD, &dir.0, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap();
    let mut deep = FsPath::root();
    for _ in 0..40 {
        mkdirat(&at, &name, Mode::RWXU).unwrap();
        at = openat(&at, &name, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap();
        deep = deep.child(&name).unwrap();
    }
    let file = openat(&at, "SKILL.md", OFlags::WRONLY | OFlags::CREATE, Mode::RUSR | Mode::WUSR).unwrap();
    rustix::io::write(&file, b"deep").unwrap();
    let disk = OsFs::rooted(&dir.0);
    assert_eq!(head(&disk.read(&deep.child("SKILL.md").unwrap(), 9)), "\"deep\" of 4");
    let rel = deep.join("SKILL.md").unwrap();
    assert_eq!(head(&disk.read_within(&FsPath::root(), &rel.as_str()[1..], 9)), "\"deep\" of 4");
    assert_eq!(disk.metadata(&rel).unwrap().map(|metadata| metadata.kind), Some(FileKind::File));
    assert_eq!(disk.list(&deep).unwrap().len(), 1);
    let visits = walked(&disk, "/", 100);
    assert_eq!(visits.len(), 41);
    assert!(visits.last().is_some_and(|visit| visit.ends_with("SKILL.md File = \"dee\" of 4")));
}

/// A chain of so many folders `d`, each with a folder `e` beside the next one, which a walk comes back to.
fn branching_chain(dir: &TempDir, levels: usize) -> skilltree::MemFs {
    let mut memory = skilltree::MemFs::new();
    let mut at = String::new();
    for level in 0..levels {
        fs::create_dir_all(dir.0.join(format!("{at}e"))).unwrap();
        fs::write(dir.0.join(format!("{at}e/SKILL.md")), level.to_string()).unwrap();
        memory.file(&format!("/{at}e/SKILL.md"), level.to_string());
        at.push_str("d/");
    }
    memory
}

#[test]
fn a_walk_comes_back_to_folders_that_it_could_not_keep_open() {
    let dir = TempDir::new("branching");
    let memory = branching_chain(&dir, 100);
    let sorted = |mut visits: Vec<String>| {
        visits.sort();
        visits
    };
    let expect = sorted(walked(&memory, "/", 1_000));
    for threads in [1, 4] {
        let disk = OsFs::rooted(&dir.0).with_threads(threads);
        assert_eq!(sorted(walked(&disk, "/", 1_000)), expect, "{threads} threads");
    }
}

#[test]
fn a_walk_does_not_follow_a_folder_that_is_moved_meanwhile() {
    let (dir, elsewhere) = (TempDir::new("moved"), TempDir::new("moved-to"));
    let memory = branching_chain(&dir, 100);
    let depth_of_moved = 50;
    let moved = dir.0.join("d/".repeat(depth_of_moved));
    fs::write(elsewhere.0.join("SKILL.md"), "outside").unwrap();
    let (mut visits, disk) = (Vec::new(), OsFs::rooted(&dir.0).with_threads(1));
    let step = |_: &FsPath, _: usize, entries: &[Entry], steps: &mut Vec<Step>| {
        steps.extend(entries.iter().enumerate().map(|(entry, found)| Step {
            entry,
            action: if found.kind == FileKind::Dir { Action::Enter } else { Action::Read },
        }));
    };
    let ask = Walk { root: &FsPath::root(), step: &step, prefix_len: 9, max_dirs: 1_000 };
    disk.walk(&ask, &mut |visit| {
        if visit.depth == 99 {
            fs::rename(&moved, elsewhere.0.join("d")).unwrap_or_default();
        }
        visits.push(visited(visit));
    });
    let above = |visits: &[String]| {
        let depth = |visit: &String| visit.split(' ').next().and_then(|depth| depth.parse().ok()).unwrap_or(usize::MAX);
        let mut above: Vec<String> = visits.iter().filter(|visit| depth(visit) < depth_of_moved).cloned().collect();
        above.sort();
        above
    };
    let mut expect = Vec::new();
    memory.walk(&ask, &mut |visit| expect.push(visited(visit)));
    assert_eq!(above(&visits), above(&expect));
    assert!(visits.iter().all(|visit| !visit.contains("outside")));
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf8_is_seen_and_not_opened() {
    use std::os::unix::ffi::OsStrExt;
    let dir = TempDir::new("lossy");
    let name = |bytes: &'static [u8]| dir.0.join(std::ffi::OsStr::from_bytes(bytes));
    fs::create_dir(name(b"dir\xff")).unwrap();
    fs::write(name(b"f\xff"), "x").unwrap();
    fs::write(name("f\u{FFFD}".as_bytes()), "real").unwrap();
    let visits = walked(&OsFs::rooted(&dir.0), "/", 9);
    assert_eq!(visits, ["0 /: dir\u{FFFD} Dir lossy, f\u{FFFD} File lossy"]);
    let disk = OsFs::rooted(&dir.0);
    assert_eq!(head(&disk.read(&path("/f\u{FFFD}"), 9)), "\"real\" of 4", "the file of that very name");
}

#[test]
fn a_stamp_is_given_only_for_what_has_settled() {
    let dir = TempDir::new("stamp");
    let file = dir.0.join("f");
    fs::write(&file, "x").unwrap();
    let disk = OsFs::rooted(&dir.0);
    assert_eq!(disk.read(&path("/f"), 9).unwrap().stamp, None, "changed just now");
    assert_eq!(disk.metadata(&path("/f")).unwrap().unwrap().stamp, None, "changed just now");
    let machine = OsFs::new();
    let settled = path(&format!("{}/LICENSE-MIT", crate::common::root().display()));
    if let Ok(Some(metadata)) = machine.metadata(&settled) {
        assert_eq!(machine.read(&settled, 1).unwrap().stamp, metadata.stamp, "look and read agree");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_the_kernel_makes_up_is_no_file() {
    let folder = TempDir::new("kernel");
    std::os::unix::fs::symlink("/proc/self/environ", folder.0.join("link")).unwrap();
    let link = path(folder.0.join("link").to_str().unwrap());
    for file in [path("/proc/self/status"), path("/proc/self/environ"), path("/dev/zero"), link] {
        let read = OsFs::new().read(&file, 65_536);
        assert!(matches!(read, Err(FsError::NotAFile(_))), "{file}: {read:?}");
    }
    fs::write(folder.0.join("empty"), "").unwrap();
    let empty = path(folder.0.join("empty").to_str().unwrap());
    assert_eq!(OsFs::new().read(&empty, 9).unwrap().len, 0, "an empty file of a disk is one");
}
