//! Files and frontmatter: topics 4 to 6 of the rules, and the fields of `agentskills` and `sven`.
//! Each case is one SKILL.md in a folder `tea`, in memory and on the disk.

use crate::common;
#[path = "manifest/faithful.rs"]
mod faithful;
#[path = "manifest/limits.rs"]
mod limits;
#[path = "manifest/mends.rs"]
mod mends;
#[path = "manifest/odd.rs"]
mod odd;
#[path = "manifest/values.rs"]
mod values;

use common::ground::{Ground, brief, briefs, on, skill, table};
use common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::model::Frontmatter;
use skilltree::{CheckRequest, Diagnostic, Requirement, check, discover};

const FILE: &str = "/p/.agents/skills/tea/SKILL.md";

fn tea(text: impl Into<Vec<u8>>) -> Ground {
    on(Tree::default().with(FILE, text))
}

/// `in use` or `lost`, then each finding as `severity code line:column`.
fn line(is_used: bool, findings: &[Diagnostic]) -> String {
    let found = findings.iter().map(|finding| brief(finding).replace(&format!(" {FILE}:"), " ").replace(FILE, "-"));
    let all: Vec<String> = [if is_used { "in use" } else { "lost" }.to_owned()].into_iter().chain(found).collect();
    all.join("; ")
}

#[track_caller]
fn read(dialect: &str, case: &str, text: impl Into<Vec<u8>>, expect: &str) {
    let told = tea(text).of(case, dialect, |_, catalog| line(!catalog.skills().is_empty(), catalog.findings()));
    assert_eq!(told, expect, "{case}");
}

#[track_caller]
fn checked(dialect: &str, case: &str, strict: bool, text: impl Into<Vec<u8>>, expect: &[&str]) {
    let told = tea(text).ask(case, |world| {
        let ask = CheckRequest { strict };
        let found = check(world, &table(dialect), &[path(FILE)], &ask).expect("the file is there");
        found.iter().map(|finding| brief(finding).replace(&format!(" {FILE}"), "")).collect::<Vec<_>>()
    });
    assert_eq!(told, expect, "{case}");
}

/// What the fields say.
#[track_caller]
fn says(dialect: &str, case: &str, fields: &str, what: fn(&Frontmatter) -> String, expect: &str) {
    let text = skill(&format!("description: D\n{fields}"), "");
    let told = tea(text).of(case, dialect, |_, catalog| {
        catalog
            .skills()
            .first()
            .map_or_else(|| format!("lost: {:?}", briefs(catalog.findings())), |s| what(&s.frontmatter))
    });
    assert_eq!(told, expect, "{case}");
}

#[track_caller]
fn body(case: &str, text: impl Into<Vec<u8>>, expect: &str) {
    let told = tea(text).of(case, "sven", |world, catalog| match catalog.skills().first() {
        Some(skill) => catalog.body(world, skill).unwrap_or_else(|error| error.to_string()),
        None => format!("lost: {:?}", briefs(catalog.findings())),
    });
    assert_eq!(told, expect, "{case}");
}

fn padded(bytes: usize) -> String {
    let head = skill("name: tea\ndescription: D", "");
    format!("{head}{}", "x".repeat(bytes - head.len()))
}

