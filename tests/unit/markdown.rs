//! Links, images and code spans: what counts as one, and where it is.

use pretty_assertions::assert_eq;

use super::{ReferenceKind, references};

#[cfg(feature = "digest")]
#[path = "paragraphs.rs"]
mod paragraphs;

/// Each expected reference is `(target)` of a link or `` `text` `` of a code span.
#[track_caller]
fn check(case: &str, text: &str, expect: &[&str]) {
    let found: Vec<String> = references(text)
        .iter()
        .map(|found| {
            let target = &text[found.range.clone()];
            assert!(text[found.line.clone()].contains(target), "{case}: its line");
            match found.kind {
                ReferenceKind::Link => format!("({target})"),
                ReferenceKind::CodeSpan => format!("`{target}`"),
            }
        })
        .collect();
    assert_eq!(found, expect, "{case}");
}

#[test]
fn links() {
    check("none", "Text [without] a link (here).", &[]);
    check("a link and an image", "[a](b.md) and ![c](d/e.png)", &["(b.md)", "(d/e.png)"]);
    check("an image in a link", "[![c](d.png)](e.md)", &["(d.png)", "(e.md)"]);
    check("a title", "[a](b.md \"B\") [a]( c.md 'C')", &["(b.md)", "(c.md)"]);
    check("parentheses", "[a](b(1).md) [c](d.md)", &["(b(1).md)", "(d.md)"]);
    check("angle brackets", "[a](<b c.md>) [d](e.md)", &["(b c.md)", "(e.md)"]);
    check("no end", "[a](b.md", &[]);
    check("more than a title", "[a](see b.md)", &[]);
    check("no opening bracket", "a](b.md)", &[]);
    check("escaped", "\\[a\\](b.md)", &[]);
    check("an empty target", "[a]()", &["()"]);
    check("wide characters", "茶 [茶](茶.md) 🍵", &["(茶.md)"]);
    check("CRLF", "[a](b.md)\r\n[c](d.md)\r\n", &["(b.md)", "(d.md)"]);
}

#[test]
fn definitions() {
    check("plain", "[a]: b.md", &["(b.md)"]);
    check("a title", "  [a]: <b c.md> \"T\"\n[d]:   e.md 'E'", &["(b c.md)", "(e.md)"]);
    check("angle brackets", "[a]: <b.md>", &["(b.md)"]);
    check("a footnote", "[^1]: b.md", &[]);
    check("nothing behind", "[a]:", &["()"]);
}

#[test]
fn code_spans() {
    check("one and another", "`a/b.md` or ``c`d``", &["`a/b.md`", "`c`d`"]);
    check("blanks", "` a ` and `  `", &["`a`", "``"]);
    check("no end", "`a [b](c.md)", &["(c.md)"]);
    check("a link within", "`[b](c.md)`", &["`[b](c.md)`"]);
    check("a span as the text of a link", "[`a`](b.md)", &["`a`", "(b.md)"]);
    check("the end of the line", "a `", &[]);
}

#[test]
fn code_and_comments() {
    check("fenced", "```\n[a](b.md)\n```\n[c](d.md)", &["(d.md)"]);
    check("tildes", "~~~ md\n[a](b.md)\n```\n~~~\n[c](d.md)", &["(d.md)"]);
    check("a longer end", "```sh\n`a`\n`````\n[c](d.md)", &["(d.md)"]);
    check("a shorter end", "````\n```\n`a`\n````\n`b`", &["`b`"]);
    check("no end", "```\n[a](b.md)", &[]);
    check("an end with a word", "```\n``` sh\n[a](b.md)\n```\n", &[]);
    check("in a list", "1. Run:\n   ```\n   [a](b.md)\n   ```\n- ```\n  `x`\n  ```\n`y`", &["`y`"]);
    check("in a quote", "> ```\n> `x`\n> ```\n> `y`", &["`y`"]);
    check("a span of three", "```a```  `b`", &["`a`", "`b`"]);
    check("a comment", "<!-- [a](b.md) --> [c](d.md)", &["(d.md)"]);
    check("a comment over lines", "<!-- [a](b.md)\n```\n`x` --> `y`\n`z`", &["`y`", "`z`"]);
    check("a comment without end", "<!-- \n[a](b.md)", &[]);
}
