//! Finds the records that may be about a skill, and reads them within bounds. Whatever a record says is the data of a stranger:
//! no path of it is opened but below the folder of the record or of a source.

use super::data::{self, split_frontmatter};
use super::source::Sources;
use super::tree::{Files, NOT_ENTERED};
use super::{Distrust, Judgement, Said, Verdict, apm, gh, lock, oms, ssh_manifest, vercel, well_known};
use crate::output::style::{WARNING, paint};
use crate::setup::{Setup, and_above};
use crate::trust::Trust;
use skilltree::author::Outline;
use skilltree::fs::{Entry, FileKind, FilePrefix};
use skilltree::{Code, Diagnostic, Fs, FsError, FsPath, Json, Severity, visible};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// The largest file of records that is read. Real ones have some hundred KiB.
pub(crate) const MAX_RECORD_BYTES: u64 = 8 << 20;
/// How much of a SKILL.md is read for its name.
const MAX_HEAD_BYTES: u64 = 256 << 10;
/// How many entries of folders are looked at for skills and records, and how deep.
const MAX_ENTRIES: usize = 200_000;
const MAX_DEPTH: usize = 24;

/// What kind of record something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// `skills-lock.json` of `npx skills`, in a project.
    SkillsLock,
    /// `.skill-lock.json` of `npx skills`, of a user.
    SkillLock,
    /// `apm.lock.yaml` of APM.
    ApmLock,
    /// The fields that `gh skill` writes into the frontmatter.
    GhSkill,
    /// `skilltree.lock` of this program.
    SkilltreeLock,
    /// `.well-known/agent-skills/index.json` of a site.
    WellKnown,
    /// `skill.oms.sig`, a signature.
    Oms,
    /// `MANIFEST.sig.json` of `skill-signer`, with or without a signature.
    SshManifest,
}

impl Kind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Kind::SkillsLock => "skills-lock",
            Kind::SkillLock => "skill-lock",
            Kind::ApmLock => "apm-lock",
            Kind::GhSkill => "gh-skill",
            Kind::SkilltreeLock => "skilltree-lock",
            Kind::WellKnown => "well-known",
            Kind::Oms => "oms",
            Kind::SshManifest => "ssh-manifest",
        }
    }

    /// Whether it is about the whole folder that it is in, and may be a signature.
    pub(crate) fn is_of_folder(self) -> bool {
        SIGNED.iter().any(|(kind, ..)| *kind == self)
    }

    /// What kind of signer such records have, and the purpose of a signature by a key; none if they have no signature.
    pub(crate) fn signed_with(self) -> Option<(&'static str, Option<&'static str>)> {
        match self {
            Kind::Oms => Some(("oms", None)),
            Kind::SkilltreeLock => Some(("ssh", Some(lock::NAMESPACE))),
            Kind::SshManifest => Some(("ssh", Some(ssh_manifest::NAMESPACE))),
            _ => None,
        }
    }
}

/// Something that says which files a skill should have: a file of locks, a part of one, or what stands in the skill itself.
pub(crate) trait Record {
    /// What it says of a copy; `None` if it does not name it.
    fn judge(&self, copy: &Installed, sources: &Sources<'_>) -> Option<Judgement>;

    /// The skills that it names and that are not there.
    fn absent(&self) -> Vec<Absent> {
        Vec::new()
    }

    /// What it says of files that are no copy of a skill, such as archives: the name of the skill, the path of the file if it is there,
    /// and the judgement.
    fn alone(&self) -> Vec<(String, Option<FsPath>, Judgement)> {
        Vec::new()
    }

    /// Where a copy that it names came from, in the form of [`lock`]; `None` if it does not tell.
    fn origin(&self, _: &Installed) -> Option<Json> {
        None
    }

    /// Adds to what it says of a copy whether that is still signed by whom it names. `own` is what the records in the copy say.
    fn check_signer(&self, _copy: &Installed, _judgement: &mut Judgement, _own: &Said, _trust: &Trust) {}
}

/// What a file of records says, which several threads of a server may ask.
pub(crate) type Shared = Box<dyn Record + Send + Sync>;

/// The same with its kind and its file.
pub(crate) type SharedRecord = (Kind, FsPath, Shared);

/// A skill that a record names and that is not there.
pub(crate) struct Absent {
    pub(crate) name: String,
    /// Where it should be.
    pub(crate) place: FsPath,
    /// Whether the record names the place, and not the skill alone, which may then be elsewhere.
    pub(crate) is_exact: bool,
}

/// A skill as it lies on the disk.
pub(crate) struct Installed {
    pub(crate) folder: FsPath,
    /// The name in its frontmatter.
    pub(crate) name: Option<String>,
    /// Its files, or why they cannot be read.
    pub(crate) files: Result<Files, String>,
}

impl Installed {
    /// Reads a folder, or the file that a skill consists of.
    pub(crate) fn read(setup: &Setup, folder: &FsPath) -> Installed {
        let name = name_of(setup.files(), folder);
        let files = Files::read(setup.files(), Some(&setup.fs), folder);
        Installed { folder: folder.clone(), name, files }
    }

