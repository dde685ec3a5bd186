//! Checks of files, folders and trees: topics 4, 6, 7 and 22 of the rules. In memory and on the disk.

use crate::common;

use common::ground::{Ground, brief, ground, on, table};
use common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::{CheckRequest, Code, check};

#[track_caller]
fn checked(case: &str, dialect: &str, ground: &Ground, paths: &[&str], strict: bool) -> Result<Vec<String>, String> {
    let paths: Vec<_> = paths.iter().map(|at| path(at)).collect();
    ground.ask(case, |world| {
        let found =
            check(world, &table(dialect), &paths, &CheckRequest { strict }).map_err(|error| error.code().to_owned())?;
        assert!(
            found.iter().all(|finding| !finding.message.contains('\n') && !finding.message.ends_with('.')),
            "{case}: one line, no full stop"
        );
        Ok(found.iter().map(brief).collect())
    })
}

#[track_caller]
fn finds(case: &str, dialect: &str, ground: &Ground, paths: &[&str], expect: &[&str]) {
    let got = checked(case, dialect, ground, paths, false).expect(case);
    assert_eq!(got, expect, "{case}");
}

const TREE: &str = "
//- /s/good/SKILL.md
---
name: good
description: D
---
//- /s/good/README.md
//- /s/bad/SKILL.md
---
name: Bad
description: D
---
//- /s/bad/worse/SKILL.md
---
name: worse
---
//- /s/none/README.md
//- /s/small/skill.md
---
name: small
description: D
---
";

#[test]
fn paths() {
    let ground = ground(TREE);
    let bad = ["error name-invalid /s/bad/SKILL.md:2:7", "error name-mismatch /s/bad/SKILL.md:2:7"];
    let worse = "error description-missing /s/bad/worse/SKILL.md";
    let small = "warning file-name-case /s/small/skill.md";
    finds("a file", "agentskills", &ground, &["/s/bad/SKILL.md"], &bad);
    finds("a file without fault", "agentskills", &ground, &["/s/good/SKILL.md"], &[]);
    finds("a skill's folder", "agentskills", &ground, &["/s/good"], &[]);
    finds("a skill's folder, and what is nested", "agentskills", &ground, &["/s/bad"], &[bad[0], bad[1], worse]);
    finds("a tree", "agentskills", &ground, &["/s"], &[bad[0], bad[1], worse, small]);
    finds(
        "several, each finding once",
        "agentskills",
        &ground,
        &["/s/bad", "/s/bad/SKILL.md", "/s"],
        &[bad[0], bad[1], worse, small],
    );
    finds("rule 3.10: the file in another letter case", "agentskills", &ground, &["/s/small/skill.md"], &[small]);
    finds("rule 4.11: one that is not read", "claude", &ground, &["/s/small/skill.md"], &[small]);
    let named = |name: &str| self::ground(&format!("//- /s/tea/{name}\n---\nname: tea\ndescription: D\n---\n"));
    for name in ["SKILL.md.txt", "skill.txt", "SKILL"] {
        let near = [&*format!("warning file-name-case /s/tea/{name}")];
        finds(
            "rule 3.10: a name that is nearly right",
            "agentskills",
            &named(name),
            &[&format!("/s/tea/{name}")],
            &near,
        );
    }
    for (name, dialect) in [("skill.md", "agentskills"), ("skill.md", "claude"), ("SKILL.txt", "agentskills")] {
        let both =
            self::ground(&format!("//- /s/tea/SKILL.md\n---\nname: tea\ndescription: D\n---\n//- /s/tea/{name}\n"));
        let told = both.ask("rule 3.10", |world| {
            let file = [path(&format!("/s/tea/{name}"))];
            let found = check(world, &table(dialect), &file, &CheckRequest::default()).unwrap();
            found.iter().map(|finding| (brief(finding), finding.help.clone())).collect::<Vec<_>>()
        });
        let expected = (format!("warning file-name-case /s/tea/{name}"), Some("keep one of the two".to_owned()));
        assert_eq!(told, [expected], "rule 3.10: a file beside the SKILL.md that is read, {name} in {dialect}");
    }
    finds(
        "rule 7.4: a file without a folder of its own",
        "agentskills",
        &named("readme.md"),
        &["/s/tea/readme.md"],
        &[],
    );
    finds("rule 6.12: another profile", "sven", &ground, &["/s"], &[worse, small]);
    finds("rule 24.5: no SKILL.md", "agentskills", &ground, &["/s/none"], &["error no-skill /s/none"]);
    finds(
        "rule 4.2: what is no text of a skill",
        "agentskills",
        &ground,
        &["/s/none/README.md"],
        &["error frontmatter-missing /s/none/README.md:1:1"],
    );
    assert_eq!(checked("nothing there", "sven", &ground, &["/s/gone"], false), Err("file-system".to_owned()));
    assert_eq!(
        checked("one of two is not there", "sven", &ground, &["/s/good", "/s/gone"], false),
        Err("file-system".to_owned())
    );
}

