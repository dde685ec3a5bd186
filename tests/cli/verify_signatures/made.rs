//! Certificates, bundles and manifests, made with keys that everybody knows.

use base64ct::{Base64, Encoding};
use p384::ecdsa::signature::Signer;
use skilltree::{Digest, Json};
use ssh_key::private::Ed25519Keypair;
use ssh_key::{HashAlg, LineEnding, PrivateKey};
use std::collections::BTreeMap;
use std::str::FromStr;
use x509_cert::Certificate;
use x509_cert::certificate::{TbsCertificate, Version};
use x509_cert::der::asn1::{Any, BitString, GeneralizedTime, ObjectIdentifier, OctetString};
use x509_cert::der::oid::AssociatedOid;
use x509_cert::der::{DateTime, Encode};
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::{BasicConstraints, ExtendedKeyUsage, KeyUsage, KeyUsages};
use x509_cert::name::Name;
use x509_cert::serial_number::SerialNumber;
use x509_cert::spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};
use x509_cert::time::{Time, Validity};

/// A key, by the curve and any number.
#[derive(Clone, Copy)]
pub(crate) enum Key {
    P256(u8),
    P384(u8),
}

impl Key {
    pub(crate) fn sign(self, message: &[u8]) -> Vec<u8> {
        match self {
            Key::P256(seed) => {
                let key = p256::ecdsa::SigningKey::from_slice(&[seed; 32]).unwrap();
                let signed: p256::ecdsa::Signature = key.sign(message);
                signed.to_der().as_bytes().to_vec()
            }
            Key::P384(seed) => {
                let key = p384::ecdsa::SigningKey::from_slice(&[seed; 48]).unwrap();
                let signed: p384::ecdsa::Signature = key.sign(message);
                signed.to_der().as_bytes().to_vec()
            }
        }
    }

    fn public(self) -> SubjectPublicKeyInfoOwned {
        let (curve, point) = match self {
            Key::P256(seed) => {
                let key = p256::ecdsa::SigningKey::from_slice(&[seed; 32]).unwrap();
                ("1.2.840.10045.3.1.7", key.verifying_key().to_encoded_point(false).as_bytes().to_vec())
            }
            Key::P384(seed) => {
                let key = p384::ecdsa::SigningKey::from_slice(&[seed; 48]).unwrap();
                ("1.3.132.0.34", key.verifying_key().to_encoded_point(false).as_bytes().to_vec())
            }
        };
        let algorithm = algorithm("1.2.840.10045.2.1", Some(curve));
        SubjectPublicKeyInfoOwned { algorithm, subject_public_key: BitString::from_bytes(&point).unwrap() }
    }

    /// The algorithm of the signatures by it.
    fn algorithm(self) -> &'static str {
        match self {
            Key::P256(_) => "1.2.840.10045.4.3.2",
            Key::P384(_) => "1.2.840.10045.4.3.3",
        }
    }
}

fn oid(text: &str) -> ObjectIdentifier {
    ObjectIdentifier::new(text).unwrap()
}

fn algorithm(named: &str, parameter: Option<&str>) -> AlgorithmIdentifierOwned {
    let parameters = parameter.map(|parameter| Any::from(oid(parameter)));
    AlgorithmIdentifierOwned { oid: oid(named), parameters }
}

/// A certificate before it is signed.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) subject: &'static str,
    pub(crate) key: Key,
    /// The name of the issuer, and the key that it signs with.
    pub(crate) issuer: (&'static str, Key),
    pub(crate) version: Version,
    /// Whether it is that of an authority, and how many it allows below it.
    pub(crate) authority: Option<(bool, Option<u8>)>,
    pub(crate) usage: Option<KeyUsages>,
    pub(crate) extended: Option<&'static str>,
    /// A critical extension.
    pub(crate) critical: Option<&'static str>,
    pub(crate) dates: (&'static str, &'static str),
    pub(crate) algorithm: Option<&'static str>,
}

