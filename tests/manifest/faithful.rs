//! Files as the client itself reads them (rule 4.11): the fences, what is done with invalid YAML, types, limits and the
//! name of the file. Each case is one SKILL.md in a folder `tea`, in memory and on the disk.

use super::{FILE, tea};
use crate::common::effort::Effort;
use crate::common::ground::{changed, file, on, table};
use crate::common::{Tree, path, property};
use pretty_assertions::assert_eq;
use skilltree::model::Reading;
use skilltree::{Caller, CheckRequest, Code, Diagnostic, Dialect, MemFs, Places, Severity, World, check, discover};
use std::sync::Arc;
use std::time::Duration;

/// A client that reads files as they are, and forbids nothing that the repaired reading reads without a finding. `parts` are
/// written as in a dialect file.
fn client(name: &str, parts: &str) -> Arc<Dialect> {
    let own = "reading: faithful\nname_form: null\nrule_codes: []\n";
    file(&format!("name: {name}\nextends: agentskills\n{own}{parts}"))
}

/// The fields of `agentskills`, with these necessities of the name and the description.
fn fields(name: &str, description: &str) -> String {
    format!(
        "
fields:
  - {{path: name, role: name, necessity: {name}}}
  - {{path: description, role: description, necessity: {description}}}
  - {{path: disable-model-invocation, role: not-for-model}}
  - {{path: user-invocable, role: for-user}}
"
    )
}

fn plain() -> Arc<Dialect> {
    client("plain", "")
}

/// Everything about the fences is exact.
const EXACT: &str = "
header:
  byte_order_mark: no
  blank_lines_before: no
  opening: {before: nothing, after: nothing}
  closing: {before: nothing, after: nothing}
";

fn exact() -> Arc<Dialect> {
    client("exact", EXACT)
}

/// Like `exact`, but a file without frontmatter is a skill.
fn loading() -> Arc<Dialect> {
    client("exact", &format!("{EXACT}missing_frontmatter: load\n"))
}

fn codex() -> Arc<Dialect> {
    let own = "
header:
  byte_order_mark: no
  blank_lines_before: no
  opening: {before: blanks, after: blanks}
  closing: {before: blanks, after: blanks}
  invalid_yaml: quote
  duplicate_keys: no
  whitespace: fold
  other_metadata: no
limits:
  - {role: name, max_chars: 64, over: skip}
";
    client("codex", &(own.to_owned() + &fields("optional", "required")))
}

fn opencode() -> Arc<Dialect> {
    let own = "
header:
  blank_lines_before: no
  opening: {before: nothing, after: text}
  closing: {before: nothing, after: text}
  unclosed: yes
  invalid_yaml: block-colons
  duplicate_keys: no
  other_scalars: no
";
    client("opencode", &(own.to_owned() + &fields("required", "optional")))
}

fn goose() -> Arc<Dialect> {
    client("goose", &goose_parts())
}

fn goose_parts() -> String {
    let own = "
header:
  opening: {before: text, after: text}
  closing: {before: text, after: text}
  duplicate_keys: no
  other_metadata: no
";
    own.to_owned() + &fields("required", "optional")
}

fn gemini() -> Arc<Dialect> {
    let own = "
name_dashes: ':\\/<>*?\"|'
header:
  byte_order_mark: no
  blank_lines_before: no
  opening: {before: nothing, after: nothing}
  closing: {before: nothing, after: dropped}
  invalid_yaml: lines
  duplicate_keys: no
  other_scalars: no
";
    client("gemini", &(own.to_owned() + &fields("required", "required")))
}

fn copilot() -> Arc<Dialect> {
    let own = "
missing_frontmatter: load
header:
  byte_order_mark: no
  blank_lines_before: no
  unclosed: yes
  invalid_yaml: tolerant
  other_flags: no
limits:
  - {role: name, max_chars: 64, over: cut}
  - {role: description, max_chars: 1024, over: cut}
";
    client("copilot", &(own.to_owned() + &fields("optional", "optional")))
}

fn claude() -> Arc<Dialect> {
    let own = "
missing_frontmatter: load
header:
  blank_lines_before: no
  closing: {before: text, after: text}
  invalid_yaml: empty
  duplicate_keys: last
  other_bytes: yes
  control_characters: space
";
    client("claude", &(own.to_owned() + &fields("optional", "optional")))
}

/// The findings as `severity code line:column`.
fn briefs(findings: &[Diagnostic]) -> String {
    let brief = |finding: &Diagnostic| {
        let at = finding.at.map_or_else(String::new, |at| format!(" {}:{}", at.line, at.column));
        format!("; {} {}{at}", finding.severity.as_str(), finding.code)
    };
    findings.iter().map(brief).collect()
}

