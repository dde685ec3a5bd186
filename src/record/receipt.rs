//! What an answer was made of ([`Receipt`]), and the same answer made again ([`Receipt::replay`], topic 30 of the rules). A
//! [`Recorder`] notes what is read and asked while an answer is made.

use crate::author::matrix::{CellState, MatrixCell, MatrixColumn, MatrixTable};
use crate::diagnostic::Diagnostic;
use crate::dialect::file::first_difference;
use crate::dialect::{self, Dialect, Reading};
use crate::discovery::catalog::{Catalog, discover};
use crate::discovery::given::{Arguments, Refusal, parse_path};
use crate::discovery::given::{GivenHost, RecordedHost, places_json};
use crate::discovery::world::{Places, World};
use crate::fs::{FileRecord, Fs, FsRecord, RecordedFs};
use crate::loading::invoke::Invocation;
use crate::loading::load::{LoadRequest, Loaded};
use crate::model::error::Error;
use crate::model::skill::{Caller, Permission};
use crate::offer::commands::commands;
use crate::offer::list::prompt;
use crate::offer::list::{PromptRequest, Query};
use crate::path::FsPath;
use crate::record::session::Session;
use crate::text::digest::Digest;
use crate::text::json::{Fields, Json, JsonError};
use crate::text::list::quoted;
use crate::text::order::sort_by;
use std::fmt;
use std::sync::Arc;

