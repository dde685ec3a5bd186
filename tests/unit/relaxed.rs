use super::{Lines, lines, strict};
use crate::text::json::Json;

#[test]
fn comments_and_trailing_commas_are_blanked() {
    let table = [
        ("{}", "{}"),
        ("// a\n{}", "    \n{}"),
        ("{ /* é\nb */ \"a\": 1, }", "{     \n     \"a\": 1  }"),
        ("[1, 2, // last\n]", "[1, 2         \n]"),
        ("[[1,],]", "[[1 ] ]"),
        ("{\"a\": \"// no\", \"b\": \"/* no */\"}", "{\"a\": \"// no\", \"b\": \"/* no */\"}"),
        ("{\"a\": \"\\\"// no,]\"}", "{\"a\": \"\\\"// no,]\"}"),
        ("[\",\",]", "[\",\" ]"),
        ("\u{feff}{}", "{}"),
        // What no comment or trailing comma is stays, and is refused by the parser.
        ("[,]", "[,]"),
        ("{,}", "{,}"),
        ("[1,,]", "[1,,]"),
        ("{} /* open", "{} /* open"),
        ("{} /", "{} /"),
        ("{\"a\":,}", "{\"a\":,}"),
        ("\"open", "\"open"),
        ("", ""),
    ];
    for (text, expected) in table {
        assert_eq!(strict(text), expected, "{text:?}");
    }
    for refused in ["[,]", "{,}", "[1,,]", "{} /* open", "{} /", "{\"a\":,}"] {
        assert!(Json::parse(&strict(refused)).is_err(), "{refused:?}");
    }
}

#[test]
fn the_lines_of_values() {
    let text =
        "{\n\"x\": {\"a\": [1]},\n\"a\": {\n  \"b\": {\"k\": {\"b\": 1},\n  \"l\\u0041\": [2, 3]},\n\"c\": 1 }\n}";
    let found = |path: &[&str]| {
        let Lines { own, within } = lines(text, path);
        (own, within.iter().map(|(key, line)| format!("{key}:{line}")).collect::<Vec<_>>().join(" "))
    };
    assert_eq!(found(&["a"]), (3, "b:4 c:6".to_owned()));
    assert_eq!(found(&["a", "b"]), (4, "k:4 lA:5".to_owned()));
    assert_eq!(found(&["a", "b", "lA"]), (5, ":5 :5".to_owned()));
    assert_eq!(found(&["a", "c"]), (6, String::new()));
    assert_eq!(found(&["b"]), (0, String::new()));
    assert_eq!(found(&["x", "a"]), (2, ":2".to_owned()));
    let list = "{\"d\": [\"x\",\n{\"d\": [1]},\n[\"y\"]\n]}";
    assert_eq!(lines(list, &["d"]).within.iter().map(|(_, line)| *line).collect::<Vec<_>>(), [1, 2, 3]);
    let twice = "{\"d\": [1],\n\"d\": [\n2]}";
    assert_eq!(lines(twice, &["d"]), Lines { own: 2, within: vec![(String::new(), 3)] }, "the last one counts");
    let same = "{\"d\": {\"k\": 1,\n\"k\": 2}}";
    assert_eq!(lines(same, &["d"]).within, [("k".to_owned(), 1), ("k".to_owned(), 2)]);
}
