//! Commands that a skill wants run first: what they are given, what they print, and what no argument can do to them.
#![cfg(all(feature = "forks", unix))]

mod common;

use common::ground::table;
use common::{TempDir, Tree, path};
use pretty_assertions::assert_eq;
use skilltree::{
    CommandRan, FsPath, HostError, Invocation, Limits, OsFs, Pending, Places, Stop, World, commands, discover, invoke,
    run_commands,
};
use std::time::{Duration, Instant};

/// What a skill at home with this body comes to.
#[track_caller]
fn pending(fields: &str, body: &str, args: &str) -> Pending {
    pending_in("/h", fields, body, args)
}

/// The same for a skill of the project, `/p`, which is not trusted.
#[track_caller]
fn pending_in(place: &str, fields: &str, body: &str, args: &str) -> Pending {
    let text = format!("---\ndescription: D\n{fields}\n---\n{body}\n");
    let fs = Tree::default().with(&format!("{place}/.claude/skills/now/SKILL.md"), text).mem();
    let places = Places { home: Some(path("/h")), project: Some(path("/p")), ..Places::default() };
    let host = common::Machine::default();
    let world = World::new(&fs, &places, &host);
    let catalog = discover(&world, &table("claude"));
    match invoke(&world, &catalog, &commands(&catalog, &[]), &format!("/now {args}")).expect("it is there") {
        Some(Invocation::Pending(pending)) => pending,
        other => panic!("{other:?}"),
    }
}

fn try_run(folder: &TempDir, pending: &Pending, limits: Limits) -> Result<Vec<CommandRan>, HostError> {
    let dir: FsPath = path(folder.path().to_str().expect("UTF-8"));
    run_commands(&OsFs::new(), pending, &dir, &limits, &Stop::new())
}

