//! Archives: what is read of good ones, what is refused of hostile ones and how it is told, and that packing gives the
//! same bytes for the same files.
#![cfg(feature = "archive")]

use crate::raw;

use crate::common;

use common::{path, property, tree};
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use raw::{Raw, build, deflated, file};
use skilltree::fs::{ArchiveError, ArchiveFs, ArchiveLimits, FileKind};
use skilltree::package::Packed;
use skilltree::{Error, Fs, FsError, FsPath, MemFs, Places, World, check, dialect, discover};

const SKILL: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";

fn open(entries: &[Raw]) -> ArchiveFs {
    ArchiveFs::new(build(entries)).unwrap()
}

fn notes(archive: &ArchiveFs) -> Vec<String> {
    archive.notes().iter().map(|note| format!("{}: {}", note.path, note.message)).collect()
}

#[track_caller]
fn read(archive: &ArchiveFs, name: &str, at_most: u64) -> Result<String, FsError> {
    archive.read(&path(name), at_most).map(|head| String::from_utf8(head.bytes).unwrap())
}

#[test]
fn files_are_read_without_unpacking() {
    let archive = open(&[
        file("tea/", "").mode(0o040_755),
        file("tea/void/", "").mode(0o040_755),
        file("tea/SKILL.md", SKILL),
        deflated("tea/refs/long.md", "hot water"),
        file("tea/ü.md", "ü").told(|told| told.flags = 1 << 11),
        file("tea/inner.zip", build(&[file("x", "y")])),
        file("tea/later.md", "x")
            .told(|told| told.flags = 1 << 3)
            .local(|local| (local.crc, local.packed, local.len) = (0, 0, 0)),
        file("tea/long.md", "x").local(|local| (local.packed, local.len) = (u32::MAX, u32::MAX)),
    ]);
    assert_eq!(notes(&archive), Vec::<String>::new());
    let names: Vec<String> = archive.list(&path("/tea")).unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["SKILL.md", "inner.zip", "later.md", "long.md", "refs", "void", "ü.md"]);
    assert_eq!(archive.list(&path("/tea/void")), Ok(Vec::new()));
    assert_eq!(read(&archive, "/tea/refs/long.md", 99).unwrap(), "hot water");
    assert_eq!(read(&archive, "/tea/refs/long.md", 3).unwrap(), "hot");
    assert_eq!(read(&archive, "/tea/refs/long.md", 0).unwrap(), "");
    assert_eq!(archive.read(&path("/tea/refs/long.md"), 3).unwrap().len, 9);
    assert_eq!(read(&archive, "/tea/later.md", 9).unwrap(), "x", "told at its place after it");
    assert_eq!(read(&archive, "/tea/long.md", 9).unwrap(), "x", "told at its place in the form for large files");
    assert_eq!(read(&archive, "/tea/inner.zip", 2).unwrap(), "PK", "an archive in it is a file");

    let places = Places { roots: vec![FsPath::root()], ..Places::default() };
    let world = World::new(&archive, &places, &());
    let catalog = discover(&world, &dialect("agentskills").unwrap());
    assert_eq!(catalog.skills().iter().map(|skill| skill.key.as_str()).collect::<Vec<_>>(), ["tea"]);
}

#[track_caller]
fn refuses(case: &str, entries: &[Raw], expect: &[&str]) {
    let archive = open(entries);
    let all = notes(&archive);
    assert_eq!(all.len(), expect.len(), "{case}: {all:?}");
    for (note, part) in all.iter().zip(expect) {
        assert!(note.contains(part), "{case}: {note}");
    }
    for entry in archive.list(&FsPath::root()).unwrap() {
        assert!(!matches!(entry.name.as_str(), ".." | "." | ""), "{case}");
    }
}

