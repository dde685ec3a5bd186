//! In: the JSON object of a call. Out: its fields, each of the kind that is wanted, or why not. A field that a call does
//! not have is refused, so that a slip of the pen does not go unseen. Absent: what a field means.

use crate::model::error::Error;
use crate::path::FsPath;
use crate::text::json::{Fields, Json};
use crate::text::list::quoted;
use std::cell::RefCell;

/// Why a call is refused. It is handed on from many places, so it goes by a box.
pub(super) struct Refusal {
    pub(super) code: &'static str,
    pub(super) message: String,
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

/// The fields of an object. One that is not what it is to be counts as absent, and is noted: the first note is why the
/// call is refused. Nothing is to be done before [`Ask::finish`] has said that there is none.
#[derive(Clone, Copy)]
pub(super) struct Ask<'a> {
    /// What it is a part of, for messages: the call, or one of its fields.
    what: &'a str,
    fields: &'a [(String, Json)],
    refused: &'a RefCell<Option<Box<Refusal>>>,
}

static NOTHING: Json = Json::Map(Vec::new());

impl<'a> Ask<'a> {
    /// An object with some of these fields and no other. It notes in `refused`.
    pub(super) fn new(
        what: &'a str,
        json: &'a Json,
        known: &[&str],
        refused: &'a RefCell<Option<Box<Refusal>>>,
    ) -> Ask<'a> {
        let fields = match json {
            Json::Map(fields) => fields.as_slice(),
            _ => &[],
        };
        let ask = Ask { what, fields, refused };
        if !matches!(json, Json::Map(_)) {
            ask.refuse(Refusal::arguments(format!("`{what}` must be an object")));
        }
        if let Some((name, _)) = fields.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            let known = quoted(known, ", ");
            ask.refuse(Refusal::arguments(format!("`{what}` has an unknown field `{name}`; known fields: {known}")));
        }
        ask
    }

    /// The object under a name; one that is absent has no fields.
    pub(super) fn part(&self, name: &'a str, known: &[&str]) -> Ask<'a> {
        self.item(name, self.get(name).unwrap_or(&NOTHING), known)
    }

    /// An object of a list.
    pub(super) fn item(&self, name: &'a str, json: &'a Json, known: &[&str]) -> Ask<'a> {
        Ask::new(name, json, known, self.refused)
    }

    /// Whether all that was read so far is as it is to be; else why not.
    pub(super) fn finish(&self) -> Result<(), Box<Refusal>> {
        self.refused.take().map_or(Ok(()), Err)
    }

    /// Notes why the call is refused, where nothing is noted yet.
    pub(super) fn refuse(&self, refusal: Box<Refusal>) {
        self.refused.borrow_mut().get_or_insert(refusal);
    }

    fn wrong(&self, name: &str, kind: &str) {
        self.refuse(Refusal::arguments(format!("`{name}` of `{}` must be {kind}", self.what)));
    }

    /// The value of a field; none also where it is null.
    pub(super) fn get(&self, name: &str) -> Option<&'a Json> {
        let field = self.fields.iter().find(|(known, _)| known == name);
        field.map(|(_, value)| value).filter(|value| **value != Json::Null)
    }

    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        let text = self.get(name)?.as_text();
        if text.is_none() {
            self.wrong(name, "a text");
        }
        text
    }

    pub(super) fn needed(&self, name: &str) -> &'a str {
        self.text(name).unwrap_or_else(|| {
            self.wrong(name, "present, and a string");
            ""
        })
    }

    pub(super) fn number(&self, name: &str) -> Option<usize> {
        match self.get(name)? {
            // More than fits is as good as no bound.
            Json::Number(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(text.parse().unwrap_or(usize::MAX))
            }
            _ => {
                self.wrong(name, "a non-negative integer");
                None
            }
        }
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        match self.get(name) {
            None => false,
            Some(Json::Bool(value)) => *value,
            Some(_) => {
                self.wrong(name, "true or false");
                false
            }
        }
    }

    pub(super) fn list(&self, name: &str) -> &'a [Json] {
        match self.get(name) {
            None => &[],
            Some(Json::List(items)) => items,
            Some(_) => {
                self.wrong(name, "a list");
                &[]
            }
        }
    }

    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let mut texts = Vec::new();
        for item in self.list(name) {
            match item.as_text() {
                Some(text) => texts.push(text.to_owned()),
                None => self.wrong(name, "an array of strings"),
            }
        }
        texts
    }

    /// The names and values of an object.
    pub(super) fn pairs(&self, name: &str) -> &'a [(String, Json)] {
        match self.get(name) {
            None => &[],
            Some(Json::Map(fields)) => fields,
            Some(_) => {
                self.wrong(name, "an object");
                &[]
            }
        }
    }

    /// An absolute path.
    pub(super) fn path(&self, name: &str) -> Option<FsPath> {
        self.as_path(self.text(name)?)
    }

    pub(super) fn paths(&self, name: &str) -> Vec<FsPath> {
        let mut paths = Vec::new();
        for text in self.texts(name) {
            paths.extend(self.as_path(&text));
        }
        paths
    }

    pub(super) fn needed_path(&self, name: &str) -> FsPath {
        self.as_path(self.needed(name)).unwrap_or_else(FsPath::root)
    }

    fn as_path(&self, text: &str) -> Option<FsPath> {
        let path = FsPath::new(text);
        path.map_err(|error| self.refuse(Refusal::new("bad-path", format!("`{text}` is not a valid path: {error}"))))
            .ok()
    }
}
