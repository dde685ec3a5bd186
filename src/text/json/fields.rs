//! In: names and values, one by one. Out: a JSON object of them, in this order. There is one door for each kind of value, so
//! that the places where answers are made do not each make it anew. Absent: any look for a name that stands twice.

use super::Json;

/// The fields of an object that is put together.
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

    /// A text, or null.
    pub(crate) fn known(&mut self, name: &str, value: Option<&str>) -> &mut Fields {
        self.put(name, value.map_or(Json::Null, Json::from))
    }

    /// A list, or null.
    pub(crate) fn known_texts(&mut self, name: &str, value: Option<&[String]>) -> &mut Fields {
        self.put(name, value.map_or(Json::Null, Json::from))
    }

    /// A value, where there is one.
    pub(crate) fn some(&mut self, name: &str, value: Option<Json>) -> &mut Fields {
        if let Some(value) = value {
            self.put(name, value);
        }
        self
    }

    /// A text, where there is one.
    pub(crate) fn some_text(&mut self, name: &str, value: Option<&str>) -> &mut Fields {
        self.some(name, value.map(Json::from))
    }

    /// A list, where there is one.
    pub(crate) fn some_texts(&mut self, name: &str, value: Option<&[String]>) -> &mut Fields {
        self.some(name, value.map(Json::from))
    }

    /// A list, where something is in it.
    pub(crate) fn filled(&mut self, name: &str, value: &[String]) -> &mut Fields {
        self.some_texts(name, Some(value).filter(|value| !value.is_empty()))
    }

    /// Those of another object behind these.
    pub(crate) fn all_of(&mut self, object: Json) -> &mut Fields {
        if let Json::Map(mut fields) = object {
            self.0.append(&mut fields);
        }
        self
    }

    /// The object.
    // It ends every object: it is not to stand in each place anew.
    #[inline(never)]
    pub(crate) fn done(&mut self) -> Json {
        Json::Map(std::mem::take(&mut self.0))
    }
}
