//! [`MemFs`], a file system in memory that counts its calls and can be made to fail: for tests, and for skills that are
//! not on a disk. Building a tree follows no symlinks; reading follows them as a Unix kernel does. Nothing recurses on the
//! depth of the tree. The default walk is used, so that the tests of the core run through it.

use super::walk::{self, FinalSymlink};
use super::{Entry, FileKind, FilePrefix, Fs, FsError, Metadata, Stamp, found};
use crate::path::FsPath;
use crate::text::order::sort_by;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

const ROOT: usize = 0;

/// The number of the next edit of any tree in this process, so that no two contents share a stamp.
static NEXT_EDIT: AtomicU64 = AtomicU64::new(1);

/// A call of [`Fs`](crate::Fs) that [`MemFs`] counts and can make fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FsCall {
    /// [`Fs::list`](crate::Fs::list).
    List,
    /// [`Fs::read`](crate::Fs::read).
    Read,
    /// [`Fs::metadata`](crate::Fs::metadata).
    Metadata,
    /// [`Fs::canonical`](crate::Fs::canonical).
    Canonical,
}

/// A file system in memory.
///
/// The building methods take any text as a path and never fail: a path begins at the root also without a `/`, a
/// `..` at the root stays there, a NUL is dropped. Missing folders are made; what stands in the way is replaced.
///
/// ```
/// use skilltree::{Fs, FsPath, MemFs};
/// let mut fs = MemFs::new();
/// fs.file("/skills/pdf/SKILL.md", "---\nname: pdf\n---\n").link("/skills/same", "pdf");
/// let head = fs.read(&FsPath::new("/skills/same/SKILL.md").unwrap(), 3).unwrap();
/// assert_eq!((head.bytes.as_slice(), head.len), (&b"---"[..], 18));
/// ```
#[derive(Debug)]
pub struct MemFs {
    nodes: Vec<Node>,
    /// Places of nodes that were taken away, for new ones.
    free: Vec<usize>,
    /// The calls that fail, each once, with its path.
    faults: Vec<(FsCall, FsPath, FsError)>,
    /// How often each [`FsCall`] was made.
    counts: [AtomicUsize; 4],
}

#[derive(Clone, Debug)]
struct Node {
    what: What,
    edit: u64,
    denied: bool,
}

#[derive(Clone, Debug)]
enum What {
    /// The places of the nodes by name, and the names that are not UTF-8.
    Dir {
        names: HashMap<String, usize>,
        lossy: Vec<String>,
    },
    File(Vec<u8>),
    Sparse(u64),
    Link(String),
    Other,
}

impl MemFs {
    /// An empty tree: a root without entries.
    pub fn new() -> MemFs {
        let nodes = vec![Node::new(What::empty_dir())];
        MemFs { nodes, free: Vec::new(), faults: Vec::new(), counts: Default::default() }
    }

    /// Puts a file, or replaces what is there.
    pub fn file(&mut self, path: &str, bytes: impl Into<Vec<u8>>) -> &mut Self {
        self.put(path, What::File(bytes.into()))
    }

    /// Puts a folder, if there is none.
    pub fn dir(&mut self, path: &str) -> &mut Self {
        let names = names_of(path);
        self.make_dirs(&names);
        self
    }

    /// Puts a symbolic link. `target` is absolute or relative to the link's folder, and need not exist.
    pub fn link(&mut self, path: &str, target: &str) -> &mut Self {
        self.put(path, What::Link(target.to_owned()))
    }

    /// Puts what is neither file nor folder: a FIFO, a device.
    pub fn other(&mut self, path: &str) -> &mut Self {
        self.put(path, What::Other)
    }

    /// Puts a file of `len` zero bytes that takes no memory.
    pub fn sparse(&mut self, path: &str, len: u64) -> &mut Self {
        self.put(path, What::Sparse(len))
    }

