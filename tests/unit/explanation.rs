//! The text about a code, taken apart.

use super::*;

#[test]
fn parts() {
    let text = "It is odd.\n\nWhy. Bad: no.\n\nTo fix it, mend it.\n\nBad (sven, strict):\n\n```text a/SKILL.md\n---\nx\n```\n\n\
                ````text link b -> a\n````\n\nGood:\n\n````text a/SKILL.md\n```\n\n````\n";
    let got = Explanation::of(text);
    assert_eq!(got.summary, "It is odd.");
    assert_eq!(got.text, "It is odd.\n\nWhy. Bad: no.\n\nTo fix it, mend it.");
    assert_eq!((got.bad.dialect, got.bad.strict), (Some("sven"), true));
    assert_eq!(got.bad.files, [("a/SKILL.md", "---\nx\n"), ("link b -> a", "")]);
    assert_eq!(got.good.files, [("a/SKILL.md", "```\n\n")]);
    assert_eq!(got.bad.text(), "a/SKILL.md\n---\nx\n\nlink b -> a\n");
}

#[test]
fn a_text_without_examples() {
    let got = Explanation::of("One.\n\nTwo.\n");
    assert_eq!((got.summary, got.text), ("One.", "One.\n\nTwo."));
    assert_eq!((got.bad.files.len(), got.good.text()), (0, String::new()));
}

#[test]
fn a_block_that_is_not_closed() {
    let got = Explanation::of("One.\n\nBad:\n\n```text a\nx\n");
    assert_eq!(got.bad.files.len(), 1);
}
