//! Code actions: the correction of each finding, and of all findings of a document.

use super::findings::{converted, range};
use super::server::{Refusal, Server};
use super::text::Text;
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, Range, TextEdit, Uri, WorkspaceEdit,
};
use skilltree::Fix;
use std::collections::HashMap;

pub(super) fn actions(server: &Server, params: &CodeActionParams) -> Result<Vec<CodeActionOrCommand>, Refusal> {
    let (workspace, document) = server.open(&params.text_document.uri)?;
    let Some(path) = &document.path else { return Ok(Vec::new()) };
    let (text, uri) = (&document.text, &document.uri);
    let checked;
    let findings = match &document.findings {
        Some(findings) => findings,
        None => {
            checked = workspace.check(path);
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
        if let Some(fixed) = workspace.fixed(path) {
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

/// The edit that carries out a correction.
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
