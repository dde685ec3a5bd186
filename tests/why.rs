//! What became of a name or a path: topic 8 of the rules. In memory and on the disk.

use crate::common;

use common::Tree;
use common::ground::{Ground, ground, on};
use pretty_assertions::assert_eq;
use skilltree::model::Reading;
use skilltree::{Catalog, Code, PromptRequest, Why, World, prompt, why};

const TREE: &str = "
//- /h/.agents/skills/low/SKILL.md
---
name: low
description: D
---
//- /p/.agents/skills/low/SKILL.md
---
name: low
description: D
---
//- /p/.agents/skills/user/SKILL.md
---
name: user
description: D
disable-model-invocation: true
---
//- /p/.agents/skills/nobody/SKILL.md
---
name: nobody
description: D
disable-model-invocation: true
user-invocable: false
---
//- /p/.agents/skills/lost/SKILL.md
---
name: lost
---
//- /h/.agents/skills/lost/SKILL.md
---
name: lost
description: D
---
//- /p/.agents/skills/deep/er/odd/SKILL.md
---
name: other
description: D
---
//- /p/.agents/skills/off/SKILL.md
---
name: off
description: D
---
//- /p/.agents/skills/again link=deep/er/odd
//- /p/.agents/skills/group link=deep
//- /p/.agents/skills/up link=.
//- /p/.agents/skills/gone link=nowhere
//- /p/.agents/skills/node_modules/pack/SKILL.md
//- /p/.agents/skills/dir/SKILL.md/x
//- /p/.agents/skills/case/skill.md
---
name: case
description: D
---
//- /p/.agents/skills/SKILL.md
";

fn tree() -> Ground {
    ground(TREE).off("off")
}

fn line(why: &Why) -> String {
    let code = why.code.map(|code| format!(" {code}")).unwrap_or_default();
    format!("{} {}{code}", why.path, why.outcome.as_str()).replace("/.agents/skills/", " ").replace("/SKILL.md", "")
}

#[track_caller]
fn check(case: &str, asked: &str, budget: Option<usize>, expect: &[&str]) -> Vec<Why> {
    let ask = PromptRequest { budget, ..PromptRequest::default() };
    let got = tree().of(case, "agentskills", |world, catalog| why(world, catalog, asked, &ask));
    assert_eq!(got.iter().map(line).collect::<Vec<_>>(), expect, "{case}");
    assert!(got.iter().all(|why| !why.message.is_empty() && !why.message.contains('\n')), "{case}: one line each");
    got
}

#[test]
fn verdicts() {
    check("rule 8.6: in use, and what it shadows", "low", None, &["/h low shadowed", "/p low in-use"]);
    check("rule 8.6: hidden", "user", None, &["/p user hidden"]);
    check("rule 8.6: hidden from all", "nobody", None, &["/p nobody hidden"]);
    check("rule 9.1: switched off", "off", None, &["/p off hidden"]);
    check("rule 8.6: left out", "low", Some(0), &["/h low shadowed", "/p low left-out left-out"]);
    check("rule 8.6: hidden before left out", "user", Some(0), &["/p user hidden"]);
    let lost = check(
        "rule 8.6: skipped, and the lower one in use",
        "lost",
        None,
        &["/h lost in-use", "/p lost skipped description-missing"],
    );
    assert!(
        lost[1].help.is_some() && lost[1].message.contains("description"),
        "rule 8.6: the finding says why: {lost:?}"
    );
    check("rule 8.6: never entered", "node_modules", None, &["/p node_modules skipped not-entered"]);
    check("rule 8.6: a folder for a file", "dir", None, &["/p dir skipped not-a-file"]);
    check("rule 8.6: at the root", "/p/.agents/skills/SKILL.md", None, &["/p SKILL.md skipped skill-at-root"]);
    check("rule 8.6: a broken symlink", "gone", None, &["/p gone skipped link-dangling"]);
    check("rule 8.6: a circle", "up", None, &["/p up skipped link-cycle"]);
    check("rule 8.6: another letter case is in use", "case", None, &["/p case/skill.md in-use"]);
    check("rule 8.6: nothing of it", "nothing", None, &[]);
}

