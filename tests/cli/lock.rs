//! The command `lock`: what it writes, what `lock --check` and `verify` say of each change, what cannot be locked, locks of strangers, and
//! real projects.

use crate::common::property;
use crate::common::skip::{real_data, skip};
use crate::common::{TempDir, Tree, root};
use crate::program::{Place, field, said, texts};
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use skilltree::{Digest, Json};
use std::process::Command;

const TEA: &str =
    "---\nname: tea\ndescription: Makes tea.\nallowed-tools: Read\n---\nBoil water, see https://kettle.example/.\n";
const BOIL: &str = "#!/bin/sh\nboil\n";
const SKILL: &str = ".agents/skills/tea";

fn tea() -> Tree {
    let of = |name: &str| format!("/project/{SKILL}/{name}");
    Tree::default().with(&of("SKILL.md"), TEA).with(&of("scripts/boil"), BOIL)
}

fn sha(text: &str) -> String {
    Digest::of(text.as_bytes()).to_string()
}

/// The verdicts of `verify` by the lock alone, and the differing files.
fn verdicts(place: &Place, words: &[&str]) -> Vec<String> {
    let (_, json) = place.json(&[&["verify"], words].concat());
    let Some(Json::List(skills)) = json.get("skills") else { panic!("{json}") };
    let mut all = Vec::new();
    for skill in skills {
        let Some(Json::List(records)) = skill.get("records") else { panic!("{skill}") };
        let of_lock =
            records.iter().filter(|record| record.get("kind").and_then(Json::as_text) == Some("skilltree-lock"));
        let verdicts = of_lock.map(|record| field(record, "verdict").replace('"', "")).collect::<Vec<_>>();
        all.push(format!("{}: {}", field(skill, "key").replace('"', ""), verdicts.join(", ")));
    }
    all
}

/// What only a client takes for a skill has its facts, too.
#[test]
fn facts_of_what_the_standard_does_not_list() {
    let text = "---\nallowed-tools: Bash\n---\nSee https://a.example and !`date`\n";
    let place =
        Place::of(Tree::default().with_dir("/project/.git").with_link("/project/.claude/skills/aa", "full").files(&[
            ("/project/.claude/skills/nodesc/SKILL.md", text),
            ("/project/.claude/skills/full/SKILL.md", TEA),
            ("/project/.claude/commands/cmd.md", text),
        ]));
    let place = place.last(&["--dialect", "claude"]);
    place.check("locked", &["lock"], 0, &["locked 3 skills"], &[]);
    let lock = place.read("project/skilltree.lock").expect("a lock");
    let facts =
        "\"facts\": {\"dynamic\":1,\"hidden\":0,\"hosts\":[\"a.example\"],\"remote_script\":0,\"tools\":[\"Bash\"]}";
    assert_eq!((lock.matches(facts).count(), lock.matches("\"facts\"").count()), (2, 3), "{lock}");
}

#[test]
fn what_is_written() {
    let place = Place::of(tea());
    let dry = "+ .agents/skills/tea\nwould lock 1 skill in `skilltree.lock`\n";
    place.exact("a dry run", &["lock", "--dry-run"], 0, dry, "");
    assert_eq!(place.read("project/skilltree.lock"), None);
    let text = "+ .agents/skills/tea\nlocked 1 skill in `skilltree.lock`\n";
    place.exact("the first time", &["lock"], 0, text, "");
    let [skill, boil] = [sha(TEA), sha(BOIL)];
    let sums = format!("{}  SKILL.md\n{}  scripts/boil\n", &skill[7..], &boil[7..]);
    let digest = sha(&sums);
    let lock = format!(
        "{{
  \"skills\": {{
    \"{SKILL}\": {{
      \"digest\": \"{digest}\",
      \"facts\": {{\"dynamic\":0,\"hidden\":0,\"hosts\":[\"kettle.example\"],\"remote_script\":0,\"tools\":[\"Read\"]}},
      \"files\": [
        {{\"digest\":\"{skill}\",\"path\":\"SKILL.md\",\"size\":{}}},
        {{\"digest\":\"{boil}\",\"path\":\"scripts/boil\",\"size\":{}}}
      ],
      \"name\": \"tea\",
      \"text_digest\": \"{digest}\",
      \"tree\": \"8d4dd580055902fac6cabd763a04280064972a51\"
    }}
  }},
  \"version\": 1
}}
",
        TEA.len(),
        BOIL.len()
    );
    assert_eq!(place.read("project/skilltree.lock").unwrap(), lock);
    let text = "`skilltree.lock` has 1 skill, and nothing has changed\n";
    place.exact("once more", &["lock"], 0, text, "");
    let path = format!("{:?}", place.named("project/.agents/skills/tea"));
    let fields = [("skills.0.change", "\"unchanged\""), ("skills.0.path", &path), ("written", "false")];
    place.fields("rule 24.7: JSON", &["lock"], 0, &fields);
    let fields = [("skills.0.verdict", "\"matches\""), ("skills.0.path", &path)];
    place.fields("rule 24.7: JSON of a check", &["lock", "--check"], 0, &fields);
}

