//! Reads the YAML of a dialect by the [`Shape`] of its types. It recurses once for each level of a shape, and shapes are
//! constants: no file makes it recurse deeper.

use super::schema::Placeholders;
use super::shape::{Data, Docs, FieldShape, Shape, VariantShape};
use crate::diagnostic::{Code, Diagnostic, Mark, Severity};
use crate::path::FsPath;
use crate::text::lines::{Position, Source};
use crate::text::list::quoted;
use crate::text::template::Template;
use crate::text::words::{excerpt, nearest};
use crate::text::yaml::{Node, Span, Style, Value, is_plain_null};
use std::borrow::Cow;

/// The largest number in a file. Sums and products of such numbers do not overflow.
pub(super) const MAX_NUMBER: u64 = 1_000_000_000;

const MAX_FINDINGS: usize = 100;

/// A file that is being read, and what was found in it.
pub(super) struct Reader<'t> {
    path: &'t FsPath,
    source: &'t Source<'t>,
    /// The keys that lead to the value that is being read.
    place: Vec<String>,
    pub(super) has_base: bool,
    pub(super) findings: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(path: &'t FsPath, source: &'t Source<'t>) -> Reader<'t> {
        Reader { path, source, place: Vec::new(), has_base: false, findings: Vec::new() }
    }

    /// Adds a finding about a part of the text. The message is put behind the place of the value that is being read.
    pub(super) fn find(&mut self, span: Span, message: &str, help: Option<String>) {
        let at = self.source.position(span.start);
        let to = Some(self.source.position(span.end)).filter(|to| at < *to);
        self.find_at(at, to, message, help);
    }

    /// Like [`Reader::find`], for a part of the file.
    pub(super) fn find_at(&mut self, at: Position, to: Option<Position>, message: &str, help: Option<String>) {
        if self.findings.len() == MAX_FINDINGS {
            return;
        }
        let message = match self.place.is_empty() {
            true => message.to_owned(),
            false => format!("`{}`: {message}", excerpt(&self.place.join("."), MAX_QUOTED)),
        };
        let mut finding = Diagnostic::new(Severity::Error, Code::DialectFile, self.path.clone(), message);
        finding.mark(Mark { at, to, line_text: self.source.line_text(at.line) });
        self.findings.push(match help {
            Some(help) => finding.help(help),
            None => finding,
        });
    }

    /// Calls `read` with the place of one of the parts of the value that is being read.
    pub(super) fn within<T>(&mut self, key: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        self.place.push(key.to_owned());
        let value = read(self);
        self.place.pop();
        value
    }

    /// Reads a value. `base` is the value that it replaces, from which parts that are not given are taken. `docs` is the
    /// doc comment that says what the value is. `None` if there was a finding about it.
    fn value(&mut self, node: &Node, shape: &'static Shape, base: Option<&Data>, docs: Docs) -> Option<Data> {
        if let Some(tag) = &node.tag {
            // There is a finding about any other tag of a scalar.
            if tag.starts_with(YAML_TAG) || !matches!(node.value, Value::Text(_)) {
                self.find(node.span, "expected a value without a YAML tag", None);
            }
            return None;
        }
        match (shape, &node.value) {
            // There is a finding about it.
            (_, Value::Absent) => None,
            (Shape::Optional(_), Value::Text(text)) if is_plain_null(node.style, text) => Some(Data::Null),
            (Shape::Optional(inner), _) => self.value(node, inner, base.filter(|base| **base != Data::Null), docs),
            (Shape::Text | Shape::Template, Value::Text(text)) if is_plain_null(node.style, text) => {
                let help = "write '' for an empty text, and 'null' in quotes for the word";
                self.find(node.span, "expected a text, got null", Some(help.to_owned()));
                None
            }
            (Shape::Text, Value::Text(text)) => Some(Data::Text(Cow::Owned(text.clone()))),
            (Shape::Template, Value::Text(text)) => self.template(node, text, docs),
            (Shape::Number, Value::Text(text)) if node.style == Style::Plain => self.number(node, text),
            (Shape::Code, Value::Text(text)) => self.code(node, text),
            (Shape::List(inner), Value::List(items)) => {
                let items: Vec<_> = items.iter().map(|item| self.value(item, inner, None, docs)).collect();
                items.into_iter().collect::<Option<_>>().map(Data::List)
            }
            (Shape::Struct { fields, .. }, Value::Map(pairs)) => {
                let base = base.and_then(|base| if let Data::Parts(parts) = base { Some(&parts[..]) } else { None });
                self.parts((node, pairs), fields, base, &[]).map(Data::Parts)
            }
            (Shape::Enum { variants, .. }, Value::Text(text)) => self.word(node, text, variants),
            (Shape::Enum { variants, .. }, Value::Map(pairs)) => self.word_with_value(node, pairs, variants, base),
            _ => {
                self.wrong_type(node, shape);
                None
            }
        }
    }

    /// Reads the parts of a map, of which those that are not given are taken from `base`. Without a base, all must be
    /// given but those that may be null or have a default. The keys in `also` are permitted besides, and not read.
    pub(super) fn parts(
        &mut self,
        (node, pairs): (&Node, &[(Node, Node)]),
        fields: &'static [FieldShape],
        base: Option<&[Data]>,
        also: &[&'static str],
    ) -> Option<Vec<Data>> {
        let mut given: Vec<Option<&Node>> = vec![None; fields.len()];
        let mut is_sound = true;
        for (key, value) in pairs {
            let Value::Text(name) = &key.value else {
                self.find(key.span, &format!("expected the name of a part, got {}", got(key)), None);
                is_sound = false;
                continue;
            };
            match fields.iter().position(|field| field.name == name) {
                Some(n) => given[n] = Some(value),
                None if also.contains(&name.as_str()) => {}
                None => {
                    let known: Vec<&str> = fields.iter().map(|field| field.name).chain(also.iter().copied()).collect();
                    let help = suggestion(name, &known, "the parts are");
                    self.find(key.span, &format!("unknown part `{}`", excerpt(name, MAX_QUOTED)), help);
                    is_sound = false;
                }
            }
        }
        let mut parts = Vec::new();
        let mut missing = Vec::new();
        for (n, field) in fields.iter().enumerate() {
            let below = base.and_then(|base| base.get(n));
            let part = match (given[n], below) {
                (Some(node), _) => self.within(field.name, |reader| reader.value(node, field.shape, below, field.docs)),
                (None, Some(below)) => Some(below.clone()),
                (None, None) => {
                    let default = field.default_value();
                    if default.is_none() {
                        missing.push(field.name);
                    }
                    default
                }
            };
            match part {
                Some(part) => parts.push(part),
                None => is_sound = false,
            }
        }
        if !missing.is_empty() {
            self.missing(node, &missing);
        }
        is_sound.then_some(parts)
    }

    fn missing(&mut self, node: &Node, missing: &[&str]) {
        let noun = if missing.len() == 1 { "missing part" } else { "missing parts" };
        let message = format!("{noun} {}", quoted(missing, ", "));
        let help = match (self.place.is_empty(), self.has_base) {
            (true, _) => "add `extends: agentskills` to take them from that dialect",
            (false, true) => "a row of a list, and a map that the extended dialect does not have, need all their parts",
            (false, false) => "without `extends`, every map needs all its parts",
        };
        let start = node.span.start;
        self.find(Span { start, end: start }, &message, Some(help.to_owned()));
    }

    fn template(&mut self, node: &Node, text: &str, docs: Docs) -> Option<Data> {
        let template = match Template::parse(text) {
            Ok(template) => template,
            Err(error) => {
                let help = "`{name}` is a value, `{?name}…{/}` is written if the value is not empty, and `{{` and \
                            `}}` are braces";
                let span = self.character(node, text, error.at);
                self.find(span, &format!("expected a template: {error}"), Some(help.to_owned()));
                return None;
            }
        };
        let placeholders = Placeholders::of(docs);
        let mut unknown: Vec<&str> = template.placeholders().filter(|name| !placeholders.has(name)).collect();
        unknown.sort_unstable();
        unknown.dedup();
        for name in &unknown {
            let written = [format!("{{{name}}}"), format!("{{?{name}}}")];
            let inside = self.source.text().get(node.span.start..node.span.end).unwrap_or_default();
            let span = written.iter().find_map(|written| {
                let start = node.span.start + inside.find(written)?;
                Some(Span { start, end: start + written.len() })
            });
            let message = format!("unknown placeholder `{}`", excerpt(name, MAX_QUOTED));
            self.find(
                span.unwrap_or(node.span),
                &message,
                suggestion(name, placeholders.names(), "the placeholders are"),
            );
        }
        unknown.is_empty().then(|| Data::Text(Cow::Owned(text.to_owned())))
    }

    /// The place of a character, from 1, of a scalar; the whole scalar unless its text is the same in the file.
    fn character(&self, node: &Node, text: &str, at: usize) -> Span {
        let inside = self.source.text().get(node.span.start..node.span.end).unwrap_or_default();
        let before = text.char_indices().nth(at.saturating_sub(1)).map_or(text.len(), |(byte, _)| byte);
        match inside.find(text).filter(|_| !text.is_empty()) {
            Some(start) => {
                let start = node.span.start + start + before;
                Span { start, end: start + 1 }
            }
            None => node.span,
        }
    }

    fn number(&mut self, node: &Node, text: &str) -> Option<Data> {
        let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_digits {
            self.wrong_type(node, &Shape::Number);
            return None;
        }
        let number = text.parse().ok().filter(|number| *number <= MAX_NUMBER);
        if number.is_none() {
            let message = format!("expected at most {MAX_NUMBER}, got {}", got(node));
            self.find(node.span, &message, None);
        }
        number.map(Data::Number)
    }

    fn code(&mut self, node: &Node, text: &str) -> Option<Data> {
        let code = Code::named(text);
        if code.is_none() {
            let known: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
            self.find(
                node.span,
                &format!("expected the code of a finding, got {}", got(node)),
                suggestion(text, &known, ""),
            );
        }
        code.map(|code| Data::Text(Cow::Borrowed(code.as_str())))
    }

    /// Reads a word without a value.
    fn word(&mut self, node: &Node, text: &str, variants: &'static [VariantShape]) -> Option<Data> {
        match variants.iter().find(|variant| variant.word() == text) {
            Some(variant) if variant.is_unit() => Some(Data::Variant(variant.name, Vec::new())),
            Some(variant) => {
                let message = format!("expected a value of `{text}`");
                self.find(node.span, &message, Some(format!("write it as {}", form(variant))));
                None
            }
            None => {
                self.unknown_word(node, text, variants);
                None
            }
        }
    }

    /// Reads a map whose only key is a word, and whose value is the value of the word.
    fn word_with_value(
        &mut self,
        node: &Node,
        pairs: &[(Node, Node)],
        variants: &'static [VariantShape],
        base: Option<&Data>,
    ) -> Option<Data> {
        let [(key, value)] = pairs else {
            let message = format!("expected {}, got a map of {} keys", choices(variants), pairs.len());
            self.find(node.span, &message, None);
            return None;
        };
        let Value::Text(text) = &key.value else {
            self.find(key.span, &format!("expected {}, got {}", choices(variants), got(key)), None);
            return None;
        };
        let Some(variant) = variants.iter().find(|variant| variant.word() == *text) else {
            self.unknown_word(key, text, variants);
            return None;
        };
        if variant.is_unit() {
            self.find(
                key.span,
                &format!("expected `{text}` without a value"),
                Some(format!("write {}", form(variant))),
            );
            return None;
        }
        let base = base.and_then(|base| match base {
            Data::Variant(name, values) if *name == variant.name => Some(&values[..]),
            _ => None,
        });
        let values = self.within(text, |reader| match (variant.value, &value.value) {
            (&[shape], _) => {
                let value = reader.value(value, shape, base.and_then(<[Data]>::first), variant.docs)?;
                Some(vec![value])
            }
            (_, Value::Map(pairs)) => reader.parts((value, pairs), variant.fields, base, &[]),
            _ => {
                let message = format!("expected a map of the parts {}, got {}", names(variant.fields), got(value));
                reader.find(value.span, &message, None);
                None
            }
        })?;
        Some(Data::Variant(variant.name, values))
    }

    fn unknown_word(&mut self, node: &Node, text: &str, variants: &'static [VariantShape]) {
        let words: Vec<String> = variants.iter().map(VariantShape::word).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let message = format!("expected {}, got {}", choices(variants), got(node));
        let all = if words.len() > MAX_WORDS { "the words are" } else { "" };
        let flag = yes_or_no(text).filter(|word| words.contains(word));
        let help = flag.map(|word| format!("write `{word}`")).or_else(|| suggestion(text, &words, all));
        self.find(node.span, &message, help);
    }

    fn wrong_type(&mut self, node: &Node, shape: &'static Shape) {
        let help = match shape {
            Shape::Text | Shape::Template if node.style == Style::Flow => Some(QUOTES.to_owned()),
            _ => None,
        };
        self.find(node.span, &format!("expected {}, got {}", expected(shape), got(node)), help);
    }
}

/// The beginning of the tags of YAML itself, such as `!!str`.
const YAML_TAG: &str = "tag:yaml.org,2002:";

const QUOTES: &str = "put a text in quotes if it begins with a character that is special in YAML";

/// How many characters of a value a message quotes.
pub(super) const MAX_QUOTED: usize = 60;

/// How many words a message lists.
const MAX_WORDS: usize = 12;

/// The form of a value, for a message.
pub(super) fn expected(shape: &'static Shape) -> Cow<'static, str> {
    Cow::Borrowed(match shape {
        Shape::Text => "a text",
        Shape::Template => "a template",
        Shape::Number => "a whole number",
        Shape::Code => "the code of a finding",
        Shape::List(_) => "a list",
        Shape::Optional(inner) => return expected(inner),
        Shape::Struct { fields, .. } => return Cow::Owned(format!("a map of the parts {}", names(fields))),
        Shape::Enum { variants, .. } => return Cow::Owned(choices(variants)),
    })
}

/// The keys of a map.
pub(super) fn names(fields: &[FieldShape]) -> String {
    let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
    quoted(&names, ", ")
}

/// What may be written for one of several words.
pub(super) fn choices(variants: &[VariantShape]) -> String {
    if variants.len() > MAX_WORDS {
        return format!("one of {} words", variants.len());
    }
    let forms: Vec<String> = variants.iter().map(form).collect();
    format!("one of {}", forms.join(", "))
}

/// How a word is written with its value.
pub(super) fn form(variant: &VariantShape) -> String {
    let word = variant.word();
    let value = match (variant.value, variant.fields) {
        ([], []) => return format!("`{word}`"),
        ([shape, ..], _) => match shape {
            Shape::Number => "1000".to_owned(),
            Shape::List(_) => "[…]".to_owned(),
            Shape::Struct { fields, .. } => in_braces(fields),
            _ => "…".to_owned(),
        },
        ([], fields) => in_braces(fields),
    };
    format!("`{word}: {value}`")
}

pub(super) fn in_braces(fields: &[FieldShape]) -> String {
    let parts: Vec<String> = fields.iter().map(|field| format!("{}: …", field.name)).collect();
    format!("{{{}}}", parts.join(", "))
}

/// What was found instead, for a message.
pub(super) fn got(node: &Node) -> String {
    match &node.value {
        Value::Text(text) if is_plain_null(node.style, text) => "null".to_owned(),
        Value::Text(text) if text.is_empty() => "an empty text".to_owned(),
        Value::Text(text) if node.style == Style::Plain => format!("`{}`", excerpt(text, MAX_QUOTED)),
        Value::Text(text) => format!("the text `{}`", excerpt(text, MAX_QUOTED)),
        Value::List(_) => "a list".to_owned(),
        Value::Map(_) => "a map".to_owned(),
        Value::Absent => "nothing".to_owned(),
    }
}

/// Whether a word means true or false in some version of YAML.
fn yes_or_no(word: &str) -> Option<&'static str> {
    let is = |words: &[&str]| words.iter().any(|known| word.eq_ignore_ascii_case(known));
    is(&["true", "yes", "on", "y"]).then_some("yes").or_else(|| is(&["false", "no", "off", "n"]).then_some("no"))
}

/// The known name that was probably meant, or else all known names, if `all` introduces them.
pub(super) fn suggestion(asked: &str, known: &[&str], all: &str) -> Option<String> {
    match nearest(asked, known.iter().copied()).first() {
        Some(near) => Some(format!("did you mean `{near}`?")),
        None => (!all.is_empty()).then(|| format!("{all} {}", quoted(known, ", "))),
    }
}
