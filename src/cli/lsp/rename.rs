//! Renames a skill: the value of `name`, its folder if that has the same name, and the mentions of it in other skills. Only
//! edits are returned; the client carries them out.
//!
//! Another skill mentions it as a command `/name`, by a name in backticks beside the word "skill", and by paths into its
//! folder. A bare word is no mention, as most names are words of the language too.

use super::documents::{Document, Text, path_of_uri, uri_of_path};
use super::markdown::{self, prose, targets};
use super::server::{Refusal, Server};
use super::workspace::Workspace;
use crate::percent;
use lsp_types::{
    DocumentChangeOperation, DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, PrepareRenameResponse,
    RenameFile, RenameFilesParams, RenameParams, ResourceOp, TextDocumentEdit, TextDocumentPositionParams, TextEdit,
    Uri, WorkspaceEdit,
};
use skilltree::author::{FieldRole, NewSkill, NewSkillRequest, Outline};
use skilltree::model::Origin;
use skilltree::{Catalog, Code, Diagnostic, FsPath, Skill, visible};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

pub(super) fn prepare(
    server: &mut Server,
    params: &TextDocumentPositionParams,
) -> Result<PrepareRenameResponse, Refusal> {
    server.workspace_mut()?.catalog();
    let (workspace, document) = server.open(&params.text_document.uri)?;
    let (path, value, name) = named(server, workspace, document, params.position)?;
    skill_at(server, &path)?;
    let range = document.text.range(value);
    Ok(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder: name })
}

pub(super) fn rename(server: &mut Server, params: &RenameParams) -> Result<WorkspaceEdit, Refusal> {
    let at = &params.text_document_position;
    server.workspace_mut()?.catalog();
    let (workspace, document) = server.open(&at.text_document.uri)?;
    let (path, value, old) = named(server, workspace, document, at.position)?;
    let new = params.new_name.trim();
    if new == old {
        return Ok(WorkspaceEdit::default());
    }
    check_name(workspace, document, &path, &value, new)?;
    let folder = folder_of(server, &path, &old, new)?;
    let mut edits = Edits::default();
    edits.add(server, &path, &document.text, vec![(value, Outline::written(new).into_owned())]);
    let skill = skill_at(server, &path)?;
    check_key(server, skill, &old, new)?;
    edits.add_mentions(server, skill, (&old, new), folder.as_ref())?;
    edits.done(server, folder)
}

/// The edits that belong to the renaming of folders by the client.
pub(super) fn folders_renamed(
    server: &mut Server,
    params: &RenameFilesParams,
) -> Result<Option<WorkspaceEdit>, Refusal> {
    let catalog = server.workspace_mut()?.catalog();
    let mut edits = Edits::default();
    for file in &params.files {
        let paths = path_of_uri(&file.old_uri).zip(path_of_uri(&file.new_uri));
        let Some((from, to)) = paths.filter(|(from, to)| from.parent() == to.parent()) else { continue };
        let Some(skill) = catalog.skills().iter().find(|skill| skill.path.parent().as_ref() == Some(&from)) else {
            continue;
        };
        let Some(text) = text_of(server, &skill.path) else { continue };
        let (old, new) = (from.name().to_owned(), to.name().to_owned());
        let outline = Outline::of(server.workspace()?.dialect(), &skill.path, text.as_str());
        let name = outline.fields.iter().find(|field| field.role == Some(FieldRole::Name));
        if let Some(field) = name.filter(|field| field.text.as_deref() == Some(&old)) {
            let value = text.offset_of(field.value.0)..text.offset_of(field.value.1);
            edits.add(server, &skill.path, &text, vec![(value, Outline::written(&new).into_owned())]);
        }
        edits.add_mentions(server, skill, (&old, &new), Some(&(from, to)))?;
    }
    if edits.of_files.is_empty() { Ok(None) } else { edits.done(server, None).map(Some) }
}

/// The path of a document, the place of its name, on which the position has to be, and the name.
fn named(
    server: &Server,
    workspace: &Workspace,
    document: &Document,
    position: lsp_types::Position,
) -> Result<(FsPath, Range<usize>, String), Refusal> {
    let refused = || Refusal::failed("to rename the skill, put the cursor on the value of `name`");
    let path = document.path.clone().filter(|path| workspace.is_skill(path)).ok_or_else(refused)?;
    // The edits of each file are those of one document.
    if let Some(other) = server.documents.at(&path).filter(|other| other.opened != document.opened) {
        let address = visible(other.uri.as_str());
        return Err(Refusal::failed(format!("the file is also open as `{address}`; close one of the two documents")));
    }
    let text = &document.text;
    let outline = Outline::of(workspace.dialect(), &path, text.as_str());
    let field = outline.fields.into_iter().find(|field| field.role == Some(FieldRole::Name)).ok_or_else(refused)?;
    let value = text.offset_of(field.value.0)..text.offset_of(field.value.1);
    let whole = text.offset_of(field.key.0)..=value.end;
    let name = field.text.filter(|name| !name.trim().is_empty()).ok_or_else(refused)?;
    match whole.contains(&text.offset(position)) {
        true => Ok((path, value, name)),
        false => Err(refused()),
    }
}

