//! The record `MANIFEST.sig.json` of `skill-signer`: a manifest that names each file of the folder with its size and hash, and that may be
//! signed with a key of SSH. The signature is over the manifest without it, as Python writes that, so the same text is written here.
//!
//! That program leaves some files out of a manifest, such as hidden ones, and no manifest says which. So a file that it does not name
//! counts as one more, whatever its name is, except the manifest itself.

use super::data::{is_hex, is_inside};
use super::oms::{expect, field, parse, text_of};
use super::records::Installed;
use super::tree::digits;
use super::{Distrust, Judgement, Signer, Verdict, changes};
use crate::output::text::count;
use crate::trust::Trust;
use skilltree::Json;
use std::collections::BTreeMap;

/// The file of the manifest, in the folder that it is about.
pub(crate) const NAME: &str = "MANIFEST.sig.json";

/// The purpose that its signatures are made for.
pub(crate) const NAMESPACE: &str = "skill-manifest";

/// The largest manifest that is read. One of as many files as a folder may have takes about half of it.
pub(super) const MAX_BYTES: u64 = 4 << 20;
/// The longest identity that is compared with the patterns of the user's lines. It is an e-mail address.
const MAX_IDENTITY_BYTES: usize = 1_000;

const VERSION: &str = "1.0.0";

/// Judges a copy by the text of its manifest.
pub(super) fn judge(text: &str, copy: &Installed, trust: &Trust) -> Result<Judgement, Distrust> {
    let json = parse(text)?;
    expect(&json, "version", VERSION)?;
    // Changed files are told even if the key is not valid any more.
    let (signer, expired) = match json.get("signature").map(|_| signer(&json, trust)) {
        None => (None, None),
        Some(Ok(signer)) => (Some(signer), None),
        Some(Err(Distrust::Expired(why))) => (None, Some(why)),
        Some(Err(why)) => return Err(why),
    };
    let named = named_files(&json)?;
    let note = match (&signer, &expired) {
        (Some(Signer { root, subject }), _) => format!("signed by `{subject}`, whose key is {root}"),
        (None, Some(why)) => why.clone(),
        (None, None) => format!("the hashes of {}, which nobody has signed", count(named.len(), "file")),
    };
    let mut judgement = match &copy.files {
        Ok(files) => {
            let is_same =
                |bytes: &[u8], (size, digest): &Named<'_>| bytes.len() as u64 == *size && digits(bytes) == *digest;
            let mut changed = changes(files, named, is_same);
            changed.retain(|changed| changed.path != NAME);
            let verdict = match Verdict::of_changes(&changed) {
                Verdict::Matches if signer.is_some() => Verdict::Verified,
                Verdict::Matches if expired.is_some() => Verdict::Expired,
                other => other,
            };
            Judgement { files: changed, ..Judgement::new(verdict, note) }
        }
        // Nobody can tell that these are the files that were signed.
        Err(why) => Judgement::new(Verdict::Differs, format!("the files cannot be compared: {why}; {note}")),
    };
    judgement.signer = signer;
    Ok(judgement)
}

/// Who signed the manifest.
fn signer(json: &Json, trust: &Trust) -> Result<Signer, Distrust> {
    trust.is_able()?;
    let invalid = |why: String| Err(Distrust::Invalid(why));
    let (armored, named) = (text_of(json, "signature")?, field(json, "signer")?);
    let (identity, fingerprint) = (text_of(named, "identity")?, text_of(named, "key_fingerprint")?);
    if MAX_IDENTITY_BYTES < identity.len() {
        return invalid(format!("expected an `identity` of at most {MAX_IDENTITY_BYTES} bytes"));
    }
    let signer = trust.ssh(armored, NAMESPACE, Some(identity), message(json)?.as_bytes())?;
    match fingerprint == signer.root {
        true => Ok(signer),
        false => invalid(format!("it names the key {fingerprint}, and {} has signed it", signer.root)),
    }
}

/// The size and the SHA-256 of a file.
type Named<'j> = (u64, &'j str);

/// The files that a manifest names.
fn named_files(json: &Json) -> Result<BTreeMap<&str, Named<'_>>, Distrust> {
    let invalid = |why: String| Err(Distrust::Invalid(why));
    let Json::Map(files) = field(json, "files")? else { return invalid("`files` is not a map".to_owned()) };
    let mut named = BTreeMap::new();
    for (path, file) in files {
        if !is_inside(path) || path.ends_with('/') {
            return invalid(format!("`{path}` is not the path of a file in the folder"));
        }
        let digest = text_of(file, "sha256")?;
        let size = match field(file, "size")? {
            Json::Number(size) => size.parse().ok(),
            _ => None,
        };
        match size.filter(|_| is_hex(digest, 64)) {
            Some(size) => drop(named.insert(path.as_str(), (size, digest))),
            None => return invalid(format!("expected the size and the SHA-256 of `{path}`")),
        }
    }
    Ok(named)
}

/// What the signature is over: the manifest without it, as `json.dumps` of Python writes it with sorted keys and without spaces.
fn message(json: &Json) -> Result<String, Distrust> {
    let mut out = String::new();
    let Json::Map(fields) = json else { return Err(Distrust::Invalid("it is not a map".to_owned())) };
    write_map(fields.iter().filter(|(name, _)| name != "signature"), &mut out)?;
    Ok(out)
}

/// Recurses as deep as the data was read.
fn write(json: &Json, out: &mut String) -> Result<(), Distrust> {
    match json {
        Json::Null => out.push_str("null"),
        Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Json::Text(text) => write_text(text, out),
        // Python would not write every number as it stands here.
        Json::Number(number) => match number.parse::<i64>() {
            Ok(whole) if whole.to_string() == *number => out.push_str(number),
            _ => return Err(Distrust::Invalid(format!("expected whole numbers, not {number}"))),
        },
        Json::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                write(item, out)?;
            }
            out.push(']');
        }
        Json::Map(fields) => write_map(fields.iter(), out)?,
    }
    Ok(())
}

fn write_map<'j>(fields: impl Iterator<Item = &'j (String, Json)>, out: &mut String) -> Result<(), Distrust> {
    // The order of UTF-8 is that of code points, by which Python sorts.
    let fields: BTreeMap<&str, &Json> = fields.map(|(name, value)| (name.as_str(), value)).collect();
    out.push('{');
    for (index, (name, value)) in fields.into_iter().enumerate() {
        out.push_str(if index == 0 { "" } else { "," });
        write_text(name, out);
        out.push(':');
        write(value, out)?;
    }
    out.push('}');
    Ok(())
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            _ => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    out.push('"');
}
