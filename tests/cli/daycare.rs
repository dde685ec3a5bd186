//! The real binary with five sources, permissions, copies for use and the tool's stub.

use crate::common;

use crate::program::{Place, error_code, texts};
use common::Tree;
use common::skip::skip;
use pretty_assertions::assert_eq;
use skilltree::Json;
use std::fs;
use std::process::Command;

const FILES: &[(&str, &str)] = &[
    ("home/.agents/skills/tea/SKILL.md", "---\nname: tea\ndescription: Agents.\n---\nAgents.\n"),
    ("project/.daycare/skills/tea/SKILL.md", "---\nname: tea\ndescription: Config.\n---\nConfig.\n"),
    ("project/packages/daycare/sources/skills/core/SKILL.md", "---\nname: core\ndescription: Core.\n---\nCore.\n"),
    ("user/skills/personal/mine/SKILL.md", "---\nname: mine\ndescription: Mine.\n---\nMine.\n"),
    ("config/skills/conf/SKILL.md", "---\nname: conf\ndescription: Conf.\n---\nConf.\n"),
    (
        "shipped/box/SKILL.md",
        "---\nname: box\ndescription: Box.\nsandbox: true\npermissions: ['@network', '@read:/no/such/dir']\n---\nBox.\n",
    ),
    ("plug/helper.md", "---\nname: helper\ndescription: Helps.\n---\nHelper.\n"),
];

impl Place {
    fn daycare() -> Place {
        Place::of(Tree::default().files(FILES)).first(&["--dialect", "daycare"])
    }
}

fn list<'j>(json: &'j Json, field: &str) -> Vec<&'j str> {
    match json.get(field) {
        Some(Json::List(items)) => items.iter().filter_map(Json::as_text).collect(),
        _ => panic!("no list `{field}` in {json}"),
    }
}

