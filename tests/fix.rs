//! Mended files: topics 4, 5 and 6 of the rules. In memory and on the disk.

use crate::common;

use common::ground::{Ground, on, table};
use common::property;
use common::{Tree, path};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use skilltree::author::{FixRequest, FixScope, FixedFile};
use skilltree::{CheckRequest, Dialect, MemFs, Places, World, check};
use std::sync::Arc;

const FILE: &str = "/s/tea/SKILL.md";

fn tea(text: &str) -> Ground {
    on(Tree::default().with(FILE, text))
}

#[track_caller]
fn fixed(case: &str, ground: &Ground, paths: &[&str], scope: FixScope) -> Vec<FixedFile> {
    let paths: Vec<_> = paths.iter().map(|at| path(at)).collect();
    let ask = FixRequest { scope, ..FixRequest::default() };
    ground.ask(case, |world| ask.fix(world, &table("agentskills"), &paths).expect(case))
}

/// The text that a file is to hold, and the lines that are replaced.
#[track_caller]
fn mends(case: &str, scope: FixScope, text: &str, expect: &str, lines: &[usize]) {
    let found = fixed(case, &tea(text), &["/s"], scope);
    let [file] = found.as_slice() else { panic!("{case}: {found:?}") };
    let after = String::from_utf8(file.after.clone()).expect("UTF-8");
    assert_eq!((after.as_str(), file.lines.as_slice()), (expect, lines), "{case}");
    assert_eq!(fixed(case, &tea(expect), &["/s"], scope), [], "{case}: again");
}

#[track_caller]
fn safe(case: &str, fields: &str, expect: &str, lines: &[usize]) {
    let text = |fields: &str| format!("---\nname: tea\n{fields}\n---\nBoil: water.\n");
    mends(case, FixScope::Safe, &text(fields), &text(expect), lines);
    // The line endings stay.
    let crlf = |fields: &str| text(fields).replace('\n', "\r\n");
    mends(case, FixScope::Safe, &crlf(fields), &crlf(expect), lines);
}

#[track_caller]
fn stays(case: &str, text: &str) {
    assert_eq!(fixed(case, &tea(text), &["/s"], FixScope::Safe), [], "{case}");
}

#[test]
fn values_are_written_so_that_every_reader_reads_them() {
    safe("rule 5.6: a colon", "description: Tea: green", "description: \"Tea: green\"", &[3]);
    safe("rule 5.6: an `@`", "description: @tea", "description: \"@tea\"", &[3]);
    safe("rule 5.6: a backtick", "description: `tea` it is", "description: \"`tea` it is\"", &[3]);
    safe("rule 5.6: a `*`", "description: *tea* it is", "description: \"*tea* it is\"", &[3]);
    safe("rule 5.6: an unclosed quote", "description: \"tea", "description: \"tea\"", &[3]);
    safe("rule 5.6: an unclosed bracket", "description: [tea", "description: \"[tea\"", &[3]);
    safe("rule 5.6: an item", "description: D\ntags: [a, @b]", "description: D\ntags: [a, \"@b\"]", &[4]);
    safe("rule 5.6: a tab", "description:\t@tea", "description: \"@tea\"", &[3]);
    safe("rule 5.6: a comma behind a list", "description: D\ntags: [a, b],", "description: D\ntags: [a, b]", &[4]);
    let lines = "description: D\nallowed-tools: Read, # none\n  Grep";
    safe("rule 5.6: a comment", lines, "description: D\nallowed-tools: \"Read, Grep\" # none", &[4, 5]);
    let uneven = "description:\n    D\n    a: b\n  c\nlicense: MIT";
    let expect = "description: \"D\\n  a: b\\nc\"\nlicense: MIT";
    safe("rule 6.2: lines with other indentation", uneven, expect, &[3, 4, 5, 6]);
    safe("rule 5.9: a list in place of a text", "description:\n  - a: b: c", "description: |-\n  - a: b: c", &[3]);
    safe("rule 5.5: a key of another script", "description: D: e\n作者: a", "description: \"D: e\"\n作者: a", &[3]);
    safe("rule 5.6: a field that is an item", "- description: D", "description: D", &[3]);
    safe("rule 5.6: text behind a name", "x y\ndescription: D", "# x y\ndescription: D", &[3]);
    let flag = |before: &str, colon: &str| format!("description: D\n{before}disable-model-invocation{colon}true");
    for before in ["  ", "\t", "\u{a0}"] {
        safe("rule 5.6: a flag that is indented", &flag(before, ": "), &flag("", ": "), &[4]);
    }
    safe("rule 5.6: a full-width colon of a flag", &flag("", "\u{ff1a}"), &flag("", ": "), &[4]);
    for odd in [
        "* disable-model-invocation: true",
        "**disable-model-invocation:** true",
        "**disable-model-invocation**: true",
        "`disable-model-invocation`: true",
        "disable-model-invocation = true",
        "disable-model-invocation true",
        "- `disable-model-invocation` = true",
    ] {
        let fields = |flag: &str| format!("description: D\n{flag}");
        safe("rule 5.6: a flag in another notation", &fields(odd), &fields("disable-model-invocation: true"), &[4]);
    }
    let tools = |mark: &str| format!("description: >-\n  D\ndisallowed-tools{mark}Bash, Write");
    safe("rule 5.6: a list of tools in another notation", &tools(" = "), &tools(": "), &[5]);
    let prose = "description: D\nuser-invocable skills";
    safe("rule 5.6: a word of a sentence", prose, "description: \"D user-invocable skills\"", &[3, 4]);
    let tools = |bullet: &str| format!("description: D\nallowed-tools:\n  {bullet} Read\n  {bullet} Grep");
    safe("rule 5.6: items with a `*`", &tools("*"), &tools("-"), &[5, 6]);
    let items = |bullet: &str| format!("description: D\nmetadata:\n  a:\n    {bullet} b: c\n      d: e");
    safe("rule 5.6: maps with a `*`", &items("*"), &items("-"), &[6]);
    safe("rule 5.6: a map on a line", "description: D\nmetadata: a: b", "description: D\nmetadata: {a: b}", &[4]);
    let wide = |blank: &str| format!("description: >-\n{blank}D\nmetadata:\n{blank}a: b");
    safe("rule 5.6: no-break spaces", &wide("\u{a0}"), &wide(" "), &[4, 6]);
    let several = "description: Tea: green\nmetadata:\n  a: @b\n  c: `d`\n  e: [f";
    let expect = "description: \"Tea: green\"\nmetadata:\n  a: \"@b\"\n  c: \"`d`\"\n  e: \"[f\"";
    safe("several faults under one key", several, expect, &[3, 5, 6, 7]);
}

