//! Repair: what an author meant, and that the corrected line is one that YAML reads so (topic 5 of the rules).

use crate::effort::Effort;
use std::time::Duration;

use pretty_assertions::assert_eq;

use super::{
    Repaired, Shape,
    entry::{FIELDS, RESTRICTING},
};
use crate::dialect::{COMMON_FIELDS, FieldRole, NAMES, dialect};
use crate::text::yaml::{self, Document, Node, NoticeKind, Value};

fn repair(text: &str) -> Option<Repaired> {
    super::repair(text, &|_| Shape::Unknown)
}

fn again(text: &str, document: &Document) -> Option<Repaired> {
    super::reread(text, document, &|_| Shape::Unknown)
}

fn show(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => text.clone(),
        Value::Absent => "?".to_owned(),
        Value::List(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join("|")),
        Value::Map(pairs) => {
            let pairs: Vec<_> = pairs.iter().map(|(key, value)| format!("{}={}", show(key), show(value))).collect();
            format!("{{{}}}", pairs.join("|"))
        }
    }
}

fn pairs(root: &Node) -> Vec<(String, &Node)> {
    match &root.value {
        Value::Map(pairs) => pairs.iter().map(|(key, value)| (show(key), value)).collect(),
        _ => Vec::new(),
    }
}

/// What a mend replaces.
#[derive(Clone, Copy, PartialEq)]
enum Replaces {
    Line,
    /// The line and the further lines of its value.
    Value,
}

/// The text with its mends carried out, from the last to the first.
fn mended(text: &str, repaired: &Repaired, replaces: Replaces) -> String {
    let mut out = text.to_owned();
    for mend in repaired.mends.iter().rev() {
        let mut end = mend.line_start;
        for (_, value) in pairs(&repaired.root) {
            if replaces == Replaces::Value && value.span.start <= mend.at && mend.at <= value.span.end {
                end = value.span.end;
            }
        }
        let end = end.max(mend.line_start);
        let end = text[end..].find('\n').map_or(text.len(), |found| end + found);
        let end = if text[..end].ends_with('\r') { end - 1 } else { end };
        out.replace_range(mend.line_start..end, &mend.with);
    }
    out
}

/// `with` is the mend of the first entry that was wrong. The law: carried out, YAML reads what was recovered.
#[track_caller]
fn repaired(case: &str, text: &str, replaces: Replaces, values: &str, with: &str) {
    let repaired = repair(text).unwrap_or_else(|| panic!("{case}: nothing recovered"));
    assert_eq!(show(&repaired.root), values, "{case}");
    assert_eq!(repaired.mends.first().map_or("", |mend| mend.with.as_str()), with, "{case}");
    let mended = mended(text, &repaired, replaces);
    let read = yaml::parse(&mended).unwrap_or_else(|error| panic!("{case}: {error:?} in\n{mended}"));
    let read = read.root.unwrap_or_else(|| panic!("{case}: nothing in\n{mended}"));
    let (read, meant) = (pairs(&read), pairs(&repaired.root));
    assert_eq!(read.len(), meant.len(), "{case}: the keys of\n{mended}");
    for ((key, read), (_, meant)) in read.iter().zip(&meant) {
        // Lines below a key may be kept as text, and mended they are no text any more.
        if matches!(read.value, Value::Text(_)) || !matches!(meant.value, Value::Text(_)) {
            assert_eq!(show(read), show(meant), "{case}: {key} of\n{mended}");
        }
        assert!(text.get(meant.span.start..meant.span.end).is_some(), "{case}: the span of {key}");
    }
}

#[track_caller]
fn line(case: &str, text: &str, values: &str, with: &str) {
    repaired(case, text, Replaces::Line, values, with);
}

#[track_caller]
fn value(case: &str, text: &str, values: &str, with: &str) {
    repaired(case, text, Replaces::Value, values, with);
}

#[test]
fn plain_values() {
    line("a colon", "a: b: c\nd: e\n", "{a=b: c|d=e}", "a: \"b: c\"");
    line("a colon at the end", "a: b: c:\n", "{a=b: c:}", "a: \"b: c:\"");
    line("a colon and quotes", "a: say \"b\": c\\d\n", "{a=say \"b\": c\\d}", "a: \"say \\\"b\\\": c\\\\d\"");
    line("a colon and a hash", "a: b: c #d\n", "{a=b: c #d}", "a: \"b: c #d\"");
    line("an at sign", "a: @b c\n", "{a=@b c}", "a: \"@b c\"");
    line("a backtick", "a: `b` c\n", "{a=`b` c}", "a: \"`b` c\"");
    line("a star", "a: *b* c\n", "{a=*b* c}", "a: \"*b* c\"");
    line("an ampersand", "a: & b\n", "{a=& b}", "a: \"& b\"");
    line("a bang", "a: !b! c\n", "{a=!b! c}", "a: \"!b! c\"");
    line("a percent sign", "a: %b\n", "{a=%b}", "a: \"%b\"");
    line("rule 5.6: text behind a `|`", "a: | b: c\n", "{a=b: c}", "a: \"b: c\"");
    line("rule 5.6: text behind a `>-`", "a: >- b\n", "{a=b}", "a: \"b\"");
    value("rule 5.6: further lines below such", "a: > b: c\n  d\ne: f\n", "{a=b: c d|e=f}", "a: \"b: c d\"");
    line("a greater sign tight before a word", "a: >b\n", "{a=>b}", "a: \">b\"");
    line("a greater sign before a number", "a: > 2 b\n", "{a=> 2 b}", "a: \"> 2 b\"");
    line("a question mark", "a: ? b\n", "{a=? b}", "a: \"? b\"");
    line("a dash", "a: - b\n", "{a=- b}", "a: \"- b\"");
    value(
        "a list that begins on the line of its key",
        "a: - b\n  - c(d, e) # f\n  # g\n\n  - @h\n- i: j\nk: l\n",
        "{a=[b|c(d, e)|@h|{i=j}]|k=l}",
        "a: [b, \"c(d, e)\", \"@h\", i: j] # f # g",
    );
    value("a list and a text", "a: - b\n  c\n", "{a=- b c}", "a: \"- b c\"");
    line("a comma", "a: , b\n", "{a=, b}", "a: \", b\"");
    line("a closing bracket", "a: ] b\n", "{a=] b}", "a: \"] b\"");
    line("without a last line end", "a: b: c", "{a=b: c}", "a: \"b: c\"");
    line("a no-break space is text", "a: \u{a0}b: c\u{a0}\n", "{a=\u{a0}b: c\u{a0}}", "a: \"\u{a0}b: c\u{a0}\"");
    line("CRLF", "a: b: c\r\nd: e\r\n", "{a=b: c|d=e}", "a: \"b: c\"");
    line("a quoted key", "\"a\": b: c\n", "{a=b: c}", "\"a\": \"b: c\"");
    line("a tag tight against its key", "a:!b c\nd: e: f\n", "{a=!b c|d=e: f}", "a: \"!b c\"");
    line("an anchor tight against its key", "a:&b c\nd: e: f\n", "{a=&b c|d=e: f}", "a: \"&b c\"");
    line("a hash tight against its key", "name:#b\nc: d: e\n", "{name=#b|c=d: e}", "name: \"#b\"");
    line("a carriage return in a stray line", "a b\rc\nd: e\n", "{d=e}", "# a b c");
    line("wide characters", "é x\na: 漢: 字: é\n", "{a=漢: 字: é}", "# é x");
    line("rule 5.5: other keys", "a: b: c\n作者: d\n$e/f: g\n", "{a=b: c|作者=d|$e/f=g}", "a: \"b: c\"");
}

