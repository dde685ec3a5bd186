//! The record `MANIFEST.sig.json` in `verify`: each verdict, what is signed, and a manifest that `skill-signer` has made.

use crate::common::Tree;
use crate::common::skip::skip;
use crate::program::Place;
use crate::verify::tells;
use crate::verify_signatures::made::{
    IDENTITY, allowed, fingerprint, manifest, sha256, signed_manifest, with_signature,
};
use pretty_assertions::assert_eq;
use skilltree::Json;
use std::process::Command;

const TEA: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";
const FILES: &[(&str, &str)] = &[("SKILL.md", TEA), ("scripts/boil", "boil\n")];
const TRUST: &[&str] = &["--trust-root", "../allowed_signers"];
const SKILL: &str = "/project/.agents/skills/tea";

/// A project with these files of a skill `tea`, this manifest, and the line of the key 1 beside the project.
fn tea(files: &[(&str, &str)], manifest: &str) -> Tree {
    let at = |name: &str| format!("{SKILL}/{name}");
    let tree =
        Tree::default().with("/allowed_signers", allowed(IDENTITY, "", 1)).with(&at("MANIFEST.sig.json"), manifest);
    files.iter().fold(tree, |tree, (name, text)| tree.with(&at(name), *text))
}

#[track_caller]
fn judges(case: &str, files: &[(&str, &str)], manifest: &str, expected: &str) {
    tells(case, &Place::of(tea(files, manifest)), TRUST, &[&format!("tea | {expected}")]);
}

/// The manifest with another text instead of a part, signed as it is then.
fn signed_with(part: &str, other: &str) -> String {
    let text = manifest(FILES, 1);
    assert!(text.contains(part), "{text} has no {part}");
    let text = text.replace(part, other);
    with_signature(&text, "skill-manifest", &text, 1)
}

#[test]
fn text_for_people() {
    let unsigned = manifest(&[("SKILL.md", &TEA.replace("tea", "milk"))], 1);
    let milk = TEA.replace("tea", "milk");
    let tree = tea(FILES, &signed_manifest(FILES, 1)).with("/project/.agents/skills/milk/SKILL.md", milk);
    let place = Place::of(tree.with("/project/.agents/skills/milk/MANIFEST.sig.json", unsigned));
    let key = fingerprint(1);
    let text = format!(
        "SKILL  RECORD             VERDICT   NOTE
milk   MANIFEST.sig.json  matches   the hashes of 1 file, which nobody has signed
milk   -                  unsigned
tea    MANIFEST.sig.json  verified  signed by `{IDENTITY}`, whose key is {key}
2 skills: 1 verified, 1 matches, 1 unsigned
"
    );
    place.exact("text", &[&["verify", "."], TRUST].concat(), 0, &text, "");
    let foreign = format!("the key {key} is not trusted; get it from its owner");
    place.check("not trusted", &["verify", "."], 0, &[&foreign, "2 skills: 1 matches, 1 foreign root\n"], &[]);
    let fields = [
        ("skills.1.records.0.kind", "\"ssh-manifest\""),
        ("skills.1.records.0.verdict", "\"verified\""),
        ("skills.1.records.0.signer.root", &format!("\"{key}\"")),
        ("skills.1.records.0.signer.subject", &format!("\"{IDENTITY}\"")),
        ("skills.0.records.0.signer", "-"),
    ];
    place.fields("JSON", &[&["verify", "."], TRUST].concat(), 0, &fields);
    let required = ["verify", "--require", "signature"];
    place.check("not all", &[&required[..], TRUST].concat(), 1, &["unsigned"], &[]);
    let one = Place::of(tea(FILES, &signed_manifest(FILES, 1)));
    assert_eq!(one.say(&[&required[..], TRUST].concat()).code, Some(0));
    assert_eq!(one.say(&required).code, Some(1));
    assert_eq!(one.say(&["verify", "--require", "matches"]).code, Some(1));
    assert_eq!(one.say(&["trust", "../allowed_signers"]).code, Some(0));
    assert_eq!(one.say(&required).code, Some(0));
    let said = Place::of(tea(&FILES[..1], &signed_manifest(FILES, 1)));
    let said = said.say(&[&["verify", "--format", "sarif"], TRUST].concat());
    assert_eq!(crate::verify_sarif::told(&said), ["record-differs error .agents/skills/tea/scripts/boil"]);
}

