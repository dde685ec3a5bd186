//! Looks where discovery does not (rule 8.10): below the folders of a source that its scan has seen and not entered, and in
//! the project for the sources of folders in which no file is being worked on. A skill that lies there is told and never
//! used. Each search is bounded, and says where it ended.

use crate::diagnostic::{Code, Diagnostic, Severity, put_in_order};
use crate::dialect::{Dialect, Reach, SourceRule};
use crate::discovery::catalog::Catalog;
use crate::discovery::manifest::is_skill_file;
use crate::discovery::scan::{is_never_entered, is_plain_folder};
use crate::discovery::source::{Contents, base};
use crate::discovery::source::{GITIGNORE, Ignored};
use crate::discovery::world::{Places, World};
use crate::explain::why::exclusion::Exclusions;
use crate::explain::why::{Why, is_passed_over};
use crate::fs::{FileKind, Fs, FsError};
use crate::model::skill::ContainedFs;
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::order::sort_by;
use std::cell::LazyCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::iter;

/// How many entries of the project are looked at.
const MAX_PROJECT_ENTRIES: usize = 100_000;

/// How many entries of the folders of a source are looked at. A package manager's folder may hold a million.
const MAX_SOURCE_ENTRIES: usize = 10_000;

/// How many levels of folders below the root of a source are looked at.
const MAX_LEVELS: usize = 16;

/// What lies beyond a discovery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Beyond {
    /// A note for each SKILL.md with the reason why it is not read, and one for each search that was cut short.
    pub findings: Vec<Diagnostic>,
    /// The folders below the project that hold skills which count only while a file in them is being worked on, by path.
    pub nested: Vec<FsPath>,
    /// Files and folders that the file system has yet to fetch.
    pub pending: Vec<FsPath>,
}

impl Beyond {
    /// Looks for SKILL.md files where a discovery does not: below the limit of depth, in folders that are left out by their
    /// names, in plugins that are ignored, and, in a dialect with sources below the project, in all folders of the project that git does not ignore. What the
    /// catalog names already is not told again. No symlink is followed. Of a source at most 10,000 entries that the discovery
    /// has not entered are looked at, down to 16 levels below its root, and of the project 100,000 entries.
    ///
    /// ```
    /// use skilltree::explain::Beyond;
    /// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
    /// let mut fs = MemFs::new();
    /// fs.file("/p/.claude/skills/a/b/c/deep/SKILL.md", "").file("/p/web/.claude/skills/tea/SKILL.md", "");
    /// let places = Places { project: FsPath::new("/p").ok(), ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let found = Beyond::of(&world, &discover(&world, &dialect("claude").unwrap()));
    /// let codes = found.findings.iter().map(|finding| finding.code.as_str());
    /// assert_eq!(codes.collect::<Vec<_>>(), ["too-deep", "nested-source"]);
    /// assert_eq!(found.nested[0].as_str(), "/p/web");
    /// ```
    pub fn of(world: &World<'_>, catalog: &Catalog) -> Beyond {
        let mut found = Beyond::default();
        let nested = nested_folders(world, catalog.dialect(), &mut found);
        let mut touched = world.places.touched.clone();
        touched.extend_from_slice(&nested);
        // With all folders worked on, the sources below the project are sources like any other.
        let places = Places { touched, ..world.places.clone() };
        let world = &World { places: &places, ..*world };
        let exclusions = Exclusions::new(world, catalog);
        let nested: HashSet<FsPath> = nested.into_iter().collect();
        // These are asked for only if a file is found: the real paths take a call of the file system each.
        let known = LazyCell::new(|| known(catalog));
        let known_by_link = LazyCell::new(|| known_by_link(world, catalog));
        let is_new = |file: &FsPath| !known.contains(file) && !known_by_link.contains(file);
        let mut unentered = by_source(catalog, &exclusions);
        let mut searched: HashSet<FsPath> = HashSet::new();
        for place in &exclusions.places {
            let root = &place.source.root;
            let project = world.places.project.as_ref();
            let folder = place.source.nested_in.as_ref().and_then(|folder| project?.join(folder).ok());
            let folder = folder.filter(|folder| nested.contains(folder));
            // The scan of such a source lists at most its root.
            let is_whole = folder.is_some() || matches!(place.contents, Contents::Commands | Contents::Skill);
            let starts = if is_whole { vec![root.clone()] } else { unentered.remove(root).unwrap_or_default() };
            let real = world.fs.canonical(root).unwrap_or_else(|_| root.clone());
            if starts.is_empty() || !searched.insert(real) {
                continue;
            }
            let files = place.source.files(world.fs);
            for file in skill_files(&files, root, starts, &mut found).into_iter().filter(|file| is_new(file)) {
                let is_nested = |why: &Why| folder.is_some() && why.code == Some(Code::NotInSource);
                // The folder of a file may be named with the reason, such as a name that belongs to the client.
                let of_folder = folder_finding(catalog, &file).filter(|_| folder.is_none()).map(Why::of_finding);
                let why = of_folder
                    .or_else(|| exclusions.file_rule(&file, &file).filter(|why| !is_nested(why)))
                    .or_else(|| Some(exclusions.in_nested_source(&file, folder.clone()?, root)));
                if let Some(Why { code: Some(code), message, help, .. }) = why {
                    let finding = Diagnostic::new(Severity::Note, code, file, message);
                    found.findings.push(help.into_iter().fold(finding, Diagnostic::help));
                    found.nested.extend(folder.clone());
                }
            }
        }
        // What lies in a plugin that is ignored is in no source.
        for plugin in catalog.findings().iter().filter(|finding| finding.code == Code::PluginInvalid) {
            let containment = world.places.containment_of(&plugin.path);
            let files = ContainedFs::new(world.fs, containment.as_ref());
            let files = skill_files(&files, &plugin.path, vec![plugin.path.clone()], &mut found);
            let new = files.into_iter().filter(|file| is_new(file));
            let notes = new.map(|path| Diagnostic { path, severity: Severity::Note, ..plugin.clone() });
            found.findings.extend(notes);
        }
        put_in_order(&mut found.findings);
        sort_by(&mut found.nested, Ord::cmp);
        found.nested.dedup();
        found
    }
}

