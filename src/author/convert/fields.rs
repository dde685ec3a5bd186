//! Translates the fields of a frontmatter by the field tables of two dialects: a field is written under the key that the
//! other table has for the same meaning (rule 27.1). What is too long is cut, what the other system needs is added, and
//! the second file of fields (rule 6.20) is written anew.

use super::{Loss, Names, Original};
use crate::author::field::FieldValue;
use crate::dialect::{
    DescriptionFallback, Dialect, FieldRole, Markup, Necessity, OtherFlags, OtherScalars, RESTRICTING_FIELDS, ToolsRule,
};
use crate::discovery::manifest::{is_absent, without_tags};
use crate::model::skill::{Frontmatter, ScriptList};
use crate::package::CopyFile;
use crate::text::escape::visible;
use crate::text::lower::lower;
use crate::text::words::{first_heading, first_line, first_paragraph, first_three_lines};
use crate::text::yaml::{Node, Span, Style, Value};

pub(super) struct Entry {
    pub(super) key: String,
    pub(super) value: Node,
    /// The number of the entry of the old frontmatter that is the same.
    pub(super) same_as: Option<usize>,
}

/// A node that is not in the text of the file.
fn node(value: Value, style: Style) -> Node {
    Node { value, span: Span { start: 0, end: 0 }, style, tag: None }
}

/// A text, without quotes if it can be written so.
fn text(text: &str) -> Node {
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic()) && !is_other_word(text);
    node(Value::Text(text.to_owned()), if is_word { Style::Plain } else { Style::Double })
}

/// Whether some reader of YAML takes a word for a flag, a number or nothing.
fn is_other_word(word: &str) -> bool {
    matches!(lower(word).as_str(), "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n" | "null" | "nan" | "inf")
}

fn flag(value: bool) -> Node {
    node(Value::Text(value.to_string()), Style::Plain)
}

/// Why a pair of a map is lost whose key is a list or a map.
const ODD_KEY: &str = "a key that is not a text is not read, so it is left out";

struct Translation<'o, 'l> {
    original: &'o Original<'o>,
    from: &'o Dialect,
    to: &'o Dialect,
    entries: Vec<Entry>,
    /// Fields that get another key: their place among the entries, for a key that is not nested, the key, and the value.
    moves: Vec<(usize, String, Node)>,
    lost: &'l mut Vec<Loss>,
}

enum Fate {
    /// It stays, maybe with another value.
    Stays(Option<Node>),
    Moves(String, Node),
    Goes,
}

/// Translates the frontmatter: its entries, and the name and the text of the second file of fields, if a field belongs
/// there. `body` is the new body, from which a description may be taken.
pub(super) fn translate(
    original: &Original<'_>,
    names: &Names,
    copied: &[CopyFile],
    body: &str,
    lost: &mut Vec<Loss>,
) -> (Vec<Entry>, Option<(String, String)>) {
    let (from, to) = (original.from, original.to);
    let mut all = Translation { original, from, to, entries: Vec::new(), moves: Vec::new(), lost };
    all.add_all();
    for (before, (at, path, value)) in std::mem::take(&mut all.moves).into_iter().enumerate() {
        all.set(&path, value, Some(at + before));
    }
    all.shorten(&FieldRole::Description);
    all.shorten(&FieldRole::Compatibility);
    all.add_name(names);
    all.add_description(body);
    all.report_tags();
    all.add_namespace();
    all.report_state();
    let sidecar = all.sidecar(copied);
    (all.entries, sidecar)
}

