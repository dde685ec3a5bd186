//! Converts between the addresses of the protocol and paths. Only `file:` addresses of this machine have a path.

use crate::percent;
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
    let text = percent::decoded(path).filter(|text| !text.contains('\0'))?;
    // `/C:/skills` is `C:/skills` there.
    let text = if cfg!(windows) { text.trim_start_matches('/') } else { &text };
    OsFs::new().parse(text, &FsPath::root())
}

/// The address of a path.
pub(super) fn uri(path: &FsPath) -> Option<Uri> {
    let fs = OsFs::new();
    let shown = fs.display(path).replace('\\', if cfg!(windows) { "/" } else { "\\" });
    let root = if shown.starts_with('/') { "file://" } else { "file:///" };
    Uri::from_str(&format!("{root}{}", percent::encoded_path(&shown))).ok()
}
