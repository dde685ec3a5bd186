//! The part of a dialect that says where skills are looked for, how their folders are scanned, and how the frontmatter
//! of a SKILL.md is read, the client's faults included. The rules of reading count if a dialect reads as the client
//! does ([`Reading::Faithful`](super::Reading::Faithful)); otherwise files are repaired, and only the limits are
//! checked. `discovery::source`, `discovery::scan` and `discovery::manifest` apply these rules.

use crate::dialect::file::macros::described;
use crate::dialect::{Field, FieldRole, NameForm, Whitespace};
use crate::model::skill::Origin;
use std::borrow::Cow;

described! {
/// A source: a folder in which skills are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceRule {
    /// The folder that `path` starts from: `Base::Home`.
    pub(crate) base: Base,
    /// The path of the source below the base: `.claude/skills`.
    pub(crate) path: Cow<'static, str>,
    /// A path below the project that is used if the caller names no such base: `src/_bundled_skills`.
    pub(crate) project_fallback: Option<Cow<'static, str>>,
    /// What the folder holds: `SourceKind::Folders`.
    #[default = "folders"]
    pub(crate) kind: SourceKind,
    /// The label of the source, unique in the table: `project-claude`.
    pub(crate) label: Cow<'static, str>,
    /// The scope of the source in the skill system's own words: `ClaudeUser`.
    pub(crate) scope: Cow<'static, str>,
    /// Who the skills come from: `Origin::Project`.
    pub(crate) origin: Origin,
    /// In which folders besides the base itself such a source is looked for: `Reach::Below`.
    #[default = "base"]
    pub(crate) reach: Reach,
    /// Whether folders are entered whose names begin with a dot, if it is not as in [`scan.hidden`](ScanRule::hidden).
    pub(crate) hidden: Option<Permitted>,
    /// How symlinks to folders in the source are followed: `LinkedFolders::Inside`.
    #[default = "followed"]
    pub(crate) linked_folders: LinkedFolders,
}

/// In which folders besides its base a source is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// In no other.
    Base,
    /// In the folders above the base too.
    Ancestors(Ancestors),
    /// Not in the base, but in the root of the repository that it lies in. Without a repository it is the base.
    Repository,
    /// Only in folders below the base, on the way to the files that are being worked on:
    /// [`Places::touched`](crate::Places::touched).
    Below,
}

/// Which folders above a base hold sources too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ancestors {
    /// The precedence of the nearest folder: `Nearest::Highest`.
    pub(crate) nearest: Nearest,
    /// Which folders above the base count if it lies in no repository: `OutsideRepository::No`. If it lies in one, those
    /// up to the root of the repository do.
    pub(crate) outside_repository: OutsideRepository,
    /// Whether rules that follow each other in the table and have the same reach are applied together, folder by folder:
    /// `Permitted::Yes`. Otherwise each is applied in all folders before the next one.
    #[default = "yes"]
    pub(crate) together: Permitted,
}

/// Which folders above a base count that lies in no repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutsideRepository {
    /// None.
    No,
    /// All.
    Yes,
    /// All below the home directory, without that itself; all if the base does not lie in it.
    BelowHome,
}

/// The precedence of the nearest of several folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nearest {
    /// The nearest folder has the highest precedence.
    Highest,
    /// The nearest folder has the lowest precedence.
    Lowest,
}

/// How symlinks to folders in a source are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkedFolders {
    /// Like folders.
    Followed,
    /// Only the SKILL.md in the folder itself is read, and the folders below it are not entered.
    OwnSkill,
    /// Like folders if they lead to a folder in the same source; others are not followed.
    Inside,
    /// They are not followed.
    Ignored,
}

/// The folder that a source starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// The user's home directory: [`Places::home`](crate::Places::home).
    Home,
    /// The project: [`Places::project`](crate::Places::project).
    Project,
    /// The skills that ship with the agent: [`Places::bundled`](crate::Places::bundled).
    Bundled,
    /// The agent's configuration folder: [`Places::config`](crate::Places::config).
    Config,
    /// The user's folder, in systems that have one besides the home directory: [`Places::user`](crate::Places::user).
    User,
    /// The folder that an administrator manages: [`Places::managed`](crate::Places::managed).
    Managed,
    /// None, as the caller registers each skill: [`Places::registered`](crate::Places::registered). Each is a SKILL.md or a
    /// folder that holds one, whatever the kind of the source.
    Registered,
}

