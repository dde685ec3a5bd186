//! In: a script's file. Out: [`Interpreter`], what runs it: what its `#!` line names, else what its name ends in,
//! else it is a program by its own bytes. Absent: whether the machine has it.

use super::language::Language;
use crate::model::error::Error;
use crate::model::world::World;
use crate::path::FsPath;
use crate::text::escape::visible;

/// How many bytes a `#!` line may have. Systems take 127 to 511.
const MAX_LINE_BYTES: u64 = 1_024;

/// How programs of the usual systems begin: ELF, PE, and Mach-O in both byte orders, for one machine or several.
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
    /// What its first line names.
    Line {
        /// An absolute path, or a name that is looked up in PATH.
        program: String,
        /// The words before the file.
        arguments: Vec<String>,
    },
    /// Whatever runs this language on the machine.
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
    // The runtimes go by the name that the file has in truth.
    match Language::of(rel).or_else(|| Language::of(name)) {
        Some(language) => Ok(Interpreter::Language(language)),
        None if PROGRAMS.iter().any(|magic| head.bytes.starts_with(magic)) => Ok(Interpreter::Itself),
        None => Err(no("it has no `#!` line, no known file extension, and is not a binary program")),
    }
}

/// What a line `#!…` names: a program, and the rest as one argument, as Linux reads it. What `env` would look up is
/// looked up by us, so that a missing one can be named; its options and assignments are left to it.
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
