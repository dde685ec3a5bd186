//! A tree without symlinks that is built from relative names, each of a file or a folder, as a table or an archive
//! lists them. Folders that have no entry of their own follow from the names below them. Lookups are binary searches. A
//! name that no tree can hold is refused with the reason.

use super::{Entry, FileKind, FsError, Metadata, Stamp, found};
use crate::path::FsPath;
use crate::text::order::sort_by;
use std::borrow::Cow;

#[derive(Clone, Debug)]
pub(super) enum Node<T> {
    Folder,
    File(T),
    #[cfg_attr(not(feature = "archive"), allow(dead_code, reason = "a table holds files alone"))]
    Special,
}

/// A tree below `root`, sorted by name in byte order: what lies below a folder stands together.
#[derive(Clone, Debug)]
pub(super) struct Flat<T> {
    root: FsPath,
    nodes: Vec<(Cow<'static, str>, Node<T>)>,
}

/// A name that is not in the tree, and why.
pub(super) type Refused = (Cow<'static, str>, &'static str);

impl<T> Flat<T> {
    /// Of several of one name the first is taken; what would lie below a file is refused.
    pub(super) fn new(root: FsPath, nodes: Vec<(Cow<'static, str>, Node<T>)>) -> (Flat<T>, Vec<Refused>) {
        let mut refused: Vec<Refused> = Vec::new();
        let mut tree = Flat { root, nodes: Vec::with_capacity(nodes.len()) };
        for (name, node) in nodes {
            match fault(&name) {
                Some(why) => refused.push((name, why)),
                None => tree.nodes.push((name, node)),
            }
        }
        sort_by(&mut tree.nodes, |(a, _), (b, _)| a.cmp(b));
        tree.nodes.dedup_by(|(later, node), (first, kept)| {
            let is_same = later == first;
            if is_same && !matches!((node, kept), (Node::Folder, Node::Folder)) {
                refused.push((later.clone(), "an earlier entry has the same name"));
            }
            is_same
        });
        let below: Vec<bool> = tree.nodes.iter().map(|(name, _)| tree.is_below_file(name)).collect();
        let mut below = below.into_iter();
        tree.nodes.retain(|(name, _)| {
            let is_below = below.next().unwrap_or(false);
            if is_below {
                refused.push((name.clone(), "its parent is a file"));
            }
            !is_below
        });
        sort_by(&mut refused, Ord::cmp);
        (tree, refused)
    }

    #[cfg(feature = "archive")]
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &T)> {
        self.nodes.iter().filter_map(|(name, node)| match node {
            Node::File(file) => Some((name.as_ref(), file)),
            Node::Folder | Node::Special => None,
        })
    }

    /// The path of a name in the tree; the root for a name that no path can have, as an error about it needs a path too.
    pub(super) fn path(&self, name: &str) -> FsPath {
        self.root.join(name).unwrap_or_else(|_| self.root.clone())
    }

    pub(super) fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        if !matches!(self.node(dir)?, Node::Folder) {
            return Err(FsError::NotADirectory(dir.clone()));
        }
        let Some(name) = dir.relative_to(&self.root) else {
            let next = self.root.relative_to(dir).and_then(|rest| rest.split('/').next());
            let next = next.ok_or_else(|| FsError::NotFound(dir.clone()))?;
            return Ok(vec![entry(next, FileKind::Dir)]);
        };
        let prefix = if name.is_empty() { String::new() } else { format!("{name}/") };
        let mut at = self.nodes.partition_point(|(name, _)| name.as_ref() < prefix.as_str());
        let mut entries: Vec<Entry> = Vec::new();
        while let Some((rest, node)) =
            self.nodes.get(at).and_then(|(name, node)| Some((name.strip_prefix(&prefix)?, node)))
        {
            match rest.split_once('/') {
                None => {
                    entries.push(entry(rest, node.kind()));
                    at += 1;
                }
                Some((folder, _)) => {
                    entries.push(entry(folder, FileKind::Dir));
                    // `0` is what follows `/`: the first name that is not below the folder.
                    let after = format!("{prefix}{folder}0");
                    let below = self.nodes.get(at..).unwrap_or_default();
                    at += below.partition_point(|(name, _)| name.as_ref() < after.as_str()).max(1);
                }
            }
        }
        sort_by(&mut entries, |a, b| a.name.cmp(&b.name));
        entries.dedup_by(|a, b| a.name == b.name);
        Ok(entries)
    }

    pub(super) fn metadata(
        &self,
        path: &FsPath,
        stamp: Stamp,
        len: impl FnOnce(&T) -> u64,
    ) -> Result<Option<Metadata>, FsError> {
        let Some(node) = found(self.node(path))? else { return Ok(None) };
        let len = if let Node::File(file) = node { len(file) } else { 0 };
        Ok(Some(Metadata { kind: node.kind(), is_symlink: false, len, stamp: Some(stamp) }))
    }

    pub(super) fn file(&self, path: &FsPath) -> Result<&T, FsError> {
        match self.node(path)? {
            Node::File(file) => Ok(file),
            Node::Folder | Node::Special => Err(FsError::NotAFile(path.clone())),
        }
    }

    pub(super) fn node(&self, path: &FsPath) -> Result<&Node<T>, FsError> {
        let name = match path.relative_to(&self.root) {
            Some(name) => name,
            None if self.root.starts_with(path) => "",
            None => return Err(FsError::NotFound(path.clone())),
        };
        if name.is_empty() {
            return Ok(&Node::Folder);
        }
        if let Some((_, node)) = self.exactly(name) {
            return Ok(node);
        }
        let prefix = format!("{name}/");
        let first = self.nodes.partition_point(|(name, _)| name.as_ref() < prefix.as_str());
        match self.nodes.get(first) {
            Some((below, _)) if below.starts_with(&prefix) => Ok(&Node::Folder),
            _ if self.is_below_file(name) => Err(FsError::NotADirectory(path.clone())),
            _ => Err(FsError::NotFound(path.clone())),
        }
    }

    fn exactly(&self, name: &str) -> Option<&(Cow<'static, str>, Node<T>)> {
        self.nodes.binary_search_by(|(other, _)| other.as_ref().cmp(name)).ok().and_then(|at| self.nodes.get(at))
    }

    fn is_below_file(&self, name: &str) -> bool {
        let mut above = name.match_indices('/').filter_map(|(at, _)| name.get(..at));
        above.any(|above| self.exactly(above).is_some_and(|(_, node)| !matches!(node, Node::Folder)))
    }
}

impl<T> Node<T> {
    fn kind(&self) -> FileKind {
        match self {
            Node::Folder => FileKind::Dir,
            Node::File(_) => FileKind::File,
            Node::Special => FileKind::Other,
        }
    }
}

/// Why a name names nothing in a tree.
fn fault(name: &str) -> Option<&'static str> {
    match name {
        "" => Some("it has no name"),
        _ if name.starts_with('/') => Some("its name is absolute"),
        _ if name.contains('\0') => Some("its name contains a NUL character"),
        _ if name.split('/').any(|part| part == "..") => Some("its name contains `..`"),
        _ if name.split('/').any(|part| matches!(part, "" | ".")) => Some("a part of its name is empty or `.`"),
        _ => None,
    }
}

fn entry(name: &str, kind: FileKind) -> Entry {
    Entry { name: name.to_owned(), kind, is_symlink: false, is_lossy: false }
}
