//! The skills of a catalog as the Skills extension of the Model Context Protocol hands them to a client: addresses,
//! frontmatters as JSON, entries with every file's digest, files and folders by address. What the model may see is served,
//! also where another skill of the same key beats it: here a key is a label. A skill that a client could not verify, or
//! would refuse, is not served, and a finding says why.

mod address;
mod files;
mod strict;

pub use files::{ServedChild, ServedEntry, ServedFile, ServedResource};

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::Dialect;
use crate::discovery::catalog::Catalog;
use crate::discovery::manifest::{DiagnosticSink, FrontmatterOutcome, SKILL_FILE, front, name_fault, utf8};
use crate::discovery::world::World;
use crate::fs::FsError;
use crate::model::skill::{Caller, Location, Skill, State};
use crate::package::files::{Folder, Hidden, OtherKind, Purpose, nearest};
use crate::path::FsPath;
use crate::text::digest::Digest;
use crate::text::escape::unhidden;
use crate::text::json::Json;
use crate::text::lines::Source;
use crate::text::words::excerpt;
use crate::text::yaml::{Value, typed, typed_key};
use std::collections::{BTreeMap, BTreeSet};
use strict::broken;

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
    /// Its key in the catalog; that of another too, where one beats the other there.
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
    /// Where its files are.
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
        let mut fronts = Vec::new();
        self.fronts(world, catalog, is_same, &mut served.findings, &mut |skill, front| fronts.push((skill, front)));
        let named: Vec<(&Skill, &str)> = fronts.iter().map(|(skill, front)| (*skill, front.name.as_str())).collect();
        let addresses = address::addresses(&named);
        for (address, (skill, front)) in addresses.into_iter().zip(fronts) {
            served.skills.push(ServedSkill {
                key: skill.key.clone(),
                uri: format!("{address}/{SKILL_FILE}"),
                name: front.name,
                description: front.description,
                frontmatter: front.json,
                digest: front.digest,
                size: front.size,
                path: skill.path.clone(),
                at: front.at,
                hidden: front.hidden,
            });
        }
        served.skills.sort_by(|a, b| a.uri.cmp(&b.uri));
        let addresses = served.skills.iter().enumerate().map(|(at, skill)| (skill.address().to_owned(), at));
        served.by_address = addresses.collect();
        served
    }

    /// What is not served, and why, as `of` finds it: without all that is served in memory.
    pub fn left_out(world: &World<'_>, catalog: &Catalog) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        Served::default().fronts(world, catalog, &|_| false, &mut findings, &mut |_, _| {});
        findings
    }

    /// Hands out what each skill that is served says of itself.
    fn fronts<'c>(
        &self,
        world: &World<'_>,
        catalog: &'c Catalog,
        is_same: &dyn Fn(&FsPath) -> bool,
        findings: &mut Vec<Diagnostic>,
        take: &mut dyn FnMut(&'c Skill, Front),
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
                take(skill, known.front());
                continue;
            }
            let opened =
                Folder::open(world.fs, &at, Purpose::Serve).map_err(|error| unread(&at.path, error.to_string()));
            let read = opened.map(|folder| folder.without(&hidden)).and_then(|folder| {
                let said = read(world, catalog.dialect(), &at, &folder)?;
                fits(&at, folder, findings).map(|()| said)
            });
            match read {
                Ok(said) => take(skill, Front { hidden, ..said }),
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
    /// What its frontmatter says.
    fn front(&self) -> Front {
        Front {
            name: self.name.clone(),
            description: self.description.clone(),
            json: self.frontmatter.clone(),
            digest: self.digest,
            size: self.size,
            at: self.at.clone(),
            hidden: self.hidden.clone(),
        }
    }

    /// The address of its folder.
    fn address(&self) -> &str {
        self.uri.rsplit_once('/').map_or("", |(address, _)| address)
    }
}

/// What a frontmatter says to a client.
struct Front {
    name: String,
    description: String,
    json: Json,
    digest: Digest,
    size: u64,
    at: Location,
    hidden: Vec<String>,
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
fn read(world: &World<'_>, dialect: &Dialect, at: &Location, folder: &Folder<'_>) -> Result<Front, Box<Diagnostic>> {
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
    if let Some(broken) = broken(name, &json) {
        return Err(no(offset(broken.field), broken.reason, broken.help));
    }
    let (name, description) = (name.to_owned(), unhidden(description).0.into_owned());
    let digest = Digest::of(&head.bytes);
    Ok(Front { name, description, json, digest, size: head.len, at: at.clone(), hidden: Vec::new() })
}

/// Says what of a skill has no address, or why all of it is more than a client takes.
fn fits(at: &Location, folder: Folder<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), Box<Diagnostic>> {
    // What cannot be listed is an error where the skill's files are asked for.
    let package = folder.list();
    let (folder, files) = (package.folder(), package.files.len());
    let (max_files, max_bytes) = (folder.max_files(), folder.max_bytes());
    let warning = |path: FsPath, message: String| Diagnostic::new(Severity::Warning, Code::NotServed, path, message);
    // Sizes are not asked for if there are too many files.
    let sized = if files <= max_files { package.files.iter() } else { [].iter() };
    let sizes = sized.filter_map(|file| folder.metadata(file).ok().flatten()).map(|metadata| metadata.len);
    let bytes = sizes.fold(0, u64::saturating_add);
    let too_much = match (files, bytes) {
        (files, _) if max_files < files => format!("it has {files} files, expected at most {max_files}"),
        (_, bytes) if max_bytes < bytes => format!("it has {bytes} bytes, expected at most {max_bytes}"),
        _ => {
            let unnamed = package.others.iter().filter(|other| other.kind == OtherKind::NotUtf8);
            findings.extend(unnamed.map(|other| {
                let path = nearest(&at.dir, &other.name);
                let message = "the file is left out of the skill that is served: its name is not UTF-8".to_owned();
                warning(path, message).help("rename it")
            }));
            return Ok(());
        }
    };
    let finding = warning(at.path.clone(), format!("the skill is not served: {too_much}"));
    Err(Box::new(finding.help("remove what the skill does not need")))
}
