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

/// Checks the documents whose texts have changed and sends what is found.
pub(super) fn publish(server: &mut Server) {
    let stale: Vec<_> =
        server.documents.iter_mut().filter(|open| open.findings.is_none()).map(|open| open.uri.clone()).collect();
    for uri in stale {
        let found = server.documents.get(&uri).and_then(|document| document.path.clone()).map(|path| {
            let found = server.workspace.as_ref().map(|workspace| workspace.check(&path)).unwrap_or_default();
            (path, found)
        });
        let (path, found) = match found {
            Some((path, found)) => (Some(path), found),
            None => (None, Vec::new()),
        };
        let Some(document) = server.documents.get_mut(&uri) else { continue };
        document.findings = Some(found);
        if path.is_some() {
            let params = params(server, &uri);
            server.notify("textDocument/publishDiagnostics", params);
        }
    }
}

/// Finds out again what only a discovery finds about all open documents, which are checked again too.
pub(super) fn discover(server: &mut Server) {
    let Some(workspace) = &mut server.workspace else { return };
    // Which files are skills is known once they have been looked for.
    workspace.catalog();
    for document in server.documents.iter_mut() {
        let Some(path) = document.path.clone().filter(|path| workspace.is_skill(path)) else { continue };
        let own = workspace.check(&path);
        document.of_catalog = workspace.of_catalog(&path, &own);
        document.shadowed_by = workspace.shadowed_by(&path);
        document.findings = None;
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
