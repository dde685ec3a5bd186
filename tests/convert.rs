//! Conversion: what becomes of each kind of field, of names, texts and bodies, and what is listed as lost. In memory and
//! on the disk.

use crate::common;

use common::ground::{Ground, changed, file, ground, on, skill, table};
use common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::Dialect;
use skilltree::author::Conversion;
use std::sync::Arc;

/// The conversion of the only skill below `/s`.
#[track_caller]
fn conversion(case: &str, ground: &Ground, from: &str, to: &Dialect) -> Conversion {
    conversion_by(case, ground, &table(from), to)
}

#[track_caller]
fn conversion_by(case: &str, ground: &Ground, from: &Arc<Dialect>, to: &Dialect) -> Conversion {
    let mut ground = ground.clone().roots(&["/s"]);
    ground.places.only_roots = true;
    ground.host.bins.insert("git".to_owned());
    ground.by(case, from, |world, catalog| {
        let [skill] = catalog.skills() else { panic!("{case}: one skill: {:?}", catalog.findings()) };
        Conversion::of(world, catalog, skill, to).unwrap_or_else(|error| panic!("{case}: {error}"))
    })
}

fn losses(converted: &Conversion) -> Vec<String> {
    converted.lost.iter().map(|loss| format!("{}: {}", loss.field, loss.reason)).collect()
}

/// A skill with these fields in the folder `pot`, and the fields that it has then. Each of `lost` is the beginning of a
/// loss.
#[track_caller]
fn fields(case: &str, (from, to): (&str, &str), before: &str, after: &str, lost: &[&str]) {
    fields_of(case, (from, &table(to)), before, after, lost);
}

#[track_caller]
fn fields_of(case: &str, (from, to): (&str, &Dialect), before: &str, after: &str, lost: &[&str]) {
    let ground = on(Tree::default().with("/s/pot/SKILL.md", skill(before, "Boil.\n")));
    let converted = conversion(case, &ground, from, to);
    assert_eq!(converted.manifest, skill(after, "Boil.\n"), "{case}");
    begin(case, &losses(&converted), lost);
}

#[track_caller]
fn begin(case: &str, got: &[String], expect: &[&str]) {
    let fits = got.len() == expect.len() && got.iter().zip(expect).all(|(got, expect)| got.starts_with(expect));
    assert!(fits, "{case}: {got:#?} must begin with {expect:#?}");
}

const TEA: &str = "name: pot\ndescription: Tea.";

