//! The command `lock`: writes the lock of the project, `skilltree.lock`, or compares it with the skills. The format is that of
//! [`crate::verify::lock`].

use crate::answer::{Answer, Runner};
use crate::args::NonEmptyText;
use crate::facts::{Facts, place_of};
use crate::matrix::each_once;
use crate::output::findings;
use crate::output::style::{ERROR, KEY, WARNING};
use crate::output::table::table;
use crate::output::text::{count, folded};
use crate::own_file;
use crate::reply::{Exit, Failure, Output, Reply, document};
use crate::setup::Setup;
use crate::suggested::command;
use crate::trust::Trust;
use crate::verify::lock::{self, Locked, LockedSigner, Locks};
use crate::verify::records::{self, Installed, Kind, MAX_RECORD_BYTES, Search, SharedRecord, unread_at, walk};
use crate::verify::{Judgement, Signer, Verdict, named_place, said_of};
use anstyle::Style;
use clap::Args;
use skilltree::{Catalog, Code, Diagnostic, Fs, FsPath, Json, Skill, visible};
use std::collections::{BTreeMap, BTreeSet};

/// The arguments of `lock`.
#[derive(Args, Debug)]
pub(crate) struct LockArgs {
    /// Folder or file of a skill, or a tree of skills, in the project [default: the skills in use, and those that are locked]
    #[arg(value_name = "PATH", value_parser = NonEmptyText::new())]
    paths: Vec<String>,
    /// Write nothing, and exit with 1 unless the lock names exactly these skills and files, and each signer in it is verified
    #[arg(long, conflicts_with = "dry_run")]
    check: bool,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
}

/// What to do about a skill that is not signed by whom the lock names.
const SIGNER_HELP: &str = "trust the root of its signer with `skilltree trust FILE`; if it is to have no signer, remove its `signer` from the \
     lock";

/// What a command is about.
struct Asked {
    catalog: Catalog,
    /// The folder of the lock.
    folder: FsPath,
    /// The folders and files that the user names, in which skills are looked for.
    paths: Vec<FsPath>,
    /// Skills in use: if a path is named, those below it that are single files.
    skills: BTreeSet<FsPath>,
    /// What discovery could not read of these.
    unread: Vec<Diagnostic>,
}

/// The skills that a command is about: each of them as it is now, by its path below the project, and those that the lock alone has.
struct Compared {
    copies: BTreeMap<String, Installed>,
    /// Who has signed each of them, for its entry, or why it cannot be locked.
    signers: BTreeMap<String, Result<Option<LockedSigner>, String>>,
    rows: Vec<(String, Judgement)>,
    /// What could not be read in the folder of the lock.
    unread: Vec<Diagnostic>,
}

