//! One tree of skills, read by every dialect: catalog, prompt, load, invoke, call and why, each a transcript beside
//! the tree. And the guide's table of how the dialects differ, made from their tables. `UPDATE=1` writes both anew.

use crate::common;
use crate::transcript::copied;
use common::{path, root};
use pretty_assertions::assert_eq;
use skilltree::dialect::NAMES;
use skilltree::{
    Caller, Catalog, Dialect, Error, Fs, Invocation, Json, LoadRequest, Places, PromptRequest, Skill, State, World,
    call, commands, dialect, discover, invoke, load, prompt, tool, why,
};
use std::path::PathBuf;
use std::sync::Arc;

#[test]
fn every_dialect_answers() {
    let tree = root().join("testdata/one-tree");
    for name in NAMES {
        let dialect = dialect(name).expect("a dialect");
        let memory = play(&copied(&tree), &dialect);
        #[cfg(unix)]
        assert_eq!(play(&skilltree::OsFs::rooted(&tree), &dialect), memory, "{name}: disk and memory");
        hold(&tree.join(format!("{name}.txt")), &memory);
    }
}

/// Holds a text against a file, or writes it there.
#[track_caller]
fn hold(file: &PathBuf, text: &str) {
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(file, text).expect("it can be written");
    }
    let expected = std::fs::read_to_string(file).unwrap_or_default();
    assert_eq!(text, expected, "{}; run with UPDATE=1", file.display());
}

fn play(fs: &dyn Fs, dialect: &Arc<Dialect>) -> String {
    let places =
        Places { project: Some(path("/project")), roots: vec![path("/skills")], only_roots: true, ..Places::default() };
    let world = World::new(fs, &places, &());
    let catalog = discover(&world, dialect);
    let brew = catalog.skills().iter().find(|skill| skill.dir().name() == "brew").expect("every dialect takes it");
    let mut out = String::new();
    let mut say = |step: &str, text: String| out.push_str(&format!("$ {step}\n{text}\n\n"));
    say(
        "list",
        catalog
            .skills()
            .iter()
            .map(row)
            .chain(catalog.findings().iter().map(ToString::to_string))
            .collect::<Vec<_>>()
            .join("\n"),
    );
    say("prompt", prompt(&world, &catalog, &PromptRequest::default()).text);
    let ask = LoadRequest { args: "green tea".to_owned(), ..LoadRequest::new(Caller::Model) };
    say("load brew", load(&world, &catalog, brew, &ask).map_or_else(|error| refused(&error), |loaded| loaded.text));
    say("invoke /brew green tea", invoked(&world, &catalog, "/brew green tea"));
    say("invoke /errand", invoked(&world, &catalog, "/errand two pounds"));
    say("call brew", called(&world, &catalog, brew));
    for asked in ["steep", "bare", "by-hand", "no-name"] {
        let told = why(&world, &catalog, asked, &PromptRequest::default());
        let lines = told.iter().map(|why| format!("{}: {}: {}", why.path, why.outcome.as_str(), why.message));
        say(&format!("why {asked}"), lines.collect::<Vec<_>>().join("\n"));
    }
    out
}

fn row(skill: &Skill) -> String {
    let who = match (skill.is_for(Caller::Model), skill.is_for(Caller::User), skill.state) {
        (_, _, State::Disabled) => "off",
        (true, true, _) => "model+user",
        (true, false, _) => "model",
        (false, true, _) => "user",
        (false, false, _) => "nobody",
    };
    format!("{} [{}] {who}: {}", skill.key, skill.name, skill.description())
}

fn refused(error: &Error) -> String {
    format!("error[{}]: {error}", error.code())
}

fn invoked(world: &World<'_>, catalog: &Catalog, line: &str) -> String {
    match invoke(world, catalog, &commands(catalog, &[]), line) {
        Ok(None) => "an ordinary message".to_owned(),
        Ok(Some(invocation)) => shown(world, &invocation),
        Err(error) => refused(&error),
    }
}

fn shown(world: &World<'_>, invocation: &Invocation) -> String {
    format!("{:#}", Invocation::line_json(world.fs, Some(invocation), ""))
}

/// The load tool called by what its own schema asks for.
fn called(world: &World<'_>, catalog: &Catalog, skill: &Skill) -> String {
    let asked = tool(catalog).and_then(|tool| {
        let required = match tool.input_schema.get("required") {
            Some(Json::List(names)) => names.first().and_then(Json::as_text).unwrap_or_default().to_owned(),
            _ => String::new(),
        };
        let arguments = Json::map([(required, Json::from(skill.key.as_str()))]).to_string();
        call(world, catalog, &arguments)
    });
    asked.map_or_else(|error| refused(&error), |invocation| shown(world, &invocation))
}

/// What a table of a dialect says at these keys, as one cell.
fn cell(table: &Json, keys: &[&str]) -> String {
    let value = keys.iter().try_fold(table, |value, key| value.get(key));
    match value {
        None | Some(Json::Null) => "–".to_owned(),
        Some(Json::Text(text)) => text.replace('|', "\\|"),
        Some(other) => other.to_string(),
    }
}

#[test]
fn the_guide_shows_how_they_differ() {
    let mut table = String::from(
        "| dialect | sources, lowest first | depth | files are | required | key | order | `allowed-tools` | prompt budget | load tool |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    for name in NAMES {
        let json = dialect(name).expect("a dialect").to_json();
        let list = |key: &str| match json.get(key) {
            Some(Json::List(rows)) => rows.clone(),
            _ => Vec::new(),
        };
        let mut sources = list("sources").iter().map(|row| format!("`{}`", cell(row, &["path"]))).collect::<Vec<_>>();
        // A folder may be a source in two ways.
        sources.dedup();
        let fields = list("fields");
        let required = fields.iter().filter(|row| cell(row, &["need"]) == "required");
        let required = required.map(|row| cell(row, &["name"])).collect::<Vec<_>>();
        let budget = match (cell(&json, &["prompt", "budget"]), cell(&json, &["prompt", "window_percent"])) {
            (chars, none) if none == "–" => chars,
            (chars, percent) => format!("{percent} % of the window, or {chars}"),
        };
        let read = match cell(&json, &["reading"]).as_str() {
            "faithful" => "read as the client does",
            _ => "repaired",
        };
        let required = if required.is_empty() { "–".to_owned() } else { required.join(", ") };
        table.push_str(&format!(
            "| `{name}` | {} | {} | {read} | {required} | {} | {} | {} | {budget} | {} |\n",
            sources.join(", "),
            cell(&json, &["scan", "depth"]),
            cell(&json, &["key"]),
            cell(&json, &["order"]),
            cell(&json, &["allowed_tools"]),
            cell(&json, &["tool"]),
        ));
    }
    let file = root().join("src/guide/dialects.md");
    let page = std::fs::read_to_string(&file).expect("the page");
    let (before, rest) = page.split_once("<!-- dialects -->\n").expect("where the table begins");
    let (_, after) = rest.split_once("<!-- end of dialects -->").expect("where the table ends");
    hold(&file, &format!("{before}<!-- dialects -->\n{table}<!-- end of dialects -->{after}"));
}
