//! [`OverlayFs`], one tree of several file systems, each mounted at a path, one above the other. Folders are merged; of
//! files the uppermost one counts; an entry that is no folder hides everything below its path in lower layers. A
//! symlink is resolved within its own layer.

use super::{Entry, FileKind, FilePrefix, Fs, FsError, Metadata, Stamp, Step, Visit, VisitOutcome, Walk, walk};
use crate::path::FsPath;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Several file systems as layers of one tree.
///
/// Each new layer lies over those before it. The path of an error is the one that was asked for, as the user of
/// the whole sees it; [`FsError::Pending`] of a layer is handed on, and nothing below it is shown meanwhile.
/// Paths are spelled as the lowest layer at the root spells them.
///
/// ```
/// use skilltree::{Fs, FsPath, MemFs};
/// use skilltree::fs::{EmbeddedFs, OverlayFs};
/// static BUNDLED: EmbeddedFs = EmbeddedFs::new("/bundled", &[("tea/SKILL.md", b"---\nname: tea\n---\n")]);
/// let mut disk = MemFs::new(); // or `OsFs::new()`
/// disk.file("/bundled/milk/SKILL.md", "").file("/me/notes.md", "");
/// let fs = OverlayFs::new().layer(disk).layer(&BUNDLED);
/// let names: Vec<String> = fs.list(&FsPath::new("/bundled")?)?.into_iter().map(|entry| entry.name).collect();
/// assert_eq!(names, ["milk", "tea"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct OverlayFs<'a> {
    layers: Vec<Layer<'a>>,
}

struct Layer<'a> {
    mount: FsPath,
    fs: Box<dyn Fs + Send + Sync + 'a>,
}

enum Within {
    Own(FsPath),
    /// A folder above its place; the name in it that leads there.
    Above(String),
}

struct Found<'o> {
    /// The layer's place, from the lowest.
    number: usize,
    layer: &'o Layer<'o>,
    within: Within,
    metadata: Metadata,
}

