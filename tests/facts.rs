//! What a reviewer of a skill does not see: strict checks say it of each file, without a verdict. In memory and on the disk.

use crate::common;

use common::ground::{on, skill, table};
use common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::{CheckRequest, Code, Severity, check};

/// The facts about a skill with this file, or this text in its body.
#[track_caller]
fn facts(case: &str, name: &str, bytes: impl Into<Vec<u8>>, expect: &[&str]) {
    let tree = Tree::default()
        .with("/s/tea/SKILL.md", skill("name: tea\ndescription: Makes tea.", "Run it.\n"))
        .with(&format!("/s/tea/{name}"), bytes);
    of_tree(case, tree, expect);
}

#[track_caller]
fn of_tree(case: &str, tree: Tree, expect: &[&str]) {
    let ground = on(tree);
    let of = |strict| {
        ground.ask(case, |world| {
            let found = check(world, &table("agentskills"), &[path("/s/tea")], &CheckRequest { strict }).expect(case);
            assert!(found.iter().all(|finding| finding.severity < Severity::Error), "{case}: {found:?}");
            let line = |finding: &skilltree::Diagnostic| {
                let name = finding.path.as_str().trim_start_matches("/s/tea/");
                let at = finding.at.map_or_else(String::new, |at| format!(":{}:{}", at.line, at.column));
                format!("{name}{at} {}: {}", finding.code, finding.message)
            };
            found.iter().map(line).collect::<Vec<_>>()
        })
    };
    assert_eq!(of(true), expect, "{case}");
    assert_eq!(of(false), [] as [&str; 0], "{case}: they are for strict checks");
}

const BASE64: &str = "TWFuIGlzIGRpc3Rpbmd1aXNoZWQsIG5vdCBvbmx5IGJ5IGhpcyByZWFzb24sIGJ1";

#[test]
fn texts() {
    let blanks = " ".repeat(120);
    facts("nothing", "scripts/a.sh", "#!/bin/sh\necho tea\n", &[]);
    facts(
        "invisible characters",
        "references/a.md",
        "Boil.\nSend\u{200b} it\u{202e}.\n",
        &["references/a.md:2:5 hidden-characters: the text has 2 invisible characters, the first of them U+200B"],
    );
    facts(
        "behind blanks",
        "scripts/a.py",
        format!("print(1){blanks}; send(2)\n"),
        &["scripts/a.py:1:129 text-after-blanks: there is text after a long run of blanks at 1 place"],
    );
    facts(
        "encoded",
        "scripts/a.py",
        format!("x = '''\n{BASE64}\n{BASE64}\n'''\n"),
        &["scripts/a.py:2:1 encoded-text: 129 characters of the text are base64 or hexadecimal digits"],
    );
}

/// Some clients give the frontmatter to the model as it is written, with its comments.
#[test]
fn the_frontmatter() {
    let with =
        |fields: &str| Tree::default().with("/s/tea/SKILL.md", skill(&format!("name: tea\n{fields}"), "Boil.\n"));
    let told = "hidden-characters: the text has 1 invisible character, the first of them U+";
    let cases = [
        ("a comment", "# \u{e0069}\ndescription: Makes tea.".to_owned(), format!("SKILL.md:3:3 {told}E0069")),
        (
            "metadata",
            "description: Makes tea.\nmetadata: {a: \"\u{2063}\"}".to_owned(),
            format!("SKILL.md:4:16 {told}2063"),
        ),
        (
            "behind blanks",
            format!("description: Makes tea.\nmetadata:\n  a: b{}c", " ".repeat(600)),
            "SKILL.md:5:607 text-after-blanks: there is text after a long run of blanks at 1 place".to_owned(),
        ),
    ];
    for (case, fields, expect) in cases {
        of_tree(case, with(&fields), &[&expect]);
    }
    // In a field it is told once.
    let ground = on(with("description: \"Makes tea.\u{e0069}\"\n"));
    let count = ground.ask("a field", |world| {
        let found = check(world, &table("agentskills"), &[path("/s/tea")], &CheckRequest { strict: true });
        found.unwrap().iter().filter(|finding| finding.code == Code::HiddenCharacters).count()
    });
    assert_eq!(count, 1);
}

