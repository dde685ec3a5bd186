//! Checks skills by the rules of a dialect: [`check()`] returns the findings about files, folders and trees of skills. Whole
//! files are judged, and files that are named in fields or in the text must exist. What discovery finds as well has the
//! same severity here (rule 6.12).

use crate::diagnostic::{Code, Diagnostic, Severity, put_in_order};
use crate::dialect::{Dialect, FieldRole, LinkedFolders, Permitted, Reading, ScanRule, TwicePath};
use crate::discovery::catalog::{Catalog, discover_with};
use crate::discovery::extras::Noticed;
use crate::discovery::manifest::{
    DiagnosticSink, Document, ReadMode, SKILL_FILE, is_nearly_skill_file, is_single_file, is_skill_file, items,
    read_all, report_closing_tag, utf8,
};
use crate::discovery::scan::{
    self, ScanResult, SkillFile, WalkedFolders, another_skill_file, file_name_case, nearly_skill_file, skill_file_index,
};
use crate::discovery::source::packages::manifest_findings;
use crate::discovery::source::{Contents, SourceToScan, sources, sources_and_targets};
use crate::discovery::world::World;
use crate::explain::beyond::Beyond;
use crate::fs::{Entry, FileKind, FilePrefix, Fs, FsError};
use crate::loading::{knowledge, script, toolset};
use crate::model::error::Error;
use crate::model::skill::{ContainedFs, Containment, Frontmatter, Origin, RESOURCE_FOLDERS, ScriptList, Source};
use crate::package::facts::facts;
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::lines;
use crate::text::markdown::{ReferenceKind, references};
use crate::text::order::sort_by;
use crate::text::percent;
use crate::text::words::{excerpt, nearest};
use crate::text::yaml::Span;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

/// How many references of one file are checked.
const MAX_REFERENCES: usize = 1_000;
/// For how many missing files of one SKILL.md the most similar name is looked for, which takes time in proportion to the
/// names in a folder.
const MAX_SUGGESTIONS: usize = 20;
/// How many characters of a path are shown in a message.
const MAX_SHOWN_CHARS: usize = 80;
/// How much is read of a file that a SKILL.md refers to.
const MAX_REFERENCED_BYTES: u64 = 262_144;

/// How strictly to check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckRequest {
    /// Whether what is only a matter of style or of other skill systems is a finding as well: unknown fields, names that
    /// are not ASCII, metadata that is not text, lists of tools that are not one text, references to other skills or
    /// over several files, and what a reviewer of the files may overlook.
    pub strict: bool,
}

impl CheckRequest {
    pub(crate) fn mode(&self) -> ReadMode {
        if self.strict { ReadMode::Strict } else { ReadMode::Check }
    }
}

/// Checks each path: a SKILL.md, the folder of a skill, or a tree of skills, in which single files that are skills for the dialect
/// are checked, too. Without paths, checks everything that discovery
/// reads (all sources, the lists of plugins, and the stores of states), and reports skills where discovery does not look.
///
/// ```
/// use skilltree::{CheckRequest, FsPath, MemFs, Places, World, check, dialect};
/// let mut fs = MemFs::new();
/// fs.file("/s/tea/SKILL.md", "---\nname: Tea\ndescription: Makes tea.\n---\n");
/// let (places, tree) = (Places::default(), FsPath::new("/s").unwrap());
/// let world = World::new(&fs, &places, &());
/// let findings = check(&world, &dialect("agentskills").unwrap(), &[tree], &CheckRequest::default()).unwrap();
/// assert_eq!(findings[0].code.as_str(), "name-invalid");
/// ```
///
/// # Errors
/// Returns [`Error::Fs`] for a path that does not exist or cannot be accessed.
pub fn check(
    world: &World<'_>,
    dialect: &Arc<Dialect>,
    paths: &[FsPath],
    ask: &CheckRequest,
) -> Result<Vec<Diagnostic>, Error> {
    let dialect = &dialect.in_world(world);
    if paths.is_empty() {
        return Ok(ask.check_sources(world, dialect).1);
    }
    let (mut findings, mut packages) = (Vec::new(), HashSet::new());
    each_file(world, dialect, paths, &mut findings, &mut |world, path, _, findings| {
        read_file(world, dialect, path, ask.mode(), findings);
        // A skill of a package lies two folders below it.
        let package = path.dirname().parent().and_then(|skills| skills.parent());
        if let Some(package) = package.filter(|package| packages.insert(package.clone())) {
            findings.append(&mut manifest_findings(world.fs, &package));
        }
    })?;
    put_in_order(&mut findings);
    Ok(findings)
}

