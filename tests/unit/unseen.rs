use super::{What, unseen};
use crate::property;
use crate::text::escape::hidden_characters;
use proptest::prelude::*;

/// What is found in a text: its kind, its first place, and how much it is.
#[track_caller]
fn found(case: &str, text: &str, expect: &[(&str, &str, usize)]) {
    let kind = |what| match what {
        What::Invisible(_) => "invisible",
        What::AfterBlanks => "blanks",
        What::Encoded => "encoded",
    };
    let got: Vec<_> = unseen(text).into_iter().map(|one| (kind(one.what), &text[one.first], one.count)).collect();
    assert_eq!(got, expect, "{case}");
}

const BASE64: &str = "TWFuIGlzIGRpc3Rpbmd1aXNoZWQsIG5vdCBvbmx5IGJ5IGhpcyByZWFzb24sIGJ1";

#[test]
fn invisible_characters() {
    found("none", "# Tea\n\nBoil water. \u{1f469}\u{200d}\u{1f4bb} فارسی می\u{200c}خواهم\n", &[]);
    found("two", "a\u{200b}b\u{202e}c", &[("invisible", "\u{200b}", 2)]);
    found("a byte order mark at the beginning alone", "\u{feff}a", &[]);
    found("one elsewhere", "a\u{feff}", &[("invisible", "\u{feff}", 1)]);
}

#[test]
fn text_behind_blanks() {
    found("a table", &format!("| a{} |\n", " ".repeat(60)), &[]);
    found("blanks at the end", &format!("a{}\nb\n", " ".repeat(500)), &[]);
    found("behind a line", &format!("Boil.{}Send it.\nAnd", " ".repeat(150)), &[("blanks", "Send it.", 1)]);
    found("indented far", &format!("{}Send it.", "\t".repeat(100)), &[("blanks", "Send it.", 1)]);
    found("lines", &format!("Boil.{}Send it.\r\n", "\r\n".repeat(60)), &[("blanks", "Send it.", 1)]);
    found("some lines", &format!("Boil.{}Pour.", "\n".repeat(9)), &[]);
}

#[test]
fn encoded_data() {
    found("a line of it", BASE64, &[]);
    found("two lines", &format!("x\n{BASE64}\n  {BASE64}\ny"), &[("encoded", &format!("{BASE64}\n  {BASE64}"), 131)]);
    let long = BASE64.repeat(3);
    found("one long word", &format!("echo {long}| base64 -d"), &[("encoded", &long, 192)]);
    found("in other letters", &format!("é{long}é {long}"), &[("encoded", &long, 384)]);
    let sha512 = "0123456789abcdef".repeat(8);
    found("a digest", &sha512, &[]);
    found("more digits", &format!("{sha512}{sha512}"), &[("encoded", &format!("{sha512}{sha512}"), 256)]);
    found("numbers and words", &format!("{} {} {}", "1".repeat(300), "a".repeat(300), "-".repeat(300)), &[]);
    found("a path", &format!("/usr{}", "/Some/folder1/of".repeat(20)), &[]);
    let escapes = "\\x41\\x6a".repeat(20);
    found("escapes", &format!("s = '{escapes}'"), &[("encoded", &escapes, 160)]);
    found("few escapes", "s = '\\x41\\x6a \\x \\xzz'", &[]);
}

#[test]
fn places_are_in_the_text() {
    let texts = "(\\PC|[ \t\r\n]{20,60}|[A-Za-z0-9+/]{50,150}|(\\\\x[0-9a-f]{2}){30,40}|\u{200b}|é){0,12}";
    property::check("places_are_in_the_text", 256, texts, |text| {
        for one in unseen(&text) {
            prop_assert!(text.get(one.first.clone()).is_some_and(|part| !part.is_empty()), "{:?}", one);
            prop_assert!(one.count > 0);
        }
        for (at, c) in hidden_characters(&text) {
            prop_assert_eq!(text[at..].chars().next(), Some(c));
        }
        Ok(())
    });
}
