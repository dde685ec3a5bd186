//! A session from beginning to end, as an editor leads it.

use super::client::{Client, framed, position, uri};
use crate::common::Tree;
use crate::program::Place;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

const BROKEN: &str = "---\nname: tea\ndescription: Tea: green 🍵 and black\nversion: 1\n---\n# Tea\n";

const TEA: &str = "/project/.claude/skills/tea/SKILL.md";

fn place() -> Place {
    Place::of(Tree::default().with(TEA, BROKEN))
}

fn codes(findings: &[Value]) -> Vec<&str> {
    findings.iter().map(|finding| finding["code"].as_str().expect("a code")).collect()
}

#[test]
fn a_finding_is_corrected_by_its_action() {
    let place = place();
    let (mut client, answer) = Client::able(&place, &[], json!({"general": {"positionEncodings": ["utf-16"]}}));
    assert_eq!(answer["capabilities"]["positionEncoding"], "utf-16");
    assert_eq!(answer["serverInfo"]["name"], "skilltree");
    let tea = uri(&place, TEA);
    client.open(&tea, BROKEN);
    let findings = client.findings(&tea);
    assert_eq!(codes(&findings), ["yaml-repaired"]);
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    assert_eq!((&finding["severity"], &finding["source"]), (&json!(2), &json!("skilltree")));
    assert_eq!(finding["range"]["start"]["line"], 2);
    assert!(finding["data"]["explanation"].as_str().is_some_and(|text| !text.is_empty()), "{finding}");

    let context = json!({"diagnostics": [finding]});
    let ask = json!({"textDocument": {"uri": tea}, "range": finding["range"], "context": context});
    let actions = client.request("textDocument/codeAction", ask);
    let kinds: Vec<&Value> = actions.as_array().expect("a list").iter().map(|action| &action["kind"]).collect();
    assert_eq!(kinds, ["quickfix", "source.fixAll"]);
    let mended = client.apply(&tea, &actions[0]["edit"]["changes"][&tea]);
    assert_eq!(mended, BROKEN.replace("Tea: green 🍵 and black", "\"Tea: green 🍵 and black\""));
    client.replace(&tea, 2, &mended);
    assert_eq!(client.findings(&tea), Vec::<Value>::new());
    // The server writes nothing itself.
    assert_eq!(place.read(TEA).as_deref(), Some(BROKEN));

    client.notify("textDocument/didClose", json!({"textDocument": {"uri": tea}}));
    assert_eq!(client.findings(&tea), Vec::<Value>::new());
    assert_eq!(client.end(), Some(0));
}

