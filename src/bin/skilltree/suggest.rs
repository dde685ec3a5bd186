//! In: the command that would help. Out: the same as a line that works when it is pasted into a shell: with the options
//! that say where to look, as the user gave them, and quoted. What an error or a finding of the library says is completed
//! with the command here, as the library knows of none.
//! Absent: what is wrong, and what would help (the library's messages).

use crate::args::Where;
use skilltree::{
    Caller, Catalog, Code, Diagnostic, Error, Fs, FsPath, Invocation, Json, OsFs, Outcome, Skill, Why, visible,
};
use std::borrow::Cow;
use std::sync::OnceLock;

/// Where this process looks. Like its arguments, it is the same everywhere and for as long as it runs.
static PLACE: OnceLock<Where> = OnceLock::new();

/// Says where this process looks. To be called once, before anything is answered.
pub(crate) fn looking_at(place: &Where) {
    // It is called once; a second call would change nothing.
    let _ = PLACE.set(place.clone());
}

/// The same places by absolute paths, so that they hold in any working directory.
pub(crate) fn absolute(place: &Where) -> Where {
    let whole = |path: &String| {
        let whole = std::path::absolute(path).ok().and_then(|path| path.to_str().map(str::to_owned));
        whole.unwrap_or_else(|| path.clone())
    };
    let register = |one: &String| match one.split_once('=') {
        Some((id, path)) => format!("{id}={}", whole(&path.to_owned())),
        None => one.clone(),
    };
    Where {
        project: place.project.as_ref().map(whole),
        home: place.home.as_ref().map(whole),
        bundled: place.bundled.as_ref().map(whole),
        config: place.config.as_ref().map(whole),
        user: place.user.as_ref().map(whole),
        active: place.active.as_ref().map(whole),
        register: place.register.iter().map(register).collect(),
        root: place.root.iter().map(whole).collect(),
        ..place.clone()
    }
}

/// A command of this program, in backticks: the command with its own options, what it is about, and where to look.
pub(crate) fn command(words: &[&str], operands: &[&str]) -> String {
    line(PLACE.get(), words, operands)
}

/// The same in another project.
pub(crate) fn command_in(project: &FsPath, words: &[&str], operands: &[&str]) -> String {
    let project = Some(OsFs::new().spell(project).into_owned());
    command_at(|place| place.project = project, words, operands)
}

/// The same with another place to look in.
pub(crate) fn command_at(change: impl FnOnce(&mut Where), words: &[&str], operands: &[&str]) -> String {
    let mut place = PLACE.get().cloned().unwrap_or_default();
    change(&mut place);
    line(Some(&place), words, operands)
}

fn line(place: Option<&Where>, words: &[&str], operands: &[&str]) -> String {
    let place = place.map(options).unwrap_or_default();
    let place = place.into_iter().flat_map(|(name, value)| match value {
        // Of a separate word that begins with a hyphen it is not clear whether it is a value.
        Some(value) if value.starts_with('-') => vec![format!("--{name}={}", word(&value))],
        Some(value) => vec![format!("--{name}"), word(&value)],
        None => vec![format!("--{name}")],
    });
    let operands = operands.iter().map(|operand| word(operand));
    let mut line = vec!["skilltree".to_owned()];
    line.extend(words.iter().map(|part| word(part)));
    if operands.clone().any(|operand| operand.starts_with('-')) {
        line.extend(place);
        line.push("--".to_owned());
        line.extend(operands);
    } else {
        line.extend(operands);
        line.extend(place);
    }
    format!("`{}`", line.join(" "))
}

