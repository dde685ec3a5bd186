//! [`Diagnostic`], a finding about the content of a file or folder, and its stable [`Code`].
//!
//! A message is one line, begins in lower case, has no full stop, says what was expected and what was found, and can be
//! understood by itself. If a call itself fails, it returns an `Error` instead.

pub use crate::text::lines::Position;
use crate::text::order::sort_by;

use crate::path::FsPath;
use crate::text::escape::{mapped, visible};
use crate::text::words::{names, nearest};
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

names! { Severity { Note = "note", Warning = "warning", Error = "error" } }

macro_rules! codes {
    ($($variant:ident $name:literal $severity:ident)*) => {
        /// What a finding is about: a stable name in kebab case. Codes may be added, but none is renamed.
        ///
        /// What each means, why it matters and how to mend it is in `src/guide/codes`, in a file named after the code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        #[allow(rustdoc::invalid_codeblock_attributes, reason = "the path of an example may begin with a dot")]
        pub enum Code { $(#[doc = include_str!(concat!("../guide/codes/", $name, ".md"))] $variant,)* }

        impl Code {
            /// Every code, in the order of the list.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];

            /// The name, such as `frontmatter-missing`.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// What the finding means, as Markdown. The first line says it in one sentence.
            pub fn explanation(self) -> &'static str {
                match self { $(Code::$variant => include_str!(concat!("../guide/codes/", $name, ".md")),)* }
            }

            /// The severity that its findings usually have. Some findings weigh less or more: where the client reads a
            /// file all the same, or where the documents of a dialect do not call it a rule (rule 6.12).
            pub fn usual_severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity,)* }
            }

            /// The code with this name.
            pub fn named(name: &str) -> Option<Code> {
                match name { $($name => Some(Code::$variant),)* _ => None }
            }
        }
    };
}

// Each with the severity that it usually has. Rule 22.1
codes! {
    TooLarge "too-large" Error
    NotUtf8 "not-utf8" Error
    ControlCharacter "control-character" Warning
    ByteOrderMark "byte-order-mark" Error
    FrontmatterMissing "frontmatter-missing" Error
    FrontmatterUnclosed "frontmatter-unclosed" Error
    FrontmatterNotFirst "frontmatter-not-first" Warning
    FrontmatterFence "frontmatter-fence" Warning
    Yaml "yaml" Error
    YamlRepaired "yaml-repaired" Warning
    YamlComment "yaml-comment" Warning
    YamlTab "yaml-tab" Warning
    YamlRefused "yaml-refused" Warning
    YamlAlias "yaml-alias" Warning
    YamlTooDeep "yaml-too-deep" Warning
    RestrictionMissed "restriction-missed" Warning
    DuplicateKey "duplicate-key" Warning
    WrongType "wrong-type" Warning
    UnknownField "unknown-field" Warning
    RemovedField "removed-field" Warning
    DescriptionMissing "description-missing" Error
    NameMissing "name-missing" Error
    NameInvalid "name-invalid" Error
    NameMismatch "name-mismatch" Error
    TooLong "too-long" Error
    VersionInvalid "version-invalid" Error
    Unreachable "unreachable" Warning
    UnmetRequirement "unmet-requirement" Warning
    OtherProduct "other-product" Note
    LowerInUse "lower-in-use" Note
    SameFile "same-file" Note
    FileNameCase "file-name-case" Warning
    SkillAtRoot "skill-at-root" Warning
    TooDeep "too-deep" Warning
    NotEntered "not-entered" Note
    NotAFile "not-a-file" Error
    LinkCycle "link-cycle" Warning
    LeadsOut "leads-out" Warning
    SidecarIgnored "sidecar-ignored" Warning
    LinkIgnored "link-ignored" Warning
    BrokenSymlink "link-dangling" Warning
    ScanTruncated "scan-truncated" Warning
    Unreadable "unreadable" Error
    PathNotUtf8 "path-not-utf8" Warning
    SourceUnreadable "source-unreadable" Error
    PluginMissing "plugin-missing" Warning
    PluginInvalid "plugin-invalid" Warning
    HiddenCharacters "hidden-characters" Warning
    TextAfterBlanks "text-after-blanks" Note
    EncodedText "encoded-text" Note
    CompiledFile "compiled-file" Note
    PackedFile "packed-file" Note
    FileKind "file-kind" Note
    HiddenFile "hidden-file" Note
    ClosesFrame "closes-frame" Warning
    UntrustedGrant "untrusted-grant" Warning
    UnknownPermission "unknown-permission" Warning
    TriggerEmpty "trigger-empty" Warning
    PatternInvalid "pattern-invalid" Error
    TooManyPatterns "too-many-patterns" Warning
    PatternUnsupported "pattern-unsupported" Warning
    StateUnknown "state-unknown" Warning
    ChoiceRefused "choice-refused" Warning
    SettingUndone "setting-undone" Warning
    StoreCorrupt "store-corrupt" Error
    KnowledgeMissing "knowledge-missing" Warning
    ActivationCollision "activation-collision" Warning
    ActivationKey "activation-key" Error
    ForeignEntry "foreign-entry" Warning
    CopyFailed "copy-failed" Error
    ToolsetInvalid "toolset-invalid" Error
    ToolsetMissing "toolset-missing" Error
    ToolsetFailed "toolset-failed" Error
    ScriptMissing "script-missing" Error
    ToolInvalid "tool-invalid" Warning
    ToolNameTaken "tool-name-taken" Warning
    NoSkill "no-skill" Error
    NotInSource "not-in-source" Note
    NestedSource "nested-source" Note
    NotRead "not-read" Warning
    LookedNoFurther "looked-no-further" Note
    NotSkillFile "not-skill-file" Note
    CommandFile "command-file" Note
    LeftOut "left-out" Warning
    NotCovered "not-covered" Note
    NotServed "not-served" Warning
    EntryRefused "entry-refused" Error
    DialectFile "dialect-file" Error
    CommandsPending "commands-pending" Note
    ReferenceMissing "reference-missing" Warning
    ReferenceOutside "reference-outside" Warning
    ReferenceNested "reference-nested" Warning
    UnknownValue "unknown-value" Warning
    EmptyValue "empty-value" Error
    NoEffect "no-effect" Warning
    DescriptionPlaceholder "description-placeholder" Warning
    BodyPlaceholder "body-placeholder" Note
}

