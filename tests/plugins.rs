//! Plugins as sources: topics 2 and 3 of the rules. In memory and on the disk.

use crate::common;

use common::ground::{briefs, ground, on, table};
use common::{Machine, Tree, path};
use pretty_assertions::assert_eq;
use skilltree::fs::FsCall;
use skilltree::{FsError, MemFs, Places, World, discover};

const LIST: &str = "/p/.gen/plugins/installed_plugins.json";

/// Skills at these places, `PATH` or `PATH: FIELDS`, and a list of plugins; an empty one is no file.
fn plugins(list: &str, skills: &[&str]) -> Tree {
    let mut tree = Tree::default();
    for skill in skills {
        let (at, fields) = skill.split_once(": ").unwrap_or((skill, ""));
        tree = tree.with(&format!("{at}/SKILL.md"), format!("---\n{fields}\n---\nBody.\n"));
    }
    if list.is_empty() { tree } else { tree.with(LIST, list) }
}

/// `key source path` of each skill, what is shadowed, and the findings.
#[track_caller]
fn check(case: &str, list: &str, skills: &[&str], expect: &[&str]) {
    let mut ground = on(plugins(list, skills));
    // The cases are about lists as such, which may name folders anywhere in the user's home directory.
    ground.places.follow_links_out = true;
    let got = ground.of(case, "gencode", |_, catalog| {
        let used = catalog.skills().iter().map(|s| format!("{} {} {}", s.key, s.source.label, s.dir()));
        let lost = catalog.shadowed().iter().map(|s| format!("{} < {}", s.skill.key, s.skill.dir()));
        used.chain(lost).chain(briefs(catalog.findings())).collect::<Vec<_>>()
    });
    assert_eq!(got, expect, "{case}");
}

#[test]
fn folders_and_lists() {
    let gen_project = |skill: &str| format!("/p/.gen/plugins/{skill}");
    let (git, commit) =
        (gen_project("git/skills/commit"), "git:commit gen-project-plugin /p/.gen/plugins/git/skills/commit");
    check("rule 2.9: a folder", "", &[&git], &[commit]);
    check("rule 2.9: its folder `skills` alone", "", &["/p/.gen/plugins/git/other/commit"], &[]);
    check(
        "rule 2.10: a namespace of its own",
        "",
        &[&format!("{git}: namespace: vcs")],
        &["vcs:commit gen-project-plugin /p/.gen/plugins/git/skills/commit"],
    );
    check("rule 2.10: an empty namespace is none", "", &[&format!("{git}: namespace: \"\"")], &[commit]);
    check(
        "rule 2.9: the user's and the project's",
        "",
        &[
            "/h/.claude/plugins/a/skills/x",
            "/h/.gen/plugins/a/skills/x",
            "/p/.claude/plugins/a/skills/x",
            "/p/.gen/plugins/a/skills/x",
        ],
        &[
            "a:x gen-project-plugin /p/.gen/plugins/a/skills/x",
            "a:x < /h/.claude/plugins/a/skills/x",
            "a:x < /h/.gen/plugins/a/skills/x",
            "a:x < /p/.claude/plugins/a/skills/x",
        ],
    );
    let one = |id: &str, path: &str| format!("{{\"plugins\": {{\"{id}\": [{{\"installPath\": \"{path}\"}}]}}}}");
    let far = "/far/git/skills/commit";
    let found = |name: &str| format!("{name}:commit gen-project-plugin {far}");
    check("rule 2.9: a list", &one("git@market", "/far/git"), &[far], &[&found("git")]);
    check("rule 2.10: a list without `@`", &one("git", "/far/git"), &[far], &[&found("git")]);
    check("rule 2.9: a list with two", &one("git@a@b", "/far/git"), &[far], &[&found("git")]);
    check("rule 2.10: a list with nothing before `@`", &one("@a/git", "/far/git"), &[far], &[&found("@a/git")]);
    check("rule 2.9: a path with `..` and blanks", &one("git", "/far/x/../git/"), &[far], &[&found("git")]);
    check(
        "rule 2.9: a relative path",
        &one("git", "store/git"),
        &["/p/.gen/plugins/store/git/skills/commit"],
        &["git:commit gen-project-plugin /p/.gen/plugins/store/git/skills/commit"],
    );
    let missing = format!("warning plugin-missing {LIST}");
    check("rule 2.9: nothing there", &one("git", "/nowhere"), &[&git], &[commit, &missing]);
    check(
        "rules 2.9 and 2.10: a directory counts once, by the list's name",
        &one("vcs@market", "/p/.gen/plugins/git"),
        &[&git],
        &["vcs:commit gen-project-plugin /p/.gen/plugins/git/skills/commit"],
    );
    for (case, path) in [("rule 2.9: nowhere", "/far/none"), ("rule 2.9: a file", "/far/git/skills/commit/SKILL.md")] {
        check(case, &one("git@m", path), &["/far/git/skills/commit"], &[&missing]);
    }
    let two = "{\"plugins\": {\"git@m\": [{\"installPath\": \"/far/new\"}, {\"installPath\": \"/far/old\"}]}}";
    check(
        "rule 2.9: the first install",
        two,
        &["/far/new/skills/a", "/far/old/skills/b"],
        &["git:a gen-project-plugin /far/new/skills/a"],
    );
    let same = "{\"plugins\": {\"a@m\": [{\"installPath\": \"/far/b\"}], \"a@n\": [{\"installPath\": \"/far/a\"}]}}";
    check(
        "rule 2.9: one name twice: by path",
        same,
        &["/far/a/skills/x", "/far/b/skills/x"],
        &["a:x gen-project-plugin /far/a/skills/x", "a:x < /far/b/skills/x"],
    );
    check(
        "rule 3.12: a skill at a plugin's root",
        "",
        &["/p/.gen/plugins/git/skills: name: git"],
        &["git:git gen-project-plugin /p/.gen/plugins/git/skills"],
    );
}

