//! The table that describes one skill system, those of its parts that no other file is about, and what may be asked of
//! it from outside the library.

use crate::diagnostic::Code;
use crate::dialect::file::macros::described;
use crate::dialect::{
    Basis, ClientRule, CommandsRule, Field, HeaderRule, KnowledgeRule, Limit, LoadRule, PackageRule, Permitted,
    PromptRule, Reach, Reading, RepeatedLoad, ScanRule, SettingsRule, SidecarRule, SourceRule, StandardFields,
    ToolRule,
};
use crate::model::skill::{Skill, State};
use crate::path::FsPath;
use crate::text::json::Json;
use crate::text::template::Template;
use crate::text::words::nearest;
use std::borrow::Cow;

described! {
/// The table that describes one skill system. Its texts are either constants of the program or owned.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Dialect {
    /// Its name: `claude`.
    pub(crate) name: Cow<'static, str>,
    /// What it is, in one line: `Claude Code: commands named by folder, arguments, …`.
    pub(crate) about: Cow<'static, str>,
    /// The folders that are searched, from lowest to highest precedence: of two skills with one key, that of the later
    /// source is used.
    pub(crate) sources: Cow<'static, [SourceRule]>,
    /// How the folders of a source are scanned: `depth: Some(1)` finds `skills/pdf/SKILL.md` only.
    pub(crate) scan: ScanRule,
    /// How many bytes a SKILL.md may have: `262_144`; at most 16 777 216, which `None` stands for.
    pub(crate) max_bytes: Option<u64>,
    /// What a SKILL.md without frontmatter is: `MissingFrontmatter::Load` makes it a skill.
    pub(crate) missing_frontmatter: MissingFrontmatter,
    /// How files are read: `Reading::Faithful`, as the client itself reads them, or `Reading::Repaired`, as their authors meant
    /// them. A [`World`](crate::World) may say otherwise.
    pub(crate) reading: Reading,
    /// How the client itself reads a frontmatter.
    pub(crate) header: HeaderRule,
    /// What is used where the description is missing: `DescriptionFallback::FirstParagraph` of the body.
    pub(crate) description_fallback: DescriptionFallback,
    /// Whether the model is offered skills without a description: `Permitted::No` hides them from it.
    pub(crate) undescribed: Permitted,
    /// The fields that are read besides the common ones: `user-invocable` with the meaning `FieldRole::ForUser`.
    pub(crate) fields: Cow<'static, [Field]>,
    /// How long fields may be: a name at most 64 characters.
    pub(crate) limits: Cow<'static, [Limit]>,
    /// Which characters a name may have: `Some(NameForm::LowerHyphen)`; `None` for any.
    pub(crate) name_form: Option<NameForm>,
    /// Whether a name may have another form: `Permitted::Yes` reports such a name. Otherwise its file is not a skill, if the
    /// dialect reads as the client does.
    pub(crate) other_names: Permitted,
    /// Whether the name of a skill may differ from that of its folder: `Permitted::Yes`. Otherwise its file is not a skill, if
    /// the dialect reads as the client does.
    pub(crate) other_folders: Permitted,
    /// How a skill must keep to the fields of the Agent Skills specification: `StandardFields::Any`.
    pub(crate) standard_fields: StandardFields,
    /// The findings that break a rule of the system's own document, and so are errors: `Code::NameInvalid`. Two
    /// rules are those of some systems only: with `Code::NameMismatch`, `pdf/SKILL.md` must have `name: pdf`; with
    /// `Code::VersionInvalid`, a version must be a semantic one, such as `1.0.0`.
    pub(crate) rule_codes: Cow<'static, [Code]>,
    /// Characters of a name that are each replaced by `-`: `:/`.
    pub(crate) name_dashes: Cow<'static, str>,
    /// What makes the key of a skill, by which it is called: `KeyPart::Folder` gives `pdf` for `skills/pdf/SKILL.md`.
    pub(crate) key: KeyRule,
    /// Which of two skills with the same key in the same source is used: `TieBreak::First` by path.
    pub(crate) tie_break: TieBreak,
    /// How skills with the same key are treated: `EqualKeys::Shadow`.
    pub(crate) equal_keys: EqualKeys,
    /// What a skill is found by besides its key: `Lookup::LastPart` finds `git:pr` by `pr`.
    pub(crate) lookup: Lookup,
    /// The order of skills in a catalog: `Order::Key`.
    pub(crate) order: Order,
    /// Which skills are children of which: `ChildRule::ByKey` makes `a/b` a child of `a`.
    pub(crate) children: ChildRule,
    /// What the field for allowed tools does: `ToolsRule::Grants`.
    pub(crate) allowed_tools: ToolsRule,
    /// How the path of a skill is shown to the model: `ShownPaths::Found`.
    pub(crate) shown_paths: ShownPaths,
    /// The list of skills in the system prompt.
    pub(crate) prompt: PromptRule,
    /// The text that a skill is loaded as.
    pub(crate) load: LoadRule,
    /// What is restored after the conversation was compacted: at most `5_000` tokens of each skill.
    pub(crate) reattach: ReattachRule,
    /// The tool by which a model loads a skill, such as `load_skill`; `None` if there is none.
    pub(crate) tool: Option<ToolRule>,
    /// The commands by which a user invokes a skill, such as `/pdf`; `None` if there are none.
    pub(crate) commands: Option<CommandsRule>,
    /// Where knowledge files lie that skills point to, such as `.sven/knowledge`; `None` if there are none.
    pub(crate) knowledge: Option<KnowledgeRule>,
    /// The states that a user gives to skills, such as `disable`; `None` if there are none.
    pub(crate) states: Option<StateRule>,
    /// How skills are selected by the user's message; `None` if they are not.
    pub(crate) selection: Option<SelectRule>,
    /// Where skills are copied before they are used, such as `skills/active`; `None` if they are used where they lie.
    pub(crate) activation: Option<ActivationRule>,
    /// The folders of an administrator, of which the first that exists is used if the caller names none:
    /// `/etc/claude-code`. They are absolute.
    pub(crate) managed_folders: Cow<'static, [Cow<'static, str>]>,
    /// The settings files that decide about skills; `None` if there are none.
    pub(crate) settings: Option<SettingsRule>,
    /// A second file of fields beside each SKILL.md; `None` if there is none.
    pub(crate) sidecar: Option<SidecarRule>,
    /// The paths of files that mark a folder as a plugin: `.codex-plugin/plugin.json`. The field `name` of such a JSON file,
    /// or else the name of the folder, is the namespace of the skills below it. In a source of plugins, its field `skills`
    /// names further folders of skills, or all if it is `{"paths": …, "exclusive": true}`.
    pub(crate) plugin_manifests: Cow<'static, [Cow<'static, str>]>,
    /// How packages of the Agent Plugins specification are read; `None` if the system takes none.
    pub(crate) packages: Option<PackageRule>,
    /// The program whose runs prove the table; `None` if none does.
    pub(crate) client: Option<ClientRule>,
    /// The evidence for the parts of the table. A part that is not named is based on the document of the skill system.
    pub(crate) basis: Cow<'static, [Basis]>,
    /// What the skill system does and the table does not say.
    pub(crate) not_modelled: Cow<'static, [Cow<'static, str>]>,
}

