//! What not every host needs, as a value of the [`World`]: the recovery of frontmatter that is not valid, and the readers of
//! what a client and its user keep beside skills. The core calls them through this value alone, so that a program
//! whose worlds are all lean links none of them. What a lean world does instead is here too: it reports what it has not
//! read, and withholds what that could restrict.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::discovery::choices::{self, Choices};
use crate::discovery::manifest::{self, DiagnosticSink, FaithfulFault, FaithfulParts, FrontmatterOutcome, Read};
use crate::discovery::settings::{self, Settings};
use crate::discovery::source::plugins::{self, PluginSkills};
use crate::discovery::state::{self, States};
use crate::discovery::world::World;
use crate::fs::{Fs, FsError};
use crate::path::FsPath;
use crate::text::frontmatter::{self, Split};
use crate::text::yaml::Document;

/// The extras of a world; none in a lean one.
pub(crate) type Extras = Option<&'static ExtraParts>;

/// A reader of files beside the skills. It adds findings, and files that the file system has yet to fetch.
type Beside<T> = fn(&World<'_>, &Dialect, &mut Vec<Diagnostic>, &mut Vec<FsPath>) -> T;

/// Finds the plugins in a folder, by the name of a list in it and the path of the skills in each plugin.
type FindPlugins = fn(
    &World<'_>,
    &Dialect,
    (&FsPath, Option<&str>, &str),
    &mut Vec<Diagnostic>,
    &mut Vec<FsPath>,
) -> Vec<PluginSkills>;

/// What not every host needs.
pub(crate) struct ExtraParts {
    /// Splits a text into frontmatter and body, if its fences are wrong or missing too.
    pub(crate) split: fn(&str) -> Split,
    /// What the author of a valid YAML text meant that misleads.
    pub(crate) reread: fn(&Dialect, &mut DiagnosticSink<'_>, (&str, usize), &Document) -> Option<Read>,
    /// What the author of a text meant that is not valid YAML.
    pub(crate) repair: fn(&Dialect, &mut DiagnosticSink<'_>, (&str, usize)) -> Option<Read>,
    /// What a client does with a frontmatter that it cannot read as YAML.
    pub(crate) recover: fn(&Dialect, &mut DiagnosticSink<'_>, &FaithfulParts, FaithfulFault) -> FrontmatterOutcome,
    /// Reads the settings files of the client.
    pub(crate) settings: Beside<Settings>,
    /// Reads the states that the user has given to skills.
    pub(crate) states: Beside<States>,
    /// Reads the choices of the user and of the project.
    pub(crate) choices: Beside<Choices>,
    /// Finds the plugins of a source.
    pub(crate) plugins: FindPlugins,
}

/// All extras.
pub(crate) const ALL: Extras = Some(&ExtraParts {
    split: frontmatter::split,
    reread: manifest::reread,
    repair: manifest::repair,
    recover: manifest::recover,
    settings: settings::read,
    states: state::read,
    choices: |world, _, findings, pending| choices::read(world, findings, pending),
    plugins: plugins::plugins,
});

/// Whether a lean world does not read a file or folder that is there, which it reports: `what` says what that is.
pub(crate) fn is_not_read(
    fs: &dyn Fs,
    path: &FsPath,
    what: &str,
    findings: &mut Vec<Diagnostic>,
    pending: &mut Vec<FsPath>,
) -> bool {
    match fs.metadata(path) {
        Ok(None) => return false,
        Err(FsError::Pending(path)) => {
            pending.push(path);
            return false;
        }
        // What cannot be looked at may be there.
        Ok(Some(_)) | Err(_) => {}
    }
    let message = format!("{what} is not read in a lean world");
    findings.push(
        Diagnostic::new(Severity::Warning, Code::NotRead, path.clone(), message)
            .help("make the world by `World::new`, which reads it"),
    );
    true
}

/// The settings of the client, or what holds in a lean world.
pub(crate) fn read_settings(
    world: &World<'_>,
    dialect: &Dialect,
    findings: &mut Vec<Diagnostic>,
    pending: &mut Vec<FsPath>,
) -> Settings {
    match world.extras {
        Some(extras) => (extras.settings)(world, dialect, findings, pending),
        None => settings::unread(world, dialect, findings, pending),
    }
}
