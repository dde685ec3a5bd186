//! What the command line adds to the messages of the library: the command or the option that helps. The library itself
//! does not know the command line.

use crate::command_line::{OPTIONS, command, command_at, command_in, word};
use skilltree::host::UnpackError;
use skilltree::{
    Caller, Catalog, Code, Diagnostic, Error, Fs, FsPath, Invocation, Json, OsFs, Outcome, Skill, Why, visible,
};
use std::borrow::Cow;

/// The message of an error, followed by the command that helps, if there is one.
pub(crate) fn error_message(error: &Error) -> String {
    match error {
        Error::Untrusted { key, bundle } => {
            let own =
                |dir: &String| format!("; `--bundled {}` declares this folder as the agent's own skills", word(dir));
            let own = bundle.as_ref().map(own).unwrap_or_default();
            format!("{error} by {}, or with `--trust`{own}", command(&["approve"], &[key]))
        }
        Error::ApprovalVoid { key, .. } => format!("{error} by {}, or use `--trust`", command(&["approve"], &[key])),
        Error::CopyDiffers { copy, .. } => match copy.parent().and_then(|folder| folder.parent()) {
            Some(root) => format!("{error} by {}", sync(&root)),
            None => error.to_string(),
        },
        Error::CopyMissing { root, .. } => format!("{error}; {} makes the copies", sync(root)),
        Error::LinkedFolder { .. } => format!("{error}, or use `--trust`"),
        error => match remedy(error) {
            Some(remedy) => format!("{error}; {remedy}"),
            None => error.to_string(),
        },
    }
}

/// The command that copies the skills to this folder.
fn sync(root: &FsPath) -> String {
    let root = format!("--to={}", OsFs::new().display(root));
    command(&["sync", &root], &[])
}

/// Like [`error_message`], for an error of the host.
#[cfg(feature = "mcp")]
pub(crate) fn host_error_message(error: &skilltree::host::HostError) -> String {
    match error {
        skilltree::host::HostError::Refused(error) => error_message(error),
        error => error.to_string(),
    }
}

/// The command that makes a disabled or inactive skill available.
pub(crate) fn remedy(error: &Error) -> Option<String> {
    match error {
        Error::NotActive { key } => Some(format!("{} makes it active", command(&["state"], &[key, "active"]))),
        Error::Disabled { key, has_states: true } if !is_switched_off(key) => {
            Some(format!("{} switches it on", command(&["state"], &[key, "active"])))
        }
        Error::Disabled { key, .. } => Some(format!("`--enable {}` switches it on", word(key))),
        _ => None,
    }
}

/// Whether `--disable` disables the skill, which its state cannot change.
fn is_switched_off(key: &str) -> bool {
    OPTIONS.get().is_some_and(|options| options.disable.iter().any(|off| visible(off) == key))
}

/// Adds commands to the advice of an outcome of `why`.
pub(crate) fn complete_why(why: &mut Why, catalog: &Catalog) {
    if why.outcome == Outcome::Hidden {
        let hidden = catalog.skills().iter().find(|skill| skill.path == why.path);
        let error = hidden.and_then(|skill| catalog.find(&skill.key, Caller::Model).err());
        why.help = error.as_ref().and_then(remedy).or(why.help.take());
    }
    if let Some(project) = &why.project {
        let line = command_in(project, &["why"], &[&OsFs::new().display(&why.path)]);
        why.help = why.help.take().map(|help| format!("{help}: {line}"));
    }
}

/// The help of a finding, followed by the command or the option that does what it advises.
pub(crate) fn with_options(code: Option<Code>, help: &str) -> Cow<'_, str> {
    let hint = match code {
        Some(Code::LeadsOut) => {
            let follow = command_at(|options| options.follow_links_out = true, &["list"], &[]);
            format!("`--root DIR`, or {follow}")
        }
        Some(Code::LeftOut) => "`--budget N`".to_owned(),
        _ => return Cow::Borrowed(help),
    };
    Cow::Owned(format!("{help}: {hint}"))
}

/// The message of an error of `unpack`, followed by the command that replaces an existing folder.
pub(crate) fn unpack_error_message(error: &UnpackError, file: &str, dir: Option<&str>) -> String {
    match error {
        UnpackError::Exists(_) => {
            let dir = dir.map(|dir| format!("--dir={dir}"));
            let words: Vec<&str> = ["unpack", "--force"].into_iter().chain(dir.as_deref()).collect();
            format!("{error}; use another folder, or {} replaces it", command(&words, &[file]))
        }
        _ => error.to_string(),
    }
}

/// Adds commands to the advice of findings about a skill.
pub(crate) fn complete_findings(findings: &mut [Diagnostic], key: &str) {
    for finding in findings.iter_mut().filter(|finding| finding.code == Code::UntrustedGrant) {
        let approve = command(&["approve"], &[key]);
        finding.help = finding.help.take().map(|help| format!("{help} by {approve}, or trust all with `--trust`"));
    }
}

/// Adds the command that runs the pending commands to the note about them.
pub(crate) fn complete_pending(findings: &mut [Diagnostic], catalog: &Catalog, skill: &Skill, args: &str) {
    let pending = findings.iter_mut().find(|finding| finding.code == Code::CommandsPending);
    if let (Some(finding), Some(line)) = (pending, run_line(catalog, skill, args)) {
        finding.message.push_str(&format!("; {line} runs what is to be run"));
    }
}

/// The command that runs the pending commands of a skill: its slash command if it has one, or else a call of the load
/// tool.
fn run_line(catalog: &Catalog, skill: &Skill, args: &str) -> Option<String> {
    let commands = skilltree::commands(catalog, &[]);
    if let Some(typed) = commands.all().iter().find(|known| known.key == skill.key) {
        return Some(command(&["invoke", "--run"], &[format!("/{} {args}", typed.name).trim_end()]));
    }
    let tool = catalog.dialect().tool.as_ref()?;
    let input = tool.input.as_ref().filter(|_| !args.is_empty());
    let input = input.map(|(name, _)| (&**name, Json::from(args)));
    let fields = [(&*tool.argument, Json::from(skill.key.as_str()))].into_iter().chain(input);
    Some(command(&["call", "--run"], &[&Json::map(fields).to_string()]))
}

/// Adds commands to the advice of the invocation's findings.
pub(crate) fn complete_invocation(mut invocation: Invocation) -> Invocation {
    let (key, findings) = invocation.findings_mut();
    complete_findings(findings, key);
    invocation
}
