//! Collects the findings about one file, with the lines and columns that they are about.

use crate::diagnostic::{Code, Diagnostic, Fix, Mark, Position, Severity};
use crate::path::FsPath;
use crate::text::lines::Source;
use crate::text::yaml::{Node, Span};
use std::cell::OnceCell;

pub(crate) struct DiagnosticSink<'n> {
    pub(crate) path: &'n FsPath,
    pub(crate) source: &'n Source<'n>,
    pub(crate) findings: Vec<Diagnostic>,
    /// The places at which knowledge files are named. Whether these exist is found out later.
    pub(crate) knowledge: Vec<Mark>,
    /// The lines with a carriage return before their end; computed when first needed.
    lone_return_lines: OnceCell<Vec<usize>>,
}

impl<'n> DiagnosticSink<'n> {
    pub(crate) fn new(path: &'n FsPath, source: &'n Source<'n>) -> DiagnosticSink<'n> {
        DiagnosticSink { path, source, findings: Vec::new(), knowledge: Vec::new(), lone_return_lines: OnceCell::new() }
    }

    #[cfg(feature = "digest")]
    pub(crate) fn at_byte(&mut self, at: usize, severity: Severity, code: Code, message: String) -> &mut Diagnostic {
        self.at_position(self.source.position(at), severity, code, message)
    }

    pub(crate) fn at_span(&mut self, span: Span, severity: Severity, code: Code, message: String) -> &mut Diagnostic {
        let mark = self.mark(span);
        let finding = self.for_file(severity, code, &message);
        finding.mark(mark);
        finding
    }

    /// Adds a finding about a part of the text, or about the file as a whole if the part is not known.
    pub(super) fn at_span_or_file(
        &mut self,
        span: Option<Span>,
        severity: Severity,
        code: Code,
        message: String,
    ) -> &mut Diagnostic {
        match span {
            Some(span) => self.at_span(span, severity, code, message),
            None => self.for_file(severity, code, &message),
        }
    }

    pub(super) fn at_position(
        &mut self,
        at: Position,
        severity: Severity,
        code: Code,
        message: String,
    ) -> &mut Diagnostic {
        let line_text = self.source.line_text(at.line);
        let finding = self.for_file(severity, code, &message);
        finding.mark(Mark { at, to: None, line_text });
        finding
    }

    pub(super) fn for_file(&mut self, severity: Severity, code: Code, message: &str) -> &mut Diagnostic {
        self.findings.push(Diagnostic::new(severity, code, self.path.clone(), message));
        let last = self.findings.len() - 1;
        &mut self.findings[last]
    }

    pub(super) fn mark(&mut self, span: Span) -> Mark {
        let at = self.source.position(span.start);
        let to = if span.start < span.end { Some(self.source.position(span.end)) } else { None };
        Mark { at, to, line_text: self.source.line_text(at.line) }
    }

    /// The part of the text from a byte to the end of its line, without white space there.
    pub(super) fn rest_of_line(&self, start: usize) -> Span {
        let line = self.source.text().get(start..).and_then(|rest| rest.split('\n').next());
        debug_assert!(line.is_some(), "byte {start} of {:?} starts a character", self.path);
        Span { start, end: start + line.map_or(0, |line| line.trim_end().len()) }
    }

    pub(super) fn is_repaired(&self, node: &Node) -> bool {
        let lines = self.source.position(node.span.start).line..=self.source.position(node.span.end).line;
        let repairs = self.findings.iter().filter(|finding| finding.code == Code::YamlRepaired);
        repairs.filter_map(|finding| finding.at).any(|at| lines.contains(&at.line))
    }

    /// A fix that replaces the lines from the one with the byte `from` to the one with the byte `to` by one line.
    /// `None` if one of the lines has a carriage return before its end, which ends a line for YAML alone.
    pub(super) fn fix(&self, from: usize, to: usize, with: String) -> Option<Fix> {
        self.fix_lines(from, to, with).filter(|fix| !fix.with.contains('\n'))
    }

    /// Like [`DiagnosticSink::fix`], but `with` may be several lines.
    pub(super) fn fix_lines(&self, from: usize, to: usize, with: String) -> Option<Fix> {
        let lone_returns = self.lone_return_lines.get_or_init(|| lone_return_lines(self.source.text()));
        let (line, last) = (self.source.position(from).line, self.source.position(to.max(from)).line);
        let first_from_line = lone_returns.get(lone_returns.partition_point(|number| *number < line));
        let has_lone_return = first_from_line.is_some_and(|number| *number <= last);
        (!has_lone_return && !with.contains('\r')).then_some(Fix { line, last, with })
    }

    /// A part of the text; `None` if it does not begin and end between characters, as no part that was read does.
    pub(super) fn slice(&self, span: Span) -> Option<&'n str> {
        let text = self.source.text().get(span.start..span.end);
        debug_assert!(text.is_some(), "{span:?} is a part of {:?}", self.path);
        text
    }
}

/// The numbers of the lines that hold a carriage return before their end, ascending.
fn lone_return_lines(text: &str) -> Vec<usize> {
    let mut lone_returns = Vec::new();
    for (number, line) in (1..).zip(text.split('\n')) {
        if line.strip_suffix('\r').unwrap_or(line).contains('\r') {
            lone_returns.push(number);
        }
    }
    lone_returns
}
