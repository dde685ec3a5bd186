//! Policies: which skills may be used, by where they came from, what they ask for, and what covers them. A policy is the file
//! `skilltree-policy.yaml` of the folder that an administrator manages, the one that the user names with `--policy`, or those of the
//! project's folder and of the folders above it in its repository. Each of these is about the skills in its folder alone.
//!
//! `model` has the rules, and `others` reads the policies of other programs as such rules. All policies count together, so that a
//! project never loosens what an administrator has said. Nothing is fetched.

mod model;
mod others;

pub(crate) use model::{Breach, Level, ListedRoot};

use crate::answer::note_line;
use crate::facts::{Facts, place_of};
use crate::output::style::{ERROR, WARNING, paint};
use crate::output::text::folded;
use crate::reply::Failure;
use crate::setup::Setup;
use crate::trust::Trust;
use crate::verify::data::is_inside;
use crate::verify::records::{self, Installed, Kind, Search, SharedRecord};
use crate::verify::{Judgement, Verdict, lock};
use model::{Known, Policy, SignedBy};
use others::{Format, Package};
use skilltree::fs::FilePrefix;
use skilltree::{Catalog, Fs, FsError, FsPath, Json, Places, Skill, World, visible};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The name of a policy in a folder.
pub(crate) const NAME: &str = "skilltree-policy.yaml";
/// The largest policy that is read.
const MAX_BYTES: u64 = 1 << 20;
/// How many policies may extend each other.
const MAX_EXTENDED: usize = 8;
/// How long records are remembered. A server asks about each skill whenever it looks for changes.
const REMEMBERED: Duration = Duration::from_secs(1);

/// The policies that count.
#[derive(Default)]
pub(crate) struct Policies {
    /// About all skills.
    of_user: Vec<Policy>,
    /// About those in a folder of the project's tree.
    of_project: Vec<(FsPath, Policy)>,
}

impl Policies {
    /// Reads the policies. They are read once, when a command begins.
    ///
    /// # Errors
    /// For a file of `--policy` that is not there.
    pub(crate) fn read(setup: &Setup) -> Result<Policies, Failure> {
        let mut policies = Policies::default();
        if let Some(managed) = &setup.places.managed {
            policies.of_user = Policies::all_in(setup, managed, true);
        }
        if let Some(named) = &setup.options.policy {
            let path = setup.path(named)?;
            let folder = path.parent().unwrap_or_else(FsPath::root);
            let found = in_folder(setup, &folder, path.name(), true);
            if found.is_empty() {
                let why = format!("the policy `{}` does not exist", visible(&setup.fs.display(&path)));
                return Err(Failure::error("no-policy", why));
            }
            policies.of_user.extend(found);
        }
        let of_folder = |folder: &FsPath| {
            Policies::all_in(setup, folder, false)
                .into_iter()
                .map(|policy| (folder.clone(), policy))
                .collect::<Vec<_>>()
        };
        policies.of_project = setup.folders.iter().flat_map(of_folder).collect();
        Ok(policies)
    }

    /// The policies of each program in a folder.
    fn all_in(setup: &Setup, folder: &FsPath, is_named: bool) -> Vec<Policy> {
        Format::ALL.into_iter().flat_map(|(_, name)| in_folder(setup, folder, name, is_named)).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.of_user.is_empty() && self.of_project.is_empty()
    }

    fn all(&self) -> impl Iterator<Item = &Policy> {
        self.of_user.iter().chain(self.of_project.iter().map(|(_, policy)| policy))
    }

    /// Whether a rule does anything.
    fn has_rules(&self) -> bool {
        self.all().flat_map(|policy| &policy.rules).any(|rule| rule.level != Level::Off)
    }

    /// Lines for standard error about what of the files is not applied.
    pub(crate) fn notes(&self) -> String {
        let lines = self.all().flat_map(|policy| policy.notes.iter().map(|note| format!("`{}`: {note}", policy.file)));
        lines.map(|line| note_line(&folded(&line))).collect()
    }

    /// What a skill breaches, what is blocked first.
    fn breaches(&self, setup: &Setup, place: &FsPath, known: &Known) -> Vec<Breach> {
        // What an administrator has put there needs no lock.
        if setup.places.managed.as_ref().is_some_and(|managed| place.starts_with(managed)) {
            return Vec::new();
        }
        let own = self.of_project.iter().filter(|(folder, _)| place.starts_with(folder)).map(|(_, policy)| policy);
        let mut all: Vec<Breach> = self.of_user.iter().chain(own).flat_map(|policy| policy.breaches(known)).collect();
        all.sort_by_key(|breach| std::cmp::Reverse(breach.level));
        all
    }

