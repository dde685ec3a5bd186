//! The answers of a session: those of the functions of the same names, with an event for each text that is sent. All
//! that decides whether a text is sent again is here (rule 29.2).

use super::Session;
use super::event::{Event, Sent};
use crate::dialect::RepeatedLoad;
use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::loading::invoke::{Chosen, Invocation, Message, Pending, Wording, chosen, decide};
use crate::loading::load::{LoadRequest, Loaded, already_loaded_note, load};
use crate::loading::tool::{Called, called};
use crate::model::error::Error;
use crate::model::skill::{Caller, Skill};
use crate::offer::commands::Commands;
use crate::offer::list::{Prompt, PromptRequest, prompt};
use crate::text::digest::Digest;
use crate::text::escape::visible;

impl Session {
    /// Like [`prompt`](crate::prompt()). Notes what is shown, unless it was the last that was shown.
    pub fn prompt(&mut self, world: &World<'_>, catalog: &Catalog, ask: &PromptRequest) -> Prompt {
        let prompt = prompt(world, catalog, ask);
        self.extend(shown(&prompt));
        prompt
    }

    /// Like [`load`](crate::load()), but for a text that is in the conversation already it gives the short note, if the
    /// dialect does so ([`RepeatedLoad`]). Notes what is sent.
    ///
    /// # Errors
    /// The errors of [`load`](crate::load()); nothing is noted then.
    pub fn load(
        &mut self,
        world: &World<'_>,
        catalog: &Catalog,
        skill: &Skill,
        ask: &LoadRequest,
    ) -> Result<Loaded, Error> {
        let mut loaded = load(world, catalog, skill, ask)?;
        self.extend(
            loaded
                .trust
                .as_ref()
                .and_then(|trust| trust.approved())
                .map(|digest| Event::Approved { key: loaded.key.clone(), digest }),
        );
        // By `already_loaded`, the caller has said so.
        if loaded.is_already_loaded {
            return Ok(loaded);
        }
        let sent = Sent {
            key: loaded.key.clone(),
            args: ask.args.clone(),
            by: ask.caller,
            path: loaded.shown_path.clone(),
            digest: Digest::of(loaded.text.as_bytes()),
        };
        if loaded.is_fork {
            self.add(Event::Forked(sent));
        } else if !self.gives_note(catalog, &sent) {
            self.add(Event::Loaded(sent));
        } else {
            loaded.text = already_loaded_note(catalog, skill);
            loaded.is_already_loaded = true;
            loaded.body.clear();
            loaded.files.clear();
            loaded.commands.clear();
            loaded.body_at = None;
        }
        Ok(loaded)
    }

    /// Like [`call`](crate::call()), but for a text that is in the conversation already it gives the short note, if the
    /// dialect does so ([`RepeatedLoad`]). Notes what is sent. If commands have to be run first, nothing is noted until [`Session::resumed`] is given their output. One file
    /// of a skill is sent each time, and is not noted.
    ///
    /// # Errors
    /// The errors of [`call`](crate::call()); nothing is noted then.
    pub fn call(&mut self, world: &World<'_>, catalog: &Catalog, arguments: &str) -> Result<Invocation, Error> {
        let (skill, ask) = match called(world, catalog, arguments)? {
            Called::Skill(skill, ask) => (skill, ask),
            Called::File(loaded) => return Ok(Invocation::Inline(Message::of_file(*loaded))),
        };
        let invocation = decide(world, catalog, skill, &ask, &Wording::of_tool(catalog))?;
        let path = visible(&world.fs.display(&skill.path)).into_owned();
        Ok(self.sends(catalog, Some(skill), (&ask, path), invocation))
    }

    /// Like [`invoke`](crate::invoke()). Notes what is sent; of several commands in one line, each. What a user types is sent
    /// each time. If commands have to be run first, nothing is noted until [`Session::resumed`] is given their output.
    ///
    /// # Errors
    /// The errors of [`invoke`](crate::invoke()); nothing is noted then.
    pub fn invoke(
        &mut self,
        world: &World<'_>,
        catalog: &Catalog,
        commands: &Commands,
        line: &str,
    ) -> Result<Option<Invocation>, Error> {
        let Some(chosen) = chosen(world, catalog, commands, line)? else { return Ok(None) };
        let before = self.events.len();
        let invocation = self.invoke_all(world, catalog, &chosen);
        if invocation.is_err() {
            self.events.truncate(before);
        }
        invocation.map(Some)
    }

