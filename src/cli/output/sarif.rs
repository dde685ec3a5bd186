//! Formats findings as a log of the Static Analysis Results Interchange Format (SARIF) 2.1.0.

use crate::baseline::Identity;
use crate::output::findings::with_help;
use crate::output::location::Location;
use crate::percent;
use crate::setup::Setup;
use skilltree::{Code, Diagnostic, Fix, FsPath, Json, Position, Severity};
use std::collections::BTreeMap;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The name by which locations refer to the project; code scanning knows it as the root of the repository.
const PROJECT: &str = "%SRCROOT%";

/// The name by which locations outside of the project refer to the working directory.
const WORKING_DIRECTORY: &str = "WORKINGDIRECTORY";

/// The name of the fingerprints, with a number that changes when their parts do.
const FINGERPRINT: &str = "skilltreeFinding/v1";

/// The log with one run.
pub(crate) fn log(setup: &Setup, findings: &[Diagnostic]) -> Json {
    let rules = rules(findings);
    let mut seen = BTreeMap::new();
    let results = findings.iter().map(|finding| {
        let identity = Identity::of(setup, finding);
        let occurrence: &mut usize = seen.entry(identity.clone()).or_default();
        *occurrence += 1;
        let index = rules.iter().position(|(code, _)| *code == finding.code).unwrap_or_default();
        result(setup, finding, index, format!("{}:{occurrence}", identity.digest()))
    });
    let results: Vec<Json> = results.collect();
    let driver = Json::map([
        ("name", Json::from("skilltree")),
        ("version", env!("CARGO_PKG_VERSION").into()),
        ("semanticVersion", env!("CARGO_PKG_VERSION").into()),
        ("informationUri", "https://docs.rs/skilltree".into()),
        ("rules", rules.iter().map(|(code, severity)| rule(*code, *severity)).collect::<Vec<_>>().into()),
    ]);
    let run = Json::map([
        ("tool", Json::map([("driver", driver)])),
        ("invocations", vec![Json::map([("executionSuccessful", Json::from(true))])].into()),
        ("originalUriBaseIds", bases(setup)),
        ("columnKind", "unicodeCodePoints".into()),
        ("results", results.into()),
    ]);
    Json::map([("$schema", SCHEMA.into()), ("version", "2.1.0".into()), ("runs", vec![run].into())])
}

/// The codes that occur, in the order of their names, each with the highest severity that it occurs with.
fn rules(findings: &[Diagnostic]) -> Vec<(Code, Severity)> {
    let mut rules: BTreeMap<&str, (Code, Severity)> = BTreeMap::new();
    for finding in findings {
        let rule = rules.entry(finding.code.as_str()).or_insert((finding.code, finding.severity));
        rule.1 = rule.1.max(finding.severity);
    }
    rules.into_values().collect()
}

fn rule(code: Code, severity: Severity) -> Json {
    let explanation = code.explanation().trim_end();
    let (short, rest) = explanation.split_once('\n').unwrap_or((explanation, ""));
    // What follows the paragraphs is an example.
    let examples = ["Bad:", "Bad ("];
    let paragraphs =
        rest.split("\n\n").take_while(|part| !examples.iter().any(|bad| part.trim_start().starts_with(bad)));
    let full = paragraphs.collect::<Vec<_>>().join("\n\n");
    let full = if full.trim().is_empty() { short } else { full.trim() };
    Json::map([
        ("id", Json::from(code.as_str())),
        ("shortDescription", text(short)),
        ("fullDescription", text(full)),
        ("help", text(explanation).with("markdown", Some(explanation))),
        ("defaultConfiguration", Json::map([("level", level(severity))])),
    ])
}

