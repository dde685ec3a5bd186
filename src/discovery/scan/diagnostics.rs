//! The findings of a scan that more than one of its modules report.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Dialect, Permitted, ScanRule};
use crate::discovery::manifest::{LEADS_OUT, LEADS_OUT_HELP};
use crate::discovery::scan::SKILL_FILE;
use crate::fs::FsError;
use crate::model::skill::Source;
use crate::path::FsPath;
use crate::text::escape::visible;
use std::borrow::Cow;

/// The root of a source could not be listed.
pub(super) fn unreadable_source(source: &Source, error: &FsError) -> Diagnostic {
    if let FsError::Escapes(_) = error {
        let message = format!("the source `{}` leads out of the project, so it is not read", source.label);
        return Diagnostic::new(Severity::Warning, Code::LeadsOut, source.root.clone(), message).help(LEADS_OUT_HELP);
    }
    let message = format!("the source `{}` could not be listed: {}", source.label, error.reason());
    Diagnostic::new(Severity::Error, Code::SourceUnreadable, source.root.clone(), message)
        .help("check that it is a folder and may be read")
}

/// The root of a source is there, and a folder above it is not: a program on WASI sees only the folders that it was given.
pub(super) fn unreachable_source(source: &Source) -> Diagnostic {
    let message =
        format!("the source `{}` is there, but not all folders above it are, so it is not read", source.label);
    Diagnostic::new(Severity::Error, Code::SourceUnreadable, source.root.clone(), message)
        .help("let the program read the folders above it too; on WASI, preopen the project or the home directory")
}

/// The target of a symlink does not exist.
pub(super) fn broken_symlink(path: FsPath, severity: Severity) -> Diagnostic {
    Diagnostic::new(severity, Code::BrokenSymlink, path, "broken symlink: its target does not exist")
        .help("fix or remove the symlink")
}

/// A symlink to a folder could not be followed.
pub(super) fn symlink_not_followed(link: FsPath, error: &FsError) -> Diagnostic {
    if let FsError::Escapes(_) = error {
        return Diagnostic::new(Severity::Warning, Code::LeadsOut, link, LEADS_OUT).help(LEADS_OUT_HELP);
    }
    let message = format!("the symlink could not be followed: {}", error.reason());
    Diagnostic::new(Severity::Warning, Code::Unreadable, link, message)
}

/// A folder is not entered because of its name.
pub(crate) fn not_entered(path: FsPath, rule: &ScanRule, dialect: &Dialect) -> Diagnostic {
    let (system, name) = (&dialect.name, visible(path.name()));
    let is_plugin = |manifest: &Cow<'_, str>| manifest.split_once('/').is_some_and(|(dir, _)| dir == path.name());
    let message = if dialect.plugin_manifests.iter().any(is_plugin) {
        format!("`{system}` reads no skills in folders named `{name}`, only the manifest of a plugin")
    } else if rule.hidden == Permitted::No && name.starts_with('.') {
        format!("`{system}` does not search folders whose names begin with a dot, such as `{name}`")
    } else {
        format!("folders named `{name}` are never searched")
    };
    Diagnostic::new(Severity::Note, Code::NotEntered, path, message)
}

/// A symlink is not followed by the rules of the dialect. `what` says which it does not follow: `follows no symlinks`.
pub(super) fn link_ignored(path: FsPath, system: &str, what: &str) -> Diagnostic {
    Diagnostic::new(Severity::Warning, Code::LinkIgnored, path, format!("`{system}` {what}"))
        .help("replace the symlink with a copy of what it leads to")
}

/// A SKILL.md lies in a folder below one that a symlink leads to, where the dialect reads only the SKILL.md directly in it.
pub(crate) fn below_link(path: FsPath, system: &str) -> Diagnostic {
    let message = format!("`{system}` reads only the SKILL.md directly in a folder that a symlink leads to");
    Diagnostic::new(Severity::Warning, Code::TooDeep, path, message)
        .help("replace the symlink with one to the folder of the skill")
}

/// The skill system reserves the name of a folder.
pub(crate) fn reserved_folder(path: FsPath, system: &str) -> Diagnostic {
    let message = format!(
        "the folder name `{}` is reserved by `{system}`, so the skills in it are not read",
        visible(path.name())
    );
    Diagnostic::new(Severity::Warning, Code::NotEntered, path, message)
        .help("move a skill of your own to another folder; nothing needs to be done for the client's own files")
}

/// A SKILL.md is read although its name is in another letter case.
pub(super) fn file_name_case(path: FsPath) -> Diagnostic {
    let message = format!("expected the name `{SKILL_FILE}`, got `{}`", path.name());
    Diagnostic::new(Severity::Warning, Code::FileNameCase, path, message)
        .help("rename it: other agents and other operating systems do not find this spelling")
}

/// A file is not read, as its name is only nearly SKILL.md.
pub(super) fn nearly_skill_file(path: FsPath) -> Diagnostic {
    let message = format!("expected the name `{SKILL_FILE}`, got `{}`, which is not read", path.name());
    Diagnostic::new(Severity::Warning, Code::FileNameCase, path, message).help(format!("rename it to `{SKILL_FILE}`"))
}

/// Rule 3.4: another source of the same rank has been through the folder `path`, and lists it as `used`.
pub(super) fn same_folder(path: FsPath, used: &FsPath) -> Diagnostic {
    let message = format!("duplicate of `{used}` (same folder); its skills are listed there");
    Diagnostic::new(Severity::Note, Code::SameFile, path, message)
}

/// Rule 3.9: `path` leads to a file that is listed as `used`.
pub(crate) fn same_file(path: FsPath, used: &FsPath) -> Diagnostic {
    let message = format!("duplicate of `{used}` (same file); `{used}` is used");
    Diagnostic::new(Severity::Note, Code::SameFile, path, message)
}
