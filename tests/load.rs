//! What loading a skill gives: topics 7, 9, 12, 16 and 18 of the rules, to the byte. In memory and on the disk.

use crate::common;
#[path = "load/frames.rs"]
mod frames;

use common::ground::{Ground, briefs, ground, table};
use common::{Machine, path};
use pretty_assertions::assert_eq;
use skilltree::{Caller, LoadRequest, Loaded, MemFs, Places, World, discover, load};

#[track_caller]
fn loaded(case: &str, dialect: &str, ground: &Ground, key: &str, caller: Caller) -> Result<Loaded, String> {
    ground.of(case, dialect, |world, catalog| {
        let skill = catalog.get(key).expect("the skill is there");
        load(world, catalog, skill, &LoadRequest::new(caller)).map_err(|error| format!("{}: {error}", error.code()))
    })
}

#[track_caller]
fn text(case: &str, dialect: &str, tree: &str, key: &str, expect: &str) -> Loaded {
    let got = loaded(case, dialect, &ground(tree), key, Caller::Model).expect(case);
    assert_eq!(got.text, expect, "{case}");
    got
}

const SVEN: &str = "
//- /p/.sven/skills/sven/SKILL.md
---
name: Sven \"A & B\" <x>
description: D
---


# Methodology

Do & <see>.


//- /p/.sven/skills/sven/scripts/b.sh
//- /p/.sven/skills/sven/a.md
//- /p/.sven/skills/sven/plan/SKILL.md
---
name: Plan & \"go\"
description: |
  Planning <phase>.
  More of it.
---
//- /p/.sven/skills/sven/plan/own.md
//- /p/.sven/skills/sven/deep/er/SKILL.md
---
description: Deeper.
---
//- /p/.sven/skills/sven/hidden/SKILL.md
---
description: Hidden.
sven: {user_invocable_only: true}
---
";

#[test]
fn sven() {
    let whole = "<skill_content command=\"sven\" name=\"Sven &quot;A &amp; B&quot; &lt;x&gt;\">\n\
        # Skill: Sven \"A & B\" &lt;x&gt;\n\n\
        # Methodology\n\nDo & <see>.\n\n\
        Base directory: /p/.sven/skills/sven\n\
        Relative paths in this skill (scripts/, references/, assets/) are relative to this base directory.\n\n\
        <skill_files>\n<file>/p/.sven/skills/sven/a.md</file>\n<file>/p/.sven/skills/sven/scripts/b.sh</file>\n</skill_files>\n\n\
        <sub_skills>\n<!-- Call load_skill(command) to load any sub-skill's full instructions. -->\n  \
        <sub_skill command=\"sven/plan\" name=\"Plan &amp; &quot;go&quot;\">Planning &lt;phase&gt;.</sub_skill>\n\
        </sub_skills>\n</skill_content>";
    let got = text("rule 12.4: the whole", "sven", SVEN, "sven", whole);
    assert_eq!(got.children, ["sven/plan"], "rules 8.7 and 9.2: only direct children that are not hidden");
    assert_eq!(got.body, "# Methodology\n\nDo & <see>.");
    assert_eq!((got.dir, got.tools, got.is_already_loaded), (path("/p/.sven/skills/sven"), None, false));
    let user =
        loaded("rule 9.1: the user sees all", "sven", &ground(SVEN), "sven", Caller::User).expect("for the user");
    assert_eq!(user.children, ["sven/hidden", "sven/plan"], "rule 9.2: the user sees all");
    let plain = "<skill_content command=\"a\" name=\"a\">\n# Skill: a\n\nB\n\nBase directory: /p/.sven/skills/a\n\
        Relative paths in this skill (scripts/, references/, assets/) are relative to this base directory.\n</skill_content>";
    text(
        "rule 12.4: nothing but a body",
        "sven",
        "//- /p/.sven/skills/a/SKILL.md\n---\ndescription: D\n---\nB\n",
        "a",
        plain,
    );
    text("rule 4.2: CRLF", "sven", "//- /p/.sven/skills/a/SKILL.md crlf\n---\ndescription: D\n---\n\nB\n", "a", plain);
    let hidden = loaded("rule 9.1: hidden", "sven", &ground(SVEN), "sven/hidden", Caller::Model);
    assert_eq!(
        hidden,
        Err("not-for-model: the skill `sven/hidden` is hidden from the model".into()),
        "rule 9.1: hidden"
    );
}

