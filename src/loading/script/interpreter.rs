//! Chooses the [`Interpreter`] of a script: by its `#!` line, otherwise by its file extension, otherwise it is a binary
//! program if its first bytes say so. Whether the machine has the interpreter is not checked here.

use super::language::Language;
use crate::discovery::world::World;
use crate::model::error::Error;
use crate::path::FsPath;
use crate::text::escape::visible;

/// The most bytes of a `#!` line. Operating systems allow 127 to 511.
const MAX_LINE_BYTES: u64 = 1_024;

/// The first bytes of binary programs: ELF, PE, and Mach-O in both byte orders and for several architectures.
const PROGRAMS: &[&[u8]] = &[
    b"\x7fELF",
    b"MZ",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
];

/// What runs a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Interpreter {
    /// The file is a program itself.
    Itself,
    /// The program of its `#!` line.
    Line {
        /// An absolute path, or a name that is looked up in PATH.
        program: String,
        /// The arguments before the file.
        arguments: Vec<String>,
    },
    /// A program of the machine that runs this language.
    Language(Language),
}

/// What runs the file `rel` below `dir`, of the script `name`.
pub(super) fn interpreter(world: &World<'_>, dir: &FsPath, rel: &str, name: &str) -> Result<Interpreter, Error> {
    let head = world.fs.read_within(dir, rel, MAX_LINE_BYTES)?;
    let bytes = head.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head.bytes);
    let no = |reason: &'static str| Error::NoInterpreter { name: visible(name).into_owned(), reason };
    if let Some(rest) = bytes.strip_prefix(b"#!") {
        let end = rest.iter().position(|byte| *byte == b'\n');
        if end.is_none() && (head.bytes.len() as u64) < head.len {
            return Err(no("its `#!` line is longer than 1,024 bytes"));
        }
        let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let line = std::str::from_utf8(line).map_err(|_| no("its `#!` line is not UTF-8"))?;
        return line_interpreter(line.trim()).map_err(no);
    }
    // The runtimes use the real name of the file.
    match Language::of(rel).or_else(|| Language::of(name)) {
        Some(language) => Ok(Interpreter::Language(language)),
        None if PROGRAMS.iter().any(|magic| head.bytes.starts_with(magic)) => Ok(Interpreter::Itself),
        None => Err(no("it has no `#!` line, no known file extension, and is not a binary program")),
    }
}

/// The interpreter in a `#!` line: a program, and the rest of the line as one argument, as on Linux. A program after `env` is
/// looked up here instead, so that an error can name it. Options and assignments of `env` are left to `env`.
fn line_interpreter(line: &str) -> Result<Interpreter, &'static str> {
    let (program, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let rest = rest.trim();
    if program.is_empty() {
        return Err("its `#!` line does not name a program");
    }
    if !program.starts_with('/') {
        return Err("its `#!` line does not name the program by its full path");
    }
    if program.ends_with("/env") {
        let rest = rest.strip_prefix("-S").unwrap_or(rest);
        let mut words = rest.split_whitespace().map(str::to_owned);
        match words.next() {
            None => return Err("its `#!` line does not name a program"),
            Some(word)
                if !rest.contains(['\'', '"', '\\', '$', '#']) && !word.starts_with('-') && !word.contains('=') =>
            {
                return Ok(Interpreter::Line { program: word, arguments: words.collect() });
            }
            Some(_) => {}
        }
    }
    let arguments = if rest.is_empty() { Vec::new() } else { vec![rest.to_owned()] };
    Ok(Interpreter::Line { program: program.to_owned(), arguments })
}
