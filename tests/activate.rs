//! Copies for use (topics 12 and 20 of the rules): the plan from a catalog and a folder, and on the disk what the door
//! makes of it.

use crate::common;

use common::ground::{Ground, briefs, ground, skill, table};
use common::{path, tree};
use pretty_assertions::assert_eq;
use skilltree::package::CopyPlan;
use skilltree::{Caller, Code, IncrementalDiscovery, LoadRequest, PromptRequest, discover, load, why};

const ROOT: &str = "/u/skills/active";

fn with(text: &str) -> Ground {
    let mut ground = ground(text);
    ground.places.user = Some(path("/u"));
    ground
}

/// A skill of the user's.
fn own(name: &str, body: &str) -> String {
    let text = skill(&format!("name: {name}\ndescription: About {name}."), body);
    format!("//- /u/skills/personal/{name}/SKILL.md\n{text}")
}

/// A copy with its marker.
fn copy(key: &str, id: &str, source: &str, files: &[(&str, &str)]) -> String {
    let rows = files.iter().map(|(name, text)| format!("{{\"name\":\"{name}\",\"len\":\"{}\"}}", text.len()));
    let rows = rows.collect::<Vec<_>>().join(",");
    let marker = format!("{{\"id\":\"{id}\",\"source\":\"{source}\",\"files\":[{rows}]}}");
    let mut text = format!("//- {ROOT}/{key}/.skilltree-copy\n{marker}\n");
    files.iter().for_each(|(name, body)| text.push_str(&format!("//- {ROOT}/{key}/{name}\n{body}")));
    text
}

fn told(plan: &CopyPlan) -> Vec<String> {
    let copies = plan.copies.iter().map(|copy| {
        let files: Vec<&str> = copy.files.iter().map(|file| file.to.as_str()).collect();
        format!("copy {} {}", copy.name, files.join(" "))
    });
    let kept = plan.unchanged.iter().map(|name| format!("keep {name}"));
    let removed = plan.removals.iter().map(|name| format!("remove {name}"));
    copies.chain(kept).chain(removed).chain(briefs(&plan.findings)).collect()
}

#[track_caller]
fn check(case: &str, ground: &Ground, expect: &[&str]) {
    let root = path(ROOT);
    let plan = ground.of(case, "daycare", |world, catalog| match CopyPlan::of(world, catalog, &root) {
        Ok(plan) => told(&plan),
        Err(error) => vec![error.code().to_owned()],
    });
    assert_eq!(plan, expect, "{case}");
}

#[test]
fn the_plan_compares_every_file() {
    let source = "/u/skills/personal/tea/SKILL.md";
    let text = skill("name: tea\ndescription: About tea.", "Boil.\n");
    let tea = own("tea", "Boil.\n");
    let run = "//- /u/skills/personal/tea/scripts/run.sh\necho a\n";
    let have = |files: &[(&str, &str)]| copy("user--tea", "user:tea", source, files);
    let both = [("SKILL.md", text.as_str()), ("scripts/run.sh", "echo a\n")];
    let case = |case: &str, parts: &[&str], expect: &[&str]| check(case, &with(&parts.concat()), expect);

    case("41: nothing there", &[&tea], &["copy user--tea SKILL.md"]);
    case("41: all there", &[&tea, run, &have(&both)], &["keep user--tea"]);
    case("41: a file more", &[&tea, run, &have(&both[..1])], &["copy user--tea SKILL.md scripts/run.sh"]);
    case("41: a file fewer", &[&tea, &have(&both)], &["copy user--tea SKILL.md"]);
    let other = [both[0], ("scripts/run.sh", "echo b\n")];
    case("41: other contents of one length", &[&tea, run, &have(&other)], &["copy user--tea SKILL.md scripts/run.sh"]);
    let longer = [both[0], ("scripts/run.sh", "echo abc\n")];
    case("41: another length", &[&tea, run, &have(&longer)], &["copy user--tea SKILL.md scripts/run.sh"]);
    let moved = copy("user--tea", "user:t:ea", source, &both[..1]);
    case("41: a copy of another skill", &[&tea, &moved], &["copy user--tea SKILL.md"]);
    case("41: no longer in the catalog", &[&have(&both)], &["remove user--tea"]);
    case(
        "41: under a key of before",
        &[&tea, &copy("old", "user:tea", source, &both[..1])],
        &["copy user--tea SKILL.md", "remove old"],
    );
    let off = with(&[tea.as_str(), &have(&both[..1])].concat()).off("user:tea");
    check("41: switched off", &off, &["remove user--tea"]);
}

