//! The option `--session` and the command `session`: the file of a session, which is read, changed and written in one
//! step.

use crate::args::{Command, GlobalOptions, NonEmptyText};
use crate::output::text::count;
use crate::output::{style, table, text};
use crate::own_file;
use crate::receipt::Recording;
use crate::reply::{Failure, Output, Reply};
use crate::run::{Answer, Runner, note_line};
use crate::setup::Setup;
use anstyle::Style;
use clap::{Args, Subcommand};
use skilltree::answers::{Event, ReattachRequest, Reattached, Session, reattach};
use skilltree::host::rewrite;
use skilltree::{Fs, FsPath, report, visible};

// No doc comment here: clap would take it for the text about the command.
#[derive(Args, Debug)]
pub(crate) struct SessionArgs {
    /// File of the session, which need not exist
    #[arg(value_name = "FILE", value_parser = NonEmptyText::new())]
    file: String,
    #[command(subcommand)]
    action: Option<SessionCommand>,
}

/// The subcommands of `session`.
#[derive(Subcommand, Clone, Copy, Debug)]
pub(crate) enum SessionCommand {
    /// List what was shown and loaded (the default)
    Show,
    /// Print what to put back after the conversation was compacted, and note that it was
    Reattach {
        /// Maximum size of the text in tokens of four bytes [default: the list, and 25000 for skills]
        #[arg(long, value_name = "N")]
        budget: Option<usize>,
        /// Size of the model's context window in tokens
        #[arg(long, value_name = "TOKENS")]
        window: Option<usize>,
        /// Only print it
        #[arg(long)]
        dry_run: bool,
    },
    /// Note that the conversation was compacted, and nothing was put back
    Compacted,
    /// Forget everything
    Clear,
}

/// The file of a session.
pub(crate) struct SessionFile<'s> {
    setup: &'s Setup,
    path: FsPath,
}

impl<'s> SessionFile<'s> {
    fn new(setup: &'s Setup, file: &str) -> Result<SessionFile<'s>, Failure> {
        Ok(SessionFile { setup, path: setup.path(file)? })
    }

    /// The session, and the bytes of its file; `None` if there is no file, which is a new session.
    fn read(&self) -> Result<(Session, Option<Vec<u8>>), Failure> {
        let refused = |reason: &str| self.refused(reason);
        let Some(text) = own_file::read(&self.setup.fs, &self.path, Session::MAX_BYTES, &refused)? else {
            return Ok((Session::default(), None));
        };
        let session = Session::from_json(&text).map_err(|error| self.refused(&error.to_string()))?;
        Ok((session, Some(text.into_bytes())))
    }

    fn refused(&self, reason: &str) -> Failure {
        let file = self.setup.fs.display(&self.path);
        Failure::error("no-session", format!("`{}` is not a session: {reason}", visible(&file)))
            .with_help("name another file; this one is not overwritten".to_owned())
    }

    /// Answers with the session, and writes what the answer changes in it. If another process has changed the file
    /// meanwhile, the answer is made again.
    pub(crate) fn change<T>(&self, mut answer: impl FnMut(&mut Session) -> Result<T, Failure>) -> Result<T, Failure> {
        let mut last = None;
        rewrite(&self.setup.fs, || {
            let (mut session, old) = self.read()?;
            let before = session.events().len();
            last = Some(answer(&mut session)?);
            // Events are only added, or all removed.
            if session.events().len() == before {
                return Ok(None);
            }
            let bytes = format!("{}\n", session.to_json()).into_bytes();
            if Session::MAX_BYTES < bytes.len() {
                let why = format!("the session `{}` is full", visible(&self.setup.fs.display(&self.path)));
                return Err(Failure::error("session-full", why).with_help("`session FILE clear` empties it".to_owned()));
            }
            Ok(Some(own_file::written(self.setup, &self.path, bytes, old)))
        })?;
        last.ok_or_else(|| Failure::error("no-answer", "the session was not read"))
    }
}

impl Runner<'_> {
    /// Answers with the session of `--session`, or else with an empty one, which gives the answers of the functions and is not
    /// written.
    pub(crate) fn with_session<T>(
        self,
        recording: &Recording<'_>,
        mut answer: impl FnMut(&mut Session) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        match &self.options.session {
            Some(file) => SessionFile::new(recording.setup, file)?.change(|session| {
                recording.note_session(session);
                answer(session)
            }),
            None => answer(&mut Session::default()),
        }
    }

