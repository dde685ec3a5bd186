//! The JSON of `list` and `tree`. It can be written skill by skill, as the JSON of ten thousand skills takes far more
//! memory than their catalog.

use crate::diagnostic::Diagnostic;
use crate::dialect::{Dialect, FieldRole};
use crate::discovery::catalog::Catalog;
use crate::discovery::resolve::Shadowed;
use crate::discovery::source::SearchedPlace;
use crate::discovery::world::World;
use crate::model::skill::{Caller, Decision, Requirement, Skill, State, Visibility};
use crate::offer::commands::{Command, Commands, command_names};
use crate::package::inventory::Resources;
use crate::path::FsPath;
use crate::text::json::{FieldViews, Fields, Json, JsonObject, JsonView};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

/// How many fields most skills have at most.
const USUAL_FIELDS: usize = 24;

impl Catalog {
    /// `list` and `tree`: the skills, each with its commands of the same catalog, what they shadow, and the findings.
    pub fn to_json(&self, world: &World<'_>, commands: &Commands) -> Json {
        let shadowed = Json::list(self.shadowed(), |shadowed| self::shadowed(world, shadowed).into());
        Fields::default()
            .text("dialect", &self.dialect().name)
            .put("skills", Json::List(skills(world, self, commands).map(Json::from).collect()))
            .put("shadowed", shadowed)
            .put("findings", Diagnostic::all_to_json(world.fs, self.findings()))
            .done()
    }

    /// The same, to be written: one skill at a time is in memory. `Display` writes compact JSON, `{:#}` JSON indented by two
    /// spaces. `reserved` are the host's own commands. The findings in `first` are put before those of the catalog, and
    /// `searched` are the places that were searched for skills, which matter if none was found.
    ///
    /// ```
    /// use skilltree::{MemFs, Places, World, dialect, discover};
    /// let (fs, places) = (MemFs::new(), Places::default());
    /// let world = World::new(&fs, &places, &()).with_resources();
    /// let catalog = discover(&world, &dialect("agentskills").unwrap());
    /// let list = catalog.json_text(&world, &[], &[], None);
    /// assert_eq!(list.to_string(), r#"{"dialect":"agentskills","skills":[],"shadowed":[],"findings":[]}"#);
    /// ```
    pub fn json_text<'a>(
        &'a self,
        world: &World<'a>,
        reserved: &[String],
        first: &'a [Diagnostic],
        searched: Option<&'a [SearchedPlace]>,
    ) -> impl fmt::Display + use<'a> {
        List { world: *world, catalog: self, commands: command_names(self, reserved), first, searched }
    }
}

struct List<'a> {
    world: World<'a>,
    catalog: &'a Catalog,
    commands: Commands,
    first: &'a [Diagnostic],
    searched: Option<&'a [SearchedPlace]>,
}

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let List { world, catalog, commands, first, searched } = self;
        let mut object = JsonObject::begin(f)?;
        object.text("dialect", &catalog.dialect().name)?;
        object.list("skills", &mut skills(world, catalog, commands))?;
        object.list("shadowed", &mut catalog.shadowed().iter().map(|shadowed| self::shadowed(world, shadowed)))?;
        let findings = first.iter().chain(catalog.findings());
        object.list("findings", &mut findings.map(|finding| JsonView::Json(finding.to_json(world.fs))))?;
        if let Some(places) = searched {
            let mut places = places.iter().map(|place| JsonView::Json(super::place(world.fs, place)));
            object.list("looked", &mut places)?;
        }
        object.end()
    }
}

fn skills<'v>(
    world: &'v World<'_>,
    catalog: &'v Catalog,
    commands: &'v Commands,
) -> impl Iterator<Item = JsonView<'v>> {
    // Both are in the catalog's order, and a skill has one command or none.
    let mut commands = commands.all().iter().peekable();
    catalog.skills().iter().map(move |skill| {
        let command = commands.next_if(|command| command.is_of(skill));
        self::skill(world, catalog.dialect(), skill, command)
    })
}

fn shadowed<'v>(world: &'v World<'_>, Shadowed { skill, by }: &'v Shadowed) -> JsonView<'v> {
    FieldViews::default()
        .text("key", &skill.key)
        .put("path", path(world, &skill.path))
        .text("source", &skill.source.label)
        .put("by", path(world, by))
        .some("undetermined", skill.undetermined.then_some(JsonView::Bool(true)))
        .done()
}

