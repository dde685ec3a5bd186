//! Why a call has no answer, as an [`Error`] with a stable code. Faults in the contents of skills are not errors but
//! findings ([`Diagnostic`](crate::Diagnostic)), and never stop a call.

use crate::fs::FsError;
use crate::path::FsPath;
use crate::text::list::quoted;
use crate::text::words::{excerpt, nearest};

/// How many characters of the name of an argument are shown.
const MAX_ARGUMENT_CHARS: usize = 100;

/// Why a call has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no skill of this name that the caller may see.
    #[error("there is no skill `{asked}`{}", suggestion(.near))]
    UnknownSkill {
        /// What was asked for.
        asked: String,
        /// The nearest names, at most three.
        near: Vec<String>,
    },
    /// Like [`Error::UnknownSkill`], in the wording of the dialect's tool, to the byte.
    #[error("{said}")]
    NotFound {
        /// The message that there is no such skill.
        said: String,
        /// The nearest names, at most three, unless the message names them.
        near: Vec<String>,
    },
    /// Several skills have this name.
    #[error("`{asked}` is ambiguous: it may be {}", listed(.candidates))]
    Ambiguous {
        /// What was asked for.
        asked: String,
        /// The keys it may mean; paths if they all have the same key.
        candidates: Vec<String>,
    },
    /// The skill is hidden from the model.
    #[error("the skill `{key}` is hidden from the model")]
    NotForModel {
        /// Its key.
        key: String,
    },
    /// A setting of the client refuses the calls of the skill by the model, which sees it.
    #[error("the call of the skill `{key}` is blocked by permission rules")]
    Refused {
        /// Its key.
        key: String,
    },
    /// The skill is enabled and not active, so only the user may call it.
    #[error("the skill `{key}` is enabled for the user only; make it active for the model to see it")]
    NotActive {
        /// Its key.
        key: String,
    },
    /// The skill is not trusted, so nothing of it is run.
    #[error("the skill `{key}` comes with the project and is not trusted; nothing in it runs until it is approved")]
    Untrusted {
        /// Its key.
        key: String,
        /// The folder of the agent's own skills in which it lies, if it does.
        bundle: Option<String>,
    },
    /// The skill is no longer trusted: its contents are not those that were approved.
    #[error("the skill `{key}` is not trusted: {reason}; review it, then approve it again")]
    ApprovalVoid {
        /// Its key.
        key: String,
        /// What has changed.
        reason: String,
    },
    /// The copy that would be used differs from the skill.
    #[error(
        "the copy `{copy}` of the skill `{key}` differs from its source ({what}), so nothing in it runs or is \
             granted; remove its folder and copy the skill again"
    )]
    CopyDiffers {
        /// The skill's key.
        key: String,
        /// The SKILL.md of the copy.
        copy: FsPath,
        /// The first difference.
        what: String,
    },
    /// The folder of copies holds no copy of the skill.
    #[error("the skill `{key}` cannot be loaded: `{root}` contains no copy of it")]
    CopyMissing {
        /// The skill's key.
        key: String,
        /// The folder of copies.
        root: FsPath,
    },
    /// The skill asks for a permission that the caller does not have.
    #[error("{said}")]
    PermissionNotHeld {
        /// The message, in the wording of the dialect.
        said: String,
    },
    /// The caller may not read a file.
    #[error("Read permission denied: {path}")]
    ReadDenied {
        /// The file.
        path: FsPath,
    },
    /// A file belongs to another skill, which is nested in the one that was asked for.
    #[error("`{path}` belongs to another skill, nested in `{key}`; ask for that skill")]
    BelongsToOtherSkill {
        /// The file.
        path: FsPath,
        /// The key of the skill that was asked for.
        key: String,
    },
    /// The skill runs as a task of its own, and the call does not say what to do.
    #[error("{said}")]
    PromptMissing {
        /// The message, in the wording of the dialect.
        said: String,
    },
    /// A store is corrupt, so it is not overwritten.
    #[error("`{path}` is corrupt and is not overwritten: {reason}; fix it, or move it away and start again")]
    StoreCorrupt {
        /// The store.
        path: FsPath,
        /// What is wrong with it.
        reason: String,
    },
    /// A store has the format of a later version, so it is not overwritten.
    #[error(
        "`{path}` has version {version}, newer than {known}, and is not overwritten; use a newer version of \
             skilltree, or move it away and start again"
    )]
    StoreNewer {
        /// The store.
        path: FsPath,
        /// The version of its format.
        version: u64,
        /// The newest version that is known.
        known: u64,
    },
    /// The folder in which a store of states lies is not known.
    #[error("there is no {store} folder, so no state can be stored")]
    NoStore {
        /// Whose store: `user` or `project`.
        store: &'static str,
    },
    /// The skill is hidden from the user.
    #[error("the skill `{key}` is hidden from the user")]
    NotForUser {
        /// Its key.
        key: String,
    },
    /// The skill is switched off.
    #[error("the skill `{key}` is disabled")]
    Disabled {
        /// Its key.
        key: String,
        /// Whether its dialect has states, and the skill can be switched on by its state: a choice may disable it as well.
        has_states: bool,
    },
    /// The skill was found by discovery, and cannot be used now.
    #[error("the skill `{key}` can no longer be loaded: {reason}")]
    SkillGone {
        /// Its key.
        key: String,
        /// Why not.
        reason: String,
    },
    /// The skill has no script of this name.
    #[error("the skill `{key}` has no script `{asked}`{}", script_words(.found, .near, .there, *.more))]
    NoScript {
        /// Its key.
        key: String,
        /// What was asked for.
        asked: String,
        /// What is there instead of a script, if anything is.
        found: Option<&'static str>,
        /// The nearest names, at most three.
        near: Vec<String>,
        /// The names of the scripts that may be run, at most ten.
        there: Vec<String>,
        /// How many more there are.
        more: usize,
    },
    /// The script exists, but the skill's list of scripts does not have it.
    #[error("the skill `{key}` does not list `{asked}` among its scripts, so it does not run; it lists {}", all(.listed, *.more))]
    ScriptNotListed {
        /// Its key.
        key: String,
        /// The script.
        asked: String,
        /// The scripts that it lists, at most ten.
        listed: Vec<String>,
        /// How many more it lists.
        more: usize,
    },
    /// The skill's list of scripts cannot be read, so no script is run.
    #[error(
        "the field `scripts` of the skill `{key}` is not a list of names, so none of its scripts runs, including \
             `{asked}`; write `scripts: [NAME, …]` in its SKILL.md, or remove the field"
    )]
    ScriptListInvalid {
        /// Its key.
        key: String,
        /// The script.
        asked: String,
    },
    /// The path that was asked for is not written in the plain form that names a script.
    #[error(
        "`{asked}` is not a plain path, so it is not a script of the skill `{key}`; name a script by its path below \
             `scripts/`, with one `/` between names and without `.`, `..` and `\\`"
    )]
    PathNotPlain {
        /// The skill's key.
        key: String,
        /// What was asked for.
        asked: String,
    },
    /// The path that was asked for leads out of the folder `scripts`, or a symlink leads it out of the skill.
    #[error(
        "`{asked}` is outside the scripts of the skill `{key}`; name a script by its path below `scripts/`, without \
             `..`; no symlink may lead out of the skill"
    )]
    OutsideScripts {
        /// The skill's key.
        key: String,
        /// What was asked for.
        asked: String,
    },
    /// A script is given too many arguments.
    #[error("a script takes at most {most} arguments, got {count}; pass them in a file")]
    TooManyArguments {
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// A script's arguments are too long.
    #[error("the arguments of a script take at most {most} bytes in total, got {bytes}; pass them in a file")]
    ArgumentsTooLong {
        /// How many bytes they have.
        bytes: usize,
        /// How many they may have.
        most: usize,
    },
    /// It is not clear how a script is run.
    #[error(
        "cannot tell how to run `{name}`: {reason}; start it with a line such as `#!/usr/bin/env python3`, or end \
             its name in `.py`, `.sh`, `.js` or `.ts`"
    )]
    NoInterpreter {
        /// The script.
        name: String,
        /// What was looked for.
        reason: &'static str,
    },
    /// The arguments of a call are not valid.
    #[error("{0}")]
    BadArguments(String),
    /// A call has an argument that its schema does not have.
    #[error("unknown argument `{asked}`{}{}", suggestion(.near), known_words(.known, !.near.is_empty()))]
    UnknownArgument {
        /// The argument.
        asked: String,
        /// The arguments that the schema has.
        known: Vec<String>,
        /// The nearest of them, at most three.
        near: Vec<String>,
    },
    /// The dialect does not have what was asked for.
    #[error("the dialect `{dialect}` has no {what}")]
    NotInDialect {
        /// The dialect.
        dialect: String,
        /// What was asked for: `load tool`, `slash commands`.
        what: &'static str,
    },
    /// The model may load no skill, so there is no tool for it.
    #[error("there is no skill that the model may load, so there is no tool")]
    NothingToLoad,
    /// The folder for copies overlaps with a source of skills.
    #[error("copies cannot be stored in `{root}`: `{source_root}` is a source of skills")]
    ActivationOverlap {
        /// The folder for copies.
        root: FsPath,
        /// The root of the source.
        source_root: FsPath,
    },
    /// Nothing is served at an address.
    #[error("nothing is served at `{uri}`: {reason}")]
    NotServed {
        /// The address.
        uri: String,
        /// Why.
        reason: String,
    },
    /// A file has changed since it was listed.
    #[error("`{uri}` has changed since it was listed; list it again")]
    Changed {
        /// Its address.
        uri: String,
    },
    /// A skill's folder holds more than is read.
    #[error(
        "`{path}` contains more than {limit} {what}, so it is not read completely; remove what the skill does \
         not need"
    )]
    TooMuch {
        /// The folder.
        path: FsPath,
        /// How much may be in it.
        limit: u64,
        /// What there is too much of: `files`, `folders`, `bytes`.
        what: &'static str,
    },
    /// A symlink in a skill's folder leads to a folder outside, whose contents are not read.
    #[error(
        "the symlink `{path}` leads to the folder `{target}` outside the skill and is not followed; copy the folder \
             into the skill"
    )]
    LinkedFolder {
        /// The symlink.
        path: FsPath,
        /// The real path that it leads to.
        target: FsPath,
    },
    /// A folder cannot be packed or embedded.
    #[error("`{path}` is not packed: {reason}")]
    NotPacked {
        /// The folder.
        path: FsPath,
        /// Why.
        reason: String,
    },
    /// The file system has failed.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Error {
    /// A stable name in kebab case.
    pub fn code(&self) -> &'static str {
        match self {
            Error::UnknownSkill { .. } | Error::NotFound { .. } => "unknown",
            Error::Ambiguous { .. } => "ambiguous",
            Error::NotForModel { .. } => "not-for-model",
            Error::Refused { .. } => "refused",
            Error::NotActive { .. } => "not-active",
            Error::Untrusted { .. } | Error::ApprovalVoid { .. } => "untrusted",
            Error::CopyDiffers { .. } => "copy-differs",
            Error::PermissionNotHeld { .. } => "permission-not-held",
            Error::ReadDenied { .. } => "read-denied",
            Error::BelongsToOtherSkill { .. } => "of-another-skill",
            Error::PromptMissing { .. } => "prompt-missing",
            Error::StoreCorrupt { .. } => "store-corrupt",
            Error::StoreNewer { .. } => "store-newer",
            Error::NoStore { .. } => "no-store",
            Error::NotForUser { .. } => "not-for-user",
            Error::Disabled { .. } => "disabled",
            Error::SkillGone { .. } | Error::CopyMissing { .. } => "gone",
            Error::NoScript { .. } => "no-script",
            Error::ScriptNotListed { .. } | Error::ScriptListInvalid { .. } => "script-not-listed",
            Error::PathNotPlain { .. } => "not-plain",
            Error::OutsideScripts { .. } => "outside",
            Error::TooManyArguments { .. } => "too-many-arguments",
            Error::ArgumentsTooLong { .. } => "arguments-too-long",
            Error::NoInterpreter { .. } => "no-interpreter",
            Error::BadArguments(_) | Error::UnknownArgument { .. } => "bad-arguments",
            Error::NotInDialect { .. } => "not-in-dialect",
            Error::NothingToLoad => "no-skills",
            Error::ActivationOverlap { .. } => "activation-overlap",
            Error::NotServed { .. } => "not-served",
            Error::Changed { .. } => "changed",
            Error::TooMuch { .. } => "too-much",
            Error::LinkedFolder { .. } => "linked-folder",
            Error::NotPacked { .. } => "not-packed",
            Error::Fs(_) => "file-system",
        }
    }

    /// The error for an argument `asked` of a call that takes the arguments `known`.
    ///
    /// ```
    /// let error = skilltree::Error::unknown_argument("ofset", &["path", "offset"]);
    /// assert_eq!(error.code(), "bad-arguments");
    /// assert!(error.to_string().contains("did you mean `offset`?"));
    /// ```
    pub fn unknown_argument(asked: &str, known: &[&str]) -> Error {
        let near = nearest(asked, known.iter().copied());
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Error::UnknownArgument { asked: excerpt(asked, MAX_ARGUMENT_CHARS), known: owned(known), near: owned(&near) }
    }

    /// The file that the error is about, if any.
    pub fn path(&self) -> Option<&FsPath> {
        match self {
            Error::Fs(error) => Some(error.path()),
            _ => None,
        }
    }

    /// The nearest names to one that is not known, at most three, if the message does not name them.
    pub fn near(&self) -> &[String] {
        match self {
            Error::NotFound { near, .. } => near,
            _ => &[],
        }
    }
}

