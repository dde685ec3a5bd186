//! The option `--session` and the command `session`. What an answer sends is noted in the file of the session when it has
//! been printed, so that no text counts as sent that nobody has received.

use crate::answer::{Answer, Runner, note_line};
use crate::args::NonEmptyText;
use crate::output::text::count;
use crate::output::{findings, style, table, text};
use crate::own_file;
use crate::receipt::Recording;
use crate::reply::{Failure, Output, Reply};
use crate::setup::Setup;
use anstyle::Style;
use clap::{Args, Subcommand};
use skilltree::discovery::FileWrite;
use skilltree::record::{Event, ReattachRequest, Reattached, Session};
use skilltree::{Fs, FsPath, OsFs, visible};

// No doc comment here: clap would take it for the text about the command.
#[derive(Args, Debug)]
pub(crate) struct SessionArgs {
    /// File of the session, which may not exist yet
    #[arg(value_name = "FILE", value_parser = NonEmptyText::new())]
    file: String,
    #[command(subcommand)]
    action: Option<SessionCommand>,
}

/// The subcommands of `session`.
#[derive(Subcommand, Clone, Copy, Debug)]
enum SessionCommand {
    /// List what was shown and loaded (the default)
    Show,
    /// Print the text to restore after the conversation was compacted, and record the compaction
    Reattach {
        /// Maximum size of the text in tokens of four bytes [default: the list, and 25000 for skills]
        #[arg(long, value_name = "N")]
        budget: Option<usize>,
        /// Size of the model's context window in tokens
        #[arg(long, value_name = "TOKENS")]
        window: Option<usize>,
        /// Print the text without recording the compaction
        #[arg(long)]
        dry_run: bool,
    },
    /// Record a compaction after which nothing was restored
    Compacted,
    /// Empty the session
    Clear,
}

struct SessionFile {
    fs: OsFs,
    path: FsPath,
    no_links_in: Option<FsPath>,
}

impl SessionFile {
    fn new(setup: &Setup, file: &str) -> Result<SessionFile, Failure> {
        let no_links_in = setup.places.no_links_in(&setup.fs).cloned();
        Ok(SessionFile { fs: setup.fs.clone(), path: setup.path(file)?, no_links_in })
    }

    /// The session, and the bytes of its file; `None` if there is no file, which is a new session.
    fn read(&self) -> Result<(Session, Option<Vec<u8>>), Failure> {
        let refused = |reason: &str| self.refused(reason);
        let links = self.no_links_in.as_ref();
        let Some(text) = own_file::read(&self.fs, links, &self.path, Session::MAX_BYTES, &refused)? else {
            return Ok((Session::default(), None));
        };
        let session = Session::from_json(&text).map_err(|error| self.refused(&error.to_string()))?;
        Ok((session, Some(text.into_bytes())))
    }

    fn refused(&self, reason: &str) -> Failure {
        let file = self.fs.display(&self.path);
        Failure::error("no-session", format!("`{}` is not a session: {reason}", visible(&file)))
            .with_help("name another file; this one is not overwritten".to_owned())
    }

    /// The bytes of the file with this session.
    fn bytes(&self, session: &Session) -> Result<Vec<u8>, Failure> {
        let bytes = format!("{}\n", session.to_json()).into_bytes();
        if Session::MAX_BYTES < bytes.len() {
            let why = format!("the session `{}` is full", visible(&self.fs.display(&self.path)));
            return Err(Failure::error("session-full", why).with_help("`session FILE clear` empties it".to_owned()));
        }
        Ok(bytes)
    }

    /// Changes the session. If another process has changed the file meanwhile, the change is made again.
    fn change(&self, mut change: impl FnMut(&mut Session)) -> Result<(), Failure> {
        FileWrite::rewrite(&self.fs, || {
            let (mut session, old) = self.read()?;
            let before = session.events().len();
            change(&mut session);
            // Events are only added, or all removed.
            if session.events().len() == before {
                return Ok(None);
            }
            let mut write = FileWrite::new(self.path.clone(), self.bytes(&session)?, old);
            (write.private, write.no_links_in) = (true, self.no_links_in.clone());
            Ok::<_, Failure>(Some(write))
        })?;
        Ok(())
    }
}