/// What the files of a folder are compared with. Nothing says what `skill-signer` leaves out.
#[test]
fn files() {
    let own = signed_manifest(FILES, 1);
    let more = |name: &'static str| [FILES, &[(name, "x")]].concat();
    judges("as signed", FILES, &own, "verified");
    judges("a byte", &[("SKILL.md", TEA), ("scripts/boil", "boil\r\n")], &own, "differs ~scripts/boil");
    judges("another size", FILES, &signed_with("\"size\":5}", "\"size\":6}"), "differs ~scripts/boil");
    judges("a file less", &FILES[..1], &own, "differs -scripts/boil");
    judges("a file elsewhere", &[("SKILL.md", TEA), ("boil", "boil\n")], &own, "differs +boil -scripts/boil");
    for name in [
        "scripts/burn",
        ".env",
        ".gitignore",
        "__pycache__/x.pyc",
        "x.pyc",
        ".DS_Store",
        "skill.oms.sig",
        "skills/milk/MANIFEST.sig.json",
        "manifest.sig.json2",
    ] {
        let expected = format!("extra +{name}");
        let found = if name == "skill.oms.sig" { format!("invalid | {expected}") } else { expected };
        judges(name, &more(name), &own, &found);
    }
    let gone = Place::of(tea(&FILES[1..], &own));
    tells("its SKILL.md is gone", &gone, &[&["."], TRUST].concat(), &["tea | differs -SKILL.md"]);
    judges("a repository", &more(".git/config"), &own, "extra +.git/");
    judges("modules", &more("node_modules/x.js"), &own, "extra +node_modules/");
    let hidden = Place::of(tea(&more(".github/skills/evil/SKILL.md"), &own));
    let expected = ["evil | extra +SKILL.md", "tea | extra +.github/skills/evil/SKILL.md"];
    tells("a hidden skill", &hidden, &[&["."], TRUST].concat(), &expected);
    let milk = TEA.replace("tea", "milk");
    let both = [FILES, &[("skills/milk/SKILL.md", milk.as_str())]].concat();
    let parts = Place::of(tea(&both, &signed_manifest(&both, 1)));
    tells("a part", &parts, &[&["."], TRUST].concat(), &["milk | verified", "tea | verified"]);
    parts.write(&format!("{}/scripts/boil", &SKILL[1..]), "burn\n");
    let expected = ["milk | differs", "tea | differs ~scripts/boil"];
    tells("another part", &parts, &[&["."], TRUST].concat(), &expected);
    let packed = Place::of(tea(FILES, &own));
    assert_eq!(packed.say(&["pack", ".agents/skills/tea", "-o", "../tea.skill"]).code, Some(0));
    tells("an archive", &packed, &[&["../tea.skill"], TRUST].concat(), &["tea | verified"]);
    let large = tea(FILES, &own).with_sparse(&format!("{SKILL}/big.bin"), 1 << 40);
    tells("a large file", &Place::of(large), TRUST, &["tea | differs"]);
    if cfg!(unix) {
        let link = tea(FILES, &own).with_link(&format!("{SKILL}/link"), "SKILL.md");
        tells("a link", &Place::of(link), TRUST, &["tea | extra +link"]);
        let bare = || tea(FILES, "").without(&format!("{SKILL}/MANIFEST.sig.json"));
        let fifo = bare().with_other(&format!("{SKILL}/MANIFEST.sig.json"));
        tells("a FIFO", &Place::of(fifo), TRUST, &["tea | invalid"]);
        let elsewhere = bare().with("/elsewhere", own.as_str());
        let elsewhere = elsewhere.with_link(&format!("{SKILL}/MANIFEST.sig.json"), "../../../../elsewhere");
        tells("a manifest elsewhere", &Place::of(elsewhere), TRUST, &["tea | invalid"]);
    }
}