/// A shell computes the digest of a skill, and git the id of its tree.
#[test]
fn what_other_programs_compute() {
    let odd = ["a b.txt", "Ä.md", "'quote'", "-x", "sub/a", "sub-a", "sub.a", "z\u{2028}z"];
    let tree = odd.iter().fold(tea(), |tree, name| tree.with(&format!("/project/{SKILL}/{name}"), *name));
    let tree = tree
        .with(&format!("/project/{SKILL}/crlf.txt"), "a\r\nb\rc\n")
        .with(&format!("/project/{SKILL}/bin"), [0, 13, 10]);
    let place = Place::locked(tree).env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let json = Json::parse(&place.read("project/skilltree.lock").unwrap()).unwrap();
    let Some(Json::Map(skills)) = json.get("skills") else { panic!("{json}") };
    let recorded = |name: &str| skills[0].1.get(name).and_then(Json::as_text).unwrap().to_owned();
    let sum = "find . -type f | cut -c3- | LC_ALL=C sort | tr '\\n' '\\0' | xargs -0 sha256sum -- | sha256sum";
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", sum]).current_dir(place.at(&format!("project/{SKILL}")));
    match shell.output() {
        Ok(done) if done.status.success() && done.stdout.len() > 64 => {
            let own = recorded("digest");
            assert_eq!(String::from_utf8_lossy(&done.stdout[..64]), own.trim_start_matches("sha256:"));
        }
        _ => skip("there is no sha256sum"),
    }
    assert_ne!(recorded("digest"), recorded("text_digest"), "there is a file with CRLF");
    if place.git(&["init", "--quiet"]) && place.git(&["-c", "core.autocrlf=false", "add", SKILL]) {
        let mut git = Command::new("git");
        let done =
            git.args(["write-tree", &format!("--prefix={SKILL}/")]).current_dir(place.at("project")).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&done.stdout).trim(), recorded("tree"));
    }
}

#[test]
fn every_change_is_told() {
    let milk = TEA.replace("tea", "milk");
    let of_milk = "/project/.agents/skills/milk/SKILL.md";
    type Change = fn(&Place);
    let cases: &[(&str, Change, &str, &str)] = &[
        ("nothing", |_| {}, "", "milk: matches; tea: matches"),
        (
            "another text",
            |place| place.write(&format!("project/{SKILL}/SKILL.md"), "---\nname: tea\ndescription: x\n---\n"),
            "differs  .agents/skills/tea  ~SKILL.md; other files than those that are locked\n",
            "milk: matches; tea: differs",
        ),
        (
            "a file more",
            |place| place.write(&format!("project/{SKILL}/new.sh"), "x"),
            "extra  .agents/skills/tea  +new.sh; files that are not locked\n",
            "milk: matches; tea: extra",
        ),
        (
            "a file less",
            |place| std::fs::remove_file(place.at(&format!("project/{SKILL}/scripts/boil"))).unwrap(),
            "differs  .agents/skills/tea  -scripts/boil; other files than those that are locked\n",
            "milk: matches; tea: differs",
        ),
        (
            "other line endings",
            |place| place.write(&format!("project/{SKILL}/SKILL.md"), &TEA.replace('\n', "\r\n")),
            "differs  .agents/skills/tea  ~SKILL.md; only line endings are different\n",
            "milk: matches; tea: differs",
        ),
        (
            "a skill less",
            |place| std::fs::remove_dir_all(place.at("project/.agents/skills/milk")).unwrap(),
            "missing  .agents/skills/milk\n",
            "milk: missing; tea: matches",
        ),
        (
            "a skill more",
            |place| place.write("project/.agents/skills/jam/SKILL.md", &TEA.replace("tea", "jam")),
            "not locked  .agents/skills/jam\n",
            "jam: ; milk: matches; tea: matches",
        ),
    ];
    for (case, change, shown, by_verify) in cases {
        let place = Place::locked(tea().with(of_milk, milk.as_str()));
        let before = place.read("project/skilltree.lock");
        change(&place);
        let said = place.say(&["lock", "--check"]);
        assert_eq!(said.code, Some(i32::from(!shown.is_empty())), "{case}: {}{}", said.out, said.err);
        let (rows, last) = said.out.trim_end().rsplit_once('\n').unwrap_or(("", said.out.trim_end()));
        assert_eq!(rows.trim_end(), shown.trim_end(), "{case}");
        assert!(last.ends_with("as locked"), "{case}: {last}");
        assert_eq!(verdicts(&place, &[]).join("; "), *by_verify, "{case}");
        assert_eq!(place.read("project/skilltree.lock"), before, "{case}: nothing is written");
        if !shown.is_empty() {
            let (_, json) = place.json(&["lock", "--check"]);
            assert_eq!(field(&json, "error.code"), "\"lock-differs\"", "{case}");
        }
        assert_eq!(place.say(&["lock"]).code, Some(0), "{case}");
        place.check("locked again", &["lock", "--check"], 0, &["as locked"], &[]);
    }
}

#[test]
fn parts_of_a_project() {
    let other = "/project/docs/skills/jam/SKILL.md";
    let place = Place::locked(tea().with(other, TEA.replace("tea", "jam")));
    // The standard does not look there. What is locked once stays locked, whichever client is asked for.
    place.exact("a path", &["lock", "docs"], 0, "+ docs/skills/jam\nlocked 2 skills in `skilltree.lock`\n", "");
    place.exact("all", &["lock"], 0, "`skilltree.lock` has 2 skills, and nothing has changed\n", "");
    place.check("all are as locked", &["lock", "--check"], 0, &["2 of 2 skills as locked"], &[]);
    place.write("project/docs/skills/jam/new.md", "x");
    place.check("another path", &["lock", "--check", ".agents"], 0, &["1 of 1 skill as locked"], &[]);
    place.check("the path", &["lock", "--check", "docs/skills/jam/SKILL.md"], 1, &["extra", "+new.md"], &[]);
    place.check("all differ", &["lock", "--check"], 1, &["extra"], &["not those of `skilltree.lock`"]);
    std::fs::remove_dir_all(place.at("project/docs")).unwrap();
    place.exact(
        "another path again",
        &["lock", ".agents"],
        0,
        "`skilltree.lock` has 2 skills, and nothing has changed\n",
        "",
    );
    place.exact("removed", &["lock"], 0, "- docs/skills/jam\nlocked 1 skill in `skilltree.lock`\n", "");
    place.check("outside", &["lock", "../home"], 2, &[], &["is not in the project"]);
    place.check("nothing there", &["lock", "none"], 2, &[], &["does not exist"]);
    let empty = Place::of(Tree::default());
    empty.check("no lock", &["lock", "--check"], 1, &["0 of 0 skills"], &["there is no `skilltree.lock`"]);
}

