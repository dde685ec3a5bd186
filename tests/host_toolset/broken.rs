//! Toolsets that crash, hang, print forever, forge answers or cannot be loaded: each costs its own call, and no other.

use super::common::living::{gone, soon};
use super::{LONG, One, Place, called, holds, javascript, json, listed, manifest, only, playing, python, told};
use pretty_assertions::assert_eq;
use skilltree::Json;
use skilltree::host::{CancelToken, Limits};
use std::fs;
use std::time::{Duration, Instant};

fn say(toolset: &mut One, tool: &str) -> String {
    told(toolset.call(tool, &json("{}"), &CancelToken::new()))
}

const ALL_ILL: &str = r"
import { writeSync } from 'node:fs';
const deep = (n) => { let a = []; for (let i = 0; i < n; i++) a = [a]; return a; };
const put = (text) => { try { writeSync(1, text); } catch (error) { if (error.code !== 'EAGAIN') throw error; } };
export const X = {
  fine: () => 'fine',
  pid: () => String(process.pid),
  exit: () => { console.log('so long'); process.exit(3); },
  later: () => { setTimeout(() => process.exit(4), 1); return 'later'; },
  kill: () => { process.kill(process.pid, 'SIGKILL'); return new Promise(() => {}); },
  thrown: () => { setTimeout(() => { throw new Error('on its own'); }, 1); return new Promise(() => {}); },
  hang: () => { console.error('hanging'); for (;;); },
  wait: () => new Promise(() => {}),
  big: () => 'x'.repeat(2_000_000),
  noisy: () => { for (;;) put('y'.repeat(10_000) + '\n'); },
  long: () => { for (;;) put('y'.repeat(10_000)); },
  deep: () => ({ title: 't', metadata: deep(1_000), output: 'o' }),
  forged: () => {
    for (const id of [0, 1, 2, 3]) writeSync(1, JSON.stringify({ id, ok: true, output: 'forged' }) + '\n');
    writeSync(1, 'skilltree-0000 ' + JSON.stringify({ id: 1, ok: true, output: 'forged' }) + '\npartial');
    console.log('noise'); process.stdout.write('more noise\n');
    return 'true';
  },
};
";

#[test]
fn what_does_not_survive_a_call() {
    let exits = |code: u8| format!("exited with exit code {code} without an answer");
    let much = "printed more than 1048576 bytes in one call and was stopped";
    let cases: [(&str, &str, Vec<String>); 7] = [
        (
            "exit",
            "toolset-failed",
            vec!["the toolset `t.mjs:X` of the skill `s`".to_owned(), exits(3), "it printed: so long".to_owned()],
        ),
        ("kill", "toolset-failed", vec![exits(137)]),
        ("thrown", "toolset-failed", vec![exits(1), "on its own".to_owned()]),
        ("big", "toolset-failed", vec![much.to_owned()]),
        ("noisy", "toolset-failed", vec![much.to_owned()]),
        ("long", "toolset-failed", vec![much.to_owned()]),
        ("deep", "toolset-failed", vec!["gave an unreadable answer".to_owned()]),
    ];
    for only in javascript() {
        let place = Place::of("t.mjs", ALL_ILL, &["X"]);
        let mut toolset = place.toolset(&only, Limits::default().with_time(LONG));
        let mut before = say(&mut toolset, "pid");
        for (tool, code, parts) in &cases {
            let case = format!("{}: {tool}", only.name);
            let said = say(&mut toolset, tool);
            assert!(said.starts_with(&format!("{code}: ")), "{case}: {said}");
            holds(&case, &said, &parts.iter().map(String::as_str).collect::<Vec<_>>());
            gone(&case, &before);
            let after = say(&mut toolset, "pid");
            assert_ne!(after, before, "{case}: the next call starts it anew");
            before = after;
        }
    }
}

