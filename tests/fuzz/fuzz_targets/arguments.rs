//! The JSON of a tool's arguments, and the schema that they have to fit. What is read is written as the same value, and
//! a value fits a choice of schemas exactly if it fits one of them. The input is a schema, a line feed, and a value.
#![no_main]
#![allow(dead_code, unused_imports, reason = "a part of the module is used")]

#[path = "../../../src/text/mod.rs"]
mod text;

use libfuzzer_sys::fuzz_target;
use text::json::Json;
use text::schema::{expected, faults, takes_object};

fuzz_target!(|input: &str| {
    let (schema, value) = input.split_once('\n').unwrap_or((input, input));
    let (Some(schema), Some(value)) = (round_trip(schema), round_trip(value)) else { return };
    let found = faults(&schema, &value);
    assert!(found.len() <= 10, "{found:?}");
    assert!(found.iter().all(|fault| !fault.is_empty() && !fault.contains(['\n', '\r'])), "{found:?}");
    assert_eq!(found, faults(&schema, &value));
    assert!(faults(&Json::map([("description", value.clone())]), &value).is_empty());
    assert!(faults(&Json::map([("enum", Json::List(vec![value.clone()]))]), &value).is_empty());
    let choice = |schemas: Vec<Json>| Json::map([("anyOf", Json::List(schemas))]);
    // One level more may be one too many, below which nothing is refused.
    if !is_deep(input) {
        assert_eq!(faults(&choice(vec![schema.clone()]), &value).is_empty(), found.is_empty(), "{found:?}");
        assert!(faults(&choice(vec![schema.clone(), Json::map([] as [(&str, Json); 0])]), &value).is_empty());
    }
    assert!(!expected(&schema).is_empty());
    if matches!(value, Json::Map(_)) && found.is_empty() && !is_deep(input) {
        assert!(takes_object(&schema), "an object fits");
    }
});

/// Whether the text may nest so deep that one level more makes a difference.
fn is_deep(text: &str) -> bool {
    text.matches(['[', '{']).count() > 60
}

fn round_trip(text: &str) -> Option<Json> {
    let json = Json::parse(text).ok()?;
    let written = json.to_string();
    assert_eq!(Json::parse(&written).as_ref(), Ok(&json));
    assert_eq!(Json::parse(&format!("{json:#}")).as_ref(), Ok(&json));
    assert!(!written.contains(['\n', '\r']), "{written:?}");
    Some(json)
}
