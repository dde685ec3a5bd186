//! Frontmatter: where the fences are.

use crate::effort::Effort;
use pretty_assertions::assert_eq;

use super::{Odd, Parts, Split, Wrong, plain, split};

/// `expect`: YAML, body, and `c` for a comment before, `l` for a loose closing fence.
#[track_caller]
fn found(case: &str, text: &str, expect: (&str, &str, &str)) {
    match split(text) {
        Split::Found(Parts { yaml, body, first_fence, after_comment, loose_close }) => {
            let mut marks = String::new();
            marks.push_str(if after_comment { "c" } else { "" });
            marks.push_str(if loose_close.is_some() { "l" } else { "" });
            assert_eq!((&text[yaml.clone()], &text[body.clone()], marks.as_str()), expect, "{case}");
            assert!(text[first_fence..].starts_with("---"), "{case}: the first fence");
            assert!(loose_close.is_none_or(|at| text[at..].starts_with("----")), "{case}: the loose fence");
            assert!(yaml.end <= body.start && body.end == text.len(), "{case}: the parts are the text");
        }
        other => panic!("{case}: {other:?}"),
    }
}

#[test]
fn fences() {
    found("plain", "---\na: b\n---\nbody\n", ("a: b\n", "body\n", ""));
    found("CRLF", "---\r\na: b\r\n---\r\nbody", ("a: b\r\n", "body", ""));
    found("trailing blanks (rule 4.5)", "--- \t\na: b\n---\t \nbody", ("a: b\n", "body", ""));
    found("trailing blanks and CR", "--- \r\na: b\n--- \r\nbody", ("a: b\n", "body", ""));
    found("end of file after the closing fence", "---\na: b\n---", ("a: b\n", "", ""));
    found("empty YAML", "---\n---\nbody", ("", "body", ""));
    found("blank lines before", "\n \t\r\n---\na: b\n---\n", ("a: b\n", "", ""));
    found("an indented fence is text", "---\na: |\n  x\n  ---\n---\n", ("a: |\n  x\n  ---\n", "", ""));
    found("dashes in a value are text", "---\na: b\n--- c\n---\n", ("a: b\n--- c\n", "", ""));
    found("a rule in the body is text", "---\na: b\n---\nx\n---\ny", ("a: b\n", "x\n---\ny", ""));
    found("no white space but the fence's blanks", "---\na\n---\u{a0}\n---\n", ("a\n---\u{a0}\n", "", ""));
}

#[test]
fn loose_fences() {
    found("more dashes close where nothing else does", "---\na: b\n-----\nbody", ("a: b\n", "body", "l"));
    found("an exact fence wins", "---\na: b\n----\nc\n---\nbody", ("a: b\n----\nc\n", "body", ""));
    found("the first loose one closes", "---\na: b\n----\nb\n-----\n", ("a: b\n", "b\n-----\n", "l"));
    for body in ["Text\n", "\n# T\n", "\n- a\n", "\nNote: a\n"] {
        let text = format!("---\na: b\n{body}-----\nMore\n");
        check("rule 4.6: a rule in the body is no fence", &text, Split::Unclosed { fence: 0 });
    }
}

#[test]
fn comments_before() {
    found("one", "<!-- x -->\n---\na\n---\n", ("a\n", "", "c"));
    found("several, with blank lines", "<!-- x -->\n\n<!-- y\nz -->\n\n---\na\n---\n", ("a\n", "", "c"));
    found("two on a line", "<!-- x --> <!-- y -->\n---\na\n---\n", ("a\n", "", "c"));
    found("fences inside are text", "<!--\n---\nx\n---\n-->\n---\na\n---\n", ("a\n", "", "c"));
}

#[track_caller]
fn check(case: &str, text: &str, expect: Split) {
    assert_eq!(split(text), expect, "{case}");
}

