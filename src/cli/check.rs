//! The command `check`; its formats, which are text for people, JSON, SARIF for code scanning, and commands of a GitHub
//! workflow; and its option `--fix`, which writes the mended files, or shows what would change.

use crate::answer::{Answer, Runner, note_line};
use crate::args::{NonEmptyText, format_or_json};
use crate::baseline::{BaselineArgs, Checked, Compared};
use crate::completion;
use crate::dialects::Dialects;
use crate::hints;
use crate::output::no_skills::no_skills_after_search;
use crate::output::style::{self, paint};
use crate::output::{findings, formats, text};
use crate::reply::{Exit, Failure, Output, Reply, Screen};
use crate::setup::Setup;
use crate::suggested::is_quiet;
use crate::verify::well_known;
use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use similar::udiff::UnifiedDiffHunk;
use similar::{DiffOp, DiffTag, TextDiff, group_diff_ops};
use skilltree::author::{FixRequest, FixScope, FixedFile};
use skilltree::discovery::FileWrite;
use skilltree::{CheckRequest, Diagnostic, Dialect, Fs, FsPath, Json, Severity, visible};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// The arguments of `check`.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// SKILL.md, folder of a skill, tree of folders, archive, dialect file or index of a site [default: every source]
    #[arg(value_name = "PATH", value_parser = NonEmptyText::new())]
    paths: Vec<String>,
    /// Also report unknown fields, names that are not ASCII, metadata and lists of tools that other readers reject, and what a
    /// reviewer of the files may overlook
    #[arg(long)]
    strict: bool,
    /// Dialect whose rules apply [default: that of --dialect]
    #[arg(long, value_name = "NAME|FILE", value_parser = NonEmptyText::new(), add = ArgValueCompleter::new(completion::dialects))]
    profile: Option<String>,
    #[command(flatten)]
    fix: FixArgs,
    /// How to print the findings [default: text]
    #[arg(long, value_enum)]
    format: Option<Format>,
    #[command(flatten)]
    baseline: BaselineArgs,
}

impl CheckArgs {
    pub(crate) fn is_json(&self) -> bool {
        self.format == Some(Format::Json)
    }

    /// The words of the options that decide what is found. A dry run finds what a check finds that mends nothing.
    fn words(&self) -> Vec<&str> {
        let fix = self.fix.fix.filter(|_| !self.fix.dry_run);
        let fix = fix.map(|scope| if matches!(scope, Scope::All) { "--fix=all" } else { "--fix" });
        let profile = self.profile.as_deref().into_iter().flat_map(|profile| ["--profile", profile]);
        self.strict.then_some("--strict").into_iter().chain(profile).chain(fix).collect()
    }
}

impl Runner<'_> {
    pub(crate) fn check(self, ask: &CheckArgs) -> Answer {
        let format = format_or_json(ask.format, self.json, Format::default(), Format::Json)?;
        let mut setup = Setup::new(self.options)?;
        let dialects = Dialects::new(self.options);
        if let Some(name) = ask.profile.as_deref() {
            setup.dialect = dialects.named(Some(name))?.dialect;
            setup.options.dialect = Some(name.to_owned());
        }
        let profile = setup.dialect.clone();
        let (mut found, mut skills, mut none) = (Vec::new(), Vec::new(), String::new());
        let check = CheckRequest { strict: ask.strict };
        for text in &ask.paths {
            match dialects.check(text) {
                Some(of_dialect) => {
                    none.push_str(&note_line(&format!("`{}` was checked as a dialect file", visible(text))));
                    found.extend(of_dialect);
                }
                None => {
                    let path = setup.opened(text)?;
                    let of_index = well_known::check(&setup, &path);
                    // The index is no skill; the folder of a site may have some.
                    let is_index = of_index.is_some() && path.as_str().ends_with(well_known::PATH);
                    found.extend(of_index.into_iter().flatten());
                    skills.extend(Some(path).filter(|_| !is_index));
                }
            }
        }
        let paths: Vec<FsPath> = ask.paths.iter().map(|path| setup.path(path)).collect::<Result<_, _>>()?;
        let operands: Vec<&str> = ask.paths.iter().map(String::as_str).collect();
        let checked = Checked { paths: &paths, options: &ask.words(), operands: &operands, is_dry: ask.fix.dry_run };
        let baseline = ask.baseline.read(&setup, &checked)?;
        let mut fixes = Fixes::default();
        if ask.paths.is_empty() || !skills.is_empty() {
            fixes = ask.fix.apply(&setup, &profile, &mut skills, check)?;
        }
        if !skills.is_empty() {
            found.extend(skilltree::check(&setup.world(), &profile, &skills, &check)?);
        }
        if ask.paths.is_empty() {
            let (catalog, of_sources) = check.check_sources(&setup.world(), &profile);
            found.extend(of_sources);
            hints::complete_nested(&mut found, &setup);
            // No findings may mean that there are no skills.
            if found.is_empty() && setup.notes.is_empty() {
                none = no_skills_after_search(&setup, &catalog);
            }
        }
        found.extend_from_slice(&setup.notes);
        none.push_str(&fixes.notes);
        let compared = ask.baseline.compare(&setup, &checked, baseline, found)?;
        let reply = format.reply(&setup, &compared, fixes, self.screen);
        Ok(reply.with_stderr(&none).with_stderr(&compared.note))
    }
}