impl Runner<'_> {
    pub(crate) fn lock(self, ask: &LockArgs) -> Answer {
        let setup = Setup::new(self.options)?;
        let asked = self.asked(&setup, &ask.paths)?;
        let file = asked.folder.child(lock::NAME)?;
        let old = read(&setup, &file)?;
        let none = Locks::new();
        let known = old.as_ref().map_or(&none, |(_, locks)| locks);
        let trust = Trust::new(&setup, &[], None)?;
        let compared = self.compared(&setup, &asked, known, &trust)?;
        if ask.check {
            let reply = self.checked(&setup, &file, old.is_some(), &compared, &ask.paths);
            return Ok(reply.with_stderr(&trust.notes));
        }
        if let Some(failure) = findings::incomplete(&setup.fs, &compared.unread) {
            return Err(failure);
        }
        let new = locks(&setup, &asked.catalog, &compared, known, &trust)?;
        let text = lock::text(&new);
        if MAX_RECORD_BYTES < text.len() as u64 {
            let why = format!("the lock would have {} bytes, expected at most {MAX_RECORD_BYTES}", text.len());
            return Err(Failure::error("lock-too-large", why));
        }
        let replaces = old.map(|(text, _)| text.into_bytes());
        let is_new = replaces.as_deref() != Some(text.as_bytes());
        if is_new && !ask.dry_run {
            own_file::written(&setup, &file, text.into_bytes(), replaces).write(&setup.fs)?;
        }
        Ok(self.written(&setup, &file, &compared, new.len(), (is_new, ask.dry_run)).with_stderr(&trust.notes))
    }

    /// What the command is about: the skills in use, or those below these paths. The lock is that of the project. A new one belongs to
    /// the folder of the project, or, if one of these skills is above it, to that of the repository.
    fn asked(self, setup: &Setup, paths: &[String]) -> Result<Asked, Failure> {
        let catalog = self.catalog(setup);
        let paths = paths.iter().map(|named| named_place(setup, &catalog, named)).collect::<Result<Vec<_>, _>>()?;
        let is_asked = |path: &FsPath| paths.is_empty() || paths.iter().any(|asked| path.starts_with(asked));
        // The folders of skills below the paths are searched for, whichever client reads them.
        let is_needed = |skill: &&Skill| paths.is_empty() || place_of(skill) == skill.path;
        // What lies in an archive or a revision is not in the project, although it is searched like a folder there.
        let is_on_disk = |skill: &&Skill| matches!(setup.fs.metadata(&skill.path), Ok(Some(_)));
        let shadowed = catalog.shadowed().iter().map(|one| &one.skill).filter(|_| !paths.is_empty());
        let places = catalog.skills().iter().chain(shadowed).filter(is_needed).filter(is_on_disk).map(place_of);
        let mut skills: BTreeSet<FsPath> =
            places.filter(|place| is_asked(place) && place.starts_with(setup.tree())).collect();
        let unread = catalog.findings().iter().filter(|finding| findings::is_unread(finding));
        // The search below the paths tells of their folders, and of what is in those of skills.
        let is_told = |finding: &Diagnostic| {
            finding.code == Code::SourceUnreadable || finding.path.name().eq_ignore_ascii_case("SKILL.md")
        };
        let unread = unread.filter(|finding| paths.is_empty() || !is_told(finding));
        let mut unread: Vec<Diagnostic> = unread.filter(|finding| is_asked(&finding.path)).cloned().collect();
        let is_in_project = skills.iter().chain(&paths).all(|path| path.starts_with(&setup.project));
        let new = if is_in_project { &setup.project } else { setup.tree() };
        let folder = of_project(setup).and_then(|file| file.parent()).unwrap_or_else(|| new.clone());
        if let Some(path) = paths.iter().find(|path| !path.starts_with(&folder)) {
            let [shown, folder] = [path, &folder].map(|path| setup.fs.display(path));
            let why = format!(
                "`{}` is not in the project `{}`, whose skills alone can be locked",
                visible(&shown),
                visible(&folder)
            );
            return Err(Failure::error("not-in-project", why));
        }
        skills.retain(|skill| skill.starts_with(&folder));
        unread.retain(|finding| finding.path.starts_with(&folder));
        Ok(Asked { catalog, folder, paths, skills, unread })
    }

    /// Compares skills with what is locked.
    fn compared(self, setup: &Setup, asked: &Asked, known: &Locks, trust: &Trust) -> Result<Compared, Failure> {
        let Asked { folder, paths, skills, .. } = asked;
        let is_asked = |path: &FsPath| paths.is_empty() || paths.iter().any(|asked| path.starts_with(asked));
        let (mut skills, mut unread) = (skills.clone(), asked.unread.clone());
        for path in paths {
            let found = walk(setup.files(), path, Some(folder));
            if found.is_cut {
                let shown = setup.fs.display(path);
                let why = format!("`{}` has more folders than are looked at; name those of skills", visible(&shown));
                return Err(Failure::error("too-many-folders", why));
            }
            skills.extend(found.skills);
            unread.extend(found.unread);
        }
        // A skill that is locked is one of the project, whichever client is asked for.
        let locked = known.keys().filter(|path| lock::is_skill(setup.files(), folder, path));
        skills.extend(locked.filter_map(|path| folder.join(path).ok()).filter(is_asked));
        let mut compared = Compared { copies: BTreeMap::new(), signers: BTreeMap::new(), rows: Vec::new(), unread };
        self.progress.set_total(skills.len());
        for skill in skills {
            let path = skill.relative_to(folder).unwrap_or_default().to_owned();
            let copy = Installed::read(setup, &skill);
            let own = said_of(setup, &copy, &[], trust);
            let mut judgement = Judgement::new(Verdict::NoRecord, String::new());
            let old = known.get(&path);
            if let Some(locked) = old {
                judgement = locked.judge(&copy);
                locked.check_signer(&mut judgement, &own, trust);
            }
            compared.signers.insert(path.clone(), Locked::next_signer(old, &judgement, &own, trust));
            compared.rows.push((path.clone(), judgement));
            compared.copies.insert(path, copy);
            self.progress.advance();
        }
        let is_gone = |path: &&String| {
            !compared.copies.contains_key(*path) && folder.join(path).is_ok_and(|path| is_asked(&path))
        };
        let gone: Vec<&String> = known.keys().filter(is_gone).collect();
        for path in gone {
            let unread = folder.join(path).ok().and_then(|path| unread_at(setup.files(), &path));
            let note = unread.as_ref().map_or_else(String::new, |unread| unread.message.clone());
            compared.unread.extend(unread);
            compared.rows.push((path.clone(), Judgement::new(Verdict::Missing, note)));
        }
        compared.unread = each_once(compared.unread);
        compared.rows.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(compared)
    }

    /// What `lock --check` says.
    fn checked(self, setup: &Setup, file: &FsPath, is_there: bool, compared: &Compared, paths: &[String]) -> Reply {
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let is_any = |is: fn(Verdict) -> bool| compared.rows.iter().any(|(_, judgement)| is(judgement.verdict));
        let relock = || format!("if the skills are as they should be, {} locks them", command(&["lock"], &paths));
        let is_lost = |(path, _): &(String, Judgement)| matches!(compared.signers.get(path), Some(Err(_)));
        let failure = match is_there {
            false => Some(("lock-missing", format!("there is no `{}` in the project", lock::NAME), relock())),
            true if compared.rows.iter().any(is_lost) => {
                let message = format!("not every skill is signed by whom `{}` names", lock::NAME);
                Some(("lock-differs", message, SIGNER_HELP.to_owned()))
            }
            true if is_any(|verdict| !is_kept(verdict)) => {
                Some(("lock-differs", format!("the skills are not those of `{}`", lock::NAME), relock()))
            }
            true if is_any(|verdict| verdict != Verdict::Matches) => {
                let message = format!("not every signer that `{}` names can be verified", lock::NAME);
                Some(("signer-unknown", message, "`skilltree trust FILE` trusts the root of a signer".to_owned()))
            }
            true if compared.unread.iter().any(findings::hides_skills) => {
                let help = "let the program read it, and check again".to_owned();
                Some(("unread", "not everything in the project could be read".to_owned(), help))
            }
            true => None,
        };
        let failure = failure.map(|(code, message, help)| Failure::negative(code, message).with_help(help));
        let out = match self.json {
            true => {
                let json = answer_json(setup, file, &compared.rows, ("verdict", verdict_name));
                document(&failure.as_ref().map_or(json.clone(), |failure| failure.add_to_json(json)))
            }
            false => {
                let shown = compared.rows.iter().filter(|(_, judgement)| judgement.verdict != Verdict::Matches);
                let row = |(path, judgement): &(String, Judgement)| {
                    vec![verdict_name(judgement.verdict).to_owned(), visible(path).into_owned(), judgement.shown()]
                };
                let rows: Vec<Vec<String>> = shown.map(row).collect();
                let table = table(&[WARNING, KEY, Style::new()], None, &rows, self.screen.width);
                let matches = compared.rows.len() - rows.len();
                Output::Styled(format!("{table}{} of {} as locked\n", matches, count(compared.rows.len(), "skill")))
            }
        };
        let (err, exit) = match &failure {
            Some(failure) => (failure.to_stderr(), Exit::Negative),
            None => (String::new(), Exit::Success),
        };
        Reply::new(out).with_stderr(&findings::unread(&setup.fs, &compared.unread)).with_stderr(&err).with_exit(exit)
    }

    /// What `lock` says when it has written the file, or has found nothing to write.
    fn written(
        self,
        setup: &Setup,
        file: &FsPath,
        compared: &Compared,
        number: usize,
        (is_new, is_dry): (bool, bool),
    ) -> Reply {
        let note = findings::unread(&setup.fs, &compared.unread);
        if self.json {
            let json = answer_json(setup, file, &compared.rows, ("change", change_name));
            let json = json.with("changed", Some(is_new)).with("written", Some(is_new && !is_dry));
            return Reply::json(&json).with_stderr(&note);
        }
        let shown = compared.rows.iter().filter(|(_, judgement)| !is_kept(judgement.verdict));
        let row = |(path, judgement): &(String, Judgement)| {
            let (sign, style) = match judgement.verdict {
                Verdict::NoRecord => ("+", KEY),
                Verdict::Missing => ("-", ERROR),
                _ => ("~", WARNING),
            };
            let sign = crate::output::style::paint(style, sign);
            let files = judgement.shown();
            let files = if files.is_empty() { files } else { format!(": {files}") };
            format!("{sign} {}{files}\n", visible(path))
        };
        let rows: String = shown.map(row).collect();
        let skills = count(number, "skill");
        let done = match (is_new, is_dry) {
            (true, true) => format!("would lock {skills} in `{}`", lock::NAME),
            (true, false) => format!("locked {skills} in `{}`", lock::NAME),
            (false, _) => format!("`{}` has {skills}, and nothing has changed", lock::NAME),
        };
        Reply::new(Output::Styled(format!("{rows}{done}\n"))).with_stderr(&note)
    }
}

