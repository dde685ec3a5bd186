//! [`Diagnostic`], a finding about the content of a file or folder, and its stable [`Code`].
//!
//! A message is one line, begins in lower case, has no full stop, says what was expected and what was found, and can be
//! understood by itself. If a call itself fails, it returns an `Error` instead.

pub use crate::text::lines::Position;
use crate::text::order::sort_by;

use crate::path::FsPath;
use crate::text::escape::{mapped, visible};
use std::borrow::Cow;
use std::fmt;

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Something worth knowing; nothing is wrong.
    Note,
    /// Something is wrong, but the skill can be used.
    Warning,
    /// A skill cannot be used, or breaks a rule that it is checked against.
    Error,
}

impl Severity {
    /// `note`, `warning` or `error`.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

macro_rules! codes {
    ($($variant:ident $name:literal $doc:literal)*) => {
        /// What a finding is about: a stable name in kebab case. Codes may be added, but none is renamed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code { $(#[doc = $doc] $variant,)* }

        impl Code {
            /// Every code, in the order of the list.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// The name, such as `frontmatter-missing`.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// The code with this name.
            pub fn named(name: &str) -> Option<Code> {
                match name { $($name => Some(Code::$variant),)* _ => None }
            }
        }
    };
}

// Rule 22.1
codes! {
    TooLarge "too-large" "The file is larger than a SKILL.md may be."
    NotUtf8 "not-utf8" "The text is not UTF-8."
    ControlCharacter "control-character" "The text contains NUL or another control character."
    FrontmatterMissing "frontmatter-missing" "The file does not start with frontmatter (`---`)."
    FrontmatterUnclosed "frontmatter-unclosed" "The frontmatter is not closed by `---`."
    FrontmatterNotFirst "frontmatter-not-first" "There is text before the frontmatter."
    FrontmatterFence "frontmatter-fence" "A line that delimits the frontmatter is not exactly `---`, or is missing."
    Yaml "yaml" "The frontmatter is not a YAML mapping and could not be repaired."
    YamlRepaired "yaml-repaired" "The frontmatter is invalid or misleading YAML; a value was read as its author most likely meant it."
    YamlComment "yaml-comment" "A ` #` starts a comment and so ends an unquoted value early."
    YamlAlias "yaml-alias" "A YAML alias is not supported."
    YamlTooDeep "yaml-too-deep" "A value is nested too deeply."
    DuplicateKey "duplicate-key" "A key occurs twice; the first value is used."
    WrongType "wrong-type" "A value does not have the type of its field."
    UnknownField "unknown-field" "The field is unknown (strict checks only)."
    RemovedField "removed-field" "The field was removed from the format."
    DescriptionMissing "description-missing" "The description is missing."
    NameMissing "name-missing" "The name is missing."
    NameInvalid "name-invalid" "The name breaks the rules for names."
    NameMismatch "name-mismatch" "The name does not match the folder name."
    TooLong "too-long" "A text is longer than its limit."
    VersionInvalid "version-invalid" "The version is not a semantic version."
    Unreachable "unreachable" "The skill is hidden from both the model and the user."
    UnmetRequirement "unmet-requirement" "The machine lacks a program or variable that the skill requires."
    LowerInUse "lower-in-use" "This skill cannot be used; one of lower precedence with the same key is used instead."
    SameFile "same-file" "The same file was already found at another path."
    FileNameCase "file-name-case" "The file's name is not spelled `SKILL.md`."
    SkillAtRoot "skill-at-root" "A SKILL.md lies directly in a source instead of in a folder of its own."
    TooDeep "too-deep" "A SKILL.md lies deeper than this dialect searches."
    NotEntered "not-entered" "A folder is never searched because of its name."
    NotAFile "not-a-file" "A SKILL.md is not a regular file."
    LinkCycle "link-cycle" "A symlink leads to a folder that contains it."
    LeadsOut "leads-out" "A symlink of a project leads out of the project."
    BrokenSymlink "link-dangling" "A symlink is broken: its target does not exist."
    ScanTruncated "scan-truncated" "There are more folders than are searched."
    Unreadable "unreadable" "A file or folder could not be read."
    PathNotUtf8 "path-not-utf8" "A name is not UTF-8."
    SourceUnreadable "source-unreadable" "A source could not be listed."
    PluginMissing "plugin-missing" "A plugin is not where the list of plugins says it is, or the list does not say where."
    HiddenCharacters "hidden-characters" "A text contains invisible or control characters."
    ClosesFrame "closes-frame" "The body contains the closing tag of the text around it."
    UntrustedGrant "untrusted-grant" "A skill from a source that is not trusted asks for tools."
    UnknownPermission "unknown-permission" "A permission is unknown."
    TriggerEmpty "trigger-empty" "A trigger is empty."
    PatternInvalid "pattern-invalid" "A pattern does not compile."
    TooManyPatterns "too-many-patterns" "There are more patterns than are matched."
    PatternUnsupported "pattern-unsupported" "Patterns are not supported by this build."
    StateUnknown "state-unknown" "A state is unknown."
    JsonFileCorrupt "store-corrupt" "A state file could not be read."
    KnowledgeMissing "knowledge-missing" "A knowledge file does not exist."
    ActivationCollision "activation-collision" "Two skills would have the same activation key."
    ActivationKey "activation-key" "A skill's id cannot be turned into the name of a copy."
    ForeignEntry "foreign-entry" "An entry of the activation folder is not a copy of a skill."
    CopyFailed "copy-failed" "A skill could not be copied, or a copy could not be removed."
    ToolsetInvalid "toolset-invalid" "A toolset's declaration is invalid."
    ToolsetMissing "toolset-missing" "The file of a toolset does not exist."
    ToolsetFailed "toolset-failed" "A toolset could not be loaded."
    ScriptMissing "script-missing" "A listed script does not exist (checks only)."
    ToolInvalid "tool-invalid" "A tool of a toolset, or a part of its schema, is invalid."
    ToolNameTaken "tool-name-taken" "Two tools have the same name."
    NoSkill "no-skill" "There is no SKILL.md where one was expected."
    NotInSource "not-in-source" "A path is in none of the folders that are searched for skills."
    NotSkillFile "not-skill-file" "A file in a source is not named SKILL.md."
    CommandFile "command-file" "A command file is not a skill."
    LeftOut "left-out" "A skill did not fit into the prompt."
    NotCovered "not-covered" "A symlink leads out of the skill, and its target is not part of it."
    NotServed "not-served" "A skill, or a file of it, is not served."
    EntryRefused "entry-refused" "An entry of an archive, or of a table of embedded files, is invalid and was left out."
    CommandsPending "commands-pending" "Commands in the text have not been run."
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A finding about the content of a file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// How serious it is.
    pub severity: Severity,
    /// What it is about.
    pub code: Code,
    /// The file or folder.
    pub path: FsPath,
    /// Where in the file the wrong part begins.
    pub at: Option<Position>,
    /// Where the wrong part ends, directly behind its last character; `None` if it is the one character at `at`.
    pub to: Option<Position>,
    /// One line that can be understood by itself.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The text of the line of `at`, as it is in the file.
    pub line_text: Option<String>,
    /// The corrected line, if one is known.
    pub fix: Option<Fix>,
}

/// A correction of one or more lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The first line of the file to replace, from 1.
    pub line: usize,
    /// The last line to replace.
    pub last: usize,
    /// The replacement: one or more lines, without the ending of the last one.
    pub with: String,
}

