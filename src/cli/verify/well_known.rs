//! The index of the skills that a site publishes, `.well-known/agent-skills/index.json` (version 0.2.0 of agent-skills-discovery): the
//! address and the SHA-256 of the one file that each skill is fetched as. The command `index` writes one.
//!
//! Nothing is fetched. An address counts where the file lies in the site's folder, which is the one that has `.well-known`.

use super::data::{self, is_hex, is_inside};
use super::records::{Absent, Installed, MAX_RECORD_BYTES, Record, Shared, text_of};
use super::source::{Sources, compare, is_same};
use super::tree::{Endings, Files, with_endings};
use super::{Change, Changed, Judgement, Verdict};
use crate::archives;
use crate::setup::{MAX_ARCHIVE_BYTES, Setup};
use skilltree::fs::FileKind;
use skilltree::{Code, Diagnostic, Digest, FsError, FsPath, Json, Severity, visible};
use std::collections::HashSet;

/// Where the index of a site is.
pub(crate) const FOLDER: &str = ".well-known/agent-skills";
pub(crate) const INDEX: &str = "index.json";
/// Both together.
pub(crate) const PATH: &str = ".well-known/agent-skills/index.json";
/// The format that is read and written. Others are not processed, as the specification says.
pub(crate) const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
/// How many characters a description has at most.
pub(crate) const MAX_DESCRIPTION: usize = 1_024;
const MAX_NAME: usize = 64;
/// Sites that were seen publish some hundred skills.
const MAX_SKILLS: usize = 20_000;

struct Index {
    /// The folder of the site, which has `.well-known`.
    site: FsPath,
    entries: Vec<Entry>,
}

struct Entry {
    name: String,
    /// Its file, or why the entry is not valid.
    artifact: Result<Artifact, String>,
}

/// The one file that a skill is fetched as.
struct Artifact {
    is_archive: bool,
    url: String,
    /// As this program writes it: `sha256:` and 64 hexadecimal digits.
    digest: String,
    /// Where the file would be in the folder of the site.
    place: Option<FsPath>,
    /// What the file is, if it is there.
    found: Option<Found>,
}

enum Found {
    /// The file has another digest, or is too large to be read.
    Other,
    /// It is the file of the index.
    Same,
    /// It is the archive of the index, with these files or why they cannot be read.
    Archive(Result<Files, String>),
}

/// Whether the specification allows this as the name of a skill.
pub(crate) fn is_name(name: &str) -> bool {
    let is_allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    (1..=MAX_NAME).contains(&name.len())
        && name.bytes().all(is_allowed)
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
}

/// Reads the index of the site in a folder.
///
/// # Errors
/// Why it cannot be read.
pub(crate) fn read(setup: &Setup, site: &FsPath, text: &str) -> Result<Shared, String> {
    let json = Json::parse_unique(text).map_err(|error| error.to_string())?;
    let entries = entries(&json)?;
    let entry = |(name, json): (String, &Json)| Entry { name, artifact: artifact(setup, site, json) };
    let entries = entries.into_iter().map(entry).collect();
    Ok(Box::new(Index { site: site.clone(), entries }))
}

/// The entries of an index by their names.
///
/// # Errors
/// If it is of another version, or does not tell its entries apart.
fn entries(json: &Json) -> Result<Vec<(String, &Json)>, String> {
    match data::text(json, "$schema") {
        Some(SCHEMA) => {}
        Some(other) => return Err(format!("its `$schema` is `{other}`, expected `{SCHEMA}`")),
        None => return Err(format!("it has no `$schema`, expected `{SCHEMA}`; version 0.1.0 has no digests")),
    }
    let Some(Json::List(skills)) = json.get("skills") else { return Err("it has no list of skills".to_owned()) };
    if MAX_SKILLS < skills.len() {
        return Err(format!("it names over {MAX_SKILLS} skills"));
    }
    let (mut entries, mut known) = (Vec::new(), HashSet::new());
    for (n, skill) in skills.iter().enumerate() {
        let name = data::text(skill, "name").filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| format!("entry {} has no name", n + 1))?;
        if !known.insert(name) {
            return Err(format!("`{name}` stands twice"));
        }
        entries.push((name.to_owned(), skill));
    }
    Ok(entries)
}

