//! The record `skill.oms.sig`, a signature of OpenSSF Model Signing: a bundle of Sigstore with the certificates that signed, and a
//! statement that names each file of the folder with its hash. It covers all files but itself and those that the statement ignores.
//!
//! The bundle is of a stranger until its signature leads to a root that the user has named, and what it states is not read before.

use super::data::{fields, is_hex, is_inside};
use super::records::Installed;
use super::tree::{Files, digits};
use super::{Change, Changed, Distrust, Judgement, MAX_SHOWN_FILES, Signer, Verdict};
use crate::trust::{Trust, base64};
use skilltree::Json;
use std::collections::BTreeMap;

/// The file of the signature, in the folder that it is about.
pub(crate) const NAME: &str = "skill.oms.sig";

/// The largest signature that is read. The largest of 343 public ones has 40 KiB.
pub(super) const MAX_BYTES: u64 = 4 << 20;
/// How many files a statement names at most: as many as a folder that is compared has.
const MAX_RESOURCES: usize = 10_000;

const BUNDLE_TYPE: &str = "application/vnd.dev.sigstore.bundle.v0.3+json";
const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
const PREDICATE_TYPE: &str = "https://model_signing/signature/v1.0";

/// Judges a copy by the text of its signature.
pub(super) fn judge(text: &str, copy: &Installed, trust: &Trust) -> Result<Judgement, Distrust> {
    trust.is_able()?;
    let bundle = Bundle::parse(text)?;
    let signed = trust.x509(&bundle.chain, &bundle.signature, &bundle.message());
    // Changed files are told even if the certificate is not valid any more.
    let (signer, expired) = match signed {
        Ok(signer) => (Some(signer), None),
        Err(Distrust::Expired(why)) => (None, Some(why)),
        Err(why) => return Err(why),
    };
    let statement = Statement::parse(&bundle.payload)?;
    let note = match (&signer, &expired) {
        (Some(Signer { root, subject }), _) => format!("signed by `{subject}`, of the root {root}"),
        (None, why) => why.clone().unwrap_or_default(),
    };
    let mut judgement = match &copy.files {
        Ok(files) => statement.compare(files, note),
        // Nobody can tell that these are the files that were signed.
        Err(why) => Judgement::new(Verdict::Differs, format!("the files cannot be compared: {why}; {note}")),
    };
    if judgement.verdict == Verdict::Verified && expired.is_some() {
        judgement.verdict = Verdict::Expired;
    }
    judgement.signer = signer;
    Ok(judgement)
}

/// What a bundle has, of which nothing is checked yet.
struct Bundle {
    /// The certificates in DER, the one that signed first.
    chain: Vec<Vec<u8>>,
    signature: Vec<u8>,
    payload: Vec<u8>,
}

/// The value of a field.
///
/// # Errors
/// If there is none.
pub(super) fn field<'j>(json: &'j Json, key: &str) -> Result<&'j Json, Distrust> {
    json.get(key).ok_or_else(|| Distrust::Invalid(format!("it has no `{key}`")))
}

fn list<'j>(json: &'j Json, key: &str) -> Result<&'j [Json], Distrust> {
    match field(json, key)? {
        Json::List(items) => Ok(items),
        _ => Err(Distrust::Invalid(format!("`{key}` is not a list"))),
    }
}

pub(super) fn text_of<'j>(json: &'j Json, key: &str) -> Result<&'j str, Distrust> {
    field(json, key)?.as_text().ok_or_else(|| Distrust::Invalid(format!("`{key}` is not a text")))
}

/// Compares a field that says what follows.
///
/// # Errors
/// If it says something that is not known.
pub(super) fn expect(json: &Json, key: &str, expected: &str) -> Result<(), Distrust> {
    match text_of(json, key)? {
        found if found == expected => Ok(()),
        other => Err(Distrust::Unknown(format!("`{key}` is `{other}`, expected `{expected}`"))),
    }
}

pub(super) fn parse(text: &str) -> Result<Json, Distrust> {
    // Readers do not agree on which of two values counts.
    Json::parse_unique(text).map_err(|error| Distrust::Invalid(error.to_string()))
}

impl Bundle {
    fn parse(text: &str) -> Result<Bundle, Distrust> {
        let json = parse(text)?;
        expect(&json, "mediaType", BUNDLE_TYPE)?;
        let Some(envelope) = json.get("dsseEnvelope") else {
            return Err(Distrust::Unknown("expected an envelope of the kind `dsseEnvelope`".to_owned()));
        };
        let Some(certificates) = field(&json, "verificationMaterial")?.get("x509CertificateChain") else {
            return Err(Distrust::Unknown("expected certificates of the kind `x509CertificateChain`".to_owned()));
        };
        expect(envelope, "payloadType", PAYLOAD_TYPE)?;
        let [signature] = list(envelope, "signatures")? else {
            return Err(Distrust::Invalid("expected one signature".to_owned()));
        };
        let chain = list(certificates, "certificates")?.iter().map(|one| base64(text_of(one, "rawBytes")?));
        Ok(Bundle {
            chain: chain.collect::<Result<_, _>>()?,
            signature: base64(text_of(signature, "sig")?)?,
            payload: base64(text_of(envelope, "payload")?)?,
        })
    }

    /// What the signature is over: the type and the payload, each with its length.
    fn message(&self) -> Vec<u8> {
        let head = format!("DSSEv1 {} {PAYLOAD_TYPE} {} ", PAYLOAD_TYPE.len(), self.payload.len());
        [head.as_bytes(), &self.payload].concat()
    }
}

