//! A skill that is not found after its state was changed: it was removed, or cannot be read any more.

use super::gone;
use crate::args::GlobalOptions;
use crate::reply::Exit;
use crate::setup::Setup;
use skilltree::fs::{Entry, FilePrefix};
use skilltree::{Fs, FsError, FsPath, MemFs, Places, World, dialect, discover};

/// Files in memory of which one folder cannot be listed.
struct Unlisted(MemFs, &'static str);

impl Fs for Unlisted {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        if dir.as_str() == self.1 { Err(FsError::Denied(dir.clone())) } else { self.0.list(dir) }
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.0.read(file, at_most)
    }
}

#[test]
fn what_cannot_be_listed_is_not_removed() {
    let setup = Setup::new(&GlobalOptions::default()).unwrap_or_else(|failure| panic!("{}", failure.message()));
    let places = Places { project: FsPath::new("/p").ok(), ..Places::default() };
    let table = dialect("gencode").expect("a table");
    let mut fs = MemFs::new();
    fs.dir("/p/.gen/skills").file("/p/.gen/skills/tea/SKILL.md", "---\nname: tea\n---\nBoil.\n");
    let before = discover(&World::new(&fs, &places, &()), &table);
    let tea = before.find_any("tea").expect("the skill");
    let cases = [
        ("/p/.gen/skills", Exit::Error, "the state of `tea` was changed, but the skill cannot be read any more: `"),
        ("/p/.gen/skills/tea", Exit::Error, "the state of `tea` was changed, but the skill cannot be read any more: `"),
        ("/p/none", Exit::Negative, "the skill `tea` was removed after its state was changed"),
    ];
    for (unlisted, exit, said) in cases {
        let mut now = MemFs::new();
        now.dir("/p/.gen/skills/tea");
        let now = discover(&World::new(&Unlisted(now, unlisted), &places, &()), &table);
        let failure = gone(&setup, &now, tea);
        assert!(failure.message().starts_with(said), "{unlisted}: {}", failure.message());
        assert_eq!(failure.exit(), exit, "{unlisted}");
    }
}
