//! The texts of all codes: each has the form that `explain` and the page expect, and its examples are checked: the bad one has
//! the finding, the good one has not. In memory and on the disk.

use crate::common;

use common::ground::{Ground, SOURCES, on, table};
use common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::{
    Caller, Catalog, CheckRequest, Code, Diagnostic, Example, Explanation, LoadRequest, Outcome, PromptRequest,
    Severity, World, check, discover, load, why,
};
use std::collections::BTreeSet;
use std::fs;

/// Codes whose cause is not the text of a few files, and the tests of them.
const ELSEWHERE: &[(Code, &str, &str)] = &[
    (Code::TooLarge, "tests/manifest.rs", "rule 4.1: over {most} bytes"),
    (Code::NotUtf8, "tests/manifest.rs", "not-utf8"),
    (Code::ControlCharacter, "tests/marks.rs", "control-character 3:15"),
    (Code::ByteOrderMark, "tests/marks.rs", "byte-order-mark 1:1"),
    (Code::ScanTruncated, "tests/scan.rs", "scan-truncated"),
    (Code::Unreadable, "tests/scan.rs", "error unreadable b"),
    (Code::PathNotUtf8, "tests/scan.rs", "rule 3.14: path-not-utf8"),
    (Code::SourceUnreadable, "tests/scan/sources.rs", "error source-unreadable"),
    (Code::TooManyPatterns, "tests/select.rs", "too-many-patterns"),
    (Code::PatternUnsupported, "tests/select.rs", "pattern-unsupported"),
    (Code::ActivationCollision, "tests/activate.rs", "activation-collision"),
    (Code::ActivationKey, "tests/activate.rs", "error activation-key"),
    (Code::ForeignEntry, "tests/activate.rs", "warning foreign-entry"),
    (Code::CopyFailed, "tests/activate.rs", "warning copy-failed"),
    (Code::TextAfterBlanks, "tests/facts.rs", "text-after-blanks"),
    (Code::CompiledFile, "tests/facts.rs", "compiled-file"),
    (Code::PackedFile, "tests/facts.rs", "packed-file"),
    (Code::ToolsetFailed, "tests/host_toolset/broken.rs", "toolset-failed"),
    (Code::ToolInvalid, "tests/host_toolset/forms.rs", "tool-invalid"),
    (Code::ToolNameTaken, "tests/host_toolset/broken.rs", "tool-name-taken"),
    (Code::NotRead, "tests/lean.rs", "warning not-read"),
    (Code::LookedNoFurther, "tests/beyond.rs", "looked-no-further"),
    (Code::SettingUndone, "tests/settings.rs", "setting-undone"),
    (Code::LeftOut, "tests/why.rs", "rule 8.6: left out"),
    (Code::NotCovered, "tests/contents.rs", "note not-covered"),
    (Code::NotServed, "tests/serve.rs", "not-served"),
    (Code::EntryRefused, "tests/cli/pack.rs", "entry-refused"),
    (Code::DialectFile, "tests/dialect_file.rs", "dialect-file"),
];

fn is_elsewhere(code: Code) -> bool {
    ELSEWHERE.iter().any(|(other, ..)| *other == code)
}

fn in_repository(file: &str) -> String {
    let path = crate::common::root().join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn explained(code: Code) -> Explanation<'static> {
    Explanation::of(code.explanation())
}

/// Where a file of an example is: below the source, or below the project if its path begins with a dot, or outside of both.
fn at(name: &str, source: &str) -> String {
    match name.chars().next() {
        Some('.') => format!("/p/{name}"),
        Some('/') => name.to_owned(),
        _ => format!("{source}/{name}"),
    }
}

/// The files of an example in the source of a dialect.
fn placed(example: &Example<'_>, source: &str) -> Ground {
    let mut tree = Tree::default().with_dir(source);
    for (file, text) in &example.files {
        tree = match file.strip_prefix("link ").and_then(|link| link.split_once(" -> ")) {
            Some((name, target)) => tree.with_link(&at(name, source), target),
            None => tree.with(&at(file, source), *text),
        };
    }
    let mut ground = on(tree);
    ground.places.project_choices = vec![path("/p/.skilltree/skilltree.yaml")];
    ground
}

