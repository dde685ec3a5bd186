//! In: a catalog. Out: its skills as a table or as a tree, and what is shadowed.

use super::style::{FAINT, HEAD, KEY, paint};
use super::table::lines;
use super::text::folded;
use anstyle::Style;
use skilltree::{Catalog, Fs, Skill, visible};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The lines of the table of the skills, and of the shadowed ones after it.
pub(crate) fn list(fs: &dyn Fs, catalog: &Catalog, width: Option<usize>, out: &mut dyn FnMut(&str)) {
    let rows = |row: &mut dyn FnMut(&Skill, Cow<'_, str>)| {
        for skill in catalog.skills() {
            row(skill, visible(&skill.key));
        }
    };
    columns(catalog, &rows, width, out);
    shadowed(fs, catalog, out);
}

/// The same, each skill under its parent.
pub(crate) fn tree(fs: &dyn Fs, catalog: &Catalog, width: Option<usize>, out: &mut dyn FnMut(&str)) {
    let nested = nested(catalog);
    let rows = |row: &mut dyn FnMut(&Skill, Cow<'_, str>)| {
        for (depth, skill) in &nested {
            row(skill, indented(*depth, &visible(&skill.key)).into());
        }
    };
    columns(catalog, &rows, width, out);
    shadowed(fs, catalog, out);
}

/// Goes through the skills, each with what stands in the column of its key.
type Keyed<'a> = &'a dyn Fn(&mut dyn FnMut(&Skill, Cow<'_, str>));

fn columns(catalog: &Catalog, rows: Keyed<'_>, width: Option<usize>, out: &mut dyn FnMut(&str)) {
    if catalog.skills().is_empty() {
        return;
    }
    let named = catalog.skills().iter().any(|skill| skill.name != skill.key);
    let (plain, mut styles, mut head) = (Style::new(), vec![KEY], vec!["KEY"]);
    if named {
        styles.push(plain);
        head.push("NAME");
    }
    styles.extend([plain, plain, plain]);
    head.extend(["SOURCE", "FOR", "DESCRIPTION"]);
    let has_commands = catalog.dialect().slash.is_some();
    let each = |cells: &mut dyn FnMut(&[Cow<'_, str>])| {
        rows(&mut |skill, key| cells(&row(skill, key, named, has_commands)));
    };
    lines(&styles, Some(&head), &each, width, out);
}

fn row<'s>(skill: &'s Skill, key: Cow<'s, str>, named: bool, has_commands: bool) -> Vec<Cow<'s, str>> {
    let mut row = vec![key];
    if named {
        row.push(folded(&skill.name));
    }
    // Where users type no commands, nobody but the model calls a skill.
    let users = match (skill.audience.model, skill.audience.user && has_commands) {
        _ if skill.state == skilltree::State::Disabled => "off",
        (true, true) => "model+user",
        (true, false) => "model",
        (false, true) => "user",
        (false, false) => "off",
    };
    row.extend([folded(&skill.source.label), users.into(), folded(skill.description())]);
    row
}

fn shadowed(fs: &dyn Fs, catalog: &Catalog, out: &mut dyn FnMut(&str)) {
    if catalog.shadowed().is_empty() {
        return;
    }
    let rows = |row: &mut dyn FnMut(&[Cow<'_, str>])| {
        for one in catalog.shadowed() {
            let path = fs.spell(&one.skill.path);
            let by = format!("shadowed by {}", visible(&fs.spell(&one.by)));
            row(&[visible(&one.skill.key), visible(&path), by.into()]);
        }
    };
    out(&format!("\n{}\n", paint(HEAD, "SHADOWED")));
    // Paths are not cut: they are there to be opened.
    lines(&[FAINT, FAINT, FAINT], None, &rows, None, out);
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
