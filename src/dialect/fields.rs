//! The fields of a frontmatter: by which key a dialect calls each, what it means, and whether it must be there; and the
//! other files in which a client has values about skills, its settings and the file beside a SKILL.md. How a value may
//! be spelled is decided in `discovery::manifest` and `discovery::settings`.

use crate::dialect::file::macros::described;
use crate::dialect::{Ancestors, Base, Dialect, Permitted};
use std::borrow::Cow;

described! {
/// A row of a dialect's field table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// The key in the frontmatter: `description`. A dot leads into a map: `sven.always` is the key `always` of the map
    /// `sven`.
    pub(crate) path: Cow<'static, str>,
    /// What the field means: `FieldRole::Description`.
    pub(crate) role: FieldRole,
    /// Whether the field must be there: `Necessity::Required`.
    #[default = "optional"]
    pub(crate) necessity: Necessity,
    /// The values that a text may have, if the skill system documents them: `Some([low, high])`. A check reports any
    /// other.
    pub(crate) one_of: Option<Cow<'static, [Cow<'static, str>]>>,
    /// The value that lists show for a skill without the field, if the documents of the system give one: `general`.
    pub(crate) default: Option<Cow<'static, str>>,
    /// How the client takes values; `None` if any value is as good as another.
    pub(crate) values: Option<ValueRule>,
}

/// How a client takes the values of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValueRule {
    /// What a value may be: `ValueType::String`. It counts only if the dialect reads as the client does.
    pub(crate) types: Cow<'static, [ValueType]>,
    /// What the client does with any other value: `OtherTypes::Skip`.
    #[default = "skip"]
    pub(crate) other_types: OtherTypes,
    /// The values that hide the skill from the model: `Some([flow])`.
    pub(crate) hiding: Option<Cow<'static, [Cow<'static, str>]>>,
}

/// What the value of a field may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueType {
    /// Nothing, or null.
    Absent,
    /// A string.
    String,
    /// A list of strings.
    Strings,
    /// A list.
    List,
    /// A map.
    Map,
    /// One of the values in [`one_of`](Field::one_of).
    OneOf,
}

/// What a client does with a value of another type than it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtherTypes {
    /// The file is not a skill.
    Skip,
    /// The field counts as absent.
    Absent,
}

