//! The skills of a catalog as the Skills extension of the Model Context Protocol hands them to a client: addresses,
//! frontmatters as JSON, entries with every file's digest, files and folders by address. What the model may see is served,
//! also where another skill of the same key beats it: here a key is a label. A skill that a client could not verify, or
//! would refuse, is not served, and a finding says why. A file is read as it was when it was listed, or refused.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::discovery::catalog::Catalog;
use crate::discovery::manifest::{DiagnosticSink, FrontmatterOutcome, SKILL_FILE, front, name_fault, utf8};
use crate::discovery::world::World;
use crate::fs::FsError;
use crate::model::error::Error;
use crate::model::skill::{Caller, Location, Skill, State};
use crate::package::contents::contents_of;
use crate::package::files::{Folder, Hidden, OtherKind, Purpose, nearest};
use crate::path::FsPath;
use crate::text::digest::Digest;
use crate::text::escape::{unhidden, visible};
use crate::text::json::Json;
use crate::text::lines::Source;
use crate::text::percent::{decoded, encoded, encoded_path};
use crate::text::words::excerpt;
use crate::text::yaml::{Value, typed, typed_key};
use std::collections::{BTreeMap, BTreeSet};

/// The skills that are served, as they were when they were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Served {
    /// One for each skill, by address.
    pub skills: Vec<ServedSkill>,
    /// What is not served, and why.
    pub findings: Vec<Diagnostic>,
    /// Places in `skills`, by address without the file.
    by_address: BTreeMap<String, usize>,
}

/// A skill that is served.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServedSkill {
    /// Its key in the catalog. Two skills of which one shadows the other have the same key.
    pub key: String,
    /// The address of its SKILL.md: `skill://project-agents/pdf/SKILL.md`.
    pub uri: String,
    /// The frontmatter's name: the last part of the address but one.
    pub name: String,
    /// The frontmatter's description, without hidden characters.
    pub description: String,
    /// The frontmatter, field by field as YAML has it, types by the core schema of YAML 1.2.
    pub frontmatter: Json,
    /// The SHA-256 of the SKILL.md that the frontmatter was read from.
    pub digest: Digest,
    /// How many bytes that has.
    pub size: u64,
    /// Its file as found.
    pub path: FsPath,
    at: Location,
    /// What of its folder belongs to skills that the model may not see.
    hidden: Vec<String>,
}

/// Findings about a frontmatter that say that a client would read another one, or none.
const UNLIKE: &[Code] = &[
    Code::ControlCharacter,
    Code::FrontmatterFence,
    Code::FrontmatterNotFirst,
    Code::YamlRepaired,
    Code::YamlAlias,
    Code::YamlTooDeep,
    Code::DuplicateKey,
];

impl Served {
    /// Reads each skill that the model may see, and gives it an address.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
    /// use skilltree::package::Served;
    /// let mut fs = MemFs::new();
    /// fs.file("/s/hot/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\ncups: 2\n---\nBoil water.\n");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let served = Served::of(&world, &discover(&world, &dialect("agentskills").unwrap()));
    /// let tea = &served.skills[0];
    /// assert_eq!(tea.uri, "skill://root/hot/tea/SKILL.md");
    /// assert_eq!(tea.frontmatter.to_string(), r#"{"name":"tea","description":"Makes tea.","cups":2}"#);
    /// assert_eq!(served.read(&world, &tea.uri, Some(tea.digest))?.mime, "text/markdown");
    /// # Ok::<(), skilltree::Error>(())
    /// ```
    pub fn of(world: &World<'_>, catalog: &Catalog) -> Served {
        Served::default().again(world, catalog, &|_| false)
    }

