//! Signatures of `ssh-keygen -Y sign`, and the lines of a file `allowed_signers`, as its manual describes them. A line with anything
//! that is not known here is not trusted, as it may be a limit.

use super::{Distrust, Signer};
use ssh_key::public::KeyData;
use ssh_key::{Algorithm, EcdsaCurve, HashAlg, LineEnding, PublicKey, SshSig};
use x509_cert::der::DateTime;

/// The longest signature that is read. Real ones have some hundred bytes.
const MAX_ARMORED_BYTES: usize = 16 << 10;

/// How far local time may be behind and before UTC.
const HOURS_BEHIND: u64 = 12;
const HOURS_BEFORE: u64 = 14;

/// A line of a file `allowed_signers`: a key, and what it may sign.
#[derive(Clone)]
pub(super) struct Line {
    pub(super) principals: String,
    key: KeyData,
    pub(super) fingerprint: String,
    /// Patterns for the namespaces; `None` for all.
    namespaces: Option<Vec<String>>,
    /// In seconds since 1970.
    pub(super) after: u64,
    pub(super) before: u64,
    /// As it stands in the file.
    pub(super) text: String,
}

/// Whether a line says nothing.
pub(super) fn is_comment(line: &str) -> bool {
    let line = line.trim_ascii();
    line.is_empty() || line.starts_with('#')
}

impl Line {
    /// Reads `PRINCIPALS [OPTIONS] TYPE KEY [COMMENT]`.
    ///
    /// # Errors
    /// What is not known of it.
    pub(super) fn parse(line: &str) -> Result<Line, String> {
        let expected = || "expected principals, options, and a key".to_owned();
        let text = line.trim_ascii();
        let (principals, rest) = word(text).ok_or_else(expected)?;
        let mut rest = rest;
        let mut limits = Limits::default();
        let key = loop {
            if let Some(key) = key_of(rest)? {
                break key;
            }
            // What stands before the key is one word of options.
            let (options, after) = word(rest).ok_or_else(expected)?;
            if limits.is_read {
                return Err(expected());
            }
            limits = Limits::parse(options)?;
            rest = after;
        };
        let principals = principals.trim_matches('"').to_owned();
        // A negated principal takes back what another one grants.
        if principals.is_empty() || principals.contains(['!', '"']) {
            return Err("its principals are not known".to_owned());
        }
        let fingerprint = key.fingerprint(HashAlg::Sha256).to_string();
        Ok(Line {
            principals,
            key: key.key_data().clone(),
            fingerprint,
            namespaces: limits.namespaces,
            after: limits.after.unwrap_or(0),
            before: limits.before.unwrap_or(u64::MAX),
            text: text.to_owned(),
        })
    }

    /// Whether the key is that of an identity.
    fn is_of(&self, identity: &str) -> bool {
        self.principals.split(',').any(|pattern| is_match(pattern.as_bytes(), identity.as_bytes()))
    }

    pub(super) fn allows(&self, namespace: &str) -> bool {
        let Some(patterns) = &self.namespaces else { return true };
        let matched = |pattern: &str| is_match(pattern.as_bytes(), namespace.as_bytes());
        let is_negated = patterns.iter().filter_map(|pattern| pattern.strip_prefix('!')).any(matched);
        !is_negated && patterns.iter().any(|pattern| matched(pattern))
    }
}

/// The key that a text begins with; `None` if it begins with options.
fn key_of(text: &str) -> Result<Option<PublicKey>, String> {
    let mut words = text.split_ascii_whitespace();
    let (Some(kind), Some(key)) = (words.next(), words.next()) else { return Ok(None) };
    if !["ssh-", "ecdsa-", "sk-"].iter().any(|start| kind.starts_with(start)) {
        return Ok(None);
    }
    let key = PublicKey::from_openssh(&format!("{kind} {key}")).map_err(|error| format!("its key: {error}"))?;
    match is_known(key.key_data()) {
        true => Ok(Some(key)),
        false => Err(format!("its key is of the type {kind}; {EXPECTED}")),
    }
}

const EXPECTED: &str = "expected Ed25519, or ECDSA on the curve P-256 or P-384";

fn is_known(key: &KeyData) -> bool {
    matches!(
        key.algorithm(),
        Algorithm::Ed25519 | Algorithm::Ecdsa { curve: EcdsaCurve::NistP256 | EcdsaCurve::NistP384 }
    )
}

/// The first word of a text, in which spaces between quotes belong to it, and what follows.
fn word(text: &str) -> Option<(&str, &str)> {
    let mut is_quoted = false;
    let end = text.find(|c: char| {
        is_quoted ^= c == '"';
        !is_quoted && c.is_ascii_whitespace()
    });
    let (word, rest) = text.split_at(end.unwrap_or(text.len()));
    (!word.is_empty()).then_some((word, rest.trim_ascii_start()))
}

/// What the options of a line limit.
#[derive(Default)]
struct Limits {
    is_read: bool,
    namespaces: Option<Vec<String>>,
    after: Option<u64>,
    before: Option<u64>,
}

