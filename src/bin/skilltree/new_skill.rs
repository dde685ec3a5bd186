//! The command `new`.

use crate::args::NonEmptyText;
use crate::convert::new_folder_failure;
use crate::reply::{Failure, Output, Reply};
use crate::run::{Answer, Runner};
use crate::setup::Setup;
use clap::{Args, ValueEnum};
use skilltree::answers::{NewFolder, NewSkillRequest, new_skill};
use skilltree::host::write_new_skill;
use skilltree::{Fs, report, visible};

// No doc comment here: clap would take it for the text about the command.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  skilltree new brew-tea --dir .claude/skills --with scripts,references")]
pub(crate) struct NewArgs {
    /// Name of the skill and of its folder
    #[arg(value_parser = NonEmptyText::new(), allow_hyphen_values = true)]
    name: String,
    /// Folder to create the skill's folder in; created if it does not exist [default: the working directory]
    #[arg(short, long, value_name = "DIR", value_parser = NonEmptyText::new())]
    dir: Option<String>,
    /// What the skill does and when to use it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    description: Option<String>,
    /// Folders to create in it, separated by commas
    #[arg(long, value_name = "FOLDERS", value_delimiter = ',', value_enum)]
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
        let into = setup.path(ask.dir.as_deref().unwrap_or("."))?;
        let with = ask.with.iter().map(|folder| match folder {
            FolderArg::Scripts => NewFolder::Scripts,
            FolderArg::References => NewFolder::References,
            FolderArg::Assets => NewFolder::Assets,
        });
        let with = with.collect();
        let description = ask.description.clone().unwrap_or_default();
        let skill = new_skill(&setup.dialect, &NewSkillRequest { name: ask.name.clone(), description, with }).map_err(
            |found| {
                let messages: Vec<&str> = found.iter().map(|finding| finding.message.as_str()).collect();
                let failure =
                    Failure::error("check-failed", format!("the skill was not made: {}", messages.join("; ")));
                match found.iter().find_map(|finding| finding.help.clone()) {
                    Some(help) => failure.with_help(help),
                    None => failure,
                }
            },
        )?;
        let no_links_in = setup.places.no_links_in(&setup.fs);
        let folder = write_new_skill(&setup.fs, &skill, &into, no_links_in).map_err(new_folder_failure)?;
        if self.json {
            return Ok(Reply::json(&report::new_skill(&setup.fs, &folder)));
        }
        Ok(Reply::new(Output::Styled(format!("{}\n", visible(&setup.fs.display(&folder))))))
    }
}