#[test]
fn tabs() {
    let d = "description: D";
    safe("rule 5.11: at the end of a line", "description: D\t", d, &[3]);
    safe("rule 5.11: behind quotes", "description: \"D\" \t", "description: \"D\"", &[3]);
    safe("rule 5.11: in a value", "description: D\tE", "description: \"D\\tE\"", &[3]);
    safe("rule 5.11: before a comment", "description: D\t# a\tb", "description: D # a\tb", &[3]);
    safe("rule 5.11: before a value", &format!("{d}\nlicense: \tMIT"), &format!("{d}\nlicense:  MIT"), &[4]);
    safe("rule 5.11: in a list", &format!("{d}\ntags: [a,\tb\t]"), &format!("{d}\ntags: [a, b ]"), &[4]);
    safe("rule 5.11: on a line of its own", &format!("{d}\n\t\nlicense: MIT"), &format!("{d}\nlicense: MIT"), &[4]);
    let folded = |gap: &str| format!("description: D\n  {gap}E");
    safe("rule 5.11: before more of a value", &folded("\t"), &folded(" "), &[4]);
    for (case, fields) in [
        ("in double quotes", "description: \"D\tE\""),
        ("in single quotes", "description: 'D\tE'"),
        ("in a literal", "description: |\n  D\tE\t\n  # F\tG"),
        ("in a comment", "description: D\n# E\tF"),
    ] {
        stays(case, &format!("---\nname: tea\n{fields}\n---\n"));
    }
}

