//! In: a size. Out: file systems in memory with so many skills, and the catalogs of them, made once for all pieces
//! of work that share them.

use crate::common::{Machine, path};
use skilltree::{Catalog, Dialect, MemFs, Places, World, dialect, discover};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;
use std::sync::Arc;

/// A file system and what was found on it.
pub(crate) struct Scene {
    pub(crate) fs: MemFs,
    pub(crate) places: Places,
    pub(crate) machine: Machine,
    pub(crate) dialect: Arc<Dialect>,
    pub(crate) catalog: Catalog,
}

impl Scene {
    /// Discovers with `/s` as the only source.
    pub(crate) fn new(name: &str, fs: MemFs) -> Rc<Scene> {
        Scene::of(name, fs, &["/s"])
    }

    pub(crate) fn of<R: AsRef<str>>(name: &str, fs: MemFs, roots: &[R]) -> Rc<Scene> {
        let roots = roots.iter().map(|root| path(root.as_ref())).collect();
        Scene::at(name, fs, Places { roots, home: Some(path("/home")), only_roots: true, ..Places::default() })
    }

    /// Discovers with `/s` as the project, whose file of settings has this text.
    pub(crate) fn with_settings(name: &str, file: &str, text: &str) -> Rc<Scene> {
        let mut fs = MemFs::new();
        fs.file(&format!("/s/{file}"), text).file("/s/.claude/skills/one/SKILL.md", skill(1, ""));
        Scene::in_project(name, fs)
    }

    /// Discovers with `/s` as the project.
    pub(crate) fn in_project(name: &str, fs: MemFs) -> Rc<Scene> {
        Scene::at(name, fs, Places { project: Some(path("/s")), home: Some(path("/home")), ..Places::default() })
    }

    fn at(name: &str, fs: MemFs, places: Places) -> Rc<Scene> {
        let dialect = dialect(name).unwrap_or_else(|| panic!("{name} is a dialect"));
        let mut machine = Machine::default();
        let catalog = discover(&World::new(&fs, &places, &machine), &dialect);
        machine.ranks = (0..).zip(catalog.skills()).map(|(at, skill)| (skill.key.clone(), at * 7 % 13)).collect();
        Rc::new(Scene { fs, places, machine, dialect, catalog })
    }

    pub(crate) fn world(&self) -> World<'_> {
        World::new(&self.fs, &self.places, &self.machine)
    }

    /// Discovers anew.
    pub(crate) fn discover(&self) -> Catalog {
        discover(&self.world(), &self.dialect)
    }
}

/// What the pieces of work share at one size.
pub(crate) struct Stock {
    pub(crate) size: usize,
    sides: BTreeMap<&'static str, Rc<Scene>>,
}

impl Stock {
    pub(crate) fn new(size: usize) -> Stock {
        Stock { size, sides: BTreeMap::new() }
    }

    /// As many skills as the size side by side.
    pub(crate) fn side_by_side(&mut self, name: &'static str) -> Rc<Scene> {
        let size = self.size;
        Rc::clone(self.sides.entry(name).or_insert_with(|| Scene::new(name, side_by_side(size))))
    }
}

/// A SKILL.md with a name of its own, and more lines of frontmatter.
pub(crate) fn skill(number: usize, more: &str) -> String {
    format!(
        "---\nname: skill-{number}\ndescription: Use for the work of number {number} on tables and queries.\n\
         {more}---\n# Skill\n\nDo it.\n"
    )
}

/// Skills that are matched by words of their own, all of them active where a dialect has states.
pub(crate) fn side_by_side(skills: usize) -> MemFs {
    let (mut fs, mut states) = (MemFs::new(), String::from("{\"skills\": {"));
    for number in 0..skills {
        let triggers = format!("triggers:\n  keywords: [word-{number}, other {number}]\n  verbs: [do{number}]\n");
        fs.file(&format!("/s/skill-{number}/SKILL.md"), skill(number, &triggers));
        let comma = if number == 0 { "" } else { ", " };
        let _ = write!(states, "{comma}\"skill-{number}\": \"active\"");
    }
    fs.file("/home/.gen/skills.json", states + "}}");
    fs
}

/// One skill with this text, in `/s/one`.
pub(crate) fn one(text: &str) -> MemFs {
    let mut fs = MemFs::new();
    fs.file("/s/one/SKILL.md", text);
    fs
}

/// One skill with these lines of frontmatter, and this body.
pub(crate) fn one_with(more: &str, body: &str) -> MemFs {
    one(&format!("---\nname: one\ndescription: One.\n{more}---\n{body}\n"))
}
