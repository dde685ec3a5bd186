//! In: an answer. Out: the JSON of the command line's contract, in one place, for the binary and for other doors.
//! Absent values are left out, unless the contract says null. Paths are absolute, as the host spells them.

#[cfg(feature = "digest")]
mod approve;
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
use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::error::Error;
use crate::fs::Fs;
use crate::gather::Gather;
use crate::inventory::{Resources, resources};
use crate::invoke::Invocation;
use crate::load::Loaded;
use crate::map::{HashMap, HashSet};
use crate::path::FsPath;
use crate::prompt::Prompt;
use crate::select::Selection;
use crate::skill::{Context, Skill, State};
use crate::text::json::Json;
use crate::text::yaml::{Node, Style, Value};
use crate::tool::Tool;
use crate::why::Why;
use crate::world::World;

/// `list` and `tree`: the skills, what they shadow, and the findings.
pub fn list(world: &World<'_>, catalog: &Catalog, commands: &Commands) -> Json {
    let mut names: HashMap<&str, Vec<Json>> = HashMap::new();
    for command in commands.all() {
        let own = names.entry(command.key.as_str()).or_default();
        own.push(Json::from(command.name.as_str()));
        command.aliases.iter().map(|alias| Json::from(alias.as_str())).gather_into(own);
    }
    let skills = catalog.skills().iter().map(|skill| {
        let commands = names.remove(skill.key.as_str()).unwrap_or_default();
        self::skill(world, catalog.dialect(), skill, commands)
    });
    let skills = skills.gather();
    let shadowed = catalog.shadowed().iter().map(|shadowed| {
        Json::map([
            ("key", Json::from(shadowed.skill.key.as_str())),
            ("path", path(world.fs, &shadowed.skill.path)),
            ("source", Json::from(shadowed.skill.source.label.as_str())),
            ("by", path(world.fs, &shadowed.by)),
        ])
    });
    Json::map([
        ("dialect", Json::from(catalog.dialect().name.as_str())),
        ("skills", Json::List(skills)),
        ("shadowed", Json::List(shadowed.gather())),
        ("findings", self::findings(world.fs, catalog.findings())),
    ])
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
    let triggers = Json::map([
        ("keywords", texts(&cues.keywords)),
        ("verbs", texts(&cues.verbs)),
        ("patterns", texts(&cues.patterns)),
    ]);
    let has_triggers = !(cues.keywords.is_empty() && cues.verbs.is_empty() && cues.patterns.is_empty());
    let some = |list: &[String]| (!list.is_empty()).then(|| texts(list));
    let described = Json::map([
        ("key", Json::from(skill.key.as_str())),
        ("name", Json::from(skill.name.as_str())),
        ("description", Json::from(skill.description())),
        ("source", Json::from(skill.source.label.as_str())),
        ("scope", Json::from(skill.source.scope.as_str())),
        ("path", path(world.fs, &skill.path)),
        ("dir", path(world.fs, &skill.dir())),
        ("model", Json::Bool(skill.audience.model)),
        ("user", Json::Bool(skill.audience.user)),
        ("pinned", Json::Bool(meta.pinned)),
        ("commands", Json::List(commands)),
    ]);
    let resources =
        Json::map([("scripts", texts(&scripts)), ("references", texts(&references)), ("assets", texts(&assets))]);
    described
        .with("version", meta.version.as_deref())
        .with("allowed_tools", meta.allowed_tools.as_deref().map(texts))
        .with("argument_hint", meta.run().argument_hint.as_deref())
        .with("namespace", namespace.map(String::as_str))
        .with("context", context)
        .with("agent", run.agent.as_deref())
        .with("model_name", run.model.as_deref())
        .with("sandbox", run.sandbox.then_some(true))
        .with("permissions", some(&run.permissions))
        .with("disallowed_tools", meta.run().disallowed_tools.as_deref().map(texts))
        .with("brief_description", brief)
        .with("toolsets", some(&run.toolsets))
        .with("scripts", run.scripts.names().map(texts))
        .with("when_to_use", cues.when.as_deref())
        .with("arguments", some(&run.arguments))
        .with("paths", some(&run.paths))
        .with("effort", run.effort.as_deref())
        .with("background", run.background)
        .with("shell", run.shell.as_deref())
        .with("triggers", has_triggers.then_some(triggers))
        .with("state", state)
        .with("license", meta.license.as_deref())
        .with("compatibility", meta.needs().compatibility.as_deref())
        .with("target", skill.target.as_ref().map(|target| path(world.fs, target)))
        .with("resources", Some(resources))
        .with("meta", Some(own_fields(skill)))
}

