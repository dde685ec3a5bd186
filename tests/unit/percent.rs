//! Percent-encoding and its inverse.

use super::{decoded, encoded, encoded_path};
use crate::property;
use pretty_assertions::assert_eq;

#[test]
fn texts() {
    for (text, expect) in [("", ""), ("a-Z_0.9~", "a-Z_0.9~"), ("a b/c%", "a%20b%2Fc%25"), ("é\0", "%C3%A9%00")] {
        assert_eq!(encoded(text), expect);
    }
    assert_eq!(encoded_path("a b/é.md"), "a%20b/%C3%A9.md");
    for (text, expect) in [
        ("a%20b", Some("a b")),
        ("%c3%A9", Some("é")),
        ("100%", None),
        ("%2", None),
        ("%+1", None),
        ("%é", None),
        ("%C3", None),
        ("a+b", Some("a+b")),
    ] {
        assert_eq!(decoded(text).as_deref(), expect, "{text}");
    }
}

#[test]
fn what_is_encoded_is_decoded() {
    property::check("what_is_encoded_is_decoded", 256, ".*", |text: String| {
        let (whole, path) = (encoded(&text), encoded_path(&text));
        proptest::prop_assert!(whole.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/'));
        proptest::prop_assert_eq!(decoded(&whole), Some(text.clone()));
        proptest::prop_assert_eq!(decoded(&path), Some(text));
        Ok(())
    });
}