    pub(crate) fn session(self, ask: &SessionArgs) -> Answer {
        let setup = Setup::new(self.options)?;
        let file = SessionFile::new(&setup, &ask.file)?;
        match ask.action.unwrap_or(SessionCommand::Show) {
            SessionCommand::Show => self.shown_session(&file),
            SessionCommand::Reattach { budget, window, dry_run } => {
                self.reattached(&setup, &file, ReattachRequest { budget, window }, dry_run)
            }
            SessionCommand::Compacted => {
                file.change(|session| {
                    session.compacted();
                    Ok(())
                })?;
                self.shown_session(&file)
            }
            SessionCommand::Clear => {
                file.change(|session| {
                    *session = Session::default();
                    Ok(())
                })?;
                self.shown_session(&file)
            }
        }
    }

    fn shown_session(self, file: &SessionFile<'_>) -> Answer {
        let (session, bytes) = file.read()?;
        if self.json {
            return Ok(Reply::json(&report::session(&session)));
        }
        let rows: Vec<Vec<String>> = session
            .events()
            .iter()
            .map(|event| {
                let what = match &event.event {
                    Event::Shown { keys, .. } => count(keys.len(), "skill"),
                    other => visible(other.key().unwrap_or_default()).into_owned(),
                };
                let args = match &event.event {
                    Event::Loaded(sent) | Event::Invoked(sent) | Event::Forked(sent) => {
                        text::folded(&sent.args).into_owned()
                    }
                    _ => String::new(),
                };
                vec![event.number.to_string(), event.event.as_str().to_owned(), what, args]
            })
            .collect();
        let note = match bytes {
            None => note_line("there is no such session yet"),
            Some(_) if rows.is_empty() => note_line("the session is empty"),
            Some(_) => String::new(),
        };
        let styles = [style::FAINT, Style::new(), style::KEY, style::FAINT];
        Ok(Reply::new(Output::Styled(table::table(&styles, None, &rows, self.screen.width))).with_stderr(&note))
    }

    fn reattached(self, setup: &Setup, file: &SessionFile<'_>, ask: ReattachRequest, dry_run: bool) -> Answer {
        let catalog = self.catalog(setup);
        let back = file.change(|session| {
            let back = reattach(&setup.world(), &catalog, session, &ask);
            if !dry_run {
                session.reattached(&back);
            }
            Ok(back)
        })?;
        let reply = if self.json { Reply::json(&report::reattached(&back)) } else { self.text(back.text.as_str()) };
        Ok(reply.with_stderr(&losses(&back)))
    }
}

/// What is not put back, or not completely, for standard error.
fn losses(back: &Reattached) -> String {
    let named = |keys: &[String]| keys.iter().map(|key| format!("`{}`", visible(key))).collect::<Vec<_>>().join(", ");
    let mut notes = String::new();
    if !back.is_listed {
        notes.push_str(&note_line("the list of skills does not fit; use a larger `--budget`"));
    }
    if !back.shortened.is_empty() {
        notes.push_str(&note_line(&format!("put back in part: {}", named(&back.shortened))));
    }
    if !back.left_out.is_empty() {
        notes.push_str(&note_line(&format!("left out to fit the budget: {}", named(&back.left_out))));
    }
    for one in &back.missing {
        notes.push_str(&note_line(&format!("`{}` is not put back: {}", visible(&one.key), visible(&one.reason))));
    }
    notes
}

/// The note that `--session` is not used, for commands that neither show nor load anything.
pub(crate) fn unused_note(options: &GlobalOptions, command: &Command) -> String {
    if options.session.is_none() || command.gives_text() {
        return String::new();
    }
    note_line("`--session` is ignored: only `prompt`, `load`, `call` and `invoke` use it")
}