/// How skills with the same key are treated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EqualKeys {
    /// The one of highest precedence is used and shadows the others.
    Shadow,
    /// As with `EqualKeys::Shadow`, and keys that differ in letter case alone are equal.
    ShadowInAnyCase,
    /// As with `EqualKeys::Shadow`, but the client does not determine which one it uses.
    Undetermined,
    /// All are used. A key that several skills share refers to none of them.
    Keep,
    /// Skills of one source with the same key all get this key instead, and so does a skill of a source with
    /// `Reach::Below` whose key a skill of another source has: `{place}:{key}`, with `-2`, `-3` … if that is taken in
    /// the source. Otherwise as with `EqualKeys::Shadow`. Placeholders: `key`; `path`, the path of its folder below the
    /// source with `-` between the names; `place`, the path of the folder that holds the source below the project.
    Qualify(Template),
    /// As with `EqualKeys::Qualify`, but of skills that still have the same key only those in the same scope and with the same
    /// path below their sources shadow each other, and all others are used as with `EqualKeys::Keep`. Placeholders: `key`,
    /// `path`, `place`.
    QualifyOrKeep(Template),
}

/// What a SKILL.md without frontmatter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MissingFrontmatter {
    /// Not a skill.
    Skip,
    /// A skill whose body is the whole text.
    Load,
    /// A skill whose body is the whole text, if that is more than white space.
    LoadText,
}

