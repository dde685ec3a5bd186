//! Signatures of `ssh-keygen`, made by `testdata/signatures/ssh/make.sh`, and what lines of `allowed_signers` allow.

use super::{Line, is_match, signer, time_of};
use crate::trust::{Distrust, Signer};

const SIGNERS: &str = include_str!("../../testdata/signatures/ssh/allowed_signers");
const MESSAGE: &[u8] = include_bytes!("../../testdata/signatures/ssh/message");
const ED25519: &str = include_str!("../../testdata/signatures/ssh/ed25519.sig");
const P256: &str = include_str!("../../testdata/signatures/ssh/ecdsa-256.sig");
const P384: &str = include_str!("../../testdata/signatures/ssh/ecdsa-384.sig");
const P521: &str = include_str!("../../testdata/signatures/ssh/ecdsa-521.sig");
const RSA: &str = include_str!("../../testdata/signatures/ssh/rsa-2048.sig");
const SHA256: &str = include_str!("../../testdata/signatures/ssh/sha256.sig");
const OTHER: &str = include_str!("../../testdata/signatures/ssh/other-namespace.sig");

/// 2026-11-27.
const NOW: u64 = 1_795_737_600;

/// The line of a kind of key, with options before the key.
fn line(kind: &str, options: &str) -> String {
    let line = SIGNERS.lines().find(|line| line.starts_with(kind)).unwrap();
    let (principals, key) = line.split_once(' ').unwrap();
    format!("{principals} {options} {key} a comment")
}

fn verdict(signature: &str, lines: &[String], message: &[u8]) -> Result<Signer, Distrust> {
    let lines: Vec<Line> = lines.iter().map(|line| Line::parse(line).unwrap()).collect();
    signer(signature, ("skilltree-lock", None), message, lines.iter(), NOW)
}

fn word(found: &Result<Signer, Distrust>) -> &'static str {
    match found {
        Ok(_) => "trusted",
        Err(Distrust::ForeignRoot(_)) => "foreign",
        Err(Distrust::Expired(_)) => "expired",
        Err(Distrust::Invalid(_)) => "invalid",
        Err(Distrust::Unknown(_)) => "unknown",
    }
}

#[test]
fn keys_and_messages() {
    let all: Vec<String> = ["ed25519", "ecdsa-256", "ecdsa-384"].iter().map(|kind| line(kind, "")).collect();
    let own = |signature: &str| signature.replace("U1NIU0lH", "U1NIU0lh");
    let cases: &[(&str, &str, &[u8], &str)] = &[
        ("Ed25519", ED25519, MESSAGE, "trusted"),
        ("P-256", P256, MESSAGE, "trusted"),
        ("P-384", P384, MESSAGE, "trusted"),
        ("SHA-256", SHA256, MESSAGE, "trusted"),
        ("CRLF", &ED25519.replace('\n', "\r\n"), MESSAGE, "trusted"),
        ("P-521", P521, MESSAGE, "unknown"),
        ("RSA", RSA, MESSAGE, "unknown"),
        ("another namespace", OTHER, MESSAGE, "invalid"),
        ("another message", ED25519, b"Burn it.\n", "invalid"),
        ("another message, P-256", P256, b"", "invalid"),
        ("another message, P-384", P384, b"Boil water.", "invalid"),
        ("nothing", "", MESSAGE, "invalid"),
        ("no signature", "-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n", MESSAGE, "invalid"),
        ("another magic", &own(ED25519), MESSAGE, "invalid"),
        ("a long one", &"A".repeat(1 << 20), MESSAGE, "invalid"),
    ];
    for (case, signature, message, expected) in cases {
        let found = verdict(signature, &all, message);
        assert_eq!(word(&found), *expected, "{case}: {found:?}");
    }
    assert_eq!(verdict(P256, &all, MESSAGE).unwrap().subject, "ecdsa-256@example.com");
    assert_eq!(word(&verdict(P256, &all[..1], MESSAGE)), "foreign");
    assert_eq!(word(&verdict(P256, &[], MESSAGE)), "foreign");
    // Each byte counts.
    for at in (40..ED25519.len() - 40).filter(|at| ED25519.as_bytes()[*at].is_ascii_alphanumeric()) {
        let mut other = ED25519.as_bytes().to_vec();
        other[at] = if other[at] == b'A' { b'B' } else { b'A' };
        let found = verdict(std::str::from_utf8(&other).unwrap(), &all, MESSAGE);
        assert!(found.is_err(), "byte {at}");
    }
}