#[test]
fn brackets() {
    line("an unclosed list", "a: [b c\n", "{a=[b c}", "a: \"[b c\"");
    line("a hint with brackets", "a: [<b>[,<b>...]]\n", "{a=[<b>[,<b>...]]}", "a: \"[<b>[,<b>...]]\"");
    line("text after a list", "a: [b] - c\n", "{a=[b] - c}", "a: \"[b] - c\"");
    line("two lists", "a: [b] [c]\n", "{a=[b] [c]}", "a: \"[b] [c]\"");
    line("an item with an at sign", "a: [b, @c, 'd, e']\n", "{a=[b|@c|d, e]}", "a: [b, \"@c\", 'd, e']");
    line("an item with a bang", "a: [!b, \"c\" d]\n", "{a=[!b|c d]}", "a: [\"!b\", \"c d\"]");
    line("a value in a mapping", "a: {b: c, d: @e}\n", "{a={b=c|d=@e}}", "a: {b: c, d: \"@e\"}");
    line("an unclosed mapping", "a: {b: c, d: e\nf: g\n", "{a={b=c|d=e}|f=g}", "a: {b: c, d: e}");
    line("an unclosed mapping of no pairs", "a: {b c\n", "{a={b c}", "a: \"{b c\"");
    for mark in [",", ";", ".", " , "] {
        let list = format!("a: [\"b\", c]{mark}\n");
        line("rule 5.6: a mark after a list", &list, "{a=[b|c]}", "a: [\"b\", c]");
    }
    line("rule 5.6: a mark and an at sign", "a: [b, @c],\n", "{a=[b|@c]}", "a: [b, \"@c\"]");
    line("rule 5.6: a comment tight after a list", "a: [b, c]# d\n", "{a=[b|c]}", "a: [b, c] # d");
    line("rule 5.6: a mark after an item", "a:\n  b: [c, d],\n  e: f\n", "{a={b=[c|d]|e=f}}", "  b: [c, d]");
    let hint = super::repair("a: [b].\n", &|_| Shape::Text).map(|repaired| show(&repaired.root));
    assert_eq!(hint.as_deref(), Some("{a=[b].}"), "a mark is a part of a text");
    line("text after a mapping", "a: {b}: c\n", "{a={b}: c}", "a: \"{b}: c\"");
    line("text after a placeholder", "a: {{b}} c\n", "{a={{b}} c}", "a: \"{{b}} c\"");
}

#[test]
fn quotes() {
    line("unclosed", "a: \"b c\n", "{a=b c}", "a: \"b c\"");
    line("unclosed, single", "a: 'b c\n", "{a=b c}", "a: \"b c\"");
    line("an apostrophe in single ones", "a: 'it's here'\n", "{a=it's here}", "a: \"it's here\"");
    line("an apostrophe at a word's end", "a: 'the users' files'\n", "{a=the users' files}", "a: \"the users' files\"");
    line("an unclosed one with an apostrophe", "a: 'it's here\n", "{a=it's here}", "a: \"it's here\"");
    line("a word in quotes inside quotes", "a: \"b \"c\" d\"\n", "{a=b \"c\" d}", "a: \"b \\\"c\\\" d\"");
    line("the last word in quotes", "a: \"b \"c\"\"\n", "{a=b \"c\"}", "a: \"b \\\"c\\\"\"");
    line("text after quotes", "a: \"b\" c\n", "{a=b c}", "a: \"b c\"");
    line("text after single quotes", "a: 'b' c\n", "{a=b c}", "a: \"b c\"");
    line("text right after quotes", "a: \"b\"c\n", "{a=bc}", "a: \"bc\"");
    line("an apostrophe after quotes", "a: 'b' it's c\n", "{a=b it's c}", "a: \"b it's c\"");
    line("an escape in such quotes", "a: \"b \\\"c\\\"\": d\n", "{a=b \"c\": d}", "a: \"b \\\"c\\\": d\"");
    line("a sentence in quotes", "a: \"B.\" C \"d\".\n", "{a=B. C \"d\".}", "a: \"B. C \\\"d\\\".\"");
    line("questions in quotes", "a: \"b?\" or \"c?\"\n", "{a=\"b?\" or \"c?\"}", "a: \"\\\"b?\\\" or \\\"c?\\\"\"");
    line(
        "words in quotes and text",
        "a: \"b\" and \"c\" d\n",
        "{a=\"b\" and \"c\" d}",
        "a: \"\\\"b\\\" and \\\"c\\\" d\"",
    );
    line("text between quotes", "a: \"b\" or \"c\"\n", "{a=\"b\" or \"c\"}", "a: \"\\\"b\\\" or \\\"c\\\"\"");
    let phrase = "a: \"b c\" d: e, f, g\n";
    line("rule 5.6: a phrase in quotes", phrase, "{a=\"b c\" d: e, f, g}", "a: \"\\\"b c\\\" d: e, f, g\"");
    line(
        "rule 5.6: more in quotes than behind them",
        "a: \"b c d e\" f g h\n",
        "{a=b c d e f g h}",
        "a: \"b c d e f g h\"",
    );
    line("a colon after quotes", "a: \"b\": c\n", "{a=b: c}", "a: \"b: c\"");
    line(
        "backslashes that escape nothing",
        "a: \"\\d+ \\\"b\\\" \\n\"\n",
        "{a=\\d+ \"b\" \\n}",
        "a: \"\\\\d+ \\\"b\\\" \\\\n\"",
    );
    line(
        "escapes beside a stray quote",
        "a: \"b \\\"c\\\" \\\\ \"d\n",
        "{a=\"b \\\"c\\\" \\\\ \"d}",
        "a: \"\\\"b \\\\\\\"c\\\\\\\" \\\\\\\\ \\\"d\"",
    );
    line("a quote alone", "a: \"\n", "{a=}", "a: \"\"");
    line("rule 5.6: a comma after quotes", "\"a\": \"b\",\nc: d\n", "{a=b|c=d}", "\"a\": \"b\"");
    line("rule 5.6: a semicolon after quotes", "a: 'b c';\n", "{a=b c}", "a: \"b c\"");
    line(
        "rule 5.6: quoted words and a comma stay",
        "a: \"b\", \"c\",\n",
        "{a=\"b\", \"c\",}",
        "a: \"\\\"b\\\", \\\"c\\\",\"",
    );
    line("rule 5.6: three quotes", "a: \"\"\"b: c\"\"\"\n", "{a=b: c}", "a: \"b: c\"");
    line("rule 5.6: an apostrophe with a backslash", "a: 'it\\'s b'\n", "{a=it's b}", "a: \"it's b\"");
    line("rule 5.6: words in such", "a: 'b \\'c\\' d'\n", "{a=b 'c' d}", "a: \"b 'c' d\"");
    line("rule 5.6: the same in double ones", "a: \"it\\'s b\"\n", "{a=it's b}", "a: \"it's b\"");
}

