//! The section for the system prompt: topics 7 and 11 of the rules, to the byte. In memory and on the disk.

use crate::common;
#[path = "prompt/knobs.rs"]
mod knobs;
#[path = "prompt/ranked.rs"]
mod ranked;

use common::ground::{Ground, briefs, ground};
use pretty_assertions::assert_eq;
use skilltree::{Prompt, PromptRequest, prompt};
use std::fmt::Write as _;

/// `KEY: FIELDS`, one skill a line, in the source that both dialects have.
#[track_caller]
fn skills(lines: &[&str]) -> Ground {
    let mut text = "//- /p/.agents/skills dir\n".to_owned();
    for line in lines {
        let (key, fields) = line.split_once(": ").expect("a key and fields");
        writeln!(text, "//- /p/.agents/skills/{key}/SKILL.md\n---\nname: {key}\n{}\n---", fields.replace("; ", "\n"))
            .expect("text can grow");
    }
    ground(&text)
}

#[track_caller]
fn asked(case: &str, dialect: &str, ground: &Ground, budget: Option<usize>, window: Option<usize>) -> Prompt {
    let ask = PromptRequest { budget, window, ..PromptRequest::default() };
    let got = ground.of(case, dialect, |world, catalog| prompt(world, catalog, &ask));
    assert_eq!(got.cost, got.list.chars().count(), "{case}: 22 the cost is in characters");
    got
}

/// What is shown, shortened and left out.
fn report(prompt: &Prompt) -> String {
    format!("{} ~ {} - {}", prompt.shown.join(","), prompt.shortened.join(","), prompt.left_out.join(","))
}

#[track_caller]
fn packed(case: &str, dialect: &str, ground: &Ground, budget: usize, expect: &str) -> Prompt {
    let got = asked(case, dialect, ground, Some(budget), None);
    assert_eq!(report(&got), expect, "{case}");
    let left: Vec<_> =
        got.left_out.iter().map(|key| format!("warning left-out /p/.agents/skills/{key}/SKILL.md")).collect();
    assert_eq!(briefs(&got.findings), left, "{case}: one finding a skill left out");
    got
}

/// The document's row.
fn sven_row(key: &str, name: &str, description: &str) -> String {
    format!(
        "  <skill>\n    <command>{key}</command>\n    <name>{name}</name>\n    <description>{description}</description>\n  </skill>\n"
    )
}

fn plain_row(name: &str, description: &str) -> String {
    let description =
        if description.is_empty() { String::new() } else { format!("    <description>{description}</description>\n") };
    format!(
        "  <skill>\n    <name>{name}</name>\n{description}    <location>/p/.agents/skills/{name}/SKILL.md</location>\n  </skill>\n"
    )
}

/// Where whole rows do not fit, they go without the location first.
fn short_row(name: &str, description: &str) -> String {
    plain_row(name, description).replace(&format!("    <location>/p/.agents/skills/{name}/SKILL.md</location>\n"), "")
}

fn bare_row(name: &str) -> String {
    format!("  <skill>\n    <name>{name}</name>\n  </skill>\n")
}

fn listed(rows: &[String]) -> String {
    format!("<available_skills>\n{}</available_skills>", rows.concat())
}

#[test]
fn whole() {
    let two = skills(&["b: description: Second.", "a: description: First."]);
    let got = asked("rule 11.8: the block", "sven", &two, None, None);
    assert_eq!(
        got.list,
        listed(&[sven_row("a", "a", "First."), sven_row("b", "b", "Second.")]),
        "rule 11.8: the block"
    );
    assert!(got.guidance.starts_with("## Skills\n\nWhen you recognize that the current task matches one of the available skills\nlisted below, call the `load_skill` tool to load the full skill instructions\nbefore proceeding. "), "rule 1.4: the guidance");
    assert_eq!(
        got.text,
        format!("{}\n\n{}", got.guidance, got.list),
        "rule 11.7: guidance and list are also given apart"
    );
    assert_eq!((got.budget, got.notice.as_str()), (Some(30_000), ""), "rule 11.4: sven has 30 000");
    let got = asked("rule 11.8: the client guide's row", "agentskills", &two, None, None);
    assert_eq!(
        got.list,
        listed(&[plain_row("a", "First."), plain_row("b", "Second.")]),
        "rule 11.8: the client guide's row"
    );
    assert_eq!(
        got.text,
        format!("{}\n\n{}", got.guidance, got.list),
        "rule 11.7: guidance and list are also given apart"
    );
}

