//! A long session: 200 calls over 10 000 skills with five compactions, from a seed. Each line of the transcript is a call
//! or a compaction. `UPDATE=1` writes it anew.

use crate::common::{Machine, Random, root};
use pretty_assertions::assert_eq;
use skilltree::record::{Event, ReattachRequest, Session};
use skilltree::{
    Catalog, Commands, FsPath, IncrementalDiscovery, Invocation, Json, MemFs, Places, PromptRequest, World, commands,
    dialect,
};
use std::fmt::Write as _;

const SKILLS: usize = 10_000;
const CALLS: usize = 200;
const COMPACTIONS: usize = 5;

/// Most of a session is about few of its skills.
const IN_USE: usize = 60;

/// How many paragraphs they have at most.
const LENGTHS: &[usize] = &[5, 20, 60, 250];

/// The window of the model that the session is with, in tokens.
const WINDOW: usize = 200_000;

fn key(n: usize) -> String {
    const VERBS: &[&str] = &["build", "check", "deploy", "draw", "fill", "find", "merge", "plan", "review", "write"];
    const NOUNS: &[&str] = &["api", "branch", "chart", "form", "graph", "index", "page", "report", "schema", "test"];
    format!("{}-{}-{}", VERBS[n % 10], NOUNS[n / 10 % 10], n / 100)
}

/// A body of at most so many paragraphs.
fn body(most: usize, random: &mut Random) -> String {
    let paragraphs = 1 + random.below(most);
    let mut text = String::new();
    for n in 0..paragraphs {
        let words = 10 + random.below(60);
        let _ = write!(text, "{}. {}\n\n", n + 1, "step ".repeat(words).trim_end());
    }
    if random.one_in(3) {
        text.push_str("Work on $ARGUMENTS.\n");
    }
    text
}

fn at(key: &str) -> String {
    format!("/h/.claude/skills/{key}/SKILL.md")
}

fn file(key: &str, most: usize, random: &mut Random) -> String {
    // Every eighth is a task for a separate agent.
    let context = if random.one_in(8) { "context: fork\n" } else { "" };
    format!("---\ndescription: Does {}.\n{context}---\n{}", key.replace('-', " "), body(most, random))
}

fn kind(invocation: &Invocation) -> (&'static str, &str) {
    match invocation {
        Invocation::Inline(message) if message.is_already_loaded => ("note", &message.text),
        Invocation::Inline(message) => ("text", &message.text),
        Invocation::Fork(fork) => ("fork", &fork.text),
        other => panic!("{other:?}"),
    }
}

fn tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// The session as it goes on.
struct Day {
    random: Random,
    /// The keys of the skills that are used.
    in_use: Vec<String>,
    session: Session,
    /// How many calls there were.
    calls: usize,
    out: String,
}

impl Day {
    /// A call by the model, or a command that the user types.
    fn call(&mut self, world: &World<'_>, catalog: &Catalog, commands: &Commands) {
        self.calls += 1;
        let key = self.random.pick(&self.in_use).clone();
        let args = if self.random.one_in(4) { format!("item {}", self.random.below(3)) } else { String::new() };
        let (who, invocation) = if self.random.one_in(6) {
            let line = format!("/{key} {args}");
            let invocation = self.session.invoke(world, catalog, commands, line.trim_end());
            ("user", invocation)
        } else {
            let arguments = Json::map([("skill", Json::from(key.as_str())), ("args", Json::from(args.as_str()))]);
            ("model", self.session.call(world, catalog, &arguments.to_string()).map(Some))
        };
        let (kind, cost) = match &invocation {
            // The skill is gone.
            Ok(None) => ("message", 0),
            Ok(Some(invocation)) => {
                let (kind, text) = kind(invocation);
                (kind, tokens(text))
            }
            Err(error) => (error.code(), 0),
        };
        let args = if args.is_empty() { args } else { format!(" ({args})") };
        let _ = writeln!(self.out, "{:>3} {who:<5} {key}{args}: {kind}, {cost}", self.calls);
    }

    fn compact(&mut self, world: &World<'_>, catalog: &Catalog) {
        let got = self.session.reattach(world, catalog, &ReattachRequest { budget: None, window: Some(WINDOW) });
        assert!(got.cost <= got.budget);
        let (kept, cut, left) = (got.keys.len(), got.shortened.len(), got.left_out.len());
        let gone: Vec<&str> = got.missing.iter().map(|one| one.key.as_str()).collect();
        let gone = if gone.is_empty() { String::new() } else { format!(", gone: {}", gone.join(" ")) };
        let (cost, budget) = (got.cost, got.budget);
        let _ = writeln!(
            self.out,
            "compacted: {kept} put back, {cut} of them cut, {left} left out{gone}; {cost} of {budget}"
        );
        let _ = writeln!(self.out, "  newest: {}", got.keys[..got.keys.len().min(4)].join(" "));
        self.session.record_reattached(&got);
        // What a host keeps in a file is the same session.
        let text = self.session.to_json().to_string();
        assert_eq!(Session::from_json(&text).as_ref(), Ok(&self.session));
    }
}

#[test]
fn a_session_of_two_hundred_calls() {
    let mut random = Random(28);
    let mut fs = MemFs::new();
    for n in 0..SKILLS {
        fs.file(&at(&key(n)), file(&key(n), 2, &mut random));
    }
    let in_use: Vec<String> = (0..IN_USE).map(|_| key(random.below(SKILLS))).collect();
    for key in &in_use {
        let most = *random.pick(LENGTHS);
        fs.file(&at(key), file(key, most, &mut random));
    }
    let mut day = Day { random, in_use, session: Session::default(), calls: 0, out: String::new() };
    let (places, host) = (Places { home: FsPath::new("/h").ok(), ..Places::default() }, Machine::default());
    let mut live = IncrementalDiscovery::new(dialect("claude").expect("built in"));
    for part in 0..=COMPACTIONS {
        // The host discovers again after each compaction. By then, a skill is gone and another was edited.
        let world = World::new(&fs, &places, &host);
        let catalog = live.refresh(&world);
        let commands = commands(&catalog, &[]);
        if part == 0 {
            let ask = PromptRequest { window: Some(WINDOW), ..PromptRequest::default() };
            let prompt = day.session.prompt(&world, &catalog, &ask);
            let (shown, shortened, cost) = (prompt.shown.len(), prompt.shortened.len(), tokens(&prompt.text));
            let _ = writeln!(day.out, "shown: {shown} skills, {shortened} by name only; {cost}");
        } else {
            day.compact(&world, &catalog);
        }
        while day.calls < CALLS * (part + 1) / (COMPACTIONS + 1) {
            day.call(&world, &catalog, &commands);
        }
        let gone = day.random.pick(&day.in_use).clone();
        let edited = day.random.pick(&day.in_use).clone();
        fs.file(&at(&edited), file(&edited, 40, &mut day.random));
        fs.remove(&at(&gone));
    }
    let events = day.session.events();
    let count = |word: &str| events.iter().filter(|event| event.event.as_str() == word).count();
    assert_eq!(count("compacted"), COMPACTIONS);
    assert!(events.iter().any(|event| matches!(event.event, Event::Forked(_))));

    let file = root().join("testdata/sessions/day.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &day.out).expect("it can be written");
    }
    let expected = std::fs::read_to_string(&file).expect("run with UPDATE=1");
    assert_eq!(day.out, expected);
}