/// What is recorded of the source by other programs is kept.
#[test]
fn sources() {
    let hash = "0".repeat(64);
    let entry = |more: &str| {
        format!(
            "{{\"version\": 1, \"skills\": {{\"tea\": {{{more}, \"skillPath\": \"skills/tea/SKILL.md\", \"computedHash\": \"{hash}\"}}}}}}"
        )
    };
    let cases = [
        (
            "\"source\": \"a/b\", \"sourceType\": \"github\", \"ref\": \"v1\"",
            "{\"path\":\"skills/tea/SKILL.md\",\"ref\":\"v1\",\"type\":\"git\",\"url\":\"https://github.com/a/b\"}",
        ),
        ("\"source\": \"../tea\", \"sourceType\": \"local\"", "{\"path\":\"../tea\",\"type\":\"local\"}"),
        ("\"source\": \"a/b\", \"sourceType\": \"other\"", "-"),
    ];
    for (more, expected) in cases {
        let place = Place::locked(tea().with("/project/skills-lock.json", entry(more)));
        let json = Json::parse(&place.read("project/skilltree.lock").unwrap()).unwrap();
        let Some(Json::Map(skills)) = json.get("skills") else { panic!("{json}") };
        assert_eq!(field(&skills[0].1, "source"), expected, "{more}");
    }
    let commit = "0123456789012345678901234567890123456789";
    let apm = format!(
        "lockfile_version: '1'\ndependencies:\n- repo_url: a/b\n  resolved_commit: {commit}\n  deployed_files:\n  - {SKILL}/SKILL.md\n"
    );
    let place = Place::locked(
        tea()
            .with("/project/apm.lock.yaml", apm)
            .with("/project/skills-lock.json", entry("\"source\": \"a/b\", \"sourceType\": \"github\"")),
    );
    let expected = format!("{{\"commit\":\"{commit}\",\"type\":\"git\",\"url\":\"https://github.com/a/b\"}}");
    assert!(place.read("project/skilltree.lock").unwrap().contains(&expected));
}

/// Where one file is no regular file, or has a name that `sha256sum` escapes, nothing is written.
#[test]
fn what_cannot_be_locked() {
    let file = |name: &str| tea().with(&format!("/project/{SKILL}/{name}"), "x");
    let mut cases = vec![
        ("a folder of packages", file("node_modules/a.js"), "`node_modules/` is not looked into"),
        ("a repository", file(".git/config"), "`.git/` is not looked into"),
        ("a large file", tea().with_sparse(&format!("/project/{SKILL}/big"), 1 << 40), "over"),
    ];
    if cfg!(unix) {
        cases.push(("a newline", file("a\nb"), "the name of `a\\u{a}b` has"));
        cases.push(("a backslash", file("a\\b"), "has a backslash or a control character"));
        cases.push(("a carriage return", file("a\rb"), "has a backslash or a control character"));
        cases.push((
            "a link",
            tea().with_link(&format!("/project/{SKILL}/link"), "SKILL.md"),
            "`link` is not a regular file",
        ));
        cases.push(("a FIFO", tea().with_other(&format!("/project/{SKILL}/fifo")), "`fifo` is not a regular file"));
        let colon = tea().with("/project/.agents/skills/a:b/SKILL.md", TEA);
        cases.push(("a colon in a path", colon, "its path has a backslash, a colon or"));
    }
    for (case, tree, told) in cases {
        let place = Place::of(tree);
        let said = place.say(&["lock"]);
        assert_eq!((said.code, said.out.as_str()), (Some(1), ""), "{case}: {}", said.err);
        assert!(said.err.contains(told), "{case}: {}", said.err);
        assert_eq!(place.read("project/skilltree.lock"), None, "{case}");
    }
    let two = Place::of(
        file(".git/config")
            .with("/project/.agents/skills/a/SKILL.md", TEA.replace("name: tea", "name: a"))
            .with("/project/.agents/skills/a/.git/x", "x"),
    );
    let (_, json) = two.json(&["lock"]);
    for (name, skill) in
        [("error.message", "skills/a` cannot be locked"), ("error.more.0", "skills/tea` cannot be locked")]
    {
        assert!(field(&json, name).contains(skill), "each skill is in the document: {json}");
    }
    assert_eq!(field(&json, "error.more.1"), "-", "each once: {json}");
    let root = Place::of(tea().with("/project/SKILL.md", TEA));
    root.check(
        "the project",
        &["lock", "."],
        1,
        &[],
        &["error: `.` cannot be locked: the folder of the project is a skill itself"],
    );
    if cfg!(unix) {
        // The names of files are compared, and `sha256sum` prints a colon as it is.
        let file = Place::locked(tea().with(&format!("/project/{SKILL}/d:e/a:b"), "x"));
        file.check("a colon in the name of a file", &["lock", "--check"], 0, &["1 of 1 skill as locked"], &[]);
    }
    if cfg!(unix) {
        let linked =
            Place::of(tea().with("/outside.json", "{}").with_link("/project/skilltree.lock", "../outside.json"));
        assert_ne!(linked.say(&["lock"]).code, Some(0));
        assert_eq!(linked.read("outside.json").as_deref(), Some("{}"));
        // What leads out of the project is none of its skills.
        let lock = Place::locked(tea()).read("project/skilltree.lock").unwrap();
        let outside = Tree::default()
            .with("/outside/SKILL.md", TEA.replace("Boil", "Burn"))
            .with("/project/skilltree.lock", lock);
        let place = Place::of(outside.with_link(&format!("/project/{SKILL}"), "../../../outside"));
        place.check("a link instead of a skill", &["lock", "--check"], 1, &["missing", SKILL], &[]);
        assert_eq!(verdicts(&place, &[]), ["tea: missing"]);
    }
}

