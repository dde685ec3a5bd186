//! What no client should send, line by line over plain pipes: errors, and the server goes on; and how it ends.

use super::{FILES, PATIENCE};
use crate::common::living::{gone, left_in, soon};
use crate::program::Place;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

pub(super) const HELLO: &str = r#"{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#;

/// A request of the revision 2026-07-28, which needs no session.
pub(super) fn alone(id: &str, method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// The binary with plain pipes.
pub(super) struct Wire {
    pub(super) child: Child,
    pub(super) input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Wire {
    pub(super) fn new(place: &Place, words: &[&str]) -> Wire {
        Wire::with_errors(place, words, Stdio::null())
    }

    pub(super) fn with_errors(place: &Place, words: &[&str], errors: Stdio) -> Wire {
        let mut command = place.command(words);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors).spawn().expect("it starts");
        let (send, lines) = channel();
        let output = child.stdout.take().expect("a pipe");
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Wire { input: child.stdin.take(), child, lines }
    }

    pub(super) fn send(&mut self, line: impl AsRef<[u8]>) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(line.as_ref()).and_then(|()| input.write_all(b"\n")).expect("the server reads");
    }

    #[track_caller]
    pub(super) fn next(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("a line in time");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The answer to a request of this id; others are passed over.
    #[track_caller]
    pub(super) fn answer(&self, id: &Value) -> Value {
        loop {
            let next = self.next();
            if next.get("id").unwrap_or(&Value::Null) == id {
                return next;
            }
        }
    }

    pub(super) fn ended(&mut self) -> Option<i32> {
        let mut status = None;
        assert!(soon(|| {
            status = self.child.try_wait().expect("the process is ours");
            status.is_some()
        }));
        status.and_then(|status| status.code())
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn what_is_no_request_is_an_error_and_the_server_goes_on() {
    let place = Place::served(&[]);
    let mut wire = Wire::new(&place, &[]);
    for early in [r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, "no JSON", "", "\u{feff}", "{}{}"] {
        wire.send(early);
    }
    for first in ["ping", "tools/list"] {
        wire.send(json!({"jsonrpc": "2.0", "id": first, "method": first}).to_string());
        wire.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        wire.send(r#"{"jsonrpc":"2.0","id":"nobody","result":{}}"#);
        assert_eq!(wire.answer(&json!(first)).get("result").is_some(), first == "ping", "before the session");
    }
    wire.send(HELLO);
    assert!(wire.answer(&json!("hello")).get("result").is_some());
    let (long, fits) = ("x".repeat(10 << 20), "x".repeat(1 << 20));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let rows = [
        ("an unknown method", json!({"method": "nothing/at/all", "params": {}}), -32601),
        ("an unknown method of ours", json!({"method": "skills/delete"}), -32601),
        ("a list for parameters", json!({"method": "tools/call", "params": []}), -32602),
        ("no parameters", json!({"method": "tools/call"}), -32602),
        ("parameters of another type", json!({"method": "resources/read", "params": {"uri": 7}}), -32602),
        ("a bad cursor", json!({"method": "skills/list", "params": {"cursor": "x"}}), -32602),
        ("no text", json!({"method": "prompts/get", "params": {"name": null}}), -32602),
        ("no list of arguments", json!({"method": "tools/call", "params": {"name": "x", "arguments": 1}}), -32602),
        ("an address that climbs", json!({"method": "skills/get", "params": {"uri": "skill://x/../SKILL.md"}}), -32602),
        ("an address without end", json!({"method": "resources/read", "params": {"uri": long}}), -32002),
        ("a long address", json!({"method": "resources/read", "params": {"uri": fits}}), -32002),
        ("a long method", json!({"method": fits}), -32601),
        ("a long name of a prompt", json!({"method": "prompts/get", "params": {"name": fits}}), -32602),
        ("a long cursor", json!({"method": "skills/list", "params": {"cursor": fits}}), -32602),
        ("a long name", json!({"method": "tools/call", "params": {"name": fits}}), -32602),
        ("a name without end", json!({"method": "tools/call", "params": {"name": long}}), -32602),
    ];
    for (n, (case, request, code)) in rows.into_iter().enumerate() {
        let mut request = request;
        request["jsonrpc"] = json!("2.0");
        request["id"] = json!(n);
        let line = request.to_string();
        wire.send(&line);
        let is_too_long = line.len() > 4_194_304;
        let answer = wire.answer(&if is_too_long { Value::Null } else { json!(n) });
        let code = if is_too_long { -32600 } else { code };
        assert_eq!(answer["error"]["code"], json!(code), "{case}");
        assert!(answer.to_string().len() < 1_200, "{case}: an error repeats little of what came");
    }
    let arguments = json!({"name": fits});
    let params = json!({"name": "activate_skill", "arguments": arguments});
    wire.send(json!({"jsonrpc": "2.0", "id": "tool", "method": "tools/call", "params": params}).to_string());
    let answer = wire.answer(&json!("tool"));
    assert_eq!(answer["result"]["isError"], json!(true));
    assert!(answer.to_string().len() < 3_000, "a refusal repeats little of what came: {answer}");
    for odd in [r#"{"jsonrpc":"1.0","id":"odd","method":"ping"}"#, r#"{"id":"odd","method":"ping"}"#, r#"{"id":"odd"}"#]
    {
        wire.send(odd);
        assert_eq!(wire.answer(&json!("odd"))["error"]["code"], json!(-32600), "{odd}");
    }
    let half = r#"{"jsonrpc":"2.0","method":"x","params":{"a":"\ud800","id":1},"id":"half"}"#;
    let rows: [(&str, &[u8], i32, Value); 17] = [
        ("no JSON", b"no JSON", -32700, Value::Null),
        ("no UTF-8", &[0xff, 0xfe, 0x00], -32700, Value::Null),
        ("two in a line", b"{}{}", -32700, Value::Null),
        ("lists in lists", deep.as_bytes(), -32700, Value::Null),
        ("half a request", br#"{"jsonrpc":"2.0","id":7,"method":"ping""#, -32700, json!(7)),
        ("half an id", br#"{"jsonrpc":"2.0","id":7"#, -32700, Value::Null),
        ("half a surrogate", half.as_bytes(), -32700, json!("half")),
        ("a number too large", br#"{"id":-8,"jsonrpc":"2.0","method":"x","params":{"a":1e400}}"#, -32700, json!(-8)),
        ("a nested id", br#"{"params":{"id":1},"method":"x","a":"\"id\":2",}"#, -32700, Value::Null),
        ("bytes in a text", b"{\"id\": \"b\", \"jsonrpc\":\"2.0\",\"method\":\"\xff\"}", -32700, json!("b")),
        ("a number with a fraction", br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, Value::Null),
        ("a number of 65 bits", br#"{"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"}"#, -32600, Value::Null),
        ("a number of 64 bits", br#"{"jsonrpc":"2.0","id":9223372036854775808,"method":"ping"}"#, -32600, Value::Null),
        ("no id", br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, Value::Null),
        ("a list for an id", br#"{"jsonrpc":"2.0","id":[],"method":"ping"}"#, -32600, Value::Null),
        ("several at once", br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, Value::Null),
        ("a text", br#""ping""#, -32600, Value::Null),
    ];
    for (case, line, code, id) in rows {
        wire.send(line);
        let answer = wire.next();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{case}: {answer}");
        assert!(answer.as_object().is_some_and(|fields| fields.contains_key("id")), "{case}: the id is there");
    }
    wire.send(r#"{"jsonrpc":"2.0","id":7,"error":"an answer that is none"}"#);
    let too_deep = format!(r#"{{"a":{deep},"jsonrpc":"2.0","method":"ping","id":"deep"}}"#);
    wire.send(too_deep);
    assert_eq!(wire.next()["id"], json!("deep"));
    wire.send(format!(r#"{{"jsonrpc":"2.0","method":"notifications/{}"}}"#, "x".repeat(100_000)));
    wire.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"nobody"}}"#);
    wire.send(r#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#);
    assert!(wire.answer(&json!("last")).get("result").is_some(), "it lives");
    drop(wire.input.take());
    assert_eq!(wire.ended(), Some(0));
}

#[test]
fn what_is_not_taken_is_named_with_what_is() {
    let place = Place::served(&[]);
    let mut wire = Wire::new(&place, &[]);
    wire.send(HELLO);
    let rows = [
        ("skills/get", json!({"uri": 7}), "expected `uri`, a string"),
        ("resources/directory/read", json!({}), "expected `uri`, a string, and optionally `cursor`"),
        ("tools/call", json!({"name": "x", "arguments": 1}), "expected `name`, a string, and optionally `arguments`"),
        ("skills/list", json!({"cursor": 5}), "`cursor`"),
        ("resources/list", json!({"cursor": []}), "`cursor`"),
        ("tools/list", json!({"cursor": {}}), "`cursor`"),
        ("prompts/list", json!({"cursor": true}), "`cursor`"),
        ("resources/templates/list", json!({"cursor": 5}), "`cursor`"),
        ("resources/directory/read", json!({"uri": "skill://project-agents/pdf", "cursor": 5}), "optionally `cursor`"),
    ];
    for (n, (method, params, part)) in rows.into_iter().enumerate() {
        wire.send(json!({"jsonrpc": "2.0", "id": n, "method": method, "params": params}).to_string());
        let answer = wire.answer(&json!(n));
        assert_eq!(answer["error"]["code"], json!(-32602), "{method} {params}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap_or_default().contains(part), "{method}: {answer}");
    }
}

#[test]
fn results_of_skills_say_that_they_are_whole_in_every_session() {
    let place = Place::served(&[]);
    let older = HELLO.replace("2025-11-25", "2024-11-05");
    for hello in [HELLO, &older] {
        let mut wire = Wire::new(&place, &[]);
        wire.send(hello);
        let pdf = "skill://project-agents/pdf";
        let rows = [
            ("skills/list", json!({})),
            ("skills/get", json!({"uri": format!("{pdf}/SKILL.md")})),
            ("resources/read", json!({"uri": format!("{pdf}/SKILL.md")})),
            ("resources/directory/read", json!({"uri": pdf})),
        ];
        for (method, params) in rows {
            wire.send(json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params}).to_string());
            let result = wire.answer(&json!(method))["result"].clone();
            let said = (&result["resultType"], result["ttlMs"].is_u64(), &result["cacheScope"]);
            assert_eq!(said, (&json!("complete"), true, &json!("private")), "{method}: {result}");
        }
    }
}

#[test]
fn every_result_names_the_server_where_there_is_no_session() {
    let place = Place::served(&[]);
    let mut wire = Wire::new(&place, &[]);
    let pdf = "skill://project-agents/pdf";
    let filled = json!({"ref": {"type": "ref/prompt", "name": "pdf"}, "argument": {"name": "arguments", "value": ""}});
    let rows = [
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("tools/call", json!({"name": "activate_skill", "arguments": {"name": "pdf"}})),
        ("tools/call", json!({"name": "activate_skill", "arguments": {"name": "none"}})),
        ("prompts/list", json!({})),
        ("prompts/get", json!({"name": "pdf"})),
        ("completion/complete", filled),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": format!("{pdf}/SKILL.md")})),
        ("resources/directory/read", json!({"uri": pdf})),
        ("skills/list", json!({})),
        ("skills/get", json!({"uri": format!("{pdf}/SKILL.md")})),
    ];
    for (n, (method, params)) in rows.iter().enumerate() {
        wire.send(alone(&n.to_string(), method, params.clone()));
        let result = wire.answer(&json!(n.to_string()))["result"].clone();
        let server = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
        let said = (&result["resultType"], &server["name"], server["version"].is_string());
        assert_eq!(said, (&json!("complete"), &json!("skilltree"), true), "{method}: {result}");
    }
    let mut wire = Wire::new(&place, &[]);
    wire.send(HELLO);
    for (n, (method, params)) in rows.iter().enumerate().skip(1) {
        wire.send(json!({"jsonrpc": "2.0", "id": n, "method": method, "params": params}).to_string());
        let result = wire.answer(&json!(n))["result"].clone();
        assert!(result.is_object() && !result.to_string().contains("serverInfo"), "{method}: {result}");
    }
}

#[test]
fn a_method_that_there_is_not_is_named() {
    let place = Place::served(&[]);
    let hello: Value = serde_json::from_str(HELLO).expect("JSON");
    let mut wire = Wire::new(&place, &[]);
    for _ in 0..2 {
        let rows = [
            ("initialize", hello["params"].clone()),
            ("initialize", json!({})),
            ("ping", json!({})),
            ("logging/setLevel", json!({"level": "info"})),
            ("resources/subscribe", json!({"uri": "skill://project-agents/pdf/SKILL.md"})),
            ("tasks/get", json!({"taskId": "x"})),
            ("nothing/at/all", json!({})),
        ];
        for (method, params) in rows {
            wire.send(alone(method, method, params));
            let error = wire.answer(&json!(method))["error"].clone();
            // Before the first request of another kind either sort of connection may follow.
            if method != "ping" || error.is_object() {
                let said = (&error["code"], &error["message"]);
                assert_eq!(said, (&json!(-32601), &json!(format!("unknown method `{method}`"))), "{error}");
            }
        }
    }
}

#[test]
fn an_error_about_a_resource_repeats_its_uri() {
    let place = Place::served(&[]);
    let mut wire = Wire::new(&place, &[]);
    wire.send(HELLO);
    let long = format!("skill://x/{}/SKILL.md", "x".repeat(3_000));
    for method in ["resources/read", "resources/directory/read", "skills/get"] {
        for uri in ["skill://x/none/SKILL.md", "https://example.org/SKILL.md", &long] {
            wire.send(json!({"jsonrpc": "2.0", "id": uri, "method": method, "params": {"uri": uri}}).to_string());
            let error = wire.answer(&json!(uri))["error"].clone();
            let expect = match (method, uri.len() < 2_048) {
                ("resources/read", true) => json!({"uri": uri}),
                ("resources/read", false) => Value::Null,
                (_, true) => json!({"code": "not-served", "uri": uri}),
                (_, false) => json!({"code": "not-served"}),
            };
            assert_eq!(error.get("data").unwrap_or(&Value::Null), &expect, "{method}");
        }
    }
}

/// The SDKs for JavaScript end the connection at a message of 10 MiB.
#[test]
fn an_answer_that_clients_cannot_take_is_an_error() {
    let place = Place::served(&[]);
    // In skills of their own: a skill has 16 MiB.
    let files: [(&str, Vec<u8>, bool); 4] = [
        ("tool/fits.txt", vec![b'x'; 9_900_000], true),
        ("pdf/long.txt", vec![b'x'; 10_000_000], false),
        ("quiet/escaped.txt", vec![b'\n'; 5_000_000], false),
        ("other/large.bin", vec![0xff; 7_500_000], false),
    ];
    for (name, bytes, _) in &files {
        let skill = name.split('/').next().unwrap_or_default();
        let text = format!("---\nname: {skill}\ndescription: Large.\n---\n");
        place.write(&format!("project/.agents/skills/{skill}/SKILL.md"), &text);
        std::fs::write(place.at(&format!("project/.agents/skills/{name}")), bytes).expect("a file can be written");
    }
    let mut wire = Wire::new(&place, &[]);
    wire.send(HELLO);
    for (name, _, fits) in files {
        let params = json!({"uri": format!("skill://project-agents/{name}")});
        wire.send(json!({"jsonrpc": "2.0", "id": name, "method": "resources/read", "params": params}).to_string());
        let answer = wire.answer(&json!(name));
        assert_eq!(answer.get("result").is_some(), fits, "{name}");
        if !fits {
            assert_eq!(answer["error"]["code"], json!(-32603), "{name}: {answer}");
            let message = answer["error"]["message"].as_str().unwrap_or_default();
            assert!(
                message.contains("expected at most 10000000") && message.contains("`read_skill_file`"),
                "{message}"
            );
        }
    }
    // A list is split.
    for n in 0..20 {
        // Each mark takes two bytes in JSON.
        let text = format!("---\nname: large-{n}\ndescription: Large.\nnotes: '{}'\n---\n", "\"".repeat(250_000));
        place.write(&format!("project/.agents/skills/large-{n}/SKILL.md"), &text);
    }
    let (mut cursor, mut sizes) = (Value::Null, Vec::new());
    while sizes.is_empty() || !cursor.is_null() {
        let id = json!(sizes.len());
        let params = json!({"cursor": cursor});
        wire.send(json!({"jsonrpc": "2.0", "id": id, "method": "skills/list", "params": params}).to_string());
        let result = wire.answer(&id)["result"].clone();
        sizes.push(result["skills"].as_array().map_or(0, Vec::len));
        cursor = result["nextCursor"].clone();
    }
    assert_eq!(sizes, [1 + 9, 9, 2 + 5], "half a megabyte each, beside those that are small");
}

#[test]
fn an_output_that_nobody_reads_ends_the_server() {
    let place = Place::served(&[]);
    let mut wire = Wire::new(&place, &[]);
    wire.send(HELLO);
    assert!(wire.answer(&json!("hello")).get("result").is_some());
    drop(std::mem::replace(&mut wire.lines, channel().1));
    // The thread that reads sees that its lines are not wanted, and closes the pipe: so write until the end.
    let input = wire.input.as_mut().expect("the input is open");
    let ping = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    assert!(soon(|| input.write_all(ping).is_err()), "the server reads on");
    wire.ended();
}

#[test]
fn answers_come_before_the_end() {
    let place = Place::served(&[]);
    let mut wire = Wire::new(&place, &[]);
    wire.send(HELLO);
    for id in 0..50 {
        wire.send(json!({"jsonrpc": "2.0", "id": id, "method": "skills/list"}).to_string());
    }
    drop(wire.input.take());
    let mut ids: Vec<u64> = (0..51).filter_map(|_| wire.next()["id"].as_u64()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..50).collect::<Vec<_>>());
    assert_eq!(wire.ended(), Some(0));
}

#[test]
fn an_input_that_ends_at_once_or_within_a_line_is_an_end() {
    let place = Place::served(&[]);
    for (part, code) in [("", None), ("{\"jsonrpc\"", Some(-32700)), ("\n\n", None), (" ", None)] {
        let mut wire = Wire::new(&place, &[]);
        wire.input.as_mut().unwrap().write_all(part.as_bytes()).unwrap();
        drop(wire.input.take());
        if let Some(code) = code {
            assert_eq!(wire.next()["error"]["code"], json!(code), "{part:?}");
        }
        assert_eq!(wire.ended(), Some(0), "{part:?}");
        assert!(wire.lines.recv().is_err(), "nothing is said to nobody");
    }
    let mut wire = Wire::new(&place, &[]);
    wire.send(HELLO);
    let last = r#"{"jsonrpc":"2.0","id":"last","method":"resources/list"}"#;
    wire.input.as_mut().unwrap().write_all(last.as_bytes()).unwrap();
    drop(wire.input.take());
    assert!(wire.answer(&json!("last")).get("result").is_some(), "a last line need not end");
    assert_eq!(wire.ended(), Some(0));
}

#[test]
fn signals_end_the_server_and_what_runs() {
    let place = Place::served(&[]);
    for (signal, session) in [("TERM", true), ("INT", true), ("HUP", true), ("QUIT", true), ("TERM", false)] {
        let mut wire = Wire::new(&place, &["--allow-run"]);
        let file = place.at(&format!("pid-{signal}"));
        let mut pid = None;
        if session {
            wire.send(HELLO);
            let arguments = json!({"skill": "tool", "script": "hang.sh", "args": [file]});
            let params = json!({"name": "run_skill_script", "arguments": arguments});
            wire.send(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string());
            pid = Some(left_in(&file));
        } else {
            // It listens for signals once it answers.
            wire.send(r#"{"jsonrpc":"2.0","id":"early","method":"ping"}"#);
            wire.answer(&json!("early"));
        }
        let told = Command::new("kill").args([format!("-{signal}"), wire.child.id().to_string()]).status();
        assert!(told.expect("kill runs").success());
        assert_eq!(wire.ended(), Some(0), "{signal}");
        if let Some(pid) = pid {
            gone(signal, &pid);
        }
    }
}

#[test]
fn subscriptions_are_completed_at_the_end() {
    let place = Place::served(&[]);
    for by_signal in [true, false] {
        let mut wire = Wire::new(&place, &[]);
        wire.send(alone("changes", "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})));
        assert_eq!(wire.next()["method"], json!("notifications/subscriptions/acknowledged"));
        if by_signal {
            let told = Command::new("kill").args(["-TERM", &wire.child.id().to_string()]).status();
            assert!(told.expect("kill runs").success());
        } else {
            drop(wire.input.take());
        }
        let result = wire.answer(&json!("changes"))["result"].clone();
        assert_eq!(result["resultType"], json!("complete"), "{result}");
        assert_eq!(wire.ended(), Some(0));
    }
}

#[test]
fn nothing_but_the_protocol_goes_to_standard_output() {
    let broken = ("/project/.agents/skills/broken/SKILL.md", "---\nname: broken\n---\nNo description.\n");
    assert!(FILES.iter().all(|(path, _)| *path != broken.0));
    let place = Place::served(&[broken]);
    let mut command = place.command(&["--json"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{HELLO}").unwrap();
    drop(input);
    let (mut out, mut err) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!((child.wait().unwrap().code(), out.lines().count()), (Some(0), 1), "{out}{err}");
    assert!(err.contains("description-missing"), "what is found is told elsewhere: {err}");
    let none = place.say(&["--project", "/no/such/folder"]);
    assert_eq!((none.code, none.out.as_str()), (Some(2), ""), "{}", none.err);
}
