//! The commands `new` and `convert`, and the folder in which the dialect finds a new skill.

use crate::answer::{Answer, Runner, note_line};
use crate::args::{GlobalOptions, Listed, NonEmptyText};
use crate::completion;
use crate::dialects::Dialects;
use crate::reply::{Failure, Output, Reply};
use crate::setup::Setup;
use crate::suggested::{command, command_at};
use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use skilltree::author::{NewFolder, NewSkill, NewSkillRequest};
use skilltree::discovery::{Presence, SearchedPlace};
use skilltree::fs::FileKind;
use skilltree::host::NewFolderError;
use skilltree::model::Origin;
use skilltree::{Fs, FsPath, visible};

// No doc comment here: clap would take it for the text about the command.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  skilltree --dialect claude new brew-tea --with scripts,references")]
pub(crate) struct NewArgs {
    /// Name of the skill and of its folder
    #[arg(value_parser = NonEmptyText::new(), allow_hyphen_values = true)]
    name: String,
    /// Folder to create the skill's folder in; created if it does not exist [default: where the dialect looks for skills
    /// of the project, such as .claude/skills]
    #[arg(short, long, value_name = "DIR", value_parser = NonEmptyText::new())]
    dir: Option<String>,
    /// What the skill does and when to use it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    description: Option<String>,
    /// Folders to create in it, separated by commas
    #[arg(long, value_name = "FOLDERS", value_delimiter = ',', value_parser = Listed::<FolderArg>::new())]
    with: Vec<FolderArg>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FolderArg {
    Scripts,
    References,
    Assets,
}

impl Runner<'_> {
    pub(crate) fn new_skill(self, ask: &NewArgs) -> Answer {
        let setup = Setup::new(self.options)?;
        let places = setup.world().searched_places(&setup.dialect);
        let into = match &ask.dir {
            Some(dir) => setup.path(dir)?,
            None => place_of_new(&setup, &places).map_or_else(|| setup.path("."), Ok)?,
        };
        let with = ask.with.iter().map(|folder| match folder {
            FolderArg::Scripts => NewFolder::Scripts,
            FolderArg::References => NewFolder::References,
            FolderArg::Assets => NewFolder::Assets,
        });
        let with = with.collect();
        let description = ask.description.clone().unwrap_or_default();
        let skill = NewSkill::of(&setup.dialect, &NewSkillRequest { name: ask.name.clone(), description, with })
            .map_err(|found| {
                let mut messages: Vec<&str> = found.iter().map(|finding| finding.message.as_str()).collect();
                // Several files may be affected by the same thing.
                messages.dedup();
                let failure =
                    Failure::error("check-failed", format!("the skill was not created: {}", messages.join("; ")));
                failure.with_help(found.iter().find_map(|finding| finding.help.clone()))
            })?;
        let no_links_in = setup.places.no_links_in(&setup.fs);
        let folder = skill.write(&setup.fs, &into, no_links_in).map_err(new_folder_failure)?;
        if self.json {
            return Ok(Reply::json(&skill.to_json(&setup.fs, &folder)));
        }
        let shown = short(&setup, &folder);
        let next = format!(
            "write its description and its text in `{}`; then {} checks it",
            visible(&short(&setup, &folder.child("SKILL.md").unwrap_or_else(|_| folder.clone()))),
            command(&["check"], &[&shown])
        );
        let mut told = note_line(&next);
        if !places.iter().any(|place| place.holds_skills && into.starts_with(&place.path)) {
            let root = short(&setup, &into);
            let list = command_at(|options: &mut GlobalOptions| options.root.push(root), &["list"], &[]);
            told.push_str(&note_line(&format!(
                "the dialect `{}` does not search this folder; {list} does",
                visible(setup.dialect.name())
            )));
        }
        let out = Output::Styled(format!("{}\n", visible(&setup.fs.display(&folder))));
        Ok(Reply::new(out).with_stderr(&told))
    }
}

