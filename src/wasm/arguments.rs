//! The arguments of a call: a JSON object whose fields are read by name and kind. An unknown field is refused, so that a
//! misspelled name does not go unnoticed.

use crate::model::error::Error;
use crate::path::FsPath;
use crate::text::json::{Fields, Json};
use crate::text::list::quoted;

/// Why a call is refused. Boxed, as many functions return it.
pub(super) struct Refusal {
    code: &'static str,
    message: String,
}

impl Refusal {
    pub(super) fn new(code: &'static str, message: String) -> Box<Refusal> {
        Box::new(Refusal { code, message })
    }

    pub(super) fn arguments(message: String) -> Box<Refusal> {
        Refusal::new("bad-arguments", message)
    }

    pub(super) fn json(&self) -> Json {
        let error = Fields::default().text("code", self.code).text("message", &self.message).done();
        Fields::default().put("error", error).done()
    }
}

impl From<Error> for Box<Refusal> {
    fn from(error: Error) -> Box<Refusal> {
        Refusal::new(error.code(), error.to_string())
    }
}

/// The fields of an object. Each method reads one of them, and refuses the call if the field has the wrong kind.
#[derive(Clone, Copy)]
pub(super) struct Arguments<'a> {
    /// The name of the call, or of the field that holds the object; for messages.
    name: &'a str,
    fields: &'a [(String, Json)],
}

impl<'a> Arguments<'a> {
    /// The fields of `json`, which must be an object without fields other than `known`.
    pub(super) fn new(name: &'a str, json: &'a Json, known: &[&str]) -> Result<Arguments<'a>, Box<Refusal>> {
        let Json::Map(fields) = json else {
            return Err(Refusal::arguments(format!("`{name}` must be an object")));
        };
        match fields.iter().find(|(field, _)| !known.contains(&field.as_str())) {
            Some((field, _)) => {
                let known = quoted(known, ", ");
                Err(Refusal::arguments(format!("`{name}` has an unknown field `{field}`; known fields: {known}")))
            }
            None => Ok(Arguments { name, fields }),
        }
    }

    /// The object in a field; without fields if it is absent.
    pub(super) fn object(&self, name: &'a str, known: &[&str]) -> Result<Arguments<'a>, Box<Refusal>> {
        match self.value(name) {
            Some(json) => Arguments::new(name, json, known),
            None => Ok(Arguments { name, fields: &[] }),
        }
    }

    fn wrong(&self, name: &str, kind: &str) -> Box<Refusal> {
        Refusal::arguments(format!("`{name}` of `{}` must be {kind}", self.name))
    }

    /// The value of a field; `None` if it is absent or null.
    pub(super) fn value(&self, name: &str) -> Option<&'a Json> {
        let field = self.fields.iter().find(|(known, _)| known == name);
        field.map(|(_, value)| value).filter(|value| **value != Json::Null)
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&'a str>, Box<Refusal>> {
        match self.value(name) {
            Some(value) => value.as_text().map(Some).ok_or_else(|| self.wrong(name, "a text")),
            None => Ok(None),
        }
    }

    pub(super) fn required_text(&self, name: &str) -> Result<&'a str, Box<Refusal>> {
        self.text(name)?.ok_or_else(|| self.wrong(name, "present, and a string"))
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<usize>, Box<Refusal>> {
        match self.value(name) {
            None => Ok(None),
            // A limit that does not fit limits nothing.
            Some(Json::Number(text)) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                Ok(Some(text.parse().unwrap_or(usize::MAX)))
            }
            Some(_) => Err(self.wrong(name, "a non-negative integer")),
        }
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, Box<Refusal>> {
        match self.value(name) {
            None => Ok(false),
            Some(Json::Bool(value)) => Ok(*value),
            Some(_) => Err(self.wrong(name, "true or false")),
        }
    }

    pub(super) fn list(&self, name: &str) -> Result<&'a [Json], Box<Refusal>> {
        match self.value(name) {
            None => Ok(&[]),
            Some(Json::List(items)) => Ok(items),
            Some(_) => Err(self.wrong(name, "a list")),
        }
    }

    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>, Box<Refusal>> {
        let mut texts = Vec::new();
        for item in self.list(name)? {
            let text = item.as_text().ok_or_else(|| self.wrong(name, "an array of strings"))?;
            texts.push(text.to_owned());
        }
        Ok(texts)
    }

    /// The names and values of an object whose names are the caller's.
    pub(super) fn pairs(&self, name: &str) -> Result<&'a [(String, Json)], Box<Refusal>> {
        match self.value(name) {
            None => Ok(&[]),
            Some(Json::Map(fields)) => Ok(fields),
            Some(_) => Err(self.wrong(name, "an object")),
        }
    }

    pub(super) fn path(&self, name: &str) -> Result<Option<FsPath>, Box<Refusal>> {
        self.text(name)?.map(parse_path).transpose()
    }

    pub(super) fn paths(&self, name: &str) -> Result<Vec<FsPath>, Box<Refusal>> {
        let mut paths = Vec::new();
        for text in self.texts(name)? {
            paths.push(parse_path(&text)?);
        }
        Ok(paths)
    }

    pub(super) fn required_path(&self, name: &str) -> Result<FsPath, Box<Refusal>> {
        parse_path(self.required_text(name)?)
    }
}

/// An absolute path.
fn parse_path(text: &str) -> Result<FsPath, Box<Refusal>> {
    FsPath::new(text).map_err(|error| Refusal::new("bad-path", format!("`{text}` is not a valid path: {error}")))
}
