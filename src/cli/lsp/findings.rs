//! Publishes the findings about open documents, and offers their corrections as code actions. A change of a document checks
//! that document only; what a discovery finds comes when it is opened or saved.

use super::documents::{Document, Text};
use super::server::{Refusal, Server};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, DiagnosticRelatedInformation,
    DiagnosticSeverity, Location, NumberOrString, PublishDiagnosticsParams, Range, TextEdit, Uri, WorkspaceEdit,
};
use serde_json::json;
use skilltree::{Diagnostic, Fix, Severity};
use std::collections::HashMap;

/// The name that the client shows beside a finding.
const SOURCE: &str = "skilltree";

/// The code of the note that another skill is used.
const SHADOWED: &str = "shadowed";

/// Checks the documents that are read otherwise than before, and sends what is found. Called when no message waits, so that
/// many documents that are opened at once are checked once, after one discovery.
pub(super) fn publish(server: &mut Server) {
    discover(server);
    let Some(workspace) = &mut server.workspace else { return };
    let mut unsent = Vec::new();
    for document in server.documents.open.values_mut() {
        let path = document.path.clone().filter(|path| workspace.is_skill(path));
        if let Some(path) = path.as_ref().filter(|_| document.findings.is_none() || !document.is_discovered) {
            let found = Some(workspace.check(path, document.text.as_str()));
            document.is_published &= document.findings == found;
            document.findings = found;
        }
        let own = document.findings.get_or_insert_default();
        if let Some(path) = path.as_ref().filter(|_| !document.is_discovered) {
            let (of_catalog, shadowed_by) = (workspace.of_catalog(path, own), workspace.shadowed_by(path));
            document.is_published &= document.of_catalog == of_catalog && document.shadowed_by == shadowed_by;
            (document.of_catalog, document.shadowed_by) = (of_catalog, shadowed_by);
        }
        document.is_discovered = true;
        if !document.is_published && document.path.is_some() {
            unsent.push(document.uri.clone());
        }
        document.is_published = true;
    }
    for uri in unsent {
        let document = server.documents.get(&uri);
        let diagnostics = document.map(|document| diagnostics(server, document)).unwrap_or_default();
        let version = document.map(|document| document.version);
        server.notify("textDocument/publishDiagnostics", PublishDiagnosticsParams { uri, diagnostics, version });
    }
}

/// Looks for skills if that is due: which of the open documents are skills is known then.
pub(super) fn discover(server: &mut Server) {
    let is_due = server.documents.open.values().any(|document| !document.is_discovered);
    if let Some(workspace) = server.workspace.as_mut().filter(|_| is_due) {
        workspace.catalog();
    }
}

fn diagnostics(server: &Server, document: &Document) -> Vec<lsp_types::Diagnostic> {
    let own = document.findings.iter().flatten().chain(&document.of_catalog);
    let mut diagnostics: Vec<_> = own.map(|finding| converted(&document.text, finding)).collect();
    if let Some((key, by)) = &document.shadowed_by {
        let message = format!("shadowed by `{by}`, which also defines `{}`", skilltree::visible(key));
        let related = server.documents.uri_of(by).map(|uri| DiagnosticRelatedInformation {
            location: Location { uri, range: Range::default() },
            message: "the skill that is used".to_owned(),
        });
        diagnostics.push(lsp_types::Diagnostic {
            range: first_line(&document.text),
            severity: Some(DiagnosticSeverity::INFORMATION),
            code: Some(NumberOrString::String(SHADOWED.to_owned())),
            source: Some(SOURCE.to_owned()),
            message,
            related_information: related.map(|related| vec![related]),
            ..Default::default()
        });
    }
    diagnostics
}

/// A finding as the protocol has it. Its `data` are the help and what the code means.
fn converted(text: &Text, finding: &Diagnostic) -> lsp_types::Diagnostic {
    let message = match &finding.help {
        Some(help) => format!("{}\nhelp: {help}", finding.message),
        None => finding.message.clone(),
    };
    lsp_types::Diagnostic {
        range: range(text, finding),
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Note => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(finding.code.as_str().to_owned())),
        source: Some(SOURCE.to_owned()),
        message,
        data: Some(json!({"help": finding.help, "explanation": finding.code.explanation()})),
        ..Default::default()
    }
}