#[test]
fn nothing_to_show() {
    for dialect in ["sven", "agentskills"] {
        let hidden = skills(&[
            "a: description: D; sven: {user_invocable_only: true, always: true}; disable-model-invocation: true",
        ]);
        let off = skills(&["a: description: D"]).off("a");
        for (case, ground) in [
            ("rule 11.7: no skill", skills(&[])),
            ("rule 9.2: none for the model", hidden),
            ("rule 9.2: none switched on", off),
        ] {
            assert_eq!(
                asked(case, dialect, &ground, None, None),
                {
                    let mut p = Prompt::default();
                    p.budget = Some(if dialect == "sven" { 30_000 } else { 8_000 });
                    p
                },
                "{case}"
            );
        }
        let got = packed("rule 11.7: none fits", dialect, &skills(&["a: description: D"]), 0, " ~  - a");
        assert_eq!(
            (got.text.as_str(), got.list.as_str(), got.guidance.as_str(), got.cost),
            ("", "", "", 0),
            "rule 11.7: none fits"
        );
    }
}

#[test]
fn budgets() {
    let one = skills(&["a: description: D"]);
    for (case, dialect, window, expect) in [
        ("rule 11.4: sven: fixed", "sven", Some(1_000_000), 30_000),
        ("rule 11.4: agentskills: unknown window", "agentskills", None, 8_000),
        ("rule 11.4: agentskills: 1 % at four characters a token", "agentskills", Some(200_000), 8_000),
        ("rule 11.4: agentskills: a large window", "agentskills", Some(1_000_000), 40_000),
        ("rule 11.1: agentskills: rounded down", "agentskills", Some(99), 3),
        ("rule 11.4: agentskills: no window at all", "agentskills", Some(0), 0),
    ] {
        assert_eq!(asked(case, dialect, &one, None, window).budget, Some(expect), "{case}");
    }
    assert_eq!(
        asked("rule 11.1: the caller's", "agentskills", &one, Some(77), Some(200_000)).budget,
        Some(77),
        "rule 11.4: the caller's beats the window"
    );
    asked("rule 11.4: a window beyond all", "agentskills", &one, None, Some(usize::MAX));
}

#[test]
fn first_fit() {
    let three = skills(&["a: description: aaaa", "b: description: é💡茶b", "c: description: c"]);
    let cost = |rows: &[String]| listed(rows).chars().count();
    let (a, b, c) = (sven_row("a", "a", "aaaa"), sven_row("b", "b", "é💡茶b"), sven_row("c", "c", "c"));
    let all = cost(&[a.clone(), b.clone(), c.clone()]);
    packed("rule 11.1: to the character", "sven", &three, all, "a,b,c ~  - ");
    let got = packed("rule 11.1: one character less", "sven", &three, all - 1, "a,b ~  - c");
    assert_eq!(
        got.text,
        format!("{}\n\n{}\n\n⚠ Skills truncated: showing 2 of 3.", got.guidance, listed(&[a.clone(), b.clone()])),
        "rule 11.11: the notice after the block"
    );
    assert_eq!(got.notice, "⚠ Skills truncated: showing 2 of 3.", "rule 11.11: the notice");
    packed("rule 11.1: characters, not bytes", "sven", &three, cost(&[a.clone(), b.clone()]), "a,b ~  - c");
    packed("rule 11.3: stops at the first that does not fit", "sven", &three, cost(&[a.clone(), c]), "a ~  - b,c");
    packed("rule 11.1: the tags count", "sven", &three, a.chars().count(), " ~  - a,b,c");
}