    /// Like [`Served::of`], at less cost: a SKILL.md for which `is_same` says, going by its stamp, that it has not changed
    /// since it was served is not read again, nor are the files beside it counted.
    pub fn again(&self, world: &World<'_>, catalog: &Catalog, is_same: &dyn Fn(&FsPath) -> bool) -> Served {
        let mut served = Served::default();
        let mut read = Vec::new();
        self.each(world, catalog, is_same, &mut served.findings, &mut |skill, one| read.push((skill, one)));
        for (uri, (_, one)) in addresses(&read).into_iter().map(|address| format!("{address}/{SKILL_FILE}")).zip(read) {
            served.skills.push(ServedSkill { uri, ..one });
        }
        served.skills.sort_by(|a, b| a.uri.cmp(&b.uri));
        let addresses = served.skills.iter().enumerate().map(|(at, skill)| (skill.address().to_owned(), at));
        served.by_address = addresses.collect();
        served
    }

    /// What is not served, and why, as `of` finds it: without all that is served in memory.
    pub fn left_out(world: &World<'_>, catalog: &Catalog) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        Served::default().each(world, catalog, &|_| false, &mut findings, &mut |_, _| {});
        findings
    }

    /// Hands out each skill that is served, without its address.
    fn each<'c>(
        &self,
        world: &World<'_>,
        catalog: &'c Catalog,
        is_same: &dyn Fn(&FsPath) -> bool,
        findings: &mut Vec<Diagnostic>,
        take: &mut dyn FnMut(&'c Skill, ServedSkill),
    ) {
        let before = self.by_path();
        let hidden = Hidden::of(catalog, Caller::Model);
        let beaten = catalog.shadowed().iter().map(|shadowed| &shadowed.skill);
        for skill in catalog.skills().iter().chain(beaten) {
            if !skill.is_for(Caller::Model) || skill.state == State::Disabled {
                continue;
            }
            let at = skill.location();
            let hidden = hidden.within(&at);
            let known = before.get(&skill.path).filter(|known| known.at == at && known.hidden == hidden);
            if let Some(known) = known.filter(|_| may_read(world, &at) && is_same(&skill.path)) {
                take(skill, ServedSkill { key: skill.key.clone(), ..(*known).clone() });
                continue;
            }
            let opened =
                Folder::open(world.fs, &at, Purpose::Serve).map_err(|error| unread(&at.path, error.to_string()));
            let read = opened.map(|folder| folder.without(&hidden)).and_then(|folder| {
                let said = read(world, catalog.dialect(), skill, &at, &folder)?;
                fits(&at, folder, findings).map(|()| said)
            });
            match read {
                Ok(said) => take(skill, ServedSkill { hidden, ..said }),
                Err(finding) => findings.push(*finding),
            }
        }
    }

    /// The skills of which all was served, by path. Of one with a finding in its folder something was left out.
    fn by_path(&self) -> BTreeMap<&FsPath, &ServedSkill> {
        let mut faulty = BTreeSet::new();
        for finding in &self.findings {
            let mut above = finding.path.parent();
            while let Some(dir) = above.take().filter(|dir| !faulty.contains(dir)) {
                above = dir.parent();
                faulty.insert(dir);
            }
        }
        let whole = self.skills.iter().filter(|skill| !faulty.contains(&skill.at.dir));
        whole.map(|skill| (&skill.path, skill)).collect()
    }

    /// The skill whose SKILL.md has this address.
    pub fn get(&self, uri: &str) -> Option<&ServedSkill> {
        let address = uri.strip_suffix(SKILL_FILE)?.strip_suffix('/')?;
        self.skills.get(*self.by_address.get(address)?)
    }
}

impl ServedSkill {
    fn address(&self) -> &str {
        self.uri.rsplit_once('/').map_or("", |(address, _)| address)
    }
}

/// The finding about a skill of which nothing is served.
fn plain(path: &FsPath, message: String, help: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(Severity::Warning, Code::NotServed, path.clone(), message).help(help))
}

fn unread(path: &FsPath, reason: String) -> Box<Diagnostic> {
    plain(path, format!("the skill is not served: {reason}"), "check that the file can be read")
}

