//! What a hostile repository ships is shown by no command and by no answer of the server: links to private files of the
//! machine. The binary is started in the project, as a user would who has just cloned it.
#![cfg(unix)]

use crate::common;

use crate::program::{PATH, PROJECT_SOURCES, Place};
use common::Tree;
use pretty_assertions::assert_eq;
use skilltree::dialect::NAMES;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::process::Stdio;

/// What must never be printed. It stands in a key, in a skill that is somebody else's, and in the environment.
const CANARY: &str = "CANARY";

/// A project in which each source has links to the key, to the skill's folder and to the process's environment.
fn hostile() -> Place {
    let secret = format!("---\nname: other\ndescription: {CANARY}\n---\n{CANARY}\n");
    let place = Place::of(
        Tree::default()
            .with("/home/.ssh/id_rsa", format!("-----BEGIN KEY-----\n{CANARY}\n"))
            .with("/elsewhere/other/SKILL.md", secret)
            .with("/project/notes.md", "Notes.\n"),
    )
    .env("PATH", PATH)
    .env("TOKEN", CANARY);
    for source in PROJECT_SOURCES {
        let at = |name: &str| place.at(&format!("project/{source}/{name}"));
        for name in ["key", "env", "fd"] {
            std::fs::create_dir_all(at(name)).expect("a folder can be made");
        }
        symlink(place.at("home/.ssh/id_rsa"), at("key/SKILL.md")).expect("a link can be made");
        symlink("/proc/self/environ", at("env/SKILL.md")).expect("a link can be made");
        symlink("/proc/self/fd/0", at("fd/SKILL.md")).expect("a link can be made");
        symlink(place.at("elsewhere/other"), at("other")).expect("a link can be made");
        symlink("../../../../../../../../../../../../..", at("up")).expect("a link can be made");
    }
    place
}

#[test]
fn no_command_shows_a_private_file() {
    let place = hostile();
    let project = place.named("project");
    let file = place.named("project/.claude/skills/key/SKILL.md");
    for dialect in NAMES {
        let commands: &[&[&str]] = &[
            &["list"],
            &["tree"],
            &["prompt"],
            &["load", "key"],
            &["load", "env", "--as", "model"],
            &["load", "other"],
            &["invoke", "/key"],
            &["call", "{\"name\": \"key\"}"],
            &["call", "{\"skill\": \"key\"}"],
            &["complete", ""],
            &["match", "key"],
            &["tool"],
            &["why", "key"],
            &["why", "other"],
            &["check"],
            &["check", "--strict"],
            &["check", &project],
            &["check", &file],
        ];
        for words in commands {
            for more in [&[][..], &["--json"]] {
                let words = [&["--dialect", dialect], *words, more].concat();
                let said = place.say(&words);
                let shown = format!("{}{}", said.out, said.err);
                assert!(!shown.contains(CANARY), "{words:?}: {shown}");
                assert!(said.code.is_some_and(|code| code <= 2), "{words:?}: {said:?}");
            }
        }
        let said = place.say(&["--dialect", dialect, "check"]);
        // Hermes searches no folder of a project.
        assert!(*dialect == "hermes" || said.out.contains("leads-out"), "{dialect}: {}", said.out);
    }
}

#[test]
fn why_says_what_to_do() {
    let place = hostile();
    let help = ["skipped", "leads out of the project", "`--root DIR`, or `skilltree list ", "--follow-links-out`"];
    place.check("a file", &["why", "key"], 0, &help, &[]);
    place.check("a folder", &["why", "other"], 0, &help, &[]);
    place.check("a file behind it", &["why", ".agents/skills/other/SKILL.md"], 0, &help, &[]);
    place.check("what the user allows", &["load", "other", "--follow-links-out"], 0, &[CANARY], &[]);
    place.check("a named root", &["load", "other", "--root", "../elsewhere"], 0, &[CANARY], &[]);
    place.check("a check that is allowed to", &["check", ".agents/skills", "--follow-links-out"], 1, &["key"], &[]);
}

#[test]
fn the_server_shows_no_private_file() {
    for dialect in NAMES {
        let place = hostile();
        let mut server = place.command(&["--dialect", dialect, "mcp", "--poll", "0"]);
        server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut server = server.spawn().expect("the server starts");
        let client = r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}"#;
        let mut lines = vec![
            format!(r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{client}}}"#),
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
        ];
        let methods = ["tools/list", "prompts/list", "resources/list", "skills/list"];
        let calls = methods.iter().map(|method| (*method, "{}".to_owned()));
        let tools = [
            ("activate_skill", r#"{"name":"key"}"#),
            ("load_skill", r#"{"name":"key"}"#),
            ("use_skill", r#"{"skill":"key"}"#),
            ("Skill", r#"{"skill":"key"}"#),
            ("skill", r#"{"name":"key","prompt":"x"}"#),
        ];
        let tools =
            tools.map(|(tool, arguments)| ("tools/call", format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#)));
        let paths = ["SKILL.md", "../other/SKILL.md", "../key/SKILL.md", "../env/SKILL.md"].map(|path| {
            let arguments = format!(r#"{{"skill":"key","path":"{path}"}}"#);
            ("tools/call", format!(r#"{{"name":"read_skill_file","arguments":{arguments}}}"#))
        });
        for (id, (method, params)) in calls.chain(tools).chain(paths).enumerate() {
            let id = id + 1;
            lines.push(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#));
        }
        let input = server.stdin.as_mut().expect("a pipe");
        input.write_all((lines.join("\n") + "\n").as_bytes()).expect("the server reads");
        let said = crate::program::heard(server.wait_with_output().expect("the server ends with its input"));
        let shown = format!("{}{}", said.out, said.err);
        assert!(!shown.contains(CANARY), "{dialect}: {shown}");
        assert_eq!(said.out.lines().count(), lines.len() - 1, "{dialect}: every request is answered\n{shown}");
    }
}
