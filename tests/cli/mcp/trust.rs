//! Trust that is gone: what a skill that is no longer approved has running is ended, its tools are refused and leave
//! the list; and files that are exchanged while tools are called.

use super::{Client, Revision, patient};
use crate::common::living::{gone, left_in, soon};
use crate::common::runtimes::runtime;
use crate::program::{Place, said};
use pretty_assertions::assert_eq;
use rmcp::model::ProtocolVersion;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const KIT: &str = "project/.agent/skills/kit";

const TOOLS: &str = r#"
import os, time, more

def pid(file: str) -> str:
    open(file, "w").write(f"{os.getpid()}\n")
    return more.WORD

def hang(file: str) -> str:
    pid(file)
    time.sleep(1000)

TOOLS = [pid, hang]
"#;

/// A project's skill that is approved. None where there is no Python to run its tools.
fn place() -> Option<Place> {
    runtime("python")?;
    let text = "---\nname: kit\ndescription: Has tools.\ntoolsets: [\"tools:TOOLS\"]\n---\nUse them.\n";
    let place = Place::served(&[
        (&format!("/{KIT}/SKILL.md"), text),
        (&format!("/{KIT}/tools.py"), TOOLS),
        (&format!("/{KIT}/more.py"), "WORD = 'approved'\n"),
        (&format!("/{KIT}/scripts/say.sh"), "#!/bin/sh\n. \"${0%/*}/more.sh\"\n"),
        (&format!("/{KIT}/scripts/more.sh"), "echo approved\n"),
        ("/tmp/empty", ""),
    ]);
    let tmp = place.at("tmp");
    fs::remove_file(tmp.join("empty")).unwrap();
    let place = place.env("TMPDIR", tmp);
    approve(&place, &[]);
    Some(place)
}

fn approve(place: &Place, more: &[&str]) {
    let said = said(&mut place.bare(&[&["--dialect", "agent-base", "approve", "kit"], more].concat()));
    assert_eq!(said.code, Some(0), "{}", said.err);
}

async fn client(place: &Place, poll: &str) -> Client {
    let mut command = place.command(&["--dialect", "agent-base", "--allow-run", "--poll", poll]);
    let folder = runtime("python").and_then(|python| Some(python.parent()?.to_owned())).expect("a folder");
    command.env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
    place.client_by(command, Revision::Handshake(ProtocolVersion::V_2025_11_25)).await
}

/// Waits until the toolset's tools are listed, or no longer.
async fn listed(client: &mut Client, expect: bool) -> Vec<String> {
    patient(async {
        loop {
            client.heard.borrow_and_update();
            let tools = client.tools().await;
            if tools.contains(&"pid".to_owned()) == expect {
                return tools;
            }
            client.heard.changed().await.expect("the client lives");
        }
    })
    .await
}

/// The id of the toolset's process, from a call.
async fn pid(client: &Client, file: &str) -> String {
    let _ = fs::remove_file(file);
    assert_eq!(client.said("pid", json!({"file": file})).await, (false, "approved".to_owned()));
    left_in(file.as_ref())
}

fn revoke(place: &Place) {
    approve(place, &["--revoke"]);
}

fn void(place: &Place) {
    place.write(&format!("{KIT}/notes.md"), "New.\n");
}

fn corrupt(place: &Place) {
    place.write("home/.local/state/skilltree/approved.json", "{");
}

/// How trust is lost.
type Loss = (&'static str, fn(&Place), &'static str);

const LOSSES: [Loss; 3] = [
    ("a revoked approval", revoke, "`skilltree approve kit --dialect agent-base --project "),
    ("a void approval", void, "its approval is no longer valid: `notes.md` is new"),
    ("a corrupt store", corrupt, "is corrupt"),
];

