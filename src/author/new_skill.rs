//! The files of a new skill: [`NewSkill::of`] makes a skill in which [`check`] finds nothing but the placeholders for its
//! description and its text. Nothing is written to the disk here.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{Dialect, FieldRole, Permitted, ScanRule};
use crate::discovery::manifest::{TEMPLATE_BODY, TEMPLATE_DESCRIPTION};
use crate::discovery::scan::SKILL_FILE;
use crate::discovery::world::{Places, World};
use crate::explain::check::{CheckRequest, check};
use crate::fs::mem::MemFs;
use crate::path::FsPath;
use crate::text::escape::one_line;
use crate::text::yaml::written_string;
use std::borrow::Cow;
use std::sync::Arc;

/// What a new skill is to contain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewSkillRequest {
    /// The name of the skill and of its folder.
    pub name: String,
    /// What the skill does and when to use it. If it is empty, the skill has a placeholder, which checks note.
    pub description: String,
    /// The folders beside the SKILL.md, each with one file to begin with.
    pub with: Vec<NewFolder>,
}

/// A folder of a new skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NewFolder {
    /// `scripts`, for programs that the agent runs.
    Scripts,
    /// `references`, for texts that the agent reads when it needs them.
    References,
    /// `assets`, for files that the agent uses in its results.
    Assets,
}

/// The files of a new skill.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewSkill {
    /// The name of its folder.
    pub name: String,
    /// The names of the files below the folder, with their texts: first the SKILL.md.
    pub files: Vec<(String, String)>,
}

impl NewSkill {
    /// The files of a new skill with this name for a dialect. Strict checks find nothing in them but notes of the placeholders for
    /// the text, and for a description that was not given.
    ///
    /// ```
    /// use skilltree::author::{NewSkill, NewSkillRequest};
    /// use skilltree::dialect;
    /// let ask = NewSkillRequest { name: "brew-tea".into(), description: "Brews tea when asked.".into(), ..Default::default() };
    /// let skill = NewSkill::of(&dialect("agentskills").unwrap(), &ask).unwrap();
    /// assert!(skill.files[0].1.starts_with("---\nname: brew-tea\ndescription: Brews tea when asked.\n---\n"));
    /// assert!(NewSkill::of(&dialect("agentskills").unwrap(), &NewSkillRequest { name: "Tea!".into(), ..ask }).is_err());
    /// ```
    ///
    /// # Errors
    /// Returns what strict checks find in a skill of this name and description, such as that the name is invalid.
    pub fn of(dialect: &Arc<Dialect>, ask: &NewSkillRequest) -> Result<NewSkill, Vec<Diagnostic>> {
        let mut with: Vec<NewFolder> = Vec::new();
        for folder in &ask.with {
            if !with.contains(folder) {
                with.push(*folder);
            }
        }
        let ask = &NewSkillRequest { with, ..ask.clone() };
        let mut files = vec![(SKILL_FILE.to_owned(), manifest(dialect, ask))];
        files.extend(ask.with.iter().map(|folder| {
            let (name, text, _) = folder.file();
            (name.to_owned(), text.to_owned())
        }));
        let root = FsPath::root();
        let folder = root.child(&ask.name).map_err(|error| vec![invalid_name(&root, &error.to_string())])?;
        let mut fs = MemFs::new();
        for (name, text) in &files {
            if let Ok(path) = folder.join(name) {
                fs.file(path.as_str(), text.as_bytes());
            }
        }
        // As a source is checked, a folder that the dialect does not enter is a finding too.
        let places = Places { roots: vec![root], only_roots: true, ..Places::default() };
        let found = check(&World::new(&fs, &places, &()), &narrow(dialect), &[], &CheckRequest { strict: true });
        let is_open = |finding: &Diagnostic| match finding.code {
            Code::BodyPlaceholder => true,
            Code::DescriptionPlaceholder => ask.description.trim().is_empty(),
            _ => false,
        };
        match found {
            Ok(found) if found.iter().all(is_open) => Ok(NewSkill { name: ask.name.clone(), files }),
            // What is left open is no reason.
            Ok(found) => Err(found.into_iter().filter(|finding| !is_open(finding)).collect()),
            Err(error) => Err(vec![invalid_name(&folder, &error.to_string())]),
        }
    }
}

/// The dialect as it is in those of its sources that find least, as a skill may be put into any of them.
fn narrow(dialect: &Arc<Dialect>) -> Arc<Dialect> {
    if dialect.sources.iter().all(|rule| rule.hidden != Some(Permitted::No)) {
        return Arc::clone(dialect);
    }
    let scan = ScanRule { hidden: Permitted::No, ..dialect.scan.clone() };
    Arc::new(Dialect { scan, ..Dialect::clone(dialect) })
}

fn manifest(dialect: &Dialect, ask: &NewSkillRequest) -> String {
    let description = match ask.description.trim() {
        "" => Cow::Borrowed(TEMPLATE_DESCRIPTION),
        description => one_line(description),
    };
    let mut text = String::from("---\n");
    for (role, value) in [(FieldRole::Name, &*ask.name), (FieldRole::Description, &*description)] {
        if let Some(key) = dialect.path_of(&role) {
            text.push_str(&format!("{key}: {}\n", written_string(value)));
        }
    }
    text.push_str("---\n\n# ");
    text.push_str(&title(&ask.name));
    text.push_str(&format!("\n\n{TEMPLATE_BODY}\n"));
    ask.with.iter().for_each(|folder| text.push_str(&format!("\n{}\n", folder.file().2)));
    text
}

/// The words of a name, the first one with a capital letter.
fn title(name: &str) -> String {
    let words = name.replace(['-', '_', '/'], " ");
    let mut rest = words.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

impl NewFolder {
    /// The file that the folder has at first, its text, and what the SKILL.md says about it.
    fn file(self) -> (&'static str, &'static str, &'static str) {
        match self {
            NewFolder::Scripts => (
                "scripts/run.sh",
                "#!/bin/sh\n# TODO Replace this script.\nset -eu\necho \"Nothing to do yet.\"\n",
                "Run `scripts/run.sh`.",
            ),
            NewFolder::References => (
                "references/reference.md",
                "# Reference\n\nTODO Write the details here that the agent only needs sometimes.\n",
                "For details, read [the reference](references/reference.md).",
            ),
            NewFolder::Assets => (
                "assets/template.txt",
                "TODO Replace this file with one that the agent uses.\n",
                "Use `assets/template.txt` for the result.",
            ),
        }
    }
}

fn invalid_name(path: &FsPath, reason: &str) -> Diagnostic {
    Diagnostic::new(Severity::Error, Code::NameInvalid, path.clone(), format!("not the name of a skill: {reason}"))
}
