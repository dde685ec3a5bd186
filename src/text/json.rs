//! [`Json`], a JSON value: parsed strictly by RFC 8259, built, and written compact or indented. Numbers keep their source
//! text, as nothing here computes with them. There is no mapping to Rust types.

mod relaxed;

pub(crate) use relaxed::{Lines, lines, strict};

use super::escape::json_inside;
use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fmt::{self, Write as _};

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
        Json::read(text, false)
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
        Json::read(text, true)
    }

    fn read(text: &str, has_unique_keys: bool) -> Result<Json, JsonError> {
        let mut reader = Reader { rest: text, has_unique_keys };
        let whole = reader.value(0).and_then(|whole| {
            reader.skip_space();
            if reader.rest.is_empty() { Ok(whole) } else { Err("the end of the text") }
        });
        whole.map_err(|expected| {
            let before = &text[..text.len() - reader.rest.len()];
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

/// The deepest nesting that is accepted, as parsing, printing and dropping a value recurse.
const MOST_LEVELS: usize = 128;

/// Reads a text. The errors of its methods say what was expected where the rest begins.
struct Reader<'t> {
    rest: &'t str,
    /// Whether a key that an object contains twice is an error.
    has_unique_keys: bool,
}

impl Reader<'_> {
    /// Reads a value inside so many lists and objects.
    fn value(&mut self, level: usize) -> Result<Json, &'static str> {
        self.skip_space();
        match self.peek() {
            Some(b'[' | b'{') if level >= MOST_LEVELS => Err("at most 128 levels"),
            Some(b'[') => self.list(level),
            Some(b'{') => self.map(level),
            Some(b'"') => {
                self.skip_ascii();
                self.rest_of_text().map(Json::Text)
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            _ => Err("a value"),
        }
    }

    fn list(&mut self, level: usize) -> Result<Json, &'static str> {
        let mut items = Vec::new();
        self.skip_ascii();
        self.skip_space();
        if self.eat(b']') {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(level + 1)?);
            self.skip_space();
            if !self.eat(b',') {
                self.expect_byte(b']', "`,` or `]`")?;
                return Ok(Json::List(items));
            }
        }
    }

    fn map(&mut self, level: usize) -> Result<Json, &'static str> {
        let mut fields = Vec::new();
        self.skip_ascii();
        self.skip_space();
        if self.eat(b'}') {
            return Ok(Json::Map(fields));
        }
        let mut expected = "a key or `}`";
        loop {
            let key = self.key(expected)?;
            fields.push((key, self.value(level + 1)?));
            self.skip_space();
            if !self.eat(b',') {
                break;
            }
            self.skip_space();
            expected = "a key";
        }
        self.expect_byte(b'}', "`,` or `}`")?;
        let count = fields.len();
        let once = each_key_once(fields);
        let is_refused = self.has_unique_keys && once.len() < count;
        if is_refused { Err("an object with each key once") } else { Ok(Json::Map(once)) }
    }

    fn key(&mut self, expected: &'static str) -> Result<String, &'static str> {
        self.expect_byte(b'"', expected)?;
        let key = self.rest_of_text()?;
        self.skip_space();
        self.expect_byte(b':', "`:`")?;
        Ok(key)
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, &'static str> {
        self.rest = self.rest.strip_prefix(word).ok_or("a value")?;
        Ok(value)
    }

    fn number(&mut self) -> Result<Json, &'static str> {
        let start = self.rest;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _sign = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        let (number, _) = start.split_at(start.len() - self.rest.len());
        Ok(Json::Number(number.to_owned()))
    }

    fn digits(&mut self) -> Result<(), &'static str> {
        let rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() == self.rest.len() {
            return Err("a digit");
        }
        self.rest = rest;
        Ok(())
    }

    /// The text up to its closing quote; the opening one has been read.
    fn rest_of_text(&mut self) -> Result<String, &'static str> {
        let mut text = String::new();
        loop {
            let is_special = |byte| matches!(byte, b'"' | b'\\' | 0..=0x1f);
            let (plain, rest) = self.rest.split_at(self.rest.bytes().position(is_special).unwrap_or(self.rest.len()));
            text.push_str(plain);
            self.rest = rest;
            if self.eat(b'"') {
                return Ok(text);
            }
            match self.peek() {
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => return Err("an escape for a control character"),
                None => return Err("a closing quote"),
            }
        }
    }

    fn escape(&mut self) -> Result<char, &'static str> {
        self.eat(b'\\');
        let escaped = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.eat(b'u');
                return self.code_point();
            }
            _ => return Err("an escape"),
        };
        self.skip_ascii();
        Ok(escaped)
    }

    /// The character of four hexadecimal digits, or of two such escapes that are a surrogate pair.
    fn code_point(&mut self) -> Result<char, &'static str> {
        let start = self.rest;
        let first = self.four_digits()?;
        let code = match first {
            0xd800..0xdc00 if self.eat(b'\\') && self.eat(b'u') => match self.four_digits()? {
                second @ 0xdc00..0xe000 => 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00),
                _ => first,
            },
            _ => first,
        };
        char::from_u32(code).ok_or_else(|| {
            self.rest = start;
            "a whole surrogate pair"
        })
    }

    fn four_digits(&mut self) -> Result<u32, &'static str> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16)).ok_or("a hexadecimal digit")?;
            code = code * 16 + digit;
            self.skip_ascii();
        }
        Ok(code)
    }

    fn peek(&self) -> Option<u8> {
        self.rest.bytes().next()
    }

    /// Passes over this ASCII character if it is the next one, and returns whether it is.
    fn eat(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        if is_next {
            self.skip_ascii();
        }
        is_next
    }

    fn skip_ascii(&mut self) {
        self.rest = &self.rest[1..];
    }

    fn expect_byte(&mut self, byte: u8, expected: &'static str) -> Result<(), &'static str> {
        if self.eat(byte) { Ok(()) } else { Err(expected) }
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }
}

