//! The commands `invoke` and `call`: they print the resulting message, or with `--run` run its commands and pass a
//! fork to the agent.

use crate::answer::{Answer, Runner, missing_skill_note, note_line};
use crate::args::{GlobalOptions, NonEmptyText, seconds};
use crate::hints;
use crate::output::findings;
use crate::processes::Ran;
use crate::receipt::Recording;
use crate::reply::{Exit, Failure, Reply, document};
use crate::setup::Setup;
use crate::sync;
use skilltree::record::RecordedAnswer;
use skilltree::{Caller, Catalog, Commands, Error, Fork, Invocation, Json, Pending, State, visible};
use std::time::Duration;

// No doc comment here: clap would take it for the text about the command.
#[derive(clap::Args, Debug)]
pub(crate) struct ExecuteArgs {
    /// Run the commands in the skill's text, and pass a task for a separate agent to --agent-command. Waits until it has
    /// finished, even if the skill asks to run in the background
    #[arg(long)]
    pub(crate) run: bool,
    /// Command line of the agent. It reads the task from its standard input, and the tools and permissions for it from
    /// the environment variable SKILLTREE_FORK
    #[arg(long, value_name = "COMMAND", requires = "run", value_parser = NonEmptyText::new())]
    pub(crate) agent_command: Option<String>,
    /// Maximum running time in seconds of the agent [default: 1800] and of each command [default: set by the dialect,
    /// such as 120 in claude]
    #[arg(long, value_name = "SECONDS", requires = "run", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,
}

/// An invocation and what has been run for it so far.
struct Done {
    invocation: Invocation,
    ran: Ran,
}

impl Runner<'_> {
    pub(crate) fn call(
        self,
        recording: &Recording<'_>,
        catalog: &Catalog,
        arguments: &str,
        ask: &ExecuteArgs,
    ) -> Answer {
        let (setup, world) = (recording.setup, recording.world());
        let told = findings::about(&setup.fs, &sync::before_a_call(setup, catalog));
        let called = self.with_session(recording, |session| Ok(session.call(&world, catalog, arguments)))?;
        let mut view = catalog.call_view(&world, arguments, called.as_ref().map(Invocation::key));
        let reply = match called {
            Ok(decided) => self.decided((recording, catalog), decided, ask, &mut view, &|done, view| {
                Invocation::answer_json(&setup.fs, Ok(done), view)
            })?,
            Err(error) => {
                let error_code = error.code();
                let failure = setup.refused(catalog, &error).unwrap_or_else(|| error.into());
                let json = failure.add_to_json(Json::map([("ok", Json::Bool(false))]));
                let json = json.with("view", view.as_deref());
                let reply = failure.reply(false).with_stderr(&missing_skill_note(setup, catalog, error_code));
                if self.json { Reply { out: document(&json), ..reply } } else { reply }
            }
        };
        Ok(Reply { err: told + &self.view_lines(view.as_deref()) + &reply.err, ..reply })
    }

    pub(crate) fn invoke(self, recording: &Recording<'_>, catalog: &Catalog, line: &str, ask: &ExecuteArgs) -> Answer {
        let (setup, world) = (recording.setup, recording.world());
        let commands = skilltree::commands(catalog, &self.options.reserved);
        let json = |done: Option<&Invocation>| Invocation::line_json(&setup.fs, done, line);
        let invoked = self.with_session(recording, |session| Ok(session.invoke(&world, catalog, &commands, line)?))?;
        match invoked {
            Some(decided) => self.decided((recording, catalog), decided, ask, &mut None, &|done, _| json(Some(done))),
            None => {
                recording.note(|| RecordedAnswer::text(line.to_owned()));
                // An unknown command may belong to a skill that could not be read.
                let reason = not_a_command(setup, catalog, &commands, line);
                let err = reason.as_ref().map(|reason| note_line(reason) + &setup.missing_skills_note(catalog));
                let reply = if self.json {
                    let message = "the line is an ordinary message, not a command".to_owned();
                    let failure = Failure::negative("ordinary-message", reason.unwrap_or(message));
                    Reply::json(&failure.add_to_json(json(None)))
                } else {
                    self.text(line)
                };
                Ok(reply.with_stderr(&err.unwrap_or_default()).with_exit(Exit::Negative))
            }
        }
    }

    /// Runs what is to be run. `view` is what a user sees, and is replaced if that is refused.
    fn decided(
        self,
        (recording, catalog): (&Recording<'_>, &Catalog),
        decided: Invocation,
        ask: &ExecuteArgs,
        view: &mut Option<String>,
        json: &dyn Fn(&Invocation, Option<&str>) -> Json,
    ) -> Answer {
        let (setup, world) = (recording.setup, recording.world());
        let mut done = Done { invocation: decided, ran: Ran::default() };
        let note = |pending: &Pending, next: Invocation| {
            self.with_session(recording, |session| Ok(session.resumed(&world, catalog, pending, next.clone())))
        };
        let failure = if ask.run { done.ran.carry_out(&mut done.invocation, setup, ask, &note).err() } else { None };
        recording.note(|| RecordedAnswer::invocation(&done.invocation));
        recording.note_outputs(|| done.ran.outputs());
        done.invocation = hints::complete_invocation(done.invocation);
        let refused = failure.as_ref().filter(|_| !done.ran.has_task());
        if let (Some(failure), Some(view)) = (refused, view.as_mut()) {
            let refused_view = catalog.dialect().refused_view(done.invocation.key(), failure.message());
            *view = refused_view.unwrap_or_default();
        }
        let json = json(&done.invocation, view.as_deref());
        let is_call = json.get("ok").is_some();
        let is_refused = refused.is_some();
        let answer = answer_to_a_call(&done).filter(|_| is_call && !is_refused);
        if !self.json {
            if let Some(failure) = refused.filter(|_| answer.is_none()) {
                return Ok(failure.reply(false));
            }
            let reply = self.message(setup, &done)?;
            let out = answer.as_ref().map_or(reply.out, document);
            let reply = Reply { out, ..reply };
            return Ok(match failure {
                Some(failure) => reply.with_stderr(&failure.to_stderr()).with_exit(failure.exit()),
                None => reply,
            });
        }
        let json = match answer {
            Some(Json::Map(fields)) => {
                fields.into_iter().fold(json, |json, (name, value)| json.with(&name, Some(value)))
            }
            _ => json.with("status", (is_call && is_refused).then_some("refused")),
        };
        let json = done.ran.add_to_json(json.with("ok", is_call.then_some(failure.is_none())));
        Ok(match failure {
            Some(failure) => Reply { out: document(&failure.add_to_json(json)), ..failure.reply(false) },
            None => Reply::json(&json),
        })
    }

    /// The message or the answer of the agent; findings go to standard error.
    fn message(self, setup: &Setup, done: &Done) -> Answer {
        let reply = match &done.invocation {
            Invocation::Inline(message) => {
                self.text(&message.text).with_stderr(&findings::about(&setup.fs, &message.findings))
            }
            Invocation::Fork(fork) => match done.ran.answer_of_agent(self.screen) {
                Some(answer) => answer,
                None => {
                    let refused = fork.trusted().err().map(|error| note_line(&hints::error_message(error)));
                    self.text(&fork.text)
                        .with_stderr(&note_line(&to_do(fork)))
                        .with_stderr(&refused.unwrap_or_default())
                }
            }
            .with_stderr(&findings::about(&setup.fs, &fork.findings)),
            Invocation::Pending(pending) => self.text(pending.commands.join("\n")).with_stderr(&note_line(
                "the skill needs these commands to run first; `--run` runs them, `--json` shows the text around \
                     them",
            )),
            _ => {
                let why = "this kind of invocation has no text; use `--json`";
                return Err(Failure::error("not-supported", why));
            }
        };
        Ok(reply.with_stderr(&done.ran.notes()))
    }
}