impl Translation<'_, '_> {
    fn add_all(&mut self) {
        let original = self.original;
        for (number, (key, value)) in original.map.iter().flatten().enumerate() {
            let Value::Text(name) = &key.value else {
                self.lose("frontmatter", ODD_KEY.to_owned());
                continue;
            };
            if any_node(value, &|node| matches!(node.value, Value::Absent)) {
                self.lose(name, "it contains a YAML alias that was not resolved, or is nested too deep".to_owned());
            }
            let is_nested = self.from.has_nested_fields(name) || self.to.has_nested_fields(name);
            // A dialect may have fields in the map of a key that has no meaning of its own, or is the author's own map.
            let may_hold_fields = self.from.role_of(name).is_none_or(|role| *role == FieldRole::Metadata);
            // Fields are nested in maps; a dot in a key means nothing.
            if name.contains('.') {
                self.entries.push(Entry { key: name.clone(), value: value.clone(), same_as: Some(number) });
                continue;
            }
            match &value.value {
                Value::Map(inner) if is_nested && may_hold_fields => {
                    self.add_map(number, name, value, inner);
                }
                _ => {
                    if let Some((value, is_same)) = self.kept(name, value) {
                        let same_as = is_same.then_some(number);
                        self.entries.push(Entry { key: name.clone(), value, same_as });
                    }
                }
            }
        }
    }

    /// The value that stays at the path of a field, and whether it is the same; `None` if the field moves or goes.
    fn kept(&mut self, path: &str, value: &Node) -> Option<(Node, bool)> {
        match self.fate(path, value) {
            Fate::Stays(None) => Some((self.as_read(path, value), true)),
            Fate::Stays(Some(changed)) => Some((changed, false)),
            Fate::Moves(path, value) => {
                self.moves.push((self.entries.len(), path, value));
                None
            }
            Fate::Goes => None,
        }
    }

    /// Adds a map in which one of the dialects has fields.
    fn add_map(&mut self, number: usize, name: &str, map: &Node, inner: &[(Node, Node)]) {
        let mut kept = Vec::with_capacity(inner.len());
        let mut is_same = true;
        for (key, value) in inner {
            let Value::Text(inner_name) = &key.value else {
                self.lose(name, ODD_KEY.to_owned());
                is_same = false;
                continue;
            };
            let value = self.kept(&format!("{name}.{inner_name}"), value);
            is_same &= matches!(value, Some((_, true)));
            kept.extend(value.map(|(value, _)| (key.clone(), value)));
        }
        if is_same || !kept.is_empty() {
            let value = Node { value: Value::Map(kept), ..map.clone() };
            self.entries.push(Entry { key: name.to_owned(), value, same_as: is_same.then_some(number) });
        }
    }

    fn fate(&mut self, path: &str, value: &Node) -> Fate {
        let restricting = || RESTRICTING_FIELDS.iter().find(|(key, _)| *key == path).map(|(_, role)| role);
        let role = self.from.role_of(path).or_else(restricting);
        let there = self.to.role_of(path);
        let Some(role) = role else {
            // It is kept, but it may mean something in the target.
            let has_meaning = |role: &FieldRole| !matches!(role, FieldRole::Kept | FieldRole::Removed(_));
            if there.is_some_and(has_meaning) && !is_absent(value) {
                let (from, to) = (&self.from.name, &self.to.name);
                self.lose(path, format!("`{from}` does not know the field; `{to}` does, so it takes effect there"));
            }
            return Fate::Stays(None);
        };
        let has_own_path = |path: Option<&str>| {
            let is_there = |known: &str| path.is_none_or(|path| known == path);
            self.to.fields.iter().any(|field| field.role == *role && is_there(&field.path))
        };
        // The key that all dialects share gives way to the target's own.
        let is_same = there == Some(role) && (has_own_path(Some(path)) || !has_own_path(None));
        if is_same || (there.is_none() && is_restricting(role)) {
            return match self.report_other_effect(path, role) {
                true => Fate::Goes,
                false => Fate::Stays(self.spelled(role, value)),
            };
        }
        let opposite = match role {
            FieldRole::NotForModel => Some(FieldRole::ForModel),
            FieldRole::ForModel => Some(FieldRole::NotForModel),
            _ => None,
        };
        let is_kept_data = matches!(role, FieldRole::Kept | FieldRole::Removed(_));
        if let Some(target) = self.to.path_of(role).filter(|_| !is_kept_data) {
            if self.is_followed(role, path) || self.report_other_effect(target, role) {
                return Fate::Goes;
            }
            let value = self.spelled(role, value).unwrap_or_else(|| self.as_read(path, value));
            return Fate::Moves(target.to_owned(), value);
        }
        if let Some(path) = opposite.as_ref().and_then(|role| self.to.path_of(role)) {
            if is_absent(value) && !self.is_restricted(role) {
                return Fate::Goes;
            }
            let is_for_model = !self.original.frontmatter.not_for_model;
            let value = if *role == FieldRole::NotForModel { is_for_model } else { !is_for_model };
            return Fate::Moves(path.to_owned(), flag(value));
        }
        // Both make the skill a task for an agent of its own (rule 16.4).
        let of_task = match role {
            FieldRole::Sandbox => Some((FieldRole::Context, text("fork"))),
            FieldRole::Context => Some((FieldRole::Sandbox, flag(true))),
            _ => None,
        };
        let of_task = of_task.filter(|_| self.has_effect(role, value));
        if let Some((path, value)) = of_task.and_then(|(role, value)| Some((self.to.path_of(&role)?, value))) {
            return Fate::Moves(path.to_owned(), value);
        }
        if self.has_effect(role, value) && !self.has_in_sidecar(role) {
            let reason = match role {
                FieldRole::Kept => format!("`{}` does not know the field", self.to.name),
                _ => format!("`{}` has no field for {}", self.to.name, purpose(role)),
            };
            self.lose(path, reason);
        }
        let outer_role = path.split_once('.').and_then(|(outer, _)| self.to.role_of(outer));
        match there.is_none() && outer_role.is_none() && !self.to.has_nested_fields(path) {
            true => Fate::Stays(None),
            false => Fate::Goes,
        }
    }