/// `key | description | body`, or `lost`, and the findings.
fn told(world: &World<'_>, dialect: &Arc<Dialect>) -> String {
    let catalog = discover(world, dialect);
    let said = catalog.skills().first().map_or_else(
        || "lost".to_owned(),
        |skill| {
            let body = catalog.body(world, skill).unwrap_or_else(|error| error.to_string());
            format!("{} | {} | {body}", skill.key, skill.frontmatter.description.as_deref().unwrap_or("-"))
        },
    );
    said + &briefs(catalog.findings())
}

#[track_caller]
fn read(dialect: &Arc<Dialect>, text: &str, expect: &str) {
    let case = format!("{}: {text:?}", dialect.name());
    let got = tea(text).ask(&case, |world| told(world, dialect));
    assert_eq!(got, expect, "{case}");
    // A line end of two characters changes nothing, except that Claude Code puts no value of such a line in quotes.
    if !text.contains('\r') && dialect.name() != "claude" {
        let got = tea(text.replace('\n', "\r\n")).ask(&case, |world| told(world, dialect));
        assert_eq!(got, expect, "{case} with CRLF");
    }
}

/// By runs of Claude Code 2.1.330.
#[test]
fn claude_code() {
    let file = |yaml: &str| format!("---\n{yaml}\n---\nB\n");
    for (text, expect) in [
        (file("description: first --- second"), "tea | first | second\n---\nB; warning frontmatter-fence 2:20"),
        (file("license: a---b\ndescription: D"), "tea | - | b\ndescription: D\n---\nB; warning frontmatter-fence 2:11"),
        ("---\ndescription: D\n--- end\nB\n".to_owned(), "tea | D | end\nB"),
        ("---\ndescription: D\n-----\nB\n".to_owned(), "tea | D | --\nB"),
        (file("description: @at sign"), "tea | @at sign | B; warning yaml-repaired 2:14"),
        (file("description: a: b # c"), "tea | a: b # c | B; warning yaml-repaired 2:15"),
        (file("description: \"q\": more"), "tea | \"q\": more | B; warning yaml-repaired 2:14"),
        (file("description: a: b\n  more"), "tea | - | B; warning yaml 2:15"),
        (file("description: a: b\r"), "tea | - | B; warning yaml 2:15"),
        (file("foo2: x: y\ndescription: D"), "tea | - | B; warning yaml 2:8"),
        (file("  description: a: b"), "tea | - | B; warning yaml 2:17"),
        (file("description: ends with colon:"), "tea | - | B; warning yaml 2:29"),
        (file("metadata:\n  a: 1\n\tb: c\ndescription: D"), "tea | D | B; warning yaml-repaired 4:1"),
        (file("\tname: x\n\tdescription: D"), "x | D | B; warning yaml-repaired 2:1; warning yaml-repaired 3:1"),
        (file("description: D\nname: &d foo\nwhen_to_use: *d"), "foo | D | B"),
        (file("description:\tD"), "tea | D | B"),
        (file("description: \"a\\u0007\\n  b\\u200bc  \""), "tea | a   b c | B; warning hidden-characters 2:14"),
        (file("description: \"  D  \""), "tea | D | B"),
        (file("description: [a, b]"), "tea | - | B; warning wrong-type 2:14"),
    ] {
        read(&claude(), &text, expect);
    }
}

/// Bytes that are not UTF-8, by runs of the clients.
#[test]
fn other_bytes() {
    let ground = on(Tree::default().with(FILE, b"---\nname: a\ndescription: x\xffy\n---\nB\n"));
    for (dialect, expect) in
        [(claude(), "a | x\u{fffd}y | B; warning not-utf8 3:15"), (codex(), "lost; error not-utf8 3:15")]
    {
        assert_eq!(ground.ask(dialect.name(), |world| told(world, &dialect)), expect);
    }
}

const FIELDS: &str = "name: a\ndescription: D";

