//! What a user may type: topic 14 of the rules. In memory and on the disk.

use crate::common;

use common::ground::{Ground, ground};
use pretty_assertions::assert_eq;
use skilltree::commands;
use std::fmt::Write as _;

/// `FOLDER` or `FOLDER: FIELDS`, one skill a line.
#[track_caller]
fn skills(lines: &[&str]) -> Ground {
    let mut text = "//- /p/.agents/skills dir\n".to_owned();
    for line in lines {
        let (key, fields) = line.split_once(": ").unwrap_or((line, "description: D"));
        writeln!(text, "//- /p/.agents/skills/{key}/SKILL.md\n---\n{}\n---", fields.replace("; ", "\n"))
            .expect("text can grow");
    }
    ground(&text)
}

/// `NAME [ALIAS…] = KEY` for each command.
#[track_caller]
fn check(dialect: &str, case: &str, reserved: &[&str], lines: &[&str], expect: &[&str]) {
    let reserved: Vec<String> = reserved.iter().map(|name| (*name).to_owned()).collect();
    let got = skills(lines).of(case, dialect, |_, catalog| {
        let all = commands(catalog, &reserved);
        let line = |command: &skilltree::Command| {
            for name in [&command.name].into_iter().chain(&command.aliases) {
                assert_eq!(all.find(name), Some(command), "{case}: each name leads to its command");
            }
            let names: Vec<&str> =
                [command.name.as_str()].into_iter().chain(command.aliases.iter().map(String::as_str)).collect();
            format!("{} = {}", names.join(" "), command.key)
        };
        all.all().iter().map(line).collect::<Vec<_>>()
    });
    assert_eq!(got, expect, "{case} ({dialect})");
}

#[test]
fn sven() {
    let check =
        |case: &str, reserved: &[&str], lines: &[&str], expect: &[&str]| check("sven", case, reserved, lines, expect);
    check("rule 14.3: segments", &[], &["sven", "sven/plan"], &["sven = sven", "sven/plan = sven/plan"]);
    check("rule 14.3: hyphens", &[], &["git-workflow"], &["git_workflow git-workflow = git-workflow"]);
    check("rule 14.3: lower case", &[], &["Git/Flow"], &["git/flow Git/Flow = Git/Flow"]);
    check("rule 14.3: a run is one `_`, none at the ends", &[], &["--a -. b--"], &["a_b = --a -. b--"]);
    check("rule 14.3: a key with white space is no alias", &[], &["a b"], &["a_b = a b"]);
    check("rule 14.3: letters of any script", &[], &["Größe/日本"], &["größe/日本 Größe/日本 = Größe/日本"]);
    check("rule 14.3: nothing left of a segment", &[], &["--/x"], &["skill/x --/x = --/x"]);
    check(
        "rule 14.3: a collision, by key",
        &[],
        &["a-b", "a.b", "a_b"],
        &["a_b a-b = a-b", "a_b_2 a.b = a.b", "a_b_3 = a_b"],
    );
    check("rule 14.3: an alias loses to a name", &[], &["a-b", "a_b"], &["a_b a-b = a-b", "a_b_2 = a_b"]);
    check(
        "rule 14.3: a number that is a key",
        &[],
        &["a b", "a-b", "a_b_2"],
        &["a_b = a b", "a_b_2 a-b = a-b", "a_b_2_2 = a_b_2"],
    );
    check("rule 14.2: a reserved name", &["plan"], &["plan"], &["plan_2 = plan"]);
    check("rule 14.2: a reserved name, as it is typed", &["/plan"], &["plan"], &["plan_2 = plan"]);
    check("rule 14.2: a reserved alias", &["a-b"], &["a-b"], &["a_b = a-b"]);
    check("rule 14.2: reserved and numbered", &["plan", "plan_2"], &["plan"], &["plan_3 = plan"]);
    check("rule 9.2: for the user alone", &[], &["a: description: D; sven: {user_invocable_only: true}"], &["a = a"]);
    let long = format!("{}/b", "a".repeat(70));
    check("rule 14.3: 64 characters a segment", &[], &[&long], &[&format!("{} {long} = {long}", "a".repeat(64))]);
    let many: Vec<String> = (0..12).map(|n| "-".repeat(n) + "a").collect();
    let got = skills(&many.iter().map(String::as_str).collect::<Vec<_>>()).of(
        "rule 14.3: many of one name",
        "sven",
        |_, catalog| commands(catalog, &[]).all().iter().map(|command| command.name.clone()).collect::<Vec<_>>(),
    );
    let mut names: Vec<String> = (2..=12).map(|n| format!("a_{n}")).collect();
    names.insert(0, "a".to_owned());
    assert_eq!(got, names, "rule 14.3: many of one name");
}

