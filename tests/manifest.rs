//! Files and frontmatter: decisions 1 to 8, and the fields of `agentskills` and `sven` (43, 44; document 000).
//! Each case is one SKILL.md in a folder `tea`, in memory and on the disk.

mod common;

use common::ground::{Ground, brief, briefs, on, skill, table};
use common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::{CheckAsk, Diagnostic, Meta, Requirement, Value, check, discover};

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
        let ask = CheckAsk { strict };
        let found = check(world, &table(dialect), &[path(FILE)], &ask).expect("the file is there");
        found.iter().map(|finding| brief(finding).replace(&format!(" {FILE}"), "")).collect::<Vec<_>>()
    });
    assert_eq!(told, expect, "{case}");
}

/// What the fields say.
#[track_caller]
fn says(dialect: &str, case: &str, fields: &str, what: fn(&Meta) -> String, expect: &str) {
    let text = skill(&format!("description: D\n{fields}"), "");
    let told = tea(text).of(case, dialect, |_, catalog| {
        catalog.skills().first().map_or_else(|| format!("lost: {:?}", briefs(catalog.findings())), |s| what(&s.meta))
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
        read("1 exactly 262144 bytes", padded(262_144).as_bytes(), "in use");
        read("1 over 262144 bytes", padded(262_145).as_bytes(), "lost; error too-large -");
        read("1 not UTF-8", b"---\nname: tea\ndescription: caf\xe9\n---\n", "lost; error not-utf8 3:17");
        read("1 UTF-16", b"\xff\xfe-\0-\0-\0", "lost; error not-utf8 1:1");
        read("1 not UTF-8 far below the head is the load's", &far(b"\xff"), "in use");
        read("1 a BOM is dropped", b"\xef\xbb\xbf---\nname: tea\ndescription: D\n---\n", "in use");
        read("1 CRLF", b"---\r\nname: tea\r\ndescription: D\r\n---\r\nB\r\n", "in use");
        read("1 a character on the edge of the head", &on_the_edge(), "in use");
        read("2 frontmatter longer than the head", &long_front(), "in use");
        read("2 an empty file", b"", "lost; error frontmatter-missing 1:1");
    }
    checked("sven", "1 check judges the whole", false, far(b"\xff"), &["error not-utf8:5005:1"]);
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
    check("26 not UTF-8 below the head", far(b"\xff"), "gone", "not-utf8");
}

#[test]
fn bodies() {
    body("1 the body is delivered with LF", "---\r\ndescription: D\r\n---\r\n\r\na\r\nb\r\n", "a\nb");
    body("1 a BOM is no part of it", "\u{feff}---\ndescription: D\n---\nB", "B");
    body("2 `---` in the body is text", "---\ndescription: D\n---\na\n---\nb\n", "a\n---\nb");
    body("2 end of file right after the fence", "---\ndescription: D\n---", "");
    body("2 blanks after the closing fence", "---\ndescription: D\n--- \t\nB", "B");
    body("2 `---extra` closes nothing", "---\ndescription: D\nx: |\n  a\n---extra: 1\n---\nB", "B");
    body("2 longer dashes close where nothing else does", "---\ndescription: D\n-----\nB", "B");
    body("27 only the end is trimmed", "---\ndescription: D\n---\n\n\n    code\n\n \n", "    code");
}

#[test]
fn fences() {
    let d = "name: tea\ndescription: D";
    let cases: &[(&str, String, &str)] = &[
        ("2 blank lines before", format!("\n \n\t\n---\n{d}\n---\n"), "in use"),
        ("2 blanks after the fence", format!("---  \t\n{d}\n---\n"), "in use"),
        ("2 a blank before the fence", format!(" ---\n{d}\n---\n"), "lost; error frontmatter-missing 1:1"),
        ("2 four dashes open nothing", format!("----\n{d}\n----\n"), "lost; error frontmatter-missing 1:1"),
        (
            "2 a comment before",
            format!("<!-- a\n---\nb -->\n---\n{d}\n---\n"),
            "in use; warning frontmatter-not-first 4:1",
        ),
        (
            "2 two comments before",
            format!("<!--a-->\n\n<!--b-->\n---\n{d}\n---\n"),
            "in use; warning frontmatter-not-first 4:1",
        ),
        ("2 a comment without end", format!("<!-- a\n---\n{d}\n---\n"), "lost; error frontmatter-missing 1:1"),
        ("2 no closing fence", format!("\n---\n{d}\n"), "lost; error frontmatter-unclosed 2:1"),
        ("2 an indented fence closes nothing", format!("---\n{d}\n ---\n"), "lost; error frontmatter-unclosed 1:1"),
        ("2 `---` inside of a value", format!("---\n{d} --- e\nx: |\n  ---\n---\n"), "in use"),
        ("2 more dashes close", format!("---\n{d}\n----- \nB\n"), "in use; warning frontmatter-fence 4:1"),
        ("2 more dashes close only where nothing else does", format!("---\nx: |\n  a\n{d}\n---\n----\n"), "in use"),
        ("2 none at all", "# Tea\n\nBoil.\n".into(), "lost; error frontmatter-missing 1:1"),
        ("8 no description", "---\nname: tea\n---\n".into(), "lost; error description-missing -"),
        ("8 fences and nothing in between, sven", "---\n---\n".into(), "lost; error description-missing -"),
    ];
    for (case, text, expect) in cases {
        read("sven", case, text.as_str(), expect);
    }
}

#[test]
fn hostile_yaml() {
    let deep = |open: &str, close: &str, n: usize| format!("{}{}", open.repeat(n), close.repeat(n));
    let front = |more: &str| skill(&format!("name: tea\ndescription: D\n{more}"), "");
    read("sven", "3 64 levels", front(&format!("x: {}", deep("[", "]", 63))), "in use");
    read("sven", "3 65 levels", front(&format!("x: {}", deep("[", "]", 70))), "in use; warning yaml-too-deep 4:67");
    read(
        "sven",
        "3 block nesting",
        front(&format!("x:\n  {}a", "- ".repeat(50_000))),
        "in use; warning yaml-too-deep 5:129",
    );
    read("sven", "3 an alias", front("x: &a [1]\ny: *a"), "in use; warning yaml-alias 5:4");
    read("sven", "3 an anchor alone", front("x: &a [1]"), "in use");
    read(
        "sven",
        "3 an alias as the description",
        skill("x: &a b\ndescription: *a", ""),
        "lost; error description-missing -; warning yaml-alias 3:14",
    );
    read("sven", "3 NUL", "---\ndescription: a\0b\n---\n", "in use; warning control-character 2:15");
    read("sven", "3 two controls", "---\ndescription: a\u{7}b\u{1}\n---\n", "in use; warning control-character 2:15");
    says("sven", "3 controls are dropped", "name: a\0b\u{1b}c", |m| format!("{:?}", m.name), "Some(\"abc\")");
}

#[test]
fn scalars_and_lists() {
    let name: fn(&Meta) -> String = |m| m.name.clone().unwrap_or_else(|| "-".into());
    let version: fn(&Meta) -> String = |m| m.version.clone().unwrap_or_else(|| "-".into());
    let tools: fn(&Meta) -> String = |m| m.allowed_tools.as_ref().map_or("-".into(), |tools| tools.join("|"));
    let hint: fn(&Meta) -> String = |m| m.argument_hint.clone().unwrap_or_else(|| "-".into());
    for dialect in ["sven", "agentskills"] {
        let says = |case: &str, fields: &str, what, expect: &str| says(dialect, case, fields, what, expect);
        says("4 1.10 is 1.10", "version: 1.10", version, "1.10");
        says("4 007 is 007", "name: 007", name, "007");
        says("4 true is text", "name: true", name, "true");
        says("4 0x10 is text", "name: 0x10", name, "0x10");
        says("4 null is absent", "name: null", name, "-");
        says("4 ~ is absent", "name: ~", name, "-");
        says("4 empty is absent", "name:", name, "-");
        says("4 quoted empty is absent", "name: ''", name, "-");
        says("4 blanks are absent", "name: '  '", name, "-");
        says("4 quoted null is text", "name: 'null'", name, "null");
        says("4 text is trimmed", "name: '  a  '", name, "a");
        says("4 a list where text is wanted", "argument-hint: [pr]", hint, "[pr]");
        says("4 a map where text is wanted", "name: {{NAME}}", name, "{{NAME}}");
        says("4 tools: a list", "allowed-tools: [Read, 'Bash(a b)']", tools, "Read|Bash(a b)");
        says("4 tools: a block list", "allowed-tools:\n  - Read\n  - Grep", tools, "Read|Grep");
        says("4 tools: commas", "allowed-tools: Read, Grep,Glob", tools, "Read|Grep|Glob");
        says("4 tools: blanks in parentheses", "allowed-tools: Bash(git add *) Read", tools, "Bash(git add *)|Read");
        says("4 tools: commas in parentheses", "allowed-tools: Bash(a, b), Read", tools, "Bash(a, b)|Read");
        says("4 tools: null", "allowed-tools:", tools, "-");
        says("4 tools: a null item", "allowed-tools: [Read, null, '']", tools, "Read");
        says("4 license", "license: MIT", |m| format!("{:?}", m.license), "Some(\"MIT\")");
        says(
            "4 compatibility",
            "compatibility: needs git",
            |m| format!("{:?}", m.compatibility),
            "Some(\"needs git\")",
        );
        says("4 metadata", "metadata:\n  author: me\n  v: 1.0", pairs, "author=me,v=1.0");
        says(
            "5 unknown keys are kept",
            "x-host: 1\nother: [a]",
            |m| m.other.iter().map(|(k, _)| k.clone()).collect::<Vec<_>>().join(","),
            "x-host,other",
        );
    }
    read(
        "sven",
        "4 a list where text is wanted is told of",
        skill("description: D\nargument-hint: [pr]", ""),
        "in use; warning wrong-type 3:16",
    );
    read(
        "sven",
        "4 a template is told of",
        skill("description: D\nname: {{NAME}}", ""),
        "in use; warning wrong-type 3:7",
    );
}

fn pairs(meta: &Meta) -> String {
    let text = |value: &Value| match value {
        Value::Text(text) => text.clone(),
        other => format!("{other:?}"),
    };
    meta.metadata.iter().map(|(key, node)| format!("{key}={}", text(&node.value))).collect::<Vec<_>>().join(",")
}

#[test]
fn flags() {
    let pinned: fn(&Meta) -> String = |m| m.pinned.to_string();
    for word in ["true", "True", "TRUE", "yes", "YES", "on", "On", "'true'", "\"yes\""] {
        says("sven", &format!("4 {word} is true"), &format!("sven:\n  always: {word}"), pinned, "true");
    }
    for word in ["false", "No", "OFF", "null", "", "maybe", "1", "[true]"] {
        says("sven", &format!("4 {word} is not true"), &format!("sven:\n  always: {word}"), pinned, "false");
    }
    read(
        "sven",
        "4 another word",
        skill("description: D\nsven:\n  always: maybe", ""),
        "in use; warning wrong-type 4:11",
    );
    read("sven", "4 a number", skill("description: D\nsven:\n  always: 1", ""), "in use; warning wrong-type 4:11");
    let hidden: fn(&Meta) -> String = |m| format!("{} {}", m.not_for_model, m.not_for_user);
    says("sven", "18 user_invocable_only", "sven: {user_invocable_only: yes}", hidden, "true false");
    says("sven", "43 is no field of sven", "disable-model-invocation: true", hidden, "false false");
    says("agentskills", "43 disable-model-invocation", "disable-model-invocation: true", hidden, "true false");
    says("agentskills", "43 user-invocable", "user-invocable: false", hidden, "false true");
    says("agentskills", "43 user-invocable is true when absent", "name: tea", hidden, "false false");
    says("agentskills", "43 a bad user-invocable is the default", "user-invocable: never", hidden, "false false");
}

#[test]
fn the_block_of_sven() {
    let needs: fn(&Meta) -> String = |m| {
        let name = |need: &Requirement| match need {
            Requirement::Bin(name) => format!("bin {name}"),
            Requirement::Env(name) => format!("env {name}"),
            other => format!("{other:?}"),
        };
        m.requires.iter().map(name).collect::<Vec<_>>().join(",")
    };
    // What is required and not there loses the skill, so what is read shows by the finding.
    says("sven", "000 no requirements", "sven: {requires_bins: [], requires_env: }", needs, "");
    says("sven", "000 an empty block", "sven:", needs, "");
    read("sven", "000 the block as a text", skill("description: D\nsven: hello", ""), "in use; warning wrong-type 3:7");
    read(
        "sven",
        "000 unmet",
        skill("description: D\nsven:\n  requires_bins: docker", ""),
        "lost; warning unmet-requirement -",
    );
    read(
        "sven",
        "5 a withdrawn field",
        skill("description: D\nsven:\n  skills:\n    - a", ""),
        "in use; warning removed-field 4:3",
    );
    says("sven", "000 a dotted key at the top is no block", "sven.always: true", |m| m.pinned.to_string(), "false");
    let helped = tea(skill("description: D\nsven: {skills: [a]}", "")).of("5 says what to do", "sven", |_, catalog| {
        catalog.findings().first().and_then(|finding| finding.help.clone()).unwrap_or_default()
    });
    assert!(helped.contains("folder"), "5 a withdrawn field says what to do instead: {helped}");
}

#[test]
fn keys_once_and_unknown() {
    read(
        "sven",
        "5 the first of two wins",
        skill("description: D\nname: a\nname: b", ""),
        "in use; warning duplicate-key 4:1",
    );
    says("sven", "5 the first of two wins", "name: a\nname: b", |m| format!("{:?}", m.name), "Some(\"a\")");
    says("sven", "5 the first wins where it is empty too", "name:\nname: b", |m| format!("{:?}", m.name), "None");
    read("agentskills", "5 unknown keys are quiet", skill("name: tea\ndescription: D\nfoo: 1", ""), "in use");
    checked("agentskills", "5 quiet under check", false, skill("name: tea\ndescription: D\nfoo: 1", ""), &[]);
    checked(
        "agentskills",
        "5 told of under strict",
        true,
        skill("name: tea\ndescription: D\nfoo: 1", ""),
        &["warning unknown-field:4:1"],
    );
    checked(
        "sven",
        "5 in the block under strict",
        true,
        skill("description: D\nsven:\n  foo: 1", ""),
        &["warning unknown-field:4:3"],
    );
    checked(
        "sven",
        "4 common fields are known",
        true,
        skill(
            "description: D\nlicense: MIT\nmetadata: {a: b}\nallowed-tools: Read\nargument-hint: x\ncompatibility: y\nversion: 1.0.0",
            "",
        ),
        &[],
    );
}

#[test]
fn repair() {
    #[track_caller]
    fn mended(case: &str, value: &str, expect: &str, fix: &str) {
        let text = skill(&format!("name: tea\ndescription: {value}"), "");
        let told = tea(text).of(case, "agentskills", |_, catalog| {
            let read = catalog.skills().first().map(|skill| skill.description().to_owned());
            let found = catalog.findings().iter().map(|f| {
                let fix = f.fix.as_ref().map(|fix| format!(" {}: {}", fix.line, fix.with)).unwrap_or_default();
                format!("{} {} {}{fix}", f.severity.as_str(), f.code, f.at.map_or(0, |at| at.line))
            });
            (read, found.collect::<Vec<_>>())
        });
        let found = if fix.is_empty() { vec![] } else { vec![format!("warning yaml-repaired 3 3: {fix}")] };
        assert_eq!(told, (Some(expect.to_owned()), found), "{case}");
    }
    mended("6 an unquoted colon", "Use when: asked", "Use when: asked", "description: \"Use when: asked\"");
    mended("6 an at sign", "@me does", "@me does", "description: \"@me does\"");
    mended("6 a backtick", "`x` does", "`x` does", "description: \"`x` does\"");
    mended("6 an asterisk", "*bold* does", "*bold* does", "description: \"*bold* does\"");
    mended("6 a percent sign", "%x does", "%x does", "description: \"%x does\"");
    mended("6 a bracket", "[a] does", "[a] does", "description: \"[a] does\"");
    mended("6 text after a quote", "\"a\" b", "\"a\" b", "description: \"\\\"a\\\" b\"");
    mended("6 valid YAML is never touched", "\"Use when: asked\"", "Use when: asked", "");
    mended("2 dashes in a value", "a --- b", "a --- b", "");
    read("sven", "6 what cannot be repaired", "---\nthis is prose\nand more\n---\n", "lost; error yaml 2:1");
    read("sven", "6 a list is no map", "---\n- a\n- b\n---\n", "lost; error yaml 2:1");

    let hash = tea(skill("name: tea\ndescription: Use C# and #tag here", "")).of(
        "6 a comment",
        "agentskills",
        |_, catalog| {
            let value = catalog.skills()[0].description().to_owned();
            let found = catalog
                .findings()
                .iter()
                .map(|f| (f.code.as_str(), f.at.map(|at| at.line), f.fix.clone().map(|fix| (fix.line, fix.with))));
            (value, found.collect::<Vec<_>>())
        },
    );
    let fix = (3, "description: \"Use C# and\" #tag here".to_owned());
    assert_eq!(hash, ("Use C# and".to_owned(), vec![("yaml-comment", Some(3), Some(fix))]), "6 ` #` in a plain value");
}

#[test]
fn places_in_the_file() {
    read(
        "sven",
        "7 columns are characters",
        "---\ndescription: D\nname: \"é\u{1f600}\u{200b}\"\n---\n",
        "in use; warning hidden-characters 3:7",
    );
    read(
        "sven",
        "7 lines are the file's, CRLF",
        "\r\n---\r\ndescription: D\r\nversion: one\r\n---\r\n",
        "in use; warning version-invalid 4:10",
    );
    read(
        "sven",
        "7 after a BOM",
        "\u{feff}---\ndescription: D\nversion: one\n---\n",
        "in use; warning version-invalid 3:10",
    );
    read(
        "sven",
        "7 after a comment",
        "<!-- a\nb -->\n---\ndescription: D\nversion: one\n---\n",
        "in use; warning frontmatter-not-first 3:1; warning version-invalid 5:10",
    );
    read(
        "sven",
        "7 after a control",
        "---\ndescription: a\0b\nversion: x\0y\n---\n",
        "in use; warning control-character 2:15; warning version-invalid 3:10",
    );
}

#[test]
fn limits() {
    let front = |fields: &str| skill(&format!("{fields}\ndescription: D"), "");
    let long = |n: usize| "a".repeat(n);
    let cases: &[(&str, String, &str)] = &[
        (
            "8 a name over 64 characters",
            front(&format!("name: {}", long(65))),
            "in use; warning name-mismatch 2:7; warning too-long 2:7",
        ),
        ("8 a name of 64 characters", front(&format!("name: {}", long(64))), "in use; warning name-mismatch 2:7"),
        (
            "8 a description of 1024 characters",
            skill(&format!("name: tea\ndescription: {}", "💡".repeat(1024)), ""),
            "in use",
        ),
        (
            "8 a description over 1024 characters",
            skill(&format!("name: tea\ndescription: {}", "💡".repeat(1025)), ""),
            "in use; warning too-long 3:14",
        ),
        (
            "8 compatibility over 500",
            skill(&format!("name: tea\ndescription: D\ncompatibility: {}", long(501)), ""),
            "in use; warning too-long 4:16",
        ),
        ("8 the name is not the folder's", front("name: coffee"), "in use; warning name-mismatch 2:7"),
        ("43 no name", front("x: y"), "in use; warning name-missing -"),
        ("44 a capital", front("name: Tea"), "in use; warning name-invalid 2:7; warning name-mismatch 2:7"),
        ("44 an underscore", front("name: te_a"), "in use; warning name-invalid 2:7; warning name-mismatch 2:7"),
        ("44 a hyphen first", front("name: -tea"), "in use; warning name-invalid 2:7; warning name-mismatch 2:7"),
        ("44 a hyphen last", front("name: tea-"), "in use; warning name-invalid 2:7; warning name-mismatch 2:7"),
        ("44 two hyphens", front("name: te--a"), "in use; warning name-invalid 2:7; warning name-mismatch 2:7"),
        ("44 letters of any script", front("name: чай-茶-1"), "in use; warning name-mismatch 2:7"),
        (
            "44 a capital of another script",
            front("name: Чай"),
            "in use; warning name-invalid 2:7; warning name-mismatch 2:7",
        ),
        (
            "8 nobody can call it",
            front("name: tea\ndisable-model-invocation: true\nuser-invocable: false"),
            "in use; warning unreachable -",
        ),
        ("8 a version is free", front("name: tea\nversion: one"), "in use"),
        ("8 no description", "---\nname: tea\n---\n".into(), "lost; error description-missing -"),
        (
            "8 an empty description",
            "---\nname: tea\ndescription: ''\n---\n".into(),
            "lost; error description-missing -",
        ),
        (
            "24 a description of hidden characters alone",
            "---\nname: tea\ndescription: \"\\u200b\"\n---\n".into(),
            "lost; error description-missing -; warning hidden-characters 3:14",
        ),
    ];
    for (case, text, expect) in cases {
        read("agentskills", case, text.as_str(), expect);
    }
    for (version, fine) in [
        ("1.0.0", true),
        ("0.1.0-a.1+b", true),
        ("1.0", false),
        ("v1.0.0", false),
        ("1.0.0.0", false),
        ("01.0.0", false),
    ] {
        let expect = if fine { "in use" } else { "in use; warning version-invalid 2:10" };
        read("sven", &format!("8 version {version}"), front(&format!("version: {version}")), expect);
    }
    read("sven", "8 sven has no rule for names", front("name: Human-Readable Label --"), "in use");
    let kept = tea(front(&format!("name: {}", long(70))))
        .of("8 a long name stays whole", "agentskills", |_, c| c.skills()[0].key.len());
    assert_eq!(kept, 70, "8 a long name stays whole");
}

#[test]
fn check_raises_rules() {
    let front = |fields: &str| skill(&format!("{fields}\ndescription: D"), "");
    checked(
        "agentskills",
        "8 rules of the document are errors",
        false,
        front("name: Te--a"),
        &["error name-invalid:2:7", "error name-mismatch:2:7"],
    );
    checked(
        "agentskills",
        "8 too long",
        false,
        front(&format!("name: {}", "a".repeat(65))),
        &["error name-mismatch:2:7", "error too-long:2:7"],
    );
    checked("agentskills", "8 no name", false, front("x: y"), &["error name-missing"]);
    checked(
        "agentskills",
        "8 what is no rule stays a warning",
        false,
        front("name: tea\ndisable-model-invocation: true\nuser-invocable: no"),
        &["warning unreachable"],
    );
    checked(
        "agentskills",
        "8 a long body is advice",
        false,
        skill("name: tea\ndescription: D", &"x\n".repeat(501)),
        &["warning too-long"],
    );
    checked("agentskills", "8 500 lines are none", false, skill("name: tea\ndescription: D", &"x\n".repeat(500)), &[]);
    checked("sven", "8 optional semver", false, front("version: 1.0"), &["error version-invalid:2:10"]);
    checked("sven", "8 removed", false, front("sven: {skills: [a]}"), &["warning removed-field:2:8"]);
    checked("agentskills", "44 other scripts pass", false, front("name: чай"), &["error name-mismatch:2:7"]);
    checked(
        "agentskills",
        "44 strict asks ASCII",
        true,
        front("name: чай"),
        &["error name-invalid:2:7", "error name-mismatch:2:7"],
    );
    checked(
        "agentskills",
        "24 closes the frame",
        false,
        skill("name: tea\ndescription: D", "a </skill_content> b"),
        &["warning closes-frame"],
    );
    checked(
        "agentskills",
        "6 repaired",
        false,
        "---\nname: tea\ndescription: a: b\n---\n",
        &["warning yaml-repaired:3:14"],
    );
    checked(
        "agentskills",
        "49 strict metadata",
        true,
        front("name: tea\nmetadata: {a: [b]}"),
        &["warning wrong-type:3:15"],
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
    check("000 all there", &["docker", "git"], &["TOKEN"], "in use");
    check("000 no program", &["git"], &["TOKEN"], unmet);
    check("000 no variable", &["docker", "git"], &[], unmet);
    let told =
        tea(skill("description: D\nsven: {requires_bins: [docker]}", "")).ask("8 the dialect's own fields", |world| {
            let catalog = discover(world, &table("agentskills"));
            catalog.skills().len()
        });
    assert_eq!(told, 1, "8 only sven asks for programs");
}