#[test]
fn opening_fences() {
    let d = FIELDS;
    let fenced = |fence: &str| format!("{fence}\n{d}\n---\nB\n");
    let found = "a | D | B";
    read(&exact(), &fenced("---"), found);
    read(&exact(), &fenced("--- "), "lost; error frontmatter-fence 1:1");
    read(&exact(), &fenced(" ---"), "lost; error frontmatter-fence 1:1");
    read(&exact(), &fenced("---yaml"), "lost; error frontmatter-fence 1:1");
    read(&exact(), &fenced("\n---"), "lost; error frontmatter-not-first 2:1");
    read(&exact(), &fenced("<!-- © -->\n---"), "lost; error frontmatter-not-first 2:1");
    read(&exact(), &fenced("\u{feff}---"), "lost; error byte-order-mark 1:1");
    read(&exact(), &fenced("# Title\n---"), "lost; error frontmatter-missing 1:1");
    read(&exact(), &fenced("```yaml\n---"), "lost; error frontmatter-missing 1:1");
    read(&exact(), "# Title\n", "lost; error frontmatter-missing 1:1");
    read(&exact(), "", "lost; error frontmatter-missing 1:1");
    read(
        &loading(),
        &fenced("\n---"),
        "tea | - | ---\nname: a\ndescription: D\n---\nB; warning frontmatter-not-first 2:1",
    );
    read(&loading(), "\u{feff}# Title\n", "tea | - | # Title; warning byte-order-mark 1:1");
    read(
        &loading(),
        &format!("---\n{d}\n"),
        "tea | - | ---\nname: a\ndescription: D; warning frontmatter-unclosed 1:1",
    );
    read(&plain(), &fenced("\n \n--- "), found);
    read(&plain(), &fenced("\u{feff}\n---"), found);
    read(&plain(), &fenced("\n ---"), "lost; error frontmatter-fence 2:1");
    read(&plain(), &fenced("<!-- © -->\n---"), "lost; error frontmatter-not-first 2:1");
    read(&codex(), &fenced("\t--- "), found);
    read(&codex(), &fenced("---x"), "lost; error frontmatter-fence 1:1");
    read(&opencode(), &fenced("---yaml"), found);
    read(&opencode(), &fenced("--- "), found);
    read(&opencode(), &fenced("\u{feff}---"), found);
    read(&opencode(), &fenced("----"), "lost; error frontmatter-fence 1:1");
    read(&opencode(), &fenced("\n---"), "lost; error frontmatter-not-first 2:1");
    read(&goose(), &fenced("\u{feff}Intro.\n\n---"), found);
    read(&goose(), "# Title\n", "lost; error frontmatter-missing 1:1");
}

#[test]
fn closing_fences() {
    let closed = |fence: &str| format!("---\n{FIELDS}\n{fence}\nB\n");
    let found = "a | D | B";
    read(&exact(), &closed("---"), found);
    read(&exact(), &format!("---\n{FIELDS}\n---"), "a | D | ");
    read(&exact(), &closed("--- "), "lost; error frontmatter-unclosed 1:1");
    read(&exact(), &closed("-----"), "lost; error frontmatter-unclosed 1:1");
    read(&plain(), &closed("--- \t"), found);
    read(&plain(), &closed(" ---"), "lost; error frontmatter-unclosed 1:1");
    // An indented fence inside a block scalar.
    let block = "---\nname: a\ndescription: |\n  D\n  ---\n  E\n---\nB\n";
    read(&exact(), block, "a | D\n---\nE\n | B");
    read(&codex(), block, "a | D | E\n---\nB; warning frontmatter-fence 5:3");
    read(&gemini(), &closed("---more"), "a | D | ");
    read(&gemini(), &closed("---"), found);
    read(&gemini(), &format!("---\n{FIELDS}\n---"), "a | D | ");
    read(&opencode(), &closed("---more"), "a | D | more\nB");
    read(&opencode(), &closed("--- "), found);
    let within = "---\nname: a\ndescription: before --- after\n---\nB\n";
    read(&goose(), within, "a | before | after\n---\nB; warning frontmatter-fence 3:21");
    read(&goose(), "---\nname: a\n-----\nB\n", "a | - | --\nB");
    read(&goose(), &format!("---\n{FIELDS}\n"), "lost; error frontmatter-unclosed 1:1");
    let table = |close: &str| format!("---\n{FIELDS}\n{close}\n# B\n\n| a |\n|---|\n");
    for close in ["...\n", ""] {
        let line = if close.is_empty() { 8 } else { 9 };
        let lost = format!("lost; error yaml {}:1; warning frontmatter-fence {line}:2", line - 1);
        read(&goose(), &table(close), &lost);
    }
    read(&opencode(), &format!("---\n{FIELDS}\n"), "a | D | ; warning frontmatter-unclosed 1:1");
    let open = "---\nname: open\ndescription: still read\nno end\n";
    read(&copilot(), open, "open | still read | ; warning frontmatter-unclosed 1:1; warning yaml 4:1");
    // What `opencode` quotes must be closed.
    let open = "---\nname: a\ndescription: Use when: x\n";
    read(&opencode(), open, "lost; warning frontmatter-unclosed 1:1; error yaml 3:22");
}

