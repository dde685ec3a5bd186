//! In: a skill. Out: its direct children: those whose nearest skill in use above them it is, by key or by folder
//! (decisions 27, 46). What lies below a skill stands together in the order of texts, so it is found by halving and what is
//! below a child is passed over at once. Absent: who may see a child.

use super::Catalog;
use crate::dialect::ChildRule;
use crate::model::skill::{Skill, State};
use crate::text::order::sort_by;

impl Catalog {
    /// The direct children of a skill by key, those that nobody may see too: for whoever shows the whole catalog.
    pub fn below(&self, skill: &Skill) -> impl Iterator<Item = &Skill> {
        let own = self.get(&skill.key).filter(|skill| skill.state != State::Disabled);
        let mut children = own.map_or(Vec::new(), |skill| self.lines().below(skill));
        if self.dialect().children == ChildRule::ByFolder {
            sort_by(&mut children, |a, b| a.key.cmp(&b.key));
        }
        children.into_iter()
    }

    fn lines(&self) -> Lines<'_> {
        let (rule, skills) = (self.dialect().children, self.skills());
        let order = match rule {
            ChildRule::ByKey => &self.inner.by_key,
            ChildRule::ByFolder => self.inner.by_folder.get_or_init(|| {
                let mut order: Vec<u32> = (0..skills.len() as u32).collect();
                let folder = |at: &u32| skills.get(*at as usize).map(folder);
                sort_by(&mut order, |a, b| folder(a).cmp(&folder(b)));
                order
            }),
        };
        Lines { rule, skills, order }
    }
}

/// The skills in the order of the texts that tell what is below what.
struct Lines<'c> {
    rule: ChildRule,
    skills: &'c [Skill],
    order: &'c [u32],
}

impl<'c> Lines<'c> {
    fn below(&self, skill: &'c Skill) -> Vec<&'c Skill> {
        let within = format!("{}/", self.line(skill));
        let mut children = Vec::new();
        let mut at = self.first(&within);
        while let Some(child) = self.skill(at).filter(|child| self.line(child).starts_with(&within)) {
            match self.between(self.line(child), within.len()) {
                None => {
                    children.push(child);
                    at += 1;
                }
                // `0` is the next character after `/`.
                Some(nearer) => at = self.first(&format!("{nearer}0")),
            }
        }
        children
    }

    /// The first above a line, behind so many bytes of it, that is the line of a skill in use. A disabled skill stands
    /// between no others.
    fn between(&self, line: &'c str, from: usize) -> Option<&'c str> {
        let slashes = line.bytes().enumerate().skip(from).filter(|(_, byte)| *byte == b'/');
        let mut above = slashes.filter_map(|(at, _)| line.get(..at));
        above.find(|above| {
            let from = self.first(above);
            let skills = (from..).map_while(|at| self.skill(at).filter(|skill| self.line(skill) == *above));
            skills.into_iter().any(|skill| skill.state != State::Disabled)
        })
    }

    /// Where the first line is that is not before this text.
    fn first(&self, text: &str) -> usize {
        let is_before = |at: &u32| self.skills.get(*at as usize).is_some_and(|skill| self.line(skill) < text);
        self.order.partition_point(is_before)
    }

    fn skill(&self, at: usize) -> Option<&'c Skill> {
        self.skills.get(*self.order.get(at)? as usize)
    }

    fn line(&self, skill: &'c Skill) -> &'c str {
        match self.rule {
            ChildRule::ByKey => &skill.key,
            ChildRule::ByFolder => folder(skill),
        }
    }
}

/// The folder of a skill, without a `/` at the end: nothing for the root.
fn folder(skill: &Skill) -> &str {
    skill.path.as_str().rsplit_once('/').map_or("", |(folder, _)| folder)
}