#[test]
fn a_symlink_of_another_name_is_not_the_file_that_it_leads_to() {
    let tree = Tree::default().with("/out/tea/SKILL.md", "---\nname: tea\ndescription: D\n---\n");
    let ground = on(tree.with_link("/p/.agents/skills/l", "/out/tea/SKILL.md"));
    let codes = ground.of("rule 8.6", "agentskills", |world, catalog| {
        let told = why(world, catalog, "/out/tea/SKILL.md", &PromptRequest::default());
        told.iter().map(|told| (told.path.to_string(), told.code)).collect::<Vec<_>>()
    });
    assert_eq!(codes, [("/out/tea/SKILL.md".to_owned(), Some(Code::NotInSource))]);
}

/// Cursor reads only the SKILL.md directly in a folder that a symlink leads to.
#[test]
fn a_file_deep_below_a_symlink() {
    let skill = "---\nname: tea\ndescription: D\n---\n";
    let tree = ["/out/SKILL.md", "/out/a/SKILL.md", "/out/a/b/SKILL.md", "/out/dir/b/SKILL.md/inner.txt"]
        .into_iter()
        .fold(Tree::default(), |tree, at| tree.with(at, skill));
    let ground = on(tree.with_link("/h/.cursor/skills/l", "/out"));
    for (asked, expected) in [
        ("/h/.cursor/skills/l/SKILL.md", "in-use"),
        ("/h/.cursor/skills/l/a/SKILL.md", "skipped too-deep"),
        ("/h/.cursor/skills/l/a/b/SKILL.md", "skipped too-deep"),
        ("/h/.cursor/skills/l/dir/b/SKILL.md", "skipped too-deep"),
    ] {
        let got = ground.of("rule 8.6", "cursor", |world, catalog| {
            let told = why(world, catalog, asked, &PromptRequest::default());
            let line =
                |told: &Why| (told.path.to_string(), line(told).split_once(' ').map(|(_, rest)| rest.to_owned()));
            told.iter().map(line).collect::<Vec<_>>()
        });
        assert!(
            matches!(&got[..], [(path, Some(told))] if path == asked && told.ends_with(expected)),
            "{asked}: {got:?}"
        );
    }
}

#[test]
fn by_name_and_path() {
    check("rule 8.6: by key", "other", None, &["/p again in-use"]);
    check("rule 8.6: by the folder name", "again", None, &["/p again in-use"]);
    check(
        "rule 8.6: by the name of the folder that it is linked from",
        "odd",
        None,
        &["/p deep/er/odd skipped same-file", "/p group/er/odd skipped same-file"],
    );
    check("rule 8.6: by path", "/p/.agents/skills/low/SKILL.md", None, &["/p low in-use"]);
    check("rule 8.6: by its folder", "/p/.agents/skills/low", None, &["/p low in-use"]);
    check("rule 8.6: by a relative path", ".agents/skills/low", None, &["/p low in-use"]);
    check("rule 8.6: by a relative path with dots", "./.agents/../.agents/skills/low/", None, &["/p low in-use"]);
    check(
        "rule 8.6: by the path of another occurrence",
        "/p/.agents/skills/group/er/odd/SKILL.md",
        None,
        &["/p group/er/odd skipped same-file"],
    );
    check(
        "rule 8.6: below what is never entered",
        "/p/.agents/skills/node_modules/pack/SKILL.md",
        None,
        &["/p node_modules skipped not-entered"],
    );
    check("rule 8.6: a path that is none", "/p/.agents/skills/lo", None, &[]);
    check("rule 8.6: a path above the root", "../../x", None, &[]);
    check("rule 8.6: nothing asked", "", None, &[]);
    let whole = check_all("/h");
    assert_eq!(whole, ["/h lost in-use", "/h low shadowed"], "rule 8.6: a tree, by path");
}

#[track_caller]
fn check_all(asked: &str) -> Vec<String> {
    tree().of("rule 8.6: a tree", "agentskills", |world, catalog| {
        why(world, catalog, asked, &PromptRequest::default()).iter().map(line).collect()
    })
}

