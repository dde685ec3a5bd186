//! What a model is given that loads a skill, and loads it again in the same session.

use super::lines::{Wire, alone};
use super::{Client, Revision, answered, patient};
use crate::common::Tree;
use crate::program::{PATH, Place};
use pretty_assertions::assert_eq;
use rmcp::model::GetPromptRequestParams;
use serde_json::{Value, json};

fn skill(body: &str) -> String {
    format!("---\nname: tea\ndescription: Makes tea.\n---\n{body}\n")
}

fn place(folder: &str, text: &str) -> Place {
    let tree = Tree::default().with(&format!("/project/{folder}/tea/SKILL.md"), text);
    Place::of(tree).first(&["mcp"]).env("PATH", PATH)
}

/// The first text of the answer, and whether it is the note; what else stands there is the way to the text.
async fn load(client: &Client, tool: &str, arguments: Value) -> (String, bool) {
    let result = client.call(tool, arguments).await.expect("a result");
    let texts: Vec<&str> = result.content.iter().filter_map(|part| Some(part.as_text()?.text.as_str())).collect();
    assert_eq!((result.is_error, result.structured_content.as_ref()), (Some(false), None), "{texts:?}");
    let is_note = answered(&result).get("already") == Some(&json!(true));
    match texts[..] {
        [text] if !is_note => (text.to_owned(), false),
        [note, way] if is_note && way.contains("`read_skill_file`") => (note.to_owned(), true),
        _ => panic!("{texts:?}"),
    }
}

#[tokio::test]
async fn a_second_load_in_a_session_gives_the_note() {
    let rows = [
        ("sven", ".sven/skills", "load_skill", "name"),
        ("agentskills", ".agents/skills", "activate_skill", "name"),
        ("claude", ".claude/skills", "Skill", "skill"),
    ];
    for (dialect, folder, tool, argument) in rows {
        let place = place(folder, &skill("Boil water."));
        let words = &["--dialect", dialect];
        let client = place.client(words).await;
        let ask = || json!({argument: "tea"});
        let (first, is_note) = load(&client, tool, ask()).await;
        assert!(!is_note && first.contains("Boil water."), "{dialect}: {first}");
        for _ in 0..2 {
            let (note, is_note) = load(&client, tool, ask()).await;
            assert!(is_note && note.contains("`tea`") && !note.contains("Boil water."), "{dialect}: {note}");
        }
        // What is not the text that was sent is sent, also the one from before it.
        for body in ["Boil more water.", "Boil water."] {
            place.write(&format!("project/{folder}/tea/SKILL.md"), &skill(body));
            let (whole, is_note) = load(&client, tool, ask()).await;
            assert!(!is_note && whole.contains(body), "{dialect}: {whole}");
            assert!(load(&client, tool, ask()).await.1, "{dialect}");
        }
        client.end().await;
        let other = place.client(words).await;
        assert_eq!(load(&other, tool, ask()).await, (first, false), "{dialect}: another session");
        other.end().await;
    }
}

