//! What other tables say about the list: its order, cuts, budgets in tokens, and the text if there is none.

use super::{report, skills};
use crate::common::Tree;
use crate::common::effort::Effort;
use crate::common::ground::{Ground, changed, ground, quoted, table};
use pretty_assertions::assert_eq;
use skilltree::{Dialect, FsPath, Places, Prompt, PromptRequest, World, discover, prompt};
use std::collections::BTreeMap;
use std::sync::Arc;

#[track_caller]
fn asked(case: &str, table: &Arc<Dialect>, ground: &Ground, ask: &PromptRequest) -> Prompt {
    ground.by(case, table, |world, catalog| prompt(world, catalog, ask))
}

/// A table whose rows are bullets, and whose prompt is changed further.
fn bullets(change: &[(&str, &str)]) -> Arc<Dialect> {
    let mut rule = BTreeMap::from([
        ("open", "''"),
        ("close", "''"),
        ("escape", "plain"),
        ("row", "'- {key}:{?description} {description}{/} (file: {location})'"),
        ("name_row", "'- {key}: (file: {location})'"),
        ("short_row", "''"),
        ("layout", "'{list}'"),
        ("budget", "unlimited"),
        ("max_description", "null"),
    ]);
    rule.extend(change.iter().copied());
    let rule: String = rule.iter().map(|(name, value)| format!("  {name}: {value}\n")).collect();
    changed("agentskills", &format!("prompt:\n{rule}"))
}

fn row(key: &str, description: &str) -> String {
    let description = if description.is_empty() { String::new() } else { format!(" {description}") };
    format!("- {key}:{description} (file: /p/.agents/skills/{key}/SKILL.md)")
}

#[test]
fn descriptions_end_in_the_mark_of_the_table() {
    let ground = skills(&["a: description: 0123456789"]);
    for (mark, most, expect, is_cut) in [
        ("…", 10, "0123456789", false),
        ("…", 9, "01234567…", true),
        ("...", 9, "012345...", true),
        ("...", 3, "...", true),
        ("...", 2, "01", true),
        ("", 9, "012345678", true),
        ("…", 0, "", true),
        ("", 0, "", true),
    ] {
        let case = format!("`{mark}` at {most}");
        let table = bullets(&[("cut_mark", &quoted(mark)), ("max_description", &most.to_string())]);
        let got = asked(&case, &table, &ground, &PromptRequest::default());
        assert_eq!(got.list, row("a", expect), "{case}");
        assert_eq!(got.shortened.len(), usize::from(is_cut), "{case}");
    }
}

#[test]
fn a_description_is_cut_by_the_budget_with_the_usual_mark() {
    let table = bullets(&[("cut_mark", "'...'"), ("overflow", "shorten")]);
    let budget = Some(row("a", "0123…").chars().count());
    let ask = PromptRequest { budget, ..PromptRequest::default() };
    let got = asked("cut", &table, &skills(&["a: description: 0123456789"]), &ask);
    assert_eq!(got.list, row("a", "0123…"));
}

#[test]
fn rows_have_an_order_of_their_own() {
    let s = |at: &str, folder: &str, name: &str, more: &str| {
        format!("//- {at}/skills/{folder}/SKILL.md\n---\nname: {name}\ndescription: D\n{more}---\n")
    };
    let tree = [
        s("/p/.agents", "1", "m", ""),
        s("/p/.agents", "2", "b", ""),
        s("/h/.claude", "3", "z", ""),
        s("/h/.claude", "4", "b", ""),
        s("/h/.agents", "5", "a", ""),
    ];
    let ground = ground(&tree.concat());
    // `b` of the project shadows that of the lowest source.
    for (order, expect) in [
        ("key", "a,b,m,z"),
        ("source-then-name", "b,z,a,m"),
        ("name-then-path", "a,b,m,z"),
        ("source-then-path", "z,b,a,m"),
        ("source-then-last-path", "b,z,a,m"),
        ("highest-source", "m,b,a,z"),
        ("{scopes: [user, project]}", "a,z,b,m"),
        ("{scopes: [project]}", "b,m,a,z"),
    ] {
        let case = order.to_owned();
        let of_rows = bullets(&[("order", order)]);
        let of_catalog = changed("agentskills", &format!("order: {order}"));
        let got = asked(&case, &of_rows, &ground, &PromptRequest::default());
        assert_eq!(got.shown.join(","), expect, "{case}");
        let same = asked(&case, &of_catalog, &ground, &PromptRequest::default());
        assert_eq!(same.shown, got.shown, "{case}: the catalog has the same order");
    }
    let pinned = changed("sven", "prompt: {order: name-then-path}");
    let ground = skills(&["c: description: D", "b: description: D; sven: {always: true}", "a: description: D"]);
    assert_eq!(asked("pinned", &pinned, &ground, &PromptRequest::default()).shown, ["b", "a", "c"], "pinned first");
}

