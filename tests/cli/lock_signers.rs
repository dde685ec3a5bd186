//! The signers in `skilltree.lock`: who is written, what `verify`, `lock --check` and `lock` say when a skill is no longer signed by
//! them, and locks of strangers.

use crate::common::Tree;
use crate::common::property;
use crate::program::{Place, field};
use crate::verify_signatures::made::{
    Draft, IDENTITY, Key, allowed, bundle, fingerprint, manifest, pem, sha256, signed_manifest, ssh_key, statement,
    with_signature,
};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use skilltree::Json;
use ssh_key::{HashAlg, LineEnding};

const TEA: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";
const FILES: &[(&str, &str)] = &[("SKILL.md", TEA), ("scripts/boil", "boil\n")];
const SKILL: &str = "project/.agents/skills/tea";
const MANIFEST: &str = "project/.agents/skills/tea/MANIFEST.sig.json";
const LOCK: &str = "project/skilltree.lock";

/// A project with a skill that the key 1 has signed, and files of keys beside it: that one, another one, both, and more.
fn signed() -> Tree {
    let tree = FILES.iter().fold(Tree::default(), |tree, (name, text)| tree.with(&format!("/{SKILL}/{name}"), *text));
    let tree = tree.with("/own", allowed(IDENTITY, "", 1)).with("/other", allowed(IDENTITY, "", 2));
    let tree = tree.with("/past", allowed(IDENTITY, "valid-before=\"20200101Z\"", 1));
    let tree = tree.with("/for-locks", allowed(IDENTITY, "namespaces=\"skilltree-lock\"", 1));
    tree.with(&format!("/{MANIFEST}"), signed_manifest(FILES, 1))
}

/// The same where the key is trusted and the skill is locked.
fn locked() -> Place {
    let place = Place::of(signed());
    trust(&place, "own");
    assert_eq!(place.say(&["lock"]).code, Some(0));
    place
}

#[track_caller]
fn trust(place: &Place, file: &str) {
    let said = place.say(&["trust", &format!("../{file}")]);
    assert_eq!(said.code, Some(0), "{}", said.err);
}

#[track_caller]
fn revoke(place: &Place) {
    let said = place.say(&["trust", "--revoke", &fingerprint(1)]);
    assert_eq!(said.code, Some(0), "{}", said.err);
}

/// The verdict of the lock on the one skill of a project, and its note.
#[track_caller]
fn of_lock(place: &Place, words: &[&str]) -> (String, String) {
    let (_, json) = place.json(&[&["verify"], words].concat());
    let of = |name: &str| field(&json, &format!("skills.0.records.0.{name}")).trim_matches('"').to_owned();
    assert_eq!(of("kind"), "skilltree-lock", "{json}");
    (of("verdict"), of("message"))
}

/// The signer that the lock names.
fn signer(place: &Place) -> String {
    let json = Json::parse(&place.read(LOCK).unwrap()).unwrap();
    let Some(Json::Map(skills)) = json.get("skills") else { panic!("{json}") };
    field(&skills[0].1, "signer")
}

fn signer_text(kind: &str, root: &str, subject: &str) -> String {
    format!("{{\"kind\":\"{kind}\",\"root\":\"{root}\",\"subject\":\"{subject}\"}}")
}

