//! In: findings. Out: one line each, and a line that counts them.

use super::style::{self, paint};
use super::text::{count, folded};
use crate::suggest::command;
use skilltree::{Code, Diagnostic, Fs, Severity, visible};
use std::cmp::Reverse;

/// A prompt may leave out ten thousand skills, one finding each.
const MAX_LINES: usize = 20;

/// How many of the skills that are not served are named, with the reason.
const MAX_REASONS: usize = 3;

/// How many findings are tried for one that can be explained.
const MAX_TRIED: usize = 8;

/// Errors and warnings as lines, and what to do to see the rest, and why the first of those that can be explained is so.
/// Nothing when there are no findings.
pub(crate) fn brief(fs: &dyn Fs, findings: &[Diagnostic], is_explained: &dyn Fn(&Diagnostic) -> bool) -> String {
    let mut out = lines(fs, findings.iter().filter(|finding| finding.severity > Severity::Note));
    if !findings.is_empty() {
        let mut first: Vec<&Diagnostic> = findings.iter().collect();
        first.sort_by_key(|finding| Reverse(finding.severity));
        let first = first.into_iter().take(MAX_TRIED).find(|finding| is_explained(finding));
        let why =
            first.map(|first| format!(", {} explains `{}`", command(&["why"], &[&fs.spell(&first.path)]), first.code));
        let check = command(&["check"], &[]);
        out.push_str(&format!("{}; {check} shows them{}\n", counted(findings), why.unwrap_or_default()));
    }
    out
}

/// Findings about one answer, as lines; of very many only the first.
pub(crate) fn about(fs: &dyn Fs, findings: &[Diagnostic]) -> String {
    let mut out = lines(fs, findings.iter().take(MAX_LINES));
    if findings.len() > MAX_LINES {
        out.push_str(&format!("… and {} more\n", findings.len() - MAX_LINES));
    }
    out
}

/// What the server reports: what could not be read and what is not served, a line each, then the others as [`about`].
#[cfg(feature = "mcp")]
pub(crate) fn of_server(fs: &dyn Fs, findings: &[Diagnostic]) -> String {
    let (unread, rest): (Vec<_>, Vec<_>) = findings.iter().cloned().partition(is_unread);
    let (not_served, rest): (Vec<_>, Vec<_>) = rest.into_iter().partition(|finding| finding.code == Code::NotServed);
    self::unread(fs, &unread) + &self::not_served(fs, &not_served) + &about(fs, &rest)
}

/// One line about what is not served: the finding itself, or how many there are, with the reasons of the first ones.
fn not_served(fs: &dyn Fs, findings: &[Diagnostic]) -> String {
    let ([first, _, ..], number) = (findings, findings.len()) else { return lines(fs, findings.iter()) };
    let head = paint(style::of(first.severity), &format!("{}[{}]", first.severity.as_str(), first.code));
    let reason = |finding: &Diagnostic| format!("{}: {}", place(fs, finding), folded(&finding.message));
    let reasons: Vec<String> = findings.iter().take(MAX_REASONS).map(reason).collect();
    let rest = number.saturating_sub(MAX_REASONS);
    let rest = if rest == 0 { String::new() } else { format!("; and {rest} more") };
    format!(
        "{head}: {number} skills or files of skills are not served as resources; the tools give them all the same: \
         {}{rest}\n",
        reasons.join("; ")
    )
}

/// One line about the files and sources that could not be read: the finding itself, or how many there are. Nothing where
/// all were read. An answer that leaves skills out without it looks as if they were not there.
pub(crate) fn unread(fs: &dyn Fs, findings: &[Diagnostic]) -> String {
    let unread: Vec<&Diagnostic> = findings.iter().filter(|finding| is_unread(finding)).collect();
    let worst = unread.iter().map(|finding| finding.severity).max();
    let (Some(first), Some(severity)) = (unread.first(), worst) else { return String::new() };
    if unread.len() == 1 {
        return lines(fs, unread.into_iter());
    }
    let sources = unread.iter().filter(|finding| finding.code == Code::SourceUnreadable).count();
    let files = unread.len() - sources;
    let counts = [(files, "file or folder", "files or folders"), (sources, "source", "sources")];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, one, more)| format!("{number} {}", if *number == 1 { one } else { more }))
        .collect();
    let head = paint(style::of(severity), severity.as_str());
    let path = fs.spell(&first.path);
    let counts = counts.join(" and ");
    let why = command(&["why"], &[&path]);
    format!("{head}: {counts} could not be read, `{}` first; {why} tells why\n", visible(&path))
}

fn is_unread(finding: &Diagnostic) -> bool {
    matches!(finding.code, Code::LeadsOut | Code::SourceUnreadable | Code::Unreadable)
}

/// `2 errors, 3 warnings, 1 note`; `no findings`.
pub(crate) fn counted(findings: &[Diagnostic]) -> String {
    let parts: Vec<String> = [Severity::Error, Severity::Warning, Severity::Note]
        .into_iter()
        .filter_map(|severity| {
            let number = findings.iter().filter(|finding| finding.severity == severity).count();
            (number > 0).then(|| count(number, severity.as_str()))
        })
        .collect();
    if parts.is_empty() { "no findings".to_owned() } else { parts.join(", ") }
}

fn lines<'d>(fs: &dyn Fs, findings: impl Iterator<Item = &'d Diagnostic>) -> String {
    let mut out = String::new();
    for finding in findings {
        let head = paint(style::of(finding.severity), &format!("{}[{}]", finding.severity.as_str(), finding.code));
        out.push_str(&format!("{}: {head}: {}\n", place(fs, finding), folded(&finding.message)));
    }
    out
}

/// `path:line:column`.
pub(crate) fn place(fs: &dyn Fs, finding: &Diagnostic) -> String {
    let path = fs.spell(&finding.path);
    let path = visible(&path);
    match finding.at {
        Some(at) => format!("{path}:{}:{}", at.line, at.column),
        None => path.into_owned(),
    }
}