/// In a dialect that selects skills by messages, the prompt shows these in place of the list.
#[test]
fn as_the_prompt_for_a_message() {
    let trigger = "triggers:\n  keywords: [zebra]\n";
    let skills = ground(&format!(
        "//- /s/tea/SKILL.md\n---\nname: tea\ndescription: D\n{trigger}---\nB\n//- /s/plan/SKILL.md\n---\nname: plan\ndescription: D\n---\n"
    ));
    let cases = [
        (None, [", from the source `root`", ", from the source `root`"]),
        (Some("zebra"), ["; the message selects it", "; it is not among"]),
        (Some("nothing"), ["; it is not among", "; it is not among"]),
    ];
    for (query, parts) in cases {
        let ask = PromptRequest { budget: Some(200), query: query.map(Into::into), ..PromptRequest::default() };
        skills.clone().roots(&["/s"]).of(&format!("{query:?}"), "agent-base", |world, catalog| {
            let shown = prompt(world, catalog, &ask).shown;
            for (name, part) in ["tea", "plan"].iter().zip(parts) {
                let why = why(world, catalog, name, &ask);
                assert_eq!(why[0].outcome.as_str(), "in-use", "{query:?}: {name}");
                assert!(why[0].message.contains(part), "{query:?}: {name}: {}", why[0].message);
                let is_shown = shown.iter().any(|key| key == name);
                assert_eq!(is_shown, !why[0].message.contains("it is not among"), "{query:?}: {name}");
            }
        });
    }
    let ask = PromptRequest { budget: Some(1), query: Some("zebra".into()), ..PromptRequest::default() };
    skills.roots(&["/s"]).of("no budget counts", "agent-base", |world, catalog| {
        assert_eq!(why(world, catalog, "tea", &ask)[0].outcome.as_str(), "in-use", "rule 11.11");
    });
}

/// What is said of a skill is what the prompt for the same request makes of it.
#[test]
fn as_the_prompt_for_a_request() {
    let names = ["coffee", "letters", "tea"];
    let file = |name: &str| {
        format!(
            "//- /s/{name}/SKILL.md\n---\nname: {name}\ndescription: All about {name}{}.\n---\n",
            " and more".repeat(20)
        )
    };
    let skills = ground(&names.map(file).concat()).roots(&["/s"]);
    let all = |dialect: &str, budget: usize, query: Option<&str>| {
        let ask = PromptRequest { budget: Some(budget), query: query.map(Into::into), ..PromptRequest::default() };
        let case = format!("{dialect}, {budget}, {query:?}");
        skills.of(&case, dialect, |world, catalog| {
            let prompt = prompt(world, catalog, &ask);
            names.map(|name| {
                let why = why(world, catalog, name, &ask);
                let (outcome, is_short) = (why[0].outcome.as_str(), why[0].message.contains("shortened"));
                let is_listed = |keys: &[String]| keys.iter().any(|key| key == name);
                let is_bare = is_listed(&prompt.shortened) && why[0].message.starts_with("only the name of");
                let is_left_out = is_listed(&prompt.left_out) || is_bare;
                assert_eq!(outcome == "left-out", is_left_out, "rule 8.6: {case}: {name}");
                assert_eq!(is_short, is_listed(&prompt.shortened) && !is_bare, "rule 8.6: {case}: {name}");
                (outcome, is_short)
            })
        })
    };
    for dialect in ["agentskills", "claude", "sven"] {
        let queries = [None, Some(""), Some("tea"), Some("letters")];
        let differs = |budget| all(dialect, budget, None) != all(dialect, budget, Some("tea"));
        (0..900).step_by(60).for_each(|budget| queries.iter().for_each(|query| _ = all(dialect, budget, *query)));
        assert!((0..900).step_by(60).any(differs), "rule 11.16: {dialect}: a request makes a difference");
    }
}

#[test]
fn odd_names() {
    let odd = ground("//- /p/.sven/skills/o\u{202e}d/SKILL.md\n---\ndescription: D\n---\n");
    for asked in ["o\u{202e}d", "o\\u{202e}d"] {
        let got = odd.of("rule 7.7: both spellings", "sven", |world, catalog| {
            why(world, catalog, asked, &PromptRequest::default())
        });
        assert_eq!(got.len(), 1, "rule 7.7: both spellings: {asked:?}");
        assert!(got[0].message.contains("`o\\u{202e}d`"), "rule 7.7: shown: {}", got[0].message);
    }
    #[cfg(not(windows))]
    for (dialect, source) in [("sven", ".sven/skills"), ("pegasus", "data/skills")] {
        let escape = on(Tree::default().with(&format!("/p/{source}/\\u{{a}}/SKILL.md"), "---\ndescription: D\n---\n"));
        let told = escape.of("rule 7.7: as written", dialect, |world, catalog| {
            why(world, catalog, "\\u{a}", &PromptRequest::default())
        });
        assert_eq!(told.len(), 1, "rule 7.7: a folder of that name: {dialect}");
    }
    let unmet = ground("//- /p/.sven/skills/a/SKILL.md\n---\ndescription: D\nsven: {requires_env: [TOKEN]}\n---\n");
    let got =
        unmet.of("rule 6.11: unmet", "sven", |world, catalog| why(world, catalog, "a", &PromptRequest::default()));
    assert_eq!(
        got.iter().map(line).collect::<Vec<_>>(),
        ["/p/.sven/skills/a skipped unmet-requirement"],
        "rule 6.11: unmet"
    );
    assert!(
        got[0].message.contains("`TOKEN`, which is unset or empty"),
        "rule 6.11: unmet says what: {}",
        got[0].message
    );
}

