//! Reads the settings files of a client, from lowest to highest precedence, as far as they are about skills (rule 9.11).
//! What they restrict is applied by `visibility`, `loading::load` and `offer::list`; their folders are sources.

mod values;

use crate::diagnostic::{Code, Diagnostic, Position, Severity};
use crate::dialect::{
    Ancestors, Base, Dialect, Nearest, OutsideRepository, Permitted, SettingRole, SettingsFile, SettingsReach,
    SettingsRule,
};
use crate::discovery::extras::{Noticed, is_not_read};
use crate::discovery::small_file::{SmallFileError, read_text_file};
use crate::discovery::source::folders_above;
use crate::discovery::world::World;
use crate::model::skill::{ContainedFs, Decision, Origin, Skill, Visibility};
use crate::path::FsPath;
use crate::text::glob::{is_name_pattern, matches_name};
use crate::text::json::{Json, strict};
use crate::text::lower::lower;
use crate::text::toml;
use std::cell::LazyCell;
use std::collections::HashMap;
use std::iter;
use values::Reader;

/// How the name of a settings file ends that is TOML.
const TOML: &str = ".toml";

const MAX_SETTINGS_BYTES: u64 = 4_194_304;

/// What the settings files of a client say about skills.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Settings {
    /// Set if all skills are switched off.
    all: Option<Entry>,
    /// Set if skills that come with no plugin are switched off.
    standalone: Option<Entry>,
    /// By name in lower case.
    disabled: Permissions,
    overrides: HashMap<String, Entry>,
    /// By name.
    denied: HashMap<String, Entry>,
    /// By what the names begin with, which is empty for all skills.
    denied_begins: HashMap<String, Entry>,
    skill_switches: SkillSwitches,
    /// By the id of the plugin; the empty id stands for all that are not named.
    plugin_switches: HashMap<String, Entry>,
    permissions: Permissions,
    /// Further folders of skills, in order.
    pub(crate) folders: Vec<Folder>,
    /// Folders of skills that are switched on or off, in order, each once.
    pub(crate) switches: Vec<(Folder, bool)>,
    /// Set if commands in bodies are not to be run, and whose file says so.
    commands: Option<(Ban, SetBy)>,
    /// How large the list may be, in millionths of the context window.
    pub(crate) budget_share: Option<usize>,
    /// How many tokens the rows of the list may cost.
    pub(crate) max_tokens: Option<usize>,
    /// Whether the sources of the project are looked for in the folders above it too.
    pub(crate) has_parents: bool,
    pub(crate) is_unlisted: bool,
    /// How many characters of a description are shown at most.
    pub(crate) max_description: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ban {
    Banned,
    Lifted,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Folder {
    pub(crate) text: String,
    /// The folder: `~/` at the start is the home directory, and other relative paths start from the project. `None` if
    /// the one that it starts from is not known.
    pub(crate) path: Option<FsPath>,
    /// Where a file of the project names it, so that it is not the user's own choice; `None` for other files.
    pub(crate) named_at: Option<SettingPlace>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SettingPlace {
    pub(crate) file: FsPath,
    pub(crate) line: usize,
    pub(crate) setting: String,
}

/// Whose settings file it is, from the least to the most respected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SetBy {
    Project,
    User,
    Administrator,
}

impl SetBy {
    fn of(file: &SettingsFile) -> SetBy {
        match file.base {
            Base::Project => SetBy::Project,
            Base::Managed => SetBy::Administrator,
            Base::Home | Base::Bundled | Base::Config | Base::User | Base::Registered => SetBy::User,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    decision: Decision,
    set_by: SetBy,
}

impl Settings {
    /// Whether commands in the bodies of skills are not to be run.
    pub(crate) fn bans_commands(&self) -> bool {
        matches!(self.commands, Some((Ban::Banned, _)))
    }

    /// Whether the model may have no skill at all.
    pub(crate) fn refuses_all(&self) -> bool {
        let is_denied = self.permissions.last_for_all().is_some_and(|last| last.decision.visibility.is_narrowing());
        is_denied || self.all.is_some() || self.denied_begins.contains_key("")
    }

    pub(crate) fn is_silent(&self) -> bool {
        let maps = [&self.overrides, &self.denied, &self.denied_begins, &self.plugin_switches];
        let lists_are_empty = self.permissions.is_empty() && self.skill_switches.is_empty() && self.disabled.is_empty();
        self.all.is_none() && self.standalone.is_none() && lists_are_empty && maps.iter().all(|map| map.is_empty())
    }

    /// Sets whether commands are banned, and returns whether that holds. A ban of an administrator stays, and a project
    /// lifts no ban but its own.
    fn set_ban(&mut self, ban: Ban, set_by: SetBy) -> bool {
        let stays = |(known, by)| known == Ban::Banned && (by == SetBy::Administrator || set_by < by);
        if self.commands.is_some_and(stays) {
            return ban == Ban::Banned;
        }
        self.commands = Some((ban, set_by));
        true
    }

    /// The narrowest decision about a skill, and whether it is that of an administrator.
    pub(crate) fn decision(&self, skill: &Skill) -> Option<(&Decision, bool)> {
        let names = [skill.key.as_str(), skill.name.as_str()];
        let is_plugin = skill.source.origin == Origin::Plugin;
        let mut found: Vec<&Entry> = Vec::new();
        found.extend(&self.all);
        found
            .extend(self.standalone.as_ref().filter(|_| matches!(skill.source.origin, Origin::User | Origin::Project)));
        let small = names.map(lower);
        found.extend(self.disabled.of(&small.each_ref().map(String::as_str)));
        // The client looks for the key alone.
        found.extend(self.overrides.get(&skill.key).filter(|_| !is_plugin));
        found.extend(names.iter().filter_map(|name| self.denied.get(*name)));
        if !self.denied_begins.is_empty() {
            let begins = names.iter().flat_map(|name| (0..=name.len()).filter_map(|end| name.get(..end)));
            found.extend(begins.filter_map(|begin| self.denied_begins.get(begin)));
        }
        found.extend(self.permissions.of(&names));
        found.extend(self.skill_switches.of(skill));
        let switches = &self.plugin_switches;
        found.extend(skill.source.plugin.as_ref().and_then(|id| switches.get(id).or_else(|| switches.get(""))));
        let mut narrowest: Option<&Entry> = None;
        for entry in found.into_iter().filter(|entry| entry.decision.visibility.is_narrowing()) {
            let rank = |entry: &Entry| (entry.decision.visibility, entry.is_managed());
            if narrowest.is_none_or(|narrowest| rank(narrowest) < rank(entry)) {
                narrowest = Some(entry);
            }
        }
        narrowest.map(|entry| (&entry.decision, entry.is_managed()))
    }
}

/// Reads the settings files of the dialect. Adds findings for faults in them, and files that the file system has yet to
/// fetch.
pub(crate) fn read(world: &World<'_>, dialect: &Dialect, noticed: &mut Noticed) -> Settings {
    let mut settings = Settings::default();
    let Some(rule) = &dialect.settings else { return settings };
    for (file, base) in placed(world, rule, &mut noticed.pending) {
        let Some((path, text)) = read_file(world, rule, (file, &base), &mut settings, noticed) else { continue };
        // The places of values are known in JSON only.
        let is_toml = file.path.ends_with(TOML);
        let (parsed, text) = match is_toml {
            true => (toml::parse(&text).map_err(|error| (error.to_string(), error.line, 1)), String::new()),
            false => (Json::parse(&text).map_err(|error| (error.to_string(), error.line, error.column)), text),
        };
        match parsed {
            Ok(json) => {
                let tool = dialect.tool.as_ref().map(|tool| &*tool.name);
                let reader = Reader { world, dialect, tool, path: &path, text: &text, set_by: SetBy::of(file) };
                for setting in rule.keys.iter().filter(|one| one.only_in.is_none_or(|base| base == file.base)) {
                    reader.read(&json, setting, &mut settings, &mut noticed.findings);
                }
            }
            Err((error, line, column)) => {
                let at = Position { line, column };
                unreadable(rule, &path, &error, file, &mut settings, &mut noticed.findings);
                noticed.findings.iter_mut().rev().take(1).for_each(|finding| finding.at = Some(at));
            }
        }
    }
    settings
}

/// The settings in a lean world: where there is a file, all skills are switched off and commands are banned, as it may say so.
pub(crate) fn unread(world: &World<'_>, dialect: &Dialect, noticed: &mut Noticed) -> Settings {
    let mut settings = Settings::default();
    let files: Vec<_> = dialect.settings.iter().flat_map(|rule| placed(world, rule, &mut noticed.pending)).collect();
    for (file, base) in files {
        // Of a path that leads out of the root nothing can be known but its base.
        let path = base.join(&file.path).unwrap_or_else(|_| base.clone());
        if is_not_read(world.fs, &path, "the settings file", noticed) {
            let message = "a settings file that may switch it off is not read in a lean world".to_owned();
            let decision = Decision::new(Visibility::Off, message).by(&path, None);
            settings.all = Some(Entry { decision, set_by: SetBy::Administrator });
            settings.set_ban(Ban::Banned, SetBy::Administrator);
        }
    }
    settings
}

/// The files of the table with the folders that they start from, from lowest to highest precedence, each once.
fn placed<'r>(world: &World<'_>, rule: &'r SettingsRule, pending: &mut Vec<FsPath>) -> Vec<(&'r SettingsFile, FsPath)> {
    let mut placed: Vec<(&SettingsFile, FsPath)> = Vec::new();
    let repository = LazyCell::new(|| world.places.repository(world.fs));
    for file in rule.files.iter() {
        let Some(base) = world.places.folder(file.base) else { continue };
        let (nearest, together) = (Nearest::Lowest, Permitted::Yes);
        let above = |outside_repository| Ancestors { nearest, outside_repository, together };
        let mut folders = |ancestors| folders_above(world, base, ancestors, &repository, pending);
        let found = match file.reach {
            SettingsReach::Base => vec![base.clone()],
            SettingsReach::Ancestors(ancestors) => folders(ancestors),
            SettingsReach::Repository => folders(above(OutsideRepository::No)).pop().into_iter().collect(),
            SettingsReach::Nearest => {
                let all = iter::successors(Some(base.clone()), FsPath::parent);
                let below_home = all.take_while(|folder| Some(folder) != world.places.home.as_ref());
                let is_there = |path: FsPath| matches!(world.fs.metadata(&path), Ok(Some(_)) | Err(_));
                below_home.into_iter().find(|folder| folder.join(&file.path).is_ok_and(is_there)).into_iter().collect()
            }
        };
        placed.extend(found.into_iter().map(|folder| (file, folder)));
    }
    // Two rules may lead to one file, which counts at the higher place.
    let is_last = |at: &usize| {
        let (file, folder) = &placed[*at];
        placed[at + 1..].iter().all(|(later, other)| other != folder || later.path != file.path)
    };
    (0..placed.len()).filter(is_last).map(|at| placed[at].clone()).collect()
}

/// The path of a file and its text as strict JSON, or as it is if it is TOML; `None` if there is no such file, or it cannot
/// be read. A symlink in a file of the project that leads out of the project is not followed.
fn read_file(
    world: &World<'_>,
    rule: &SettingsRule,
    (file, base): (&SettingsFile, &FsPath),
    settings: &mut Settings,
    noticed: &mut Noticed,
) -> Option<(FsPath, String)> {
    let path = match base.join(&file.path) {
        Ok(path) => path,
        Err(error) => {
            unreadable(rule, base, &error.to_string(), file, settings, &mut noticed.findings);
            return None;
        }
    };
    let containment = world.places.containment(Vec::new()).filter(|_| file.base == Base::Project);
    match read_text_file(&ContainedFs::new(world.fs, containment.as_ref()), &path, MAX_SETTINGS_BYTES) {
        Ok(Some(text)) if file.path.ends_with(TOML) => Some((path, text)),
        Ok(Some(text)) if rule.comments == Permitted::No => {
            Some((path, text.trim_start_matches('\u{feff}').to_owned()))
        }
        Ok(text) => text.map(|text| (path, strict(&text))),
        Err(SmallFileError::Pending(path)) => {
            noticed.pending.push(path);
            None
        }
        Err(SmallFileError::Corrupt(reason)) => {
            unreadable(rule, &path, &reason, file, settings, &mut noticed.findings);
            None
        }
    }
}

/// Reports a file that cannot be read. It might ban commands, so they are banned.
fn unreadable(
    rule: &SettingsRule,
    path: &FsPath,
    reason: &str,
    file: &SettingsFile,
    settings: &mut Settings,
    findings: &mut Vec<Diagnostic>,
) {
    let mut help = "fix the file; until then it is ignored".to_owned();
    if rule.keys.iter().any(|setting| setting.role == SettingRole::NoCommands) {
        settings.set_ban(Ban::Banned, SetBy::of(file));
        help.push_str(", and commands in skills are not run, as it may forbid them");
    }
    let message = format!("the settings file could not be read: {reason}");
    findings.push(Diagnostic::new(Severity::Error, Code::StoreCorrupt, path.clone(), message).help(help));
}

impl Entry {
    fn new(reader: &Reader<'_>, line: usize, visibility: Visibility, message: String) -> Entry {
        let line = Some(line).filter(|line| 0 < *line);
        let decision = Decision::new(visibility, message).by(reader.path, line);
        Entry { decision, set_by: reader.set_by }
    }

    /// Whether it is the setting of an administrator, which the user cannot undo.
    fn is_managed(&self) -> bool {
        self.set_by == SetBy::Administrator
    }
}

/// The skills that a switch is about.
enum SwitchedSkills {
    /// All of this key.
    Named(String),
    /// That of this SKILL.md, by its path as it is written and its real one.
    At([FsPath; 2]),
}

/// Switches of single skills, each with its place among all of them.
#[derive(Clone, Debug, Default, PartialEq)]
struct SkillSwitches {
    count: usize,
    by_key: HashMap<String, (usize, Entry)>,
    by_path: HashMap<FsPath, (usize, Entry)>,
}

impl SkillSwitches {
    fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn add(&mut self, skills: SwitchedSkills, entry: Entry) {
        self.count += 1;
        let placed = (self.count, entry);
        match skills {
            SwitchedSkills::Named(key) => _ = self.by_key.insert(key, placed),
            SwitchedSkills::At(paths) => self.by_path.extend(paths.map(|path| (path, placed.clone()))),
        }
    }

    fn of(&self, skill: &Skill) -> Option<&Entry> {
        let paths = [Some(&skill.path), skill.target.as_ref()];
        let by_path = paths.into_iter().flatten().filter_map(|path| self.by_path.get(path));
        let last = by_path.chain(self.by_key.get(&skill.key)).max_by_key(|(place, _)| *place);
        last.map(|(_, entry)| entry)
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Permissions {
    entries: Vec<Entry>,
    /// Where the last entry for each name without wildcards is.
    names: HashMap<String, usize>,
    /// The others in order, and where the entry of each is.
    patterns: Vec<(String, usize)>,
}

impl Permissions {
    fn len(&self) -> usize {
        self.entries.len()
    }

    fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The last entry of each name, and all of patterns.
    fn iter(&self) -> impl Iterator<Item = (&str, &Entry)> {
        let names = self.names.iter().map(|(name, place)| (name.as_str(), *place));
        let all = names.chain(self.patterns.iter().map(|(pattern, place)| (pattern.as_str(), *place)));
        all.filter_map(|(pattern, place)| Some((pattern, self.entries.get(place)?)))
    }

    fn add(&mut self, pattern: &str, entry: Entry) {
        let place = self.entries.len();
        self.entries.push(entry);
        match is_name_pattern(pattern) {
            true => self.patterns.push((pattern.to_owned(), place)),
            false => _ = self.names.insert(pattern.to_owned(), place),
        }
    }

    fn of(&self, names: &[&str]) -> Option<&Entry> {
        let named = names.iter().filter_map(|name| self.names.get(*name)).max();
        let behind = self.patterns.iter().rev().take_while(|(_, place)| named.is_none_or(|named| named < place));
        let mut matching = behind.filter(|(pattern, _)| names.iter().any(|name| matches_name(pattern, name)));
        self.entries.get(*matching.next().map(|(_, place)| place).or(named)?)
    }

    /// The last entry, if it is for all names.
    fn last_for_all(&self) -> Option<&Entry> {
        let (pattern, place) = self.patterns.last()?;
        self.entries.get(*place).filter(|_| pattern == "*" && place + 1 == self.entries.len())
    }
}
