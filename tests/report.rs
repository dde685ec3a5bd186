//! Answers as JSON: the contract of the command line. In memory and on the disk.

use crate::common;

use common::ground::{Ground, ground, on, table};
use common::{Tree, path, tree};
use pretty_assertions::assert_eq;
use skilltree::fs::FsCall;
use skilltree::{
    Caller, CheckRequest, Command, Diagnostic, Error, Invocation, Json, LoadRequest, Places, PromptRequest, Why, World,
    call, check, commands, discover, invoke, load, prompt, why,
};
use std::fmt::{self, Write};

const TREE: &str = "
//- /p/.agents/skills/tea/SKILL.md
---
name: tea
description: \"Makes \\\"tea\\\".\"
version: 1.10
license: MIT
allowed-tools: Bash(git add *) Read
argument-hint: [kind]
metadata: {author: me, n: 1, tags: [a, b], none: ~}
x-host: {a: b}
---
Boil.
//- /p/.agents/skills/tea/scripts/b.sh
//- /p/.agents/skills/tea/scripts/a.sh
//- /p/.agents/skills/tea/scripts/deep/c.sh
//- /p/.agents/skills/tea/references/r.md
//- /h/.agents/skills/tea/SKILL.md
---
name: tea
description: D
---
//- /h/.agents/skills/bare/SKILL.md
---
name: bare
description: D
disable-model-invocation: true
---
";

fn off() -> Ground {
    ground(TREE).off("bare")
}

#[track_caller]
fn says(case: &str, got: &Json, expect: &str) {
    let expect = Json::parse(expect).unwrap_or_else(|error| panic!("{case}: {error}"));
    assert_eq!(format!("{got:#}"), format!("{expect:#}"), "{case}");
}

#[test]
fn lists() {
    let got = off().of("list", "agentskills", |world, catalog| catalog.to_json(world, &commands(catalog, &[])));
    says(
        "list",
        &got,
        r#"{"dialect": "agentskills", "skills": [
            {"key": "bare", "name": "bare", "description": "D", "source": "home-agents", "scope": "user",
             "path": "/h/.agents/skills/bare/SKILL.md", "dir": "/h/.agents/skills/bare", "model": false, "user": false, "pinned": false,
             "commands": [], "state": "disable", "resources": {"scripts": [], "references": [], "assets": []}, "meta": {}},
            {"key": "tea", "name": "tea", "description": "Makes \"tea\".", "source": "project-agents", "scope": "project",
             "path": "/p/.agents/skills/tea/SKILL.md", "dir": "/p/.agents/skills/tea", "model": true, "user": true, "pinned": false,
             "commands": ["tea"], "version": "1.10", "allowed_tools": ["Bash(git add *)", "Read"], "argument_hint": "[kind]",
             "license": "MIT", "resources": {"scripts": ["scripts/a.sh", "scripts/b.sh"], "references": ["references/r.md"], "assets": []},
             "meta": {"author": "me", "n": "1", "tags": ["a", "b"], "none": null, "x-host": {"a": "b"}}}],
          "shadowed": [{"key": "tea", "path": "/h/.agents/skills/tea/SKILL.md", "source": "home-agents", "by": "/p/.agents/skills/tea/SKILL.md"}],
          "findings": [{"severity": "warning", "code": "wrong-type", "path": "/p/.agents/skills/tea/SKILL.md", "line": 7, "column": 16,
             "message": "`argument-hint` is a list, expected text; used as written: `[kind]`", "help": "put the value in double quotes",
             "fix": {"line": 7, "with": "argument-hint: \"[kind]\""}}]}"#,
    );
}

