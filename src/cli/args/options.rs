//! The options that every command has: [`GlobalOptions`].

use super::NonEmptyText;
use super::values::{PermissionTag, Registration, permission, registration};
use clap::{Args, ColorChoice};
use skilltree::model::Reading;

// No doc comment here: clap would take it for the text about the command.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Where to look")]
pub(crate) struct GlobalOptions {
    /// Skill system to emulate, by name or as a YAML file [default: $SKILLTREE_DIALECT, or else that of skilltree.yaml,
    /// or else agentskills]
    #[arg(long, value_name = "NAME|FILE", value_parser = NonEmptyText::new())]
    pub(crate) dialect: Option<String>,
    /// Project folder [default: the working directory]
    #[arg(long, value_name = "DIR", value_parser = NonEmptyText::new())]
    pub(crate) project: Option<String>,
    /// Home directory [default: the user's]
    #[arg(long, value_name = "DIR", value_parser = NonEmptyText::new())]
    pub(crate) home: Option<String>,
    /// Folder of the skills that ship with the agent
    #[arg(long, value_name = "DIR", value_parser = NonEmptyText::new())]
    pub(crate) bundled: Option<String>,
    /// Configuration folder of the agent
    #[arg(long, value_name = "DIR", value_parser = NonEmptyText::new())]
    pub(crate) config: Option<String>,
    /// Folder of the user, whose activation root is read and kept up to date
    #[arg(long, value_name = "DIR", value_parser = NonEmptyText::new())]
    pub(crate) user: Option<String>,
    /// Folder of the settings and skills that an administrator manages [default: the client's own]
    #[arg(long, value_name = "DIR", value_parser = NonEmptyText::new())]
    pub(crate) managed: Option<String>,
    /// File or folder being worked on, which activates nested skills and `paths`; may be repeated
    #[arg(long, value_name = "PATH", value_parser = NonEmptyText::new())]
    pub(crate) touch: Vec<String>,
    /// Read files as the client itself does, including its faults [default: as the dialect says]
    #[arg(long, conflicts_with = "repair")]
    pub(crate) faithful: bool,
    /// Read files as their authors meant them, and repair invalid ones [default: as the dialect says]
    #[arg(long)]
    pub(crate) repair: bool,
    /// Activation root to read skills from
    #[arg(long, value_name = "DIR", value_parser = NonEmptyText::new())]
    pub(crate) active: Option<String>,
    /// Path at which the model sees the activation root (with --active or --user)
    #[arg(long, value_name = "PATH", value_parser = NonEmptyText::new())]
    pub(crate) mount: Option<String>,
    /// Register a skill file, folder or `.skill` file for the plugin ID; may be repeated
    #[arg(long, value_name = "ID=PATH", value_parser = registration)]
    pub(crate) register: Vec<Registration>,
    /// Add a source (folder or `.skill` file) of the highest precedence; may be repeated
    #[arg(long, value_name = "DIR", value_parser = NonEmptyText::new())]
    pub(crate) root: Vec<String>,
    /// Search only the sources given by --root
    #[arg(long)]
    pub(crate) only_roots: bool,
    /// Enable a skill (overrides --disable); may be repeated
    #[arg(long, value_name = "KEY", value_parser = NonEmptyText::new())]
    pub(crate) enable: Vec<String>,
    /// Disable a skill; may be repeated
    #[arg(long, value_name = "KEY", value_parser = NonEmptyText::new())]
    pub(crate) disable: Vec<String>,
    /// Trust the project's skills: grant the tools that they ask for, and run their scripts
    #[arg(long)]
    pub(crate) trust: bool,
    /// Follow symlinks of the project that lead out of its repository
    #[arg(long)]
    pub(crate) follow_links_out: bool,
    /// Grant the caller a permission; may be repeated
    #[arg(long, value_name = "TAG", value_parser = permission)]
    pub(crate) permission: Vec<PermissionTag>,
    /// Reserve a command name for the host; may be repeated
    #[arg(long, value_name = "NAME", value_parser = NonEmptyText::new())]
    pub(crate) reserved: Vec<String>,
    /// File that records what this conversation was shown and has loaded (`prompt`, `load`, `call`, `invoke`); a text that it
    /// already has is not sent again
    #[arg(long, value_name = "FILE", value_parser = NonEmptyText::new())]
    pub(crate) session: Option<String>,
    /// File to record the inputs of the answer in (`prompt`, `load`, `call`, `invoke`), from which `replay` reproduces it
    #[arg(long, value_name = "FILE", value_parser = NonEmptyText::new())]
    pub(crate) receipt: Option<String>,
    /// Print one JSON document to standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Suppress notes, and all findings except errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// When to use colours: auto, always or never [default: auto]
    #[arg(long, value_name = "WHEN", hide_possible_values = true)]
    pub(crate) color: Option<ColorChoice>,
}

impl GlobalOptions {
    /// How files are read; `None` leaves it to the dialect.
    pub(crate) fn reading(&self) -> Option<Reading> {
        match (self.faithful, self.repair) {
            (true, _) => Some(Reading::Faithful),
            (false, true) => Some(Reading::Repaired),
            (false, false) => None,
        }
    }

    /// Combines these options with those further right.
    pub(super) fn then(self, later: GlobalOptions) -> GlobalOptions {
        GlobalOptions {
            dialect: later.dialect.or(self.dialect),
            project: later.project.or(self.project),
            home: later.home.or(self.home),
            bundled: later.bundled.or(self.bundled),
            config: later.config.or(self.config),
            user: later.user.or(self.user),
            managed: later.managed.or(self.managed),
            touch: joined(self.touch, later.touch),
            faithful: self.faithful || later.faithful,
            repair: self.repair || later.repair,
            active: later.active.or(self.active),
            mount: later.mount.or(self.mount),
            register: joined(self.register, later.register),
            root: joined(self.root, later.root),
            only_roots: self.only_roots || later.only_roots,
            enable: joined(self.enable, later.enable),
            disable: joined(self.disable, later.disable),
            trust: self.trust || later.trust,
            follow_links_out: self.follow_links_out || later.follow_links_out,
            permission: joined(self.permission, later.permission),
            reserved: joined(self.reserved, later.reserved),
            session: later.session.or(self.session),
            receipt: later.receipt.or(self.receipt),
            json: self.json || later.json,
            quiet: self.quiet || later.quiet,
            color: later.color.or(self.color),
        }
    }
}

fn joined<T>(mut first: Vec<T>, second: Vec<T>) -> Vec<T> {
    first.extend(second);
    first
}
