//! Looks for trees that a real client and its dialect list differently: trees are made at random, given to the client by
//! `tests/lab/lab.py`, and each difference is shrunk and kept as a case. It runs for the clients that `SKILLTREE_LAB` names,
//! as `.ci/lab` sets it: the clients have to be installed, and a run takes seconds.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "what a search finds is shown while it runs")]

use crate::common::property::seed;
use crate::common::root;
use crate::common::skip::skip;
use crate::vectors::{Client, cases, clients, difference, list, read, text};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::{Config, RngSeed, TestError, TestRunner};
use skilltree::Json;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// How many runs of a client are spent to shrink one tree.
const MAX_SHRINK_RUNS: u32 = 80;
/// After so many differences of one client, the others are left for the next run.
const MAX_WITNESSES: usize = 12;

/// A file or link of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Made {
    path: String,
    /// The text, or the target of a link.
    content: Result<String, String>,
}

fn skill_text() -> impl Strategy<Value = String> {
    let plain = ["---\n"; 8].into_iter();
    let opening = select(plain.chain(["--- \n", "\n---\n", "\u{feff}---\n", "----\n", " ---\n"]).collect::<Vec<_>>());
    let closing = select(
        ["---\n"; 10].into_iter().chain(["--- \n", "---", "...\n", "--- x\n", "----\n", ""]).collect::<Vec<_>>(),
    );
    let name = select(vec![
        "name: a\n",
        "",
        "name: b\n",
        "name: A\n",
        "name: \"a b\"\n",
        "name: 5\n",
        "name: 'a:b'\n",
        "name:\n",
        "name: a_b\n",
        "name: [a]\n",
        "name: \"a/b\"\n",
        "name: é\n",
    ]);
    let description = select(vec![
        "description: Text.\n",
        "",
        "description: a: b\n",
        "description: \"quoted\"\n",
        "description: |\n  One.\n  Two.\n",
        "description: >\n  One\n  two.\n",
        "description: @at\n",
        "description: a # b\n",
        "description: 5\n",
        "description: [a, b]\n",
        "description: {a: b}\n",
        "description:\n",
        "description: \"open\n",
        "description: a --- b\n",
        "description: <b> & \"c\"\n",
        "description: true\n",
        "description: 1.50\n",
        "description: One\n  two.\n",
        "description:\n  - One\n",
        "description: '  spaces  '\n",
        "description: first\ndescription: second\n",
        "description: ~\n",
        "description: \"a\" b\n",
        "description:\tTab.\n",
        "Description: Up.\n",
    ]);
    let more = subsequence(
        vec![
            "license: MIT\n",
            "# note\n",
            "metadata:\n  a: b\n",
            "disable-model-invocation: true\n",
            "user-invocable: false\n",
            "when_to_use: When asked.\n",
            "paths: '*.rs'\n",
            "allowed-tools: Read\n",
            "tags: [a, b]\n",
            "other: a: b\n",
            "just words\n",
            "metadata: {a: {b: c}}\n",
            "version: 1.0\n",
            "\tx: y\n",
            "x: &y z\nw: *y\n",
        ],
        0..3,
    );
    let body = select(vec!["Do it.\n", "", "# Title\n\nFirst.\n", "\n\nLater.\n", "One.\n---\nTwo.\n"]);
    let ends = prop_oneof![9 => Just(false), 1 => Just(true)];
    (opening, name, description, more, closing, body, ends).prop_map(
        |(opening, name, description, more, closing, body, is_crlf)| {
            let text = format!("{opening}{name}{description}{}{closing}{body}", more.concat());
            if is_crlf { text.replace('\n', "\r\n") } else { text }
        },
    )
}

fn made() -> impl Strategy<Value = Made> {
    let own = ["{project}"; 6].into_iter().chain(["{home}"; 3]);
    let tops =
        own.chain(["project/.agents/skills", "project/.claude/skills", "home/.agents/skills", "home/.claude/skills"]);
    let folder = select(vec![
        "a",
        "b",
        "B",
        "a-b",
        "a/b",
        "b/a",
        "a/b/c",
        ".a",
        "node_modules/a",
        "é",
        "a b",
        "a_b",
        "10",
        "2",
        "",
    ]);
    let file = select(["SKILL.md"; 12].into_iter().chain(["skill.md", "README.md", "Skill.md"]).collect::<Vec<_>>());
    let content = prop_oneof![
        10 => skill_text().prop_map(Ok),
        1 => select(vec!["a", "../a", "{root}/other/a", "."]).prop_map(|target| Err(target.to_owned())),
    ];
    (select(tops.collect::<Vec<_>>()), folder, file, content).prop_map(|(top, folder, file, content)| {
        let folder = if folder.is_empty() { top.to_owned() } else { format!("{top}/{folder}") };
        let path = if content.is_ok() { format!("{folder}/{file}") } else { format!("{folder}-link") };
        Made { path, content }
    })
}

