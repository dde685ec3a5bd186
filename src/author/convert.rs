//! Converts a skill for another skill system: [`Conversion::of`] writes its SKILL.md anew by the tables of both dialects, and
//! lists what the other system has no place for. Nothing is written to the disk here.
//!
//! `fields` translates the frontmatter and `body` the placeholders and commands in the body.

mod body;
mod fields;

use crate::discovery::world::{Places, World};
use fields::{Entry, any_node};

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{Dialect, DuplicateKeys, FieldRole, KeyPart, MissingFrontmatter, NameForm, Necessity, Reading};
use crate::discovery::catalog::Catalog;
use crate::discovery::manifest::{
    DiagnosticSink, Front, FrontmatterOutcome, Manifest, ReadMode, fit, form_fault, front, is_skill_file,
    location_name, read_sidecar, read_whole, restricted, utf8,
};
use crate::discovery::scan::SKILL_FILE;
use crate::fs::mem::MemFs;
use crate::fs::{FileKind, FsError};
use crate::model::error::Error;
use crate::model::skill::{Frontmatter, Location, Skill};
use crate::package::CopyFile;
use crate::package::body::check_is_skill;
use crate::package::files::{OtherKind, Package, Purpose};
use crate::path::FsPath;
use crate::text::escape::{hides, quote_yaml, visible};
use crate::text::frontmatter::{DASHES, Split, split};
use crate::text::lines::{Source, with_lf};
use crate::text::lower::{lower, small};
use crate::text::yaml::{Node, Span, Style, Value};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// A skill as another skill system wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conversion {
    /// The name of its folder.
    pub name: String,
    /// The text of its SKILL.md.
    pub manifest: String,
    /// The name and the text of the second file of fields, if the other system has such a file and a field belongs there.
    pub sidecar: Option<(String, String)>,
    /// The other files, which are copied as they are, in byte order of their names.
    pub files: Vec<CopyFile>,
    /// What the other system has no place for, or understands differently.
    pub lost: Vec<Loss>,
    #[cfg_attr(not(feature = "host"), allow(dead_code, reason = "only a host copies files"))]
    pub(crate) location: Location,
}

/// Something that a conversion loses or changes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// What is lost: the key of a field (`sven.always`), `body`, `comments`, `key`, `state`, or the name of a file.
    pub field: String,
    /// Why, and what was done instead, if anything was.
    pub reason: String,
}

impl Loss {
    fn new(field: impl Into<String>, reason: impl Into<String>) -> Loss {
        Loss { field: field.into(), reason: reason.into() }
    }
}

/// The skill that is converted, as it is now.
struct Original<'w> {
    from: &'w Dialect,
    to: &'w Dialect,
    skill: &'w Skill,
    /// What its frontmatter says, the second file of fields included.
    frontmatter: Arc<Frontmatter>,
    /// What the SKILL.md says alone.
    own: Arc<Frontmatter>,
    /// The same without the restrictions of the other way of reading, so what its fields say.
    read: Arc<Frontmatter>,
    /// The text of the SKILL.md, without control characters, lines ending in LF.
    text: &'w str,
    /// The fields; `None` if there is no frontmatter.
    map: Option<Vec<(Node, Node)>>,
    body: &'w str,
    body_start: usize,
    /// Whether reading the frontmatter gave no finding but about comments, so that its lines can be copied.
    is_plain: bool,
}

