//! What a finding says to do about a file that is lost, or read as it was meant (decisions 2, 4, 6 and 8).

use super::{read, says, tea};
use crate::common::ground::{on, skill, table};
use crate::common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::{CheckAsk, Code, Fix, Meta, check};

/// The help of the finding of this code, and its line to write.
#[track_caller]
fn helps(case: &str, code: Code, text: &str, help: &str, fix: Option<(usize, &str)>) {
    let told = tea(text).of(case, "agentskills", |_, catalog| {
        let finding = catalog.findings().iter().find(|finding| finding.code == code).expect(case);
        (finding.help.clone().unwrap_or_default(), finding.fix.clone().map(|Fix { line, with, .. }| (line, with)))
    });
    assert_eq!(told, (help.to_owned(), fix.map(|(line, with)| (line, with.to_owned()))), "{case}");
}

const FIELDS: &str = "name: tea\ndescription: D";

#[test]
fn what_stands_in_the_opening_fences_place() {
    let missing = |case: &str, text: &str, help: &str, fix| helps(case, Code::FrontmatterMissing, text, help, fix);
    let none = "begin the file with `---`, the fields `name` and `description`, and `---`";
    let closed = format!("{FIELDS}\n---\nB\n");
    missing("2 nothing like it", "# Tea\n\nBoil.\n", none, None);
    missing("2 nothing", "", none, None);
    let moved = |line| format!("the frontmatter begins on line {line}: move what stands before it below its end");
    missing("2 a heading and a text", &format!("# Tea\n\nBoil.\n\n---\n{closed}"), &moved(5), None);
    missing("2 a comment and a text", &format!("<!-- a -->\nBoil.\n\nPour.\n---\n{closed}"), &moved(5), None);
    missing("2 a rule in a text is no fence", "# Tea\n\n---\nBoil.\n", none, None);
    let fenced = "remove the code fence, and put the frontmatter between two lines `---`";
    missing("2 a code fence", &format!("```yaml\n---\n{FIELDS}\nBoil.\n"), fenced, None);
    missing("2 a code fence in place of it", &format!("```\n{FIELDS}\n\nBoil.\n"), fenced, None);
    let bare = format!("{FIELDS}\n\nBoil.\n");
    missing("2 no fence", &bare, "put a line `---` before the fields, and one behind them", None);
    missing("2 JSON", "{\"name\": \"tea\"}\nB\n", "put a line `---` before the `{` and one behind its `}`", None);
    missing(
        "2 TOML",
        "+++\nname = \"tea\"\n+++\n",
        "write the fields as YAML, `name: …` and `description: …`, between two lines `---`",
        None,
    );
    missing(
        "2 carriage returns alone",
        "---\rname: tea\r---\rB\r",
        "save the file with lines that end with a line feed",
        None,
    );
    let like = [
        ("2 four dashes", "----", "----"),
        ("2 a blank before it", " ---", " ---"),
        ("2 an em dash", "\u{2014}", "\u{2014}"),
        ("2 asterisks", "***", "***"),
        ("2 a backslash", "\\---", "\\---"),
        ("2 a word", "---yaml", "---yaml"),
        ("2 a comment", "--- # tea", "--- # tea"),
        ("2 an invisible character", "\u{200b}---", "\\u{200b}---"),
        ("2 a no-break space behind it", "---\u{a0}", "---\u{a0}"),
    ];
    for (case, fence, shown) in like {
        let help = format!("line 1 is `{shown}`: write `---` there, at the line's beginning and alone");
        missing(case, &format!("{fence}\n{closed}"), &help, Some((1, "---")));
    }
}