#[test]
fn hostile_names_are_refused_and_told_of() {
    let one = |case: &str, name: &[u8], expect: &str| {
        refuses(case, &[file(name, SKILL), file("ok/SKILL.md", SKILL)], &[expect]);
    };
    one("absolute", b"/etc/passwd", "its name is absolute");
    one("climbing", b"../../x/SKILL.md", "its name contains `..`");
    one("climbing later", b"tea/../../SKILL.md", "its name contains `..`");
    one("a dot", b"tea/./SKILL.md", "a part of its name is empty or `.`");
    one("an empty part", b"tea//SKILL.md", "a part of its name is empty or `.`");
    one("no name", b"", "it has no name");
    one("a backslash", b"tea\\SKILL.md", "its name contains a `\\`");
    one("a drive", b"C:tea/SKILL.md", "its name starts with a drive letter");
    one("NUL", b"tea/SKILL.md\0.png", "its name contains a NUL character");
    one("not UTF-8", b"tea/\xff.md", "its name is not UTF-8");
    one("too long", &[b'n'; 1_025], "its name is too long");
    one("too deep", "d/".repeat(33).trim_end_matches('/').as_bytes(), "it is nested too deeply");
}

#[test]
fn one_name_is_one_file() {
    refuses("twice", &[file("a", "1"), file("a", "2")], &["/a: the entry `a` of the archive is ignored: an earlier"]);
    refuses("in another case", &[file("a/SKILL.md", "1"), file("a/skill.MD", "2")], &["only in letter case"]);
    refuses("a folder in another case", &[file("a/x", "1"), file("A/y", "2")], &["only in letter case"]);
    let three = [file("A/x", "1"), file("a/y", "2"), file("A/z", "3"), file("a-b", "4")];
    refuses("the others of the folder stay", &three, &["/a/y: the entry `a/y` of the archive is ignored"]);
    refuses("a folder and a file", &[file("Tea/x", "1"), file("tea", "2")], &["/Tea/x: the entry"]);
    refuses("beyond ASCII", &[file("Ä", "1"), file("ä", "2")], &["/ä: the entry"]);
    refuses("a file, then below it", &[file("a", "1"), file("a/b", "2")], &["/a/b: the entry `a/b`"]);
    refuses("below it, then a file", &[file("a/b", "2"), file("a", "1")], &["its parent is a file"]);
    refuses("a folder, then a file", &[file("a/", "").mode(0o040_755), file("a", "1")], &["has the same name"]);
    refuses("a folder twice is one", &[file("a/", "").mode(0o040_755), file("a/", "").mode(0o040_755)], &[]);
    let archive = open(&[file("a", "first"), file("a", "second")]);
    assert_eq!(read(&archive, "/a", 9).unwrap(), "first");
}

#[test]
fn what_is_no_plain_file_is_told_of() {
    let link = [file("tea/SKILL.md", "../../secret").mode(0o120_777)];
    refuses("a link", &link, &["/tea/SKILL.md: the entry `tea/SKILL.md` of the archive is not followed"]);
    assert_eq!(read(&open(&link), "/tea/SKILL.md", 9), Err(FsError::NotAFile(path("/tea/SKILL.md"))));
    assert_eq!(open(&link).metadata(&path("/tea/SKILL.md")).unwrap().unwrap().kind, FileKind::Other);
    refuses("a FIFO", &[file("p", "").mode(0o010_644)], &["another special file"]);
    refuses("a folder by its mode", &[file("d", "").mode(0o040_755)], &["it is a folder, but its name is a file's"]);
    refuses("a folder with bytes", &[file("d/", "x").mode(0o040_755)], &["its name is a folder's, but it is a file"]);
    refuses("a file named as a folder", &[file("d/", "")], &["its name is a folder's, but it is a file"]);
}

