//! Trees of folders, files and symlinks that change between discoveries. A refresh is what a fresh discovery is, with
//! its resources and without; and the walk of the file system in memory is the walk that every file system has.
#![no_main]

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use skilltree::dialect::NAMES;
use skilltree::fs::{Entry, FilePrefix, Metadata};
use skilltree::{Catalog, Dialect, Fs, FsError, FsPath, IncrementalDiscovery, MemFs, Places, World, dialect, discover};
use std::sync::Arc;

const FOLDERS: &[&str] = &["a", "b", "Tea", "scripts", "node_modules", ".git", "SKILL.md"];

const FILES: &[&str] = &["SKILL.md", "SKILL.md", "SKILL.md", "skill.md", "SKILL.md.txt", "x.md"];

const TEXTS: &[&str] = &[
    "---\nname: a\ndescription: A.\n---\nBody.\n",
    "---\nname: b\ndescription: B.\n---\nBody.\n",
    "---\nname: B\ndescription: B.\n---\nBody.\n",
    "---\ndescription: No name.\n---\n",
    "---\nname: a\n---\n",
    "---\nname: a\ndescription: a: b: c\n---\n",
    "No frontmatter.\n",
];

fuzz_target!(|bytes: &[u8]| {
    // An input that ends early is a shorter history.
    let _ = live(&mut Unstructured::new(bytes));
});

fn live(input: &mut Unstructured<'_>) -> Result<()> {
    let dialect = dialect(input.choose(NAMES)?).expect("a name of the list");
    let places = places();
    let roots = roots(&dialect);
    let mut fs = MemFs::new();
    let (mut refreshed, mut furnished) =
        (IncrementalDiscovery::new(dialect.clone()), IncrementalDiscovery::new(dialect.clone()));
    for _ in 0..4 {
        let is_last = change(&mut fs, &roots, input).is_err();
        let world = World::new(&fs, &places, &());
        let fresh = account(&discover(&world, &dialect));
        assert_eq!(account(&refreshed.refresh(&world)), fresh, "refreshed");
        let with_resources = world.with_resources();
        let fresh_resources = format!("{:?}", discover(&with_resources, &dialect));
        assert_eq!(format!("{:?}", furnished.refresh(&with_resources)), fresh_resources, "with resources");
        let plain = Plain(&fs);
        assert_eq!(account(&discover(&World::new(&plain, &places, &()), &dialect)), fresh, "by the usual walk");
        if is_last {
            break;
        }
    }
    Ok(())
}

fn account(catalog: &Catalog) -> String {
    let seen: Vec<_> = catalog.seen().map(|seen| (seen.path.clone(), seen.key.map(str::to_owned))).collect();
    format!("{catalog:#?}\n{seen:#?}\n{:#?}", catalog.pending())
}

fn places() -> Places {
    let at = |text: &str| Some(FsPath::new(text).expect("a path"));
    Places { home: at("/home"), project: at("/project"), ..Places::default() }
}

/// The folders in which the dialect looks for skills, and one in which it does not.
fn roots(dialect: &Arc<Dialect>) -> Vec<String> {
    let (fs, places) = (MemFs::new(), places());
    let searched = World::new(&fs, &places, &()).searched_places(dialect);
    let roots = searched.iter().filter(|place| place.holds_skills).map(|place| place.path.to_string());
    roots.chain(["/elsewhere".to_owned()]).collect()
}

/// A folder: below one of the roots, or a root.
fn folder(roots: &[String], input: &mut Unstructured<'_>) -> Result<String> {
    let mut path = input.choose(roots)?.clone();
    for _ in 0..input.int_in_range(0..=3)? {
        path = format!("{path}/{}", input.choose(FOLDERS)?);
    }
    Ok(path)
}

/// A few changes of the tree. What stands in the way of a new entry is replaced by it.
fn change(fs: &mut MemFs, roots: &[String], input: &mut Unstructured<'_>) -> Result<()> {
    for _ in 0..input.int_in_range(1..=8)? {
        let dir = folder(roots, input)?;
        match input.int_in_range(0..=9)? {
            0 => fs.remove(&dir),
            1 => fs.other(&format!("{dir}/{}", input.choose(FILES)?)),
            2 => fs.dir(&dir),
            3 | 4 => {
                let target = match input.int_in_range(0..=4)? {
                    0 => "..".to_owned(),
                    1 => ".".to_owned(),
                    2 => format!("{}/SKILL.md", folder(roots, input)?),
                    _ => folder(roots, input)?,
                };
                let name = *input.choose(&["l", "m", "a", "SKILL.md", "scripts"])?;
                fs.link(&format!("{dir}/{name}"), &target)
            }
            _ => fs.file(&format!("{dir}/{}", input.choose(FILES)?), *input.choose(TEXTS)?),
        };
    }
    if input.is_empty() { Err(libfuzzer_sys::arbitrary::Error::NotEnoughData) } else { Ok(()) }
}

/// A file system that has nothing but what one must have.
struct Plain<'f>(&'f MemFs);

impl Fs for Plain<'_> {
    fn list(&self, dir: &FsPath) -> std::result::Result<Vec<Entry>, FsError> {
        self.0.list(dir)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> std::result::Result<FilePrefix, FsError> {
        self.0.read(file, at_most)
    }

    fn metadata(&self, path: &FsPath) -> std::result::Result<Option<Metadata>, FsError> {
        self.0.metadata(path)
    }

    fn canonical(&self, path: &FsPath) -> std::result::Result<FsPath, FsError> {
        self.0.canonical(path)
    }
}