    /// The text of its SKILL.md.
    pub(crate) fn manifest(&self) -> Option<&str> {
        std::str::from_utf8(&self.files.as_ref().ok()?.get("SKILL.md")?.bytes).ok()
    }
}

/// The data of the frontmatter of a SKILL.md, and the text after it.
pub(crate) fn frontmatter(text: &str) -> Option<(Json, &str)> {
    let (front, body) = split_frontmatter(text)?;
    Some((data::yaml(front).ok()?, body))
}

/// The texts of the frontmatter of a SKILL.md as the library reads them, which repairs what is not valid YAML, by the paths of the
/// fields, such as `metadata.version`. A field with another value has none.
pub(crate) fn fields(text: &str) -> HashMap<String, Option<String>> {
    let fields = Outline::of(&skilltree::dialect::agentskills(), &FsPath::root(), text).fields;
    fields.into_iter().map(|field| (field.path, field.text)).collect()
}

/// The name in the frontmatter of a skill.
pub(crate) fn name_of(fs: &dyn Fs, folder: &FsPath) -> Option<String> {
    let head = fs.read_within(folder, "SKILL.md", MAX_HEAD_BYTES).ok()?;
    fields(&String::from_utf8_lossy(&head.bytes)).remove("name")?
}

/// The skills that a record may be about: those below a folder, but for a part of it.
pub(crate) struct Scope {
    pub(crate) folder: FsPath,
    pub(crate) except: Option<FsPath>,
}

impl Scope {
    pub(crate) fn contains(&self, folder: &FsPath) -> bool {
        folder.starts_with(&self.folder) && !self.except.as_ref().is_some_and(|except| folder.starts_with(except))
    }
}

/// The folders of skills of clients in the folder of a project or a user: `skills`, and `.claude/skills` and its like.
pub(crate) fn skills_folders(fs: &dyn Fs, folder: &FsPath, is_home: bool) -> Vec<FsPath> {
    let mut found: Vec<FsPath> = folder.join("skills").into_iter().collect();
    let hidden = folders_in(fs, folder).into_iter().filter(|entry| entry.name.starts_with('.'));
    for client in hidden.filter_map(|entry| folder.child(&entry.name).ok()).take(1_000) {
        found.extend(client.join("skills"));
        // Users have such folders as `~/.config/opencode/skills`, too.
        if is_home {
            let inner = folders_in(fs, &client).into_iter().take(1_000);
            found.extend(inner.filter_map(|entry| client.child(&entry.name).ok()?.join("skills").ok()));
        }
    }
    found.retain(|at| fs.metadata(at).is_ok_and(|found| found.is_some_and(|found| found.kind == FileKind::Dir)));
    found
}

fn folders_in(fs: &dyn Fs, folder: &FsPath) -> Vec<Entry> {
    let entries = fs.list(folder).unwrap_or_default();
    entries.into_iter().filter(|entry| entry.kind == FileKind::Dir && !entry.is_lossy).collect()
}

/// Whether a folder is that of a skill. Some clients read a `skill.md`, too.
fn has_manifest(entries: &[Entry]) -> bool {
    entries.iter().any(|entry| entry.kind == FileKind::File && entry.name.eq_ignore_ascii_case("SKILL.md"))
}

/// The names of the skills in such folders: of each folder, and of its frontmatter. What is a link out of `top` is left out.
pub(crate) fn names_in(fs: &dyn Fs, top: &FsPath, folders: &[FsPath]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let Ok(real) = fs.canonical(top) else { return names };
    for folder in folders {
        for entry in folders_in(fs, folder).into_iter().take(5_000) {
            let Ok(skill) = folder.child(&entry.name) else { continue };
            let is_inside = fs.canonical(&skill).is_ok_and(|skill| skill.starts_with(&real));
            if is_inside && has_manifest(&fs.list(&skill).unwrap_or_default()) {
                names.extend(name_of(fs, &skill));
                names.insert(entry.name);
            }
        }
    }
    names
}

/// What lies below a folder.
#[derive(Default)]
pub(crate) struct Walked {
    /// The folders with a SKILL.md.
    pub(crate) skills: Vec<FsPath>,
    /// The folders with a signature and without a SKILL.md, which was signed and is gone.
    signed: Vec<FsPath>,
    /// The folders with a file of records.
    locks: Vec<FsPath>,
    /// The folders that could not be searched.
    pub(crate) unread: Vec<Diagnostic>,
    /// Whether there is more than is looked at.
    pub(crate) is_cut: bool,
}

/// The finding about a folder of which an error tells that it may be there and cannot be read.
fn unread(folder: &FsPath, error: &FsError) -> Option<Diagnostic> {
    let why = match error {
        FsError::Denied(_) => "it may not be read (permission denied)",
        FsError::Other { message, .. } => message,
        _ => return None,
    };
    let message = format!("the folder could not be listed: {why}");
    Some(Diagnostic::new(Severity::Warning, Code::Unreadable, folder.clone(), message))
}

/// The finding about a folder in which it cannot be told whether there is a SKILL.md; `None` if it can.
pub(crate) fn unread_at(fs: &dyn Fs, folder: &FsPath) -> Option<Diagnostic> {
    unread(folder, &fs.metadata(&folder.child("SKILL.md").ok()?).err()?)
}

/// Walks a folder. Symlinks to folders below `inside` are followed, and no others. A skill may lie in another one: some clients find
/// it there.
pub(crate) fn walk(fs: &dyn Fs, root: &FsPath, inside: Option<&FsPath>) -> Walked {
    let mut out = Walked::default();
    let inside = inside.and_then(|inside| fs.canonical(inside).ok());
    let (mut folders, mut left) = (vec![(root.clone(), 0, false)], MAX_ENTRIES);
    while let Some((at, depth, is_in_skill)) = folders.pop() {
        let entries = fs.list(&at).unwrap_or_else(|error| {
            out.unread.extend(unread(&at, &error));
            Vec::new()
        });
        let has = |name: &str| entries.iter().any(|entry| entry.name == name && entry.kind == FileKind::File);
        let is_skill = has_manifest(&entries);
        if is_skill {
            out.skills.push(at.clone());
        } else if !is_in_skill && SIGNED.iter().any(|(_, name, ..)| has(name)) {
            out.signed.push(at.clone());
        }
        let has_index = entries.iter().any(|entry| well_known::PATH.split('/').next() == Some(&entry.name));
        if has_index || LOCKS.iter().any(|(_, name)| has(name)) {
            out.locks.push(at.clone());
        }
        if left < entries.len() || depth == MAX_DEPTH {
            out.is_cut = true;
            continue;
        }
        left -= entries.len();
        for entry in entries.iter().filter(|entry| entry.kind == FileKind::Dir) {
            let Ok(child) = at.child(&entry.name) else { continue };
            if entry.is_lossy {
                // In a skill, it is one of the files, none of which may have such a name.
                if !is_in_skill && !is_skill {
                    let message = "the folder name is not UTF-8, so it was not searched";
                    out.unread.push(Diagnostic::new(Severity::Warning, Code::PathNotUtf8, child, message));
                }
                continue;
            }
            // A link to a folder above would be followed again and again.
            let is_followed = || {
                let (Some(inside), Ok(real), Ok(here)) = (&inside, fs.canonical(&child), fs.canonical(&at)) else {
                    return false;
                };
                real.starts_with(inside) && !here.starts_with(&real)
            };
            let is_left_out = NOT_ENTERED.contains(&entry.name.as_str());
            if !is_left_out && (!entry.is_symlink || is_followed()) {
                folders.push((child, depth + 1, is_in_skill || is_skill));
            }
        }
    }
    out.skills.sort();
    out
}

/// The files of records in a project.
const LOCKS: [(Kind, &str); 4] = [
    (Kind::SkillsLock, "skills-lock.json"),
    (Kind::ApmLock, "apm.lock.yaml"),
    (Kind::SkilltreeLock, lock::NAME),
    (Kind::WellKnown, well_known::PATH),
];

/// Where records are looked for.
pub(crate) struct Search<'s> {
    setup: &'s Setup,
    /// The folders that may have records of a project, and how far above them skills may be.
    folders: BTreeMap<FsPath, FsPath>,
    pub(crate) skills: Vec<FsPath>,
    /// Lines for standard error about what could not be read.
    pub(crate) notes: String,
    /// The folders among it.
    pub(crate) unread: BTreeSet<FsPath>,
}