#[test]
fn fields_by_their_meaning() {
    let tea = |more: &str| format!("{TEA}\n{more}");
    fields(
        "a map in a list of texts",
        ("claude", "pegasus"),
        &tea("allowed-tools:\n  - Read\n  - two: [1"),
        &tea("allowed-tools:\n  - Read\n  - \"two: [1\""),
        &["allowed-tools: "],
    );
    for system in ["pegasus", "claude"] {
        let (fork, sandbox) = (tea("context: fork"), tea("sandbox: true"));
        fields("a task of its own", (system, "daycare"), &fork, &sandbox, &[]);
        fields("a task of its own, back", ("daycare", system), &sandbox, &fork, &[]);
    }
    fields("the same key", ("claude", "pegasus"), &tea("model: opus"), &tea("model: opus"), &[]);
    fields(
        "out of a map",
        ("sven", "agentskills"),
        &tea("sven:\n  user_invocable_only: true"),
        &tea("disable-model-invocation: true"),
        &[],
    );
    fields(
        "into a map",
        ("agentskills", "sven"),
        &tea("disable-model-invocation: true"),
        &tea("sven:\n  user_invocable_only: true"),
        &[],
    );
    fields(
        "into a map that is there",
        ("agentskills", "sven"),
        &tea("disable-model-invocation: true\nsven:\n  mine: 1"),
        &tea("sven:\n  mine: 1\n  user_invocable_only: true"),
        &[],
    );
    fields(
        "no such field, kept",
        ("claude", "gencode"),
        &tea("model: opus"),
        &tea("model: opus"),
        &["model: `gencode` has no field for the model to use"],
    );
    fields(
        "no such field, in a map",
        ("sven", "agentskills"),
        &tea("sven:\n  always: true"),
        &tea("sven:\n  always: true"),
        &["sven.always: `agentskills` has no field for skills that are always in the prompt"],
    );
    fields(
        "a default is no loss",
        ("claude", "gencode"),
        &tea("user-invocable: yes"),
        &tea("user-invocable: yes"),
        &[],
    );
    fields(
        "a flag that is not a default",
        ("claude", "gencode"),
        &tea("user-invocable: no"),
        &tea("user-invocable: no"),
        &["user-invocable: `gencode` has no field for hiding a skill from the user"],
    );
    fields("an empty field", ("claude", "gencode"), &tea("model:"), &tea("model:"), &[]);
    fields(
        "known data",
        ("claude", "gencode"),
        &tea("hooks: {a: b}"),
        &tea("hooks: {a: b}"),
        &["hooks: `gencode` does not know the field"],
    );
    fields("unknown data", ("claude", "gencode"), &tea("x: [1, {a: b}]"), &tea("x: [1, {a: b}]"), &[]);
    fields(
        "unknown here, known there",
        ("gencode", "claude"),
        &tea("model: opus"),
        &tea("model: opus"),
        &["model: `gencode` does not know the field; `claude` does, so it takes effect there"],
    );
    fields(
        "an unknown field gives way",
        ("sven", "agentskills"),
        &tea("disable-model-invocation: false\nsven:\n  user_invocable_only: true"),
        &tea("disable-model-invocation: true"),
        &["disable-model-invocation: `sven` does not know"],
    );
    fields("scripts count everywhere", ("agent-base", "claude"), &tea("scripts: []"), &tea("scripts: []"), &[]);
    fields(
        "triggers",
        ("agent-base", "claude"),
        &tea("triggers:\n  keywords: [tea]\n  verbs: []"),
        &tea("triggers:\n  keywords: [tea]\n  verbs: []"),
        &["triggers.keywords: `claude` has no field for triggers"],
    );
    fields(
        "a field that the source has withdrawn",
        ("sven", "claude"),
        &tea("sven:\n  skills: [a]"),
        &tea("sven:\n  skills: [a]"),
        &[],
    );
    let paths = "fields: [{path: paths, role: paths}, {path: globs, role: paths}]";
    let both = on(Tree::default().with("/s/pot/SKILL.md", skill(&tea("globs: \"*.md\"\npaths: \"*.rs\""), "Boil.\n")));
    let later = conversion_by("the later counts", &both, &changed("claude", paths), &table("claude"));
    assert_eq!(
        later.manifest,
        skill(&tea("paths: \"*.rs\""), "Boil.\n"),
        "two fields of one meaning: the later counts"
    );
    fields(
        "a key with a dot is no field of a map",
        ("sven", "claude"),
        &tea("sven.always: true"),
        &tea("sven.always: true"),
        &[],
    );
}

#[test]
fn tools_and_their_effect() {
    let tea = &format!("{TEA}\nallowed-tools: Read, Bash(git add, git commit)");
    let check = |from: &str, to: &str, lost: &[&str]| fields(&format!("{from} to {to}"), (from, to), tea, tea, lost);
    check("claude", "agentskills", &[]);
    check("gencode", "pegasus", &[]);
    check("sven", "daycare", &[]);
    check("claude", "sven", &["allowed-tools: `claude` grants the tools that it lists, `sven` ignores it"]);
    check("sven", "claude", &["allowed-tools: `sven` ignores it, `claude` grants the tools that it lists"]);
    check("claude", "pegasus", &["allowed-tools: `claude` grants the tools that it lists, `pegasus` allows no other"]);
    for (from, to) in [("pegasus", "claude"), ("gencode", "agentskills")] {
        let lost = format!("allowed-tools: `{from}` allows no other tools than those that it lists, `{to}` grants");
        fields("a restriction does not become a grant", (from, to), tea, TEA, &[&lost]);
    }
}

