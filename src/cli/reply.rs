//! The answer to a command, or the reason why there is none: what is printed to standard output and standard error,
//! and the exit code.
//!
//! Exact text is printed unchanged. Styled text loses its colours if the output does not support them.

use crate::hints;
use crate::output::print::{BUFFER_BYTES, displayable, wrapped, write, write_lines, write_styled};
use crate::output::{style, text};
use anstream::AutoStream;
use clap::ColorChoice;
#[cfg(feature = "processes")]
use skilltree::host::HostError;
use skilltree::host::WriteError;
use skilltree::{Error, Json, PathError, visible};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
#[cfg(not(windows))]
use std::os::fd::AsFd as Terminal;
#[cfg(windows)]
use std::os::windows::io::AsHandle as Terminal;

/// Calls a function with each line, including its newline.
pub(crate) type Lines = Box<dyn FnOnce(&mut dyn FnMut(&str))>;

/// Writes an answer to standard output.
pub(crate) type Writes = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()>>;

/// What is done when an answer is printed.
type AfterPrinting = Box<dyn FnOnce() -> Result<(), Failure>>;

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
    /// What is done when everything is printed.
    pub(crate) after: Option<AfterPrinting>,
}

/// Why there is no answer.
pub(crate) struct Failure {
    code: String,
    message: String,
    /// Advice that is not part of the message.
    help: Option<String>,
    /// Lists of the JSON document by their names: `near` are names that are spelled nearly like an unknown one, if the message does
    /// not name them, and `more` are further reasons, which the note has for standard error.
    lists: Box<[(&'static str, Vec<String>)]>,
    /// Styled lines for standard error that may explain the failure.
    note: String,
    exit: Exit,
}

impl Failure {
    pub(crate) fn error(code: &str, message: impl Into<String>) -> Failure {
        Failure {
            code: code.to_owned(),
            message: message.into(),
            help: None,
            lists: Box::default(),
            note: String::new(),
            exit: Exit::Error,
        }
    }

    pub(crate) fn negative(code: &str, message: impl Into<String>) -> Failure {
        Failure { exit: Exit::Negative, ..Failure::error(code, message) }
    }

    /// The failure for the first of several reasons, which also has the others; `None` if there is none.
    pub(crate) fn of_all(code: &str, reasons: &[String]) -> Option<Failure> {
        let (first, others) = reasons.split_first()?;
        let notes = others.iter().map(|why| Failure::negative(code, why.as_str()).to_stderr());
        Some(Failure::negative(code, first.as_str()).with_note(notes.collect()).with_more(others.to_vec()))
    }

    pub(crate) fn with_help(self, help: impl Into<Option<String>>) -> Failure {
        Failure { help: help.into(), ..self }
    }

    /// Adds reasons that the note has, too.
    pub(crate) fn with_more(self, more: Vec<String>) -> Failure {
        Failure { lists: Box::new([("more", more)]), ..self }
    }

    /// Puts lines that may explain the failure before those that it has.
    pub(crate) fn with_note(self, note: String) -> Failure {
        Failure { note: note + &self.note, ..self }
    }

    /// Turns exit code 1 into 2, for commands whose answers have exit codes of their own.
    pub(crate) fn into_error(self) -> Failure {
        Failure { exit: if self.exit == Exit::Negative { Exit::Error } else { self.exit }, ..self }
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn with_message(self, message: String) -> Failure {
        Failure { message, ..self }
    }

    /// Adds the failure to a JSON document as `error: {code, message, help, near, more}`.
    pub(crate) fn add_to_json(&self, known: Json) -> Json {
        let error = Json::map([("code", self.code.as_str().into()), ("message", self.message.as_str().into())]);
        let mut error = error.with("help", self.help.as_deref());
        for (name, list) in self.lists.iter().filter(|(_, list)| !list.is_empty()) {
            error = error.with(name, Some(list.as_slice()));
        }
        known.with("error", Some(error))
    }

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
        let out = if json { document(&self.add_to_json(Json::Map(Vec::new()))) } else { Output::Exact(String::new()) };
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
        let (help, near) = (hints::near_names(error.near()), error.near().to_vec());
        Failure {
            help,
            lists: Box::new([("near", near)]),
            exit,
            ..Failure::error(error.code(), hints::error_message(&error))
        }
    }
}

impl From<PathError> for Failure {
    fn from(error: PathError) -> Failure {
        Failure::error("bad-path", error.to_string())
    }
}

#[cfg(feature = "processes")]
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
        Failure { exit, ..Failure::error(error.code(), error.to_string()) }
    }
}