/// A search that was cut short, at `dir`.
fn looked_no_further(at: FsPath, dir: &FsPath, limit: &str) -> Diagnostic {
    let message =
        format!("{limit}: skills in `{}` and in the folders after it are not reported", visible(dir.as_str()));
    Diagnostic::new(Severity::Note, Code::LookedNoFurther, at, message)
        .help("`why` explains any path; move folders without skills elsewhere")
}

/// The paths that the catalog names, and the real paths of the files that were read.
fn known(catalog: &Catalog) -> HashSet<&FsPath> {
    let seen = catalog.seen().flat_map(|seen| [Some(seen.path), seen.target]).flatten();
    seen.chain(catalog.findings().iter().map(|finding| &finding.path)).collect()
}

/// The real paths of the files that findings name by other paths.
fn known_by_link(world: &World<'_>, catalog: &Catalog) -> HashSet<FsPath> {
    let is_of_a_file = |finding: &&Diagnostic| is_passed_over(finding.code) && is_skill_file(finding.path.name());
    let files = catalog.findings().iter().filter(is_of_a_file);
    files.filter_map(|finding| world.fs.canonical(&finding.path).ok()).collect()
}

/// The folders that the scans have seen and not entered, by the root of the innermost source that each lies in.
fn by_source<'e>(catalog: &Catalog, exclusions: &'e Exclusions<'_>) -> HashMap<&'e FsPath, Vec<FsPath>> {
    let roots = || exclusions.places.iter().map(|place| &place.source.root);
    let mut folders: HashMap<&FsPath, Vec<FsPath>> = HashMap::new();
    for folder in catalog.unentered() {
        let above = roots().filter(|root| folder != *root && folder.starts_with(root));
        if let Some(root) = above.max_by_key(|root| root.as_str().len()) {
            folders.entry(root).or_default().push(folder.clone());
        }
    }
    folders
}

/// The finding about the innermost folder above a file that was passed over.
pub(crate) fn folder_finding<'c>(catalog: &'c Catalog, file: &FsPath) -> Option<&'c Diagnostic> {
    iter::successors(file.parent(), FsPath::parent).find_map(|folder| {
        // Findings are sorted by path.
        let start = catalog.findings().partition_point(|finding| finding.path < folder);
        let mut own = catalog.findings().iter().skip(start).take_while(|finding| finding.path == folder);
        own.find(|finding| is_passed_over(finding.code))
    })
}

