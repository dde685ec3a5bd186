//! Checks that the files exist that fields of the frontmatter name.

use crate::diagnostic::Diagnostic;
use crate::dialect::{Dialect, FieldRole};
use crate::discovery::manifest::items;
use crate::discovery::world::World;
use crate::loading::script;
use crate::loading::toolset;
use crate::model::skill::{Frontmatter, ScriptList};
use crate::path::FsPath;

/// Adds a finding for each file that a field names and that does not exist, at the position of its item.
pub(super) fn report_missing(
    world: &World<'_>,
    dialect: &Dialect,
    (path, bytes): (&FsPath, &[u8]),
    frontmatter: &Frontmatter,
    findings: &mut Vec<Diagnostic>,
) {
    if !frontmatter.run().toolsets.is_empty() {
        for item in items(world.extras, dialect, path, bytes, &FieldRole::Toolsets) {
            findings.extend(toolset::fault(world, path, &item.text).map(|finding| item.locate(finding)));
        }
    }
    // A list that cannot be read has its own finding.
    if matches!(frontmatter.run().scripts, ScriptList::Names(_)) {
        let listed = items(world.extras, dialect, path, bytes, &FieldRole::Scripts);
        let faults = script::faults(world, path, listed.iter().map(|item| item.text.as_str()));
        for (item, fault) in listed.iter().zip(faults) {
            findings.extend(fault.map(|finding| item.locate(finding)));
        }
    }
}