#[test]
fn what_is_told_otherwise_at_its_place_is_not_read() {
    const LIES: &str = "its local header does not match the directory";
    let check = |case: &str, raw: Raw, why: &str| {
        let archive = open(&[file("ok", "fine"), raw]);
        // what no record names as it stands is told of as well
        assert!(notes(&archive).last().is_some_and(|note| note.contains(why)), "{case}: {:?}", notes(&archive));
        let failed = Err(FsError::Other { path: path("/f"), message: why.to_owned() });
        assert_eq!(read(&archive, "/f", 99), failed, "{case}");
        assert_eq!(read(&archive, "/ok", 99).unwrap(), "fine", "{case}");
    };
    check("another name", file("f", "x").local(|local| local.name = b"g".to_vec()), LIES);
    check("another method", file("f", "x").local(|local| local.method = 8), LIES);
    check("another length", file("f", "x").local(|local| local.len = 7), LIES);
    check("another checksum", file("f", "x").local(|local| local.crc = 7), LIES);
    check("encrypted there alone", file("f", "x").local(|local| local.flags = 1), LIES);
    check("no place", Raw { offset: Some(9_999), ..file("f", "x") }, LIES);
    check("past the directory", file("f", "x").told(|told| (told.packed, told.len) = (500, 500)), LIES);
    check("encrypted", file("f", "x").told(|told| told.flags = 1), "it is encrypted");
    check("by another method", file("f", "x").told(|told| told.method = 12), "its compression method is not DEFLATE");
    check(
        "two lengths",
        file("f", "x").told(|told| told.len = 2),
        "it is stored uncompressed, but its two lengths differ",
    );
    let bomb = deflated("f", "x").told(|told| told.len = 2_000_000);
    check("a ratio", bomb, "its compression ratio is too high");
    check(
        "at the place of another",
        Raw { offset: Some(0), ..file("ok", "fine") }.told(|told| told.name = b"f".to_vec()),
        LIES,
    );
}

#[test]
fn overlapping_entries_are_refused() {
    // the second entry's place lies in the data of the first
    let inner = build(&[file("b", "y")]);
    let entries = [file("a", &inner), Raw { offset: Some(30 + 1), is_named: true, ..file("b", "y") }];
    let archive = open(&entries);
    assert_eq!(notes(&archive).len(), 2, "{:?}", notes(&archive));
    assert!(notes(&archive)[1].contains("`b` of the archive cannot be read: it overlaps another entry"));
    assert!(notes(&archive)[0].contains("that its directory does not list"), "the second at its real place");
    assert!(read(&archive, "/b", 9).is_err());
}

#[test]
fn a_hidden_entry_is_told_of() {
    let hidden = Raw { is_named: false, ..file("tea/SKILL.md", SKILL) };
    refuses("in the middle", &[file("a", "1"), hidden.clone(), file("b", "2")], &["contains an entry at byte 32 that"]);
    refuses("at the end", &[file("a", "1"), hidden], &["contains an entry at byte 32 that"]);
}

#[test]
fn lies_about_what_is_unpacked_are_found_when_it_is_read() {
    const DAMAGED: &str = "it is damaged: its contents do not match the archive's checksum";
    let check = |case: &str, raw: Raw, at_most: u64, expect: Result<&str, &str>| {
        let archive = open(&[raw]);
        assert_eq!(notes(&archive), Vec::<String>::new(), "{case}");
        let expect = match expect {
            Ok(text) => Ok(text.to_owned()),
            Err(why) => Err(FsError::Other { path: path("/f"), message: why.to_owned() }),
        };
        assert_eq!(read(&archive, "/f", at_most), expect, "{case}");
    };
    check("more than it says", deflated("f", "longer").told(|told| told.len = 3), 99, Err(DAMAGED));
    check("less than it says", deflated("f", "short").told(|told| told.len = 9), 99, Err(DAMAGED));
    check("another checksum", deflated("f", "x").told(|told| told.crc = 7), 99, Err(DAMAGED));
    check("another checksum, stored", file("f", "x").told(|told| told.crc = 7), 99, Err(DAMAGED));
    check("a head is not summed", file("f", "xy").told(|told| told.crc = 7), 1, Ok("x"));
    check("no DEFLATE", file("f", "\x07\x07").told(|told| (told.method, told.len) = (8, 5)), 99, Err(DAMAGED));
    check("nothing packed", file("f", "").told(|told| (told.method, told.len) = (8, 5)), 99, Err(DAMAGED));
    // what follows the head is broken, and is not looked at
    let mut cut = deflated("f", "hot water");
    cut.data.truncate(5 + 4);
    cut.told.packed = 9;
    check("the head of what breaks off", cut.clone(), 3, Ok("hot"));
    check("what breaks off", cut, 9, Err(DAMAGED));
}

