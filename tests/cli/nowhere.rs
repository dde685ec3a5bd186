//! The real binary where there are no skills: it says where it looked, and one step that works.
#![cfg(unix)]

use crate::common;

use crate::program::{Place, field, holds, last_suggested, names, said};
use common::Tree;
use pretty_assertions::assert_eq;
use skilltree::dialect::NAMES;

const SKILL: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";

fn empty() -> Place {
    Place::of(Tree::default())
}

#[test]
fn every_command_says_where_it_looked() {
    let t = empty();
    let home = t.named("home/.claude/skills");
    let project = t.named("project/.agents/skills");
    let places = [home.as_str(), "does not exist\n", project.as_str(), "does not exist\n", "help: "];
    let cases: [(&[&str], i32); 14] = [
        (&["list"], 0),
        (&["tree"], 0),
        (&["prompt"], 0),
        (&["complete"], 0),
        (&["check"], 0),
        (&["load", "x"], 1),
        (&["load", "x", "--as", "model"], 1),
        (&["why", "x"], 1),
        (&["tool"], 1),
        (&["call", "{\"name\": \"x\"}"], 1),
        (&["invoke", "/x"], 1),
        (&["approve", "x"], 1),
        (&["run", "x", "y.sh"], 2),
        (&["toolset", "list", "x"], 1),
    ];
    for (words, code) in cases {
        let said = t.say(words);
        assert_eq!(said.code, Some(code), "{words:?}: {}", said.err);
        holds(&format!("{words:?}"), &said.err, &places);
        assert!(said.err.lines().count() <= 12, "{words:?}:\n{}", said.err);
        let once = said.err.matches("no skills found").count();
        assert_eq!(once, 1, "{words:?}:\n{}", said.err);
    }
    for words in [["list"], ["tree"], ["prompt"], ["complete"]] {
        assert_eq!(t.say(&words).out, "", "{words:?}");
    }
    let gencode = ["state", "--dialect=gencode"];
    t.check("states", &gencode, 0, &[], &["no skills found", ".gen/skills", "help: "]);
    let triggers = ["match", "x", "--dialect=agent-base"];
    assert!(t.say(&triggers).err.contains("no skills found"));
    t.check("an ordinary message needs no skill", &["invoke", "hello"], 1, &["hello"], &[]);
    assert_eq!(t.say(&["invoke", "hello"]).err, "");
}

/// Each step is about the dialect whose rules were asked for.
#[test]
fn nowhere_for_a_profile() {
    let t = Place::of(Tree::default().with("/project/.claude/skills/tea/SKILL.md", SKILL));
    let said = t.say(&["check", "--profile", "codex"]);
    holds("the dialect", &said.err, &["`skilltree why ", "/tea/SKILL.md --dialect codex` explains why"]);
    let why = said.err.split('`').find(|part| part.starts_with("skilltree why ")).expect("a command");
    holds("why", &t.pasted(why).out, &["skipped"]);
}

/// A folder is only suggested if its skills can be used.
#[test]
fn skills_elsewhere() {
    let t = Place::of(Tree::default().with("/project/tea/SKILL.md", "---\nname: tea\ndescription: D\n---\n"));
    t.check("a skill", &["list"], 0, &[], &["help: there are skills elsewhere: `skilltree list --root ."]);
    t.write("project/tea/SKILL.md", "---\nname: tea\n---\n");
    let said = t.say(&["list"]);
    assert!(!said.err.contains("there are skills elsewhere") && said.err.contains("help: "), "{}", said.err);
}

#[test]
fn places_are_there_or_not() {
    let t = Place::of(
        Tree::default()
            .with_dir("/project/.claude/skills/notes")
            .with("/project/.agents/skills", "no folder\n")
            .with_link("/home/.agents", "../gone"),
    );
    let expect = [
        "/home/.claude/skills   does not exist\n",
        "/home/.agents/skills   does not exist\n",
        "/project/.claude/skills  exists, contains no skills\n",
        "/project/.agents/skills  cannot be read: it is not a directory\n",
    ];
    let err = t.say(&["list"]).err;
    for line in expect {
        let end = line.trim_start_matches(|c| c != ' ').trim_start();
        let path = t.named(line.split(' ').next().unwrap());
        assert!(err.lines().any(|row| row.trim().starts_with(&path) && row.ends_with(end.trim_end())), "{line}{err}");
    }
    assert!(err.contains("in `.claude/skills`: `skilltree new hello`"), "not below what is no folder: {err}");

    let (code, json) = t.json(&["list"]);
    assert_eq!((code, names(&json)), (Some(0), vec!["dialect", "skills", "shadowed", "findings", "looked"]));
    let looked = |field: &str| crate::program::texts(&json, "looked", field).join(" ");
    assert_eq!(looked("presence"), "missing missing exists unreadable");
    assert_eq!(looked("source"), "home-claude home-agents project-claude project-agents");
    assert_eq!(field(&json, "looked.3.reason"), "\"it is not a directory\"");
    let full = Place::of(Tree::default().files(&[("project/.claude/skills/tea/SKILL.md", SKILL)]));
    assert!(!names(&full.json(&["list"]).1).contains(&"looked"), "not where there are skills");
    assert!(!full.say(&["list"]).err.contains("no skills"));
}

