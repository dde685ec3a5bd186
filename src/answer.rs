//! In: an answer. Out: the JSON of the command line's contract, in one place, for the binary and for other doors.
//! Absent values are left out, unless the contract says null. Paths are absolute, as the host spells them.

#[cfg(feature = "digest")]
mod approve;
mod looked;
#[cfg(feature = "archive")]
mod pack;
#[cfg(any(feature = "scripts", feature = "forks"))]
mod ran;
#[cfg(feature = "digest")]
mod serve;
mod table;
#[cfg(feature = "forks")]
mod task;
#[cfg(feature = "toolsets")]
mod toolset;

#[cfg(feature = "digest")]
pub use approve::approval;
pub use looked::looked;
#[cfg(all(feature = "archive", feature = "host"))]
pub use pack::unpacked;
#[cfg(feature = "archive")]
pub use pack::{not_packed, packed};
#[cfg(any(feature = "scripts", feature = "forks"))]
pub use ran::ran;
#[cfg(feature = "digest")]
pub use serve::{served_children, served_entry};
pub use table::dialect;
#[cfg(feature = "forks")]
pub use task::{commands_ran, task};
#[cfg(feature = "toolsets")]
pub use toolset::{tool_called, tools};

use crate::catalog::Catalog;
use crate::commands::{Command, Commands};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Dialect;
use crate::error::Error;
use crate::fs::Fs;
use crate::gather::Gather;
use crate::inventory::{Resources, resources};
use crate::invoke::Invocation;
use crate::load::Loaded;
use crate::map::HashSet;
use crate::path::FsPath;
use crate::prompt::Prompt;
use crate::select::Selection;
use crate::skill::{Context, Skill, State};
use crate::text::json::{Fields, Json};
use crate::text::yaml::{Node, Style, Value};
use crate::tool::Tool;
use crate::why::Why;
use crate::world::World;

/// `list` and `tree`: the skills, each with its commands of the same catalog, what they shadow, and the findings.
pub fn list(world: &World<'_>, catalog: &Catalog, commands: &Commands) -> Json {
    // Both are in the catalog's order, and a skill has one command or none.
    let mut commands = commands.all().iter().peekable();
    let skills = Json::list(catalog.skills(), |skill| {
        let mut names = Vec::new();
        if let Some(command) = commands.next_if(|command| command.key == skill.key) {
            names.push(Json::from(command.name.as_str()));
            command.aliases.iter().for_each(|alias| names.push(Json::from(alias.as_str())));
        }
        self::skill(world, catalog.dialect(), skill, names)
    });
    let shadowed = Json::list(catalog.shadowed(), |shadowed| {
        Fields::default()
            .text("key", &shadowed.skill.key)
            .put("path", path(world.fs, &shadowed.skill.path))
            .text("source", &shadowed.skill.source.label)
            .put("by", path(world.fs, &shadowed.by))
            .done()
    });
    Fields::default()
        .text("dialect", &catalog.dialect().name)
        .put("skills", skills)
        .put("shadowed", shadowed)
        .put("findings", self::findings(world.fs, catalog.findings()))
        .done()
}

fn skill(world: &World<'_>, dialect: &Dialect, skill: &Skill, commands: Vec<Json>) -> Json {
    let meta = &skill.meta;
    let namespace = meta.namespace.as_ref().or(skill.source.namespace.as_ref());
    let Resources { scripts, references, assets } = resources(world, skill);
    let (run, cues) = (meta.run(), meta.cues());
    // Where a dialect has no states, only what is switched off says so.
    let state = (skill.state != State::Enabled || dialect.states.is_some()).then(|| skill.state.as_str());
    let context = run.context.map(|context| match context {
        Context::Inline => "inline",
        Context::Fork => "fork",
    });
    // Where the listing shows the short form, it is there also when its author wrote none.
    let shows_brief = dialect.prompt.row.holes().any(|hole| hole == "brief");
    let brief = if shows_brief { Some(skill.brief()) } else { cues.brief.clone() };
    let has_triggers = !(cues.keywords.is_empty() && cues.verbs.is_empty() && cues.patterns.is_empty());
    let triggers = || {
        Fields::default()
            .texts("keywords", &cues.keywords)
            .texts("verbs", &cues.verbs)
            .texts("patterns", &cues.patterns)
            .done()
    };
    let resources =
        Fields::default().texts("scripts", &scripts).texts("references", &references).texts("assets", &assets).done();
    Fields::default()
        .text("key", &skill.key)
        .text("name", &skill.name)
        .text("description", skill.description())
        .text("source", &skill.source.label)
        .text("scope", &skill.source.scope)
        .put("path", path(world.fs, &skill.path))
        .put("dir", path(world.fs, &skill.dir()))
        .flag("model", skill.audience.model)
        .flag("user", skill.audience.user)
        .flag("pinned", meta.pinned)
        .put("commands", Json::List(commands))
        .some_text("version", meta.version.as_deref())
        .some_texts("allowed_tools", meta.allowed_tools.as_deref())
        .some_text("argument_hint", run.argument_hint.as_deref())
        .some_text("namespace", namespace.map(String::as_str))
        .some_text("context", context)
        .some_text("agent", run.agent.as_deref())
        .some_text("model_name", run.model.as_deref())
        .some("sandbox", run.sandbox.then_some(Json::Bool(true)))
        .filled("permissions", &run.permissions)
        .some_texts("disallowed_tools", run.disallowed_tools.as_deref())
        .some_text("brief_description", brief.as_deref())
        .filled("toolsets", &run.toolsets)
        .some_texts("scripts", run.scripts.names())
        .some_text("when_to_use", cues.when.as_deref())
        .filled("arguments", &run.arguments)
        .filled("paths", &run.paths)
        .some_text("effort", run.effort.as_deref())
        .some("background", run.background.map(Json::Bool))
        .some_text("shell", run.shell.as_deref())
        .some("triggers", has_triggers.then(triggers))
        .some_text("state", state)
        .some_text("license", meta.license.as_deref())
        .some_text("compatibility", meta.needs().compatibility.as_deref())
        .some("target", skill.target.as_ref().map(|target| path(world.fs, target)))
        .put("resources", resources)
        .put("meta", own_fields(skill))
        .done()
}

