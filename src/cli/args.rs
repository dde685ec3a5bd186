//! The arguments of the command line: [`GlobalOptions`] and [`Command`].
//!
//! Global options may stand before or after the command: lists are joined; of single values, the later one counts.

use crate::archives::{PackArgs, UnpackArgs};
use crate::check::CheckArgs;
use crate::completion::{dialects, keys};
use crate::diff::DiffArgs;
use crate::explain::ExplainArgs;
use crate::index::IndexArgs;
use crate::invoke::ExecuteArgs;
use crate::lock::LockArgs;
use crate::matrix::MatrixArgs;
use crate::new_skill::{ConvertArgs, NewArgs};
use crate::processes::{RunArgs, ToolsetArgs};
use crate::replay::ReplayArgs;
use crate::reply::Failure;
use crate::session::SessionArgs;
use crate::state::StateArgs;
use crate::trust::TrustArgs;
use crate::verify::VerifyArgs;
use crate::{approve, lsp, mcp, search};
use clap::builder::{EnumValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgMatches, Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use clap_complete::engine::ArgValueCompleter;
use skilltree::model::Reading;
use skilltree::{Caller, Dialect, Permission, visible};
use std::ffi::{OsStr, OsString};
use std::time::Duration;

/// Reads a text that is not empty.
pub(crate) type NonEmptyText = clap::builder::NonEmptyStringValueParser;

/// Reads one of the values of a list, around which there may be spaces.
#[derive(Clone)]
pub(crate) struct Listed<T: ValueEnum + Clone + Send + Sync + 'static>(EnumValueParser<T>);

impl<T: ValueEnum + Clone + Send + Sync + 'static> Listed<T> {
    pub(crate) fn new() -> Listed<T> {
        Listed(EnumValueParser::new())
    }
}

