//! Receipts: topic 30 of the rules. What an answer was made of is noted, the answer is the same when it is made again, and
//! the first thing that differs is named. In memory and on the disk.
#![cfg(feature = "receipts")]

use crate::common;
#[path = "receipt/sessions.rs"]
pub(crate) mod sessions;

use crate::transcript::{Stage, cases, each_step};
use common::ground::{Ground, changed, file, ground, table};
use common::{Machine, path};
use pretty_assertions::assert_eq;
use skilltree::record::{Question, Receipt, RecordedRequest, Recorder, ReplayRequest};
use skilltree::{
    Caller, Dialect, Digest, Json, MemFs, Places, PromptRequest, World, call, commands, discover, invoke, load, prompt,
};
use std::sync::Arc;

const TREE: &str = "
//- /p/.claude/skills/tea/SKILL.md
---
name: tea
description: Makes tea.
---
Boil ($ARGUMENTS).
//- /p/.claude/skills/cake/SKILL.md
---
name: cake
description: Bakes a cake.
---
Stir.
//- /h/.claude/skills/tea/SKILL.md
---
name: tea
description: Another tea.
---
Wait.
//- /p/.claude/skills/own/SKILL.md
---
name: own
description: For the user.
disable-model-invocation: true
---
Do it.
//- /p/.claude/skills/bad/skill.txt
Nothing.
";

/// The receipt of an answer.
fn receipt(world: &World<'_>, dialect: &Arc<Dialect>, request: RecordedRequest) -> Receipt {
    let recorder = Recorder::new(world);
    let catalog = discover(&recorder.world(), dialect);
    let question = Question::new(request);
    let given = question.answer(&recorder.world(), &catalog);
    recorder.receipt(&catalog, question, &given)
}

fn of_prompt() -> RecordedRequest {
    RecordedRequest::Prompt(PromptRequest::default())
}

fn of_load(key: &str) -> RecordedRequest {
    RecordedRequest::Load { key: key.to_owned(), caller: Caller::User, args: String::new(), already_loaded: Vec::new() }
}

fn text_of(json: &Json, fields: &[&str]) -> String {
    let found = fields.iter().try_fold(json, |json, field| json.get(field));
    found.and_then(Json::as_text).unwrap_or_else(|| panic!("no {fields:?} in {json:#}")).to_owned()
}

#[test]
fn a_receipt_has_what_the_answer_was_made_of() {
    let tea = "---\nname: tea\ndescription: Makes tea.\n---\nBoil ($ARGUMENTS).\n";
    let json = ground(TREE).ask("load", |world| receipt(world, &table("claude"), of_load("tea")).to_json());
    assert_eq!(json.get("receipt"), Some(&Json::from(1)));
    let file = "/p/.claude/skills/tea/SKILL.md";
    // The user's own skill shadows that of the project.
    assert_eq!(text_of(&json, &["files", file, "digest"]), Digest::of(tea.as_bytes()).to_string());
    assert_eq!(text_of(&json, &["answer", "digest"]), Digest::of(b"Wait.").to_string());
    assert_eq!(json.get("answer").and_then(|answer| answer.get("printed")), None, "nobody has printed it");
    assert_eq!(text_of(&json, &["dialect", "name"]), "claude");
    let yaml = table("claude").to_yaml();
    assert_eq!(text_of(&json, &["dialect", "digest"]), Digest::of(yaml.as_bytes()).to_string());
    let Some(Json::List(absent)) = json.get("absent") else { panic!("no list: {json:#}") };
    let absent: Vec<String> =
        absent.iter().map(|row| format!("{} {}", text_of(row, &["path"]), text_of(row, &["state"]))).collect();
    assert_eq!(
        absent,
        [
            "/p/.claude/skills/cake/SKILL.md not-asked",
            "/p/.claude/skills/own/SKILL.md hidden",
            "/p/.claude/skills/tea/SKILL.md shadowed"
        ]
    );
    let shadowed = "shadowed by `/h/.claude/skills/tea/SKILL.md`, which also defines `tea`";
    assert!(json.to_string().contains(shadowed), "{json:#}");
}

