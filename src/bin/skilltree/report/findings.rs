//! In: findings. Out: one line each, and a line that counts them.

use super::style::{self, paint};
use super::text::{count, folded};
use skilltree::{Code, Diagnostic, Fs, Severity, visible};

/// A prompt may leave out ten thousand skills, one finding each.
const MAX_LINES: usize = 20;

/// Errors and warnings as lines, and what to do to see the rest. Nothing when there are no findings.
pub(crate) fn brief(fs: &dyn Fs, findings: &[Diagnostic]) -> String {
    let mut out = lines(fs, findings.iter().filter(|finding| finding.severity > Severity::Note));
    if !findings.is_empty() {
        out.push_str(&format!(
            "{}; `skilltree check` shows them, `skilltree why NAME` explains one\n",
            counted(findings)
        ));
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

/// The same, but all of those of one code, and before the others.
pub(crate) fn about_all(fs: &dyn Fs, findings: &[Diagnostic], code: Code) -> String {
    let (first, rest): (Vec<_>, Vec<_>) = findings.iter().cloned().partition(|finding| finding.code == code);
    lines(fs, first.iter()) + &about(fs, &rest)
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
