//! Reads the list fields whose items have a form of their own (knowledge files, permissions, toolsets), and reports the
//! items that do not have it. How a list may be spelled is decided in `lists`.

use super::DiagnosticSink;
use super::fields::report_empty_items;
use super::lists::read_list_with_spans;
use crate::diagnostic::{Code, Severity};
use crate::model::skill::Permission;
use crate::text::words::excerpt;
use crate::text::yaml::Node;

/// Reads the names of knowledge files, and records where each is named.
pub(super) fn read_knowledge(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Vec<String> {
    let mut files = Vec::new();
    for (file, span) in read_list_with_spans(name, node, sink) {
        let mark = sink.mark(span);
        sink.knowledge.push(mark);
        files.push(file);
    }
    files
}

/// Reads the tags of permissions, each once, in order (rule 16.6).
pub(super) fn read_permissions(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for (tag, span) in read_list_with_spans(name, node, sink) {
        if Permission::parse(&tag).is_none() {
            let message = format!("`{}` is not a permission tag", excerpt(&tag, 60));
            sink.at_span(span, Severity::Warning, Code::UnknownPermission, message)
                .advise("write @network, @events, @read:PATH, @write:PATH, or another tag that begins with @");
        }
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}

/// Reads toolsets of the form `path:Export`.
pub(super) fn read_toolsets(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Vec<String> {
    report_empty_items("toolset", Code::WrongType, name, node, sink);
    let toolsets = read_list_with_spans(name, node, sink);
    for (odd, span) in toolsets.iter().filter(|(toolset, _)| toolset_parts(toolset).is_none()) {
        let message = format!("the toolset `{}` is not of the form `path:Export`", excerpt(odd, 60));
        sink.at_span(*span, Severity::Warning, Code::WrongType, message)
            .advise("write the path of a file in the skill, a colon, and the name of its export");
    }
    toolsets.into_iter().map(|(toolset, _)| toolset).collect()
}

/// The path and the export of a toolset: `toolsets/index:HelloToolset`.
pub(crate) fn toolset_parts(toolset: &str) -> Option<(&str, &str)> {
    let (path, export) = toolset.split_once(':')?;
    let (path, export) = (path.trim(), export.trim());
    (!path.is_empty() && !export.is_empty()).then_some((path, export))
}