#[test]
fn a_table_may_have_a_text_for_no_skills() {
    let table = bullets(&[("empty", "No skills are available.")]);
    let none = [
        ("no skill", skills(&[]), None),
        ("none switched on", skills(&["a: description: D"]).off("a"), None),
        ("none fits", skills(&["a: description: D"]), Some(3)),
    ];
    for (case, ground, budget) in none {
        let got = asked(case, &table, &ground, &PromptRequest { budget, ..PromptRequest::default() });
        assert_eq!(got.text, "No skills are available.", "{case}");
        assert_eq!((got.shown.len(), got.list.as_str(), got.guidance.as_str(), got.cost), (0, "", "", 0), "{case}");
    }
    let got = asked("one", &table, &skills(&["a: description: D"]), &PromptRequest::default());
    assert_eq!(got.text, row("a", "D"), "one");
}

fn tokens(change: &[(&str, &str)]) -> Arc<Dialect> {
    let own = [("budget", "{tokens: {percent: 2, fallback_chars: 120}}"), ("overflow", "round-robin")];
    bullets(&[&own, change].concat())
}

/// A token for every four bytes of a row and its newline.
fn cost(rows: &[String]) -> usize {
    rows.iter().map(|row| (row.len() + 1).div_ceil(4)).sum()
}

#[test]
fn budgets_in_tokens() {
    let ground = skills(&["a: description: é", "b: description: B"]);
    let rows = [row("a", "é"), row("b", "B")];
    let table = tokens(&[]);
    for (case, budget, window, expect, cost) in [
        ("2 % of the window", None, Some(5_000), Some(100), cost(&rows)),
        ("rounded down", None, Some(4_999), Some(99), cost(&rows)),
        ("the caller's, in tokens", Some(77), Some(5_000), Some(77), cost(&rows)),
        ("the caller's without a window", Some(77), None, Some(77), cost(&rows)),
        ("characters without a window", None, None, Some(120), rows.iter().map(|row| row.chars().count() + 1).sum()),
    ] {
        let got = asked(case, &table, &ground, &PromptRequest { budget, window, ..PromptRequest::default() });
        assert_eq!((got.budget, got.cost), (expect, cost), "{case}");
        assert_eq!(got.list, rows.join("\n"), "{case}");
    }
    // Only the rows count.
    let framed = tokens(&[("open", "<a long opening tag>"), ("close", "</a>")]);
    let exact = PromptRequest { budget: Some(cost(&rows)), ..PromptRequest::default() };
    let got = asked("framed", &framed, &ground, &exact);
    assert_eq!(got.list, format!("<a long opening tag>\n{}\n</a>", rows.join("\n")), "framed");
    assert_eq!((got.cost, got.shortened.len()), (cost(&rows), 0), "framed");
    // The other ways to shorten count tokens too.
    for overflow in ["first-fit", "shorten", "drop-least-used"] {
        let table = tokens(&[("overflow", overflow)]);
        for budget in 0..=cost(&rows) {
            let case = format!("{overflow} at {budget}");
            let got =
                asked(&case, &table, &ground, &PromptRequest { budget: Some(budget), ..PromptRequest::default() });
            let lines: Vec<String> = got.list.lines().map(str::to_owned).collect();
            assert_eq!(got.cost, self::cost(&lines), "{case}");
            assert!(got.cost <= budget || overflow == "drop-least-used", "{case}");
            assert_eq!(got.shortened.is_empty() && got.left_out.is_empty(), budget == cost(&rows), "{case}");
        }
    }
}

