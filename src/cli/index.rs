//! The command `index`: makes a folder of skills a site that clients install from, by an index of skills below
//! `.well-known/agent-skills` (version 0.2.0 of agent-skills-discovery). [`crate::verify::well_known`] reads such an index.

use crate::answer::{Answer, Runner, note_line};
use crate::archives;
use crate::args::NonEmptyText;
use crate::output::findings;
use crate::output::style::{FAINT, KEY};
use crate::output::table::table;
use crate::output::text::count;
use crate::own_file;
use crate::reply::{Failure, Output, Reply};
use crate::setup::{MAX_ARCHIVE_BYTES, Setup, and_above};
use crate::suggested::command;
use crate::verify::data;
use crate::verify::records::{Installed, fields, walk};
use crate::verify::well_known::{FOLDER, INDEX, MAX_DESCRIPTION, SCHEMA, is_name};
use anstyle::Style;
use clap::Args;
use skilltree::{Digest, Fs, FsError, FsPath, Json, visible};
use std::collections::BTreeMap;

/// The arguments of `index`.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  skilltree index skills --output site")]
pub(crate) struct IndexArgs {
    /// The folder whose skills are published, at any depth
    #[arg(value_name = "DIR", value_parser = NonEmptyText::new())]
    dir: String,
    /// The root of the site, in which `.well-known/agent-skills` is written [default: DIR]
    #[arg(short, long, value_name = "DIR", value_parser = NonEmptyText::new())]
    output: Option<String>,
    /// Only show what would be written
    #[arg(long)]
    dry_run: bool,
}

/// The kind of a skill that is its SKILL.md alone.
const SKILL_MD: &str = "skill-md";

/// A skill as it is published.
struct Published {
    description: String,
    /// Below `.well-known/agent-skills`.
    path: String,
    /// `SKILL_MD`, or else `archive`.
    kind: &'static str,
    bytes: Vec<u8>,
}

impl Runner<'_> {
    pub(crate) fn index(self, ask: &IndexArgs) -> Answer {
        let mut setup = Setup::new(self.options)?;
        setup.opened(&ask.dir)?;
        let folder = setup.folder(&ask.dir, "folder")?;
        let site = setup.path(ask.output.as_deref().unwrap_or(&ask.dir))?;
        let out = site.join(FOLDER)?;
        let skills = self.published(&setup, &folder)?;
        let index = index_json(&skills);
        let mut written = 0;
        // The index comes last, so that all that it names is there.
        let files = skills.values().map(|skill| (skill.path.as_str(), skill.bytes.as_slice()));
        for (path, bytes) in files.chain([(INDEX, index.as_bytes())]) {
            let file = out.join(path)?;
            let old = match setup.fs.read(&file, MAX_ARCHIVE_BYTES) {
                Ok(read) => Some(read.bytes),
                Err(FsError::NotFound(_) | FsError::NotADirectory(_)) => None,
                Err(error) => return Err(skilltree::Error::Fs(error).into()),
            };
            if old.as_deref() != Some(bytes) {
                written += 1;
                if !ask.dry_run {
                    own_file::written(&setup, &file, bytes.to_vec(), old).write(&setup.fs)?;
                }
            }
        }
        let index = out.join(INDEX)?;
        if self.json {
            let entries = skills.iter().map(|(name, skill)| entry(name, skill));
            let json = Json::map([
                ("index", Json::from(setup.fs.display(&index).into_owned())),
                ("skills", entries.collect::<Vec<_>>().into()),
                ("written", Json::from(if ask.dry_run { 0 } else { written })),
            ]);
            return Ok(Reply::json(&json));
        }
        let row = |(name, skill): (&String, &Published)| vec![name.clone(), skill.kind.to_owned(), skill.path.clone()];
        let rows: Vec<Vec<String>> = skills.iter().map(row).collect();
        let shown = visible(&setup.fs.display(&index)).into_owned();
        let done = match (ask.dry_run, written) {
            (_, 0) => format!("{shown} has {} and is up to date\n", count(skills.len(), "skill")),
            (true, _) => format!("would publish {} in {shown}\n", count(skills.len(), "skill")),
            (false, _) => format!("published {} in {shown}\n", count(skills.len(), "skill")),
        };
        let table = table(&[KEY, FAINT, Style::new()], None, &rows, self.screen.width);
        // A client that searches the folder finds the copies as well, and one of them may win.
        let is_found = out.starts_with(&folder) && skills.values().any(|skill| skill.kind == SKILL_MD);
        let note = is_found.then(|| {
            let folder = visible(&setup.fs.display(&folder)).into_owned();
            note_line(&format!("who searches {folder} finds these copies, too; `--output DIR` writes them elsewhere"))
        });
        Ok(Reply::new(Output::Styled(table + &done)).with_stderr(&note.unwrap_or_default()))
    }

    /// The skills below a folder by their names, but for those that were published before.
    fn published(self, setup: &Setup, folder: &FsPath) -> Result<BTreeMap<String, Published>, Failure> {
        let walked = walk(setup.files(), folder, None);
        if walked.is_cut {
            let shown = setup.fs.display(folder);
            let why = format!("`{}` has more folders than are looked at", visible(&shown));
            return Err(Failure::error("too-many-folders", why));
        }
        if let Some(failure) = findings::incomplete(&setup.fs, &walked.unread) {
            return Err(failure);
        }
        let (mut skills, mut refused) = (BTreeMap::new(), Vec::new());
        let published_before = format!("/{FOLDER}/");
        let is_published = |skill: &FsPath| skill.as_str().contains(&published_before);
        for skill in walked.skills.iter().filter(|skill| !is_published(skill)) {
            let mut refuse = |why: String| {
                // What lies in another skill is published with that one in any case, and may be a sample.
                if !and_above(skill).skip(1).any(|above| walked.skills.contains(&above)) {
                    refused.push(format!("`{}` cannot be published: {why}", visible(&setup.fs.display(skill))));
                }
            };
            match published(&Installed::read(setup, skill)) {
                Ok((name, _)) if skills.contains_key(&name) => refuse(format!("another skill is called `{name}`")),
                Ok((name, skill)) => drop(skills.insert(name, skill)),
                Err(why) => refuse(why),
            }
        }
        let shown = visible(&setup.fs.display(folder)).into_owned();
        if let Some(failure) = Failure::of_all("not-published", &refused) {
            let help = format!("nothing is written; {} says more about most of them", command(&["check"], &[&shown]));
            return Err(failure.with_help(help));
        }
        if skills.is_empty() {
            return Err(Failure::negative("no-skills", format!("there are no skills in `{shown}`")));
        }
        Ok(skills)
    }
}