#[test]
fn what_readers_of_yaml_1_1_refuse() {
    let with = |line: &str| format!("description: D\n{line}");
    let line = |case: &str, bad: &str, good: &str| safe(case, &with(bad), &with(good), &[4]);
    line("rule 5.7: a placeholder", "title: {{TITLE}}", "title: \"{{TITLE}}\"");
    line("rule 5.7: one in a list", "title: [{{a}}, b]", "title: [\"{{a}}\", b]");
    line("rule 5.7: a list as a key", "metadata: {[a]: b}", "metadata: \"{[a]: b}\"");
    line("rule 5.7: a list on a line as a key", "? - a\n: b", "? \"- a\"\n: b");
    let keyed = |key: &str| with(&format!("x:\n  ? {key}\n  : c"));
    safe("rule 5.7: a map on a line as a key", &keyed("a: b"), &keyed("\"a: b\""), &[5]);
    line("rule 5.12: a day that does not exist", "date: 2026-02-30", "date: \"2026-02-30\"");
    line("rule 5.12: an hour that does not exist", "date: 2026-02-28 24:00:00", "date: \"2026-02-28 24:00:00\"");
    line("rule 5.12: no digits", "metadata: {a: 0x_}", "metadata: {a: \"0x_\"}");
    line("rule 5.12: a part of YAML", "license: =", "license: \"=\"");
    line("rule 5.12: a tag on a collection", "tags: !x [a, b]", "tags: [a, b]");
    line("rule 5.12: a tag that does not fit", "tags: !!int x", "tags: \"x\"");
    line("rule 5.12: a merged text", "metadata: {<<: a}", "metadata: {\"<<\": a}");
    line("rule 5.12: a question in a list", "tags: [what?, b]", "tags: [\"what?\", b]");
    line("rule 5.12: a character", "title: a\u{2028}b", "title: \"a\\u2028b\"");
    line("rule 5.12: one in a comment", "# a\u{7f}b", "# a b");
    for c in ["\u{85}", "\u{2028}", "\u{2029}"] {
        line("rule 6.2: one behind a value", &format!("license: MIT{c}"), "license: \"MIT\"");
        line("rule 6.2: one before a value", &format!("license: {c}MIT"), "license: \"MIT\"");
        let text = |name: &str| format!("---\n{name}\ndescription: D\n---\nB\n");
        let named = text(&format!("name: tea{c}"));
        mends("rule 6.2: one behind the name", FixScope::Safe, &named, &text("name: \"tea\""), &[2]);
    }
    let text = "---\nname: tea\ndescription: D\n---\nB\n";
    let marked = text.replacen("---\n", "---\n# a\n...\n", 1);
    mends("rule 5.12: an end", FixScope::Safe, &marked, &marked.replace("...\n", ""), &[3]);
    safe("rule 5.12: two keys that are left out", &with(": a\n: b"), &with("\"\": a\n\"\": b"), &[4, 5]);
    let anew = |case: &str, before: &str, after: &str, lines: &[usize]| {
        let text = |fields: &str| format!("---\nname: tea\n{fields}---\nB\n");
        mends(case, FixScope::Safe, &text(before), &text(after), lines);
    };
    let (items, read) = ("allowed-tools:\n  - ? [a]\n    : b\n", "\"allowed-tools\":\n  - \"? [a]\\n    : b\"\n");
    let kept = "# allowed-tools:\n#   - ? [a]\n#     : b\n";
    let d = "description: D\n";
    anew("rule 6.4: a map in a list of texts", &format!("{d}{items}"), &format!("{d}{read}{kept}"), &[4, 5, 6]);
    let (map, read) = ("metadata:\n  ?\n    - %x\n  : a\n", "\"metadata\":\n  \"- %x\": \"a\"\n");
    let kept = "# metadata:\n#   ?\n#     - %x\n#   : a\n";
    anew("rule 5.7: a key that is not valid", &format!("{d}{map}"), &format!("{d}{read}{kept}"), &[4, 5, 6, 7]);
    let text = "description:\n  \"- |\\n    a\\x85b\"\n";
    anew("rule 5.12: a line in a block scalar", "description:\n  - |\n    a\u{85}b\n", text, &[4, 5]);
    let written = with("\"metadata\":\n  \"\": \"b\"\n# metadata:\n#   : b");
    safe("rule 5.12: no key", &with("metadata:\n  : b"), &written, &[4, 5]);
    for fine in ["date: 2026-02-28", "date: 2026-02-28T10:00:00Z", "metadata: {<<: {a: b}}", "tags: !!str a", "n: 0x1F"]
    {
        stays(fine, &format!("---\nname: tea\ndescription: D\n{fine}\n---\n"));
    }
}

/// Tabs that the client reads as spaces, beside a key that it does not know.
#[test]
fn a_file_is_mended_completely_for_its_client() {
    let ground = tea("---\n\tname: tea\n\tdescripton: D\n\tmetadata:\n\t  a: b\n---\nB\n");
    let found = ground
        .ask("tabs", |world| FixRequest::default().fix(world, &table("claude"), &[path("/s")]).expect("it is there"));
    let after = "---\n  name: tea\n  descripton: D\n  metadata:\n    a: b\n---\nB\n";
    assert_eq!(found.iter().map(|file| String::from_utf8_lossy(&file.after)).collect::<Vec<_>>(), [after]);
}

/// The file after each of a few rounds, by the rules of a client.
#[track_caller]
fn rounds(dialect: &str, scope: FixScope, text: &str) -> Vec<String> {
    let mut found = vec![text.to_owned()];
    for _ in 0..3 {
        let ask = FixRequest { scope, ..FixRequest::default() };
        let text = found.last().cloned().unwrap_or_default();
        let fixed =
            tea(&text).ask(dialect, |world| ask.fix(world, &table(dialect), &[path("/s")]).expect("it is there"));
        found.extend(fixed.iter().map(|file| String::from_utf8_lossy(&file.after).into_owned()));
    }
    found.split_off(1)
}

/// To these clients the text before the later colon is a part of the key (rule 5.7).
#[test]
fn a_key_without_a_blank_behind_its_colon() {
    for (blank, dialect) in [("", "claude"), ("\u{a0}", "opencode"), ("", "codex"), ("", "goose"), ("\u{a0}", "zed")] {
        let text = format!("---\nname: tea\ndescription:{blank}Boils water: fast\n---\nB\n");
        let mended = "---\nname: tea\ndescription: \"Boils water: fast\"\n---\nB\n";
        assert_eq!(rounds(dialect, FixScope::Safe, &text), [mended], "{dialect}");
        let found = tea(&text)
            .ask(dialect, |world| check(world, &table(dialect), &[path("/s")], &CheckRequest::default()))
            .expect("it is there");
        let fixes: Vec<&str> = found.iter().filter_map(|finding| Some(finding.fix.as_ref()?.with.as_str())).collect();
        assert_eq!(fixes, ["description: \"Boils water: fast\""], "{dialect}");
    }
}