#[test]
fn lists_that_are_odd() {
    let corrupt = format!("error store-corrupt {LIST}");
    let (git, commit) =
        ("/p/.gen/plugins/git/skills/commit", "git:commit gen-project-plugin /p/.gen/plugins/git/skills/commit");
    for (case, list) in [
        ("no JSON", "{"),
        ("a list", "[]"),
        ("no plugins", "{\"version\": 2}"),
        ("plugins are a list", "{\"plugins\": []}"),
        ("too deep", &"[".repeat(5_000)),
    ] {
        check(&format!("rule 2.9: corrupt: {case}"), list, &[git], &[commit, &corrupt]);
    }
    for (case, list) in [("none", "{\"plugins\": {}}"), ("no install", "{\"plugins\": {\"a\": []}}")] {
        check(&format!("rule 2.9: passed over: {case}"), list, &[git], &[commit]);
    }
    let missing = format!("warning plugin-missing {LIST}");
    for (case, list) in [
        ("an install that is none", "{\"plugins\": {\"a\": [7]}}"),
        ("a text", "{\"plugins\": {\"a\": \"/far\"}}"),
        ("no path", "{\"plugins\": {\"a\": [{\"scope\": \"user\"}]}}"),
        ("a path that is none", "{\"plugins\": {\"a\": [{\"installPath\": \"\\u0000\"}]}}"),
        ("a path that climbs", "{\"plugins\": {\"a\": [{\"installPath\": \"/../../..\"}]}}"),
    ] {
        check(&format!("rule 2.9: nowhere: {case}"), list, &[git], &[commit, &missing]);
    }
    let links = ground(
        "//- /p/.gen/plugins/real/skills/x/SKILL.md\n---\nname: x\n---\n//- /p/.gen/plugins/again link=real\n\
         //- /p/.gen/plugins/file\nText.\n//- /p/.gen/plugins/gone link=nowhere\n",
    );
    let keys = links
        .of("rule 2.9: links", "gencode", |_, catalog| (common::ground::keys(catalog), briefs(catalog.findings())));
    assert_eq!(keys, (vec!["real:x".to_owned()], vec![]), "rule 2.9: links: a directory counts once, real ones first");
    let closed = ground("//- /p/.gen/plugins dir\n//- /p/.gen/skills/x/SKILL.md\n---\nname: x\n---\n");
    closed.of("no plugins", "gencode", |_, catalog| assert_eq!(briefs(catalog.findings()), Vec::<String>::new()));
}

