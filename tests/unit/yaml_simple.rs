//! The plainest YAML: what is read at all, and that it is read exactly as the events give it.

use std::cell::Cell;

use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::super::from_events;
use super::read;
use crate::property;

/// As many documents take a few seconds without optimisation.
const DOCUMENTS: u32 = if cfg!(debug_assertions) { 20_000 } else { 200_000 };

/// What is read equals what the events give; the answer is whether it was read.
#[track_caller]
fn is_read(text: &str) -> bool {
    match read(text) {
        Some(document) => {
            // Comparing first, since what a failure shows costs more than the comparison.
            let expect = from_events(text, false);
            if expect.as_ref() != Ok(&document) {
                assert_eq!(Ok(document), expect, "{text:?}");
            }
            true
        }
        None => false,
    }
}

#[track_caller]
fn check(case: &str, text: &str, expect: bool) {
    assert_eq!(is_read(text), expect, "{case}: {text:?}");
    assert_eq!(is_read(&format!("{text}\n")), expect, "{case}, with a break at its end: {text:?}");
}

#[test]
fn what_is_read() {
    check("a colon and a blank", "name: a-b c\ndescription: Does (x), y; z: no", false);
    check("plain", "name: a-b c\ndescription: Does (x), y; z:no é 中", true);
    check("blanks round a value", "a:   b  \nb: c ", true);
    check("a hash in a word", "a: b#c", true);
    check("a comment (rule 5.8)", "a: b #c", false);
    check("a comment line", "# x\n\na: b\n  # y\nc: d\n#", true);
    check("quoted", "a: \"b: #c\" \nd: 'e\\: \"f'\ng: \"it's\"\nh: ''", true);
    check("an escape", "a: \"b\\n\"", false);
    check("a doubled quote", "a: 'b''c'", false);
    check("text behind a quote", "a: 'b' c", false);
    check("over lines", "a: b\n  c", false);
    check("nothing", "a:\nb: \nc:", true);
    check("literal", "a: |\n  b\n    c: d\n\n  # e \nb: |- \n f\n\nc: d", true);
    check("folded", "a: >\n  b\n  c\n\n\n  d\ne: >-\n  f", true);
    check("folded and further right", "a: >\n  b\n   c", false);
    check("blanks further right", "a: |\n  b\n   \n  c", false);
    check("blanks on a line", "a: |\n  b\n  \n  c", true);
    check("blank before the first line", "a: |\n\n  b", false);
    check("kept breaks", "a: |+\n  b", false);
    check("an indentation", "a: |2\n  b", false);
    check("an empty block", "a: |\nb: c", false);
    check("a deep block", &format!("a: |\n{}b", " ".repeat(14)), false);
    check("lists", "a:\n  - b\n  - 'c'\nd:\n- e\n-   f\ng: h", true);
    check("a map in a list", "a:\n  - b: c", false);
    check("a list in a list", "a:\n  - - b", false);
    check("maps", "a:\n  b: c\n  d:\n    e: |\n      f\n    g:\n    - h\ni: j", true);
    check("four maps", "a:\n b:\n  c:\n   d: e", true);
    check("five maps", "a:\n b:\n  c:\n   d:\n    e: f", false);
    check("uneven", "a:\n   b: c\n  d: e", false);
    check("a comma in quotes", "a: [b, 'c' ,\"d, e\"]", false);
    check("flow lists", "a: [b, 'c' ,\"d\", Bash(e:*)]\nf: []\ng: [ ]", true);
    check("flow in flow", "a: [[b], {c: d}]", false);
    check("a flow map", "a: {b: c}", false);
    check("two equal keys (rule 5.4)", "a: b\na: c", false);
    check("no key", "a", false);
    check("no blank behind the colon", "a:b", false);
    check("a fence", "---\na: b", false);
    check("a second document", "a: b\n---\nc: d", false);
    check("CR", "a: b\r\nc: d", false);
    check("a tab", "a:\tb", false);
    check("a key of 1 024", &format!("{}: b", "a".repeat(1024)), true);
    check("a longer key", &format!("{}: b", "a".repeat(1025)), false);
    check("nothing at all", "", false);
}

#[test]
fn many_keys_are_not_compared_with_each_other() {
    let keys = |count: usize| (0..count).map(|key| format!("k{key}:\n")).collect::<String>();
    check("a few", &keys(32), true);
    check("many", &keys(33), false);
}