impl Draft {
    pub(crate) fn authority(subject: &'static str, key: Key, issuer: (&'static str, Key)) -> Draft {
        Draft {
            subject,
            key,
            issuer,
            version: Version::V3,
            authority: Some((true, None)),
            usage: Some(KeyUsages::KeyCertSign),
            extended: None,
            critical: None,
            dates: ("2026-01-01T00:00:00Z", "9999-12-31T23:59:59Z"),
            algorithm: None,
        }
    }

    pub(crate) fn leaf(subject: &'static str, key: Key, issuer: (&'static str, Key)) -> Draft {
        let dates = ("2026-02-01T00:00:00Z", "2028-04-22T15:33:09Z");
        let usage = Some(KeyUsages::DigitalSignature);
        Draft { authority: Some((false, None)), usage, dates, ..Draft::authority(subject, key, issuer) }
    }

    pub(crate) fn der(&self) -> Vec<u8> {
        let extension = |oid: ObjectIdentifier, value: Vec<u8>| Extension {
            extn_id: oid,
            critical: true,
            extn_value: OctetString::new(value).unwrap(),
        };
        let mut extensions = Vec::new();
        if let Some((ca, path_len_constraint)) = self.authority {
            let constraints = BasicConstraints { ca, path_len_constraint };
            extensions.push(extension(BasicConstraints::OID, constraints.to_der().unwrap()));
        }
        if let Some(usage) = self.usage {
            extensions.push(extension(KeyUsage::OID, KeyUsage(usage.into()).to_der().unwrap()));
        }
        if let Some(usage) = self.extended {
            extensions.push(extension(ExtendedKeyUsage::OID, ExtendedKeyUsage(vec![oid(usage)]).to_der().unwrap()));
        }
        if let Some(critical) = self.critical {
            extensions.push(extension(oid(critical), vec![5, 0]));
        }
        let time = |text: &str| {
            let time = DateTime::from_str(text).unwrap();
            Time::GeneralTime(GeneralizedTime::from_date_time(time))
        };
        let signature = algorithm(self.algorithm.unwrap_or(self.issuer.1.algorithm()), None);
        let content = TbsCertificate {
            version: self.version,
            serial_number: SerialNumber::new(&[1]).unwrap(),
            signature: signature.clone(),
            issuer: Name::from_str(self.issuer.0).unwrap(),
            validity: Validity { not_before: time(self.dates.0), not_after: time(self.dates.1) },
            subject: Name::from_str(self.subject).unwrap(),
            subject_public_key_info: self.key.public(),
            issuer_unique_id: None,
            subject_unique_id: None,
            extensions: (self.version == Version::V3).then_some(extensions),
        };
        let signed = BitString::from_bytes(&self.issuer.1.sign(&content.to_der().unwrap())).unwrap();
        Certificate { tbs_certificate: content, signature_algorithm: signature, signature: signed }.to_der().unwrap()
    }
}

pub(crate) fn pem(der: &[u8]) -> String {
    format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", Base64::encode_string(der))
}

pub(crate) fn sha256(bytes: impl AsRef<[u8]>) -> String {
    Digest::of(bytes.as_ref()).to_string().replace("sha256:", "")
}

/// The statement about these files, in this order.
pub(crate) fn statement(files: &[(&str, &str)]) -> String {
    let digests: Vec<(&str, String)> = files.iter().map(|(name, text)| (*name, sha256(text))).collect();
    let bytes = |hex: &String| -> Vec<u8> {
        (0..32).map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap()).collect()
    };
    let joined: Vec<u8> = digests.iter().flat_map(|(_, digest)| bytes(digest)).collect();
    let resource = |(name, digest): &(&str, String)| {
        format!("{{\"name\": \"{name}\", \"algorithm\": \"sha256\", \"digest\": \"{digest}\"}}")
    };
    let resources: Vec<String> = digests.iter().map(resource).collect();
    format!(
        "{{\"_type\": \"https://in-toto.io/Statement/v1\", \"subject\": [{{\"name\": \"tea\", \"digest\": {{\"sha256\": \"{}\"}}}}], \
         \"predicateType\": \"https://model_signing/signature/v1.0\", \"predicate\": {{\"serialization\": {{\"method\": \"files\", \
         \"hash_type\": \"sha256\", \"allow_symlinks\": false, \"ignore_paths\": [\".git\", \".gitattributes\", \".gitignore\", \
         \".github\"]}}, \"resources\": [{}]}}}}",
        sha256(joined),
        resources.join(", ")
    )
}