/// The skill in a file, used or shadowed.
fn skill_at<'s>(server: &'s Server, path: &FsPath) -> Result<&'s Skill, Refusal> {
    let catalog = server.workspace()?.known_catalog();
    let skills = catalog.into_iter().flat_map(Catalog::skills);
    let shadowed = catalog.into_iter().flat_map(Catalog::shadowed).map(|shadowed| &shadowed.skill);
    let mut skills = skills.chain(shadowed);
    skills
        .find(|skill| skill.path == *path || skill.target.as_ref() == Some(path))
        .ok_or_else(|| Refusal::failed("the file is not a skill that is found in this workspace"))
}

/// Refuses a name with which the file would have findings about the name that it does not have now.
fn check_name(
    workspace: &Workspace,
    document: &Document,
    path: &FsPath,
    value: &Range<usize>,
    new: &str,
) -> Result<(), Refusal> {
    if new.is_empty() || new.contains(['/', '\\']) || new.chars().any(char::is_control) || matches!(new, "." | "..") {
        return Err(Refusal::failed(format!("`{}` cannot be the name of a skill and of its folder", visible(new))));
    }
    let mut text = document.text.as_str().to_owned();
    text.replace_range(value.clone(), &Outline::written(new));
    let line = document.text.as_str()[..value.start].matches('\n').count() + 1;
    let is_about_name = |finding: &Diagnostic| {
        let codes = [Code::NameInvalid, Code::TooLong, Code::HiddenCharacters, Code::WrongType, Code::Yaml];
        codes.contains(&finding.code) && finding.at.is_some_and(|at| at.line == line)
    };
    match workspace.check(path, &text).into_iter().find(is_about_name) {
        Some(finding) => Err(Refusal::failed(finding.message)),
        None => Ok(()),
    }
}

/// Refuses a name whose key another skill has.
fn check_key(server: &Server, skill: &Skill, old: &str, new: &str) -> Result<(), Refusal> {
    let Some(catalog) = server.workspace()?.known_catalog() else { return Ok(()) };
    let key = with_new_end(&skill.key, old, new).unwrap_or_else(|| new.to_owned());
    let has_it = |other: &&Skill| other.path != skill.path && (other.key == key || other.name == new);
    match catalog.skills().iter().find(has_it) {
        Some(other) => Err(Refusal::failed(format!("the name `{}` is taken by {}", visible(new), other.path))),
        None => Ok(()),
    }
}

/// The folder of a skill and what it is renamed to; `None` if it has another name than the skill, is no folder of its own,
/// or the client does not rename files.
fn folder_of(server: &Server, path: &FsPath, old: &str, new: &str) -> Result<Option<(FsPath, FsPath)>, Refusal> {
    let Some(folder) = path.parent().filter(|folder| server.client.renames_files && folder.name() == old) else {
        return Ok(None);
    };
    let target = folder.parent().and_then(|above| above.child(new).ok());
    let Some(target) = target else { return Ok(None) };
    let ask = NewSkillRequest { name: new.to_owned(), ..NewSkillRequest::default() };
    let found = NewSkill::of(server.workspace()?.dialect(), &ask).err().unwrap_or_default();
    if let Some(found) = found.into_iter().find(|found| found.code == Code::NotEntered) {
        return Err(Refusal::failed(found.message));
    }
    let taken = server.workspace()?.with_world(|world| world.fs.metadata(&target));
    match taken {
        Ok(None) => Ok(Some((folder, target))),
        Ok(Some(_)) => Err(Refusal::failed(format!("`{target}` exists already"))),
        Err(error) => Err(Refusal::failed(error.to_string())),
    }
}

/// A key or name with a new end: `git:pr` and `git/pr` for the name `pr`.
fn with_new_end(key: &str, old: &str, new: &str) -> Option<String> {
    let before = key.strip_suffix(old)?;
    (before.is_empty() || before.ends_with([':', '/'])).then(|| format!("{before}{new}"))
}

