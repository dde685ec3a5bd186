//! The records of `npx skills` by Vercel: `skills-lock.json` of a project, and `.skill-lock.json` of a user. Both name a skill and
//! what it was copied from, with a hash of the folder of the source.
//!
//! The hash is of the source, and installers leave files out of the copy: `metadata.json`, caches of Python, in older versions also
//! what begins with `_`. So a copy with another hash need not have been changed, and only its source can tell. What can be told
//! without it: every version that leaves out anything leaves out `metadata.json`, so that a copy which has one is either whole or
//! was changed, and differs in both cases if its hash is another one.

use super::data::{self, is_hex, is_inside};
use super::records::{Absent, Installed, Kind, Record, Scope, Shared, names_in, skills_folders};
use super::source::{Candidate, Sources, compare, is_same};
use super::tree::{Endings, File, Files, digits, joined_hash, locale_order};
use super::{Change, Changed, Judgement, Verdict};
use crate::setup::{Setup, and_above};
use skilltree::{FsPath, Json};
use std::collections::BTreeSet;

const MAX_SKILLS: usize = 20_000;

/// The types of sources that `npx skills` writes. Other programs write more into the same file, with hashes of their own.
const SOURCE_TYPES: [&str; 6] = ["github", "gitlab", "git", "local", "well-known", "node_modules"];

/// A file of locks.
struct Lock {
    kind: Kind,
    scope: Scope,
    entries: Vec<Entry>,
    /// The names of the skills in the folders of clients beside the file.
    here: BTreeSet<String>,
    /// The same for the folders above, in which clients look, too.
    above: BTreeSet<String>,
}

/// What a file of locks says about one skill.
struct Entry {
    name: String,
    /// The folder that an installer makes for it.
    folder: String,
    source: Option<String>,
    url: Option<String>,
    reference: Option<String>,
    source_type: Option<String>,
    skill_path: Option<String>,
    hash: Hash,
}

/// What is recorded of the contents.
enum Hash {
    /// All files of the folder, joined.
    Joined(String),
    /// The id of the folder in git.
    Tree(String),
    /// All files of the folder, with a NUL after each name and content; or the hash of an archive.
    WellKnown(String),
    None,
    /// A text that is none of these.
    Other,
}

/// Reads a file of locks.
///
/// # Errors
/// Why it is none.
pub(crate) fn read(setup: &Setup, kind: Kind, scope: &Scope, top: &FsPath, text: &str) -> Result<Shared, String> {
    let json = Json::parse(text).map_err(|error| error.to_string())?;
    let version = match json.get("version") {
        Some(Json::Number(version)) => version.as_str(),
        _ => return Err("it has no version".to_owned()),
    };
    let expected = if kind == Kind::SkillLock { "3" } else { "1" };
    if version != expected {
        return Err(format!("its version is {version}, expected {expected}"));
    }
    let Some(Json::Map(skills)) = json.get("skills") else { return Err("it has no map of skills".to_owned()) };
    if MAX_SKILLS < skills.len() {
        return Err(format!("it names over {MAX_SKILLS} skills"));
    }
    let fs = setup.files();
    let folders = skills_folders(fs, &scope.folder, kind == Kind::SkillLock);
    let folders_above: Vec<FsPath> = and_above(&scope.folder)
        .skip(1)
        .take_while(|at| at.starts_with(top))
        .flat_map(|at| skills_folders(fs, &at, false))
        .collect();
    Ok(Box::new(Lock {
        kind,
        scope: Scope { folder: scope.folder.clone(), except: scope.except.clone() },
        entries: skills.iter().map(|(name, entry)| Entry::of(kind, name, entry)).collect(),
        here: names_in(fs, top, &folders),
        above: names_in(fs, top, &folders_above),
    }))
}

