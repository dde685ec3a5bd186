//! The tool by which a model loads a skill: its definition ([`tool`]) and its call ([`call`]). A skill that is hidden from
//! the model is refused. The description does not list the skills, as the prompt does.

use crate::dialect::{Choices, Escape, ToolRule};
use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::loading::invoke::{Invocation, Message, Wording, decide};
use crate::loading::load::{LoadRequest, Loaded};
use crate::model::error::Error;
use crate::model::skill::{Caller, Skill};
use crate::offer::fill::fill;
use crate::offer::list::offered;
use crate::text::escape::visible;
use crate::text::json::{Fields, Json};
use crate::text::template::Template;

/// How many names the schema lists (rule 15.2).
const MAX_CHOICES: usize = 100;

/// The definition of a tool for a model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON schema of its arguments.
    pub input_schema: Json,
    /// A second name of the schema, by which the documents of the skill system call it, if they do: `parameters`.
    pub schema_alias: Option<String>,
}

/// The load tool for a catalog.
///
/// ```
/// use skilltree::{FsPath, MemFs, Places, World, dialect, discover, tool};
/// let mut fs = MemFs::new();
/// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n");
/// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
/// let catalog = discover(&World::new(&fs, &places, &()), &dialect("agentskills").unwrap());
/// let tool = tool(&catalog).unwrap();
/// assert_eq!(tool.name, "activate_skill");
/// assert!(tool.input_schema.to_string().contains(r#""enum":["tea"]"#));
/// ```
///
/// # Errors
/// Returns [`Error::NotInDialect`] if the dialect has no such tool, and [`Error::NothingToLoad`] if there is no skill to load and
/// the dialect offers no tool then.
pub fn tool(catalog: &Catalog) -> Result<Tool, Error> {
    let rule = rule(catalog)?;
    let skills = catalog.skills().iter().filter(|skill| skill.is_listed());
    let keys: Vec<Json> = skills.map(|skill| Json::Text(visible(&skill.key).into_owned())).collect();
    let description = match &rule.when_empty {
        _ if !keys.is_empty() => rule.description.to_string(),
        Some(text) => text.to_string(),
        None => return Err(Error::NothingToLoad),
    };
    let mut argument = string_schema(&rule.argument_help);
    match rule.choices {
        Choices::Any | Choices::Open => {}
        Choices::Keys if MAX_CHOICES < keys.len() => _ = argument.number("minLength", 1),
        Choices::Filled => _ = argument.number("minLength", 1),
        Choices::Keys => _ = argument.put("enum", Json::List(keys)),
    }
    let mut properties = Fields::default();
    properties.put(&rule.argument, argument.done());
    if let Some(input) = &rule.input {
        properties.put(&input.name, string_schema(&input.help).done());
    }
    let mut schema = Fields::default();
    schema
        .text("type", "object")
        .put("properties", properties.done())
        .put("required", Json::List(vec![Json::from(&*rule.argument)]));
    if rule.choices != Choices::Open {
        schema.flag("additionalProperties", false);
    }
    let schema_alias = rule.schema_alias.as_deref().map(str::to_owned);
    Ok(Tool { name: rule.name.to_string(), description, input_schema: schema.done(), schema_alias })
}

/// Carries out a model's call of the load tool. `arguments` are JSON.
///
/// # Errors
/// Returns [`Error::BadArguments`] if they are not valid by the schema, [`Error::UnknownArgument`] for an argument that the
/// schema does not allow, and the errors of [`Catalog::find`] and [`load`](crate::load).
pub fn call(world: &World<'_>, catalog: &Catalog, arguments: &str) -> Result<Invocation, Error> {
    match called(world, catalog, arguments)? {
        Called::Skill(skill, ask) => decide(world, catalog, skill, &ask, &Wording::of_tool(catalog)),
        Called::File(loaded) => Ok(Invocation::Inline(Message::of_file(*loaded))),
    }
}

pub(crate) enum Called<'c> {
    /// A skill.
    Skill(&'c Skill, LoadRequest),
    /// One file of a skill, which is loaded already.
    File(Box<Loaded>),
}