impl Code {
    /// The codes whose names are similar to a name: at most three, the most similar first.
    ///
    /// ```
    /// assert_eq!(skilltree::Code::similar("name-mismach"), [skilltree::Code::NameMismatch]);
    /// ```
    pub fn similar(name: &str) -> Vec<Code> {
        nearest(name, Code::ALL.iter().map(|code| code.as_str())).into_iter().filter_map(Code::named).collect()
    }
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
    /// The replacement: one or more lines, without the ending of the last one. If it is empty, the lines are removed.
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

/// What a code means, in the parts of its text.
///
/// ```
/// use skilltree::{Code, Explanation};
/// let explained = Explanation::of(Code::NameMismatch.explanation());
/// assert_eq!(explained.summary, "The name does not match the folder name.");
/// assert_eq!(explained.bad.files[0].0, "tea/SKILL.md");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation<'t> {
    /// One sentence that says what the finding means.
    pub summary: &'t str,
    /// The Markdown without the examples. The summary is its first line.
    pub text: &'t str,
    /// An example that has the finding.
    pub bad: Example<'t>,
    /// The same example without the finding.
    pub good: Example<'t>,
}

/// Some files, and the rules by which they are checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Example<'t> {
    /// The dialect; `None` for `agentskills`.
    pub dialect: Option<&'t str>,
    /// Whether the check is strict.
    pub strict: bool,
    /// The paths and the contents of the files. A path is below a source, such as `tea/SKILL.md`, or below the project if it
    /// begins with a dot, or absolute. `link NAME -> TARGET` is a symlink. It is empty if the example shows what a terminal
    /// shows and is no file.
    pub files: Vec<(&'t str, &'t str)>,
}

impl<'t> Explanation<'t> {
    /// Takes the text of a code apart: a summary, paragraphs, and two examples, which begin with the lines `Bad:` and
    /// `Good:` and consist of fenced blocks. The first may name the rules, as in `Bad (sven, strict):`.
    pub fn of(markdown: &'t str) -> Explanation<'t> {
        let (text, examples) = markdown.split_once("\nBad").unwrap_or((markdown, ""));
        let (bad, good) = examples.split_once("\nGood:\n").unwrap_or((examples, ""));
        let (rules, bad) = bad.split_once(":\n").unwrap_or(("", bad));
        let text = text.trim_end();
        let summary = text.split('\n').next().unwrap_or_default();
        let words = || rules.trim_matches([' ', '(', ')']).split(", ").filter(|word| !word.is_empty());
        let example = |blocks| Example {
            dialect: words().find(|word| *word != "strict"),
            strict: words().any(|word| word == "strict"),
            files: files(blocks),
        };
        Explanation { summary, text, bad: example(bad), good: example(good) }
    }
}

impl Example<'_> {
    /// The text of the example: that of a single `tea/SKILL.md`, or each file under a line with its path.
    pub fn text(&self) -> String {
        if let [("tea/SKILL.md" | "", text)] = self.files.as_slice() {
            return (*text).to_owned();
        }
        let mut out = String::new();
        for (path, text) in &self.files {
            if !out.is_empty() {
                out.push('\n');
            }
            if !path.is_empty() {
                out.push_str(path);
                out.push('\n');
            }
            out.push_str(text);
        }
        out
    }
}

/// The fenced blocks of a Markdown text. The info string of a block is `text`, a space, and the path.
fn files(mut rest: &str) -> Vec<(&str, &str)> {
    let mut files = Vec::new();
    while let Some(start) = rest.find("```") {
        let block = rest.get(start..).unwrap_or_default();
        let (opening, contents) = block.split_once('\n').unwrap_or((block, ""));
        let info = opening.trim_start_matches('`');
        let fence = opening.strip_suffix(info).unwrap_or("```");
        let end =
            if contents.starts_with(fence) { 0 } else { contents.find(&format!("\n{fence}")).map_or(0, |at| at + 1) };
        let (text, after) = contents.split_at_checked(end).unwrap_or((contents, ""));
        files.push((info.strip_prefix("text ").unwrap_or_default(), text));
        rest = after.strip_prefix(fence).unwrap_or_default();
    }
    files
}

#[cfg(test)]
#[path = "../../tests/unit/explanation.rs"]
mod tests;
