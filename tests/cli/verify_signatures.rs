//! Signatures in `verify`, and the command `trust`: each verdict, forged certificates and bundles, and real signatures.

pub(crate) mod made;

use crate::common::Tree;
use crate::common::skip::real_data;
use crate::program::{Place, field, said};
use crate::verify::{tells, told};
use made::{Draft, Key, bundle, bundle_of, pem, sha256, statement};
use pretty_assertions::assert_eq;
use skilltree::Json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use x509_cert::certificate::Version;
use x509_cert::ext::pkix::KeyUsages;

const TEA: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";
const FILES: &[(&str, &str)] = &[("SKILL.md", TEA), ("scripts/boil", "boil\n")];

const ROOT: &str = "CN=Root,O=Tea";
const ISSUER: &str = "CN=Issuer,O=Tea";
const SIGNER: &str = "CN=Signer,O=Tea";
const ROOT_KEY: Key = Key::P384(1);
const ISSUER_KEY: Key = Key::P384(2);
const SIGNER_KEY: Key = Key::P384(3);
/// Of somebody else.
const OTHER_KEY: Key = Key::P384(9);

fn root() -> Draft {
    Draft::authority(ROOT, ROOT_KEY, (ROOT, ROOT_KEY))
}

fn issuer() -> Draft {
    Draft { authority: Some((true, Some(0))), ..Draft::authority(ISSUER, ISSUER_KEY, (ROOT, ROOT_KEY)) }
}

fn leaf() -> Draft {
    Draft::leaf(SIGNER, SIGNER_KEY, (ISSUER, ISSUER_KEY))
}

/// The certificates from the one that signs to the root.
fn chain() -> Vec<Vec<u8>> {
    vec![leaf().der(), issuer().der(), root().der()]
}

/// A signature of these files by the usual signer.
fn signed(files: &[(&str, &str)]) -> String {
    bundle(&chain(), SIGNER_KEY, &statement(files))
}

/// A project with these files of a skill `tea`, this signature, and the root beside the project.
fn tea(files: &[(&str, &str)], signature: &str) -> Tree {
    let at = |name: &str| format!("/project/.agents/skills/tea/{name}");
    let tree = Tree::default().with("/root.pem", pem(&root().der())).with(&at("skill.oms.sig"), signature);
    files.iter().fold(tree, |tree, (name, text)| tree.with(&at(name), *text))
}

const TRUST: &[&str] = &["--trust-root", "../root.pem", "--at", "2026-11-27"];

#[track_caller]
fn judges(case: &str, files: &[(&str, &str)], signature: &str, expected: &str) {
    tells(case, &Place::of(tea(files, signature)), TRUST, &[expected]);
}

#[test]
fn text_for_people() {
    let at = |skill: &str, name: &str| format!("/project/.agents/skills/{skill}/{name}");
    let milk = TEA.replace("tea", "milk");
    let tree = tea(FILES, &signed(FILES)).with(&at("jam", "SKILL.md"), TEA.replace("tea", "jam"));
    let tree = tree.with(&at("milk", "SKILL.md"), "edited").with(&at("milk", "new.sh"), "x");
    let tree = tree.with(&at("milk", "skill.oms.sig"), signed(&[("SKILL.md", &milk), ("run.sh", "x")]));
    let place = Place::of(tree);
    let id = format!("sha256:{}", sha256(root().der()));
    let text = format!(
        "SKILL  RECORD         VERDICT   NOTE
jam    -              unsigned
milk   skill.oms.sig  differs   ~SKILL.md +new.sh -run.sh; signed by `{SIGNER}`, of the root {id}
tea    skill.oms.sig  verified  signed by `{SIGNER}`, of the root {id}
3 skills: 1 verified, 1 differs, 1 unsigned
"
    );
    place.exact("text", &[&["verify", "."], TRUST].concat(), 0, &text, "");
    let foreign =
        format!("the root `{ROOT}` ({id}) is not trusted; get it from its owner, and name it with `--trust-root FILE`");
    let untrusted = place.say(&["verify", "."]);
    assert!(untrusted.out.contains(&foreign), "{}", untrusted.out);
    assert!(untrusted.out.ends_with("3 skills: 2 foreign root, 1 no record\n"), "{}", untrusted.out);
    let fields = [
        ("skills.0.records.0.verdict", "\"unsigned\""),
        ("skills.0.records.0.kind", "null"),
        ("skills.0.records.0.file", "null"),
        ("skills.2.records.0.kind", "\"oms\""),
        ("skills.2.records.0.verdict", "\"verified\""),
        ("skills.2.records.0.signer.root", &format!("\"{id}\"")),
        ("skills.2.records.0.signer.subject", &format!("\"{SIGNER}\"")),
        ("verdicts.verified", "1"),
        ("verdicts.no record", "-"),
    ];
    place.fields("JSON", &[&["verify", "."], TRUST].concat(), 0, &fields);
}

/// The rule, the level and the location of each verdict on signatures in a SARIF log.
#[test]
fn as_sarif() {
    let own = signed(FILES);
    let past: &[&str] = &["--trust-root", "../root.pem", "--at", "2040-01-01"];
    let forged = bundle(&chain(), OTHER_KEY, &statement(FILES));
    let unsigned = tea(FILES, &own).without("/project/.agents/skills/tea/skill.oms.sig");
    let cases = [
        ("verified", tea(FILES, &own), TRUST, None),
        ("foreign root", tea(FILES, &own), &[], Some("record-foreign-root error .agents/skills/tea/skill.oms.sig")),
        ("expired", tea(FILES, &own), past, Some("record-expired error .agents/skills/tea/skill.oms.sig")),
        ("invalid", tea(FILES, &forged), TRUST, Some("record-invalid error .agents/skills/tea/skill.oms.sig")),
        ("unsigned", unsigned, TRUST, Some("record-unsigned warning .agents/skills/tea")),
        ("differs", tea(&FILES[..1], &own), TRUST, Some("record-differs error .agents/skills/tea/scripts/boil")),
    ];
    for (case, tree, words, expected) in cases {
        let said = Place::of(tree).say(&[&["verify", "--format", "sarif"], words].concat());
        let told = crate::verify_sarif::told(&said);
        assert_eq!(told, expected.into_iter().collect::<Vec<_>>(), "{case}: {}{}", said.out, said.err);
    }
}

