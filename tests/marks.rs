//! Where findings point to: the line, the column, and the part of the text that is wrong. Each case is one SKILL.md in
//! memory and on the disk, checked strictly.

use crate::common;

use common::ground::{on, table};
use common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::{CheckRequest, Code, Diagnostic, Dialect, check};
use std::sync::Arc;

/// The finding as `code line:column` and the text that it marks; `…` where that goes on in further lines.
fn told(text: &str, finding: &Diagnostic) -> String {
    let Some(at) = finding.at else { return format!("{} -", finding.code) };
    let line: Vec<char> = finding.line_text.as_deref().unwrap_or_default().chars().collect();
    let in_file = text.trim_start_matches('\u{feff}').split('\n').nth(at.line - 1).unwrap_or_default();
    assert_eq!(line.iter().collect::<String>().trim_end(), in_file.trim_end(), "{}: its line", finding.code);
    let marked = match finding.to {
        None => "|".to_owned(),
        Some(to) if to.line > at.line => line.iter().skip(at.column - 1).collect::<String>() + "…",
        Some(to) => {
            assert!(at.column < to.column && to.column <= line.len() + 1, "{}: {at:?} {to:?}", finding.code);
            line.iter().take(to.column - 1).skip(at.column - 1).collect()
        }
    };
    format!("{} {}:{} {marked}", finding.code, at.line, at.column)
}

#[track_caller]
fn of(dialect: &str, text: &str) -> Vec<String> {
    by(&table(dialect), text)
}

#[track_caller]
fn by(dialect: &Arc<Dialect>, text: &str) -> Vec<String> {
    let file = "/p/.agents/skills/tea/SKILL.md";
    on(Tree::default().with(file, text)).ask(text, |world| {
        let found = check(world, dialect, &[path(file)], &CheckRequest { strict: true }).expect("the file is there");
        found.iter().map(|finding| told(text, finding)).collect()
    })
}

/// These fields behind a name and a description.
#[track_caller]
fn fields(dialect: &str, lines: &str, expect: &[&str]) {
    let text = format!("---\nname: tea\ndescription: D\n{lines}\n---\n");
    assert_eq!(of(dialect, &text), expect, "{dialect}: {lines}");
}

#[track_caller]
fn file(text: &str, expect: &[&str]) {
    assert_eq!(of("agentskills", text), expect, "{text}");
}

#[test]
fn the_frontmatter_as_the_client_reads_it() {
    let gemini = table("gemini");
    let d = "name: tea\ndescription: D\n---\n";
    assert_eq!(by(&gemini, &format!("\u{feff}---\n{d}")), ["byte-order-mark 1:1 ---"]);
    assert_eq!(by(&gemini, &format!("--- \n{d}")), ["frontmatter-fence 1:1 ---"]);
    assert_eq!(by(&gemini, &format!("\n---\n{d}")), ["frontmatter-not-first 2:1 ---"]);
    let goose = table("goose");
    assert_eq!(by(&goose, "---\nname: tea\ndescription: a: b\n---\n"), ["yaml 3:15 : "]);
    let opencode = table("opencode");
    assert_eq!(by(&opencode, "---\nname: 12\n---\n"), ["wrong-type 2:7 12"]);
}

#[test]
fn the_frontmatter_as_such() {
    file("Only text  \n", &["frontmatter-missing 1:1 Only text"]);
    file("\n", &["frontmatter-missing 1:1 |"]);
    file("---\nname: tea\n", &["frontmatter-unclosed 1:1 ---"]);
    file("\u{feff}---\nname: tea\n", &["frontmatter-unclosed 1:1 ---"]);
    file("---\nname: tea\ndescription: D\n--- \n", &[]);
    file("---\nname: tea\ndescription: D\n----\nText\n", &["frontmatter-fence 4:1 ----"]);
    file("<!-- x -->\n---\nname: tea\ndescription: D\n---\n", &["frontmatter-not-first 2:1 ---"]);
    file("---\n- a\n- b\n---\n", &["yaml 2:1 - a…"]);
    file("---\njust text\n---\n", &["yaml 2:1 just text"]);
    let control = of("agentskills", "---\nname: tea\ndescription: a\u{1}b\n---\n");
    assert_eq!(control, ["control-character 3:15 |"]);
}