/// A bundle with a statement, signed with the key of the first certificate.
pub(crate) fn bundle(chain: &[Vec<u8>], key: Key, statement: &str) -> String {
    let kind = "application/vnd.in-toto+json";
    let message = format!("DSSEv1 {} {kind} {} {statement}", kind.len(), statement.len());
    bundle_of(chain, &key.sign(message.as_bytes()), statement)
}

pub(crate) fn bundle_of(chain: &[Vec<u8>], signature: &[u8], statement: &str) -> String {
    let certificates: Vec<String> =
        chain.iter().map(|der| format!("{{\"rawBytes\": \"{}\"}}", Base64::encode_string(der))).collect();
    format!(
        "{{\"mediaType\": \"application/vnd.dev.sigstore.bundle.v0.3+json\", \"verificationMaterial\": \
         {{\"x509CertificateChain\": {{\"certificates\": [{}]}}, \"tlogEntries\": []}}, \"dsseEnvelope\": {{\"payloadType\": \
         \"application/vnd.in-toto+json\", \"payload\": \"{}\", \"signatures\": [{{\"sig\": \"{}\", \"keyid\": \"\"}}]}}}}",
        certificates.join(", "),
        Base64::encode_string(statement.as_bytes()),
        Base64::encode_string(signature)
    )
}

/// Who signs manifests.
pub(crate) const IDENTITY: &str = "ops@tea.example";

/// A key of OpenSSH, by any number.
pub(crate) fn ssh_key(seed: u8) -> PrivateKey {
    PrivateKey::from(Ed25519Keypair::from_seed(&[seed; 32]))
}

pub(crate) fn fingerprint(seed: u8) -> String {
    ssh_key(seed).fingerprint(HashAlg::Sha256).to_string()
}

/// A line of `allowed_signers`.
pub(crate) fn allowed(principals: &str, options: &str, seed: u8) -> String {
    format!("{principals} {options} {}\n", ssh_key(seed).public_key().to_openssh().unwrap())
}

/// What is signed of a manifest of these files, of which the signer has a key.
pub(crate) fn manifest(files: &[(&str, &str)], seed: u8) -> String {
    let files: BTreeMap<&str, &str> = files.iter().copied().collect();
    let file =
        |(name, text): (&str, &str)| format!("\"{name}\":{{\"sha256\":\"{}\",\"size\":{}}}", sha256(text), text.len());
    format!(
        "{{\"dependencies\":[],\"files\":{{{}}},\"signer\":{{\"algorithm\":\"ssh-ed25519\",\"identity\":\"{IDENTITY}\",\
         \"key_fingerprint\":\"{}\"}},\"skill\":{{\"author\":\"ops\",\"name\":\"tea\",\"version\":\"1\"}},\
         \"timestamp\":\"2026-11-27T09:00:00+00:00\",\"version\":\"1.0.0\"}}",
        files.into_iter().map(file).collect::<Vec<_>>().join(","),
        fingerprint(seed)
    )
}

/// A text of a map with a signature of a text, as a further field.
pub(crate) fn with_signature(map: &str, namespace: &str, signed: &str, seed: u8) -> String {
    let signature = ssh_key(seed).sign(namespace, HashAlg::Sha512, signed.as_bytes()).unwrap();
    let signature = Json::from(signature.to_pem(LineEnding::LF).unwrap());
    format!("{},\"signature\":{signature}}}", map.strip_suffix('}').unwrap())
}

/// The manifest of these files, signed by a key.
pub(crate) fn signed_manifest(files: &[(&str, &str)], seed: u8) -> String {
    let text = manifest(files, seed);
    with_signature(&text, "skill-manifest", &text, seed)
}