fn may_read(world: &World<'_>, at: &Location) -> bool {
    world.host.may_read(&at.path) && world.host.may_read(&at.file)
}

/// Reads a SKILL.md again, or says why a client could not use it.
fn read(
    world: &World<'_>,
    dialect: &Dialect,
    skill: &Skill,
    at: &Location,
    folder: &Folder<'_>,
) -> Result<ServedSkill, Box<Diagnostic>> {
    let path = &at.path;
    let plain = |message: String, help: &str| plain(path, message, help);
    let unread = |reason: String| unread(path, reason);
    if !may_read(world, at) {
        return Err(unread("it may not be read".to_owned()));
    }
    let most = dialect.max_skill_bytes();
    let head = folder.read_own(most + 1).map_err(|error: FsError| unread(error.to_string()))?;
    if most < head.len || head.bytes.len() as u64 != head.len {
        return Err(unread(format!("it has {} bytes, expected at most {most}", head.len)));
    }
    let text = utf8(&head.bytes, false).map_err(|_| unread("it is not UTF-8".to_owned()))?;
    if !text.starts_with("---") {
        let help = "start the file with `---`, without a blank line, comment or byte order mark before it";
        return Err(plain("the skill is not served: its first line is not `---`".to_owned(), help));
    }
    let source = Source::new(text);
    let mut notes = DiagnosticSink::new(path, &source);
    let Some(front) = front(world.extras, dialect, &mut notes, false) else {
        return Err(unread("its frontmatter is incomplete".to_owned()));
    };
    // A control character in the body changes nothing above it.
    let body_line = source.position(front.body.start).line;
    let is_above = |found: &Diagnostic| found.at.is_none_or(|at| at.line < body_line);
    let is_unlike =
        |found: &&Diagnostic| UNLIKE.contains(&found.code) && (found.code != Code::ControlCharacter || is_above(found));
    if let Some(found) = notes.findings.iter().find(is_unlike) {
        let mut finding = found.clone();
        finding.severity = Severity::Warning;
        finding.code = Code::NotServed;
        finding.message = format!("the skill is not served, as its frontmatter cannot be compared: {}", found.message);
        finding.help.get_or_insert_with(|| "write the frontmatter as plain YAML, every value in full".to_owned());
        return Err(Box::new(finding));
    }
    let map = match front.outcome {
        FrontmatterOutcome::Map(map) => map,
        FrontmatterOutcome::Missing(code) | FrontmatterOutcome::Lost(code) => {
            let reason = notes.findings.iter().find(|found| found.code == code).map(|found| found.message.clone());
            let reason = reason.unwrap_or_else(|| code.to_string());
            return Err(plain(format!("the skill is not served: {reason}"), "write the frontmatter as valid YAML"));
        }
    };
    let mut no = |at: usize, message: String, help: &str| {
        let finding =
            notes.at_byte(at, Severity::Warning, Code::NotServed, format!("the skill is not served: {message}"));
        finding.advise(help);
        Box::new(finding.clone())
    };
    let untyped = "write it as text, in double quotes";
    let mut fields = Vec::with_capacity(map.len());
    for pair in &map {
        let name = typed_key(&pair.0).map_err(|no_json| no(no_json.at, no_json.why.to_owned(), untyped))?;
        let value = typed(&pair.1).map_err(|no_json| no(no_json.at, no_json.why.to_owned(), untyped))?;
        if matches!(name.as_str(), "name" | "description") && !matches!(value, Json::Text(_) | Json::Null) {
            return Err(no(pair.1.span.start, format!("its `{name}` is not text"), "put it in double quotes"));
        }
        fields.push((name, value));
    }
    let json = Json::map(fields);
    let field = |wanted: &str| json.get(wanted).and_then(Json::as_text);
    let offset = |wanted: &str| {
        let own = map.iter().find(|(key, _)| matches!(&key.value, Value::Text(name) if name == wanted));
        own.or(map.first()).map_or(0, |(key, _)| key.span.start)
    };
    let Some(name) = field("name") else {
        return Err(no(offset("name"), "it has no `name`".to_owned(), "add a line `name: …` with the folder name"));
    };
    if let Some(fault) = name_fault(name) {
        let message = format!("the name `{}` {fault}", excerpt(name, 80));
        return Err(no(offset("name"), message, "write the name with lower-case letters, digits and single hyphens"));
    }
    let Some(description) = field("description").filter(|text| !text.trim().is_empty()) else {
        let message = "it has no `description`".to_owned();
        return Err(no(offset("description"), message, "add a line `description: …` that says what it does"));
    };
    if let Some((field, reason, help)) = broken_rule(name, &json) {
        return Err(no(offset(field), reason, help));
    }
    Ok(ServedSkill {
        key: skill.key.clone(),
        uri: String::new(),
        name: name.to_owned(),
        description: unhidden(description).0.into_owned(),
        digest: Digest::of(&head.bytes),
        size: head.len,
        path: skill.path.clone(),
        at: at.clone(),
        hidden: Vec::new(),
        frontmatter: json,
    })
}

