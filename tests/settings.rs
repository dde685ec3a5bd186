//! The settings files of a client, as far as they are about skills: topic 9 of the rules. In memory and on the disk, with
//! tables that read such files.

use crate::common;

use common::ground::{Ground, briefs, changed, ground, quoted};
use common::path;
use pretty_assertions::assert_eq;
use skilltree::{
    Caller, Catalog, Dialect, IncrementalDiscovery, LoadRequest, PromptRequest, World, call, discover, load, prompt,
    tool, why,
};
use std::sync::Arc;

/// A table like that of `claude`, which reads the settings of the user, the project and an administrator.
fn table_with(keys: &[(&str, &str)]) -> Arc<Dialect> {
    changed("claude", &settings(&[("home", USER_FILE), ("project", USER_FILE), ("managed", "settings.json")], keys))
}

const USER_FILE: &str = ".claude/settings.json";

/// The part `settings` of a dialect file, with these files by their bases and paths, and these keys by their roles.
fn settings(files: &[(&str, &str)], keys: &[(&str, &str)]) -> String {
    let files: String = files.iter().map(|(base, path)| format!("    - {{base: {base}, path: {path}}}\n")).collect();
    let keys: String =
        keys.iter().map(|(key, role)| format!("    - {{key: {}, role: {role}}}\n", quoted(key))).collect();
    format!("settings:\n  comments: yes\n  files:\n{files}  keys:\n{keys}")
}

const USER: &str = "/h/.claude/settings.json";
const PROJECT: &str = "/p/.claude/settings.json";
const MANAGED: &str = "/m/settings.json";

/// Three skills, one of a plugin among them if `is_plugin`, and these settings files.
fn place(files: &[(&str, &str)]) -> Ground {
    let mut text = String::new();
    for key in ["coffee", "internal-tea", "tea"] {
        text.push_str(&format!("//- /p/.claude/skills/{key}/SKILL.md\n---\ndescription: Makes {key}.\n---\nBoil.\n"));
    }
    for (file, json) in files {
        text.push_str(&format!("//- {file}\n{json}\n"));
    }
    let mut ground = ground(&text);
    ground.places.managed = Some(path("/m"));
    ground
}

/// The visibility of each skill, and what `why` says where it is not full.
fn offered(world: &World<'_>, catalog: &Catalog) -> Vec<String> {
    let row = |skill: &skilltree::Skill| {
        let why = why(world, catalog, &skill.key, &PromptRequest::default());
        let said = skill.decision.as_ref().map_or_else(String::new, |_| format!(" {}", why[0].message));
        format!("{} {}{said}", skill.key, skill.visibility().as_str())
    };
    catalog.skills().iter().map(row).collect()
}

/// What is offered by settings of these roles, without what `why` says, and the findings.
#[track_caller]
fn gives(case: &str, keys: &[(&str, &str)], files: &[(&str, &str)], expect: &[&str], findings: &[&str]) {
    let dialect = table_with(keys);
    let got = place(files).ask(case, |world| {
        let catalog = discover(world, &dialect);
        let words = catalog.skills().iter().map(|skill| format!("{} {}", skill.key, skill.visibility().as_str()));
        (words.collect::<Vec<_>>(), briefs(catalog.findings()))
    });
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    assert_eq!(got, (owned(expect), owned(findings)), "{case}");
}

const NONE: &[&str] = &["coffee full", "internal-tea full", "tea full"];
const ALL_OFF: &[&str] = &["coffee off", "internal-tea off", "tea off"];
const ALL_USER: &[&str] = &["coffee user-only", "internal-tea user-only", "tea user-only"];
const TEA_OFF: &[&str] = &["coffee full", "internal-tea full", "tea off"];
const TEA_USER: &[&str] = &["coffee full", "internal-tea full", "tea user-only"];

