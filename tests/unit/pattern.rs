//! Regular expressions from strangers: decisions 37. Without the feature there are none.

#[cfg(feature = "patterns")]
use super::Patterns;
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
    use super::{Pattern, PatternError, Patterns};
    use crate::text::pattern::door::is_small;
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

    /// Together they find what each finds alone.
    #[test]
    fn looks_for_many_at_once() {
        let patterns = [
            r"greet\s+\w+",
            "Привет [A-Z]",
            r"\bkiss\b",
            "(?-i)Kiss",
            "straße|gasse",
            "(colou?r|hue)s?",
            "a{3}",
            r"\d+-\d+",
            "(foo|bar)baz",
            "[ab]c",
            "x*",
            "^$",
            "茶",
            "(?:re)?do+",
            "K",
            "ſ",
            "σοφός",
            "(?-u:ab)c",
            "a|b|c",
            "(",
            r"\w{9000}",
            "(?:ab){2}c",
            r"c\+\+",
            "(a(b(c)))d",
            "(?i:É)t(?-i:É)",
            "ab$",
            r"one\b two",
            "ﬀ",
            "İ",
            "ǅ",
            "a.c",
            r"(\w{900}){900}",
        ];
        let texts = [
            "",
            "please GREET  everybody",
            "ПРИВЕТ x",
            "a \u{212a}i\u{17f}S",
            "Kiss",
            "kiss me",
            "STRASSE Straße GASSE",
            "hues",
            "colors",
            "aaa",
            "aa",
            "12-34",
            "FOOBAZ",
            "barbaz",
            "BC",
            "茶茶",
            "redooo",
            "DO",
            "k",
            "s",
            "ΣΟΦΌΣ",
            "σοφόσ",
            "abc",
            "ABABC",
            "C++",
            "ABCD",
            "étÉ",
            "ÉTé",
            "xab",
            "one two",
            "ONE TWO",
            "FF",
            "ﬀ",
            "i",
            "i\u{307}",
            "ǆ",
            "a\u{1f600}c",
            "ac",
        ];
        let many = Patterns::new(&patterns);
        let alone = patterns.map(Pattern::new);
        for text in texts {
            let mut found = Vec::new();
            many.find(text, &mut |place, answer| found.push((place, answer.map_err(Clone::clone))));
            let alone = alone.iter().enumerate().filter_map(|(place, pattern)| match pattern {
                Ok(pattern) => pattern.is_in(text).then_some((place, Ok(()))),
                Err(error) => Some((place, Err(error.clone()))),
            });
            assert_eq!(found, alone.collect::<Vec<_>>(), "{text:?}");
        }
    }

    /// What is held to be small compiles.
    #[test]
    fn knows_what_is_small() {
        let one = [r"\w", ".", "a", "é", r"[\u{85}-\u{10fffe}]", r"\s", r"[\x{7f}-\x{801}]", r"\b"];
        let mut small = 0;
        for part in one {
            for times in [1, 4, 16] {
                for text in
                    [format!("(?:{part}|x{{3}}){{{times}}}"), format!("({part}?){{0,{times}}}y*"), part.repeat(times)]
                {
                    if is_small(&text) {
                        small += 1;
                        assert_eq!(Pattern::new(&text).map(|_| ()), Ok(()), "{text:.40}");
                    }
                }
            }
        }
        assert!(small > 30, "{small} of them are known to be small");
    }
}