/// What is left of a key may be the name of a command of the program itself.
#[test]
fn pegasus() {
    for name in ["exit ", " Exit", "HELP "] {
        let text = format!("//- /p/data/skills/x/SKILL.md\n---\nname: \"{name}\"\ndescription: D\n---\n");
        let got = ground(&text).of("rule 14.2", "pegasus", |_, catalog| {
            commands(catalog, &[]).all().iter().map(|command| command.name.clone()).collect::<Vec<_>>()
        });
        assert_eq!(got, [format!("{}_2", name.trim().to_lowercase())], "rule 14.2: {name:?}");
    }
}

#[test]
fn agentskills() {
    let check = |case: &str, reserved: &[&str], lines: &[&str], expect: &[&str]| {
        check("agentskills", case, reserved, lines, expect)
    };
    check("rule 14.4: the key", &[], &["a-b"], &["a-b = a-b"]);
    check("rule 14.4: letter case stays", &[], &["Big.One"], &["Big.One = Big.One"]);
    check("rule 14.4: white space", &[], &["x: name: My Big Skill; description: D"], &["my_big_skill = My Big Skill"]);
    check("rule 14.4: a slash", &[], &["x: name: Ns/Cmd; description: D"], &["ns/cmd Ns/Cmd = Ns/Cmd"]);
    check(
        "rule 14.4: an exact key comes first, `_2` on collision",
        &[],
        &["x: name: a b; description: D", "y: name: a_b; description: D"],
        &["a_b_2 = a b", "a_b = a_b"],
    );
    check("rule 14.2: a reserved name counts as taken", &["help"], &["help"], &["help_2 = help"]);
    check("rule 14.2: reserved names mind letter case", &["help"], &["Help"], &["Help = Help"]);
    check("rule 9.3: not for the user", &[], &["a: name: a; description: D; user-invocable: false", "b"], &["b = b"]);
    check(
        "rule 9.3: not for the model",
        &[],
        &["a: name: a; description: D; disable-model-invocation: true"],
        &["a = a"],
    );
    let off =
        skills(&["a", "b"]).off("a").of("rule 9.1: switched off", "agentskills", |_, c| commands(c, &[]).all().len());
    assert_eq!(off, 1, "rule 9.1: switched off");
}

#[test]
fn menus() {
    let description = format!("description: |\n  one\n  two {}", "é".repeat(200));
    let tree = skills(&[&format!("a: {description}; argument-hint: FILE")]);
    let got = tree.of("rule 14.7: the menu", "sven", |_, catalog| {
        commands(catalog, &[]).all().iter().map(|c| (c.description.clone(), c.hint.clone())).collect::<Vec<_>>()
    });
    let cut = format!("one two {}…", "é".repeat(91));
    assert_eq!(got, [(cut, Some("FILE".to_owned()))], "rule 14.7: 100 characters of the description");

    #[track_caller]
    fn complete(case: &str, prefix: &str, expect: &[&str]) {
        let got = skills(&["Apple-Pie", "apple", "b/apple", "banana"]).of(case, "sven", |_, catalog| {
            commands(catalog, &[]).complete(prefix).iter().map(|command| command.name.clone()).collect::<Vec<_>>()
        });
        assert_eq!(got, expect, "{case}");
    }
    complete("complete: by prefix, without letter case", "APP", &["apple", "apple_pie"]);
    complete("complete: a leading slash", "/b", &["b/apple", "banana"]);
    complete("complete: an alias", "apple-", &["apple_pie"]);
    complete("complete: all, by name", "", &["apple", "apple_pie", "b/apple", "banana"]);
    complete("complete: none", "x", &[]);
}

#[test]
fn odd_names() {
    let tree = ground("//- /p/.agents/skills/a/SKILL.md\n---\nname: \"a\\u202eb\"\ndescription: D\n---\n");
    let got = tree.of("rule 7.7: both spellings", "agentskills", |_, catalog| {
        let all = commands(catalog, &[]);
        ["a\u{202e}b", "a\\u{202e}b"].map(|name| all.find(name).map(skilltree::Command::shown))
    });
    assert_eq!(got, [Some("a\\u{202e}b".to_owned()), Some("a\\u{202e}b".to_owned())], "rule 7.7: both spellings");
}