#[test]
fn all_skills_and_some_by_name() {
    let enabled: &[_] = &[("skills/enabled", "enabled")];
    let off = "{\"skills\": {\"enabled\": false}}";
    let on = "{\"skills\": {\"enabled\": true}}";
    gives("nothing is set", enabled, &[(USER, "{}")], NONE, &[]);
    gives("all off", enabled, &[(USER, off)], ALL_OFF, &[]);
    let undone = ["warning setting-undone /p/.claude/settings.json:1:1"];
    gives("on again by a higher file", enabled, &[(USER, off), (PROJECT, on)], NONE, &undone);
    gives("off by a higher file", enabled, &[(USER, on), (PROJECT, off)], ALL_OFF, &[]);
    gives(
        "not a flag",
        enabled,
        &[(USER, "{\"skills\":\n {\"enabled\": \"no\"}}")],
        NONE,
        &["warning wrong-type /h/.claude/settings.json:2:1"],
    );
    let text = "{\"skills\":\n {\"enabled\": \"False\"}}";
    gives(
        "the text of a flag",
        enabled,
        &[(USER, text)],
        ALL_OFF,
        &["warning wrong-type /h/.claude/settings.json:2:1"],
    );
    gives("no map", enabled, &[(USER, "{\"skills\": []}")], NONE, &["warning wrong-type /h/.claude/settings.json:1:1"]);

    let disabled: &[_] = &[("skills/disabled", "disabled")];
    let list = |names: &str| format!("// a comment\n{{\"skills\": {{\"disabled\": [{names},]}}}}");
    gives("in any letter case", disabled, &[(USER, &list("\"TEA\""))], TEA_OFF, &[]);
    let both: &[_] = &[(USER, &list("\"tea\"")[..]), (PROJECT, &list("\"coffee\", \"other\"")[..])];
    gives("the lists of all files", disabled, both, &["coffee off", "internal-tea full", "tea off"], &[]);
    let found = ["warning wrong-type /p/.claude/settings.json:2:1"];
    gives("an item that is no text", disabled, &[(PROJECT, &list("1, \"tea\""))], TEA_OFF, &found);
    let found = ["warning wrong-type /p/.claude/settings.json:1:1"];
    gives(
        "one name in place of a list",
        disabled,
        &[(PROJECT, "{\"skills\": {\"disabled\": \"tea\"}}")],
        TEA_OFF,
        &found,
    );
    gives("no list", disabled, &[(PROJECT, "{\"skills\": {\"disabled\": 1}}")], NONE, &found);
    let unknown = ["warning state-unknown /h/.claude/settings.json:2:1"];
    for name in ["\"$TEA\"", "\"${NO:-tea}\"", "\"{env:TEA}\""] {
        gives(name, disabled, &[(USER, &list(name))], NONE, &unknown);
    }
    gives("what is not read", &[("skills/disabled", "unread")], &[(USER, &list("\"tea\""))], NONE, &unknown);
    gives("nothing of it", &[("skills/disabled", "unread")], &[(USER, "{}")], NONE, &[]);
}

/// A client that refuses comments ignores the file, so that it neither restricts nor permits.
#[test]
fn comments_that_the_client_refuses() {
    let off = "{\"skillOverrides\": {\"tea\": \"off\"}}";
    let corrupt = ["error store-corrupt /p/.claude/settings.json"];
    for (case, text, expect, findings) in [
        ("plain", "\u{feff}{\"skillOverrides\": {\"tea\": \"name-only\"}}", "name-only", &[][..]),
        ("a comment", "{ // on\n\"skillOverrides\": {\"tea\": \"on\"}}", "off", &corrupt),
        ("a trailing comma", "{\"skillOverrides\": {\"tea\": \"on\"},}", "off", &corrupt),
    ] {
        let got = place(&[(USER, off), (PROJECT, text)]).of(case, "claude", |_, catalog| {
            let found = briefs(catalog.findings()).into_iter().filter(|found| !found.contains("setting-undone"));
            let found: Vec<_> = found.filter_map(|found| Some(found.split_once(':')?.0.to_owned())).collect();
            (catalog.skills()[2].visibility().as_str(), found)
        });
        assert_eq!(got, (expect, findings.iter().map(|found| (*found).to_owned()).collect()), "{case}");
    }
}