#[test]
fn blanks() {
    line("no blank before quotes", "a:\"b\"\nc: d\n", "{a=b|c=d}", "a: \"b\"");
    line("no blank at all, in every line", "a:b c\nd:e\n", "{a=b c|d=e}", "a: b c");
    line("a colon inside a key, as YAML has it", "a:b: c\nd:e: f: g\n", "{a:b=c|d=e: f: g}", "d: \"e: f: g\"");
    line("a tab after the colon, which YAML takes", "a:\tb\nc:\td: e\n", "{a=b|c=d: e}", "c: \"d: e\"");
    line("a tab for indentation", "a:\n\tb: c\nd: e\n", "{a={b=c}|d=e}", "  b: c");
    line("rule 5.6: a tab in a further line, under blanks that are well", "a:  b\n\tc\n", "{a=b c}", "  c");
    let wide = "a: >-\n\u{a0}\u{a0}b\n\u{a0}\u{a0}c\nd:\n\u{3000}- e\n\u{3000}- f\n";
    line("rule 5.6: indentation that is none", wide, "{a=b c|d=[e|f]}", "  b");
    line("rule 5.6: the same and a colon", "a:\n\u{a0} b: c: d\n\u{a0} e: f\n", "{a={b=c: d|e=f}}", "  b: \"c: d\"");
    line("rule 5.6: in one line of a list", "a:\n  - b\n\u{a0}\u{a0}- c\n", "{a=[b|c]}", "  - c");
    line("rule 5.6: in one line of a map", "a:\n  b: [c, d]\n\u{a0}\u{a0}e: f\n", "{a={b=[c|d]|e=f}}", "  e: f");
    let maps = |blank: &str| format!("a:\n{blank}- b: c\n{blank}{blank}d: e\n");
    line("rule 5.6: in a list of maps", &maps("\u{a0}\u{a0}"), "{a=[{b=c|d=e}]}", "  - b: c");
    line("rule 5.6: wide blanks in one", &maps("\u{3000}"), "{a=[{b=c|d=e}]}", "  - b: c");
    line("rule 5.6: a field behind such", "name: a\n\u{a0}version: b\n", "{name=a|version=b}", "version: b");
    line("a tab after a dash", "a:\n  -\t- b\n", "{a=[[b]]}", "  - - b");
}

#[test]
fn values_over_lines() {
    value("folded", "a: b: c\n  d\n  e\nf: g\n", "{a=b: c d e|f=g}", "a: \"b: c d e\"");
    value("a blank line is a line break", "a: b: c\n\n  d\n\nf: g\n", "{a=b: c\nd|f=g}", "a: \"b: c\\nd\"");
    value("at column 0", "a: b\nc d\ne: f\n", "{a=b c d|e=f}", "a: \"b c d\"");
    value("rule 5.6: a comment stays", "a: b\n# c\n[d\n# e\nf: g\n", "{a=b [d|f=g}", "a: \"b [d\" # c");
    value("quotes at column 0", "a: \"b\nc\"\ne: f\n", "{a=b c|e=f}", "a: \"b c\"");
    value("a list at column 0", "a: [b,\nc]\ne: f\n", "{a=[b|c]|e=f}", "a: [b, c]");
    value("rule 5.6: a key in quotes", "a: \"b\nc: d\ne f\"\ng: h\n", "{a=b c: d e f|g=h}", "a: \"b c: d e f\"");
    value("rule 5.6: a field in quotes", "a: \"b\nname: c\"\n", "{a=b|name=c\"}", "a: \"b\"");
    value("rule 5.6: another value in quotes", "a: \"b\nc: \"d\"\n", "{a=b|c=d}", "a: \"b\"");
    value("an unclosed quote", "a: \"b\n  c\nd: e\n", "{a=b c|d=e}", "a: \"b c\"");
    value("text behind quotes and a comment", "a: \"b\" # c\n  d\n", "{a=b d}", "a: \"b d\" # c");
    value("rule 5.6: comments behind lines", "a: b, # c\n  d # e\nf: g\n", "{a=b, d|f=g}", "a: \"b, d\" # c # e");
    value("rule 5.6: one in a list", "a: [b, # c\nd]\ne: f\n", "{a=[b|d]|e=f}", "a: [b, d] # c");
    value("a `#` in quotes", "a: \"b # c\n  d: e\n", "{a=b # c d: e}", "a: \"b # c d: e\"");
    value("a `#` before a word", "a: b #c\nd\ne: f\n", "{a=b #c d|e=f}", "a: \"b #c d\"");
    value("CRLF", "a: b: c\r\n  d\r\ne: f\r\n", "{a=b: c d|e=f}", "a: \"b: c d\"");
}

#[test]
fn block_scalars() {
    line("one line at column 0", "a: |\nb c\nd: e\n", "{a=b c\n|d=e}", "  b c");
    value("several at column 0", "a: |\nb c\n\nd e\nf: g\n", "{a=b c\n\nd e\n|f=g}", "a: \"b c\\n\\nd e\\n\"");
    value("folded at column 0", "a: >-\nb c\nd e\nf: g\n", "{a=b c d e|f=g}", "a: \"b c d e\"");
    line("one line less indented", "a: |\n    b\n    c\n  d\ne: f\n", "{a=b\nc\nd\n|e=f}", "    d");
    line("a tab before the text", "a: |\n\tb\n", "{a=b\n}", "  b");
}

