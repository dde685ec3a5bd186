//! Formats findings for other programs: as a log of the Static Analysis Results Interchange Format (SARIF) 2.1.0, and as
//! commands of a GitHub workflow, which shows them as annotations of the files.

use super::findings::with_help;
use crate::baseline::Identity;
use crate::percent;
use crate::setup::Setup;
use skilltree::{Code, Diagnostic, Fix, Fs, FsPath, Json, Position, Severity, visible};
use std::borrow::Cow;
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

/// One command for each finding, each on a line of its own.
pub(crate) fn commands(setup: &Setup, findings: &[Diagnostic]) -> String {
    findings.iter().map(|finding| command(setup, finding)).collect()
}

fn command(setup: &Setup, finding: &Diagnostic) -> String {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let location = Location::of(setup, finding);
    let file = match setup.below_working_directory(&location.file) {
        Some("") => Cow::Borrowed("."),
        Some(below) => Cow::Borrowed(below),
        None => setup.fs.display(&location.file),
    };
    let mut properties = format!("file={}", property(&file));
    if let Some((at, end)) = location.range {
        let last = end.map_or(at.line, |end| end.line);
        properties.push_str(&format!(",line={},endLine={last},col={}", at.line, at.column));
    }
    let message = location.with_member(&with_help(finding, "\n"));
    format!("::{level} {properties},title={}::{}\n", property(finding.code.as_str()), data(&message))
}

/// Escapes the text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

pub(crate) struct Location {
    /// The file or folder on the disk.
    pub(crate) file: FsPath,
    /// Where the wrong part begins and ends; `None` if the finding is about the whole file, or about a file in an
    /// archive, as a line of the archive itself means nothing.
    pub(crate) range: Option<(Position, Option<Position>)>,
    /// The path in the archive and the place in that file.
    member: Option<String>,
}

impl Location {
    pub(crate) fn of(setup: &Setup, finding: &Diagnostic) -> Location {
        let Some(archive) = setup.archive_of(&finding.path) else {
            let range = finding.at.map(|at| (at, finding.to));
            return Location { file: finding.path.clone(), range, member: None };
        };
        let inside = finding.path.relative_to(&archive).filter(|inside| !inside.is_empty());
        let member = inside.map(|inside| match finding.at {
            Some(at) => format!("{}:{}:{}", visible(inside), at.line, at.column),
            None => visible(inside).into_owned(),
        });
        Location { file: archive, range: None, member }
    }

    /// The message, with the place in the archive before it.
    fn with_member(&self, message: &str) -> String {
        match &self.member {
            Some(member) => format!("{member}: {message}"),
            None => message.to_owned(),
        }
    }
}