/// The administrator's files of clients, below their managed folders.
#[test]
fn files_of_administrators() {
    for (dialect, file, text) in [
        ("codex", "codex/config.toml", "[skills]\ninclude_instructions = false\n"),
        ("gemini", "settings.json", "{\"skills\": {\"disabled\": [\"tea\"]}}"),
        ("kilo", "kilo.jsonc", "{\"permission\": {\"skill\": {\"tea\": \"deny\"}}}"),
        ("opencode", "opencode.json", "{\"permission\": {\"skill\": {\"tea\": \"deny\"}}}"),
        ("qwen", "settings.json", "{\"skills\": {\"disabled\": [\"tea\"]}}"),
    ] {
        let skill = "---\nname: tea\ndescription: Makes tea.\n---\n";
        let mut ground = ground(&format!(
            "//- /p/.{dialect}/skills/tea/SKILL.md\n{skill}//- /p/.agents/skills/tea/SKILL.md\n{skill}//- /m/{file}\n{text}\n"
        ));
        let listed = |ground: &Ground| {
            ground.of(dialect, dialect, |world, catalog| {
                prompt(world, catalog, &PromptRequest::default()).text.contains("Makes tea.")
            })
        };
        assert!(listed(&ground), "{dialect}: without an administrator");
        ground.places.managed = Some(path("/m"));
        assert!(!listed(&ground), "{dialect}");
    }
}

#[test]
fn overrides() {
    let keys: &[_] = &[("skillOverrides", "overrides")];
    let set = |word: &str| format!("{{\n  \"skillOverrides\": {{\n    \"tea\": {word}\n  }}\n}}");
    gives("off", keys, &[(USER, &set("\"off\""))], TEA_OFF, &[]);
    gives("for the user", keys, &[(USER, &set("\"user-invocable-only\""))], TEA_USER, &[]);
    let name_only = ["coffee full", "internal-tea full", "tea name-only"];
    gives("by name", keys, &[(USER, &set("\"name-only\""))], &name_only, &[]);
    let undone = ["warning setting-undone /p/.claude/settings.json:3:1"];
    gives("a higher file", keys, &[(USER, &set("\"off\"")), (PROJECT, &set("\"on\""))], NONE, &undone);
    let listed = &[(USER, &set("\"off\"")[..]), (PROJECT, &set("\"name-only\"")[..])];
    gives("a part of it", keys, listed, &["coffee full", "internal-tea full", "tea name-only"], &undone);
    gives("a narrower one", keys, &[(USER, &set("\"on\"")), (PROJECT, &set("\"off\""))], TEA_OFF, &[]);
    let unknown = ["warning state-unknown /h/.claude/settings.json:3:1"];
    gives("an unknown word is off", keys, &[(USER, &set("\"of\""))], TEA_OFF, &unknown);
    gives("no word is off", keys, &[(USER, &set("false"))], TEA_OFF, &unknown);

    let dialect = table_with(keys);
    let said = |case, word: &str| {
        place(&[(PROJECT, &set(word))]).ask(case, |world| {
            let catalog = discover(world, &dialect);
            let listed = catalog.to_json(world, &skilltree::commands(&catalog, &[]));
            let skilltree::Json::List(rows) = listed.get("skills").unwrap() else { panic!("{listed}") };
            let prompt = prompt(world, &catalog, &PromptRequest::default());
            let fields = ["visibility", "decided_by"].map(|name| rows[2].get(name).map(ToString::to_string));
            (offered(world, &catalog).remove(2), fields, prompt.list, prompt.shortened)
        })
    };
    let (why, [visibility, by], list, shortened) = said("what is said of a name", "\"name-only\"");
    assert_eq!(
        why,
        "tea name-only `tea` is in use, and listed by its name only: set to `name-only` by the setting \
         `skillOverrides` (`/p/.claude/settings.json`, line 3)"
    );
    assert_eq!(visibility.as_deref(), Some("\"name-only\""));
    assert_eq!(by.as_deref(), Some("{\"file\":\"/p/.claude/settings.json\",\"line\":3}"));
    assert!(list.ends_with("- internal-tea: Makes internal-tea.\n- tea"), "{list}");
    assert_eq!(shortened, ["tea"]);
    let (why, ..) = said("what is said of one that is off", "\"off\"");
    assert_eq!(
        why,
        "tea off `tea` is disabled: switched off by the setting `skillOverrides` (`/p/.claude/settings.json`, line 3)"
    );
    let (_, [visibility, by], ..) = said("nothing is decided", "\"on\"");
    assert_eq!((visibility, by), (None, None));
}