#[test]
fn what_stands_in_the_closing_fences_place() {
    let unclosed = |case: &str, rest: &str, help: &str, fix| {
        helps(case, Code::FrontmatterUnclosed, &format!("---\n{FIELDS}{rest}"), help, fix);
    };
    let none = "put a line `---` after the last field";
    unclosed("2 nothing", "\n", none, None);
    unclosed("2 a paragraph of a value", "\n\n  more\n", none, None);
    for (case, fence) in
        [("2 a blank before it", " ---"), ("2 dots", "..."), ("2 an em dash", "\u{2014}"), ("2 a code fence", "```")]
    {
        let help = format!("line 4 is `{fence}`: write `---` there, at the line's beginning and alone");
        unclosed(case, &format!("\n{fence}\nB\n"), &help, Some((4, "---")));
    }
    let before = "put a line `---` before line 5, where the text begins";
    unclosed("2 a heading", "\n\n# Tea\n\nBoil.\n", before, Some((4, "---")));
    unclosed("2 prose", "\n\nBoil it.\n", before, Some((4, "---")));
    unclosed(
        "2 a comment between fields",
        "\n\n# all\nname: a\n\n# Tea\n",
        "put a line `---` before line 8, where the text begins",
        Some((7, "---")),
    );
    unclosed(
        "2 no blank line",
        "\n# Tea\n\n```\nname: a\n```\n",
        "put a line `---` before line 4, where the text begins",
        None,
    );
    unclosed("2 a field's end", "---\nB\n", "put the `---` that line 3 ends with on a line of its own", None);
    unclosed("2 a heading's start", "\n---# B\n", "put the `---` that line 4 begins with on a line of its own", None);
}

#[test]
fn a_rule_in_the_body_that_closes() {
    let text = format!("---\n{FIELDS}\n\n# Tea\n\nBoil.\n\n---\n\nPour.\n");
    read("agentskills", "2 a missing fence and a rule", text.as_str(), "in use; warning frontmatter-fence 4:1");
    helps(
        "2 a missing fence and a rule",
        Code::FrontmatterFence,
        &text,
        "put `---` between the last field and the text",
        Some((4, "---")),
    );
    super::body("2 the body is whole", text.as_str(), "# Tea\n\nBoil.\n\n---\n\nPour.");
    let dots = format!("---\n{FIELDS}\n...\nBoil.\n\n---\n\nPour.\n");
    super::body("2 the body behind dots is whole", dots, "Boil.\n\n---\n\nPour.");
    says(
        "agentskills",
        "2 the value ends before it",
        "\n# Tea\n\nBoil.",
        |m| format!("{:?}", m.description),
        "Some(\"D\")",
    );
}

#[test]
fn fields_that_are_nearly_there() {
    let lost = |case: &str, fields: &str, help: &str, fix| {
        helps(case, Code::DescriptionMissing, &skill(fields, ""), help, fix);
    };
    lost("8 none", "name: tea", "add a line `description: …`", None);
    lost("8 an empty one", "name: tea\ndescription:", "write a value behind `description:`", None);
    let spell = "spell it `description`";
    lost("8 a capital", "Description: D", spell, Some((2, "description: D")));
    lost("8 a slip", "name: tea\ndescrption: D", spell, Some((3, "description: D")));
    lost("8 an invisible character", "descri\u{200b}ption: D", spell, Some((2, "description: D")));
    lost("8 in quotes", "\"Description\": D", spell, Some((2, "description: D")));
    let name = skill("Name: tea\ndescription: D", "");
    helps("8 a name with a capital", Code::NameMissing, &name, "spell it `name`", Some((2, "name: tea")));
    helps(
        "8 another short word",
        Code::NameMissing,
        &skill("tags: tea\ndescription: D", ""),
        "add a line `name: …`",
        None,
    );
}

