//! Writes commands of this program that work when they are pasted into a shell: with the options that say where to
//! look, as the user gave them, and with each word quoted.

use crate::args::{GlobalOptions, Registration};
use crate::dialects;
use crate::git;
use crate::reply::Failure;
use skilltree::{Fs, FsPath, OsFs, visible};
use std::borrow::Cow;
use std::sync::OnceLock;

/// The options that this process was started with. Like its arguments, they never change.
pub(crate) static OPTIONS: OnceLock<GlobalOptions> = OnceLock::new();

/// Stores the options of this process. Called once, before a command is answered.
pub(crate) fn set_options(options: &GlobalOptions) {
    // A second call has no effect.
    let _ = OPTIONS.set(options.clone());
}

/// Whether notes are not printed, and of findings only errors.
pub(crate) fn is_quiet() -> bool {
    OPTIONS.get().is_some_and(|options| options.quiet)
}

/// The options with absolute paths, so that they mean the same in any working directory.
pub(crate) fn with_absolute_paths(options: &GlobalOptions) -> Result<GlobalOptions, Failure> {
    let absolute = |path: &Option<String>| path.as_deref().map(absolute).transpose();
    let register = |one: &Registration| Ok(Registration { id: one.id.clone(), path: self::absolute(&one.path)? });
    let is_path = |value: &&String| dialects::is_path(value);
    Ok(GlobalOptions {
        dialect: match options.dialect.as_ref().filter(is_path) {
            Some(path) => Some(self::absolute(path)?),
            None => options.dialect.clone(),
        },
        project: absolute(&options.project)?,
        home: absolute(&options.home)?,
        bundled: absolute(&options.bundled)?,
        config: absolute(&options.config)?,
        user: absolute(&options.user)?,
        managed: absolute(&options.managed)?,
        policy: absolute(&options.policy)?,
        touch: options.touch.iter().map(|path| self::absolute(path)).collect::<Result<_, _>>()?,
        active: absolute(&options.active)?,
        register: options.register.iter().map(register).collect::<Result<_, Failure>>()?,
        root: options.root.iter().map(|root| self::absolute(root)).collect::<Result<_, _>>()?,
        ..options.clone()
    })
}

fn absolute(path: &str) -> Result<String, Failure> {
    // A revision is of the repository that the program was started in.
    if path.starts_with(git::PREFIX) {
        return Ok(path.to_owned());
    }
    let failure = |reason: &str| Failure::error("bad-path", format!("`{path}` has no absolute path: {reason}"));
    let absolute = std::path::absolute(path).map_err(|error| failure(&error.to_string()))?;
    absolute.into_os_string().into_string().map_err(|_| failure("the working directory is not valid UTF-8"))
}

/// A command of this program in backticks: `words` are the command and its own options, followed by the operands and
/// the options that say where to look.
pub(crate) fn command(words: &[&str], operands: &[&str]) -> String {
    line(OPTIONS.get(), words, operands)
}

/// Like [`command`], but in another project.
pub(crate) fn command_in(project: &FsPath, words: &[&str], operands: &[&str]) -> String {
    let project = Some(OsFs::new().display(project).into_owned());
    command_at(|options| options.project = project, words, operands)
}

/// Like [`command`], but with some options changed.
pub(crate) fn command_at(change: impl FnOnce(&mut GlobalOptions), words: &[&str], operands: &[&str]) -> String {
    let mut options = OPTIONS.get().cloned().unwrap_or_default();
    change(&mut options);
    line(Some(&options), words, operands)
}

fn line(options: Option<&GlobalOptions>, words: &[&str], operands: &[&str]) -> String {
    let options = options.map(location_options).unwrap_or_default();
    let options = options.into_iter().flat_map(|(name, value)| match value {
        // A value that begins with a hyphen would be taken for an option.
        Some(value) if value.starts_with('-') => vec![format!("--{name}={}", word(&value))],
        Some(value) => vec![format!("--{name}"), word(&value)],
        None => vec![format!("--{name}")],
    });
    let operands = operands.iter().map(|operand| word(operand));
    let mut line = vec!["skilltree".to_owned()];
    line.extend(words.iter().map(|part| word(part)));
    if operands.clone().any(|operand| operand.starts_with('-')) {
        line.extend(options);
        line.push("--".to_owned());
        line.extend(operands);
    } else {
        line.extend(operands);
        line.extend(options);
    }
    format!("`{}`", line.join(" "))
}