/// What a source holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SourceKind {
    /// Folders of skills: `pdf/SKILL.md` below the root.
    Folders,
    /// Folders of skills, and Markdown files directly in the root, each of which is a skill. A folder with the same key has
    /// precedence.
    FoldersAndFiles,
    /// Plugins: each folder in the root, and those that a JSON file names in which `plugins` is a map of their ids to lists of
    /// installations, each with an `installPath`.
    Plugins {
        /// The name of this file, which lies in the root: `installed_plugins.json`. `None` if there is none.
        list: Option<Cow<'static, str>>,
        /// The path of the folder of skills below that of a plugin: `skills`.
        skills: Cow<'static, str>,
        /// The path of a JSON file below that folder without which it is no plugin, and which has a `name` and a `version`:
        /// `gemini-extension.json`. `None` if a plugin needs none.
        manifest: Option<Cow<'static, str>>,
    },
    /// Packages of the Agent Plugins specification: each folder in the root with a `plugin.json` that names its schema. How they
    /// are read is said by the part `packages` of the table.
    Packages,
    /// Command files: each Markdown file directly in the root is a skill, which is named as the file without its
    /// extension. A skill of another kind with the same key has precedence over it, whatever its source.
    Commands,
}

/// How packages of the Agent Plugins specification, version 1.0, are read, and the skills in them. A package is a folder with a
/// manifest, whose skills lie one level below its folder `skills`; each is named as its own folder is, and no symlink leads out
/// of the package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PackageRule {
    /// The fields of these skills that are read besides the common ones: `user-invocable` with the meaning `FieldRole::ForUser`.
    pub(crate) fields: Cow<'static, [Field]>,
    /// Which characters the name of a skill may have: `NameForm::LowerHyphen`.
    pub(crate) name_form: NameForm,
    /// How the fields of the Agent Skills specification are taken: `StandardFields::Only`.
    #[default = "any"]
    pub(crate) standard_fields: StandardFields,
    /// Whether a manifest may have fields that the specification does not name: `Permitted::Yes` ignores and reports them.
    /// Otherwise the package is not read.
    #[default = "yes"]
    pub(crate) other_manifest_fields: Permitted,
    /// Whether a SKILL.md that is a symlink is read: `Permitted::Yes`.
    #[default = "yes"]
    pub(crate) linked_files: Permitted,
    /// Names that no package may have: `vibe`.
    pub(crate) reserved: Cow<'static, [Cow<'static, str>]>,
    /// What the namespace of the skills is: `Namespace::Name`.
    #[default = "name"]
    pub(crate) namespace: Namespace,
    /// Which of several packages of one source with the same namespace are read: `EqualPackages::First`.
    #[default = "first"]
    pub(crate) equal_packages: EqualPackages,
}

/// How a skill must keep to the fields of the Agent Skills specification. It counts only if the dialect reads as the client
/// does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StandardFields {
    /// It need not.
    Any,
    /// `license` must be text. Otherwise the file is not a skill.
    License,
    /// `license`, `compatibility` and `allowed-tools` must be text, and `metadata` a mapping of texts. Otherwise the file is not
    /// a skill.
    Typed,
    /// As with `StandardFields::Typed`, and there are no other fields.
    Only,
}

/// What the namespace of the skills in a package is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Namespace {
    /// The name of the package: `acme.tools`.
    Name,
    /// The name of the package as an identifier: `_` in place of other characters than letters, digits, `_` and `$`, and before
    /// a digit at the start: `acme_tools`.
    Identifier,
}

/// Which of several packages with the same namespace are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EqualPackages {
    /// The first by its real path, in the order of a language.
    First,
    /// None of them.
    None,
}

