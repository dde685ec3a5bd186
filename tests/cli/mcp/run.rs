//! What a client may have run: nothing, unless the user says so; and how it ends.

use super::{Client, answered, patient, refused};
use crate::common::living::{gone, left_in, lives};
use crate::program::{Place, said};
use pretty_assertions::assert_eq;
use rmcp::model::{CallToolRequestParams, CancelledNotificationParam, ClientRequest, ErrorCode, Request};
use rmcp::service::PeerRequestOptions;
use serde_json::{Value, json};
use std::path::Path;

/// The process that wrote its number into a file.
async fn begun(file: &Path) -> String {
    let file = file.to_owned();
    tokio::task::spawn_blocking(move || left_in(&file)).await.expect("it came")
}

#[tokio::test]
async fn nothing_is_run_unless_the_user_says_so() {
    let place = Place::served(&[]);
    let client = place.client(&[]).await;
    assert!(!client.tools().await.contains(&"run_skill_script".to_owned()));
    let call = client.call("run_skill_script", json!({"skill": "tool", "script": "say.sh"})).await;
    refused(call, ErrorCode::INVALID_PARAMS, "unknown tool `run_skill_script`");
    client.end().await;
}

#[tokio::test]
async fn scripts_of_trusted_skills_are_run() {
    let place = Place::served(&[]);
    let client = place.client(&["--allow-run"]).await;
    let tools = patient(client.session.list_all_tools()).await.unwrap();
    let run = tools.iter().find(|tool| tool.name == "run_skill_script").expect("the tool is listed");
    let hints = run.annotations.as_ref().unwrap();
    assert_eq!(
        (hints.read_only_hint, hints.destructive_hint, hints.open_world_hint),
        (Some(false), Some(true), Some(true))
    );
    let result = client
        .call("run_skill_script", json!({"skill": "tool", "script": "say.sh", "args": ["a b; $(c)"]}))
        .await
        .unwrap();
    assert_eq!(result.is_error, Some(false));
    let ran = result.structured_content.unwrap();
    let told = (&ran["code"], &ran["output"], &ran["errors"], &ran["cut"], &ran["timed_out"]);
    assert_eq!(told, (&json!(0), &json!("said a b; $(c)\n"), &json!("odd\n"), &json!(false), &json!(false)));
    for (case, arguments, part) in [
        ("it fails", json!({"skill": "tool", "script": "say.sh", "args": ["x", "3"]}), "exit code 3"),
        ("not trusted", json!({"skill": "pdf", "script": "say.sh"}), "not trusted"),
        ("hidden", json!({"skill": "secret", "script": "say.sh"}), "hidden"),
        ("outside", json!({"skill": "tool", "script": "../SKILL.md"}), ""),
        ("absent", json!({"skill": "tool", "script": "none.sh"}), "none.sh"),
        ("arguments that are none", json!({"skill": "tool", "script": "say.sh", "args": "x"}), "array of strings"),
        ("too many", json!({"skill": "tool", "script": "say.sh", "args": vec!["x"; 101]}), "100"),
    ] {
        let (is_error, text) = client.said("run_skill_script", arguments).await;
        assert!(is_error && text.contains(part), "{case}: {text}");
    }
    client.end().await;
    let client = place.client(&["--allow-run", "--trust"]).await;
    let said = client.said("run_skill_script", json!({"skill": "pdf", "script": "say.sh", "args": ["x"]})).await;
    assert_eq!(said, (false, "said x\n".to_owned()));
    client.end().await;
}

#[tokio::test]
async fn a_script_that_hangs_ends_at_its_time() {
    let place = Place::served(&[]);
    let client = place.client(&["--allow-run", "--timeout", "2"]).await;
    let file = place.at("pid");
    let hang = client.said("run_skill_script", json!({"skill": "tool", "script": "hang.sh", "args": [file]}));
    let ((is_error, text), pid) = tokio::join!(hang, begun(&file));
    assert!(is_error && text.contains("stopped after 2 s"), "{text}");
    gone("the script", &pid);
    client.end().await;
}

/// A call of a script that hangs, and the process that it is.
async fn hanging(client: &Client, file: &Path) -> (rmcp::service::RequestHandle<rmcp::RoleClient>, String) {
    let arguments = json!({"skill": "tool", "script": "hang.sh", "args": [file]});
    let call = CallToolRequestParams::new("run_skill_script").with_arguments(arguments.as_object().cloned().unwrap());
    let request = ClientRequest::CallToolRequest(Request::new(call));
    let sent = client.session.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
    (sent.expect("the request is sent"), begun(file).await)
}

#[tokio::test]
async fn a_script_that_hangs_keeps_nobody_waiting_and_ends_when_its_call_is_cancelled() {
    let place = Place::served(&[]);
    let client = place.client(&["--allow-run"]).await;
    let (request, pid) = hanging(&client, &place.at("pid")).await;
    assert!(!client.tools().await.is_empty());
    let said = client.said("run_skill_script", json!({"skill": "tool", "script": "say.sh", "args": ["x"]})).await;
    assert!(!said.0 && said.1.starts_with("said x\n"), "{said:?}");
    assert!(lives(&pid), "the others were answered while it ran");
    let cancelled = CancelledNotificationParam::new(Some(request.id.clone()), None);
    client.session.notify_cancelled(cancelled).await.unwrap();
    gone("the script", &pid);
    assert!(!client.tools().await.is_empty(), "the session goes on");
    client.end().await;
}

