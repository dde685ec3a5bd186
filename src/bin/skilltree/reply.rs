//! In: an answer, or the reason why there is none. Out: bytes on the two outputs, and the exit code.
//! Exact text goes out to the byte; styled text loses its colours where they are not wanted.
//! Absent: what an answer says.

use crate::hints;
use crate::output::{style, text};
use anstream::AutoStream;
use anstream::adapter::strip_str;
use clap::ColorChoice;
use skilltree::host::{HostError, WriteError};
use skilltree::{Error, Json, visible};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};

/// How much is held back while lines are written.
const BUFFER_BYTES: usize = 1 << 16;

/// The exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// There is an answer.
    Success,
    /// The answer is no.
    Negative,
    /// There is no answer.
    Error,
    /// It was told to stop, as shells say it of Ctrl-C.
    Stopped,
    /// What was run exited with this.
    Child(i32),
}

impl Exit {
    /// A system may have more codes than fit: what does not is a no.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Success => 0,
            Exit::Negative => 1,
            Exit::Error => 2,
            Exit::Stopped => 130,
            Exit::Child(code) => u8::try_from(code).unwrap_or(1),
        }
    }
}

/// Gives a function lines, each with its newline.
pub(crate) type Lines = Box<dyn FnOnce(&mut dyn FnMut(&str))>;

/// Writes an answer.
pub(crate) type Writes = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()>>;

/// What standard output gets.
pub(crate) enum Output {
    /// To the byte.
    Exact(String),
    /// To the byte, and perhaps no text.
    Bytes(Vec<u8>),
    /// With colours, where they are wanted.
    Styled(String),
    /// The same, made while it is written.
    Lines(Lines),
    /// To the byte, made while it is written.
    Writes(Writes),
}

/// Everything that one command says.
pub(crate) struct Reply {
    pub(crate) out: Output,
    /// What something that was run said to its standard error.
    pub(crate) errors: Vec<u8>,
    /// Styled text for standard error, after that.
    pub(crate) err: String,
    pub(crate) exit: Exit,
}

/// Why there is no answer.
pub(crate) struct Failure {
    code: String,
    message: String,
    /// What to do about it, where the message does not say.
    help: Option<String>,
    /// Styled lines about what may have to do with it.
    note: String,
    exit: Exit,
}

impl Failure {
    pub(crate) fn error(code: &str, message: impl Into<String>) -> Failure {
        Failure { code: code.to_owned(), message: message.into(), help: None, note: String::new(), exit: Exit::Error }
    }

    pub(crate) fn negative(code: &str, message: impl Into<String>) -> Failure {
        Failure {
            code: code.to_owned(),
            message: message.into(),
            help: None,
            note: String::new(),
            exit: Exit::Negative,
        }
    }

    /// The same with what to do about it.
    pub(crate) fn with_help(self, help: String) -> Failure {
        Failure { help: Some(help), ..self }
    }

    /// The same with more lines for standard error.
    pub(crate) fn with_note(self, note: String) -> Failure {
        Failure { note, ..self }
    }

    /// The same where an answer has exit codes of its own, which a no would be taken for: there is no answer.
    pub(crate) fn into_error(self) -> Failure {
        Failure { exit: if self.exit == Exit::Negative { Exit::Error } else { self.exit }, ..self }
    }

    /// The same in other words.
    pub(crate) fn with_message(self, message: String) -> Failure {
        Failure { message, ..self }
    }

    /// Adds itself to what is known, as `error: {code, message, help}`.
    pub(crate) fn add_to_json(&self, known: Json) -> Json {
        let error = Json::map([("code", self.code.as_str().into()), ("message", self.message.as_str().into())]);
        known.with("error", Some(error.with("help", self.help.as_deref())))
    }

    /// The exit code that says it.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// `error: …`, and `help: …` where there is any, for standard error.
    pub(crate) fn to_stderr(&self) -> String {
        let (on, off) = (style::ERROR.render(), style::ERROR.render_reset());
        let help = self.help.as_ref().map_or_else(String::new, |help| format!("help: {}\n", visible(help)));
        format!("{on}error{off}: {}\n{help}{}", visible(&self.message), self.note)
    }

