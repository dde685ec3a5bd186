//! In: what a reader noticed. Out: [`Diagnostic`], a finding about content, and its stable [`Code`].
//! A message is one line, lower-case, without a full stop, says what was expected and what came, and stands alone.
//! Absent: rendering (the command line's) and failure of a call (`Error`).

pub use crate::text::lines::Position;

use crate::path::FsPath;
use crate::sort;
use crate::text::escape::{mapped, visible};
use std::borrow::Cow;
use std::fmt;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Good to know; nothing is wrong.
    Note,
    /// Something is not as it should be; the skill is there all the same.
    Warning,
    /// A skill is lost, or breaks a rule of the profile it is checked by.
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
        /// What a finding is about: a stable name in kebab case. More may come, none is renamed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code { $(#[doc = $doc] $variant,)* }

        impl Code {
            /// Every code, in the order of the list.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// The name, as in `frontmatter-missing`.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// The code of this name.
            pub fn named(name: &str) -> Option<Code> {
                match name { $($name => Some(Code::$variant),)* _ => None }
            }
        }
    };
}

// decisions 49
codes! {
    TooLarge "too-large" "The file has more bytes than a SKILL.md may have."
    NotUtf8 "not-utf8" "The text is not UTF-8."
    ControlCharacter "control-character" "The text holds NUL or another control character."
    FrontmatterMissing "frontmatter-missing" "There is no opening `---`."
    FrontmatterUnclosed "frontmatter-unclosed" "There is no closing `---`."
    FrontmatterNotFirst "frontmatter-not-first" "Something stands before the frontmatter."
    FrontmatterFence "frontmatter-fence" "A line round the frontmatter is not exactly `---`, or is missing."
    Yaml "yaml" "The frontmatter is no YAML mapping, and could not be repaired."
    YamlRepaired "yaml-repaired" "The frontmatter is no YAML; a value was read as its author meant it."
    YamlComment "yaml-comment" "A ` #` ends a plain value early."
    YamlAlias "yaml-alias" "An alias is not followed."
    YamlTooDeep "yaml-too-deep" "A value is nested too deeply."
    DuplicateKey "duplicate-key" "A key stands twice; the first wins."
    WrongType "wrong-type" "A value is of another type than its field."
    UnknownField "unknown-field" "No table knows this field (strict checks only)."
    RemovedField "removed-field" "The field has been withdrawn."
    DescriptionMissing "description-missing" "There is no description."
    NameMissing "name-missing" "There is no name."
    NameInvalid "name-invalid" "The name breaks the rule for names."
    NameMismatch "name-mismatch" "The name is not the folder's."
    TooLong "too-long" "A text is over its limit."
    VersionInvalid "version-invalid" "The version is no semantic version."
    Unreachable "unreachable" "Nobody may call the skill."
    UnmetRequirement "unmet-requirement" "The machine lacks what the skill requires."
    LowerInUse "lower-in-use" "A skill of lower precedence is used in this one's place."
    SameFile "same-file" "The same file was found at another place already."
    FileNameCase "file-name-case" "The file's name is not spelled `SKILL.md`."
    SkillAtRoot "skill-at-root" "A SKILL.md stands at a source's own root."
    TooDeep "too-deep" "A SKILL.md lies deeper than this dialect looks."
    NotEntered "not-entered" "A folder is never entered, by its name."
    NotAFile "not-a-file" "A SKILL.md is no regular file."
    LinkCycle "link-cycle" "A link leads to a folder above itself."
    LeadsOut "leads-out" "A link that a project ships leads out of the project's tree."
    LinkDangling "link-dangling" "A link leads nowhere."
    ScanTruncated "scan-truncated" "There are more folders than are looked at."
    Unreadable "unreadable" "A file or folder could not be read."
    PathNotUtf8 "path-not-utf8" "A name is not UTF-8."
    SourceUnreadable "source-unreadable" "A source could not be listed."
    PluginMissing "plugin-missing" "A plugin is not where the list of plugins says, or the list does not say where."
    HiddenCharacters "hidden-characters" "A text holds invisible or control characters."
    ClosesFrame "closes-frame" "The body holds the closing tag of its frame."
    UntrustedGrant "untrusted-grant" "Tools are asked for by a source that is not trusted."
    UnknownPermission "unknown-permission" "A permission tag is not known."
    TriggerEmpty "trigger-empty" "A trigger is empty."
    PatternInvalid "pattern-invalid" "A pattern does not compile."
    TooManyPatterns "too-many-patterns" "There are more patterns than are looked for."
    PatternUnsupported "pattern-unsupported" "Patterns are not supported by this build."
    StateUnknown "state-unknown" "A state is not known."
    StoreCorrupt "store-corrupt" "A state store could not be read."
    KnowledgeMissing "knowledge-missing" "A knowledge file is not there."
    ActivationCollision "activation-collision" "Two skills have one activation key."
    ActivationKey "activation-key" "A skill's id gives no name that its copy could have."
    ForeignEntry "foreign-entry" "An entry of the activation folder is not ours."
    CopyFailed "copy-failed" "A skill could not be copied, or a copy not be removed."
    ToolsetInvalid "toolset-invalid" "A toolset is declared as none can be."
    ToolsetMissing "toolset-missing" "The file of a toolset is not there."
    ToolsetFailed "toolset-failed" "A toolset could not be loaded."
    ScriptMissing "script-missing" "A script that is listed is not there (checks only)."
    ToolInvalid "tool-invalid" "A tool of a toolset, or a part of its schema, cannot be told."
    ToolNameTaken "tool-name-taken" "Two tools have one name."
    NoSkill "no-skill" "There is no SKILL.md where one was looked for."
    NotInSource "not-in-source" "A path lies in none of the folders in which skills are looked for."
    NotSkillFile "not-skill-file" "A file in a source has another name than SKILL.md."
    CommandFile "command-file" "A file of commands is no skill."
    LeftOut "left-out" "A skill did not fit into the prompt."
    NotCovered "not-covered" "A link leads out of the skill, and what is there is no part of it."
    NotServed "not-served" "A skill, or a file of it, is not served."
    EntryRefused "entry-refused" "An entry is not read from an archive or a table of embedded files, or not put there."
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
    /// How much it weighs.
    pub severity: Severity,
    /// What it is about.
    pub code: Code,
    /// The file or folder.
    pub path: FsPath,
    /// Where in the file: line and column, both from 1, the column in characters.
    pub at: Option<Position>,
    /// Where what is wrong ends, right behind its last character; none where that is the one at `at`.
    pub to: Option<Position>,
    /// One line that stands alone.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The line that `at` names, as it stands in the file.
    pub line_text: Option<String>,
    /// The mended line, where one is known.
    pub fix: Option<Fix>,
}