/// How the findings are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Blocks with the line and a caret, and a summary
    #[default]
    Text,
    /// One JSON document, as with --json
    Json,
    /// A SARIF 2.1.0 log, which code scanning and editors read
    Sarif,
    /// Workflow commands that annotate files on GitHub, with a summary on standard error
    Github,
}

impl Format {
    /// Prints what was mended and the findings that are left. The exit code is 1 if one of them is an error.
    pub(super) fn reply(self, setup: &Setup, compared: &Compared, fixes: Fixes, screen: Screen) -> Reply {
        let found = compared.findings.as_slice();
        let is_error = |finding: &&Diagnostic| finding.severity == Severity::Error;
        let errors: Vec<Diagnostic> = found.iter().filter(is_error).cloned().collect();
        let (shown, by_code) = match is_quiet() {
            true => (errors.as_slice(), String::new()),
            false => (found, findings::summary_by_code(found)),
        };
        let counted = findings::counted(found);
        let summary = format!("{by_code}{counted}\n");
        let reply = match self {
            Format::Text => match fixes.diff {
                // Only a terminal obeys control characters; `patch` needs the text as it is.
                Some(diff) if screen.width.is_some() => {
                    Reply::new(Output::Exact(text::lines(&diff).into_owned())).with_stderr(&format!("{counted}\n"))
                }
                Some(diff) => Reply::new(Output::Exact(diff)).with_stderr(&format!("{counted}\n")),
                None => {
                    let blocks = findings::blocks(setup.files(), shown);
                    Reply::new(screen.messages_output(fixes.shown + &blocks + &summary))
                }
            },
            Format::Json => {
                let json = Json::map([("findings", Diagnostic::all_to_json(&setup.fs, found))]);
                let json = json.with("fixed", fixes.json).with("baseline", compared.json.clone());
                let failed = (!errors.is_empty()).then(|| Failure::negative("check-failed", counted));
                Reply::json(&match fixes.failure.as_ref().or(failed.as_ref()) {
                    None => json,
                    Some(failure) => failure.add_to_json(json),
                })
            }
            Format::Sarif => {
                let entries = found.iter().map(|finding| formats::Entry::of(setup, finding)).collect();
                Reply::json(&formats::log(setup, entries)).with_stderr(&(fixes.shown + &summary))
            }
            Format::Github => {
                let commands = screen.text_output(formats::commands(setup, shown));
                Reply::new(commands).with_stderr(&(fixes.shown + &summary))
            }
        };
        let exit = if errors.is_empty() { Exit::Success } else { Exit::Negative };
        reply.with_exit(fixes.failure.map_or(exit, |failure| failure.exit()))
    }
}