    /// The value of the field at a path. A text is without the white space around it, such as the newline at the end of a block
    /// scalar: it is written in quotes, where white space counts (rule 6.2).
    fn as_read(&self, path: &str, value: &Node) -> Node {
        let mut value = value.clone();
        if let (Value::Text(written), Some(role)) = (&mut value.value, self.from.role_of(path)) {
            if role.is_text() && !value.style.is_quoted() && written.trim() != written {
                *written = written.trim().to_owned();
            }
        }
        value
    }

    /// Whether a field with the same meaning follows the one at a path, so that it is the one that counts.
    fn is_followed(&self, role: &FieldRole, path: &str) -> bool {
        let mut last = None;
        for (key, value) in self.original.map.iter().flatten() {
            let Value::Text(name) = &key.value else { continue };
            if self.from.role_of(name) == Some(role) {
                last = Some(name.clone());
            }
            let Value::Map(inner) = &value.value else { continue };
            for (key, _) in inner {
                let Value::Text(inner_name) = &key.value else { continue };
                let inner_path = format!("{name}.{inner_name}");
                if self.from.role_of(&inner_path) == Some(role) {
                    last = Some(inner_path);
                }
            }
        }
        last.is_some_and(|last| last != path)
    }

    /// Reports a field that both systems have and that one of them does not go by, or goes by differently. Returns whether it
    /// would grant what it was written to restrict to.
    fn report_other_effect(&mut self, path: &str, role: &FieldRole) -> bool {
        if *role != FieldRole::AllowedTools || self.original.own.allowed_tools.is_none() {
            return false;
        }
        let effect = |rule| match rule {
            ToolsRule::Ignored => "ignores it",
            ToolsRule::Grants => "grants the tools that it lists",
            ToolsRule::Restricts => "allows no other tools than those that it lists",
        };
        let (before, after) = (effect(self.from.allowed_tools), effect(self.to.allowed_tools));
        if before != after {
            self.lose(path, format!("`{}` {before}, `{}` {after}", self.from.name, self.to.name));
        }
        (self.from.allowed_tools, self.to.allowed_tools) == (ToolsRule::Restricts, ToolsRule::Grants)
    }

