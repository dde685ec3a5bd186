//! Packages of the Agent Plugins specification: rule 2.19. In memory and on the disk.

use crate::common;

use common::ground::{briefs, ground, on};
use common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::author::Matrix;
use skilltree::{CheckRequest, Code, PromptRequest, check, why};

const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";

/// A manifest with these further fields, each with a comma before it.
fn manifest(name: &str, more: &str) -> String {
    format!(r#"{{"$schema": "{SCHEMA}", "name": "{name}"{more}}}"#)
}

/// A SKILL.md with these lines.
fn skill(lines: &str) -> String {
    format!("---\n{lines}\n---\nBody.\n")
}

fn tea() -> String {
    skill("name: tea\ndescription: Makes tea.")
}

/// The folder of packages of a dialect in which all of these tests are done.
fn packages_of(dialect: &str) -> &'static str {
    match dialect {
        "cline" => "/h/.agents/plugins",
        "qwen" => "/h/.qwen/extensions",
        _ => "/h/.vibe/plugins",
    }
}

const DIALECTS: [&str; 3] = ["cline", "qwen", "vibe"];

/// The sorted keys of the skills, and the findings with their messages.
#[track_caller]
fn look(case: &str, tree: Tree, dialect: &str) -> (Vec<String>, Vec<String>) {
    let mut ground = on(tree);
    // A package is closed even to a user who allows symlinks that lead out of a project.
    ground.places.follow_links_out = true;
    ground.of(case, dialect, |_, catalog| {
        let message = |finding: &skilltree::Diagnostic| format!("{}: {}", finding.code.as_str(), finding.message);
        let mut keys = common::ground::keys(catalog);
        keys.sort();
        (keys, catalog.findings().iter().map(message).collect())
    })
}

/// A package `p` with this manifest, and one skill.
#[track_caller]
fn of_manifest(text: &str, dialect: &str) -> (Vec<String>, Vec<String>) {
    let root = packages_of(dialect);
    let tree = Tree::default()
        .with(&format!("{root}/p/plugin.json"), text.to_owned())
        .with(&format!("{root}/p/skills/tea/SKILL.md"), tea());
    look(text, tree, dialect)
}

#[test]
fn manifests_that_keep_to_the_specification() {
    let long = "a".repeat(64);
    let names = ["p", "my-plugin", "acme.tools", "lint3r", "9lives", long.as_str()];
    for (name, dialect) in names.iter().flat_map(|name| DIALECTS.map(|dialect| (*name, dialect))) {
        let namespace = match (dialect, name) {
            ("vibe", "9lives") => "_9lives".to_owned(),
            ("vibe", name) => name.replace(['-', '.'], "_"),
            (_, name) => name.to_owned(),
        };
        assert_eq!(of_manifest(&manifest(name, ""), dialect), (vec![format!("{namespace}:tea")], vec![]), "{name}");
    }
    for more in [
        r#", "version": "one""#,
        r#", "description": "", "homepage": "no address", "repository": "", "license": """#,
        r#", "author": {}"#,
        r#", "author": {"name": "A", "email": "e", "url": "u"}"#,
        r#", "keywords": []"#,
        r#", "keywords": ["a", "b"]"#,
        r#", "extensions": {}"#,
        r#", "extensions": {"com.example": 5}"#,
    ] {
        for dialect in DIALECTS {
            assert_eq!(of_manifest(&manifest("p", more), dialect), (vec!["p:tea".to_owned()], vec![]), "{more}");
        }
    }
}