/// Skills that are single files for a dialect are checked with the folder that they are in.
#[test]
fn trees_with_skills_of_one_file() {
    let broken = "---\nname: foo\ndescription: [D\n---\n";
    let ground = on(Tree::default()
        .with("/p/.pi/skills/foo.md", broken)
        .with("/p/.pi/skills/notes.md", "No skill.\n")
        .with("/p/.claude/commands/foo.md", broken)
        .with("/p/.claude/skills/tea/notes.md", "No skill.\n"));
    let cases = [
        ("pi", "/p/.pi/skills", "error yaml /p/.pi/skills/foo.md:3:14"),
        ("pi", "/p", "error yaml /p/.pi/skills/foo.md:3:14"),
        ("pi", "/p/.claude", "error no-skill /p/.claude"),
        ("claude", "/p", "warning yaml-repaired /p/.claude/commands/foo.md:3:14"),
        ("claude", "/p/.claude/commands", "warning yaml-repaired /p/.claude/commands/foo.md:3:14"),
        ("claude", "/p/.claude/skills", "error no-skill /p/.claude/skills"),
        ("codex", "/p", "error no-skill /p"),
    ];
    for (dialect, at, expect) in cases {
        finds(&format!("{dialect} {at}"), dialect, &ground, &[at], &[expect]);
    }
}

/// Rule 3.9: one file is checked at the path that is used.
#[test]
fn one_file_in_two_sources() {
    let tree = Tree::default().with("/p/.agents/skills/x/SKILL.md", "---\nname: x\ndescription: a: b\n---\n");
    let ground = on(tree.with_link("/p/.claude/skills/x", "../../.agents/skills/x"));
    let agents = "warning yaml-repaired /p/.agents/skills/x/SKILL.md:3:15";
    finds("opencode", "opencode", &ground, &[], &[agents, "note same-file /p/.claude/skills/x/SKILL.md"]);
}

#[test]
fn sources() {
    let tree = "
//- /p/.agents/skills/a/SKILL.md
---
name: a
description: D
---
//- /h/.agents/skills/a/SKILL.md
---
name: a
---
//- /p/.agents/skills/SKILL.md
//- /p/.agents/skills/l link=a
//- /p/.agents/skills/.git dir
";
    finds(
        "without paths, every source, shadowed ones too",
        "agentskills",
        &ground(tree),
        &[],
        &[
            "error description-missing /h/.agents/skills/a/SKILL.md",
            "note not-entered /p/.agents/skills/.git",
            "warning skill-at-root /p/.agents/skills/SKILL.md",
            "note same-file /p/.agents/skills/l/SKILL.md",
        ],
    );
    finds("no sources at all", "agentskills", &ground("//- /p dir\n"), &[], &[]);
}

#[test]
fn no_rule_no_error() {
    let long = |chars: usize| "d".repeat(chars);
    let skill = |folder: &str, fields: &str| format!("//- /s/{folder}/SKILL.md\n---\n{fields}\n---\nBody.\n");
    let fine = [
        skill("label", "name: Deploy to staging!\ndescription: D"),
        skill("shown", &format!("description: {}", long(1_536))),
        skill("Capital_Folder", "description: D"),
        skill("nameless", "description: D"),
        skill(&"f".repeat(80), "description: D"),
        skill("long-label", &format!("name: {}\ndescription: D", long(80))),
    ];
    finds("claude has no rule for these", "claude", &ground(&fine.concat()), &["/s"], &[]);
    let cut = skill("cut", &format!("description: {}", long(1_537)));
    finds("what is not shown", "claude", &ground(&cut), &["/s"], &["warning too-long /s/cut/SKILL.md:2:14"]);
}