/// The text of the message, its commands run, and how many files they have left.
#[track_caller]
fn text_of(fields: &str, body: &str, args: &str) -> (String, usize) {
    let folder = TempDir::new("shell");
    let pending = pending(fields, body, args);
    let ran = try_run(&folder, &pending, Limits::default()).expect("they run");
    let texts: Vec<String> = ran.iter().map(CommandRan::text).collect();
    let files = std::fs::read_dir(folder.path()).expect("a folder").count();
    match pending.resume(&texts) {
        Invocation::Inline(message) => (message.text, files),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn gives(case: &str, body: &str, args: &str, expect: &str) {
    assert_eq!(text_of("", body, args), (expect.to_owned(), 0), "{case}");
}

#[test]
fn what_they_print_stands_in_the_text() {
    gives("one", "A !`echo out` B$ARGUMENTS", "", "A out B");
    gives("several, in order", "A !`echo 1` !`printf 2` !`true`.", "", "A 1 2 .");
    gives("one newline less", "!`printf 'a\\n\\n'`|", "", "a\n|");
    gives("many lines", "```!\necho 1\necho 2\n```", "", "1\n2");
    gives("its errors behind its output", "!`echo err >&2; echo out`", "", "out\nerr");
    gives("errors alone", "!`echo err >&2`", "", "err");
    gives("no UTF-8", "!`printf 'a\\377b'`", "", "a\u{fffd}b");
    gives("nothing to read", "!`cat`|", "", "|");
    gives("what looks like a mark", r"!`printf '!\140echo no\140 %s' '$0'`", "", "!`echo no` $0");
}

#[test]
fn arguments_are_words_and_variables() {
    gives("words", "!`printf '[%s]' \"$0\" \"$1\" \"$2\"` $0", "'a b' c\\ d *", "[a b][c d][*] a b");
    gives("a word like an option", "!`printf '[%s]' \"$0\" \"$@\"` $0", "-e --x", "[-e][--x] -e");
    gives("all", "!`printf '[%s]' \"$ARGUMENTS\"` $0", "'a b'  c", "['a b'  c] a b");
    gives("none", "!`printf '[%s]' \"$ARGUMENTS\" $#`", "", "[][0]");
    gives("the skill's folder", "!`echo $CLAUDE_SKILL_DIR ${CLAUDE_PROJECT_DIR}`", "", "/h/.claude/skills/now /p");
    let named = text_of("arguments: [what, where, not-a-name]", "!`printf '[%s]' \"$what\" \"$where\"` $what", "tea");
    assert_eq!(named, ("[tea][] tea".to_owned(), 0), "by name, and one that is missing");
    let named = text_of("arguments: [PATH, HOME]", "!`command -v sh >&2 && echo there >&2` $PATH", "/nowhere x");
    assert!(named.0.contains("there"), "no argument takes the place of what every program needs: {}", named.0);
}

#[test]
fn no_argument_makes_a_command() {
    for args in ["; touch x", "$(touch x)", "`touch x`", "'; touch x; '", "\"; touch x; \"", "&& touch x", "x\ntouch x"]
    {
        let (text, files) = text_of("arguments: [what]", "!`echo \"$0\" $1 $ARGUMENTS ${what} \"$what\"`", args);
        assert_eq!((files, text.contains("touch")), (0, true), "{args:?}: {text}");
    }
    let folder = TempDir::new("shell");
    let error = try_run(&folder, &pending("", "!`-e`", "'touch x'"), Limits::default()).expect_err("no program -e");
    assert_eq!((error.code(), folder.path().join("x").exists()), ("command-failed", false), "an option of the shell");
    let (text, files) = text_of("", "!`echo $0` and $0", "'!`touch x`'");
    assert_eq!((text.as_str(), files), ("!`touch x` and !`touch x`", 0), "a mark in an argument");
}

#[test]
fn the_environment_is_a_few_variables() {
    assert!(std::env::var_os("CARGO").is_some() && std::env::var_os("CARGO_PKG_NAME").is_some());
    gives("others are not seen", "!`echo \"[$CARGO][$CARGO_PKG_NAME]\"`", "", "[][]");
    gives("PATH is", "!`test -n \"$PATH\" && echo yes`", "", "yes");
    let mut asked = pending("", "!`echo \"[$CARGO][$CARGO_PKG_NAME]\"`", "");
    asked.requires_env = vec!["CARGO".to_owned()];
    let folder = TempDir::new("shell");
    let ran = try_run(&folder, &asked, Limits::default()).unwrap();
    assert_eq!(ran[0].text(), format!("[{}][]", std::env::var("CARGO").unwrap()), "what the skill requires is");
}

#[test]
fn what_fails_says_so() {
    for asks in [
        "grep -q x /dev/null",
        "true | grep x",
        "A=b diff -q /dev/null /bin/sh >/dev/null",
        "[ a = b ]",
        "true\ntest a = b",
    ] {
        gives(asks, &format!("```!\n{asks}\n```\n|"), "", "\n|");
    }
    let folder = TempDir::new("shell");
    let fails = |case: &str, body: &str, how: &str| {
        let error = try_run(&folder, &pending("", body, ""), Limits::default()).expect_err(case);
        assert_eq!((error.code(), error.to_string().contains(how)), ("command-failed", true), "{case}: {error}");
    };
    fails("1 of what does not answer so", "!`cat /no/such/file`", "failed with exit code 1: cat:");
    fails("a code", "!`exit 3` !`touch x`", "the command `exit 3` failed with exit code 3");
    fails("with errors", "!`echo no >&2; echo why >&2; exit 3`", "failed with exit code 3: why");
    fails("a signal", "!`kill -9 $$`", "exit code 137");
    fails("no such program", "!`no-such-program-here`", "exit code 127");
    assert!(!folder.path().join("x").exists(), "what stands after it is not run");

    let begun = Instant::now();
    let brief = Limits::default().with_time(Duration::from_millis(300)).with_output_bytes(4);
    let late = try_run(&folder, &pending("", "!`echo begun; sleep 60`", ""), brief).expect_err("at its limit");
    assert!(late.to_string().contains("was ended after 0."), "{late}");
    let ran = try_run(&folder, &pending("", "!`echo 12345; echo 67 >&2`", ""), brief).unwrap();
    assert_eq!((ran[0].text(), ran[0].ran.code), ("1234\n[output cut]".to_owned(), 0));
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[test]
fn refusals() {
    let folder = TempDir::new("shell");
    let refused = |pending: &Pending| {
        let error = try_run(&folder, pending, Limits::default()).unwrap_err();
        (error.code(), error.to_string())
    };
    let (code, why) = refused(&pending_in("/p", "", "!`touch x`", ""));
    assert!(code == "untrusted" && why.contains("`now`") && why.contains("before it is approved"), "{why}");
    let (code, why) = refused(&pending("shell: fish", "!`touch x`", ""));
    assert!(code == "unknown-shell" && why.contains("`fish`") && why.contains("`powershell`"), "{why}");
    let (code, _) = refused(&pending("", "!`touch $0`", "\"a\u{0}b\""));
    assert_eq!(code, "not-started", "what no argument of a program can be");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was run");
    let (stop, dir) = (Stop::new(), path(folder.path().to_str().unwrap()));
    stop.stop();
    let stopped = run_commands(&OsFs::new(), &pending("", "!`touch x`", ""), &dir, &Limits::default(), &stop);
    assert_eq!(stopped.unwrap_err(), HostError::Stopped);
}

#[test]
fn shells() {
    let (text, _) = text_of("shell: bash", "!`a=(1 2); echo ${a[1]}`", "");
    assert_eq!(text, "2", "the one that is named");
    let (text, _) = text_of("shell: sh", "!`echo \"$0\"` $0", "x");
    assert_eq!(text, "x x");
    let folder = TempDir::new("shell");
    match try_run(
        &folder,
        &pending("shell: powershell", "!`Write-Output \"$ARGUMENTS;$0\"` $0", "a"),
        Limits::default(),
    ) {
        Ok(ran) => assert_eq!(ran[0].text().trim(), "a;a"),
        Err(error) => assert_eq!(error.to_string(), "`now` needs `pwsh` or `powershell`, and PATH has none of them"),
    }
}
