//! The record of `gh skill`, which is in the frontmatter of the copy itself: where the skill came from, and the id that git has for
//! its folder there. As the frontmatter is written anew for the record, the copy never has that id, and only the source can tell.

use super::data::is_hex;
use super::records::{Installed, Record, fields, frontmatter};
use super::source::{Candidate, Sources, compare, is_same};
use super::tree::{Endings, File, with_endings};
use super::{Judgement, Verdict};
use skilltree::Json;

/// The fields of the metadata that `gh skill` adds.
const FIELDS: [&str; 5] = ["github-path", "github-pinned", "github-ref", "github-repo", "github-tree-sha"];

struct Provenance {
    repository: String,
    path: String,
    reference: String,
    tree: String,
}

/// The record of a copy, if it has one.
pub(crate) fn of(copy: &Installed) -> Option<Box<dyn Record>> {
    let bytes = &copy.files.as_ref().ok()?.get("SKILL.md")?.bytes;
    let mut fields = fields(&String::from_utf8_lossy(bytes));
    if !["github-repo", "github-tree-sha"].iter().any(|field| fields.contains_key(&format!("metadata.{field}"))) {
        return None;
    }
    let mut text = |key: &str| fields.remove(&format!("metadata.{key}")).flatten().unwrap_or_default();
    Some(Box::new(Provenance {
        repository: text("github-repo"),
        path: text("github-path"),
        reference: text("github-ref"),
        tree: text("github-tree-sha"),
    }))
}

impl Record for Provenance {
    fn judge(&self, copy: &Installed, sources: &Sources<'_>) -> Option<Judgement> {
        if !is_hex(&self.tree, 40) {
            return Some(Judgement::new(Verdict::Unknown, "`github-tree-sha` is not the id of a folder".to_owned()));
        }
        let files = match &copy.files {
            Ok(files) => files,
            Err(why) => return Some(Judgement::new(Verdict::NeedsSource, why.clone())),
        };
        let name = copy.name.as_deref().unwrap_or(copy.folder.name());
        let path = Some(self.path.as_str()).filter(|path| !path.is_empty());
        let candidates = sources.candidates(path, name);
        let is_source = |candidate: &&Candidate| candidate.is_tree(&self.tree);
        let known = candidates.iter().find(is_source);
        let by_tree = if known.is_none() { sources.by_tree(&self.tree) } else { None };
        let shown = format!("{} of {} ({})", self.tree, self.repository, self.path);
        Some(match (known.or(by_tree.as_ref()), candidates.first()) {
            (Some(source), _) => compare(files, &source.files, |_| false, &is_copied).judgement(&source.named),
            (None, Some(other)) => {
                let note = format!("the source {} is not the tree {shown}", other.named);
                Judgement::new(Verdict::NeedsSource, note)
            }
            (None, None) => Judgement::new(Verdict::NeedsSource, format!("the record is of the tree {shown}")),
        })
    }

    fn origin(&self, _: &Installed) -> Option<Json> {
        let fields = [("type", "git"), ("url", &self.repository), ("ref", &self.reference), ("path", &self.path)];
        let known = fields.into_iter().filter(|(_, value)| !value.is_empty());
        Some(Json::map(known.map(|(name, value)| (name, Json::from(value))))).filter(|_| !self.repository.is_empty())
    }
}

/// Whether a file is a copy of another one. The frontmatter of a SKILL.md has the same data but for the record, and the text after
/// it may begin and end with other empty lines.
fn is_copied(copy: &File, source: &File) -> bool {
    is_same(copy, source)
        || copy.path == "SKILL.md"
            && match (manifest(copy), manifest(source)) {
                (Some((front, body)), Some((of_source, source_body))) => {
                    body == source_body && has_same_data(&without_record(front), &without_record(of_source))
                }
                _ => false,
            }
}

fn manifest(file: &File) -> Option<(Json, String)> {
    let bytes = with_endings(&file.bytes, Endings::Lf);
    let (front, body) = frontmatter(std::str::from_utf8(&bytes).ok()?)?;
    Some((front, body.trim_matches('\n').to_owned()))
}

fn without_record(mut front: Json) -> Json {
    if let Json::Map(fields) = &mut front {
        for (_, value) in fields.iter_mut().filter(|(name, _)| name == "metadata") {
            if let Json::Map(metadata) = value {
                metadata.retain(|(name, _)| !FIELDS.contains(&name.as_str()));
            }
        }
        // A map that was only written for the record is not there in the source.
        fields.retain(|(name, value)| name != "metadata" || !matches!(value, Json::Map(fields) if fields.is_empty()));
    }
    front
}

/// Whether two values are the same, with the fields of maps in any order. Recurses as deep as the data was read.
fn has_same_data(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Map(a_fields), Json::Map(b_fields)) => {
            let is_in = |(name, value): &(String, Json)| b.get(name).is_some_and(|other| has_same_data(value, other));
            a_fields.len() == b_fields.len() && a_fields.iter().all(is_in)
        }
        (Json::List(a), Json::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| has_same_data(a, b)),
        // The line break at the end of the last field is lost where the frontmatter is cut out.
        (Json::Text(a), Json::Text(b)) => a.trim_end_matches('\n') == b.trim_end_matches('\n'),
        _ => a == b,
    }
}