impl Conversion {
    /// Converts a skill for the skill system that `to` describes.
    ///
    /// Fields are written under the keys that `to` has for the same meaning, and placeholders in the body in the form that
    /// `to` replaces. What has no place there is kept where it does no harm, and is listed in [`Conversion::lost`]; what is
    /// too long or has a wrong form is cut or changed, and listed too. Fields that neither of the two dialects knows are kept.
    /// A skill that is converted for its own system stays as it is.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
    /// use skilltree::author::Conversion;
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\ndescription: Makes tea.\nsven:\n  always: true\n---\nBoil water.\n");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let catalog = discover(&world, &dialect("sven").unwrap());
    /// let converted = Conversion::of(&world, &catalog, catalog.find_any("tea")?, &dialect("agent-base").unwrap())?;
    /// assert_eq!(converted.name, "tea");
    /// assert!(converted.manifest.starts_with("---\nname: tea\ndescription: Makes tea.\n"));
    /// assert_eq!(converted.lost[0].field, "sven.always");
    /// # Ok::<(), skilltree::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::SkillGone`] if the file is no longer a skill, [`Error::ReadDenied`] if the host refuses it,
    /// [`Error::TooMuch`] if its folder contains too much to be copied, [`Error::Fs`] for what cannot be read.
    pub fn of(world: &World<'_>, catalog: &Catalog, skill: &Skill, to: &Dialect) -> Result<Conversion, Error> {
        if !world.host.may_read(&skill.path) {
            return Err(Error::ReadDenied { path: skill.path.clone() });
        }
        let files = skill.source.files(world.fs);
        let reader = World { fs: &files, ..*world };
        let read = |from: &Dialect| read_whole(&reader, from, &skill.path, ReadMode::Load);
        // What its author meant is converted, where that can be told.
        let own: &Dialect = catalog.dialect();
        let meant = own.with_reading(Reading::Repaired);
        // The client may use another one of two values than a reader expects.
        let takes_last = own.reading == Reading::Faithful && own.header.duplicate_keys == DuplicateKeys::Last;
        let has = |manifest: &Manifest, code| manifest.findings.iter().any(|finding| finding.code == code);
        let (from, document) = match read(&meant) {
            document if document.manifest.rejected.is_some() => (own, read(own)),
            document if takes_last && has(&document.manifest, Code::DuplicateKey) => match read(own) {
                // It takes neither value, as it reads no field.
                other if has(&other.manifest, Code::Yaml) => (&meant, document),
                other => (own, other),
            },
            document => (&meant, document),
        };
        check_is_skill(&document.manifest, skill, &skill.path)?;
        let Manifest { frontmatter: read, other_reading, .. } = document.manifest;
        // What restricts in the other way of reading holds for the new file, too (rule 9.13).
        let own = other_reading.and_then(|other| restricted(from, &read, &other)).unwrap_or_else(|| Arc::clone(&read));
        let mut frontmatter = Arc::clone(&own);
        if let Some(rule) = &from.sidecar {
            // A file that cannot be read adds nothing, as it did in discovery.
            let _ = read_sidecar(&files, rule, &skill.path, &mut frontmatter);
        }
        let written = utf8(&document.bytes, false).unwrap_or_default();
        let raw = with_lf(written);
        let source = Source::new(&raw);
        let mut sink = DiagnosticSink::new(&skill.path, &source);
        let (map, body) = match front(world.extras, from, &mut sink, false) {
            Some(Front { outcome: FrontmatterOutcome::Map(mut map), body }) => {
                if from.reading == Reading::Faithful {
                    // Discovery has taken the skill, so nothing is rejected.
                    let _ = fit(from, &mut map, &mut sink);
                }
                (Some(map), body)
            }
            Some(Front { outcome: FrontmatterOutcome::Missing(_) | FrontmatterOutcome::Lost(_), body }) => (None, body),
            None => (None, 0..source.text().len()),
        };
        // Lines that the client itself reads in its own way may mean something else to others. Findings about comments, and about
        // characters that are removed, change nothing.
        let is_plain = from.reading == Reading::Repaired
            && sink.findings.iter().all(|found| matches!(found.code, Code::YamlComment | Code::ControlCharacter));
        let original = Original {
            from,
            to,
            skill,
            frontmatter,
            own,
            read,
            text: source.text(),
            map,
            body: source.text().get(body.clone()).unwrap_or_default(),
            body_start: body.start,
            is_plain,
        };
        // How files are read is no difference between two systems.
        let is_same_system = *from == to.with_reading(from.reading);
        let mut lost = Vec::new();
        let copied = copied_files(world, skill, is_same_system, &mut lost)?;
        let mut listed = Vec::new();
        if !is_same_system && sink.findings.iter().any(|finding| finding.code == Code::Yaml) {
            listed.push(Loss::new(
                "frontmatter",
                format!("it is not valid YAML, so `{}` reads no field of it", from.name),
            ));
        }
        let names = choose_names(&original, is_same_system, &mut listed);
        let (manifest, sidecar) = match is_same_system {
            true => (written.to_owned(), None),
            false => rewrite(&original, &names, &copied, &mut listed),
        };
        listed.append(&mut lost);
        let location = skill.location();
        let converted = Conversion { name: names.folder, manifest, sidecar, files: copied, lost: listed, location };
        Ok(if is_same_system { converted } else { checked(to, converted) })
    }
}

