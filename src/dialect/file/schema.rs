//! The JSON Schema (draft 2020-12) of dialect files: what may be written where, with the doc comments as descriptions.

use super::read::MAX_NUMBER;
use super::shape::{Docs, FieldShape, Shape, VariantShape, kebab};
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

/// The placeholders that the doc comment of a template names: the names in backticks after `Placeholders:` or
/// `Placeholder:`, outside of parentheses, and the same with `@` if one of them is written so.
pub(crate) struct Placeholders {
    names: Vec<&'static str>,
    has_attributes: bool,
}

impl Placeholders {
    pub(crate) fn of(docs: Docs) -> Placeholders {
        let mut placeholders = Placeholders { names: Vec::new(), has_attributes: false };
        let (mut has_begun, mut depth) = (false, 0_usize);
        for line in docs {
            for (n, part) in line.split('`').enumerate() {
                if n % 2 == 0 {
                    let listed = ["Placeholders:", "Placeholder:"].iter().find_map(|word| part.split_once(word));
                    has_begun |= listed.is_some();
                    let plain = listed.map_or(part, |(_, after)| after);
                    for c in plain.chars() {
                        depth = match c {
                            '(' => depth + 1,
                            ')' => depth.saturating_sub(1),
                            _ => depth,
                        };
                    }
                } else if has_begun && depth == 0 {
                    placeholders.add(part);
                }
            }
        }
        placeholders
    }

    fn add(&mut self, name: &'static str) {
        let bare = name.strip_prefix('@');
        self.has_attributes |= bare.is_some();
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        if is_name && !self.names.contains(&name) {
            self.names.push(name);
        }
    }

    /// Whether a template may have this placeholder.
    pub(crate) fn has(&self, name: &str) -> bool {
        let bare = if self.has_attributes { name.strip_prefix('@').unwrap_or(name) } else { name };
        self.names.contains(&bare)
    }

    /// The names, without those with `@`.
    pub(crate) fn names(&self) -> &[&'static str] {
        &self.names
    }
}

/// A doc comment as plain text: without links and citations, and with values as they are written in a file.
pub(crate) fn plain(docs: Docs) -> String {
    let lines: Vec<&str> = docs.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    let text = without_citations(&without_links(&lines.join(" ")));
    let mut out = String::new();
    for (n, part) in text.split('`').enumerate() {
        if n % 2 == 0 {
            out.push_str(part);
        } else {
            out.push('`');
            out.push_str(&file_form(part));
            out.push('`');
        }
    }
    out
}

/// The first sentence of a doc comment as plain text, up to the example, without its end.
pub(crate) fn summary(docs: Docs) -> String {
    let text = plain(docs);
    let mut end = text.len();
    let (mut is_code, mut is_behind) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            '`' => is_code = !is_code,
            ' ' if is_behind && !is_code => {
                end = at;
                break;
            }
            _ => {}
        }
        is_behind = matches!(c, '.' | ':' | ';');
    }
    text[..end].trim_end_matches(['.', ':', ';']).to_owned()
}

/// Removes each `(rule 1.2)`, as the rules are not at hand.
fn without_citations(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(" (rule ") {
        out.push_str(before);
        rest = after.split_once(')').map_or("", |(_, behind)| behind);
    }
    out + rest
}

/// Replaces each `[text](target)` and ``[`text`]`` by its text. What is linked to the rest of the library behind a colon
/// is left out: somebody who writes a file has no use for it.
fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("[`") {
        let Some((name, behind)) = after.split_once("`]") else { break };
        out.push_str(before);
        // A code span may begin with a bracket: `["pdf"]`.
        if name.contains('`') || before.matches('`').count() % 2 == 1 {
            out.push_str("[`");
            rest = after;
            continue;
        }
        let target = behind.strip_prefix('(').and_then(|target| target.split_once(')'));
        if let Some((_, behind)) = target.filter(|(target, _)| target.starts_with("crate::") && out.ends_with(": ")) {
            out.truncate(out.len() - 2);
            rest = behind;
            continue;
        }
        // A variant under its bare name is written as a word.
        let variant = target.and_then(|(target, _)| target.rsplit_once("::"));
        let word = variant.filter(|(of, variant)| *variant == name && is_type(of)).map(|_| kebab(name));
        out.push_str(&format!("`{}`", word.as_deref().unwrap_or(name)));
        rest = target.map_or(behind, |(_, behind)| behind);
    }
    out.push_str(rest);
    out
}

/// A value in Rust as it is written in a file: `root` for `Base::Root`, `1` for `Some(1)`, `null` for `None`.
fn file_form(code: &str) -> String {
    if code == "None" {
        return "null".to_owned();
    }
    if let Some((before, inside)) = code.split_once("Some(") {
        if let Some(inside) = inside.strip_suffix(')') {
            return before.to_owned() + &file_form(inside);
        }
    }
    match code.split_once("::") {
        Some((name, variant)) if is_type(name) => {
            let (variant, value) = variant.split_once('(').map_or((variant, None), |(name, rest)| (name, Some(rest)));
            match value.and_then(|value| value.strip_suffix(')')) {
                Some(value) if is_type(variant) => format!("{}: {}", kebab(variant), file_form(value)),
                None if is_type(variant) => kebab(variant),
                _ => code.to_owned(),
            }
        }
        _ if code.starts_with(|c: char| c.is_ascii_digit()) => code.replace('_', ""),
        _ => code.to_owned(),
    }
}

/// Whether the last name of a path is that of a type or variant.
fn is_type(path: &str) -> bool {
    let name = path.rsplit_once("::").map_or(path, |(_, name)| name);
    name.starts_with(|c: char| c.is_ascii_uppercase()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