#[test]
fn agentskills() {
    let tree = "
//- /p/.agents/skills/pdf/SKILL.md
---
name: pdf
description: D
---

  # PDF
B & <c>

//- /p/.agents/skills/pdf/scripts/x & y.py
//- /p/.agents/skills/pdf/LICENSE
//- /p/.agents/skills/pdf/sub/SKILL.md
---
name: sub
description: D
---
//- /p/.agents/skills/pdf/sub/own.md
";
    let whole = "<skill_content name=\"pdf\">\n# PDF\nB & <c>\n\n\
        Skill directory: /p/.agents/skills/pdf\n\
        Relative paths in this skill are relative to the skill directory.\n\n\
        <skill_resources>\n  <file>LICENSE</file>\n  <file>scripts/x &amp; y.py</file>\n</skill_resources>\n</skill_content>";
    let got = text("rule 12.3: the client guide's shape", "agentskills", tree, "pdf", whole);
    assert_eq!(got.children, ["sub"], "rule 8.7: children are in the data alone");
    assert_eq!(got.files, [path("/p/.agents/skills/pdf/LICENSE"), path("/p/.agents/skills/pdf/scripts/x & y.py")]);
    let bare = "<skill_content name=\"a\">\nSkill directory: /p/.agents/skills/a\n\
        Relative paths in this skill are relative to the skill directory.\n</skill_content>";
    text(
        "rule 12.3: nothing at all",
        "agentskills",
        "//- /p/.agents/skills/a/SKILL.md\n---\nname: a\ndescription: D\n---\n",
        "a",
        bare,
    );
}

/// The listing, and how many files there are.
#[track_caller]
fn files(case: &str, tree: &str, expect: &[&str], count: usize) {
    let tree = format!("//- /p/.agents/skills/a/SKILL.md\n---\nname: a\ndescription: D\n---\n{tree}");
    let got = loaded(case, "agentskills", &ground(&tree), "a", Caller::Model).expect(case);
    let rows: Vec<&str> = got.text.lines().filter(|line| line.starts_with("  ")).collect();
    assert_eq!((rows, got.files.len()), (expect.to_vec(), count), "{case}");
}