    /// Whether a field says something else than it would if it were absent.
    fn has_effect(&self, role: &FieldRole, value: &Node) -> bool {
        let own = &self.original.own;
        let is_empty_list = matches!(&value.value, Value::List(items) if items.is_empty());
        match role {
            _ if is_absent(value) => self.is_restricted(role),
            FieldRole::Removed(_) => false,
            FieldRole::Pinned => own.pinned,
            FieldRole::NotForModel | FieldRole::ForModel => own.not_for_model,
            FieldRole::ForUser => own.not_for_user,
            FieldRole::Sandbox => own.run().sandbox,
            FieldRole::Background => own.run().background == Some(true),
            FieldRole::DefaultEnabled => own.triggers().default_enabled == Some(false),
            FieldRole::Context => own.run().fork == Some(true),
            FieldRole::Scripts => own.run().scripts != ScriptList::Absent,
            _ => !is_empty_list,
        }
    }

    /// Whether the other way of reading sets this flag to what restricts more (rule 9.13).
    fn is_restricted(&self, role: &FieldRole) -> bool {
        flag_of(role, &self.original.own) != flag_of(role, &self.original.read)
    }

    /// The value as it must be spelled for the target; `None` if it stays as it is.
    fn spelled(&self, role: &FieldRole, value: &Node) -> Option<Node> {
        let (own, read) = (&self.original.own, &self.original.read);
        if let Some(names) = list_of(role, own).filter(|names| list_of(role, read) != Some(*names)) {
            let names = names.iter().map(|name| text(name)).collect();
            return Some(node(Value::List(names), Style::Flow));
        }
        if is_absent(value) {
            return flag_of(role, own).filter(|_| self.is_restricted(role)).map(flag);
        }
        if let (FieldRole::Metadata, Value::Map(pairs)) = (role, &value.value) {
            let is_read = |(key, _): &&(Node, Node)| matches!(key.value, Value::Text(_));
            let read: Vec<_> = pairs.iter().filter(is_read).cloned().collect();
            return (read.len() < pairs.len()).then(|| Node { value: Value::Map(read), ..value.clone() });
        }
        // A list or a map in place of a text is read as the text that it is written as.
        let is_odd = |node: &Node| matches!(node.value, Value::List(_) | Value::Map(_));
        let as_written =
            |node: &Node| text(self.original.text.get(node.span.start..node.span.end).unwrap_or_default().trim());
        let written = match &value.value {
            Value::Text(written) => written,
            Value::List(items) if is_list(role) && items.iter().any(is_odd) => {
                let items = items.iter().map(|item| if is_odd(item) { as_written(item) } else { item.clone() });
                return Some(Node { value: Value::List(items.collect()), ..value.clone() });
            }
            _ => {
                let as_text = || (role.is_text() && is_odd(value)).then(|| as_written(value));
                return flag_of(role, own).map(flag).or_else(as_text);
            }
        };
        match flag_of(role, own) {
            Some(set) => {
                let is_as_written = match self.to.header.other_flags {
                    OtherFlags::Yes => !self.is_restricted(role),
                    OtherFlags::No => *written == set.to_string(),
                    OtherFlags::Yaml => *written == set.to_string() && value.style == Style::Plain,
                };
                (!is_as_written).then(|| flag(set))
            }
            None => {
                let is_name = matches!(role, FieldRole::Name | FieldRole::Description);
                let is_word = written.starts_with(char::is_alphabetic) && !is_other_word(written);
                let must_quote = is_name
                    && !is_word
                    && value.style == Style::Plain
                    && self.to.header.other_scalars != OtherScalars::Yes;
                must_quote.then(|| node(Value::Text(written.clone()), Style::Double))
            }
        }
    }

    fn lose(&mut self, field: &str, reason: String) {
        self.lost.push(Loss::new(visible(field), reason));
    }

