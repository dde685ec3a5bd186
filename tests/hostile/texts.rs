//! One SKILL.md that wants to crash, hang or balloon its reader.

use super::{codes, found, in_time, on_both, weight};
use crate::common::Tree;
use pretty_assertions::assert_eq;
use skilltree::{
    Caller, CheckRequest, Code, Diagnostic, LoadRequest, PromptRequest, call, check, commands, invoke, load, prompt,
    why,
};

const FILE: &str = "/s/tea/SKILL.md";

/// How many bytes of findings one file may bring about: a multiple of what it may have itself.
const MOST_BYTES: usize = 64 << 20;

/// Reads a file in every way there is; `expect` are the codes that discovery must give, `keys` how many skills.
#[track_caller]
fn check_bytes(case: &'static str, bytes: impl Into<Vec<u8>>, expect: &'static [Code], skills: usize) {
    let bytes = bytes.into();
    in_time(case, move || {
        let tree =
            Tree::default().with(FILE, bytes).with("/project/.sven/knowledge/tea.md", "---\nsubsystem: Tea\n---\n");
        for name in ["agentskills", "sven"] {
            on_both(&tree, name, |_, catalog| {
                let codes = codes(catalog, FILE);
                for code in expect {
                    assert!(codes.contains(code), "{case}: {code} is missing in {codes:?}");
                }
                assert_eq!(catalog.skills().len(), skills, "{case}: {codes:?}");
                assert!(weight(catalog) < MOST_BYTES, "{case}: {} bytes of findings", weight(catalog));
            });
        }
        found(&tree.mem(), "agentskills", |world, catalog| answer_all(case, world, catalog));
    });
}