#[test]
fn none() {
    check("an empty text", "", Split::Missing);
    check("blank lines only", "\n\n", Split::Missing);
    check("prose", "# Title\n---\na\n---\n", Split::Missing);
    check("a fence behind more than one line", "a\nb\n---\nname: c\n---\n", Split::Missing);
    check("four dashes open nothing", "----\na\n---\n", Split::Missing);
    check("an indented fence opens nothing", " ---\na\n---\n", Split::Missing);
    check("a fence behind a comment", "<!-- x -->---\na\n---\n", Split::Missing);
    check("text behind a comment", "<!-- x --> y\n---\na\n---\n", Split::Missing);
    check("an unclosed comment", "<!-- x\n---\na\n---\n", Split::Missing);
    check("never closed", "\n---\na: b\n", Split::Unclosed { fence: 1 });
    check("a lone opening fence", "---", Split::Unclosed { fence: 0 });
    check("closed by an indented one only", "---\na: b\n ---\n", Split::Unclosed { fence: 0 });
}

/// The frontmatter alone, by `plain` where `is_plain`; by `split` it is the same either way.
#[track_caller]
fn alone(case: &str, text: &str, is_plain: bool) {
    let front = plain(text.as_bytes());
    assert_eq!(front.is_some(), is_plain, "{case}");
    let Some(front) = front.and_then(|front| std::str::from_utf8(front).ok()) else { return };
    let (Split::Found(alone), Split::Found(whole)) = (split(front), split(text)) else { panic!("{case}: two fences") };
    assert!(text.starts_with(front), "{case}: the beginning");
    assert_eq!(alone.yaml, whole.yaml, "{case}: the YAML");
    assert_eq!((alone.first_fence, alone.after_comment, alone.loose_close), (0, false, None), "{case}");
}

#[test]
fn the_frontmatter_alone() {
    alone("plain", "---\na: b\n---\nbody\n", true);
    alone("no body", "---\na: b\n---\n", true);
    alone("empty YAML", "---\n---\nbody", true);
    alone("a rule in the body", "---\na: b\n---\nx\n---\ny", true);
    alone("any text in the YAML", "---\na: \u{e9}\n---\nbody", true);
    alone("dashes in a value", "---\na: |\n  ---\n--- x\n---\n", true);
    alone("an earlier fence with blanks closes", "---\na: b\n--- \nc: d\n---\n", true);
    alone("an earlier loose one does not", "---\na: b\n----\nc: d\n---\n", true);
    alone("no line feed behind the closing fence", "---\na: b\n---", false);
    alone("CRLF", "---\r\na: b\r\n---\r\nbody", false);
    alone("a byte order mark", "\u{feff}---\na: b\n---\nbody", false);
    alone("a blank line before", "\n---\na: b\n---\nbody", false);
    alone("never closed", "---\na: b\n", false);
    alone("nothing", "", false);
    for (what, odd) in [("a letter", "\u{e9}"), ("a control", "\u{1}"), ("a tab", "\t"), ("a CR", "\r")] {
        alone(&format!("{what} behind it"), &format!("---\na: b\n---\nbo{odd}dy"), false);
    }
    let broken = [b"---\na: b\n---\nbo".as_slice(), b"\xFF"].concat();
    assert_eq!(plain(&broken), None, "what is not UTF-8 behind it");
}

/// `expect`: YAML, body, and each fault with the lines that are written for it.
#[track_caller]
fn odd(case: &str, text: &str, expect: (&str, &str, &[(Wrong, &str)])) {
    let Split::Odd(Odd { yaml, body, faults, .. }) = split(text) else { panic!("{case}: {:?}", split(text)) };
    let told: Vec<_> = faults.iter().map(|fault| (fault.what, fault.with.as_str())).collect();
    assert_eq!((&text[yaml], &text[body], told.as_slice()), expect, "{case}");
}

const FIELDS: &str = "name: a\ndescription: b\n";

