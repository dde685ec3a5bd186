//! Laws of conversion: a skill is there for the other system, and what is not listed as lost is read the same.

use super::{dialects, words};
use crate::common::{Machine, Tree, path, property};
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use skilltree::author::{Conversion, FieldRole};
use skilltree::model::{Frontmatter, Reading};
use skilltree::{Caller, Catalog, Dialect, LoadRequest, Places, Skill, World, discover, load};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Fields of all dialects, with values that are usual and some that are not.
const FIELDS: &[&str] = &[
    "name: tea",
    "name: Tea Time",
    "name: \"a/b: c\"",
    "name: übung--x-",
    "description: Makes tea.",
    "description: >-\n  Makes tea\n  and more.",
    "description: \"quoted # no comment\"   # a comment",
    "description: [a, b]",
    "version: 1.2",
    "license: MIT",
    "compatibility: needs water",
    "metadata:\n  author: me\n  # a comment\n  list: [1, two]",
    "metadata: none",
    "metadata: {argument-hint: <cup>, arguments: [cup], author: me}",
    "globs: \"*.md\"",
    "allowed-tools: Bash(git add, git commit), Read",
    "allowed-tools: [\"Bash(git *)\", Read]",
    "allowed-tools:\n  - Read\n  - Bash(a b)",
    "allowed-tools: &tools Read",
    "disable-model-invocation: &flag true",
    "argument-hint: <file>",
    "sven:\n  always: true\n  requires_bins: [git]\n  mine: 1",
    "sven:\n  user_invocable_only: yes  # for users",
    "sven: text",
    "knowledge: [a.md]",
    "disable-model-invocation: true",
    "disable-model-invocation: false",
    "user-invocable: no",
    "when_to_use: at tea time",
    "arguments: file page",
    "disallowed-tools: Write",
    "model: opus",
    "effort: high",
    "context: fork",
    "context: inline",
    "agent: helper",
    "background: true",
    "hooks:\n  a:\n    - b: c",
    "paths: \"src/**/*.rs, *.md\"",
    "shell: bash",
    "namespace: git",
    "toolsets: [\"index:Tools\"]",
    "scripts: [a.py]",
    "scripts: []",
    "triggers:\n  keywords: [tea, pot]\n  verbs: [brew]\n  patterns: [\"\\\\.tea$\"]",
    "default_enabled: false",
    "brief_description: Tea.",
    "sandbox: true",
    "permissions: [\"@network\"]",
    "x-mine: {a: [1, {b: null}], \"c d\": ~}",
    "\"odd key: #\": \"value\\twith tab\"",
    "name: ' Tea  pot '",
    "license: \"  MIT\\t\"",
    "model-x: &x tea\ncompatibility: *x\nmodel: *x",
    "version:\t1.0.0",
    "# a comment",
    "",
];

const BODIES: &[&str] = &[
    "Boil water.",
    "$ARGUMENTS",
    "$ARGUMENTS[1]",
    "$0 and $1,",
    "\\$1",
    "\\\\$1",
    "$05.00",
    "$file-name",
    "\\$file",
    "${CLAUDE_SKILL_DIR}/a",
    "\\${CLAUDE_SKILL_DIR}",
    "${CLAUDE_SESSION_ID}",
    "${HOME}",
    "!`git status $1`",
    "\n```!\nls\n```\n",
    "`!`not`",
    "\n# Heading\n",
    "\n\n",
    "---",
    "$",
    "\\",
    "€",
];

fn manifest() -> impl Strategy<Value = String> {
    let fields = vec(select(FIELDS), 0..7).prop_map(|fields| fields.join("\n"));
    let body = vec(select(BODIES), 0..6).prop_map(|parts| parts.join(" "));
    let described = prop::bool::weighted(0.8);
    let well = (fields, body, described).prop_map(|(fields, body, is_described)| {
        let described = if is_described { "name: tea\ndescription: Tea.\n" } else { "" };
        format!("---\n{described}{fields}\n---\n{body}\n")
    });
    prop_oneof![3 => well, 1 => words::wild()]
}

fn places(root: &str) -> Places {
    Places { roots: vec![path(root)], only_roots: true, ..Places::default() }
}

/// The key of the field with this role in all dialects.
fn common_path(role: &FieldRole) -> Option<&'static str> {
    match role {
        FieldRole::Version => Some("version"),
        FieldRole::License => Some("license"),
        FieldRole::Compatibility => Some("compatibility"),
        FieldRole::Metadata => Some("metadata"),
        FieldRole::AllowedTools => Some("allowed-tools"),
        FieldRole::ArgumentHint => Some("argument-hint"),
        // A list of scripts counts everywhere.
        FieldRole::Scripts => Some("scripts"),
        _ => None,
    }
}

type Read = fn(&Frontmatter) -> String;