#[test]
fn nested_lines() {
    line("an item of a list", "a:\n  b: c\n  d: [e, @f]\ng: h\n", "{a={b=c|d=[e|@f]}|g=h}", "  d: [e, \"@f\"]");
    line("a value with a colon", "a:\n  b: c: d\n", "{a={b=c: d}}", "  b: \"c: d\"");
    line("an item with a colon", "a:\n  - b\n  - `c`\n", "{a=[b|`c`]}", "  - \"`c`\"");
    line("an item at column 0", "a:\n- b\n- @c\nd: e\n", "{a=[b|@c]|d=e}", "- \"@c\"");
    line("rule 5.6: items with a `*`", "a:\n  * b\n  * c\n", "{a=[b|c]}", "  - b");
    let items = "a:\n  * b: c\n    d: e\n    f:\n      - g\n  * h\n";
    line("rule 5.6: items with a `*` that are maps", items, "{a=[{b=c|d=e|f=[g]}|h]}", "  - b: c");
    let nested = "a:\n  b:\n    * c\n    * d: e\n  f: g\n";
    line("rule 5.6: a list with a `*` in a map", nested, "{a={b=[c|{d=e}]|f=g}}", "    - c");
    line("rule 5.6: an item with other indentation", "a:\n  - b\n - c\nd: e\n", "{a=[b|c]|d=e}", "  - c");
    line("rule 5.6: an item without indentation", "a:\n  - b\n- c\nd: e\n", "{a=[b|c]|d=e}", "  - c");
    line("rule 5.6: one item with a `*`", "a: * b\n", "{a=[b]}", "a: [b]");
    line("an unclosed quote", "a:\n  b: \"c\n  d: e\nf: g\n", "{a={b=c|d=e}|f=g}", "  b: \"c\"");
    line("a line that is no key", "a:\n  b: c\n  d\n  e: f\ng: h\n", "{a={b=c|e=f}|g=h}", "#   d");
    line("the first of them", "a:\n  b c\n  d: e\nf: g\n", "{a=b c\nd: e|f=g}", "a: |-");
    line("the last of them", "a:\n  b: c\n  d\ne: f\n", "{a={b=c}|e=f}", "#   d");
    line("at column 0", "a:\n  b: c\nd\n  e: f\ng: h\n", "{a={b=c|e=f}|g=h}", "# d");
    line("a key further in", "a:\n  b: c\n    d: e\nf: g\n", "{a={b=c|d=e}|f=g}", "  d: e");
    line("a key further out", "a:\n  b: c\n d: e\nf: g\n", "{a={b=c|d=e}|f=g}", "  d: e");
    line("a map in the map", "a:\n  b:\n    c: d\n    e\n  f: @g\n", "{a={b={c=d}|f=@g}}", "#     e");
    line("a list in the map", "a:\n  b:\n  - c\n  d\n  e: [f]\n", "{a={b=[c]|e=[f]}}", "#   d");
    line("tight keys in the map", "a:\n  b:\"c\"\n  d: e\n", "{a={b=c|d=e}}", "  b: \"c\"");
    line("a comment in the map", "a:\n  b: c\n  # d: @e\n  f\n", "{a={b=c}}", "#   f");
    line("CRLF", "a:\r\n  b: c\r\n  d\r\n  e: f\r\n", "{a={b=c|e=f}}", "#   d");
    line(
        "prose below its key",
        "a:\n  When this: do that: now\n",
        "{a=When this: do that: now}",
        "  \"When this: do that: now\"",
    );
    line(
        "prose at column 0 below its key",
        "a:\nIf this: do: that\nb: c\n",
        "{a=If this: do: that|b=c}",
        "  \"If this: do: that\"",
    );
    line("rule 5.6: quotes in quotes below their key", "a:\n  \"b \"c\" d\"\n", "{a=b \"c\" d}", "  \"b \\\"c\\\" d\"");
    line("rule 5.6: an unclosed quote below its key", "a:\n  'b c\nd: e\n", "{a=b c|d=e}", "  \"b c\"");
    let several = "a:\n  b: c\n  d\n  e: @f\n  g: h: i\n  j\n";
    line("several faults of several kinds", several, "{a={b=c|e=@f|g=h: i}}", "#   d");
    line("the first of two keys", "a:\n  b: c\n  b: d\n  e\n", "{a={b=c}}", "#   e");
    let flags = "a:\n  b\n  c: d\n";
    let shaped = |shape| super::repair(flags, &|_| shape).map(|repaired| show(&repaired.root));
    assert_eq!(shaped(Shape::Map).as_deref(), Some("{a={c=d}}"), "a key whose value is a map");
    assert_eq!(shaped(Shape::Text).as_deref(), Some("{a=b\nc: d}"), "a key whose value is a text");
    let map = |text: &str| {
        let read = super::repair(text, &|key| if key == "a" { Shape::Map } else { Shape::Unknown })
            .unwrap_or_else(|| panic!("{text}"));
        (show(&read.root), read.mends.first().map_or(String::new(), |mend| mend.with.clone()))
    };
    let told = |read: &str, with: &str| (read.to_owned(), with.to_owned());
    assert_eq!(map("a: b: c\n"), told("{a={b=c}}", "a: {b: c}"), "a map on the line of its key");
    assert_eq!(map("a:   b: c, d\n     e: [f]\ng:\n"), told("{a={b=c, d|e=[f]}|g=}", "a: {b: \"c, d\", e: [f]}"));
    assert_eq!(map("a: b: c\n  d\n"), told("{a=b: c d}", "a: \"b: c d\""), "not each line has a key");
    let prose = super::repair("a:\n  b: c: d\n  e: f\n", &|_| Shape::Text).map(|repaired| show(&repaired.root));
    assert_eq!(prose.as_deref(), Some("{a=b: c: d\ne: f}"), "lines of a text are no keys");
    line("rule 5.6: a paragraph that begins with an at sign", "a:\n  @b c\n  d\n", "{a=@b c\nd}", "a: |-");
    line("a key with a blank is one to YAML", "a: b\nc d: e\nf: @g\n", "{a=b|c d=e|f=@g}", "f: \"@g\"");
    line("prose of two lines", "a:\n  when x\n  do: that: now\n", "{a=when x\ndo: that: now}", "a: |-");
    let wrapped = "a:\n  b c\n  d e:\n  \"f\".\ng: h\n";
    value(
        "rule 5.9: a colon at the end of a further line",
        wrapped,
        "{a=b c d e: \"f\".|g=h}",
        "  \"b c d e: \\\"f\\\".\"",
    );
    value("rule 5.9: behind a blank line", "a:\n  b\n\n  c d:\n", "{a=b\nc d:}", "  \"b\\nc d:\"");
    let items = "a:\n  - b\n    c d:\n    e\n  - f\n";
    mends_of("rule 5.9: a further line of an item", items, "{a=[b c d: e|f]}", &["  - \"b c d: e\""]);
    let inside = "a:\n  b:\n    c\n    d e:\n    f\n  g: h # i\n";
    mends_of("rule 5.9: one in a map", inside, "{a={b=c d e: f|g=h}}", &["    \"c d e: f\""]);
    value("misindented items", "a:\n  - b\n c: d\ne: f\n", "{a=- b\nc: d|e=f}", "a: \"- b\\nc: d\"");
}

/// The same for mends of several lines.
#[track_caller]
fn mends_of(case: &str, text: &str, values: &str, lines: &[&str]) {
    let repaired = repair(text).unwrap_or_else(|| panic!("{case}: nothing recovered"));
    assert_eq!(show(&repaired.root), values, "{case}");
    assert_eq!(repaired.mends.iter().map(|mend| mend.with.as_str()).collect::<Vec<_>>(), lines, "{case}");
    let mut mended = text.to_owned();
    for mend in repaired.mends.iter().rev() {
        let end = text[mend.end..].find('\n').map_or(text.len(), |found| mend.end + found);
        mended.replace_range(mend.line_start..end, &mend.with);
    }
    let read = yaml::parse(&mended).unwrap_or_else(|error| panic!("{case}: {error:?} in\n{mended}"));
    assert_eq!(read.root.as_ref().map(show).as_deref(), Some(values), "{case}: read again");
}

/// The same for a text that YAML reads otherwise.
#[track_caller]
fn reread(case: &str, text: &str, values: &str, lines: &[(usize, &str)]) {
    let document = yaml::parse(text).unwrap_or_else(|error| panic!("{case}: {error:?}"));
    let Some(meant) = again(text, &document) else { panic!("{case}: nothing recovered") };
    assert_eq!(show(&meant.root), values, "{case}");
    let number = |at: usize| text[..at].matches('\n').count() + 1;
    let told: Vec<_> = meant.mends.iter().map(|mend| (number(mend.line_start), mend.with.as_str())).collect();
    assert_eq!(told, lines, "{case}");
    let mut mended = text.to_owned();
    for mend in meant.mends.iter().rev() {
        let end = text[mend.end..].find('\n').map_or(text.len(), |found| mend.end + found);
        mended.replace_range(mend.line_start..end, &mend.with);
    }
    let read = yaml::parse(&mended).unwrap_or_else(|error| panic!("{case}: {error:?} in\n{mended}"));
    assert_eq!(read.root.as_ref().map(show).as_deref(), Some(values), "{case}: read again");
    assert_eq!(again(&mended, &read), None, "{case}: once is enough");
    inside(&meant.root, text);
}

#[track_caller]
fn stays(case: &str, text: &str) {
    let document = yaml::parse(text).unwrap_or_else(|error| panic!("{case}: {error:?}"));
    assert_eq!(again(text, &document), None, "{case}");
}