#[test]
fn limits_are_held() {
    let entries: Vec<Raw> = (0..11).map(|n| file(format!("f{n}"), "0123456789")).collect();
    let bytes = build(&entries);
    let within =
        |limits: ArchiveLimits| ArchiveFs::within(bytes.as_slice(), &limits).map(|archive| archive.notes().len());
    let usual = ArchiveLimits::default();
    assert_eq!(within(ArchiveLimits { entries: 11, bytes: 110, ..usual }), Ok(0));
    let error = within(ArchiveLimits { entries: 10, ..usual }).unwrap_err();
    assert_eq!(error.to_string(), "the archive has 11 entries, expected at most 10");
    let error = within(ArchiveLimits { bytes: 109, ..usual }).unwrap_err();
    assert_eq!(error.to_string(), "the archive has 110 bytes when unpacked, expected at most 109");
    assert_eq!(within(ArchiveLimits { name_bytes: 2, ..usual }), Ok(1));
    assert_eq!(within(ArchiveLimits { depth: 0, ..usual }), Ok(11));
}

#[test]
fn what_is_no_zip_is_refused_whole() {
    let good = build(&[file("a", "1")]);
    let why = |bytes: &[u8]| ArchiveFs::new(bytes).err();
    let damaged = |bytes: &[u8]| why(bytes).unwrap().to_string();
    assert_eq!(why(b""), Some(ArchiveError::NotAnArchive));
    assert_eq!(why(SKILL.as_bytes()), Some(ArchiveError::NotAnArchive));
    for cut in 0..good.len() {
        assert!(why(&good[..cut]).is_some(), "cut short at {cut}");
    }
    let with_tail = [&good[..], b"x"].concat();
    assert_eq!(why(&with_tail), Some(ArchiveError::NotAnArchive), "more after the end");
    let with_head = [b"#!/bin/sh\n", &good[..]].concat();
    assert!(damaged(&with_head).contains("its directory is not where the archive says it is"));
    assert!(damaged(&raw::end(1, 0, 0)).contains("has fewer entries than it declares"));
    assert!(damaged(&raw::end(u16::MAX, 0, u32::MAX)).contains("zip64"));
    let mut counts_less = good.clone();
    let end = good.len() - 22;
    counts_less[end + 8..end + 12].copy_from_slice(&[0; 4]);
    assert!(damaged(&counts_less).contains("has more entries than it declares"));
    let mut parts = good.clone();
    parts[end + 4] = 1;
    assert!(damaged(&parts).contains("multi-part archives"));
    // a second end in the comment of the first
    let mut two = good.clone();
    two[end + 20] = 22;
    two.extend(raw::end(0, 0, 0));
    assert!(damaged(&two).contains("two central directories"));
}

#[test]
fn no_bytes_make_it_panic() {
    let good = build(&[file("tea/SKILL.md", SKILL), deflated("tea/x", "hot water"), file("tea/", "").mode(0o040_755)]);
    let byte = prop_oneof![6 => select(&[0, 1, 0xff, 0x80, b'/', b'.'][..]), 1 => any::<u8>()];
    let changes = vec((any::<Index>(), byte), 1..=3);
    property::check("no_bytes_make_it_panic", 5_000, changes, |changes| {
        let mut bytes = good.clone();
        changes.iter().for_each(|(at, byte)| *at.get_mut(&mut bytes) = *byte);
        let Ok(archive) = ArchiveFs::new(bytes) else { return Ok(()) };
        for name in ["/tea/SKILL.md", "/tea/x"] {
            if let Ok(head) = archive.read(&path(name), 64) {
                assert!(head.bytes.len() <= 64);
            }
        }
        let _ = archive.list(&path("/tea"));
        Ok(())
    });
}

