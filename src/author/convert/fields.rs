//! Translates the fields of a frontmatter by the field tables of two dialects: a field is written under the key that the
//! other table has for the same meaning (rule 27.1).

use super::names::Names;
use super::roles::{has_effect, is_list, is_restricting, is_text, purpose};
use super::{Loss, Original};
use crate::dialect::{Dialect, FieldRole, Permitted, RESTRICTING_FIELDS, ToolsRule};
use crate::discovery::manifest::is_absent;
use crate::package::CopyFile;
use crate::text::escape::visible;
use crate::text::lower::lower;
use crate::text::yaml::{Node, Span, Style, Value};

/// The fields of a converted skill.
pub(super) struct Fields {
    /// The entries of the frontmatter.
    pub(super) entries: Vec<Entry>,
    /// The name and the text of the second file of fields, if a field belongs there.
    pub(super) sidecar: Option<(String, String)>,
}

/// An entry of the new frontmatter.
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) value: Node,
    /// The number of the entry of the old frontmatter that is the same.
    pub(super) same_as: Option<usize>,
}

/// A field that gets another key.
struct Move {
    /// Its place among the entries, for a key that is not nested.
    at: usize,
    path: String,
    value: Node,
}

/// A node that is not in the text of the file.
pub(super) fn node(value: Value, style: Style) -> Node {
    Node { value, span: Span { start: 0, end: 0 }, style, tag: None }
}

/// A text, without quotes if it can be written so.
pub(super) fn text(text: &str) -> Node {
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic()) && !is_other_word(text);
    node(Value::Text(text.to_owned()), if is_word { Style::Plain } else { Style::Double })
}

/// Whether some reader of YAML takes a word for a flag, a number or nothing.
fn is_other_word(word: &str) -> bool {
    matches!(lower(word).as_str(), "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n" | "null" | "nan" | "inf")
}

pub(super) fn flag(value: bool) -> Node {
    node(Value::Text(value.to_string()), Style::Plain)
}

/// Why a pair of a map is lost whose key is a list or a map.
const ODD_KEY: &str = "a key that is not a text is not read, so it is left out";

/// The frontmatter that is being translated.
pub(super) struct Translation<'o, 'l> {
    pub(super) original: &'o Original<'o>,
    pub(super) from: &'o Dialect,
    pub(super) to: &'o Dialect,
    entries: Vec<Entry>,
    moves: Vec<Move>,
    pub(super) lost: &'l mut Vec<Loss>,
}

/// What becomes of a field.
enum Fate {
    /// It stays, maybe with another value.
    Stays(Option<Node>),
    Moves(String, Node),
    Goes,
}

/// Translates the frontmatter. `body` is the new body, from which a description may be taken.
pub(super) fn translate(
    original: &Original<'_>,
    names: &Names,
    copied: &[CopyFile],
    body: &str,
    lost: &mut Vec<Loss>,
) -> Fields {
    let (from, to) = (original.from, original.to);
    let mut all = Translation { original, from, to, entries: Vec::new(), moves: Vec::new(), lost };
    all.add_all();
    for (before, Move { at, path, value }) in std::mem::take(&mut all.moves).into_iter().enumerate() {
        all.set(&path, value, Some(at + before));
    }
    all.shorten(&FieldRole::Description);
    all.shorten(&FieldRole::Compatibility);
    all.add_name(names);
    all.add_description(body);
    all.add_namespace();
    all.report_state();
    let sidecar = all.sidecar(copied);
    Fields { entries: all.entries, sidecar }
}