#[test]
fn bytes_and_text() {
    for dialect in ["sven", "agentskills"] {
        let read = |case: &str, text: &[u8], expect: &str| read(dialect, &format!("{case} ({dialect})"), text, expect);
        read("rule 4.2: not UTF-8", b"---\nname: tea\ndescription: caf\xe9\n---\n", "lost; error not-utf8 3:17");
        read("rule 4.2: UTF-16", b"\xff\xfe-\0-\0-\0", "lost; error not-utf8 1:1");
        for utf16 in [b"-\0-\0-\0\n\0", b"\0-\0-\0-\0\n"] {
            read("rule 4.2: UTF-16 without a mark", utf16, "lost; error not-utf8 1:1");
        }
        read("rule 4.3: not UTF-8 far below the head is the load's", &far(b"\xff"), "in use");
        read("rule 4.2: a BOM is dropped", b"\xef\xbb\xbf---\nname: tea\ndescription: D\n---\n", "in use");
        read("rule 4.2: CRLF", b"---\r\nname: tea\r\ndescription: D\r\n---\r\nB\r\n", "in use");
        read("rule 4.3: a character on the edge of the head", &on_the_edge(), "in use");
        read("rule 4.3: frontmatter longer than the head", &long_front(), "in use");
        read("rule 4.8: an empty file", b"", "lost; error frontmatter-missing 1:1");
    }
    for (dialect, file, most) in [
        ("sven", FILE, 262_144),
        ("claude", "/p/.claude/skills/tea/SKILL.md", 1_000_000),
        ("agentskills", FILE, 16_777_216),
    ] {
        let told = |bytes: usize| {
            let tree = Tree::default().with(file, padded(bytes));
            on(tree).of("rule 4.1", dialect, |_, catalog| line(!catalog.skills().is_empty(), catalog.findings()))
        };
        assert_eq!(told(most), "in use", "rule 4.1: exactly {most} bytes");
        assert!(told(most + 1).starts_with("lost; error too-large"), "rule 4.1: over {most} bytes");
    }
    let described = "---\nname: tea\n---\n\ndescription: D\n---\nB\n";
    let told = ["error description-missing", "warning frontmatter-fence:3:1"];
    checked("agentskills", "rule 4.6: fields behind the fence", false, described, &told);
    let blank = described.replace("D\n---", "D\n\n---");
    checked("agentskills", "rule 4.6: a blank line before the fence", false, blank, &told);
    let missing = ["error description-missing", "error name-missing"];
    let empty = |rest: &str| format!("---\n---\nname: tea\ndescription: D\n{rest}");
    let told = [missing[0], missing[1], "warning frontmatter-fence:2:1"];
    checked("agentskills", "rule 4.6: two fences at the start", false, empty("---\nB\n"), &told);
    checked("agentskills", "rule 4.6: a body that may be text", false, empty("\nSome text.\n---\n"), &missing);
    let foreign = |between: &str| format!("---\ntitle: T\n---\n{between}name: tea\ndescription: D\n---\nB\n");
    let two = [missing[0], missing[1], "warning frontmatter-fence:3:1"];
    for between in ["\n---\n", "---\n\n", "\n\n"] {
        checked("agentskills", "rule 4.6: fields of two blocks", false, foreign(between), &two);
        checked("claude", "rule 4.6: fields of two blocks", false, foreign(between), &two[2..]);
    }
    checked("claude", "rule 4.6: a rule in the body", false, foreign("\n---\n# T\n\n"), &[]);
    for dialect in ["agentskills", "codex"] {
        let front = |bytes: usize| {
            format!("---\nname: tea\ndescription: D\nx: {}\n---\n", "y".repeat(bytes - 37)) + &"B\n".repeat(9)
        };
        read(dialect, "rule 4.3: frontmatter of 262144 bytes", front(262_144), "in use");
        read(dialect, "rule 4.3: longer frontmatter", front(262_148), "lost; error frontmatter-unclosed 1:1");
        checked(dialect, "rule 4.3: judged alike by check", false, front(262_148), &["error frontmatter-unclosed:1:1"]);
    }
    checked("sven", "rule 4.3: check judges the whole", false, far(b"\xff"), &["error not-utf8:5005:1"]);
}

fn far(bytes: &[u8]) -> Vec<u8> {
    [skill("name: tea\ndescription: D", &"x\n".repeat(5000)).as_bytes(), bytes].concat()
}

fn on_the_edge() -> Vec<u8> {
    let head = skill("name: tea\ndescription: D", "");
    format!("{head}{}é\n", "x".repeat(4095 - head.len())).into_bytes()
}

fn long_front() -> Vec<u8> {
    skill(&format!("name: tea\nx: {}\ndescription: D", "y".repeat(9000)), "B").into_bytes()
}

#[test]
fn load_judges_the_whole() {
    #[track_caller]
    fn check(case: &str, text: Vec<u8>, code: &str, reason: &str) {
        let told = tea(text).of(case, "sven", |world, catalog| {
            let skill = catalog.skills().first().expect("discovery reads the head alone");
            catalog.body(world, skill).map_err(|error| (error.code().to_owned(), error.to_string()))
        });
        let (got, message) = told.expect_err(case);
        assert_eq!(got, code, "{case}");
        assert!(message.contains(reason), "{case}: {message}");
    }
    check("rule 12.1: not UTF-8 below the head", far(b"\xff"), "gone", "not-utf8");
}

#[test]
fn bodies() {
    body("rule 4.2: the body is delivered with LF", "---\r\ndescription: D\r\n---\r\n\r\na\r\nb\r\n", "a\nb");
    body("rule 4.2: a BOM is no part of it", "\u{feff}---\ndescription: D\n---\nB", "B");
    body("rule 4.6: `---` in the body is text", "---\ndescription: D\n---\na\n---\nb\n", "a\n---\nb");
    body("rule 4.6: end of file right after the fence", "---\ndescription: D\n---", "");
    body("rule 4.6: blanks after the closing fence", "---\ndescription: D\n--- \t\nB", "B");
    body("rule 4.6: `---extra` closes nothing", "---\ndescription: D\nx: |\n  a\n---extra: 1\n---\nB", "B");
    body("rule 4.6: longer dashes close where nothing else does", "---\ndescription: D\n-----\nB", "B");
    body("rule 12.4: only the end is trimmed", "---\ndescription: D\n---\n\n\n    code\n\n \n", "    code");
}

