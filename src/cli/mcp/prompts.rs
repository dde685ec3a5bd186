//! The slash commands of skills as prompts.

use super::convert::{self, shown};
use super::engine::Engine;
use super::execute::{Execution, execute};
use super::pagination::page_in_order;
use super::sent::{Conversation, REATTACH_PROMPT};
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
    let mut prompts: Vec<Prompt> = page.iter().map(|command| prompt(catalog, command)).collect();
    if next.is_none() && puts_back(catalog) && !commands.iter().any(|command| command.name == REATTACH_PROMPT) {
        let help = "Restores the list of skills and the loaded skills after the conversation was compacted";
        prompts.push(Prompt::new(REATTACH_PROMPT, Some(help), None));
    }
    Ok(ListPromptsResult { next_cursor: next, ..ListPromptsResult::with_all_items(prompts) })
}

fn prompt(catalog: &Catalog, command: &Command) -> Prompt {
    let hint = command.hint.as_deref().map(visible).unwrap_or_default();
    let help = if hint.is_empty() { "Arguments for the skill" } else { hint.as_ref() };
    let argument = PromptArgument::new(ARGUMENT).with_description(help).with_required(false);
    let prompt = Prompt::new(command.shown(), Some(visible(&command.description)), Some(vec![argument]));
    match catalog.get(&command.key) {
        Some(skill) => prompt.with_title(visible(&skill.name)),
        None => prompt,
    }
}

/// Whether what was loaded can be put back: the dialect has a tool that loads, and there are skills.
fn puts_back(catalog: &Catalog) -> bool {
    skilltree::tool(catalog).is_ok()
}

/// The message that puts back what was loaded.
async fn reattached(engine: &Arc<Engine>, catalog: Catalog) -> Result<GetPromptResult, ErrorData> {
    let back = Conversation::reattached(engine, catalog, None).await?;
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, back.text.as_str())]))
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
    if let Some(catalog) = snapshot.catalog.as_ref().filter(|all| name == REATTACH_PROMPT && puts_back(all)) {
        if commands.find(&name).is_none() {
            return reattached(engine, catalog.clone()).await;
        }
    }
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
