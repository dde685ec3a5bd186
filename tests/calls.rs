//! What the engine asks of a file system, each call at the price of a slow one: each folder is listed once and each
//! SKILL.md read once; nothing is looked at but roots, what is above them and links; what has not changed is looked at
//! once and not read. The clock is virtual, so a slow disk costs no time.

use crate::common;

use common::recording::Recording;
use common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::fs::FsCall;
use skilltree::{
    Caller, Catalog, CheckRequest, IncrementalDiscovery, LoadRequest, MemFs, Places, PromptRequest, World, check,
    dialect, discover, load, prompt,
};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What one call takes on the slow file system.
const A_CALL: Duration = Duration::from_millis(5);

const DIALECTS: &[&str] = &["agentskills", "sven", "gencode", "claude", "agent-base", "pegasus", "daycare"];

/// The slow file system. The tree may be edited between calls.
type Slow = Recording<MemFs>;

/// The calls since the last time, and what they took.
fn taken(slow: &Slow) -> Taken {
    let made = slow.calls();
    let waited = A_CALL * u32::try_from(made.len()).expect("few calls");
    let mut calls: BTreeMap<FsCall, Vec<String>> = BTreeMap::new();
    for (call, path) in made {
        calls.entry(call).or_default().push(path.to_string());
    }
    calls.values_mut().for_each(|paths| paths.sort());
    Taken { calls, waited }
}

/// The paths of each call, sorted.
struct Taken {
    calls: BTreeMap<FsCall, Vec<String>>,
    waited: Duration,
}

impl Taken {
    fn of(&self, call: FsCall) -> &[String] {
        self.calls.get(&call).map_or(&[], Vec::as_slice)
    }

    /// Every path that was asked for otherwise than by a list or a read.
    fn all_metadata(&self) -> Vec<&str> {
        self.of(FsCall::Metadata).iter().chain(self.of(FsCall::Canonical)).map(String::as_str).collect()
    }
}

const SKILLS: usize = 12;
/// Folders of one skill: its own, `scripts` and `references`.
const FOLDERS: usize = 3;

/// Skills side by side in `/s`, each with two folders and some files.
fn plain() -> Tree {
    (0..SKILLS).fold(Tree::default(), |tree, number| {
        let dir = format!("/s/skill-{number:02}");
        let text = format!("---\nname: skill-{number:02}\ndescription: Number {number}.\n---\nDo it.\n");
        tree.with(&format!("{dir}/SKILL.md"), text)
            .with(&format!("{dir}/notes.txt"), "Notes.\n")
            .with(&format!("{dir}/scripts/run.sh"), "echo run\n")
            .with(&format!("{dir}/references/guide.md"), "# Guide\n")
    })
}

/// The same with a linked folder, a linked SKILL.md and a link that leads back.
fn linked() -> Tree {
    let text = "---\nname: far\ndescription: Elsewhere.\n---\nDo it.\n";
    plain()
        .with("/elsewhere/far/SKILL.md", text)
        .with("/elsewhere/file.md", text.replace("far", "by-file"))
        .with_link("/s/far", "/elsewhere/far")
        .with_link("/s/by-file/SKILL.md", "/elsewhere/file.md")
        .with_link("/s/again", "/s/skill-03")
}

fn places() -> Places {
    Places { roots: vec![path("/s")], only_roots: true, ..Places::default() }
}

/// Runs a check for every dialect, each with a fresh tree.
fn each_dialect(tree: &Tree, check: impl Fn(&str, &mut Slow, &Places)) {
    for name in DIALECTS {
        check(name, &mut Slow::new(tree.mem()), &places());
    }
}

fn found(name: &str, slow: &Slow, places: &Places) -> Catalog {
    discover(&World::new(slow, places, &()), &dialect(name).expect("a dialect"))
}

/// The folders of the plain tree, with its root, and its SKILL.md files.
fn parts() -> (Vec<String>, Vec<String>) {
    let skills = (0..SKILLS).map(|number| format!("/s/skill-{number:02}"));
    let below = skills.clone().flat_map(|dir| [dir.clone(), format!("{dir}/references"), format!("{dir}/scripts")]);
    (std::iter::once("/s".to_owned()).chain(below).collect(), skills.map(|dir| format!("{dir}/SKILL.md")).collect())
}

