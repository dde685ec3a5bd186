//! Reads the fields that some clients look for in the author's own map.

use super::DiagnosticSink;
use super::fields::set_field;
use crate::dialect::{Dialect, FieldRole};
use crate::model::skill::Frontmatter;
use crate::text::yaml::{Node, Value};

/// Reads the author's own map, and those of its fields that the table has. The map itself stays as it is written.
pub(super) fn read_metadata(
    frontmatter: &mut Frontmatter,
    dialect: &Dialect,
    name: &str,
    (key, node): (&Node, &mut Node),
    sink: &mut DiagnosticSink<'_>,
) {
    if let Value::Map(mut inner) = node.value.clone() {
        for (inner_key, inner_value) in &mut inner {
            let Value::Text(inner_name) = &inner_key.value else { continue };
            let path = format!("{name}.{inner_name}");
            let role = dialect.role_of(&path);
            role.into_iter().for_each(|role| set_field(frontmatter, &path, role, (inner_key, inner_value), sink));
        }
    }
    set_field(frontmatter, name, &FieldRole::Metadata, (key, node), sink);
}
