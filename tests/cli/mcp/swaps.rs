//! A skill's folder that is exchanged for a link to elsewhere while a client reads: nothing outside is handed out.

use super::lines::{HELLO, Wire};
use crate::program::Place;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const ROUNDS: usize = 400;

#[test]
fn a_folder_that_is_exchanged_is_not_followed() {
    let skill = "---\nname: pdf\ndescription: Reads forms.\nargument-hint: FILE\n---\nRead them.\n";
    let place = Place::served(&[
        ("/private/SKILL.md", skill),
        ("/private/SECRET.md", "SECRET"),
        ("/private/references/forms.md", "SECRET"),
        ("/private/references/SECRET.md", "SECRET"),
    ]);
    let mut wire = Wire::new(&place, &["--poll", "0"]);
    wire.send(HELLO);
    assert!(wire.answer(&json!("hello")).get("result").is_some());
    let (folder, aside) = (place.at("project/.agents/skills/pdf"), place.at("aside"));
    let private = place.at("private");
    let (rounds, is_done) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let swapper = std::thread::spawn({
        let (rounds, is_done) = (Arc::clone(&rounds), Arc::clone(&is_done));
        move || {
            while !is_done.load(Ordering::Relaxed) {
                std::fs::rename(&folder, &aside).expect("the folder can be moved");
                std::os::unix::fs::symlink(&private, &folder).expect("a link can be made");
                std::fs::remove_file(&folder).expect("the link can be removed");
                std::fs::rename(&aside, &folder).expect("the folder can be moved back");
                rounds.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let uri = "skill://project-agents/pdf";
    let arguments = json!({"skill": "pdf", "path": "references/forms.md"});
    let requests = [
        ("tools/call", json!({"name": "read_skill_file", "arguments": arguments})),
        ("resources/read", json!({"uri": format!("{uri}/references/forms.md")})),
        ("resources/directory/read", json!({"uri": uri})),
        ("resources/directory/read", json!({"uri": format!("{uri}/references")})),
        ("skills/get", json!({"uri": format!("{uri}/SKILL.md")})),
    ];
    let (mut leaked, mut sent) = (None, 0);
    while leaked.is_none() && rounds.load(Ordering::Relaxed) < ROUNDS {
        for (method, params) in &requests {
            wire.send(json!({"jsonrpc": "2.0", "id": sent, "method": method, "params": params}).to_string());
            let answer = wire.answer(&json!(sent)).to_string();
            leaked = leaked.or_else(|| answer.contains("SECRET").then(|| format!("{method}: {answer}")));
            sent += 1;
        }
    }
    is_done.store(true, Ordering::Relaxed);
    swapper.join().expect("the folder is back");
    assert_eq!(leaked, None, "after {sent} requests");
    let read = json!({"jsonrpc": "2.0", "id": "read", "method": "resources/read", "params": requests[1].1});
    wire.send(read.to_string());
    let answer = wire.answer(&json!("read")).to_string();
    assert!(answer.contains("Forms have fields."), "{answer}");
}