#[test]
fn pinned() {
    let ground = skills(&[
        "a: description: A",
        "b: description: B",
        "y: description: Y; sven: {always: true}",
        "x: description: X; sven: {always: true}",
    ]);
    let row = |key: &str| sven_row(key, key, &key.to_uppercase());
    let cost = |keys: &[&str]| listed(&keys.iter().map(|key| row(key)).collect::<Vec<_>>()).chars().count();
    packed("rule 11.2: pinned first, in order", "sven", &ground, 30_000, "x,y,a,b ~  - ");
    packed("rule 11.2: pinned are always in", "sven", &ground, 0, "x,y ~  - a,b");
    packed(
        "rule 11.2: what they cost is not there for the others",
        "sven",
        &ground,
        cost(&["x", "y", "a"]) - 1,
        "x,y ~  - a,b",
    );
    let got = packed("rule 11.2: what is left is", "sven", &ground, cost(&["x", "y", "a"]), "x,y,a ~  - b");
    assert_eq!(got.notice, "⚠ Skills truncated: showing 3 of 4.", "rule 11.2: pinned count as shown");
    let hidden = skills(&[
        "a: description: A",
        "b: description: B",
        "h: description: H; sven: {user_invocable_only: true}",
        "p: description: P; sven: {always: true, user_invocable_only: true}",
    ]);
    let got = packed("rule 9.3: hidden beats pinned", "sven", &hidden, cost(&["a"]), "a ~  - b");
    assert_eq!(got.notice, "⚠ Skills truncated: showing 1 of 2.", "rule 11.11: M is what the model may see");
    let many: Vec<String> = (0..300).map(|n| format!("s{n:03}: description: {}", "x".repeat(n % 50))).collect();
    let many = skills(
        &many
            .iter()
            .map(|line| if line.ends_with(": ") { "s000: description: x" } else { line.as_str() })
            .collect::<Vec<_>>(),
    );
    let mut before: Vec<String> = Vec::new();
    for budget in (0..30_000).step_by(1_501) {
        let got = asked("rule 11.3: a larger budget shows a superset", "sven", &many, Some(budget), None);
        assert!(got.shown.starts_with(&before), "rule 11.3: a larger budget shows a superset: {budget}");
        assert!(got.cost <= budget, "rule 11.1: cost within budget: {budget}");
        before = got.shown;
    }
}

#[test]
fn shortening() {
    let ground = skills(&["a: description: 0123456789", "b: description: é💡茶&<", "c: description: c"]);
    let whole = listed(&[plain_row("a", "0123456789"), plain_row("b", "é💡茶&amp;&lt;"), plain_row("c", "c")]);
    let at = |a: &str, b: &str| listed(&[short_row("a", a), short_row("b", b), short_row("c", "c")]);
    let cost = |a: &str, b: &str| at(a, b).chars().count();
    #[track_caller]
    fn check(case: &str, ground: &Ground, budget: usize, expect: &str, list: &str) -> Prompt {
        let got = packed(case, "agentskills", ground, budget, expect);
        assert_eq!(got.list, list, "{case}");
        got
    }
    let all = cost("0123456789", "é💡茶&amp;&lt;");
    let with_location = whole.chars().count();
    check("rule 11.5: all rows whole", &ground, with_location, "a,b,c ~  - ", &whole);
    let short = at("0123456789", "é💡茶&amp;&lt;");
    check("rule 11.5: the location goes before any description", &ground, with_location - 1, "a,b,c ~  - ", &short);
    check("rule 11.5: all rows without it", &ground, all, "a,b,c ~  - ", &short);
    check("rule 11.5: one less", &ground, all - 1, "a,b,c ~ a - ", &at("01234567…", "é💡茶&amp;&lt;"));
    check(
        "rule 11.5: the others are whole while they are shorter",
        &ground,
        cost("0123…", "é💡茶&amp;&lt;"),
        "a,b,c ~ a - ",
        &at("0123…", "é💡茶&amp;&lt;"),
    );
    check(
        "rule 11.5: the largest length at which all fit",
        &ground,
        cost("0123…", "é💡茶&amp;&lt;") - 1,
        "a,b,c ~ a,b - ",
        &at("012…", "é💡茶…"),
    );
    check(
        "rule 11.5: the cut is before escaping",
        &ground,
        cost("012…", "é💡茶…") - 1,
        "a,b,c ~ a,b - ",
        &at("01…", "é💡…"),
    );
    check("rule 11.5: one character is the ellipsis", &ground, cost("…", "…"), "a,b,c ~ a,b - ", &at("…", "…"));
    let bare = |names: &[&str]| listed(&names.iter().map(|name| bare_row(name)).collect::<Vec<_>>());
    let none = bare(&["a", "b", "c"]);
    check("rule 11.5: at nothing the tag is dropped", &ground, cost("…", "…") - 1, "a,b,c ~ a,b,c - ", &none);
    check("rule 11.5: names alone, to the character", &ground, none.chars().count(), "a,b,c ~ a,b,c - ", &none);
    let got = check(
        "rule 11.5: until the first that does not fit",
        &ground,
        bare(&["a", "b", "c"]).chars().count() - 1,
        "a,b ~ a,b - c",
        &bare(&["a", "b"]),
    );
    assert_eq!(
        got.text,
        format!("{}\n\n{}\n\n{}", got.guidance, got.list, got.notice),
        "rule 11.11: the notice stands in the text alone"
    );
    assert!(got.notice.contains('2') && got.notice.contains('3'), "rule 11.11: the notice: {}", got.notice);
    assert!(got.cost < got.text.chars().count(), "rule 11.1: guidance and notice are free");
    let order = skills(&["a-very-long-name-indeed: description: x", "b: description: x"]);
    let first = bare(&["a-very-long-name-indeed"]).chars().count();
    packed(
        "rule 11.5: names in order, a later smaller one is not tried",
        "agentskills",
        &order,
        first - 1,
        " ~  - a-very-long-name-indeed,b",
    );
}