#[test]
fn invalid_yaml() {
    let read =
        |dialect: &Arc<Dialect>, yaml: &str, expect: &str| read(dialect, &format!("---\n{yaml}\n---\nB\n"), expect);
    let colon = "name: a\ndescription: Use when: x";
    read(&plain(), colon, "lost; error yaml 3:22");
    read(&goose(), colon, "lost; error yaml 3:22");
    // The documentation of Claude Code, changelog 2.1.69: a colon in a description does no harm.
    read(&claude(), colon, "a | Use when: x | B; warning yaml-repaired 3:22");
    read(&claude(), "name: a\ndescription: [x", "a | [x | B; warning yaml-repaired 3:14");
    read(&codex(), colon, "a | Use when: x | B; warning yaml-repaired 3:22");
    read(&opencode(), colon, "a | Use when: x | B; warning yaml-repaired 3:22");
    read(&gemini(), colon, "a | Use when: x | B; warning yaml 3:22");
    read(&copilot(), colon, "a | Use when: x | B; warning yaml-repaired 3:22");

    // Which keys are quoted.
    let hyphen = "name: a\ndescription: D\nargument-hint: a: b";
    read(&codex(), hyphen, "a | D | B; warning yaml-repaired 4:17");
    read(&opencode(), hyphen, "lost; error yaml 4:17");
    let nested = "name: a\ndescription: D\nx:\n  y: a: b";
    read(&codex(), nested, "a | D | B; warning yaml-repaired 5:7");
    read(&opencode(), nested, "lost; error yaml 5:7");
    let lists =
        "name:  two   words\ndescription: Use when: always\nargument-hint: [file] [mode]\ntags: [next,@scope/pkg]";
    let found = "two words | Use when: always | B; warning yaml-repaired 3:22; warning yaml-repaired 4:16; warning yaml-repaired 5:13";
    read(&codex(), lists, found);
    read(&codex(), "name: a # comment\ndescription: 'x' y: z", "lost; error yaml 3:14");
    read(&codex(), "name: a\ndescription: a: b # c: d", "a | a: b | B; warning yaml-repaired 3:15");
    read(&codex(), "name: a\nx: |\n  y: z: w\ndescription: a: b", "a | a: b | B; warning yaml-repaired 5:15");
    read(
        &opencode(),
        "name: a\nurl: http://x\ndescription: a: b\n  more",
        "a | a: b\nmore | B; warning yaml-repaired 4:15",
    );
    read(&opencode(), "name: a\ndescription: [a] [b]", "lost; error yaml 3:14");
    // Runs of OpenCode 1.18.33: a field may follow a value in quotes, and tabs are no indentation.
    read(&opencode(), "name: a\ndescription: \"quoted\" and more: yes", "a | quoted | B; warning yaml 3:14");
    read(&opencode(), "name: a\ndescription: 'it''s' and: yes", "a | it's | B; warning yaml 3:14");
    read(&opencode(), "name: a\ndescription: \"quoted\" and more", "lost; error yaml 3:14");
    read(&opencode(), "\tname: a\n\tdescription: D", "a | D | B; warning yaml 2:8");
    read(
        &opencode(),
        "name: a\ndescription: b: \"quoted\" and more",
        "a | b: \"quoted\" and more | B; warning yaml-repaired 3:15",
    );
    read(&opencode(), "name: a\nmetadata:\n\tk: v\ndescription: D", "a | D | B; warning yaml 4:1");
    read(&codex(), "name: a\ndescription: [do: this]", "a | [do: this] | B; warning wrong-type 3:14");

    // Keys that occur twice.
    let twice = "name: a\nname: b\ndescription: D";
    read(&plain(), twice, "a | D | B; warning duplicate-key 3:1");
    read(&claude(), twice, "b | D | B; warning duplicate-key 3:1");
    read(&codex(), twice, "lost; error yaml 3:1");
    read(&gemini(), twice, "b | D | B; warning yaml 3:1");
    read(&copilot(), twice, "a | D | B; warning duplicate-key 3:1");
    let deep = "name: a\ndescription: D\nmetadata:\n  x: 1\n  x: 2";
    read(&goose(), deep, "lost; error yaml 6:3");

    // `metadata` of another type.
    let metadata = "name: a\ndescription: D\nmetadata: text";
    read(&codex(), metadata, "lost; error yaml 4:11");
    read(&goose(), metadata, "lost; error yaml 4:11");
    read(&goose(), "name: a\ndescription: D\nmetadata:", "a | D | B");
    read(&plain(), metadata, "a | D | B; warning wrong-type 4:11");

    // No mapping at all.
    read(&plain(), "just text", "lost; error yaml 2:1");
    read(&plain(), "", "lost; error description-missing; warning name-missing");
    read(&claude(), "- a", "tea | - | B; warning yaml 2:1");
    // What is valid, and means something else than its author meant, is left alone.
    read(&plain(), "name:a\ndescription:b", "lost; error yaml 2:1");
    read(&plain(), "name: a\ndescription: D\nx: !y z", "a | D | B");
}

