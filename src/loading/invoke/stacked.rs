//! Several commands at the start of one line, which are carried out together (rule 14.8).

use super::{Invocation, Message, Wording, split_command};
use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::loading::load::fork_rule;
use crate::loading::substitute::has_commands;
use crate::model::error::Error;
use crate::model::skill::{Caller, Skill};
use crate::offer::commands::Commands;
use crate::package::body;
use crate::text::escape::visible;

/// The skills whose commands follow the first one and are carried out with it, and the arguments of all. A word that is no
/// such command is the first word of the arguments.
pub(super) fn others<'c, 'l>(
    world: &World<'_>,
    catalog: &'c Catalog,
    commands: &Commands,
    first: &Skill,
    args: &'l str,
) -> Result<(Vec<&'c Skill>, &'l str), Error> {
    let mut others = Vec::new();
    let mut rest = args;
    let most = catalog.dialect().commands.as_ref().map_or(0, |rule| rule.stacked.saturating_sub(1));
    while others.len() < most {
        let Some((name, after)) = split_command(rest) else { break };
        let command = commands.find(name);
        let Some(skill) = command.and_then(|command| catalog.find(&command.key, Caller::User).ok()) else { break };
        // The first one is read only if another one follows.
        if others.is_empty() && !is_plain_message(world, catalog, first)? || !is_plain_message(world, catalog, skill)? {
            break;
        }
        others.push(skill);
        rest = after;
    }
    Ok((others, rest))
}

/// Whether the command of a skill gives a message without anything to be run first.
fn is_plain_message(world: &World<'_>, catalog: &Catalog, skill: &Skill) -> Result<bool, Error> {
    let dialect = catalog.dialect();
    let body = body::read(catalog, world, skill)?;
    let substitution = dialect.commands.as_ref().and_then(|rule| Wording::of_commands(catalog, rule).substitution);
    let is_pending = substitution.is_some_and(|rule| has_commands(rule, &body.text));
    Ok(fork_rule(&dialect.load, &body.frontmatter).is_none() && !is_pending)
}

/// Adds what the command of another skill gives to the message of the first.
///
/// # Errors
/// [`Error::SkillGone`] if one of them is no message any more, as its file has changed since it was looked at.
pub(crate) fn add(to: &mut Invocation, mut other: Invocation) -> Result<(), Error> {
    let changed = match (&mut *to, other) {
        (Invocation::Inline(message), Invocation::Inline(other)) => {
            message.add(other);
            return Ok(());
        }
        (Invocation::Inline(_), changed) => {
            other = changed;
            &mut other
        }
        (changed, _) => changed,
    };
    let key = visible(changed.findings_mut().0).into_owned();
    let reason = "its file was changed while it was read; type the command again".to_owned();
    Err(Error::SkillGone { key, reason })
}

impl Message {
    fn add(&mut self, other: Message) {
        self.text.push_str(if self.text.is_empty() || other.text.is_empty() { "" } else { "\n\n" });
        self.text.push_str(&other.text);
        join(&mut self.tools, other.tools);
        join(&mut self.disallowed_tools, other.disallowed_tools);
        self.findings.extend(other.findings);
        self.also.push(other.key);
    }
}

/// Adds the names that are not in the list yet.
fn join(names: &mut Option<Vec<String>>, others: Option<Vec<String>>) {
    let Some(others) = others else { return };
    let names = names.get_or_insert_default();
    for name in others {
        if !names.contains(&name) {
            names.push(name);
        }
    }
}
