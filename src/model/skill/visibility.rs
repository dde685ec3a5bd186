//! How a skill is offered, where that is not as its frontmatter says, and what decided it.

use super::{Skill, State};
use crate::path::FsPath;
use std::fmt;

/// How a skill is offered. From the widest to the narrowest, in which order the variants compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Visibility {
    /// As its frontmatter says, and always in the prompt, before the others.
    Pinned,
    /// As its frontmatter says.
    Full,
    /// The model is shown its name without the description.
    NameOnly,
    /// The model does not see it.
    UserOnly,
    /// Nobody sees or calls it.
    Off,
}

impl Visibility {
    /// Every visibility, from the widest to the narrowest.
    pub const ALL: &'static [Visibility] =
        &[Visibility::Pinned, Visibility::Full, Visibility::NameOnly, Visibility::UserOnly, Visibility::Off];

    /// `pinned`, `full`, `name-only`, `user-only` or `off`.
    pub fn as_str(self) -> &'static str {
        match self {
            Visibility::Pinned => "pinned",
            Visibility::Full => "full",
            Visibility::NameOnly => "name-only",
            Visibility::UserOnly => "user-only",
            Visibility::Off => "off",
        }
    }

    /// The visibility of this name.
    ///
    /// ```
    /// use skilltree::Visibility;
    /// assert_eq!(Visibility::named("name-only"), Some(Visibility::NameOnly));
    /// assert_eq!(Visibility::named("hidden"), None);
    /// ```
    pub fn named(word: &str) -> Option<Visibility> {
        Visibility::ALL.iter().copied().find(|visibility| visibility.as_str() == word)
    }

    /// Whether a skill is offered less than its frontmatter says.
    pub fn is_narrowing(self) -> bool {
        Visibility::Full < self
    }
}

/// Why a skill is offered as it is, where that is not decided by its frontmatter alone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// How the skill is offered.
    pub visibility: Visibility,
    /// The reason, to be read after the name of the skill: `switched off by the setting `enabled``.
    pub message: String,
    /// How to change that.
    pub help: Option<String>,
    /// The file that decided; `None` if no file but the skill's own did.
    pub file: Option<FsPath>,
    /// The line in that file, from 1.
    pub line: Option<usize>,
}

impl Decision {
    /// A decision that no file has made.
    pub(crate) fn new(visibility: Visibility, message: String) -> Decision {
        Decision { visibility, message, help: None, file: None, line: None }
    }

    /// Adds the file and the line that decided.
    #[must_use]
    pub(crate) fn by(self, file: &FsPath, line: Option<usize>) -> Decision {
        Decision { file: Some(file.clone()), line, ..self }
    }

    /// Adds how to change it.
    #[must_use]
    pub(crate) fn with_help(self, help: impl Into<String>) -> Decision {
        Decision { help: Some(help.into()), ..self }
    }
}

impl fmt::Display for Decision {
    /// Writes the reason, and where it stands: `switched off by … (`/home/me/.claude/settings.json`, line 3)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, " (`{file}`, line {line})"),
            (Some(file), None) => write!(f, " (`{file}`)"),
            (None, _) => Ok(()),
        }
    }
}

impl Skill {
    /// How the skill is offered to the model, by its frontmatter, its state, and whatever else decides about it.
    pub fn visibility(&self) -> Visibility {
        match self.state {
            State::Disabled => Visibility::Off,
            _ if !self.audience.model => Visibility::UserOnly,
            _ if self.is_pinned() => Visibility::Pinned,
            _ if self.is_name_only() => Visibility::NameOnly,
            _ => Visibility::Full,
        }
    }

    /// Whether the skill is always in the prompt, as its frontmatter or its user says. One that is listed by name only is
    /// not.
    pub fn is_pinned(&self) -> bool {
        match self.decided() {
            Some(Visibility::Pinned) => true,
            Some(Visibility::NameOnly) => false,
            _ => self.frontmatter.pinned,
        }
    }

    /// Whether the prompt shows the name of the skill without the description.
    pub(crate) fn is_name_only(&self) -> bool {
        self.decided() == Some(Visibility::NameOnly)
    }

    /// Whether the model does not see the skill only because its state is not active.
    pub(crate) fn is_inactive(&self) -> bool {
        let is_hidden = self.frontmatter.not_for_model || self.decided() == Some(Visibility::UserOnly);
        self.state == State::Enabled && !self.audience.model && !is_hidden
    }

    /// How the skill is offered, if that is not decided by its frontmatter alone.
    pub(crate) fn decided(&self) -> Option<Visibility> {
        self.decision.as_ref().map(|decision| decision.visibility)
    }
}
