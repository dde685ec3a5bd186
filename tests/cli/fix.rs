//! The real binary mends files, or shows what it would change.
#![cfg(unix)]

use crate::common;

use crate::program::{Place, error_code, field};
use common::Tree;
use pretty_assertions::assert_eq;
use std::process::Command;

const BEFORE: &str = "---\nname: tea\ndescription: Tea: green\n---\nBoil.\n";
const AFTER: &str = "---\nname: tea\ndescription: \"Tea: green\"\n---\nBoil.\n";
const OTHER: &str = "---\nname: Pot\ndescription: D\n---\n";

fn place() -> Place {
    let tree = Tree::default().with("/project/s/tea/SKILL.md", BEFORE).with("/project/s/pot/skill.md", OTHER);
    Place::of(tree.with("/elsewhere/SKILL.md", BEFORE).with_link("/project/s/out", "../../elsewhere"))
}

#[test]
fn files_are_mended_and_what_is_left_is_shown() {
    let place = place();
    let tea = place.named("project/s/tea/SKILL.md");
    let left = ["error[name-invalid]", "error[name-mismatch]", "2 errors"];
    let fixed = format!("fixed {tea}: line 3\n\n");
    let out = [&[fixed.as_str()], &left[..]].concat();
    place.check("safe", &["check", "s", "--fix"], 1, &out, &[]);
    assert_eq!(place.read("project/s/tea/SKILL.md").as_deref(), Some(AFTER));
    assert_eq!(place.read("elsewhere/SKILL.md").as_deref(), Some(BEFORE), "outside of the project");
    let note = ["is not written"];
    place.check("a link that is followed", &["--follow-links-out", "check", "s/out", "--fix"], 1, &["2:7"], &note);
    assert_eq!(place.read("elsewhere/SKILL.md").as_deref(), Some(BEFORE), "outside of the project, followed");
    let pot = place.named("project/s/pot/skill.md");
    let (code, json) = place.json(&["check", "s", "--fix=all"]);
    assert_eq!(field(&json, "fixed.0.path"), format!("{pot:?}"), "{json}");
    assert_eq!(field(&json, "fixed.0.lines"), "[2]");
    assert_eq!(field(&json, "fixed.0.renamed_to"), format!("{:?}", place.named("project/s/pot/SKILL.md")));
    assert_eq!((code, error_code(&json), field(&json, "fixed.1")), (Some(0), None, "-".to_owned()));
    assert_eq!(place.read("project/s/pot/SKILL.md"), Some(OTHER.replace("Pot", "pot")));
    assert_eq!(place.read("project/s/pot/skill.md"), None);
    let (_, json) = place.json(&["check", "s", "--fix=all"]);
    assert_eq!(field(&json, "fixed"), "[]");
}

#[test]
fn a_renamed_file_is_checked_under_its_new_name() {
    let place = place();
    place.check("a file", &["check", "s/pot/skill.md", "--fix=all"], 0, &["renamed to SKILL.md", "no findings"], &[]);
}

#[test]
fn a_dry_run_writes_nothing() {
    let place = place();
    let diff = "--- a/s/pot/skill.md\n+++ b/s/pot/SKILL.md\n@@ -1,4 +1,4 @@\n ---\n-name: Pot\n+name: pot\n description: D\n \
                ---\n--- a/s/tea/SKILL.md\n+++ b/s/tea/SKILL.md\n@@ -1,5 +1,5 @@\n ---\n name: tea\n\
                -description: Tea: green\n+description: \"Tea: green\"\n ---\n Boil.\n";
    let rename = "diff --git a/s/pot/skill.md b/s/pot/SKILL.md\nrename from s/pot/skill.md\nrename to s/pot/SKILL.md\n";
    let words = ["check", "s", "--fix=all", "--dry-run"];
    place.exact("all", &words, 1, &format!("{rename}{diff}"), "2 errors, 3 warnings\n");
    place.check(
        "one of them",
        &["check", "s/tea", "--fix", "--dry-run"],
        0,
        &["+++ b/s/tea/SKILL.md\n"],
        &["1 warning"],
    );
    let (code, json) = place.json(&["check", "s/tea", "--fix", "--dry-run"]);
    assert_eq!((code, field(&json, "fixed.0.lines")), (Some(0), "[3]".to_owned()), "{json}");
    assert_eq!(field(&json, "findings.0.code"), "\"yaml-repaired\"", "of the file as it is");
    assert_eq!(place.read("project/s/tea/SKILL.md").as_deref(), Some(BEFORE));
    place.check("alone", &["check", "--dry-run"], 2, &[], &["--fix"]);
}

