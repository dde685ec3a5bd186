//! What helps to write a skill: completion, hover, links, rename and symbols.

use super::client::{Client, applied, position, uri};
use crate::common::Tree;
use crate::program::Place;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

const TEA: &str = "/project/.claude/skills/tea/SKILL.md";
const COFFEE: &str = "/project/.claude/skills/coffee/SKILL.md";

const TEXT: &str = "---\nname: tea\ndescription: Makes 🍵 *now* <b>.\nallowed-tools: Bash(kettle *)\n---\n# Tea\n\
    Run `scripts/boil.sh`, see [more](references/more.md#x), [gone](gone.md), [out](../../../../secret.md),\n\
    [link](linked.md) and [web](https://example.com/a.md).\n## Hot\n### Very\n```\n# no heading, [no](scripts/boil.sh)\n```\n## Cold\n";

fn place() -> Place {
    let coffee = "---\nname: coffee\ndescription: Makes coffee.\nmodel: opus\n---\n\
        Use /tea first, then the `tea` skill, not `tea` or /tea-pot; see [tea](../tea/SKILL.md) and x/tea.\n";
    Place::of(
        Tree::default()
            .with(TEA, TEXT)
            .with(COFFEE, coffee)
            .with("/project/.claude/skills/tea/scripts/boil.sh", "")
            .with("/project/.claude/skills/tea/references/more.md", "")
            .with("/project/.claude/skills/tea/toolsets/pots/index.cts", "")
            .with("/secret.md", "")
            .with_link("/project/.claude/skills/tea/linked.md", "../../../../secret.md"),
    )
}

fn at(uri: &str, position: &Value) -> Value {
    json!({"textDocument": {"uri": uri}, "position": position})
}

fn labels(items: &Value) -> Vec<&str> {
    items.as_array().expect("a list").iter().map(|item| item["label"].as_str().expect("a text")).collect()
}

