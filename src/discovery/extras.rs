//! What not every host needs, as a value of the [`World`]: the recovery of frontmatter that is not valid, and the readers of
//! what a client and its user keep beside skills. The core calls them through this value alone, so that a program
//! whose worlds are all lean links none of them. A lean world has other functions in their place: they report what is not
//! read, and withhold what that could restrict.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Dialect, SourceKind};
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

/// What is noticed apart from the skills themselves.
#[derive(Default)]
pub(crate) struct Noticed {
    pub(crate) findings: Vec<Diagnostic>,
    /// What the file system has yet to fetch.
    pub(crate) pending: Vec<FsPath>,
}

/// A reader of files beside the skills.
type Beside<T> = fn(&World<'_>, &Dialect, &mut Noticed) -> T;

/// Finds the plugins in a folder, by what the source holds.
type FindPlugins = fn(&World<'_>, &Dialect, (&FsPath, &SourceKind), &mut Noticed) -> Vec<PluginSkills>;

/// What not every host needs, or what a lean world does instead.
pub(crate) struct Extras {
    pub(crate) is_lean: bool,
    /// Splits a text into frontmatter and body.
    pub(crate) split: fn(&str) -> Split,
    /// What the author of a valid YAML text meant, if it misleads.
    pub(crate) reread: fn(&Dialect, &mut DiagnosticSink<'_>, (&str, usize), &Document) -> Option<Read>,
    /// What the author of a text meant that is not valid YAML.
    pub(crate) repair: fn(&Dialect, &mut DiagnosticSink<'_>, (&str, usize)) -> Option<Read>,
    /// What a client does with a frontmatter that it cannot read as YAML.
    pub(crate) recover: fn(&Dialect, &mut DiagnosticSink<'_>, &FaithfulParts, FaithfulFault) -> FrontmatterOutcome,
    pub(crate) settings: Beside<Settings>,
    pub(crate) states: Beside<States>,
    pub(crate) choices: Beside<Choices>,
    pub(crate) plugins: FindPlugins,
}

impl Extras {
    pub(crate) const FULL: &'static Extras = &Extras {
        is_lean: false,
        split: frontmatter::split,
        reread: manifest::reread,
        repair: manifest::repair,
        recover: manifest::recover,
        settings: settings::read,
        states: state::read,
        choices: |world, _, noticed| choices::read(world, noticed),
        plugins: plugins::plugins,
    };

    /// Nothing is recovered, and what is there beside the skills is reported and not read.
    pub(crate) const LEAN: &'static Extras = &Extras {
        is_lean: true,
        split: frontmatter::split_at_fences,
        reread: manifest::report_misleading,
        repair: |_, _, _| None,
        recover: manifest::report_unrecovered,
        settings: settings::unread,
        states: state::unread,
        choices: |world, _, noticed| choices::unread(world, noticed),
        plugins: |world, _, (root, ..), noticed| {
            is_not_read(world.fs, root, "the folder of plugins", noticed);
            Vec::new()
        },
    };
}

/// Whether a lean world does not read a file or folder that is there, which it reports: `what` says what that is.
pub(crate) fn is_not_read(fs: &dyn Fs, path: &FsPath, what: &str, noticed: &mut Noticed) -> bool {
    match fs.metadata(path) {
        Ok(None) => return false,
        Err(FsError::Pending(path)) => {
            noticed.pending.push(path);
            return false;
        }
        // What cannot be looked at may be there.
        Ok(Some(_)) | Err(_) => {}
    }
    let message = format!("{what} is not read in a lean world");
    noticed.findings.push(
        Diagnostic::new(Severity::Warning, Code::NotRead, path.clone(), message)
            .help("make the world by `World::new`, which reads it"),
    );
    true
}