/// The author's own fields: `metadata`, then the keys that no table knows.
fn own_fields(skill: &Skill) -> Json {
    let mut known = HashSet::new();
    let mut fields = Fields::default();
    for (name, value) in skill.meta.metadata.iter().chain(&skill.meta.other) {
        if known.insert(name.as_str()) {
            fields.put(name, node(value));
        }
    }
    fields.done()
}

/// A YAML value. Scalars keep their source text. Depth is bounded where YAML is read.
fn node(value: &Node) -> Json {
    match &value.value {
        Value::Text(text) if value.style == Style::Plain && matches!(text.as_str(), "" | "~" | "null") => Json::Null,
        Value::Text(text) => Json::from(text.as_str()),
        Value::List(items) => Json::list(items, node),
        Value::Map(fields) => Json::Map(fields.iter().map(|(key, value)| (key_text(key), node(value))).gather()),
        Value::Absent => Json::Null,
    }
}

fn key_text(key: &Node) -> String {
    match &key.value {
        Value::Text(text) => text.clone(),
        Value::List(_) | Value::Map(_) | Value::Absent => node(key).to_string(),
    }
}

/// `prompt`. An absent budget is null.
pub fn prompt(prompt: &Prompt) -> Json {
    Fields::default()
        .text("text", &prompt.text)
        .text("guidance", &prompt.guidance)
        .text("list", &prompt.list)
        .texts("shown", &prompt.shown)
        .texts("shortened", &prompt.shortened)
        .texts("left_out", &prompt.left_out)
        .number("cost", prompt.cost)
        .put("budget", prompt.budget.map_or(Json::Null, Json::from))
        .some_text("note", Some(prompt.note.as_str()).filter(|note| !note.is_empty()))
        .done()
}

/// `state`: the state of every skill in use.
pub fn states(catalog: &Catalog) -> Json {
    let states = catalog.skills().iter().map(|skill| (skill.key.as_str(), Json::from(skill.state.as_str())));
    Json::map([("states", Json::map(states))])
}

/// `match`.
pub fn selection(selection: &Selection) -> Json {
    Fields::default()
        .number("tier", selection.tier.number())
        .texts("keys", &selection.keys)
        .text("text", &selection.text)
        .done()
}

/// `load`.
pub fn loaded(fs: &dyn Fs, loaded: &Loaded) -> Json {
    Fields::default()
        .text("key", &loaded.key)
        .text("text", &loaded.text)
        .flag("already", loaded.already)
        .put("dir", path(fs, &loaded.dir))
        .put("files", Json::list(&loaded.files, |file| path(fs, file)))
        .texts("children", &loaded.children)
        .known_texts("tools", loaded.tools.as_deref())
        .put("findings", findings(fs, &loaded.findings))
        .done()
}

/// `tool`.
pub fn tool(tool: &Tool) -> Json {
    Fields::default()
        .text("name", &tool.name)
        .text("description", &tool.description)
        .put("input_schema", tool.input_schema.clone())
        .done()
}

/// `call`: `ok`, and the invocation or the error.
pub fn called(fs: &dyn Fs, answer: Result<&Invocation, &Error>) -> Json {
    let mut fields = Fields::default();
    match answer {
        Ok(invocation) => fields.flag("ok", true).all_of(self::invocation(fs, Some(invocation), "")),
        Err(error) => fields.flag("ok", false).put("error", self::error(error)),
    };
    fields.done()
}

