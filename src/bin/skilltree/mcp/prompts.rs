//! The slash commands of skills as prompts.

use super::convert::{self, shown};
use super::engine::Engine;
use super::execute::{Execution, execute};
use super::pagination::page_in_order;
use crate::hints::error_message;
use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, ListPromptsResult, Prompt, PromptArgument, PromptMessage, Role};
use skilltree::{Catalog, Command, Commands, Error, visible};
use std::sync::Arc;

/// The only argument of each prompt.
const ARGUMENT: &str = "arguments";

/// Maximum number of prompts on a page.
const PROMPTS_A_PAGE: usize = 100;

/// All prompts, in the order of the catalog.
pub(super) fn prompts(catalog: &Catalog, commands: &Commands) -> impl Iterator<Item = Prompt> {
    commands.all().iter().map(|command| prompt(catalog, command))
}

/// A page of the prompts.
pub(super) fn page_of(engine: &Engine, cursor: Option<&str>) -> Result<ListPromptsResult, ErrorData> {
    let now = engine.snapshot();
    let Some(catalog) = &now.catalog else { return Ok(ListPromptsResult::default()) };
    let commands = now.commands(&engine.reserved).all();
    let (page, next) = page_in_order("prompts", commands, |command| &command.name, cursor, PROMPTS_A_PAGE)?;
    let prompts = page.iter().map(|command| prompt(catalog, command)).collect();
    Ok(ListPromptsResult { next_cursor: next, ..ListPromptsResult::with_all_items(prompts) })
}

fn prompt(catalog: &Catalog, command: &Command) -> Prompt {
    let hint = command.hint.as_deref().map(visible).unwrap_or_default();
    let help = if hint.is_empty() { "What the skill is to work on" } else { hint.as_ref() };
    let argument = PromptArgument::new(ARGUMENT).with_description(help).with_required(false);
    let prompt = Prompt::new(command.shown(), Some(visible(&command.description)), Some(vec![argument]));
    match catalog.get(&command.key) {
        Some(skill) => prompt.with_title(visible(&skill.name)),
        None => prompt,
    }
}

/// The message of a prompt.
pub(super) async fn get(
    engine: &Arc<Engine>,
    name: String,
    arguments: &JsonObject,
    context: &super::server::Context,
) -> Result<GetPromptResult, ErrorData> {
    let unknown = ErrorData::invalid_params(format!("unknown prompt `{}`", shown(&name)), None);
    if let Some(other) = arguments.keys().find(|key| *key != ARGUMENT) {
        return Err(refused(&Error::unknown_argument(other, &[ARGUMENT])));
    }
    let text = match arguments.get(ARGUMENT) {
        None => "",
        Some(value) => value
            .as_str()
            .ok_or_else(|| ErrorData::invalid_params(format!("expected a string for `{ARGUMENT}`"), None))?,
    };
    let line = format!("/{name} {text}");
    let snapshot = engine.snapshot();
    let commands = Arc::clone(snapshot.commands(&engine.reserved));
    let Some(command) = commands.find(&name).filter(|_| !name.contains(char::is_whitespace)).cloned() else {
        return Err(unknown);
    };
    let invoked = engine
        .run_blocking(move |engine| match &snapshot.catalog {
            Some(catalog) => skilltree::invoke(&engine.world(), catalog, &commands, &line),
            None => Ok(None),
        })
        .await?;
    let Some(invocation) = invoked.map_err(|error| refused(&error))? else { return Err(unknown) };
    match execute(engine, invocation, context).await? {
        Execution::Done { text, .. } => {
            let message = PromptMessage::new_text(Role::User, text);
            Ok(GetPromptResult::new(vec![message]).with_description(visible(&command.description)))
        }
        Execution::Refused { code, message } => Err(convert::error(&code, &message)),
    }
}

fn refused(error: &Error) -> ErrorData {
    convert::error(error.code(), &error_message(error))
}
