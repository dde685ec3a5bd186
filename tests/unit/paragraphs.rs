//! Texts that are cut at the end of a paragraph.

use super::super::whole_paragraphs;
use crate::property;
use proptest::prelude::*;

#[test]
fn a_text_is_cut_between_paragraphs() {
    let cases: &[(&str, &str, usize, &str)] = &[
        ("all of it", "a\n\nb", 4, "a\n\nb"),
        ("all but the last", "a\n\nb", 3, "a"),
        ("no more than the first", "a\n\nb", 1, "a"),
        ("not even the first", "a\n\nb", 0, ""),
        ("lines belong together", "a\nb\nc\n\nd", 5, "a\nb\nc"),
        ("half a paragraph", "a\nb\nc\n\nd", 4, ""),
        ("blank lines of spaces", "a\n \t\nb", 3, "a"),
        ("carriage returns", "a\r\n\r\nb", 5, "a"),
        ("all but the last line end", "aa\n\nbb\n", 6, "aa\n\nbb"),
        ("a text that begins with blank lines", "\n\na\n\nb", 4, "\n\na"),
        ("blank lines in a fence", "a\n\n```\nx\n\ny\n```\n\nb", 13, "a"),
        ("behind the fence", "a\n\n```\nx\n\ny\n```\n\nb", 15, "a\n\n```\nx\n\ny\n```"),
        ("a fence in a fence", "a\n\n````\n```\n\n````\n\nb", 16, "a"),
        ("a fence without an end", "a\n\n~~~\nx\n\ny\n\nz", 13, "a"),
        ("letters of several bytes", "ä\n\nö", 5, "ä"),
    ];
    for (case, text, at_most, expect) in cases {
        assert_eq!(whole_paragraphs(text, *at_most), *expect, "{case}");
    }
}

#[test]
fn a_larger_limit_never_shows_less() {
    let parts = proptest::sample::select(vec!["a", "bb ccc", "\n", "\n\n", "```", "~~~", " ", "é"]);
    let texts = (proptest::collection::vec(parts, 0..30), 0..60_usize);
    property::check("a_larger_limit_never_shows_less", 2_000, texts, |(parts, at_most)| {
        let text = parts.concat();
        let kept = whole_paragraphs(&text, at_most);
        prop_assert!(kept.len() <= at_most && text.starts_with(kept), "{kept:?} of {text:?}");
        prop_assert!(whole_paragraphs(&text, at_most + 1).starts_with(kept));
        let rest = &text[kept.len()..];
        let is_between =
            rest.is_empty() || kept.is_empty() || rest.split('\n').nth(1).is_some_and(|line| line.trim().is_empty());
        prop_assert!(is_between, "{rest:?}");
        Ok(())
    });
}
