//! What policies forbid: each rule, what is refused because it is not understood, and that one more policy never allows anything.

use super::{Breach, Known, Level, Policy, SignedBy, is_like, overlaps, place_of_source};
use crate::facts::Facts;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use skilltree::Json;

fn by(kind: &str, root: &str, subject: &str) -> SignedBy {
    let namespace = (kind == "ssh").then_some("skilltree-lock");
    SignedBy { kind: kind.to_owned(), namespace, root: root.to_owned(), subject: subject.to_owned() }
}

/// A folder without other files.
fn none(_: &str) -> Result<String, String> {
    Err("it is not there".to_owned())
}

#[cfg(feature = "signatures")]
const KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICxC2DuOf5CGmXfmiFJFLsDpyB0QFpQVqo1Lh7ZPzTY6";

fn skill() -> Known {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let facts = Facts { tools: texts(&["Bash(git:*)", "Read"]), hosts: texts(&["api.github.com"]), ..Facts::default() };
    Known {
        sources: texts(&["github.com/acme/skills"]),
        packages: Vec::new(),
        has_commit: true,
        lock: Ok(()),
        signers: Vec::new(),
        has_foreign_root: false,
        now: 1_000,
        facts: Ok(facts),
    }
}

/// The level of what a skill breaches in policies, and where the first such rule stands.
fn decided(policies: &[&str], skill: &Known) -> (Level, String) {
    let parse = |(at, text): (usize, &&str)| Policy::parse(&format!("{}", at + 1), text, &none);
    let mut all: Vec<Breach> =
        policies.iter().enumerate().map(parse).flat_map(|policy| policy.breaches(skill)).collect();
    all.sort_by_key(|breach| std::cmp::Reverse(breach.level));
    let first = all.first().map(|one| (one.level, format!("{}:{} {}", one.file, one.line, one.message)));
    first.unwrap_or((Level::Off, String::new()))
}

