//! The files of a folder that are packed or embedded, symlinks to what is inside followed, with a finding for everything
//! that is left out but what is excluded by its name. By the feature `archive`, [`pack`] makes a `.skill` file of them.

#[cfg(feature = "archive")]
mod pack;

#[cfg(feature = "archive")]
pub use pack::{Packed, PackedFile, pack};

use crate::diagnostic::{Code, Diagnostic, Severity, put_in_order};
use crate::package::files::{OtherEntry, OtherKind, Package};
use crate::text::escape::visible;

/// What is left out of a package that is packed or embedded.
pub(crate) fn findings(package: &Package<'_>) -> Vec<Diagnostic> {
    let mut findings: Vec<Diagnostic> = package.others.iter().filter_map(|other| left_out(package, other)).collect();
    put_in_order(&mut findings);
    findings
}

fn left_out(package: &Package<'_>, other: &OtherEntry) -> Option<Diagnostic> {
    let is_inside = other.target.as_ref().is_some_and(|target| package.folder().contains(target));
    let (severity, code, why) = match other.kind {
        OtherKind::Folder | OtherKind::LinkToFolder | OtherKind::Excluded | OtherKind::NestedSkill => return None,
        OtherKind::NotUtf8 => (Severity::Error, Code::PathNotUtf8, "its name is not UTF-8"),
        OtherKind::LinkToNothing => {
            (Severity::Warning, Code::BrokenSymlink, "broken symlink: its target does not exist")
        }
        OtherKind::Special => (Severity::Warning, Code::EntryRefused, "it is not a file or folder"),
        OtherKind::LinkOutside if is_inside => {
            (Severity::Warning, Code::NotCovered, "the symlink leads into a folder that is left out")
        }
        OtherKind::LinkOutside => (Severity::Warning, Code::NotCovered, "the symlink leads out of the folder"),
        OtherKind::LinkCycle => (Severity::Warning, Code::LinkCycle, "the symlink leads to a folder that contains it"),
        OtherKind::Unreadable => (Severity::Error, Code::Unreadable, "it cannot be read"),
    };
    let (_, name) = other.name.rsplit_once('/').unwrap_or(("", &other.name));
    let message = format!("`{}` is left out: {why}", visible(name));
    Some(Diagnostic::new(severity, code, package.folder().shown_path(&other.name), message))
}
