//! Skills that have to be fetched first: a file system that knows the names of all files, and answers
//! [`FsError::Pending`] until the host has fetched a file. A browser or an async program reads skills in this way.

use skilltree::fs::{Entry, FilePrefix};
use skilltree::{Caller, Fs, FsError, FsPath, LoadRequest, MemFs, Places, World};

const SERVER: [(&str, &str); 3] = [
    ("/skills/mate/SKILL.md", "---\nname: mate\ndescription: Makes mate.\n---\nBoil less.\n"),
    ("/skills/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n"),
    ("/skills/tea/history.md", "Tea is old.\n"),
];

struct FetchedFs {
    /// All names, with empty files: what the server lists.
    index: MemFs,
    /// What has been fetched so far.
    fetched: MemFs,
}

impl Fs for FetchedFs {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.index.list(dir)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        // A folder, or what is not there, has its error without a question to the server.
        self.index.read(file, 0)?;
        self.fetched.read(file, at_most).map_err(|_| FsError::Pending(file.clone()))
    }
}

/// Stands for the host's own request, which may take its time: no call of the library waits for it.
fn fetch(file: &FsPath) -> &'static str {
    SERVER.iter().find(|(path, _)| *path == file.as_str()).map_or("", |(_, text)| text)
}

#[cfg_attr(test, test)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut index = MemFs::new();
    for (path, _) in SERVER {
        index.file(path, "");
    }
    let mut fs = FetchedFs { index, fetched: MemFs::new() };
    let places = Places { roots: vec![FsPath::new("/skills")?], ..Places::default() };
    let dialect = skilltree::dialect::agentskills();

    let mut catalog = skilltree::discover(&World::new(&fs, &places, &()), &dialect);
    assert!(catalog.skills().is_empty() && catalog.findings().is_empty());
    while !catalog.pending().is_empty() {
        for file in catalog.pending() {
            fs.fetched.file(file.as_str(), fetch(file));
        }
        catalog = skilltree::discover(&World::new(&fs, &places, &()), &dialect);
    }
    assert_eq!(catalog.skills().iter().map(|skill| &*skill.key).collect::<Vec<_>>(), ["mate", "tea"]);
    // Nobody has asked for the other file.
    assert!(fs.fetched.read(&FsPath::new("/skills/tea/history.md")?, 1).is_err());

    // The later calls may ask for more: they fail with `Error::Fs(FsError::Pending(path))`, and are repeated too.
    let tea = catalog.find("tea", Caller::Model)?;
    let loaded = skilltree::load(&World::new(&fs, &places, &()), &catalog, tea, &LoadRequest::new(Caller::Model))?;
    assert_eq!(loaded.body, "Boil water.");
    Ok(())
}
