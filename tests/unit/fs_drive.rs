//! The spelling of Windows, both ways, on every system.

use super::{Prefix, from_host, to_host};
use crate::path::FsPath;
use pretty_assertions::assert_eq;

fn path(text: &str) -> FsPath {
    FsPath::new(text).unwrap_or_else(|_| FsPath::root())
}

#[track_caller]
fn spelled(case: &str, from: &str, plain: Option<&str>, verbatim: Option<&str>) {
    assert_eq!(to_host(&path(from), Prefix::Plain).as_deref(), plain, "{case}");
    assert_eq!(to_host(&path(from), Prefix::Verbatim).as_deref(), verbatim, "{case}");
    if let Some(plain) = plain {
        assert_eq!(from_host(plain, &path("/D:/x")), Some(path(from)), "{case}: spelled, then parsed");
    }
    if let Some(verbatim) = verbatim {
        assert_eq!(from_host(verbatim, &path("/D:/x")), Some(path(from)), "{case}: spelled verbatim, then parsed");
    }
}

#[test]
fn a_path_is_spelled_with_its_drive() {
    spelled("a file", "/C:/Users/me/SKILL.md", Some(r"C:\Users\me\SKILL.md"), Some(r"\\?\C:\Users\me\SKILL.md"));
    spelled("a drive", "/C:", Some(r"C:\"), Some(r"\\?\C:\"));
    spelled("a share", "/UNC/host/share/x", Some(r"\\host\share\x"), Some(r"\\?\UNC\host\share\x"));
    spelled("the root of a share", "/UNC/host/share", Some(r"\\host\share"), Some(r"\\?\UNC\host\share"));
    spelled("a host alone", "/UNC/host", None, None);
    spelled("the root", "/", None, None);
    spelled("no drive", "/home/me", None, None);
    spelled("two letters", "/CC:/x", None, None);
    spelled("a name with a backslash would climb", r"/C:/a\..\..\b", None, None);
    spelled("a name with a colon would be a stream", "/C:/a:b", None, None);
}

#[track_caller]
fn parsed(case: &str, text: &str, base: &str, expect: Option<&str>) {
    assert_eq!(from_host(text, &path(base)), expect.map(path), "{case}");
}

#[test]
fn a_spelling_is_parsed() {
    parsed("either slash", r"C:\a/b", "/D:", Some("/C:/a/b"));
    parsed("a small letter is the same drive", r"c:\a", "/D:", Some("/C:/a"));
    parsed("relative", r"a\..\b", "/D:/x", Some("/D:/x/b"));
    parsed("relative, up", r"..\b", "/D:/x/y", Some("/D:/x/b"));
    parsed("not above the drive", r"..\..\b", "/D:/x", None);
    parsed("not above the share", r"..\b", "/UNC/host/share", None);
    parsed("from the root of the drive", r"\a", "/D:/x", Some("/D:/a"));
    parsed("from the root of the share", r"\a", "/UNC/host/share/x", Some("/UNC/host/share/a"));
    parsed("relative to a drive's own folder", "C:a", "/D:/x", None);
    parsed("relative to nothing", "a", "/", None);
    parsed("nothing", "", "/D:/x", None);
    parsed("a host alone", r"\\host", "/D:/x", None);
    parsed("a device", r"\\.\COM1", "/D:/x", None);
    parsed("letters of two bytes", "é:", "/D:/x", Some("/D:/x/é:"));
}
