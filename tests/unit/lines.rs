//! Lines: what is dropped, and the way back to line and column.

use pretty_assertions::assert_eq;

use super::{Source, find_byte, with_lf};

/// `expect` is the place of the first `@` of the cleaned text.
#[track_caller]
fn at(case: &str, raw: &str, expect: (usize, usize)) {
    let source = Source::new(raw);
    let at = source.text().find('@').unwrap_or(source.text().len());
    let position = source.position(at);
    assert_eq!((position.line, position.column), expect, "{case}");
}

#[test]
fn positions() {
    at("the first byte", "@", (1, 1));
    at("the end of an empty text", "", (1, 1));
    at("after LF", "a\n@", (2, 1));
    at("after CRLF (rule 4.10)", "a\r\nb@", (2, 2));
    at("a lone CR ends no line", "a\rb@", (1, 4));
    at("columns are characters (rule 4.10)", "é漢😀@", (1, 4));
    at("a byte order mark takes no column (rule 4.2)", "\u{feff}@", (1, 1));
    at("a dropped NUL takes its column (rule 4.4)", "a\0\0b@", (1, 5));
    at("a dropped NUL right before", "\0@", (1, 2));
    at("a dropped NUL on an earlier line", "a\0\nb@", (2, 2));
    at("a dropped NUL right after", "@\0", (1, 1));
    at("mark, controls and wide characters", "\u{feff}é\u{1}\r\n\u{2}漢@", (2, 3));
    at("past the last newline", "a\n", (2, 1));
    at("a wide character across a stride", &format!("{}é@", "a".repeat(1023)), (1, 1025));
}

#[test]
fn very_long_lines() {
    let raw = format!("{}\n{}@", "x".repeat(5000), "é\0".repeat(5000));
    at("a long line", &raw, (2, 10001));
}

#[track_caller]
fn dropped(case: &str, raw: &str, text: &str, expect: Option<(usize, usize, char, usize)>) {
    let source = Source::new(raw);
    assert_eq!(source.text(), text, "{case}");
    let control = source.control().map(|c| (c.at.line, c.at.column, c.what, c.count));
    assert_eq!(control, expect, "{case}");
}

#[test]
fn controls() {
    dropped("nothing", "a\tb\r\nc", "a\tb\r\nc", None);
    dropped("one mark only", "\u{feff}\u{feff}a", "\u{feff}a", None);
    dropped("a mark inside stays", "a\u{feff}", "a\u{feff}", None);
    dropped("NUL and others, first and count", "é\0a\n\u{1b}[0m", "éa\n[0m", Some((1, 2, '\0', 2)));
    dropped("DEL and C1 are no C0", "\u{7f}\u{85}", "\u{7f}\u{85}", None);
}

#[track_caller]
fn line(case: &str, raw: &str, number: usize, expect: Option<&str>) {
    assert_eq!(Source::new(raw).line(number), expect, "{case}");
}

#[test]
fn lines_of_the_file() {
    line("no line 0", "a", 0, None);
    line("without LF", "a\nb\n", 1, Some("a"));
    line("without CRLF", "a\r\nb", 1, Some("a"));
    line("the last, unended", "a\r\nb", 2, Some("b"));
    line("the empty last", "a\n", 2, Some(""));
    line("beyond", "a\n", 3, None);
    line("raw, with its NUL", "a\0b", 1, Some("a\0b"));
    line("without the mark", "\u{feff}a\nb", 1, Some("a"));
}

#[test]
fn line_feeds() {
    assert_eq!(with_lf("a\r\nb\rc\n"), "a\nb\rc\n", "CRLF becomes LF, a lone CR stays (rule 4.2)");
}

#[test]
fn bytes_found() {
    // Every place of the byte among others, those next to it in value too, up to some words long.
    for len in 0..40 {
        for filler in [b'a', b'\n' - 1, b'\n' + 1, 0x8A, 0x00, 0xFF] {
            let mut bytes = vec![filler; len];
            assert_eq!(find_byte(&bytes, b'\n'), None, "{len} bytes {filler:#x}");
            for at in (0..len).rev() {
                bytes[at] = b'\n';
                assert_eq!(find_byte(&bytes, b'\n'), Some(at), "{len} bytes {filler:#x}");
            }
        }
    }
}
