//! In: the value of a list field. Out: its items, and a finding at each one that is odd; where each knowledge file is
//! named, as whether it is there is found out later. Absent: how a list may be spelled.

use super::DiagnosticSink;
use super::fields::without_empty;
use super::lists::placed;
use crate::diagnostic::{Code, Severity};
use crate::model::skill::Permission;
use crate::text::words::excerpt;
use crate::text::yaml::Node;

/// The files, whose places are kept.
pub(super) fn knowledge(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Vec<String> {
    let mut files = Vec::new();
    for (file, span) in placed(name, node, sink) {
        let mark = sink.mark(span);
        sink.knowledge.push(mark);
        files.push(file);
    }
    files
}

/// Tags, each once, in order (decisions 34).
pub(super) fn permissions(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for (tag, span) in placed(name, node, sink) {
        if Permission::parse(&tag).is_none() {
            let message = format!("unknown permission `{}`", excerpt(&tag, 60));
            sink.over(span, Severity::Warning, Code::UnknownPermission, message)
                .advise("write @network, @events, @read:PATH or @write:PATH");
        }
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    tags
}

pub(super) fn toolsets(name: &str, node: &mut Node, sink: &mut DiagnosticSink<'_>) -> Vec<String> {
    without_empty("toolset", Code::WrongType, name, node, sink);
    let toolsets = placed(name, node, sink);
    for (odd, span) in toolsets.iter().filter(|(toolset, _)| toolset_parts(toolset).is_none()) {
        let message = format!("the toolset `{}` is not of the form `path:Export`", excerpt(odd, 60));
        sink.over(*span, Severity::Warning, Code::WrongType, message)
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
