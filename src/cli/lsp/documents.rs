//! The open documents: their texts, versions, and what is to be said about them again.

use super::text::{Encoding, Text};
use super::uri;
use lsp_types::{TextDocumentContentChangeEvent, Uri};
use skilltree::{Diagnostic, FsPath};
use std::collections::BTreeMap;

/// A document that the client has opened.
pub(super) struct Document {
    pub(super) uri: Uri,
    /// Its path; `None` if it is not a file of this machine.
    pub(super) path: Option<FsPath>,
    pub(super) version: i32,
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

impl Document {
    fn new(uri: Uri, version: i32, text: Text) -> Document {
        let path = uri::path(uri.as_str());
        let (of_catalog, shadowed_by, findings) = (Vec::new(), None, None);
        let (is_discovered, is_published) = (false, false);
        Document { uri, path, version, text, of_catalog, shadowed_by, is_discovered, findings, is_published }
    }
}

/// All open documents, by their address as the client spells it.
#[derive(Default)]
pub(super) struct Documents {
    open: BTreeMap<String, Document>,
    pub(super) encoding: Encoding,
}

impl Documents {
    pub(super) fn open(&mut self, uri: Uri, version: i32, text: String) {
        let text = Text::new(text, self.encoding);
        self.open.insert(uri.as_str().to_owned(), Document::new(uri, version, text));
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

    pub(super) fn close(&mut self, uri: &Uri) -> Option<Document> {
        self.open.remove(uri.as_str())
    }

    pub(super) fn get(&self, uri: &Uri) -> Option<&Document> {
        self.open.get(uri.as_str())
    }

    pub(super) fn at(&self, path: &FsPath) -> Option<&Document> {
        self.open.values().find(|document| document.path.as_ref() == Some(path))
    }

    /// Whether what a discovery finds about a document is to be found out.
    pub(super) fn await_discovery(&self) -> bool {
        self.open.values().any(|document| !document.is_discovered)
    }

    /// What a discovery finds about all documents is to be found out again.
    pub(super) fn forget_discovery(&mut self) {
        self.open.values_mut().for_each(|document| document.is_discovered = false);
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Document> {
        self.open.values_mut()
    }

    /// The address of a file: as the client spells it if it is open.
    pub(super) fn uri_of(&self, path: &FsPath) -> Option<Uri> {
        self.at(path).map(|document| document.uri.clone()).or_else(|| uri::uri(path))
    }
}
