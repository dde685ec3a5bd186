//! Converts between the addresses of the protocol and paths. Only `file:` addresses of this machine have a path.

use lsp_types::Uri;
use skilltree::{Fs, FsPath, OsFs};
use std::str::FromStr;

/// The path that an address names; `None` for an address that is not that of a file here.
pub(super) fn path(uri: &str) -> Option<FsPath> {
    let (scheme, rest) = uri.split_once(':')?;
    let rest = rest.strip_prefix("//").filter(|_| scheme.eq_ignore_ascii_case("file"))?;
    let (host, path) = rest.split_at(rest.find('/')?);
    if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
        return None;
    }
    let path = path.split(['?', '#']).next()?;
    let text = decoded(path)?;
    // `/C:/skills` is `C:/skills` there.
    let text = if cfg!(windows) { text.trim_start_matches('/') } else { &text };
    OsFs::new().parse(text, &FsPath::root())
}

/// The text with the bytes that are written as `%41`; `None` if that is not UTF-8, or holds NUL.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                bytes.push(u8::try_from(digit(high)? * 16 + digit(low)?).ok()?);
                rest = after;
            }
            (b'%', _) => return None,
            (byte, _) => bytes.push(*byte),
        }
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

/// The address of a path.
pub(super) fn uri(path: &FsPath) -> Option<Uri> {
    let fs = OsFs::new();
    let shown = fs.display(path).replace('\\', if cfg!(windows) { "/" } else { "\\" });
    let mut text = String::from(if shown.starts_with('/') { "file://" } else { "file:///" });
    for byte in shown.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => text.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => text.push(char::from(byte)),
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    Uri::from_str(&text).ok()
}
