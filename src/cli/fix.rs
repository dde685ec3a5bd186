//! The option `--fix` of the command `check`: writes the mended files, or shows what would change.

use crate::output::style::{self, paint};
use crate::reply::Failure;
use crate::setup::Setup;
use clap::{Args, ValueEnum};
use similar::TextDiff;
use skilltree::author::{FixRequest, FixScope, FixedFile};
use skilltree::discovery::FileWrite;
use skilltree::fs::FileKind;
use skilltree::{CheckRequest, Dialect, Fs, FsPath, Json, visible};
use std::borrow::Cow;
use std::sync::Arc;

/// The arguments of `check` about mending.
#[derive(Args, Debug)]
pub(crate) struct FixArgs {
    /// Apply the corrections that change no value; `all` also corrects names, misspelled keys and missing
    /// fences
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
    /// Also correct names, misspelled keys and missing fences
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
                    if let Err(failure) = put(setup, &mut file) {
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
            fixes.shown.push_str(&line(setup, &file));
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

/// Why a file is not written: a symlink leads out of the project, or it is in an archive.
fn refusal(setup: &Setup, file: &FixedFile) -> Option<Cow<'static, str>> {
    if let Err(error) = &file.real {
        return Some(visible(&error.to_string()).into_owned().into());
    }
    let mut above = file.path.parent();
    while let Some(folder) = above {
        match setup.fs.metadata(&folder) {
            Ok(Some(metadata)) if metadata.kind == FileKind::Dir => return None,
            Ok(Some(_)) => {
                let why = "files in archives are not changed; unpack the archive, fix the file, and pack it again";
                return Some(why.into());
            }
            Ok(None) | Err(_) => above = folder.parent(),
        }
    }
    None
}

/// Writes a file and renames it. What was not done is removed from the plan.
fn put(setup: &Setup, file: &mut FixedFile) -> Result<(), Failure> {
    let renamed = file.renamed_to.take();
    let lines = std::mem::take(&mut file.lines);
    // The files that must not be written have been left out.
    let (Ok(plan), Ok(real)) = (file.write(), &file.real) else { return Ok(()) };
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
fn line(setup: &Setup, file: &FixedFile) -> String {
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
    let (old, new) = (name(&file.path, "a"), name(file.renamed_to.as_ref().unwrap_or(&file.path), "b"));
    let rename = match &file.renamed_to {
        Some(_) => {
            let bare = |name: &str| name.get(2..).unwrap_or_default().to_owned();
            let (from, to) = (bare(&old), bare(&new));
            format!("diff --git {old} {new}\nrename from {from}\nrename to {to}\n")
        }
        None => String::new(),
    };
    let (before, after) = (String::from_utf8_lossy(&file.before), String::from_utf8_lossy(&file.after));
    let diff = TextDiff::from_lines(before.as_ref(), after.as_ref());
    format!("{rename}{}", diff.unified_diff().header(&old, &new))
}