/// How the folders of a source are scanned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScanRule {
    /// How many levels of folders below the root may hold skills: `Some(1)` for `pdf/SKILL.md` only; `None` for any.
    pub(crate) depth: Option<usize>,
    /// Whether symlinks of a project may lead out of it where the host permits that: `Permitted::Yes`.
    #[default = "yes"]
    pub(crate) links_out: Permitted,
    /// Whether a SKILL.md directly in the root is a skill: `Permitted::No`. If not, it is reported.
    pub(crate) root: Permitted,
    /// Whether folders below that of a skill may hold further skills: `Permitted::Yes`.
    pub(crate) nested: Permitted,
    /// Names of folders directly below the root that belong to the skill system and are not entered, in any letter
    /// case: `synced`.
    pub(crate) reserved: Cow<'static, [Cow<'static, str>]>,
    /// Names of folders that are never entered: `node_modules`.
    pub(crate) skipped: Cow<'static, [Cow<'static, str>]>,
    /// Parts of names of folders that are never entered: `<`.
    pub(crate) skipped_parts: Cow<'static, [Cow<'static, str>]>,
    /// Whether folders are entered whose names begin with a dot: `Permitted::Yes`.
    pub(crate) hidden: Permitted,
    /// The path that counts for a folder in the source to which a symlink beside it leads too: `TwicePath::Real`.
    #[default = "real"]
    pub(crate) twice: TwicePath,
    /// Whether a SKILL.md that is a symlink is read: `Permitted::Yes`. If not, it is reported.
    pub(crate) linked_files: Permitted,
}

/// Which path of a folder counts that a symlink beside it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TwicePath {
    /// That of the folder itself.
    Real,
    /// The first of them in byte order.
    First,
    /// The first of them in the order of [`Order::Locale`](super::Order::Locale).
    FirstInLocale,
}
}

described! {
/// How a client reads the frontmatter of a SKILL.md.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeaderRule {
    /// What the line feed before the closing fence is: `LastLineFeed::Yaml`.
    #[default = "yaml"]
    pub(crate) last_line_feed: LastLineFeed,
    /// Whether the file may begin with a byte order mark: `Permitted::No`.
    pub(crate) byte_order_mark: Permitted,
    /// Whether there may be blank lines before the opening fence: `Permitted::No`.
    pub(crate) blank_lines_before: Permitted,
    /// The `---` that opens the frontmatter.
    pub(crate) opening: Fence,
    /// The `---` that closes the frontmatter.
    pub(crate) closing: Fence,
    /// Whether it need not be closed: `Permitted::Yes` takes the whole rest of the file for frontmatter then, and the body is
    /// empty. Otherwise the file counts as one without frontmatter.
    pub(crate) unclosed: Permitted,
    /// What is done if the frontmatter is not valid YAML: `InvalidYaml::Skip`.
    pub(crate) invalid_yaml: InvalidYaml,
    /// Whether two fields may have the same key, and which of them counts: `DuplicateKeys::No`.
    pub(crate) duplicate_keys: DuplicateKeys,
    /// Whether the key `<<` brings in the pairs of its map: `Permitted::No`.
    #[default = "no"]
    pub(crate) merge_keys: Permitted,
    /// Whether a file may have bytes that are not UTF-8: `Permitted::Yes` reads U+FFFD in their place.
    #[default = "no"]
    pub(crate) other_bytes: Permitted,
    /// What is done with white space in the name and the description: `Whitespace::Fold`.
    pub(crate) whitespace: Whitespace,
    /// What a name or a description is that is no string, such as `name: 123`: `OtherScalars::No`.
    pub(crate) other_scalars: OtherScalars,
    /// Which values without quotes are numbers: `Numbers::Core`.
    #[default = "any"]
    pub(crate) numbers: Numbers,
    /// Whether a name or a description may be empty: `Permitted::No` takes it for absent. Where
    /// [`other_scalars`](Self::other_scalars) is not `OtherScalars::No`, it always is.
    #[default = "yes"]
    pub(crate) empty_texts: Permitted,
    /// Whether there may be characters that YAML does not permit, such as a bell, and line ends of YAML 1.1, such as U+2028:
    /// `Permitted::No` takes them for invalid YAML.
    #[default = "yes"]
    pub(crate) other_characters: Permitted,
    /// Whether the field [`Metadata`](FieldRole::Metadata) may be something else than a map: `Permitted::No`. A client
    /// that does not permit this has fixed types, so that a file whose name or description is a list or a map is no skill.
    pub(crate) other_metadata: Permitted,
    /// Whether a flag may be something else than `true` and `false` in lower case: `OtherFlags::Yes`.
    pub(crate) other_flags: OtherFlags,
    /// Whether a file may have a flag with a value that is no flag: `Permitted::Yes` takes that for absent, and `Permitted::No` refuses
    /// the file.
    #[default = "yes"]
    pub(crate) invalid_flags: Permitted,
    /// Whether a date without quotes is something else than a string: `Permitted::Yes`.
    #[default = "yes"]
    pub(crate) dates: Permitted,
    /// Whether a name or a description that is written as null is a text: `null` is the text `null`. A value that is left out
    /// is an empty text.
    #[default = "no"]
    pub(crate) null_is_text: Permitted,
    /// Whether a value may have a tag that YAML does not know, such as `!mine`: `Permitted::No` makes it invalid YAML.
    #[default = "yes"]
    pub(crate) unknown_tags: Permitted,
    /// What is done with control characters in a description or a text about when to use the skill:
    /// `ControlCharacters::Removed`.
    #[default = "removed"]
    pub(crate) control_characters: ControlCharacters,
    /// What is done with tags in a description, such as `<b>`: `Markup::Kept`.
    #[default = "kept"]
    pub(crate) markup: Markup,
}

