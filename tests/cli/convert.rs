//! The real binary: a skill is written for another skill system, into a new folder or not at all.
#![cfg(unix)]

use crate::common;

use crate::program::{PATH, Place, error_code, field, texts};
use common::Tree;
use pretty_assertions::assert_eq;
use std::fs;
use std::os::unix::fs::PermissionsExt;

const SKILL: &str = "---\nname: pdf\ndescription: Fills forms.\nmodel: opus\n---\nFill $0.\n";

fn place() -> Place {
    let tree = Tree::default()
        .with("/project/.claude/skills/pdf/SKILL.md", SKILL)
        .with("/project/.claude/skills/pdf/scripts/fill.sh", "#!/bin/sh\n")
        .with("/project/.claude/skills/pdf/notes.md", "x")
        .with("/project/.claude/skills/pdf/.git/HEAD", "x")
        .with_link("/project/.claude/skills/pdf/out.md", "/project/secret")
        .with("/project/secret", "x")
        .with_dir("/project/out")
        .with_dir("/elsewhere");
    let place = Place::of(tree).env("PATH", PATH).first(&["--dialect", "claude"]);
    let script = place.at("project/.claude/skills/pdf/scripts/fill.sh");
    fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(place.at("project/.claude/skills/pdf/notes.md"), fs::Permissions::from_mode(0o600)).unwrap();
    place
}

/// The names in a folder, sorted.
fn names(place: &Place, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(place.at(folder)).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_skill_is_written_with_its_files_and_its_losses() {
    let place = place();
    let folder = place.named("project/out/pdf");
    let out = format!(
        "{folder}\n\
         lost model: `sven` has no field for the model to use\n\
         lost body: `$0`: `sven` replaces no such placeholders, so the text stays as written\n\
         lost out.md: the symlink leads out of the skill's folder, so it is not copied\n"
    );
    place.exact("in text", &["convert", "pdf", "--to", "sven", "-d", "out"], 0, &out, "");
    assert_eq!(place.read("project/out/pdf/SKILL.md").unwrap(), SKILL);
    assert_eq!(names(&place, "project/out/pdf"), ["SKILL.md", "notes.md", "scripts"]);
    let mode = |name: &str| fs::metadata(place.at(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("project/out/pdf/scripts/fill.sh") & 0o100, 0o100, "a script stays a program");
    assert_eq!(mode("project/out/pdf/notes.md"), 0o600, "a private file stays private");
    let (code, json) = place.json(&["convert", "pdf", "--to", "codex", "-d", "../elsewhere"]);
    assert_eq!(code, Some(0), "{json}");
    assert_eq!(field(&json, "path"), format!("{:?}", place.named("elsewhere/pdf")));
    assert_eq!(texts(&json, "lost", "field"), ["model", "body", "out.md"]);
    place.check("without a folder", &["convert", "pdf", "--to", "claude"], 0, &["project/pdf\n"], &[]);
    assert_eq!(place.read("project/pdf/SKILL.md").unwrap(), SKILL);
}

#[test]
fn what_is_there_stays_as_it_is() {
    let place = place();
    let convert = ["convert", "pdf", "--to", "sven", "-d", "out"];
    place.check("once", &convert, 0, &["out/pdf\n"], &[]);
    fs::write(place.at("project/out/pdf/SKILL.md"), "mine").unwrap();
    fs::remove_file(place.at("project/out/pdf/notes.md")).unwrap();
    place.check("twice", &convert, 1, &[], &["out/pdf` exists already and is not overwritten; choose another folder"]);
    let (code, json) = place.json(&convert);
    assert_eq!((code, error_code(&json)), (Some(1), Some("exists")));
    assert_eq!(place.read("project/out/pdf/SKILL.md").unwrap(), "mine");
    assert_eq!(names(&place, "project/out/pdf"), ["SKILL.md", "scripts"]);
    assert_eq!(names(&place, "project/out"), ["pdf"], "nothing else is left behind");

    fs::write(place.at("elsewhere/pdf"), "a file").unwrap();
    place.check("a file", &["convert", "pdf", "--to", "sven", "-d", "../elsewhere"], 1, &[], &["exists already"]);
    assert_eq!(place.read("elsewhere/pdf").unwrap(), "a file");
    fs::remove_file(place.at("elsewhere/pdf")).unwrap();
    std::os::unix::fs::symlink("nowhere", place.at("elsewhere/pdf")).unwrap();
    place.check("a symlink", &["convert", "pdf", "--to", "sven", "-d", "../elsewhere"], 1, &[], &["exists already"]);
    assert_eq!(names(&place, "elsewhere"), ["pdf"]);
}

#[test]
fn the_folder_is_made() {
    let place = place();
    let words = ["convert", "pdf", "--to", "sven", "-d", "new/.sven/skills"];
    place.check("it is not there yet", &words, 0, &["new/.sven/skills/pdf\n"], &[]);
    assert!(place.read("project/new/.sven/skills/pdf/SKILL.md").is_some());
}

#[test]
fn what_is_refused_is_not_written() {
    let place = place();
    let refused = |case: &str, words: &[&str], code: i32, expect: &str| {
        place.check(case, &[&["convert"], words].concat(), code, &[], &[expect]);
        assert_eq!(names(&place, "project/out"), [""; 0], "{case}");
    };
    refused("no such skill", &["pfd", "--to", "sven", "-d", "out"], 1, "there is no skill `pfd`; did you mean `pdf`?");
    refused("no such dialect", &["pdf", "--to", "latin", "-d", "out"], 2, "unknown dialect `latin`");
    refused("no dialect", &["pdf", "-d", "out"], 2, "--to <DIALECT>");
    refused(
        "a dialect that is nearly one",
        &["pdf", "--to", "svne"],
        2,
        "unknown dialect `svne`; did you mean `sven`?",
    );
    refused("a file", &["pdf", "--to", "sven", "-d", "secret"], 2, "could not be written");
    std::os::unix::fs::symlink(place.at("project/out"), place.at("project/link")).unwrap();
    refused("through a symlink of the project", &["pdf", "--to", "sven", "-d", "link"], 1, "symbolic link");
    let unreadable = place.at("project/.claude/skills/pdf/notes.md");
    fs::remove_file(&unreadable).unwrap();
    std::os::unix::fs::symlink("pipe", &unreadable).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(unreadable.with_file_name("pipe")).status().unwrap().success());
    place.check(
        "a pipe is not read",
        &["convert", "pdf", "--to", "sven", "-d", "out"],
        0,
        &["lost notes.md: ", "lost pipe: it is neither a file nor a folder"],
        &[],
    );
}
