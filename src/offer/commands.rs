//! The slash commands of a catalog: which names the user may type for which skill. Every name is unique, and no skill gets
//! the name of one of the host's own commands (rules 14.2 and 14.3).

use crate::dialect::{CommandNaming, CommandsRule, LetterCase};
use crate::discovery::catalog::{Catalog, last_part};
use crate::model::skill::{Caller, Skill};
use crate::text::escape::{fold, reveal, visible};
use crate::text::lower::lower;
use crate::text::order::sort_by;
use crate::text::words::{cut, sanitise};
use std::collections::{HashMap, HashSet};

/// The slash commands of a catalog.
#[derive(Clone, Debug, Default)]
pub struct Commands {
    all: Vec<Command>,
    by_name: HashMap<String, usize>,
    /// The commands by their names in lower case, without ambiguous ones, for dialects that ignore letter case.
    by_folded: HashMap<String, usize>,
    /// Short names that several skills have, sorted, with the keys of these skills.
    unclear: Vec<(String, Vec<String>)>,
    /// Whether [`Commands::complete`] also compares the last part of a skill's key.
    has_parts: bool,
}

/// One command.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Command {
    /// The name after the `/`.
    pub name: String,
    /// Its other names.
    pub aliases: Vec<String>,
    /// What the skill is asked for by: its key, or the path of its SKILL.md if several skills have the key.
    pub key: String,
    /// The key, if several skills have it.
    pub(crate) shared_key: Option<String>,
    /// A hint for the arguments, on one line.
    pub hint: Option<String>,
    /// The description, on one line.
    pub description: String,
}

/// The commands for the skills that the user may invoke. `reserved` are the names of the host's own commands.
///
/// ```
/// use skilltree::{FsPath, MemFs, Places, World, commands, dialect, discover};
/// let mut fs = MemFs::new();
/// fs.file("/s/Git Flow/SKILL.md", "---\ndescription: Branches.\n---\n");
/// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
/// let catalog = discover(&World::new(&fs, &places, &()), &dialect("sven").unwrap());
/// let commands = commands(&catalog, &[]);
/// assert_eq!(commands.all()[0].name, "git_flow");
/// assert_eq!(commands.complete("GIT")[0].key, "Git Flow");
/// ```
pub fn commands(catalog: &Catalog, reserved: &[String]) -> Commands {
    named(catalog, reserved, true)
}

/// Like [`commands`], but without hints and descriptions.
pub(crate) fn command_names(catalog: &Catalog, reserved: &[String]) -> Commands {
    named(catalog, reserved, false)
}

/// Assigns a name to every skill, and makes its command with it.
fn named(catalog: &Catalog, reserved: &[String], has_texts: bool) -> Commands {
    let mut commands = Commands::default();
    let Some(rule) = &catalog.dialect().commands else { return commands };
    let folded = |name: &str| if rule.letter_case == LetterCase::Exact { name.to_owned() } else { lower(name) };
    // Another key may become the name of one of the dialect's own commands.
    let own = reserved.iter().map(|name| name.trim_start_matches('/')).chain(rule.reserved.iter().map(|name| &**name));
    let own: HashSet<String> = own.map(folded).collect();
    let is_own = |name: &str| own.contains(&folded(name));
    let mut taken = HashSet::new();
    // Nobody can type a name of no letters.
    let has_name = |skill: &Skill| !rule.prefix.is_empty() || !skill.key.trim().is_empty();
    let skills = catalog.skills().iter().filter(|skill| skill.is_for(Caller::User) && !rule.reserves(&skill.key));
    let skills: Vec<&Skill> = skills.filter(|skill| has_name(skill)).collect();
    // Exact keys are named first, so that none of them is renamed because of a sanitised one.
    let mut names: Vec<(String, bool)> = skills.iter().map(|skill| wanted(rule.naming, &skill.key)).collect();
    let mut numbers = HashMap::new();
    for exact in [true, false] {
        for (name, _) in names.iter_mut().filter(|(_, is_exact)| *is_exact == exact) {
            let wanted = if rule.letter_case == LetterCase::Lower { lower(name) } else { std::mem::take(name) };
            *name =
                free(format!("{}{wanted}", rule.prefix), &|name| is_own(name) || taken.contains(name), &mut numbers);
            taken.insert(name.clone());
        }
    }
    for ((name, _), skill) in names.into_iter().zip(&skills) {
        commands.by_name.insert(name.clone(), commands.all.len());
        let (hint, description) = if has_texts { texts(rule, skill) } else { (None, String::new()) };
        let (key, shared_key) = match catalog.get(&skill.key) {
            Some(_) => (skill.key.clone(), None),
            None => (skill.path.to_string(), Some(skill.key.clone())),
        };
        commands.all.push(Command { name, aliases: Vec::new(), key, shared_key, hint, description });
    }
    // Names take precedence over aliases, so they come first.
    for (at, skill) in skills.iter().enumerate() {
        let is_name = rule.prefix.is_empty() && !skill.key.contains(char::is_whitespace) && !is_own(&skill.key);
        if is_name && taken.insert(skill.key.clone()) {
            commands.alias(skill.key.clone(), at);
        }
    }
    if rule.naming == CommandNaming::KeyAndLastPart {
        // The key of a disabled skill is not available as a short name of another one (rules 8.3 and 14.5).
        taken.extend(catalog.skills().iter().map(|skill| skill.key.clone()));
        let taken: HashSet<String> = taken.iter().map(|name| folded(name)).collect();
        short_names(&skills, |name| is_own(name) || taken.contains(&folded(name)), &mut commands);
        commands.has_parts = true;
    }
    if rule.letter_case != LetterCase::Exact {
        commands.fold();
    }
    commands
}

