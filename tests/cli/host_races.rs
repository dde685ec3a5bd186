//! Writers against a process that exchanges a folder and a symbolic link all the time: what the link leads to must
//! neither receive nor lose anything, whenever the exchange comes. Through the library and through the binary.
#![cfg(target_os = "linux")]

use crate::common;

use crate::raw;

use crate::program::Place;
use common::property::tries;
use common::{Tree, path};
use pretty_assertions::assert_eq;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use skilltree::discovery::{StateChange, States, Store};
use skilltree::fs::ArchiveFs;
use skilltree::host::{Overwrite, Unpacked};
use skilltree::package::{CopyPlan, Review};
use skilltree::{OsFs, Places, State, World, dialect, discover};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How often each writer runs against the exchanges.
const ROUNDS: u32 = 300;

const SKILL: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";
const MARKER: &str = "{\"id\":\"root--tea\",\"source\":\"/x\",\"files\":[]}";

/// Everything below a folder: names, and what the files hold.
fn seen(dir: &Path) -> BTreeMap<String, String> {
    let (mut all, mut waiting) = (BTreeMap::new(), vec![dir.to_owned()]);
    while let Some(dir) = waiting.pop() {
        for entry in fs::read_dir(&dir).expect("a folder").flatten() {
            let (at, is_dir) = (entry.path(), entry.file_type().expect("a type").is_dir());
            let text = if is_dir { String::new() } else { fs::read_to_string(&at).unwrap_or_default() };
            all.insert(at.display().to_string(), text);
            if is_dir {
                waiting.push(at);
            }
        }
    }
    all
}

/// A project with a skill in it, folders to write to and, outside of it, a folder that looks like all of them.
fn place() -> Place {
    let archive = raw::build(&[raw::file("tea/SKILL.md", SKILL), raw::file("tea/scripts/boil.sh", "#!/bin/sh\n")]);
    let mut tree = Tree::default()
        .with("/project/.gen/skills/tea/SKILL.md", SKILL)
        .with("/project/skills/tea/SKILL.md", SKILL)
        .with("/project/tea.skill", archive)
        .with_dir("/project/out");
    for name in ["user--tea", "root--tea", "tea", "gone"] {
        let dir = format!("/victim/{name}");
        tree = tree.with(&format!("{dir}/.skilltree-copy"), MARKER).with(&format!("{dir}/SKILL.md"), "precious");
    }
    tree = tree.with("/victim/.skilltree-1-1/x", "precious").with("/victim/.skilltree-999999-0", "precious");
    for name in ["user--tea", "gone"] {
        tree = tree.with(&format!("/victim/active/{name}/.skilltree-copy"), MARKER);
    }
    Place::of(tree.with("/victim/active/.skilltree-1-2/x", "precious"))
}

