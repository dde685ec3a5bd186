//! Formats findings for other programs: as a log of the Static Analysis Results Interchange Format (SARIF) 2.1.0, and as
//! commands of a GitHub workflow, which shows them as annotations of the files. `verify` writes such a log, too.

use super::findings::with_help;
use crate::baseline::Identity;
use crate::percent;
use crate::setup::Setup;
use skilltree::{Diagnostic, Fix, Fs, FsPath, Json, Position, Severity, visible};
use std::borrow::Cow;
use std::collections::BTreeMap;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The name by which locations refer to the project; code scanning knows it as the root of the repository.
const PROJECT: &str = "%SRCROOT%";

/// The name by which locations outside of the project refer to the working directory.
const WORKING_DIRECTORY: &str = "WORKINGDIRECTORY";

/// The name of the fingerprints, with a number that changes when their parts do.
const FINGERPRINT: &str = "skilltreeFinding/v1";

/// How many locations a result has. GitHub shows no more, and rejects a log with a result that has over 1,000.
const MAX_LOCATIONS: usize = 100;

/// What results of one kind have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) id: &'static str,
    /// Markdown: a line that says what was found, and then paragraphs that explain it.
    pub(crate) help: &'static str,
}

/// What is written as a result of a log.
pub(crate) struct Entry {
    pub(crate) rule: Rule,
    pub(crate) severity: Severity,
    pub(crate) message: String,
    /// The files that it is about.
    pub(crate) locations: Vec<Location>,
    /// Where it is written that this is wrong, if a file says so.
    pub(crate) reason: Option<Location>,
    /// What it is recognized by in another log.
    pub(crate) identity: Identity,
    /// The correction as SARIF has it.
    pub(crate) fix: Option<Json>,
}

impl Entry {
    pub(crate) fn of(setup: &Setup, finding: &Diagnostic) -> Entry {
        let location = Location::of(setup, finding);
        let fix = finding.fix.as_ref().filter(|_| location.member.is_none());
        Entry {
            rule: Rule { id: finding.code.as_str(), help: finding.code.explanation() },
            severity: finding.severity,
            message: location.message(finding),
            fix: fix.map(|fix| fixed(finding, fix, artifact(setup, &location.file))),
            locations: vec![location],
            reason: None,
            identity: Identity::of(setup, finding),
        }
    }
}