/// Adds the last part of each key as an alias if it is not taken by a reserved name or a key. If several skills have the same last
/// part, it is ambiguous instead (rule 14.5).
fn short_names(skills: &[&Skill], is_taken: impl Fn(&str) -> bool, commands: &mut Commands) {
    let mut short: Vec<(&str, usize)> = Vec::new();
    for (at, skill) in skills.iter().enumerate() {
        let name = last_part(&skill.key);
        if !name.is_empty() && !name.contains(char::is_whitespace) && !is_taken(name) {
            short.push((name, at));
        }
    }
    sort_by(&mut short, Ord::cmp);
    for places in short.chunk_by(|(a, _), (b, _)| a == b) {
        match places {
            [(name, only)] => commands.alias((*name).to_owned(), *only),
            [(name, _), ..] => {
                let keys = places.iter().filter_map(|(_, at)| Some(visible(&skills.get(*at)?.key).into_owned()));
                commands.unclear.push(((*name).to_owned(), keys.collect()));
            }
            [] => {}
        }
    }
}

/// The name that a key is to have as a command, and whether it is the key itself.
fn wanted(naming: CommandNaming, key: &str) -> (String, bool) {
    let is_one_word = !key.contains(char::is_whitespace);
    let name = match naming {
        CommandNaming::Key => Vec::from_iter(key.split_whitespace()).join("-"),
        // Each character that is neither a letter nor a digit nor one of `_-.:` is a `-`.
        CommandNaming::Dashed => {
            key.chars().map(|c| if c.is_alphanumeric() || "_-.:".contains(c) { c } else { '-' }).collect()
        }
        CommandNaming::KeyOrSanitised if is_one_word && !key.contains('/') => key.to_owned(),
        CommandNaming::KeyAndLastPart if is_one_word => key.to_owned(),
        _ => return (sanitise(key), false),
    };
    let is_exact = name == key;
    (name, is_exact)
}

/// The first of `name`, `name_2`, `name_3` … that is not taken. `numbers` has the last number of each name, so that many
/// equal names do not take quadratic time.
fn free(name: String, is_taken: &dyn Fn(&str) -> bool, numbers: &mut HashMap<String, usize>) -> String {
    if !is_taken(&name) {
        return name;
    }
    let number = numbers.entry(name.clone()).or_insert(1);
    loop {
        *number += 1;
        let numbered = format!("{name}_{number}");
        if !is_taken(&numbered) {
            return numbered;
        }
    }
}

/// The hint and the description of a command.
fn texts(rule: &CommandsRule, skill: &Skill) -> (Option<String>, String) {
    let description = fold(skill.description());
    let description = match rule.menu_chars {
        Some(most) => cut(&description, most).into_owned(),
        None => description.into_owned(),
    };
    let hint = skill.frontmatter.run().argument_hint.as_deref().map(|hint| fold(hint).into_owned());
    (hint, description)
}

impl Commands {
    fn alias(&mut self, name: String, at: usize) {
        self.by_name.insert(name.clone(), at);
        if let Some(command) = self.all.get_mut(at) {
            command.aliases.push(name);
        }
    }

    /// Fills the index that ignores letter case. A name is ambiguous in it if several skills have it.
    fn fold(&mut self) {
        let mut names: Vec<(String, Option<usize>)> =
            self.unclear.iter().map(|(name, _)| (lower(name), None)).collect();
        names.extend(self.by_name.iter().map(|(name, at)| (lower(name), Some(*at))));
        sort_by(&mut names, |(a, _), (b, _)| a.cmp(b));
        for same in names.chunk_by(|(a, _), (b, _)| a == b) {
            if let [(name, Some(at)), others @ ..] = same {
                if others.iter().all(|(_, other)| *other == Some(*at)) {
                    self.by_folded.insert(name.clone(), *at);
                }
            }
        }
    }

    /// The keys of the skills that have this short name, if there are several; otherwise empty.
    pub fn unclear(&self, name: &str) -> &[String] {
        let at = self.unclear.binary_search_by(|(known, _)| known.as_str().cmp(name));
        at.map_or(&[], |at| &self.unclear[at].1)
    }

    /// All commands, in the order of the catalog.
    pub fn all(&self) -> &[Command] {
        &self.all
    }

    /// The command of this name or alias.
    pub fn find(&self, name: &str) -> Option<&Command> {
        // A name may be typed as it is or as it is displayed (rule 7.7).
        let exact = self.by_name.get(name).or_else(|| self.by_name.get(reveal(name).as_ref()));
        let folded = || if self.by_folded.is_empty() { None } else { self.by_folded.get(&lower(name)).copied() };
        let at = exact.copied().or_else(folded)?;
        self.all.get(at)
    }

    /// The commands of which the name or an alias begins with `prefix`, sorted by name. Letter case and a leading `/` are
    /// ignored. In dialects with short names the last part of the key counts as well, even if it is ambiguous.
    pub fn complete(&self, prefix: &str) -> Vec<&Command> {
        let prefix = lower(prefix.strip_prefix('/').unwrap_or(prefix));
        let begins = |name: &str| lower(name).starts_with(&prefix);
        let is_meant = |command: &&Command| {
            let is_part = self.has_parts && begins(last_part(&command.key));
            begins(&command.name) || is_part || command.aliases.iter().any(|alias| begins(alias))
        };
        let mut found: Vec<&Command> = self.all.iter().filter(is_meant).collect();
        sort_by(&mut found, |a: &&Command, b| a.name.cmp(&b.name));
        found
    }
}

impl Command {
    /// Whether it invokes this skill.
    pub fn is_of(&self, skill: &Skill) -> bool {
        self.key == skill.key || self.key == skill.path.as_str()
    }

    /// The name as it is displayed, without control characters.
    pub fn shown(&self) -> String {
        visible(&self.name).into_owned()
    }
}
