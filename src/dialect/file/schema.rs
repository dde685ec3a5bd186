//! The JSON Schema (draft 2020-12) of dialect files: what may be written where, with the doc comments as descriptions.

use super::docs::plain;
use super::read::MAX_NUMBER;
use super::shape::{Docs, FieldShape, Shape, VariantShape};
use crate::diagnostic::Code;
use crate::text::json::{Fields, Json};

/// The schema of a file whose values have the form of a struct. `extends` describes the key that is not a part of it.
pub(super) fn schema(shape: &'static Shape, extends: (&str, &str)) -> Json {
    let mut types = Types(Vec::new());
    let Shape::Struct { docs, fields, .. } = shape else { return Json::Null };
    let (key, description) = extends;
    let base = Fields::default().text("description", description).text("type", "string").done();
    let properties = types.properties(fields).with(key, Some(base));
    let extends = Fields::default().put("required", Json::from(vec![Json::from(key)])).done();
    Fields::default()
        .text("$schema", "https://json-schema.org/draft/2020-12/schema")
        .text("title", "Dialect")
        .text("description", &plain(docs))
        .text("type", "object")
        .put("properties", properties)
        .put("required", Json::from(vec![Json::from("name")]))
        .put("if", extends)
        .put("else", needed(shape))
        .flag("additionalProperties", false)
        .put("$defs", Json::Map(types.0))
        .done()
}

/// The schemas of the types with names, in the order in which they are first needed.
struct Types(Vec<(String, Json)>);

impl Types {
    fn properties(&mut self, fields: &'static [FieldShape]) -> Json {
        let property = |field: &'static FieldShape| {
            let default = field.default.first().copied().map(Json::from);
            (field.name.to_owned(), self.value(field.shape, field.docs).with("default", default))
        };
        Json::Map(fields.iter().map(property).collect())
    }

    /// The schema of a value, with its doc comment as the description.
    fn value(&mut self, shape: &'static Shape, docs: Docs) -> Json {
        let description = plain(docs);
        let mut described = Fields::default();
        described.some_text("description", Some(description.as_str()).filter(|text| !text.is_empty()));
        described.all_of(self.form(shape)).done()
    }

    fn form(&mut self, shape: &'static Shape) -> Json {
        let mut fields = Fields::default();
        match shape {
            Shape::Text => {
                fields.all_of(text());
            }
            Shape::Template => {
                self.define("Template", |_| Fields::default().text("description", TEMPLATE_DOC).all_of(text()).done());
                fields.text("$ref", "#/$defs/Template");
            }
            Shape::Number => {
                let most = Json::Number(MAX_NUMBER.to_string());
                fields.text("type", "integer").number("minimum", 0).put("maximum", most);
            }
            Shape::Code => {
                self.define("Code", |_| {
                    let codes = Json::list(Code::ALL, |code| Json::from(code.as_str()));
                    Fields::default().text("description", "The code of a finding.").put("enum", codes).done()
                });
                fields.text("$ref", "#/$defs/Code");
            }
            Shape::List(inner) => {
                let items = Fields::default().all_of(self.form(inner)).all_of(needed(inner)).done();
                fields.text("type", "array").put("items", items);
            }
            Shape::Optional(inner) => {
                let null = Fields::default().text("type", "null").done();
                let inner = self.form(inner);
                fields.put("anyOf", Json::List(vec![inner, null]));
            }
            Shape::Struct { name, docs, fields: parts } => {
                self.define(name, |types| {
                    let properties = types.properties(parts);
                    Fields::default().text("description", &plain(docs)).all_of(object(properties)).done()
                });
                fields.text("$ref", &format!("#/$defs/{name}"));
            }
            Shape::Enum { name, docs, variants } => {
                self.define(name, |types| types.words(docs, variants));
                fields.text("$ref", &format!("#/$defs/{name}"));
            }
        }
        fields.done()
    }

    fn words(&mut self, docs: Docs, variants: &'static [VariantShape]) -> Json {
        let units: Vec<&VariantShape> = variants.iter().filter(|variant| variant.is_unit()).collect();
        let words = Json::list(&units, |variant| Json::from(variant.word()));
        let mut description = plain(docs);
        for variant in variants {
            description.push_str(&format!("\n- `{}`: {}", variant.word(), plain(variant.docs)));
        }
        let mut fields = Fields::default();
        fields.text("description", &description);
        if units.len() == variants.len() {
            return fields.put("enum", words).done();
        }
        let mut forms = vec![Fields::default().put("enum", words).done()];
        for variant in variants.iter().filter(|variant| !variant.is_unit()) {
            let word = variant.word();
            let value = match variant.value {
                [shape, ..] => self.form(shape),
                [] => object(self.properties(variant.fields)),
            };
            let required = Json::from(vec![Json::from(word.as_str())]);
            let form = object(Json::Map(vec![(word, value)])).with("required", Some(required));
            let description = Fields::default().text("description", &plain(variant.docs)).done();
            forms.push(Fields::default().all_of(description).all_of(form).done());
        }
        fields.put("oneOf", Json::List(forms)).done()
    }

    /// Adds the schema of a type, if it is not there yet.
    fn define(&mut self, name: &str, schema: impl FnOnce(&mut Types) -> Json) {
        if self.0.iter().any(|(known, _)| known == name) {
            return;
        }
        let n = self.0.len();
        self.0.push((name.to_owned(), Json::Null));
        self.0[n].1 = schema(self);
    }
}

/// What a template is.
const TEMPLATE_DOC: &str = "A text with placeholders. `{name}` stands for a value; the description of the part lists the \
    names. `{?name}…{/}` is written only if the value is not empty, and `{{` and `}}` are braces.";

/// The schema of a text, which may be any scalar.
fn text() -> Json {
    Fields::default().put("type", Json::List(["string", "number", "boolean"].map(Json::from).into())).done()
}

/// The schema of a value that is given where nothing can be taken from another dialect: the parts that its maps need.
fn needed(shape: &'static Shape) -> Json {
    match shape {
        Shape::Optional(inner) => needed(inner),
        Shape::Struct { fields, .. } => needed_parts(fields),
        Shape::Enum { variants, .. } => {
            let value = |variant: &VariantShape| match variant.value {
                [shape, ..] => needed(shape),
                [] => needed_parts(variant.fields),
            };
            with_properties(Vec::new(), variants.iter().map(|variant| (variant.word(), value(variant))).collect())
        }
        _ => Json::Map(Vec::new()),
    }
}

/// The same for a map of these parts.
fn needed_parts(fields: &'static [FieldShape]) -> Json {
    let required = fields.iter().filter(|field| field.default_value().is_none());
    let required = required.map(|field| Json::from(field.name)).collect();
    with_properties(required, fields.iter().map(|field| (field.name.to_owned(), needed(field.shape))).collect())
}

/// The schema of a map with these properties besides others. What says nothing is left out.
fn with_properties(required: Vec<Json>, mut properties: Vec<(String, Json)>) -> Json {
    properties.retain(|(_, schema)| *schema != Json::Map(Vec::new()));
    let mut schema = Fields::default();
    if !required.is_empty() {
        schema.put("required", Json::List(required));
    }
    if !properties.is_empty() {
        schema.put("properties", Json::Map(properties));
    }
    schema.done()
}

/// The schema of a map of these properties, and no others.
fn object(properties: Json) -> Json {
    Fields::default().text("type", "object").put("properties", properties).flag("additionalProperties", false).done()
}
