//! The arguments of the command line: [`GlobalOptions`] and [`Command`].
//!
//! Global options may stand before or after the command: lists are joined; of single values, the later one counts.

mod values;

pub(crate) use values::{PermissionTag, Registration, seconds};

use crate::approve;
use crate::invoke::ExecuteArgs;
use crate::mcp;
use crate::pack;
use crate::script;
use clap::{Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use skilltree::visible;
use std::ffi::OsString;
use values::{permission, registration};

/// Reads a text that is not empty.
pub(crate) type NonEmptyText = clap::builder::NonEmptyStringValueParser;

#[derive(Parser)]
#[command(
    name = "skilltree",
    about = "Discovers, explains, budgets and loads Agent Skills (folders with a SKILL.md)",
    version,
    args_override_self = true,
    after_help = "Examples:\n  skilltree list\n  skilltree --dialect sven load sven/plan --as model\n  \
        skilltree check .claude/skills --strict\n\n\
        Exit codes: 0 success; 1 not found or errors found; 2 usage or I/O error."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

// No doc comment here: clap would take it for the text about the command.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Where to look")]
pub(crate) struct GlobalOptions {
    /// Skill system to emulate [default: $SKILLTREE_DIALECT, or else agentskills]
    #[arg(long, value_name = "NAME", value_parser = NonEmptyText::new())]
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
    /// Print one JSON document to standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// When to use colours: auto, always or never [default: auto]
    #[arg(long, value_name = "WHEN", hide_possible_values = true)]
    pub(crate) color: Option<ColorChoice>,
}

impl GlobalOptions {
    /// Combines these options with those further right.
    fn then(self, later: GlobalOptions) -> GlobalOptions {
        GlobalOptions {
            dialect: later.dialect.or(self.dialect),
            project: later.project.or(self.project),
            home: later.home.or(self.home),
            bundled: later.bundled.or(self.bundled),
            config: later.config.or(self.config),
            user: later.user.or(self.user),
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
            json: self.json || later.json,
            color: later.color.or(self.color),
        }
    }
}

/// The commands.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// List the skills as a table
    List,
    /// List the skills as a tree, nested skills below their parents
    Tree,
    /// Print the section for the system prompt
    #[command(after_help = "Example:\n  skilltree prompt --window 200000")]
    Prompt {
        #[command(flatten)]
        size: SizeArgs,
        /// The user's message, for dialects that select skills by it
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        query: Option<String>,
    },
    /// Print what the dialect's load tool returns for a skill
    #[command(after_help = "Example:\n  skilltree load pdf --as model")]
    Load {
        /// Key of the skill
        #[arg(allow_hyphen_values = true)]
        key: String,
        /// Who loads it
        #[arg(long = "as", value_enum, default_value_t = CallerArg::User)]
        caller: CallerArg,
        /// Arguments, for dialects whose skills take them
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        args: Option<String>,
        /// Key of a skill that is loaded already; may be repeated
        #[arg(long, value_name = "KEY")]
        already: Vec<String>,
    },
    /// Print the load tool's name, description and schema as JSON
    Tool {
        /// Print a function in this language that calls the tool instead
        #[arg(long, value_enum, value_name = "LANGUAGE")]
        stub: Option<Stub>,
        /// Command line of the agent that the function passes tasks for a separate agent to. With it, the function
        /// also runs the commands that a skill needs to run first
        #[arg(long, value_name = "COMMAND", requires = "stub", value_parser = NonEmptyText::new())]
        agent_command: Option<String>,
    },
    /// Call the load tool as the model, with JSON arguments
    #[command(after_help = "Example:\n  skilltree call '{\"name\": \"pdf\"}'")]
    Call {
        /// Arguments of the tool, a JSON object
        #[arg(value_name = "JSON", allow_hyphen_values = true)]
        arguments: String,
        #[command(flatten)]
        run: ExecuteArgs,
    },
    /// Print the message that a slash command sends
    #[command(after_help = "Examples:\n  skilltree invoke '/pdf fill in form.pdf'\n  \
            skilltree --dialect claude invoke '/review 42' --run --agent-command 'claude -p'")]
    Invoke {
        /// The line that the user typed: `/NAME ARGS`
        #[arg(value_name = "LINE", allow_hyphen_values = true)]
        line: String,
        #[command(flatten)]
        run: ExecuteArgs,
    },
    /// List the slash commands that the user may type
    Complete {
        /// Prefix of their names, in any letter case
        #[arg(default_value = "", hide_default_value = true, allow_hyphen_values = true)]
        prefix: String,
    },
    /// Print the skills that match a message, for dialects with triggers
    #[command(after_help = "Example:\n  skilltree --dialect agent-base match 'say hello' --recent hello-extended")]
    Match {
        /// The message
        #[arg(allow_hyphen_values = true)]
        text: String,
        /// Maximum number of skills
        #[arg(long, value_name = "N")]
        max: Option<usize>,
        /// Key of a recently used skill, most recent first; may be repeated
        #[arg(long, value_name = "KEY")]
        recent: Vec<String>,
    },
    /// Explain what happened to a skill or a file, and why
    #[command(after_help = "Examples:\n  skilltree why pdf\n  skilltree why .claude/skills/pdf/SKILL.md")]
    Why {
        /// Key, name or path
        #[arg(value_name = "NAME-OR-PATH", allow_hyphen_values = true)]
        asked: String,
        #[command(flatten)]
        size: SizeArgs,
    },
    /// Check skills and show findings with their lines; exits with 1 if any is an error
    #[command(after_help = "Example:\n  skilltree check .claude/skills --strict")]
    Check {
        /// SKILL.md, folder of a skill, tree of folders or `.skill` file [default: every source]
        #[arg(value_name = "PATH", value_parser = NonEmptyText::new())]
        paths: Vec<String>,
        /// Also report unknown fields and names that are not ASCII
        #[arg(long)]
        strict: bool,
        /// Dialect whose rules apply [default: that of --dialect]
        #[arg(long, value_name = "NAME", value_parser = NonEmptyText::new())]
        profile: Option<String>,
    },
    /// Show or change the states of skills, for dialects that have states
    State {
        /// Key of the skill
        #[arg(allow_hyphen_values = true)]
        key: Option<String>,
        /// New state
        #[arg(value_enum)]
        change: Option<Change>,
        /// Change the user's state file instead of the project's
        #[arg(long)]
        user_level: bool,
    },
    /// Run a script of a skill; exits with the script's exit code, or 2 if it was not run
    Run(script::RunArgs),
    /// Trust a project's skill until anything in its folder changes
    Approve(approve::ApproveArgs),
    /// Pack the folder of a skill into a `.skill` file
    Pack(pack::PackArgs),
    /// Unpack a `.skill` file into a new folder
    Unpack(pack::UnpackArgs),
    /// Copy skills to an activation root, for dialects that have one
    Sync {
        /// Activation root [default: that of --active, or else the one in the folder of --user]
        #[arg(long, value_name = "DIR", value_parser = NonEmptyText::new())]
        to: Option<String>,
        /// Only show what would be done
        #[arg(long)]
        dry_run: bool,
    },
    /// Run a Model Context Protocol server on standard input and output
    #[command(after_help = "Example:\n  claude mcp add skills -- skilltree mcp")]
    Mcp(mcp::McpArgs),
    /// List or call the tools of a skill
    Toolset {
        #[command(subcommand)]
        ask: crate::toolset::ToolsetCommand,
    },
    /// List the dialects, or print the table of one
    Dialect {
        /// Name of the dialect
        name: Option<String>,
    },
    /// Print a script that completes this command line
    #[command(
        after_help = "Example:\n  skilltree completions bash > ~/.local/share/bash-completion/completions/skilltree"
    )]
    Completions {
        /// Shell
        shell: Shell,
    },
    /// Print the version
    Version,
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct SizeArgs {
    /// Maximum size of the list in characters
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<usize>,
    /// Size of the model's context window in tokens
    #[arg(long, value_name = "TOKENS")]
    pub(crate) window: Option<usize>,
}