/// Builds an object field by field, in this order. It does not check that names are unique. It has one method for each
/// kind of value, so that the conversion is not compiled anew in each place where an answer is made.
pub(crate) struct Object<N, V>(Vec<(N, V)>);

pub(crate) type Fields = Object<String, Json>;

/// Fields that borrow their texts. Answers about thousands of skills are written with them, so that the texts of the skills
/// are not copied.
pub(crate) type FieldViews<'v> = Object<&'static str, JsonView<'v>>;

impl<N, V> Default for Object<N, V> {
    fn default() -> Self {
        Object(Vec::new())
    }
}

impl<'n, 'v, N: From<&'n str>, V: From<&'v str> + From<&'v [String]> + From<bool>> Object<N, V> {
    pub(crate) fn put(&mut self, name: &'n str, value: V) -> &mut Self {
        self.0.push((N::from(name), value));
        self
    }

    pub(crate) fn text(&mut self, name: &'n str, value: &'v str) -> &mut Self {
        self.put(name, V::from(value))
    }

    pub(crate) fn texts(&mut self, name: &'n str, value: &'v [String]) -> &mut Self {
        self.put(name, V::from(value))
    }

    pub(crate) fn flag(&mut self, name: &'n str, value: bool) -> &mut Self {
        self.put(name, V::from(value))
    }

    pub(crate) fn some(&mut self, name: &'n str, value: Option<V>) -> &mut Self {
        if let Some(value) = value {
            self.put(name, value);
        }
        self
    }

    pub(crate) fn some_text(&mut self, name: &'n str, value: Option<&'v str>) -> &mut Self {
        self.some(name, value.map(V::from))
    }

    pub(crate) fn some_texts(&mut self, name: &'n str, value: Option<&'v [String]>) -> &mut Self {
        self.some(name, value.map(V::from))
    }

    /// Adds a list, unless it is empty.
    pub(crate) fn filled(&mut self, name: &'n str, value: &'v [String]) -> &mut Self {
        self.some_texts(name, Some(value).filter(|value| !value.is_empty()))
    }
}

impl Fields {
    pub(crate) fn number(&mut self, name: &str, value: usize) -> &mut Fields {
        self.put(name, Json::from(value))
    }

    /// Adds a text, or null if there is none.
    pub(crate) fn known(&mut self, name: &str, value: Option<&str>) -> &mut Fields {
        self.put(name, value.map_or(Json::Null, Json::from))
    }

    /// Adds a list, or null if there is none.
    pub(crate) fn known_texts(&mut self, name: &str, value: Option<&[String]>) -> &mut Fields {
        self.put(name, value.map_or(Json::Null, Json::from))
    }

    /// Adds the fields of another object. A value that is not an object has none.
    pub(crate) fn all_of(&mut self, object: Json) -> &mut Fields {
        if let Json::Map(mut fields) = object {
            self.0.append(&mut fields);
        }
        self
    }

    /// Returns the object, and leaves this one empty.
    // Inlined in every place that makes an object, this would make the program larger.
    #[inline(never)]
    pub(crate) fn done(&mut self) -> Json {
        Json::Map(std::mem::take(&mut self.0))
    }
}

pub(crate) enum JsonView<'v> {
    Bool(bool),
    Text(Cow<'v, str>),
    List(Vec<JsonView<'v>>),
    Map(FieldViews<'v>),
    Json(Json),
}

impl<'v> From<&'v str> for JsonView<'v> {
    fn from(text: &'v str) -> JsonView<'v> {
        JsonView::Text(Cow::Borrowed(text))
    }
}

impl<'v> From<&'v [String]> for JsonView<'v> {
    fn from(texts: &'v [String]) -> JsonView<'v> {
        JsonView::List(texts.iter().map(|text| JsonView::from(text.as_str())).collect())
    }
}

impl From<bool> for JsonView<'_> {
    fn from(value: bool) -> Self {
        JsonView::Bool(value)
    }
}

impl From<JsonView<'_>> for Json {
    fn from(view: JsonView<'_>) -> Json {
        match view {
            JsonView::Bool(value) => Json::Bool(value),
            JsonView::Text(text) => Json::Text(text.into_owned()),
            JsonView::List(items) => Json::List(items.into_iter().map(Json::from).collect()),
            JsonView::Map(Object(fields)) => {
                Json::Map(fields.into_iter().map(|(name, value)| (name.to_owned(), Json::from(value))).collect())
            }
            JsonView::Json(json) => json,
        }
    }
}