impl CheckRequest {
    /// As [`check`](crate::check()) without paths, and also returns what was discovered.
    pub fn check_sources(&self, world: &World<'_>, dialect: &Arc<Dialect>) -> (Catalog, Vec<Diagnostic>) {
        let (catalog, mut findings) = self.check_seen(world, dialect);
        // The finding about a plugin is about all skills in it.
        let beyond = Beyond::of(world, &catalog).findings.into_iter();
        findings.extend(beyond.filter(|finding| finding.code != Code::PluginInvalid));
        put_in_order(&mut findings);
        (catalog, findings)
    }

    /// Like [`CheckRequest::check_sources`], without looking at what a discovery does not see. This is what a list counts.
    pub fn check_seen(&self, world: &World<'_>, dialect: &Arc<Dialect>) -> (Catalog, Vec<Diagnostic>) {
        let (dialect, mut findings) = (&dialect.in_world(world), Vec::new());
        let catalog = all_sources(world, dialect, self.mode(), &mut findings);
        // The findings that only a discovery makes: about stores of states, and about files in relation to others.
        let key = |finding: &Diagnostic| (finding.path.clone(), finding.code);
        let mut known: Vec<(FsPath, Code)> = findings.iter().map(key).collect();
        sort_by(&mut known, Ord::cmp);
        let more = catalog.findings().iter().filter(|finding| known.binary_search(&key(finding)).is_err());
        findings.extend(more.cloned());
        put_in_order(&mut findings);
        (catalog, findings)
    }
}