/// Who loads a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CallerArg {
    Model,
    User,
}

/// The language of a stub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stub {
    Python,
}

/// A new state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Change {
    Disable,
    Enable,
    Active,
    Next,
}

fn joined<T>(mut first: Vec<T>, second: Vec<T>) -> Vec<T> {
    first.extend(second);
    first
}

/// The options that are needed even if the command line cannot be parsed. They are guessed by searching the arguments
/// for them.
pub(crate) struct EarlyOptions {
    pub(crate) json: bool,
    pub(crate) color: ColorChoice,
}

impl EarlyOptions {
    pub(crate) fn of(words: &[OsString]) -> EarlyOptions {
        let mut early = EarlyOptions { json: false, color: ColorChoice::Auto };
        let mut words = words.iter().skip(1).filter_map(|word| word.to_str());
        while let Some(word) = words.next() {
            let color = match word {
                "--json" => {
                    early.json = true;
                    continue;
                }
                "--color" => words.next(),
                _ => word.strip_prefix("--color="),
            };
            if let Some(color) = color.and_then(|name| ColorChoice::from_str(name, true).ok()) {
                early.color = color;
            }
        }
        early
    }
}

/// Parses the command line. Errors contain the arguments escaped by [`visible`], as clap prints them raw.
pub(crate) fn parse(words: &[OsString], color: ColorChoice) -> Result<(GlobalOptions, Command), clap::Error> {
    read(words, color).map_err(|error| {
        let shown: Vec<OsString> =
            words.iter().map(|word| visible(&word.to_string_lossy()).into_owned().into()).collect();
        if shown == words {
            return error;
        }
        // Only an argument that is not UTF-8 can become valid when it is escaped, and that error contains no
        // argument.
        read(&shown, color).err().unwrap_or_else(|| definition().error(error.kind(), "an argument is not UTF-8"))
    })
}

fn read(words: &[OsString], color: ColorChoice) -> Result<(GlobalOptions, Command), clap::Error> {
    let matches = definition().color(color).try_get_matches_from(words)?;
    let mut options = GlobalOptions::from_arg_matches(&matches)?;
    let mut command = &matches;
    while let Some((_, after)) = command.subcommand() {
        options = options.then(GlobalOptions::from_arg_matches(after)?);
        command = after;
    }
    if options.mount.is_some() && options.active.is_none() && options.user.is_none() {
        return Err(
            definition().error(clap::error::ErrorKind::MissingRequiredArgument, "--mount needs --active or --user")
        );
    }
    Ok((options, Cli::from_arg_matches(&matches)?.command))
}

/// The definition of the command line. The global options are added to the program and to each command separately, as
/// clap's own global arguments lose the values of one side if both sides have some.
pub(crate) fn definition() -> clap::Command {
    GlobalOptions::augment_args(Cli::command()).mut_subcommands(|command| command.defer(with_global_options))
}

/// Adds the global options to a command; deferred, so that this is done only for commands that are parsed.
fn with_global_options(command: clap::Command) -> clap::Command {
    let options = GlobalOptions::augment_args(clap::Command::new(""));
    let options = options.get_arguments().map(|option| option.clone().hide_short_help(true));
    command.args_override_self(true).args(options).mut_subcommands(|command| command.defer(with_global_options))
}
