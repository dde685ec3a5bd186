//! [`OverlayFs`], one tree of several file systems, each mounted at a path, one above the other. Folders are merged; of
//! files the uppermost one counts; an entry that is no folder hides everything below its path in lower layers. A
//! symlink is resolved within its own layer.

mod confined;
mod stamp;

use super::{Entry, FileKind, FilePrefix, Fs, FsError, Metadata, Step, Visit, VisitOutcome, Walk, walk};
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
    /// From low to high.
    layers: Vec<Layer<'a>>,
}

struct Layer<'a> {
    mount: FsPath,
    fs: Box<dyn Fs + Send + Sync + 'a>,
}

/// What a path is to a layer.
enum Within {
    /// A path of the layer's own.
    Own(FsPath),
    /// A folder above its place; the name in it that leads there.
    Above(String),
}

/// What a layer holds at a path.
struct Found {
    layer: usize,
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

    /// The one layer that can hold anything at the path or below it, and the path there.
    fn sole(&self, path: &FsPath) -> Option<(&Layer<'a>, FsPath)> {
        let mut concerned = self.layers.iter().filter_map(|layer| Some((layer, layer.within(path)?)));
        match (concerned.next(), concerned.next()) {
            (Some((layer, Within::Own(inner))), None) => Some((layer, inner)),
            _ => None,
        }
    }

    /// What the layers hold at each path, from the top, as far as it shows. Of what is no folder there is one.
    fn found_all(&self, paths: &[&FsPath]) -> Vec<Result<Vec<Found>, FsError>> {
        let mut all: Vec<Seeking<'_>> = paths.iter().map(|path| Seeking::new(path)).collect();
        for (n, layer) in self.layers.iter().enumerate().rev() {
            let asked = all.iter_mut().filter(|seeking| !seeking.done);
            let (mut own, mut above): (Vec<_>, Vec<_>) = (Vec::new(), Vec::new());
            for seeking in asked {
                match layer.within(seeking.path) {
                    Some(Within::Own(inner)) => own.push((seeking, inner)),
                    Some(within @ Within::Above(_)) => above.push((seeking, within)),
                    None => {}
                }
            }
            for (seeking, within) in above {
                seeking.meets(self, Found { layer: n, within, metadata: stamp::FIXED_DIR });
            }
            let all_metadata = layer.fs.metadata_all(&own.iter().map(|(_, inner)| inner).collect::<Vec<_>>());
            for ((seeking, inner), metadata) in own.into_iter().zip(all_metadata) {
                match metadata {
                    Err(error) => seeking.fails(self, error),
                    Ok(None) => seeking.missed.push((n, inner)),
                    Ok(Some(metadata)) => seeking.meets(self, Found { layer: n, within: Within::Own(inner), metadata }),
                }
            }
        }
        all.into_iter().map(|seeking| seeking.error.map_or(Ok(seeking.found), Err)).collect()
    }

    fn found(&self, path: &FsPath) -> Result<Vec<Found>, FsError> {
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
        let Some(layer) = self.layers.get(top.layer) else { return Err(self.absent(path)) };
        let answer = match top.within {
            Within::Own(inner) => ask(layer, &inner).map_err(|error| error.at(path.clone())),
            Within::Above(_) => above(),
        };
        Ok((answer?, top.layer))
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
        Ok(FilePrefix { stamp: head.stamp.map(|one| stamp::joined([(n, one)])), ..head })
    }

    /// Why nothing is at a path: what is above it decides, as it shows.
    fn absent(&self, path: &FsPath) -> FsError {
        let mut above = path.parent();
        while let Some(dir) = above {
            let said = match self.metadata(&dir) {
                Ok(None) => {
                    above = dir.parent();
                    continue;
                }
                Ok(Some(metadata)) if metadata.kind == FileKind::Dir => break,
                Ok(Some(_)) => self.list(&dir).err(),
                Err(error) => Some(error),
            };
            return said.unwrap_or_else(|| FsError::NotFound(path.clone())).at(path.clone());
        }
        FsError::NotFound(path.clone())
    }
}

