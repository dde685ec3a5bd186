//! Percent-encoding of addresses (RFC 3986, section 2.1).

/// The path with all bytes but letters, digits, `-._~` and `/` encoded.
pub(crate) fn encoded_path(path: &str) -> String {
    let encoded = |byte: u8| match byte {
        b'-' | b'.' | b'_' | b'~' | b'/' => char::from(byte).to_string(),
        _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    path.bytes().map(encoded).collect()
}

/// The text with encoded bytes decoded; `None` if a `%` is not followed by two hexadecimal digits, or if the result is
/// not UTF-8.
#[cfg(feature = "lsp")]
pub(crate) fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        bytes.push(u8::try_from(digit()? * 16 + digit()?).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(all(test, feature = "lsp"))]
mod tests {
    use super::{decoded, encoded_path};

    #[test]
    fn what_is_encoded_is_decoded() {
        assert_eq!(encoded_path("a b/é.md"), "a%20b/%C3%A9.md");
        for text in ["", "a-Z_0.9~", "a b/c%", "é\0"] {
            assert_eq!(decoded(&encoded_path(text)).as_deref(), Some(text));
        }
        assert_eq!([decoded("100%"), decoded("%+1"), decoded("%C3")], [None, None, None]);
    }
}
