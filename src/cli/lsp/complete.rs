//! Completion: fields and their values in the frontmatter; files of the skill and names of skills in the body.

use super::documents::Document;
use super::server::{Refusal, Server};
use super::yaml_line::{Context, context};
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionParams, CompletionTextEdit, Documentation, MarkupContent, MarkupKind,
    Position, Range, TextEdit,
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
    /// The range of what has been typed.
    fn typed(&self, before: &str) -> Range {
        let end: Position = self.document.text.position(self.at);
        let start = self.document.text.position(self.at.saturating_sub(before.len()));
        Range::new(start, end)
    }

    fn item(&self, label: &str, insert: String, before: &str, kind: CompletionItemKind) -> CompletionItem {
        CompletionItem {
            label: skilltree::visible(label).into_owned(),
            kind: Some(kind),
            filter_text: Some(label.to_owned()),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit { range: self.typed(before), new_text: insert })),
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
