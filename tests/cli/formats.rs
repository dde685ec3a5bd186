//! The formats of `check`: each on one project against what is expected (`UPDATE=1` writes it anew), file names that a
//! format has to escape, files in archives, and SARIF, also that of `verify`, against its schema.

use crate::common;
use crate::raw::{build, file};

use crate::program::{Place, Said, error_code, field, holds, names};
use common::Tree;
use common::runtimes::{installed, runtime};
use pretty_assertions::assert_eq;
use skilltree::{Code, Json};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const LOST: &str = "---\nname: lost\n---\nText.\n";
const MENDED: &str = "---\nname: mended\ndescription: Use when: always\n---\nText.\n";

fn testdata() -> PathBuf {
    crate::common::root().join("testdata/formats")
}

/// The project of the folder `testdata/formats`.
fn project() -> Place {
    let (root, mut tree, mut waiting) = (testdata(), Tree::default(), vec![testdata().join("project")]);
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).expect("a folder can be listed") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let inside = path.strip_prefix(&root).expect("below").to_string_lossy().replace('\\', "/");
                tree = tree.with(&format!("/{inside}"), fs::read(&path).expect("a file can be read"));
            }
        }
    }
    Place::of(tree)
}

/// A log, without what is long and the same in every log of a version.
pub(crate) fn shortened(log: &Json) -> String {
    let mut log = log.clone();
    let keeps = |name: &str| !matches!(name, "help" | "fullDescription" | "version" | "semanticVersion");
    let mut waiting = vec![&mut log];
    while let Some(json) = waiting.pop() {
        match json {
            Json::Map(fields) => {
                fields.retain(|(name, _)| keeps(name));
                waiting.extend(fields.iter_mut().map(|(_, value)| value));
            }
            Json::List(items) => waiting.extend(items),
            _ => {}
        }
    }
    format!("{log:#}\n")
}

#[cfg(unix)]
#[test]
fn each_format() {
    let place = project();
    for (format, options) in [
        ("text", &[][..]),
        ("quiet", &["--quiet"]),
        ("json", &["--format", "json"]),
        ("github", &["--format=github"]),
        ("github-quiet", &["--format=github", "-q"]),
        ("sarif", &["--format", "sarif"]),
    ] {
        let said = place.say(&[&["check", "--strict"], options].concat());
        let out = if format == "sarif" { shortened(&said.json()) } else { said.out };
        let text = format!("{out}-- standard error\n{}-- exit code {}\n", said.err, said.code.unwrap_or(-1));
        let text = text.replace(&place.named("project"), "/project");
        let path = testdata().join(format!("{format}.txt"));
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, &text).expect("a transcript can be written");
        }
        assert_eq!(text, fs::read_to_string(&path).unwrap_or_default(), "{format}; run with UPDATE=1");
    }
}

#[test]
fn json_by_either_option() {
    let place = project();
    let [long, short] = [&["check", "--format=json"][..], &["--json", "check"]].map(|words| place.say(words));
    assert_eq!((long.code, &long.out, &long.err), (short.code, &short.out, &short.err));
    let both = place.say(&["check", "--json", "--format", "json"]);
    assert_eq!(both.out, long.out);
    let failed = place.say(&["check", "nowhere", "--format=json"]);
    assert_eq!((failed.code, error_code(&failed.json())), (Some(2), Some("file-system")));
    let other = place.say(&["check", "--json", "--format", "sarif"]);
    assert_eq!((other.code, error_code(&other.json())), (Some(2), Some("usage")));
    for usage in [&["check", "--format=json", "--bogus"][..], &["check", "--bogus", "--format", "json"]] {
        let usage = place.say(usage);
        assert_eq!((usage.code, error_code(&usage.json())), (Some(2), Some("usage")));
    }
    place.check("a format that is none", &["check", "--format", "xml"], 2, &[], &["xml", "sarif", "github"]);
    place.check("what cannot be checked", &["check", "nowhere", "--format", "sarif"], 2, &[], &["error: "]);
}

/// The run of a log.
fn run_of(said: &Said) -> Json {
    match said.json().get("runs") {
        Some(Json::List(runs)) if runs.len() == 1 => runs[0].clone(),
        other => panic!("one run: {other:?}"),
    }
}