/// A name by which the dialect finds a skill has the answers for its key.
#[test]
fn in_another_letter_case() {
    let tree = |source: &str| {
        let skill = "---\nname: tea\ndescription: D\n---\n";
        ground(&format!("//- /h/{source}/tea/SKILL.md\n{skill}//- /p/{source}/tea/SKILL.md\n{skill}"))
    };
    for (dialect, source, asked) in [("claude", ".claude/skills", "TEA"), ("gemini", ".gemini/skills", "Tea")] {
        let told = |asked: &str| {
            let told = |world: &World<'_>, catalog: &Catalog| why(world, catalog, asked, &PromptRequest::default());
            tree(source).of("rule 8.6", dialect, told)
        };
        assert_eq!(told(asked).len(), 2, "rule 8.6: {dialect}");
        assert_eq!(told(asked), told("tea"), "rule 8.6: {dialect}");
    }
    let skill = |namespace: &str| format!("---\nname: tea\nnamespace: {namespace}\ndescription: D\n---\n");
    let [git, jira] = ["git", "jira"].map(skill);
    let two = ground(&format!("//- /p/.gen/skills/1/SKILL.md\n{git}//- /p/.gen/skills/2/SKILL.md\n{jira}"));
    for asked in ["tea", "TEA"] {
        let told = two.of("rule 7.9", "gencode", |world, catalog| {
            let told = why(world, catalog, asked, &PromptRequest::default());
            told.iter().map(line).collect::<Vec<_>>()
        });
        let expected = ["/p/.gen/skills/1 hidden", "/p/.gen/skills/2 hidden"];
        assert_eq!(told, expected, "rule 8.6: each skill that may be meant: {asked}");
    }
    let told = |world: &World<'_>, catalog: &Catalog| why(world, catalog, "Tea", &PromptRequest::default());
    assert_eq!(tree(".agents/skills").of("rule 8.6", "agentskills", told), [], "rule 8.6: no other spelling");
}

/// What lies too deep is found by its name as well as by its folder's.
#[test]
fn by_the_name_in_a_file_that_is_not_reached() {
    for (dialect, source) in [("agent-base", ".agent/skills"), ("pegasus", "data/skills")] {
        let deep = ground(&format!(
            "//- /p/{source}/g/f/SKILL.md\n---\nname: tea\ndescription: D\n---\n//- /p/{source}/x.txt\n"
        ));
        let told = |asked: &str| {
            deep.of("rule 8.6", dialect, |world, catalog| why(world, catalog, asked, &PromptRequest::default()))
        };
        assert_eq!(told("f").iter().map(|told| told.code).collect::<Vec<_>>(), [Some(Code::TooDeep)], "{dialect}");
        assert_eq!(told("tea"), told("f"), "{dialect}: by its name");
        assert_eq!(told("D"), [], "{dialect}: by nothing else");
    }
}

