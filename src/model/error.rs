//! In: a call that has no answer. Out: [`Error`], which says why, and its stable code.
//! Absent: findings about content, which are `Diagnostic`s and never stop a call.

mod words;

pub(crate) use words::{near_words, own_bundle};

use crate::fs::FsError;
use crate::path::FsPath;
use crate::text::words::{excerpt, nearest};
use words::{all, known_words, listed, script_words};

/// How many characters of the name of an argument are shown.
const MAX_ARGUMENT_CHARS: usize = 100;

/// Why a call has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No skill of this name that the caller may see.
    #[error("there is no skill `{asked}`{}", near_words(.near))]
    Unknown {
        /// What was asked for.
        asked: String,
        /// The nearest names, at most three.
        near: Vec<String>,
    },
    /// The same, in the words of the dialect's tool.
    #[error("{said}{}", near_words(.near))]
    NotFound {
        /// That there is no such skill.
        said: String,
        /// The nearest names, at most three.
        near: Vec<String>,
    },
    /// More than one skill of this name.
    #[error("`{asked}` is ambiguous: it may be {}", listed(.candidates))]
    Ambiguous {
        /// What was asked for.
        asked: String,
        /// The keys it may mean.
        candidates: Vec<String>,
    },
    /// The skill is hidden from the model.
    #[error("the skill `{key}` is hidden from the model")]
    NotForModel {
        /// Its key.
        key: String,
    },
    /// The skill is on, and not active, so it is for the user alone.
    #[error("the skill `{key}` is enabled for the user only; make it active for the model to see it")]
    NotActive {
        /// Its key.
        key: String,
    },
    /// The skill is not trusted, so nothing of it is run.
    #[error("the skill `{key}` comes with the project and is not trusted; nothing of it runs until it is approved")]
    Untrusted {
        /// Its key.
        key: String,
        /// The folder of the agent's own skills in the project that it lies in, where it does.
        bundle: Option<String>,
    },
    /// The skill is not trusted, though it was: what is there now is not what was approved.
    #[error("the skill `{key}` is not trusted: {reason}; review it, then approve it again")]
    Void {
        /// Its key.
        key: String,
        /// What is not as it was.
        reason: String,
    },
    /// The copy that would be used is not what a copy of the skill would be now.
    #[error(
        "the copy `{copy}` of the skill `{key}` differs from its source ({what}), so nothing of it runs or is \
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
    /// The activation root holds no copy of the skill.
    #[error("the skill `{key}` cannot be loaded: `{root}` contains no copy of it")]
    CopyMissing {
        /// The skill's key.
        key: String,
        /// The activation root.
        root: FsPath,
    },
    /// A permission that the skill asks for is not the caller's to give.
    #[error("Cannot attach permission '{tag}' - you don't have it.")]
    PermissionNotHeld {
        /// The permission's tag.
        tag: String,
    },
    /// A file may not be read by the caller.
    #[error("Read permission denied: {path}")]
    ReadDenied {
        /// The file.
        path: FsPath,
    },
    /// A file belongs to a skill nested in the one that it was asked of.
    #[error("`{path}` belongs to another skill, nested in `{key}`; ask for that skill")]
    OfAnotherSkill {
        /// The file.
        path: FsPath,
        /// The key of the skill that was asked for.
        key: String,
    },
    /// The skill runs apart, and needs to be told what to do.
    #[error("Skill \"{key}\" requires prompt in sandbox mode.")]
    PromptMissing {
        /// Its key.
        key: String,
    },
    /// A store is corrupt, and so not written over.
    #[error("`{path}` is corrupt and is not overwritten: {reason}; fix it, or move it away and start again")]
    StoreCorrupt {
        /// The store.
        path: FsPath,
        /// What is wrong with it.
        reason: String,
    },
    /// A store is in the form of a later version, and so not written over.
    #[error(
        "`{path}` has version {version}, newer than {known}, and is not overwritten; use a newer version of \
             skilltree, or move it away and start again"
    )]
    StoreNewer {
        /// The store.
        path: FsPath,
        /// Its version.
        version: u64,
        /// The newest version that is known.
        known: u64,
    },
    /// There is no folder that this store of states could lie in.
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
        /// Whether its dialect has states, which are changed for good.
        has_states: bool,
    },
    /// The skill was there at discovery, and cannot be used now.
    #[error("the skill `{key}` can no longer be loaded: {reason}")]
    Gone {
        /// Its key.
        key: String,
        /// What has become of it.
        reason: String,
    },
    /// The skill has no script of this name.
    #[error("the skill `{key}` has no script `{asked}`{}", script_words(.found, .near, .there, *.more))]
    NoScript {
        /// Its key.
        key: String,
        /// What was asked for.
        asked: String,
        /// What stands there instead, if anything does.
        found: Option<&'static str>,
        /// The nearest names, at most three.
        near: Vec<String>,
        /// The names that may be run, the first ten.
        there: Vec<String>,
        /// How many more there are.
        more: usize,
    },
    /// The script is there, and the skill's own list leaves it out.
    #[error("the skill `{key}` does not list `{asked}` among its scripts, so it does not run; it lists {}", all(.listed, *.more))]
    ScriptNotListed {
        /// Its key.
        key: String,
        /// The script.
        asked: String,
        /// What it lists, the first ten.
        listed: Vec<String>,
        /// How many more it lists.
        more: usize,
    },
    /// The skill's list of scripts is none, so none is run.
    #[error(
        "the field `scripts` of the skill `{key}` is not a list of names, so none of its scripts runs, including \
             `{asked}`; write `scripts: [NAME, …]` in its SKILL.md, or remove the field"
    )]
    ScriptsUnclear {
        /// Its key.
        key: String,
        /// The script.
        asked: String,
    },
    /// What was asked for names a file, if any, in more than one way, so it names no script.
    #[error(
        "`{asked}` is not a plain path, so it is not a script of the skill `{key}`; name a script by its path below \
             `scripts/`, with one `/` between names and without `.`, `..` and `\\`"
    )]
    NotPlain {
        /// The skill's key.
        key: String,
        /// What was asked for.
        asked: String,
    },
    /// What was asked for leads out of the skill's folder for scripts, or a link leads it out of the skill.
    #[error(
        "`{asked}` is outside the scripts of the skill `{key}`; name a script by its path below `scripts/`, without \
             `..`; no symlink may lead out of the skill"
    )]
    Outside {
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
    /// Nothing says how a script is run.
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
    /// The arguments of a call are not what it can take.
    #[error("{0}")]
    BadArguments(String),
    /// A call has an argument that its schema does not know.
    #[error("unknown argument `{asked}`{}{}", near_words(.near), known_words(.known, !.near.is_empty()))]
    UnknownArgument {
        /// The argument.
        asked: String,
        /// The arguments that there are.
        known: Vec<String>,
        /// The nearest of them, at most three.
        near: Vec<String>,
    },
    /// The dialect has no such thing.
    #[error("the dialect `{dialect}` has no {what}")]
    NotInDialect {
        /// The dialect.
        dialect: String,
        /// What was asked for: `load tool`, `slash commands`.
        what: &'static str,
    },
    /// There is no skill that the model may load, hence no tool.
    #[error("the model may load no skill, so there is no tool")]
    NoSkills,
    /// Copies would lie among the skills that they are made of.
    #[error("copies cannot be stored in `{root}`: `{source_root}` is a source of skills")]
    ActivationOverlap {
        /// The folder for copies.
        root: FsPath,
        /// The source that it lies in, or that lies in it.
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
    /// A file is not what it was when it was listed.
    #[error("`{uri}` has changed since it was listed; list it again")]
    Changed {
        /// Its address.
        uri: String,
    },
    /// A skill's folder holds more than is looked at.
    #[error(
        "`{path}` contains more than {limit} {what}, so it is not read completely; remove what the skill does \
         not need"
    )]
    TooMuch {
        /// The folder.
        path: FsPath,
        /// How much may be in it.
        limit: u64,
        /// Of what: `files`, `folders`, `bytes`.
        what: &'static str,
    },
    /// A link in a skill's folder leads to a folder outside, and what is there is looked at by nobody.
    #[error(
        "the symlink `{path}` leads to the folder `{target}` outside the skill and is not followed; copy the folder \
             into the skill"
    )]
    LinkedFolder {
        /// The link.
        path: FsPath,
        /// Where it leads, links resolved.
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
    /// The file system has no answer.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl Error {
    /// A stable name in kebab case.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Unknown { .. } | Error::NotFound { .. } => "unknown",
            Error::Ambiguous { .. } => "ambiguous",
            Error::NotForModel { .. } => "not-for-model",
            Error::NotActive { .. } => "not-active",
            Error::Untrusted { .. } | Error::Void { .. } => "untrusted",
            Error::CopyDiffers { .. } => "copy-differs",
            Error::PermissionNotHeld { .. } => "permission-not-held",
            Error::ReadDenied { .. } => "read-denied",
            Error::OfAnotherSkill { .. } => "of-another-skill",
            Error::PromptMissing { .. } => "prompt-missing",
            Error::StoreCorrupt { .. } => "store-corrupt",
            Error::StoreNewer { .. } => "store-newer",
            Error::NoStore { .. } => "no-store",
            Error::NotForUser { .. } => "not-for-user",
            Error::Disabled { .. } => "disabled",
            Error::Gone { .. } | Error::CopyMissing { .. } => "gone",
            Error::NoScript { .. } => "no-script",
            Error::ScriptNotListed { .. } | Error::ScriptsUnclear { .. } => "script-not-listed",
            Error::NotPlain { .. } => "not-plain",
            Error::Outside { .. } => "outside",
            Error::TooManyArguments { .. } => "too-many-arguments",
            Error::ArgumentsTooLong { .. } => "arguments-too-long",
            Error::NoInterpreter { .. } => "no-interpreter",
            Error::BadArguments(_) | Error::UnknownArgument { .. } => "bad-arguments",
            Error::NotInDialect { .. } => "not-in-dialect",
            Error::NoSkills => "no-skills",
            Error::ActivationOverlap { .. } => "activation-overlap",
            Error::NotServed { .. } => "not-served",
            Error::Changed { .. } => "changed",
            Error::TooMuch { .. } => "too-much",
            Error::LinkedFolder { .. } => "linked-folder",
            Error::NotPacked { .. } => "not-packed",
            Error::Fs(_) => "file-system",
        }
    }

    /// That a call which takes these arguments takes no argument `asked`.
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

    /// The file that it is about, if any.
    pub fn path(&self) -> Option<&FsPath> {
        match self {
            Error::Fs(error) => Some(error.path()),
            _ => None,
        }
    }
}
