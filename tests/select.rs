//! What the model is shown for what the user says: topics 6, 9 and 10 of the rules. In memory and on the disk.

use crate::common;

use common::ground::{Ground, ground, on, skill};
use common::path;
use pretty_assertions::assert_eq;
#[cfg(feature = "patterns")]
use skilltree::{CheckRequest, check};
use skilltree::{Places, PromptRequest, SelectRequest, World, dialect, discover, prompt, select};

const TREE: &str = r#"
//- /p/.agent/skills/tea/SKILL.md
---
name: tea
description: Makes tea.
triggers: {keywords: [brew, hot drink, C++], verbs: [pour]}
---
Boil water.
//- /p/.agent/skills/toast/SKILL.md
---
name: toast
description: Makes toast.
triggers: {verbs: [brew]}
---
//- /p/.agent/skills/the-list/SKILL.md
---
name: the-list
description: Keeps a list.
---
Write it down.
"#;

fn ask(query: &str) -> SelectRequest {
    SelectRequest { query: query.to_owned(), ..SelectRequest::default() }
}

/// The tier, and the keys.
#[track_caller]
fn chosen(ground: &Ground, case: &str, ask: &SelectRequest) -> String {
    ground.of(case, "agent-base", |world, catalog| {
        let selection = select(world, catalog, ask).unwrap_or_else(|error| panic!("{case}: {error}"));
        format!("{} {}", selection.tier.number(), selection.keys.join(" ")).trim_end().to_owned()
    })
}

#[test]
fn chooses_a_tier() {
    let ground = ground(TREE);
    let check =
        |case: &str, query: &str, expect: &str| assert_eq!(chosen(&ground, case, &ask(query)), expect, "{case}");
    check("rule 10.1: none matches", "good morning", "1");
    check("rule 10.1: nothing said", "", "1");
    check("rule 10.1: white space said", " \n ", "1");
    for question in [
        "what can you do?",
        "What else could you do for me",
        "what can i ask you to do",
        "list skills",
        "List all my skills.",
        "show my skills",
        "show me all of your skills",
        "what skills do you have",
        "what skill should I use",
        "which skills are there?",
        "what are your skills",
        "show me your capabilities",
        "list skill",
        "tell me your skills",
        "Tell me about your capabilities",
        "do you have any skills?",
        "what are you capable of?",
        "skills",
        "Skills?",
        "Hello. What can you do?",
    ] {
        check("rule 10.2: a question for the list", question, "2 tea the-list toast");
    }
    check("rule 10.2: a match in the same sentence goes before the question", "list skills for tea", "3 tea");
    check("rule 10.1: a match elsewhere too", "What can you do? I want to brew.", "3 tea toast");
    check("rule 10.2: a match within the question", "show me your tea skills", "3 tea");
    check("rule 10.2: a word about skills is no question", "my skills are poor", "1");
    check("rule 10.2: no question for the list", "list what I need", "1");
    check("rule 10.2: nor is a command line", "what does this do? can you see", "1");
    check("rule 10.2: nor a skillset", "what skillset is that", "1");
    check("rule 10.4: a keyword", "brewing is not to brew", "3 tea toast");
    check("rule 10.5: a keyword of two words over two lines", "a hot\n  drink", "3 tea");
    check("rule 10.4: a keyword that ends in signs", "c++!", "3 tea");
    check("rule 10.4: a verb", "POUR it", "3 tea");
    check("rule 10.4: a name", "the-list", "3 the-list");
    check("rule 10.4: a name behind a slash", "/toast please", "3 toast");
    check("rule 10.3: a name before a keyword", "brew toast", "3 toast tea");
    check("rule 10.4: no part of a name", "the list", "1");
    check("rule 10.4: no part of a word", "teapot, toaster", "1");
}

