//! What writing to the disk must not do, by the library: follow a project's links, unpack what runs commands, take away
//! what is not a skill, leave or remove what is not its own, copy modes and holes.
#![cfg(all(feature = "archive", feature = "host", feature = "digest", unix))]

use crate::common;

use crate::raw;

use common::ground::{Ground, briefs, ground, skill, table};
use common::{TempDir, Tree, path, tree};
use pretty_assertions::assert_eq;
use raw::{Raw, build, file};
use rustix::fs::{FlockOperation, flock};
use skilltree::discovery::FileWrite;
use skilltree::fs::ArchiveFs;
use skilltree::host::{Applied, Overwrite, UnpackError, Unpacked, WriteError};
use skilltree::package::{Contents, CopyPlan, Packed, Purpose};
use skilltree::{OsFs, Places, World, discover};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

const SKILL: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";

fn archive(entries: &[Raw]) -> ArchiveFs {
    ArchiveFs::new(build(entries)).expect("an archive")
}

/// Every name below a folder, with `/` after those of folders.
fn names(dir: &Path) -> Vec<String> {
    let (mut all, mut waiting) = (Vec::new(), vec![dir.to_owned()]);
    while let Some(at) = waiting.pop() {
        for entry in fs::read_dir(&at).expect("a folder").flatten() {
            let name = entry.path().strip_prefix(dir).expect("below").display().to_string();
            if entry.file_type().expect("a type").is_dir() {
                all.push(format!("{name}/"));
                waiting.push(entry.path());
            } else {
                all.push(name);
            }
        }
    }
    all.sort();
    all
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).expect("it is there").permissions().mode() & 0o7777
}

#[test]
fn no_repository_is_unpacked() {
    let refused = |case: &str, extra: &[&str]| {
        let entries = [&["tea/SKILL.md"][..], extra].concat();
        let entries: Vec<Raw> = entries.iter().map(|name| file(name, "x")).collect();
        let (disk, folder) = Tree::default().with_dir("/s").disk();
        let done = Unpacked::unpack(&disk, &archive(&entries), &path("/s"), "x", Overwrite::Refuse, None);
        assert!(matches!(done, Err(UnpackError::Repository(_))), "{case}: {done:?}");
        assert_eq!(done.unwrap_err().code(), "archive-refused", "{case}");
        assert_eq!(names(folder.path()), ["s/"], "{case}");
    };
    for name in [
        ".git",
        ".GIT",
        ".Git",
        ".git.",
        ".git ",
        ".git. .",
        "git~1",
        "GIT~1",
        "GIT~2",
        ".g\u{200c}it",
        ".hg",
        ".HG",
        "HG~1",
        ".svn",
        "_svn",
        ".bzr",
        "_darcs",
        "_DARCS",
        ".jj",
        ".pijul",
        ".sl",
        ".fslckout",
        "_FOSSIL_",
    ] {
        // Some of these the archive itself refuses; none may get through.
        let entries = [file("tea/SKILL.md", "x"), file(format!("tea/a/{name}/config"), "x")];
        let (disk, folder) = Tree::default().with_dir("/s").disk();
        let done = Unpacked::unpack(&disk, &archive(&entries), &path("/s"), "x", Overwrite::Refuse, None);
        assert_eq!(done.map_err(|error| error.code()), Err("archive-refused"), "{name}");
        assert_eq!(names(folder.path()), ["s/"], "{name}");
    }
    refused("a file of the name", &["tea/.git"]);
    refused("a bare repository", &["tea/data/HEAD", "tea/data/objects/x", "tea/data/refs/heads/x", "tea/data/config"]);
    refused("at the top", &["tea/HEAD", "tea/objects/x", "tea/refs/x"]);
    refused("in other letter cases", &["tea/data/head", "tea/data/Objects/x", "tea/data/REFS/x"]);
    refused("with hooks", &["tea/data/HEAD", "tea/data/hooks/post-checkout"]);
    refused("that shares another one's objects", &["tea/data/HEAD", "tea/data/commondir", "tea/other/objects/x"]);

    let (disk, folder) = Tree::default().with_dir("/s").disk();
    let honest = ["SKILL.md", "hooks/pre.sh", "refs/a.md", "objects/b.md", "git.md", ".gitignore", "cvs/cv.md"];
    let honest: Vec<Raw> = honest.iter().map(|name| file(format!("tea/{name}"), SKILL)).collect();
    Unpacked::unpack(&disk, &archive(&honest), &path("/s"), "x", Overwrite::Refuse, None).expect("it is unpacked");
    assert!(folder.path().join("s/tea/.gitignore").exists());
}