/// Runs a writer again and again while `folder` of the project is exchanged for a link to the victim. How often the
/// victim was not as before must be never; without exchanges the writer must do its work.
#[track_caller]
fn attack(case: &str, place: &Place, folder: &str, mut writer: impl FnMut() -> bool) {
    let (folder, link) = (place.at(folder), place.at("project/exchanged"));
    std::os::unix::fs::symlink(place.at("victim"), &link).expect("a link can be made");
    let before = seen(&place.at("victim"));
    let (stop, exchanges) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (rounds, mut hits, mut done) = (tries(ROUNDS), 0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                // The folder may not be there for a moment, when the writer makes it.
                if renameat_with(CWD, &folder, CWD, &link, RenameFlags::EXCHANGE).is_ok() {
                    exchanges.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        for _ in 0..rounds {
            done += usize::from(writer());
            if seen(&place.at("victim")) != before {
                hits += 1;
                fs::remove_dir_all(place.at("victim")).expect("it can be removed");
                self::place_victim(place, &before);
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    if fs::symlink_metadata(&folder).expect("it is there").is_symlink() {
        renameat_with(CWD, &folder, CWD, &link, RenameFlags::EXCHANGE).expect("they can be exchanged");
    }
    fs::remove_file(&link).expect("the link can be removed");
    assert_eq!(hits, 0, "{case}: of {rounds} rounds, with {done} writes done and {exchanges:?} exchanges");
    assert!(writer(), "{case}: without exchanges");
    assert_eq!(seen(&place.at("victim")), before, "{case}: without exchanges");
}

/// Exchanges every working folder that appears in `out` for a link to the victim, while a writer runs.
#[track_caller]
fn attack_working_folders(case: &str, place: &Place, mut writer: impl FnMut()) {
    let (out, link) = (place.at("project/out"), place.at("project/exchanged"));
    std::os::unix::fs::symlink(place.at("victim"), &link).expect("a link can be made");
    let before = seen(&place.at("victim"));
    let (stop, exchanges) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (rounds, mut hits) = (tries(ROUNDS), 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for entry in fs::read_dir(&out).expect("a folder").flatten() {
                    let is_working = entry.file_name().to_str().is_some_and(|name| name.starts_with(".skilltree-"));
                    if is_working && renameat_with(CWD, entry.path(), CWD, &link, RenameFlags::EXCHANGE).is_ok() {
                        exchanges.fetch_add(1, Ordering::Relaxed);
                        // What was exchanged last is a link or a folder of the writer's.
                        let _ = fs::remove_dir_all(&link).or_else(|_| fs::remove_file(&link));
                        let _ = std::os::unix::fs::symlink(place.at("victim"), &link);
                    }
                }
            }
        });
        for _ in 0..rounds {
            writer();
            if seen(&place.at("victim")) != before {
                hits += 1;
                fs::remove_dir_all(place.at("victim")).expect("it can be removed");
                place_victim(place, &before);
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(hits, 0, "{case}: of {rounds} rounds, with {exchanges:?} exchanges");
}

#[test]
fn working_folders_are_held() {
    let place = place();
    let disk = OsFs::new();
    // So many that there is time between the first and the last.
    let many = (0..40).map(|n| raw::file(format!("tea/{n}/f"), "x"));
    let entries: Vec<_> = many.chain([raw::file("tea/SKILL.md", SKILL)]).collect();
    let archive = ArchiveFs::new(raw::build(&entries)).expect("an archive");
    let to = path(&place.named("project/out"));
    attack_working_folders("unpack", &place, || {
        let _ = Unpacked::unpack(&disk, &archive, &to, "tea", Overwrite::Replace, None);
    });
}

/// Makes the victim again as it was.
fn place_victim(place: &Place, before: &BTreeMap<String, String>) {
    fs::create_dir_all(place.at("victim")).expect("a folder");
    let is_folder = |name: &str| before.keys().any(|other| other.starts_with(&format!("{name}/")));
    for (name, text) in before {
        if is_folder(name) {
            fs::create_dir_all(name).expect("a folder");
        } else {
            fs::write(name, text).expect("a file");
        }
    }
}

fn places(place: &Place) -> Places {
    let at = |name: &str| path(&place.named(name));
    Places { project: Some(at("project")), roots: vec![at("project/skills")], ..Places::default() }
}

#[test]
fn apply_keeps_to_the_folder_that_it_opened() {
    for (case, folder, to) in
        [("the folder itself", "project/out", "project/out"), ("one above", "project/out", "project/out/active")]
    {
        let place = place();
        let (disk, places) = (OsFs::new(), places(&place));
        let daycare = dialect("daycare").expect("a dialect");
        attack(case, &place, folder, || {
            // A skill file that changes each time, so that there is something to copy.
            fs::write(place.at("project/skills/tea/n"), format!("{:?}", std::time::Instant::now())).expect("a file");
            let world = World::new(&disk, &places, &());
            let catalog = discover(&world, &daycare);
            let plan = CopyPlan::of(&world, &catalog, &path(&place.named(to)));
            plan.is_ok_and(|plan| {
                let applied = plan.apply(&disk);
                applied.findings.is_empty() && !(applied.copied.is_empty() && plan.unchanged.is_empty())
            })
        });
    }
}

#[test]
fn unpack_keeps_to_the_folder_that_it_opened() {
    for (case, folder, to) in
        [("the folder itself", "project/out", "project/out"), ("one above", "project/out", "project/out/skills")]
    {
        let place = place();
        let (disk, project) = (OsFs::new(), path(&place.named("project")));
        let archive = ArchiveFs::new(fs::read(place.at("project/tea.skill")).unwrap()).expect("an archive");
        let to = path(&place.named(to));
        attack(case, &place, folder, || {
            Unpacked::unpack(&disk, &archive, &to, "tea", Overwrite::Replace, Some(&project)).is_ok()
        });
    }
}

#[test]
fn write_keeps_to_the_folder_that_it_opened() {
    let place = place();
    let (disk, places) = (OsFs::new(), places(&place));
    let gencode = dialect("gencode").expect("a dialect");
    let world = World::new(&disk, &places, &());
    let catalog = discover(&world, &gencode);
    let tea = catalog.find_any("tea").expect("the skill");
    let plan = |state| States::set(&world, &gencode, tea, StateChange::To(state), Store::Project);
    plan(State::Active).expect("a plan").write(&disk).expect("it is written");
    fs::copy(place.at("project/.gen/skills.json"), place.at("victim/skills.json")).expect("a copy");
    let held = plan(State::Active).expect("a plan");
    attack("a store", &place, "project/.gen", || held.write(&disk).is_ok());
}

#[test]
fn an_approval_keeps_to_the_folder_that_it_opened() {
    let place = place();
    let (disk, places) = (OsFs::new(), places(&place));
    let world = World::new(&disk, &places, &());
    let catalog = discover(&world, &dialect("agentskills").expect("a dialect"));
    let tea = catalog.find_any("tea").expect("the skill");
    let review = Review::of(&world, &catalog, tea).expect("a review");
    let store = path(&place.named("project/out/approved.json"));
    let plan = || review.approve(&world, tea, &store).expect("a plan");
    plan().write(&disk).expect("it is written");
    fs::copy(place.at("project/out/approved.json"), place.at("victim/approved.json")).expect("a copy");
    let held = plan();
    attack("an approval", &place, "project/out", || held.write(&disk).is_ok());
}

#[test]
fn the_binary_keeps_to_the_folder_that_it_opened() {
    let place = place();
    let sync = ["sync", "--dialect", "daycare", "--only-roots", "--root", "skills", "--to", "out"];
    attack("sync", &place, "project/out", || {
        fs::write(place.at("project/skills/tea/n"), format!("{:?}", std::time::Instant::now())).expect("a file");
        place.say(&sync).code == Some(0)
    });
    attack("unpack", &place, "project/out", || {
        place.say(&["unpack", "tea.skill", "-d", "out", "--force"]).code == Some(0)
    });
    attack("pack", &place, "project/out", || {
        place.say(&["pack", "skills/tea", "-o", "out/tea.skill", "--force"]).code == Some(0)
    });
    let state = ["state", "tea", "next", "--dialect", "gencode"];
    attack("state", &place, "project/.gen", || place.say(&state).code == Some(0));
}