#[test]
fn keys_tight_against_their_values() {
    reread("a colon in the value", "a: b\nc:\"d: e\"\nf: g\n", "{a=b|c=d: e|f=g}", &[(2, "c: \"d: e\"")]);
    stays("what would be an anchor behind a blank", "name:&: b\n");
    stays("what would be a comment behind a blank", "name:#: b\n");
    reread("single quotes", "c:'d: e'\n", "{c=d: e}", &[(1, "c: 'd: e'")]);
    reread("two of them", "a:\"b: c\"\nd:'e: f'\n", "{a=b: c|d=e: f}", &[(1, "a: \"b: c\""), (2, "d: 'e: f'")]);
    reread(
        "a field and no quotes",
        "x: y\ndescription:b: c\n",
        "{x=y|description=b: c}",
        &[(2, "description: \"b: c\"")],
    );
    let below = "name: a\n  description:b c\n";
    reread("a field below a name", below, "{name=a|description=b c}", &[(2, "description: b c")]);
    stays("a field below a text", "description: a\n  name:b\n");
    let flag = "description: a\n  user-invocable:false\n";
    reread("a flag below a text", flag, "{description=a|user-invocable=false}", &[(2, "user-invocable: false")]);
    reread("below a key", "a:\n  b:\"c: d\"\n  e: f\n", "{a={b=c: d|e=f}}", &[(2, "  b: \"c: d\"")]);
    reread("the only one below a key", "a:\n  b:\"c\"\nd: e\n", "{a={b=c}|d=e}", &[(2, "  b: \"c\"")]);
    reread("all below a key", "a:\n  b:\"c\"\n  d:'e'\n", "{a={b=c|d=e}}", &[(2, "  b: \"c\""), (3, "  d: 'e'")]);
    let wide = "a:\n\u{a0}\u{a0}b: c\n\u{a0}\u{a0}d: e\nf: g\n";
    reread("indentation that is none", wide, "{a={b=c|d=e}|f=g}", &[(2, "  b: c"), (3, "  d: e")]);
    reread("in braces", "a: {b:\"c\", d:'e', f: g}\n", "{a={b=c|d=e|f=g}}", &[(1, "a: {b: \"c\", d: 'e', f: g}")]);
    reread("in an item", "a:\n  - b:\"c: d\"\n", "{a=[{b=c: d}]}", &[(2, "  - b: \"c: d\"")]);
    stays("a key with a colon in it", "a:b: c\n");
    stays("a text with such words", "a:\n  see b:\"c\" there\n");
    stays("a text that ends in quotes", "a: b:\"c\"\n");
    stays("an address", "http://a: b\n");
    stays("a line of prose below a key", "a:\n  b:\"c\"\n  and more\n");
    stays("a key in quotes", "\"a:'b\": c\n");
}

#[test]
fn words_that_yaml_takes_for_tags_and_anchors() {
    reread("a bang", "a: !b c\n", "{a=!b c}", &[(1, "a: \"!b c\"")]);
    reread("an ampersand", "a: &b c\nd: e\n", "{a=&b c|d=e}", &[(1, "a: \"&b c\"")]);
    reread("alone", "a: !b\nc: &d\n", "{a=!b|c=&d}", &[(1, "a: \"!b\""), (2, "c: \"&d\"")]);
    reread("both", "a: !b &c d\n", "{a=!b &c d}", &[(1, "a: \"!b &c d\"")]);
    reread("before quotes", "a: !b \"c\"\n", "{a=!b \"c\"}", &[(1, "a: \"!b \\\"c\\\"\"")]);
    reread("over lines", "a: !b c\n  d\ne: f\n", "{a=!b c d|e=f}", &[(1, "a: \"!b c d\"")]);
    reread("below the key", "a:\n  !b c\n", "{a=!b c}", &[(2, "  \"!b c\"")]);
    reread("an item", "a:\n  - !b/**\n  - c\n", "{a=[!b/**|c]}", &[(2, "  - \"!b/**\"")]);
    reread("in brackets", "a: [!b c, &d e, f]\n", "{a=[!b c|&d e|f]}", &[(1, "a: [\"!b c\", \"&d e\", f]")]);
    reread("two marks", "a: !!b c\n", "{a=!!b c}", &[(1, "a: \"!!b c\"")]);
    reread("a comment stays one", "a: !b c # d\n", "{a=!b c}", &[(1, "a: \"!b c\" # d")]);
    reread("beside a tight key", "a:\"b: c\"\nd: &e f\n", "{a=b: c|d=&e f}", &[(1, "a: \"b: c\""), (2, "d: \"&e f\"")]);
    line("in an entry, beside another fault", "a: !b c\nd: e: f\n", "{a=!b c|d=e: f}", "a: \"!b c\"");
    stays("a tag of YAML's own", "a: !!str 1\n");
    stays("an anchor that an alias refers to", "a: &b c\nd: *b\n");
    stays("before a collection", "a: !b [c]\nd: &e\n  f: g\n");
    stays("a block scalar", "a: !b |\n  c\n");
    stays("inside of a value", "a: b !c &d\n");
}

#[track_caller]
fn mends(case: &str, text: &str, expect: &[(usize, usize, &str)]) {
    let repaired = repair(text).expect(case);
    let found: Vec<_> = repaired.mends.iter().map(|mend| (mend.at, mend.line_start, mend.why)).collect();
    assert_eq!(found, expect, "{case}");
}

#[test]
fn one_mend_a_line() {
    mends("at the value", "a: b\nc: d: e: f\n", &[(8, 5, "unquoted `: ` in a value; read as plain text")]);
    mends(
        "each entry",
        "a: @b\nc: d\ne: 'f\n",
        &[
            (3, 0, "unquoted value starts with `@`; read as plain text"),
            (14, 11, "unbalanced quote; read as plain text"),
        ],
    );
    let at = "unquoted value starts with `@`; read as plain text";
    mends("two faults in one", "a:\n  b: @c\n  d: @e\n", &[(8, 3, at), (16, 11, at)]);
    let open = "unclosed `[`; read as plain text";
    mends("a fault that shows at the end alone", "a:\n  b: @c\n  d: [e\nf: g\n", &[(8, 3, at), (16, 11, open)]);
    let tab = "tab in the indentation; read as spaces";
    mends("rule 5.6: tabs in two lines", "a:\n\tb: c\n\td: e\n", &[(3, 3, tab), (9, 9, tab)]);
    mends(
        "a further line",
        "a: b\nc d\ne: f",
        &[(3, 0, "continuation line is not indented; read as part of the value")],
    );
    mends(
        "no key",
        "x y\na: b\n...\nz\n",
        &[
            (0, 0, "line belongs to no key; ignored"),
            (9, 9, "line belongs to no key; ignored"),
            (13, 13, "line belongs to no key; ignored"),
        ],
    );
    mends("a tab", "a:\n\tb: c\n", &[(3, 3, "tab in the indentation; read as spaces")]);
    let beside = "key is not indented as the one beside it; read as one of the same mapping";
    mends("rule 5.6: a key further in", "a:\n  b: [c]\n   d: e\n", &[(15, 12, beside)]);
    mends("a blank", "a:\"b\"\n", &[(2, 0, "no space after the colon; read as if there were one")]);
}