/// What is done with each SKILL.md that is checked. The world reads no file that the check may not read, which the
/// containment says too; it is `None` if the file may be anywhere.
pub(crate) type Visit<'v> = &'v mut dyn FnMut(&World<'_>, &FsPath, Option<&Containment>, &mut Vec<Diagnostic>);

/// Visits each SKILL.md of the paths, or of every source if there are none. Adds the findings about folders.
pub(crate) fn each_file(
    world: &World<'_>,
    dialect: &Arc<Dialect>,
    paths: &[FsPath],
    findings: &mut Vec<Diagnostic>,
    visit: Visit<'_>,
) -> Result<(), Error> {
    if paths.is_empty() {
        let mut walked = WalkedFolders::default();
        let mut noticed = Noticed::default();
        let places = sources(world, dialect, &mut noticed);
        findings.append(&mut noticed.findings);
        for place in places {
            account(world, scan::scan(world, dialect, &place, None, &mut walked), None, findings, visit);
        }
        return Ok(());
    }
    let trusted = Trusted::of(world, dialect);
    for path in paths {
        let metadata = world.fs.metadata(path)?.ok_or_else(|| Error::Fs(FsError::NotFound(path.clone())))?;
        // Only a folder can be the root.
        let dir = if metadata.kind == FileKind::Dir { Some(path.clone()) } else { path.parent() };
        let dir = dir.ok_or_else(|| Error::Fs(FsError::NotFound(path.clone())))?;
        let containment = containment(world, path, dir, &trusted);
        match metadata.kind {
            FileKind::Dir => tree(world, dialect, path, containment.as_ref(), findings, visit),
            _ => {
                let files = ContainedFs::new(world.fs, containment.as_ref());
                let is_in_other_case = path.name() != SKILL_FILE && is_skill_file(path.name());
                let is_nearly = is_nearly_skill_file(path.name());
                // The answer is that of a scan of the folder.
                if (is_in_other_case || is_nearly) && gives_way(&files, path, metadata.kind) {
                    findings.push(another_skill_file(path.clone()));
                    continue;
                }
                if is_nearly || is_in_other_case && dialect.reading == Reading::Faithful {
                    findings.push(nearly_skill_file(path.clone()));
                    continue;
                }
                if is_in_other_case {
                    findings.push(file_name_case(path.clone()));
                }
                visit(&World { fs: &files, ..*world }, path, containment.as_ref(), findings);
            }
        }
    }
    Ok(())
}

/// Whether a scan of its folder passes over a file because of another SKILL.md there (rule 3.10).
fn gives_way(fs: &dyn Fs, path: &FsPath, kind: FileKind) -> bool {
    let entries = fs.list(&path.dirname()).unwrap_or_default();
    let (own, read) = (entries.iter().position(|entry| entry.name == path.name()), skill_file_index(entries.iter()));
    // Without a file that is read, the SKILL.md is something else.
    kind == FileKind::File && own.is_some() && own != read && (read.is_some() || is_skill_file(path.name()))
}

/// Checks every SKILL.md that a discovery finds. Most files are checked while the file system lists further folders, so
/// that this takes little longer than the discovery.
fn all_sources(world: &World<'_>, dialect: &Arc<Dialect>, judge: ReadMode, findings: &mut Vec<Diagnostic>) -> Catalog {
    let checked = RefCell::new(Vec::new());
    let check = |world: &World<'_>, source: &Arc<Source>, path: &FsPath, read: Result<&FilePrefix, &FsError>| {
        let mut of_file = Vec::new();
        // A walk reads the beginning of a file, which is the whole of nearly each.
        match read {
            Ok(head) if (head.bytes.len() as u64) < head.len && head.len <= dialect.max_skill_bytes() => {
                read_file(world, dialect, path, judge, &mut of_file);
            }
            read => file(world, dialect, (path, read), judge, &mut of_file),
        }
        checked.borrow_mut().push((path.clone(), Arc::clone(source), of_file));
    };
    let mut found = Vec::new();
    let catalog = discover_with(&World { on_read: Some(&check), ..*world }, dialect, &mut |scanned| {
        findings.extend_from_slice(&scanned.findings);
        found.extend(scanned.files.iter().map(|file| (file.path.clone(), Arc::clone(&file.source))));
    });
    let mut checked = checked.into_inner();
    sort_by(&mut checked, |a, b| a.0.cmp(&b.0));
    // One file that is found at several paths is checked at the path that counts (rule 3.9).
    let twice = catalog.findings().iter().filter(|finding| finding.code == Code::SameFile);
    let mut twice: HashSet<&FsPath> = twice.map(|finding| &finding.path).collect();
    catalog.seen().for_each(|seen| _ = twice.remove(seen.path));
    for (path, source) in found.into_iter().filter(|(path, _)| !twice.contains(path)) {
        let first = checked.partition_point(|(other, ..)| *other < path);
        let same = checked.iter_mut().skip(first).take_while(|(other, ..)| *other == path);
        match same.into_iter().find(|(_, other, _)| Arc::ptr_eq(other, &source)) {
            Some((.., of_file)) => findings.append(of_file),
            // A file that no walk has read is a source itself, or was reached through a symlink.
            None => {
                let files = source.files(world.fs);
                read_file(&World { fs: &files, ..*world }, dialect, &path, judge, findings);
            }
        }
    }
    catalog
}

/// Where symlinks may lead that are checked by their path, besides their own tree.
pub(crate) struct Trusted {
    /// The sources whose own symlinks may lead anywhere.
    unconfined: Vec<FsPath>,
    /// The folders that the symlinks of a project may lead into, as in a discovery.
    targets: Vec<FsPath>,
}