#[test]
fn fences() {
    let d = "name: tea\ndescription: D";
    let cases: &[(&str, String, &str)] = &[
        ("rule 4.5: blank lines before", format!("\n \n\t\n---\n{d}\n---\n"), "in use"),
        ("rule 4.5: blanks after the fence", format!("---  \t\n{d}\n---\n"), "in use"),
        ("rule 4.5: a blank before the fence", format!(" ---\n{d}\n---\n"), "lost; error frontmatter-missing 1:1"),
        ("rule 4.5: four dashes open nothing", format!("----\n{d}\n----\n"), "lost; error frontmatter-missing 1:1"),
        (
            "rule 4.5: a comment before",
            format!("<!-- a\n---\nb -->\n---\n{d}\n---\n"),
            "in use; warning frontmatter-not-first 4:1",
        ),
        (
            "rule 4.5: two comments before",
            format!("<!--a-->\n\n<!--b-->\n---\n{d}\n---\n"),
            "in use; warning frontmatter-not-first 4:1",
        ),
        ("rule 4.8: a comment without end", format!("<!-- a\n---\n{d}\n---\n"), "lost; error frontmatter-missing 1:1"),
        ("rule 4.7: no closing fence", format!("\n---\n{d}\n"), "lost; error frontmatter-unclosed 2:1"),
        (
            "rule 4.6: an indented fence closes nothing",
            format!("---\n{d}\n ---\n"),
            "lost; error frontmatter-unclosed 1:1",
        ),
        ("rule 4.6: `---` inside of a value", format!("---\n{d} --- e\nx: |\n  ---\n---\n"), "in use"),
        ("rule 4.6: more dashes close", format!("---\n{d}\n----- \nB\n"), "in use; warning frontmatter-fence 4:1"),
        (
            "rule 4.6: more dashes close only where nothing else does",
            format!("---\nx: |\n  a\n{d}\n---\n----\n"),
            "in use",
        ),
        ("rule 4.8: none at all", "# Tea\n\nBoil.\n".into(), "lost; error frontmatter-missing 1:1"),
        ("rule 6.10: no description", "---\nname: tea\n---\n".into(), "lost; error description-missing -"),
        ("rule 6.10: fences and nothing in between, sven", "---\n---\n".into(), "lost; error description-missing -"),
    ];
    for (case, text, expect) in cases {
        read("sven", case, text.as_str(), expect);
    }
}

#[test]
fn the_block_of_sven() {
    let needs: fn(&Frontmatter) -> String = |m| {
        let name = |need: &Requirement| match need {
            Requirement::Bin(name) => format!("bin {name}"),
            Requirement::Env(name) => format!("env {name}"),
            other => format!("{other:?}"),
        };
        m.needs().requires.iter().map(name).collect::<Vec<_>>().join(",")
    };
    // What is required and not there loses the skill, so what is read shows by the finding.
    says("sven", "rule 6.11: no requirements", "sven: {requires_bins: [], requires_env: }", needs, "");
    says("sven", "rule 6.2: an empty block", "sven:", needs, "");
    read(
        "sven",
        "rule 6.4: the block as a text",
        skill("description: D\nsven: hello", ""),
        "in use; warning wrong-type 3:7",
    );
    read(
        "sven",
        "rule 6.11: unmet",
        skill("description: D\nsven:\n  requires_bins: docker", ""),
        "lost; warning unmet-requirement -",
    );
    read(
        "sven",
        "rule 6.8: a withdrawn field",
        skill("description: D\nsven:\n  skills:\n    - a", ""),
        "in use; warning removed-field 4:3",
    );
    says(
        "sven",
        "rule 6.7: a dotted key at the top is no block",
        "sven.always: true",
        |m| m.pinned.to_string(),
        "false",
    );
    let helped =
        tea(skill("description: D\nsven: {skills: [a]}", "")).of("rule 6.8: says what to do", "sven", |_, catalog| {
            catalog.findings().first().and_then(|finding| finding.help.clone()).unwrap_or_default()
        });
    assert!(helped.contains("folder"), "rule 6.8: a withdrawn field says what to do instead: {helped}");
}