/// What the load tool answers to a call that starts a task, if the dialect has its own form for that.
fn answer_to_a_call(done: &Done) -> Option<Json> {
    let spawned = done.invocation.spawned_json()?;
    Some(done.ran.result_of_task().unwrap_or(spawned))
}

/// The key of the disabled skill that has this command when it is enabled.
fn key_of_disabled(setup: &Setup, catalog: &Catalog, name: &str) -> Option<String> {
    let disabled = catalog.skills().iter().filter(|skill| skill.state == State::Disabled);
    let enable: Vec<String> = disabled.map(|skill| skill.key.clone()).collect();
    if enable.is_empty() {
        return None;
    }
    let setup = Setup::new(&GlobalOptions { enable, ..setup.options.clone() }).ok()?;
    let catalog = skilltree::discover(&setup.world(), &setup.dialect);
    Some(skilltree::commands(&catalog, &setup.options.reserved).find(name)?.key.clone())
}

/// Why a line that looks like a command is an ordinary message; `None` if it does not look like one.
fn not_a_command(setup: &Setup, catalog: &Catalog, commands: &Commands, line: &str) -> Option<String> {
    let name = line.strip_prefix('/')?.split(char::is_whitespace).next().filter(|name| !name.is_empty())?;
    let of_disabled = || match catalog.find(name, Caller::User) {
        Err(Error::UnknownSkill { .. }) => key_of_disabled(setup, catalog, name),
        _ => None,
    };
    let key = commands.find(name).map(|command| command.key.clone()).or_else(of_disabled);
    let dialect = catalog.dialect();
    let reason = match catalog.find(key.as_deref().unwrap_or(name), Caller::User) {
        _ if !dialect.has_commands() => format!("`{}` has no commands", dialect.name()),
        _ if setup.options.reserved.iter().any(|own| own.trim_start_matches('/').eq_ignore_ascii_case(name)) => {
            "`--reserved` reserves it for the host".to_owned()
        }
        _ if dialect.reserves_command(name) => {
            format!("`{}` has a command of its own of this name", dialect.name())
        }
        Ok(skill) => match commands.all().iter().find(|command| command.is_of(skill)) {
            Some(command) => format!("the command of this skill is `/{}`", command.shown()),
            None => "this skill has no command".to_owned(),
        },
        Err(error) => match setup.refused(catalog, &error) {
            Some(refused) => refused.message().to_owned(),
            None => hints::error_message(&error),
        },
    };
    Some(format!("`/{}` is not a command, so the line is an ordinary message: {reason}", visible(name)))
}

fn to_do(fork: &Fork) -> String {
    let agent = fork.agent.as_deref().map(|agent| format!(" (`{}`)", visible(agent))).unwrap_or_default();
    format!(
        "this is a task for a separate agent{agent}; `--run --agent-command COMMAND` starts one, `--json` shows the \
             details"
    )
}