/// The arguments of `check` about mending.
#[derive(Args, Debug)]
pub(crate) struct FixArgs {
    /// Apply the corrections that change no value; `all` also corrects names and misspelled keys, and closes a
    /// frontmatter that has no end
    #[arg(long, value_name = "SCOPE", num_args = 0..=1, require_equals = true, default_missing_value = "safe")]
    fix: Option<Scope>,
    /// Write nothing, and print the changes as a unified diff
    #[arg(long, requires = "fix")]
    dry_run: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Scope {
    /// Keep the values of all fields
    Safe,
    /// Also correct names and misspelled keys, and close a frontmatter that has no end
    All,
}

/// What was mended.
#[derive(Default)]
pub(crate) struct Fixes {
    /// One line for each file.
    pub(crate) shown: String,
    /// The changes, if nothing is to be written.
    pub(crate) diff: Option<String>,
    /// The files as JSON, if mending was asked for.
    pub(crate) json: Option<Json>,
    /// Lines for standard error about files that were not written.
    pub(crate) notes: String,
    /// Why the first of the files was not written, if the operating system or another process kept it from that.
    pub(crate) failure: Option<Failure>,
}

impl FixArgs {
    /// Mends the files that the check of these paths is about. The path of a file that is renamed is replaced.
    pub(crate) fn apply(
        &self,
        setup: &Setup,
        dialect: &Arc<Dialect>,
        paths: &mut [FsPath],
        check: CheckRequest,
    ) -> Result<Fixes, Failure> {
        let scope = match self.fix {
            None => return Ok(Fixes::default()),
            Some(Scope::Safe) => FixScope::Safe,
            Some(Scope::All) => FixScope::All,
        };
        let files = (FixRequest { check, scope }).fix(&setup.world(), dialect, paths)?;
        let mut fixes = Fixes { diff: self.dry_run.then(String::new), ..Fixes::default() };
        let mut json = Vec::new();
        for mut file in files {
            if let Some(reason) = refusal(setup, &file) {
                let path = setup.fs.display(&file.path);
                fixes.notes.push_str(&format!(
                    "{}: `{}` is not written: {reason}\n",
                    paint(style::NOTE, "note"),
                    visible(&path)
                ));
                continue;
            }
            match &mut fixes.diff {
                Some(diff) => diff.push_str(&diff_of(setup, &file)),
                None => {
                    if let Err(failure) = write_fixed(setup, &mut file) {
                        fixes.notes.push_str(&failure.to_stderr());
                        fixes.failure = fixes.failure.or(Some(failure));
                    }
                    if file.lines.is_empty() && file.renamed_to.is_none() {
                        continue;
                    }
                    if let Some(renamed) = &file.renamed_to {
                        paths.iter_mut().filter(|path| **path == file.path).for_each(|path| path.clone_from(renamed));
                    }
                }
            }
            fixes.shown.push_str(&fixed_line(setup, &file));
            json.push(self.as_json(setup, &file));
        }
        if !fixes.shown.is_empty() {
            fixes.shown.push('\n');
        }
        fixes.json = Some(Json::from(json));
        Ok(fixes)
    }

    fn as_json(&self, setup: &Setup, file: &FixedFile) -> Json {
        let path = |path: &FsPath| Json::from(setup.fs.display(path).into_owned());
        let lines = Json::from(file.lines.iter().map(|line| Json::from(*line)).collect::<Vec<_>>());
        Json::map([("path", path(&file.path)), ("lines", lines)])
            .with("renamed_to", file.renamed_to.as_ref().map(path))
            .with("diff", self.dry_run.then(|| Json::from(diff_of(setup, file))))
    }
}

/// Why a file is not written: a symlink leads out of the project, or it is not on the disk.
fn refusal(setup: &Setup, file: &FixedFile) -> Option<Cow<'static, str>> {
    if let Err(error) = &file.real {
        return Some(visible(&error.to_string()).into_owned().into());
    }
    let is_in = |files: &dyn Fs| matches!(files.metadata(&file.path), Ok(Some(_)));
    if is_in(&setup.fs) || !is_in(setup.files()) {
        return None;
    }
    let why = match setup.archive_of(&file.path) {
        Some(_) => "files in archives are not changed; unpack the archive, fix the file, and pack it again",
        None => "files of a revision are not changed; fix the file in the working tree",
    };
    Some(why.into())
}

/// Writes a file and renames it. What was not done is removed from the plan.
fn write_fixed(setup: &Setup, file: &mut FixedFile) -> Result<(), Failure> {
    let renamed = file.renamed_to.take();
    let lines = std::mem::take(&mut file.lines);
    // The files that must not be written have been left out.
    let (Ok(plan), Ok(real)) = (file.file_write(), &file.real) else { return Ok(()) };
    if let Some(plan) = plan {
        plan.write(&setup.fs)?;
        file.lines = lines;
    }
    if let Some(renamed) = renamed {
        FileWrite::rename(&setup.fs, real, renamed.name())?;
        file.renamed_to = Some(renamed);
    }
    Ok(())
}

/// `fixed PATH: lines 3, 5-7`.
fn fixed_line(setup: &Setup, file: &FixedFile) -> String {
    let path = setup.fs.display(&file.path);
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for line in &file.lines {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *line => *last = *line,
            _ => ranges.push((*line, *line)),
        }
    }
    let shown = ranges.iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    let noun = if file.lines.len() == 1 { "line" } else { "lines" };
    let mut done = Vec::new();
    if !ranges.is_empty() {
        done.push(format!("{noun} {}", shown.collect::<Vec<_>>().join(", ")));
    }
    done.extend(file.renamed_to.as_ref().map(|renamed| format!("renamed to {}", renamed.name())));
    format!("{} {}: {}\n", paint(style::HEAD, "fixed"), visible(&path), done.join("; "))
}