/// What a field means. The type of its value (text, flag, list, map) follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(unreachable_pub, reason = "public with the feature `author` alone")]
pub enum FieldRole {
    /// Text: the name of the skill, as in `name: pdf`.
    Name,
    /// Text: what the skill does and when to use it, as in `description: Fills PDF forms.`
    Description,
    /// Text: the version of the skill, as in `version: 1.0.0`.
    Version,
    /// Text: the licence, as in `license: Apache-2.0`.
    License,
    /// Text: the environment that the skill needs, as in `compatibility: needs git and a network`.
    Compatibility,
    /// A map of the author's own, as in `metadata: { author: me }`.
    Metadata,
    /// A list of tools, as in `allowed-tools: Bash(git *), Read`. The part `allowed_tools`
    /// says what it does.
    AllowedTools,
    /// Text: what a user types after the command, as in `argument-hint: <file>`.
    ArgumentHint,
    /// A flag: the skill is always in the prompt, as in `sven.always: true`.
    Pinned,
    /// A flag: the model does not see the skill, as in `disable-model-invocation: true`.
    NotForModel,
    /// A flag, true if absent: the user may invoke the skill, as in `user-invocable: false`.
    ForUser,
    /// A list of programs that must be installed, as in `sven.requires_bins: [git]`.
    NeedsBins,
    /// A list of environment variables that must be set, as in `sven.requires_env: [API_KEY]`.
    NeedsEnv,
    /// A list of knowledge files, as in `knowledge: [builds.md]`; see the part `knowledge`.
    Knowledge,
    /// Text: the part of the key before the colon, as in `namespace: git`; see
    /// `KeyPrefix::Namespace`.
    Namespace,
    /// Text that continues the description, as in `when_to_use: When a form is to be filled.`
    WhenToUse,
    /// `inline` or `fork`: whether the skill runs in the conversation or as a task of its own, as in `context: fork`.
    Context,
    /// Text: the kind of agent that runs a fork, as in `agent: general-purpose`.
    Agent,
    /// Text: the model to use, as in `model: opus`.
    Model,
    /// Text: the reasoning effort of the model, as in `effort: high`.
    Effort,
    /// A flag: a fork runs while the conversation goes on, as in `background: true`.
    Background,
    /// Text: the shell for commands in the body, as in `shell: powershell`.
    Shell,
    /// A list, separated by commas or spaces, of the names of arguments, as in `arguments: file page`.
    Arguments,
    /// A list of patterns of files, as in `paths: src/**/*.rs`. The model is offered the skill only while a file is worked on
    /// that one of them matches: [`Places::touched`](crate::Places::touched).
    Paths,
    /// A flag: the skill runs in a fork that has its declared permissions only, as in `sandbox: true`.
    Sandbox,
    /// A list of permissions for a fork, as in `permissions: ["@network", "@read:/data"]`.
    Permissions,
    /// A list of tools that the skill does without, as in `disallowed-tools: Bash`.
    DisallowedTools,
    /// A list of toolsets, as in `toolsets: ["toolsets/index:HelloToolset"]`.
    Toolsets,
    /// A list of the scripts that may be run, as in `scripts: [fill.py]`. An empty list allows none.
    Scripts,
    /// A list of words and phrases that select the skill, as in `triggers.keywords: [pdf, form]`.
    Keywords,
    /// A list of verbs that select the skill, as in `triggers.verbs: [fill, sign]`.
    Verbs,
    /// A list of regular expressions that select the skill, as in `triggers.patterns: ["\\.pdf$"]`.
    Patterns,
    /// Text: the short form of the description, as in `brief_description: Fills forms.`
    Brief,
    /// A flag, true if absent: a bundled skill is switched on by default, as in `default_enabled: false`.
    DefaultEnabled,
    /// A flag, true if absent: the model may see the skill, as in `policy.allow_implicit_invocation: false`.
    ForModel,
    /// A list of the products that the skill is for, as in `policy.products: [chatgpt]`. It is a skill only if the list is
    /// empty or has this one.
    Products(Cow<'static, str>),
    /// Any value. The field is known to the skill system, and kept as data, as in `hooks: …`.
    Kept,
    /// A field that the skill system has withdrawn, with advice on what to do instead: `list the tools in the body`.
    Removed(Cow<'static, str>),
}

/// Whether a field must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Necessity {
    /// A file without the field is not a skill, as one without `description` in most skill systems.
    Required,
    /// A file without the field is a skill with a finding, as one without `name` whose folder name is used.
    Expected,
    /// The field may be absent, as `version`.
    Optional,
}
}

/// The fields that every dialect reads (rule 6.1), unless its own table gives the key another meaning.
pub(crate) const COMMON_FIELDS: &[(&str, FieldRole)] = &[
    ("name", FieldRole::Name),
    ("description", FieldRole::Description),
    ("version", FieldRole::Version),
    ("license", FieldRole::License),
    ("compatibility", FieldRole::Compatibility),
    ("metadata", FieldRole::Metadata),
    ("allowed-tools", FieldRole::AllowedTools),
    ("argument-hint", FieldRole::ArgumentHint),
];

/// The fields that restrict what a skill may do. They count in every dialect: where the table does not have such a key,
/// it is an unknown field that is kept as data, and is obeyed nevertheless.
pub(crate) const RESTRICTING_FIELDS: &[(&str, FieldRole)] = &[("scripts", FieldRole::Scripts)];

