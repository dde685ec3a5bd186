//! Frontmatter and YAML. Splitting a text loses nothing of it, every span lies in the text, and the fast reader reads
//! what the parser's events give.
#![no_main]
#![allow(dead_code, unused_imports, reason = "a part of the module is used")]

#[path = "../../../src/text/mod.rs"]
mod text;

use libfuzzer_sys::fuzz_target;
use text::frontmatter::{self, Split};
use text::yaml::{self, Node, Value};

fuzz_target!(|input: &str| {
    split_has_its_parts_in_order(input);
    match yaml::parse(input) {
        Ok(document) => {
            assert_eq!(Ok(&document), yaml::from_events(input, false).as_ref());
            document.root.iter().for_each(|root| spans_are_in(input, root));
            for notice in &document.notices {
                assert!(input.get(notice.span.start..notice.span.end).is_some(), "{notice:?}");
            }
        }
        Err(error) => {
            assert!(input.is_char_boundary(error.at), "{error:?}");
            assert!(!error.message.is_empty() && !error.message.contains(['\n', '\r']), "{error:?}");
        }
    }
});

fn split_has_its_parts_in_order(text: &str) {
    let split = frontmatter::split(text);
    let (yaml, body) = match &split {
        Split::Found(parts) => (&parts.yaml, &parts.body),
        Split::Odd(odd) => (&odd.yaml, &odd.body),
        Split::Unclosed { fence } => return assert!(text.is_char_boundary(*fence)),
        Split::Missing => return,
    };
    assert!(yaml.start <= yaml.end && yaml.end <= body.start && body.end == text.len(), "{split:?}");
    assert!(text.get(yaml.clone()).is_some() && text.get(body.clone()).is_some(), "{split:?}");
    if let Some(plain) = frontmatter::plain(text.as_bytes()) {
        let plain = frontmatter::split(std::str::from_utf8(plain).expect("the beginning is ASCII"));
        assert!(matches!(&plain, Split::Found(parts) if parts.yaml == *yaml), "{plain:?} and {split:?}");
    }
}

fn spans_are_in(text: &str, root: &Node) {
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        assert!(text.get(node.span.start..node.span.end).is_some(), "{:?}", node.span);
        match &node.value {
            Value::List(items) => waiting.extend(items),
            Value::Map(pairs) => waiting.extend(pairs.iter().flat_map(|(key, value)| [key, value])),
            Value::Text(_) | Value::Absent => {}
        }
    }
}
