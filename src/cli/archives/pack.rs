//! The commands `pack` and `unpack`.

use crate::answer::{Answer, Runner};
use crate::completion::keys;
use crate::host::resolved;
use crate::output::text::count;
use crate::output::{findings, style, table};
use crate::reply::{Exit, Failure, Output, Reply, document};
use crate::setup::{MAX_ARCHIVE_BYTES, Setup, archive_bytes, not_an_archive, put_below};
use crate::suggested::command;
use anstyle::Style;
use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use skilltree::discovery::FileWrite;
use skilltree::fs::{ArchiveFs, FileKind};
use skilltree::host::{Overwrite, UnpackError, Unpacked, WriteError};
use skilltree::package::Packed;
use skilltree::{CheckRequest, Diagnostic, Error, Fs, FsPath, OsFs, Severity, visible};
use std::path::Path;

// No doc comment here: clap would take it for the text about the command.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  skilltree pack pdf\n  skilltree pack .claude/skills/pdf -o pdf.skill")]
pub(crate) struct PackArgs {
    /// Key of the skill, its folder, or its SKILL.md
    #[arg(value_name = "KEY|FOLDER", add = ArgValueCompleter::new(keys))]
    skill: String,
    /// File to write [default: the skill's name with `.skill`, in the working directory]
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

// Nor here.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  skilltree unpack pdf.skill -d ~/.claude/skills")]
pub(crate) struct UnpackArgs {
    /// The `.skill` file
    file: String,
    /// Folder to create the skill's folder in [default: the working directory]
    #[arg(short, long = "dir", value_name = "DIR")]
    dir: Option<String>,
    /// Replace an existing folder
    #[arg(long)]
    force: bool,
}

impl Runner<'_> {
    pub(crate) fn pack(self, ask: &PackArgs) -> Answer {
        let setup = Setup::new(self.options)?;
        let folder = packed_folder(&setup, &ask.skill)?;
        let world = setup.world();
        let packed = skilltree::package::Packed::of(&world, &setup.dialect, &folder);
        if let Err(error @ Error::TooMuch { .. }) = packed {
            // Checking such a folder could take very long.
            return Err(error.into());
        }
        let found = skilltree::check(&world, &setup.dialect, std::slice::from_ref(&folder), &CheckRequest::default())?;
        if found.iter().any(is_error) {
            return Ok(self.refused(&setup, &folder, &found, "check-failed"));
        }
        let packed = packed?;
        if packed.findings.iter().any(is_error) {
            return Ok(self.refused(&setup, &folder, &packed.findings, "not-packed"));
        }
        let file = match &ask.output {
            Some(file) => setup.path(file)?,
            None => setup.path(&format!("./{}.skill", packed.name))?,
        };
        put(&setup, &folder, &file, &packed, ask.force)?;
        if self.json {
            return Ok(Reply::json(&packed.to_json(&setup.fs, &file)));
        }
        let rows: Vec<Vec<String>> =
            packed.files.iter().map(|file| vec![file.size.to_string(), visible(&file.name).into_owned()]).collect();
        let shown = visible(&setup.fs.display(&file)).into_owned();
        let head = format!("packed {} into {shown} ({})\n", visible(&packed.name), count(packed.bytes.len(), "byte"));
        let table = table::table(&[style::FAINT, Style::new()], None, &rows, self.screen.width);
        Ok(Reply::new(Output::Styled(head + &table)).with_stderr(&findings::about(&setup.fs, &packed.findings)))
    }

    pub(crate) fn unpack(self, ask: &UnpackArgs) -> Answer {
        let setup = Setup::new(self.options)?;
        let file = setup.path(&ask.file)?;
        let into = setup.path(ask.dir.as_deref().unwrap_or("."))?;
        let (archive, notes) = zip(&setup.fs, &file)?;
        if !notes.is_empty() {
            return Ok(self.refused(&setup, &file, &notes, "archive-refused"));
        }
        let stem = file.name().rsplit_once('.').map_or(file.name(), |(stem, _)| stem);
        let stem = if stem.is_empty() { "skill" } else { stem };
        let over = if ask.force { Overwrite::Replace } else { Overwrite::Refuse };
        let no_links_in = setup.places.no_links_in(&setup.fs);
        let unpacked = Unpacked::unpack(&setup.fs, &archive, &into, stem, over, no_links_in).map_err(|error| {
            let message = unpack_error_message(&error, ask);
            match error {
                UnpackError::Failed { .. } => Failure::error(error.code(), message),
                _ => Failure::negative(error.code(), message),
            }
        })?;
        if self.json {
            return Ok(Reply::json(&unpacked.to_json(&setup.fs, &file)));
        }
        let shown = visible(&setup.fs.display(&unpacked.folder)).into_owned();
        let names = unpacked.files.iter().map(|name| format!("{}\n", visible(name)));
        let bytes = usize::try_from(unpacked.bytes).unwrap_or(usize::MAX);
        let head = format!("unpacked {shown} ({}, {})\n", count(unpacked.files.len(), "file"), count(bytes, "byte"));
        Ok(Reply::new(Output::Styled(head + &names.collect::<String>())))
    }

