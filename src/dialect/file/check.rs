//! What a dialect's table may not say, although it has the right form: it would mislead, or reach what it must not.

use super::read::Reader;
use crate::dialect::{
    Base, Dialect, Field, FieldRole, Limit, MAX_SKILL_BYTES, Reach, SettingsRule, SourceKind, SourceRule, ValueType,
};
use crate::model::skill::Origin;
use crate::text::words::excerpt;
use crate::text::yaml::{Node, Value};

/// Reports what the parts that a file gives may not say. Parts that it takes from its base are not looked at.
pub(super) fn check(root: &Node, dialect: &Dialect, reader: &mut Reader<'_>) {
    let is_name = |c: char| !c.is_whitespace() && !c.is_control() && c != '/' && c != '\\';
    if child(root, "name").is_some() && (dialect.name.is_empty() || !dialect.name.chars().all(is_name)) {
        let message = "expected a name without white space and slashes, of at least one character";
        wrong(root, "name", message, None, reader);
    }
    if let (Some(_), Some(most)) = (child(root, "max_bytes"), dialect.max_bytes) {
        if most > MAX_SKILL_BYTES {
            let message = format!("expected at most {MAX_SKILL_BYTES} bytes, got {most}");
            wrong(root, "max_bytes", &message, Some("write null for as much as can be read"), reader);
        }
    }
    let sources = items(root, "sources").iter().zip(dialect.sources.iter());
    let mut labels: Vec<&str> = Vec::new();
    for (node, source) in sources {
        reader.within("sources", |reader| {
            check_source(node, source, &labels, reader);
            if source.kind == SourceKind::Packages && dialect.packages.is_none() {
                let help = "add the part `packages`, which says how they are read, or extend a dialect that has it";
                wrong(node, "kind", "expected a part `packages` in the table, got none", Some(help), reader);
            }
        });
        labels.push(&source.label);
    }
    if let (Some(node), Some(settings)) = (child(root, "settings"), &dialect.settings) {
        reader.within("settings", |reader| check_settings(node, settings, reader));
    }
    for (n, (node, field)) in items(root, "fields").iter().zip(dialect.fields.iter()).enumerate() {
        let earlier = dialect.fields.get(..n).unwrap_or_default();
        reader.within("fields", |reader| check_field(node, field, earlier, reader));
    }
    for (n, (node, limit)) in items(root, "limits").iter().zip(dialect.limits.iter()).enumerate() {
        let earlier = dialect.limits.get(..n).unwrap_or_default();
        reader.within("limits", |reader| check_limit(node, limit, earlier, reader));
    }
    if let Some(load) = child(root, "load") {
        let (tag, mut frame) = (&*dialect.load.closing_tag, String::new());
        dialect.load.frame.render(&|_| Some("\0".into()), &mut frame);
        if child(load, "closing_tag").is_some() && !frame.contains(tag) {
            let message = format!("expected a text that `frame` contains, got `{}`", excerpt(tag, 60));
            let help = "write the tag as it is in the text of `frame`, without placeholders, or '' if there is none";
            reader.within("load", |reader| wrong(load, "closing_tag", &message, Some(help), reader));
        }
    }
    let mut check = |part: &str, key: &str, value: Option<&str>, is_path: bool| {
        if let (Some(node), Some(value)) = (child(root, part), value) {
            reader.within(part, |reader| {
                filled(node, key, value, reader);
                if is_path {
                    path(node, key, value, reader);
                }
            });
        }
    };
    let states = dialect.states.as_ref();
    check("states", "store", states.map(|states| &*states.store), true);
    check("knowledge", "dir", dialect.knowledge.as_ref().map(|knowledge| &*knowledge.dir), true);
    check("activation", "dir", dialect.activation.as_ref().map(|activation| &*activation.dir), true);
    check("sidecar", "path", dialect.sidecar.as_ref().map(|sidecar| &*sidecar.path), true);
    check("tool", "name", dialect.tool.as_ref().map(|tool| &*tool.name), false);
    check("tool", "argument", dialect.tool.as_ref().map(|tool| &*tool.argument), false);
}

fn check_source(node: &Node, source: &SourceRule, labels: &[&str], reader: &mut Reader<'_>) {
    path(node, "path", &source.path, reader);
    if let Some(fallback) = &source.project_fallback {
        path(node, "project_fallback", fallback, reader);
    }
    if let (SourceKind::Plugins { list, skills, manifest }, Some(kind)) = (&source.kind, child(node, "kind")) {
        let plugins = child(kind, "plugins").unwrap_or(kind);
        if let Some(list) = list {
            filled(plugins, "list", list, reader);
            path(plugins, "list", list, reader);
        }
        path(plugins, "skills", skills, reader);
        if let Some(manifest) = manifest {
            filled(plugins, "manifest", manifest, reader);
            path(plugins, "manifest", manifest, reader);
        }
    }
    filled(node, "label", &source.label, reader);
    once(node, "label", &source.label, labels, reader);
    // Rule 1.7: a source of another origin is trusted as the user's own choice.
    let is_in_project =
        source.base == Base::Project || source.project_fallback.is_some() || source.reach != Reach::Base;
    let is_agents = source.base == Base::Bundled && source.origin == Origin::Bundled;
    if is_in_project && source.origin != Origin::Project && !is_agents {
        let help = "skills that lie in the project come with it, and must not be trusted as the user's own";
        wrong(node, "origin", "expected `project` for a source in a project", Some(help), reader);
    }
}

