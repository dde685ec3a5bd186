//! How skills are offered: by what their files say or do not say (topic 9 of the rules). In memory and on the disk.

use crate::common;

use common::ground::{Ground, changed, file, ground, table};
use common::path;
use pretty_assertions::assert_eq;
use skilltree::{Caller, Catalog, Dialect, PromptRequest, World, discover, prompt, why};
use std::sync::Arc;

/// `key visibility`, and what `why` says of each skill that is not offered as its frontmatter says.
fn offered(world: &World<'_>, catalog: &Catalog) -> Vec<String> {
    let row = |skill: &skilltree::Skill| {
        let why = why(world, catalog, &skill.key, &PromptRequest::default());
        let said = skill.decision.as_ref().map_or_else(String::new, |_| format!(": {}", why[0].message));
        format!("{} {}{said}", skill.key, skill.visibility().as_str())
    };
    catalog.skills().iter().map(row).collect()
}

#[track_caller]
fn offers(case: &str, ground: &Ground, dialect: &Arc<Dialect>, expect: &[&str]) {
    let got = ground.ask(case, |world| offered(world, &discover(world, dialect)));
    assert_eq!(got, expect, "{case}");
}

const LIMITED: &str = "//- /p/.claude/skills/rust/SKILL.md
---
description: Rust.
paths: 'src/**/*.{rs,toml}, ./Cargo.*'
---
//- /p/.claude/skills/always/SKILL.md
---
description: Always.
---
//- /p/.claude/skills/mine/SKILL.md
---
description: Mine.
disable-model-invocation: true
paths: [\"docs/**\"]
---
//- /p/.claude/skills/many/SKILL.md
---
description: Many.
paths: [a/1, a/2, a/3, a/4, /etc/*]
---
";

#[test]
fn paths_limit_when_a_skill_is_offered() {
    let limits = table("claude");
    let yaml = table("claude").to_yaml();
    let ignores = file(&yaml.replace("{path: paths, role: paths}", "{path: paths, role: kept}"));
    assert_ne!(ignores, limits);
    let many = "many user-only: `many` is hidden from the model: offered only while a file that matches `a/1` or `a/2` \
                or `a/3`, or one of 2 more, is worked on";
    let rust = "rust user-only: `rust` is hidden from the model: offered only while a file that matches \
                `src/**/*.{rs,toml}` or `./Cargo.*` is worked on";
    let touching = |files: &[&str]| {
        let mut ground = ground(LIMITED);
        ground.places.touched = files.iter().map(|file| path(file)).collect();
        ground
    };
    let (always, mine) = ("always full", "mine user-only");
    offers("nothing is touched", &touching(&[]), &limits, &[always, many, mine, rust]);
    offers("another file", &touching(&["/p/docs/a.md"]), &limits, &[always, many, mine, rust]);
    offers("in a folder", &touching(&["/p/x", "/p/src/a/b.rs"]), &limits, &[always, many, mine, "rust full"]);
    offers("the other alternative", &touching(&["/p/src/a.toml"]), &limits, &[always, many, mine, "rust full"]);
    offers("the other pattern", &touching(&["/p/Cargo.lock"]), &limits, &[always, many, mine, "rust full"]);
    offers("not in the project", &touching(&["/q/src/a.rs"]), &limits, &[always, many, mine, rust]);
    offers("an absolute pattern", &touching(&["/etc/hosts"]), &limits, &[always, "many full", mine, rust]);
    let mut open = ground("//- /p/.claude/skills/open/SKILL.md\n---\ndescription: D.\npaths: \"[a*.rs\"\n---\n");
    open.places.touched = vec![path("/p/a.rs")];
    let hidden = "open user-only: `open` is hidden from the model: offered only while a file that matches `[a*.rs` is \
                  worked on";
    offers("rule 9.10: a pattern with an open bracket", &open, &limits, &[hidden]);
    offers("a table that ignores them", &touching(&[]), &ignores, &[always, "many full", mine, "rust full"]);

    let said = touching(&[]).ask("the callers", |world| {
        let catalog = discover(world, &limits);
        let find = |caller| catalog.find("rust", caller).map(|skill| skill.key.clone()).map_err(|error| error.code());
        (find(Caller::Model), find(Caller::User), prompt(world, &catalog, &PromptRequest::default()).shown)
    });
    assert_eq!(said, (Err("not-for-model"), Ok("rust".to_owned()), vec!["always".to_owned()]));
}

#[test]
fn skills_without_a_description_may_be_unlisted() {
    let tree = "//- /p/.claude/skills/bare/SKILL.md\n---\nname: bare\n---\n//- /p/.claude/skills/tea/SKILL.md\n---\n\
                description: Makes tea.\n---\n";
    let bare =
        |undescribed: &str| changed("claude", &format!("description_fallback: none\nundescribed: {undescribed}\n"));
    offers("listed", &ground(tree), &bare("yes"), &["bare full", "tea full"]);
    let hidden = "bare user-only: `bare` is hidden from the model: has no description, so `claude` does not list it";
    offers("unlisted", &ground(tree), &bare("no"), &[hidden, "tea full"]);
}
