//! Formats findings: as one line each, as blocks with the line of the file as compilers do, and counted in a summary. The
//! lines come from the findings, so no file is read.

use super::style::{self, paint};
use super::text::{count, one_line};
use crate::hints::with_options;
use crate::reply::Failure;
use crate::setup::Setup;
use crate::suggested::{command, is_quiet};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use skilltree::discovery::FileStatus;
use skilltree::{Catalog, Code, Diagnostic, Dialect, Fs, FsPath, Position, Severity, visible};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

/// Maximum number of findings that are printed: a prompt may leave out thousands of skills, with one finding each.
const MAX_LINES: usize = 20;

/// How many reasons are listed for skills that are not served.
#[cfg(feature = "mcp")]
const MAX_REASONS: usize = 3;

/// The findings about one answer, one line each, up to a maximum, beyond which the most severe ones come first. With
/// `--quiet`, only errors.
pub(crate) fn about(fs: &dyn Fs, findings: &[Diagnostic]) -> String {
    let is_shown = |finding: &&Diagnostic| finding.severity == Severity::Error || !is_quiet();
    let mut shown: Vec<&Diagnostic> = findings.iter().filter(is_shown).collect();
    if shown.len() > MAX_LINES {
        shown.sort_by_key(|finding| Reverse(finding.severity));
    }
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
    if is_quiet() {
        return String::new();
    }
    let ([first, _, ..], number) = (findings, findings.len()) else { return lines(fs, findings.iter()) };
    let head = paint(style::of(first.severity), &format!("{}[{}]", first.severity.as_str(), first.code));
    let reason = |finding: &Diagnostic| format!("{}: {}", place(fs, finding), one_line(&finding.message));
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
fn unreadable(fs: &dyn Fs, findings: &[&Diagnostic]) -> Option<String> {
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
    finding.code == Code::LeadsOut || hides_skills(finding)
}

/// Whether skills may be missing because of the finding. What leads out of its place is left out on purpose.
pub(crate) fn hides_skills(finding: &Diagnostic) -> bool {
    match finding.code {
        Code::SourceUnreadable | Code::Unreadable => true,
        // It is a note about a folder in which the client would read no skill.
        Code::PathNotUtf8 => finding.severity > Severity::Note,
        // The limit of this program, which the standard has. By a limit of its own, the client skips the file as well.
        Code::TooLarge => {
            let most = skilltree::dialect::agentskills().max_skill_bytes();
            finding.message.starts_with(&format!("expected at most {most} bytes"))
        }
        _ => false,
    }
}

/// The failure of a command that writes down which skills there are; `None` if none can be missing.
pub(crate) fn incomplete<'d>(fs: &dyn Fs, findings: impl IntoIterator<Item = &'d Diagnostic>) -> Option<Failure> {
    let hiding = findings.into_iter().filter(|finding| hides_skills(finding));
    let reasons: Vec<String> =
        hiding.map(|finding| format!("`{}`: {}", fs.display(&finding.path), finding.message)).collect();
    let failure = Failure::of_all("unread", &reasons)?.into_error();
    Some(failure.with_help("nothing is written, as skills may be missing".to_owned()))
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
    format!("{}: {head}: {}", place(fs, finding), one_line(&finding.message))
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

/// One line for each severity and code, the most serious and most frequent first: how often it occurs, and the command
/// that explains it.
pub(crate) fn summary_by_code(findings: &[Diagnostic]) -> String {
    let mut numbers: BTreeMap<(Severity, Code), usize> = BTreeMap::new();
    for finding in findings {
        *numbers.entry((finding.severity, finding.code)).or_default() += 1;
    }
    let mut rows: Vec<(Severity, usize, &str, String)> = numbers
        .into_iter()
        .map(|((severity, code), number)| {
            let noun = format!("{}{}", severity.as_str(), if number == 1 { "" } else { "s" });
            (severity, number, code.as_str(), noun)
        })
        .collect();
    rows.sort_by_key(|(severity, number, code, _)| (Reverse((*severity, *number)), *code));
    let digits = rows.iter().map(|(_, number, ..)| number.to_string().len()).max().unwrap_or(0);
    let nouns = rows.iter().map(|(.., noun)| noun.len()).max().unwrap_or(0);
    let codes = rows.iter().map(|(_, _, code, _)| code.len()).max().unwrap_or(0);
    rows.iter()
        .map(|(severity, number, code, noun)| {
            let counted = paint(style::of(*severity), &format!("{number:>digits$} {noun:<nouns$}"));
            format!("{counted}  {code:<codes$}  skilltree explain {code}\n")
        })
        .collect()
}

/// How many characters of a long line are shown, starting a little before the place of the finding.
const MAX_LINE_CHARS: usize = 200;
const CHARS_BEFORE: usize = 60;

/// Formats each finding as a block, followed by a line that counts them.
pub(crate) fn counted_blocks(fs: &dyn Fs, findings: &[Diagnostic]) -> String {
    format!("{}{}\n", blocks(fs, findings), counted(findings))
}

/// Formats each finding as a block, followed by an empty line.
pub(crate) fn blocks(fs: &dyn Fs, findings: &[Diagnostic]) -> String {
    let renderer = Renderer::styled().term_width(MAX_LINE_CHARS * 12);
    let mut out = String::new();
    for finding in findings {
        out.push_str(&block(fs, finding, &renderer));
        out.push_str("\n\n");
    }
    out
}

fn block(fs: &dyn Fs, finding: &Diagnostic, renderer: &Renderer) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(one_line(&finding.message)).id(finding.code.as_str());
    let place = place(fs, finding);
    let mut counted = None;
    let mut group: Group<'_> = match (finding.at, &finding.line_text) {
        (Some(at), Some(line)) => {
            let shown = Shown::of(line, at, finding.to);
            counted = Some(format!("{place}:{}:{}", at.line, shown.column()));
            let caret = AnnotationKind::Primary.span(shown.caret.clone());
            title.element(Snippet::source(shown.text).path(place.clone()).line_start(at.line).annotation(caret))
        }
        _ => title.element(Origin::path(place.clone())),
    };
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(one_line(&with_options(Some(finding.code), help)).into_owned()));
    }
    let mut out = renderer.render(&[group]);
    if let Some(counted) = counted {
        // The renderer counts columns in the shown text; replace them by the place in the file.
        out = out.replacen(&counted, &place, 1);
    }
    if let Some(fix) = &finding.fix {
        let number = match fix.last {
            last if last > fix.line => format!("{}-{last}", fix.line),
            _ => fix.line.to_string(),
        };
        if fix.with.is_empty() {
            out.push_str(&format!("\n{}", style::paint(style::ERROR, &format!("{number} -"))));
        }
        for line in fix.with.split('\n').filter(|_| !fix.with.is_empty()) {
            let plus = style::paint(style::KEY, &format!("{number} + {}", visible(line)));
            out.push_str(&format!("\n{plus}"));
        }
    }
    out
}

