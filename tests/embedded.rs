//! Embedded files: any table has a defined answer, nothing is read twice, and a program that ships skills in itself is
//! built and run for real.

use pretty_assertions::assert_eq;
use skilltree::fs::{EmbeddedFs, OverlayFs};
use skilltree::{Fs, FsError, FsPath, IncrementalDiscovery, MemFs, Places, World, dialect, discover};

type Table = &'static [(&'static str, &'static [u8])];

const SKILL: &[u8] = b"---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";

fn path(text: &str) -> FsPath {
    FsPath::new(text).unwrap()
}

/// Every file, as path and text.
fn files(fs: &dyn Fs) -> Vec<String> {
    let (mut files, mut waiting) = (Vec::new(), vec![FsPath::root()]);
    while let Some(dir) = waiting.pop() {
        for entry in fs.list(&dir).unwrap() {
            let path = dir.child(&entry.name).unwrap();
            match fs.read(&path, 99) {
                Ok(head) => files.push(format!("{path}={}", String::from_utf8_lossy(&head.bytes))),
                Err(FsError::NotAFile(_)) => waiting.push(path),
                Err(error) => panic!("{error}"),
            }
        }
    }
    files.sort();
    files
}

#[test]
fn any_table_has_an_answer() {
    let check = |case: &str, root: &'static str, table: Table, expect: &[&str], told: &[&str]| {
        let fs = EmbeddedFs::new(root, table);
        assert_eq!(files(&fs), expect, "{case}");
        let notes: Vec<String> = fs.notes().iter().map(|note| note.message.clone()).collect();
        assert_eq!(notes.len(), told.len(), "{case}: {notes:?}");
        assert!(notes.iter().zip(told).all(|(note, part)| note.contains(part)), "{case}: {notes:?}");
    };
    check("empty", "/b", &[], &[], &[]);
    check("sorted", "/b", &[("a/x", b"1"), ("b", b"2")], &["/b/a/x=1", "/b/b=2"], &[]);
    check("unsorted", "/b", &[("b", b"2"), ("a/x", b"1")], &["/b/a/x=1", "/b/b=2"], &[]);
    // `-` and `.` stand before `/`, so that other names come between a folder and what is in it
    let between: Table = &[("a-b/x", b"1"), ("a.md", b"2"), ("a/x", b"3"), ("a0", b"4")];
    check("like names", "/", between, &["/a-b/x=1", "/a.md=2", "/a/x=3", "/a0=4"], &[]);
    check("twice: the first", "/", &[("a", b"1"), ("a", b"2")], &["/a=1"], &["`a` is ignored: an earlier entry"]);
    check("below a file", "/", &[("a/b", b"1"), ("a", b"2")], &["/a=2"], &["`a/b` is ignored: its parent is a file"]);
    let hostile: Table =
        &[("", b""), ("../x", b""), ("/x", b""), ("a/./b", b""), ("a//b", b""), ("n\0", b""), ("ok", b"1")];
    check(
        "hostile",
        "/",
        hostile,
        &["/ok=1"],
        &["no name", "contains `..`", "absolute", "empty or `.`", "empty or `.`", "NUL"],
    );
    check("a root that is no path", "x", &[("a", b"1")], &["/a=1"], &["is taken for `/`"]);
}

#[test]
fn a_large_table_is_listed_by_folders() {
    let row = |n: usize| (&*format!("s{:02}/d{:03}/SKILL.md", n % 97, n).leak(), SKILL);
    let table: Table = (0..20_000).map(row).collect::<Vec<_>>().leak();
    let fs = EmbeddedFs::new("/b", table);
    assert_eq!(fs.list(&path("/b")).unwrap().len(), 97);
    let places = Places { roots: vec![path("/b")], ..Places::default() };
    let sven = dialect("sven").unwrap();
    assert_eq!(discover(&World::new(&fs, &places, &()), &sven).skills().len(), 20_000);
}

static BUNDLED: EmbeddedFs = EmbeddedFs::new("/bundled", &[("tea/SKILL.md", SKILL)]);