#[test]
fn only_skills_are_unpacked_and_replaced() {
    let tree = Tree::default()
        .with("/s/tea/SKILL.md", "old")
        .with("/s/tea/old.md", "x")
        .with("/s/plain/work.md", "precious")
        .with("/s/nested/skills/tea/SKILL.md", "precious")
        .with("/s/folder/SKILL.md/x", "precious")
        .with_link("/s/link", "tea");
    let (disk, folder) = tree.disk();
    let before = names(folder.path());
    let try_it = |entries: &[Raw], else_name: &str| {
        let done = Unpacked::unpack(&disk, &archive(entries), &path("/s"), else_name, Overwrite::Replace, None);
        done.map(|done| done.folder).map_err(|error| error.code())
    };
    let skill = |dir: &str| file(format!("{dir}/SKILL.md"), SKILL);
    for (case, entries, code) in [
        ("no SKILL.md", vec![file("tea/README.md", "x")], "archive-refused"),
        ("a nested SKILL.md", vec![file("tea/a/SKILL.md", SKILL)], "archive-refused"),
        ("a hidden folder", vec![skill(".claude")], "archive-refused"),
        ("over a folder without one", vec![skill("plain")], "not-a-skill"),
        ("over a folder of skills", vec![skill("nested")], "not-a-skill"),
        ("over a folder with a folder of the name", vec![skill("folder")], "not-a-skill"),
        ("over a link", vec![skill("link")], "exists"),
    ] {
        assert_eq!(try_it(&entries, "else"), Err(code), "{case}");
        assert_eq!(names(folder.path()), before, "{case}");
    }
    let own = try_it(&[file("SKILL.md", SKILL), file("a.md", "x")], ".skilltree-1-1");
    assert_eq!(own, Err("archive-refused"), "a name that is swept");
    assert_eq!(try_it(&[skill("tea")], "else"), Ok(path("/s/tea")), "over a skill");
    assert!(!folder.path().join("s/tea/old.md").exists());
    assert_eq!(fs::read_to_string(folder.path().join("s/tea/SKILL.md")).unwrap(), SKILL);
    assert_eq!(try_it(&[file("tea/skill.md", SKILL)], "else"), Ok(path("/s/tea")), "in another letter case");
}

/// A project at `/p` with links in it, a home at `/h` with a link of the user's.
fn linked() -> (Ground, TempDir) {
    let mut ground = ground(&format!(
        "//- /h/personal/tea/SKILL.md\n{}//- /p/out link=/victim\n//- /p/a/skills.json link=/victim/f\n//- /victim/f\nprecious\n\
         //- /p/inside link=/p/a\n//- /h/skills link=/h/dotfiles/skills\n//- /h/dotfiles/skills dir\n",
        skill("name: tea\ndescription: T.", "Boil.\n")
    ))
    .roots(&["/h/personal"]);
    ground.places.only_roots = true;
    let folder = ground.tree.folder();
    (ground, folder)
}

fn sync(folder: &TempDir, ground: &Ground, to: &str) -> Applied {
    let disk = OsFs::rooted(folder.path());
    let world = World::new(&disk, &ground.places, &ground.host);
    let plan = CopyPlan::of(&world, &discover(&world, &table("daycare")), &path(to)).expect("a plan");
    plan.apply(&disk)
}

