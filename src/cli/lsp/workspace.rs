//! The workspace: where skills are searched, the texts of open documents in place of their files, and the catalog.

use crate::args::GlobalOptions;
use crate::reply::Failure;
use crate::setup::Setup;
use skilltree::author::{FixRequest, FixScope};
use skilltree::fs::{Entry, FileKind, FilePrefix, Metadata, Stamp};
use skilltree::{Catalog, CheckRequest, Diagnostic, Dialect, Fs, FsError, FsPath, IncrementalDiscovery, MemFs, World};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
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
        let real = real(&self.setup.files(), path).ok().filter(|real| real != path);
        std::iter::once(path.clone()).chain(real).collect()
    }

    /// Puts the text of a document in place of its file.
    pub(super) fn put(&mut self, path: &FsPath, opened: u64, text: &str) {
        self.texts.put(&self.paths(path), opened, text);
        self.files_changed();
    }

    /// Takes a document away, so that its file, or another document of it, counts again.
    pub(super) fn remove(&mut self, opened: u64) {
        self.texts.remove(opened);
        self.files_changed();
    }

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

    /// Answers with this text in place of a file, even if another document of the file is open.
    fn with_text<T>(&self, path: &FsPath, text: &str, answer: impl FnOnce(&World<'_>) -> T) -> T {
        let mut texts = Texts::default();
        texts.put(&self.paths(path), 0, text);
        self.with_world(|world| answer(&self.setup.world_of(&OpenFiles { base: world.fs, texts: &texts })))
    }

    /// The findings that a file with this text has by itself.
    pub(super) fn check(&self, path: &FsPath, text: &str) -> Vec<Diagnostic> {
        if !self.is_skill(path) {
            return Vec::new();
        }
        let check =
            |world: &World<'_>| skilltree::check(world, self.dialect(), std::slice::from_ref(path), &self.request);
        let findings = self.with_text(path, text, check).unwrap_or_default();
        // Findings about other files are shown where these are open.
        findings.into_iter().filter(|finding| finding.path == *path).collect()
    }

    /// This text of a file with the corrections of all findings that do not change a value; `None` if there are none.
    pub(super) fn fixed(&self, path: &FsPath, text: &str) -> Option<String> {
        let ask = FixRequest { check: self.request, scope: FixScope::Safe };
        let fix = |world: &World<'_>| ask.fix(world, self.dialect(), std::slice::from_ref(path));
        let fixed = self.with_text(path, text, fix).ok()?;
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

/// The texts of open documents by the path under which they were opened, and by their real path.
///
/// A file may be open in several documents, by symlinks or by addresses that differ in their spelling. A path then shows the
/// text of a document that was opened under this path rather than under another one, and of these the one opened last.
#[derive(Default)]
pub(super) struct Texts {
    /// The texts of each path by whether they were opened under it, and by when; the last one is shown.
    texts: HashMap<FsPath, BTreeMap<(bool, u64), OpenText>>,
    /// The number of edits so far, so that no two texts share a stamp.
    edits: u64,
}

struct OpenText {
    text: String,
    stamp: Stamp,
}

impl Texts {
    /// Puts the text of the document that was the `opened`th to be opened at its paths, of which the first is its own.
    fn put(&mut self, paths: &[FsPath], opened: u64, text: &str) {
        self.remove(opened);
        self.edits += 1;
        for (at, path) in paths.iter().enumerate() {
            let stamp = Stamp([self.edits, u64::MAX, 0, 0, 0]);
            let of_path = self.texts.entry(path.clone()).or_default();
            of_path.insert((at == 0, opened), OpenText { text: text.to_owned(), stamp });
        }
    }

    fn remove(&mut self, opened: u64) {
        self.texts.retain(|_, of_path| {
            of_path.retain(|(_, other), _| *other != opened);
            !of_path.is_empty()
        });
    }

    /// The paths below a folder, relative to it.
    fn below<'t>(&'t self, folder: &'t FsPath) -> impl Iterator<Item = &'t str> {
        self.texts.keys().filter_map(|path| path.relative_to(folder)).filter(|rel| !rel.is_empty())
    }

    /// The text that is shown at a path.
    fn at(&self, path: &FsPath) -> Option<&OpenText> {
        self.texts.get(path)?.values().next_back()
    }
}

impl OpenText {
    fn prefix(&self, at_most: u64) -> FilePrefix {
        let bytes = self.text.as_bytes();
        let end = usize::try_from(at_most).unwrap_or(usize::MAX).min(bytes.len());
        FilePrefix { bytes: bytes[..end].to_vec(), len: bytes.len() as u64, stamp: Some(self.stamp) }
    }

    fn metadata(&self, on_disk: Option<Metadata>) -> Metadata {
        let is_symlink = on_disk.is_some_and(|metadata| metadata.is_symlink);
        Metadata { kind: FileKind::File, is_symlink, len: self.text.len() as u64, stamp: Some(self.stamp) }
    }
}

/// Maximum number of names in a path of which some may not be there. It bounds a recursion.
const MAX_DEPTH: usize = 256;

/// The real path of a file or folder that need not be there.
fn real(files: &impl Fs, path: &FsPath) -> Result<FsPath, FsError> {
    match (files.canonical(path), path.parent()) {
        (Err(FsError::NotFound(_)), Some(above)) if path.depth() <= MAX_DEPTH => {
            Ok(real(files, &above)?.child(path.name()).unwrap_or(path.clone()))
        }
        (found, _) => found,
    }
}

/// A file system with the texts of open documents.
struct OpenFiles<'t, F> {
    pub(super) base: F,
    pub(super) texts: &'t Texts,
}

impl<F: Fs> OpenFiles<'_, F> {
    /// The text of the document that is open at a path.
    fn text(&self, path: &FsPath) -> Option<&OpenText> {
        self.texts.at(path)
    }

    fn seen(&self, path: &FsPath, on_disk: Result<Option<Metadata>, FsError>) -> Result<Option<Metadata>, FsError> {
        match (self.text(path), on_disk) {
            (Some(text), Ok(None)) => Ok(Some(text.metadata(None))),
            (Some(text), Ok(Some(found))) if found.kind == FileKind::File => Ok(Some(text.metadata(Some(found)))),
            // The list of a folder changes with what is open in it, without a change of the folder on the disk.
            (_, Ok(found)) if self.is_folder(path) => {
                let new = Metadata { kind: FileKind::Dir, is_symlink: false, len: 0, stamp: None };
                Ok(Some(Metadata { stamp: None, ..found.unwrap_or(new) }))
            }
            (_, on_disk) => on_disk,
        }
    }

    /// Whether a document is open in a folder or below it.
    fn is_folder(&self, path: &FsPath) -> bool {
        self.texts.below(path).next().is_some()
    }

    /// Reads a file, or the text that is open in its place.
    fn read_by(
        &self,
        path: &FsPath,
        at_most: u64,
        on_disk: Result<FilePrefix, FsError>,
    ) -> Result<FilePrefix, FsError> {
        match (self.text(path), on_disk) {
            (Some(text), Ok(_) | Err(FsError::NotFound(_))) => Ok(text.prefix(at_most)),
            (_, on_disk) => on_disk,
        }
    }
}

