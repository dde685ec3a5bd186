//! The open documents: their texts, versions, and which of their findings are out of date. Positions of the protocol count
//! lines from 0 and columns in the unit that was agreed on, those of findings count from 1 and in characters. Only `file:`
//! addresses of this machine have a path.

use crate::percent;
use lsp_types::{PositionEncodingKind, Range, TextDocumentContentChangeEvent, Uri};
use skilltree::{Diagnostic, Fs, FsPath, OsFs};
use std::collections::BTreeMap;
use std::str::FromStr;

/// A document that the client has opened.
pub(super) struct Document {
    pub(super) uri: Uri,
    /// Its path; `None` if it is not a file of this machine.
    pub(super) path: Option<FsPath>,
    pub(super) version: i32,
    /// How many documents had been opened before it.
    pub(super) opened: u64,
    pub(super) text: Text,
    /// What only a discovery finds, as it was when the document was opened or saved.
    pub(super) of_catalog: Vec<Diagnostic>,
    /// The key of its skill and the file of the skill that is used for it, if that is another one.
    pub(super) shadowed_by: Option<(String, FsPath)>,
    /// Whether these two are of what is read now.
    pub(super) is_discovered: bool,
    /// The findings about the present text, with their ranges in it; `None` if it has changed since.
    pub(super) findings: Option<Vec<Diagnostic>>,
    /// Whether the client has all of this.
    pub(super) is_published: bool,
}

/// All open documents, by their address as the client spells it.
#[derive(Default)]
pub(super) struct Documents {
    pub(super) open: BTreeMap<String, Document>,
    /// The number of documents that have been opened so far, closed ones included.
    opened: u64,
    pub(super) encoding: Encoding,
}

impl Documents {
    pub(super) fn open(&mut self, uri: Uri, version: i32, text: String) {
        let (path, text) = (path_of_uri(uri.as_str()), Text::new(text, self.encoding));
        let (of_catalog, shadowed_by, findings) = (Vec::new(), None, None);
        let (is_discovered, is_published) = (false, false);
        let key = uri.as_str().to_owned();
        // A document that is opened again without having been closed is still the same one.
        let opened = self.open.get(&key).map_or(self.opened, |document| document.opened);
        self.opened += 1;
        let document = Document {
            uri,
            path,
            version,
            opened,
            text,
            of_catalog,
            shadowed_by,
            is_discovered,
            findings,
            is_published,
        };
        self.open.insert(key, document);
    }

    /// Applies changes in their order; `None` if the document is not open.
    pub(super) fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) -> Option<&Document> {
        let document = self.open.get_mut(uri.as_str())?;
        for change in changes {
            match change.range {
                Some(range) => document.text.replace(range, &change.text),
                None => document.text = Text::new(change.text, self.encoding),
            }
        }
        (document.version, document.findings, document.is_published) = (version, None, false);
        Some(document)
    }

    pub(super) fn get(&self, uri: &Uri) -> Option<&Document> {
        self.open.get(uri.as_str())
    }

    /// The document that is open under a path; of several, the one opened last, whose text the workspace shows there.
    pub(super) fn at(&self, path: &FsPath) -> Option<&Document> {
        let at_path = self.open.values().filter(|document| document.path.as_ref() == Some(path));
        at_path.max_by_key(|document| document.opened)
    }

    /// What a discovery finds about all documents is to be found out again.
    pub(super) fn forget_discovery(&mut self) {
        self.open.values_mut().for_each(|document| document.is_discovered = false);
    }

    /// The address of a file: as the client spells it if it is open.
    pub(super) fn uri_of(&self, path: &FsPath) -> Option<Uri> {
        self.at(path).map(|document| document.uri.clone()).or_else(|| uri_of_path(path))
    }
}

/// The unit of the columns of the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    /// What counts if the client says nothing.
    #[default]
    Utf16,
    Utf32,
}

impl Encoding {
    /// The first of the units that a client offers and that needs no conversion; UTF-16 if there is none.
    pub(super) fn negotiated(offered: &[&str]) -> Encoding {
        let known = [("utf-8", Encoding::Utf8), ("utf-32", Encoding::Utf32)];
        known.into_iter().find(|(name, _)| offered.contains(name)).map_or(Encoding::Utf16, |(_, encoding)| encoding)
    }

