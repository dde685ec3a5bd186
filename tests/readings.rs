//! The two ways of reading: each dialect has one, a world may choose the other, a skill that is in use only thanks to a
//! repair says so (rule 4.12), and what either way restricts holds wherever a text is given (rule 9.13).

use crate::common;

use common::ground::{Ground, ground, table};
use common::path;
use pretty_assertions::assert_eq;
use skilltree::author::FixRequest;
use skilltree::author::Matrix;
use skilltree::dialect::NAMES;
use skilltree::model::Reading;
use skilltree::offer::{SearchIndex, SearchRequest};
use skilltree::{
    Caller, Catalog, Json, LoadRequest, PromptRequest, World, call, commands, invoke, load, prompt, tool, why,
};

/// A skill `tea` in a source of each dialect.
fn tea(dialect: &str, text: &str) -> Ground {
    let root = match dialect {
        "agentskills" | "codex" | "goose" | "gemini" | "opencode" | "cursor" | "copilot-cli" | "qwen" | "kilo"
        | "pi" | "cline" | "droid" | "kimi" | "vibe" | "openclaw" | "zed" | "crush" => "/p/.agents/skills",
        "claude" | "continue" => "/p/.claude/skills",
        "hermes" => "/h/.hermes/skills",
        "copilot" => "/p/.github/skills",
        "sven" => "/p/.sven/skills",
        "agent-base" => "/p/src/_bundled_skills",
        "gencode" => "/p/.gen/skills",
        "pegasus" => "/p/data/skills",
        _ => "/p/.daycare/skills",
    };
    ground(&format!("//- {root}/tea/SKILL.md\n{text}"))
}

#[test]
fn each_dialect_has_its_own() {
    for name in NAMES {
        let repairs = ["agentskills", "sven", "agent-base", "gencode", "pegasus", "daycare"].contains(name);
        let expected = if repairs { Reading::Repaired } else { Reading::Faithful };
        assert_eq!(table(name).reading(), expected, "{name}");
    }
}

/// What is said of the one skill: whether it is in use, and whether thanks to a repair.
fn said(catalog: &Catalog) -> &'static str {
    match catalog.skills() {
        [] => "lost",
        [skill] if skill.repaired => "repaired",
        _ => "in use",
    }
}

#[test]
fn thanks_to_a_repair() {
    let cases = [
        ("nothing wrong", "agentskills", "---\nname: tea\ndescription: D\n---\nB\n", "in use", "in use"),
        ("a colon", "agentskills", "---\nname: tea\ndescription: D: e\n---\nB\n", "repaired", "lost"),
        ("a colon in another field", "sven", "---\nname: tea\ndescription: D\nx: a: b\n---\nB\n", "repaired", "lost"),
        ("a comment that cuts", "agentskills", "---\nname: tea\ndescription: D #e\n---\nB\n", "in use", "in use"),
        ("something before", "agentskills", "# T\n---\nname: tea\ndescription: D\n---\nB\n", "repaired", "lost"),
        ("a fallback", "pegasus", "---\nname: tea\ndescription: D: e\n---\nB\n", "repaired", "lost"),
        (
            "a block and a small finding",
            "pegasus",
            "---\nname: tea\ndescription: |\n  D\nlicense: A\nlicense: B\n---\nB\n",
            "in use",
            "in use",
        ),
        ("a client that repairs itself", "opencode", "---\nname: tea\ndescription: D: e\n---\nB\n", "in use", "in use"),
        // Nothing is found in these where they are repaired.
        ("a blank line first", "codex", "\n---\nname: tea\ndescription: D\n---\nB\n", "repaired", "lost"),
        ("a byte order mark", "codex", "\u{feff}---\nname: tea\ndescription: D\n---\nB\n", "repaired", "lost"),
        ("a blank behind a fence", "gemini", "--- \nname: tea\ndescription: D\n---\nB\n", "repaired", "lost"),
        ("a blank behind the other", "zed", "---\nname: tea\ndescription: D\n--- \nB\n", "repaired", "lost"),
        ("a lost description", "copilot", "\n---\nname: tea\ndescription: D\n---\nB\n", "repaired", "in use"),
        (
            "a blank line that may be first",
            "agentskills",
            "\n---\nname: tea\ndescription: D\n---\nB\n",
            "in use",
            "in use",
        ),
        (
            "a flag in quotes",
            "copilot-cli",
            "---\nname: tea\ndescription: D\nuser-invocable: \"true\"\n---\nB\n",
            "repaired",
            "lost",
        ),
        ("a number", "vibe", "---\nname: 123\ndescription: D\n---\nB\n", "repaired", "lost"),
        ("a string", "vibe", "---\nname: '123'\ndescription: D\n---\nB\n", "in use", "in use"),
        ("long strings", "vibe", "---\r\nname: teapot\r\ndescription: Makes tea.\r\n---\r\nB\r\n", "in use", "in use"),
        ("a client that does not", "goose", "---\nname: tea\ndescription: D: e\n---\nB\n", "repaired", "lost"),
    ];
    for (case, dialect, text, repaired, faithful) in cases {
        let ground = tea(dialect, text);
        let own = ground.of(case, dialect, |_, catalog| said(catalog));
        let is_client = table(dialect).reading() == Reading::Faithful;
        assert_eq!(own, if is_client { faithful } else { repaired }, "{case}");
        assert_eq!(ground.clone().repaired().of(case, dialect, |_, catalog| said(catalog)), repaired, "{case}");
        let ground = Ground { reading: Some(Reading::Faithful), ..ground };
        assert_eq!(ground.of(case, dialect, |_, catalog| said(catalog)), faithful, "{case}");
    }
}

