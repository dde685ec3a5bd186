//! What stands in for a name and a description where a skill needs neither: decisions 4, 8, 24 and 39, in the
//! dialects that load plain Markdown too.

use crate::common;

use common::ground::{briefs, ground};
use pretty_assertions::assert_eq;

/// Description and findings of the one skill in `FOLDER`.
#[track_caller]
fn check(case: &str, folder: &str, text: &str, expect: &str, found: &[&str]) {
    for (dialect, root) in [("pegasus", "/p/skills"), ("claude", "/p/.claude/skills")] {
        let file = format!("{root}/{folder}/SKILL.md");
        let case = format!("{case} ({dialect})");
        let got = ground(&format!("//- {file}\n{text}\n")).of(&case, dialect, |_, catalog| {
            let described: Vec<String> =
                catalog.skills().iter().map(|skill| format!("{}: {}", skill.name, skill.description())).collect();
            (described.join("\n"), briefs(catalog.findings()))
        });
        let found: Vec<String> = found.iter().map(|found| found.replace('@', &file)).collect();
        assert_eq!(got, (expect.to_owned(), found), "{case}");
    }
}

#[test]
fn paragraphs() {
    let bare = &["warning frontmatter-missing @:1:1"][..];
    check("39 a bare file", "tea", "Boil water.\nWait.\n\nPour.", "tea: Boil water. Wait.", bare);
    check("39 nothing in it", "tea", "", "tea: ", bare);
    check("39 headings passed over", "tea", "# Tea\n\n## More\nBoil.\n# End", "tea: Boil.", bare);
    check("39 fences passed over", "tea", "```\nls\n\nx\n```\n\nBoil.", "tea: Boil.", bare);
    check("39 no frontmatter's description", "tea", "---\nname: tea\n---\nBoil.", "tea: Boil.", &[]);
    check("39 an empty one", "tea", "---\ndescription: ''\n---\nBoil.", "tea: Boil.", &[]);
    check("39 a given one wins", "tea", "---\ndescription: D\n---\nBoil.", "tea: D", &[]);
    let long = "w".repeat(1_030);
    check("39 at most 1 024", "tea", &format!("---\n---\n{long}"), &format!("tea: {}", &long[..1_024]), &[]);
    let far = format!("---\nname: tea\n---\n{}Boil.", "# x\n".repeat(2_000));
    check("39 beyond what is read at first", "tea", &far, "tea: Boil.", &[]);
    let hidden = &["warning hidden-characters @"][..];
    check("24 hidden characters", "tea", "---\nname: tea\n---\nBo\u{202e}il\u{200b}.", "tea: Boil.", hidden);
    check("24 nothing else", "tea", "---\nname: tea\n---\n\u{200b}\u{202e}", "tea: ", hidden);
}

#[test]
fn names() {
    let bare = "warning frontmatter-missing @:1:1";
    let named = "warning name-invalid @";
    check("8 the folder's", "tea-2", "---\ndescription: D\n---", "tea-2: D", &[]);
    check("8 an odd folder", "Tea", "---\ndescription: D\n---", "Tea: D", &[named]);
    check("8 an odd folder of a bare file", "my tea", "D", "my tea: D", &[named, bare]);
    check("8 an odd folder, a good name", "Tea", "---\nname: tea\ndescription: D\n---", "tea: D", &[]);
    let long = "a".repeat(65);
    check("8 a long folder", &long, "---\ndescription: D\n---", &format!("{long}: D"), &["warning too-long @"]);
    check("8 a long folder, a good name", &long, "---\nname: tea\ndescription: D\n---", "tea: D", &[]);
    check("8 no long folder", &long[1..], "---\ndescription: D\n---", &format!("{}: D", &long[1..]), &[]);
    check("8 hyphens inside and behind", "tea", "---\nname: a--b-\ndescription: D\n---", "a--b-: D", &[]);
    check("8 a hyphen first", "tea", "---\nname: -a\ndescription: D\n---", "-a: D", &["warning name-invalid @:2:7"]);
    check("4 a number", "tea", "---\nname: 007\ndescription: 1.10\n---", "007: 1.10", &[]);
    check("1 no closing fence", "tea", "---\ndescription: D", "", &["error frontmatter-unclosed @:1:1"]);
    let broken = "---\n- a\n- b\n---\nBoil.";
    check("6 no map", "tea", broken, "", &["error yaml @:2:1"]);
}
