//! The command `verify`: which records name a skill, and whether its files are those that they record. Nothing is fetched, and what
//! a record says is the data of a stranger.
//!
//! `records` finds records and reads them; `vercel` knows two kinds, and `apm`, `gh`, `oms`, `ssh_manifest`, `lock` and `well_known` know one each; `source`
//! compares a copy with the sources that the user names; `tree` has the files of a folder and their hashes; `data` reads YAML; and `sarif` has
//! the rules and the results of a SARIF log.
//!
//! Most records are not signed: whoever changes a skill can change its record as well, and no verdict says more than that the files
//! are those of the record. What is signed is verified if the user trusts the root of the signature, and by nothing that a record
//! brings along.

mod apm;
pub(crate) mod data;
mod gh;
pub(crate) mod lock;
mod oms;
pub(crate) mod records;
mod sarif;
mod source;
mod ssh_manifest;
pub(crate) mod tree;
mod vercel;
pub(crate) mod well_known;

use crate::answer::{Answer, Runner};
use crate::args::{NonEmptyText, format_or_json};
use crate::facts::{Facts, place_of};
use crate::output::style::{ERROR, FAINT, HEAD, KEY, WARNING, paint};
use crate::output::table::marked_table;
use crate::output::text::{count, folded};
use crate::output::{findings, formats};
use crate::policy::{Breach, Level};
use crate::reply::{Exit, Failure, Output, Reply};
use crate::setup::{Setup, and_above};
use crate::trust::Trust;
use anstyle::Style;
use clap::{Args, ValueEnum};
use records::{Installed, Kind, Search, SharedRecord};
use skilltree::fs::FileKind;
use skilltree::{Catalog, Fs, FsPath, Json, visible};
use source::Sources;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use tree::{Files, NOT_ENTERED};

/// What is said of a skill that lacks a signature.
const NO_SIGNATURE: &str = "no signature covers it";

/// How many names of files a line of text has.
const MAX_SHOWN_FILES: usize = 8;

/// The arguments of `verify`.
#[derive(Args, Debug)]
pub(crate) struct VerifyArgs {
    /// Folder or file of a skill, or a tree of skills [default: the skills in use]
    #[arg(value_name = "PATH", value_parser = NonEmptyText::new())]
    paths: Vec<String>,
    /// What skills were copied from: a folder, an archive, or `git:REVISION:PATH`; may be repeated
    #[arg(long, value_name = "SOURCE", value_parser = NonEmptyText::new())]
    source: Vec<String>,
    /// File with roots of signatures that are trusted besides those of `skilltree trust`: certificates in PEM, or lines of
    /// `allowed_signers` of OpenSSH; may be repeated
    #[arg(long, value_name = "FILE", value_parser = NonEmptyText::new())]
    trust_root: Vec<String>,
    /// Check the dates of certificates and keys at this date or time in UTC, such as 2026-11-27 or 2026-11-27T12:00:00Z
    /// [default: now]
    #[arg(long, value_name = "DATE", value_parser = NonEmptyText::new())]
    at: Option<String>,
    /// Exit with 1 unless every skill has such a record
    #[arg(long, value_enum)]
    require: Option<Required>,
    /// How to print the verdicts [default: text]
    #[arg(long, value_enum)]
    format: Option<Format>,
}

impl VerifyArgs {
    pub(crate) fn is_json(&self) -> bool {
        self.format == Some(Format::Json)
    }
}

/// How the verdicts are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table, and a summary
    Text,
    /// One JSON document, as with --json
    Json,
    /// A SARIF 2.1.0 log of what is not as recorded or breaches a policy, for code scanning; with the summary on standard error
    Sarif,
}

/// What every skill must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Required {
    /// A record that its files match, and none that they do not match
    Matches,
    /// A signature that is verified, and no record that its files do not match
    Signature,
}

