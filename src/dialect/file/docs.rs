//! Doc comments as descriptions in plain text, and the placeholders of templates, which doc comments name.

use super::shape::{Docs, kebab};

/// The placeholders that the doc comment of a template names: the names in backticks after `Placeholders:` or
/// `Placeholder:`, outside of parentheses, and the same with `@` if one of them is written so.
pub(crate) struct Placeholders {
    names: Vec<&'static str>,
    has_attributes: bool,
}

impl Placeholders {
    pub(crate) fn of(docs: Docs) -> Placeholders {
        let mut placeholders = Placeholders { names: Vec::new(), has_attributes: false };
        let (mut has_begun, mut depth) = (false, 0_usize);
        for line in docs {
            for (n, part) in line.split('`').enumerate() {
                if n % 2 == 0 {
                    let listed = ["Placeholders:", "Placeholder:"].iter().find_map(|word| part.split_once(word));
                    has_begun |= listed.is_some();
                    let plain = listed.map_or(part, |(_, after)| after);
                    for c in plain.chars() {
                        depth = match c {
                            '(' => depth + 1,
                            ')' => depth.saturating_sub(1),
                            _ => depth,
                        };
                    }
                } else if has_begun && depth == 0 {
                    placeholders.add(part);
                }
            }
        }
        placeholders
    }

    fn add(&mut self, name: &'static str) {
        let bare = name.strip_prefix('@');
        self.has_attributes |= bare.is_some();
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        if is_name && !self.names.contains(&name) {
            self.names.push(name);
        }
    }

    /// Whether a template may have this placeholder.
    pub(crate) fn has(&self, name: &str) -> bool {
        let bare = if self.has_attributes { name.strip_prefix('@').unwrap_or(name) } else { name };
        self.names.contains(&bare)
    }

    /// The names, without those with `@`.
    pub(crate) fn names(&self) -> &[&'static str] {
        &self.names
    }
}

/// A doc comment as plain text: without links and citations, and with values as they are written in a file.
pub(crate) fn plain(docs: Docs) -> String {
    let lines: Vec<&str> = docs.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
    let text = without_citations(&without_links(&lines.join(" ")));
    let mut out = String::new();
    for (n, part) in text.split('`').enumerate() {
        if n % 2 == 0 {
            out.push_str(part);
        } else {
            out.push('`');
            out.push_str(&file_form(part));
            out.push('`');
        }
    }
    out
}

/// The first sentence of a doc comment as plain text, up to the example, without its end.
pub(crate) fn summary(docs: Docs) -> String {
    let text = plain(docs);
    let mut end = text.len();
    let (mut is_code, mut is_behind) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            '`' => is_code = !is_code,
            ' ' if is_behind && !is_code => {
                end = at;
                break;
            }
            _ => {}
        }
        is_behind = matches!(c, '.' | ':' | ';');
    }
    text[..end].trim_end_matches(['.', ':', ';']).to_owned()
}

/// Removes each `(rule 1.2)`, as the rules are not at hand.
fn without_citations(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(" (rule ") {
        out.push_str(before);
        rest = after.split_once(')').map_or("", |(_, behind)| behind);
    }
    out + rest
}

/// Replaces each `[text](target)` and ``[`text`]`` by its text. What is linked to the rest of the library behind a colon
/// is left out: somebody who writes a file has no use for it.
fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("[`") {
        let Some((name, behind)) = after.split_once("`]") else { break };
        out.push_str(before);
        // A code span may begin with a bracket: `["pdf"]`.
        if name.contains('`') || before.matches('`').count() % 2 == 1 {
            out.push_str("[`");
            rest = after;
            continue;
        }
        let target = behind.strip_prefix('(').and_then(|target| target.split_once(')'));
        if let Some((_, behind)) = target.filter(|(target, _)| target.starts_with("crate::") && out.ends_with(": ")) {
            out.truncate(out.len() - 2);
            rest = behind;
            continue;
        }
        // A variant under its bare name is written as a word.
        let variant = target.and_then(|(target, _)| target.rsplit_once("::"));
        let word = variant.filter(|(of, variant)| *variant == name && is_type(of)).map(|_| kebab(name));
        out.push_str(&format!("`{}`", word.as_deref().unwrap_or(name)));
        rest = target.map_or(behind, |(_, behind)| behind);
    }
    out.push_str(rest);
    out
}

/// A value in Rust as it is written in a file: `root` for `Base::Root`, `1` for `Some(1)`, `null` for `None`.
fn file_form(code: &str) -> String {
    if code == "None" {
        return "null".to_owned();
    }
    if let Some((before, inside)) = code.split_once("Some(") {
        if let Some(inside) = inside.strip_suffix(')') {
            return before.to_owned() + &file_form(inside);
        }
    }
    match code.split_once("::") {
        Some((name, variant)) if is_type(name) => {
            let (variant, value) = variant.split_once('(').map_or((variant, None), |(name, rest)| (name, Some(rest)));
            match value.and_then(|value| value.strip_suffix(')')) {
                Some(value) if is_type(variant) => format!("{}: {}", kebab(variant), file_form(value)),
                None if is_type(variant) => kebab(variant),
                _ => code.to_owned(),
            }
        }
        _ if code.starts_with(|c: char| c.is_ascii_digit()) => code.replace('_', ""),
        _ => code.to_owned(),
    }
}

/// Whether the last name of a path is that of a type or variant.
fn is_type(path: &str) -> bool {
    let name = path.rsplit_once("::").map_or(path, |(_, name)| name);
    name.starts_with(|c: char| c.is_ascii_uppercase()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
