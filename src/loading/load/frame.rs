//! Puts the body of a loaded skill into the frame of its dialect, with the files, the children and whatever else the
//! frame shows.

use super::{LoadRequest, Loaded, tree};
use crate::dialect::{EqualKeys, LoadRule};
use crate::discovery::catalog::Catalog;
use crate::discovery::manifest::location_name;
use crate::discovery::world::World;
use crate::model::skill::{Caller, Frontmatter, Skill};
use crate::offer::fill::{escape_value, escaped_in_frame, fill, split_hole};
use crate::package::body::Body;
use crate::package::inventory::Resources;
use crate::path::FsPath;
use crate::text::escape::{mapped, visible};
use crate::text::lines::{Source, with_lf};
use std::borrow::Cow;
use std::cell::LazyCell;

/// What is put into a frame besides the body and the arguments.
pub(super) struct FrameValues<'v> {
    pub(super) name: &'v str,
    pub(super) knowledge: &'v str,
    pub(super) source: &'v str,
    pub(super) frontmatter: &'v Frontmatter,
    /// The SKILL.md that was read.
    pub(super) path: &'v FsPath,
}

/// Puts the body into the frame.
pub(super) fn fill_frame(
    world: &World<'_>,
    catalog: &Catalog,
    skill: &Skill,
    ask: &LoadRequest,
    values: &FrameValues<'_>,
    loaded: &mut Loaded,
) {
    let rule = &catalog.dialect().load;
    let files = file_rows(world, rule, skill, loaded);
    // Few frames show these.
    let resources =
        LazyCell::new(|| Resources::among(loaded.files.iter().filter_map(|file| file.relative_to(&loaded.dir))));
    let tree = LazyCell::new(|| tree::tree(world, rule, skill, values.path, &loaded.shown_dir));
    let variants = LazyCell::new(|| variants(catalog, skill, ask.caller));
    let children = child_rows(rule, loaded.children.iter().filter_map(|key| catalog.get(key)));
    let (key, asked) = (visible(&skill.key), visible(ask.asked.as_deref().unwrap_or(&skill.key)));
    let description = values.frontmatter.description.as_deref().unwrap_or_default();
    let (inline, fork) = if loaded.is_fork { ("", "yes") } else { ("yes", "") };
    let len = rule.frame.source().len() + loaded.body.len() + files.len() + children.len() + values.source.len();
    let (mut text, mut body_at) = (String::with_capacity(len), None);
    rule.frame.render_with_offsets(
        &|hole| match hole {
            "body" => Some(Cow::Borrowed(loaded.body.as_str())),
            "source" => Some(Cow::Borrowed(values.source)),
            "args" => Some(Cow::Borrowed(ask.args.trim())),
            "inline" => Some(Cow::Borrowed(inline)),
            "fork" => Some(Cow::Borrowed(fork)),
            "scripts" => Some(Cow::Owned(resource_rows(rule, skill, &loaded.shown_dir, &resources.scripts))),
            "references" => Some(Cow::Owned(resource_rows(rule, skill, &loaded.shown_dir, &resources.references))),
            "files" => Some(Cow::Borrowed(files.as_str())),
            "children" => Some(Cow::Borrowed(children.as_str())),
            "knowledge" => Some(Cow::Borrowed(values.knowledge)),
            hole => {
                let known = [
                    ("key", &*key),
                    ("name", values.name),
                    ("asked", &*asked),
                    ("description", description),
                    ("dir", loaded.shown_dir.as_str()),
                    ("path", loaded.shown_path.as_str()),
                ];
                match split_hole(hole).0 {
                    "tree" => escaped_in_frame(rule.escape, hole, &[("tree", &tree)]),
                    "variants" => escaped_in_frame(rule.escape, hole, &[("variants", &variants)]),
                    _ => escaped_in_frame(rule.escape, hole, &known),
                }
            }
        },
        &mut text,
        &mut |hole, at| {
            if hole == "body" {
                body_at = Some(at);
            }
        },
    );
    (loaded.text, loaded.body_at) = (text, body_at);
}

/// The whole file as text, if the frame shows it.
pub(super) fn source(rule: &LoadRule, bytes: &[u8]) -> String {
    if !rule.frame.placeholders().any(|hole| hole == "source") {
        return String::new();
    }
    // What is not UTF-8 is not a skill.
    with_lf(Source::new(&String::from_utf8_lossy(bytes)).text()).into_owned()
}