impl<'s> Search<'s> {
    pub(crate) fn new(setup: &'s Setup) -> Search<'s> {
        Search { setup, folders: BTreeMap::new(), skills: Vec::new(), notes: String::new(), unread: BTreeSet::new() }
    }

    /// Adds a skill in use.
    pub(crate) fn add_skill(&mut self, folder: &FsPath) {
        let tree = self.setup.tree();
        if folder.starts_with(tree) {
            self.add_above(folder, tree);
        }
        self.skills.push(folder.clone());
    }

    /// Adds the project itself, which may have records of skills that are not there.
    pub(crate) fn add_project(&mut self) {
        self.add_above(&self.setup.project, self.setup.tree());
    }

    /// Adds all skills and records below a path, and the records above it.
    pub(crate) fn add_path(&mut self, path: &FsPath) {
        let tree = self.setup.tree();
        let top = if path.starts_with(tree) { tree.clone() } else { path.clone() };
        let walked = walk(self.setup.files(), path, Some(&top));
        if walked.is_cut {
            self.warn(path, "it has more folders than are looked at");
        }
        self.add_above(path, &top);
        for unread in walked.unread {
            self.folders.remove(&unread.path);
            self.warn(&unread.path, &unread.message);
            self.unread.insert(unread.path);
        }
        for folder in walked.locks {
            self.folders.entry(folder).or_insert_with(|| top.clone());
        }
        for skill in walked.skills.iter().chain(&walked.signed) {
            self.add_above(skill, &top);
        }
        self.skills.extend(walked.skills);
        self.skills.extend(walked.signed);
    }

    fn add_above(&mut self, folder: &FsPath, top: &FsPath) {
        for at in and_above(folder).take_while(|at| at.starts_with(top)) {
            self.folders.entry(at).or_insert_with(|| top.clone());
        }
    }

    fn warn(&mut self, path: &FsPath, why: &str) {
        let shown = self.setup.fs.display(path);
        let line = format!("{}: `{}`: {}\n", paint(WARNING, "warning"), visible(&shown), visible(why));
        self.notes.push_str(&line);
    }

    /// Reads all records but those in the skills themselves.
    pub(crate) fn records(&mut self, trust: &Trust) -> Vec<SharedRecord> {
        let mut all: Vec<SharedRecord> = Vec::new();
        for (folder, top) in std::mem::take(&mut self.folders) {
            for (kind, name) in LOCKS {
                let Ok(file) = folder.join(name) else { continue };
                let below = file.relative_to(&top).unwrap_or(name).to_owned();
                let read = self.setup.files().read_within(&top, &below, MAX_RECORD_BYTES);
                let Some(text) = text_of(read, MAX_RECORD_BYTES).transpose() else { continue };
                let scope = Scope { folder: folder.clone(), except: None };
                self.add_record(&mut all, kind, file, text, scope, (&top, trust));
            }
        }
        self.add_user(&mut all, trust);
        all
    }

    /// Reads the records of the user, which need not be below the home directory.
    fn add_user(&mut self, all: &mut Vec<SharedRecord>, trust: &Trust) {
        let Some(home) = self.setup.places.home.clone() else { return };
        // A home directory that is named stands for another user, whose variables are not known.
        let state = std::env::var("XDG_STATE_HOME").ok().filter(|state| Path::new(state).is_absolute());
        let state = state.filter(|_| self.setup.options.home.is_none());
        let state = state.and_then(|state| self.setup.path(&state).ok()?.join("skills/.skill-lock.json").ok());
        for file in state.into_iter().chain(home.join(".agents/.skill-lock.json")) {
            let read = self.setup.files().read(&file, MAX_RECORD_BYTES);
            let Some(text) = text_of(read, MAX_RECORD_BYTES).transpose() else { continue };
            let tree = self.setup.tree();
            let except = (tree.starts_with(&home) && *tree != home).then(|| tree.clone());
            let scope = Scope { folder: home.clone(), except };
            self.add_record(all, Kind::SkillLock, file, text, scope, (&home, trust));
        }
    }

    fn add_record(
        &mut self,
        all: &mut Vec<SharedRecord>,
        kind: Kind,
        file: FsPath,
        text: Result<String, String>,
        scope: Scope,
        (top, trust): (&FsPath, &Trust),
    ) {
        let read = text.and_then(|text| match kind {
            Kind::ApmLock => apm::read(self.setup, &scope, &text),
            Kind::WellKnown => well_known::read(self.setup, &scope.folder, &text).map(|index| vec![index]),
            Kind::SkilltreeLock => lock::record(self.setup, &file, &scope, top, &text, trust).map(|lock| vec![lock]),
            _ => vercel::read(self.setup, kind, &scope, top, &text).map(|lock| vec![lock]),
        });
        match read {
            Ok(records) => all.extend(records.into_iter().map(|record| (kind, file.clone(), record))),
            Err(why) => {
                self.warn(&file, &why);
                all.push((kind, file, Box::new(Unread { scope, why })));
            }
        }
    }
}

/// The text of a file of which at most so many bytes were read; none if there is none.
///
/// # Errors
/// Why it cannot be read.
pub(crate) fn text_of(read: Result<FilePrefix, FsError>, most: u64) -> Result<Option<String>, String> {
    match read {
        Ok(read) if most < read.len => Err(format!("it is larger than {most} bytes")),
        Ok(read) => String::from_utf8(read.bytes).map(Some).map_err(|_| "it is not UTF-8".to_owned()),
        Err(FsError::NotFound(_) | FsError::NotADirectory(_)) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Where a copy came from, by each of these records and by what stands in the copy itself.
pub(crate) fn origins<'r>(records: impl Iterator<Item = &'r SharedRecord>, copy: &Installed) -> Vec<Json> {
    let own = gh::of(copy);
    let of_own = own.iter().filter_map(|record| record.origin(copy));
    records.filter_map(|(.., record)| record.origin(copy)).chain(of_own).collect()
}

/// A record that a skill has in itself, with its kind and its file.
type OwnRecord<'t> = (Kind, FsPath, Box<dyn Record + 't>);

/// The records that a skill has in itself.
pub(crate) fn of_copy<'t>(setup: &Setup, copy: &Installed, trust: &'t Trust) -> Vec<OwnRecord<'t>> {
    let signed = SIGNED.into_iter().filter_map(|(kind, name, most, judge)| {
        let read = setup.files().read_within(&copy.folder, name, most);
        let (file, text) = (copy.folder.child(name).ok()?, text_of(read, most).transpose()?);
        Some((kind, file, Box::new(InFolder { text, trust, judge }) as Box<dyn Record>))
    });
    let of_gh = gh::of(copy).and_then(|record| Some((Kind::GhSkill, copy.folder.child("SKILL.md").ok()?, record)));
    of_gh.into_iter().chain(signed).collect()
}