impl<T: ValueEnum + Clone + Send + Sync + 'static> TypedValueParser for Listed<T> {
    type Value = T;

    fn parse_ref(&self, command: &clap::Command, argument: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        self.0.parse_ref(command, argument, value.to_str().map_or(value, |text| OsStr::new(text.trim())))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

#[derive(Parser)]
#[command(
    name = "skilltree",
    about = "Finds, checks, explains and loads Agent Skills (folders with a SKILL.md)",
    version,
    args_override_self = true,
    after_help = "Without a command, skilltree prints an overview: the clients found here, the skills that each sees, uses and \
        loses, and the next step.\n\n\
        Examples:\n  skilltree list\n  skilltree --dialect sven load sven/plan --as model\n  \
        skilltree check .claude/skills --strict\n\n\
        Exit codes: 0 success; 1 not found, refused or errors found; 2 no answer, such as wrong usage; 130 interrupted.\n\n\
        Environment:\n  SKILLTREE_DIALECT  the default dialect\n  \
        SKILLTREE_CONFIG   the folder of your skilltree.yaml [default: skilltree in $XDG_CONFIG_HOME or ~/.config; on \
        Windows in %APPDATA%]"
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// What the program does if no command is given.
    #[command(skip)]
    Overview,
    /// List the skills as a table
    List,
    /// List the skills as a tree, nested skills below their parents
    Tree,
    /// Print the section for the system prompt
    #[command(after_help = "Example:\n  skilltree prompt --window 200000")]
    Prompt {
        #[command(flatten)]
        size: SizeArgs,
        /// The task, such as the user's message: skills that match it keep their descriptions if not all fit
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        query: Option<String>,
        /// Print only names and descriptions, for dialects that have such a form (gencode)
        #[arg(long, conflicts_with_all = ["budget", "window", "query"])]
        metadata: bool,
    },
    /// Print what the dialect's load tool returns for a skill
    #[command(after_help = "Example:\n  skilltree load pdf --as model")]
    Load {
        /// Key of the skill
        #[arg(allow_hyphen_values = true, add = ArgValueCompleter::new(keys))]
        key: String,
        /// Who loads it
        #[arg(long = "as", value_parser = caller(), default_value = "user")]
        caller: Caller,
        /// Arguments, for dialects whose skills take them
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        args: Option<String>,
        /// Key of a skill that is already loaded; may be repeated
        #[arg(long, value_name = "KEY")]
        already: Vec<String>,
    },
    /// Print the load tool's name, description and schema as JSON
    Tool {
        /// Print a function in this language that calls the tool instead
        #[arg(long, value_enum, value_name = "LANGUAGE")]
        stub: Option<Stub>,
        /// Command line of the agent that receives the tasks of skills that run separately; the function then also
        /// runs the commands in the text of a skill
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
    /// Find skills that match some words or a task, best match first; exits with 1 if none matches
    #[command(after_help = "Examples:\n  skilltree search fill in pdf forms\n  \
            skilltree search --queries tasks.jsonl --limit 3")]
    Search(search::SearchArgs),
    /// Print the skills that match a message, for dialects with triggers
    #[command(after_help = "Example:\n  skilltree --dialect agent-base match 'say hello' --recent hello-extended")]
    Match {
        /// The message
        #[arg(allow_hyphen_values = true)]
        text: String,
        /// Maximum number of skills
        #[arg(long, value_name = "N", value_parser = at_least_one)]
        max: Option<usize>,
        /// Key of a recently used skill, most recent first; may be repeated
        #[arg(long, value_name = "KEY")]
        recent: Vec<String>,
    },
    /// Explain what happened to a skill or a file, and why
    #[command(after_help = "Examples:\n  skilltree why pdf\n  skilltree why .claude/skills/pdf/SKILL.md\n  \
            skilltree why pdf --query 'fill in a form'")]
    Why {
        /// Key, name or path
        #[arg(value_name = "NAME-OR-PATH", allow_hyphen_values = true, add = ArgValueCompleter::new(keys))]
        asked: String,
        #[command(flatten)]
        size: SizeArgs,
        /// Explain the prompt that `prompt --query TEXT` prints
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        query: Option<String>,
    },
    /// Compare what several dialects do with each skill
    #[command(after_help = "Examples:\n  skilltree matrix --dialects agentskills,claude --diff\n  \
            skilltree matrix --dialects all --format html > matrix.html")]
    Matrix(MatrixArgs),
    /// Show what changes for the model between two trees, client by client
    #[command(
        after_help = "Examples:\n  skilltree diff ../before . --fail-on lost,renamed\n  skilltree diff git:main: git:HEAD: \
            --format markdown\n  skilltree diff old.skill new.skill --dialects claude,codex\n\n\
            Both trees are read as projects if one of them has a skill in a folder of any client, such as .claude/skills, or \
            if all skills are in such folders further below, and otherwise as folders of skills. The home directory and its \
            settings are not read."
    )]
    Diff(DiffArgs),
    /// Show pairs of skills that a model may confuse
    #[command(after_help = "Example:\n  skilltree overlap --budget 8000")]
    Overlap(SizeArgs),
    /// Check skills and show findings with their lines; exits with 1 if any is an error
    #[command(after_help = "Example:\n  skilltree check .claude/skills --strict")]
    Check(CheckArgs),
    /// Compare skills with their records: lock files, what `gh skill` writes into a skill, and signatures
    #[command(
        after_help = "Examples:\n  skilltree verify --require matches\n  skilltree verify .agents/skills/pdf --source \
            ../skills\n  skilltree verify --trust-root nv-agent-root-cert.pem --require signature\n\n\
            `matches` means that the files are those of a record that is not signed, so whoever changes a skill can change \
            its record as well. `verified` means that the files are those of a signature whose root you trust: one that you \
            have named with --trust-root or with `skilltree trust`. A root that a skill brings along is never trusted."
    )]
    Verify(VerifyArgs),
    /// Write `skilltree.lock`, the lock of the project: the files of its skills with their hashes
    #[command(
        after_help = "Examples:\n  skilltree lock\n  skilltree lock .claude/skills .agents/skills\n  skilltree lock --check\n\n\
            The digest of a skill is that of the output of `sha256sum` for its files in byte order of their paths. `verify` \
            reads the lock as one more record."
    )]
    Lock(LockArgs),
    /// Write `.well-known/agent-skills/index.json` for a site that publishes skills, and the files that it names
    Index(IndexArgs),
    /// Explain the code of a finding, with an example, or list all codes
    #[command(after_help = "Example:\n  skilltree explain name-mismatch")]
    Explain(ExplainArgs),
    /// Show how skills are offered and what decided it, or change it
    #[command(
        after_help = "Examples:\n  skilltree state\n  skilltree state pdf on\n  skilltree state pdf name-only\n  \
            skilltree --dialect gencode state pdf active\n\n\
            The states are those of the file skilltree.yaml: pinned, full (or on), name-only, user-only and off. It is in \
            $SKILLTREE_CONFIG, or else in $XDG_CONFIG_HOME/skilltree, or else in ~/.config/skilltree; on Windows in \
            %APPDATA%\\skilltree. Dialects with states of their own, such as gencode, have disable (or off), enable (for \
            the user only) and active (or on). `next` selects the next state."
    )]
    State(StateArgs),
    /// Run a script of a skill; exits with the script's exit code, 124 if a limit stopped it, or 2 if it was not run
    Run(RunArgs),
    /// Trust a project's skill until anything in its folder changes
    Approve(approve::ApproveArgs),
    /// Trust the roots of signatures, which `verify` checks; without a file, list those that you trust
    #[command(after_help = "Examples:\n  skilltree trust nv-agent-root-cert.pem\n  skilltree trust --revoke \
            sha256:6f1bb875b77aea3fc878a7a3237497235c53657601375c0ef4bdcde69e843782")]
    Trust(TrustArgs),
    /// Pack the folder of a skill into a `.skill` file
    Pack(PackArgs),
    /// Unpack a `.skill` file into a new folder
    Unpack(UnpackArgs),
    /// Create a skill that passes the checks of the dialect
    New(NewArgs),
    /// Convert a skill to another skill system, and list what is lost
    Convert(ConvertArgs),
    /// Show a session, or print the text to restore after its conversation was compacted
    #[command(after_help = "Example:\n  skilltree session chat.json reattach --budget 30000")]
    Session(SessionArgs),
    /// Reproduce the answer of a receipt, and show the first difference; exits with 1 if there is one
    #[command(after_help = "Example:\n  skilltree load pdf --receipt pdf.json\n  skilltree replay pdf.json\n\n\
            --project, --root and the other folder options tell where the folders of the receipt are now. --dialect, \
            --enable, --disable, --trust and --permission replace the values in the receipt.")]
    Replay(ReplayArgs),
    /// Copy skills to an activation root, for dialects that have one
    Sync {
        /// Activation root [default: that of --active, or else the one in the folder of --user]
        #[arg(long, value_name = "DIR", value_parser = NonEmptyText::new())]
        to: Option<String>,
        /// Only show the changes, without making them
        #[arg(long)]
        dry_run: bool,
    },
    /// Run a language server for editors on standard input and output
    #[command(
        after_help = "Example (Helix):\n  [language-server.skilltree]\n  command = \"skilltree\"\n  args = [\"lsp\"]"
    )]
    Lsp(lsp::LspArgs),
    /// Run a Model Context Protocol server on standard input and output
    #[command(after_help = "Example:\n  claude mcp add skills -- skilltree mcp")]
    Mcp(mcp::McpArgs),
    /// List or call the tools of a skill
    Toolset(ToolsetArgs),
    /// List the dialects, or print the table of one
    Dialect {
        /// Name of the dialect, or its YAML file
        #[arg(value_name = "NAME|FILE", value_parser = NonEmptyText::new(), add = ArgValueCompleter::new(dialects))]
        name: Option<String>,
        /// Print the table as a YAML file
        #[arg(long, requires = "name")]
        yaml: bool,
        /// Print the JSON Schema of dialect files
        #[arg(long, conflicts_with_all = ["name", "yaml"])]
        schema: bool,
    },
    /// Print a script that completes this command line
    #[command(
        after_help = "Examples:\n  skilltree completions bash > ~/.local/share/bash-completion/completions/skilltree\n  \
            skilltree completions fish > ~/.config/fish/completions/skilltree.fish\n\n\
            The script asks the program, which must be in PATH, so that skills and dialects are completed as well."
    )]
    Completions {
        /// Shell
        shell: Shell,
    },
    /// Write the manual pages of this program and of each command, such as `skilltree-list.1`, into a folder
    #[command(after_help = "Example:\n  skilltree man ~/.local/share/man/man1")]
    Man {
        /// Folder; created if it does not exist
        #[arg(value_parser = NonEmptyText::new())]
        dir: String,
    },
    /// Print the version
    Version,
}