#[test]
fn each_rule() {
    let facts = |change: fn(&mut Facts)| {
        let mut skill = skill();
        skill.facts.iter_mut().for_each(change);
        skill
    };
    let unlocked = || Known { lock: Err("no lock names it".to_owned()), ..skill() };
    let from = |source: &str| Known { sources: vec![source.to_owned()], ..skill() };
    let unknown = || Known { facts: Err("it is gone".to_owned()), ..skill() };
    let signed = || Known { signers: vec![by("ssh", "SHA256:abc", "ops@acme.example")], ..skill() };
    let nowhere = || Known { sources: Vec::new(), has_commit: false, ..skill() };
    let block = |told: &str| (Level::Block, told.to_owned());
    let off = (Level::Off, String::new());
    let cases = [
        ("", skill(), off.clone()),
        ("sources:\n  allow: [github.com/acme/*]", skill(), off.clone()),
        (
            "sources:\n  allow: [github.com/acme/*]",
            from("github.com/acme-evil/skills"),
            block("1:2 its source `github.com/acme-evil/skills` is none of those that are allowed"),
        ),
        (
            "sources:\n  allow: [github.com/acme/*]",
            nowhere(),
            block("1:2 no record says where it came from, and only some sources are allowed"),
        ),
        (
            "sources:\n  allow: []",
            skill(),
            block("1:2 its source `github.com/acme/skills` is none of those that are allowed"),
        ),
        (
            "sources:\n  deny:\n  - npm:*\n  - github.com/ACME/*",
            skill(),
            block("1:4 its source `github.com/acme/skills` is denied by `github.com/ACME/*`"),
        ),
        // Deny wins.
        (
            "sources: {allow: [\"github.com/acme/*\"], deny: [\"*\"]}",
            skill(),
            block("1:1 its source `github.com/acme/skills` is denied by `*`"),
        ),
        (
            "sources:\n  deny: [\"*\"]",
            nowhere(),
            block("1:2 no record says where it came from, and `*` denies every source"),
        ),
        ("sources:\n  deny: [npm:*]", nowhere(), off.clone()),
        (
            "sources:\n  allow: [\"github.com/acme/*\"]",
            from("github.com/acme/../evil/skills"),
            block("1:2 its source `github.com/acme/../evil/skills` is none of those that are allowed"),
        ),
        ("tools:\n  deny: [Write]", skill(), off.clone()),
        ("tools:\n  deny: [\"Bash(*)\"]", skill(), block("1:2 the tool `Bash(git:*)` is denied by `Bash(*)`")),
        ("tools: {deny: [x]}", unknown(), block("1:1 what it asks for is not known: it is gone")),
        ("hosts:\n  allow: [\"*.github.com\"]", skill(), off.clone()),
        (
            "hosts:\n  allow: [github.com]",
            skill(),
            block("1:2 the host `api.github.com` is none of those that are allowed"),
        ),
        (
            "hosts:\n  deny: [\"*.GitHub.com\"]",
            skill(),
            block("1:2 the host `api.github.com` is denied by `*.GitHub.com`"),
        ),
        (
            "hosts: {allow: [\"*\"]}",
            facts(|facts| facts.has_more_hosts = true),
            block("1:1 it names more hosts than are looked at"),
        ),
        ("require:\n  lock: true", skill(), off.clone()),
        ("require:\n  lock: true", unlocked(), block("1:2 no lock names it")),
        ("require:\n  lock: false", unlocked(), off.clone()),
        ("unlocked: warn", unlocked(), (Level::Warn, "1:1 no lock names it".to_owned())),
        ("unlocked: block", unlocked(), block("1:1 no lock names it")),
        ("unlocked: \"off\"", unlocked(), off.clone()),
        ("unlocked: off", unlocked(), off.clone()),
        ("require:\n  commit: true", skill(), off.clone()),
        ("require:\n  commit: true", nowhere(), block("1:2 no record names the commit that it came from")),
        (
            "require:\n  signature: true",
            skill(),
            block("1:2 no signature of a signer that is named and trusted covers it"),
        ),
        ("require:\n  signature: true", signed(), off.clone()),
        ("require: {signature: true}\nsigners:\n- subject: \"*@acme.example\"", signed(), off.clone()),
        ("require: {signature: true}\nsigners:\n- root: SHA256:abc", signed(), off.clone()),
        (
            "require: {signature: true}\nsigners:\n- root: SHA256:abc\n  subject: dev@*",
            signed(),
            block("1:1 no signature of a signer that is named and trusted covers it"),
        ),
        ("require: {signature: true}\nsigners:\n- {kind: ssh, root: SHA256:abc}", signed(), off.clone()),
        (
            "require: {signature: true}\nsigners:\n- {kind: oms, root: SHA256:abc}",
            signed(),
            block("1:1 no signature of a signer that is named and trusted covers it"),
        ),
        ("facts: {hidden: block}", skill(), off.clone()),
        (
            "facts:\n  dynamic: warn\n  hidden: block",
            facts(|facts| facts.hidden = 2),
            block("1:3 it has 2 things that a reviewer may overlook"),
        ),
        (
            "facts:\n  dynamic: warn\n  hidden: block",
            facts(|facts| facts.dynamic = 1),
            (Level::Warn, "1:2 it has 1 command that runs when it is loaded".to_owned()),
        ),
        (
            "facts:\n  remote_script: block",
            facts(|facts| facts.remote_script = 1),
            block("1:2 it has 1 line that runs what it fetches"),
        ),
        ("enforcement: warn\nunlocked: block", unlocked(), (Level::Warn, "1:2 no lock names it".to_owned())),
        ("enforcement: off\nunlocked: block", unlocked(), off.clone()),
        ("enforcement: block\nunlocked: warn", unlocked(), (Level::Warn, "1:2 no lock names it".to_owned())),
    ];
    for (policy, skill, expected) in cases {
        assert_eq!(decided(&[policy], &skill), expected, "{policy}");
    }
}