/// A dialect whose flag says that a skill is for the model.
fn for_model() -> Arc<Dialect> {
    let yaml = table("agentskills").to_yaml();
    file(
        &yaml.replace("name: agentskills\n", "name: test\n").replace(
            "{path: disable-model-invocation, role: not-for-model}",
            "{path: policy.implicit, role: for-model}",
        ),
    )
}

/// What restricts if the file is read in the other way restricts the new file, too (rule 9.13).
#[test]
fn restrictions_of_the_other_reading() {
    let flag = "disable-model-invocation:";
    for (first, to, after, lost) in [
        ("", table("agentskills"), "disable-model-invocation: true", &[][..]),
        (" false", table("agentskills"), "disable-model-invocation: true", &[]),
        ("", for_model(), "policy:\n  implicit: false", &[]),
        ("", table("opencode"), flag, &["disable-model-invocation: `opencode` has no field for"]),
    ] {
        let text = skill(&format!("{TEA}\n{flag}{first}\n{flag} true"), "Boil.\n");
        let ground = on(Tree::default().with("/s/pot/SKILL.md", text)).repaired();
        let converted = conversion(first, &ground, "claude", &to);
        assert_eq!(converted.manifest, skill(&format!("{TEA}\n{after}"), "Boil.\n"), "`{first}` to {}", to.name());
        begin(first, &losses(&converted), lost);
    }
    for value in ["[true]", "\n  - true", "{a: b}"] {
        let (before, after) = (format!("{TEA}\n{flag} {value}"), format!("{TEA}\n{flag} true"));
        fields("a flag of another type", ("agentskills", "cursor"), &before, &after, &[]);
    }
    // The client reads no field of such a file.
    fields(
        "not valid YAML, and a key twice",
        ("claude", "agentskills"),
        &format!("{TEA}\nlicense: a: b\n{flag} true\nmetadata:\n  a: 1\n  a: 2"),
        &format!("{TEA}\nlicense: \"a: b\"\n{flag} true\nmetadata:\n  a: 2"),
        &[],
    );
}

#[test]
fn a_file_of_the_same_system() {
    let text = "---\r\nname: pot\r\ndescription: Tea.\r\n---\r\nBoil.\r\n";
    let ground = on(Tree::default().with("/s/pot/SKILL.md", text));
    assert_eq!(conversion("line ends", &ground, "claude", &table("claude")).manifest, text, "nothing is rewritten");
}

#[test]
fn opposite_flags() {
    let for_model = for_model();
    let tea = |more: &str| format!("{TEA}\n{more}");
    let check = |case: &str, before: &str, after: &str| {
        fields_of(case, ("agentskills", &for_model), &tea(before), &tea(after), &[]);
    };
    check("hidden", "disable-model-invocation: true", "policy:\n  implicit: false");
    check("shown", "disable-model-invocation: no", "policy:\n  implicit: true");
    check("unclear is hidden", "disable-model-invocation: perhaps", "policy:\n  implicit: false");
    check(
        "in a map that is there",
        "disable-model-invocation: true\npolicy: {a: b}",
        "policy:\n  a: b\n  implicit: false",
    );
    let exact = |header: &str| file(&format!("name: exact\nextends: agentskills\nheader: {{{header}}}"));
    let flags = exact("other_flags: no");
    fields_of("spelled", ("agentskills", &flags), &tea("user-invocable: No"), &tea("user-invocable: false"), &[]);
    let yaml = exact("other_flags: yaml");
    fields_of("in quotes", ("agentskills", &yaml), &tea("user-invocable: 'false'"), &tea("user-invocable: false"), &[]);
    let scalars = exact("other_flags: no, other_scalars: no");
    let number = "name: pot\ndescription: 12";
    fields_of("a string", ("agentskills", &scalars), number, "name: pot\ndescription: \"12\"", &[]);
}

