//! Skills that a model may confuse: by their descriptions, by what the prompt shows of them, and by their triggers. In memory
//! and on the disk; and the command that prints them.

use crate::common;

use common::Tree;
use common::ground::{Ground, on, skill};
use pretty_assertions::assert_eq;
use skilltree::PromptRequest;
use skilltree::author::Overlap;

fn described(skills: &[(&str, &str)]) -> Ground {
    let file = |tree: Tree, (name, description): &(&str, &str)| {
        tree.with(&format!("/s/{name}/SKILL.md"), skill(&format!("name: {name}\n{description}"), "Body.\n"))
    };
    on(skills.iter().fold(Tree::default(), file)).roots(&["/s"])
}

/// Each pair as `a b score reason`.
#[track_caller]
fn pairs(case: &str, dialect: &str, ask: &PromptRequest, skills: &[(&str, &str)], expect: &[&str]) {
    let found = described(skills).of(case, dialect, |world, catalog| Overlap::all(world, catalog, ask));
    let found: Vec<String> =
        found.iter().map(|pair| format!("{} {} {} {}", pair.a, pair.b, pair.score, pair.reason)).collect();
    assert_eq!(found, expect, "{case}");
}

#[test]
fn by_their_descriptions() {
    let none = PromptRequest::default();
    pairs(
        "letter case, spaces and signs are no difference, and each is paired with the first",
        "agentskills",
        &none,
        &[
            ("a", "description: Brews a cup of tea."),
            ("b", "description: brews  a cup of TEA!"),
            ("c", "description: Brews a (cup of) tea"),
            ("d", "description: Sends a mail."),
        ],
        &["a b 1 the descriptions are the same", "a c 1 the descriptions are the same"],
    );
    pairs(
        "few words differ",
        "agentskills",
        &none,
        &[
            (
                "a",
                "description: Creates and edits PDF files, and fills in forms, for reports and letters of the house.",
            ),
            (
                "b",
                "description: Creates and edits DOCX files, and fills in forms, for reports and letters of the house.",
            ),
            ("c", "description: Sends mail."),
        ],
        &["a b 0.81 the descriptions are nearly the same: only the first says `pdf`, and only the second says `docx`"],
    );
    pairs(
        "the same words in another order, and some words more",
        "agentskills",
        &none,
        &[
            ("a", "description: Tests the code and then sends it."),
            ("b", "description: Sends the code and then tests it."),
            ("c", "description: Sends the code and then tests it daily."),
        ],
        &[
            "a b 1 the descriptions are nearly the same: they have the same words in another order",
            "a c 0.77 the descriptions are similar: only the second says `daily`",
            "b c 0.77 the descriptions are similar: only the second says `daily`",
        ],
    );
    pairs(
        "what the model does not see is not compared",
        "claude",
        &none,
        &[("a", "description: Brews tea."), ("b", "description: Brews tea.\ndisable-model-invocation: true")],
        &[],
    );
    pairs(
        "no skill has a description",
        "claude",
        &none,
        &[("a", "model: x"), ("b", "model: x")],
        &["a b 1 the descriptions are the same"],
    );
}

#[test]
fn by_what_the_prompt_shows() {
    let skills = [
        ("a", "description: Works with the documents of the house and sends letters to all who have asked for one."),
        ("b", "description: Works with the documents of the house and files invoices of suppliers in their folders."),
    ];
    let of = |budget| PromptRequest { budget, ..PromptRequest::default() };
    let cut = "the prompt cuts both descriptions before they differ";
    for dialect in ["codex", "sven", "agentskills", "pegasus", "claude"] {
        let ground = described(&skills);
        let reasons = ground.of(dialect, dialect, |world, catalog| {
            let reason =
                |budget| Overlap::all(world, catalog, &of(Some(budget))).iter().any(|pair| pair.reason.contains(cut));
            (0..1200).filter(|budget| reason(*budget)).count()
        });
        let cuts = matches!(dialect, "agentskills" | "codex");
        assert_eq!(reasons > 0, cuts, "{dialect}: with {reasons} budgets");
    }
}

#[test]
fn by_their_triggers() {
    let triggers =
        |of: &str, words: &str| format!("description: {of}\ntriggers: {{keywords: [{words}], verbs: [pour]}}");
    let skills = [
        ("a", triggers("One", "tea, cup")),
        ("b", triggers("Two", "Cup, pot, TEA, water, milk, lemon")),
        ("c", triggers("Three", "mail, cup")),
        ("d", triggers("Four", "cup, tea")),
        ("e", "description: Five".to_owned()),
        ("f", "description: Six".to_owned()),
    ];
    let skills = skills.each_ref().map(|(name, fields)| (*name, fields.as_str()));
    pairs(
        "keywords and verbs",
        "agent-base",
        &PromptRequest::default(),
        &skills,
        &[
            "a d 1 the triggers are the same",
            "a b 0.42 all triggers of the first are triggers of the second",
            "b d 0.42 all triggers of the second are triggers of the first",
        ],
    );
}