/// What is done with control characters in a text, which it has by escapes such as `\u0007`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ControlCharacters {
    /// They are removed.
    Removed,
    /// Each run of them, of line ends and of invisible characters is replaced by one space, and there is no white space at
    /// the ends, not even in quotes.
    Space,
}

/// What a name or a description is that is no string: a number, a flag, or a date if [`dates`](HeaderRule::dates) are no strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtherScalars {
    /// The text as written: `1.50` is `1.50`.
    Yes,
    /// A reason not to read the file.
    No,
    /// Absent, as is a list or a map.
    Absent,
    /// A text; a number is written as JavaScript writes it: `1.50` is `1.5`, `0x1F` is `31`.
    Number,
    /// As with `OtherScalars::Number`, and of a list its items with commas between them: `[a, b]` is `a,b`.
    Joined,
}

/// Which values without quotes are numbers for the parser of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// Those of any parser.
    Any,
    /// Those of the core schema of YAML 1.2: `017`, `0o17`, `0x1F`, `1.5e3`.
    Core,
    /// The same, and those with a sign or in base 2 such as `-0x1F` and `0b11`, but no whole numbers with zeros before them: `017`
    /// is a string.
    NoLeadingZeros,
    /// Those with `_` between digits and those in base 2 too: `1_000`, `0b11`.
    Underscores,
    /// Those with `_`, in base 2 and in base 60: `12:30`. With a zero before it, a number is one in base 8: `08` and `0o17` are
    /// strings.
    Base60,
    /// Those of YAML 1.1. They are as with `Numbers::Base60`, but an exponent needs a point and a sign, so that `1e3` is a string,
    /// and `yes`, `no`, `on` and `off` are flags and no strings either.
    Yaml11,
}

/// What a flag may be besides `true` and `false` in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtherFlags {
    /// `yes`, `no`, `on`, `off`, `1` and `0`, and each in any letter case.
    Yes,
    /// Nothing.
    No,
    /// `True`, `TRUE`, `False` and `FALSE`, as in YAML. In quotes, none of them is a flag.
    Yaml,
}

/// What the line feed before a closing fence is. It counts where a block scalar (`|` or `>`) ends there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastLineFeed {
    /// A part of the YAML.
    Yaml,
    /// A part of the fence: `|+` has one line feed less.
    Fence,
    /// A part of the fence, and the text of `|` or `>` ends without one.
    Missing,
}

/// What is done with tags in a text: a `<` and what follows it up to the next `>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Markup {
    /// They are kept.
    Kept,
    /// They are removed.
    Removed,
}