/// The changes as a unified diff, which `patch -p1` and `git apply` carry out.
fn diff_of(setup: &Setup, file: &FixedFile) -> String {
    let name = |path: &FsPath, side: &str| match setup.below_working_directory(path) {
        Some(below) => format!("{side}/{below}"),
        None => setup.fs.display(path).into_owned(),
    };
    // Neither program writes beyond a symlink.
    let real = file.real.as_ref().ok().filter(|real| setup.below_working_directory(real).is_some());
    let path = real.unwrap_or(&file.path);
    let renamed = file.renamed_to.as_ref().and_then(|to| path.parent()?.child(to.name()).ok());
    let (old, new) = (name(path, "a"), name(renamed.as_ref().unwrap_or(path), "b"));
    let rename = match &file.renamed_to {
        Some(_) => {
            let bare = |name: &str| quoted_name(name.get(2..).unwrap_or_default());
            let (from, to) = (bare(&old), bare(&new));
            format!("diff --git {} {}\nrename from {from}\nrename to {to}\n", quoted_name(&old), quoted_name(&new))
        }
        None => String::new(),
    };
    let (before, after) = (String::from_utf8_lossy(&file.before), String::from_utf8_lossy(&file.after));
    // Only a line feed ends a line for these programs.
    let (old_lines, new_lines) = (lines(&before), lines(&after));
    let mut config = TextDiff::configure();
    config.newline_terminated(true);
    let head = old_lines.iter().zip(&new_lines).take_while(|(old, new)| old == new).count();
    let rest = old_lines[head..].iter().rev().zip(new_lines[head..].iter().rev());
    let tail = rest.take_while(|(old, new)| old == new).count();
    if old_lines.len() + new_lines.len() - 2 * (head + tail) > MAX_CHANGED_LINES {
        config.timeout(Duration::ZERO);
    }
    let diff = config.diff_slices(&old_lines, &new_lines);
    // A tab ends a name that has blanks in it.
    let header = |name: &str| quoted_name(name) + if name.contains(' ') { "\t" } else { "" };
    let hunks = group_diff_ops(counted(diff.ops()), CONTEXT_LINES).into_iter();
    let hunks: String = hunks.map(|ops| UnifiedDiffHunk::new(ops, &diff, true).to_string()).collect();
    match hunks.is_empty() {
        true => rename,
        false => format!("{rename}--- {}\n+++ {}\n{hunks}", header(&old), header(&new)),
    }
}

/// The operations of a diff with the lines at which they are on both sides. Those that were moved over others have the line of one side
/// alone right, and the head of a hunk is that of its first operation.
fn counted(ops: &[DiffOp]) -> Vec<DiffOp> {
    let (mut old_index, mut new_index) = (0, 0);
    let counted = ops.iter().map(|op| {
        let (tag, old, new) = op.as_tag_tuple();
        let (old_len, new_len) = (old.len(), new.len());
        let op = match tag {
            DiffTag::Equal => DiffOp::Equal { old_index, new_index, len: old_len },
            DiffTag::Delete => DiffOp::Delete { old_index, old_len, new_index },
            DiffTag::Insert => DiffOp::Insert { old_index, new_index, new_len },
            DiffTag::Replace => DiffOp::Replace { old_index, old_len, new_index, new_len },
        };
        (old_index, new_index) = (old_index + old_len, new_index + new_len);
        op
    });
    counted.collect()
}

/// Among how many lines of both sides, without those before the first change or those behind the last one, the shortest diff is
/// searched for. It takes up to the square of so many steps. Beyond, everything from the first changed line to the last one is replaced.
const MAX_CHANGED_LINES: usize = 8_000;

/// How many lines that stay a diff shows above and below those that change.
const CONTEXT_LINES: usize = 3;

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// A name in a diff as git writes it, so that none ends its line: with escapes and between quotation marks if it needs them.
fn quoted_name(name: &str) -> String {
    if !name.contains(['"', '\\']) && visible(name) == name {
        return name.to_owned();
    }
    let mut quoted = String::from("\"");
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            b' '..=b'~' => quoted.push(char::from(byte)),
            _ => quoted.push_str(&format!("\\{byte:03o}")),
        }
    }
    quoted + "\""
}
