//! The files of a skill as a drawing (rule 12.9).

use super::frame::is_unlisted_folder;
use crate::dialect::LoadRule;
use crate::discovery::world::World;
use crate::model::skill::{Location, Skill};
use crate::package::files::{Folder, OtherKind, Package};
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::lower::lower;
use crate::text::order::sort_by;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// How many files and folders are drawn.
const MAX_ITEMS: usize = 200;

/// What stands for entries that are not drawn.
const MORE: &str = "...";

/// What is in a folder.
#[derive(Default)]
struct Contents<'p> {
    /// The names of its files.
    files: Vec<&'p str>,
    /// The paths of its folders below the skill's, each with whether its contents are drawn.
    folders: BTreeMap<&'p str, bool>,
}

/// One line of the drawing, and the path of the folder whose contents follow it.
struct Item<'p> {
    label: String,
    folder: Option<&'p str>,
}

/// The drawing of the folder of the skill whose SKILL.md was read at `path`. `dir` is the folder as it is named to the
/// model.
pub(super) fn tree(world: &World<'_>, rule: &LoadRule, skill: &Skill, path: &FsPath, dir: &str) -> String {
    let location = if *path == skill.path { Ok(skill.location()) } else { Location::now(world.fs, path) };
    // What cannot be listed has no files.
    let package = location.ok().map(|location| Folder::for_names(world.fs, &location).list());
    let contents = package.as_ref().map(|package| contents(rule, package)).unwrap_or_default();
    let (items, is_complete) = items(&contents);
    let mut text = format!("Showing up to {MAX_ITEMS} items (files + folders).");
    if !is_complete {
        text.push_str(&format!(
            " `{MORE}` marks folders with more items: they were skipped, or the limit of {MAX_ITEMS} items was reached."
        ));
    }
    text.push_str(&format!("\n\n{}/", dir.trim_end_matches('/')));
    draw(&items, &mut text);
    text
}

/// The contents of each folder, by its path below the skill's, which is empty for that itself. Symlinks are left out.
fn contents<'p>(rule: &LoadRule, package: &'p Package<'_>) -> HashMap<&'p str, Contents<'p>> {
    let mut all: HashMap<&str, Contents<'_>> = HashMap::new();
    for file in package.files.iter().filter(|file| file.target.is_none()) {
        let (dir, name) = file.name.rsplit_once('/').unwrap_or(("", &file.name));
        if add_folder(rule, &mut all, dir, true) {
            all.entry(dir).or_default().files.push(name);
        }
    }
    for other in &package.others {
        match other.kind {
            OtherKind::Folder => _ = add_folder(rule, &mut all, &other.name, true),
            OtherKind::NestedSkill => _ = add_folder(rule, &mut all, &other.name, false),
            OtherKind::Excluded if is_unlisted_folder(rule, last_name(&other.name)) => {
                add_folder(rule, &mut all, &other.name, false);
            }
            _ => {}
        }
    }
    all
}

/// Adds a folder, and those that lead to it, to the folders that contain them. Returns whether its contents are drawn.
fn add_folder<'p>(rule: &LoadRule, all: &mut HashMap<&'p str, Contents<'p>>, path: &'p str, is_drawn: bool) -> bool {
    let ends = path.match_indices('/').map(|(at, _)| at).chain((!path.is_empty()).then_some(path.len()));
    for folder in ends.filter_map(|end| path.get(..end)) {
        let (parent, name) = folder.rsplit_once('/').unwrap_or(("", folder));
        let is_drawn = !is_unlisted_folder(rule, name) && (is_drawn || folder != path);
        all.entry(parent).or_default().folders.entry(folder).or_insert(is_drawn);
        if !is_drawn {
            return false;
        }
    }
    true
}

/// The items of each folder that is drawn, files before folders; and whether these are all. If there are too many, those
/// nearest to the skill's folder are drawn.
fn items<'p>(all: &HashMap<&'p str, Contents<'p>>) -> (HashMap<&'p str, Vec<Item<'p>>>, bool) {
    let mut drawn: HashMap<&str, Vec<Item<'_>>> = HashMap::new();
    let (mut remaining, mut is_complete) = (MAX_ITEMS, true);
    let mut waiting = VecDeque::from([""]);
    while let Some(dir) = waiting.pop_front() {
        let Some(contents) = all.get(dir) else { continue };
        if remaining == 0 {
            is_complete = false;
            continue;
        }
        let (mut files, mut folders) = (contents.files.clone(), Vec::from_iter(&contents.folders));
        sort_by(&mut files, |a, b| (lower(a), a).cmp(&(lower(b), b)));
        sort_by(&mut folders, |(a, _), (b, _)| (lower(a), a).cmp(&(lower(b), b)));
        let items = drawn.entry(dir).or_default();
        let fitting = files.len().min(remaining);
        remaining -= fitting;
        items.extend(files.iter().take(fitting).map(|name| Item { label: visible(name).into_owned(), folder: None }));
        let has_more_files = fitting < files.len();
        if has_more_files {
            items.push(Item { label: MORE.to_owned(), folder: None });
        }
        let fitting = folders.len().min(remaining);
        remaining -= fitting;
        for (path, is_drawn) in folders.iter().take(fitting) {
            let more = if **is_drawn { "" } else { MORE };
            is_complete &= **is_drawn;
            let folder = is_drawn.then_some(**path);
            items.push(Item { label: format!("{}/{more}", visible(last_name(path))), folder });
            waiting.extend(folder);
        }
        let has_more_folders = fitting < folders.len();
        if has_more_folders && !has_more_files {
            items.push(Item { label: MORE.to_owned(), folder: None });
        }
        is_complete &= !has_more_files && !has_more_folders;
    }
    (drawn, is_complete)
}

/// Writes a line for each item, with the contents of a folder below it.
fn draw(items: &HashMap<&str, Vec<Item<'_>>>, text: &mut String) {
    let mut waiting = Vec::from([("", 0, String::new())]);
    while let Some((dir, at, indent)) = waiting.pop() {
        let Some(items) = items.get(dir) else { continue };
        let Some(item) = items.get(at) else { continue };
        let (connector, below) =
            if at + 1 == items.len() { ("└───", "    ") } else { ("├───", "│   ") };
        text.push_str(&format!("\n{indent}{connector}{}", item.label));
        let below = item.folder.map(|folder| (folder, 0, format!("{indent}{below}")));
        waiting.push((dir, at + 1, indent));
        waiting.extend(below);
    }
}

fn last_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}
