//! A receipt as JSON. The form has a version, so that a later one is not read as this one.

use super::question::{Question, Request};
use super::{AnswerDigest, Receipt, RecordedDialect};
use crate::diagnostic::Diagnostic;
use crate::dialect;
use crate::fs::FileRecord;
use crate::model::given::arguments::{Arguments, Refusal, parse_path};
use crate::model::given::{GivenHost, places_json, read_places};
use crate::offer::list::{PromptRequest, Query};
use crate::path::FsPath;
use crate::record::session::Session;
use crate::text::digest::Digest;
use crate::text::json::{Fields, Json, JsonError};
use crate::text::list::quoted;
use crate::text::order::sort_by;
use std::sync::Arc;

/// The version of the form.
const VERSION: usize = 1;

/// The fields of a receipt.
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
        let table = dialect::to_yaml(&self.dialect.dialect);
        let dialect = Fields::default()
            .text("name", &self.dialect.dialect.name)
            .text("digest", &Digest::of(table.as_bytes()).to_string())
            .flag("built_in", self.dialect.is_built_in)
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
        let places = read_places(&fields)?;
        let session = fields.value("session").map(Session::from_value).transpose();
        let session = session.map_err(|error| ReceiptError::Form(format!("the `session`: {error}")))?;
        let (answer, printed) = read_answer(&fields)?;
        Ok(Receipt {
            version: fields.required_text("version")?.to_owned(),
            question: Question { request: read_request(&fields)?, session, outputs: fields.texts("outputs")? },
            dialect: read_dialect(&fields)?,
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

impl Request {
    fn to_json(&self) -> Json {
        let mut fields = Fields::default();
        match self {
            Request::Prompt(PromptRequest { budget, window, query }) => fields
                .text("command", "prompt")
                .some("budget", budget.map(Json::from))
                .some("window", window.map(Json::from))
                .some_text("query", query.as_ref().map(Query::as_str)),
            Request::Load { key, caller, args, already_loaded } => fields
                .text("command", "load")
                .text("key", key)
                .text("as", caller.as_str())
                .text("args", args)
                .filled("already", already_loaded),
            Request::Call { arguments } => fields.text("command", "call").text("arguments", arguments),
            Request::Invoke { line, reserved } => {
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

fn read_request(receipt: &Arguments<'_>) -> Result<Request, Box<Refusal>> {
    const COMMANDS: &[&str] = &["prompt", "load", "call", "invoke"];
    let known =
        &["already", "args", "arguments", "as", "budget", "command", "key", "line", "query", "reserved", "window"];
    let asked = receipt.object("asked", known)?;
    Ok(match asked.required_text("command")? {
        "prompt" => Request::Prompt(PromptRequest {
            budget: asked.number("budget")?,
            window: asked.number("window")?,
            query: asked.text("query")?.map(Query::from),
        }),
        "load" => Request::Load {
            key: asked.required_text("key")?.to_owned(),
            caller: asked.caller()?,
            args: asked.required_text("args")?.to_owned(),
            already_loaded: asked.texts("already")?,
        },
        "call" => Request::Call { arguments: asked.required_text("arguments")?.to_owned() },
        "invoke" => {
            Request::Invoke { line: asked.required_text("line")?.to_owned(), reserved: asked.texts("reserved")? }
        }
        _ => return Err(asked.wrong("command", &quoted(COMMANDS, " or "))),
    })
}

fn read_dialect(receipt: &Arguments<'_>) -> Result<RecordedDialect, ReceiptError> {
    let given = receipt.object("dialect", &["built_in", "digest", "name", "table"])?;
    let (name, table) = (given.required_text("name")?, given.required_text("table")?);
    if !Digest::of(table.as_bytes()).to_string().eq(given.required_text("digest")?) {
        return Err(ReceiptError::Form(format!("the `digest` of the dialect `{name}` is not that of its `table`")));
    }
    let is_built_in = given.flag("built_in")?;
    // It takes longer to read a table than to print one.
    let known = dialect::dialect(name).filter(|_| is_built_in);
    let known = known.into_iter().flat_map(|own| [Arc::new(own.with_reading(own.reading.other())), own]);
    let known = known.into_iter().find(|own| dialect::to_yaml(own) == table);
    let dialect = match known {
        Some(known) => known,
        None => Arc::new(dialect::read(&FsPath::root(), table, &|_| None).map_err(|findings| {
            let first = findings.first().map(Diagnostic::to_string).unwrap_or_default();
            ReceiptError::Form(format!("the `table` of the dialect `{name}` cannot be read: {first}"))
        })?),
    };
    Ok(RecordedDialect { dialect, is_built_in })
}

/// The digests of the answer, and of what was printed.
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
    Ok(values)
}