/// A mended line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The line of the file to replace, from 1.
    pub line: usize,
    /// The last line that it replaces: `line` itself, or where a value of several lines ends that `with` holds whole.
    pub last: usize,
    /// What to put in its place, without the last line's end: one line, or several where lines are missing.
    pub with: String,
}

/// A part of a file: where it begins and ends, and the line that it begins in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) at: Position,
    pub(crate) to: Option<Position>,
    pub(crate) line_text: Option<String>,
}

impl Diagnostic {
    /// A finding without a place in the file; the fields are public for the rest.
    pub fn new(severity: Severity, code: Code, path: FsPath, message: impl Into<String>) -> Diagnostic {
        Diagnostic::of(severity, code, path, message.into())
    }

    // Findings are made in many places: it is not to stand in each of them.
    #[inline(never)]
    fn of(severity: Severity, code: Code, path: FsPath, message: String) -> Diagnostic {
        // A message may quote a file or a name in it, and is read by people, terminals and models.
        let message = mapped(Cow::Owned(message), visible).into_owned();
        Diagnostic { severity, code, path, at: None, to: None, message, help: None, line_text: None, fix: None }
    }

    /// The same with an instruction.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(mapped(Cow::Owned(help.into()), visible).into_owned());
        self
    }

    /// Says where in the file it is.
    pub(crate) fn mark(&mut self, mark: Mark) {
        (self.at, self.to, self.line_text) = (Some(mark.at), mark.to, mark.line_text);
    }

    /// Puts an instruction to it.
    pub(crate) fn advise(&mut self, help: &str) {
        self.help = Some(help.to_owned());
    }
}

/// Puts findings in order, by path, place, code and message, each once.
pub(crate) fn put_in_order(findings: &mut Vec<Diagnostic>) {
    sort::by(findings, |a, b| (&a.path, a.at, a.code, &a.message).cmp(&(&b.path, b.at, b.code, &b.message)));
    findings.dedup();
}

impl fmt::Display for Diagnostic {
    /// `path:line:column: severity[code]: message`, on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path)?;
        if let Some(at) = self.at {
            write!(f, ":{}:{}", at.line, at.column)?;
        }
        write!(f, ": {}[{}]: {}", self.severity.as_str(), self.code, self.message)
    }
}
