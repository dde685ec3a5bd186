//! Sessions: topic 29 of the rules. Which texts are sent again, how branches are merged, and what is put back after a
//! conversation was compacted. In memory and on the disk.
#![cfg(feature = "digest")]

use crate::common;
#[path = "session/day.rs"]
mod day;
#[path = "session/laws.rs"]
mod laws;

use common::ground::{changed, ground, skill, table};
use common::{Machine, path};
use pretty_assertions::assert_eq;
use skilltree::dialect;
use skilltree::record::{Event, ReattachRequest, Reattached, Session};
use skilltree::{
    Caller, Catalog, Dialect, Digest, Host, Invocation, LoadRequest, MemFs, Places, PromptRequest, Skill, Trust, World,
    call, commands, discover, invoke, load, prompt,
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
//- /p/.claude/skills/apart/SKILL.md
---
name: apart
description: Works apart.
context: fork
---
Look around.
//- /p/.claude/skills/own/SKILL.md
---
name: own
description: For the user.
disable-model-invocation: true
---
Do it.
//- /p/.claude/skills/live/SKILL.md
---
name: live
description: Runs a command first.
---
Now: !`date`
";

/// The words of the events, with the keys.
fn words(session: &Session) -> Vec<String> {
    let word = |event: &Event| match event.key() {
        Some(key) => format!("{} {key}", event.as_str()),
        None => event.as_str().to_owned(),
    };
    session.events().iter().map(|event| word(&event.event)).collect()
}

/// What a call gives: `note`, or the text.
fn called(session: &mut Session, world: &World<'_>, catalog: &Catalog, arguments: &str) -> String {
    match session.call(world, catalog, arguments).expect("the skill is there") {
        Invocation::Inline(message) if message.is_already_loaded => {
            assert!(message.text.contains("already"), "{}", message.text);
            "note".to_owned()
        }
        Invocation::Inline(message) => message.text,
        Invocation::Fork(fork) => format!("fork {}", fork.text),
        other => panic!("{other:?}"),
    }
}

/// What it shows, the steps with their answers, and the events.
type Case = (&'static str, &'static [(&'static str, &'static str)], &'static [&'static str]);

