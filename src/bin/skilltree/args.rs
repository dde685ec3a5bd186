//! In: the words of the command line. Out: where to look ([`Where`]) and what to answer ([`Command`]).
//! The options of [`Where`] may stand before or after the command: lists are joined, of single values the
//! later one counts. Absent: any look at a disk or at the environment.

mod values;

pub(crate) use values::seconds;

use crate::approve;
use crate::invoke::Run;
use crate::mcp;
use crate::pack;
use crate::script;
use clap::{Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use skilltree::visible;
use std::ffi::OsString;
use values::{permission, registration};

/// Reads a text that is not empty.
pub(crate) type Text = clap::builder::NonEmptyStringValueParser;

#[derive(Parser)]
#[command(
    name = "skilltree",
    about = "Discovers, explains, budgets and loads Agent Skills (folders with a SKILL.md)",
    version,
    args_override_self = true,
    after_help = "Examples:\n  skilltree list\n  skilltree --dialect sven load sven/plan --as model\n  \
        skilltree check .claude/skills --strict\n\n\
        Exit codes: 0 answered, 1 answered \"no\", 2 could not answer."
)]
struct Line {
    #[command(subcommand)]
    command: Command,
}

// No doc comment here: clap would take it for the text about the command.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Where to look")]
pub(crate) struct Where {
    /// The table to use [default: $SKILLTREE_DIALECT, else agentskills]
    #[arg(long, value_name = "NAME", value_parser = Text::new())]
    pub(crate) dialect: Option<String>,
    /// The project [default: the working directory]
    #[arg(long, value_name = "DIR", value_parser = Text::new())]
    pub(crate) project: Option<String>,
    /// The home directory [default: the user's]
    #[arg(long, value_name = "DIR", value_parser = Text::new())]
    pub(crate) home: Option<String>,
    /// The skills that ship with the agent
    #[arg(long, value_name = "DIR", value_parser = Text::new())]
    pub(crate) bundled: Option<String>,
    /// The agent's configuration folder
    #[arg(long, value_name = "DIR", value_parser = Text::new())]
    pub(crate) config: Option<String>,
    /// The user's folder; its activation root is read and kept up to date
    #[arg(long, value_name = "DIR", value_parser = Text::new())]
    pub(crate) user: Option<String>,
    /// Read skills from this activation root
    #[arg(long, value_name = "DIR", value_parser = Text::new())]
    pub(crate) active: Option<String>,
    /// The path under which the model sees the activation root (with --active or --user)
    #[arg(long, value_name = "PATH", value_parser = Text::new())]
    pub(crate) mount: Option<String>,
    /// One more skill file, folder or `.skill` file, as plugin ID registers it; may repeat
    #[arg(long, value_name = "ID=PATH", value_parser = registration)]
    pub(crate) register: Vec<String>,
    /// One more source, a folder or a `.skill` file, above all others; may repeat
    #[arg(long, value_name = "DIR", value_parser = Text::new())]
    pub(crate) root: Vec<String>,
    /// No sources but those of --root
    #[arg(long)]
    pub(crate) only_roots: bool,
    /// Switch a skill on (beats --disable); may repeat
    #[arg(long, value_name = "KEY", value_parser = Text::new())]
    pub(crate) enable: Vec<String>,
    /// Switch a skill off; may repeat
    #[arg(long, value_name = "KEY", value_parser = Text::new())]
    pub(crate) disable: Vec<String>,
    /// What the project's skills ask for may be granted, and their scripts run
    #[arg(long)]
    pub(crate) trust: bool,
    /// Let links that the project ships lead out of its repository
    #[arg(long)]
    pub(crate) follow_links_out: bool,
    /// A permission that the caller holds; may repeat
    #[arg(long, value_name = "TAG", value_parser = permission)]
    pub(crate) permission: Vec<String>,
    /// A command name that the host keeps for itself; may repeat
    #[arg(long, value_name = "NAME", value_parser = Text::new())]
    pub(crate) reserved: Vec<String>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Colours: auto, always or never [default: auto]
    #[arg(long, value_name = "WHEN", hide_possible_values = true)]
    pub(crate) color: Option<ColorChoice>,
}