#[test]
fn listings() {
    let many = |n: usize| (0..n).map(|n| format!("//- /p/.agents/skills/a/f{n:02}\n")).collect::<String>();
    let row = |n: usize| format!("  <file>f{n:02}</file>");
    let rows: Vec<String> = (0..20).map(row).collect();
    let mut twenty: Vec<&str> = rows.iter().map(String::as_str).collect();
    files("rule 18.4: twenty", &many(20), &twenty, 20);
    twenty.push("  … and 1 more");
    files("rule 18.4: a last line for the rest", &many(21), &twenty, 21);
    twenty[20] = "  … and 15 more";
    files("rule 18.4: a last line for the rest, many", &many(35), &twenty, 35);
    let at = "//- /p/.agents/skills/a";
    files("rule 12.3: nothing", "", &[], 0);
    files(
        "rule 18.4: sorted by bytes, hidden ones too",
        &format!("{at}/b/x\n{at}/.z\n{at}/B\n{at}/b-c\n"),
        &["  <file>.z</file>", "  <file>B</file>", "  <file>b-c</file>", "  <file>b/x</file>"],
        4,
    );
    files(
        "rule 18.3: what belongs to a nested skill",
        &format!("{at}/x/y/SKILL.md\n---\nname: y\ndescription: D\n---\n{at}/x/y/in\n{at}/x/y/z/in\n{at}/x/out\n"),
        &["  <file>x/out</file>"],
        1,
    );
    files("rule 18.3: a nested one that is no skill", &format!("{at}/x/SKILL.md\nno\n{at}/x/in\n"), &[], 0);
    files("rule 18.3: a nested one in another letter case", &format!("{at}/x/skill.md\nno\n{at}/x/in\n"), &[], 0);
    files(
        "rule 18.2: a link that stays inside",
        &format!("{at}/f\n{at}/l link=f\n"),
        &["  <file>f</file>", "  <file>l</file>"],
        2,
    );
    files(
        "rule 18.2: a link that leaves",
        &format!("//- /etc/secret\n{at}/l link=/etc/secret\n{at}/m link=../b\n//- /p/.agents/skills/b\n"),
        &[],
        0,
    );
    files(
        "rule 18.3: a link into a nested skill",
        &format!(
            "{at}/x/SKILL.md\n---\nname: x\ndescription: D\n---\n{at}/x/in\n{at}/l link=x/SKILL.md\n{at}/m link=x/in\n"
        ),
        &[],
        0,
    );
    files("rule 18.2: a folder that leaves", &format!("//- /etc/secret\n{at}/l link=/etc\n"), &[], 0);
    files("rule 18.2: a link to its own SKILL.md", &format!("{at}/l link=SKILL.md\n"), &["  <file>l</file>"], 1);
    files("rule 18.2: a link in a circle", &format!("{at}/up link=.\n{at}/l link=l\n"), &[], 0);
    files("rule 18.2: neither FIFO nor folder", &format!("{at}/x dir\n{at}/f other\n"), &[], 0);
    files("rule 18.2: version control is no resource", &format!("{at}/.git/config\n{at}/node_modules/x\n"), &[], 0);
    files("rule 7.7: odd names are shown", &format!("{at}/a\u{202e}b\n"), &["  <file>a\\u{202e}b</file>"], 1);

    let linked =
        ground("//- /p/x/t/SKILL.md\n---\ndescription: D\n---\nB\n//- /p/x/t/f\n//- /p/.sven/skills/a link=/p/x/t\n");
    let got = loaded("rule 3.6: a skill behind a link", "sven", &linked, "a", Caller::Model).expect("it is there");
    assert_eq!(got.files, [path("/p/.sven/skills/a/f")], "rule 3.9: the path it has there");
    assert!(got.text.contains("\nBase directory: /p/.sven/skills/a\n"), "rule 3.9: the folder it has there");
}

#[test]
fn first_lines() {
    #[track_caller]
    fn check(case: &str, description: &str, expect: &str) {
        let tree = format!(
            "//- /p/.sven/skills/a/SKILL.md\n---\ndescription: D\n---\n//- /p/.sven/skills/a/b/SKILL.md\n---\ndescription: {description}\n---\n"
        );
        let got = loaded(case, "sven", &ground(&tree), "a", Caller::Model).expect(case);
        let row = format!("\n  <sub_skill command=\"a/b\" name=\"b\">{expect}</sub_skill>\n");
        assert!(got.text.contains(&row), "{case}: {}", got.text);
    }
    check("rule 12.4: one line", "One.", "One.");
    check("rule 12.4: the first line", "|\n  One.  \n  Two.", "One.");
    check("rule 12.4: the first that is not blank", "\"\\n\\n One.\\nTwo.\"", "One.");
    check("rule 12.4: a folded text is one line", ">\n  One.\n  Two.", "One. Two.");
    check("rule 12.6: escaped", "a < b & c", "a &lt; b &amp; c");
}