#[test]
fn namespaces() {
    let ns = |lines: &[&str]| -> Ground {
        let mut ground = skills(&[]);
        for line in lines {
            let (namespace, name) = line.split_once(':').unwrap_or(("", line));
            let folder = line.replace([':', '/'], "-");
            let text = format!("---\nname: \"{name}\"\nnamespace: \"{namespace}\"\n---\n");
            ground.tree = ground.tree.with(&format!("/p/.gen/skills/{folder}/SKILL.md"), text);
        }
        ground
    };
    let check = |case: &str, reserved: &[&str], lines: &[&str], typed: &[(&str, &str)]| {
        let reserved: Vec<String> = reserved.iter().map(|name| (*name).to_owned()).collect();
        let names: Vec<&str> = typed.iter().map(|(name, _)| *name).collect();
        let got = ns(lines).of(case, "gencode", |_, catalog| {
            let all = commands(catalog, &reserved);
            let found = |name: &str| match all.find(name) {
                Some(command) => command.key.clone(),
                None => all.unclear(name).join("|"),
            };
            names.iter().map(|name| found(name)).collect::<Vec<_>>()
        });
        assert_eq!(got, typed.iter().map(|(_, key)| *key).collect::<Vec<_>>(), "{case}");
    };
    check("rule 14.5: the key", &[], &["git:commit"], &[("git:commit", "git:commit"), ("git", ""), ("git:", "")]);
    check("rule 14.5: the short name", &[], &["git:commit"], &[("commit", "git:commit"), ("comm", "")]);
    let disabled = ns(&["commit", "git:commit"]).off("commit").of("15", "gencode", |_, catalog| {
        let all = commands(catalog, &[]);
        ["commit", "Commit", "git:commit"].map(|name| all.find(name).map(|command| command.key.clone()))
    });
    assert_eq!(
        disabled,
        [None, None, Some("git:commit".to_owned())],
        "rules 8.3 and 14.5: a disabled key is no short name"
    );
    check("rule 14.5: after the last colon", &[], &["a:b:c"], &[("c", "a:b:c"), ("b:c", ""), ("a:b:c", "a:b:c")]);
    check(
        "rule 14.5: two of them",
        &[],
        &["git:log", "app:log"],
        &[("log", "app:log|git:log"), ("app:log", "app:log")],
    );
    check("rule 14.5: after exact ones", &[], &["git:pr", "pr"], &[("pr", "pr"), ("git:pr", "git:pr")]);
    check("rule 14.5: after reserved ones", &["help"], &["git:help"], &[("help", ""), ("git:help", "git:help")]);
    check("rule 14.2: a reserved key", &["/help"], &["help"], &[("help", ""), ("help_2", "help")]);
    check("rule 14.2: in any letter case", &["HELP"], &["help"], &[("help", ""), ("HELP", ""), ("help_2", "help")]);
    check("rule 14.5: a reserved one is not unclear", &["log"], &["a:log", "b:log"], &[("log", "")]);
    check("rule 14.5: letter case", &[], &["git:Commit"], &[("COMMIT", "git:Commit"), ("Git:commit", "git:Commit")]);
    check("rule 14.5: letter case, as written first", &[], &["a:X", "b:x"], &[("X", "a:X"), ("x", "b:x")]);
    check("rule 14.5: letter case, two", &[], &["a:XY", "b:xy"], &[("Xy", ""), ("XY", "a:XY")]);
    check("rule 14.2: letter case of reserved ones", &["help"], &["git:HELP"], &[("Help", ""), ("HELP", "")]);
    check("rule 14.2: letter case of reserved ones", &["HELP"], &["git:help"], &[("help", ""), ("HELP", "")]);
    check("rule 14.5: letter case of keys", &[], &["Help", "git:help"], &[("help", "Help"), ("HELP", "Help")]);
    check("rule 14.5: white space", &[], &["my git:do it"], &[("my_git_do_it", "my git:do it"), ("do", "")]);
    check(
        "rule 14.5: white space before the name",
        &[],
        &["my git:go"],
        &[("my_git_go", "my git:go"), ("go", "my git:go")],
    );
    check("rule 14.5: nothing after the colon", &[], &["a:b:"], &[("a:b:", "a:b:"), ("", ""), ("b:", "")]);
}

/// Completion finds a command by the part of its key after the colon, however many keys end in it.
#[test]
fn completion_by_a_part() {
    let lines = [
        "a: namespace: git; name: commit",
        "b: namespace: jira; name: commit",
        "c: namespace: git; name: pr",
        "d: name: prune",
    ];
    let found = |dialect: &str, prefix: &str| {
        skills(&lines).of(prefix, dialect, |world, _| {
            let places = skilltree::Places { roots: vec![common::path("/p/.agents/skills")], ..world.places.clone() };
            let world = skilltree::World::new(world.fs, &places, world.host);
            let catalog = skilltree::discover(&world, &common::ground::table(dialect));
            let commands = commands(&catalog, &["pr".to_owned()]);
            commands.complete(prefix).iter().map(|command| command.name.clone()).collect::<Vec<_>>()
        })
    };
    assert_eq!(found("gencode", "com"), ["git:commit", "jira:commit"], "one name in two namespaces");
    assert_eq!(found("gencode", "/COMMIT"), ["git:commit", "jira:commit"], "in another letter case");
    assert_eq!(found("gencode", "pr"), ["git:pr", "prune"], "a name that is the host's");
    assert_eq!(found("gencode", "git:c"), ["git:commit"], "by the whole name");
    assert_eq!(found("gencode", "mit"), [""; 0], "no part from its middle");
}