/// A policy may name the root of a signature by its certificate. That does not make it trusted.
#[test]
fn roots_of_policies() {
    let other = Draft::authority("CN=Other", OTHER_KEY, ("CN=Other", OTHER_KEY));
    let both = format!("{}{}", pem(&other.der()), pem(&root().der()));
    let not_an_authority = pem(&leaf().der());
    let tree = tea(FILES, &signed(FILES)).with("/project/root.pem", pem(&root().der()));
    let tree = tree.with("/project/other.pem", pem(&other.der())).with("/project/both.pem", both);
    let place = Place::of(tree.with("/project/leaf.pem", not_an_authority));
    let none = "no signature of a signer that is named and trusted covers it";
    let id = sha256(root().der());
    let cases: &[(&str, &[&str], Option<&str>)] = &[
        ("kind: oms, root: root.pem", TRUST, None),
        ("kind: oms, root: both.pem", TRUST, None),
        ("root: root.pem, subject: \"CN=Signer*\"", TRUST, None),
        (&format!("root: \"sha256:{id}\""), TRUST, None),
        ("root: root.pem, subject: \"CN=Issuer*\"", TRUST, Some(none)),
        ("kind: ssh, root: root.pem", TRUST, Some(none)),
        ("kind: oms, root: other.pem", TRUST, Some(none)),
        (
            "kind: oms, root: root.pem",
            &[],
            Some("it has a signature whose root you do not trust: `skilltree trust FILE`"),
        ),
        ("root: leaf.pem", TRUST, Some("`leaf.pem` names no signer: `CN=Signer,O=Tea` cannot be a root")),
        (
            "root: none.pem",
            TRUST,
            Some("skilltree-policy.yaml:3`: the policy is not valid: `none.pem` names no signer"),
        ),
        ("allowed: root.pem", TRUST, Some("`root.pem` names no signer: expected lines of `allowed_signers`")),
    ];
    for (signer, words, told) in cases {
        let policy = format!("require: {{signature: true}}\nsigners:\n- {{{signer}}}\n");
        std::fs::write(place.at("project/skilltree-policy.yaml"), policy).unwrap();
        let said = place.say(&[&["verify"], *words].concat());
        assert_eq!(said.code, Some(i32::from(told.is_some())), "{signer}: {}{}", said.out, said.err);
        assert!(said.out.contains(told.unwrap_or_default()), "{signer}: {}", said.out);
    }
}

/// What the files of a folder are compared with.
#[test]
fn files() {
    let own = signed(FILES);
    let more = |name: &'static str| [FILES, &[(name, "x")]].concat();
    judges("as signed", FILES, &own, "tea | verified");
    judges("a byte", &[("SKILL.md", TEA), ("scripts/boil", "boil\r\n")], &own, "tea | differs ~scripts/boil");
    judges("a file less", &FILES[..1], &own, "tea | differs -scripts/boil");
    judges("a file more", &more("scripts/burn"), &own, "tea | extra +scripts/burn");
    judges("a hidden one", &more(".env"), &own, "tea | extra +.env");
    judges("a file elsewhere", &[("SKILL.md", TEA), ("boil", "boil\n")], &own, "tea | differs +boil -scripts/boil");
    judges(
        "another case",
        &[("SKILL.md", TEA), ("scripts/Boil", "boil\n")],
        &own,
        "tea | differs +scripts/Boil -scripts/boil",
    );
    for ignored in [".gitignore", ".github/x.md", ".gitattributes", ".git/config"] {
        judges(ignored, &more(ignored), &own, "tea | verified");
    }
    for not_ignored in [".gitignored", ".github2/x.md", "scripts/.gitignore"] {
        judges(not_ignored, &more(not_ignored), &own, &format!("tea | extra +{not_ignored}"));
    }
    judges("modules", &more("node_modules/x.js"), &own, "tea | extra +node_modules/");
    judges("caches", &more("__pycache__/x.pyc"), &own, "tea | extra +__pycache__/x.pyc");
    let hidden = tea(&more(".github/skills/evil/SKILL.md"), &own);
    let expected = ["evil | extra +SKILL.md", "tea | extra +.github/skills/evil/SKILL.md"];
    tells("a skill that is ignored", &Place::of(hidden), &[&["."], TRUST].concat(), &expected);
    let packed = Place::of(tea(FILES, &own));
    assert_eq!(packed.say(&["pack", ".agents/skills/tea", "-o", "../tea.skill"]).code, Some(0));
    tells("an archive", &packed, &[&["../tea.skill"], TRUST].concat(), &["tea | verified"]);
    let large = tea(FILES, &own).with_sparse("/project/.agents/skills/tea/big.bin", 1 << 40);
    tells("a large file", &Place::of(large), TRUST, &["tea | differs"]);
    if cfg!(unix) {
        let tree = || tea(FILES, &own);
        for (link, target) in [("scripts/link", "boil"), (".github", "/etc"), ("more", "../other")] {
            let linked = tree().with_link(&format!("/project/.agents/skills/tea/{link}"), target);
            tells(link, &Place::of(linked), TRUST, &[&format!("tea | extra +{link}")]);
        }
        let linked = tree().without("/project/.agents/skills/tea/scripts/boil");
        let linked = linked.with("/project/boil", "boil\n");
        let linked = linked.with_link("/project/.agents/skills/tea/scripts/boil", "../../../../boil");
        tells("linked", &Place::of(linked), TRUST, &["tea | differs +scripts/boil -scripts/boil"]);
        let linked = tree().without("/project/.agents/skills/tea/skill.oms.sig").with("/elsewhere.sig", own.as_str());
        let linked = linked.with_link("/project/.agents/skills/tea/skill.oms.sig", "../../../../elsewhere.sig");
        tells("a signature elsewhere", &Place::of(linked), TRUST, &["tea | invalid"]);
    }
}

