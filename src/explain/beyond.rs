//! Looks where discovery does not (rule 8.10): below the folders of a source that its scan has seen and not entered, and in
//! the project for the sources of folders in which no file is being worked on. A skill that lies there is told and never
//! used. Each search is bounded, and says where it ended.

mod nested;
mod search;

use crate::diagnostic::{Code, Diagnostic, Severity, put_in_order};
use crate::discovery::catalog::Catalog;
use crate::discovery::manifest::is_skill_file;
use crate::discovery::source::Contents;
use crate::discovery::world::{Places, World};
use crate::explain::why::exclusion::Exclusions;
use crate::explain::why::{Why, from_finding, is_passed_over};
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::order::sort_by;
use search::Search;
use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};
use std::iter;

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

/// Looks for SKILL.md files where a discovery does not: below the limit of depth, in folders that are left out by their
/// names, and, in a dialect with sources below the project, in all folders of the project that git does not ignore. What the
/// catalog names already is not told again. No symlink is followed. A source has at most 10,000 entries and 16 levels
/// beyond what the discovery entered, and the project 100,000 entries.
///
/// ```
/// use skilltree::explain::beyond;
/// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
/// let mut fs = MemFs::new();
/// fs.file("/p/.claude/skills/a/b/c/deep/SKILL.md", "").file("/p/web/.claude/skills/tea/SKILL.md", "");
/// let places = Places { project: FsPath::new("/p").ok(), ..Places::default() };
/// let world = World::new(&fs, &places, &());
/// let found = beyond(&world, &discover(&world, &dialect("claude").unwrap()));
/// let codes = found.findings.iter().map(|finding| finding.code.as_str());
/// assert_eq!(codes.collect::<Vec<_>>(), ["too-deep", "nested-source"]);
/// assert_eq!(found.nested[0].as_str(), "/p/web");
/// ```
pub fn beyond(world: &World<'_>, catalog: &Catalog) -> Beyond {
    let mut found = Beyond::default();
    let nested = nested::folders(world, catalog.dialect(), &mut found);
    let mut touched = world.places.touched.clone();
    touched.extend_from_slice(&nested);
    // With all folders worked on, the sources below the project are sources like any other.
    let places = Places { touched, ..world.places.clone() };
    let world = &World { places: &places, ..*world };
    let exclusions = Exclusions::new(world, catalog);
    let nested: HashSet<FsPath> = nested.into_iter().collect();
    // The real paths take a call of the file system each, and are asked for only if a file is found.
    let (known, known_by_link) = (known(catalog), LazyCell::new(|| known_by_link(world, catalog)));
    let is_new = |file: &FsPath| !known.contains(file) && !known_by_link.contains(file);
    let mut unentered = by_source(catalog, &exclusions);
    let mut searched: HashSet<FsPath> = HashSet::new();
    for place in exclusions.places() {
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
        let search = Search::below(&files, root, starts);
        for file in search.files.into_iter().filter(|file| is_new(file)) {
            let is_nested = |why: &Why| folder.is_some() && why.code == Some(Code::NotInSource);
            let finding = match (folder_finding(catalog, &file), &folder) {
                // Its folder is named with the reason, such as a name that belongs to the client.
                (Some(of_folder), None) => note(&file, from_finding(of_folder)),
                (_, folder) => match (exclusions.file_rule(&file, &file).filter(|why| !is_nested(why)), folder) {
                    (Some(why), _) => note(&file, why),
                    (None, Some(folder)) => note(&file, exclusions.in_nested_source(&file, folder.clone(), root)),
                    (None, None) => None,
                },
            };
            found.nested.extend(folder.clone().filter(|_| finding.is_some()));
            found.findings.extend(finding);
        }
        found.findings.extend(search.cuts);
        found.pending.extend(search.pending);
    }
    put_in_order(&mut found.findings);
    sort_by(&mut found.nested, Ord::cmp);
    found.nested.dedup();
    found
}

fn note(file: &FsPath, why: Why) -> Option<Diagnostic> {
    let finding = Diagnostic::new(Severity::Note, why.code?, file.clone(), why.message);
    Some(why.help.into_iter().fold(finding, Diagnostic::help))
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
fn by_source(catalog: &Catalog, exclusions: &Exclusions<'_>) -> HashMap<FsPath, Vec<FsPath>> {
    let roots: HashSet<&FsPath> = exclusions.places().iter().map(|place| &place.source.root).collect();
    let mut folders: HashMap<FsPath, Vec<FsPath>> = HashMap::new();
    for folder in catalog.unentered() {
        if let Some(root) = iter::successors(folder.parent(), FsPath::parent).find(|above| roots.contains(above)) {
            folders.entry(root).or_default().push(folder.clone());
        }
    }
    folders
}

/// The finding about the innermost folder above a file that was passed over.
fn folder_finding<'c>(catalog: &'c Catalog, file: &FsPath) -> Option<&'c Diagnostic> {
    iter::successors(file.parent(), FsPath::parent).find_map(|folder| {
        // Findings are sorted by path.
        let start = catalog.findings().partition_point(|finding| finding.path < folder);
        let mut own = catalog.findings().iter().skip(start).take_while(|finding| finding.path == folder);
        own.find(|finding| is_passed_over(finding.code))
    })
}