/// What is found in an example: by discovery, by checks of all sources and of the folder, when a skill is loaded, and when
/// somebody asks why. Only what is asked of `why` has no severity.
fn found(code: Code, example: &Example<'_>, rules: &Example<'_>) -> BTreeSet<(Code, Option<Severity>)> {
    let dialect = rules.dialect.unwrap_or("agentskills");
    let (_, source) = SOURCES.iter().find(|(name, _)| *name == dialect).unwrap_or_else(|| panic!("{code}: {dialect}"));
    let strict = CheckRequest { strict: rules.strict };
    placed(example, source).ask(code.as_str(), |world| {
        let dialect = table(dialect);
        let catalog = discover(world, &dialect);
        let mut findings = catalog.findings().to_vec();
        for paths in [&[][..], &[path(source)]] {
            findings.extend(check(world, &dialect, paths, &strict).expect("the folder is there"));
        }
        for skill in catalog.skills() {
            let loaded = load(world, &catalog, skill, &LoadRequest::new(Caller::User));
            findings.extend(loaded.map(|loaded| loaded.findings).unwrap_or_default());
        }
        let mut found: BTreeSet<_> = findings.iter().map(|finding| (finding.code, Some(finding.severity))).collect();
        for (file, _) in &example.files {
            let outcomes = why(world, &catalog, &at(file, source), &PromptRequest::default());
            found.extend(outcomes.iter().filter_map(|one| Some((one.code?, None))));
        }
        found
    })
}

#[test]
fn every_text_has_its_form() {
    for code in Code::ALL {
        let text = code.explanation();
        let parts = explained(*code);
        let is_sentence = |line: &str| line.ends_with('.') && !line.trim_end_matches('.').contains(". ");
        assert!(is_sentence(parts.summary), "{code}: the first line is one sentence: {}", parts.summary);
        let paragraphs: Vec<&str> = parts.text.split("\n\n").collect();
        assert!(paragraphs.len() >= 3 && paragraphs[0] == parts.summary, "{code}: a line, and why it matters");
        assert!(paragraphs[paragraphs.len() - 1].starts_with("To fix it, "), "{code}: how to fix it comes last");
        assert!(text.contains("\n\nBad") && text.contains("\n\nGood:\n\n```"), "{code}: two examples");
        assert!(text.ends_with("```\n") && !text.contains("\n\n\n"), "{code}: blocks at the end");
        assert!(text.lines().all(|line| line.chars().count() <= 120), "{code}: lines of 120 characters");
        for (file, count) in [(&parts.bad, "bad"), (&parts.good, "good")] {
            assert!(!file.files.is_empty(), "{code}: {count}");
            for (path, _) in &file.files {
                assert_eq!(path.is_empty(), is_elsewhere(*code), "{code}: `text PATH`, or `console` elsewhere");
            }
        }
        if let Some(dialect) = parts.bad.dialect {
            assert!(skilltree::dialect(dialect).is_some(), "{code}: {dialect}");
        }
    }
}

/// Where a text names the dialects in which something happens to a file, it names all of them and no others.
#[test]
fn dialects_that_are_named() {
    type Happens = fn(&skilltree::Catalog) -> bool;
    let tea = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";
    let cases: [(Code, String, Happens); 2] = [
        (Code::FrontmatterMissing, "# Tea\n\nBoil water.\n".to_owned(), |catalog| !catalog.skills().is_empty()),
        (Code::ByteOrderMark, format!("\u{feff}{tea}"), |catalog| {
            catalog.findings().iter().any(|finding| finding.code == Code::ByteOrderMark)
        }),
    ];
    for (code, file, happens) in cases {
        let does = |(name, source): &&(&str, &str)| {
            let ground = on(Tree::default().with(&format!("{source}/tea/SKILL.md"), file.as_str()));
            ground.ask(&format!("{code}: {name}"), |world| happens(&discover(world, &table(name))))
        };
        let expect: BTreeSet<&str> = SOURCES.iter().filter(does).map(|(name, _)| *name).collect();
        let text = explained(code).text;
        let words = text.split(|c: char| !c.is_ascii_lowercase() && c != '-');
        let named = words.filter(|word| skilltree::dialect::NAMES.contains(word));
        assert_eq!(named.collect::<BTreeSet<_>>(), expect, "{code}");
    }
}

#[test]
fn every_file_is_of_a_code() {
    let dir = crate::common::root().join("src/guide/codes");
    for entry in fs::read_dir(dir).expect("the folder of the texts") {
        let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
        let code = name.strip_suffix(".md").and_then(Code::named);
        assert!(code.is_some(), "{name} is of no code");
    }
}

