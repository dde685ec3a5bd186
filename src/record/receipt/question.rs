//! The questions that a receipt can be about, and their answers.

use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::loading::invoke::Invocation;
use crate::loading::load::{LoadRequest, Loaded, load_file};
use crate::model::error::Error;
use crate::model::skill::Caller;
use crate::offer::commands::commands;
use crate::offer::list::{PromptRequest, prompt};
use crate::record::session::Session;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Request {
    /// The section of the prompt: [`prompt`](crate::prompt()).
    Prompt(PromptRequest),
    /// The text of a skill: [`load`](crate::load()), or that of one of its files.
    Load {
        /// The key of the skill.
        key: String,
        /// Who asks.
        caller: Caller,
        /// The arguments.
        args: String,
        /// The keys of the skills that are loaded already.
        already_loaded: Vec<String>,
    },
    /// A call of the load tool: [`call`](crate::call()).
    Call {
        /// The arguments of the tool, as JSON.
        arguments: String,
    },
    /// A line that the user has typed: [`invoke`](crate::invoke()).
    Invoke {
        /// The line.
        line: String,
        /// The host's own command names.
        reserved: Vec<String>,
    },
}

/// A request with all that its answer depends on besides the world and the dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Question {
    /// What is asked.
    pub request: Request,
    /// The session before the answer. [`Session::texts_in_context`] is enough of it.
    pub session: Option<Session>,
    /// The outputs of the commands that the skill needs to run first, if they have been run. They are taken as they are.
    pub outputs: Vec<String>,
}

/// An answer as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Given {
    /// The text for the model: the section, the text of the skill, the message, the task for a separate agent, the commands to
    /// run first, the line itself if it is no command, or the message of an error.
    pub text: String,
    /// The keys of the skills whose text it is; empty for a prompt.
    pub keys: Vec<String>,
    /// The code of the error, if the answer is one.
    pub error: Option<String>,
}

impl Question {
    /// A question without a session.
    pub fn new(request: Request) -> Question {
        Question { request, session: None, outputs: Vec::new() }
    }

    /// The same question in a session.
    #[must_use]
    pub fn in_session(self, session: &Session) -> Question {
        Question { session: Some(session.texts_in_context()), ..self }
    }

    /// The answer. An error is an answer, too.
    pub fn answer(&self, world: &World<'_>, catalog: &Catalog) -> Given {
        // One that has nothing gives the answers of the functions.
        let mut session = self.session.clone().unwrap_or_default();
        let given = match &self.request {
            Request::Prompt(ask) => Ok(Given::text(prompt(world, catalog, ask).text)),
            Request::Load { key, caller, args, already_loaded } => {
                let ask = LoadRequest {
                    asked: Some(key.clone()),
                    args: args.clone(),
                    already_loaded: already_loaded.clone(),
                    ..LoadRequest::new(*caller)
                };
                load_asked(world, catalog, key, &ask, &mut session).map(|loaded| Given::loaded(&loaded))
            }
            Request::Call { arguments } => {
                let called = session.call(world, catalog, arguments);
                called.map(|called| self.invoked(world, catalog, &mut session, called))
            }
            Request::Invoke { line, reserved } => {
                let commands = commands(catalog, reserved);
                let invoked = session.invoke(world, catalog, &commands, line);
                invoked.map(|invoked| match invoked {
                    Some(invoked) => self.invoked(world, catalog, &mut session, invoked),
                    None => Given::text(line.clone()),
                })
            }
        };
        given.unwrap_or_else(|error| Given::error(&error))
    }

    /// What an invocation gives after the commands that were run for it.
    fn invoked(&self, world: &World<'_>, catalog: &Catalog, session: &mut Session, invocation: Invocation) -> Given {
        match invocation {
            Invocation::Pending(pending) if !self.outputs.is_empty() => {
                let next = pending.clone().resume(&self.outputs);
                Given::invocation(&session.resumed(world, catalog, &pending, next))
            }
            invocation => Given::invocation(&invocation),
        }
    }
}

/// Loads a skill by its key, or one of its files by the key and the name of the file.
fn load_asked(
    world: &World<'_>,
    catalog: &Catalog,
    key: &str,
    ask: &LoadRequest,
    session: &mut Session,
) -> Result<Loaded, Error> {
    let skill = match catalog.locate(world, key, ask.caller) {
        Err(error @ Error::UnknownSkill { .. }) => {
            return load_file(world, catalog, key, ask.caller)?.ok_or(error);
        }
        skill => skill?,
    };
    session.load(world, catalog, skill, ask)
}

impl Given {
    /// A text that is of no skill.
    pub fn text(text: String) -> Given {
        Given { text, ..Given::default() }
    }

    /// The text of a skill.
    pub fn loaded(loaded: &Loaded) -> Given {
        Given { text: loaded.text.clone(), keys: vec![loaded.key.clone()], error: None }
    }

    /// The message, the task, or the commands to run first, each on a line.
    pub fn invocation(invocation: &Invocation) -> Given {
        let (text, key, also) = match invocation {
            Invocation::Inline(message) => (message.text.clone(), &message.key, message.also.as_slice()),
            Invocation::Fork(fork) => (fork.text.clone(), &fork.key, &[][..]),
            Invocation::Pending(pending) => (pending.commands.join("\n"), &pending.key, &[][..]),
        };
        Given { text, keys: [std::slice::from_ref(key), also].concat(), error: None }
    }

    /// The message and the code of an error.
    pub fn error(error: &Error) -> Given {
        Given { text: error.to_string(), keys: Vec::new(), error: Some(error.code().to_owned()) }
    }
}