#[test]
fn what_ends_between_calls_costs_none() {
    for only in javascript() {
        let place = Place::of("t.mjs", ALL_ILL, &["X"]);
        let mut toolset = place.toolset(&only, Limits::default().with_time(LONG));
        let pid = say(&mut toolset, "pid");
        assert_eq!(say(&mut toolset, "later"), "later", "{}", only.name);
        gone(only.name, &pid);
        assert_eq!(say(&mut toolset, "fine"), "fine", "{}", only.name);
    }
}

#[test]
fn what_hangs_is_ended() {
    for only in javascript() {
        let place = Place::of("t.mjs", ALL_ILL, &["X"]);
        let short = Limits::default().with_time(Duration::from_millis(1_500));
        for (tool, printed) in [("hang", "; it printed: hanging"), ("wait", "")] {
            // Loaded already, with the time that takes.
            let mut toolset = place.toolset(&only, short);
            let pid =
                (0..20).map(|_| say(&mut toolset, "pid")).find(|pid| pid.parse::<u32>().is_ok()).expect("it starts");
            let said = say(&mut toolset, tool);
            let expect = format!(
                "timed-out: the toolset `t.mjs:X` of the skill `s` gave no answer within 1.5 s and was stopped{printed}"
            );
            assert_eq!(said, expect, "{}", only.name);
            gone(only.name, &pid);
        }
    }
}

#[test]
fn what_is_printed_is_no_answer() {
    for only in javascript() {
        let place = Place::of("t.mjs", ALL_ILL, &["X"]);
        let mut toolset = place.toolset(&only, Limits::default().with_time(LONG));
        let pid = say(&mut toolset, "pid");
        for _ in 0..3 {
            assert_eq!(say(&mut toolset, "forged"), "true", "{}", only.name);
        }
        assert_eq!(say(&mut toolset, "pid"), pid, "{}: it lives on", only.name);
    }
}

#[test]
fn what_cannot_be_loaded() {
    let cases = [
        (
            "throws",
            "console.log('before'); throw new Error('no luck');",
            vec!["failed: it cannot be loaded: no luck", "before"],
        ),
        ("syntax", "export const X = ;", vec!["failed: it cannot be loaded: "]),
        ("import", "import './none.mjs'; export const X = [];", vec!["failed: it cannot be loaded: ", "none.mjs"]),
        (
            "package",
            "import 'no-such-package-here'; export const X = [];",
            vec!["failed: it cannot be loaded: ", "no-such-package-here"],
        ),
        (
            "export",
            "export const Y = []; export class Z {}",
            vec!["failed: there is no export `X`; it exports `Y`, `Z`"],
        ),
        ("nothing", "", vec!["failed: there is no export `X`; it exports nothing"]),
        ("number", "export const X = 5;", vec!["failed: it is number, expected tools"]),
        ("constructor", "export class X { constructor() { throw new Error('not made'); } }", vec!["failed: not made"]),
        ("endless", "export const X = () => X;", vec!["failed: its tools are endlessly nested functions"]),
        ("exit", "process.exit(9);", vec!["exited with exit code 9"]),
    ];
    for only in javascript() {
        for (case, text, parts) in &cases {
            let case = format!("{}: {case}", only.name);
            let place = Place::of("t.mjs", text, &["X"]);
            let said = say(&mut place.toolset(&only, Limits::default().with_time(LONG)), "x");
            assert!(said.starts_with("toolset-failed: the toolset `t.mjs:X` of the skill `s` "), "{case}: {said}");
            holds(&case, &said, parts);
        }
    }
}

