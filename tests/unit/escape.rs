//! Escaping: each place's table, and the laws that hold for every text.

use super::*;
use pretty_assertions::assert_eq;

/// Texts that the laws are tried on: every pair of these, joined.
const PIECES: [&str; 24] = [
    "",
    "a",
    " ",
    "\t",
    "\n",
    "\r",
    "\0",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "<",
    ">",
    "&",
    "&amp;",
    "\"",
    "'",
    "\\",
    "ب",
    "क\u{94d}",
    "\u{200c}",
    "\u{200d}",
    "\u{202e}",
    "👩🏽",
    "❤\u{fe0f}",
];

fn texts() -> impl Iterator<Item = String> {
    PIECES.iter().flat_map(|a| PIECES.iter().flat_map(move |b| PIECES.iter().map(move |c| format!("{a}{b}{c}{a}"))))
}

#[track_caller]
fn check(case: &str, answer: Cow<'_, str>, expect: &str) {
    assert_eq!(answer, expect, "{case}");
}

#[track_caller]
fn check_borrowed(case: &str, answer: Cow<'_, str>) {
    assert!(matches!(answer, Cow::Borrowed(_)), "{case}");
}

#[test]
fn xml() {
    let all = "a<b>&\"c'&amp;";
    check("24: text", xml_text(all), "a&lt;b&gt;&amp;\"c'&amp;amp;");
    check("24: attribute", xml_attribute(all), "a&lt;b&gt;&amp;&quot;c'&amp;amp;");
    check("24: all five", xml_all_five(all), "a&lt;b&gt;&amp;&quot;c&apos;&amp;amp;");
    check("24: beside wide characters", xml_text("é<茶>💡&"), "é&lt;茶&gt;💡&amp;");
    for length in [15, 16, 17, 31, 32, 33, 64] {
        let (before, after) = ("ü".repeat(length), "x".repeat(length));
        let expect = format!("{before}&lt;{after}'&amp;");
        check("24: wherever it stands", xml_text(&format!("{before}<{after}'&")), &expect);
    }
    check("empty", xml_text(""), "");
    check_borrowed("nothing to escape", xml_text("plain \"é\""));
}

#[test]
fn shows_what_hides() {
    check("24: newline", visible("a\nb"), "a\\u{a}b");
    check("24: controls", visible("\0\t\u{1b}\u{7f}\u{9f}"), "\\u{0}\\u{9}\\u{1b}\\u{7f}\\u{9f}");
    check("24: direction", visible("\u{202e}x\u{2066}"), "\\u{202e}x\\u{2066}");
    check("invisible", visible("a\u{200d}\u{feff}\u{e0041}"), "a\\u{200d}\\u{feff}\\u{e0041}");
    check("line separators", visible("\u{2028}\u{2029}\u{85}"), "\\u{2028}\\u{2029}\\u{85}");
    check("a literal stays", visible("\\u{a}"), "\\u{a}");
    check_borrowed("letters of any script", visible("é/漢字/😀/ب"));
}

#[test]
fn reveals_what_was_shown() {
    check("24: newline", reveal("a\\u{a}b"), "a\nb");
    check("two in a row", reveal("\\u{202e}\\u{0}"), "\u{202e}\0");
    check("upper-case digits", reveal("\\u{202E}"), "\u{202e}");
    check("what is never shown so", reveal("\\u{41}"), "\\u{41}");
    check("no scalar value", reveal("\\u{d800}\\u{ffffff}"), "\\u{d800}\\u{ffffff}");
    check("unclosed", reveal("\\u{a"), "\\u{a");
    check("empty", reveal("\\u{}"), "\\u{}");
    check("a sign", reveal("\\u{+a}"), "\\u{+a}");
    check("too many digits", reveal("\\u{0000000a}"), "\\u{0000000a}");
    check("a broken one before a good one", reveal("\\u{\\u{a}"), "\\u{\n");
    check("cut by a wide character", reveal("\\u{aé}"), "\\u{aé}");
    check_borrowed("nothing shown", reveal("a\\b"));
}

