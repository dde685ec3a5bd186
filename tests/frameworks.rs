//! The guide's page on agent frameworks shows the first part of each of their examples, which run elsewhere: those in Python by
//! `.ci/python`, that for the AI SDK in `tests/cli/npm.rs`. `UPDATE=1` writes what it shows.
#![cfg(not(target_family = "wasm"))]

use crate::common::root;
use pretty_assertions::assert_eq;
use std::fs;

/// What an example has before its test: everything behind the comment at its beginning.
fn own_part(name: &str) -> String {
    let text = fs::read_to_string(root().join("tests/examples").join(name)).expect("an example");
    let (own, _) = text.split_once(" The rest is the test.").expect("its test");
    let (_, own) = own
        .split_once("\n\n")
        .filter(|_| own.starts_with("//"))
        .unwrap_or_else(|| own.split_once("\"\"\"\n\n").expect("a description of the program"));
    own.trim_end_matches(['#', '/']).trim_end().to_owned()
}

#[test]
fn the_page_shows_what_runs() {
    let file = root().join("src/guide/frameworks.md");
    let mut page = fs::read_to_string(&file).expect("the page");
    for (name, language) in [("pydantic_ai_agent.py", "python"), ("openai_agents.py", "python"), ("ai_sdk.mjs", "js")] {
        let begin = format!("<!-- tests/examples/{name} -->\n```{language}\n");
        let (before, rest) = page.split_once(&begin).unwrap_or_else(|| panic!("the page shows `{name}`"));
        let (shown, after) = rest.split_once("```\n").expect("the end of the example");
        let own = own_part(name) + "\n";
        if std::env::var_os("UPDATE").is_none() {
            assert_eq!(shown, own, "{name}: `UPDATE=1` writes the page");
        }
        page = format!("{before}{begin}{own}```\n{after}");
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, page).expect("the page can be written");
    }
}
