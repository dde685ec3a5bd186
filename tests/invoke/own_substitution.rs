//! Commands whose bodies are filled by a rule of their own, and what their messages may show.

use crate::common::ground::{self, changed, ground, quoted};
use crate::parts::part;
use pretty_assertions::assert_eq;
use skilltree::{Caller, Dialect, Invocation, LoadRequest, commands, invoke, load};
use std::sync::Arc;

const TREE: &str = "
//- /p/.agents/skills/r/SKILL.md
---
name: r
description: R.
---
A=$1 B=$2 C=$ARGUMENTS $9
//- /p/.agents/skills/plain/SKILL.md
---
name: plain
description: P.
---
Do it.
";

/// A table whose tool fills nothing in, while its commands do.
fn table(message: &str) -> Arc<Dialect> {
    assert!(part(&ground::table("agentskills"), "load.substitution").is_null());
    changed(
        "agentskills",
        &format!(
            "
load: {{trim: both}}
commands:
  message: {}
  substitution:
    append: unless-any
    appended: \"\\n\\n{{args}}\"
    first_number: 1
    last_place: rest
    missing: removed
    words: shell
    unclosed_quote: null
    without_arguments: yes
    named_arguments: no
    variables: []
    commands: null
",
            quoted(message)
        ),
    )
}

#[track_caller]
fn sent(message: &'static str, line: &str) -> String {
    ground(TREE).by(line, &table(message), |world, catalog| {
        match invoke(world, catalog, &commands(catalog, &[]), line).expect("the skill is there") {
            Some(Invocation::Inline(message)) => message.text,
            other => panic!("{line}: {other:?}"),
        }
    })
}

#[test]
fn commands_have_a_rule_of_their_own() {
    let own = "{body}\n\nBase directory: {dir}{appended}";
    let dir = "Base directory: /p/.agents/skills";
    assert_eq!(
        sent(own, "/r one \"two x\" three"),
        format!("A=one B=two x C=one \"two x\" three \n\n{dir}/r"),
        "places are filled in"
    );
    assert_eq!(sent(own, "/r"), format!("A= B= C= \n\n{dir}/r"), "without arguments");
    assert_eq!(sent(own, "/plain now please"), format!("Do it.\n\n{dir}/plain\n\nnow please"), "arguments come last");
    assert_eq!(sent(own, "/plain"), format!("Do it.\n\n{dir}/plain"), "no arguments");
    assert_eq!(sent("{body}", "/plain now please"), "Do it.\n\nnow please", "arguments belong to the body");
    assert_eq!(sent("{key} {path}: {body}", "/plain"), "plain /p/.agents/skills/plain/SKILL.md: Do it.", "its path");
    let loaded = sent("{text}", "/r one two");
    assert!(loaded.starts_with("<skill_content name=\"r\">\nA=one B=two C=one two \n"), "the loaded text: {loaded}");
}

#[test]
fn the_tool_fills_nothing_in() {
    let text = ground(TREE).by("load", &table("{body}"), |world, catalog| {
        let skill = catalog.get("r").expect("the skill is there");
        let ask = LoadRequest { args: "one two".to_owned(), ..LoadRequest::new(Caller::User) };
        load(world, catalog, skill, &ask).expect("it loads").body
    });
    assert_eq!(text, "A=$1 B=$2 C=$ARGUMENTS $9");
}

#[test]
fn other_commands_on_the_line_are_named_in_json() {
    let table = changed("claude", "commands: {stacked: 2}");
    let tree = TREE.replace("/p/.agents", "/p/.claude");
    let json = ground(&tree).by("json", &table, |world, catalog| {
        ["/plain /r x", "/plain x /r", "/plain /r /plain x"].map(|line| {
            let invocation = invoke(world, catalog, &commands(catalog, &[]), line).expect("the skill is there");
            let json = Invocation::line_json(world.fs, invocation.as_ref(), line);
            (json.get("text").map(ToString::to_string), json.get("also").map(ToString::to_string))
        })
    });
    let row = |text: &str, also: Option<&str>| (Some(format!("{text:?}")), also.map(str::to_owned));
    let expect = [
        row("Do it.\n\nARGUMENTS: x\n\nA=$1 B=$2 C=x $9", Some("[\"r\"]")),
        row("Do it.\n\nARGUMENTS: x /r", None),
        row("Do it.\n\nARGUMENTS: /plain x\n\nA=x B=$2 C=/plain x $9", Some("[\"r\"]")),
    ];
    assert_eq!(json, expect);
}