#[test]
fn completion_knows_fields_values_files_and_skills() {
    let place = place();
    let mut client = Client::new(&place, &["--dialect", "claude"]);
    let tea = uri(&place, TEA);
    client.open(&tea, TEXT);
    // The cursor is at `|`.
    let rows: &[(&str, &[&str], &[&str])] = &[
        ("---\n|\n---\n", &["name", "description", "context", "metadata"], &["tea"]),
        ("---\nname: x\n|\n---\n", &["description"], &["name"]),
        ("---\nname: x\ndes|", &["description"], &["name"]),
        ("---\r\nname: x\r\ndes|", &["description"], &["name"]),
        ("---\nname: |\n---\n", &["tea"], &["coffee"]),
        ("---\ncontext: |\n---\n", &["fork", "inline"], &[]),
        ("---\ncontext: f|\n---\n", &["fork"], &["inline"]),
        ("---\nuser-invocable: |", &["true", "false"], &[]),
        ("---\nmodel: |\n---\n", &["opus"], &[]),
        ("---\nallowed-tools: Read, |\n---\n", &["Skill"], &["opus"]),
        ("---\nallowed-tools: [Read, S|]\n---\n", &["Skill"], &[]),
        ("---\nallowed-tools:\n  - S|\n---\n", &["Skill"], &[]),
        ("---\nno-such-field: |\n---\n", &[], &["true"]),
        ("---\nmetadata:\n  |\n---\n", &[], &["name"]),
        ("---\nname: x\n---\nsee [x](re|", &["references/more.md"], &["scripts/boil.sh"]),
        ("---\nname: x\n---\nsee [x](./scr|)\n", &["scripts/boil.sh"], &[]),
        ("---\nname: x\n---\nrun `scr|", &["scripts/boil.sh"], &["references/more.md"]),
        ("---\nname: x\n---\nuse /c|", &["coffee"], &["tea"]),
        ("---\nname: x\n---\n```\nuse /c|\n```\n", &[], &["coffee"]),
        ("|", &[], &["name"]),
        ("|---\n", &[], &["name"]),
        ("---\n---\nname|", &[], &["name"]),
    ];
    for (version, (row, expected, absent)) in rows.iter().enumerate() {
        let text = row.replace('|', "");
        client.replace(&tea, i32::try_from(version).expect("few") + 2, &text);
        let items = client.request("textDocument/completion", at(&tea, &position(row, "|")));
        let labels = labels(&items);
        assert!(expected.iter().all(|label| labels.contains(label)), "{row:?}: {labels:?}");
        assert!(absent.iter().all(|label| !labels.contains(label)), "{row:?}: {labels:?}");
    }
    client.replace(&tea, 1000, "---\nde");
    let items = client.request("textDocument/completion", at(&tea, &json!({"line": 1, "character": 2})));
    let item = items.as_array().and_then(|items| items.iter().find(|item| item["label"] == "description"));
    let item = item.expect("it is offered");
    assert!(item["documentation"]["value"].as_str().is_some_and(|text| text.contains("what the skill does")), "{item}");
    assert_eq!(applied("---\nde", std::slice::from_ref(&item["textEdit"])), "---\ndescription: ");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn hover_shows_what_the_model_sees() {
    let place = place();
    let mut client = Client::new(&place, &["--dialect", "claude"]);
    let tea = uri(&place, TEA);
    client.open(&tea, TEXT);
    let hover = |client: &mut Client, part: &str| {
        let hover = client.request("textDocument/hover", at(&tea, &position(TEXT, part)));
        hover["contents"]["value"].as_str().map(str::to_owned)
    };
    let row = "- tea: Makes 🍵 *now* &lt;b&gt;.";
    let expected = format!(
        "The model sees:\n\n```text\n{row}\n```\n\nIt costs {} characters, about {} tokens; the whole list costs 55 of 8000.\n\n\
         **in-use**: \\`tea\\` is in use, from the source \\`project-claude\\`",
        row.chars().count() + 1,
        row.len().div_ceil(4),
    );
    for part in ["name: tea", "tea\n", "Makes", "---"] {
        assert_eq!(hover(&mut client, part).as_deref(), Some(expected.as_str()), "{part}");
    }
    assert!(hover(&mut client, "Bash(").is_some_and(|text| text.starts_with("A list of tools")));
    assert_eq!(hover(&mut client, "# Tea"), None);
    // What has not been saved counts.
    client.replace(&tea, 2, "---\nname: tea\ndescription: Iced.\ndisable-model-invocation: true\n---\n");
    let text = hover(&mut client, "name: tea").expect("a text");
    assert!(text.starts_with("**hidden**: \\`tea\\` is for the user only"), "{text}");
    // Names and paths of files cannot write Markdown.
    let odd = "---\nname: tea\ndescription: \"```\\n[x](command:y)\"\n---\n";
    client.replace(&tea, 3, odd);
    let text = hover(&mut client, "name: tea").expect("a text");
    assert!(text.contains("````text\n- tea: ``` [x](command:y)\n````"), "{text}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn links_lead_to_files_that_may_be_followed() {
    let place = place();
    let mut client = Client::new(&place, &[]);
    let tea = uri(&place, TEA);
    client.open(&tea, TEXT);
    let links = client.request("textDocument/documentLink", json!({"textDocument": {"uri": tea}}));
    let targets: Vec<&str> =
        links.as_array().expect("a list").iter().filter_map(|link| link["target"].as_str()).collect();
    let boil = uri(&place, "/project/.claude/skills/tea/scripts/boil.sh");
    let more = uri(&place, "/project/.claude/skills/tea/references/more.md");
    assert_eq!(targets, [boil.as_str(), more.as_str()], "not what leads out of the project");
    assert_eq!(links[0]["range"]["start"], position(TEXT, "scripts/boil.sh"));

    let with_field = "---\nname: tea\ndescription: x\nscripts: [boil.sh, gone.sh]\n---\n";
    let mut client = Client::new(&place, &["--dialect", "agent-base"]);
    client.open(&tea, with_field);
    let links = client.request("textDocument/documentLink", json!({"textDocument": {"uri": tea}}));
    let expected = json!([{"range": {"start": position(with_field, "boil"), "end": position(with_field, ", gone")}, "target": boil}]);
    assert_eq!(links, expected);
    client.replace(&tea, 2, "---\nname: tea\ndescription: x\ntoolsets: [toolsets/pots:Pots]\n---\n");
    let links = client.request("textDocument/documentLink", json!({"textDocument": {"uri": tea}}));
    assert_eq!(links[0]["target"], uri(&place, "/project/.claude/skills/tea/toolsets/pots/index.cts"));
    assert_eq!(client.end(), Some(0));
}

#[test]
fn rename_changes_the_name_the_folder_and_the_mentions() {
    let place = place();
    let mut client = Client::new(&place, &[]);
    let (tea, coffee) = (uri(&place, TEA), uri(&place, COFFEE));
    client.open(&tea, TEXT);
    let on_name = position(TEXT, "tea");
    let prepared = client.request("textDocument/prepareRename", at(&tea, &on_name));
    assert_eq!(prepared["placeholder"], "tea");
    let refused = client.ask("textDocument/prepareRename", at(&tea, &position(TEXT, "# Tea")));
    assert_eq!(refused["error"]["code"], -32803, "{refused}");
    let rename = |client: &mut Client, name: &str| {
        let mut params = at(&tea, &on_name);
        params["newName"] = json!(name);
        client.ask("textDocument/rename", params)
    };
    let rows = [
        ("coffee", "coffee` exists already"),
        ("Green Tea", "expected lower-case letters"),
        ("a/b", "cannot be the name of a skill"),
        ("..", "cannot be the name of a skill"),
        (" ", "cannot be the name of a skill"),
        ("a\nb", "cannot be the name of a skill"),
        ("te\"a", "expected lower-case letters"),
    ];
    for (name, why) in rows {
        let answer = rename(&mut client, name);
        assert!(answer["error"]["message"].as_str().is_some_and(|message| message.contains(why)), "{name}: {answer}");
    }
    let mut of_sven = Client::new(&place, &["--dialect", "sven", "--root", ".claude/skills"]);
    of_sven.open(&tea, TEXT);
    let answer = rename(&mut of_sven, "node_modules");
    assert_eq!(answer["error"]["message"], "folders named `node_modules` are never searched");
    assert_eq!(of_sven.end(), Some(0));
    let answer = rename(&mut client, "green-tea");
    let operations = answer["result"]["documentChanges"].as_array().expect("operations").clone();
    let edits = |uri: &str| {
        let of_uri = operations.iter().find(|operation| operation["textDocument"]["uri"] == uri);
        of_uri.and_then(|operation| operation["edits"].as_array()).expect("edits").clone()
    };
    assert_eq!(applied(TEXT, &edits(&tea)), TEXT.replace("name: tea", "name: green-tea"));
    let before = place.read(COFFEE).expect("it is there");
    let after = before.replace("/tea first", "/green-tea first").replace("the `tea`", "the `green-tea`");
    assert_eq!(applied(&before, &edits(&coffee)), after.replace("../tea/", "../green-tea/"));
    let [.., last] = operations.as_slice() else { panic!("{operations:?}") };
    let folder = uri(&place, "/project/.claude/skills");
    let expected =
        json!({"kind": "rename", "oldUri": format!("{folder}/tea"), "newUri": format!("{folder}/green-tea")});
    assert_eq!(*last, expected);

    // The client has renamed the folder, or cannot.
    let files = json!([{"oldUri": format!("{folder}/tea"), "newUri": format!("{folder}/green-tea")}]);
    let by_folder = client.request("workspace/willRenameFiles", json!({"files": files}));
    assert_eq!(by_folder["documentChanges"], json!(operations[..operations.len() - 1]));
    assert_eq!(client.request("workspace/willRenameFiles", json!({"files": []})), Value::Null);
    let (mut simple, _) = Client::able(&place, &[], json!({}));
    simple.open(&tea, TEXT);
    let answer = rename(&mut simple, "green-tea");
    assert_eq!(answer["result"]["changes"][&tea].as_array().map(Vec::len), Some(1), "{answer}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn rename_writes_names_and_links_that_are_read_as_they_are_meant() {
    let body = "[a](../tea/SKILL.md) [b](../%74ea/more.md#x) [c](<../tea/a b.md>) `../tea/SKILL.md` [d](../tea)\n\n[e]: ../tea/x\n";
    let encoded = "[b](../%74ea/SKILL.md?x#y)\n";
    let (pot, cup) = ("/project/.claude/skills/pot/SKILL.md", "/project/.claude/skills/cup/SKILL.md");
    let skill = |name: &str, body: &str| format!("---\nname: {name}\ndescription: Makes it.\n---\n{body}");
    let (pot_text, cup_text) = (skill("pot", body), skill("cup", encoded));
    let tree = Tree::default().with(TEA, TEXT).with(pot, pot_text.as_str()).with(cup, cup_text.as_str());
    let place = Place::of(tree);
    let (tea, pot, cup) = (uri(&place, TEA), uri(&place, pot), uri(&place, cup));
    let mut client = Client::new(&place, &["--dialect", "claude"]);
    client.open(&tea, TEXT);
    // The name as YAML, in a path without encoding, in one with encoding, and in a link.
    let rows = [
        ("pu-erh", "pu-erh", "pu-erh", "pu-erh", false),
        ("null", "\"null\"", "null", "null", false),
        ("true", "\"true\"", "true", "true", false),
        ("off", "\"off\"", "off", "off", false),
        ("a b", "a b", "a b", "a%20b", true),
        ("a: (b)", "\"a: (b)\"", "a: (b)", "a%3A%20%28b%29", true),
        ("c#%", "c#%", "c%23%25", "c%23%25", false),
    ];
    for (name, yaml, plain, encoded, is_bracketed) in rows {
        let mut params = at(&tea, &position(TEXT, "tea"));
        params["newName"] = json!(name);
        let answer = client.request("textDocument/rename", params);
        let edits = |uri: &str| {
            let operations = answer["documentChanges"].as_array().expect("operations");
            let of_uri = operations.iter().find(|operation| operation["textDocument"]["uri"] == uri);
            of_uri.and_then(|operation| operation["edits"].as_array()).expect("edits").clone()
        };
        let link = |rest: &str| match is_bracketed {
            true => format!("<../{plain}{rest}>"),
            false => format!("../{plain}{rest}"),
        };
        assert_eq!(applied(TEXT, &edits(&tea)), TEXT.replace("name: tea", &format!("name: {yaml}")));
        let expected = format!(
            "[a]({}) [b](../{encoded}/more.md#x) [c](<../{plain}/a b.md>) `../{plain}/SKILL.md` [d]({})\n\n[e]: {}\n",
            link("/SKILL.md"),
            link(""),
            link("/x"),
        );
        assert_eq!(applied(&pot_text, &edits(&pot)), skill("pot", &expected), "{name}");
        let expected = format!("[b](../{encoded}/SKILL.md?x#y)\n");
        assert_eq!(applied(&cup_text, &edits(&cup)), skill("cup", &expected), "{name}");
    }
    assert_eq!(client.end(), Some(0));
}

#[test]
fn symbols_are_fields_headings_and_skills() {
    let place = place();
    let mut client = Client::new(&place, &[]);
    let tea = uri(&place, TEA);
    let text = TEXT.replace("allowed-tools", "metadata:\n  author: me\nallowed-tools");
    client.open(&tea, &text);
    let symbols = client.request("textDocument/documentSymbol", json!({"textDocument": {"uri": tea}}));
    fn outline(symbols: &Value) -> Vec<Value> {
        let symbols = symbols.as_array().map(Vec::as_slice).unwrap_or_default();
        symbols.iter().map(|symbol| json!([symbol["name"], outline(&symbol["children"])])).collect()
    }
    let expected = json!([
        ["name", []],
        ["description", []],
        ["metadata", [["author", []]]],
        ["allowed-tools", []],
        ["Tea", [["Hot", [["Very", []]]], ["Cold", []]]],
    ]);
    assert_eq!(Value::from(outline(&symbols)), expected);
    for (query, names) in [("", vec!["coffee", "tea"]), ("TA", vec!["tea"]), ("ffe", vec!["coffee"]), ("x", vec![])] {
        let found = client.request("workspace/symbol", json!({"query": query}));
        let mut found: Vec<&str> =
            found.as_array().expect("a list").iter().filter_map(|one| one["name"].as_str()).collect();
        found.sort_unstable();
        assert_eq!(found, names, "{query}");
    }
    assert_eq!(client.end(), Some(0));
}