impl<'a> OverlayFs<'a> {
    /// Without layers: nothing is there, not even a root.
    pub fn new() -> OverlayFs<'a> {
        OverlayFs::default()
    }

    /// Adds a layer above all others, with its root at the root.
    #[must_use]
    pub fn layer(self, fs: impl Fs + Send + Sync + 'a) -> OverlayFs<'a> {
        self.mount(FsPath::root(), fs)
    }

    /// Adds a layer above all others, with its root at `path`. The folders above `path` exist too.
    ///
    /// ```
    /// use skilltree::{Fs, FsPath, MemFs};
    /// use skilltree::fs::OverlayFs;
    /// let mut tea = MemFs::new();
    /// tea.file("/SKILL.md", "hot");
    /// let fs = OverlayFs::new().layer(MemFs::new()).mount(FsPath::new("/skills/tea")?, tea);
    /// assert_eq!(fs.read(&FsPath::new("/skills/tea/SKILL.md")?, 9)?.bytes, b"hot");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn mount(mut self, path: FsPath, fs: impl Fs + Send + Sync + 'a) -> OverlayFs<'a> {
        self.layers.push(Layer { mount: path, fs: Box::new(fs) });
        self
    }

    /// The lowest layer at the root.
    fn base(&self) -> Option<&(dyn Fs + Send + Sync)> {
        let base = self.layers.iter().find(|layer| layer.mount == FsPath::root())?;
        Some(&*base.fs)
    }

    /// The one layer that can hold anything at the path or below it, and the path there.
    fn sole(&self, path: &FsPath) -> Option<(&Layer<'a>, FsPath)> {
        let mut concerned = self.layers.iter().filter_map(|layer| Some((layer, layer.within(path)?)));
        match (concerned.next(), concerned.next()) {
            (Some((layer, Within::Own(inner))), None) => Some((layer, inner)),
            _ => None,
        }
    }

    /// What the layers hold at each path, from the top, as far as it shows. Of what is no folder there is one.
    fn found_all(&self, paths: &[&FsPath]) -> Vec<Result<Vec<Found<'_>>, FsError>> {
        let new = |path| Seeking { path, found: Vec::new(), missed: Vec::new(), error: None, done: false };
        let mut all: Vec<Seeking<'_, '_>> = paths.iter().map(|path| new(*path)).collect();
        for (number, layer) in self.layers.iter().enumerate().rev() {
            let mut own: Vec<(&mut Seeking<'_, '_>, FsPath)> = Vec::new();
            for seeking in all.iter_mut().filter(|seeking| !seeking.done) {
                match layer.within(seeking.path) {
                    Some(Within::Own(inner)) => own.push((seeking, inner)),
                    Some(within) => seeking.meets(Found { number, layer, within, metadata: FIXED_DIR }),
                    None => {}
                }
            }
            let all_metadata = layer.fs.metadata_all(&own.iter().map(|(_, inner)| inner).collect::<Vec<_>>());
            for ((seeking, inner), metadata) in own.into_iter().zip(all_metadata) {
                match metadata {
                    Err(error) => seeking.fails(error),
                    Ok(None) => seeking.missed.push((layer, inner)),
                    Ok(Some(metadata)) => {
                        seeking.meets(Found { number, layer, within: Within::Own(inner), metadata });
                    }
                }
            }
        }
        all.into_iter().map(|seeking| seeking.error.map_or(Ok(seeking.found), Err)).collect()
    }

    fn found(&self, path: &FsPath) -> Result<Vec<Found<'_>>, FsError> {
        self.found_all(&[path]).pop().unwrap_or_else(|| Ok(Vec::new()))
    }

    /// Answers from the layer whose entry counts at a path; `above` answers for a folder that is there for a layer's
    /// place alone.
    fn ask_top<T>(
        &self,
        path: &FsPath,
        ask: impl FnOnce(&Layer<'_>, &FsPath) -> Result<T, FsError>,
        above: impl FnOnce() -> Result<T, FsError>,
    ) -> Result<(T, usize), FsError> {
        let Some(top) = self.found(path)?.into_iter().next() else { return Err(self.absent(path)) };
        let answer = match top.within {
            Within::Own(inner) => ask(top.layer, &inner).map_err(|error| error.at(path.clone())),
            Within::Above(_) => above(),
        };
        Ok((answer?, top.number))
    }

    /// Reads a file in the way of its layer.
    fn read_by(
        &self,
        file: &FsPath,
        read: impl FnOnce(&Layer<'_>, &FsPath) -> Result<FilePrefix, FsError>,
    ) -> Result<FilePrefix, FsError> {
        if let Some((layer, inner)) = self.sole(file) {
            return read(layer, &inner).map_err(|error| error.at(file.clone()));
        }
        let (head, n) = self.ask_top(file, read, || Err(FsError::NotAFile(file.clone())))?;
        Ok(FilePrefix { stamp: head.stamp.map(|one| joined([(n, one)])), ..head })
    }

    /// Why nothing is at a path: what is above it decides, as it shows.
    fn absent(&self, path: &FsPath) -> FsError {
        let look = |dir: FsPath| self.metadata(&dir).map(|found| found.map(|found| (dir, found))).transpose();
        let said = match path.ancestors().skip(1).find_map(look) {
            Some(Ok((dir, found))) if found.kind != FileKind::Dir => self.list(&dir).err(),
            Some(Err(error)) => Some(error),
            Some(Ok(_)) | None => None,
        };
        said.unwrap_or_else(|| FsError::NotFound(path.clone())).at(path.clone())
    }
}

/// One path on its way from the top layer down.
struct Seeking<'p, 'o> {
    path: &'p FsPath,
    found: Vec<Found<'o>>,
    /// Layers that hold nothing there, and may hide what lies below them.
    missed: Vec<(&'o Layer<'o>, FsPath)>,
    error: Option<FsError>,
    done: bool,
}

impl<'o> Seeking<'_, 'o> {
    /// Takes what a layer holds, if it shows: a folder merges with folders, anything else stands alone.
    fn meets(&mut self, found: Found<'o>) {
        let is_dir = found.metadata.kind == FileKind::Dir;
        let shows = (is_dir || self.found.is_empty()) && !self.is_hidden();
        self.done = !is_dir || !shows;
        if shows {
            self.found.push(found);
        }
    }

    fn fails(&mut self, error: FsError) {
        self.done = true;
        if !self.is_hidden() {
            self.error = Some(error.at(self.path.clone()));
        }
    }

    /// Whether a layer above hides what the next one has. Asked only where there is something to show. A layer that
    /// cannot tell hides it, and its error is the answer.
    fn is_hidden(&mut self) -> bool {
        for (layer, inner) in self.missed.drain(..) {
            match layer.hides(&inner) {
                Ok(false) => {}
                Ok(true) => return true,
                Err(error) => {
                    self.error = Some(error.at(self.path.clone()));
                    return true;
                }
            }
        }
        false
    }
}