#[test]
fn the_first_skill_is_one_that_is_found() {
    for dialect in NAMES {
        for more in [&[][..], &["--only-roots", "--root", "my skills"], &["--root=../project/my skills"]] {
            let t = Place::of(Tree::default().with_dir("/project/my skills"));
            let words = [&["--dialect", dialect, "list"], more].concat();
            let before = t.say(&words);
            let command = last_suggested(&before.err);
            assert!(command.starts_with("skilltree new hello"), "{words:?}: {}", before.err);
            assert!(before.err.lines().count() <= 12, "{words:?}:\n{}", before.err);
            let made = t.pasted(command);
            assert_eq!(made.code, Some(0), "{words:?}: {command}: {}", made.err);
            t.check("it is listed", &words, 0, &["hello"], &[]);
            let checked = t.pasted(last_suggested(&made.err));
            holds("nothing is wrong with it but what is to be written", &checked.out, &["2 notes\n"]);
            assert_eq!(checked.code, Some(0), "{words:?}: {}", checked.err);
        }
    }
}

#[test]
fn the_step_fits_the_place() {
    let t = empty();
    let only = t.say(&["list", "--only-roots"]).err;
    holds("no places at all", &only, &["no folders to search", "`--only-roots` needs a `--root`"]);
    assert!(t.pasted(last_suggested(&only)).err.contains("does not exist"), "which is one step further");

    let lost = Place::of(Tree::default().files(&[("project/.claude/skills/lost/SKILL.md", "no fence\n")]));
    let err = lost.say(&["list", "--color=never"]).err;
    holds("what could not be used", &err, &["exists, contains no skills", "1 SKILL.md file could not be used"]);
    assert_eq!(lost.pasted(last_suggested(&err)).code, Some(1), "`check` says why: {err}");

    let cases = [
        ("a repository of skills", "project/tea/SKILL.md", "skilltree list --root ."),
        ("its usual folder", "project/skills/tea/SKILL.md", "skilltree list --root skills"),
        ("another dialect's folder", "project/.sven/skills/tea/SKILL.md", "skilltree list --dialect sven"),
        ("the same at home", "home/.gen/skills/tea/SKILL.md", "skilltree list --dialect gencode"),
    ];
    for (case, file, command) in cases {
        let t = Place::of(Tree::default().files(&[(file, SKILL)]));
        let err = t.say(&["prompt"]).err;
        assert_eq!(last_suggested(&err), command, "{case}: {err}");
        holds(case, &t.pasted(command).out, &["tea"]);
    }
    let unused = "---\ndescription: D.\n---\nB\n";
    let files = [("home/.config/opencode/skills/a/SKILL.md", unused), ("home/.kimi-code/skills/tea/SKILL.md", SKILL)];
    let t = Place::of(Tree::default().files(&files));
    let err = t.say(&["list"]).err;
    holds("a dialect that has one in use", &t.pasted(last_suggested(&err)).out, &["tea"]);
    let quoted = Place::of(Tree::default().files(&[("project/it's/skills/tea/SKILL.md", SKILL)]));
    let err = quoted.say(&["list", "--only-roots", "--root", "it's", "--dialect", "claude"]).err;
    holds("words are quoted", &quoted.pasted(last_suggested(&err)).out, &["tea"]);
}

/// Nothing is created in a revision.
#[test]
fn a_revision_without_skills() {
    let t = Place::of(Tree::default().with("/project/f", "x\n")).env("PATH", crate::program::PATH);
    if !t.git(&["init", "--quiet"]) || !t.git(&["add", "."]) || !t.git(&["commit", "--quiet", "-m", "one"]) {
        return;
    }
    let of = |words: &[&'static str]| [words, &["--root", "git:HEAD", "--only-roots"]].concat();
    let help = "help: `--root DIR` adds a folder to search";
    t.check("listed", &of(&["list"]), 0, &[], &["git:HEAD  exists, contains no skills", help]);
    t.check("made", &of(&["new", "hello"]), 0, &["project/hello\n"], &[]);
    assert!(!t.at("project/git:HEAD").exists() && t.at("project/hello/SKILL.md").exists());
}

#[test]
fn many_places_and_odd_ones() {
    let mut tree = Tree::default();
    let mut words = vec!["list".to_owned()];
    for n in 0..20 {
        tree = tree.with_dir(&format!("/project/r{n}"));
        words.push(format!("--root=r{n}"));
    }
    let t = Place::of(tree.with_dir("/project/a\u{1b}[2Jb"));
    words.push("--root=a\u{1b}[2Jb".to_owned());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let err = t.say(&words).err;
    assert!(err.lines().count() <= 12, "{err}");
    holds("the rest is counted", &err, &["… and 18 more places"]);
    assert!(!err.contains('\u{1b}'), "{err}");
    let homeless = said(empty().command(&["list"]).env_remove("HOME").env_remove("USERPROFILE"));
    holds("without a home", &homeless.err, &["project/.claude/skills", "skilltree new hello"]);
}