/// What a record says of a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// The files are those that were signed, by a signature whose root the user trusts.
    Verified,
    /// The files are those of the record, which anyone may have written.
    Matches,
    /// Files are not those of the record.
    Differs,
    /// The record names a skill that is not there.
    Missing,
    /// All that the record covers is as recorded, and there are files that it does not cover.
    Extra,
    /// The signature does not hold, or is malformed.
    Invalid,
    /// The signature holds, and the user does not trust its root.
    ForeignRoot,
    /// The files are those that were signed, and a certificate is not valid at the time.
    Expired,
    /// The record is about the folder that the skill was copied from, and nothing at hand decides.
    NeedsSource,
    /// The record is of a version or a type that is not known, or is not valid.
    Unknown,
    /// No signature covers the skill, where signatures are asked for.
    Unsigned,
    /// No record names the skill.
    NoRecord,
}

impl Verdict {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Verdict::Verified => "verified",
            Verdict::Matches => "matches",
            Verdict::Differs => "differs",
            Verdict::Missing => "missing",
            Verdict::Extra => "extra",
            Verdict::Invalid => "invalid",
            Verdict::ForeignRoot => "foreign root",
            Verdict::Expired => "expired",
            Verdict::NeedsSource => "needs source",
            Verdict::Unknown => "unknown record",
            Verdict::Unsigned => "unsigned",
            Verdict::NoRecord => "no record",
        }
    }

    fn style(self) -> Style {
        match self {
            Verdict::Verified | Verdict::Matches => KEY,
            Verdict::Differs | Verdict::Missing | Verdict::Invalid => ERROR,
            Verdict::Extra | Verdict::ForeignRoot | Verdict::Expired | Verdict::NeedsSource | Verdict::Unknown => {
                WARNING
            }
            Verdict::Unsigned | Verdict::NoRecord => FAINT,
        }
    }

    /// The verdict on files of which these are not as recorded.
    fn of_changes(changes: &[Changed]) -> Verdict {
        if changes.is_empty() {
            Verdict::Matches
        } else if changes.iter().all(|changed| changed.change == Change::Added) {
            Verdict::Extra
        } else {
            Verdict::Differs
        }
    }
}

/// A file that is not as recorded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Changed {
    path: String,
    change: Change,
}

/// What is different about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    Added,
    Changed,
    Removed,
}

impl Changed {
    /// As `+new`, `-gone` or `~other`.
    fn signed(&self) -> String {
        let sign = match self.change {
            Change::Added => '+',
            Change::Changed => '~',
            Change::Removed => '-',
        };
        format!("{sign}{}", visible(&self.path))
    }

    fn to_json(&self) -> Json {
        let change = match self.change {
            Change::Added => "added",
            Change::Changed => "changed",
            Change::Removed => "removed",
        };
        Json::map([("path", Json::from(self.path.as_str())), ("change", change.into())])
    }
}

/// The files of a folder that are not those that a record names, in order.
fn changes<R>(files: &Files, mut named: BTreeMap<&str, R>, is_same: impl Fn(&[u8], &R) -> bool) -> Vec<Changed> {
    let mut changed = Vec::new();
    let mut add = |path: &str, change| changed.push(Changed { path: path.to_owned(), change });
    for file in &files.files {
        match named.remove(file.path.as_str()) {
            Some(recorded) if is_same(&file.bytes, &recorded) => {}
            Some(_) => add(&file.path, Change::Changed),
            None => add(&file.path, Change::Added),
        }
    }
    for other in &files.others {
        let was_file = named.remove(other.as_str()).is_some();
        add(other, if was_file { Change::Changed } else { Change::Added });
    }
    named.into_keys().for_each(|path| add(path, Change::Removed));
    changed.sort();
    changed
}

/// Who signed something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signer {
    /// The root: `sha256:` and the hash of its certificate, or the fingerprint of a key of OpenSSH.
    pub(crate) root: String,
    /// The subject of the certificate that signed, the identity that was asked for, or the principals of the key.
    pub(crate) subject: String,
}

