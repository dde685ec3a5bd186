//! Follows certificates of X.509 from the one that signed to a root that the user has named, by RFC 5280. The certificates that
//! come with a signature are of a stranger, the root among them too: it is never trusted, and only named in a note.
//!
//! No lists of revoked certificates are read, as nothing is fetched.

use super::{Distrust, Signer};
use base64ct::{Base64, Encoding};
use p256::ecdsa::signature::Verifier;
use p256::ecdsa::signature::hazmat::PrehashVerifier;
use sha2::{Digest as _, Sha256, Sha384, Sha512};
use x509_cert::Certificate;
use x509_cert::certificate::Version;
use x509_cert::der::asn1::ObjectIdentifier;
use x509_cert::der::oid::AssociatedOid;
use x509_cert::der::{Decode, Encode};
use x509_cert::ext::pkix::{BasicConstraints, ExtendedKeyUsage, KeyUsage};
use x509_cert::spki::SubjectPublicKeyInfoOwned;

pub(super) const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
const END: &str = "-----END CERTIFICATE-----";

/// How many certificates a signature may have. Public ones have three or four.
const MAX_CERTIFICATES: usize = 8;
/// The largest certificate that is read. Real ones have one or two KiB.
const MAX_CERTIFICATE_BYTES: usize = 64 << 10;
/// How many signatures of certificates are checked for a chain, so that many certificates of one name do not multiply.
const MAX_CHECKS: usize = 32;

const EC_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const P256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const P384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");
const ECDSA_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.2");
const ECDSA_SHA384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.3");
const ECDSA_SHA512: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.4");
const CODE_SIGNING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.3");
const ANY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.37.0");

/// A certificate that the user trusts to issue others.
#[derive(Clone)]
pub(super) struct Root {
    certificate: Certificate,
    der: Vec<u8>,
    pub(super) id: String,
    pub(super) subject: String,
}

impl Root {
    pub(super) fn pem(&self) -> String {
        // One line is PEM for this program, and takes less place in the store.
        format!("{BEGIN}\n{}\n{END}\n", Base64::encode_string(&self.der))
    }
}

/// The certificates of a text in PEM, as roots.
///
/// # Errors
/// If one cannot be read, or cannot issue others.
pub(super) fn roots(text: &str) -> Result<Vec<Root>, String> {
    let mut found = Vec::new();
    for block in text.split(BEGIN).skip(1) {
        let (block, _) = block.split_once(END).ok_or("a certificate has no end")?;
        let joined: String = block.split_ascii_whitespace().collect();
        let der = Base64::decode_vec(&joined).map_err(|_| "a certificate is not Base64")?;
        let certificate = parse(&der).map_err(Distrust::into_note)?;
        let subject = certificate.tbs_certificate.subject.to_string();
        let refused = |why: Distrust| format!("`{subject}` cannot be a root: {}", why.into_note());
        check_extensions(&certificate).and_then(|()| may_issue(&certificate, 0)).map_err(refused)?;
        Key::of(&certificate.tbs_certificate.subject_public_key_info).map_err(refused)?;
        found.push(Root { id: id_of(&der), subject, certificate, der });
    }
    Ok(found)
}

fn id_of(der: &[u8]) -> String {
    skilltree::Digest::of(der).to_string()
}

impl Distrust {
    fn into_note(self) -> String {
        match self {
            Distrust::ForeignRoot(note)
            | Distrust::Expired(note)
            | Distrust::Invalid(note)
            | Distrust::Unknown(note) => note,
        }
    }
}

fn invalid<T>(why: impl Into<String>) -> Result<T, Distrust> {
    Err(Distrust::Invalid(why.into()))
}

fn unknown<T>(why: impl Into<String>) -> Result<T, Distrust> {
    Err(Distrust::Unknown(why.into()))
}

/// Certificates of which the first one signs, and what they lead to.
pub(super) struct Chain {
    key: Key,
    /// Who signs, or which root the user has not named.
    end: Result<Signer, Distrust>,
    /// Which certificate is not valid at the time, and when it is.
    expired: Option<String>,
}