/// Skills where no scan comes, and what is no skill, below `SOURCE`, a source of the project.
const STOPPED: &str = "
//- /p/SOURCE/ok/SKILL.md
---
name: ok
description: D
---
//- /p/SOURCE/ok/notes.md
//- /p/SOURCE/ok/scripts/a.sh
//- /p/SOURCE/bare/SKILL.md
No frontmatter.
//- /p/SKILL.md
---
name: p
description: In no source.
---
//- /p/SOURCE/low/skill.md
---
name: low
description: D
---
//- /p/SOURCE/low/refs/a.md
//- /p/SOURCE/empty/none.txt
//- /p/SOURCE/group/a/b/c/far/SKILL.md
---
name: far
description: D
---
//- /p/SOURCE/group/a/b/c/far/more.md
//- /p/SOURCE/a/b/c/d/node_modules/pack/SKILL.md
//- /p/SOURCE/.git/hidden/SKILL.md
//- /p/SOURCE/.skilltree-x/half/SKILL.md
//- /p/SOURCE/link link=../../linked
//- /p/linked/SKILL.md
---
name: linked
description: D
---
//- /p/elsewhere/tea/SKILL.md
---
name: tea
description: D
---
//- /p/elsewhere/README.md
//- /p/docs/x.txt
//- /p/.other/commands/deploy.md
//- /p/.other/commands/group/ship.md
//- /p/node_modules/pack/SKILL.md
//- /q/SOURCE/theirs/SKILL.md
//- /p/dangling link=nowhere
//- /p/elsewhere/gone/SKILL.md link=nowhere
//- /p/SOURCE/gone/SKILL.md link=nowhere
";

/// What stops each path, by the rules of a dialect: the code, and a part of the message or the help.
#[track_caller]
fn stops(dialect: &str, source: &str, asked: &str, code: &str, part: &str) {
    let asked = asked.replace("SOURCE", source);
    let case = format!("{dialect}: {asked}");
    let ground = ground(&STOPPED.replace("SOURCE", source));
    let got = ground.of(&case, dialect, |world, catalog| why(world, catalog, &asked, &PromptRequest::default()));
    let codes: Vec<_> = got.iter().map(|why| why.code.map_or("none", |code| code.as_str())).collect();
    assert_eq!(codes, [code], "{case}: {got:?}");
    let (message, help) = (&got[0].message, got[0].help.clone().unwrap_or_default());
    assert!(message.contains(part) || help.contains(part), "{case}: {message}; {help}");
    assert!(code == "none" || !help.is_empty(), "{case}: what to do about it");
    assert_eq!(message.trim_end_matches(['.', '\n']), message, "{case}: one line, no full stop");
}

#[test]
fn what_stops_a_path() {
    let dialects = [
        ("agentskills", ".claude/skills"),
        ("claude", ".claude/skills"),
        ("sven", ".sven/skills"),
        ("gencode", ".gen/skills"),
        ("agent-base", ".agent/skills"),
        ("daycare", ".daycare/skills"),
        ("pegasus", "data/skills"),
    ];
    for (dialect, source) in dialects {
        let stops = |asked: &str, code: &str, part: &str| stops(dialect, source, asked, code, part);
        stops("SOURCE/ok/notes.md", "not-skill-file", "belongs to the skill `/p/");
        stops("SOURCE/ok/scripts", "no-skill", "belongs to the skill `/p/");
        stops("SOURCE/low/refs/a.md", "not-skill-file", "low/skill.md`");
        stops("/p/SOURCE/empty", "no-skill", "contains no SKILL.md");
        stops("SOURCE/empty/none.txt", "not-skill-file", "expected the name `SKILL.md`, got `none.txt`");
        // A run of Claude Code 2.1.330 looks into such folders.
        if dialect == "claude" {
            stops("SOURCE/a/b/c/d/node_modules/pack/SKILL.md", "too-deep", "only 1 is looked at");
            stops("SOURCE/.git/hidden/SKILL.md", "too-deep", "only 1 is searched");
        } else {
            stops("SOURCE/a/b/c/d/node_modules/pack/SKILL.md", "not-entered", "`node_modules` are never searched");
            stops("SOURCE/.git/hidden/SKILL.md", "not-entered", "`.git`");
        }
        stops("SOURCE/.skilltree-x/half", "not-entered", "`.skilltree-x`");
        stops("elsewhere/tea/SKILL.md", "not-in-source", &format!("/p/{source}"));
        stops("/p/elsewhere/README.md", "not-in-source", "its name is not `SKILL.md`");
        stops("/p/elsewhere", "not-in-source", "below it is `tea/SKILL.md`");
        stops("docs", "not-in-source", dialect);
        stops(".other/commands/deploy.md", "command-file", "deploy/SKILL.md");
        stops(".other/commands/group/ship.md", "command-file", "ship/SKILL.md");
        stops("node_modules/pack/SKILL.md", "not-in-source", "folders named `node_modules` are never searched");
        stops("dangling", "link-dangling", "broken symlink");
        stops("SOURCE/gone/SKILL.md", "link-dangling", "broken symlink");
        stops("elsewhere/gone/SKILL.md", "not-in-source", &format!("/p/{source}"));
    }
    for (dialect, source) in dialects.into_iter().filter(|(name, _)| !["daycare", "pegasus"].contains(name)) {
        stops(dialect, source, "/q/SOURCE/theirs/SKILL.md", "not-in-source", "a source of the project `/q`");
    }
    for (dialect, source) in [("claude", ".claude/skills"), ("pegasus", "data/skills")] {
        let far = "SOURCE/group/a/b/c/far";
        stops(dialect, source, &format!("{far}/SKILL.md"), "too-deep", "5 folders deep");
        stops(dialect, source, far, "too-deep", "below it is `SKILL.md`");
        stops(dialect, source, "far", "too-deep", "5 folders deep");
        stops(dialect, source, "group/a", "too-deep", "below it is `b/c/far/SKILL.md`");
        stops(dialect, source, "SOURCE/group", "no-skill", "below it is `a/b/c/far/SKILL.md`");
    }
}

