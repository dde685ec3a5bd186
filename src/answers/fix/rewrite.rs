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

/// A fix for each field whose lines are not valid YAML to all readers: some take a carriage return for the end of a line.
pub(super) fn fixes(lines: &Lines, reading: &Reading) -> Vec<Fix> {
    let pairs = reading.map.iter().flatten();
    let starts: Vec<usize> = pairs.clone().map(|(key, _)| reading.line_of(key)).collect();
    let ends = starts.iter().skip(1).copied().chain([reading.closing_line()]);
    let found = pairs.zip(starts.iter().zip(ends)).filter_map(|((key, value), (first, end))| {
        let last = end.checked_sub(1).filter(|last| first <= last)?;
        let source = lines.before(&Fix { line: *first, last, with: String::new() })?;
        let is_refused = reading.findings.iter().any(|finding| {
            let line = finding.at.map_or(0, |at| at.line);
            finding.code == Code::YamlRefused && (*first..=last).contains(&line)
        });
        let is_fine = !is_refused && yaml::parse(&source).is_ok() && !source.contains('\r');
        let mut with = String::new();
        (!is_fine && source.len() <= MAX_BYTES && write_pair(key, value, 0, &mut with)).then(|| {
            for line in source.split(['\n', '\r']).filter(|line| !line.trim().is_empty()) {
                with.push_str(if line.starts_with('#') { "\n" } else { "\n# " });
                with.push_str(line);
            }
            Fix { line: *first, last, with: with.trim_start_matches('\n').to_owned() }
        })
    });
    found.collect()
}

/// Writes a pair on lines of its own; false if it contains what was not read. Recurses at most `yaml::MAX_DEPTH` times.
fn write_pair(key: &Node, value: &Node, indent: usize, out: &mut String) -> bool {
    out.push('\n');
    out.push_str(&" ".repeat(indent));
    let is_written = if is_left_out(key) {
        out.push_str("\"\"");
        true
    } else {
        write_scalar(key, out)
    };
    out.push(':');
    is_written && write_value(value, indent, out)
}

/// Writes a value behind its colon or dash.
fn write_value(value: &Node, indent: usize, out: &mut String) -> bool {
    match &value.value {
        Value::List(items) if !items.is_empty() => items.iter().all(|item| {
            out.push('\n');
            out.push_str(&" ".repeat(indent + 2));
            out.push('-');
            write_value(item, indent + 2, out)
        }),
        Value::Map(pairs) if !pairs.is_empty() => {
            pairs.iter().all(|(key, value)| write_pair(key, value, indent + 2, out))
        }
        _ => {
            out.push(' ');
            match value.value {
                Value::List(_) => out.push_str("[]"),
                Value::Map(_) => out.push_str("{}"),
                Value::Text(_) | Value::Absent => return write_scalar(value, out),
            }
            true
        }
    }
}

fn write_scalar(node: &Node, out: &mut String) -> bool {
    match &node.value {
        Value::Text(text) if is_string(node) => out.push_str(&quote_yaml(text)),
        Value::Text(text) if node.tag.is_none() && !is_refused(node) => out.push_str(text),
        Value::Text(text) => out.push_str(&quote_yaml(text)),
        Value::List(_) | Value::Map(_) | Value::Absent => return false,
    }
    true
}