#[test]
fn discovery_lists_each_folder_and_reads_each_skill_once() {
    each_dialect(&plain(), |name, slow, places| {
        let catalog = found(name, slow, places);
        assert_eq!(catalog.skills().len(), SKILLS, "{name}: every skill is found");
        let taken = taken(slow);
        let (folders, files) = parts();
        assert_eq!(taken.of(FsCall::List), folders, "{name}: lists");
        assert_eq!(taken.of(FsCall::Read), files, "{name}: reads");
        let asked: Vec<&str> = taken.all_metadata();
        assert!(asked.len() <= 4, "{name}: {asked:?}");
        assert!(asked.iter().all(|path| matches!(*path, "/" | "/s")), "{name}: only the root and above: {asked:?}");
        let share = A_CALL * u32::try_from(SKILLS * (FOLDERS + 1) + 1 + 4).expect("a small number");
        assert!(taken.waited <= share, "{name}: {:?} spent on calls", taken.waited);
    });
}

#[test]
fn discovery_asks_more_only_at_links() {
    each_dialect(&linked(), |name, slow, places| {
        let catalog = found(name, slow, places);
        assert_eq!(catalog.skills().len(), SKILLS + 2, "{name}: every skill is found");
        let taken = taken(slow);
        for call in [FsCall::List, FsCall::Read] {
            let once: BTreeSet<&String> = taken.of(call).iter().collect();
            assert_eq!(once.len(), taken.of(call).len(), "{name}: {call:?} twice: {:?}", taken.of(call));
        }
        let strange = |path: &&&str| !["/", "/s", "/s/far", "/s/by-file/SKILL.md", "/s/again"].contains(path);
        let asked = taken.all_metadata();
        let strange: Vec<&&str> = asked.iter().filter(strange).collect();
        assert!(strange.is_empty(), "{name}: looked at what is no link: {strange:?}");
    });
}

#[test]
fn refresh_looks_once_where_nothing_changed_and_reads_nothing() {
    each_dialect(&plain(), |name, slow, places| {
        let mut live = IncrementalDiscovery::new(dialect(name).expect("a dialect"));
        live.refresh(&World::new(slow, places, &()));
        taken(slow);
        let again = live.refresh(&World::new(slow, places, &()));
        assert_eq!(again.skills().len(), SKILLS, "{name}");
        let taken = taken(slow);
        assert_eq!((taken.of(FsCall::List), taken.of(FsCall::Read)), (&[][..], &[][..]), "{name}: lists and reads");
        let (folders, files) = parts();
        let mut known: Vec<String> = folders.into_iter().chain(files).filter(|path| path != "/s").collect();
        known.sort();
        let below: Vec<&String> = taken.of(FsCall::Metadata).iter().filter(|path| path.as_str() != "/s").collect();
        assert_eq!(below, known.iter().collect::<Vec<_>>(), "{name}: looks");
        let above = taken.all_metadata().len() - below.len();
        assert!(above <= 5, "{name}: {:?}", taken.all_metadata());
    });
}

#[test]
fn refresh_reads_the_one_file_that_changed() {
    each_dialect(&plain(), |name, slow, places| {
        let mut live = IncrementalDiscovery::new(dialect(name).expect("a dialect"));
        live.refresh(&World::new(slow, places, &()));
        let one = "/s/skill-03/SKILL.md";
        slow.fs.file(one, "---\nname: skill-03\ndescription: Changed.\n---\nDo it.\n");
        taken(slow);
        let again = live.refresh(&World::new(slow, places, &()));
        assert!(again.skills().iter().any(|skill| skill.description() == "Changed."), "{name}: the change is seen");
        let taken = taken(slow);
        assert_eq!(taken.of(FsCall::Read), [one], "{name}: reads");
        // the file was put anew, which its folder shows
        assert!(matches!(taken.of(FsCall::List), []) || taken.of(FsCall::List) == ["/s/skill-03"], "{name}: lists");
    });
}

#[test]
fn load_reads_the_file_and_lists_its_own_folders() {
    each_dialect(&linked(), |name, slow, places| {
        let catalog = found(name, slow, places);
        let skill = catalog.skills().iter().find(|skill| skill.path.as_str() == "/s/skill-05/SKILL.md");
        let skill = skill.expect("it is found");
        taken(slow);
        let loaded = load(&World::new(slow, places, &()), &catalog, skill, &LoadRequest::new(Caller::User));
        assert!(loaded.is_ok_and(|loaded| loaded.body.contains("Do it.")), "{name}");
        let taken = taken(slow);
        assert_eq!(taken.of(FsCall::Read), ["/s/skill-05/SKILL.md"], "{name}: reads");
        let lists: BTreeSet<&String> = taken.of(FsCall::List).iter().collect();
        assert!(taken.of(FsCall::List).len() <= FOLDERS, "{name}: lists {:?}", taken.of(FsCall::List));
        assert!(lists.iter().all(|dir| dir.starts_with("/s/skill-05")), "{name}: {lists:?}");
        assert!(taken.all_metadata().len() <= 2, "{name}: {:?}", taken.all_metadata());
    });
}

