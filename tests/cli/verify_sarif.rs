//! `verify --format sarif`: the log of a project against what is expected (`UPDATE=1` writes it anew), the rule, level and locations
//! of each verdict, and paths that are escaped. `verify_signatures` has the verdicts on signatures, and `formats` validates logs.

use crate::common::Tree;
use crate::program::{Place, Said, error_code, field};
use crate::raw::{build, file};
use pretty_assertions::assert_eq;
use skilltree::Json;
use std::fs;

const TEA: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";
const SKILL: &str = ".agents/skills/tea";

/// A lock of `npx skills` with a hash that no skill has.
const OTHER_HASH: &str = "{\"version\": 1, \"skills\": {\"tea\": {\"source\": \"a/b\", \"sourceType\": \"github\", \
                          \"computedHash\": \"0000000000000000000000000000000000000000000000000000000000000000\"}}}";

fn tea() -> Tree {
    Tree::default().with(&format!("/project/{SKILL}/SKILL.md"), TEA).with(&format!("/project/{SKILL}/gone.md"), "x")
}

fn list<'j>(json: &'j Json, path: &[&str]) -> &'j [Json] {
    match path.iter().try_fold(json, |json, name| json.get(name)) {
        Some(Json::List(items)) => items,
        _ => panic!("no {path:?} in {json}"),
    }
}

fn run_of(said: &Said) -> Json {
    list(&said.json(), &["runs"])[0].clone()
}

fn uris(locations: &[Json]) -> Vec<String> {
    let uri = |at: &Json| field(at, "physicalLocation.artifactLocation.uri").replace('"', "");
    locations.iter().map(uri).collect()
}

/// The rule, the level and the locations of each result, after checking that its rule has the same level and a help.
pub(crate) fn told(said: &Said) -> Vec<String> {
    let run = run_of(said);
    let rules = list(&run, &["tool", "driver", "rules"]);
    let tell = |result: &Json| {
        let text = |path: &str| field(result, path).replace('"', "");
        let rule = &rules[text("ruleIndex").parse::<usize>().expect("an index")];
        assert_eq!(rule.get("id"), result.get("ruleId"));
        assert!(field(rule, "shortDescription.text").ends_with(".\""), "{rule}");
        assert_ne!(field(rule, "shortDescription.text"), field(rule, "fullDescription.text"));
        format!("{} {} {}", text("ruleId"), text("level"), uris(list(result, &["locations"])).join(" "))
    };
    list(&run, &["results"]).iter().map(tell).collect()
}

const SARIF: &[&str] = &["verify", "--format", "sarif"];

#[track_caller]
fn tells(case: &str, place: &Place, words: &[&str], expected: &[&str]) -> Said {
    let said = place.say(&[SARIF, words].concat());
    assert_eq!(said.code, Some(0), "{case}: {}{}", said.out, said.err);
    assert_eq!(told(&said), expected, "{case}: {}{}", said.out, said.err);
    said
}

/// A project with a lock whose skill was changed since, a skill that is gone, one without a record, and a policy.
pub(crate) fn project() -> Place {
    let lock = OTHER_HASH.replace("tea", "honey");
    let place = Place::locked(tea().with("/project/skills-lock.json", lock));
    place.write(&format!("project/{SKILL}/SKILL.md"), &TEA.replace("Boil", "Burn"));
    place.write(&format!("project/{SKILL}/new.md"), "x");
    fs::remove_file(place.at(&format!("project/{SKILL}/gone.md"))).unwrap();
    place.write("project/.agents/skills/jam/SKILL.md", &TEA.replace("tea", "jam"));
    place.write("project/skilltree-policy.yaml", "sources:\n  allow: [github.com/a/*]\nunlocked: warn\n");
    place
}

#[cfg(unix)]
#[test]
fn transcript() {
    let place = project();
    let said = place.say(SARIF);
    let out = crate::formats::shortened(&said.json()).replace(&place.named("project"), "/project");
    let text = format!("{out}-- standard error\n{}-- exit code {}\n", said.err, said.code.unwrap_or(-1));
    let path = crate::common::root().join("testdata/verify/sarif.txt");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &text).expect("a transcript can be written");
    }
    assert_eq!(text, fs::read_to_string(&path).unwrap_or_default(), "run with UPDATE=1");
}

