//! Lookup and children: topics 7, 9 and 12 of the rules.

use super::skills;
use crate::common::ground::{Ground, ground};
use pretty_assertions::assert_eq;
use skilltree::{Caller, Catalog, LoadRequest, PromptRequest, load, prompt};

#[track_caller]
fn found(case: &str, catalog: &Catalog, asked: &str, caller: Caller, expect: &str) {
    let got = match catalog.find(asked, caller) {
        Ok(skill) => skill.key.clone(),
        Err(error) => format!("{}: {error}", error.code()),
    };
    assert_eq!(got, expect, "{case}");
}

#[test]
fn lookup() {
    let ground = skills(&[
        "p.sven/plan",
        "p.sven/plane",
        "p.sven/plant",
        "p.sven/planta",
        "p.sven/Plank",
        "p.sven/odd\u{202e}name",
        "p.sven/user: description: D; sven: {always: true, user_invocable_only: true}",
    ]);
    ground.of("lookup", "sven", |_, catalog| {
        found("rule 7.8: exact", catalog, "plan", Caller::Model, "plan");
        found(
            "rule 7.8: no prefix",
            catalog,
            "pla",
            Caller::Model,
            "unknown: there is no skill `pla`; did you mean `plan` or `Plank` or `plane`?",
        );
        found(
            "rule 7.8: letter case counts",
            catalog,
            "PLAN",
            Caller::Model,
            "unknown: there is no skill `PLAN`; did you mean `plan` or `Plank` or `plane`?",
        );
        found(
            "rule 7.11: the nearest first, at most three",
            catalog,
            "plank",
            Caller::Model,
            "unknown: there is no skill `plank`; did you mean `Plank` or `plan` or `plane`?",
        );
        found(
            "rule 7.11: four edits are far",
            catalog,
            "p123n45",
            Caller::Model,
            "unknown: there is no skill `p123n45`",
        );
        found(
            "rule 7.11: hidden ones are not suggested to the model",
            catalog,
            "usre",
            Caller::Model,
            "unknown: there is no skill `usre`",
        );
        found(
            "rule 7.8: the user may see it",
            catalog,
            "usre",
            Caller::User,
            "unknown: there is no skill `usre`; did you mean `user`?",
        );
        found(
            "rule 9.3: hidden beats pinned",
            catalog,
            "user",
            Caller::Model,
            "not-for-model: the skill `user` is hidden from the model",
        );
        found("rule 9.1: not from the user", catalog, "user", Caller::User, "user");
        found("rule 7.7: raw spelling", catalog, "odd\u{202e}name", Caller::Model, "odd\u{202e}name");
        found("rule 7.7: shown spelling", catalog, "odd\\u{202e}name", Caller::Model, "odd\u{202e}name");
        found(
            "rule 7.7: what was asked is shown without controls",
            catalog,
            "a\u{7}b\ncdef",
            Caller::Model,
            "unknown: there is no skill `a\\u{7}b\\u{a}cdef`",
        );
        found(
            "rule 7.7: a near name is shown so too",
            catalog,
            "oddname",
            Caller::Model,
            "unknown: there is no skill `oddname`; did you mean `odd\\u{202e}name`?",
        );
        found("rule 7.8: nothing asked", catalog, "", Caller::Model, "unknown: there is no skill ``");
    });
    skills(&["p.agents/a: name: a; description: D; user-invocable: false"]).of(
        "rule 9.3: user",
        "agentskills",
        |_, catalog| {
            found(
                "rule 9.3: hidden from the user",
                catalog,
                "a",
                Caller::User,
                "not-for-user: the skill `a` is hidden from the user",
            );
            found("rule 9.3: and there for the model", catalog, "a", Caller::Model, "a");
        },
    );
}

#[track_caller]
fn family(case: &str, ground: &Ground, dialect: &str, expect: &[&str]) {
    let got = ground.of(case, dialect, |_, catalog| {
        let keys = |of: &skilltree::Skill, caller| {
            catalog.children(of, caller).iter().map(|c| c.key.clone()).collect::<Vec<_>>().join(",")
        };
        let of = |skill| (keys(skill, Caller::Model), keys(skill, Caller::User));
        let all = catalog.skills().iter().map(|skill| (skill.key.clone(), of(skill)));
        all.filter(|(_, (_, user))| !user.is_empty())
            .map(
                |(key, (model, user))| {
                    if model == user { format!("{key}: {model}") } else { format!("{key}: {model} / {user}") }
                },
            )
            .collect::<Vec<_>>()
    });
    assert_eq!(got, expect, "{case} ({dialect})");
}

