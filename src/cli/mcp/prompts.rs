//! The slash commands of skills as prompts, and the completion of names.

use super::conversation::{Conversation, LOAD_AGAIN, REATTACH_PROMPT, invoked, losses, resumed};
use super::convert::{self, page_in_order, shown};
use super::engine::Engine;
use super::server::has_session;
use super::tools::{Execution, execute};
use crate::hints::error_message;
use rmcp::ErrorData;
use rmcp::model::{
    ArgumentInfo, CompleteResult, CompletionInfo, GetPromptResult, JsonObject, ListPromptsResult, Prompt,
    PromptArgument, PromptMessage, Reference, Role,
};
use skilltree::{Caller, Catalog, Command, Commands, Error, Invocation, visible};
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
    match catalog.find(&command.key, Caller::User) {
        Ok(skill) => prompt.with_title(visible(&skill.name)),
        Err(_) => prompt,
    }
}

/// Whether what was loaded can be put back: the dialect has a tool that loads, and there are skills.
fn puts_back(catalog: &Catalog) -> bool {
    skilltree::tool(catalog).is_ok()
}

/// The message of a prompt.
pub(super) async fn get(
    engine: &Arc<Engine>,
    name: String,
    arguments: &JsonObject,
    context: &super::server::Context,
) -> Result<GetPromptResult, ErrorData> {
    let unknown = unknown(&name);
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
            let has_session = has_session(context);
            let back = Conversation::reattached(engine, catalog.clone(), None, has_session).await?;
            let texts = [back.text.clone()].into_iter().chain(losses(catalog, &back));
            let texts = texts.chain((!has_session).then(|| LOAD_AGAIN.to_owned()));
            return Ok(GetPromptResult::new(texts.map(|text| PromptMessage::new_text(Role::User, text)).collect()));
        }
    }
    let Some(command) = commands.find(&name).filter(|_| !name.contains(char::is_whitespace)).cloned() else {
        return Err(unknown);
    };
    let (Some(catalog), has_session) = (snapshot.catalog.clone(), has_session(context)) else { return Err(unknown) };
    let of_line = catalog.clone();
    let invoked = engine
        .run_blocking(move |engine| invoked(engine, &of_line, &commands, &line, has_session))
        .await?
        .map_err(|error| refused(&error))?;
    let Some(invocation) = invoked else { return Err(unknown) };
    let is_pending = matches!(invocation, Invocation::Pending(_));
    let execution = execute(engine, invocation, context).await?;
    if has_session && is_pending {
        resumed(engine, &catalog, &execution, text);
    }
    match execution {
        Execution::Done { text, .. } => {
            let message = PromptMessage::new_text(Role::User, text);
            Ok(GetPromptResult::new(vec![message]).with_description(visible(&command.description)))
        }
        Execution::Refused { code, message, .. } => Err(convert::error(&code, &message)),
    }
}

fn unknown(name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("unknown prompt `{}`", shown(name)), None)
}

fn refused(error: &Error) -> ErrorData {
    convert::error(error.code(), &error_message(error))
}

/// The names that complete an argument: those that begin with the last word of its value, in byte order.
pub(super) fn complete(
    engine: &Engine,
    reference: &Reference,
    argument: &ArgumentInfo,
) -> Result<CompleteResult, ErrorData> {
    let names: Vec<String> = match reference {
        Reference::Prompt(prompt) => {
            let word = argument.value.rsplit(char::is_whitespace).next().unwrap_or_default();
            let snapshot = engine.snapshot();
            let commands = snapshot.commands(&engine.reserved);
            if commands.find(&prompt.name).is_none() && prompt.name != REATTACH_PROMPT {
                return Err(unknown(&prompt.name));
            }
            if argument.name != ARGUMENT {
                return Err(refused(&Error::unknown_argument(&argument.name, &[ARGUMENT])));
            }
            // In a line of several commands each begins with a slash.
            let slash = if word.starts_with('/') { "/" } else { "" };
            let before = argument.value.strip_suffix(word).unwrap_or_default();
            commands
                .complete(word)
                .into_iter()
                .map(Command::shown)
                .map(|name| format!("{before}{slash}{name}"))
                .collect()
        }
        Reference::Resource(_) => engine.with_resources(|resources| resources.paths_that_begin_with(&argument.value)),
        _ => Vec::new(),
    };
    let total = u32::try_from(names.len()).ok();
    let has_more = CompletionInfo::MAX_VALUES < names.len();
    let shown = names.into_iter().take(CompletionInfo::MAX_VALUES).collect();
    let mut info = CompletionInfo::new(shown).unwrap_or_default();
    (info.total, info.has_more) = (total, Some(has_more));
    Ok(CompleteResult::new(info))
}
