//! Parsers for option values with a special form.

use crate::reply::Failure;
use clap::ValueEnum;
use skilltree::{Dialect, Permission, visible};
use std::time::Duration;

/// A permission and the tag that the user wrote for it.
#[derive(Clone, Debug)]
pub(crate) struct PermissionTag {
    pub(crate) tag: String,
    pub(crate) permission: Permission,
}

pub(super) fn permission(text: &str) -> Result<PermissionTag, &'static str> {
    let permission = Permission::parse(text)
        .ok_or("expected @network, @events, @read:PATH, @write:PATH or another tag that begins with @")?;
    Ok(PermissionTag { tag: text.to_owned(), permission })
}

pub(crate) fn seconds(text: &str) -> Result<Duration, &'static str> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds > 0.0);
    let seconds = seconds.ok_or("expected a number of seconds above 0")?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if time.is_zero() => Err("expected a number of seconds of at least 0.000000001"),
        Ok(time) => Ok(time),
        Err(_) => Err("expected at most 31536000 seconds (one year)"),
    }
}

/// A skill that the plugin `id` registers.
#[derive(Clone, Debug)]
pub(crate) struct Registration {
    pub(crate) id: String,
    pub(crate) path: String,
}

pub(super) fn registration(text: &str) -> Result<Registration, &'static str> {
    match text.split_once('=') {
        Some((id, path)) if !id.is_empty() && !path.is_empty() => {
            Ok(Registration { id: id.to_owned(), path: path.to_owned() })
        }
        _ => Err("expected ID=PATH"),
    }
}

/// A new state: a word of `skilltree.yaml`, or of a dialect with states of its own. Both take the words of the other that
/// mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Change {
    On,
    Pinned,
    Full,
    NameOnly,
    UserOnly,
    Off,
    Disable,
    Enable,
    Active,
    Next,
}

impl Change {
    /// The word, as it is typed.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Change::On => "on",
            Change::Pinned => "pinned",
            Change::Full => "full",
            Change::NameOnly => "name-only",
            Change::UserOnly => "user-only",
            Change::Off => "off",
            Change::Disable => "disable",
            Change::Enable => "enable",
            Change::Active => "active",
            Change::Next => "next",
        }
    }

    /// The failure for a word that a dialect does not have; `words` are those that it has.
    pub(crate) fn is_not_for(self, dialect: &Dialect, words: &[&str]) -> Failure {
        let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        let (word, name) = (self.as_str(), visible(dialect.name()));
        let message = format!("`{word}` is not a state of the dialect `{name}`, expected one of {}", words.join(", "));
        Failure::error("bad-arguments", message)
    }
}