#[test]
fn manifests() {
    let own = manifest(FILES, 1);
    let signed = signed_manifest(FILES, 1);
    let digest = sha256(TEA);
    let usual = |text: &str| with_signature(text, "skill-manifest", &own, 1);
    let cases: &[(&str, String, &str)] = &[
        ("indented", format!("{:#}\n", Json::parse(&signed).unwrap()), "verified"),
        ("other spaces", signed.replace("\":", "\" :\t"), "verified"),
        ("other escapes", signed.replace("\"ops\"", "\"\\u006fps\""), "verified"),
        (
            "a field more",
            signed_with("\"version\":\"1.0.0\"", "\"version\":\"1.0.0\",\"z\":[null,true,-12]"),
            "verified",
        ),
        ("a field more, unsigned", signed.replace("\"dependencies\"", "\"a\":1,\"dependencies\""), "invalid"),
        (
            "no files",
            signed_with(&own[own.find("\"SKILL.md\"").unwrap()..own.find("},\"signer").unwrap()], ""),
            "extra +SKILL.md +scripts/boil",
        ),
        ("another author", signed.replace("\"ops\"", "\"dev\""), "invalid"),
        ("another timestamp", signed.replace("2026-11-27", "2026-11-28"), "invalid"),
        ("another version", signed_with("1.0.0", "1.1.0"), "unknown record"),
        ("a version that is a number", signed_with("\"1.0.0\"", "1"), "invalid"),
        ("no version", signed_with("\"version\":\"1.0.0\"", "\"v\":\"1.0.0\""), "invalid"),
        ("a path out of the folder", signed_with("scripts/boil", "../tea/scripts/boil"), "invalid"),
        ("an absolute path", signed_with("scripts/boil", "/etc/passwd"), "invalid"),
        ("a path of Windows", signed_with("scripts/boil", "scripts\\\\boil"), "invalid"),
        ("a folder", signed_with("scripts/boil", "scripts/boil/"), "invalid"),
        ("no name", signed_with("scripts/boil", ""), "invalid"),
        ("a short digest", signed_with(&digest, "00"), "invalid"),
        ("a digest in upper case", signed_with(&digest, &digest.to_uppercase()), "invalid"),
        ("no digest", signed_with("\"sha256\"", "\"sha512\""), "invalid"),
        ("a size that is a text", signed_with("\"size\":5}", "\"size\":\"5\"}"), "invalid"),
        ("a negative size", signed_with("\"size\":5}", "\"size\":-5}"), "invalid"),
        ("no size", signed_with("\"size\"", "\"length\""), "invalid"),
        ("a fraction", signed_with("\"size\":5}", "\"size\":5.0}"), "invalid"),
        ("an exponent", signed_with("[]", "[5e0]"), "invalid"),
        ("a negative zero", signed_with("[]", "[-0]"), "invalid"),
        ("a large number", signed_with("[]", "[123456789012345678901]"), "invalid"),
        ("a list of files", signed_with("\"files\":{", "\"files\":[],\"x\":{"), "invalid"),
        ("no signer", signed_with("\"signer\"", "\"signers\""), "invalid"),
        ("the signer is a text", signed_with("\"signer\":{", "\"signer\":\"ops\",\"x\":{"), "invalid"),
        ("another key is named", signed_with(&fingerprint(1), &fingerprint(2)), "invalid"),
        ("another identity", signed_with(IDENTITY, "dev@tea.example"), "foreign root"),
        ("a long identity", signed_with(IDENTITY, &"a".repeat(1_001)), "invalid"),
        ("another key", with_signature(&own, "skill-manifest", &own, 2), "foreign root"),
        ("another purpose", with_signature(&own, "skilltree-lock", &own, 1), "invalid"),
        ("of another text", with_signature(&own, "skill-manifest", "{}", 1), "invalid"),
        ("the text as it stands", with_signature(&own, "skill-manifest", &signed, 1), "invalid"),
        ("unsigned", own.clone(), "matches | unsigned"),
        ("unsigned, of other files", own.replace(&digest, &sha256("x")), "differs ~SKILL.md | unsigned"),
        ("no signature", own.replace("\"version\"", "\"signature\":\"\",\"version\""), "invalid"),
        ("a signature that is nothing", own.replace("\"version\"", "\"signature\":null,\"version\""), "invalid"),
        ("a part of one", signed.replace("-----END", "----"), "invalid"),
        ("a field twice", usual(&own.replace("\"files\"", "\"version\":\"1.0.0\",\"files\"")), "invalid"),
        ("half a surrogate pair", usual(&own.replace("\"ops\"", "\"\\ud83e\"")), "invalid"),
        ("no JSON", "version: 1.0.0".to_owned(), "invalid"),
        ("a list", "[]".to_owned(), "invalid"),
        ("nothing", String::new(), "invalid"),
        ("deep", "[".repeat(1 << 20), "invalid"),
    ];
    for (case, text, verdict) in cases {
        judges(case, FILES, text, verdict);
    }
    let large = tea(FILES, "").without(&format!("{SKILL}/MANIFEST.sig.json"));
    let large = large.with_sparse(&format!("{SKILL}/MANIFEST.sig.json"), 5 << 20);
    tells("a large one", &Place::of(large), TRUST, &["tea | invalid"]);
    let odd = signed_with("1.0.0", "\\u001b[2J\\n");
    let said = Place::of(tea(FILES, &odd)).say(&["verify"]);
    assert!(said.code == Some(0) && !said.out.contains('\u{1b}'), "{}", said.out);
}