#[test]
fn what_is_broken_takes_no_copy_away() {
    let source = "/u/skills/personal/tea/SKILL.md";
    let copied = copy("user--tea", "user:tea", source, &[("SKILL.md", "old\n")]);
    let case = |case: &str, parts: &[&str], expect: &[&str]| check(case, &with(&parts.concat()), expect);
    case("41: half-written", &["//- ", source, "\n---\nname: te", "\n", &copied], &["keep user--tea"]);
    case("41: without a name", &["//- ", source, "\n---\ndescription: x\n---\n", &copied], &["keep user--tea"]);
    case("41: a source that is a file", &["//- /u/skills/personal\nx\n", &copied], &["keep user--tea"]);
    let linked = "//- /u/skills/personal/tea/key link=/secret\n//- /secret\nsecret\n";
    case(
        "29: a link that leads out",
        &[&own("tea", "Boil.\n"), linked],
        &["copy user--tea SKILL.md", "warning copy-failed /u/skills/personal/tea/key"],
    );
    let inside = "//- /u/skills/personal/tea/b.txt link=a.txt\n//- /u/skills/personal/tea/a.txt\na\n";
    case("29: a link that stays", &[&own("tea", "Boil.\n"), inside], &["copy user--tea SKILL.md a.txt b.txt"]);
}

#[test]
fn what_is_not_ours_is_left_alone() {
    let case = |case: &str, parts: &[&str], expect: &[&str]| check(case, &with(&parts.concat()), expect);
    let tea = own("tea", "Boil.\n");
    let foreign = "warning foreign-entry /u/skills/active/user--tea";
    case("41: a folder without a marker", &[&tea, "//- /u/skills/active/user--tea/SKILL.md\nmine\n"], &[foreign]);
    case("41: a file", &[&tea, "//- /u/skills/active/user--tea\nmine\n"], &[foreign]);
    case("41: a link", &[&tea, "//- /u/skills/active/user--tea link=/u\n"], &[foreign]);
    case("41: a marker that is none", &[&tea, "//- /u/skills/active/user--tea/.skilltree-copy\n{}\n"], &[foreign]);
    case("41: what the door is at", &["//- /u/skills/active/.skilltree-7-0/x\nx\n"], &[]);
    case(
        "41: another dot-file",
        &["//- /u/skills/active/.nfs7\nx\n"],
        &["warning foreign-entry /u/skills/active/.nfs7"],
    );
}

#[test]
fn an_id_without_a_name_for_its_copy() {
    // Two ids that differ in letter case get a hash each, and the third is spelled like one of these copies.
    let skills = [own("Tea", "Boil.\n"), own("tea", "Boil.\n"), own("tea--fe1ae6b6", "Boil.\n")].concat();
    let expect = [
        "copy user--Tea--6061da56 SKILL.md",
        "copy user--tea--fe1ae6b6 SKILL.md",
        "warning activation-collision /u/skills/personal/Tea/SKILL.md",
        "error activation-key /u/skills/personal/tea--fe1ae6b6/SKILL.md",
        "warning activation-collision /u/skills/personal/tea/SKILL.md",
    ];
    check("rule 20.1: a name that is taken", &with(&skills), &expect);
}