/// The path of the SKILL.md that was read, as it is named to the model.
pub(super) fn shown_path(world: &World<'_>, skill: &Skill, body: &Body) -> String {
    let path = match body.path == skill.path {
        true => world.fs.display(&body.path),
        // A copy may have another path for the model.
        false => Cow::Owned(format!("{}/{}", body.dir, body.path.name())),
    };
    visible(&path).into_owned()
}

/// The keys of the skills that were given another key than this one's because this one has it.
fn variants(catalog: &Catalog, skill: &Skill, caller: Caller) -> String {
    let EqualKeys::Qualify(_) = &catalog.dialect().equal_keys else { return String::new() };
    let is_variant = |other: &&Skill| {
        let is_longer = other.key.strip_suffix(skill.key.as_str()).is_some_and(|before| before.ends_with(':'));
        // A key with a namespace, or a name with a colon in it, was not changed.
        let is_unchanged = other.source.namespace.is_some()
            || other.frontmatter.namespace.is_some()
            || other.frontmatter.name.as_ref() == Some(&other.key)
            || location_name(&other.path) == other.key;
        is_longer && !is_unchanged && other.is_for(caller)
    };
    let keys: Vec<_> = catalog.skills().iter().filter(is_variant).map(|other| visible(&other.key)).collect();
    keys.join(", ")
}

/// Whether a path below the skill's folder leads through one of the folders whose files are not listed.
fn is_unlisted(rule: &LoadRule, relative: &str) -> bool {
    if rule.unlisted_folders.is_empty() {
        return false;
    }
    let folders = relative.rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.split('/').any(|name| is_unlisted_folder(rule, name))
}

/// Whether the files in folders of this name are not listed.
pub(super) fn is_unlisted_folder(rule: &LoadRule, name: &str) -> bool {
    rule.unlisted_folders.iter().any(|unlisted| unlisted == name)
}

fn file_rows(world: &World<'_>, rule: &LoadRule, skill: &Skill, loaded: &Loaded) -> String {
    let mut rows = String::new();
    let mut count = 0;
    for file in &loaded.files {
        let relative = file.relative_to(&loaded.dir).unwrap_or(file.as_str());
        if is_unlisted(rule, relative) {
            continue;
        }
        count += 1;
        if rule.max_files < count {
            continue;
        }
        if count != 1 {
            rows.push('\n');
        }
        file_row(rule, skill, relative, &|| world.fs.display(file), &mut rows);
    }
    if rule.max_files < count && !rule.more_files.source().is_empty() {
        rows.push('\n');
        let count = (count - rule.max_files).to_string();
        fill(&rule.more_files, rule.escape, &[("count", &count)], &mut rows);
    }
    rows
}

fn file_row<'f>(
    rule: &LoadRule,
    skill: &'f Skill,
    relative: &'f str,
    absolute: &dyn Fn() -> Cow<'f, str>,
    out: &mut String,
) {
    let value = |hole: &str| {
        let (name, in_attribute) = split_hole(hole);
        let value = match name {
            "relative" => visible(relative),
            "absolute" => mapped(absolute(), visible),
            "key" => visible(&skill.key),
            _ => return None,
        };
        Some(mapped(value, |text| escape_value(rule.escape, in_attribute, text)))
    };
    rule.file_row.render(&value, out);
}

fn resource_rows(rule: &LoadRule, skill: &Skill, dir: &str, names: &[String]) -> String {
    let mut rows = String::new();
    for (n, name) in names.iter().enumerate() {
        if n != 0 {
            rows.push('\n');
        }
        file_row(rule, skill, name, &|| Cow::Owned(format!("{dir}/{name}")), &mut rows);
    }
    rows
}

fn child_rows<'s>(rule: &LoadRule, children: impl Iterator<Item = &'s Skill>) -> String {
    let mut rows = String::new();
    for child in children {
        if !rows.is_empty() {
            rows.push('\n');
        }
        // Rule 12.4: a one-line description
        let description = child.description().trim().lines().next().unwrap_or("").trim();
        let (key, name) = (visible(&child.key), visible(&child.name));
        let holes = [("key", &*key), ("name", &*name), ("description", description)];
        fill(&rule.child_row, rule.escape, &holes, &mut rows);
    }
    rows
}