/// The text of a file, as it is open or on the disk.
fn text_of(server: &Server, path: &FsPath) -> Option<Text> {
    if let Some(document) = server.documents.at(path) {
        return Some(document.text.clone());
    }
    let workspace = server.workspace().ok()?;
    let most = workspace.dialect().max_skill_bytes();
    let prefix = workspace.with_world(|world| world.fs.read(path, most)).ok()?;
    let text = String::from_utf8(prefix.bytes).ok().filter(|_| prefix.len <= most)?;
    Some(Text::new(text, server.documents.encoding))
}

/// The edits of several files.
#[derive(Default)]
struct Edits {
    of_files: BTreeMap<FsPath, (Uri, Option<i32>, Vec<TextEdit>)>,
}

impl Edits {
    fn add(&mut self, server: &Server, path: &FsPath, text: &Text, edits: Vec<(Range<usize>, String)>) {
        let Some(uri) = server.documents.uri_of(path).filter(|_| !edits.is_empty()) else { return };
        let version = server.documents.at(path).map(|document| document.version);
        let edits = edits.into_iter().map(|(place, new_text)| TextEdit { range: text.range(place), new_text });
        self.of_files.entry(path.clone()).or_insert_with(|| (uri, version, Vec::new())).2.extend(edits);
    }

    /// Adds the mentions in all skills that the user or the project owns.
    fn add_mentions(
        &mut self,
        server: &Server,
        skill: &Skill,
        (old, new): (&str, &str),
        folder: Option<&(FsPath, FsPath)>,
    ) -> Result<(), Refusal> {
        let Some(catalog) = server.workspace()?.known_catalog() else { return Ok(()) };
        let mut names: Vec<(String, String)> = Vec::new();
        if let Some(key) = with_new_end(&skill.key, old, new) {
            names.push((skill.key.clone(), key));
        }
        names.push((old.to_owned(), new.to_owned()));
        names.dedup();
        let renamed = Renamed { names, folder: folder.map(|(from, to)| (from, to)) };
        let dialect = catalog.dialect();
        let is_owned = |other: &&Skill| matches!(other.source.origin, Origin::Project | Origin::User | Origin::Extra);
        for other in catalog.skills().iter().filter(is_owned) {
            // A symlink's target may be the file of another skill, which has its own turn.
            let Some(text) = text_of(server, &other.path).filter(|_| other.target.is_none()) else { continue };
            // An encoded path need not contain the name.
            let is_mentioned = |(name, _): &(String, String)| text.as_str().contains(name.as_str());
            if !text.as_str().contains('%') && !renamed.names.iter().any(is_mentioned) {
                continue;
            }
            let Some(body) = Outline::of(dialect, &other.path, text.as_str()).body else { continue };
            let found = mentions(text.as_str(), text.offset_of(body), &other.dir(), &renamed);
            self.add(server, &other.path, &text, found);
        }
        Ok(())
    }

    /// The edits as the client takes them. The folder is renamed last, as the edits name the old paths.
    #[allow(clippy::mutable_key_type, reason = "the protocol's type for addresses has a cell that does not count")]
    fn done(self, server: &Server, folder: Option<(FsPath, FsPath)>) -> Result<WorkspaceEdit, Refusal> {
        if !server.client.renames_files {
            let changes: HashMap<Uri, Vec<TextEdit>> =
                self.of_files.into_values().map(|(uri, _, edits)| (uri, edits)).collect();
            return Ok(WorkspaceEdit { changes: Some(changes), ..Default::default() });
        }
        let mut operations: Vec<DocumentChangeOperation> = Vec::new();
        for (uri, version, edits) in self.of_files.into_values() {
            let text_document = OptionalVersionedTextDocumentIdentifier { uri, version };
            let edits = edits.into_iter().map(OneOf::Left).collect();
            operations.push(DocumentChangeOperation::Edit(TextDocumentEdit { text_document, edits }));
        }
        if let Some((from, to)) = folder {
            let uris = uri_of_path(&from).zip(uri_of_path(&to));
            let (old_uri, new_uri) = uris.ok_or_else(|| Refusal::failed("the folder has no address"))?;
            let rename = RenameFile { old_uri, new_uri, options: None, annotation_id: None };
            operations.push(DocumentChangeOperation::Op(ResourceOp::Rename(rename)));
        }
        Ok(WorkspaceEdit { document_changes: Some(DocumentChanges::Operations(operations)), ..Default::default() })
    }
}

pub(super) struct Renamed<'r> {
    /// The names by which it is mentioned, the longest first, each with its new one.
    pub(super) names: Vec<(String, String)>,
    /// Its folder, and the new one if that is renamed too.
    pub(super) folder: Option<(&'r FsPath, &'r FsPath)>,
}