#[test]
fn kinds_of_files() {
    let tree = "//- /s/a/SKILL.md link=gone\n//- /s/b/SKILL.md/x\n//- /s/c/SKILL.md other\n//- /s/d/SKILL.md sparse=16777217\n";
    let all = [
        "error link-dangling /s/a/SKILL.md",
        "error not-a-file /s/b/SKILL.md",
        "error not-a-file /s/c/SKILL.md",
        "error too-large /s/d/SKILL.md",
    ];
    finds("rule 3.10: in a tree", "agentskills", &ground(tree), &["/s"], &all);
    finds("rule 3.11: a dangling link, named", "agentskills", &ground(tree), &["/s/a/SKILL.md"], &all[..1]);
    finds("rule 3.11: a FIFO, named", "agentskills", &ground(tree), &["/s/c/SKILL.md"], &all[2..3]);
    finds("rule 4.1: too large, named", "agentskills", &ground(tree), &["/s/d/SKILL.md"], &all[3..]);
}

#[test]
fn strict() {
    let skill = "//- /s/тест/SKILL.md\n---\nname: тест\ndescription: D\nfoo: 1\nmetadata:\n  a: [b]\n  c: d\n---\n";
    let ground = ground(skill);
    assert_eq!(checked("rule 7.2: lenient", "agentskills", &ground, &["/s"], false), Ok(vec![]), "rule 7.2: lenient");
    let found =
        ["error name-invalid", "warning unknown-field", "warning wrong-type"].iter().zip([":2:7", ":4:1", ":6:6"]);
    let expect: Vec<String> = found.map(|(what, at)| format!("{what} /s/тест/SKILL.md{at}")).collect();
    assert_eq!(
        checked("rules 6.6 and 7.2: strict", "agentskills", &ground, &["/s"], true),
        Ok(expect),
        "rules 6.6 and 7.2: strict"
    );
}

#[test]
fn codes() {
    let names = "too-large not-utf8 control-character frontmatter-missing frontmatter-unclosed frontmatter-not-first \
        frontmatter-fence yaml yaml-repaired yaml-comment yaml-tab yaml-refused yaml-alias yaml-too-deep duplicate-key wrong-type unknown-field \
        removed-field description-missing name-missing name-invalid name-mismatch too-long version-invalid unreachable \
        unmet-requirement lower-in-use same-file file-name-case skill-at-root too-deep not-entered not-a-file link-cycle \
        link-dangling scan-truncated unreadable path-not-utf8 source-unreadable hidden-characters closes-frame \
        untrusted-grant unknown-permission trigger-empty pattern-invalid pattern-unsupported state-unknown store-corrupt \
        knowledge-missing activation-collision foreign-entry left-out";
    for name in names.split_whitespace() {
        assert_eq!(Code::named(name).map(Code::as_str), Some(name), "rule 22.1: {name}");
    }
    for code in Code::ALL {
        assert_eq!(Code::named(code.as_str()), Some(*code), "rule 22.1: there and back: {code}");
    }
    assert_eq!(Code::named("Yaml"), None, "rule 22.1: names are exact");
}

/// Whatever discovery finds, a check of the same places finds too: lists point to it.
#[test]
fn what_discovery_finds() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("gencode", "//- /p/.gen/skills.json\n{\n", &["error store-corrupt /p/.gen/skills.json"]),
        ("gencode", "//- /h/.gen/skills.json\n[]\n", &["error store-corrupt /h/.gen/skills.json"]),
        (
            "gencode",
            "//- /h/.gen/skills.json\n{\"skills\": {\"a\": \"on\"}}\n",
            &["warning state-unknown /h/.gen/skills.json"],
        ),
        (
            "gencode",
            "//- /h/.gen/plugins/installed_plugins.json\n{\n",
            &["error store-corrupt /h/.gen/plugins/installed_plugins.json"],
        ),
        (
            "sven",
            "//- /p/.sven/skills/a/SKILL.md\n---\ndescription: D\nsven: {requires_env: [NO_SUCH]}\n---\n",
            &["warning unmet-requirement /p/.sven/skills/a/SKILL.md"],
        ),
        (
            "agentskills",
            "//- /p/.agents/skills/a/SKILL.md\n---\nname: a\n---\n//- /h/.agents/skills/a/SKILL.md\n---\nname: a\ndescription: D\n---\n",
            &[
                "error description-missing /p/.agents/skills/a/SKILL.md",
                "note lower-in-use /p/.agents/skills/a/SKILL.md",
            ],
        ),
        ("claude", "//- /p/.claude/skills/a/b/SKILL.md\n", &["warning too-deep /p/.claude/skills/a/b/SKILL.md"]),
    ];
    for (dialect, tree, expect) in cases {
        let ground = ground(tree);
        finds(dialect, dialect, &ground, &[], expect);
        let (discovered, checked) = ground.of(dialect, dialect, |world, catalog| {
            let codes = |found: &[skilltree::Diagnostic]| {
                found.iter().map(|finding| (finding.path.clone(), finding.code)).collect::<Vec<_>>()
            };
            let checked = check(world, &table(dialect), &[], &CheckRequest::default()).expect(dialect);
            (codes(catalog.findings()), codes(&checked))
        });
        assert!(discovered.iter().all(|found| checked.contains(found)), "{dialect}: {discovered:?} in {checked:?}");
    }
}

