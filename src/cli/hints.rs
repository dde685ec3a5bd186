//! What the command line adds to the messages of the library: the command or the option that helps. The library itself
//! does not know the command line.

use crate::new_skill::short;
use crate::setup::Setup;
use crate::suggested::{OPTIONS, command, command_at, command_in, word};
use skilltree::{
    Caller, Catalog, Code, Diagnostic, Error, Fs, FsPath, Host, Invocation, OsFs, Outcome, Skill, Trust, Why, visible,
};
use std::borrow::Cow;

/// The message of an error, followed by the command that helps, if there is one.
pub(crate) fn error_message(error: &Error) -> String {
    match error {
        Error::Untrusted { key, bundle } => {
            let own =
                |dir: &String| format!("; `--bundled {}` declares this folder as the agent's own skills", word(dir));
            let own = bundle.as_ref().map(own).unwrap_or_default();
            format!("{error} with {}, or use `--trust` before the command{own}", command(&["approve"], &[key]))
        }
        Error::ApprovalVoid { key, .. } => {
            format!("{error} with {}, or use `--trust` before the command", command(&["approve"], &[key]))
        }
        Error::CopyDiffers { copy, .. } => match copy.parent().and_then(|folder| folder.parent()) {
            Some(root) => format!("{error} with {}", sync(&root)),
            None => error.to_string(),
        },
        Error::CopyMissing { root, .. } => format!("{error}; {} makes the copies", sync(root)),
        Error::LinkedFolder { .. } => format!("{error}, or use `--trust` before the command"),
        error => match remedy(error) {
            Some(remedy) => format!("{error}; {remedy}"),
            None => error.to_string(),
        },
    }
}

/// The question whether one of these names is meant; `None` for no names.
pub(crate) fn near_names(near: &[String]) -> Option<String> {
    let names: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")))
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
fn remedy(error: &Error) -> Option<String> {
    match error {
        Error::NotActive { key } => Some(format!("{} makes it active", command(&["state"], &[key, "active"]))),
        Error::Disabled { key, has_states: true } if !is_switched_off(key) => {
            Some(format!("{} switches it on", command(&["state"], &[key, "active"])))
        }
        Error::Disabled { key, .. } => Some(format!("`--enable {}` before the command switches it on", word(key))),
        _ => None,
    }
}

/// Whether `--disable` disables the skill, which its state cannot change.
pub(crate) fn is_switched_off(key: &str) -> bool {
    OPTIONS.get().is_some_and(|options| options.disable.iter().any(|off| visible(off) == key))
}

/// Adds commands to the advice of an outcome of `why`.
pub(crate) fn complete_why(why: &mut Why, catalog: &Catalog, setup: &Setup) {
    if why.outcome == Outcome::Hidden {
        let hidden = catalog.skills().iter().find(|skill| skill.path == why.path);
        let error = hidden.and_then(|skill| catalog.find(&skill.key, Caller::Model).err());
        why.help = error.as_ref().and_then(remedy).or(why.help.take());
    }
    if let Some(project) = &why.project {
        let line = command_in(project, &["why"], &[&OsFs::new().display(&why.path)]);
        why.help = why.help.take().map(|help| format!("{help}: {line}"));
    }
    if why.code == Some(Code::NestedSource) {
        let line = touching(setup, &why.path, "why", &[&OsFs::new().display(&why.path)]);
        why.help = why.help.take().zip(line).map(|(help, line)| format!("{help}: {line}"));
    }
}

/// Adds the command that brings it into play to the advice about each skill below the project.
pub(crate) fn complete_nested(findings: &mut [Diagnostic], setup: &Setup) {
    for finding in findings.iter_mut().filter(|finding| finding.code == Code::NestedSource) {
        let line = touching(setup, &finding.path, "list", &[]);
        finding.help = finding.help.take().zip(line).map(|(help, line)| format!("{help}: {line}"));
    }
}

/// A command with the option that brings a skill below the project into play.
fn touching(setup: &Setup, skill: &FsPath, word: &str, operands: &[&str]) -> Option<String> {
    let below = skill.relative_to(&setup.project)?;
    let folder = setup.project.join(setup.dialect.nested_folder(below)?).ok()?;
    Some(command_touching(setup, &folder, &[word], operands))
}

/// A command in which a file of this folder is being worked on.
pub(crate) fn command_touching(setup: &Setup, folder: &FsPath, words: &[&str], operands: &[&str]) -> String {
    command_at(|options| options.touch.push(short(setup, folder)), words, operands)
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

/// The word by which a command names a skill: its key, or its path if others have that key.
pub(crate) fn operand<'c>(catalog: &Catalog, skill: &'c Skill) -> &'c str {
    if catalog.get(&skill.key).is_some() { &skill.key } else { skill.path.as_str() }
}

/// Adds commands to the advice of findings about a skill, which is named by a key or a path.
pub(crate) fn complete_findings(findings: &mut [Diagnostic], key: &str) {
    for finding in findings.iter_mut().filter(|finding| finding.code == Code::UntrustedGrant) {
        let approve = command(&["approve"], &[key]);
        finding.help =
            finding.help.take().map(|help| format!("{help} with {approve}, or trust everything with `--trust`"));
    }
}

/// Adds the command that runs the pending commands to the note about them.
pub(crate) fn complete_pending(
    findings: &mut [Diagnostic],
    setup: &Setup,
    (catalog, skill): (&Catalog, &Skill),
    args: &str,
) {
    let pending = findings.iter_mut().find(|finding| finding.code == Code::CommandsPending);
    if let (Some(finding), Some(line)) = (pending, run_line(catalog, skill, args)) {
        finding.message.push_str(&format!("; {line} runs what is to be run"));
        if matches!(setup.machine.trusts(skill), Trust::No(_)) {
            let approve = command(&["approve"], &[operand(catalog, skill)]);
            finding.message.push_str(&format!(", once the skill is approved with {approve}"));
        }
    }
}

/// The command that runs the pending commands of a skill: its slash command if it has one, or else a call of the load
/// tool.
fn run_line(catalog: &Catalog, skill: &Skill, args: &str) -> Option<String> {
    let commands = skilltree::commands(catalog, &[]);
    if let Some(typed) = commands.all().iter().find(|known| known.is_of(skill)) {
        return Some(command(&["invoke", "--run"], &[format!("/{} {args}", typed.name).trim_end()]));
    }
    let arguments = catalog.dialect().tool_arguments(&skill.key, args)?;
    Some(command(&["call", "--run"], &[&arguments.to_string()]))
}

/// Adds commands to the advice of the invocation's findings.
pub(crate) fn complete_invocation(mut invocation: Invocation) -> Invocation {
    let (key, findings) = invocation.findings_mut();
    complete_findings(findings, key);
    invocation
}