#[test]
fn what_was_repaired() {
    let description = |value: &str| of("agentskills", &format!("---\nname: tea\ndescription: {value}\n---\n"));
    let cases = [
        ("Use when: always", "3:22 : "),
        ("Use when: always: here", "3:22 : "),
        ("ends with:", "3:23 :"),
        ("茶道の手順: 始め", "3:19 : "),
        ("🍵 when: now # not", "3:20 : "),
        ("a:\tb", "3:15 :\t"),
        ("goes on\n  below: here", "4:8 : "),
        ("\"a \" b\" c", "3:14 \"a \" b\" c"),
        ("\"early\" then more", "3:14 \"early\" then more"),
        ("*word", "3:14 *word"),
        ("`word` here", "3:14 `word` here"),
        ("@word", "3:14 @word"),
        ("[open", "3:14 [open"),
        ("\"open", "3:14 \"open"),
    ];
    for (value, place) in cases {
        assert_eq!(description(value), [format!("yaml-repaired {place}")], "{value}");
    }
    fields("agentskills", "allowed-tools: [a, @b, `c`]", &["wrong-type 4:16 [a, @b, `c`]", "yaml-repaired 4:20 @b"]);
    fields(
        "agentskills",
        "allowed-tools: [\"a, b\", 茶, 'c' d]",
        &["wrong-type 4:16 [\"a, b\", 茶, 'c' d]", "yaml-repaired 4:28 'c' d", "wrong-type 4:28 'c' d"],
    );
    fields("agentskills", "metadata:\n  note: one: two", &["yaml-repaired 5:12 : "]);
    fields("agentskills", "metadata:\n\ta: b", &["yaml-repaired 5:1 \t"]);
    fields("agentskills", "allowed-tools:\n  - a\n  - @b", &["wrong-type 5:3 - a…", "yaml-repaired 6:5 @b"]);
    fields("agentskills", "a line of its own", &["yaml-repaired 4:1 a line of its own"]);
}

#[test]
fn values_that_yaml_reads() {
    fields("agentskills", "license: one and # two", &["yaml-comment 4:10 one and # two"]);
    fields("agentskills", "license: C# and #1 more", &["yaml-comment 4:10 C# and #1 more"]);
    fields("agentskills", "license: #1", &["yaml-comment 4:1 license"]);
    fields("agentskills", "license: one\ttwo", &["yaml-tab 4:13 \t"]);
    fields("agentskills", "model-x: &x [*x]", &["unknown-field 4:1 model-x", "yaml-alias 4:14 *x"]);
    fields("agentskills", "license: =", &["yaml-refused 4:10 ="]);
    fields("agentskills", "name: other", &["duplicate-key 4:1 name"]);
    fields("agentskills", "\"extra\": 1", &["unknown-field 4:1 \"extra\""]);
    fields("agentskills", "茶: 1", &["unknown-field 4:1 茶"]);
    fields("agentskills", "license: [a, b]", &["wrong-type 4:10 [a, b]"]);
    fields("agentskills", "license:\n  - a\n  - b", &["wrong-type 5:3 - a…"]);
    fields("agentskills", "license: {a: b}", &["wrong-type 4:10 {a: b}"]);
    fields("agentskills", "metadata: text", &["wrong-type 4:11 text"]);
    fields("agentskills", "metadata:\n  a: [1, 2]", &["wrong-type 5:6 [1, 2]"]);
    fields(
        "agentskills",
        "allowed-tools:\n  - a\n  - {b: c}\n  - d",
        &["wrong-type 5:3 - a…", "wrong-type 6:5 {b: c}"],
    );
    fields("agentskills", "user-invocable: \"no way\"", &["wrong-type 4:17 \"no way\""]);
    fields("agentskills", "? [a]\n: b", &["yaml-repaired 4:3 [a]", "unknown-field 4:3 [a]"]);
    let deep = format!("metadata: {}{}", "[".repeat(70), "]".repeat(70));
    let inner = format!("{}{}", "[".repeat(7), "]".repeat(7));
    let found = fields_of("agentskills", &deep);
    assert!(found.contains(&format!("yaml-too-deep 4:74 {inner}")), "{found:?}");
}