/// What the specification does not allow in the index at a path, which is that of the file or of the site's folder; `None` if
/// there is none.
pub(crate) fn check(setup: &Setup, path: &FsPath) -> Option<Vec<Diagnostic>> {
    let is_index = path.as_str().ends_with(&format!("/{PATH}"));
    let site = if is_index { path.parent()?.parent()?.parent()? } else { path.clone() };
    let file = site.join(PATH).ok()?;
    let read = setup.files().read_within(&site, PATH, MAX_RECORD_BYTES);
    // That a folder may not be read is said of the folder.
    if !is_index && matches!(read, Err(FsError::Denied(_))) && setup.files().list(&site).is_err() {
        return None;
    }
    let read = text_of(read, MAX_RECORD_BYTES).transpose()?;
    let refused = |message: String| {
        Diagnostic::new(Severity::Error, Code::EntryRefused, file.clone(), message)
            .help("`skilltree index` writes an index, and the files that it names")
    };
    let json = read.and_then(|text| Json::parse_unique(&text).map_err(|error| error.to_string()));
    let entries = match &json {
        Ok(json) => entries(json),
        Err(why) => Err(why.clone()),
    };
    let entries = match entries {
        Ok(entries) => entries,
        Err(why) => return Some(vec![refused(format!("the index cannot be used: {why}"))]),
    };
    let of_entry = |(name, json): (String, &Json)| {
        let faults = faults(setup, &site, &name, json);
        faults.into_iter().map(|why| refused(format!("the entry `{}`: {why}", visible(&name)))).collect::<Vec<_>>()
    };
    Some(entries.into_iter().flat_map(of_entry).collect())
}

/// What is wrong with an entry.
fn faults(setup: &Setup, site: &FsPath, name: &str, json: &Json) -> Vec<String> {
    let mut faults = Vec::new();
    if !is_name(name) {
        faults.push(format!("expected a name of 1 to {MAX_NAME} of a-z, 0-9 and hyphens"));
    }
    match data::text(json, "description").unwrap_or_default().trim().chars().count() {
        0 => faults.push("it has no description".to_owned()),
        length if MAX_DESCRIPTION < length => {
            faults.push(format!("its description has {length} characters, expected at most {MAX_DESCRIPTION}"));
        }
        _ => {}
    }
    match artifact(setup, site, json) {
        Err(why) => faults.push(why),
        Ok(artifact) if artifact.found.is_none() && !artifact.is_elsewhere() => {
            faults.push(format!("there is no file at {}", artifact.url));
        }
        Ok(artifact) if matches!(artifact.found, Some(Found::Other)) => {
            faults.push(format!("the file at {} has another digest", artifact.url));
        }
        Ok(artifact) => {
            let judgement = artifact.judge_alone().filter(|judgement| judgement.verdict == Verdict::Unknown);
            faults.extend(judgement.map(|judgement| format!("{}: {}", artifact.url, judgement.note)));
        }
    }
    faults
}

/// The file of a skill, or why the entry is not valid.
fn artifact(setup: &Setup, site: &FsPath, json: &Json) -> Result<Artifact, String> {
    let text = |name: &str| data::text(json, name).ok_or_else(|| format!("it has no `{name}` that is a text"));
    let (kind, url, digest) = (text("type")?, text("url")?, text("digest")?);
    if !digest.strip_prefix("sha256:").is_some_and(|hex| is_hex(hex, 64)) {
        return Err(format!("its digest is `{digest}`, expected `sha256:` and 64 hexadecimal digits"));
    }
    let is_archive = match kind {
        "skill-md" => false,
        "archive" => true,
        _ => return Err(format!("its type is `{kind}`, expected `skill-md` or `archive`")),
    };
    let place = place(url).and_then(|below| site.join(&below).ok());
    let found = place.as_ref().and_then(|place| found(setup, site, place, digest, is_archive));
    Ok(Artifact { is_archive, url: url.to_owned(), digest: digest.to_owned(), place, found })
}