#[test]
fn limits_of_lines() {
    let cases = [
        ("", "trusted"),
        ("namespaces=\"skilltree-lock\"", "trusted"),
        ("namespaces=\"file,skill*\"", "trusted"),
        ("NAMESPACES=\"skilltree-?ock\"", "trusted"),
        ("namespaces=\"file\"", "foreign"),
        ("namespaces=\"\"", "foreign"),
        ("namespaces=\"*,!skilltree-lock\"", "foreign"),
        ("namespaces=\"!file\"", "foreign"),
        ("valid-after=\"20260101Z\"", "trusted"),
        ("valid-after=\"20270101Z\"", "expired"),
        ("valid-after=\"20261127000000Z\"", "trusted"),
        ("valid-after=\"20261127\"", "expired"),
        ("valid-before=\"20261127Z\"", "trusted"),
        ("valid-before=\"20261127\"", "expired"),
        ("valid-before=\"202611271400\"", "trusted"),
        ("valid-before=\"20261126Z\"", "expired"),
        ("namespaces=\"skilltree-lock\",valid-before=\"20200101Z\"", "expired"),
    ];
    for (options, expected) in cases {
        let found = verdict(ED25519, &[line("ed25519", options)], MESSAGE);
        assert_eq!(word(&found), expected, "{options}: {found:?}");
    }
    // A line that allows it is enough.
    let both =
        [line("ed25519", "namespaces=\"file\""), line("ed25519", "valid-before=\"20200101Z\""), line("ed25519", "")];
    assert_eq!(word(&verdict(ED25519, &both, MESSAGE)), "trusted");
    assert_eq!(word(&verdict(ED25519, &both[..2], MESSAGE)), "expired");
}

#[test]
fn lines_that_are_not_known() {
    let own = line("ed25519", "");
    let key = own.split_once(" ssh-").unwrap().1;
    let cases = [
        line("ed25519", "cert-authority"),
        line("ed25519", "verify-required"),
        line("ed25519", "namespaces=skilltree-lock"),
        line("ed25519", "namespaces=\"a\" namespaces=\"b\""),
        line("ed25519", "namespaces=\"a\",namespaces=\"b\""),
        line("ed25519", "valid-after=\"2026\""),
        line("ed25519", "valid-after=\"20261301Z\""),
        line("ed25519", "valid-after=\"20260101+01\""),
        line("ed25519", "namespaces=\"a\"\"b\""),
        line("rsa", ""),
        line("ecdsa-521", ""),
        format!("!alice ssh-{key}"),
        format!("alice,!bob ssh-{key}"),
        format!("\" ssh-{key}"),
        format!("ssh-{key}"),
        "alice".to_owned(),
        "alice ssh-ed25519".to_owned(),
        "alice ssh-ed25519 AAAA".to_owned(),
        format!("alice ssh-rsa {}", key.split_once(' ').unwrap().1),
    ];
    for text in &cases {
        assert!(Line::parse(text).is_err(), "{text}");
    }
    let quoted = Line::parse(&format!("\"Alice A\" \t ssh-{key}")).unwrap();
    assert_eq!(quoted.principals, "Alice A");
}

#[test]
fn patterns() {
    let cases = [
        ("", "", true),
        ("", "a", false),
        ("*", "", true),
        ("a*c", "abbc", true),
        ("a*c", "abcb", false),
        ("a*b*c", "aXbYbZc", true),
        ("?", "", false),
        ("a?", "ab", true),
        ("**", "ab", true),
    ];
    for (pattern, text, expected) in cases {
        assert_eq!(is_match(pattern.as_bytes(), text.as_bytes()), expected, "{pattern} {text}");
    }
    assert!(!is_match("*a".repeat(1_000).as_bytes(), "a".repeat(999).as_bytes()));
    assert_eq!(time_of("20261127Z", true), Some(NOW));
}
