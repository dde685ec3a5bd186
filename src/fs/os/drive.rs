//! Converts between an [`FsPath`] and the spelling of Windows: `/C:/x` is `C:\x`, `/UNC/server/share/x` is
//! `\\server\share\x`. It works on text alone, so it behaves the same and is tested on every system. Paths relative to
//! the current directory of a drive (`C:x`) and device paths (`\\.\x`) are refused.

use crate::path::FsPath;

/// Whether the spelling is for people, or for calls: a verbatim path has no device names and no limit of length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    /// `C:\x`
    Plain,
    /// `\\?\C:\x`
    Verbatim,
}

/// The spelling of Windows; none for a path outside of any drive, or with a name that Windows would read as more
/// than one name.
pub(super) fn to_host(path: &FsPath, prefix: Prefix) -> Option<String> {
    let rest = path.relative_to(&FsPath::root())?;
    let (drive, below) = rest.split_once('/').unwrap_or((rest, ""));
    if below.contains(['\\', ':']) {
        return None;
    }
    let below = below.replace('/', "\\");
    if drive == "UNC" {
        let lead = if prefix == Prefix::Plain { r"\\" } else { r"\\?\UNC\" };
        return below.contains('\\').then(|| format!("{lead}{below}"));
    }
    let lead = if prefix == Prefix::Plain { "" } else { r"\\?\" };
    is_drive(drive).then(|| format!(r"{lead}{drive}\{below}"))
}

/// How long a plain spelling may be for every program, in UTF-16 units: the working directory has the smallest limit, 260
/// with its last separator and its end, of which a file name below it needs 12.
#[cfg(any(test, feature = "processes"))]
const MAX_PLAIN_UNITS: usize = 246;

/// The spelling for other programs: the plain one, or none where that would name something else, be it a device (`CON`),
/// a name without the dots or blanks at its end, or nothing at all, as it is too long.
#[cfg(any(test, feature = "processes"))]
pub(super) fn to_program(path: &FsPath) -> Option<String> {
    let is_kept = |name: &str| !name.ends_with(['.', ' ']) && !is_device(name);
    let plain = to_host(path, Prefix::Plain).filter(|plain| plain.encode_utf16().count() <= MAX_PLAIN_UNITS)?;
    path.as_str().split('/').all(is_kept).then_some(plain)
}

/// Whether Windows takes a name for a device, which it does with any extension. A port may have one of the digits `¹`, `²`
/// and `³`.
#[cfg(any(test, feature = "processes"))]
fn is_device(name: &str) -> bool {
    let stem = name.split(['.', ' ']).next().unwrap_or_default().to_ascii_uppercase();
    let port = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT")).map(str::as_bytes);
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
        || matches!(port, Some([b'0'..=b'9'] | [0xc2, 0xb9 | 0xb2 | 0xb3]))
}

/// The path that a spelling of Windows names, with either slash; what begins with no drive is relative to `base`,
/// or to the drive of `base` after a slash.
pub(super) fn from_host(text: &str, base: &FsPath) -> Option<FsPath> {
    if text.is_empty() {
        return None;
    }
    let text = text.replace('\\', "/");
    let text = match (text.strip_prefix("//?/UNC/"), text.strip_prefix("//?/")) {
        (Some(share), _) => format!("//{share}"),
        (None, Some(plain)) => plain.to_owned(),
        (None, None) => text,
    };
    if let Some(share) = text.strip_prefix("//") {
        let whole = share.split('/').take(2).filter(|name| !matches!(*name, "" | "." | ".." | "?")).count() == 2;
        return FsPath::new("/UNC").ok()?.join(share).ok().filter(|_| whole);
    }
    let start = text.get(..2).filter(|drive| is_drive(drive));
    if let (Some(drive), Some(below)) = (start, text.get(2..)) {
        let root = FsPath::root().child(&drive.to_ascii_uppercase()).ok()?;
        return below.starts_with('/').then(|| root.join(below).ok())?;
    }
    let names: Vec<&str> = base.as_str().split('/').skip(1).collect();
    let kept = match names.first() {
        Some(&"UNC") => 3,
        _ => 1,
    };
    let root = FsPath::root().join(&names.get(..kept)?.join("/")).ok().filter(|root| root.depth() == kept)?;
    let below = if text.starts_with('/') { "" } else { base.relative_to(&root)? };
    root.join(&format!("{below}/{text}")).ok()
}

fn is_drive(name: &str) -> bool {
    matches!(name.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
#[path = "../../../tests/unit/fs_drive.rs"]
mod tests;