#[test]
fn plugins_are_exempt_from_overrides() {
    let files = [("home", USER_FILE), ("project", USER_FILE), ("managed", "settings.json")];
    let parts = settings(&files, &[("o", "overrides"), ("d", "disabled")]);
    let dialect = changed("gencode", &format!("states: null\n{parts}"));
    let skill = "---\nname: pr\ndescription: Opens.\n---\nGo.\n";
    let tree =
        |settings: &str| format!("//- /h/.gen/plugins/git/skills/pr/SKILL.md\n{skill}//- {PROJECT}\n{settings}\n");
    for (settings, expect) in
        [("{\"o\": {\"git:pr\": \"off\", \"pr\": \"off\"}}", "full"), ("{\"d\": [\"pr\"]}", "off")]
    {
        let got = ground(&tree(settings)).ask(settings, |world| {
            let catalog = discover(world, &dialect);
            catalog.get("git:pr").map(|skill| skill.visibility().as_str())
        });
        assert_eq!(got, Some(expect), "{settings}");
    }
}

#[test]
fn permissions() {
    let keys: &[_] = &[("permissions/deny", "denied-rules")];
    let set = |rules: &str| format!("{{\"permissions\": {{\"deny\": [{rules}]}}}}");
    let rules =
        ["Skill(tea)", "Skill(/tea)", "Skill(tea *)", "Skill(tea:*)", "Skill(te:*)", "Skill(/t *)", " Skill( tea ) "];
    for rule in rules {
        gives(rule, keys, &[(USER, &set(&format!("\"{rule}\"")))], TEA_USER, &[]);
    }
    for rule in ["Skill", "Skill(*)", "Skill(:*)", "S*", "*kill", "*", " Skill "] {
        gives(rule, keys, &[(USER, &set(&format!("\"{rule}\"")))], ALL_USER, &[]);
    }
    for rule in [
        "Bash(tea)",
        "Skills(tea)",
        "Skill(te)",
        "Skill(te*)",
        "Skill(//tea)",
        "Skill(TEA)",
        "Skill()",
        "S*(tea)",
        "T*",
    ] {
        gives(rule, keys, &[(USER, &set(&format!("\"{rule}\"")))], NONE, &[]);
    }
    let unclosed = ["warning state-unknown /h/.claude/settings.json:1:1"];
    gives("without its parenthesis", keys, &[(USER, &set("\"Skill(tea\""))], TEA_USER, &unclosed);
    let text = ["warning wrong-type /h/.claude/settings.json:1:1"];
    gives("no list", keys, &[(USER, "{\"permissions\": {\"deny\": \"Skill(tea)\"}}")], TEA_USER, &text);

    let keys: &[_] = &[("permission/skill", "permission")];
    let set = |value: &str| format!("{{\"permission\": {{\"skill\": {value}}}}}");
    let denied_tea = ["coffee full", "internal-tea user-only", "tea user-only"];
    gives("a word", keys, &[(USER, &set("\"deny\""))], ALL_USER, &[]);
    gives("one word for all permissions", keys, &[(USER, "{\"permission\": \"deny\"}")], ALL_USER, &[]);
    gives("another word", keys, &[(USER, &set("\"ask\""))], NONE, &[]);
    for (permissions, expect) in [
        ("\"*\": \"deny\"", ALL_USER),
        ("\"sk*\": \"deny\", \"bash\": \"allow\"", ALL_USER),
        ("\"*\": \"deny\", \"skill\": \"ask\"", NONE),
        ("\"skill\": \"allow\", \"skil?\": {\"tea\": \"deny\"}", TEA_USER),
    ] {
        gives(permissions, keys, &[(USER, &format!("{{\"permission\": {{{permissions}}}}}"))], expect, &[]);
    }
    gives("a pattern", keys, &[(USER, &set("{\"*tea\": \"deny\"}"))], &denied_tea, &[]);
    let last = set("{\"*\": \"deny\", \"tea\": \"allow\", \"coffee\": \"ask\"}");
    gives("the last that matches", keys, &[(USER, &last)], &["coffee full", "internal-tea user-only", "tea full"], &[]);
    let first = set("{\"tea\": \"allow\", \"*\": \"deny\"}");
    gives("the last one for all", keys, &[(USER, &first)], ALL_USER, &[]);
    let undone = ["warning setting-undone /p/.claude/settings.json:1:1"];
    gives("a higher file comes later", keys, &[(USER, &set("\"deny\"")), (PROJECT, &set("\"allow\""))], NONE, &undone);
    let one = &[(USER, &set("\"deny\"")[..]), (PROJECT, &set("{\"tea\": \"ask\"}")[..])];
    gives("for one skill", keys, one, &["coffee user-only", "internal-tea user-only", "tea full"], &undone);
    let other = &[(USER, &set("{\"tea\": \"deny\"}")[..]), (PROJECT, &set("{\"coffee\": \"allow\"}")[..])];
    gives("for another skill", keys, other, TEA_USER, &[]);
    let unknown = ["warning state-unknown /h/.claude/settings.json:1:1"];
    gives("an unknown word denies", keys, &[(USER, &set("{\"tea\": \"never\"}"))], TEA_USER, &unknown);
    let wrong = ["warning wrong-type /h/.claude/settings.json:1:1"];
    gives("neither word nor map", keys, &[(USER, &set("[\"deny\"]"))], NONE, &wrong);
    let many = (0..10_001).map(|n| format!("\"x{n}\": \"allow\"")).collect::<Vec<_>>().join(", ");
    let found = ["warning too-many-patterns /h/.claude/settings.json:1:1"];
    let long = set(&format!("{{\"{}\": \"allow\"}}", "x".repeat(257)));
    gives("a longer pattern than is compared", keys, &[(USER, &long)], ALL_USER, &found);
    gives("more patterns than are compared", keys, &[(USER, &set(&format!("{{{many}}}")))], ALL_USER, &found);
}

