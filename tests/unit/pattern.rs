//! Regular expressions from strangers: topic 10 of the rules. Without the feature there are none.

use super::{Pattern, PatternError};

#[cfg(not(feature = "patterns"))]
#[test]
fn none_is_supported() {
    use pretty_assertions::assert_eq;
    assert_eq!(Pattern::judge("a+"), Err(PatternError::Unsupported));
    assert_eq!(Pattern::new("a+").map(|_| ()), Err(PatternError::Unsupported));
}

#[cfg(feature = "patterns")]
mod supported {
    use super::{Pattern, PatternError};
    use crate::text::pattern::set::{MAX_TEXT_BYTES, MAX_TOTAL_BYTES, MAX_UNITS, approximate, share, units};
    use crate::text::pattern::{Owned, Patterns};
    use pretty_assertions::assert_eq;

    #[track_caller]
    fn check(case: &str, pattern: &str, text: &str, expect: bool) {
        assert_eq!(Pattern::judge(pattern), Ok(()), "{case}: its form");
        assert_eq!(Pattern::new(pattern).map(|pattern| pattern.is_in(text)), Ok(expect), "{case}");
    }

    #[test]
    fn looks_for_patterns() {
        check("agent-base's own", r"greet\s+\w+", "please greet  everybody", true);
        check("rule 10.5: case is ignored", "Привет [A-Z]", "ПРИВЕТ x", true);
        check("rule 10.5: words of any script", r"^\w+$", "Grüße", true);
        check("rule 10.5: letters and scripts by property", r"^\p{L}+ \p{Han}$", "Grüße 茶", true);
        check("no boundary of its own", "art", "party", true);
        check("none", "a{3}", "aa", false);
        check("rule 10.5: a bracket in a class", r"^[[]\w]$", "[a]", true);
        check("rule 10.5: no operators", "^[a&&b]+$", "a&b", true);
        check("rule 10.5: no difference", "^[~~]-[+--]$", "~-,", true);
        check("rule 10.5: a hyphen beside a set", r"^[\w-.][.-\d]@[^\]-]$", "-5@a", true);
        check("rule 10.5: a range", "^[+-a-c][a-]$", "--", true);
        check("rule 10.5: the first part of a range", "^[a-c-e]$", "d", false);
        check("rule 10.5: any character", "^a[^]b$", "a\nb", true);
        check("rule 10.5: none", "a[]|b", "a", false);
        check("rule 10.5: braces", "^{x}{,2}a{2}[{]}$", "{x}{,2}aa{}", true);
        check("rule 10.5: braces of escapes", r"^\u{e9}\x{e9}[\p{Greek}-]$", "éé-", true);
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
        refuses("rule 10.5: unclosed", "(a", "unclosed group");
        refuses(
            "rule 10.5: look-around",
            "(?=a)",
            "look-around, including look-ahead and look-behind, is not supported",
        );
        refuses("rule 10.5: a back-reference", r"(a)\1", "backreferences are not supported");
        refuses("rule 10.5: over two lines", "(?x)\n a\n (", "unclosed group");
        let deep = format!("{}a{}", "(".repeat(101), ")".repeat(101));
        refuses("rule 10.5: too deep", &deep, "exceed the maximum number of nested parentheses/brackets (100)");
        let large = Err(PatternError::TooLarge);
        assert_eq!(Pattern::new(r"(\w{900}){900}").map(|_| ()), large, "rule 10.5: too large");
        assert_eq!(Pattern::judge(r"(\w{900}){900}"), Ok(()), "rule 10.5: the size is not judged by form");
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
        let many = Patterns::new(&patterns, each_its_own(patterns.len()));
        let alone = patterns.map(Pattern::new);
        for text in texts {
            let mut found = Vec::new();
            many.find(text, &mut |place, answer| found.push((place, answer.map_err(Clone::clone))));
            let alone = alone.iter().enumerate().filter_map(|(place, pattern)| match pattern {
                Ok(pattern) => pattern.is_in(text).then_some((place, Ok(()))),
                // Together it is known which of them are well formed.
                Err(PatternError::Invalid(reason)) if Pattern::judge(patterns[place]).is_ok() => {
                    Some((place, Err(PatternError::Unknown(reason.clone()))))
                }
                Err(error) => Some((place, Err(error.clone()))),
            });
            assert_eq!(found, alone.collect::<Vec<_>>(), "{text:?}");
        }
    }

    /// Owners with one pattern each.
    fn each_its_own(count: usize) -> Vec<Owned> {
        (0..count).map(|n| Owned { owner: n, pattern: n, is_project: false }).collect()
    }

    /// What a pattern is taken to need is near to what it needs.
    #[test]
    fn knows_about_how_large_patterns_are() {
        let parts = [r"\w", ".", "a", "é", r"[\u{85}-\u{10fffe}]", r"\s", r"[^a]", "(?:x|y)?", r"\p{Han}", "(a)"];
        for part in parts {
            for text in [format!("(?:{part}){{20}}"), part.repeat(40), format!("(?:{part}|{part}b){{0,12}}c")] {
                let taken = approximate(&text);
                let fits = |most: usize| {
                    regex::RegexBuilder::new(&text).case_insensitive(true).size_limit(most).build().is_ok()
                };
                assert!(fits(taken * 5), "{text}: more than five times {taken}");
                assert!(!fits(taken.saturating_sub(8_192) / 5), "{text}: less than a fifth of {taken}");
            }
        }
    }

