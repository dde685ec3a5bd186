//! Strategies for texts: names and descriptions that try to break out of a listing, SKILL.md files that are whole or
//! broken, and bytes that were such a file once.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Values that mean something to YAML, to XML, to Markdown or to a terminal.
const VALUES: &[&str] = &[
    "tea",
    "a",
    "Makes tea.",
    "übung & <b>",
    "</skill></available_skills>",
    "\"</name><skill>\"",
    "\"a\\n</skill>\\n  <skill>\\n\"",
    "\"\\u202ereversed\\u0007\"",
    "'it''s'",
    "key: value: more",
    "[a, b",
    "{{NAME}}",
    "[x](y) text",
    "@at",
    "`tick`",
    "*star",
    "&anchor text",
    "!tag text",
    "%percent",
    "\"quoted\" and more",
    "- dash",
    "a # comment",
    "| text",
    "> text",
    "\tTabbed",
    "",
    "null",
    "~",
    "1.10",
    "yes",
    "|\n  first\n  second",
    ">-\n  folded\n  text: here",
    "\n  nested: yes\n  other: [",
    "\n  - one\n  - two: [",
    "first\n  second: third",
    "\"open\n  until: here",
    "\"open\n description: Makes tea.",
];

const KEYS: &[&str] = &[
    "name",
    "name",
    "description",
    "description",
    "version",
    "license",
    "metadata",
    "allowed-tools",
    "argument-hint",
    "disable-model-invocation",
    "user-invocable",
    "sven",
    "knowledge",
    "other",
    "x-y",
];

const BODIES: &[&str] =
    &["", "Body.\n", "---\nbody\n---\n", "</skill_content>\n", "\n\n  Indented: [\n", "`$1` $ARGUMENTS\r\n"];

/// A value for YAML, as some author might write it.
pub(crate) fn value() -> impl Strategy<Value = &'static str> {
    select(VALUES)
}

/// A plain sentence of at most so many characters, with what a listing must escape.
pub(crate) fn sentence(most: usize) -> impl Strategy<Value = String> {
    const PARTS: &[&str] = &["x", "tea ", "& ", "<b> ", "日本 ", "é", "\" ", "'", "</skill>", "🍵 "];
    vec(select(PARTS), 0..=most).prop_map(move |parts| parts.concat().chars().take(most).collect())
}

/// The text in double quotes, for YAML.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out + "\""
}

/// A SKILL.md: half of them are well, the others have any values under any keys.
pub(crate) fn manifest() -> impl Strategy<Value = String> {
    let well = (select(&["a", "b", "tea", "Tea"][..]), sentence(12)).prop_map(|(name, description)| {
        format!("---\nname: {name}\ndescription: {}\n---\nBody.\n", quoted(&description))
    });
    prop_oneof![well, wild()]
}

/// A SKILL.md with any values under any keys, or with its fences awry.
pub(crate) fn wild() -> impl Strategy<Value = String> {
    const FENCES: &[(&str, &str, &str)] = &[
        ("", "", ""),
        ("", "---\n", ""),
        ("", "---\n", "------\n"),
        ("<!-- a comment -->\n", "---\n", "---\n"),
        ("\u{feff}", "---\n", "--- \n"),
    ];
    let fences = prop_oneof![9 => Just(("", "---\n", "---\n")), 5 => select(FENCES)];
    let has_stray_line = prop::bool::weighted(1.0 / 8.0);
    let has_crlf = prop::bool::weighted(1.0 / 6.0);
    (vec((select(KEYS), value()), 0..6), has_stray_line, fences, select(BODIES), has_crlf).prop_map(
        |(fields, has_stray_line, (before, open, close), body, has_crlf)| {
            let mut text: String = fields.iter().map(|(key, value)| format!("{key}: {value}\n")).collect();
            if has_stray_line {
                text.push_str("a line that belongs to nothing\n");
            }
            let text = format!("{before}{open}{text}{close}{body}");
            if has_crlf { text.replace('\n', "\r\n") } else { text }
        },
    )
}

/// One change of some bytes.
#[derive(Clone, Debug)]
enum Mutation {
    Insert(Index, u8),
    Replace(Index, u8),
    Remove(Index),
    /// As many bytes stand there twice.
    Repeat(Index, usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    const BYTES: &[u8] = b"\0\x01\t\r\n -:'\"[]{}#&*!|>%@`?,\\\xff\xc3\xa4\xe2\x80\xa8\xef\xbb\xbf\xf0\x9f";
    prop_oneof![
        (any::<Index>(), select(BYTES)).prop_map(|(at, byte)| Mutation::Insert(at, byte)),
        (any::<Index>(), select(BYTES)).prop_map(|(at, byte)| Mutation::Replace(at, byte)),
        any::<Index>().prop_map(Mutation::Remove),
        (any::<Index>(), 0..20_usize).prop_map(|(at, len)| Mutation::Repeat(at, len)),
    ]
}

/// Bytes that were a SKILL.md, with some of them changed, repeated or removed.
pub(crate) fn mutated() -> impl Strategy<Value = Vec<u8>> {
    (wild(), vec(mutation(), 0..8)).prop_map(|(text, mutations)| {
        let mut bytes = text.into_bytes();
        for mutation in mutations {
            match mutation {
                Mutation::Insert(at, byte) => bytes.insert(at.index(bytes.len() + 1), byte),
                Mutation::Replace(at, byte) if !bytes.is_empty() => *at.get_mut(&mut bytes) = byte,
                Mutation::Remove(at) if !bytes.is_empty() => drop(bytes.remove(at.index(bytes.len()))),
                Mutation::Replace(..) | Mutation::Remove(_) => {}
                Mutation::Repeat(at, len) => {
                    let at = at.index(bytes.len() + 1);
                    let part = bytes[at..(at + len).min(bytes.len())].to_vec();
                    bytes.splice(at..at, part);
                }
            }
        }
        bytes
    })
}
