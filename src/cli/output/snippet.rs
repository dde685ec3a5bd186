//! Formats findings as compilers do: place, line, caret, help, and the corrected line. The lines come from the
//! findings, so no file is read.

use super::findings::{counted, place};
use super::text::folded;
use crate::hints::with_options;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use skilltree::{Diagnostic, Fs, Position, Severity, visible};

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
    let title = level.primary_title(folded(&finding.message)).id(finding.code.as_str());
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
        group = group.element(Level::HELP.message(folded(&with_options(Some(finding.code), help)).into_owned()));
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
            out.push_str(&format!("\n{}", super::style::paint(super::style::ERROR, &format!("{number} -"))));
        }
        for line in fix.with.split('\n').filter(|_| !fix.with.is_empty()) {
            let plus = super::style::paint(super::style::KEY, &format!("{number} + {}", visible(line)));
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
