//! Regular expressions from strangers: decisions 37. Without the feature there are none.

use super::{Pattern, PatternError};

#[cfg(not(feature = "patterns"))]
#[test]
fn none_is_supported() {
    use pretty_assertions::assert_eq;
    assert_eq!(Pattern::judge("a+"), Err(PatternError::Unsupported));
    assert_eq!(Pattern::new("a+").map(|pattern| pattern.is_in("a")), Err(PatternError::Unsupported));
}

#[cfg(feature = "patterns")]
mod supported {
    use super::{Pattern, PatternError};
    use pretty_assertions::assert_eq;

    #[track_caller]
    fn check(case: &str, pattern: &str, text: &str, expect: bool) {
        assert_eq!(Pattern::judge(pattern), Ok(()), "{case}: its form");
        assert_eq!(Pattern::new(pattern).map(|pattern| pattern.is_in(text)), Ok(expect), "{case}");
    }

    #[test]
    fn looks_for_patterns() {
        check("agent-base's own", r"greet\s+\w+", "please greet  everybody", true);
        check("37 case is ignored", "Привет [A-Z]", "ПРИВЕТ x", true);
        check("37 words of any script", r"^\w+$", "Grüße", true);
        check("37 letters and scripts by property", r"^\p{L}+ \p{Han}$", "Grüße 茶", true);
        check("no boundary of its own", "art", "party", true);
        check("none", "a{3}", "aa", false);
        check("linear where others explode", "(a+)+$", &format!("{}b", "a".repeat(50_000)), false);
    }

    #[track_caller]
    fn refuses(case: &str, pattern: &str, reason: &str) {
        let reason = Err(PatternError::Invalid(reason.to_owned()));
        assert_eq!(Pattern::judge(pattern), reason, "{case}: its form");
        assert_eq!(Pattern::new(pattern).map(|_| ()), reason, "{case}");
    }

    #[test]
    fn says_what_is_wrong() {
        refuses("37 unclosed", "(a", "unclosed group");
        refuses("37 look-around", "(?=a)", "look-around, including look-ahead and look-behind, is not supported");
        refuses("37 a back-reference", r"(a)\1", "backreferences are not supported");
        refuses("37 over two lines", "(?x)\n a\n (", "unclosed group");
        let deep = format!("{}a{}", "(".repeat(101), ")".repeat(101));
        refuses("37 too deep", &deep, "exceed the maximum number of nested parentheses/brackets (100)");
        let large = Err(PatternError::TooLarge);
        assert_eq!(Pattern::new(r"(\w{900}){900}").map(|_| ()), large, "37 too large");
        assert_eq!(Pattern::judge(r"(\w{900}){900}"), Ok(()), "37 the size is not judged by form");
    }
}