#[test]
fn lines() {
    let read = |yaml: &str, expect: &str| read(&gemini(), &format!("---\n{yaml}\n---\nB\n"), expect);
    read("name:tight\ndescription:no space", "tight | no space | B; warning yaml 2:1");
    read("   name: indented\n   description: also: indented", "indented | also: indented | B; warning yaml 3:21");
    read("name: 123\ndescription: numbers", "123 | numbers | B; warning wrong-type 2:7");
    read("name: a\ndescription: true", "a | true | B; warning wrong-type 3:14");
    read("name: \"q\"\ndescription: bad: yaml: here", "-q- | bad: yaml: here | B; warning yaml 3:17");
    read("name: a # b\ndescription: bad: # c", "a # b | bad: # c | B; warning yaml 3:17");
    read(
        "name: outer\ndescription: broken: yaml\nmetadata:\n  name: inner",
        "inner | broken: yaml | B; warning yaml 3:20",
    );
    read("name: a\ndescription: one: 1\n  two\n\ttre\n\n  four", "a | one: 1 two tre | B; warning yaml 3:17");
    read("name: a\ndescription:\n  one: 1\n  name: b", "a | one: 1 name: b | B; warning wrong-type 4:3");
    read("name: a\ndescription: one: 1\ndescription: two", "a | two | B; warning yaml 3:17");
    read("name:\ndescription:", " |  | B; warning wrong-type 2:6");
    read("name: ''\ndescription: ''", " |  | B");
    read("name: a", "lost; error description-missing 2:1");
    read("description: x: y", "lost; error name-missing 2:15");
    read("", "lost; error name-missing 2:1");
    read("name: \"gke:prs\"\ndescription: d", "gke-prs | d | B");
}

#[test]
fn tolerant() {
    let read = |yaml: &str, expect: &str| read(&copilot(), &format!("---\n{yaml}\n---\nB\n"), expect);
    read("name:tight\ndescription: x", "tea | x | B; warning yaml 2:6");
    read("name:tight\ndescription: a: b", "tea | a: b | B; warning yaml-repaired 3:15");
    read("name: a\nwhat is this\ndescription: x\n  more", "a | x more | B; warning yaml 3:1");
    read("name: a\ndescription: 'open\nlicense: MIT", "a | open | B; warning yaml-repaired 3:14");
    read("name: a\nmetadata:\n  name: b\n  x: [\ndescription: D", "a | D | B; warning yaml-repaired 5:6");
    read("name: a\nx: [\ndescription: |\n  D: e\n  f", "a | D: e\nf\n | B; warning yaml-repaired 3:4");
    read("name: [a]\ndescription:\n  x: y", "tea | - | B; warning wrong-type 2:7; warning wrong-type 4:3");
    read("name: a\nname: b\nx: [\ndescription: D", "a | D | B; warning duplicate-key 3:1; warning yaml-repaired 4:4");
    read("just text", "tea | - | B; warning yaml 2:1");
    read("name: 12\ndescription: true", "12 | true | B");
}

#[test]
fn types() {
    let read = |dialect: &Arc<Dialect>, fields: &str, expect: &str| {
        read(dialect, &format!("---\n{fields}\n---\n"), expect);
    };
    for word in
        ["123", "-1.5", "1e3", "0x1F", "0b11", "1_000", "1.", ".5", "12:30", ".inf", "true", "FALSE", "2026-01-31"]
    {
        read(&opencode(), &format!("name: a\ndescription: {word}"), "lost; error wrong-type 3:14");
        read(&plain(), &format!("name: a\ndescription: {word}"), &format!("a | {word} | "));
        read(&opencode(), &format!("name: a\ndescription: '{word}'"), &format!("a | {word} | "));
    }
    for word in ["yes", "1.2.3", "12:90", "v1", "2026-1", "e3", ".", "0x", "_1", "1_", "10:20x", "!!str 12"] {
        let text = word.trim_start_matches("!!str ");
        read(&opencode(), &format!("name: a\ndescription: {word} "), &format!("a | {text} | "));
    }
    read(&opencode(), "name: null\ndescription: D", "lost; error wrong-type 2:7");
    read(&opencode(), "name: a\ndescription:", "lost; error wrong-type 3:13");
    read(&opencode(), "name: a", "a | - | ");
    read(&opencode(), "description: D", "lost; error name-missing");
    read(&opencode(), "name: [a]\ndescription: D", "lost; error wrong-type 2:7");
    read(&opencode(), "name: ''\ndescription: D", " | D | ");
    read(&goose(), "name: ''\ndescription: D", "lost; error name-missing 2:1");
    read(&goose(), "name: null", "lost; error name-missing 2:1");
    read(&goose(), "name: 1\ndescription: null", "1 | - | ");
    read(&goose(), "name: a\ndescription: [b]", "lost; error wrong-type 3:14");
    read(&codex(), "name: a\ndescription:\n  b: c", "lost; error wrong-type 4:3");
    read(&codex(), "name: ' '\ndescription: |\n  a\n  b", "tea | a b | ");
    read(&claude(), "name: a\ndescription: [b]", "a | - | ; warning wrong-type 3:14");
}