#[tokio::test]
async fn a_second_load_gives_the_text_again_where_no_document_wants_a_note() {
    let rows = [
        ("pegasus", "skills", "use_skill", "skill", "tea", "Skill \"tee\" not found"),
        ("gencode", ".gen/skills", "Skill", "skill", "tea", "Skill not found: tee"),
        ("daycare", ".daycare/skills", "skill", "name", "config:tea", "Skill not found: tee"),
    ];
    for (dialect, folder, tool, argument, key, unknown) in rows {
        let place = place(folder, &skill("Boil water."));
        place.write("project/.gen/skills.json", r#"{"skills": {"tea": "active"}}"#);
        let client = place.client(&["--dialect", dialect]).await;
        let ask = |key: &str| json!({argument: key});
        let (first, is_note) = load(&client, tool, ask("tea")).await;
        assert!(!is_note && first.contains("Boil water."), "{dialect}: {first}");
        assert_eq!(load(&client, tool, ask("tea")).await, (first, false), "{dialect}");
        for (asked, view) in
            [("tea", format!("⚡{tool}({key})\n  ⎿  Loaded: {key}")), ("tee", format!("⚡{tool}(tee)\n  ✗  {unknown}"))]
        {
            let result = client.call(tool, ask(asked)).await.expect("a result");
            assert_eq!(answered(&result).get("view"), Some(&json!(view)), "{dialect}: what a user sees");
        }
        client.end().await;
    }
}

/// Without a session, what was loaded or told before may have been for another conversation.
#[tokio::test]
async fn nothing_is_remembered_without_a_session() {
    let place = place(".agents/skills", &skill("Boil water."));
    let client = place.client_of(&[], Revision::Discovered).await;
    let ask = || json!({"name": "tea"});
    let (first, _) = load(&client, "activate_skill", ask()).await;
    assert!(first.contains("Boil water."), "{first}");
    place.write("project/.agents/skills/milk/SKILL.md", "---\nname: milk\ndescription: Pours milk.\n---\nPour.\n");
    assert_eq!(load(&client, "activate_skill", ask()).await, (first, false), "the text, and no news");
    let (_, found) = client.said("find_skills", json!({"query": "milk"})).await;
    assert!(found.contains("Pours milk.") && !found.contains("have changed"), "{found}");
    let (_, back) = client.said("reattach_skills", json!({})).await;
    let is_list_alone = back.contains("<available_skills>") && !back.contains("Boil water.");
    assert!(is_list_alone && back.contains("Load those that you still need again."), "{back}");
    let got =
        patient(client.session.get_prompt(GetPromptRequestParams::new("reattach-skills"))).await.expect("a prompt");
    let texts: Vec<&str> = got.messages.iter().filter_map(|one| Some(one.content.as_text()?.text.as_str())).collect();
    assert_eq!(texts.join("\n"), back);
    client.end().await;
    // Nor is anything asked of a client before its first call.
    let mut wire = Wire::new(&place, &[]);
    for _ in 0..2 {
        wire.send(alone("load", "tools/call", json!({"name": "activate_skill", "arguments": ask()})));
        let answer = wire.answer(&json!("load"));
        assert_eq!(answer["result"]["content"].as_array().map(Vec::len), Some(1), "{answer}");
        assert!(answer["result"]["content"][0]["text"].to_string().contains("Boil water."), "{answer}");
    }
}

#[tokio::test]
async fn the_note_of_sven_is_the_documents() {
    let place = place(".sven/skills", &skill("Boil water."));
    let client = place.client(&["--dialect", "sven"]).await;
    load(&client, "load_skill", json!({"name": "tea"})).await;
    let (note, _) = load(&client, "load_skill", json!({"name": "tea"})).await;
    assert_eq!(note, "The skill `tea` is already loaded; follow the instructions above.");
    let (is_error, text) = client.said("read_skill_file", json!({"skill": "tea", "path": "SKILL.md"})).await;
    assert_eq!((is_error, text), (false, skill("Boil water.")), "the way to the text");
    client.end().await;
}

#[tokio::test]
async fn other_arguments_are_another_text() {
    let place = place(".claude/skills", &skill("Boil $ARGUMENTS."));
    let client = place.client(&["--dialect", "claude"]).await;
    for (arguments, is_note) in [("milk", false), ("milk", true), ("water", false), ("milk", true)] {
        let (text, got) = load(&client, "Skill", json!({"skill": "tea", "args": arguments})).await;
        assert_eq!((got, text.contains(&format!("Boil {arguments}."))), (is_note, !is_note), "{text}");
    }
    client.end().await;
}

/// Loads with long arguments do not make the server grow: the older ones are forgotten, so their texts are sent again.
#[tokio::test]
async fn long_arguments_are_not_kept() {
    let place = place(".claude/skills", &skill("Boil $ARGUMENTS."));
    let client = place.client(&["--dialect", "claude"]).await;
    let long = |what: &str| what.repeat(600_000);
    let rows = [("milk".to_owned(), false), (long("a"), false), ("milk".to_owned(), true), (long("b"), false)];
    let rows = rows.into_iter().chain([(long("b"), true), ("milk".to_owned(), false), (long("a"), false)]);
    for (n, (arguments, is_note)) in rows.enumerate() {
        let (_, got) = load(&client, "Skill", json!({"skill": "tea", "args": arguments})).await;
        assert_eq!(got, is_note, "load {n}");
    }
    client.end().await;
}

#[tokio::test]
async fn what_was_loaded_is_put_back() {
    let place = Place::served(&[]);
    for by_prompt in [false, true] {
        let client = place.client(&[]).await;
        for key in ["pdf", "tool", "pdf"] {
            client.said("activate_skill", json!({"name": key})).await;
        }
        let put_back = || async {
            if !by_prompt {
                return client.said("reattach_skills", json!({})).await.1;
            }
            let ask = GetPromptRequestParams::new("reattach-skills");
            let got = patient(client.session.get_prompt(ask)).await.expect("a prompt");
            got.messages[0].content.as_text().expect("a text").text.clone()
        };
        let text = put_back().await;
        let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part} in {text}"));
        assert!(at("<available_skills>") < at("Run.\n") && at("Run.\n") < at("Read them."), "the newest first: {text}");
        assert_eq!(text.matches("Read them.").count(), 1, "each once: {text}");
        let (_, again) = client.said("activate_skill", json!({"name": "pdf"})).await;
        assert!(again.contains("already active"), "what was put back is in the conversation: {again}");
        assert_eq!(put_back().await, text);
        client.end().await;
    }
    let client = place.client(&[]).await;
    client.said("activate_skill", json!({"name": "pdf"})).await;
    let (_, text) = client.said("reattach_skills", json!({"budget": 60})).await;
    assert!(!text.is_empty() && text.len() <= 240, "{text}");
    let (is_error, text) = client.said("reattach_skills", json!({"budgets": 60})).await;
    assert!(is_error && text.contains("did you mean `budget`?"), "{text}");
    client.end().await;
}

