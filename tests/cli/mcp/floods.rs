//! Clients that ask for more than can be answered, and that never read standard error: the server goes on, in bounded
//! memory.

use super::lines::{HELLO, Wire};
use crate::common::living::soon;
use crate::program::Place;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::process::Stdio;

/// The code of the error that refuses a request while too many wait.
const BUSY: i64 = -32000;

/// How many requests may wait.
const MAX_REQUESTS: usize = 256;

/// More than the server takes under any of these floods, and less than the floods themselves would.
const MAX_MEMORY_KIB: u64 = 400 * 1_024;

fn session(place: &Place, words: &[&str]) -> Wire {
    begun(Wire::new(place, words))
}

fn begun(mut wire: Wire) -> Wire {
    wire.send(HELLO);
    assert!(wire.answer(&json!("hello")).get("result").is_some());
    wire.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    wire
}

fn run(id: &Value, script: &str, args: &[&str]) -> String {
    let arguments = json!({"skill": "tool", "script": script, "args": args});
    let params = json!({"name": "run_skill_script", "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

/// Fails where the server has taken more memory than it may. Only Linux tells.
fn is_small(case: &str, wire: &Wire) {
    let status = std::fs::read_to_string(format!("/proc/{}/status", wire.child.id())).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    let peak = peak.map_or(0, |kib| kib.parse::<u64>().expect("a number"));
    assert!(peak < MAX_MEMORY_KIB, "{case}: {peak} KiB");
}

/// Skills so far down that the findings about them fill a pipe, each with a name that is none of a folder's.
fn noisy(place: &Place, set: &str, count: usize) {
    let down = format!("{}/", "x".repeat(200)).repeat(15);
    for n in 0..count {
        let text = format!("---\nname: Not_A_Name_{set}_{n}\ndescription: Nothing.\n---\n");
        place.write(&format!("project/.agents/skills/{down}{set}-{n}/SKILL.md"), &text);
    }
}

/// A session with some 150 kB of findings on a standard error that is a pipe nobody has read so far.
fn flooded(place: &Place) -> Wire {
    noisy(place, "first", 40);
    let wire = begun(Wire::with_errors(place, &["--poll", "1"], Stdio::piped()));
    for set in ["second", "third"] {
        noisy(place, set, 40);
        let new = format!("project/.agents/skills/{set}/SKILL.md");
        place.write(&new, &format!("---\nname: {set}\ndescription: Comes {set}.\n---\n"));
        // A look that meets the new skill meets those before it.
        while wire.next()["method"] != json!("notifications/resources/list_changed") {}
    }
    wire
}

#[test]
fn a_standard_error_that_nobody_reads_stops_nothing() {
    let place = Place::served(&[]);
    let mut wire = flooded(&place);
    wire.send(r#"{"jsonrpc":"2.0","id":"list","method":"resources/list"}"#);
    assert!(wire.answer(&json!("list"))["result"].to_string().contains("project-agents/third/SKILL.md"));
    drop(wire.input.take());
    assert_eq!(wire.ended(), Some(0), "nor is the end waited for");
    let mut told = String::new();
    wire.child.stderr.take().expect("a pipe").read_to_string(&mut told).expect("text");
    assert!(told.contains("/first-") && !told.contains("/third-"), "the pipe was full: {} bytes", told.len());
    is_small("findings", &wire);
}

#[test]
fn requests_that_are_not_answered_are_refused_from_some_number_on() {
    const FLOOD: usize = 10_000;
    let place = Place::served(&[]);
    let mut wire = session(&place, &["--allow-run", "--timeout", "600"]);
    let pid = place.named("pid");
    for id in 0..FLOOD {
        wire.send(run(&json!(id), "hang.sh", &[&pid]));
    }
    let mut refused = 0;
    while refused < FLOOD - MAX_REQUESTS {
        let next = wire.next();
        assert_eq!(next["error"]["code"], json!(BUSY), "{next}");
        assert!(next["error"]["message"].as_str().is_some_and(|message| message.contains("256 requests")));
        refused += 1;
    }
    // What cancels them gets through, and then there is room again.
    for id in 0..FLOOD {
        let params = json!({"requestId": id});
        wire.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string());
    }
    let mut tries = 0;
    assert!(soon(|| {
        tries += 1;
        let id = json!(format!("try {tries}"));
        wire.send(run(&id, "say.sh", &["hello"]));
        wire.answer(&id)["result"].to_string().contains("said hello")
    }));
    is_small("scripts", &wire);
}

#[test]
fn the_end_of_the_input_is_seen_while_requests_wait() {
    let place = Place::served(&[]);
    let mut wire = session(&place, &["--allow-run"]);
    let pid = place.named("pid");
    for id in 0..2 * MAX_REQUESTS {
        wire.send(run(&json!(id), "hang.sh", &[&pid]));
    }
    drop(wire.input.take());
    assert_eq!(wire.ended(), Some(0));
}

#[test]
fn large_requests_are_counted_by_their_bytes() {
    let place = Place::served(&[]);
    let mut wire = session(&place, &["--allow-run", "--timeout", "600"]);
    let pid = place.named("pid");
    for id in 0..16 {
        wire.send(run(&json!(format!("hang {id}")), "hang.sh", &[&pid]));
    }
    // A list of small values takes many times its bytes once it is parsed.
    let large = format!("[{}0]", "0,".repeat(1 << 18));
    for id in 0..32 {
        let params = format!(r#"{{"name":"run_skill_script","arguments":{{"skill":"tool","script":{large}}}}}"#);
        wire.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#));
    }
    // Eight mebibytes are fewer than sixteen of these.
    let refused = (0..16).filter(|_| wire.next()["error"]["code"] == json!(BUSY)).count();
    assert_eq!(refused, 16);
    wire.send(r#"{"jsonrpc":"2.0","id":"still","method":"ping"}"#);
    assert!(wire.answer(&json!("still")).get("result").is_some());
    is_small("large requests", &wire);
}

#[test]
fn a_burst_of_quick_requests_is_answered() {
    const BURST: u64 = 50_000;
    let place = Place::served(&[]);
    let mut wire = session(&place, &[]);
    let mut input = wire.input.take().expect("the input is open");
    let sender = std::thread::spawn(move || {
        for id in 0..BURST {
            writeln!(input, r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#).expect("the server reads");
        }
        input
    });
    for _ in 0..BURST {
        let next = wire.next();
        assert!(next.get("result").is_some(), "{next}");
    }
    wire.input = Some(sender.join().expect("all is sent"));
    for _ in 0..10_000 {
        wire.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    }
    place.write("project/.agents/skills/new/SKILL.md", "---\nname: new\ndescription: New.\n---\n");
    while wire.next()["method"] != json!("notifications/resources/list_changed") {}
    wire.send(r#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#);
    let next = (0..3).map(|_| wire.next()).find(|next| next["id"] == json!("last"));
    assert!(next.is_some(), "each change is told once, however often the session began");
    is_small("pings", &wire);
}

/// Requests that wait together share what is put back, and what was put back before is not kept.
#[test]
fn many_requests_to_put_back_are_answered() {
    let place = Place::served(&[]);
    let mut wire = session(&place, &[]);
    let call = |id: String, name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
    };
    wire.send(call("load".to_owned(), "activate_skill", json!({"name": "pdf"})));
    assert!(wire.answer(&json!("load")).get("result").is_some());
    for round in 0..4 {
        for n in 0..MAX_REQUESTS - 1 {
            wire.send(call(format!("{round}-{n}"), "reattach_skills", json!({})));
        }
        let mut texts = std::collections::BTreeSet::new();
        for _ in 0..MAX_REQUESTS - 1 {
            let answer = wire.next();
            let text = answer.pointer("/result/content/0/text").and_then(Value::as_str).unwrap_or_default();
            assert!(text.contains("Read them."), "{answer}");
            texts.insert(text.to_owned());
        }
        assert_eq!(texts.len(), 1, "the same is put back each time");
    }
    is_small("putting back", &wire);
}