/// Notes what an answer is made of, while it is made.
///
/// ```
/// use skilltree::record::{Question, Recorder, ReplayRequest, RecordedRequest};
/// use skilltree::{FsPath, MemFs, Places, PromptRequest, World, dialect, discover};
/// let mut fs = MemFs::new();
/// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n");
/// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
///
/// let recorder = Recorder::new(&World::new(&fs, &places, &()));
/// let catalog = discover(&recorder.world(), &dialect("agentskills").unwrap());
/// let question = Question::new(RecordedRequest::Prompt(PromptRequest::default()));
/// let given = question.answer(&recorder.world(), &catalog);
/// assert!(given.text.contains("Makes tea."));
/// let receipt = recorder.receipt(&catalog, question, &given);
/// assert!(receipt.replay(&fs, &ReplayRequest::default()).is_same());
///
/// let mut edited = MemFs::new();
/// edited.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tee.\n---\nBoil water.\n");
/// let replay = receipt.replay(&edited, &ReplayRequest::default());
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
    pub fn receipt(&self, catalog: &Catalog, question: Question, given: &RecordedAnswer) -> Receipt {
        // What is asked from here on is about the other skills.
        let (FsRecord { files, folders }, host) = (self.fs.record(), self.host.answers());
        let dialect = Arc::clone(catalog.dialect());
        let is_built_in = dialect::dialect(&dialect.name)
            .is_some_and(|own| own == dialect || own.with_reading(dialect.reading) == *dialect);
        let absent = absent(&self.world(), catalog, &question.request, given);
        Receipt {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            question,
            dialect,
            is_built_in,
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
    dialect: Arc<Dialect>,
    /// Whether the dialect is one that is built in, but for its reading.
    is_built_in: bool,
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

#[derive(Clone, Debug, PartialEq, Eq)]
struct AnswerDigest {
    bytes: usize,
    text: Digest,
    keys: Vec<String>,
    error: Option<String>,
}

impl AnswerDigest {
    fn of(given: &RecordedAnswer) -> AnswerDigest {
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
        !self.is_built_in || dialect::dialect(&self.dialect.name).is_none()
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

/// Why each skill that was seen is not in the answer, by path.
fn absent(world: &World<'_>, catalog: &Catalog, request: &RecordedRequest, given: &RecordedAnswer) -> Json {
    let no_size = PromptRequest::default();
    let (size, is_prompt) = match request {
        RecordedRequest::Prompt(size) => (size, true),
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
fn absent_row(path: &FsPath, cell: &MatrixCell, is_other: bool) -> Json {
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

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordedRequest {
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
    pub request: RecordedRequest,
    /// The session before the answer. [`Session::texts_in_context`] is enough of it.
    pub session: Option<Session>,
    /// The outputs of the commands that the skill needs to run first, if they have been run. They are taken as they are.
    pub outputs: Vec<String>,
}

/// An answer as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordedAnswer {
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
    pub fn new(request: RecordedRequest) -> Question {
        Question { request, session: None, outputs: Vec::new() }
    }

    /// The answer. An error is an answer, too.
    pub fn answer(&self, world: &World<'_>, catalog: &Catalog) -> RecordedAnswer {
        // One that has nothing gives the answers of the functions.
        let mut session = self.session.clone().unwrap_or_default();
        let given = match &self.request {
            RecordedRequest::Prompt(ask) => Ok(RecordedAnswer::text(prompt(world, catalog, ask).text)),
            RecordedRequest::Load { key, caller, args, already_loaded } => {
                let ask = LoadRequest {
                    asked: Some(key.clone()),
                    args: args.clone(),
                    already_loaded: already_loaded.clone(),
                    ..LoadRequest::new(*caller)
                };
                load_asked(world, catalog, key, &ask, &mut session).map(|loaded| RecordedAnswer::loaded(&loaded))
            }
            RecordedRequest::Call { arguments } => {
                let called = session.call(world, catalog, arguments);
                called.map(|called| self.invoked(world, catalog, &mut session, called))
            }
            RecordedRequest::Invoke { line, reserved } => {
                let commands = commands(catalog, reserved);
                let invoked = session.invoke(world, catalog, &commands, line);
                invoked.map(|invoked| match invoked {
                    Some(invoked) => self.invoked(world, catalog, &mut session, invoked),
                    None => RecordedAnswer::text(line.clone()),
                })
            }
        };
        given.unwrap_or_else(|error| RecordedAnswer::error(&error))
    }

    /// What an invocation gives after the commands that were run for it.
    fn invoked(
        &self,
        world: &World<'_>,
        catalog: &Catalog,
        session: &mut Session,
        invocation: Invocation,
    ) -> RecordedAnswer {
        match invocation {
            Invocation::Pending(pending) if !self.outputs.is_empty() => {
                let next = pending.clone().resume(&self.outputs);
                RecordedAnswer::invocation(&session.resumed(world, catalog, &pending, next))
            }
            invocation => RecordedAnswer::invocation(&invocation),
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
            return catalog.load_file(world, key, ask.caller)?.ok_or(error);
        }
        skill => skill?,
    };
    session.load(world, catalog, skill, ask)
}

impl RecordedAnswer {
    /// A text that is of no skill.
    pub fn text(text: String) -> RecordedAnswer {
        RecordedAnswer { text, ..RecordedAnswer::default() }
    }

    /// The text of a skill.
    pub fn loaded(loaded: &Loaded) -> RecordedAnswer {
        RecordedAnswer { text: loaded.text.clone(), keys: vec![loaded.key.clone()], error: None }
    }

    /// The message, the task, or the commands to run first, each on a line.
    pub fn invocation(invocation: &Invocation) -> RecordedAnswer {
        let (text, key, also) = match invocation {
            Invocation::Inline(message) => (message.text.clone(), &message.key, message.also.as_slice()),
            Invocation::Fork(fork) => (fork.text.clone(), &fork.key, &[][..]),
            Invocation::Pending(pending) => (pending.commands.join("\n"), &pending.key, &[][..]),
        };
        RecordedAnswer { text, keys: [std::slice::from_ref(key), also].concat(), error: None }
    }

    /// The message and the code of an error.
    pub fn error(error: &Error) -> RecordedAnswer {
        RecordedAnswer { text: error.to_string(), keys: Vec::new(), error: Some(error.code().to_owned()) }
    }
}

const VERSION: usize = 1;

const FIELDS: &[&str] = &[
    "absent", "answer", "asked", "dialect", "files", "folders", "host", "outputs", "places", "receipt", "session",
    "version",
];

/// Why a text is not a receipt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReceiptError {
    /// It is not JSON.
    #[error("it is not JSON: {0}")]
    Json(#[from] JsonError),
    /// It is larger than [`Receipt::MAX_BYTES`].
    #[error("expected a receipt of at most {} bytes, got {bytes}", Receipt::MAX_BYTES)]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// It is JSON of another form.
    #[error("{0}")]
    Form(String),
}

impl From<Box<Refusal>> for ReceiptError {
    fn from(refusal: Box<Refusal>) -> ReceiptError {
        ReceiptError::Form(refusal.to_string())
    }
}

impl Receipt {
    /// The receipt as JSON, with these fields:
    ///
    /// - `receipt`: 1, the version of the form; `version`: that of this library.
    /// - `asked`: `command`, one of `prompt`, `load`, `call` and `invoke`, with what was asked.
    /// - `dialect`: its `name`, the `digest` of its table, the `table` as a dialect file, and whether it is `built_in`.
    /// - `places` and `host`: where skills were searched, and what the host had answered.
    /// - `session`: the texts that the conversation had; `outputs`: those of the commands that were run.
    /// - `files`: for each path that was read `{bytes, digest}`, where `bytes` says how many were read from the beginning, or
    ///   `{failed}` with the reason. `folders`: for each path the digest of its listing.
    /// - `absent`: `{path, key, state, code, by, rule, message}` for each skill that is not in the answer. `state` is
    ///   `skipped`, `shadowed`, `hidden`, `left-out` or, if another skill was asked for, `not-asked`.
    /// - `answer`: the `digest` of the text and its length in `bytes`; `printed`, the digest of what the host printed, which
    ///   has a newline besides or is a JSON document ([`Receipt::with_printed`]); the `keys` of the skills; and the code of
    ///   the `error`, if it is one.
    pub fn to_json(&self) -> Json {
        let table = self.dialect.to_yaml();
        let dialect = Fields::default()
            .text("name", &self.dialect.name)
            .text("digest", &Digest::of(table.as_bytes()).to_string())
            .flag("built_in", self.is_built_in)
            .text("table", &table)
            .done();
        let folder = |(path, digest): &(FsPath, Digest)| (path.to_string(), Json::from(digest.to_string()));
        Fields::default()
            .number("receipt", VERSION)
            .text("version", &self.version)
            .put("answer", self.answer.to_json().with("printed", self.printed.map(|digest| digest.to_string())))
            .put("asked", self.question.request.to_json())
            .put("places", places_json(&self.places))
            .put("host", self.host.to_json())
            .some("session", self.question.session.as_ref().map(Session::to_json))
            .filled("outputs", &self.question.outputs)
            .put("dialect", dialect)
            .put("files", Json::map(self.files.iter().map(|(path, file)| (path.to_string(), file_json(file)))))
            .put("folders", Json::map(self.folders.iter().map(folder)))
            .put("absent", self.absent.clone())
            .done()
    }

    /// Reads what [`Receipt::to_json`] has written.
    ///
    /// ```
    /// use skilltree::record::Receipt;
    /// let error = Receipt::from_json(r#"{"receipt": 2}"#).unwrap_err();
    /// assert_eq!(error.to_string(), "expected a receipt of the form 1");
    /// ```
    ///
    /// # Errors
    /// [`ReceiptError`] for a text that is too large, that is not JSON, or that has another form.
    pub fn from_json(text: &str) -> Result<Receipt, ReceiptError> {
        if Receipt::MAX_BYTES < text.len() {
            return Err(ReceiptError::TooLarge { bytes: text.len() });
        }
        Receipt::from_value(&Json::parse(text)?)
    }

    /// Like [`Receipt::from_json`], for JSON that has been parsed.
    ///
    /// # Errors
    /// [`ReceiptError::Form`] for JSON of another form.
    pub fn from_value(json: &Json) -> Result<Receipt, ReceiptError> {
        if json.get("receipt") != Some(&Json::from(VERSION)) {
            return Err(ReceiptError::Form(format!("expected a receipt of the form {VERSION}")));
        }
        let fields = Arguments::new("receipt", json, FIELDS)?;
        let places = GivenHost::read_places(&fields)?;
        let session = fields.value("session").map(Session::from_value).transpose();
        let session = session.map_err(|error| ReceiptError::Form(format!("the `session`: {error}")))?;
        let (answer, printed) = read_answer(&fields)?;
        let version = fields.required_text("version")?.to_owned();
        let question = Question { request: read_request(&fields)?, session, outputs: fields.texts("outputs")? };
        let (dialect, is_built_in) = read_dialect(&fields)?;
        Ok(Receipt {
            version,
            question,
            dialect,
            is_built_in,
            host: GivenHost::read(&fields, &places)?,
            places,
            files: read_by_path(&fields, "files", read_file)?,
            folders: read_by_path(&fields, "folders", |_, digest| {
                digest.as_text().and_then(Digest::parse).ok_or_else(|| not_a_digest("folders"))
            })?,
            absent: Json::List(fields.list("absent")?.to_vec()),
            answer,
            printed,
        })
    }
}

impl AnswerDigest {
    fn to_json(&self) -> Json {
        Fields::default()
            .text("digest", &self.text.to_string())
            .number("bytes", self.bytes)
            .filled("keys", &self.keys)
            .some_text("error", self.error.as_deref())
            .done()
    }
}

impl RecordedRequest {
    fn to_json(&self) -> Json {
        let mut fields = Fields::default();
        match self {
            RecordedRequest::Prompt(PromptRequest { budget, window, query }) => fields
                .text("command", "prompt")
                .some("budget", budget.map(Json::from))
                .some("window", window.map(Json::from))
                .some_text("query", query.as_ref().map(Query::as_str)),
            RecordedRequest::Load { key, caller, args, already_loaded } => fields
                .text("command", "load")
                .text("key", key)
                .text("as", caller.as_str())
                .text("args", args)
                .filled("already", already_loaded),
            RecordedRequest::Call { arguments } => fields.text("command", "call").text("arguments", arguments),
            RecordedRequest::Invoke { line, reserved } => {
                fields.text("command", "invoke").text("line", line).filled("reserved", reserved)
            }
        }
        .done()
    }
}

fn file_json(file: &FileRecord) -> Json {
    match file {
        FileRecord::Read { bytes, digest } => {
            Fields::default().text("digest", &digest.to_string()).number("bytes", *bytes).done()
        }
        FileRecord::Failed(reason) => Fields::default().text("failed", reason).done(),
    }
}

fn read_request(receipt: &Arguments<'_>) -> Result<RecordedRequest, Box<Refusal>> {
    const COMMANDS: &[&str] = &["prompt", "load", "call", "invoke"];
    let known =
        &["already", "args", "arguments", "as", "budget", "command", "key", "line", "query", "reserved", "window"];
    let asked = receipt.object("asked", known)?;
    Ok(match asked.required_text("command")? {
        "prompt" => RecordedRequest::Prompt(PromptRequest {
            budget: asked.number("budget")?,
            window: asked.number("window")?,
            query: asked.text("query")?.map(Query::from),
        }),
        "load" => RecordedRequest::Load {
            key: asked.required_text("key")?.to_owned(),
            caller: asked.caller()?,
            args: asked.required_text("args")?.to_owned(),
            already_loaded: asked.texts("already")?,
        },
        "call" => RecordedRequest::Call { arguments: asked.required_text("arguments")?.to_owned() },
        "invoke" => RecordedRequest::Invoke {
            line: asked.required_text("line")?.to_owned(),
            reserved: asked.texts("reserved")?,
        },
        _ => return Err(asked.wrong("command", &quoted(COMMANDS, " or "))),
    })
}

fn read_dialect(receipt: &Arguments<'_>) -> Result<(Arc<Dialect>, bool), ReceiptError> {
    let given = receipt.object("dialect", &["built_in", "digest", "name", "table"])?;
    let (name, table) = (given.required_text("name")?, given.required_text("table")?);
    if !Digest::of(table.as_bytes()).to_string().eq(given.required_text("digest")?) {
        return Err(ReceiptError::Form(format!("the `digest` of the dialect `{name}` is not that of its `table`")));
    }
    let is_built_in = given.flag("built_in")?;
    // It takes longer to read a table than to print one.
    let known = dialect::dialect(name).filter(|_| is_built_in);
    let known = known.into_iter().flat_map(|own| [Arc::new(own.with_reading(own.reading.other())), own]);
    let known = known.into_iter().find(|own| own.to_yaml() == table);
    let dialect = match known {
        Some(known) => known,
        None => Arc::new(Dialect::parse(&FsPath::root(), table, &|_| None).map_err(|findings| {
            let first = findings.first().map(Diagnostic::to_string).unwrap_or_default();
            ReceiptError::Form(format!("the `table` of the dialect `{name}` cannot be read: {first}"))
        })?),
    };
    Ok((dialect, is_built_in))
}

fn read_answer(receipt: &Arguments<'_>) -> Result<(AnswerDigest, Option<Digest>), Box<Refusal>> {
    let given = receipt.object("answer", &["bytes", "digest", "error", "keys", "printed"])?;
    let digest = |text: &str| Digest::parse(text).ok_or_else(|| not_a_digest("answer"));
    let printed = given.text("printed")?.map(digest).transpose()?;
    let answer = AnswerDigest {
        bytes: given.required_number("bytes")?,
        text: digest(given.required_text("digest")?)?,
        keys: given.texts("keys")?,
        error: given.text("error")?.map(str::to_owned),
    };
    Ok((answer, printed))
}

fn read_file(path: &str, json: &Json) -> Result<FileRecord, Box<Refusal>> {
    let file = Arguments::new(path, json, &["bytes", "digest", "failed"])?;
    if let Some(reason) = file.text("failed")? {
        return Ok(FileRecord::Failed(reason.to_owned()));
    }
    let digest = Digest::parse(file.required_text("digest")?).ok_or_else(|| not_a_digest(path))?;
    Ok(FileRecord::Read { bytes: file.required_number("bytes")?, digest })
}

fn not_a_digest(name: &str) -> Box<Refusal> {
    Refusal::arguments(format!("a digest of `{name}` must be `sha256:` and 64 hexadecimal digits"))
}

/// Reads an object whose names are paths.
fn read_by_path<T>(
    receipt: &Arguments<'_>,
    name: &str,
    read: impl Fn(&str, &Json) -> Result<T, Box<Refusal>>,
) -> Result<Vec<(FsPath, T)>, Box<Refusal>> {
    let mut values = Vec::new();
    for (path, value) in receipt.pairs(name)? {
        values.push((parse_path(path)?, read(path, value)?));
    }
    sort_by(&mut values, |(a, _), (b, _)| a.cmp(b));
    // Two spellings of one path, such as `/a/b` and `/a//b`, are two names of the object.
    if let Some(pair) = values.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(Refusal::arguments(format!("`{name}` has `{}` twice; each path may be there once", pair[0].0)));
    }
    Ok(values)
}

/// What is to take the place of something in the receipt. By default nothing.
#[derive(Clone, Debug, Default)]
pub struct ReplayRequest {
    /// The dialect. By default the built-in one of the same name; if the receipt is about another, the one in the receipt.
    pub dialect: Option<Arc<Dialect>>,
    /// How files are read. By default as the dialect says, or, if `dialect` is `None`, as they were read for the receipt.
    pub reading: Option<Reading>,
    /// The places. By default those of the receipt.
    pub places: Option<Places>,
    /// Keys of skills to switch on, besides those that the host had switched on.
    pub enable: Vec<String>,
    /// Keys of skills to switch off.
    pub disable: Vec<String>,
    /// Whether all skills are trusted.
    pub trust: bool,
    /// Permissions that the caller holds, besides those that it held.
    pub permissions: Vec<Permission>,
}

/// The outcome of [`Receipt::replay`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Replay {
    /// The first thing that differs, if the answer does; `None` if it has the same bytes.
    pub differs: Option<Difference>,
    /// The files that are not as they were, in byte order. If the answer has the same bytes, they did not matter.
    pub changed: Vec<FsPath>,
    /// The digest of the text that is given now.
    pub digest: Digest,
}

impl Replay {
    /// Whether the answer has the same bytes.
    pub fn is_same(&self) -> bool {
        self.differs.is_none()
    }
}

/// The first thing that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// What differs.
    pub what: Differing,
    /// What it is in the receipt.
    pub expected: String,
    /// What it is now.
    pub got: String,
}

/// What can differ, in the order in which it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Differing {
    /// An option, such as `enable` or `dialect`.
    Option(String),
    /// A part of the dialect's table, such as `prompt.budget`.
    Rule(String),
    /// A file.
    File(FsPath),
    /// The names in a folder, or their kinds.
    Folder(FsPath),
    /// The version of this library.
    Version,
    /// Only the answer itself.
    Answer,
}

impl Differing {
    /// `option NAME`, `rule PART`, `file PATH`, `folder PATH`, `version` or `answer`, with paths as `path` writes them.
    pub fn named(&self, path: &dyn Fn(&FsPath) -> String) -> String {
        match self {
            Differing::Option(name) => format!("option {name}"),
            Differing::Rule(part) => format!("rule {part}"),
            Differing::File(file) => format!("file {}", path(file)),
            Differing::Folder(folder) => format!("folder {}", path(folder)),
            Differing::Version => "version".to_owned(),
            Differing::Answer => "answer".to_owned(),
        }
    }
}

impl fmt::Display for Differing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.named(&|path| path.to_string()))
    }
}