#[test]
fn links_of_a_project_are_not_followed_and_the_users_are() {
    let (ground, folder) = linked();
    let disk = OsFs::rooted(folder.path());
    let before = names(folder.path());
    let no_links_in = ground.places.no_links_in(&disk).cloned();
    assert_eq!(no_links_in, Some(path("/p")));
    let tea = archive(&[file("tea/SKILL.md", SKILL)]);
    let unpacked =
        |to: &str| Unpacked::unpack(&disk, &tea, &path(to), "x", Overwrite::Refuse, no_links_in.as_ref()).map(|_| ());
    let written = |to: &str| {
        let held = fs::read(folder.path().join(&to[1..])).ok();
        let mut plan = FileWrite::new(path(to), b"evil".to_vec(), held);
        plan.no_links_in = no_links_in.clone();
        plan.write(&disk)
    };
    for (to, link) in [("/p/out", "/p/out"), ("/p/out/deep/er", "/p/out"), ("/p/inside", "/p/inside")] {
        let applied = sync(&folder, &ground, to);
        assert_eq!(briefs(&applied.findings), [format!("error copy-failed {to}")]);
        let said = &applied.findings[0].message;
        assert!(said.contains(&format!("the symbolic link `{link}`")), "{said}");
        assert_eq!(unpacked(to), Err(UnpackError::Symlink { path: path(to), link: path(link) }));
        let file = format!("{to}/f");
        assert_eq!(written(&file), Err(WriteError::Symlink { path: path(&file), link: path(link) }));
    }
    let link = path("/p/a/skills.json");
    assert_eq!(written("/p/a/skills.json"), Err(WriteError::Symlink { path: link.clone(), link }), "the file itself");
    assert_eq!(names(folder.path()), before, "nothing was written");

    assert_eq!(sync(&folder, &ground, "/h/skills/active").copied.len(), 1, "a link of the user's");
    assert_eq!(unpacked("/h/skills"), Ok(()));
    assert_eq!(written("/h/skills/f"), Ok(()));
    for made in ["active/root--tea/SKILL.md", "tea/SKILL.md", "f"] {
        assert!(folder.path().join("h/dotfiles/skills").join(made).exists(), "{made}");
    }
    symlink(folder.path().join("h/dotfiles"), folder.path().join("h/a link")).unwrap();
    assert_eq!(unpacked("/h/a link/more"), Ok(()), "one above what is made");
}

#[test]
fn a_project_that_holds_the_home_does_not_bind_its_links() {
    let (ground, folder) = linked();
    let disk = OsFs::rooted(folder.path());
    let of = |project: &str, home: &str| {
        let places = Places { project: Some(path(project)), home: Some(path(home)), ..Places::default() };
        places.no_links_in(&disk).cloned()
    };
    assert_eq!(of("/h", "/h"), None, "the home itself");
    assert_eq!(of("/", "/h"), None, "a folder above it");
    assert_eq!(of("/h/dotfiles", "/h"), Some(path("/h/dotfiles")));
    assert_eq!(of("/p", "/nowhere"), Some(path("/p")));
    drop(ground);
}

/// What an ended run left behind, what a running one holds, and what is not ours at all.
fn leave(dir: &Path) -> fs::File {
    fs::create_dir_all(dir.join(".skilltree-1-1/deep/er/.git")).unwrap();
    fs::write(dir.join(".skilltree-1-1/deep/er/SKILL.md"), SKILL).unwrap();
    symlink(dir, dir.join(".skilltree-1-1/deep/link")).unwrap();
    fs::set_permissions(dir.join(".skilltree-1-1/deep/er/.git"), fs::Permissions::from_mode(0o500)).unwrap();
    fs::write(dir.join(".skilltree-1-2"), "half").unwrap();
    fs::create_dir(dir.join(".skilltree-1-3")).unwrap();
    for name in [".skilltree-x-1", ".skilltree-1", ".skilltree-1-", ".skilltree-1-1-1", "skilltree-1-1", ".x.1.0.tmp"] {
        fs::write(dir.join(name), "not ours").unwrap();
    }
    symlink(dir.join("skilltree-1-1"), dir.join(".skilltree-1-4")).unwrap();
    let held = fs::File::open(dir.join(".skilltree-1-3")).unwrap();
    flock(&held, FlockOperation::LockExclusive).unwrap();
    held
}

#[test]
fn what_ended_runs_left_is_swept_and_nothing_else() {
    let (ground, folder) = linked();
    let disk = OsFs::rooted(folder.path());
    for kind in ["apply", "unpack", "write"] {
        let dir = folder.path().join(kind);
        fs::create_dir(&dir).unwrap();
        let held = leave(&dir);
        let to = path(&format!("/{kind}"));
        match kind {
            "apply" => assert_eq!(sync(&folder, &ground, "/apply").copied.len(), 1),
            "unpack" => {
                let tea = archive(&[file("tea/SKILL.md", SKILL)]);
                Unpacked::unpack(&disk, &tea, &to, "x", Overwrite::Refuse, None).expect("it is unpacked");
            }
            _ => FileWrite::new(to.child("f").unwrap(), Vec::new(), None).write(&disk).expect("it is written"),
        }
        let left: Vec<String> = names(&dir).into_iter().filter(|name| name.contains("skilltree-1")).collect();
        let kept =
            [".skilltree-1", ".skilltree-1-", ".skilltree-1-1-1", ".skilltree-1-3/", ".skilltree-1-4", "skilltree-1-1"];
        assert_eq!(left, kept, "{kind}");
        assert!(dir.join(".x.1.0.tmp").exists() && dir.join(".skilltree-x-1").exists(), "{kind}");
        drop(held);
    }
}