/// Skills in a skill that is signed as a whole.
#[test]
fn parts() {
    let milk = TEA.replace("tea", "milk");
    let files = [FILES, &[("skills/milk/SKILL.md", milk.as_str()), ("skills/milk/x.md", "x")]].concat();
    let own = signed(&files);
    let words = [&["."], TRUST].concat();
    let all = |tree: Tree, expected: &[&str]| tells("parts", &Place::of(tree), &words, expected);
    all(tea(&files, &own), &["milk | verified", "tea | verified"]);
    let edited = tea(&files, &own).with("/project/.agents/skills/tea/skills/milk/x.md", "y");
    all(edited, &["milk | differs ~x.md", "tea | differs ~skills/milk/x.md"]);
    // The signature is on the whole.
    let edited = tea(&files, &own).with("/project/.agents/skills/tea/scripts/boil", "burn\n");
    all(edited, &["milk | differs", "tea | differs ~scripts/boil"]);
    // What the signature leaves out without looking at it is not signed.
    let inner = ".agents/skills/tea/.git/skills/evil";
    let hidden =
        Place::of(tea(FILES, &signed(FILES)).with(&format!("/project/{inner}/SKILL.md"), TEA.replace("tea", "evil")));
    tells("in git", &hidden, &[&[".", inner], TRUST].concat(), &["evil | unsigned", "tea | verified"]);
    let lock = "{\"version\": 1, \"skills\": {\"milk\": {\"source\": \"a/b\", \"sourceType\": \"github\"}}}";
    let locked = tea(&files, &own).with("/project/.agents/skills/tea/skills-lock.json", lock);
    all(locked, &["milk | needs source | extra", "tea | extra +skills-lock.json"]);
}

/// Each certificate of a chain, changed in some way and signed anew. `model_signing` 1.1.1 verifies the same, but for these: it checks the
/// dates at the first day of the signer, takes certificates that are for servers and any number of them, and of several authorities with
/// one name it tries the first alone.
#[test]
fn chains() {
    let of = |chain: &[Draft]| {
        let chain: Vec<Vec<u8>> = chain.iter().map(Draft::der).collect();
        bundle(&chain, SIGNER_KEY, &statement(FILES))
    };
    let with_leaf = |change: &dyn Fn(&mut Draft)| {
        let mut own = leaf();
        change(&mut own);
        of(&[own, issuer(), root()])
    };
    let with_issuer = |change: &dyn Fn(&mut Draft)| {
        let mut own = issuer();
        change(&mut own);
        of(&[leaf(), own, root()])
    };
    let other_root = Draft::authority(ROOT, OTHER_KEY, (ROOT, OTHER_KEY));
    let by_other = Draft::authority(ISSUER, ISSUER_KEY, (ROOT, OTHER_KEY));
    let between = Draft::authority("CN=Between", Key::P384(4), (ROOT, ROOT_KEY));
    let below = |most: Option<u8>| {
        let between = Draft { authority: Some((true, most)), ..between.clone() };
        let issuer = Draft::authority(ISSUER, ISSUER_KEY, ("CN=Between", Key::P384(4)));
        of(&[leaf(), issuer, between, root()])
    };
    let decoy = Draft::authority(ISSUER, OTHER_KEY, (ROOT, ROOT_KEY));
    let loops = [
        Draft::authority(ISSUER, ISSUER_KEY, ("CN=A", Key::P384(5))),
        Draft::authority("CN=A", Key::P384(5), (ISSUER, ISSUER_KEY)),
    ];
    let many: Vec<Draft> = (20..27).map(|n| Draft::authority(ISSUER, Key::P384(n), (ISSUER, ISSUER_KEY))).collect();
    let p256 = Draft::leaf(SIGNER, Key::P256(3), (ISSUER, ISSUER_KEY)).der();
    let cases: &[(&str, String, &str)] = &[
        ("as it is", of(&[leaf(), issuer(), root()]), "verified"),
        ("without the root", of(&[leaf(), issuer()]), "verified"),
        ("in another order", of(&[leaf(), root(), issuer()]), "verified"),
        ("directly below the root", of(&[Draft::leaf(SIGNER, SIGNER_KEY, (ROOT, ROOT_KEY))]), "verified"),
        ("P-256", bundle(&[p256, issuer().der()], Key::P256(3), &statement(FILES)), "verified"),
        ("another one of the name", of(&[leaf(), decoy, issuer()]), "verified"),
        ("two authorities", below(None), "verified"),
        ("two are allowed", below(Some(1)), "verified"),
        ("one is allowed", below(Some(0)), "invalid"),
        ("without the issuer", of(&[leaf()]), "foreign root"),
        ("no certificate", of(&[]), "invalid"),
        ("nine certificates", of(&[&[leaf(), issuer()][..], &many].concat()), "invalid"),
        ("the signer twice", of(&[leaf(), leaf(), issuer()]), "verified"),
        ("the issuer first", of(&[issuer(), leaf(), root()]), "invalid"),
        ("only signed by itself", of(&[Draft::leaf(SIGNER, SIGNER_KEY, (SIGNER, SIGNER_KEY))]), "foreign root"),
        ("the root's name, signed by itself", of(&[Draft::leaf(ROOT, SIGNER_KEY, (ROOT, SIGNER_KEY))]), "foreign root"),
        ("the root's name, with another key", of(&[leaf(), by_other.clone(), other_root]), "foreign root"),
        ("another key, with the root itself", of(&[leaf(), by_other.clone(), root()]), "invalid"),
        ("another key, without a root", of(&[leaf(), by_other]), "invalid"),
        ("below a signer", of(&[leaf(), Draft::leaf(ISSUER, ISSUER_KEY, (ROOT, ROOT_KEY)), root()]), "invalid"),
        ("no authority", with_issuer(&|issuer| issuer.authority = Some((false, None))), "invalid"),
        ("no word about authority", with_issuer(&|issuer| issuer.authority = None), "invalid"),
        ("not for certificates", with_issuer(&|issuer| issuer.usage = Some(KeyUsages::CRLSign)), "invalid"),
        ("for servers", with_issuer(&|issuer| issuer.extended = Some("1.3.6.1.5.5.7.3.1")), "invalid"),
        ("for code", with_issuer(&|issuer| issuer.extended = Some("1.3.6.1.5.5.7.3.3")), "verified"),
        ("constraints of names", with_issuer(&|issuer| issuer.critical = Some("2.5.29.30")), "unknown record"),
        (
            "another algorithm",
            with_issuer(&|issuer| issuer.algorithm = Some("1.2.840.113549.1.1.12")),
            "unknown record",
        ),
        ("an issuer of version 1", with_issuer(&|issuer| issuer.version = Version::V1), "unknown record"),
        ("an issuer of the past", with_issuer(&|issuer| issuer.dates.1 = "2026-11-26T23:59:59Z"), "expired"),
        ("an issuer of the future", with_issuer(&|issuer| issuer.dates.0 = "2026-11-27T00:00:01Z"), "expired"),
        ("another issuer's key", with_issuer(&|issuer| issuer.key = OTHER_KEY), "invalid"),
        ("a signer for certificates", with_leaf(&|leaf| leaf.usage = Some(KeyUsages::KeyCertSign)), "invalid"),
        ("a signer for anything", with_leaf(&|leaf| leaf.usage = None), "invalid"),
        ("a signer for servers", with_leaf(&|leaf| leaf.extended = Some("1.3.6.1.5.5.7.3.1")), "invalid"),
        ("a signer for any use", with_leaf(&|leaf| leaf.extended = Some("2.5.29.37.0")), "verified"),
        ("a critical extension", with_leaf(&|leaf| leaf.critical = Some("1.2.3.4")), "unknown record"),
        ("a signer of the past", with_leaf(&|leaf| leaf.dates.1 = "2026-11-26T00:00:00Z"), "expired"),
        ("until this second", with_leaf(&|leaf| leaf.dates.1 = "2026-11-27T00:00:00Z"), "verified"),
        ("another signer's key", with_leaf(&|leaf| leaf.key = OTHER_KEY), "invalid"),
        ("a loop", of(&[&[leaf()][..], &loops].concat()), "invalid"),
        ("many of one name", of(&[&[leaf()][..], &many].concat()), "invalid"),
    ];
    for (case, signature, verdict) in cases {
        judges(case, FILES, signature, &format!("tea | {verdict}"));
    }
}

