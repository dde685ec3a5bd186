//! Completion in shells: the candidates that a script is given, as fish asks for them; a real bash with the script; and keys that a
//! shell could take for a command.

use crate::common::Tree;
use crate::common::skip::skip;
use crate::program::{BINARY, PATH, Place, said};
use pretty_assertions::assert_eq;
use std::path::Path;

fn place() -> Place {
    let skill = |name: &str, description: &str| format!("---\nname: {name}\ndescription: {description}\n---\nDo it.\n");
    Place::of(
        Tree::default()
            .with("/project/.claude/skills/tea/SKILL.md", skill("tea", "Makes tea. `rm -rf` $(x)"))
            .with("/project/.claude/skills/teapot/SKILL.md", skill("teapot", "Holds tea."))
            .with("/project/.claude/skills/evil/SKILL.md", skill("'te$(touch evil)'", "Is evil."))
            .with("/project/.claude/skills/flag/SKILL.md", skill("--te", "Is a flag."))
            .with("/other/.agents/skills/milk/SKILL.md", skill("milk", "Is white.")),
    )
}

/// The candidates for the last of these words, but for options.
#[track_caller]
fn completed(place: &Place, words: &[&str]) -> Vec<String> {
    let mut command = place.bare(&[&["--", "skilltree"], words].concat());
    let said = said(command.env("SKILLTREE_COMPLETE", "fish"));
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{words:?}");
    said.out.lines().filter(|line| !line.starts_with("--")).map(str::to_owned).collect()
}

#[test]
fn what_is_completed() {
    let place = place();
    let cases: &[(&str, &[&str], &[&str])] = &[
        ("commands", &["dif"], &["diff\tShow what changes for the model between two trees, client by client"]),
        ("keys", &["load", "te"], &["tea\tMakes tea", "teapot\tHolds tea"]),
        ("keys, from a part of a name", &["why", "teap"], &["teapot\tHolds tea"]),
        ("keys of another project", &["--project", "../other", "load", ""], &["milk\tIs white"]),
        ("an option behind the command", &["load", "--project", "../other", ""], &["milk\tIs white"]),
        ("keys of another dialect", &["--dialect", "codex", "run", ""], &[]),
        ("a project that is not there", &["--project", "../none", "load", ""], &[]),
        ("dialects", &["--dialect", "co"], &["codex", "copilot", "copilot-cli", "continue"]),
        ("a list of dialects", &["matrix", "--dialects", "claude,cod"], &["claude,codex"]),
        ("dialects to convert to", &["convert", "tea", "--to", "gem"], &["gemini"]),
        ("codes", &["explain", "name-m"], &["name-missing", "name-mismatch"]),
        ("states", &["state", "tea", "na"], &["name-only"]),
    ];
    for (case, words, expected) in cases {
        assert_eq!(completed(&place, words), *expected, "{case}");
    }
}

/// A key is inserted into a command line without quotes, so that only keys are offered that every shell takes for themselves.
#[test]
fn no_key_becomes_a_command() {
    let place = place();
    let all = completed(&place, &["load", ""]);
    assert_eq!(
        all,
        ["tea\tMakes tea", "teapot\tHolds tea"],
        "nothing else, and nothing of a description that a shell reads"
    );
    assert!(place.say(&["list"]).out.contains("te$(touch evil)"), "it is a skill");
}

#[test]
fn a_shell_completes_with_the_script() {
    let place = place();
    let shell = Path::new("/bin/bash");
    if !shell.is_file() {
        return skip("there is no bash");
    }
    let own = Path::new(BINARY).parent().and_then(Path::to_str).expect("a folder in UTF-8");
    let line = "source <(skilltree completions bash) && COMP_WORDS=(skilltree load te) && COMP_CWORD=2 && \
                _clap_complete_skilltree skilltree te load && printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut bash = std::process::Command::new(shell);
    bash.args(["-c", line]).current_dir(place.at("project")).env_clear();
    let told = said(bash.env("PATH", format!("{own}:{PATH}")).env("HOME", place.at("home")));
    let replies: Vec<&str> = told.out.split_whitespace().collect();
    assert_eq!((told.code, replies), (Some(0), vec!["tea", "teapot"]), "{}", told.err);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = place.say(&["completions", shell]);
        assert_eq!(script.code, Some(0), "{shell}");
        assert!(script.out.contains("SKILLTREE_COMPLETE"), "{shell}");
    }
}
