//! The rules of the Agent Skills specification that a strict client checks. It refuses a whole list for one entry that
//! breaks one, so such a skill is not served.

use crate::text::json::Json;

/// How many characters a description has at most (rule 6.13).
const MAX_DESCRIPTION_CHARS: usize = 1_024;

/// How many characters `compatibility` has at most (rule 6.13).
const MAX_COMPATIBILITY_CHARS: usize = 500;

/// A rule that is broken.
pub(super) struct Broken {
    /// The field that breaks it.
    pub(super) field: &'static str,
    /// How.
    pub(super) reason: String,
    /// What to do.
    pub(super) help: &'static str,
}

/// The rule that a frontmatter of this name breaks; none for one that breaks none.
pub(super) fn broken(name: &str, frontmatter: &Json) -> Option<Broken> {
    let broken = |field, reason, help| Some(Broken { field, reason, help });
    if !name.is_ascii() {
        let help = "write the name with the letters a to z, digits and single hyphens";
        return broken("name", format!("the name `{name}` is not ASCII"), help);
    }
    let description = frontmatter.get("description").and_then(Json::as_text).unwrap_or_default();
    let chars = description.chars().count();
    if MAX_DESCRIPTION_CHARS < chars {
        let reason = format!("the description has {chars} characters, expected at most {MAX_DESCRIPTION_CHARS}");
        return broken("description", reason, "shorten the description, and put the rest in the body");
    }
    match frontmatter.get("compatibility") {
        None => {}
        Some(Json::Text(text)) if (1..=MAX_COMPATIBILITY_CHARS).contains(&text.chars().count()) => {}
        Some(_) => {
            let reason = format!("its `compatibility` is not a text of 1 to {MAX_COMPATIBILITY_CHARS} characters");
            return broken("compatibility", reason, "write it as one short text, or leave it out");
        }
    }
    match frontmatter.get("metadata") {
        None => None,
        Some(Json::Map(fields)) => {
            let (name, _) = fields.iter().find(|(_, value)| value.as_text().is_none())?;
            broken("metadata", format!("`{name}` in its `metadata` is not text"), "write its value in double quotes")
        }
        Some(_) => broken(
            "metadata",
            "its `metadata` is not a mapping".to_owned(),
            "write it as lines of the form `name: \
                 \"text\"`",
        ),
    }
}
