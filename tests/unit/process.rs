//! Processes that end, hang, fork, print forever, close their pipes and ignore signals.

use super::{Pause, Process, Stream, Want, exit_code};
use crate::host::capture::CancelToken;
use std::process::Command;
use std::time::{Duration, Instant};

fn start(script: &str) -> Process {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]);
    Process::start(command, true, super::Outputs::Separate).expect("sh starts")
}

/// Whether a process of this number is there, no zombie, and stays: who has been killed goes in a moment.
fn lives(pid: &str) -> bool {
    (0..100).all(|_| {
        std::thread::sleep(Duration::from_millis(10));
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
    })
}

/// Longer than anything here takes on a busy machine, and shorter than what is started sleeps.
const PATIENCE: Duration = Duration::from_secs(50);

struct Heard {
    pause: Pause,
    output: String,
    errors: String,
    took: Duration,
}

/// Runs to its end.
#[track_caller]
fn hear(script: &str, input: &[u8]) -> Heard {
    hear_until(script, input, None)
}

/// Runs until a limit, which counts from the first output.
#[track_caller]
fn hear_at_limit(script: &str, millis: u64) -> Heard {
    hear_until(script, b"", Some(Duration::from_millis(millis)))
}

#[track_caller]
fn hear_until(script: &str, mut input: &[u8], limit: Option<Duration>) -> Heard {
    let begun = Instant::now();
    let mut heard = Heard { pause: Pause::Enough, output: String::new(), errors: String::new(), took: Duration::ZERO };
    let mut process = start(script);
    if input.is_empty() {
        process.close_input();
    }
    let first = limit.map(|_| (PATIENCE, Want::Enough));
    for (time, want) in first.into_iter().chain([(limit.unwrap_or(PATIENCE), Want::More)]) {
        let take = &mut |stream, bytes: &[u8]| heard.keep(stream, bytes, want);
        heard.pause = process.pump(&mut input, Instant::now() + time, &CancelToken::new(), take);
    }
    process.end(&mut |stream, bytes| heard.keep(stream, bytes, Want::More));
    heard.took = begun.elapsed();
    heard
}

impl Heard {
    /// Keeps the first million characters of each stream.
    fn keep(&mut self, stream: Stream, bytes: &[u8], want: Want) -> Want {
        let to = if stream == Stream::Output { &mut self.output } else { &mut self.errors };
        to.extend(bytes.iter().map(|byte| char::from(*byte)).take(1_000_000 - to.len()));
        want
    }
}

#[track_caller]
fn ended(heard: &Heard) -> i32 {
    let Pause::Ended(status) = heard.pause else { panic!("it ends by itself: {:?}", heard.pause) };
    exit_code(status)
}

#[test]
fn what_ends_by_itself() {
    let heard = hear("echo out; echo err >&2; exit 3", b"");
    assert_eq!((ended(&heard), heard.output.as_str(), heard.errors.as_str()), (3, "out\n", "err\n"));
    let heard = hear("kill -9 $$", b"");
    assert_eq!(ended(&heard), 137, "a signal, as shells say it");
    let heard = hear("exec >&- 2>&-; sleep 0.2", b"");
    assert_eq!(ended(&heard), 0, "its pipes closed, it is still waited for");
    let heard = hear("read a; echo \"[$a]\"", b"");
    assert_eq!((ended(&heard), heard.output.as_str()), (0, "[]\n"), "there is nothing to read");
}

#[test]
fn pipes_that_are_full_hang_nobody() {
    let much = "x".repeat(1_000_000);
    let heard = hear("head -c 3000000 /dev/zero >&2; head -c 1000000", much.as_bytes());
    assert_eq!((ended(&heard), heard.output.len(), heard.errors.len()), (0, 1_000_000, 1_000_000));
    let heard = hear("exec <&-; sleep 0.3; echo done", much.as_bytes());
    assert_eq!((ended(&heard), heard.output.as_str()), (0, "done\n"), "input that nobody reads");
}

#[test]
fn the_group_ends_on_every_path() {
    let heard = hear("sleep 60 & echo $!", b"");
    assert_eq!(ended(&heard), 0);
    assert!(!lives(&heard.output) && heard.took < PATIENCE, "a child left behind: {}", heard.output);

    let heard = hear_at_limit("trap '' TERM INT HUP; sleep 60 & echo $!; while :; do sleep 60; done", 300);
    assert_eq!(heard.pause, Pause::Late);
    assert!(!lives(&heard.output) && heard.took < PATIENCE, "signals ignored: {}", heard.output);

    let mut pid = Vec::new();
    let mut process = start("echo $$; sleep 60");
    let enough = &mut |_, bytes: &[u8]| {
        pid.extend_from_slice(bytes);
        Want::Enough
    };
    let until = Instant::now() + PATIENCE;
    assert_eq!(process.pump(&mut [].as_slice(), until, &CancelToken::new(), enough), Pause::Enough);
    drop(process);
    assert!(!lives(&String::from_utf8_lossy(&pid)), "dropped");
}