#[test]
fn a_text_is_sent_again_unless_it_is_there() {
    // Each step is a call, or `/…` typed by the user, or `compacted`.
    let cases: &[Case] = &[
        (
            "rule 29.2: the same call",
            &[(r#"{"skill": "tea"}"#, "Boil ()."), (r#"{"skill": "tea"}"#, "note")],
            &["loaded tea"],
        ),
        (
            "rule 29.2: other arguments",
            &[
                (r#"{"skill": "tea", "args": "green"}"#, "Boil (green)."),
                (r#"{"skill": "tea", "args": "black"}"#, "Boil (black)."),
                (r#"{"skill": "tea", "args": "green"}"#, "note"),
            ],
            &["loaded tea", "loaded tea"],
        ),
        (
            "rule 29.2: arguments that change nothing",
            &[(r#"{"skill": "cake", "args": ""}"#, "Stir."), (r#"{"skill": "cake"}"#, "note")],
            &["loaded cake"],
        ),
        (
            "rule 29.2: after a compaction",
            &[(r#"{"skill": "tea"}"#, "Boil ()."), ("compacted", ""), (r#"{"skill": "tea"}"#, "Boil ().")],
            &["loaded tea", "compacted", "loaded tea"],
        ),
        (
            "rule 29.2: a task for another agent",
            &[(r#"{"skill": "apart"}"#, "fork Look around."), (r#"{"skill": "apart"}"#, "fork Look around.")],
            &["forked apart", "forked apart"],
        ),
        (
            "rule 29.2: what the user types",
            &[("/tea", "Boil ()."), ("/tea", "Boil ()."), (r#"{"skill": "tea"}"#, "note")],
            &["invoked tea", "invoked tea"],
        ),
        (
            "several commands in one line",
            &[
                ("/tea /cake now", "Boil (now).\n\nStir.\n\nARGUMENTS: now"),
                (r#"{"skill": "cake", "args": "now"}"#, "note"),
            ],
            &["invoked tea", "invoked cake"],
        ),
    ];
    for (case, steps, events) in cases {
        ground(TREE).of(case, "claude", |world, catalog| {
            let mut session = Session::default();
            for (step, expect) in *steps {
                let got = match step.chars().next() {
                    Some('c') => {
                        session.compacted();
                        String::new()
                    }
                    Some('/') => match session.invoke(world, catalog, &commands(catalog, &[]), step) {
                        Ok(Some(Invocation::Inline(message))) => message.text,
                        other => panic!("{case}: {other:?}"),
                    },
                    _ => called(&mut session, world, catalog, step),
                };
                assert_eq!(got, *expect, "{case}: {step}");
            }
            assert_eq!(words(&session), *events, "{case}");
        });
    }
}

/// Whether a text is sent again is a value of the dialect's table. What the caller says is loaded is never sent.
#[test]
fn a_repeated_text_is_the_dialects() {
    let mut whole = Vec::new();
    for name in dialect::NAMES {
        let table = skilltree::dialect(name).expect("a built-in dialect");
        let mut fs = MemFs::new();
        fs.file("/s/tea/SKILL.md", skill("name: tea\ndescription: Makes tea.", "Boil water."));
        // Where skills have states, the model calls those that are active.
        fs.file("/h/.gen/skills.json", r#"{"skills": {"tea": "active"}}"#);
        let home = Some(path("/h"));
        let places = Places { home, roots: vec![path("/s")], only_roots: true, ..Places::default() };
        let machine = Machine::default();
        let world = World::new(&fs, &places, &machine);
        let catalog = discover(&world, &table);
        let (mut session, tea) = (Session::default(), catalog.find_any("tea").expect("tea"));
        let mut loaded = |already: bool| {
            let already_loaded = if already { vec![tea.key.clone()] } else { Vec::new() };
            let ask = LoadRequest { already_loaded, ..LoadRequest::new(Caller::Model) };
            let loaded = session.load(&world, &catalog, tea, &ask).expect("tea is there");
            (loaded.text, loaded.is_already_loaded)
        };
        let (first, again, said) = (loaded(false), loaded(false), loaded(true));
        assert!(!first.1 && first.0.contains("Boil water."), "{name}: {}", first.0);
        assert!(said.1 && !said.0.contains("Boil water."), "{name}: {}", said.0);
        let is_whole = !table.notes_repeated_loads();
        assert_eq!(again, if is_whole { first } else { said }, "{name}");
        if let Some(arguments) = table.tool_arguments("tea", "") {
            let mut session = Session::default();
            let arguments = arguments.to_string();
            let [first, again] = [(); 2].map(|()| called(&mut session, &world, &catalog, &arguments));
            assert!(first.contains("Boil water."), "{name}: {first}");
            assert_eq!(again, if is_whole { first } else { "note".to_owned() }, "{name}");
            assert_eq!(words(&session).len(), if is_whole { 2 } else { 1 }, "{name}: each text that is sent is noted");
        }
        whole.extend(is_whole.then_some(*name));
    }
    assert_eq!(whole, ["agent-base", "gencode", "pegasus", "daycare"]);
}

#[test]
fn a_session_gives_the_answers_of_the_functions() {
    ground(TREE).of("the same answers", "claude", |world, catalog| {
        let mut session = Session::default();
        let ask = PromptRequest::default();
        assert_eq!(session.prompt(world, catalog, &ask), prompt(world, catalog, &ask));
        assert_eq!(session.prompt(world, catalog, &ask), prompt(world, catalog, &ask));
        let tea = catalog.get("tea").expect("it is there");
        let request = LoadRequest::new(Caller::Model);
        assert_eq!(session.load(world, catalog, tea, &request), load(world, catalog, tea, &request));
        let noted = session.load(world, catalog, tea, &request).expect("it is there");
        let old_way = LoadRequest { already_loaded: vec!["tea".to_owned()], ..request.clone() };
        let old_way = load(world, catalog, tea, &old_way).expect("it is there");
        assert_eq!((&noted.text, &noted.body, &noted.files), (&old_way.text, &old_way.body, &old_way.files));
        assert_eq!((noted.is_already_loaded, &noted.tools), (true, &old_way.tools));
        let live = r#"{"skill": "live"}"#;
        assert_eq!(session.call(world, catalog, live), call(world, catalog, live));
        let commands = commands(catalog, &[]);
        assert_eq!(session.invoke(world, catalog, &commands, "/own"), invoke(world, catalog, &commands, "/own"));
        assert_eq!(session.invoke(world, catalog, &commands, "no command"), Ok(None));
        assert_eq!(words(&session), ["shown", "loaded tea", "invoked own"]);
        for bad in [r#"{"skill": "own"}"#, r#"{"skill": "lost"}"#, "{}", "no JSON"] {
            assert_eq!(session.call(world, catalog, bad).err(), call(world, catalog, bad).err());
        }
        assert_eq!(words(&session), ["shown", "loaded tea", "invoked own"], "an error is no event");
    });
    // The caller's own list of loaded keys still counts.
    ground(TREE).of("rule 12.8: by keys", "claude", |world, catalog| {
        let mut session = Session::default();
        let ask = LoadRequest { already_loaded: vec!["tea".to_owned()], ..LoadRequest::new(Caller::Model) };
        let tea = catalog.get("tea").expect("it is there");
        assert!(session.load(world, catalog, tea, &ask).expect("it is there").is_already_loaded);
        assert_eq!(words(&session), Vec::<String>::new());
    });
}

#[test]
fn commands_are_noted_when_they_have_been_run() {
    ground(TREE).of("rule 29.2: commands", "claude", |world, catalog| {
        let mut session = Session::default();
        let mut run = |output: &str| {
            let decided = session.call(world, catalog, r#"{"skill": "live"}"#).expect("it is there");
            let Invocation::Pending(pending) = decided else { panic!("{decided:?}") };
            let next = pending.clone().resume(&[output.to_owned()]);
            match session.resumed(world, catalog, &pending, next) {
                Invocation::Inline(message) => (message.text, message.is_already_loaded),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(run("noon"), ("Now: noon".to_owned(), false));
        assert_eq!(run("night"), ("Now: night".to_owned(), false));
        assert!(run("night").1, "the same output as before");
        assert!(!run("noon").1, "not the output of the last time");
        assert_eq!(words(&session), ["loaded live", "loaded live", "loaded live"]);
    });
}

/// A world with these files.
#[track_caller]
fn with_files<T>(files: &[(&str, &str)], dialect: &Arc<Dialect>, then: impl FnOnce(&World<'_>, &Catalog) -> T) -> T {
    let mut fs = MemFs::new();
    for (name, text) in files {
        fs.file(&format!("/p/.claude/skills/{name}/SKILL.md"), text.as_bytes().to_vec());
    }
    let (places, host) = (Places { project: Some(path("/p")), ..Places::default() }, Machine::default());
    let world = World::new(&fs, &places, &host);
    then(&world, &discover(&world, dialect))
}

#[test]
fn an_edited_file_is_sent_again() {
    let claude = table("claude");
    let mut session = Session::default();
    let old = [("tea", "---\ndescription: D\n---\nBoil.\n")];
    let new = [("tea", "---\ndescription: D\n---\nBoil and wait.\n")];
    let described = [("tea", "---\ndescription: Other words.\n---\nBoil.\n")];
    let mut call = |files: &[(&str, &str)]| {
        with_files(files, &claude, |world, catalog| called(&mut session, world, catalog, r#"{"skill": "tea"}"#))
    };
    assert_eq!(call(&old), "Boil.");
    assert_eq!(call(&described), "note", "only the text counts");
    assert_eq!(call(&new), "Boil and wait.");
    assert_eq!(call(&old), "Boil.", "the newest text is another one");
}

/// A host that trusts exactly these contents.
struct Approver(Trust);

impl Host for Approver {
    fn trusts(&self, _: &Skill) -> Trust {
        self.0.clone()
    }
}

#[test]
fn approvals_that_counted_are_noted() {
    let text = skill("name: tea\ndescription: D\nallowed-tools: Bash", "Boil.\n");
    let mut fs = MemFs::new();
    fs.file("/p/.claude/skills/tea/SKILL.md", text.clone());
    let places = Places { project: Some(path("/p")), ..Places::default() };
    let folder = Digest::of(b"the folder");
    let of = |manifest| Approver(Trust::Contents { folder, manifest });
    let noted = |host: &Approver| {
        let world = World::new(&fs, &places, host);
        let catalog = discover(&world, &table("claude"));
        let tea = catalog.get("tea").expect("it is there");
        let mut session = Session::default();
        for _ in 0..2 {
            session.load(&world, &catalog, tea, &LoadRequest::new(Caller::Model)).expect("it is there");
        }
        session.call(&world, &catalog, r#"{"skill": "tea"}"#).expect("it is there");
        session
    };
    let session = noted(&of(Digest::of(text.as_bytes())));
    assert_eq!(words(&session), ["approved tea", "loaded tea"]);
    assert_eq!(session.events()[0].event, Event::Approved { key: "tea".to_owned(), digest: folder });
    assert_eq!(words(&noted(&of(folder))), ["loaded tea"], "nothing was granted to other contents");
}

#[test]
fn what_is_no_session_is_refused() {
    let digest = Digest::of(b"");
    let cases: &[(&str, String, &str)] = &[
        ("no JSON", "{".to_owned(), "it is not JSON: expected"),
        ("a list", "[]".to_owned(), "expected an object with `version` 1"),
        ("no version", r#"{"events": []}"#.to_owned(), "expected an object with `version` 1"),
        ("a later version", r#"{"version": 2, "events": []}"#.to_owned(), "expected an object with `version` 1"),
        ("no events", r#"{"version": 1}"#.to_owned(), "expected a list `events`"),
        ("no number", event(r#""event": "compacted""#), "expected a whole number `n` in event 1"),
        ("half a number", event(r#""n": 1.5, "event": "compacted""#), "expected a whole number `n` in event 1"),
        ("no word", event(r#""n": 1"#), "expected an `event` that is shown, loaded"),
        ("no key", event(r#""n": 1, "event": "loaded", "by": "user", "path": """#), "expected a text `key` in event 1"),
        ("no caller", event(r#""n": 1, "event": "loaded", "by": "me""#), "expected a `by` that is model or user"),
        ("no list of keys", event(r#""n": 1, "event": "shown", "keys": [1]"#), "expected a list of texts `keys`"),
        (
            "no digest",
            event(r#""n": 1, "event": "approved", "key": "tea", "digest": "sha256:1""#),
            "expected a `digest` of the form `sha256:`",
        ),
        (
            "arguments that are no text",
            event(&format!(
                r#""n": 1, "event": "forked", "key": "a", "args": 1, "by": "user", "path": "", "digest": "{digest}""#
            )),
            "expected a text `args` in event 1",
        ),
        ("too large", " ".repeat(Session::MAX_BYTES + 1), "expected a session of at most 16777216 bytes, got 16777217"),
    ];
    for (case, text, expect) in cases {
        let error = Session::from_json(text).expect_err(case).to_string();
        assert!(error.starts_with(expect), "{case}: {error}");
    }
    let text =
        r#"{"version": 1, "more": 1, "events": [{"n": 2, "event": "compacted"}, {"n": 1, "event": "compacted"}]}"#;
    let numbers: Vec<u64> = Session::from_json(text).unwrap().events().iter().map(|event| event.number).collect();
    assert_eq!(numbers, [1, 2]);
}

fn event(fields: &str) -> String {
    format!(r#"{{"version": 1, "events": [{{{fields}}}]}}"#)
}

/// What is put back, with this budget.
fn back(world: &World<'_>, catalog: &Catalog, session: &Session, budget: Option<usize>) -> Reattached {
    session.reattach(world, catalog, &ReattachRequest { budget, window: None })
}

#[test]
fn the_newest_skills_are_put_back_first() {
    ground(TREE).of("rule 29.4", "claude", |world, catalog| {
        let mut session = Session::default();
        called(&mut session, world, catalog, r#"{"skill": "tea", "args": "green"}"#);
        called(&mut session, world, catalog, r#"{"skill": "cake"}"#);
        called(&mut session, world, catalog, r#"{"skill": "apart"}"#);
        session.invoke(world, catalog, &commands(catalog, &[]), "/own").expect("it is there");
        called(&mut session, world, catalog, r#"{"skill": "tea", "args": "black"}"#);
        let listed = prompt(world, catalog, &PromptRequest::default()).text;
        let got = back(world, catalog, &session, None);
        assert_eq!(got.text, format!("{listed}\n\nBoil (black).\n\nDo it.\n\nStir."));
        assert_eq!((got.keys.as_slice(), got.is_listed), (&["tea", "own", "cake"].map(str::to_owned)[..], true));
        assert_eq!((&got.shortened, &got.left_out, &got.missing), (&vec![], &vec![], &vec![]));
        assert_eq!(got.cost, got.text.len().div_ceil(4));
        assert_eq!(got.budget, listed.len().div_ceil(4) + 25_000);

        session.record_reattached(&got);
        let tail: Vec<String> = words(&session).split_off(5);
        assert_eq!(tail, ["compacted", "shown", "loaded cake", "invoked own", "loaded tea"]);
        assert_eq!(called(&mut session, world, catalog, r#"{"skill": "cake"}"#), "note");
        assert_eq!(called(&mut session, world, catalog, r#"{"skill": "tea", "args": "green"}"#), "Boil (green).");
        let again = back(world, catalog, &session, None);
        assert_eq!(again.text, format!("{listed}\n\nBoil (green).\n\nDo it.\n\nStir."));
    });
}

#[test]
fn what_cannot_be_put_back_is_named() {
    let claude = table("claude");
    let text = "---\ndescription: D\n---\nBoil.\n";
    let mut session = Session::default();
    with_files(&[("a", text), ("b", text), ("c", text), ("d", text)], &claude, |world, catalog| {
        for key in ["a", "b", "c", "d"] {
            called(&mut session, world, catalog, &format!(r#"{{"skill": "{key}"}}"#));
        }
    });
    let hidden = "---\ndescription: D\ndisable-model-invocation: true\n---\nBoil.\n";
    let fork = "---\ndescription: D\ncontext: fork\n---\nBoil.\n";
    with_files(&[("a", text), ("b", hidden), ("d", fork)], &claude, |world, catalog| {
        let got = back(world, catalog, &session, None);
        assert_eq!(got.keys, ["a"]);
        let missing: Vec<String> = got.missing.iter().map(|one| format!("{}: {}", one.key, one.reason)).collect();
        assert_eq!(missing.len(), 3, "{missing:?}");
        assert_eq!(missing[0], "d: it is a task for a separate agent now");
        assert!(missing[1].starts_with("c: there is no skill `c`"), "{missing:?}");
        assert!(missing[2].starts_with("b: ") && missing[2].contains("hidden from the model"), "{missing:?}");
    });
}

#[test]
fn each_skill_has_its_share() {
    // A paragraph of 100 bytes with its blank line.
    let paragraphs = |count: usize| format!("{}\n\n", "x".repeat(98)).repeat(count);
    let long = |count| format!("---\ndescription: D\n---\n{}", paragraphs(count));
    let (one, two, three) = (long(9), long(30), long(9));
    let files = [("one", one.as_str()), ("two", &two), ("three", &three)];
    let rest = |key: &str| format!("[The rest of this skill is in `/p/.claude/skills/{key}/SKILL.md`.]");
    let with = |each, all, budget| {
        let table = changed("claude", &format!("reattach: {{each: {each}, all: {all}}}"));
        with_files(&files, &table, |world, catalog| {
            let mut session = Session::default();
            for key in ["one", "two", "three"] {
                called(&mut session, world, catalog, &format!(r#"{{"skill": "{key}"}}"#));
            }
            back(world, catalog, &session, budget)
        })
    };
    let whole = paragraphs(9).trim_end().to_owned();
    let listed = with(0, 0, None).text;
    assert_eq!(with(0, 0, None).left_out, ["three", "two", "one"]);

    let got = with(250, 1_000, None);
    let cut = format!("{}\n\n{}", paragraphs(9).trim_end(), rest("two"));
    assert_eq!(got.text, format!("{listed}\n\n{whole}\n\n{cut}\n\n{whole}"));
    assert_eq!((got.keys, got.shortened), (vec!["three".into(), "two".into(), "one".into()], vec!["two".to_owned()]));

    // Of all together, a part of the second is left, and the third is not begun.
    let got = with(250, 300, None);
    let cut = format!("{}\n\n{}", paragraphs(2).trim_end(), rest("two"));
    assert_eq!(got.text, format!("{listed}\n\n{whole}\n\n{cut}"));
    assert_eq!((got.shortened.as_slice(), got.left_out.as_slice()), (&["two".to_owned()][..], &["one".to_owned()][..]));

    // No paragraph fits, but the pointer to the file does.
    let got = with(20, 1_000, None);
    assert_eq!(got.text, format!("{listed}\n\n{}\n\n{}\n\n{}", rest("three"), rest("two"), rest("one")));
    assert_eq!(got.shortened, ["three", "two", "one"]);

    // The caller's budget is of the whole text, and the list goes first.
    let tokens = listed.len().div_ceil(4);
    let got = with(250, 1_000, Some(tokens));
    assert_eq!((got.text.as_str(), got.keys.len(), got.budget), (listed.as_str(), 0, tokens));
    let got = with(250, 1_000, Some(tokens + 20));
    assert_eq!(got.shortened, ["three"]);
    let got = with(250, 1_000, Some(3));
    assert_eq!((got.text.as_str(), got.is_listed, got.cost), ("", false, 0));
}

#[test]
fn a_frame_stays_around_a_body_that_is_cut() {
    let table = changed("agentskills", "reattach: {each: 80}");
    let text = format!("---\nname: tea\ndescription: D\n---\n{}", "Boil the water.\n\n".repeat(50));
    with_files(&[("tea", &text)], &table, |world, catalog| {
        let mut session = Session::default();
        session.call(world, catalog, r#"{"name": "tea"}"#).expect("it is there");
        let got = back(world, catalog, &session, None);
        let at = got.text.find("<skill_content name=\"tea\">\nBoil the water.\n\n").expect("the frame");
        let text = &got.text[at..];
        assert!(text.contains("Boil the water.\n\n[The rest of this skill is in `/p/"), "{text}");
        assert!(text.ends_with("</skill_content>") && text.len() <= 320, "{text}");
    });
    for tokens in 1..60 {
        let table = changed("agentskills", &format!("reattach: {{each: {tokens}}}"));
        with_files(&[("tea", &text)], &table, |world, catalog| {
            let mut session = Session::default();
            session.call(world, catalog, r#"{"name": "tea"}"#).expect("it is there");
            let text = back(world, catalog, &session, None).text;
            let count = |tag: &str| text.matches(tag).count();
            assert_eq!(count("<skill_content "), count("</skill_content>"), "{tokens}: {text}");
        });
    }
}

/// A host that keeps a session for long may remove what decides about no later answer.
#[test]
fn what_is_trimmed_decides_nothing() {
    let mut fs = skilltree::MemFs::new();
    for key in ["tea", "cake", "pie"] {
        fs.file(&format!("/s/{key}/SKILL.md"), format!("---\nname: {key}\ndescription: {key}.\n---\nIt is {key}.\n"));
    }
    let places = skilltree::Places { roots: vec![common::path("/s")], ..skilltree::Places::default() };
    let world = skilltree::World::new(&fs, &places, &());
    let catalog = skilltree::discover(&world, &skilltree::dialect("claude").expect("a table"));
    let mut session = Session::default();
    for round in 0..50 {
        for key in ["tea", "cake", "tea"] {
            session.call(&world, &catalog, &format!(r#"{{"skill": "{key}"}}"#)).expect("a call");
        }
        if round == 0 {
            session.call(&world, &catalog, r#"{"skill": "pie"}"#).expect("a call");
        }
        session.compacted();
        let mut trimmed = session.clone();
        trimmed.trim();
        let ask = skilltree::record::ReattachRequest::default();
        let back = |session: &Session| session.reattach(&world, &catalog, &ask);
        assert_eq!(back(&trimmed), back(&session), "{round}");
        assert_eq!(back(&trimmed).keys.len(), 3, "{round}");
        assert_eq!(trimmed.texts_in_context(), session.texts_in_context(), "{round}");
        assert!(trimmed.events().len() <= 4, "{round}: {:?}", trimmed.events());
        session = trimmed;
    }
}
