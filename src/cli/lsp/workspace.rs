//! The workspace: where skills are searched, the texts of open documents in place of their files, and the catalog.

use super::open_files::{OpenFiles, Texts};
use crate::args::GlobalOptions;
use crate::reply::Failure;
use crate::setup::Setup;
use skilltree::author::{FixRequest, FixScope};
use skilltree::discovery::SeenFile;
use skilltree::{Catalog, CheckRequest, Diagnostic, Dialect, FsPath, IncrementalDiscovery, World};
use std::collections::HashSet;
use std::sync::Arc;

/// The skills of a project and its user, as the options of the command line say.
pub(super) struct Workspace {
    setup: Setup,
    texts: Texts,
    discovery: IncrementalDiscovery,
    /// `None` if something has changed since the last discovery.
    catalog: Option<Catalog>,
    /// The files that the last discovery has read, and their real paths: not all of them are named SKILL.md.
    seen: HashSet<FsPath>,
    request: CheckRequest,
}

impl Workspace {
    /// The workspace of a folder, which need not be there yet, as a new one is made with its first file. Without a folder, that
    /// of the options.
    pub(super) fn new(
        options: &GlobalOptions,
        folder: Option<FsPath>,
        request: CheckRequest,
    ) -> Result<Workspace, Failure> {
        let setup = match folder {
            Some(folder) => Setup::of_project(options, folder)?,
            None => Setup::new(options)?,
        };
        let discovery = IncrementalDiscovery::new(Arc::clone(&setup.dialect));
        Ok(Workspace { setup, texts: Texts::default(), discovery, catalog: None, seen: HashSet::new(), request })
    }

    pub(super) fn dialect(&self) -> &Arc<Dialect> {
        &self.setup.dialect
    }

    /// Answers with the texts of open documents in place of their files.
    pub(super) fn with_world<T>(&self, answer: impl FnOnce(&World<'_>) -> T) -> T {
        let files = OpenFiles { base: self.setup.files(), texts: &self.texts };
        answer(&self.setup.world_of(&files))
    }

    /// The paths of a file: the one that is given and, if another, its real one.
    fn paths(&self, path: &FsPath) -> Vec<FsPath> {
        let real = self.setup.files().canonical(path).ok().filter(|real| real != path);
        std::iter::once(path.clone()).chain(real).collect()
    }

    /// Puts the text of a document in place of its file. Returns whether that changes what is read.
    pub(super) fn put(&mut self, path: &FsPath, text: &str) -> bool {
        let is_changed = !self.reads(path, text);
        self.texts.put(&self.paths(path), text);
        self.forget_if(is_changed)
    }

    /// Takes a document with this text away, so that its file counts again. Returns whether that changes what is read.
    pub(super) fn remove(&mut self, path: &FsPath, text: &str) -> bool {
        self.texts.remove(&self.paths(path));
        self.forget_if(!self.reads(path, text))
    }

    /// Whether this text is what is read at a path.
    fn reads(&self, path: &FsPath, text: &str) -> bool {
        let read = self.with_world(|world| world.fs.read(path, text.len() as u64 + 1));
        read.is_ok_and(|read| read.bytes == text.as_bytes())
    }

    fn forget_if(&mut self, is_changed: bool) -> bool {
        if is_changed {
            self.catalog = None;
        }
        is_changed
    }

    /// Forgets the catalog, as files may have changed.
    pub(super) fn files_changed(&mut self) {
        self.catalog = None;
    }

    /// The skills that there are now.
    pub(super) fn catalog(&mut self) -> Catalog {
        if let Some(catalog) = &self.catalog {
            return catalog.clone();
        }
        let files = OpenFiles { base: self.setup.files(), texts: &self.texts };
        let world = self.setup.world_of(&files);
        let catalog = self.discovery.refresh(&world);
        self.seen = catalog.seen().flat_map(|seen| [Some(seen.path), seen.target]).flatten().cloned().collect();
        self.catalog = Some(catalog.clone());
        catalog
    }

    /// The skills as they were found last.
    pub(super) fn known_catalog(&self) -> Option<&Catalog> {
        self.catalog.as_ref()
    }

    /// Whether a file is one of a skill: by its name, or as the last discovery has found it.
    pub(super) fn is_skill(&self, path: &FsPath) -> bool {
        path.name().eq_ignore_ascii_case("SKILL.md") || self.seen.contains(path)
    }

    /// The findings that a file has by itself.
    pub(super) fn check(&self, path: &FsPath) -> Vec<Diagnostic> {
        if !self.is_skill(path) {
            return Vec::new();
        }
        let check =
            |world: &World<'_>| skilltree::check(world, self.dialect(), std::slice::from_ref(path), &self.request);
        let findings = self.with_world(check).unwrap_or_default();
        // Findings about other files are shown where these are open.
        findings.into_iter().filter(|finding| finding.path == *path).collect()
    }

    /// The findings that a file would have with another text.
    pub(super) fn check_text(&self, path: &FsPath, text: &str) -> Vec<Diagnostic> {
        let mut texts = Texts::default();
        texts.put(&self.paths(path), text);
        let check = |world: &World<'_>| {
            let files = OpenFiles { base: world.fs, texts: &texts };
            let world = self.setup.world_of(&files);
            skilltree::check(&world, self.dialect(), std::slice::from_ref(path), &self.request)
        };
        self.with_world(check).unwrap_or_default()
    }

    /// The text of a file with the corrections of all findings that do not change a value; `None` if there are none.
    pub(super) fn fixed(&self, path: &FsPath) -> Option<String> {
        let ask = FixRequest { check: self.request, scope: FixScope::Safe };
        let fixed = self.with_world(|world| ask.fix(world, self.dialect(), std::slice::from_ref(path))).ok()?;
        let file = fixed.into_iter().find(|file| file.path == *path && file.after != file.before)?;
        String::from_utf8(file.after).ok()
    }

    /// The findings about a file that only a discovery makes, such as that another skill is used in its place.
    pub(super) fn of_catalog(&mut self, path: &FsPath, own: &[Diagnostic]) -> Vec<Diagnostic> {
        let catalog = self.catalog();
        let is_known = |finding: &Diagnostic| own.iter().any(|known| known.code == finding.code);
        // They are in the order of their paths.
        let findings = catalog.findings();
        let first = findings.partition_point(|finding| finding.path < *path);
        let about = findings[first..].iter().take_while(|finding| finding.path == *path);
        about.filter(|finding| !is_known(finding)).cloned().collect()
    }

    /// The skill that is used in place of the one in a file: its key, and the file of the other.
    pub(super) fn shadowed_by(&mut self, path: &FsPath) -> Option<(String, FsPath)> {
        let catalog = self.catalog();
        // They are in the order of their paths.
        let first = catalog.shadowed().partition_point(|shadowed| shadowed.skill.path < *path);
        let shadowed = catalog.shadowed().get(first).filter(|shadowed| shadowed.skill.path == *path)?;
        Some((shadowed.skill.key.clone(), shadowed.by.clone()))
    }
}

/// Whether a file that was seen is the one at a path.
pub(super) fn is_at(seen: &SeenFile<'_>, path: &FsPath) -> bool {
    seen.path == path || seen.target == Some(path)
}
