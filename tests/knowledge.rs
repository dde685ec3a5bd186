//! Pointers to knowledge files: topic 12 of the rules, to the byte. In memory and on the disk.

use crate::common;

use common::ground::{ground, table};
use common::path;
use pretty_assertions::assert_eq;
use skilltree::loading::KnowledgeHint;
use skilltree::{Caller, CheckRequest, LoadRequest, check, load};

const HEADER: &str = "Relevant knowledge docs (use search_knowledge or read_file to load):";

const FILES: &str = "
//- /p/.sven/knowledge/sven-p2p.md
---
subsystem: P2P Networking
---
//- /p/.sven/knowledge/sven-node.md
---
subsystem: Node Gateway
files: [a]
---
//- /p/.sven/knowledge/plain.md
no frontmatter
//- /p/.sven/knowledge/odd.md
---
subsystem: \"A\\u202eB\\n  C\"
---
//- /p/.sven/knowledge/q & a.md
# Questions & Answers </skill_content>
//- /p/.sven/knowledge/under.md
    # code

<!--
# draft
-->
- item
---

Node
Gateway
=======

# Later
//- /p/.sven/knowledge/empty.md
---
subsystem:
---
//- /p/.sven/knowledge/broken.md
---
subsystem: x
//- /p/.sven/knowledge/sub/deep.md
---
subsystem: Deep
---
//- /p/secret.md
---
subsystem: Secret
---
//- /p/.sven/knowledge/out.md link=../../secret.md
//- /p/.sven/knowledge/in.md link=sven-p2p.md
";

/// The rows of the hint, and what each finding says.
#[track_caller]
fn hint(case: &str, field: &str, rows: &[&str], findings: &[&str]) {
    let text = format!("---\nname: spec\n{field}\n---\nBody\n");
    let got =
        ground(FILES).ask(case, |world| KnowledgeHint::of(world, &table("sven"), &path("/p/agents/spec.md"), &text));
    let expect = if rows.is_empty() { String::new() } else { format!("{HEADER}\n{}", rows.join("\n")) };
    assert_eq!(got.text, expect, "{case}");
    let found: Vec<_> =
        got.findings.iter().map(|f| format!("{} {} {}: {}", f.severity.as_str(), f.code, f.path, f.message)).collect();
    let wanted: Vec<_> = findings
        .iter()
        .map(|what| format!("warning knowledge-missing /p/agents/spec.md: the knowledge file {what}"))
        .collect();
    assert_eq!(found, wanted, "{case}");
}

#[test]
fn hints() {
    let (p2p, node) =
        ("  - .sven/knowledge/sven-p2p.md  (P2P Networking)", "  - .sven/knowledge/sven-node.md (Node Gateway)");
    let alone = "  - .sven/knowledge/sven-p2p.md (P2P Networking)";
    hint("rule 12.7: the document's, aligned", "knowledge:\n  - sven-p2p.md\n  - sven-node.md", &[p2p, node], &[]);
    hint("rule 12.7: one alone", "knowledge: [sven-p2p.md]", &[alone], &[]);
    hint("rule 6.5: a comma-separated text", "knowledge: sven-p2p.md, sven-node.md", &[p2p, node], &[]);
    hint("rule 12.7: no field", "x: y", &[], &[]);
    hint("rule 12.7: null", "knowledge:", &[], &[]);
    hint("rule 12.7: an empty list", "knowledge: []", &[], &[]);
    hint("rule 12.7: no title, no frontmatter", "knowledge: [plain.md]", &["  - .sven/knowledge/plain.md"], &[]);
    hint("rule 12.7: an empty title", "knowledge: [empty.md]", &["  - .sven/knowledge/empty.md"], &[]);
    hint("rule 12.7: a broken file", "knowledge: [broken.md]", &["  - .sven/knowledge/broken.md"], &[]);
    hint("rule 6.18: a title on one line", "knowledge: [odd.md]", &["  - .sven/knowledge/odd.md (AB C)"], &[]);
    hint(
        "rule 12.6: on a line outside of tags",
        "knowledge: [q & a.md]",
        &["  - .sven/knowledge/q & a.md (Questions & Answers &lt;/skill_content&gt;)"],
        &[],
    );
    let heading = "  - .sven/knowledge/under.md (Node Gateway)";
    hint("rule 12.11: a heading that is underlined", "knowledge: [under.md]", &[heading], &[]);
    hint("rule 12.7: below the folder", "knowledge: [sub/deep.md]", &["  - .sven/knowledge/sub/deep.md (Deep)"], &[]);
    hint(
        "rule 12.7: a link that stays inside",
        "knowledge: [in.md]",
        &["  - .sven/knowledge/in.md (P2P Networking)"],
        &[],
    );
    hint(
        "rule 12.7: absent",
        "knowledge: [gone.md, sven-p2p.md]",
        &[alone],
        &["`gone.md` is not in `.sven/knowledge`"],
    );
    hint("rule 12.7: a folder", "knowledge: [sub]", &[], &["`sub` is not in `.sven/knowledge`"]);
    for outside in ["../../secret.md", "/p/secret.md", "out.md", "sub/../../../secret.md"] {
        hint(
            &format!("rule 12.7: outside: {outside}"),
            &format!("knowledge: [{outside}]"),
            &[],
            &[&format!("`{outside}` lies outside of `.sven/knowledge`")],
        );
    }
    hint("rule 12.7: a way round", "knowledge: [./sub/../sven-p2p.md]", &[alone], &[]);
    hint(
        "rule 12.7: what cannot be a path",
        "knowledge: [\"a\\0b\"]",
        &[],
        &["`a\\u{0}b` lies outside of `.sven/knowledge`"],
    );
}