impl Entry {
    fn of(kind: Kind, name: &str, entry: &Json) -> Entry {
        let text = |key: &str| data::text(entry, key).map(str::to_owned);
        let of_folder = text(if kind == Kind::SkillLock { "skillFolderHash" } else { "computedHash" });
        let hash = match (of_folder.filter(|hash| !hash.is_empty()), text("wellKnownDigest")) {
            (Some(hash), _) if is_hex(&hash, 64) => Hash::Joined(hash),
            (Some(hash), _) if is_hex(&hash, 40) && kind == Kind::SkillLock => Hash::Tree(hash),
            (Some(_), _) => Hash::Other,
            (None, Some(digest)) => match digest.strip_prefix("sha256:") {
                Some(hash) if is_hex(hash, 64) => Hash::WellKnown(hash.to_owned()),
                _ => Hash::Other,
            },
            (None, None) => Hash::None,
        };
        Entry {
            name: name.to_owned(),
            folder: folder_name(name),
            source: text("source"),
            url: text("sourceUrl"),
            reference: text("ref"),
            source_type: text("sourceType"),
            skill_path: text("skillPath"),
            hash,
        }
    }

    /// Whether a folder has the name of the skill, or the one that an installer gives it.
    fn is_folder(&self, folder: &str) -> bool {
        self.name == folder || self.folder == folder
    }

    /// The source in words.
    fn shown_source(&self) -> String {
        match (&self.source, &self.skill_path) {
            (Some(source), Some(path)) => format!("{source} ({path})"),
            (Some(source), None) => source.clone(),
            (None, _) => "an unnamed source".to_owned(),
        }
    }

    /// The source as a lock names it.
    fn origin(&self) -> Option<Json> {
        let source = self.source.clone()?;
        let url = |usual: String| ("url", self.url.clone().unwrap_or(usual));
        let (kind, (field, value)) = match self.source_type.as_deref()? {
            "github" => ("git", url(format!("https://github.com/{source}"))),
            "gitlab" => ("git", url(format!("https://gitlab.com/{source}"))),
            "git" => ("git", url(source)),
            "well-known" => ("well-known", url(source)),
            "local" => ("local", ("path", source)),
            "node_modules" => ("npm", ("name", source)),
            _ => return None,
        };
        let origin = Json::map([("type", Json::from(kind)), (field, value.into())]);
        let path = self.skill_path.as_deref().filter(|_| field != "path");
        Some(origin.with("ref", self.reference.as_deref()).with("path", path))
    }

    fn is_unknown(&self) -> Option<String> {
        match &self.source_type {
            Some(known) if SOURCE_TYPES.contains(&known.as_str()) => match self.hash {
                Hash::Other => Some("the hash is none that `npx skills` writes".to_owned()),
                _ => None,
            },
            Some(other) => Some(format!("the type of source `{other}` is not one of `npx skills`")),
            None => Some("it has no type of source".to_owned()),
        }
    }

    /// With which line endings the hash is that of these files, if it is.
    fn matches(&self, files: &Files, is_part: fn(&File) -> bool) -> Option<Endings> {
        let mut part: Vec<&File> = files.files.iter().filter(|file| is_part(file)).collect();
        let mut all = Endings::ALL.into_iter();
        match &self.hash {
            Hash::Joined(hash) => {
                let bytes = part.clone();
                part.sort_by(|a, b| locale_order(&a.path, &b.path));
                // The order of names that are not ASCII is a guess, and byte order is another one.
                let orders = if is_ascii(files) { vec![part] } else { vec![part, bytes] };
                all.find(|endings| orders.iter().any(|files| joined_hash(files.iter().copied(), *endings) == *hash))
            }
            Hash::Tree(id) => all.find(|endings| files.git_trees(*endings, is_part).contains(id)),
            Hash::WellKnown(hash) => {
                part.sort_by(|a, b| a.path.encode_utf16().cmp(b.path.encode_utf16()));
                let mut bytes = Vec::new();
                for file in part {
                    bytes.extend([file.path.as_bytes(), b"\0", &file.bytes, b"\0"].concat());
                }
                (digits(&bytes) == *hash).then_some(Endings::AsTheyAre)
            }
            Hash::None | Hash::Other => None,
        }
    }