    /// What a skill breaches that some records name, with what they say of it.
    pub(crate) fn judge(
        &self,
        setup: &Setup,
        copy: &Installed,
        said: &[(Kind, FsPath, Judgement)],
        (records, trust): (&[SharedRecord], &Trust),
        facts: Result<Facts, String>,
    ) -> Vec<Breach> {
        if self.is_empty() {
            return Vec::new();
        }
        let origins = records::origins(records.iter(), copy);
        let own_lock = crate::lock::of_project(setup);
        let mut locks =
            said.iter().filter(|(kind, file, _)| *kind == Kind::SkilltreeLock && Some(file) == own_lock.as_ref());
        let known = Known {
            sources: origins.iter().filter_map(model::place_of_source).collect(),
            packages: origins.iter().filter_map(Package::of).collect(),
            has_commit: origins
                .iter()
                .any(|origin| origin.get("commit").and_then(Json::as_text).is_some_and(is_commit)),
            lock: match locks.next().map(|(.., judgement)| judgement) {
                None => Err(format!("`{}` does not name it", lock::NAME)),
                // Who has signed the lock, and whether they are known, is another question than what it says.
                Some(judgement) if judgement.has_files_of_record() => Ok(()),
                Some(judgement) => Err(format!("`{}`: {}", lock::NAME, judgement.shown())),
            },
            signers: said.iter().filter_map(signed_by).collect(),
            has_foreign_root: said.iter().any(|(.., judgement)| judgement.verdict == Verdict::ForeignRoot),
            now: trust.now(),
            facts,
        };
        self.breaches(setup, &copy.folder, &known)
    }
}

/// Who signed what a record says of a skill, if that is verified.
fn signed_by((kind, _, judgement): &(Kind, FsPath, Judgement)) -> Option<SignedBy> {
    let signer = judgement.signer.as_ref().filter(|_| judgement.verdict == Verdict::Verified)?;
    let (kind, namespace) = kind.signed_with()?;
    let (root, subject) = (signer.root.clone(), signer.subject.clone());
    Some(SignedBy { kind: kind.to_owned(), namespace, root, subject })
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The policy of a folder, and those that it extends in the same folder; none if there is none. One that the user or an administrator
/// has named may be a symlink.
fn in_folder(setup: &Setup, folder: &FsPath, name: &str, is_named: bool) -> Vec<Policy> {
    let format = Format::of(name);
    let unreadable = format.unreadable(is_named);
    let mut found: Vec<Policy> = one(setup, folder, name, (format, unreadable), is_named).into_iter().collect();
    while let Some((last, (named, line, level))) = found.last().and_then(|last| Some((last, last.extends.clone()?))) {
        let refusing = |why: &str| Policy::refusing(level, &last.file, line, format!("it extends `{named}`, {why}"));
        let name = named.strip_prefix("./").unwrap_or(&named);
        let is_file = [".yaml", ".yml"].iter().any(|end| name.ends_with(end)) && is_inside(name);
        let next = match is_file {
            false => refusing("which is no policy of the same folder, such as `./base.yaml`; nothing is fetched"),
            true if MAX_EXTENDED <= found.len() => refusing("and so many policies cannot extend each other"),
            true => {
                one(setup, folder, name, (format, unreadable), false).unwrap_or_else(|| refusing("which is not there"))
            }
        };
        found.push(next);
    }
    // For APM, the most severe policy decides for all that extend each other.
    if format == Format::Apm {
        let most = found.iter().map(|policy| policy.level).max();
        for rule in found.iter_mut().flat_map(|policy| &mut policy.rules) {
            rule.level = most.unwrap_or(rule.level);
        }
    }
    found
}

/// A policy of a folder; `None` if it is not there. One that cannot be read is breached by every skill, at the level `unreadable`.
fn one(
    setup: &Setup,
    folder: &FsPath,
    name: &str,
    (format, unreadable): (Format, Level),
    may_be_link: bool,
) -> Option<Policy> {
    let path = folder.join(name).ok()?;
    let below = path.relative_to(&setup.project).filter(|below| !below.is_empty());
    let shown = below.map_or_else(|| setup.fs.display(&path).into_owned(), str::to_owned);
    let read = match may_be_link {
        true => setup.fs.read(&path, MAX_BYTES),
        false => setup.fs.read_within(folder, name, MAX_BYTES),
    };
    // A symlink to nothing may have been a policy.
    if let (Err(FsError::NotFound(_) | FsError::NotADirectory(_)), Ok(None)) = (&read, setup.fs.metadata(&path)) {
        return None;
    }
    Some(match text_of(read) {
        Ok(text) if format == Format::Own => Policy::parse(&shown, &text, &|name| beside(setup, folder, name)),
        Ok(text) => others::parse(format, &shown, &text, unreadable),
        Err(why) => Policy::refusing(unreadable, &shown, 1, format!("the policy {why}")),
    })
}

/// The text of a file that a policy of a folder names.
fn beside(setup: &Setup, folder: &FsPath, name: &str) -> Result<String, String> {
    let name = name.strip_prefix("./").unwrap_or(name);
    if !is_inside(name) {
        return Err("it is no file in the folder of the policy".to_owned());
    }
    text_of(setup.fs.read_within(folder, name, MAX_BYTES)).map_err(|why| format!("it {why}"))
}

fn text_of(read: Result<FilePrefix, FsError>) -> Result<String, String> {
    let read = read.map_err(|error| format!("cannot be read: {error}"))?;
    if MAX_BYTES < read.len {
        return Err(format!("is larger than {MAX_BYTES} bytes"));
    }
    String::from_utf8(read.bytes).map_err(|_| "is not UTF-8".to_owned())
}

impl Breach {
    /// `blocked by FILE:LINE: MESSAGE`.
    pub(crate) fn told(&self) -> String {
        format!("{} {}", self.word(), self.reason())
    }

    /// The same for a terminal.
    pub(crate) fn shown(&self) -> String {
        let style = if self.level == Level::Block { ERROR } else { WARNING };
        format!("{} {}", paint(style, self.word()), folded(&self.reason()))
    }

    fn reason(&self) -> String {
        format!("by `{}:{}`: {}", self.file, self.line, self.message)
    }

    fn word(&self) -> &'static str {
        if self.level == Level::Block { "blocked" } else { "warned of" }
    }

    /// The path of the file.
    pub(crate) fn path(&self, setup: &Setup) -> Option<FsPath> {
        setup.fs.parse(&self.file, &setup.project)
    }

    pub(crate) fn to_json(&self, setup: &Setup) -> Json {
        let file = self.path(setup).map_or_else(|| self.file.clone(), |path| setup.fs.display(&path).into_owned());
        Json::map([
            ("level", Json::from(self.level.as_str())),
            ("file", file.into()),
            ("line", self.line.into()),
            ("message", self.message.as_str().into()),
        ])
    }
}

