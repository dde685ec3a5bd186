//! Places the rules of a source table: finds out in which folders each applies. Most rules apply in one folder. Others also
//! apply in the folders above the project, or below it on the way to the files that are being worked on (rules 2.13 and
//! 2.14). Of a folder nothing is looked at but whether it exists, so that the work depends on the length of the way and not
//! on the size of the repository.

use super::Ignored;
use crate::dialect::{
    Ancestors, Base, Dialect, LinkedFolders, Nearest, OutsideRepository, Permitted, Reach, SourceKind, SourceRule,
};
use crate::discovery::settings::{Folder, SettingPlace, Settings};
use crate::discovery::world::{Places, World};
use crate::fs::FsError;
use crate::model::skill::Origin;
use crate::path::FsPath;
use crate::text::order::sort_by;
use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::HashSet;
use std::iter;

/// A rule of a source table, and the folder in which it applies.
pub(super) struct PlacedRule<'d> {
    pub(super) rule: Cow<'d, SourceRule>,
    /// The folder that the path of the rule starts from; `None` for that of its base.
    pub(super) base: Option<FsPath>,
    /// The path of `base` below the project, if it lies there.
    pub(super) nested_in: Option<String>,
    /// The folder and the place, if a settings file of the project names it.
    pub(super) named_at: Option<(String, SettingPlace)>,
}

impl<'d> PlacedRule<'d> {
    /// A rule of the dialect's table.
    fn new(rule: &'d SourceRule, base: Option<FsPath>) -> PlacedRule<'d> {
        PlacedRule { rule: Cow::Borrowed(rule), base, nested_in: None, named_at: None }
    }
}

/// The rules of the dialect's table in each folder in which they apply, from lowest to highest precedence. None if the
/// caller wants nothing but the search roots.
pub(super) fn placed_rules<'d>(
    world: &World<'_>,
    dialect: &'d Dialect,
    settings: &Settings,
    pending: &mut Vec<FsPath>,
) -> Vec<PlacedRule<'d>> {
    let places = world.places;
    let mut placed = Vec::new();
    if places.only_roots {
        return placed;
    }
    // It is looked for in the folders above the project, which takes a call of the file system for each.
    let repository = LazyCell::new(|| places.repository(world.fs));
    for rules in dialect.sources.chunk_by(|a, b| a.reach == b.reach && a.base == b.base) {
        let [first, ..] = rules else { continue };
        match (first.reach, base(first.base, places)) {
            (Reach::Base, Some(base)) if first.base == Base::Project && settings.has_parents => {
                let (nearest, outside_repository) = (Nearest::Highest, OutsideRepository::No);
                let parents = Ancestors { nearest, outside_repository, together: Permitted::Yes };
                let folders = folders_above(world, base, parents, &repository, pending);
                for rule in rules {
                    for folder in folders.iter().filter(|at| *at == base || exists(world, at, rule, pending)) {
                        placed.push(PlacedRule::new(rule, Some(folder.clone())));
                    }
                }
            }
            (Reach::Base, _) | (_, None) => {
                placed.extend(rules.iter().map(|rule| PlacedRule::new(rule, None)));
            }
            (Reach::Ancestors(ancestors), Some(base)) => {
                let folders = folders_above(world, base, ancestors, &repository, pending);
                let pairs: Vec<(&SourceRule, &FsPath)> = match ancestors.together {
                    Permitted::Yes => folders.iter().flat_map(|at| rules.iter().map(move |rule| (rule, at))).collect(),
                    Permitted::No => rules.iter().flat_map(|rule| folders.iter().map(move |at| (rule, at))).collect(),
                };
                for (rule, folder) in pairs {
                    if folder == base || exists(world, folder, rule, pending) {
                        placed.push(PlacedRule::new(rule, Some(folder.clone())));
                    }
                }
            }
            (Reach::Repository, Some(base)) => {
                let ancestors = Ancestors {
                    nearest: Nearest::Lowest,
                    outside_repository: OutsideRepository::No,
                    together: Permitted::Yes,
                };
                let folders = folders_above(world, base, ancestors, &repository, pending);
                placed.extend(rules.iter().map(|rule| PlacedRule::new(rule, folders.last().cloned())));
            }
            (Reach::Below, Some(base)) => {
                for folder in folders_below(world, base, pending) {
                    for rule in rules.iter().filter(|rule| exists(world, &folder, rule, pending)) {
                        let nested_in = folder.relative_to(base).map(str::to_owned);
                        placed.push(PlacedRule { nested_in, ..PlacedRule::new(rule, Some(folder.clone())) });
                    }
                }
            }
        }
    }
    apply_settings(settings, &mut placed);
    placed
}

/// Removes the rules that the settings of the client switch off, and adds the folders that they name: those of a list
/// above all rules, and those that are switched on below the rules for the project or, if they lie in the home directory,
/// below all rules. Of those that are added at one place, the last one named is the lowest.
fn apply_settings<'d>(settings: &Settings, placed: &mut Vec<PlacedRule<'d>>) {
    let named: HashSet<Cow<'_, str>> = placed.iter().filter_map(|placed| name_in_settings(&placed.rule)).collect();
    let (mut off, mut lowest, mut below_project) = (HashSet::new(), Vec::new(), Vec::new());
    for (folder, is_on) in settings.switches.iter().rev() {
        if !is_on {
            off.insert(folder.text.as_str());
        } else if !named.contains(folder.text.as_str()) && is_plain(&folder.text) {
            let added = added(folder);
            let is_lowest = added.as_ref().is_some_and(|added| added.rule.base == Base::Home);
            if is_lowest { &mut lowest } else { &mut below_project }.extend(added);
        }
    }
    let project = placed.iter().position(|placed| placed.rule.base == Base::Project).unwrap_or(placed.len());
    let of_project = placed.split_off(project);
    let below = lowest.into_iter().chain(placed.drain(..)).chain(below_project);
    let mut all: Vec<PlacedRule<'d>> = below.chain(of_project).collect();
    all.retain(|placed| name_in_settings(&placed.rule).is_none_or(|name| !off.contains(&*name)));
    all.extend(settings.folders.iter().filter_map(added));
    *placed = all;
}