impl Receipt {
    /// Makes the answer of a receipt again from these files, and says whether it has the same bytes, or else what differs first:
    /// an option, a rule, a file, a folder, the version of this library, or only the answer. The machine is not asked: the
    /// answers of the host are those in the receipt.
    ///
    /// If files of `fs` are [pending](crate::FsError::Pending), the outcome means nothing, and it is called again when they are
    /// there. See [`Recorder`] for an example.
    pub fn replay(&self, fs: &dyn Fs, request: &ReplayRequest) -> Replay {
        let places = request.places.clone().unwrap_or_else(|| self.places.clone());
        let tags = request.permissions.iter().map(Permission::tag).collect();
        let host = self.host.with(&places, [request.enable.clone(), request.disable.clone(), tags], request.trust);
        let dialect = request.dialect.clone().unwrap_or_else(|| self.current_dialect());
        let recorded = RecordedFs::new(fs);
        let world = World::new(&recorded, &places, &host).with_reading(request.reading);
        let catalog = discover(&world, &dialect);
        let answer = AnswerDigest::of(&self.question.answer(&world, &catalog));
        let now = recorded.record();
        let changed: Vec<FsPath> =
            changed_files(&self.files, &now.files).iter().map(|(path, ..)| (*path).clone()).collect();
        let digest = answer.text;
        let differs = (answer != self.answer).then(|| {
            let options = [places_json(&places), host.to_json()];
            of_options([places_json(&self.places), self.host.to_json()], options)
                .or_else(|| of_dialects(&self.dialect, catalog.dialect()))
                .or_else(|| of_files(&self.files, &now.files))
                .or_else(|| of_folders(&self.folders, &now.folders))
                .or_else(|| difference(Differing::Version, &self.version, env!("CARGO_PKG_VERSION")))
                .unwrap_or_else(|| of_answers(&self.answer, &answer))
        });
        Replay { differs, changed, digest }
    }

