//! Other programs write a file at each step while it is replaced: what they wrote last is what is there in the end.

use super::{MAX_EXCHANGES, Step, Steps};
use crate::discovery::state::FileWrite;
use crate::discovery::{Choices, StateChange, States, Store};
use crate::fs::{Fs, OsFs};
use crate::host::write::{WriteError, rewrite_in, write_in};
use crate::package::Review;
use crate::path::FsPath;
use crate::{Places, State, Visibility, World, dialect, discover};
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How another program saves a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Save {
    /// It truncates the file and writes it.
    InPlace,
    /// It renames a new file to its place.
    Renamed,
    /// It removes the file and makes it again.
    MadeAgain,
    /// It renames the old file to `NAME~` and makes a new one.
    WithBackup,
}

const SAVES: [Save; 4] = [Save::InPlace, Save::Renamed, Save::MadeAgain, Save::WithBackup];

const STEPS: [Step; 6] =
    [Step::Opened, Step::Compared, Step::Flushed, Step::ComparedAgain, Step::Exchanged, Step::Read];

impl Save {
    fn carry_out(self, file: &Path, text: &str) {
        let beside = |end: &str| PathBuf::from(format!("{}{end}", file.display()));
        match self {
            Save::InPlace => {}
            Save::Renamed => {
                fs::write(beside(".new"), text).expect("it is written");
                return fs::rename(beside(".new"), file).expect("it is renamed");
            }
            Save::MadeAgain => _ = fs::remove_file(file),
            Save::WithBackup => _ = fs::rename(file, beside("~")),
        }
        fs::write(file, text).expect("it is written");
    }
}