#[test]
fn what_stops_nothing() {
    let got = |dialect: &str, source: &str, asked: &str| {
        let ground = ground(&STOPPED.replace("SOURCE", source));
        ground.of(asked, dialect, |world, catalog| {
            why(world, catalog, asked, &PromptRequest::default()).iter().map(line).collect::<Vec<_>>()
        })
    };
    assert_eq!(got("agentskills", ".agents/skills", "linked/SKILL.md"), ["/p link in-use"], "by the real path");
    assert_eq!(got("agentskills", ".agents/skills", "/p/none/SKILL.md"), [""; 0], "nothing there");
    assert_eq!(got("agentskills", ".agents/skills", "nobody"), [""; 0], "a name of nobody");
    assert_eq!(got("claude", ".claude/skills", "docs/x.txt/y"), [""; 0], "below a file");
}

/// A project that is a folder of a repository whose skills lie at its root.
#[test]
fn a_project_within_a_project() {
    let mut ground =
        ground("//- /r/.claude/skills/tea/SKILL.md\n---\nname: tea\ndescription: D\n---\n//- /r/sub/.git/HEAD\nx\n");
    ground.places.project = Some(common::path("/r/sub"));
    for asked in ["tea", "/r/.claude/skills/tea/SKILL.md", "/r/.claude/skills/tea", "/r/.claude/skills"] {
        let got = ground.of(asked, "claude", |world, catalog| why(world, catalog, asked, &PromptRequest::default()));
        assert_eq!(got.len(), 1, "{asked}");
        assert_eq!(
            (got[0].code, got[0].project.as_ref()),
            (Some(Code::NotInSource), Some(&common::path("/r"))),
            "{asked}"
        );
        assert!(
            got[0].message.contains("a source of the project `/r`, but the current project is `/r/sub`"),
            "{}",
            got[0].message
        );
    }
    let seen = ground.of("unseen", "claude", |world, catalog| catalog.unseen(world));
    assert_eq!(seen.iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), ["/r/.claude/skills/tea/SKILL.md"]);
    let looked = ground.of("roots", "claude", |world, catalog| catalog.roots(world));
    assert_eq!(looked, [common::path("/r/sub/.claude/skills"), common::path("/h/.claude/skills")]);
}

/// What is read as a SKILL.md keeps a client out of the folders beside it where skills do not lie in skills.
#[test]
fn what_lies_below_a_skill_in_another_letter_case() {
    let skill = "---\nname: tea\ndescription: D\n---\n";
    let mut ground =
        ground(&format!("//- /p/.pi/skills/tea/skill.md\n{skill}//- /p/.pi/skills/tea/extra/SKILL.md\n{skill}"));
    for (reading, code) in [(Reading::Repaired, Some(Code::NotEntered)), (Reading::Faithful, None)] {
        ground.reading = Some(reading);
        let asked = "/p/.pi/skills/tea/extra/SKILL.md";
        let got = ground.of(asked, "pi", |world, catalog| why(world, catalog, asked, &PromptRequest::default()));
        assert_eq!(got.iter().map(|why| why.code).collect::<Vec<_>>(), [code], "{reading:?}: {got:?}");
    }
}
