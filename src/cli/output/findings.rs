//! Formats findings as one line each, and counts them.

use super::style::{self, paint};
use super::text::{count, folded};
use crate::command_line::{command, is_quiet};
use crate::hints::with_options;
use skilltree::{Code, Diagnostic, Dialect, Fs, Severity, visible};

/// Maximum number of findings that are printed: a prompt may leave out thousands of skills, with one finding each.
const MAX_LINES: usize = 20;

/// How many reasons are listed for skills that are not served.
#[cfg(feature = "mcp")]
const MAX_REASONS: usize = 3;

/// The findings about one answer, one line each, up to a maximum. With `--quiet`, only errors.
pub(crate) fn about(fs: &dyn Fs, findings: &[Diagnostic]) -> String {
    let is_shown = |finding: &&Diagnostic| finding.severity == Severity::Error || !is_quiet();
    let shown: Vec<&Diagnostic> = findings.iter().filter(is_shown).collect();
    let mut out = lines(fs, shown.iter().copied().take(MAX_LINES));
    if shown.len() > MAX_LINES {
        out.push_str(&format!("… and {} more\n", shown.len() - MAX_LINES));
    }
    out
}

/// The findings that the server prints: first what could not be read and what is not served, summarized, then the
/// others.
#[cfg(feature = "mcp")]
pub(crate) fn of_server(fs: &dyn Fs, findings: &[Diagnostic]) -> String {
    let (unread, rest): (Vec<_>, Vec<_>) = findings.iter().cloned().partition(is_unread);
    let (not_served, rest): (Vec<_>, Vec<_>) = rest.into_iter().partition(|finding| finding.code == Code::NotServed);
    self::unread(fs, &unread) + &self::not_served(fs, &not_served) + &about(fs, &rest)
}

/// The only finding about what is not served, or else one line with their number and the first reasons.
#[cfg(feature = "mcp")]
fn not_served(fs: &dyn Fs, findings: &[Diagnostic]) -> String {
    let ([first, _, ..], number) = (findings, findings.len()) else { return lines(fs, findings.iter()) };
    let head = paint(style::of(first.severity), &format!("{}[{}]", first.severity.as_str(), first.code));
    let reason = |finding: &Diagnostic| format!("{}: {}", place(fs, finding), folded(&finding.message));
    let reasons: Vec<String> = findings.iter().take(MAX_REASONS).map(reason).collect();
    let rest = number.saturating_sub(MAX_REASONS);
    let rest = if rest == 0 { String::new() } else { format!("; and {rest} more") };
    format!(
        "{head}: {number} skills or files of skills are not served as resources; the tools still return them: \
             {}{rest}\n",
        reasons.join("; ")
    )
}

/// The only finding about what could not be read, or else one line with their number. Without it, a list that lacks
/// skills would look complete. Empty if everything was read, and with `--quiet` if none of it is an error.
pub(crate) fn unread<'d>(fs: &dyn Fs, findings: impl IntoIterator<Item = &'d Diagnostic>) -> String {
    let is_shown = |finding: &&Diagnostic| finding.severity == Severity::Error || !is_quiet();
    let unread: Vec<&Diagnostic> = findings.into_iter().filter(|finding| is_unread(finding)).filter(is_shown).collect();
    let ([first, ..], Some(summary)) = (unread.as_slice(), unreadable(fs, &unread)) else { return String::new() };
    if unread.len() == 1 {
        return lines(fs, unread.into_iter());
    }
    let severity = unread.iter().fold(first.severity, |worst, finding| worst.max(finding.severity));
    let head = paint(style::of(severity), severity.as_str());
    format!("{head}: {summary}; {} shows why\n", command(&["why"], &[&fs.display(&first.path)]))
}

/// `1 file or folder and 2 sources could not be read, `/p/a` first`.
pub(super) fn unreadable(fs: &dyn Fs, findings: &[&Diagnostic]) -> Option<String> {
    let unread: Vec<&&Diagnostic> = findings.iter().filter(|finding| is_unread(finding)).collect();
    let path = fs.display(&unread.first()?.path);
    let sources = unread.iter().filter(|finding| finding.code == Code::SourceUnreadable).count();
    let files = unread.len() - sources;
    let counts = [(files, "file or folder", "files or folders"), (sources, "source", "sources")];
    let counts: Vec<String> = counts
        .iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, one, more)| format!("{number} {}", if *number == 1 { one } else { more }))
        .collect();
    Some(format!("{} could not be read, `{}` first", counts.join(" and "), visible(&path)))
}

/// Whether the finding is about something that could not be read.
pub(crate) fn is_unread(finding: &Diagnostic) -> bool {
    matches!(finding.code, Code::LeadsOut | Code::SourceUnreadable | Code::Unreadable)
}

/// Whether something cannot be used because of the finding. A skill that breaks a rule of its system's documents is used
/// all the same.
pub(crate) fn is_lost(finding: &Diagnostic, dialect: &Dialect) -> bool {
    finding.severity == Severity::Error && !dialect.has_rule(finding.code)
}

/// `2 errors, 3 warnings, 1 note`; `no findings`.
pub(crate) fn counted(findings: &[Diagnostic]) -> String {
    let parts: Vec<String> = counts(findings.iter()).into_iter().map(|(_, text)| text).collect();
    if parts.is_empty() { "no findings".to_owned() } else { parts.join(", ") }
}

/// `2 errors`, `3 warnings`, `1 note` with their severities, leaving out zeros.
pub(super) fn counts<'d>(findings: impl Iterator<Item = &'d Diagnostic> + Clone) -> Vec<(Severity, String)> {
    let parts = [Severity::Error, Severity::Warning, Severity::Note].into_iter().filter_map(|severity| {
        let number = findings.clone().filter(|finding| finding.severity == severity).count();
        (number > 0).then(|| (severity, count(number, severity.as_str())))
    });
    parts.collect()
}

fn lines<'d>(fs: &dyn Fs, findings: impl Iterator<Item = &'d Diagnostic>) -> String {
    findings.map(|finding| line(fs, finding) + "\n").collect()
}

/// `path:line:column: severity[code]: message`.
pub(super) fn line(fs: &dyn Fs, finding: &Diagnostic) -> String {
    let head = paint(style::of(finding.severity), &format!("{}[{}]", finding.severity.as_str(), finding.code));
    format!("{}: {head}: {}", place(fs, finding), folded(&finding.message))
}

/// The message and the help, with this text in between.
pub(crate) fn with_help(finding: &Diagnostic, between: &str) -> String {
    match &finding.help {
        Some(help) => format!("{}{between}help: {}", finding.message, with_options(Some(finding.code), help)),
        None => finding.message.clone(),
    }
}

/// `path:line:column`.
pub(crate) fn place(fs: &dyn Fs, finding: &Diagnostic) -> String {
    let path = fs.display(&finding.path);
    let path = visible(&path);
    match finding.at {
        Some(at) => format!("{path}:{}:{}", at.line, at.column),
        None => path.into_owned(),
    }
}