fn check_settings(node: &Node, settings: &SettingsRule, reader: &mut Reader<'_>) {
    for (node, file) in items(node, "files").iter().zip(settings.files.iter()) {
        reader.within("files", |reader| {
            filled(node, "path", &file.path, reader);
            path(node, "path", &file.path, reader);
        });
    }
    for (node, setting) in items(node, "keys").iter().zip(settings.keys.iter()) {
        let key = &*setting.key;
        reader.within("keys", |reader| {
            filled(node, "key", key, reader);
            if key.replace("\\.", "").contains('.') {
                let message = format!("expected `/` between the keys of nested objects, got `{}`", excerpt(key, 60));
                let (nested, single) = (key.replace('.', "/"), key.replace('.', "\\."));
                let help = format!("write `{nested}`, or `{single}` if the dot is a part of one key");
                wrong(node, "key", &message, Some(&help), reader);
            }
        });
    }
}

fn check_field(node: &Node, field: &Field, earlier: &[Field], reader: &mut Reader<'_>) {
    let paths: Vec<&str> = earlier.iter().map(|field| &*field.path).collect();
    once(node, "path", &field.path, &paths, reader);
    if field.one_of.as_ref().is_some_and(|values| values.is_empty()) {
        let help = "list the values that the field may have, or remove the part";
        wrong(node, "one_of", "expected at least one value, got none", Some(help), reader);
    }
    let needs_values = field.values.iter().any(|values| values.types.contains(&ValueType::OneOf));
    if needs_values && field.one_of.is_none() {
        let help = "list the values that the field may have, or name other types";
        wrong(node, "values", "expected a part `one_of` beside the type `one-of`, got none", Some(help), reader);
    }
    // The values of such fields are kept apart or put together; some clients read one field under several names.
    let may_repeat = matches!(
        field.role,
        FieldRole::Kept
            | FieldRole::Removed(_)
            | FieldRole::NeedsBins
            | FieldRole::NeedsEnv
            | FieldRole::Paths
            | FieldRole::NotForModel
            | FieldRole::ForUser
            | FieldRole::WhenToUse
    );
    if let Some(first) = earlier.iter().find(|other| other.role == field.role && !may_repeat) {
        let message = format!("expected a role that no earlier row has, got that of `{}`", excerpt(&first.path, 60));
        let help = "remove one of the two, or write `role: kept` for a field without effect";
        wrong(node, "role", &message, Some(help), reader);
    }
}

fn check_limit(node: &Node, limit: &Limit, earlier: &[Limit], reader: &mut Reader<'_>) {
    let is_checked =
        matches!(limit.role, FieldRole::Name | FieldRole::Description | FieldRole::Compatibility | FieldRole::Brief);
    if !is_checked {
        let help = "write one of `name`, `description`, `compatibility`, `brief`, or remove the row";
        wrong(node, "role", "expected the role of a field whose length can be limited", Some(help), reader);
    } else if earlier.iter().any(|other| other.role == limit.role) {
        wrong(node, "role", "expected a role that no earlier row has", Some("remove one of the two rows"), reader);
    }
}

/// Reports the value of a key.
fn wrong(map: &Node, key: &str, message: &str, help: Option<&str>, reader: &mut Reader<'_>) {
    let node = child(map, key).unwrap_or(map);
    reader.within(key, |reader| reader.find(node.span, message, help.map(str::to_owned)));
}

/// Reports an empty text.
fn filled(map: &Node, key: &str, value: &str, reader: &mut Reader<'_>) {
    if value.is_empty() {
        wrong(map, key, "expected at least one character, got none", None, reader);
    }
}

/// Reports a text that an earlier row of a list has too.
fn once(map: &Node, key: &str, value: &str, earlier: &[&str], reader: &mut Reader<'_>) {
    if earlier.contains(&value) {
        let message = format!("expected a text that no earlier row has, got `{}`", excerpt(value, 60));
        wrong(map, key, &message, None, reader);
    }
}

/// Reports a path that does not lead to a place below its base.
fn path(map: &Node, key: &str, value: &str, reader: &mut Reader<'_>) {
    if child(map, key).is_none() {
        return;
    }
    let is_absolute = value.starts_with(['/', '\\', '~']) || value.as_bytes().get(1) == Some(&b':');
    let climbs = value.split(['/', '\\']).any(|name| name == "..");
    if is_absolute || climbs || value.contains('\0') {
        let message = format!("expected a path below its base, got `{}`", excerpt(value, 60));
        let help = "write a relative path with `/` between its names and without `..`";
        wrong(map, key, &message, Some(help), reader);
    }
}

fn child<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    let Value::Map(pairs) = &node.value else { return None };
    pairs.iter().find(|(name, _)| name.as_text() == Some(key)).map(|(_, value)| value)
}

/// The items of a list that is the value of a key.
fn items<'n>(node: &'n Node, key: &str) -> &'n [Node] {
    match child(node, key).map(|node| &node.value) {
        Some(Value::List(items)) => items,
        _ => &[],
    }
}
