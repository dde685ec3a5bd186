//! Frontmatter: where the fences are.

use pretty_assertions::assert_eq;

use super::{Parts, Split, plain, split};

/// `expect`: YAML, body, and `c` for a comment before, `l` for a loose closing fence.
#[track_caller]
fn found(case: &str, text: &str, expect: (&str, &str, &str)) {
    match split(text) {
        Split::Found(Parts { yaml, body, first_fence, after_comment, loose_close }) => {
            let mut marks = String::new();
            marks.push_str(if after_comment { "c" } else { "" });
            marks.push_str(if loose_close.is_some() { "l" } else { "" });
            assert_eq!((&text[yaml.clone()], &text[body.clone()], marks.as_str()), expect, "{case}");
            assert!(text[first_fence..].starts_with("---"), "{case}: the first fence");
            assert!(loose_close.is_none_or(|at| text[at..].starts_with("----")), "{case}: the loose fence");
            assert!(yaml.end <= body.start && body.end == text.len(), "{case}: the parts are the text");
        }
        other => panic!("{case}: {other:?}"),
    }
}

#[test]
fn fences() {
    found("plain", "---\na: b\n---\nbody\n", ("a: b\n", "body\n", ""));
    found("CRLF", "---\r\na: b\r\n---\r\nbody", ("a: b\r\n", "body", ""));
    found("trailing blanks (decisions 2)", "--- \t\na: b\n---\t \nbody", ("a: b\n", "body", ""));
    found("trailing blanks and CR", "--- \r\na: b\n--- \r\nbody", ("a: b\n", "body", ""));
    found("end of file after the closing fence", "---\na: b\n---", ("a: b\n", "", ""));
    found("empty YAML", "---\n---\nbody", ("", "body", ""));
    found("blank lines before", "\n \t\r\n---\na: b\n---\n", ("a: b\n", "", ""));
    found("an indented fence is text", "---\na: |\n  x\n  ---\n---\n", ("a: |\n  x\n  ---\n", "", ""));
    found("dashes in a value are text", "---\na: b\n--- c\n---\n", ("a: b\n--- c\n", "", ""));
    found("a rule in the body is text", "---\na: b\n---\nx\n---\ny", ("a: b\n", "x\n---\ny", ""));
    found("no white space but the fence's blanks", "---\na\n---\u{a0}\n---\n", ("a\n---\u{a0}\n", "", ""));
}

#[test]
fn loose_fences() {
    found("more dashes close where nothing else does", "---\na: b\n-----\nbody", ("a: b\n", "body", "l"));
    found("an exact fence wins", "---\na: b\n----\nc\n---\nbody", ("a: b\n----\nc\n", "body", ""));
    found("the first loose one closes", "---\na\n----\nb\n-----\n", ("a\n", "b\n-----\n", "l"));
}

#[test]
fn comments_before() {
    found("one", "<!-- x -->\n---\na\n---\n", ("a\n", "", "c"));
    found("several, with blank lines", "<!-- x -->\n\n<!-- y\nz -->\n\n---\na\n---\n", ("a\n", "", "c"));
    found("two on a line", "<!-- x --> <!-- y -->\n---\na\n---\n", ("a\n", "", "c"));
    found("fences inside are text", "<!--\n---\nx\n---\n-->\n---\na\n---\n", ("a\n", "", "c"));
}

#[track_caller]
fn check(case: &str, text: &str, expect: Split) {
    assert_eq!(split(text), expect, "{case}");
}

#[test]
fn none() {
    check("an empty text", "", Split::Missing);
    check("blank lines only", "\n\n", Split::Missing);
    check("prose", "# Title\n---\na\n---\n", Split::Missing);
    check("four dashes open nothing", "----\na\n---\n", Split::Missing);
    check("an indented fence opens nothing", " ---\na\n---\n", Split::Missing);
    check("a fence behind a comment", "<!-- x -->---\na\n---\n", Split::Missing);
    check("text behind a comment", "<!-- x --> y\n---\na\n---\n", Split::Missing);
    check("an unclosed comment", "<!-- x\n---\na\n---\n", Split::Missing);
    check("never closed", "\n---\na: b\n", Split::Unclosed { fence: 1 });
    check("a lone opening fence", "---", Split::Unclosed { fence: 0 });
    check("closed by an indented one only", "---\na: b\n ---\n", Split::Unclosed { fence: 0 });
}

/// The frontmatter alone, by `plain` where `is_plain`; by `split` it is the same either way.
#[track_caller]
fn alone(case: &str, text: &str, is_plain: bool) {
    let front = plain(text.as_bytes());
    assert_eq!(front.is_some(), is_plain, "{case}");
    let Some(front) = front.and_then(|front| std::str::from_utf8(front).ok()) else { return };
    let (Split::Found(alone), Split::Found(whole)) = (split(front), split(text)) else { panic!("{case}: two fences") };
    assert!(text.starts_with(front), "{case}: the beginning");
    assert_eq!(alone.yaml, whole.yaml, "{case}: the YAML");
    assert_eq!((alone.first_fence, alone.after_comment, alone.loose_close), (0, false, None), "{case}");
}

#[test]
fn the_frontmatter_alone() {
    alone("plain", "---\na: b\n---\nbody\n", true);
    alone("no body", "---\na: b\n---\n", true);
    alone("empty YAML", "---\n---\nbody", true);
    alone("a rule in the body", "---\na: b\n---\nx\n---\ny", true);
    alone("any text in the YAML", "---\na: \u{e9}\n---\nbody", true);
    alone("dashes in a value", "---\na: |\n  ---\n--- x\n---\n", true);
    alone("an earlier fence with blanks closes", "---\na: b\n--- \nc: d\n---\n", true);
    alone("an earlier loose one does not", "---\na: b\n----\nc: d\n---\n", true);
    alone("no line feed behind the closing fence", "---\na: b\n---", false);
    alone("CRLF", "---\r\na: b\r\n---\r\nbody", false);
    alone("a byte order mark", "\u{feff}---\na: b\n---\nbody", false);
    alone("a blank line before", "\n---\na: b\n---\nbody", false);
    alone("never closed", "---\na: b\n", false);
    alone("nothing", "", false);
    for (what, odd) in [("a letter", "\u{e9}"), ("a control", "\u{1}"), ("a tab", "\t"), ("a CR", "\r")] {
        alone(&format!("{what} behind it"), &format!("---\na: b\n---\nbo{odd}dy"), false);
    }
    let broken = [b"---\na: b\n---\nbo".as_slice(), b"\xFF"].concat();
    assert_eq!(plain(&broken), None, "what is not UTF-8 behind it");
}
