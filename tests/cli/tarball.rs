//! Archives in the tar format that gzip has packed: every command reads them as folders, and refuses what is hostile in them.

use crate::common::Tree;
use crate::program::{Place, holds};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;
use tar::{Builder, EntryType, Header};

const TEA: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";
const MILK: &str = "---\nname: milk\ndescription: Is white.\n---\nPour milk.\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

/// An archive of these entries: type, name, and contents or what a link leads to. Names are written as they are.
fn tar_gz(entries: &[(EntryType, &str, &str)]) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for (kind, name, contents) in entries {
        let mut header = Header::new_gnu();
        let old = header.as_old_mut();
        old.name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        header.set_mode(0o644);
        let is_link = matches!(kind, EntryType::Symlink | EntryType::Link);
        if is_link {
            header.set_link_name(contents).unwrap();
        }
        let contents = if is_link { "" } else { contents };
        header.set_size(contents.len() as u64);
        header.set_cksum();
        builder.append(&header, contents.as_bytes()).unwrap();
    }
    gzip(&builder.into_inner().unwrap())
}

const FILE: EntryType = EntryType::Regular;
const FOLDER: EntryType = EntryType::Directory;

fn place_of(name: &str, archive: Vec<u8>) -> Place {
    Place::of(Tree::default().with(&format!("/{name}"), archive).with_dir("/project"))
}

#[test]
fn every_command_reads_one() {
    let archive = tar_gz(&[
        (FOLDER, "./", ""),
        (EntryType::XGlobalHeader, "pax_global_header", ""),
        (FILE, "./skills/tea/SKILL.md", TEA),
        (FILE, "./skills/tea/scripts/boil.sh", "boil\n"),
        (FOLDER, "skills/milk/", ""),
        (FILE, "skills/milk/SKILL.md", MILK),
    ]);
    for name in ["all.tar.gz", "all.TGZ"] {
        let place = place_of(name, archive.clone());
        let root = format!("../{name}/skills");
        let root: &'static str = Box::leak(root.into_boxed_str());
        let place = place.first(Box::leak(Box::new(["--root", root])));
        place.check("list", &["list"], 0, &["milk", "tea"], &[]);
        place.check("load", &["load", "tea"], 0, &["Boil water."], &[]);
    }
    let place = place_of("all.tgz", archive);
    place.check("check", &["check", "../all.tgz"], 0, &["no findings"], &[]);
    let all = ["diff", "../all.tgz", "../all.tgz", "--dialects", "claude"];
    place.check("diff", &all, 0, &["claude: no change"], &[]);
    let part = ["diff", "../all.tgz/skills", "../all.tgz/skills/tea", "--dialects", "claude"];
    place.check("diff of folders in it", &part, 0, &["claude: the model now sees −1 / +0\n  - milk\n"], &[]);
    let none = ["diff", "../all.tgz/nowhere", "../all.tgz"];
    place.check("diff of none", &none, 2, &[], &["all.tgz/nowhere` does not exist"]);
}

#[test]
fn what_is_hostile_is_refused() {
    let long = "a/".repeat(40) + "b";
    let archive = tar_gz(&[
        (FILE, "tea/SKILL.md", TEA),
        (FILE, "../outside", "x"),
        (FILE, "/absolute", "x"),
        (FILE, "tea/../../up", "x"),
        (FILE, "tea\\windows", "x"),
        (FILE, "C:drive", "x"),
        (EntryType::Symlink, "tea/link", "/etc/passwd"),
        (EntryType::Link, "tea/hard", "tea/SKILL.md"),
        (EntryType::Fifo, "tea/pipe", ""),
        (FILE, "tea/SKILL.md", "a second text"),
        (FILE, "TEA/other", "x"),
        (FILE, "tea/SKILL.md/below", "x"),
        (FILE, &long, "x"),
    ]);
    let place = place_of("tea.tar.gz", archive);
    let said = place.say(&["check", "../tea.tar.gz", "--json"]);
    assert_eq!(said.out.matches("\"entry-refused\"").count(), 12, "{}", said.out);
    holds("reasons", &said.out, &["leads out", "neither a file nor", "letter case", "another entry", "too deep"]);
    let load = place.say(&["--root", "../tea.tar.gz", "load", "tea"]);
    holds("the first file counts", &load.out, &["Boil water."]);
    for asked in ["hard", "../tea.tar.gz/tea/hard"] {
        let words = ["--root", "../tea.tar.gz", "why", asked];
        place.check(asked, &words, 0, &["tea/hard: skipped [entry-refused]", "neither a file nor"], &[]);
    }
}

#[test]
fn what_is_no_archive_is_refused() {
    let bomb = gzip(&vec![0; 80 << 20]);
    let cases: &[(&str, Vec<u8>, &str)] = &[
        ("no gzip", b"\x1f\x8bno".to_vec(), "not a file that gzip has packed"),
        ("no tar", gzip(&[b'x'; 2_000]), "not a tar archive"),
        ("a bomb", bomb, "times larger when unpacked"),
        ("no archive", b"text".to_vec(), "neither a complete zip archive nor a file that gzip has packed"),
    ];
    for (case, bytes, why) in cases {
        let place = place_of("tea.tgz", bytes.clone());
        place.check(case, &["--root", "../tea.tgz", "list"], 2, &[], &[why]);
    }
}