impl Layer<'_> {
    fn within(&self, path: &FsPath) -> Option<Within> {
        if self.mount.depth() == 0 {
            return Some(Within::Own(path.clone()));
        }
        if let Some(own) = path.strip_root(&self.mount) {
            return Some(Within::Own(own));
        }
        let rest = self.mount.relative_to(path)?;
        let first = rest.split_once('/').map_or(rest, |(first, _)| first);
        Some(Within::Above(first.to_owned()))
    }

    /// Whether something above the path, which is not there, is no folder.
    fn hides(&self, inner: &FsPath) -> Result<bool, FsError> {
        let nearest = inner.ancestors().skip(1).find_map(|dir| self.fs.metadata(&dir).transpose()).transpose()?;
        Ok(nearest.is_some_and(|found| found.kind != FileKind::Dir))
    }

    /// Walks the layer alone; `number` where its stamps are to be joined with it.
    fn walk(&self, root: &FsPath, number: Option<usize>, ask: &Walk<'_>, out: &mut dyn FnMut(&mut Visit)) {
        let mount = &self.mount;
        if number.is_none() && mount.depth() == 0 {
            return self.fs.walk(ask, out);
        }
        let outward = |inner: &FsPath| inner.mounted_at(mount);
        let step = |dir: &FsPath, depth: usize, entries: &[Entry], steps: &mut Vec<Step>| {
            (ask.step)(&outward(dir), depth, entries, steps);
        };
        self.fs.walk(&Walk { root, step: &step, prefix_len: ask.prefix_len, max_dirs: ask.max_dirs }, &mut |visit| {
            visit.dir = outward(&visit.dir);
            match &mut visit.outcome {
                VisitOutcome::Failed(error) => *error = error.clone().at(outward(error.path())),
                VisitOutcome::Listed(noted) => {
                    for head in noted.iter_mut().filter_map(|noted| noted.prefix.as_mut()) {
                        match (head, number) {
                            (Err(error), _) => *error = error.clone().at(outward(error.path())),
                            (Ok(head), Some(n)) => head.stamp = head.stamp.map(|one| joined([(n, one)])),
                            (Ok(_), None) => {}
                        }
                    }
                }
                VisitOutcome::Cut | VisitOutcome::Restarted => {}
            }
            out(visit);
        });
    }
}