    fn get(&self, path: &str) -> Option<&Node> {
        let find = |key: &str| self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value);
        let Some((outer, inner)) = path.split_once('.') else { return find(path) };
        let Value::Map(map) = &find(outer)?.value else { return None };
        map.iter().find(|(key, _)| matches!(&key.value, Value::Text(name) if name == inner)).map(|(_, value)| value)
    }

    /// Sets a field of the new frontmatter, at a place among the entries if it is new.
    fn set(&mut self, path: &str, value: Node, at: Option<usize>) {
        let (key, inner) = path.split_once('.').map_or((path, None), |(outer, inner)| (outer, Some(inner)));
        let at = at.filter(|at| *at < self.entries.len()).unwrap_or(self.entries.len());
        let found = self.entries.iter_mut().find(|entry| entry.key == key);
        let pair = |inner: &str, value| (node(Value::Text(inner.to_owned()), Style::Plain), value);
        match (found, inner) {
            (Some(entry), None) => {
                entry.same_as = None;
                entry.value = value;
            }
            (Some(entry), Some(inner)) => {
                entry.same_as = None;
                let is_it = |key: &Node| matches!(&key.value, Value::Text(name) if name == inner);
                match &mut entry.value.value {
                    Value::Map(map) => match map.iter_mut().find(|(key, _)| is_it(key)) {
                        Some((_, old)) => *old = value,
                        None => map.push(pair(inner, value)),
                    },
                    _ => entry.value = node(Value::Map(vec![pair(inner, value)]), Style::Block),
                }
            }
            (None, None) => self.entries.insert(at, Entry { key: key.to_owned(), value, same_as: None }),
            (None, Some(inner)) => {
                let value = node(Value::Map(vec![pair(inner, value)]), Style::Block);
                self.entries.insert(at, Entry { key: key.to_owned(), value, same_as: None });
            }
        }
    }
}

/// Whether this is true of a value, or of a key or a value in it. The depth is bounded by `yaml::MAX_DEPTH`.
pub(super) fn any_node(node: &Node, is_it: &dyn Fn(&Node) -> bool) -> bool {
    is_it(node)
        || match &node.value {
            Value::Text(_) | Value::Absent => false,
            Value::List(items) => items.iter().any(|item| any_node(item, is_it)),
            Value::Map(pairs) => pairs.iter().any(|(key, value)| any_node(key, is_it) || any_node(value, is_it)),
        }
}

impl Translation<'_, '_> {
    /// Cuts a text that is longer than the target allows, at the end of a word.
    fn shorten(&mut self, role: &FieldRole) {
        let Some(limit) = self.to.limits.iter().find(|limit| limit.role == *role) else { return };
        let own = &self.original.own;
        let text_now = match role {
            FieldRole::Compatibility => own.needs().compatibility.as_deref(),
            _ => own.description.as_deref(),
        };
        let (Some(full), Some(path)) = (text_now, self.to.path_of(role)) else { return };
        let Some(short) = cut_at_word(full, limit.max_chars) else { return };
        if self.get(path).is_some() {
            self.set(path, text(short), None);
            self.report_cut(path, full, short, limit.max_chars);
        }
    }

    fn report_cut(&mut self, path: &str, full: &str, short: &str, max_chars: usize) {
        let cut = full.chars().count() - short.chars().count();
        let to = &self.to.name;
        let what = if cut == 1 { "1 character is".to_owned() } else { format!("{cut} characters are") };
        self.lose(path, format!("{what} cut off at its end, as `{to}` expects at most {max_chars}"));
    }

    fn add_name(&mut self, names: &Names) {
        let Some(path) = self.to.path_of(&FieldRole::Name) else { return };
        // The source may read another name than the one that is written.
        let is_written = |name: &&str| match self.get(path).map(|node| (&node.value, node.style)) {
            // White space counts in quotes alone (rule 6.2).
            Some((Value::Text(written), style)) if style.is_quoted() => written == name,
            Some((Value::Text(written), _)) => written.trim() == *name,
            _ => false,
        };
        if let Some(name) = names.field.as_deref().filter(|name| !is_written(name)) {
            // A name that is new comes first.
            self.set(path, text(name), Some(0));
        }
    }