/// Says what of a skill has no address, or why all of it is more than a client takes.
fn fits(at: &Location, folder: Folder<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), Box<Diagnostic>> {
    // What cannot be listed is an error where the skill's files are asked for.
    let package = folder.list();
    let (folder, files) = (&package.folder, package.files.len());
    let (max_files, max_bytes) = (folder.filter.rules.max_files, folder.filter.rules.max_bytes);
    let too_much = |what: String| {
        plain(&at.path, format!("the skill is not served: it has {what}"), "remove what the skill does not need")
    };
    if max_files < files {
        return Err(too_much(format!("{files} files, expected at most {max_files}")));
    }
    let sizes = package.files.iter().filter_map(|file| folder.metadata(file).ok().flatten());
    let bytes = sizes.map(|metadata| metadata.len).fold(0, u64::saturating_add);
    if max_bytes < bytes {
        return Err(too_much(format!("{bytes} bytes, expected at most {max_bytes}")));
    }
    for other in package.others.iter().filter(|other| other.kind == OtherKind::NotUtf8) {
        let message = "the file is left out of the skill that is served: its name is not UTF-8".to_owned();
        findings.push(*plain(&nearest(&at.dir, &other.name), message, "rename it"));
    }
    Ok(())
}

/// How many characters a description has at most (rule 6.13).
const MAX_DESCRIPTION_CHARS: usize = 1_024;

/// How many characters `compatibility` has at most (rule 6.13).
const MAX_COMPATIBILITY_CHARS: usize = 500;

/// The rule of the Agent Skills specification that a frontmatter of this name breaks, if any: the field, how, and what to do.
/// A strict client refuses a whole list for one entry that breaks one.
fn broken_rule(name: &str, frontmatter: &Json) -> Option<(&'static str, String, &'static str)> {
    if !name.is_ascii() {
        let help = "write the name with the letters a to z, digits and single hyphens";
        return Some(("name", format!("the name `{name}` is not ASCII"), help));
    }
    let description = frontmatter.get("description").and_then(Json::as_text).unwrap_or_default();
    let chars = description.chars().count();
    if MAX_DESCRIPTION_CHARS < chars {
        let reason = format!("the description has {chars} characters, expected at most {MAX_DESCRIPTION_CHARS}");
        return Some(("description", reason, "shorten the description, and put the rest in the body"));
    }
    match frontmatter.get("compatibility") {
        None => {}
        Some(Json::Text(text)) if (1..=MAX_COMPATIBILITY_CHARS).contains(&text.chars().count()) => {}
        Some(_) => {
            let reason = format!("its `compatibility` is not a text of 1 to {MAX_COMPATIBILITY_CHARS} characters");
            return Some(("compatibility", reason, "write it as one short text, or leave it out"));
        }
    }
    match frontmatter.get("metadata") {
        None => None,
        Some(Json::Map(fields)) => {
            let (name, _) = fields.iter().find(|(_, value)| value.as_text().is_none())?;
            Some(("metadata", format!("`{name}` in its `metadata` is not text"), "write its value in double quotes"))
        }
        Some(_) => {
            let help = "write it as lines of the form `name: \"text\"`";
            Some(("metadata", "its `metadata` is not a mapping".to_owned(), help))
        }
    }
}

