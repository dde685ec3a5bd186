//! The skills as resources, as the Skills extension defines them. What was listed of a skill stays the same until the
//! next refresh, and a file is served with the listed contents or not at all. Files are hashed when they are first
//! requested, and again only if their stamps have changed. The library decides which skills are served, and with
//! which URIs.

use super::convert::{self, cursor_after, page};
use super::engine::locked;
use rmcp::ErrorData;
use rmcp::model::{
    ErrorCode, ListResourcesResult, ListSkillsResult, ReadResourceResult, Resource, ResourceContents, Skill,
};
use skilltree::fs::{Action, Entry, FileKind, Stamp, Step, VisitOutcome, Walk};
use skilltree::package::{Served, ServedChild, ServedEntry, ServedSkill};
use skilltree::{Catalog, Code, Diagnostic, Digest, Error, FsPath, Severity, World};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

/// What every address begins with.
pub(super) const SCHEME: &str = "skill://";

/// Maximum number of resources on a page.
const RESOURCES_A_PAGE: usize = 100;

/// Maximum number of skills on a page, each with all its files.
const SKILLS_A_PAGE: usize = 50;

/// The size of the entries on a page of skills beyond which no further one is added: an answer has a limit.
const PAGE_BYTES: usize = 4_194_304;

/// Maximum number of folders of a skill whose stamps are compared.
const MAX_DIRS: usize = 10_000;

/// The skills of one snapshot as resources, and what was listed of them.
#[derive(Default)]
pub(super) struct ResourceCache {
    served: Served,
    /// The stamps of the SKILL.md files.
    stamps: Stamps,
    listed: Mutex<Listed>,
}

/// What was sent to the client.
#[derive(Default)]
struct Listed {
    entries: BTreeMap<String, ListedSkill>,
    digests: HashMap<String, Digest>,
    /// The digests that the client has of files that have changed since, until it asks for their skill again.
    outdated: HashMap<String, Digest>,
}

/// A listed skill, and the stamps of everything in its folder; `None` if something has no stamp.
#[derive(Clone)]
struct ListedSkill {
    entry: Arc<ServedEntry>,
    stamps: Option<Stamps>,
}

/// The stamps of files and folders.
type Stamps = BTreeMap<FsPath, Stamp>;

impl ResourceCache {
    /// The current skills.
    pub(super) fn new(world: &World<'_>, catalog: &Catalog) -> ResourceCache {
        // Take the stamps first: a file that changes while it is read then has another stamp at the next refresh.
        let stamps = stamps_of_skills(world, catalog);
        ResourceCache { served: Served::of(world, catalog), stamps, listed: Mutex::default() }
    }

    /// The resources after a refresh: `self` if nothing has changed. Of listed skills, all files are compared; of
    /// others, only the SKILL.md.
    pub(super) fn updated(
        self: &Arc<ResourceCache>,
        world: &World<'_>,
        catalog: &Catalog,
        is_same: bool,
    ) -> Arc<ResourceCache> {
        let stamps = stamps_of_skills(world, catalog);
        let known: Vec<(String, ListedSkill, bool)> = {
            let listed = locked(&self.listed);
            let listed_skill = listed
                .entries
                .iter()
                .map(|(uri, listed_skill)| (uri.clone(), listed_skill.clone(), listed_skill.is_same(world)));
            listed_skill.collect()
        };
        let is_known = |path: &FsPath| stamps.get(path).is_some_and(|stamp| self.stamps.get(path) == Some(stamp));
        let are_known = self.served.skills.iter().all(|skill| is_known(&skill.path));
        let are_same = is_same && are_known && known.iter().all(|(.., is_same)| *is_same);
        if are_same && self.served.findings.is_empty() {
            return Arc::clone(self);
        }
        let served = self.served.again(world, catalog, &is_known);
        if are_same && served == self.served {
            return Arc::clone(self);
        }
        let cache = ResourceCache { served, stamps, listed: Mutex::default() };
        let mut outdated = locked(&self.listed).outdated.clone();
        for (uri, listed_skill, is_same) in known {
            // The client has the digests of a skill that is gone, too, and the skill may come back.
            for file in &listed_skill.entry.resources {
                outdated.entry(file.uri.clone()).or_insert(file.digest);
            }
            let Some(skill) = cache.served.get(&uri) else { continue };
            let listed_skill = match is_same && self.served.get(&uri) == Some(skill) {
                true => Ok(listed_skill),
                false => cache.list_skill(world, skill),
            };
            // A skill that cannot be listed now returns an error when it is next requested.
            let _ = listed_skill.and_then(|listed_skill| locked(&cache.listed).insert(listed_skill));
        }
        {
            let mut listed = locked(&cache.listed);
            let digests = &listed.digests;
            outdated.retain(|uri, digest| digests.get(uri) != Some(digest));
            listed.outdated = outdated;
        }
        Arc::new(cache)
    }

