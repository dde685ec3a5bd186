//! In: a catalog and the host's own command names. Out: what a user may type after `/`, over the whole catalog,
//! each name once. A skill never takes a name of the host's (decisions 31, 32, 45).

use crate::dialect::{Naming, SlashRule};
use crate::discovery::catalog::{Catalog, last_part};
use crate::model::skill::{Caller, Skill};
use crate::text::escape::{fold, reveal, visible};
use crate::text::lower::lower;
use crate::text::order::sort_by;
use crate::text::words::{cut, sanitise};
use std::collections::{HashMap, HashSet};

/// What a user may type.
#[derive(Clone, Debug, Default)]
pub struct Commands {
    all: Vec<Command>,
    by_name: HashMap<String, usize>,
    /// What is typed in another letter case, where the naming passes over that; none for what would be more than one's.
    by_folded: HashMap<String, Option<usize>>,
    /// Short names that more than one skill has, with their keys.
    unclear: HashMap<String, Vec<String>>,
    /// Whether a command is found by the last part of its skill's key too.
    has_parts: bool,
}

/// One command.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Command {
    /// What stands after the `/`.
    pub name: String,
    /// Other names of it.
    pub aliases: Vec<String>,
    /// The skill's key.
    pub key: String,
    /// What to type after it, on one line.
    pub hint: Option<String>,
    /// What it does, on one line.
    pub description: String,
}

/// The commands for the skills that the user may invoke. `reserved` are the host's own.
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
    named(catalog, reserved, command)
}

/// The same without hints and descriptions, for those who need the names alone.
pub(crate) fn command_names(catalog: &Catalog, reserved: &[String]) -> Commands {
    let command = |_: &SlashRule, name: String, skill: &Skill| Command {
        name,
        aliases: Vec::new(),
        key: skill.key.clone(),
        hint: None,
        description: String::new(),
    };
    named(catalog, reserved, command)
}

/// Gives every skill its names.
fn named(catalog: &Catalog, reserved: &[String], command: fn(&SlashRule, String, &Skill) -> Command) -> Commands {
    let mut commands = Commands::default();
    let Some(rule) = &catalog.dialect().slash else { return commands };
    let mut taken = HashSet::new();
    for name in reserved {
        taken.insert(name.trim_start_matches('/').to_owned());
    }
    let skills: Vec<&Skill> = catalog.skills().iter().filter(|skill| skill.is_for(Caller::User)).collect();
    // A key that is a command as it stands is not renamed for the sake of one that had to be sanitised.
    let mut names: Vec<Option<String>> = vec![None; skills.len()];
    let mut numbers = HashMap::new();
    for exact in [true, false] {
        for (name, skill) in
            names.iter_mut().zip(&skills).filter(|(_, skill)| is_exact(rule.naming, &skill.key) == exact)
        {
            let wanted = if exact { skill.key.clone() } else { sanitise(&skill.key) };
            let free = free(wanted, &taken, &mut numbers);
            taken.insert(free.clone());
            *name = Some(free);
        }
    }
    for (name, skill) in names.into_iter().zip(&skills) {
        let name = name.unwrap_or_default();
        commands.by_name.insert(name.clone(), commands.all.len());
        commands.all.push(command(rule, name, skill));
    }
    // An alias loses to every name, so names come first.
    for (at, skill) in skills.iter().enumerate() {
        if !skill.key.contains(char::is_whitespace) && taken.insert(skill.key.clone()) {
            commands.alias(skill.key.clone(), at);
        }
    }
    match rule.naming {
        Naming::Sanitised | Naming::KeyOrSanitised => {}
        Naming::KeyAndLastPart => {
            // A key is not free for another skill's short name where its own skill is disabled (decisions 15, 17).
            for skill in catalog.skills() {
                taken.insert(skill.key.clone());
            }
            short_names(&skills, &taken, &mut commands);
            commands.has_parts = true;
            commands.fold(reserved);
        }
    }
    commands
}