#[test]
fn files_that_fields_name() {
    let tree = "
//- /s/a/SKILL.md
---
name: a
description: D
toolsets:
  - \"toolsets/index:Hi\"
  - gone:X
  - toolsets/index
scripts: [boil.py, brew.py, ../out.sh, scripts/boil.py]
---
//- /s/a/toolsets/index.ts
//- /s/a/scripts/boil.py
//- /s/b/SKILL.md
---
name: b
description: D
scripts: boil.py,  bowl.py
---
//- /s/b/scripts/boil.py
//- /s/c/SKILL.md
---
name: c
description: D
scripts: [3]
---
//- /p/.sven/skills/k/SKILL.md
---
description: D
knowledge:
  - tea.md
  - gone.md
---
//- /p/.sven/knowledge/tea.md
";
    let ground = ground(tree);
    let a = [
        "error toolset-missing /s/a/SKILL.md:6:5",
        "warning wrong-type /s/a/SKILL.md:7:5",
        "error script-missing /s/a/SKILL.md:8:20",
        "error script-missing /s/a/SKILL.md:8:29",
    ];
    finds("item by item", "agent-base", &ground, &["/s/a"], &a);
    finds("a list in a text", "agent-base", &ground, &["/s/b"], &["error script-missing /s/b/SKILL.md:4:20"]);
    finds("a list that cannot be read", "agent-base", &ground, &["/s/c"], &["warning wrong-type /s/c/SKILL.md:4:11"]);
    finds("no field of the dialect", "agentskills", &ground, &["/s/a"], &[]);
    let k = ["warning knowledge-missing /p/.sven/skills/k/SKILL.md:5:5"];
    finds("knowledge", "sven", &ground, &["/p/.sven/skills/k"], &k);
    let near = ground.ask("a name that is near", |world| {
        let found = check(world, &table("agent-base"), &[path("/s/b")], &CheckRequest::default()).expect("it is there");
        found.first().map(|found| (found.help.clone().unwrap_or_default(), found.line_text.clone().unwrap_or_default()))
    });
    let help = "did you mean `boil.py`? otherwise add the file, or drop the name";
    assert_eq!(near, Some((help.to_owned(), "scripts: boil.py,  bowl.py".to_owned())));
}

