//! Checks of files, folders and trees: topics 4, 6, 7 and 22 of the rules. In memory and on the disk.

use crate::common;

use common::ground::{Ground, brief, ground, table};
use common::path;
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
    let tree =
        "//- /s/a/SKILL.md link=gone\n//- /s/b/SKILL.md/x\n//- /s/c/SKILL.md other\n//- /s/d/SKILL.md sparse=300000\n";
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
        frontmatter-fence yaml yaml-repaired yaml-comment yaml-alias yaml-too-deep duplicate-key wrong-type unknown-field \
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
    finds("a list that cannot be read", "agent-base", &ground, &["/s/c"], &["warning wrong-type /s/c/SKILL.md:4:10"]);
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