fn rewrite(
    original: &Original<'_>,
    names: &Names,
    copied: &[CopyFile],
    lost: &mut Vec<Loss>,
) -> (String, Option<(String, String)>) {
    let mut lost_in_body = Vec::new();
    let body = body::translate(original, &mut lost_in_body);
    let (mut entries, sidecar) = fields::translate(original, names, copied, &body, lost);
    let ends_at_any_dashes = !original.to.header.closing.is_usual();
    if let Some(old) = old_lines(original).filter(|_| ends_at_any_dashes) {
        let text = |lines: &Lines| original.text.get(lines.own.clone()).unwrap_or_default();
        let has_dashes = |number: usize| old.entries.get(number).is_some_and(|lines| text(lines).contains(DASHES));
        entries.iter_mut().for_each(|entry| _ = entry.same_as.take_if(|number| has_dashes(*number)));
    }
    lost.append(&mut lost_in_body);
    add_comment_loss(original, &entries, lost);
    let is_needed = match original.to.missing_frontmatter {
        MissingFrontmatter::Skip => true,
        MissingFrontmatter::Load => false,
        MissingFrontmatter::LoadText => body.trim().is_empty(),
    };
    let has_frontmatter = original.map.is_some() || !entries.is_empty() || is_needed;
    let mut manifest = String::with_capacity(original.text.len() + 64);
    if has_frontmatter {
        let mut yaml = String::new();
        write_entries(original, &entries, &mut yaml);
        if ends_at_any_dashes {
            yaml = without_dashes(&yaml);
        }
        manifest.extend(["---\n", &yaml, "---\n"]);
    }
    manifest.push_str(&body);
    (manifest, sidecar)
}

/// The lines of a frontmatter with three dashes written differently, so that no client ends it there: escaped in quotes, without
/// which no such text is written, and as one dash in comments.
fn without_dashes(yaml: &str) -> String {
    let other = |line: &str| if line.trim_start().starts_with('#') { "—" } else { r"-\x2d-" };
    yaml.split_inclusive('\n').map(|line| line.replace(DASHES, other(line))).collect()
}

/// Reads the new SKILL.md in both ways of reading, and lists it as lost if that is no skill there, or its frontmatter if that ends
/// elsewhere.
fn checked(to: &Dialect, mut converted: Conversion) -> Conversion {
    let mut fs = MemFs::new();
    let path = FsPath::root().join(&format!("{}/{SKILL_FILE}", converted.name)).unwrap_or_else(|_| FsPath::root());
    fs.file(path.as_str(), converted.manifest.as_bytes());
    let places = Places::default();
    let world = World::new(&fs, &places, &());
    for dialect in [to, &to.with_reading(to.reading.other())] {
        let manifest = read_whole(&world, dialect, &path, ReadMode::Load).manifest;
        if let Some(code) = manifest.rejected {
            let why = manifest.findings.iter().find(|finding| finding.code == code);
            let reason = why.map_or_else(|| code.to_string(), |finding| finding.message.clone());
            converted.lost.push(Loss::new(SKILL_FILE, format!("it is not a skill in `{}`: {reason}", to.name)));
            break;
        }
        let is_fence = |finding: &&Diagnostic| finding.code == Code::FrontmatterFence;
        converted
            .lost
            .extend(manifest.findings.iter().find(is_fence).map(|found| Loss::new("frontmatter", &*found.message)));
    }
    converted
}

/// The name of a folder if nothing of the name can be used.
const NAMELESS: &str = "skill";

/// How many bytes the name of a folder has at most. Most file systems allow 255.
const MAX_FOLDER_BYTES: usize = 200;

struct Names {
    folder: String,
    /// The name in the frontmatter; `None` if there is none.
    field: Option<String>,
}

