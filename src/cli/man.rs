//! The command `man`: the manual pages of the program and of its commands, from the definition of the command line.

use crate::answer::{Answer, Runner};
use crate::args::definition_of_each;
use crate::reply::{Failure, Output, Reply, document};
use clap_mangen::Man;
use skilltree::{Json, visible};
use std::fs;
use std::io;
use std::path::{self, Path};

/// What the page of a command has at its end.
const SEE_ALSO: &str = ".SH \"SEE ALSO\"\nskilltree(1), whose options under WHERE TO LOOK every command takes.\n";

impl Runner<'_> {
    pub(crate) fn man(self, dir: &str) -> Answer {
        let shown = visible(dir);
        let absolute = write(Path::new(dir))
            .and_then(|()| path::absolute(dir))
            .map_err(|error| Failure::error("io", format!("cannot write manual pages into `{shown}`: {error}")))?;
        let out = match self.json {
            true => document(&Json::map([("dir", absolute.to_string_lossy().into_owned().into())])),
            false => Output::Exact(format!("the manual pages are in {shown}\n")),
        };
        Ok(Reply::new(out))
    }
}

fn write(dir: &Path) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    let mut program = definition_of_each().disable_help_subcommand(true);
    program.build();
    page(&program, "", dir)?;
    commands(&program, dir)
}

/// The pages of the commands below this one.
fn commands(above: &clap::Command, dir: &Path) -> io::Result<()> {
    for command in above.get_subcommands() {
        page(command, SEE_ALSO, dir)?;
        commands(command, dir)?;
    }
    Ok(())
}

fn page(command: &clap::Command, end: &str, dir: &Path) -> io::Result<()> {
    let man = Man::new(command.clone()).source(concat!("skilltree ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    man.render(&mut text)?;
    text.extend_from_slice(end.as_bytes());
    fs::write(dir.join(man.get_filename()), text)
}