/// A client that reads the lines of a file which is not YAML has the whole value, and would have a part of it.
#[test]
fn no_value_is_cut_for_a_client() {
    for dialect in ["claude", "gemini", "qwen"] {
        let of = |comment: &str| {
            format!("---\nname: tea\ndescription: Sorts C# code by {comment}\nlicense: MIT: see file\n---\nB\n")
        };
        assert_eq!(rounds(dialect, FixScope::Safe, &of("its #tags and more.")), [""; 0], "{dialect}");
        let mended = of("lines.  # not tags").replace("MIT: see file", "\"MIT: see file\"");
        assert_eq!(rounds(dialect, FixScope::Safe, &of("lines.  # not tags")), [mended], "{dialect}");
    }
}

/// A client that takes no other value for a text does not read the file at all.
#[test]
fn a_number_is_written_as_the_text_that_it_is_meant_as() {
    let of = |description: &str| format!("---\nname: tea\ndescription: {description}\nmetadata:\n  a: 2\n---\nB\n");
    for dialect in ["opencode", "kimi"] {
        assert_eq!(rounds(dialect, FixScope::Safe, &of("2024 # a")), [of("\"2024\" # a")], "{dialect}");
        assert_eq!(rounds(dialect, FixScope::All, &of("~")), [""; 0], "{dialect}");
    }
}

/// A client that reads each line reads a flag within a code block, which is a part of the body to others.
#[test]
fn no_restriction_is_lost_for_a_client() {
    let with = |flag: &str| format!("---\nname: tea\ndescription: D\n{flag}\n---\nB\n");
    let of = |flag: &str| rounds("copilot", FixScope::Safe, &with(flag));
    assert_eq!(of("```\nuser-invocable: false\n```"), [""; 0]);
    let mended = with("user-invocable: false # hidden\n# from the menu");
    assert_eq!(of("user-invocable: false # hidden\nfrom the menu"), [mended]);
}

/// Some clients end a comment at more characters than others.
#[test]
fn what_is_mended_stays() {
    for separator in ["\u{85}", "\u{2028}", "\u{2029}"] {
        for more in ["x: 1\nx: 2", "version: 08"] {
            let text = format!("---\nname: tea\ndescription: D\nlicense: a{separator}b\n{more}\n---\nB\n");
            assert!(rounds("vibe", FixScope::Safe, &text).len() < 2, "{text:?}");
        }
    }
}

#[test]
fn a_list_is_no_misspelled_word() {
    let text = "---\nname: tea\ndescription: D\nagents:\n  - claude-code\n---\nB\n";
    let flow = text.replace("\n  - claude-code", " [claude-code]");
    for text in [text, &flow] {
        assert_eq!(rounds("claude", FixScope::All, text), [""; 0]);
    }
    let word = text.replace("\n  - claude-code", " claude-code");
    assert_eq!(rounds("claude", FixScope::All, &word), [word.replace("agents", "agent")]);
}

/// A client that reads the file as YAML, and takes a list for no name, would have another name after the correction.
#[test]
fn what_a_client_reads_as_yaml_stays() {
    let ground = tea("---\nname: [tee]\ndescription: D\n---\nB\n");
    let fix = |world: &World<'_>, dialect: Arc<Dialect>| {
        FixRequest::default().fix(world, &dialect, &[path("/s")]).expect("it is there").len()
    };
    let found = ground.ask("a list", |world| [fix(world, table("pi")), fix(world, table("agentskills"))]);
    assert_eq!(found, [0, 1]);
    // The fields stay, and the body becomes what was meant.
    let ground = tea("---\nname: tea\ndescription: D\n------\n---\nB\n---\n");
    assert_eq!(ground.ask("a longer line of dashes", |world| fix(world, table("pi"))), 1);
}

#[test]
fn a_pair_that_is_there_twice() {
    let twice = "description: D\nmetadata:\n  os: [a, b]\n  c: d\n  os: [a,  b]";
    safe("rule 5.4: with one value", twice, "description: D\nmetadata:\n  os: [a, b]\n  c: d", &[7]);
    stays("rule 5.4: with two values", "---\nname: tea\ndescription: D\nlicense: A\nlicense: B\n---\n");
    stays("rule 5.4: on one line", "---\nname: tea\ndescription: D\nmetadata: {a: b, a: b}\n---\n");
}