/// The certificate that the user names counts, and none of the same name.
#[test]
fn roots_of_the_user() {
    let own = signed(FILES);
    let with_root = |text: &str| Place::of(tea(FILES, &own).with("/root.pem", text));
    let of = |draft: Draft| pem(&draft.der());
    let other = Draft::authority(ROOT, OTHER_KEY, (ROOT, OTHER_KEY));
    let past = Draft { dates: ("2026-01-01T00:00:00Z", "2026-11-01T00:00:00Z"), ..root() };
    let cases = [
        ("the root", of(root()), "verified"),
        ("with words before it", format!("Subject: Root\r\n{}", of(root()).replace('\n', "\r\n")), "verified"),
        ("after another one", of(other.clone()) + &of(root()), "verified"),
        ("an issuer", of(issuer()), "verified"),
        ("another key", of(other), "foreign root"),
        ("expired", of(past), "expired"),
        ("without a word about its use", of(Draft { usage: None, ..root() }), "verified"),
        (
            "signers of OpenSSH",
            include_str!("../../testdata/signatures/ssh/allowed_signers").to_owned(),
            "foreign root",
        ),
    ];
    for (case, text, verdict) in &cases {
        let place = with_root(text);
        let said = place.say(&[&["verify", "--json"], TRUST].concat());
        assert_eq!(told(&said), [format!("tea | {verdict}")], "{case}: {}", said.err);
    }
    let refused = [
        (
            "a signer",
            of(leaf()),
            "`CN=Signer,O=Tea` cannot be a root: the certificate `CN=Signer,O=Tea` is not that of an authority",
        ),
        ("cut off", of(root())[..200].to_owned(), "a certificate has no end"),
        ("no Base64", of(root()).replace("MII", "M!I"), "a certificate is not Base64"),
        ("no certificate", of(root()).replace("MII", "AAA"), "a certificate cannot be read"),
        ("nothing", String::new(), "expected certificates in PEM or lines of `allowed_signers`"),
        ("a key of another type", "alice ssh-rsa AAAA\n".to_owned(), "expected certificates in PEM"),
    ];
    for (case, text, why) in &refused {
        with_root(text).check(case, &[&["verify"], TRUST].concat(), 2, &[], &["names no root: ", why]);
    }
    let large = tea(FILES, &own).without("/root.pem").with_sparse("/root.pem", 1 << 32);
    Place::of(large).check(
        "a large file",
        &[&["verify"], TRUST].concat(),
        2,
        &[],
        &["it is larger than 1048576 bytes"],
    );
    let place = with_root("x");
    place.check("no file", &["verify", "--trust-root", "../none.pem"], 2, &[], &["none.pem"]);
    let inside = Place::of(tea(FILES, &own).with("/project/root.pem", of(root())));
    let said = inside.say(&["verify", "--trust-root", "root.pem"]);
    assert!(said.err.contains("it is in the project, and whoever changes the project can change it"), "{}", said.err);
}

#[test]
fn times() {
    let place = Place::of(tea(FILES, &signed(FILES)));
    let edited = Place::of(tea(&[("SKILL.md", TEA), ("scripts/boil", "burn\n")], &signed(FILES)));
    let cases = [
        ("2028-04-22", "verified"),
        ("2028-04-22T15:33:09Z", "verified"),
        ("2028-04-22T15:33:10Z", "expired"),
        ("2040-01-01", "expired"),
        ("2026-01-31", "expired"),
        ("1970-01-01", "expired"),
        ("9999-12-31", "expired"),
    ];
    for (at, verdict) in cases {
        let words = ["--trust-root", "../root.pem", "--at", at];
        tells(at, &place, &words, &[&format!("tea | {verdict}")]);
        // What is changed is told in any case.
        tells(at, &edited, &words, &["tea | differs ~scripts/boil"]);
    }
    for at in ["tomorrow", "2026-13-01", "2026-11-27T12:00:00", "2026-11-27T12:00:00+01:00", "20261127", "1969-12-31"] {
        place.check(at, &["verify", "--at", at], 2, &[], &["is not a time: expected a date such as 2026-11-27"]);
    }
}