impl Limits {
    fn parse(options: &str) -> Result<Limits, String> {
        let mut limits = Limits { is_read: true, ..Limits::default() };
        let mut is_quoted = false;
        let at_commas = |c: char| {
            is_quoted ^= c == '"';
            !is_quoted && c == ','
        };
        for option in options.split(at_commas) {
            let not_known = || format!("the option `{option}` is not known");
            let (name, value) = option.split_once('=').ok_or_else(not_known)?;
            let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).ok_or_else(not_known)?;
            let is_new = match name.to_ascii_lowercase().as_str() {
                "namespaces" => limits.namespaces.replace(value.split(',').map(str::to_owned).collect()).is_none(),
                "valid-after" => limits.after.replace(time_of(value, true).ok_or_else(not_known)?).is_none(),
                "valid-before" => limits.before.replace(time_of(value, false).ok_or_else(not_known)?).is_none(),
                _ => return Err(not_known()),
            };
            if value.contains('"') || !is_new {
                return Err(not_known());
            }
        }
        Ok(limits)
    }
}

/// The seconds since 1970 of `YYYYMMDD`, `YYYYMMDDHHMM` or `YYYYMMDDHHMMSS`, in UTC with a `Z` at the end. Without it, it is local
/// time, which is not known here; then the time between the first and the last moment is as short as it can be anywhere.
fn time_of(text: &str, is_first: bool) -> Option<u64> {
    let digits = text.strip_suffix(['Z', 'z']);
    let is_local = digits.is_none();
    let digits = digits.unwrap_or(text);
    if !matches!(digits.len(), 8 | 12 | 14) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let whole = format!("{digits:0<14}");
    let part = |at: usize, len: usize| whole.get(at..at + len)?.parse::<u8>().ok();
    let year = whole.get(..4)?.parse().ok()?;
    let time = DateTime::new(year, part(4, 2)?, part(6, 2)?, part(8, 2)?, part(10, 2)?, part(12, 2)?).ok()?;
    let seconds = time.unix_duration().as_secs();
    Some(match (is_local, is_first) {
        (false, _) => seconds,
        (true, true) => seconds.saturating_add(HOURS_BEHIND * 3_600),
        (true, false) => seconds.saturating_sub(HOURS_BEFORE * 3_600),
    })
}

/// Whether a pattern with `*` and `?` is that of a whole text. Takes steps in proportion to the product of their lengths at most.
fn is_match(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut in_text, mut star) = (0, 0, None);
    while let Some(byte) = text.get(in_text) {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, in_text));
                at += 1;
            }
            Some(wanted) if *wanted == b'?' || wanted == byte => {
                at += 1;
                in_text += 1;
            }
            _ => match star {
                // The last star takes one byte more.
                Some((of_star, taken)) => {
                    star = Some((of_star, taken + 1));
                    (at, in_text) = (of_star + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern.get(at..).is_some_and(|rest| rest.iter().all(|byte| *byte == b'*'))
}

/// Who signed a message for a namespace, by the lines that are trusted. An identity that is named must be one of the line.
pub(super) fn signer<'l>(
    armored: &str,
    (namespace, identity): (&str, Option<&str>),
    message: &[u8],
    lines: impl Iterator<Item = &'l Line>,
    now: u64,
) -> Result<Signer, Distrust> {
    let invalid = |why: String| Err(Distrust::Invalid(why));
    if MAX_ARMORED_BYTES < armored.len() {
        return invalid(format!("expected a signature of at most {MAX_ARMORED_BYTES} bytes"));
    }
    let signature = match SshSig::from_pem(armored) {
        Ok(signature) => signature,
        Err(error) => return invalid(format!("not a signature of OpenSSH: {error}")),
    };
    // What reads it takes some wrong lengths for right ones.
    let joined = |text: &str| text.split_ascii_whitespace().collect::<String>();
    if signature.to_pem(LineEnding::LF).map_or(true, |own| joined(&own) != joined(armored)) {
        return invalid("not a signature of OpenSSH as it is written".to_owned());
    }
    if signature.version() != SshSig::VERSION || !is_known(signature.public_key()) {
        let kind = signature.public_key().algorithm();
        return Err(Distrust::Unknown(format!("a signature of the type {kind}; {EXPECTED}")));
    }
    if signature.namespace() != namespace {
        return invalid(format!("it is for the namespace `{}`, expected `{namespace}`", signature.namespace()));
    }
    let key = PublicKey::from(signature.public_key().clone());
    let fingerprint = key.fingerprint(HashAlg::Sha256).to_string();
    if key.verify(namespace, message, &signature).is_err() {
        return invalid(format!("the signature is not one of this content by the key {fingerprint}"));
    }
    let mut found = Distrust::ForeignRoot(format!(
        "the key {fingerprint} is not trusted; get it from its owner, and name it in a file `allowed_signers` with \
         `--trust-root FILE`, or with `skilltree trust FILE` once and for all"
    ));
    for line in lines.filter(|line| line.key == *signature.public_key()) {
        let other_identity = identity.filter(|identity| !line.is_of(identity));
        if !line.allows(namespace) || other_identity.is_some() {
            let purpose = match other_identity.filter(|_| line.allows(namespace)) {
                Some(identity) => format!("the identity `{identity}`"),
                None => format!("the namespace `{namespace}`"),
            };
            let note = format!("the key {fingerprint} is not trusted for {purpose}");
            if matches!(found, Distrust::ForeignRoot(_)) {
                found = Distrust::ForeignRoot(note);
            }
        } else if now < line.after || line.before < now {
            found = Distrust::Expired(format!("the key {fingerprint} is not valid at this time"));
        } else {
            let subject = identity.unwrap_or(&line.principals).to_owned();
            return Ok(Signer { root: fingerprint, subject });
        }
    }
    Err(found)
}

#[cfg(test)]
#[path = "../../../tests/unit/ssh_signatures.rs"]
mod tests;