/// The author's own fields: `metadata`, then the keys that no table knows.
fn own_fields(skill: &Skill) -> Json {
    let mut known = HashSet::new();
    let fields = skill.meta.metadata.iter().chain(&skill.meta.other).filter(|(name, _)| known.insert(name.as_str()));
    Json::Map(fields.map(|(name, value)| (name.clone(), node(value))).gather())
}

/// A YAML value. Scalars keep their source text. Depth is bounded where YAML is read.
fn node(value: &Node) -> Json {
    match &value.value {
        Value::Text(text) if value.style == Style::Plain && matches!(text.as_str(), "" | "~" | "null") => Json::Null,
        Value::Text(text) => Json::from(text.as_str()),
        Value::List(items) => Json::List(items.iter().map(node).gather()),
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
    Json::map([
        ("text", Json::from(prompt.text.as_str())),
        ("guidance", Json::from(prompt.guidance.as_str())),
        ("list", Json::from(prompt.list.as_str())),
        ("shown", texts(&prompt.shown)),
        ("shortened", texts(&prompt.shortened)),
        ("left_out", texts(&prompt.left_out)),
        ("cost", Json::from(prompt.cost)),
        ("budget", prompt.budget.map_or(Json::Null, Json::from)),
    ])
    .with("note", (!prompt.note.is_empty()).then_some(prompt.note.as_str()))
}

/// `state`: the state of every skill in use.
pub fn states(catalog: &Catalog) -> Json {
    let states = catalog.skills().iter().map(|skill| (skill.key.as_str(), Json::from(skill.state.as_str())));
    Json::map([("states", Json::map(states))])
}

/// `match`.
pub fn selection(selection: &Selection) -> Json {
    Json::map([
        ("tier", Json::from(selection.tier.number())),
        ("keys", texts(&selection.keys)),
        ("text", Json::from(selection.text.as_str())),
    ])
}

/// `load`.
pub fn loaded(fs: &dyn Fs, loaded: &Loaded) -> Json {
    Json::map([
        ("key", Json::from(loaded.key.as_str())),
        ("text", Json::from(loaded.text.as_str())),
        ("already", Json::Bool(loaded.already)),
        ("dir", path(fs, &loaded.dir)),
        ("files", Json::List(loaded.files.iter().map(|file| path(fs, file)).gather())),
        ("children", texts(&loaded.children)),
        ("tools", loaded.tools.as_deref().map_or(Json::Null, texts)),
        ("findings", findings(fs, &loaded.findings)),
    ])
}

/// `tool`.
pub fn tool(tool: &Tool) -> Json {
    Json::map([
        ("name", Json::from(tool.name.as_str())),
        ("description", Json::from(tool.description.as_str())),
        ("input_schema", tool.input_schema.clone()),
    ])
}

/// `call`: `ok`, and the invocation or the error.
pub fn called(fs: &dyn Fs, answer: Result<&Invocation, &Error>) -> Json {
    match answer {
        Ok(invocation) => joined(Json::map([("ok", Json::Bool(true))]), self::invocation(fs, Some(invocation), "")),
        Err(error) => Json::map([("ok", Json::Bool(false)), ("error", self::error(error))]),
    }
}

/// `invoke`: the decision, or the line itself where it is an ordinary message.
pub fn invocation(fs: &dyn Fs, invocation: Option<&Invocation>, line: &str) -> Json {
    match invocation {
        None => Json::map([("kind", Json::from("message")), ("text", Json::from(line))]),
        Some(Invocation::Inline(message)) => Json::map([
            ("kind", Json::from("inline")),
            ("key", Json::from(message.key.as_str())),
            ("text", Json::from(message.text.as_str())),
            ("tools", message.tools.as_deref().map_or(Json::Null, texts)),
            ("model", message.model.as_deref().map_or(Json::Null, Json::from)),
            ("dir", path(fs, &message.dir)),
            ("findings", findings(fs, &message.findings)),
        ])
        .with("disallowed_tools", message.disallowed_tools.as_deref().map(texts))
        .with("effort", message.effort.as_deref()),
        Some(Invocation::Fork(fork)) => {
            let fields = [("kind", "fork"), ("key", fork.key.as_str()), ("text", fork.text.as_str())];
            let fields = Json::map(fields.map(|(name, text)| (name, Json::from(text))));
            // What the skill asks for; what its agent is given stands in the terms.
            let terms = fork.terms(fs).with("permissions", Some(fork.permissions.as_slice()));
            joined(fields, terms).with("findings", Some(findings(fs, &fork.findings)))
        }
        Some(Invocation::Pending(pending)) => Json::map([
            ("kind", Json::from("pending")),
            ("key", Json::from(pending.key.as_str())),
            ("commands", texts(&pending.commands)),
            ("words", texts(&pending.words)),
            ("trusted", Json::Bool(pending.is_trusted)),
            ("pieces", texts(pending.pieces())),
            ("variables", Json::map(pending.variables.iter().map(|(name, value)| (name, Json::from(value.as_str()))))),
            ("then", self::invocation(fs, Some(pending.next()), line)),
        ])
        .with("shell", pending.shell.as_deref())
        .with("requires_env", (!pending.requires_env.is_empty()).then_some(pending.requires_env.as_slice())),
    }
}

/// `sync`: what was copied, what stays, what was removed; of a dry run, what would be.
pub fn synced(fs: &dyn Fs, copied: &[String], unchanged: &[String], removed: &[String], found: &[Diagnostic]) -> Json {
    Json::map([
        ("copied", texts(copied)),
        ("unchanged", texts(unchanged)),
        ("removed", texts(removed)),
        ("findings", findings(fs, found)),
    ])
}

/// `complete`.
pub fn completions(commands: &[&Command]) -> Json {
    let rows = commands.iter().map(|command| {
        Json::map([
            ("name", Json::from(command.name.as_str())),
            ("key", Json::from(command.key.as_str())),
            ("hint", command.hint.as_deref().map_or(Json::Null, Json::from)),
            ("description", Json::from(command.description.as_str())),
        ])
    });
    Json::map([("commands", Json::List(rows.gather()))])
}

/// `why`.
pub fn why(fs: &dyn Fs, asked: &str, outcomes: &[Why]) -> Json {
    let rows = outcomes.iter().map(|why| {
        Json::map([
            ("path", path(fs, &why.path)),
            ("outcome", Json::from(why.verdict.as_str())),
            ("code", why.code.map_or(Json::Null, |code| Json::from(code.as_str()))),
            ("message", Json::from(why.message.as_str())),
            ("help", why.help.as_deref().map_or(Json::Null, Json::from)),
        ])
    });
    Json::map([("asked", Json::from(asked)), ("outcomes", Json::List(rows.gather()))])
}

/// A list of findings, as under `findings`.
pub fn findings(fs: &dyn Fs, findings: &[Diagnostic]) -> Json {
    Json::List(findings.iter().map(|finding| self::finding(fs, finding)).gather())
}

/// One finding.
pub fn finding(fs: &dyn Fs, finding: &Diagnostic) -> Json {
    let fix = finding.fix.as_ref().map(|fix| {
        let last = (fix.line < fix.last).then_some(fix.last);
        Json::map([("line", Json::from(fix.line)), ("with", Json::from(fix.with.as_str()))]).with("last", last)
    });
    let found = Json::map([
        ("severity", Json::from(finding.severity.as_str())),
        ("code", Json::from(finding.code.as_str())),
        ("path", path(fs, &finding.path)),
    ]);
    found
        .with("line", finding.at.map(|at| at.line))
        .with("column", finding.at.map(|at| at.column))
        .with("message", Some(finding.message.as_str()))
        .with("help", finding.help.as_deref())
        .with("fix", fix)
}

/// An error, as under `error`.
pub fn error(error: &Error) -> Json {
    Json::map([("code", Json::from(error.code())), ("message", Json::from(error.to_string()))])
}

fn path(fs: &dyn Fs, path: &FsPath) -> Json {
    Json::from(fs.spell(path).into_owned())
}

fn texts(texts: &[String]) -> Json {
    Json::from(texts)
}

/// The fields of both, in this order.
fn joined(first: Json, more: Json) -> Json {
    match more {
        Json::Map(fields) => fields.into_iter().fold(first, |json, (name, value)| json.with(&name, Some(value))),
        _ => first,
    }
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