/// `invoke`: the decision, or the line itself where it is an ordinary message.
pub fn invocation(fs: &dyn Fs, invocation: Option<&Invocation>, line: &str) -> Json {
    let mut fields = Fields::default();
    match invocation {
        None => fields.text("kind", "message").text("text", line),
        Some(Invocation::Inline(message)) => fields
            .text("kind", "inline")
            .text("key", &message.key)
            .text("text", &message.text)
            .known_texts("tools", message.tools.as_deref())
            .known("model", message.model.as_deref())
            .put("dir", path(fs, &message.dir))
            .put("findings", findings(fs, &message.findings))
            .some_texts("disallowed_tools", message.disallowed_tools.as_deref())
            .some_text("effort", message.effort.as_deref()),
        Some(Invocation::Fork(fork)) => {
            fields.text("kind", "fork").text("key", &fork.key).text("text", &fork.text);
            // What the skill asks for; what its agent is given stands in the terms.
            fork.tell(fs, &fork.permissions, &mut fields);
            fields.put("findings", findings(fs, &fork.findings))
        }
        Some(Invocation::Pending(pending)) => fields
            .text("kind", "pending")
            .text("key", &pending.key)
            .texts("commands", &pending.commands)
            .texts("words", &pending.words)
            .flag("trusted", pending.trusted().is_ok())
            .texts("pieces", pending.pieces())
            .put("variables", variables(&pending.variables))
            .put("then", self::invocation(fs, Some(pending.next()), line))
            .some_text("shell", pending.shell.as_deref())
            .filled("requires_env", &pending.requires_env),
    };
    fields.done()
}

/// Of a variable that stands twice the last value counts.
fn variables(variables: &[(String, String)]) -> Json {
    Json::map(variables.iter().map(|(name, value)| (name, Json::from(value.as_str()))))
}

/// `sync`: what was copied, what stays, what was removed; of a dry run, what would be.
pub fn synced(fs: &dyn Fs, copied: &[String], unchanged: &[String], removed: &[String], found: &[Diagnostic]) -> Json {
    Fields::default()
        .texts("copied", copied)
        .texts("unchanged", unchanged)
        .texts("removed", removed)
        .put("findings", findings(fs, found))
        .done()
}

/// `complete`.
pub fn completions(commands: &[&Command]) -> Json {
    let rows = Json::list(commands, |command| {
        Fields::default()
            .text("name", &command.name)
            .text("key", &command.key)
            .known("hint", command.hint.as_deref())
            .text("description", &command.description)
            .done()
    });
    Fields::default().put("commands", rows).done()
}

/// `why`.
pub fn why(fs: &dyn Fs, asked: &str, outcomes: &[Why]) -> Json {
    let rows = Json::list(outcomes, |why| {
        Fields::default()
            .put("path", path(fs, &why.path))
            .text("outcome", why.verdict.as_str())
            .known("code", why.code.map(Code::as_str))
            .text("message", &why.message)
            .known("help", why.help.as_deref())
            .done()
    });
    Fields::default().text("asked", asked).put("outcomes", rows).done()
}

/// A list of findings, as under `findings`.
pub fn findings(fs: &dyn Fs, findings: &[Diagnostic]) -> Json {
    Json::list(findings, |finding| self::finding(fs, finding))
}

/// One finding.
pub fn finding(fs: &dyn Fs, finding: &Diagnostic) -> Json {
    let fix = finding.fix.as_ref().map(|fix| {
        let last = (fix.line < fix.last).then_some(fix.last);
        Fields::default().number("line", fix.line).text("with", &fix.with).some("last", last.map(Json::from)).done()
    });
    Fields::default()
        .text("severity", finding.severity.as_str())
        .text("code", finding.code.as_str())
        .put("path", path(fs, &finding.path))
        .some("line", finding.at.map(|at| Json::from(at.line)))
        .some("column", finding.at.map(|at| Json::from(at.column)))
        .text("message", &finding.message)
        .some_text("help", finding.help.as_deref())
        .some("fix", fix)
        .done()
}

/// An error, as under `error`.
pub fn error(error: &Error) -> Json {
    Fields::default().text("code", error.code()).text("message", &error.to_string()).done()
}

fn path(fs: &dyn Fs, path: &FsPath) -> Json {
    Json::from(fs.spell(path).into_owned())
}

#[cfg(feature = "serde")]
impl serde::Serialize for Json {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Null => serializer.serialize_unit(),
            Json::Bool(value) => serializer.serialize_bool(*value),
            Json::Number(text) => match (text.parse::<i64>(), text.parse::<u64>(), text.parse::<f64>()) {
                (Ok(number), ..) => serializer.serialize_i64(number),
                (_, Ok(number), _) => serializer.serialize_u64(number),
                (.., Ok(number)) => serializer.serialize_f64(number),
                (..) => serializer.serialize_str(text),
            },
            Json::Text(text) => serializer.serialize_str(text),
            Json::List(items) => serializer.collect_seq(items),
            Json::Map(fields) => serializer.collect_map(fields.iter().map(|(key, value)| (key, value))),
        }
    }
}