    /// The dialect to use now. That of a file is taken from the receipt, as the file may be anywhere.
    fn current_dialect(&self) -> Arc<Dialect> {
        let own = dialect::dialect(&self.dialect.name).filter(|_| self.is_built_in);
        match own {
            Some(own) if own.reading == self.dialect.reading => own,
            Some(own) => Arc::new(own.with_reading(self.dialect.reading)),
            None => Arc::clone(&self.dialect),
        }
    }
}

fn difference(what: Differing, expected: &str, got: &str) -> Option<Difference> {
    let differs = || Difference { what, expected: expected.to_owned(), got: got.to_owned() };
    (expected != got).then(differs)
}

fn of_options(then: [Json; 2], now: [Json; 2]) -> Option<Difference> {
    let mut first: Option<(&str, [Option<&Json>; 2])> = None;
    for (then, now) in then.iter().zip(&now) {
        for (name, _) in fields(then).iter().chain(fields(now)) {
            let values = [then.get(name), now.get(name)];
            let is_first = first.is_none_or(|(known, _)| name.as_str() < known);
            if is_first && values[0] != values[1] {
                first = Some((name, values));
            }
        }
    }
    let (name, values) = first?;
    let [expected, got] = values.map(|value| value.map_or_else(|| "none".to_owned(), Json::to_string));
    Some(Difference { what: Differing::Option(name.to_owned()), expected, got })
}

