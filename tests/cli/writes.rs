//! The real binary as it writes: many at once, behind links, with any umask, over what killed runs left behind, with files
//! that are all hole.
#![cfg(unix)]

use crate::common;

use crate::raw;

use crate::program::{PATH, Place, error_code, field, said};
use common::Tree;
use common::skip::skip;
use pretty_assertions::assert_eq;
use raw::{build, file};
use rustix::fs::{FlockOperation, flock};
use skilltree::Json;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Stdio};

const SKILL: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";

/// How many processes write one store at once.
const WRITERS: usize = 20;

fn tree() -> Tree {
    Tree::default()
        .with("/project/skills/tea/SKILL.md", SKILL)
        .with("/project/skills/tea/scripts/boil.sh", "#!/bin/sh\n")
        .with("/project/tea.skill", build(&[file("tea/SKILL.md", SKILL), file("tea/run.sh", "x").mode(0o104_777)]))
        .with("/victim/keep", "precious")
}

fn place(tree: Tree) -> Place {
    Place::of(tree).env("PATH", PATH)
}

const SYNC: [&str; 6] = ["sync", "--dialect", "daycare", "--only-roots", "--root", "skills"];

fn mode(path: &Path) -> String {
    format!("{:o}", fs::symlink_metadata(path).expect("it is there").permissions().mode() & 0o7777)
}

/// Starts all of these, and waits for them. None may fail.
#[track_caller]
fn all_at_once(case: &str, commands: Vec<Command>) {
    let start =
        |mut command: Command| command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let started: Vec<_> = commands.into_iter().map(start).collect();
    for one in started {
        let done = crate::program::heard(one.wait_with_output().expect("it ends"));
        assert_eq!(done.code, Some(0), "{case}: {}", done.err);
    }
}

