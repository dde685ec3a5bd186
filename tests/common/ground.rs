//! In: a tree, a host and places (project `/p`, home `/h`). Out: the answer to a question, asked in memory and on
//! the disk, which must be the same; and short spellings of catalogs and findings. Absent: any rule.

use super::{Machine, Tree, path, tree};
#[cfg(unix)]
use pretty_assertions::assert_eq;
use skilltree::model::Reading;
use skilltree::{Catalog, Diagnostic, Dialect, Json, Places, World, dialect, discover};
use std::fmt::Debug;
use std::sync::Arc;

/// A source of each dialect: below the project `/p`, or below the home `/h` where the dialect has none in a project.
pub(crate) const SOURCES: &[(&str, &str)] = &[
    ("agentskills", "/p/.agents/skills"),
    ("sven", "/p/.sven/skills"),
    ("agent-base", "/p/.agent/skills"),
    ("gencode", "/p/.gen/skills"),
    ("pegasus", "/p/data/skills"),
    ("daycare", "/p/.daycare/skills"),
    ("claude", "/p/.claude/skills"),
    ("codex", "/p/.agents/skills"),
    ("opencode", "/p/.opencode/skills"),
    ("goose", "/p/.goose/skills"),
    ("gemini", "/p/.gemini/skills"),
    ("copilot", "/p/.github/skills"),
    ("cursor", "/p/.cursor/skills"),
    ("copilot-cli", "/p/.github/skills"),
    ("qwen", "/p/.qwen/skills"),
    ("kilo", "/p/.kilo/skills"),
    ("pi", "/p/.pi/skills"),
    ("cline", "/p/.cline/skills"),
    ("continue", "/p/.continue/skills"),
    ("droid", "/p/.factory/skills"),
    ("kimi", "/p/.kimi-code/skills"),
    ("vibe", "/p/.vibe/skills"),
    ("openclaw", "/p/skills"),
    ("hermes", "/h/.hermes/skills"),
    ("zed", "/p/.agents/skills"),
    ("crush", "/p/.crush/skills"),
];

/// Where a question is asked.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    pub(crate) tree: Tree,
    pub(crate) places: Places,
    pub(crate) host: Machine,
    /// How files are read, if not as the dialect has it.
    pub(crate) reading: Option<Reading>,
}

/// A tree in which `/p` is the project and `/h` the home.
#[track_caller]
pub(crate) fn ground(text: &str) -> Ground {
    on(tree(text))
}

pub(crate) fn on(tree: Tree) -> Ground {
    let places = Places { project: Some(path("/p")), home: Some(path("/h")), ..Places::default() };
    Ground { tree, places, host: Machine::default(), reading: None }
}

impl Ground {
    /// More sources, from low to high.
    #[must_use]
    #[track_caller]
    pub(crate) fn roots(mut self, roots: &[&str]) -> Ground {
        self.places.roots = roots.iter().map(|root| path(root)).collect();
        self
    }

    /// Files are read as their authors meant them, in every dialect.
    #[must_use]
    pub(crate) fn repaired(self) -> Ground {
        Ground { reading: Some(Reading::Repaired), ..self }
    }

    /// A skill that the host switches off.
    #[must_use]
    pub(crate) fn off(mut self, key: &str) -> Ground {
        self.host.off.insert(key.to_owned());
        self
    }

    /// The answer, in memory and on the disk.
    #[track_caller]
    pub(crate) fn ask<T: PartialEq + Debug>(&self, case: &str, question: impl Fn(&World<'_>) -> T) -> T {
        let memory = self.tree.mem();
        let answer = question(&World::new(&memory, &self.places, &self.host).with_reading(self.reading));
        #[cfg(unix)]
        {
            let (disk, _folder) = self.tree.disk();
            let on_disk = question(&World::new(&disk, &self.places, &self.host).with_reading(self.reading));
            assert_eq!(on_disk, answer, "{case}: disk and memory");
        }
        #[cfg(not(unix))]
        let _ = case;
        answer
    }

    /// The answer about a catalog.
    #[track_caller]
    pub(crate) fn of<T: PartialEq + Debug>(
        &self,
        case: &str,
        dialect: &str,
        question: impl Fn(&World<'_>, &Catalog) -> T,
    ) -> T {
        self.by(case, &table(dialect), question)
    }

    /// The answer about a catalog of this table.
    #[track_caller]
    pub(crate) fn by<T: PartialEq + Debug>(
        &self,
        case: &str,
        dialect: &Arc<Dialect>,
        question: impl Fn(&World<'_>, &Catalog) -> T,
    ) -> T {
        self.ask(case, |world| question(world, &discover(world, dialect)))
    }
}

/// The table of this name with some of its parts changed, which are written as in a dialect file.
#[track_caller]
pub(crate) fn changed(name: &str, parts: &str) -> Arc<Dialect> {
    file(&format!("name: {name}\nextends: {name}\n{parts}"))
}

/// The table of a dialect file.
#[track_caller]
pub(crate) fn file(text: &str) -> Arc<Dialect> {
    let read = Dialect::parse(&path("/dialect.yaml"), text, &dialect);
    Arc::new(read.unwrap_or_else(|findings| panic!("{text}: {findings:#?}")))
}

/// A text as it is written in a dialect file.
pub(crate) fn quoted(text: &str) -> String {
    Json::from(text).to_string()
}

#[track_caller]
pub(crate) fn table(name: &str) -> Arc<Dialect> {
    dialect(name).unwrap_or_else(|| panic!("no dialect `{name}`"))
}

/// A SKILL.md of these fields and this body.
pub(crate) fn skill(fields: &str, body: &str) -> String {
    format!("---\n{fields}\n---\n{body}")
}

/// `severity code path:line:column`, with the usual parts of paths cut off.
pub(crate) fn brief(finding: &Diagnostic) -> String {
    let at = finding.at.map_or_else(String::new, |at| format!(":{}:{}", at.line, at.column));
    format!("{} {} {}{at}", finding.severity.as_str(), finding.code, finding.path)
}

pub(crate) fn briefs(findings: &[Diagnostic]) -> Vec<String> {
    findings.iter().map(brief).collect()
}

/// The keys in order, each with its path where it is asked for.
pub(crate) fn keys(catalog: &Catalog) -> Vec<String> {
    catalog.skills().iter().map(|skill| skill.key.clone()).collect()
}

/// All that a catalog says: `key = path`, `key < path by path`, and the findings.
pub(crate) fn told(catalog: &Catalog) -> Vec<String> {
    let used = catalog.skills().iter().map(|skill| format!("{} = {}", skill.key, skill.path));
    let lost = catalog.shadowed().iter().map(|lost| format!("{} < {} by {}", lost.skill.key, lost.skill.path, lost.by));
    used.chain(lost).chain(briefs(catalog.findings())).collect()
}