impl Where {
    /// These options, then those that stand further right.
    fn then(self, later: Where) -> Where {
        let joined = |mut first: Vec<String>, second: Vec<String>| {
            first.extend(second);
            first
        };
        Where {
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

/// What to answer.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// The skills as a table
    List,
    /// The skills as a tree, nested ones under their parents
    Tree,
    /// The section for the system prompt
    #[command(after_help = "Example:\n  skilltree prompt --window 200000")]
    Prompt {
        #[command(flatten)]
        size: Size,
        /// What the user asks, for dialects that choose by it
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        query: Option<String>,
    },
    /// What loading a skill gives
    #[command(after_help = "Example:\n  skilltree load pdf --as model")]
    Load {
        /// The skill
        #[arg(allow_hyphen_values = true)]
        key: String,
        /// Who loads it
        #[arg(long = "as", value_enum, default_value_t = As::User)]
        caller: As,
        /// Arguments, for dialects whose skills take them
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        args: Option<String>,
        /// A skill that is loaded already; may repeat
        #[arg(long, value_name = "KEY")]
        already: Vec<String>,
    },
    /// The load tool as a model sees it, always as JSON
    Tool {
        /// A function that calls the tool, in this language, instead
        #[arg(long, value_enum, value_name = "LANGUAGE")]
        stub: Option<Stub>,
        /// The agent that the function gives a task for an agent of its own to: a program and its words. The function
        /// then runs the commands that a skill wants run first, too
        #[arg(long, value_name = "COMMAND", requires = "stub", value_parser = Text::new())]
        agent_command: Option<String>,
    },
    /// The load tool, called by the model with these arguments
    #[command(after_help = "Example:\n  skilltree call '{\"name\": \"pdf\"}'")]
    Call {
        /// The arguments, a JSON object
        #[arg(value_name = "JSON", allow_hyphen_values = true)]
        arguments: String,
        #[command(flatten)]
        run: Run,
    },
    /// The message that a slash command sends
    #[command(after_help = "Examples:\n  skilltree invoke '/pdf fill in form.pdf'\n  \
            skilltree --dialect claude invoke '/review 42' --run --agent-command 'claude -p'")]
    Invoke {
        /// What the user typed: `/NAME ARGS`
        #[arg(value_name = "LINE", allow_hyphen_values = true)]
        line: String,
        #[command(flatten)]
        run: Run,
    },
    /// The slash commands that a user may type
    Complete {
        /// How they begin; letter case does not count
        #[arg(default_value = "", hide_default_value = true, allow_hyphen_values = true)]
        prefix: String,
    },
    /// The skills that a message asks for, where a dialect has triggers
    #[command(after_help = "Example:\n  skilltree --dialect agent-base match 'say hello' --recent hello-extended")]
    Match {
        /// The message
        #[arg(allow_hyphen_values = true)]
        text: String,
        /// At most so many skills
        #[arg(long, value_name = "N")]
        max: Option<usize>,
        /// A skill used lately, the latest first; may repeat
        #[arg(long, value_name = "KEY")]
        recent: Vec<String>,
    },
    /// What became of a skill or a file, and why
    #[command(after_help = "Examples:\n  skilltree why pdf\n  skilltree why .claude/skills/pdf/SKILL.md")]
    Why {
        /// A key, a name, or a path
        #[arg(value_name = "NAME-OR-PATH", allow_hyphen_values = true)]
        asked: String,
        #[command(flatten)]
        size: Size,
    },
    /// Findings, with the line and a caret; exit code 1 if any is an error
    #[command(after_help = "Example:\n  skilltree check .claude/skills --strict")]
    Check {
        /// A SKILL.md, a skill's folder, a tree or a `.skill` file [default: every source]
        #[arg(value_name = "PATH", value_parser = Text::new())]
        paths: Vec<String>,
        /// Look more closely: unknown fields, ASCII names
        #[arg(long)]
        strict: bool,
        /// The dialect whose rules count [default: that of --dialect]
        #[arg(long, value_name = "NAME", value_parser = Text::new())]
        profile: Option<String>,
    },
    /// The states of skills, or a change, where a dialect has states
    State {
        /// The skill
        #[arg(allow_hyphen_values = true)]
        key: Option<String>,
        /// Its new state
        #[arg(value_enum)]
        change: Option<Change>,
        /// In the user's store, not the project's
        #[arg(long)]
        user_level: bool,
    },
    /// A script of a skill, run; its exit code, or 2 where it was not run
    Run(script::Ask),
    /// Lets what a project's skill asks for be granted, and its scripts run, until anything in its folder changes
    Approve(approve::Ask),
    /// A skill's folder as one `.skill` file
    Pack(pack::Ask),
    /// The skill in a `.skill` file, as a new folder
    Unpack(pack::UnpackAsk),
    /// Copies skills to an activation root, where a dialect has one
    Sync {
        /// The activation root [default: that of --active, else the one in the folder of --user]
        #[arg(long, value_name = "DIR", value_parser = Text::new())]
        to: Option<String>,
        /// Only say what would be done
        #[arg(long)]
        dry_run: bool,
    },
    /// A server of the Model Context Protocol on standard input and output
    #[command(after_help = "Example:\n  claude mcp add skills -- skilltree mcp")]
    Mcp(mcp::Ask),
    /// The tools that a skill brings, and calls of them
    Toolset {
        #[command(subcommand)]
        ask: crate::toolset::Ask,
    },
    /// The dialects, or the table of one
    Dialect {
        /// Its name
        name: Option<String>,
    },
    /// A script that completes this command line
    #[command(
        after_help = "Example:\n  skilltree completions bash > ~/.local/share/bash-completion/completions/skilltree"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// The version
    Version,
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Size {
    /// At most so many characters
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<usize>,
    /// The model's context window
    #[arg(long, value_name = "TOKENS")]
    pub(crate) window: Option<usize>,
}

/// Who loads a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum As {
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

/// What has to be known when the words cannot be read: a guess, by looking for the words themselves.
pub(crate) struct Early {
    pub(crate) json: bool,
    pub(crate) color: ColorChoice,
}

impl Early {
    pub(crate) fn of(words: &[OsString]) -> Early {
        let mut early = Early { json: false, color: ColorChoice::Auto };
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

/// Reads the command line. An error shows the words as [`visible`] shows them, as clap writes them into its texts raw.
pub(crate) fn parse(words: &[OsString], color: ColorChoice) -> Result<(Where, Command), clap::Error> {
    read(words, color).map_err(|error| {
        let shown: Vec<OsString> =
            words.iter().map(|word| visible(&word.to_string_lossy()).into_owned().into()).collect();
        if shown == words {
            return error;
        }
        // Nothing but a word that is no UTF-8 is right when it is shown, and that error shows no word.
        read(&shown, color)
            .err()
            .unwrap_or_else(|| line().error(error.kind(), "a word of the command line is no UTF-8"))
    })
}

fn read(words: &[OsString], color: ColorChoice) -> Result<(Where, Command), clap::Error> {
    let matches = line().color(color).try_get_matches_from(words)?;
    let mut place = Where::from_arg_matches(&matches)?;
    let mut command = &matches;
    while let Some((_, after)) = command.subcommand() {
        place = place.then(Where::from_arg_matches(after)?);
        command = after;
    }
    if place.mount.is_some() && place.active.is_none() && place.user.is_none() {
        return Err(line().error(clap::error::ErrorKind::MissingRequiredArgument, "--mount needs --active or --user"));
    }
    Ok((place, Line::from_arg_matches(&matches)?.command))
}

/// The whole command line. The options of `Where` are given to the line and to each command by themselves, as
/// clap's global arguments lose those of one side when they stand on both.
pub(crate) fn line() -> clap::Command {
    Where::augment_args(Line::command()).mut_subcommands(|command| command.defer(with_place))
}

/// A command with the options of `Where`; made for none but those that are looked at.
fn with_place(command: clap::Command) -> clap::Command {
    let place = Where::augment_args(clap::Command::new(""));
    let place = place.get_arguments().map(|option| option.clone().hide_short_help(true));
    command.args_override_self(true).args(place).mut_subcommands(|command| command.defer(with_place))
}
