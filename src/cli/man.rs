//! The command `man`: the manual pages of the program and of its commands, from the definition of the command line.

use crate::answer::{Answer, Runner};
use crate::args::definition_of_each;
use crate::own_file;
use crate::reply::{Failure, Output, Reply, document};
use crate::setup::Setup;
use clap_mangen::Man;
use skilltree::host::WriteError;
use skilltree::{Fs, FsPath, Json, visible};

/// What the page of a command has at its end.
const SEE_ALSO: &str = ".SH \"SEE ALSO\"\nskilltree(1), whose options under WHERE TO LOOK every command takes.\n";

/// How much of a page that is replaced is read.
const MAX_BYTES: u64 = 1 << 26;

impl Runner<'_> {
    pub(crate) fn man(self, dir: &str) -> Answer {
        let shown = visible(dir);
        let setup = Setup::new(self.options)?;
        let folder = setup.path(dir)?;
        let mut program = definition_of_each().disable_help_subcommand(true);
        program.build();
        page(&setup, &program, "", &folder).and_then(|()| commands(&setup, &program, &folder)).map_err(|error| {
            match error {
                WriteError::Symlink { .. } => error.into(),
                error => Failure::error("io", format!("cannot write manual pages into `{shown}`: {error}")),
            }
        })?;
        let out = match self.json {
            true => document(&Json::map([("dir", setup.fs.display(&folder).into_owned().into())])),
            false => Output::Exact(format!("the manual pages are in {shown}\n")),
        };
        Ok(Reply::new(out))
    }
}

/// The pages of the commands below this one.
fn commands(setup: &Setup, above: &clap::Command, dir: &FsPath) -> Result<(), WriteError> {
    for command in above.get_subcommands() {
        page(setup, command, SEE_ALSO, dir)?;
        commands(setup, command, dir)?;
    }
    Ok(())
}

fn page(setup: &Setup, command: &clap::Command, end: &str, dir: &FsPath) -> Result<(), WriteError> {
    let man = Man::new(command.clone()).source(concat!("skilltree ", env!("CARGO_PKG_VERSION")));
    let failed = |reason: String| WriteError::Failed { path: dir.clone(), reason };
    let path = dir.child(&man.get_filename()).map_err(|error| failed(error.to_string()))?;
    let mut text = Vec::new();
    man.render(&mut text).map_err(|error| failed(error.to_string()))?;
    text.extend_from_slice(end.as_bytes());
    let old = setup.fs.read(&path, MAX_BYTES).ok().map(|old| old.bytes);
    own_file::written(setup, &path, text, old).write(&setup.fs)
}
