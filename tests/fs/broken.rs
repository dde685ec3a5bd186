//! File systems that break one rule each, and the words in which the suite says so.

use super::{in_memory, path};
use skilltree::fs::contract::Holds;
use skilltree::fs::{Action, Entry, FileKind, FilePrefix, Metadata, Stamp, Step, Visit, Walk};
use skilltree::{Fs, FsError, FsPath, MemFs};
use std::borrow::Cow;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Unsorted,
    Twice,
    LinksUnseen,
    LossyHidden,
    Lists,
    TooMuch,
    LengthOfHead,
    ReadsFolders,
    ReadsSpecials,
    NotFoundBelowFiles,
    ErrorElsewhere,
    DanglingIsNothing,
    FoldersHaveLength,
    LooksInReverse,
    LooksLost,
    StampsDiffer,
    LinksUnresolved,
    NothingIsCanonical,
    Climbs,
    WalksIntoLinks,
    WalksOn,
    WalkReadsAll,
    SpellsOnly,
    ListedIsEmpty,
    OpensClosed,
}

struct Broken {
    fs: MemFs,
    fault: Fault,
}

impl Broken {
    fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }
}

impl Fs for Broken {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        let mut entries = match self.fs.list(dir) {
            Err(FsError::NotADirectory(_)) if self.is(Fault::Lists) => Ok(Vec::new()),
            listed => listed,
        }?;
        match self.fault {
            Fault::Unsorted => entries.reverse(),
            Fault::Twice => entries.extend(entries.first().cloned()),
            Fault::LinksUnseen => entries.iter_mut().for_each(|entry| entry.is_symlink = false),
            Fault::LossyHidden => entries.retain(|entry| !entry.is_lossy),
            _ => {}
        }
        Ok(entries)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        let empty = || FilePrefix { bytes: Vec::new(), len: 0, stamp: None };
        let at_most = if self.is(Fault::TooMuch) { at_most.saturating_add(1) } else { at_most };
        let mut head = match self.fs.read(file, at_most) {
            Err(FsError::NotAFile(_)) if self.is(Fault::ReadsFolders) && self.fs.list(file).is_ok() => Ok(empty()),
            Err(FsError::NotAFile(_)) if self.is(Fault::ReadsSpecials) && self.fs.list(file).is_err() => Ok(empty()),
            Err(FsError::NotADirectory(_)) if self.is(Fault::NotFoundBelowFiles) => {
                Err(FsError::NotFound(file.clone()))
            }
            Err(FsError::NotFound(_)) if self.is(Fault::ErrorElsewhere) => Err(FsError::NotFound(FsPath::root())),
            Err(FsError::Denied(_)) if self.is(Fault::OpensClosed) => Ok(empty()),
            read => read,
        }?;
        match self.fault {
            Fault::LengthOfHead => head.len = head.bytes.len() as u64,
            Fault::StampsDiffer => head.stamp = Some(Stamp([0; 5])),
            _ => {}
        }
        Ok(head)
    }

    fn read_listed(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.read(file, if self.is(Fault::ListedIsEmpty) { 0 } else { at_most })
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        let mut metadata = self.fs.metadata(path)?;
        match &mut metadata {
            Some(found) if self.is(Fault::DanglingIsNothing) && found.kind == FileKind::Broken => metadata = None,
            Some(found) if self.is(Fault::FoldersHaveLength) && found.kind == FileKind::Dir => found.len = 4_096,
            _ => {}
        }
        Ok(metadata)
    }

    fn metadata_all(&self, paths: &[&FsPath]) -> Vec<Result<Option<Metadata>, FsError>> {
        let mut all_metadata: Vec<_> = paths.iter().map(|path| self.metadata(path)).collect();
        match self.fault {
            Fault::LooksInReverse => all_metadata.reverse(),
            Fault::LooksLost => drop(all_metadata.pop()),
            _ => {}
        }
        all_metadata
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        match self.fault {
            Fault::LinksUnresolved => {
                self.fs.metadata(path)?.map(|_| path.clone()).ok_or(FsError::NotFound(path.clone()))
            }
            Fault::NothingIsCanonical => Ok(self.fs.canonical(path).unwrap_or_else(|_| path.clone())),
            _ => self.fs.canonical(path),
        }
    }

    fn read_within(&self, root: &FsPath, rel: &str, at_most: u64) -> Result<FilePrefix, FsError> {
        match root.join(rel) {
            Ok(file) if self.is(Fault::Climbs) && !rel.starts_with('/') => self.read(&file, at_most),
            _ => self.fs.read_within(root, rel, at_most),
        }
    }

    fn walk(&self, ask: &Walk<'_>, out: &mut dyn FnMut(&mut Visit)) {
        let max_dirs = if self.is(Fault::WalksOn) { usize::MAX } else { ask.max_dirs };
        let head = if self.is(Fault::WalkReadsAll) { u64::MAX } else { ask.prefix_len };
        let step = |dir: &FsPath, depth: usize, entries: &[Entry], steps: &mut Vec<Step>| {
            (ask.step)(dir, depth, entries, steps);
        };
        if self.is(Fault::WalksIntoLinks) {
            let entries = self.fs.list(ask.root).unwrap_or_default();
            let mut steps = Vec::new();
            (ask.step)(ask.root, 0, &entries, &mut steps);
            let link = |step: &&Step| step.action == Action::Enter && entries[step.entry].is_symlink;
            for step in steps.iter().filter(link) {
                let root = ask.root.child(&entries[step.entry].name).unwrap();
                self.fs.walk(&Walk { root: &root, step: ask.step, prefix_len: head, max_dirs }, out);
            }
        }
        self.fs.walk(&Walk { root: ask.root, step: &step, prefix_len: head, max_dirs }, out);
    }

    fn display<'p>(&self, path: &'p FsPath) -> Cow<'p, str> {
        if self.is(Fault::SpellsOnly) { Cow::Owned(format!("C:{path}")) } else { self.fs.display(path) }
    }
}

