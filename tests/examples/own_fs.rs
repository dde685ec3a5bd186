//! Skills from a storage of your own: a file system with the two methods that are required, over a map of paths to bytes.

use skilltree::fs::{Entry, FileKind, FilePrefix};
use skilltree::{Caller, Fs, FsError, FsPath, LoadRequest, Places, PromptRequest, World};
use std::collections::BTreeMap;

/// The files by their paths. Which folders there are follows from these.
struct MapFs(BTreeMap<FsPath, Vec<u8>>);

impl Fs for MapFs {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        let mut kinds = BTreeMap::new();
        for below in self.0.keys().filter_map(|file| file.relative_to(dir)).filter(|below| !below.is_empty()) {
            match below.split_once('/') {
                Some((folder, _)) => kinds.insert(folder, FileKind::Dir),
                None => kinds.insert(below, FileKind::File),
            };
        }
        if kinds.is_empty() && *dir != FsPath::root() {
            let is_in_file = self.0.keys().any(|file| dir.starts_with(file));
            return Err(if is_in_file { FsError::NotADirectory(dir.clone()) } else { FsError::NotFound(dir.clone()) });
        }
        // The map has each name once, in the order of the bytes, as the contract wants it.
        let entry =
            |(name, kind): (&str, FileKind)| Entry { name: name.to_owned(), kind, is_symlink: false, is_lossy: false };
        Ok(kinds.into_iter().map(entry).collect())
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        let Some(bytes) = self.0.get(file) else {
            // What is not there cannot be listed either, and fails with the same error.
            self.list(file)?;
            return Err(FsError::NotAFile(file.clone()));
        };
        let len = bytes.len() as u64;
        Ok(FilePrefix { bytes: bytes[..at_most.min(len) as usize].to_vec(), len, stamp: None })
    }
}

#[cfg_attr(test, test)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tea = b"---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";
    let fs = MapFs(BTreeMap::from([(FsPath::new("/skills/tea/SKILL.md")?, tea.to_vec())]));
    let places = Places { roots: vec![FsPath::new("/skills")?], ..Places::default() };
    let world = World::new(&fs, &places, &());

    let catalog = skilltree::discover(&world, &skilltree::dialect::agentskills());
    let section = skilltree::prompt(&world, &catalog, &PromptRequest::default());
    assert!(section.list.contains("<description>Makes tea.</description>"));

    let tea = catalog.find("tea", Caller::Model)?;
    let loaded = skilltree::load(&world, &catalog, tea, &LoadRequest::new(Caller::Model))?;
    assert_eq!(loaded.body, "Boil water.");
    Ok(())
}

/// The suite that every file system should pass: it names each part of the contract that is broken.
#[cfg(all(test, feature = "contract"))]
#[test]
fn keeps_the_contract() {
    use skilltree::fs::contract::{Holds, Item};

    let holds = Holds { odd_names: true, ..Holds::FILES };
    let bytes = |item| match item {
        Item::File(text) => text.as_bytes().to_vec(),
        Item::Long(len) => vec![0; len],
        _ => unreachable!("only files were asked for"),
    };
    let files = holds.tree().map(|(path, item)| (FsPath::new(path).unwrap(), bytes(item)));
    assert_eq!(holds.check(&MapFs(files.collect()), &FsPath::root()), Vec::<String>::new());
}