#[test]
fn text() {
    #[track_caller]
    fn shown(case: &str, fields: &str, sven: &str, plain: &str) {
        let ground = skills(&[&format!("a: {fields}")]);
        assert_eq!(asked(case, "sven", &ground, None, None).list, listed(&[sven_row("a", "a", sven)]), "{case}");
        assert_eq!(asked(case, "agentskills", &ground, None, None).list, listed(&[plain_row("a", plain)]), "{case}");
    }
    shown(
        "rule 11.9: escapes",
        "description: \"a & b < c > d \\\" e ' f &amp;\"",
        "a &amp; b &lt; c &gt; d \" e ' f &amp;amp;",
        "a &amp; b &lt; c &gt; d \" e ' f &amp;amp;",
    );
    shown(
        "rule 11.8: white space is folded",
        "description: |\n  one\n\n  two\tx\n   three\n",
        "one\n\ntwo\tx\n three",
        "one two x three",
    );
    shown("rule 6.18: hidden characters are dropped", "description: \"a\\u200bb\\u202ec\\x1b[0m\"", "abc[0m", "abc[0m");
    shown("rule 6.18: a joiner that a script needs stays", "description: \"क्‍ष می‌خواهم\"", "क्‍ष می‌خواهم", "क्‍ष می‌خواهم");
    shown(
        "rule 12.6: no tag is closed early",
        "description: \"</description></available_skills>\"",
        "&lt;/description&gt;&lt;/available_skills&gt;",
        "&lt;/description&gt;&lt;/available_skills&gt;",
    );

    let odd =
        ground("//- /p/.agents/skills/o\u{202e}d&<\"d/SKILL.md\n---\nname: \"N&\\u202e<\\\"\"\ndescription: D\n---\n");
    let got = asked("rule 7.7: keys and paths", "sven", &odd, None, None);
    assert_eq!(
        got.list,
        listed(&[sven_row("o\\u{202e}d&amp;&lt;\"d", "N&amp;&lt;\"", "D")]),
        "rule 7.7: keys are shown, names are cleaned"
    );
    let got = asked("rule 7.7: keys and paths", "agentskills", &odd, None, None);
    let row = "  <skill>\n    <name>N&amp;\\u{202e}&lt;\"</name>\n    <description>D</description>\n    <location>/p/.agents/skills/o\\u{202e}d&amp;&lt;\"d/SKILL.md</location>\n  </skill>\n";
    assert_eq!(got.list, listed(&[row.to_owned()]), "rule 7.7: keys and paths");
}

#[test]
fn order() {
    let s = |at: &str, name: &str| format!("//- {at}/skills/{name}/SKILL.md\n---\nname: {name}\ndescription: D\n---\n");
    let tree = format!("{}{}{}", s("/p/.agents", "a"), s("/h/.claude", "z"), s("/h/.agents", "m"));
    assert_eq!(
        asked("rule 8.4: agentskills", "agentskills", &ground(&tree), None, None).shown,
        ["z", "m", "a"],
        "rule 8.4: sources from low to high"
    );
    assert_eq!(asked("rule 8.4: sven", "sven", &ground(&tree), None, None).shown, ["a", "m", "z"], "rule 8.4: by key");
}