#[test]
fn values_and_fields_that_are_told_of() {
    let hint = |case: &str, hint: &str, fix| {
        let text = skill(&format!("name: tea\ndescription: D\nargument-hint: {hint}"), "");
        helps(case, Code::WrongType, &text, "put the value in double quotes", fix);
    };
    hint("4 a list where text is wanted", "[pr] # a", Some((4, "argument-hint: \"[pr]\" # a")));
    hint("4 quotes in it", "[\"a\", 'b']", Some((4, "argument-hint: \"[\\\"a\\\", 'b']\"")));
    hint("4 a list of several lines", "\n  - a\n  - b", None);
    super::checked(
        "agentskills",
        "5 a field that is spelled nearly so",
        true,
        skill("name: tea\ndescription: D\nallowed_tools: Read", ""),
        &["warning unknown-field:4:1"],
    );
    let strict = tea(skill("name: tea\ndescription: D\nallowed_tools: Read\nfoo: 1", "")).ask("5 its help", |world| {
        let ask = CheckAsk { strict: true };
        let found = check(world, &table("agentskills"), &[path(super::FILE)], &ask).expect("the file is there");
        found.into_iter().filter_map(|finding| finding.help).collect::<Vec<_>>()
    });
    assert_eq!(strict, ["spell it `allowed-tools`", "put fields of your own under `metadata`"]);
}

#[test]
fn maps_that_are_kept_as_text() {
    let told = |case: &str, block: &str| {
        let text = skill(&format!("description: D\n{block}"), "");
        let ground = on(Tree::default().with("/p/.sven/skills/tea/SKILL.md", text));
        ground.of(case, "sven", |_, catalog| {
            let found = catalog.findings().iter().find(|finding| finding.code == Code::WrongType);
            found.map(|finding| format!("{} ({})", finding.message, finding.help.clone().unwrap_or_default()))
        })
    };
    let kept = "`sven` is kept as text, as its lines are no YAML, so its fields are not read (put the mended lines in their place)";
    assert_eq!(told("6 no line can be read", "sven:\n  @x\n  @y").as_deref(), Some(kept));
    assert_eq!(told("6 a line that is mended", "sven:\n  always: true\n  x: @y"), None);
    assert_eq!(told("6 a line that is left out", "sven:\n  always: true\n  x\n  y: z"), None);
    let text = "`sven` is text, expected a map (write its `key: value` lines below it, indented)";
    assert_eq!(told("4 a text", "sven: always").as_deref(), Some(text));
    assert_eq!(told("6 metadata has one finding", "metadata:\n  x: @y"), None);
}

/// decisions 6: one bad line costs no other of its block.
#[test]
fn the_good_lines_of_a_block_count() {
    let flags: fn(&Meta) -> String = |m| format!("{} {} {}", m.pinned, m.not_for_model, m.metadata.len());
    let sven = |case: &str, lines: &str, expect: &str, finding: &str| {
        let fields = format!("name: tea\ndescription: D\nsven:\n{lines}");
        let ground = on(Tree::default().with("/p/.sven/skills/tea/SKILL.md", skill(&fields, "")));
        let told = ground.of(case, "sven", |_, catalog| {
            let skill = catalog.skills().first().map(|skill| flags(&skill.meta)).unwrap_or_default();
            let found = catalog.findings().first().and_then(|found| found.fix.clone());
            (skill, found.map(|fix| format!("{}: {}", fix.line, fix.with)).unwrap_or_default())
        });
        assert_eq!(told, (expect.to_owned(), finding.to_owned()), "{case}");
    };
    sven("6 in front", "  x y\n  always: true\n  user_invocable_only: true", "true true 0", "5: #   x y");
    sven("6 in between", "  always: true\n  x\n  user_invocable_only: true", "true true 0", "6: #   x");
    sven("6 at the end", "  always: true\n  user_invocable_only: yes\n  x", "true true 0", "7: #   x");
    sven("6 a value", "  always: true\n  x: @y\n  user_invocable_only: on", "true true 0", "6:   x: \"@y\"");
    sven("6 an indentation", "  always: true\n   user_invocable_only: 1", "true true 0", "6:   user_invocable_only: 1");
    sven("6 no blank", "  always:\"true\"\n  user_invocable_only: true", "true true 0", "5:   always: \"true\"");
    sven("6 below nothing else", "  always: true\n  x\nmetadata:\n  a: b\n  c\n  d: e", "true false 2", "6: #   x");
}