impl Translation<'_, '_> {
    fn add_all(&mut self) {
        let original = self.original;
        for (number, (key, value)) in original.map.iter().flatten().enumerate() {
            let Value::Text(name) = &key.value else {
                self.lose("frontmatter", ODD_KEY.to_owned());
                continue;
            };
            if has_unread(value) {
                self.lose(name, "it contains a YAML alias that was not resolved, or is nested too deep".to_owned());
            }
            let is_nested = self.from.has_nested_fields(name) || self.to.has_nested_fields(name);
            // Fields are nested in maps; a dot in a key means nothing.
            if name.contains('.') {
                self.entries.push(Entry { key: name.clone(), value: value.clone(), same_as: Some(number) });
                continue;
            }
            match &value.value {
                Value::Map(inner) if is_nested && may_hold_fields(self.from, name) => {
                    self.add_map(number, name, value, inner);
                }
                _ => match self.fate(name, value) {
                    Fate::Stays(changed) => {
                        let same_as = changed.is_none().then_some(number);
                        let value = changed.unwrap_or_else(|| self.as_read(name, value));
                        self.entries.push(Entry { key: name.clone(), value, same_as });
                    }
                    Fate::Moves(path, value) => self.moves.push(Move { at: self.entries.len(), path, value }),
                    Fate::Goes => {}
                },
            }
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
            let path = format!("{name}.{inner_name}");
            match self.fate(&path, value) {
                Fate::Stays(None) => kept.push((key.clone(), self.as_read(&path, value))),
                Fate::Stays(Some(changed)) => {
                    kept.push((key.clone(), changed));
                    is_same = false;
                }
                Fate::Moves(path, value) => {
                    self.moves.push(Move { at: self.entries.len(), path, value });
                    is_same = false;
                }
                Fate::Goes => is_same = false,
            }
        }
        if is_same || !kept.is_empty() {
            let value = Node { value: Value::Map(kept), ..map.clone() };
            self.entries.push(Entry { key: name.to_owned(), value, same_as: is_same.then_some(number) });
        }
    }

