//! The load tool and its call: topics 9 and 15 of the rules. In memory and on the disk.

use crate::common;

use common::ground::{Ground, changed, ground, quoted};
use pretty_assertions::assert_eq;
use skilltree::{Caller, Invocation, call, tool};

fn skills(names: &[&str]) -> Ground {
    let one = |name: &&str| {
        let (name, more) = name.split_once('!').unwrap_or((name, ""));
        let hidden =
            if more == "hidden" { "disable-model-invocation: true\nsven: {user_invocable_only: true}\n" } else { "" };
        format!(
            "//- /p/.agents/skills/{name}/SKILL.md\n---\nname: {name}\ndescription: D\n{hidden}---\nBody of {name}.\n"
        )
    };
    ground(&format!("//- /p/.agents/skills dir\n{}", names.iter().map(one).collect::<String>()))
}

#[track_caller]
fn schema(case: &str, dialect: &str, ground: &Ground, expect: Result<(&str, &str), &str>) -> String {
    let got = ground.of(case, dialect, |_, catalog| {
        tool(catalog)
            .map(|tool| (tool.name, tool.input_schema.to_string(), tool.description))
            .map_err(|error| error.code().to_owned())
    });
    let shape = got.as_ref().map(|(name, schema, _)| (name.as_str(), schema.as_str())).map_err(String::as_str);
    assert_eq!(shape, expect, "{case}");
    got.map_or_else(|code| code, |(_, _, description)| description)
}