/// How many bytes a file has at most: as many as the Skills extension gives a whole skill.
const MAX_BYTES: u64 = 16_777_216;

/// A skill as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServedEntry {
    /// The address of its SKILL.md.
    pub uri: String,
    /// Its frontmatter.
    pub frontmatter: Json,
    /// Every file in byte order of their names; those of skills nested in it too, where the model may see these.
    pub resources: Vec<ServedResource>,
}

/// A file as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServedResource {
    /// Its address.
    pub uri: String,
    /// The SHA-256 of its bytes.
    pub digest: Digest,
    /// How many bytes it has.
    pub size: u64,
}

/// A file as it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServedFile {
    /// Its address.
    pub uri: String,
    /// Its bytes, as they are on the disk.
    pub bytes: Vec<u8>,
    /// Their SHA-256.
    pub digest: Digest,
    /// The kind of content, by the ending of its name.
    pub mime: &'static str,
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServedChild {
    /// Its address; without a slash at its end for a folder too.
    pub uri: String,
    /// Its name; for a SKILL.md that of the skill.
    pub name: String,
    /// The description of the skill, for its SKILL.md.
    pub description: Option<String>,
    /// The kind of content by the ending of its name; `inode/directory` for a folder.
    pub mime: &'static str,
}

impl Served {
    /// Every entry, by address, and a finding for each skill that cannot be listed now.
    pub fn entries(&self, world: &World<'_>) -> (Vec<ServedEntry>, Vec<Diagnostic>) {
        let (mut entries, mut findings) = (Vec::new(), Vec::new());
        for skill in &self.skills {
            match self.entry(world, skill) {
                Ok(entry) => entries.push(entry),
                Err(error) => {
                    let help = "a skill is served completely or not at all: check that all its files can be read, and \
                                that it has few files";
                    findings.push(*plain(&skill.path, format!("the skill is not served: {error}"), help));
                }
            }
        }
        (entries, findings)
    }

    /// A skill's entry, its files as they are now.
    ///
    /// # Errors
    /// [`Error::TooMuch`] over 512 files or 16 777 216 bytes, which is what the Skills extension allows;
    /// [`Error::Changed`] where the SKILL.md is not the one that `frontmatter` was read from; [`Error::Fs`] for what
    /// cannot be read.
    pub fn entry(&self, world: &World<'_>, skill: &ServedSkill) -> Result<ServedEntry, Error> {
        let contents = contents_of(&skill.folder(world)?.list().complete()?, &mut |_, _, _| Ok(()))?;
        let mut resources = Vec::with_capacity(contents.files.len());
        for file in contents.files {
            let is_own = file.name == skill.path.name();
            if is_own && file.digest != skill.digest {
                return Err(Error::Changed { uri: skill.uri.clone() });
            }
            let uri = match is_own {
                true => skill.uri.clone(),
                false => format!("{}/{}", skill.address(), encoded_path(&file.name)),
            };
            resources.push(ServedResource { uri, digest: file.digest, size: file.size });
        }
        Ok(ServedEntry { uri: skill.uri.clone(), frontmatter: skill.frontmatter.clone(), resources })
    }