/// What is used where the description is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DescriptionFallback {
    /// Nothing.
    None,
    /// The first Markdown paragraph of the body (rule 6.16).
    FirstParagraph,
    /// The text of the first Markdown heading of the body.
    FirstHeading,
    /// The first three lines of the body that are not blank and do not begin with `#`, joined by spaces: at most 1 024
    /// characters.
    FirstThreeLines,
    /// The first line of the body that is not blank, without the `#` of a heading: of more than 100 characters the first
    /// 97, with `...` behind them; `Skill` if there is none.
    FirstLine,
}

/// Which characters a name may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameForm {
    /// Lower-case letters and digits of any script, with single hyphens between them (rule 7.2): `pdf-forms`.
    LowerHyphen,
    /// ASCII letters and digits, and hyphens: `PDF-forms`.
    AsciiHyphen,
    /// Lower-case ASCII letters and digits, and hyphens, but no hyphen at the start: `pdf--forms`.
    LowerAsciiHyphen,
    /// Lower-case ASCII letters and digits, with single hyphens between them: `pdf-forms`.
    LowerAsciiWords,
    /// ASCII letters and digits, and `-`, `_`, `.` and `:` after the first of them: `PDF_forms:2`.
    AsciiDotted,
    /// Letters and digits of any script, and `-`, `_`, `.` and `:`: `tools:pdf_forms.2`.
    Dotted,
    /// Any characters but `/`.
    NoSlash,
}

/// What makes the key of a skill. The examples are for `skills/git/pr/SKILL.md` with the frontmatter `name: open-pr`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyRule {
    /// What the key is, without its prefix: `KeyPart::Path`.
    pub(crate) of: KeyPart,
    /// What stands before it, with a colon: `Some(KeyPrefix::Label)`.
    pub(crate) prefix: Option<KeyPrefix>,
}

/// What a key is, without its prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyPart {
    /// The name in the frontmatter, or else the name of its folder: `open-pr`.
    Name,
    /// The name of its folder, while the name in the frontmatter is a label: `pr`. Behind a prefix it is as with `KeyPart::Name`.
    Folder,
    /// The path of its folder below the source: `git/pr`.
    Path,
}

/// What stands before the rest of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyPrefix {
    /// The namespace in the frontmatter, or else that of the source, if there is one: `git:open-pr`.
    Namespace,
    /// The label of the source: `user:git/pr`. The skill is shown under the name of its folder, and is found by the name in
    /// the frontmatter too.
    Label,
}

/// Which of two skills with the same key in the same source is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TieBreak {
    /// The first by path.
    First,
    /// The last by path.
    Last,
    /// The one whose folder lies deepest, and of several the first by path.
    Deepest,
}

/// What a skill is found by besides its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// Nothing.
    Key,
    /// Its key in any letter case, if no other skill has it as written.
    KeyInAnyCase,
    /// The part of the key after its last colon, in any letter case: `pr` for `git:pr`. If several skills match, the
    /// request is ambiguous.
    LastPart,
    /// Its second name, as the prompt shows it; or else as with `Lookup::LastPart`.
    SecondNameOrLastPart,
    /// The name that it is shown under, then the name in the frontmatter, the source of the highest precedence first;
    /// then key and names in any letter case; then the path of its SKILL.md.
    NameOrPath,
}

/// The order of skills in a catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// By key, in byte order.
    Key,
    /// By source from lowest to highest, then by name. A skill that shadows one of a lower source takes its position.
    SourceThenName,
    /// By name, then by path.
    NameThenPath,
    /// By source from lowest to highest, then by path. A skill that shadows one of a lower source takes its position.
    SourceThenPath,
    /// As with `Order::SourceThenPath`, but in a source the folders that lie less deep come first, and of those the last by path.
    SourceThenLastPath,
    /// By source from highest to lowest, then by path.
    HighestSource,
    /// By source from highest to lowest, then by key as with `Order::Locale`. Command files come last, as if they were of
    /// one source.
    HighestSourceThenLocale,
    /// By source, the highest first, then by key.
    HighestSourceThenKey,
    /// As with `Order::HighestSourceThenKey`, but sources of the project that follow each other and have the same scope count as
    /// one, if all of them lie in the project or none does.
    HighestScopeThenKey,
    /// As with `Order::HighestScopeThenKey`, but for the sources of the user too, and by key as with `Order::Locale`.
    HighestScopeThenLocale,
    /// By key in the order of a language, as `localeCompare` of JavaScript has it, then by path: white space, `_`, `-`, other
    /// signs, digits, and letters whatever their case, of which `a` comes before `A` if nothing else differs. Accented Latin
    /// letters stand beside the letter that they are made of. Letters of other scripts come last, in the order of Unicode.
    Locale,
    /// By the position of the scope of the source in this list, then by key, then by path. Other scopes come last.
    Scopes(Cow<'static, [Cow<'static, str>]>),
}

