//! In: a wording with holes, parsed once, and later what fills them. Out: text, written in one pass.
//! `{hole}` is a hole, `{?hole}…{/}` stands only when that hole is not empty, `{{` and `}}` are braces.
//! Absent: loops, filters, nesting beyond two; what fills a hole is never scanned.

use std::borrow::Cow;

/// The deepest nesting of conditional parts: more is a program, and belongs in code.
const MOST_OPEN: usize = 2;

/// A wording with holes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    source: String,
    parts: Vec<Part>,
}

/// Flat, so that nothing recurses: every `When` has its `End`.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Hole(String),
    When(String),
    End,
}

/// Where a text stops being a template, and what had to stand there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} at character {at}")]
#[non_exhaustive]
pub struct TemplateError {
    /// The character, from 1.
    pub at: usize,
    /// What had to stand there.
    pub expected: &'static str,
}

impl Template {
    /// The template of a text; one that is no template stands for itself, literally.
    pub fn new(text: &str) -> Template {
        Template::parse(text)
            .unwrap_or_else(|_| Template { source: text.to_owned(), parts: vec![Part::Text(text.to_owned())] })
    }

    /// Reads a template.
    ///
    /// # Errors
    /// [`TemplateError`] for a brace alone, a hole whose name is not letters, digits, `_`, `-`, `.` and `@`
    /// of ASCII, a part without its end or start, and parts nested more than two deep.
    pub fn parse(text: &str) -> Result<Template, TemplateError> {
        let parts = parts(text).map_err(|(byte, expected)| TemplateError {
            at: text.get(..byte).unwrap_or(text).chars().count() + 1,
            expected,
        })?;
        Ok(Template { source: text.to_owned(), parts })
    }

    /// The names of the holes and conditions, in order, as often as they stand there.
    pub fn holes(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Hole(name) | Part::When(name) => Some(name.as_str()),
            Part::Text(_) | Part::End => None,
        })
    }

    /// Writes the text, each hole filled with the value of its name. A hole without one is empty.
    pub fn render<'v>(&self, value: &dyn Fn(&str) -> Option<Cow<'v, str>>, out: &mut String) {
        self.render_noting(value, out, &mut |_, _| {});
    }

    /// The same, and says of each hole at which byte of `out` its value begins.
    pub(crate) fn render_noting<'v>(
        &self,
        value: &dyn Fn(&str) -> Option<Cow<'v, str>>,
        out: &mut String,
        note: &mut dyn FnMut(&str, usize),
    ) {
        // How many conditional parts are open, from the outermost that does not stand.
        let mut passed_over = 0_usize;
        for part in &self.parts {
            match part {
                Part::When(_) if passed_over > 0 => passed_over += 1,
                Part::When(name) => passed_over = usize::from(value(name).is_none_or(|text| text.is_empty())),
                Part::End => passed_over = passed_over.saturating_sub(1),
                Part::Text(_) | Part::Hole(_) if passed_over > 0 => {}
                Part::Text(text) => out.push_str(text),
                Part::Hole(name) => {
                    note(name, out.len());
                    out.push_str(&value(name).unwrap_or_default());
                }
            }
        }
    }

    /// The text that the template was read from.
    pub fn source(&self) -> &str {
        &self.source
    }
}

/// The parts, or the byte where the text goes wrong.
fn parts(text: &str) -> Result<Vec<Part>, (usize, &'static str)> {
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut open = 0;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let plain = rest.find(['{', '}']).unwrap_or(rest.len());
        let (before, rest) = rest.split_at(plain);
        literal.push_str(before);
        at += plain;
        if rest.starts_with("{{") || rest.starts_with("}}") {
            literal.extend(rest.chars().next());
            at += 2;
        } else if let Some(inside) = rest.strip_prefix('{') {
            if !literal.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut literal)));
            }
            let (part, length) = marked(inside).map_err(|(byte, expected)| (at + 1 + byte, expected))?;
            open = match part {
                Part::When(_) if open == MOST_OPEN => return Err((at, "parts nested at most two deep")),
                Part::When(_) => open + 1,
                Part::End if open == 0 => return Err((at, "a part to end")),
                Part::End => open - 1,
                Part::Text(_) | Part::Hole(_) => open,
            };
            parts.push(part);
            at += 1 + length;
        } else if rest.starts_with('}') {
            return Err((at, "`}}`"));
        }
    }
    if open > 0 {
        return Err((text.len(), "`{/}`"));
    }
    if !literal.is_empty() {
        parts.push(Part::Text(literal));
    }
    Ok(parts)
}

/// Reads what follows a `{` up to its `}`: the part, and how many bytes it took.
fn marked(inside: &str) -> Result<(Part, usize), (usize, &'static str)> {
    if let Some(rest) = inside.strip_prefix('/') {
        return if rest.starts_with('}') { Ok((Part::End, 2)) } else { Err((1, "`}`")) };
    }
    let (start, named) = match inside.strip_prefix('?') {
        Some(rest) => (1, rest),
        None => (0, inside),
    };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@');
    let length = named.bytes().take_while(|byte| is_name(byte)).count();
    let (name, rest) = named.split_at(length);
    if name.is_empty() {
        return Err((start, "the name of a hole"));
    }
    if !rest.starts_with('}') {
        return Err((start + length, "`}`"));
    }
    let name = name.to_owned();
    Ok((if start == 1 { Part::When(name) } else { Part::Hole(name) }, start + length + 1))
}

#[cfg(test)]
#[path = "../../tests/unit/template.rs"]
mod tests;