impl Command {
    /// Whether its answer is a text for a model, which a session notes and a receipt is about.
    pub(crate) fn gives_text(&self) -> bool {
        matches!(self, Command::Prompt { .. } | Command::Load { .. } | Command::Call { .. } | Command::Invoke { .. })
    }
}

#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct SizeArgs {
    /// Maximum size of the list: in characters, or in tokens where the dialect counts those (codex)
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<usize>,
    /// Size of the model's context window in tokens
    #[arg(long, value_name = "TOKENS")]
    pub(crate) window: Option<usize>,
}

/// Reads who loads a skill.
pub(crate) fn caller() -> impl TypedValueParser<Value = Caller> {
    PossibleValuesParser::new(["model", "user"]).try_map(|name| Caller::named(&name).ok_or("expected a caller"))
}

/// The language of a stub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stub {
    Python,
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
                "--json" | "--format=json" => {
                    early.json = true;
                    continue;
                }
                "--format" => {
                    early.json |= words.next() == Some("json");
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
    let mut options = options_of(&matches)?;
    if options.mount.is_some() && options.active.is_none() && options.user.is_none() {
        return Err(
            definition().error(clap::error::ErrorKind::MissingRequiredArgument, "--mount needs --active or --user")
        );
    }
    if options.faithful && options.repair {
        return Err(
            definition().error(clap::error::ErrorKind::ArgumentConflict, "--faithful and --repair exclude each other")
        );
    }
    let command = Cli::from_arg_matches(&matches)?.command.unwrap_or(Command::Overview);
    options.json |= match &command {
        Command::Check(check) => check.is_json(),
        Command::Diff(diff) => diff.is_json(),
        Command::Matrix(matrix) => matrix.is_json(),
        Command::Verify(verify) => verify.is_json(),
        _ => false,
    };
    Ok((options, command))
}

