//! Makes the answer of a receipt again, and compares what it was made of (topic 30 of the rules).

use super::{AnswerDigest, Receipt, RecordedDialect};
use crate::dialect::file::first_difference;
use crate::dialect::{self, Dialect, Reading};
use crate::discovery::catalog::discover;
use crate::discovery::world::{Places, World};
use crate::fs::{FileRecord, Fs, RecordedFs};
use crate::model::given::{GivenHost, places_json};
use crate::model::skill::Permission;
use crate::path::FsPath;
use crate::text::digest::Digest;
use crate::text::json::Json;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

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

/// The outcome of [`replay`].
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

/// Makes the answer of a receipt again from these files, and says whether it has the same bytes, or else what differs first:
/// an option, a rule, a file, a folder, the version of this library, or only the answer. The machine is not asked: the
/// answers of the host are those in the receipt.
///
/// If files of `fs` are [pending](crate::FsError::Pending), the outcome means nothing, and it is called again when they are
/// there. See [`Recorder`](super::Recorder) for an example.
pub fn replay(fs: &dyn Fs, receipt: &Receipt, request: &ReplayRequest) -> Replay {
    let places = request.places.clone().unwrap_or_else(|| receipt.places.clone());
    let tags = request.permissions.iter().map(Permission::tag).collect();
    let host = receipt.host.with(&places, [request.enable.clone(), request.disable.clone(), tags], request.trust);
    let dialect = request.dialect.clone().unwrap_or_else(|| receipt.dialect.current());
    let recorded = RecordedFs::new(fs);
    let world = World::new(&recorded, &places, &host).with_reading(request.reading);
    let catalog = discover(&world, &dialect);
    let answer = AnswerDigest::of(&receipt.question.answer(&world, &catalog));
    let now = recorded.record();
    let changed: Vec<FsPath> =
        changed_files(&receipt.files, &now.files).iter().map(|(path, ..)| (*path).clone()).collect();
    let digest = answer.text;
    let differs = (answer != receipt.answer).then(|| {
        of_options(&receipt.places, &receipt.host, &places, &host)
            .or_else(|| of_dialects(&receipt.dialect.dialect, catalog.dialect()))
            .or_else(|| of_files(&receipt.files, &now.files))
            .or_else(|| of_folders(&receipt.folders, &now.folders))
            .or_else(|| difference(Differing::Version, &receipt.version, env!("CARGO_PKG_VERSION")))
            .unwrap_or_else(|| of_answers(&receipt.answer, &answer))
    });
    Replay { differs, changed, digest }
}

impl RecordedDialect {
    /// The dialect to use now. That of a file is taken from the receipt, as the file may be anywhere.
    fn current(&self) -> Arc<Dialect> {
        let own = dialect::dialect(&self.dialect.name).filter(|_| self.is_built_in);
        match own {
            Some(own) if own.reading == self.dialect.reading => own,
            Some(own) => Arc::new(own.with_reading(self.dialect.reading)),
            None => Arc::clone(&self.dialect),
        }
    }
}

/// The difference between two texts; `None` if they are equal.
fn difference(what: Differing, expected: &str, got: &str) -> Option<Difference> {
    let differs = || Difference { what, expected: expected.to_owned(), got: got.to_owned() };
    (expected != got).then(differs)
}

fn of_options(
    then_places: &Places,
    then_host: &GivenHost,
    now_places: &Places,
    now_host: &GivenHost,
) -> Option<Difference> {
    let then = [places_json(then_places), then_host.to_json()];
    let now = [places_json(now_places), now_host.to_json()];
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
    loop {
        let order = match (then.first(), now.first()) {
            (Some((a, _)), Some((b, _))) => a.cmp(b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return pairs,
        };
        let was = if order.is_le() { take_first(&mut then) } else { None };
        let is = if order.is_ge() { take_first(&mut now) } else { None };
        pairs.extend(was.or(is).map(|(path, _)| (path, was.map(|(_, value)| value), is.map(|(_, value)| value))));
    }
}

fn take_first<'r, T>(items: &mut &'r [T]) -> Option<&'r T> {
    let (first, rest) = items.split_first()?;
    *items = rest;
    Some(first)
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
