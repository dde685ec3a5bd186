//! The names of copies: what an id gives, and that a hash is the same everywhere.

use super::{hash, is_usable, plain_key};
use crate::dialect::ActivationRule;
use pretty_assertions::assert_eq;

#[track_caller]
fn check(case: &str, id: &str, expect: &str, usable: bool) {
    let rule = ActivationRule { dir: "skills/active".into(), separator: "--".into() };
    let key = plain_key(&rule, id);
    assert_eq!((key.as_str(), is_usable(&key)), (expect, usable), "{case}");
}

#[test]
fn an_id_gives_a_key() {
    check("40: a colon", "core:scheduling", "core--scheduling", true);
    check("40: a slash", "plugin:telegram/helper", "plugin--telegram--helper", true);
    check("40: what is no name cannot climb", "user:../pwn", "user--..--pwn", true);
    check("40: other characters go", "user:a b", "user--ab", true);
    check("40: all of them", "config:日本", "config--", true);
    check("40: separators alone", "::", "----", true);
    check("40: white space round it", "  core:a ", "core--a", true);
    check("40: nothing", "日本", "", false);
    check("40: a dot", ".", ".", false);
    check("40: two dots", "..", "..", false);
    check("40: the door's own names", ".skilltree-1", ".skilltree-1", false);
}

#[test]
fn the_hash_is_fnv_1a() {
    let rows = [("", 0x8422_2325), ("a", 0x8601_ec8c), ("foobar", 0xf739_67e8_u32)];
    for (text, expect) in rows {
        assert_eq!(hash(text), expect, "40: {text}");
    }
}