    pub(crate) fn reply(&self, json: bool) -> Reply {
        let out = if json { document(&self.add_to_json(nothing())) } else { Output::Exact(String::new()) };
        Reply { exit: self.exit, ..Reply::new(out).with_stderr(&self.to_stderr()) }
    }
}

impl From<Error> for Failure {
    /// A refusal is a no; a file system or a dialect without an answer is none.
    fn from(error: Error) -> Failure {
        let exit = match error {
            Error::Fs(_) | Error::NotInDialect { .. } | Error::NoStore { .. } | Error::ActivationOverlap { .. } => {
                Exit::Error
            }
            _ => Exit::Negative,
        };
        Failure {
            code: error.code().to_owned(),
            message: hints::error_message(&error),
            help: None,
            note: String::new(),
            exit,
        }
    }
}

impl From<HostError> for Failure {
    /// What the engine refuses is as it says, what a tool does not do is a no; what the machine would not do is no
    /// answer.
    fn from(error: HostError) -> Failure {
        match error {
            HostError::Refused(error) => error.into(),
            HostError::Stopped => Failure { exit: Exit::Stopped, ..Failure::negative(error.code(), error.to_string()) },
            HostError::CommandFailed { .. }
            | HostError::TimedOut { .. }
            | HostError::ToolUnknown { .. }
            | HostError::ToolArguments { .. }
            | HostError::ToolFailed { .. }
            | HostError::ToolsetFailed { .. } => Failure::negative(error.code(), error.to_string()),
            error => Failure::error(error.code(), error.to_string()),
        }
    }
}

impl From<WriteError> for Failure {
    /// What has changed meanwhile is a no, and so is what is refused.
    fn from(error: WriteError) -> Failure {
        let exit = match error {
            WriteError::Changed { .. } | WriteError::Link { .. } => Exit::Negative,
            _ => Exit::Error,
        };
        Failure { code: error.code().to_owned(), message: error.to_string(), help: None, note: String::new(), exit }
    }
}

impl Reply {
    pub(crate) fn new(out: Output) -> Reply {
        Reply { out, errors: Vec::new(), err: String::new(), exit: Exit::Success }
    }

    pub(crate) fn json(json: &Json) -> Reply {
        Reply::new(document(json))
    }

    /// The same with more for standard error.
    pub(crate) fn with_stderr(mut self, err: &str) -> Reply {
        self.err.push_str(err);
        self
    }

    /// The same with what something that was run said to its standard error.
    pub(crate) fn with_child_stderr(mut self, errors: Vec<u8>) -> Reply {
        self.errors = errors;
        self
    }

    /// The same with an exit code.
    pub(crate) fn with_exit(mut self, exit: Exit) -> Reply {
        self.exit = exit;
        self
    }

    /// What clap says instead of a command: help, or what is wrong with the words.
    pub(crate) fn from_usage(error: &clap::Error, json: bool) -> Reply {
        let shown = error.render().ansi().to_string();
        if !error.use_stderr() {
            return Reply::new(Output::Styled(shown));
        }
        let reply = Reply::new(Output::Exact(String::new())).with_stderr(&shown).with_exit(Exit::Error);
        if !json {
            return reply;
        }
        let plain = error.render().to_string();
        let first = plain.split("\n\n").next().unwrap_or_default();
        let message = text::folded(first.trim_start_matches("error:")).into_owned();
        Reply { out: document(&Failure::error("usage", message).add_to_json(nothing())), ..reply }
    }

