//! Reads the second file of fields that some clients look for beside a SKILL.md (rule 6.20).

use super::DiagnosticSink;
use super::fields::{is_absent, set_field};
use super::limits::value_at;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{FieldRole, SidecarRule};
use crate::fs::{Fs, FsError};
use crate::model::skill::Frontmatter;
use crate::path::FsPath;
use crate::text::lines::{Source, decode_utf8};
use crate::text::yaml::{self, Node, Style, Value};
use std::sync::Arc;

const MAX_BYTES: u64 = 262_144;

/// Adds the fields of the file beside a SKILL.md to those of its frontmatter. A file that cannot be read, that is not
/// valid, or that has a value of a wrong type is ignored as a whole, with a finding.
pub(crate) fn read_sidecar(
    fs: &dyn Fs,
    rule: &SidecarRule,
    skill: &FsPath,
    frontmatter: &mut Arc<Frontmatter>,
) -> Result<(), SidecarError> {
    let Ok(path) = skill.dirname().join(&rule.path) else { return Ok(()) };
    let bytes = match fs.read(&path, MAX_BYTES + 1) {
        Ok(prefix) if prefix.len <= MAX_BYTES => prefix.bytes,
        Ok(prefix) => {
            return Err(ignored(&path, &format!("it has {} bytes, expected at most {MAX_BYTES}", prefix.len)));
        }
        Err(FsError::NotFound(_) | FsError::NotADirectory(_)) => return Ok(()),
        Err(FsError::Pending(path)) => return Err(SidecarError::Pending(path)),
        Err(error) => return Err(ignored(&path, &error.reason())),
    };
    let Ok(text) = decode_utf8(&bytes, false) else { return Err(ignored(&path, "it is not UTF-8 text")) };
    let source = Source::new(text);
    let mut map = match yaml::parse(source.text()) {
        Ok(document) => match document.root.map(|root| root.value) {
            None => return Ok(()),
            Some(Value::Map(map)) => map,
            Some(_) => return Err(ignored(&path, "expected `key: value` lines")),
        },
        Err(error) => return Err(ignored(&path, &format!("it is not valid YAML: {}", error.message))),
    };
    for key in rule.maps.iter() {
        if value_at(&map, key).is_some_and(|value| !matches!(value.value, Value::Map(_) | Value::Absent)) {
            return Err(ignored(&path, &format!("`{key}` is not a mapping")));
        }
    }
    let mut sink = DiagnosticSink::new(&path, &source);
    let mut changed = Frontmatter::clone(frontmatter);
    for field in rule.fields.iter() {
        let (outer, inner) = field.path.split_once('.').unwrap_or((&field.path, ""));
        let is_named = |name: &str, node: &Node| matches!(&node.value, Value::Text(text) if text == name);
        let Some((key, value)) = map.iter_mut().find(|(key, _)| is_named(outer, key)) else { continue };
        match &mut value.value {
            _ if inner.is_empty() => set_field(&mut changed, &field.path, &field.role, (key, value), &mut sink),
            Value::Map(pairs) => {
                if let Some((key, value)) = pairs.iter_mut().find(|(key, _)| is_named(inner, key)) {
                    if !has_type(&field.role, value) {
                        return Err(ignored(&path, &format!("`{}` has a wrong type", field.path)));
                    }
                    set_field(&mut changed, &field.path, &field.role, (key, value), &mut sink);
                }
            }
            Value::Absent => {}
            Value::Text(_) | Value::List(_) => return Err(ignored(&path, &format!("`{outer}` is not a mapping"))),
        }
    }
    if let Some(first) = sink.findings.first() {
        return Err(ignored(&path, &first.message));
    }
    *frontmatter = Arc::new(changed);
    Ok(())
}

/// Whether a value has exactly the type of its field: a flag is `true` or `false` without quotes, and a list is not written
/// as text.
fn has_type(role: &FieldRole, node: &Node) -> bool {
    match (role, &node.value) {
        _ if is_absent(node) => true,
        (FieldRole::ForModel, Value::Text(word)) => {
            node.style == Style::Plain && matches!(word.as_str(), "true" | "false")
        }
        (FieldRole::Products(_), Value::List(items)) => items.iter().all(|item| matches!(item.value, Value::Text(_))),
        (FieldRole::ForModel | FieldRole::Products(_), _) => false,
        _ => true,
    }
}

/// Why the file beside a SKILL.md adds nothing.
pub(crate) enum SidecarError {
    /// The file system has yet to fetch it.
    Pending(FsPath),
    /// It is ignored, as the finding says.
    Ignored(Box<Diagnostic>),
}

fn ignored(path: &FsPath, reason: &str) -> SidecarError {
    let message = format!("the file is ignored: {reason}");
    let finding = Diagnostic::new(Severity::Warning, Code::SidecarIgnored, path.clone(), message);
    SidecarError::Ignored(Box::new(finding.help("fix the file; until then none of its fields count")))
}
