//! In: a skill that is served. Out: the rule of the Agent Skills specification that it breaks all the same. A strict
//! client may refuse a whole list for one such entry, so whoever serves it wants to know. It is listed nonetheless: what
//! is there is not hidden from those who take it. Absent: the rules without which a skill is not served at all.

use super::ServedSkill;
use crate::text::json::Json;

/// How many characters a description has at most (spec S1).
const MAX_DESCRIPTION_CHARS: usize = 1_024;

/// How many characters `compatibility` has at most (spec S1).
const MAX_COMPATIBILITY_CHARS: usize = 500;

impl ServedSkill {
    /// The rule of the specification that its frontmatter breaks, and what to do; none for one that breaks none.
    pub fn broken_rule(&self) -> Option<(String, &'static str)> {
        if !self.name.is_ascii() {
            let reason = format!("the name `{}` is not ASCII", self.name);
            return Some((reason, "write the name with the letters a to z, digits and single hyphens"));
        }
        let description = self.frontmatter.get("description").and_then(Json::as_text).unwrap_or_default();
        let chars = description.chars().count();
        if MAX_DESCRIPTION_CHARS < chars {
            let reason = format!("the description has {chars} characters, expected at most {MAX_DESCRIPTION_CHARS}");
            return Some((reason, "say less in the description, and the rest in the body"));
        }
        match self.frontmatter.get("compatibility") {
            None => {}
            Some(Json::Text(text)) if (1..=MAX_COMPATIBILITY_CHARS).contains(&text.chars().count()) => {}
            Some(_) => {
                let reason = format!("`compatibility` is no text of 1 to {MAX_COMPATIBILITY_CHARS} characters");
                return Some((reason, "write it as one short text, or leave it out"));
            }
        }
        match self.frontmatter.get("metadata") {
            None => None,
            Some(Json::Map(fields)) => {
                let (name, _) = fields.iter().find(|(_, value)| value.as_text().is_none())?;
                Some((format!("`{name}` in `metadata` is no text"), "write its value in double quotes"))
            }
            Some(_) => Some(("`metadata` is no map".to_owned(), "write it as `name: \"text\"`, a line each")),
        }
    }
}
