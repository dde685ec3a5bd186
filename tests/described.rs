//! What stands in for a name and a description where a skill needs neither: topics 6 and 7 of the rules, in the
//! dialects that load plain Markdown too.

use crate::common;

use common::ground::{briefs, ground};
use pretty_assertions::assert_eq;

/// Description and findings of the one skill in `FOLDER`.
#[track_caller]
fn check(case: &str, folder: &str, text: &str, expect: &str, found: &[&str]) {
    for dialect in ["pegasus", "claude"] {
        check_in(dialect, case, folder, text, expect, found);
    }
}

#[track_caller]
fn check_in(dialect: &str, case: &str, folder: &str, text: &str, expect: &str, found: &[&str]) {
    let root = if dialect == "claude" { "/p/.claude/skills" } else { "/p/skills" };
    let file = format!("{root}/{folder}/SKILL.md");
    let case = format!("{case} ({dialect})");
    let got = ground(&format!("//- {file}\n{text}\n")).repaired().of(&case, dialect, |_, catalog| {
        let described: Vec<String> =
            catalog.skills().iter().map(|skill| format!("{}: {}", skill.name, skill.description())).collect();
        (described.join("\n"), briefs(catalog.findings()))
    });
    // Of names claude has no rule.
    let is_due = |found: &&&str| dialect != "claude" || !found.contains("name-invalid") && !found.contains("too-long");
    let found: Vec<String> = found.iter().filter(is_due).map(|found| found.replace('@', &file)).collect();
    assert_eq!(got, (expect.to_owned(), found), "{case}");
}

#[test]
fn paragraphs() {
    let check = |case: &str, folder: &str, text: &str, expect: &str, found: &[&str]| {
        check_in("pegasus", case, folder, text, expect, found);
    };
    let bare = &["warning frontmatter-missing @:1:1"][..];
    check("rule 6.16: a bare file", "tea", "Boil water.\nWait.\n\nPour.", "tea: Boil water. Wait.", bare);
    check("rule 6.16: nothing in it", "tea", "", "tea: ", bare);
    check("rule 6.16: headings passed over", "tea", "# Tea\n\n## More\nBoil.\n# End", "tea: Boil.", bare);
    check("rule 6.16: fences passed over", "tea", "```\nls\n\nx\n```\n\nBoil.", "tea: Boil.", bare);
    check("rule 6.16: no frontmatter's description", "tea", "---\nname: tea\n---\nBoil.", "tea: Boil.", &[]);
    check("rule 6.16: an empty one", "tea", "---\ndescription: ''\n---\nBoil.", "tea: Boil.", &[]);
    check("rule 6.16: a given one wins", "tea", "---\ndescription: D\n---\nBoil.", "tea: D", &[]);
    let long = "w".repeat(1_030);
    check("rule 6.16: at most 1 024", "tea", &format!("---\n---\n{long}"), &format!("tea: {}", &long[..1_024]), &[]);
    let far = format!("---\nname: tea\n---\n{}Boil.", "# x\n".repeat(2_000));
    check("rule 6.16: beyond what is read at first", "tea", &far, "tea: Boil.", &[]);
    let hidden = &["warning hidden-characters @"][..];
    check("rule 6.18: hidden characters", "tea", "---\nname: tea\n---\nBo\u{202e}il\u{200b}.", "tea: Boil.", hidden);
    check("rule 6.18: nothing else", "tea", "---\nname: tea\n---\n\u{200b}\u{202e}", "tea: ", hidden);
}

/// By a run of Claude Code 2.1.330.
#[test]
fn first_lines() {
    let check = |text: &str, expect: &str| check_in("claude", "rule 6.16", "tea", text, &format!("tea: {expect}"), &[]);
    let body = |body: &str| format!("---\nname: tea\n---\n{body}");
    for (text, expect) in [
        ("\n  Boil water.\nWait.", "Boil water."),
        ("# Tea\n\nBoil.", "Tea"),
        ("####### Tea", "Tea"),
        ("   # Tea #", "Tea #"),
        ("#Tea", "#Tea"),
        ("#\n\nBoil.", "#"),
        ("```\nls\n```", "```"),
        ("<!-- x -->\nBoil.", "<!-- x -->"),
        ("", "Skill"),
    ] {
        check(&body(text), expect);
    }
    let long = "w".repeat(101);
    check(&body(&long[1..]), &long[1..]);
    check(&body(&long), &format!("{}...", &long[..97]));
    check("---\ndescription: '  '\n---\nBoil.", "Boil.");
    check("---\ndescription: D\n---\nBoil.", "D");
}

#[test]
fn names() {
    let bare = "warning frontmatter-missing @:1:1";
    let named = "error name-invalid @";
    check("rule 7.5: the folder's", "tea-2", "---\ndescription: D\n---", "tea-2: D", &[]);
    check("rule 7.5: an odd folder", "Tea", "---\ndescription: D\n---", "Tea: D", &[named]);
    check("rule 7.5: an odd folder of a bare file", "my tea", "D", "my tea: D", &[named, bare]);
    check("rule 7.5: an odd folder, a good name", "Tea", "---\nname: tea\ndescription: D\n---", "tea: D", &[]);
    let long = "a".repeat(65);
    check("rule 6.13: a long folder", &long, "---\ndescription: D\n---", &format!("{long}: D"), &["error too-long @"]);
    check("rule 6.13: a long folder, a good name", &long, "---\nname: tea\ndescription: D\n---", "tea: D", &[]);
    check("rule 6.13: no long folder", &long[1..], "---\ndescription: D\n---", &format!("{}: D", &long[1..]), &[]);
    check("rule 7.5: hyphens inside and behind", "tea", "---\nname: a--b-\ndescription: D\n---", "a--b-: D", &[]);
    check(
        "rule 7.5: a hyphen first",
        "tea",
        "---\nname: -a\ndescription: D\n---",
        "-a: D",
        &["error name-invalid @:2:7"],
    );
    check("rule 5.3: a number", "tea", "---\nname: 007\ndescription: 1.10\n---", "007: 1.10", &[]);
    check("rule 4.7: no closing fence", "tea", "---\ndescription: D", "", &["error frontmatter-unclosed @:1:1"]);
    let broken = "---\n- a\n- b\n---\nBoil.";
    check("rule 5.10: no map", "tea", broken, "", &["error yaml @:2:1"]);
}
