//! Values of fields: topics 5 and 6 of the rules.

use super::{read, says, tea};
use crate::common::Tree;
use crate::common::ground::{on, skill};
use pretty_assertions::assert_eq;
use skilltree::Json;
use skilltree::model::Frontmatter;

#[test]
fn hostile_yaml() {
    let deep = |open: &str, close: &str, n: usize| format!("{}{}", open.repeat(n), close.repeat(n));
    let front = |more: &str| skill(&format!("name: tea\ndescription: D\n{more}"), "");
    read("sven", "rule 5.1: 64 levels", front(&format!("x: {}", deep("[", "]", 63))), "in use");
    read(
        "sven",
        "rule 5.1: 65 levels",
        front(&format!("x: {}", deep("[", "]", 70))),
        "in use; warning yaml-too-deep 4:67",
    );
    read(
        "sven",
        "rule 5.1: block nesting",
        front(&format!("x:\n  {}a", "- ".repeat(50_000))),
        "in use; warning yaml-too-deep 5:129",
    );
    read("sven", "rule 5.2: an alias", front("x: &a [1]\ny: *a"), "in use");
    read("sven", "rule 5.2: an alias within its own value", front("x: &a [*a]"), "in use; warning yaml-alias 4:8");
    read("sven", "rule 5.2: an anchor alone", front("x: &a [1]"), "in use");
    read(
        "sven",
        "rule 5.2: an alias beyond 1 MiB as the description",
        skill(&format!("x: &a {}\ny: [{}]\ndescription: *a", "b".repeat(1024), "*a, ".repeat(1024)), ""),
        "lost; error description-missing 4:1; warning yaml-alias 4:14",
    );
    read(
        "sven",
        "rule 5.2: an anchor that is not there",
        skill("description: *a", ""),
        "in use; warning yaml-repaired 2:14",
    );
    read("sven", "rule 4.4: NUL", "---\ndescription: a\0b\n---\n", "in use; warning control-character 2:15");
    read(
        "sven",
        "rule 4.4: two controls",
        "---\ndescription: a\u{7}b\u{1}\n---\n",
        "in use; warning control-character 2:15",
    );
    says("sven", "rule 4.4: controls are dropped", "name: a\0b\u{1b}c", |m| format!("{:?}", m.name), "Some(\"abc\")");
}