/// One path on its way from the top layer down.
struct Seeking<'p> {
    path: &'p FsPath,
    found: Vec<Found>,
    /// Layers that hold nothing there, and may hide what lies below them.
    missed: Vec<(usize, FsPath)>,
    error: Option<FsError>,
    done: bool,
}

impl<'p> Seeking<'p> {
    fn new(path: &'p FsPath) -> Seeking<'p> {
        Seeking { path, found: Vec::new(), missed: Vec::new(), error: None, done: false }
    }

    /// Takes what a layer holds, if it shows: a folder merges with folders, anything else stands alone.
    fn meets(&mut self, overlay: &OverlayFs<'_>, found: Found) {
        let is_dir = found.metadata.kind == FileKind::Dir;
        let shows = (is_dir || self.found.is_empty()) && !self.is_hidden(overlay);
        self.done = !is_dir || !shows;
        if shows {
            self.found.push(found);
        }
    }

    fn fails(&mut self, overlay: &OverlayFs<'_>, error: FsError) {
        self.done = true;
        if !self.is_hidden(overlay) {
            self.error = Some(error.at(self.path.clone()));
        }
    }

    /// Whether a layer above hides what the next one has. Asked only where there is something to show. A layer that
    /// cannot tell hides it, and its error is the answer.
    fn is_hidden(&mut self, overlay: &OverlayFs<'_>) -> bool {
        for (n, inner) in self.missed.drain(..) {
            match overlay.layers.get(n).map(|layer| layer.hides(&inner)) {
                None | Some(Ok(false)) => {}
                Some(Ok(true)) => return true,
                Some(Err(error)) => {
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
        let mut above = inner.parent();
        while let Some(dir) = above {
            match self.fs.metadata(&dir)? {
                None => above = dir.parent(),
                Some(metadata) => return Ok(metadata.kind != FileKind::Dir),
            }
        }
        Ok(false)
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
                            (Ok(head), Some(n)) => head.stamp = head.stamp.map(|one| stamp::joined([(n, one)])),
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
            let Some(layer) = self.layers.get(layer) else { continue };
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
        let looked = |path: &FsPath, found: Vec<Found>| {
            let top = found.first()?.metadata;
            if self.sole(path).is_some() {
                return Some(top);
            }
            let stamps: Option<Vec<_>> = found.iter().map(|one| Some((one.layer, one.metadata.stamp?))).collect();
            Some(Metadata { stamp: stamps.map(stamp::joined), ..top })
        };
        let found = self.found_all(paths).into_iter();
        found.zip(paths).map(|(found, path)| found.map(|found| looked(path, found))).collect()
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        if let Some((layer, inner)) = self.sole(path) {
            let real = layer.fs.canonical(&inner).map_err(|error| error.at(path.clone()))?;
            return Ok(real.mounted_at(&layer.mount));
        }
        let real =
            |layer: &Layer<'_>, inner: &FsPath| layer.fs.canonical(inner).map(|real| real.mounted_at(&layer.mount));
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
        confined::confined(self, root)
    }

    fn walk(&self, ask: &Walk<'_>, out: &mut dyn FnMut(&mut Visit)) {
        if let Some((layer, inner)) = self.sole(ask.root) {
            return layer.walk(&inner, None, ask, out);
        }
        if let Ok([Found { layer: n, within: Within::Own(inner), .. }]) = self.found(ask.root).as_deref() {
            // What one layer alone holds now, it walks in its own way.
            if let Some(layer) = self.layers.get(*n) {
                return layer.walk(inner, Some(*n), ask, out);
            }
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

impl OverlayFs<'_> {
    /// The lowest layer at the root.
    fn base(&self) -> Option<&(dyn Fs + Send + Sync)> {
        let base = self.layers.iter().find(|layer| layer.mount == FsPath::root())?;
        Some(&*base.fs)
    }
}