#[test]
fn no_opening_fence() {
    let begin: &[_] = &[(Wrong::NoOpening, "---\nname: a")];
    odd("a fence behind the fields", &format!("{FIELDS}---\nB\n"), (FIELDS, "B\n", begin));
    odd("blank lines before", &format!("\n\n{FIELDS}---\nB\n"), (FIELDS, "B\n", begin));
    odd("the end behind it", &format!("{FIELDS}---"), (FIELDS, "", begin));
    let comment: &[_] = &[(Wrong::NoOpening, "---\n# <!-- c -->\nname: a")];
    odd("a comment before", &format!("<!-- c -->\n{FIELDS}---\nB\n"), (FIELDS, "B\n", comment));
    let more = format!("{FIELDS}metadata:\n  c: d\nx:\n- e\n# f\n");
    odd("fields of several lines", &format!("{more}---\nB\n---\nC\n"), (&more, "B\n---\nC\n", begin));
    odd("a name alone", "name: a\n---\nB\n", ("name: a\n", "B\n", begin));
    odd("CRLF", "name: a\r\nx: b\r\n---\r\nB", ("name: a\r\nx: b\r\n", "B", begin));
    let none = |case: &str, text: &str| check(case, text, Split::Missing);
    none("no closing fence", FIELDS);
    none("a note and a rule", "Note: x\nWarning: y\n\n---\n\nMore.\n\n---\n");
    none("a note, and a rule right below it", "Note: x\n---\nMore.\n");
    none("prose between a name and a rule", "name: a\n\nIt is b.\n\n---\nMore.\n");
    none("paragraphs that begin with a word and a colon", "name: a\n\nnote: b\n\n---\nMore.\n");
    none("a capital", "Name: a\nDescription: b\n---\nMore.\n");
    none("another word first", "See the name: a\n---\n");
}

#[test]
fn in_code_fences() {
    use Wrong::{CodeClosing, CodeEnd, CodeOpening};
    let (opening, end) = ((CodeOpening, "---"), (CodeEnd, ""));
    for (open, close) in
        [("```markdown", "```"), ("```yaml", "```"), ("~~~ md", "~~~"), ("````", "`````"), ("``` ", "```  ")]
    {
        let text = format!("{open}\n---\n{FIELDS}---\n# T\n\nB\n{close}\n\n");
        odd(open, &text, (FIELDS, "# T\n\nB\n", &[opening, end]));
    }
    let code = "B\n\n```sh\nc\n```\n\n```\nd\n```\n";
    odd("code inside", &format!("```md\n---\n{FIELDS}---\n{code}```\n"), (FIELDS, code, &[opening, end]));
    odd("code inside, and no end", &format!("```md\n---\n{FIELDS}---\n{code}"), (FIELDS, code, &[opening]));
    let closed = [opening, (CodeClosing, "---")];
    odd("round the frontmatter", &format!("```yaml\n---\n{FIELDS}---\n```\n\nB\n"), (FIELDS, "\nB\n", &closed));
    odd("in place of the fences", &format!("```yaml\n{FIELDS}```\n\nB\n"), (FIELDS, "\nB\n", &closed));
    odd("in place of the closing one", &format!("```yaml\n---\n{FIELDS}```\nB\n"), (FIELDS, "B\n", &closed));
    odd("in place of the opening one", &format!("```yaml\n{FIELDS}---\nB\n```\n"), (FIELDS, "B\n", &[opening, end]));
    odd("text behind the end", &format!("```md\n---\n{FIELDS}---\nB\n```\nC\n"), (FIELDS, "B\n```\nC\n", &[opening]));
    odd("blank lines", &format!("\n```md\n\n---\n{FIELDS}---\n\nB\n\n```"), (FIELDS, "\nB\n\n", &[opening, end]));
    let long = "-".repeat(12);
    odd("closed by more dashes", &format!("```md\n---\n{FIELDS}{long}\nB\n```\n"), (FIELDS, "B\n", &[opening, end]));
    odd("the same without an end", &format!("```md\n---\n{FIELDS}{long}\n{code}"), (FIELDS, code, &[opening]));
    let separated = format!("{FIELDS}{long}\nx: y\n");
    odd("more dashes between fields", &format!("```md\n---\n{separated}---\nB\n"), (&separated, "B\n", &[opening]));
    let none = |case: &str, text: &str| check(case, text, Split::Missing);
    none("more dashes in the body", &format!("```md\n---\n{FIELDS}\n# T\n\n{long}\n```\n"));
    none("other code", "```sh\necho name: a\n```\nB\n");
    none("YAML of something else", "```yaml\nname: a\n\non: push\n```\nB\n");
    none("code inside of a document", &format!("# T\n\nWrite:\n\n```yaml\n---\n{FIELDS}---\n```\n\nThen run it.\n"));
    none("code behind a title", &format!("# T\n\n```yaml\n---\n{FIELDS}---\n```\n\nThen run it.\n"));
    none("a body before the end, and no closing fence", &format!("```md\n---\n{FIELDS}\n# T\n```\n"));
    none("two marks", &format!("``\n{FIELDS}``\n"));
}

