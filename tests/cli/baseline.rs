//! The baseline of `check`: what is written into it, what it hides, and what it does not.

use crate::common;

use crate::program::{Place, error_code, field, holds, said};
use common::Tree;
use pretty_assertions::assert_eq;
use skilltree::Json;
use std::fs;

/// Two findings that are errors, on the lines of the name.
const TEA: &str = "---\nname: Tea\ndescription: Makes tea.\n---\nBoil water.\n";
const LOST: &str = "---\nname: lost\n---\nText.\n";
const FINE: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";

const FILE: &str = "project/.skilltree-baseline.json";
const BASELINE: &[&str] = &["check", "--baseline", ".skilltree-baseline.json"];
const UPDATE: &[&str] = &["check", "--baseline", ".skilltree-baseline.json", "--update-baseline"];

fn place() -> Place {
    Place::of(
        Tree::default()
            .files(&[("/project/.agents/skills/tea/SKILL.md", TEA), ("/project/.agents/skills/lost/SKILL.md", LOST)]),
    )
}

/// The exit code, the number of findings that are shown, and those that are known and that are gone.
fn counted(place: &Place, words: &[&str]) -> String {
    let (code, json) = place.json(words);
    let Some(Json::List(findings)) = json.get("findings") else { panic!("no findings: {json}") };
    let number = |name: &str| field(&json, &format!("baseline.{name}"));
    format!("{} {} {} {}", code.unwrap_or(-1), findings.len(), number("known"), number("gone"))
}

#[test]
fn the_cycle() {
    let tea = "project/.agents/skills/tea/SKILL.md";
    let place = place();
    let write = |path: &str, text: &str| {
        fs::create_dir_all(place.at(path).parent().expect("a folder")).expect("a folder can be made");
        fs::write(place.at(path), text).expect("a file can be written");
    };
    assert_eq!(counted(&place, &["check"]), "1 3 - -", "without a baseline");
    let changes: &[(&str, &str, &str, &[&str], &str)] = &[
        // A change of one file, a command, and the exit code, the findings, the known and the gone.
        ("written", tea, TEA, UPDATE, "0 0 3 0"),
        ("known", tea, TEA, BASELINE, "0 0 3 0"),
        ("moved lines", tea, &TEA.replace("name", "license: MIT\nname"), BASELINE, "0 0 3 0"),
        ("more space at the end of a line", tea, &TEA.replace("Tea\n", "Tea  \n"), BASELINE, "0 0 3 0"),
        ("another line", tea, &TEA.replace("Tea\n", "TEA\n"), BASELINE, "1 2 1 2"),
        ("as it was", tea, TEA, BASELINE, "0 0 3 0"),
        ("another file", "project/.agents/skills/new/SKILL.md", &LOST.replace("lost", "new"), BASELINE, "1 1 3 0"),
        ("also known", tea, TEA, UPDATE, "0 0 4 0"),
        ("mended", tea, FINE, BASELINE, "0 0 2 2"),
        ("forgotten", tea, FINE, UPDATE, "0 0 2 0"),
        ("found again", tea, TEA, BASELINE, "1 2 2 0"),
    ];
    for (case, path, text, words, expect) in changes {
        write(path, text);
        assert_eq!(counted(&place, words), *expect, "{case}");
    }
}