impl Dialect {
    /// The fields that the dialect reads, those that every dialect reads included: the key, and what it means.
    pub(crate) fn all_fields(&self) -> impl Iterator<Item = (&str, &FieldRole)> {
        let own = self.fields.iter().map(|field| (&*field.path, &field.role));
        let is_free = |path: &str| self.fields.iter().all(|field| field.path != path);
        own.chain(COMMON_FIELDS.iter().filter(move |(path, _)| is_free(path)).map(|(path, role)| (*path, role)))
    }

    /// What a key of the frontmatter means, by the dialect's own table, or else by [`COMMON_FIELDS`].
    pub(crate) fn role_of(&self, path: &str) -> Option<&FieldRole> {
        let own = self.fields.iter().find(|field| field.path == path).map(|field| &field.role);
        own.or_else(|| COMMON_FIELDS.iter().find(|(common, _)| *common == path).map(|(_, role)| role))
    }

    /// Whether a field hides the skill from the model with this value.
    pub(crate) fn is_hidden_by(&self, path: &str, value: Option<&str>) -> bool {
        let field = self.fields.iter().find(|field| field.path == path);
        let values = field.and_then(|field| field.values.as_ref()?.hiding.as_deref()).unwrap_or_default();
        value.is_some_and(|value| values.iter().any(|one| *one == value.trim()))
    }

    /// The key of the field with this meaning; `None` if the dialect has no such field.
    pub(crate) fn path_of(&self, role: &FieldRole) -> Option<&str> {
        let own = self.fields.iter().find(|field| field.role == *role).map(|field| field.path.as_ref());
        own.or_else(|| {
            let is_free = |path: &str| self.fields.iter().all(|field| field.path != path);
            COMMON_FIELDS.iter().find(|(path, common)| common == role && is_free(path)).map(|(path, _)| *path)
        })
    }

    /// The value of the field with this meaning for a skill without it, if the dialect has one.
    pub(crate) fn default_of(&self, role: &FieldRole) -> Option<&str> {
        self.fields.iter().find(|field| field.role == *role)?.default.as_deref()
    }

    /// Whether the table has fields in a map of this key: `name.field`.
    pub(crate) fn has_nested_fields(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.path.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
    }
}

described! {
/// The settings files of a client, and what is read in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SettingsRule {
    /// The files, from lowest to highest precedence. They are JSON, or TOML if their names end in `.toml`.
    pub(crate) files: Cow<'static, [SettingsFile]>,
    /// What is read in each of them.
    pub(crate) keys: Cow<'static, [Setting]>,
    /// Whether JSON may have comments and trailing commas: `Permitted::Yes`. Otherwise a file with them is ignored.
    #[default = "yes"]
    pub(crate) comments: Permitted,
}

/// A settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SettingsFile {
    /// The folder that `path` starts from: `Base::Home`.
    pub(crate) base: Base,
    /// The path of the file below the base: `.claude/settings.json`.
    pub(crate) path: Cow<'static, str>,
    /// In which folders besides the base itself such a file is read: `SettingsReach::Nearest`.
    #[default = "base"]
    pub(crate) reach: SettingsReach,
}

/// In which folders besides its base a settings file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SettingsReach {
    /// In no other.
    Base,
    /// In the folders above the base too.
    Ancestors(Ancestors),
    /// Not in the base, but in the root of the repository that it lies in. Without a repository it is the base.
    Repository,
    /// In the nearest folder above the base alone that has it, if the base does not. The home directory and the folders above
    /// that do not count.
    Nearest,
}

/// A value that is read in settings files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// The key of the value. A slash leads into an object: `permissions/deny`. A dot that is a part of one key has a
    /// backslash before it: `chat\.useAgentSkills`.
    pub(crate) key: Cow<'static, str>,
    /// What it means: `SettingRole::Disabled`.
    pub(crate) role: SettingRole,
    /// The base of the files in which alone it counts: `Some(Base::Home)`. `None` if it counts in all.
    pub(crate) only_in: Option<Base>,
}