/// A statement that the signer has signed, and that says something else than the usual.
#[test]
fn statements() {
    let usual = statement(FILES);
    let of = |text: &str| bundle(&chain(), SIGNER_KEY, text);
    let digest = sha256(TEA);
    let swapped = statement(&[FILES[1], FILES[0]]);
    let subject =
        |text: &str| text.split("\"subject\"").nth(1).unwrap().split("\"predicateType\"").next().unwrap().to_owned();
    let cases: &[(&str, String, &str)] = &[
        ("files in another order", swapped.clone(), "verified"),
        ("the digest of another order", usual.replace(&subject(&usual), &subject(&swapped)), "invalid"),
        ("another type", usual.replace("Statement/v1", "Statement/v0.1"), "unknown record"),
        ("another predicate", usual.replace("signature/v1.0", "Digests/v0.1"), "unknown record"),
        ("another method", usual.replace("\"files\"", "\"shards\""), "unknown record"),
        ("another hash", usual.replace("\"hash_type\": \"sha256\"", "\"hash_type\": \"blake3\""), "unknown record"),
        ("another algorithm", usual.replace("\"algorithm\": \"sha256\"", "\"algorithm\": \"md5\""), "unknown record"),
        ("a field more", usual.replace("\"method\"", "\"shard_size\": 1, \"method\""), "unknown record"),
        ("a field more, elsewhere", usual.replace("\"predicate\"", "\"more\": 1, \"predicate\""), "verified"),
        ("a path out of the folder", statement(&[FILES[0], FILES[1], ("../tea/x", "x")]), "invalid"),
        ("an absolute path", statement(&[FILES[0], FILES[1], ("/etc/passwd", "x")]), "invalid"),
        ("a drive", statement(&[FILES[0], FILES[1], ("C:\\\\x", "x")]), "invalid"),
        ("an empty name", statement(&[FILES[0], FILES[1], ("", "x")]), "invalid"),
        ("a folder", statement(&[FILES[0], FILES[1], ("x/", "x")]), "invalid"),
        ("a file twice", statement(&[FILES[0], FILES[1], FILES[0]]), "invalid"),
        ("a short digest", usual.replace(&digest, "00"), "invalid"),
        ("a digest in upper case", usual.replace(&digest, &digest.to_uppercase()), "invalid"),
        ("no digest", usual.replace("\"digest\": \"", "\"digests\": \""), "invalid"),
        ("no resources", usual.replace("resources", "files"), "invalid"),
        ("no files", statement(&[]), "extra +SKILL.md +scripts/boil"),
        ("no subject", usual.replace("\"subject\": [", "\"subject\": [], \"x\": ["), "invalid"),
        ("a key twice", usual.replace("\"predicate\"", "\"predicate\": 1, \"predicate\""), "invalid"),
        ("no JSON", "x".to_owned(), "invalid"),
        ("deep JSON", "[".repeat(100_000), "invalid"),
        ("the folder is ignored", usual.replace("\".git\", ", "\".\", \"\", \"/\", \"..\", "), "verified"),
        ("a file is ignored", statement(&FILES[..1]).replace("\".git\", ", "\"scripts\", "), "verified"),
        ("a signed file is ignored", usual.replace("\".git\", ", "\"scripts\", "), "invalid"),
        ("the skill is ignored", statement(&FILES[1..]).replace("\".git\", ", "\"SKILL.md\", "), "extra +SKILL.md"),
    ];
    for (case, text, verdict) in cases {
        judges(case, FILES, &of(text), &format!("tea | {verdict}"));
    }
    let ignored = Place::of(tea(FILES, &of(&statement(&FILES[..1]).replace("\".git\", ", "\"scripts\", "))));
    ignored.check(
        "what is not covered",
        &[&["verify"], TRUST].concat(),
        0,
        &["verified", "; not covered: scripts/boil"],
        &[],
    );
    let stays = [FILES, &[("more", "x")]].concat();
    judges("nothing else is", &stays, &of(&usual.replace("\".git\", ", "\".\", \"\", ")), "tea | extra +more");
    let many: Vec<String> = (0..10_001).map(|n| format!("f{n}")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "")).collect();
    judges("many files", FILES, &of(&statement(&many)), "tea | invalid");
}

