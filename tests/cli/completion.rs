//! Completion in shells: the candidates that a script is given, as fish asks for them; a real bash with the script; and keys that a
//! shell could take for a command.

use crate::common::Tree;
use crate::common::skip::skip;
use crate::program::{BINARY, PATH, Place, said};
use pretty_assertions::assert_eq;
use std::path::Path;

fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nDo it.\n")
}

fn place() -> Place {
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

/// What bash puts in for a word, by a line that ends at the cursor, the words that bash makes of it, and what it replaces. These are
/// the values of COMP_LINE, COMP_WORDS and `$2` of an interactive bash 5.2.
#[test]
fn a_shell_completes_with_the_script() {
    let place = place();
    for name in ["cup", "jug"] {
        place.write(&format!("project/.claude/skills/{name}/SKILL.md"), &skill(&format!("acme:{name}"), "Holds tea."));
    }
    let shell = Path::new("/bin/bash");
    if !shell.is_file() {
        return skip("there is no bash");
    }
    let cases: &[(&str, &str, &str, &[&str])] = &[
        ("skilltree load te", "skilltree load te", "te", &["tea", "teapot"]),
        ("skilltree load a", "skilltree load a", "a", &["acme:cup", "acme:jug"]),
        ("skilltree load acme:", "skilltree load acme :", "", &["cup", "jug"]),
        ("skilltree load acme:j", "skilltree load acme : j", "j", &["jug"]),
        ("skilltree load acme:x", "skilltree load acme : x", "x", &[]),
        (r#"skilltree load "acme:j"#, r#"skilltree load \"acme:j"#, "acme:j", &["acme:jug"]),
        ("skilltree load acme:j", "skilltree load acme:j", "acme:j", &["acme:jug"]),
        ("skilltree --dialect=cod", "skilltree --dialect = cod", "cod", &["codex"]),
        ("skilltree --dialect=", "skilltree --dialect =", "", &["agentskills"]),
        ("skilltree --project=../other load ", "skilltree --project = ../other load ''", "", &["milk"]),
        ("skilltree  --project=../other  why acme:j", "skilltree --project = ../other why acme : j", "j", &[]),
        ("skilltree --dialect = load te", "skilltree --dialect = load te", "te", &[]),
    ];
    let own = Path::new(BINARY).parent().and_then(Path::to_str).expect("a folder in UTF-8");
    for (line, words, replaced, expected) in cases {
        let script = format!(
            "source <(skilltree completions bash) && COMP_LINE={line:?} && COMP_POINT=${{#COMP_LINE}} && COMP_WORDS=({words}) && \
             COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)) && set -- $(complete -p skilltree) && \
             for word; do [[ $last == -F ]] && called=$word; last=$word; done && \
             $called skilltree '{replaced}' before && printf '%s\n' \"${{COMPREPLY[@]}}\""
        );
        let mut bash = std::process::Command::new(shell);
        bash.args(["-c", &script]).current_dir(place.at("project")).env_clear();
        let told = said(bash.env("PATH", format!("{own}:{PATH}")).env("HOME", place.at("home")));
        let replies: Vec<&str> = told.out.split_whitespace().collect();
        // Of all dialects, the first.
        let told_first = &replies[..replies.len().min(expected.len().max(1))];
        assert_eq!((told.code, told_first), (Some(0), *expected), "{line} {words}: {}", told.err);
    }
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = place.say(&["completions", shell]);
        assert_eq!(script.code, Some(0), "{shell}");
        assert!(script.out.contains("SKILLTREE_COMPLETE"), "{shell}");
    }
}