    /// The file at an address. With the digest that was listed for it, never any other bytes.
    ///
    /// # Errors
    /// [`Error::NotServed`] for an address that is no file's; [`Error::Changed`] where the bytes are not those of
    /// `listed`; [`Error::TooMuch`] over 16 777 216 bytes; [`Error::ReadDenied`] where the host says so;
    /// [`Error::Fs`] for what cannot be read.
    pub fn read(&self, world: &World<'_>, uri: &str, listed: Option<Digest>) -> Result<ServedFile, Error> {
        let (skill, rest) = self.place(uri)?;
        // Its own file is served as SKILL.md.
        let name = if rest == SKILL_FILE { skill.path.name() } else { &rest };
        let no_file = || no_such(uri, "there is no such file in the skill");
        let path = skill.path.parent().and_then(|dir| dir.join(name).ok()).ok_or_else(no_file)?;
        let may_read = |path: &FsPath| match world.host.may_read(path) {
            true => Ok(()),
            false => Err(Error::ReadDenied { path: path.clone() }),
        };
        may_read(&path)?;
        let (real, head) = skill.folder(world)?.read_named(name, MAX_BYTES + 1)?.ok_or_else(no_file)?;
        may_read(&real)?;
        if MAX_BYTES < head.len.max(head.bytes.len() as u64) {
            return Err(Error::TooMuch { path, limit: MAX_BYTES, what: "bytes" });
        }
        let bytes = head.bytes;
        let digest = Digest::of(&bytes);
        if listed.is_some_and(|listed| listed != digest) {
            return Err(Error::Changed { uri: visible(uri).into_owned() });
        }
        Ok(ServedFile { uri: uri.to_owned(), bytes, digest, mime: mime(&rest) })
    }

    /// The entries of the folder at an address, by address.
    ///
    /// # Errors
    /// [`Error::NotServed`] for an address that is no folder's; [`Error::Fs`] for one that cannot be listed.
    pub fn directory(&self, world: &World<'_>, uri: &str) -> Result<Vec<ServedChild>, Error> {
        let (skill, rest) = self.place(uri)?;
        let found = match skill.folder(world)?.children(&rest) {
            // It was one when its parent was looked at.
            Err(Error::Fs(FsError::NotFound(_) | FsError::NotADirectory(_))) => None,
            found => found?,
        };
        let found = found.ok_or_else(|| no_such(uri, "there is no such folder in the skill"))?;
        let child = |(name, is_folder): (String, bool)| match rest.is_empty() && name == skill.path.name() {
            true => ServedChild {
                uri: skill.uri.clone(),
                name: skill.name.clone(),
                description: Some(skill.description.clone()),
                mime: mime(SKILL_FILE),
            },
            false => ServedChild {
                uri: format!("{uri}/{}", encoded(&name)),
                description: None,
                mime: if is_folder { "inode/directory" } else { mime(&name) },
                name,
            },
        };
        let mut children: Vec<ServedChild> = found.into_iter().map(child).collect();
        children.sort_by(|a, b| a.uri.cmp(&b.uri));
        Ok(children)
    }

    /// The innermost skill that an address belongs to, and the path below its folder, empty for that itself.
    fn place(&self, uri: &str) -> Result<(&ServedSkill, String), Error> {
        let ends = uri.match_indices('/').map(|(at, _)| at).chain([uri.len()]);
        let found = ends.filter_map(|end| Some((*self.by_address.get(uri.get(..end)?)?, end))).next_back();
        let (skill, end) = found.and_then(|(at, end)| Some((self.skills.get(at)?, end))).ok_or_else(|| {
            no_such(uri, "it is not in a skill; use a URI as it was listed, without query and fragment")
        })?;
        match uri.get(end..).unwrap_or_default().strip_prefix('/') {
            None => Ok((skill, String::new())),
            Some(rest) => {
                let rest = decoded_path(rest);
                rest.map(|rest| (skill, rest)).ok_or_else(|| no_such(uri, "it is not spelled as URIs are listed"))
            }
        }
    }
}

