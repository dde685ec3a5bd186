//! What a lean world reads, what it reports instead, and what it withholds. In memory and on the disk.

use crate::common;

use common::ground::{on, table};
use common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::{Caller, IncrementalDiscovery, LoadRequest, PromptRequest, World, discover, load, prompt};

const TEA: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";

/// The skills with who may have them, and the findings.
fn told(dialect: &str, tree: Tree) -> Vec<String> {
    let mut ground = on(tree);
    ground.places.user_choices = Some(path("/h/skilltree.yaml"));
    ground.ask(dialect, |world| {
        let world = World::lean(world.fs, world.places, world.host);
        let catalog = discover(&world, &table(dialect));
        let skills = catalog.skills().iter().map(|skill| {
            let callers = [(Caller::Model, "model"), (Caller::User, "user")];
            let callers = callers.iter().filter(|(caller, _)| skill.is_for(*caller));
            format!("{}: {}", skill.key, callers.map(|(_, name)| *name).collect::<Vec<_>>().join(", "))
        });
        let findings = catalog.findings().iter().map(|finding| {
            let line = finding.at.map(|at| format!(":{}", at.line)).unwrap_or_default();
            format!("{} {} {}{line}", finding.severity.as_str(), finding.code, finding.path)
        });
        skills.chain(findings).collect()
    })
}

#[test]
fn a_lean_world_reads_what_is_valid_and_reports_the_rest() {
    let mate = "---\nname: mate\ndescription: Mate: the drink\n---\n";
    let settings = r#"{"skillOverrides": {"mate": "off"}}"#;
    let cases = [
        ("claude", vec![("/p/.claude/skills/tea/SKILL.md", TEA)], vec!["tea: model, user"]),
        (
            "agentskills",
            vec![("/p/.agents/skills/tea/SKILL.md", TEA), ("/p/.agents/skills/mate/SKILL.md", mate)],
            vec!["tea: model, user", "error yaml /p/.agents/skills/mate/SKILL.md:3"],
        ),
        // A settings file may switch any skill off.
        (
            "claude",
            vec![("/p/.claude/skills/tea/SKILL.md", TEA), ("/h/.claude/settings.json", settings)],
            vec!["tea: ", "warning not-read /h/.claude/settings.json"],
        ),
        (
            "gencode",
            vec![("/p/.gen/skills/tea/SKILL.md", TEA), ("/p/.gen/skills.json", "{}")],
            vec!["tea: ", "warning not-read /p/.gen/skills.json"],
        ),
        (
            "agentskills",
            vec![("/p/.agents/skills/tea/SKILL.md", TEA), ("/h/skilltree.yaml", "skills: {mate: off}\n")],
            vec!["tea: ", "warning not-read /h/skilltree.yaml"],
        ),
        // Plugins only add skills.
        (
            "gemini",
            vec![
                ("/p/.gemini/skills/tea/SKILL.md", TEA),
                ("/h/.gemini/extensions/drinks/skills/mate/SKILL.md", "---\nname: mate\ndescription: Mate.\n---\n"),
            ],
            vec!["tea: model, user", "warning not-read /h/.gemini/extensions"],
        ),
        // What may be meant otherwise is read as it is written.
        (
            "agentskills",
            vec![("/p/.agents/skills/tea/SKILL.md", "---\nname: tea\ndescription: Tea.\nmetadata:\n  a:\"b\"\n---\n")],
            vec![
                "tea: model, user",
                "warning wrong-type /p/.agents/skills/tea/SKILL.md:5",
                "warning not-read /p/.agents/skills/tea/SKILL.md:5",
            ],
        ),
        // It is withheld if it may restrict.
        (
            "claude",
            vec![(
                "/p/.claude/skills/tea/SKILL.md",
                "---\nname: tea\ndescription: Tea.\nmetadata:\n  disable-model-invocation:\"true\"\n---\n",
            )],
            vec![
                "tea: ",
                "warning restriction-missed /p/.claude/skills/tea/SKILL.md:5",
                "warning wrong-type /p/.claude/skills/tea/SKILL.md:5",
            ],
        ),
    ];
    for (dialect, files, expected) in cases {
        let tree = files.iter().fold(Tree::default(), |tree, (at, text)| tree.with(at, *text));
        assert_eq!(told(dialect, tree), expected, "{dialect}: {files:?}");
    }
}

#[test]
fn a_lean_world_lists_and_loads_as_a_full_one_does() {
    on(Tree::default().with("/p/.agents/skills/tea/SKILL.md", TEA)).ask("lean", |world| {
        let dialect = table("agentskills");
        let answers = |world: &World<'_>| {
            let catalog = discover(world, &dialect);
            let tea = catalog.find("tea", Caller::Model).expect("it is there");
            let loaded = load(world, &catalog, tea, &LoadRequest::new(Caller::Model)).expect("it is loaded");
            (prompt(world, &catalog, &PromptRequest::default()).text, loaded.text)
        };
        assert_eq!(answers(&World::lean(world.fs, world.places, world.host)), answers(world));
    });
}

#[test]
fn a_refresh_reads_again_if_the_world_is_no_longer_lean() {
    let mate = "---\nname: mate\ndescription: Mate: the drink\n---\n";
    on(Tree::default().with("/p/.agents/skills/mate/SKILL.md", mate)).ask("lean", |world| {
        let mut live = IncrementalDiscovery::new(table("agentskills"));
        let lean = World::lean(world.fs, world.places, world.host);
        for (world, count) in [(&lean, 0), (world, 1), (&lean, 0)] {
            assert_eq!(live.refresh(world).skills().len(), count);
        }
    });
}