/// The names, with losses for what has become of the name and the key.
fn choose_names(original: &Original<'_>, is_same_system: bool, lost: &mut Vec<Loss>) -> Names {
    let Original { from, to, skill, .. } = original;
    let label = original.own.name.as_deref();
    let place = Some(location_name(&skill.path)).filter(|place| !place.is_empty()).unwrap_or(NAMELESS);
    let is_called_by_name = match from.key.of {
        KeyPart::Name => true,
        KeyPart::Folder => skill.source.namespace.is_some(),
        KeyPart::Path => false,
    };
    let called = label.filter(|_| is_called_by_name).unwrap_or(place);
    let shown = |name: &str| visible(name).into_owned();
    let is_by_path = |dialect: &Dialect| dialect.key.of == KeyPart::Path;
    let below = skill.path.relative_to(&skill.source.root).map_or(0, |path| path.matches('/').count());
    let add_key_loss = |now: &str, lost: &mut Vec<Loss>| {
        if is_by_path(from) && 1 < below {
            let why = match is_by_path(to) {
                true => "the new folder is in none of the folders above a skill".to_owned(),
                false => format!("the keys of `{}` do not have the folders above a skill", to.name),
            };
            lost.push(Loss::new("key", format!("{why}, so `{}` is called `{}` now", shown(&skill.key), shown(now))));
        }
    };
    if is_same_system {
        let folder = folder_name(to, called);
        add_key_loss(&folder, lost);
        return Names { folder, field: label.map(str::to_owned) };
    }
    let is_folder = to.has_rule(Code::NameMismatch);
    let is_key = to.key.of == KeyPart::Name || is_folder;
    let wanted = if is_key { called } else { label.unwrap_or(called) };
    let mut value = formed(to, wanted);
    let folder = folder_name(to, if is_key { &value } else { called });
    if is_folder {
        value.clone_from(&folder);
    }
    let is_needed =
        to.fields.iter().any(|field| field.role == FieldRole::Name && field.necessity != Necessity::Optional)
            || (is_key && folder != value);
    match label {
        Some(label) if label != value && label != called && is_key => {
            let reason = format!(
                "`{}` is only a label in `{}`, where the skill is called `{}`; the name, by which `{}` calls it, is \
                 `{}` now",
                shown(label),
                from.name,
                shown(called),
                to.name,
                shown(&value)
            );
            lost.push(Loss::new("name", reason));
        }
        _ if wanted != value => {
            let reason =
                format!("`{}` is not a valid name in `{}`; it is `{}` now", shown(wanted), to.name, shown(&value));
            lost.push(Loss::new("name", reason));
        }
        _ => {}
    }
    if !is_key && folder != called {
        let (called, folder) = (shown(called), shown(&folder));
        let reason = format!("`{called}` is not a folder name that `{}` can use; it is `{folder}` now", to.name);
        lost.push(Loss::new("key", reason));
    }
    add_key_loss(if is_key { &value } else { &folder }, lost);
    Names { field: (label.is_some() || is_needed).then_some(value), folder }
}

/// The name in the form of a dialect, within its limit. A valid name stays as it is.
fn formed(to: &Dialect, name: &str) -> String {
    let mut formed: String = name.chars().map(|c| if to.name_dashes.contains(c) { '-' } else { c }).collect();
    if let Some(form) = to.name_form.filter(|_| form_fault(to, &formed, ReadMode::Check).is_some()) {
        let cased =
            if matches!(form, NameForm::AsciiHyphen | NameForm::AsciiDotted | NameForm::Dotted | NameForm::NoSlash) {
                formed
            } else {
                lower(&formed)
            };
        formed = String::with_capacity(cased.len());
        for c in cased.chars() {
            let is_allowed = match form {
                NameForm::NoSlash => c != '/',
                NameForm::AsciiDotted => c.is_ascii_alphanumeric() || !formed.is_empty() && "_.:".contains(c),
                NameForm::Dotted => (c.is_alphanumeric() && !hides(c)) || "_.:".contains(c),
                NameForm::LowerHyphen if !c.is_ascii() => c.is_alphanumeric() && small(c).eq([c]) && !hides(c),
                NameForm::LowerHyphen
                | NameForm::AsciiHyphen
                | NameForm::LowerAsciiHyphen
                | NameForm::LowerAsciiWords => c.is_ascii_alphanumeric(),
            };
            if is_allowed {
                formed.push(c);
            } else if !formed.is_empty() && !formed.ends_with('-') {
                formed.push('-');
            }
        }
        formed.truncate(formed.trim_end_matches('-').len());
        if formed.is_empty() {
            formed.push_str(NAMELESS);
        }
    }
    for limit in to.limits.iter().filter(|limit| limit.role == FieldRole::Name) {
        if let Some((end, _)) = formed.char_indices().nth(limit.max_chars) {
            formed.truncate(end);
            formed.truncate(formed.trim_end_matches(['-', ' ']).len());
        }
    }
    formed
}