/// The format that a command with `--format` prints, if `--json` may be given, too.
///
/// # Errors
/// If `--json` is given with another format.
pub(crate) fn format_or_json<F: ValueEnum + PartialEq>(
    asked: Option<F>,
    json: bool,
    usual: F,
    as_json: F,
) -> Result<F, Failure> {
    match asked {
        Some(other) if json && other != as_json => {
            let name = other.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
            Err(Failure::error("usage", format!("`--json` cannot be used with `--format {name}`")))
        }
        None if json => Ok(as_json),
        asked => Ok(asked.unwrap_or(usual)),
    }
}

/// The options of a command line that may be incomplete, as far as they can be read.
pub(crate) fn options_so_far(words: &[OsString]) -> Option<GlobalOptions> {
    options_of(&definition().ignore_errors(true).try_get_matches_from(words).ok()?).ok()
}

/// The options of the program and of its commands together.
fn options_of(matches: &ArgMatches) -> Result<GlobalOptions, clap::Error> {
    let mut options = GlobalOptions::from_arg_matches(matches)?;
    let mut command = matches;
    while let Some((_, after)) = command.subcommand() {
        options = options.then(GlobalOptions::from_arg_matches(after)?);
        command = after;
    }
    Ok(options)
}

/// The definition of the command line. The global options are added to the program and to each command separately, as
/// clap's own global arguments lose the values of one side if both sides have some.
pub(crate) fn definition() -> clap::Command {
    definition_of_each().mut_subcommands(|command| command.defer(with_global_options))
}

