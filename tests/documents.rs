//! What the documents of the systems leave open, and what is decided about it.

use crate::common;
use common::ground::{briefs, on, skill, table};
use common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::{
    Caller, Invocation, LoadRequest, MemFs, Places, PromptRequest, World, commands, discover, invoke, load, prompt,
};
#[cfg(feature = "patterns")]
use skilltree::{CheckRequest, SelectRequest, check, select};

fn front(name: &str) -> String {
    skill(&format!("name: {name}\ndescription: About {name}."), "Body.")
}

/// The document lists `git:commit`, `pdf` and `my-skill`.
#[test]
fn samples_show_no_order() {
    let tree = Tree::default()
        .with("/p/.gen/skills.json", r#"{"skills": {"pdf": "active", "my-skill": "active", "git:commit": "active"}}"#)
        .with("/p/.gen/skills/pdf/SKILL.md", front("pdf"))
        .with("/p/.gen/skills/my-skill/SKILL.md", front("my-skill"))
        .with("/p/.gen/skills/commit/SKILL.md", skill("name: commit\nnamespace: git\ndescription: C", ""));
    let shown =
        on(tree).of("rule 8.11", "gencode", |world, catalog| prompt(world, catalog, &PromptRequest::default()).shown);
    assert_eq!(shown, ["git:commit", "my-skill", "pdf"], "rule 8.11: the order is that of the catalog");
}

#[test]
fn a_task_is_what_was_typed() {
    let tree = Tree::default().with("/p/.sven/skills/tea/SKILL.md", front("tea"));
    for (line, task) in [
        ("/tea  two   words ", "two   words"),
        ("/tea \"a  b\"\t'c'", "\"a  b\"\t'c'"),
        ("/tea one\n\n  two\n", "one\n\n  two"),
    ] {
        let text = on(tree.clone()).of(line, "sven", |world, catalog| {
            let commands = commands(catalog, &[]);
            match invoke(world, catalog, &commands, line).expect("it is answered") {
                Some(Invocation::Inline(message)) => message.text,
                other => panic!("{line}: {other:?}"),
            }
        });
        assert_eq!(text, format!("Body.\n\nTask: {task}"), "rule 14.10: {line:?}");
    }
}

#[test]
fn titles_of_knowledge_files() {
    let far = format!("---\nupdated: now\n---\n{}\n# Far below\n", "text\n".repeat(2_000));
    let files: &[(&str, String, &str)] = &[
        ("a.md", "---\nsubsystem: Own\ntitle: Other\n---\n# Heading\n".to_owned(), " (Own)"),
        ("b.md", "---\ntitle: Other\n---\n# Heading\n".to_owned(), " (Other)"),
        ("c.md", "---\nsubsystem: ''\n---\n\n## A  heading ##\n".to_owned(), " (A heading)"),
        ("d.md", "# Without frontmatter\n".to_owned(), " (Without frontmatter)"),
        ("e.md", far, " (Far below)"),
        ("f.md", "```\n# a comment\n```\nNothing.\n".to_owned(), ""),
        ("g.md", "---\nsubsystem: [a]\n---\n".to_owned(), ""),
    ];
    for (name, text, title) in files {
        let tree = Tree::default()
            .with("/p/.sven/skills/tea/SKILL.md", skill(&format!("description: D\nknowledge: [{name}]"), ""))
            .with(&format!("/p/.sven/knowledge/{name}"), text.as_str());
        let told = on(tree).of(name, "sven", |world, catalog| {
            let tea = catalog.get("tea").expect("it is in use");
            load(world, catalog, tea, &LoadRequest::new(Caller::Model)).expect("it loads").text
        });
        let row = format!("  - .sven/knowledge/{name}{title}\n");
        assert!(told.contains(&row), "rule 12.11: {name}: {row:?} in {told}");
    }
}

/// A pattern with look-around is none, and nothing of it is taken for one.
#[cfg(feature = "patterns")]
#[test]
fn look_around() {
    let fields = "name: tea\ndescription: D\ntriggers:\n  patterns: ['foo(?=bar)', 'foo(?!baz)', '(a)\\1', 'gr[ae]y']";
    let tree = Tree::default().with("/p/.agent/skills/tea/SKILL.md", skill(fields, "Body."));
    let (found, tiers) = on(tree).of("rule 10.6", "agent-base", |world, catalog| {
        let tier = |query: &str| {
            let ask = SelectRequest { query: query.to_owned(), ..SelectRequest::default() };
            select(world, catalog, &ask).expect("it selects").keys.len()
        };
        let found = check(
            world,
            &table("agent-base"),
            &[path("/p/.agent/skills/tea/SKILL.md")],
            &CheckRequest { strict: false },
        );
        let found: Vec<String> = briefs(&found.expect("it is there"));
        (
            found.iter().filter(|line| line.contains("pattern-invalid")).count(),
            ["foobar", "foo", "aa", "grey"].map(tier),
        )
    });
    assert_eq!((found, tiers), (3, [0, 0, 0, 1]), "rule 10.6");
}

#[test]
fn lists_of_plugins_of_version_1() {
    let (list, at) = ("/h/.claude/plugins/installed_plugins.json", "\"installPath\": \"/h/git\"");
    for (case, entry, keys) in [
        ("rule 2.16: version 1, an object", format!("{{{at}}}"), vec!["git:commit"]),
        ("rule 2.9: version 2, a list", format!("[{{{at}}}]"), vec!["git:commit"]),
        ("rule 2.9: neither", "\"/h/git\"".to_owned(), vec![]),
    ] {
        let tree = Tree::default()
            .with(list, format!("{{\"version\": 1, \"plugins\": {{\"git@market\": {entry}}}}}"))
            .with("/h/git/skills/commit/SKILL.md", front("commit"));
        let (told, found) = on(tree).of(case, "gencode", |_, catalog| {
            let keys: Vec<String> = catalog.skills().iter().map(|skill| skill.key.clone()).collect();
            (keys, briefs(catalog.findings()))
        });
        assert_eq!(told, keys, "{case}");
        assert_eq!(found.is_empty(), !keys.is_empty(), "{case}: {found:?}");
    }
}

#[test]
fn the_configuration_folder_is_not_looked_for_at_home() {
    let mut fs = MemFs::new();
    fs.file("/h/.daycare/skills/tea/SKILL.md", front("tea")).dir("/p");
    let places = Places { project: Some(path("/p")), home: Some(path("/h")), ..Places::default() };
    let keys = |places: &Places| -> Vec<String> {
        let catalog = discover(&World::new(&fs, places, &()), &table("daycare"));
        catalog.skills().iter().map(|skill| skill.key.clone()).collect()
    };
    assert_eq!(keys(&places), Vec::<String>::new(), "rule 2.17: not by itself");
    let named = Places { config: Some(path("/h/.daycare")), ..places };
    assert_eq!(keys(&named), ["config:tea"], "rule 2.17: where it is named");
}