#[test]
fn copies_are_never_a_source() {
    let mut around = with(&[own("tea", "Boil.\n"), own("pot", "Pour.\n")].concat()).roots(&["/u/skills/active"]);
    check("41: the folder itself", &around, &["activation-overlap"]);
    around.places.roots = vec![path("/u/skills")];
    let expect = ["copy root--personal--pot SKILL.md", "copy root--personal--tea SKILL.md"];
    check("41: a folder above", &around, &expect);
    // Which sources there are makes no difference to what a copy is.
    for (case, roots) in [("in a source", vec![path("/u/skills")]), ("in none", Vec::new())] {
        around.places.roots = roots;
        let copied = around.tree.clone().with("/u/skills/active/x/SKILL.md", skill("name: x\ndescription: x", ""));
        let with_copy = Ground { tree: copied, ..around.clone() };
        let told = with_copy.of(case, "daycare", |world, catalog| {
            let why = why(world, catalog, "/u/skills/active/x/SKILL.md", &PromptRequest::default());
            why.into_iter().map(|one| (one.code, one.message)).collect::<Vec<_>>()
        });
        let reason = "activated copies of skills are not a source of skills".to_owned();
        assert_eq!(told, [(Some(Code::NotEntered), reason)], "{case}");
    }
    around.places.roots = vec![path("/u/skills")];
    let copied = [around.tree.clone().with("/u/skills/active/x/SKILL.md", skill("name: x\ndescription: x", ""))];
    around.tree = copied[0].clone();
    let notes = around.of("41: a copy", "daycare", |_, catalog| briefs(catalog.findings()));
    assert!(notes.contains(&"note not-entered /u/skills/active/x/SKILL.md".to_owned()), "{notes:?}");
    around.tree = copied[0].clone().with("/u/skills/SKILL.md", skill("name: skills\ndescription: x", ""));
    check("41: a skill above, which is copied whole", &around, &["activation-overlap"]);
    around.tree = copied[0].clone();
    around.places.user = None;
    check("41: a folder above that is not known", &around, &["activation-overlap"]);

    let mut loose = with(&format!("//- /u/loose.md\n{}", skill("name: loose\ndescription: x", "")));
    loose.places.registered = vec![("it".to_owned(), path("/u/loose.md"))];
    check("40: a file alone copies nothing round it", &loose, &["copy plugin--it--loose SKILL.md"]);

    let other = ground("//- /h/x\n");
    let code = other.of("not in the dialect", "sven", |world, catalog| {
        CopyPlan::of(world, catalog, &path(ROOT)).map_err(|error| error.code()).err()
    });
    assert_eq!(code, Some("not-in-dialect"));
}

#[test]
fn skills_are_read_before_each_inference() {
    let (mut places, host) = (with("//- /u/x\n").places, common::Machine::default());
    places.active = Some(path(ROOT));
    let mut live = IncrementalDiscovery::new(table("daycare"));
    let steps = [
        ("daycare, read before inference: nothing", String::new(), vec![]),
        ("daycare, read before inference: a skill", own("tea", "Boil.\n"), vec!["copy user--tea SKILL.md"]),
        ("daycare, read before inference: gone", own("pot", "Pour.\n"), vec!["copy user--pot SKILL.md"]),
    ];
    for (case, text, expect) in steps {
        let fs = tree(&text).mem();
        let world = skilltree::World::new(&fs, &places, &host);
        let catalog = live.refresh(&world);
        let fresh = discover(&world, &table("daycare"));
        assert_eq!(format!("{catalog:?}"), format!("{fresh:?}"), "{case}");
        assert_eq!(told(&CopyPlan::of(&world, &catalog, &path(ROOT)).unwrap()), expect, "{case}");
        for skill in catalog.skills() {
            let error = load(&world, &catalog, skill, &LoadRequest::new(Caller::Model)).unwrap_err();
            assert_eq!(error.code(), "gone", "26: {case}");
        }
    }
}

#[test]
fn a_marker_is_no_file_of_the_skill() {
    let source = own("tea", "Boil.\n");
    let text = skill("name: tea\ndescription: About tea.", "Boil.\n");
    let files = [("SKILL.md", text.as_str()), ("x/.skilltree-copy", "a\n"), ("y", "b\n")];
    let mut ground = with(&[source, copy("user--tea", "user:tea", "/u/skills/personal/tea/SKILL.md", &files)].concat());
    ground.places.active = Some(path(ROOT));
    let got = ground.of("26, 41: the copy's files", "daycare", |world, catalog| {
        load(world, catalog, catalog.get("user:tea").unwrap(), &LoadRequest::new(Caller::Model)).unwrap().files
    });
    assert_eq!(got, ["x/.skilltree-copy", "y"].map(|name| path(&format!("{ROOT}/user--tea/{name}"))), "26, 41");
}

#[cfg(all(unix, feature = "host"))]
mod door {
    use super::*;
    use pretty_assertions::assert_eq;
    use skilltree::host::Applied;
    use skilltree::{OsFs, World};
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    fn sync(dir: &Path, ground: &Ground) -> (CopyPlan, Applied) {
        let disk = OsFs::rooted(dir);
        let world = World::new(&disk, &ground.places, &ground.host);
        let catalog = discover(&world, &table("daycare"));
        let plan = CopyPlan::of(&world, &catalog, &path(ROOT)).unwrap();
        let applied = plan.apply(&disk);
        (plan, applied)
    }

    #[track_caller]
    fn check(case: &str, dir: &Path, ground: &Ground, expect: [&[&str]; 3]) {
        let (plan, applied) = sync(dir, ground);
        assert_eq!([applied.copied, plan.unchanged, applied.removed], expect.map(|names| names.to_vec()), "{case}");
        let left: Vec<_> =
            fs::read_dir(dir.join(&ROOT[1..])).unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert!(left.iter().all(|name| !name.to_str().unwrap().starts_with(".skilltree-")), "{case}: {left:?}");
    }