#[test]
fn fields_that_are_no_keys_to_yaml() {
    let name = "name: tea\n";
    let d = "  description: D\n";
    line(
        "rule 5.6: a field indented below a value",
        &format!("{name}{d}"),
        "{name=tea|description=D}",
        "description: D",
    );
    line(
        "rule 5.6: below a value in quotes",
        &format!("name: 'tea'\n{d}"),
        "{name=tea|description=D}",
        "description: D",
    );
    line(
        "rule 5.6: with a colon in it",
        &format!("{name}  description: D: e\nx: y\n"),
        "{name=tea|description=D: e|x=y}",
        "description: \"D: e\"",
    );
    line("rule 5.6: a first key that is indented", &format!("  {name}x: y\n"), "{name=tea|x=y}", "name: tea");
    line("rule 5.6: all behind tabs", &format!("\t{name}\tdescription: D\n"), "{name=tea|description=D}", "name: tea");
    line("rule 5.6: a key as far in as the one before", "  a: b: c\n  d: e\n", "{a=b: c|d=e}", "a: \"b: c\"");
    line("rule 5.6: a field and no blank", "x: y\nname:'b: c'\n", "{x=y|name=b: c}", "name: 'b: c'");
    line("rule 5.6: the same beside an item", "name:b\nx:\n- y: @z\n", "{name=b|x=[{y=@z}]}", "name: b");
    line("rule 5.6: a no-break space behind a colon", "a:\u{a0}>-\n  b\n", "{a=b}", "a: >-");
    value(
        "rule 5.6: another word is no field",
        "description: D\n  Use when: e\n",
        "{description=D Use when: e}",
        "description: \"D Use when: e\"",
    );
    line(
        "rule 5.6: a field in a map is the map's",
        "metadata:\n  version: @1\n",
        "{metadata={version=@1}}",
        "  version: \"@1\"",
    );
    line(
        "rule 5.6: a field with full-width colon; read as `:`",
        "name: tea\ndescription\u{ff1a}泡茶\nx: y\n",
        "{name=tea|description=泡茶|x=y}",
        "description: 泡茶",
    );
    value("rule 5.6: no other word with one", "a: b\napi\u{ff1a}c\n", "{a=b api\u{ff1a}c}", "a: \"b api\u{ff1a}c\"");
}

#[test]
fn restrictions_are_no_part_of_a_value() {
    let flag = "disable-model-invocation";
    let read = format!("{{a=b|{flag}=true}}");
    for blanks in [" ", "  ", "\t", "\u{a0}", "\u{3000}"] {
        let with = format!("{flag}: true");
        line("rule 5.6: a flag below a value", &format!("a: b\n{blanks}{flag}: true\n"), &read, &with);
    }
    let list = format!("{{a=[b]|{flag}=true}}");
    line("rule 5.6: below a list", &format!("a:\n  - b\n {flag}: true\n"), &list, &format!("{flag}: true"));
    let block = format!("{{a=b\n|{flag}=true}}");
    line("rule 5.6: below a block", &format!("a: |\n    b\n  {flag}: true\n"), &block, &format!("{flag}: true"));
    let inside = format!("a: |\n  b\n  {flag}: true\nc: d: e\n");
    line("a line of a block is text", &inside, &format!("{{a=b\n{flag}: true\n|c=d: e}}"), "c: \"d: e\"");
    line("rule 5.6: a full-width colon", &format!("a: b\n{flag}\u{ff1a}true\n"), &read, &format!("{flag}: true"));
    line("rule 5.6: no blank", &format!("a: b\n{flag}:true\n"), &read, &format!("{flag}: true"));
    for slip in [":true", "\u{ff1a}true", ":\u{a0}true"] {
        let with = format!("{flag}: true");
        line("rule 5.6: two slips", &format!("a: \"b\"\n  {flag}{slip}\n"), &read, &with);
        line("rule 5.6: two slips that YAML takes", &format!("a: b\n\u{a0}\u{a0}{flag}{slip}\n"), &read, &with);
    }
    line("rule 5.6: an item", &format!("a: b\n- {flag}: true\n"), &read, &format!("{flag}: true"));
    let item = format!("description: b\n- {flag}: true\n");
    line("rule 5.6: an item of a description", &item, &read.replace("a=", "description="), &format!("{flag}: true"));
    line("rule 5.6: an item behind a list", &format!("a:\n  - b\n- {flag}: true\n"), &list, &format!("{flag}: true"));
    let words = format!("a: b\n{flag}: true # c\nd e\nf: g\n");
    line("rule 5.6: a flag has one line", &words, &format!("{{a=b|{flag}=true|f=g}}"), "# d e");
    let below = "a:\n  b: [c, d]\n    e: f\n  g: h i\n    j_k: l\n";
    line("rule 5.6: in a map", below, "{a={b=[c|d]|e=f|g=h i|j_k=l}}", "  e: f");
}

#[test]
fn fields_of_the_dialect_are_no_part_of_a_value() {
    let shown = |text: &str| super::repair(text, &|key| if key == "model" { Shape::Other } else { Shape::Unknown });
    let read = |text: &str| shown(text).map(|repaired| show(&repaired.root)).unwrap_or_default();
    for value in ["opus", "a, b", "[a, b c]", "\"a b\"", "opus # the best"] {
        assert!(read(&format!("x: y\n  model: {value}\n")).contains("|model="), "{value}");
    }
    assert_eq!(read("x: y\n  model: one of several\n"), "{x=y model: one of several}", "a word of a sentence");
    assert_eq!(read("x: y\n  agent: opus\n"), "{x=y agent: opus}", "no field of the dialect");
    assert_eq!(read("x: y\nmodel\u{ff1a}opus\n"), "{x=y|model=opus}");
    for indent in ["  ", "\t"] {
        let list = format!("x: y, z\n{indent}c:\n\n  - d\n");
        assert_eq!(read(&list), "{x=y, z|c=[d]}", "rule 5.6: a key with a list below it");
        let announced = list.replace("x: y", "description: y");
        assert_eq!(read(&announced), "{description=y, z c:\n- d}", "a list that a sentence announces");
    }
}