impl Trusted {
    pub(crate) fn of(world: &World<'_>, dialect: &Dialect) -> Trusted {
        let settings = (world.extras.settings)(world, dialect, &mut Noticed::default());
        let (places, targets) = sources_and_targets(world, dialect, &settings, &mut Noticed::default());
        let of_user = places.into_iter().filter(|place| place.source.containment.is_none());
        Trusted { unconfined: of_user.map(|place| place.source.root.clone()).collect(), targets }
    }
}

/// Where symlinks at and below a path may lead; `None` if anywhere. `dir` is the folder that is checked. It may be an
/// unreviewed repository, and findings quote lines of the files that they are about.
pub(crate) fn containment(world: &World<'_>, path: &FsPath, dir: FsPath, trusted: &Trusted) -> Option<Containment> {
    let places = world.places;
    if places.follow_links_out || trusted.unconfined.iter().any(|root| dir.starts_with(root)) {
        return None;
    }
    // A path in the project may itself be a symlink of the project. Elsewhere the user has chosen the path.
    let project = places.project.clone().filter(|project| path.starts_with(project)).unwrap_or(dir);
    Some(Containment { project, home: places.home.clone(), trusted: trusted.targets.clone() })
}

/// Checks every SKILL.md of a tree at any depth, even those that the dialect's own scan does not find, and the skills that are
/// single files for the dialect.
fn tree(
    world: &World<'_>,
    dialect: &Dialect,
    root: &FsPath,
    containment: Option<&Containment>,
    findings: &mut Vec<Diagnostic>,
    visit: Visit<'_>,
) {
    let mut singles = single_files(world, dialect, root);
    let files = ContainedFs::new(world.fs, containment);
    let world = &World { fs: &files, ..*world };
    let source = Arc::new(Source {
        label: root.name().to_owned(),
        scope: "extra".to_owned(),
        origin: Origin::Extra,
        root: root.clone(),
        rank: 0,
        namespace: None,
        plugin: None,
        nested_in: None,
        real_root: None,
        containment: None,
    });
    let whatever_is_there = ScanRule {
        links_out: Permitted::Yes,
        depth: None,
        root: Permitted::Yes,
        nested: Permitted::Yes,
        reserved: [].as_slice().into(),
        hidden: Permitted::Yes,
        linked_files: Permitted::Yes,
        skipped: dialect.scan.skipped.clone(),
        skipped_parts: [].as_slice().into(),
        twice: TwicePath::Real,
    };
    let mut walked = WalkedFolders::default();
    let rule = (&whatever_is_there, LinkedFolders::Followed);
    let mut scanned = scan::scan_tree(world, dialect, rule, &source, None, &mut walked);
    scanned.files.append(&mut singles);
    let is_empty = scanned.files.is_empty() && !scanned.findings.iter().any(|f| f.severity == Severity::Error);
    account(world, scanned, containment, findings, visit);
    if is_empty {
        let finding = Diagnostic::new(Severity::Error, Code::NoSkill, root.clone(), "no SKILL.md here or below");
        findings.push(finding.help("name a SKILL.md file, the folder of a skill, or a folder that contains skills"));
    }
}

/// The skills below a folder that are single files for the dialect (rules 3.17 and 3.19).
fn single_files(world: &World<'_>, dialect: &Dialect, root: &FsPath) -> Vec<SkillFile> {
    let has_some = |place: &SourceToScan| matches!(place.contents, Contents::Commands | Contents::FoldersAndFiles);
    let places = sources(world, dialect, &mut Noticed::default()).into_iter();
    let places = places.filter(|place| has_some(place) && place.source.root.starts_with(root));
    let found = places.flat_map(|place| scan::scan(world, dialect, &place, None, &mut WalkedFolders::default()).files);
    found.filter(|found| is_single_file(&found.path)).collect()
}

