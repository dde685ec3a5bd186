//! The repair of YAML. What YAML reads as its author meant is not changed, and after the mends are carried out YAML
//! reads by itself what the repair has read.
#![no_main]
#![allow(dead_code, unused_imports, reason = "a part of the module is used")]

#[path = "../../../src/text/mod.rs"]
mod text;

use libfuzzer_sys::fuzz_target;
use text::lines::Source;
use text::repair::{self, Mend, Repaired, Shape};
use text::yaml::{self, Node, Value};

/// How often a text is mended at most: lines below a key may hide others that are wrong.
const ROUNDS: usize = 6;

fuzz_target!(|input: &str| {
    // Readers see a text without control characters.
    let source = Source::new(input);
    // YAML ends a line at a carriage return alone, and nothing else does.
    if source.text().replace("\r\n", "\n").contains('\r') {
        return;
    }
    let Some(first) = read(source.text()) else { return };
    let mut mended = source.text().to_owned();
    let mut last = first.clone();
    for _ in 0..ROUNDS {
        if last.mends.is_empty() {
            break;
        }
        mended = carry_out(&mended, &last.mends);
        last = read(&mended).unwrap_or_else(|| panic!("nothing is read any more in\n{mended}"));
    }
    assert!(last.mends.is_empty(), "still mended: {:?}\n{mended}", last.mends);
    if last.missed.is_none() && first.missed.is_none() && !mends_nested_lines(source.text(), &first) {
        same_texts(source.text(), &first.root, &last.root, &mended);
    }
});

/// What is read of a text: by YAML alone where that is what the author meant, else by the repair.
fn read(text: &str) -> Option<Repaired> {
    let shape = |_: &str| Shape::Unknown;
    let found = match yaml::parse(text) {
        Ok(document) => match repair::reread(text, &document, &shape) {
            Some(repaired) => Some(repaired),
            None => match document.root {
                Some(root @ Node { value: Value::Map(_), .. }) => {
                    return Some(Repaired { root, mends: Vec::new(), notices: document.notices, missed: None });
                }
                None => return None,
                Some(_) => repair::repair(text, &shape),
            },
        },
        Err(_) => repair::repair(text, &shape),
    };
    found.inspect(|repaired| mends_are_sound(text, repaired))
}

fn mends_are_sound(text: &str, repaired: &Repaired) {
    for mend in &repaired.mends {
        assert!(!mend.with.contains('\n'), "{mend:?}");
        assert!(text.is_char_boundary(mend.at) && text.is_char_boundary(mend.line_start), "{mend:?}");
        assert!(mend.line_start <= mend.at && mend.at <= text.len() && mend.end <= text.len(), "{mend:?}");
    }
    for (one, next) in repaired.mends.iter().zip(repaired.mends.iter().skip(1)) {
        assert!(one.line_start <= next.line_start, "{one:?}\n{next:?}");
    }
}

/// Whether lines below a key are mended: they may hide others that are wrong, and keys.
fn mends_nested_lines(text: &str, repaired: &Repaired) -> bool {
    repaired.mends.iter().any(|mend| text.get(mend.line_start..).is_some_and(|line| line.starts_with([' ', '\t', '-'])))
}

/// The text with its mends carried out, from the last to the first.
fn carry_out(text: &str, mends: &[Mend]) -> String {
    let mut out = text.to_owned();
    for mend in mends.iter().rev() {
        let end = mend.end.max(mend.line_start);
        let end = out.get(end..).and_then(|rest| rest.find('\n')).map_or(out.len(), |found| end + found);
        let has_crlf = out.get(mend.line_start..end).is_some_and(|line| line.ends_with('\r'));
        out.replace_range(mend.line_start..end - usize::from(has_crlf), &mend.with);
    }
    out
}

/// Whether the texts directly behind the keys are the same. Lines below a key that are read as their own source are
/// another source after they are mended, and may hide keys before.
fn same_texts(text: &str, first: &Node, last: &Node, mended: &str) {
    let (Value::Map(first), Value::Map(last)) = (&first.value, &last.value) else { panic!("no maps") };
    let is_source = |key: &Node, value: &Node| {
        let between = text.get(key.span.end..value.span.start);
        matches!(value.value, Value::Text(_)) && between.is_some_and(|between| between.contains(['\n', '\r']))
    };
    if first.iter().any(|(key, value)| is_source(key, value)) {
        return;
    }
    assert_eq!(first.len(), last.len(), "keys of\n{mended}");
    for ((key, one), (key_after, after)) in first.iter().zip(last) {
        assert_eq!(key.value, key_after.value, "a key of\n{mended}");
        if let (Value::Text(one), Value::Text(after)) = (&one.value, &after.value) {
            // At the end of a text an empty block scalar is a line feed.
            assert_eq!(one.trim(), after.trim(), "a value of\n{mended}");
        }
    }
}