impl Chain {
    /// Follows certificates to one of these roots, in whatever order those after the first one are.
    ///
    /// # Errors
    /// If they are malformed, or one is not issued by that which it names.
    pub(super) fn check(chain: &[Vec<u8>], roots: &[&Root], now: u64) -> Result<Chain, Distrust> {
        if MAX_CERTIFICATES < chain.len() {
            return invalid(format!("expected at most {MAX_CERTIFICATES} certificates"));
        }
        let all = chain.iter().map(|der| parse(der)).collect::<Result<Vec<_>, _>>()?;
        let Some((leaf, others)) = all.split_first() else { return invalid("there is no certificate") };
        check_extensions(leaf)?;
        may_sign(leaf)?;
        let key = Key::of(&leaf.tbs_certificate.subject_public_key_info)?;
        let mut search = Search { others, roots, left: MAX_CHECKS };
        let mut path = vec![leaf];
        Ok(match search.climb(&mut path)? {
            End::Root(root) => {
                path.push(&root.certificate);
                let subject = leaf.tbs_certificate.subject.to_string();
                let signer = Signer { root: root.id.clone(), subject };
                Chain { key, end: Ok(signer), expired: path.iter().find_map(|certificate| outside(certificate, now)) }
            }
            End::Foreign(note) => Chain { key, end: Err(Distrust::ForeignRoot(note)), expired: None },
        })
    }

    /// Who signed the message.
    pub(super) fn signer(&self, signature: &[u8], message: &[u8]) -> Result<Signer, Distrust> {
        if !self.key.has_signed(signature, message) {
            return invalid("the signature is not one of this content by its certificate");
        }
        let signer = self.end.clone()?;
        match &self.expired {
            Some(why) => Err(Distrust::Expired(why.clone())),
            None => Ok(signer),
        }
    }
}

fn parse(der: &[u8]) -> Result<Certificate, Distrust> {
    if MAX_CERTIFICATE_BYTES < der.len() {
        return invalid(format!("expected certificates of at most {MAX_CERTIFICATE_BYTES} bytes"));
    }
    Certificate::from_der(der).or_else(|error| invalid(format!("a certificate cannot be read: {error}")))
}

/// What a path of certificates ends with.
enum End<'c> {
    Root(&'c Root),
    /// Which root it is, and what to do about it.
    Foreign(String),
}

/// Searches the path from a certificate to a root.
struct Search<'c> {
    others: &'c [Certificate],
    roots: &'c [&'c Root],
    /// How many more signatures are checked.
    left: usize,
}