/// Which skill or file a call of the load tool asks for.
pub(crate) fn called<'c>(world: &World<'_>, catalog: &'c Catalog, arguments: &str) -> Result<Called<'c>, Error> {
    let rule = rule(catalog)?;
    let arguments = Json::parse(arguments).map_err(|error| {
        Error::BadArguments(format!("the arguments of `{}` are not valid JSON: {error}", rule.name))
    })?;
    check_argument_names(rule, &arguments)?;
    let asked = arguments.get(&rule.argument).and_then(Json::as_text).filter(|asked| !asked.trim().is_empty());
    let Some(asked) = asked else {
        return Err(Error::BadArguments(format!(
            "expected an object with the text `{}`, as in {}",
            rule.argument,
            Fields::default().text(&rule.argument, "…").done()
        )));
    };
    let args = input(rule, &arguments)?;
    let skill = match catalog.locate(world, asked, Caller::Model) {
        Ok(skill) => skill,
        Err(error @ Error::UnknownSkill { .. }) => {
            let file = catalog.load_file(world, asked, Caller::Model)?;
            return file.map(|file| Called::File(Box::new(file))).ok_or_else(|| as_the_tool_says(catalog, error));
        }
        Err(error) => return Err(as_the_tool_says(catalog, error)),
    };
    let ask = LoadRequest { asked: Some(asked.to_owned()), args, ..LoadRequest::new(Caller::Model) };
    Ok(Called::Skill(skill, ask))
}

/// The text that a call passes on to the skill. An open schema lets anything else stand, which is ignored.
fn input(rule: &ToolRule, arguments: &Json) -> Result<String, Error> {
    let given = rule.input.as_ref().and_then(|input| Some((&input.name, arguments.get(&input.name)?)));
    match given {
        None | Some((_, Json::Null)) => Ok(String::new()),
        Some((_, Json::Text(text))) => Ok(text.clone()),
        Some(_) if rule.choices == Choices::Open => Ok(String::new()),
        Some((name, _)) => Err(Error::BadArguments(format!(
            "expected a text as `{name}`, as in {}",
            Fields::default().text(&rule.argument, "…").text(name, "…").done()
        ))),
    }
}

/// The error of a lookup, in the words of the dialect's load tool if it has its own for an unknown skill.
fn as_the_tool_says(catalog: &Catalog, error: Error) -> Error {
    let wording = catalog.dialect().tool.as_ref().and_then(|rule| rule.unknown.as_ref());
    let (Error::UnknownSkill { asked, near }, Some(wording)) = (&error, wording) else { return error };
    let available = match wording.placeholders().any(|hole| hole == "available") {
        true => Vec::from_iter(offered(catalog).into_iter().map(|skill| visible(&skill.key))).join(", "),
        false => String::new(),
    };
    let available = if available.is_empty() { "none" } else { &available };
    let holes = [("asked", asked.as_str()), ("available", available), ("near", &near.join(", "))];
    let mut said = String::new();
    fill(wording, Escape::Plain, &holes, &mut said);
    // Suggestions are not made twice.
    let near = if names_others(wording) { Vec::new() } else { near.clone() };
    Error::NotFound { said, near }
}

impl Catalog {
    /// What a call of the load tool tells the model of an unknown skill, if the dialect names other skills then; `None` for
    /// any other error.
    ///
    /// ```
    /// use skilltree::{Caller, MemFs, Places, World, dialect, discover};
    /// use skilltree::{Dialect, FsPath};
    /// use std::sync::Arc;
    /// let file = "name: mine\nextends: agentskills\ntool: {unknown: 'No skill {asked}. There are: {available}'}";
    /// let mine = Dialect::parse(&FsPath::new("/mine.yaml").unwrap(), file, &dialect).unwrap();
    /// let fs = MemFs::new();
    /// let catalog = discover(&World::new(&fs, &Places::default(), &()), &Arc::new(mine));
    /// let error = catalog.find("tea", Caller::Model).unwrap_err();
    /// assert_eq!(catalog.unknown_skill_text(&error).as_deref(), Some("No skill tea. There are: none"));
    /// ```
    pub fn unknown_skill_text(&self, error: &Error) -> Option<String> {
        let wording = self.dialect().tool.as_ref()?.unknown.as_ref()?;
        let is_unknown = matches!(error, Error::UnknownSkill { .. });
        (is_unknown && names_others(wording)).then(|| as_the_tool_says(self, error.clone()).to_string())
    }
}

fn names_others(wording: &Template) -> bool {
    wording.placeholders().any(|hole| hole == "available" || hole == "near")
}

fn rule(catalog: &Catalog) -> Result<&ToolRule, Error> {
    let dialect = catalog.dialect();
    dialect.tool.as_ref().ok_or_else(|| Error::NotInDialect { dialect: dialect.name.to_string(), what: "load tool" })
}

fn check_argument_names(rule: &ToolRule, arguments: &Json) -> Result<(), Error> {
    let Json::Map(fields) = arguments else { return Ok(()) };
    let input = rule.input.as_ref().map(|input| &*input.name);
    let known: Vec<&str> = [&*rule.argument].into_iter().chain(input).collect();
    match fields.iter().find(|(name, _)| !known.contains(&name.as_str())) {
        Some((name, _)) if rule.choices != Choices::Open => Err(Error::unknown_argument(name, &known)),
        _ => Ok(()),
    }
}

fn string_schema(help: &str) -> Fields {
    let mut fields = Fields::default();
    fields.text("type", "string").text("description", help);
    fields
}