#[test]
fn who_is_written() {
    let own = signer_text("ssh", &fingerprint(1), IDENTITY);
    let line = format!("\n      \"name\": \"tea\",\n      \"signer\": {own},\n      \"text_digest\": ");
    let place = locked();
    assert!(place.read(LOCK).unwrap().contains(&line), "{}", place.read(LOCK).unwrap());
    place.exact("again", &["lock"], 0, "`skilltree.lock` has 1 skill, and nothing has changed\n", "");
    place.check("as locked", &["lock", "--check"], 0, &["1 of 1 skill as locked"], &[]);
    assert_eq!(of_lock(&place, &[]).0, "matches");
    // Who is not trusted is not written, and neither is who has signed other files.
    let stranger = Place::of(signed());
    assert_eq!((stranger.say(&["lock"]).code, signer(&stranger).as_str()), (Some(0), "-"));
    assert_eq!(of_lock(&stranger, &["--trust-root", "../own"]).0, "matches");
    for name in ["scripts/boil", "new.md", ".hidden"] {
        let place = Place::of(signed());
        trust(&place, "own");
        place.write(&format!("{SKILL}/{name}"), "x");
        assert_eq!((place.say(&["lock"]).code, signer(&place).as_str()), (Some(0), "-"), "{name}");
    }
    trust(&stranger, "own");
    assert_eq!((stranger.say(&["lock"]).code, signer(&stranger)), (Some(0), own), "trusted later");

    let dates = ("2000-01-01T00:00:00Z", "9999-12-31T23:59:59Z");
    let name = ("CN=Root,O=Tea", Key::P384(1));
    let root = Draft { dates, ..Draft::authority(name.0, name.1, name) }.der();
    let leaf = Draft { dates, ..Draft::leaf("CN=Signer,O=Tea", Key::P384(2), name) }.der();
    let by_certificate = bundle(&[leaf], Key::P384(2), &statement(FILES));
    let tree = signed().without(&format!("/{MANIFEST}")).with("/root.pem", pem(&root));
    let place = Place::of(tree.with(&format!("/{SKILL}/skill.oms.sig"), by_certificate));
    trust(&place, "root.pem");
    assert_eq!(place.say(&["lock"]).code, Some(0));
    let id = format!("sha256:{}", sha256(&root));
    assert_eq!(signer(&place), signer_text("oms", &id, "CN=Signer,O=Tea"));
    place.check("as locked", &["lock", "--check"], 0, &["1 of 1 skill as locked"], &[]);
    assert_eq!(place.say(&["trust", "--revoke", &id]).code, Some(0));
    assert_eq!(of_lock(&place, &[]).0, "foreign root");
    // Another kind of signature is no substitute, and is not the same file either.
    std::fs::remove_file(place.at(&format!("{SKILL}/skill.oms.sig"))).unwrap();
    place.write(MANIFEST, &signed_manifest(FILES, 1));
    let (verdict, note) = of_lock(&place, &[]);
    assert_eq!(verdict, "differs");
    assert!(note.contains(&format!("expected the signer `CN=Signer,O=Tea` (oms {id}), and it has no such")), "{note}");
}

