//! [`Json`], a JSON value: parsed strictly by RFC 8259, and written compact or indented. Numbers keep their source
//! text, as nothing here computes with them. There is no mapping to Rust types.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

mod fields;
mod read;
mod relaxed;
mod view;
mod write;

pub(crate) use fields::Fields;
use read::RepeatedKeys;
pub(crate) use relaxed::{Lines, lines, strict};
pub(crate) use view::{FieldViews, JsonView};
pub(crate) use write::JsonObject;

/// A JSON value. Maps keep the order of their keys.
///
/// `{}` writes compact JSON, and `{:#}` JSON indented by two spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as it was written.
    Number(String),
    /// A string, with its escapes resolved.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object. Those made by [`Json::parse`] and [`Json::map`] contain every key once.
    Map(Vec<(String, Json)>),
}

/// Where a text is not valid JSON, and what was expected there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} at line {line}, column {column}")]
#[non_exhaustive]
pub struct JsonError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What was expected.
    pub expected: &'static str,
}

impl Json {
    /// Parses a JSON text.
    ///
    /// If an object contains a key twice, the last value is used, at the place of the first.
    ///
    /// # Errors
    /// [`JsonError`] for anything that RFC 8259 does not allow, for an unpaired surrogate, and for more than 128 levels.
    pub fn parse(text: &str) -> Result<Json, JsonError> {
        Json::read(text, RepeatedKeys::LastCounts)
    }

    /// Like [`Json::parse`], for a text that is to be changed and written again: a key that an object contains twice is an
    /// error, as one of its values would be lost.
    ///
    /// ```
    /// let error = skilltree::Json::parse_unique(r#"{"a": 1, "a": 2}"#).unwrap_err();
    /// assert_eq!(error.expected, "an object with each key once");
    /// ```
    ///
    /// # Errors
    /// As [`Json::parse`], and for such a key.
    pub fn parse_unique(text: &str) -> Result<Json, JsonError> {
        Json::read(text, RepeatedKeys::Refused)
    }

    fn read(text: &str, repeated: RepeatedKeys) -> Result<Json, JsonError> {
        read::read(text, repeated).map_err(|(at, expected)| {
            let before = &text[..at];
            let last_line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
            JsonError { line: before.matches('\n').count() + 1, column: last_line.chars().count() + 1, expected }
        })
    }

    /// A map of these fields, in this order. If a key occurs twice, the last value is used, at the place of the first.
    pub fn map<K: Into<String>>(fields: impl IntoIterator<Item = (K, Json)>) -> Json {
        let mut named = Vec::new();
        fields.into_iter().for_each(|(key, value)| named.push((key.into(), value)));
        Json::Map(each_key_once(named))
    }

    /// Adds a field to a map, or replaces its value. Nothing is changed if there is no value, or `self` is not a map.
    #[must_use]
    pub fn with(mut self, key: &str, value: Option<impl Into<Json>>) -> Json {
        self.set(key, value.map(Into::into));
        self
    }

    fn set(&mut self, key: &str, value: Option<Json>) {
        if let (Json::Map(fields), Some(value)) = (self, value) {
            match fields.iter_mut().find(|(known, _)| known == key) {
                Some((_, old)) => *old = value,
                None => fields.push((key.to_owned(), value)),
            }
        }
    }

    /// A list of the values that `row` returns for the items.
    pub(crate) fn list<'t, T>(items: &'t [T], mut row: impl FnMut(&'t T) -> Json) -> Json {
        let mut list = Vec::new();
        list.reserve_exact(items.len());
        items.iter().for_each(|item| list.push(row(item)));
        Json::List(list)
    }

    /// The value of a key, if this is a map that contains it.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Map(fields) => fields.iter().find(|(known, _)| known == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text, if this is a string.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Json {
        Json::Text(text)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Json {
        Json::Bool(value)
    }
}

impl From<usize> for Json {
    fn from(number: usize) -> Json {
        Json::Number(number.to_string())
    }
}

impl From<&[String]> for Json {
    fn from(texts: &[String]) -> Json {
        Json::list(texts, |text| Json::from(text.as_str()))
    }
}

impl From<Vec<Json>> for Json {
    fn from(items: Vec<Json>) -> Json {
        Json::List(items)
    }
}

fn each_key_once(fields: Vec<(String, Json)>) -> Vec<(String, Json)> {
    let keys: HashSet<&str> = fields.iter().map(|(key, _)| key.as_str()).collect();
    if keys.len() == fields.len() {
        return fields;
    }
    let mut once: Vec<(String, Json)> = Vec::with_capacity(keys.len());
    let mut places: HashMap<String, usize> = HashMap::new();
    for (key, value) in fields {
        match places.entry(key.clone()) {
            Entry::Occupied(place) => once[*place.get()].1 = value,
            Entry::Vacant(place) => {
                place.insert(once.len());
                once.push((key, value));
            }
        }
    }
    once
}

#[cfg(test)]
#[path = "../../tests/unit/json.rs"]
mod tests;
