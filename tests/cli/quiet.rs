//! What commands say besides their answer: one line about findings, what could not be read, and less with `--quiet`.
#![cfg(unix)]

use crate::common;

use crate::program::{Place, holds};
use common::Tree;
use pretty_assertions::assert_eq;

const TEA: &str = "---\nname: tea\ndescription: Makes tea.\nallowed-tools: Read\n---\nBoil water.\n";
const LOST: &str = "---\nname: lost\n---\nText.\n";
const MENDED: &str = "---\nname: mended\ndescription: Use when: always\n---\nText.\n";

/// Skills of which some have findings, and one link that is not followed.
fn place() -> Place {
    let tree = Tree::default().with("/project/.agents/skills/tea/SKILL.md", TEA).with("/other/far/SKILL.md", TEA);
    let tree = (0..30).fold(tree, |tree, n| {
        let named = |text: &str, name: &str| text.replacen(name, &format!("{name}-{n}"), 1);
        let lost = tree.with(&format!("/project/.agents/skills/lost-{n}/SKILL.md"), named(LOST, "lost"));
        lost.with(&format!("/project/.agents/skills/mended-{n}/SKILL.md"), named(MENDED, "mended"))
    });
    Place::of(tree.with_link("/project/.agents/skills/far", "../../../other/far"))
}

const COMMANDS: &[&[&str]] = &[
    &["list"],
    &["tree"],
    &["prompt", "--budget", "100000"],
    &["prompt", "--json", "--budget", "100000"],
    &["matrix"],
    &["matrix", "--json"],
    &["tool"],
    &["complete"],
    &["load", "mended-0"],
    &["load", "tea", "--trust"],
    &["why", "tea"],
    &["dialect"],
    &["version"],
];

#[test]
fn one_line_about_findings() {
    let place = place();
    for words in COMMANDS {
        let said = place.say(words);
        assert_eq!(said.code, Some(0), "{words:?}: {}", said.err);
        assert!(said.err.lines().count() <= 1, "{words:?}: {}", said.err);
    }
    let check = "`skilltree check` shows them\n";
    for words in [["list"], ["tree"], ["prompt"]] {
        let note = "note: 61 findings in 61 files (30 errors, 31 warnings); 30 SKILL.md files skipped, \
             1 file or folder could not be read, `";
        holds(words[0], &place.say(&words).err, &[note, ".agents/skills/far` first; ", check]);
    }
    for words in [&["matrix"][..], &["tool"], &["complete"]] {
        holds(words[0], &place.say(words).err, &[".agents/skills/far: ", "[leads-out]: "]);
    }
}

#[test]
fn less_if_quiet() {
    let place = place();
    for words in COMMANDS {
        let loud = place.say(words);
        for quiet in [[words, &["--quiet"][..]].concat(), [&["-q"][..], words].concat()] {
            let said = place.say(&quiet);
            assert_eq!((said.code, &said.out), (loud.code, &loud.out), "{quiet:?}");
            assert_eq!(said.err, "", "{quiet:?}");
        }
    }
    place.check("an error", &["-q", "load", "taa"], 1, &[], &["error: there is no skill `taa`"]);
    place.exact("no skills", &["-q", "list", "--only-roots"], 0, "", "");
    place.exact("no note", &["-q", "invoke", "/nothing"], 1, "/nothing\n", "");
}

/// What makes an answer wrong is said all the same.
#[test]
fn errors_are_not_silenced() {
    let tree = Tree::default().with("/project/.agents/skills/tea/SKILL.md", TEA);
    let place = Place::of(tree.with_other("/project/.claude/skills"));
    for words in [["list"], ["tree"], ["prompt"], ["tool"], ["complete"], ["matrix"]] {
        let [loud, quiet] =
            [&["--dialect=agentskills"][..], &["-q"]].map(|more| place.say(&[&words[..], more].concat()));
        holds(words[0], &loud.err, &[".claude/skills", "source-unreadable"]);
        holds(words[0], &quiet.err, &[".claude/skills", "source-unreadable"]);
        assert_eq!(quiet.err.lines().count(), 1, "{words:?}: {}", quiet.err);
    }
}

#[test]
fn a_quiet_check() {
    let place = place();
    let loud = place.say(&["check"]);
    let quiet = place.say(&["check", "-q"]);
    assert_eq!((loud.code, quiet.code), (Some(1), Some(1)));
    holds(
        "all",
        &loud.out,
        &["[yaml-repaired]", "\n30 errors    description-missing", "skilltree explain description-missing\n"],
    );
    assert!(!quiet.out.contains("warning[") && !quiet.out.contains("explain"), "{}", quiet.out);
    assert_eq!(quiet.out.matches("error[").count(), loud.out.matches("error[").count());
    assert_eq!(quiet.out.lines().last(), loud.out.lines().last(), "the counting line");
    let mended = ["check", "-q", ".agents/skills/mended-0"];
    let only = place.say(&mended);
    assert_eq!(only.out.lines().count(), 1, "no errors: {}", only.out);
    let json = |words: &[&str]| place.say(&[words, &["--json"]].concat()).out;
    assert_eq!(json(&["check", "-q"]), json(&["check"]), "a document is complete");
}

/// The most frequent codes of the most serious severity come first.
#[test]
fn a_summary_by_code() {
    let tree = [("lost", LOST), ("a/lost", LOST), ("c", MENDED)];
    let tree = tree
        .iter()
        .fold(Tree::default(), |tree, (name, text)| tree.with(&format!("/project/s/{name}/SKILL.md"), *text));
    let place = Place::of(tree);
    let out = place.say(&["check", "s"]).out;
    let summary = out.rsplit("\n\n").next().unwrap_or_default();
    let expect = "2 errors   description-missing  skilltree explain description-missing\n\
                  1 error    name-mismatch        skilltree explain name-mismatch\n\
                  1 warning  yaml-repaired        skilltree explain yaml-repaired\n\
                  3 errors, 1 warning\n";
    assert_eq!(summary, expect, "{out}");
}
