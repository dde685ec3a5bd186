//! The command `convert`.

use crate::args::NonEmptyText;
use crate::dialects::Dialects;
use crate::reply::{Failure, Output, Reply};
use crate::run::{Answer, Runner};
use clap::Args;
use skilltree::host::NewFolderError;
use skilltree::{Fs, visible};

// No doc comment here: clap would take it for the text about the command.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  skilltree convert pdf --to claude -d .claude/skills")]
pub(crate) struct ConvertArgs {
    /// Key of the skill
    #[arg(allow_hyphen_values = true)]
    key: String,
    /// Dialect to convert the skill to
    #[arg(long, value_name = "DIALECT", value_parser = NonEmptyText::new())]
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

/// The failure for a folder that was not written.
pub(crate) fn new_folder_failure(error: NewFolderError) -> Failure {
    let message = match &error {
        NewFolderError::Exists(_) => format!("{error}; choose another folder with `--dir`"),
        _ => error.to_string(),
    };
    match error {
        NewFolderError::Symlink { .. } => Failure::negative(error.code(), message),
        _ => Failure::error(error.code(), message),
    }
}
