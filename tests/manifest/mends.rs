//! What a finding says to do about a file that is lost, or read as it was meant (topics 4, 5 and 6 of the rules).

use super::{read, says, tea};
use crate::common::ground::{on, skill, table};
use crate::common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::model::Frontmatter;
use skilltree::{CheckRequest, Code, Fix, check};

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
    let none = "start the file with `---`, the fields `name` and `description`, and `---`";
    let closed = format!("{FIELDS}\n---\nB\n");
    missing("rule 4.8: nothing like it", "# Tea\n\nBoil.\n", none, None);
    missing("rule 4.8: nothing", "", none, None);
    let moved = |line| format!("the frontmatter starts on line {line}: move the text before it to below its end");
    missing("rule 4.8: a heading and a text", &format!("# Tea\n\nBoil.\n\n---\n{closed}"), &moved(5), None);
    missing("rule 4.8: a comment and a text", &format!("<!-- a -->\nBoil.\n\nPour.\n---\n{closed}"), &moved(5), None);
    missing("rule 4.8: a rule in a text is no fence", "# Tea\n\n---\nBoil.\n", none, None);
    let fenced = "remove the code fence and put the frontmatter between two `---` lines";
    missing("rule 4.8: a code fence", &format!("```yaml\n---\n{FIELDS}\nBoil.\n"), fenced, None);
    missing("rule 4.8: a code fence in place of it", &format!("```\n{FIELDS}\n\nBoil.\n"), fenced, None);
    let bare = format!("{FIELDS}\n\nBoil.\n");
    missing("rule 4.8: no fence", &bare, "add a `---` line before the fields and one after them", None);
    missing(
        "rule 4.8: JSON",
        "{\"name\": \"tea\"}\nB\n",
        "add a `---` line before the `{` and one after its `}`",
        None,
    );
    missing(
        "rule 4.8: TOML",
        "+++\nname = \"tea\"\n+++\n",
        "write the fields as YAML, one `key: value` per line, between two `---` lines",
        None,
    );
    missing(
        "rule 4.8: carriage returns alone",
        "---\rname: tea\r---\rB\r",
        "save the file with line feeds as line endings",
        None,
    );
    let doubled = format!("---\n{closed}").replace('\n', "\r\r\n");
    missing("rule 4.8: two carriage returns", &doubled, "save the file with line feeds as line endings", None);
    let like = [
        ("rule 4.8: four dashes", "----", "----"),
        ("rule 4.8: a blank before it", " ---", " ---"),
        ("rule 4.8: an em dash", "\u{2014}", "\u{2014}"),
        ("rule 4.8: asterisks", "***", "***"),
        ("rule 4.8: a backslash", "\\---", "\\---"),
        ("rule 4.8: a word", "---yaml", "---yaml"),
        ("rule 4.8: a comment", "--- # tea", "--- # tea"),
        ("rule 4.8: an invisible character", "\u{200b}---", "\\u{200b}---"),
        ("rule 4.8: a no-break space behind it", "---\u{a0}", "---\u{a0}"),
    ];
    for (case, fence, shown) in like {
        let help = format!("line 1 is `{shown}`: write `---` alone on the line, without indentation");
        missing(case, &format!("{fence}\n{closed}"), &help, Some((1, "---")));
    }
}

#[test]
fn the_fields_that_a_dialect_asks_for() {
    let both = "start the file with `---`, the fields `name` and `description`, and `---`";
    let one = "start the file with `---`, the field `description`, and `---`";
    let none = "no field is required; to add some, such as `description`, put them first, between two `---` lines";
    let asked = [
        ("agentskills", both),
        ("agent-base", both),
        ("daycare", both),
        ("sven", one),
        ("gencode", none),
        ("pegasus", none),
        ("claude", none),
    ];
    for (dialect, help) in asked {
        let told = tea("# Tea\n\nBoil.\n").ask(dialect, |world| {
            let found =
                check(world, &table(dialect), &[path(super::FILE)], &CheckRequest::default()).expect("it is there");
            found.into_iter().find(|found| found.code == Code::FrontmatterMissing).and_then(|found| found.help)
        });
        assert_eq!(told.as_deref(), Some(help), "{dialect}");
    }
}

