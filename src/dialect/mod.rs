//! The types of a dialect: the table that describes a skill system. What differs between skill systems by value is a
//! field, what differs by behaviour is a small closed enum, and what differs by wording is a template. The tables
//! themselves are in `builtin`, one dialect file for each system. What the rules do is decided in the later layers, each rule in
//! one place; here, `managed_folder` alone asks a file system.

mod builtin;
pub(crate) mod fields;
pub(crate) mod file;
mod source;
pub(crate) mod table;
mod wording;

pub(crate) use crate::model::reading::Reading;
#[cfg(any(test, feature = "receipts"))]
pub(crate) use by_name::dialect;
pub(crate) use fields::{
    Basis, COMMON_FIELDS, ClientRule, Evidence, Field, FieldRole, Necessity, OtherTypes, RESTRICTING_FIELDS, Setting,
    SettingRole, SettingsFile, SettingsReach, SettingsRule, SidecarRule, ValueRule, ValueType,
};
pub(crate) use source::{
    Ancestors, Base, Beside, ControlCharacters, DuplicateKeys, EqualPackages, Fence, HeaderRule, InvalidYaml,
    LastLineFeed, Limit, LinkedFolders, Markup, Namespace, Nearest, Numbers, OtherFlags, OtherScalars,
    OutsideRepository, OverLimit, PackageRule, Permitted, Reach, ScanRule, SourceKind, SourceRule, StandardFields,
    TwicePath,
};
pub(crate) use table::{
    ActivationRule, ChildRule, DescriptionFallback, Dialect, EqualKeys, KeyPart, KeyPrefix, KeyRule, Lookup,
    MAX_SKILL_BYTES, MissingFrontmatter, NameForm, Order, ReattachRule, SelectRule, ShownPaths, StateRule, TieBreak,
    ToolsRule,
};
pub(crate) use wording::{
    AppendArguments, ArgumentWords, Budget, CallWording, Choices, CommandNaming, CommandsRule, Escape, ForkAnswer,
    ForkRule, Input, KnowledgeRule, LastPlace, LetterCase, LoadRule, MetadataForm, MissingArgument, NamedVariable,
    Overflow, PromptRule, RepeatedLoad, ShellRule, Substitution, ToolRule, Trim, Variable, Whitespace,
};

use crate::diagnostic::{Code, Severity};
use crate::fs::{Fs, is_dir};
use crate::model::skill::State;
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::template::Template;
use std::borrow::Cow;
use std::sync::Arc;

/// How many words the title of a dialect has at most.
const MAX_TITLE_WORDS: usize = 4;