fn fields(json: &Json) -> &[(String, Json)] {
    if let Json::Map(fields) = json { fields } else { &[] }
}

fn of_dialects(then: &Dialect, now: &Dialect) -> Option<Difference> {
    difference(Differing::Option("dialect".to_owned()), &then.name, &now.name).or_else(|| {
        let part = first_difference(then, now)?;
        let [expected, got] = part.values;
        Some(Difference { what: Differing::Rule(part.part), expected, got })
    })
}

/// What something was then and is now, by path.
type Pair<'r, T> = (&'r FsPath, Option<&'r T>, Option<&'r T>);

/// The values of two lists in the order of their paths, side by side.
fn side_by_side<'r, T>(mut then: &'r [(FsPath, T)], mut now: &'r [(FsPath, T)]) -> Vec<Pair<'r, T>> {
    let mut pairs = Vec::new();
    while let Some(path) = [then.first(), now.first()].into_iter().flatten().map(|(path, _)| path).min() {
        pairs.push((path, take_of(path, &mut then), take_of(path, &mut now)));
    }
    pairs
}

/// Takes the first of these values, if it is of this path.
fn take_of<'r, T>(path: &FsPath, values: &mut &'r [(FsPath, T)]) -> Option<&'r T> {
    let ((_, value), rest) = values.split_first().filter(|((first, _), _)| first == path)?;
    *values = rest;
    Some(value)
}