#[test]
fn a_file_in_another_letter_case_is_a_repair() {
    let ground = ground("//- /p/.agents/skills/tea/skill.md\n---\nname: tea\ndescription: D\n---\nB\n");
    assert_eq!(ground.of("case", "agentskills", |_, catalog| said(catalog)), "repaired");
}

#[test]
fn every_answer_says_it() {
    let ground = tea("agentskills", "---\nname: tea\ndescription: D: e\n---\nB\n");
    ground.of("json", "agentskills", |world, catalog| {
        let list = catalog.to_json(world, &commands(catalog, &[]));
        let flag = |json: &Json| json.get("repaired").cloned();
        let Some(Json::List(skills)) = list.get("skills") else { panic!("there are skills") };
        assert_eq!(flag(&skills[0]), Some(Json::Bool(true)));
        let matrix = Matrix::of(world, &[table("agentskills"), table("goose")], &PromptRequest::default());
        let cells: Vec<_> = matrix.rows[0].cells.iter().map(|cell| (cell.state.as_str(), cell.repaired)).collect();
        assert_eq!(cells, [("in-use", true), ("skipped", false)]);
        let matrix = skilltree::author::Matrix::of(
            &world.with_reading(Some(Reading::Repaired)),
            &[table("goose")],
            &PromptRequest::default(),
        );
        assert!(matrix.rows[0].cells[0].repaired, "the override counts in a matrix as well");
    });
}

const HIDDEN: &str = "---\ndescription: Makes tea.\ndisable-model-invocation: true\nlicense: \"open\n---\nSECRET\n";

