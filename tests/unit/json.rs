//! JSON: what is read, what is refused and where, what is written.

use super::Json;
use pretty_assertions::assert_eq;

/// The compact writing of what was read, or the error.
#[track_caller]
fn check(case: &str, text: &str, expect: &str) {
    let answer = match Json::parse(text) {
        Ok(value) => value.to_string(),
        Err(error) => error.to_string(),
    };
    assert_eq!(answer, expect, "{case}");
}

#[test]
fn reads() {
    check("null", " null ", "null");
    check("booleans", "[true,\tfalse]\r\n", "[true,false]");
    check("numbers keep their source", "[0, -0, 10, 1.50, 1E+2, 2e-3]", "[0,-0,10,1.50,1E+2,2e-3]");
    check("empty list and map", "[ [ ] , { } ]", "[[],{}]");
    check("keys in order", r#"{"b":1,"a":{"c":[]}}"#, r#"{"b":1,"a":{"c":[]}}"#);
    check("a duplicate key: last wins, first place", r#"{"a":1,"b":2,"a":3}"#, r#"{"a":3,"b":2}"#);
    check("keys equal after their escapes", r#"{"a":1,"\u0061":2}"#, r#"{"a":2}"#);
    check("text", r#""é ü \" \\ \/ \n \t""#, r#""é ü \" \\ / \n \t""#);
    check("control characters by escape", r#""\b\f\r\u0000\u001F""#, r#""\u0008\u000c\r\u0000\u001f""#);
    check("delete is escaped", "\"\u{7f}\"", r#""\u007f""#);
    check("invisible characters are escaped", "\"\u{200b}\u{e0041}\"", r#""\u200b\udb40\udc41""#);
    check("a surrogate pair", r#""\ud83d\uDE00""#, "\"😀\"");
    check("line separators are escaped", "\"\u{2028}\u{2029}\"", r#""\u2028\u2029""#);
}

#[test]
fn refuses() {
    check("nothing", "", "expected a value at line 1, column 1");
    check("a key without a value", "{\"a\"\n:}", "expected a value at line 2, column 2");
    check("column in characters", "[\"é\",x]", "expected a value at line 1, column 6");
    check("after the value", "1 2", "expected the end of the text at line 1, column 3");
    check("a leading zero", "01", "expected the end of the text at line 1, column 2");
    check("a plus", "+1", "expected a value at line 1, column 1");
    check("a bare minus", "-", "expected a digit at line 1, column 2");
    check("no fraction", "1.", "expected a digit at line 1, column 3");
    check("no exponent", "1e+", "expected a digit at line 1, column 4");
    check("not a word", "nul", "expected a value at line 1, column 1");
    check("a longer word", "nulll", "expected the end of the text at line 1, column 5");
    check("a trailing comma in a list", "[1,]", "expected a value at line 1, column 4");
    check("a trailing comma in a map", r#"{"a":1,}"#, "expected a key at line 1, column 8");
    check("an unclosed list", "[1", "expected `,` or `]` at line 1, column 3");
    check("an unclosed map", r#"{"a":1"#, "expected `,` or `}` at line 1, column 7");
    check("the wrong bracket", "[1}", "expected `,` or `]` at line 1, column 3");
    check("no key", "{1:2}", "expected a key or `}` at line 1, column 2");
    check("no colon", r#"{"a" 1}"#, "expected `:` at line 1, column 6");
    check("an unclosed text", "\"a", "expected a closing quote at line 1, column 3");
    check("a raw newline", "\"a\n\"", "expected an escape for a control character at line 1, column 3");
    check("an unknown escape", r#""\x""#, "expected an escape at line 1, column 3");
    check("a short escape", r#""\u12""#, "expected a hexadecimal digit at line 1, column 6");
    check("a plus in an escape", r#""\u+123""#, "expected a hexadecimal digit at line 1, column 4");
    check("a high surrogate alone", r#""\ud83d""#, "expected a whole surrogate pair at line 1, column 4");
    check("two high surrogates", r#""\ud83d\ud83d""#, "expected a whole surrogate pair at line 1, column 4");
    check("a low surrogate alone", r#""\ude00""#, "expected a whole surrogate pair at line 1, column 4");
    check("a mark of byte order", "\u{feff}1", "expected a value at line 1, column 1");
    check("other white space", "\u{a0}1", "expected a value at line 1, column 1");
    check("a comment", "1 // one", "expected the end of the text at line 1, column 3");
}

#[test]
fn nests_as_deep_as_allowed() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    check("128 levels", &nested(128), &nested(128));
    check("129 levels", &nested(129), "expected at most 128 levels at line 1, column 129");
    check("a flood of brackets", &"[{\"a\":".repeat(200_000), "expected at most 128 levels at line 1, column 385");
}

#[test]
fn many_keys_take_linear_time() {
    let fields: Vec<String> = (0..100_000).map(|n| format!("\"{}\":{n}", n % 50_000)).collect();
    let value = Json::parse(&format!("{{{}}}", fields.join(",")));
    assert_eq!(value.ok().as_ref().and_then(|map| map.get("7")), Some(&Json::from(50_007)));
}

#[test]
fn writes_with_indent() {
    let value = Json::map([
        ("list", vec![Json::from(1), Json::Null].into()),
        ("empty", Json::map::<&str>([])),
        ("map", Json::map([("none", Json::from(vec![]))])),
    ]);
    let expect = "{\n  \"list\": [\n    1,\n    null\n  ],\n  \"empty\": {},\n  \"map\": {\n    \"none\": []\n  }\n}";
    assert_eq!(format!("{value:#}"), expect);
    assert_eq!(Json::parse(expect), Ok(value));
}

#[test]
fn builds_maps() {
    #[track_caller]
    fn check(case: &str, value: Json, expect: &str) {
        assert_eq!(value.to_string(), expect, "{case}");
    }
    let base = || Json::map([("a", Json::from("x")), ("b", true.into())]);
    check("absent is left out", base().with("c", None::<&str>), r#"{"a":"x","b":true}"#);
    check("present comes last", base().with("c", Some(3)), r#"{"a":"x","b":true,"c":3}"#);
    check("known is replaced", base().with("a", Some(String::from("y"))), r#"{"a":"y","b":true}"#);
    check("a map given a key twice", Json::map([("a", Json::from(1)), ("a", 2.into())]), r#"{"a":2}"#);
    check("no map", Json::Null.with("a", Some(1)), "null");
}

#[test]
fn looks_inside() {
    let value = Json::map([("a", Json::from("x"))]);
    assert_eq!(value.get("a").and_then(Json::as_text), Some("x"));
    assert_eq!(value.get("b"), None);
    assert_eq!(Json::from("a").get("a"), None);
    assert_eq!(Json::Null.as_text(), None);
}