impl<F: Fs> Fs for OpenFiles<'_, F> {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        let listed = self.base.list(dir);
        let mut new = self.texts.below(dir).peekable();
        if new.peek().is_none() {
            return listed;
        }
        let mut entries = match listed {
            Err(FsError::NotFound(_)) => Vec::new(),
            listed => listed?,
        };
        for rel in new {
            let (name, kind) = match rel.split_once('/') {
                Some((folder, _)) => (folder, FileKind::Dir),
                None => (rel, FileKind::File),
            };
            if entries.iter().all(|entry| entry.name != name) {
                entries.push(Entry { name: name.to_owned(), kind, is_symlink: false, is_lossy: false });
            }
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.read_by(file, at_most, self.base.read(file, if self.text(file).is_some() { 0 } else { at_most }))
    }

    fn read_listed(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.read_by(file, at_most, self.base.read_listed(file, if self.text(file).is_some() { 0 } else { at_most }))
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.seen(path, self.base.metadata(path))
    }

    fn metadata_all(&self, paths: &[&FsPath]) -> Vec<Result<Option<Metadata>, FsError>> {
        let found = self.base.metadata_all(paths);
        found.into_iter().zip(paths).map(|(found, path)| self.seen(path, found)).collect()
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        match self.base.canonical(path) {
            Err(FsError::NotFound(_)) if self.text(path).is_some() || self.is_folder(path) => real(&self.base, path),
            canonical => canonical,
        }
    }

    fn read_within(&self, root: &FsPath, rel: &str, at_most: u64) -> Result<FilePrefix, FsError> {
        let on_disk = self.base.read_within(root, rel, at_most);
        match root.join(rel) {
            Ok(path) => self.read_by(&path, at_most, on_disk),
            Err(_) => on_disk,
        }
    }

    fn confined<'f>(&'f self, root: &FsPath) -> Result<Box<dyn Fs + 'f>, FsError> {
        match self.base.confined(root) {
            Ok(base) => Ok(Box::new(OpenFiles { base, texts: self.texts })),
            // A folder that is made with its first file holds nothing yet but the text that is open.
            Err(FsError::NotFound(_)) if self.is_folder(root) => {
                Ok(Box::new(OpenFiles { base: MemFs::new(), texts: self.texts }))
            }
            Err(error) => Err(error),
        }
    }

    fn display<'p>(&self, path: &'p FsPath) -> Cow<'p, str> {
        self.base.display(path)
    }

    fn parse(&self, text: &str, base: &FsPath) -> Option<FsPath> {
        self.base.parse(text, base)
    }
}
