//! The parts of a dialect as its file has them, for tests that ask what a dialect says.

use skilltree::Dialect;
use std::sync::{Mutex, PoisonError};
use yaml_rust2::{Yaml, YamlLoader};

/// A value of a dialect file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Part(&'static Yaml);

/// The dialects that were read so far, as properties ask the same ones again and again.
static READ: Mutex<Vec<(Dialect, Part)>> = Mutex::new(Vec::new());

/// The part at this path, such as `scan.depth`.
pub(crate) fn part(dialect: &Dialect, path: &str) -> Part {
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    let known = read.iter().find(|(known, _)| known == dialect).map(|(_, parts)| *parts);
    let parts = known.unwrap_or_else(|| {
        let documents = YamlLoader::load_from_str(&dialect.to_yaml()).expect("valid YAML");
        let parts = Part(Box::leak(Box::new(documents.into_iter().next().expect("a document"))));
        read.push((dialect.clone(), parts));
        parts
    });
    parts.at(path)
}

impl Part {
    /// The part at this path below this one. What is below a part that is null is null too.
    pub(crate) fn at(self, path: &str) -> Part {
        Part(path.split('.').fold(self.0, |at, name| if at.is_null() { at } else { &at[name] }))
    }

    /// Whether there is nothing, as in `tool: null`.
    pub(crate) fn is_null(self) -> bool {
        matches!(self.0, Yaml::Null | Yaml::BadValue)
    }

    /// A text, or the word of a choice, as of `kind: {plugins: …}`; empty if there is none.
    pub(crate) fn text(self) -> &'static str {
        match self.0 {
            Yaml::String(text) => text,
            Yaml::Hash(map) => map.front().and_then(|(word, _)| word.as_str()).unwrap_or_default(),
            _ => "",
        }
    }

    pub(crate) fn number(self) -> Option<usize> {
        self.0.as_i64().and_then(|number| usize::try_from(number).ok())
    }

    /// The rows of a list.
    pub(crate) fn rows(self) -> impl DoubleEndedIterator<Item = Part> + ExactSizeIterator {
        self.0.as_vec().map(Vec::as_slice).unwrap_or_default().iter().map(Part)
    }

    /// The texts of a list.
    pub(crate) fn texts(self) -> Vec<&'static str> {
        self.rows().map(Part::text).collect()
    }
}