/// Every answer that there is.
fn answer_all(case: &str, world: &skilltree::World<'_>, catalog: &skilltree::Catalog) {
    let commands = commands(catalog, &[]);
    assert!(catalog.to_json(world, &commands).to_string().len() < MOST_BYTES, "{case}: the list");
    assert!(prompt(world, catalog, &PromptRequest::default()).text.len() < MOST_BYTES, "{case}: the prompt");
    assert!(!why(world, catalog, "tea", &PromptRequest::default()).is_empty(), "{case}: why");
    let asked = CheckRequest { strict: true };
    let findings = check(world, catalog.dialect(), &[], &asked).expect("the source is there");
    assert!(Diagnostic::all_to_json(world.fs, &findings).to_string().len() < MOST_BYTES, "{case}: the check");
    for skill in catalog.skills() {
        let loaded = load(world, catalog, skill, &LoadRequest::new(Caller::User));
        assert!(loaded.is_ok_and(|loaded| loaded.text.len() < MOST_BYTES), "{case}: the load");
        let _ = skill.files(world);
        let _ = call(world, catalog, r#"{"name":"tea"}"#);
        let _ = invoke(world, catalog, &commands, "/tea x");
    }
}

/// A skill that is well but for these lines.
fn with_lines(lines: &str) -> String {
    format!("---\nname: tea\ndescription: Makes tea.\n{lines}\n---\nBody.\n")
}

/// A skill that would be well but for what stands between the fences.
fn fenced(yaml: &str) -> String {
    format!("---\n{yaml}\n---\nBody.\n")
}

fn laughs() -> String {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for n in 1..30 {
        let before = n - 1;
        text.push_str(&format!("a{n}: &a{n} [{}]\n", vec![format!("*a{before}"); 9].join(", ")));
    }
    text
}

#[test]
fn nesting_and_aliases() {
    check_bytes("100 000 nested block sequences (rule 5.1)", fenced(&"- ".repeat(100_000)), &[Code::Yaml], 0);
    check_bytes(
        "the same below a key",
        with_lines(&format!("x:\n  {}", "- ".repeat(100_000))),
        &[Code::YamlTooDeep],
        1,
    );
    check_bytes(
        "behind many blanks",
        with_lines(&format!("x:\n{}{}", " ".repeat(60_000), "- ".repeat(60_000))),
        &[],
        1,
    );
    check_bytes("the billion laughs", with_lines(&laughs()), &[Code::YamlAlias], 1);
    check_bytes("200 000 open brackets", with_lines(&format!("x: {}", "[".repeat(200_000))), &[Code::YamlRepaired], 1);
    check_bytes("200 000 open braces", with_lines(&format!("x: {}", "{".repeat(200_000))), &[Code::YamlRepaired], 1);
    let nested: String = (0..700).map(|n| format!("{}k:\n", " ".repeat(n))).collect();
    check_bytes("700 nested maps", with_lines(&format!("x:\n{}", nested.replace('k', " k"))), &[Code::YamlTooDeep], 1);
    let flow = format!("x: {}1{}", "{a: ".repeat(3_000), "}".repeat(3_000));
    check_bytes("3 000 nested flow maps", with_lines(&flow), &[Code::YamlRepaired], 1);
    check_bytes(
        "100 nested flow maps",
        with_lines(&format!("x: {}1{}", "{a: ".repeat(100), "}".repeat(100))),
        &[Code::YamlTooDeep],
        1,
    );
    check_bytes(
        "50 000 complex keys",
        with_lines(&format!("{}\n{}", "? ".repeat(50_000), "#".repeat(100_000))),
        &[],
        1,
    );
}

#[test]
fn much_of_one_thing() {
    let many = |line: fn(usize) -> String, n: usize| (0..n).map(line).collect::<String>();
    check_bytes("20 000 keys", with_lines(&many(|n| format!("k{n}: v\n"), 20_000)), &[], 1);
    check_bytes("10 000 equal keys", with_lines(&many(|_| "k: v\n".into(), 10_000)), &[Code::DuplicateKey], 1);
    check_bytes(
        "20 000 equal keys on one line",
        with_lines(&format!("x: {{{}}}", "a: 1, ".repeat(20_000))),
        &[Code::DuplicateKey],
        1,
    );
    check_bytes(
        "20 000 aliases on one line",
        with_lines(&format!("y: &a {}\nx: [{}]", "b".repeat(500), "*a, ".repeat(20_000))),
        &[Code::YamlAlias],
        1,
    );
    check_bytes("10 000 comments between lone CRs", with_lines(&format!("x: [{}]", "a #\r,".repeat(10_000))), &[], 1);
    check_bytes(
        "20 000 keys in metadata",
        with_lines(&format!("metadata:\n{}", many(|n| format!("  k{n}: v\n"), 20_000))),
        &[],
        1,
    );
}

#[test]
fn long_lines_and_many() {
    let many = |line: fn(usize) -> String, n: usize| (0..n).map(line).collect::<String>();
    check_bytes("a value of 200 kB", with_lines(&format!("x: {}", "v".repeat(200_000))), &[], 1);
    check_bytes("a description of 200 kB", fenced(&format!("name: tea\ndescription: {}", "v".repeat(200_000))), &[], 1);
    check_bytes("a line of 200 kB that is nothing", fenced(&"v ".repeat(100_000)), &[Code::Yaml], 0);
    check_bytes(
        "5 000 unquoted colons",
        with_lines(&many(|n| format!("k{n}: a: b\n"), 5_000)),
        &[Code::YamlRepaired],
        1,
    );
    check_bytes(
        "a list of 20 000 items, the last awry",
        with_lines(&format!("x:\n{}  - a: b: c\n", "  - a\n".repeat(20_000))),
        &[Code::YamlRepaired],
        1,
    );
    check_bytes(
        "10 000 lists in a list on one line",
        with_lines(&format!("allowed-tools: [{}]", "[a], ".repeat(10_000))),
        &[Code::WrongType],
        1,
    );
    check_bytes(
        "9 000 lists in a list, many on a line",
        with_lines(&format!("allowed-tools: [{}]", format!("{}\n  ", "[a],".repeat(90)).repeat(100))),
        &[Code::WrongType],
        1,
    );
    check_bytes(
        "20 000 keys without a value on one line",
        fenced(&format!("{{name: tea, description: D, {}}}", many(|n| format!("k{n}: , "), 20_000))),
        &[],
        1,
    );
    check_bytes("5 000 tabs", with_lines(&format!("x:\n{}", "\ta: b\n".repeat(5_000))), &[Code::YamlRepaired], 1);
    check_bytes(
        "16 000 wrong lines in a map",
        with_lines(&format!("x:\n{}", many(|n| format!("  k{n}: @a\n"), 16_000))),
        &[Code::YamlRepaired],
        1,
    );
    check_bytes(
        "20 000 tags that are never closed",
        with_lines(&format!("x: a: b\n{}", "<tea>\n".repeat(20_000))),
        &[Code::YamlRepaired],
        1,
    );
    check_bytes(
        "5 000 fields, each indented",
        with_lines(&format!("x: a\n{}", "  name: a\n".repeat(5_000))),
        &[Code::YamlRepaired],
        1,
    );
    check_bytes(
        "20 000 headings and no fence",
        format!("---\nname: tea\ndescription: Makes tea.\n{}", "\n# a\nb\n".repeat(20_000)),
        &[Code::FrontmatterUnclosed],
        0,
    );
    check_bytes(
        "20 000 headings and a rule",
        format!("---\nname: tea\ndescription: Makes tea.\n{}---\n", "\n# a\nb\n".repeat(20_000)),
        &[Code::FrontmatterFence],
        1,
    );
    check_bytes("10 000 stray lines", with_lines(&"stray\n".repeat(10_000)), &[], 1);
    check_bytes("120 000 fences", "---\n".repeat(60_000), &[Code::DescriptionMissing], 0);
    check_bytes("fences that never close", format!("---\n{}", "--\n".repeat(60_000)), &[Code::FrontmatterUnclosed], 0);
    check_bytes("loose fences", fenced(&"----\n".repeat(40_000)), &[Code::Yaml], 0);
    check_bytes(
        "a comment of 200 kB",
        format!("<!-- {} -->\n{}", "c".repeat(200_000), with_lines("")),
        &[Code::FrontmatterNotFirst],
        1,
    );
    check_bytes("a comment never closed", format!("<!-- {}", "c".repeat(200_000)), &[Code::FrontmatterMissing], 0);
    check_bytes(
        "20 000 comments",
        format!("{}{}", "<!---->\n".repeat(20_000), with_lines("")),
        &[Code::FrontmatterNotFirst],
        1,
    );
    check_bytes("tabs", fenced(&"\tname:\ttea\n".repeat(10_000)), &[], 0);
    check_bytes("lone CR line ends", with_lines("").replace('\n', "\r"), &[Code::FrontmatterMissing], 0);
}

#[test]
fn bytes_that_are_no_text() {
    check_bytes("NUL", with_lines("x: a\0b"), &[Code::ControlCharacter], 1);
    check_bytes("other controls", with_lines("x: \u{1}\u{7}\u{8}\u{b}\u{c}\u{1b}\u{1f}"), &[Code::ControlCharacter], 1);
    check_bytes("200 000 NULs", with_lines(&"\0".repeat(200_000)), &[Code::ControlCharacter], 1);
    check_bytes("not UTF-8 at the start", b"\xff---\nname: tea\n".to_vec(), &[Code::NotUtf8], 0);
    check_bytes(
        "not UTF-8 in the frontmatter",
        b"---\nname: t\xffea\ndescription: x\n---\n".to_vec(),
        &[Code::NotUtf8],
        0,
    );
    let cut = |at: usize, tail: &[u8]| {
        let mut bytes = format!("---\nname: tea\n# {}", "x".repeat(at - 16)).into_bytes();
        bytes.extend(tail);
        bytes.extend("\ndescription: y\n---\nBody.\n".bytes());
        bytes
    };
    check_bytes("a character over the head's end", cut(4_095, "é".as_bytes()), &[], 1);
    check_bytes("half a character at the head's end", cut(4_095, b"\xc3"), &[Code::NotUtf8], 0);
    check_bytes("no character at the head's end", cut(4_094, b"\xf0\x9f\xff"), &[Code::NotUtf8], 0);
    let utf16 = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        format!("\u{feff}{}", with_lines("")).encode_utf16().flat_map(order).collect()
    };
    check_bytes("UTF-16, little end first", utf16(u16::to_le_bytes), &[Code::NotUtf8], 0);
    check_bytes("UTF-16, big end first", utf16(u16::to_be_bytes), &[Code::NotUtf8], 0);
}