#[test]
fn flags() {
    #[track_caller]
    fn check(dialect: &Arc<Dialect>, word: &str, is_hidden: bool, warned: bool) {
        let text = format!("---\nname: a\ndescription: D\ndisable-model-invocation: {word}\n---\n");
        let got = tea(text).ask(word, |world| {
            let catalog = discover(world, dialect);
            let warnings = catalog.findings().iter().filter(|found| found.code != Code::RestrictionMissed);
            (catalog.skills()[0].as_read().frontmatter.not_for_model, warnings.count())
        });
        assert_eq!(got, (is_hidden, usize::from(warned)), "{word}");
    }
    for (word, is_hidden, warned) in [
        ("true", true, false),
        ("\"true\"", true, false),
        ("false", false, false),
        ("", false, false),
        ("True", false, true),
        ("yes", false, true),
        ("1", false, true),
        ("maybe", false, true),
        ("[true]", false, true),
    ] {
        check(&copilot(), word, is_hidden, warned);
    }
    // Runs of the Cursor SDK 1.0.32.
    let yaml = client("yaml", "header: {other_flags: yaml}");
    for (word, is_hidden, warned) in [
        ("true", true, false),
        ("True", true, false),
        ("TRUE", true, false),
        ("False", false, false),
        ("\"true\"", false, true),
        ("tRue", false, true),
        ("yes", false, true),
    ] {
        check(&yaml, word, is_hidden, warned);
    }
    // The words that many clients take, and what cannot be read protects.
    check(&plain(), "Yes", true, false);
    check(&plain(), "maybe", true, true);
}

#[test]
fn limits() {
    let skill = |name: usize, description: usize| {
        format!("---\nname: {}\ndescription: {}\n---\n", "é".repeat(name), "d".repeat(description))
    };
    let (name, cut) = ("é".repeat(64), "d".repeat(1024));
    read(&codex(), &skill(64, 2000), &format!("{name} | {} | ", "d".repeat(2000)));
    read(&codex(), &skill(65, 1), "lost; error too-long 2:7");
    read(&copilot(), &skill(65, 1025), &format!("{name} | {cut} | ; warning too-long 2:7; warning too-long 3:14"));
    read(&plain(), &skill(65, 1), &format!("{name}é | d | ; warning too-long 2:7"));
    // The name of the folder is the name.
    let folder = "x".repeat(65);
    let long = on(Tree::default().with(&format!("/p/.agents/skills/{folder}/SKILL.md"), "---\ndescription: D\n---\n"));
    assert_eq!(long.ask("folder", |world| told(world, &codex())), "lost; error too-long");
    // Without this reading a limit is only reported.
    let repaired = Arc::new(codex().with_reading(Reading::Repaired));
    let text = skill(65, 1);
    let got = tea(text).ask("repaired", |world| told(world, &repaired));
    assert_eq!(got, format!("{name}é | d | ; warning too-long 2:7"));
}

#[test]
fn dashes_in_names() {
    let dialect = changed("agentskills", "name_dashes: ':/'");
    let got = tea("---\nname: a:b/c\ndescription: D\n---\n").ask("dashes", |world| {
        let catalog = discover(world, &dialect);
        (catalog.skills()[0].key.clone(), catalog.skills()[0].name.clone())
    });
    assert_eq!(got, ("a-b-c".to_owned(), "a-b-c".to_owned()));
}

#[test]
fn file_names() {
    let text = "---\nname: a\ndescription: D\n---\n";
    let lower = on(Tree::default().with("/p/.agents/skills/tea/skill.md", text));
    assert_eq!(lower.ask("lower", |world| told(world, &plain())), "lost; warning file-name-case");
    let both = on(Tree::default().with("/p/.agents/skills/tea/Skill.md", "x").with(FILE, text));
    assert_eq!(both.ask("both", |world| told(world, &plain())), "a | D | ; warning file-name-case");
}