    /// Whether a client sees a difference.
    pub(super) fn differs_from(&self, before: &ResourceCache) -> bool {
        let (now, then) = (locked(&self.listed), locked(&before.listed));
        let is_other = |(uri, listed_skill): (&String, &ListedSkill)| {
            now.entries.get(uri).is_none_or(|now| now.entry != listed_skill.entry)
        };
        self.served.skills != before.served.skills || then.entries.iter().any(is_other)
    }

    /// The findings about what is not served.
    pub(super) fn findings(&self) -> &[Diagnostic] {
        &self.served.findings
    }

    /// A page of the SKILL.md files.
    pub(super) fn resources(&self, cursor: Option<&str>) -> Result<ListResourcesResult, ErrorData> {
        let (page, next) = page("resources", &self.served.skills, |skill| &skill.uri, cursor, RESOURCES_A_PAGE)?;
        let resources = page.iter().map(|skill| {
            let named = Resource::new(&skill.uri, &skill.name).with_description(&skill.description);
            named.with_mime_type("text/markdown").with_size(skill.size)
        });
        Ok(ListResourcesResult { next_cursor: next, ..ListResourcesResult::with_all_items(resources.collect()) })
    }

    /// The addresses of the SKILL.md files, without the scheme, that begin with a text.
    pub(super) fn paths_that_begin_with(&self, text: &str) -> Vec<String> {
        let paths = self.served.skills.iter().filter_map(|skill| skill.uri.strip_prefix(SCHEME));
        paths.filter(|path| path.starts_with(text)).map(str::to_owned).collect()
    }

    /// A page of the skills with all their files. Skills that cannot be listed are left out and reported.
    pub(super) fn skills(
        &self,
        world: &World<'_>,
        cursor: Option<&str>,
    ) -> Result<(ListSkillsResult, Vec<Diagnostic>), ErrorData> {
        let (page, mut next) = page("skills", &self.served.skills, |skill| &skill.uri, cursor, SKILLS_A_PAGE)?;
        let (mut skills, mut findings) = (Vec::with_capacity(page.len()), Vec::new());
        let mut bytes = 0;
        for (n, skill) in page.iter().enumerate() {
            if let Some(last) = n.checked_sub(1).and_then(|last| page.get(last)).filter(|_| PAGE_BYTES < bytes) {
                next = Some(cursor_after("skills", &last.uri));
                break;
            }
            match self.entry(world, skill) {
                Ok(entry) => {
                    let entry = entry.to_json();
                    bytes += entry.to_string().len();
                    skills.push(convert::typed(&entry)?);
                }
                Err(error) => {
                    let message = format!("the skill is not served: {error}");
                    findings.push(Diagnostic::new(Severity::Warning, Code::NotServed, skill.path.clone(), message));
                }
            }
        }
        Ok((ListSkillsResult { next_cursor: next, ..ListSkillsResult::with_all_items(skills) }, findings))
    }

    /// A skill with all its files.
    pub(super) fn skill(&self, world: &World<'_>, uri: &str) -> Result<Skill, ErrorData> {
        let unknown = || Error::NotServed { uri: convert::shown(uri), reason: "no skill has this URI".to_owned() };
        let entry = self.served.get(uri).ok_or_else(unknown).and_then(|skill| self.entry(world, skill));
        convert::typed(&entry.map_err(|error| refused(&error, uri))?.to_json())
    }

    /// A file with the contents that were listed.
    pub(super) fn read(&self, world: &World<'_>, uri: &str) -> Result<ReadResourceResult, Error> {
        let listed = locked(&self.listed).digest_of(uri);
        let listed = listed.or_else(|| self.served.get(uri).map(|skill| skill.digest));
        let file = self.served.read(world, uri, listed)?;
        let contents = match String::from_utf8(file.bytes) {
            Ok(text) if !text.contains('\0') => ResourceContents::text(text, uri),
            Ok(text) => ResourceContents::blob(convert::base64(text.as_bytes()), uri),
            Err(error) => ResourceContents::blob(convert::base64(error.as_bytes()), uri),
        };
        Ok(ReadResourceResult::new(vec![contents.with_mime_type(file.mime)]))
    }

    /// A page of the direct entries of a folder. The inner error is for an invalid cursor.
    pub(super) fn directory(
        &self,
        world: &World<'_>,
        uri: &str,
        cursor: Option<&str>,
    ) -> Result<Result<ListResourcesResult, ErrorData>, Error> {
        let children = self.served.directory(world, uri)?;
        let listed = page(uri, &children, |child| &child.uri, cursor, RESOURCES_A_PAGE);
        Ok(listed.and_then(|(page, next)| {
            let resources = convert::typed(&ServedChild::all_to_json(page))?;
            Ok(ListResourcesResult { next_cursor: next, ..ListResourcesResult::with_all_items(resources) })
        }))
    }

