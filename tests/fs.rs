//! What `Fs` promises besides its contract, which `fs_contract.rs` holds: memory, the disk, spelled paths, odd walks.

#[path = "../src/fs/contract/shown.rs"]
mod shown;

use pretty_assertions::assert_eq;
use shown::{head, visited, walk};
use skilltree::fs::{Action, Entry, FileKind, FilePrefix, FsCall, Step, Visit, VisitOutcome, Walk};
use skilltree::{Fs, FsError, FsPath, MemFs};

fn path(text: &str) -> FsPath {
    FsPath::new(text).unwrap()
}

fn walked(fs: &dyn Fs, root: &str, max_dirs: usize) -> Vec<String> {
    walk(fs, &path(root), max_dirs)
}

#[test]
fn spelled_paths_are_parsed_by_text() {
    let fs = MemFs::new();
    let check = |case: &str, text: &str, expect: Option<&str>| {
        assert_eq!(fs.parse(text, &path("/home/me")), expect.map(path), "{case}");
    };
    check("absolute", "/a//b/../c", Some("/a/c"));
    check("relative", "skills/./x", Some("/home/me/skills/x"));
    check("up", "../you", Some("/home/you"));
    check("up to the root", "../..", Some("/"));
    check("above the root", "../../../x", None);
    check("nothing", "", None);
    check("a NUL", "a\0b", None);
    assert_eq!(fs.display(&path("/a b/ü")), "/a b/ü");
}

#[test]
fn a_walk_takes_odd_steps() {
    let mut fs = MemFs::new();
    fs.file("/f", "x").dir("/d/e").lossy("/", "d\u{FFFD}");
    let odd = [
        (0, Action::Enter),
        (0, Action::Enter),
        (1, Action::Read),
        (2, Action::Enter),
        (9, Action::Read),
        (2, Action::Report),
    ];
    let step = |_: &FsPath, depth: usize, _: &[Entry], steps: &mut Vec<Step>| {
        if depth == 0 {
            steps.extend(odd.iter().map(|(entry, act)| Step { entry: *entry, action: *act }));
        }
    };
    let mut got = Vec::new();
    let ask = Walk { root: &FsPath::root(), step: &step, prefix_len: 1, max_dirs: 9 };
    fs.walk(&ask, &mut |visit| got.push(visited(visit)));
    let expect = ["0 /: d\u{FFFD} File lossy, f File, f File", "1 /d: "];
    assert_eq!(got, expect, "entered once, a lossy name not read, a file not entered, no such entry passed over");
}

#[test]
fn memory_can_be_edited_and_told_to_fail() {
    let mut fs: MemFs = [("/a/b", "1"), ("c", "2")].into_iter().collect();
    let (a, b) = (path("/a"), path("/a/b"));
    let before = fs.read(&b, 9).unwrap().stamp;
    assert_eq!(fs.read(&b, 9).unwrap().stamp, before, "a stamp stays while nothing is edited");
    fs.file("/a/b", "1");
    assert!(fs.read(&b, 9).unwrap().stamp != before, "an edit gives another stamp");
    let folder = fs.metadata(&a).unwrap();
    fs.remove("/a/b");
    assert_eq!(fs.read(&b, 9), Err(FsError::NotFound(b.clone())));
    assert!(fs.metadata(&a).unwrap() != folder, "a folder's stamp says that an entry has gone");
    fs.file("/a", "a file now").file("/a/b", "a folder again").file("/", "the root stays").remove("/").remove("/x/y");
    assert_eq!(head(&fs.read(&b, 9)), "\"a folder \" of 14");

    fs.pending("/a").fault(FsCall::Read, "/a/b", FsError::Denied(b.clone()));
    assert_eq!(fs.list(&a), Err(FsError::Pending(a.clone())));
    assert_eq!(fs.metadata(&a), Err(FsError::Pending(a.clone())));
    assert_eq!(fs.read(&b, 9), Err(FsError::Denied(b.clone())));
    assert_eq!(walked(&fs, "/", 9), ["0 /: ", "1 /a: `/a` is not available yet"]);
    assert!(fs.mend("/a").mend("/a/b").read(&b, 9).is_ok());

    fs.reset();
    let copy = fs.clone();
    assert!(fs.list(&a).is_ok() && fs.list(&b).is_err());
    assert_eq!(
        [FsCall::List, FsCall::Read, FsCall::Metadata, FsCall::Canonical].map(|call| fs.calls(call)),
        [2, 0, 0, 0]
    );
    assert_eq!(copy.calls(FsCall::List), 0, "a copy counts by itself");
}

#[test]
fn a_link_does_not_climb_above_the_root() {
    let mut fs = MemFs::new();
    fs.file("/a/f", "x").link("/above", "/../../a");
    assert_eq!(fs.canonical(&path("/above/f")), Ok(path("/a/f")));
}

#[test]
fn memory_is_deep_and_large_without_trouble() {
    let mut fs = MemFs::new();
    let deep = "/d".repeat(20_000);
    fs.file(&deep, "x").sparse("/big", u64::MAX);
    assert_eq!(head(&fs.read(&path(&deep), 9)), "\"x\" of 1");
    let head = fs.read(&path("/big"), 4).unwrap();
    assert_eq!((head.bytes.len(), head.len), (4, u64::MAX));
    assert!(matches!(fs.read(&path("/big"), u64::MAX), Err(FsError::Other { .. })));
    for hop in 0..41 {
        fs.link(&format!("/hop{hop}"), &format!("hop{}", hop + 1));
    }
    fs.file("/hop41", "end");
    assert!(fs.read(&path("/hop1"), 9).is_ok(), "40 links are followed");
    assert_eq!(fs.read(&path("/hop0"), 9), Err(FsError::SymlinkLoop(path("/hop0"))), "41 are not");
}

#[cfg(unix)]
#[path = "fs/disk.rs"]
mod disk;