/// Reads the lock of the project; `None` if there is none.
pub(crate) fn read(setup: &Setup, file: &FsPath) -> Result<Option<(String, Locks)>, Failure> {
    let corrupt = |why: &str| {
        let shown = setup.fs.display(file);
        let message = format!("`{}` is not a lock: {}", visible(&shown), folded(why));
        Failure::negative("lock-corrupt", message)
            .with_help("restore the file, or remove it and write a new one".to_owned())
    };
    let most = usize::try_from(MAX_RECORD_BYTES).unwrap_or(usize::MAX);
    let no_links_in = setup.places.no_links_in(&setup.fs);
    let Some(text) = own_file::read(&setup.fs, no_links_in, file, most, &corrupt)? else { return Ok(None) };
    let locks = lock::read(&text).map_err(|why| corrupt(&why))?;
    Ok(Some((text, locks)))
}

/// A lock that somebody has signed whom the user trusts.
pub(crate) struct SignedLock {
    pub(crate) folder: FsPath,
    pub(crate) locks: Locks,
    pub(crate) signer: Signer,
}

/// The lock of the project.
///
/// # Errors
/// If it is not signed by somebody whom the user trusts.
pub(crate) fn signed(setup: &Setup) -> Result<SignedLock, Failure> {
    let missing = || Failure::negative("lock-missing", format!("there is no `{}` in the project", lock::NAME));
    let file = of_project(setup).ok_or_else(missing)?;
    let folder = file.parent().unwrap_or_else(FsPath::root);
    let (text, locks) = read(setup, &file)?.ok_or_else(missing)?;
    let trust = Trust::new(setup, &[], None)?;
    match lock::signer(&setup.fs, &folder, lock::NAME, &text, &trust) {
        Some(Ok(signer)) => Ok(SignedLock { folder, locks, signer }),
        Some(Err(why)) => {
            let why = Judgement::from(why);
            let message =
                format!("the signature of `{}` is not verified: {}: {}", lock::NAME, why.verdict.as_str(), why.note);
            Err(Failure::negative("lock-not-verified", message).with_note(trust.notes))
        }
        None => {
            let help = format!("`ssh-keygen -Y sign -f KEY -n skilltree-lock {}` signs it", lock::NAME);
            Err(Failure::negative("lock-not-verified", format!("`{}` is not signed", lock::NAME)).with_help(help))
        }
    }
}