impl ServedSkill {
    /// Its folder, held open.
    fn folder<'w>(&'w self, world: &World<'w>) -> Result<Folder<'w>, FsError> {
        Ok(Folder::open(world.fs, &self.at, Purpose::Serve)?.without(&self.hidden))
    }
}

fn no_such(uri: &str, reason: &str) -> Error {
    Error::NotServed { uri: visible(uri).into_owned(), reason: reason.to_owned() }
}

const KINDS: &[(&str, &str)] = &[
    ("md", "text/markdown"),
    ("markdown", "text/markdown"),
    ("txt", "text/plain"),
    ("csv", "text/csv"),
    ("html", "text/html"),
    ("css", "text/css"),
    ("js", "text/javascript"),
    ("mjs", "text/javascript"),
    ("ts", "text/x-typescript"),
    ("py", "text/x-python"),
    ("sh", "text/x-shellscript"),
    ("json", "application/json"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("toml", "application/toml"),
    ("xml", "application/xml"),
    ("pdf", "application/pdf"),
    ("zip", "application/zip"),
    ("svg", "image/svg+xml"),
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
];

fn mime(name: &str) -> &'static str {
    let file = name.rsplit('/').next().unwrap_or(name);
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    let known = KINDS.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known));
    known.map_or("application/octet-stream", |(_, kind)| kind)
}

const SCHEME: &str = "skill://";

/// A source, so that no two are one: several may have one label.
type SourceKey<'s> = (usize, &'s str, &'s FsPath);

struct Spot<'s> {
    source: SourceKey<'s>,
    /// The folders below the source's root, the skill's own last; none for one at the root.
    folders: Vec<&'s str>,
    name: &'s str,
}

/// The addresses of skills, without the file, in the order of the skills: `skill://project-agents/tools/pdf`.
///
/// An address is the source, the folders below its root, and the skill's name in place of its folder's. A nested
/// skill has an address below that of the skill around it, so that both give its files the same addresses. A skill whose name is not
/// its folder's and whose address would be another's, or be among another's files, has its folders in one part that
/// no folder is written as: `skill://project-agents/:tools:pdf/fill`.
fn addresses(skills: &[(&Skill, ServedSkill)]) -> Vec<String> {
    let dirs: Vec<FsPath> = skills.iter().map(|(skill, _)| skill.dir()).collect();
    let spots: Vec<Spot<'_>> =
        skills.iter().zip(&dirs).map(|((skill, one), dir)| Spot::new(skill, dir, &one.name)).collect();
    let authorities = authorities(spots.iter().map(|spot| spot.source));
    let by_folders: BTreeMap<(SourceKey<'_>, &[&str]), usize> =
        spots.iter().enumerate().map(|(at, spot)| ((spot.source, spot.folders.as_slice()), at)).collect();
    let outer = |spot: &Spot<'_>| {
        let shorter = (0..spot.folders.len()).rev();
        let found = shorter.map(|len| by_folders.get(&(spot.source, spot.folders.get(..len)?)).map(|at| (*at, len)));
        found.flatten().next()
    };
    // First those whose name is their folder's, as no two of these collide. Then the renamed, then the nested, outermost first.
    let pass = |spot: &Spot<'_>| match outer(spot) {
        Some(_) => 2,
        None if spot.is_named() => 0,
        None => 1,
    };
    let mut order: Vec<_> = spots.iter().enumerate().map(|(at, spot)| (pass(spot), spot, at)).collect();
    order.sort_by_key(|(pass, spot, at)| (*pass, spot.folders.len(), &spot.folders, *at));
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut addresses = vec![String::new(); spots.len()];
    for (_, spot, at) in order {
        let root = authorities.get(&spot.source).map_or("", String::as_str);
        let (base, rest) = match outer(spot).and_then(|(outer, len)| Some((addresses.get(outer)?, len))) {
            Some((base, len)) => (base.clone(), spot.folders.get(len..).unwrap_or_default()),
            None => (format!("{SCHEME}{root}"), spot.folders.as_slice()),
        };
        let plain = below(&base, rest, spot.name);
        // A nested one that is renamed is never free: it would be among the files of the one around it.
        let is_fine = spot.is_named() || is_free(&taken, &plain);
        let address = if is_fine { plain } else { spot.apart(root) };
        taken.insert(address.clone());
        if let Some(own) = addresses.get_mut(at) {
            *own = address;
        }
    }
    addresses
}