#[test]
fn what_is_around_the_fields() {
    let fields = "name: tea\ndescription: D";
    let text = |open: &str, close: &str| format!("{open}{fields}\n{close}B\n");
    let mended = text("---\n", "---\n");
    mends("rule 4.7: a long fence", FixScope::Safe, &text("---\n", "-----\n"), &mended, &[4]);
    mends("rule 4.8: no opening fence", FixScope::Safe, &text("", "---\n"), &mended, &[1]);
    let fenced = format!("```\n---\n{fields}\n---\nB\n```\n");
    mends("rule 4.8: a code fence around the file", FixScope::Safe, &fenced, &mended, &[1, 7]);
    let long = format!("```\n---\n{fields}\n----------\nB\n```\n");
    mends("rule 4.8: long dashes in a code fence", FixScope::Safe, &long, &mended, &[1, 5, 7]);
    for body in ["Text\n```sh\nx\n```\n", "- a\n\n  ```sh\n  x\n```\n", "> ```\n> x\n```\n", "```\nx\n```\n"] {
        let fenced = format!("```md\n---\n{fields}\n---\n{body}");
        mends("rule 4.9: the body uses the last line", FixScope::Safe, &fenced, &fenced["```md\n".len()..], &[1]);
    }
    let rule = "-".repeat(150);
    for mark in ["...", "***", "--", "\u{2014}\u{2014}", "```", "~~~", "----", " ---", "- - -", "---."] {
        let body = format!("\nText\n{rule}\nMore\n");
        let unclosed = |mark: &str| format!("---\n{fields}\n{mark}\n{body}");
        mends("rule 4.9: a line like a fence", FixScope::Safe, &unclosed(mark), &unclosed("---"), &[4]);
    }
    let set_off = |fence: &str| format!("---\n{fields}\n{fence}You are an expert.\n\n---\n\nMore.\n");
    mends("rule 4.9: a paragraph and a rule", FixScope::Safe, &set_off("\n"), &set_off("---\n"), &[4]);
    for mark in ["-----", "...", " ---", "***", "\u{2014}", "- - -"] {
        let unclosed = |mark: &str| format!("---\n{fields}\n{mark}\n\n# Tea\n\n---\n\nMore.\n");
        mends("rule 4.9: one before a title and a rule", FixScope::Safe, &unclosed(mark), &unclosed("---"), &[4]);
    }
    let titled = |fence: &str| format!("---\n{fields}\n{fence}# Tea\n\nText\n\n---\n\nMore\n");
    mends("rule 4.9: a title", FixScope::Safe, &titled(""), &titled("---\n"), &[3]);
    let code = format!("```sh\nx\n```\n{rule}\nMore\n");
    let unclosed = format!("---\n{fields}\n{code}");
    mends("rule 4.9: a code block", FixScope::Safe, &unclosed, &format!("---\n{fields}\n---\n{code}"), &[3]);
    let separated = format!("---\nname: tea\n{rule}\ndescription: D\n---\nB\n");
    let expect = separated.replacen(&rule, &format!("# {rule}"), 1);
    mends("a rule between fields", FixScope::Safe, &separated, &expect, &[3]);
    let noted = "---\nname: tea\ndescription: D\nuser-invocable: true\n<!-- note -->\n---\nB\n";
    let expect = noted.replacen("<!--", "# <!--", 1);
    mends("rule 5.6: a comment of HTML", FixScope::Safe, noted, &expect, &[5]);
    let controls = "---\nname: tea\ndescription: D\u{1}E\n---\nB\u{1}\n";
    let expect = "---\nname: tea\ndescription: DE\n---\nB\u{1}\n";
    mends("rule 4.4: a control character", FixScope::Safe, controls, expect, &[3]);
    let marked = "\u{feff}---\nname: tea\ndescription: a: b\n---\n";
    let expect = "\u{feff}---\nname: tea\ndescription: \"a: b\"\n---\n";
    mends("a byte order mark stays", FixScope::Safe, marked, expect, &[3]);
}

#[test]
fn a_fence_that_a_client_alone_takes_for_one() {
    let text = |fence: &str, block: &str| {
        format!("---\nname: tea\ndescription: {block}D\n{fence}\n\n# Tea\n\nText\n\n---\n\nMore\n")
    };
    let ask = FixRequest::default();
    for (fence, block) in [(" ---", ""), ("---.", ""), (" ---", "|\n  ")] {
        let found = tea(&text(fence, block)).ask(fence, |world| ask.fix(world, &table("codex"), &[path("/s")]));
        let found = found.expect("it is there");
        assert_eq!(found.first().map(|file| file.after.as_slice()), Some(text("---", block).as_bytes()), "{fence}");
    }
    let rule = "---\nname: tea\ndescription: |\n  D\n  ---\n  E\n---\nText\n";
    let found = tea(rule).ask("a rule in a block", |world| ask.fix(world, &table("codex"), &[path("/s")]));
    assert_eq!(found.expect("it is there"), []);
}

#[test]
fn a_line_of_dashes_between_the_fields() {
    let text = |line: &str| format!("---\nname: tea\n{line}description: D\n---\n\n# Tea\n");
    for dialect in ["claude", "goose"] {
        for (line, mended) in
            [("----\n", ""), ("# ----\n", ""), ("------ fields ------\n", "# —— fields ——\n"), ("--- #x\n", "# — #x\n")]
        {
            assert_eq!(rounds(dialect, FixScope::Safe, &text(line)), [text(mended)], "rule 4.11: {dialect}: {line}");
        }
    }
    let before = "<!-- a\n--- b: c\n-->\n---\nname: tea\ndescription: D\n---\nB\n";
    let after = "---\n# <!-- a\n# — b: c\n# -->\nname: tea\ndescription: D\n---\nB\n";
    assert_eq!(rounds("claude", FixScope::Safe, before), [after], "rule 4.11: dashes in a comment before the fence");
}

