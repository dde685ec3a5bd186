//! The tools that skills bring: listed where the user allows and trusts them, under their own names.

use super::{Client, Revision, patient, refused};
use crate::common::living::{gone, left_in};
use crate::common::runtimes::runtime;
use crate::program::Place;
use pretty_assertions::assert_eq;
use rmcp::model::{ErrorCode, ProtocolVersion};
use serde_json::json;

const KIT: &str = "---\nname: kit\ndescription: Has tools.\ntoolsets: [\"toolsets/index:TOOLS\"]\n---\nUse them.\n";

const INDEX: &str = r#"
import os, time

def add(a: int, b: int = 1) -> str:
    """Adds numbers."""
    return str(a + b)

def pid(file: str) -> str:
    open(file, "w").write(f"{os.getpid()}\n")
    return "left"

def hang(file: str) -> str:
    pid(file)
    time.sleep(1000)

def read_skill_file() -> str:
    return "not this one"

TOOLS = [add, pid, hang, read_skill_file]
"#;

const THEIRS: &str = "def theirs():\n    return 'x'\n\nTOOLS = [theirs]\n";

/// A place with toolsets, and the words for it. None where there is no Python to run them.
fn place() -> Option<(Place, [&'static str; 5])> {
    runtime("python")?;
    let place = Place::served(&[
        ("/home/.agent/skills/kit/SKILL.md", KIT),
        ("/home/.agent/skills/kit/toolsets/index.py", INDEX),
        ("/project/.agent/skills/theirs/SKILL.md", &KIT.replace("kit", "theirs")),
        ("/project/.agent/skills/theirs/toolsets/index.py", THEIRS),
    ]);
    Some((place, ["--dialect", "agent-base", "--allow-run", "--poll", "1"]))
}

/// A client whose server finds the Python of the runtimes.
async fn client(place: &Place, words: &[&str]) -> Client {
    let mut command = place.command(words);
    let folder = runtime("python").and_then(|python| Some(python.parent()?.to_owned())).expect("a folder");
    command.env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
    place.client_by(command, Revision::Handshake(ProtocolVersion::V_2025_11_25)).await
}

#[tokio::test]
async fn tools_of_trusted_skills_are_listed_and_called() {
    let Some((place, words)) = place() else { return };
    let client = client(&place, &words).await;
    let tools = patient(client.session.list_all_tools()).await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["match_skills", "find_skills", "read_skill_file", "run_skill_script", "add", "pid", "hang"]);
    let add = &tools[4];
    assert_eq!(add.description.as_deref(), Some("Adds numbers."));
    assert_eq!(add.input_schema.get("required"), Some(&json!(["a"])));
    assert_eq!(add.annotations.as_ref().and_then(|hints| hints.destructive_hint), Some(true));
    assert_eq!(client.said("add", json!({"a": 2})).await, (false, "3".to_owned()));
    let (is_error, text) = client.said("add", json!({"a": "two"})).await;
    assert!(is_error && text.contains("`add`"), "{text}");
    refused(client.call("theirs", json!({})).await, ErrorCode::INVALID_PARAMS, "unknown tool `theirs`");
    let said = client.said("read_skill_file", json!({"skill": "kit", "path": "SKILL.md"})).await;
    assert_eq!(said, (false, KIT.to_owned()), "ours keeps its name");
    let file = place.named("pid");
    assert_eq!(client.said("pid", json!({"file": file})).await, (false, "left".to_owned()));
    client.end().await;
    gone("the toolset's process", &left_in(file.as_ref()));
}

#[tokio::test]
async fn a_tool_can_be_called_before_it_is_listed() {
    let Some((place, words)) = place() else { return };
    let client = client(&place, &words).await;
    assert_eq!(client.said("add", json!({"a": 2})).await, (false, "3".to_owned()));
    client.end().await;
}

#[tokio::test]
async fn nothing_is_loaded_unless_the_user_says_so() {
    let Some((place, words)) = place() else { return };
    let client = client(&place, &words[..2]).await;
    assert_eq!(client.tools().await, ["match_skills", "find_skills", "read_skill_file"]);
    client.end().await;
}

#[tokio::test]
async fn a_tool_that_hangs_keeps_no_other_toolset_waiting() {
    let Some((place, mut words)) = place() else { return };
    words[3..].copy_from_slice(&["--trust", "--timeout=3"]);
    let client = client(&place, &words).await;
    assert!(client.tools().await.contains(&"theirs".to_owned()));
    let file = place.named("pid");
    let hang = client.said("hang", json!({"file": file}));
    let other = async {
        let begun = patient(async {
            while !std::path::Path::new(&file).exists() {
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            }
            std::time::Instant::now()
        });
        let since = begun.await;
        assert_eq!(client.said("theirs", json!({})).await, (false, "x".to_owned()));
        since.elapsed()
    };
    let ((is_error, text), elapsed) = tokio::join!(hang, other);
    assert!(is_error && text.contains("3 s"), "{text}");
    assert!(elapsed.as_secs() < 3, "{elapsed:?}");
    assert_eq!(client.said("add", json!({"a": 1})).await, (false, "2".to_owned()), "it is started anew");
    client.end().await;
}