    /// Adds the description that the source shows if the frontmatter has none and the target needs one or would show
    /// another.
    fn add_description(&mut self, new_body: &str) {
        let to = self.to;
        let Some(path) = to.path_of(&FieldRole::Description) else { return };
        if self.get(path).is_some_and(|value| !is_absent(value)) {
            return;
        }
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
            self.report_cut(path, &found, &short, most);
        }
        let after_name = usize::from(self.to.path_of(&FieldRole::Name).is_some_and(|name| self.get(name).is_some()));
        self.set(path, text(&short), Some(after_name));
    }

    /// Reports tags in the description that the target removes and the source does not.
    fn report_tags(&mut self) {
        let to = self.to;
        if to.header.markup != Markup::Removed || self.from.header.markup == Markup::Removed {
            return;
        }
        let Some(path) = to.path_of(&FieldRole::Description) else { return };
        let has_tags = |text: &str| without_tags(text) != text;
        if self.get(path).and_then(Node::as_text).is_some_and(has_tags) {
            self.lose(path, format!("`{}` removes the tags in it, from `<` to `>`", to.name));
        }
    }

    /// Writes the namespace that the skill has from its plugin, which the copy is not in.
    fn add_namespace(&mut self) {
        let original = self.original;
        let plugin = original.skill.source.namespace.as_deref();
        let given = original.skill.frontmatter.namespace.as_deref().or(plugin);
        let Some(namespace) = given.filter(|_| original.own.namespace.is_none()) else { return };
        match self.to.path_of(&FieldRole::Namespace) {
            Some(path) => self.set(path, text(namespace), None),
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
    fn report_state(&mut self) {
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
        DescriptionFallback::FirstThreeLines => first_three_lines(body),
        DescriptionFallback::FirstLine => Some(first_line(body)),
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

impl Translation<'_, '_> {
    /// Whether the target has a field with this role, or its opposite, in its second file.
    fn has_in_sidecar(&self, role: &FieldRole) -> bool {
        let is_it =
            |other: &FieldRole| other == role || matches!((role, other), (FieldRole::NotForModel, FieldRole::ForModel));
        self.to.sidecar.iter().any(|rule| rule.fields.iter().any(|field| is_it(&field.role)))
    }

    /// The second file of fields for the target, and what that of the source says and the target cannot.
    fn sidecar(&mut self, copied: &[CopyFile]) -> Option<(String, String)> {
        let original = self.original;
        let (own, all) = (&original.own, &original.frontmatter);
        let is_same_file = self.to.sidecar == self.from.sidecar;
        if own != all && !is_same_file {
            let file = self.from.sidecar.as_ref().map_or("", |rule| rule.path.as_ref()).to_owned();
            if all.needs().is_for_other_products {
                self.lose(&file, format!("`{}` has no field for the products that a skill is for", self.to.name));
            }
            if all.not_for_model && !own.not_for_model {
                let to = self.to;
                match (to.path_of(&FieldRole::NotForModel), to.path_of(&FieldRole::ForModel)) {
                    (Some(path), _) => self.set(path, flag(true), None),
                    (None, Some(path)) => self.set(path, flag(false), None),
                    (None, None) if self.has_in_sidecar(&FieldRole::ForModel) => {}
                    (None, None) => {
                        self.lose(&file, format!("`{}` has no field for {}", to.name, purpose(&FieldRole::ForModel)));
                    }
                }
            }
        }
        let rule = self.to.sidecar.as_ref().filter(|_| all.not_for_model)?;
        let has_own_field =
            [FieldRole::NotForModel, FieldRole::ForModel].iter().any(|role| self.to.path_of(role).is_some());
        let field = rule.fields.iter().find(|field| field.role == FieldRole::ForModel).filter(|_| !has_own_field)?;
        if copied.iter().any(|file| file.to == rule.path) {
            // The file says it already.
            if is_same_file && !own.not_for_model {
                return None;
            }
            self.lose(&rule.path, format!("the file exists, so `{}: false` could not be written to it", field.path));
            return None;
        }
        let text = match field.path.split_once('.') {
            Some((outer, inner)) => format!("{outer}:\n  {inner}: false\n"),
            None => format!("{}: false\n", field.path),
        };
        Some((rule.path.to_string(), text))
    }
}

/// Whether a field restricts the skill in every dialect.
fn is_restricting(role: &FieldRole) -> bool {
    RESTRICTING_FIELDS.iter().any(|(_, restricting)| restricting == role)
}

/// Whether the value of a field is a list of texts. A list of scripts is not: with anything else in it, it is not read.
fn is_list(role: &FieldRole) -> bool {
    role.value() == FieldValue::List && *role != FieldRole::Scripts
}

/// What a flag says in this frontmatter; `None` for a field that is no flag, or that is not there.
fn flag_of(role: &FieldRole, frontmatter: &Frontmatter) -> Option<bool> {
    match role {
        FieldRole::NotForModel => Some(frontmatter.not_for_model),
        FieldRole::ForModel => Some(!frontmatter.not_for_model),
        FieldRole::ForUser => Some(!frontmatter.not_for_user),
        FieldRole::Pinned => Some(frontmatter.pinned),
        FieldRole::Sandbox => Some(frontmatter.run().sandbox),
        FieldRole::Background => frontmatter.run().background,
        FieldRole::DefaultEnabled => frontmatter.triggers().default_enabled,
        _ => None,
    }
}

/// What a list that restricts has in this frontmatter; `None` for another field, and for one that is not there.
fn list_of<'f>(role: &FieldRole, frontmatter: &'f Frontmatter) -> Option<&'f [String]> {
    match (role, &frontmatter.run().scripts) {
        (FieldRole::AllowedTools, _) => frontmatter.allowed_tools.as_deref(),
        (FieldRole::DisallowedTools, _) => frontmatter.run().disallowed_tools.as_deref(),
        (FieldRole::Scripts, ScriptList::Names(names)) => Some(names),
        _ => None,
    }
}

/// What a field is for, after "a field for".
fn purpose(role: &FieldRole) -> &'static str {
    match role {
        FieldRole::Name => "a name",
        FieldRole::Description => "a description",
        FieldRole::Version => "a version",
        FieldRole::License => "a licence",
        FieldRole::Compatibility => "the environment that a skill needs",
        FieldRole::Metadata => "the author's own data",
        FieldRole::AllowedTools => "allowed tools",
        FieldRole::ArgumentHint => "a hint for arguments",
        FieldRole::Pinned => "skills that are always in the prompt",
        FieldRole::NotForModel | FieldRole::ForModel => "hiding a skill from the model",
        FieldRole::ForUser => "hiding a skill from the user",
        FieldRole::NeedsBins => "required programs",
        FieldRole::NeedsEnv => "required environment variables",
        FieldRole::Knowledge => "knowledge files",
        FieldRole::Namespace => "a namespace",
        FieldRole::WhenToUse => "when to use a skill",
        FieldRole::Context => "running a skill as a task of its own",
        FieldRole::Agent => "the agent that runs a skill",
        FieldRole::Model => "the model to use",
        FieldRole::Effort => "the reasoning effort of the model",
        FieldRole::Background => "running a skill in the background",
        FieldRole::Shell => "the shell of commands",
        FieldRole::Arguments => "the names of arguments",
        FieldRole::Paths => "the files for which a skill is meant",
        FieldRole::Sandbox => "a sandbox",
        FieldRole::Permissions => "permissions",
        FieldRole::DisallowedTools => "disallowed tools",
        FieldRole::Toolsets => "toolsets",
        FieldRole::Scripts => "the scripts that may be run",
        FieldRole::Keywords | FieldRole::Verbs | FieldRole::Patterns => "triggers",
        FieldRole::Brief => "a short description",
        FieldRole::DefaultEnabled => "whether a skill is enabled by default",
        FieldRole::Products(_) => "the products that a skill is for",
        FieldRole::Kept | FieldRole::Removed(_) => "it",
    }
}
