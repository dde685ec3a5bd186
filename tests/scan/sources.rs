//! Sources: topic 3 of the rules, and the source tables.

use super::{check, forest};
use crate::common::ground::{Ground, ground, keys, on, told};
use crate::common::path;
use pretty_assertions::assert_eq;
use skilltree::Fs as _;

#[test]
fn roots() {
    check("rule 3.12: at the root", &["+ SKILL.md", "a"], &["a = a", "warning skill-at-root /p/.sven/skills"]);
    check("rule 3.12: at the root, in another letter case", &["+ skill.md"], &["warning skill-at-root skill.md"]);
    check(
        "rule 3.11: a dangling one at the root",
        &["SKILL.md -> gone", "l -> gone"],
        &["error link-dangling /p/.sven/skills", "warning link-dangling l"],
    );
    #[track_caller]
    fn source(case: &str, text: &str, expect: &[&str]) {
        let got = ground(text).of(case, "sven", |_, catalog| told(catalog));
        assert_eq!(got, expect, "{case}");
    }
    let skill = "\n---\ndescription: D\n---\n";
    source("rule 2.8: nothing there", "//- /p dir\n//- /h dir\n", &[]);
    source(
        "rule 2.8: a source that is a file",
        "//- /p/.sven/skills\nx\n",
        &["error source-unreadable /p/.sven/skills"],
    );
    source(
        "rule 2.8: a source that is broken",
        "//- /p/.sven/skills link=gone\n",
        &["warning link-dangling /p/.sven/skills"],
    );
    source(
        "rule 3.6: a source that is a link",
        &format!("//- /p/x/t/SKILL.md{skill}//- /p/.sven/skills link=../x\n"),
        &["t = /p/.sven/skills/t/SKILL.md"],
    );
    source(
        "rule 3.9: two sources that are one",
        &format!("//- /p/.sven/skills/t/SKILL.md{skill}//- /p/.agents/skills link=../.sven/skills\n"),
        &["t = /p/.sven/skills/t/SKILL.md", "note same-file /p/.agents/skills/t/SKILL.md"],
    );
    source(
        "rule 3.9: the higher one stands, though it is the link",
        &format!("//- /p/.agents/skills/t/SKILL.md{skill}//- /p/.sven/skills link=../.agents/skills\n"),
        &["t = /p/.sven/skills/t/SKILL.md", "note same-file /p/.agents/skills/t/SKILL.md"],
    );
    source(
        "rule 3.9: a source inside of another",
        &format!("//- /p/.sven/skills/a/t/SKILL.md{skill}//- /p/.agents/skills link=../.sven/skills/a\n"),
        &["a/t = /p/.sven/skills/a/t/SKILL.md", "note same-file /p/.agents/skills/t/SKILL.md"],
    );
    source(
        "rule 3.9: one skill in two sources",
        &format!("//- /h/.sven/skills/t/SKILL.md{skill}//- /p/.sven/skills/u link=/h/.sven/skills/t\n"),
        &["u = /p/.sven/skills/u/SKILL.md", "note same-file /h/.sven/skills/t/SKILL.md"],
    );
    source(
        "rule 3.9: a link to what another source holds does not shadow it",
        &format!("//- /h/.sven/skills/t/SKILL.md{skill}//- /p/.sven/skills/t link=/h/.sven/skills/t\n"),
        &["t = /p/.sven/skills/t/SKILL.md", "note same-file /h/.sven/skills/t/SKILL.md"],
    );
    source(
        "rule 3.9: sources that link to each other",
        &format!(
            "//- /p/.sven/skills/a/SKILL.md{skill}//- /p/.agents/skills/b/SKILL.md{skill}\
             //- /p/.sven/skills/x link=/p/.agents/skills\n//- /p/.agents/skills/y link=/p/.sven/skills\n"
        ),
        &[
            "a = /p/.sven/skills/a/SKILL.md",
            "x/b = /p/.sven/skills/x/b/SKILL.md",
            "note same-file /p/.agents/skills/b/SKILL.md",
            "note same-file /p/.agents/skills/y/a/SKILL.md",
            "warning link-cycle /p/.agents/skills/y/x",
            "warning link-cycle /p/.sven/skills/x/y",
        ],
    );
}

#[test]
fn named_roots() {
    let tree = forest(&["a", "/x/a", "/y/a", "/y/b"]).roots(&["/x", "/y"]);
    let got = tree.of("--root is above all others, from low to high", "sven", |_, catalog| {
        (
            told(catalog),
            catalog
                .skills()
                .iter()
                .map(|s| format!("{} {} {:?}", s.source.label, s.source.scope, s.source.origin))
                .collect::<Vec<_>>(),
        )
    });
    assert_eq!(
        got.0,
        [
            "a = /y/a/SKILL.md",
            "b = /y/b/SKILL.md",
            "a < /p/.sven/skills/a/SKILL.md by /y/a/SKILL.md",
            "a < /x/a/SKILL.md by /y/a/SKILL.md"
        ]
    );
    assert_eq!(got.1, ["root extra Extra"; 2]);
    let mut only = tree.roots(&["/x"]);
    only.places.only_roots = true;
    assert_eq!(only.of("--only-roots", "sven", |_, catalog| told(catalog)), ["a = /x/a/SKILL.md"]);
    let again =
        forest(&["a"]).roots(&["/p/.sven/skills"]).of("a root that is a source already", "sven", |_, c| told(c));
    assert_eq!(again, ["a = /p/.sven/skills/a/SKILL.md"]);
    let missing =
        forest(&["a"]).roots(&["/nowhere"]).of("a root that is not there", "sven", |_, catalog| told(catalog));
    assert_eq!(missing, ["a = /p/.sven/skills/a/SKILL.md"]);
}