/// The name as that of a folder which the dialect enters, on every system.
fn folder_name(to: &Dialect, name: &str) -> String {
    let is_odd = |c: char| c.is_control() || hides(c) || r#"/\:*?"<>|"#.contains(c);
    let plain: String = name.chars().map(|c| if is_odd(c) { '-' } else { c }).collect();
    let plain = to.scan.skipped_parts.iter().fold(plain, |name, part| name.replace(&**part, "-"));
    let plain = plain.trim_start_matches(['.', ' ']);
    let end = plain.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= MAX_FOLDER_BYTES).last();
    let plain = plain.get(..end.unwrap_or(0)).unwrap_or_default().trim_end_matches(['.', ' ']);
    let plain = if plain.is_empty() { NAMELESS } else { plain };
    let is_never_entered = |name: &str| {
        to.scan.reserved.iter().chain(to.scan.skipped.iter()).any(|reserved| reserved.eq_ignore_ascii_case(name))
    };
    if is_never_entered(plain) { format!("{NAMELESS}-{plain}") } else { plain.to_owned() }
}

/// The files of the skill besides its own, in byte order of their names. A nested skill needs no conversion if the skill
/// is converted for its own system.
fn copied_files(
    world: &World<'_>,
    skill: &Skill,
    is_same_system: bool,
    lost: &mut Vec<Loss>,
) -> Result<Vec<CopyFile>, Error> {
    let package = Package::open(world, skill, Purpose::Copy)?;
    for other in &package.others {
        let reason = match other.kind {
            OtherKind::Folder | OtherKind::Excluded | OtherKind::NestedSkill => continue,
            OtherKind::LinkOutside => "the symlink leads out of the skill's folder, so it is not copied",
            OtherKind::LinkToFolder | OtherKind::LinkCycle => "symlinks to folders are not copied",
            OtherKind::LinkToNothing => "the symlink leads nowhere, so it is not copied",
            OtherKind::Special => "it is neither a file nor a folder, so it is not copied",
            OtherKind::NotUtf8 => "its name is not UTF-8, so it is not copied",
            OtherKind::Unreadable => "it cannot be read, so it is not copied",
        };
        lost.push(Loss::new(other.name.as_str(), reason));
    }
    let max_bytes = Purpose::Copy.rules().max_bytes;
    let mut left = max_bytes;
    let mut files = Vec::with_capacity(package.files.len());
    for file in package.files.iter().filter(|file| file.name != skill.path.name()) {
        let from = package.folder.shown_path(&file.name);
        if !world.host.may_read(&from) {
            return Err(Error::ReadDenied { path: from });
        }
        let len = match world.fs.metadata(&from)? {
            Some(metadata) if metadata.kind == FileKind::File => metadata.len,
            Some(_) | None => return Err(FsError::NotFound(from).into()),
        };
        let too_much = || Error::TooMuch { path: skill.dir(), limit: max_bytes, what: "bytes" };
        left = left.checked_sub(len).ok_or_else(too_much)?;
        let name = file.name.rsplit_once('/').map_or(file.name.as_str(), |(_, name)| name);
        if is_skill_file(name) && !is_same_system {
            lost.push(Loss::new(file.name.as_str(), "the nested skill is copied as it is; convert it separately"));
        }
        files.push(CopyFile { from, to: file.name.clone(), len, stamp: None });
    }
    Ok(files)
}