    /// Puts a file whose real name is not UTF-8, or a folder; `name` is the closest text, with a `/` after that of a folder.
    pub fn lossy(&mut self, dir: &str, name: &str) -> &mut Self {
        let names = names_of(dir);
        let at = self.make_dirs(&names);
        if let Some(node) = self.nodes.get_mut(at) {
            node.edit = next_edit();
            if let What::Dir { lossy, .. } = &mut node.what {
                lossy.retain(|known| known != name);
                lossy.push(name.to_owned());
            }
        }
        self
    }

    /// Forbids reading the file or the folder; with nothing there, puts a file. A symlink itself cannot be forbidden.
    pub fn unreadable(&mut self, path: &str) -> &mut Self {
        let names = names_of(path);
        if self.at(&names).is_none() {
            self.put(path, What::File(Vec::new()));
        }
        if let Some(node) = self.at(&names).and_then(|at| self.nodes.get_mut(at)) {
            node.denied = true;
            node.edit = next_edit();
        }
        self
    }

    /// Takes away what is there, and all below it.
    pub fn remove(&mut self, path: &str) -> &mut Self {
        let names = names_of(path);
        let Some((last, parents)) = names.split_last() else { return self };
        let mut removed = None;
        if let Some(node) = self.at(parents).and_then(|at| self.nodes.get_mut(at)) {
            if let What::Dir { names, .. } = &mut node.what {
                removed = names.remove(last);
                if removed.is_some() {
                    node.edit = next_edit();
                }
            }
        }
        self.release(removed);
        self
    }

    /// Makes this call fail at exactly this path. A call by another path to the same file does not fail.
    pub fn fault(&mut self, call: FsCall, path: &str, error: FsError) -> &mut Self {
        let path = plain(path);
        self.faults.retain(|(known, at, _)| (*known, at) != (call, &path));
        self.faults.push((call, path, error));
        self
    }

    /// Makes every call at this path answer [`FsError::Pending`].
    pub fn pending(&mut self, path: &str) -> &mut Self {
        for call in [FsCall::List, FsCall::Read, FsCall::Metadata, FsCall::Canonical] {
            self.fault(call, path, FsError::Pending(plain(path)));
        }
        self
    }

    /// Takes away every failure set for this path.
    pub fn mend(&mut self, path: &str) -> &mut Self {
        let path = plain(path);
        self.faults.retain(|(_, at, _)| *at != path);
        self
    }

    /// How often the call was made since the beginning, or since [`MemFs::reset`].
    pub fn calls(&self, call: FsCall) -> usize {
        self.counts[call as usize].load(Relaxed)
    }

    /// Sets all counts to 0.
    pub fn reset(&self) {
        self.counts.iter().for_each(|count| count.store(0, Relaxed));
    }

    /// The node with these names; symlinks are not followed.
    fn at(&self, names: &[String]) -> Option<usize> {
        names.iter().try_fold(ROOT, |at, name| Some(self.nodes.get(at)?.entry(name)?.1))
    }

    /// Makes the folders down to `names`, replacing what is no folder, and gives the last one.
    fn make_dirs(&mut self, names: &[String]) -> usize {
        let mut at = ROOT;
        for name in names {
            let child = self.nodes.get(at).and_then(|node| node.entry(name)).map(|(_, at)| at);
            let dir = child.filter(|child| self.nodes.get(*child).is_some_and(Node::is_dir));
            at = dir.unwrap_or_else(|| self.attach(at, name, What::empty_dir()));
        }
        at
    }

    fn put(&mut self, path: &str, what: What) -> &mut Self {
        let names = names_of(path);
        if let Some((last, parents)) = names.split_last() {
            let at = self.make_dirs(parents);
            self.attach(at, last, what);
        }
        self
    }

    /// Adds a node to a folder under this name, in place of what is there.
    fn attach(&mut self, at: usize, name: &str, what: What) -> usize {
        let node = Node::new(what);
        let new = self.free.pop().unwrap_or(self.nodes.len());
        match self.nodes.get_mut(new) {
            Some(place) => *place = node,
            None => self.nodes.push(node),
        }
        let mut replaced = None;
        if let Some(node) = self.nodes.get_mut(at) {
            node.edit = next_edit();
            if let What::Dir { names, .. } = &mut node.what {
                replaced = names.insert(name.to_owned(), new);
            }
        }
        self.release(replaced);
        new
    }