#[test]
fn schemas() {
    let enums = |keys: &str| {
        format!(
            r#"{{"type":"object","properties":{{"name":{{"type":"string","description":"The name of the skill to activate","enum":[{keys}]}}}},"required":["name"],"additionalProperties":false}}"#
        )
    };
    let all = skills(&["b", "a", "h!hidden"]);
    let said = schema(
        "rule 15.2: the keys that the model may see",
        "agentskills",
        &all,
        Ok(("activate_skill", &enums(r#""a","b""#))),
    );
    assert!(!said.contains("Body") && !said.contains("`a`"), "rule 15.4: no listing: {said}");
    schema("rule 15.3: none", "agentskills", &skills(&[]), Err("no-skills"));
    schema("rule 15.3: none for the model", "agentskills", &skills(&["h!hidden"]), Err("no-skills"));
    schema("rule 15.3: none switched on", "agentskills", &skills(&["a"]).off("a"), Err("no-skills"));
    let odd = ground("//- /p/.agents/skills/o/SKILL.md\n---\nname: \"a\\u202e\\\"b\"\ndescription: D\n---\n");
    let many = |count: usize| (0..count).map(|n| format!("s{n:03}")).collect::<Vec<_>>();
    let ground_of = |names: &[String]| skills(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let names = many(100);
    let listed = enums(&names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(","));
    schema("rule 15.2: 100 keys", "agentskills", &ground_of(&names), Ok(("activate_skill", &listed)));
    let open = enums("").replace(r#""enum":[]"#, r#""minLength":1"#);
    schema("rule 15.2: 101 keys", "agentskills", &ground_of(&many(101)), Ok(("activate_skill", &open)));
    schema("rule 7.7: keys are shown", "agentskills", &odd, Ok(("activate_skill", &enums(r#""a\\u{202e}\"b""#))));
    let shown = odd.of("rule 7.7: a shown key is called", "agentskills", |world, catalog| {
        call(world, catalog, r#"{"name":"a\\u{202e}\"b"}"#).is_ok()
    });
    assert!(shown, "rule 7.7: a shown key is called");
    let any = r#"{"type":"object","properties":{"name":{"type":"string","description":"The command of the skill to load, such as \"sven\" or \"sven/plan\""}},"required":["name"],"additionalProperties":false}"#;
    let said = schema("rule 15.2: sven takes any text", "sven", &all, Ok(("load_skill", any)));
    assert!(!said.contains("No skills"), "rule 15.2: {said}");
    for none in [skills(&[]), skills(&["h!hidden"])] {
        let said = schema("rule 15.3: sven without skills", "sven", &none, Ok(("load_skill", any)));
        assert!(said.ends_with("No skills are currently available."), "rule 15.2: {said}");
    }
}

#[track_caller]
fn called(dialect: &str, case: &str, arguments: &str, expect: &str) {
    let got =
        skills(&["tea", "team", "secret!hidden", "off"]).off("off").of(case, dialect, |world, catalog| {
            match call(world, catalog, arguments) {
                Ok(Invocation::Inline(message)) => {
                    format!("{}: {}", message.key, message.text.contains(&format!("\nBody of {}.\n", message.key)))
                }
                Ok(other) => format!("{other:?}"),
                Err(error) => error.code().to_owned(),
            }
        });
    assert_eq!(got, expect, "{case} ({dialect})");
}

/// What is said of an argument that no schema names, by dialect; none where the schema allows it.
fn other_arguments() {
    let rows = [
        ("agentskills", r#"{"nme":"tea"}"#, "unknown argument `nme`; did you mean `name`? The only argument is `name`"),
        ("sven", r#"{"name":"tea","args":1}"#, "unknown argument `args`; the only argument is `name`"),
        (
            "pegasus",
            r#"{"skill":"tea","arg":"x"}"#,
            "unknown argument `arg`; did you mean `args`? The arguments are `skill`, `args`",
        ),
        ("claude", r#"{"skill":"tea","zzz":0}"#, "unknown argument `zzz`; the arguments are `skill`, `args`"),
        (
            "daycare",
            r#"{"name":"tea","promt":"x"}"#,
            "unknown argument `promt`; did you mean `prompt`? The arguments are `name`, `prompt`",
        ),
        ("pegasus", r#"{"skill":"tea","args":42}"#, r#"expected a text as `args`, as in {"skill":"…","args":"…"}"#),
        ("claude", r#"{"skill":"tea","args":["a"]}"#, r#"expected a text as `args`, as in {"skill":"…","args":"…"}"#),
        ("daycare", r#"{"name":"tea","prompt":{}}"#, r#"expected a text as `prompt`, as in {"name":"…","prompt":"…"}"#),
        ("sven", r#"{"name":"tea","\u001b[1m":0}"#, "unknown argument `\\u{1b}[1m`; the only argument is `name`"),
    ];
    let open = [
        ("gencode", r#"{"skill":"tea","arg":"x"}"#),
        ("gencode", r#"{"skill":"tea","args":42}"#),
        ("pegasus", r#"{"skill":"tea","args":null}"#),
    ];
    let rows = rows.map(|(dialect, arguments, said)| (dialect, arguments, Some(said)));
    for (dialect, arguments, said) in rows.into_iter().chain(open.map(|(dialect, one)| (dialect, one, None))) {
        let case = format!("rule 15.5: other arguments, {dialect}: {arguments}");
        let got = skills(&["tea"]).of(&case, dialect, |world, catalog| {
            call(world, catalog, arguments).err().filter(|error| error.code() == "bad-arguments").map(|e| e.to_string())
        });
        assert_eq!(got.as_deref(), said, "{case}");
    }
}

#[test]
fn calls() {
    for dialect in ["sven", "agentskills"] {
        called(dialect, "rule 15.5: loads", r#"{"name":"tea"}"#, "tea: true");
        called(dialect, "rule 15.5: what the schema excludes is refused", r#" {"x":1,"name":"tea"} "#, "bad-arguments");
        called(dialect, "rule 9.1: hidden is refused", r#"{"name":"secret"}"#, "not-for-model");
        called(dialect, "rule 9.1: switched off is refused", r#"{"name":"off"}"#, "disabled");
        called(dialect, "rule 7.8: unknown", r#"{"name":"teas"}"#, "unknown");
        called(dialect, "rule 7.8: exact alone", r#"{"name":"Tea"}"#, "unknown");
        for bad in [
            "",
            "tea",
            "[]",
            "null",
            "\"tea\"",
            "{}",
            r#"{"name":7}"#,
            r#"{"name":null}"#,
            r#"{"name":""}"#,
            r#"{"name":" "}"#,
            r#"{"name":["tea"]}"#,
            r#"{"skill":"tea"}"#,
            r#"{"name":"tea"} x"#,
            r#"{"name":"tea""#,
        ] {
            called(dialect, &format!("rule 15.5: bad arguments: {bad}"), bad, "bad-arguments");
        }
        called(dialect, "rule 15.5: nested beyond all", &"[".repeat(200_000), "bad-arguments");
    }
    other_arguments();
    let near = skills(&["team", "secret!hidden"]).of("rule 7.11: near", "sven", |world, catalog| {
        [r#"{"name":"tea"}"#, r#"{"name":"secre"}"#]
            .map(|asked| call(world, catalog, asked).map(|_| ()).map_err(|error| error.to_string()))
    });
    assert_eq!(
        near,
        [Err("there is no skill `tea`; did you mean `team`?".into()), Err("there is no skill `secre`".into())],
        "rule 7.11: hidden ones are not suggested"
    );
}

#[test]
fn an_unknown_skill_in_the_words_of_the_table() {
    let all = ["teas", "team", "teal", "tear", "coffee", "secret!hidden"];
    // What it says to the byte, the names that stand apart from it, and the text for a load by hand.
    let rows: [(&str, &[&str], &str, Option<&str>); 7] = [
        ("No {asked}", &all, "No tea | teal team tear", None),
        ("No {asked}. There are: {available}", &all, "No tea. There are: teas, team, teal, tear, coffee", Some("")),
        ("No {asked}.{?near} Near: {near}{/}", &all, "No tea. Near: teal, team, tear", Some("")),
        ("No {asked}.{?near} Near: {near}{/}", &["coffee", "teb!hidden"], "No tea.", Some("")),
        ("{available}", &["secret!hidden"], "none", Some("")),
        ("{available}", &[], "none", Some("")),
        ("Gone.", &["coffee"], "Gone.", None),
    ];
    for (wording, names, expect, text) in rows {
        let unknown = format!("tool: {{unknown: {}}}\n", quoted(wording));
        let table = changed("agentskills", &format!("{unknown}prompt: {{order: highest-source}}\norder: key\n"));
        let ground = in_order(names);
        let said = |error: skilltree::Error| match error.near() {
            [] => error.to_string(),
            near => format!("{error} | {}", near.join(" ")),
        };
        let got = ground.by(wording, &table, |world, catalog| {
            let error = catalog.find("tea", Caller::Model).expect_err("there is no such skill");
            let text = catalog.unknown_skill_text(&error);
            (call(world, catalog, r#"{"name":"tea"}"#).map(|_| ()).map_err(said), text)
        });
        assert_eq!(got, (Err(expect.to_owned()), text.map(|_| expect.to_owned())), "{wording}");
    }
    let other = changed("agentskills", "tool: {unknown: '{available}'}");
    let hidden = skills(&["tea!hidden"]).by("hidden", &other, |world, catalog| {
        let error = catalog.find("tea", Caller::Model).expect_err("it is hidden");
        (
            catalog.unknown_skill_text(&error),
            call(world, catalog, r#"{"name":"tea"}"#).map_err(|error| error.code()).err(),
        )
    });
    assert_eq!(hidden, (None, Some("not-for-model")), "only for an unknown skill");
}

/// Skills whose order by path is that of their names here.
fn in_order(names: &[&str]) -> Ground {
    let mut ground = skills(&[]);
    for (n, name) in names.iter().enumerate() {
        let (name, more) = name.split_once('!').unwrap_or((name, ""));
        let hidden = if more == "hidden" { "disable-model-invocation: true\n" } else { "" };
        let text = format!("---\nname: {name}\ndescription: D\n{hidden}---\n");
        ground.tree = ground.tree.with(&format!("/p/.agents/skills/{n}/{name}/SKILL.md"), text);
    }
    ground
}
