//! Dialects in YAML files: [`Dialect::parse`] reads one, [`Dialect::to_yaml`] prints one, and [`Dialect::schema`] describes the files to
//! an editor. `format.md` has the format.

mod check;
#[cfg(feature = "receipts")]
mod compare;
pub(crate) mod macros;
mod print;
mod read;
#[cfg(test)]
mod rust;
mod schema;
pub(crate) mod shape;

use super::{Dialect, NAMES};
use crate::diagnostic::{Diagnostic, put_in_order};
use crate::path::FsPath;
use crate::text::json::Json;
use crate::text::lines::Source;
use crate::text::words::{excerpt, nearest};
use crate::text::yaml::{self, Document, Node, NoticeKind, Span, Value};
use read::Reader;
use read::got;
use shape::{Data, Described, Shape};
use std::sync::Arc;

/// The key that names the dialect whose table a file changes.
const EXTENDS: &str = "extends";

const EXTENDS_DOC: &str = "The name of a dialect, such as `agentskills`, whose table is used for everything that is not \
    given here. Maps are merged key by key; lists, texts and numbers are replaced.";

impl Dialect {
    /// The greatest length of a file, in bytes.
    pub const MAX_FILE_BYTES: usize = 262_144;

    /// Reads the text of a dialect file (rule 1.6). `path` is named in findings. `base` gives the dialect of a name that the
    /// file `extends`, such as [`dialect`](super::dialect()).
    ///
    #[doc = include_str!("format.md")]
    ///
    /// # Errors
    /// Findings with the code `dialect-file` if the text is longer than [`Dialect::MAX_FILE_BYTES`], is not YAML, or is not a
    /// dialect.
    pub fn parse(
        path: &FsPath,
        text: &str,
        base: &dyn Fn(&str) -> Option<Arc<Dialect>>,
    ) -> Result<Dialect, Vec<Diagnostic>> {
        let source = Source::new(text);
        let mut reader = Reader::new(path, &source);
        let dialect = read_text(&source, text.len(), &mut reader, base);
        let mut findings = reader.findings;
        match dialect {
            Some(dialect) if findings.is_empty() => Ok(dialect),
            _ => {
                put_in_order(&mut findings);
                Err(findings)
            }
        }
    }

    /// The JSON Schema (draft 2020-12) of dialect files, for editors.
    pub fn schema() -> Json {
        schema::schema(Dialect::SHAPE, (EXTENDS, EXTENDS_DOC))
    }

    /// All parts as the text of a dialect file, which reads back as the same dialect. It extends no other.
    pub fn to_yaml(&self) -> String {
        print::print(&self.to_data(), Dialect::SHAPE)
    }
}

/// The first part in which two dialects differ; `None` if they are equal.
#[cfg(feature = "receipts")]
pub(crate) fn first_difference(a: &Dialect, b: &Dialect) -> Option<compare::PartDifference> {
    compare::first_difference(&a.to_data(), &b.to_data(), Dialect::SHAPE)
}

#[cfg(feature = "author")]
/// What the doc comment of a word of an enum says, in plain text.
pub(crate) fn description<T: Described>(value: &T) -> String {
    match (value.to_data(), T::SHAPE) {
        (Data::Variant(name, _), Shape::Enum { variants, .. }) => {
            let variant = variants.iter().find(|variant| variant.name == name);
            variant.map(|variant| schema::plain(variant.docs)).unwrap_or_default()
        }
        _ => String::new(),
    }
}

const START: Span = Span { start: 0, end: 0 };

fn read_text(
    source: &Source<'_>,
    bytes: usize,
    reader: &mut Reader<'_>,
    base: &dyn Fn(&str) -> Option<Arc<Dialect>>,
) -> Option<Dialect> {
    if bytes > Dialect::MAX_FILE_BYTES {
        let message = format!("expected a dialect of at most {} bytes, got {bytes}", Dialect::MAX_FILE_BYTES);
        reader.find(START, &message, None);
        return None;
    }
    if let Some(control) = source.control() {
        let message = format!("expected a text without control characters, got {} of them", control.count);
        reader.find_at(control.at, None, &message, Some("write them in double quotes, such as \"\\u0001\"".to_owned()));
    }
    let document = match yaml::parse(source.text()) {
        Ok(document) => document,
        Err(error) => {
            reader.find(Span { start: error.at, end: error.at }, &error.message, None);
            return None;
        }
    };
    report_notices(&document, reader);
    let Some(root) = &document.root else {
        reader.find(START, "expected a dialect, got an empty file", Some(EXAMPLE.to_owned()));
        return None;
    };
    let dialect = read_root(root, reader, base)?;
    check::check(root, &dialect, reader);
    Some(dialect)
}