/// The range of a finding; the first line if it is about the whole file.
pub(super) fn range(text: &Text, finding: &Diagnostic) -> Range {
    match finding.at {
        Some(at) => text.range(text.span(at, finding.to)),
        None => first_line(text),
    }
}

fn first_line(text: &Text) -> Range {
    text.range(0..text.line(0).len())
}

pub(super) fn actions(server: &Server, params: &CodeActionParams) -> Result<Vec<CodeActionOrCommand>, Refusal> {
    let (workspace, document) = server.open(&params.text_document.uri)?;
    let Some(path) = &document.path else { return Ok(Vec::new()) };
    let (text, uri) = (&document.text, &document.uri);
    let checked;
    let findings = match &document.findings {
        Some(findings) => findings,
        None => {
            checked = workspace.check(path, text.as_str());
            &checked
        }
    };
    let only = params.context.only.as_deref();
    // A client that asks for `source` asks for `source.fixAll` too.
    let is_wanted = |kind: &CodeActionKind| {
        let is_part = |wanted: &CodeActionKind| {
            kind.as_str().strip_prefix(wanted.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
                || wanted.as_str().is_empty()
        };
        only.is_none_or(|only| only.iter().any(is_part))
    };
    let mut actions = Vec::new();
    let touched = findings.iter().filter(|finding| touches(range(text, finding), params.range));
    if is_wanted(&CodeActionKind::QUICKFIX) {
        for finding in touched.clone() {
            let Some(edit) = finding.fix.as_ref().and_then(|fix| edit(text, fix)) else { continue };
            let title = finding.help.clone().unwrap_or_else(|| finding.message.clone());
            actions.push(CodeActionOrCommand::CodeAction(CodeAction {
                title: sentence(&title),
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![converted(text, finding)]),
                edit: Some(edits(uri, vec![edit])),
                is_preferred: Some(true),
                ..Default::default()
            }));
        }
    }
    // Lists of actions at a place without a finding are not lengthened, unless the client asks for this action.
    let is_offered = only.is_some() || touched.clone().next().is_some();
    if is_offered && is_wanted(&CodeActionKind::SOURCE_FIX_ALL) {
        if let Some(fixed) = workspace.fixed(path, text.as_str()) {
            actions.push(CodeActionOrCommand::CodeAction(CodeAction {
                title: "Apply all corrections".to_owned(),
                kind: Some(CodeActionKind::SOURCE_FIX_ALL),
                edit: Some(edits(uri, vec![TextEdit { range: text.whole(), new_text: fixed }])),
                ..Default::default()
            }));
        }
    }
    Ok(actions)
}

fn edit(text: &Text, fix: &Fix) -> Option<TextEdit> {
    let lines = match fix.with.is_empty() {
        // The lines are removed with their endings.
        true => text.file_lines(fix.line, fix.last)?.start..text.file_lines(fix.last + 1, fix.last + 1)?.start,
        false => text.file_lines(fix.line, fix.last)?,
    };
    let with = fix.with.replace('\n', text.line_ending());
    Some(TextEdit { range: text.range(lines), new_text: with })
}

/// An edit of one document.
#[allow(clippy::mutable_key_type, reason = "the protocol's type for addresses has a cell that does not count")]
fn edits(uri: &Uri, edits: Vec<TextEdit>) -> WorkspaceEdit {
    WorkspaceEdit { changes: Some(HashMap::from([(uri.clone(), edits)])), ..Default::default() }
}

/// Whether two ranges have a line in common. Corrections replace whole lines, and editors ask for the actions at the
/// cursor, which is rarely at the wrong character.
fn touches(a: Range, b: Range) -> bool {
    a.start.line <= b.end.line.max(b.start.line) && b.start.line.min(b.end.line) <= a.end.line
}

/// A help text as the title of an action.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
