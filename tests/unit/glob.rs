use super::{Globs, MAX_EXPANDED, expanded, matches_name};

/// Whether the pattern matches the path below the folder `/p`.
fn is_match(pattern: &str, path: &str) -> bool {
    Globs::new([pattern].into_iter()).matches(&format!("/p/{path}"), Some(path))
}

#[test]
fn what_a_pattern_of_paths_matches() {
    let table: &[(&str, &[&str], &[&str])] = &[
        ("src/*.rs", &["src/a.rs", "src/.rs"], &["src/a/b.rs", "a.rs", "src/a.rsx", "x/src/a.rs"]),
        ("./src/*.rs", &["src/a.rs"], &["a.rs"]),
        (".//src/a", &[], &["src/a"]),
        ("*.rs", &["a.rs", "src/deep/a.rs"], &["a.rs/b", "a.md"]),
        ("Makefile", &["Makefile", "sub/Makefile"], &["makefile", "Makefile.am"]),
        ("**", &["a", "a/b/c"], &[]),
        ("**/*", &["a", "a/b/c"], &[]),
        ("src/**", &["src", "src/a", "src/a/b"], &["srcs", "a/src"]),
        ("src/**/*.rs", &["src/a.rs", "src/x/a.rs", "src/x/y/a.rs"], &["a.rs", "src/x/a.md", "srcx/a.rs"]),
        ("**/test/**", &["test", "test/a", "x/test/a/b"], &["tests/a", "x/atest/a"]),
        ("a/**/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["ab", "a/xb"]),
        ("a**b/c", &["ab/c", "axxb/c"], &["a/b/c", "a/xb/c"]),
        ("a/?", &["a/b", "a/é"], &["a/", "a/bc", "a//"]),
        ("a?b/c", &["axb/c"], &["a/b/c", "ab/c"]),
        ("[a-c]x/*", &["ax/1", "cx/1"], &["dx/1", "-x/1", "x/1"]),
        ("[!a-c]x/*", &["dx/1", "éx/1"], &["ax/1", "/x/1"]),
        ("[^a]x/*", &["bx/1"], &["ax/1"]),
        ("[]a]x/*", &["]x/1", "ax/1"], &["[x/1"]),
        ("[a-]x/*", &["ax/1", "-x/1"], &["bx/1"]),
        ("[z-a]x/*", &[], &["ax/1", "zx/1", "mx/1"]),
        ("x[/]y/z", &[], &["x/y/z"]),
        ("a/[b", &[], &["a/b", "a/[b"]),
        ("a/[", &[], &["a/", "a/["]),
        ("a/[]", &[], &["a/", "a/]", "a/[]"]),
        ("a/\\*", &["a/*"], &["a/b", "a/\\b"]),
        ("a/\\{b,c\\}", &["a/{b,c}"], &["a/b"]),
        ("a/b\\", &["a/b\\"], &["a/b"]),
        ("src/*.{ts,tsx}", &["src/a.ts", "src/a.tsx"], &["src/a.js", "src/a.{ts,tsx}"]),
        ("{a,b/{c,d}}/x", &["a/x", "b/c/x", "b/d/x"], &["b/x", "c/x"]),
        ("{a,b}{1,2}/x", &["a1/x", "a2/x", "b1/x", "b2/x"], &["a/x", "ab/x"]),
        ("a/{b,}", &["a/b", "a/"], &["a/{b,}"]),
        ("a/{b}", &["a/{b}"], &["a/b"]),
        ("a/{b,c", &["a/{b,c"], &["a/b", "a/c"]),
        ("a/b,c}", &["a/b,c}"], &["a/b"]),
        ("a/{{b,c}", &["a/{b", "a/{c"], &["a/b"]),
        ("{*.rs,doc/*}", &["x/y/a.rs", "doc/a"], &["doc/x/a", "x/doc/a"]),
        ("/p/src/*", &["src/a"], &["src/a/b"]),
        ("/src/*", &[], &["src/a"]),
        ("/**/a", &["a", "x/a"], &["b"]),
        ("src/", &[], &["src", "src/a"]),
        ("", &[], &["a"]),
    ];
    for (pattern, matching, others) in table {
        for path in *matching {
            assert!(is_match(pattern, path), "{pattern:?} matches {path:?}");
        }
        for path in *others {
            assert!(!is_match(pattern, path), "{pattern:?} does not match {path:?}");
        }
    }
    let outside = |pattern: &str| Globs::new([pattern].into_iter()).matches("/q/a.rs", None);
    assert!(outside("/q/*.rs") && !outside("*.rs") && !outside("**") && !outside("q/a.rs"));
}

#[test]
fn braces_expand_within_a_budget() {
    let pattern = |groups: usize| format!("x/{}", "{a,b}".repeat(groups));
    let path = |groups: usize| format!("x/{}", "a".repeat(groups));
    assert!(is_match(&pattern(9), &path(9)), "512 patterns");
    assert!(!is_match(&pattern(10), &path(10)), "1,024 patterns are too many");
    assert!(is_match(&pattern(10), &pattern(10)), "the pattern itself is used");
    // The budget is that of the whole list; what comes after a pattern that exceeds it is expanded if it fits.
    let list = [pattern(9), pattern(9), "y/{c,d}".to_owned()];
    let globs = Globs::new(list.iter().map(String::as_str));
    let below = |path: &str| globs.matches("/", Some(path));
    assert!(below(&path(9)) && below(&pattern(9)) && below("y/d"));
    assert_eq!(globs.patterns.len(), 512 + 1 + 2);
    let mut bytes = 1_000;
    let wide = format!("{{{}}}", vec!["a"; MAX_EXPANDED].join(","));
    assert!(expanded(&wide, MAX_EXPANDED, &mut bytes).is_none(), "too many bytes");
    assert_eq!(expanded(&wide, MAX_EXPANDED, &mut 1_000_000).map(|all| all.len()), Some(MAX_EXPANDED));
    assert!(expanded(&wide, MAX_EXPANDED - 1, &mut 1_000_000).is_none());
}

#[test]
fn what_a_pattern_of_names_matches() {
    let table: &[(&str, &[&str], &[&str])] = &[
        ("git-*", &["git-", "git-pr", "git-a/b:c"], &["git", "xgit-pr"]),
        ("*", &["", "a", "a/b"], &[]),
        ("*:pr", &["git:pr", ":pr"], &["pr", "git:prs"]),
        ("a*b*c", &["abc", "axbxc", "abcbc"], &["ab", "acb", "abcx"]),
        ("p?f", &["pdf", "p/f", "pöf"], &["pf", "pddf"]),
        ("[a]", &["[a]"], &["a"]),
        ("{a,b}", &["{a,b}"], &["a"]),
        ("tea", &["tea"], &["Tea", "te", "teas"]),
        ("", &[""], &["a"]),
    ];
    for (pattern, matching, others) in table {
        for name in *matching {
            assert!(matches_name(pattern, name), "{pattern:?} matches {name:?}");
        }
        for name in *others {
            assert!(!matches_name(pattern, name), "{pattern:?} does not match {name:?}");
        }
    }
}

/// A hostile pattern of `size` characters, and a path that almost matches it.
type Hostile = fn(usize) -> (String, String);

#[test]
fn time_grows_with_the_length_of_the_pattern_times_that_of_the_path() {
    let hostile: &[(&str, Hostile)] = &[
        ("many stars", |n| (format!("x/{}b", "*a".repeat(n)), format!("x/{}", "a".repeat(2 * n)))),
        ("many folders", |n| (format!("{}b", "**/a/".repeat(n)), "a/".repeat(n))),
        ("open brackets", |n| (format!("x/{}", "[".repeat(n)), "x/[".to_owned())),
        ("open braces", |n| (format!("x/{}", "{".repeat(n)), format!("x/{}", "{".repeat(n)))),
        ("deep braces", |n| (format!("x/{}{}", "{a,".repeat(n), "}".repeat(n)), format!("x/{}", "a".repeat(n)))),
        ("braces in a row", |n| (format!("x/{}", "{a,b}".repeat(n)), format!("x/{}", "a".repeat(n)))),
        ("empty alternatives", |n| (format!("x/{{{}}}", ",".repeat(n)), format!("x/{}", "a".repeat(n)))),
    ];
    for (case, make) in hostile {
        let (pattern, path) = make(1_000);
        let effort = crate::effort::Effort::begin();
        let found = is_match(&pattern, &path);
        // Millions of steps at most, and not a number that is raised to a power.
        assert!(effort.so_far().as_secs() < 20, "{case}: {:?}, {found}", effort.so_far());
    }
    let (pattern, name) = ("*a".repeat(1_000) + "b", "a".repeat(2_000));
    assert!(!matches_name(&pattern, &name));
}
