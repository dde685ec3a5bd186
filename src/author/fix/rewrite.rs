//! The last resort for a field that no correction of single lines makes valid YAML: its value, as far as it was read, is
//! written anew, with the lines that it had as comments below it.

use super::lines::Lines;
use super::reading::Reading;
use crate::diagnostic::{Code, Fix};
use crate::discovery::manifest::{is_left_out, is_refused};
use crate::text::escape::quote_yaml;
use crate::text::yaml::{self, Node, Value, is_string};

/// The longest value that is written anew, in bytes.
const MAX_BYTES: usize = 16 * 1024;

/// How a value is written anew.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As what it is.
    Value,
    /// With the source of each list and mapping in it as a text, as it counts in a list of texts (rule 6.4).
    Items,
    /// With its source as a text, as it counts where a text is expected.
    Text,
}

/// Fixes for each field whose lines are not valid YAML to all readers: some take a carriage return for the end of a line. One
/// of the fixes of a field is to be applied.
pub(super) fn fixes(lines: &Lines, reading: &Reading) -> Vec<Vec<Fix>> {
    let pairs = reading.map.iter().flatten();
    let starts: Vec<usize> = pairs.clone().map(|(key, _)| reading.line_of(key)).collect();
    let ends = starts.iter().skip(1).copied().chain([reading.closing_line()]);
    let found = pairs.zip(starts.iter().zip(ends)).filter_map(|((key, value), (first, end))| {
        let last = end.checked_sub(1).filter(|last| first <= last)?;
        let source = lines.before(&Fix { line: *first, last, with: String::new() })?;
        let is_refused = reading.findings.iter().any(|finding| {
            let line = finding.at.map_or(0, |at| at.line);
            matches!(finding.code, Code::YamlRefused | Code::YamlRepaired | Code::YamlTab)
                && (*first..=last).contains(&line)
        });
        let is_fine = !is_refused && yaml::parse(&source).is_ok() && !source.contains('\r');
        let is_candidate = !is_fine && source.len() <= MAX_BYTES;
        let forms = [Form::Value, Form::Items, Form::Text].into_iter().filter(|_| is_candidate);
        let fixes = forms.filter_map(|form| {
            let mut writer = Writer { reading, form, out: String::new() };
            if !writer.write_pair(key, value, 0) {
                return None;
            }
            let mut with = writer.out;
            for line in source.split(['\n', '\r']).filter(|line| !line.trim().is_empty()) {
                with.push_str(if line.starts_with('#') { "\n" } else { "\n# " });
                with.push_str(line);
            }
            Some(Fix { line: *first, last, with: with.trim_start_matches('\n').to_owned() })
        });
        Some(fixes.collect())
    });
    found.collect()
}

/// Writes a field.
struct Writer<'r> {
    reading: &'r Reading,
    form: Form,
    out: String,
}

impl Writer<'_> {
    /// Writes a pair on lines of its own; false if it contains what was not read. Recurses at most `yaml::MAX_DEPTH` times.
    fn write_pair(&mut self, key: &Node, value: &Node, indent: usize) -> bool {
        self.start_line(indent);
        let is_written = if is_left_out(key) {
            self.out.push_str("\"\"");
            true
        } else {
            self.write_scalar(key)
        };
        self.out.push(':');
        is_written && self.write_value(value, indent, self.form == Form::Text)
    }

    fn start_line(&mut self, indent: usize) {
        self.out.push('\n');
        self.out.push_str(&" ".repeat(indent));
    }

    /// Writes a value behind its colon or dash; a list or a map as its source if it `is_text`.
    fn write_value(&mut self, value: &Node, indent: usize, is_text: bool) -> bool {
        match &value.value {
            Value::List(_) | Value::Map(_) if is_text => {
                self.out.push(' ');
                self.out.push_str(&quote_yaml(self.reading.source_of(value)));
                true
            }
            Value::List(items) if !items.is_empty() => items.iter().all(|item| {
                self.start_line(indent + 2);
                self.out.push('-');
                self.write_value(item, indent + 2, self.form == Form::Items)
            }),
            Value::Map(pairs) if !pairs.is_empty() => {
                pairs.iter().all(|(key, value)| self.write_pair(key, value, indent + 2))
            }
            _ => {
                self.out.push(' ');
                match value.value {
                    Value::List(_) => self.out.push_str("[]"),
                    Value::Map(_) => self.out.push_str("{}"),
                    Value::Text(_) | Value::Absent => return self.write_scalar(value),
                }
                true
            }
        }
    }

    fn write_scalar(&mut self, node: &Node) -> bool {
        match &node.value {
            Value::Text(text) if is_string(node) => self.out.push_str(&quote_yaml(text)),
            Value::Text(text) if node.tag.is_none() && !is_refused(node) => self.out.push_str(text),
            Value::Text(text) => self.out.push_str(&quote_yaml(text)),
            Value::List(_) | Value::Map(_) | Value::Absent => return false,
        }
        true
    }
}