/// How the path of a skill is shown to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShownPaths {
    /// As it was found.
    Found,
    /// With symlinks resolved where the skill is loaded. In the list of the prompt those on the way to its source are resolved.
    Real,
    /// With symlinks resolved, in the list of the prompt too.
    RealInList,
}

/// Which skills are children of which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChildRule {
    /// A skill is the child of the skill whose key is its own without the last part: `a/b` of `a`, and `a/b/c` of `a/b` or
    /// of none.
    ByKey,
    /// A skill is the child of the skill in the nearest folder above its own.
    ByFolder,
}

/// What the field for allowed tools does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToolsRule {
    /// Nothing: it is kept as data.
    Ignored,
    /// The listed tools may be used without asking, if the source is trusted.
    Grants,
    /// Only the listed tools may be used while the skill is active.
    Restricts,
}

/// The states that a user gives to skills, which are stored in two JSON files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StateRule {
    /// The path of the user's file below the home directory, and of the project's file below the project:
    /// `.gen/skills.json`. For each skill the project's file beats the user's.
    pub(crate) store: Cow<'static, str>,
    /// The state of a skill that neither file names: `State::Enabled`.
    pub(crate) default: State,
}

/// How skills are selected by the user's message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SelectRule {
    /// How many of the skills that match are shown in full: 3.
    pub(crate) max: usize,
    /// The questions that are answered with the list of all skills, in lower case: `what * skills`. The words must
    /// appear in one sentence in this order; `*` stands for a few other words, or none.
    pub(crate) list_questions: Cow<'static, [Cow<'static, str>]>,
    /// The text that is shown if no skill matches: `[{count} skills available]`. Placeholder: `count`.
    pub(crate) breadcrumb: Template,
    /// The text before the skills that are shown in full: `## Relevant Skill Documentation`.
    pub(crate) header: Cow<'static, str>,
    /// One skill in full: `### {name}{?body}\n\n{body}{/}`. Placeholders: `name`, `body`.
    pub(crate) document: Template,
}

/// Where skills are copied before they are used. The copies are brought up to date before each call of the load tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ActivationRule {
    /// The path of the folder with the copies below the user's folder: `skills/active`.
    pub(crate) dir: Cow<'static, str>,
    /// What replaces `:` and `/` of the key in the name of a copy: `--` makes `core--pdf` of `core:pdf`.
    pub(crate) separator: Cow<'static, str>,
}
}