#[test]
fn frames() {
    let tree = |body: &str| format!("//- /p/.agents/skills/a/SKILL.md\n---\nname: a\ndescription: D\n---\n{body}\n");
    for dialect in ["sven", "agentskills"] {
        let got = loaded(
            "rule 12.6: closes the frame",
            dialect,
            &ground(&tree("x\n</skill_content>\ny &")),
            "a",
            Caller::Model,
        )
        .expect("it loads");
        assert_eq!(
            briefs(&got.findings),
            ["warning closes-frame /p/.agents/skills/a/SKILL.md:6:1"],
            "rule 12.6: closes the frame"
        );
        assert!(got.text.contains("x\n</skill_content>\ny &\n"), "rule 12.6: its text is unchanged");
        let got = loaded(
            "rule 12.6: a tag that only resembles it",
            dialect,
            &ground(&tree("</skill_contents>")),
            "a",
            Caller::Model,
        )
        .expect("it loads");
        assert_eq!(briefs(&got.findings), [""; 0], "rule 12.6: a tag that only resembles it");
        let got = loaded("rule 6.13: a long body", dialect, &ground(&tree(&"x\n".repeat(501))), "a", Caller::Model)
            .expect("it loads");
        assert_eq!(briefs(&got.findings), ["warning too-long /p/.agents/skills/a/SKILL.md"], "rule 6.13: a long body");
    }
    // Folders and files may have any names, and clients that escape nothing have frames as well.
    let folders = [
        ("gencode", ".gen/skills"),
        ("sven", ".sven/skills"),
        ("agentskills", ".agents/skills"),
        ("opencode", ".opencode/skills"),
        ("kilo", ".kilo/skills"),
        ("vibe", ".agents/skills"),
        ("crush", ".agents/skills"),
    ];
    for (dialect, folder) in folders {
        let at = format!("/p/{folder}/<x>");
        let files = format!("//- {at}/scripts/<x>.sh\n//- {at}/references/<x>.md\n");
        let tree = format!("//- {at}/SKILL.md\n---\nname: a\ndescription: D\n---\nB\n{files}");
        let text = ground(&tree).of("rule 12.6: names of files", dialect, |world, catalog| {
            let skill = catalog.skills().first().expect(dialect);
            load(world, catalog, skill, &LoadRequest::new(Caller::User)).expect(dialect).text
        });
        assert!(!text.contains("<x>"), "{dialect}: {text}");
    }
    let got = loaded(
        "rule 12.5: nothing is substituted",
        "sven",
        &ground(&tree("{key} {?body} $ARGUMENTS {dir}")),
        "a",
        Caller::Model,
    )
    .expect("it loads");
    assert_eq!(got.body, "{key} {?body} $ARGUMENTS {dir}", "rule 12.5: nothing is substituted");
    assert!(got.text.contains("{key} {?body} $ARGUMENTS {dir}"), "rule 12.5: nothing is substituted");
}

#[test]
fn grants() {
    #[track_caller]
    fn check(case: &str, dialect: &str, at: &str, tools: &str, trust: bool, expect: (Option<&[&str]>, &[&str])) {
        let tree = format!("//- {at}/a/SKILL.md\n---\nname: a\ndescription: D\n{tools}\n---\nB\n");
        let tools_declared = tools.starts_with("allowed-tools");
        let mut ground = ground(&tree).roots(&["/r"]);
        ground.host = Machine { trust, ..Machine::default() };
        let (declared, got) = ground.of(case, dialect, |world, catalog| {
            let skill = catalog.get("a").expect("the skill is there");
            let got = load(world, catalog, skill, &LoadRequest::new(Caller::Model)).expect("it loads");
            (skill.frontmatter.allowed_tools.clone(), (got.tools, got.findings))
        });
        let found: Vec<_> = got.1.iter().map(|finding| finding.code.as_str()).collect();
        let tools: Option<Vec<&str>> = got.0.as_ref().map(|tools| tools.iter().map(String::as_str).collect());
        assert_eq!((tools, found), (expect.0.map(<[_]>::to_vec), expect.1.to_vec()), "{case}");
        let kept = tools_declared.then(|| vec!["Bash(git add *)".to_owned(), "Read".to_owned()]);
        assert_eq!(declared, kept, "{case}: 21 a skill keeps what it declares");
    }
    let (project, home) = ("/p/.agents/skills", "/h/.agents/skills");
    let two = "allowed-tools: Bash(git add *) Read";
    let both: &[&str] = &["Bash(git add *)", "Read"];
    check("rule 16.2: a project that is trusted", "agentskills", project, two, true, (Some(both), &[]));
    check("rule 16.2: a project that is not", "agentskills", project, two, false, (Some(&[]), &["untrusted-grant"]));
    check("rule 16.2: home is trusted", "agentskills", home, two, false, (Some(both), &[]));
    check("rule 16.2: --root is trusted", "agentskills", "/r", two, false, (Some(both), &[]));
    check("rule 16.2: nothing declared", "agentskills", project, "x: y", false, (None, &[]));
    check("rule 16.1: sven keeps it as data", "sven", project, two, false, (None, &[]));
}