/// The unknown fields by `check`: each place, its help, and the line to write.
#[track_caller]
fn unknown(dialect: &str, fields: &str, strict: bool, expect: &[&str]) {
    let text = skill(&format!("name: tea\ndescription: D\n{fields}"), "");
    let told = tea(text).ask(fields, |world| {
        let found = check(world, &table(dialect), &[path(super::FILE)], &CheckRequest { strict }).expect("it is there");
        let unknown = found.into_iter().filter(|found| found.code == Code::UnknownField);
        let told = unknown.map(|found| {
            let at = found.at.map_or_else(String::new, |at| format!("{}:{}", at.line, at.column));
            let fix = found.fix.map(|fix| format!(" [{}]", fix.with)).unwrap_or_default();
            format!("{at} {}{fix}", found.help.unwrap_or_default())
        });
        told.collect::<Vec<_>>()
    });
    assert_eq!(told, expect, "{dialect}: {fields}");
}

#[test]
fn unknown_fields_name_the_one_that_was_meant() {
    let always = |dialect: &str, fields: &str, expect: &[&str]| {
        unknown(dialect, fields, false, expect);
        unknown(dialect, fields, true, expect);
    };
    always("agent-base", "triggers: {keyword: [a]}", &["4:12 spell it `keywords` [triggers: {keywords: [a]}]"]);
    always("sven", "sven:\n  requires_bin: [sh]", &["5:3 spell it `requires_bins` [  requires_bins: [sh]]"]);
    always("sven", "sven:\n  requiresBins: [sh]", &["5:3 spell it `requires_bins` [  requires_bins: [sh]]"]);
    always("sven", "sven: {bins: [sh]}", &["4:8 spell it `requires_bins` [sven: {requires_bins: [sh]}]"]);
    let all = "5:3 the fields of `sven` are `always`, `requires_bins`, `requires_env`, `user_invocable_only`";
    always("sven", "sven:\n  foo: 1", &[all]);
    let above = "4:1 did you mean `sven.always`? write `always` below `sven:`, indented";
    always("sven", "always: true", &[above]);
    always("sven", "sven.always: true", &[above]);
    always("agent-base", "verbs: a", &["4:1 did you mean `triggers.verbs`? write `verbs` below `triggers:`, indented"]);
    let below = "did you mean `knowledge`? write it without indentation, not below `sven:`";
    always("sven", "sven: {knowledge: [a.md]}", &[&format!("4:8 {below}")]);
    let inner = "5:3 did you mean `user-invocable`? write it without indentation, not below `metadata:`";
    always("claude", "metadata:\n  user-invocable: false\n  version: 1", &[inner]);
    always("claude", "metadata: {user-invocable: true}\nuser-invocable: false", &[]);
    always("opencode", "metadata: {user-invocable: false}", &[]);
    let inner = "4:12 did you mean `sven.user_invocable_only`? write `user_invocable_only` below `sven:`, indented";
    always("sven", "metadata: {user_invocable_only: true}", &[inner]);
    always("sven", "metadata: {user_invocable_only: true}\nsven: {user_invocable_only: true}", &[]);
    let inner = "4:12 did you mean `allowed-tools`? write it without indentation, not below `metadata:`";
    always("pegasus", "metadata: {allowed-tools: [Bash]}", &[inner]);
    always("agentskills", "metadata: {allowed-tools: [Bash]}", &[]);
    for block in ["Sven", "svens"] {
        always("sven", &format!("{block}:\n  always: true"), &["4:1 spell it `sven` [sven:]"]);
    }
    always("agent-base", "trigger: {verbs: [a]}", &["4:1 spell it `triggers` [triggers: {verbs: [a]}]"]);
    unknown("agent-base", "trigger: a", false, &[]);
    always("agentskills", "licence: MIT", &["4:1 spell it `license` [license: MIT]"]);
    always(
        "claude",
        "Disable_Model_Invocation: 1",
        &["4:1 spell it `disable-model-invocation` [disable-model-invocation: 1]"],
    );
    always("daycare", "permission: '@network'", &["4:1 spell it `permissions` [permissions: '@network']"]);
    for quiet in ["tags: [a]", "author: Jo", "always: true", "triggers: {keyword: [a]}", "metadata: {versoin: 1}"] {
        unknown("agentskills", quiet, false, &[]);
    }
    unknown("agentskills", "author: Jo", true, &["4:1 put custom fields under `metadata`"]);
    unknown("agentskills", "tools: Read", true, &["4:1 spell it `allowed-tools` [allowed-tools: Read]"]);
    unknown("agentskills", "metadata: {versoin: 1}", true, &[]);
    unknown("sven", "sven: {skills: [a]}", true, &[]);
    unknown("agentskills", "Description: E", false, &[]);
    always(
        "sven",
        "sven: {always: true, alway: no}",
        &["4:22 the fields of `sven` are `always`, `requires_bins`, `requires_env`, `user_invocable_only`"],
    );
}