    /// Empties the place of a node that no folder names any more, and of all below it.
    fn release(&mut self, node: Option<usize>) {
        let mut waiting = node.into_iter().collect::<Vec<_>>();
        while let Some(at) = waiting.pop() {
            let Some(node) = self.nodes.get_mut(at) else { continue };
            if let What::Dir { names, .. } = std::mem::replace(&mut node.what, What::Other) {
                waiting.extend(names.into_values());
            }
            self.free.push(at);
        }
    }

    /// Counts the call, and fails it when it shall fail.
    fn begin(&self, call: FsCall, path: &FsPath) -> Result<(), FsError> {
        self.counts[call as usize].fetch_add(1, Relaxed);
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

impl Default for MemFs {
    fn default() -> MemFs {
        MemFs::new()
    }
}

/// The counts are copied too.
impl Clone for MemFs {
    fn clone(&self) -> MemFs {
        let counts = self.counts.each_ref().map(|count| count.load(Relaxed).into());
        MemFs { nodes: self.nodes.clone(), free: self.free.clone(), faults: self.faults.clone(), counts }
    }
}

impl<P: AsRef<str>, B: Into<Vec<u8>>> FromIterator<(P, B)> for MemFs {
    fn from_iter<T: IntoIterator<Item = (P, B)>>(files: T) -> MemFs {
        let mut fs = MemFs::new();
        for (path, bytes) in files {
            fs.file(path.as_ref(), bytes);
        }
        fs
    }
}

impl Node {
    fn new(what: What) -> Node {
        Node { what, edit: next_edit(), denied: false }
    }

    fn is_dir(&self) -> bool {
        matches!(self.what, What::Dir { .. })
    }

    /// The entry of this name: the name as the folder holds it, and the node's place.
    fn entry(&self, name: &str) -> Option<(&str, usize)> {
        match &self.what {
            What::Dir { names, .. } => names.get_key_value(name).map(|(name, at)| (name.as_str(), *at)),
            _ => None,
        }
    }

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

impl What {
    fn empty_dir() -> What {
        What::Dir { names: HashMap::new(), lossy: Vec::new() }
    }
}

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
            let folder = name.strip_suffix('/');
            let kind = if folder.is_some() { FileKind::Dir } else { FileKind::File };
            let name = folder.unwrap_or(name).to_owned();
            entries.push(Entry { name, kind, is_symlink: false, is_lossy: true });
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
            What::Sparse(_) => {
                let mut zeros = Vec::new();
                let room = zeros.try_reserve_exact(wanted);
                room.map_err(|error| FsError::Other { path: file.clone(), message: error.to_string() })?;
                zeros.resize(wanted, 0);
                zeros
            }
            _ => return Err(FsError::NotAFile(file.clone())),
        };
        Ok(FilePrefix { bytes, len, stamp: Some(node.stamp()) })
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.begin(FsCall::Metadata, path)?;
        let Some((node, _)) = found(self.resolve(path, FinalSymlink::Keep))? else { return Ok(None) };
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

fn next_edit() -> u64 {
    NEXT_EDIT.fetch_add(1, Relaxed)
}

/// A stamp that nothing else in this process has.
#[cfg(feature = "archive")]
pub(super) fn fresh_stamp() -> Stamp {
    Stamp([next_edit(), 0, 0, 0, 0])
}

/// The names of a path, read as [`MemFs`] reads paths when it is built.
fn names_of(path: &str) -> Vec<String> {
    let mut names = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name.replace('\0', "")),
        }
    }
    names.retain(|name| !matches!(name.as_str(), "" | "." | ".."));
    names
}

fn plain(path: &str) -> FsPath {
    FsPath::root().join(&names_of(path).join("/")).unwrap_or_else(|_| FsPath::root())
}
