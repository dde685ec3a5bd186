//! Laws of sessions: they read back as they were written, merging is a union, and what is put back never costs more than
//! its budget.

use super::back;
use crate::common::ground::changed;
use crate::common::{Machine, path, property};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use skilltree::record::{Event, SentText, Session};
use skilltree::{Caller, Digest, LoadRequest, MemFs, Places, World, discover};

fn event() -> impl Strategy<Value = Event> {
    let text = || select(vec!["", "a", "b", "é \"\n\u{1}", "日本"]).prop_map(str::to_owned);
    let digest = || any::<bool>().prop_map(|odd| Digest::of(&[u8::from(odd)]));
    let sent = || {
        let by = select(vec![Caller::Model, Caller::User]);
        (text(), text(), by, text(), digest()).prop_map(|(key, args, by, path, digest)| SentText {
            key,
            args,
            by,
            path,
            digest,
        })
    };
    prop_oneof![
        (vec(text(), 0..3), digest()).prop_map(|(keys, digest)| Event::Shown { keys, digest }),
        sent().prop_map(Event::Loaded),
        sent().prop_map(Event::Invoked),
        sent().prop_map(Event::Forked),
        (text(), digest()).prop_map(|(key, digest)| Event::Approved { key, digest }),
        Just(Event::Compacted),
    ]
}

fn with(mut session: Session, events: Vec<Event>) -> Session {
    events.into_iter().for_each(|event| session.add(event));
    session
}

fn merged<'s>(sessions: impl IntoIterator<Item = &'s Session>) -> Session {
    let mut all = Session::default();
    sessions.into_iter().for_each(|session| all.merge(session));
    all
}

#[test]
fn a_written_session_reads_back() {
    property::check("a_written_session_reads_back", 500, vec(event(), 0..12), |events| {
        let session = with(Session::default(), events);
        let json = session.to_json();
        prop_assert_eq!(Session::from_json(&json.to_string()), Ok(session.clone()));
        prop_assert_eq!(Session::from_json(&format!("{json:#}")), Ok(session));
        Ok(())
    });
}

#[test]
fn no_text_makes_reading_a_session_panic() {
    let cases = (vec(event(), 0..4), any::<Index>(), any::<Index>(), select(vec!["", "1", "\"", "{", "[", "null"]));
    property::check("no_text_makes_reading_a_session_panic", 1_000, cases, |(events, from, to, with_text)| {
        let text = with(Session::default(), events).to_json().to_string();
        let at = |index: Index| text.char_indices().nth(index.index(text.chars().count())).map_or(0, |(at, _)| at);
        let (from, to) = (at(from), at(to));
        let changed = [&text[..from.min(to)], with_text, &text[from.max(to)..]].concat();
        if let Err(error) = Session::from_json(&changed) {
            prop_assert!(error.to_string().contains("expected"), "{error} in {changed}");
        }
        Ok(())
    });
}

#[test]
fn merging_is_a_union() {
    let branches = (vec(event(), 0..6), vec(vec(event(), 0..6), 0..4), vec(any::<Index>(), 0..4));
    property::check("merging_is_a_union", 1_000, branches, |(common, branches, cuts)| {
        let common = with(Session::default(), common);
        let branches: Vec<Session> = branches.into_iter().map(|more| with(common.clone(), more)).collect();
        let all = merged(branches.iter().chain([&common]));
        prop_assert_eq!(&merged(branches.iter().rev().chain([&common])), &all, "in any order");
        prop_assert_eq!(&merged([&all, &all]), &all, "twice");
        for branch in &branches {
            prop_assert_eq!(&merged([&all, branch]), &all, "again");
            for event in branch.events() {
                prop_assert_eq!(all.events().iter().filter(|other| *other == event).count(), 1, "{:?}", event);
            }
            // The events as parts: each a session file with some of them.
            let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(branch.events().len() + 1)).collect();
            ends.extend([0, branch.events().len()]);
            ends.sort_unstable();
            let json = |from: usize, to: usize| {
                let part = |n: usize| {
                    branch.to_json().get("events").map(|events| match events {
                        skilltree::Json::List(events) => events[n].clone(),
                        other => other.clone(),
                    })
                };
                let events: Vec<skilltree::Json> = (from..to).filter_map(part).collect();
                let version = skilltree::Json::Number("1".to_owned());
                skilltree::Json::map([("version", version), ("events", events.into())]).to_string()
            };
            let parts = ends.windows(2).map(|ends| Session::from_json(&json(ends[0], ends[1])));
            let parts: Vec<Session> =
                parts.collect::<Result<_, _>>().map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(&merged(parts.iter().rev()), branch, "cut at {:?}", ends);
        }
        let count: usize = branches.iter().map(|branch| branch.events().len()).sum::<usize>() + common.events().len();
        prop_assert!(all.events().len() <= count);
        Ok(())
    });
}

