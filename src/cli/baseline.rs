//! The baseline of `check`: a file of known findings, which are not shown and do not fail the check.
//!
//! It is made for a repository: paths are relative to the project, and a finding is recognized by its file, its code
//! and the text of its line, so that a line may move. Equal findings are counted, so that one more is shown.

use crate::answer::note_line;
use crate::args::NonEmptyText;
use crate::output::text::count;
use crate::own_file;
use crate::reply::Failure;
use crate::setup::{Setup, and_above};
use crate::suggested::command;
use clap::Args;
use skilltree::{Diagnostic, Digest, Fs, FsPath, Json, visible};
use std::collections::BTreeMap;

const MAX_BYTES: usize = 67_108_864;

/// The version of the format.
const VERSION: usize = 1;

/// How many hexadecimal digits of a digest are written. Two lines of one file hardly ever share so many.
const DIGITS: usize = 16;

/// The options about the baseline.
#[derive(Args, Debug)]
pub(crate) struct BaselineArgs {
    /// File of known findings, which are not shown and do not make the check fail
    #[arg(long, value_name = "FILE", value_parser = NonEmptyText::new())]
    baseline: Option<String>,
    /// Write the current findings to the file of --baseline
    #[arg(long, requires = "baseline")]
    update_baseline: bool,
}

/// What a finding is recognized by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Identity {
    /// The path relative to the project; below the home directory it begins with `~/`, and elsewhere with `/`.
    path: String,
    code: String,
    /// The digest of the line without the white space around it; `None` for findings without a line, whose messages may
    /// contain sizes that change with the file.
    line: Option<String>,
}

/// The findings that are not in the baseline.
pub(crate) struct Compared {
    pub(crate) findings: Vec<Diagnostic>,
    /// Lines for standard error.
    pub(crate) note: String,
    /// The numbers, for the JSON document; `None` without a baseline.
    pub(crate) json: Option<Json>,
}

pub(crate) struct Checked<'a> {
    /// The paths; empty if all sources were checked.
    pub(crate) paths: &'a [FsPath],
    /// The words of the command that repeats the check, after `check`.
    pub(crate) options: &'a [&'a str],
    pub(crate) operands: &'a [&'a str],
    /// Whether nothing is written.
    pub(crate) is_dry: bool,
}

type Counts = BTreeMap<Identity, usize>;

/// A baseline as it was read.
pub(crate) struct Baseline {
    path: FsPath,
    /// `None` if the file does not exist.
    bytes: Option<Vec<u8>>,
    known: Counts,
    /// The command that updates it.
    update: String,
}

impl BaselineArgs {
    /// Reads the baseline, if there is one. This comes before any file is changed, as it may fail.
    pub(crate) fn read(&self, setup: &Setup, checked: &Checked<'_>) -> Result<Option<Baseline>, Failure> {
        let Some(file) = &self.baseline else { return Ok(None) };
        let path = setup.path(file)?;
        let option = format!("--baseline={file}");
        let words = [&["check", option.as_str(), "--update-baseline"], checked.options].concat();
        let update = command(&words, checked.operands);
        let (bytes, known) = match read(setup, &path)? {
            Some((bytes, known)) => (Some(bytes), known),
            None if self.update_baseline => (None, Counts::new()),
            None => {
                let message = format!("the baseline `{}` does not exist", visible(&setup.fs.display(&path)));
                return Err(Failure::error("baseline-missing", message).with_help(format!("{update} writes it")));
            }
        };
        Ok(Some(Baseline { path, bytes, known, update }))
    }

    /// Separates the findings from those in the baseline, after writing it if asked to.
    pub(crate) fn compare(
        &self,
        setup: &Setup,
        checked: &Checked<'_>,
        baseline: Option<Baseline>,
        findings: Vec<Diagnostic>,
    ) -> Result<Compared, Failure> {
        let Some(Baseline { path, bytes, mut known, update }) = baseline else {
            return Ok(Compared { findings, note: String::new(), json: None });
        };
        let now = counts(setup, &findings);
        if self.update_baseline {
            // What was not checked now is still known.
            known.retain(|identity, _| !identity.is_checked(setup, checked.paths) && !now.contains_key(identity));
            known.extend(now.clone());
            let text = written(&known);
            if bytes.as_deref() != Some(text.as_bytes()) && !checked.is_dry {
                own_file::written(setup, &path, text.into_bytes(), bytes).write(&setup.fs)?;
            }
        }
        let gone: usize = known
            .iter()
            .filter(|(identity, _)| identity.is_in_project() && identity.is_checked(setup, checked.paths))
            .map(|(identity, known)| known.saturating_sub(now.get(identity).copied().unwrap_or(0)))
            .sum();
        let (total, found) = (known.values().sum(), findings.len());
        let findings = unknown(setup, known, findings);
        let hidden = found - findings.len();
        let shown = visible(&setup.fs.display(&path)).into_owned();
        let has = if checked.is_dry { "would have" } else { "now has" };
        let mut note = match (self.update_baseline, hidden) {
            (true, _) => note_line(&format!("the baseline `{shown}` {has} {}", count(total, "finding"))),
            (false, 0) => String::new(),
            (false, 1) => note_line(&format!("1 finding of the baseline `{shown}` is not shown")),
            (false, _) => note_line(&format!("{hidden} findings of the baseline `{shown}` are not shown")),
        };
        if gone > 0 {
            let no_longer = if gone == 1 { "no longer occurs" } else { "no longer occur" };
            let what = count(gone, "finding");
            note.push_str(&note_line(&format!("{what} of the baseline {no_longer}; {update} updates it")));
        }
        let json = Json::map([
            ("path", Json::from(&*setup.fs.display(&path))),
            ("known", hidden.into()),
            ("gone", gone.into()),
        ]);
        Ok(Compared { findings, note, json: Some(json) })
    }
}