#[test]
fn verdicts() {
    let folder = "/project/.agents/skills/tea";
    let changed = Place::locked(tea());
    changed.write(&format!("project/{SKILL}/SKILL.md"), &TEA.replace("Boil", "Burn"));
    let more = Place::locked(tea());
    more.write(&format!("project/{SKILL}/new.md"), "x");
    more.write(&format!("project/{SKILL}/node_modules/a.js"), "x");
    let missing = OTHER_HASH.replace("tea", "milk");
    let cases: [(&str, Place, &[&str], &[&str]); 9] = [
        ("matches", Place::locked(tea()), &[], &[]),
        ("no record", Place::of(tea()), &[], &[]),
        ("no skills", Place::of(Tree::default()), &[], &[]),
        ("differs", changed, &[], &["record-differs error .agents/skills/tea/SKILL.md"]),
        ("extra", more, &[], &["record-extra warning .agents/skills/tea/new.md .agents/skills/tea/node_modules"]),
        (
            "missing",
            Place::of(tea().with("/project/skills-lock.json", missing)),
            &[],
            &["record-missing error skills-lock.json"],
        ),
        (
            "needs source",
            Place::of(tea().with("/project/skills-lock.json", OTHER_HASH)),
            &[],
            &["record-needs-source warning skills-lock.json"],
        ),
        (
            "unknown record",
            Place::of(tea().with("/project/skills-lock.json", "{")),
            &[],
            &["record-unknown warning skills-lock.json"],
        ),
        (
            "escaped",
            Place::of(
                tea()
                    .without(&format!("{folder}/SKILL.md"))
                    .with("/project/a b[1]#ü/SKILL.md", TEA)
                    .with("/project/a b[1]#ü/skills-lock.json", "{"),
            ),
            &["."],
            &["record-unknown warning a%20b%5B1%5D%23%C3%BC/skills-lock.json"],
        ),
    ];
    for (case, place, words, expected) in &cases {
        tells(case, place, words, expected);
    }
}

/// What is dismissed in code scanning is recognized, and is nothing else.
#[test]
fn fingerprints() {
    let place = Place::locked(tea());
    let fingerprint = |text: &str, more: &str| {
        place.write(&format!("project/{SKILL}/SKILL.md"), text);
        place.write(&format!("project/{SKILL}/{more}"), "x");
        field(&run_of(&place.say(SARIF)), "results.0.partialFingerprints.skilltreeFinding/v1")
    };
    let first = fingerprint(&TEA.replace("Boil", "Burn"), "gone.md");
    assert!(first.ends_with(":1\""), "{first}");
    assert_eq!(fingerprint(&TEA.replace("Boil", "Heat"), "gone.md"), first, "the same file");
    assert_ne!(fingerprint(&TEA.replace("Boil", "Heat"), "new.md"), first, "one more file");
}

/// A skill in an archive is in the file of the archive.
#[test]
fn in_an_archive() {
    let by_gh = TEA.replace(
        "name: tea\n",
        "name: tea\nmetadata:\n  github-path: skills/tea\n  github-ref: refs/tags/v1\n  github-repo: https://github.com/a/b\n  \
         github-tree-sha: 343aa3b7d2ef04593e634265cb577417d2b6dcba\n",
    );
    let archive = build(&[file("tea/SKILL.md", &by_gh)]);
    let place = Place::of(Tree::default().with("/project/my tea.skill", archive));
    let said = tells("archive", &place, &["my tea.skill"], &["record-needs-source warning my%20tea.skill"]);
    let name = "results.0.locations.0.logicalLocations.0.fullyQualifiedName";
    assert_eq!(field(&run_of(&said), name), "\"tea/SKILL.md\"");
}

/// The file of a skill that is one file is in the folder of that file.
#[test]
fn skills_of_one_file() {
    let command = ".claude/commands/boil.md";
    let place =
        Place::of(Tree::default().with(&format!("/project/{command}"), "---\ndescription: Boils.\n---\nBoil.\n"));
    let place = place.first(&["--dialect", "claude"]);
    assert_eq!(place.say(&["lock"]).code, Some(0));
    place.write(&format!("project/{command}"), "Burn.\n");
    tells("a command", &place, &[], &[&format!("record-differs error {command}")]);
}