const KEYS: &[&str] = &["a", "b", "name", "a-b", "_c", "d9", "Z_"];
const VALUES: &[&str] = &[
    "b",
    "some words",
    "x:y",
    "a#b",
    "it's",
    "a - b",
    "(a), b",
    "é 中",
    "1.10",
    "\"q: r\"",
    "'s #t'",
    "\"\"",
    "''",
    "[a, b]",
    "[]",
    "[ 'a' ,\"b\",c ]",
    "[a b, c-]",
    "",
    "",
    "~",
    "/a",
    "\u{85}",
    "a\u{2028}b",
];
const HEADERS: &[&str] = &["|", ">", "|-", ">-", "|", ">", "|+", ">2", "| ", ">- # c"];
const LINES: &[&str] = &["text", "two words", "a: b", "# c", "- d", "é", "", "", " deeper", "end ", "---", "..."];
const INDENTS: &[&str] = &["", " ", "  ", "  ", "   ", "    ", "             ", "              "];
const CHARS: &[&str] = &[
    " ", " ", " ", "  ", ":", ": ", "#", " #", "-", "- ", "[", "]", "{", "}", "'", "\"", "|", ">", "&", "*", "!", "%",
    "@", "\\", "`", ",", "?", "\t", "\n", "\n", "\n  ", "\n\n", "\r", "\r\n", "a", "b", "é", "中", "\u{85}",
    "\u{2028}", "\u{feff}", "\u{a0}", "---\n", "...\n", "<<", "=", "+", "2", "\u{c}", "\0",
];

/// A key with what may stand behind or below it.
#[derive(Clone, Debug)]
struct Pair {
    key: &'static str,
    /// How much further right than the key stands what is below it.
    indent: &'static str,
    value: Below,
}

#[derive(Clone, Debug)]
enum Below {
    Block { header: &'static str, lines: Vec<&'static str>, end: &'static str },
    List(Vec<&'static str>),
    Map(Vec<Pair>),
    Scalar { value: &'static str, next_line: &'static str },
}

/// A pair with at most so many maps in one another.
fn pair(maps: u32) -> BoxedStrategy<Pair> {
    let end = prop_oneof![3 => Just(""), 1 => select(&["\n", "  \n", "     \n", "# x\n", " # x\n"][..])];
    let block = (select(HEADERS), vec(select(LINES), 0..4), end);
    let next_line = prop_oneof![5 => Just(""), 1 => select(&["\n", "# x\n", "  # x\n", "  \n"][..])];
    let plain = prop_oneof![
        1 => block.prop_map(|(header, lines, end)| Below::Block { header, lines, end }),
        1 => vec(select(VALUES), 0..4).prop_map(Below::List),
        6 => (select(VALUES), next_line).prop_map(|(value, next_line)| Below::Scalar { value, next_line }),
    ];
    let value = match maps.checked_sub(1) {
        Some(inside) => prop_oneof![8 => plain, 1 => vec(pair(inside), 0..4).prop_map(Below::Map)].boxed(),
        None => plain.boxed(),
    };
    (select(KEYS), select(INDENTS), value).prop_map(|(key, indent, value)| Pair { key, indent, value }).boxed()
}

impl Pair {
    fn write(&self, indent: &str, out: &mut String) {
        let below = format!("{indent}{}", self.indent);
        out.push_str(&format!("{indent}{}:", self.key));
        match &self.value {
            Below::Block { header, lines, end } => {
                out.push_str(&format!(" {header}\n"));
                lines.iter().for_each(|line| out.push_str(&format!("{below}{line}\n")));
                out.push_str(end);
            }
            Below::List(items) => {
                out.push('\n');
                items.iter().for_each(|item| out.push_str(&format!("{below}- {item}\n")));
            }
            Below::Map(pairs) => {
                out.push('\n');
                pairs.iter().for_each(|pair| pair.write(&below, out));
            }
            Below::Scalar { value, next_line } => out.push_str(&format!(" {value}\n{next_line}")),
        }
    }
}

/// Deletes, inserts or replaces a character.
#[derive(Clone, Debug)]
struct Mutation {
    at: Index,
    deletes: bool,
    inserts: Option<&'static str>,
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let what = prop_oneof![
        Just((true, None)),
        select(CHARS).prop_map(|text| (false, Some(text))),
        select(CHARS).prop_map(|text| (true, Some(text))),
    ];
    (any::<Index>(), what).prop_map(|(at, (deletes, inserts))| Mutation { at, deletes, inserts })
}

impl Mutation {
    fn apply(&self, text: &mut String) {
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let at = *self.at.get(&starts);
        let deleted = text[at..].chars().next().filter(|_| self.deletes).map_or(0, char::len_utf8);
        text.replace_range(at..at + deleted, self.inserts.unwrap_or_default());
    }
}

#[test]
fn whatever_is_read_is_what_the_events_give() {
    let (tried, read) = (Cell::new(0), Cell::new(0));
    let documents = (vec(pair(4), 1..=4), vec(mutation(), 0..4));
    property::check("whatever_is_read_is_what_the_events_give", DOCUMENTS, documents, |(pairs, mutations)| {
        let mut text = String::new();
        pairs.iter().for_each(|pair| pair.write("", &mut text));
        mutations.iter().for_each(|mutation| mutation.apply(&mut text));
        tried.set(tried.get() + 1);
        read.set(read.get() + u32::from(is_read(&text)));
        Ok(())
    });
    assert!(read.get() > tried.get() / 8, "{} of {} documents were read", read.get(), tried.get());
}
