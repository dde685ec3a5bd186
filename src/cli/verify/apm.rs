//! The record of APM by Microsoft, `apm.lock.yaml`: the files that each dependency has put into the project, with the hash of each,
//! and a hash of all files of the dependency. Old versions recorded the hash of the dependency alone.

use super::data::{self, fields, is_hex, is_inside, texts};
use super::records::{Absent, Installed, Record, Scope, Shared};
use super::source::{Candidate, Sources, compare, is_same};
use super::tree::{Endings, File, Files, digits, joined_hash, with_lf};
use super::{Change, Changed, Judgement, Verdict, changes};
use crate::output::text::count;
use crate::setup::Setup;
use skilltree::fs::FileKind;
use skilltree::{FsPath, Json};
use std::collections::{BTreeMap, BTreeSet};

/// What the lock says about one dependency, or about the project's own files.
struct Dependency {
    /// The folder of the lock.
    folder: FsPath,
    name: String,
    /// The folder of a dependency that is a part of a repository.
    part: Option<String>,
    /// Where it came from; none for the project's own files.
    origin: Option<Json>,
    deployed: BTreeSet<String>,
    hashes: BTreeMap<String, String>,
    content_hash: Option<String>,
    /// The folders of its skills that are not there.
    absent: Vec<FsPath>,
}

/// Reads a lock.
///
/// # Errors
/// Why it is none.
pub(crate) fn read(setup: &Setup, scope: &Scope, text: &str) -> Result<Vec<Shared>, String> {
    let lock = data::yaml(text)?;
    match data::text(&lock, "lockfile_version") {
        Some("1") => {}
        Some(other) => return Err(format!("its version is {other}, expected 1")),
        None => return Err("it has no lockfile_version".to_owned()),
    }
    let mut all = Vec::new();
    if let Some(Json::List(dependencies)) = lock.get("dependencies") {
        for one in dependencies {
            let repository = data::text(one, "repo_url").unwrap_or("an unnamed dependency");
            let part = data::text(one, "virtual_path");
            let name = part.map_or_else(|| repository.to_owned(), |part| format!("{repository} ({part})"));
            all.push(Dependency::of(scope, name, one, "")?);
        }
    }
    all.push(Dependency::of(scope, "this project".to_owned(), &lock, "local_")?);
    let mut records: Vec<Shared> = Vec::new();
    for mut one in all {
        one.absent = one.absent_skills(setup);
        records.push(Box::new(one));
    }
    Ok(records)
}

impl Dependency {
    /// Reads the fields whose names begin with `prefix`.
    fn of(scope: &Scope, name: String, map: &Json, prefix: &str) -> Result<Dependency, String> {
        let field = |name: &str| map.get(&format!("{prefix}{name}"));
        let mut deployed = BTreeSet::new();
        // APM also records what it wrote elsewhere, with addresses such as `copilot-app-db://workflows/x`.
        for path in texts(field("deployed_files")).into_iter().filter(|path| !path.contains("://")) {
            deployed.insert(inside(path)?);
        }
        let mut hashes = BTreeMap::new();
        for (path, hash) in fields(field("deployed_file_hashes")).iter().filter(|(path, _)| !path.contains("://")) {
            hashes.insert(inside(path)?, hash.as_text().unwrap_or_default().to_owned());
        }
        Ok(Dependency {
            folder: scope.folder.clone(),
            name,
            part: data::text(map, "virtual_path").map(str::to_owned),
            origin: origin(map),
            deployed,
            hashes,
            content_hash: map.get("content_hash").and_then(Json::as_text).map(str::to_owned),
            absent: Vec::new(),
        })
    }

