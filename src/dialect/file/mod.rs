//! Dialects in YAML files: [`read`] reads one, [`to_yaml`] prints one, and [`schema`] describes the files to an editor.
//!
//! Most files change a few things of a dialect that is built in:
//!
//! ```
//! use skilltree::{FsPath, dialect};
//!
//! let text = r#"
//! name: tea-house
//! about: the agent of the tea house
//! extends: agentskills
//!
//! ## From lowest to highest precedence.
//! sources:
//!   - {base: home, path: .tea/skills, label: home, scope: user, origin: user}
//!   - {base: project, path: .tea/skills, label: project, scope: project, origin: project}
//! scan:
//!   depth: 1
//! prompt:
//!   budget: {window: {percent: 2}}
//!   row: "- {key}{?description}: {description}{/}"
//! tool: null
//! "#;
//! let path = FsPath::new("/tea.yaml").unwrap();
//! let tea = dialect::read(&path, text, &dialect::dialect).unwrap();
//! assert_eq!(tea.sources.len(), 2);
//! assert_eq!(tea.scan.depth, Some(1));
//! assert!(tea.tool.is_none());
//!
//! // What is not given is as in the dialect that it extends.
//! let base = dialect::dialect("agentskills").unwrap();
//! assert_eq!(tea.fields, base.fields);
//! assert_eq!(tea.scan.skipped, base.scan.skipped);
//!
//! let findings = dialect::read(&path, "name: tea\nextends: agentskills\nsorces: []", &dialect::dialect).unwrap_err();
//! assert_eq!(findings[0].to_string(), "/tea.yaml:3:1: error[dialect-file]: unknown part `sorces`");
//! assert_eq!(findings[0].help.as_deref(), Some("did you mean `sources`?"));
//! ```
//!
//! # Format
//! A file is a map of the fields of [`Dialect`], under their names. `name` is always needed.
//!
//! - A struct is a map of its fields. A field of the type `Option` may be `null`.
//! - A variant without a value is a word in kebab case, such as `first-paragraph`. One with a value is a map whose only
//!   key is this word: `chars: 30000`, `window: {percent: 2, fallback_chars: 8000}`, `scopes: [project, user]`.
//! - A text is any scalar. A [`Template`](crate::text::Template) may have only the placeholders that its documentation
//!   names.
//! - A number is a whole number of at most 1 000 000 000. What may be or not is `yes` or `no`.
//! - A pair in [`Substitution::variables`](super::Substitution::variables) is a map of `name` and `is`, and
//!   [`ToolRule::input`](super::ToolRule::input) one of `name` and `help`.
//!
//! `extends` names the dialect from which everything is taken that the file does not give. Maps are merged key by key at
//! any depth, and so are the values of a variant if both have the same variant. Lists, texts, numbers and words are
//! replaced as a whole. A map that the extended dialect does not have, such as `tool` if that has no tool, needs all its
//! parts, and so does each row of a list. Parts that may be null can always be left out, and a few parts of rows have a
//! default: `kind: folders`, `reach: base` and `linked_folders: followed` of a source, `necessity: optional` of a field,
//! and `over: keep` of a limit. Without `extends`, everything else must be given.
//!
//! # What is refused
//! Besides what has not this form: an empty name, or one with white space or slashes; two sources with one label, two
//! fields with one path, and two fields or limits with one role where only one would count; a limit of a field whose length
//! is not checked; a closing tag that the frame does not contain; a dot in the key of a setting that is written neither as
//! `/` nor as `\.`; paths that are absolute or lead out of their base; and a source in the project whose origin is
//! not [`Origin::Project`](crate::model::Origin::Project), as its skills would be trusted as the user's own. YAML aliases,
//! anchors and tags are not supported.
//!
//! A file can only say how skills are found and shown. It grants nothing: whether a skill is trusted is the answer of the
//! [`Host`](crate::Host).

mod check;
#[cfg(feature = "receipts")]
mod compare;
mod docs;
pub(crate) mod macros;
mod print;
mod read;
#[cfg(test)]
mod rust;
mod schema;
pub(crate) mod shape;
mod words;

use super::{Dialect, NAMES};
use crate::diagnostic::{Diagnostic, put_in_order};
use crate::path::FsPath;
use crate::text::json::Json;
use crate::text::lines::Source;
use crate::text::words::{excerpt, nearest};
use crate::text::yaml::{self, Document, Node, NoticeKind, Span, Value};
use read::Reader;
use shape::{Data, Described, Shape};
use std::sync::Arc;
use words::got;

/// The greatest length of a file, in bytes.
pub const MAX_FILE_BYTES: usize = 262_144;

/// The key that names the dialect whose table a file changes.
const EXTENDS: &str = "extends";

/// What the key says.
const EXTENDS_DOC: &str = "The name of a dialect, such as `agentskills`, whose table is used for everything that is not \
    given here. Maps are merged key by key; lists, texts and numbers are replaced.";

/// Reads the text of a dialect file (rule 1.6). `path` is named in findings. `base` gives the dialect of a name that the file
/// `extends`, such as [`dialect`](super::dialect()).
///
/// # Errors
/// Findings with the code `dialect-file` if the text is longer than [`MAX_FILE_BYTES`], is not YAML, or is not a
/// dialect.
pub fn read(
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

/// The whole table as the text of a dialect file, which reads back as the same dialect. It extends no other.
pub fn to_yaml(dialect: &Dialect) -> String {
    print::print(&dialect.to_data(), Dialect::SHAPE)
}

/// The first part in which two dialects differ; `None` if they are equal.
#[cfg(feature = "receipts")]
pub(crate) fn first_difference(a: &Dialect, b: &Dialect) -> Option<compare::PartDifference> {
    compare::first_difference(&a.to_data(), &b.to_data(), Dialect::SHAPE)
}

/// The JSON Schema (draft 2020-12) of dialect files, for editors.
pub fn schema() -> Json {
    schema::schema(Dialect::SHAPE, (EXTENDS, EXTENDS_DOC))
}

/// What the doc comment of a word of an enum says, in plain text.
pub(crate) fn description<T: Described>(value: &T) -> String {
    match (value.to_data(), T::SHAPE) {
        (Data::Variant(name, _), Shape::Enum { variants, .. }) => {
            let variant = variants.iter().find(|variant| variant.name == name);
            variant.map(|variant| docs::plain(variant.docs)).unwrap_or_default()
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
    if bytes > MAX_FILE_BYTES {
        let message = format!("expected a dialect of at most {MAX_FILE_BYTES} bytes, got {bytes}");
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
    let given = |name: &str| {
        pairs.iter().find(|(key, _)| matches!(&key.value, Value::Text(text) if text == name)).map(|(_, value)| value)
    };
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

/// The dialect that a file extends.
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
