//! The laws of packages: which files belong to a skill, for each purpose. What is listed, served, copied, packed or run
//! is covered by an approval, nothing in a skill's folder is left unmentioned, and every answer about files agrees with
//! the package. Over generated trees, in memory and on the disk.

use super::grow::{Item, Plan};
use crate::common::{Machine, Tree, path, property};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use skilltree::loading::ScriptPlan;
use skilltree::package::{Contents, CopyPlan, FilePart, FileRequest, OtherKind, Package, Packed, Purpose, Served};
use skilltree::{Caller, Catalog, Error, Fs, FsPath, Places, Skill, World, dialect, discover};
use std::collections::{BTreeMap, BTreeSet};

/// The folder of skills, and the one skill that is always in it.
const SKILLS: &str = "/u/skills/personal";
const TEA: &str = "/u/skills/personal/tea";

const SKILL: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";

fn nested(name: &str, more: &str) -> String {
    format!("---\nname: {name}\ndescription: Is nested.\n{more}---\nText.\n")
}

/// Names of files and folders: usual ones, odd ones, and those that some purposes exclude.
const NAMES: &[&str] = &[
    "scripts",
    "references",
    "run.sh",
    "a",
    "b",
    "two words",
    "übung.md",
    "x\ny",
    "it's \"x\"",
    ".env",
    ".git",
    ".GIT",
    ".hg",
    "node_modules",
    "Node_Modules",
    ".skilltree-copy",
    ".skilltree-7-0",
    "SKILL.md",
    "skill.md",
];