/// Visits the files that a scan has found. `containment` is that of sources which have none themselves.
fn account(
    world: &World<'_>,
    mut scanned: ScanResult,
    containment: Option<&Containment>,
    findings: &mut Vec<Diagnostic>,
    visit: Visit<'_>,
) {
    findings.append(&mut scanned.findings);
    for found in scanned.files {
        let files = found.source.files(world.fs);
        let containment = found.source.containment.as_deref().or(containment);
        visit(&World { fs: &files, ..*world }, &found.path, containment, findings);
    }
}

fn read_file(world: &World<'_>, dialect: &Dialect, path: &FsPath, judge: ReadMode, findings: &mut Vec<Diagnostic>) {
    let read = world.fs.read(path, dialect.max_skill_bytes() + 1);
    file(world, dialect, (path, read.as_ref()), judge, findings);
}

/// Checks a SKILL.md of which as much was read as it may have bytes.
fn file(
    world: &World<'_>,
    dialect: &Dialect,
    (path, read): (&FsPath, Result<&FilePrefix, &FsError>),
    judge: ReadMode,
    findings: &mut Vec<Diagnostic>,
) {
    let before = findings.len();
    let Document { mut manifest, body_start, .. } = read_all(world.extras, dialect, path, read, judge);
    let bytes = read.map_or(&[][..], |read| &read.bytes);
    findings.append(&mut manifest.findings);
    let known = &manifest.frontmatter.needs().knowledge;
    findings.append(&mut knowledge::hint(world, dialect, path, known, &manifest.knowledge).findings);
    report_missing_files(world, dialect, (path, bytes), &manifest.frontmatter, findings);
    if let Some(description) = &manifest.frontmatter.description {
        report_tag(dialect, (path, bytes, body_start), description, findings);
    }
    if judge == ReadMode::Strict {
        // What is hidden in a field has been told with the field.
        let place = |finding: &Diagnostic| (finding.code, finding.at.map(|at| at.line));
        let told: HashSet<_> = findings.iter().skip(before).filter(|finding| finding.at.is_some()).map(place).collect();
        let is_new = |fact: &Diagnostic| fact.path != *path || !told.contains(&place(fact));
        findings.extend(facts(world.fs, path).into_iter().filter(is_new));
    }
    if manifest.rejected.is_none() {
        report_references(world, (path, bytes, body_start), judge, findings);
    }
}

/// Adds a finding for each file that a field names and that does not exist, at the position of its item.
fn report_missing_files(
    world: &World<'_>,
    dialect: &Dialect,
    (path, bytes): (&FsPath, &[u8]),
    frontmatter: &Frontmatter,
    findings: &mut Vec<Diagnostic>,
) {
    if !frontmatter.run().toolsets.is_empty() {
        for item in items(world.extras, dialect, path, bytes, &FieldRole::Toolsets) {
            findings.extend(toolset::fault(world, path, &item.text).map(|finding| item.locate(finding)));
        }
    }
    // A list that cannot be read has its own finding.
    if matches!(frontmatter.run().scripts, ScriptList::Names(_)) {
        let listed = items(world.extras, dialect, path, bytes, &FieldRole::Scripts);
        let faults = script::faults(world, path, listed.iter().map(|item| item.text.as_str()));
        for (item, fault) in listed.iter().zip(faults) {
            findings.extend(fault.map(|finding| item.locate(finding)));
        }
    }
}

/// Adds a finding if the description closes its entry in the list of the prompt, where that escapes no text (rule 11.9).
fn report_tag(
    dialect: &Dialect,
    (path, bytes, body): (&FsPath, &[u8], usize),
    description: &str,
    findings: &mut Vec<Diagnostic>,
) {
    let (row, shown) = (dialect.prompt.row.source(), dialect.prompt.escape.text(description));
    let mut tags = row.match_indices("</").filter_map(|(at, _)| row[at..].find('>').map(|end| &row[at..=at + end]));
    let (Some(tag), Ok(text)) = (tags.find(|tag| shown.contains(*tag)), utf8(bytes, false)) else { return };
    let source = lines::Source::new(text);
    let mut sink = DiagnosticSink::new(path, &source);
    let message = format!("the description contains `{tag}`, which ends its entry in the list of `{}`", dialect.name);
    report_closing_tag(tag, 0..body, message, &mut sink);
    findings.append(&mut sink.findings);
}

