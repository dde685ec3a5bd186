//! What scans say of files and folders that are not as they should be, where more than one place says it.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::discovery::manifest::{LEADS_OUT, LEADS_OUT_HELP};
use crate::discovery::scan::SKILL_FILE;
use crate::fs::FsError;
use crate::model::skill::Source;
use crate::path::FsPath;
use crate::text::escape::visible;

pub(super) fn unlisted(source: &Source, error: &FsError) -> Diagnostic {
    if let FsError::Escapes(_) = error {
        let message = format!("the source `{}` leads out of the project, so it is not read", source.label);
        return Diagnostic::new(Severity::Warning, Code::LeadsOut, source.root.clone(), message).help(LEADS_OUT_HELP);
    }
    let message = format!("the source `{}` could not be listed: {}", source.label, error.reason());
    Diagnostic::new(Severity::Error, Code::SourceUnreadable, source.root.clone(), message)
        .help("check that it is a folder and may be read")
}

pub(super) fn dangling(path: FsPath, severity: Severity) -> Diagnostic {
    Diagnostic::new(severity, Code::LinkDangling, path, "broken symlink: its target does not exist").help(
        "fix or \
         remove the symlink",
    )
}

/// A link to a folder that could not be followed.
pub(super) fn unfollowed(link: FsPath, error: &FsError) -> Diagnostic {
    if let FsError::Escapes(_) = error {
        return Diagnostic::new(Severity::Warning, Code::LeadsOut, link, LEADS_OUT).help(LEADS_OUT_HELP);
    }
    let message = format!("the symlink could not be followed: {}", error.reason());
    Diagnostic::new(Severity::Warning, Code::Unreadable, link, message)
}

/// A folder whose name the system keeps for itself.
pub(super) fn reserved(path: FsPath, system: &str) -> Diagnostic {
    let message = format!(
        "the folder name `{}` is reserved by `{system}`, so the skills in it are not read",
        visible(path.name())
    );
    Diagnostic::new(Severity::Warning, Code::NotEntered, path, message)
        .help("move a skill of your own to another folder; nothing needs to be done for the client's own files")
}

pub(super) fn other_case(path: FsPath) -> Diagnostic {
    let message = format!("expected the name `{SKILL_FILE}`, got `{}`", path.name());
    Diagnostic::new(Severity::Warning, Code::FileNameCase, path, message)
        .help("rename it: other agents and other operating systems do not find this spelling")
}

/// A file that was meant for a SKILL.md.
pub(super) fn unread_name(path: FsPath) -> Diagnostic {
    let message = format!("expected the name `{SKILL_FILE}`, got `{}`, which is not read", path.name());
    Diagnostic::new(Severity::Warning, Code::FileNameCase, path, message).help(format!("rename it to `{SKILL_FILE}`"))
}

/// decisions 42: a folder that another source of the same rank has been through already.
pub(super) fn same_folder(path: FsPath, stands: &FsPath) -> Diagnostic {
    let message = format!("duplicate of `{stands}` (same folder); its skills are listed there");
    Diagnostic::new(Severity::Note, Code::SameFile, path, message)
}

/// decisions 10: another occurrence of a file that stands elsewhere.
pub(crate) fn same_file(path: FsPath, stands: &FsPath) -> Diagnostic {
    let message = format!("duplicate of `{stands}` (same file); `{stands}` is used");
    Diagnostic::new(Severity::Note, Code::SameFile, path, message)
}