/// One entry to add: the folder that it is put in and another path, both by their place among those that there are, its
/// name, and what it is.
type Entry = (Index, Index, &'static str, u8);

/// What a tree is made of: what the SKILL.md of the skill is, whether the skill has a big file, and further entries.
#[derive(Clone, Debug)]
struct Sketch {
    manifest: u8,
    is_big: bool,
    entries: Vec<Entry>,
}

fn sketch() -> impl Strategy<Value = Sketch> {
    let entry = (any::<Index>(), any::<Index>(), select(NAMES), 0..12_u8);
    (0..8_u8, prop::bool::weighted(0.1), vec(entry, 0..28)).prop_map(|(manifest, is_big, entries)| Sketch {
        manifest,
        is_big,
        entries,
    })
}

/// A tree with one skill that has all kinds of entries in its folder.
fn tree(sketch: &Sketch) -> Tree {
    let mut plan = Plan::default();
    for dir in ["/u", "/u/skills", SKILLS, TEA, "/out", "/out/in"] {
        plan.0.insert(dir.to_owned(), Item::Dir);
    }
    for file in ["/out/secret", "/out/in/secret"] {
        plan.0.insert(file.to_owned(), Item::File(b"secret".to_vec()));
    }
    let manifest = match sketch.manifest {
        7 => Item::Link("../../../../out/SKILL.md".to_owned()),
        6 => Item::Link("real.md".to_owned()),
        _ => Item::File(SKILL.as_bytes().to_vec()),
    };
    plan.0.insert("/out/SKILL.md".to_owned(), Item::File(SKILL.as_bytes().to_vec()));
    plan.0.insert(format!("{TEA}/real.md"), Item::File(SKILL.as_bytes().to_vec()));
    plan.0.insert(format!("{TEA}/SKILL.md"), manifest);
    for (dir, other, name, kind) in &sketch.entries {
        let is_inside = |(at, item): &(&String, &Item)| **item == Item::Dir && at.starts_with(TEA);
        let dirs: Vec<&String> = plan.0.iter().filter(is_inside).map(|(at, _)| at).collect();
        let all: Vec<&String> = plan.0.keys().collect();
        let at = format!("{}/{name}", dir.get(&dirs));
        let item = match (kind, at.ends_with(".md")) {
            (0..4, false) => Item::Dir,
            (4, _) => Item::Fifo,
            (5, _) => Item::Link((*other.get(&all)).clone()),
            (6, _) => Item::Link("..".to_owned()),
            (7, _) => Item::Link("nowhere".to_owned()),
            (8, _) => Item::Link((*name).to_owned()),
            (9, true) => Item::File(nested("hidden", "disable-model-invocation: true\n").into_bytes()),
            (_, true) => Item::File(nested("nested", "").into_bytes()),
            (_, false) => Item::File(at.clone().into_bytes()),
        };
        plan.0.entry(at).or_insert(item);
    }
    let tree = plan.tree();
    if sketch.is_big { tree.with_sparse(&format!("{TEA}/zeros"), 17_000_000) } else { tree }
}

/// Whether every law holds for the skills of a tree; else which does not.
fn holds(tree: &Tree) -> Result<(), String> {
    holds_in(&tree.mem()).map_err(|law| format!("in memory: {law}"))?;
    #[cfg(unix)]
    {
        let (disk, _folder) = tree.disk();
        holds_in(&disk).map_err(|law| format!("on the disk: {law}"))?;
    }
    Ok(())
}

fn holds_in(fs: &dyn Fs) -> Result<(), String> {
    let roots = vec![path(SKILLS)];
    let places = Places { user: Some(path("/u")), roots, ..Places::default() };
    let machine = Machine::default();
    let world = World::new(fs, &places, &machine);
    let catalog = discover(&world, &dialect("agentskills").ok_or("no dialect")?);
    for skill in catalog.skills() {
        of_skill(&world, &catalog, skill).map_err(|law| format!("{}: {law}", skill.path))?;
    }
    copies_are_packages(&world)
}

fn ensure(is_so: bool, law: impl FnOnce() -> String) -> Result<(), String> {
    if is_so { Ok(()) } else { Err(law()) }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: &T, expected: &T) -> Result<(), String> {
    ensure(got == expected, || format!("{what}: {got:?}, expected {expected:?}"))
}

fn of_skill(world: &World<'_>, catalog: &Catalog, skill: &Skill) -> Result<(), String> {
    let mut packages = BTreeMap::new();
    for purpose in Purpose::ALL {
        match Package::open(world, skill, purpose) {
            Ok(package) => {
                is_sound(world, skill, purpose, &package).map_err(|law| format!("{purpose:?}: {law}"))?;
                packages.insert(format!("{purpose:?}"), package);
            }
            // What cannot be approved is not run, whatever else is done with it.
            Err(Error::LinkedFolder { .. }) if purpose == Purpose::Approve => {}
            Err(error) => return Err(format!("{purpose:?}: {error}")),
        }
    }
    let get = |purpose: Purpose| packages.get(&format!("{purpose:?}")).ok_or_else(|| format!("no {purpose:?}"));
    if let Ok(approve) = get(Purpose::Approve) {
        for purpose in Purpose::ALL {
            is_approved(purpose, get(purpose)?, approve)?;
        }
        for name in ScriptPlan::names(world, catalog, skill) {
            let real =
                world.fs.canonical(&join(skill, &format!("scripts/{name}"))).map_err(|error| error.to_string())?;
            ensure(approve.files.iter().any(|file| file.path == real), || format!("script {name:?} is not approved"))?;
        }
        let hashed = Contents::of(world, skill, Purpose::Approve).map_err(|error| error.to_string())?;
        let hashed: Vec<&str> = hashed.files.iter().map(|file| file.name.as_str()).collect();
        same("approved contents", &hashed, &names(approve))?;
    }
    let (list, serve, archive) = (get(Purpose::List)?, get(Purpose::Serve)?, get(Purpose::Archive)?);
    lists_agree(world, skill, list)?;
    reads_agree(world, catalog, skill, list)?;
    served_agree(world, catalog, skill, serve)?;
    packed_agree(world, skill, archive)
}

fn names<'p>(package: &'p Package<'_>) -> Vec<&'p str> {
    package.files.iter().map(|file| file.name.as_str()).collect()
}

fn join(skill: &Skill, name: &str) -> FsPath {
    skill.dir().join(name).unwrap_or_else(|error| panic!("{error}"))
}

/// Every entry below a folder by its name, symlinks not followed.
fn entries(fs: &dyn Fs, root: &FsPath) -> Vec<String> {
    let (mut found, mut waiting) = (Vec::new(), vec![root.clone()]);
    while let Some(dir) = waiting.pop() {
        for entry in fs.list(&dir).unwrap_or_else(|error| panic!("{error}")) {
            let at = dir.child(&entry.name).unwrap_or_else(|error| panic!("{error}"));
            found.extend(at.relative_to(root).map(str::to_owned));
            if entry.kind == skilltree::fs::FileKind::Dir && !entry.is_symlink {
                waiting.push(at);
            }
        }
    }
    found
}

/// Names are sorted and unique, files can be read, and every entry of the folder is accounted for.
fn is_sound(world: &World<'_>, skill: &Skill, purpose: Purpose, package: &Package<'_>) -> Result<(), String> {
    let files = names(package);
    let others: BTreeMap<&str, OtherKind> = package.others.iter().map(|it| (it.name.as_str(), it.kind)).collect();
    ensure(files.is_sorted_by(|a, b| a < b), || format!("{files:?} are not in order"))?;
    ensure(package.others.is_sorted_by(|a, b| a.name < b.name), || format!("{others:?} are not in order"))?;
    ensure(!files.iter().any(|name| others.contains_key(name)), || "a file is something else too".to_owned())?;
    for file in &package.files {
        let read = package.read(&file.name, 64).map_err(|error| format!("{} cannot be read: {error}", file.name))?;
        let expected = world.fs.read(&file.path, 64).map_err(|error| error.to_string())?;
        same(&file.name, &read.bytes, &expected.bytes)?;
    }
    let is_whole = |kind: OtherKind| {
        matches!(kind, OtherKind::Excluded | OtherKind::NestedSkill | OtherKind::NotUtf8 | OtherKind::Unreadable)
    };
    let ends = |name: &str| name.match_indices('/').map(|(at, _)| at).collect::<Vec<_>>();
    for name in entries(world.fs, &skill.dir()) {
        let is_below = ends(&name).iter().any(|end| others.get(&name[..*end]).is_some_and(|kind| is_whole(*kind)));
        // The skill's own file is not part of an archive if it leads out: then it is among the others.
        let is_there = others.contains_key(name.as_str()) || files.binary_search(&name.as_str()).is_ok();
        ensure(is_there != is_below, || format!("{name:?} is accounted for {} times", u8::from(is_there) * 2))?;
    }
    let is_excluding = others.values().any(|kind| *kind == OtherKind::Excluded);
    ensure(!(is_excluding && purpose == Purpose::Approve), || "an approval leaves something out".to_owned())
}

/// What one purpose takes is approved. The declared exception: an archive has the files below a symlink to a folder
/// under its name too, and they are approved under their own.
fn is_approved(purpose: Purpose, package: &Package<'_>, approve: &Package<'_>) -> Result<(), String> {
    for file in &package.files {
        let is_same_name =
            approve.files.iter().any(|approved| approved.name == file.name && approved.path == file.path);
        let is_same_file = purpose == Purpose::Archive && approve.files.iter().any(|it| it.path == file.path);
        ensure(is_same_name || is_same_file, || format!("{purpose:?}: {:?} is not approved", file.name))?;
    }
    Ok(())
}

/// The inventory and the resources are what is listed.
fn lists_agree(world: &World<'_>, skill: &Skill, list: &Package<'_>) -> Result<(), String> {
    let listed: Vec<FsPath> = list.files.iter().map(|file| join(skill, &file.name)).collect();
    let listed: Vec<FsPath> = listed.into_iter().filter(|file| *file != skill.path).collect();
    same("the inventory", &skill.files(world), &listed)?;
    let in_folder = |folder: &str| {
        let is_in = |name: &&str| name.strip_prefix(folder).is_some_and(|name| name.rfind('/') == Some(0));
        names(list).into_iter().filter(is_in).map(str::to_owned).collect::<Vec<_>>()
    };
    let resources = skill.resources(world);
    same("scripts", &resources.scripts, &in_folder("scripts"))?;
    same("references", &resources.references, &in_folder("references"))
}

/// A file can be read by its name if and only if the file that its name leads to is listed.
fn reads_agree(world: &World<'_>, catalog: &Catalog, skill: &Skill, list: &Package<'_>) -> Result<(), String> {
    let listed: BTreeSet<&FsPath> = list.files.iter().map(|file| &file.path).collect();
    let dir = world.fs.canonical(&skill.dir()).map_err(|error| error.to_string())?;
    for name in entries(world.fs, &skill.dir()) {
        let real = world.fs.canonical(&join(skill, &name)).ok();
        let is_listed = real.as_ref().is_some_and(|real| listed.contains(real));
        let ask = FileRequest { caller: Caller::User, name: name.clone(), offset: 0 };
        let read = FilePart::read(world, catalog, skill, &ask);
        let is_hidden = matches!(read, Err(Error::BelongsToOtherSkill { .. } | Error::NotForUser { .. }));
        ensure(read.is_err() || is_listed, || format!("{name:?} is read, and not listed"))?;
        // The skill's own file that leads out is not read as a file of the folder, but loaded.
        let is_own_outside = real.as_ref().is_none_or(|real| !real.starts_with(&dir));
        ensure(read.is_ok() || !is_listed || is_hidden || is_own_outside, || {
            format!(
                "{name:?} is listed, and not read: {}",
                read.map_or_else(|error| error.to_string(), |_| String::new())
            )
        })?;
    }
    Ok(())
}

/// What is served is what the package says, but for what belongs to skills that the model may not see.
fn served_agree(world: &World<'_>, catalog: &Catalog, skill: &Skill, serve: &Package<'_>) -> Result<(), String> {
    let served = Served::of(world, catalog);
    let Some(own) = served.skills.iter().find(|served| served.path == skill.path) else { return Ok(()) };
    let folder = own.uri.trim_end_matches("/SKILL.md");
    let Ok(entry) = served.entry(world, own) else { return Ok(()) };
    ensure(entry.resources.len() <= serve.files.len(), || "more is served than belongs to the skill".to_owned())?;
    for resource in &entry.resources {
        let read = served.read(world, &resource.uri, Some(resource.digest));
        ensure(read.is_ok(), || format!("{} is listed, and not read: {read:?}", resource.uri))?;
    }
    let listed: BTreeSet<&str> = entry.resources.iter().map(|resource| resource.uri.as_str()).collect();
    let is_plain = |name: &&String| name.chars().all(|c| c.is_ascii_alphanumeric() || "./-_".contains(c));
    for name in entries(world.fs, &skill.dir()).iter().filter(is_plain) {
        let uri = format!("{folder}/{name}");
        // The address of a nested skill's file is that skill's own, and the skill's own file has two.
        let is_inner = served
            .skills
            .iter()
            .any(|other| other.path != skill.path && uri.starts_with(other.uri.trim_end_matches("SKILL.md")));
        let is_read = served.read(world, &uri, None).is_ok();
        let is_listed = listed.contains(uri.as_str()) || *name == skill.path.name();
        ensure(is_inner || is_read == is_listed, || format!("{uri}: read {is_read}"))?;
    }
    Ok(())
}

/// A skill that can be packed has the files of its package.
fn packed_agree(world: &World<'_>, skill: &Skill, archive: &Package<'_>) -> Result<(), String> {
    let Ok(agentskills) = dialect("agentskills").ok_or(()) else { return Ok(()) };
    let Ok(packed) = Packed::of(world, &agentskills, &skill.dir()) else { return Ok(()) };
    same("packed", &packed.files.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(), &names(archive))
}

/// The copies for use have the files of their packages.
fn copies_are_packages(world: &World<'_>) -> Result<(), String> {
    let catalog = discover(world, &dialect("daycare").ok_or("no dialect")?);
    let plan = CopyPlan::of(world, &catalog, &path("/u/active")).map_err(|error| error.to_string())?;
    for copy in &plan.copies {
        let skill = catalog.skills().iter().find(|skill| skill.path == copy.source).ok_or("a copy of nothing")?;
        let package = Package::open(world, skill, Purpose::Copy).map_err(|error| error.to_string())?;
        let expected: BTreeSet<FsPath> = names(&package).into_iter().map(|name| join(skill, name)).collect();
        same("copied", &copy.files.iter().map(|file| file.from.clone()).collect(), &expected)?;
    }
    Ok(())
}

#[test]
fn what_is_done_with_files_is_approved() {
    property::check("what_is_done_with_files_is_approved", 60, sketch(), |sketch| {
        holds(&tree(&sketch)).map_err(TestCaseError::fail)
    });
}

/// What each purpose makes of one entry, in the order of [`Purpose::ALL`]: `file`, or the kind of what it is besides.
const TABLE: &[(&str, [&str; 5])] = &[
    ("SKILL.md", ["file", "file", "file", "file", "file"]),
    ("skill.MD", ["file", "file", "file", "excluded", "file"]),
    ("notes.md", ["file", "file", "file", "file", "file"]),
    (".env", ["file", "file", "file", "file", "file"]),
    ("sub", ["nested-skill", "folder", "folder", "folder", "folder"]),
    ("sub/skill.MD", ["", "file", "file", "file", "file"]),
    ("sub/x", ["", "file", "file", "file", "file"]),
    (".git", ["excluded", "excluded", "file", "file", "excluded"]),
    (".hg", ["excluded", "excluded", "folder", "excluded", "excluded"]),
    (".hg/hgrc", ["", "", "file", "", ""]),
    ("node_modules", ["excluded", "excluded", "folder", "folder", "excluded"]),
    ("node_modules/x.js", ["", "", "file", "file", ""]),
    (".skilltree-copy", ["excluded", "excluded", "file", "excluded", "file"]),
    (".skilltree-9-9", ["excluded", "excluded", "folder", "excluded", "excluded"]),
    ("pipe", ["special", "special", "special", "special", "special"]),
    ("to-file", ["file", "file", "file", "file", "file"]),
    ("to-folder", ["link-to-folder", "link-to-folder", "link-to-folder", "link-to-folder", "link-to-folder"]),
    ("to-folder/x", ["", "", "", "", "file"]),
    ("to-self", ["link-to-folder", "link-to-folder", "link-to-folder", "link-to-folder", "link-cycle"]),
    ("to-outside", ["link-outside", "link-outside", "file", "link-outside", "link-outside"]),
    ("to-nothing", ["link-to-nothing", "link-to-nothing", "link-to-nothing", "link-to-nothing", "link-to-nothing"]),
    ("to-excluded", ["link-outside", "link-outside", "file", "file", "link-outside"]),
];

#[test]
fn every_purpose_has_its_row() {
    let tree = [".env", "notes.md", "skill.MD", "sub/skill.MD", "sub/x", ".git", ".hg/hgrc", "node_modules/x.js"]
        .iter()
        .chain(&[".skilltree-copy"])
        .fold(Tree::default().with("/out", "x"), |tree, name| tree.with(&format!("{TEA}/{name}"), *name))
        .with(&format!("{TEA}/SKILL.md"), SKILL)
        .with_dir(&format!("{TEA}/.skilltree-9-9"))
        .with_other(&format!("{TEA}/pipe"));
    let links = [("file", "notes.md"), ("folder", "sub"), ("self", "."), ("outside", "/out"), ("nothing", "nowhere")];
    let tree = links
        .iter()
        .chain(&[("excluded", ".hg/hgrc")])
        .fold(tree, |tree, (name, target)| tree.with_link(&format!("{TEA}/to-{name}"), target));
    let fs = tree.mem();
    let places = Places { roots: vec![path(SKILLS)], ..Places::default() };
    let world = World::new(&fs, &places, &());
    let catalog = discover(&world, &dialect("agentskills").expect("a dialect"));
    let tea = catalog.find_any("tea").expect("it is found");
    for (at, purpose) in Purpose::ALL.into_iter().enumerate() {
        let package = Package::open(&world, tea, purpose).expect("it can be listed");
        for (name, row) in TABLE {
            let is_file = package.files.iter().any(|file| file.name == *name);
            let other = package.others.iter().find(|other| other.name == *name).map(|other| other.kind.as_str());
            let got = if is_file { "file" } else { other.unwrap_or_default() };
            pretty_assertions::assert_eq!(got, row[at], "{purpose:?} {name}");
        }
        let known = |name: &str| TABLE.iter().any(|(known, _)| *known == name) || name.starts_with("to-folder/");
        let others = package.others.iter().map(|other| other.name.as_str());
        assert!(names(&package).into_iter().chain(others).all(known), "{purpose:?}: every entry is in the table");
    }
    holds(&tree).unwrap_or_else(|law| panic!("{law}"));
}

/// A name that is not UTF-8 is mentioned for every purpose, and cannot be approved.
#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf8_are_mentioned() {
    use std::os::unix::ffi::OsStrExt;
    let (disk, folder) = Tree::default().with(&format!("{TEA}/SKILL.md"), SKILL).disk();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9");
    std::fs::write(folder.path().join(&TEA[1..]).join(name), "x").expect("it can be written");
    let places = Places { roots: vec![path(SKILLS)], ..Places::default() };
    let world = World::new(&disk, &places, &());
    let catalog = discover(&world, &dialect("agentskills").expect("a dialect"));
    let tea = catalog.find_any("tea").expect("it is found");
    for purpose in Purpose::ALL {
        match Package::open(&world, tea, purpose) {
            Err(error) => assert!(purpose == Purpose::Approve && error.to_string().contains("not UTF-8"), "{error}"),
            Ok(package) => {
                let kinds: Vec<&str> = package.others.iter().map(|other| other.kind.as_str()).collect();
                assert_eq!(kinds, ["not-utf8"], "{purpose:?}");
            }
        }
    }
}

/// The limit of an archive counts what belongs to the skill. What is excluded must not use it up: files would be missing
/// without an error.
#[test]
fn excluded_entries_do_not_count_as_entries() {
    let mut fs = skilltree::MemFs::new();
    fs.file(&format!("{TEA}/SKILL.md"), SKILL);
    for n in 0..100 {
        for excluded in [".git", ".hg", ".svn", "node_modules"] {
            let before_or_after = if n < 50 { "a" } else { "z" };
            fs.file(&format!("{TEA}/{before_or_after}/{n}/{excluded}/x"), "");
        }
    }
    for n in 0..9_800 {
        fs.file(&format!("{TEA}/m/1/2/{n}"), "");
    }
    let places = Places { roots: vec![path(SKILLS)], only_roots: true, ..Places::default() };
    let machine = Machine::default();
    let world = World::new(&fs, &places, &machine);
    let catalog = discover(&world, &dialect("agentskills").expect("a dialect"));
    let skill = catalog.find_any("tea").expect("the skill");
    let package = Package::open(&world, skill, Purpose::Archive).expect("it is within the limits");
    assert_eq!(package.files.len(), 9_801);
}
