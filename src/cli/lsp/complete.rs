//! Completion: fields and their values in the frontmatter; files of the skill and names of skills in the body. What is being
//! written is found by the lines alone: while something is being written, the frontmatter is seldom valid YAML.

use super::documents::Document;
use super::markdown::prose;
use super::server::{Refusal, Server};
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionParams, CompletionTextEdit, Documentation, MarkupContent, MarkupKind,
    Range, TextEdit,
};
use skilltree::author::{FieldRole, FieldValue, Outline};
use skilltree::{Catalog, Dialect, FsPath};
use std::collections::BTreeSet;

pub(super) fn complete(server: &mut Server, params: &CompletionParams) -> Result<Vec<CompletionItem>, Refusal> {
    let params = &params.text_document_position;
    let uri = &params.text_document.uri;
    let (workspace, document) = server.open(uri)?;
    let at = document.text.offset(params.position);
    let Some(path) = document.path.clone().filter(|path| workspace.is_skill(path)) else { return Ok(Vec::new()) };
    let context = context(document.text.as_str(), at);
    let catalog = match &context {
        // The others need no skills.
        Context::Value { .. } | Context::Command { .. } => Some(server.workspace_mut()?.catalog()),
        Context::Key { .. } | Context::Link { .. } | Context::Nothing => None,
    };
    let (workspace, document) = server.open(uri)?;
    let (dialect, place) = (workspace.dialect(), Place { document, at });
    let files = || workspace.with_world(|world| Outline::files_beside(world, &path));
    Ok(match (context, catalog) {
        (Context::Key { parent, before, present }, _) => place.keys(dialect, parent.as_deref(), &before, &present),
        (Context::Value { field, before }, Some(catalog)) => {
            let role = dialect.fields().find(|(known, _)| *known == field).map(|(_, role)| role);
            let texts = role.map(|role| values(dialect, &catalog, role, &path, files)).unwrap_or_default();
            place.texts(texts, &before, CompletionItemKind::VALUE)
        }
        (Context::Command { before }, Some(catalog)) => {
            let skills = catalog.skills().iter().map(|skill| skill.key.clone()).collect();
            place.texts(skills, &before, CompletionItemKind::MODULE)
        }
        (Context::Link { before }, _) => {
            place.texts(files(), before.strip_prefix("./").unwrap_or(&before), CompletionItemKind::FILE)
        }
        (Context::Value { .. } | Context::Command { .. }, None) | (Context::Nothing, _) => Vec::new(),
    })
}

/// What may be written as the value of a field, as far as the table or the other skills know.
fn values(
    dialect: &Dialect,
    catalog: &Catalog,
    role: &FieldRole,
    path: &FsPath,
    files: impl Fn() -> Vec<String>,
) -> Vec<String> {
    let of_skills = |value: &dyn Fn(&skilltree::Skill) -> Vec<String>| -> Vec<String> {
        catalog.skills().iter().filter(|skill| skill.path != *path).flat_map(value).collect()
    };
    let one = |value: &Option<String>| value.iter().cloned().collect();
    match (role, role.value()) {
        (_, FieldValue::Flag) => vec!["true".to_owned(), "false".to_owned()],
        (_, FieldValue::Words(words)) => words.iter().map(|word| (*word).to_owned()).collect(),
        (FieldRole::Name, _) => path.parent().map(|dir| dir.name().to_owned()).into_iter().collect(),
        (FieldRole::Model, _) => of_skills(&|skill| one(&skill.frontmatter.run().model)),
        (FieldRole::Agent, _) => of_skills(&|skill| one(&skill.frontmatter.run().agent)),
        (FieldRole::Effort, _) => of_skills(&|skill| one(&skill.frontmatter.run().effort)),
        (FieldRole::License, _) => of_skills(&|skill| one(&skill.frontmatter.license)),
        (FieldRole::Namespace, _) => of_skills(&|skill| one(&skill.frontmatter.namespace)),
        (FieldRole::AllowedTools | FieldRole::DisallowedTools, _) => {
            let mut tools = of_skills(&|skill| {
                let lists = [&skill.frontmatter.allowed_tools, &skill.frontmatter.run().disallowed_tools];
                lists.into_iter().flatten().flatten().cloned().collect()
            });
            tools.extend(dialect.tool_name().map(str::to_owned));
            tools
        }
        (FieldRole::Permissions, _) => {
            ["@network", "@events", "@read:", "@write:"].iter().map(|tag| (*tag).to_owned()).collect()
        }
        (FieldRole::Scripts, _) => {
            files().iter().filter_map(|file| file.strip_prefix("scripts/")).map(str::to_owned).collect()
        }
        (FieldRole::Toolsets, _) => files(),
        (FieldRole::Products(product), _) => vec![product.to_string()],
        _ => Vec::new(),
    }
}