    /// Writes both outputs and gives the exit code. Who closes a pipe early has read enough: success.
    pub(crate) fn send(self, color: ColorChoice) -> Exit {
        let color = match color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Always => anstream::ColorChoice::Always,
            ColorChoice::Never => anstream::ColorChoice::Never,
        };
        let written = match self.out {
            Output::Exact(text) => write(&mut io::stdout().lock(), text.as_bytes()),
            Output::Bytes(bytes) => write(&mut io::stdout().lock(), &bytes),
            Output::Writes(make) => {
                let mut to = BufWriter::with_capacity(BUFFER_BYTES, io::stdout().lock());
                make(&mut to).and_then(|()| to.flush())
            }
            Output::Lines(make) => {
                let mut to = AutoStream::new(io::stdout().lock(), color);
                match to.current_choice() {
                    anstream::ColorChoice::Never => write_lines(to.into_inner(), true, make),
                    _ => write_lines(&mut to, false, make),
                }
            }
            Output::Styled(text) => write(&mut AutoStream::new(io::stdout().lock(), color), text.as_bytes()),
        };
        // Nobody is left to tell when standard error is closed.
        let _ = write(&mut io::stderr().lock(), &displayable(self.errors, io::stderr().is_terminal()));
        let _ = write(&mut AutoStream::new(io::stderr().lock(), color), self.err.as_bytes());
        match written {
            Ok(()) => self.exit,
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Exit::Success,
            Err(error) => {
                let _ = writeln!(io::stderr(), "error: standard output: {error}");
                Exit::Error
            }
        }
    }
}

/// A JSON document and its newline. The library's JSON has everything escaped that a terminal could obey.
pub(crate) fn document(json: &Json) -> Output {
    Output::Exact(format!("{json:#}\n"))
}

fn nothing() -> Json {
    Json::Map(Vec::new())
}

fn write(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(bytes)?;
    to.flush()
}

/// Writes many lines at a time, and none after the first that could not be written.
fn write_lines(to: impl Write, plain: bool, make: Lines) -> io::Result<()> {
    let mut to = BufWriter::with_capacity(BUFFER_BYTES, to);
    let mut written = Ok(());
    make(&mut |line| {
        // Styles stand at the beginning of most lines, and the text after them has none to look for.
        let styled = match line.rfind('\u{1b}') {
            _ if !plain => 0,
            None => 0,
            Some(last) => line.get(last..).and_then(|style| style.find('m')).map_or(line.len(), |end| last + end + 1),
        };
        let (styled, rest) = line.split_at(styled);
        if written.is_ok() {
            written = strip_str(styled).try_for_each(|text| to.write_all(text.as_bytes()));
        }
        if written.is_ok() {
            written = to.write_all(rest.as_bytes());
        }
    });
    written.and_then(|()| to.flush())
}

/// What something printed: to the byte, but on a terminal as text that it does not obey and that hides nothing.
fn displayable(bytes: Vec<u8>, terminal: bool) -> Vec<u8> {
    if terminal { text::lines(&String::from_utf8_lossy(&bytes)).into_owned().into_bytes() } else { bytes }
}

/// How wide the terminal is, if it says so.
#[cfg(unix)]
fn columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    (size.ws_col > 0).then_some(usize::from(size.ws_col))
}

#[cfg(not(unix))]
fn columns() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(usize::from(width.0))
}

/// What standard output is.
#[derive(Clone, Copy)]
pub(crate) struct Screen {
    is_terminal: bool,
    /// Its width in columns; none for what is no terminal.
    pub(crate) width: Option<usize>,
    /// Whether somebody sees standard error and not standard output.
    pub(crate) is_only_stderr_visible: bool,
}

/// What a terminal is taken for that does not know its width.
const USUAL_WIDTH: usize = 80;

impl Screen {
    pub(crate) fn of_stdout() -> Screen {
        let is_terminal = io::stdout().is_terminal();
        let wanted = || std::env::var("COLUMNS").ok()?.parse().ok().filter(|width| *width > 0);
        let width = is_terminal.then(|| wanted().or_else(columns).unwrap_or(USUAL_WIDTH));
        Screen { is_terminal, width, is_only_stderr_visible: !is_terminal && io::stderr().is_terminal() }
    }

    /// Whether somebody sees one of the two outputs.
    pub(crate) fn is_output_visible(self) -> bool {
        self.is_terminal || self.is_only_stderr_visible
    }

    /// What something printed.
    pub(crate) fn bytes_output(self, bytes: Vec<u8>) -> Output {
        Output::Bytes(displayable(bytes, self.is_terminal))
    }

    /// A text from a file: to the byte, but on a terminal as one that it does not obey and that hides nothing.
    pub(crate) fn text_output(self, text: String) -> Output {
        if self.is_terminal { Output::Exact(text::lines(&text).into_owned()) } else { Output::Exact(text) }
    }
}
