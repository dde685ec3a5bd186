//! Forks at an agent that is a command: agents that answer, fail, hang, print forever, read nothing and will not go.
#![cfg(all(feature = "processes", unix))]

use crate::common;

use common::ground::{skill, table};
use common::living::{gone, left_in, soon};
use common::{TempDir, Tree, path};
use pretty_assertions::assert_eq;
use skilltree::host::{
    CancelToken, CommandAgent, HostError, Limits, ProcessOutput, SubagentHost, Task, TaskId, TaskState,
};
use skilltree::{Fork, FsPath, Invocation, Json, OsFs, Places, World, commands, discover, invoke};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Longer than any of these agents takes on a slow machine.
const LONG: Duration = Duration::from_secs(60);

/// A fork of this text, with everything that a fork can have.
fn fork(text: &str) -> Fork {
    let fields = "description: D\ncontext: fork\nagent: explore\nmodel: large\neffort: low\nbackground: yes\n\
        allowed-tools: Read\ndisallowed-tools: Write";
    let fs = Tree::default().with("/h/.claude/skills/look/SKILL.md", skill(fields, text)).mem();
    let places = Places { home: Some(path("/h")), ..Places::default() };
    let host = common::Machine::default();
    let world = World::new(&fs, &places, &host);
    let catalog = discover(&world, &table("claude"));
    match invoke(&world, &catalog, &commands(&catalog, &[]), "/look").expect("it is there") {
        Some(Invocation::Fork(fork)) => fork,
        other => panic!("{other:?}"),
    }
}

/// A place for the agent to be in.
struct Place {
    folder: TempDir,
    stop: CancelToken,
}

impl Place {
    fn new() -> Place {
        Place { folder: TempDir::new("agent"), stop: CancelToken::new() }
    }

    fn dir(&self) -> FsPath {
        path(self.folder.path().to_str().expect("UTF-8"))
    }

    fn try_agent(&self, command: &str, limits: Limits) -> Result<CommandAgent, HostError> {
        CommandAgent::new(&OsFs::new(), command, &self.dir(), limits, &self.stop)
    }

    /// A shell as the agent. The script must hold no single quotes.
    #[track_caller]
    fn agent(&self, script: &str) -> CommandAgent {
        self.within(script, LONG)
    }

    #[track_caller]
    fn within(&self, script: &str, time: Duration) -> CommandAgent {
        self.try_agent(&format!("/bin/sh -c '{script}'"), Limits::of_agent().with_time(time)).expect("sh is there")
    }

    /// The number that an agent leaves here.
    #[track_caller]
    fn pid(&self) -> String {
        let file = self.folder.path().join("pid");
        let pid = left_in(&file);
        std::fs::remove_file(file).expect("it is there");
        pid
    }
}

#[track_caller]
fn given(agent: &CommandAgent, text: &str) -> Task {
    let id = agent.submit(fork(text)).expect("it starts");
    agent.wait(&id, None).expect("it is known")
}

#[track_caller]
fn ran(task: &Task) -> &ProcessOutput {
    task.state.output().expect("it has ended")
}

fn said(task: &Task) -> (&'static str, i32, String, String) {
    let ran = task.state.output().expect("it has ended");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (task.state.as_str(), ran.code, text(&ran.output), text(&ran.errors))
}

#[test]
fn the_task_is_read_and_the_answer_kept() {
    let place = Place::new();
    let task = given(&place.agent("cat; echo told >&2"), "Look at it.\nWell.");
    assert_eq!(said(&task), ("done", 0, "Look at it.\nWell.".to_owned(), "told\n".to_owned()));
    assert_eq!((task.key.as_str(), ran(&task).is_cut, ran(&task).timed_out), ("look", false, false));
    let task = given(&place.agent("echo no; echo why >&2; exit 3"), "T");
    assert_eq!(said(&task), ("failed", 3, "no\n".to_owned(), "why\n".to_owned()), "it says that it failed");
    let task = given(&place.agent("kill -9 $$"), "T");
    assert_eq!(said(&task), ("failed", 137, String::new(), String::new()), "a signal, as shells say it");
    let task = given(&place.agent("pwd"), "T");
    assert_eq!(said(&task).2, format!("{}\n", place.dir()), "in the project's folder");
}

#[test]
fn what_it_may_use_is_told() {
    let place = Place::new();
    let task = given(&place.agent(&format!("printf %s \"${}\"; test -n \"$PATH\"", CommandAgent::VARIABLE)), "Secret.");
    let (status, _, told, _) = said(&task);
    let terms = Json::parse(&told).expect("one JSON document");
    let expect = "{\"key\":\"look\",\"agent\":\"explore\",\"model\":\"large\",\"tools\":[\"Read\"],\
        \"permissions\":[],\"granted_by\":\"look Skill\",\"dir\":\"/h/.claude/skills/look\",\
        \"disallowed_tools\":[\"Write\"],\"effort\":\"low\",\"background\":true}";
    assert_eq!((status, terms.to_string().as_str()), ("done", expect));
}