/// What is not understood refuses everything, as it may be a rule.
#[test]
fn what_is_not_understood() {
    let deep = "[".repeat(100);
    let many = format!("hosts:\n  allow: [{}]", "a,".repeat(2_000));
    let long = format!("hosts:\n  allow:\n  - {}", "a".repeat(2_000));
    let cases = [
        ("a list", "[]", 1),
        ("a text", "block", 1),
        ("an unknown key", "enforcement: off\ntool: {deny: [Bash]}", 2),
        ("an unknown key below", "tools:\n  allow: [Read]", 2),
        ("an unknown fact", "facts:\n  hidden: off\n  other: off", 3),
        ("an unknown level", "enforcement: strict", 1),
        ("a level with a capital", "unlocked: Block", 1),
        ("a level that is nothing", "unlocked:", 1),
        ("a map that is nothing", "enforcement: off\nsources:", 2),
        ("a list that is nothing", "sources:\n  deny:", 2),
        ("a list that is a text", "sources:\n  deny: x", 2),
        ("an empty pattern", "sources:\n  deny:\n  - a\n  - \"\"", 4),
        ("a pattern that is a map", "tools:\n  deny:\n  - {Bash: x}", 3),
        ("a requirement that is no truth", "require:\n  lock: yes", 2),
        ("no signers", "signers: []", 1),
        ("a signer without a name", "signers:\n- {}", 2),
        ("a signer of any name", "signers:\n- {kind: ssh, subject: \"*\"}", 2),
        ("a signer of another kind", "signers:\n- {kind: pgp, root: x}", 2),
        ("a key twice", "unlocked: block\nunlocked: off", 1),
        ("an alias", "a: &a block\nunlocked: *a", 1),
        ("no YAML", "unlocked: [", 1),
        ("deep", deep.as_str(), 1),
        ("many patterns", many.as_str(), 2),
        ("a long pattern", long.as_str(), 3),
    ];
    for (case, policy, line) in cases {
        let (level, told) = decided(&[policy], &skill());
        assert_eq!(level, Level::Block, "{case}: {told}");
        assert!(told.starts_with(&format!("1:{line} the policy is not valid: ")), "{case}: {told}");
    }
}

/// Files that name signers: what is no such file refuses everything, and the dates of its lines count.
#[cfg(feature = "signatures")]
#[test]
fn files_of_signers() {
    let key = ssh_key::PublicKey::from_openssh(KEY).unwrap().fingerprint(ssh_key::HashAlg::Sha256).to_string();
    let signed = Known { signers: vec![by("ssh", &key, "ops@acme.example")], ..skill() };
    let other = Known { signers: vec![by("ssh", "SHA256:abc", "ops@acme.example")], ..skill() };
    let foreign = Known { has_foreign_root: true, ..skill() };
    let files = |name: &str| match name {
        "keys" => Ok(format!("# Ours.\nops@acme.example {KEY}\n")),
        "more" => Ok(format!("ops@acme.example ssh-rsa AAAA\ndev@acme.example {KEY}\n")),
        "mail" => Ok(format!("ops@acme.example namespaces=\"mail\" {KEY}\n")),
        "past" => Ok(format!("ops@acme.example valid-before=\"19700101001000Z\" {KEY}\n")),
        "future" => Ok(format!("ops@acme.example valid-after=\"19700101002000Z\" {KEY}\n")),
        "empty" => Ok("# Nobody.\n".to_owned()),
        "pem" => Ok("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".to_owned()),
        _ => none(name),
    };
    let none = "no signature of a signer that is named and trusted covers it";
    let not_valid = |line: usize, why: &str| format!("p:{line} the policy is not valid: {why}");
    let cases = [
        ("{allowed: keys}", &signed, None),
        ("{kind: ssh, allowed: keys}", &signed, None),
        ("{kind: \"*\", allowed: more, subject: ops@*}", &signed, None),
        ("{allowed: keys}", &other, Some(format!("p:1 {none}"))),
        ("{allowed: keys, subject: dev@*}", &signed, Some(format!("p:1 {none}"))),
        ("{allowed: past}", &signed, Some(format!("p:1 {none}"))),
        ("{allowed: future}", &signed, Some(format!("p:1 {none}"))),
        (
            "{allowed: keys}",
            &foreign,
            Some(format!("p:1 {none}; it has a signature whose root you do not trust: `skilltree trust FILE`")),
        ),
        ("{allowed: nothing}", &signed, Some(not_valid(3, "`nothing` names no signer: it is not there"))),
        (
            "{allowed: mail}",
            &signed,
            Some(not_valid(
                3,
                "`mail` names no signer: expected lines of `allowed_signers` for the namespace `skilltree-lock` or `skill-manifest`",
            )),
        ),
        (
            "{allowed: empty}",
            &signed,
            Some(not_valid(
                3,
                "`empty` names no signer: expected lines of `allowed_signers` for the namespace `skilltree-lock` or `skill-manifest`",
            )),
        ),
        ("{root: keys}", &signed, Some(not_valid(3, "`keys` names no signer: expected certificates in PEM"))),
        ("{root: pem}", &signed, Some(not_valid(3, "`pem` names no signer: "))),
        ("{allowed: pem}", &signed, Some(not_valid(3, "`pem` names no signer: "))),
        ("{kind: oms, allowed: keys}", &signed, Some(not_valid(3, "expected `ssh`"))),
        ("{allowed: keys, root: \"sha256:x\"}", &signed, Some(not_valid(3, "expected `root` or `allowed`"))),
        ("{allowed: [keys]}", &signed, Some(not_valid(3, "expected a text"))),
    ];
    for (signer, skill, expected) in cases {
        let text = format!("require: {{signature: true}}\nsigners:\n- {signer}\n");
        let found = Policy::parse("p", &text, &files).breaches(skill);
        let told = found.first().map(|one| format!("{}:{} {}", one.file, one.line, one.message));
        assert_eq!(told.is_some(), expected.is_some(), "{signer}: {told:?}");
        assert!(told.unwrap_or_default().starts_with(&expected.unwrap_or_default()), "{signer}: {found:?}");
    }
    let notes = Policy::parse("p", "signers: [{allowed: more}]", &files).notes;
    assert!(notes[0].starts_with("`more`: line 1 is not trusted: "), "{notes:?}");
    let many = format!("signers: [{}]", "{allowed: keys}, ".repeat(17));
    assert_eq!(Policy::parse("p", &many, &files).breaches(&signed).len(), 1);
}