/// A new folder, which is removed when this is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("skilltree-replace-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        // Nothing is flushed to a disk there, which takes far longer than the rest.
        let memory = PathBuf::from("/dev/shm");
        let folder = if memory.is_dir() { memory } else { std::env::temp_dir() }.join(name);
        fs::create_dir_all(&folder).expect("a folder");
        Folder(fs::canonicalize(folder).expect("it is there"))
    }

    fn path(&self, name: &str) -> FsPath {
        FsPath::new(self.0.join(name).to_str().expect("UTF-8")).expect("a path")
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.0.join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("folders");
        fs::write(file, text).expect("it is written");
    }

    /// The files directly in a folder, with what they hold.
    fn held(&self, dir: &str) -> BTreeMap<String, String> {
        let entries = fs::read_dir(self.0.join(dir)).expect("a folder").map(|entry| entry.expect("an entry"));
        let files = entries.filter(|entry| entry.file_type().expect("a type").is_file());
        let text = |path: PathBuf| fs::read_to_string(path).expect("text");
        files.map(|entry| (entry.file_name().into_string().expect("UTF-8"), text(entry.path()))).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The writers of the user's files, each with the file that it changes.
const WRITERS: [(&str, &str); 6] = [
    ("fix", "p/.gen/skills/tea/SKILL.md"),
    ("state", "p/.gen/skills.json"),
    ("choice", "p/.skilltree/skilltree.yaml"),
    ("approval", "config/approved.json"),
    ("session", "config/session.json"),
    ("new file", "config/new"),
];

const SKILL: &str = "---\nname: tea\ndescription: Makes tea: hot.\n---\nBoil.\n";

fn place() -> Folder {
    let folder = Folder::new();
    folder.write("p/.gen/skills/tea/SKILL.md", SKILL);
    folder.write("p/.gen/skills.json", "{\"skills\": {\"other\": \"enable\"}}");
    folder.write("p/.skilltree/skilltree.yaml", "skills:\n  other: off\n");
    folder.write("config/approved.json", "{\"version\": 1, \"approved\": {}}");
    folder.write("config/session.json", "{}");
    folder
}

/// What a writer plans by what it reads now.
fn plan(folder: &Folder, writer: &str) -> Option<FileWrite> {
    let disk = OsFs::new();
    let choices = vec![folder.path("p/.skilltree/skilltree.yaml")];
    let places = Places { project: Some(folder.path("p")), project_choices: choices, ..Places::default() };
    let world = World::new(&disk, &places, &());
    let table = dialect("gencode").expect("a table");
    let own = |name: &str, text: &str| {
        let old = fs::read(folder.0.join(name)).ok();
        let bytes = [old.clone().unwrap_or_default().as_slice(), text.as_bytes()].concat();
        FileWrite { private: true, ..FileWrite::new(folder.path(name), bytes, old) }
    };
    let catalog = discover(&world, &table);
    let skill = || catalog.find_any("tea").expect("the skill");
    match writer {
        "fix" => {
            let request = crate::author::FixRequest {
                check: crate::CheckRequest::default(),
                scope: crate::author::FixScope::Safe,
            };
            let path = [folder.path("p/.gen/skills/tea/SKILL.md")];
            let files = request.fix(&world, &table, &path).expect("it is read");
            files.first().and_then(|file| file.file_write().expect("it is in the project"))
        }
        "state" => States::set(&world, &table, skill(), StateChange::To(State::Active), Store::Project).ok(),
        "choice" => Choices::set(&world, skill(), Visibility::Off, Store::Project).ok(),
        "approval" => {
            let review = Review::of(&world, &catalog, skill()).expect("a review");
            review.approve(&world, skill(), &folder.path("config/approved.json")).ok()
        }
        "session" => Some(own("config/session.json", "own")),
        _ => Some(own("config/new", "own")),
    }
}

/// The text of another program's save: valid for the file, so that a writer which plans again can read it.
fn saved(writer: &str, n: usize) -> String {
    match writer {
        "fix" => format!("{SKILL}saved {n}\n"),
        "state" => format!("{{\"skills\": {{\"saved\": \"enable\"}}, \"n\": {n}}}"),
        "choice" => format!("skills:\n  saved: off # {n}\n"),
        "approval" => format!("{{\"version\": 1, \"approved\": {{}}, \"n\": {n}}}"),
        _ => format!("saved {n}\n"),
    }
}

/// Whether a file has what another program saved, whatever was added to it.
fn has(writer: &str, text: &str, n: usize) -> bool {
    text.contains(&match writer {
        "state" | "approval" => n.to_string(),
        "choice" => format!("saved: off # {n}"),
        _ => format!("saved {n}"),
    })
}

#[test]
fn no_save_is_lost_whenever_it_comes() {
    let (mut saves, mut lost) = (0, Vec::new());
    let mut is_reached = BTreeMap::new();
    for exchanges in [true, false] {
        for (writer, name) in WRITERS {
            for save in SAVES {
                for at in STEPS {
                    // One program saves once, or several twice at each step that follows.
                    for most in if exchanges { &[1, 4, 12][..] } else { &[1] } {
                        let folder = place();
                        let (file, disk) = (folder.0.join(name), OsFs::new());
                        let (mut count, mut is_due) = (0, false);
                        let mut after = |step: Step| {
                            is_due |= step == at;
                            // Without an exchange nothing can be compared after the last comparison.
                            let saves = if is_due && (exchanges || step != Step::ComparedAgain) { 2 } else { 0 };
                            for _ in 0..saves.min(most - count) {
                                count += 1;
                                save.carry_out(&file, &saved(writer, 7_000_000 + count));
                                *is_reached.entry(format!("{step:?}")).or_insert(0) += 1;
                            }
                        };
                        let case = format!("{writer} {save:?} {at:?} {most} {exchanges}");
                        let planned = plan(&folder, writer).unwrap_or_else(|| panic!("{case}"));
                        let wrote = write_in(&disk, &planned, &mut Steps { after: &mut after, exchanges });
                        saves += count;
                        let text = fs::read_to_string(&file).expect("it is there");
                        let is_there = count == 0 || has(writer, &text, 7_000_000 + count);
                        let is_written = text.as_bytes() == planned.bytes;
                        let is_honest = match wrote {
                            // A save after the exchange is made over what was written.
                            Ok(()) => is_written || count > 0,
                            Err(WriteError::Changed { .. }) => count > 0 && !is_written,
                            Err(_) => false,
                        };
                        let dir = Path::new(name).parent().and_then(Path::to_str).expect("a folder");
                        let is_clean = folder.held(dir).keys().all(|name| !name.starts_with(".skilltree-"));
                        if !is_there || !is_honest || !is_clean {
                            lost.push(format!("{case}: {text:?} {:?}", folder.held(dir)));
                        }
                    }
                }
            }
        }
    }
    assert_eq!((lost.len(), lost.first()), (0, None), "of {saves}");
    assert!(saves >= 1_000, "{saves}");
    assert!(STEPS.iter().all(|step| is_reached.contains_key(&format!("{step:?}"))), "{is_reached:?}");
}

#[test]
fn what_is_planned_again_has_both_changes() {
    for (writer, name) in WRITERS {
        for at in STEPS {
            let folder = place();
            let (file, disk, mut count) = (folder.0.join(name), OsFs::new(), 0);
            let mut after = |step: Step| {
                if step == at && count == 0 {
                    count += 1;
                    Save::Renamed.carry_out(&file, &saved(writer, 7_000_000));
                }
            };
            let mut steps = Steps { after: &mut after, exchanges: true };
            let wrote = rewrite_in::<WriteError>(&disk, || Ok(plan(&folder, writer)), &mut steps);
            let text = fs::read_to_string(&file).expect("it is there");
            assert!(matches!(wrote, Ok(Some(_))), "{writer} {at:?}: {wrote:?}");
            assert!(count == 0 || has(writer, &text, 7_000_000), "{writer} {at:?}: {text}");
        }
    }
}

#[test]
fn what_was_removed_or_is_no_file_is_not_made_again() {
    let folder = place();
    let (file, disk) = (folder.0.join("config/session.json"), OsFs::new());
    for at in STEPS {
        folder.write("config/session.json", "{}");
        let planned = plan(&folder, "session").expect("a plan");
        let mut after = |step| {
            if step == at {
                let _ = fs::remove_file(&file);
            }
        };
        let wrote = write_in(&disk, &planned, &mut Steps { after: &mut after, exchanges: true });
        let is_after = matches!(at, Step::Exchanged | Step::Read);
        assert_eq!((wrote.is_ok(), file.exists()), (is_after, false), "{at:?}: {wrote:?}");
        folder.write("config/session.json", "{}");
        let mut after = |step| {
            if step == at {
                let _ = fs::remove_file(&file);
                fs::create_dir(&file).expect("a folder");
            }
        };
        let wrote = write_in(&disk, &planned, &mut Steps { after: &mut after, exchanges: true });
        assert_eq!((wrote.is_ok(), file.is_dir()), (is_after, true), "{at:?}: {wrote:?}");
        fs::remove_dir(&file).expect("the folder");
    }
}

#[test]
fn a_program_that_goes_on_saving_loses_nothing_either() {
    let folder = place();
    let (file, disk, mut count) = (folder.0.join("config/session.json"), OsFs::new(), 0);
    let planned = plan(&folder, "session").expect("a plan");
    let mut after = |step| {
        if matches!(step, Step::ComparedAgain | Step::Exchanged) {
            count += 1;
            Save::InPlace.carry_out(&file, &format!("saved {count}"));
        }
    };
    let wrote = write_in(&disk, &planned, &mut Steps { after: &mut after, exchanges: true });
    let held = folder.held("config");
    assert!(matches!(wrote, Err(WriteError::Failed { .. })), "{wrote:?}");
    assert_eq!(count, MAX_EXCHANGES + 2);
    let (last, before) = (format!("saved {count}"), format!("saved {}", count - 1));
    assert_eq!(held.get("session.json"), Some(&last), "{held:?}");
    assert_eq!(held.get("session.json.conflict-1"), Some(&before), "{held:?}");
    let said = wrote.expect_err("it is not written").to_string();
    assert!(said.ends_with("is kept beside it as `session.json.conflict-1`"), "{said}");
}

#[test]
fn a_program_that_holds_the_file_open_writes_to_it() {
    let folder = place();
    let (file, disk) = (folder.0.join("config/session.json"), OsFs::new());
    let planned = plan(&folder, "session").expect("a plan");
    let mut open = fs::OpenOptions::new().read(true).write(true).open(&file).expect("it opens");
    let mut after = |step| {
        if step == Step::ComparedAgain {
            open.set_len(0).and_then(|()| open.seek(SeekFrom::Start(0))).expect("it is emptied");
        }
    };
    let wrote = write_in(&disk, &planned, &mut Steps { after: &mut after, exchanges: true });
    assert_eq!(wrote.map_err(|error| error.code()), Err("store-changed"));
    open.write_all(b"saved").expect("it is written");
    let mut text = String::new();
    fs::File::open(&file).and_then(|mut file| file.read_to_string(&mut text)).expect("it is read");
    assert_eq!(text, "saved");
    assert!(disk.metadata(&folder.path("config/session.json")).is_ok());
}
