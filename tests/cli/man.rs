//! The command `man`: a page for each command that the help lists.

use crate::program::{Place, error_code, field, holds};
use pretty_assertions::assert_eq;
use std::fs;

#[test]
fn a_page_for_each_command() {
    let place = Place::of(crate::common::Tree::default());
    let said = place.say(&["man", "../pages/man1"]);
    assert_eq!((said.code, said.out.as_str()), (Some(0), "the manual pages are in ../pages/man1\n"));
    let page = |name: &str| fs::read_to_string(place.at(&format!("pages/man1/{name}.1"))).unwrap_or_default();
    let help = place.say(&["--help"]).out;
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.map_while(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let names: Vec<&str> = commands.filter_map(|line| line.split(' ').next()).collect();
    assert!(names.len() > 20 && names.contains(&"matrix"), "{help}");
    for name in names.into_iter().filter(|name| *name != "help") {
        let page = page(&format!("skilltree-{name}"));
        holds(name, &page, &[".SH NAME", ".SH SYNOPSIS", "skilltree(1)"]);
    }
    holds("a command of a command", &page("skilltree-session-reattach"), &["\\-\\-budget"]);
    let main = page("skilltree");
    holds("the program", &main, &["\\-\\-dialect", "skilltree\\-matrix(1)", env!("CARGO_PKG_VERSION")]);
    assert!(!page("skilltree-list").contains("\\-\\-only\\-roots"), "the options of all commands are in one page");
}

#[test]
fn a_folder_that_cannot_be_made() {
    let place = Place::of(crate::common::Tree::default().with("/project/file", "text"));
    let (code, json) = place.json(&["man", "file"]);
    assert_eq!((code, error_code(&json)), (Some(2), Some("io")));
    let (code, json) = place.json(&["man", "pages"]);
    assert_eq!((code, field(&json, "dir")), (Some(0), format!("{:?}", place.named("project/pages"))), "rule 24.7");
}

/// No page is written where a symlink of the project leads.
#[cfg(unix)]
#[test]
fn links_of_a_project_are_not_followed() {
    let tree = crate::common::Tree::default().with("/out/skilltree.1", "kept").with_link("/project/link", "../out");
    let place = Place::of(tree);
    let (code, json) = place.json(&["man", "link"]);
    assert_eq!((code, error_code(&json)), (Some(1), Some("link-refused")));
    assert_eq!(fs::read_dir(place.at("out")).expect("a folder").count(), 1);
    assert_eq!(place.read("out/skilltree.1").as_deref(), Some("kept"));
    place.check("the user's own folder", &["man", "../out"], 0, &["the manual pages are in ../out\n"], &[]);
    assert_ne!(place.read("out/skilltree.1").as_deref(), Some("kept"));
}