/// Settings files that the client has been run with, a set for each of its cases about settings; more often none.
fn settings(client: &str) -> impl Strategy<Value = Vec<Made>> {
    let file = |file: &Json| {
        let (path, text) = (text(file, "path")?, text(file, "text")?);
        (!path.ends_with("SKILL.md")).then(|| Made { path: path.to_owned(), content: Ok(text.to_owned()) })
    };
    let differs = read("testdata/vectors/different.json").get(client).cloned().unwrap_or(Json::Null);
    let about_settings =
        |(name, _): &(String, Json)| name.starts_with(&format!("settings-{client}-")) && differs.get(name).is_none();
    let recorded = cases().into_iter().filter(about_settings);
    let sets: Vec<Vec<Made>> =
        recorded.map(|(_, case)| list(&case, "files").iter().filter_map(file).collect()).collect();
    select(vec![Vec::new(); 1 + 2 * sets.len()].into_iter().chain(sets).collect::<Vec<_>>())
}

/// A tree as a case, without what clients listed; `None` if two of its files have one path, or one lies below another.
fn case(files: &[Made], in_repository: bool) -> Option<Json> {
    for (at, one) in files.iter().enumerate() {
        let mut others = files.iter().enumerate().filter(|(other, _)| *other != at);
        if others.any(|(_, other)| other.path == one.path || other.path.starts_with(&format!("{}/", one.path))) {
            return None;
        }
    }
    let file = |made: &Made| {
        let (field, text) = match &made.content {
            Ok(text) => ("text", text),
            Err(target) => ("link", target),
        };
        Json::map([("path", Json::from(made.path.as_str())), (field, Json::from(text.as_str()))])
    };
    let repositories = if in_repository { vec![Json::from("project")] } else { Vec::new() };
    Some(Json::map([
        ("about", Json::from("Found by the laboratory.")),
        ("files", Json::List(files.iter().map(file).collect())),
        ("repositories", Json::List(repositories)),
        ("seen", Json::List(Vec::new())),
    ]))
}

/// Whether a tree has what the table of the client names as not modelled, which would be found again and again.
fn is_not_modelled(client: &str, files: &[Made]) -> bool {
    let any = |is: &dyn Fn(&Made) -> bool| files.iter().any(is);
    let is_other = |made: &Made| made.content.is_ok() && !made.path.ends_with("/SKILL.md");
    let has = |made: &Made, key: &str| made.content.as_ref().is_ok_and(|text| text.contains(&format!("\n{key}: ")));
    let is_in_other_case = |made: &Made| made.path.to_ascii_lowercase().ends_with("/skill.md");
    let is_link_to_itself = |made: &Made| made.content.as_ref().is_err_and(|target| target == ".");
    match client {
        "claude" | "gemini" => any(&is_link_to_itself),
        "copilot-cli" => any(&|made| made.content.is_err()),
        "pi" => {
            any(&is_link_to_itself)
                || any(&|made| {
                    is_other(made) && (made.path.contains(".agents") || !has(made, "name") || is_in_other_case(made))
                })
        }
        "kimi" => {
            any(&|made| is_other(made) && (is_in_other_case(made) || !(has(made, "name") && has(made, "description"))))
        }
        // A file that ends right after its frontmatter.
        "cline" => any(&|made| {
            let text = made.content.as_deref().unwrap_or_default();
            text.rsplit_once("\n---").is_some_and(|(_, rest)| rest.lines().skip(1).all(|line| line.trim().is_empty()))
        }),
        "vibe" => any(&|made| made.content.as_ref().is_ok_and(|text| text.contains('\t'))),
        "kilo" => {
            // Of equal names in one source, any may win.
            let named = files.iter().map(|made| (source(made), name_line(made)));
            let is_open = |text: &String| text.contains("\"open") && text.contains("a: b");
            named.clone().collect::<HashSet<_>>().len() < files.len()
                || any(&|made| made.content.as_ref().is_ok_and(is_open))
        }
        _ => false,
    }
}

/// The folder of skills that a file lies in.
fn source(made: &Made) -> &str {
    let end = made.path.find("skills/").map(|at| at + "skills".len()).or_else(|| made.path.find('/'));
    end.map_or(&made.path, |end| &made.path[..end])
}