#[test]
fn ranks() {
    let ground = ground(TREE);
    let check = |case: &str, query: &str, recent: &[&str], max: Option<usize>, expect: &str| {
        let recent = recent.iter().map(|key| (*key).to_owned()).collect();
        assert_eq!(chosen(&ground, case, &SelectRequest { query: query.to_owned(), recent, max }), expect, "{case}");
    };
    check("rule 10.3: the most recently used", "brew", &["toast"], None, "3 toast tea");
    check("rule 10.3: the latest first", "brew", &["toast", "tea"], None, "3 toast tea");
    check("rule 10.3: a key that stands twice", "brew", &["tea", "toast", "tea"], None, "3 tea toast");
    check("rule 10.3: a key of no skill", "brew", &["coffee", "toast"], None, "3 toast tea");
    check("rule 10.3: a name over the most recent", "brew toast", &["tea"], None, "3 toast tea");
    check("rule 10.3: at most so many", "brew", &[], Some(1), "3 tea");
    check("rule 10.3: of those that are named too", "tea toast the-list", &[], Some(2), "3 tea the-list");
    check("rule 10.3: the one that is named", "toast, brew", &[], Some(1), "3 toast");
    check("rule 10.3: the recent of two that are named", "tea toast", &["toast"], Some(1), "3 toast");
    check("rule 10.3: none at all", "brew tea", &[], Some(0), "1");
    check("rule 10.3: more than there are", "tea", &[], Some(usize::MAX), "3 tea");
    let hidden = ground.clone().off("tea");
    assert_eq!(chosen(&hidden, "rule 10.1: switched off", &ask("brew tea")), "3 toast", "rule 10.1: switched off");
    let nothing = hidden.off("toast").off("the-list");
    assert_eq!(chosen(&nothing, "rule 10.1: nothing loaded", &ask("list skills")), "0", "rule 10.1: nothing loaded");
}

#[test]
fn needs_triggers_for_a_breadcrumb() {
    let one = |fields: &str| {
        let text = skill(&format!("name: one\ndescription: D\n{fields}"), "");
        on(common::Tree::default().with("/p/.agent/skills/one/SKILL.md", text))
    };
    let check = |case: &str, fields: &str, expect: &str| {
        assert_eq!(chosen(&one(fields), case, &ask("good morning")), expect, "{case}");
    };
    check("rule 10.1: no triggers", "", "2 one");
    check("rule 10.1: triggers that are empty", "triggers: {keywords: [], verbs: ~}", "2 one");
    check("rule 10.1: a trigger without content", "triggers: {keywords: ['']}", "2 one");
    check("rule 10.1: a keyword", "triggers: {keywords: [x]}", "1");
    check("rule 10.1: a verb", "triggers: {verbs: [x]}", "1");
    check("rule 10.1: a pattern that does not compile", "triggers: {patterns: ['(']}", "1");
    let text = |case: &str, ask: &SelectRequest| {
        one("triggers: {verbs: [x]}").of(case, "agent-base", |world, catalog| {
            let text = select(world, catalog, ask).unwrap_or_else(|error| panic!("{case}: {error}")).text;
            let query = Some(ask.query.as_str().into());
            let prompt = prompt(world, catalog, &PromptRequest { query, ..PromptRequest::default() });
            assert_eq!(prompt.text, text, "{case}: the prompt says the same");
            assert_eq!(prompt.cost, prompt.list.chars().count(), "{case}: its cost");
            text
        })
    };
    assert_eq!(text("the breadcrumb", &ask("hi")), "[1 skills available]", "no singular");
    assert_eq!(text("a document without text", &ask("x")), "## Relevant Skill Documentation\n\n### one");
}

#[test]
fn is_not_in_every_dialect() {
    ground(TREE).of("match in a dialect without triggers", "sven", |world, catalog| {
        let error = select(world, catalog, &ask("x")).map(|_| ()).map_err(|error| error.code());
        assert_eq!(error, Err("not-in-dialect"));
        let asked = prompt(world, catalog, &PromptRequest { query: Some("x".into()), ..PromptRequest::default() });
        assert_eq!(asked, prompt(world, catalog, &PromptRequest::default()), "a query is ignored");
    });
}