/// The model is told what it does not get back, but not why a skill is hidden from it.
#[tokio::test]
async fn what_is_not_put_back_is_named() {
    let place = Place::served(&[]);
    let client = place.client(&[]).await;
    for key in ["tool", "pdf"] {
        client.said("activate_skill", json!({"name": key})).await;
    }
    let losses = async |budget: Option<usize>| {
        let (is_error, text) = client.said("reattach_skills", json!({"budget": budget})).await;
        assert!(!is_error && budget.is_none_or(|budget| text.len() <= 4 * budget), "{budget:?}: {text}");
        text.lines().rev().take_while(|line| line.ends_with('.')).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(losses(None).await, "", "nothing is lost");
    let both = "Left out to fit the budget: `pdf`, `tool`.\nThe list of skills does not fit the budget.";
    assert_eq!(losses(Some(30)).await, both);
    let hidden = "---\nname: pdf\ndescription: Hidden.\ndisable-model-invocation: true\n---\nHidden.\n";
    place.write("project/.agents/skills/pdf/SKILL.md", hidden);
    assert_eq!(losses(None).await, "No longer available: `pdf`.");
    let ask = GetPromptRequestParams::new("reattach-skills");
    let got = patient(client.session.get_prompt(ask)).await.expect("a prompt");
    let told = got.messages.last().and_then(|one| Some(one.content.as_text()?.text.clone()));
    assert_eq!(told.as_deref(), Some("No longer available: `pdf`."), "by the prompt too");
    client.end().await;
}

/// The news name what changed of each skill, also where a client has several of one name.
#[tokio::test]
async fn the_news_of_skills_of_one_key() {
    let skill = |what: &str| format!("---\nname: tea\ndescription: {what} tea.\n---\nTea.\n");
    let place = place(".agents/skills", &skill("Makes"));
    let client = place.client(&["--dialect", "codex", "--poll", "1"]).await;
    let home = place.at("home/.agents/skills/tea");
    let own = "project/.agents/skills/tea/SKILL.md";
    let steps: [(&str, &dyn Fn(), &str); 3] = [
        ("added", &|| place.write("home/.agents/skills/tea/SKILL.md", &skill("Pours")), "- New: tea: Pours tea"),
        ("changed", &|| place.write(own, &skill("Serves")), "- Changed: tea: Serves tea"),
        ("one is gone", &|| std::fs::remove_dir_all(&home).unwrap(), "- Removed: tea, of which another skill remains"),
    ];
    client.said("find_skills", json!({"query": "tea"})).await;
    for (case, change, news) in steps {
        change();
        let (_, text) = client.said("find_skills", json!({"query": "tea"})).await;
        assert_eq!(text.split_once("The skills have changed:\n").map(|(_, news)| news), Some(news), "{case}");
    }
    client.end().await;
}

/// What is put back is the text as it was asked for last, by the model or by the user.
#[tokio::test]
async fn what_was_asked_for_last_is_put_back() {
    let body = "---\nname: tea\ndescription: Makes tea.\n---\nBoil ($ARGUMENTS).\n";
    for (dialect, folder) in [("pegasus", "skills"), ("claude", ".claude/skills")] {
        let place = place(folder, body);
        let client = place.client(&["--dialect", dialect]).await;
        let tool = client.tools().await.into_iter().find(|tool| tool.to_lowercase().contains("skill")).expect("a tool");
        for args in ["", "milk", ""] {
            client.said(&tool, json!({"skill": "tea", "args": args})).await;
        }
        let (_, back) = client.said("reattach_skills", json!({})).await;
        let last = if dialect == "pegasus" { "Boil ()" } else { "Boil (milk)" };
        assert!(back.contains(last), "{dialect}: {back}");
        let ask = GetPromptRequestParams::new("tea");
        let ask = ask.with_arguments(json!({"arguments": "cream"}).as_object().cloned().expect("an object"));
        patient(client.session.get_prompt(ask)).await.expect("a prompt");
        let (_, back) = client.said("reattach_skills", json!({})).await;
        assert!(back.contains("Boil (cream)"), "{dialect}: {back}");
        client.end().await;
    }
}