/// The line of its frontmatter that names it.
fn name_line(made: &Made) -> Option<&str> {
    made.content.as_ref().ok()?.lines().find(|line| line.starts_with("name:"))
}

/// A client that answers cases.
struct Running {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Running {
    fn start(client: &str) -> Running {
        let mut command = Command::new("python3");
        command.arg("tests/lab/lab.py").args(["serve", client]).current_dir(root());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("Python can be started");
        let requests = child.stdin.take().expect("a pipe");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Running { child, requests, answers }
    }

    /// What the client lists; `None` if it does not answer this case.
    fn see(&mut self, case: &Json) -> Option<Json> {
        writeln!(self.requests, "{case}").expect("the laboratory reads");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the laboratory answers");
        let answer = Json::parse(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        match text(&answer, "error") {
            Some(error) => {
                println!("not answered: {error}");
                None
            }
            None => Some(answer),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Looks for differences until the time is over; gives the names of the cases that were kept.
fn search(client: &Client, seconds: u64) -> (usize, Vec<String>) {
    let running = RefCell::new(Running::start(client.name()));
    let until = Instant::now() + Duration::from_secs(seconds);
    let (trees, mut kept, mut told) = (Cell::new(0), Vec::new(), HashSet::new());
    let first = seed();
    for round in 0.. {
        if until < Instant::now() || kept.len() == MAX_WITNESSES {
            break;
        }
        let config = Config {
            cases: u32::MAX,
            max_global_rejects: u32::MAX,
            failure_persistence: None,
            max_shrink_iters: MAX_SHRINK_RUNS,
            rng_seed: RngSeed::Fixed(first + round),
            ..Config::default()
        };
        let strategy = (vec(made(), 1..6), prop::bool::weighted(0.8), settings(client.name()));
        let law = |(files, in_repository, settings): (Vec<Made>, bool, Vec<Made>)| {
            let case = case(&[&files[..], &settings].concat(), in_repository);
            let Some(case) = case.filter(|_| !is_not_modelled(client.name(), &files)) else {
                return Err(TestCaseError::reject("no tree"));
            };
            // There the dialect differs on purpose.
            if client.misses_a_restriction(&case) {
                return Err(TestCaseError::reject("a restriction that the client misses"));
            }
            if until < Instant::now() {
                // The time is over: the runner is ended by a failure that has no difference.
                return Err(TestCaseError::fail(""));
            }
            trees.set(trees.get() + 1);
            let ours = client.list("made", &case);
            let differs = || {
                let seen = running.borrow_mut().see(&case)?;
                difference(&seen, ours.clone())
            };
            // A client that is still reading its folders may list too little, and one that has read a text before may read
            // it otherwise, as it remembers what it parsed. So a client that was just started has to differ, too.
            let found = differs().and_then(|_| {
                running.replace(Running::start(client.name()));
                differs()
            });
            match found {
                None => Ok(()),
                Some(found) => Err(TestCaseError::fail(found)),
            }
        };
        if let Err(TestError::Fail(reason, (files, in_repository, settings))) = TestRunner::new(config).run(&strategy, law)
            && !reason.message().is_empty()
            // One difference is often found more than once.
            && told.insert(reason.message().to_owned())
        {
            let case = case(&[files, settings].concat(), in_repository).expect("the tree was laid out");
            let name = format!("found-{}-{}-{round}", client.name(), first);
            println!("{name}: {reason}\n{case:#}");
            fs::write(root().join(format!("testdata/vectors/cases/{name}.json")), format!("{case:#}\n"))
                .expect("a case can be written");
            kept.push(name);
        }
    }
    (trees.get(), kept)
}

/// `SKILLTREE_LAB` names the clients, with commas between, and `SKILLTREE_LAB_SECONDS` says how long each is asked.
#[test]
fn clients_and_dialects_list_the_same() {
    let Ok(names) = std::env::var("SKILLTREE_LAB") else { return skip("SKILLTREE_LAB names no clients") };
    let seconds = std::env::var("SKILLTREE_LAB_SECONDS").map_or(60, |text| text.parse().expect("a number of seconds"));
    let mut found = Vec::new();
    for client in clients().iter().filter(|client| names.split(',').any(|name| name == client.name())) {
        let (trees, kept) = search(client, seconds);
        println!("{}: {trees} trees, {} differences", client.name(), kept.len());
        found.extend(kept);
    }
    assert!(found.is_empty(), "the clients and their dialects differ: {found:?}");
}