impl<'v> FieldViews<'v> {
    pub(crate) fn with_capacity(fields: usize) -> FieldViews<'v> {
        Object(Vec::with_capacity(fields))
    }

    /// Returns the object, and leaves this one empty.
    pub(crate) fn done(&mut self) -> JsonView<'v> {
        JsonView::Map(std::mem::take(self))
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self, f, 1)
    }
}

/// An object that is written while its values are made, so that it is never in memory as a whole.
pub(crate) struct JsonObject<'w, 'f> {
    f: &'w mut fmt::Formatter<'f>,
    is_empty: bool,
    /// The text of one item of a list, which is written in one piece.
    piece: String,
}

impl<'w, 'f> JsonObject<'w, 'f> {
    pub(crate) fn begin(f: &'w mut fmt::Formatter<'f>) -> Result<JsonObject<'w, 'f>, fmt::Error> {
        f.write_str("{")?;
        Ok(JsonObject { f, is_empty: true, piece: String::new() })
    }

    pub(crate) fn text(&mut self, name: &str, value: &str) -> fmt::Result {
        self.name(name)?;
        write_text(value, self.f)
    }

    /// Writes a field whose value is a list. Each item is dropped when it is written.
    pub(crate) fn list<'v>(&mut self, name: &str, items: &mut dyn Iterator<Item = JsonView<'v>>) -> fmt::Result {
        self.name(name)?;
        let piece = &mut self.piece;
        write_between(self.f, ["[", "]"], items, 2, |item, f| {
            piece.clear();
            let item = Item(&item);
            if f.alternate() { write!(piece, "{item:#}") } else { write!(piece, "{item}") }?;
            f.write_str(piece)
        })
    }

    fn name(&mut self, name: &str) -> fmt::Result {
        self.f.write_str(if self.is_empty { "" } else { "," })?;
        self.is_empty = false;
        new_line(self.f, 1)?;
        write_name(name, self.f)
    }

    pub(crate) fn end(self) -> fmt::Result {
        if !self.is_empty {
            new_line(self.f, 0)?;
        }
        self.f.write_str("}")
    }
}

/// An item of a list in an object.
struct Item<'i, 'v>(&'i JsonView<'v>);

impl fmt::Display for Item<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_view(self.0, f, 3)
    }
}

/// Recurses once for each level, of which there are as many as the program wrote.
fn write_view(value: &JsonView<'_>, f: &mut fmt::Formatter<'_>, level: usize) -> fmt::Result {
    match value {
        JsonView::Json(json) => write(json, f, level),
        JsonView::Bool(value) => f.write_str(if *value { "true" } else { "false" }),
        JsonView::Text(text) => write_text(text, f),
        JsonView::List(items) => write_between(f, ["[", "]"], items, level, |item, f| write_view(item, f, level + 1)),
        JsonView::Map(Object(fields)) => write_between(f, ["{", "}"], fields, level, |(key, value), f| {
            write_name(key, f)?;
            write_view(value, f, level + 1)
        }),
    }
}

/// Recurses once for each level. [`Json::parse`] limits their number.
fn write(value: &Json, f: &mut fmt::Formatter<'_>, level: usize) -> fmt::Result {
    match value {
        Json::Null => f.write_str("null"),
        Json::Bool(value) => write!(f, "{value}"),
        Json::Number(source) => f.write_str(source),
        Json::Text(text) => write_text(text, f),
        Json::List(items) => write_between(f, ["[", "]"], items, level, |item, f| write(item, f, level + 1)),
        Json::Map(fields) => write_between(f, ["{", "}"], fields, level, |(key, value), f| {
            write_name(key, f)?;
            write(value, f, level + 1)
        }),
    }
}

fn write_between<T>(
    f: &mut fmt::Formatter<'_>,
    [open, close]: [&str; 2],
    items: impl IntoIterator<Item = T>,
    level: usize,
    mut write_item: impl FnMut(T, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    f.write_str(open)?;
    let mut is_empty = true;
    for item in items {
        f.write_str(if is_empty { "" } else { "," })?;
        is_empty = false;
        new_line(f, level)?;
        write_item(item, f)?;
    }
    if !is_empty {
        new_line(f, level - 1)?;
    }
    f.write_str(close)
}

fn new_line(f: &mut fmt::Formatter<'_>, level: usize) -> fmt::Result {
    /// A line end and eight levels, so that most lines are begun by one call.
    const LINE: &str = "\n                ";
    if !f.alternate() {
        return Ok(());
    }
    f.write_str(&LINE[..1 + 2 * level.min(8)])?;
    (8..level).try_for_each(|_| f.write_str("  "))
}

fn write_name(name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write_text(name, f)?;
    f.write_str(if f.alternate() { ": " } else { ":" })
}

fn write_text(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("\"")?;
    f.write_str(&json_inside(text))?;
    f.write_str("\"")
}

#[cfg(test)]
#[path = "../../tests/unit/json.rs"]
mod tests;
