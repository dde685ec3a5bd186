//! [`Fields`] builds a JSON object. It has one method for each kind of value, so that the conversion is not compiled
//! anew in each place where an answer is made.

use super::Json;

/// Builds an object field by field, in this order. It does not check that names are unique.
#[derive(Default)]
pub(crate) struct Fields(Vec<(String, Json)>);

impl Fields {
    pub(crate) fn put(&mut self, name: &str, value: Json) -> &mut Fields {
        self.0.push((name.to_owned(), value));
        self
    }

    pub(crate) fn text(&mut self, name: &str, value: &str) -> &mut Fields {
        self.put(name, Json::from(value))
    }

    pub(crate) fn texts(&mut self, name: &str, value: &[String]) -> &mut Fields {
        self.put(name, Json::from(value))
    }

    pub(crate) fn flag(&mut self, name: &str, value: bool) -> &mut Fields {
        self.put(name, Json::Bool(value))
    }

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

    /// Adds a value, if there is one.
    pub(crate) fn some(&mut self, name: &str, value: Option<Json>) -> &mut Fields {
        if let Some(value) = value {
            self.put(name, value);
        }
        self
    }

    /// Adds a text, if there is one.
    pub(crate) fn some_text(&mut self, name: &str, value: Option<&str>) -> &mut Fields {
        self.some(name, value.map(Json::from))
    }

    /// Adds a list, if there is one.
    pub(crate) fn some_texts(&mut self, name: &str, value: Option<&[String]>) -> &mut Fields {
        self.some(name, value.map(Json::from))
    }

    /// Adds a list, unless it is empty.
    pub(crate) fn filled(&mut self, name: &str, value: &[String]) -> &mut Fields {
        self.some_texts(name, Some(value).filter(|value| !value.is_empty()))
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
