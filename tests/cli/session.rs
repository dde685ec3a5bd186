//! The real binary: what a conversation has loaded is kept in a file, and put back after it was compacted.
#![cfg(unix)]

use crate::common;

use crate::claude_skills::{TEA, with_claude_skills};
use crate::program::{Place, error_code, field, said, texts};
use common::Tree;
use pretty_assertions::assert_eq;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

fn place() -> Place {
    with_claude_skills(Tree::default().with("/elsewhere/other.json", "mine"))
}

const NOTE: &str = "The skill `tea` is already loaded; follow the instructions above.\n";
const CALL: &[&str] = &["call", r#"{"skill": "tea"}"#, "--session", "s.json"];

#[test]
fn what_is_loaded_is_sent_once() {
    let place = place();
    place.exact("rule 29.2: the first time", CALL, 0, "Boil ().\n", "");
    place.exact("rule 29.2: again", CALL, 0, NOTE, "");
    let load = ["--session", "s.json", "load", "tea", "--as", "model"];
    place.exact("rule 29.2: by `load`, the option first", &load, 0, NOTE, "");
    place.exact("other arguments", &[&load, &["--args", "green"][..]].concat(), 0, "Boil (green).\n", "");
    place.exact("without the session", &CALL[..2], 0, "Boil ().\n", "");
    fs::write(place.at("project/.claude/skills/tea/SKILL.md"), TEA.replace("Boil", "Heat")).unwrap();
    place.exact("rule 29.2: an edited file", CALL, 0, "Heat ().\n", "");
    place.exact("typed by the user", &["invoke", "/tea", "--session", "s.json"], 0, "Heat ().\n", "");
    let json = place.json(CALL).1;
    assert_eq!((field(&json, "ok"), field(&json, "kind")), ("true".to_owned(), "\"inline\"".to_owned()));
    assert_eq!(field(&json, "text"), format!("{:?}", NOTE.trim_end()));
    assert_eq!(field(&json, "already"), "true");
    let (_, json) = place.json(&["session", "s.json"]);
    assert_eq!(texts(&json, "events", "event"), ["loaded", "loaded", "loaded", "invoked"]);
    assert_eq!(field(&json, "events.1.args"), "\"green\"");
    assert_eq!(place.read("project/s.json").unwrap(), format!("{json}\n"));
    let mode = fs::metadata(place.at("project/s.json")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600, "rule 29.5: it is private");
    let refused = ["call", r#"{"skill": "none"}"#, "--session", "s.json"];
    place.check("an error", &refused, 1, &[], &["there is no skill `none`"]);
    assert_eq!(place.json(&["session", "s.json", "show"]).1, json, "an error is no event");
}

#[test]
fn commands_and_forks_are_noted() {
    let place = place();
    let call = ["call", r#"{"skill": "live"}"#, "--session", "s.json"];
    let run = [&call, &["--run", "--trust"][..]].concat();
    let note = "The skill `live` is already loaded; follow the instructions above.\n";
    place.exact("not run", &call, 0, "cat now\n", "the skill needs these commands to run first");
    assert_eq!(place.read("project/s.json"), None, "nothing was sent");
    place.exact("run", &run, 0, "Now: noon\n", "");
    place.exact("the same output", &run, 0, note, "");
    fs::write(place.at("project/now"), "night").unwrap();
    place.exact("another output", &run, 0, "Now: night\n", "");
    let apart = ["call", r#"{"skill": "apart"}"#, "--session", "s.json"];
    place.exact("a fork", &apart, 0, "Look.\n", "a task for a separate agent");
    place.exact("a fork again", &apart, 0, "Look.\n", "a task for a separate agent");
    let out = place.say(&["session", "s.json"]).out;
    let words: Vec<&str> = out.split_whitespace().collect();
    assert_eq!(words.join(" "), "1 loaded live 2 loaded live 3 forked apart 4 forked apart");
}

#[test]
fn skills_are_put_back_after_a_compaction() {
    let place = place();
    let list = place.say(&["prompt", "--session", "s.json"]).out;
    assert!(list.contains("- tea: Makes tea."), "{list}");
    place.exact("tea", CALL, 0, "Boil ().\n", "");
    place.exact("cake", &["invoke", "/cake", "--session", "s.json"], 0, "Stir.\n", "");
    let back = format!("{}\n\nStir.\n\nBoil ().\n", list.trim_end());
    let before = place.read("project/s.json");
    place.exact("rule 29.4: a dry run", &["session", "s.json", "reattach", "--dry-run"], 0, &back, "");
    assert_eq!(place.read("project/s.json"), before);
    place.exact("rule 29.4", &["session", "s.json", "reattach"], 0, &back, "");
    let (_, json) = place.json(&["session", "s.json"]);
    assert_eq!(
        texts(&json, "events", "event"),
        ["shown", "loaded", "invoked", "compacted", "shown", "loaded", "invoked"]
    );
    place.exact("it is there again", CALL, 0, NOTE, "");

    place.check("a compaction alone", &["session", "s.json", "compacted"], 0, &["8", "compacted"], &[]);
    place.exact("it is not there", CALL, 0, "Boil ().\n", "");

    fs::remove_dir_all(place.at("project/.claude/skills/cake")).unwrap();
    let budget = (place.say(&["prompt"]).out.len() - 1).div_ceil(4).to_string();
    let (code, json) = place.json(&["session", "s.json", "reattach", "--budget", &budget, "--dry-run"]);
    assert_eq!((code, field(&json, "budget")), (Some(0), budget.clone()));
    assert_eq!((field(&json, "keys"), field(&json, "left_out")), ("[]".to_owned(), "[\"tea\"]".to_owned()));
    assert_eq!(texts(&json, "missing", "key"), ["cake"]);
    let said = place.say(&["session", "s.json", "reattach", "--budget", "1", "--dry-run"]);
    assert_eq!((said.code, said.out.as_str()), (Some(0), ""));
    assert!(said.err.contains("the list of skills does not fit; use a larger `--budget`"), "{}", said.err);
    assert!(said.err.contains("left out to fit the budget: `tea`"), "{}", said.err);
    assert!(said.err.contains("`cake` is not restored: there is no skill `cake`"), "{}", said.err);

    place.check("cleared", &["session", "s.json", "clear"], 0, &[], &["the session is empty"]);
    assert_eq!(place.read("project/s.json").unwrap(), "{\"version\":1,\"events\":[]}\n");
}

#[test]
fn only_a_session_is_written() {
    let place = place();
    place.check("rule 29.5: no file", &["session", "new.json"], 0, &[], &["the session does not exist yet"]);
    place.check("nothing to clear", &["session", "new.json", "clear"], 0, &[], &["the session does not exist yet"]);
    assert_eq!(place.read("project/new.json"), None);

    for (case, text) in [("text", "mine"), ("JSON", "{\"events\": []}"), ("an empty file", "")] {
        fs::write(place.at("project/mine"), text).unwrap();
        for words in [&["call", r#"{"skill": "tea"}"#, "--session", "mine"][..], &["session", "mine", "clear"]] {
            place.check(case, words, 2, &[], &["mine` is not a session: ", "this one is not overwritten"]);
            let (code, json) = place.json(words);
            assert_eq!((code, error_code(&json)), (Some(2), Some("no-session")), "{case}");
        }
        assert_eq!(place.read("project/mine").as_deref(), Some(text), "rule 29.5: {case}");
    }
    place.check("a folder", &["session", ".claude", "clear"], 2, &[], &[".claude"]);

    symlink(place.at("elsewhere"), place.at("project/out")).unwrap();
    let call = |file| ["call", r#"{"skill": "tea"}"#, "--session", file];
    place.check("a link in the project", &call("out/new.json"), 1, &[], &["out/new.json` is not written", "symlink"]);
    assert_eq!(place.read("elsewhere/new.json"), None);
    place.exact("outside of the project", &call("../elsewhere/new.json"), 0, "Boil ().\n", "");
    assert!(place.read("elsewhere/new.json").is_some());

    let err = place.say(&["list", "--session", "s.json"]).err;
    assert!(err.contains("`--session` is ignored: only `prompt`, `load`, `call` and `invoke` use it"), "{err}");
    assert_eq!(place.read("project/s.json"), None);
}

#[test]
fn what_two_processes_load_is_kept() {
    let place = place();
    let children: Vec<_> = (0..8)
        .map(|n| {
            let arguments = format!("{{\"skill\": \"tea\", \"args\": \"{n}\"}}");
            place
                .command(&["call", &arguments, "--session", "s.json"])
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let json = said(&mut place.command(&["session", "s.json", "--json"])).json();
    let mut args = texts(&json, "events", "args");
    args.sort();
    assert_eq!(args, (0..8).map(|n| n.to_string()).collect::<Vec<_>>(), "rule 29.5");
}

/// A text counts as sent when it has been printed.
#[cfg(target_os = "linux")]
#[test]
fn what_is_not_delivered_is_not_noted() {
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").expect("it is there");
    let place = place();
    let lists: &[&[&str]] =
        &[CALL, &["load", "tea", "--as", "model", "--session", "s.json"], &["prompt", "--session", "s.json"]];
    for words in lists {
        let said = said(place.command(words).stdout(full()));
        assert_eq!(said.code, Some(2), "{words:?}: {}", said.err);
        assert_eq!(place.read("project/s.json"), None, "{words:?}");
    }
    place.exact("the first time", CALL, 0, "Boil ().\n", "");
    let before = place.read("project/s.json");
    let reattach = ["session", "s.json", "reattach"];
    assert_eq!(said(place.command(&reattach).stdout(full())).code, Some(2));
    assert_eq!(place.read("project/s.json"), before, "nothing was put back");

    // Nobody reads.
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    fs::remove_file(place.at("project/s.json")).expect("it is there");
    assert_eq!(said(place.command(CALL).stdout(writer)).code, Some(0));
    assert_eq!(place.read("project/s.json"), None);

    // It cannot be written: the text was sent, and the next answer sends it again.
    let nowhere = ["call", r#"{"skill": "tea"}"#, "--session", "now/s.json"];
    place.check("no folder", &nowhere, 2, &[], &["now/s.json"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_link_of_the_project_is_not_read_as_a_session() {
    let place = place();
    symlink("../elsewhere/other.json", place.at("project/s.json")).expect("a link");
    place.check("a link", CALL, 1, &[], &["through the symbolic link `"]);
    assert_eq!(place.read("elsewhere/other.json").as_deref(), Some("mine"));
}
