//! In: the names that an error is about. Out: how its message lists them. Absent: what went wrong.

use crate::text::list::quoted;

/// That the agent's own skills are trusted where the host says which they are.
pub(crate) fn own_bundle(bundle: &Option<String>) -> String {
    let told = |dir: &String| {
        format!(
            "; it is trusted if `{dir}` is declared as the folder of the agent's own \
         skills"
        )
    };
    bundle.as_ref().map(told).unwrap_or_default()
}

pub(crate) fn near_words(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", listed(near)) }
}

/// The arguments that there are, in a sentence of its own after a question.
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

pub(super) fn script_words(found: &Option<&'static str>, near: &[String], there: &[String], more: usize) -> String {
    let found = found.map(|found| format!(": that is {found}")).unwrap_or_default();
    match near {
        [] => format!("{found}; it has {}", all(there, more)),
        near => found + &near_words(near),
    }
}

pub(super) fn all(names: &[String], more: usize) -> String {
    let names = quoted(names, ", ");
    match (names.as_str(), more) {
        ("", _) => "none".to_owned(),
        (_, 0) => names,
        (names, more) => format!("{names} and {more} more"),
    }
}

pub(super) fn listed(names: &[String]) -> String {
    quoted(names, " or ")
}