/// Judges a copy by the text of such a file.
type Judge = fn(&str, &Installed, &Trust) -> Result<Judgement, Distrust>;

/// The files in the folder of a skill that are about all others in it and may be signed, each with its largest size.
const SIGNED: [(Kind, &str, u64, Judge); 2] = [
    (Kind::Oms, oms::NAME, oms::MAX_BYTES, oms::judge),
    (Kind::SshManifest, ssh_manifest::NAME, ssh_manifest::MAX_BYTES, ssh_manifest::judge),
];

/// One of these files.
struct InFolder<'t> {
    /// Its text, or why it cannot be read.
    text: Result<String, String>,
    trust: &'t Trust,
    judge: Judge,
}

impl Record for InFolder<'_> {
    fn judge(&self, copy: &Installed, _: &Sources<'_>) -> Option<Judgement> {
        let text = self.text.as_ref().map_err(|why| Distrust::Invalid(why.clone()));
        Some(text.and_then(|text| (self.judge)(text, copy, self.trust)).unwrap_or_else(Judgement::from))
    }
}

/// A file of records that cannot be read. It may name any skill in its scope.
struct Unread {
    scope: Scope,
    why: String,
}

impl Record for Unread {
    fn judge(&self, copy: &Installed, _: &Sources<'_>) -> Option<Judgement> {
        self.scope.contains(&copy.folder).then(|| Judgement::new(Verdict::Unknown, self.why.clone()))
    }
}