/// The lock of the project: the nearest one in its folder and those above it in its repository; `None` if there is none.
pub(crate) fn of_project(setup: &Setup) -> Option<FsPath> {
    // One that cannot be looked at may be there, and is refused when it is read.
    let is_there = |file: &FsPath| !matches!(setup.fs.metadata(file), Ok(None));
    setup.folders.iter().filter_map(|folder| folder.child(lock::NAME).ok()).find(is_there)
}

/// The lock with these skills as they are now, and with what it says about others.
fn locks(
    setup: &Setup,
    catalog: &Catalog,
    compared: &Compared,
    known: &Locks,
    trust: &Trust,
) -> Result<Locks, Failure> {
    let mut search = Search::new(setup);
    search.add_project();
    compared.copies.values().for_each(|copy| search.add_skill(&copy.folder));
    let records = search.records(trust);
    let places = compared.copies.values().map(|copy| copy.folder.clone()).collect();
    let facts = Facts::at(setup, catalog, &places);
    let (mut new, mut refused, mut unsigned) = (known.clone(), Vec::new(), Vec::new());
    for (path, judgement) in &compared.rows {
        let (Some(copy), Some(signer)) = (compared.copies.get(path), compared.signers.get(path)) else {
            debug_assert_eq!(judgement.verdict, Verdict::Missing);
            new.remove(path);
            continue;
        };
        let (source, old) = (origin(&records, copy), known.get(path));
        let shown = if path.is_empty() { "." } else { path };
        let signer = signer.clone().unwrap_or_else(|why| {
            unsigned.push(format!("`{shown}` cannot be locked: {why}"));
            None
        });
        let locked = match lock::refusal_of_path(path) {
            Some(why) => Err(vec![why.to_owned()]),
            None => Locked::of(copy, old, signer, source, facts.get(&copy.folder).map(Facts::to_json)),
        };
        match locked {
            Ok(locked) => drop(new.insert(path.clone(), locked)),
            Err(why) => refused.extend(why.into_iter().map(|why| format!("`{shown}` cannot be locked: {why}"))),
        }
    }
    let regular = "a lock is of regular files alone; remove what is not part of the skill, or move it elsewhere";
    for (code, reasons, help) in [("not-lockable", refused, regular), ("signer-lost", unsigned, SIGNER_HELP)] {
        if let Some(failure) = Failure::of_all(code, &reasons) {
            return Err(failure.with_help(help.to_owned()));
        }
    }
    Ok(new)
}