/// Why a signature is not trusted, each with a note, which may have texts of a stranger.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "signatures"), allow(dead_code, reason = "the program with signatures has the same reasons"))]
pub(crate) enum Distrust {
    /// It holds, and the user has not named its root.
    ForeignRoot(String),
    /// It holds, and a certificate or a key is not valid at that time.
    Expired(String),
    /// It does not hold, or is malformed.
    Invalid(String),
    /// It needs something that this program does not know.
    Unknown(String),
}

/// What a record says of a skill, and why.
#[derive(Debug)]
pub(crate) struct Judgement {
    pub(crate) verdict: Verdict,
    /// The files that are not as recorded, as far as that can be told.
    files: Vec<Changed>,
    /// May have texts of a record.
    pub(crate) note: String,
    /// Who signed the record, if the user trusts them.
    pub(crate) signer: Option<Signer>,
}

impl Judgement {
    pub(crate) fn new(verdict: Verdict, note: String) -> Judgement {
        Judgement { verdict, files: Vec::new(), note, signer: None }
    }

    /// The files that are not as recorded, and the note, on one line.
    pub(crate) fn shown(&self) -> String {
        let files = self.files.iter().take(MAX_SHOWN_FILES).map(Changed::signed);
        let mut shown = files.collect::<Vec<_>>().join(" ");
        if MAX_SHOWN_FILES < self.files.len() {
            let _ = write!(shown, " and {} more", self.files.len() - MAX_SHOWN_FILES);
        }
        if !shown.is_empty() && !self.note.is_empty() {
            shown.push_str("; ");
        }
        shown + &folded(&self.note)
    }

    /// Whether the files are those of the record, whoever has signed it.
    pub(crate) fn has_files_of_record(&self) -> bool {
        use Verdict::{Expired, ForeignRoot, Matches, Verified};
        matches!(self.verdict, Verified | Matches | ForeignRoot | Expired)
    }

    pub(crate) fn files_json(&self) -> Json {
        self.files.iter().map(Changed::to_json).collect::<Vec<_>>().into()
    }
}

impl From<Distrust> for Judgement {
    fn from(why: Distrust) -> Judgement {
        match why {
            Distrust::ForeignRoot(note) => Judgement::new(Verdict::ForeignRoot, note),
            Distrust::Expired(note) => Judgement::new(Verdict::Expired, note),
            Distrust::Invalid(note) => Judgement::new(Verdict::Invalid, note),
            Distrust::Unknown(note) => Judgement::new(Verdict::Unknown, note),
        }
    }
}

/// What each record says of a skill, with its kind and its file.
pub(crate) type Said = Vec<(Kind, FsPath, Judgement)>;

/// Whether one of these records has a signature, whatever it is worth.
fn has_signature(said: &[(Kind, FsPath, Judgement)]) -> bool {
    use Verdict::{Expired, ForeignRoot, Invalid, Verified};
    let is_signed = |judgement: &Judgement| {
        judgement.signer.is_some() || matches!(judgement.verdict, Verified | ForeignRoot | Expired | Invalid)
    };
    // A manifest that is understood and has no signer is not signed.
    let is_other = |kind: Kind, verdict| kind == Kind::Oms || (kind.is_of_folder() && verdict == Verdict::Unknown);
    said.iter().any(|(kind, _, judgement)| is_other(*kind, judgement.verdict) || is_signed(judgement))
}

/// A skill, and what each record says of it.
#[derive(Default)]
struct Judged {
    key: String,
    /// Its folder; none if it is not there.
    path: Option<FsPath>,
    records: Said,
    /// What of policies it breaches.
    breaches: Vec<Breach>,
    /// Whether a signature is asked for, and none is there.
    is_unsigned: bool,
}

impl Judged {
    /// The verdicts of its records, and which it lacks.
    fn verdicts(&self) -> impl Iterator<Item = Verdict> {
        self.records.iter().map(|(.., judgement)| judgement.verdict).chain(self.lacking())
    }

