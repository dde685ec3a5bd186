//! The texts of a converted frontmatter that are not only moved: what is too long is cut, and what the other system needs
//! is added.

use super::fields::{Translation, text};
use super::names::Names;
use crate::dialect::{DescriptionFallback, Dialect, FieldRole, Necessity};
use crate::discovery::manifest::is_absent;
use crate::text::escape::visible;
use crate::text::words::{first_heading, first_paragraph};
use crate::text::yaml::Value;

impl Translation<'_, '_> {
    /// Cuts a text that is longer than the target allows, at the end of a word.
    pub(super) fn shorten(&mut self, role: &FieldRole) {
        let Some(limit) = self.to.limits.iter().find(|limit| limit.role == *role) else { return };
        let own = &self.original.own;
        let text_now = match role {
            FieldRole::Compatibility => own.needs().compatibility.as_deref(),
            _ => own.description.as_deref(),
        };
        let (Some(full), Some(path)) = (text_now, self.to.path_of(role)) else { return };
        let path = path.to_owned();
        let Some(short) = cut_at_word(full, limit.max_chars) else { return };
        if self.get(&path).is_some() {
            self.set(&path, text(short), None);
            self.report_cut(&path, full, short, limit.max_chars);
        }
    }

    pub(super) fn report_cut(&mut self, path: &str, full: &str, short: &str, max_chars: usize) {
        let cut = full.chars().count() - short.chars().count();
        let to = &self.to.name;
        let what = if cut == 1 { "1 character is".to_owned() } else { format!("{cut} characters are") };
        self.lose(path, format!("{what} cut off at its end, as `{to}` expects at most {max_chars}"));
    }

    pub(super) fn add_name(&mut self, names: &Names) {
        let Some(path) = self.to.path_of(&FieldRole::Name).map(str::to_owned) else { return };
        // The source may read another name than the one that is written.
        let is_written = |name: &&str| match self.get(&path).map(|node| (&node.value, node.style)) {
            // White space counts in quotes alone (rule 6.2).
            Some((Value::Text(written), style)) if style.is_quoted() => written == name,
            Some((Value::Text(written), _)) => written.trim() == *name,
            _ => false,
        };
        if let Some(name) = names.field.as_deref().filter(|name| !is_written(name)) {
            // A name that is new comes first.
            self.set(&path, text(name), Some(0));
        }
    }

    /// Adds the description that the source shows if the frontmatter has none and the target needs one or would show
    /// another.
    pub(super) fn add_description(&mut self, new_body: &str) {
        let Some(path) = self.to.path_of(&FieldRole::Description).map(str::to_owned) else { return };
        if self.get(&path).is_some_and(|value| !is_absent(value)) {
            return;
        }
        let to = self.to;
        let is_required = to
            .fields
            .iter()
            .any(|field| field.role == FieldRole::Description && field.necessity == Necessity::Required);
        let shown = self.original.own.description.clone();
        let body = self.original.body;
        let is_shown_differently = shown.is_some() && fallback(self.from, body) != fallback(to, new_body);
        if !is_required && !is_shown_differently {
            return;
        }
        let found = shown.or_else(|| first_paragraph(body)).or_else(|| first_heading(body));
        let found = found.unwrap_or_else(|| self.original.skill.name.clone());
        let most = to.limits.iter().find(|limit| limit.role == FieldRole::Description).map(|limit| limit.max_chars);
        let short = most.and_then(|most| cut_at_word(&found, most)).unwrap_or(&found).to_owned();
        if let Some(most) = most.filter(|_| short != found) {
            self.report_cut(&path, &found, &short, most);
        }
        let after_name = usize::from(self.to.path_of(&FieldRole::Name).is_some_and(|name| self.get(name).is_some()));
        self.set(&path, text(&short), Some(after_name));
    }

    /// Writes the namespace that the skill has from its plugin, which the copy is not in.
    pub(super) fn add_namespace(&mut self) {
        let original = self.original;
        let plugin = original.skill.source.namespace.as_deref();
        let given = original.skill.frontmatter.namespace.as_deref().or(plugin);
        let Some(namespace) = given.filter(|_| original.own.namespace.is_none()) else { return };
        match self.to.path_of(&FieldRole::Namespace).map(str::to_owned) {
            Some(path) => self.set(&path, text(namespace), None),
            None => {
                let reason = format!(
                    "the namespace `{}` comes from the plugin, and `{}` has no field for it",
                    visible(namespace),
                    self.to.name
                );
                self.lose("namespace", reason);
            }
        }
    }

    /// Reports a state that the user has given to the skill, which is not stored in it.
    pub(super) fn report_state(&mut self) {
        let state = self.original.skill.state;
        if self.from.states.as_ref().is_some_and(|rule| rule.default != state) {
            let kept = if self.to.states.is_some() { "is not copied" } else { "does not exist there" };
            self.lose("state", format!("the state `{}` that the user has given to the skill {kept}", state.as_str()));
        }
    }
}

/// What a dialect takes from a body for a description that is missing.
fn fallback(dialect: &Dialect, body: &str) -> Option<String> {
    match dialect.description_fallback {
        DescriptionFallback::None => None,
        DescriptionFallback::FirstParagraph => first_paragraph(body),
        DescriptionFallback::FirstHeading => first_heading(body),
    }
}

/// The beginning of a text with at most so many characters, up to the end of a word; `None` if the text is not longer.
fn cut_at_word(text: &str, max_chars: usize) -> Option<&str> {
    let (end, next) = text.char_indices().nth(max_chars)?;
    let cut = text.get(..end)?;
    if next.is_whitespace() {
        return Some(cut.trim_end());
    }
    let words = cut.rfind(char::is_whitespace).and_then(|space| cut.get(..space)).map(str::trim_end);
    Some(words.filter(|words| !words.is_empty()).unwrap_or(cut))
}