#[test]
fn what_cannot_be_read_and_what_is_not_here_yet() {
    let places = Places { project: Some(path("/p")), ..Places::default() };
    let (machine, table) = (Machine::default(), table("gencode"));
    let check = |case: &str, call: FsCall, at: &str, error: FsError, pending: &[&str], findings: &[&str]| {
        let mut fs: MemFs = plugins("{\"plugins\": {}}", &["/p/.gen/plugins/git/skills/x"]).mem();
        fs.fault(call, at, error);
        let catalog = discover(&World::new(&fs, &places, &machine), &table);
        let waits: Vec<&str> = catalog.pending().iter().map(|path| path.as_str()).collect();
        assert_eq!(
            (waits, briefs(catalog.findings())),
            (pending.to_vec(), findings.iter().map(|&f| f.to_owned()).collect()),
            "{case}"
        );
    };
    let folder = "/p/.gen/plugins";
    check(
        "the folder, denied",
        FsCall::List,
        folder,
        FsError::Denied(path(folder)),
        &[],
        &["warning source-unreadable /p/.gen/plugins"],
    );
    check("the folder, not yet", FsCall::List, folder, FsError::Pending(path(folder)), &[folder], &[]);
    check(
        "the list, denied",
        FsCall::Read,
        LIST,
        FsError::Denied(path(LIST)),
        &[],
        &[&format!("error store-corrupt {LIST}")],
    );
    check("the list, not yet", FsCall::Read, LIST, FsError::Pending(path(LIST)), &[LIST], &[]);
}

/// So many plugins that all lead to one tree of so many skills, each in a way of its own.
fn to_one_tree(plugins: usize, skills: usize) -> MemFs {
    let mut fs = MemFs::new();
    for n in 0..skills {
        fs.file(&format!("/p/tree/s{n}/SKILL.md"), "---\nname: s\n---\nBody.\n");
    }
    for n in 0..plugins {
        fs.link(&format!("/p/.gen/plugins/p{n}/skills/all"), "/p/tree");
    }
    fs
}

/// So many plugins, each the folder of skills of which the one before is a part.
fn in_one_another(plugins: usize, skills: usize) -> MemFs {
    let mut fs = MemFs::new();
    for n in 0..plugins {
        let folder = format!("/p/tree{}", "/skills".repeat(plugins - n));
        fs.link(&format!("/p/.gen/plugins/p{n:03}/skills"), &folder);
        for m in 0..skills {
            fs.file(&format!("{folder}/s{n}-{m}/SKILL.md"), "---\n{}\n---\nBody.\n");
        }
    }
    fs
}

fn all_calls(fs: &MemFs) -> usize {
    [FsCall::List, FsCall::Read, FsCall::Metadata, FsCall::Canonical].into_iter().map(|call| fs.calls(call)).sum()
}

#[test]
fn many_ways_to_one_tree_cost_what_one_does() {
    let places = Places { project: Some(path("/p")), ..Places::default() };
    let found = |fs: &MemFs| {
        let catalog = discover(&World::new(fs, &places, &()), &table("gencode"));
        (catalog.skills().len() + catalog.shadowed().len(), catalog.findings().len(), all_calls(fs))
    };
    let (one, ten) = (found(&to_one_tree(1, 200)), found(&to_one_tree(10, 200)));
    let hundred = found(&to_one_tree(100, 200));
    assert_eq!((one.0, ten.0, hundred.0), (200, 200, 200), "each skill is there once");
    assert_eq!((ten.1 - one.1, hundred.1 - one.1), (9, 99), "each other way is told of once");
    assert!(hundred.2 - one.2 <= 100 * 10, "a way costs a few calls, not a walk: {one:?} {hundred:?}");

    let (few, many) = (found(&in_one_another(10, 3)), found(&in_one_another(100, 3)));
    assert_eq!((few.0, many.0), (30, 300), "each skill is there once");
    assert!(many.2 <= few.2 * 11, "ten times as many cost ten times as much: {few:?} {many:?}");
}

