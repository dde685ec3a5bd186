//! What no client should send: errors, and the session goes on.

use super::client::{Client, framed, uri};
use crate::common::Tree;
use crate::program::Place;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

const TEA: &str = "/project/.claude/skills/tea/SKILL.md";
const TEXT: &str = "---\nname: tea\ndescription: Makes tea.\n---\n# Tea\n";

fn place() -> Place {
    Place::of(Tree::default().with(TEA, TEXT))
}

const METHODS: &[&str] = &[
    "textDocument/codeAction",
    "textDocument/completion",
    "textDocument/hover",
    "textDocument/documentLink",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/documentSymbol",
];

#[test]
fn requests_that_cannot_be_answered_are_errors() {
    let place = place();
    let mut client = Client::new(&place, &[]);
    let tea = uri(&place, TEA);
    client.open(&tea, TEXT);
    let beyond = json!({"line": u32::MAX, "character": u32::MAX});
    let backwards = json!({"start": beyond, "end": {"line": 0, "character": 0}});
    for method in METHODS {
        for params in [Value::Null, json!([]), json!({}), json!({"textDocument": {"uri": 7}}), json!("x")] {
            assert_eq!(client.ask(method, params.clone())["error"]["code"], -32602, "{method} {params}");
        }
        let everywhere = |uri: &str| {
            json!({
                "textDocument": {"uri": uri}, "position": beyond, "range": backwards, "newName": "\u{0}",
                "context": {"diagnostics": []}, "query": "\u{0}",
            })
        };
        for unknown in
            ["file:///no/such/SKILL.md", "untitled:Untitled-1", "https://example.com/SKILL.md", "file://host/x"]
        {
            let answer = client.ask(method, everywhere(unknown));
            assert!(answer.get("error").is_some() || answer.get("result").is_some(), "{method} {unknown}: {answer}");
        }
        let answer = client.ask(method, everywhere(&tea));
        assert!(answer.get("error").is_some() || answer.get("result").is_some(), "{method}: {answer}");
    }
    assert_eq!(client.ask("no/such/method", json!({}))["error"]["code"], -32601);
    assert_eq!(client.ask("initialize", json!({}))["error"]["code"], -32600);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn documents_that_are_no_files_are_only_kept() {
    let place = place();
    let mut client = Client::new(&place, &[]);
    let strange = [
        "untitled:Untitled-1",
        "vscode-notebook-cell:/a/SKILL.md#x",
        "file://elsewhere/a/SKILL.md",
        "file:///a%00b/SKILL.md",
        "file:///%ff/SKILL.md",
        "file:relative/SKILL.md",
        "urn:SKILL.md",
    ];
    for uri in strange {
        client.open(uri, TEXT);
        client.change(uri, 2, &json!([{"text": "x"}]));
        client.notify("textDocument/didSave", json!({"textDocument": {"uri": uri}}));
        client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    }
    // What is not open may be changed and closed too, and what is open may not be on the disk, or no longer.
    let gone = uri(&place, "/project/.claude/skills/gone/SKILL.md");
    client.change(&gone, 2, &json!([{"text": "x"}]));
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": gone}}));
    client.open(&gone, TEXT);
    assert_eq!(client.findings(&gone)[0]["code"], "name-mismatch");
    let tea = uri(&place, TEA);
    client.open(&tea, TEXT);
    assert_eq!(client.findings(&tea)[0]["code"], "shadowed");
    std::fs::remove_dir_all(place.at("/project/.claude")).expect("it is ours");
    client.replace(&tea, 2, "---\nname: tea\n---\n");
    let code = |findings: &[Value]| findings.first().map(|finding| finding["code"].clone());
    assert_eq!(code(&client.findings(&tea)), Some(json!("description-missing")));
    // A folder may be in the place of the file by now.
    std::fs::create_dir_all(place.at(TEA)).expect("it is ours");
    client.replace(&tea, 3, TEXT);
    assert_eq!(code(&client.findings(&tea)), Some(json!("no-skill")));
    assert_eq!(client.end(), Some(0));
}

#[test]
fn messages_that_are_none_are_errors_and_the_session_goes_on() {
    let place = place();
    let mut client = Client::new(&place, &[]);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let rows = [
        ("no JSON", b"Content-Length: 3\r\n\r\n{{{".to_vec(), -32700),
        ("not UTF-8", b"Content-Length: 4\r\n\r\n\"\xff\xfe\"".to_vec(), -32700),
        ("too deep", format!("Content-Length: {}\r\n\r\n{deep}", deep.len()).into_bytes(), -32700),
        ("a number", framed(&json!(7)), -32600),
        ("a list", framed(&json!([])), -32600),
        ("no method", framed(&json!({"jsonrpc": "2.0", "id": 9})), -32600),
        ("a method that is no text", framed(&json!({"jsonrpc": "2.0", "id": 9, "method": 7})), -32600),
        ("an id that is none", framed(&json!({"jsonrpc": "2.0", "id": {}, "method": "shutdown"})), -32600),
        ("an id that is too large", framed(&json!({"jsonrpc": "2.0", "id": 1_u64 << 40, "method": "x"})), -32600),
        ("other line ends", b"content-length:2\n\n{}".to_vec(), -32600),
    ];
    for (case, bytes, code) in rows {
        client.raw(&bytes);
        let answer = client.until(|message| message.get("id") == Some(&Value::Null));
        assert_eq!(answer["error"]["code"], code, "{case}");
    }
    // An answer to nothing is nothing.
    client.send(&json!({"jsonrpc": "2.0", "id": "nobody", "result": {}}));
    for method in ["textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "$/setTrace"] {
        for params in [Value::Null, json!([]), json!({"textDocument": 7})] {
            client.notify(method, params);
        }
    }
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_session_begins_and_ends_as_the_protocol_says() {
    let place = place();
    let mut early = Client::silent(&place, &[]);
    assert_eq!(early.ask("textDocument/hover", json!({}))["error"]["code"], -32002);
    assert_eq!(early.ask("shutdown", Value::Null)["error"]["code"], -32002);
    assert_eq!(early.ask("initialize", Value::Null)["error"]["code"], -32602);
    early.notify("exit", Value::Null);
    assert_eq!(early.ended(), Some(1), "it was not shut down");

    let mut late = Client::new(&place, &[]);
    late.request("shutdown", Value::Null);
    assert_eq!(late.ask("textDocument/hover", json!({}))["error"]["code"], -32600);
    late.notify("exit", Value::Null);
    assert_eq!(late.ended(), Some(0));

    assert_eq!(Client::new(&place, &[]).ended(), Some(1), "the input has ended");
    for broken in ["\r\n", "no header\r\n\r\n", "Content-Length: x\r\n\r\n", "Content-Length: -1\r\n\r\n"] {
        let mut client = Client::new(&place, &[]);
        client.raw(broken.as_bytes());
        assert_eq!(client.ended(), Some(1), "{broken:?}");
    }
    // The length is believed as far as there are bytes.
    let mut long = Client::new(&place, &[]);
    long.raw(b"Content-Length: 18446744073709551615\r\n\r\n{}");
    assert_eq!(long.ended(), Some(1));

    let mut nowhere = Client::silent(&place, &["--dialect", "latin"]);
    let answer = nowhere.ask("initialize", json!({"capabilities": {}}));
    assert!(answer["error"]["message"].as_str().is_some_and(|why| why.contains("latin")), "{answer}");
}

#[test]
fn texts_that_are_made_to_be_slow_or_odd_have_answers() {
    let place = place();
    let mut client = Client::new(&place, &[]);
    let tea = uri(&place, TEA);
    client.open(&tea, TEXT);
    let many = |piece: &str| piece.repeat(60_000 / piece.len());
    let texts = [
        many("](<"),
        many("]("),
        many("[a](b/c.md) "),
        many("`a/b` `"),
        many("#\n"),
        many("###### x\n# y\n"),
        many("/tea "),
        many("\r"),
        many("\u{feff}"),
        format!("---\nname: tea\n{}", many("a:\n ")),
        format!("---\nname: tea\nmetadata: {}", many("[")),
        "---\nname: \u{202e}tea\n---\n\u{0}\u{7}".to_owned(),
        String::new(),
    ];
    for (version, text) in texts.iter().enumerate() {
        client.replace(&tea, i32::try_from(version).expect("few") + 2, text);
        for line in [1, 2] {
            let position = json!({"line": line, "character": 200_000});
            let range = json!({"start": {"line": 0, "character": 0}, "end": position});
            let only = json!({"diagnostics": []});
            let params = json!({
                "textDocument": {"uri": tea}, "position": position, "range": range, "context": only, "newName": "new",
            });
            for method in METHODS {
                let answer = client.ask(method, params.clone());
                assert_ne!(answer.pointer("/error/code"), Some(&json!(-32603)), "{method} {:.40}", text);
            }
        }
    }
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_request_that_is_cancelled_has_one_answer() {
    let place = place();
    let mut client = Client::new(&place, &[]);
    let tea = uri(&place, TEA);
    client.open(&tea, TEXT);
    let symbols = |id: i32| json!({"jsonrpc": "2.0", "id": id, "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": tea}}});
    let cancel = json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1001}});
    let together = [symbols(1000), symbols(1001), cancel.clone(), symbols(1002), cancel]
        .iter()
        .flat_map(framed)
        .collect::<Vec<u8>>();
    client.raw(&together);
    for _ in 0..3 {
        let answer = client.until(|message| message.get("id").is_some_and(Value::is_number));
        let code = answer.pointer("/error/code").cloned();
        assert!(code.is_none() || answer["id"] == 1001 && code == Some(json!(-32800)), "{answer}");
    }
    assert_eq!(client.end(), Some(0));
}
