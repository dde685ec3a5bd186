//! Files that are written in one step, and only where they are what they were.
#![cfg(feature = "host")]

use crate::common;

use common::{TempDir, path, tree};
use pretty_assertions::assert_eq;
use skilltree::discovery::{FileWrite, StateChange, States, Store};
use skilltree::host::WriteError;
use skilltree::{OsFs, Places, State, World, dialect, discover};
use std::fs;

const STORE: &str = "/p/.gen/skills.json";

/// A project with two skills, on the disk.
fn place() -> (OsFs, TempDir) {
    tree("//- /p/.gen/skills/a/SKILL.md\n---\nname: a\n---\n//- /p/.gen/skills/b/SKILL.md\n---\nname: b\n---\n").disk()
}

/// The plan to make a skill active.
fn plan(disk: &OsFs, key: &str) -> FileWrite {
    let places = Places { project: Some(path("/p")), ..Places::default() };
    let world = World::new(disk, &places, &());
    let table = dialect("gencode").expect("it is there");
    let catalog = discover(&world, &table);
    let skill = catalog.find_any(key).expect("it is there");
    States::set(&world, &table, skill, StateChange::To(State::Active), Store::Project).expect("it can be changed")
}

/// What the folder of the store holds besides the skills.
fn left(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path().join("p/.gen")).expect("a folder");
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name != "skills");
    names.sort();
    names
}

fn held(folder: &TempDir) -> String {
    fs::read_to_string(folder.path().join(&STORE[1..])).expect("the store is there")
}

#[test]
fn a_file_is_made_and_replaced() {
    let (disk, folder) = place();
    assert_eq!(plan(&disk, "a").write(&disk), Ok(()), "one that was not there");
    assert_eq!(plan(&disk, "b").write(&disk), Ok(()), "one that was");
    assert_eq!(held(&folder), "{\n  \"skills\": {\n    \"a\": \"active\",\n    \"b\": \"active\"\n  }\n}");
    assert_eq!(left(&folder), ["skills.json"], "nothing else stays");
}

#[test]
fn what_has_changed_is_not_written_over() {
    let (disk, folder) = place();
    let said = WriteError::Changed { path: path(STORE) };
    let changed = Err(said.clone());
    let (first, second) = (plan(&disk, "a"), plan(&disk, "b"));
    assert_eq!(first.write(&disk), Ok(()));
    assert_eq!(second.write(&disk), changed, "made meanwhile");
    let third = plan(&disk, "b");
    fs::write(folder.path().join(&STORE[1..]), "{\"skills\": {}}").unwrap();
    assert_eq!(third.write(&disk), changed, "changed meanwhile");
    let fourth = plan(&disk, "b");
    fs::remove_file(folder.path().join(&STORE[1..])).unwrap();
    assert_eq!(fourth.write(&disk), changed, "gone meanwhile");
    assert_eq!(left(&folder), Vec::<String>::new(), "nothing stays of what failed");
    assert_eq!(said.code(), "store-changed");
    assert_eq!(said.to_string(), "`/p/.gen/skills.json` has changed since it was read; try again");
}

#[test]
fn folders_are_made_and_what_cannot_be_written_says_so() {
    let (disk, folder) = place();
    let mut deep = plan(&disk, "a");
    deep.path = path("/p/new/deep/file");
    assert_eq!(deep.write(&disk), Ok(()), "its folders were missing");
    deep.path = path("/p/new/deep/file/below");
    let error = deep.write(&disk).unwrap_err();
    assert_eq!(error.code(), "file-system");
    let said = error.to_string();
    assert!(said.starts_with("`/p/new/deep/file/below` could not be written: "), "{said}");
    assert!(folder.path().join("p/new/deep/file").is_file(), "it is as it was");
}

#[cfg(unix)]
#[test]
fn who_may_read_it_stays() {
    use std::os::unix::fs::PermissionsExt;
    let (disk, folder) = place();
    plan(&disk, "a").write(&disk).unwrap();
    let store = folder.path().join(&STORE[1..]);
    fs::set_permissions(&store, fs::Permissions::from_mode(0o600)).unwrap();
    plan(&disk, "b").write(&disk).unwrap();
    assert_eq!(fs::metadata(&store).unwrap().permissions().mode() & 0o777, 0o600);
}

/// Many threads at once: each either made its change or says that it did not, and none is lost.
#[test]
fn no_write_is_lost() {
    let (disk, folder) = place();
    let wrote = std::sync::atomic::AtomicUsize::new(0);
    let file = path("/p/count");
    let shown = folder.path().join("p/count");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut plan = plan(&disk, "a");
                plan.path = file.clone();
                for _ in 0..25 {
                    plan.expected = fs::read(&shown).ok();
                    plan.bytes = [plan.expected.clone().unwrap_or_default().as_slice(), b"x"].concat();
                    match plan.write(&disk) {
                        Ok(()) => _ = wrote.fetch_add(1, std::sync::atomic::Ordering::SeqCst),
                        Err(error) => assert_eq!(error.code(), "store-changed"),
                    }
                }
            });
        }
    });
    let count = wrote.load(std::sync::atomic::Ordering::SeqCst);
    assert!(count > 0);
    assert_eq!(fs::read(&shown).unwrap().len(), count);
}