#[test]
fn a_body_that_is_no_text() {
    in_time("not UTF-8 behind the head", || {
        let mut bytes = with_lines("").into_bytes();
        bytes.extend(b"x".repeat(5_000));
        bytes.extend(b"\xff");
        on_both(&Tree::default().with(FILE, bytes), "agentskills", |world, catalog| {
            let [skill] = catalog.skills() else { panic!("discovery judges the head alone (rule 4.3)") };
            let error = load(world, catalog, skill, &LoadRequest::new(Caller::Model)).expect_err("no text");
            assert_eq!(error.code(), "gone");
            let findings = check(world, catalog.dialect(), &[], &CheckRequest::default()).expect("the source is there");
            assert!(findings.iter().any(|finding| finding.code == Code::NotUtf8));
        });
    });
}

#[test]
fn tags_of_a_long_prefix() {
    let tags = |prefix: usize, tags: usize| {
        let (prefix, tags) = ("p".repeat(prefix), "!a x, ".repeat(tags));
        fenced(&format!("%TAG ! tag:{prefix}\n--- {{name: tea, description: x, t: [{tags}]}}"))
    };
    check_bytes("20 000 tags of 120 kB", tags(120_000, 20_000), &[Code::Yaml], 0);
    check_bytes("40 000 tags of 200 bytes", tags(200, 40_000), &[], 1);
}