/// What is read from a revision or an archive is not in the project.
#[test]
fn roots_that_are_no_folders() {
    let tree = tea().with("/project/skills/jam/SKILL.md", TEA.replace("tea", "jam"));
    let place = Place::of(tree).env("PATH", crate::program::PATH);
    let locked = "+ .agents/skills/tea\nlocked 1 skill in `skilltree.lock`\n";
    let mut tar = Command::new("tar");
    assert!(tar.args(["czf", "t.tgz", "skills"]).current_dir(place.at("project")).status().expect("tar").success());
    place.exact("an archive", &["lock", "--root", "t.tgz/skills"], 0, locked, "");
    std::fs::remove_file(place.at("project/skilltree.lock")).unwrap();
    if place.git(&["init", "--quiet"]) && place.git(&["add", "."]) && place.git(&["commit", "--quiet", "-m", "one"]) {
        place.exact("a revision", &["lock", "--root", "git:HEAD:skills"], 0, locked, "");
    }
}

/// What lies in a locked skill is a part of it, unless it came later.
#[test]
fn skills_in_skills() {
    let inner = |folder: &str| (format!("/project/{SKILL}/{folder}/SKILL.md"), TEA.replace("tea", "jam"));
    let lock = |tree: Tree| Place::locked(tree).read("project/skilltree.lock").unwrap();
    let (path, text) = inner("jam");
    let part = tea().with(&path, text);
    let lock_of_both = lock(part.clone());
    let paths = [SKILL, ".agents/skills/tea/jam", ".agents/skills/tea/node_modules/jam", ".agents/skills/tea/link/jam"];
    assert_eq!(
        verdicts(&Place::of(part.with("/project/skilltree.lock", lock_of_both)), &paths[..2]),
        ["jam: matches", "tea: matches"]
    );
    let place = Place::of(tea().with(&inner("jam").0, inner("jam").1));
    place.check("by a path", &["lock", ".agents"], 0, &["locked 2 skills in `skilltree.lock`"], &[]);
    place.check("in use", &["lock", "--check"], 0, &["2 of 2 skills as locked"], &[]);
    let lock_of_tea = lock(tea());
    for (folder, path) in [("jam", paths[1]), ("node_modules/jam", paths[2])] {
        let (at, text) = inner(folder);
        let place = Place::of(tea().with(&at, text).with("/project/skilltree.lock", lock_of_tea.as_str()));
        let verdicts = verdicts(&place, &[SKILL, path]);
        assert!(
            verdicts.iter().all(|told| !told.ends_with("matches")) && verdicts.len() == 2,
            "{folder}: {verdicts:?}"
        );
    }
    if cfg!(unix) {
        let tree = tea().with("/project/other/jam/SKILL.md", TEA.replace("tea", "jam"));
        let tree = tree.with_link(&format!("/project/{SKILL}/link"), "../../../other");
        let place = Place::of(tree.with("/project/skilltree.lock", lock_of_tea.as_str()));
        assert_eq!(verdicts(&place, &[SKILL, paths[3]]), ["jam: ", "tea: extra"]);
    }
}

/// A skill that is one file for its client is locked as such.
#[test]
fn skills_of_one_file() {
    let command = ".claude/commands/boil.md";
    let place = Place::of(tea().with(&format!("/project/{command}"), "---\ndescription: Boils.\n---\nBoil.\n"));
    let words = ["--dialect", "claude"];
    let keys = place.json(&["list", "--dialect", "claude"]).1;
    if !texts(&keys, "skills", "path").iter().any(|path| path.ends_with("boil.md")) {
        return skip("no client reads single files");
    }
    place.check("one file", &[&["lock"][..], &words].concat(), 0, &[command], &[]);
    assert!(verdicts(&place, &words).iter().any(|told| told == "boil: matches"), "{:?}", verdicts(&place, &words));
    place.write(&format!("project/{command}"), "---\ndescription: Burns.\n---\nBurn.\n");
    assert!(verdicts(&place, &words).iter().any(|told| told == "boil: differs"));
    place.check("changed", &[&["lock", "--check"][..], &words].concat(), 1, &["differs", command, "~boil.md"], &[]);
    // Its own path and that of a folder above it give the same verdict.
    for path in ["", ".", ".claude", ".claude/commands", command] {
        let path = [path].map(str::to_owned).into_iter().filter(|path| !path.is_empty()).collect::<Vec<_>>();
        let words = [&words[..], &path.iter().map(String::as_str).collect::<Vec<_>>()].concat();
        let required = [&["verify", "--require", "matches"][..], &words].concat();
        let told = ["boil", "differs", "~boil.md"];
        place.check(&format!("verify {path:?}"), &required, 1, &told, &[]);
        place.check(&format!("lock {path:?}"), &[&["lock", "--dry-run"][..], &words].concat(), 0, &["~ .claude"], &[]);
        let checked = [&["lock", "--check"][..], &words].concat();
        place.check(&format!("lock --check {path:?}"), &checked, 1, &["differs", command], &[]);
    }
    let new = ".claude/commands/brew.md";
    place.write(&format!("project/{new}"), "---\ndescription: Brews.\n---\nBrew.\n");
    let other = [&["lock", "--dry-run", ".agents"][..], &words].concat();
    let told = "+ .agents/skills/tea\nwould lock 2 skills in `skilltree.lock`\n";
    place.exact("another path", &other, 0, told, "");
    let told = "+ .claude/commands/brew.md\nlocked 2 skills in `skilltree.lock`\n";
    place.exact("a new file", &[&["lock", new][..], &words].concat(), 0, told, "");
    place.check("which is kept", &[&["verify", new][..], &words].concat(), 0, &["brew", "matches", "1 skill:"], &[]);
    let other = ["verify", new, "--dialect", "agentskills"];
    place.check("a client that reads no such files", &other, 2, &[], &["neither a directory nor a file"]);
}