fn result(setup: &Setup, finding: &Diagnostic, rule: usize, fingerprint: String) -> Json {
    let location = Location::of(setup, finding);
    let file = artifact(setup, &location.file);
    let region = location.range.map(|(at, to)| region(at, end(finding, at, to)));
    let mut place =
        Json::map([("physicalLocation", Json::map([("artifactLocation", file.clone())]).with("region", region))]);
    if location.member.is_some() {
        let inside =
            finding.path.relative_to(&location.file).map(|inside| Json::map([("fullyQualifiedName", inside.into())]));
        place = place.with("logicalLocations", inside.map(|inside| vec![inside]));
    }
    let fix = finding.fix.as_ref().filter(|_| location.member.is_none());
    Json::map([
        ("ruleId", Json::from(finding.code.as_str())),
        ("ruleIndex", rule.into()),
        ("level", level(finding.severity)),
        ("message", text(&plain(&location.with_member(&with_help(finding, "\n"))))),
        ("locations", vec![place].into()),
        ("partialFingerprints", Json::map([(FINGERPRINT, fingerprint.into())])),
    ])
    .with("fixes", fix.map(|fix| vec![fixed(finding, fix, file)]))
}

/// The replacement of whole lines. A region without columns leaves out the ending of its last line, as a fix does.
fn fixed(finding: &Diagnostic, fix: &Fix, file: Json) -> Json {
    let lines = Json::map([("startLine", Json::from(fix.line)), ("endLine", fix.last.max(fix.line).into())]);
    let replacement = Json::map([("deletedRegion", lines), ("insertedContent", text(&fix.with))]);
    let change = Json::map([("artifactLocation", file), ("replacements", vec![replacement].into())]);
    let description = finding.help.as_deref().unwrap_or("replace the line");
    Json::map([("description", text(&plain(description))), ("artifactChanges", vec![change].into())])
}

fn level(severity: Severity) -> Json {
    severity.as_str().into()
}

fn text(text: &str) -> Json {
    Json::map([("text", Json::from(text))])
}

/// Escapes a message. Braces enclose placeholders there, and a text in brackets before one in parentheses is a link.
fn plain(message: &str) -> String {
    message.replace('{', "{{").replace('}', "}}").replace("](", "] (")
}

fn region(at: Position, end: Option<Position>) -> Json {
    let region = Json::map([("startLine", Json::from(at.line)), ("startColumn", at.column.into())]);
    region.with("endLine", end.map(|end| end.line)).with("endColumn", end.map(|end| end.column))
}

/// The end of the wrong part. A part without an end is one character, if the line has it.
fn end(finding: &Diagnostic, at: Position, to: Option<Position>) -> Option<Position> {
    let has_character = finding.line_text.as_ref().is_some_and(|line| at.column <= line.chars().count());
    to.or_else(|| has_character.then(|| Position { column: at.column + 1, ..at }))
}

/// The relative URI of a file below the project or the working directory, or else its absolute URI.
fn artifact(setup: &Setup, path: &FsPath) -> Json {
    let bases = [(PROJECT, Some(&setup.project)), (WORKING_DIRECTORY, setup.working_directory())];
    let below = bases.into_iter().find_map(|(name, base)| Some((name, path.relative_to(base?)?)));
    match below {
        // The reference to the base itself.
        Some((name, "")) => Json::map([("uri", Json::from("./")), ("uriBaseId", name.into())]),
        Some((name, below)) => {
            Json::map([("uri", Json::from(percent::encoded_path(below))), ("uriBaseId", name.into())])
        }
        None => Json::map([("uri", Json::from(absolute(path)))]),
    }
}

/// The URIs of the project and the working directory.
fn bases(setup: &Setup) -> Json {
    let base = |path: &FsPath| {
        let uri = absolute(path);
        Json::map([("uri", Json::from(if uri.ends_with('/') { uri } else { uri + "/" }))])
    };
    let other = setup.working_directory().filter(|dir| **dir != setup.project).map(base);
    Json::map([(PROJECT, base(&setup.project))]).with(WORKING_DIRECTORY, other)
}

fn absolute(path: &FsPath) -> String {
    // The drive of a path on Windows is its first part.
    format!("file://{}", percent::encoded_path(path.as_str()).replacen("%3A", ":", usize::from(cfg!(windows))))
}
