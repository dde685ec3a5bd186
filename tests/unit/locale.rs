use super::compare;
use pretty_assertions::assert_eq;

/// Each list is in the order in which `localeCompare` of Node.js puts it.
#[test]
fn names_are_in_the_order_of_a_language() {
    for sorted in [
        &["alpha", "Alpha", "beta", "Beta", "gamma"][..],
        &["a b", "a_b", "a-b", "a.b", "a1", "a10", "a2", "ab", "aB", "Ab"],
        &["_x", "-x", "1x", "x", "X"],
        &["skill", "Skill", "skill-2", "skill2", "skills"],
        &["_x", "→", "🚀", "1", "z", "Z", "日"],
        &["e", "E", "é", "É", "ea", "Ea", "éa", "éA", "Éa", "eb", "f"],
        &["o", "ø", "p", "š", "ss", "st", "z", "þ", "α", "я", "日"],
    ] {
        let mut names: Vec<&str> = sorted.iter().rev().copied().collect();
        names.sort_by(|a, b| compare(a, b));
        assert_eq!(names, sorted);
    }
}