#[test]
fn names_and_folders() {
    let check = |case: &str,
                 (from, to): (&str, &str),
                 (place, name): (&str, &str),
                 folder: &str,
                 after: &str,
                 lost: &[&str]| {
        let before = skill(&format!("{name}\ndescription: Tea.").trim_start().replace("\n\n", "\n"), "");
        let ground = on(Tree::default().with(&format!("/s/{place}/SKILL.md"), before));
        let converted = conversion(case, &ground, from, &table(to));
        let name = converted.manifest.lines().find(|line| line.starts_with("name:")).unwrap_or_default();
        assert_eq!((converted.name.as_str(), name), (folder, after), "{case}");
        begin(case, &losses(&converted), lost);
    };
    check("same", ("claude", "agentskills"), ("pot", "name: pot"), "pot", "name: pot", &[]);
    check("missing where it is needed", ("claude", "agentskills"), ("pot", ""), "pot", "name: pot", &[]);
    check("missing where it is not", ("agentskills", "claude"), ("pot", ""), "pot", "", &[]);
    check("a name makes the folder", ("gencode", "claude"), ("x", "name: pot"), "pot", "name: pot", &[]);
    check(
        "a label gives way to what it is called by",
        ("claude", "agentskills"),
        ("pot", "name: Tea Pot"),
        "pot",
        "name: pot",
        &["name: `Tea Pot` is only a label in `claude`, where the skill is called `pot`; the name, by which"],
    );
    check("a label stays a label", ("sven", "claude"), ("pot", "name: Tea Pot"), "pot", "name: Tea Pot", &[]);
    check(
        "into the form",
        ("gencode", "agentskills"),
        ("x", "name: Tea  Pot!"),
        "tea-pot",
        "name: tea-pot",
        &["name: `Tea  Pot!` is not a valid name in `agentskills`; it is `tea-pot` now"],
    );
    check(
        "into ASCII",
        ("gencode", "pegasus"),
        ("x", "name: Übung 1"),
        "bung-1",
        "name: bung-1",
        &["name: `Übung 1` is not a valid name in `pegasus`; it is `bung-1` now"],
    );
    check(
        "nothing is left",
        ("gencode", "pegasus"),
        ("x", "name: 茶"),
        "skill",
        "name: skill",
        &["name: `茶` is not a valid name"],
    );
    let long = format!("name: {}", "a".repeat(70));
    let cut = format!("name: {}", "a".repeat(64));
    check("cut to the limit", ("gencode", "pegasus"), ("x", &long), &cut[6..], &cut, &["name: `aaa"]);
    check(
        "no folder of this name",
        ("gencode", "claude"),
        ("x", "name: a/b"),
        "a-b",
        "name: a/b",
        &["key: `a/b` is not a folder name that `claude` can use; it is `a-b` now"],
    );
    check(
        "a folder that is not entered",
        ("gencode", "claude"),
        ("x", "name: Synced"),
        "skill-Synced",
        "name: Synced",
        &["key: `Synced` is not a folder name"],
    );
    check(
        "out of its folders",
        ("sven", "claude"),
        ("a/b", ""),
        "b",
        "",
        &["key: the keys of `claude` do not have the folders above a skill, so `a/b` is called `b` now"],
    );
    let lost = "key: the new folder is in none of the folders above a skill, so `a/b` is called `b` now";
    check("keys by folders", ("sven", "daycare"), ("a/b", ""), "b", "name: b", &[lost]);
    check("its own system", ("sven", "sven"), ("a/b", "name: b"), "b", "name: b", &[lost]);
    check("a label", ("daycare", "daycare"), ("pot", "name: Other Label"), "pot", "name: Other Label", &[]);
}

