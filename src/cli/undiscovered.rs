//! Explains why an expected skill was not found: where skills were searched for, and which SKILL.md files are outside
//! the searched folders.

use crate::command_line::{command, command_in};
use crate::reply::Failure;
use crate::run::note_line;
use crate::setup::Setup;
use skilltree::{Catalog, Code, Error, Fs, FsPath, Why, visible};

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
    let there_is = if is_path && near.is_empty() { ": there is no such file or folder" } else { near.as_str() };
    let failure = Failure::negative("unknown", format!("no skill or file `{asked}` was found{there_is}"));
    let roots = catalog.roots(&setup.world());
    if roots.is_empty() {
        return failure.with_help("no folder is searched for skills; add one with `--root`".to_owned());
    }
    let named = |root: &FsPath| {
        let is_there = matches!(setup.files().metadata(root), Ok(Some(_)));
        format!("`{}`{}", visible(&setup.fs.display(root)), if is_there { "" } else { " (does not exist)" })
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
    let why = format!("{} explains why", command(&["why"], &[&setup.fs.display(&first.path)]));
    let list = of_another.map(|project| {
        let shown = setup.fs.display(project);
        format!(", {} lists those of `{}`", command_in(project, &["list"], &[]), visible(&shown))
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
    note_line(&format!("{lie} deeper than `{name}` searches; {} searches there", command(&["check"], &[])))
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
