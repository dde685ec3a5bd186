use super::schema::{Placeholders, plain, summary};
use super::shape::{Docs, FieldShape, Shape};
use super::*;
use pretty_assertions::assert_eq;

/// Calls `see` with each part of a struct and of those below it: its path, its documentation and its form.
fn each_part(fields: &'static [FieldShape], within: &str, see: &mut dyn FnMut(&str, Docs, &'static Shape)) {
    for field in fields {
        let path = format!("{within}{}", field.name);
        see(&path, field.docs, field.shape);
        below(field.shape, &path, see);
    }
}

fn below(shape: &'static Shape, path: &str, see: &mut dyn FnMut(&str, Docs, &'static Shape)) {
    match shape {
        Shape::List(inner) | Shape::Optional(inner) => below(inner, path, see),
        Shape::Struct { fields, .. } => each_part(fields, &format!("{path}."), see),
        Shape::Enum { variants, .. } => {
            for variant in *variants {
                let path = format!("{path}.{}", variant.word());
                for shape in variant.value {
                    see(&path, variant.docs, shape);
                    below(shape, &path, see);
                }
                each_part(variant.fields, &format!("{path}."), see);
            }
        }
        _ => {}
    }
}

fn parts(see: &mut dyn FnMut(&str, Docs, &'static Shape)) {
    let Shape::Struct { fields, .. } = Dialect::SHAPE else { panic!("a dialect is a struct") };
    each_part(fields, "", see);
}

/// The placeholders come from the doc comments: a template without any could not show a value.
#[test]
fn every_template_names_its_holes() {
    let mut found = Vec::new();
    parts(&mut |path, docs, shape| {
        let shape = if let Shape::Optional(inner) = shape { inner } else { shape };
        if matches!(shape, Shape::Template) {
            let placeholders = Placeholders::of(docs);
            let attributes = if placeholders.has("@key") { " @" } else { "" };
            found.push(format!("{path}: {}{attributes}", placeholders.names().join(" ")));
        }
    });
    let expected = "\
equal_keys.qualify: key path place
equal_keys.qualify-or-keep: key path place
prompt.row: key name label description brief location path place second_name source scope sandbox resources @
prompt.name_row: key name label description brief location path place second_name source scope sandbox resources @
prompt.short_row: key name label description brief location path place second_name source scope sandbox resources @
prompt.alias_row: alias path
prompt.notice: shown total
prompt.layout: guidance list notice roots
prompt.metadata.row: key name description brief
load.frame: key name asked description body source dir path args files tree scripts references children variants knowledge inline fork @
load.file_row: relative absolute key
load.more_files: count
load.file_frame: asked content
load.file_unknown: asked key available
load.child_row: key name description @
load.already_loaded: key name
load.substitution.appended: args
load.substitution.commands.failed: command reason
load.fork.task: text body prompt
load.fork.label: name
load.fork.prompt_missing: key
load.fork.permission_not_held: tag
reattach.rest: path
tool.unknown: asked available near
tool.view.loading: tool spinner
tool.view.loaded: tool key resources
tool.view.refused: tool asked reason
tool.view.unknown: asked
tool.view.disabled: key
commands.message: text body args name key dir path appended
commands.substitution.appended: args
commands.substitution.commands.failed: command reason
knowledge.row: file title
selection.breadcrumb: count
selection.document: name body";
    assert_eq!(found.join("\n"), expected);
}

#[test]
fn every_part_is_described() {
    parts(&mut |path, docs, _| assert!(!plain(docs).is_empty() && !summary(docs).is_empty(), "{path}"));
}

/// Calls `see` with each description in a schema, and where it is.
fn each_description(schema: &Json, place: &str, see: &mut dyn FnMut(&str, &str)) {
    match schema {
        Json::Map(fields) => {
            for (key, value) in fields {
                match value {
                    Json::Text(text) if key == "description" => see(place, text),
                    value => each_description(value, &format!("{place}/{key}"), see),
                }
            }
        }
        Json::List(items) => items.iter().for_each(|item| each_description(item, place, see)),
        _ => {}
    }
}

/// Whoever writes a file has neither the library's documentation nor its rules.
#[test]
fn a_description_is_in_the_words_of_the_file() {
    let mut names = Vec::new();
    parts(&mut |_, _, shape| match shape {
        Shape::Struct { name, .. } => names.push(*name),
        Shape::Enum { name, variants, .. } => {
            names.push(*name);
            names.extend(variants.iter().map(|variant| variant.name));
        }
        _ => {}
    });
    let mut count = 0;
    each_description(&Dialect::schema(), "", &mut |place, text| {
        count += 1;
        let code = text.split('`').skip(1).step_by(2).find(|code| names.contains(code));
        assert_eq!(code, None, "{place}: {text}");
        let cited = text.split("rule ").skip(1).find(|after| after.starts_with(|c: char| c.is_ascii_digit()));
        assert_eq!(cited, None, "{place}: {text}");
        for rust in ["::", "[`", "](", "Some(", "`None`"] {
            assert!(!text.contains(rust), "{place}: {rust}: {text}");
        }
    });
    assert!(100 < count, "{count} descriptions");
}

#[test]
fn a_default_is_a_word_of_its_part() {
    parts(&mut |path, _, shape| {
        let shape = if let Shape::List(inner) = shape { inner } else { shape };
        let Shape::Struct { fields, .. } = shape else { return };
        for field in fields.iter().filter(|field| !field.default.is_empty()) {
            assert!(field.default_value().is_some(), "{path}.{}", field.name);
        }
    });
}

#[test]
fn doc_comments_become_plain_text() {
    let cases: &[(Docs, &str)] = &[
        (&["", " One: `Base::Home`."], "One: `home`."),
        (&[" Two", " lines."], "Two lines."),
        (&[" `Some(1_536)`; `None` for any."], "`1536`; `null` for any."),
        (&[" As `depth: Some(1)`."], "As `depth: 1`."),
        (&[" `Budget::Chars(30_000)`"], "`chars: 30000`"),
        (&[" The field [`Paths`](FieldRole::Paths) of [`Reach::Below`]."], "The field `paths` of `below`."),
        (&[" See [`ToolsRule`](super::ToolsRule)."], "See `ToolsRule`."),
        (&[" `{a: [\"b\"]}` [`c`]"], "`{a: [\"b\"]}` `c`"),
        (&[" See [`load.frame`](LoadRule::frame) (rule 3.4), or (rule 5.6): x."], "See `load.frame`, or: x."),
        (&[" The home: [`Places::home`](crate::Places::home). More."], "The home. More."),
    ];
    for (docs, expected) in cases {
        assert_eq!(plain(docs), *expected);
    }
    assert_eq!(summary(&[" What it is: `a. b`. More."]), "What it is");
    assert_eq!(summary(&[" Such as `a: b`, for `c. d`. More."]), "Such as `a: b`, for `c. d`");
}

/// What is wrong with a value by the part of JSON Schema that [`schema`] uses.
#[cfg(feature = "receipts")]
fn faults(value: &Json, schema: &Json, root: &Json, path: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(name) = schema.get("$ref").and_then(Json::as_text) {
        let name = name.strip_prefix("#/$defs/").expect("a definition");
        let definition = root.get("$defs").and_then(|types| types.get(name)).expect("it is defined");
        found.extend(faults(value, definition, root, path));
    }
    let type_name = match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::Text(_) => "string",
        Json::List(_) => "array",
        Json::Map(_) => "object",
    };
    let is_type = |name: &Json| match name.as_text() {
        Some("integer") => matches!(value, Json::Number(number) if number.parse::<u64>().is_ok()),
        name => name == Some(type_name),
    };
    match schema.get("type") {
        Some(Json::List(names)) if !names.iter().any(is_type) => found.push(format!("{path}: {type_name}")),
        Some(name @ Json::Text(_)) if !is_type(name) => found.push(format!("{path}: {type_name}")),
        _ => {}
    }
    if let Some(Json::List(words)) = schema.get("enum") {
        if !words.contains(value) {
            found.push(format!("{path}: {value} is none of the words"));
        }
    }
    if let (Some(condition), Some(otherwise)) = (schema.get("if"), schema.get("else")) {
        if !faults(value, condition, root, path).is_empty() {
            found.extend(faults(value, otherwise, root, path));
        }
    }
    for (key, most) in [("anyOf", usize::MAX), ("oneOf", 1)] {
        let Some(Json::List(forms)) = schema.get(key) else { continue };
        let fitting = forms.iter().filter(|form| faults(value, form, root, path).is_empty()).count();
        if fitting == 0 || fitting > most {
            found.push(format!("{path}: {fitting} forms of {key} fit"));
        }
    }
    if let (Json::List(items), Some(schema)) = (value, schema.get("items")) {
        found.extend(items.iter().flat_map(|item| faults(item, schema, root, path)));
    }
    if let (Json::Map(parts), Some(Json::Map(known))) = (value, schema.get("properties")) {
        for (key, part) in parts {
            match known.iter().find(|(name, _)| name == key) {
                Some((_, schema)) => found.extend(faults(part, schema, root, &format!("{path}.{key}"))),
                None if schema.get("additionalProperties") == Some(&Json::Bool(false)) => {
                    found.push(format!("{path}: {key} is unknown"));
                }
                None => {}
            }
        }
    }
    if let (Json::Map(parts), Some(Json::List(required))) = (value, schema.get("required")) {
        let is_there = |name: &Json| parts.iter().any(|(key, _)| Some(key.as_str()) == name.as_text());
        found.extend(required.iter().filter(|name| !is_there(name)).map(|name| format!("{path}: no {name}")));
    }
    found
}

