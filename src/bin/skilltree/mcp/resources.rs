//! In: a catalog. Out: a [`ResourceCache`]: its skills as resources, by the Skills extension. What was listed of a skill stays
//! what it is until the next look, and a file is given as it was listed, or not at all. Files are digested when they
//! are first asked for, and again only where a stamp does not vouch for them.
//! Absent: which skills are served, and under which address (the library).

use super::convert;
use super::pagination::page;
use rmcp::ErrorData;
use rmcp::model::{
    ErrorCode, ListResourcesResult, ListSkillsResult, ReadResourceResult, Resource, ResourceContents, Skill,
};
use skilltree::fs::{Action, Entry, FileKind, Stamp, Step, VisitOutcome, Walk};
use skilltree::package::{Served, ServedEntry, ServedSkill};
use skilltree::{Catalog, Code, Diagnostic, Digest, Error, FsPath, Severity, World, report};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many resources a page holds.
const RESOURCES_A_PAGE: usize = 100;

/// How many skills a page holds, each with all its files.
const SKILLS_A_PAGE: usize = 50;

/// How many folders of a skill are looked at for stamps.
const MAX_DIRS: usize = 10_000;

/// The skills of one look, as resources.
#[derive(Default)]
pub(super) struct ResourceCache {
    served: Served,
    /// The stamps of the SKILL.md files that are served.
    stamps: Stamps,
    listed: Mutex<Listed>,
}

/// What clients were told.
#[derive(Default)]
struct Listed {
    entries: BTreeMap<String, ListedSkill>,
    digests: HashMap<String, Digest>,
}

/// An entry, and the stamps of all that stands in the skill's folder; none where one has none.
#[derive(Clone)]
struct ListedSkill {
    entry: Arc<ServedEntry>,
    stamps: Option<Stamps>,
}

/// Files and folders by their paths, with what vouches for each.
type Stamps = BTreeMap<FsPath, Stamp>;

impl ResourceCache {
    /// The skills as they are now.
    pub(super) fn new(world: &World<'_>, catalog: &Catalog) -> ResourceCache {
        // Stamps first: what changes while files are read has another stamp at the next look.
        let used = catalog.skills().iter().chain(catalog.shadowed().iter().map(|shadowed| &shadowed.skill));
        let stamps = stamped(world, used.map(|skill| &skill.path));
        ResourceCache { served: Served::of(world, catalog), stamps, listed: Mutex::default() }
    }