/// What is done to a project after it was locked; the verdict of the lock and a part of its note; the exit codes of `lock --check` and
/// `lock`; and the root that the lock names then.
#[test]
fn what_becomes_of_a_signer() {
    type Change<'c> = &'c dyn Fn(&Place);
    type Case<'c> = (&'c str, Change<'c>, &'c str, &'c str, [i32; 2], &'c str);
    let edit_lock = |place: &Place, from: &str, to: &str| {
        let text = place.read(LOCK).unwrap();
        assert!(text.contains(from), "{text}");
        place.write(LOCK, &text.replace(from, to));
    };
    let burn = |place: &Place| place.write(&format!("{SKILL}/scripts/boil"), "burn\n");
    let burnt = [FILES[0], ("scripts/boil", "burn\n")];
    let sign_burnt = |place: &Place, seed: u8| {
        burn(place);
        place.write(MANIFEST, &signed_manifest(&burnt, seed));
    };
    let [one, two] = [fingerprint(1), fingerprint(2)];
    let expected = format!("expected the signer `{IDENTITY}` (ssh {one}), and ");
    let by_two = format!("{expected}it is signed by `{IDENTITY}` (ssh {two})");
    let cases: &[Case<'_>] = &[
        ("nothing", &|_| {}, "matches", "the hashes of 3 files", [0, 0], &one),
        ("no root", &revoke, "foreign root", "`MANIFEST.sig.json`: foreign root: the key", [1, 0], &one),
        (
            "another root",
            &|place| {
                revoke(place);
                trust(place, "other");
            },
            "foreign root",
            &expected,
            [1, 0],
            &one,
        ),
        (
            "the key is for something else",
            &|place| {
                revoke(place);
                trust(place, "for-locks");
            },
            "differs",
            "is not trusted for the namespace `skill-manifest`",
            [1, 1],
            &one,
        ),
        (
            "too late",
            &|place| {
                revoke(place);
                trust(place, "past");
            },
            "expired",
            "`MANIFEST.sig.json`: expired: ",
            [1, 0],
            &one,
        ),
        ("other files", &burn, "differs", "other files than those that are locked", [1, 1], &one),
        ("signed anew", &|place| sign_burnt(place, 1), "differs", "other files than those", [1, 0], &one),
        ("signed by a stranger", &|place| sign_burnt(place, 2), "differs", &expected, [1, 1], &one),
        (
            "signed by another one",
            &|place| {
                trust(place, "other");
                sign_burnt(place, 2);
            },
            "differs",
            &by_two,
            [1, 0],
            &two,
        ),
        (
            "signed anew where no root is trusted",
            &|place| {
                revoke(place);
                sign_burnt(place, 1);
            },
            "differs",
            &expected,
            [1, 1],
            &one,
        ),
        ("not signed", &|place| place.write(MANIFEST, &manifest(FILES, 1)), "differs", &expected, [1, 1], &one),
        (
            "no manifest",
            &|place| std::fs::remove_file(place.at(MANIFEST)).unwrap(),
            "differs",
            "it has no such signature",
            [1, 1],
            &one,
        ),
        ("a file more", &|place| place.write(&format!("{SKILL}/x"), "x"), "extra", "files that are not", [1, 1], &one),
        ("another key in the lock", &|place| edit_lock(place, &one, &two), "differs", "it is signed by", [1, 0], &one),
        (
            "another identity in the lock",
            &|place| edit_lock(place, IDENTITY, "dev@tea.example"),
            "differs",
            "expected the signer `dev@tea.example`",
            [1, 0],
            &one,
        ),
        (
            "another kind in the lock",
            &|place| edit_lock(place, "\"ssh\"", "\"oms\""),
            "differs",
            "it is signed by",
            [1, 0],
            &one,
        ),
        (
            "another key in the lock, and no root",
            &|place| {
                edit_lock(place, &one, &two);
                revoke(place);
            },
            "foreign root",
            &format!("expected the signer `{IDENTITY}` (ssh {two}), and "),
            [1, 0],
            &two,
        ),
    ];
    for (case, change, verdict, note, [checked, written], root) in cases {
        let place = locked();
        change(&place);
        let before = place.read(LOCK);
        let (found, told) = of_lock(&place, &[]);
        assert_eq!(found, *verdict, "{case}: {told}");
        assert!(told.contains(note), "{case}: {told}");
        let said = place.say(&["lock", "--check"]);
        assert_eq!(said.code, Some(*checked), "{case}: {}{}", said.out, said.err);
        assert_eq!(said.out.contains(verdict), *checked == 1, "{case}: {}", said.out);
        // What `lock` would refuse is not advised.
        let is_refused = said.err.contains("not every skill is signed by whom `skilltree.lock` names");
        assert_eq!(
            (is_refused, said.err.contains("locks them")),
            (*written == 1, *checked == 1 && *written == 0 && *verdict == "differs"),
            "{case}: {}",
            said.err
        );
        let said = place.say(&["lock"]);
        assert_eq!(said.code, Some(*written), "{case}: {}{}", said.out, said.err);
        if *written == 1 {
            assert!(
                said.err.contains(".agents/skills/tea` cannot be locked: expected the signer"),
                "{case}: {}",
                said.err
            );
            assert_eq!(place.read(LOCK), before, "{case}: nothing is written");
        }
        assert_eq!(field(&Json::parse(&signer(&place)).unwrap(), "root"), format!("\"{root}\""), "{case}");
    }
    let place = locked();
    revoke(&place);
    let unsure = "not every signer that `skilltree.lock` names can be verified";
    place.check("what to do", &["lock", "--check"], 1, &["foreign root"], &[unsure, "`skilltree trust FILE`"]);
    place.exact("kept", &["lock"], 0, "`skilltree.lock` has 1 skill, and nothing has changed\n", "");
    place.write(&format!("{SKILL}/x"), "x");
    let helps = ["`skilltree trust FILE`", "remove its `signer` from the lock"];
    place.check("what to do about it", &["lock", "--dry-run"], 1, &[], &helps);
    // As the help says.
    let text = place.read(LOCK).unwrap();
    let line = format!("\n      \"signer\": {},", signer(&place));
    place.write(LOCK, &text.replace(&line, ""));
    assert_eq!((place.say(&["lock"]).code, signer(&place).as_str()), (Some(0), "-"));
}

#[test]
fn what_is_required() {
    let place = locked();
    let [signature, matches] = [["verify", "--require", "signature"], ["verify", "--require", "matches"]];
    assert_eq!([place.say(&signature).code, place.say(&matches).code], [Some(0), Some(0)]);
    place.write("project/skilltree-policy.yaml", "require: {lock: true}\n");
    assert_eq!(place.say(&["verify"]).code, Some(0));
    revoke(&place);
    assert_eq!([place.say(&signature).code, place.say(&matches).code], [Some(1), Some(1)]);
    // A policy that asks for a lock asks for its files; who has signed them is another rule.
    assert_eq!(place.say(&["verify"]).code, Some(0));
    let text = place.read(LOCK).unwrap();
    place.write(LOCK, &text.replace("\"ssh\"", "\"oms\""));
    place.check(
        "another signer",
        &["verify"],
        1,
        &["blocked by `skilltree-policy.yaml:1`", "expected the signer"],
        &[],
    );
}

