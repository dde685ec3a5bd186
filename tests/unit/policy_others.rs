//! Policies of APM and SkilLock: their rules, what is noted, what refuses, and the patterns of APM.

use super::{Format, Package, is_match, parse};
use crate::facts::Facts;
use crate::policy::model::{Known, Level};
use proptest::prelude::*;
use skilltree::Json;

fn git(url: &str, path: &str) -> Json {
    Json::map([("type", Json::from("git")), ("url", url.into()), ("path", path.into())])
}

/// A skill from these sources that names these hosts.
fn skill(sources: &[Json], hosts: &[&str]) -> Known {
    let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
    Known {
        sources: Vec::new(),
        packages: sources.iter().filter_map(Package::of).collect(),
        has_commit: false,
        lock: Ok(()),
        signers: Vec::new(),
        has_foreign_root: false,
        now: 0,
        facts: Ok(Facts { hosts, ..Facts::default() }),
    }
}

/// What a skill breaches first, as `LEVEL LINE MESSAGE`.
fn told(format: Format, text: &str, skill: &Known) -> String {
    let found = parse(format, "p", text, Level::Warn).breaches(skill);
    let shown = |one: &crate::policy::Breach| format!("{} {} {}", one.level.as_str(), one.line, one.message);
    found.first().map(shown).unwrap_or_default()
}

#[test]
fn sources() {
    let acme = &[git("https://github.com/acme/skills", "skills/tea/SKILL.md")];
    let elsewhere = &[git("https://git.example/acme/skills", "")];
    let npm = &[Json::map([("type", Json::from("npm")), ("name", "@acme/tea".into())])];
    let two = &[git("https://github.com/acme/skills", ""), git("https://github.com/evil/skills", "")];
    let odd = &[git("https://github.com/acme/../evil/skills", "")];
    let odd_path = &[git("https://github.com/acme/skills", "../x")];
    let none = "is none of those that are allowed";
    let cases: &[(&str, &[Json], String)] = &[
        ("", acme, String::new()),
        ("dependencies:", acme, String::new()),
        ("dependencies: {allow: null, deny: null}", acme, String::new()),
        ("dependencies: {allow: []}", acme, format!("warn 1 its source `acme/skills` {none}")),
        ("dependencies: {allow: []}", &[], String::new()),
        ("dependencies: {allow: [acme/*]}", acme, String::new()),
        ("dependencies: {allow: [ACME/Skills]}", acme, String::new()),
        ("dependencies: {allow: [acme/skills/skills/tea]}", acme, String::new()),
        ("dependencies: {allow: [acme/skills/skills/jam]}", acme, format!("warn 1 its source `acme/skills` {none}")),
        // APM does not tell hosts apart.
        ("dependencies: {allow: [acme/*]}", elsewhere, String::new()),
        ("dependencies: {allow: [git.example/acme/*]}", elsewhere, format!("warn 1 its source `acme/skills` {none}")),
        (
            "dependencies: {deny: [git.example/**]}",
            elsewhere,
            "warn 1 its source `acme/skills` is denied by `git.example/**`".to_owned(),
        ),
        ("dependencies: {allow: [acme/*]}", npm, format!("warn 1 its source `npm:@acme/tea` {none}")),
        ("dependencies: {allow: [\"npm:@acme/*\"]}", npm, String::new()),
        ("dependencies: {allow: [acme/*]}", two, format!("warn 1 its source `evil/skills` {none}")),
        (
            "enforcement: block\ndependencies:\n  deny:\n  - x/*\n  - acme/**/tea",
            acme,
            "block 5 its source `acme/skills` is denied by `acme/**/tea`".to_owned(),
        ),
        ("dependencies: {deny: [acme/*/tea]}", acme, String::new()),
        // Deny wins.
        (
            "dependencies: {allow: [acme/*], deny: [acme/*]}",
            acme,
            "warn 1 its source `acme/skills` is denied by `acme/*`".to_owned(),
        ),
        ("dependencies: {allow: [\"**\"]}", odd, format!("warn 1 its source `acme/../evil/skills` {none}")),
        ("dependencies: {deny: [x]}", odd, "warn 1 its source `acme/../evil/skills` is denied by `x`".to_owned()),
        ("dependencies: {allow: [\"**\"]}", odd_path, format!("warn 1 its source `acme/skills` {none}")),
        ("enforcement: off\ndependencies: {allow: []}", acme, String::new()),
        ("enforcement: \"off\"\ndependencies: {allow: []}", acme, String::new()),
        ("enforcement:\ndependencies: {allow: []}", acme, format!("warn 2 its source `acme/skills` {none}")),
    ];
    for (text, sources, expected) in cases {
        assert_eq!(told(Format::Apm, text, &skill(sources, &[])), *expected, "{text} {sources:?}");
    }
}