#[test]
fn a_prompt_names_what_it_leaves_out() {
    let request = RecordedRequest::Prompt(PromptRequest { budget: Some(40), ..PromptRequest::default() });
    let json = ground(TREE).ask("prompt", |world| receipt(world, &table("sven"), request.clone()).to_json());
    let absent = json.get("absent").expect("absent").to_string();
    let json = ground(TREE).ask("prompt", |world| receipt(world, &table("claude"), of_prompt()).to_json());
    let of_claude = json.get("absent").expect("absent").to_string();
    assert!(!of_claude.contains("cake") && of_claude.contains("\"hidden\""), "{of_claude}");
    assert!(!absent.contains("\"in-use\""), "{absent}");
}

/// What is changed, and what is said to differ.
type Change = (&'static str, &'static [(&'static str, Option<&'static str>)], &'static str);

const TEA: &str = "/h/.claude/skills/tea/SKILL.md";
const CHANGES: &[Change] = &[
    ("nothing", &[], "same"),
    (
        "a word of the text",
        &[(TEA, Some("---\nname: tea\ndescription: Another tea.\n---\nGo.\n"))],
        "file /h/.claude/skills/tea/SKILL.md",
    ),
    ("the file", &[(TEA, None)], "file /h/.claude/skills/tea/SKILL.md"),
    (
        "another skill of the name",
        &[("/r/tea/SKILL.md", Some("---\nname: tea\ndescription: New.\n---\nNew.\n"))],
        "file /r/tea/SKILL.md",
    ),
    (
        "a settings file",
        &[("/h/.claude/settings.json", Some("{\"skillOverrides\": {\"tea\": \"off\"}}"))],
        "file /h/.claude/settings.json",
    ),
    ("a file that does not matter", &[("/h/notes.md", Some("x"))], "same"),
    (
        "another skill",
        &[("/p/.claude/skills/cake/SKILL.md", Some("---\nname: cake\ndescription: Bakes.\n---\n"))],
        "same, and /p/.claude/skills/cake/SKILL.md has changed",
    ),
];

#[test]
fn the_first_file_that_differs_is_named() {
    for (case, changes, expected) in CHANGES {
        let before = Ground { places: with_root(), ..ground(TREE) };
        let of_tea = before.ask(case, |world| receipt(world, &table("claude"), of_load("tea")));
        let mut after = before.clone();
        for (file, text) in *changes {
            after.tree = match text {
                Some(text) => after.tree.with(file, *text),
                None => after.tree.without(file),
            };
        }
        let told = after.ask(case, |world| of_tea.replay(world.fs, &ReplayRequest::default()));
        let told = match (&told.differs, told.changed.as_slice()) {
            (Some(differs), _) => differs.what.to_string(),
            (None, []) => "same".to_owned(),
            (None, [file, ..]) => format!("same, and {file} has changed"),
        };
        assert_eq!(told, *expected, "{case}");
    }
}

fn with_root() -> Places {
    Places { roots: vec![path("/r")], ..ground(TREE).places }
}

#[test]
fn a_folder_is_named_if_only_its_names_differ() {
    let before = ground("//- /h/.claude/skills/tea/SKILL.md\n---\nname: tea\ndescription: Tea.\n---\nBoil.\n");
    let of_tea = before.ask("before", |world| receipt(world, &table("agentskills"), of_load("tea")));
    let after =
        Ground { tree: before.tree.clone().with("/h/.claude/skills/tea/references/more.md", "More."), ..before };
    let told = after.ask("after", |world| of_tea.replay(world.fs, &ReplayRequest::default()));
    let differs = told.differs.expect("the list of files differs");
    assert_eq!(differs.what.to_string(), "folder /h/.claude/skills/tea");
}

#[test]
fn an_option_or_a_rule_is_named_before_the_files() {
    let on = Ground { tree: ground(TREE).tree.with(TEA, "---\nname: tea\n---\n"), ..ground(TREE) };
    let of_prompt = ground(TREE).ask("prompt", |world| receipt(world, &table("claude"), of_prompt()));
    let of_trust = ground(TREE).ask("load", |world| receipt(world, &table("claude"), of_load("tea")));
    let replayed = |receipt: &Receipt, request: &ReplayRequest| {
        let told = on.ask("replay", |world| receipt.replay(world.fs, request));
        told.differs.map(|differs| format!("{}: {} / {}", differs.what, differs.expected, differs.got))
    };
    let cases: Vec<(&str, ReplayRequest, &str)> = vec![
        (
            "a skill that is switched off",
            with(|request| request.disable = vec!["cake".to_owned()]),
            "option disable: none / [\"cake\"]",
        ),
        ("another dialect", with(|request| request.dialect = Some(table("sven"))), "option dialect: claude / sven"),
        (
            "a rule of the dialect",
            with(|request| {
                request.dialect = Some(changed("claude", "prompt: {max_description: 7}"));
            }),
            "rule prompt.max_description: 1536 / 7",
        ),
        ("other places", with(|request| request.places = Some(with_root())), "option roots: none / [\"/r\"]"),
    ];
    for (case, request, expected) in cases {
        assert_eq!(replayed(&of_prompt, &request).as_deref(), Some(expected), "{case}");
    }
    let told = replayed(&of_trust, &with(|request| request.trust = true));
    assert_eq!(told.as_deref(), Some("option trust: none / true"));
}

fn with(change: impl FnOnce(&mut ReplayRequest)) -> ReplayRequest {
    let mut request = ReplayRequest::default();
    change(&mut request);
    request
}

#[test]
fn the_version_and_the_answer_are_named_last() {
    let on = ground(TREE);
    let json = on.ask("load", |world| receipt(world, &table("claude"), of_load("tea")).to_json()).to_string();
    let right = Digest::of(b"Wait.").to_string();
    let wrong = json.replace(&right, &Digest::of(b"Go.").to_string());
    let cases = [
        (wrong.clone(), format!("answer: {} / {right}", Digest::of(b"Go."))),
        (
            wrong.replace(&format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION")), "\"version\":\"0.0.1\""),
            format!("version: 0.0.1 / {}", env!("CARGO_PKG_VERSION")),
        ),
    ];
    for (text, expected) in cases {
        let receipt = Receipt::from_json(&text).expect("a receipt");
        let told = on.ask("replay", |world| receipt.replay(world.fs, &ReplayRequest::default()));
        let differs = told.differs.expect("it differs");
        assert_eq!(format!("{}: {} / {}", differs.what, differs.expected, differs.got), expected);
    }
}

/// The dialect of a file is in the receipt, even if it has the name of one that is built in.
#[test]
fn the_dialect_of_a_file_need_not_be_there() {
    for name in ["claude", "tea-house"] {
        let own = file(&format!("name: {name}\nextends: claude\nprompt: {{max_description: 5}}\n"));
        let receipt = ground(TREE).ask(name, |world| receipt(world, &own, of_prompt()));
        let receipt = Receipt::from_json(&receipt.to_json().to_string()).expect("it reads back");
        let told = ground(TREE).ask(name, |world| receipt.replay(world.fs, &ReplayRequest::default()));
        assert!(told.is_same(), "{name}: {told:?}");
    }
}

#[test]
fn what_is_no_receipt_is_refused_with_what_was_expected() {
    let json = ground(TREE).ask("load", |world| receipt(world, &table("claude"), of_load("tea")).to_json()).to_string();
    // A second spelling of a path that is there.
    let again = "\"/p/.claude//skills/tea/SKILL.md\"";
    let cases = [
        ("{".to_owned(), "it is not JSON"),
        ("{}".to_owned(), "expected a receipt of the form 1"),
        (json.replace("\"receipt\":1", "\"receipt\":2"), "expected a receipt of the form 1"),
        (
            json.replace("\"command\":\"load\"", "\"command\":\"read\""),
            "`command` of `asked` must be `prompt` or `load`",
        ),
        (json.replace("\"as\":\"user\"", "\"as\":\"me\""), "`as` of `asked` must be `user` or `model`, not `me`"),
        (json.replace("\"home\":\"/h\"", "\"home\":\"h\""), "`h` is not a valid path"),
        (
            json.replace("name: claude", "name: Claude"),
            "the `digest` of the dialect `claude` is not that of its `table`",
        ),
        (json.replace("\"bytes\":5", "\"bytes\":-5"), "must be a non-negative integer"),
        (
            json.replace("\"digest\":\"sha256:", "\"digest\":\"md5:")
                .replace("\"name\":\"claude\",\"digest\":\"md5:", "\"name\":\"claude\",\"digest\":\"sha256:"),
            "must be `sha256:` and 64 hexadecimal digits",
        ),
        (json.replace("\"absent\":", "\"present\":"), "unknown field `present`"),
        (
            json.replace("\"files\":{", &format!("\"files\":{{{again}:{{\"failed\":\"-\"}},")),
            "twice; each path may be there once",
        ),
    ];
    for (text, expected) in cases {
        let error = Receipt::from_json(&text).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// The question that a step of a case asks, and the text that the library gives.
fn question(stage: &Stage<'_>, step: &str) -> Option<(RecordedRequest, Option<String>)> {
    let (word, rest) = step.split_once(' ').unwrap_or((step, ""));
    let (world, catalog) = (&stage.world, discover(&stage.world, &stage.dialect));
    let plain: Vec<&str> = rest.split(" --").take(1).collect();
    Some(match word {
        "prompt" if rest.is_empty() => (of_prompt(), Some(prompt(world, &catalog, &PromptRequest::default()).text)),
        "load" => {
            let key = plain.first().copied().unwrap_or_default();
            let caller = if rest.contains("--as model") { Caller::Model } else { Caller::User };
            let loaded = catalog.locate(world, key, caller).and_then(|skill| {
                load(
                    world,
                    &catalog,
                    skill,
                    &skilltree::LoadRequest { asked: Some(key.to_owned()), ..skilltree::LoadRequest::new(caller) },
                )
            });
            let request =
                RecordedRequest::Load { key: key.to_owned(), caller, args: String::new(), already_loaded: Vec::new() };
            (request, loaded.ok().map(|loaded| loaded.text))
        }
        "invoke" => {
            let invoked = invoke(world, &catalog, &commands(&catalog, stage.reserved), rest);
            let text = match invoked {
                Ok(Some(skilltree::Invocation::Inline(message))) => Some(message.text),
                Ok(Some(skilltree::Invocation::Fork(fork))) => Some(fork.text),
                Ok(None) => Some(rest.to_owned()),
                _ => None,
            };
            (RecordedRequest::Invoke { line: rest.to_owned(), reserved: stage.reserved.to_vec() }, text)
        }
        "call" => {
            let called = call(world, &catalog, rest);
            let text = match called {
                Ok(skilltree::Invocation::Inline(message)) => Some(message.text),
                Err(error) => Some(error.to_string()),
                _ => None,
            };
            (RecordedRequest::Call { arguments: rest.to_owned() }, text)
        }
        _ => return None,
    })
}

/// The receipts of all steps of the cases in `testdata` that can have one.
pub(crate) fn receipts_of(stage: &Stage<'_>, step: &str) -> Option<Receipt> {
    let (request, expected) = question(stage, step)?;
    let recorder = Recorder::new(&stage.world);
    let catalog = discover(&recorder.world(), &stage.dialect);
    let question = Question::new(request);
    let given = question.answer(&recorder.world(), &catalog);
    if let Some(expected) = expected {
        assert_eq!(given.text, expected, "{step}");
    }
    Some(recorder.receipt(&catalog, question, &given))
}

#[test]
fn every_answer_of_the_cases_is_the_same_again() {
    let mut held = 0;
    for dir in cases() {
        each_step(&dir, &mut |stage, step| {
            let Some(receipt) = receipts_of(stage, step) else { return };
            let case = format!("{}: {step}", dir.display());
            let again = Receipt::from_json(&format!("{:#}", receipt.to_json()))
                .unwrap_or_else(|error| panic!("{case}: {error}"));
            assert_eq!(again, receipt, "{case}");
            let told = again.replay(stage.world.fs, &ReplayRequest::default());
            assert!(told.is_same() && told.changed.is_empty(), "{case}: {told:?}");
            held += 1;
        });
    }
    assert!(held > 200, "{held} answers");
}

/// The host is not asked again: its answers are in the receipt.
#[test]
fn the_answers_of_the_host_are_noted() {
    let mut fs = MemFs::new();
    fs.file(
        "/p/.claude/skills/tea/SKILL.md",
        "---\nname: tea\ndescription: Tea.\nallowed-tools: Bash(ls)\n---\nIn ${CLAUDE_SESSION_ID}.\n",
    );
    let places = Places { project: Some(path("/p")), ..Places::default() };
    let mut host = Machine { trust: true, ..Machine::default() };
    host.variables.insert("CLAUDE_SESSION_ID".to_owned(), "seven".to_owned());
    let receipt = receipt(&World::new(&fs, &places, &host), &table("claude"), of_load("tea"));
    assert!(receipt.to_json().to_string().contains("\"variables\":{\"CLAUDE_SESSION_ID\":\"seven\"}"));
    assert_eq!(receipt.digest(), Digest::of(b"In seven."));
    assert!(receipt.replay(&fs, &ReplayRequest::default()).is_same());
}