/// A skill of some paragraphs, some of which are fences with blank lines in them.
fn body() -> impl Strategy<Value = String> {
    let paragraph = prop_oneof![
        (1..200_usize).prop_map(|length| "x".repeat(length)),
        (1..60_usize).prop_map(|length| format!("```\n{}\n\né\n```", "y".repeat(length))),
    ];
    vec(paragraph, 0..8).prop_map(|paragraphs| paragraphs.join("\n\n"))
}

#[test]
fn what_is_put_back_never_costs_more_than_its_budget() {
    let limits = (0..200_usize, 0..400_usize, proptest::option::of(0..1_500_usize));
    let skills = (vec(body(), 0..8), vec(any::<Index>(), 0..12));
    let cases = (select(skilltree::dialect::NAMES), limits, skills);
    property::check("what_is_put_back_never_costs_more_than_its_budget", 300, cases, |(name, limits, skills)| {
        let ((each, all, budget), (bodies, order)) = (limits, skills);
        let table = changed(name, &format!("reattach: {{each: {each}, all: {all}}}"));
        let mut fs = MemFs::new();
        for (n, body) in bodies.iter().enumerate() {
            fs.file(&format!("/s/s{n}/SKILL.md"), format!("---\nname: s{n}\ndescription: D\n---\n{body}"));
        }
        let places = Places { roots: vec![path("/s")], ..Places::default() };
        let host = Machine::default();
        let world = World::new(&fs, &places, &host);
        let catalog = discover(&world, &table);
        let mut session = Session::default();
        for index in order {
            if catalog.skills().is_empty() {
                break;
            }
            let skill = &catalog.skills()[index.index(catalog.skills().len())];
            // In a dialect with states, no skill is active.
            let _ = session.load(&world, &catalog, skill, &LoadRequest::new(Caller::User));
        }
        let got = back(&world, &catalog, &session, budget);
        prop_assert!(got.cost <= got.budget && got.budget == budget.unwrap_or(got.budget), "{got:?}");
        prop_assert_eq!(got.cost, got.text.len().div_ceil(4));
        // Each skill of the session is named once.
        let mut named = [got.keys.clone(), got.left_out.clone()].concat();
        named.extend(got.missing.iter().map(|one| one.key.clone()));
        named.sort();
        let mut loaded: Vec<String> =
            session.events().iter().filter_map(|event| event.event.key()).map(str::to_owned).collect();
        loaded.sort();
        loaded.dedup();
        prop_assert_eq!(named, loaded);
        prop_assert!(got.shortened.iter().all(|key| got.keys.contains(key)));
        // What is put back says what it is: no fence is left open.
        let fences = got.text.lines().filter(|line| line.trim_start().starts_with("```")).count();
        prop_assert_eq!(fences % 2, 0, "{}", got.text);

        // What was put back whole is not sent again where a note is given, and what was cut is.
        let mut after = session.clone();
        after.record_reattached(&got);
        let again = back(&world, &catalog, &after, budget);
        prop_assert_eq!(&again.text, &got.text, "a second compaction");
        for key in &got.keys {
            let skill = catalog.get(key).expect("it was put back");
            let loaded = after.load(&world, &catalog, skill, &LoadRequest::new(Caller::User));
            let is_noted = loaded.is_ok_and(|loaded| loaded.is_already_loaded);
            let gives_note = catalog.dialect().notes_repeated_loads();
            prop_assert_eq!(is_noted, gives_note && !got.shortened.contains(key), "{}", key);
        }
        Ok(())
    });
}
