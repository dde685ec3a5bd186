//! The answer to a command, or the reason why there is none: what is printed to standard output and standard error,
//! and the exit code.
//!
//! Exact text is printed unchanged. Styled text loses its colours if the output does not support them.

use crate::hints;
use crate::output::{style, text};
use anstream::AutoStream;
use anstream::adapter::strip_str;
use clap::ColorChoice;
use skilltree::host::{HostError, WriteError};
use skilltree::{Error, Json, visible};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};

/// Size of the buffer for output that is generated line by line.
const BUFFER_BYTES: usize = 1 << 16;

/// The exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The question was answered: 0.
    Success,
    /// The answer is no, for example "not found" or "refused": 1.
    Negative,
    /// The question could not be answered: 2.
    Error,
    /// The user stopped the command: 130, as shells report Ctrl-C.
    Stopped,
    /// The exit code of a script that was run.
    Child(i32),
}

impl Exit {
    /// The exit code as a byte. Some systems have exit codes above 255; these become 1.
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

/// Calls a function with each line, including its newline.
pub(crate) type Lines = Box<dyn FnOnce(&mut dyn FnMut(&str))>;

/// Writes an answer to standard output.
pub(crate) type Writes = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()>>;

/// What is printed to standard output.
pub(crate) enum Output {
    /// Text that is printed unchanged.
    Exact(String),
    /// Bytes that are printed unchanged and may not be UTF-8.
    Bytes(Vec<u8>),
    /// Text with colours, which are removed if they are not supported.
    Styled(String),
    /// Styled lines that are generated while they are printed.
    Lines(Lines),
    /// Text that is generated while it is printed unchanged.
    Writes(Writes),
}

impl Output {
    /// The bytes that are printed unchanged; `None` if they are generated while they are printed, or are styled.
    pub(crate) fn exact(&self) -> Option<&[u8]> {
        match self {
            Output::Exact(text) => Some(text.as_bytes()),
            Output::Bytes(bytes) => Some(bytes),
            Output::Styled(_) | Output::Lines(_) | Output::Writes(_) => None,
        }
    }
}

/// Everything that a command prints, and its exit code.
pub(crate) struct Reply {
    pub(crate) out: Output,
    /// What a child process wrote to its standard error.
    pub(crate) errors: Vec<u8>,
    /// Styled text for standard error, printed after `errors`.
    pub(crate) err: String,
    pub(crate) exit: Exit,
}

/// Why there is no answer.
pub(crate) struct Failure {
    code: String,
    message: String,
    /// Advice that is not part of the message.
    help: Option<String>,
    /// Styled lines for standard error that may explain the failure.
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

    /// Sets the advice.
    pub(crate) fn with_help(self, help: String) -> Failure {
        Failure { help: Some(help), ..self }
    }

    /// Sets the lines that may explain the failure.
    pub(crate) fn with_note(self, note: String) -> Failure {
        Failure { note, ..self }
    }

    /// Turns exit code 1 into 2, for commands whose answers have exit codes of their own.
    pub(crate) fn into_error(self) -> Failure {
        Failure { exit: if self.exit == Exit::Negative { Exit::Error } else { self.exit }, ..self }
    }

    /// The message.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Replaces the message.
    pub(crate) fn with_message(self, message: String) -> Failure {
        Failure { message, ..self }
    }

    /// Adds the failure to a JSON document as `error: {code, message, help}`.
    pub(crate) fn add_to_json(&self, known: Json) -> Json {
        let error = Json::map([("code", self.code.as_str().into()), ("message", self.message.as_str().into())]);
        known.with("error", Some(error.with("help", self.help.as_deref())))
    }

    /// The exit code of this failure.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// `error: …`, and `help: …` if there is advice, for standard error.
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
    /// Refusals exit with 1; errors of the file system and of the dialect exit with 2.
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
    /// Refusals and failed commands and tools exit with 1; failures of the machine exit with 2.
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
    /// Concurrent changes and refusals exit with 1; other failures exit with 2.
    fn from(error: WriteError) -> Failure {
        let exit = match error {
            WriteError::Changed { .. } | WriteError::Symlink { .. } => Exit::Negative,
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

    /// Appends to what is printed to standard error.
    pub(crate) fn with_stderr(mut self, err: &str) -> Reply {
        self.err.push_str(err);
        self
    }

    /// Sets what a child process wrote to its standard error.
    pub(crate) fn with_child_stderr(mut self, errors: Vec<u8>) -> Reply {
        self.errors = errors;
        self
    }

    /// Sets the exit code.
    pub(crate) fn with_exit(mut self, exit: Exit) -> Reply {
        self.exit = exit;
        self
    }

    /// The help text or the usage error that clap produced instead of a command.
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
        let first = plain.split_once("\n\n").map_or(plain.as_str(), |(first, _)| first);
        let message = text::folded(first.trim_start_matches("error:")).into_owned();
        Reply { out: document(&Failure::error("usage", message).add_to_json(nothing())), ..reply }
    }

    /// Prints everything and returns the exit code. A reader that closes the pipe early has read enough: success.
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
        // There is nowhere to report that standard error is closed.
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

/// A JSON document and a newline. The library escapes all control characters in JSON.
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

/// Writes lines through a buffer and stops writing after the first error.
fn write_lines(to: impl Write, plain: bool, make: Lines) -> io::Result<()> {
    let mut to = BufWriter::with_capacity(BUFFER_BYTES, to);
    let mut written = Ok(());
    make(&mut |line| {
        // Most lines have styles only at their beginning, so only that part is searched for them.
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

/// The output of a child process: unchanged, except on a terminal, where control characters are escaped.
fn displayable(bytes: Vec<u8>, terminal: bool) -> Vec<u8> {
    if terminal { text::lines(&String::from_utf8_lossy(&bytes)).into_owned().into_bytes() } else { bytes }
}

/// The width of the terminal, if it reports one.
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

/// What standard output and standard error are connected to.
#[derive(Clone, Copy)]
pub(crate) struct Screen {
    is_terminal: bool,
    /// The width in columns; `None` if standard output is not a terminal.
    pub(crate) width: Option<usize>,
    /// Whether standard error is a terminal and standard output is not.
    pub(crate) is_only_stderr_visible: bool,
}

/// The width that is assumed for a terminal that does not report one.
const USUAL_WIDTH: usize = 80;

impl Screen {
    pub(crate) fn of_stdout() -> Screen {
        let is_terminal = io::stdout().is_terminal();
        let wanted = || std::env::var("COLUMNS").ok()?.parse().ok().filter(|width| *width > 0);
        let width = is_terminal.then(|| wanted().or_else(columns).unwrap_or(USUAL_WIDTH));
        Screen { is_terminal, width, is_only_stderr_visible: !is_terminal && io::stderr().is_terminal() }
    }

    /// Whether standard output or standard error is a terminal.
    pub(crate) fn is_output_visible(self) -> bool {
        self.is_terminal || self.is_only_stderr_visible
    }

    /// The output of a child process.
    pub(crate) fn bytes_output(self, bytes: Vec<u8>) -> Output {
        Output::Bytes(displayable(bytes, self.is_terminal))
    }

    /// Text from a file: unchanged, except on a terminal, where control characters are escaped.
    pub(crate) fn text_output(self, text: String) -> Output {
        if self.is_terminal { Output::Exact(text::lines(&text).into_owned()) } else { Output::Exact(text) }
    }
}
