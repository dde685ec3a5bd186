//! The load tool: what a model is told of it, the call that the model makes, and what goes back.

use skilltree::{Caller, FsPath, Invocation, Json, MemFs, Places, PromptRequest, World};

/// What the model gets for its arguments: a text and whether it is an error, as most interfaces of models have it.
fn answer(world: &World<'_>, catalog: &skilltree::Catalog, arguments: &str) -> (String, bool) {
    match skilltree::call(world, catalog, arguments) {
        Ok(Invocation::Inline(message)) => (message.text, false),
        // Here an agent starts a separate agent, or runs the commands in the text if it trusts the skill.
        Ok(_) => ("this agent runs no tasks and no commands".to_owned(), true),
        // An error is written for the model: it says what to do instead.
        Err(error) => (error.to_string(), true),
    }
}

#[cfg_attr(test, test)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut fs = MemFs::new();
    fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n");
    fs.file("/s/tea/scripts/boil.sh", "");
    let hidden = "name: pay\ndescription: Pays.\ndisable-model-invocation: true";
    fs.file("/s/pay/SKILL.md", format!("---\n{hidden}\n---\nPay.\n"));
    let places = Places { roots: vec![FsPath::new("/s")?], ..Places::default() };
    let world = World::new(&fs, &places, &());
    let catalog = skilltree::discover(&world, &skilltree::dialect::agentskills());

    // With each conversation: the list for the system prompt, and the tool with the schema of its arguments.
    let section = skilltree::prompt(&world, &catalog, &PromptRequest { window: Some(200_000), ..Default::default() });
    assert_eq!(section.shown, ["tea"]);
    let tool = skilltree::tool(&catalog)?;
    let request = Json::map([
        ("name", Json::from(tool.name)),
        ("description", Json::from(tool.description)),
        ("input_schema", tool.input_schema),
    ]);
    let schema = request.get("input_schema").and_then(|schema| schema.get("properties")?.get("name")?.get("enum"));
    assert_eq!(schema.map(Json::to_string).as_deref(), Some(r#"["tea"]"#));

    // With each call of the tool: the arguments as the model has written them.
    let (text, is_error) = answer(&world, &catalog, r#"{"name": "tea"}"#);
    assert!(!is_error && text.starts_with("<skill_content name=\"tea\">\nBoil water.\n"));
    assert!(text.contains("scripts/boil.sh"));

    let said = |arguments| answer(&world, &catalog, arguments);
    assert_eq!(said(r#"{"name": "te"}"#), ("there is no skill `te`; did you mean `tea`?".to_owned(), true));
    assert!(said(r#"{"name": "pay"}"#).1, "the user alone may have it");
    assert!(catalog.find("pay", Caller::User).is_ok());
    assert!(said("tea").1, "this is no JSON");
    Ok(())
}