/// The log with one run.
pub(crate) fn log(setup: &Setup, entries: Vec<Entry>) -> Json {
    let rules = rules(&entries);
    let mut seen = BTreeMap::new();
    let results = entries.into_iter().map(|entry| {
        let occurrence: &mut usize = seen.entry(entry.identity.clone()).or_default();
        *occurrence += 1;
        let index = rules.iter().position(|(rule, _)| rule.id == entry.rule.id).unwrap_or_default();
        let fingerprint = format!("{}:{occurrence}", entry.identity.digest());
        result(setup, entry, index, fingerprint)
    });
    let results: Vec<Json> = results.collect();
    let driver = Json::map([
        ("name", Json::from("skilltree")),
        ("version", env!("CARGO_PKG_VERSION").into()),
        ("semanticVersion", env!("CARGO_PKG_VERSION").into()),
        ("informationUri", "https://docs.rs/skilltree".into()),
        ("rules", rules.iter().map(|(rule, severity)| descriptor(*rule, *severity)).collect::<Vec<_>>().into()),
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

/// The rules that occur, in the order of their names, each with the highest severity that it occurs with.
fn rules(entries: &[Entry]) -> Vec<(Rule, Severity)> {
    let mut rules: BTreeMap<&str, (Rule, Severity)> = BTreeMap::new();
    for entry in entries {
        let rule = rules.entry(entry.rule.id).or_insert((entry.rule, entry.severity));
        rule.1 = rule.1.max(entry.severity);
    }
    rules.into_values().collect()
}

fn descriptor(rule: Rule, severity: Severity) -> Json {
    let explanation = rule.help.trim_end();
    let (short, rest) = explanation.split_once('\n').unwrap_or((explanation, ""));
    // What follows the paragraphs is an example.
    let examples = ["Bad:", "Bad ("];
    let paragraphs =
        rest.split("\n\n").take_while(|part| !examples.iter().any(|bad| part.trim_start().starts_with(bad)));
    let full = paragraphs.collect::<Vec<_>>().join("\n\n");
    let full = if full.trim().is_empty() { short } else { full.trim() };
    Json::map([
        ("id", Json::from(rule.id)),
        ("shortDescription", text(short)),
        ("fullDescription", text(full)),
        ("help", text(explanation).with("markdown", Some(explanation))),
        ("defaultConfiguration", Json::map([("level", level(severity))])),
    ])
}

fn result(setup: &Setup, entry: Entry, rule: usize, fingerprint: String) -> Json {
    let mut message = plain(&entry.message);
    let reason = entry.reason.map(|reason| {
        // Code scanning shows a related location if the message links to it.
        message.push_str(" ([the reason](1))");
        place(setup, &reason).with("id", Some(1_usize)).with("message", Some(text("the reason")))
    });
    let locations = entry.locations.iter().take(MAX_LOCATIONS).map(|location| place(setup, location));
    Json::map([
        ("ruleId", Json::from(entry.rule.id)),
        ("ruleIndex", rule.into()),
        ("level", level(entry.severity)),
        ("message", text(&message)),
        ("locations", locations.collect::<Vec<_>>().into()),
        ("partialFingerprints", Json::map([(FINGERPRINT, fingerprint.into())])),
    ])
    .with("relatedLocations", reason.map(|reason| vec![reason]))
    .with("fixes", entry.fix.map(|fix| vec![fix]))
}

fn place(setup: &Setup, location: &Location) -> Json {
    let region = location.range.map(|(at, end)| region(at, end));
    let file = Json::map([("artifactLocation", artifact(setup, &location.file))]).with("region", region);
    let member = location.member.as_deref().map(|member| vec![Json::map([("fullyQualifiedName", member.into())])]);
    Json::map([("physicalLocation", file)]).with("logicalLocations", member)
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
    // A log shows the line. A line break is escaped for GitHub, which finds the file by its exact name.
    let is_shown = |c: char| !c.is_control() || matches!(c, '\r' | '\n');
    let file = file
        .split_inclusive(|c| !is_shown(c))
        .map(|part| if part.ends_with(is_shown) { part.into() } else { visible(part) });
    let mut properties = format!("file={}", property(&file.collect::<String>()));
    if let Some((at, end)) = location.range {
        let last = end.map_or(at.line, |end| end.line);
        properties.push_str(&format!(",line={},endLine={last},col={}", at.line, at.column));
    }
    let message = location.message(finding);
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

/// Where something is.
pub(crate) struct Location {
    /// The file or folder on the disk.
    file: FsPath,
    /// Where the wrong part begins and ends; `None` if the whole file is meant, or a file in an archive, as a line of the
    /// archive itself means nothing.
    range: Option<(Position, Option<Position>)>,
    /// The path in the archive.
    member: Option<String>,
}

impl Location {
    fn of(setup: &Setup, finding: &Diagnostic) -> Location {
        let range = finding.at.map(|at| (at, end(finding, at, finding.to)));
        Location::new(setup, &finding.path, range)
    }

    /// A file, or a part of it. What is in an archive is in the file of the archive.
    pub(crate) fn new(setup: &Setup, path: &FsPath, range: Option<(Position, Option<Position>)>) -> Location {
        let Some(archive) = setup.archive_of(path) else {
            return Location { file: path.clone(), range, member: None };
        };
        let member = path.relative_to(&archive).filter(|inside| !inside.is_empty()).map(str::to_owned);
        Location { file: archive, range: None, member }
    }

    /// The message of a finding, with the place in the archive before it.
    fn message(&self, finding: &Diagnostic) -> String {
        let message = with_help(finding, "\n");
        match (&self.member, finding.at) {
            (Some(member), Some(at)) => format!("{}:{}:{}: {message}", visible(member), at.line, at.column),
            (Some(member), None) => format!("{}: {message}", visible(member)),
            (None, _) => message,
        }
    }
}