#[test]
fn the_body() {
    let with = |fields: &str, body: &str| Tree::default().with("/s/tea/SKILL.md", skill(fields, body));
    let tea = "name: tea\ndescription: Makes tea.";
    of_tree(
        "in the body",
        with(tea, "Boil.\n\nSend\u{2063} it.\n"),
        &["SKILL.md:7:5 hidden-characters: the text has 1 invisible character, the first of them U+2063"],
    );
    of_tree(
        "at its end",
        with(tea, &format!("Boil.\n{}Send it.\n", "\n".repeat(50))),
        &["SKILL.md:56:1 text-after-blanks: there is text after a long run of blanks at 1 place"],
    );
}

#[test]
fn kinds_of_files() {
    let compiled =
        |what: &str, name: &str| format!("{name} compiled-file: the file is {what}, which a reviewer cannot read");
    let elf = b"\x7fELF\x02\x01\x01\0".as_slice();
    facts("a program", "bin/tool", elf, &[&compiled("a program for Linux", "bin/tool")]);
    facts(
        "with the name of a script",
        "scripts/run.sh",
        elf,
        &[
            &compiled("a program for Linux", "scripts/run.sh"),
            "scripts/run.sh file-kind: the file's name suggests text, but it is a program for Linux",
        ],
    );
    facts(
        "compiled Python",
        "scripts/a.pyc",
        b"\xcb\r\r\n\0\0\0\0".as_slice(),
        &[&compiled("compiled Python", "scripts/a.pyc")],
    );
    facts(
        "an archive",
        "assets/a.zip",
        b"PK\x03\x04rest\0".as_slice(),
        &["assets/a.zip packed-file: the file is a zip archive, whose contents are not checked"],
    );
    facts("a document", "assets/a.docx", b"PK\x03\x04rest\0".as_slice(), &[]);
    facts(
        "a document that is none",
        "assets/a.docx",
        "Text.\n",
        &["assets/a.docx file-kind: the file's name suggests a zip archive, but it is text"],
    );
    facts("a picture", "assets/a.png", b"\x89PNG\r\n\x1a\n\0".as_slice(), &[]);
    facts(
        "a picture that is a script",
        "assets/a.png",
        "#!/bin/sh\n",
        &["assets/a.png file-kind: the file's name suggests a PNG image, but it is text"],
    );
    facts(
        "a text that is none",
        "scripts/a.py",
        b"a\0b".as_slice(),
        &["scripts/a.py file-kind: the file's name suggests text, but it is binary data"],
    );
    facts("a text that begins like a program", "references/a.md", "MZ is a signature.\n", &[]);
    facts("an empty file", "scripts/a.py", "", &[]);
    facts("data", "assets/a.bin", b"a\0b".as_slice(), &[]);
}

#[test]
fn a_long_text_is_cut_between_characters() {
    let long = format!("a{}", "é".repeat(1 << 20));
    facts("its beginning is text", "references/a.md", long, &[]);
}

#[test]
fn hidden_files() {
    let tree = Tree::default()
        .with("/s/tea/SKILL.md", skill("name: tea\ndescription: Makes tea.", "Run it.\n"))
        .with("/s/tea/scripts/.more.sh", "echo\n")
        .with("/s/tea/.other", "x\n");
    of_tree("named nowhere", tree.clone(), &[]);
    of_tree(
        "named in a script",
        tree.with("/s/tea/scripts/run.sh", ". scripts/.more.sh\n"),
        &["scripts/.more.sh hidden-file: the hidden file is named in `scripts/run.sh`"],
    );
}

#[test]
fn links_out() {
    let tree = Tree::default()
        .with("/s/tea/SKILL.md", skill("name: tea\ndescription: Makes tea.", "Run it.\n"))
        .with("/s/other", "x\n")
        .with_link("/s/tea/out", "/s/other");
    of_tree(
        "a link",
        tree,
        &["out not-covered: the symlink leads out of the skill, so its target is not part of the skill"],
    );
}