/// The head of a hunk names the lines that it has on both sides, also where a line is inserted above lines that go.
#[test]
fn the_lines_of_a_hunk_are_counted() {
    let place = Place::of(Tree::default().files(&[(
        "/project/s/pdf/SKILL.md",
        "```yaml\nname: PDF: Forms\ndescription: Use when: a form has fields.\n---\n# PDF\n",
    )]));
    let said = place.say(&["check", "s", "--fix", "--dry-run"]);
    let (mut hunks, mut left) = (0, (0, 0));
    for line in said.out.lines() {
        let head = line.strip_prefix("@@ -").and_then(|rest| rest.strip_suffix(" @@")?.split_once(" +"));
        if let Some((old, new)) = head {
            let side = |side: &str| {
                let (at, lines) = side.split_once(',').unwrap_or((side, "1"));
                (at.parse::<usize>().expect("a line"), lines.parse::<usize>().expect("a number of lines"))
            };
            let ((old_at, old_lines), (new_at, new_lines)) = (side(old), side(new));
            assert_eq!((old_at, new_at, left), (1, 1, (0, 0)), "{}", said.out);
            (hunks, left) = (hunks + 1, (old_lines, new_lines));
        } else if hunks == 1 && left != (0, 0) {
            left.0 -= usize::from(!line.starts_with('+'));
            left.1 -= usize::from(!line.starts_with('-'));
        }
    }
    assert_eq!((hunks, left), (1, (0, 0)), "{}", said.out);
}

/// Both `git apply` and `patch` take the names of files and the ends of lines as git writes them, and no name forges a line.
#[test]
fn what_a_diff_says_is_applied() {
    let makefile = "a:\n\techo ok\nb:\n\techo ok\n";
    let forged = "x\n--- a/Makefile\n+++ b/Makefile\n@@ -2 +2 @@\n-\techo ok\n+\techo no\n--- a/s/ok";
    let names = ["tea", "my tea", "a\ttea", "\"tea\"", "té", "a\u{202e}b", forged];
    let short = BEFORE.replace("Boil.", "Boil.\rWait.\r\nPour.");
    // For so many lines the shortest diff is not searched for.
    let long = format!("{short}{}", "Wait.\n".repeat(5_000));
    for (name, text) in names.map(|name| (name, &short)).into_iter().chain([("long", &long)]) {
        let manifest = format!("project/s/{name}/SKILL.md");
        let tree = Tree::default().with("/project/Makefile", makefile).with(&format!("/{manifest}"), &**text);
        let place = Place::of(tree).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let said = place.say(&["check", "s", "--fix", "--dry-run"]);
        for line in said.out.lines().filter(|line| line.contains("Makefile")) {
            assert!(line.starts_with("--- \"a/s/x\\012") || line.starts_with("+++ \"b/s/x\\012"), "{name:?}: {line}");
        }
        place.write("fix.patch", &said.out);
        for program in [&["git", "apply", "../fix.patch"][..], &["patch", "-p1", "--batch", "-i", "../fix.patch"]] {
            place.write(&manifest, text);
            let done = Command::new(program[0]).args(&program[1..]).current_dir(place.at("project")).output();
            // Not every machine has both programs.
            let Ok(done) = done else { continue };
            let case = format!("{name:?} by {}: {}", program[0], String::from_utf8_lossy(&done.stderr));
            assert!(done.status.success(), "{case}\n{}", said.out);
            let after = place.read(&manifest).expect("it is there");
            assert_eq!(after, text.replace("Tea: green", "\"Tea: green\""), "{case}");
            assert_eq!(place.read("project/Makefile").as_deref(), Some(makefile), "{case}");
        }
    }
}

#[test]
fn a_diff_names_no_symlink_within_the_project() {
    let tree = Tree::default().with("/project/s/tea/SKILL.md", BEFORE).with("/project/s/pot/skill.md", OTHER);
    let place = Place::of(tree.with_link("/project/s/cup", "tea").with_link("/project/s/a", "pot"));
    for paths in [&["s/cup"][..], &["s/tea", "s/cup"], &["s", "s/cup"]] {
        let words = [&["check", "--fix", "--dry-run"][..], paths].concat();
        let out = place.say(&words).out;
        assert!(out.starts_with("--- a/s/tea/SKILL.md\n+++ b/s/tea/SKILL.md\n@@"), "{paths:?}: {out}");
        assert_eq!(out.matches("+++ ").count(), 1, "{paths:?}: {out}");
    }
    let out = place.say(&["check", "--fix=all", "--dry-run", "s/a"]).out;
    let rename = "diff --git a/s/pot/skill.md b/s/pot/SKILL.md\nrename from s/pot/skill.md\nrename to s/pot/SKILL.md\n";
    assert!(out.starts_with(&format!("{rename}--- a/s/pot/skill.md\n+++ b/s/pot/SKILL.md\n")), "{out}");
}

#[test]
fn an_archive_is_not_written() {
    let place = place();
    place.check("packed", &["pack", "s/tea"], 0, &["tea.skill"], &[]);
    let note =
        ["note: `", "tea.skill/tea/SKILL.md` is not written: files in archives are not changed; unpack the archive"];
    place.check("an archive", &["check", "tea.skill", "--fix"], 0, &["yaml-repaired", "1 warning"], &note);
}

#[test]
fn a_revision_is_not_written() {
    let place = place().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    if !place.git(&["init", "--quiet"]) || !place.git(&["add", "."]) || !place.git(&["commit", "--quiet", "-m", "one"])
    {
        return;
    }
    let note = ["note: `", "git:HEAD:s/tea/SKILL.md` is not written: files of a revision are not changed; fix"];
    let fix = ["check", "git:HEAD:s/tea", "--fix"];
    place.check("a revision", &fix, 0, &["yaml-repaired", "1 warning"], &note);
    place.exact("only shown", &[&fix[..], &["--dry-run"]].concat(), 0, "", note[1]);
    assert_eq!(place.read("project/s/tea/SKILL.md").as_deref(), Some(BEFORE));
}