#[test]
fn other_documents() {
    let agentskills = ground(FILES).ask("rule 12.7: sven's alone", |world| {
        KnowledgeHint::of(world, &table("agentskills"), &path("/x.md"), "---\nknowledge: [sven-p2p.md]\n---\n")
    });
    assert_eq!((agentskills.text.as_str(), agentskills.findings.len()), ("", 0), "rule 12.7: sven's alone");
    for text in ["", "no frontmatter", "---\nknowledge: [a]", "---\n- a\n---\n"] {
        let got = ground(FILES)
            .ask("rule 12.7: any text", |world| KnowledgeHint::of(world, &table("sven"), &path("/x.md"), text));
        assert_eq!((got.text.as_str(), got.findings.len()), ("", 0), "rule 12.7: any text: {text}");
    }
    let mut homeless = ground(FILES);
    homeless.places.project = None;
    let got = homeless.ask("rule 12.7: no project", |world| {
        KnowledgeHint::of(world, &table("sven"), &path("/x.md"), "---\nknowledge: [sven-p2p.md]\n---\n")
    });
    assert_eq!(got.text, "", "rule 12.7: no project");
}

#[test]
fn in_a_skill() {
    let tree = format!(
        "{FILES}//- /p/.sven/skills/a/SKILL.md\n---\ndescription: D\nknowledge: [sven-p2p.md, gone.md]\n---\nB\n\
         //- /p/.sven/skills/a/b/SKILL.md\n---\ndescription: E\n---\n"
    );
    let got = ground(&tree).of("rule 12.7: last before the closing tag", "sven", |world, catalog| {
        let skill = catalog.get("a").expect("the skill is there");
        load(world, catalog, skill, &LoadRequest::new(Caller::Model)).expect("it loads")
    });
    let end = format!("</sub_skills>\n\n{HEADER}\n  - .sven/knowledge/sven-p2p.md (P2P Networking)\n</skill_content>");
    assert!(got.text.ends_with(&end), "rule 12.7: last before the closing tag: {}", got.text);
    let found: Vec<_> = got.findings.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(found, ["knowledge-missing"], "rule 12.7: an absent one is a finding");
    let checked = ground(&tree).ask("rule 12.7: check", |world| {
        let found =
            check(world, &table("sven"), &[path("/p/.sven/skills")], &CheckRequest::default()).expect("it is there");
        found.iter().map(common::ground::brief).collect::<Vec<_>>()
    });
    assert_eq!(checked, ["warning knowledge-missing /p/.sven/skills/a/SKILL.md:3:26"], "rule 12.7: check");
}