/// A part of a file: where it begins and ends, and the text of the line in which it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) at: Position,
    pub(crate) to: Option<Position>,
    pub(crate) line_text: Option<String>,
}

impl Diagnostic {
    /// A finding without a position in the file; the other fields can be set afterwards.
    pub fn new(severity: Severity, code: Code, path: FsPath, message: impl Into<String>) -> Diagnostic {
        Diagnostic::of(severity, code, path, message.into())
    }

    // Inlined in the many places that make findings, this would make the program larger.
    #[inline(never)]
    fn of(severity: Severity, code: Code, path: FsPath, message: String) -> Diagnostic {
        // A message may quote a file or a name, and is shown to people, terminals and models.
        let message = mapped(Cow::Owned(message), visible).into_owned();
        Diagnostic { severity, code, path, at: None, to: None, message, help: None, line_text: None, fix: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(mapped(Cow::Owned(help.into()), visible).into_owned());
        self
    }

    /// Sets the position in the file.
    pub(crate) fn mark(&mut self, mark: Mark) {
        (self.at, self.to, self.line_text) = (Some(mark.at), mark.to, mark.line_text);
    }

    /// Like [`Diagnostic::help`], for a text in which nothing needs to be escaped.
    pub(crate) fn advise(&mut self, help: &str) {
        self.help = Some(help.to_owned());
    }
}

/// Sorts findings by path, position, code and message, and removes duplicates.
pub(crate) fn put_in_order(findings: &mut Vec<Diagnostic>) {
    sort_by(findings, |a, b| (&a.path, a.at, a.code, &a.message).cmp(&(&b.path, b.at, b.code, &b.message)));
    findings.dedup();
}

impl fmt::Display for Diagnostic {
    /// Writes `path:line:column: severity[code]: message` on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path)?;
        if let Some(at) = self.at {
            write!(f, ":{}:{}", at.line, at.column)?;
        }
        write!(f, ": {}[{}]: {}", self.severity.as_str(), self.code, self.message)
    }
}