#[tokio::test]
async fn a_call_without_trust_is_refused_and_ends_the_process() {
    for (case, lose, why) in LOSSES {
        let Some(place) = place() else { return };
        let mut client = client(&place, "0").await;
        listed(&mut client, true).await;
        let file = place.named("pid");
        let first = pid(&client, &file).await;
        assert_eq!(pid(&client, &file).await, first, "{case}: the process stays");
        fs::remove_file(&file).unwrap();
        lose(&place);
        let (is_error, text) = client.said("pid", json!({"file": file})).await;
        assert!(is_error && text.contains(why), "{case}: {text}");
        gone(case, &first);
        assert!(!Path::new(&file).exists(), "{case}: the tool was not called");
        assert!(soon(|| fs::read_dir(place.at("tmp")).unwrap().count() == 0), "{case}: the copy is gone");
        if case != "a corrupt store" {
            approve(&place, &[]);
            assert_ne!(pid(&client, &file).await, first, "{case}: it is started again when it is approved again");
        }
        client.end().await;
    }
}

#[tokio::test]
async fn a_look_at_the_files_ends_what_is_not_trusted_any_more() {
    for (case, lose, _) in LOSSES {
        let Some(place) = place() else { return };
        let mut client = client(&place, "1").await;
        listed(&mut client, true).await;
        let (file, hung) = (place.named("pid"), place.named("hung"));
        let process = pid(&client, &file).await;
        let hang = client.said("hang", json!({"file": hung}));
        let losing = async {
            while !fs::read_to_string(&hung).is_ok_and(|text| text.ends_with('\n')) {
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            }
            lose(&place);
        };
        let ((is_error, text), ()) = tokio::join!(hang, losing);
        assert!(is_error, "{case}: {text}");
        gone(case, &process);
        let listed = listed(&mut client, false).await;
        assert!(listed.contains(&"run_skill_script".to_owned()), "{case}: {listed:?}");
        client.end().await;
    }
}

#[tokio::test]
async fn a_toolset_that_nobody_calls_is_ended_too() {
    let Some(place) = place() else { return };
    let mut client = client(&place, "1").await;
    listed(&mut client, true).await;
    let process = pid(&client, &place.named("pid")).await;
    revoke(&place);
    gone("the process", &process);
    client.end().await;
}

#[tokio::test]
async fn files_are_exchanged_while_tools_are_called() {
    let Some(place) = place() else { return };
    let mut client = client(&place, "1").await;
    listed(&mut client, true).await;
    let is_done = Arc::new(AtomicBool::new(false));
    let (until, kit, beside) = (Arc::clone(&is_done), place.at(KIT), place.at("beside.new"));
    let exchanging = std::thread::spawn(move || {
        let put = |name: &str, text: &str| {
            fs::write(&beside, text).unwrap();
            fs::rename(&beside, kit.join(name)).unwrap();
        };
        while !until.load(Ordering::Relaxed) {
            put("more.py", "WORD = 'unapproved'\n");
            put("more.py", "WORD = 'approved'\n");
            put("scripts/more.sh", "echo unapproved\n");
            put("scripts/more.sh", "echo approved\n");
        }
    });
    let file = place.named("pid");
    let (script, tool) = (json!({"skill": "kit", "script": "say.sh"}), json!({"file": file}));
    let mut odd = Vec::new();
    for round in 0..300 {
        let (name, arguments) = if round % 2 == 0 { ("run_skill_script", &script) } else { ("pid", &tool) };
        // A tool whose skill was not trusted at the last look is none.
        let Ok(result) = client.call(name, arguments.clone()).await else { continue };
        let texts = format!("{:?}", result.content);
        if texts.contains("unapproved") || (result.is_error != Some(true) && !texts.contains("approved")) {
            odd.push(texts);
        }
    }
    is_done.store(true, Ordering::Relaxed);
    exchanging.join().unwrap();
    assert_eq!(odd, Vec::<String>::new());
    listed(&mut client, true).await;
    pid(&client, &file).await;
    client.end().await;
}