    /// The recorded paths below a folder.
    fn below<'a>(&'a self, folder: &str) -> (BTreeSet<&'a str>, BTreeMap<&'a str, &'a str>) {
        let start = format!("{folder}/");
        let named = self.deployed.range(start.clone()..).take_while(|path| path.starts_with(&start));
        let hashed = self.hashes.range(start.clone()..).take_while(|(path, _)| path.starts_with(&start));
        let cut = |path: &'a String| path.get(start.len()..).unwrap_or_default();
        (named.map(cut).collect(), hashed.map(|(path, hash)| (cut(path), hash.as_str())).collect())
    }

    /// The same of a copy; `None` if it is not named.
    fn of_copy<'a>(&'a self, copy: &Installed) -> Option<(BTreeSet<&'a str>, BTreeMap<&'a str, &'a str>)> {
        let folder = copy.folder.relative_to(&self.folder).filter(|folder| !folder.is_empty())?;
        let (named, hashes) = self.below(folder);
        let is_named = !named.is_empty() || !hashes.is_empty() || self.deployed.contains(folder);
        is_named.then_some((named, hashes))
    }

    /// The folders of skills that it names and that have no SKILL.md.
    fn absent_skills(&self, setup: &Setup) -> Vec<FsPath> {
        let mut skills: BTreeSet<&str> = BTreeSet::new();
        for path in self.deployed.iter().chain(self.hashes.keys()) {
            let folder = path.strip_suffix("/SKILL.md");
            // Some versions name the folder alone.
            let is_folder = path
                .rsplit_once('/')
                .is_some_and(|(above, name)| (above == "skills" || above.ends_with("/skills")) && !name.contains('.'));
            skills.extend(folder.or_else(|| is_folder.then_some(path.as_str())));
        }
        let is_there = |folder: &FsPath| {
            let found = folder.child("SKILL.md").map(|file| setup.files().metadata(&file));
            matches!(found, Ok(Ok(Some(found))) if found.kind == FileKind::File)
        };
        let folders = skills.into_iter().filter_map(|skill| self.folder.join(skill).ok());
        folders.filter(|folder| !is_there(folder)).collect()
    }

    fn judge_files(&self, files: &Files, named: &BTreeSet<&str>, hashes: &BTreeMap<&str, &str>) -> Judgement {
        let is_same = |bytes: &[u8], hash: &&str| hash.strip_prefix("sha256:") == Some(&digits(&with_lf(bytes)));
        let mut changed = changes(files, hashes.clone(), is_same);
        let is_there = |path: &str| files.get(path).is_some() || files.others.iter().any(|other| other == path);
        // Folders are named, too.
        let is_folder = |path: &str| {
            files.files.iter().any(|file| file.path.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')))
        };
        let without_hash = named.iter().filter(|path| !hashes.contains_key(**path));
        let gone = without_hash.filter(|path| !is_there(path) && !is_folder(path));
        changed.extend(gone.map(|path| Changed { path: (*path).to_owned(), change: Change::Removed }));
        changed.sort();
        let verdict = Verdict::of_changes(&changed);
        let note = match verdict {
            Verdict::Matches => format!("the hashes of {} of {}", count(hashes.len(), "file"), self.name),
            Verdict::Extra => format!("files that {} does not cover", self.name),
            _ => format!("by the hashes of {}", self.name),
        };
        Judgement { files: changed, ..Judgement::new(verdict, note) }
    }

    /// The verdict if only the whole dependency has a hash.
    fn judge_whole(&self, copy: &Installed, files: &Files, sources: &Sources<'_>) -> Judgement {
        let Some(hash) = &self.content_hash else {
            return Judgement::new(Verdict::NeedsSource, format!("no hash of {} is recorded", self.name));
        };
        let Some(hash) = hash.strip_prefix("sha256:").filter(|hash| is_hex(hash, 64)) else {
            return Judgement::new(Verdict::Unknown, "the content_hash is none that APM writes".to_owned());
        };
        let name = copy.name.as_deref().unwrap_or(copy.folder.name());
        let candidates = sources.candidates(self.part.as_deref(), name);
        let is_source = |candidate: &&Candidate| is_content(&candidate.files, hash);
        if let Some(source) = candidates.iter().find(is_source) {
            return compare(files, &source.files, is_not_content, &is_same).judgement(&source.named);
        }
        if is_content(files, hash) {
            let left = files.files.iter().map(|file| &file.path).filter(|path| is_not_content(path));
            let left = files.others.iter().chain(left);
            let added: Vec<Changed> = left.map(|path| Changed { path: path.clone(), change: Change::Added }).collect();
            let note = format!("the hash of {}", self.name);
            let found = Judgement::new(Verdict::of_changes(&added), note);
            return Judgement { files: added, ..found };
        }
        let note = match candidates.first() {
            Some(source) => format!("{} has not the hash of {} either", source.named, self.name),
            None => format!("another hash than {}, which is of all its files", self.name),
        };
        Judgement::new(Verdict::NeedsSource, note)
    }
}

impl Record for Dependency {
    fn judge(&self, copy: &Installed, sources: &Sources<'_>) -> Option<Judgement> {
        let (named, hashes) = self.of_copy(copy)?;
        let files = match &copy.files {
            Ok(files) => files,
            Err(why) => return Some(Judgement::new(Verdict::NeedsSource, why.clone())),
        };
        let is_hash = |hash: &&str| hash.strip_prefix("sha256:").is_some_and(|hash| is_hex(hash, 64));
        Some(match hashes.values().find(|hash| !is_hash(hash)) {
            Some(_) => Judgement::new(Verdict::Unknown, format!("a hash of {} is none that APM writes", self.name)),
            None if hashes.is_empty() => self.judge_whole(copy, files, sources),
            None => self.judge_files(files, &named, &hashes),
        })
    }

    fn absent(&self) -> Vec<Absent> {
        let absent = |place: &FsPath| Absent { name: place.name().to_owned(), place: place.clone(), is_exact: true };
        self.absent.iter().map(absent).collect()
    }

    fn origin(&self, copy: &Installed) -> Option<Json> {
        self.of_copy(copy)?;
        self.origin.clone()
    }
}

/// Where a dependency came from.
fn origin(map: &Json) -> Option<Json> {
    let host = data::text(map, "host").unwrap_or("github.com");
    let url = format!("https://{host}/{}", data::text(map, "repo_url")?);
    let fields = [("ref", "resolved_ref"), ("commit", "resolved_commit"), ("path", "virtual_path")];
    let known = fields.into_iter().filter_map(|(name, field)| Some((name, Json::from(data::text(map, field)?))));
    Some(Json::map([("type", Json::from("git")), ("url", url.into())].into_iter().chain(known)))
}

/// A recorded path, which must stay in the project.
fn inside(path: &str) -> Result<String, String> {
    match is_inside(path) {
        true => Ok(path.trim_end_matches('/').to_owned()),
        false => Err(format!("its path `{path}` leads out of the project")),
    }
}

/// What APM leaves out of the hash of a dependency.
fn is_not_content(path: &str) -> bool {
    path == ".apm-pin" || path.split('/').any(|name| name == "__pycache__")
}

fn is_content(files: &Files, hash: &str) -> bool {
    let part = || files.files.iter().filter(|file: &&File| !is_not_content(&file.path));
    Endings::ALL.into_iter().any(|endings| joined_hash(part(), endings) == hash)
}
