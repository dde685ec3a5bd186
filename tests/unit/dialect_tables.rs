//! The tables of the built-in dialects, as a whole.

use super::*;
use pretty_assertions::assert_eq;
use std::collections::BTreeSet;

/// A wording of a table: where it stands, and the placeholders that its room fills.
type Wording<'a> = (&'static str, &'a Template, &'static [&'static str]);

fn wordings(dialect: &Dialect) -> Vec<Wording<'_>> {
    const ROW: &[&str] = &[
        "key",
        "name",
        "label",
        "description",
        "brief",
        "location",
        "path",
        "place",
        "second_name",
        "resources",
        "source",
        "scope",
        "sandbox",
        "@key",
        "@name",
        "@description",
        "@location",
    ];
    const FRAME: &[&str] = &[
        "key",
        "name",
        "body",
        "dir",
        "args",
        "inline",
        "fork",
        "files",
        "scripts",
        "references",
        "children",
        "knowledge",
        "asked",
        "description",
        "source",
        "path",
        "tree",
        "variants",
        "@key",
        "@name",
        "@dir",
        "@asked",
        "@description",
        "@path",
    ];
    let mut all: Vec<Wording<'_>> = vec![
        ("prompt.row", &dialect.prompt.row, ROW),
        ("prompt.bare_row", &dialect.prompt.name_row, ROW),
        ("prompt.notice", &dialect.prompt.notice, &["shown", "total"]),
        ("prompt.layout", &dialect.prompt.layout, &["guidance", "list", "notice", "roots"]),
        ("prompt.alias_row", &dialect.prompt.alias_row, &["alias", "path"]),
        ("load.frame", &dialect.load.frame, FRAME),
        ("load.file_row", &dialect.load.file_row, &["relative", "absolute", "key"]),
        ("load.more_files", &dialect.load.more_files, &["count"]),
        ("load.child_row", &dialect.load.child_row, &["key", "name", "description", "@key", "@name", "@description"]),
        ("load.already", &dialect.load.already_loaded, &["key", "name"]),
    ];
    let unknown = dialect.tool.iter().filter_map(|tool| tool.unknown.as_ref());
    all.extend(unknown.map(|unknown| ("tool.unknown", unknown, &["asked", "available", "near"] as &'static [_])));
    const MESSAGE: &[&str] = &["text", "body", "appended", "args", "name", "key", "dir", "path"];
    all.extend(dialect.commands.iter().map(|slash| ("slash.message", &slash.message, MESSAGE)));
    let rules =
        [dialect.load.substitution.as_ref(), dialect.commands.as_ref().and_then(|rule| rule.substitution.as_ref())];
    all.extend(rules.into_iter().flatten().map(|rule| ("appended", &rule.appended, &["args"] as &'static [_])));
    if let Some(fork) = &dialect.load.fork {
        all.push(("fork.label", &fork.label, &["name"]));
    }
    all.extend(
        dialect
            .knowledge
            .iter()
            .map(|knowledge| ("knowledge.row", &knowledge.row, &["file", "title"] as &'static [&'static str])),
    );
    all.extend(dialect.selection.iter().flat_map(|rule| {
        let document: &'static [&'static str] = &["name", "body"];
        [("matching.breadcrumb", &rule.breadcrumb, &["count"] as _), ("matching.document", &rule.document, document)]
    }));
    all
}

/// What is wrong with a wording.
fn faults(dialect: &str, (place, template, known): &Wording<'_>) -> Vec<String> {
    match Template::parse(template.source()) {
        Err(error) => vec![format!("{dialect}: {place}: {error}")],
        Ok(parsed) => parsed
            .placeholders()
            .filter(|placeholder| !known.contains(placeholder))
            .map(|placeholder| format!("{dialect}: {place}: no such placeholder: {placeholder}"))
            .collect(),
    }
}

fn twice<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    names.filter(|name| !seen.insert(*name)).collect()
}

#[test]
fn every_table_is_whole() {
    let broken = Template::new("{?a}");
    assert_eq!(faults("x", &("row", &broken, &["a"])).len(), 1, "a broken wording is found");
    assert_eq!(faults("x", &("row", &Template::new("{b}"), &["a"])).len(), 1, "an unknown placeholder is found");
    assert_eq!(twice(["a", "b", "a"].into_iter()), ["a"], "a doubled name is found");

    let mut found: Vec<String> = twice(NAMES.iter().copied()).into_iter().map(str::to_owned).collect();
    for name in NAMES {
        let Some(table) = dialect(name) else {
            found.push(format!("{name}: no table"));
            continue;
        };
        assert_eq!(table.name, *name, "a table knows its name");
        found.extend(wordings(&table).iter().flat_map(|wording| faults(name, wording)));
        for label in twice(table.sources.iter().map(|source| &*source.label)) {
            found.push(format!("{name}: two sources `{label}`"));
        }
        for path in twice(table.fields.iter().map(|field| &*field.path)) {
            found.push(format!("{name}: two fields `{path}`"));
        }
    }
    assert_eq!(found, Vec::<String>::new());
}
