//! [`Pending`]: an invocation whose commands the host has to run first.

use super::Invocation;
use crate::dialect::ShellRule;
use crate::loading::load::LoadRequest;
use crate::loading::substitute::EmbeddedCommand;
use crate::model::error::Error;
use crate::package::trust::{ExpectedContents, SharedAnswer};
use crate::path::FsPath;

/// Commands in the body of a skill, whose output is inserted before the text is sent. The host runs them or refuses.
///
/// Arguments are not inserted into the commands, as an argument could change the command. A host runs
/// `sh -c COMMAND WORD…` with `variables` in the environment, which gives `$0`, `$ARGUMENTS` and the variables their values
/// safely. If there are no words, it passes an empty one, as `$0` would otherwise be the name of the shell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pending {
    /// The skill's key.
    pub key: String,
    /// The commands, as written, in order.
    pub commands: Vec<String>,
    /// The arguments, split into words.
    pub words: Vec<String>,
    /// The variables of the commands: the named arguments, those of the dialect, and `ARGUMENTS` (all arguments). If a name
    /// occurs twice, the last value counts.
    pub variables: Vec<(String, String)>,
    /// The environment variables that the skill requires. If it is trusted, its commands may read them.
    pub requires_env: Vec<String>,
    /// The shell, if the skill names one.
    pub shell: Option<String>,
    /// The variables whose value is the skill's folder.
    pub folder_variables: Vec<String>,
    /// The dialect's rules for running commands and using their output.
    pub rule: ShellRule,
    /// The SKILL.md.
    pub(crate) path: FsPath,
    /// The request that is answered when the commands have been run.
    pub(crate) ask: LoadRequest,
    /// Whether the commands may be run.
    pub(super) trust: SharedAnswer,
    pub(super) pieces: Vec<String>,
    /// What to do after the commands, with a text that does not contain their output yet.
    pub(super) then: Box<Invocation>,
}

impl Pending {
    /// The contents that the skill's folder must have when the commands are run; `None` if the skill is trusted whatever it
    /// contains.
    ///
    /// # Errors
    /// Returns [`Error::Untrusted`] if the host does not trust the skill, [`Error::ApprovalVoid`] if the skill has changed since it
    /// was approved, and [`Error::CopyDiffers`] if the copy of the skill is not equal to its source.
    pub fn trusted(&self) -> Result<Option<&ExpectedContents>, &Error> {
        self.trust.as_ref().map(Option::as_ref).map_err(AsRef::as_ref)
    }

    /// The text before, between and after the commands: one piece more than there are commands.
    pub fn pieces(&self) -> &[String] {
        &self.pieces
    }

    /// What to do after the commands. Its text contains the commands as written.
    pub fn next(&self) -> &Invocation {
        &self.then
    }

    /// Inserts the outputs of the commands, in order, and returns what to do next. A missing output counts as empty.
    /// Placeholders in the outputs are not replaced.
    pub fn resume(self, outputs: &[String]) -> Invocation {
        let mut text = String::new();
        for (n, piece) in self.pieces.iter().enumerate() {
            text.push_str(piece);
            text.push_str(outputs.get(n).filter(|_| n < self.commands.len()).map_or("", String::as_str));
        }
        let mut then = *self.then;
        match &mut then {
            Invocation::Inline(message) => message.text = text,
            Invocation::Fork(fork) => fork.text = text,
            Invocation::Pending(_) => {}
        }
        then
    }
}

/// The text before, between and after the commands of a body that begins at the byte `body_at`.
pub(super) fn pieces(text: &str, body_at: usize, commands: &[EmbeddedCommand]) -> Vec<String> {
    let mut from = 0;
    let mut pieces = Vec::with_capacity(commands.len() + 1);
    let mut add = |range: std::ops::Range<usize>| {
        debug_assert!(text.get(range.clone()).is_some(), "{range:?} is not in the text");
        pieces.push(text.get(range).unwrap_or("").to_owned());
    };
    for EmbeddedCommand { at, .. } in commands {
        add(from..body_at + at.start);
        from = body_at + at.end;
    }
    add(from..text.len());
    pieces
}
