//! The sources that the user names with `--source`, and what is different between a copy and its source.

use super::data::is_inside;
use super::records::{name_of, walk};
use super::tree::{Endings, File, Files, with_endings};
use super::{Change, Changed, Judgement, Verdict};
use crate::git;
use crate::setup::Setup;
use skilltree::fs::FileKind;
use skilltree::{Fs, FsPath};
use std::cell::OnceCell;

/// The sources, in the order of the command line.
pub(crate) struct Sources<'s> {
    setup: &'s Setup,
    all: Vec<Source>,
}

/// A folder, an archive or a revision.
struct Source {
    /// As the user has named it.
    named: String,
    root: FsPath,
    /// The folders of skills in it, with the names of the skills.
    skills: OnceCell<Vec<(FsPath, String)>>,
}

/// A folder that may be what a skill was copied from.
pub(crate) struct Candidate {
    pub(crate) named: String,
    pub(crate) files: Files,
    /// The id that git has for the folder, if it is read from git.
    tree: Option<String>,
}

impl Sources<'_> {
    /// The sources that were opened, by their names.
    pub(crate) fn new(setup: &Setup, opened: Vec<(String, FsPath)>) -> Sources<'_> {
        let source = |(named, root)| Source { named, root, skills: OnceCell::new() };
        Sources { setup, all: opened.into_iter().map(source).collect() }
    }

    pub(crate) fn setup(&self) -> &Setup {
        self.setup
    }

    /// The folders that may be the source of a skill: in each source the one that the record names, or else those whose skill has
    /// the name. A path that leads out of the source is not read.
    pub(crate) fn candidates(&self, skill_path: Option<&str>, name: &str) -> Vec<Candidate> {
        let mut found = Vec::new();
        for source in &self.all {
            let recorded = skill_path.and_then(|path| self.recorded(source, path));
            let folders = match recorded {
                Some(folder) => vec![folder],
                None => self.named(source, name),
            };
            found.extend(folders.iter().filter_map(|folder| self.candidate(source, folder)));
        }
        found
    }

    /// The folder with this id, if a source is a revision: the repository may have it, whichever revision was named.
    pub(crate) fn by_tree(&self, id: &str) -> Option<Candidate> {
        self.all.iter().find(|source| source.named.starts_with(git::PREFIX))?;
        let (tree, _) = git::read_tree(&format!("{id}:")).ok()?;
        let files = Files::read(&tree, None, &FsPath::root()).ok()?;
        Some(Candidate { named: format!("{}{id}", git::PREFIX), files, tree: Some(id.to_owned()) })
    }

    /// The folder of a record's path, which is that of the SKILL.md or of its folder.
    fn recorded(&self, source: &Source, path: &str) -> Option<FsPath> {
        let folder = match path.rsplit_once('/') {
            Some((folder, name)) if is_manifest(name) => folder,
            None if is_manifest(path) => "",
            _ => path,
        };
        if !folder.is_empty() && !is_inside(folder) {
            return None;
        }
        let fs = self.setup.files();
        let at = source.root.join(folder).ok()?;
        let is_file = |path: &FsPath| matches!(fs.metadata(path), Ok(Some(found)) if found.kind == FileKind::File);
        let is_below = fs.canonical(&at).ok()?.starts_with(&fs.canonical(&source.root).ok()?);
        (is_below && is_file(&at.child("SKILL.md").ok()?)).then_some(at)
    }

    fn named(&self, source: &Source, name: &str) -> Vec<FsPath> {
        let all = source.skills.get_or_init(|| {
            let folders = walk(self.setup.files(), &source.root, None).skills;
            let named = |folder: FsPath| {
                let name = name_of(self.setup.files(), &folder).unwrap_or_else(|| folder.name().to_owned());
                (folder, name)
            };
            folders.into_iter().map(named).collect()
        });
        all.iter().filter(|(_, known)| known == name).map(|(folder, _)| folder.clone()).collect()
    }

    fn candidate(&self, source: &Source, folder: &FsPath) -> Option<Candidate> {
        let below = folder.relative_to(&source.root).unwrap_or_default();
        let files = Files::read(self.setup.files(), Some(&self.setup.fs), folder).ok()?;
        let tree = source.named.strip_prefix(git::PREFIX).and_then(|named| {
            let (revision, path) = named.split_once(':').unwrap_or((named, ""));
            let whole = [path.trim_end_matches('/'), below].into_iter().filter(|part| !part.is_empty());
            git::tree_id(&format!("{revision}:{}", whole.collect::<Vec<_>>().join("/")))
        });
        let named = if below.is_empty() { source.named.clone() } else { format!("{} at {below}", source.named) };
        Some(Candidate { named, files, tree })
    }
}

impl Candidate {
    /// A folder that a record of the project names itself.
    pub(crate) fn of_project(setup: &Setup, folder: &FsPath) -> Option<Candidate> {
        let files = Files::read(setup.files(), Some(&setup.fs), folder).ok()?;
        Some(Candidate { named: setup.fs.display(folder).into_owned(), files, tree: None })
    }

    /// Whether git has this id for the folder.
    pub(crate) fn is_tree(&self, id: &str) -> bool {
        match &self.tree {
            Some(tree) => tree == id,
            None => [Endings::AsTheyAre, Endings::Lf].iter().any(|endings| {
                let trees = self.files.git_trees(*endings, |_| true);
                trees.iter().any(|tree| tree == id)
            }),
        }
    }
}

fn is_manifest(name: &str) -> bool {
    name.eq_ignore_ascii_case("skill.md")
}

/// What is different between a copy and its source.
pub(crate) struct Comparison {
    pub(crate) changed: Vec<Changed>,
    /// Files of the source that an installer may have left out of the copy.
    pub(crate) left_out: usize,
}

/// Whether two files are the same but for their line endings.
pub(crate) fn is_same(copy: &File, source: &File) -> bool {
    with_endings(&copy.bytes, Endings::Lf) == with_endings(&source.bytes, Endings::Lf)
}

/// Compares a copy with its source, file by file.
pub(crate) fn compare(
    copy: &Files,
    source: &Files,
    may_lack: fn(&str) -> bool,
    is_same: &dyn Fn(&File, &File) -> bool,
) -> Comparison {
    let mut found = Comparison { changed: Vec::new(), left_out: 0 };
    let mut add = |path: &str, change| found.changed.push(Changed { path: path.to_owned(), change });
    for file in &copy.files {
        match source.get(&file.path) {
            Some(of_source) if is_same(file, of_source) => {}
            Some(_) => add(&file.path, Change::Changed),
            None => add(&file.path, Change::Added),
        }
    }
    for other in copy.others.iter().filter(|other| !source.others.contains(other)) {
        add(other, Change::Added);
    }
    for file in source.files.iter().filter(|file| copy.get(&file.path).is_none()) {
        match may_lack(&file.path) {
            true => found.left_out += 1,
            false => found.changed.push(Changed { path: file.path.clone(), change: Change::Removed }),
        }
    }
    found.changed.sort();
    found
}

impl Comparison {
    /// What it says of a record that the source is known to be that of.
    pub(crate) fn judgement(self, named: &str) -> Judgement {
        let verdict = Verdict::of_changes(&self.changed);
        let mut note = match verdict {
            Verdict::Matches => format!("every file is that of {named}"),
            Verdict::Extra => format!("files that are not in {named}"),
            _ => format!("compared with {named}"),
        };
        if self.left_out > 0 {
            note.push_str(&format!("; installers leave out {} of its files", self.left_out));
        }
        Judgement { files: self.changed, ..Judgement::new(verdict, note) }
    }
}