    fn invoke_all(&mut self, world: &World<'_>, catalog: &Catalog, chosen: &Chosen<'_>) -> Result<Invocation, Error> {
        let mut decided = |skill: &Skill| -> Result<Invocation, Error> {
            let invocation = decide(world, catalog, skill, &chosen.ask, &chosen.how)?;
            let path = visible(&world.fs.display(&skill.path)).into_owned();
            Ok(self.sends(catalog, None, (&chosen.ask, path), invocation))
        };
        let mut invocation = decided(chosen.skill)?;
        for other in &chosen.others {
            invocation.add(decided(other)?)?;
        }
        Ok(invocation)
    }

    /// Notes what [`Pending::resume`] has made of the output of the commands, and returns it, or for the model's call of a
    /// text that is in the conversation already the short note.
    pub fn resumed(&mut self, world: &World<'_>, catalog: &Catalog, pending: &Pending, next: Invocation) -> Invocation {
        let skill = catalog.skills().iter().find(|skill| skill.path == pending.path);
        let path = visible(&world.fs.display(&pending.path)).into_owned();
        let skill = skill.filter(|_| pending.ask.caller == Caller::Model);
        self.sends(catalog, skill, (&pending.ask, path), next)
    }

    /// Notes what is sent. `noted` is the skill for which the short note may be given instead.
    fn sends(
        &mut self,
        catalog: &Catalog,
        noted: Option<&Skill>,
        (ask, path): (&LoadRequest, String),
        mut invocation: Invocation,
    ) -> Invocation {
        let approved = invocation.approved();
        let sent = |key: &str, text: &str| Sent {
            key: key.to_owned(),
            args: ask.args.clone(),
            by: ask.caller,
            path,
            digest: Digest::of(text.as_bytes()),
        };
        let (key, event) = match &mut invocation {
            Invocation::Pending(_) => return invocation,
            Invocation::Fork(fork) => (fork.key.clone(), Some(Event::Forked(sent(&fork.key, &fork.text)))),
            Invocation::Inline(message) => {
                let sent = sent(&message.key, &message.text);
                let is_note = self.gives_note(catalog, &sent);
                let event = match (ask.caller, noted) {
                    (Caller::Model, Some(skill)) if is_note => {
                        message.text = already_loaded_note(catalog, skill);
                        message.is_already_loaded = true;
                        None
                    }
                    (Caller::Model, _) => Some(Event::Loaded(sent)),
                    (Caller::User, _) => Some(Event::Invoked(sent)),
                };
                (message.key.clone(), event)
            }
        };
        self.extend(approved.map(|digest| Event::Approved { key, digest }));
        if let Some(event) = event {
            self.add(event);
        }
        invocation
    }

    /// Notes that a text is sent to the model, unless it is in the conversation already. Returns whether it is. For hosts
    /// that make the text themselves.
    ///
    /// ```
    /// use skilltree::record::{Sent, Session};
    /// use skilltree::{Caller, Digest};
    /// let mut session = Session::default();
    /// let sent = |text: &str| Sent {
    ///     key: "tea".to_owned(),
    ///     args: String::new(),
    ///     by: Caller::Model,
    ///     path: "/s/tea/SKILL.md".to_owned(),
    ///     digest: Digest::of(text.as_bytes()),
    /// };
    /// assert!(!session.note(sent("Boil water.")));
    /// assert!(session.note(sent("Boil water.")));
    /// assert!(!session.note(sent("Boil more water.")));
    /// ```
    pub fn note(&mut self, sent: Sent) -> bool {
        let is_there = self.has_text(&sent);
        if !is_there {
            self.add(Event::Loaded(sent));
        }
        is_there
    }

    /// Whether the short note is given instead of this text.
    fn gives_note(&self, catalog: &Catalog, text: &Sent) -> bool {
        match catalog.dialect().load.repeated {
            RepeatedLoad::Note => self.has_text(text),
            RepeatedLoad::Whole => false,
        }
    }

    /// Whether this text is in the conversation: since the last compaction, it was the last that was sent of this skill with
    /// these arguments. An older one would be taken for what no longer holds.
    fn has_text(&self, text: &Sent) -> bool {
        let mut texts = self.in_context().filter_map(Event::text_in_context);
        let last = texts.find(|sent| (&sent.key, &sent.args) == (&text.key, &text.args));
        last.is_some_and(|last| last.digest == text.digest)
    }

    /// Adds what was shown or approved, unless the session has it already as the newest of the skill, or of the section.
    fn extend(&mut self, event: Option<Event>) {
        let Some(event) = event else { return };
        let is_same_kind = |other: &&Event| other.as_str() == event.as_str() && other.key() == event.key();
        if self.in_context().find(is_same_kind) != Some(&event) {
            self.add(event);
        }
    }
}

/// The event for a section of the prompt; `None` for an empty one.
pub(super) fn shown(prompt: &Prompt) -> Option<Event> {
    let digest = Digest::of(prompt.text.as_bytes());
    (!prompt.text.is_empty()).then(|| Event::Shown { keys: prompt.shown.clone(), digest })
}
