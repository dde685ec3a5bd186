//! [`Template`], a text with placeholders. `{name}` is replaced by a value, `{?name}…{/}` is written only if the value
//! is not empty and `{!name}…{/}` only if it is, and `{{` and `}}` are braces. Values are never scanned for placeholders.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

const MOST_OPEN: usize = 2;

/// A text with placeholders.
#[derive(Clone, Debug, Default)]
pub(crate) struct Template {
    source: Cow<'static, str>,
    /// The parts of the source; parsed when they are first needed, so that a template can be a constant.
    parts: OnceLock<Box<[Part]>>,
}

/// A part of a template. The list of parts is flat, so that nothing recurses: every `When` and `Unless` has its `End`. The ranges
/// are in bytes of the source; those of `Hole`, `When` and `Unless` are the names.
#[derive(Clone, Debug)]
enum Part {
    Text(Range<usize>),
    Hole(Range<usize>),
    When(Range<usize>),
    Unless(Range<usize>),
    End,
}

/// Where a text is not a valid template, and what was expected there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} at character {at}")]
pub(crate) struct TemplateError {
    /// The character, from 1.
    pub(crate) at: usize,
    /// What was expected.
    pub(crate) expected: &'static str,
}

impl Template {
    /// The template of a constant text. A text that is not a valid template is written literally.
    pub(crate) const fn new(text: &'static str) -> Template {
        Template { source: Cow::Borrowed(text), parts: OnceLock::new() }
    }

    /// Parses a template.
    ///
    /// # Errors
    /// [`TemplateError`] for a single brace, a name with other characters than ASCII letters, ASCII digits, `_`, `-`, `.` and
    /// `@`, a conditional part without its end or start, and parts that are nested more than two deep.
    pub(crate) fn parse(text: &str) -> Result<Template, TemplateError> {
        let parts =
            parts(text).map_err(|(byte, expected)| TemplateError { at: text[..byte].chars().count() + 1, expected })?;
        Ok(Template { source: Cow::Owned(text.to_owned()), parts: OnceLock::from(parts) })
    }

    fn parts(&self) -> &[Part] {
        let literal = || Box::from([Part::Text(0..self.source.len())]);
        self.parts.get_or_init(|| parts(&self.source).unwrap_or_else(|_| literal()))
    }

    fn slice(&self, range: &Range<usize>) -> &str {
        &self.source[range.clone()]
    }

    /// The names of the placeholders and conditions, in order, including repetitions.
    pub(crate) fn placeholders(&self) -> impl Iterator<Item = &str> {
        self.parts().iter().filter_map(|part| match part {
            Part::Hole(name) | Part::When(name) | Part::Unless(name) => Some(self.slice(name)),
            Part::Text(_) | Part::End => None,
        })
    }

    /// Appends the text to `out`, with each placeholder replaced by the value of its name. A name without a value is
    /// empty.
    pub(crate) fn render<'v>(&self, value: &dyn Fn(&str) -> Option<Cow<'v, str>>, out: &mut String) {
        self.render_with_offsets(value, out, &mut |_, _| {});
    }

    /// Like [`Template::render`], but calls `note` with the name of each placeholder and the offset in `out` of its
    /// value.
    pub(crate) fn render_with_offsets<'v>(
        &self,
        value: &dyn Fn(&str) -> Option<Cow<'v, str>>,
        out: &mut String,
        note: &mut dyn FnMut(&str, usize),
    ) {
        // The number of open conditional parts, counted from the outermost one that is not written.
        let mut passed_over = 0_usize;
        for part in self.parts() {
            match part {
                Part::When(_) | Part::Unless(_) if passed_over > 0 => passed_over += 1,
                Part::When(name) | Part::Unless(name) => {
                    let is_empty = value(self.slice(name)).is_none_or(|text| text.is_empty());
                    passed_over = usize::from(is_empty == matches!(part, Part::When(_)));
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

    /// The text that the template was made from.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }
}

/// Templates are equal if their sources are.
impl PartialEq for Template {
    fn eq(&self, other: &Template) -> bool {
        self.source == other.source
    }
}

impl Eq for Template {}

/// The parts of a template. The error is the offset of what is wrong, and what was expected there.
fn parts(text: &str) -> Result<Box<[Part]>, (usize, &'static str)> {
    let (mut parts, mut open, mut at) = (Vec::new(), 0, 0);
    while at < text.len() {
        let brace = text[at..].find(['{', '}']).map_or(text.len(), |found| at + found);
        let rest = &text[brace..];
        let is_pair = rest.starts_with("{{") || rest.starts_with("}}");
        // The first brace of a pair is text, and the second is passed over.
        let literal = at..brace + usize::from(is_pair);
        if !literal.is_empty() {
            parts.push(Part::Text(literal));
        }
        at = if is_pair { brace + 2 } else { brace };
        if is_pair || rest.is_empty() {
            continue;
        }
        let inside = rest.strip_prefix('{').ok_or((at, "`}}`"))?;
        let kind = inside.chars().next().filter(|c| matches!(c, '/' | '?' | '!'));
        let start = at + 1 + usize::from(kind.is_some());
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@');
        let length = text[start..].bytes().take_while(is_name).count();
        let name = start..start + if kind == Some('/') { 0 } else { length };
        if name.is_empty() && kind != Some('/') {
            return Err((start, "the name of a placeholder"));
        }
        if !text[name.end..].starts_with('}') {
            return Err((name.end, "`}`"));
        }
        let end = name.end + 1;
        let part = match kind {
            Some('/') => Part::End,
            Some('?') => Part::When(name),
            Some(_) => Part::Unless(name),
            None => Part::Hole(name),
        };
        open = match part {
            Part::When(_) | Part::Unless(_) if open == MOST_OPEN => {
                return Err((at, "at most two levels of nested parts"));
            }
            Part::When(_) | Part::Unless(_) => open + 1,
            Part::End if open == 0 => return Err((at, "the end of a part")),
            Part::End => open - 1,
            Part::Text(_) | Part::Hole(_) => open,
        };
        parts.push(part);
        at = end;
    }
    if open > 0 {
        return Err((text.len(), "`{/}`"));
    }
    Ok(parts.into())
}

#[cfg(test)]
#[path = "../../tests/unit/template.rs"]
mod tests;
