//! Finds the direct children of a skill (rule 8.7): by key, those whose key has one part more than its own; by folder,
//! those for which it is the nearest skill above them. In a sorted list everything below a skill is adjacent, so it is
//! found by binary search, and everything below a child is skipped at once. Who may see a child is not decided here.

use super::Catalog;
use crate::dialect::ChildRule;
use crate::model::skill::{Skill, State};
use crate::text::order::sort_by;

impl Catalog {
    /// The direct children of a skill, sorted by key, including those that nobody may see: for showing the whole
    /// catalog.
    pub fn direct_children(&self, skill: &Skill) -> impl Iterator<Item = &Skill> {
        let own = self.counterpart(skill).filter(|skill| skill.state != State::Disabled);
        let mut children = own.map_or(Vec::new(), |skill| self.hierarchy().children(skill));
        if self.dialect().children == ChildRule::ByFolder {
            sort_by(&mut children, |a, b| a.key.cmp(&b.key));
        }
        children.into_iter()
    }

    fn hierarchy(&self) -> Hierarchy<'_> {
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
        Hierarchy { rule, skills, order }
    }
}

/// The skills sorted by the path that says which is below which: the key or the folder.
struct Hierarchy<'c> {
    rule: ChildRule,
    skills: &'c [Skill],
    /// Indices of `skills`.
    order: &'c [u32],
}

impl<'c> Hierarchy<'c> {
    fn children(&self, skill: &'c Skill) -> Vec<&'c Skill> {
        let within = format!("{}/", self.path(skill));
        let mut children = Vec::new();
        let mut at = self.first(&within);
        while let Some(child) = self.skill(at).filter(|child| self.path(child).starts_with(&within)) {
            match self.between(self.path(child), within.len()) {
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

    /// The shortest path above `path`, of at least `from` bytes, that makes a skill there no direct child.
    fn between(&self, path: &'c str, from: usize) -> Option<&'c str> {
        match self.rule {
            ChildRule::ByKey => path[from..].find('/').map(|at| &path[..from + at]),
            ChildRule::ByFolder => self.nearest_below(path, from),
        }
    }

    /// The shortest path above `path`, of at least `from` bytes, that is the path of a skill. Disabled skills do not
    /// count.
    fn nearest_below(&self, path: &'c str, from: usize) -> Option<&'c str> {
        let slashes = path.bytes().enumerate().skip(from).filter(|(_, byte)| *byte == b'/');
        let mut above = slashes.map(|(at, _)| &path[..at]);
        above.find(|above| {
            let from = self.first(above);
            let skills = (from..).map_while(|at| self.skill(at).filter(|skill| self.path(skill) == *above));
            skills.into_iter().any(|skill| skill.state != State::Disabled)
        })
    }

    /// The position in `order` of the first path that is not less than this text.
    fn first(&self, text: &str) -> usize {
        let is_before = |at: &u32| self.skills.get(*at as usize).is_some_and(|skill| self.path(skill) < text);
        self.order.partition_point(is_before)
    }

    /// The skill at a position in `order`.
    fn skill(&self, at: usize) -> Option<&'c Skill> {
        self.skills.get(*self.order.get(at)? as usize)
    }

    /// The path of a skill in the hierarchy.
    fn path(&self, skill: &'c Skill) -> &'c str {
        match self.rule {
            ChildRule::ByKey => &skill.key,
            ChildRule::ByFolder => folder(skill),
        }
    }
}

/// The folder of a skill, without a `/` at the end, and so empty for the root.
fn folder(skill: &Skill) -> &str {
    skill.path.as_str().rsplit_once('/').map_or("", |(folder, _)| folder)
}