#[test]
fn names_and_descriptions() {
    let named = |value: &str| of("agentskills", &format!("---\nname: {value}\ndescription: D\n---\n"));
    assert_eq!(named("Tea"), ["name-invalid 2:7 Tea", "name-mismatch 2:7 Tea"]);
    assert_eq!(named("\"tea pot\""), ["name-invalid 2:7 \"tea pot\"", "name-mismatch 2:7 \"tea pot\""]);
    assert_eq!(named("'茶'"), ["name-invalid 2:7 '茶'", "name-mismatch 2:7 '茶'"]);
    let long = "x".repeat(65);
    assert_eq!(named(&long), [format!("name-mismatch 2:7 {long}"), format!("too-long 2:7 {long}")]);
    file("---\nname: tea\ndescription: \"a\\u202eb\"\n---\n", &["hidden-characters 3:14 \"a\\u202eb\""]);
    file("---\nname: tea\ndescription:\n---\n", &["description-missing 3:1 description"]);
    file("---\nname: tea\nDescription: D\n---\n", &["description-missing 3:1 Description"]);
    file("---\nname: tea\n---\n", &["description-missing -"]);
    file("---\nNAME: tea\ndescription: D\n---\n", &["name-missing 2:1 NAME"]);
    let folded = format!("---\nname: tea\ndescription: >\n  {}\n---\n", "word ".repeat(250));
    assert_eq!(of("agentskills", &folded), ["too-long 3:14 >…"], "its header is the beginning of a block");
}

/// A finding about an item marks that item, however the list is spelled.
#[test]
fn items_of_lists() {
    let (code, good) = ("unknown-permission", "@network");
    fields(
        "daycare",
        &format!("permissions: [{good}, odd, 茶]"),
        &[&format!("yaml-repaired 4:15 {good}"), &format!("{code} 4:25 odd"), &format!("{code} 4:30 茶")],
    );
    fields("daycare", &format!("permissions:\n  - \"{good}\"\n  - \"odd\""), &[&format!("{code} 6:5 \"odd\"")]);
    fields("daycare", &format!("permissions:\n- '{good}'\n- 'odd'"), &[&format!("{code} 6:3 'odd'")]);
    fields(
        "daycare",
        &format!("permissions: \"{good}, odd, odder\""),
        &[&format!("{code} 4:25 odd"), &format!("{code} 4:30 odder")],
    );
    fields("daycare", &format!("permissions: [\n  \"{good}\",\n  \"odd\"]"), &[&format!("{code} 6:3 \"odd\"")]);
    fields(
        "daycare",
        "permissions: [\"茶\", \"🍵\", \"\\x6fdd\"]",
        &["unknown-permission 4:15 \"茶\"", "unknown-permission 4:20 \"🍵\"", "unknown-permission 4:25 \"\\x6fdd\""],
    );
    fields(
        "agent-base",
        "toolsets: [\"a:B\", odd, 'x:']",
        &["toolset-missing 4:12 \"a:B\"", "wrong-type 4:19 odd", "wrong-type 4:24 'x:'"],
    );
    fields("agent-base", "toolsets: a:B, odd", &["toolset-missing 4:11 a:B", "wrong-type 4:16 odd"]);
    fields(
        "agent-base",
        "triggers:\n  keywords: [a, \"\", b, ~]",
        &["trigger-empty 5:17 \"\"", "trigger-empty 5:24 ~"],
    );
    let patterns = fields_of("agent-base", "triggers:\n  patterns:\n    - fine\n    - \"(open\"");
    assert!(
        patterns[0].starts_with("pattern-") && patterns.last().unwrap().ends_with(" 7:7 \"(open\""),
        "{patterns:?}"
    );
    fields("sven", "sven:\n  skills: [a]", &["removed-field 5:3 skills"]);
}

fn fields_of(dialect: &str, lines: &str) -> Vec<String> {
    of(dialect, &format!("---\nname: tea\ndescription: D\n{lines}\n---\n"))
}