#[test]
fn what_an_earlier_plugin_has_is_left_to_it() {
    let tree = plugins("", &["/p/tree/a", "/p/tree/sub/b"])
        .with_link("/p/.gen/plugins/x/skills/sub", "/p/tree/sub")
        .with_link("/p/.gen/plugins/y/skills", "/p/tree")
        .with_link("/p/.gen/plugins/z/skills/again", "/p/tree/sub");
    let got = on(tree).of("parts of one tree", "gencode", |_, catalog| {
        let used = catalog.skills().iter().map(|s| format!("{} {}", s.key, s.dir()));
        used.chain(briefs(catalog.findings())).collect::<Vec<_>>()
    });
    let expect = [
        "x:b /p/.gen/plugins/x/skills/sub/b",
        "y:a /p/.gen/plugins/y/skills/a",
        "note same-file /p/.gen/plugins/y/skills/sub",
        "note same-file /p/.gen/plugins/z/skills/again",
    ];
    assert_eq!(got, expect);
}

/// Where the depth is limited, a walk that comes to a folder later than another one has not read all that this one does.
#[test]
fn what_an_earlier_plugin_does_not_read_is_read() {
    let list = "/h/.claude/plugins";
    let tree = |link: &str, to: &str| {
        let skill = "---\nname: n\ndescription: D.\n---\n";
        let skills = ["b/skills/tea", "b/skills/sub/deep", "c/skills/cup"];
        let tree = skills.iter().fold(Tree::default(), |tree, at| tree.with(&format!("{list}/{at}/SKILL.md"), skill));
        tree.with_link(&format!("{list}/{link}"), &format!("{list}/{to}"))
    };
    let got = |case: &str, link: &str, to: &str| {
        on(tree(link, to)).of(case, "claude", |_, catalog| {
            let used = catalog.skills().iter().map(|s| s.dir().to_string());
            used.chain(briefs(catalog.findings())).map(|line| line.replace(list, "")).collect::<Vec<_>>()
        })
    };
    let (tea, cup) = ("/b/skills/tea", "/c/skills/cup");
    let too_deep = "warning too-deep /b/skills/sub/deep/SKILL.md";
    assert_eq!(got("none", "none", "nowhere"), [tea, cup, too_deep]);
    assert_eq!(
        got("one folder deeper", "a/skills/link", "b/skills"),
        [tea, cup, "warning too-deep /a/skills/link/tea/SKILL.md", too_deep],
    );
    assert_eq!(
        got("a part, one folder deeper", "a/skills/x/link", "b/skills/tea"),
        [tea, cup, "warning too-deep /a/skills/x/link/SKILL.md", too_deep],
    );
    assert_eq!(
        got("a part, as deep", "a/skills/link", "b/skills/sub"),
        [tea, cup, "warning too-deep /a/skills/link/deep/SKILL.md", "note same-file /b/skills/sub"],
    );
    assert_eq!(
        got("a part, of which more is read", "a/skills", "b/skills/sub"),
        ["/a/skills/deep", tea, cup, "note same-file /b/skills/sub"],
    );
    assert_eq!(
        got("as deep", "a/skills", "b/skills"),
        ["/a/skills/tea", cup, "warning too-deep /a/skills/sub/deep/SKILL.md"],
    );
}

/// An earlier plugin that goes leaves its part of the tree to the next one, also where scans are remembered.
#[test]
fn what_an_earlier_plugin_had_is_taken_over() {
    let skill = "---\n{}\n---\nBody.\n";
    let tree = |has_first: bool| {
        let mut fs = MemFs::new();
        fs.file("/p/.gen/plugins/y/skills/a/SKILL.md", skill).file("/p/.gen/plugins/y/skills/sub/b/SKILL.md", skill);
        fs.file(LIST, if has_first { FIRST } else { "{\"plugins\": {}}" });
        fs
    };
    const FIRST: &str = r#"{"plugins": {"x@m": [{"installPath": "/p/.gen/plugins/x"}]}}"#;
    let (mut with, without) = (tree(true), tree(false));
    with.link("/p/.gen/plugins/x/skills", "/p/.gen/plugins/y/skills/sub");
    let places = Places { project: Some(path("/p")), ..Places::default() };
    let mut live = skilltree::IncrementalDiscovery::new(table("gencode"));
    let mut keys = |fs: &MemFs| {
        let catalog = live.refresh(&World::new(fs, &places, &()));
        catalog.skills().iter().map(|skill| skill.key.clone()).collect::<Vec<_>>()
    };
    assert_eq!(keys(&with), ["x:b", "y:a"]);
    assert_eq!(keys(&with), ["x:b", "y:a"]);
    assert_eq!(keys(&without), ["y:a", "y:b"]);
    assert_eq!(keys(&with), ["x:b", "y:a"]);
}