/// GitHub rejects a log with over 1,000 locations of one result.
#[test]
fn many_files() {
    let place = Place::locked(tea());
    (0..150).for_each(|number| place.write(&format!("project/{SKILL}/{number}"), "x"));
    let run = run_of(&place.say(SARIF));
    assert_eq!(
        uris(list(&run, &["results"])[0].get("locations").map(|at| list(at, &[])).expect("locations")).len(),
        100
    );
    assert!(field(&run, "results.0.message.text").contains(" and 142 more"), "{run}");
}

/// Texts of strangers add no link, no placeholder and no control character.
#[test]
fn texts_of_strangers() {
    let odd = OTHER_HASH.replace("tea", "[x](http://y) {0} \\u001b[2J\\u202e");
    let place = Place::of(tea().with("/project/skills-lock.json", odd));
    let said = tells("odd", &place, &[], &["record-missing error skills-lock.json"]);
    let message = field(&run_of(&said), "results.0.message.text");
    assert!(message.contains("[x] (http://y) {{0}} "), "{message}");
    assert!(!said.out.contains(['\u{1b}', '\u{202e}']) && !message.contains("\\u001b"), "{message}");
}

#[test]
fn policies() {
    let place = project();
    let run = run_of(&place.say(SARIF));
    let breaches: Vec<&Json> =
        list(&run, &["results"]).iter().filter(|result| field(result, "ruleId") == "\"policy\"").collect();
    let of = |breach: &Json| {
        let at = "relatedLocations.0.physicalLocation";
        let names = ["level", "locations.0.physicalLocation.artifactLocation.uri"].map(|name| field(breach, name));
        let related = ["artifactLocation.uri", "region.startLine"].map(|name| field(breach, &format!("{at}.{name}")));
        format!("{} by {}", names.join(" "), related.join(":")).replace('"', "")
    };
    let expected = [
        "error .agents/skills/jam by skilltree-policy.yaml:2",
        "warning .agents/skills/jam by skilltree-policy.yaml:3",
        "error .agents/skills/tea by skilltree-policy.yaml:2",
        "warning .agents/skills/tea by skilltree-policy.yaml:3",
    ];
    assert_eq!(breaches.iter().map(|breach| of(breach)).collect::<Vec<_>>(), expected);
    let message = field(breaches[0], "message.text");
    assert!(message.ends_with("only some sources are allowed ([the reason](1))\""), "{message}");
    assert_eq!(field(breaches[0], "relatedLocations.0.id"), "1");
    // A policy of the user may be outside of the project.
    let place = Place::of(tea().with("/my policies/p.yaml", "unlocked: block\n"));
    let said = place.say(&[SARIF, &["--policy", "../my policies/p.yaml"]].concat());
    let uri = "results.0.relatedLocations.0.physicalLocation.artifactLocation.uri";
    let uri = field(&run_of(&said), uri);
    assert!(uri.starts_with("\"file:///") && uri.ends_with("/my%20policies/p.yaml\""), "{uri}");
}

/// The exit code is that of the verdicts, whatever the format.
#[test]
fn exit_codes() {
    let places = [Place::locked(tea()), project(), Place::of(tea())];
    let words: [&[&str]; 3] = [&[], &["--require", "matches"], &["none"]];
    for (place, codes) in places.iter().zip([[0, 0, 2], [1, 1, 2], [0, 1, 2]]) {
        for (words, code) in words.into_iter().zip(codes) {
            for format in ["text", "json", "sarif"] {
                let said = place.say(&[&["verify", "--format", format], words].concat());
                assert_eq!(said.code, Some(code), "{format} {words:?}: {}{}", said.out, said.err);
            }
        }
    }
}

#[test]
fn json_by_either_option() {
    let place = project();
    let [long, short] = [&["verify", "--format=json"][..], &["--json", "verify"]].map(|words| place.say(words));
    assert_eq!((long.code, &long.out, &long.err), (short.code, &short.out, &short.err));
    assert_eq!(place.say(&["verify", "--json", "--format", "json"]).out, long.out);
    assert_eq!(place.say(&["verify", "--format", "text"]).out, place.say(&["verify"]).out);
    for (words, code) in [
        (&["verify", "none", "--format=json"][..], "no-directory"),
        (&["verify", "--format=json", "--bogus"], "usage"),
        (&["verify", "--json", "--format", "sarif"], "usage"),
    ] {
        let failed = place.say(words);
        assert_eq!((failed.code, error_code(&failed.json())), (Some(2), Some(code)), "{words:?}");
    }
    place.check("no such format", &["verify", "--format", "github"], 2, &[], &["text, json, sarif"]);
}