/// What is as large as a policy may be takes no longer for it.
#[test]
fn large_policies() {
    let key = "k".repeat(400_000);
    for text in [
        format!("{key}: [{}]", "a,".repeat(90_000)),
        format!("tools:\n  deny:\n  - {{{key}: [{}]}}", "a,".repeat(90_000)),
        format!("unlocked: {key}"),
        format!("extends: {key}.yaml"),
    ] {
        let since = std::time::Instant::now();
        let policy = Policy::parse("p", &text, &none);
        let told: usize = policy.breaches(&skill()).iter().map(|breach| breach.message.len()).sum();
        assert!(told < 1_000 && since.elapsed().as_secs() < 20, "{told}");
    }
    let long = Known { sources: vec![format!("github.com/acme/{key}")], ..skill() };
    assert_eq!(decided(&["sources: {allow: [\"*\"]}"], &long).0, Level::Block);
    assert_eq!(decided(&["sources: {deny: [x]}"], &long).0, Level::Block);
}

/// Each pair: what an administrator says, what a project says, and what holds.
#[test]
fn pairs_of_policies() {
    let skill = Known { lock: Err("no lock names it".to_owned()), ..skill() };
    let bash = "the tool `Bash(git:*)` is denied by `Bash`";
    let cases = [
        ("tools: {deny: [Bash]}", "enforcement: off", Level::Block, format!("1:1 {bash}")),
        ("tools: {deny: [Bash]}", "tools: {deny: []}", Level::Block, format!("1:1 {bash}")),
        ("tools: {deny: [Bash]}", "enforcement: warn\ntools: {deny: [Bash]}", Level::Block, format!("1:1 {bash}")),
        ("enforcement: warn\ntools: {deny: [Bash]}", "tools: {deny: [Bash]}", Level::Block, format!("2:1 {bash}")),
        ("enforcement: off\ntools: {deny: [Bash]}", "", Level::Off, String::new()),
        ("enforcement: off", "tools: {deny: [Bash]}", Level::Block, format!("2:1 {bash}")),
        ("unlocked: block", "unlocked: off", Level::Block, "1:1 no lock names it".to_owned()),
        ("unlocked: warn", "unlocked: block", Level::Block, "2:1 no lock names it".to_owned()),
        ("unlocked: warn", "require: {lock: false}", Level::Warn, "1:1 no lock names it".to_owned()),
        ("require: {lock: true}", "require: {lock: false}", Level::Block, "1:1 no lock names it".to_owned()),
        (
            "sources: {allow: [\"github.com/other/*\"]}",
            "sources: {allow: [\"*\"]}",
            Level::Block,
            "1:1 its source `github.com/acme/skills` is none of those that are allowed".to_owned(),
        ),
        (
            "sources: {allow: [\"github.com/*\"]}",
            "sources: {allow: [\"github.com/acme/*\"]}",
            Level::Off,
            String::new(),
        ),
        (
            "sources: {allow: [\"github.com/acme/*\"]}",
            "sources: {allow: [\"github.com/other/*\"]}",
            Level::Block,
            "2:1 its source `github.com/acme/skills` is none of those that are allowed".to_owned(),
        ),
        (
            "sources: {deny: [\"*/acme/*\"]}",
            "sources: {allow: [\"*\"]}",
            Level::Block,
            "1:1 its source `github.com/acme/skills` is denied by `*/acme/*`".to_owned(),
        ),
        (
            "hosts: {allow: [\"*.github.com\"]}",
            "hosts: {allow: [\"*.example\"]}",
            Level::Block,
            "2:1 the host `api.github.com` is none of those that are allowed".to_owned(),
        ),
    ];
    for (managed, project, level, told) in cases {
        assert_eq!(decided(&[managed, project], &skill), (level, told), "{managed} / {project}");
    }
    // A policy of the project that is not valid, or takes back what is not its own, is no way out either.
    for project in ["unlocked: [", "extends: none", "version: 2", "signers: []"] {
        assert_eq!(decided(&["unlocked: block", project], &skill).0, Level::Block, "{project}");
    }
}