impl Identity {
    pub(crate) fn of(setup: &Setup, finding: &Diagnostic) -> Identity {
        let line = finding.line_text.as_deref().map(str::trim);
        Identity::new(setup, &finding.path, finding.code.as_str(), line)
    }

    /// What is recognized by a path, a code and a text.
    pub(crate) fn new(setup: &Setup, path: &FsPath, code: &str, text: Option<&str>) -> Identity {
        let path = setup.portable(path).unwrap_or_else(|| path.as_str().to_owned());
        Identity { path, code: code.to_owned(), line: text.map(short_digest) }
    }

    pub(crate) fn digest(&self) -> String {
        short_digest(&format!("{}\0{}\0{}", self.path, self.code, self.line.as_deref().unwrap_or_default()))
    }

    /// Whether the file is in the project, and so is the same on other machines.
    fn is_in_project(&self) -> bool {
        !self.path.starts_with('/') && !self.path.starts_with("~/")
    }

    /// Whether the file was checked: it is one of these paths or below one.
    fn is_checked(&self, setup: &Setup, paths: &[FsPath]) -> bool {
        if self.is_of_folder_above(setup) {
            return false;
        }
        let path = match (self.path.strip_prefix("~/"), &setup.places.home) {
            _ if paths.is_empty() => return true,
            (Some(below), Some(home)) => home.join(below),
            _ if self.path.starts_with('/') => FsPath::new(&self.path),
            _ => setup.project.join(&self.path),
        };
        path.is_ok_and(|path| paths.iter().any(|checked| path.starts_with(checked)))
    }

    /// Whether the file is there from a folder above the project, and not from the project: the baseline is one of that folder.
    fn is_of_folder_above(&self, setup: &Setup) -> bool {
        let is_in =
            |folder: &FsPath| folder.join(&self.path).is_ok_and(|file| matches!(setup.fs.metadata(&file), Ok(Some(_))));
        self.is_in_project() && !is_in(&setup.project) && and_above(&setup.project).skip(1).any(|above| is_in(&above))
    }

    fn to_json(&self, count: usize) -> Json {
        Json::map([("path", Json::from(self.path.as_str())), ("code", self.code.as_str().into())])
            .with("line", self.line.as_deref())
            .with("count", Some(count))
    }

    /// The finding of an entry, and how often it occurs.
    fn parse(entry: &Json) -> Option<(Identity, usize)> {
        let text = |name: &str| entry.get(name)?.as_text().map(str::to_owned);
        let Some(Json::Number(count)) = entry.get("count") else { return None };
        Some((Identity { path: text("path")?, code: text("code")?, line: text("line") }, count.parse().ok()?))
    }
}

fn short_digest(text: &str) -> String {
    let digest = Digest::of(text.as_bytes()).to_string();
    digest.trim_start_matches("sha256:").chars().take(DIGITS).collect()
}

fn counts(setup: &Setup, findings: &[Diagnostic]) -> Counts {
    let mut counts = Counts::new();
    for finding in findings {
        *counts.entry(Identity::of(setup, finding)).or_default() += 1;
    }
    counts
}

/// The findings that are not known. If one occurs more often than it is known to, the last ones are returned.
fn unknown(setup: &Setup, mut known: Counts, findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let is_unknown = |finding: &Diagnostic| match known.get_mut(&Identity::of(setup, finding)) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    };
    findings.into_iter().filter(is_unknown).collect()
}

/// The bytes of the baseline and what it contains; `None` if it does not exist.
fn read(setup: &Setup, path: &FsPath) -> Result<Option<(Vec<u8>, Counts)>, Failure> {
    let corrupt = |reason: &str| {
        let message = format!("`{}` is not a baseline: {reason}", visible(&setup.fs.display(path)));
        let help = "restore the file, or remove it and write a new one with `--update-baseline`";
        Failure::error("baseline-corrupt", message).with_help(help.to_owned())
    };
    let no_links_in = setup.places.no_links_in(&setup.fs);
    let Some(text) = own_file::read(&setup.fs, no_links_in, path, MAX_BYTES, &corrupt)? else { return Ok(None) };
    let json = Json::parse_unique(&text).map_err(|error| corrupt(&error.to_string()))?;
    match json.get("version") {
        Some(Json::Number(version)) if *version == VERSION.to_string() => {}
        Some(Json::Number(version)) => return Err(corrupt(&format!("version {version} is not known"))),
        _ => return Err(corrupt("expected a `version`")),
    }
    let Some(Json::List(entries)) = json.get("findings") else { return Err(corrupt("expected a list of `findings`")) };
    let mut counts = Counts::new();
    for (index, entry) in entries.iter().enumerate() {
        let (identity, count) = Identity::parse(entry)
            .ok_or_else(|| corrupt(&format!("finding {} has no `path`, `code` or `count`", index + 1)))?;
        let known: &mut usize = counts.entry(identity).or_default();
        *known = known.saturating_add(count);
    }
    Ok(Some((text.into_bytes(), counts)))
}

/// The text of a baseline: one finding a line, sorted, so that changes are easy to review and to merge.
fn written(known: &Counts) -> String {
    let entries: Vec<String> =
        known.iter().map(|(identity, count)| format!("\n    {}", identity.to_json(*count))).collect();
    let end = if entries.is_empty() { "" } else { "\n  " };
    format!("{{\n  \"version\": {VERSION},\n  \"findings\": [{}{end}]\n}}\n", entries.join(","))
}
