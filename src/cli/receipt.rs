//! The option `--receipt`: notes what an answer is made of while it is made, and writes the receipt to a file.

use crate::answer::{Answer, Runner};
use crate::own_file;
use crate::reply::{Exit, Failure};
use crate::session::OpenSession;
use crate::setup::Setup;
use skilltree::discovery::FileWrite;
use skilltree::record::{Question, Receipt, RecordedAnswer, RecordedRequest, Recorder, Session};
use skilltree::{Catalog, Fs, FsPath, World, visible};
use std::cell::RefCell;

/// What a command answers from, and what its receipt has to say. Without `--receipt` nothing is noted.
pub(crate) struct Recording<'s> {
    pub(crate) setup: &'s Setup,
    recorder: Option<Recorder<'s>>,
    noted: RefCell<Noted>,
    /// The session of `--session`, once it was read, with what the answer adds to it.
    pub(crate) session: RefCell<Option<OpenSession>>,
}

/// What only the command knows of its answer.
#[derive(Default)]
struct Noted {
    session: Option<Session>,
    outputs: Vec<String>,
    given: Option<RecordedAnswer>,
}

impl Recording<'_> {
    pub(crate) fn world(&self) -> World<'_> {
        self.recorder.as_ref().map_or_else(|| self.setup.world(), Recorder::world)
    }

    /// Notes the session as it is before the answer.
    pub(crate) fn note_session(&self, session: &Session) {
        if self.recorder.is_some() {
            self.noted.borrow_mut().session = Some(session.texts_in_context());
        }
    }

    /// Notes the outputs of the commands that were run.
    pub(crate) fn note_outputs(&self, outputs: impl FnOnce() -> Vec<String>) {
        if self.recorder.is_some() {
            self.noted.borrow_mut().outputs = outputs();
        }
    }

    /// Notes the answer. One that is not noted is an error.
    pub(crate) fn note(&self, given: impl FnOnce() -> RecordedAnswer) {
        if self.recorder.is_some() {
            self.noted.borrow_mut().given = Some(given());
        }
    }

    fn receipt(&self, catalog: &Catalog, request: RecordedRequest) -> Option<Receipt> {
        let recorder = self.recorder.as_ref()?;
        let Noted { session, outputs, given } = self.noted.take();
        let mut question = Question::new(request);
        (question.session, question.outputs) = (session, outputs);
        let given = given.unwrap_or_else(|| question.answer(&recorder.world(), catalog));
        Some(recorder.receipt(catalog, question, &given))
    }
}

impl Runner<'_> {
    /// Answers a command, and writes the receipt if one is asked for. Nothing is answered if the receipt cannot be written.
    /// What was sent is noted in the session when it has been printed.
    pub(crate) fn recorded(
        self,
        request: RecordedRequest,
        answer: impl FnOnce(&Recording<'_>, &Catalog) -> Answer,
    ) -> Answer {
        self.recorded_in(&Setup::new(self.options)?, request, answer)
    }

    /// Like [`Runner::recorded`], with a setup that is there already.
    pub(crate) fn recorded_in(
        self,
        setup: &Setup,
        request: RecordedRequest,
        answer: impl FnOnce(&Recording<'_>, &Catalog) -> Answer,
    ) -> Answer {
        let file = self.options.receipt.as_deref().map(|file| setup.path(file)).transpose()?;
        let recorder = file.as_ref().map(|_| Recorder::new(&setup.world()));
        let recording = Recording { setup, recorder, noted: RefCell::default(), session: RefCell::default() };
        let catalog = skilltree::discover(&recording.world(), &setup.dialect);
        let (reply, session) = match answer(&recording, &catalog) {
            Ok(reply) => (reply, recording.session.take()),
            Err(failure) => (failure.reply(self.json), None),
        };
        if let (Some(file), true) = (file, reply.exit != Exit::Error) {
            if let Some(receipt) = recording.receipt(&catalog, request) {
                let receipt = match reply.out.exact() {
                    Some(printed) => receipt.with_printed(printed),
                    None => receipt,
                };
                write(setup, &file, &receipt)?;
            }
        }
        Ok(match session {
            Some(session) => reply.and_then(move || session.save()),
            None => reply,
        })
    }
}

/// Reads a receipt; `None` if there is no such file.
pub(crate) fn read(
    fs: &skilltree::OsFs,
    no_links_in: Option<&FsPath>,
    path: &FsPath,
) -> Result<Option<(Receipt, Vec<u8>)>, Failure> {
    let refused = |reason: &str| {
        let file = fs.display(path);
        Failure::error("no-receipt", format!("`{}` is not a receipt: {reason}", visible(&file)))
    };
    let Some(text) = own_file::read(fs, no_links_in, path, Receipt::MAX_BYTES, &refused)? else { return Ok(None) };
    let receipt = Receipt::from_json(&text).map_err(|error| refused(&error.to_string()))?;
    Ok(Some((receipt, text.into_bytes())))
}

fn write(setup: &Setup, path: &FsPath, receipt: &Receipt) -> Result<(), Failure> {
    FileWrite::rewrite(&setup.fs, || {
        let old = read(&setup.fs, setup.places.no_links_in(&setup.fs), path);
        let help = || "name another file; this one is not overwritten".to_owned();
        let old = old.map_err(|failure| failure.with_help(help()))?.map(|(_, bytes)| bytes);
        let bytes = format!("{:#}\n", receipt.to_json()).into_bytes();
        if Receipt::MAX_BYTES < bytes.len() {
            let why = format!("the receipt has {} bytes, expected at most {}", bytes.len(), Receipt::MAX_BYTES);
            return Err(Failure::error("receipt-too-large", why).with_help("search fewer skills".to_owned()));
        }
        let mut write = own_file::written(setup, path, bytes, old);
        write.private = true;
        Ok::<_, Failure>(Some(write))
    })?;
    Ok(())
}