/// The shown part of a line, escaped, and the byte range of the caret in it.
struct Shown {
    text: String,
    caret: std::ops::Range<usize>,
}

impl Shown {
    fn of(line: &str, at: Position, to: Option<Position>) -> Shown {
        let column = at.column.saturating_sub(1);
        let end = match to {
            Some(to) if to.line == at.line => to.column.saturating_sub(1).max(column + 1),
            // A range that continues on further lines is marked up to the end of this line.
            Some(to) if to.line > at.line => line.trim_end().chars().count().max(column + 1),
            _ => column + 1,
        };
        let from = if column > MAX_LINE_CHARS - CHARS_BEFORE { column - CHARS_BEFORE } else { 0 };
        let mut text = String::from(if from > 0 { "…" } else { "" });
        let mut caret: Option<std::ops::Range<usize>> = None;
        let mut rest = line.chars().skip(from);
        for place in from..from + MAX_LINE_CHARS {
            let start = text.len();
            let Some(c) = rest.next() else { break };
            match c {
                '\t' => text.push_str("    "),
                // Joiners and emoji selectors are visible through their effect on the neighbouring characters.
                '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' => text.push(c),
                c => text.push_str(&visible(c.encode_utf8(&mut [0; 4]))),
            }
            if (column..end).contains(&place) {
                caret = Some(caret.map_or(start, |caret| caret.start)..text.len());
            }
        }
        let last = text.len();
        if rest.next().is_some() {
            text.push('…');
        }
        // A place after the end of the line has its caret there.
        Shown { text, caret: caret.unwrap_or(last..last) }
    }

    /// The column of the caret in the shown text, counted in characters from 1.
    fn column(&self) -> usize {
        self.text.get(..self.caret.start).map_or(0, |before| before.chars().count()) + 1
    }
}