/// The correction that is shown is the one that is made.
#[test]
fn what_is_shown_is_what_is_written() {
    let values = ["\"Makes tea: for all.", "\"Use\" when: it is cold.", "D\nmetadata:\n  keywords: [kettle, @pot]"];
    for (dialect, value) in ["claude", "codex"].into_iter().flat_map(|dialect| values.map(|value| (dialect, value))) {
        let text = format!("---\nname: tea\ndescription: {value}\n---\nB\n");
        let found = tea(&text).ask(dialect, |world| {
            check(world, &table(dialect), &[path("/s")], &CheckRequest::default()).expect("it is there")
        });
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for fix in found.iter().filter_map(|finding| finding.fix.as_ref()) {
            lines[fix.line - 1].clone_from(&fix.with);
        }
        assert_eq!(rounds(dialect, FixScope::Safe, &text), [lines.join("\n") + "\n"], "{dialect}");
    }
    let wide = "---\nname: tea\ndescription\u{ff1a}Makes tea. For: \"tea\", \"pot\"\n---\nB\n";
    let found = tea(wide).ask("qwen", |world| check(world, &table("qwen"), &[path("/s")], &CheckRequest::default()));
    let shown: Vec<_> = found.expect("it is there").into_iter().filter_map(|finding| Some(finding.fix?.with)).collect();
    assert_eq!(shown, ["description: \"Makes tea. For: \\\"tea\\\", \\\"pot\\\"\""], "no correction loses the value");
}

#[test]
fn a_byte_order_mark_that_a_client_does_not_read() {
    let text = "---\nname: tea\ndescription: D\n---\nB\n";
    let ground = tea(&format!("\u{feff}{text}"));
    for (dialect, after) in [("codex", Some(text)), ("claude", None)] {
        let ask = FixRequest::default();
        let found = ground.ask(dialect, |world| ask.fix(world, &table(dialect), &[path("/s")]).expect("it is there"));
        let told =
            found.iter().map(|file| (std::str::from_utf8(&file.after), file.lines.as_slice())).collect::<Vec<_>>();
        assert_eq!(told, after.map(|text| (Ok(text), &[1][..])).into_iter().collect::<Vec<_>>(), "{dialect}");
    }
}

#[test]
fn text_in_utf_16_stays() {
    let text = "---\nname: tea\ndescription: Tea: green — fast.\n---\nBoil.\n";
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let ground = on(Tree::default().with(FILE, bytes));
    for dialect in ["agentskills", "claude", "codex", "gemini", "gencode"] {
        ground.ask(dialect, |world| {
            let (dialect, paths) = (table(dialect), [path("/s")]);
            for scope in [FixScope::Safe, FixScope::All] {
                let ask = FixRequest { scope, ..FixRequest::default() };
                assert_eq!(ask.fix(world, &dialect, &paths), Ok(Vec::new()), "rule 4.2");
            }
            let found = check(world, &dialect, &paths, &CheckRequest::default()).expect("it is there");
            assert!(found.iter().all(|finding| finding.fix.is_none()), "rule 22.3: {found:?}");
        });
    }
}

#[test]
fn what_only_the_author_knows_stays() {
    stays("nothing is wrong", "---\nname: tea\ndescription: D\n---\nB\n");
    stays("a name that differs", "---\nname: pot\ndescription: D\n---\nB\n");
    stays("rule 5.8: a comment that may be text", "---\nname: tea\ndescription: see #12 of it\n---\nB\n");
    stays("a comment behind a flag", "---\nname: tea\ndescription: D\nuser-invocable: false # no\n---\nB\n");
    stays("an unknown field", "---\nname: tea\ndescription: D\nlicence: MIT\n---\nB\n");
    let json = "{\n  \"name\": \"tea\",\n  \"description\": \"D\"\n}";
    stays("rule 5.7: a flow mapping", &format!("---\n{json}\n---\nB\n"));
    let alias = "metadata: &m\n  a: b\nother:\n  - *m # as above";
    stays("rule 5.7: an alias of another field", &format!("---\nname: tea\ndescription: D\n{alias}\n---\nB\n"));
    stays("a missing fence", "----\nname: tea\ndescription: D\n---\nB\n");
}

/// A field below the name is none of its lines.
#[test]
fn a_field_stays_where_the_name_is_written_anew() {
    let text = "---\nname: tea\n  description:D\n---\nB\n";
    mends("rule 22.3", FixScope::All, text, "---\nname: tea\ndescription: D\n---\nB\n", &[3]);
}