    /// Decides what becomes of the field at a path.
    fn fate(&mut self, path: &str, value: &Node) -> Fate {
        let restricting = || RESTRICTING_FIELDS.iter().find(|(key, _)| *key == path).map(|(_, role)| role);
        let role = self.from.role_of(path).or_else(restricting);
        let there = self.to.role_of(path);
        let Some(role) = role else {
            return self.fate_of_unknown(path, there, value);
        };
        let has_own_path = |path: Option<&str>| {
            let is_there = |known: &str| path.is_none_or(|path| known == path);
            self.to.fields.iter().any(|field| field.role == *role && is_there(&field.path))
        };
        // The key that all dialects share gives way to the target's own.
        let is_same = there == Some(role) && (has_own_path(Some(path)) || !has_own_path(None));
        if is_same || (there.is_none() && is_restricting(role)) {
            self.report_other_effect(path, role);
            return Fate::Stays(self.spelled(role, value));
        }
        let opposite = match role {
            FieldRole::NotForModel => Some(FieldRole::ForModel),
            FieldRole::ForModel => Some(FieldRole::NotForModel),
            _ => None,
        };
        let is_kept_data = matches!(role, FieldRole::Kept | FieldRole::Removed(_));
        if let Some(target) = self.to.path_of(role).filter(|_| !is_kept_data) {
            let target = target.to_owned();
            if self.is_followed(role, path) {
                return Fate::Goes;
            }
            self.report_other_effect(&target, role);
            let value = self.spelled(role, value).unwrap_or_else(|| self.as_read(path, value));
            return Fate::Moves(target, value);
        }
        if let Some(path) = opposite.as_ref().and_then(|role| self.to.path_of(role)) {
            if is_absent(value) {
                return Fate::Goes;
            }
            let is_for_model = !self.original.frontmatter.not_for_model;
            let value = if *role == FieldRole::NotForModel { is_for_model } else { !is_for_model };
            return Fate::Moves(path.to_owned(), flag(value));
        }
        if has_effect(role, &self.original.own, value) && !self.has_in_sidecar(role) {
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
            if is_text(role) && !value.style.is_quoted() && written.trim() != written {
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

    /// A field that is unknown in the source is kept, but it may mean something in the target.
    fn fate_of_unknown(&mut self, path: &str, there: Option<&FieldRole>, value: &Node) -> Fate {
        let is_inert = match there {
            None => true,
            Some(role) => matches!(role, FieldRole::Kept | FieldRole::Removed(_)) || is_absent(value),
        };
        if !is_inert {
            let (from, to) = (&self.from.name, &self.to.name);
            self.lose(path, format!("`{from}` does not know the field; `{to}` does, so it takes effect there"));
        }
        Fate::Stays(None)
    }

    /// Reports a field that both systems have and that one of them does not go by, or goes by differently.
    fn report_other_effect(&mut self, path: &str, role: &FieldRole) {
        let own = &self.original.own;
        let (before, after) = match role {
            FieldRole::AllowedTools if own.allowed_tools.is_some() => {
                let effect = |rule| match rule {
                    ToolsRule::Ignored => "ignores it",
                    ToolsRule::Grants => "grants the tools that it lists",
                    ToolsRule::Restricts => "allows no other tools than those that it lists",
                };
                (effect(self.from.allowed_tools), effect(self.to.allowed_tools))
            }
            _ => return,
        };
        if before != after {
            self.lose(path, format!("`{}` {before}, `{}` {after}", self.from.name, self.to.name));
        }
    }

    /// The value as it must be spelled for the target; `None` if it stays as it is.
    fn spelled(&self, role: &FieldRole, value: &Node) -> Option<Node> {
        if is_absent(value) {
            return None;
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
            _ => return (is_text(role) && is_odd(value)).then(|| as_written(value)),
        };
        let own = &self.original.own;
        let set = match role {
            FieldRole::NotForModel => Some(own.not_for_model),
            FieldRole::ForModel => Some(!own.not_for_model),
            FieldRole::ForUser => Some(!own.not_for_user),
            FieldRole::Pinned => Some(own.pinned),
            FieldRole::Sandbox => Some(own.run().sandbox),
            FieldRole::Background => own.run().background,
            FieldRole::DefaultEnabled => own.triggers().default_enabled,
            _ => None,
        };
        match set {
            Some(set) if self.to.header.other_flags == Permitted::No && *written != set.to_string() => Some(flag(set)),
            Some(_) => None,
            None => {
                let is_name = matches!(role, FieldRole::Name | FieldRole::Description);
                let is_word = written.starts_with(char::is_alphabetic) && !is_other_word(written);
                let must_quote =
                    is_name && !is_word && value.style == Style::Plain && self.to.header.other_scalars == Permitted::No;
                must_quote.then(|| node(Value::Text(written.clone()), Style::Double))
            }
        }
    }

    pub(super) fn lose(&mut self, field: &str, reason: String) {
        self.lost.push(Loss::new(visible(field), reason));
    }

    /// The value of a field of the new frontmatter.
    pub(super) fn get(&self, path: &str) -> Option<&Node> {
        let find = |key: &str| self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value);
        let Some((outer, inner)) = path.split_once('.') else { return find(path) };
        let Value::Map(map) = &find(outer)?.value else { return None };
        map.iter().find(|(key, _)| matches!(&key.value, Value::Text(name) if name == inner)).map(|(_, value)| value)
    }

    /// Sets a field of the new frontmatter, at a place among the entries if it is new.
    pub(super) fn set(&mut self, path: &str, value: Node, at: Option<usize>) {
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

/// Whether a dialect may have fields in the map of this key: it has no meaning of its own, or is the author's own map.
fn may_hold_fields(dialect: &Dialect, key: &str) -> bool {
    dialect.role_of(key).is_none_or(|role| *role == FieldRole::Metadata)
}

/// Whether a value contains something that is not read. The depth is bounded by `yaml::MAX_DEPTH`.
fn has_unread(node: &Node) -> bool {
    match &node.value {
        Value::Absent => true,
        Value::Text(_) => false,
        Value::List(items) => items.iter().any(has_unread),
        Value::Map(pairs) => pairs.iter().any(|(key, value)| has_unread(key) || has_unread(value)),
    }
}
