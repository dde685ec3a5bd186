//! The spelling of Windows, both ways, on every system.

use super::{Prefix, from_host, to_host, to_program};
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

#[track_caller]
fn for_programs(case: &str, from: &str, expect: Option<&str>) {
    assert_eq!(to_program(&path(from)).as_deref(), expect, "{case}");
}

#[test]
fn a_path_for_programs_is_plain_where_that_is_the_same_file() {
    for_programs("a file", "/C:/skills/tea/boil.bat", Some(r"C:\skills\tea\boil.bat"));
    for_programs("a share", "/UNC/host/share/x", Some(r"\\host\share\x"));
    for_programs("a device", "/C:/skills/con", None);
    for_programs("a device with an ending", "/C:/skills/NUL.txt", None);
    for_programs("a folder that is a device", "/C:/Com1/boil.bat", None);
    for_programs("a port by a small digit", "/C:/LPT²", None);
    for_programs("two digits are no device", "/C:/com10", Some(r"C:\com10"));
    for_programs("the beginning of a device is none", "/C:/console", Some(r"C:\console"));
    for_programs("a dot at the end", "/C:/skills/tea.", None);
    for_programs("a blank at the end", "/C:/skills/tea /x", None);
    for_programs("no drive", "/home/me", None);
    let long = format!("/C:/{}", "é".repeat(243));
    for_programs("as long as every program takes", &long, Some(&format!(r"C:\{}", "é".repeat(243))));
    for_programs("longer", &format!("{long}x"), None);
}
