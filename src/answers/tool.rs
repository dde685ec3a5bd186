//! In: a catalog. Out: the load tool as a model sees it (name, description, JSON schema), and its call. The call
//! is the model's: what is hidden from it is refused here as everywhere. Absent: a listing in the description.

use crate::answers::invoke::{Invocation, decide};
use crate::answers::load::fill;
use crate::dialect::{Choices, Escape, ToolRule, WhenEmpty};
use crate::discovery::catalog::Catalog;
use crate::model::error::Error;
use crate::model::skill::Caller;
use crate::model::world::World;
use crate::text::escape::visible;
use crate::text::json::{Fields, Json};
use crate::text::template::Template;

/// A tool, for a model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON schema of its arguments.
    pub input_schema: Json,
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
/// [`Error::NotInDialect`] where there is no such tool, [`Error::NoSkills`] where it would have nothing to load.
pub fn tool(catalog: &Catalog) -> Result<Tool, Error> {
    let rule = rule(catalog)?;
    let mut keys = Vec::new();
    for skill in catalog.skills().iter().filter(|skill| skill.is_for(Caller::Model)) {
        keys.push(Json::Text(visible(&skill.key).into_owned()));
    }
    let description = match (&rule.when_empty, keys.is_empty()) {
        (WhenEmpty::NoTool, true) => return Err(Error::NoSkills),
        (WhenEmpty::DescriptionFallback(text), true) => text.to_string(),
        (WhenEmpty::NoTool | WhenEmpty::DescriptionFallback(_), false) => rule.description.to_string(),
    };
    let mut argument = described(&rule.argument_help);
    match rule.choices {
        Choices::Any | Choices::Open => {}
        Choices::Filled => _ = argument.number("minLength", 1),
        Choices::Keys => _ = argument.put("enum", Json::List(keys)),
    }
    let mut properties = Fields::default();
    properties.put(&rule.argument, argument.done());
    if let Some((name, help)) = &rule.input {
        properties.put(name, described(help).done());
    }
    let mut schema = Fields::default();
    schema
        .text("type", "object")
        .put("properties", properties.done())
        .put("required", Json::List(vec![Json::from(&*rule.argument)]));
    if is_closed(rule) {
        schema.flag("additionalProperties", false);
    }
    let input_schema = schema.done();
    Ok(Tool { name: rule.name.to_string(), description, input_schema })
}

/// The load tool called by the model with these arguments, as JSON.
///
/// # Errors
/// [`Error::BadArguments`] where they are not what the schema asks for, [`Error::UnknownArgument`] for one that it does
/// not allow; else as `Catalog::find` and `load`.
pub fn call(world: &World<'_>, catalog: &Catalog, arguments: &str) -> Result<Invocation, Error> {
    let rule = rule(catalog)?;
    let arguments = Json::parse(arguments).map_err(|error| {
        Error::BadArguments(format!("the arguments of `{}` are not valid JSON: {error}", rule.name))
    })?;
    no_others(rule, &arguments)?;
    let asked = arguments.get(&rule.argument).and_then(Json::as_text).filter(|asked| !asked.trim().is_empty());
    let Some(asked) = asked else {
        return Err(Error::BadArguments(format!(
            "expected an object with the text `{}`, as in {}",
            rule.argument,
            sample(rule)
        )));
    };
    let skill = catalog.locate(world, asked, Caller::Model).map_err(|error| worded(rule, error))?;
    let input = rule.input.as_ref().and_then(|(name, _)| arguments.get(name)?.as_text()).unwrap_or("");
    decide(world, catalog, skill, Caller::Model, input, &Template::new("{text}"))
}

fn rule(catalog: &Catalog) -> Result<&ToolRule, Error> {
    let dialect = catalog.dialect();
    dialect.tool.as_ref().ok_or_else(|| Error::NotInDialect { dialect: dialect.name.to_string(), what: "load tool" })
}

/// Whether the schema allows no arguments but its own.
fn is_closed(rule: &ToolRule) -> bool {
    match rule.choices {
        Choices::Open => false,
        Choices::Any | Choices::Filled | Choices::Keys => true,
    }
}

/// Refuses what the schema allows no argument to be called.
fn no_others(rule: &ToolRule, arguments: &Json) -> Result<(), Error> {
    let Json::Map(fields) = arguments else { return Ok(()) };
    let input = rule.input.as_ref().map(|(name, _)| &**name);
    let known: Vec<&str> = [&*rule.argument].into_iter().chain(input).collect();
    let other = fields.iter().find(|(name, _)| !known.contains(&name.as_str())).filter(|_| is_closed(rule));
    other.map_or(Ok(()), |(name, _)| Err(Error::unknown_argument(name, &known)))
}

/// An error as the dialect words it.
fn worded(rule: &ToolRule, error: Error) -> Error {
    match (error, &rule.unknown) {
        (Error::Unknown { asked, near }, Some(wording)) => {
            let mut said = String::new();
            fill(wording, Escape::Plain, &[("asked", &asked)], &mut said);
            Error::NotFound { said, near }
        }
        (error, _) => error,
    }
}

fn sample(rule: &ToolRule) -> Json {
    Fields::default().text(&rule.argument, "…").done()
}

/// The schema of a text.
fn described(help: &str) -> Fields {
    let mut fields = Fields::default();
    fields.text("type", "string").text("description", help);
    fields
}
