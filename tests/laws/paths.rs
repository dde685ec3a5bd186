//! Laws of paths: none escapes, and a spelled path is read back.

use crate::common::{Tree, path, property};
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use skilltree::{Fs, FsPath, MemFs};

fn any_text() -> impl Strategy<Value = String> {
    const PARTS: &[&str] =
        &["..", ".", "", "a", "b.md", "a/b", "/", "\0", "\\", "C:", "ü", " ", "\n", "...", "~", "in", "out", "up"];
    let part = (select(PARTS), prop::bool::weighted(0.75));
    vec(part, 0..7).prop_map(|parts| {
        parts.iter().map(|(part, has_slash)| format!("{part}{}", if *has_slash { "/" } else { "" })).collect()
    })
}

#[track_caller]
fn is_sound(path: &FsPath) {
    let text = path.as_str();
    assert!(text.starts_with('/') && !text.contains('\0'), "{text:?}");
    let mut names = text[1..].split('/');
    assert!(text == "/" || names.all(|name| !matches!(name, "" | "." | "..")), "{text:?}");
}

#[test]
fn a_path_never_escapes() {
    let base = path("/one/two");
    property::check("a_path_never_escapes", 20_000, any_text(), |text| {
        for made in [base.join(&text), base.child(&text)].into_iter().flatten() {
            is_sound(&made);
            assert!(made.starts_with(&base), "{text:?} leads to {made}");
        }
        FsPath::new(&text).iter().for_each(is_sound);
        MemFs::new().parse(&text, &base).iter().for_each(is_sound);
        Ok(())
    });
}

/// Inside are `in/` and a file; outside is a secret; links lead both ways.
fn confined() -> Tree {
    Tree::default()
        .with("/out/a", "secret")
        .with("/out/b.md", "secret")
        .with("/base/in/a", "fine")
        .with("/base/b.md", "fine")
        .with_link("/base/a", "in/a")
        .with_link("/base/up", "..")
        .with_link("/base/out", "/out")
        .with_link("/base/in/up", "../..")
        .with_link("/base/in/b.md", "../../out/b.md")
        .with_link("/base/in/in", "../in")
}

fn no_secret(text: &str, fs: &dyn Fs) {
    if let Ok(head) = fs.read_within(&path("/base"), text, 100) {
        assert_eq!(String::from_utf8_lossy(&head.bytes), "fine", "{text:?}");
    }
}

#[test]
fn a_confined_read_never_escapes() {
    let tree = confined();
    let memory = tree.mem();
    #[cfg(unix)]
    let (disk, _folder) = tree.disk();
    property::check("a_confined_read_never_escapes", 5_000, any_text(), |text| {
        no_secret(&text, &memory);
        #[cfg(unix)]
        no_secret(&text, &disk);
        Ok(())
    });
}

#[test]
fn spell_then_parse_is_identity() {
    let base = path("/somewhere/else");
    property::check("spell_then_parse_is_identity", 5_000, any_text(), |text| {
        let Ok(path) = FsPath::root().join(&text) else { return Ok(()) };
        assert_eq!(MemFs::new().parse(&MemFs::new().display(&path), &base), Some(path.clone()));
        #[cfg(unix)]
        for fs in [skilltree::OsFs::new(), skilltree::OsFs::rooted("/tmp")] {
            assert_eq!(fs.parse(&fs.display(&path), &base), Some(path.clone()));
        }
        Ok(())
    });
}