#[tokio::test]
async fn the_end_of_a_session_ends_what_runs() {
    let place = Place::served(&[]);
    let client = place.client(&["--allow-run"]).await;
    let (_request, pid) = hanging(&client, &place.at("pid")).await;
    client.end().await;
    gone("the script", &pid);
}

const TASK: &str = "---\ndescription: Reviews.\ncontext: fork\n---\nReview $ARGUMENTS.\n";

#[tokio::test]
async fn a_task_goes_to_the_agent_or_says_what_it_is() {
    let place = Place::served(&[("/project/skills/review/SKILL.md", TASK)]);
    let client = place.client(&["--dialect", "pegasus"]).await;
    let called = client.call("use_skill", json!({"skill": "review", "args": "all"})).await.unwrap();
    let known = super::answered(&called);
    assert_eq!((&known["kind"], &known["permissions"]), (&json!("fork"), &json!([])));
    let (is_error, text) = client.said("use_skill", json!({"skill": "review", "args": "all"})).await;
    let (answer, task) = text.split_once('\n').expect("the answer, and the task behind it");
    assert_eq!(serde_json::from_str::<Value>(answer).unwrap()["status"], json!("spawned"));
    assert!(!is_error && task.starts_with("This is a task for a subagent: "), "{text}");
    assert!(text.contains("Review all."), "{text}");
    assert_eq!(
        (&known["taskId"], &known["status"]),
        (&serde_json::from_str::<Value>(answer).unwrap()["taskId"], &json!("spawned"))
    );
    let unknown = client.call("use_skill", json!({"skill": "revue"})).await.unwrap();
    let error = &unknown.structured_content.as_ref().unwrap()["error"];
    assert_eq!((&error["message"], &error["near"]), (&json!("Skill \"revue\" not found"), &json!(["review"])));
    client.end().await;
    let client = place.client(&["--dialect", "pegasus", "--agent-command", "sed s/Review/Reviewed/"]).await;
    let (is_error, text) = client.said("use_skill", json!({"skill": "review", "args": "all"})).await;
    assert!(
        is_error && text.contains("`skilltree approve review --dialect pegasus") && text.contains("or use `--trust`"),
        "it is not trusted: {text}"
    );
    client.end().await;
    let trusted = ["--dialect", "pegasus", "--trust", "--agent-command"];
    let client = place.client(&[&trusted[..], &["sed s/Review/Reviewed/"]].concat()).await;
    let (is_error, text) = client.said("use_skill", json!({"skill": "review", "args": "all"})).await;
    let answer: Value = serde_json::from_str(&text).expect("one document");
    assert_eq!((is_error, &answer["status"], &answer["result"]), (false, &json!("done"), &json!("Reviewed all.")));
    client.end().await;
    let client = place.client(&[&trusted[..], &["sh -c 'echo no >&2; exit 4'"]].concat()).await;
    let (is_error, text) = client.said("use_skill", json!({"skill": "review", "args": "all"})).await;
    let (answer, reason) = text.split_once('\n').expect("the answer, and the reason behind it");
    let answer: Value = serde_json::from_str(answer).expect("one document");
    assert_eq!((is_error, &answer["status"], &answer["result"]), (true, &json!("failed"), &json!("")));
    assert_eq!(reason, "the agent failed with exit code 4: no");
    client.end().await;
}

#[test]
fn options_without_a_meaning_are_refused() {
    let place = Place::served(&[]);
    for words in [["--timeout", "0"], ["--timeout", "x"], ["--agent-command", ""]] {
        place.check(&words.join(" "), &words, 2, &[], &[words[0]]);
    }
}

#[tokio::test]
async fn commands_of_a_skill_are_run_where_it_is_trusted_and_the_user_says_so() {
    let skill = "---\ndescription: Now.\n---\nIt is !`echo run`.\n";
    let place = Place::served(&[
        ("/home/.claude/skills/now/SKILL.md", skill),
        ("/project/.claude/skills/theirs/SKILL.md", skill),
    ]);
    let claude = ["--dialect", "claude"];
    let client = place.client(&claude).await;
    let (is_error, text) = client.said("Skill", json!({"skill": "now"})).await;
    assert!(is_error && text.contains("`--allow-run`"), "{text}");
    let result = client.call("Skill", json!({"skill": "now"})).await.expect("a result");
    let view = format!("⚡Skill(now)\n  ✗  {text}");
    assert_eq!(answered(&result).get("view"), Some(&json!(view)), "what a user sees");
    client.end().await;
    let client = place.client(&[claude.as_slice(), &["--allow-run"]].concat()).await;
    let (is_error, text) = client.said("Skill", json!({"skill": "now"})).await;
    assert!(!is_error && text.contains("It is run."), "{text}");
    let (is_error, text) = client.said("Skill", json!({"skill": "theirs"})).await;
    assert!(is_error && text.contains("not trusted"), "{text}");
    client.end().await;
}

#[tokio::test]
async fn an_approval_counts_until_the_next_change() {
    let place = Place::served(&[]);
    let client = place.client(&["--allow-run"]).await;
    let call = || client.said("run_skill_script", json!({"skill": "pdf", "script": "say.sh", "args": ["x"]}));
    let (is_error, text) = call().await;
    assert!(is_error && text.contains("`skilltree approve pdf --project "), "{text}");
    let approved = said(&mut place.bare(&["approve", "pdf"]));
    assert_eq!(approved.code, Some(0), "{}", approved.err);
    assert_eq!(call().await, (false, "said x\n".to_owned()));
    place.write("project/.agents/skills/pdf/references/forms.md", "Changed.\n");
    let (is_error, text) = call().await;
    assert!(is_error && text.contains("not trusted"), "{text}");
    client.end().await;
}
