//! Publishes the findings about open documents. A change of a document checks that document only; what a discovery finds
//! comes when it is opened or saved.

use super::documents::Document;
use super::server::Server;
use super::text::Text;
use lsp_types::{
    DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, PublishDiagnosticsParams, Range,
};
use serde_json::json;
use skilltree::{Diagnostic, Severity};

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
    for document in server.documents.iter_mut() {
        let path = document.path.clone().filter(|path| workspace.is_skill(path));
        if let Some(path) = path.as_ref().filter(|_| document.findings.is_none() || !document.is_discovered) {
            document.findings = Some(workspace.check(path));
            document.is_published = false;
        }
        let own = document.findings.get_or_insert_default();
        if let Some(path) = path.as_ref().filter(|_| !document.is_discovered) {
            document.of_catalog = workspace.of_catalog(path, own);
            document.shadowed_by = workspace.shadowed_by(path);
        }
        document.is_discovered = true;
        if !document.is_published && document.path.is_some() {
            unsent.push(document.uri.clone());
        }
        document.is_published = true;
    }
    for uri in unsent {
        let params = params(server, &uri);
        server.notify("textDocument/publishDiagnostics", params);
    }
}

/// Looks for skills if that is due: which of the open documents are skills is known then.
pub(super) fn discover(server: &mut Server) {
    if let Some(workspace) = server.workspace.as_mut().filter(|_| server.documents.await_discovery()) {
        workspace.catalog();
    }
}

fn params(server: &Server, uri: &lsp_types::Uri) -> PublishDiagnosticsParams {
    let document = server.documents.get(uri);
    let diagnostics = document.map(|document| diagnostics(server, document)).unwrap_or_default();
    PublishDiagnosticsParams { uri: uri.clone(), diagnostics, version: document.map(|document| document.version) }
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
pub(super) fn converted(text: &Text, finding: &Diagnostic) -> lsp_types::Diagnostic {
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