#[test]
fn bad_examples_have_the_finding_and_good_ones_have_not() {
    let mut wrong = Vec::new();
    // Without the feature, no pattern is compiled.
    let is_built = |code: &Code| *code != Code::PatternInvalid || cfg!(feature = "patterns");
    for code in Code::ALL.iter().copied().filter(|code| !is_elsewhere(*code) && is_built(code)) {
        let parts = explained(code);
        let bad = found(code, &parts.bad, &parts.bad);
        if !bad.iter().any(|(found, _)| *found == code) {
            wrong.push(format!("{code}: the bad example has only {bad:?}"));
        }
        let is_usual = |severity: &Severity| *severity == code.usual_severity();
        if bad.iter().any(|(found, severity)| *found == code && !severity.as_ref().is_none_or(is_usual)) {
            wrong.push(format!("{code}: another severity than usual in {bad:?}"));
        }
        let good = found(code, &parts.good, &parts.bad);
        // An example about a file of settings has no skill.
        let is_wrong = |(found, severity): &(Code, Option<Severity>)| {
            *found == code || *found != Code::NoSkill && *severity == Some(Severity::Error)
        };
        if good.iter().any(is_wrong) {
            wrong.push(format!("{code}: the good example has {good:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn what_has_no_example_is_tested_elsewhere() {
    for (code, file, text) in ELSEWHERE {
        let test = in_repository(file);
        let is_named = test.contains(code.as_str()) || test.contains(&format!("Code::{code:?}"));
        assert!(is_named && test.contains(text), "{code}: {file} does not have `{text}`");
    }
}

/// Rule 6.12: a finding weighs the same in a list and in a check.
#[test]
fn a_finding_has_one_severity() {
    let place = |one: &Diagnostic| (one.path.to_string(), one.code, one.at);
    for (name, source) in SOURCES {
        for code in Code::ALL.iter().copied().filter(|code| !is_elsewhere(*code)) {
            let parts = explained(code);
            placed(&parts.bad, source).ask(&format!("{name}: {code}"), |world| {
                let dialect = table(name);
                let checked = check(world, &dialect, &[], &CheckRequest::default()).expect("no path is given");
                for one in discover(world, &dialect).findings() {
                    for other in checked.iter().filter(|other| place(other) == place(one)) {
                        assert_eq!(one.severity, other.severity, "rule 6.12: {name}: {one} and {other}");
                    }
                }
            });
        }
    }
}

/// The same for the files of others, in the dialects whose documents have rules.
#[cfg(unix)]
#[test]
fn a_finding_has_one_severity_in_the_corpus() {
    use skilltree::{OsFs, Places};
    let Some(corpus) = common::skip::real_data("SKILLTREE_CORPUS", "corpus") else { return };
    let entries = fs::read_dir(corpus).expect("the corpus can be listed").map(|entry| entry.expect("an entry").path());
    let roots = entries.filter(|entry| entry.is_dir()).map(|entry| path(entry.to_str().expect("UTF-8"))).collect();
    let places = Places { roots, only_roots: true, ..Places::default() };
    let (disk, host) = (OsFs::default(), ());
    let world = World::new(&disk, &places, &host);
    let tables = skilltree::dialect::NAMES.iter().map(|name| table(name));
    for dialect in tables.filter(|dialect| Code::ALL.iter().any(|code| dialect.has_rule(*code))) {
        let name = dialect.name();
        let checked = check(&world, &dialect, &[], &CheckRequest::default()).expect("no path is given");
        let weights = checked.iter().map(|one| ((&one.path, one.at, one.code, &one.message), one.severity));
        let weights: std::collections::BTreeMap<_, _> = weights.collect();
        for one in discover(&world, &dialect).findings() {
            let weight = weights.get(&(&one.path, one.at, one.code, &one.message));
            assert_eq!(weight, Some(&one.severity), "rule 6.12: {name}: {one}");
        }
    }
}

/// In every dialect, whatever keeps a Markdown file of an example from being used has a rule that `why` names.
#[test]
fn what_keeps_a_file_out_has_a_rule() {
    for (name, source) in SOURCES {
        for code in Code::ALL.iter().copied().filter(|code| !is_elsewhere(*code)) {
            let bad = explained(code).bad;
            let without_rule = |world: &World<'_>, catalog: &Catalog, file: &str| {
                let outcomes = why(world, catalog, &at(file, source), &PromptRequest::default());
                outcomes.into_iter().find(|one| one.outcome == Outcome::Skipped && one.rule.is_none())
            };
            placed(&bad, source).ask(&format!("{name}: {code}"), |world| {
                let catalog = discover(world, &table(name));
                let mut files = bad.files.iter().filter(|(file, _)| file.ends_with(".md"));
                let found = files.find_map(|(file, _)| without_rule(world, &catalog, file));
                assert_eq!(found, None, "{name}: {code}");
            });
        }
    }
}

#[test]
fn similar_codes() {
    assert_eq!(Code::similar("name-mismach"), [Code::NameMismatch]);
    assert_eq!(Code::similar("completely else"), []);
}