#[test]
fn manifests_that_break_it() {
    let long = "a".repeat(65);
    let name = |name: &str| (manifest(name, ""), format!("its name `{}` is not valid", name));
    let more = |more: &str, reason: &str| (manifest("p", more), reason.to_owned());
    let other = |schema: &str, reason: &str| (format!(r#"{{"$schema": {schema}, "name": "p"}}"#), reason.to_owned());
    let no_schema = format!("its manifest has no text `$schema`, expected `{SCHEMA}`");
    let version = "https://agent-plugins.org/schemas/1.1.0/plugin.schema.json";
    let cases = [
        name(""),
        name("My-Plugin"),
        name("-start"),
        name("end."),
        name("has--double"),
        name("too..many"),
        name("a b"),
        name("größe"),
        name(&long),
        (format!(r#"{{"$schema": "{SCHEMA}"}}"#), "its manifest has no text `name`".to_owned()),
        (format!(r#"{{"$schema": "{SCHEMA}", "name": 5}}"#), "its manifest has no text `name`".to_owned()),
        other(&format!("\"{version}\""), &format!("its `$schema` is `{version}`, expected `{SCHEMA}`")),
        other("\"\"", &format!("its `$schema` is ``, expected `{SCHEMA}`")),
        other("5", &no_schema),
        (r#"{"name": "p"}"#.to_owned(), no_schema.clone()),
        ("[]".to_owned(), "its manifest is not an object".to_owned()),
        more(r#", "version": 1"#, "`version` is not a text"),
        more(r#", "description": null"#, "`description` is not a text"),
        more(r#", "license": ["MIT"]"#, "`license` is not a text"),
        more(r#", "author": "A""#, "`author` is not an object"),
        more(r#", "author": {"name": 5}"#, "`name` is not a text"),
        more(r#", "author": {"nick": "A"}"#, "`author` has the field `nick`"),
        more(r#", "keywords": "a""#, "`keywords` is not a list of texts"),
        more(r#", "keywords": [5]"#, "`keywords` is not a list of texts"),
    ];
    for (text, reason) in cases {
        let expected = vec![format!("plugin-invalid: the package is ignored: {reason}")];
        assert_eq!(of_manifest(&text, "cline"), (vec![], expected), "{text}");
    }
    let (too_large, own) = (format!("{}{}", " ".repeat(262_144), manifest("p", "")), "could not be read");
    for text in ["{", "\u{feff}{}", "{\"a\": 1,}", "", too_large.as_str()] {
        let (keys, findings) = of_manifest(text, "cline");
        assert_eq!((keys.len(), findings.len()), (0, 1), "{findings:?}");
        assert!(findings[0].contains(own), "{findings:?}");
    }
}

#[test]
fn fields_that_are_ignored() {
    for (more, odd) in [
        (r#", "skills": "elsewhere""#, "the specification has no field `skills`"),
        (r#", "extensions": 5"#, "`extensions` is not an object"),
    ] {
        let ignored = vec![format!("plugin-invalid: the field is ignored: {odd}")];
        for dialect in ["cline", "qwen"] {
            let expected = (vec!["p:tea".to_owned()], ignored.clone());
            assert_eq!(of_manifest(&manifest("p", more), dialect), expected, "{more}");
        }
        let refused = vec![format!("plugin-invalid: the package is ignored: {odd}")];
        assert_eq!(of_manifest(&manifest("p", more), "vibe"), (vec![], refused), "{more}");
    }
    let reserved = vec!["plugin-invalid: the package is ignored: `vibe` reserves the name `vibe`".to_owned()];
    assert_eq!(of_manifest(&manifest("vibe", ""), "vibe"), (vec![], reserved));
}

/// What becomes of a skill with these fields in the folder `tea` of a package: its key, or the codes of why not.
#[track_caller]
fn of_skill(lines: &str, dialect: &str) -> String {
    let root = packages_of(dialect);
    let tree = Tree::default()
        .with(&format!("{root}/p/plugin.json"), manifest("p", ""))
        .with(&format!("{root}/p/skills/tea/SKILL.md"), skill(lines));
    let (keys, findings) = look(lines, tree, dialect);
    let codes = findings.iter().map(|finding| finding.split(':').next().unwrap_or_default().to_owned());
    keys.first().cloned().unwrap_or_else(|| codes.collect::<Vec<_>>().join(" "))
}

#[test]
fn skills_of_packages() {
    const FINE: &str = "name: tea\ndescription: Makes tea.";
    let text = |length: usize| "x".repeat(length);
    // In cline, qwen and vibe, as runs of the clients have it.
    for (lines, expected) in [
        (FINE.to_owned(), ["p:tea"; 3]),
        ("name: cup\ndescription: Makes tea.".to_owned(), ["name-mismatch"; 3]),
        ("description: Makes tea.".to_owned(), ["name-missing"; 3]),
        ("name: tea".to_owned(), ["description-missing"; 3]),
        (format!("name: tea\ndescription: {}", text(1_024)), ["p:tea"; 3]),
        (format!("name: tea\ndescription: {}", text(1_025)), ["too-long"; 3]),
        (format!("{FINE}\nmodel: m"), ["unknown-field", "p:tea", "p:tea"]),
        (format!("{FINE}\nversion: 1.0.0"), ["unknown-field", "p:tea", "p:tea"]),
        (format!("{FINE}\nallowed-tools: [Read]"), ["wrong-type", "wrong-type", "p:tea"]),
        (format!("{FINE}\nallowed-tools: Read"), ["p:tea"; 3]),
        (format!("{FINE}\nlicense: 5"), ["wrong-type"; 3]),
        (format!("{FINE}\nlicense: MIT"), ["p:tea"; 3]),
        (format!("{FINE}\nmetadata: {{a: 5}}"), ["wrong-type", "wrong-type", "p:tea"]),
        (format!("{FINE}\nmetadata: {{a: \"5\"}}"), ["p:tea"; 3]),
        (format!("{FINE}\ncompatibility: {}", text(501)), ["too-long", "too-long", "p:tea"]),
        (format!("{FINE}\ncompatibility: \"\""), ["wrong-type", "wrong-type", "p:tea"]),
    ] {
        assert_eq!(DIALECTS.map(|dialect| of_skill(&lines, dialect)), expected, "{lines}");
    }
}

#[test]
fn where_skills_lie() {
    let root = packages_of("cline");
    let ground = ground(&format!(
        "//- {root}/p/plugin.json\n{p}\n\
         //- {root}/p/skills/tea/SKILL.md\n{tea}\
         //- {root}/p/skills/SKILL.md\n{tea}\
         //- {root}/p/SKILL.md\n{tea}\
         //- {root}/p/skills/a/deep/SKILL.md\n{tea}\
         //- {root}/p/.agents/skills/hidden/SKILL.md\n{tea}\
         //- {root}/p/real/inside/SKILL.md\n{inside}\
         //- {root}/p/skills/inside link=../real/inside\n\
         //- {root}/p/skills/outside link=/out/outside\n\
         //- /out/outside/SKILL.md\n{outside}\
         //- {root}/p/skills/file/SKILL.md link=/out/outside/SKILL.md\n\
         //- {root}/none/skills/tea/SKILL.md\n{tea}\
         //- {root}/link link=/out/package\n\
         //- /out/package/plugin.json\n{linked}\n\
         //- /out/package/skills/tea/SKILL.md\n{tea}\
         //- {root}/again link=p\n\
         //- {root}/stolen/plugin.json link=/out/package/plugin.json\n\
         //- {root}/stolen/skills/tea/SKILL.md\n{tea}\
         //- {root}/flat/plugin.json\n{flat}\n\
         //- {root}/flat/skills\nNo folder.\n\
         //- {root}/empty/plugin.json\n{empty}\n\
         //- {root}/deeper/q/plugin.json\n{empty}\n",
        p = manifest("p", ""),
        linked = manifest("linked", ""),
        empty = manifest("empty", ""),
        flat = manifest("flat", ""),
        tea = tea(),
        inside = skill("name: inside\ndescription: Inside."),
        outside = skill("name: outside\ndescription: Outside."),
    ));
    ground.of("rule 2.19: places", "cline", |_, catalog| {
        assert_eq!(common::ground::keys(catalog), ["p:inside", "p:tea", "linked:tea"]);
        let mut found = briefs(catalog.findings());
        found.sort();
        let expected = [
            "error leads-out /h/.agents/plugins/p/skills/file/SKILL.md",
            "warning leads-out /h/.agents/plugins/p/skills/outside",
            "warning plugin-invalid /h/.agents/plugins/flat/skills",
            "warning plugin-invalid /h/.agents/plugins/none",
            "warning plugin-invalid /h/.agents/plugins/stolen",
            "warning skill-at-root /h/.agents/plugins/p/skills/SKILL.md",
            "warning too-deep /h/.agents/plugins/p/skills/a/deep/SKILL.md",
        ];
        assert_eq!(found, expected);
    });
}

#[test]
fn packages_of_one_name() {
    let tree = |root: &str, folders: &[(&str, &str)]| {
        folders.iter().fold(Tree::default(), |tree, (folder, name)| {
            tree.with(&format!("{root}/{folder}/plugin.json"), manifest(name, "")).with(
                &format!("{root}/{folder}/skills/{folder}/SKILL.md"),
                skill(&format!("name: {folder}\ndescription: D.")),
            )
        })
    };
    let twins = [("b", "same"), ("a", "same"), ("c", "other")];
    for (dialect, expected) in
        [("cline", vec!["other:c", "same:a"]), ("qwen", vec!["other:c", "same:a"]), ("vibe", vec!["other:c"])]
    {
        let (keys, findings) = look("rule 2.19: twins", tree(packages_of(dialect), &twins), dialect);
        assert_eq!((keys, findings.len()), (expected.iter().map(|&key| key.to_owned()).collect(), 3 - expected.len()));
    }
    let namesakes = [("a", "a-b"), ("b", "a.b")];
    let (keys, findings) = look("rule 2.19: one identifier", tree("/h/.vibe/plugins", &namesakes), "vibe");
    assert_eq!((keys.len(), findings.len()), (0, 2), "{findings:?}");
    // The package of the project takes the place of the other as a whole.
    let both = tree("/h/.vibe/plugins", &[("x", "p"), ("y", "p2")]);
    let both = both
        .with("/p/.vibe/plugins/z/plugin.json", manifest("p", ""))
        .with("/p/.vibe/plugins/z/skills/z/SKILL.md", skill("name: z\ndescription: D."));
    let (keys, findings) = look("rule 2.19: of the project", both, "vibe");
    assert_eq!((keys, findings.len()), (vec!["p2:y".to_owned(), "p:z".to_owned()], 1), "{findings:?}");
}

#[test]
fn a_project_brings_no_package_from_elsewhere() {
    let tree = format!(
        "//- /p/.vibe/plugins/p link=/out/package\n\
         //- /out/package/plugin.json\n{}\n\
         //- /out/package/skills/tea/SKILL.md\n{}",
        manifest("p", ""),
        tea()
    );
    ground(&tree).of("rule 2.19: of a project", "vibe", |_, catalog| {
        assert_eq!(common::ground::keys(catalog), Vec::<String>::new());
        assert_eq!(briefs(catalog.findings()), ["warning leads-out /p/.vibe/plugins/p"]);
    });
}

/// A folder of extensions has plugins of the client's own beside packages, each with its manifest.
#[test]
fn packages_beside_plugins_of_another_kind() {
    let root = packages_of("qwen");
    let tree = Tree::default()
        .with(&format!("{root}/own/qwen-extension.json"), r#"{"name": "own"}"#)
        .with(&format!("{root}/own/skills/tea/SKILL.md"), tea())
        .with(&format!("{root}/p/plugin.json"), manifest("p", ""))
        .with(&format!("{root}/p/qwen-extension.json"), r#"{"name": "other"}"#)
        .with(&format!("{root}/p/skills/tea/SKILL.md"), tea())
        .with(&format!("{root}/none/skills/tea/SKILL.md"), tea());
    let (keys, findings) = look("rule 2.19: both kinds", tree, "qwen");
    assert_eq!(keys, ["own:tea", "p:tea"]);
    let expected =
        "plugin-invalid: the plugin is ignored: expected `qwen-extension.json`, or a `plugin.json` of a package";
    assert_eq!(findings, [expected]);
}

/// A skill of a package that is not read has its reason, by its path and by the name of the package.
#[test]
fn why_a_package_is_not_read() {
    let root = packages_of("cline");
    let at = format!("{root}/broken/skills/tea/SKILL.md");
    let tree = Tree::default().with(&format!("{root}/broken/plugin.json"), manifest("P", "")).with(&at, tea());
    on(tree).of("rule 2.19: why", "cline", |world, catalog| {
        for asked in [at.as_str(), "broken"] {
            let answers = why(world, catalog, asked, &PromptRequest::default());
            let told: Vec<_> = answers.iter().map(|why| (why.path.as_str(), why.code.map(Code::as_str))).collect();
            assert_eq!(told, [(format!("{root}/broken").as_str(), Some("plugin-invalid"))], "{asked}");
        }
    });
}

/// So has a skill by its own name, and in the matrix.
#[test]
fn skills_of_plugins_that_are_ignored() {
    for dialect in ["cline", "qwen"] {
        let root = packages_of(dialect);
        let at = format!("{root}/none/skills/deep/SKILL.md");
        let ground = on(Tree::default().with(&at, skill("name: deep\ndescription: Digs.")));
        let told = ground.of("why", dialect, |world, catalog| {
            let answers = why(world, catalog, "deep", &PromptRequest::default());
            answers.iter().map(|why| (why.path.to_string(), why.code)).collect::<Vec<_>>()
        });
        assert_eq!(told, [(at.clone(), Some(Code::PluginInvalid))], "{dialect}");
        let dialects = [common::ground::table(dialect)];
        let table = ground.ask("a matrix", |world| Matrix::of(world, &dialects, &PromptRequest::default()));
        let rows = table.rows.iter().map(|row| (row.path.to_string(), row.cells[0].code));
        assert_eq!(rows.collect::<Vec<_>>(), [(at, Some(Code::PluginInvalid))], "{dialect}");
    }
}

/// `check` of a folder tells authors what a manifest breaks, whatever the dialect.
#[test]
fn manifests_are_checked() {
    let found = |text: &str| {
        let tree = Tree::default()
            .with("/repo/p/plugin.json", text.to_owned())
            .with("/repo/p/skills/tea/SKILL.md", tea())
            .with("/repo/p/skills/milk/SKILL.md", skill("name: milk\ndescription: Warms milk."));
        on(tree).of("rule 2.19: check", "agentskills", |world, catalog| {
            let findings = check(world, catalog.dialect(), &[path("/repo")], &CheckRequest::default()).unwrap();
            findings.iter().map(ToString::to_string).collect::<Vec<_>>()
        })
    };
    assert_eq!(found(&manifest("p", "")), Vec::<String>::new());
    assert_eq!(found(r#"{"name": 5}"#), Vec::<String>::new(), "a manifest of another kind");
    let broken = found(&manifest("P", ""));
    assert_eq!(broken.len(), 1, "{broken:?}");
    let expected =
        "error[plugin-invalid]: the package breaks the Agent Plugins specification: its name `P` is not valid";
    assert!(broken[0].contains(expected), "{broken:?}");
    let odd = found(&manifest("p", r#", "hooks": {}"#));
    assert_eq!(odd.len(), 1, "{odd:?}");
    let expected = "warning[plugin-invalid]: the package breaks the Agent Plugins specification: the specification has no field `hooks`";
    assert!(odd[0].contains(expected), "{odd:?}");
}