#[test]
fn names_keys_and_fences() {
    let all = |case: &str, text: &str, expect: &str, lines: &[usize]| mends(case, FixScope::All, text, expect, lines);
    let tea = "---\nname: tea\ndescription: D\n---\nB\n";
    all("rule 7.4: another name", "---\nname: pot\ndescription: D\n---\nB\n", tea, &[2]);
    all("rule 7.2: an invalid name", "---\nname: My Tea\ndescription: D\n---\nB\n", tea, &[2]);
    all("rule 7.1: no name", "---\ndescription: D\n---\nB\n", tea, &[1]);
    all("rule 7.1: an empty name", "---\nname:\ndescription: D\n---\nB\n", tea, &[2]);
    all("a name in quotes", "---\nname: 'pot' # x\ndescription: D\n---\nB\n", &tea.replace("tea", "\"tea\" # x"), &[2]);
    let key = "---\nname: tea\ndescription: D\nlicence: MIT\n---\nB\n";
    all("rule 6.10: a misspelled key", key, &key.replace("licence", "license"), &[4]);
    for field in ["name: tea", "description: D of several words"] {
        let other = if field.starts_with("name") { "description: D" } else { "name: tea" };
        let text = |gap: &str| format!("---{gap}{field}\n{other}\n---\nB\n");
        all("rule 4.5: a field behind the dashes", &text(" "), &text("\n"), &[1]);
        for dialect in ["codex", "claude", "gencode"] {
            assert_eq!(rounds(dialect, FixScope::All, &text("")), [text("\n")], "rule 4.5 ({dialect})");
        }
    }
    let foreign = "---\ntitle: T\n---\n\n---\nname: pot\ndescription: D\n---\nB\n";
    assert_eq!(rounds("agentskills", FixScope::All, foreign), [""; 0], "rule 4.6: a name is below the frontmatter");
    all("rule 4.8: a wrong fence", "----\nname: tea\ndescription: D\n---\nB\n", tea, &[1]);
    for fence in [" ---", "\u{2014}", "-----"] {
        let text = |fence: &str, body: &str| format!("{fence}\nname: tea\ndescription: D\n{fence}\n\n# Tea\n{body}");
        for body in ["", "\nBoil.\n\n---\n\nMore.\n", "\n---\n\nMore.\n"] {
            all("rule 4.8: two wrong fences", &text(fence, body), &text("---", body), &[1, 4]);
        }
    }
    for dialect in ["agentskills", "pegasus", "daycare", "vibe"] {
        let named = tea.replace("name: tea", "Name: Green Tea");
        assert_eq!(rounds(dialect, FixScope::All, &named), [tea], "rule 6.10: a misspelled key with another name");
    }
    let ground = on(Tree::default().with("/s/My Tea/SKILL.md", "---\nname: My Tea!\ndescription: D\n---\n"));
    let [file] = &fixed("a folder with an invalid name", &ground, &["/s"], FixScope::All)[..] else { panic!("one") };
    assert_eq!(file.after, b"---\nname: my-tea\ndescription: D\n---\n");
}

#[test]
fn the_name_of_the_file() {
    let text = "---\nname: tea\ndescription: D\n---\n";
    let ground = on(Tree::default().with("/s/tea/skill.md", text));
    assert_eq!(fixed("safe", &ground, &["/s"], FixScope::Safe), []);
    let [file] = &fixed("all", &ground, &["/s"], FixScope::All)[..] else { panic!("one") };
    assert_eq!((file.renamed_to.as_ref(), file.lines.as_slice()), (Some(&path(FILE)), &[][..]));
    assert_eq!(file.file_write(), Ok(None));
    for name in ["/s/tea/SKILL.md.txt", "/s/tea/readme.md"] {
        let other = on(Tree::default().with(name, text));
        assert_eq!(fixed("the name of a file is none of a skill", &other, &[name], FixScope::All), [], "{name}");
    }
    let both = on(Tree::default().with("/s/tea/skill.md", text).with(FILE, text));
    assert_eq!(fixed("the name is taken", &both, &["/s/tea/skill.md"], FixScope::All), []);
}

#[test]
fn a_file_is_mended_once_and_only_inside() {
    let text = "---\nname: tea\ndescription: a: b\n---\n";
    let tree = Tree::default().with("/p/tea/SKILL.md", text).with("/out/pot/SKILL.md", text);
    let tree = tree.with_link("/p/pot", "/out/pot").with_link("/p/cup", "/p/tea").with_link("/p/own/SKILL.md", FILE);
    let ground = on(tree.with(FILE, text)).roots(&["/s"]);
    let found = fixed("links", &ground, &["/p", "/p/tea"], FixScope::Safe);
    let told: Vec<_> = found.iter().map(|file| (file.path.as_str(), file.real.is_ok())).collect();
    let by_link = fixed("a link before the folder itself", &ground, &["/p/cup", "/p/tea"], FixScope::Safe);
    assert_eq!(by_link, found[1..], "the path without the link is told");
    // A link to a source that the user trusts is read, but what it leads to does not belong to the project.
    assert_eq!(told, [("/p/own/SKILL.md", false), ("/p/tea/SKILL.md", true)]);
    assert!(found[0].file_write().is_err());
    let plan = found[1].file_write().expect("it is inside").expect("it changes");
    assert_eq!((plan.path.as_str(), plan.expected.as_deref()), ("/p/tea/SKILL.md", Some(text.as_bytes())));
}

