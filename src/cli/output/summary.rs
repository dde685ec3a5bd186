//! Summarizes the skills and findings of a catalog in one line, with the command that shows the findings. A single
//! finding is printed itself.

use super::findings::{counts, is_lost, line, unread, unreadable};
use super::style::{self, paint};
use super::text::count;
use crate::command_line::{command, is_quiet};
use crate::setup::Setup;
use skilltree::discovery::FileStatus;
use skilltree::{Catalog, Diagnostic, FsPath, Severity};
use std::collections::HashSet;

/// The line about the findings, after the number of skills if `with_total`. Empty if there is nothing to report. With
/// `--quiet`, only the line about what could not be read.
pub(crate) fn summary(setup: &Setup, catalog: &Catalog, found: &[&Diagnostic], with_total: bool) -> String {
    if is_quiet() {
        return unread(&setup.fs, found.iter().copied());
    }
    let total = total(catalog).filter(|_| with_total);
    if found.is_empty() {
        return total.map(|total| total + "\n").unwrap_or_default();
    }
    let pronoun = if found.len() == 1 { "it" } else { "them" };
    let shows = format!("; {} shows {pronoun}\n", command(&["check"], &[]));
    let Some(finding) = named(setup, found) else {
        let head = total.map_or_else(|| format!("{}: ", paint(style::NOTE, "note")), |total| total + "; ");
        return head + &painted(found) + &lost(setup, catalog, found) + &shows;
    };
    let finding = line(&setup.fs, finding);
    match total {
        // On a terminal, the finding and the summary are two lines.
        Some(total) => format!("{finding}\n{total}; {}{shows}", painted(found)),
        None if found.len() == 1 => finding + &shows,
        None => format!("{finding}; {}{shows}", painted(found)),
    }
}

/// `12 skills, 3 shadowed`.
fn total(catalog: &Catalog) -> Option<String> {
    let skills = catalog.skills().len();
    let shadowed = match catalog.shadowed().len() {
        0 => String::new(),
        shadowed => format!(", {shadowed} shadowed"),
    };
    (skills > 0).then(|| count(skills, "skill") + &shadowed)
}

/// The only finding, or the only one because of which something cannot be used.
fn named<'d>(setup: &Setup, found: &[&'d Diagnostic]) -> Option<&'d Diagnostic> {
    let mut lost = found.iter().copied().filter(|finding| is_lost(finding, &setup.dialect));
    match (found, lost.next(), lost.next()) {
        ([finding], ..) if finding.severity > Severity::Note => Some(finding),
        (_, Some(finding), None) => Some(finding),
        _ => None,
    }
}

/// `4 findings in 2 files (1 error, 3 warnings)`, in colours; `3 warnings in 1 file`.
fn painted(found: &[&Diagnostic]) -> String {
    let counts = counts(found.iter().copied());
    let parts: Vec<String> = counts.iter().map(|(severity, text)| paint(style::of(*severity), text)).collect();
    let paths: HashSet<&FsPath> = found.iter().map(|finding| &finding.path).collect();
    let files = count(paths.len(), "file");
    match parts.as_slice() {
        [only] => format!("{only} in {files}"),
        parts => format!("{} in {files} ({})", count(found.len(), "finding"), parts.join(", ")),
    }
}

/// What is missing because of the findings.
fn lost(setup: &Setup, catalog: &Catalog, found: &[&Diagnostic]) -> String {
    let mut parts = Vec::new();
    let skipped = catalog.seen().filter(|seen| matches!(seen.status, FileStatus::Skipped(_))).count();
    if skipped > 0 {
        parts.push(format!("{} skipped", count(skipped, "SKILL.md file")));
    }
    parts.extend(unreadable(&setup.fs, found));
    if parts.is_empty() { String::new() } else { format!("; {}", parts.join(", ")) }
}