#[test]
fn texts() {
    let described = |from: &str, to: &Dialect, before: &str, body: &str| {
        let ground = on(Tree::default().with("/s/pot/SKILL.md", skill(before, body)));
        conversion(before, &ground, from, to)
    };
    let fields =
        |converted: &Conversion| converted.manifest.split("---\n").nth(1).unwrap_or_default().trim_end().to_owned();
    let agentskills = table("agentskills");
    let added = described("pegasus", &agentskills, "name: pot", "# Tea\n\nMakes\ntea.\n\nMore.\n");
    assert_eq!(fields(&added), "name: pot\ndescription: Makes tea.", "the first paragraph");
    let added = described("claude", &agentskills, "name: pot", "# Tea\n\nMakes\ntea.\n\nMore.\n");
    assert_eq!(fields(&added), "name: pot\ndescription: Tea", "the first line");
    assert_eq!(losses(&added), Vec::<String>::new(), "an addition is no loss");
    let added = described("gencode", &agentskills, "name: pot", "# Tea\n");
    assert_eq!(fields(&added), "name: pot\ndescription: Tea", "the heading, if there is nothing else");
    let added = described("gencode", &agentskills, "name: pot", "");
    assert_eq!(fields(&added), "name: pot\ndescription: pot", "the name, if there is nothing else");
    let added = described("claude", &table("gencode"), "name: pot", "Makes tea: \"hot\".\n");
    assert_eq!(
        fields(&added),
        "name: pot\ndescription: \"Makes tea: \\\"hot\\\".\"",
        "which the target would not show"
    );
    assert_eq!(fields(&described("claude", &table("pegasus"), "name: pot", "Tea.\n")), "name: pot", "which it shows");

    let changed = described("pegasus", &table("claude"), "name: pot", "Run !`ls`.\n");
    assert_eq!(fields(&changed), "name: pot\ndescription: \"Run !`ls`.\"", "which changes with the body");

    let short = file(
        "
name: short
extends: agentskills
limits:
  - {role: description, max_chars: 12}
  - {role: compatibility, max_chars: 3}
",
    );
    let cut =
        described("agentskills", &short, "name: pot\ndescription: Makes tea or coffee.\ncompatibility: water", "");
    assert_eq!(fields(&cut), "name: pot\ndescription: Makes tea or\ncompatibility: wat");
    begin(
        "cut",
        &losses(&cut),
        &[
            "description: 8 characters are cut off at its end, as `short` expects at most 12",
            "compatibility: 2 characters are cut off at its end, as `short` expects at most 3",
        ],
    );
    let tags = "description: `copilot` removes the tags in it, from `<` to `>`";
    for (description, lost) in [("Reads <b>more</b>.", &[tags][..]), ("Reads <> and a < b.", &[])] {
        let tagged = described("agentskills", &table("copilot"), &format!("name: pot\ndescription: {description}"), "");
        assert_eq!(losses(&tagged), lost, "{description}");
    }
    let block = "description: |\n  one\n  two\nuser-invocable: 1.10\nlicense: |\n  mine\nuser-invocable: [a, b\n";
    let block = described("gencode", &agentskills, &format!("name: pot\n{block}"), "");
    assert!(
        block.manifest.contains("description: \"one\\ntwo\"\n") && block.manifest.contains("license: \"mine\"\n"),
        "no white space around a text: {}",
        block.manifest
    );
    let version = described("agentskills", &table("sven"), "name: pot\ndescription: Tea.\nversion: one", "");
    assert!(fields(&version).ends_with("version: one"), "a version that is only warned of stays");
    assert_eq!(losses(&version), Vec::<String>::new());

    let none = described("pegasus", &agentskills, "name: pot\ndescription: Tea.", "").manifest;
    assert_eq!(none, "---\nname: pot\ndescription: Tea.\n---\n");
    let ground = on(Tree::default().with("/s/pot/SKILL.md", "Just text.\n"));
    let bare = conversion("no frontmatter", &ground, "pegasus", &table("claude"));
    assert_eq!(bare.manifest, "Just text.\n", "none is added where none is needed");
    let bare = conversion("no frontmatter", &ground, "pegasus", &agentskills);
    assert_eq!(bare.manifest, "---\nname: pot\ndescription: Just text.\n---\nJust text.\n");
}