    #[test]
    fn copies_are_made_replaced_and_removed() {
        let run = "//- /u/skills/personal/tea/scripts/run.sh\necho\n";
        let ground = with(&[own("tea", "Boil.\n").as_str(), run, &own("pot", "Pour.\n")].concat());
        let folder = ground.tree.folder();
        let dir = folder.path();
        let (tea, active) = (dir.join("u/skills/personal/tea"), dir.join(&ROOT[1..]));
        fs::set_permissions(tea.join("scripts/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        check("41: made", dir, &ground, [&["user--pot", "user--tea"], &[], &[]]);
        let mode = fs::metadata(active.join("user--tea/scripts/run.sh")).unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0o111, "41: a script stays a program");
        check("41: again", dir, &ground, [&[], &["user--pot", "user--tea"], &[]]);
        fs::write(tea.join("scripts/run.sh"), "exit\n").unwrap();
        check("41: a script alone", dir, &ground, [&["user--tea"], &["user--pot"], &[]]);
        assert_eq!(fs::read_to_string(active.join("user--tea/scripts/run.sh")).unwrap(), "exit\n");
        fs::write(tea.join("SKILL.md"), "---\nname: tea\n").unwrap();
        fs::remove_dir_all(dir.join("u/skills/personal/pot")).unwrap();
        fs::write(active.join("mine.txt"), "mine").unwrap();
        check("41: broken, gone, not ours", dir, &ground, [&[], &["user--tea"], &["user--pot"]]);
        assert!(active.join("mine.txt").exists() && !active.join("user--pot").exists());
        assert!(fs::read_to_string(active.join("user--tea/SKILL.md")).unwrap().contains("Boil."));
    }

    #[test]
    fn a_plan_that_no_longer_holds_changes_nothing() {
        let ground = with(&[own("tea", "Boil.\n"), own("pot", "Pour.\n")].concat());
        let folder = ground.tree.folder();
        let (dir, disk) = (folder.path(), OsFs::rooted(folder.path()));
        let active = dir.join(&ROOT[1..]);
        let _ = sync(dir, &ground);
        fs::write(dir.join("u/skills/personal/tea/SKILL.md"), skill("name: tea\ndescription: T.", "Steep.\n")).unwrap();
        fs::write(dir.join("u/skills/personal/tea/more.md"), "more").unwrap();
        fs::remove_dir_all(dir.join("u/skills/personal/pot")).unwrap();
        let plan = ground.places.clone();
        let world = World::new(&disk, &plan, &ground.host);
        let plan = CopyPlan::of(&world, &discover(&world, &table("daycare")), &path(ROOT)).unwrap();
        assert_eq!(told(&plan), ["copy user--tea SKILL.md more.md", "remove user--pot"]);

        fs::write(dir.join("u/skills/personal/tea/more.md"), "more than before").unwrap();
        fs::remove_file(active.join("user--pot/.skilltree-copy")).unwrap();
        let applied = plan.apply(&disk);
        assert_eq!((applied.copied.len(), applied.removed.len(), applied.findings.len()), (0, 0, 2), "41: {applied:?}");
        assert!(
            fs::read_to_string(active.join("user--tea/SKILL.md")).unwrap().contains("Boil."),
            "41: the old one stays"
        );
        assert!(active.join("user--pot/SKILL.md").exists(), "41: it is not ours any more");

        fs::remove_file(dir.join("u/skills/personal/tea/more.md")).unwrap();
        fs::write(dir.join("secret"), "more").unwrap();
        std::os::unix::fs::symlink(dir.join("secret"), dir.join("u/skills/personal/tea/more.md")).unwrap();
        assert_eq!(plan.apply(&disk).copied, Vec::<String>::new(), "29: a link that was put there since");
    }

    #[test]
    fn what_a_broken_run_left_is_swept_later() {
        let ground = with(&own("tea", "Boil.\n"));
        let folder = ground.tree.folder();
        let active = folder.path().join(&ROOT[1..]);
        fs::create_dir_all(active.join(".skilltree-1-1")).unwrap();
        let (plan, applied) = sync(folder.path(), &ground);
        assert_eq!((plan.findings, applied.findings), (vec![], vec![]), "41: no foreign entry");
        assert!(!active.join(".skilltree-1-1").exists(), "41: no run holds it");
    }
}