/// decisions 32: short names after reserved and exact ones; one that several skills have is none.
fn short_names(skills: &[&Skill], taken: &HashSet<String>, commands: &mut Commands) {
    let mut short: Vec<(&str, usize)> = Vec::new();
    for (at, skill) in skills.iter().enumerate() {
        let name = last_part(&skill.key);
        if !name.is_empty() && !name.contains(char::is_whitespace) && !taken.contains(name) {
            short.push((name, at));
        }
    }
    sort_by(&mut short, Ord::cmp);
    for places in short.chunk_by(|(a, _), (b, _)| a == b) {
        match places {
            [(name, only)] => commands.alias((*name).to_owned(), *only),
            [(name, _), ..] => {
                let skills = places.iter().filter_map(|(_, at)| skills.get(*at));
                let keys = skills.map(|skill| visible(&skill.key).into_owned());
                commands.unclear.insert((*name).to_owned(), keys.collect());
            }
            [] => {}
        }
    }
}

/// Whether a key is its own command.
fn is_exact(naming: Naming, key: &str) -> bool {
    match naming {
        Naming::KeyOrSanitised => !key.contains('/') && !key.contains(char::is_whitespace),
        Naming::KeyAndLastPart => !key.contains(char::is_whitespace),
        Naming::Sanitised => false,
    }
}

/// The name itself, or the first of `name_2`, `name_3` … that is free. `numbers` remembers where each name is,
/// so that many of one name are no quadratic search.
fn free(name: String, taken: &HashSet<String>, numbers: &mut HashMap<String, usize>) -> String {
    if !taken.contains(&name) {
        return name;
    }
    let number = numbers.entry(name.clone()).or_insert(1);
    loop {
        *number += 1;
        let numbered = format!("{name}_{number}");
        if !taken.contains(&numbered) {
            return numbered;
        }
    }
}

fn command(rule: &SlashRule, name: String, skill: &Skill) -> Command {
    let description = fold(skill.description());
    let description = match rule.menu_chars {
        Some(most) => cut(&description, most).into_owned(),
        None => description.into_owned(),
    };
    let hint = skill.frontmatter.run().argument_hint.as_deref().map(|hint| fold(hint).into_owned());
    Command { name, aliases: Vec::new(), key: skill.key.clone(), hint, description }
}

impl Commands {
    fn alias(&mut self, name: String, at: usize) {
        self.by_name.insert(name.clone(), at);
        if let Some(command) = self.all.get_mut(at) {
            command.aliases.push(name);
        }
    }

    /// Names that stay one skill's when letter case does not count, and are not the host's then.
    fn fold(&mut self, reserved: &[String]) {
        for name in reserved {
            self.by_folded.insert(lower(name.trim_start_matches('/')), None);
        }
        for name in self.unclear.keys() {
            self.by_folded.insert(lower(name), None);
        }
        for (name, at) in &self.by_name {
            let place = self.by_folded.entry(lower(name)).or_insert(Some(*at));
            *place = place.filter(|known| known == at);
        }
    }

    /// The keys of the skills that a short name may mean, where it is more than one's; else nothing.
    pub fn unclear(&self, name: &str) -> &[String] {
        self.unclear.get(name).map_or(&[], Vec::as_slice)
    }

    /// All of them, in the order of the catalog.
    pub fn all(&self) -> &[Command] {
        &self.all
    }

    /// The command of this name or alias.
    pub fn find(&self, name: &str) -> Option<&Command> {
        // decisions 24: lookup takes both spellings.
        let exact = self.by_name.get(name).or_else(|| self.by_name.get(reveal(name).as_ref()));
        let folded = || if self.by_folded.is_empty() { None } else { *self.by_folded.get(&lower(name))? };
        let at = exact.copied().or_else(folded)?;
        self.all.get(at)
    }

    /// The commands whose name begins so, without regard to letter case; an alias counts where the name does
    /// not, and so does the last part of a key, where commands have such short names, even if several keys end in it. A
    /// leading `/` is passed over. By name.
    pub fn complete(&self, prefix: &str) -> Vec<&Command> {
        let prefix = lower(prefix.strip_prefix('/').unwrap_or(prefix));
        let begins = |name: &str| lower(name).starts_with(&prefix);
        let mut found = Vec::new();
        for command in &self.all {
            let is_part = self.has_parts && begins(last_part(&command.key));
            if begins(&command.name) || is_part || command.aliases.iter().any(|alias| begins(alias)) {
                found.push(command);
            }
        }
        sort_by(&mut found, |a: &&Command, b| a.name.cmp(&b.name));
        found
    }
}

impl Command {
    /// The name for a terminal or a listing, without raw control characters.
    pub fn shown(&self) -> String {
        visible(&self.name).into_owned()
    }
}