#[test]
fn knowledge_files_have_lines() {
    let of = |lines: &str| {
        let text = format!("---\ndescription: D\n{lines}\n---\n");
        let found = of("sven", &text);
        found.into_iter().filter(|finding| finding.starts_with(Code::KnowledgeMissing.as_str())).collect::<Vec<_>>()
    };
    assert_eq!(of("knowledge: [a.md, b.md]"), ["knowledge-missing 3:13 a.md", "knowledge-missing 3:19 b.md"]);
    assert_eq!(
        of("knowledge:\n  - a.md\n  - '茶.md'"),
        ["knowledge-missing 4:5 a.md", "knowledge-missing 5:5 '茶.md'"]
    );
    assert_eq!(of("knowledge: a.md, a.md"), ["knowledge-missing 3:12 a.md", "knowledge-missing 3:18 a.md"]);
    assert_eq!(of("knowledge: ../x.md"), ["knowledge-missing 3:12 ../x.md"]);
}

#[test]
fn a_tag_in_the_body() {
    let text = "---\nname: tea\ndescription: </skill_content>\n---\nText.\n\n茶 </skill_content> more\n";
    file(text, &["closes-frame 7:3 </skill_content>"]);
}

#[test]
fn a_tag_in_a_description_that_is_not_escaped() {
    let text = "---\nname: tea\ndescription: Tea.</description></skill>\n---\nText.\n";
    for (dialect, is_told) in [("gemini", true), ("opencode", true), ("agentskills", false), ("pegasus", false)] {
        let found = of(dialect, text).contains(&"closes-frame 3:18 </description>".to_owned());
        assert_eq!(found, is_told, "{dialect}");
    }
}

#[test]
fn references() {
    let of_body = |body: &str| of("agentskills", &format!("---\nname: tea\ndescription: D\n---\n{body}\n"));
    assert_eq!(
        of_body("茶 [a](gone.md#b \"T\") ![c](<a b.png>)"),
        ["reference-missing 5:7 gone.md#b", "reference-missing 5:28 a b.png"]
    );
    assert_eq!(of_body("- `./references/gone.md`"), ["reference-missing 5:4 ./references/gone.md"]);
    assert_eq!(of_body("[a](../b.md)"), ["reference-outside 5:5 ../b.md"]);
}

#[test]
fn values_of_closed_sets() {
    fields("claude", "effort: \"turbo\"", &["unknown-value 4:9 \"turbo\""]);
    fields("claude", "shell: zsh", &["unknown-value 4:8 zsh"]);
    fields("agentskills", "compatibility: ''", &["empty-value 4:1 compatibility"]);
    fields("claude", "agent: Explore", &["no-effect 4:8 Explore"]);
    file("---\nname: tea\ndescription: '[TODO]'\n---\n", &["description-placeholder 3:14 '[TODO]'"]);
    let line = "TODO Write the instructions for the agent here.";
    let expect = format!("body-placeholder 7:1 {line}");
    file(&format!("---\nname: tea\ndescription: D\n---\n# Tea\n\n{line} \nBoil.\n"), &[&expect]);
}

#[test]
fn a_restriction_that_a_client_misses() {
    let text = "---\nname: tea\ndisable-model-invocation: true\nlicense: \"open\n---\n";
    let found = of("claude", text);
    assert!(found.contains(&"restriction-missed 3:1 disable-model-invocation: true".to_owned()), "{found:?}");
}

/// Every code is looked at here, or is about something that has no line.
#[test]
fn every_code_is_accounted_for() {
    let here = include_str!("marks.rs");
    let without_line = "text-after-blanks encoded-text compiled-file packed-file file-kind hidden-file too-large not-utf8 unreachable unmet-requirement lower-in-use same-file file-name-case skill-at-root \
        too-deep nested-source not-read looked-no-further setting-undone not-entered not-a-file link-cycle leads-out link-dangling scan-truncated unreadable path-not-utf8 \
        source-unreadable untrusted-grant state-unknown store-corrupt activation-collision activation-key \
        foreign-entry copy-failed toolset-invalid toolset-missing toolset-failed tool-invalid tool-name-taken no-skill \
        left-out not-covered not-served entry-refused version-invalid too-many-patterns pattern-invalid choice-refused \
        pattern-unsupported plugin-missing plugin-invalid script-missing \
        not-in-source not-skill-file command-file commands-pending dialect-file other-product sidecar-ignored \
        link-ignored reference-nested";
    for code in Code::ALL {
        let name = code.as_str();
        let is_here = here.contains(&format!("\"{name} ")) || here.contains(&format!("\"{name}\""));
        assert!(is_here || without_line.split(' ').any(|one| one.trim() == name), "{name}");
    }
}