#[test]
fn children() {
    let hidden = "description: D; sven: {user_invocable_only: true}";
    family(
        "rule 8.7: direct children alone",
        &skills(&["p.sven/a", "p.sven/a/b", "p.sven/a/b/c", "p.sven/a/d"]),
        "sven",
        &["a: a/b,a/d", "a/b: a/b/c"],
    );
    family(
        "rule 8.7: a grandchild with no skill in between",
        &skills(&["p.sven/a", "p.sven/a/x/c", "p.sven/a/x/d", "p.sven/a/y"]),
        "sven",
        &["a: a/y"],
    );
    family("rule 8.7: children by key, over sources", &skills(&["h.sven/a", "p.sven/a/b"]), "sven", &["a: a/b"]);
    family("rule 8.7: a key that only begins so", &skills(&["p.sven/a", "p.sven/ab", "p.sven/a-b/c"]), "sven", &[]);
    family(
        "rule 9.2: hidden children are not the model's",
        &skills(&["p.sven/a", "p.sven/a/b", &format!("p.sven/a/h: {hidden}")]),
        "sven",
        &["a: a/b / a/b,a/h"],
    );
    family(
        "rule 8.7: a hidden one in between is in use",
        &skills(&["p.sven/a", &format!("p.sven/a/h: {hidden}"), "p.sven/a/h/c"]),
        "sven",
        &["a:  / a/h", "a/h: a/h/c"],
    );
    family(
        "rule 8.7: nor with an invalid one in between",
        &skills(&["p.sven/a", "p.sven/a/h: name: x", "p.sven/a/h/c"]),
        "sven",
        &[],
    );
    let s = |at: &str, name: &str| format!("{at}: name: {name}; description: D");
    family(
        "rule 8.7: the nearest folder above",
        &skills(&[
            &s("p.agents/a", "a"),
            &s("p.agents/a/x/b", "b"),
            &s("p.agents/a/x/b/c", "c"),
            &s("p.agents/z/a/d", "d"),
        ]),
        "agentskills",
        &["a: b", "b: c"],
    );
    family(
        "rule 8.7: a folder whose skill is shadowed is none",
        &skills(&[&s("h.agents/a", "a"), &s("h.agents/a/b", "b"), &s("p.agents/x", "a")]),
        "agentskills",
        &[],
    );
    family(
        "rule 8.7: a shadowed one in between",
        &skills(&[&s("h.agents/o", "o"), &s("h.agents/o/a", "a"), &s("h.agents/o/a/b", "b"), &s("p.agents/x", "a")]),
        "agentskills",
        &["o: b"],
    );
    family(
        "rule 8.7: children by key",
        &skills(&[&s("p.agents/a", "a"), &s("p.agents/a/1", "z"), &s("p.agents/a/2", "y")]),
        "agentskills",
        &["a: y,z"],
    );
}

#[test]
fn lookup_by_the_last_part() {
    let mut ground = skills(&[
        "p.gen/1: name: commit; namespace: git",
        "p.gen/2: name: commit; namespace: jira",
        "p.gen/3: name: Issue; namespace: jira",
        "p.gen/4: name: pr; namespace: git",
        "p.gen/5: name: pr",
        "p.gen/6: name: off; namespace: a",
        "p.gen/7: name: off; namespace: b",
        "p.gen/8: name: mine; namespace: a",
        "p.gen/9: name: Mine; namespace: b",
        "p.gen/10: name: half; namespace: a",
        "p.gen/11: name: half; namespace: b",
    ]);
    let store = r#"{"skills": {"jira:Issue": "active", "a:off": "disable", "b:off": "disable", "b:half": "active"}}"#;
    ground.tree = ground.tree.with("/p/.gen/skills.json", store);
    ground.of("lookup", "gencode", |_, catalog| {
        let user = |case: &str, asked: &str, expect: &str| found(case, catalog, asked, Caller::User, expect);
        let model = |case: &str, asked: &str, expect: &str| found(case, catalog, asked, Caller::Model, expect);
        user("rule 7.8: exact", "git:commit", "git:commit");
        user("rule 7.9: exact before a part", "pr", "pr");
        user("rule 7.9: the part after the colon", "issue", "jira:Issue");
        user("rule 7.9: the whole in another letter case", "JIRA:ISSUE", "jira:Issue");
        user("rule 7.9: the part as written first", "Mine", "b:Mine");
        user("rule 7.9: the part as written first, the other", "mine", "a:mine");
        user(
            "rule 7.9: two in another letter case",
            "MINE",
            "ambiguous: `MINE` is ambiguous: it may be `a:mine` or `b:Mine`",
        );
        user("rule 7.9: two", "commit", "ambiguous: `commit` is ambiguous: it may be `git:commit` or `jira:commit`");
        user("rule 7.8: no prefix", "git:", "unknown: there is no skill `git:`; did you mean `git:pr`?");
        user("rule 7.11: near", "git:comit", "unknown: there is no skill `git:comit`; did you mean `git:commit`?");
        user(
            "rule 7.11: near by the part",
            "Issues2",
            "unknown: there is no skill `Issues2`; did you mean `jira:Issue`?",
        );
        user(
            "rule 7.11: near by the part, both",
            "comit",
            "unknown: there is no skill `comit`; did you mean `git:commit` or `jira:commit`?",
        );
        user("rule 9.6: both disabled", "off", "ambiguous: `off` is ambiguous: it may be `a:off` or `b:off`");
        user("rule 9.6: disabled", "a:off", "disabled: the skill `a:off` is disabled");
        user("rule 7.9: two for the user", "half", "ambiguous: `half` is ambiguous: it may be `a:half` or `b:half`");
        model("rule 7.9: one for the model", "half", "b:half");
        model("rule 7.9: two that are hidden from it", "commit", "unknown: there is no skill `commit`");
        model("rule 7.9: two that are disabled", "off", "unknown: there is no skill `off`");
        model("rule 9.6: active", "issue", "jira:Issue");
        let refused =
            "not-active: the skill `git:pr` is enabled for the user only; make it active for the model to see it";
        model("rule 9.6: enabled", "git:pr", refused);
        model(
            "rule 7.11: near ones that it may see",
            "jira:Isue",
            "unknown: there is no skill `jira:Isue`; did you mean `jira:Issue`?",
        );
        model("rule 7.11: others are not suggested", "git:prr", "unknown: there is no skill `git:prr`");
        let sought = |asked: &str| catalog.find_any(asked).map(|skill| skill.key.clone()).map_err(|error| error.code());
        assert_eq!(sought("a:off"), Ok("a:off".to_owned()), "rule 9.6: what is off can be switched on");
        assert_eq!(sought("PR"), Err("ambiguous"), "rule 7.9: for changing states, too");
    });
}