#[test]
fn the_host_and_the_frontmatter_count_too() {
    let keys: &[_] = &[("disabled", "disabled"), ("deny", "denied-rules")];
    let dialect = table_with(keys);
    let mut ground = place(&[(USER, "{\"disabled\": [\"tea\"], \"deny\": [\"Skill(coffee)\", \"Skill(tea)\"]}")]);
    let found = |ground: &Ground, case| ground.ask(case, |world| offered(world, &discover(world, &dialect)));
    let tea = "tea off `tea` is disabled: switched off by the setting `disabled` (`/h/.claude/settings.json`, line 1)";
    assert_eq!(found(&ground, "the narrower one counts")[2], tea);
    ground.host.on.extend(["tea".to_owned(), "coffee".to_owned()]);
    assert_eq!(found(&ground, "the host switches on"), NONE);
    ground.host.on.clear();
    ground.host.off.insert("tea".to_owned());
    assert_eq!(found(&ground, "the host switches off")[2], "tea off");
}

/// What is listed can be called, if only to be told that the call is refused.
#[test]
fn a_list_of_denied_skills_has_its_tool() {
    let rules = r#"["Skill(coffee)", "Skill(internal-tea)", "Skill(tea)"]"#;
    let ground = place(&[(USER, &format!("{{\"permissions\": {{\"deny\": {rules}}}}}"))]);
    let got = ground.of("denied", "claude", |world, catalog| {
        let called = call(world, catalog, "{\"skill\": \"tea\"}").map(|_| ());
        (tool(catalog).map(|tool| tool.name), called.map_err(|error| error.code()))
    });
    assert_eq!(got, (Ok("Skill".to_owned()), Err("refused")));
}

/// A case, its settings files, the body that is loaded, and the findings.
type Banned<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str, &'a [&'a str]);