/// The SKILL.md files in these folders, which lie in the source with this root, and in all below them: by level and path.
/// Symlinks are not followed.
fn skill_files(fs: &dyn Fs, root: &FsPath, starts: Vec<FsPath>, found: &mut Beyond) -> Vec<FsPath> {
    let mut files = Vec::new();
    let (mut left, mut deepest) = (MAX_SOURCE_ENTRIES, None);
    let mut waiting: BTreeMap<usize, Vec<FsPath>> = BTreeMap::new();
    let level_of_root = root.depth();
    for start in starts {
        waiting.entry(start.depth() - level_of_root).or_default().push(start);
    }
    while let Some((level, mut folders)) = waiting.pop_first() {
        if MAX_LEVELS < level {
            deepest = deepest.or_else(|| folders.into_iter().min());
            continue;
        }
        sort_by(&mut folders, Ord::cmp);
        for folder in folders {
            let entries = match fs.list(&folder) {
                Ok(entries) => entries,
                Err(FsError::Pending(path)) => {
                    found.pending.push(path);
                    continue;
                }
                // Why a source cannot be listed, discovery says.
                Err(_) if folder == *root => continue,
                Err(FsError::NotFound(_) | FsError::NotADirectory(_)) => continue,
                Err(error) => {
                    let message = format!("the folder could not be listed: {}", error.reason());
                    let cut = Diagnostic::new(Severity::Note, Code::LookedNoFurther, folder, message);
                    found.findings.push(cut.help("allow the user to list the folder"));
                    continue;
                }
            };
            for entry in entries {
                let Some(rest) = left.checked_sub(1) else {
                    let limit = format!("only {MAX_SOURCE_ENTRIES} entries outside of the normal search were examined");
                    found.findings.push(looked_no_further(root.clone(), &folder, &limit));
                    return files;
                };
                left = rest;
                let path = folder.child(&entry.name).ok().filter(|_| !entry.is_lossy && !entry.is_symlink);
                match (path, entry.kind) {
                    (Some(path), FileKind::File) if is_skill_file(&entry.name) => files.push(path),
                    (Some(path), FileKind::Dir) => waiting.entry(level + 1).or_default().push(path),
                    _ => {}
                }
            }
        }
    }
    if let Some(first) = deepest {
        let limit = format!("only {MAX_LEVELS} levels of folders were examined");
        found.findings.push(looked_no_further(root.clone(), &first, &limit));
    }
    files
}

/// The folders below the project, by level and path, that hold sources of skills which the dialect reads only while a file
/// there is being worked on, and none is (rule 2.14). Folders that git ignores are left out, with all below them.
fn nested_folders(world: &World<'_>, dialect: &Dialect, found: &mut Beyond) -> Vec<FsPath> {
    let places = world.places;
    let rules = dialect.sources.iter().filter(|rule| rule.reach == Reach::Below && !places.only_roots);
    let rules: Vec<(&SourceRule, &FsPath)> = rules.filter_map(|rule| Some((rule, base(rule.base, places)?))).collect();
    let mut tops: Vec<&FsPath> = rules.iter().map(|(_, top)| *top).collect();
    tops.dedup();
    // A symlink of the project that leads out of it is followed no more than by a discovery.
    let containment = places.containment(Vec::new());
    let files = ContainedFs::new(world.fs, containment.as_ref());
    let mut nested = Vec::new();
    for top in tops {
        let rules: Vec<&SourceRule> = rules.iter().filter(|(_, base)| *base == top).map(|(rule, _)| *rule).collect();
        // The folders that are not entered, as they are sources: first those of the project itself, which discovery searches.
        let own = dialect.sources.iter().filter_map(|rule| top.join(&rule.path).ok());
        let mut roots: HashSet<FsPath> = own.filter(|root| root != top).collect();
        let (mut ignored, mut left) = (Ignored::default(), MAX_PROJECT_ENTRIES);
        let mut level = vec![top.clone()];
        'levels: while !level.is_empty() {
            sort_by(&mut level, Ord::cmp);
            for folder in std::mem::take(&mut level) {
                let entries = match files.list(&folder) {
                    Ok(entries) => entries,
                    Err(FsError::Pending(path)) => {
                        found.pending.push(path);
                        continue;
                    }
                    // What cannot be listed can hold nothing that a client reads.
                    Err(_) => continue,
                };
                let Some(rest) = left.checked_sub(entries.len()) else {
                    let limit = format!("only {MAX_PROJECT_ENTRIES} entries of the project were examined");
                    found.findings.push(looked_no_further(top.clone(), &folder, &limit));
                    break 'levels;
                };
                left = rest;
                if entries.iter().any(|entry| entry.name == GITIGNORE) {
                    ignored.enter(&files, &folder, &mut found.pending);
                }
                let mut has_source = false;
                for rule in rules.iter().filter(|_| folder != *top) {
                    let first = rule.path.split('/').next().unwrap_or_default();
                    let is_there = entries.iter().any(|entry| entry.name == first);
                    let Some(root) = folder.join(&rule.path).ok().filter(|_| is_there) else { continue };
                    match files.metadata(&root) {
                        Ok(Some(_)) => {
                            roots.insert(root);
                            has_source = true;
                        }
                        Err(FsError::Pending(path)) => found.pending.push(path),
                        Ok(None) | Err(_) => {}
                    }
                }
                for entry in entries.iter().filter(|entry| is_plain_folder(entry) && !is_never_entered(&entry.name)) {
                    let child = folder.child(&entry.name).ok();
                    level.extend(child.filter(|child| !roots.contains(child) && !ignored.excludes(child)));
                }
                if has_source && !places.touched.iter().any(|file| file.starts_with(&folder)) {
                    nested.push(folder);
                }
            }
        }
    }
    nested
}
