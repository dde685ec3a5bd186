//! Percent-encoding of addresses (RFC 3986, section 2.1).

#[cfg(feature = "lsp")]
use percent_encoding::percent_decode_str;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// The path with all bytes but letters, digits, `-._~` and `/` encoded.
pub(crate) fn encoded_path(path: &str) -> String {
    utf8_percent_encode(path, KEPT).to_string()
}

/// The text with encoded bytes decoded; `None` if a `%` is not followed by two hexadecimal digits, which the library would
/// keep, or if the result is not UTF-8.
#[cfg(feature = "lsp")]
pub(crate) fn decoded(text: &str) -> Option<String> {
    let is_encoded = |rest: &[u8]| matches!(rest, [a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit());
    let is_valid = text.as_bytes().split(|byte| *byte == b'%').skip(1).all(is_encoded);
    is_valid.then(|| percent_decode_str(text).decode_utf8().ok()).flatten().map(Into::into)
}

#[cfg(all(test, feature = "lsp"))]
#[path = "../../tests/unit/addresses.rs"]
mod tests;