    /// The class that costs most to parse counts for much, however it is written; a plain character for one.
    #[test]
    fn knows_about_what_parsing_costs() {
        let dear = [r"\pL", r"\P{Greek}", r"[\w]", r"[^\W&&\d]", "[é-ß]", r"[\x{80}-\x{10ffff}]", r"[]\w]", r"[[a]\w]"];
        for text in dear {
            assert!(units(text) > 60, "{text}: {}", units(text));
        }
        assert_eq!(units(r"greet\s+\w+"), 17, "one of the usual kind");
        assert_eq!(units(r"\\p\[w"), 6, "a backslash that is escaped escapes nothing");
    }

    #[test]
    fn too_long_a_text_is_not_parsed() {
        let long = "a|".repeat(MAX_TEXT_BYTES / 2) + "a";
        assert_eq!(Pattern::judge(&long), Err(PatternError::TooLarge));
        assert_eq!(Pattern::new(&long).map(|_| ()), Err(PatternError::TooLarge));
        let found = Patterns::new(&[&long], each_its_own(1));
        found.find("a", &mut |_, answer| assert_eq!(answer, Err(&PatternError::TooLarge)));
    }

    /// Names of classes are looked up in large tables, which discovery does not do for every pattern that it sees.
    #[test]
    fn an_unknown_class_is_found_out_later() {
        assert_eq!(Pattern::judge(r"\p{Nothing}"), Ok(()));
        assert!(matches!(Pattern::new(r"\p{Nothing}"), Err(PatternError::Invalid(_))));
        let mut answers = Vec::new();
        Patterns::new(&[r"\p{Nothing}"], each_its_own(1))
            .find("x", &mut |_, answer| answers.push(answer.cloned_error()));
        assert!(matches!(&answers[..], [Some(PatternError::Unknown(_))]), "{answers:?}");
    }

    trait Cloned {
        fn cloned_error(self) -> Option<PatternError>;
    }

    impl Cloned for Result<(), &PatternError> {
        fn cloned_error(self) -> Option<PatternError> {
            self.err().cloned()
        }
    }

    /// Thousands of patterns that are as large as one may be, and all of which a message may hold.
    #[test]
    fn many_large_ones_have_a_bound_in_all() {
        let texts: Vec<String> = (0..6_000).map(|n| format!(r"(?:\w\W){{12}}(?:{n})?|{n}\w{{900}}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let many = Patterns::new(&texts, each_its_own(texts.len()));
        assert_eq!(many.cost(), (0, 0), "none is compiled before a message needs it");
        let mut left_out = 0;
        many.find("any message", &mut |_, answer| left_out += usize::from(answer == Err(&PatternError::OverLimit)));
        let (compiled, bytes) = many.cost();
        assert!(bytes <= MAX_TOTAL_BYTES && compiled < 100, "{compiled} with {bytes} bytes");
        assert_eq!(compiled + left_out, 6_000, "what is left out is reported");
        many.find("another", &mut |_, _| {});
        assert_eq!(many.cost(), (compiled, bytes), "none is compiled twice, and no other one for the next message");
    }

    /// Thousands of patterns that cost much to parse.
    #[test]
    fn what_is_parsed_has_a_bound_in_all() {
        let text = r"\p{L}".repeat(700);
        let texts: Vec<String> = (0..400).map(|n| format!("{text}{n}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let costs: Vec<Option<usize>> = texts.iter().map(|text| Some(units(text))).collect();
        let is_in = share(&costs, &each_its_own(400), MAX_UNITS);
        let units: usize = costs.iter().zip(&is_in).filter(|(_, is_in)| **is_in).filter_map(|(cost, _)| *cost).sum();
        assert!((MAX_UNITS / 2..=MAX_UNITS).contains(&units), "{units}");
    }

    /// Who is in, where there is room for 10. A row is an owner and what its patterns cost; from `P` on they came with the
    /// project.
    #[track_caller]
    fn shared(case: &str, rows: &str, expect: &str) {
        let (mut costs, mut owned, mut is_project) = (Vec::new(), Vec::new(), false);
        for (owner, row) in rows.split(';').enumerate() {
            for word in row.split_whitespace() {
                match word.parse() {
                    Ok(cost) => {
                        owned.push(Owned { owner, pattern: costs.len(), is_project });
                        costs.push(Some(cost));
                    }
                    // The first pattern of all, once more.
                    Err(_) if word == "again" => owned.push(Owned { owner, pattern: 0, is_project }),
                    Err(_) => is_project = true,
                }
            }
        }
        let is_in: String = share(&costs, &owned, 10).iter().map(|is_in| if *is_in { 'x' } else { '.' }).collect();
        assert_eq!(is_in, expect, "{case}");
    }

    #[test]
    fn room_is_shared_fairly() {
        shared("all fit", "5;5", "xx");
        shared("who asks for little has it", "3 3 3 3 3 3;1 1", "xx....xx");
        shared("whoever comes first", "1 1;3 3 3 3 3 3", "xxxx....");
        shared("alike", "2 2 2 2 2 2;2 2 2 2 2 2", "xxx...xx....");
        shared("one that is too large takes nothing", "11;4;4", ".xx");
        shared("the project's come last", "P 1 1 1 1;;", "xxxx");
        shared("the user's own are first", "4 4; P 1 1 1 1", "xxxx..");
        shared("one of two owners stands where it comes first", "4 4; P again 9", "xx.");
        shared("and costs the other one too", "4; P again 3 4", "xx.");
    }
}