/// The locations of a log.
fn uris(said: &Said) -> Vec<String> {
    let Some(Json::List(results)) = run_of(said).get("results").cloned() else { panic!("no results: {}", said.out) };
    let uri = |result: &Json| field(result, "locations.0.physicalLocation.artifactLocation.uri");
    results.iter().map(|result| uri(result).trim_matches('"').to_owned()).collect()
}

#[test]
fn rules_say_what_a_code_means() {
    let said = project().say(&["check", "--strict", "--format", "sarif"]);
    let run = run_of(&said);
    let Some(Json::List(rules)) = run.get("tool").and_then(|tool| tool.get("driver")?.get("rules")) else {
        panic!("no rules: {run}")
    };
    let Some(Json::List(results)) = run.get("results") else { panic!("no results: {run}") };
    assert_eq!(field(&run, "tool.driver.version"), format!("{:?}", env!("CARGO_PKG_VERSION")));
    for rule in rules {
        let id = rule.get("id").and_then(Json::as_text).expect("an identifier");
        let code = Code::named(id).expect("a code");
        let text = |path: &str| path.split('.').try_fold(rule, |json, name| json.get(name)).and_then(Json::as_text);
        let explanation = code.explanation().trim_end();
        assert_eq!(text("shortDescription.text"), explanation.lines().next(), "{id}");
        assert_eq!(text("help.text"), Some(explanation), "{id}");
        assert_eq!(text("help.markdown"), Some(explanation), "{id}");
        let full = text("fullDescription.text").expect("a description");
        assert!(!full.is_empty() && !full.contains("```") && !full.starts_with('\n'), "{id}: {full}");
    }
    for result in results {
        let rule = &rules[field(result, "ruleIndex").parse::<usize>().expect("an index")];
        assert_eq!(rule.get("id"), result.get("ruleId"));
    }
    let fingerprints: Vec<String> = results.iter().map(|result| field(result, "partialFingerprints")).collect();
    let mut unique = fingerprints.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), fingerprints.len(), "each result has its own fingerprint");
}

#[test]
fn nothing_found() {
    let place = Place::of(Tree::default().with("/project/a/SKILL.md", "---\nname: a\ndescription: D\n---\n"));
    let said = place.say(&["check", "a", "--format", "sarif"]);
    assert_eq!((said.code, said.err.as_str()), (Some(0), "no findings\n"));
    let run = run_of(&said);
    assert_eq!((field(&run, "results"), field(&run, "tool.driver.rules")), ("[]".to_owned(), "[]".to_owned()));
    place.exact("no commands", &["check", "a", "--format", "github"], 0, "", "no findings\n");
}

#[test]
fn outside_of_the_project() {
    let place =
        Place::of(Tree::default().files(&[("/project/sub/lost/SKILL.md", LOST), ("/other/b c/lost/SKILL.md", LOST)]));
    let github = |words: &[&str]| place.say(&[&["check", "--format=github"], words].concat()).out;
    holds("below the working directory", &github(&["sub"]), &["::error file=sub/lost/SKILL.md,"]);
    let other = place.named("other/b c/lost/SKILL.md").replace('%', "%25").replace(':', "%3A").replace(',', "%2C");
    holds("elsewhere", &github(&["../other"]), &[&format!("::error file={other},")]);
    let sarif = |words: &[&str]| place.say(&[&["check", "--format=sarif"], words].concat());
    assert_eq!(uris(&sarif(&["sub"])), ["sub/lost/SKILL.md"]);
    let [elsewhere] = &uris(&sarif(&["../other"]))[..] else { panic!("one result") };
    assert!(elsewhere.starts_with("file:///") && elsewhere.ends_with("/other/b%20c/lost/SKILL.md"), "{elsewhere}");
    let run = run_of(&sarif(&["sub", "--project", "../other"]));
    let location = "results.0.locations.0.physicalLocation.artifactLocation";
    assert_eq!(field(&run, &format!("{location}.uri")), "\"sub/lost/SKILL.md\"");
    assert_eq!(field(&run, &format!("{location}.uriBaseId")), "\"WORKINGDIRECTORY\"");
    assert_eq!(names(run.get("originalUriBaseIds").expect("bases")), ["%SRCROOT%", "WORKINGDIRECTORY"]);
    let none = run_of(&sarif(&["../home"]));
    assert_eq!(field(&none, "results.0.ruleId"), "\"no-skill\"", "a folder");
}

