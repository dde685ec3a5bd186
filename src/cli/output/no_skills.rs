//! Explains why there are no skills, or not the expected one: which folders were searched, which SKILL.md files are outside
//! of them, and one suggestion.

use super::text::{count, width};
use crate::answer::note_line;
use crate::args::GlobalOptions;
use crate::new_skill::{place_of_new, short};
use crate::reply::Failure;
use crate::setup::Setup;
use crate::suggested::{self, is_quiet};
use skilltree::dialect::NAMES;
use skilltree::discovery::{Presence, SearchedPlace};
use skilltree::fs::FileKind;
use skilltree::{Catalog, Code, Error, Fs, FsPath, Places, Why, World, dialect, visible};

/// How many searched folders are listed.
const MAX_PLACES: usize = 8;

/// How many entries of a folder are searched for a skill.
const MAX_ENTRIES: usize = 1_000;

/// The name of the suggested first skill.
const FIRST: &str = "hello";

/// A command about the dialect of this answer, which `check --profile` names.
fn command(setup: &Setup, words: &[&str], operands: &[&str]) -> String {
    command_at(setup, |_| {}, words, operands)
}

fn command_at(setup: &Setup, change: impl FnOnce(&mut GlobalOptions), words: &[&str], operands: &[&str]) -> String {
    let of_dialect = |options: &mut GlobalOptions| {
        options.dialect.clone_from(&setup.options.dialect);
        change(options);
    };
    suggested::command_at(of_dialect, words, operands)
}

/// Explains that there are no skills, where they were searched for and what to do next. Empty if there are skills, and
/// with `--quiet`.
pub(crate) fn no_skills_message(setup: &Setup, catalog: &Catalog) -> String {
    message(setup, catalog, &|| {
        let above = catalog.unseen_above_project(&setup.world());
        note(setup, &above) + &below_depth(setup, catalog)
    })
}

/// The same for commands that look for skills where the dialect does not.
pub(crate) fn no_skills_after_search(setup: &Setup, catalog: &Catalog) -> String {
    message(setup, catalog, &|| note(setup, &catalog.unseen(&setup.world())))
}

/// `unseen` gives the lines about SKILL.md files that are not discovered.
fn message(setup: &Setup, catalog: &Catalog, unseen: &dyn Fn() -> String) -> String {
    if !catalog.skills().is_empty() || is_quiet() {
        return String::new();
    }
    let places = setup.world().searched_places(&setup.dialect);
    let name = setup.dialect.name();
    let mut out = match places.is_empty() {
        true => format!("no skills found: the dialect `{name}` has no folders to search\n"),
        false => format!("no skills found; the dialect `{name}` searches:\n{}", rows(setup, &places)),
    };
    out.push_str(&unseen());
    out.push_str(&next(setup, catalog, &places));
    out
}

fn rows(setup: &Setup, places: &[SearchedPlace]) -> String {
    let shown = if places.len() <= MAX_PLACES { places.len() } else { MAX_PLACES - 1 };
    let paths: Vec<String> =
        places.iter().take(shown).map(|place| visible(&setup.fs.display(&place.path)).into_owned()).collect();
    let widest = paths.iter().map(|path| width(path)).max().unwrap_or(0);
    let mut out = String::new();
    for (path, place) in paths.iter().zip(places) {
        let presence = match &place.presence {
            Presence::Exists => "exists, contains no skills".to_owned(),
            Presence::Unreadable(reason) => format!("cannot be read: {}", visible(reason)),
            Presence::Missing => "does not exist".to_owned(),
            other => other.as_str().to_owned(),
        };
        let pad = widest - width(path);
        out.push_str(&format!("  {path}{:pad$}  {presence}\n", ""));
    }
    if shown < places.len() {
        out.push_str(&format!("  … and {}\n", count(places.len() - shown, "more place")));
    }
    out
}

/// The most useful suggestion.
fn next(setup: &Setup, catalog: &Catalog, places: &[SearchedPlace]) -> String {
    let seen = catalog.seen().count();
    if seen > 0 {
        let were = count(seen, "SKILL.md file");
        return format!("help: {were} could not be used; {} shows why\n", command(setup, &["check"], &[]));
    }
    if places.is_empty() {
        return format!(
            "help: `--only-roots` needs a `--root`; without it, the usual folders are searched: {}\n",
            command_at(setup, |options| options.only_roots = false, &["list"], &[])
        );
    }
    if let Some(command) = elsewhere(setup) {
        return format!("help: there are skills elsewhere: {command}\n");
    }
    first(setup, places).unwrap_or_else(|| "help: `--root DIR` adds a folder to search\n".to_owned())
}