#[test]
fn a_broken_skill_does_not_vanish() {
    let broken = file("tea/SKILL.md", SKILL).told(|told| told.crc = 7);
    let archive = open(&[broken, file("milk/SKILL.md", "../x").mode(0o120_777)]);
    let places = Places::default();
    let world = World::new(&archive, &places, &());
    let found = check(&world, &dialect("agentskills").unwrap(), &[FsPath::root()], &Default::default()).unwrap();
    let codes: Vec<String> = found.iter().map(|one| format!("{} {}", one.path, one.code)).collect();
    assert_eq!(codes, ["/milk/SKILL.md not-a-file", "/tea/SKILL.md unreadable"]);
}

#[test]
fn packing_is_deterministic_and_bounded() {
    let skill = tree(&format!(
        "//- /s/brew/SKILL.md\n{SKILL}//- /s/brew/scripts/boil.sh\n#!/bin/sh\necho hot\n//- /s/brew/.git/HEAD\nx\n\
         //- /s/brew/node_modules/k/index.js\nx\n//- /s/brew/same.md link=SKILL.md\n//- /s/brew/more link=scripts\n\
         //- /s/brew/out.md link=../secret\n//- /s/secret\nx\n//- /s/brew/gone link=nowhere\n//- /s/brew/round link=.\n\
         //- /s/brew/pipe other\n//- /s/brew/void dir\n//- /s/brew/git link=.git"
    ));
    let places = Places::default();
    let agentskills = dialect("agentskills").unwrap();
    let packed = |fs: &dyn Fs| Packed::of(&World::new(fs, &places, &()), &agentskills, &path("/s/brew")).unwrap();
    let one = packed(&skill.mem());
    #[cfg(unix)]
    {
        let (disk, _folder) = skill.disk();
        assert_eq!(packed(&disk).bytes, one.bytes, "on disk as in memory");
    }
    assert_eq!(one.name, "tea", "as the frontmatter says");
    let names: Vec<&str> = one.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["SKILL.md", "more/boil.sh", "same.md", "scripts/boil.sh"]);
    let found: Vec<String> = one.findings.iter().map(|one| format!("{} {}", one.path.name(), one.code)).collect();
    assert_eq!(
        found,
        ["git not-covered", "gone link-dangling", "out.md not-covered", "pipe entry-refused", "round link-cycle"]
    );
    let archive = ArchiveFs::new(one.bytes.clone()).unwrap();
    assert_eq!(notes(&archive), Vec::<String>::new());
    assert_eq!(read(&archive, "/tea/same.md", 99).unwrap(), SKILL);
    assert_eq!(raw::crc32(&one.bytes), 359_726_714, "the same bytes on every machine, by one version of the packer");
}

#[test]
fn what_an_archive_would_refuse_is_not_packed() {
    let check = |fs: MemFs, expect: &str| {
        let places = Places::default();
        let packed = Packed::of(&World::new(&fs, &places, &()), &dialect("agentskills").unwrap(), &path("/tea"));
        let error = packed.unwrap_err();
        assert!(error.to_string().contains(expect), "{error}");
        error
    };
    let with = |name: &str| {
        let mut fs = MemFs::new();
        fs.file("/tea/SKILL.md", SKILL).file(&format!("/tea/{name}"), "x");
        fs
    };
    check(
        with("skill.MD"),
        "`/tea` is not packed: the entry `tea/skill.MD` of the archive is ignored: its name differs",
    );
    check(with("back\\slash"), "its name contains a");
    check(with(&"d/".repeat(40)), "`/tea` contains more than 32 nested folders");
    let mut fs = with(&format!("deep/{}x", "d/".repeat(20)));
    fs.link(&format!("/tea/{}link", "l/".repeat(15)), "/tea/deep");
    check(fs, "`/tea` contains more than 32 nested folders");
    let mut fs = with("x");
    fs.sparse("/tea/zeros", 9_000_000);
    check(fs, "its compression ratio is too high");
    let mut fs = with("x");
    fs.sparse("/tea/huge", 100_000_000);
    assert!(matches!(check(fs, "67108864 bytes"), Error::TooMuch { .. }));
    let mut fs = MemFs::new();
    fs.dir("/tea");
    check(fs, "it contains no SKILL.md");
}