#[test]
fn scalars_and_lists() {
    let name: fn(&Frontmatter) -> String = |m| m.name.clone().unwrap_or_else(|| "-".into());
    let version: fn(&Frontmatter) -> String = |m| m.version.clone().unwrap_or_else(|| "-".into());
    let tools: fn(&Frontmatter) -> String = |m| m.allowed_tools.as_ref().map_or("-".into(), |tools| tools.join("|"));
    let hint: fn(&Frontmatter) -> String = |m| m.run().argument_hint.clone().unwrap_or_else(|| "-".into());
    let flag = "x: &x true\nsven: {user_invocable_only: *x}";
    says("sven", "rule 5.2: a flag", flag, |m| m.not_for_model.to_string(), "true");
    let license: fn(&Frontmatter) -> String = |m| m.license.clone().unwrap_or_else(|| "-".into());
    let all: fn(&Frontmatter) -> String = |m| {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        format!("{} {} {}", text(&m.name), text(&m.version), m.allowed_tools.clone().unwrap_or_default().join("|"))
    };
    for dialect in ["sven", "agentskills"] {
        let says = |case: &str, fields: &str, what, expect: &str| says(dialect, case, fields, what, expect);
        says("rule 5.3: 1.10 is 1.10", "version: 1.10", version, "1.10");
        says("rule 5.3: 007 is 007", "name: 007", name, "007");
        says("rule 5.3: true is text", "name: true", name, "true");
        says("rule 5.3: 0x10 is text", "name: 0x10", name, "0x10");
        says("rule 6.2: null is absent", "name: null", name, "-");
        says("rule 6.2: ~ is absent", "name: ~", name, "-");
        says("rule 6.2: empty is absent", "name:", name, "-");
        says("rule 6.2: quoted empty is absent", "name: ''", name, "-");
        says("rule 6.2: blanks are absent", "name: '  '", name, "-");
        says("rule 5.3: quoted null is text", "name: 'null'", name, "null");
        says("rule 6.2: text is trimmed", "name:    a   ", name, "a");
        says("rule 6.2: but not in quotes", "name: '  a  '", name, "  a  ");
        says("rule 6.2: nor in double ones", "version: \" \\t1\\n\"", version, " \t1\n");
        says("rule 6.2: a block is trimmed", "name: |\n  a\n", name, "a");
        says("rule 6.2: lists are words", "allowed-tools: ['  a  ', \" b\"]", tools, "a|b");
        says("rule 6.2: a hint", "argument-hint: ' [pr] '", hint, " [pr] ");
        says("rule 6.18: and is seen", "argument-hint: \" \\u200b[pr]\\e \"", hint, " [pr] ");
        says("rule 6.18: not only blanks", "argument-hint: \" \\u200b \"", hint, "-");
        says(
            "rule 6.18: other fields are read as YAML says",
            "license: \"a\\u0007\\e\\0b\"",
            license,
            "a\u{7}\u{1b}\0b",
        );
        says("rule 5.2: aliases", "x: &x [a, b]\ny: &y c\nname: *y\nallowed-tools: *x\nversion: *y", all, "c c a|b");
        says("rule 5.11: a tab behind the colon", "name:\ta\nversion:\t1\nallowed-tools:\t[b]", all, "a 1 b");
        says("rule 6.4: a list where text is wanted", "argument-hint: [pr]", hint, "[pr]");
        says("rule 6.4: a map where text is wanted", "name: {{NAME}}", name, "{{NAME}}");
        says("rule 6.5: tools: a list", "allowed-tools: [Read, 'Bash(a b)']", tools, "Read|Bash(a b)");
        says("rule 6.5: tools: a block list", "allowed-tools:\n  - Read\n  - Grep", tools, "Read|Grep");
        says("rule 6.5: tools: commas", "allowed-tools: Read, Grep,Glob", tools, "Read|Grep|Glob");
        says(
            "rule 6.5: tools: blanks in parentheses",
            "allowed-tools: Bash(git add *) Read",
            tools,
            "Bash(git add *)|Read",
        );
        says("rule 6.5: tools: commas in parentheses", "allowed-tools: Bash(a, b), Read", tools, "Bash(a, b)|Read");
        says("rule 6.5: tools: null", "allowed-tools:", tools, "-");
        says("rule 16.1: tools: an empty list", "allowed-tools: []", tools, "");
        says("rule 6.5: tools: a null item", "allowed-tools: [Read, null, '']", tools, "Read");
        says("rule 6.1: license", "license: MIT", |m| format!("{:?}", m.license), "Some(\"MIT\")");
        says(
            "rule 6.1: compatibility",
            "compatibility: needs git",
            |m| format!("{:?}", m.needs().compatibility),
            "Some(\"needs git\")",
        );
        says("rule 6.1: metadata", "metadata:\n  author: me\n  v: 1.0", pairs, "author=me,v=1.0");
        let (nulls, none) =
            ("metadata: {a: null, b: Null, c: NULL, d: ~, e: 'null'}", "a=Null,b=Null,c=Null,d=Null,e=null");
        says("rule 6.2: null in metadata", nulls, pairs, none);
        says(
            "rule 6.6: unknown keys are kept",
            "x-host: 1\nother: [a]",
            |m| m.other.iter().map(|(k, _)| k.clone()).collect::<Vec<_>>().join(","),
            "x-host,other",
        );
    }
    read(
        "sven",
        "rule 6.4: a list where text is wanted is told of",
        skill("description: D\nargument-hint: [pr]", ""),
        "in use; warning wrong-type 3:16",
    );
    read(
        "sven",
        "rule 5.7: a template is told of",
        skill("description: D\nname: {{NAME}}", ""),
        "in use; warning yaml-repaired 3:7",
    );
}

fn pairs(frontmatter: &Frontmatter) -> String {
    let text = |value: &Json| value.as_text().map_or_else(|| format!("{value:?}"), str::to_owned);
    frontmatter.metadata.iter().map(|(key, value)| format!("{key}={}", text(value))).collect::<Vec<_>>().join(",")
}