#[test]
fn commands_may_be_banned() {
    let keys: &[_] = &[("noCommands", "no-commands")];
    let dialect = table_with(keys);
    let body =
        "//- /p/.claude/skills/now/SKILL.md\n---\ndescription: Now.\n---\nIt is !`date` and !`pwd` é.\n```!\nls\n```\n";
    let (on, off) = ("{\"noCommands\": true}", "{\"noCommands\": false}");
    let banned = "It is [shell command execution disabled by policy] and [shell command execution disabled by policy] \
                  é.\n[shell command execution disabled by policy]";
    let allowed = "It is !`date` and !`pwd` é.\n```!\nls\n```";
    let wrong = "warning wrong-type /h/.claude/settings.json:1:1";
    let undone = "warning setting-undone /p/.claude/settings.json:1:1";
    let cases: &[Banned<'_>] = &[
        ("nothing is said", &[], allowed, &[]),
        ("banned", &[(USER, on)], banned, &[]),
        ("not lifted by the project", &[(USER, on), (PROJECT, off)], banned, &[undone]),
        ("banned by a higher file", &[(USER, off), (PROJECT, on)], banned, &[]),
        ("banned by an administrator", &[(MANAGED, on)], banned, &[]),
        ("an administrator lifts", &[(USER, on), (MANAGED, off)], allowed, &[]),
        ("no flag", &[(USER, "{\"noCommands\": \"no\"}")], banned, &[wrong]),
        ("a file that cannot be read", &[(USER, "{")], banned, &["error store-corrupt /h/.claude/settings.json:2:1"]),
    ];
    for (case, files, expect, findings) in cases {
        let tree = files.iter().map(|(file, json)| format!("//- {file}\n{json}\n")).collect::<String>();
        let mut ground = ground(&format!("{body}{tree}"));
        ground.places.managed = Some(path("/m"));
        let got = ground.ask(case, |world| {
            let catalog = discover(world, &dialect);
            let loaded = load(world, &catalog, &catalog.skills()[0], &LoadRequest::new(Caller::User)).unwrap();
            let pending = skilltree::invoke(world, &catalog, &skilltree::commands(&catalog, &[]), "/now")
                .map(|answer| format!("{answer:?}"));
            let is_pending = pending.is_ok_and(|answer| answer.contains("Pending"));
            (loaded.body.trim_end().to_owned(), briefs(catalog.findings()), is_pending)
        });
        let findings = findings.iter().map(|finding| (*finding).to_owned()).collect();
        assert_eq!(got, ((*expect).to_owned(), findings, *expect == allowed), "{case}");
    }
    // Not even a lower file of an administrator can be undone.
    let files = [("managed", "settings.json"), ("project", USER_FILE), ("home", USER_FILE)];
    let reversed = changed("claude", &settings(&files, keys));
    let mut ground = ground(&format!("{body}//- {MANAGED}\n{on}\n//- {USER}\n{off}\n"));
    ground.places.managed = Some(path("/m"));
    let text = ground.ask("an administrator's ban stays", |world| {
        let catalog = discover(world, &reversed);
        load(world, &catalog, &catalog.skills()[0], &LoadRequest::new(Caller::User)).unwrap().body
    });
    assert!(text.starts_with(banned), "{text}");
}

