//! A SKILL.md that is larger than most: every answer about it is the same as about a small one, and nothing holds its
//! body that does not need it (rules 4.1 and 4.3).

use crate::common;
use common::ground::{Ground, briefs, on, skill, table};
use common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::author::FixRequest;
use skilltree::fs::{Entry, FilePrefix, Metadata};
use skilltree::package::{Contents, Purpose, Served};
use skilltree::{
    Caller, CheckRequest, Digest, Fs, FsError, FsPath, LoadRequest, MemFs, Places, World, check, discover, load,
};
use std::cell::Cell;

const FILE: &str = "/p/.agents/skills/tea/SKILL.md";

/// The last line is what an answer shows if it has read the whole.
fn large(bytes: usize) -> String {
    let text = skill("name: tea\ndescription: Makes tea.", &format!("{}\n", "Boil water.\n".repeat(bytes / 12)));
    format!("{text}The last line.\n")
}

fn ground(bytes: usize) -> Ground {
    on(Tree::default().with(FILE, large(bytes)))
}

#[test]
fn every_answer_reads_all_of_it() {
    let text = large(400_000);
    let told = ground(400_000).of("rule 4.1: 400 kB", "agentskills", |world, catalog| {
        let tea = catalog.get("tea").expect("it is in use");
        let loaded = load(world, catalog, tea, &LoadRequest::new(Caller::Model)).expect("it loads");
        assert!(loaded.text.contains("The last line."), "rule 4.1: load");
        let files = Contents::of(world, tea, Purpose::Approve).expect("it can be read").files;
        assert_eq!(files[0].digest, Digest::of(text.as_bytes()), "rule 4.1: the digest is that of the whole");
        let served = Served::of(world, catalog);
        assert_eq!(served.skills[0].digest, Digest::of(text.as_bytes()), "rule 4.1: served");
        let found = check(world, &table("agentskills"), &[path(FILE)], &CheckRequest { strict: false });
        let everywhere = check(world, &table("agentskills"), &[], &CheckRequest { strict: false });
        assert_eq!(found, everywhere, "rule 4.3: a file that a walk found is judged as one that was named");
        briefs(&found.expect("it is there"))
    });
    assert_eq!(told, [format!("warning too-long {FILE}")]);
}

#[test]
fn what_is_too_large_for_a_dialect_is_so_in_every_answer() {
    let told = ground(400_000).of("rule 4.1: sven", "sven", |world, catalog| {
        let sven = table("sven");
        let ask = CheckRequest { strict: false };
        let fixed = FixRequest::default().fix(world, &sven, &[path(FILE)]).expect("it is there").len();
        let checked = check(world, &sven, &[path(FILE)], &ask).expect("it is there");
        (catalog.skills().len(), briefs(catalog.findings()), briefs(&checked), fixed)
    });
    let found = vec![format!("error too-large {FILE}")];
    assert_eq!(told, (0, found.clone(), found, 0));
}

/// Counts the bytes that are read.
struct Counted(MemFs, Cell<u64>);

impl Fs for Counted {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.0.list(dir)
    }
    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        let read = self.0.read(file, at_most)?;
        self.1.set(self.1.get() + read.bytes.len() as u64);
        Ok(read)
    }
    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.0.metadata(path)
    }
}

#[test]
fn discovery_reads_no_body() {
    let unusual = large(5_000_000).replace("The last line.", "é\u{7}");
    let undescribed = skill("name: tea", &"- \n".repeat(2_000_000));
    for (case, dialect, text, most) in [
        ("a usual file", "agentskills", large(5_000_000), 1_536),
        ("another character far below", "agentskills", unusual, 1_536),
        ("no description", "pegasus", undescribed, 1_536 + 262_144),
        ("no frontmatter", "gencode", "x".repeat(5_000_000), 1_536 + 262_144),
        ("no end of the frontmatter", "agentskills", format!("---\n{}", "x: y\n".repeat(1_000_000)), 1_536 + 262_144),
    ] {
        let mut fs = MemFs::new();
        fs.file("/s/tea/SKILL.md", text);
        let counted = Counted(fs, Cell::new(0));
        let places = Places { roots: vec![path("/s")], only_roots: true, ..Places::default() };
        let catalog = discover(&World::new(&counted, &places, &()), &table(dialect));
        assert!(!catalog.skills().is_empty() || !catalog.findings().is_empty(), "{case}");
        assert!(counted.1.get() <= most, "rule 4.3: {case}: {} bytes were read", counted.1.get());
    }
}