#[test]
fn what_is_no_part_of_a_value() {
    line(
        "rule 5.6: the marks of a merge",
        "<<<<<<< HEAD\na: b\n=======\nc: d\n>>>>>>> e\n",
        "{a=b|c=d}",
        "# <<<<<<< HEAD",
    );
    line("rule 5.6: a comment of HTML", "a:\n  - b\n<!-- c -->\nd: e\n", "{a=[b]|d=e}", "# <!-- c -->");
    line("rule 5.6: on several lines", "a: >-\n  b\n<!--\nc\n-->\nd: e\n", "{a=b|d=e}", "# <!--");
    line("one within a block", "a: |\n  b\n<!-- c -->\n  d\n", "{a=b\n<!-- c -->\nd\n}", "  <!-- c -->");
    value("one within quotes", "a: \"b\n<!-- c -->\nd\"\n", "{a=b <!-- c --> d}", "a: \"b <!-- c --> d\"");
    let tag = "a: b <c>\n<!-- d -->\ne</c>\nf: g\n";
    value("one within a tag", tag, "{a=b <c> <!-- d --> e</c>|f=g}", "a: \"b <c> <!-- d --> e</c>\"");
    let field = "a:\n  - b\n<!--\nlicense: c\n-->\n";
    assert_eq!(repair(field).map(|repaired| pairs(&repaired.root).len()), Some(2), "a field within one is a field");
    let fields = "{name=a|description=b}";
    line("rule 5.6: text behind a name", "name: a\nx y\ndescription: b\n", fields, "# x y");
    line("rule 5.6: a field that is an item", "name: a\n- description: b\n", fields, "description: b");
    let items = "- name: a\n- description: b\n- license: c\n- allowed-tools: d\n";
    let read = "{name=a|description=b|license=c|allowed-tools=d}";
    line("rule 5.6: all fields are items", items, read, "name: a");
    line("rule 5.6: all fields in an item", "- name: a\n  description: b\n", fields, "name: a");
    line("rule 5.6: a code block inside", "```yaml\nname: a\ndescription: b\n```\n", fields, "# ```yaml");
    value(
        "rule 5.6: an item of a description",
        "description: a: b\n- license: c\n",
        "{description=a: b - license: c}",
        "description: \"a: b - license: c\"",
    );
    value(
        "rule 5.6: keys inside of a tag are an example's",
        "a: b. Examples:\n\n<example>\nuser: hi\n</example>\nc: d\n",
        "{a=b. Examples:\n<example> user: hi </example>|c=d}",
        "a: \"b. Examples:\\n<example> user: hi </example>\"",
    );
    value(
        "rule 5.6: a tag that opens behind text",
        "a: b <c>\nd: e\nf: g</c>\nh: i: j\n",
        "{a=b <c> d: e f: g</c>|h=i: j}",
        "a: \"b <c> d: e f: g</c>\"",
    );
    value(
        "rule 5.6: a tag that is never closed holds nothing",
        "a: b\n<c>\nd: e: f\n",
        "{a=b <c>|d=e: f}",
        "a: \"b <c>\"",
    );
}

/// What is read of a text whose closing fence is missing, and where the fence and the body are.
#[track_caller]
fn missed(case: &str, text: &str, expect: Option<(&str, &str)>) {
    let found = repair(text).and_then(|repaired| repaired.missed);
    let told = found.map(|missed| (&text[missed.fence..missed.body], &text[missed.body..]));
    assert_eq!(told, expect, "{case}");
}

#[test]
fn a_body_behind_no_fence() {
    let fields = "name: a\ndescription: b\n";
    missed(
        "rule 4.9: a heading and prose",
        &format!("{fields}\n# T\n\nSome text.\n"),
        Some(("\n", "# T\n\nSome text.\n")),
    );
    missed("rule 4.9: dots", &format!("{fields}...\nSome text.\n"), Some(("...\n", "Some text.\n")));
    missed("rule 4.9: comments and no prose", &format!("{fields}\n# T\nx: y: z\n"), None);
    let title = "# T\n\nSome text.\n";
    missed("rule 4.9: no blank line before a title", &format!("{fields}{title}"), Some(("", title)));
    let code = "# T\n```sh\nx\n```\n\nSome text.\n";
    missed("rule 4.9: nor behind it", &format!("{fields}{code}"), Some(("", code)));
    missed("rule 4.9: a comment before a title", &format!("{fields}# c\n\n{title}"), Some(("\n", title)));
    missed("rule 4.9: a field that is a comment", &format!("{fields}# c: d\n\nSome text.\n"), None);
    missed("rule 4.9: a comment within a value", &format!("{fields}# c\nSome text.\n"), None);
    for fence in [" ---\n", "\t---\n", "- - -\n", "--- ---\n", "---.\n"] {
        let body = "\n# T\n\nSome text.\n";
        missed("rule 4.9: three dashes otherwise", &format!("{fields}{fence}{body}"), Some((fence, body)));
    }
    let block = "name: a\ndescription: |\n  b\n ---\nSome text.\n";
    missed("rule 4.9: outside of a block", block, Some((" ---\n", "Some text.\n")));
    let inside = "name: a\ndescription: |\n  b\n  ---\nSome text.\n";
    missed("a rule in a block", inside, None);
    let dashes = format!("{fields}-----\nSome text.\n");
    missed("rule 4.9: more dashes", &dashes, Some(("-----\n", "Some text.\n")));
    let prose = "Some text.\n\n```\nname: c\n```\n";
    missed("rule 4.9: prose and code with a field", &format!("{fields}\n{prose}"), Some(("\n", prose)));
    missed("rule 4.9: prose alone may be a value's", &format!("{fields}\nSome text.\n\nMore.\n"), None);
    let paragraph = "Some text.\n\n";
    missed("rule 4.9: a paragraph between blank lines", &format!("{fields}\n{paragraph}"), Some(("\n", paragraph)));
    missed("rule 4.9: none behind an open value", &format!("name: a\ndescription: \"b\n\n{paragraph}"), None);
    missed("rule 4.9: none with a key", &format!("{fields}\n{paragraph}c: d\n\n"), None);
    missed("rule 4.9: a field behind it", &format!("{fields}\n# T\n\nSome text.\nlicense: c\n"), None);
    missed("rule 4.9: no field before it", "x: y\n\n# T\n\nSome text.\n", None);
    for fence in ["-----\n", "***\n", "\u{2014}\n", "...\n", " ---\n", "- - -\n"] {
        let body = "\n# T\n\n";
        let text = format!("{fields}{fence}{body}");
        let found = yaml::parse(&text).map_or_else(|_| repair(&text), |document| again(&text, &document));
        let found = found.and_then(|repaired| repaired.missed).map(|missed| &text[missed.fence..]);
        assert_eq!(found, Some(&text[fields.len()..]), "rule 4.9: a mark and a title");
        missed("rule 4.9: a mark between fields", &format!("{fields}{fence}\n# T\n\nc: d\nx: y: z\n"), None);
    }
    stays("rule 5.7: a comment behind dots", &format!("{fields}...\n# c\n"));
    stays("rule 5.7: a comment behind a block", "name: a\ndescription: |\n  b\n  ---\n\n# c\n");
    stays("rule 5.7: a comment behind a block further in", "name: a\nb:\n  c: |\n    d\n    ---\n\n# e\n");
    missed("a rule in a block further in", "name: a\nx: y: z\nb:\n  c: |\n    d\n    ---\n\n# e\n", None);
    let read = repair(&format!("{fields}\n# T\n\nSome text.\n")).expect("fields");
    assert_eq!(show(&read.root), "{name=a|description=b}", "the body is no part of a value");
}

#[track_caller]
fn spans(case: &str, text: &str, expect: &[&str]) {
    let repaired = repair(text).expect(case);
    let found: Vec<_> = pairs(&repaired.root).iter().map(|(_, node)| &text[node.span.start..node.span.end]).collect();
    assert_eq!(found, expect, "{case}");
}

#[test]
fn spans_are_of_the_text() {
    spans("what is well and what is not", "é 1\na: 'b'\nc: d: é\ne: [f] # g\n", &["'b'", "d: é", "[f]"]);
    spans("quotes", "a: \"b \"c\" d\"\ne: f\n", &["\"b \"c\" d\"", "f"]);
    spans("a list", "a: [b, @c]\ne: f\n", &["[b, @c]", "f"]);
    spans("no blank", "a:\"é\"\ne: f\n", &["\"é\"", "f"]);
    spans("no-break spaces", "a:\n\u{a0}\u{a0}b: é\n  c: d\ne: f: g\n", &["b: é\n  c: d", "f: g"]);
    spans("tabs", "a:\n\tb: é\n\tc: d\ne: f\n", &["b: é\n\tc: d", "f"]);
    spans("lines below", "a:\n  b: @c\n  d: e\nf: g\n", &["b: @c\n  d: e", "g"]);
    spans("further lines", "a: b: c\n  d \n\ne: f\n", &["b: c\n  d", "f"]);
}

