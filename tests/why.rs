//! What became of a name or a path: decision 16. In memory and on the disk.

use crate::common;

use common::ground::{Ground, ground};
use pretty_assertions::assert_eq;
use skilltree::{PromptAsk, Why, why};

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
    format!("{} {}{code}", why.path, why.verdict.as_str()).replace("/.agents/skills/", " ").replace("/SKILL.md", "")
}

#[track_caller]
fn check(case: &str, asked: &str, budget: Option<usize>, expect: &[&str]) -> Vec<Why> {
    let ask = PromptAsk { budget, ..PromptAsk::default() };
    let got = tree().of(case, "agentskills", |world, catalog| why(world, catalog, asked, &ask));
    assert_eq!(got.iter().map(line).collect::<Vec<_>>(), expect, "{case}");
    assert!(got.iter().all(|why| !why.message.is_empty() && !why.message.contains('\n')), "{case}: one line each");
    got
}

#[test]
fn verdicts() {
    check("16 in use, and what it shadows", "low", None, &["/h low shadowed", "/p low in-use"]);
    check("16 hidden", "user", None, &["/p user hidden"]);
    check("16 hidden from all", "nobody", None, &["/p nobody hidden"]);
    check("16 switched off", "off", None, &["/p off hidden"]);
    check("16 left out", "low", Some(0), &["/h low shadowed", "/p low left-out left-out"]);
    check("16 hidden before left out", "user", Some(0), &["/p user hidden"]);
    let lost = check(
        "16 skipped, and the lower one in use",
        "lost",
        None,
        &["/h lost in-use", "/p lost skipped description-missing"],
    );
    assert!(lost[1].help.is_some() && lost[1].message.contains("description"), "16 the finding says why: {lost:?}");
    check("16 never entered", "node_modules", None, &["/p node_modules skipped not-entered"]);
    check("16 a folder for a file", "dir", None, &["/p dir skipped not-a-file"]);
    check("16 at the root", "/p/.agents/skills/SKILL.md", None, &["/p SKILL.md skipped skill-at-root"]);
    check("16 a link that leads nowhere", "gone", None, &["/p gone skipped link-dangling"]);
    check("16 a circle", "up", None, &["/p up skipped link-cycle"]);
    check("16 another letter case is in use", "case", None, &["/p case/skill.md in-use"]);
    check("16 nothing of it", "nothing", None, &[]);
}

#[test]
fn by_name_and_path() {
    check("16 by key", "other", None, &["/p again in-use"]);
    check("16 by the folder's name", "again", None, &["/p again in-use"]);
    check(
        "16 by the name of the folder that it is linked from",
        "odd",
        None,
        &["/p deep/er/odd skipped same-file", "/p group/er/odd skipped same-file"],
    );
    check("16 by path", "/p/.agents/skills/low/SKILL.md", None, &["/p low in-use"]);
    check("16 by its folder", "/p/.agents/skills/low", None, &["/p low in-use"]);
    check("16 by a relative path", ".agents/skills/low", None, &["/p low in-use"]);
    check("16 by a relative path with dots", "./.agents/../.agents/skills/low/", None, &["/p low in-use"]);
    check(
        "16 by the path of another occurrence",
        "/p/.agents/skills/group/er/odd/SKILL.md",
        None,
        &["/p group/er/odd skipped same-file"],
    );
    check(
        "16 below what is never entered",
        "/p/.agents/skills/node_modules/pack/SKILL.md",
        None,
        &["/p node_modules skipped not-entered"],
    );
    check("16 a path that is none", "/p/.agents/skills/lo", None, &[]);
    check("16 a path above the root", "../../x", None, &[]);
    check("16 nothing asked", "", None, &[]);
    let whole = check_all("/h");
    assert_eq!(whole, ["/h lost in-use", "/h low shadowed"], "16 a tree, by path");
}

#[track_caller]
fn check_all(asked: &str) -> Vec<String> {
    tree().of("16 a tree", "agentskills", |world, catalog| {
        why(world, catalog, asked, &PromptAsk::default()).iter().map(line).collect()
    })
}

#[test]
fn odd_names() {
    let odd = ground("//- /p/.sven/skills/o\u{202e}d/SKILL.md\n---\ndescription: D\n---\n");
    for asked in ["o\u{202e}d", "o\\u{202e}d"] {
        let got =
            odd.of("24 both spellings", "sven", |world, catalog| why(world, catalog, asked, &PromptAsk::default()));
        assert_eq!(got.len(), 1, "24 both spellings: {asked:?}");
        assert!(got[0].message.contains("`o\\u{202e}d`"), "24 shown: {}", got[0].message);
    }
    let unmet = ground("//- /p/.sven/skills/a/SKILL.md\n---\ndescription: D\nsven: {requires_env: [TOKEN]}\n---\n");
    let got = unmet.of("000 unmet", "sven", |world, catalog| why(world, catalog, "a", &PromptAsk::default()));
    assert_eq!(got.iter().map(line).collect::<Vec<_>>(), ["/p/.sven/skills/a skipped unmet-requirement"], "000 unmet");
    assert!(got[0].message.contains("`TOKEN`"), "000 unmet says what: {}", got[0].message);
}