#[test]
fn prompt_asks_nothing() {
    let states: Vec<String> = (0..SKILLS).map(|number| format!("\"skill-{number:02}\": \"active\"")).collect();
    let tree = linked().with("/home/.gen/skills.json", format!("{{\"skills\": {{{}}}}}", states.join(", ")));
    each_dialect(&tree, |name, slow, places| {
        let places = Places { home: Some(path("/home")), ..places.clone() };
        let catalog = found(name, slow, &places);
        taken(slow);
        let shown = prompt(&World::new(slow, &places, &()), &catalog, &PromptRequest::default()).shown.len();
        assert!(shown >= SKILLS, "{name}: {shown} skills are shown");
        // What rows count of a skill's files was seen by discovery.
        let taken = taken(slow);
        assert_eq!(taken.waited, Duration::ZERO, "{name}: {:?}", taken.calls);
    });
}

#[test]
fn check_lists_a_folder_once_for_all_references() {
    let body = "[a](one.md) [b](two.md) [c](references/a.md) [d](references/b.md) `references/c.md` [e](gone/x.md)\n";
    let tree = Tree::default()
        .with("/s/tea/SKILL.md", format!("---\nname: tea\ndescription: D\n---\n{body}"))
        .with("/s/tea/one.md", "[two](two.md)\n")
        .with("/s/tea/references/a.md", "[b](b.md)\n")
        .with("/s/pot/SKILL.md", "---\nname: pot\ndescription: D\n---\nNo [link](https://example.com).\n");
    for (strict, read) in [(false, &[][..]), (true, &["/s/tea/one.md", "/s/tea/references/a.md"])] {
        let slow = Slow::new(tree.mem());
        let request = CheckRequest { strict };
        let found = check(
            &World::new(&slow, &places(), &()),
            &dialect("agentskills").expect("a dialect"),
            &[path("/s")],
            &request,
        );
        assert_eq!(found.expect("it is there").len(), 4, "what is not there");
        let taken = taken(&slow);
        // The scan lists each folder, and the references list two of them again. The files of a skill are listed once more
        // for strict checks, and each is looked at.
        let of_scan = ["/s", "/s/pot", "/s/tea", "/s/tea/references"];
        let of_facts: &[&str] = if strict { &["/s/pot", "/s/tea", "/s/tea/references"] } else { &[] };
        let mut lists: Vec<&str> =
            of_scan.iter().chain(&["/s/tea", "/s/tea/references"]).chain(of_facts).copied().collect();
        lists.sort_unstable();
        assert_eq!(taken.of(FsCall::List), lists, "strict: {strict}");
        let looked_at: &[&str] = match strict {
            true => &["/s/pot/SKILL.md", "/s/tea/SKILL.md", "/s/tea/one.md", "/s/tea/references/a.md"],
            false => &[],
        };
        let mut reads: Vec<&str> =
            ["/s/pot/SKILL.md", "/s/tea/SKILL.md"].iter().chain(read).chain(looked_at).copied().collect();
        // The scan reads the beginning of each file, and the check the whole.
        reads.extend(["/s/pot/SKILL.md", "/s/tea/SKILL.md"]);
        reads.sort_unstable();
        assert_eq!(taken.of(FsCall::Read), reads, "strict: {strict}");
    }
}

#[test]
fn a_folder_never_entered_costs_nothing() {
    let burdened = (0..50).fold(plain(), |tree, number| {
        tree.with(&format!("/s/node_modules/package-{number}/SKILL.md"), "---\nname: no\ndescription: No.\n---\n")
    });
    each_dialect(&burdened, |name, slow, places| {
        assert_eq!(found(name, slow, places).skills().len(), SKILLS, "{name}");
        let mut lists = parts().0;
        // A run of Claude Code 2.1.330 reads a skill directly in such a folder. What lies deeper is reported.
        if name == "claude" {
            lists.push("/s/node_modules".to_owned());
            lists.extend((0..50).map(|number| format!("/s/node_modules/package-{number}")));
        }
        lists.sort_unstable();
        assert_eq!(taken(slow).of(FsCall::List), lists, "{name}: lists");
    });
}
