//! The JSON of a dialect's table, for `dialect NAME`: how skill systems differ, in plain words.

use crate::dialect::{
    Base, Basis, Budget, COMMON_FIELDS, CommandsRule, Dialect, Evidence, FieldRole, KeyPart, KeyPrefix, Necessity,
    Order, Overflow, Permitted, SelectRule, SourceKind, SourceRule, StateRule, ToolsRule,
};
use crate::text::json::{Fields, Json};

impl Dialect {
    /// The table of a dialect.
    pub fn to_json(&self) -> Json {
        let mut fields = Vec::new();
        for field in self.fields.iter() {
            fields.push(row(self, &field.path, &field.role, field.necessity));
        }
        for (path, slot) in COMMON_FIELDS {
            if self.fields.iter().all(|own| own.path != *path) {
                fields.push(row(self, path, slot, Necessity::Optional));
            }
        }
        let reserved = Some(&self.scan.reserved).filter(|names| !names.is_empty());
        let reserved = reserved.map(|names| Json::list(names, |name| Json::from(&**name)));
        let scan = Fields::default()
            .put("depth", self.scan.depth.map_or(Json::from("any"), Json::from))
            .flag("skill_at_root", self.scan.root == Permitted::Yes)
            .some("reserved", reserved)
            .done();

        let key = match (self.key.of, self.key.prefix) {
            (KeyPart::Folder, _) => "the folder name",
            (KeyPart::Name, None) => "name, or else the folder name",
            (KeyPart::Name, Some(KeyPrefix::Namespace)) => "namespace:name",
            (KeyPart::Name, Some(KeyPrefix::Label)) => "source:name",
            (KeyPart::Path, None) => "path below the source",
            (KeyPart::Path, Some(KeyPrefix::Namespace)) => "namespace:path below the source",
            (KeyPart::Path, Some(KeyPrefix::Label)) => "source:path below the source",
        };
        let order = match &self.order {
            Order::Key => "key",
            Order::SourceThenName => "source, then name",
            Order::NameThenPath => "name, then path",
            Order::SourceThenPath => "source, then path",
            Order::HighestSource => "highest source first, then path",
            Order::HighestSourceThenKey => "highest source first, then key",
            Order::HighestScopeThenKey => "highest source first, those of the project by scope, then key",
            Order::HighestScopeThenLocale => {
                "highest source first, scope by scope, then key in the order of a language"
            }
            Order::HighestSourceThenLocale => "highest source first, then key in the order of a language",
            Order::Locale => "key in the order of a language",
            Order::SourceThenLastPath => "source, then path from the last",
            Order::Scopes(_) => "scope, then name",
        };
        let tools = match self.allowed_tools {
            ToolsRule::Ignored => "kept as data",
            ToolsRule::Grants => "granted, if the source is trusted",
            ToolsRule::Restricts => "only these, while the skill is active",
        };
        let (budget, window) = match self.prompt.budget {
            Budget::Unlimited => (Json::Null, None),
            Budget::Chars(chars) => (Json::from(chars), None),
            Budget::Window { percent, fallback_chars } | Budget::Tokens { percent, fallback_chars } => {
                (Json::from(fallback_chars), Some(percent))
            }
        };
        let fit = match self.prompt.overflow {
            Overflow::FirstFit => "rows in order, until the first that does not fit",
            Overflow::EachFit => "rows in order, without those that do not fit",
            Overflow::DropLeastUsed => "descriptions of the least used skills are left out; every name stays",
            Overflow::RoundRobin => "descriptions are cut to what fits, a character each in turn; then only names",
            Overflow::Shorten => "descriptions are shortened first, then only names, in order",
        };
        let prompt = Fields::default()
            .put("budget", budget)
            .text("over_budget", fit)
            .text("guidance", &self.prompt.guidance)
            .text("row", self.prompt.row.source())
            .some("window_percent", window.map(Json::from))
            .done();
        let load =
            Fields::default().text("frame", self.load.frame.source()).number("max_files", self.load.max_files).done();
        let slash = |slash: &CommandsRule| Fields::default().text("message", slash.message.source()).done();
        let matching = |rule: &SelectRule| {
            let questions = Json::list(&rule.list_questions, |ask| Json::from(&**ask));
            Fields::default().number("max", rule.max).put("list_questions", questions).done()
        };
        Fields::default()
            .text("name", &self.name)
            .text("about", &self.about)
            .some("basis", (!self.basis.is_empty()).then(|| Json::list(&self.basis, basis)))
            .text("reading", self.reading.as_str())
            .put("sources", Json::list(&self.sources, source))
            .put("scan", scan)
            .put("fields", Json::List(fields))
            .text("key", key)
            .text("order", order)
            .text("allowed_tools", tools)
            .put("prompt", prompt)
            .put("load", load)
            .some_text("tool", self.tool.as_ref().map(|tool| &*tool.name))
            .some("slash", self.commands.as_ref().map(slash))
            .some("states", self.states.as_ref().map(states))
            .some("matching", self.selection.as_ref().map(matching))
            .some_text("activation", self.activation.as_ref().map(|activation| &*activation.dir))
            .some_text("knowledge", self.knowledge.as_ref().map(|knowledge| &*knowledge.dir))
            .done()
    }
}

fn basis(basis: &Basis) -> Json {
    let evidence = match basis.evidence {
        Evidence::Run => "run",
        Evidence::Source => "source",
        Evidence::Documentation => "documentation",
        Evidence::Observed => "observed",
        Evidence::ThirdParty => "third-party",
        Evidence::Unknown => "unknown",
    };
    Fields::default().text("part", &basis.part).text("evidence", evidence).text("note", &basis.note).done()
}

fn row(table: &Dialect, path: &str, slot: &FieldRole, need: Necessity) -> Json {
    let need = match need {
        _ if matches!(slot, FieldRole::Removed(_)) => "removed",
        Necessity::Required => "required",
        Necessity::Expected => "expected",
        Necessity::Optional => "optional",
    };
    let limit = table.limits.iter().find(|limit| limit.role == *slot).map(|limit| limit.max_chars);
    Fields::default().text("name", path).text("need", need).some("max_chars", limit.map(Json::from)).done()
}

fn states(rule: &StateRule) -> Json {
    Fields::default()
        .text("user_store", &format!("~/{}", rule.store))
        .text("project_store", &format!("./{}", rule.store))
        .text("default", rule.default.as_str())
        .done()
}

fn source(rule: &SourceRule) -> Json {
    let base = match rule.base {
        Base::Home => "~",
        Base::Project => ".",
        Base::Bundled => "<bundled>",
        Base::Config => "<config>",
        Base::User => "<user>",
        Base::Managed => "<managed>",
        Base::Registered => "<registered>",
    };
    // Where the caller names no such base, it is the system's own place in the project.
    let path = match &rule.project_fallback {
        Some(otherwise) => format!("./{otherwise}"),
        None if rule.path.is_empty() => base.to_owned(),
        None => format!("{base}/{}", rule.path),
    };
    let below = match &rule.kind {
        SourceKind::Plugins { skills, .. } => format!("/*/{skills}"),
        SourceKind::Packages => "/*/skills".to_owned(),
        SourceKind::Commands => "/*.md".to_owned(),
        SourceKind::Folders | SourceKind::FoldersAndFiles => String::new(),
    };
    Fields::default()
        .text("label", &rule.label)
        .text("path", &format!("{path}{below}"))
        .text("scope", &rule.scope)
        .done()
}