/// Adds the findings about the files that the text of a skill refers to, by links, images, and code spans that are plainly
/// paths of files in the skill (rule 6.21). What may be meant otherwise is passed over: a finding that is wrong costs an
/// author more than one that is missing. The text starts at the byte `body` of the document.
fn report_references(
    world: &World<'_>,
    (path, bytes, body): (&FsPath, &[u8], usize),
    mode: ReadMode,
    findings: &mut Vec<Diagnostic>,
) {
    let Some(dir) = path.parent().filter(|_| !is_single_file(path)) else { return };
    let Ok(text) = utf8(bytes, false) else { return };
    let source = lines::Source::new(text);
    let mut sink = DiagnosticSink::new(path, &source);
    let mut folders = Folders { world, dir: &dir, listed: Vec::new(), suggestions_left: MAX_SUGGESTIONS };
    let mut referenced = Vec::new();
    for (kind, span, target) in file_references(source.text(), body) {
        let Some(names) = below(&target, &[]) else {
            report_outside(&target, span, mode, &mut sink);
            continue;
        };
        if names.is_empty() || kind == ReferenceKind::CodeSpan && !folders.may_be_own(&names) {
            continue;
        }
        match folders.find(&names) {
            Found::File => referenced.push(names.join("/")),
            Found::Folder => referenced.push(names.join("/") + "/"),
            Found::Unknown => {}
            Found::Missing(near) => report_missing_reference(&target, near, span, &mut sink),
        }
    }
    findings.append(&mut sink.findings);
    if mode == ReadMode::Strict {
        report_nested(&mut folders, &mut referenced, findings);
    }
}

fn report_missing_reference(target: &str, near: Option<String>, span: Span, sink: &mut DiagnosticSink<'_>) {
    let shown = excerpt(target, MAX_SHOWN_CHARS);
    let message = match target.contains('\\') {
        true => format!("the text refers to `{shown}`, whose backslashes separate folders on Windows only"),
        false => format!("the text refers to `{shown}`, which is not in the skill's folder"),
    };
    let finding = sink.at_span(span, Severity::Warning, Code::ReferenceMissing, message);
    finding.help = Some(match near {
        _ if target.contains('\\') => "separate folders with `/`".to_owned(),
        Some(near) => format!("did you mean `{}`? otherwise add the file, or remove the reference", visible(&near)),
        None => "correct the path, add the file, or remove the reference".to_owned(),
    });
}

fn report_outside(target: &str, span: Span, mode: ReadMode, sink: &mut DiagnosticSink<'_>) {
    // Skills that are made to be installed together refer to each other.
    let is_skill = target.rsplit('/').next().is_some_and(is_skill_file);
    if is_skill && mode != ReadMode::Strict {
        return;
    }
    let shown = excerpt(target, MAX_SHOWN_CHARS);
    let message = format!("the text refers to `{shown}`, which is outside of the skill's folder");
    sink.at_span(span, Severity::Warning, Code::ReferenceOutside, message).advise(match is_skill {
        true => "refer to another skill by its name",
        false => "move the file into the skill's folder",
    });
}