/// Defines a function for each built-in dialect, and the lookup by name. A program that asks for no dialect by name links
/// the tables of the functions that it calls alone.
macro_rules! dialects {
    ($($(#[$doc:meta])* $name:literal $function:ident $system:literal)*) => {
        /// The names of the built-in dialects: the default, those of clients, the best-known first, and the others.
        pub const NAMES: &[&str] = &[$($name),*];

        /// The names and texts of the dialect files, the one that all others extend first.
        #[cfg(any(test, skilltree_bootstrap))]
        const FILES: &[(&str, &str)] = &[$(($name, include_str!(concat!("builtin/", $name, ".yaml")))),*];

        /// A module of its own, as the function has its public place at the root of the crate.
        pub(crate) mod by_name {
            use super::{Arc, Dialect};

            /// The built-in dialect of this name, read from its file, as there are no tables yet.
            #[cfg(skilltree_bootstrap)]
            pub fn dialect(name: &str) -> Option<Arc<Dialect>> {
                super::builtin::files::from_file(name)
            }

            /// The built-in dialect of this name.
            ///
            /// ```
            /// assert_eq!(skilltree::dialect("sven").unwrap().name(), "sven");
            /// assert!(skilltree::dialect("latin").is_none());
            /// ```
            #[cfg(not(skilltree_bootstrap))]
            pub fn dialect(name: &str) -> Option<Arc<Dialect>> {
                match name {
                    $($name => Some(super::$function()),)*
                    _ => None,
                }
            }
        }

        $(
            #[doc = concat!("The dialect of ", $system, ". Unlike [`dialect()`](crate::dialect()), this links no other.")]
            $(#[$doc])*
            #[cfg(not(skilltree_bootstrap))]
            pub fn $function() -> Arc<Dialect> {
                // A constant, so that the table is data, and no code that puts it together.
                Arc::new(const { builtin::tables::$function() })
            }
        )*
    };
}

dialects! {
    "agentskills" agentskills "the standard of agentskills.io"
    "claude" claude "Claude Code"
    "codex" codex "Codex CLI"
    "opencode" opencode "OpenCode"
    "goose" goose "Goose"
    "gemini" gemini "Gemini CLI"
    "copilot" copilot "GitHub Copilot in VS Code"
    "cursor" cursor "Cursor"
    "copilot-cli" copilot_cli "GitHub Copilot CLI"
    "qwen" qwen "Qwen Code"
    "kilo" kilo "Kilo Code"
    "pi" pi "pi"
    "cline" cline "Cline"
    "continue" r#continue "Continue CLI"
    "droid" droid "Factory Droid"
    "kimi" kimi "Kimi Code"
    "vibe" vibe "Mistral Vibe"
    "openclaw" openclaw "OpenClaw"
    "hermes" hermes "Hermes Agent"
    "zed" zed "Zed"
    "crush" crush "Crush"
    "sven" sven "sven"
    "agent-base" agent_base "agent-base"
    "gencode" gencode "gencode"
    ///
    /// The registry's verbs are `discover` (register many), `Catalog::find` (get), `prompt` (the metadata), `load`
    /// with arguments (load the body) and `commands` (list those that a user may invoke).
    ///
    /// ```
    /// use skilltree::{Caller, FsPath, LoadRequest, MemFs, Places, PromptRequest, World};
    ///
    /// let mut fs = MemFs::new();
    /// fs.file("/p/skills/tea/SKILL.md", "---\ndescription: Makes tea.\n---\nBoil $ARGUMENTS.\n");
    /// fs.file("/p/data/skills/tea/SKILL.md", "---\ndescription: My tea.\n---\nBrew $0, then $ARGUMENTS.\n");
    /// let places = Places { project: FsPath::new("/p").ok(), ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    ///
    /// let catalog = skilltree::discover(&world, &skilltree::dialect::pegasus());
    /// let tea = catalog.find("tea", Caller::User)?; // the user's beats the built-in one
    /// let list = skilltree::prompt(&world, &catalog, &PromptRequest::default());
    /// assert!(list.text.starts_with("Available skills:\n- tea: My tea.\n"));
    /// let ask = LoadRequest { args: "green black".to_owned(), ..LoadRequest::new(Caller::User) };
    /// assert_eq!(skilltree::load(&world, &catalog, tea, &ask)?.body, "Brew green, then green black.");
    /// assert_eq!(skilltree::commands(&catalog, &[]).all()[0].name, "tea");
    /// # Ok::<(), skilltree::Error>(())
    /// ```
    "pegasus" pegasus "pegasus"
    "daycare" daycare "daycare"
}

impl Dialect {
    /// Whether it is a rule of the system's own document not to have this finding.
    pub fn has_rule(&self, code: Code) -> bool {
        self.rule_codes.contains(&code)
    }

    /// The severity of a broken limit: an error if the system's own document calls it a rule, otherwise a warning. It is
    /// the same in discovery and in `check` (rule 6.12).
    pub(crate) fn severity(&self, code: Code) -> Severity {
        if self.has_rule(code) { Severity::Error } else { Severity::Warning }
    }

    /// The first of the [managed folders](Dialect::managed_folders) that is there, for [`Places::managed`](crate::Places::managed).
    ///
    /// ```
    /// let mut fs = skilltree::MemFs::new();
    /// fs.file("/etc/claude-code/managed-settings.json", "{}");
    /// let managed = skilltree::dialect::claude().managed_folder(&fs).unwrap();
    /// assert_eq!(managed.as_str(), "/etc/claude-code");
    /// ```
    pub fn managed_folder(&self, fs: &dyn Fs) -> Option<FsPath> {
        let mut folders = self.managed_folders.iter().filter_map(|folder| fs.parse(folder, &FsPath::root()));
        folders.find(|folder| is_dir(fs, folder))
    }

    /// The name for people: what [`Dialect::about`] begins with before a colon, as in `Claude Code: commands …`, or else the
    /// name of the dialect in backticks.
    pub fn title(&self) -> Cow<'_, str> {
        let words = |title: &str| title.split_whitespace().count() <= MAX_TITLE_WORDS && !title.trim().is_empty();
        match self.about.split_once(':').filter(|(title, _)| words(title)) {
            Some((title, _)) => visible(title.trim()),
            None => Cow::Owned(format!("`{}`", visible(&self.name))),
        }
    }
}

#[cfg(all(test, not(skilltree_bootstrap)))]
#[path = "../../tests/unit/dialect_tables.rs"]
mod tests;
