//! A dialect's table, as JSON for `dialect NAME`: what differs between systems, in plain words.

use crate::dialect::{
    Base, Budget, COMMON_FIELDS, Dialect, Fit, KeyRule, Need, Order, Reading, RootSkill, Slot, SourceRule, StateRule,
    ToolsRule,
};
use crate::gather::Gather;
use crate::text::json::Json;

/// The table of a dialect.
pub fn dialect(table: &Dialect) -> Json {
    let own = table.fields.iter().map(|field| (field.path.as_str(), &field.slot, field.need));
    let common = COMMON_FIELDS.iter().map(|(path, slot)| (*path, slot, Need::Optional));
    let common = common.filter(|(path, ..)| table.fields.iter().all(|own| own.path != *path));
    let fields = own.chain(common).map(|(path, slot, need)| {
        let need = match need {
            _ if matches!(slot, Slot::Removed(_)) => "removed",
            Need::Required => "required",
            Need::Expected => "expected",
            Need::Optional => "optional",
        };
        let limit = table.limits.iter().find(|limit| limit.slot == *slot).map(|limit| limit.max_chars);
        Json::map([("name", Json::from(path)), ("need", Json::from(need))]).with("max_chars", limit)
    });
    let scan = Json::map([
        ("depth", table.scan.depth.map_or(Json::from("any"), Json::from)),
        ("skill_at_root", Json::Bool(table.scan.root == RootSkill::Taken)),
    ]);
    let key = match table.key {
        KeyRule::RelativePath => "path below the source",
        KeyRule::Name => "name, else the folder's",
        KeyRule::Folder => "the folder's name",
        KeyRule::NamespacedName => "namespace:name",
        KeyRule::LabelledPath => "source:path below the source",
    };
    let order = match table.order {
        Order::Key => "key",
        Order::SourceThenName => "source, then name",
        Order::NameThenPath => "name, then path",
    };
    let tools = match table.tools {
        ToolsRule::Ignored => "kept as data",
        ToolsRule::Grants => "granted, if the source is trusted",
        ToolsRule::Restricts => "only these, while the skill is active",
    };
    let (budget, window) = match table.prompt.budget {
        Budget::Unlimited => (Json::Null, None),
        Budget::Chars(chars) => (Json::from(chars), None),
        Budget::Window { percent, otherwise } => (Json::from(otherwise), Some(percent)),
    };
    let fit = match table.prompt.fit {
        Fit::FirstFit => "in order, until the first that does not fit",
        Fit::DropLeastUsed => "descriptions of the least used are dropped; every name stays",
        Fit::Shorten => "descriptions are shortened first, then names alone, in order",
    };
    let prompt = Json::map([
        ("budget", budget),
        ("over_budget", Json::from(fit)),
        ("guidance", Json::from(table.prompt.guidance.as_str())),
        ("row", Json::from(table.prompt.row.source())),
    ])
    .with("window_percent", window);
    let load =
        Json::map([("frame", Json::from(table.load.frame.source())), ("max_files", Json::from(table.load.max_files))]);
    let slash = table.slash.as_ref().map(|slash| Json::map([("message", Json::from(slash.message.source()))]));
    let matching = table.matching.as_ref().map(|rule| {
        Json::map([
            ("max", Json::from(rule.max)),
            ("list_questions", Json::List(rule.list_questions.iter().map(|ask| Json::from(ask.as_str())).gather())),
        ])
    });
    Json::map([
        ("name", Json::from(table.name.as_str())),
        ("about", Json::from(table.about.as_str())),
        ("sources", Json::List(table.sources.iter().map(source).gather())),
        ("scan", scan),
        ("fields", Json::List(fields.gather())),
        ("key", Json::from(key)),
        ("order", Json::from(order)),
        ("allowed_tools", Json::from(tools)),
        ("prompt", prompt),
        ("load", load),
    ])
    .with("tool", table.tool.as_ref().map(|tool| tool.name.as_str()))
    .with("slash", slash)
    .with("states", table.states.as_ref().map(states))
    .with("matching", matching)
    .with("activation", table.activation.as_ref().map(|activation| activation.dir.as_str()))
    .with("knowledge", table.knowledge.as_ref().map(|knowledge| knowledge.dir.as_str()))
}

fn states(rule: &StateRule) -> Json {
    Json::map([
        ("user_store", Json::from(format!("~/{}", rule.user_store))),
        ("project_store", Json::from(format!("./{}", rule.project_store))),
        ("default", Json::from(rule.default.as_str())),
    ])
}

fn source(rule: &SourceRule) -> Json {
    let base = match rule.base {
        Base::Home => "~",
        Base::Project => ".",
        Base::Bundled => "<bundled>",
        Base::Config => "<config>",
        Base::User => "<user>",
        Base::Registered => "<registered>",
    };
    // Where the caller names no such base, it is the system's own place in the project.
    let path = match &rule.otherwise {
        Some(otherwise) => format!("./{otherwise}"),
        None if rule.path.is_empty() => base.to_owned(),
        None => format!("{base}/{}", rule.path),
    };
    let below = match rule.reading {
        Reading::Plugins => "/*/skills",
        Reading::Folders | Reading::Files => "",
    };
    Json::map([
        ("label", Json::from(rule.label.as_str())),
        ("path", Json::from(format!("{path}{below}"))),
        ("scope", Json::from(rule.scope.as_str())),
    ])
}
