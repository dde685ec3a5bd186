//! How the messages of errors list names and suggest similar ones.

use crate::text::list::quoted;

/// Tells how a skill in `bundle` would be trusted: if that folder is declared as the agent's own.
pub(crate) fn trust_advice(bundle: &Option<String>) -> String {
    let advice = |dir| format!("; it is trusted if `{dir}` is declared as the folder of the agent's own skills");
    bundle.as_ref().map(advice).unwrap_or_default()
}

/// Suggests similar names, if there are any.
pub(crate) fn suggestion(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", listed(near)) }
}

/// Lists the arguments that a call takes, as a sentence of its own if it follows a question.
pub(super) fn known_words(known: &[String], is_after_question: bool) -> String {
    let names = quoted(known, ", ");
    match (known.len(), is_after_question) {
        (0, _) => "; none is taken".to_owned(),
        (1, true) => format!(" The only argument is {names}"),
        (1, false) => format!("; the only argument is {names}"),
        (_, true) => format!(" The arguments are {names}"),
        (_, false) => format!("; the arguments are {names}"),
    }
}

/// Says what was found instead of a script, and suggests similar scripts or lists those that exist.
pub(super) fn script_words(found: &Option<&'static str>, near: &[String], there: &[String], more: usize) -> String {
    let found = found.map(|found| format!(": that is {found}")).unwrap_or_default();
    match near {
        [] => format!("{found}; it has {}", all(there, more)),
        near => found + &suggestion(near),
    }
}

/// Lists names and how many more there are: `none`, or `` `a`, `b` and 3 more ``.
pub(super) fn all(names: &[String], more: usize) -> String {
    let names = quoted(names, ", ");
    match (names.as_str(), more) {
        ("", _) => "none".to_owned(),
        (_, 0) => names,
        (names, more) => format!("{names} and {more} more"),
    }
}

/// Lists names as alternatives: `` `a` or `b` ``.
pub(super) fn listed(names: &[String]) -> String {
    quoted(names, " or ")
}

impl super::Error {
    /// The nearest names to one that is not known, at most three, if the message does not name them.
    pub fn near(&self) -> &[String] {
        match self {
            super::Error::NotFound { near, .. } => near,
            _ => &[],
        }
    }
}
