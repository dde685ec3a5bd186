//! In: a catalog. Out: its skills as a table or as a tree, and what is shadowed.

use super::style::{FAINT, HEAD, KEY, paint};
use super::table::table;
use super::text::folded;
use anstyle::Style;
use skilltree::{Catalog, Fs, Skill, visible};
use std::collections::{HashMap, HashSet};

/// The table of the skills, and the shadowed ones after it.
pub(crate) fn list(fs: &dyn Fs, catalog: &Catalog, width: Option<usize>) -> String {
    let skills = catalog.skills();
    let named = skills.iter().any(|skill| skill.name != skill.key);
    let rows: Vec<Vec<String>> =
        skills.iter().map(|skill| row(skill, visible(&skill.key).into_owned(), named)).collect();
    let mut out = columns(named, &rows, width);
    out.push_str(&shadowed(fs, catalog));
    out
}

/// The same, each skill under its parent.
pub(crate) fn tree(fs: &dyn Fs, catalog: &Catalog, width: Option<usize>) -> String {
    let named = catalog.skills().iter().any(|skill| skill.name != skill.key);
    let rows: Vec<Vec<String>> = nested(catalog)
        .into_iter()
        .map(|(depth, skill)| row(skill, indented(depth, &visible(&skill.key)), named))
        .collect();
    let mut out = columns(named, &rows, width);
    out.push_str(&shadowed(fs, catalog));
    out
}

fn columns(named: bool, rows: &[Vec<String>], width: Option<usize>) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let (plain, mut styles, mut head) = (Style::new(), vec![KEY], vec!["KEY"]);
    if named {
        styles.push(plain);
        head.push("NAME");
    }
    styles.extend([plain, plain, plain]);
    head.extend(["SOURCE", "FOR", "DESCRIPTION"]);
    table(&styles, Some(&head), rows, width)
}

fn row(skill: &Skill, key: String, named: bool) -> Vec<String> {
    let mut row = vec![key];
    if named {
        row.push(folded(&skill.name).into_owned());
    }
    let users = match (skill.audience.model, skill.audience.user) {
        _ if skill.state == skilltree::State::Disabled => "off",
        (true, true) => "model+user",
        (true, false) => "model",
        (false, true) => "user",
        (false, false) => "off",
    };
    row.extend([folded(&skill.source.label).into_owned(), users.to_owned(), folded(skill.description()).into_owned()]);
    row
}

fn shadowed(fs: &dyn Fs, catalog: &Catalog) -> String {
    if catalog.shadowed().is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = catalog
        .shadowed()
        .iter()
        .map(|one| {
            let path = visible(&fs.spell(&one.skill.path)).into_owned();
            let by = format!("shadowed by {}", visible(&fs.spell(&one.by)));
            vec![visible(&one.skill.key).into_owned(), path, by]
        })
        .collect();
    // Paths are not cut: they are there to be opened.
    format!("\n{}\n{}", paint(HEAD, "SHADOWED"), table(&[FAINT, FAINT, FAINT], None, &rows, None))
}

/// The deepest indentation that is drawn: a chain of ten thousand parents shall not be a triangle.
const MAX_INDENT: usize = 32;

fn indented(depth: usize, key: &str) -> String {
    format!("{}{key}", "  ".repeat(depth.min(MAX_INDENT)))
}

/// Every skill once, each after its parent, with its depth.
fn nested(catalog: &Catalog) -> Vec<(usize, &Skill)> {
    let mut children: HashMap<&str, Vec<&Skill>> = HashMap::new();
    let mut has_parent: HashSet<&str> = HashSet::new();
    for skill in catalog.skills() {
        let below: Vec<&Skill> = catalog.below(skill).collect();
        has_parent.extend(below.iter().map(|child| child.key.as_str()));
        children.insert(&skill.key, below);
    }
    let roots = catalog.skills().iter().filter(|skill| !has_parent.contains(skill.key.as_str()));
    let mut open: Vec<(usize, &Skill)> = roots.rev().map(|skill| (0, skill)).collect();
    let mut out = Vec::with_capacity(catalog.skills().len());
    let mut done: HashSet<&str> = HashSet::new();
    while let Some((depth, skill)) = open.pop() {
        if !done.insert(&skill.key) {
            continue;
        }
        out.push((depth, skill));
        let below = children.get(skill.key.as_str()).into_iter().flatten();
        open.extend(below.rev().map(|child| (depth + 1, *child)));
    }
    out
}