#[test]
fn hosts() {
    let none = |level: &str, line: usize, host: &str| {
        format!("{level} {line} the host `{host}` is none of those that are allowed")
    };
    let cases = [
        ("", String::new()),
        ("mode: block", String::new()),
        ("mode: block\nallowed_domains:", String::new()),
        ("mode: block\nallowed_domains: []", String::new()),
        ("mode: block\nallowed_domains: [\"*.acme.example\"]", String::new()),
        ("mode: block\nallowed_domains: [acme.example]", none("block", 2, "api.acme.example")),
        ("allowed_domains: [acme.example]", none("warn", 1, "api.acme.example")),
        ("allowed_domains: [\"api.acme.exampl?\"]", none("warn", 1, "api.acme.example")),
        ("mode: warn\nprotected_paths: [secrets/**]", String::new()),
    ];
    for (text, expected) in cases {
        assert_eq!(told(Format::SkilLock, text, &skill(&[], &["api.acme.example"])), expected, "{text}");
    }
}

/// What is known and not valid is breached by every skill, and what is not known is noted.
#[test]
fn what_is_not_understood() {
    let not = "the policy is not valid: ";
    let end = "; its rules are not applied";
    let cases = [
        (Format::Apm, "dependencies: [", format!("warn 1 {not}"), ""),
        (Format::Apm, "[]", format!("warn 1 {not}expected a map{end}"), ""),
        (Format::Apm, "enforcement: strict", format!("block 1 {not}expected `off`, `warn`, `block`, not `strict`"), ""),
        (Format::Apm, "enforcement: [off]", format!("block 1 {not}expected a text"), ""),
        (Format::Apm, "dependencies: x", format!("warn 1 {not}expected a map{end}"), ""),
        (Format::Apm, "enforcement: block\ndependencies: x", format!("block 2 {not}expected a map"), ""),
        (Format::Apm, "enforcement: block\ndependencies: {deny: x}", format!("block 2 {not}expected a list"), ""),
        (
            Format::Apm,
            "enforcement: block\ndependencies: {deny: [\"\"]}",
            format!("block 2 {not}expected a pattern"),
            "",
        ),
        (Format::Apm, "enforcement: block\nextends: [x]", format!("block 2 {not}expected a text"), ""),
        (Format::Apm, "enforcement: off\ndependencies: x", String::new(), ""),
        (Format::Apm, "name: x\nversion: 1\ncache: {ttl: 1}\nfetch_failure: block", String::new(), ""),
        (
            Format::Apm,
            "mcp: {}\nunknown: 1\ndependencies: {require: [x], allow: []}",
            String::new(),
            "`mcp`, `unknown`, `dependencies.require`: not applied to skills",
        ),
        (
            Format::Apm,
            "{a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1, j: 1}",
            String::new(),
            "`a`, `b`, `c`, `d`, `e`, `f`, `g`, `h` and 2 more: not applied to skills",
        ),
        (Format::SkilLock, "mode: off", format!("block 1 {not}expected `warn`, `block`, not `off`"), ""),
        (Format::SkilLock, "mode: block\nallowed_domains: x", format!("block 2 {not}expected a list"), ""),
        (Format::SkilLock, "allowed_domains: x", format!("warn 1 {not}expected a list"), ""),
        (
            Format::SkilLock,
            "protected_paths: [x]\nrequire_approval: [file_reads]",
            String::new(),
            "`protected_paths`, `require_approval`: not applied to skills",
        ),
        (
            Format::SkilLock,
            "allowed_domains: [\"*\", \"https://x\"]",
            String::new(),
            "`https://x` of `allowed_domains` allows nothing here: expected the name of a host, or one with `*`",
        ),
    ];
    for (format, text, expected, note) in cases {
        let found = told(format, text, &skill(&[], &["x.example"]));
        assert_eq!(found.is_empty(), expected.is_empty(), "{text}: {found}");
        assert!(found.starts_with(&expected), "{text}: {found}");
        assert_eq!(found.ends_with(end), found.starts_with("warn"), "{text}: {found}");
        assert_eq!(parse(format, "p", text, Level::Warn).notes.join("|"), note, "{text}");
    }
    let named = parse(Format::Apm, "p", "x: [", Level::Block).breaches(&skill(&[], &[]));
    assert_eq!(named.first().map(|one| one.level), Some(Level::Block));
}

