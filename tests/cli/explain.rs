//! The command `explain`: what a code means, as text, on a terminal and as JSON; names that are no code; completion.

use crate::common;

use crate::program::{Place, field};
use common::Tree;
use pretty_assertions::assert_eq;
use skilltree::{Code, Explanation, Json};

fn place() -> Place {
    Place::of(Tree::default())
}

#[test]
fn one_code() {
    let said = place().say(&["explain", "name-mismatch"]);
    let text = format!("error: name-mismatch\n\n{}", Code::NameMismatch.explanation());
    assert_eq!((said.code, said.out, said.err), (Some(0), text, String::new()), "as Markdown");
    let json = [
        ("code", "\"name-mismatch\""),
        ("severity", "\"error\""),
        ("dialect", "-"),
        ("strict", "-"),
        ("good", "\"coffee/SKILL.md\\n---\\nname: coffee\\ndescription: Makes hot drinks.\\n---\\nBoil water.\\n\""),
        ("bad", "\"---\\nname: coffee\\ndescription: Makes hot drinks.\\n---\\nBoil water.\\n\""),
    ];
    place().fields("as JSON", &["explain", "name-mismatch"], 0, &json);
    place().fields("with a dialect", &["explain", "too-deep"], 0, &[("dialect", "\"claude\"")]);
    place().fields("of a strict check", &["explain", "unknown-field"], 0, &[("strict", "true")]);
}

#[test]
fn every_code() {
    let (code, json) = place().json(&["explain"]);
    let Some(Json::List(codes)) = json.get("codes") else { panic!("{json}") };
    let names: Vec<&str> = codes.iter().filter_map(|one| one.get("code")?.as_text()).collect();
    assert_eq!((code, names), (Some(0), Code::ALL.iter().map(|code| code.as_str()).collect()));
    for (one, code) in codes.iter().zip(Code::ALL) {
        let text = field(one, "text");
        assert!(text.contains("To fix it, ") && !text.contains("```") && !text.contains("Bad"), "{code}: {text}");
        assert_eq!(field(one, "severity"), format!("\"{}\"", code.usual_severity().as_str()), "{code}");
    }
    let said = place().say(&["explain"]);
    let mut rows = said.out.lines();
    assert_eq!(rows.next().map(|head| head.split_whitespace().collect()), Some(vec!["CODE", "SEVERITY", "MEANING"]));
    let rows: Vec<&str> = rows.collect();
    assert!(rows.is_sorted() && rows.len() == Code::ALL.len(), "{}", said.out);
    for (row, code) in rows.iter().filter_map(|row| Some((row, Code::named(row.split(' ').next()?)?))) {
        let summary = Explanation::of(code.explanation()).summary;
        assert!(row.contains(code.usual_severity().as_str()) && row.ends_with(summary), "{row}");
    }
}

#[test]
fn what_is_no_code() {
    let place = place();
    let near =
        ["there is no code `name-mismach`; did you mean `name-mismatch`?", "`skilltree explain` lists all codes"];
    place.check("a slip", &["explain", "name-mismach"], 1, &[], &near);
    place.check("control characters", &["explain", "\u{1b}[31m"], 1, &[], &["there is no code `\\u{1b}[31m`\n"]);
    place.check("nothing", &["explain", ""], 2, &[], &["a value is required"]);
    place.fields("as JSON", &["explain", "yamll"], 1, &[("error.code", "\"unknown-code\"")]);
}

#[test]
fn the_help_does_not_list_all_codes() {
    let help = place().say(&["explain", "--help"]).out;
    assert!(!help.contains("store-corrupt"), "the help does not list them: {help}");
}