/// The lines of the user say for whom and for what a key counts.
#[test]
fn lines_of_the_user() {
    let cases = [
        (allowed("*@tea.example", "", 1), "verified"),
        (allowed("dev@tea.example,ops@tea.example", "", 1), "verified"),
        (allowed(IDENTITY, "namespaces=\"skill-manifest\"", 1), "verified"),
        (allowed(IDENTITY, "namespaces=\"skilltree-lock,skill-*\"", 1), "verified"),
        (allowed(IDENTITY, "namespaces=\"skilltree-lock\"", 1), "foreign root"),
        (allowed("dev@tea.example", "", 1) + &allowed(IDENTITY, "", 1), "verified"),
        (allowed("dev@tea.example", "", 1), "foreign root"),
        (allowed("OPS@tea.example", "", 1), "foreign root"),
        (allowed("ops@tea.example.org", "", 1), "foreign root"),
        (allowed(IDENTITY, "", 2), "foreign root"),
        (allowed(IDENTITY, "valid-before=\"20260101Z\"", 1), "expired"),
        (allowed(IDENTITY, "valid-after=\"20990101Z\"", 1), "expired"),
        (allowed(IDENTITY, "valid-before=\"20260101Z\"", 1) + &allowed("dev@tea.example", "", 1), "expired"),
    ];
    for (lines, verdict) in cases {
        let place = Place::of(tea(FILES, &signed_manifest(FILES, 1)));
        place.write("allowed_signers", &lines);
        tells(&lines, &place, TRUST, &[&format!("tea | {verdict}")]);
    }
    let place = Place::of(tea(&FILES[..1], &signed_manifest(FILES, 1)));
    place.write("allowed_signers", &allowed(IDENTITY, "valid-before=\"20260101Z\"", 1));
    tells("changed, and too late", &place, TRUST, &["tea | differs -scripts/boil | unsigned"]);
}