/// Adds the findings about files that only a referenced file refers to, at these references. `referenced` are the files
/// and folders that the SKILL.md refers to; a folder ends with `/`.
fn report_nested(folders: &mut Folders<'_>, referenced: &mut Vec<String>, findings: &mut Vec<Diagnostic>) {
    sort_by(referenced, Ord::cmp);
    referenced.dedup();
    let is_named = |file: &str| {
        referenced.iter().any(|named| named == file || (named.ends_with('/') && file.starts_with(&**named)))
    };
    // The references of a skill within the folder are its own.
    let is_own = |file: &&String| !file.rsplit('/').next().is_some_and(is_skill_file);
    let is_text = |file: &&String| file.ends_with(".md") || file.ends_with(".markdown");
    for file in referenced.iter().filter(is_text).filter(is_own) {
        let Ok(path) = folders.dir.join(file) else { continue };
        let Ok(prefix) = folders.world.fs.read(&path, MAX_REFERENCED_BYTES) else { continue };
        let Ok(text) = utf8(&prefix.bytes, (prefix.bytes.len() as u64) < prefix.len) else { continue };
        let source = lines::Source::new(text);
        let mut sink = DiagnosticSink::new(&path, &source);
        let base: Vec<&str> = file.split('/').collect();
        let base = base.split_last().map_or(&[][..], |(_, folders)| folders);
        for (_, span, target) in file_references(source.text(), 0) {
            // A path is relative to the file for a reader of Markdown, and to the skill for the specification.
            let own = [base, &[]].into_iter().find_map(|base| {
                let names = below(&target, base).filter(|names| !names.is_empty())?;
                matches!(folders.find(&names), Found::File).then(|| names.join("/"))
            });
            let Some(own) = own.filter(|own| own != file && own != SKILL_FILE && !is_named(own)) else { continue };
            let message = format!(
                "only this file refers to `{}`, which is more than one step away from {SKILL_FILE}",
                excerpt(&own, MAX_SHOWN_CHARS)
            );
            sink.at_span(span, Severity::Warning, Code::ReferenceNested, message)
                .advise(&format!("refer to the file from {SKILL_FILE} too"));
        }
        findings.append(&mut sink.findings);
    }
}

/// The references to files of a text from the byte `from` on, and their paths as they were meant.
fn file_references(text: &str, from: usize) -> Vec<(ReferenceKind, Span, Cow<'_, str>)> {
    let moved = |range: Range<usize>| range.start + from..range.end + from;
    let found = references(text.get(from..).unwrap_or_default()).into_iter().filter_map(|reference| {
        let range = moved(reference.range);
        let written = text.get(range.clone())?;
        let target = match reference.kind {
            ReferenceKind::Link => link_target(written)?,
            ReferenceKind::CodeSpan => {
                let line = text.get(moved(reference.line)).unwrap_or_default();
                Cow::Borrowed(plain_path(written).filter(|_| !is_example(line))?)
            }
        };
        Some((reference.kind, Span { start: range.start, end: range.end }, target))
    });
    found.take(MAX_REFERENCES).collect()
}

/// The path of a link without its anchor, with percent-encoded bytes decoded where that is possible; `None` if it is no
/// relative path, or a placeholder for one.
fn link_target(written: &str) -> Option<Cow<'_, str>> {
    let path = written.split(['#', '?']).next().filter(|path| !path.is_empty())?;
    let is_scheme = |scheme: &str| scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let is_absolute = path.starts_with(['/', '\\', '~', '@']);
    if is_absolute || path.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme)) || is_placeholder(path) {
        return None;
    }
    // A backslash before punctuation is part of Markdown, not of the path.
    if path.split('\\').skip(1).any(|after| after.starts_with(|c: char| c.is_ascii_punctuation())) {
        return None;
    }
    // One word is no path but a placeholder such as `url`.
    let is_path = path.contains(['.', '/']) && !path.starts_with("path/to/");
    is_path.then(|| percent::decoded(path).map_or(Cow::Borrowed(path), Cow::Owned))
}

/// A code span that is a relative path of a file in a folder of the skill; `None` if it may be something else.
fn plain_path(written: &str) -> Option<&str> {
    let is_of_path = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '\\' | '+');
    let path = written.strip_prefix("./").unwrap_or(written);
    if path.starts_with(['/', '\\', '-', '.']) || !path.chars().all(is_of_path) || is_placeholder(path) {
        return None;
    }
    let (folders, file) = path.rsplit_once(['/', '\\'])?;
    // A file has a name and an extension.
    let (stem, extension) = file.rsplit_once('.')?;
    let is_extension = extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.len() <= 10
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_plain = folders.split(['/', '\\']).all(|name| !name.is_empty() && name != "." && name != "..");
    (is_plain && is_extension && !stem.is_empty()).then_some(path)
}