#[test]
fn keys_once_and_unknown() {
    read(
        "sven",
        "rule 5.4: the first of two wins",
        skill("description: D\nname: a\nname: b", ""),
        "in use; warning duplicate-key 4:1",
    );
    says("sven", "rule 5.4: the first of two wins", "name: a\nname: b", |m| format!("{:?}", m.name), "Some(\"a\")");
    says(
        "sven",
        "rule 5.4: the first wins where it is empty too",
        "name:\nname: b",
        |m| format!("{:?}", m.name),
        "None",
    );
    read("agentskills", "rule 6.6: unknown keys are quiet", skill("name: tea\ndescription: D\nfoo: 1", ""), "in use");
    checked("agentskills", "rule 6.6: quiet under check", false, skill("name: tea\ndescription: D\nfoo: 1", ""), &[]);
    checked(
        "agentskills",
        "rule 6.6: told of under strict",
        true,
        skill("name: tea\ndescription: D\nfoo: 1", ""),
        &["warning unknown-field:4:1"],
    );
    let scripts = skill("name: tea\ndescription: D\nscripts: {a: b}", "");
    read("agentskills", "rule 6.6: scripts are no field of its table", scripts.clone(), "in use");
    checked("agentskills", "rule 6.6: scripts under strict", true, scripts.clone(), &["warning unknown-field:4:1"]);
    checked("agent-base", "rule 17.1: scripts that are no list", false, scripts, &["warning wrong-type:4:10"]);
    let scripts = skill("name: tea\ndescription: D\nscripts:\n  - run.py\n  - {name: x}", "");
    checked("agent-base", "rule 17.1: an item that is no name", false, scripts, &["warning wrong-type:6:5"]);
    checked(
        "sven",
        "rule 6.7: in the block under strict",
        true,
        skill("description: D\nsven:\n  foo: 1", ""),
        &["warning unknown-field:4:3"],
    );
    checked(
        "sven",
        "rule 6.1: common fields are known",
        true,
        skill(
            "description: D\nlicense: MIT\nmetadata: {a: b}\nallowed-tools: Read\nargument-hint: x\ncompatibility: y\nversion: 1.0.0",
            "",
        ),
        &[],
    );
}

#[test]
fn places_in_the_file() {
    read(
        "sven",
        "rule 4.10: columns are characters",
        "---\ndescription: D\nname: \"é\u{1f600}\u{200b}\"\n---\n",
        "in use; warning hidden-characters 3:7",
    );
    read(
        "sven",
        "rule 4.10: lines are the file's, CRLF",
        "\r\n---\r\ndescription: D\r\nversion: one\r\n---\r\n",
        "in use; error version-invalid 4:10",
    );
    read(
        "sven",
        "rule 4.10: after a BOM",
        "\u{feff}---\ndescription: D\nversion: one\n---\n",
        "in use; error version-invalid 3:10",
    );
    read(
        "sven",
        "rule 4.10: after a comment",
        "<!-- a\nb -->\n---\ndescription: D\nversion: one\n---\n",
        "in use; warning frontmatter-not-first 3:1; error version-invalid 5:10",
    );
    read(
        "sven",
        "rule 4.10: after a control",
        "---\ndescription: a\0b\nversion: x\0y\n---\n",
        "in use; warning control-character 2:15; error version-invalid 3:10",
    );
}

#[test]
fn requirements_are_asked_of_the_host() {
    #[track_caller]
    fn check(case: &str, bins: &[&str], envs: &[&str], expect: &str) {
        let mut ground =
            tea(skill("description: D\nsven:\n  requires_bins: [docker, git]\n  requires_env: [TOKEN]", ""));
        ground.host.bins = bins.iter().map(|bin| (*bin).to_owned()).collect();
        ground.host.envs = envs.iter().map(|env| (*env).to_owned()).collect();
        let told = ground.of(case, "sven", |_, catalog| line(!catalog.skills().is_empty(), catalog.findings()));
        assert_eq!(told, expect, "{case}");
    }
    let unmet = "lost; warning unmet-requirement -";
    check("rule 6.11: all there", &["docker", "git"], &["TOKEN"], "in use");
    check("rule 6.11: no program", &["git"], &["TOKEN"], unmet);
    check("rule 6.11: no variable", &["docker", "git"], &[], unmet);
    let told = tea(skill("description: D\nsven: {requires_bins: [docker]}", "")).ask(
        "rule 6.1: the dialect's own fields",
        |world| {
            let catalog = discover(world, &table("agentskills"));
            catalog.skills().len()
        },
    );
    assert_eq!(told, 1, "rule 6.11: only sven asks for programs");
}