#[test]
fn behind_other_text() {
    let before = |case: &str, lead: &str, with: &str| {
        let text = format!("{lead}---\n{FIELDS}---\nB\n");
        odd(case, &text, (FIELDS, "B\n", &[(Wrong::Before, with)]));
    };
    before("a heading", "# T\n\n", "---\n# T");
    before("a title", "Tea skill\n\n", "---\n# Tea skill");
    before("a title right above", "Tea skill\n", "---\n# Tea skill");
    before("a title that is underlined", "Tea\n===\n\n", "---\n# Tea\n# ===");
    before("comments of other languages", "// a\n# b\n/* c\n d */\n", "---\n# // a\n# b\n# /* c\n#  d */");
    before("a mark of byte order", "\u{feff}", "---");
    before("the same behind a blank line", "\n\u{feff}", "---");
    before("HTML comments and a heading", "<!-- a -->\n# T\n<!--\nb -->\n", "---\n# <!-- a -->\n# T\n# <!--\n# b -->");
    before(
        "a notice",
        "Copyright (c) 2026 A\nSPDX-License-Identifier: MIT\n",
        "---\n# Copyright (c) 2026 A\n# SPDX-License-Identifier: MIT",
    );
    let licence = "MIT License\n\nCopyright 2026 A\n\nPermission is hereby granted\nto any person.\n\n";
    let lines = "---\n# MIT License\n# Copyright 2026 A\n# Permission is hereby granted\n# to any person.";
    before("a licence", licence, lines);
    before("a badge and a heading", "[![ci](a)](b)\n# T\n", "---\n# [![ci](a)](b)\n# T");
    before("a rule", "# T\n\n---\n\n", "---\n# T\n# ---");
    let none = |case: &str, lead: &str, rest: &str| check(case, &format!("{lead}---\n{rest}"), Split::Missing);
    let fields = format!("{FIELDS}---\nB\n");
    none("a heading and prose", "# T\n\nA skill begins so:\n\n", &fields);
    none("two paragraphs", "A.\n\nB.\n\n", &fields);
    none("a list", "- a\n- b\n\n", &fields);
    none("a long paragraph", &format!("{}\n\n", "a ".repeat(200)), &fields);
    none("a rule, and notes", "# T\n\n", "\nNote: x\n\n---\n\nMore.\n");
    none("notes right below the rule", "# T\n\n", "Note: x\n---\n");
    none("a name in prose", "# T\n\n", "\nname: a\n\nMore.\n\n---\n");
    none("an unclosed comment", "<!-- c\n", &fields);
    none("no closing fence", "# T\n\n", FIELDS);
}

#[test]
fn hostile_texts_are_quick() {
    let cases = [
        "---\nname: a\n".repeat(16_000),
        format!("# T\n{}", "---\nname: a\n\n".repeat(16_000)),
        format!("```\n---\nname: a\n---\n{}", "```\n".repeat(60_000)),
        "<!-- a -->\n".repeat(20_000),
        format!("```\n{}", "name: a\n".repeat(30_000)),
        "/*\n".repeat(80_000),
    ];
    for text in cases {
        let begin = Effort::begin();
        split(&text);
        assert!(begin.so_far() < std::time::Duration::from_secs(5), "{:?} {:?}", text.get(..20), begin.so_far());
    }
}
