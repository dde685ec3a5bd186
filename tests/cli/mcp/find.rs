//! Catalogs that are larger than the instructions: what these say then, and the tool that searches.

use super::{Client, answered, patient};
use crate::program::Place;
use pretty_assertions::assert_eq;
use serde_json::json;

/// A place with so many skills besides the usual ones, in this dialect.
fn crowded(count: usize) -> Place {
    let skill = |n: usize| {
        let text = format!("---\nname: many-{n:04}\ndescription: Does the work of number {n} among many.\n---\nDo.\n");
        (format!("/project/.agents/skills/many-{n:04}/SKILL.md"), text)
    };
    let files: Vec<(String, String)> = (0..count).map(skill).collect();
    Place::served(&files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect::<Vec<_>>())
}

fn instructions(client: &Client) -> String {
    client.session.peer_info().and_then(|info| info.instructions.clone()).unwrap_or_default()
}

#[tokio::test]
async fn instructions_are_short_and_say_how_to_find_the_rest() {
    let place = crowded(400);
    for dialect in ["agentskills", "claude", "sven", "codex", "opencode", "goose", "gemini", "copilot", "cursor"] {
        let client = place.client(&["--dialect", dialect]).await;
        let text = instructions(&client);
        assert!(text.chars().count() <= 2_000, "{dialect}: {} characters", text.chars().count());
        let tools = client.tools().await;
        let skills = patient(client.session.list_all_skills()).await.expect("skills");
        assert_eq!(tools.iter().any(|tool| tool == "find_skills"), !skills.is_empty(), "{dialect}: {text}");
        if skills.len() < 20 {
            client.end().await;
            continue;
        }
        assert!(text.contains("call the tool `find_skills` with a description of it"), "{dialect}: {text}");
        assert!(text.contains("more ("), "{dialect}: {text}");
        client.end().await;
    }
}

#[tokio::test]
async fn a_small_catalog_is_listed_and_can_be_searched() {
    let place = Place::served(&[]);
    let client = place.client(&[]).await;
    let tools = patient(client.session.list_all_tools()).await.expect("tools");
    let find = tools.iter().find(|tool| tool.name == "find_skills").expect("a tool that searches");
    let limit = &serde_json::Value::Object((*find.input_schema).clone())["properties"]["limit"];
    assert_eq!((&limit["minimum"], &limit["maximum"]), (&json!(1), &json!(50)));
    assert!(!instructions(&client).contains("find_skills"));
    client.end().await;
}

/// A client asks for the instructions only once.
#[tokio::test]
async fn a_tool_that_was_mentioned_stays() {
    let place = crowded(400);
    let client = place.client(&["--only-roots", "--root", ".agents/skills", "--poll", "1"]).await;
    assert!(instructions(&client).contains("find_skills"));
    std::fs::remove_dir_all(place.at("project/.agents/skills")).expect("it is gone");
    std::fs::create_dir(place.at("project/.agents/skills")).expect("it is empty");
    let (is_error, text) = client.said("find_skills", json!({"query": "work"})).await;
    assert!(!is_error && text.starts_with("No skill matches."), "{text}");
    assert_eq!(client.tools().await, ["find_skills"]);
    client.end().await;
}

#[tokio::test]
async fn skills_are_found() {
    let place = crowded(400);
    let client = place.client(&["--poll", "1"]).await;
    let called = client.call("find_skills", json!({"query": "filling in a form"})).await.expect("a result");
    let (is_error, text) = client.said("find_skills", json!({"query": "filling in a form"})).await;
    assert!(!is_error && text.contains("<name>forms</name>") && text.contains("Fills forms."), "{text}");
    assert_eq!(answered(&called)["hits"][0]["key"], json!("forms"));
    let (_, text) = client.said("find_skills", json!({"query": "work number", "limit": 3})).await;
    assert_eq!(text.matches("<skill>").count(), 3, "{text}");
    let (is_error, text) = client.said("find_skills", json!({"query": "hushing users"})).await;
    assert!(!is_error && !text.contains("secret"), "what is hidden is not found: {text}");
    for (arguments, part) in [
        (json!({}), "expected a string for the argument `query`"),
        (json!({"query": "a", "limits": 1}), "did you mean `limit`?"),
        (json!({"query": "a", "limit": "b"}), "expected an integer"),
        (json!({"query": "a", "limit": 0}), "expected an integer from 1 to 50 for the argument `limit`, got 0"),
        (json!({"query": "a", "limit": 51.0}), "expected an integer from 1 to 50 for the argument `limit`, got 51.0"),
    ] {
        let (is_error, text) = client.said("find_skills", arguments).await;
        assert!(is_error && text.contains(part), "{text}");
    }
    place.write("project/.agents/skills/zebra/SKILL.md", "---\nname: zebra\ndescription: Paints stripes.\n---\n");
    let (_, text) = client.said("find_skills", json!({"query": "stripes"})).await;
    assert!(text.contains("<name>zebra</name>") && text.contains("- New: zebra"), "{text}");
    client.end().await;
}