/// A skill is named by its file in any letter case, or as one that another shadows.
#[test]
fn files_of_skills() {
    let small = ".agents/skills/milk/skill.md";
    let command = ".claude/commands/boil.md";
    let boil = "---\nname: boil\ndescription: Boils.\n---\nBoil.\n";
    let tree = Tree::default().with(&format!("/project/{small}"), TEA.replace("tea", "milk"));
    let tree = tree.with(&format!("/project/{command}"), boil).with("/home/.claude/skills/boil/SKILL.md", boil);
    let place = Place::of(tree);
    let client = |words: &[&'static str], path: &'static str| [words, &["--dialect", "claude", path]].concat();
    place.check("verify skill.md", &["verify", small], 0, &["milk", "no record"], &[]);
    place.exact(
        "lock skill.md",
        &["lock", small],
        0,
        "+ .agents/skills/milk\nlocked 1 skill in `skilltree.lock`\n",
        "",
    );
    for path in [command, ".claude/commands"] {
        place.check("verify what is shadowed", &client(&["verify"], path), 0, &["boil", "no record"], &[]);
        place.check(
            "lock what is shadowed",
            &client(&["lock", "--dry-run"], path),
            0,
            &["+ .claude/commands/boil.md"],
            &[],
        );
    }
}

/// A path of the project may have symlinks on the way there.
#[cfg(unix)]
#[test]
fn other_paths_to_the_project() {
    let command = ".claude/commands/boil.md";
    let tree = tea().with(&format!("/project/{command}"), "---\ndescription: Boils.\n---\nBoil.\n");
    let place = Place::of(tree.with_link("/link", "project"));
    let packed = place.say(&["pack", SKILL, "-o", "tea.skill"]);
    assert_eq!(packed.code, Some(0), "{}", packed.err);
    for (project, path) in [("project", "link"), ("link", "project")] {
        let at = |part: &str| place.named(&format!("{path}/{part}"));
        let (folder, command) = (at(SKILL), at(command));
        let words = ["--dialect", "claude", "--project", &place.named(project)];
        let says = |words_of: &[&str], told: &str| {
            place.check(project, &[words_of, &words].concat(), 0, &[told], &[]);
        };
        says(&["lock", "--dry-run", &folder], "+ .agents/skills/tea\n");
        says(&["lock", "--dry-run", &command], "+ .claude/commands/boil.md\n");
        says(&["verify", &folder], "tea");
        says(&["verify", &at("tea.skill")], "tea");
        says(&["verify", &command], "boil");
    }
}

/// A single file that cannot be read is missed below its folder, too.
#[cfg(unix)]
#[test]
fn skills_of_one_file_that_cannot_be_read() {
    let file = "project/.claude/commands/boil.md";
    let place = Place::of(tea().with(&format!("/{file}"), "---\ndescription: Boils.\n---\nBoil.\n"));
    for path in ["project", "project/.claude"] {
        let path = place.named(path);
        for (words, exit) in [(&["verify", "--require", "matches"][..], 1), (&["lock"], 2)] {
            let words = [words, &["--dialect", "claude", &path]].concat();
            let Some(said) = place.say_while_forbidden(file, &words) else { return };
            assert_eq!(said.code, Some(exit), "{words:?}: {}", said.err);
            assert!(said.err.contains("boil.md") && said.err.contains("permission denied"), "{words:?}: {}", said.err);
        }
    }
}

/// A lock of a stranger is not believed in part.
#[test]
fn locks_of_strangers() {
    let good = Place::locked(tea()).read("project/skilltree.lock").unwrap();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let many: Vec<String> = (0..25_000).map(|n| format!("\"s{n}\": {{}}")).collect();
    let entry = good.split_once("tea\": ").unwrap().1.rsplit_once("\n  },").unwrap().0;
    let at = |path: &str| format!("{{\"skills\": {{\"{path}\": {entry}}}, \"version\": 1}}");
    let cases = [
        ("nothing", String::new()),
        ("no JSON", "version: 1".to_owned()),
        ("a list", "[]".to_owned()),
        ("another version", good.replace("\"version\": 1", "\"version\": 2")),
        ("a version that is a text", good.replace("\"version\": 1", "\"version\": \"1\"")),
        ("no version", good.replace("\"version\": 1", "\"v\": 1")),
        ("skills as a list", "{\"skills\": [], \"version\": 1}".to_owned()),
        ("a skill that is a text", format!("{{\"skills\": {{\"{SKILL}\": \"x\"}}, \"version\": 1}}")),
        ("a key twice", good.replace("\"name\"", "\"name\": \"x\",\n      \"name\"")),
        ("a skill twice", format!("{{\"skills\": {{\"{SKILL}\": {entry}, \"{SKILL}\": {entry}}}, \"version\": 1}}")),
        ("the marks of a merge", format!("<<<<<<< HEAD\n{good}=======\n{good}>>>>>>> other\n")),
        ("another digest", good.replacen("sha256:", "sha256:0", 1)),
        ("a digest of other files", good.replace(&sha(BOIL), &sha("burn"))),
        ("a wrong digest", good.replacen(&good[50..60], "0000000000", 1)),
        ("files in another order", good.replace("\"SKILL.md\"", "\"zzz.md\"")),
        ("a file above", good.replace("\"SKILL.md\"", "\"../SKILL.md\"")),
        ("a size that is a text", good.replace("\"size\":", "\"size\":\"x\",\"s\":")),
        ("a negative size", good.replace("\"size\":", "\"size\":-")),
        ("no files", good.replace("\"files\"", "\"file\"")),
        ("deep", deep.clone()),
        ("deep facts", good.replace("\"facts\": {", &format!("\"facts\": {{\"x\": {deep},"))),
        ("many skills", format!("{{\"skills\": {{{}}}, \"version\": 1}}", many.join(","))),
        ("a path above", at("../tea")),
        ("a path of its own", at("/etc")),
        ("a path with a backslash", at("..\\\\tea")),
        ("a path with a drive", at("C:/tea")),
        ("the project", at("")),
        ("a path with dots", at(".agents/./skills/tea")),
    ];
    for (case, text) in cases {
        assert_ne!(text, good, "{case}: not a change");
        let place = Place::of(tea().with("/project/skilltree.lock", text.as_str()));
        assert_eq!(verdicts(&place, &[]), ["tea: unknown record"], "{case}");
        for words in [&["lock"][..], &["lock", "--check"], &["lock", "--dry-run"]] {
            place.check(case, words, 1, &[], &["is not a lock"]);
        }
        let required = place.say(&["verify", "--require", "matches"]);
        assert_eq!(required.code, Some(1), "{case}");
        assert_eq!(place.read("project/skilltree.lock"), Some(text), "{case}: it is kept");
    }
    let large = Place::of(tea().with_sparse("/project/skilltree.lock", 1 << 32));
    assert_eq!(verdicts(&large, &[]), ["tea: unknown record"]);
    assert_eq!(large.say(&["lock", "--check"]).code, Some(1));
    let elsewhere = Place::of(tea().with("/project/skilltree.lock", at(".agents/skills/pot")));
    assert_eq!(verdicts(&elsewhere, &[]), ["tea: missing", "tea: "]);
    // What a lock does not know of is passed over.
    let more = good.replace("\"name\"", "\"more\": [1],\n      \"name\"");
    assert_eq!(verdicts(&Place::of(tea().with("/project/skilltree.lock", more)), &[]), ["tea: matches"]);
}

/// Whatever the files are: they match their lock, and no longer when one of them is changed, and whoever changes them can lock them anew,
/// which never says more than that they match.
#[test]
fn any_files() {
    const NAMES: [&str; 6] = ["a", "b.txt", "sub/c", "sub/d.bin", "é", "z-"];
    let bytes = || vec(proptest::sample::select(b"ab\n\r\0\xff".to_vec()), 0..40);
    let files = (vec(bytes(), NAMES.len()), 0..NAMES.len(), any::<bool>());
    property::check("any_files", 24, files, |(contents, which, is_first)| {
        let at = |name: &str| format!("/project/{SKILL}/{name}");
        let named = NAMES.iter().zip(contents);
        let place = Place::locked(named.fold(tea(), |tree, (name, bytes)| tree.with(&at(name), bytes)));
        prop_assert_eq!(verdicts(&place, &[]), ["tea: matches"]);
        let changed = place.at(&at(NAMES[which]));
        let mut bytes = std::fs::read(&changed).unwrap();
        bytes.insert(if is_first { 0 } else { bytes.len() }, b'\n');
        std::fs::write(&changed, bytes).unwrap();
        prop_assert_eq!(verdicts(&place, &[]), ["tea: differs"]);
        prop_assert_eq!(place.say(&["lock", "--check"]).code, Some(1));
        prop_assert_eq!(place.say(&["lock"]).code, Some(0));
        prop_assert_eq!(verdicts(&place, &[]), ["tea: matches"]);
        Ok(())
    });
}

/// A file of the signatures that we made of the lock of [`tea`].
fn made(name: &str) -> String {
    std::fs::read_to_string(root().join("testdata/signatures/lock").join(name)).unwrap()
}

/// A project with the lock that was signed, a signature beside it, and a file of keys that may be trusted.
fn signed(tree: Tree, signature: &str) -> Place {
    let tree =
        tree.with("/project/skilltree.lock", made("skilltree.lock")).with("/allowed_signers", made("allowed_signers"));
    Place::of(tree.with("/project/skilltree.lock.sig", signature))
}

const TRUST: [&str; 2] = ["--trust-root", "../allowed_signers"];

#[test]
fn signatures() {
    let own = made("own.sig");
    let place = signed(tea(), &own);
    assert_eq!(verdicts(&place, &[]), ["tea: foreign root"]);
    let fields = [
        ("skills.0.records.0.verdict", "\"verified\""),
        ("skills.0.records.0.signer.subject", "\"ops@acme.example\""),
        ("skills.0.records.1", "-"),
    ];
    place.fields("trusted", &[&["verify", "--require", "signature"][..], &TRUST].concat(), 0, &fields);
    place.check("not trusted", &["verify", "--require", "signature"], 1, &["foreign root"], &[]);
    place.check("the lock itself", &["lock", "--check"], 0, &["1 of 1 skill as locked"], &[]);
    std::fs::remove_file(place.at("project/skilltree.lock.sig")).unwrap();
    assert_eq!(verdicts(&place, &TRUST), ["tea: matches"]);
    let skill = |name: &str| format!("/project/{SKILL}/{name}");
    let cases = [
        (
            "another file",
            tea().without(&skill("scripts/boil")).with(&skill("scripts/boil"), "burn\n"),
            own.clone(),
            "tea: differs",
        ),
        ("a file more", tea().with(&skill("new.md"), "x"), own.clone(), "tea: extra"),
        ("a file less", tea().without(&skill("scripts/boil")), own.clone(), "tea: differs"),
        (
            "other line endings",
            tea().without(&skill("SKILL.md")).with(&skill("SKILL.md"), TEA.replace('\n', "\r\n")),
            own.clone(),
            "tea: differs",
        ),
        ("another key", tea(), made("other.sig"), "tea: foreign root"),
        ("another purpose", tea(), made("other-namespace.sig"), "tea: invalid"),
        ("no signature", tea(), String::new(), "tea: invalid"),
        ("a part of one", tea(), own[..own.len() / 2].to_owned(), "tea: invalid"),
        ("a large one", tea(), own.repeat(1_000), "tea: invalid"),
    ];
    for (case, tree, signature, expected) in cases {
        assert_eq!(verdicts(&signed(tree, &signature), &TRUST), [expected], "{case}");
    }
    // The lock as it was signed, to the byte.
    let place = signed(tea(), &own);
    place.write("project/skilltree.lock", &(made("skilltree.lock") + "\n"));
    assert_eq!(verdicts(&place, &TRUST), ["tea: invalid"]);
    // A skill that it does not name.
    let place = signed(tea().with("/project/.agents/skills/jam/SKILL.md", TEA.replace("tea", "jam")), &own);
    assert_eq!(verdicts(&place, &TRUST), ["jam: ", "tea: verified"]);
    place.check("not all", &[&["verify", "--require", "signature"][..], &TRUST].concat(), 1, &["1 verified"], &[]);
    // A part of the project has a lock of its own.
    let below = tea()
        .with("/project/app/skilltree.lock", made("skilltree.lock"))
        .with("/allowed_signers", made("allowed_signers"));
    let below = below
        .with(&format!("/project/app/{SKILL}/SKILL.md"), TEA)
        .with(&format!("/project/app/{SKILL}/scripts/boil"), BOIL);
    let place = Place::of(below.with("/project/app/skilltree.lock.sig", own.as_str()));
    assert_eq!(verdicts(&place, &[&["."][..], &TRUST].concat()), ["tea: ", "tea: verified"]);
    if cfg!(unix) {
        let lock = || {
            tea()
                .with("/project/skilltree.lock", made("skilltree.lock"))
                .with("/allowed_signers", made("allowed_signers"))
        };
        let link = lock().with("/outside.sig", own.as_str()).with_link("/project/skilltree.lock.sig", "../outside.sig");
        assert_eq!(verdicts(&Place::of(link), &TRUST), ["tea: invalid"]);
        let fifo = lock().with_other("/project/skilltree.lock.sig");
        assert_eq!(verdicts(&Place::of(fifo), &TRUST), ["tea: invalid"]);
    }
}

/// Whoever changes a skill can lock it anew, and has no key: it is never verified.
#[test]
fn what_is_locked_anew_is_not_verified() {
    let changes = (".{0,40}", 0..400usize, any::<u8>(), any::<bool>());
    property::check("what_is_locked_anew_is_not_verified", 48, changes, |(text, at, byte, is_lock_changed)| {
        let mut signature = made("own.sig").into_bytes();
        // With the signature as it is, or with another byte in it.
        if let Some(place) = signature.get_mut(at) {
            *place = byte;
        }
        let place = signed(tea(), "");
        std::fs::write(place.at("project/skilltree.lock.sig"), signature).unwrap();
        place.write(&format!("project/{SKILL}/SKILL.md"), &format!("{TEA}{text}."));
        if is_lock_changed {
            prop_assert_eq!(place.say(&["lock"]).code, Some(0));
        }
        let said = place.say(&[&["verify", "--json"][..], &TRUST].concat());
        prop_assert!(said.code == Some(0) && !said.out.contains("verified"), "{}", said.out);
        Ok(())
    });
}

/// What a trusted signer has locked is approved at once, and nothing besides.
#[test]
fn approvals_by_a_signed_lock() {
    let jam = TEA.replace("tea", "jam");
    let tree = tea()
        .with("/project/.agents/skills/jam/SKILL.md", jam)
        .with(&format!("/project/{SKILL}/scripts/say.sh"), "echo hot\n");
    let bare = Place::of(tree.clone());
    bare.check("no lock", &["approve", "--verified"], 1, &[], &["there is no `skilltree.lock`"]);
    assert_eq!(bare.say(&["lock"]).code, Some(0));
    bare.check(
        "no signature",
        &["approve", "--verified"],
        1,
        &[],
        &["`skilltree.lock` is not signed", "ssh-keygen -Y sign"],
    );
    bare.check("a skill and all", &["approve", "--verified", "tea"], 2, &[], &["cannot be used with"]);
    bare.check("neither", &["approve"], 2, &[], &["required"]);
    let place = signed(tea().with("/project/.agents/skills/jam/SKILL.md", TEA.replace("tea", "jam")), &made("own.sig"));
    place.check(
        "not trusted",
        &["approve", "--verified"],
        1,
        &[],
        &["the signature of `skilltree.lock` is not verified: foreign root"],
    );
    assert_eq!(place.say(&["trust", "../allowed_signers"]).code, Some(0));
    let dry = ["would approve tea", "1 skill in a lock that ops@acme.example has signed"];
    place.check(
        "a dry run",
        &["approve", "--verified", "--dry-run"],
        0,
        &dry,
        &["`jam` is not approved: the lock does not name it"],
    );
    place.check("not yet", &["approve", "--revoke", "tea"], 0, &[], &["`tea` is not approved"]);
    let fields = [
        ("signer.subject", "\"ops@acme.example\""),
        ("approved.0.key", "\"tea\""),
        ("approved.1", "-"),
        ("refused.0.key", "\"jam\""),
    ];
    place.fields("approved", &["approve", "--verified"], 0, &fields);
    place.check("it is approved", &["approve", "--revoke", "tea"], 0, &["no longer approved: tea"], &[]);
    // Other line endings are other bytes.
    place.write(&format!("project/{SKILL}/SKILL.md"), &TEA.replace('\n', "\r\n"));
    let refused = ["`jam` is not approved", "`tea` is not approved: its files are not those of the lock"];
    place.check("other line endings", &["approve", "--verified"], 0, &["0 skills"], &refused);
    place.check("it is not approved", &["approve", "--revoke", "tea"], 0, &[], &["`tea` is not approved"]);
    place.write(&format!("project/{SKILL}/SKILL.md"), TEA);
    for (case, path) in [("a file more", "new.md"), ("a file deeper", "scripts/deep/er.md")] {
        place.write(&format!("project/{SKILL}/{path}"), "x");
        place.check(case, &["approve", "--verified"], 0, &["0 skills"], &refused);
        std::fs::remove_file(place.at(&format!("project/{SKILL}/{path}"))).unwrap();
    }
}

/// What `ssh-keygen` signs here and now.
#[test]
fn what_ssh_keygen_signs() {
    let place = Place::locked(tea());
    let run = |words: &[&str]| {
        let mut command = Command::new("ssh-keygen");
        command.args(words).current_dir(place.at("project")).stdin(std::process::Stdio::null());
        command.output().is_ok_and(|done| done.status.success())
    };
    let key = place.named("key");
    if !run(&["-q", "-N", "", "-C", "", "-t", "ed25519", "-f", &key]) {
        return skip("there is no ssh-keygen");
    }
    assert!(run(&["-q", "-Y", "sign", "-f", &key, "-n", "skilltree-lock", "skilltree.lock"]));
    let public = std::fs::read_to_string(place.at("key.pub")).unwrap();
    std::fs::write(place.at("allowed_signers"), format!("me@acme.example {public}")).unwrap();
    assert_eq!(verdicts(&place, &TRUST), ["tea: verified"]);
}

/// Every skill of real projects can be locked, and then matches; a copy of it is locked, as the real ones are not written.
#[test]
#[allow(clippy::print_stdout, reason = "the counts are also said")]
fn real_projects() {
    let Some(folder) = real_data("SKILLTREE_SUPPLY", "records") else { return };
    let mut counts = (0, 0, 0);
    for case in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
        let project = case.join("project");
        if !project.is_dir() {
            continue;
        }
        let copy = TempDir::new("locked");
        copied(&project, copy.path());
        let run = |words: &[&str]| {
            let mut command = Command::new(crate::program::BINARY);
            command.args(words).arg("--project").arg(copy.path()).current_dir(copy.path()).env_clear();
            said(command.arg("--home").arg(case.join("none")).env("SKILLTREE_CONFIG", copy.path()))
        };
        let done = run(&["lock", ".", "--json"]);
        assert_eq!(done.code, Some(0), "{}: {}{}", case.display(), done.out, done.err);
        let skills = texts(&done.json(), "skills", "path").len();
        let verified = run(&["verify", ".", "--json"]).json();
        let Some(Json::List(found)) = verified.get("skills") else { panic!("{verified}") };
        let mut matching = 0;
        for record in found.iter().filter_map(|skill| skill.get("records")) {
            let Json::List(records) = record else { panic!("{record}") };
            for record in records.iter().filter(|record| field(record, "kind") == "\"skilltree-lock\"") {
                assert_eq!(field(record, "verdict"), "\"matches\"", "{}: {record}", case.display());
                matching += 1;
            }
        }
        assert_eq!(matching, skills, "{}", case.display());
        let checked = run(&["lock", ".", "--check"]);
        assert_eq!(checked.code, Some(0), "{}: {}", case.display(), checked.out);
        let bytes = std::fs::metadata(copy.path().join("skilltree.lock")).unwrap().len();
        counts = (counts.0 + 1, counts.1 + skills, counts.2 + bytes);
    }
    println!("{} projects, {} skills, {} bytes of locks", counts.0, counts.1, counts.2);
    assert!(counts.1 >= 100, "{counts:?}");
}

fn copied(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (kind, to) = (entry.file_type().unwrap(), to.join(entry.file_name()));
        if kind.is_dir() {
            copied(&entry.path(), &to);
        } else if kind.is_file() {
            std::fs::copy(entry.path(), to).unwrap();
        } else {
            #[cfg(unix)]
            std::os::unix::fs::symlink(std::fs::read_link(entry.path()).unwrap(), to).unwrap();
        }
    }
}