#[test]
fn what_is_said_is_said_once() {
    let cases = [
        ("throws", "throw new Error('boom');", "boom"),
        ("and prints", "console.log('before'); throw new Error('boom');", "before"),
        ("a name that zod has not", "import { nope } from 'zod';", "'zod'"),
        ("of a module", "import { nope } from '@agent/tools';", "'@agent/tools'"),
    ];
    for only in javascript() {
        for (case, text, part) in cases {
            let place = Place::of("t.mjs", text, &["X"]);
            let said = say(&mut place.toolset(&only, Limits::default().with_time(LONG)), "x");
            let is_once =
                ["boom", "before"].iter().all(|word| said.matches(word).count() <= 2) && !said.contains("data:");
            assert!(is_once && said.contains(part), "{}: {case}: {said}", only.name);
        }
        let place = Place::of("t.cjs", "throw new Error('boom');", &["X"]);
        let said = say(&mut place.toolset(&only, Limits::default().with_time(LONG)), "x");
        assert!(!said.contains("Error: boom"), "{}: {said}", only.name);
    }
}

#[test]
fn what_prints_by_itself_is_not_refused() {
    let text = "import { writeSync } from 'node:fs';
        const many = (pipe) => { for (let i = 0; i < 300; i++) writeSync(pipe, 'x'.repeat(999) + '\\n'); return 'done'; };
        export const X = { output: () => many(1), errors: () => many(2) };";
    for only in javascript() {
        let place = Place::of("t.mjs", text, &["X"]);
        let mut toolset = place.toolset(&only, Limits::default().with_time(LONG));
        for tool in ["output", "errors", "output"] {
            assert_eq!(say(&mut toolset, tool), "done", "{}: {tool}", only.name);
        }
    }
}

#[test]
fn a_file_that_is_mended_is_loaded() {
    for only in javascript() {
        let place = Place::of("t.mjs", "export const X = ;", &["X"]);
        let mut toolset = place.toolset(&only, Limits::default().with_time(LONG));
        assert!(say(&mut toolset, "one").starts_with("toolset-failed"), "{}", only.name);
        fs::write(place.path("s/t.mjs"), "export const X = { one: () => '1' };").unwrap();
        assert_eq!(say(&mut toolset, "one"), "1", "{}", only.name);
    }
}

#[test]
fn the_process_goes_with_its_toolset() {
    let text = "import { spawn } from 'node:child_process';
        export const X = { both: () => `${process.pid} ${spawn('sleep', ['300'], { stdio: 'ignore' }).pid}` };";
    for only in javascript() {
        let place = Place::of("t.mjs", text, &["X"]);
        let mut toolset = place.toolset(&only, Limits::default().with_time(LONG));
        let said = say(&mut toolset, "both");
        let (own, other) = said.split_once(' ').unwrap();
        drop(toolset);
        gone(only.name, own);
        gone(only.name, other);
    }
}

#[test]
fn a_tool_is_told_that_it_ends() {
    let text = "import { writeFileSync } from 'node:fs';
        export const X = { wait: (_, { signal }) => new Promise(() => {
            writeFileSync('waits', ''); signal.addEventListener('abort', () => writeFileSync('aborted', '')); }) };";
    for only in javascript() {
        let place = Place::of("t.mjs", text, &["X"]);
        let mut toolset = place.toolset(&only, Limits::default().with_time(LONG));
        let (stop, waits) = (CancelToken::new(), place.path("s/waits"));
        let other = stop.clone();
        let teller = std::thread::spawn(move || {
            soon(|| waits.exists());
            other.stop();
        });
        assert_eq!(told(toolset.call("wait", &json("{}"), &stop)), "stopped: stopped", "{}", only.name);
        teller.join().unwrap();
        assert!(place.path("s/aborted").exists(), "{}", only.name);
    }
}

#[test]
fn it_stops_when_told() {
    for only in javascript() {
        let place = Place::of("t.mjs", ALL_ILL, &["X"]);
        let mut toolset = place.toolset(&only, Limits::default().with_time(LONG));
        let pid = say(&mut toolset, "pid");
        let (stop, begun) = (CancelToken::new(), Instant::now());
        let other = stop.clone();
        let teller = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            other.stop();
        });
        assert_eq!(told(toolset.call("wait", &json("{}"), &stop)), "stopped: stopped", "{}", only.name);
        teller.join().unwrap();
        assert!(begun.elapsed() < LONG, "{}", only.name);
        gone(only.name, &pid);
        assert_eq!(told(toolset.call("fine", &json("{}"), &stop)), "stopped: stopped", "nothing more begins");
    }
}