/// The places in a text at which the skill is mentioned, each with what has to stand there. The body begins at `body`;
/// `dir` is the folder of the file.
pub(super) fn mentions(text: &str, body: usize, dir: &FsPath, renamed: &Renamed<'_>) -> Vec<(Range<usize>, String)> {
    let mut found: Vec<(Range<usize>, String)> = Vec::new();
    for (start, line) in prose(text, body) {
        for (slash, _) in line.match_indices('/') {
            let is_begun =
                line[..slash].chars().next_back().is_none_or(|c| c.is_whitespace() || "`(\"'[*_".contains(c));
            let rest = &line[slash + 1..];
            let named = renamed.names.iter().find(|(old, _)| is_begun && begins_with_word(rest, old));
            if let Some((old, new)) = named {
                let place = start + slash + 1..start + slash + 1 + old.len();
                found.push((place, new.clone()));
            }
        }
    }
    for (word, place) in targets(text, body) {
        if let Some((_, new)) = renamed.names.iter().find(|(old, _)| old == word && is_beside_skill(text, &place)) {
            found.push((place, new.clone()));
        }
    }
    for reference in markdown::references(text, body) {
        let Some((old, new)) = renamed.folder else { continue };
        if let Some(changed) = with_new_folder(text, &reference.place, dir, (old, new)) {
            found.push((reference.place, changed));
        }
    }
    found.sort_by_key(|(place, _)| (place.start, place.end));
    let mut end = 0;
    found.retain(|(place, _)| {
        let is_free = end <= place.start;
        end = if is_free { place.end } else { end };
        is_free
    });
    found
}

/// Whether a text begins with a name, behind which another word or nothing follows.
fn begins_with_word(text: &str, name: &str) -> bool {
    let continues = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | ':');
    let Some(rest) = text.strip_prefix(name) else { return false };
    let mut rest = rest.chars();
    match rest.next() {
        None => true,
        // The end of a sentence, and not of a file's name.
        Some('.') => rest.next().is_none_or(char::is_whitespace),
        Some(':') => rest.next().is_none_or(char::is_whitespace),
        Some(c) => !continues(c),
    }
}

/// Whether the word before or behind a part in backticks is "skill".
fn is_beside_skill(text: &str, place: &Range<usize>) -> bool {
    let is_skill = |word: Option<&str>| {
        let word = word.unwrap_or("").trim_matches(|c: char| !c.is_alphanumeric());
        word.eq_ignore_ascii_case("skill") || word.eq_ignore_ascii_case("skills")
    };
    let (before, behind) = (text.get(..place.start).unwrap_or(""), text.get(place.end..).unwrap_or(""));
    if !before.ends_with('`') || !behind.starts_with('`') {
        return false;
    }
    is_skill(before.trim_end_matches('`').split_whitespace().next_back())
        || is_skill(behind.trim_start_matches('`').split_whitespace().next())
}

/// The path at a place, relative to `dir`, with the new name of the folder that it leads into; `None` if it does not lead there.
/// The name is encoded as the other names of the path are, and a link of which it would be the end gets brackets.
fn with_new_folder(text: &str, place: &Range<usize>, dir: &FsPath, (old, new): (&FsPath, &FsPath)) -> Option<String> {
    let (before, written) = (text.get(..place.start)?, text.get(place.clone())?);
    let (path, rest) = written.split_at(written.find(['#', '?']).unwrap_or(written.len()));
    let decoded = |part: &str| percent::decoded(part).unwrap_or_else(|| part.to_owned());
    let is_encoded = decoded(path) != path || new.name().contains(['<', '>', '#', '?', '%']);
    let name = if is_encoded { percent::encoded_path(new.name()) } else { new.name().to_owned() };
    let mut at = dir.clone();
    let mut changed = Vec::new();
    let mut is_found = false;
    for part in path.split('/') {
        let is_folder = match decoded(part).as_str() {
            "" | "." => false,
            ".." => {
                at = at.parent()?;
                false
            }
            inside => {
                at = at.child(inside).ok()?;
                !is_found && at == *old
            }
        };
        is_found |= is_folder;
        changed.push(if is_folder { name.as_str() } else { part });
    }
    let changed = format!("{}{rest}", changed.join("/"));
    let is_bare_link = !before.ends_with('<') && !before.trim_end().ends_with('`');
    let ends_link = is_bare_link && name.contains([' ', '(', ')']);
    is_found.then(|| if ends_link { format!("<{changed}>") } else { changed })
}