#[tokio::test]
async fn an_edit_of_a_toolset_is_announced() {
    let Some((place, words)) = place() else { return };
    let mut client = client(&place, &words).await;
    assert!(client.tools().await.contains(&"add".to_owned()));
    let mut known = client.heard.borrow_and_update().tools;
    place.write("home/.agent/skills/kit/toolsets/index.py", &INDEX.replace("add", "total"));
    // The first load is announced as well, maybe after its tools are known.
    loop {
        known = patient(client.heard.wait_for(|heard| known < heard.tools)).await.unwrap().tools;
        if client.tools().await.contains(&"total".to_owned()) {
            break;
        }
    }
    assert_eq!(client.said("total", json!({"a": 1})).await, (false, "2".to_owned()));
    // The same again, and a line that says nothing: looked at often enough, and nobody is told.
    place.write("home/.agent/skills/kit/toolsets/index.py", &format!("{}# x\n", INDEX.replace("add", "total")));
    place.write("home/.agent/skills/new/SKILL.md", "---\nname: new\ndescription: New.\n---\nNew.\n");
    patient(client.heard.wait_for(|heard| heard.resources != 0)).await.unwrap();
    assert!(client.tools().await.contains(&"total".to_owned()));
    assert_eq!(client.heard.borrow().tools, 1, "once for one edit of the tools");
    client.end().await;
}

/// What a toolset imports is compared before each call, however long it is until the next look is due.
#[tokio::test]
async fn an_edit_beside_a_toolset_counts_at_the_next_call() {
    let Some((place, words)) = place() else { return };
    let folder = "home/.agent/skills/kit/toolsets";
    let uses =
        |name: &str| format!("from lib.helper import told\n\ndef {name}():\n    return told\n\nTOOLS = [{name}]\n");
    place.write(&format!("{folder}/lib/helper.py"), "told = 'first'\n");
    place.write(&format!("{folder}/index.py"), &uses("tell"));
    let client = client(&place, &[&words[..2], &["--allow-run", "--poll", "3600"]].concat()).await;
    assert_eq!(client.said("tell", json!({})).await, (false, "first".to_owned()));
    place.write(&format!("{folder}/lib/helper.py"), "told = 'the second'\n");
    assert_eq!(client.said("tell", json!({})).await, (false, "the second".to_owned()));
    place.write(&format!("{folder}/index.py"), &uses("say"));
    assert!(client.tools().await.contains(&"say".to_owned()), "its own file");
    assert_eq!(client.said("say", json!({})).await, (false, "the second".to_owned()));
    client.end().await;
}

#[tokio::test]
async fn settings_of_the_project_do_not_count_for_what_is_run() {
    const SEE: &str = "const found = await import('absent').then(({ leaf }) => leaf, () => 'none');\n";
    let (script, toolset) =
        (format!("{SEE}console.log(found);\n"), format!("{SEE}export const TOOLS = {{ see: () => found }};\n"));
    let place = Place::served(&[
        ("/project/.agent/skills/kit/SKILL.md", KIT),
        ("/project/.agent/skills/kit/scripts/see.ts", &script),
        ("/project/.agent/skills/kit/toolsets/index.ts", &toolset),
        ("/project/tsconfig.json", r#"{"compilerOptions": {"paths": {"absent": ["./evil.ts"]}}}"#),
        ("/project/deno.json", r#"{"imports": {"absent": "./evil.ts"}}"#),
        ("/project/evil.ts", "export const leaf = 'evil';"),
    ]);
    for name in ["bun", "deno"] {
        let Some(program) = runtime(name) else { continue };
        let bin = place.at(&format!("bin-{name}"));
        std::fs::create_dir(&bin).unwrap();
        std::os::unix::fs::symlink(program, bin.join(name)).unwrap();
        let words = ["--dialect", "agent-base", "--allow-run", "--trust", "--poll", "1"];
        let mut command = place.command(&words);
        command.env("PATH", bin);
        let client = place.client_by(command, Revision::Handshake(ProtocolVersion::V_2025_11_25)).await;
        let run = json!({"skill": "kit", "script": "see.ts"});
        let ran = client.call("run_skill_script", run).await.unwrap().structured_content.unwrap();
        assert_eq!(ran["output"], json!("none\n"), "{name}: {ran}");
        assert!(client.tools().await.contains(&"see".to_owned()), "{name}");
        assert_eq!(client.said("see", json!({})).await, (false, "none".to_owned()), "{name}");
        client.end().await;
    }
}
