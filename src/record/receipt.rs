//! What an answer was made of ([`Receipt`]), and the same answer made again ([`replay`]). A [`Recorder`] notes what is read
//! and asked while an answer is made. `receipt/question` has the questions and their answers, `receipt/json` writes and reads
//! receipts, `receipt/replay` compares.

mod json;
mod question;
mod replay;

pub use json::ReceiptError;
pub use question::{Given, Question, Request};
pub use replay::{Difference, Differing, Replay, ReplayRequest, replay};

use crate::dialect::{self, Dialect, Reading};
use crate::discovery::catalog::Catalog;
use crate::discovery::world::{Places, World};
use crate::explain::matrix::{Cell, CellState, MatrixColumn, MatrixTable};
use crate::fs::{FileRecord, FsRecord, RecordedFs};
use crate::model::given::{GivenHost, RecordedHost};
use crate::offer::list::PromptRequest;
use crate::path::FsPath;
use crate::text::digest::Digest;
use crate::text::json::{Fields, Json};
use std::sync::Arc;

/// Notes what an answer is made of, while it is made.
///
/// ```
/// use skilltree::record::{Question, Recorder, ReplayRequest, Request, replay};
/// use skilltree::{FsPath, MemFs, Places, PromptRequest, World, dialect, discover};
/// let mut fs = MemFs::new();
/// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n");
/// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
///
/// let recorder = Recorder::new(&World::new(&fs, &places, &()));
/// let catalog = discover(&recorder.world(), &dialect("agentskills").unwrap());
/// let question = Question::new(Request::Prompt(PromptRequest::default()));
/// let given = question.answer(&recorder.world(), &catalog);
/// assert!(given.text.contains("Makes tea."));
/// let receipt = recorder.receipt(&catalog, question, &given);
/// assert!(replay(&fs, &receipt, &ReplayRequest::default()).is_same());
///
/// let mut edited = MemFs::new();
/// edited.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tee.\n---\nBoil water.\n");
/// let replay = replay(&edited, &receipt, &ReplayRequest::default());
/// assert_eq!(replay.differs.unwrap().what.to_string(), "file /s/tea/SKILL.md");
/// ```
pub struct Recorder<'w> {
    fs: RecordedFs<'w>,
    host: RecordedHost<'w>,
    places: &'w Places,
    reading: Option<Reading>,
}

impl<'w> Recorder<'w> {
    /// A recorder of what is asked of this world.
    pub fn new(world: &World<'w>) -> Recorder<'w> {
        Recorder {
            fs: RecordedFs::new(world.fs),
            host: RecordedHost::new(world.host, world.places),
            places: world.places,
            reading: world.reading,
        }
    }

    /// The same world. Discovery and the answer have to be made in it.
    pub fn world(&self) -> World<'_> {
        World::new(&self.fs, self.places, &self.host).with_reading(self.reading)
    }

    /// The receipt of an answer that was made in [`Recorder::world`].
    pub fn receipt(&self, catalog: &Catalog, question: Question, given: &Given) -> Receipt {
        // What is asked from here on is about the other skills.
        let (FsRecord { files, folders }, host) = (self.fs.record(), self.host.answers());
        let is_built_in =
            dialect::dialect(&catalog.dialect().name).is_some_and(|own| same_but_for_reading(&own, catalog.dialect()));
        let absent = absent(&self.world(), catalog, &question.request, given);
        Receipt {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            question,
            dialect: RecordedDialect { dialect: Arc::clone(catalog.dialect()), is_built_in },
            places: self.places.clone(),
            host,
            files,
            folders,
            absent,
            answer: AnswerDigest::of(given),
            printed: None,
        }
    }
}

/// What an answer was made of: the question, the dialect, the places and the answers of the host, the digest of each file
/// that was read and of each folder that was listed, why other skills are absent, and the digest of the answer itself.
///
/// It has the values of the environment variables that the answer contains, and the arguments of the question, but no text
/// of a file. Paths are written as [`FsPath`] does, on every platform.
#[derive(Clone, Debug, PartialEq)]
pub struct Receipt {
    /// The version of this library that made it.
    version: String,
    question: Question,
    dialect: RecordedDialect,
    places: Places,
    host: GivenHost,
    /// In the order of their paths, as are the folders.
    files: Vec<(FsPath, FileRecord)>,
    folders: Vec<(FsPath, Digest)>,
    absent: Json,
    answer: AnswerDigest,
    /// The digest of what the host has printed, if it says so.
    printed: Option<Digest>,
}