/// Where something is completed.
struct Place<'d> {
    document: &'d Document,
    at: usize,
}

impl Place<'_> {
    /// An item in place of what has been typed before it.
    fn item(&self, label: &str, insert: String, before: &str, kind: CompletionItemKind) -> CompletionItem {
        let text = &self.document.text;
        let typed = Range::new(text.position(self.at.saturating_sub(before.len())), text.position(self.at));
        CompletionItem {
            label: skilltree::visible(label).into_owned(),
            kind: Some(kind),
            filter_text: Some(label.to_owned()),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit { range: typed, new_text: insert })),
            ..Default::default()
        }
    }

    /// The fields that may be written here, below the field `parent` if there is one. Those that are present are not offered.
    fn keys(
        &self,
        dialect: &Dialect,
        parent: Option<&str>,
        before: &str,
        present: &BTreeSet<String>,
    ) -> Vec<CompletionItem> {
        let mut items: Vec<CompletionItem> = Vec::new();
        let mut offered = present.clone();
        for (path, role) in dialect.fields() {
            let inner = match parent {
                Some(parent) => path.strip_prefix(parent).and_then(|rest| rest.strip_prefix('.')),
                None => Some(path),
            };
            let Some(inner) = inner else { continue };
            let is_withdrawn = matches!(role, FieldRole::Removed(_));
            let (name, is_map) = match inner.split_once('.') {
                Some((outer, _)) => (outer, true),
                None => (inner, matches!(role.value(), FieldValue::Map)),
            };
            if is_withdrawn || !offered.insert(name.to_owned()) {
                continue;
            }
            let insert = if is_map { format!("{name}:") } else { format!("{name}: ") };
            let mut item = self.item(name, insert, before, CompletionItemKind::FIELD);
            item.detail = Some(dialect.name().to_owned());
            let is_outer = inner.contains('.');
            item.documentation = (!is_outer).then(|| {
                Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value: role.description() })
            });
            items.push(item);
        }
        items
    }

    fn texts(&self, texts: Vec<String>, before: &str, kind: CompletionItemKind) -> Vec<CompletionItem> {
        let texts: BTreeSet<String> = texts.into_iter().filter(|text| text.starts_with(before)).collect();
        texts.iter().map(|text| self.item(text, text.clone(), before, kind)).collect()
    }
}

/// What is being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// The key of a field, below the field `parent` if there is one; `present` are its neighbours.
    Key {
        parent: Option<String>,
        before: String,
        present: BTreeSet<String>,
    },
    /// The value of a field, or an item of its list.
    Value {
        field: String,
        before: String,
    },
    /// The destination of a link, or a path in backticks.
    Link {
        before: String,
    },
    /// The name of a command, behind its `/`.
    Command {
        before: String,
    },
    Nothing,
}

/// What is being written before a byte of a text. `before` is what has been written of it.
pub(super) fn context(text: &str, at: usize) -> Context {
    let Some(written) = text.get(..at) else { return Context::Nothing };
    let start = written.rfind('\n').map_or(0, |found| found + 1);
    let line = &written[start..];
    match frontmatter(text) {
        // The last line may be empty and still belong to a frontmatter that is not closed.
        Some((front, is_closed)) if front.start <= start && (start < front.end || !is_closed) => {
            of_field(&text[front.clone()], start - front.start, line)
        }
        Some((front, _)) if start < front.start => Context::Nothing,
        front => of_body(text, front.map_or(0, |(front, _)| front.end), start, line),
    }
}