    /// The reply that nothing is written because of these findings.
    fn refused(self, setup: &Setup, about: &FsPath, found: &[Diagnostic], code: &str) -> Reply {
        let failure = Failure::negative(code, findings::counted(found) + ", so nothing is written");
        let err = findings::counted_blocks(setup.files(), found) + &failure.to_stderr();
        if self.json {
            let known = failure.add_to_json(Packed::refused_json(&setup.fs, about, found));
            return Reply::new(document(&known)).with_stderr(&err).with_exit(Exit::Negative);
        }
        Reply::new(Output::Exact(String::new())).with_stderr(&err).with_exit(Exit::Negative)
    }
}

/// The message of an error of `unpack`, followed by the command that replaces an existing folder.
fn unpack_error_message(error: &UnpackError, ask: &UnpackArgs) -> String {
    match error {
        UnpackError::Exists(_) if ask.force => {
            format!("{error}, as it is not a folder; move it, or use another folder")
        }
        UnpackError::Exists(_) => {
            let dir = ask.dir.as_ref().map(|dir| format!("--dir={dir}"));
            let words: Vec<&str> = ["unpack", "--force"].into_iter().chain(dir.as_deref()).collect();
            format!("{error}; use another folder, or {} replaces it", command(&words, &[&ask.file]))
        }
        _ => error.to_string(),
    }
}

/// Opens a zip archive. The findings about ignored entries have paths below the path of the archive.
fn zip(fs: &OsFs, path: &FsPath) -> Result<(ArchiveFs, Vec<Diagnostic>), Failure> {
    let archive = ArchiveFs::new(archive_bytes(fs, path)?);
    let archive = archive.map_err(|error| not_an_archive(fs, path, &error.to_string()))?;
    let mut notes = archive.notes().to_vec();
    put_below(fs, path, &mut notes)?;
    Ok((archive, notes))
}

/// The folder with this path or that of the SKILL.md at it, or else that of the skill with this key.
fn packed_folder(setup: &Setup, asked: &str) -> Result<FsPath, Failure> {
    let file = setup.path(asked).ok().filter(|path| path.name() == "SKILL.md");
    let is_file = |path: &FsPath| matches!(setup.fs.metadata(path), Ok(Some(found)) if found.kind == FileKind::File);
    if let Some(folder) = file.filter(is_file).and_then(|path| path.parent()) {
        return Ok(folder);
    }
    let folder = setup.folder(asked, "folder");
    let is_there = matches!(setup.path(asked).map(|path| setup.fs.metadata(&path)), Ok(Ok(Some(_))));
    if is_there || is_path(asked) {
        return folder;
    }
    let catalog = skilltree::discover(&setup.world(), &setup.dialect);
    let found = catalog.find_any(asked).map_err(|error| setup.lookup_failure(&catalog, asked, error))?;
    Ok(found.dir())
}

/// Whether the words can only name a folder.
fn is_path(asked: &str) -> bool {
    asked.starts_with('.') || Path::new(asked).is_absolute()
}

fn is_error(finding: &Diagnostic) -> bool {
    finding.severity == Severity::Error
}

/// Writes the archive atomically.
fn put(setup: &Setup, folder: &FsPath, file: &FsPath, packed: &Packed, force: bool) -> Result<(), Failure> {
    let shown = visible(&setup.fs.display(file)).into_owned();
    if resolved(&setup.fs, file).starts_with(&resolved(&setup.fs, folder)) {
        let why = format!(
            "`{shown}` would be inside the folder that is packed; choose another place with \
             `--output`"
        );
        return Err(Failure::error("in-folder", why));
    }
    let could_not = |error: String| Failure::error("file-system", format!("`{shown}` cannot be written: {error}"));
    let replaces = match setup.fs.metadata(file).map_err(|error| could_not(error.to_string()))? {
        None => None,
        Some(metadata) if metadata.kind != FileKind::File => {
            return Err(could_not("it exists and is not a file".to_owned()));
        }
        Some(_) if !force => {
            let why = format!("`{shown}` exists already and is not overwritten; use `--force` or another `--output`");
            return Err(Failure::negative("exists", why));
        }
        Some(metadata) if MAX_ARCHIVE_BYTES < metadata.len => {
            return Err(could_not(format!(
                "it has {} bytes, more than any `.skill` file, so it is not replaced",
                metadata.len
            )));
        }
        Some(_) => Some(setup.fs.read(file, MAX_ARCHIVE_BYTES).map_err(|error| could_not(error.to_string()))?.bytes),
    };
    let mut change = FileWrite::new(file.clone(), packed.bytes.clone(), replaces);
    change.no_links_in = setup.places.no_links_in(&setup.fs).cloned();
    change.write(&setup.fs).map_err(|error| match error {
        WriteError::Symlink { .. } => error.into(),
        error => could_not(error.to_string()),
    })
}