/// Whether a skill is a task for an agent of its own, which some systems call a sandbox.
fn is_task(frontmatter: &Frontmatter) -> String {
    (frontmatter.run().fork == Some(true) || frontmatter.run().sandbox).to_string()
}

/// What a frontmatter says by each field. A default and an absent field read the same.
const ROLES: &[(FieldRole, Read)] = &[
    (FieldRole::Version, |f| format!("{:?}", f.version)),
    (FieldRole::License, |f| format!("{:?}", f.license)),
    (FieldRole::Compatibility, |f| format!("{:?}", f.needs().compatibility)),
    // Some dialects have fields in the author's own map.
    (FieldRole::Metadata, |f| {
        let own = f.metadata.iter().filter(|(key, _)| !["argument-hint", "arguments"].contains(&key.as_str()));
        format!("{:?}", own.collect::<Vec<_>>())
    }),
    (FieldRole::AllowedTools, |f| format!("{:?}", f.allowed_tools)),
    (FieldRole::ArgumentHint, |f| format!("{:?}", f.run().argument_hint)),
    (FieldRole::Pinned, |f| f.pinned.to_string()),
    (FieldRole::NotForModel, |f| f.not_for_model.to_string()),
    (FieldRole::ForUser, |f| f.not_for_user.to_string()),
    (FieldRole::Knowledge, |f| format!("{:?}", f.needs().knowledge)),
    (FieldRole::NeedsBins, |f| format!("{:?}", f.needs().requires)),
    (FieldRole::Namespace, |f| format!("{:?}", f.namespace)),
    (FieldRole::WhenToUse, |f| format!("{:?}", f.triggers().when_to_use)),
    (FieldRole::Context, is_task),
    (FieldRole::Agent, |f| format!("{:?}", f.run().agent)),
    (FieldRole::Model, |f| format!("{:?}", f.run().model)),
    (FieldRole::Effort, |f| format!("{:?}", f.run().effort)),
    (FieldRole::Background, |f| f.run().background.unwrap_or(false).to_string()),
    (FieldRole::Shell, |f| format!("{:?}", f.run().shell)),
    (FieldRole::Arguments, |f| format!("{:?}", f.run().arguments)),
    (FieldRole::Paths, |f| format!("{:?}", f.run().paths)),
    (FieldRole::Sandbox, is_task),
    (FieldRole::Permissions, |f| format!("{:?}", f.run().permissions)),
    (FieldRole::DisallowedTools, |f| format!("{:?}", f.run().disallowed_tools)),
    (FieldRole::Toolsets, |f| format!("{:?}", f.run().toolsets)),
    (FieldRole::Scripts, |f| {
        // `scripts` does not tell an empty list from a value that is no list of names; the last of the settings does.
        let run = format!("{:?}", f.run());
        run.rsplit_once("scripts: ").map_or(run.clone(), |(_, scripts)| scripts.to_owned())
    }),
    (FieldRole::Keywords, |f| format!("{:?}", f.triggers().keywords)),
    (FieldRole::Verbs, |f| format!("{:?}", f.triggers().verbs)),
    (FieldRole::Patterns, |f| format!("{:?}", f.triggers().patterns)),
    (FieldRole::Brief, |f| format!("{:?}", f.triggers().brief)),
    (FieldRole::DefaultEnabled, |f| f.triggers().default_enabled.unwrap_or(true).to_string()),
];

/// Converts the skill, and calls `then` with it as the other dialect reads the result.
fn with_converted(
    (from, to): (&Arc<Dialect>, &Arc<Dialect>),
    text: &str,
    then: impl Fn(&Conversion, (&World<'_>, &Catalog, &Skill), (&World<'_>, &Catalog, Option<&Skill>)),
) {
    let machine = Machine { bins: BTreeSet::from(["git".to_owned()]), ..Machine::default() };
    let before = Tree::default().with("/s/pot/SKILL.md", text).mem();
    let before_places = places("/s");
    let world = World::new(&before, &before_places, &machine).with_reading(Some(Reading::Repaired));
    let catalog = discover(&world, from);
    let [skill] = catalog.skills() else { return };
    let converted = Conversion::of(&world, &catalog, skill, to).expect("a skill can be converted");
    let at = format!("/t/{}/SKILL.md", converted.name);
    let mut after = Tree::default().with(&at, converted.manifest.as_str());
    if let Some((name, text)) = &converted.sidecar {
        after = after.with(&format!("/t/{}/{name}", converted.name), text.as_str());
    }
    let after = after.mem();
    let after_places = places("/t");
    let there = World::new(&after, &after_places, &machine).with_reading(Some(Reading::Repaired));
    let catalog_there = discover(&there, to);
    let found = catalog_there.skills().first();
    then(&converted, (&world, &catalog, skill), (&there, &catalog_there, found));
}

