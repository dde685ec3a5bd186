//! Names of skills: in pages, completed, and told to the model when they change.

use super::{Client, Revision, patient, refused};
use crate::program::Place;
use pretty_assertions::assert_eq;
use rmcp::model::{ArgumentInfo, CompleteRequestParams, ErrorCode, PaginatedRequestParams, ProtocolVersion, Reference};
use serde_json::json;

/// A place with so many skills besides the usual ones.
fn crowded(count: usize) -> Place {
    let skill = |n: usize| {
        let text = format!("---\nname: many-{n:03}\ndescription: Number {n} of many.\n---\nDo.\n");
        (format!("/project/.agents/skills/many-{n:03}/SKILL.md"), text)
    };
    let files: Vec<(String, String)> = (0..count).map(skill).collect();
    Place::served(&files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect::<Vec<_>>())
}

#[tokio::test]
async fn prompts_come_in_pages() {
    let place = crowded(250);
    let client = place.client(&[]).await;
    let page = |cursor: Option<String>| {
        let ask = PaginatedRequestParams::default().with_cursor(cursor);
        patient(client.session.list_prompts(Some(ask)))
    };
    let (mut names, mut sizes, mut cursor) = (Vec::new(), Vec::new(), None);
    loop {
        let got = page(cursor).await.expect("a page");
        sizes.push(got.prompts.len());
        names.extend(got.prompts.into_iter().map(|prompt| prompt.name));
        cursor = got.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(sizes, [100, 100, 55]);
    assert_eq!((names[0].as_str(), names[253].as_str()), ("tool", "secret"), "in the order of the catalog");
    assert_eq!(names[254], "reattach-skills", "and what the server itself has");
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all, "each once");
    refused(page(Some("no cursor".to_owned())).await, ErrorCode::INVALID_PARAMS, "is not a cursor of this list");
    client.end().await;
}

#[tokio::test]
async fn the_tool_lists_no_more_than_a_hundred_names() {
    for (count, is_listed) in [(96, true), (97, false)] {
        let place = crowded(count);
        let client = place.client(&[]).await;
        let tools = patient(client.session.list_all_tools()).await.expect("tools");
        let name = tools[0].input_schema.get("properties").and_then(|fields| fields.get("name")).expect("an argument");
        assert_eq!(name.get("enum").is_some(), is_listed, "{count}: {name}");
        let (is_error, text) = client.said("activate_skill", json!({"name": "many-007"})).await;
        assert!(!is_error, "{text}");
        client.end().await;
    }
}

async fn completed(client: &Client, reference: Reference, name: &str, value: &str) -> (Vec<String>, Option<u32>) {
    let argument = ArgumentInfo::new(name, value);
    let got =
        patient(client.session.complete(CompleteRequestParams::new(reference, argument))).await.expect("an answer");
    assert_eq!(got.completion.has_more, Some(got.completion.total > Some(100)));
    (got.completion.values, got.completion.total)
}

#[tokio::test]
async fn names_are_completed() {
    let place = crowded(120);
    for revision in [Revision::Handshake(ProtocolVersion::V_2025_11_25), Revision::Discovered] {
        let client = place.client_of(&[], revision).await;
        let info = client.session.peer_info().expect("the server says what it is");
        assert!(info.capabilities.completions.is_some());
        let prompt = || Reference::for_prompt("pdf");
        for (value, expect) in [
            ("pd", &["pdf"][..]),
            (
                "many-00",
                &[
                    "many-000", "many-001", "many-002", "many-003", "many-004", "many-005", "many-006", "many-007",
                    "many-008", "many-009",
                ],
            ),
            ("read /se", &["read /secret"]),
            ("qui", &[]),
            ("none", &[]),
        ] {
            let total = u32::try_from(expect.len()).ok();
            let expect = expect.iter().map(|&name| name.to_owned()).collect();
            assert_eq!(completed(&client, prompt(), "arguments", value).await, (expect, total), "{value}");
        }
        for (prompt, name) in [("nobody", "arguments"), ("pdf", "argument")] {
            let argument = ArgumentInfo::new(name, "p");
            let request = CompleteRequestParams::new(Reference::for_prompt(prompt), argument);
            let refused = patient(client.session.complete(request)).await.expect_err("rule 25.6");
            assert!(refused.to_string().contains("unknown"), "{prompt}: {refused}");
        }
        let (names, total) = completed(&client, prompt(), "arguments", "many").await;
        assert_eq!((names.len(), total), (100, Some(120)));
        let resource = Reference::for_resource("skill://{+path}");
        let found = completed(&client, resource, "path", "project-agents/p").await;
        assert_eq!(
            found,
            (vec!["project-agents/pdf/SKILL.md".to_owned(), "project-agents/pdf/forms/SKILL.md".to_owned()], Some(2))
        );
        client.end().await;
    }
}

#[tokio::test]
async fn the_model_is_told_what_has_changed_since_the_instructions() {
    let place = Place::served(&[]);
    let client = place.client(&["--poll", "1"]).await;
    let load = || client.said("activate_skill", json!({"name": "tool"}));
    let (_, first) = load().await;
    assert!(!first.contains("have changed"), "{first}");
    place.write("project/.agents/skills/new/SKILL.md", "---\nname: new\ndescription: Is new. Very.\n---\nNew.\n");
    place.write("project/.agents/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: Reads letters.\n---\nRead.\n");
    place.write(
        "project/.agents/skills/hid/SKILL.md",
        "---\nname: hid\ndescription: D\ndisable-model-invocation: true\n---\n",
    );
    std::fs::remove_dir_all(place.at("project/.agents/skills/quiet")).expect("it is there");
    let (_, changed) = load().await;
    let news = "The skills have changed:\n- New: new: Is new\n- Changed: pdf: Reads letters\n- Removed: quiet";
    assert!(changed.ends_with(news), "{changed}");
    let (_, told) = load().await;
    assert!(!told.contains("have changed"), "once: {told}");
    client.end().await;
}