/// A client may have a setting that says which of the installed plugins it uses.
#[test]
fn plugins_that_are_switched_off() {
    let list =
        "{\"plugins\": {\"tea@m\": [{\"installPath\": \"/h/c/tea\"}], \"cup@m\": [{\"installPath\": \"/h/c/cup\"}]}}";
    let skill = "---\nname: n\ndescription: D.\n---\n";
    let both = ["cup:n full", "tea:n full"];
    let tea = ["cup:n off", "tea:n full"];
    let none = ["cup:n off", "tea:n off"];
    let (user, project) = ("/h/.claude/settings.json", "/p/.claude/settings.json");
    let set = |plugins: &str| format!("{{\"enabledPlugins\": {plugins}}}");
    type Case<'c> = (&'c str, &'c [(&'c str, String)], [&'c str; 2], &'c [&'c str]);
    let cases: &[Case<'_>] = &[
        ("without the setting", &[(user, "{}".to_owned())], both, &[]),
        ("both", &[(user, set("{\"tea@m\": true, \"cup@m\": true}"))], both, &[]),
        ("one is off", &[(user, set("{\"tea@m\": true, \"cup@m\": false}"))], tea, &[]),
        ("one is not named", &[(user, set("{\"tea@m\": true}"))], tea, &[]),
        ("none is named", &[(user, set("{}"))], none, &[]),
        ("of another market", &[(user, set("{\"tea@m\": true, \"cup@n\": true}"))], tea, &[]),
        ("no flag", &[(user, set("{\"tea@m\": true, \"cup@m\": 1}"))], tea, &[]),
        (
            "on again in the project",
            &[(user, set("{\"tea@m\": true, \"cup@m\": false}")), (project, set("{\"cup@m\": true}"))],
            both,
            &["warning setting-undone /p/.claude/settings.json:1:1"],
        ),
        ("no map", &[(user, set("[]"))], both, &["warning wrong-type /h/.claude/settings.json:1:1"]),
    ];
    for (case, files, expect, findings) in cases {
        let tree = Tree::default()
            .with("/h/.claude/plugins/installed_plugins.json", list)
            .with("/h/c/tea/skills/s/SKILL.md", skill)
            .with("/h/c/cup/skills/s/SKILL.md", skill);
        let tree = files.iter().fold(tree, |tree, (path, text)| tree.with(path, &**text));
        on(tree).of(case, "claude", |_, catalog| {
            let skills = catalog.skills().iter().map(|skill| format!("{} {}", skill.key, skill.visibility().as_str()));
            assert_eq!(
                (skills.collect::<Vec<_>>(), briefs(catalog.findings())),
                (expect.map(str::to_owned).to_vec(), findings.iter().map(|text| (*text).to_owned()).collect()),
                "{case}"
            );
        });
    }
}

/// A plugin leads to a later one, which leads back to what lies beside the skills of the first: that is the later one's.
#[test]
fn plugins_that_link_to_each_other() {
    let text = "//- /h/.agents/plugins/a/skills/b link=/h/.agents/plugins/b\n\
        //- /h/.agents/plugins/b/skills/a link=/h/.agents/plugins/a\n\
        //- /h/.agents/plugins/a/far/SKILL.md\n---\nname: far\ndescription: D\n---\n";
    let paths = ground(text).of("rule 3.4", "goose", |_, catalog| {
        catalog.skills().iter().map(|skill| skill.path.to_string()).collect::<Vec<_>>()
    });
    assert_eq!(paths, ["/h/.agents/plugins/b/skills/a/far/SKILL.md"]);
}