#[test]
fn messages_name_the_client_and_the_mending() {
    #[track_caller]
    fn says(dialect: &Arc<Dialect>, text: &str, message: &str, help: &str, fix: Option<(usize, usize, &str)>) {
        let finding = tea(text).ask(text, |world| discover(world, dialect).findings()[0].clone());
        assert_eq!(finding.message, message);
        assert_eq!(finding.help.as_deref(), Some(help));
        assert_eq!(finding.fix.as_ref().map(|fix| (fix.line, fix.last, fix.with.as_str())), fix);
    }
    says(
        &gemini(),
        "\u{feff}---\nname: a\n---\n",
        "`gemini` reads no frontmatter in a file that begins with a byte order mark",
        "save the file as UTF-8 without byte order mark",
        None,
    );
    says(
        &gemini(),
        "\n\n---\nname: a\n---\n",
        "`gemini` reads frontmatter only if the first line is exactly `---`, got something before it",
        "make `---` the first line of the file; what stands before it may become comments between the fields",
        Some((1, 3, "---")),
    );
    says(
        &gemini(),
        "--- \nname: a\n---\n",
        "`gemini` reads frontmatter only if the first line is exactly `---`, got another line",
        "write `---` as the first line, and nothing else there",
        Some((1, 1, "---")),
    );
    says(
        &exact(),
        "---\nname: a\n--- \nB\n",
        "the frontmatter that starts here is not closed: `exact` expects a line that is exactly `---`",
        "line 3 is `--- `: write `---` alone on the line, without indentation",
        Some((3, 3, "---")),
    );
    says(
        &goose(),
        "---\nname: a\ndescription: Use when: x\n---\n",
        "the frontmatter is not valid YAML: mapping values are not allowed in this context; `goose` does not read the file",
        "write one `key: value` per line, with values in double quotes",
        Some((3, 3, "description: \"Use when: x\"")),
    );
    says(
        &opencode(),
        "---\nname: 12\n---\n",
        "`name` is `12`, expected a string, so `opencode` does not read the file",
        "write the value as text, in double quotes",
        Some((2, 2, "name: \"12\"")),
    );
    says(
        &codex(),
        &format!("---\nname: {}\ndescription: D\n---\n", "a".repeat(65)),
        "`name` has 65 characters, expected at most 64, so `codex` does not read the file",
        "shorten it",
        None,
    );
}

#[test]
fn check_says_the_same() {
    for text in ["\u{feff}---\nname: a\n---\n", "---\nname: a: b\n---\n", "---\nname: 1\ndescription: D\n---\n", "x"] {
        for dialect in [exact(), codex(), opencode(), gemini(), goose()] {
            let ground = tea(text);
            let found = ground.ask("found", |world| briefs(discover(world, &dialect).findings()));
            let ask = CheckRequest { strict: false };
            let checked = ground.ask("checked", |world| {
                briefs(&check(world, &dialect, &[path(FILE)], &ask).expect("the file is there"))
            });
            assert_eq!(checked, found, "{}: {text:?}", dialect.name());
        }
    }
}

/// Discovery reads the first bytes of a file, and more only if it must.
#[test]
fn long_files() {
    let long = "x".repeat(9_000);
    let pad = |text: &str, length: usize| format!("{text}{}", "y".repeat(length - text.len()));
    let front = format!("---\nname: a\nx: {long}\ndescription: D\n---\nB");
    for dialect in [exact(), codex(), opencode(), gemini(), goose(), copilot()] {
        read(&dialect, &front, "a | D | B");
        let body = format!("---\n{FIELDS}\n---\n{long}é");
        read(&dialect, &body, &format!("a | D | {long}é"));
    }
    // The prefix ends within the closing fence, or directly behind it.
    for (end, expect) in [("---more", "lost; error frontmatter-unclosed 1:1"), ("---\nB", "a | D | B")] {
        for at in 4_090..4_100 {
            let text = format!("{}\ndescription: D\n{end}", pad("---\nname: a\nx: ", at - 16));
            let got = tea(text.as_str()).ask(end, |world| told(world, &exact()));
            assert!(got.ends_with(expect), "{at}: {got}");
        }
    }
    let intro = format!("{long}\n---\n{FIELDS}\n---\nB\n");
    read(&goose(), &intro, "a | D | B");
    let open = format!("---\n{FIELDS}\nx: {long}\nlicense: MIT\n");
    read(&opencode(), &open, "a | D | ; warning frontmatter-unclosed 1:1");
}