#[test]
fn states_that_many_change_at_once_are_all_kept() {
    let mut tree = Tree::default();
    for n in 0..WRITERS {
        tree = tree.with(&format!("/project/.gen/skills/s{n}/SKILL.md"), format!("---\nname: s{n}\n---\n"));
    }
    let place = place(tree);
    let set = |n| place.command(&["state", &format!("s{n}"), "active", "--dialect", "gencode"]);
    all_at_once("states", (0..WRITERS).map(set).collect());
    let store = Json::parse(&place.read("project/.gen/skills.json").expect("a store")).expect("JSON");
    for n in 0..WRITERS {
        assert_eq!(field(&store, &format!("skills.s{n}")), r#""active""#, "s{n} in {store}");
    }
    // Three changes in a row bring a state round, whoever makes which of them.
    all_at_once("next", (0..3).map(|_| place.command(&["state", "s7", "next", "--dialect", "gencode"])).collect());
    let store = Json::parse(&place.read("project/.gen/skills.json").expect("a store")).expect("JSON");
    assert_eq!(field(&store, "skills.s7"), r#""active""#, "{store}");
    let left: Vec<_> = fs::read_dir(place.at("project/.gen")).unwrap().flatten().map(|one| one.file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn approvals_that_many_give_at_once_are_all_kept() {
    let mut tree = Tree::default();
    for n in 0..WRITERS {
        let text = format!("---\nname: s{n}\ndescription: D.\n---\n");
        tree = tree.with(&format!("/project/.agents/skills/s{n}/SKILL.md"), text);
    }
    let place = place(tree);
    all_at_once("approved", (0..WRITERS).map(|n| place.command(&["approve", &format!("s{n}")])).collect());
    for n in 0..WRITERS {
        place.fields("approved", &["approve", &format!("s{n}"), "--dry-run"], 0, &[("approved", "true")]);
    }
    let store = place.at("home/.local/state/skilltree/approved.json");
    assert_eq!(mode(&store), "600");
    for folder in ["home/.local", "home/.local/state", "home/.local/state/skilltree"] {
        assert_eq!(mode(&place.at(folder)), "700", "{folder}");
    }
    fs::set_permissions(&store, fs::Permissions::from_mode(0o666)).unwrap();
    all_at_once("revoked", (0..WRITERS).map(|n| place.command(&["approve", &format!("s{n}"), "--revoke"])).collect());
    for n in 0..WRITERS {
        place.fields("revoked", &["approve", &format!("s{n}"), "--dry-run"], 0, &[("approved", "false")]);
    }
    assert_eq!(mode(&store), "600", "an old store is private too when it is written");
}

#[test]
fn a_lock_that_is_not_released_is_an_error_after_a_while() {
    let place = place(Tree::default().with("/project/.gen/skills/tea/SKILL.md", "---\nname: tea\n---\n"));
    let held = fs::File::open(place.at("project/.gen")).unwrap();
    flock(&held, FlockOperation::LockExclusive).unwrap();
    let state = ["state", "tea", "active", "--dialect", "gencode"];
    let (code, json) = place.json(&state);
    assert_eq!((code, error_code(&json)), (Some(2), Some("store-locked")), "{json}");
    assert!(!place.at("project/.gen/skills.json").exists());
    drop(held);
    assert_eq!(place.json(&state).0, Some(0));
}

#[test]
fn nothing_is_written_through_a_link_of_the_project() {
    let place = place(
        tree()
            .with_link("/project/out", "../victim")
            .with_link("/project/a/tea.skill", "../../victim/keep")
            .with_link("/project/.gen", "../victim")
            .with("/victim/skills/tea/SKILL.md", SKILL),
    );
    let refused = |case: &str, words: &[&str], link: &str| {
        let link = format!("through the symbolic link `{}`", place.named(link));
        place.check(case, words, 1, &[], &[&link]);
    };
    refused("sync", &[&SYNC[..], &["--to", "out"]].concat(), "project/out");
    refused("sync below", &[&SYNC[..], &["--to", "out/x/active"]].concat(), "project/out");
    refused("unpack", &["unpack", "tea.skill", "-d", "out"], "project/out");
    refused("unpack below", &["unpack", "tea.skill", "-d", "out/x"], "project/out");
    refused("pack", &["pack", "skills/tea", "-o", "out/tea.skill"], "project/out");
    refused("pack onto", &["pack", "skills/tea", "-o", "a/tea.skill", "--force"], "project/a/tea.skill");
    let (code, json) = place.json(&["unpack", "tea.skill", "-d", "out"]);
    assert_eq!((code, error_code(&json)), (Some(1), Some("link-refused")));
    let state = ["state", "tea", "active", "--dialect", "gencode"];
    assert_ne!(place.say(&state).code, Some(0), "a store that a link leads out of the project");
    assert_eq!(place.read("victim/keep").as_deref(), Some("precious"));
    let mut left: Vec<_> = fs::read_dir(place.at("victim")).unwrap().flatten().map(|one| one.file_name()).collect();
    left.sort();
    assert_eq!(left, ["keep", "skills"]);
}

#[test]
fn links_of_the_user_are_followed() {
    let place = place(
        tree()
            .with_link("/home/.claude/skills", "../dotfiles/skills")
            .with_dir("/home/dotfiles/skills")
            .with_link("/home/.local/state", "../elsewhere")
            .with_dir("/home/elsewhere")
            .with("/project/.agents/skills/pot/SKILL.md", "---\nname: pot\ndescription: P.\n---\n"),
    );
    place.check(
        "into a linked folder",
        &["unpack", "tea.skill", "-d", "../home/.claude/skills"],
        0,
        &["unpacked"],
        &[],
    );
    let over = ["unpack", "tea.skill", "-d", "../home/.claude/skills", "--force"];
    place.check("over an older version", &over, 0, &["unpacked"], &[]);
    assert!(place.at("home/dotfiles/skills/tea/SKILL.md").exists());
    // Where the home itself is the project, its links are the user's all the same.
    let home = ["unpack", "../project/tea.skill", "-d", ".claude/skills", "--force"];
    assert_eq!(said(place.command(&home).current_dir(place.at("home"))).code, Some(0));
    place.check("a linked store", &["approve", "pot"], 0, &["approved pot"], &[]);
    assert!(place.at("home/elsewhere/skilltree/approved.json").exists());
}

#[test]
fn copies_go_to_another_file_system() {
    let place = place(tree());
    let device = |path: &Path| fs::metadata(path).map(|found| found.dev()).ok();
    let own = device(&place.at("project"));
    let is_other = |path: &&Path| device(path).is_some_and(|other| Some(other) != own);
    let Some(other) = ["/dev/shm", env!("CARGO_TARGET_TMPDIR")].map(Path::new).into_iter().find(is_other) else {
        return skip("there is no other file system");
    };
    let to = other.join(format!("skilltree-test-{}", std::process::id()));
    let word = to.to_str().expect("UTF-8");
    place.check("synced", &[&SYNC[..], &["--to", word]].concat(), 0, &["copied root--tea"], &[]);
    place.check("again", &[&SYNC[..], &["--to", word]].concat(), 0, &["unchanged root--tea"], &[]);
    place.check("unpacked", &["unpack", "tea.skill", "-d", word], 0, &["unpacked"], &[]);
    fs::remove_dir_all(to).unwrap();
}

#[test]
fn modes_are_plain_whatever_the_umask() {
    let place = place(tree().with("/project/.gen/skills/tea/SKILL.md", "---\nname: tea\n---\n"));
    fs::set_permissions(place.at("project/skills/tea/scripts/boil.sh"), fs::Permissions::from_mode(0o6777)).unwrap();
    let run = |words: &[&str]| {
        let mut shell = place.bare(&[]);
        let program = shell.get_program().to_owned();
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "umask 000; exec \"$0\" \"$@\""]).arg(program).args(words).current_dir(place.at("project"));
        command.env_clear().envs(shell.env("PATH", PATH).get_envs().filter_map(|(name, value)| Some((name, value?))));
        let done = said(&mut command);
        assert_eq!(done.code, Some(0), "{words:?}: {}", done.err);
    };
    run(&[&SYNC[..], &["--to", "active"]].concat());
    run(&["unpack", "tea.skill", "-d", "unpacked"]);
    run(&["pack", "skills/tea", "-o", "packed/x.skill"]);
    run(&["state", "tea", "active", "--dialect", "gencode"]);
    run(&["man", "pages"]);
    for (name, expect) in [
        ("active", "755"),
        ("active/root--tea", "755"),
        ("active/root--tea/SKILL.md", "644"),
        ("active/root--tea/scripts", "755"),
        ("active/root--tea/scripts/boil.sh", "755"),
        ("active/root--tea/.skilltree-copy", "644"),
        ("unpacked", "755"),
        ("unpacked/tea", "755"),
        ("unpacked/tea/SKILL.md", "644"),
        ("unpacked/tea/run.sh", "755"),
        ("packed", "755"),
        ("packed/x.skill", "644"),
        (".gen/skills.json", "644"),
        ("pages", "755"),
        ("pages/skilltree.1", "644"),
    ] {
        assert_eq!(mode(&place.at(&format!("project/{name}"))), expect, "{name}");
    }
    fs::set_permissions(place.at("project/.gen/skills.json"), fs::Permissions::from_mode(0o6666)).unwrap();
    run(&["state", "tea", "disable", "--dialect", "gencode"]);
    assert_eq!(mode(&place.at("project/.gen/skills.json")), "644", "a store that was open to all");
}

#[test]
fn what_a_killed_run_left_is_no_skill_and_goes() {
    let left = ".agents/skills/.skilltree-1-7";
    let place = place(tree().with(&format!("/project/{left}/SKILL.md"), SKILL.replace("tea", "half")));
    let at = place.named(&format!("project/{left}"));
    place.fields("listed", &["list"], 0, &[("skills", "[]"), ("findings.0.code", r#""not-entered""#)]);
    let path = format!("{:?}", at);
    place.fields("told of", &["list"], 0, &[("findings.0.path", &path), ("findings.0.severity", r#""note""#)]);
    place.check("asked about", &["why", ".skilltree-1-7"], 0, &["not-entered"], &[]);
    assert_ne!(place.say(&["load", "half"]).code, Some(0));
    place.check("the next write", &["unpack", "tea.skill", "-d", ".agents/skills"], 0, &["unpacked"], &[]);
    assert!(!place.at(&format!("project/{left}")).exists());
}

#[test]
fn whenever_a_run_is_killed_nothing_is_half_there() {
    let many: Vec<_> = (0..200).map(|n| file(format!("tea/f{n}"), format!("{n}"))).collect();
    let place = place(tree().with("/project/many.skill", build(&[&[file("tea/SKILL.md", SKILL)], &many[..]].concat())));
    let unpack = ["unpack", "many.skill", "-d", "out", "--force"];
    let count = || fs::read_dir(place.at("project/out/tea")).map_or(0, Iterator::count);
    // What has been written so far, wherever it is before it is complete.
    let written = || {
        let folders = fs::read_dir(place.at("project/out")).into_iter().flatten().flatten();
        let inner = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten());
        inner.map(|entry| 1 + fs::read_dir(entry.path()).map_or(0, Iterator::count)).sum::<usize>()
    };
    for round in 0..40 {
        let before = written();
        let mut run = place.command(&unpack).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        // Killed after so many more files, or once it has ended.
        while written() < before + round * 5 && run.try_wait().expect("it is ours").is_none() {}
        let _ = run.kill();
        run.wait().expect("it ends");
        assert!([0, 201].contains(&count()), "round {round}: {} files", count());
    }
    place.check("the next one", &unpack, 0, &["unpacked"], &[]);
    let left: Vec<_> = fs::read_dir(place.at("project/out")).unwrap().flatten().map(|one| one.file_name()).collect();
    assert_eq!(left, ["tea"], "what the killed ones left is swept");
}

#[test]
fn a_file_that_is_all_hole_costs_nothing() {
    const HUGE: u64 = 1 << 40;
    let place = place(
        tree()
            .with_sparse("/project/skills/tea/model.bin", HUGE)
            .with_sparse("/project/huge.skill", HUGE)
            .with("/project/.agents/skills/pot/SKILL.md", "---\nname: pot\ndescription: P.\n---\n")
            .with_sparse("/project/.agents/skills/pot/x", HUGE),
    );
    let much = |case: &str, words: &[&str], code: i32, expect: &str| {
        // Far less memory than any of the bounds.
        let mut shell = place.bare(&[]);
        let program = shell.get_program().to_owned();
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "ulimit -v 400000; exec \"$0\" \"$@\""]).arg(program).args(words);
        command.current_dir(place.at("project")).env_clear();
        command.envs(shell.env("PATH", PATH).get_envs().filter_map(|(name, value)| Some((name, value?))));
        let done = said(&mut command);
        assert_eq!(done.code, Some(code), "{case}: {}", done.err);
        assert!(done.err.contains(expect), "{case}: {}", done.err);
    };
    much("sync", &[&SYNC[..], &["--to", "active"]].concat(), 1, "copy-failed");
    assert!(!place.at("project/active").exists());
    much("pack", &["pack", "skills/tea", "-o", "x.skill"], 1, "more than 67108864 bytes");
    much("unpack", &["unpack", "huge.skill"], 2, "expected at most 134217728");
    much("approve", &["approve", "pot"], 1, "more than 268435456 bytes");
    fs::remove_file(place.at("project/skills/tea/model.bin")).unwrap();
    much("pack over", &["pack", "skills/tea", "-o", "huge.skill", "--force"], 2, "more than any `.skill` file");
    assert_eq!(fs::metadata(place.at("project/huge.skill")).unwrap().len(), HUGE);
}

/// A limit on the size of files is an error of the write, which leaves nothing behind.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_the_size_of_files_leaves_nothing_behind() {
    let place = place(tree());
    let binary = crate::program::BINARY;
    let commands = [
        ("new", "new more --dir made".to_owned()),
        ("unpack", "unpack tea.skill -d made".to_owned()),
        ("pack", "pack skills/tea -o made.skill".to_owned()),
    ];
    for (case, words) in commands {
        let usual = place.command(&[]);
        let mut limited = Command::new("/bin/sh");
        limited.args(["-c", &format!("ulimit -f 0; exec {binary} {words}")]).current_dir(place.at("project"));
        limited.env_clear().envs(usual.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let said = said(&mut limited);
        assert_eq!(said.code, Some(2), "{case}: {}", said.err);
        assert!(said.err.contains("File too large"), "{case}: {}", said.err);
        for dir in ["project/made", "project"] {
            let left = fs::read_dir(place.at(dir)).into_iter().flatten().flatten();
            let left: Vec<_> = left.filter_map(|entry| entry.file_name().into_string().ok()).collect();
            let is_new =
                |name: &String| name.starts_with(".skilltree-") || name == "made.skill" || dir.ends_with("made");
            assert!(!left.iter().any(is_new), "{case}: {left:?}");
        }
    }
}