/// Tells how a skill in `bundle` would be trusted: if that folder is declared as the agent's own.
pub(crate) fn trust_advice(bundle: &Option<String>) -> String {
    let advice = |dir| format!("; it is trusted if `{dir}` is declared as the folder of the agent's own skills");
    bundle.as_ref().map(advice).unwrap_or_default()
}

pub(crate) fn suggestion(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", listed(near)) }
}

/// Lists the arguments that a call takes, as a sentence of its own if it follows a question.
fn known_words(known: &[String], is_after_question: bool) -> String {
    let names = quoted(known, ", ");
    match (known.len(), is_after_question) {
        (0, _) => "; none is taken".to_owned(),
        (1, true) => format!(" The only argument is {names}"),
        (1, false) => format!("; the only argument is {names}"),
        (_, true) => format!(" The arguments are {names}"),
        (_, false) => format!("; the arguments are {names}"),
    }
}

/// Says what was found instead of a script, and suggests similar scripts or lists those that exist.
fn script_words(found: &Option<&'static str>, near: &[String], there: &[String], more: usize) -> String {
    let found = found.map(|found| format!(": that is {found}")).unwrap_or_default();
    match near {
        [] => format!("{found}; it has {}", all(there, more)),
        near => found + &suggestion(near),
    }
}

/// Lists names and how many more there are: `none`, or `` `a`, `b` and 3 more ``.
fn all(names: &[String], more: usize) -> String {
    let names = quoted(names, ", ");
    match (names.as_str(), more) {
        ("", _) => "none".to_owned(),
        (_, 0) => names,
        (names, more) => format!("{names} and {more} more"),
    }
}

/// Lists names as alternatives: `` `a` or `b` ``.
fn listed(names: &[String]) -> String {
    quoted(names, " or ")
}
