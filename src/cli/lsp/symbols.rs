//! Symbols: the fields and headings of a document, and the skills of the workspace.

use super::documents::Text;
use super::markdown::{Heading, headings};
use super::server::{Refusal, Server};
use lsp_types::{
    DocumentSymbol, DocumentSymbolParams, Location, OneOf, Range, SymbolKind, WorkspaceSymbol, WorkspaceSymbolParams,
};
use skilltree::author::{Outline, OutlineField};

const MAX_HEADINGS: usize = 2_000;

const MAX_SKILLS: usize = 1_000;

pub(super) fn of_document(server: &Server, params: &DocumentSymbolParams) -> Result<Vec<DocumentSymbol>, Refusal> {
    let (workspace, document) = server.open(&params.text_document.uri)?;
    let Some(path) = document.path.as_ref().filter(|path| workspace.is_skill(path)) else { return Ok(Vec::new()) };
    let text = &document.text;
    let Outline { fields, body, .. } = Outline::of(workspace.dialect(), path, text.as_str());
    let mut symbols: Vec<DocumentSymbol> = Vec::new();
    for field in &fields {
        let inner = field.path.split_once('.');
        let symbol = field_symbol(text, field, inner.map_or(&field.path, |(_, name)| name));
        match (inner, symbols.last_mut()) {
            (Some((outer, _)), Some(last)) if last.name == outer => {
                last.children.get_or_insert_with(Vec::new).push(symbol);
            }
            _ => symbols.push(symbol),
        }
    }
    if let Some(body) = body {
        let mut headings = headings(text.as_str(), text.offset_of(body));
        headings.truncate(MAX_HEADINGS);
        symbols.extend(nested(text, headings));
    }
    Ok(symbols)
}

#[allow(deprecated, reason = "the type has a field that is no longer used and has to be given")]
fn symbol(
    name: &str,
    detail: Option<String>,
    kind: SymbolKind,
    range: Range,
    selection_range: Range,
) -> DocumentSymbol {
    let name = if name.trim().is_empty() { "(empty)".to_owned() } else { skilltree::visible(name).into_owned() };
    DocumentSymbol { name, detail, kind, tags: None, deprecated: None, range, selection_range, children: None }
}

fn field_symbol(text: &Text, field: &OutlineField, name: &str) -> DocumentSymbol {
    let key = text.offset_of(field.key.0)..text.offset_of(field.key.1);
    let end = text.offset_of(field.value.1).max(key.end);
    let detail = field.text.as_ref().map(|text| skilltree::visible(text).into_owned());
    symbol(name, detail, SymbolKind::FIELD, text.range(key.start..end), text.range(key))
}

/// The headings as a tree: each has those below it of a deeper level. It extends to the next heading that is not below it.
fn nested(text: &Text, headings: Vec<Heading>) -> Vec<DocumentSymbol> {
    let mut open: Vec<(usize, DocumentSymbol)> = Vec::new();
    let mut done = Vec::new();
    let ends: Vec<usize> = headings
        .iter()
        .enumerate()
        .map(|(n, heading)| {
            let next = headings[n + 1..].iter().find(|next| next.level <= heading.level);
            next.map_or(text.as_str().len(), |next| next.line.start)
        })
        .collect();
    for (heading, end) in headings.into_iter().zip(ends) {
        close(&mut open, &mut done, heading.level);
        let (range, selection) = (text.range(heading.line.start..end), text.range(heading.line));
        open.push((heading.level, symbol(&heading.text, None, SymbolKind::STRING, range, selection)));
    }
    close(&mut open, &mut done, 0);
    done
}

/// Closes the headings that one of this level ends.
fn close(open: &mut Vec<(usize, DocumentSymbol)>, done: &mut Vec<DocumentSymbol>, level: usize) {
    while open.last().is_some_and(|(last, _)| level <= *last) {
        let Some((_, symbol)) = open.pop() else { return };
        match open.last_mut() {
            Some((_, parent)) => parent.children.get_or_insert_with(Vec::new).push(symbol),
            None => done.push(symbol),
        }
    }
}

/// The skills whose keys contain the letters of the query in their order.
pub(super) fn of_workspace(
    server: &mut Server,
    params: &WorkspaceSymbolParams,
) -> Result<Vec<WorkspaceSymbol>, Refusal> {
    let catalog = server.workspace_mut()?.catalog();
    let is_asked = |key: &str| {
        let mut letters = key.chars().flat_map(char::to_lowercase);
        params.query.chars().flat_map(char::to_lowercase).all(|wanted| letters.any(|letter| letter == wanted))
    };
    let mut symbols = Vec::new();
    for skill in catalog.skills().iter().filter(|skill| is_asked(&skill.key)).take(MAX_SKILLS) {
        let Some(uri) = server.documents.uri_of(&skill.path) else { continue };
        symbols.push(WorkspaceSymbol {
            name: skilltree::visible(&skill.key).into_owned(),
            kind: SymbolKind::MODULE,
            tags: None,
            container_name: Some(skill.source.label.clone()),
            location: OneOf::Left(Location { uri, range: Range::default() }),
            data: None,
        });
    }
    Ok(symbols)
}