/// A policy may name the key, for this purpose alone.
#[test]
fn signers_of_policies() {
    let tree = tea(FILES, &signed_manifest(FILES, 1)).with("/project/any", allowed(IDENTITY, "", 1));
    let tree = tree.with("/project/own", allowed(IDENTITY, "namespaces=\"skill-manifest\"", 1));
    let tree = tree.with("/project/lock", allowed(IDENTITY, "namespaces=\"skilltree-lock\"", 1));
    let place = Place::of(tree.with("/project/other", allowed(IDENTITY, "", 2)));
    let id = format!("root: \"{}\"", fingerprint(1));
    let cases = [
        ("allowed: any", 0),
        ("allowed: own", 0),
        ("allowed: lock", 1),
        ("allowed: other", 1),
        ("kind: ssh, subject: \"*@tea.example\"", 0),
        ("kind: oms, subject: \"*@tea.example\"", 1),
        ("subject: \"dev@*\"", 1),
        (id.as_str(), 0),
    ];
    for (signer, code) in cases {
        let policy = format!("require: {{signature: true}}\nsigners:\n- {{{signer}}}\n");
        place.write("project/skilltree-policy.yaml", &policy);
        let said = place.say(&[&["verify"], TRUST].concat());
        assert_eq!(said.code, Some(code), "{signer}: {}{}", said.out, said.err);
    }
}

/// The skill of `testdata/signatures/manifest/make.sh`, which `skill-signer` has signed.
#[test]
fn what_skill_signer_signs() {
    let own = include_str!("../../testdata/signatures/manifest/MANIFEST.sig.json");
    let files: &[(&str, &str)] = &[
        ("SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n# Tea \"for\ttwo\" \u{1fad6}\u{7f}\n"),
        ("scripts/boil", "boil\n"),
        ("docs/K\u{e4}nnchen \u{1fad6}.md", "Z\u{fc}nden.\n"),
        ("empty", ""),
    ];
    let place = Place::of(tea(files, own));
    place.write("allowed_signers", include_str!("../../testdata/signatures/manifest/allowed_signers"));
    tells("as it is", &place, TRUST, &["tea | verified"]);
    let manifest = format!("{}/MANIFEST.sig.json", &SKILL[1..]);
    place.write(&manifest, &own.replace("\\u007f", "\u{7f}").replace("\\u00eb", "\u{eb}"));
    tells("with other escapes", &place, TRUST, &["tea | verified"]);
    place.write(&manifest, &own.replace("\\ud83e\\uded6\\u007f", ""));
    tells("another name", &place, TRUST, &["tea | invalid"]);
}

/// The text that is signed is the one that Python writes.
#[test]
fn what_python_writes() {
    let all: String = ('\0'..'\u{180}').chain("\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{1fad6}\u{10ffff}".chars()).collect();
    let name = Json::from(all.as_str());
    let odd = format!(
        "{{\"\u{ffff}\":1,\"\u{10000}\":2,\"b\":{{}},\"a\":[[],{{\"z\":null,\"\":[true,false]}}],{name}:{name},\"n\":[0,-1,9007199254740993]}}"
    );
    let text = manifest(FILES, 1).replace("\"dependencies\":[]", &format!("\"dependencies\":[{odd}]"));
    let script = "import json, sys; sys.stdout.write(json.dumps(json.load(sys.stdin.buffer), sort_keys=True, separators=(',', ':')))";
    let place = Place::of(tea(FILES, ""));
    place.write("manifest", &text);
    let mut python = Command::new("python3");
    python.args(["-c", script]).stdin(std::fs::File::open(place.at("manifest")).unwrap());
    let Some(done) = python.output().ok().filter(|done| done.status.success()) else {
        return skip("there is no python3");
    };
    let written = String::from_utf8(done.stdout).unwrap();
    place.write(&format!("{}/MANIFEST.sig.json", &SKILL[1..]), &with_signature(&text, "skill-manifest", &written, 1));
    tells("what Python writes", &place, TRUST, &["tea | verified"]);
}
