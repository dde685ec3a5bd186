//! The table in `README.md` that compares the dialects. It is made of the dialects' own tables; `UPDATE=1` writes it.
#![cfg(not(target_family = "wasm"))]

use crate::parts::{Part, part};
use pretty_assertions::assert_eq;
use skilltree::Dialect;
use skilltree::dialect::NAMES;
use std::fs;

const BEGIN: &str = "<!-- The table is written by `UPDATE=1 cargo test --all-features readme::`. -->\n";
const END: &str = "\n<!-- End of the table. -->";

/// A column: what the behaviour is called, and what a dialect does.
type Column = (&'static str, fn(&Dialect) -> String);

const COLUMNS: &[Column] = &[
    ("of equal names, used is", who_wins),
    ("folders above", |table| match has(table, "repository") {
        true => "root".to_owned(),
        false => yes(has(table, "ancestors")),
    }),
    ("levels", |table| table.scan_depth().map_or_else(|| "any".to_owned(), |depth| depth.to_string())),
    ("SKILL.md in the root", |table| yes(permits(table, "scan.root"))),
    ("hidden folders", |table| {
        let is_other = |source: Part| source.at("hidden").text() == "no";
        let in_some = permits(table, "scan.hidden") && part(table, "sources").rows().any(is_other);
        if in_some { "in some".to_owned() } else { yes(permits(table, "scan.hidden")) }
    }),
    ("named by", named_by),
    ("equal names", equal_names),
    ("description required", |table| {
        let is_it =
            |field: Part| field.at("role").text() == "description" && field.at("necessity").text() == "required";
        yes(part(table, "fields").rows().any(is_it))
    }),
    ("no frontmatter", |table| {
        if part(table, "missing_frontmatter").text() == "skip" { "no skill" } else { described(table) }.to_owned()
    }),
    ("invalid YAML", |table| {
        match part(table, "header.invalid_yaml").text() {
            "skip" => "no skill",
            "empty" => "quoted, or no fields",
            "quote" | "quote-colons" | "block-colons" => "quoted",
            "lines" | "tolerant" | "flat" => "by line",
            _ => "other",
        }
        .to_owned()
    }),
    ("size of the list", |table| {
        let budget = part(table, "prompt.budget");
        let number = |path| budget.at(path).number().expect("a number");
        match budget.text() {
            "unlimited" => "any".to_owned(),
            "chars" => number("chars").to_string(),
            word @ ("window" | "tokens") => format!("{} %", number(&format!("{word}.percent"))),
            _ => "other".to_owned(),
        }
    }),
    ("tool", |table| table.tool_name().map_or_else(|| "–".to_owned(), |name| format!("`{name}`"))),
    ("proven by", |table| {
        let is_whole = |basis: &Part| basis.at("part").text() == "table";
        // What the table does not name is taken from the documents of the system.
        part(table, "basis")
            .rows()
            .find(is_whole)
            .map_or("documentation", |basis| basis.at("evidence").text())
            .to_owned()
    }),
];

fn yes(is_so: bool) -> String {
    if is_so { "yes" } else { "–" }.to_owned()
}

fn has(table: &Dialect, reach: &str) -> bool {
    part(table, "sources").rows().any(|source| source.at("reach").text() == reach)
}

fn permits(table: &Dialect, path: &str) -> bool {
    part(table, path).text() == "yes"
}

fn who_wins(table: &Dialect) -> String {
    let home = part(table, "sources").rows().rposition(|source| source.at("base").text() == "home");
    let is_in_project =
        |source: Part| source.at("base").text() == "project" || !source.at("project_fallback").is_null();
    let project = part(table, "sources").rows().rposition(is_in_project);
    match (part(table, "equal_keys").text(), home, project) {
        (_, Some(_), None) => "home",
        (_, None, _) => "project",
        ("keep" | "qualify-or-keep", ..) => "both",
        ("undetermined", ..) => "undetermined",
        (_, home, project) if home < project => "project",
        _ => "home",
    }
    .to_owned()
}

fn named_by(table: &Dialect) -> String {
    match part(table, "key.of").text() {
        "path" => "path",
        "name" => "name",
        "folder" => "folder",
        _ => "other",
    }
    .to_owned()
}

fn equal_names(table: &Dialect) -> String {
    if part(table, "key.prefix").text() == "label" {
        // The label of its source is a part of each key, so that no two are equal.
        return "all".to_owned();
    }
    match part(table, "equal_keys").text() {
        "shadow" => "one",
        "shadow-in-any-case" => "one, in any case",
        "undetermined" => "any one",
        "keep" => "all",
        "qualify" | "qualify-or-keep" => "with path",
        _ => "other",
    }
    .to_owned()
}

fn described(table: &Dialect) -> &'static str {
    match part(table, "description_fallback").text() {
        "first-paragraph" => "paragraph",
        "first-line" => "first line",
        "first-heading" => "heading",
        _ => "undescribed",
    }
}

/// The table in Markdown.
fn table() -> String {
    let titles: Vec<&str> = COLUMNS.iter().map(|(title, _)| *title).collect();
    let mut lines = vec![format!("| | {} |", titles.join(" | ")), format!("|---|{}", "---|".repeat(titles.len()))];
    for name in NAMES {
        let table = skilltree::dialect(name).expect("a dialect of this name");
        let cells: Vec<String> = COLUMNS.iter().map(|(_, cell)| cell(&table)).collect();
        lines.push(format!("| {name} | {} |", cells.join(" | ")));
    }
    lines.join("\n")
}

#[test]
fn the_table_of_dialects_is_theirs() {
    let file = crate::common::root().join("README.md");
    let text = fs::read_to_string(&file).expect("the README can be read");
    let (before, rest) = text.split_once(BEGIN).expect("the README has the table");
    let (now, after) = rest.split_once(END).expect("the table has an end");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, format!("{before}{BEGIN}{}{END}{after}", table())).expect("the README can be written");
        return;
    }
    assert_eq!(now, table(), "`UPDATE=1` writes the table");
}

/// The lines by which the README installs the program. `tests/smallest.rs` builds and runs what the first of them names.
#[test]
fn the_lines_that_install_it() {
    let root = crate::common::root();
    let readme = fs::read_to_string(root.join("README.md")).expect("the README");
    let lines: Vec<&str> = readme.lines().filter(|line| line.starts_with("cargo install ")).collect();
    let commands: Vec<&str> = lines.iter().filter_map(|line| Some(line.split(" #").next()?.trim_end())).collect();
    let usual = "cargo install --path src/cli";
    let small = format!("{usual} --no-default-features --profile small");
    assert_eq!(commands, [&small, usual, &format!("{usual} --all-features")]);
}
