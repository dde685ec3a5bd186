//! The parts of Markdown that the server needs, by places in a whole document: headings, code spans, and the links to files
//! in the body, and in fields that name files. Also makes text from files safe for Markdown.

use super::server::{Refusal, Server};
use crate::percent;
use lsp_types::{DocumentLink, DocumentLinkParams};
use skilltree::author::{FieldRole, Outline, OutlineField};
use skilltree::loading::ToolsetPlans;
use skilltree::{FsPath, visible};
use std::ops::Range;

/// A heading: its level, its text, and the bytes of its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heading {
    pub(super) level: usize,
    pub(super) text: String,
    pub(super) line: Range<usize>,
}

/// The lines from a byte on that are not fenced code, each with the place of its first byte.
pub(super) fn prose(text: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    Outline::prose(text.get(from..).unwrap_or_default()).map(move |(start, line)| (start + from, line))
}

/// The headings that begin with `#`.
pub(super) fn headings(text: &str, from: usize) -> Vec<Heading> {
    let heading = |(start, line): (usize, &str)| {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let level = line[indent..].bytes().take_while(|byte| *byte == b'#').count();
        let rest = &line[indent + level..];
        let is_heading = indent < 4 && (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
        let text = rest.trim().trim_end_matches('#').trim_end();
        is_heading.then(|| Heading { level, text: text.to_owned(), line: start..start + line.len() })
    };
    prose(text, from).filter_map(heading).collect()
}

/// The targets of links and images, and the code spans, from a byte on, with their places.
pub(super) fn targets(text: &str, from: usize) -> impl Iterator<Item = (&str, Range<usize>)> {
    let found = Outline::mentions(text.get(from..).unwrap_or_default());
    found.filter_map(move |range| {
        let place = range.start + from..range.end + from;
        Some((text.get(place.clone())?, place))
    })
}

/// A text from a file as Markdown that shows it: on one line, without invisible characters, and with nothing that
/// Markdown or HTML would read within a paragraph, addresses included.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in visible(&text.split_whitespace().collect::<Vec<_>>().join(" ")).chars() {
        if "\\`*_[]<>&~|#!".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out.replace("://", "\\://").replace("www.", "www\\.")
}

/// A text from a file as a block of code.
pub(super) fn block(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    let shown: Vec<String> = text.lines().map(|line| visible(line).into_owned()).collect();
    format!("{fence}text\n{}\n{fence}", shown.join("\n"))
}

/// A reference: the paths of which the first that exists is meant, and its place.
pub(super) struct Reference {
    pub(super) paths: Vec<String>,
    pub(super) place: Range<usize>,
}

/// Maximum number of references of a body that are looked up on the disk.
const MAX_REFERENCES: usize = 1_000;

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
    found.extend(references(document.text.as_str(), body).take(MAX_REFERENCES));
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
pub(super) fn references(text: &str, body: usize) -> impl Iterator<Item = Reference> {
    let reference = |(target, place): (&str, Range<usize>)| {
        let path = target.split(['#', '?']).next().unwrap_or("");
        let path = percent::decoded(path).unwrap_or_else(|| path.to_owned());
        let is_path = !path.is_empty() && !path.contains(':') && !path.contains(char::is_control);
        // A word in backticks is rarely a file.
        (is_path && path.contains(['/', '.'])).then(|| Reference { paths: vec![path], place })
    };
    targets(text, body).filter_map(reference)
}

/// The paths that an item of a field may mean, relative to the skill.
fn paths_of_field(field: &OutlineField, item: &str) -> Vec<String> {
    match &field.role {
        Some(FieldRole::Toolsets) => ToolsetPlans::paths_of(item).collect(),
        _ => {
            let item = item.strip_prefix("./").unwrap_or(item);
            let below = item.strip_prefix("scripts/").unwrap_or(item);
            vec![format!("scripts/{below}")]
        }
    }
}
