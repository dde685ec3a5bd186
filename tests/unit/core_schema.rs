//! The core schema of YAML 1.2: which JSON a value is. The rows of the specification's own tables, and their edges.

use super::super::parse;
use super::typed;

#[track_caller]
fn check(yaml: &str, expect: &str) {
    let document = parse(&format!("v: {yaml}\n")).expect("it is YAML");
    let root = document.root.expect("there is a map");
    let got = typed(&root)
        .map_or_else(|no| format!("no: {}", no.why), |json| json.get("v").map_or(String::new(), ToString::to_string));
    assert!(got == expect || (expect == "no" && got.starts_with("no: ")), "{yaml}: {got}, expected {expect}");
}

#[test]
fn scalars() {
    for null in ["", "~", "null", "Null", "NULL"] {
        check(null, "null");
    }
    for text in [
        "nULL",
        "yes",
        "no",
        "on",
        "Off",
        "tRUE",
        "y",
        "2001-12-14",
        "1_000",
        "0b101",
        "1:30",
        "0o8",
        "0xG",
        "0x",
        "-0x1",
        "1e",
        "1.e+",
        ".",
        "+",
        "e5",
        ".inf.",
        "1.2.3",
        "1,2",
        "=",
        "<<",
    ] {
        check(text, &format!("\"{text}\""));
    }
    for (yaml, expect) in [
        ("true", "true"),
        ("True", "true"),
        ("TRUE", "true"),
        ("false", "false"),
        ("False", "false"),
        ("FALSE", "false"),
    ] {
        check(yaml, expect);
    }
    for (yaml, expect) in [
        ("0", "0"),
        ("-0", "0"),
        ("007", "7"),
        ("+12", "12"),
        ("-19", "-19"),
        ("0o7", "7"),
        ("0o17", "15"),
        ("0x3A", "58"),
        ("0xff", "255"),
        ("18446744073709551615", "18446744073709551615"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("0xffffffffffffffff", "18446744073709551615"),
    ] {
        check(yaml, expect);
    }
    for (yaml, expect) in [
        ("0.", "0.0"),
        ("-0.0", "-0.0"),
        (".5", "0.5"),
        ("+.5", "0.5"),
        ("-.5", "-0.5"),
        ("12e03", "12e03"),
        ("-2E+05", "-2e+05"),
        ("1.10", "1.10"),
        ("01.5", "1.5"),
        ("1.e5", "1.0e5"),
    ] {
        check(yaml, expect);
    }
    for beyond in [".inf", "-.Inf", "+.INF", ".nan", ".NAN", "1e999", "0x1ffffffffffffffffffffffffffffffff"] {
        check(beyond, "no");
    }
    for more_than_64_bits in
        ["18446744073709551616", "-9223372036854775809", "0x10000000000000000", "!!int \"99999999999999999999\""]
    {
        check(more_than_64_bits, "no");
    }
    for text in ["\"true\"", "'1'", "\"\""] {
        check(text, &format!("\"{}\"", text.trim_matches(['"', '\''])));
    }
    check("|\n  1\n  2\n", "\"1\\n2\\n\"");
    check(">\n  null\n", "\"null\\n\"");
    check("two\n  lines", "\"two lines\"");
}

#[test]
fn tags() {
    check("!!str 1", "\"1\"");
    check("!!str", "\"\"");
    check("! 1", "\"1\"");
    check("!!int \"1\"", "1");
    check("!!float 1", "1");
    check("!!bool \"true\"", "true");
    check("!!null ''", "null");
    check("!!int x", "no");
    check("!!binary aGk=", "no");
    check("!own x", "no");
    check("!!seq [1]", "[1]");
    check("!!set {a}", "no");
}

#[test]
fn collections() {
    check("[1, two, [~, {a: b}]]", "[1,\"two\",[null,{\"a\":\"b\"}]]");
    check("\n  a: 1\n  b: &x two\n", "{\"a\":1,\"b\":\"two\"}");
    check("{1: a, true: b, \"1.0\": c, null-ish: d}", "{\"1\":\"a\",\"true\":\"b\",\"1.0\":\"c\",\"null-ish\":\"d\"}");
    check("{0x1: a}", "no");
    check("{1.0: a}", "no");
    check("{True: a}", "no");
    check("{~: a}", "no");
    check("{[a]: b}", "no");
    check("[&x a, *x]", "[\"a\",\"a\"]");
    check("&x [a, *x]", "no");
}