/// A command that lists skills found nearby: directly in the project, or where another dialect searches.
fn elsewhere(setup: &Setup) -> Option<String> {
    let world = setup.world();
    let project = setup.project.clone();
    let roots = setup.places.roots.iter().chain((!setup.places.only_roots).then_some(&project));
    for base in roots {
        // What cannot be used there would not be listed.
        let is_used = |dir: &FsPath| {
            let places = Places { roots: vec![dir.clone()], only_roots: true, ..setup.places.clone() };
            let world = World::new(setup.files(), &places, &setup.machine).with_reading(setup.options.reading());
            !skilltree::discover(&world, &setup.dialect).skills().is_empty()
        };
        let folders = [Some(base.clone()), base.child("skills").ok()].into_iter().flatten();
        let found = folders.into_iter().find(|dir| holds_skill(&world, dir) && is_used(dir));
        if let Some(dir) = found {
            return Some(command_at(setup, |options| options.root.push(short(setup, &dir)), &["list"], &[]));
        }
    }
    let others = NAMES.iter().filter(|name| **name != setup.dialect.name());
    let holds = |name: &&&str| {
        dialect(name).is_some_and(|dialect| {
            world
                .searched_places(&dialect)
                .iter()
                .any(|looked| looked.holds_skills && holds_skill(&world, &looked.path))
                && !skilltree::discover(&world, &dialect).skills().is_empty()
        })
    };
    let other = others.into_iter().find(holds)?.to_string();
    Some(command_at(setup, |options| options.dialect = Some(other), &["list"], &[]))
}

/// Whether a folder directly contains the folder of a skill.
fn holds_skill(world: &World<'_>, dir: &FsPath) -> bool {
    let entries = world.fs.list(dir).unwrap_or_default();
    entries.iter().filter(|entry| entry.kind == FileKind::Dir && !entry.is_lossy).take(MAX_ENTRIES).any(|entry| {
        let file = dir.child(&entry.name).and_then(|dir| dir.child("SKILL.md"));
        file.is_ok_and(|file| matches!(world.fs.metadata(&file), Ok(Some(metadata)) if metadata.kind == FileKind::File))
    })
}

/// How to create a first skill where the dialect finds it.
fn first(setup: &Setup, places: &[SearchedPlace]) -> Option<String> {
    let dir = short(setup, &place_of_new(setup, places)?);
    let new = command(setup, &["new"], &[FIRST]);
    Some(format!("help: to create a first skill in `{}`: {new}\n", visible(&dir)))
}

/// The failure for a name or path that matches no skill and no file.
pub(crate) fn unknown_skill(setup: &Setup, catalog: &Catalog, asked: &str) -> Failure {
    let near = match catalog.find_any(asked) {
        Err(Error::UnknownSkill { near, .. }) => {
            near.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" or ")
        }
        _ => String::new(),
    };
    let near = if near.is_empty() { near } else { format!("; did you mean {near}?") };
    let is_path = asked.contains(std::path::is_separator);
    let unreadable = |path: FsPath| setup.files().metadata(&path).err();
    let there_is = match setup.path(asked).ok().filter(|_| is_path && near.is_empty()).map(unreadable) {
        Some(Some(error)) => format!(": {error}"),
        Some(None) => ": there is no such file or folder".to_owned(),
        None => near,
    };
    let failure = Failure::negative("unknown", format!("no skill or file `{asked}` was found{there_is}"));
    let roots = catalog.roots(&setup.world());
    if roots.is_empty() {
        return failure.with_help("no folder is searched for skills; add one with `--root`".to_owned());
    }
    let named = |root: &FsPath| {
        let presence = match setup.files().metadata(root) {
            Ok(Some(_)) => "",
            Ok(None) => " (does not exist)",
            Err(_) => " (cannot be read)",
        };
        format!("`{}`{presence}", visible(&setup.fs.display(root)))
    };
    let roots: Vec<String> = roots.iter().map(named).collect();
    failure.with_help(format!("skills are searched for in {}", roots.join(", ")))
}

/// One line about the SKILL.md files that exist but are not discovered; nothing if there are none.
pub(crate) fn note(setup: &Setup, files: &[Why]) -> String {
    let Some(first) = files.first() else { return String::new() };
    let of_another = files.iter().find_map(|one| one.project.as_ref());
    let mut parts: Vec<String> = Vec::new();
    for place in [TOO_DEEP, OUTSIDE, ANOTHER] {
        let count = files.iter().filter(|one| whereabouts(one) == place).count();
        match (count, parts.is_empty()) {
            (0, _) => {}
            (1, true) => parts.push(format!("1 SKILL.md file was seen {place}")),
            (count, true) => parts.push(format!("{count} SKILL.md files were seen {place}")),
            (count, false) => parts.push(format!("{count} {place}")),
        }
    }
    let why = format!("{} explains why", command(setup, &["why"], &[&setup.fs.display(&first.path)]));
    let list = of_another.map(|project| {
        let shown = setup.fs.display(project);
        let list = command_at(setup, |options| options.project = Some(shown.clone().into_owned()), &["list"], &[]);
        format!(", {list} lists those of `{}`", visible(&shown))
    });
    note_line(&format!("{}; {why}{}", parts.join(", "), list.unwrap_or_default()))
}

/// One line about the folders that were seen and are not searched, as they lie too deep; nothing if there are none.
pub(crate) fn below_depth(setup: &Setup, catalog: &Catalog) -> String {
    let lie = match catalog.count_below_depth() {
        0 => return String::new(),
        1 => "1 folder lies".to_owned(),
        many => format!("{many} folders lie"),
    };
    let name = setup.dialect.name();
    note_line(&format!("{lie} deeper than `{name}` searches; {} searches there", command(setup, &["check"], &[])))
}

const TOO_DEEP: &str = "too deep";
const OUTSIDE: &str = "outside every source";
const ANOTHER: &str = "in another project";

fn whereabouts(file: &Why) -> &'static str {
    match (file.code, &file.project) {
        (Some(Code::TooDeep), _) => TOO_DEEP,
        (_, Some(_)) => ANOTHER,
        (_, None) => OUTSIDE,
    }
}
