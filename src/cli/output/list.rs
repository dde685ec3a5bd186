//! Formats the skills of a catalog as a table or a tree, followed by the shadowed skills.
//!
//! On a terminal, a column with the same value in every row becomes a line above the table, and paths are relative to
//! their sources.

use super::style::{FAINT, HEAD, KEY, paint};
use super::table::lines;
use super::text::{cut, cut_path, folded, width};
use anstyle::Style;
use skilltree::model::Source;
use skilltree::{Caller, Catalog, Dialect, Fs, FsPath, Shadowed, Skill, visible};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Prints the skills as a table, followed by the shadowed skills. `width` is the width of the terminal, if there is
/// one.
pub(crate) fn list(fs: &dyn Fs, catalog: &Catalog, width: Option<usize>, out: &mut dyn FnMut(&str)) {
    let skills: Vec<(usize, &Skill)> = catalog.skills().iter().map(|skill| (0, skill)).collect();
    columns(fs, catalog, &skills, width, out);
    shadowed(fs, catalog, width, out);
}

/// Like [`list`], with each skill below its parent.
pub(crate) fn tree(fs: &dyn Fs, catalog: &Catalog, width: Option<usize>, out: &mut dyn FnMut(&str)) {
    columns(fs, catalog, &nested(catalog), width, out);
    shadowed(fs, catalog, width, out);
}

#[derive(Clone, Copy)]
struct Shown<'d> {
    name: bool,
    source: bool,
    users: bool,
    dialect: &'d Dialect,
}

/// Prints the rows of skills, each with how deep it is indented.
fn columns(
    fs: &dyn Fs,
    catalog: &Catalog,
    skills: &[(usize, &Skill)],
    width: Option<usize>,
    out: &mut dyn FnMut(&str),
) {
    let Some(first) = catalog.skills().first() else { return };
    let differ = |other: fn(&Skill, &Skill) -> bool| catalog.skills().iter().any(|skill| other(skill, first));
    let name = catalog.skills().iter().any(|skill| skill.name != skill.key);
    let dialect = catalog.dialect();
    let shown = Shown {
        name,
        source: width.is_none() || differ(|one, other| one.source.label != other.source.label),
        users: width.is_none() || catalog.skills().iter().any(|one| users(one, dialect) != users(first, dialect)),
        dialect,
    };
    if let Some(width) = width {
        same(fs, catalog, first, shown, width, out);
    }
    let (plain, mut styles, mut head) = (Style::new(), vec![KEY], vec!["KEY"]);
    for (_, column) in
        [(shown.name, "NAME"), (shown.source, "SOURCE"), (shown.users, "FOR")].iter().filter(|(is_shown, _)| *is_shown)
    {
        styles.push(plain);
        head.push(column);
    }
    styles.push(plain);
    head.push("DESCRIPTION");
    let deepest = width.map_or(MAX_INDENT, |width| MAX_INDENT.min(width / 8));
    let each = |cells: &mut dyn FnMut(&[Cow<'_, str>])| {
        for (depth, skill) in skills {
            let key = match (*depth).min(deepest) {
                0 => visible(&skill.key),
                depth => format!("{}{}", "  ".repeat(depth), visible(&skill.key)).into(),
            };
            cells(&row(skill, key, shown));
        }
    };
    lines(&styles, Some(&head), &each, width, None, out);
    if catalog.skills().iter().any(|skill| skill.repaired) {
        out(&format!(
            "\n{} used only thanks to a repair; the client reads the file differently\n",
            paint(HEAD, REPAIRED)
        ));
    }
}

fn same(fs: &dyn Fs, catalog: &Catalog, first: &Skill, shown: Shown<'_>, screen: usize, out: &mut dyn FnMut(&str)) {
    let users = if shown.users { Cow::Borrowed("") } else { users(first, shown.dialect) };
    let mut parts = Vec::new();
    if !users.is_empty() {
        parts.push(format!("{} {users}", paint(HEAD, "FOR")));
    }
    if !shown.source {
        let label = folded(&first.source.label);
        let root = &first.source.root;
        let room = screen.saturating_sub("FOR   SOURCE  ()".len() + users.len() + width(&label));
        let has_one_root = catalog.skills().iter().all(|skill| skill.source.root == *root);
        let place = match MIN_PATH <= room && has_one_root {
            true => format!(" ({})", cut_path(&visible(&fs.display(root)), room)),
            false => String::new(),
        };
        parts.push(format!("{} {label}{place}", paint(HEAD, "SOURCE")));
    }
    if !parts.is_empty() {
        out(&format!("{}\n\n", parts.join("  ")));
    }
}

/// A path is left out if it would have less space than this.
const MIN_PATH: usize = 12;

fn row<'s>(skill: &'s Skill, key: Cow<'s, str>, shown: Shown<'_>) -> Vec<Cow<'s, str>> {
    let mut row = vec![key];
    if shown.name {
        row.push(folded(&skill.name));
    }
    if shown.source {
        row.push(folded(&skill.source.label));
    }
    if shown.users {
        row.push(users(skill, shown.dialect));
    }
    row.push(folded(skill.description()));
    row
}