/// Whether a path stands for others: it has a variable, a pattern or an ellipsis in it.
fn is_placeholder(path: &str) -> bool {
    path.contains(['$', '{', '}', '*', '<', '>', '|', '"', '[', ']', '…', '\n']) || path.contains("...")
}

/// Whether a line gives examples, whose files need not exist.
fn is_example(line: &str) -> bool {
    const WORDS: [&str; 5] = ["e.g.", "example", "such as", "for instance", "would be"];
    let line = line.to_ascii_lowercase();
    WORDS.iter().any(|word| line.contains(word))
}

/// The names of a path below the skill's folder, none for the folder itself; `None` if it leads out. The path is relative
/// to the folder of the names in `base`.
fn below<'t>(path: &'t str, base: &[&'t str]) -> Option<Vec<&'t str>> {
    let mut names = base.to_vec();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => _ = names.pop()?,
            name => names.push(name),
        }
    }
    Some(names)
}

enum Found {
    File,
    Folder,
    /// Nothing, and the path that is spelled most similarly.
    Missing(Option<String>),
    /// A folder on the way cannot be listed.
    Unknown,
}

/// The folders of one skill, each listed once.
struct Folders<'w> {
    world: &'w World<'w>,
    dir: &'w FsPath,
    /// The folders that were listed, by their paths below the skill's folder; `None` if one cannot be listed.
    listed: Vec<(String, Option<Vec<Entry>>)>,
    suggestions_left: usize,
}

impl Folders<'_> {
    /// Whether a path in a code span is surely meant to be below the skill's folder, and not below that of a project: its
    /// folder exists here, or is named as only those of skills are.
    fn may_be_own(&mut self, names: &[&str]) -> bool {
        let first = names.first().and_then(|name| name.split('\\').next()).unwrap_or_default();
        let is_usual = RESOURCE_FOLDERS.contains(&first) && first != "scripts";
        is_usual || matches!(self.find(&[first]), Found::Folder)
    }

    fn find(&mut self, names: &[&str]) -> Found {
        let mut folder = String::new();
        for (n, name) in names.iter().enumerate() {
            let is_last = n + 1 == names.len();
            let may_suggest = is_last && self.suggestions_left > 0;
            let Some(entries) = self.entries(&folder) else { return Found::Unknown };
            match entries.iter().find(|entry| entry.name == *name).map(|entry| entry.kind) {
                Some(FileKind::Dir) if is_last => return Found::Folder,
                Some(FileKind::Dir) => {}
                Some(_) if is_last => return Found::File,
                None if may_suggest => {
                    let near = nearest(name, entries.iter().map(|entry| entry.name.as_str())).first().copied();
                    let near = near.map(|near| format!("{folder}{near}"));
                    self.suggestions_left -= 1;
                    return Found::Missing(near);
                }
                Some(_) | None => return Found::Missing(None),
            }
            folder.push_str(name);
            folder.push('/');
        }
        Found::Folder
    }

    /// The entries of a folder, whose path is empty for the skill's own and ends with `/` otherwise; `None` if it cannot be
    /// listed.
    fn entries(&mut self, folder: &str) -> Option<&[Entry]> {
        let known = self.listed.iter().position(|(listed, _)| listed == folder);
        let at = known.unwrap_or_else(|| {
            let path = self.dir.join(folder).ok();
            let entries = path.and_then(|path| match self.world.fs.list(&path) {
                Err(FsError::NotFound(_)) => Some(Vec::new()),
                listed => listed.ok(),
            });
            self.listed.push((folder.to_owned(), entries));
            self.listed.len() - 1
        });
        self.listed.get(at)?.1.as_deref()
    }
}