#[test]
fn names_and_paths() {
    let of = |path: &str, name: &str| format!("//- /{path}/SKILL.md\n---\nname: {name}\ndescription: D.\n---\n");
    let text = [
        of("h/.agents/skills/cup", "cup"),
        of("h/.agents/skills/tea", "tea"),
        of("p/.daycare/skills/Tea", "tea"),
        of("p/.daycare/skills/pot", "cup"),
        of("p/.daycare/skills/config:pot", "odd"),
        of("p/.daycare/skills/a\u{202e}b", "turned"),
        of("p/packages/daycare/sources/skills/x/tea", "tea"),
        of("p/packages/daycare/sources/skills/off", "off"),
        of("h/.agents/skills/off", "off"),
    ];
    let ground = ground(&text.concat()).off("core:off");
    ground.of("lookup by name", "daycare", |world, catalog| {
        let find = |case, asked, expect| found(case, catalog, asked, Caller::Model, expect);
        find("17: an id", "agents:tea", "agents:tea");
        find("17: an id before a name", "config:pot", "config:pot");
        find("17: a name, core first", "tea", "core:x/tea");
        find("17: letter case counts first", "Tea", "config:Tea");
        find("17: without letter case", "TEA", "core:x/tea");
        find("17: an id without letter case", "AGENTS:TEA", "agents:tea");
        find("25: a folder's name beats another's frontmatter", "cup", "agents:cup");
        find("25: a frontmatter's name is found too", "odd", "config:config:pot");
        find("24: both spellings", "a\\u{202e}b", "config:a\u{202e}b");
        find("17: a path of the catalog", "/h/.agents/skills/tea/SKILL.md", "agents:tea");
        find("17: a folder is none", "/h/.agents/skills/tea", "unknown: there is no skill `/h/.agents/skills/tea`");
        find("15: a disabled one hides the other", "off", "disabled: the skill `core:off` is disabled");
        find("17: the other has its id", "agents:off", "agents:off");
        let path = catalog.locate(world, ".daycare/skills/Tea/SKILL.md", Caller::Model);
        assert_eq!(path.map(|skill| skill.key.as_str()), Ok("config:Tea"), "17: a path from the project");
        let path = catalog.locate(world, "../h/.agents/skills/off/../../../secret", Caller::Model);
        assert_eq!(path.map_err(|error| error.code()).err(), Some("unknown"), "17: no other file");

        let list = prompt(world, catalog, &PromptRequest::default()).list;
        let names = list.lines().filter_map(|line| line.trim().strip_prefix("<name>")?.strip_suffix("</name>"));
        let names: Vec<&str> = names.collect();
        let expect =
            ["Tea", "a\\u{202e}b", "config:config:pot", "cup", "agents:off", "pot", "agents:tea", "core:x/tea"];
        assert_eq!(names, expect, "25: the id where a name is not one skill's alone");
        for name in names {
            assert!(catalog.find(name, Caller::Model).is_ok(), "25: {name} is found");
        }
        let odd = catalog.find("turned", Caller::Model).unwrap();
        let text = load(world, catalog, odd, &LoadRequest::new(Caller::Model)).unwrap().text;
        assert!(text.contains("Skill name: a\\u{202e}b"), "24: {text}");
    });
}