fn clients() -> Vec<Arc<Dialect>> {
    vec![plain(), exact(), loading(), codex(), opencode(), goose(), gemini(), copilot(), claude()]
}

/// Fields that a client looks for in the author's own map are read there, and the map stays as it is.
#[test]
fn fields_in_metadata() {
    let hint = "  - {path: metadata.argument-hint, role: argument-hint, necessity: required}\n";
    let dialect = client("goose", &(goose_parts() + hint));
    let text = "---\nname: a\nmetadata:\n  argument-hint: <file>\n  author: me\n---\n";
    let got = tea(text).ask("metadata", |world| {
        let frontmatter = discover(world, &dialect).skills()[0].frontmatter.clone();
        (frontmatter.run().argument_hint.clone(), format!("{:?}", frontmatter.metadata))
    });
    let metadata = r#"[("argument-hint", Text("<file>")), ("author", Text("me"))]"#;
    assert_eq!(got, (Some("<file>".to_owned()), metadata.to_owned()));
}

/// The time is linear in the file, whatever is in it.
#[test]
fn hostile_files() {
    let parts = [
        "---",
        "\n",
        "a: b: c\n",
        "name: ",
        "x: [\n",
        "- ",
        "{a: ",
        "description:\n",
        " y\n",
        "'",
        "k: |\n",
        "#",
        ": ",
    ];
    let mut texts: Vec<String> =
        parts.iter().map(|part| format!("---\n{}\n---\n", part.repeat(60_000 / part.len()))).collect();
    texts.extend(parts.iter().map(|part| format!("---\nx: [\n{}", part.repeat(60_000 / part.len()))));
    texts.push(format!("---\n{}---\n", (0..8_000).map(|n| format!("k{}: [\n", n % 4_000)).collect::<String>()));
    for text in texts {
        let mut fs = MemFs::new();
        fs.file(FILE, text.as_str());
        let places = Places { project: Some(path("/p")), ..Places::default() };
        for dialect in [codex(), opencode(), goose(), gemini(), copilot()] {
            let begin = Effort::begin();
            told(&World::new(&fs, &places, &()), &dialect);
            let took = begin.so_far();
            assert!(took < Duration::from_secs(30), "{} took {took:?}: {:?}", dialect.name(), &text[..40]);
        }
    }
}

/// A client that forbids nothing reads a file without findings as it is read otherwise.
#[test]
fn a_file_without_findings_is_read_as_usual() {
    use crate::laws::words;
    let repaired = table("agentskills");
    let faithful = Arc::new(repaired.with_reading(Reading::Faithful));
    property::check("a_file_without_findings_is_read_as_usual", 2_000, words::mutated(), |bytes| {
        let mut fs = MemFs::new();
        fs.file(FILE, bytes.clone());
        let places = Places { project: Some(path("/p")), ..Places::default() };
        let world = World::new(&fs, &places, &());
        let catalog = discover(&world, &repaired);
        let is_known = |finding: &Diagnostic| {
            // These are about what was read, not about how.
            let codes = [Code::NameMismatch, Code::NameInvalid, Code::NameMissing, Code::TooLong];
            finding.severity != Severity::Error && codes.contains(&finding.code)
        };
        if catalog.findings().iter().all(is_known) {
            let again = discover(&world, &faithful);
            let all = |catalog: &skilltree::Catalog| {
                let bodies: Vec<_> = catalog.skills().iter().map(|skill| catalog.body(&world, skill)).collect();
                format!("{:#?} {:#?} {bodies:?}", catalog.skills(), catalog.findings())
            };
            assert_eq!(all(&again), all(&catalog));
        }
        Ok(())
    });
}

/// No bytes make a reading panic, and a finding quotes a line of the file.
#[test]
fn no_bytes_harm() {
    use crate::laws::words;
    property::check("no_bytes_harm", 1_000, words::mutated(), |bytes| {
        for dialect in clients() {
            let mut fs = MemFs::new();
            fs.file(FILE, bytes.clone());
            let places = Places { project: Some(path("/p")), ..Places::default() };
            let world = World::new(&fs, &places, &());
            let catalog = discover(&world, &dialect);
            for skill in catalog.skills() {
                let _ = skilltree::load(&world, &catalog, skill, &skilltree::LoadRequest::new(Caller::User));
            }
            let is_lost = catalog.skills().is_empty();
            let has_error = catalog.findings().iter().any(|finding| finding.severity == Severity::Error);
            assert_eq!(is_lost, has_error, "{}: {:?}", dialect.name(), catalog.findings());
        }
        Ok(())
    });
}