#[test]
fn bundled_skills_lie_under_the_disks() {
    let mut disk = MemFs::new();
    disk.file("/me/.agent/skills/milk/SKILL.md", "---\nname: milk\ndescription: Warms milk.\n---\n");
    let places = Places { home: Some(path("/me")), bundled: Some(path("/bundled")), ..Places::default() };
    let fs = OverlayFs::new().layer(&disk).layer(&BUNDLED);
    let world = World::new(&fs, &places, &());
    let agent_base = dialect("agent-base").unwrap();
    let mut live = IncrementalDiscovery::new(agent_base);
    let keys =
        |catalog: &skilltree::Catalog| catalog.skills().iter().map(|skill| skill.key.clone()).collect::<Vec<_>>();
    assert_eq!(keys(&live.refresh(&world)), ["tea", "milk"]);
    assert_eq!(keys(&live.refresh(&world)), ["tea", "milk"]);
    disk.reset();
    drop(live.refresh(&world));
    assert_eq!(disk.calls(skilltree::fs::FsCall::Read), 0, "what has not changed is not read again");
}

#[cfg(not(target_family = "wasm"))]
#[test]
fn a_program_ships_its_skills() {
    use std::fs;
    use std::path::Path;
    use std::process::Command;
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("ships-{}", std::process::id()));
    let put = |name: &str, text: &str| {
        let at = dir.join(name);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        fs::write(at, text).unwrap();
    };
    let engine = format!("{{ path = {:?} }}", crate::common::root());
    put(
        "Cargo.toml",
        &format!(
            "[package]\nname = \"ships\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
             skilltree = {engine}\n\n[build-dependencies]\nskilltree = {engine}\n"
        ),
    );
    // the same versions as here, as there may be no network
    fs::copy(crate::common::root().join("Cargo.lock"), dir.join("Cargo.lock")).unwrap();
    put(
        "build.rs",
        "fn main() {\n    println!(\"cargo::rerun-if-changed=skills\");\n    \
         let file = std::path::Path::new(&std::env::var(\"OUT_DIR\").unwrap()).join(\"skills.rs\");\n    \
         std::fs::write(file, skilltree::fs::EmbeddedFs::table(\"skills\").unwrap()).unwrap();\n}\n",
    );
    put(
        "src/main.rs",
        "use skilltree::fs::{EmbeddedFs, OverlayFs};\nuse skilltree::{FsPath, OsFs, Places, World};\n\
         static SKILLS: EmbeddedFs = EmbeddedFs::new(\"/bundled\", include!(concat!(env!(\"OUT_DIR\"), \"/skills.rs\")));\n\
         fn main() {\n    let fs = OverlayFs::new().layer(OsFs::new()).layer(&SKILLS);\n    \
         let places = Places { bundled: FsPath::new(\"/bundled\").ok(), ..Places::default() };\n    \
         let catalog = skilltree::discover(&World::new(&fs, &places, &()), &skilltree::dialect(\"pegasus\").unwrap());\n    \
         for skill in catalog.skills() { println!(\"{} {}\", skill.key, skill.path); }\n}\n",
    );
    put("skills/tea/SKILL.md", std::str::from_utf8(SKILL).unwrap());
    put("skills/tea/node_modules/x.js", "");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ships-target");
    let run = |words: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args(words)
            .arg("--offline")
            .current_dir(&dir)
            .env("CARGO_TARGET_DIR", &target)
            .env("CARGO_PROFILE_DEV_DEBUG", "0");
        cargo.output().unwrap()
    };
    let ran = run(&["run", "--quiet"]);
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert_eq!(said, "tea /bundled/tea/SKILL.md\n", "{}", String::from_utf8_lossy(&ran.stderr));
    let table = skilltree::fs::EmbeddedFs::table(dir.join("skills")).unwrap();
    assert_eq!(table.lines().count(), 3, "node_modules is passed over: {table}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink("SKILL.md", dir.join("skills/tea/same.md")).unwrap();
        let table = skilltree::fs::EmbeddedFs::table(dir.join("skills")).unwrap();
        assert!(table.contains("(\"tea/same.md\", include_bytes!("), "{table}");
        symlink("../../Cargo.toml", dir.join("skills/tea/out")).unwrap();
        let error = skilltree::fs::EmbeddedFs::table(dir.join("skills")).unwrap_err();
        assert!(error.to_string().contains("the symlink leads out of the folder"), "{error}");
    }
    assert!(skilltree::fs::EmbeddedFs::table(dir.join("nowhere")).is_err());
    fs::remove_dir_all(&dir).unwrap();
}