#[cfg(feature = "receipts")]
#[test]
fn every_built_in_dialect_conforms_to_the_schema() {
    let schema = Dialect::schema();
    assert_eq!(Json::parse(&format!("{schema:#}")).as_ref(), Ok(&schema), "it is valid JSON");
    let faults_of = |text: &str| {
        let document = yaml::parse(text).expect("YAML");
        let value = yaml::typed(document.root.as_ref().expect("a map")).expect("JSON");
        faults(&value, &schema, &schema, "")
    };
    for name in NAMES {
        let text = super::super::dialect(name).expect("built in").to_yaml();
        assert_eq!(faults_of(&text), Vec::<String>::new(), "{name}");
    }
    let extended = "name: a\nextends: b\nreach: {ancestors: {nearest: highest, outside_repository: no}}\n";
    assert_eq!(faults_of(extended), [": reach is unknown"]);
    let faults_of_extended = |text: &str| faults_of(&format!("{{name: a, extends: b, {text}}}"));
    assert_eq!(faults_of("{extends: b}"), [": no \"name\""]);
    assert_eq!(faults_of_extended("scan: {depth: x}"), [".scan.depth: 0 forms of anyOf fit"]);
    assert_eq!(faults_of_extended("prompt: {budget: {chars: 1}}"), Vec::<String>::new());
    assert_eq!(faults_of_extended("prompt: {budget: {chars: a}}"), [".prompt.budget: 0 forms of oneOf fit"]);
    assert_eq!(faults_of_extended("lookup: nam"), [".lookup: \"nam\" is none of the words"]);
    let limits = "limits: [{role: name}]";
    assert_eq!(faults_of_extended(limits), [".limits: no \"max_chars\""], "a row needs its parts");
}