#[test]
fn lines_and_comments() {
    let before = "# Above\nname: pot\n\n# About it\ndescription: >-\n  Makes\n  tea.  # no comment\nsven:\n  always: yes # now\n\
        # Between\nx: [1,  2] # two\n# Below";
    fields("nothing is moved", ("sven", "gencode"), before, before, &["sven.always: "]);
    let moved = "# A\nname: pot\ndescription: Tea. # hot\n# B\nsven: # C\n  user_invocable_only: true\n# D\nx: 'y'";
    let after = "# A\nname: pot\ndescription: Tea. # hot\n# B\ndisable-model-invocation: true\n# D\nx: 'y'";
    fields("a comment goes with its field", ("sven", "agentskills"), moved, after, &["comments: "]);
    fields(
        "in braces",
        ("sven", "agentskills"),
        "{name: pot, description: 'Tea: hot', sven: {always: true}, \"a b\": [x, 'y, z'], e: ~}",
        "name: pot\ndescription: \"Tea: hot\"\nsven:\n  always: true\na b: [x, \"y, z\"]\ne: ~",
        &["sven.always: "],
    );
    fields(
        "lines that were repaired",
        ("claude", "agentskills"),
        "name: pot\ndescription: Tea: hot\n# why",
        "name: pot\ndescription: \"Tea: hot\"",
        &["comments: "],
    );
    fields(
        "an alias is written out, as its anchor may go",
        ("claude", "agentskills"),
        "name: pot\ndescription: Tea.\nwhen_to_use: &d Hot.\nx: [*d]\nmetadata: {a: *d}",
        "name: pot\ndescription: Tea.\nwhen_to_use: Hot.\nx: [Hot.]\nmetadata:\n  a: Hot.",
        &["when_to_use: `agentskills` has no field"],
    );
    fields(
        "an alias within its own value",
        ("claude", "agentskills"),
        "name: pot\ndescription: Tea.\nx: &d [*d]",
        "name: pot\ndescription: Tea.\nx: [null]",
        &["x: it contains a YAML alias that was not resolved"],
    );
    // The last counts in a run of Claude Code 2.1.330.
    fields(
        "a key that is there twice",
        ("claude", "agentskills"),
        "name: pot\ndescription: Tea.\ndescription: Coffee.",
        "name: pot\ndescription: Coffee.",
        &[],
    );
}

/// A body for another dialect.
#[track_caller]
fn body_of(case: &str, (from, to): (&str, &Dialect), (arguments, before): (&str, &str), after: &str, lost: &[&str]) {
    let ground = on(Tree::default().with("/s/pot/SKILL.md", skill(&format!("{TEA}{arguments}"), before)));
    let converted = conversion(case, &ground, from, to);
    let body = converted.manifest.split_once("\n---\n").map(|(_, body)| body);
    assert_eq!(body, Some(after), "{case}");
    let lost_of_body: Vec<String> = losses(&converted).into_iter().filter(|loss| loss.starts_with("body: ")).collect();
    begin(case, &lost_of_body, lost);
}

#[track_caller]
fn body(case: &str, (from, to): (&str, &str), before: &str, after: &str, lost: &[&str]) {
    body_of(case, (from, &table(to)), ("", before), after, lost);
}