#[test]
fn flags() {
    let pinned: fn(&Frontmatter) -> String = |m| m.pinned.to_string();
    for word in ["true", "True", "TRUE", "yes", "YES", "on", "On", "'true'", "\"yes\""] {
        says("sven", &format!("rule 6.3: {word} is true"), &format!("sven:\n  always: {word}"), pinned, "true");
    }
    for word in ["false", "No", "OFF", "null", "", "maybe", "0", "[true]"] {
        says("sven", &format!("rule 6.3: {word} is not true"), &format!("sven:\n  always: {word}"), pinned, "false");
    }
    read(
        "sven",
        "rule 6.3: another word",
        skill("description: D\nsven:\n  always: maybe", ""),
        "in use; warning wrong-type 4:11",
    );
    read(
        "sven",
        "rule 6.3: a number",
        skill("description: D\nsven:\n  always: 2", ""),
        "in use; warning wrong-type 4:11",
    );
    let hidden: fn(&Frontmatter) -> String = |m| format!("{} {}", m.not_for_model, m.not_for_user);
    says("sven", "rule 9.3: user_invocable_only", "sven: {user_invocable_only: yes}", hidden, "true false");
    says("sven", "rule 9.3: is no field of sven", "disable-model-invocation: true", hidden, "false false");
    says("agentskills", "rule 9.3: disable-model-invocation", "disable-model-invocation: true", hidden, "true false");
    says("agentskills", "rule 9.3: user-invocable", "user-invocable: false", hidden, "false true");
    says("agentskills", "rule 9.3: user-invocable is true when absent", "name: tea", hidden, "false false");
    says("agentskills", "rule 9.3: a bad user-invocable restricts", "user-invocable: never", hidden, "false true");
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
    mended("rule 5.6: an unquoted colon", "Use when: asked", "Use when: asked", "description: \"Use when: asked\"");
    mended("rule 5.6: an at sign", "@me does", "@me does", "description: \"@me does\"");
    mended("rule 5.6: a backtick", "`x` does", "`x` does", "description: \"`x` does\"");
    mended("rule 5.6: an asterisk", "*bold* does", "*bold* does", "description: \"*bold* does\"");
    mended("rule 5.6: a percent sign", "%x does", "%x does", "description: \"%x does\"");
    mended("rule 5.6: a bracket", "[a] does", "[a] does", "description: \"[a] does\"");
    mended("rule 5.6: text after a quote", "\"a\" b", "a b", "description: \"a b\"");
    mended("rule 5.6: a bang", "!a b", "!a b", "description: \"!a b\"");
    mended("rule 5.6: an ampersand", "&a b", "&a b", "description: \"&a b\"");
    mended("rule 5.7: valid YAML is never touched", "\"Use when: asked\"", "Use when: asked", "");
    mended("rule 4.6: dashes in a value", "a --- b", "a --- b", "");
    read("sven", "rule 5.10: what cannot be repaired", "---\nthis is prose\nand more\n---\n", "lost; error yaml 2:1");
    read("sven", "rule 5.10: a list is no map", "---\n- a\n- b\n---\n", "lost; error yaml 2:1");

    let hash = tea(skill("name: tea\ndescription: Use C# and #tag here", "")).of(
        "rule 5.8: a comment",
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
    let fix = (3, "description: \"Use C# and #tag here\"".to_owned());
    assert_eq!(
        hash,
        ("Use C# and".to_owned(), vec![("yaml-comment", Some(3), Some(fix))]),
        "rule 5.8: ` #` in a plain value"
    );
}

/// What a skill's fields say, by a file that a dialect reads.
#[track_caller]
fn of(dialect: &str, file: &str, fields: &str, what: fn(&Frontmatter) -> bool, expect: bool) {
    let tree = Tree::default().with(file, skill(&format!("name: tea\ndescription: D\n{fields}"), ""));
    let got = on(tree).of(fields, dialect, |_, catalog| catalog.skills().first().map(|skill| what(&skill.frontmatter)));
    assert_eq!(got, Some(expect), "rule 6.1: {dialect}: {fields}");
}

#[test]
fn flags_that_restrict() {
    let (set, not_set) = (["true", "yes", "ON", "1", "'1'"], ["false", "No", "off", "0", "'0'", "null", "~", ""]);
    // A flag that restricts and cannot be read restricts.
    let unreadable = ["maybe", "2", "-1", "[true]", "{{FLAG}}", "1.0"];
    let claude = "/p/.claude/skills/tea/SKILL.md";
    let cases = [
        ("agentskills", claude, "disable-model-invocation", (|m| m.not_for_model) as fn(&Frontmatter) -> bool),
        ("claude", claude, "disable-model-invocation", |m| m.not_for_model),
        ("pegasus", "/p/data/skills/tea/SKILL.md", "disable-model-invocation", |m| m.not_for_model),
        ("daycare", "/h/.agents/skills/tea/SKILL.md", "sandbox", |m| m.run().sandbox),
    ];
    for (dialect, file, name, what) in cases {
        set.iter().chain(&unreadable).for_each(|value| of(dialect, file, &format!("{name}: {value}"), what, true));
        not_set.iter().for_each(|value| of(dialect, file, &format!("{name}: {value}"), what, false));
    }
    let bundled = "/p/src/_bundled_skills/tea/SKILL.md";
    for (values, expect) in [(&unreadable[..], Some(false)), (&set, Some(true)), (&["false", "0"], Some(false))] {
        for value in values {
            let what: fn(&Frontmatter) -> bool = |m| m.triggers().default_enabled == Some(false);
            of("agent-base", bundled, &format!("default_enabled: {value}"), what, expect == Some(false));
        }
    }
    let hidden: fn(&Frontmatter) -> bool = |m| m.not_for_user;
    for value in ["0", "false"].iter().chain(&unreadable) {
        of("claude", claude, &format!("user-invocable: {value}"), hidden, true);
    }
    for value in ["1", "true", ""] {
        of("claude", claude, &format!("user-invocable: {value}"), hidden, false);
    }
    let maybe = skill("name: tea\ndescription: D\ndisable-model-invocation: maybe", "");
    read("agentskills", "rule 6.4: it is told of", maybe, "in use; warning wrong-type 4:27");
}
