//! Points a model to the knowledge files that a document names in its frontmatter: [`KnowledgeHint::of`] returns
//! their paths and titles (rule 12.7).

use crate::diagnostic::{Code, Diagnostic, Mark, Severity};
use crate::dialect::{Dialect, KnowledgeRule};
use crate::discovery::manifest::{
    DiagnosticSink, FrontmatterOutcome, HEAD_BYTES, PREFIX_BYTES, front, read_fields_of_document, utf8,
};
use crate::discovery::world::World;
use crate::fs::FsError;
use crate::model::skill::ContainedFs;
use crate::offer::fill::fill_unescaped;
use crate::path::FsPath;
use crate::text::escape::{angles, fold, one_line, visible};
use crate::text::lines::Source;
use crate::text::words::first_heading;
use crate::text::yaml::Value;
use std::collections::HashSet;
use std::sync::Arc;

/// The widest column of paths. Without a limit, one long path would make every row as long.
const MAX_COLUMNS: usize = 100;

/// A pointer to knowledge files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnowledgeHint {
    /// The text for the model. Empty if there are no knowledge files.
    pub text: String,
    /// One finding for each file that is named and does not exist.
    pub findings: Vec<Diagnostic>,
}

impl KnowledgeHint {
    /// The hint for any document with frontmatter, such as the specification of an agent. `path` is the path of the document in
    /// findings. The hint is empty if the dialect has no knowledge files.
    ///
    /// ```
    /// use skilltree::{FsPath, MemFs, Places, World, dialect};
    /// use skilltree::loading::KnowledgeHint;
    /// let mut fs = MemFs::new();
    /// fs.file("/p/.sven/knowledge/tea.md", "---\nsubsystem: Tea\n---\n");
    /// let places = Places { project: FsPath::new("/p").ok(), ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let spec = "---\nname: brewer\nknowledge: [tea.md]\n---\nBrew.\n";
    /// let hint = KnowledgeHint::of(&world, &dialect("sven").unwrap(), &FsPath::new("/p/agent.md").unwrap(), spec);
    /// assert!(hint.text.ends_with("  - .sven/knowledge/tea.md (Tea)"));
    /// ```
    pub fn of(world: &World<'_>, dialect: &Arc<Dialect>, path: &FsPath, text: &str) -> KnowledgeHint {
        let dialect = &dialect.in_world(world);
        let (frontmatter, marks) = read_fields_of_document(world.extras, dialect, path, text);
        hint(world, dialect, path, &frontmatter.needs().knowledge, &marks)
    }
}

/// The hint for these files. `marks` are the positions in the document that name them.
pub(crate) fn hint(
    world: &World<'_>,
    dialect: &Dialect,
    path: &FsPath,
    files: &[String],
    marks: &[Mark],
) -> KnowledgeHint {
    let mut hint = KnowledgeHint::default();
    let (Some(rule), Some(project)) = (&dialect.knowledge, &world.places.project) else { return hint };
    let Ok(dir) = project.join(&rule.dir) else { return hint };
    // The folder may be a symlink of the project, and the titles in its files are shown to a model.
    let containment = world.places.containment(Vec::new());
    let files_of_project = ContainedFs::new(world.fs, containment.as_ref());
    let world = &World { fs: &files_of_project, ..*world };
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut named = HashSet::new();
    for (n, file) in files.iter().enumerate() {
        match title(world, dialect, (rule, &dir), file) {
            Ok((file, title)) if named.insert(file.clone()) => {
                // The hint is part of a frame with tags, which a name or a title must not close (rule 12.6).
                let file = format!("{}/{file}", rule.dir);
                let title = title.as_deref().map(|title| angles(title).into_owned());
                rows.push((angles(&fold(&visible(&file))).into_owned(), title.unwrap_or_default()));
            }
            Ok(_) => {}
            Err(place) => {
                let (file, dir) = (visible(file), &rule.dir);
                let (reason, step) = match place {
                    Misplaced::Outside => ("lies outside of", format!("move it into `{dir}`")),
                    Misplaced::Nowhere => ("is not in", format!("create `{dir}/{file}`")),
                };
                let message = format!("the knowledge file `{file}` {reason} `{dir}`");
                let help = format!("{step}, or remove it from the field");
                let mut finding =
                    Diagnostic::new(Severity::Warning, Code::KnowledgeMissing, path.clone(), message).help(help);
                if let Some(mark) = marks.get(n) {
                    finding.mark(mark.clone());
                }
                hint.findings.push(finding);
            }
        }
    }
    if rows.is_empty() {
        return hint;
    }
    // The paths are padded, as in the sample of the dialect's document, so that the titles form a column.
    let width = rows.iter().map(|(file, _)| file.chars().count()).max().unwrap_or(0).min(MAX_COLUMNS);
    hint.text.push_str(&rule.header);
    for (file, title) in &rows {
        hint.text.push('\n');
        // Without a title, the part of the row about it is left out.
        let width = if title.is_empty() { 0 } else { width };
        fill_unescaped(&rule.row, &[("file", &format!("{file:width$}")), ("title", title)], &mut hint.text);
    }
    hint
}

/// Why a knowledge file cannot be used.
enum Misplaced {
    /// Its path leads out of the folder of knowledge.
    Outside,
    /// It cannot be read there.
    Nowhere,
}

/// The path of a knowledge file below its folder, and its title.
fn title(
    world: &World<'_>,
    dialect: &Dialect,
    (rule, dir): (&KnowledgeRule, &FsPath),
    file: &str,
) -> Result<(String, Option<String>), Misplaced> {
    let path = dir.join(file).map_err(|_| Misplaced::Outside)?;
    let shown = path.relative_to(dir).unwrap_or(file).to_owned();
    let mut head = world.fs.read_within(dir, file, PREFIX_BYTES).map_err(|error| match error {
        FsError::Escapes(_) => Misplaced::Outside,
        _ => Misplaced::Nowhere,
    })?;
    let title = loop {
        let is_cut = (head.bytes.len() as u64) < head.len;
        let Ok(text) = utf8(&head.bytes, is_cut) else { break None };
        let source = Source::new(text);
        let mut notes = DiagnosticSink::new(&path, &source);
        let has_more = is_cut && head.bytes.len() as u64 == PREFIX_BYTES;
        let front = front(world.extras, dialect, &mut notes, has_more);
        let fields = [&*rule.title_field, "title"];
        let title = front.as_ref().and_then(|front| fields.iter().find_map(|name| field(&front.outcome, name)));
        if title.is_some() || !has_more {
            break title.or_else(|| shown_title(&first_heading(source.text().get(front?.body)?)?));
        }
        let Ok(longer) = world.fs.read_within(dir, file, HEAD_BYTES) else { break None };
        head = longer;
    };
    Ok((shown, title))
}

/// A title on one line; `None` if nothing of it is visible.
fn shown_title(text: &str) -> Option<String> {
    Some(one_line(text).into_owned()).filter(|title| !title.is_empty())
}

fn field(outcome: &FrontmatterOutcome, name: &str) -> Option<String> {
    let FrontmatterOutcome::Map(map) = outcome else { return None };
    let (_, node) = map.iter().find(|(key, _)| matches!(&key.value, Value::Text(text) if text == name))?;
    let Value::Text(text) = &node.value else { return None };
    shown_title(text)
}