/// Who has signed the lock, and is trusted, vouches for the signer where that is not trusted, but not against what is seen.
#[test]
fn signers_in_a_signed_lock() {
    let place = locked();
    let sign = |place: &Place| {
        let text = place.read(LOCK).unwrap();
        let signature = ssh_key(5).sign("skilltree-lock", HashAlg::Sha512, text.as_bytes()).unwrap();
        place.write(&format!("{LOCK}.sig"), &signature.to_pem(LineEnding::LF).unwrap());
    };
    sign(&place);
    place.write("team", &allowed("team@tea.example", "namespaces=\"skilltree-lock\"", 5));
    let team = ["--trust-root", "../team"];
    assert_eq!(of_lock(&place, &team).0, "verified");
    revoke(&place);
    let (verdict, note) = of_lock(&place, &team);
    assert_eq!(verdict, "verified");
    assert!(note.starts_with("signed by `team@tea.example`") && note.contains("foreign root"), "{note}");
    assert_eq!(of_lock(&place, &[]).0, "foreign root");
    let text = place.read(LOCK).unwrap();
    place.write(LOCK, &text.replace("\"ssh\"", "\"oms\""));
    assert_eq!(of_lock(&place, &team).0, "invalid");
    sign(&place);
    assert_eq!(of_lock(&place, &team).0, "differs");
}

#[test]
fn locks_of_strangers() {
    let good = locked().read(LOCK).unwrap();
    let own = signer_text("ssh", &fingerprint(1), IDENTITY);
    let cases = [
        ("a text", "\"ssh\"".to_owned()),
        ("nothing", "null".to_owned()),
        ("a list", format!("[{own}]")),
        ("no kind", own.replace("kind", "type")),
        ("another kind", own.replace("\"ssh\"", "\"pgp\"")),
        ("no root", own.replace("root", "key")),
        ("a root that is a number", own.replace(&format!("\"{}\"", fingerprint(1)), "1")),
        ("no subject", own.replace("subject", "name")),
        ("a key twice", own.replace("\"kind\"", "\"kind\":\"oms\",\"kind\"")),
    ];
    for (case, text) in cases {
        let place = Place::of(signed().with(&format!("/{LOCK}"), good.replace(&own, &text)));
        assert_eq!(of_lock(&place, &[]).0, "unknown record", "{case}");
        place.check(case, &["lock"], 1, &[], &["is not a lock"]);
    }
    let odd = good.replace(IDENTITY, "\\u001b[2J\\n");
    let said = Place::of(signed().with(&format!("/{LOCK}"), odd)).say(&["lock", "--check"]);
    assert!(said.code == Some(1) && !said.out.contains('\u{1b}'), "{}", said.out);
}

/// Whoever can write the project signs the skill with a key of their own and locks it, with their signer or with that of before.
#[test]
fn what_is_signed_and_locked_anew_is_not_verified() {
    let changes = (".{0,40}", any::<bool>(), 0..4_u8);
    property::check("what_is_signed_and_locked_anew", 24, changes, |(text, is_named, kind)| {
        let place = locked();
        let text = format!("{TEA}{text}.");
        let files = [("SKILL.md", text.as_str()), FILES[1]];
        place.write(&format!("{SKILL}/SKILL.md"), &text);
        let claimed = manifest(&files, 1);
        place.write(
            MANIFEST,
            &match kind {
                0 => signed_manifest(&files, 2),
                1 => with_signature(&claimed, "skill-manifest", &claimed, 2),
                2 => claimed,
                _ => signed_manifest(FILES, 1),
            },
        );
        let theirs = ["--home", "../theirs"];
        std::fs::create_dir(place.at("theirs")).unwrap();
        prop_assert_eq!(place.say(&[&["trust", "../other"][..], &theirs].concat()).code, Some(0));
        std::fs::remove_file(place.at(LOCK)).unwrap();
        prop_assert_eq!(place.say(&[&["lock"][..], &theirs].concat()).code, Some(0));
        let own = signer_text("ssh", &fingerprint(1), IDENTITY);
        if is_named {
            let lock = place.read(LOCK).unwrap();
            let old = format!("\n      \"signer\": {},", signer(&place));
            let named = format!("\"name\": \"tea\",\n      \"signer\": {own},");
            place.write(LOCK, &lock.replace(&old, "").replace("\"name\": \"tea\",", &named));
        }
        let said = place.say(&["verify", "--json", "--require", "signature"]);
        prop_assert!(said.code == Some(1) && !said.out.contains("\"verified\""), "{}", said.out);
        if is_named {
            prop_assert_eq!(of_lock(&place, &[]).0, "differs");
            prop_assert_eq!(place.say(&["lock"]).code, Some(1));
        }
        Ok(())
    });
}
