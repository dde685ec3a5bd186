use super::*;
use pretty_assertions::assert_eq;

#[track_caller]
fn reads(text: &str, json: &str) {
    let got = parse(text).map(|json| json.to_string()).map_err(|error| error.to_string());
    assert_eq!(got.as_deref(), Ok(json), "{text}");
}

/// The sections of the specification of TOML 1.0, <https://toml.io/en/v1.0.0>.
#[test]
fn values_and_tables() {
    reads("", "{}");
    reads("# c\r\na = 1 # c\nb=true\n", r#"{"a":1,"b":true}"#);
    reads("a.b.\"c d\" = +1_000\n'e' = -0.5", r#"{"a":{"b":{"c d":1000}},"e":-0.5}"#);
    reads(r#"a = "x\t\"\u00e9\\" "#, r#"{"a":"x\t\"é\\"}"#);
    reads(r"a = 'C:\x'", r#"{"a":"C:\\x"}"#);
    reads("a = \"\"\"\none \\\n   two\n\"\"\"\nb = '''\n'x'\n'''", r#"{"a":"one two\n","b":"'x'\n"}"#);
    reads("a = [1, [2,\n # c\n 3,], {b = 'c', d.e = false}]", r#"{"a":[1,[2,3],{"b":"c","d":{"e":false}}]}"#);
    reads("a = 1979-05-27T07:32:00Z", r#"{"a":"1979-05-27T07:32:00Z"}"#);
    reads("[a.b]\nc = 1\n[a]\nd = 2\n", r#"{"a":{"b":{"c":1},"d":2}}"#);
    reads("[[a.b]]\nc = 1\n[[a.b]]\nc = 2\n[a.b.d]\ne = 3\n", r#"{"a":{"b":[{"c":1},{"c":2,"d":{"e":3}}]}}"#);
    reads("a = 1\na = 2", r#"{"a":2}"#);
}

#[test]
fn what_is_not_toml() {
    let refused = |text: &str, message: &str| {
        assert_eq!(parse(text).map_err(|error| error.to_string()), Err(message.to_owned()), "{text}");
    };
    refused("a", "expected `=` at line 1");
    refused("\n= 1", "expected a key at line 2");
    refused("a = ", "expected a value at line 1");
    refused("a = \"x\nb = 1", "expected the end of the string at line 1");
    refused("a = 1 2", "expected a value at line 1");
    refused("a = 'b' c", "expected the end of the line at line 1");
    refused("[a\n", "expected `]` at line 1");
    refused("a = [1 2", "expected a value at line 1");
    refused("a = 1\n[a.b]", "expected the name of a table at line 2");
    refused("a = \"\\q\"", "expected an escape sequence at line 1");
    let deep = format!("a = {}", "[".repeat(100_000));
    refused(&deep, "expected fewer levels at line 1");
    refused(&format!("a{} = 1", ".a".repeat(100_000)), "expected a shorter path of keys at line 1");
    refused(&format!("a{} = 1", ".'a'".repeat(100_000)), "expected a shorter path of keys at line 1");
    let wide: String = (0..600_000).map(|n| format!("{n}=1\n")).collect();
    refused(&wide, "expected fewer keys at line 10001");
}