    /// Whether a folder is the one that was recorded.
    fn is_source(&self, candidate: &Candidate) -> bool {
        match &self.hash {
            Hash::Tree(id) => candidate.is_tree(id),
            _ => self.matches(&candidate.files, |_| true).is_some(),
        }
    }

    fn judge(&self, copy: &Installed, candidates: &[Candidate], sources: &Sources<'_>) -> Judgement {
        if let Some(why) = self.is_unknown() {
            return Judgement::new(Verdict::Unknown, why);
        }
        let files = match &copy.files {
            Ok(files) => files,
            Err(why) => return Judgement::new(Verdict::NeedsSource, why.clone()),
        };
        let compared = |source: &Candidate| compare(files, &source.files, may_be_left_out, &is_same);
        // Files are compared before hashes, as files that are divided otherwise may have the same hash.
        let known = candidates.iter().find(|candidate| self.is_source(candidate));
        let by_tree = match &self.hash {
            Hash::Tree(id) if known.is_none() => sources.by_tree(id),
            _ => None,
        };
        if let Some(source) = known.or(by_tree.as_ref()) {
            return compared(source).judgement(&source.named);
        }
        for is_part in [|_: &File| true, |file: &File| !is_cache(&file.path)] {
            let Some(endings) = self.matches(files, is_part) else { continue };
            let rest = files.files.iter().filter(|file| !is_part(file)).map(|file| &file.path);
            let not_covered = files.others.iter().chain(rest);
            let added = |path: &String| Changed { path: path.clone(), change: Change::Added };
            let added: Vec<Changed> = not_covered.map(added).collect();
            let verdict = Verdict::of_changes(&added);
            let mut note = format!("the hash of {}", self.shown_source());
            if endings != Endings::AsTheyAre {
                note.push_str(", with other line endings");
            }
            if verdict == Verdict::Extra {
                note.push_str(", which does not cover all files");
            }
            return Judgement { files: added, ..Judgement::new(verdict, note) };
        }
        match (&self.hash, candidates.first()) {
            (Hash::None, Some(source)) => {
                let mut found = compared(source).judgement(&source.named);
                found.note.push_str("; no hash is recorded");
                found
            }
            (Hash::None, None) => {
                Judgement::new(Verdict::NeedsSource, format!("no hash of {} is recorded", self.shown_source()))
            }
            (_, Some(source)) => {
                let is_other = if compared(source).changed.is_empty() { "the same as" } else { "not the same as" };
                let note =
                    format!("{is_other} {}, which has not the hash of {} either", source.named, self.shown_source());
                Judgement::new(self.without_source(files), note)
            }
            (_, None) => {
                let note = format!("another hash than {}", self.shown_source());
                Judgement::new(self.without_source(files), note)
            }
        }
    }

    /// The verdict on files with another hash, if their source is not known: whether files that were left out may explain it. That
    /// all files have the same line endings is taken for granted.
    fn without_source(&self, files: &Files) -> Verdict {
        let is_whole = files.files.iter().any(|file| is_named(&file.path, "metadata.json"));
        match self.hash {
            Hash::Joined(_) if is_whole && is_ascii(files) => Verdict::Differs,
            _ => Verdict::NeedsSource,
        }
    }
}

/// The folder that an installer makes for a skill: in lower case, with `-` for what is not usual in names of files.
fn folder_name(skill: &str) -> String {
    let mut name = String::new();
    for c in skill.to_lowercase().chars() {
        match c.is_ascii_alphanumeric() || matches!(c, '.' | '_') {
            true => name.push(c),
            false if name.ends_with('-') => {}
            false => name.push('-'),
        }
    }
    name.trim_matches(['.', '-']).to_owned()
}

fn is_ascii(files: &Files) -> bool {
    files.files.iter().all(|file| file.path.is_ascii())
}

fn is_named(path: &str, name: &str) -> bool {
    path.rsplit('/').next() == Some(name)
}

