//! Percent-encoding of addresses (RFC 3986, section 2.1).

/// The text with all bytes but letters, digits and `-._~` encoded.
#[cfg(any(test, feature = "digest"))]
pub(crate) fn encoded(text: &str) -> String {
    encoded_except(text, b"-._~")
}

/// The path with all bytes but letters, digits, `-._~` and `/` encoded.
#[cfg(any(test, feature = "digest"))]
pub(crate) fn encoded_path(path: &str) -> String {
    encoded_except(path, b"-._~/")
}

#[cfg(any(test, feature = "digest"))]
fn encoded_except(text: &str, plain: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || plain.contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// The text with encoded bytes decoded; `None` if a `%` is not followed by two hexadecimal digits, or if the result is
/// not UTF-8.
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

#[cfg(test)]
#[path = "../../tests/unit/percent.rs"]
mod tests;
