//! In: a catalog. Out: the load tool as a model sees it (name, description, JSON schema), and its call. The call
//! is the model's: what is hidden from it is refused here as everywhere. Absent: a listing in the description.

use crate::catalog::Catalog;
use crate::dialect::{Choices, Escape, ToolRule, WhenEmpty};
use crate::error::Error;
use crate::gather::Gather;
use crate::invoke::{Invocation, decide};
use crate::load::fill;
use crate::skill::Caller;
use crate::text::escape::visible;
use crate::text::json::Json;
use crate::text::template::Template;
use crate::world::World;

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
    let keys: Vec<Json> = catalog
        .skills()
        .iter()
        .filter(|skill| skill.is_for(Caller::Model))
        .map(|skill| Json::Text(visible(&skill.key).into_owned()))
        .gather();
    let description = match (&rule.when_empty, keys.is_empty()) {
        (WhenEmpty::NoTool, true) => return Err(Error::NoSkills),
        (WhenEmpty::Describe(text), true) => text.clone(),
        (WhenEmpty::NoTool | WhenEmpty::Describe(_), false) => rule.description.clone(),
    };
    let argument =
        Json::map([("type", Json::from("string")), ("description", Json::from(rule.argument_help.as_str()))]);
    let argument = match rule.choices {
        Choices::Any | Choices::Open => argument,
        Choices::Filled => argument.with("minLength", Some(1_usize)),
        Choices::Keys => argument.with("enum", Some(Json::List(keys))),
    };
    let properties = Json::map([(rule.argument.as_str(), argument)]);
    let properties = match &rule.input {
        None => properties,
        Some((name, help)) => {
            let input = Json::map([("type", Json::from("string")), ("description", Json::from(help.as_str()))]);
            properties.with(name, Some(input))
        }
    };
    let input_schema = Json::map([
        ("type", Json::from("object")),
        ("properties", properties),
        ("required", Json::List(vec![Json::from(rule.argument.as_str())])),
    ]);
    let input_schema = match rule.choices {
        Choices::Open => input_schema,
        Choices::Any | Choices::Filled | Choices::Keys => input_schema.with("additionalProperties", Some(false)),
    };
    Ok(Tool { name: rule.name.clone(), description, input_schema })
}

/// The load tool called by the model with these arguments, as JSON.
///
/// # Errors
/// [`Error::BadArguments`] where they are not what the schema asks for; else as `Catalog::find` and `load`.
pub fn call(world: &World<'_>, catalog: &Catalog, arguments: &str) -> Result<Invocation, Error> {
    let rule = rule(catalog)?;
    let arguments = Json::parse(arguments)
        .map_err(|error| Error::BadArguments(format!("the arguments of `{}` are no JSON: {error}", rule.name)))?;
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
    dialect.tool.as_ref().ok_or_else(|| Error::NotInDialect { dialect: dialect.name.clone(), what: "load tool" })
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
    Json::map([(rule.argument.as_str(), Json::from("…"))])
}
