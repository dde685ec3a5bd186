//! Paths within trees and their folders: what only the library's own modules ask of a path.

use super::FsPath;
use pretty_assertions::assert_eq;

fn path(text: &str) -> FsPath {
    FsPath::new(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn is_put_where_another_folder_is() {
    let cases = [
        ("/a/b", "/a", "/x", Some("/x/b")),
        ("/a/b/c", "/a", "/", Some("/b/c")),
        ("/a/b", "/", "/x", Some("/x/a/b")),
        ("/a", "/a", "/x", Some("/x")),
        ("/a", "/a", "/", Some("/")),
        ("/ab", "/a", "/x", None),
        ("/", "/a", "/x", None),
    ];
    for (from, old, new, expected) in cases {
        let rebased = path(from).rebased(&path(old), &path(new));
        assert_eq!(rebased.as_ref().map(FsPath::as_str), expected, "{from} from {old} to {new}");
    }
}

#[test]
fn keeps_its_name_in_another_folder() {
    for (from, dir, expected) in [("/a/b", "/x", "/x/b"), ("/a/b", "/", "/b"), ("/", "/x", "/x")] {
        assert_eq!(path(from).moved_to(&path(dir)).as_str(), expected, "{from} to {dir}");
    }
}