#[test]
fn makes_room_for_the_next_when_a_skill_has_gone() {
    let mut fs = common::tree(TREE).mem();
    let places = Places { project: Some(path("/p")), ..Places::default() };
    let table = dialect("agent-base").unwrap();
    let catalog = discover(&World::new(&fs, &places, &()), &table);
    fs.file("/p/.agent/skills/tea/SKILL.md", "no skill any more");
    let ask = SelectRequest { max: Some(1), ..ask("brew") };
    let selection = select(&World::new(&fs, &places, &()), &catalog, &ask).unwrap();
    assert_eq!((selection.keys, selection.findings.len()), (vec!["toast".to_owned()], 1), "rule 12.1: what is gone");
    assert_eq!(selection.findings[0].code.as_str(), "unreadable");

    // The prompt says it too, also where there is nothing left but the list.
    for (query, shown) in [("brew", vec!["toast"]), ("list skills: tea", vec!["tea", "the-list", "toast"])] {
        let ask = PromptRequest { query: Some(query.into()), ..PromptRequest::default() };
        let prompt = prompt(&World::new(&fs, &places, &()), &catalog, &ask);
        let codes: Vec<_> = prompt.findings.iter().map(|finding| finding.code.as_str()).collect();
        assert_eq!((prompt.shown, codes), (shown.iter().map(|key| (*key).to_owned()).collect(), vec!["unreadable"]));
    }
}

#[cfg(feature = "patterns")]
#[test]
fn looks_for_patterns() {
    let text = skill("name: one\ndescription: D\ntriggers: {patterns: ['(', 'colou?r', '\\w{9000}']}", "");
    let more = skill("name: two\ndescription: D\ntriggers: {keywords: [colour]}", "");
    let tree = common::Tree::default().with("/p/.agent/skills/one/SKILL.md", text);
    let ground = on(tree.with("/p/.agent/skills/two/SKILL.md", more));
    assert_eq!(chosen(&ground, "rule 10.5: a pattern", &ask("Colorful")), "3 one");
    assert_eq!(chosen(&ground, "rule 10.3: a pattern is the weakest", &ask("a colour")), "3 two one");
    ground.of("rule 10.5: what discovery did not find", "agent-base", |world, catalog| {
        let codes = |found: &[skilltree::Diagnostic]| found.iter().map(|f| f.code.as_str()).collect::<Vec<_>>();
        assert_eq!(codes(catalog.findings()), ["pattern-invalid"]);
        let selection = select(world, catalog, &ask("x")).unwrap();
        assert_eq!(codes(&selection.findings), ["pattern-invalid"], "the one that is too large");
    });
}

/// One skill with thousands of patterns, each as large as one may be, has 64 of them; another one's are found all the same.
#[cfg(feature = "patterns")]
#[test]
fn one_skill_with_thousands_of_patterns() {
    let large = |n: usize| format!(r"'(?:\w\W){{12}}x{n}?|{n}z\w{{200}}'");
    let list = |patterns: Vec<String>| {
        format!("name: NAME\ndescription: D\ntriggers: {{patterns: [{}]}}", patterns.join(", "))
    };
    let mut tree = common::Tree::default().with(
        "/p/.agent/skills/tea/SKILL.md",
        skill("name: tea\ndescription: D\ntriggers: {patterns: ['brew\\s+\\w+']}", ""),
    );
    let evil = list((0..6_000).map(large).collect()).replace("NAME", "evil");
    tree = tree.with("/p/.agent/skills/evil/SKILL.md", skill(&evil, ""));
    on(tree).of("thousands", "agent-base", |world, catalog| {
        let evil = catalog.get("evil").expect("it is a skill");
        assert_eq!(evil.frontmatter.triggers().patterns.len(), 64);
        let found: Vec<_> = catalog.findings().iter().map(|f| (f.code.as_str(), f.at.map(|at| at.line))).collect();
        assert_eq!(found, [("too-many-patterns", Some(4))]);
        assert_eq!(select(world, catalog, &ask("please brew something")).unwrap().keys, ["tea"]);
        let found = check(world, catalog.dialect(), &[], &CheckRequest::default()).unwrap();
        assert_eq!(
            found.iter().filter(|found| found.code.as_str() == "too-many-patterns").count(),
            2,
            "count and size"
        );
    });
    // `check` compiles none of those that are too large in all; what is wrong with their form is found.
    let large = list((0..60).map(|n| format!(r"'\w{{{}}}'", 40 - n % 2)).chain(["'('".to_owned()]).collect())
        .replace("NAME", "large");
    on(common::Tree::default().with("/p/.agent/skills/large/SKILL.md", skill(&large, ""))).of(
        "large",
        "agent-base",
        |world, catalog| {
            let found = check(world, catalog.dialect(), &[], &CheckRequest::default()).unwrap();
            let codes: Vec<&str> = found.iter().map(|found| found.code.as_str()).collect();
            assert_eq!(codes, ["too-many-patterns", "pattern-invalid"], "{found:?}");
            assert_eq!(catalog.findings().len(), 1, "discovery compiles none");
        },
    );
    // 64 are not too many, wherever empty ones stand between them.
    let mut many: Vec<String> = (0..64).map(|n| format!("w{n}")).collect();
    many.insert(3, "''".to_owned());
    let many = list(many).replace("NAME", "many");
    on(common::Tree::default().with("/p/.agent/skills/many/SKILL.md", skill(&many, ""))).of(
        "64",
        "agent-base",
        |world, catalog| {
            assert!(
                catalog.findings().iter().all(|found| found.code.as_str() == "trigger-empty"),
                "{:?}",
                catalog.findings()
            );
            assert_eq!(select(world, catalog, &ask("say w63")).unwrap().keys, ["many"]);
        },
    );
}