/// What a switch of folders in a settings file calls the folder of a rule of the dialect.
fn name_in_settings<'r>(rule: &'r SourceRule) -> Option<Cow<'r, str>> {
    match rule.base {
        _ if rule.path.is_empty() => None,
        Base::Project => Some(Cow::Borrowed(&*rule.path)),
        Base::Home => Some(Cow::Owned(format!("~/{}", rule.path))),
        _ => None,
    }
}

/// Whether a folder is written as a path and not as a pattern: clients take no patterns, and no absolute paths.
fn is_plain(text: &str) -> bool {
    !text.starts_with('/')
        && !text.contains(['*', '?', '[', '{', '\\'])
        && (!text.starts_with('~') || text.starts_with("~/"))
}

/// The rule for a folder that a settings file names.
fn added<'d>(folder: &Folder) -> Option<PlacedRule<'d>> {
    let is_home = folder.text.starts_with("~/");
    let (base, origin) = match (is_home, folder.named_at.is_some()) {
        (true, false) => (Base::Home, Origin::User),
        (true, true) => (Base::Home, Origin::Project),
        (false, _) => (Base::Project, Origin::Project),
    };
    let rule = SourceRule {
        base,
        path: Cow::Borrowed(""),
        project_fallback: None,
        kind: SourceKind::Folders,
        label: Cow::Borrowed("settings"),
        scope: Cow::Borrowed(if is_home { "user" } else { "project" }),
        origin,
        reach: Reach::Base,
        hidden: None,
        linked_folders: LinkedFolders::Followed,
    };
    let named_at = folder.named_at.clone().map(|place| (folder.text.clone(), place));
    Some(PlacedRule { rule: Cow::Owned(rule), base: Some(folder.path.clone()?), nested_in: None, named_at })
}

/// The folder of a base that folders can lie above or below.
pub(crate) fn base(base: Base, places: &Places) -> Option<&FsPath> {
    places.folder(base).filter(|_| base != Base::Bundled)
}

/// A base and the folders above it that count, from lowest to highest precedence.
pub(crate) fn folders_above(
    world: &World<'_>,
    base: &FsPath,
    rule: Ancestors,
    repository: &Result<Option<FsPath>, FsError>,
    pending: &mut Vec<FsPath>,
) -> Vec<FsPath> {
    let levels = match repository.clone().and_then(|repository| levels_to(world, base, repository.as_ref())) {
        Ok(Some(levels)) => levels,
        Ok(None) => match (rule.outside_repository, &world.places.home) {
            (OutsideRepository::No, _) => 0,
            (OutsideRepository::BelowHome, Some(home)) if base.starts_with(home) => {
                (base.depth() - home.depth()).saturating_sub(1)
            }
            (OutsideRepository::Yes | OutsideRepository::BelowHome, _) => base.depth(),
        },
        Err(error) => {
            if let FsError::Pending(path) = error {
                pending.push(path);
            }
            0
        }
    };
    let mut folders: Vec<FsPath> = iter::successors(Some(base.clone()), FsPath::parent).take(levels + 1).collect();
    match rule.nearest {
        Nearest::Highest => folders.reverse(),
        Nearest::Lowest => {}
    }
    folders
}

/// How many folders above `base` the root of the repository is; `None` if it does not lie in one. The path of `base` may
/// have symlinks in it, so folders are counted in its real path.
fn levels_to(world: &World<'_>, base: &FsPath, repository: Option<&FsPath>) -> Result<Option<usize>, FsError> {
    let Some(repository) = repository else { return Ok(None) };
    let real = world.fs.canonical(base)?;
    Ok(real.starts_with(repository).then(|| real.depth() - repository.depth()))
}

/// The folders below `base` on the way to the files that are being worked on, and these themselves, as they may be
/// folders: the outermost first, each once. Folders that git ignores are left out, with all below them.
fn folders_below(world: &World<'_>, base: &FsPath, pending: &mut Vec<FsPath>) -> Vec<FsPath> {
    let mut folders: Vec<FsPath> = Vec::new();
    for file in &world.places.touched {
        let mut at = Some(file.clone());
        while let Some(folder) = at.filter(|folder| folder != base && folder.starts_with(base)) {
            at = folder.parent();
            folders.push(folder);
        }
    }
    sort_by(&mut folders, |a, b| (a.depth(), a).cmp(&(b.depth(), b)));
    folders.dedup();
    let mut ignored = Ignored::default();
    let mut excluded: HashSet<FsPath> = HashSet::new();
    folders.retain(|folder| {
        let Some(parent) = folder.parent() else { return false };
        let is_excluded = excluded.contains(&parent) || {
            ignored.enter(world.fs, &parent, pending);
            ignored.excludes(folder)
        };
        if is_excluded {
            excluded.insert(folder.clone());
        }
        !is_excluded
    });
    folders
}

/// Whether the root of a rule exists in a folder. A root that cannot be looked at is left to the scan, which reports it.
fn exists(world: &World<'_>, folder: &FsPath, rule: &SourceRule, pending: &mut Vec<FsPath>) -> bool {
    let Ok(root) = folder.join(&rule.path) else { return true };
    match world.fs.metadata(&root) {
        Ok(metadata) => metadata.is_some(),
        Err(FsError::Pending(path)) => {
            pending.push(path);
            false
        }
        Err(_) => true,
    }
}