/// A skill as it is published, and its name.
///
/// # Errors
/// Why the specification does not allow it.
fn published(copy: &Installed) -> Result<(String, Published), String> {
    let files = copy.files.as_ref().map_err(Clone::clone)?;
    if let Some(other) = files.others.first() {
        return Err(format!("`{other}` is not a regular file, which an archive of skills must not have"));
    }
    let text = copy.manifest().ok_or("expected a file `SKILL.md` in UTF-8")?;
    if !data::split_frontmatter(text).is_some_and(|(front, _)| data::is_yaml(front)) {
        return Err("expected a SKILL.md with a frontmatter of valid YAML".to_owned());
    }
    let fields = fields(text);
    let field = |name: &str| fields.get(name).cloned().flatten().unwrap_or_default();
    let (name, description) = (field("name"), field("description").trim().to_owned());
    if !is_name(&name) {
        return Err(format!("its name is `{name}`, expected 1 to 64 of a-z, 0-9 and hyphens"));
    }
    match description.chars().count() {
        0 => return Err("it has no description".to_owned()),
        length if MAX_DESCRIPTION < length => {
            return Err(format!("its description has {length} characters, expected at most {MAX_DESCRIPTION}"));
        }
        _ => {}
    }
    let (path, kind, bytes) = match files.files.as_slice() {
        [only] => (format!("{name}/SKILL.md"), SKILL_MD, only.bytes.clone()),
        files => {
            let entries = files.iter().map(|file| (file.path.as_str(), file.bytes.as_slice(), file.is_executable));
            (format!("{name}.tar.gz"), "archive", archives::write(entries).map_err(|error| error.to_string())?)
        }
    };
    Ok((name, Published { description, path, kind, bytes }))
}

/// What the index says about a skill. The address is that of a site's root, as all sites that were seen have it.
fn entry(name: &str, skill: &Published) -> Json {
    Json::map([
        ("name", Json::from(name)),
        ("type", skill.kind.into()),
        ("description", skill.description.as_str().into()),
        ("url", format!("/{FOLDER}/{}", skill.path).into()),
        ("digest", Digest::of(&skill.bytes).to_string().into()),
    ])
}

/// The index, with a line for each skill.
fn index_json(skills: &BTreeMap<String, Published>) -> String {
    let lines: Vec<String> = skills.iter().map(|(name, skill)| format!("\n    {}", entry(name, skill))).collect();
    format!("{{\n  \"$schema\": \"{SCHEMA}\",\n  \"skills\": [{}\n  ]\n}}\n", lines.join(","))
}
