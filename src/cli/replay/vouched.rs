//! Where a receipt may have `replay` look. A receipt may come from anybody, and `replay` prints digests of what it reads:
//! it reads in the project, where the same command would look without a receipt, and where an option says.

use crate::args::GlobalOptions;
use crate::command_line::command;
use crate::reply::Failure;
use crate::setup::{Setup, is_archive};
use crate::user_skills::resolved;
use skilltree::dialect::NAMES;
use skilltree::record::Receipt;
use skilltree::{Fs, FsPath, visible};

/// Fails if the receipt names a place that nobody but the receipt vouches for.
pub(super) fn check(options: &GlobalOptions, receipt: &Receipt) -> Result<(), Failure> {
    // The receipt has its own dialect.
    let setup = Setup::new(&GlobalOptions { dialect: None, ..options.clone() })?;
    let (recorded, own) = (receipt.places(), &setup.places);
    let is_below = |path: &FsPath| resolved(&setup.fs, path).starts_with(&resolved(&setup.fs, &setup.project));
    let is_packed = |path: &FsPath| is_below(path) && archive_at(&setup, path);
    let is_managed = |path: &FsPath| {
        let mut dialects = NAMES.iter().filter_map(|name| skilltree::dialect(name));
        dialects.any(|dialect| dialect.managed_folders().any(|at| setup.path(at).ok().as_ref() == Some(path)))
    };
    let places = [
        ("--project", options.project.is_some(), recorded.project.as_ref(), own.project.as_ref()),
        ("--home", options.home.is_some(), recorded.home.as_ref(), own.home.as_ref()),
        ("--bundled", options.bundled.is_some(), recorded.bundled.as_ref(), None),
        ("--config", options.config.is_some(), recorded.config.as_ref(), None),
        ("--user", options.user.is_some(), recorded.user.as_ref(), None),
        ("--managed", options.managed.is_some(), recorded.managed.as_ref(), own.managed.as_ref()),
        ("--active", options.active.is_some(), recorded.active.as_ref(), own.active.as_ref()),
    ];
    for (option, is_given, recorded, own) in places {
        let Some(path) = recorded.filter(|path| !is_given && own != Some(path)) else { continue };
        let is_fine = match option {
            "--project" => is_below(path),
            "--managed" => is_managed(path),
            _ => is_packed(path),
        };
        if !is_fine {
            return Err(refused(&setup, path, option));
        }
    }
    for path in recorded.roots.iter().skip(options.root.len()) {
        if !own.roots.contains(path) && !is_packed(path) {
            return Err(refused(&setup, path, "--root"));
        }
    }
    for (_, path) in &recorded.registered {
        if !own.registered.iter().any(|(_, own)| own == path) && !is_packed(path) {
            return Err(refused(&setup, path, "--register"));
        }
    }
    let choices = recorded.user_choices.iter().filter(|path| own.user_choices.as_ref() != Some(path));
    let is_in_project = |path: &&FsPath| recorded.project.as_ref().is_some_and(|project| path.starts_with(project));
    let choices = choices.chain(recorded.project_choices.iter().filter(|path| !is_in_project(path)));
    if let Some(path) = choices.into_iter().next() {
        let why = format!(
            "the receipt reads the choices in `{}`, which is neither yours nor the project's",
            shown(&setup, path)
        );
        return Err(Failure::error("not-vouched-for", why));
    }
    if recorded.follow_links_out && !options.follow_links_out {
        let why = "the receipt follows the project's symlinks out of the project";
        return Err(allowed_by(Failure::error("not-vouched-for", why), "--follow-links-out"));
    }
    if receipt.has_own_dialect() && recorded.home.is_some() && options.dialect.is_none() && options.home.is_none() {
        let why = "the receipt has a dialect of its own, which may read any file in your home directory";
        return Err(allowed_by(Failure::error("not-vouched-for", why), "--dialect"));
    }
    Ok(())
}

/// Whether a path is an archive, or a folder in one.
fn archive_at(setup: &Setup, path: &FsPath) -> bool {
    let mut at = Some(path.clone());
    while let Some(path) = at {
        if is_archive(&setup.fs, &path) {
            return true;
        }
        at = path.parent();
    }
    false
}

fn refused(setup: &Setup, path: &FsPath, option: &str) -> Failure {
    let why = format!("the receipt reads `{}`, which this command would not read by itself", shown(setup, path));
    allowed_by(Failure::error("not-vouched-for", why), option)
}

fn shown(setup: &Setup, path: &FsPath) -> String {
    visible(&setup.fs.display(path)).into_owned()
}

fn allowed_by(failure: Failure, option: &str) -> Failure {
    let command = command(&["replay", option], &[]);
    failure.with_help(format!("if you trust the receipt, allow it with `{option}`: {command}"))
}