/// Records that several threads ask.
type Records = Arc<Vec<SharedRecord>>;

/// What decides about a skill before it is loaded. Files are read each time, as they may have changed; the policies are those of when the
/// program started.
pub(crate) struct Gate {
    policies: Policies,
    /// The same setup without the gate.
    setup: Box<Setup>,
    /// A catalog without skills, whose dialect reads their frontmatter.
    catalog: Catalog,
    /// The records about the skills in a folder, and when they were read.
    records: Mutex<HashMap<FsPath, (Instant, Records)>>,
}

impl Gate {
    pub(crate) fn new(policies: Policies, setup: Setup) -> Gate {
        let nowhere = Places { only_roots: true, ..Places::default() };
        let world = World::new(setup.files(), &nowhere, &()).with_reading(setup.options.reading());
        let catalog = skilltree::discover(&world, &setup.dialect);
        Gate { policies, setup: Box::new(setup), catalog, records: Mutex::default() }
    }

    /// What a skill breaches now, what is blocked first.
    pub(crate) fn breaches(&self, skill: &Skill) -> Vec<Breach> {
        if !self.policies.has_rules() {
            return Vec::new();
        }
        let place = place_of(skill);
        let copy = Installed::read(&self.setup, &place);
        // What the user trusts is read anew, too. No file is named that could fail.
        let trust = match Trust::new(&self.setup, &[], None) {
            Ok(trust) => trust,
            Err(failure) => {
                let message = format!("what you trust cannot be read: {}", failure.message());
                return vec![Breach { level: Level::Block, file: NAME.to_owned(), line: 1, message }];
            }
        };
        let records = self.records_of(&place, &trust);
        let said = crate::verify::said_of(&self.setup, &copy, &records, &trust);
        let world = World::new(self.setup.files(), &self.setup.places, &());
        let facts = Facts::of(&world, &self.catalog, skill).map_err(|error| error.to_string());
        self.policies.judge(&self.setup, &copy, &said, (&records, &trust), facts)
    }

    pub(crate) fn policies(&self) -> &Policies {
        &self.policies
    }

    /// What blocks a skill.
    pub(crate) fn refusal(&self, skill: &Skill) -> Option<Breach> {
        self.breaches(skill).into_iter().find(|breach| breach.level == Level::Block)
    }

    fn records_of(&self, place: &FsPath, trust: &Trust) -> Records {
        let folder = place.parent().unwrap_or_else(FsPath::root);
        let mut known = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, (since, _)| since.elapsed() < REMEMBERED);
        if let Some((_, records)) = known.get(&folder) {
            return Arc::clone(records);
        }
        let mut search = Search::new(&self.setup);
        search.add_project();
        search.add_skill(place);
        let records = Arc::new(search.records(trust));
        known.insert(folder, (Instant::now(), Arc::clone(&records)));
        records
    }
}

/// Lines for standard error about what a skill breaches that is used nevertheless.
pub(crate) fn warnings(breaches: &[Breach]) -> String {
    breaches.iter().map(|breach| note_line(&breach.shown())).collect()
}