#[test]
fn files_that_the_text_refers_to() {
    let tree = "
//- /s/a/SKILL.md
---
name: a
description: D
---
[here](kinds.md) [with an anchor](kinds.md#green) [a folder](references/) ![](<assets/a b.png>) [b](assets/a%20b.png)
[gone](gone.md) and ![gone](assets/gone.png 'T') and [near](kindz.md#x)
`references/tea.md` `./references/tea.md` `references/gone.md` `scripts/gone.sh` `src/main.rs` `references/*.md`
[up](../kinds.md) [another skill](../b/SKILL.md) [back](references/../kinds.md) `../b/notes.md`
[a](https://example.com/a.md) [b](#kinds) [c](/etc/passwd) [d](${DIR}/a.md) [e](url) [f](mailto:a@b.c) [g](path/to/a.md)
For example `references/example.md`, and `references/NAME-….md`.

```sh
cat [x](fenced.md)
```

[label]: defined.md
[self](SKILL.md) [dot](.) `assets\\a.png` [name](kinds.md/more)
//- /s/a/kinds.md
//- /s/a/references/tea.md
//- /s/a/assets/a b.png
//- /s/b/SKILL.md
---
name: b
description: D
---
`scripts/run.sh` is that of the project.
//- /s/b/notes.md
";
    let ground = ground(tree);
    let missing = ["6:8", "6:29", "6:61", "7:44", "16:10", "17:28", "17:49"];
    let mut expect: Vec<String> =
        missing.iter().map(|at| format!("warning reference-missing /s/a/SKILL.md:{at}")).collect();
    expect.insert(4, "warning reference-outside /s/a/SKILL.md:8:6".to_owned());
    assert_eq!(checked("rule 6.21: by default", "agentskills", &ground, &["/s"], false), Ok(expect.clone()));
    expect.insert(5, "warning reference-outside /s/a/SKILL.md:8:35".to_owned());
    assert_eq!(checked("rule 6.21: strict", "agentskills", &ground, &["/s"], true), Ok(expect));
    let help = ground.ask("rule 6.21: what to do", |world| {
        let found =
            check(world, &table("agentskills"), &[path("/s/a")], &CheckRequest::default()).expect("it is there");
        found.iter().filter_map(|finding| finding.help.clone()).collect::<Vec<_>>()
    });
    assert_eq!(help[2], "did you mean `kinds.md`? otherwise add the file, or remove the reference");
    assert_eq!(help[6], "separate folders with `/`");
}

#[test]
fn references_over_several_files() {
    let tree = "
//- /s/a/SKILL.md
---
name: a
description: D
---
[one](references/one.md) and [both](both.md) and all of [more](more/). [Another skill](sub/SKILL.md).
//- /s/a/references/one.md
[two](two.md), `references/three.md`, [both](../both.md), [m](../more/m.md), [self](one.md), [up](../SKILL.md), [gone](x.md)
//- /s/a/references/two.md
[four](four.md)
//- /s/a/references/three.md
//- /s/a/references/four.md
//- /s/a/both.md
//- /s/a/more/m.md
//- /s/a/sub/SKILL.md
---
name: sub
description: D
---
[x](x.md)
//- /s/a/sub/x.md
";
    let ground = ground(tree);
    let nested = ["1:7", "1:17"].map(|at| format!("warning reference-nested /s/a/references/one.md:{at}"));
    assert_eq!(checked("rule 6.21", "agentskills", &ground, &["/s"], true), Ok(nested.to_vec()));
    assert_eq!(checked("rule 6.21: not by default", "agentskills", &ground, &["/s"], false), Ok(vec![]));
}

#[test]
fn references_that_cannot_be_judged() {
    let body = "---\nname: a\ndescription: D\n---\n[x](out/x.md) [y](in/y.md) [z](in/z.md)\n";
    let tree = format!(
        "//- /p/s/a/SKILL.md\n{body}//- /p/s/a/out link=/q\n//- /q/x.md\n//- /p/s/a/in link=/p/t\n//- /p/t/y.md\n"
    );
    finds(
        "rule 3.7: a symlink that leads out is not followed",
        "agentskills",
        &ground(&tree),
        &["/p/s"],
        &["warning reference-missing /p/s/a/SKILL.md:5:32", "warning leads-out /p/s/a/out"],
    );
    let command = "---\ndescription: D\n---\n[x](x.md)\n";
    let tree = format!("//- /p/.claude/commands/tea.md\n{command}");
    finds("a file without a folder of its own", "claude", &ground(&tree), &[], &[]);
}

#[test]
fn values_that_only_check_reports() {
    let of = |dialect: &str, fields: &str, strict: bool| {
        let ground = ground(&format!("//- /s/a/SKILL.md\n---\nname: a\ndescription: D\n{fields}\n---\nText.\n"));
        let found = checked(fields, dialect, &ground, &["/s"], strict).expect(fields);
        found.iter().map(|finding| finding.replace(" /s/a/SKILL.md", "")).collect::<Vec<_>>()
    };
    assert_eq!(of("claude", "effort: turbo", false), ["warning unknown-value:4:9"], "rule 6.22");
    assert_eq!(of("claude", "effort: HIGH\nshell: bash\nmodel: turbo", false), Vec::<String>::new(), "rule 6.22");
    assert_eq!(of("agentskills", "effort: turbo", false), Vec::<String>::new(), "rule 6.22: no such field");
    assert_eq!(of("agentskills", "compatibility:", false), ["error empty-value:4:1"], "rule 6.23");
    assert_eq!(of("claude", "compatibility: ' '", false), ["warning empty-value:4:1"], "rule 6.23");
    assert_eq!(of("sven", "compatibility: ''", false), Vec::<String>::new(), "rule 6.23: not limited");
    assert_eq!(of("claude", "agent: a\nbackground: true", false), ["warning no-effect:4:8", "warning no-effect:5:13"]);
    assert_eq!(of("claude", "agent: a\ncontext: fork\nbackground: false", false), Vec::<String>::new(), "rule 6.23");
    assert_eq!(of("claude", "allowed-tools: Bash(git *", false), ["warning wrong-type:4:16"], "rule 6.23");
    for (tools, at) in [("“Read”, “Grep”", 16), ("[Read, ‘Grep’]", 23), ("Read，Grep", 16), ("Bash(a，b)，Read", 16)]
    {
        let expect = [format!("warning wrong-type:4:{at}")];
        assert_eq!(of("claude", &format!("allowed-tools: {tools}"), false), expect, "rule 6.23");
    }
    for (tools, column) in [
        ("“Bash”", 19),
        ("-Bash -Write", 19),
        ("Bash; Write", 19),
        ("(Bash, Write)", 19),
        ("Bash, Write]", 19),
        ("[Read, Bash Write]", 26),
    ] {
        let expect = format!("warning wrong-type:4:{column}");
        assert_eq!(of("claude", &format!("disallowed-tools: {tools}"), false), [expect], "rule 6.23: {tools}");
    }
    for tools in ["Bash(git log; ls) Read", "[\"Bash(git *)\", mcp__a-b__c, \" Read \"]", "Bash(echo [a])"] {
        assert_eq!(of("claude", &format!("disallowed-tools: {tools}"), false), [""; 0], "rule 6.23: {tools}");
    }
    let quoted = "allowed-tools: Bash(echo “a，b”)";
    assert_eq!(of("claude", quoted, false), Vec::<String>::new(), "rule 6.23: in parentheses");
    assert_eq!(of("claude", "allowed-tools: [Read, \"Bash(ls)) \"]", false), ["warning wrong-type:4:23"], "rule 6.23");
    assert_eq!(
        of("claude", "allowed-tools: Read, Bash(a, b)", true),
        Vec::<String>::new(),
        "rule 6.23: the client's own"
    );
    assert_eq!(of("agentskills", "allowed-tools: Read Bash(a, b)", true), Vec::<String>::new(), "rule 6.23: one text");
    assert_eq!(of("agentskills", "allowed-tools: Read, Bash(a, b)", false), Vec::<String>::new(), "rule 6.23: lenient");
    assert_eq!(of("agentskills", "allowed-tools: Read, Bash(a, b)", true), ["warning wrong-type:4:16"], "rule 6.23");
    assert_eq!(of("agentskills", "allowed-tools: [Read]", true), ["warning wrong-type:4:16"], "rule 6.23: strict");
}

#[test]
fn descriptions_that_are_placeholders() {
    let is_placeholder = |text: &str| {
        let skill = format!("//- /s/a/SKILL.md\n---\nname: a\ndescription: {text}\n---\n");
        let found = checked(text, "agentskills", &ground(&skill), &["/s"], false).expect(text);
        found == ["warning description-placeholder /s/a/SKILL.md:3:14"]
    };
    for text in
        ["TODO", "'[TODO: say what]'", "tbd", "'<description>'", "Your description here.", "...", "'{{description}}'"]
    {
        assert!(is_placeholder(text), "rule 6.23: {text}");
    }
    for text in ["D", "Keeps a TODO list", "TODO list", "Description of cats", "茶"] {
        assert!(!is_placeholder(text), "rule 6.23: {text}");
    }
}

#[test]
fn tokens_of_a_body() {
    let skill = |words: usize| {
        ground(&format!("//- /s/a/SKILL.md\n---\nname: a\ndescription: D\n---\n{}\n", "tea ".repeat(words)))
    };
    finds("rule 6.13: too many tokens", "agentskills", &skill(5_002), &["/s"], &["warning too-long /s/a/SKILL.md"]);
    finds("rule 6.13: no more than allowed", "agentskills", &skill(5_000), &["/s"], &[]);
}