#[test]
fn round_robin() {
    let ground = skills(&["a: description: 0123456789", "b: description: xy", "c: description: ABCDEFGHIJ"]);
    let table = tokens(&[]);
    let in_chars = |rows: &[String]| rows.iter().map(|row| row.chars().count() + 1).sum::<usize>();
    let all = [row("a", "0123456789"), row("b", "xy"), row("c", "ABCDEFGHIJ")];
    let bare = [row("a", ""), row("b", ""), row("c", "")];
    let check = |case: &str, table: &Arc<Dialect>, budget: Option<usize>, rows: &[String], expect: &str| {
        let got = asked(case, table, &ground, &PromptRequest { budget, ..PromptRequest::default() });
        assert_eq!(got.list, rows.join("\n"), "{case}");
        assert_eq!(report(&got), expect, "{case}");
    };
    check("all", &table, Some(cost(&all)), &all, "a,b,c ~  - ");
    let shown = [row("a", "0"), row("b", "x"), row("c", "A")];
    check("bytes up to a whole token are free", &table, Some(cost(&bare)), &shown, "a,b,c ~ a,b,c - ");
    let shown = [row("a", "01234"), row("b", "x"), row("c", "A")];
    check("one token more is the first row's", &table, Some(cost(&bare) + 1), &shown, "a,b,c ~ a,b,c - ");
    let shown = [row("a", "01234"), row("b", "xy"), row("c", "A")];
    check("another one is the second row's", &table, Some(cost(&bare) + 2), &shown, "a,b,c ~ a,c - ");
    let shown = [row("a", ""), row("b", "")];
    check("names in order", &table, Some(cost(&bare) - 1), &shown, "a,b ~ a,b - c");
    check("none", &table, Some(0), &[], " ~  - a,b,c");

    let chars = |most: usize| tokens(&[("budget", &format!("{{tokens: {{percent: 2, fallback_chars: {most}}}}}"))]);
    let few = in_chars(&bare);
    check("characters: all", &chars(in_chars(&all)), None, &all, "a,b,c ~  - ");
    check("characters: none of a description", &chars(few + 1), None, &bare, "a,b,c ~ a,b,c - ");
    let shown = [row("a", "0"), row("b", ""), row("c", "")];
    check("characters: a blank and the first one", &chars(few + 2), None, &shown, "a,b,c ~ a,b,c - ");
    let shown = [row("a", "01"), row("b", ""), row("c", "")];
    check("characters: a row that is passed over gets no more", &chars(few + 3), None, &shown, "a,b,c ~ a,b,c - ");
    let shown = [row("a", "012"), row("b", "xy"), row("c", "AB")];
    check("characters: round by round", &chars(few + 10), None, &shown, "a,b,c ~ a,c - ");
}

#[test]
fn a_row_that_does_not_fit_is_passed_over() {
    let ground = skills(&["a: description: A", "b-with-a-long-name: description: B", "c: description: C"]);
    let table = tokens(&[]);
    let at = |rows: &[String]| {
        let ask = PromptRequest { budget: Some(cost(rows)), ..PromptRequest::default() };
        report(&asked("passed over", &table, &ground, &ask))
    };
    let long = row("b-with-a-long-name", "");
    assert_eq!(at(&[row("a", ""), row("c", "")]), "a,c ~ a,c - b-with-a-long-name");
    // A larger row may take the place of a smaller one.
    assert_eq!(at(&[row("a", ""), long]), "a,b-with-a-long-name ~ a,b-with-a-long-name - c");
}