#[test]
fn sources_come_from_the_options() {
    let t = Place::daycare();
    let skills = |words: &[&str], field: &str| {
        let (_, json) = t.json(&[&["list"], words].concat());
        texts(&json, "skills", field).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(skills(&[], "key"), ["core:core", "agents:tea", "config:tea"], "the document's own places");
    let all =
        ["--bundled", "../shipped", "--config=../config", "--user", "../user", "--register", "tg=../plug/helper.md"];
    assert_eq!(
        skills(&all, "key"),
        ["core:box", "config:conf", "plugin:tg/helper", "user:mine", "agents:tea"],
        "all named"
    );
    assert_eq!(skills(&all[3..], "source"), ["core", "plugin:tg", "user", "agents", "config"]);
    t.check("17: by name", &["load", "tea"], 0, &["Config.\n"], &[]);
    t.check("17: by id", &["load", "agents:tea"], 0, &["Agents.\n"], &[]);
    t.check("17: by path", &["load", "../home/.agents/skills/tea/SKILL.md"], 0, &["Agents.\n"], &[]);
    t.check("17: no path out", &["load", "/etc/passwd"], 1, &[], &["there is no skill"]);
    t.check("no slash commands", &["invoke", "/tea"], 1, &["/tea\n"], &[]);
    t.check("23: nothing to show", &["prompt", "--only-roots"], 0, &[], &[]);
}

#[test]
fn permissions_are_those_of_the_caller() {
    let t = Place::daycare();
    let all = ["--bundled", "../shipped", "load", "box"];
    let with = |more: &[&'static str]| [&all[..], more].concat();
    t.check("34: no prompt", &all, 1, &[], &["Skill \"box\" requires prompt in sandbox mode.", "`--args TEXT`"]);
    t.check(
        "34: nothing held",
        &with(&["--args", "x"]),
        1,
        &[],
        &["Cannot attach permission '@network' - you don't have it."],
    );
    let half = ["--args=x", "--permission=@network", "--permission=@read:/no/such/directory"];
    t.check("34: not the path", &with(&half), 1, &[], &["Cannot attach permission '@read:/no/such/dir' - you"]);
    let held = ["--args=x", "--permission=@network", "--permission=@read:/no"];
    t.check("34: all held", &with(&held), 0, &["Box.\n\n## Task\nx\n"], &[]);
    let tea = ["load", "tea", "--args", "x"];
    t.check(
        "24.6: not for this skill",
        &tea,
        0,
        &["Config.\n"],
        &["`--args` is ignored: the dialect `daycare` loads this"],
    );
    t.check("34: no tag", &["list", "--permission", "network"], 2, &[], &["expected @network"]);
    let own = ["call", "{\"name\":\"desk\",\"prompt\":\"x\"}"];
    let desk = "---\nname: desk\ndescription: D\nsandbox: true\npermissions: ['@workspace', '@data:x']\n---\nDesk.\n";
    fs::create_dir_all(t.at("home/.agents/skills/desk")).unwrap();
    fs::write(t.at("home/.agents/skills/desk/SKILL.md"), desk).unwrap();
    let refused = ["Cannot attach permission '@data:x' - you don't have it."];
    t.check("rule 16.6: not held", &[own[0], own[1], "--permission=@workspace"], 1, &[], &refused);
    t.check(
        "rule 16.6: only the same",
        &[own[0], own[1], "--permission=@workspace:x"],
        1,
        &[],
        &["'@workspace' - you"],
    );
    let (_, json) = t.json(&[own[0], own[1], "--permission=@workspace", "--permission", "@data:x"]);
    assert_eq!(list(&json, "permissions"), ["@workspace", "@data:x"], "rule 16.6: a host's own tags");
    assert_eq!(list(&json, "declared"), ["@workspace", "@data:x"], "rule 16.6");
    let (_, checked) = t.json(&["check"]);
    assert_eq!(texts(&checked, "findings", "code"), Vec::<&str>::new(), "rule 16.6: tags of any kind");
    let call = [
        "--bundled=../shipped",
        "--permission=@network",
        "--permission=@write:/no",
        "call",
        "{\"name\":\"box\",\"prompt\":\"x\"}",
    ];
    let (_, json) = t.json(&call);
    let texts = ["kind", "key", "granted_by"].map(|name| json.get(name).and_then(Json::as_text));
    assert_eq!(texts, [Some("fork"), Some("core:box"), Some("box Skill")], "34: {json}");
    assert_eq!(list(&json, "permissions"), ["@network", "@read:/no/such/dir"], "34");
    let (_, refused) = t.json(&["--bundled=../shipped", "call", "{\"name\":\"box\",\"prompt\":\"x\"}"]);
    assert_eq!(error_code(&refused), Some("permission-not-held"));
}

#[test]
fn copies_are_synced_and_read() {
    let t = Place::daycare();
    let sync = ["--user", "../user", "--register", "tg=../plug/helper.md", "sync", "--to", "../user/skills/active"];
    let keys = ["agents--tea", "config--tea", "core--core", "plugin--tg--helper", "user--mine"];
    let (_, dry) = t.json(&[&sync[..], &["--dry-run"]].concat());
    assert_eq!(list(&dry, "copied"), keys, "41: what would be copied");
    let active = t.at("user/skills/active");
    let would: String = keys.iter().map(|key| format!("would copy {key}\n")).collect();
    t.exact("41: a dry run, in text", &[&sync[..], &["--dry-run"]].concat(), 0, &would, "");
    assert!(!active.exists(), "41: a dry run writes nothing");
    assert_eq!(list(&t.json(&sync).1, "copied"), keys, "41: copied");
    assert!(active.join("plugin--tg--helper/SKILL.md").is_file(), "40: alone, as SKILL.md");
    let (_, again) = t.json(&sync);
    assert_eq!((list(&again, "copied"), list(&again, "unchanged")), (vec![], keys.to_vec()), "41: unchanged");
    fs::remove_dir_all(t.at("user/skills/personal/mine")).unwrap();
    fs::write(active.join("notes.txt"), "mine").unwrap();
    let dry = [&sync[..], &["--dry-run"]].concat();
    t.check("41: a dry run, in text", &dry, 0, &["unchanged agents--tea\n", "would remove user--mine\n"], &["warning"]);
    t.check("41: in text", &sync, 0, &["removed user--mine\n"], &["warning[foreign-entry]"]);
    fs::write(active.join("config--tea/SKILL.md"), "---\nname: tea\ndescription: x\n---\nThe copy.\n").unwrap();
    let active = ["--active", "../user/skills/active", "--mount", "/shared/skills", "load", "tea"];
    t.check(
        "26: the copy",
        &active,
        0,
        &["this skill: /shared/skills/config--tea\nSkill name: tea\n\nThe copy.\n"],
        &[],
    );
    t.check("26: no copy", &["--active", "../empty", "load", "tea"], 1, &[], &["contains no copy"]);
    t.check("41: among the sources", &["sync", "--to", ".daycare/skills/x"], 2, &[], &["is a source of skills"]);
    t.check("not in this dialect", &["--dialect", "sven", "sync", "--to", "x"], 2, &[], &["activation"]);
    #[cfg(unix)]
    t.check("41: a folder that cannot be", &["sync", "--to", "../plug/helper.md/x"], 2, &[], &["error"]);
}

#[test]
fn the_users_folder_has_the_activation_root() {
    let t = Place::daycare().first(&["--dialect", "daycare", "--user", "../user"]);
    let own = |text: &str| fs::write(t.at("user/skills/personal/mine/SKILL.md"), text).unwrap();
    let keys = ["agents--tea", "config--tea", "core--core", "user--mine"];
    assert_eq!(list(&t.json(&["sync", "--dry-run"]).1, "copied"), keys);
    assert!(!t.at("user/skills/active").exists());
    t.check("the prompt syncs first", &["prompt"], 0, &["<name>mine</name>"], &[]);
    assert!(t.at("user/skills/active/user--mine/SKILL.md").is_file(), "rule 20.6: the prompt");
    fs::remove_dir_all(t.at("user/skills/active")).unwrap();
    t.check("a load syncs first", &["load", "mine"], 0, &["user/skills/active/user--mine\n", "Mine."], &[]);
    assert_eq!(list(&t.json(&["sync"]).1, "unchanged"), keys, "without --to");
    t.check("the copy is read", &["load", "mine"], 0, &["user/skills/active/user--mine\n", "Mine."], &[]);
    t.check(
        "as it is mounted",
        &["--mount", "/shared/skills", "load", "mine"],
        0,
        &["/shared/skills/user--mine\n"],
        &[],
    );
    own("---\nname: mine\ndescription: Mine.\n---\nOther.\n");
    let copies = ["--active", "../user/skills/copies"];
    t.check("copied elsewhere", &[copies[0], copies[1], "sync"], 0, &["copied user--mine\n"], &[]);
    own("---\nname: mine\ndescription: Mine.\n---\nAnother.\n");
    t.check("as it was copied there", &[copies[0], copies[1], "load", "mine"], 0, &["Other.\n"], &[]);
    t.check("a load syncs an edit", &["load", "mine"], 0, &["Another.\n"], &[]);
    own("---\nname: mine\ndescription: Mine.\n---\nOther.\n");
    let call = ["call", "{\"name\":\"mine\"}"];
    t.check("a call syncs first", &call, 0, &["user/skills/active/user--mine\n", "Other.\n"], &[]);
    t.check("and what it copied stays", &["load", "mine"], 0, &["Other.\n"], &[]);
    let read_only = ["--active", "../user/copies", call[0], call[1]];
    t.check("an activation root of the host's own is its own affair", &read_only, 1, &[], &["contains no copy of it"]);
    t.check("where to, by --active", &["--active", "../user/copies", "sync"], 0, &["copied user--mine\n"], &[]);
    t.check("and read there", &read_only, 0, &["user/copies/user--mine\n"], &[]);

    let t = Place::daycare();
    t.check("nowhere to copy to", &["sync"], 2, &[], &["`--to DIR`", "`--user DIR`"]);
    t.check("no copies in this dialect", &["--dialect", "sven", "--user", "../user", "sync"], 2, &[], &["activation"]);
    fs::remove_dir_all(t.at("user/skills/active")).ok();
    fs::write(t.at("user/skills/active"), "a file").unwrap();
    let told = ["warning[copy-failed]", "contains no copy of it"];
    t.check("no folder for copies", &["--user", "../user", call[0], call[1]], 1, &[], &told);
}

/// A folder of the user's that lies in the project: no link that the project ships is followed on the way to the copies.
#[cfg(unix)]
#[test]
fn links_of_a_project_lead_no_copies_away() {
    let t = Place::daycare();
    fs::create_dir_all(t.at("elsewhere")).unwrap();
    fs::create_dir_all(t.at("project/me/skills")).unwrap();
    std::os::unix::fs::symlink("../../../elsewhere", t.at("project/me/skills/active")).unwrap();
    let user = ["--user", "me"];
    t.check("sync", &[user[0], user[1], "sync"], 1, &[], &["error[copy-failed]"]);
    t.check("call", &[user[0], user[1], "call", "{\"name\":\"tea\"}"], 1, &[], &["error[copy-failed]"]);
    t.check("load", &[user[0], user[1], "load", "tea"], 1, &[], &["contains no copy of it", "error[copy-failed]"]);
    assert_eq!(fs::read_dir(t.at("elsewhere")).unwrap().count(), 0, "nothing is written there");
}

#[test]
fn the_stub_is_a_function_of_python() {
    let t = Place::daycare();
    let options =
        ["--bundled", "../shipped", "--permission=@network", "--permission=@read:/", "tool", "--stub", "python"];
    let stub = |more: &[&str]| t.say(&[&options[..], more].concat()).out;
    assert!(stub(&[]).contains("def skill(name, prompt = None):"), "{}", stub(&[]));
    // The program is named by its full path, so PATH need not lead to it.
    let said = |stub: String, script: &str| {
        fs::write(t.at("stub.py"), format!("{stub}\n{script}")).unwrap();
        let mut python = Command::new("python3");
        // A machine without Python has nothing to run it with.
        let done = python.arg(t.at("stub.py")).current_dir(t.at("project")).env("HOME", t.at("home")).output().ok()?;
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        Some(String::from_utf8_lossy(&done.stdout).into_owned())
    };
    let script = "print(skill('tea'))\nprint(type(skill('tea')) is str)\nbox = skill('box', prompt='Say \"yes\".')\n\
         print(isinstance(box, Fork), isinstance(box, str), box.terms['granted_by'], box.task.startswith('Follow'))\n\
         print(box)\n\
         try:\n    skill('box')\nexcept RuntimeError as error:\n    print(error)\n";
    let Some(out) = said(stub(&[]), script) else { return skip("there is no python3") };
    let parts = [
        "(embedded)",
        "Config.",
        "\nTrue\nTrue True box Skill True\nThis is a task for a subagent: ",
        "## Task\nSay \"yes\".",
        "Skill \"box\" requires prompt in sandbox mode.",
    ];
    for part in parts {
        assert!(out.contains(part), "{part}:\n{out}");
    }
    let named =
        t.say(&["--project", "../project", "--register", "tg=../plug/helper.md", "tool", "--stub", "python"]).out;
    let elsewhere = format!("import os\nos.chdir('/')\n{named}");
    let out = said(elsewhere, "print(skill('tea'), skill('helper'))\n").expect("Python is there");
    assert!(out.contains("Config.") && out.contains("Helper."), "places are those that were named: {out}");
    let agent = "--agent-command=tr a-z A-Z";
    let out =
        said(stub(&[agent]), "print(skill('box', prompt='go'), skill('tea'))\nprint(type(skill('box', 'x')) is str)\n");
    let out = out.expect("Python is there");
    assert!(
        out.starts_with("FOLLOW THE SKILL") && out.contains("## TASK\nGO Skill loaded"),
        "a fork is answered: {out}"
    );
    assert!(out.ends_with("True\n"), "{out}");
    let failing = stub(&["--agent-command=false"]);
    let script = "try:\n    skill('box', prompt='go')\nexcept RuntimeError as error:\n    print(error)\n";
    assert_eq!(said(failing, script).expect("Python is there"), "the agent failed with exit code 1\n");
    t.check("an agent for no function", &["tool", agent], 2, &[], &["--stub"]);
}