/// The same line with the same finding once more is a new finding.
#[test]
fn a_second_equal_finding() {
    let pattern = "---\nname: a\ndescription: D\ntriggers:\n  keywords:\n    - \"\"\n---\n";
    let twice = pattern.replace("    - \"\"\n", "    - \"\"\n    - \"\"\n");
    let path = "/project/skills/a/SKILL.md";
    let place = Place::of(Tree::default().with(path, pattern)).last(&["--dialect", "agent-base"]);
    let words = |more: &[&'static str]| [&["check", "skills", "--baseline", "b.json"], more].concat();
    let first = counted(&place, &words(&["--update-baseline"]));
    let [_, _, known, _] = first.split(' ').collect::<Vec<_>>()[..] else { panic!("{first}") };
    assert_ne!(known, "0", "there is something to know");
    assert_eq!(counted(&place, &words(&[])), first);
    fs::write(place.at(path), twice).expect("a file can be written");
    let second = counted(&place, &words(&[]));
    assert_eq!(second.split(' ').skip(1).collect::<Vec<_>>(), ["1", known, "0"]);
}

#[test]
fn what_is_written() {
    let place = place();
    let said = place.say(UPDATE);
    assert_eq!((said.code, said.out.as_str()), (Some(0), "no findings\n"), "{}", said.err);
    let file = place.named(FILE);
    assert_eq!(said.err, format!("note: the baseline `{file}` now has 3 findings\n"));
    let text = place.read(FILE).expect("a baseline");
    let json = Json::parse(&text).expect("JSON");
    assert_eq!(field(&json, "version"), "1");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3 + 3 + 2, "one finding a line: {text}");
    assert!(
        lines[3].starts_with(r#"    {"path":".agents/skills/lost/SKILL.md","code":"description-missing""#),
        "{text}"
    );
    assert!(
        lines[4].starts_with(r#"    {"path":".agents/skills/tea/SKILL.md","code":"name-invalid","line":""#),
        "{text}"
    );
    assert!(lines[5].ends_with(r#","count":1}"#), "{text}");
    assert!(!text.contains(&place.named("project")) && text.ends_with("]\n}\n"), "{text}");
    let before = fs::metadata(place.at(FILE)).expect("a file").modified().expect("a time");
    place.say(UPDATE);
    assert_eq!(place.read(FILE).as_deref(), Some(text.as_str()), "the same again");
    assert_eq!(fs::metadata(place.at(FILE)).expect("a file").modified().expect("a time"), before, "and not written");
    let said = place.say(BASELINE);
    assert_eq!((said.code, said.out.as_str()), (Some(0), "no findings\n"));
    assert_eq!(said.err, format!("note: 3 findings of the baseline `{file}` are not shown\n"));
    assert_eq!(place.say(&[BASELINE, &["-q"]].concat()).err, "");
    let left: Vec<_> = fs::read_dir(place.at("project")).expect("a folder").flatten().map(|e| e.file_name()).collect();
    assert_eq!(left.len(), 2, "nothing else is left behind: {left:?}");
}

#[test]
fn what_no_longer_occurs() {
    let place = place();
    place.say(UPDATE);
    fs::write(place.at("project/.agents/skills/tea/SKILL.md"), FINE).expect("a file can be written");
    let words = [BASELINE, &["--strict", "--profile", "agentskills"]].concat();
    let said = place.say(&words);
    let update =
        "`skilltree check --baseline=.skilltree-baseline.json --update-baseline --strict --profile agentskills`";
    let note = format!("note: 2 findings of the baseline no longer occur; {update} updates it\n");
    holds("a note", &said.err, &["note: 1 finding of the baseline `", "is not shown\n", &note]);
    for format in ["sarif", "github"] {
        let said = place.say(&[BASELINE, &["--format", format]].concat());
        assert_eq!(said.code, Some(0), "{format}");
        assert!(!said.out.contains("description-missing"), "{format}: {}", said.out);
    }
}

/// Of a baseline for all skills, a check of some of them changes and misses only their findings.
#[test]
fn some_paths() {
    let place = place();
    place.say(UPDATE);
    let of = |path: &'static str, words: &[&'static str]| [words, &[path]].concat();
    let (tea, lost) = (".agents/skills/tea", ".agents/skills/lost/SKILL.md");
    assert_eq!(counted(&place, &of(tea, BASELINE)), "0 0 2 0");
    assert_eq!(counted(&place, &of(lost, BASELINE)), "0 0 1 0");
    fs::write(place.at("project/.agents/skills/tea/SKILL.md"), FINE).expect("a file can be written");
    assert_eq!(counted(&place, &of(lost, BASELINE)), "0 0 1 0", "what is not checked is not missed");
    assert_eq!(counted(&place, &of(tea, BASELINE)), "0 0 0 2");
    assert_eq!(counted(&place, &of(tea, UPDATE)), "0 0 0 0");
    holds("all entries", &place.say(&of(tea, UPDATE)).err, &["now has 1 finding\n"]);
    assert_eq!(counted(&place, BASELINE), "0 0 1 0", "what was not checked is still known");
}

/// A baseline is made for a repository: what is elsewhere is not missed on another machine.
#[test]
fn what_is_outside_of_the_project() {
    let place = Place::of(
        Tree::default().files(&[("/home/.agents/skills/lost/SKILL.md", LOST), ("/other/lost/SKILL.md", LOST)]),
    );
    assert_eq!(counted(&place, &[UPDATE, &["--root", "../other"]].concat()), "0 0 2 0");
    let text = place.read(FILE).expect("a baseline");
    holds(
        "by the home directory",
        &text,
        &["\"path\":\"/", "other/lost/SKILL.md", "\"path\":\"~/.agents/skills/lost/SKILL.md\""],
    );
    assert_eq!(counted(&place, &[BASELINE, &["--root", "../other"]].concat()), "0 0 2 0");
    assert_eq!(counted(&place, &[BASELINE, &["--home", "../nowhere"]].concat()), "0 0 0 0");
}

/// A baseline of a folder above is not emptied.
#[test]
fn another_working_directory() {
    let files = [("/project/.claude/skills/a/SKILL.md", LOST), ("/project/.claude/skills/b/SKILL.md", LOST)];
    let place = Place::of(Tree::default().files(&files));
    assert_eq!(counted(&place, &[UPDATE, &[".claude/skills"]].concat()), "0 0 4 0");
    let there = |more: &[&str]| {
        let mut command =
            place.command(&[&["check", "--baseline=../../../.skilltree-baseline.json", "."], more].concat());
        said(command.current_dir(place.at("project/.claude/skills/a")))
    };
    let checked = there(&[]);
    assert!(!checked.err.contains("no longer occur"), "{}", checked.err);
    there(&["--update-baseline"]);
    assert_eq!(counted(&place, &[BASELINE, &[".claude/skills"]].concat()), "0 0 4 0");
}

#[test]
fn files_that_are_no_baseline() {
    let place = place();
    let missing = place.say(BASELINE);
    assert_eq!((missing.code, missing.out.as_str()), (Some(2), ""));
    let help = "help: `skilltree check --baseline=.skilltree-baseline.json --update-baseline` writes it\n";
    holds("missing", &missing.err, &["error: the baseline `", "` does not exist\n", help]);
    let (code, json) = place.json(BASELINE);
    assert_eq!((code, error_code(&json)), (Some(2), Some("baseline-missing")));
    place.check("no file is named", &["check", "--update-baseline"], 2, &[], &["--baseline"]);
    let cases = [
        ("", "expected a value"),
        ("{", "expected"),
        ("[]", "expected a `version`"),
        ("{\"version\": 2, \"findings\": []}", "version 2 is not known"),
        ("{\"version\": 1}", "expected a list of `findings`"),
        ("{\"version\": 1, \"findings\": [{}]}", "finding 1 has no `path`, `code` or `count`"),
        ("{\"version\": 1, \"findings\": [{\"path\": \"a\", \"code\": \"b\", \"count\": -1}]}", "finding 1 has no"),
        ("---\nname: tea\n", "expected"),
        ("{\"version\": 1, \"findings\": [], \"findings\": []}", "expected an object with each key once"),
    ];
    for (text, reason) in cases {
        for words in [BASELINE, UPDATE] {
            fs::write(place.at(FILE), text).expect("a file can be written");
            let said = place.say(words);
            assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{text}");
            holds(text, &said.err, &["error: `", "` is not a baseline: ", reason]);
            assert_eq!(place.read(FILE).as_deref(), Some(text), "it is not overwritten");
        }
    }
    fs::write(place.at(FILE), b"\xff").expect("a file can be written");
    place.check("no text", BASELINE, 2, &[], &["it is not UTF-8"]);
    place.check("a folder", &["check", "--baseline", ".agents"], 2, &[], &["error: "]);
    place.check("into a folder", &["check", "--baseline", ".agents", "--update-baseline"], 2, &[], &["error: "]);
}

/// Nothing is mended if the baseline cannot be read.
#[test]
fn the_baseline_is_read_before_files_are_changed() {
    let (path, before) =
        ("project/.agents/skills/tea/SKILL.md", "---\nname: tea\ndescription: Tea: green\n---\nBoil.\n");
    let tree = Tree::default().with("/project/.agents/skills/tea/SKILL.md", before).with("/project/corrupt.json", "{");
    let place = Place::of(tree);
    for (file, update, expect) in [
        ("none.json", &[][..], "baseline-missing"),
        ("corrupt.json", &[], "baseline-corrupt"),
        ("corrupt.json", &["--update-baseline"], "baseline-corrupt"),
        (".agents", &["--update-baseline"], "file-system"),
    ] {
        let (code, json) = place.json(&[&["check", "--fix", "--baseline", file], update].concat());
        assert_eq!((code, error_code(&json)), (Some(2), Some(expect)), "{file}");
        assert_eq!(place.read(path).as_deref(), Some(before), "{file}");
    }
    let help = "`skilltree check --baseline=none.json --update-baseline` writes it";
    place.check("the same check", &["check", "--fix=all", "--dry-run", "--baseline", "none.json"], 2, &[], &[help]);
}

#[test]
fn a_dry_run_writes_no_baseline() {
    let place = place();
    let dry = [UPDATE, &["--fix", "--dry-run"]].concat();
    place.check("none yet", &dry, 0, &[], &["json` would have 3 findings"]);
    assert_eq!(place.read(FILE), None);
    place.check("written", UPDATE, 0, &["no findings"], &["json` now has 3 findings"]);
    let written = place.read(FILE);
    place.write("project/.agents/skills/tea/SKILL.md", FINE);
    let update = "2 findings of the baseline no longer occur; `skilltree check --baseline=.skilltree-baseline.json --update-baseline` updates";
    place.check("less", &[BASELINE, &["--fix", "--dry-run"]].concat(), 0, &[], &[update]);
    place.check("less", &dry, 0, &[], &["json` would have 1 finding"]);
    assert_eq!(place.read(FILE), written);
}

/// Two entries of the same finding, as a merge leaves them, count as one with the sum.
#[test]
fn a_merged_file() {
    let place = place();
    place.say(UPDATE);
    let text = place.read(FILE).expect("a baseline");
    let line = text.lines().nth(3).expect("an entry").to_owned();
    fs::write(place.at(FILE), text.replacen(&line, &format!("{line}\n{line}"), 1)).expect("a file can be written");
    assert_eq!(counted(&place, BASELINE), "0 0 3 1");
}

/// A repository that ships its baseline as a symlink has no file of its user read or replaced.
#[cfg(unix)]
#[test]
fn a_link_of_the_project_is_not_followed() {
    for (case, link, target, asked) in [
        ("the file", "project/.skilltree-baseline.json", "../victim/file", ".skilltree-baseline.json"),
        ("a folder on the way", "project/out", "../victim", "out/file"),
        ("a file that is not there", "project/new.json", "../victim/new", "new.json"),
    ] {
        for text in ["private", "{\"version\": 1, \"findings\": []}"] {
            let place = place();
            fs::create_dir(place.at("victim")).expect("a folder");
            fs::write(place.at("victim/file"), text).expect("a file");
            std::os::unix::fs::symlink(target, place.at(link)).expect("a link");
            for update in [&[][..], &["--update-baseline"]] {
                let said = place.say(&[&["check", "--baseline", asked][..], update].concat());
                assert_eq!((said.code, said.out.as_str()), (Some(1), ""), "{case}: {}", said.err);
                holds(case, &said.err, &["through the symbolic link `", link.trim_start_matches("project/")]);
                assert!(!said.err.contains("private"), "{case}: {}", said.err);
            }
            assert_eq!(place.read("victim/file").as_deref(), Some(text), "{case}");
            assert!(!place.at("victim/new").exists(), "{case}");
        }
    }
}