    /// The same as they are now; the very same where nothing has changed. Of what was listed all files are looked at
    /// again, of the others the SKILL.md.
    pub(super) fn updated(
        self: &Arc<ResourceCache>,
        world: &World<'_>,
        catalog: &Catalog,
        is_same: bool,
    ) -> Arc<ResourceCache> {
        let used = catalog.skills().iter().chain(catalog.shadowed().iter().map(|shadowed| &shadowed.skill));
        let stamps = stamped(world, used.map(|skill| &skill.path));
        let known: Vec<(String, ListedSkill, bool)> = {
            let listed = self.listed();
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
        for (uri, listed_skill, is_same) in known {
            let Some(skill) = cache.served.get(&uri) else { continue };
            let listed_skill = match is_same && self.served.get(&uri) == Some(skill) {
                true => Ok(listed_skill),
                false => cache.list_skill(world, skill),
            };
            // One that cannot be listed now says why when it is next asked for.
            let _ = listed_skill.and_then(|listed_skill| cache.listed().insert(listed_skill));
        }
        Arc::new(cache)
    }

    /// Whether a client would see anything else than before.
    pub(super) fn differs_from(&self, before: &ResourceCache) -> bool {
        let (now, then) = (self.listed(), before.listed());
        let is_other = |(uri, listed_skill): (&String, &ListedSkill)| {
            now.entries.get(uri).is_none_or(|now| now.entry != listed_skill.entry)
        };
        self.served.skills != before.served.skills || then.entries.iter().any(is_other)
    }

    /// What is not served, and why.
    pub(super) fn findings(&self) -> &[Diagnostic] {
        &self.served.findings
    }

    /// The SKILL.md of each skill.
    pub(super) fn resources(&self, cursor: Option<&str>) -> Result<ListResourcesResult, ErrorData> {
        let (page, next) = page("resources", &self.served.skills, |skill| &skill.uri, cursor, RESOURCES_A_PAGE)?;
        let resources = page.iter().map(|skill| {
            let named = Resource::new(&skill.uri, &skill.name).with_description(&skill.description);
            named.with_mime_type("text/markdown").with_size(skill.size)
        });
        Ok(ListResourcesResult { next_cursor: next, ..ListResourcesResult::with_all_items(resources.collect()) })
    }

    /// The skills with all their files. One that cannot be listed is left out, with a finding.
    pub(super) fn skills(
        &self,
        world: &World<'_>,
        cursor: Option<&str>,
    ) -> Result<(ListSkillsResult, Vec<Diagnostic>), ErrorData> {
        let (page, next) = page("skills", &self.served.skills, |skill| &skill.uri, cursor, SKILLS_A_PAGE)?;
        let (mut skills, mut findings) = (Vec::with_capacity(page.len()), Vec::new());
        for skill in page {
            match self.entry(world, skill) {
                Ok(entry) => skills.push(convert::typed(&report::served_entry(&entry))?),
                Err(error) => {
                    let message = format!("the skill is not served: {error}");
                    findings.push(Diagnostic::new(Severity::Warning, Code::NotServed, skill.path.clone(), message));
                }
            }
        }
        Ok((ListSkillsResult { next_cursor: next, ..ListSkillsResult::with_all_items(skills) }, findings))
    }

    /// One skill with all its files.
    pub(super) fn skill(&self, world: &World<'_>, uri: &str) -> Result<Skill, ErrorData> {
        let unknown = || Error::NotServed { uri: convert::shown(uri), reason: "no skill has this URI".to_owned() };
        let skill = self.served.get(uri).ok_or_else(unknown).map_err(|error| refused(&error))?;
        let entry = self.entry(world, skill).map_err(|error| refused(&error))?;
        convert::typed(&report::served_entry(&entry))
    }

    /// A file, as it was listed.
    pub(super) fn read(&self, world: &World<'_>, uri: &str) -> Result<ReadResourceResult, Error> {
        let listed = self.listed().digests.get(uri).copied();
        let listed = listed.or_else(|| self.served.get(uri).map(|skill| skill.digest));
        let file = self.served.read(world, uri, listed)?;
        let contents = match String::from_utf8(file.bytes) {
            Ok(text) if !text.contains('\0') => ResourceContents::text(text, uri),
            Ok(text) => ResourceContents::blob(convert::base64(text.as_bytes()), uri),
            Err(error) => ResourceContents::blob(convert::base64(error.as_bytes()), uri),
        };
        Ok(ReadResourceResult::new(vec![contents.with_mime_type(file.mime)]))
    }

    /// What stands directly in a folder, or why the cursor is none of its list.
    pub(super) fn directory(
        &self,
        world: &World<'_>,
        uri: &str,
        cursor: Option<&str>,
    ) -> Result<Result<ListResourcesResult, ErrorData>, Error> {
        let mut children = self.served.directory(world, uri)?;
        children.sort_by(|a, b| a.uri.cmp(&b.uri));
        let listed = page(uri, &children, |child| &child.uri, cursor, RESOURCES_A_PAGE);
        Ok(listed.and_then(|(page, next)| {
            let resources = convert::typed(&report::served_children(page))?;
            Ok(ListResourcesResult { next_cursor: next, ..ListResourcesResult::with_all_items(resources) })
        }))
    }

    /// A skill's entry, made when it is first asked for.
    fn entry(&self, world: &World<'_>, skill: &ServedSkill) -> Result<Arc<ServedEntry>, Error> {
        if let Some(listed_skill) = self.listed().entries.get(&skill.uri) {
            return Ok(Arc::clone(&listed_skill.entry));
        }
        let listed_skill = self.list_skill(world, skill)?;
        self.listed().insert(listed_skill)
    }

    fn list_skill(&self, world: &World<'_>, skill: &ServedSkill) -> Result<ListedSkill, Error> {
        let stamps = stamps(world, skill);
        Ok(ListedSkill { entry: Arc::new(self.served.entry(world, skill)?), stamps })
    }

    /// A failure elsewhere leaves what was listed as it was.
    fn listed(&self) -> MutexGuard<'_, Listed> {
        self.listed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listed {
    /// Keeps an entry, unless one of its files was listed with other bytes.
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
    /// Whether nothing in the skill's folder has changed. No folder is listed for that: one to which something was added,
    /// or from which something was taken, has another stamp.
    fn is_same(&self, world: &World<'_>) -> bool {
        self.stamps.as_ref().is_some_and(|stamps| stamped(world, stamps.keys()) == *stamps)
    }
}

/// The stamps of all that stands in a skill's folder, and its own; none where one has none.
fn stamps(world: &World<'_>, skill: &ServedSkill) -> Option<Stamps> {
    let dir = skill.path.parent()?;
    let step = |_: &FsPath, _: usize, entries: &[Entry], steps: &mut Vec<Step>| {
        let act = |entry: &Entry| if entry.kind == FileKind::Dir && !entry.link { Action::Enter } else { Action::Note };
        steps.extend(entries.iter().enumerate().map(|(n, entry)| Step { entry: n, act: act(entry) }));
    };
    let ask = Walk { root: &dir, step: &step, head: 0, max_dirs: MAX_DIRS };
    let (mut found, mut is_whole) = (Vec::new(), true);
    world.fs.walk(&ask, &mut |visit| match visit.take() {
        VisitOutcome::Again => found.clear(),
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

/// The stamps of those that have one.
fn stamped<'p>(world: &World<'_>, paths: impl Iterator<Item = &'p FsPath>) -> Stamps {
    let paths: Vec<&FsPath> = paths.collect();
    let metadata = world.fs.metadata_all(&paths).into_iter().zip(paths);
    metadata.filter_map(|(look, path)| Some((path.clone(), look.ok().flatten()?.stamp?))).collect()
}

/// Why a resource is not given. What is no longer as it was listed is no fault of the request.
pub(super) fn refused(error: &Error) -> ErrorData {
    match error {
        Error::Changed { .. } | Error::Fs(_) => {
            ErrorData { code: ErrorCode::INTERNAL_ERROR, ..convert::error(error.code(), &error.to_string()) }
        }
        _ => convert::error(error.code(), &error.to_string()),
    }
}

#[cfg(test)]
#[path = "../../../../tests/unit/shelf.rs"]
mod tests;