/// The options that say where to look. `--trust` is not among them: the user has to give it each time.
pub(crate) fn location_options(options: &GlobalOptions) -> Vec<(&'static str, Option<String>)> {
    let single = [
        ("dialect", &options.dialect),
        ("project", &options.project),
        ("home", &options.home),
        ("bundled", &options.bundled),
        ("config", &options.config),
        ("user", &options.user),
        ("managed", &options.managed),
        ("policy", &options.policy),
        ("active", &options.active),
        ("mount", &options.mount),
    ];
    let register = options.register.iter().map(|one| format!("{}={}", one.id, one.path)).collect();
    let permission = options.permission.iter().map(|one| one.tag.clone()).collect();
    let many = [
        ("register", &register),
        ("root", &options.root),
        ("touch", &options.touch),
        ("enable", &options.enable),
        ("disable", &options.disable),
        ("permission", &permission),
        ("reserved", &options.reserved),
    ];
    let flags = [
        ("only-roots", options.only_roots),
        ("follow-links-out", options.follow_links_out),
        ("faithful", options.faithful),
        ("repair", options.repair),
    ];
    let mut options: Vec<(&'static str, Option<String>)> = Vec::new();
    options.extend(single.iter().filter(|(_, value)| value.is_some()).map(|(name, value)| (*name, (*value).clone())));
    options.extend(many.iter().flat_map(|(name, values)| values.iter().map(|value| (*name, Some(value.clone())))));
    options.extend(flags.iter().filter(|(_, on)| *on).map(|(name, _)| (*name, None)));
    options
}

/// Quotes a word for the shell that people use on this system.
pub(crate) fn word(text: &str) -> String {
    let shell = if cfg!(windows) { Shell::PowerShell } else { Shell::Posix };
    shell.word(text)
}

/// A shell that commands are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shell {
    /// `sh` and its relatives.
    Posix,
    /// PowerShell, which people have on Windows.
    PowerShell,
}

impl Shell {
    /// A text as one word. The result contains no invisible characters and no backticks, as commands are shown in
    /// backticks.
    pub(crate) fn word(self, text: &str) -> String {
        let plain = match self {
            Shell::Posix => "_-./:@%+=,",
            // A comma separates the items of a list, and `@` begins an expression.
            Shell::PowerShell => r"_-./\:%+=",
        };
        let is_plain =
            |c: char| c.is_ascii_alphanumeric() || plain.contains(c) || (c.is_alphanumeric() && !c.is_ascii());
        if !text.is_empty() && text.chars().all(is_plain) {
            return text.to_owned();
        }
        match self {
            Shell::Posix if text.chars().all(is_shown) => format!("'{}'", text.replace('\'', r"'\''")),
            Shell::Posix => posix_escaped(text),
            Shell::PowerShell => power_shell_quoted(text),
        }
    }
}

/// Whether a character can stand in quotes as it is.
fn is_shown(c: char) -> bool {
    c != '`' && matches!(visible(c.encode_utf8(&mut [0; 4])), Cow::Borrowed(_))
}

fn posix_escaped(text: &str) -> String {
    let mut format = String::new();
    for c in text.chars() {
        match c {
            '%' => format.push_str("%%"),
            '\\' => format.push_str(r"\\"),
            // `printf` would take a leading hyphen for an option.
            '-' if !format.is_empty() => format.push(c),
            c if c != '\'' && c != '-' && is_shown(c) => format.push(c),
            c => c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| format.push_str(&format!("\\{byte:03o}"))),
        }
    }
    format!("\"$(printf '{format}')\"")
}

/// Single quotes, and for what cannot stand in them an expression that joins the parts.
fn power_shell_quoted(text: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut shown = String::new();
    for c in text.chars() {
        match c {
            // PowerShell takes these for an apostrophe too.
            '\'' | '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' => shown.extend([c, c]),
            c if is_shown(c) => shown.push(c),
            c => {
                if !shown.is_empty() {
                    parts.push(format!("'{}'", std::mem::take(&mut shown)));
                }
                parts.push(format!("[char]::ConvertFromUtf32(0x{:x})", u32::from(c)));
            }
        }
    }
    if parts.is_empty() || !shown.is_empty() {
        parts.push(format!("'{shown}'"));
    }
    match parts.as_slice() {
        [quoted] if quoted.starts_with('\'') => quoted.clone(),
        parts => format!("({})", parts.join(" + ")),
    }
}

#[cfg(test)]
#[path = "../../tests/unit/shell.rs"]
mod tests;