#[cfg(unix)]
#[test]
fn names_that_are_escaped() {
    let cases = [
        ("a\nb", "a%0Ab", "a%0Ab"),
        ("a\r::error::x", "a%0D%3A%3Aerror%3A%3Ax", "a%0D%3A%3Aerror%3A%3Ax"),
        ("100%", "100%25", "100%25"),
        ("c:d,e", "c%3Ad%2Ce", "c%3Ad%2Ce"),
        ("a b#c?d", "a b#c?d", "a%20b%23c%3Fd"),
        ("grün\u{202e}", "grün\u{202e}", "gr%C3%BCn%E2%80%AE"),
        ("a\u{1b}[31mb", "a\\u{1b}[31mb", "a%1B%5B31mb"),
    ];
    for (name, property, uri) in cases {
        let place = Place::of(Tree::default().with(&format!("/project/{name}/SKILL.md"), LOST));
        let github = place.say(&["check", ".", "--format=github"]);
        let expect = format!("::error file={property}/SKILL.md,line=1,endLine=1,col=1,title=description-missing::");
        let lines: Vec<&str> = github.out.lines().collect();
        assert!(lines.iter().all(|line| line.starts_with("::") && line.contains(&format!("file={property}/SKILL.md"))));
        assert!(github.out.contains(&expect) || github.out.contains(&expect.replace(",line=1,endLine=1,col=1", "")));
        assert!(!github.out.contains('\r'), "{:?}", github.out);
        let sarif = place.say(&["check", ".", "--format=sarif"]);
        assert!(uris(&sarif).iter().all(|found| *found == format!("{uri}/SKILL.md")), "{:?}", uris(&sarif));
        assert!(!sarif.out.contains("\u{202e}"), "{}", sarif.out);
    }
}

/// A name that is not UTF-8 is reported at the folder that holds it.
#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::of(Tree::default().with("/project/skills/a/SKILL.md", LOST));
    let odd = place.at("project/skills").join(std::ffi::OsStr::from_bytes(b"b\xff"));
    fs::create_dir(&odd).expect("a folder can be made");
    fs::write(odd.join("SKILL.md"), LOST).expect("a file can be written");
    for format in ["text", "json", "sarif", "github"] {
        let said = place.say(&["check", "skills", "--format", format]);
        assert_eq!(said.code, Some(1), "{}", said.err);
        holds(format, &said.out, &["path-not-utf8"]);
    }
}

/// A message that quotes a file cannot add a command, a link or a placeholder.
#[test]
fn messages_that_are_escaped() {
    let hostile = "---\nname: \"a%0A::error::[x](http://y) {0}\"\ndescription: D\n---\n";
    let place = Place::of(Tree::default().with("/project/a/SKILL.md", hostile));
    let github = place.say(&["check", "a", "--format=github"]).out;
    assert!(github.lines().all(|line| line.starts_with("::error file=a/SKILL.md,line=2,")), "{github}");
    holds("percent", &github, &["a%250A::error::[x](http://y) {0}"]);
    let sarif = place.say(&["check", "a", "--format=sarif"]).out;
    holds("no link and no placeholder", &sarif, &["[x] (http://y) {{0}}"]);
}

#[test]
fn in_an_archive() {
    let archive = build(&[file("tea/SKILL.md", MENDED)]);
    let place = Place::of(Tree::default().with("/project/my tea.skill", archive));
    let github = place.say(&["check", "my tea.skill", "--format=github"]).out;
    let expect = "::warning file=my tea.skill,title=yaml-repaired::tea/SKILL.md:3:22: ";
    assert!(github.lines().any(|line| line.starts_with(expect)), "{github}");
    let said = place.say(&["check", "my tea.skill", "--format=sarif"]);
    assert!(uris(&said).iter().all(|uri| uri == "my%20tea.skill"), "{}", said.out);
    let run = run_of(&said);
    let Some(Json::List(results)) = run.get("results") else { panic!("no results: {run}") };
    let result = results.iter().find(|result| field(result, "ruleId") == "\"yaml-repaired\"").expect("a result");
    assert_eq!(field(result, "fixes"), "-", "a line of the archive cannot be replaced");
    assert_eq!(field(result, "locations.0.physicalLocation.region"), "-");
    assert_eq!(field(result, "locations.0.logicalLocations.0.fullyQualifiedName"), "\"tea/SKILL.md\"");
    holds("the place", &field(result, "message.text"), &["tea/SKILL.md:3:22: "]);
}