/// Where the file of an address lies below the site. The host of a whole address is not known here, so its path counts.
fn place(url: &str) -> Option<String> {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let below = match path.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?.1.to_owned(),
        None => match path.strip_prefix('/') {
            Some(below) => below.to_owned(),
            None => format!("{FOLDER}/{path}"),
        },
    };
    // As clients resolve them; the root is above itself.
    let mut parts = Vec::new();
    for part in below.split('/').filter(|part| *part != ".") {
        match part {
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    Some(parts.join("/")).filter(|below| is_inside(below))
}

fn found(setup: &Setup, site: &FsPath, place: &FsPath, digest: &str, is_archive: bool) -> Option<Found> {
    let most = if is_archive { MAX_ARCHIVE_BYTES } else { MAX_RECORD_BYTES };
    let is_file = matches!(setup.files().metadata(place), Ok(Some(found)) if found.kind == FileKind::File);
    let read = setup.files().read_within(site, place.relative_to(site)?, most).ok().filter(|_| is_file)?;
    if read.bytes.len() as u64 != read.len || Digest::of(&read.bytes).to_string() != digest {
        return Some(Found::Other);
    }
    if !is_archive {
        return Some(Found::Same);
    }
    let unpacked = archives::unpacked(read.bytes).and_then(|(files, notes)| match notes.first() {
        // What is refused is not what a client would install.
        Some(note) => Err(note.message.clone()),
        None => Files::read(&*files, None, &FsPath::root()),
    });
    Some(Found::Archive(unpacked))
}

impl Artifact {
    /// What it says of a copy of a skill that is its SKILL.md alone.
    fn judge_manifest(&self, site: &FsPath, copy: &Installed, files: &Files) -> Judgement {
        let is_same = files.get("SKILL.md").is_some_and(|file| {
            let digest = |endings| Digest::of(&with_endings(&file.bytes, endings)).to_string();
            Endings::ALL.iter().any(|endings| digest(*endings) == self.digest)
        });
        let changed = |path: &str, change| Changed { path: path.to_owned(), change };
        let mut all: Vec<Changed> = Vec::new();
        all.extend((!is_same).then(|| changed("SKILL.md", Change::Changed)));
        let more = files.files.iter().map(|file| &file.path).chain(&files.others);
        // A site can be a skill itself.
        let is_of_site = |path: &str| copy.folder == *site && path.starts_with(".well-known/");
        let more = more.filter(|path| *path != "SKILL.md" && !is_of_site(path));
        all.extend(more.map(|path| changed(path, Change::Added)));
        let verdict = Verdict::of_changes(&all);
        let note = match verdict {
            Verdict::Matches => format!("the digest of {}", self.url),
            Verdict::Extra => format!("{} is its SKILL.md alone", self.url),
            _ => format!("another digest than that of {}", self.url),
        };
        Judgement { files: all, ..Judgement::new(verdict, note) }
    }

    fn judge(&self, site: &FsPath, copy: &Installed) -> Judgement {
        let url = &self.url;
        let (verdict, note) = match (&copy.files, &self.found) {
            (Err(why), _) => (Verdict::NeedsSource, why.clone()),
            (Ok(files), _) if !self.is_archive => return self.judge_manifest(site, copy, files),
            (Ok(files), Some(Found::Archive(Ok(archive)))) => {
                return compare(files, archive, |_| false, &is_same).judgement(url);
            }
            (_, Some(Found::Archive(Err(why)))) => (Verdict::Unknown, format!("{url}: {why}")),
            (_, Some(_)) => (Verdict::NeedsSource, format!("the file at {url} is not the one of the index")),
            (_, None) => (Verdict::NeedsSource, format!("the record is of the archive at {url}")),
        };
        Judgement::new(verdict, note)
    }

    /// What can be said where there is no copy; `None` if the file is missing, or is that of a skill which is judged itself.
    fn judge_alone(&self) -> Option<Judgement> {
        let url = &self.url;
        let (verdict, note) = match &self.found {
            None if self.is_elsewhere() => (Verdict::NeedsSource, format!("the record is of the file at {url}")),
            Some(_) if !self.is_archive => return None,
            Some(Found::Archive(Err(why))) => (Verdict::Unknown, why.clone()),
            Some(Found::Archive(Ok(files))) if files.get("SKILL.md").is_none() => {
                (Verdict::Unknown, "expected a SKILL.md at the root of the archive".to_owned())
            }
            Some(Found::Other) => (Verdict::Differs, format!("another digest than that of {url}")),
            Some(_) => (Verdict::Matches, format!("the digest of {url}")),
            None => return None,
        };
        Some(Judgement::new(verdict, note))
    }

    /// Whether the file may be on another site, so that it cannot be told whether it is missing.
    fn is_elsewhere(&self) -> bool {
        self.place.is_none() || self.url.contains("://")
    }
}

impl Index {
    /// The entry that is about a copy: the one whose file it is, or else the one of its name.
    fn entry_of(&self, copy: &Installed) -> Option<&Entry> {
        let is_at = |entry: &&Entry| {
            let artifact = entry.artifact.as_ref().ok().filter(|artifact| !artifact.is_archive);
            artifact.and_then(|artifact| artifact.place.as_ref()?.parent()).as_ref() == Some(&copy.folder)
        };
        let name = copy.name.as_deref().unwrap_or(copy.folder.name());
        self.entries.iter().find(is_at).or_else(|| self.entries.iter().find(|entry| entry.name == name))
    }
}

impl Record for Index {
    fn judge(&self, copy: &Installed, _: &Sources<'_>) -> Option<Judgement> {
        let entry = self.entry_of(copy).filter(|_| copy.folder.starts_with(&self.site))?;
        Some(match &entry.artifact {
            Ok(artifact) => artifact.judge(&self.site, copy),
            Err(why) => Judgement::new(Verdict::Unknown, why.clone()),
        })
    }

    fn absent(&self) -> Vec<Absent> {
        let absent = |entry: &Entry| {
            let artifact = entry.artifact.as_ref().ok()?;
            let is_missing = artifact.found.is_none() && !artifact.is_elsewhere();
            let place = artifact.place.clone().filter(|_| is_missing)?;
            Some(Absent { name: entry.name.clone(), place, is_exact: true })
        };
        self.entries.iter().filter_map(absent).collect()
    }

    fn alone(&self) -> Vec<(String, Option<FsPath>, Judgement)> {
        let judgement = |entry: &Entry| match &entry.artifact {
            Ok(artifact) => {
                let place = artifact.place.clone().filter(|_| artifact.found.is_some());
                Some((entry.name.clone(), place, artifact.judge_alone()?))
            }
            Err(why) => Some((entry.name.clone(), None, Judgement::new(Verdict::Unknown, why.clone()))),
        };
        self.entries.iter().filter_map(judgement).collect()
    }
}
