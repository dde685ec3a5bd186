//! In: the JSON object of a call. Out: its fields, each of the kind that is wanted, or why not. A field that a call does
//! not have is refused, so that a slip of the pen does not go unseen. Absent: what a field means.

use crate::error::Error;
use crate::gather::Gather;
use crate::path::FsPath;
use crate::text::json::Json;

/// Why a call is refused.
pub(super) struct Refusal {
    pub(super) code: &'static str,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Refusal {
        Refusal { code, message: message.into() }
    }

    pub(super) fn arguments(message: impl Into<String>) -> Refusal {
        Refusal::new("bad-arguments", message)
    }

    pub(super) fn json(&self) -> Json {
        let error = Json::map([("code", Json::from(self.code)), ("message", Json::from(self.message.as_str()))]);
        Json::map([("error", error)])
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal::new(error.code(), error.to_string())
    }
}

/// The fields of an object.
#[derive(Clone, Copy)]
pub(super) struct Ask<'a> {
    /// What it is a part of, for messages: the call, or one of its fields.
    what: &'a str,
    fields: &'a [(String, Json)],
}

impl<'a> Ask<'a> {
    /// An object with some of these fields and no other.
    pub(super) fn new(what: &'a str, json: &'a Json, known: &[&str]) -> Result<Ask<'a>, Refusal> {
        let Json::Map(fields) = json else {
            return Err(Refusal::arguments(format!("`{what}` is to be an object")));
        };
        match fields.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            None => Ok(Ask { what, fields }),
            Some((name, _)) => {
                let known = known.iter().map(|name| format!("`{name}`")).joined(", ");
                Err(Refusal::arguments(format!("`{what}` has no field `{name}`; it may have {known}")))
            }
        }
    }

    fn wrong(&self, name: &str, kind: &str) -> Refusal {
        Refusal::arguments(format!("`{name}` of `{}` is to be {kind}", self.what))
    }

    /// The value of a field; none also where it is null.
    pub(super) fn get(&self, name: &str) -> Option<&'a Json> {
        let field = self.fields.iter().find(|(known, _)| known == name);
        field.map(|(_, value)| value).filter(|value| **value != Json::Null)
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&'a str>, Refusal> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => value.as_text().map(Some).ok_or_else(|| self.wrong(name, "a text")),
        }
    }

    pub(super) fn needed(&self, name: &str) -> Result<&'a str, Refusal> {
        self.text(name)?.ok_or_else(|| self.wrong(name, "there, a text"))
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<usize>, Refusal> {
        match self.get(name) {
            None => Ok(None),
            Some(Json::Number(text)) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                // More than fits is as good as no bound.
                Ok(Some(text.parse().unwrap_or(usize::MAX)))
            }
            Some(_) => Err(self.wrong(name, "a whole number from 0 on")),
        }
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, Refusal> {
        match self.get(name) {
            None => Ok(false),
            Some(Json::Bool(value)) => Ok(*value),
            Some(_) => Err(self.wrong(name, "true or false")),
        }
    }

    pub(super) fn list(&self, name: &str) -> Result<&'a [Json], Refusal> {
        match self.get(name) {
            None => Ok(&[]),
            Some(Json::List(items)) => Ok(items),
            Some(_) => Err(self.wrong(name, "a list")),
        }
    }

    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>, Refusal> {
        let text = |item: &Json| item.as_text().map(str::to_owned).ok_or_else(|| self.wrong(name, "a list of texts"));
        self.list(name)?.iter().map(text).gather_all()
    }

    /// The names and values of an object.
    pub(super) fn pairs(&self, name: &str) -> Result<&'a [(String, Json)], Refusal> {
        match self.get(name) {
            None => Ok(&[]),
            Some(Json::Map(fields)) => Ok(fields),
            Some(_) => Err(self.wrong(name, "an object")),
        }
    }

    pub(super) fn path(&self, name: &str) -> Result<Option<FsPath>, Refusal> {
        self.text(name)?.map(path).transpose()
    }

    pub(super) fn paths(&self, name: &str) -> Result<Vec<FsPath>, Refusal> {
        self.texts(name)?.iter().map(|text| path(text)).gather_all()
    }
}

/// An absolute path.
pub(super) fn path(text: &str) -> Result<FsPath, Refusal> {
    FsPath::new(text).map_err(|error| Refusal::new("bad-path", format!("`{text}` is no path here: {error}")))
}