#[test]
fn sources() {
    let skill = "\n---\nname: t\ndescription: D\n---\n";
    let all = ["/h/.sven", "/h/.agents", "/h/.claude", "/p/.agents", "/p/.claude", "/p/.sven"];
    let text: String = all.iter().map(|at| format!("//- {at}/skills/t/SKILL.md{skill}")).collect();
    let order = |dialect: &str| {
        let mut left = ground(&text);
        let mut order = Vec::new();
        for _ in 0..7 {
            let top = left.of("sources", dialect, |_, catalog| {
                catalog.skills().first().map(|s| {
                    (s.path.to_string(), format!("{} {} {:?}", s.source.label, s.source.scope, s.source.origin))
                })
            });
            let Some((at, label)) = top else { break };
            order.push(label);
            let rest: String = all
                .iter()
                .filter(|name| !at.starts_with(**name))
                .map(|n| (*n).to_owned())
                .filter(|n| left_has(&left, n))
                .map(|at| format!("//- {at}/skills/t/SKILL.md{skill}"))
                .collect();
            left = ground(&rest);
        }
        order
    };
    assert_eq!(
        order("sven"),
        [
            "project-sven project Project",
            "project-claude project Project",
            "project-agents project Project",
            "global-claude user User",
            "global-agents user User",
            "global-sven user User"
        ],
        "rule 2.3: discovery sources, from high to low"
    );
    assert_eq!(
        order("agentskills"),
        [
            "project-agents project Project",
            "project-claude project Project",
            "home-agents user User",
            "home-claude user User"
        ],
        "dialects: the sources of agentskills, from high to low"
    );
    let mut homeless = ground(&text);
    homeless.places.home = None;
    assert_eq!(homeless.of("no home", "agentskills", |_, c| c.shadowed().len()), 1, "no home, no home sources");
    let mut nowhere = on(homeless.tree.clone());
    (nowhere.places.home, nowhere.places.project) = (None, None);
    assert_eq!(nowhere.of("no places", "sven", |_, c| keys(c)), Vec::<String>::new(), "no places, no sources");
}

#[test]
fn where_discovery_looks() {
    let text = "//- /p/.gen/skills dir\n//- /p/.gen/plugins\nno folder\n//- /p/.claude link=/h\n//- /h/.gen/plugins dir\n\
                //- /h/skills dir\n//- /x/y dir\n//- /one.md\nx\n";
    let told = |case: &str, dialect: &str, places: &dyn Fn(&mut skilltree::Places)| {
        let mut ground = ground(text);
        places(&mut ground.places);
        ground.of(case, dialect, |world, catalog| {
            let row = |looked: &skilltree::discovery::SearchedPlace| {
                let why = match &looked.presence {
                    skilltree::discovery::Presence::Unreadable(why) => format!(" ({why})"),
                    _ => String::new(),
                };
                format!("{} {} {}{why}", looked.label, looked.path, looked.presence.as_str())
            };
            world.searched_places(catalog.dialect()).iter().map(row).collect::<Vec<_>>()
        })
    };
    assert_eq!(
        told("every rule, plugins as one place", "gencode", &|_| ()),
        [
            "claude-user /h/.claude/skills missing",
            "claude-user-plugin /h/.claude/plugins missing",
            "gen-user-plugin /h/.gen/plugins exists",
            "gen-user /h/.gen/skills missing",
            "claude-project /p/.claude/skills unreadable (it leads outside its folder)",
            "claude-project-plugin /p/.claude/plugins missing",
            "gen-project-plugin /p/.gen/plugins unreadable (it is not a directory)",
            "gen-project /p/.gen/skills exists",
        ]
    );
    let roots = told("roots alone", "claude", &|places| {
        (places.roots, places.only_roots) = (vec![path("/x"), path("/z")], true);
    });
    assert_eq!(roots, ["root /x exists", "root /z missing"]);
    let files = told("single files, and bases that are not known", "daycare", &|places| {
        (places.home, places.registered) = (None, vec![("one".to_owned(), path("/one.md"))]);
    });
    assert_eq!(
        files,
        [
            "plugin:one /one.md exists",
            "config /p/.daycare/skills missing",
            "core /p/packages/daycare/sources/skills missing"
        ]
    );
}

fn left_has(ground: &Ground, at: &str) -> bool {
    ground.tree.mem().list(&path(&format!("{at}/skills"))).is_ok()
}
