//! [`MemFs`] as an [`Fs`]: symlinks are followed as a Unix kernel follows them. The default walk is used, so that the
//! tests of the core run through it.

use super::{FsCall, MemFs, Node, ROOT, What};
use crate::fs::walk::{self, FinalSymlink};
use crate::fs::{Entry, FileKind, FilePrefix, Fs, FsError, Metadata, Stamp};
use crate::path::FsPath;
use crate::text::order::sort_by;
use std::sync::atomic::Ordering::Relaxed;

impl Fs for MemFs {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.begin(FsCall::List, dir)?;
        let (node, _) = self.resolve(dir, FinalSymlink::Follow)?;
        let What::Dir { names, lossy } = &node.what else { return Err(FsError::NotADirectory(dir.clone())) };
        if node.denied {
            return Err(FsError::Denied(dir.clone()));
        }
        let mut entries = Vec::with_capacity(names.len() + lossy.len());
        for (name, at) in names {
            let (Ok(path), Some(node)) = (dir.child(name), self.nodes.get(*at)) else { continue };
            let (kind, link) = self.kind(&path, node);
            entries.push(Entry { name: name.clone(), kind, is_symlink: link, is_lossy: false });
        }
        for name in lossy.iter() {
            entries.push(Entry { name: name.clone(), kind: FileKind::File, is_symlink: false, is_lossy: true });
        }
        sort_by(&mut entries, |a, b| (&a.name, a.is_lossy).cmp(&(&b.name, b.is_lossy)));
        Ok(entries)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.begin(FsCall::Read, file)?;
        let (node, _) = self.resolve(file, FinalSymlink::Follow)?;
        if node.denied && node.kind() == FileKind::File {
            return Err(FsError::Denied(file.clone()));
        }
        let len = node.len();
        let wanted = usize::try_from(len.min(at_most)).unwrap_or(usize::MAX);
        let bytes = match &node.what {
            What::File(bytes) => bytes.get(..wanted).unwrap_or(bytes).to_vec(),
            What::Sparse(_) => zeros(wanted, file)?,
            _ => return Err(FsError::NotAFile(file.clone())),
        };
        Ok(FilePrefix { bytes, len, stamp: Some(node.stamp()) })
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.begin(FsCall::Metadata, path)?;
        let (node, _) = match self.resolve(path, FinalSymlink::Keep) {
            Err(FsError::NotFound(_) | FsError::NotADirectory(_)) => return Ok(None),
            found => found?,
        };
        let (kind, link) = self.kind(path, node);
        let real = if link { self.resolve(path, FinalSymlink::Follow).ok().map(|(real, _)| real) } else { Some(node) };
        let len = real.map_or(0, Node::len);
        Ok(Some(Metadata { kind, is_symlink: link, len, stamp: real.map(Node::stamp) }))
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        self.begin(FsCall::Canonical, path)?;
        let (_, names) = self.resolve(path, FinalSymlink::Follow)?;
        let real = FsPath::root().join(&names.join("/"));
        real.map_err(|error| FsError::Other { path: path.clone(), message: error.to_string() })
    }
}

impl MemFs {
    /// Counts the call, and fails it when it shall fail.
    fn begin(&self, call: FsCall, path: &FsPath) -> Result<(), FsError> {
        self.count(call).fetch_add(1, Relaxed);
        let fault = self.faults.iter().find(|(failing, at, _)| *failing == call && at == path);
        fault.map_or(Ok(()), |(_, _, error)| Err(error.clone()))
    }

    /// Finds a node, following links, and the names of its real path.
    fn resolve(&self, path: &FsPath, last: FinalSymlink) -> Result<(&Node, Vec<&str>), FsError> {
        let mut trail: Vec<(&str, &Node)> = Vec::new();
        let mut ahead: Vec<&str> = path.as_str().split('/').rev().collect();
        let mut links = 0;
        while let Some(name) = ahead.pop() {
            let here = trail.last().map_or_else(|| self.nodes.get(ROOT), |(_, node)| Some(*node));
            let Some(here) = here else { break };
            if !here.is_dir() {
                return Err(FsError::NotADirectory(path.clone()));
            }
            match name {
                "" | "." => continue,
                ".." => {
                    trail.pop();
                    continue;
                }
                _ if here.denied => return Err(FsError::Denied(path.clone())),
                _ => {}
            }
            let Some((name, node)) = here.entry(name).and_then(|(name, at)| Some((name, self.nodes.get(at)?))) else {
                return Err(FsError::NotFound(path.clone()));
            };
            match &node.what {
                What::Link(target) if last == FinalSymlink::Follow || !ahead.is_empty() => {
                    walk::count_symlink(&mut links, target, path)?;
                    if target.starts_with('/') {
                        trail.clear();
                    }
                    ahead.extend(target.split('/').rev());
                }
                _ => trail.push((name, node)),
            }
        }
        let node = trail.last().map(|(_, node)| *node).or_else(|| self.nodes.get(ROOT));
        let node = node.ok_or_else(|| FsError::NotFound(path.clone()))?;
        Ok((node, trail.into_iter().map(|(name, _)| name).collect()))
    }

    /// Kind and link of the node at a path that is there by name.
    fn kind(&self, path: &FsPath, node: &Node) -> (FileKind, bool) {
        match node.what {
            What::Link(_) => {
                (self.resolve(path, FinalSymlink::Follow).map_or(FileKind::Broken, |(real, _)| real.kind()), true)
            }
            _ => (node.kind(), false),
        }
    }
}

impl Node {
    fn kind(&self) -> FileKind {
        match self.what {
            What::Dir { .. } => FileKind::Dir,
            What::File(_) | What::Sparse(_) => FileKind::File,
            What::Other => FileKind::Other,
            What::Link(_) => FileKind::Broken,
        }
    }

    fn len(&self) -> u64 {
        match &self.what {
            What::File(bytes) => bytes.len() as u64,
            What::Sparse(len) => *len,
            What::Dir { .. } | What::Link(_) | What::Other => 0,
        }
    }

    fn stamp(&self) -> Stamp {
        Stamp([self.edit, 0, 0, 0, 0])
    }
}

fn zeros(len: usize, file: &FsPath) -> Result<Vec<u8>, FsError> {
    let mut bytes = Vec::new();
    match bytes.try_reserve_exact(len) {
        Ok(()) => bytes.resize(len, 0),
        Err(error) => return Err(FsError::Other { path: file.clone(), message: error.to_string() }),
    }
    Ok(bytes)
}