#[test]
fn the_size_of_the_list() {
    let keys: &[_] = &[("share", "budget-share"), ("most", "max-description")];
    let dialect = table_with(keys);
    // The share, the window, the budget in characters and the findings.
    let wrong = "warning wrong-type /h/.claude/settings.json:1:1";
    let cases: &[(&str, Option<usize>, usize, &[&str])] = &[
        ("{}", None, 8_000, &[]),
        ("{}", Some(200_000), 8_000, &[]),
        ("{\"share\": 0.02}", Some(200_000), 16_000, &[]),
        ("{\"share\": 0.015}", Some(200_000), 12_000, &[]),
        ("{\"share\": 0.02}", None, 16_000, &[]),
        ("{\"share\": 0}", Some(200_000), 0, &[]),
        ("{\"share\": 1}", Some(1_000), 4_000, &[]),
        ("{\"share\": 1.0000000}", Some(1_000), 4_000, &[]),
        ("{\"share\": 1.5}", Some(200_000), 8_000, &[wrong]),
        ("{\"share\": -0.5}", Some(200_000), 8_000, &[wrong]),
        ("{\"share\": 1e-2}", Some(200_000), 8_000, &[wrong]),
        ("{\"share\": \"0.5\"}", Some(200_000), 8_000, &[wrong]),
        ("{\"most\": 1.5}", None, 8_000, &[wrong]),
        ("{\"most\": \"8\"}", None, 8_000, &[wrong]),
    ];
    for (settings, window, expect, findings) in cases {
        let got = place(&[(USER, settings)]).ask(settings, |world| {
            let catalog = discover(world, &dialect);
            let ask = PromptRequest { window: *window, ..PromptRequest::default() };
            (prompt(world, &catalog, &ask).budget, briefs(catalog.findings()))
        });
        assert_eq!(got, (Some(*expect), findings.iter().map(|finding| (*finding).to_owned()).collect()), "{settings}");
    }
    let list = place(&[(USER, "{\"most\": 7}"), (PROJECT, "{\"most\": 8}")])
        .ask("descriptions", |world| prompt(world, &discover(world, &dialect), &PromptRequest::default()).list);
    assert!(list.contains("- coffee: Makes c…\n"), "{list}");
}

#[test]
fn files_that_cannot_be_read() {
    let keys: &[_] = &[("disabled", "disabled")];
    let corrupt = "error store-corrupt /h/.claude/settings.json";
    gives("no JSON", keys, &[(USER, "{\n\"disabled\": x}")], NONE, &[&format!("{corrupt}:2:13")]);
    gives("a comment that is not closed", keys, &[(USER, "{} /*")], NONE, &[&format!("{corrupt}:1:4")]);
    gives("no map", keys, &[(USER, "[]")], NONE, &["warning wrong-type /h/.claude/settings.json:1:1"]);
    gives("a folder", keys, &[("/h/.claude/settings.json/x", "")], NONE, &[corrupt]);
    let (list, dialect) = ("{\"disabled\": [\"tea\"]}", table_with(keys));
    let linked = |target: &str| {
        let mut ground = ground(&format!(
            "//- /p/.claude/skills/tea/SKILL.md\n---\ndescription: Makes tea.\n---\n//- {PROJECT} link={target}\n//- \
             /secret.json\n{list}\n//- /p/own.json\n{list}\n"
        ));
        ground.places.managed = Some(path("/m"));
        ground.ask(target, |world| {
            let catalog = discover(world, &dialect);
            (catalog.skills()[0].visibility().as_str(), briefs(catalog.findings()))
        })
    };
    assert_eq!(linked("/p/own.json"), ("off", Vec::new()), "a symlink within the project");
    let refused = vec!["error store-corrupt /p/.claude/settings.json".to_owned()];
    assert_eq!(linked("/secret.json"), ("full", refused.clone()), "a symlink out of the project");
    assert_eq!(linked("/missing.json"), ("full", refused), "a broken symlink");
}

#[test]
fn a_refresh_follows_the_settings() {
    let dialect = table_with(&[("disabled", "disabled"), ("noCommands", "no-commands")]);
    let mut live = IncrementalDiscovery::new(Arc::clone(&dialect));
    let places = place(&[]).places;
    let mut fs = place(&[(USER, "{}")]).tree.mem();
    let mut look = |fs: &skilltree::MemFs| {
        let world = World::new(fs, &places, &());
        let (refreshed, fresh) = (live.refresh(&world), discover(&world, &dialect));
        assert!(refreshed == fresh);
        refreshed
    };
    let before = look(&fs);
    fs.file(USER, "{\"disabled\": [\"tea\"]}");
    let after = look(&fs);
    assert_eq!(after.skills()[2].visibility().as_str(), "off");
    assert!(before != after);
    fs.file(USER, "{\"disabled\": [\"tea\"], \"noCommands\": true}");
    assert!(look(&fs) != after, "what the settings say is a part of the catalog");
}