/// Whether two fields may have the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DuplicateKeys {
    /// They may not: a frontmatter that has such fields is not valid YAML.
    No,
    /// The first counts.
    Yes,
    /// The last counts.
    Last,
}

/// Whether something is permitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permitted {
    /// It is permitted.
    Yes,
    /// It is not permitted.
    No,
}

/// A fence of a frontmatter: `---`, and what may stand beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence {
    /// What may stand before it on its line: `Beside::Nothing`.
    pub(crate) before: Beside,
    /// What may follow it on its line: `Beside::Blanks`.
    pub(crate) after: Beside,
}

impl Fence {
    /// Whether it is a whole line of dashes, with white space behind them at most.
    pub(crate) fn is_usual(self) -> bool {
        self == Fence { before: Beside::Nothing, after: Beside::Blanks }
    }
}

/// What may stand beside a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beside {
    /// Nothing.
    Nothing,
    /// White space.
    Blanks,
    /// More dashes, and white space behind them.
    Dashes,
    /// Any text. Before an opening fence there may be whole lines of it, and the frontmatter begins right behind the fence. A
    /// fence without text before it has no fourth dash. Behind a closing fence it is the beginning of the body.
    Text,
    /// Any text, but if there is some behind a closing fence, the body is empty.
    Dropped,
    /// The word `yaml` or `yml` in any letter case, and white space around it.
    Language,
}

/// What is done with a frontmatter that is not valid YAML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InvalidYaml {
    /// The file is not a skill.
    Skip,
    /// Values that contain one of ``[]{}&*#!|>%@` `` or a colon before a space are read as text where the key consists of
    /// ASCII letters, `_` and `-` and is not indented, and tabs at the start of a line are read as two spaces each. If that
    /// does not help, the skill has no fields. A value in quotes as a whole and a valid list in brackets are left alone. A description that is a
    /// list or a mapping counts as absent.
    Empty,
    /// Values that YAML misreads are put in quotes, whatever their keys. If that does not help, the file is not a skill.
    Quote,
    /// Tabs at the start of a line are nothing, and a field may follow a value in quotes on the same line. Otherwise values
    /// with a colon are read as text where the key consists of ASCII letters, digits and `_` and is not indented, if the file
    /// begins with a line of three dashes alone. If that does not help, the file is not a skill.
    QuoteColons,
    /// The same, but indented lines below such a value belong to it.
    BlockColons,
    /// The lines that begin with the keys of the name and the description are read by themselves, at any indentation,
    /// with quotes and comments as parts of the value; indented lines continue a description. The last of several lines
    /// with one key counts. So are frontmatters read whose name or description is not a string. If one of the two is not
    /// found, the file is not a skill.
    Lines,
    /// Each line `key: value` at the left margin is read by itself, with the indented lines below it; lines that are no
    /// field are passed over. A list or mapping where text is due counts as absent.
    Tolerant,
    /// Each line `key: value` is read by itself, at any indentation, with comments, single quotes and `|` as parts of the
    /// value; the last of several lines with one key counts. Indented lines belong to a key without a value, as its list
    /// or its fields, and lines without a colon are passed over.
    Flat,
}

/// The greatest length of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Limit {
    /// The field: `FieldRole::Name`, `FieldRole::Description`, `FieldRole::Compatibility` or `FieldRole::Brief`. Limits of
    /// other fields are not checked.
    pub(crate) role: FieldRole,
    /// How many characters it may have: 64.
    pub(crate) max_chars: usize,
    /// What the skill system does with a longer text: `OverLimit::Skip`. It counts only if the dialect reads as the
    /// client does; otherwise a longer text is reported and kept.
    #[default = "keep"]
    pub(crate) over: OverLimit,
}

/// What a skill system does with a text that is longer than its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OverLimit {
    /// It is kept.
    Keep,
    /// It is cut to the limit, which then counts UTF-16 code units.
    Cut,
    /// The file is not a skill.
    Skip,
    /// The same, and the limit counts UTF-16 code units.
    SkipUnits,
}
}