/// The files that differ, in byte order.
fn changed_files<'r>(then: &'r [(FsPath, FileRecord)], now: &'r [(FsPath, FileRecord)]) -> Vec<Pair<'r, FileRecord>> {
    // That a file which cannot be read is no longer asked for says nothing about the file.
    let is_failed = |record: Option<&FileRecord>| matches!(record, None | Some(FileRecord::Failed(_)));
    let mut pairs = side_by_side(then, now);
    pairs.retain(|(_, then, now)| then != now && !(is_failed(*then) && is_failed(*now)));
    pairs
}

/// The first file that differs. One that was asked for both times comes first, as it may be the reason why another one was
/// not.
fn of_files(then: &[(FsPath, FileRecord)], now: &[(FsPath, FileRecord)]) -> Option<Difference> {
    let changed = changed_files(then, now);
    let both = changed.iter().find(|(_, then, now)| then.is_some() && now.is_some());
    let (path, then, now) = both.or_else(|| changed.first())?;
    let shown = |record: &Option<&FileRecord>| match record {
        Some(FileRecord::Read { digest, .. }) => digest.to_string(),
        Some(FileRecord::Failed(reason)) => reason.clone(),
        None => "not read".to_owned(),
    };
    Some(Difference { what: Differing::File((*path).clone()), expected: shown(then), got: shown(now) })
}

fn of_folders(then: &[(FsPath, Digest)], now: &[(FsPath, Digest)]) -> Option<Difference> {
    let shown = |listing: Option<&Digest>| listing.map_or_else(|| "not listed".to_owned(), Digest::to_string);
    let pairs = side_by_side(then, now);
    let mut pairs = pairs.into_iter();
    let (folder, then, now) = pairs.find(|(_, then, now)| then != now)?;
    Some(Difference { what: Differing::Folder(folder.clone()), expected: shown(then), got: shown(now) })
}

fn of_answers(then: &AnswerDigest, now: &AnswerDigest) -> Difference {
    let shown = |answer: &AnswerDigest| match &answer.error {
        Some(error) => format!("{} ({error})", answer.text),
        None => answer.text.to_string(),
    };
    Difference { what: Differing::Answer, expected: shown(then), got: shown(now) }
}