#[test]
fn a_tree_of_any_depth_is_removed() {
    let (disk, folder) = Tree::default().with_dir("/s").disk();
    let deep = folder.path().join("s/.skilltree-1-1");
    // Deeper than a path can be named, so it is made in pieces.
    let piece = "d/".repeat(400);
    fs::create_dir_all(deep.join(&piece)).unwrap();
    for _ in 0..5 {
        let below = folder.path().join("below");
        fs::rename(&deep, &below).unwrap();
        fs::create_dir_all(deep.join(&piece)).unwrap();
        fs::rename(&below, deep.join(&piece).join("below")).unwrap();
    }
    FileWrite::new(path("/s/f"), Vec::new(), None).write(&disk).expect("it is written");
    assert_eq!(names(&folder.path().join("s")), ["f"]);
}

#[test]
fn modes_are_plain() {
    let (mut ground, folder) = linked();
    ground.places.project = None;
    let at = |name: &str| folder.path().join("h/personal/tea").join(name);
    for (name, mode) in [
        ("open", 0o666),
        ("program", 0o777),
        ("setuid", 0o4755),
        ("setgid", 0o2711),
        ("sticky", 0o1644),
        ("private", 0o600),
        ("private-program", 0o4700),
        ("read-only", 0o444),
    ] {
        fs::write(at(name), "x").unwrap();
        fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    fs::create_dir(at("dir")).unwrap();
    fs::write(at("dir/x"), "x").unwrap();
    fs::set_permissions(at("dir"), fs::Permissions::from_mode(0o1777)).unwrap();
    assert_eq!(sync(&folder, &ground, "/h/active").findings, []);
    let umask = {
        let probe = folder.path().join("probe");
        fs::write(&probe, "").unwrap();
        0o666 & !mode(&probe)
    };
    for (name, expect) in [
        ("open", 0o644),
        ("program", 0o755),
        ("setuid", 0o755),
        ("setgid", 0o755),
        ("sticky", 0o644),
        ("private", 0o600),
        ("private-program", 0o700),
        ("read-only", 0o644),
        ("dir", 0o755),
    ] {
        let got = mode(&folder.path().join("h/active/root--tea").join(name));
        assert_eq!(got, expect & !umask, "{name}: {got:o}");
    }
}

#[test]
fn holes_in_files_count() {
    const HUGE: u64 = 1 << 40;
    let tea = skill("name: tea\ndescription: T.", "Boil.\n");
    let mut tree = tree(&format!("//- /s/tea/SKILL.md\n{tea}")).with_sparse("/s/tea/model.bin", HUGE);
    // Each is within the bound, and all together are not.
    for n in 0..17 {
        let text = skill(&format!("name: s{n}\ndescription: T."), "");
        tree = tree.with(&format!("/many/s{n}/SKILL.md"), text).with_sparse(&format!("/many/s{n}/x"), 260_000_000);
    }
    let mut ground = common::ground::on(tree).roots(&["/s"]);
    ground.places.only_roots = true;
    let said = ground.of("one", "daycare", |world, catalog| {
        let skill = catalog.skills().first().expect("the skill");
        let plan = CopyPlan::of(world, catalog, &path("/active")).expect("a plan");
        let pack = Packed::of(world, catalog.dialect(), &path("/s/tea")).map(|_| ()).map_err(|error| error.code());
        let reach = |reach| Contents::of(world, skill, reach).map(|_| ()).map_err(|error| error.code());
        (briefs(&plan.findings), plan.copies.len(), pack, reach(Purpose::Approve), reach(Purpose::Serve))
    });
    let much = Err("too-much");
    assert_eq!(said, (vec!["error copy-failed /s/tea".to_owned()], 0, much, much, much));
    ground.places.roots = vec![path("/many")];
    let said = ground.of("many", "daycare", |world, catalog| {
        let plan = CopyPlan::of(world, catalog, &path("/active")).expect("a plan");
        (plan.copies.len(), briefs(&plan.findings))
    });
    assert_eq!(said, (16, vec!["error copy-failed /many/s9".to_owned()]));

    let (disk, _folder) = ground.tree.disk();
    let world = World::new(&disk, &ground.places, &ground.host);
    let mut plan = CopyPlan::of(&world, &discover(&world, &table("daycare")), &path("/active")).expect("a plan");
    plan.copies.truncate(1);
    plan.copies[0].files[0].len = HUGE;
    let applied = plan.apply(&disk);
    assert_eq!((applied.copied.len(), applied.findings.len()), (0, 1), "a plan that was not made by us");
}