/// A session that was read, and what was added to it since.
pub(crate) struct OpenSession {
    file: SessionFile,
    session: Session,
    /// How many events the file had.
    before: usize,
}

impl OpenSession {
    fn new(file: SessionFile) -> Result<OpenSession, Failure> {
        let (session, _) = file.read()?;
        Ok(OpenSession { before: session.events().len(), file, session })
    }

    /// Answers with the session, to which the answer adds what it sends. Nothing is added by an error.
    fn answer<T>(&mut self, answer: impl FnOnce(&mut Session) -> Result<T, Failure>) -> Result<T, Failure> {
        let mut after = self.session.clone();
        let answered = answer(&mut after)?;
        if self.session.events().len() < after.events().len() {
            self.file.bytes(&after)?;
        }
        self.session = after;
        Ok(answered)
    }

    /// Writes what was added. It is added to what the file has now, as other answers may have been given meanwhile.
    pub(crate) fn save(&self) -> Result<(), Failure> {
        let added = self.session.events().get(self.before..).unwrap_or_default();
        match added {
            [] => Ok(()),
            added => self.file.change(|now| added.iter().for_each(|event| now.add(event.event.clone()))),
        }
    }
}

impl Runner<'_> {
    /// Answers with the session of `--session`, or else with an empty one, which gives the answers of the functions and is not
    /// written. What the answer adds to the session is written when the answer has been printed.
    pub(crate) fn with_session<T>(
        self,
        recording: &Recording<'_>,
        answer: impl FnOnce(&mut Session) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Some(file) = &self.options.session else { return answer(&mut Session::default()) };
        let mut open = recording.session.borrow_mut();
        let session = match &mut *open {
            Some(session) => session,
            none => none.insert(OpenSession::new(SessionFile::new(recording.setup, file)?)?),
        };
        recording.note_session(&session.session);
        session.answer(answer)
    }

    pub(crate) fn session(self, ask: &SessionArgs) -> Answer {
        let setup = Setup::new(self.options)?;
        let file = SessionFile::new(&setup, &ask.file)?;
        match ask.action.unwrap_or(SessionCommand::Show) {
            SessionCommand::Show => self.shown_session(&file),
            SessionCommand::Reattach { budget, window, dry_run } => {
                self.reattached(&setup, file, ReattachRequest { budget, window }, dry_run)
            }
            SessionCommand::Compacted => {
                file.change(Session::compacted)?;
                self.shown_session(&file)
            }
            SessionCommand::Clear => {
                file.change(|session| *session = Session::default())?;
                self.shown_session(&file)
            }
        }
    }

    fn shown_session(self, file: &SessionFile) -> Answer {
        let (session, bytes) = file.read()?;
        if self.json {
            return Ok(Reply::json(&session.to_json()));
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
            None => note_line("the session does not exist yet"),
            Some(_) if rows.is_empty() => note_line("the session is empty"),
            Some(_) => String::new(),
        };
        let styles = [style::FAINT, Style::new(), style::KEY, style::FAINT];
        Ok(Reply::new(Output::Styled(table::table(&styles, None, &rows, self.screen.width))).with_stderr(&note))
    }

    fn reattached(self, setup: &Setup, file: SessionFile, ask: ReattachRequest, dry_run: bool) -> Answer {
        let catalog = self.catalog(setup);
        let mut open = OpenSession::new(file)?;
        let back = open.answer(|session| {
            let back = session.reattach(&setup.world(), &catalog, &ask);
            session.record_reattached(&back);
            Ok(back)
        })?;
        let reply = if self.json { Reply::json(&back.to_json()) } else { self.text(back.text.as_str()) };
        let reply = reply.with_stderr(&findings::unread(&setup.fs, catalog.findings())).with_stderr(&losses(&back));
        Ok(if dry_run { reply } else { reply.and_then(move || open.save()) })
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
        notes.push_str(&note_line(&format!("restored in part: {}", named(&back.shortened))));
    }
    if !back.left_out.is_empty() {
        notes.push_str(&note_line(&format!("left out to fit the budget: {}", named(&back.left_out))));
    }
    for one in &back.missing {
        notes.push_str(&note_line(&format!("`{}` is not restored: {}", visible(&one.key), visible(&one.reason))));
    }
    notes
}