impl<'c> Search<'c> {
    /// Extends a path to one of the roots, or else to some end. Recurses at most once for each certificate.
    fn climb(&mut self, path: &mut Vec<&'c Certificate>) -> Result<End<'c>, Distrust> {
        let Some(last) = path.last().copied() else { return invalid("there is no certificate") };
        let issuer = &last.tbs_certificate.issuer;
        let mut failed = None;
        for root in self.roots.iter().filter(|root| root.certificate.tbs_certificate.subject == *issuer) {
            match self.check_issued(path, last, &root.certificate) {
                Ok(()) => return Ok(End::Root(root)),
                Err(why) => failed = failed.or(Some(why)),
            }
        }
        let mut foreign = None;
        for other in self.others.iter().filter(|other| other.tbs_certificate.subject == *issuer) {
            if path.contains(&other) {
                failed =
                    failed.or_else(|| Some(Distrust::Invalid(format!("`{issuer}` leads to itself, and to no root"))));
                continue;
            }
            match self.check_issued(path, last, other) {
                Err(why) => failed = failed.or(Some(why)),
                Ok(()) => {
                    path.push(other);
                    match self.climb(path) {
                        Ok(End::Root(root)) => return Ok(End::Root(root)),
                        Ok(End::Foreign(note)) => foreign = foreign.or(Some(note)),
                        Err(why) => failed = failed.or(Some(why)),
                    }
                    path.pop();
                }
            }
        }
        if let Some(note) = foreign {
            return Ok(End::Foreign(note));
        }
        let is_own = last.tbs_certificate.subject == *issuer && self.check_signature(last, last).is_ok();
        match failed {
            _ if is_own => Ok(End::Foreign(foreign_root(last))),
            Some(why) => Err(why),
            None => {
                Ok(End::Foreign(format!("the root `{issuer}` is not trusted, and not among the certificates; {HELP}")))
            }
        }
    }

    /// Whether an issuer may issue the last certificate of a path, and has done so.
    fn check_issued(
        &mut self,
        path: &[&Certificate],
        last: &Certificate,
        issuer: &Certificate,
    ) -> Result<(), Distrust> {
        check_extensions(issuer)?;
        let is_counted =
            |certificate: &&&Certificate| certificate.tbs_certificate.subject != certificate.tbs_certificate.issuer;
        may_issue(issuer, path.iter().skip(1).filter(is_counted).count())?;
        self.check_signature(last, issuer)
    }

    fn check_signature(&mut self, certificate: &Certificate, issuer: &Certificate) -> Result<(), Distrust> {
        let Some(left) = self.left.checked_sub(1) else { return invalid("too many certificates have the same names") };
        self.left = left;
        let subject = &certificate.tbs_certificate.subject;
        // What is signed is written anew from what was read, so that nothing else is trusted than what was read.
        let Ok(signed) = certificate.tbs_certificate.to_der() else {
            return invalid("a certificate cannot be written");
        };
        let algorithm = &certificate.signature_algorithm;
        if *algorithm != certificate.tbs_certificate.signature {
            return invalid(format!("the certificate `{subject}` names two algorithms"));
        }
        let digest = match algorithm.oid {
            ECDSA_SHA256 => Sha256::digest(&signed).to_vec(),
            ECDSA_SHA384 => Sha384::digest(&signed).to_vec(),
            ECDSA_SHA512 => Sha512::digest(&signed).to_vec(),
            other => return unknown(format!("the certificate `{subject}` is signed with the algorithm {other}")),
        };
        let key = Key::of(&issuer.tbs_certificate.subject_public_key_info)?;
        match certificate.signature.as_bytes() {
            Some(signature) if key.has_signed_digest(signature, &digest) => Ok(()),
            _ => invalid(format!("the certificate `{subject}` is not signed by its issuer")),
        }
    }
}

/// How a root is trusted.
const HELP: &str =
    "get it from its owner, and name it with `--trust-root FILE`, or with `skilltree trust FILE` once and for all";

fn foreign_root(root: &Certificate) -> String {
    let id = root.to_der().map_or_else(|_| "unknown".to_owned(), |der| id_of(&der));
    format!("the root `{}` ({id}) is not trusted; {HELP}", root.tbs_certificate.subject)
}

/// Refuses what RFC 5280 refuses: a critical extension that is not known. Others may be ignored.
fn check_extensions(certificate: &Certificate) -> Result<(), Distrust> {
    let content = &certificate.tbs_certificate;
    if content.version != Version::V3 {
        return unknown(format!("the certificate `{}` is not of version 3", content.subject));
    }
    let known = [BasicConstraints::OID, KeyUsage::OID, ExtendedKeyUsage::OID];
    let mut critical = content.extensions.iter().flatten().filter(|extension| extension.critical);
    match critical.find(|extension| !known.contains(&extension.extn_id)) {
        Some(other) => {
            unknown(format!("the certificate `{}` has the critical extension {}", content.subject, other.extn_id))
        }
        None => Ok(()),
    }
}

/// An extension; `None` if there is none.
fn extension<'c, T: Decode<'c> + AssociatedOid>(certificate: &'c Certificate) -> Result<Option<T>, Distrust> {
    let found = certificate.tbs_certificate.get::<T>();
    let subject = &certificate.tbs_certificate.subject;
    found
        .map(|found| found.map(|(_, value)| value))
        .or_else(|error| invalid(format!("the certificate `{subject}`: {error}")))
}

/// Whether a certificate, or those below one, may sign code and its like.
fn is_for_signing(certificate: &Certificate) -> Result<bool, Distrust> {
    let usage = extension::<ExtendedKeyUsage>(certificate)?;
    Ok(usage.is_none_or(|usage| usage.0.iter().any(|usage| [CODE_SIGNING, ANY_USAGE].contains(usage))))
}

/// Whether a certificate may sign what is no certificate.
fn may_sign(certificate: &Certificate) -> Result<(), Distrust> {
    let is_usable = extension::<KeyUsage>(certificate)?.is_some_and(|usage| usage.digital_signature());
    match is_usable && is_for_signing(certificate)? {
        true => Ok(()),
        false => invalid(format!("the certificate `{}` is not for signatures", certificate.tbs_certificate.subject)),
    }
}

/// Whether a certificate may issue others, with so many between it and the one that signs.
fn may_issue(certificate: &Certificate, between: usize) -> Result<(), Distrust> {
    let subject = &certificate.tbs_certificate.subject;
    let constraints = extension::<BasicConstraints>(certificate)?.filter(|constraints| constraints.ca);
    let is_usable = extension::<KeyUsage>(certificate)?.is_none_or(|usage| usage.key_cert_sign());
    let Some(constraints) = constraints.filter(|_| is_usable) else {
        return invalid(format!("the certificate `{subject}` is not that of an authority"));
    };
    if constraints.path_len_constraint.is_some_and(|most| usize::from(most) < between) {
        return invalid(format!("the certificate `{subject}` does not allow so many authorities below it"));
    }
    match is_for_signing(certificate)? {
        true => Ok(()),
        false => invalid(format!("the certificate `{subject}` is not for signatures")),
    }
}

/// When a certificate is valid, if it is not at a time.
fn outside(certificate: &Certificate, now: u64) -> Option<String> {
    let content = &certificate.tbs_certificate;
    let (first, last) = (content.validity.not_before, content.validity.not_after);
    let (subject, seconds) = (&content.subject, |time: x509_cert::time::Time| time.to_unix_duration().as_secs());
    if now < seconds(first) {
        return Some(format!("the certificate `{subject}` is valid from {} on", first.to_date_time()));
    }
    (seconds(last) < now).then(|| format!("the certificate `{subject}` was valid until {}", last.to_date_time()))
}

/// A public key of a curve that is known.
enum Key {
    P256(p256::ecdsa::VerifyingKey),
    P384(p384::ecdsa::VerifyingKey),
}

impl Key {
    fn of(info: &SubjectPublicKeyInfoOwned) -> Result<Key, Distrust> {
        let curve = info.algorithm.parameters.as_ref().and_then(|named| named.decode_as::<ObjectIdentifier>().ok());
        let point = info.subject_public_key.as_bytes().unwrap_or_default();
        let key = match curve.filter(|_| info.algorithm.oid == EC_KEY) {
            Some(P256) => p256::ecdsa::VerifyingKey::from_sec1_bytes(point).map(Key::P256),
            Some(P384) => p384::ecdsa::VerifyingKey::from_sec1_bytes(point).map(Key::P384),
            _ => return unknown("expected a key on the curve P-256 or P-384"),
        };
        key.or_else(|_| invalid("a key is not a point of its curve"))
    }

    /// Whether a signature in DER is one of this message, with the hash of the curve.
    fn has_signed(&self, signature: &[u8], message: &[u8]) -> bool {
        match self {
            Key::P256(key) => {
                p256::ecdsa::Signature::from_der(signature).and_then(|signed| key.verify(message, &signed))
            }
            Key::P384(key) => {
                p384::ecdsa::Signature::from_der(signature).and_then(|signed| key.verify(message, &signed))
            }
        }
        .is_ok()
    }

    /// Whether a signature in DER is one of a message with this digest.
    fn has_signed_digest(&self, signature: &[u8], digest: &[u8]) -> bool {
        match self {
            Key::P256(key) => {
                p256::ecdsa::Signature::from_der(signature).and_then(|signed| key.verify_prehash(digest, &signed))
            }
            Key::P384(key) => {
                p384::ecdsa::Signature::from_der(signature).and_then(|signed| key.verify_prehash(digest, &signed))
            }
        }
        .is_ok()
    }
}
