//! Completes names: of prompts in the argument of a prompt, and of addresses in the template of a resource.

use super::engine::Engine;
use rmcp::model::{ArgumentInfo, CompleteResult, CompletionInfo, Reference};
use skilltree::Command;

/// The names that complete an argument: those that begin with the last word of its value, in byte order.
pub(super) fn complete(engine: &Engine, reference: &Reference, argument: &ArgumentInfo) -> CompleteResult {
    let names: Vec<String> = match reference {
        Reference::Prompt(_) => {
            let word = argument.value.rsplit(char::is_whitespace).next().unwrap_or_default();
            let snapshot = engine.snapshot();
            let commands = snapshot.commands(&engine.reserved);
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
    CompleteResult::new(info)
}