/// Whether Python writes such a file when it runs a script.
fn is_cache(path: &str) -> bool {
    path.split('/').any(|name| matches!(name, "__pycache__" | "__pypackages__"))
}

/// Whether some version of the installer leaves such a file out of a copy.
fn may_be_left_out(path: &str) -> bool {
    is_named(path, "metadata.json") || path.split('/').any(|name| name.starts_with('_') || name == ".git")
}

impl Lock {
    /// The entry of a skill where this file may be about it: the one of its name, or else the one of its folder.
    fn entry(&self, copy: &Installed) -> Option<&Entry> {
        // A skill in another one is a part of it.
        let is_of_client = copy.folder.parent().is_some_and(|parent| parent.name() == "skills");
        let is_inside = self.scope.contains(&copy.folder) && is_of_client;
        if !is_inside && !self.is_above(&copy.folder) {
            return None;
        }
        let of_name = self.entries.iter().find(|entry| Some(&entry.name) == copy.name.as_ref());
        let entry = of_name.or_else(|| self.entries.iter().find(|entry| entry.is_folder(copy.folder.name())));
        entry.filter(|entry| is_inside || !Lock::has(&self.here, entry))
    }

    fn has(names: &BTreeSet<String>, entry: &Entry) -> bool {
        names.contains(&entry.name) || names.contains(&entry.folder)
    }

    /// Whether a skill is in the folder of a client that is above the file, such as `.claude/skills` of the whole project.
    fn is_above(&self, folder: &FsPath) -> bool {
        let above = folder.parent().and_then(|skills| skills.parent()).and_then(|client| client.parent());
        above.is_some_and(|above| self.kind == Kind::SkillsLock && self.scope.folder.starts_with(&above))
    }

    /// The folder of the project that an entry names as its source.
    fn local(&self, setup: &Setup, entry: &Entry, copy: &Installed) -> Option<Candidate> {
        if self.kind != Kind::SkillsLock || entry.source_type.as_deref() != Some("local") {
            return None;
        }
        let source = entry.source.as_deref()?;
        let source = source.strip_prefix("./").unwrap_or(source);
        let folder = entry.skill_path.as_deref().and_then(|path| Some(path.rsplit_once('/')?.0));
        let fs = setup.files();
        let real = |path: &FsPath| fs.canonical(path).ok();
        let (inside, own) = (real(&self.scope.folder)?, real(&copy.folder)?);
        let whole = folder.map(|folder| format!("{source}/{folder}"));
        let places = whole.iter().map(String::as_str).chain([source]).filter(|path| is_inside(path));
        let found = places.filter_map(|path| self.scope.folder.join(path).ok()).find(|at| {
            let real = real(at).filter(|real| real.starts_with(&inside) && *real != own);
            real.is_some_and(|real| fs.read_within(&real, "SKILL.md", 0).is_ok())
        });
        Candidate::of_project(setup, &found?)
    }
}

impl Record for Lock {
    fn judge(&self, copy: &Installed, sources: &Sources<'_>) -> Option<Judgement> {
        let entry = self.entry(copy)?;
        let mut candidates = sources.candidates(entry.skill_path.as_deref(), &entry.name);
        candidates.extend(self.local(sources.setup(), entry, copy));
        Some(entry.judge(copy, &candidates, sources))
    }

    fn absent(&self) -> Vec<Absent> {
        let is_there = |entry: &&Entry| Lock::has(&self.here, entry) || Lock::has(&self.above, entry);
        let absent = self.entries.iter().filter(|entry| !is_there(entry));
        let place = |name: &str| self.scope.folder.join(".agents/skills").and_then(|skills| skills.child(name));
        absent
            // A name that no folder can have is still that of a skill which is not there.
            .map(|entry| Absent {
                name: entry.name.clone(),
                place: place(&entry.name).unwrap_or_else(|_| self.scope.folder.clone()),
                is_exact: false,
            })
            .collect()
    }

    fn origin(&self, copy: &Installed) -> Option<Json> {
        self.entry(copy)?.origin()
    }
}