/// A list without tools, and what is no list, let no tool be used where the field restricts.
#[test]
fn no_tools() {
    for (value, expect) in
        [("[]", Some(0)), ("{Read: x}", Some(0)), ("\",\"", Some(0)), ("''", None), ("Read", Some(1))]
    {
        let skill = format!("---\nname: a\ndescription: D\nallowed-tools: {value}\n---\nB\n");
        let tree = format!("//- /p/data/skills/a/SKILL.md\n{skill}//- /h/.gen/skills/a/SKILL.md\n{skill}");
        for dialect in ["pegasus", "gencode"] {
            let got = loaded(value, dialect, &ground(&tree), "a", Caller::User).expect("it loads");
            assert_eq!(got.tools.map(|tools| tools.len()), expect, "rule 16.1: {dialect}: {value}");
        }
    }
}

#[test]
fn already() {
    for (dialect, ok) in [("sven", "a/b"), ("agentskills", "b")] {
        let tree = "//- /p/.agents/skills/a/b/SKILL.md\n---\nname: b\ndescription: D\n---\nBODY\n";
        let got = ground(tree).of("rule 12.8: already", dialect, |world, catalog| {
            let skill = catalog.get(ok).expect("the skill is there");
            let mut ask = LoadRequest::new(Caller::Model);
            ask.already_loaded = vec!["x".into(), ok.into()];
            load(world, catalog, skill, &ask).expect("it loads")
        });
        assert!(
            got.is_already_loaded && got.text.contains(&format!("`{ok}`")) && !got.text.contains("BODY"),
            "rule 12.8: already: {}",
            got.text
        );
        assert!(got.text.lines().count() == 1 && got.body.is_empty(), "rule 12.8: a short note: {}", got.text);
    }
}

#[test]
fn already_in_both_spellings() {
    let tree = "//- /p/.sven/skills/a\u{202e}b/SKILL.md\n---\ndescription: D\n---\nBODY\n";
    for spelled in ["a\u{202e}b", "a\\u{202e}b"] {
        let got = ground(tree).of("rule 7.7: both spellings", "sven", |world, catalog| {
            let mut ask = LoadRequest::new(Caller::Model);
            ask.already_loaded = vec![spelled.into()];
            load(world, catalog, &catalog.skills()[0], &ask).expect("it loads").is_already_loaded
        });
        assert!(got, "rule 7.7: both spellings: {spelled:?}");
    }
    let tree = "//- /p/.claude/skills/tea/SKILL.md\n---\ndescription: D\n---\nBODY\n";
    for (spelled, expect) in [("TEA", true), ("te", false)] {
        let got = ground(tree).of("rule 7.9: any letter case", "claude", |world, catalog| {
            let mut ask = LoadRequest::new(Caller::Model);
            ask.already_loaded = vec![spelled.into()];
            load(world, catalog, &catalog.skills()[0], &ask).expect("it loads").is_already_loaded
        });
        assert_eq!(got, expect, "rule 7.9: any letter case: {spelled:?}");
    }
}

