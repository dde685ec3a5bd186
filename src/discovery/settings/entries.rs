//! Entries of settings of which the last one that is about a skill counts. They are looked up by name and path, so that the
//! work for a skill does not grow with their number; only patterns are compared one by one.

use super::Entry;
use crate::model::skill::Skill;
use crate::path::FsPath;
use crate::text::glob::{is_name_pattern, matches_name};
use std::collections::HashMap;

/// The skills that a switch is about.
pub(super) enum SwitchedSkills {
    /// All of this key.
    Named(String),
    /// That of this SKILL.md, by the path that it was found by or its real one.
    At(FsPath),
}

/// Switches of single skills, each with its place among all of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SkillSwitches {
    count: usize,
    by_key: HashMap<String, (usize, Entry)>,
    by_path: HashMap<FsPath, (usize, Entry)>,
}

impl SkillSwitches {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn add(&mut self, skills: SwitchedSkills, entry: Entry) {
        self.count += 1;
        let placed = (self.count, entry);
        match skills {
            SwitchedSkills::Named(key) => _ = self.by_key.insert(key, placed),
            SwitchedSkills::At(path) => _ = self.by_path.insert(path, placed),
        }
    }

    /// The last switch that is about a skill.
    pub(super) fn of(&self, skill: &Skill) -> Option<&Entry> {
        let paths = [Some(&skill.path), skill.target.as_ref()];
        let by_path = paths.into_iter().flatten().filter_map(|path| self.by_path.get(path));
        let last = by_path.chain(self.by_key.get(&skill.key)).max_by_key(|(place, _)| *place);
        last.map(|(_, entry)| entry)
    }
}

/// Permissions by names and patterns of names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Permissions {
    /// In order.
    entries: Vec<Entry>,
    /// Where the last entry for each name without wildcards is.
    names: HashMap<String, usize>,
    /// The others in order, and where the entry of each is.
    patterns: Vec<(String, usize)>,
}

impl Permissions {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The last entry of each name, and all of patterns.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Entry)> {
        let names = self.names.iter().map(|(name, place)| (name.as_str(), *place));
        let all = names.chain(self.patterns.iter().map(|(pattern, place)| (pattern.as_str(), *place)));
        all.filter_map(|(pattern, place)| Some((pattern, self.entries.get(place)?)))
    }

    pub(super) fn add(&mut self, pattern: &str, entry: Entry) {
        let place = self.entries.len();
        self.entries.push(entry);
        match is_name_pattern(pattern) {
            true => self.patterns.push((pattern.to_owned(), place)),
            false => _ = self.names.insert(pattern.to_owned(), place),
        }
    }

    /// The last entry that matches one of the names.
    pub(super) fn of(&self, names: &[&str]) -> Option<&Entry> {
        let named = names.iter().filter_map(|name| self.names.get(*name)).max();
        let behind = self.patterns.iter().rev().take_while(|(_, place)| named.is_none_or(|named| named < place));
        let mut matching = behind.filter(|(pattern, _)| names.iter().any(|name| matches_name(pattern, name)));
        self.entries.get(*matching.next().map(|(_, place)| place).or(named)?)
    }

    /// The last entry, if it is for all names.
    pub(super) fn last_for_all(&self) -> Option<&Entry> {
        let (pattern, place) = self.patterns.last()?;
        self.entries.get(*place).filter(|_| pattern == "*" && place + 1 == self.entries.len())
    }
}
