//! [`JsonView`], a JSON value that borrows its texts. Answers about thousands of skills are written with it, so that
//! the texts of the skills are not copied.

use super::Json;
use std::borrow::Cow;

/// A JSON value of borrowed texts.
pub(crate) enum JsonView<'v> {
    Bool(bool),
    Text(Cow<'v, str>),
    List(Vec<JsonView<'v>>),
    Map(FieldViews<'v>),
    /// A value that is owned.
    Json(Json),
}

impl<'v> JsonView<'v> {
    pub(crate) fn texts(texts: &'v [String]) -> JsonView<'v> {
        JsonView::List(texts.iter().map(|text| JsonView::from(text.as_str())).collect())
    }
}

impl<'v> From<&'v str> for JsonView<'v> {
    fn from(text: &'v str) -> JsonView<'v> {
        JsonView::Text(Cow::Borrowed(text))
    }
}

impl From<JsonView<'_>> for Json {
    fn from(view: JsonView<'_>) -> Json {
        match view {
            JsonView::Bool(value) => Json::Bool(value),
            JsonView::Text(text) => Json::Text(text.into_owned()),
            JsonView::List(items) => Json::List(items.into_iter().map(Json::from).collect()),
            JsonView::Map(FieldViews(fields)) => {
                Json::Map(fields.into_iter().map(|(name, value)| (name.to_owned(), Json::from(value))).collect())
            }
            JsonView::Json(json) => json,
        }
    }
}

/// Builds an object field by field, like [`Fields`](super::Fields).
#[derive(Default)]
pub(crate) struct FieldViews<'v>(pub(super) Vec<(&'static str, JsonView<'v>)>);

impl<'v> FieldViews<'v> {
    /// Without fields, with capacity for this number of them.
    pub(crate) fn with_capacity(fields: usize) -> FieldViews<'v> {
        FieldViews(Vec::with_capacity(fields))
    }

    pub(crate) fn put(&mut self, name: &'static str, value: JsonView<'v>) -> &mut FieldViews<'v> {
        self.0.push((name, value));
        self
    }

    pub(crate) fn text(&mut self, name: &'static str, value: &'v str) -> &mut FieldViews<'v> {
        self.put(name, JsonView::from(value))
    }

    pub(crate) fn texts(&mut self, name: &'static str, value: &'v [String]) -> &mut FieldViews<'v> {
        self.put(name, JsonView::texts(value))
    }

    pub(crate) fn flag(&mut self, name: &'static str, value: bool) -> &mut FieldViews<'v> {
        self.put(name, JsonView::Bool(value))
    }

    /// Adds a value, if there is one.
    pub(crate) fn some(&mut self, name: &'static str, value: Option<JsonView<'v>>) -> &mut FieldViews<'v> {
        if let Some(value) = value {
            self.put(name, value);
        }
        self
    }

    /// Adds a text, if there is one.
    pub(crate) fn some_text(&mut self, name: &'static str, value: Option<&'v str>) -> &mut FieldViews<'v> {
        self.some(name, value.map(JsonView::from))
    }

    /// Adds a list, if there is one.
    pub(crate) fn some_texts(&mut self, name: &'static str, value: Option<&'v [String]>) -> &mut FieldViews<'v> {
        self.some(name, value.map(JsonView::texts))
    }

    /// Adds a list, unless it is empty.
    pub(crate) fn filled(&mut self, name: &'static str, value: &'v [String]) -> &mut FieldViews<'v> {
        self.some_texts(name, Some(value).filter(|value| !value.is_empty()))
    }

    /// Returns the object, and leaves this one empty.
    pub(crate) fn done(&mut self) -> JsonView<'v> {
        JsonView::Map(std::mem::take(self))
    }
}