#[test]
fn sarif_is_valid() {
    let (Some(python), Some(schema)) = (runtime("python"), installed("sarif-2.1.0.json")) else { return };
    let archive = build(&[file("tea/SKILL.md", MENDED)]);
    let more = Place::of(Tree::default().with("/project/a b[1]/SKILL.md", LOST).with("/project/my tea.skill", archive));
    let (project, verified) = (project(), crate::verify_sarif::project());
    let logs = [
        project.say(&["check", "--strict", "--format=sarif"]),
        project.say(&["check", "--strict", "--format=sarif", "--project", "../home", "."]),
        more.say(&["check", ".", "my tea.skill", "../home", "--format=sarif"]),
        more.say(&["check", "--format=sarif"]),
        verified.say(&["verify", "--format=sarif"]),
        verified.say(&["verify", "--format=sarif", "--project", "../home", "."]),
        more.say(&["verify", "--format=sarif", "--require", "signature", "."]),
    ];
    let program = "import json, sys, jsonschema\n\
        schema = json.load(open(sys.argv[1], encoding='utf-8'))\n\
        kind = jsonschema.validators.validator_for(schema)\n\
        checks = kind.FORMAT_CHECKER\n\
        assert {'uri', 'uri-reference'} <= set(checks.checkers), 'formats are checked'\n\
        kind = kind(schema, format_checker=checks)\n\
        for name in sys.argv[2:]:\n\
        \x20 for error in kind.iter_errors(json.load(open(name, encoding='utf-8'))): print(name, error.json_path, error.message)\n";
    let files: Vec<_> = (0..logs.len()).map(|n| project.at(&format!("home/{n}.sarif"))).collect();
    for (file, said) in files.iter().zip(&logs) {
        assert!(matches!(said.code, Some(0 | 1)), "{}", said.err);
        fs::write(file, &said.out).expect("a log can be written");
    }
    let done = Command::new(&python).args(["-c", program]).arg(schema).args(&files).output().expect("python starts");
    let told = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && told.is_empty(), "{told}");
}

/// The hook for the pre-commit framework, which appends the names of the changed files.
#[test]
fn the_hook_of_pre_commit() {
    let hooks = crate::common::root().join(".pre-commit-hooks.yaml");
    let hooks = fs::read_to_string(hooks).expect("the hooks can be read");
    let entry = hooks.lines().find_map(|line| line.trim().strip_prefix("entry: skilltree ")).expect("an entry");
    let args = hooks.lines().find_map(|line| line.trim().strip_prefix("args: ")).expect("arguments");
    let skilltree::Json::List(args) = skilltree::Json::parse(args).expect("a list in YAML's flow style") else {
        panic!("{args}")
    };
    let words: Vec<&str> = entry.split(' ').chain(args.iter().filter_map(skilltree::Json::as_text)).collect();
    let (mended, lost) = (".agents/skills/mended/SKILL.md", ".agents/skills/lost/SKILL.md");
    let place = project();
    place.check("a warning", &[&words[..], &[mended]].concat(), 0, &["1 warning\n"], &[]);
    place.check("an error", &[&words[..], &[mended, lost]].concat(), 1, &["1 error, 1 warning\n"], &[]);

    // The names come from whoever made the commit.
    for name in ["--fix=all", "--baseline=x.skill", "--update-baseline", "--format=json", "--help"] {
        let path = format!("{name}/SKILL.md");
        for asked in [name, path.as_str()] {
            let said = place.say(&[&words[..], &[asked, lost]].concat());
            assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{asked}: {}", said.err);
            assert!(said.err.contains(asked), "{asked} is taken as a file: {}", said.err);
        }
    }
    let made = "--fix=all/SKILL.md";
    fs::create_dir(place.at("project/--fix=all")).expect("a folder");
    fs::write(place.at(&format!("project/{made}")), "---\nname: Mend Me\ndescription: x\n---\n").expect("a file");
    let before = place.read(&format!("project/{made}"));
    place.check("a file of such a name", &[&words[..], &[made]].concat(), 1, &["name-invalid"], &[]);
    assert_eq!(place.read(&format!("project/{made}")), before, "nothing is mended");
}