#[test]
fn what_stands_in_the_closing_fences_place() {
    let unclosed = |case: &str, rest: &str, help: &str, fix| {
        helps(case, Code::FrontmatterUnclosed, &format!("---\n{FIELDS}{rest}"), help, fix);
    };
    let none = "add a `---` line after the last field";
    unclosed("rule 4.7: nothing", "\n", none, None);
    unclosed("rule 4.7: a paragraph of a value", "\n\n  more\n", none, None);
    for (case, fence) in [
        ("rule 4.7: a blank before it", " ---"),
        ("rule 4.7: dots", "..."),
        ("rule 4.7: an em dash", "\u{2014}"),
        ("rule 4.7: a code fence", "```"),
    ] {
        let help = format!("line 4 is `{fence}`: write `---` alone on the line, without indentation");
        unclosed(case, &format!("\n{fence}\nB\n"), &help, Some((4, "---")));
    }
    let before = "add a `---` line before line 5, where the text starts";
    unclosed("rule 4.7: a heading", "\n\n# Tea\n\nBoil.\n", before, Some((4, "---")));
    unclosed("rule 4.7: prose", "\n\nBoil it.\n", before, Some((4, "---")));
    unclosed(
        "rule 4.7: a comment between fields",
        "\n\n# all\nname: a\n\n# Tea\n",
        "add a `---` line before line 8, where the text starts",
        Some((7, "---")),
    );
    unclosed(
        "rule 4.7: no blank line",
        "\n# Tea\n\n```\nname: a\n```\n",
        "add a `---` line before line 4, where the text starts",
        Some((4, "---\n# Tea")),
    );
    let code = "add a `---` line before line 5, where the text starts";
    unclosed("rule 4.7: a code block", "\n\n```\nls\n```\n\nB\n", code, Some((4, "---")));
    unclosed("rule 4.7: one with a language", "\n\n~~~sh\nls\n", code, Some((4, "---")));
    let code = "add a `---` line before line 4, where the text starts";
    unclosed("rule 4.7: one below the fields", "\n```sh\nls\n```\n", code, Some((4, "---\n```sh")));
    unclosed("rule 4.7: no blank line before prose", "\nBoil it.\n", code, None);
    unclosed("rule 4.7: a field's end", "---\nB\n", "move the `---` at the end of line 3 to a line of its own", None);
    unclosed(
        "rule 4.7: a heading's start",
        "\n---# B\n",
        "move the `---` at the start of line 4 to a line of its own",
        None,
    );
}