/// A dialect, and whether it is one that is built in, but for its reading.
#[derive(Clone, Debug, PartialEq)]
struct RecordedDialect {
    dialect: Arc<Dialect>,
    is_built_in: bool,
}

/// The digest of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AnswerDigest {
    bytes: usize,
    text: Digest,
    keys: Vec<String>,
    error: Option<String>,
}

impl AnswerDigest {
    fn of(given: &Given) -> AnswerDigest {
        let text = given.text.as_bytes();
        AnswerDigest { bytes: text.len(), text: Digest::of(text), keys: given.keys.clone(), error: given.error.clone() }
    }
}

impl Receipt {
    /// How many bytes a receipt has at most as JSON. One about 10 000 skills has three to five million, and is read into
    /// several times as much memory.
    pub const MAX_BYTES: usize = 33_554_432;

    /// Adds the digest of the bytes in which the host gave the answer, such as the text with a newline or a JSON document. A
    /// replay compares the text alone, as it does not know how a host gives it.
    #[must_use]
    pub fn with_printed(mut self, bytes: &[u8]) -> Receipt {
        self.printed = Some(Digest::of(bytes));
        self
    }

    /// What was asked.
    pub fn question(&self) -> &Question {
        &self.question
    }

    /// Whether the dialect is a table in the receipt, and not one that is built in. Such a table may name any file below
    /// the places.
    pub fn has_own_dialect(&self) -> bool {
        !self.dialect.is_built_in || dialect::dialect(&self.dialect.dialect.name).is_none()
    }

    /// Where skills were searched.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// The digest of the text that was given.
    pub fn digest(&self) -> Digest {
        self.answer.text
    }

    /// What was read of each file, in the order of the paths that were asked for.
    pub fn files(&self) -> &[(FsPath, FileRecord)] {
        &self.files
    }
}

fn same_but_for_reading(a: &Dialect, b: &Dialect) -> bool {
    *a == *b || a.with_reading(b.reading) == *b
}

/// Why each skill that was seen is not in the answer, by path.
fn absent(world: &World<'_>, catalog: &Catalog, request: &Request, given: &Given) -> Json {
    let no_size = PromptRequest::default();
    let (size, is_prompt) = match request {
        Request::Prompt(size) => (size, true),
        _ => (&no_size, false),
    };
    let mut table = MatrixTable::new(1);
    table.add(world, 0, MatrixColumn::new(world, catalog, size));
    let matrix = table.matrix(world);
    let mut absent = Vec::new();
    for row in &matrix.rows {
        let Some(cell) = row.cells.first() else { continue };
        let is_listed = matches!(cell.state, CellState::InUse | CellState::NameOnly);
        let is_used = is_listed || matches!(cell.state, CellState::LeftOut | CellState::Hidden);
        let is_given = match is_prompt {
            true => is_listed && !cell.withheld,
            false => is_used && cell.key.as_ref().is_some_and(|key| given.keys.contains(key)),
        };
        if is_given {
            continue;
        }
        // Whether a skill is in the prompt says nothing about whether it can be loaded.
        let is_other = !is_prompt && is_used && cell.state != CellState::Hidden;
        absent.push(absent_row(&row.path, cell, is_other));
    }
    Json::List(absent)
}

/// A skill that is not in the answer. `is_other` says that it could have been asked for.
fn absent_row(path: &FsPath, cell: &Cell, is_other: bool) -> Json {
    let mut fields = Fields::default();
    fields.text("path", path.as_str()).some_text("key", cell.key.as_deref());
    if is_other {
        return fields.text("state", "not-asked").done();
    }
    fields
        .text("state", cell.state.as_str())
        .some_text("code", cell.code.map(|code| code.as_str()))
        .some_text("by", cell.by.as_ref().map(FsPath::as_str))
        .some_text("rule", cell.rule)
        .text("message", &cell.message)
        .done()
}