/// What a value of a settings file means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SettingRole {
    /// A flag: `false` switches all skills off.
    Enabled,
    /// A list of what only plugins may bring: `skills` in it, or `true` instead of a list, switches off the skills of the
    /// user and of the project. It counts only in the file of an administrator.
    PluginsOnly,
    /// A map of the ids in the list of installed plugins to flags: all plugins of the list are switched off that are not
    /// `true` in it. Without such a map all are used.
    PluginSwitches,
    /// A list of further folders of skills, which have precedence over all sources of the table. The lists of all files count.
    Folders,
    /// A list of such folders, of which that of the highest file counts alone.
    HighestFolders,
    /// A map of folders to flags: `false` switches off the source of this path, and `true` adds the folder as a source
    /// of lowest precedence.
    FolderSwitches,
    /// A flag: `true` looks for the sources of the project in the folders above it too, up to the root of the repository, the
    /// nearest first.
    Parents,
    /// A list of the names of skills that are switched off, in any letter case, with `*` for any characters and `?` for one.
    /// The lists of all files count.
    Disabled,
    /// A list of maps with a `name` or the `path` of a SKILL.md, and whether such skills are `enabled`. The last one that
    /// is about a skill counts.
    Switches,
    /// A map of names to `on`, `name-only`, `user-invocable-only` or `off`.
    Overrides,
    /// A list of permission rules: a skill whose rule is in it, such as `Skill(pdf)` for the load tool `Skill`, is refused to
    /// the model. The name of the tool alone stands for all skills, and may be a pattern: `S*`.
    DeniedRules,
    /// `allow`, `ask` or `deny`, or a map of patterns of names to these; `true` is `allow` and `false` is `deny`. A skill with
    /// `deny` is hidden from the model; the last pattern that matches counts.
    Permission,
    /// A flag: `true` keeps commands in bodies from being run.
    NoCommands,
    /// A number: how large the list may be, as a share of the context window.
    BudgetShare,
    /// A number: how many tokens the rows of the list may cost, at most 10 000.
    MaxTokens,
    /// A flag: `false` leaves the list out of the prompt.
    Listed,
    /// A number: how many characters of a description are shown at most.
    MaxDescription,
    /// A value that may switch skills off or name further folders, and is not read: a file that has it has a finding.
    Unread,
}

/// A second file of fields beside each SKILL.md.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SidecarRule {
    /// Its path below the folder of the skill: `agents/openai.yaml`. It is a YAML file.
    pub(crate) path: Cow<'static, str>,
    /// The fields that are read in it. A file that cannot be read, or in which one of these has a wrong type, is ignored
    /// as a whole.
    pub(crate) fields: Cow<'static, [Field]>,
    /// The keys whose values must be maps, although no field of theirs is read: `interface`.
    pub(crate) maps: Cow<'static, [Cow<'static, str>]>,
}

/// The program whose runs prove a table, as it is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClientRule {
    /// What the program is called in PATH: `claude`.
    pub(crate) program: Cow<'static, str>,
    /// Its package on npm or PyPI: `@anthropic-ai/claude-code`.
    pub(crate) package: Cow<'static, str>,
    /// The version that was run: `2.1.330`.
    pub(crate) version: Cow<'static, str>,
}

/// The evidence for a part of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Basis {
    /// The part: `sources`.
    pub(crate) part: Cow<'static, str>,
    /// Its source: `Evidence::ThirdParty`.
    pub(crate) evidence: Evidence,
    /// What is known and what is not: `the vendor documents no precedence`.
    pub(crate) note: Cow<'static, str>,
}

/// The source of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// A run of the client: the note says which version, how many cases, and when.
    Run,
    /// The client's source code or its own tests.
    Source,
    /// The vendor's documentation.
    Documentation,
    /// Somebody's observation of the running client.
    Observed,
    /// A third party's account of a closed client.
    ThirdParty,
    /// None: the fact is unknown, and the table assumes the most common behaviour.
    Unknown,
}
}
