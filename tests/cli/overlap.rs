//! The command `overlap`.

use crate::common::Tree;
use crate::program::Place;

fn place(description: &str) -> Place {
    Place::of(Tree::default().files(&[
        ("/project/.claude/skills/tea/SKILL.md", "---\nname: tea\ndescription: Brews tea.\n---\n"),
        ("/project/.claude/skills/pot/SKILL.md", &format!("---\nname: pot\ndescription: {description}\n---\n")),
    ]))
}

#[test]
fn a_table_and_json() {
    let place = place("Brews tea");
    let table = "SKILL  OTHER SKILL  SCORE  REASON\n\
                 pot    tea          1.00   the descriptions are the same\n";
    place.exact("a pair", &["overlap"], 0, table, "");
    place.fields(
        "as JSON",
        &["overlap", "--json"],
        0,
        &[
            ("pairs.0.a", "\"pot\""),
            ("pairs.0.b", "\"tea\""),
            ("pairs.0.score", "1"),
            ("pairs.0.reason", "\"the descriptions are the same\""),
        ],
    );
}

#[test]
fn no_pair() {
    let place = place("Fills pots.");
    place.exact(
        "none",
        &["overlap"],
        0,
        "",
        "note: no two skills have descriptions or triggers that a model may confuse\n",
    );
    place.exact("none as JSON", &["overlap", "--json"], 0, "{\n  \"pairs\": []\n}\n", "");
    Place::of(Tree::default()).check("no skills", &["overlap"], 0, &[], &["no skills"]);
}
