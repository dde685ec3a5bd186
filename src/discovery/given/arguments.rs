//! [`Arguments`], a JSON object whose fields are read by name and kind. An unknown field is refused, so that a misspelled
//! name does not go unnoticed.

use crate::model::error::Error;
use crate::model::skill::Caller;
use crate::path::FsPath;
use crate::text::json::{Fields, Json};
use crate::text::list::quoted;

/// Why a call is refused: a code for programs and a message for people. Boxed, as many functions return it.
#[derive(Debug)]
pub struct Refusal {
    code: &'static str,
    message: String,
}

impl Refusal {
    /// A refusal with a code of the caller's own.
    pub fn new(code: &'static str, message: String) -> Box<Refusal> {
        Box::new(Refusal { code, message })
    }

    /// A refusal with the code `bad-arguments`.
    pub fn arguments(message: String) -> Box<Refusal> {
        Refusal::new("bad-arguments", message)
    }

    /// `{"error": {"code": …, "message": …}}`.
    pub fn to_json(&self) -> Json {
        let error = Fields::default().text("code", self.code).text("message", &self.message).done();
        Fields::default().put("error", error).done()
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<Error> for Box<Refusal> {
    fn from(error: Error) -> Box<Refusal> {
        Refusal::new(error.code(), error.to_string())
    }
}

/// The fields of an object. Each method reads one of them, and refuses the call if the field has the wrong kind.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a> {
    /// The name of the call, or of the field that holds the object; for messages.
    name: &'a str,
    fields: &'a [(String, Json)],
}

impl<'a> Arguments<'a> {
    /// The fields of `json`, which must be an object without fields other than `known`.
    pub fn new(name: &'a str, json: &'a Json, known: &[&str]) -> Result<Arguments<'a>, Box<Refusal>> {
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
    pub fn object(&self, name: &'a str, known: &[&str]) -> Result<Arguments<'a>, Box<Refusal>> {
        match self.value(name) {
            Some(json) => Arguments::new(name, json, known),
            None => Ok(Arguments { name, fields: &[] }),
        }
    }

    /// The refusal of a field that must be of another kind.
    pub fn wrong(&self, name: &str, kind: &str) -> Box<Refusal> {
        Refusal::arguments(format!("`{name}` of `{}` must be {kind}", self.name))
    }

    /// The value of a field; `None` if it is absent or null.
    pub fn value(&self, name: &str) -> Option<&'a Json> {
        let field = self.fields.iter().find(|(known, _)| known == name);
        field.map(|(_, value)| value).filter(|value| **value != Json::Null)
    }

    /// The text in a field; `None` if it is absent.
    pub fn text(&self, name: &str) -> Result<Option<&'a str>, Box<Refusal>> {
        match self.value(name) {
            Some(value) => value.as_text().map(Some).ok_or_else(|| self.wrong(name, "a text")),
            None => Ok(None),
        }
    }

    /// The text in a field, which must be there.
    pub fn required_text(&self, name: &str) -> Result<&'a str, Box<Refusal>> {
        self.text(name)?.ok_or_else(|| self.wrong(name, "present, and a string"))
    }

    /// The whole number in a field; `None` if it is absent.
    pub fn number(&self, name: &str) -> Result<Option<usize>, Box<Refusal>> {
        match self.value(name) {
            None => Ok(None),
            // A limit that does not fit limits nothing.
            Some(Json::Number(text)) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                Ok(Some(text.parse().unwrap_or(usize::MAX)))
            }
            Some(_) => Err(self.wrong(name, "a non-negative integer")),
        }
    }

    /// The whole number in a field, which must be there.
    pub fn required_number(&self, name: &str) -> Result<usize, Box<Refusal>> {
        self.number(name)?.ok_or_else(|| self.wrong(name, "present, and a number"))
    }

    /// The truth value in a field; false if it is absent.
    pub fn flag(&self, name: &str) -> Result<bool, Box<Refusal>> {
        self.flag_or(name, false)
    }

    /// The same, and `absent` if there is none.
    pub fn flag_or(&self, name: &str, absent: bool) -> Result<bool, Box<Refusal>> {
        match self.value(name) {
            None => Ok(absent),
            Some(Json::Bool(value)) => Ok(*value),
            Some(_) => Err(self.wrong(name, "true or false")),
        }
    }

    /// Who asks, in the field `as`: the user if it is absent.
    pub fn caller(&self) -> Result<Caller, Box<Refusal>> {
        let Some(name) = self.text("as")? else { return Ok(Caller::User) };
        Caller::parse(name).ok_or_else(|| self.wrong("as", &format!("`user` or `model`, not `{name}`")))
    }

    /// The items of a list; none if it is absent.
    pub fn list(&self, name: &str) -> Result<&'a [Json], Box<Refusal>> {
        match self.value(name) {
            None => Ok(&[]),
            Some(Json::List(items)) => Ok(items),
            Some(_) => Err(self.wrong(name, "a list")),
        }
    }

    /// The texts of a list; none if it is absent.
    pub fn texts(&self, name: &str) -> Result<Vec<String>, Box<Refusal>> {
        let mut texts = Vec::new();
        for item in self.list(name)? {
            let text = item.as_text().ok_or_else(|| self.wrong(name, "an array of strings"))?;
            texts.push(text.to_owned());
        }
        Ok(texts)
    }

    /// The names and values of an object whose names are the caller's.
    pub fn pairs(&self, name: &str) -> Result<&'a [(String, Json)], Box<Refusal>> {
        match self.value(name) {
            None => Ok(&[]),
            Some(Json::Map(fields)) => Ok(fields),
            Some(_) => Err(self.wrong(name, "an object")),
        }
    }

    /// The absolute path in a field; `None` if it is absent.
    pub fn path(&self, name: &str) -> Result<Option<FsPath>, Box<Refusal>> {
        self.text(name)?.map(parse_path).transpose()
    }

    /// The absolute paths of a list; none if it is absent.
    pub fn paths(&self, name: &str) -> Result<Vec<FsPath>, Box<Refusal>> {
        let mut paths = Vec::new();
        for text in self.texts(name)? {
            paths.push(parse_path(&text)?);
        }
        Ok(paths)
    }

    /// The absolute path in a field, which must be there.
    pub fn required_path(&self, name: &str) -> Result<FsPath, Box<Refusal>> {
        parse_path(self.required_text(name)?)
    }
}

/// An absolute path.
pub(crate) fn parse_path(text: &str) -> Result<FsPath, Box<Refusal>> {
    FsPath::new(text).map_err(|error| Refusal::new("bad-path", format!("`{text}` is not a valid path: {error}")))
}