/// The parts that the schema requires of a file that extends no dialect are those that reading misses.
#[cfg(feature = "receipts")]
#[test]
fn the_schema_requires_what_reading_requires() {
    let schema = Dialect::schema();
    let path = FsPath::root();
    let whole = super::super::dialect("claude").expect("built in").to_yaml();
    let document = yaml::parse(&whole).expect("YAML");
    let whole = yaml::typed(document.root.as_ref().expect("a map")).expect("JSON");
    let mut count = 0;
    each_removed(&whole, &mut |place, text| {
        let is_read = Dialect::parse(&path, &text.to_string(), &|_| None).is_ok();
        let faults = faults(text, &schema, &schema, "");
        assert_eq!(faults.is_empty(), is_read, "without {place}: {faults:?}");
        count += 1;
    });
    assert!(100 < count, "{count} parts");
}

/// Calls `see` with the value without each of its parts at any depth.
#[cfg(feature = "receipts")]
fn each_removed(value: &Json, see: &mut dyn FnMut(&str, &Json)) {
    match value {
        Json::Map(fields) => {
            for (n, (key, inner)) in fields.iter().enumerate() {
                let mut fields = fields.clone();
                fields.remove(n);
                see(key, &Json::Map(fields.clone()));
                each_removed(inner, &mut |place, inner| {
                    let mut fields = fields.clone();
                    fields.insert(n, (key.clone(), inner.clone()));
                    see(&format!("{key}.{place}"), &Json::Map(fields));
                });
            }
        }
        Json::List(items) => {
            for (n, inner) in items.iter().enumerate() {
                each_removed(inner, &mut |place, inner| {
                    let mut items = items.clone();
                    items[n] = inner.clone();
                    see(place, &Json::List(items));
                });
            }
        }
        _ => {}
    }
}

const TABLES: &str = "src/dialect/builtin/tables.rs";

/// What the tables begin with.
const HEAD: &str = "\
//! The built-in dialects, written from the files in this folder: see `mod.rs`.

use crate::dialect::*;
use crate::model::skill::Origin;
use std::borrow::Cow;

const fn text(text: &'static str) -> Cow<'static, str> {
    Cow::Borrowed(text)
}

const fn rows<T: Clone>(rows: &'static [T]) -> Cow<'static, [T]> {
    Cow::Borrowed(rows)
}
";

/// The constants of the built-in dialects are those of their files. `UPDATE=1` writes them.
#[test]
fn tables_are_those_of_the_files() {
    use super::super::builtin::files::from_file;
    let mut text = String::from(HEAD);
    for name in NAMES {
        let dialect = from_file(name).expect("a valid file");
        let table = rust::expression(&dialect.to_data(), Dialect::SHAPE, 4);
        // One name is a keyword of Rust.
        let function = name.replace('-', "_").replace("continue", "r#continue");
        text.push_str(&format!("\npub(in crate::dialect) const fn {function}() -> Dialect {{\n    {table}\n}}\n"));
    }
    if std::env::var_os("UPDATE").is_some() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(TABLES);
        std::fs::write(path, text).expect("the tables are written");
        return;
    }
    #[cfg(not(skilltree_bootstrap))]
    assert!(
        text == include_str!("../../src/dialect/builtin/tables.rs"),
        "{TABLES} is not that of the files: `UPDATE=1` writes it"
    );
    for name in NAMES {
        assert_eq!(super::super::dialect(name), from_file(name), "{name}");
    }
}