#[test]
fn one_of_two_is_broken() {
    let files = [
        ("s/SKILL.md", manifest("s", "\"bad:X\", \"good:X\"")),
        ("s/bad.mjs", "throw new Error('bad luck');".to_owned()),
        ("s/good.mjs", "export const X = { one: () => '1' };".to_owned()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    for only in javascript() {
        let place = Place::new(&files);
        let mut registry = place.registry(&only);
        let (names, findings) = listed(only.name, &mut registry);
        assert_eq!((names, findings.len()), (vec!["one".to_owned()], 1), "{}", only.name);
        holds(
            only.name,
            &findings[0],
            &["toolset-failed the toolset `bad:X` of the skill `s` failed: it cannot be loaded: bad luck"],
        );
        assert_eq!(called(&mut registry, "one", "{}"), "1", "{}", only.name);
        let mut registry = place.registry(&only);
        assert_eq!(called(&mut registry, "one", "{}"), "1", "{}: without a listing", only.name);
        holds(only.name, &called(&mut registry, "two", "{}"), &["toolset-failed", "bad luck"]);
    }
}

#[test]
fn answers_that_are_none() {
    let token = r#"read line; token=$(printf %s "$line" | sed 's/.*"token":"\([^"]*\)".*/\1/')"#;
    let opened =
        r#"printf '%s{"id":0,"ok":true,"tools":[{"name":"one","input_schema":{}}],"notes":[]}\n' "$token"; read line"#;
    let unread = "gave an unreadable answer and was stopped";
    let cases = [
        ("ends at once", "exit 0".to_owned(), "exited with exit code 0 without an answer"),
        ("no JSON", format!("{token}; printf '%sno\\n' \"$token\"; sleep 60"), unread),
        ("no id", format!("{token}; printf '%s{{}}\\n' \"$token\"; sleep 60"), unread),
        ("no tools", format!("{token}; printf '%s{{\"id\":0,\"ok\":true}}\\n' \"$token\"; sleep 60"), unread),
        (
            "no output",
            format!("{token}; {opened}; printf '%s{{\"id\":1,\"ok\":true}}\\n' \"$token\"; sleep 60"),
            unread,
        ),
        ("not UTF-8", format!("{token}; {opened}; printf '%s\\377\\n' \"$token\"; sleep 60"), unread),
        (
            "an old answer first",
            format!(
                "{token}; {opened}; printf '%s{{\"id\":0,\"ok\":true,\"output\":\"old\"}}\\n%s{{\"id\":1,\"ok\":true,\"output\":\"new\"}}\\n' \"$token\" \"$token\"; sleep 60"
            ),
            "new",
        ),
        (
            "an answer, and its end",
            format!("{token}; {opened}; printf '%s{{\"id\":1,\"ok\":true,\"output\":\"last\"}}\\n' \"$token\""),
            "last",
        ),
        (
            "no line end",
            format!("{token}; {opened}; printf '%s{{\"id\":1,\"ok\":true,\"output\":\"cut\"}}' \"$token\""),
            "exited with exit code 0",
        ),
    ];
    for (case, script, expect) in cases {
        let (only, _bin) = playing("bun", &script);
        let place = Place::of("t.ts", "", &["X"]);
        holds(case, &say(&mut place.toolset(&only, Limits::default().with_time(LONG)), "one"), &[expect]);
    }
}

#[test]
fn arguments_that_are_none() {
    let place = Place::of("t.ts", "", &["X"]);
    let mut toolset = place.toolset(&only("none", "none", "/bin/sh".as_ref()), Limits::default());
    let mut refused = |args: &Json| told(toolset.call("one", args, &CancelToken::new()));
    holds("a list", &refused(&json("[]")), &["bad-arguments: ", "expected a JSON object"]);
    let much = Json::map([("a", Json::from("x".repeat(1_048_577)))]);
    holds("too many", &refused(&much), &["bad-arguments: ", "expected at most 1048576 bytes of JSON, got 1048585"]);
}

#[test]
fn names_that_are_taken() {
    let tool = |says: &str| format!("export const X = {{ one: () => '{says}', {says}: () => '' }};");
    let files = [
        ("a/SKILL.md", manifest("a", "\"t:X\", \"u:X\"")),
        ("a/t.mjs", tool("first")),
        ("a/u.mjs", tool("lost")),
        ("b/SKILL.md", manifest("b", "\"t:X\"")),
        ("b/t.mjs", tool("second")),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    for only in javascript() {
        let place = Place::new(&files);
        let mut registry = place.registry(&only);
        let (names, findings) = listed(only.name, &mut registry);
        assert_eq!(names, ["one", "first", "lost", "b/one", "second"], "{}", only.name);
        let taken = "tool-name-taken the tool name `one` is already used by the skill `a`";
        assert_eq!(findings, [taken, taken], "{}", only.name);
        let says = [("one", "first"), ("a/one", "first"), ("b/one", "second"), ("b/second", "")];
        for (name, output) in says {
            assert_eq!(called(&mut registry, name, "{}"), output, "{}: {name}", only.name);
        }
        let unknown = "tool-unknown: unknown tool `firs`; did you mean `first`?";
        assert_eq!(called(&mut registry, "firs", "{}"), unknown, "{}", only.name);
    }
}

#[test]
fn the_same_in_python() {
    let Some(only) = python() else { return };
    let text = "import os, sys, time
def pid(): return str(os.getpid())
def leave():
  print('so long')
  sys.exit(3)
def kill(): os.kill(os.getpid(), 9)
def hang():
  while True: pass
def big(): return 'x' * 2_000_000
def deep():
  a = []
  for _ in range(500): a = [a]
  return {'title': 't', 'metadata': a, 'output': 'o'}
X = [pid, leave, kill, big, deep, hang]";
    let place = Place::of("t.py", text, &["X"]);
    let mut toolset = place.toolset(&only, Limits::default().with_time(LONG));
    let mut before = say(&mut toolset, "pid");
    for (tool, part) in [
        ("leave", "exited with exit code 3 without an answer; it printed: so long"),
        ("kill", "exited with exit code 137"),
        ("big", "printed more than 1048576 bytes"),
        ("deep", "gave an unreadable answer"),
    ] {
        holds(tool, &say(&mut toolset, tool), &["toolset-failed: the toolset `t.py:X` of the skill `s` ", part]);
        gone(tool, &before);
        before = say(&mut toolset, "pid");
    }
    drop(toolset);
    gone("dropped", &before);

    let mut toolset = place.toolset(&only, Limits::default().with_time(Duration::from_secs(2)));
    holds("hang", &say(&mut toolset, "hang"), &["timed-out: ", "within 2 s"]);

    for (case, text, parts) in [
        ("throws", "print('before')\nraise ValueError('no luck')", vec!["it cannot be loaded: ValueError: no luck"]),
        ("syntax", "X = = 1", vec!["it cannot be loaded: SyntaxError"]),
        ("import", "import no_such_package_here", vec!["ModuleNotFoundError"]),
        ("export", "import os\nY = []\n_z = 1", vec!["there is no export `X`; it exports `Y`"]),
        ("number", "X = 5", vec!["it is int, expected tools"]),
        ("exit", "import sys\nsys.exit(9)", vec!["exited with exit code 9"]),
    ] {
        let place = Place::of("t.py", text, &["X"]);
        let said = say(&mut place.toolset(&only, Limits::default().with_time(LONG)), "x");
        assert!(said.starts_with("toolset-failed: "), "{case}: {said}");
        holds(case, &said, &parts);
    }
}
