//! Hover: on the name, the description and the fences of a SKILL.md, what the model sees of the skill and what becomes of
//! it; on the other fields, what they mean.

use super::markdown::{block, escaped};
use super::server::{Refusal, Server};
use super::workspace::Workspace;
use crate::output::text::count;
use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};
use skilltree::author::{FieldRole, Outline};
use skilltree::offer::PromptRow;
use skilltree::{Catalog, FsPath, PromptRequest, Skill, World};

pub(super) fn hover(server: &mut Server, params: &HoverParams) -> Result<Option<Hover>, Refusal> {
    let params = &params.text_document_position_params;
    let (workspace, document) = server.open(&params.text_document.uri)?;
    let Some(path) = document.path.clone().filter(|path| workspace.is_skill(path)) else { return Ok(None) };
    let text = &document.text;
    let at = text.offset(params.position);
    let outline = Outline::of(workspace.dialect(), &path, text.as_str());
    let span = |from, to| text.offset_of(from)..text.offset_of(to);
    let on = outline.fields.iter().find_map(|field| {
        let whole = span(field.key.0, field.value.1.max(field.key.1));
        (whole.start <= at && at <= whole.end).then_some((field, whole))
    });
    let is_fence = text.line(params.position.line as usize).trim_end() == "---"
        && outline.body.is_some_and(|body| at < text.offset_of(body));
    let (range, markdown) = match on {
        Some((field, whole)) => match &field.role {
            Some(FieldRole::Name | FieldRole::Description | FieldRole::WhenToUse) => (Some(text.range(whole)), None),
            Some(role) => (Some(text.range(whole)), Some(role.description())),
            None => return Ok(None),
        },
        None if is_fence => (None, None),
        None => return Ok(None),
    };
    let markdown = match markdown {
        Some(markdown) => markdown,
        None => of_skill(server.workspace_mut()?, &path),
    };
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: markdown });
    Ok(Some(Hover { contents, range }))
}

/// What the model sees of the skill in a file, what that costs, and what becomes of the file.
fn of_skill(workspace: &mut Workspace, path: &FsPath) -> String {
    let catalog = workspace.catalog();
    workspace.with_world(|world| {
        let mut parts = Vec::new();
        let ask = PromptRequest::default();
        let is_it = |skill: &&Skill| skill.path == *path || skill.target.as_ref() == Some(path);
        if let Some(skill) = catalog.skills().iter().find(is_it) {
            parts.extend(row(world, &catalog, skill));
        }
        let known = catalog.seen().find(|seen| seen.path == path || seen.target == Some(path));
        let known = known.map(|seen| seen.path.clone());
        let known = known.unwrap_or_else(|| path.clone());
        for why in skilltree::why(world, &catalog, &world.fs.display(&known), &ask) {
            if why.path == known {
                let help = why.help.as_deref().map(|help| format!("  \n{}", escaped(help))).unwrap_or_default();
                let outcome = why.outcome.as_str();
                parts.push(format!("**{outcome}**: {}{help}", escaped(&why.message)));
            }
        }
        for shadowed in catalog.shadowed().iter().filter(|shadowed| shadowed.by == known) {
            parts.push(format!("It is used instead of {}.", escaped(&world.fs.display(&shadowed.skill.path))));
        }
        parts.join("\n\n")
    })
}

/// The row of a skill in the prompt, and its cost.
fn row(world: &World<'_>, catalog: &Catalog, skill: &Skill) -> Option<String> {
    let ask = PromptRequest::default();
    let row = PromptRow::of(world, catalog, skill, &ask);
    let prompt = skilltree::prompt(world, catalog, &ask);
    let unit = if row.in_tokens { "token" } else { "character" };
    let tokens = match row.in_tokens {
        true => String::new(),
        false => format!(", about {}", count(row.text.len().div_ceil(4), "token")),
    };
    let budget = prompt.budget.map_or(String::new(), |budget| format!(" of {budget}"));
    let (cost, whole) = (row.cost, prompt.cost);
    let costs = format!("It costs {}{tokens}; the whole list costs {whole}{budget}.", count(cost, unit));
    (!row.text.is_empty()).then(|| format!("The model sees:\n\n{}\n\n{costs}", block(&row.text)))
}