#[test]
fn a_broken_line_gives_nothing_away() {
    tea("claude", HIDDEN).of("a broken line", "claude", |world, catalog| {
        let skill = &catalog.skills()[0];
        assert!(skill.as_read().is_for(Caller::Model) && !skill.is_for(Caller::Model), "Claude Code would show it");
        assert!(skill.withheld_from(Caller::Model) && !skill.withheld_from(Caller::User));
        let refused = |code: &str| assert_eq!(code, "not-for-model");
        refused(catalog.find("tea", Caller::Model).expect_err("it is refused").code());
        refused(load(world, catalog, skill, &LoadRequest::new(Caller::Model)).expect_err("it is refused").code());
        assert!(load(world, catalog, skill, &LoadRequest::new(Caller::User)).is_ok(), "the user may have it");
        assert!(invoke(world, catalog, &commands(catalog, &[]), "/tea").is_ok());
        let called = call(world, catalog, r#"{"skill":"tea"}"#).map(|_| ()).expect_err("it is refused");
        refused(called.code());
        let all = [
            prompt(world, catalog, &PromptRequest::default()).text,
            tool(catalog).map(|tool| tool.input_schema.to_string()).unwrap_or_default(),
            format!("{:?}", SearchIndex::new(catalog).search(&SearchRequest::new("makes tea", Caller::Model)).hits),
        ];
        assert!(all.iter().all(|text| !text.contains("tea\"") && !text.contains("Makes tea")), "{all:?}");

        let told = why(world, catalog, "tea", &PromptRequest::default());
        assert_eq!(told[0].outcome.as_str(), "in-use", "what the client does is reported");
        assert!(
            told[0].message.ends_with(
                "; it is withheld from the model here, because `disable-model-invocation` restricts it if the file is read \
                 as its author meant it"
            ),
            "{}",
            told[0].message
        );
        let found: Vec<_> = catalog.findings().iter().map(|found| (found.code.as_str(), found.at.map(|at| at.line))).collect();
        assert!(found.contains(&("restriction-missed", Some(3))), "{found:?}");
        let list = catalog.to_json(world, &commands(catalog, &[])).to_string();
        assert!(list.contains(r#""model":true"#) && list.contains(r#""withheld_from":["model"]"#), "{list}");
    });
}

#[test]
fn restrictions_of_either_reading() {
    let hidden = |skill: &skilltree::Skill| format!("{} {}", skill.is_for(Caller::Model), skill.is_for(Caller::User));
    let cases: [(&str, &str, &str, Reading, &str); 6] = [
        ("a flag", "claude", "disable-model-invocation: yes", Reading::Faithful, "false true"),
        ("a flag for the user", "claude", "user-invocable: no\nx: \"a", Reading::Faithful, "true false"),
        (
            "two of a key",
            "pegasus",
            "disable-model-invocation: false\ndisable_model_invocation: true",
            Reading::Repaired,
            "true true",
        ),
        ("a nested flag", "sven", "sven:\n  user_invocable_only: true\nx: [a", Reading::Repaired, "false true"),
        ("in another spelling", "agentskills", "Disable-Model-Invocation: true", Reading::Repaired, "true true"),
        ("none", "claude", "x: \"a", Reading::Faithful, "true true"),
    ];
    for (case, dialect, lines, reading, expected) in cases {
        let ground = tea(dialect, &format!("---\nname: tea\ndescription: D\n{lines}\n---\nB\n"));
        let got =
            Ground { reading: Some(reading), ..ground }.of(case, dialect, |_, catalog| hidden(&catalog.skills()[0]));
        assert_eq!(got, expected, "{case}");
    }
}

#[test]
fn restrictions_below_a_fence_too_many() {
    let fields = "description: Deploys.\ndisable-model-invocation: true\n";
    for (front, between) in [
        ("title: T\n", "\n---\nname: tea\n"),
        ("name: tea\n", ""),
        ("name: tea\n", "\n"),
        ("", "name: tea\n"),
        ("description: A.\n", "name: tea\n"),
    ] {
        let text = format!("---\n{front}---\n{between}{fields}\n---\nB\n");
        for dialect in ["claude", "pegasus"] {
            tea(dialect, &text).of(&text, dialect, |_, catalog| {
                let skill = &catalog.skills()[0];
                assert!(skill.as_read().is_for(Caller::Model) && skill.withheld_from(Caller::Model), "rule 9.13");
            });
        }
    }
}

#[test]
fn other_restrictions() {
    let read = |dialect: &str, lines: &str, reading: Reading| {
        let ground = tea(dialect, &format!("---\nname: tea\ndescription: D\n{lines}\n---\nB\n"));
        Ground { reading: Some(reading), ..ground }.of(lines, dialect, |_, catalog| {
            catalog
                .skills()
                .first()
                .map(|skill| (skill.frontmatter.clone(), skill.as_read().frontmatter.clone(), skill.state))
        })
    };
    let (both, own, _) = read("claude", "disallowed-tools: Bash\nx: \"a", Reading::Faithful).expect("a skill");
    assert_eq!(own.run().disallowed_tools, None);
    assert_eq!(both.run().disallowed_tools.as_deref(), Some(&["Bash".to_owned()][..]));
    let (both, own, _) = read("claude", "scripts: [a.sh]\nx: \"a", Reading::Faithful).expect("a skill");
    assert!(own.allows_script("b.sh") && !both.allows_script("b.sh") && both.allows_script("a.sh"));
    let (both, own, _) = read("goose", "scripts:\n- a --- b.sh", Reading::Repaired).expect("a skill");
    assert!(
        own.allows_script("a --- b.sh") && !both.allows_script("a --- b.sh"),
        "the client ends the fields at the dashes"
    );
    let (both, own, _) = read("claude", "allowed-tools: Bash\nx: \"a", Reading::Faithful).expect("a skill");
    assert_eq!((&both.allowed_tools, &own.allowed_tools), (&None, &None), "a grant is no restriction");
}

#[test]
fn a_restriction_behind_what_is_read_at_first() {
    let text = format!("{}{HIDDEN}", "\n".repeat(5_000));
    tea("claude", &text).of("far below", "claude", |world, catalog| {
        assert!(catalog.find("tea", Caller::Model).is_err());
        assert!(!prompt(world, catalog, &PromptRequest::default()).text.contains("tea"));
    });
}

#[test]
fn an_edit_between_listing_and_loading() {
    let open = ground("//- /p/.claude/skills/tea/SKILL.md\n---\ndescription: D\n---\nB\n").tree.mem();
    let closed = ground(&format!("//- /p/.claude/skills/tea/SKILL.md\n{HIDDEN}")).tree.mem();
    let places = ground("").places;
    let catalog = skilltree::discover(&World::new(&open, &places, &()), &table("claude"));
    let now = World::new(&closed, &places, &());
    let error =
        load(&now, &catalog, &catalog.skills()[0], &LoadRequest::new(Caller::Model)).expect_err("it is refused");
    assert_eq!(error.code(), "not-for-model");
}

/// What the client of a dialect reads stays, or becomes what was meant where its findings say that it does not read that.
#[test]
fn a_client_keeps_what_it_reads() {
    let text = |fields: &str| format!("---\n{fields}\n---\nB\n");
    let open = "name: tea\nlicense: \"MIT\n description: Makes tea.";
    let mut stay = vec![
        ("gemini", text(open)),
        ("qwen", text(open)),
        ("gemini", text("name: tea\nallowed-tools:\n- Bash\n description: Makes tea.")),
        ("gemini", text("name: tea\nlicense: [\"MIT\"\n  description: Makes tea.")),
        ("cline", "name: tea\ndescription: a\ndescription: b\n---\nB\n".to_owned()),
        ("claude", text("description: D\npaths: &x a.rs")),
        ("claude", text("description: D\ndisallowed-tools: &x Bash")),
    ];
    for name in NAMES.iter().filter(|name| table(name).reading() == Reading::Faithful) {
        stay.push((name, text("name: &x tea\ndescription: D")));
        stay.push((name, text("name: tea\ndescription: &y Makes tea.\nlicense: &x MIT")));
    }
    let mended = [
        (
            "gemini",
            text("name: tea\nlicense: a: b\ndescription: D"),
            text("name: tea\nlicense: \"a: b\"\ndescription: D"),
        ),
        ("cline", text("name: tea\ndescription: D").replacen("---\n", "", 1), text("name: tea\ndescription: D")),
        (
            "gemini",
            text("name: tea\ndescription: [a]\nlicense: MIT"),
            text("name: tea\ndescription: \"[a]\"\nlicense: MIT"),
        ),
        ("claude", text("name: &x tea\nlicense: [MIT]"), text("name: &x tea\nlicense: \"[MIT]\"")),
        ("claude", text("name: &x tea\nlicense: \"MIT"), text("name: \"&x tea\"\nlicense: \"MIT\"")),
    ];
    for (dialect, before, after) in stay.into_iter().map(|(name, text)| (name, text.clone(), text)).chain(mended) {
        let got = tea(dialect, &before).ask(dialect, |world| {
            let fixed = FixRequest::default().fix(world, &table(dialect), &[]).expect("it is mended");
            fixed.first().map_or_else(|| before.clone(), |file| String::from_utf8_lossy(&file.after).into_owned())
        });
        assert_eq!(got, after, "{dialect}");
    }
}

#[test]
fn files_are_mended_as_they_were_meant() {
    let cases = [
        ("a colon", "claude", "---\ndescription: D: e\n---\nB\n", "---\ndescription: \"D: e\"\n---\nB\n"),
        (
            "a file that is not read",
            "goose",
            "---\nname: tea\ndescription: D: e\n---\nB\n",
            "---\nname: tea\ndescription: \"D: e\"\n---\nB\n",
        ),
        (
            "a file of which no field is read",
            "claude",
            "---\ndescription: D\nallowed-tools: [Read\n---\nB\n",
            "---\ndescription: D\nallowed-tools: \"[Read\"\n---\nB\n",
        ),
    ];
    for (case, dialect, before, after) in cases {
        for reading in [None, Some(Reading::Faithful), Some(Reading::Repaired)] {
            let got = Ground { reading, ..tea(dialect, before) }.ask(case, |world| {
                let fixed = FixRequest::default().fix(world, &table(dialect), &[path("/p")]).expect("it is mended");
                fixed.iter().map(|file| String::from_utf8_lossy(&file.after).into_owned()).collect::<Vec<_>>()
            });
            assert_eq!(got, [after], "{case} ({reading:?})");
        }
    }
}
