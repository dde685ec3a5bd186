//! What a user looks at before approving a skill: [`review`] reads its folder once, for the approval and for what is
//! shown. What is new since the last approval is in [`Approvals::changes`].
//!
//! [`Approvals::changes`]: crate::package::Approvals::changes

use crate::diagnostic::Diagnostic;
use crate::discovery::catalog::Catalog;
use crate::discovery::manifest::{ReadMode, read_text};
use crate::discovery::world::World;
use crate::model::error::Error;
use crate::model::skill::{Frontmatter, Skill};
use crate::package::contents::{Content, Contents, contents_of};
use crate::package::facts::Facts;
use crate::package::files::{Package, Purpose};
use crate::text::escape::{fold, visible};
use crate::text::hosts::add_hosts;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many hosts of a skill are named.
const MAX_HOSTS: usize = 1_000;

/// What a user looks at before approving a skill. All of it is from the same bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Review {
    /// What the approval covers, as [`Purpose::Approve`] includes it.
    pub contents: Contents,
    /// What a reader of the files does not see: invisible characters, encoded data, compiled files, and the like. These
    /// are the findings about files that [`check`](crate::check()) has if it is strict.
    pub facts: Vec<Diagnostic>,
    /// What the model is told about the skill, on one line: its description, and when to use it.
    pub description: String,
    /// The tools, permissions and toolsets that the skill asks for, as they are written, in byte order.
    pub tools: Vec<String>,
    /// The hosts that the addresses in its text files name, in byte order; no more than 1 000 of them.
    pub hosts: Vec<String>,
}

/// Reads all that an approval of a skill covers.
///
/// ```
/// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
/// use skilltree::package::review;
/// let mut fs = MemFs::new();
/// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\nallowed-tools: Read\n---\n");
/// fs.file("/s/tea/scripts/boil.sh", "curl https://kettle.example/boil\n");
/// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
/// let world = World::new(&fs, &places, &());
/// let catalog = discover(&world, &dialect("agentskills").unwrap());
/// let review = review(&world, &catalog, catalog.find_any("tea")?)?;
/// assert_eq!((&review.tools[..], &review.hosts[..]), (&["Read".to_owned()][..], &["kettle.example".to_owned()][..]));
/// # Ok::<(), skilltree::Error>(())
/// ```
///
/// # Errors
/// As [`contents`](crate::package::contents()).
pub fn review(world: &World<'_>, catalog: &Catalog, skill: &Skill) -> Result<Review, Error> {
    let package = Package::open(world, skill, Purpose::Approve)?;
    let (mut facts, mut hosts) = (Facts::new(&skill.path, &package), BTreeSet::new());
    let mut frontmatter: Arc<Frontmatter> = Arc::default();
    let contents = contents_of(&package, &mut |name, _, content| {
        let Content::File(bytes) = content else { return Ok(()) };
        facts.add(name, bytes, bytes.len() as u64);
        // Text in whatever encoding has no NUL.
        if !bytes.contains(&0) {
            let text = String::from_utf8_lossy(bytes);
            add_hosts(&text, &mut hosts);
            if name == skill.path.name() {
                let document = read_text(world.extras, catalog.dialect(), &skill.path, &text, ReadMode::Load);
                frontmatter = document.map(|document| document.manifest.frontmatter).unwrap_or_default();
            }
        }
        Ok(())
    })?;
    let (run, when_to_use) = (frontmatter.run(), &frontmatter.triggers().when_to_use);
    let described = [&frontmatter.description, when_to_use].into_iter().flatten();
    let allowed = frontmatter.allowed_tools.iter().flatten();
    let tools: BTreeSet<&String> = allowed.chain(&run.permissions).chain(&run.toolsets).collect();
    Ok(Review {
        contents,
        facts: facts.findings,
        description: fold(&described.map(String::as_str).collect::<Vec<_>>().join("\n")).into_owned(),
        tools: tools.into_iter().cloned().collect(),
        hosts: hosts.into_iter().take(MAX_HOSTS).collect(),
    })
}

/// What is different in a skill from what was approved last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changes {
    /// Whether the skill was never approved, so that all of it is new.
    pub is_first: bool,
    /// The changes: of the description, the tools, the hosts and the files, in this order.
    pub all: Vec<Change>,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What has changed.
    pub part: ChangedPart,
    /// How it has changed.
    pub kind: ChangeKind,
    /// The description, the tool, the host, or the name of the file.
    pub text: String,
}

/// A part of a skill that is compared with the last approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangedPart {
    /// The description. A new one has two changes: the old one is gone, and the new one is new.
    Description,
    /// A tool that the skill asks for.
    Tool,
    /// A host that a file names.
    Host,
    /// A file, or another entry of the folder.
    File,
}

impl ChangedPart {
    /// `description`, `tool`, `host` or `file`.
    pub fn as_str(self) -> &'static str {
        match self {
            ChangedPart::Description => "description",
            ChangedPart::Tool => "tool",
            ChangedPart::Host => "host",
            ChangedPart::File => "file",
        }
    }
}

/// How something has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// It is there now, and was not.
    New,
    /// It was there, and is not now.
    Gone,
    /// It has other content. Only for files.
    Changed,
}

impl ChangeKind {
    /// `new`, `gone` or `changed`.
    pub fn as_str(self) -> &'static str {
        match self {
            ChangeKind::New => "new",
            ChangeKind::Gone => "gone",
            ChangeKind::Changed => "changed",
        }
    }
}

impl std::fmt::Display for Change {
    /// One line of a diff: `+ host: kettle.example`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = match self.kind {
            ChangeKind::New => '+',
            ChangeKind::Gone => '-',
            ChangeKind::Changed => '~',
        };
        write!(f, "{sign} {}: {}", self.part.as_str(), visible(&self.text))
    }
}