#[test]
fn placeholders() {
    body("nobody replaces them", ("sven", "gencode"), "$1 \\$1 $ARGUMENTS", "$1 \\$1 $ARGUMENTS", &[]);
    body("both do", ("claude", "pegasus"), "$ARGUMENTS $ARGUMENTS[2] $0 \\$1", "$ARGUMENTS $ARGUMENTS[2] $0 \\$1", &[]);
    body("plain text", ("sven", "claude"), "$1 $ARGUMENTS $x $05 ${HOME} $", "\\$1 \\$ARGUMENTS $x $05 ${HOME} $", &[]);
    body(
        "plain text that cannot be escaped",
        ("sven", "claude"),
        "\\$1 ${CLAUDE_SKILL_DIR}",
        "\\$1 ${CLAUDE_SKILL_DIR}",
        &["body: `\\$1`, `${CLAUDE_SKILL_DIR}`: `claude` replaces it, although it is plain text in `sven`"],
    );
    body(
        "the target replaces nothing",
        ("claude", "sven"),
        "$1 \\$2 $ARGUMENTS ${CLAUDE_SKILL_DIR}",
        "$1 $2 $ARGUMENTS ${CLAUDE_SKILL_DIR}",
        &["body: `$1`, `$ARGUMENTS`, `${CLAUDE_SKILL_DIR}`: `sven` replaces no such placeholders"],
    );
    body(
        "no such variable",
        ("claude", "pegasus"),
        "${CLAUDE_SKILL_DIR}/a",
        "${CLAUDE_SKILL_DIR}/a",
        &["body: `${CLAUDE_SKILL_DIR}`: `pegasus` has no variable with this meaning"],
    );
    let named = ("\narguments: file page", "$page of $file, $pages, \\$file");
    body_of(
        "named arguments by index",
        ("claude", &table("pegasus")),
        named,
        "$ARGUMENTS[1] of $ARGUMENTS[0], $pages, $file",
        &[
            "body: `$page`, `$file`: `pegasus` has no names for arguments, so the argument is named by its index",
            "body: `pegasus` also appends all arguments, as there is no `$ARGUMENTS`",
        ],
    );
    let substitution = "
      first_number: 1
      variables:
        - {name: SKILL, is: skill-dir}
        - {name: CLAUDE_EFFORT, is: host}
";
    let other = |more: &str| {
        file(&format!("name: other\nextends: claude\nload:\n    substitution:{substitution}      {more}\n"))
    };
    let before = ("\narguments: file", "$0 $1 $01 $ARGUMENTS[0] $file ${CLAUDE_SKILL_DIR} ${CLAUDE_EFFORT}");
    let after = "$1 $2 $01 $ARGUMENTS[0] $file ${SKILL} ${CLAUDE_EFFORT}";
    body_of("numbers are shifted, variables renamed", ("claude", &other("")), before, after, &[]);
    let rest = other("last_place: rest");
    body_of("the highest number", ("claude", &rest), ("", "$0 $1"), "$ARGUMENTS[0] $ARGUMENTS[1]", &[]);
    body(
        "a number that is removed",
        ("sven", "goose"),
        "$0 $1 $00",
        "\\$0 \\$1 $00",
        &["body: `\\$0`, `\\$1`: `goose` shows it differently if there is no argument for it"],
    );
    body(
        "a number that was removed",
        ("goose", "claude"),
        "$0x",
        "\\$0x",
        &["body: `$0`: `claude` replaces no such placeholders, so the text stays as written"],
    );
    body(
        "placeholders of commands alone",
        ("sven", "opencode"),
        "$1",
        "$1",
        &["body: `$1`: `opencode` replaces it, although it is plain text in `sven`"],
    );
    body(
        "the rest of the arguments",
        ("opencode", "claude"),
        "$1 $2 \\$3",
        "$0 $1 \\$3",
        &[
            "body: `\\$3`, `$1`, `$2`: `claude` replaces it also if a model loads the skill",
            "body: `$2`: `claude` replaces it by one argument, without those after it",
            "body: `$1`, `$2`: `claude` shows it differently if there is no argument for it",
        ],
    );
}

#[test]
fn commands_in_a_body() {
    body("both run them", ("claude", "claude"), "!`ls`\n", "!`ls`\n", &[]);
    body(
        "the target does not",
        ("claude", "sven"),
        "!`ls -a`\n```!\npwd\n```\n",
        "!`ls -a`\n```!\npwd\n```\n",
        &["body: `ls -a`, `pwd`: `sven` does not run commands in a body"],
    );
    body(
        "the source does not",
        ("sven", "claude"),
        "Not!`this`, !`ls`\n  ```!\npwd\n```\n",
        "Not!`this`, \\!`ls`\n  ``` !\npwd\n```\n",
        &["body: `ls`, `pwd`: `claude` would run it, although it is plain text in `sven`"],
    );
}