#[test]
fn values_that_a_comment_hides() {
    let d = "name: tea\ndescription: D";
    read(
        "agentskills",
        "6 a value that is all comment",
        skill(&format!("{d}\nx: #12"), ""),
        "in use; warning yaml-comment 4:1",
    );
    read("agentskills", "6 a remark", skill(&format!("{d}\nx: # none\ny: ## none"), ""), "in use");
    read("agentskills", "6 a value below a comment", skill(&format!("{d}\nx: #12\n  y: z"), ""), "in use");
    read(
        "agentskills",
        "6 a description",
        skill("name: tea\ndescription: #tea", ""),
        "lost; warning yaml-comment 3:1; error description-missing 3:1",
    );
}

#[test]
fn lists_however_they_are_spelled() {
    let tools: fn(&Meta) -> String = |m| m.allowed_tools.clone().unwrap_or_default().join("|");
    let cases = [
        ("4 items in quotes and no list", "\"Read\", \"Bash(git add *)\"", "Read|Bash(git add *)"),
        ("4 single quotes", "'Read', 'Grep',", "Read|Grep"),
        ("4 a list in a text", "\"['Read', 'Grep']\"", "Read|Grep"),
        ("4 a list with brackets inside", "[Read, Bash(ls [a-z]*)]", "Read|Bash(ls [a-z]*)"),
        ("4 brackets that are no list's", "\"[a] b [c]\"", "[a]|b|[c]"),
        ("4 an unclosed list", "[Read, Grep", "Read|Grep"),
        ("4 several in an item", "\n  - Read, Grep\n  - Bash(a, b)", "Read|Grep|Bash(a, b)"),
        ("4 a comma in parentheses in a flow list", "[Bash(a, b), Read]", "Bash(a, b)|Read"),
        ("4 items that YAML refuses", "\n  - Read\n  - @b\n", "Read|@b"),
        ("4 lines of a text", "|\n  Read\n  Grep", "Read|Grep"),
    ];
    for (case, value, expect) in cases {
        says("agentskills", case, &format!("allowed-tools: {value}"), tools, expect);
    }
    let paths = |case: &str, value: &str, expect: &str| {
        let text = skill(&format!("description: D\npaths: {value}"), "");
        assert_eq!(in_claude(case, text, |meta| meta.run().paths.join("|")), expect, "{case}");
    };
    paths("4 patterns that YAML refuses", "\n  - **/*.ts\n  - *.js", "**/*.ts|*.js");
    paths("4 a class of letters is no list", "\"[a-z]*.ts, b\"", "[a-z]*.ts|b");
}

fn in_claude(case: &str, text: String, told: fn(&Meta) -> String) -> String {
    let ground = on(Tree::default().with("/p/.claude/skills/tea/SKILL.md", text));
    ground.of(case, "claude", |_, catalog| told(&catalog.skills()[0].meta))
}

#[test]
fn first_paragraphs() {
    let cases = [
        ("39 headings", "# Tea\n\nBoil\nit.\n\nPour.\n", "Boil it."),
        ("39 a comment is no paragraph", "<!-- MIT\n\nAll. -->\n\nBoil.\n", "Boil."),
        ("39 a rule is none", "Boil.\n***\nPour.\n", "Boil."),
        ("39 a rule before", "***\n\nBoil.\n", "Boil."),
        ("39 a heading that is underlined", "Tea\n===\n\nBoil.\n", "Boil."),
        ("39 another", "Tea\n---\nBoil.\n", "Boil."),
        ("39 emphasis is text", "***Boil.*** Now.\n", "***Boil.*** Now."),
    ];
    for (case, text, expect) in cases {
        let told = in_claude(case, text.to_owned(), |meta| meta.description.clone().unwrap_or_default());
        assert_eq!(told, expect, "{case}");
    }
}
