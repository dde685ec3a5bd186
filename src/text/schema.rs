//! Compares values with JSON schemas, and says what was expected where. Only the keywords `type`, `enum`, `anyOf`,
//! `oneOf`, `required`, `properties`, `items` and `additionalProperties` are checked; all others count as fulfilled, so
//! that no value is refused that the schema may allow.

use super::json::Json;
use super::words::excerpt;

/// The deepest level that is checked, which is also the deepest nesting of JSON.
const MAX_LEVELS: usize = 128;

const MAX_FAULTS: usize = 10;

const MAX_SHOWN_CHARS: usize = 60;

/// What is wrong with a value: at most the first ten faults, and none if it fits. A field with a `default` may be
/// missing.
pub(crate) fn faults(schema: &Json, value: &Json) -> Vec<String> {
    let mut faults = Vec::new();
    check(schema, value, "", MAX_LEVELS, &mut faults);
    faults.truncate(MAX_FAULTS);
    faults
}

pub(crate) fn takes_object(schema: &Json) -> bool {
    let may_be = |schema: &Json| {
        let kinds = kinds(schema);
        kinds.is_empty() || kinds.contains(&"object")
    };
    may_be(schema) && options(schema).is_none_or(|options| options.iter().any(may_be))
}

pub(crate) fn expected(schema: &Json) -> String {
    let said = |schema: &Json| match items(schema, "enum") {
        Some(values) => values.iter().map(shown).collect::<Vec<_>>(),
        None => kinds(schema).into_iter().map(str::to_owned).collect(),
    };
    let options = options(schema).unwrap_or_default().iter().flat_map(said);
    let all: Vec<String> = said(schema).into_iter().chain(options).collect();
    if all.is_empty() { "anything".to_owned() } else { all.join(" or ") }
}

fn check(schema: &Json, value: &Json, path: &str, levels: usize, faults: &mut Vec<String>) {
    let Some(levels) = levels.checked_sub(1).filter(|_| faults.len() < MAX_FAULTS) else { return };
    let unlike = |got: String| at(path, &format!("expected {}, got {got}", expected(schema)));
    if items(schema, "enum").is_some_and(|values| !values.iter().any(|one| is_same(one, value))) {
        return faults.push(unlike(shown(value)));
    }
    let wanted = kinds(schema);
    if !wanted.is_empty() && !wanted.iter().any(|kind| is_of(kind, value)) {
        // For a number that is not an integer, the kind would not explain the fault.
        let is_number = wanted.contains(&"integer") && matches!(value, Json::Number(_));
        return faults.push(unlike(if is_number { shown(value) } else { kind(value).to_owned() }));
    }
    if let Some(options) = items(schema, "anyOf") {
        let unfit = |option| {
            let mut found = Vec::new();
            check(option, value, path, levels, &mut found);
            if found.is_empty() { None } else { Some((option, found)) }
        };
        let unfit: Vec<(&Json, Vec<String>)> = options.iter().map_while(unfit).collect();
        if unfit.len() == options.len() {
            // If only one of the options is of the kind of the value, its faults say more.
            let mut near = unfit.into_iter().filter(|(option, _)| kinds(option).iter().any(|kind| is_of(kind, value)));
            match (near.next(), near.next()) {
                (Some((_, found)), None) => faults.extend(found),
                _ => faults.push(unlike(kind(value).to_owned())),
            }
        }
    }
    match value {
        Json::List(values) => {
            let Some(each) = schema.get("items").filter(|_| schema.get("prefixItems").is_none()) else { return };
            for (n, value) in values.iter().enumerate() {
                check(each, value, &format!("{path}[{n}]"), levels, faults);
            }
        }
        Json::Map(fields) => object(schema, value, fields, path, levels, faults),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => {}
    }
}

fn object(schema: &Json, value: &Json, fields: &[(String, Json)], path: &str, levels: usize, faults: &mut Vec<String>) {
    let known = |name: &str| schema.get("properties").and_then(|known| known.get(name));
    for name in items(schema, "required").unwrap_or_default().iter().filter_map(Json::as_text) {
        let has_default = known(name).is_some_and(|field| field.get("default").is_some());
        if value.get(name).is_none() && !has_default {
            let expected = known(name).map_or_else(|| "anything".to_owned(), expected);
            faults.push(at(&below(path, name), &format!("expected {expected}, got nothing")));
        }
    }
    let more = schema.get("additionalProperties").filter(|_| schema.get("patternProperties").is_none());
    for (name, value) in fields {
        if faults.len() >= MAX_FAULTS {
            return;
        }
        match (known(name), more) {
            (Some(field), _) | (None, Some(field @ Json::Map(_))) => {
                check(field, value, &below(path, name), levels, faults);
            }
            (None, Some(Json::Bool(false))) => {
                faults.push(at(path, &format!("expected no field {}", shown(&Json::from(name.as_str())))));
            }
            (None, _) => {}
        }
    }
}

fn options(schema: &Json) -> Option<&[Json]> {
    items(schema, "anyOf").or_else(|| items(schema, "oneOf"))
}

/// The items of a list in a schema, unless it is empty.
fn items<'a>(schema: &'a Json, word: &str) -> Option<&'a [Json]> {
    match schema.get(word) {
        Some(Json::List(items)) if !items.is_empty() => Some(items),
        _ => None,
    }
}

/// The kinds that a schema names; empty if one of them is unknown.
fn kinds(schema: &Json) -> Vec<&str> {
    let named: Vec<&str> = match schema.get("type") {
        Some(Json::Text(kind)) => vec![kind],
        Some(Json::List(kinds)) => kinds.iter().filter_map(Json::as_text).collect(),
        _ => Vec::new(),
    };
    let is_one =
        |kind: &&str| matches!(*kind, "integer" | "number" | "null" | "boolean" | "string" | "array" | "object");
    if named.iter().all(is_one) { named } else { Vec::new() }
}

fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::Text(_) => "string",
        Json::List(_) => "array",
        Json::Map(_) => "object",
    }
}

fn is_of(expected: &str, value: &Json) -> bool {
    match (expected, value) {
        ("integer", Json::Number(number)) => {
            let is_plain = !number.contains(['.', 'e', 'E']);
            is_plain || number.parse::<f64>().is_ok_and(|number| number.fract() == 0.0)
        }
        _ => expected == kind(value),
    }
}

fn is_same(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Number(one), Json::Number(other)) if one != other => {
            matches!((one.parse::<f64>(), other.parse::<f64>()), (Ok(one), Ok(other)) if one == other)
        }
        _ => one == other,
    }
}

fn shown(value: &Json) -> String {
    excerpt(&value.to_string(), MAX_SHOWN_CHARS)
}

fn below(path: &str, name: &str) -> String {
    let name = excerpt(name, MAX_SHOWN_CHARS);
    if path.is_empty() { name } else { format!("{path}.{name}") }
}

fn at(path: &str, what: &str) -> String {
    if path.is_empty() { what.to_owned() } else { format!("{path}: {what}") }
}

#[cfg(test)]
#[path = "../../tests/unit/schema.rs"]
mod tests;