/// Where the dialect finds a new skill: of the folders that it searches, one that the user has named, or else the
/// project's own, or else the user's; among these the one with the highest precedence.
pub(crate) fn place_of_new(setup: &Setup, places: &[SearchedPlace]) -> Option<FsPath> {
    // An archive or a revision is searched like a folder, but nothing can be created in it.
    let is_folder =
        |fs: &dyn Fs, dir: &FsPath| matches!(fs.metadata(dir), Ok(Some(found)) if found.kind == FileKind::Dir);
    let is_mounted = |dir: &FsPath| is_folder(setup.files(), dir) && !is_folder(&setup.fs, dir);
    let usable = |looked: &&SearchedPlace| {
        looked.holds_skills && !matches!(looked.presence, Presence::Unreadable(_)) && !is_mounted(&looked.path)
    };
    let rank = |looked: &SearchedPlace| match looked.origin {
        Origin::Extra => 4,
        // Folders above the project belong to others, too.
        Origin::Project if looked.path.starts_with(&setup.project) => 3,
        Origin::Project => 2,
        Origin::User => 1,
        _ => 0,
    };
    // Of equal ranks, `max_by_key` returns the last, which has the highest precedence.
    places.iter().filter(usable).max_by_key(|looked| rank(looked)).map(|looked| looked.path.clone())
}

/// The shortest form of the path: relative to the working directory if it is below it and no project is named.
pub(crate) fn short(setup: &Setup, path: &FsPath) -> String {
    match setup.below_working_directory(path).filter(|_| setup.options.project.is_none()) {
        Some("") => ".".to_owned(),
        Some(below) if !below.starts_with('-') => below.to_owned(),
        _ => setup.fs.display(path).into_owned(),
    }
}

// No doc comment here: clap would take it for the text about the command.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  skilltree convert pdf --to claude -d .claude/skills")]
pub(crate) struct ConvertArgs {
    /// Key of the skill
    #[arg(allow_hyphen_values = true, add = ArgValueCompleter::new(completion::keys))]
    key: String,
    /// Dialect to convert the skill to
    #[arg(long, value_name = "DIALECT", value_parser = NonEmptyText::new(), add = ArgValueCompleter::new(completion::dialects))]
    to: String,
    /// Folder to create the skill's folder in; created if it does not exist [default: the working directory]
    #[arg(short, long = "dir", value_name = "DIR", value_parser = NonEmptyText::new())]
    dir: Option<String>,
}

impl Runner<'_> {
    pub(crate) fn convert(self, ask: &ConvertArgs) -> Answer {
        let to = Dialects::new(self.options).named(Some(&ask.to))?.dialect;
        let (setup, catalog) = self.discover()?;
        let into = setup.path(ask.dir.as_deref().unwrap_or("."))?;
        let skill = catalog.find_any(&ask.key).map_err(|error| setup.lookup_failure(&catalog, &ask.key, error))?;
        let converted = skilltree::author::Conversion::of(&setup.world(), &catalog, skill, &to)?;
        let no_links_in = setup.places.no_links_in(&setup.fs);
        let folder = converted.write(setup.files(), &setup.fs, &into, no_links_in).map_err(new_folder_failure)?;
        if self.json {
            return Ok(Reply::json(&converted.to_json(&setup.fs, &folder)));
        }
        let lines = converted.lost.iter().map(|loss| format!("lost {}: {}\n", visible(&loss.field), loss.reason));
        let shown = visible(&setup.fs.display(&folder)).into_owned();
        Ok(Reply::new(Output::Styled(format!("{shown}\n{}", lines.collect::<String>()))))
    }
}

fn new_folder_failure(error: NewFolderError) -> Failure {
    let message = match &error {
        NewFolderError::Exists(_) => format!("{error}; choose another folder with `--dir`"),
        _ => error.to_string(),
    };
    match error {
        NewFolderError::Exists(_) | NewFolderError::Symlink { .. } => Failure::negative(error.code(), message),
        _ => Failure::error(error.code(), message),
    }
}