#[test]
fn what_breaks_a_rule_is_found() {
    let check = |fault: Fault, words: &str| {
        let fs = Broken { fs: in_memory("/t", Holds::ALL.tree()), fault };
        let broken = Holds::ALL.check(&fs, &path("/t"));
        assert!(broken.iter().any(|line| line.contains(words)), "{fault:?}: {broken:#?}");
    };
    check(Fault::Unsorted, r#"names in byte order (list "/names")"#);
    check(Fault::Twice, r#"sorted, with kinds (list "/a")"#);
    check(Fault::LinksUnseen, r#"links, with what they lead to (list "/links")"#);
    check(Fault::LossyHidden, r#"a name that is not UTF-8 (list "/lossy")"#);
    check(Fault::Lists, r#"below a file (list "/a/SKILL.md/x")"#);
    check(Fault::TooMuch, r#"a head (read "/a/SKILL.md", at most 3): expected "---" of 16, got "---\n" of 16"#);
    check(Fault::LengthOfHead, r#"a head (read "/a/SKILL.md", at most 3)"#);
    check(Fault::ReadsFolders, r#"a folder (read "/c/SKILL.md""#);
    check(Fault::ReadsSpecials, r#"a FIFO does not block (read "/b/SKILL.md""#);
    check(Fault::NotFoundBelowFiles, r#"below a file (read "/a/SKILL.md/x""#);
    check(Fault::ErrorElsewhere, "expected `/t/a/none` does not exist, got `/` does not exist");
    check(Fault::DanglingIsNothing, r#"a dangling link (look "/links/dangling")"#);
    check(Fault::FoldersHaveLength, r#"a folder has no length (look "/a")"#);
    check(Fault::LooksInReverse, "looked at together as alone");
    check(Fault::LooksLost, "as many looks as paths");
    check(Fault::StampsDiffer, "one stamp for look and read (`/t/a/SKILL.md`)");
    check(Fault::LinksUnresolved, r#"a chain of links (canonical "/links/chain/er")"#);
    check(Fault::NothingIsCanonical, r#"nothing (canonical "/nowhere")"#);
    check(Fault::Climbs, r#"a link that leads out (read "out" within "/skill")"#);
    check(Fault::WalksIntoLinks, r#"links are handed out, not entered (walk "/links""#);
    check(Fault::WalksOn, r#"a level that passes the bound (walk "/a", at most 2)"#);
    check(Fault::WalkReadsAll, r#"a tree (walk "/a""#);
    check(Fault::SpellsOnly, "parsed as it is spelled (`C:/t/a/SKILL.md`)");
    check(Fault::ListedIsEmpty, "read as listed (`/t/a/SKILL.md`)");
    check(Fault::OpensClosed, r#"a file (read "/shut/file""#);
}