#[test]
fn drops_what_hides() {
    #[track_caller]
    fn check(case: &str, text: &str, expect: &str) {
        assert_eq!(unhidden(text), (Cow::Borrowed(expect), text != expect), "{case}");
    }
    check("tab and newline stay", "a\tb\nc", "a\tb\nc");
    check("24: controls", "a\r\0\u{1b}[0m\u{7f}\u{85}b", "a[0mb");
    check("24: direction", "a\u{202e}b\u{2067}c\u{200f}d\u{61c}e", "abcde");
    check("soft hyphen", "a\u{ad}b", "ab");
    check("zero width", "a\u{200b}\u{2060}\u{2064}\u{206a}\u{feff}b", "ab");
    check("annotation and tags", "a\u{fff9}b\u{e0001}\u{e0069}", "ab");
    check("joiners between Latin letters", "a\u{200d}b\u{200c}c", "abc");
    check("24: Persian", "می\u{200c}خواهم", "می\u{200c}خواهم");
    check("24: Hindi", "क\u{94d}\u{200d}ष", "क\u{94d}\u{200d}ष");
    check("24: Sinhala", "ශ\u{dca}\u{200d}ර", "ශ\u{dca}\u{200d}ර");
    check("24: Mongolian", "ᠠ\u{180e}ᠨ", "ᠠ\u{180e}ᠨ");
    check("a joiner at the end", "می\u{200c}", "می");
    check("a joiner beside a space", "می\u{200c} م", "می م");
    check("a joiner between digits", "۱\u{200c}۲", "۱۲");
    check("two joiners leave one", "می\u{200c}\u{200c}خ", "می\u{200c}خ");
    check("a joiner between two scripts", "می\u{200c}a", "میa");
    check("a family", "👨\u{200d}👩\u{200d}👧", "👨\u{200d}👩\u{200d}👧");
    check("after a skin tone", "👩🏽\u{200d}🚀", "👩🏽\u{200d}🚀");
    check("after a selector", "❤\u{fe0f}\u{200d}🔥", "❤\u{fe0f}\u{200d}🔥");
    check("to a sign", "🤷\u{200d}♀\u{fe0f}", "🤷\u{200d}♀\u{fe0f}");
    check("a selector after a letter", "a\u{fe0f}\u{200d}🔥", "a\u{fe0f}🔥");
    check("a non-joiner between emoji", "👨\u{200c}👩", "👨👩");
    check("signs of Arabic are seen", "\u{600}۱\u{605}", "\u{600}۱\u{605}");
}

#[test]
fn folds_to_one_line() {
    check("runs", fold("a  b\n\tc"), "a b c");
    check("Unicode white space", fold("a\u{a0}b\u{3000}c\u{2028}d"), "a b c d");
    check("ends", fold("\n a b \n"), "a b");
    check("nothing but white space", fold(" \n "), "");
    check_borrowed("folded already", fold("  a b c "));
}

#[test]
fn quotes_for_yaml() {
    #[track_caller]
    fn check(case: &str, text: &str, expect: &str) {
        assert_eq!(quote_yaml(text), expect, "{case}");
    }
    check("plain", "a: b # c", r#""a: b # c""#);
    check("quotes and backslashes", r#"a"b\c"#, r#""a\"b\\c""#);
    check("lines", "a\n\tb\r\n", r#""a\n\tb\r\n""#);
    check("controls", "\0\u{1b}\u{85}", r#""\x00\x1b\x85""#);
    check("hidden", "\u{ad}\u{202e}\u{e0041}\u{ffff}", r#""\xad\u202e\U000e0041\uffff""#);
    check("other scripts", "é 漢 😀", "\"é 漢 😀\"");
}

#[test]
fn laws() {
    for text in texts() {
        for escaped in [xml_text(&text), xml_attribute(&text), xml_all_five(&text)] {
            let bare = escaped.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "");
            let bare = bare.replace("&quot;", "").replace("&apos;", "");
            assert!(!bare.contains(['<', '>', '&']), "24: no bare mark in {escaped:?}");
        }
        assert_eq!(reveal(&visible(&text)), text, "24: there and back of {text:?}");
        assert!(!visible(&text).contains(is_shown_by_number), "24: nothing hides in {text:?}");
        assert_eq!(visible(&visible(&text)), visible(&text), "shown twice: {text:?}");
        assert_eq!(fold(&fold(&text)), fold(&text), "folded twice: {text:?}");
        let (clean, dropped) = unhidden(&text);
        assert_eq!(dropped, clean != text, "whether anything went of {text:?}");
        assert_eq!(unhidden(&clean), (Cow::Borrowed(&*clean), false), "cleaned twice: {text:?}");
    }
}

#[test]
fn what_is_quoted_reads_back() {
    use yaml_rust2::parser::{Event, Parser};
    for text in texts() {
        let quoted = quote_yaml(&text);
        assert_eq!(quoted.lines().count(), 1, "{text:?}");
        let mut parser = Parser::new_from_str(&quoted);
        let read = std::iter::from_fn(|| parser.next_token().ok()).take(4).find_map(|(event, _)| match event {
            Event::Scalar(value, ..) => Some(value),
            _ => None,
        });
        assert_eq!(read, Some(text));
    }
}