    /// Which record it lacks.
    fn lacking(&self) -> Option<Verdict> {
        match self.is_unsigned {
            true => Some(Verdict::Unsigned),
            false => self.records.is_empty().then_some(Verdict::NoRecord),
        }
    }

    fn has(&self, verdict: Verdict) -> bool {
        self.verdicts().any(|own| own == verdict)
    }

    /// What its records say of a skill in its folder, which is a part of it.
    fn records_of_part(&self, folder: &FsPath) -> Said {
        let below = self.path.as_ref().and_then(|path| folder.relative_to(path)).unwrap_or_default();
        let of_part = |changed: &Changed| {
            let path = changed.path.strip_prefix(below)?.strip_prefix('/')?.to_owned();
            Some(Changed { path, change: changed.change })
        };
        let part = |(kind, file, whole): &(Kind, FsPath, Judgement)| {
            let files: Vec<Changed> = whole.files.iter().filter_map(of_part).collect();
            // The files that are not as recorded may all be in other parts. A signature is on the whole.
            let is_of_whole = whole.files.is_empty() || (files.is_empty() && kind.is_of_folder());
            let verdict = if is_of_whole { whole.verdict } else { Verdict::of_changes(&files) };
            let note = format!("a part of `{}`: {}", self.key, whole.note);
            (*kind, file.clone(), Judgement { files, signer: whole.signer.clone(), ..Judgement::new(verdict, note) })
        };
        // What is in folders that are not entered is not compared, and may be left out of a signature.
        let is_entered = !below.split('/').any(|name| NOT_ENTERED.contains(&name));
        // Nor is what lies in something that is not covered, such as behind a symlink.
        let is_above = |changed: &Changed| {
            let rest = below.strip_prefix(changed.path.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let is_covered = |(kind, _, whole): &&(Kind, FsPath, Judgement)| {
            (is_entered || !kind.is_of_folder()) && !whole.files.iter().any(is_above)
        };
        self.records.iter().filter(is_covered).map(part).collect()
    }

    fn meets(&self, required: Required) -> bool {
        let refused = [Verdict::Differs, Verdict::Missing, Verdict::Invalid];
        let is_there = match required {
            Required::Matches => self.has(Verdict::Matches) || self.has(Verdict::Verified),
            Required::Signature => self.has(Verdict::Verified),
        };
        is_there && !refused.into_iter().any(|verdict| self.has(verdict))
    }
}

impl Runner<'_> {
    pub(crate) fn verify(self, ask: &VerifyArgs) -> Answer {
        let format = format_or_json(ask.format, self.json, Format::Text, Format::Json)?;
        let mut setup = Setup::new(self.options)?;
        let sources = ask.source.iter().map(|named| {
            setup.opened(named)?;
            Ok((named.clone(), setup.folder(named, "source")?))
        });
        let sources: Vec<(String, FsPath)> = sources.collect::<Result<_, Failure>>()?;
        ask.paths.iter().try_for_each(|named| setup.opened(named).map(drop))?;
        let catalog = self.catalog(&setup);
        let paths = ask.paths.iter().map(|named| named_place(&setup, &catalog, named));
        let paths = paths.collect::<Result<Vec<_>, _>>()?;
        let trust = Trust::new(&setup, &ask.trust_root, ask.at.as_deref())?;
        let asks_for_signature = trust.has_roots() || ask.require == Some(Required::Signature);
        let mut search = Search::new(&setup);
        let (mut keys, mut notes, mut facts) = (HashMap::new(), String::new(), HashMap::new());
        let gate = setup.machine.gate.as_ref();
        let is_asked = |path: &FsPath| paths.is_empty() || paths.iter().any(|asked| path.starts_with(asked));
        let asked = catalog.findings().iter().filter(|finding| is_asked(&finding.path));
        let is_complete = !asked.clone().any(findings::hides_skills);
        if paths.is_empty() {
            notes = setup.missing_skills_note(&catalog);
            search.add_project();
        } else {
            paths.iter().for_each(|path| search.add_path(path));
            // The search below the paths tells of the folders.
            notes
                .push_str(&findings::unread(&setup.fs, asked.filter(|finding| !search.unread.contains(&finding.path))));
        }
        // What shadows a skill need not be below the paths.
        let shadowed = catalog.shadowed().iter().map(|one| &one.skill).filter(|_| !paths.is_empty());
        let mut loose = Vec::new();
        for skill in shadowed.chain(catalog.skills()) {
            let place = place_of(skill);
            // Some clients read skills that are single files, which only our own lock is about.
            let is_loose = place == skill.path && is_asked(&place);
            if gate.is_some() && (is_loose || paths.is_empty()) {
                let read = Facts::of(&setup.world(), &catalog, skill).map_err(|error| error.to_string());
                facts.insert(place.clone(), read);
            }
            if is_loose {
                loose.push((skill.key.clone(), place));
                continue;
            }
            if paths.is_empty() {
                search.add_skill(&place);
            }
            keys.insert(place, skill.key.clone());
        }
        search.skills.sort();
        search.skills.dedup();
        let records = search.records(&trust);
        let sources = Sources::new(&setup, sources);
        if gate.is_some() && !paths.is_empty() {
            let read = Facts::at(&setup, &catalog, &search.skills.iter().cloned().collect());
            facts.extend(read.into_iter().map(|(place, facts)| (place, Ok(facts))));
        }
        let mut breaches = |copy: &Installed, said: &[(Kind, FsPath, Judgement)]| {
            let unread = || Err("it cannot be read as a skill".to_owned());
            let facts = facts.remove(&copy.folder).unwrap_or_else(unread);
            gate.map(|gate| gate.policies().judge(&setup, copy, said, (&records, &trust), facts)).unwrap_or_default()
        };
        self.progress.set_total(search.skills.len());
        let mut judged: Vec<Judged> = Vec::new();
        let mut known: HashMap<&FsPath, usize> = HashMap::new();
        // Folders come before those in them.
        for folder in &search.skills {
            let copy = Installed::read(&setup, folder);
            let mut said = said(&setup, &copy, &records, &sources, &trust);
            let breaches = breaches(&copy, &said);
            let outer = and_above(folder).skip(1).find_map(|above| judged.get(*known.get(&above)?));
            let of_whole = outer.map(|outer| outer.records_of_part(folder));
            let (is_part, is_signed) = (said.is_empty() && outer.is_some(), has_signature(&said));
            let is_inherited = |kind: Kind| is_part || (kind.is_of_folder() && !is_signed);
            said.extend(of_whole.into_iter().flatten().filter(|(kind, ..)| is_inherited(*kind)));
            if !is_part {
                known.insert(folder, judged.len());
            }
            let is_unsigned = asks_for_signature && !has_signature(&said);
            let key = keys.get(folder).cloned().or(copy.name).unwrap_or_else(|| folder.name().to_owned());
            judged.push(Judged { key, path: Some(folder.clone()), records: said, breaches, is_unsigned });
            self.progress.advance();
        }
        judged.extend(loose.into_iter().map(|(key, path)| {
            let copy = Installed::read(&setup, &path);
            let mut said = said(&setup, &copy, &records, &sources, &trust);
            said.retain(|(kind, ..)| *kind == Kind::SkilltreeLock);
            let is_unsigned = asks_for_signature && !has_signature(&said);
            Judged { key, breaches: breaches(&copy, &said), records: said, path: Some(path), is_unsigned }
        }));
        let absent = absent(&setup, &records, &paths, &judged);
        judged.extend(absent);
        let alone = alone(&records, &paths, &judged);
        judged.extend(alone);
        judged.sort_by(|a, b| a.key.cmp(&b.key).then_with(|| a.path.cmp(&b.path)));
        // A record that cannot be read may name skills that are not there. Where there is no skill, there is no signature.
        let is_met = |required: Required| {
            let is_enough = required == Required::Matches || !judged.is_empty();
            is_enough && is_complete && search.notes.is_empty() && judged.iter().all(|judged| judged.meets(required))
        };
        let failed = ask.require.filter(|required| !is_met(*required)).map(|required| {
            let what = match required {
                Required::Matches => "not every skill matches a record",
                Required::Signature => "not every skill has a signature that holds",
            };
            Failure::negative("verify-failed", what)
        });
        let blocked =
            judged.iter().filter(|judged| judged.breaches.iter().any(|one| one.level == Level::Block)).count();
        let by_policy =
            || Failure::negative("policy-blocked", format!("{} blocked by policies", count(blocked, "skill")));
        let failed = if 0 < blocked { Some(by_policy()) } else { failed };
        notes.push_str(&trust.notes);
        notes.push_str(&search.notes);
        notes.extend(gate.map(|gate| gate.policies().notes()));
        let reply = match format {
            Format::Text => Reply::new(Output::Styled(text(&setup, &judged, self.screen.width))),
            Format::Json => {
                let json = json(&setup, &judged);
                Reply::json(&failed.as_ref().map_or(json.clone(), |failed| failed.add_to_json(json)))
            }
            Format::Sarif => {
                Reply::json(&formats::log(&setup, sarif::entries(&setup, &judged))).with_stderr(&summary(&judged))
            }
        };
        let exit = if failed.is_some() { Exit::Negative } else { Exit::Success };
        Ok(reply.with_stderr(&notes).with_exit(exit))
    }
}

/// What a path is about: a folder, that of a SKILL.md, what is in an archive, or the file that a skill of the catalog consists of,
/// by whichever path (rule 8.6).
pub(crate) fn named_place(setup: &Setup, catalog: &Catalog, named: &str) -> Result<FsPath, Failure> {
    let path = setup.in_tree(setup.path(named)?);
    let is_file = matches!(setup.files().metadata(&path), Ok(Some(found)) if found.kind == FileKind::File);
    if !is_file {
        return setup.folder(named, "path").map(|_| path);
    }
    if let Some(folder) = path.parent().filter(|_| path.name().eq_ignore_ascii_case("SKILL.md")) {
        return Ok(folder);
    }
    let real = setup.files().canonical(&path).unwrap_or(path);
    let skills = catalog.skills().iter().chain(catalog.shadowed().iter().map(|one| &one.skill));
    let mut singles = skills.filter(|skill| place_of(skill) == skill.path);
    let single = singles.find(|skill| *skill.target.as_ref().unwrap_or(&skill.path) == real);
    single.map(|skill| skill.path.clone()).ok_or_else(|| {
        let (client, shown) = (catalog.dialect().name(), visible(named));
        let why = format!("the path `{shown}` is neither a directory nor a file that is a skill for `{client}`");
        Failure::error("no-directory", why)
    })
}

/// What these records and those in a copy say of it, without the sources that a user may name.
pub(crate) fn said_of(setup: &Setup, copy: &Installed, records: &[SharedRecord], trust: &Trust) -> Said {
    said(setup, copy, records, &Sources::new(setup, Vec::new()), trust)
}

fn said(setup: &Setup, copy: &Installed, records: &[SharedRecord], sources: &Sources<'_>, trust: &Trust) -> Said {
    let own = records::of_copy(setup, copy, trust).into_iter();
    let own: Said = own.filter_map(|(kind, file, record)| Some((kind, file, record.judge(copy, sources)?))).collect();
    let shared = records.iter().filter_map(|(kind, file, record)| {
        let mut judgement = record.judge(copy, sources)?;
        record.check_signer(copy, &mut judgement, &own, trust);
        Some((*kind, file.clone(), judgement))
    });
    let mut said: Said = shared.collect();
    said.extend(own);
    said
}

/// The skills that records name and that are not there; with paths, those that should be below one of these.
fn absent(setup: &Setup, records: &[SharedRecord], paths: &[FsPath], there: &[Judged]) -> Vec<Judged> {
    // A skill may be where clients do not look by themselves.
    let mut known: HashSet<(&FsPath, &str)> = HashSet::new();
    for judged in there {
        for (_, file, _) in &judged.records {
            known.insert((file, &judged.key));
            known.extend(judged.path.as_ref().map(|path| (file, path.name())));
        }
    }
    let places: HashSet<&FsPath> = there.iter().filter_map(|judged| judged.path.as_ref()).collect();
    let mut all: BTreeMap<(String, FsPath), Judged> = BTreeMap::new();
    for (kind, record_file, record) in records {
        for absent in record.absent() {
            let is_asked = paths.is_empty() || paths.iter().any(|path| absent.place.starts_with(path));
            let is_elsewhere = match absent.is_exact {
                true => places.contains(&absent.place),
                false => known.contains(&(record_file, absent.name.as_str())),
            };
            if !is_asked || is_elsewhere {
                continue;
            }
            let note = match absent.is_exact {
                true => match records::unread_at(setup.files(), &absent.place) {
                    Some(unread) => format!("`{}`: {}", shown_path(setup, &absent.place), unread.message),
                    None => format!("`{}` is not there", shown_path(setup, &absent.place)),
                },
                false => "the record names it, and it is not there".to_owned(),
            };
            let new = Judged { key: absent.name.clone(), ..Judged::default() };
            let judged = all.entry((absent.name, absent.place)).or_insert(new);
            // Several parts of a file may name it.
            if !judged.records.iter().any(|(_, file, _)| file == record_file) {
                let judgement = Judgement::new(Verdict::Missing, note);
                judged.records.push((*kind, record_file.clone(), judgement));
            }
        }
    }
    all.into_values().collect()
}

/// What records say of files that are no copy of a skill; with paths, those below one of these. What cannot be told for want of a
/// file is not said of a skill that has a copy.
fn alone(records: &[SharedRecord], paths: &[FsPath], there: &[Judged]) -> Vec<Judged> {
    let is_asked = |place: &FsPath| paths.is_empty() || paths.iter().any(|path| place.starts_with(path));
    let mut all = Vec::new();
    for (kind, record_file, record) in records {
        for (key, path, judgement) in record.alone() {
            let is_said = |judged: &&Judged| judged.records.iter().any(|(_, file, _)| file == record_file);
            let has_copy = || there.iter().filter(is_said).any(|judged| judged.key == key);
            if is_asked(path.as_ref().unwrap_or(record_file)) && (path.is_some() || !has_copy()) {
                let records = vec![(*kind, record_file.clone(), judgement)];
                all.push(Judged { key, path, records, ..Judged::default() });
            }
        }
    }
    all
}

/// The file of a record: what is in the skill itself is named as in its folder.
fn shown_record(setup: &Setup, skill: &Judged, file: &FsPath) -> String {
    let own = skill.path.as_ref().and_then(|path| file.relative_to(path));
    visible(&own.map_or_else(|| shown_path(setup, file), str::to_owned)).into_owned()
}

/// A path below the project, or else as the system writes it.
fn shown_path(setup: &Setup, path: &FsPath) -> String {
    let below = path.relative_to(&setup.project).filter(|below| !below.is_empty());
    below.map_or_else(|| setup.fs.display(path).into_owned(), str::to_owned)
}

fn json(setup: &Setup, judged: &[Judged]) -> Json {
    let shown = |path: &FsPath| Json::from(setup.fs.display(path).into_owned());
    let record = |(kind, file, judgement): &(Kind, FsPath, Judgement)| {
        Json::map([
            ("kind", Json::from(kind.as_str())),
            ("file", shown(file)),
            ("verdict", judgement.verdict.as_str().into()),
            ("files", judgement.files_json()),
            ("message", judgement.note.as_str().into()),
        ])
        .with("signer", judgement.signer.as_ref().map(signer_json))
    };
    let lacking = |verdict: Verdict| {
        Json::map([
            ("kind", Json::Null),
            ("file", Json::Null),
            ("verdict", verdict.as_str().into()),
            ("files", Vec::<Json>::new().into()),
            ("message", NO_SIGNATURE.into()),
        ])
    };
    let skill = |judged: &Judged| {
        let unsigned = judged.is_unsigned.then(|| lacking(Verdict::Unsigned));
        Json::map([
            ("key", Json::from(judged.key.as_str())),
            ("path", judged.path.as_ref().map_or(Json::Null, shown)),
            ("records", judged.records.iter().map(record).chain(unsigned).collect::<Vec<_>>().into()),
            ("breaches", judged.breaches.iter().map(|breach| breach.to_json(setup)).collect::<Vec<_>>().into()),
        ])
    };
    let counts = counts(judged).into_iter().map(|(verdict, number)| (verdict.as_str(), Json::from(number)));
    Json::map([("skills", Json::from(judged.iter().map(skill).collect::<Vec<_>>())), ("verdicts", Json::map(counts))])
}

/// Who signed something.
pub(crate) fn signer_json(signer: &Signer) -> Json {
    Json::map([("root", Json::from(signer.root.as_str())), ("subject", signer.subject.as_str().into())])
}

/// How often each verdict is given.
fn counts(judged: &[Judged]) -> BTreeMap<Verdict, usize> {
    let mut counts = BTreeMap::new();
    for verdict in judged.iter().flat_map(Judged::verdicts) {
        *counts.entry(verdict).or_insert(0) += 1;
    }
    counts
}

fn text(setup: &Setup, judged: &[Judged], width: Option<usize>) -> String {
    let mut rows = Vec::new();
    let mut copies: HashMap<&str, usize> = HashMap::new();
    judged.iter().for_each(|skill| *copies.entry(&skill.key).or_insert(0) += 1);
    for skill in judged {
        let key = match &skill.path {
            // Several copies of a skill are told apart by their folders.
            Some(path) if copies.get(skill.key.as_str()).is_some_and(|number| 1 < *number) => {
                format!("{} ({})", visible(&skill.key), visible(&shown_path(setup, path)))
            }
            _ => visible(&skill.key).into_owned(),
        };
        for (_, file, judgement) in &skill.records {
            let file = shown_record(setup, skill, file);
            rows.push((
                judgement.verdict,
                vec![key.clone(), file, judgement.verdict.as_str().to_owned(), judgement.shown()],
            ));
        }
        if let Some(verdict) = skill.lacking() {
            rows.push((verdict, vec![key, "-".to_owned(), verdict.as_str().to_owned(), String::new()]));
        }
    }
    let styles = [KEY, Style::new(), HEAD, Style::new()];
    let head = ["SKILL", "RECORD", "VERDICT", "NOTE"];
    let by_text: HashMap<&str, Style> = rows.iter().map(|(verdict, _)| (verdict.as_str(), verdict.style())).collect();
    let cells: Vec<Vec<String>> = rows.iter().map(|(_, cells)| cells.clone()).collect();
    let mark = |_: &[std::borrow::Cow<'_, str>], column: usize, shown: &str| {
        let style = by_text.get(shown).filter(|_| column == 2)?;
        Some(paint(*style, shown))
    };
    let mut out =
        if cells.is_empty() { String::new() } else { marked_table(&styles, Some(&head), &cells, width, Some(&mark)) };
    out.push_str(&summary(judged));
    for skill in judged {
        for breach in &skill.breaches {
            let _ = writeln!(out, "{}: {}", visible(&skill.key), breach.shown());
        }
    }
    out
}

/// A line with the number of skills and of each verdict.
fn summary(judged: &[Judged]) -> String {
    let verdicts: Vec<String> =
        counts(judged).into_iter().map(|(verdict, number)| format!("{number} {}", verdict.as_str())).collect();
    let verdicts = if verdicts.is_empty() { String::new() } else { format!(": {}", verdicts.join(", ")) };
    let unsigned =
        if judged.iter().any(|judged| has_signature(&judged.records)) { "" } else { "; no record is signed" };
    format!("{}{verdicts}{unsigned}\n", count(judged.len(), "skill"))
}