#[test]
fn ten_thousand_rows_are_dealt_out_quickly() {
    let lines: Vec<String> = (0..10_000).map(|n| format!("s{n:05}: description: {}", "x & y ".repeat(50))).collect();
    let ground = skills(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let table = tokens(&[("escape", "xml")]);
    let memory = ground.tree.mem();
    let world = skilltree::World::new(&memory, &ground.places, &ground.host);
    let catalog = skilltree::discover(&world, &table);
    let start = Effort::begin();
    let got = prompt(&world, &catalog, &PromptRequest { budget: Some(600_000), ..PromptRequest::default() });
    assert_eq!((got.shown.len(), got.shortened.len()), (10_000, 10_000));
    assert!(got.cost <= 600_000 && 590_000 < got.cost, "{}", got.cost);
    assert!(start.so_far() < std::time::Duration::from_secs(20), "{:?}", start.so_far());
}

/// A skill of these lists: its name, its folder below `/project` or `/home`, and how many characters its description has.
type Listed = (&'static str, &'static str, usize);

/// The lists of Codex CLI 0.169.0 for these skills and budgets in tokens: the path of the first skill, and how many characters of each
/// description are shown.
fn codex(project: &str, home: &str, skills: [Listed; 6], lists: &[(usize, &str, &str)]) {
    let mut tree = Tree::default().with(&format!("{project}/.git/HEAD"), "");
    for (name, source, chars) in skills {
        let text = format!("---\nname: {name}\ndescription: {}\n---\n", "d".repeat(chars));
        let source = source.replacen("/project", project, 1).replacen("/home", home, 1);
        tree = tree.with(&format!("{source}/skills/{name}/SKILL.md"), text);
    }
    let fs = tree.mem();
    let place = |path: &str| Some(FsPath::new(path).expect("a path"));
    let project = format!("{project}/sub/project");
    let places = Places { project: place(&project), home: place(home), ..Places::default() };
    let world = World::new(&fs, &places, &());
    let catalog = discover(&world, &table("codex"));
    for (budget, first, shown) in lists {
        let ask = PromptRequest { budget: Some(*budget), ..PromptRequest::default() };
        let got = prompt(&world, &catalog, &ask);
        let rows = got.list.lines().map(|row| {
            let (key, rest) = row.trim_start_matches("- ").split_once(':').expect("a key");
            let (description, _) = rest.split_once("(file").expect("a path");
            format!("{key}={}", description.trim().len())
        });
        assert_eq!(rows.collect::<Vec<_>>().join(" "), *shown, "{budget}: {}", got.text);
        assert!(got.list.contains(&format!("(file: {first}/four/SKILL.md)")), "{budget}: {}", got.text);
        assert!(got.cost <= *budget, "{budget}: {}", got.cost);
    }
}

#[test]
fn short_names_of_sources_cost_what_they_cost_in_codex() {
    let skills = [
        ("one", "/project/.agents", 60),
        ("two", "/project/.codex", 90),
        ("three", "/project/sub/project/.agents", 30),
        ("four", "/project/sub/project/.codex", 80),
        ("five", "/home/.agents", 70),
        ("six", "/home/.agents", 200),
    ];
    let lists = [
        (30, "r0", "four=0 one=0"),
        (50, "r0", "four=0 one=0 three=0 two=0"),
        (60, "r0", "four=2 one=0 three=0 two=0 five=2 six=0"),
        (75, "r0", "four=10 one=12 three=12 two=12 five=10 six=8"),
        (85, "r0", "four=18 one=20 three=16 two=16 five=18 six=16"),
        (110, "r0", "four=34 one=36 three=30 two=36 five=34 six=32"),
        (150, "r0", "four=70 one=60 three=30 two=68 five=66 six=68"),
        (200, "r0", "four=80 one=60 three=30 two=90 five=70 six=200"),
    ];
    codex("/cxp", "/cxh", skills, &lists);
    let skills = skills.map(|skill| if skill.0 == "six" { ("six", "/home/.codex", 200) } else { skill });
    let path = "/harbour-of-the-north/sub/project/.codex/skills";
    let lists = [
        (20, path, "four=0"),
        (40, path, "four=0 one=0"),
        (55, path, "four=0 one=0 two=0"),
        (60, path, "four=0 one=0 three=0"),
        (80, path, "four=0 one=0 three=0 two=0"),
        (90, "r0", "four=0 one=0 three=0 two=0 five=0"),
        (95, "r0", "four=2 one=4 three=4 two=0 five=2 six=0"),
        (110, "r0", "four=14 one=12 three=12 two=12 five=10 six=12"),
        (150, "r0", "four=42 one=40 three=30 two=40 five=38 six=40"),
    ];
    codex("/harbour-of-the-north", "/home-of-the-sailors", skills, &lists);
}