/// Thousands of skills with large patterns: what of them is not looked for is reported, and another skill's is found.
#[cfg(feature = "patterns")]
#[test]
fn many_skills_with_large_patterns() {
    let mut tree = common::Tree::default().with(
        "/p/.agent/skills/z-tea/SKILL.md",
        skill("name: z-tea\ndescription: D\ntriggers: {patterns: ['brew\\s+\\w+']}", ""),
    );
    for n in 0..200 {
        let text = format!(r"'(?:\w\W){{12}}(?:{n})?', '\w(?:\w\W){{11}}(?:{n})?'");
        let text = skill(&format!("name: evil-{n}\ndescription: D\ntriggers: {{patterns: [{text}]}}"), "");
        tree = tree.with(&format!("/p/.agent/skills/evil-{n}/SKILL.md"), text);
    }
    on(tree).of("many", "agent-base", |world, catalog| {
        let selection = select(world, catalog, &ask("please brew something")).unwrap();
        assert_eq!(selection.keys, ["z-tea"]);
        let found = |code: &str| selection.findings.iter().filter(|found| found.code.as_str() == code).count();
        assert!((1..=200).contains(&found("too-many-patterns")), "{}", found("too-many-patterns"));
        let again = select(world, catalog, &ask("please brew something")).unwrap();
        assert_eq!(again, selection, "the same message has the same answer");
    });
}

#[cfg(not(feature = "patterns"))]
#[test]
fn has_no_patterns() {
    let text = skill("name: one\ndescription: D\ntriggers: {patterns: [colou?r]}", "");
    let ground = on(common::Tree::default().with("/p/.agent/skills/one/SKILL.md", text));
    assert_eq!(chosen(&ground, "rule 10.5: a pattern", &ask("color")), "1");
    ground.of("rule 10.5: unsupported", "agent-base", |_, catalog| {
        assert_eq!(catalog.findings()[0].code.as_str(), "pattern-unsupported");
    });
}

#[test]
fn names_within_names() {
    let skill =
        |name: &str| format!("//- /h/.agent/skills/{name}/SKILL.md\n---\nname: {name}\ndescription: D\n---\nB\n");
    let ground = ground(&["pdf", "pdf-forms", "forms", "big-pdf-forms-pack"].map(skill).concat());
    let check =
        |case: &str, query: &str, expect: &str| assert_eq!(chosen(&ground, case, &ask(query)), expect, "{case}");
    check("rule 10.4: the longest name", "use pdf-forms", "3 pdf-forms");
    check("rule 10.4: a name within a longer one, and by itself", "pdf-forms, then pdf", "3 pdf pdf-forms");
    check("rule 10.4: two names that overlap in nothing", "forms and pdf", "3 forms pdf");
    check("rule 10.4: in the middle of a longer one", "the big-pdf-forms-pack", "3 big-pdf-forms-pack");
    check("rule 10.4: the beginning of a longer one that goes on otherwise", "big-pdf-forms", "3 pdf-forms");
    check("rule 10.4: behind a slash", "/pdf-forms now", "3 pdf-forms");
}