impl Fs for OverlayFs<'_> {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        if let Some((layer, inner)) = self.sole(dir) {
            return layer.fs.list(&inner).map_err(|error| error.at(dir.clone()));
        }
        let found = self.found(dir)?;
        if found.is_empty() {
            return Err(self.absent(dir));
        }
        let mut entries: BTreeMap<(String, bool), Entry> = BTreeMap::new();
        for Found { layer, within, .. } in found {
            let listed = match within {
                Within::Own(inner) => layer.fs.list(&inner).map_err(|error| error.at(dir.clone()))?,
                Within::Above(name) => vec![Entry { name, kind: FileKind::Dir, is_symlink: false, is_lossy: false }],
            };
            for entry in listed {
                entries.entry((entry.name.clone(), entry.is_lossy)).or_insert(entry);
            }
        }
        Ok(entries.into_values().collect())
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.read_by(file, |layer, inner| layer.fs.read(inner, at_most))
    }

    fn read_listed(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.read_by(file, |layer, inner| layer.fs.read_listed(inner, at_most))
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.metadata_all(&[path]).pop().unwrap_or(Ok(None))
    }

    fn metadata_all(&self, paths: &[&FsPath]) -> Vec<Result<Option<Metadata>, FsError>> {
        if let [path] = paths {
            if let Some((layer, inner)) = self.sole(path) {
                return vec![layer.fs.metadata(&inner).map_err(|error| error.at((*path).clone()))];
            }
        }
        let looked = |path: &FsPath, found: Vec<Found<'_>>| {
            let top = found.first()?.metadata;
            if self.sole(path).is_some() {
                return Some(top);
            }
            let stamps: Option<Vec<_>> = found.iter().map(|one| Some((one.number, one.metadata.stamp?))).collect();
            Some(Metadata { stamp: stamps.map(joined), ..top })
        };
        let found = self.found_all(paths).into_iter();
        found.zip(paths).map(|(found, path)| found.map(|found| looked(path, found))).collect()
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        let real =
            |layer: &Layer<'_>, inner: &FsPath| layer.fs.canonical(inner).map(|real| real.mounted_at(&layer.mount));
        if let Some((layer, inner)) = self.sole(path) {
            return real(layer, &inner).map_err(|error| error.at(path.clone()));
        }
        self.ask_top(path, real, || Ok(path.clone())).map(|(real, _)| real)
    }

    fn read_within(&self, root: &FsPath, rel: &str, at_most: u64) -> Result<FilePrefix, FsError> {
        let file = walk::confine(root, rel)?;
        let read = |layer: &Layer<'_>, inner: &FsPath| {
            let inner_root = match layer.within(root) {
                Some(Within::Own(root)) => root,
                Some(Within::Above(_)) | None => FsPath::root(),
            };
            let rest = inner.relative_to(&inner_root).ok_or_else(|| FsError::Escapes(inner.clone()))?;
            layer.fs.read_within(&inner_root, rest, at_most)
        };
        self.read_by(&file, read)
    }

    fn confined<'f>(&'f self, root: &FsPath) -> Result<Box<dyn Fs + 'f>, FsError> {
        if let Ok([Found { layer, within: Within::Own(_), .. }]) = self.found(root).as_deref() {
            // A layer that has another path for the folder would answer with other paths.
            if layer.mount.depth() == 0 {
                return layer.fs.confined(root);
            }
        }
        walk::confined(Box::new(self), root)
    }

    fn walk(&self, ask: &Walk<'_>, out: &mut dyn FnMut(&mut Visit)) {
        if let Some((layer, inner)) = self.sole(ask.root) {
            return layer.walk(&inner, None, ask, out);
        }
        if let Ok([Found { number, layer, within: Within::Own(inner), .. }]) = self.found(ask.root).as_deref() {
            // What one layer alone holds now, it walks in its own way.
            return layer.walk(inner, Some(*number), ask, out);
        }
        walk::walk(self, ask, out);
    }

    fn display<'p>(&self, path: &'p FsPath) -> Cow<'p, str> {
        self.base().map_or(Cow::Borrowed(path.as_str()), |base| base.display(path))
    }

    fn parse(&self, text: &str, base: &FsPath) -> Option<FsPath> {
        let by_base = self.base().and_then(|lowest| lowest.parse(text, base));
        by_base.or_else(|| walk::parse_slashes(text, base))
    }
}

/// A folder that is there because a layer has its place below it: it never changes.
const FIXED_DIR: Metadata = Metadata { kind: FileKind::Dir, is_symlink: false, len: 0, stamp: Some(Stamp([0; 5])) };

/// An odd number with its bits well mixed: the golden ratio of 64 bits.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The stamp of several layers, each with its number. Of one layer no two stamps give the same.
fn joined(stamps: impl IntoIterator<Item = (usize, Stamp)>) -> Stamp {
    let mut joined = [0_u64; 5];
    for (layer, stamp) in stamps {
        let layer = (layer as u64 + 1).wrapping_mul(ODD);
        for (word, new) in joined.iter_mut().zip(stamp.0) {
            *word = (*word ^ new ^ layer).wrapping_mul(ODD).rotate_left(29);
        }
    }
    Stamp(joined)
}