#[test]
fn a_rule_in_the_body_that_closes() {
    let text = format!("---\n{FIELDS}\n\n# Tea\n\nBoil.\n\n---\n\nPour.\n");
    read("agentskills", "rule 4.9: a missing fence and a rule", text.as_str(), "in use; warning frontmatter-fence 4:1");
    helps(
        "rule 4.9: a missing fence and a rule",
        Code::FrontmatterFence,
        &text,
        "add a `---` line between the last field and the text",
        Some((4, "---")),
    );
    super::body("rule 4.9: the body is whole", text.as_str(), "# Tea\n\nBoil.\n\n---\n\nPour.");
    let dots = format!("---\n{FIELDS}\n...\nBoil.\n\n---\n\nPour.\n");
    super::body("rule 4.9: the body behind dots is whole", dots, "Boil.\n\n---\n\nPour.");
    says(
        "agentskills",
        "rule 4.9: the value ends before it",
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
    lost("rule 6.10: none", "name: tea", "add a line `description: …`", None);
    lost("rule 6.10: an empty one", "name: tea\ndescription:", "write a value after `description:`", None);
    let spell = "spell it `description`";
    lost("rule 6.10: a capital", "Description: D", spell, Some((2, "description: D")));
    lost("rule 6.10: a slip", "name: tea\ndescrption: D", spell, Some((3, "description: D")));
    lost("rule 6.10: an invisible character", "descri\u{200b}ption: D", spell, Some((2, "description: D")));
    lost("rule 6.10: in quotes", "\"Description\": D", spell, Some((2, "description: D")));
    let name = skill("Name: tea\ndescription: D", "");
    helps("rule 6.10: a name with a capital", Code::NameMissing, &name, "spell it `name`", Some((2, "name: tea")));
    helps(
        "rule 6.10: another short word",
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
    hint("rule 6.4: a list where text is wanted", "[pr] # a", Some((4, "argument-hint: \"[pr]\" # a")));
    hint("rule 6.4: quotes in it", "[\"a\", 'b']", Some((4, "argument-hint: \"[\\\"a\\\", 'b']\"")));
    hint("rule 6.4: a list of several lines", "\n  - a\n  - b", None);
    super::checked(
        "agentskills",
        "rule 6.7: a field that is spelled nearly so",
        true,
        skill("name: tea\ndescription: D\nallowed_tools: Read", ""),
        &["warning unknown-field:4:1"],
    );
    let strict =
        tea(skill("name: tea\ndescription: D\nallowed_tools: Read\nfoo: 1", "")).ask("rule 6.7: its help", |world| {
            let ask = CheckRequest { strict: true };
            let found = check(world, &table("agentskills"), &[path(super::FILE)], &ask).expect("the file is there");
            found.into_iter().filter_map(|finding| finding.help).collect::<Vec<_>>()
        });
    assert_eq!(strict, ["spell it `allowed-tools`", "put custom fields under `metadata`"]);
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
    let kept = "the lines below `sven` are not valid YAML, so its fields are not read; it is kept as text (replace the lines with the corrected ones)";
    assert_eq!(told("rule 5.9: no line can be read", "sven:\n  @x\n  @y").as_deref(), Some(kept));
    assert_eq!(told("rule 5.9: a line that is mended", "sven:\n  always: true\n  x: @y"), None);
    assert_eq!(told("rule 5.9: a line that is left out", "sven:\n  always: true\n  x\n  y: z"), None);
    let text = "`sven` is text, expected a mapping (write its `key: value` lines below it, indented)";
    assert_eq!(told("rule 6.4: a text", "sven: always").as_deref(), Some(text));
    assert_eq!(told("rule 5.9: metadata has one finding", "metadata:\n  x: @y"), None);
}

/// Rule 5.9: one bad line costs no other of its block.
#[test]
fn the_good_lines_of_a_block_count() {
    let flags: fn(&Frontmatter) -> String = |m| format!("{} {} {}", m.pinned, m.not_for_model, m.metadata.len());
    let sven = |case: &str, lines: &str, expect: &str, finding: &str| {
        let fields = format!("name: tea\ndescription: D\nsven:\n{lines}");
        let ground = on(Tree::default().with("/p/.sven/skills/tea/SKILL.md", skill(&fields, "")));
        let told = ground.of(case, "sven", |_, catalog| {
            let skill = catalog.skills().first().map(|skill| flags(&skill.frontmatter)).unwrap_or_default();
            let found = catalog.findings().iter().find(|found| found.code == Code::YamlRepaired);
            let found = found.and_then(|found| found.fix.clone());
            (skill, found.map(|fix| format!("{}: {}", fix.line, fix.with)).unwrap_or_default())
        });
        assert_eq!(told, (expect.to_owned(), finding.to_owned()), "{case}");
    };
    sven("rule 5.9: in front", "  x y\n  always: true\n  user_invocable_only: true", "true true 0", "5: #   x y");
    sven("rule 5.9: in between", "  always: true\n  x\n  user_invocable_only: true", "true true 0", "6: #   x");
    sven("rule 5.9: at the end", "  always: true\n  user_invocable_only: yes\n  x", "true true 0", "7: #   x");
    sven("rule 5.9: a value", "  always: true\n  x: @y\n  user_invocable_only: on", "true true 0", "6:   x: \"@y\"");
    sven(
        "rule 5.9: an indentation",
        "  always: true\n   user_invocable_only: 1",
        "true true 0",
        "6:   user_invocable_only: 1",
    );
    sven(
        "rule 5.9: no blank",
        "  always:\"true\"\n  user_invocable_only: true",
        "true true 0",
        "5:   always: \"true\"",
    );
    let flow = |case: &str, flow: &str, mended: &str| {
        let fields = format!("name: tea\ndescription: D\nsven: {flow}");
        let ground = on(Tree::default().with("/p/.sven/skills/tea/SKILL.md", skill(&fields, "")));
        let told = ground.of(case, "sven", |_, catalog| {
            let fix = catalog.findings().iter().find_map(|found| found.fix.clone()).map(|fix| fix.with);
            (catalog.skills().first().map(|skill| flags(&skill.frontmatter)), fix)
        });
        assert_eq!(told, (Some("true true 0".to_owned()), Some(format!("sven: {mended}"))), "{case}");
    };
    let restricted = "{always: true, user_invocable_only: \"@x\"}";
    flow("rule 5.9: in braces", "{always: true, user_invocable_only: @x}", restricted);
    let closed = "{always: true, user_invocable_only: true}";
    flow("rule 5.9: in unclosed braces", "{always: true, user_invocable_only: true", closed);
    sven(
        "rule 5.9: below nothing else",
        "  always: true\n  x\nmetadata:\n  a: b\n  c\n  d: e",
        "true false 2",
        "6: #   x",
    );
}

#[test]
fn values_that_a_comment_hides() {
    let d = "name: tea\ndescription: D";
    read(
        "agentskills",
        "rule 5.8: a value that is all comment",
        skill(&format!("{d}\nx: #12"), ""),
        "in use; warning yaml-comment 4:1",
    );
    read(
        "agentskills",
        "rule 5.8: an item that is all comment",
        skill(&format!("{d}\nx:\n  - #12\n  - # none\n    a\ny: [a, # b\n  c]"), ""),
        "in use; warning yaml-comment 5:4",
    );
    read("agentskills", "rule 5.8: a remark", skill(&format!("{d}\nx: # none\ny: ## none"), ""), "in use");
    read("agentskills", "rule 5.8: a value below a comment", skill(&format!("{d}\nx: #12\n  y: z"), ""), "in use");
    read(
        "agentskills",
        "rule 5.8: a description",
        skill("name: tea\ndescription: #tea", ""),
        "lost; warning yaml-comment 3:1; error description-missing 3:1",
    );
}

/// A tag that YAML does not know, and an anchor that no alias refers to, is a word of the text, which a correction keeps.
#[test]
fn words_that_a_client_takes_for_tags_and_anchors() {
    let told = |fields: &str| {
        tea(skill(fields, "")).ask("claude", |world| {
            let found =
                check(world, &table("claude"), &[path(super::FILE)], &CheckRequest::default()).expect("it is there");
            found.into_iter().find(|found| found.code == Code::YamlRefused).and_then(|found| found.fix)
        })
    };
    let with = |fields: &str| told(fields).map(|fix| fix.with);
    assert_eq!(with("description: !important do it").as_deref(), Some("description: \"!important do it\""));
    assert_eq!(with("description: &quot;Do&quot; it").as_deref(), Some("description: \"&quot;Do&quot; it\""));
    assert_eq!(with("description: &nbsp;do\n  it").as_deref(), Some("description: \"&nbsp;do it\""));
    assert_eq!(with("description: &text do it\nx: *text"), None, "an alias refers to it");
}

#[test]
fn lists_however_they_are_spelled() {
    let tools: fn(&Frontmatter) -> String = |m| m.allowed_tools.clone().unwrap_or_default().join("|");
    let cases = [
        ("rule 6.5: items in quotes and no list", "\"Read\", \"Bash(git add *)\"", "Read|Bash(git add *)"),
        ("rule 6.5: single quotes", "'Read', 'Grep',", "Read|Grep"),
        ("rule 6.5: a list in a text", "\"['Read', 'Grep']\"", "Read|Grep"),
        ("rule 6.5: a list with brackets inside", "[Read, Bash(ls [a-z]*)]", "Read|Bash(ls [a-z]*)"),
        ("rule 6.5: brackets that are no list's", "\"[a] b [c]\"", "[a]|b|[c]"),
        ("rule 6.5: a list in a text, and a comma", "\"['Read', 'Grep'],\"", "Read|Grep"),
        ("rule 6.5: a list and a comma", "[\"Read\", Grep],", "Read|Grep"),
        ("rule 5.6: a comment behind the first line", "Read, # no Bash\n  Grep", "Read|Grep"),
        ("rule 6.5: an unclosed list", "[Read, Grep", "Read|Grep"),
        ("rule 6.5: several in an item", "\n  - Read, Grep\n  - Bash(a, b)", "Read|Grep|Bash(a, b)"),
        ("rule 6.5: a comma in parentheses in a flow list", "[Bash(a, b), Read]", "Bash(a, b)|Read"),
        ("rule 6.5: items that YAML refuses", "\n  - Read\n  - @b\n", "Read|@b"),
        ("rule 6.5: lines of a text", "|\n  Read\n  Grep", "Read|Grep"),
    ];
    for (case, value, expect) in cases {
        says("agentskills", case, &format!("allowed-tools: {value}"), tools, expect);
    }
    let paths = |case: &str, value: &str, expect: &str| {
        let text = skill(&format!("description: D\npaths: {value}"), "");
        assert_eq!(in_claude(case, text, |frontmatter| frontmatter.run().paths.join("|")), expect, "{case}");
    };
    paths("rule 6.5: patterns that YAML refuses", "\n  - **/*.ts\n  - *.js", "**/*.ts|*.js");
    paths("rule 6.5: a list in a text, and a full stop", "\"[a*.rs, b].\"", "a*.rs|b");
    paths("rule 6.5: a class of letters is no list", "\"[a-z]*.ts, b\"", "[a-z]*.ts|b");
    paths("rule 9.10: an open bracket in a text", "\"[a*.rs\"", "[a*.rs");
    paths("rule 9.10: an open bracket before others", "\"[a*.rs, b*.rs\"", "[a*.rs|b*.rs");
    paths("rule 9.10: an open bracket in a list", "[\"[a*.rs\"]", "[a*.rs");
    paths("rule 9.10: a list that is not closed", "[a*.rs", "[a*.rs");
}

fn in_claude(case: &str, text: String, told: fn(&Frontmatter) -> String) -> String {
    let ground = on(Tree::default().with("/p/.claude/skills/tea/SKILL.md", text)).repaired();
    ground.of(case, "claude", |_, catalog| told(&catalog.skills()[0].frontmatter))
}

#[test]
fn first_paragraphs() {
    let cases = [
        ("rule 6.16: headings", "# Tea\n\nBoil\nit.\n\nPour.\n", "Boil it."),
        ("rule 6.16: a comment is no paragraph", "<!-- MIT\n\nAll. -->\n\nBoil.\n", "Boil."),
        ("rule 6.16: a rule is none", "Boil.\n***\nPour.\n", "Boil."),
        ("rule 6.16: a rule before", "***\n\nBoil.\n", "Boil."),
        ("rule 6.16: a heading that is underlined", "Tea\n===\n\nBoil.\n", "Boil."),
        ("rule 6.16: another", "Tea\n---\nBoil.\n", "Boil."),
        ("rule 6.16: a rule with blanks", "* * *\n - - -\n\nBoil.\n- - -\nPour.\n", "Boil."),
        ("rule 6.16: a fence in a longer one", "````md\n```sh\nrm\n```\n\nNo.\n````\n\nBoil.\n", "Boil."),
        ("rule 6.16: what closes no fence", "```\n``` z\n\nNo.\n```\n\nBoil.\n", "Boil."),
        ("rule 6.16: indented code", "    rm\n\nBoil\n    it.\n", "Boil it."),
        ("rule 6.16: a comment behind it", "Boil.\n<!-- MIT\n-->\n", "Boil."),
        ("rule 6.16: an item of a list", "- Boil.\n---\nPour.\n", "- Boil."),
        ("rule 6.16: emphasis is text", "***Boil.*** Now.\n", "***Boil.*** Now."),
    ];
    for (case, text, expect) in cases {
        let ground = on(Tree::default().with("/p/skills/tea/SKILL.md", text)).repaired();
        let told = ground.of(case, "pegasus", |_, catalog| catalog.skills()[0].description().to_owned());
        assert_eq!(told, expect, "{case}");
    }
}
