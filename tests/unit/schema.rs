//! What a value lacks of a JSON schema.

use super::{expected, faults, takes_object};
use crate::text::json::Json;

fn json(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A schema, a value, and what is wrong with it.
const CASES: &[(&str, &str, &[&str])] = &[
    ("{}", r#"{"a":1}"#, &[]),
    ("true", "5", &[]),
    (r#"{"type":"string"}"#, r#""a""#, &[]),
    (r#"{"type":"string"}"#, "1", &["expected string, got number"]),
    (r#"{"type":"string"}"#, "null", &["expected string, got null"]),
    (r#"{"type":"object"}"#, "[]", &["expected object, got array"]),
    (r#"{"type":"array"}"#, "{}", &["expected array, got object"]),
    (r#"{"type":"boolean"}"#, "0", &["expected boolean, got number"]),
    (r#"{"type":"number"}"#, "1.5", &[]),
    (r#"{"type":"integer"}"#, "-1", &[]),
    (r#"{"type":"integer"}"#, "1.0", &[]),
    (r#"{"type":"integer"}"#, "1e3", &[]),
    (r#"{"type":"integer"}"#, "1e-3", &["expected integer, got 1e-3"]),
    (r#"{"type":"integer"}"#, "99999999999999999999", &[]),
    (r#"{"type":"integer"}"#, "1.5", &["expected integer, got 1.5"]),
    (r#"{"type":"integer"}"#, "true", &["expected integer, got boolean"]),
    (r#"{"type":["string","null"]}"#, "null", &[]),
    (r#"{"type":["string","null"]}"#, "1", &["expected string or null, got number"]),
    (r#"{"type":"file"}"#, "1", &[]),
    (r#"{"type":["file","null"]}"#, "1", &[]),
    (r#"{"type":7}"#, "1", &[]),
    (r#"{"enum":["a",1,null]}"#, "1.0", &[]),
    (r#"{"enum":["a",1,null]}"#, "null", &[]),
    (r#"{"type":"string","enum":["a","b"]}"#, r#""c""#, &[r#"expected "a" or "b", got "c""#]),
    (r#"{"enum":["a"]}"#, r#"["a"]"#, &[r#"expected "a", got ["a"]"#]),
    (r#"{"enum":"a"}"#, "1", &[]),
    (r#"{"required":["a"]}"#, "5", &[]),
    (r#"{"required":["a"]}"#, "{}", &["a: expected anything, got nothing"]),
    (r#"{"required":["a"]}"#, r#"{"a":null}"#, &[]),
    (r#"{"required":true}"#, "{}", &[]),
    (r#"{"required":["a"],"properties":{"a":{"type":"string"}}}"#, "{}", &["a: expected string, got nothing"]),
    (r#"{"required":["a"],"properties":{"a":{"enum":["x",2]}}}"#, "{}", &[r#"a: expected "x" or 2, got nothing"#]),
    (r#"{"required":["a"],"properties":{"a":{"type":"string","default":"d"}}}"#, "{}", &[]),
    (r#"{"properties":{"a":{"type":"string"}}}"#, r#"{"b":1}"#, &[]),
    (r#"{"properties":{"a":"string"}}"#, r#"{"a":1}"#, &[]),
    (
        r#"{"properties":{"a":{"properties":{"b":{"type":"array","items":{"type":"string"}}}}}}"#,
        r#"{"a":{"b":["x",1,{}]}}"#,
        &["a.b[1]: expected string, got number", "a.b[2]: expected string, got object"],
    ),
    (r#"{"items":[{"type":"string"}]}"#, "[1]", &[]),
    (r#"{"prefixItems":[{}],"items":{"type":"string"}}"#, "[1]", &[]),
    (r#"{"additionalProperties":false}"#, "{}", &[]),
    (r#"{"additionalProperties":false}"#, r#"{"b":1}"#, &[r#"expected no field "b""#]),
    (r#"{"additionalProperties":false,"properties":{"b":{}}}"#, r#"{"b":1}"#, &[]),
    (r#"{"additionalProperties":false,"patternProperties":{"b":{}}}"#, r#"{"b":1}"#, &[]),
    (
        r#"{"properties":{"a":{"additionalProperties":{"type":"integer"}}}}"#,
        r#"{"a":{"b":"c"}}"#,
        &["a.b: expected integer, got string"],
    ),
    (r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, "null", &[]),
    (r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, "1", &["expected string or null, got number"]),
    (r#"{"anyOf":[{"type":"string"},{}]}"#, "1", &[]),
    (r#"{"anyOf":[{"type":"string"},{"enum":[1]}]}"#, "2", &["expected string or 1, got number"]),
    (
        r#"{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}"#,
        "[1]",
        &["[0]: expected string, got number"],
    ),
    (
        r#"{"anyOf":[{"type":"object","required":["a"]},{"type":"object","required":["b"]}]}"#,
        "{}",
        &["expected object or object, got object"],
    ),
    (r#"{"anyOf":[]}"#, "1", &[]),
    (r##"{"$ref":"#/a","allOf":[{"type":"string"}],"not":{},"minimum":5}"##, "1", &[]),
    (r#"{"additionalProperties":{"type":"null"}}"#, r#"{"\u001b[31m":1}"#, &["\\u{1b}[31m: expected null, got number"]),
];

#[test]
fn what_is_wrong_with_a_value() {
    for (schema, value, expect) in CASES {
        assert_eq!(faults(&json(schema), &json(value)), *expect, "{schema}: {value}");
    }
}

#[test]
fn what_is_told_has_an_end() {
    let (schema, many) = (json(r#"{"items":{"type":"string"}}"#), Json::List(vec![Json::Null; 100_000]));
    assert_eq!(faults(&schema, &many).len(), 10);
    let fields = Json::map((0..100_000).map(|n| (n.to_string(), Json::Null)));
    assert_eq!(faults(&json(r#"{"additionalProperties":false}"#), &fields).len(), 10);
    let long = Json::from("x".repeat(100_000));
    assert!(faults(&json(r#"{"enum":[1]}"#), &long)[0].len() < 100);
    let deep = |text: &str, end: &str| (0..1_000).fold(json(end), |inner, _| Json::map([(text, inner)]));
    assert_eq!(faults(&deep("items", r#"{"type":"string"}"#), &deep("x", "1")), Vec::<String>::new());
    let lists = (0..1_000).fold(json("1"), |inner, _| Json::List(vec![inner]));
    assert_eq!(faults(&deep("items", r#"{"type":"string"}"#), &lists), Vec::<String>::new());
}

#[test]
fn what_takes_an_object() {
    for (schema, takes) in [
        ("{}", true),
        (r#"{"type":"object"}"#, true),
        (r#"{"type":["object","null"]}"#, true),
        (r#"{"type":"file"}"#, true),
        (r#"{"properties":{}}"#, true),
        (r#"{"anyOf":[{"type":"string"},{"type":"object"}]}"#, true),
        (r#"{"oneOf":[{"type":"object"}]}"#, true),
        (r##"{"$ref":"#/a"}"##, true),
        (r#"{"type":"string"}"#, false),
        (r#"{"type":["string","null"]}"#, false),
        (r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, false),
        (r#"{"type":"array","items":{"type":"object"}}"#, false),
    ] {
        assert_eq!(takes_object(&json(schema)), takes, "{schema}");
    }
    assert_eq!(expected(&json(r#"{"anyOf":[{"type":"string"},{"enum":[1]}]}"#)), "string or 1");
}
