//! In: the load tool, and where to look. Out: a Python function of the tool's name that calls it through this
//! command line. Absent: any package but Python's own.

use crate::args::Where;
use skilltree::{Json, Tool};

/// A module with one function; its parameters are those of the tool's schema.
pub(crate) fn python(tool: &Tool, place: &Where) -> String {
    let name = identifier(&tool.name);
    let required = required(&tool.input_schema);
    let mut names: Vec<&str> = required.clone();
    names.extend(properties(&tool.input_schema).into_iter().filter(|name| !required.contains(name)));
    let parameters: Vec<String> = names
        .iter()
        .map(|&name| {
            let default = if required.contains(&name) { "" } else { " = None" };
            format!("{}{default}", identifier(name))
        })
        .collect();
    let arguments: Vec<String> = names.iter().map(|&name| format!("{}: {}", quoted(name), identifier(name))).collect();
    let command: Vec<String> = command(place).iter().map(|word| quoted(word)).collect();
    format!(
        "import json\nimport subprocess\n\n\n\
         def {name}({parameters}):\n    {about}\n    \
         arguments = {{key: value for key, value in {{{arguments}}}.items() if value is not None}}\n    \
         command = [{command}, \"call\", \"--\", json.dumps(arguments)]\n    \
         done = subprocess.run(command, capture_output=True, encoding=\"utf-8\")\n    \
         if done.returncode != 0:\n        raise RuntimeError(done.stderr.strip())\n    \
         return done.stdout.removesuffix(\"\\n\")\n",
        parameters = parameters.join(", "),
        about = quoted(&tool.description),
        arguments = arguments.join(", "),
        command = command.join(", "),
    )
}

/// The words that look at the same places again.
pub(super) fn command(place: &Where) -> Vec<String> {
    let single = [
        ("dialect", &place.dialect),
        ("project", &place.project),
        ("home", &place.home),
        ("bundled", &place.bundled),
        ("config", &place.config),
        ("user", &place.user),
        ("active", &place.active),
        ("mount", &place.mount),
    ];
    let many = [
        ("register", &place.register),
        ("root", &place.root),
        ("enable", &place.enable),
        ("disable", &place.disable),
        ("permission", &place.permission),
        ("reserved", &place.reserved),
    ];
    let mut words = vec!["skilltree".to_owned()];
    words.extend(single.iter().filter_map(|(name, value)| value.as_ref().map(|value| format!("--{name}={value}"))));
    words.extend(many.iter().flat_map(|(name, values)| values.iter().map(move |value| format!("--{name}={value}"))));
    words.extend(
        [("only-roots", place.only_roots), ("trust", place.trust), ("follow-links-out", place.follow_links_out)]
            .iter()
            .filter(|(_, on)| *on)
            .map(|(name, _)| format!("--{name}")),
    );
    words
}

fn properties(schema: &Json) -> Vec<&str> {
    match schema.get("properties") {
        Some(Json::Map(fields)) => fields.iter().map(|(name, _)| name.as_str()).collect(),
        _ => Vec::new(),
    }
}

fn required(schema: &Json) -> Vec<&str> {
    match schema.get("required") {
        Some(Json::List(names)) => names.iter().filter_map(Json::as_text).collect(),
        _ => Vec::new(),
    }
}

/// A JSON string is a Python string as well, as long as it has no pair of surrogates in it.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for part in text.split_inclusive(|c| c > '\u{ffff}') {
        let end = part.find(|c| c > '\u{ffff}').unwrap_or(part.len());
        let (plain, beyond) = part.split_at(end);
        let json = Json::from(plain).to_string();
        out.push_str(json.get(1..json.len() - 1).unwrap_or_default());
        out.extend(beyond.chars().map(|c| format!("\\U{:08x}", u32::from(c))));
    }
    out + "\""
}

fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