#[test]
fn bundles() {
    let usual = signed(FILES);
    let other = statement(&[("SKILL.md", TEA), ("scripts/boil", "burn\n")]);
    let by_other = bundle(&chain(), OTHER_KEY, &statement(FILES));
    let signature = |text: &str| text.split("\"sig\": \"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let bytes = SIGNER_KEY.sign(b"x");
    let unknown = [
        ("another media type", usual.replace("bundle.v0.3+json", "bundle.v0.2+json")),
        ("another payload", usual.replace("application/vnd.in-toto+json", "text/plain")),
        ("a certificate of a log", usual.replace("x509CertificateChain", "certificate")),
        ("a key", usual.replace("x509CertificateChain", "publicKey")),
        ("another envelope", usual.replace("dsseEnvelope", "messageSignature")),
    ];
    for (case, text) in &unknown {
        judges(case, FILES, text, "tea | unknown record");
    }
    let invalid = [
        ("nothing", String::new()),
        ("no JSON", "not JSON".to_owned()),
        ("another JSON", "[]".to_owned()),
        ("deep JSON", "[".repeat(1 << 20)),
        ("no signature", usual.replace("\"signatures\": [", "\"signatures\": [], \"x\": [")),
        ("two signatures", usual.replace("\"signatures\": [", "\"signatures\": [{\"sig\": \"AA==\"}, ")),
        ("no Base64", usual.replace(&signature(&usual), "*")),
        ("an empty signature", usual.replace(&signature(&usual), "")),
        ("another signature", bundle_of(&chain(), &bytes, &statement(FILES))),
        ("zeros", bundle_of(&chain(), &[0x30, 6, 2, 1, 0, 2, 1, 0], &statement(FILES))),
        ("of another content", bundle_of(&chain(), &bytes, &other)),
        ("by another key", by_other),
        ("a key twice", usual.replace("\"mediaType\"", "\"x\": 1, \"x\": 2, \"mediaType\"")),
        ("no certificates", usual.replace("\"certificates\"", "\"others\"")),
        ("no payload", usual.replace("\"payload\"", "\"content\"")),
    ];
    for (case, text) in &invalid {
        judges(case, FILES, text, "tea | invalid");
    }
    judges("other certificates", FILES, &usual.replace("MII", "AAA"), "tea | invalid");
    let large = tea(FILES, "").without("/project/.agents/skills/tea/skill.oms.sig");
    let large = large.with_sparse("/project/.agents/skills/tea/skill.oms.sig", 5 << 20);
    tells("a large one", &Place::of(large), TRUST, &["tea | invalid"]);
    if cfg!(unix) {
        let fifo = tea(FILES, "").without("/project/.agents/skills/tea/skill.oms.sig");
        let fifo = fifo.with_other("/project/.agents/skills/tea/skill.oms.sig");
        tells("a FIFO", &Place::of(fifo), TRUST, &["tea | invalid"]);
    }
    let odd = usual.replace("bundle.v0.3+json", "\\u001b[2J\\n");
    let said = Place::of(tea(FILES, &odd)).say(&["verify"]);
    assert!(said.code == Some(0) && !said.out.contains('\u{1b}'), "{}", said.out);
    assert_eq!(said.out.lines().count(), 3, "{}", said.out);
}

#[test]
fn what_is_required() {
    let at = |skill: &str, name: &str| format!("/project/.agents/skills/{skill}/{name}");
    let own = tea(FILES, &signed(FILES));
    let lock = "{\"version\": 1, \"skills\": {\"gone\": {\"source\": \"a/b\", \"sourceType\": \"github\"}}}";
    let cases: &[(&str, Tree, &[&str], i32)] = &[
        ("verified", own.clone(), TRUST, 0),
        ("without a root", own.clone(), &[], 1),
        ("after its time", own.clone(), &["--trust-root", "../root.pem", "--at", "2030-01-01"], 1),
        ("an unsigned one", own.clone().with(&at("jam", "SKILL.md"), TEA.replace("tea", "jam")), TRUST, 1),
        ("a file more", own.clone().with(&at("tea", "x"), "x"), TRUST, 1),
        ("a change", own.clone().with(&at("tea", "scripts/boil"), "x"), TRUST, 1),
        ("a skill that is gone", own.clone().with("/project/skills-lock.json", lock), TRUST, 1),
        ("no signature", own.clone().without(&at("tea", "skill.oms.sig")), TRUST, 1),
        ("no skill", Tree::default().with("/root.pem", pem(&root().der())), TRUST, 1),
    ];
    for (case, tree, words, code) in cases {
        let place = Place::of(tree.clone());
        let said = place.say(&[&["verify", "--require", "signature"], *words].concat());
        assert_eq!(said.code, Some(*code), "{case}: {}{}", said.out, said.err);
        assert!(!said.out.contains("no record is signed") || !said.out.contains("oms"), "{case}: {}", said.out);
    }
    let place = Place::of(own.clone());
    assert_eq!(place.say(&[&["verify", "--require", "matches"], TRUST].concat()).code, Some(0));
    let unsigned = Place::of(own.without(&at("tea", "skill.oms.sig")));
    tells("not asked for", &unsigned, &[], &["tea"]);
    let said = unsigned.say(&["verify", "--json", "--require", "signature"]);
    assert_eq!(told(&said), ["tea | unsigned"], "{}", said.err);
}

/// What is stored counts always, and is never in the project.
#[test]
fn the_command_trust() {
    let ssh = include_str!("../../testdata/signatures/ssh/allowed_signers");
    let tree = tea(FILES, &signed(FILES)).with("/signers", ssh).with("/project/inside.pem", pem(&issuer().der()));
    let place = Place::of(tree);
    let id = format!("sha256:{}", sha256(root().der()));
    place.exact("nothing", &["trust"], 0, "", "");
    place.fields("nothing", &["trust"], 0, &[("roots", "[]")]);
    tells("before", &place, &["--at", "2026-11-27"], &["tea | foreign root"]);
    place.exact("a root", &["trust", "../root.pem"], 0, &format!("trusted {ROOT} (x509 {id})\n"), "");
    place.exact("again", &["trust", "../root.pem"], 0, &format!("trusted {ROOT} (x509 {id})\n"), "");
    tells("after", &place, &["--at", "2026-11-27"], &["tea | verified"]);
    let list = format!("SUBJECT        KIND  ID\n{ROOT}  x509  {id}\n");
    place.exact("the list", &["trust"], 0, &list, "");
    let signers = place.say(&["trust", "../signers"]);
    assert_eq!(signers.out.lines().count(), 3, "{}", signers.out);
    assert!(signers.out.starts_with("trusted ed25519@example.com (ssh SHA256:"), "{}", signers.out);
    let refused = "line 4 is not trusted: its key is of the type ecdsa-sha2-nistp521; expected Ed25519, or ECDSA";
    assert!(signers.err.contains(refused) && signers.err.contains("line 5"), "{}", signers.err);
    let inside = place.say(&["trust", "inside.pem"]);
    assert!(
        inside.out.contains(&format!("trusted {ISSUER} (x509 sha256:{})", sha256(issuer().der()))),
        "{}",
        inside.out
    );
    assert!(inside.err.contains("it is in the project"), "{}", inside.err);
    let (_, json) = place.json(&["trust"]);
    assert_eq!(field(&json, "roots.4.subject"), format!("\"{ISSUER}\""));
    assert_eq!(field(&json, "roots.1.kind"), "\"ssh\"");
    assert!(field(&json, "store").contains("/home/.local/state/skilltree/trusted.json"), "{json}");
    place.exact("revoked", &["trust", "--revoke", &id], 0, &format!("no longer trusted: {ROOT} (x509 {id})\n"), "");
    tells("the issuer is left", &place, &["--at", "2026-11-27"], &["tea | verified"]);
    place.fields(
        "without the name of the hash",
        &["trust", "--revoke", &sha256(issuer().der())],
        0,
        &[("roots.3", "-")],
    );
    tells("revoked", &place, &["--at", "2026-11-27"], &["tea | foreign root"]);
    place.check("twice", &["trust", "--revoke", &id], 1, &[], &["no root that you trust has the ID"]);
    place.check("both", &["trust", "../root.pem", "--revoke", &id], 2, &[], &["cannot be used with"]);
    place.check("no root", &["trust", "../project/.agents/skills/tea/SKILL.md"], 2, &[], &["names no root"]);
}

/// A project brings along a store in which its own root is trusted, or a store that is no store.
#[test]
fn a_project_does_not_trust_itself() {
    let place = Place::of(tea(FILES, &signed(FILES)));
    assert_eq!(place.say(&["trust", "../root.pem"]).code, Some(0));
    let store = place.read("home/.local/state/skilltree/trusted.json").unwrap();
    let inside = tea(FILES, &signed(FILES)).with("/project/sub/.local/state/skilltree/trusted.json", store.as_str());
    let place = Place::of(inside.with("/project/trusted.json", store.as_str()));
    let words = ["--at", "2026-11-27", "--home", "sub"];
    tells("a home in the project", &place, &words, &["tea | foreign root"]);
    place.check("a store in the project", &["trust", "../root.pem", "--home", "sub"], 2, &[], &["name the roots"]);
    let broken = ["x", "{}", "{\"version\": 2, \"roots\": []}", "{\"version\": 1, \"roots\": [{\"text\": \"x\"}]}"];
    for text in broken {
        let place = Place::of(tea(FILES, &signed(FILES)).with("/home/.local/state/skilltree/trusted.json", text));
        let said = place.say(&["verify", "--json", "--at", "2026-11-27"]);
        assert_eq!((said.code, told(&said)), (Some(0), vec!["tea | foreign root".to_owned()]), "{text}: {}", said.err);
        assert!(said.err.contains("no stored root is trusted"), "{text}: {}", said.err);
        place.check(text, &["trust", "../root.pem"], 2, &[], &["trusted.json` cannot be used"]);
    }
}

/// Whoever can write a skill can write all of its records anew. Nothing of that is verified.
#[test]
fn nothing_that_is_rewritten_is_verified() {
    let burn = "---\nname: tea\ndescription: Makes tea.\n---\nBurn it.\n";
    let gh = TEA.replace(
        "---\nBoil",
        "metadata:\n  github-repo: https://github.com/a/b\n  github-tree-sha: 343aa3b7d2ef04593e634265cb577417d2b6dcba\n---\nBurn",
    );
    let genuine = signed(FILES);
    let payload = |text: &str| text.split("\"payload\": \"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let other = Key::P384(30);
    let forged_root = Draft::authority(ROOT, other, (ROOT, other));
    let forged_issuer = Draft::authority(ISSUER, other, (ROOT, other));
    let forged_leaf = Draft::leaf(SIGNER, other, (ISSUER, other));
    for text in [burn, gh.as_str()] {
        let files: &[(&str, &str)] = &[("SKILL.md", text), ("scripts/boil", "boil\n")];
        let own = statement(files);
        let own_signed = |chain: &[Vec<u8>]| bundle(chain, other, &own);
        let signatures = [
            genuine.clone(),
            genuine.replace(&payload(&genuine), &payload(&own_signed(&[]))),
            own_signed(&chain()),
            own_signed(&[forged_leaf.der(), forged_issuer.der(), forged_root.der()]),
            own_signed(&[forged_leaf.der(), forged_issuer.der(), root().der()]),
            own_signed(&[forged_leaf.der(), issuer().der(), root().der()]),
            own_signed(&[
                Draft::leaf(SIGNER, other, (SIGNER, other)).der(),
                leaf().der(),
                issuer().der(),
                root().der(),
            ]),
            own_signed(&[Draft::leaf(SIGNER, other, (SIGNER, SIGNER_KEY)).der(), leaf().der(), issuer().der()]),
            own_signed(&[Draft::leaf(ROOT, other, (ROOT, other)).der(), root().der()]),
            own_signed(&[]),
        ];
        // The key 1 is trusted, and whoever rewrites the skill has the key 2.
        let (own, genuine) = (made::manifest(files, 1), made::signed_manifest(FILES, 1));
        let signature_of = |text: &str| Json::parse(text).unwrap().get("signature").unwrap().to_string();
        let manifests = [
            genuine.clone(),
            own.clone(),
            made::with_signature(&own, "skill-manifest", &own, 2),
            made::signed_manifest(files, 2),
            format!("{},\"signature\":{}}}", own.strip_suffix('}').unwrap(), signature_of(&genuine)),
            made::with_signature(&own, "skill-manifest", &made::manifest(FILES, 1), 1),
            made::with_signature(&own, "skilltree-lock", &own, 1),
            genuine.replace(&sha256(TEA), &sha256(text)).replace(&TEA.len().to_string(), &text.len().to_string()),
        ];
        let hash = sha256(format!("scripts/boilboil\nSKILL.md{text}"));
        let lock = format!(
            "{{\"version\": 1, \"skills\": {{\"tea\": {{\"source\": \"a/b\", \"sourceType\": \"github\", \"computedHash\": \"{hash}\"}}}}}}"
        );
        for (number, signature) in signatures.iter().enumerate() {
            let tree = tea(files, signature).with("/project/skills-lock.json", lock.as_str());
            let manifest = &manifests[number % manifests.len()];
            let tree = tree.with("/project/.agents/skills/tea/MANIFEST.sig.json", manifest.as_str());
            let tree = tree.with("/signers", made::allowed(made::IDENTITY, "", 1));
            let place = Place::of(tree.with("/project/trusted.json", pem(&forged_root.der())));
            let both = [TRUST, &["--trust-root", "../signers"]].concat();
            for words in [&both[..], &[]] {
                let said = place.say(&[&["verify", "--json", "--require", "signature"], words].concat());
                assert_eq!(said.code, Some(1), "{number}: {}", said.out);
                assert!(!said.out.contains("\"verified\""), "{number}: {}", said.out);
            }
        }
    }
}

/// A signature that is not in the folder of the skill, under its name, is none of it.
#[test]
fn signatures_elsewhere() {
    let own = signed(FILES);
    let skills = "/project/.agents/skills";
    let tree = tea(FILES, &own).without(&format!("{skills}/tea/skill.oms.sig"));
    for at in [".agents/skills", ".agents/skills/milk", ".agents", "."] {
        let place =
            Place::of(tree.clone().with(&format!("/project/{at}/skill.oms.sig").replace("/./", "/"), own.as_str()));
        tells(at, &place, TRUST, &["tea | unsigned"]);
    }
    for name in ["tea.oms.sig", "skill.oms.sig.json", "SKILL.OMS.SIG2", "scripts/skill.oms.sig"] {
        let place = Place::of(tree.clone().with(&format!("{skills}/tea/{name}"), own.as_str()));
        tells(name, &place, TRUST, &["tea | unsigned"]);
        let more = tea(FILES, &own).with(&format!("{skills}/tea/{name}"), own.as_str());
        tells(name, &Place::of(more), TRUST, &[&format!("tea | extra +{name}")]);
    }
    // The files of one skill, and the signature of another one.
    let milk = TEA.replace("tea", "milk");
    let both = tea(FILES, &own).with(&format!("{skills}/milk/SKILL.md"), milk.as_str());
    let both = both.with(&format!("{skills}/milk/skill.oms.sig"), own.as_str());
    let expected = ["milk | differs ~SKILL.md -scripts/boil", "tea | verified"];
    tells("of another one", &Place::of(both), TRUST, &expected);
}

/// Each byte of a signature that is changed changes the verdict, or nothing that is signed.
#[test]
fn changed_bytes() {
    let burnt: &[(&str, &str)] = &[("SKILL.md", TEA), ("scripts/boil", "burn\n")];
    let signers = ["--trust-root", "../signers"];
    let cases =
        [("skill.oms.sig", signed(FILES), TRUST), ("MANIFEST.sig.json", made::signed_manifest(FILES, 1), &signers)];
    for (name, genuine, words) in cases {
        let tree = tea(burnt, "").without("/project/.agents/skills/tea/skill.oms.sig");
        let place = Place::of(tree.with("/signers", made::allowed(made::IDENTITY, "", 1)));
        let file = place.at(&format!("project/.agents/skills/tea/{name}"));
        for at in (0..genuine.len()).step_by(if name == "skill.oms.sig" { 97 } else { 19 }) {
            let mut other = genuine.clone().into_bytes();
            other[at] = if other[at] == b'B' { b'C' } else { b'B' };
            std::fs::write(&file, other).unwrap();
            let said = place.say(&[&["verify", "--json"], words].concat());
            assert_eq!(said.code, Some(0), "{name}, byte {at}: {}", said.err);
            assert!(!said.out.contains("\"verified\""), "{name}, byte {at}: {}", said.out);
        }
    }
}

/// How often each verdict on a signature is given for the skills below a folder.
fn verdicts(folder: &Path, words: &[&str]) -> BTreeMap<String, usize> {
    let place = Place::of(Tree::default());
    let said = said(place.command(&[&["verify", "--json"], words].concat()).arg(folder));
    assert_eq!(said.code, Some(0), "{}", said.err);
    let json = said.json();
    let Some(Json::List(skills)) = json.get("skills") else { panic!("{json}") };
    let mut counts = BTreeMap::new();
    for skill in skills {
        let Some(Json::List(records)) = skill.get("records") else { panic!("{skill}") };
        for record in records.iter().filter(|record| record.get("kind") == Some(&Json::from("oms"))) {
            *counts.entry(field(record, "verdict").replace('"', "")).or_default() += 1;
        }
    }
    counts
}

/// Real signatures, in the folder of the variable `SKILLTREE_SIGNED`. The expected counts are also those of `model_signing` 1.1.1,
/// which verifies the same 333 folders as they are, and none of the changed ones; six have another root than the published one,
/// with which it verifies 336.
#[test]
fn real_signatures() {
    let Some(folder) = real_data("SKILLTREE_SIGNED", "signatures") else { return };
    let root = folder.join("nv-agent-root-cert.pem").display().to_string();
    let other = folder.join("foreign/bundle-root-163d9f04b6e04ab1.pem").display().to_string();
    let is = |case: &str, folder: &Path, words: &[&str], expected: &[(&str, usize)]| {
        let expected = expected.iter().map(|(verdict, number)| ((*verdict).to_owned(), *number)).collect();
        assert_eq!(verdicts(folder, words), expected, "{case}");
    };
    let trust = ["--trust-root", root.as_str(), "--at", "2026-11-27"];
    is("as they are", &folder, &trust, &[("differs", 4), ("foreign root", 6), ("verified", 333)]);
    is("without a root", &folder, &[], &[("foreign root", 343)]);
    let late = ["--trust-root", root.as_str(), "--at", "2028-04-23"];
    is("after their time", &folder, &late, &[("differs", 4), ("expired", 333), ("foreign root", 6)]);
    let both = [&trust[..], &["--trust-root", other.as_str()]].concat();
    is("with the other root", &folder, &both, &[("differs", 7), ("verified", 336)]);

    let copies = Place::of(Tree::default());
    let found = signed_folders(&folder);
    assert_eq!(found.len(), 343);
    let changed = |kind: &str, change: &dyn Fn(&Path, &[PathBuf])| {
        let to = copies.at(kind);
        for (number, from) in found.iter().enumerate() {
            let to = to.join(format!("{number}"));
            let files = copied(from, &to);
            change(&to, &files);
        }
        to
    };
    let byte = changed("byte", &|_, files| {
        let mut bytes = std::fs::read(&files[0]).unwrap();
        bytes[0] ^= 1;
        std::fs::write(&files[0], bytes).unwrap();
    });
    is("a byte", &byte, &trust, &[("differs", 337), ("foreign root", 6)]);
    let added = changed("added", &|to, _| std::fs::write(to.join("new.sh"), "x").unwrap());
    is("a file more", &added, &trust, &[("differs", 4), ("extra", 333), ("foreign root", 6)]);
    let removed = changed("removed", &|_, files| std::fs::remove_file(files.last().unwrap()).unwrap());
    is("a file less", &removed, &trust, &[("differs", 337), ("foreign root", 6)]);
    let statement = changed("statement", &|to, _| {
        use base64ct::{Base64, Encoding};
        let file = to.join("skill.oms.sig");
        let text = std::fs::read_to_string(&file).unwrap();
        let payload = text.split("\"payload\":").nth(1).unwrap().split('"').nth(1).unwrap();
        let statement = String::from_utf8(Base64::decode_vec(payload).unwrap()).unwrap();
        let other = statement.replacen("SKILL.md", "SKILL.MD", 1);
        std::fs::write(file, text.replace(payload, &Base64::encode_string(other.as_bytes()))).unwrap();
    });
    is("another statement", &statement, &trust, &[("invalid", 343)]);
}

/// The folders with a signature.
fn signed_folders(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(at) = left.pop() {
        if at.join("skill.oms.sig").exists() {
            found.push(at.clone());
        }
        left.extend(std::fs::read_dir(at).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()));
    }
    found.sort();
    found
}

/// Copies a folder, and returns the files of the copy but its signature: the SKILL.md first.
fn copied(from: &Path, to: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut left = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = left.pop() {
        std::fs::create_dir_all(&to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let (from, to) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
            if from.is_dir() {
                left.push((from, to));
            } else {
                // The bytes alone: the originals may not be written.
                std::fs::write(&to, std::fs::read(from).unwrap()).unwrap();
                files.push(to);
            }
        }
    }
    files.retain(|file| !file.ends_with("skill.oms.sig"));
    files.sort_by_key(|file| (!file.ends_with("SKILL.md"), file.clone()));
    files
}