#[test]
fn patterns() {
    let cases = [
        ("acme/*", "acme/skills", true),
        ("acme/*", "acme/skills/tea", false),
        ("acme/**", "acme/skills/tea", true),
        ("acme/**", "acme", false),
        ("**", "", true),
        ("*", "", true),
        ("*", "a/b", false),
        ("**", "a/b", true),
        ("***", "a/b", true),
        ("*/approved", "any/approved", true),
        ("*/approved", "any/x/approved", false),
        ("*/old-*", "acme/old-tea", true),
        ("**/tea", "acme/skills/tea", true),
        ("a**z", "a/b/z", true),
        ("a*b*c", "abbc", true),
        ("a*bc*c", "abc", false),
        ("Acme/*", "acme/X", true),
        ("acme/skills", "acme/skills", true),
        ("acme/skills", "acme/skills2", false),
        ("acme/skills2", "acme/skills", false),
        ("a.c", "abc", false),
        ("", "", true),
        ("", "a", false),
    ];
    for (pattern, name, expected) in cases {
        assert_eq!(is_match(pattern, name), expected, "{pattern} {name}");
    }
    let since = std::time::Instant::now();
    assert!(!is_match(&"*a**".repeat(250), &format!("{}b", "a".repeat(240))));
    assert!(since.elapsed().as_secs() < 10);
}

/// The same, step by step.
fn is_match_slowly(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern, name) {
        ([], name) => name.is_empty(),
        ([b'*', b'*', rest @ ..], _) => (0..=name.len()).any(|at| is_match_slowly(rest, &name[at..])),
        ([b'*', rest @ ..], _) => {
            let end = name.iter().position(|byte| *byte == b'/').unwrap_or(name.len());
            (0..=end).any(|at| is_match_slowly(rest, &name[at..]))
        }
        ([first, rest @ ..], [byte, after @ ..]) => first == byte && is_match_slowly(rest, after),
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn any_pattern(pattern in "[ab/*]{0,8}", name in "[ab/]{0,8}") {
        prop_assert_eq!(is_match(&pattern, &name), is_match_slowly(pattern.as_bytes(), name.as_bytes()));
    }

    /// 64 bytes of a name are looked at together.
    #[test]
    fn any_long_name(pattern in "[ab/*]{0,6}", name in "[ab/]{0,6}", more in 55_usize..135, is_spelled in any::<bool>()) {
        let long = "c".repeat(more);
        let pattern = if is_spelled { format!("{long}{pattern}") } else { pattern };
        let name = format!("{long}{name}");
        prop_assert_eq!(is_match(&pattern, &name), is_match_slowly(pattern.as_bytes(), name.as_bytes()));
    }

    #[test]
    fn any_text(text in "[a-z:\\[\\]{}\\n \"*&!|>%-]{0,60}") {
        let _ = told(Format::Apm, &text, &skill(&[], &[])) + &told(Format::SkilLock, &text, &skill(&[], &[]));
    }
}