#[test]
fn notices_of_entries() {
    let repaired = repair("a: b #c\nd: e: f\na: g\nh: &i [j]\n").expect("a mapping");
    let kinds: Vec<_> = repaired.notices.iter().map(|notice| (notice.span.start, &notice.what)).collect();
    assert!(matches!(kinds[0], (3, NoticeKind::Comment { .. })), "{kinds:?}");
    assert_eq!(
        kinds[1],
        (16, &NoticeKind::DuplicateKey { key: "a".to_owned(), equal_until: None, last_counts: false }),
        "the first wins (rule 5.4)"
    );
    assert_eq!(show(&repaired.root), "{a=b|d=e: f|h=[j]}");
}

#[track_caller]
fn nothing(case: &str, text: &str) {
    assert_eq!(repair(text), None, "{case}");
}

#[test]
fn beyond_repair() {
    nothing("no text", "");
    nothing("prose", "This is some text.\nAnd more.\n");
    nothing("a list", "- a\n- b\n");
    nothing("an address", "https://x.y/z\n");
    nothing("comments", "# a: b: c\n");
    nothing("not every line is tight", "a:b\nc d\n");
}

#[test]
fn hostile_texts_are_quick() {
    let cases = [
        ("many wrong entries", "a: b: c\n".repeat(20_000)),
        ("one wrong entry of many lines", format!("a: b: c\n{}", "  d: @e\n".repeat(20_000))),
        ("many wrong lines below a key", format!("a:\n{}", "  d: @e\n".repeat(20_000))),
        ("many wrong items", format!("a: [{}]", "@b, ".repeat(20_000))),
        ("many quotes", format!("a: {}", "\"b ".repeat(60_000))),
        ("many tabs", format!("a:\n{}", "\t- \t\tb\n".repeat(20_000))),
        ("tabs alone", format!("a:\n{}", "\t".repeat(200_000))),
        ("dashes", format!("a:\n  {}@", "- ".repeat(100_000))),
        ("brackets", format!("a: {}\nb: c", "[".repeat(200_000))),
        ("a block scalar at column 0", format!("a: |\n{}", "b c\n".repeat(50_000))),
        ("tags that are never closed", format!("a: b\n{}", "<c>\n".repeat(50_000))),
        ("tags that are closed far below", format!("a: b\n{}{}", "<c>\n".repeat(25_000), "</c>\n".repeat(20_000))),
        ("many wrong lines below a key, of many keys", format!("a:\n{}", "  d: @e\nb:\n".repeat(10_000))),
        ("lines below a key that are no keys", format!("a:\n  b: c\n{}", "  d\n".repeat(20_000))),
        (
            "keys below keys",
            format!("a:\n{}", (1..300).map(|n| format!("{}a:\n", " ".repeat(n))).collect::<String>() + "@\n"),
        ),
        ("keys further in and further out", format!("a:\n{}", "  b: c\n      d: e\n   f\n b: @\n".repeat(2_000))),
        (
            "maps in maps with faults",
            format!("a:\n{}", "  b:\n    c:\n      d:\n        e: f\n        g\n".repeat(1_000)),
        ),
        ("words that look like tags", format!("a: [{}]", "!b c, ".repeat(10_000))),
        ("words that look like anchors, and comments", "a:\n- &b c #d\n".repeat(5_000)),
        ("tight keys", format!("a:\n{}", "- b:\"c: d\"\n".repeat(5_000))),
        ("tight keys on a line", format!("a: [{}]", "{b:\"c\"}, ".repeat(5_000))),
        ("stray lines", format!("{}a: b: c", "é é\n".repeat(50_000))),
    ];
    for (case, text) in cases {
        let begin = Effort::begin();
        if let Ok(document) = yaml::parse(&text) {
            again(&text, &document);
        }
        repair(&text);
        assert!(begin.so_far() < Duration::from_secs(10), "{case}: {:?}", begin.so_far());
    }
}

#[test]
fn no_text_panics() {
    let parts = [
        "a:", "b: ", "\"", "'", "[", "]", "{", "}", ": ", "- ", "\n", "\n  ", "\t", "@", "|", ">-", "#", " #", "é",
        "漢", "\\", ",", "*x", "&x ", "!t ", "a:\"", "!t", "&x", "\r\n", "\r", "...", "\n---\n", "? ", "%", "word",
        " ", "\u{feff}", "\u{2028}",
    ];
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for round in 0..20_000 {
        let mut text = String::new();
        for _ in 0..(round % 14) + 1 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(parts[(state >> 33) as usize % parts.len()]);
        }
        if let Ok(document) = yaml::parse(&text) {
            document.root.iter().for_each(|root| inside(root, &text));
            again(&text, &document).iter().for_each(|meant| inside(&meant.root, &text));
        }
        if let Some(repaired) = repair(&text) {
            inside(&repaired.root, &text);
            for mend in &repaired.mends {
                assert!(text.is_char_boundary(mend.at) && text.is_char_boundary(mend.line_start), "{text:?}");
                assert!(!mend.with.contains('\n'), "{text:?}");
            }
        }
    }
}

/// Every span is of the text, and inside its parent's.
#[track_caller]
fn inside(node: &Node, text: &str) {
    assert!(text.get(node.span.start..node.span.end).is_some(), "{:?} of {text:?}", node.span);
    let children: Vec<&Node> = match &node.value {
        Value::Text(_) | Value::Absent => Vec::new(),
        Value::List(items) => items.iter().collect(),
        Value::Map(pairs) => pairs.iter().flat_map(|(key, value)| [key, value]).collect(),
    };
    for child in children {
        assert!(node.span.start <= child.span.start && child.span.end <= node.span.end, "{child:?} of {text:?}");
        inside(child, text);
    }
}

/// The fields that begin an entry however they are written are those that every dialect reads (rule 6.1).
#[test]
fn the_fields_are_those_of_every_dialect() {
    assert_eq!(FIELDS.to_vec(), COMMON_FIELDS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}

/// A field that restricts in some dialect begins an entry in every dialect if no sentence contains its name, and otherwise in its
/// own.
#[test]
fn the_restrictions_are_those_of_the_dialects() {
    for dialect in NAMES.iter().filter_map(|name| dialect(name)) {
        for (path, role) in dialect.all_fields().filter(|(path, _)| !path.contains('.')) {
            let restricts = matches!(
                role,
                FieldRole::NotForModel
                    | FieldRole::ForModel
                    | FieldRole::ForUser
                    | FieldRole::DefaultEnabled
                    | FieldRole::DisallowedTools
            );
            let is_word = path.bytes().all(|byte| byte.is_ascii_lowercase());
            assert!(!restricts || is_word || RESTRICTING.contains(&path), "{}: {path}", dialect.name);
            let text = format!("x: y\n  {path}: true\n");
            let shape = |key: &str| if dialect.role_of(key).is_some() { Shape::Other } else { Shape::Unknown };
            let read = super::repair(&text, &shape).map(|repaired| show(&repaired.root));
            assert_eq!(read, Some(format!("{{x=y|{path}=true}}")), "{}", dialect.name);
        }
    }
}