impl Dialect {
    /// Its name: `claude`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Those of these names of dialects that are spelled nearly like `asked`, the nearest first.
    pub fn similar_names<'n>(asked: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
        nearest(asked, names)
    }

    /// What it is, in one line: `Claude Code: commands named by folder, arguments, …`.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The program of the client, as it is called in PATH, its package on npm or PyPI, and the version whose runs prove the
    /// table: `claude`, `@anthropic-ai/claude-code` and `2.1.330`. `None` if no runs do.
    #[cfg(feature = "author")]
    pub fn proven_client(&self) -> Option<[&str; 3]> {
        self.client.as_ref().map(|client| [&*client.program, &*client.package, &*client.version])
    }

    /// How files are read, unless the [`World`](crate::World) says otherwise.
    pub fn reading(&self) -> Reading {
        self.reading
    }

    /// The folders of an administrator, of which the first that exists is used if the caller names none:
    /// `/etc/claude-code`. They are absolute.
    pub fn managed_folders(&self) -> impl Iterator<Item = &str> {
        self.managed_folders.iter().map(|folder| &**folder)
    }

    /// How many folders below a source the folder of a skill may lie; `None` for any number.
    pub fn scan_depth(&self) -> Option<usize> {
        self.scan.depth
    }

    /// The name of the tool by which a model loads a skill, such as `load_skill`; `None` if there is none.
    pub fn tool_name(&self) -> Option<&str> {
        self.tool.as_ref().map(|tool| &*tool.name)
    }

    /// The name of the tool's argument with the arguments for the skill; `None` if there is none.
    pub fn tool_input(&self) -> Option<&str> {
        Some(&self.tool.as_ref()?.input.as_ref()?.name)
    }

    /// The arguments of the tool's call that loads a skill with these arguments; `None` if there is no tool.
    pub fn tool_arguments(&self, key: &str, args: &str) -> Option<Json> {
        let tool = self.tool.as_ref()?;
        let input = self.tool_input().filter(|_| !args.is_empty()).map(|name| (name, Json::from(args)));
        Some(Json::map([(&*tool.argument, Json::from(key))].into_iter().chain(input)))
    }

    /// Whether a skill is loaded with arguments, as a task for a separate agent or otherwise.
    pub fn takes_arguments(&self, is_fork: bool) -> bool {
        self.load.takes_arguments(is_fork)
    }

    /// Whether a skill whose text is still in the conversation is loaded as a note that says so.
    pub fn notes_repeated_loads(&self) -> bool {
        self.load.repeated == RepeatedLoad::Note
    }

    /// Whether users invoke skills by commands, such as `/pdf`.
    pub fn has_commands(&self) -> bool {
        self.commands.is_some()
    }

    /// Whether the client has a command of its own of this name.
    pub fn reserves_command(&self, name: &str) -> bool {
        self.commands.as_ref().is_some_and(|rule| rule.reserves(name))
    }

    /// Whether users give states to skills, such as `disable`.
    pub fn has_states(&self) -> bool {
        self.states.is_some()
    }

    /// Whether skills are selected by the user's message.
    pub fn has_selection(&self) -> bool {
        self.selection.is_some()
    }

    /// The folder below the user's folder to which skills are copied before they are used, such as `skills/active`; `None`
    /// if they are used where they lie.
    pub fn activation_folder(&self) -> Option<&str> {
        self.activation.as_ref().map(|rule| &*rule.dir)
    }

    /// The path of a skill as the list of the prompt shows it.
    pub(crate) fn listed_path<'s>(&self, skill: &'s Skill) -> Cow<'s, FsPath> {
        let source = &skill.source;
        let path = match self.shown_paths {
            ShownPaths::Found => None,
            ShownPaths::Real => source.real_root.as_ref().and_then(|real| skill.path.rebased(&source.root, real)),
            ShownPaths::RealInList => skill.folder.as_ref().map(|folder| skill.path.moved_to(folder)),
        };
        path.map_or(Cow::Borrowed(&skill.path), Cow::Owned)
    }

    /// The folder in which a file has to be worked on for this skill to be found, which lies below the project; `None` if no
    /// such folder brings it into play. Both paths are relative to the project.
    pub fn nested_folder<'p>(&self, skill: &'p str) -> Option<&'p str> {
        let mut rules = self.sources.iter().filter(|rule| rule.reach == Reach::Below);
        rules.find_map(|rule| {
            let path = format!("{skill}/");
            let (folder, _) = path.split_once(&format!("/{}/", rule.path))?;
            skill.get(..folder.len())
        })
    }

    /// The same dialect with a prompt of names and descriptions alone; `None` if it has no form for that.
    #[must_use]
    pub fn with_metadata_prompt(&self) -> Option<Dialect> {
        Some(Dialect { prompt: self.prompt.of_metadata()?, ..self.clone() })
    }

    /// Whether the text that loads a skill has the whole SKILL.md in it, with its frontmatter (rule 12.10).
    #[must_use]
    pub fn loads_whole_file(&self) -> bool {
        self.load.frame.placeholders().any(|hole| hole == "source")
    }

    /// How many bytes a SKILL.md may have: `max_bytes`, but at most 16 777 216 (rule 4.1).
    #[must_use]
    pub fn max_skill_bytes(&self) -> u64 {
        self.max_bytes.map_or(MAX_SKILL_BYTES, |most| most.min(MAX_SKILL_BYTES))
    }

    /// The same dialect, but reading files in this way.
    #[must_use]
    pub fn with_reading(&self, reading: Reading) -> Dialect {
        Dialect { reading, ..self.clone() }
    }
}

described! {
/// What is restored after the conversation was compacted, besides the list of skills. The limits are in tokens, of
/// which a text costs one for every four bytes or part of four.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReattachRule {
    /// How many tokens of each skill are restored at most: `5_000`.
    pub(crate) each: usize,
    /// How many tokens of all skills together are restored at most: `25_000`.
    pub(crate) all: usize,
    /// The text in place of the rest of a skill that does not fit, so that the model can read it:
    /// `The rest is in {path}.` Placeholder: `path`.
    pub(crate) rest: Template,
}
}

/// The most bytes of a SKILL.md that are read in any dialect, so that every read is bounded.
pub(crate) const MAX_SKILL_BYTES: u64 = 16_777_216;