impl Reply {
    pub(crate) fn new(out: Output) -> Reply {
        Reply { out, errors: Vec::new(), err: String::new(), exit: Exit::Success, after: None }
    }

    pub(crate) fn json(json: &Json) -> Reply {
        Reply::new(document(json))
    }

    /// Appends to what is printed to standard error.
    pub(crate) fn with_stderr(mut self, err: &str) -> Reply {
        self.err.push_str(err);
        self
    }

    #[allow(dead_code, reason = "for programs that start processes")]
    pub(crate) fn with_child_stderr(mut self, errors: Vec<u8>) -> Reply {
        self.errors = errors;
        self
    }

    /// Sets what is done when everything is printed; its failure is the failure of the command.
    pub(crate) fn and_then(mut self, after: impl FnOnce() -> Result<(), Failure> + 'static) -> Reply {
        self.after = Some(Box::new(after));
        self
    }

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
        // Such as an option that is spelled similarly.
        let tips: Vec<&str> = plain.lines().filter_map(|line| line.trim_start().strip_prefix("tip: ")).collect();
        let failure = Failure::error("usage", message).with_help(Some(tips.join("; ")).filter(|tips| !tips.is_empty()));
        Reply { out: document(&failure.add_to_json(Json::Map(Vec::new()))), ..reply }
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
            Output::Styled(text) => write_styled(AutoStream::new(io::stdout().lock(), color), &text),
        };
        // There is nowhere to report that standard error is closed.
        let _ = write(&mut io::stderr().lock(), &displayable(self.errors, io::stderr().is_terminal()));
        let err = columns(io::stderr()).map_or_else(|| self.err.clone(), |columns| wrapped(&self.err, columns));
        let _ = write_styled(AutoStream::new(io::stderr().lock(), color), &err);
        match written {
            Ok(()) => match self.after.map_or(Ok(()), |after| after()) {
                Ok(()) => self.exit,
                Err(failure) => {
                    let _ = write_styled(AutoStream::new(io::stderr().lock(), color), &failure.to_stderr());
                    failure.exit()
                }
            },
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

/// The width of the terminal that an output is connected to; `None` if it is none.
fn columns(output: impl IsTerminal + Terminal) -> Option<usize> {
    let wanted = || std::env::var("COLUMNS").ok()?.parse().ok().filter(|width| *width > 0);
    output.is_terminal().then(|| wanted().or_else(|| reported(output)).unwrap_or(USUAL_WIDTH))
}

/// The width that a terminal reports.
#[cfg(unix)]
fn reported(terminal: impl Terminal) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(terminal).ok()?;
    (size.ws_col > 0).then_some(usize::from(size.ws_col))
}

#[cfg(windows)]
fn reported(terminal: impl Terminal) -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(terminal)?;
    Some(usize::from(width.0))
}

#[cfg(not(any(unix, windows)))]
fn reported(_: impl Terminal) -> Option<usize> {
    None
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
        Screen {
            is_terminal,
            width: columns(io::stdout()),
            is_only_stderr_visible: !is_terminal && io::stderr().is_terminal(),
        }
    }

    /// Whether standard output or standard error is a terminal.
    pub(crate) fn is_on_terminal(self) -> bool {
        self.is_terminal || self.is_only_stderr_visible
    }

    /// Messages with colours, broken between words on a terminal.
    pub(crate) fn messages_output(self, text: String) -> Output {
        Output::Styled(match self.width {
            Some(columns) => wrapped(&text, columns),
            None => text,
        })
    }

    #[allow(dead_code, reason = "for programs that start processes")]
    pub(crate) fn bytes_output(self, bytes: Vec<u8>) -> Output {
        Output::Bytes(displayable(bytes, self.is_terminal))
    }

    /// Text from a file: unchanged, except on a terminal, where control characters are escaped.
    pub(crate) fn text_output(self, text: String) -> Output {
        if self.is_terminal { Output::Exact(text::lines(&text).into_owned()) } else { Output::Exact(text) }
    }
}

/// The exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "for programs that start processes")]
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
