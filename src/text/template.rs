//! In: a wording with holes, parsed once, and later what fills them. Out: text, written in one pass.
//! `{hole}` is a hole, `{?hole}…{/}` stands only when that hole is not empty, `{{` and `}}` are braces.
//! Absent: loops, filters, nesting beyond two; what fills a hole is never scanned.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

/// The deepest nesting of conditional parts: more is a program, and belongs in code.
const MOST_OPEN: usize = 2;

/// A wording with holes.
#[derive(Clone, Debug, Default)]
pub struct Template {
    source: Cow<'static, str>,
    /// What the source holds; read when it is first asked for, so that a wording can be a constant.
    parts: OnceLock<Box<[Part]>>,
}

/// Flat, so that nothing recurses: every `When` has its `End`. The ranges are bytes of the source.
#[derive(Clone, Debug)]
enum Part {
    Text(Range<usize>),
    Hole(Range<usize>),
    When(Range<usize>),
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
    /// The template of a text that the program knows; one that is no template stands for itself, literally.
    pub const fn new(text: &'static str) -> Template {
        Template { source: Cow::Borrowed(text), parts: OnceLock::new() }
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
        Ok(Template { source: Cow::Owned(text.to_owned()), parts: OnceLock::from(parts) })
    }

    fn parts(&self) -> &[Part] {
        let literal = || Box::from([Part::Text(0..self.source.len())]);
        self.parts.get_or_init(|| parts(&self.source).unwrap_or_else(|_| literal()))
    }

    /// Bytes of the source.
    fn slice(&self, range: &Range<usize>) -> &str {
        self.source.get(range.clone()).unwrap_or_default()
    }

    /// The names of the holes and conditions, in order, as often as they stand there.
    pub fn holes(&self) -> impl Iterator<Item = &str> {
        self.parts().iter().filter_map(|part| match part {
            Part::Hole(name) | Part::When(name) => Some(self.slice(name)),
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
        for part in self.parts() {
            match part {
                Part::When(_) if passed_over > 0 => passed_over += 1,
                Part::When(name) => {
                    passed_over = usize::from(value(self.slice(name)).is_none_or(|text| text.is_empty()));
                }
                Part::End => passed_over = passed_over.saturating_sub(1),
                Part::Text(_) | Part::Hole(_) if passed_over > 0 => {}
                Part::Text(text) => out.push_str(self.slice(text)),
                Part::Hole(name) => {
                    let name = self.slice(name);
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

/// One wording is another where their sources are.
impl PartialEq for Template {
    fn eq(&self, other: &Template) -> bool {
        self.source == other.source
    }
}

impl Eq for Template {}

/// The parts, or the byte where the text goes wrong.
fn parts(text: &str) -> Result<Box<[Part]>, (usize, &'static str)> {
    let mut parts = Vec::new();
    let mut open = 0;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let plain = rest.find(['{', '}']).unwrap_or(rest.len());
        let rest = rest.get(plain..).unwrap_or_default();
        let is_pair = rest.starts_with("{{") || rest.starts_with("}}");
        // Of a pair the first brace is text, and the second is passed over.
        let literal = at..at + plain + usize::from(is_pair);
        if !literal.is_empty() {
            parts.push(Part::Text(literal));
        }
        at += plain;
        if is_pair {
            at += 2;
        } else if let Some(inside) = rest.strip_prefix('{') {
            let (part, length) = marked(inside, at + 1).map_err(|(byte, expected)| (at + 1 + byte, expected))?;
            open = match part {
                Part::When(_) if open == MOST_OPEN => return Err((at, "at most two levels of nested parts")),
                Part::When(_) => open + 1,
                Part::End if open == 0 => return Err((at, "the end of a part")),
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
    Ok(parts.into())
}

/// Reads what follows a `{` up to its `}`, from this byte on: the part, and how many bytes it took.
fn marked(inside: &str, at: usize) -> Result<(Part, usize), (usize, &'static str)> {
    if let Some(rest) = inside.strip_prefix('/') {
        return if rest.starts_with('}') { Ok((Part::End, 2)) } else { Err((1, "`}`")) };
    }
    let (start, named) = match inside.strip_prefix('?') {
        Some(rest) => (1, rest),
        None => (0, inside),
    };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@');
    let length = named.bytes().take_while(|byte| is_name(byte)).count();
    let end = start + length;
    if length == 0 {
        return Err((start, "the name of a placeholder"));
    }
    if inside.as_bytes().get(end) != Some(&b'}') {
        return Err((end, "`}`"));
    }
    let name = at + start..at + end;
    Ok((if start == 1 { Part::When(name) } else { Part::Hole(name) }, end + 1))
}

#[cfg(test)]
#[path = "../../tests/unit/template.rs"]
mod tests;