const EXAMPLE: &str = "begin with `name: NAME` and `extends: agentskills`, and change what differs";

/// Reports what YAML has and a dialect may not have.
fn report_notices(document: &Document, reader: &mut Reader<'_>) {
    for notice in &document.notices {
        let (message, help) = match &notice.what {
            NoticeKind::Alias(unresolved) => (unresolved.reason(), "write the value itself"),
            NoticeKind::TooDeep => ("expected a value that is nested less deeply", "no part of a dialect is so deep"),
            NoticeKind::DuplicateKey { key, .. } => {
                let message = format!("expected each part once, got `{}` twice", excerpt(key, 60));
                reader.find(notice.span, &message, Some("remove one of them".to_owned()));
                continue;
            }
            NoticeKind::Comment { .. } => continue,
        };
        reader.find(notice.span, message, Some(help.to_owned()));
    }
    for word in &document.words {
        let message = "expected a value without a YAML tag or anchor";
        reader.find(word.span, message, Some("put a text in quotes if it begins with `!` or `&`".to_owned()));
    }
}

fn read_root(root: &Node, reader: &mut Reader<'_>, base: &dyn Fn(&str) -> Option<Arc<Dialect>>) -> Option<Dialect> {
    let (Value::Map(pairs), Shape::Struct { fields, .. }) = (&root.value, Dialect::SHAPE) else {
        let message = format!("expected a map of the parts of a dialect, got {}", got(root));
        reader.find(root.span, &message, Some(EXAMPLE.to_owned()));
        return None;
    };
    let given = |name: &str| pairs.iter().find(|(key, _)| key.as_text() == Some(name)).map(|(_, value)| value);
    let base = match given(EXTENDS) {
        // Without its base, parts would be reported as missing that are not.
        Some(node) => Some(reader.within(EXTENDS, |reader| extended(node, reader, base))?.to_data()),
        None => None,
    };
    reader.has_base = base.is_some();
    if base.is_some() && given("name").is_none() {
        reader.find(START, "expected the part `name`, which is not taken from another dialect", None);
    }
    let base = base.as_ref().and_then(|base| if let Data::Parts(parts) = base { Some(&parts[..]) } else { None });
    let parts = reader.parts((root, pairs), fields, base, &[EXTENDS])?;
    let dialect = Dialect::from_data(Data::Parts(parts));
    if dialect.is_none() {
        reader.find(START, "expected a table whose templates are valid in the dialect that this one extends", None);
    }
    dialect
}

fn extended(node: &Node, reader: &mut Reader<'_>, base: &dyn Fn(&str) -> Option<Arc<Dialect>>) -> Option<Arc<Dialect>> {
    let Value::Text(name) = &node.value else {
        reader.find(node.span, &format!("expected the name of a dialect, got {}", got(node)), None);
        return None;
    };
    let found = base(name);
    if found.is_none() {
        let is_path = name.contains(['/', '\\']) || [".yaml", ".yml"].iter().any(|end| name.ends_with(end));
        let near = nearest(name, NAMES.iter().copied());
        let (what, help) = match near.first() {
            _ if is_path => ("the path ", Some(BY_NAME.to_owned())),
            near => ("", near.map(|near| format!("did you mean `{near}`?"))),
        };
        reader.find(node.span, &format!("expected the name of a dialect, got {what}`{}`", excerpt(name, 60)), help);
    }
    found
}

/// How another file is extended.
const BY_NAME: &str = "only names are extended: put the file into a folder for dialects, as \
    `.skilltree/dialects/base.yaml` in the project, and write `extends: base`";

#[cfg(test)]
#[path = "../../../tests/unit/dialect_file.rs"]
mod tests;