#[test]
fn all_corrections_are_applied_until_none_is_left() {
    let place = place();
    let mut client = Client::new(&place, &[]);
    let tea = uri(&place, TEA);
    let text = "---\r\nname: tea\r\ndescription: Tea: green\r\nlicense: 'MIT\r\n----\r\n# Tea\r\n";
    client.open(&tea, text);
    let findings = client.findings(&tea);
    assert!(1 < findings.iter().filter(|finding| finding["code"] != "too-long").count(), "{findings:?}");
    let nowhere = json!({"start": {"line": 5, "character": 0}, "end": {"line": 5, "character": 0}});
    let all = |only: &Value| json!({"textDocument": {"uri": tea}, "range": nowhere, "context": {"diagnostics": [], "only": only}});
    for only in [json!(["source.fixAll"]), json!(["source"]), json!(["source.fixAll.skilltree"]), json!(["quickfix"])] {
        let actions = client.request("textDocument/codeAction", all(&only));
        let expected = usize::from(matches!(only[0].as_str(), Some("source" | "source.fixAll")));
        assert_eq!(actions.as_array().map(Vec::len), Some(expected), "{only}");
    }
    let actions = client.request("textDocument/codeAction", all(&json!(["source.fixAll"])));
    let fixed = client.apply(&tea, &actions[0]["edit"]["changes"][&tea]);
    assert!(!fixed.replace("\r\n", "").contains(['\r', '\n']), "{fixed:?}");
    client.replace(&tea, 2, &fixed);
    assert_eq!(client.findings(&tea), Vec::<Value>::new(), "{fixed}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn lines_that_are_removed_leave_no_empty_line() {
    let place = place();
    let mut client = Client::new(&place, &[]);
    let tea = uri(&place, TEA);
    let once = "---\nname: tea\ndescription: D\nlicense: MIT\n---\n# Tea\n";
    let twice = once.replace("---\n#", "license: MIT\n---\n#");
    client.open(&tea, &twice);
    let findings = client.findings(&tea);
    assert_eq!(codes(&findings), ["duplicate-key"]);
    let context = json!({"diagnostics": findings});
    let ask = json!({"textDocument": {"uri": tea}, "range": findings[0]["range"], "context": context});
    let actions = client.request("textDocument/codeAction", ask);
    for action in actions.as_array().expect("a list") {
        assert_eq!(client.apply(&tea, &action["edit"]["changes"][&tea]), once, "{action}");
    }
    assert_eq!(actions.as_array().map(Vec::len), Some(2));
    assert_eq!(client.end(), Some(0));
}

#[test]
fn columns_are_counted_as_agreed() {
    let place = place();
    let text = "---\nname: tea\ndescription: a🍵b: x\n---\n";
    let rows = [
        (json!(["utf-8", "utf-16"]), "utf-8", 13 + 1 + 4 + 1),
        (json!(["utf-16", "utf-32"]), "utf-32", 13 + 1 + 1 + 1),
        (json!(["utf-16"]), "utf-16", 13 + 1 + 2 + 1),
        (json!(["utf-7"]), "utf-16", 13 + 1 + 2 + 1),
        (Value::Null, "utf-16", 13 + 1 + 2 + 1),
    ];
    for (offered, agreed, column) in rows {
        let (mut client, answer) = Client::able(&place, &[], json!({"general": {"positionEncodings": offered}}));
        assert_eq!(answer["capabilities"]["positionEncoding"], agreed);
        let tea = uri(&place, TEA);
        client.open(&tea, text);
        let findings = client.findings(&tea);
        assert_eq!(codes(&findings), ["yaml-repaired"], "{offered}");
        assert_eq!(findings[0]["range"]["start"], json!({"line": 2, "character": column}), "{offered}");
    }
}

#[test]
fn a_file_that_the_dialect_reads_as_a_skill_is_one() {
    let command = "/project/.claude/commands/brew.md";
    let text = "---\ndescription: Tea: green\n---\nBrew.\n";
    let readme = "/project/README.md";
    let place = Place::of(Tree::default().with(command, text).with(readme, text));
    let mut client = Client::new(&place, &["--dialect", "claude"]);
    let (command, readme) = (uri(&place, command), uri(&place, readme));
    client.open(&command, text);
    assert_eq!(codes(&client.findings(&command)), ["yaml-repaired"]);
    client.change(&command, 2, &json!([{"text": "---\ndescription: Tea: black\n---\n"}]));
    assert_eq!(codes(&client.findings(&command)), ["yaml-repaired"]);
    client.open(&readme, text);
    assert_eq!(client.findings(&readme), Vec::<Value>::new());
    assert_eq!(client.end(), Some(0));
}

#[test]
fn what_a_discovery_finds_comes_with_opening_and_saving() {
    let mine = "---\nname: tea\ndescription: Makes tea.\n---\n";
    let home = "/home/.claude/skills/tea/SKILL.md";
    let place = Place::of(Tree::default().with(TEA, mine).with(home, mine));
    let mut client = Client::new(&place, &[]);
    let (tea, home) = (uri(&place, TEA), uri(&place, home));
    client.open(&home, mine);
    let findings = client.findings(&home);
    assert_eq!(codes(&findings), ["shadowed"]);
    assert_eq!(findings[0]["severity"], 3);
    assert_eq!(findings[0]["relatedInformation"][0]["location"]["uri"], tea.as_str());
    client.open(&tea, mine);
    assert_eq!(client.findings(&tea), Vec::<Value>::new());
    // The text that is open counts, not that of the disk.
    let other = mine.replace("name: tea", "name: coffee");
    client.replace(&tea, 2, &other);
    assert_eq!(codes(&client.findings(&tea)), ["name-mismatch"]);
    client.notify("textDocument/didSave", json!({"textDocument": {"uri": tea}}));
    assert_eq!(client.findings(&home), Vec::<Value>::new());
    assert_eq!(position(mine, "tea"), json!({"line": 1, "character": 6}));
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_document_that_is_opened_as_it_is_saved_leaves_others_as_they_are() {
    let (other, text) = ("/project/.claude/skills/vat/SKILL.md", BROKEN.replace("name: tea", "name: vat"));
    let home = "/home/.claude/skills/tea/SKILL.md";
    let place = Place::of(Tree::default().with(home, BROKEN).with(other, text.as_str()));
    let mut client = Client::new(&place, &[]);
    let (tea, vat) = (uri(&place, home), uri(&place, other));
    client.open(&tea, BROKEN);
    assert_eq!(codes(&client.findings(&tea)), ["yaml-repaired"]);
    // Findings about several documents come in the order of their addresses.
    let published = |client: &mut Client| {
        let next = client.until(|message| message["method"] == "textDocument/publishDiagnostics");
        next["params"]["uri"].as_str().expect("an address").to_owned()
    };
    client.open(&vat, &text);
    assert_eq!(published(&mut client), vat, "nothing new about the first");
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": vat}}));
    assert_eq!(client.findings(&vat), Vec::<Value>::new());
    client.open(&vat, &text.replace("name: vat", "name: tea"));
    assert_eq!(codes(&client.findings(&tea)), ["yaml-repaired", "shadowed"], "they have one name now");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn what_has_changed_on_the_disk_comes_with_opening() {
    let mine = "---\nname: tea\ndescription: Makes tea.\n---\n";
    let wrong = mine.replace("name: tea", "name: coffee");
    let (cup, text) = ("/project/.claude/skills/cup/SKILL.md", mine.replace("tea", "cup"));
    let home = "/home/.claude/skills/tea/SKILL.md";
    let place = Place::of(Tree::default().with(TEA, wrong.as_str()).with(cup, text.as_str()).with(home, mine));
    let mut client = Client::new(&place, &[]);
    let (tea, cup, home) = (uri(&place, TEA), uri(&place, cup), uri(&place, home));
    client.open(&tea, &wrong);
    assert_eq!(codes(&client.findings(&tea)), ["name-mismatch"]);
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": tea}}));
    assert_eq!(client.findings(&tea), Vec::<Value>::new());
    client.open(&home, mine);
    assert_eq!(client.findings(&home), Vec::<Value>::new());
    place.write(TEA, mine);
    client.open(&tea, mine);
    assert_eq!(codes(&client.findings(&home)), ["shadowed"]);
    assert_eq!(client.findings(&tea), Vec::<Value>::new());
    // The file that is opened need not be the one that has changed.
    std::fs::remove_dir_all(place.at("/project/.claude/skills/tea")).expect("it is ours");
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": tea}}));
    assert_eq!(client.findings(&home), Vec::<Value>::new());
    place.write(TEA, mine);
    client.open(&cup, &text);
    assert_eq!(codes(&client.findings(&home)), ["shadowed"]);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn files_of_skills_commands_and_settings_are_watched() {
    let place = place();
    let (mut client, _) =
        Client::able(&place, &[], json!({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}}));
    let asked = client.until(|message| message["method"] == "client/registerCapability");
    let watchers = &asked["params"]["registrations"][0]["registerOptions"]["watchers"];
    let mut globs: Vec<&Value> =
        watchers.as_array().expect("a list").iter().map(|watcher| &watcher["globPattern"]).collect();
    globs.sort_by_key(|glob| glob.to_string());
    assert_eq!(globs, ["**/*.[mM][dD]", "**/*.json", "**/*.jsonc", "**/*.toml", "**/*.yaml"]);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_skill_that_is_not_saved_yet_is_found() {
    let text = |name: &str| format!("---\nname: {name}\ndescription: Makes it.\n---\n");
    let tree = Tree::default().with(TEA, text("tea")).with_dir("/project/.claude/skills/empty");
    let place = Place::of(tree.with_link("/project/.agents/skills", "../.claude/skills"));
    let mut client = Client::new(&place, &[]);
    let tea = uri(&place, TEA);
    client.open(&tea, &text("tea"));
    let names = |client: &mut Client| {
        let found = client.request("workspace/symbol", json!({"query": ""}));
        found.as_array().expect("a list").iter().map(|symbol| symbol["name"].clone()).collect::<Vec<Value>>()
    };
    assert_eq!(names(&mut client), ["tea"]);
    for path in ["project/.claude/skills/empty", "project/.agents/skills/new", "home/.agents/skills/mug"] {
        let (skill, name) = (uri(&place, &format!("/{path}/SKILL.md")), path.rsplit('/').next().expect("a name"));
        client.open(&skill, &text(name));
        assert_eq!(client.findings(&skill), Vec::<Value>::new(), "{path}");
        let mut found = names(&mut client);
        found.retain(|found| found != "tea");
        assert_eq!(found, [name], "{path}");
        let on_name = json!({"textDocument": {"uri": skill}, "position": {"line": 1, "character": 7}});
        let hover = client.request("textDocument/hover", on_name.clone())["contents"]["value"].to_string();
        assert!(hover.contains("**in-use**"), "{hover}");
        assert_eq!(client.request("textDocument/prepareRename", on_name)["placeholder"], name);
        client.notify("textDocument/didClose", json!({"textDocument": {"uri": skill}}));
        assert_eq!(names(&mut client), ["tea"], "{path}");
    }
    // A path that is too long for the system is no reason to fail.
    let long = uri(&place, &format!("/project{}/SKILL.md", "/a".repeat(100_000)));
    client.open(&long, &text("a"));
    assert_eq!(names(&mut client), ["tea"]);
    assert_eq!(client.end(), Some(0));
}

/// The text of the document with all corrections.
#[track_caller]
fn corrected(client: &mut Client, uri: &str) -> String {
    let nowhere = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}});
    let context = json!({"diagnostics": [], "only": ["source.fixAll"]});
    let ask = json!({"textDocument": {"uri": uri}, "range": nowhere, "context": context});
    let actions = client.request("textDocument/codeAction", ask);
    actions[0]["edit"]["changes"][uri][0]["newText"].as_str().expect("a text").to_owned()
}

#[test]
fn a_file_that_is_open_twice_has_two_texts() {
    let (real, link) = ("/project/.agents/skills/tea/SKILL.md", "/project/.claude/skills/tea");
    let place = Place::of(Tree::default().with(real, BROKEN).with_link(link, "../../.agents/skills/tea"));
    let tea = uri(&place, real);
    let (mine, theirs) = (BROKEN.replace("green 🍵", "iced"), BROKEN.replace("name: tea", "name: pot"));
    let fixed = |text: &str| text.replace("Tea: ", "\"Tea: ").replace(" black", " black\"");
    let twins = [(uri(&place, &format!("{link}/SKILL.md")), false), (tea.replace("/tea/", "/t%65a/"), true)];
    for (twin, is_same_path) in twins {
        let mut client = Client::new(&place, &[]);
        let close = |client: &mut Client, uri: &str| {
            client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
        };
        let names = |client: &mut Client| {
            let found = client.request("workspace/symbol", json!({"query": ""}));
            found.as_array().expect("a list").iter().map(|symbol| symbol["name"].clone()).collect::<Vec<Value>>()
        };
        client.open(&tea, &mine);
        client.open(&twin, BROKEN);
        assert_eq!(corrected(&mut client, &tea), fixed(&mine), "{twin}");
        assert_eq!(corrected(&mut client, &twin), fixed(BROKEN), "{twin}");
        client.replace(&twin, 2, &theirs);
        client.notify("textDocument/didSave", json!({"textDocument": {"uri": twin}}));
        assert_eq!(corrected(&mut client, &tea), fixed(&mine), "{twin}");
        assert_eq!(corrected(&mut client, &twin), fixed(&theirs), "{twin}");
        // The edits of a file are those of one document.
        let on_name = json!({"textDocument": {"uri": tea}, "position": position(BROKEN, "tea")});
        let refused = client.ask("textDocument/prepareRename", on_name).get("error").is_some();
        assert_eq!(refused, is_same_path, "{twin}");
        assert_eq!(names(&mut client), [if is_same_path { "pot" } else { "tea" }], "{twin}");
        close(&mut client, &twin);
        assert_eq!(corrected(&mut client, &tea), fixed(&mine), "{twin}");
        assert_eq!(names(&mut client), ["tea"], "{twin}");
        client.open(&twin, &theirs);
        close(&mut client, &tea);
        assert_eq!(corrected(&mut client, &twin), fixed(&theirs), "{twin}");
        assert_eq!(names(&mut client), ["pot"], "{twin}");
        assert_eq!(client.end(), Some(0), "{twin}");
    }
}

/// All messages of a session in one piece, as a script writes them.
fn at_once(root: Value, document: &str, text: &str) -> Vec<u8> {
    let say = |mut message: Value| {
        message["jsonrpc"] = json!("2.0");
        framed(&message)
    };
    let range = json!({"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 1}});
    let opened = json!({"uri": document, "languageId": "markdown", "version": 1, "text": text});
    let actions = json!({"textDocument": {"uri": document}, "range": range, "context": {"diagnostics": []}});
    [
        say(json!({"id": 1, "method": "initialize", "params": {"rootUri": root, "capabilities": {}}})),
        say(json!({"method": "initialized", "params": {}})),
        say(json!({"method": "textDocument/didOpen", "params": {"textDocument": opened}})),
        say(json!({"id": 2, "method": "textDocument/codeAction", "params": actions})),
        say(json!({"id": 3, "method": "shutdown"})),
        say(json!({"method": "exit"})),
    ]
    .concat()
}

#[test]
fn messages_that_come_at_once_are_all_answered() {
    let place = place();
    let check = |case: &str, root: Value, document: &str, expect: &[&str]| {
        let mut client = Client::silent(&place, &[]);
        let document = uri(&place, document);
        client.raw(&at_once(root, &document, BROKEN));
        // Findings may be sent as soon as the document is open, or only before the session ends.
        let said = client.rest();
        let answer =
            |id: i32| said.iter().find(|message| message["id"] == id).unwrap_or_else(|| panic!("{case}: {id}"));
        let actions = answer(2)["result"].as_array().unwrap_or_else(|| panic!("{case}: {}", answer(2)));
        let kinds: Vec<&Value> = actions.iter().map(|one| &one["kind"]).collect();
        assert_eq!(kinds, ["quickfix", "source.fixAll"], "{case}");
        let is_about = |message: &&Value| message["params"]["uri"] == document.as_str();
        let findings = said.iter().rfind(is_about).unwrap_or_else(|| panic!("{case}: no findings"));
        assert_eq!(codes(findings["params"]["diagnostics"].as_array().expect("a list")), expect, "{case}");
        assert_eq!(answer(3)["result"], Value::Null, "{case}");
        assert_eq!(client.ended(), Some(0), "{case}");
    };
    let project = json!(uri(&place, "/project"));
    check("in the project", project.clone(), TEA, &["yaml-repaired"]);
    check("without a root", Value::Null, TEA, &["yaml-repaired"]);
    let (new, other) = ("/project/.claude/skills/pots/tea/SKILL.md", "/elsewhere/new/tea/SKILL.md");
    check("a folder that is not there yet", project, new, &["yaml-repaired"]);
    check("one without a root", Value::Null, other, &["yaml-repaired"]);
    check("a root that is not there yet", json!(uri(&place, "/elsewhere")), other, &["yaml-repaired"]);
}