    /// The entry of a skill for the client, which is made once.
    fn entry(&self, world: &World<'_>, skill: &ServedSkill) -> Result<Arc<ServedEntry>, Error> {
        let known = locked(&self.listed).entries.get(&skill.uri).map(|listed_skill| Arc::clone(&listed_skill.entry));
        let entry = match known {
            Some(entry) => entry,
            None => {
                let listed_skill = self.list_skill(world, skill)?;
                locked(&self.listed).insert(listed_skill)?
            }
        };
        let mut listed = locked(&self.listed);
        for file in &entry.resources {
            listed.outdated.remove(&file.uri);
        }
        Ok(entry)
    }

    fn list_skill(&self, world: &World<'_>, skill: &ServedSkill) -> Result<ListedSkill, Error> {
        let stamps = stamps(world, skill);
        Ok(ListedSkill { entry: Arc::new(self.served.entry(world, skill)?), stamps })
    }
}

impl Listed {
    /// The digest that the client has of a file, if any.
    fn digest_of(&self, uri: &str) -> Option<Digest> {
        self.outdated.get(uri).or_else(|| self.digests.get(uri)).copied()
    }

    /// Stores a listed skill, unless one of its files was listed with other contents before.
    fn insert(&mut self, listed_skill: ListedSkill) -> Result<Arc<ServedEntry>, Error> {
        if let Some(known) = self.entries.get(&listed_skill.entry.uri) {
            return Ok(Arc::clone(&known.entry));
        }
        for file in &listed_skill.entry.resources {
            if self.digests.get(&file.uri).is_some_and(|known| *known != file.digest) {
                return Err(Error::Changed { uri: file.uri.clone() });
            }
        }
        self.digests.extend(listed_skill.entry.resources.iter().map(|file| (file.uri.clone(), file.digest)));
        let entry = Arc::clone(&listed_skill.entry);
        self.entries.insert(entry.uri.clone(), listed_skill);
        Ok(entry)
    }
}

impl ListedSkill {
    /// Whether nothing in the skill's folder has changed. The folders need not be listed: adding or removing an entry
    /// changes the stamp of the folder.
    fn is_same(&self, world: &World<'_>) -> bool {
        self.stamps.as_ref().is_some_and(|stamps| stamped(world, stamps.keys()) == *stamps)
    }
}

/// The stamps of the skill's folder and everything in it; `None` if something has no stamp.
fn stamps(world: &World<'_>, skill: &ServedSkill) -> Option<Stamps> {
    let dir = skill.path.parent()?;
    let step = |_: &FsPath, _: usize, entries: &[Entry], steps: &mut Vec<Step>| {
        let act = |entry: &Entry| {
            if entry.kind == FileKind::Dir && !entry.is_symlink { Action::Enter } else { Action::Report }
        };
        steps.extend(entries.iter().enumerate().map(|(n, entry)| Step { entry: n, action: act(entry) }));
    };
    let ask = Walk { root: &dir, step: &step, prefix_len: 0, max_dirs: MAX_DIRS };
    let (mut found, mut is_whole) = (Vec::new(), true);
    world.fs.walk(&ask, &mut |visit| match visit.take() {
        VisitOutcome::Restarted => found.clear(),
        VisitOutcome::Cut | VisitOutcome::Failed(_) => is_whole = false,
        VisitOutcome::Listed(noted) => {
            found.push(visit.dir.clone());
            for noted in noted {
                match visit.dir.child(&noted.entry.name) {
                    Ok(path) => found.push(path),
                    Err(_) => is_whole = false,
                }
            }
        }
    });
    let stamps = stamped(world, found.iter());
    (is_whole && found.iter().all(|path| stamps.contains_key(path))).then_some(stamps)
}

/// The stamps of the SKILL.md files.
fn stamps_of_skills(world: &World<'_>, catalog: &Catalog) -> Stamps {
    let used = catalog.skills().iter().chain(catalog.shadowed().iter().map(|shadowed| &shadowed.skill));
    stamped(world, used.map(|skill| &skill.path))
}

/// The stamps of the paths that have one.
pub(super) fn stamped<'p>(world: &World<'_>, paths: impl Iterator<Item = &'p FsPath>) -> BTreeMap<FsPath, Stamp> {
    let paths: Vec<&FsPath> = paths.collect();
    let metadata = world.fs.metadata_all(&paths).into_iter().zip(paths);
    metadata.filter_map(|(look, path)| Some((path.clone(), look.ok().flatten()?.stamp?))).collect()
}

/// The length up to which an error repeats a URI.
const MAX_URI_BYTES: usize = 2_048;

/// The error response for a resource. If the file has changed since it was listed, the request itself was valid.
pub(super) fn refused(error: &Error, uri: &str) -> ErrorData {
    let mut refusal = convert::error(error.code(), &error.to_string());
    if matches!(error, Error::Changed { .. } | Error::Fs(_)) {
        refusal.code = ErrorCode::INTERNAL_ERROR;
    }
    if let Some(data) = refusal.data.as_mut().filter(|_| uri.len() <= MAX_URI_BYTES) {
        data["uri"] = uri.into();
    }
    refusal
}

#[cfg(test)]
#[path = "../../../tests/unit/shelf.rs"]
mod tests;