#[test]
fn the_command_line_is_words() {
    let place = Place::new();
    let words = place.try_agent("printf '[%s]' \"a b\" c\\ d '$HOME' '; touch x' '*'", Limits::of_agent()).unwrap();
    assert_eq!(said(&given(&words, "T")).2, "[a b][c d][$HOME][; touch x][*]", "no shell reads them");
    assert_eq!(std::fs::read_dir(place.folder.path()).unwrap().count(), 0);
    let refused = |command: &str| {
        let error = place.try_agent(command, Limits::of_agent()).err().expect("it is refused");
        (error.code(), error.to_string())
    };
    for empty in ["", "  ", "''", "'' x"] {
        assert_eq!(refused(empty).0, "bad-command", "{empty:?}");
    }
    assert!(refused(" ").1.contains("does not name a program"), "{}", refused(" ").1);
    let (code, why) = refused("./agent -p");
    assert!(code == "bad-command" && why.contains("`./agent -p`") && why.contains("absolute path"), "{why}");
    let (code, why) = refused("no-such-agent -p");
    assert!(code == "program-missing" && why.contains("`no-such-agent`") && why.contains("PATH"), "{why}");
    assert_eq!(refused("/no/such/agent").0, "program-missing");
    let gone = CommandAgent::new(&OsFs::new(), "true", &path("/no/such/project"), Limits::of_agent(), &place.stop);
    let error = gone.expect("the program is there").submit(fork("T")).unwrap_err();
    assert_eq!(error.code(), "not-started");
}

#[test]
fn input_that_nobody_reads() {
    let place = Place::new();
    let much = "x".repeat(240_000);
    let task = given(&place.agent("exec <&-; echo deaf"), &much);
    assert_eq!(said(&task), ("done", 0, "deaf\n".to_owned(), String::new()), "closed at once");
    let task = given(&place.agent("sleep 0.2; echo deaf"), &much);
    assert_eq!(said(&task).2, "deaf\n", "not read at all");
    let task = given(&place.agent("cat | wc -c"), &much);
    assert_eq!(said(&task).2.trim(), much.len().to_string(), "read to its end");
    let mut big = fork("T");
    big.text = "y".repeat(3_000_000);
    let echo = place.agent("cat");
    let id = echo.submit(big.clone()).unwrap();
    let task = echo.wait(&id, None).unwrap();
    let (ran, kept) = (ran(&task), big.text.as_bytes().get(..1_048_576).unwrap());
    assert!(task.state.as_str() == "done" && ran.is_cut && ran.output == kept, "1 MiB of it is kept");
}

#[test]
fn limits_hold() {
    let place = Place::new();
    let begun = Instant::now();
    let brief = Duration::from_secs(1);
    for (case, script) in [
        ("it hangs", "echo $$ > pid; echo begun; sleep 300"),
        ("it ignores signals", "trap \"\" TERM INT HUP; echo $$ > pid; echo begun; while :; do sleep 300; done"),
        ("it waits for its child", "sleep 300 & echo $! > pid; echo begun; wait"),
    ] {
        let task = given(&place.within(script, brief), "T");
        assert_eq!(said(&task), ("timed-out", 124, "begun\n".to_owned(), String::new()), "{case}");
        assert!(ran(&task).timed_out, "{case}");
        gone(case, &place.pid());
    }
    let task = given(&place.within("while :; do echo yyyyyyyyyyyyyyyyyyyyyy; done", brief), "T");
    assert_eq!((task.state.as_str(), ran(&task).is_cut), ("timed-out", ran(&task).output.len() == 1_048_576));
    let task = given(&place.agent("head -c 1500000 /dev/zero; echo late >&2"), "T");
    assert_eq!((task.state.as_str(), ran(&task).is_cut, ran(&task).output.len()), ("done", true, 1_048_571));
    assert_eq!(ran(&task).errors, b"late\n", "output and errors share the limit");
    let task = given(&place.within("echo soon", Duration::MAX), "T");
    assert_eq!(task.state.as_str(), "done", "a limit beyond the clock");
    assert!(begun.elapsed() < Duration::from_secs(40), "{:?}", begun.elapsed());
}

#[test]
fn children_left_behind_are_ended() {
    let place = Place::new();
    let task = given(&place.agent("sleep 300 & echo $! > pid; echo vanished"), "T");
    assert_eq!(said(&task).2, "vanished\n");
    gone("its child", &place.pid());
}

#[test]
fn tasks_go_on_side_by_side() {
    let place = Place::new();
    // Each waits for the other's file, so neither could end alone.
    let agent =
        place.agent("read name other; echo > \"$name\"; until test -e \"$other\"; do sleep 0.01; done; echo \"$name\"");
    let first = agent.submit(fork("one two\n")).unwrap();
    let second = agent.submit(fork("two one\n")).unwrap();
    assert_ne!(first, second);
    let ended = |id| said(&agent.wait(id, None).unwrap()).2;
    assert_eq!((ended(&second), ended(&first)), ("two\n".to_owned(), "one\n".to_owned()));
}