#[test]
fn lists_what_skills_require() {
    let check = |case: &str, dialect: &str, fields: &str, expect: Option<&str>| {
        let mut ground =
            ground(&format!("//- /s/t/SKILL.md\n---\nname: t\ndescription: D\n{fields}\n---\n")).roots(&["/s"]);
        ground.host.bins = ["docker", "git"].map(str::to_owned).into();
        ground.host.envs = ["TOKEN".to_owned()].into();
        let got = ground.of(case, dialect, |world, catalog| {
            let Some(Json::List(skills)) = catalog.to_json(world, &commands(catalog, &[])).get("skills").cloned()
            else {
                panic!("{case}: a list")
            };
            assert_eq!(skills.len(), 1, "{case}: {:?}", catalog.findings());
            skills[0].get("requires").map(ToString::to_string)
        });
        assert_eq!(got.as_deref(), expect, "{case}");
    };
    let both = "sven: {requires_bins: [git, docker], requires_env: [TOKEN]}";
    check("both, as written", "sven", both, Some(r#"{"bins":["git","docker"],"env":["TOKEN"]}"#));
    check("programs", "sven", "sven:\n  requires_bins: docker, git", Some(r#"{"bins":["docker","git"],"env":[]}"#));
    check("variables", "sven", "sven:\n  requires_env: [TOKEN]", Some(r#"{"bins":[],"env":["TOKEN"]}"#));
    check("nothing", "sven", "sven: {always: true}", None);
    check("empty lists", "sven", "sven: {requires_bins: [], requires_env: }", None);
    check("another system's", "agentskills", both, None);
}

/// Takes so many bytes, and then no more.
struct Short(usize);

impl Write for Short {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 = self.0.checked_sub(text.len()).ok_or(fmt::Error)?;
        Ok(())
    }
}

#[test]
fn a_list_is_written_skill_by_skill() {
    off().of("written", "agentskills", |world, catalog| {
        let commands = commands(catalog, &[]);
        let (list, whole) = (catalog.json_text(world, &[], &[], None), catalog.to_json(world, &commands));
        assert_eq!(list.to_string(), whole.to_string(), "compact");
        assert_eq!(format!("{list:#}"), format!("{whole:#}"), "indented");
        let more = catalog.json_text(world, &[], catalog.findings(), None).to_string();
        let found = Diagnostic::all_to_json(world.fs, &[catalog.findings(), catalog.findings()].concat());
        assert_eq!(Json::parse(&more), Ok(whole.with("findings", Some(found))), "findings before those of the catalog");
    });
    let empty = ground("//- /p dir\n");
    empty.of("empty", "sven", |world, catalog| {
        let commands = commands(catalog, &[]);
        let (list, whole) = (catalog.json_text(world, &[], &[], None), catalog.to_json(world, &commands));
        assert_eq!(format!("{list:#}"), format!("{whole:#}"), "no skills");
    });
    let mut many = tree("");
    for number in 0..50 {
        many = many.with(&format!("/s/s-{number}/SKILL.md"), "---\ndescription: D\n---\n");
        many = many.with(&format!("/s/s-{number}/scripts/a.sh"), "");
    }
    let (fs, places) = (many.mem(), Places { roots: vec![path("/s")], ..Places::default() });
    let world = World::new(&fs, &places, &());
    let catalog = discover(&world, &table("sven"));
    fs.reset();
    assert!(write!(Short(2_000), "{}", catalog.json_text(&world, &[], &[], None)).is_err(), "no room");
    let begun = fs.calls(FsCall::List);
    assert!((4..50).contains(&begun), "where nothing can be written, no more is made: {begun} lists");
}

#[test]
fn resources_are_taken_from_the_walk() {
    // A folder with so many files may belong to no skill, and is not kept.
    for (files, lists) in [(1_000, 0), (1_001, 2)] {
        let mut tree = tree(&TREE.replace("/h/.agents/skills/tea/SKILL.md", "/h/.agents/skills/tea/scripts/SKILL.md"));
        for number in 0..files {
            tree = tree.with(&format!("/h/.agents/skills/bare/assets/{number:04}"), "");
        }
        let (mut fs, host) = (tree.mem(), off());
        let world = World::new(&fs, &host.places, &host.host);
        let (kept, plain) =
            (discover(&world.with_resources(), &table("agentskills")), discover(&world, &table("agentskills")));
        fs.reset();
        let of = |catalog: &skilltree::Catalog| -> Vec<_> {
            catalog.skills().iter().map(|skill| skill.resources(&world)).collect()
        };
        let found = of(&kept);
        assert_eq!(fs.calls(FsCall::List), lists, "{files} files: lists");
        assert_eq!(found, of(&plain), "{files} files");
        assert_eq!(found[0].assets.len(), files, "{files} files");
        let skill = kept.skills()[0].clone();
        fs.file("/h/.agents/skills/bare/scripts/new.sh", "");
        let world = World::new(&fs, &host.places, &host.host);
        let now = skill.resources(&world).scripts.len();
        assert_eq!(now, usize::from(lists > 0), "{files} files: what the walk listed stays");
        let elsewhere = skill.with_location(path("/p/.agents/skills/tea/SKILL.md"), None);
        assert_eq!(elsewhere.resources(&world).scripts.len(), 2, "another folder");
    }
}

#[test]
fn texts() {
    let got = off().of("prompt", "agentskills", |world, catalog| {
        let ask = PromptRequest { budget: Some(0), ..PromptRequest::default() };
        prompt(world, catalog, &ask).to_json()
    });
    says(
        "prompt",
        &got,
        r#"{"text": "", "guidance": "", "list": "", "shown": [], "shortened": [], "left_out": ["tea"], "cost": 0, "budget": 0}"#,
    );

    let got = off().of("load", "agentskills", |world, catalog| {
        let skill = catalog.find("tea", Caller::User).expect("it is there");
        let mut ask = LoadRequest::new(Caller::User);
        ask.already_loaded = vec!["tea".into()];
        let got = load(world, catalog, skill, &ask).expect("it loads");
        got.to_json(world.fs, None)
    });
    let field = |name: &str| got.get(name).map(ToString::to_string);
    assert_eq!(field("key"), Some("\"tea\"".into()), "load");
    assert_eq!((field("files"), field("children")), (Some("[]".into()), Some("[]".into())), "load");
    assert!(field("findings").is_some_and(|found| found.contains("untrusted-grant")), "load: {got}");

    let got = off().of("load", "sven", |world, catalog| {
        let skill = catalog.find("tea", Caller::User).expect("it is there");
        let got = load(world, catalog, skill, &LoadRequest::new(Caller::User)).expect("it loads");
        got.to_json(world.fs, None).get("files").map(ToString::to_string)
    });
    let files = ["references/r.md", "scripts/a.sh", "scripts/b.sh", "scripts/deep/c.sh"]
        .map(|name| format!("\"/p/.agents/skills/tea/{name}\""));
    assert_eq!(got, Some(format!("[{}]", files.join(","))), "load: paths are absolute");
}

#[test]
fn invocations() {
    let got = off().of("invoke", "sven", |world, catalog| {
        let all = commands(catalog, &[]);
        let got = invoke(world, catalog, &all, "/tea x").expect("it is there");
        [Invocation::line_json(world.fs, got.as_ref(), "/tea x"), Invocation::line_json(world.fs, None, "hello")]
    });
    says("invoke", &got[1], r#"{"kind": "message", "text": "hello"}"#);
    let text = got[0].get("text").map(ToString::to_string);
    assert_eq!(text, Some(r#""Boil.\n\nTask: x""#.to_owned()), "invoke");
    let fields: Vec<Option<String>> =
        ["kind", "key", "tools", "model", "dir"].iter().map(|name| got[0].get(name).map(ToString::to_string)).collect();
    let expect =
        ["\"inline\"", "\"tea\"", "null", "null", "\"/p/.agents/skills/tea\""].map(|text| Some(text.to_owned()));
    assert_eq!(fields, expect, "invoke");

    let got = off().of("call", "agentskills", |world, catalog| {
        ["tea", "te"].map(|name| {
            let got = call(world, catalog, &format!("{{\"name\":\"{name}\"}}"));
            Invocation::answer_json(world.fs, got.as_ref(), None)
        })
    });
    assert_eq!(got[0].get("ok"), Some(&Json::Bool(true)), "call");
    assert_eq!(got[0].get("kind").map(ToString::to_string), Some("\"inline\"".into()), "call");
    says(
        "call",
        &got[1],
        r#"{"ok": false, "error": {"code": "unknown", "message": "there is no skill `te`; did you mean `tea`?"}}"#,
    );

    let got =
        off().of("complete", "agentskills", |_, catalog| Command::all_to_json(&commands(catalog, &[]).complete("t")));
    says(
        "complete",
        &got,
        r#"{"commands": [{"name": "tea", "key": "tea", "hint": "[kind]", "description": "Makes \"tea\"."}]}"#,
    );
    let twice = on(["/h/.hermes/skills/a/tea/SKILL.md", "/h/.hermes/skills/b/tea/SKILL.md"]
        .iter()
        .fold(Tree::default(), |tree, file| tree.with(file, "---\nname: tea\ndescription: D\n---\n")));
    let got =
        twice.of("complete", "hermes", |_, catalog| Command::all_to_json(&commands(catalog, &[]).complete("tea")));
    let Some(Json::List(rows)) = got.get("commands") else { panic!("{got}") };
    let keys: Vec<_> = rows.iter().map(|row| row.get("key").and_then(Json::as_text)).collect();
    assert_eq!(keys, [Some("tea"); 2], "rule 8.8: equal keys: {got}");
    says(
        "error",
        &Error::NothingToLoad.to_json(),
        r#"{"code": "no-skills", "message": "there is no skill that the model may load, so there is no tool"}"#,
    );
}

#[test]
fn accounts() {
    let got = off().of("why", "agentskills", |world, catalog| {
        Why::all_to_json(world.fs, "bare", &why(world, catalog, "bare", &PromptRequest::default()))
    });
    let first = got.get("outcomes").map(ToString::to_string).unwrap_or_default();
    assert!(first.starts_with(r#"[{"path":"/h/.agents/skills/bare/SKILL.md","outcome":"hidden","#), "why: {first}");

    let tree = "//- /s/tea/SKILL.md\n---\nname: tea\ndescription: a: b\n---\n";
    let got = ground(tree).ask("check", |world| {
        let found = check(world, &table("agentskills"), &[path("/s")], &CheckRequest::default()).expect("it is there");
        Diagnostic::all_to_json(world.fs, &found)
    });
    let Json::List(found) = got else { panic!("a list") };
    assert_eq!(found.len(), 1);
    says("fix", found[0].get("fix").expect("a fix"), r#"{"line": 3, "with": "description: \"a: b\""}"#);
    assert_eq!(found[0].get("line").map(ToString::to_string), Some("3".into()), "check");
    let none = ground("//- /s/a/SKILL.md\n---\nname: a\n---\n").ask("check", |world| {
        let found = check(world, &table("agentskills"), &[path("/s")], &CheckRequest::default()).expect("it is there");
        found[0].to_json(world.fs)
    });
    assert_eq!((none.get("line"), none.get("fix")), (None, None), "absent values are left out");
}

#[test]
fn tables() {
    for name in skilltree::dialect::NAMES {
        let json = table(name).to_json();
        assert_eq!(json.get("name").map(ToString::to_string), Some(format!("\"{name}\"")), "dialect");
        assert_eq!(Json::parse(&json.to_string()).as_ref(), Ok(&json), "dialect: there and back");
    }
    assert_eq!(skilltree::dialect::NAMES.first(), Some(&"agentskills"), "dialects: the default");
}