#[test]
fn knowledge_that_leads_outside_or_is_endless() {
    in_time("10 000 knowledge files", || {
        let mut list = String::from("knowledge:\n");
        for n in 0..2_500 {
            list.push_str(&format!("  - ../../etc/passwd\n  - /etc/passwd\n  - \"a\\0b{n}\"\n  - none{n}.md\n"));
        }
        let tree = Tree::default().with(FILE, with_lines(&list)).with_dir("/project/.sven/knowledge");
        on_both(&tree, "sven", |world, catalog| {
            let loaded =
                load(world, catalog, &catalog.skills()[0], &LoadRequest::new(Caller::User)).expect("it is there");
            let missing = loaded.findings.iter().filter(|finding| finding.code == Code::KnowledgeMissing).count();
            assert_eq!(missing, 10_000, "one finding a file");
            assert!(!loaded.text.contains("passwd"), "{}", loaded.text);
        });
    });
    in_time("a name of 125 kB beside many short ones", || {
        let far = format!("{}tea.md", "a/../".repeat(25_000));
        let text = with_lines(&format!("knowledge: [{far}{}]", ", tea.md".repeat(10_000)));
        let tree =
            Tree::default().with(FILE, text).with("/project/.sven/knowledge/tea.md", "---\nsubsystem: Tea\n---\n");
        on_both(&tree, "sven", |world, catalog| {
            let loaded =
                load(world, catalog, &catalog.skills()[0], &LoadRequest::new(Caller::User)).expect("it is there");
            assert_eq!(loaded.text.matches("  - .sven/knowledge/tea.md (Tea)\n").count(), 1, "{}", loaded.text);
            assert!(loaded.text.len() < 1_000, "{}", loaded.text);
        });
    });
}

/// What checks look for in a body: references, encoded data, text behind blanks.
#[test]
fn bodies_that_are_searched() {
    const LENGTH: usize = 250_000;
    let filled = |part: &str| part.repeat(LENGTH / part.len());
    let runs: String = (1..700).map(|length| "`".repeat(length) + " ").collect();
    let missing: String = (0..9_000).map(|n| format!("[a](references/{n}.md)\n")).collect();
    let bodies = [
        ("links without an end", filled("[](")),
        ("targets without an end", filled("[](<")),
        ("links in links", filled("](") + &filled(")")),
        ("definitions", filled("[a]: ")),
        ("comments", filled("<!-- -")),
        ("backticks", runs),
        ("escapes", filled("\\x4")),
        ("encoded words", filled("Ab3 ")),
        ("one encoded word", filled("Ab3")),
        ("blanks", filled(" \n")),
        ("missing files", missing),
        ("paths", filled("`a/b.c` ")),
    ];
    for (case, body) in bodies {
        check_bytes(case, fenced("name: tea\ndescription: Makes tea.") + &body[..body.len().min(LENGTH)], &[], 1);
    }
}