/// The lines of an entry of the old frontmatter, as bytes of the text.
struct Lines {
    own: Range<usize>,
    /// The comments and blank lines after it.
    after: Range<usize>,
}

struct OldLines {
    /// The comments and blank lines before the first entry.
    before: Range<usize>,
    entries: Vec<Lines>,
}

/// The lines of each entry, if the entries can be told apart by lines.
fn old_lines(original: &Original<'_>) -> Option<OldLines> {
    let text = original.text;
    let Split::Found(parts) = split(text) else { return None };
    let is_usual = original.is_plain && parts.loose_close.is_none() && parts.body.start == original.body_start;
    // An alias is copied only together with its anchor, which may be in an entry that goes or is written anew.
    let has_alias = |node: &Node| any_node(node, &|node| node.is_alias(text));
    let has_aliases = |map: &[(Node, Node)]| map.iter().any(|(key, value)| has_alias(key) || has_alias(value));
    let map = original.map.as_ref().filter(|map| is_usual && !has_aliases(map))?;
    let mut entries: Vec<Lines> = Vec::with_capacity(map.len());
    let is_blank = |range: &Range<usize>| {
        let mut lines = text.get(range.clone()).unwrap_or_default().lines();
        lines.all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
    };
    let starts: Vec<usize> = map.iter().map(|(key, _)| key.span.start).chain([parts.yaml.end]).collect();
    let first = *starts.first()?;
    let before = parts.yaml.start..first;
    for ((key, value), next) in map.iter().zip(starts.iter().skip(1)) {
        let start = key.span.start;
        let is_at_line_start = text.get(..start)?.ends_with('\n');
        let end = match &value.value {
            Value::Text(text) if text.is_empty() && value.style == Style::Plain => key.span.end,
            _ => value.span.end.max(key.span.end),
        };
        let end = line_end(text, end.checked_sub(1)?.max(start)).min(*next);
        let lines = Lines { own: start..end, after: end..*next };
        if !is_at_line_start || next < &start || !is_blank(&lines.after) {
            return None;
        }
        entries.push(lines);
    }
    is_blank(&before).then_some(OldLines { before, entries })
}

/// Where the line with this byte ends, its LF included.
fn line_end(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |found| at + found + 1)
}

/// Lists comments that the new frontmatter does not have.
fn add_comment_loss(original: &Original<'_>, entries: &[Entry], lost: &mut Vec<Loss>) {
    let Some(map) = &original.map else { return };
    let mut values = Vec::new();
    for (key, value) in map {
        values.push(key.span);
        add_scalars(value, &mut values);
    }
    let is_lost = match old_lines(original) {
        Some(old) => old.entries.iter().enumerate().any(|(number, lines)| {
            let is_copied = entries.iter().any(|entry| entry.same_as == Some(number));
            !is_copied && has_comment(original.text, &lines.own, &values)
        }),
        None => {
            let start = map.first().map_or(original.body_start, |(key, _)| key.span.start);
            let above = original.text.get(..start).unwrap_or_default();
            above.contains("<!--") || has_comment(original.text, &(0..original.body_start), &values)
        }
    };
    if is_lost {
        lost.push(Loss::new("comments", "comments beside what was changed in the frontmatter are not kept"));
    }
}

/// Adds the places of all scalars in a value. The depth is bounded by `yaml::MAX_DEPTH`.
fn add_scalars(node: &Node, places: &mut Vec<Span>) {
    match &node.value {
        Value::Text(_) | Value::Absent => places.push(node.span),
        Value::List(items) => items.iter().for_each(|item| add_scalars(item, places)),
        Value::Map(pairs) => pairs.iter().for_each(|(key, value)| {
            places.push(key.span);
            add_scalars(value, places);
        }),
    }
}

/// Whether a part of the text has a comment. `values` are the places of all scalars, in the order of the text.
fn has_comment(text: &str, part: &Range<usize>, values: &[Span]) -> bool {
    let marks = text.get(part.clone()).unwrap_or_default().match_indices('#').map(|(at, _)| part.start + at);
    marks.into_iter().any(|at| {
        let starts_word =
            text.get(..at).is_none_or(|before| before.is_empty() || before.ends_with(char::is_whitespace));
        let after = values.partition_point(|value| value.start <= at);
        let is_inside = after.checked_sub(1).and_then(|at| values.get(at)).is_some_and(|value| at < value.end);
        starts_word && !is_inside
    })
}