/// The definition without the global options of each command.
pub(crate) fn definition_of_each() -> clap::Command {
    GlobalOptions::augment_args(Cli::command())
}

/// Adds the global options to a command; deferred, so that this is done only for commands that are parsed.
fn with_global_options(command: clap::Command) -> clap::Command {
    let options = GlobalOptions::augment_args(clap::Command::new(""));
    let options = options.get_arguments().map(|option| option.clone().hide_short_help(true));
    command.args_override_self(true).args(options).mut_subcommands(|command| command.defer(with_global_options))
}

// No doc comment here: clap would take it for the text about the command.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Where to look")]
pub(crate) struct GlobalOptions {
    /// Skill system to emulate, by name or as a YAML file [default: $SKILLTREE_DIALECT, or else that of skilltree.yaml,
    /// or else agentskills]
    #[arg(long, value_name = "NAME|FILE", value_parser = NonEmptyText::new(), add = ArgValueCompleter::new(dialects))]
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
    /// Policy that skills must meet, besides those of the managed folder and of the project
    #[arg(long, value_name = "FILE", value_parser = NonEmptyText::new())]
    pub(crate) policy: Option<String>,
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
    /// Register a skill file, folder or archive for the plugin ID; may be repeated
    #[arg(long, value_name = "ID=PATH", value_parser = registration)]
    pub(crate) register: Vec<Registration>,
    /// Add a source (folder or archive) of the highest precedence; may be repeated
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
            policy: later.policy.or(self.policy),
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

/// A permission and the tag that the user wrote for it.
#[derive(Clone, Debug)]
pub(crate) struct PermissionTag {
    pub(crate) tag: String,
    pub(crate) permission: Permission,
}

fn permission(text: &str) -> Result<PermissionTag, &'static str> {
    let permission = Permission::parse(text)
        .ok_or("expected @network, @events, @read:PATH, @write:PATH or another tag that begins with @")?;
    Ok(PermissionTag { tag: text.to_owned(), permission })
}

pub(crate) fn seconds(text: &str) -> Result<Duration, &'static str> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds > 0.0);
    let seconds = seconds.ok_or("expected a number of seconds above 0")?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if time.is_zero() => Err("expected a number of seconds of at least 0.000000001"),
        Ok(time) => Ok(time),
        Err(_) => Err("expected a smaller number of seconds"),
    }
}

/// A skill that the plugin `id` registers.
#[derive(Clone, Debug)]
pub(crate) struct Registration {
    pub(crate) id: String,
    pub(crate) path: String,
}

fn registration(text: &str) -> Result<Registration, &'static str> {
    match text.split_once('=') {
        Some((id, path)) if !id.is_empty() && !path.is_empty() => {
            Ok(Registration { id: id.to_owned(), path: path.to_owned() })
        }
        _ => Err("expected ID=PATH"),
    }
}

pub(crate) fn at_least_one(text: &str) -> Result<usize, &'static str> {
    text.parse().ok().filter(|number| *number != 0).ok_or("expected a whole number of at least 1")
}

/// A new state: a word of `skilltree.yaml`, or of a dialect with states of its own. Both take the words of the other that
/// mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Change {
    On,
    Pinned,
    Full,
    NameOnly,
    UserOnly,
    Off,
    Disable,
    Enable,
    Active,
    Next,
}

impl Change {
    /// The failure for a word that a dialect does not have; `words` are those that it has.
    pub(crate) fn is_not_for(self, dialect: &Dialect, words: &[&str]) -> Failure {
        let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        let word = self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        let name = visible(dialect.name());
        let message = format!("`{word}` is not a state of the dialect `{name}`, expected one of {}", words.join(", "));
        Failure::error("bad-arguments", message)
    }
}