#[test]
fn read_again() {
    let text = |fields: &str, body: &str| format!("---\nname: a\n{fields}\n---\n{body}");
    let mut fs = MemFs::new();
    let file = "/p/.agents/skills/a/SKILL.md";
    fs.file(file, text("description: D\nallowed-tools: Read", "old"));
    let places = Places { project: Some(path("/p")), ..Places::default() };
    let host = Machine { trust: true, ..Machine::default() };
    let catalog = discover(&World::new(&fs, &places, &host), &table("agentskills"));
    let again = |fs: &MemFs| {
        let world = World::new(fs, &places, &host);
        let skill = catalog.get("a").expect("the catalog is immutable");
        load(&world, &catalog, skill, &LoadRequest::new(Caller::Model))
            .map_err(|error| format!("{}: {error}", error.code()))
    };
    fs.file(file, text("description: D\nallowed-tools: Read, Grep", "new"));
    let got = again(&fs).expect("it loads");
    assert_eq!(got.body, "new", "rule 12.1: an edit is seen");
    assert_eq!(got.tools, Some(vec!["Read".to_owned(), "Grep".to_owned()]), "rule 12.1: an edit of the tools is seen");
    fs.file(file, text("description: D", "new"));
    assert_eq!(again(&fs).expect("it loads").tools, None, "rule 12.1: what is no longer asked for is not granted");
    fs.file(file, text("x: y", "new"));
    let gone = "gone: the skill `a` can no longer be loaded: /p/.agents/skills/a/SKILL.md";
    assert!(again(&fs).expect_err("lost").starts_with(gone), "rule 12.1: no skill any more");
    fs.file(file, "---\nname: a\n");
    assert!(
        again(&fs).expect_err("lost").contains("frontmatter-unclosed"),
        "rule 12.1: it no longer parses, and says why"
    );
    fs.sparse(file, 16_777_217);
    assert!(again(&fs).expect_err("lost").contains("too-large"), "rule 12.1: it has grown too large");
    fs.remove(file);
    assert!(again(&fs).expect_err("lost").starts_with("gone: "), "rule 12.1: it has gone");
}

#[test]
fn names_and_pointers_are_read_again() {
    let mut fs = MemFs::new();
    let file = "/p/.sven/skills/a/SKILL.md";
    fs.file(file, "---\ndescription: D\nname: Old\n---\n").file("/p/.sven/knowledge/k.md", "---\nsubsystem: K\n---\n");
    let places = Places { project: Some(path("/p")), ..Places::default() };
    let catalog = discover(&World::new(&fs, &places, &()), &table("sven"));
    fs.file(file, "---\ndescription: D\nname: New\nknowledge: k.md\n---\n");
    let skill = catalog.get("a").expect("the catalog is immutable");
    let got =
        load(&World::new(&fs, &places, &()), &catalog, skill, &LoadRequest::new(Caller::Model)).expect("it loads");
    assert!(
        got.text.starts_with("<skill_content command=\"a\" name=\"New\">\n# Skill: New\n"),
        "rule 12.1: the name: {}",
        got.text
    );
    assert!(
        got.text.ends_with("  - .sven/knowledge/k.md (K)\n</skill_content>"),
        "rule 12.1: the pointers: {}",
        got.text
    );
}

#[test]
fn lines_outside_of_tags_are_not_escaped() {
    let text = |dir: &str| format!("//- /p/.sven/skills/{dir}/SKILL.md\n---\nname: Q&A\ndescription: D\n---\nB\n");
    let plain =
        loaded("rule 12.6: plain", "sven", &ground(&text("R&D")), "R&D", Caller::Model).expect("it is there").text;
    assert!(plain.contains("\n# Skill: Q&A\n") && plain.contains("\nBase directory: /p/.sven/skills/R&D\n"), "{plain}");
    assert!(plain.starts_with("<skill_content command=\"R&amp;D\" name=\"Q&amp;A\">\n"), "{plain}");
    // Two folders whose names give the closing tag with the slash between them.
    let dir = "x</skill_content>";
    let closing =
        loaded("rule 12.6: closing", "sven", &ground(&text(dir)), dir, Caller::Model).expect("it is there").text;
    assert_eq!(closing.matches("</skill_content>").count(), 1, "{closing}");
    let agentskills = text("R&D").replace(".sven", ".agents");
    let other = loaded("24", "agentskills", &ground(&agentskills), "Q&A", Caller::Model).expect("it is there").text;
    assert!(other.contains("\nSkill directory: /p/.agents/skills/R&D\n"), "{other}");
}