fn write_entries(original: &Original<'_>, entries: &[Entry], out: &mut String) {
    let old = old_lines(original);
    let part = |range: &Range<usize>| original.text.get(range.clone()).unwrap_or_default();
    if let Some(old) = &old {
        out.push_str(part(&old.before));
    }
    // The comments after an entry stay where they are, also if the entry goes.
    let mut next_after = 0;
    for entry in entries {
        let lines = entry.same_as.and_then(|number| Some((number, old.as_ref()?.entries.get(number)?)));
        if let Some((number, lines)) = lines {
            let skipped = old.as_ref().and_then(|old| old.entries.get(next_after..number)).unwrap_or_default();
            skipped.iter().for_each(|lines| out.push_str(part(&lines.after)));
            out.push_str(part(&lines.own));
            end_line(out);
            out.push_str(part(&lines.after));
            next_after = number + 1;
        } else {
            pair(&entry.key, &entry.value, 0, out);
        }
        end_line(out);
    }
    let rest = old.as_ref().and_then(|old| old.entries.get(next_after..)).unwrap_or_default();
    rest.iter().for_each(|lines| out.push_str(part(&lines.after)));
    end_line(out);
}

fn end_line(out: &mut String) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}

/// Writes a pair of a block map. The depth is bounded by `yaml::MAX_DEPTH`.
fn pair(key: &str, value: &Node, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    out.push_str(&indent);
    out.push_str(&scalar(key, Style::Plain));
    out.push(':');
    match &value.value {
        Value::Map(pairs) if !pairs.is_empty() => {
            out.push('\n');
            for (key, value) in pairs {
                pair(&key_text(key), value, depth + 1, out);
            }
        }
        Value::List(items) if value.style == Style::Block && !items.is_empty() => {
            out.push('\n');
            for item in items {
                out.push_str(&indent);
                out.push_str("  - ");
                flow(item, out);
                out.push('\n');
            }
        }
        Value::Text(text) if text.is_empty() && value.style == Style::Plain => out.push('\n'),
        _ => {
            out.push(' ');
            flow(value, out);
            out.push('\n');
        }
    }
}

/// Writes a value on one line. The depth is bounded by `yaml::MAX_DEPTH`.
fn flow(value: &Node, out: &mut String) {
    match &value.value {
        Value::Text(text) if text.is_empty() && value.style == Style::Plain => out.push_str("null"),
        Value::Text(text) => out.push_str(&scalar(text, value.style)),
        Value::Absent => out.push_str("null"),
        Value::List(items) => {
            out.push('[');
            for (number, item) in items.iter().enumerate() {
                out.push_str(if number == 0 { "" } else { ", " });
                flow(item, out);
            }
            out.push(']');
        }
        Value::Map(pairs) => {
            out.push('{');
            for (number, (key, value)) in pairs.iter().enumerate() {
                out.push_str(if number == 0 { "" } else { ", " });
                out.push_str(&scalar(&key_text(key), Style::Plain));
                out.push_str(": ");
                flow(value, out);
            }
            out.push('}');
        }
    }
}

/// The text of a key. One that is not a text is read as its JSON.
fn key_text(key: &Node) -> Cow<'_, str> {
    match &key.value {
        Value::Text(text) => Cow::Borrowed(text),
        Value::List(_) | Value::Map(_) | Value::Absent => Cow::Owned(key.to_json().to_string()),
    }
}

/// A scalar, without quotes only if it was written without them and cannot be misread.
fn scalar(text: &str, style: Style) -> String {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || "_-./()+ ".contains(c);
    let is_first = |c: char| c.is_ascii_alphanumeric() || "_/~".contains(c);
    let is_null = text == "~";
    let is_plain = is_null
        || (text.starts_with(is_first)
            && !text.starts_with('~')
            && text.chars().all(is_inside)
            && !text.contains(DASHES)
            && !text.ends_with(' '));
    if style == Style::Plain && is_plain { text.to_owned() } else { quote_yaml(text) }
}