impl<'s> Spot<'s> {
    fn new(skill: &'s Skill, dir: &'s FsPath, name: &'s str) -> Spot<'s> {
        let source = &*skill.source;
        let below = dir.relative_to(&source.root).unwrap_or("");
        let folders = below.split('/').filter(|name| !name.is_empty()).collect();
        Spot { source: (source.rank, &source.label, &source.root), folders, name }
    }

    /// Whether its name is its folder's. At a source's root there is no folder to differ from.
    fn is_named(&self) -> bool {
        self.folders.last().is_none_or(|folder| *folder == self.name)
    }

    fn apart(&self, root: &str) -> String {
        let folders: String = self.folders.iter().map(|folder| format!(":{}", encoded(folder))).collect();
        format!("{SCHEME}{root}/{folders}/{}", encoded(self.name))
    }
}

/// The address with these folders below it, the name in place of the last.
fn below(base: &str, folders: &[&str], name: &str) -> String {
    let (_, between) = folders.split_last().unwrap_or((&"", &[]));
    let parts = between.iter().chain([&name]).map(|part| format!("/{}", encoded(part)));
    format!("{base}{}", parts.collect::<String>())
}

/// Whether an address is not taken, is not below a taken one, and has no taken one below it.
fn is_free(taken: &BTreeSet<String>, address: &str) -> bool {
    let above = address.match_indices('/').filter_map(|(at, _)| address.get(..at));
    let first_below = format!("{address}/");
    let is_below = taken.range(first_below.clone()..).next().is_some_and(|next| next.starts_with(&first_below));
    !is_below && !above.chain([address]).any(|address| taken.contains(address))
}

/// The first part of the addresses of each source: its label as an authority, numbered where there are more of it.
fn authorities<'s>(sources: impl Iterator<Item = SourceKey<'s>>) -> BTreeMap<SourceKey<'s>, String> {
    let sources: BTreeSet<SourceKey<'s>> = sources.collect();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut out = BTreeMap::new();
    for source in sources {
        let plain = authority(source.1);
        let numbered = (2..).map(|n: usize| format!("{plain}-{n}"));
        let free = std::iter::once(plain.clone()).chain(numbered).find(|name| !taken.contains(name));
        let name = free.unwrap_or_else(|| plain.clone());
        taken.insert(name.clone());
        out.insert(source, name);
    }
    out
}

/// A label as an authority: lower-case letters, digits, `-` and `.`.
fn authority(label: &str) -> String {
    let is_fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '.';
    let letters = label.chars().map(|c| c.to_ascii_lowercase()).map(|c| if is_fine(c) { c } else { '-' });
    let name = letters.collect::<String>().trim_matches(['-', '.']).to_owned();
    if name.is_empty() { "skills".to_owned() } else { name }
}

/// The relative path that parts of an address spell, in the one spelling that `encoded_path` gives; none for any
/// other, so that no two addresses are one file's.
fn decoded_path(parts: &str) -> Option<String> {
    let names = parts.split('/').map(|part| {
        let name = decoded(part)?;
        let is_name = !matches!(name.as_str(), "" | "." | "..") && !name.contains(['/', '\0']);
        (is_name && encoded(&name) == part).then_some(name)
    });
    Some(names.collect::<Option<Vec<_>>>()?.join("/"))
}