/// Lines that policies are made of, one for each key.
fn policies() -> impl Strategy<Value = String> {
    let lines = vec![
        select(vec!["enforcement: off", "enforcement: warn", "enforcement: block", ""]),
        select(vec![
            "sources: {allow: [\"github.com/acme/*\"]}",
            "sources: {deny: [\"*\"]}",
            "sources: {allow: [\"*\"]}",
        ]),
        select(vec!["hosts: {allow: [\"*.github.com\"]}", "hosts: {deny: [\"*\"]}", "hosts: {allow: []}"]),
        select(vec!["tools: {deny: [Bash]}", "tools: {deny: []}", "tools: {deny: [\"*\"]}"]),
        select(vec!["unlocked: off", "unlocked: warn", "unlocked: block"]),
        select(vec!["require: {lock: true}", "require: {commit: true}", "require: {signature: true, lock: false}"]),
        select(vec!["facts: {hidden: off}", "facts: {hidden: warn, dynamic: block}", "facts: {remote_script: warn}"]),
        select(vec!["unknown: x", "[", "signers: [{subject: x}]"]),
    ];
    let few = subsequence((0..lines.len()).collect::<Vec<_>>(), 0..5);
    (few, lines).prop_map(|(few, lines)| few.into_iter().map(|at| format!("{}\n", lines[at])).collect())
}

fn skills() -> impl Strategy<Value = Known> {
    let sources =
        select(vec![vec![], vec!["github.com/acme/x"], vec!["github.com/evil/x"], vec!["github.com/acme/x", "npm:y"]]);
    let facts = (
        subsequence(vec!["Bash", "Read"], 0..=2),
        subsequence(vec!["api.github.com", "evil.example"], 0..=2),
        0..2usize,
        0..2usize,
    );
    (sources, any::<[bool; 4]>(), facts).prop_map(
        |(sources, [commit, lock, signed, read], (tools, hosts, hidden, dynamic))| {
            let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect::<Vec<_>>();
            let facts = Facts {
                tools: owned(tools),
                hosts: owned(hosts),
                hidden,
                dynamic,
                remote_script: dynamic,
                has_more_hosts: false,
            };
            Known {
                sources: owned(sources),
                packages: Vec::new(),
                has_commit: commit,
                lock: if lock { Ok(()) } else { Err("no lock names it".to_owned()) },
                signers: if signed { vec![by("ssh", "SHA256:abc", "x")] } else { Vec::new() },
                has_foreign_root: false,
                now: 1_000,
                facts: if read { Ok(facts) } else { Err("it is gone".to_owned()) },
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2_000, ..ProptestConfig::default() })]

    /// Whatever a project says, what the administrator forbids stays forbidden, at no lower level; and the order does not matter.
    #[test]
    fn nothing_is_loosened(managed in policies(), project in policies(), skill in skills()) {
        let level = |all: &[&str]| decided(all, &skill).0;
        let both = level(&[&managed, &project]);
        prop_assert_eq!(both, level(&[&managed]).max(level(&[&project])));
        prop_assert_eq!(both, level(&[&project, &managed]));
    }

    #[test]
    fn any_text(text in "[a-z:\\[\\]{}\\n \"*&!|>%-]{0,60}", skill in skills()) {
        let _ = decided(&[&text], &skill);
    }
}

