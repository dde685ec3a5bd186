//! Writes commands of this program that work when they are pasted into a shell: with the options that say where to
//! look, as the user gave them, and with each word quoted.

use crate::args::GlobalOptions;
use skilltree::{Fs, FsPath, OsFs, visible};
use std::borrow::Cow;
use std::sync::OnceLock;

/// GlobalOptions this process looks. Like its arguments, it is the same everywhere and for as long as it runs.
pub(crate) static OPTIONS: OnceLock<GlobalOptions> = OnceLock::new();

/// Says where this process looks. To be called once, before anything is answered.
pub(crate) fn set_options(options: &GlobalOptions) {
    // It is called once; a second call would change nothing.
    let _ = OPTIONS.set(options.clone());
}

/// The same places by absolute paths, so that they hold in any working directory.
pub(crate) fn with_absolute_paths(options: &GlobalOptions) -> GlobalOptions {
    let whole = |path: &String| {
        let whole = std::path::absolute(path).ok().and_then(|path| path.to_str().map(str::to_owned));
        whole.unwrap_or_else(|| path.clone())
    };
    let register = |one: &String| match one.split_once('=') {
        Some((id, path)) => format!("{id}={}", whole(&path.to_owned())),
        None => one.clone(),
    };
    GlobalOptions {
        project: options.project.as_ref().map(whole),
        home: options.home.as_ref().map(whole),
        bundled: options.bundled.as_ref().map(whole),
        config: options.config.as_ref().map(whole),
        user: options.user.as_ref().map(whole),
        active: options.active.as_ref().map(whole),
        register: options.register.iter().map(register).collect(),
        root: options.root.iter().map(whole).collect(),
        ..options.clone()
    }
}

/// A command of this program, in backticks: the command with its own options, what it is about, and where to look.
pub(crate) fn command(words: &[&str], operands: &[&str]) -> String {
    line(OPTIONS.get(), words, operands)
}

/// The same in another project.
pub(crate) fn command_in(project: &FsPath, words: &[&str], operands: &[&str]) -> String {
    let project = Some(OsFs::new().spell(project).into_owned());
    command_at(|options| options.project = project, words, operands)
}

/// The same with another options to look in.
pub(crate) fn command_at(change: impl FnOnce(&mut GlobalOptions), words: &[&str], operands: &[&str]) -> String {
    let mut options = OPTIONS.get().cloned().unwrap_or_default();
    change(&mut options);
    line(Some(&options), words, operands)
}

fn line(options: Option<&GlobalOptions>, words: &[&str], operands: &[&str]) -> String {
    let options = options.map(location_options).unwrap_or_default();
    let options = options.into_iter().flat_map(|(name, value)| match value {
        // Of a separate word that begins with a hyphen it is not clear whether it is a value.
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

/// The options that say where to look, but for `--trust`, which is for the user to give each time.
pub(crate) fn location_options(options: &GlobalOptions) -> Vec<(&'static str, Option<String>)> {
    let single = [
        ("dialect", &options.dialect),
        ("project", &options.project),
        ("home", &options.home),
        ("bundled", &options.bundled),
        ("config", &options.config),
        ("user", &options.user),
        ("active", &options.active),
        ("mount", &options.mount),
    ];
    let many = [
        ("register", &options.register),
        ("root", &options.root),
        ("enable", &options.enable),
        ("disable", &options.disable),
        ("permission", &options.permission),
        ("reserved", &options.reserved),
    ];
    let flags = [("only-roots", options.only_roots), ("follow-links-out", options.follow_links_out)];
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