#[test]
fn files_of_the_folder() {
    let tree = "
//- /s/pot/SKILL.md
---
name: pot
description: Tea.
---
//- /s/pot/scripts/boil.sh
#!/bin/sh
//- /s/pot/.git/HEAD
x
//- /s/pot/same.md link=SKILL.md
//- /s/pot/out.md link=/s2/secret
//- /s/pot/dir link=scripts
//- /s/pot/nowhere link=gone
//- /s/pot/pipe other
//- /s/pot/cup/SKILL.md
---
description: Cup.
---
//- /s2/secret
x
";
    let mut ground = ground(tree).roots(&["/s"]);
    ground.places.only_roots = true;
    let converted = ground.of("files", "claude", |world, catalog| {
        Conversion::of(world, catalog, catalog.find_any("pot").expect("it is there"), &table("pegasus"))
            .expect("it can be")
    });
    let files: Vec<&str> = converted.files.iter().map(|file| file.to.as_str()).collect();
    assert_eq!(files, ["cup/SKILL.md", "same.md", "scripts/boil.sh"]);
    begin(
        "files",
        &losses(&converted),
        &[
            "dir: symlinks to folders are not copied",
            "nowhere: the symlink leads nowhere",
            "out.md: the symlink leads out of the skill's folder",
            "pipe: it is neither a file nor a folder",
            "cup/SKILL.md: the nested skill is copied as it is",
        ],
    );
}

#[test]
fn the_second_file_of_fields() {
    let hidden = skill(&format!("{TEA}\ndisable-model-invocation: true"), "");
    let codex = table("codex");
    let ground = on(Tree::default().with("/s/pot/SKILL.md", hidden.as_str()));
    let converted = conversion("a new one", &ground, "claude", &codex);
    let text = "policy:\n  allow_implicit_invocation: false\n".to_owned();
    assert_eq!(converted.sidecar, Some(("agents/openai.yaml".to_owned(), text.clone())));
    assert_eq!(losses(&converted), Vec::<String>::new());
    let ground =
        on(Tree::default().with("/s/pot/SKILL.md", hidden.as_str()).with("/s/pot/agents/openai.yaml", "a: b\n"));
    let converted = conversion("one is there", &ground, "claude", &codex);
    assert_eq!(converted.sidecar, None);
    begin("one is there", &losses(&converted), &["agents/openai.yaml: the file exists"]);
    let plain = skill(TEA, "");
    let ground = on(Tree::default().with("/s/pot/SKILL.md", plain).with("/s/pot/agents/openai.yaml", text));
    let converted = conversion("from one", &ground, "codex", &table("claude"));
    assert_eq!(converted.manifest, skill(&format!("{TEA}\ndisable-model-invocation: true"), ""));
    assert_eq!(losses(&converted), Vec::<String>::new());
    let converted = conversion("from one to none", &ground, "codex", &table("gencode"));
    begin("from one to none", &losses(&converted), &["agents/openai.yaml: `gencode` has no field for hiding"]);
}

/// A client may end the frontmatter in the middle of a text.
#[test]
fn texts_with_dashes() {
    let text = "name: pot\n# a --- b\ndescription: |\n  Tea.\n  ---\n  Hot --- hot.\nlicense: MIT --- me";
    let other = "name: pot\n# a — b\ndescription: \"Tea.\\n-\\x2d-\\nHot -\\x2d- hot.\"\nlicense: \"MIT -\\x2d- me\"";
    fields("by dashes", ("agentskills", "claude"), text, other, &[]);
    fields("by none", ("agentskills", "gencode"), text, text, &[]);
}

#[test]
fn what_cannot_be_converted() {
    let ground =
        ground("//- /s/pot/SKILL.md\n---\nname: pot\ndescription: Tea.\n---\n//- /s/pot/a.md\nx\n").roots(&["/s"]);
    let code = |ground: &Ground| {
        ground.of("refused", "claude", |world, catalog| {
            let skill = catalog.find_any("pot").expect("it is there");
            Conversion::of(world, catalog, skill, &table("sven")).map(|_| ()).map_err(|error| error.code())
        })
    };
    assert_eq!(code(&ground), Ok(()));
    for file in ["/s/pot/SKILL.md", "/s/pot/a.md"] {
        let mut refused = ground.clone();
        refused.host.unreadable.insert(path(file));
        assert_eq!(code(&refused), Err("read-denied"), "{file}");
    }
}
