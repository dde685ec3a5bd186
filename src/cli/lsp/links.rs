//! Links to the files that a SKILL.md refers to: in links and in backticks of its body, and in fields that name files.

use super::markdown::{path_of, targets};
use super::server::{Refusal, Server};
use lsp_types::{DocumentLink, DocumentLinkParams};
use skilltree::FsPath;
use skilltree::author::{FieldRole, Outline, OutlineField};
use std::ops::Range;

/// A reference: the paths of which the first that exists is meant, and its place.
pub(super) struct Reference {
    pub(super) paths: Vec<String>,
    pub(super) place: Range<usize>,
}

/// Maximum number of references of a body that are looked up on the disk.
const MAX_REFERENCES: usize = 1_000;

/// What a toolset may be written in, whose file is named without its ending.
const TOOLSET_ENDINGS: &[&str] = &["", ".ts", ".mts", ".js", ".mjs", ".py"];

pub(super) fn links(server: &Server, params: &DocumentLinkParams) -> Result<Vec<DocumentLink>, Refusal> {
    let (workspace, document) = server.open(&params.text_document.uri)?;
    let Some(path) = document.path.as_ref().filter(|path| workspace.is_skill(path)) else { return Ok(Vec::new()) };
    let outline = Outline::of(workspace.dialect(), path, document.text.as_str());
    let mut found: Vec<Reference> = Vec::new();
    for field in &outline.fields {
        for (file, (start, end)) in &field.files {
            let place = document.text.offset_of(*start)..document.text.offset_of(*end);
            found.push(Reference { paths: paths_of_field(field, file), place });
        }
    }
    let body = outline.body.map_or(document.text.as_str().len(), |body| document.text.offset_of(body));
    found.extend(of_body(document.text.as_str(), body).take(MAX_REFERENCES));
    let asked: Vec<&str> = found.iter().flat_map(|reference| reference.paths.iter().map(String::as_str)).collect();
    let mut files =
        workspace.with_world(|world| Outline::references(world, workspace.dialect(), path, &asked)).into_iter();
    let mut links = Vec::new();
    for reference in &found {
        let target: Vec<FsPath> = files.by_ref().take(reference.paths.len()).flatten().collect();
        let Some(target) = target.first().and_then(|target| server.documents.uri_of(target)) else { continue };
        let range = document.text.range(reference.place.clone());
        links.push(DocumentLink { range, target: Some(target), tooltip: None, data: None });
    }
    Ok(links)
}

/// The references in a body that begins at a byte of a text. What has a scheme, such as `https:`, is none.
pub(super) fn of_body(text: &str, body: usize) -> impl Iterator<Item = Reference> {
    let reference = |(target, place): (&str, Range<usize>)| {
        let path = path_of(target).into_owned();
        let is_path = !path.is_empty() && !path.contains(':') && !path.contains(char::is_control);
        // A word in backticks is rarely a file.
        (is_path && path.contains(['/', '.'])).then(|| Reference { paths: vec![path], place })
    };
    targets(text, body).filter_map(reference)
}

/// The paths that an item of a field may mean, relative to the skill.
fn paths_of_field(field: &OutlineField, item: &str) -> Vec<String> {
    match &field.role {
        Some(FieldRole::Toolsets) => {
            let file = item.split_once(':').map_or(item, |(file, _)| file).trim();
            TOOLSET_ENDINGS.iter().map(|ending| format!("{file}{ending}")).collect()
        }
        _ => {
            let item = item.strip_prefix("./").unwrap_or(item);
            let below = item.strip_prefix("scripts/").unwrap_or(item);
            vec![format!("scripts/{below}")]
        }
    }
}