    pub(super) fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    fn width(self, c: char) -> usize {
        match self {
            Encoding::Utf8 => c.len_utf8(),
            Encoding::Utf16 => c.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }
}

/// A text and where its lines begin.
#[derive(Clone, Debug)]
pub(super) struct Text {
    text: String,
    encoding: Encoding,
    /// The offset of the first byte of each line of the protocol, which LF, CRLF and CR end.
    starts: Vec<usize>,
    /// The same for the lines of findings, which only LF ends.
    lf_starts: Vec<usize>,
}

impl Text {
    pub(super) fn new(text: String, encoding: Encoding) -> Text {
        let (mut starts, mut lf_starts) = (vec![0], vec![0]);
        let bytes = text.as_bytes();
        for (at, byte) in bytes.iter().enumerate() {
            match byte {
                b'\n' => {
                    starts.push(at + 1);
                    lf_starts.push(at + 1);
                }
                b'\r' if bytes.get(at + 1) != Some(&b'\n') => starts.push(at + 1),
                _ => {}
            }
        }
        Text { text, encoding, starts, lf_starts }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Replaces a range of the protocol.
    pub(super) fn replace(&mut self, range: Range, with: &str) {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        self.text.replace_range(start.min(end)..end.max(start), with);
        *self = Text::new(std::mem::take(&mut self.text), self.encoding);
    }

    /// The offset of a position of the protocol. Beyond the end of a line it is the end of the line, and beyond the end of
    /// the text the end of the text.
    pub(super) fn offset(&self, position: lsp_types::Position) -> usize {
        let Some(&start) = self.starts.get(position.line as usize) else { return self.text.len() };
        let (mut at, mut column) = (start, 0);
        for c in self.line(position.line as usize).chars() {
            if position.character as usize <= column {
                break;
            }
            column += self.encoding.width(c);
            // Half of a character is taken for none of it.
            if column <= position.character as usize {
                at += c.len_utf8();
            }
        }
        at
    }

    /// The position of the protocol of a byte; one within a character is taken for its beginning.
    pub(super) fn position(&self, offset: usize) -> lsp_types::Position {
        let offset = offset.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or_default();
        let before = self.text[start..].char_indices().take_while(|(at, _)| start + at < offset);
        let column: usize = before.map(|(_, c)| self.encoding.width(c)).sum();
        lsp_types::Position::new(line as u32, column as u32)
    }

    /// The range of the protocol of these bytes.
    pub(super) fn range(&self, bytes: std::ops::Range<usize>) -> Range {
        Range::new(self.position(bytes.start), self.position(bytes.end))
    }

    /// The offset of a position of a finding.
    pub(super) fn offset_of(&self, at: skilltree::Position) -> usize {
        let line = at.line.saturating_sub(1);
        let Some(&start) = self.lf_starts.get(line) else { return self.text.len() };
        let end = self.lf_starts.get(line + 1).map_or(self.text.len(), |next| next - 1);
        // A byte order mark takes no column.
        let text = &self.text[start..end];
        let skipped = if line == 0 { text.len() - text.trim_start_matches('\u{feff}').len() } else { 0 };
        let rest = &text[skipped..];
        let column = rest.char_indices().nth(at.column.saturating_sub(1)).map_or(rest.len(), |(at, _)| at);
        start + skipped + column
    }

    /// The bytes from one position of a finding to another; without the second, those of the character at the first.
    pub(super) fn span(&self, at: skilltree::Position, to: Option<skilltree::Position>) -> std::ops::Range<usize> {
        let start = self.offset_of(at);
        let end = match to {
            Some(to) => self.offset_of(to),
            None => self.text[start..]
                .chars()
                .next()
                .filter(|c| !matches!(c, '\n' | '\r'))
                .map_or(start, |c| start + c.len_utf8()),
        };
        start..end.max(start)
    }

    /// The bytes of whole lines of a file from the line `line` to the line `last`, counted from 1, without the ending of
    /// the last one; `None` if the text has no such lines.
    pub(super) fn file_lines(&self, line: usize, last: usize) -> Option<std::ops::Range<usize>> {
        let start = *self.lf_starts.get(line.checked_sub(1)?)?;
        if last < line {
            return None;
        }
        let end = match self.lf_starts.get(last) {
            Some(next) => next - 1,
            None if last == self.lf_starts.len() => self.text.len(),
            None => return None,
        };
        let end = if self.text[..end].ends_with('\r') && self.lf_starts.get(last).is_some() { end - 1 } else { end };
        (start <= end).then_some(start..end)
    }

    /// The ending of the first line.
    pub(super) fn line_ending(&self) -> &'static str {
        let first = self.lf_starts.get(1).map_or("", |next| &self.text[..*next]);
        if first.ends_with("\r\n") { "\r\n" } else { "\n" }
    }

    /// A line of the protocol without its ending.
    pub(super) fn line(&self, line: usize) -> &str {
        let Some(&start) = self.starts.get(line) else { return "" };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    pub(super) fn whole(&self) -> Range {
        self.range(0..self.text.len())
    }
}

/// The path that an address names; `None` for an address that is not that of a file here.
pub(super) fn path_of_uri(uri: &str) -> Option<FsPath> {
    let (scheme, rest) = uri.split_once(':')?;
    let rest = rest.strip_prefix("//").filter(|_| scheme.eq_ignore_ascii_case("file"))?;
    let (host, path) = rest.split_at(rest.find('/')?);
    if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
        return None;
    }
    let path = path.split(['?', '#']).next()?;
    let text = percent::decoded(path).filter(|text| !text.contains('\0'))?;
    // `/C:/skills` is `C:/skills` there.
    let text = if cfg!(windows) { text.trim_start_matches('/') } else { &text };
    OsFs::new().parse(text, &FsPath::root())
}

pub(super) fn uri_of_path(path: &FsPath) -> Option<Uri> {
    let fs = OsFs::new();
    let shown = fs.display(path).replace('\\', if cfg!(windows) { "/" } else { "\\" });
    let root = if shown.starts_with('/') { "file://" } else { "file:///" };
    Uri::from_str(&format!("{root}{}", percent::encoded_path(&shown))).ok()
}