#[cfg(all(unix, feature = "host"))]
#[test]
fn a_file_that_has_changed_is_not_written() {
    use skilltree::discovery::FileWrite;
    use skilltree::host::WriteError;
    use skilltree::{Places, World};
    use std::os::unix::fs::PermissionsExt;
    let text = "---\nname: tea\ndescription: a: b\n---\n";
    let (disk, folder) = Tree::default().with(FILE, text).disk();
    let places = Places::default();
    let world = World::new(&disk, &places, &());
    let plan = || FixRequest::default().fix(&world, &table("agentskills"), &[path("/s")]).expect("it is there");
    let at = folder.path().join("s/tea/SKILL.md");
    let planned = plan()[0].file_write().expect("it is inside").expect("it changes");
    std::fs::write(&at, format!("{text}More.\n")).unwrap();
    assert!(matches!(planned.write(&disk), Err(WriteError::Changed { .. })));
    assert_eq!(std::fs::read_to_string(&at).unwrap(), format!("{text}More.\n"));
    std::fs::set_permissions(&at, std::fs::Permissions::from_mode(0o664)).unwrap();
    let planned = plan()[0].file_write().expect("it is inside").expect("it changes");
    planned.write(&disk).expect("it has not changed");
    assert_eq!(std::fs::metadata(&at).unwrap().permissions().mode() & 0o777, 0o664);
    assert_eq!(plan(), []);
    std::fs::write(&at, text).unwrap();
    std::fs::set_permissions(&at, std::fs::Permissions::from_mode(0o444)).unwrap();
    plan()[0].file_write().expect("it is inside").expect("it changes").write(&disk).expect("it is as planned");
    assert_eq!(std::fs::metadata(&at).unwrap().permissions().mode() & 0o777, 0o444, "it stays read-only");
    // Nothing is replaced by a new name.
    std::fs::write(at.with_file_name("skill.md"), "x").unwrap();
    assert!(FileWrite::rename(&disk, &path("/s/tea/skill.md"), "SKILL.md").is_err());
    std::fs::remove_file(&at).unwrap();
    FileWrite::rename(&disk, &path("/s/tea/skill.md"), "SKILL.md").expect("the name is free");
    assert_eq!(std::fs::read_to_string(&at).unwrap(), "x");
    assert_eq!(std::fs::read_dir(at.parent().unwrap()).unwrap().count(), 1, "no temporary file is left");
}

/// The pieces of a file around its fields.
#[derive(Clone, Debug)]
struct Framed {
    opening: &'static str,
    fields: &'static str,
    closing: String,
    body: Vec<&'static str>,
}

fn framed() -> impl Strategy<Value = Framed> {
    let rule = "-".repeat(150);
    let openings = ["---\n", "---\n", "", "----\n", "```md\n---\n", "```\n", "# Tea\n\n---\n", "<!-- c -->\n---\n"];
    let fields = [
        "name: tea\ndescription: D\n",
        "name: tea\ndescription: a: b\n\nlicense: MIT\n",
        "name: tea\ndescription: |\n  a\n\n  ---\n  b\nmetadata:\n  a: {{b}}\n",
    ];
    let closings =
        ["---\n", "----\n", "...\n", "***\n", "\u{2014}\n", "--\n", "```\n", "~~~\n", "", "\n", " ---\n", "- - -\n"];
    let closings = closings.map(str::to_owned).into_iter().chain([format!("{rule}\n")]).collect::<Vec<_>>();
    let body = [
        "# BODY\n",
        "\n",
        "BODY text\n",
        "- BODY item\n",
        "Note: BODY\n",
        "```\n",
        "```sh\nBODY=1\n",
        "~~~\n",
        "---\n",
        "> BODY\n",
        "  ```\n",
        "***\n",
        "| BODY | b |\n",
        "------------------------\n",
        "<!-- BODY -->\n",
    ];
    let body = prop::collection::vec(prop::sample::select(body.to_vec()), 0..10);
    let select = |from: &[&'static str]| prop::sample::select(from.to_vec());
    (select(&openings), select(&fields), prop::sample::select(closings), body)
        .prop_map(|(opening, fields, closing, body)| Framed { opening, fields, closing, body })
}

/// No line that was in the body of a skill is in its frontmatter after a fix, and none is lost.
#[test]
fn a_body_stays_a_body() {
    property::check("a_body_stays_a_body", 500, framed(), |Framed { opening, fields, closing, body }| {
        let text = format!("{opening}{fields}{closing}\n# BODY\n\nBODY begins.\n{}", body.concat());
        for scope in [FixScope::Safe, FixScope::All] {
            let mut fs = MemFs::new();
            fs.file(FILE, text.as_str());
            let places = Places { roots: vec![path("/s")], only_roots: true, ..Places::default() };
            let ask = FixRequest { scope, ..FixRequest::default() };
            let world = World::new(&fs, &places, &());
            let found = ask.fix(&world, &table("agentskills"), &[path("/s")]).expect("it is there");
            let Some(file) = found.first() else { continue };
            let after = std::str::from_utf8(&file.after).expect("UTF-8");
            let (front, rest) = after[4..].split_once("\n---\n").unwrap_or((&after[4..], ""));
            let is_body = |line: &str| line.contains("BODY") && !line.starts_with("# ");
            let count = |text: &str| text.matches("BODY").count();
            prop_assert_eq!(count(&text), count(front) + count(rest), "{:?}\n{}", scope, after);
            prop_assert!(!front.lines().any(is_body), "{:?}\n{}\n>>>\n{}", scope, text, after);
        }
        Ok(())
    });
}
