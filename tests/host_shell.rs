//! Commands that a skill wants run first: what they are given, what they print, and what no argument can do to them.
#![cfg(all(feature = "processes", unix))]

use crate::common;

use common::ground::table;
use common::{TempDir, Tree, path};
use pretty_assertions::assert_eq;
use skilltree::host::{CancelToken, CommandOutput, HostError, Limits};
use skilltree::{FsPath, Invocation, OsFs, Pending, Places, World, commands, discover, invoke};
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

fn try_run(folder: &TempDir, pending: &Pending, limits: Limits) -> Result<Vec<CommandOutput>, HostError> {
    let dir: FsPath = path(folder.path().to_str().expect("UTF-8"));
    pending.run(&OsFs::new(), &dir, &limits, &CancelToken::new())
}

/// The text of the message, its commands run, and how many files they have left.
#[track_caller]
fn text_of(fields: &str, body: &str, args: &str) -> (String, usize) {
    let folder = TempDir::new("shell");
    let pending = pending(fields, body, args);
    let ran = try_run(&folder, &pending, Limits::default()).expect("they run");
    let texts: Vec<String> = ran.iter().map(CommandOutput::text).collect();
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
    gives("both streams in order of time", "!`echo 1; echo 2 >&2; echo 3; echo 4 >&2`", "", "1\n2\n3\n4");
    gives("in what it starts too", "!`sh -c 'echo 1 >&2; echo 2'; echo 3 >&2`", "", "1\n2\n3");
    gives("as files", "!`echo 1 >/dev/stdout; echo 2 >/dev/stderr`", "", "1\n2");
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
    gives(
        "absent ones are empty",
        "!`printf '[%s]' \"$0\" \"$1\" \"$ARGUMENTS[0]\" \"$ARGUMENTS[1]\"`",
        "",
        "[][][][]",
    );
    gives("those that follow too", "!`printf '[%s]' \"$0\" \"$1\" \"$ARGUMENTS[2]\"` $0", "tea", "[tea][][] tea");
    assert_eq!(text_of("shell: sh", "!`printf '[%s]' \"$0\" \"$1\"`", "").0, "[][]", "whatever the shell");
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
        "find . -maxdepth 0 -exec false {} +",
        "git diff --no-index --quiet /dev/null /bin/sh",
        "echo a | egrep -q b",
        "echo a | fgrep -q b",
    ] {
        gives(asks, &format!("```!\n{asks}\n```\n|"), "", "\n|");
    }
    let folder = TempDir::new("shell");
    let fails = |case: &str, body: &str, how: &str| {
        let error = try_run(&folder, &pending("", body, ""), Limits::default()).expect_err(case);
        assert_eq!((error.code(), error.to_string().contains(how)), ("command-failed", true), "{case}: {error}");
    };
    fails("1 of what does not answer so", "!`cat /no/such/file`", "failed with exit code 1: cat:");
    for (asks, code) in [("cmp -s /dev/null /bin/sh", 1), ("zgrep x /dev/null", 1), ("grep -q x /no/such/file 2>&1", 2)]
    {
        fails(asks, &format!("!`{asks}`"), &format!("failed with exit code {code}"));
    }
    fails("a code", "!`exit 3` !`touch x`", "the command `exit 3` failed with exit code 3");
    fails("with errors", "!`echo no >&2; echo why >&2; exit 3`", "failed with exit code 3: why");
    fails("a signal", "!`kill -9 $$`", "exit code 137");
    fails("no such program", "!`no-such-program-here`", "exit code 127");
    assert!(!folder.path().join("x").exists(), "what stands after it is not run");

    let begun = Instant::now();
    let mut short = Limits::default();
    short.output_bytes = 4;
    let brief = short.with_time(Duration::from_millis(300));
    let late = try_run(&folder, &pending("", "!`echo begun; sleep 60`", ""), brief).expect_err("at its limit");
    assert!(late.to_string().contains("was stopped after 0."), "{late}");
    let ran = try_run(&folder, &pending("", "!`echo 12345; echo 67 >&2`", ""), short).unwrap();
    assert_eq!((ran[0].text(), ran[0].output.code), ("1234\n[output cut]".to_owned(), 0));
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_long_output_is_a_file() {
    let folder = TempDir::new("shell");
    let exact = "!`head -c 30000 /dev/zero | tr '\\0' x`";
    gives("as much as the text takes", exact, "", &"x".repeat(30_000));
    let body = "!`printf 'ä%.0s' $(seq 30001); echo; echo end >&2`";
    let ran = try_run(&folder, &pending("", body, ""), Limits::default()).unwrap();
    let file = ran[0].file.as_ref().expect("it is too long");
    let (text, whole) = (ran[0].text(), format!("{}\nend\n", "ä".repeat(30_001)));
    assert_eq!(std::fs::read_to_string(file).unwrap(), whole, "all of it");
    let name = file.to_str().unwrap();
    let expect =
        format!("{}\n[the first 2000 characters of the output; all 60007 bytes are in {name}]", "ä".repeat(2_000));
    assert_eq!(text, expect);
    {
        use std::os::unix::fs::PermissionsExt;
        let modes =
            [file.as_path(), file.parent().unwrap()].map(|at| at.metadata().unwrap().permissions().mode() & 0o777);
        assert_eq!(modes, [0o600, 0o700], "nobody else reads it");
    }
    std::fs::remove_dir_all(file.parent().unwrap()).unwrap();

    // More than is kept goes to the file all the same.
    let body = "!`head -c 2000000 /dev/zero | tr '\\0' x`";
    let ran = try_run(&folder, &pending("", body, ""), Limits::default()).unwrap();
    let file = ran[0].file.as_ref().expect("it is too long");
    assert_eq!((file.metadata().unwrap().len(), ran[0].output.output.len()), (2_000_000, 1_048_576));
    assert!(ran[0].text().contains("all 2000000 bytes are in"), "{}", ran[0].text());
    std::fs::remove_dir_all(file.parent().unwrap()).unwrap();

    let fails = "!`head -c 200001 /dev/zero | tr '\\0' x; exit 3`";
    assert!(try_run(&folder, &pending("", fails, ""), Limits::default()).is_err());
    let left = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten().filter(|entry| {
        let is_output = entry.file_name().to_string_lossy().starts_with("skilltree-output-");
        is_output && entry.path().join("output.txt").metadata().is_ok_and(|file| file.len() == 200_001)
    });
    assert_eq!(left.count(), 0, "what came to nothing leaves no file");
}

#[test]
fn the_dialect_gives_the_time() {
    let pending = pending("", "!`true`", "");
    assert_eq!(Limits::of_commands(&pending).time, Duration::from_secs(120));
}

#[test]
fn refusals() {
    let folder = TempDir::new("shell");
    let refused = |pending: &Pending| {
        let error = try_run(&folder, pending, Limits::default()).unwrap_err();
        (error.code(), error.to_string())
    };
    let (code, why) = refused(&pending_in("/p", "", "!`touch x`", ""));
    assert!(code == "untrusted" && why.contains("`now`") && why.contains("until it is approved"), "{why}");
    let (code, why) = refused(&pending("shell: fish", "!`touch x`", ""));
    assert!(code == "unknown-shell" && why.contains("`fish`") && why.contains("`powershell`"), "{why}");
    let (code, _) = refused(&pending("", "!`touch $0`", "\"a\u{0}b\""));
    assert_eq!(code, "not-started", "what no argument of a program can be");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was run");
    let (stop, dir) = (CancelToken::new(), path(folder.path().to_str().unwrap()));
    stop.stop();
    let stopped = pending("", "!`touch x`", "").run(&OsFs::new(), &dir, &Limits::default(), &stop);
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
