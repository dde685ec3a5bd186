//! The plainest YAML: what is read at all, and that it is read exactly as the events give it.

use pretty_assertions::assert_eq;

use super::super::from_events;
use super::read;

/// As many documents take a few seconds without optimisation.
const DOCUMENTS: u64 = if cfg!(debug_assertions) { 20_000 } else { 200_000 };

/// What is read equals what the events give; the answer is whether it was read.
#[track_caller]
fn is_read(text: &str) -> bool {
    match read(text) {
        Some(document) => {
            // Comparing first, since what a failure shows costs more than the comparison.
            let expect = from_events(text);
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
    check("a comment (decisions 6)", "a: b #c", false);
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
    check("two equal keys (decisions 5)", "a: b\na: c", false);
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

/// splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) >> 33).unwrap_or(0) % bound
    }

    fn of<'v>(&mut self, values: &[&'v str]) -> &'v str {
        values.get(self.below(values.len())).copied().unwrap_or_default()
    }
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

/// A pair at an indentation, with what may stand below its key.
fn pair(random: &mut Random, indent: &str, levels: usize, out: &mut String) {
    let key = random.of(KEYS);
    out.push_str(&format!("{indent}{key}:"));
    let below = format!("{indent}{}", random.of(INDENTS));
    let times = random.below(4);
    match random.below(9) {
        0 => {
            out.push_str(&format!(" {}\n", random.of(HEADERS)));
            (0..times).for_each(|_| out.push_str(&format!("{below}{}\n", random.of(LINES))));
            if random.below(4) == 0 {
                out.push_str(random.of(&["\n", "  \n", "     \n", "# x\n", " # x\n"]));
            }
        }
        1 => {
            out.push('\n');
            (0..times).for_each(|_| out.push_str(&format!("{below}- {}\n", random.of(VALUES))));
        }
        2 if levels > 0 => {
            out.push('\n');
            (0..times).for_each(|_| pair(random, &below, levels - 1, out));
        }
        3 => out.push_str(&format!(" {}\n{}", random.of(VALUES), random.of(&["\n", "# x\n", "  # x\n", "  \n"]))),
        _ => out.push_str(&format!(" {}\n", random.of(VALUES))),
    }
}

/// Deletes, inserts or replaces a character.
fn mutate(random: &mut Random, text: &mut String) {
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let at = starts.get(random.below(starts.len())).copied().unwrap_or(0);
    let after = at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    match random.below(3) {
        0 => text.replace_range(at..after, ""),
        1 => text.insert_str(at, random.of(CHARS)),
        _ => text.replace_range(at..after, random.of(CHARS)),
    }
}

#[test]
fn whatever_is_read_is_what_the_events_give() {
    let mut read = 0;
    for seed in 0..DOCUMENTS {
        let mut random = Random(seed);
        let mut text = String::new();
        (0..=random.below(4)).for_each(|_| pair(&mut random, "", 4, &mut text));
        (0..random.below(4)).for_each(|_| mutate(&mut random, &mut text));
        read += u64::from(is_read(&text));
    }
    assert!(read > DOCUMENTS / 8, "{read} of {DOCUMENTS} documents were read");
}