#[test]
fn asking_and_waiting() {
    let place = Place::new();
    let agent = place.agent("read go < fifo; echo \"$go\"");
    let made = std::process::Command::new("mkfifo").arg(place.folder.path().join("fifo")).status().unwrap();
    assert!(made.success());
    let id = agent.submit(fork("T")).unwrap();
    let running = |task: Task| assert_eq!(task.state, TaskState::Running);
    running(agent.state(&id).unwrap());
    let begun = Instant::now();
    running(agent.wait(&id, Some(Duration::from_millis(50))).unwrap());
    assert!(begun.elapsed() >= Duration::from_millis(50), "it waits so long");
    running(agent.wait(&id, Some(Duration::ZERO)).unwrap());
    std::fs::write(place.folder.path().join("fifo"), "now\n").unwrap();
    let task = agent.wait(&id, Some(Duration::MAX)).unwrap();
    assert_eq!(said(&task).2, "now\n");
    assert_eq!(agent.state(&id).unwrap(), task, "it stays known");
    assert_eq!(agent.stop(&id).unwrap(), task, "there is nothing to stop");
    agent.forget(&id);
    let error = agent.state(&id).unwrap_err();
    assert_eq!((error.code(), error.to_string()), ("no-task", format!("there is no task `{id}`")));
    let other = TaskId::new("other");
    for answer in [agent.state(&other), agent.wait(&other, None), agent.stop(&other)] {
        assert_eq!(answer.unwrap_err().code(), "no-task");
    }
}

#[test]
fn stopping() {
    let place = Place::new();
    let script = "trap \"\" TERM; echo $$ > pid; echo begun; while :; do sleep 300; done";
    let agent = place.agent(script);
    let begun = Instant::now();
    let id = agent.submit(fork("T")).unwrap();
    let pid = place.pid();
    let task = agent.stop(&id).unwrap();
    assert_eq!(said(&task), ("stopped", 137, "begun\n".to_owned(), String::new()), "one task");
    gone("stopped", &pid);
    assert!(agent.submit(fork("T")).is_ok(), "others may begin");
    drop(agent);

    let agent = place.agent(script);
    agent.submit(fork("T")).unwrap();
    let pid = place.pid();
    drop(agent);
    gone("dropped", &pid);

    let agent = place.agent(script);
    let id = agent.submit(fork("T")).unwrap();
    let pid = place.pid();
    agent.forget(&id);
    gone("forgotten", &pid);

    let id = agent.submit(fork("T")).unwrap();
    let pid = place.pid();
    place.stop.stop();
    assert_eq!(agent.wait(&id, None).unwrap().state.as_str(), "stopped", "all");
    gone("all stopped", &pid);
    assert_eq!(agent.submit(fork("T")).unwrap_err(), HostError::Stopped, "nothing begins after it");
    assert!(begun.elapsed() < LONG);
}

#[test]
fn the_end_is_told() {
    let place = Place::new();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let to = Arc::clone(&heard);
    let agent = place.agent("cat").on_task_end(move |task| to.lock().unwrap().push(task.clone()));
    let id = agent.submit(fork("T")).unwrap();
    let task = agent.wait(&id, None).unwrap();
    assert!(soon(|| !heard.lock().unwrap().is_empty()));
    assert_eq!(*heard.lock().unwrap(), [task]);
    let agent = place.agent("cat").on_task_end(|_| panic!("on purpose"));
    assert_eq!(given(&agent, "T").state.as_str(), "done", "who listens may fail");
    assert_eq!(given(&agent, "T").state.as_str(), "done", "and the next goes on");
}

/// An agent that has no process: what any other host may be.
struct Echo(Mutex<Vec<Task>>);

impl SubagentHost for Echo {
    fn submit(&self, fork: Fork) -> Result<TaskId, HostError> {
        let mut tasks = self.0.lock().unwrap();
        let id = TaskId::new(format!("echo-{}", tasks.len()));
        let mut ran = ProcessOutput::default();
        ran.output = fork.text.into_bytes();
        tasks.push(Task::new(id.clone(), fork.key, TaskState::Done(ran)));
        Ok(id)
    }

    fn wait(&self, id: &TaskId, _: Option<Duration>) -> Result<Task, HostError> {
        let tasks = self.0.lock().unwrap();
        let task = tasks.iter().find(|task| task.id == *id);
        task.cloned().ok_or_else(|| HostError::NoTask { id: id.to_string() })
    }

    fn stop(&self, id: &TaskId) -> Result<Task, HostError> {
        self.state(id)
    }
}

#[test]
fn other_hosts_can_be() {
    let place = Place::new();
    let hosts: [Box<dyn SubagentHost + Send + Sync>; 2] =
        [Box::new(Echo(Mutex::default())), Box::new(place.agent("cat"))];
    for host in hosts {
        let id = host.submit(fork("Look.")).unwrap();
        assert_eq!(said(&host.wait(&id, None).unwrap()), ("done", 0, "Look.".to_owned(), String::new()));
        assert_eq!(host.state(&TaskId::new("none")).unwrap_err().code(), "no-task");
    }
}
