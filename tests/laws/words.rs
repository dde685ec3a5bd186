//! In: numbers from a seed. Out: texts: names and descriptions that try to break out of a listing, manifests
//! whole and broken, bytes that were such a manifest once.

use crate::common::Random;

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
pub(crate) fn value(random: &mut Random) -> String {
    (*random.pick(VALUES)).to_owned()
}

/// A plain sentence of so many characters at most, with what a listing must escape.
pub(crate) fn sentence(random: &mut Random, most: usize) -> String {
    const PARTS: &[&str] = &["tea ", "& ", "<b> ", "日本 ", "é", "\" ", "'", "</skill>", "🍵 ", "x"];
    let mut text = String::new();
    for _ in 0..random.below(most) {
        text.push_str(random.pick::<&str>(PARTS));
    }
    text.chars().take(most).collect()
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

/// A SKILL.md: mostly one that is well, else with any values under any keys.
pub(crate) fn manifest(random: &mut Random) -> String {
    if random.one_in(2) {
        let name = *random.pick(&["a", "b", "tea", "Tea"]);
        return format!("---\nname: {name}\ndescription: {}\n---\nBody.\n", quoted(&sentence(random, 12)));
    }
    wild(random)
}

/// A SKILL.md with any values under any keys, or with its fences awry.
pub(crate) fn wild(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.below(6) {
        text.push_str(&format!("{}: {}\n", random.pick(KEYS), value(random)));
    }
    if random.one_in(8) {
        text.push_str("a line that belongs to nothing\n");
    }
    let (before, open, close) = match random.below(14) {
        0 => ("", "", ""),
        1 => ("", "---\n", ""),
        2 => ("", "---\n", "------\n"),
        3 => ("<!-- a comment -->\n", "---\n", "---\n"),
        4 => ("\u{feff}", "---\n", "--- \n"),
        _ => ("", "---\n", "---\n"),
    };
    let text = format!("{before}{open}{text}{close}{}", random.pick(BODIES));
    if random.one_in(6) { text.replace('\n', "\r\n") } else { text }
}

/// Bytes that were a manifest, with some changed, doubled, dropped, or any at all.
pub(crate) fn mutated(random: &mut Random) -> Vec<u8> {
    const BYTES: &[u8] = b"\0\x01\t\r\n -:'\"[]{}#&*!|>%@`?,\\\xff\xc3\xa4\xe2\x80\xa8\xef\xbb\xbf\xf0\x9f";
    let mut bytes = wild(random).into_bytes();
    for _ in 0..random.below(8) {
        let at = random.below(bytes.len() + 1);
        match random.below(4) {
            0 => bytes.insert(at, *random.pick(BYTES)),
            1 if at < bytes.len() => bytes[at] = *random.pick(BYTES),
            2 if at < bytes.len() => drop(bytes.remove(at)),
            _ => {
                let end = (at + random.below(20)).min(bytes.len());
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
        }
    }
    bytes
}