/// What the skill says when it is loaded without arguments, with its folder as `DIR`; `None` if it cannot be.
fn loaded(world: &World<'_>, catalog: &Catalog, skill: &Skill) -> Option<String> {
    let caller = if skill.is_for(Caller::User) { Caller::User } else { Caller::Model };
    let loaded = load(world, catalog, skill, &LoadRequest::new(caller)).ok()?;
    Some(loaded.body.replace(loaded.dir.as_str(), "DIR").trim().to_owned())
}

fn each_pair(all: &[Arc<Dialect>], then: impl Fn(&Arc<Dialect>, &Arc<Dialect>)) {
    for from in all {
        all.iter().for_each(|to| then(from, to));
    }
}

#[test]
fn what_is_not_lost_is_read_the_same() {
    let all = dialects();
    property::check("what_is_not_lost_is_read_the_same", 30, manifest(), |text| {
        each_pair(&all, |from, to| {
            with_converted((from, to), &text, |converted, (_, _, skill), (_, _, found)| {
                let case = || format!("{} to {}:\n{text}\n{converted:#?}", from.name(), to.name());
                let lost: BTreeSet<&str> = converted.lost.iter().map(|loss| loss.field.as_str()).collect();
                let Some(found) = found else {
                    assert!(lost.contains("SKILL.md"), "it is gone, from {}", case());
                    return;
                };
                let (before, after) = (&*skill.frontmatter, &*found.frontmatter);
                for (role, read) in ROLES {
                    let paths = |dialect: &Dialect| {
                        let own = dialect.fields().filter(|(_, known)| *known == role);
                        own.map(|(path, _)| path.to_owned()).collect::<Vec<_>>()
                    };
                    let common = common_path(role).map(str::to_owned);
                    let is_told =
                        paths(from).into_iter().chain(paths(to)).chain(common).any(|at| lost.contains(at.as_str()));
                    // Both kinds of requirements are read into one list.
                    let is_told = is_told || (*role == FieldRole::NeedsBins && lost.contains("sven.requires_env"));
                    let is_task = matches!(role, FieldRole::Context | FieldRole::Sandbox);
                    let is_told = is_told || (is_task && (lost.contains("context") || lost.contains("sandbox")));
                    if !is_told {
                        assert_eq!(read(before), read(after), "{role:?}, from {}", case());
                    }
                }
                if let Some(description) = before.description.as_ref().filter(|_| !lost.contains("description")) {
                    assert_eq!(Some(description), after.description.as_ref(), "the description, from {}", case());
                }
                if let Some(name) = before.name.as_ref().filter(|_| !lost.contains("name")) {
                    assert_eq!(Some(name), after.name.as_ref(), "the name, from {}", case());
                }
                // Fields in maps are compared by their roles.
                let holds_fields = |dialect: &Dialect, key: &str| {
                    let nested = format!("{}.", key.split('.').next().unwrap_or(key));
                    dialect.fields().any(|(path, _)| path == key || path.starts_with(&nested))
                };
                // What restricts everywhere is compared by its role, too.
                let is_known = |key: &str| key == "scripts" || holds_fields(from, key) || holds_fields(to, key);
                for (key, value) in
                    before.other.iter().filter(|(key, _)| !is_known(key) && !lost.contains(key.as_str()))
                {
                    let kept = after.other.iter().find(|(other, _)| other == key).map(|(_, value)| value);
                    assert_eq!(Some(value), kept, "the unknown field {key}, from {}", case());
                }
            });
        });
        Ok(())
    });
}

#[test]
fn a_body_is_loaded_the_same_unless_it_is_listed() {
    let all = dialects();
    property::check("a_body_is_loaded_the_same_unless_it_is_listed", 30, manifest(), |text| {
        each_pair(&all, |from, to| {
            with_converted((from, to), &text, |converted, (world, catalog, skill), (there, catalog_there, found)| {
                let told = |field: &str| converted.lost.iter().any(|loss| loss.field == field);
                let Some(found) = found.filter(|_| !told("body") && !told("arguments")) else { return };
                let (before, after) = (loaded(world, catalog, skill), loaded(there, catalog_there, found));
                if let (Some(before), Some(after)) = (before, after) {
                    assert_eq!(before, after, "{} to {}:\n{text}\n{converted:#?}", from.name(), to.name());
                }
            });
        });
        Ok(())
    });
}

#[test]
fn a_skill_of_the_same_system_stays_as_it_is() {
    property::check("a_skill_of_the_same_system_stays_as_it_is", 100, manifest(), |text| {
        for dialect in dialects() {
            with_converted((&dialect, &dialect), &text, |converted, (_, _, skill), (_, _, found)| {
                assert_eq!(converted.lost, [], "{}:\n{text}", dialect.name());
                let found = found.unwrap_or_else(|| panic!("{}: it is gone:\n{text}", dialect.name()));
                assert_eq!(skill.frontmatter, found.frontmatter, "{}:\n{text}", dialect.name());
            });
        }
        Ok(())
    });
}