/// Where a skill came from, by the records that name it; by one with a commit if there is such a one.
fn origin(records: &[SharedRecord], copy: &Installed) -> Option<Json> {
    // The lock does not go on saying what no other record says.
    let others = records.iter().filter(|(kind, ..)| *kind != Kind::SkilltreeLock);
    records::origins(others, copy).into_iter().min_by_key(|origin| origin.get("commit").is_none())
}

/// Whether the entry of a skill with this verdict stays as it is: the files are those that are locked, and what is said of the signature
/// may be otherwise on another machine.
fn is_kept(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Matches | Verdict::ForeignRoot | Verdict::Expired | Verdict::Unknown)
}

fn verdict_name(verdict: Verdict) -> &'static str {
    if verdict == Verdict::NoRecord { "not locked" } else { verdict.as_str() }
}

fn change_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::NoRecord => "added",
        Verdict::Missing => "removed",
        kept if is_kept(kept) => "unchanged",
        _ => "changed",
    }
}

/// The answer about the lock in this file, with a word for each verdict in the field of this name.
fn answer_json(
    setup: &Setup,
    file: &FsPath,
    rows: &[(String, Judgement)],
    (field, word): (&str, fn(Verdict) -> &'static str),
) -> Json {
    let shown = |path: &FsPath| setup.fs.display(path).into_owned();
    let folder = file.parent().unwrap_or_else(FsPath::root);
    let row = |(path, judgement): &(String, Judgement)| {
        Json::map([
            ("path", Json::from(folder.join(path).map_or_else(|_| path.clone(), |path| shown(&path)))),
            (field, word(judgement.verdict).into()),
            ("files", judgement.files_json()),
            ("message", judgement.note.as_str().into()),
        ])
    };
    Json::map([("file", Json::from(shown(file))), ("skills", rows.iter().map(row).collect::<Vec<_>>().into())])
}