/// The bytes of the lines of a frontmatter, and whether it is closed; if not, those to the end of the text.
fn frontmatter(text: &str) -> Option<(std::ops::Range<usize>, bool)> {
    let is_fence = |line: &str| line.trim_end() == "---";
    let mut at = text.len() - text.trim_start_matches('\u{feff}').len();
    let first = text[at..].split_inclusive('\n').next().filter(|line| is_fence(line))?;
    at += first.len();
    let start = at;
    for line in text[at..].split_inclusive('\n') {
        if is_fence(line) {
            return Some((start..at, true));
        }
        at += line.len();
    }
    Some((start..text.len(), false))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The key of a line `key: …`.
fn key(line: &str) -> Option<&str> {
    let key = line.trim_start_matches(' ').split_once(':')?.0;
    is_key(key).then_some(key)
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

fn of_field(front: &str, start: usize, line: &str) -> Context {
    let above = || front[..start.min(front.len())].lines();
    let depth = indent(line);
    let rest = &line[depth..];
    // A field of a map, or a list, belongs to the nearest line above that is less indented; a list may also begin where
    // its field does.
    let parent = |most: usize| {
        let mut above: Vec<&str> = above().collect();
        above.retain(|line| !line.trim().is_empty() && !line.trim_start().starts_with(['-', '#']));
        above.iter().rev().find(|line| indent(line) <= most).and_then(|line| key(line)).map(str::to_owned)
    };
    let outer = depth.checked_sub(1).map(parent);
    let path = |name: &str| match &outer {
        Some(Some(outer)) => format!("{outer}.{name}"),
        Some(None) | None => name.to_owned(),
    };
    if let Some(item) = rest.strip_prefix('-').filter(|item| item.is_empty() || item.starts_with(' ')) {
        return match parent(depth) {
            Some(field) => Context::Value { field, before: unquoted(item.trim_start()).to_owned() },
            None => Context::Nothing,
        };
    }
    if let Some((name, value)) = rest.split_once(':') {
        if !is_key(name) || !(value.is_empty() || value.starts_with(' ')) {
            return Context::Nothing;
        }
        let value = value.trim_start();
        let last = match value.strip_prefix('[') {
            Some(items) => items.rsplit(',').next().unwrap_or("").trim_start(),
            None => value.rsplit(", ").next().unwrap_or(""),
        };
        return Context::Value { field: path(name), before: unquoted(last).to_owned() };
    }
    if !rest.is_empty() && !is_key(rest) {
        return Context::Nothing;
    }
    let parent = match outer {
        Some(Some(outer)) => Some(outer),
        Some(None) => return Context::Nothing,
        None => None,
    };
    let present = neighbours(front, start, depth);
    Context::Key { parent, before: rest.to_owned(), present }
}

/// The keys of the lines around one that are indented as it is.
fn neighbours(front: &str, start: usize, depth: usize) -> BTreeSet<String> {
    let (above, below) = front.split_at(start.min(front.len()));
    let is_near = |line: &&str| line.trim().is_empty() || depth <= indent(line);
    let near = above.lines().rev().take_while(is_near).chain(below.lines().skip(1).take_while(is_near));
    near.filter(|line| indent(line) == depth).filter_map(key).map(str::to_owned).collect()
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix(['"', '\'']).unwrap_or(text)
}

fn of_body(text: &str, body: usize, start: usize, line: &str) -> Context {
    if !prose(text, body).any(|(at, _)| at == start) && start < text.len() {
        return Context::Nothing;
    }
    let has_no_space = |text: &str| !text.contains(char::is_whitespace);
    if let Some((_, before)) =
        line.rsplit_once("](").filter(|(_, before)| has_no_space(before) && !before.contains(')'))
    {
        return Context::Link { before: before.to_owned() };
    }
    let is_command = |before: &str| before.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
    if let Some((left, before)) = line.rsplit_once('/').filter(|(_, before)| is_command(before)) {
        if left.is_empty() || left.ends_with([' ', '`', '(', '"']) {
            return Context::Command { before: before.to_owned() };
        }
    }
    match line.rsplit_once('`') {
        Some((left, before)) if left.matches('`').count() % 2 == 0 && !before.is_empty() && has_no_space(before) => {
            Context::Link { before: before.to_owned() }
        }
        _ => Context::Nothing,
    }
}
