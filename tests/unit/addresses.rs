//! Percent-encoding of addresses in the command line.

use super::{decoded, encoded_path};

#[test]
fn what_is_encoded_is_decoded() {
    assert_eq!(encoded_path("a b/é.md"), "a%20b/%C3%A9.md");
    for text in ["", "a-Z_0.9~", "a b/c%", "é\0"] {
        assert_eq!(decoded(&encoded_path(text)).as_deref(), Some(text));
    }
    assert_eq!([decoded("100%"), decoded("%+1"), decoded("%C3")], [None, None, None]);
}