/// As `timeout` and `set -m` leave it, and `setsid` where its parent stays.
#[test]
fn who_left_the_group_ends_at_the_limit() {
    let cases = [
        ("timeout", "timeout 60 sh -c 'echo $$; sleep 60; :'"),
        ("set -m", "set -m; sleep 60 & echo $!; wait"),
        ("setsid", "setsid sh -c 'echo $$; sleep 60; :' & wait"),
        ("deaf", "setsid sh -c 'trap \"\" TERM; echo $$; while :; do sleep 60; done' & wait"),
        ("its parent ends when it is asked", "(setsid sh -c 'trap \"\" TERM; echo $$; sleep 60; sleep 60') & wait"),
    ];
    for (case, script) in cases {
        let heard = hear_at_limit(script, 400);
        assert_eq!(heard.pause, Pause::Late, "{case}");
        assert!(!heard.output.is_empty() && !lives(&heard.output), "{case}: {}", heard.output);
    }
    let mut pid = Vec::new();
    let mut process = start("setsid sh -c 'echo $$; sleep 60; :' & wait");
    let take = &mut |_, bytes: &[u8]| {
        pid.extend_from_slice(bytes);
        Want::Enough
    };
    let until = Instant::now() + PATIENCE;
    assert_eq!(process.pump(&mut [].as_slice(), until, &CancelToken::new(), take), Pause::Enough);
    drop(process);
    assert!(!lives(&String::from_utf8_lossy(&pid)), "dropped");
}

#[test]
fn one_who_left_the_group_does_not_hold_us() {
    let heard = hear("setsid sleep 60 & echo started; echo $! >&2", b"");
    assert_eq!((ended(&heard), heard.output.as_str()), (0, "started\n"));
    assert!(heard.took < PATIENCE, "{:?}", heard.took);
    let _ = Command::new("kill").arg(heard.errors.trim()).status();
}

#[test]
fn what_is_printed_through_a_child_is_heard() {
    let heard = hear("{ sleep 0.05; echo late; } & echo early", b"");
    assert_eq!((ended(&heard), heard.output.as_str()), (0, "early\nlate\n"));
    let heard = hear("{ while :; do echo yyyyyyyyyy; done; } & echo $!", b"");
    assert_eq!(ended(&heard), 0);
    let pid = heard.output.lines().find(|line| *line != "yyyyyyyyyy").unwrap();
    assert!(!lives(pid) && heard.took < PATIENCE, "it is not heard for ever: {:?}", heard.took);
    let heard = hear_at_limit("{ trap '' TERM; sleep 5; echo late; } & echo early; sleep 60", 100);
    assert_eq!((heard.pause, heard.output.as_str()), (Pause::Late, "early\n"), "none is waited for at the limit");
}

#[test]
fn what_prints_forever_is_ended_at_the_limit() {
    let heard = hear_at_limit("while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyy; done", 400);
    assert_eq!(heard.pause, Pause::Late);
    assert!(heard.output.len() > 1_000 && heard.took < PATIENCE);
}

#[test]
fn it_stops_when_told() {
    let stop = CancelToken::new();
    let (begun, other) = (Instant::now(), stop.clone());
    let teller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        other.stop();
    });
    let mut process = start("sleep 60");
    let until = begun + PATIENCE;
    assert_eq!(process.pump(&mut [].as_slice(), until, &stop, &mut |_, _| Want::More), Pause::Stopped);
    process.end(&mut |_, _| Want::More);
    teller.join().unwrap();
    assert!(begun.elapsed() < PATIENCE);
}

#[test]
fn it_answers_across_many_calls() {
    let mut process = start("while read line; do echo \"got $line\"; done");
    for n in 0..3 {
        let line = format!("{n}\n");
        let (mut input, mut said) = (line.as_bytes(), Vec::new());
        let until = Instant::now() + PATIENCE;
        let take = &mut |_, bytes: &[u8]| {
            said.extend_from_slice(bytes);
            if said.ends_with(b"\n") { Want::Enough } else { Want::More }
        };
        assert_eq!(process.pump(&mut input, until, &CancelToken::new(), take), Pause::Enough);
        assert_eq!(String::from_utf8_lossy(&said), format!("got {n}\n"));
    }
    process.close_input();
    let until = Instant::now() + PATIENCE;
    let pause = process.pump(&mut [].as_slice(), until, &CancelToken::new(), &mut |_, _| Want::More);
    assert!(matches!(pause, Pause::Ended(Some(status)) if status.success()));
}