/// Which files a folder has.
struct Statement {
    /// The SHA-256 of each file by its path.
    files: BTreeMap<String, String>,
    /// The paths that are not covered, with all that is below them.
    ignored: Vec<String>,
}

impl Statement {
    fn parse(payload: &[u8]) -> Result<Statement, Distrust> {
        let invalid = |why: &str| Distrust::Invalid(why.to_owned());
        let json = parse(std::str::from_utf8(payload).map_err(|_| invalid("the statement is not UTF-8"))?)?;
        expect(&json, "_type", STATEMENT_TYPE)?;
        expect(&json, "predicateType", PREDICATE_TYPE)?;
        let predicate = field(&json, "predicate")?;
        let ignored = ignored(field(predicate, "serialization")?)?;
        let resources = list(predicate, "resources")?;
        if MAX_RESOURCES < resources.len() {
            return Err(invalid(&format!("it names over {MAX_RESOURCES} files")));
        }
        let (mut files, mut joined) = (BTreeMap::new(), Vec::new());
        for resource in resources {
            let (name, digest) = (text_of(resource, "name")?, text_of(resource, "digest")?);
            expect(resource, "algorithm", "sha256")?;
            if !is_inside(name) || name.ends_with('/') {
                return Err(invalid(&format!("`{name}` is not the path of a file in the folder")));
            }
            joined
                .extend(bytes_of(digest).ok_or_else(|| invalid(&format!("the digest of `{name}` is not a SHA-256")))?);
            if files.insert(name.to_owned(), digest.to_owned()).is_some() {
                return Err(invalid(&format!("it names `{name}` twice")));
            }
        }
        let [subject] = list(&json, "subject")? else { return Err(invalid("expected one subject")) };
        if text_of(field(subject, "digest")?, "sha256")? != digits(&joined) {
            return Err(invalid("the digest of the subject is not that of the files"));
        }
        let statement = Statement { files, ignored };
        match statement.files.keys().find(|name| statement.is_left_out(name)) {
            Some(name) => Err(invalid(&format!("it names `{name}`, and leaves it out"))),
            None => Ok(statement),
        }
    }

    /// Whether a path is one of those that are not covered, or below one.
    fn is_left_out(&self, path: &str) -> bool {
        let is_below =
            |above: &String| path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.ignored.iter().any(is_below)
    }

    /// Whether a file may be there that was not signed. Nothing that a client reads as a skill may.
    fn is_ignored(&self, path: &str) -> bool {
        let is_skill = path.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
        self.is_left_out(path) && !is_skill
    }

    /// Compares the files of a folder with those that were signed. `note` says who signed them.
    fn compare(&self, files: &Files, mut note: String) -> Judgement {
        let mut changes = Vec::new();
        let mut add = |path: &str, change| changes.push(Changed { path: path.to_owned(), change });
        for (path, digest) in &self.files {
            match files.get(path) {
                None => add(path, Change::Removed),
                Some(file) if digits(&file.bytes) != *digest => add(path, Change::Changed),
                Some(_) => {}
            }
        }
        let mut left_out: Vec<&str> = Vec::new();
        for file in files.files.iter().filter(|file| !self.files.contains_key(&file.path) && file.path != NAME) {
            match self.is_ignored(&file.path) {
                true => left_out.push(&file.path),
                false => add(&file.path, Change::Added),
            }
        }
        for other in &files.others {
            // Of what is no file, only a folder can be left out: a symlink may lead anywhere.
            match other.strip_suffix('/') {
                Some(folder) if self.is_ignored(folder) => left_out.push(other),
                _ => add(other, Change::Added),
            }
        }
        changes.sort();
        if !left_out.is_empty() {
            let more = if MAX_SHOWN_FILES < left_out.len() { " and more" } else { "" };
            left_out.truncate(MAX_SHOWN_FILES);
            note = format!("{note}; not covered: {}{more}", left_out.join(", "));
        }
        let verdict = match Verdict::of_changes(&changes) {
            Verdict::Matches => Verdict::Verified,
            other => other,
        };
        Judgement { files: changes, ..Judgement::new(verdict, note) }
    }
}

/// The paths that a serialization leaves out.
///
/// # Errors
/// If it is another one than by files and SHA-256, or has a field that is not known.
fn ignored(serialization: &Json) -> Result<Vec<String>, Distrust> {
    expect(serialization, "method", "files")?;
    expect(serialization, "hash_type", "sha256")?;
    let known = ["method", "hash_type", "allow_symlinks", "ignore_paths"];
    if let Some((other, _)) = fields(Some(serialization)).iter().find(|(name, _)| !known.contains(&name.as_str())) {
        return Err(Distrust::Unknown(format!("the serialization has `{other}`, which is not known")));
    }
    let Some(paths) = serialization.get("ignore_paths") else { return Ok(Vec::new()) };
    let paths = match paths {
        Json::List(paths) => paths,
        _ => return Err(Distrust::Invalid("`ignore_paths` is not a list".to_owned())),
    };
    let own = |path: &Json| {
        let path = path.as_text()?;
        let path = path.strip_prefix("./").unwrap_or(path).trim_end_matches('/');
        // A path out of the folder leaves out nothing in it, and neither may the folder itself be left out.
        is_inside(path).then(|| path.to_owned())
    };
    Ok(paths.iter().filter_map(own).collect())
}

/// The bytes of a SHA-256 in hexadecimal digits.
fn bytes_of(hex: &str) -> Option<Vec<u8>> {
    if !is_hex(hex, 64) {
        return None;
    }
    (0..32).map(|at| u8::from_str_radix(hex.get(2 * at..2 * at + 2)?, 16).ok()).collect()
}