/// Who may use a skill, and a mark if that is so only thanks to a repair.
fn users(skill: &Skill, dialect: &Dialect) -> Cow<'static, str> {
    let (read, here) = (offered(skill.as_read(), dialect), offered(skill, dialect));
    let mark = if skill.repaired { REPAIRED } else { "" };
    match read == here {
        true if mark.is_empty() => read.into(),
        true => format!("{read}{mark}").into(),
        false => format!("{read}{mark} (here: {here})").into(),
    }
}

/// The mark of a skill that is in use only thanks to a repair.
pub(crate) const REPAIRED: &str = "*";

fn offered(skill: &Skill, dialect: &Dialect) -> &'static str {
    // Without a slash command, a user gets a skill by asking the model for it.
    let is_reserved = dialect.reserves_command(&skill.key);
    match (skill.is_for(Caller::Model), skill.is_for(Caller::User)) {
        _ if skill.state == skilltree::State::Disabled => "off",
        (true, true) if dialect.has_commands() && !is_reserved => "model+user",
        (true, _) => "model",
        (false, true) if !is_reserved => "user",
        (false, _) => "off",
    }
}

fn shadowed(fs: &dyn Fs, catalog: &Catalog, width: Option<usize>, out: &mut dyn FnMut(&str)) {
    if catalog.shadowed().is_empty() {
        return;
    }
    out(&format!("\n{}\n", paint(HEAD, "SHADOWED")));
    if let Some(width) = width {
        return shadowed_on_screen(fs, catalog, width, out);
    }
    let rows = |row: &mut dyn FnMut(&[Cow<'_, str>])| {
        for one in catalog.shadowed() {
            let path = fs.display(&one.skill.path);
            let by = format!("{BY}{}{}", visible(&fs.display(&one.by)), either(one));
            row(&[visible(&one.skill.key), visible(&path), by.into()]);
        }
    };
    lines(&[FAINT, FAINT, FAINT], None, &rows, None, None, out);
}

const BY: &str = "shadowed by ";

/// What follows the winner.
fn either(one: &Shadowed) -> &'static str {
    if one.skill.undetermined { ", but the client may use either" } else { "" }
}

/// Prints each shadowed skill on one line if it fits, and otherwise on two.
fn shadowed_on_screen(fs: &dyn Fs, catalog: &Catalog, screen: usize, out: &mut dyn FnMut(&str)) {
    let sources = Sources::of(catalog);
    let keys = catalog.shadowed().iter().map(|one| width(&visible(&one.skill.key)));
    let widest = keys.filter(|width| width * 3 <= screen).max().unwrap_or(0);
    for one in catalog.shadowed() {
        let key = visible(&one.skill.key);
        let pad = widest.saturating_sub(width(&key));
        let key = format!("{}{:pad$}  ", cut(&key, screen.saturating_sub(2)), "");
        let place = sources.place(fs, &one.skill.source, &one.skill.path);
        let by = sources.winner(fs, catalog, one);
        let either = either(one);
        let words = BY.len() + either.len();
        let (room, room_by) = (screen.saturating_sub(width(&key)), screen.saturating_sub(words + 2));
        let between = if width(&place) + 2 + words + width(&by) <= room { "  " } else { "\n  " };
        let (place, by) = (cut_path(&place, room), cut_path(&by, room_by));
        out(&format!("{}\n", paint(FAINT, &format!("{key}{place}{between}{BY}{by}{either}"))));
    }
}

/// The source that each label belongs to; `None` if several sources share the label.
struct Sources<'c>(HashMap<&'c str, Option<&'c FsPath>>);

impl<'c> Sources<'c> {
    fn of(catalog: &'c Catalog) -> Sources<'c> {
        let mut labels: HashMap<&str, Option<&FsPath>> = HashMap::new();
        let shadowed = catalog.shadowed().iter().map(|one| &one.skill);
        for skill in catalog.skills().iter().chain(shadowed) {
            let root = &skill.source.root;
            let known = labels.entry(&skill.source.label).or_insert(Some(root));
            known.take_if(|known| *known != root);
        }
        Sources(labels)
    }

    /// The folder of a skill, relative to its source if the label identifies the source.
    fn place(&self, fs: &dyn Fs, source: &Source, path: &FsPath) -> String {
        let own = match path.name() {
            "SKILL.md" => path.parent(),
            _ => None,
        };
        let path = own.as_ref().unwrap_or(path);
        match path.relative_to(&source.root).filter(|_| matches!(self.0.get(source.label.as_str()), Some(Some(_)))) {
            Some(below) if self.0.len() == 1 => visible(below).into_owned(),
            Some(below) => format!("{}: {}", folded(&source.label), visible(below)),
            None => visible(&fs.display(path)).into_owned(),
        }
    }

    fn winner(&self, fs: &dyn Fs, catalog: &Catalog, one: &Shadowed) -> String {
        match catalog.get(&one.skill.key).filter(|winner| winner.path == one.by) {
            Some(winner) => self.place(fs, &winner.source, &winner.path),
            None => visible(&fs.display(&one.by)).into_owned(),
        }
    }
}

/// Maximum indentation of a tree, however deeply skills are nested.
const MAX_INDENT: usize = 32;

/// All skills in tree order, with their depths.
fn nested(catalog: &Catalog) -> Vec<(usize, &Skill)> {
    let mut children: HashMap<&str, Vec<&Skill>> = HashMap::new();
    let mut has_parent: HashSet<&str> = HashSet::new();
    for skill in catalog.skills() {
        let below: Vec<&Skill> = catalog.direct_children(skill).collect();
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