/// The options that say where to look, but for `--trust`, which is for the user to give each time.
pub(crate) fn options(place: &Where) -> Vec<(&'static str, Option<String>)> {
    let single = [
        ("dialect", &place.dialect),
        ("project", &place.project),
        ("home", &place.home),
        ("bundled", &place.bundled),
        ("config", &place.config),
        ("user", &place.user),
        ("active", &place.active),
        ("mount", &place.mount),
    ];
    let many = [
        ("register", &place.register),
        ("root", &place.root),
        ("enable", &place.enable),
        ("disable", &place.disable),
        ("permission", &place.permission),
        ("reserved", &place.reserved),
    ];
    let flags = [("only-roots", place.only_roots), ("follow-links-out", place.follow_links_out)];
    let mut options: Vec<(&'static str, Option<String>)> = Vec::new();
    options.extend(single.iter().filter(|(_, value)| value.is_some()).map(|(name, value)| (*name, (*value).clone())));
    options.extend(many.iter().flat_map(|(name, values)| values.iter().map(|value| (*name, Some(value.clone())))));
    options.extend(flags.iter().filter(|(_, on)| *on).map(|(name, _)| (*name, None)));
    options
}

/// A word as a POSIX shell reads it back. No character in it is invisible, moves the cursor or ends the backticks that
/// commands stand in.
pub(crate) fn word(text: &str) -> String {
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || "_-./:@%+=,".contains(c) || (c.is_alphanumeric() && !c.is_ascii());
    let is_shown = |c: char| c != '`' && matches!(visible(c.encode_utf8(&mut [0; 4])), Cow::Borrowed(_));
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    if text.chars().all(is_shown) {
        return format!("'{}'", text.replace('\'', r"'\''"));
    }
    let mut format = String::new();
    for c in text.chars() {
        match c {
            '%' => format.push_str("%%"),
            '\\' => format.push_str(r"\\"),
            // At its beginning a hyphen would make it an option.
            '-' if !format.is_empty() => format.push(c),
            c if c != '\'' && c != '-' && is_shown(c) => format.push(c),
            c => c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| format.push_str(&format!("\\{byte:03o}"))),
        }
    }
    format!("\"$(printf '{format}')\"")
}

/// What an error says, and the command that helps where one does.
pub(crate) fn told(error: &Error) -> String {
    match error {
        Error::Untrusted { key, bundle } => {
            let own =
                |dir: &String| format!("; `--bundled {}` declares this folder as the agent's own skills", word(dir));
            let own = bundle.as_ref().map(own).unwrap_or_default();
            format!("{error} by {}, or with `--trust`{own}", command(&["approve"], &[key]))
        }
        Error::Void { key, .. } => format!("{error} by {}, or use `--trust`", command(&["approve"], &[key])),
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

/// The command that makes the copies of skills in this folder.
fn sync(root: &FsPath) -> String {
    let root = format!("--to={}", OsFs::new().spell(root));
    command(&["sync", &root], &[])
}

/// The same as [`told`], for what a host says.
#[cfg(feature = "mcp")]
pub(crate) fn told_by_host(error: &skilltree::host::HostError) -> String {
    match error {
        skilltree::host::HostError::Refused(error) => told(error),
        error => error.to_string(),
    }
}

/// What gives the skill to whom an error keeps it from, where that is a matter of its state.
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

/// Whether an option switches a skill off, which its state does not change.
fn is_switched_off(key: &str) -> bool {
    PLACE.get().is_some_and(|place| place.disable.iter().any(|off| visible(off) == key))
}

/// Completes what is advised about one outcome of `why`.
pub(crate) fn advise(why: &mut Why, catalog: &Catalog) {
    if why.verdict == Outcome::Hidden {
        let hidden = catalog.skills().iter().find(|skill| skill.path == why.path);
        let error = hidden.and_then(|skill| catalog.find(&skill.key, Caller::Model).err());
        why.help = error.as_ref().and_then(remedy).or(why.help.take());
    }
    if let Some(project) = &why.project {
        let line = command_in(project, &["why"], &[&OsFs::new().spell(&why.path)]);
        why.help = why.help.take().map(|help| format!("{help}: {line}"));
    }
}

/// The help of a finding, followed by the options that do what it advises.
pub(crate) fn with_options(code: Option<Code>, help: &str) -> Cow<'_, str> {
    match code {
        Some(Code::LeadsOut) => Cow::Owned(format!("{help}: `--root DIR`, `--follow-links-out`")),
        _ => Cow::Borrowed(help),
    }
}

/// Completes what findings about a skill advise.
pub(crate) fn complete(findings: &mut [Diagnostic], key: &str) {
    for finding in findings.iter_mut().filter(|finding| finding.code == Code::UntrustedGrant) {
        let approve = command(&["approve"], &[key]);
        finding.help = finding.help.take().map(|help| format!("{help} by {approve}, or trust all with `--trust`"));
    }
}

/// Completes the note that commands in a loaded text are not run yet with the command that runs them.
pub(crate) fn complete_pending(findings: &mut [Diagnostic], catalog: &Catalog, skill: &Skill, args: &str) {
    let pending = findings.iter_mut().find(|finding| finding.code == Code::CommandsPending);
    if let (Some(finding), Some(line)) = (pending, run_line(catalog, skill, args)) {
        finding.message.push_str(&format!("; {line} runs what is to be run"));
    }
}

/// The command that runs the commands in a skill's text: what a user types where there is such a thing, else the call
/// of the load tool.
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

/// An invocation with the advice of its findings completed.
pub(crate) fn completed(mut invocation: Invocation) -> Invocation {
    let (key, findings) = invocation.findings_mut();
    complete(findings, key);
    invocation
}