fn skill<'v>(
    world: &'v World<'_>,
    dialect: &'v Dialect,
    skill: &'v Skill,
    command: Option<&'v Command>,
) -> JsonView<'v> {
    let withheld_from = [Caller::Model, Caller::User].into_iter().filter(|caller| skill.withheld_from(*caller));
    let withheld_from: Vec<Json> = withheld_from.map(|caller| Json::from(caller.as_str())).collect();
    let (repaired, undetermined, skill) = (skill.repaired, skill.undetermined, skill.as_read());
    let frontmatter = &skill.frontmatter;
    let decided = skill.decision.as_deref().filter(|decision| decision.visibility != Visibility::Full);
    let namespace = frontmatter.namespace.as_ref().or(skill.source.namespace.as_ref());
    let (run, triggers) = (frontmatter.run(), frontmatter.triggers());
    // Where a dialect has no states, only what is switched off says so.
    let state = (skill.state != State::Enabled || dialect.states.is_some()).then(|| skill.state.as_str());
    let context = run.fork.map(|is_fork| if is_fork { "fork" } else { "inline" });
    let default = |role: &FieldRole| dialect.default_of(role);
    // Where the listing shows the short form, it is there also when its author wrote none.
    let shows_brief = dialect.prompt.row.placeholders().any(|hole| hole == "brief");
    let brief =
        if shows_brief { Some(Cow::Owned(skill.brief())) } else { triggers.brief.as_deref().map(Cow::Borrowed) };
    let has_triggers = !(triggers.keywords.is_empty() && triggers.verbs.is_empty() && triggers.patterns.is_empty());
    let written_triggers = || {
        FieldViews::default()
            .texts("keywords", &triggers.keywords)
            .texts("verbs", &triggers.verbs)
            .texts("patterns", &triggers.patterns)
            .done()
    };
    FieldViews::with_capacity(USUAL_FIELDS)
        .text("key", &skill.key)
        .text("name", &skill.name)
        .text("description", skill.description())
        .text("source", &skill.source.label)
        .text("scope", &skill.source.scope)
        .put("path", path(world, &skill.path))
        .put("dir", JsonView::Text(Cow::Owned(world.fs.display(&skill.dir()).into_owned())))
        .flag("model", skill.is_for_model)
        .flag("user", skill.is_for_user)
        .flag("pinned", skill.is_pinned())
        .put("commands", names(command))
        .some("repaired", repaired.then_some(JsonView::Bool(true)))
        .some("undetermined", undetermined.then_some(JsonView::Bool(true)))
        .some("withheld_from", (!withheld_from.is_empty()).then_some(JsonView::Json(Json::List(withheld_from))))
        .some_text("visibility", decided.map(|decision| decision.visibility.as_str()))
        .some("decided_by", decided.and_then(|decision| decided_by(world, decision)))
        .some_text("version", frontmatter.version.as_deref())
        .some_texts("allowed_tools", frontmatter.allowed_tools.as_deref())
        .some_text("argument_hint", run.argument_hint.as_deref())
        .some_text("namespace", namespace.map(String::as_str))
        .some_text("context", context.or(default(&FieldRole::Context)))
        .some_text("agent", run.agent.as_deref().or(default(&FieldRole::Agent)))
        .some_text("model_name", run.model.as_deref().or(default(&FieldRole::Model)))
        .some("sandbox", run.sandbox.then_some(JsonView::Bool(true)))
        .filled("permissions", &run.permissions)
        .some("requires", requires(&frontmatter.needs().requires))
        .some_texts("disallowed_tools", run.disallowed_tools.as_deref())
        .some("brief_description", brief.map(JsonView::Text))
        .filled("toolsets", &run.toolsets)
        .some_texts("scripts", run.scripts())
        .some_text("when_to_use", triggers.when_to_use.as_deref())
        .filled("arguments", &run.arguments)
        .filled("paths", &run.paths)
        .some_text("effort", run.effort.as_deref())
        .some("background", run.background.map(JsonView::Bool))
        .some_text("shell", run.shell.as_deref())
        .some("triggers", has_triggers.then(written_triggers))
        .some_text("state", state)
        .some_text("license", frontmatter.license.as_deref())
        .some_text("compatibility", frontmatter.needs().compatibility.as_deref())
        .some("target", skill.target.as_ref().map(|target| path(world, target)))
        .put("resources", listed(skill.resources(world)))
        .put("meta", JsonView::Json(own_fields(skill)))
        .done()
}

fn path<'v>(world: &World<'_>, path: &'v FsPath) -> JsonView<'v> {
    JsonView::Text(world.fs.display(path))
}

/// The file that decided how a skill is offered, and the line in it; absent if no file but its own did.
fn decided_by<'v>(world: &World<'_>, decision: &'v Decision) -> Option<JsonView<'v>> {
    let file = path(world, decision.file.as_ref()?);
    let line = decision.line.map(|line| JsonView::Json(Json::from(line)));
    Some(FieldViews::default().put("file", file).some("line", line).done())
}

/// The requirements of the skill; absent if it states none.
fn requires(needs: &[Requirement]) -> Option<JsonView<'_>> {
    if needs.is_empty() {
        return None;
    }
    let (mut bins, mut env) = (Vec::new(), Vec::new());
    for need in needs {
        match need {
            Requirement::Bin(name) => bins.push(JsonView::from(name.as_str())),
            Requirement::Env(name) => env.push(JsonView::from(name.as_str())),
        }
    }
    Some(FieldViews::default().put("bins", JsonView::List(bins)).put("env", JsonView::List(env)).done())
}

/// What a user may type for the skill.
fn names(command: Option<&Command>) -> JsonView<'_> {
    let mut names = Vec::new();
    if let Some(command) = command {
        names.push(JsonView::from(command.name.as_str()));
        command.aliases.iter().for_each(|alias| names.push(JsonView::from(alias.as_str())));
    }
    JsonView::List(names)
}

fn listed(Resources { scripts, references, assets }: Resources) -> JsonView<'static> {
    let texts =
        |texts: Vec<String>| JsonView::List(texts.into_iter().map(|text| JsonView::Text(text.into())).collect());
    FieldViews::default()
        .put("scripts", texts(scripts))
        .put("references", texts(references))
        .put("assets", texts(assets))
        .done()
}

/// The author's own fields: `metadata`, then the keys that no table knows.
fn own_fields(skill: &Skill) -> Json {
    let mut known = HashSet::new();
    let mut fields = Fields::default();
    for (name, value) in skill.frontmatter.metadata.iter().chain(&skill.frontmatter.other) {
        if known.insert(name.as_str()) {
            fields.put(name, value.clone());
        }
    }
    fields.done()
}