#[test]
fn patterns() {
    let cases = [
        ("*", "", true),
        ("*", "x", true),
        ("a*", "a", true),
        ("a*b", "ab", true),
        ("a*b", "aXb", true),
        ("a*a", "a", false),
        ("*.github.com", "github.com", false),
        ("*.github.com", "evil.example/x.github.com", true),
        ("a*b*c", "abbc", true),
        ("a*bc*c", "abc", false),
        ("GitHub.com", "github.COM", true),
        ("", "", true),
        ("", "x", false),
    ];
    for (pattern, text, expected) in cases {
        assert_eq!(is_like(pattern, text), expected, "{pattern} {text}");
    }
    let long = "a".repeat(100_000);
    assert!(!is_like(&format!("{}b", "a*".repeat(400)), &long));
}

#[test]
fn tools() {
    let cases = [
        ("Bash", "Bash", true),
        ("Bash", "Bash(git:*)", true),
        ("Bash(*)", "Bash", true),
        ("Bash(rm:*)", "Bash", true),
        ("Bash(rm:*)", "Bash(*)", true),
        ("Bash(rm:*)", "Bash(git:*)", false),
        ("Bash(rm*)", "bash( rm:* )", true),
        ("Bash", "BashOutput", false),
        ("mcp__*", "mcp__files__write", true),
        ("Write", "*", true),
        ("*", "Read", true),
        ("Bash(git push:*)", "Bash(git:*)", true),
        ("Bash(git push:*)", "Bash(git *)", true),
        ("Bash(git push:*)", "Bash(git p*)", true),
        ("Bash(git push:*)", "Bash(git pull:*)", false),
        ("Bash(git push:*)", "Bash(git)", false),
        ("Bash(git push:*)", "Bash(gi:*)", false),
        ("Bash(rm:*)", "Bash(rm *)", true),
        ("Bash(rm:*)", "Bash(rm)", true),
        ("Bash(rm:*)", "Bash(RM -r x)", true),
        ("Bash(rm:*)", "Bash(rm -rf:*)", true),
        ("Bash(rm:*)", "Bash(:*)", true),
        ("Bash(rm:*)", "Bash()", true),
        ("Bash(rm:*)", "Bash(*-rf /)", true),
        ("Bash(rm:*)", "Bash(rmdir:*)", false),
        ("Bash(rm *)", "Bash(rm:*)", true),
        ("Bash(rm *)", "Bash(rm)", true),
        ("Bash(rm -rf:*)", "Bash(rm:*)", true),
        ("Bash(rm:*)", "Bash(rm\t-rf /)", true),
        ("Bash(* --force)", "Bash(git push *)", true),
        ("Bash(* --force)", "Bash(git push * --dry-run)", false),
        ("Bash(:*)", "Bash(ls)", true),
        ("WebFetch(domain:*)", "WebFetch(domain:a.example)", true),
        ("WebFetch(domain:a.example)", "WebFetch(domain:*)", true),
        ("WebFetch(domain:a.example)", "WebFetch(domain:b.example)", false),
        ("mcp__a__b", "mcp__a", true),
        ("mcp__a__b", "mcp__a__*", true),
        ("mcp__a__b", "mcp__*", true),
        ("mcp__a", "mcp__a__b", true),
        ("mcp__a", "mcp__ab__c", false),
        ("mcp__a__b", "mcp__a__c", false),
    ];
    for (pattern, tool, expected) in cases {
        assert_eq!(overlaps(pattern, tool), expected, "{pattern} {tool}");
    }
}

#[test]
fn sources() {
    let git = |url: &str| Json::map([("type", Json::from("git")), ("url", url.into())]);
    for url in [
        "https://github.com/acme/skills",
        "https://github.com/acme/skills.git",
        "https://github.com/acme/skills/",
        "https://token@github.com:443/acme//skills",
        "https://evil.example@github.com/acme/skills",
        "ssh://git@github.com/acme/./skills.git",
        "git@github.com:acme/skills.git",
        "github.com./acme/skills",
    ] {
        assert_eq!(place_of_source(&git(url)).as_deref(), Some("github.com/acme/skills"), "{url}");
    }
    let evil = place_of_source(&git("https://github.com@evil.example/acme/skills"));
    assert_eq!(evil.as_deref(), Some("evil.example/acme/skills"));
    let npm = Json::map([("type", Json::from("npm")), ("name", "@acme/skills".into())]);
    assert_eq!(place_of_source(&npm).as_deref(), Some("npm:@acme/skills"));
    assert_eq!(place_of_source(&Json::Null), None);
    assert_eq!(place_of_source(&Json::map([("type", Json::from("git"))])), None);
}
