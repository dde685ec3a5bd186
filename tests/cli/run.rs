//! The real binary running scripts: what they get, what they give, what is refused, and that nothing of them stays.
#![cfg(unix)]

use crate::common;

use crate::program::{PATH, Place, Said, error_code, heard, names, said};
use common::living::{gone, lives, soon};
use common::runtimes::runtime;
use common::{TempDir, Tree};
use pretty_assertions::assert_eq;
use skilltree::Json;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The folder of the one skill that most tests use, at home.
const HERE: &str = "/home/.agents/skills/tea";

impl Place {
    /// A skill `tea` with these scripts.
    fn with_scripts(scripts: &[(&str, &str)]) -> Place {
        let tree = Tree::default().with(&format!("{HERE}/SKILL.md"), "---\nname: tea\ndescription: Makes tea.\n---\n");
        Place::on(scripts.iter().fold(tree, |tree, (name, text)| tree.with(&format!("{HERE}/scripts/{name}"), *text)))
    }

    fn on(tree: Tree) -> Place {
        Place::of(tree).env("PATH", PATH)
    }

    /// What `run tea SCRIPT` says, to the byte.
    #[track_caller]
    fn ran(&self, case: &str, words: &[&str], code: i32, out: &str, err: &str) {
        let said = self.say(&[&["run", "tea"], words].concat());
        assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (Some(code), out, err), "{case}");
    }

    /// That it is not run: exit code 2, the code of the error, and a word of its message.
    #[track_caller]
    fn refused(&self, case: &str, words: &[&str], code: &str, message: &str) {
        let said = self.say(&[&["--json", "run"], words].concat());
        assert_eq!(said.code, Some(2), "{case}: {}{}", said.out, said.err);
        let json = said.json();
        assert_eq!(error_code(&json), Some(code), "{case}: {json}");
        assert!(said.err.contains(message), "{case}: {}", said.err);
        let said = self.say(&[&["run"], words].concat());
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{case}, as text");
    }
}

#[test]
fn what_a_script_gets_and_gives() {
    let place = Place::with_scripts(&[
        ("say.sh", "echo out; echo err >&2; exit 3\n"),
        ("args.sh", "printf '<%s>' \"$#\" \"$@\"\n"),
        ("read.sh", "cat; echo end\n"),
        ("where.sh", "pwd\n"),
        ("dies.sh", "kill -9 $$\n"),
        ("like.sh", "exit 137\n"),
        ("line.txt", "#!/bin/sh -e\nfalse\necho no\n"),
        ("env", "#!/usr/bin/env sh\necho found\n"),
        ("sub/deep.sh", "echo deep\n"),
        ("raw.sh", "printf 'a\\033[1mb\\377'; printf '\\033[2m' >&2\n"),
        ("closes.sh", "exec >&- 2>&-; sleep 0.2; exit 5\n"),
        ("silent.sh", ""),
    ]);
    place.ran("output, errors, code", &["say.sh"], 3, "out\n", "err\n");
    place.ran("with its folder", &["scripts/say.sh"], 3, "out\n", "err\n");
    let args = ["args.sh", "--json", "-x", "a b", "", "--", "$HOME;*", "--timeout", "é"];
    place.ran("arguments", &args, 0, "<8><--json><-x><a b><><--><$HOME;*><--timeout><é>", "");
    place.ran("nothing to read", &["read.sh"], 0, "end\n", "");
    place.ran("the working directory", &["where.sh"], 0, &format!("{}\n", place.named(HERE)), "");
    place.ran("a signal", &["dies.sh"], 137, "", "note: the script was killed by signal 9 (SIGKILL)\n");
    place.ran("a code like a signal's", &["like.sh"], 137, "", "");
    place.ran("a line, with its argument", &["line.txt"], 1, "", "");
    place.ran("env", &["env"], 0, "found\n", "");
    place.ran("deeper", &["sub/deep.sh"], 0, "deep\n", "");
    place.ran("it closes its outputs", &["closes.sh"], 5, "", "");
    place.ran("nothing", &["silent.sh"], 0, "", "");

    let raw = place.command(&["run", "tea", "raw.sh"]).output().unwrap();
    assert_eq!((raw.stdout.as_slice(), raw.stderr.as_slice()), (&b"a\x1b[1mb\xff"[..], &b"\x1b[2m"[..]), "to the byte");

    let said = place.say(&["run", "--json", "tea", "say.sh"]);
    let json = said.json();
    assert_eq!(names(&json), ["code", "output", "errors", "cut", "seconds", "timed_out", "flooded"]);
    assert_eq!((said.code, json.get("code")), (Some(3), Some(&Json::Number("3".to_owned()))));
    assert_eq!(json.get("output").and_then(Json::as_text), Some("out\n"));
    assert_eq!(json.get("errors").and_then(Json::as_text), Some("err\n"));
    assert_eq!((json.get("cut"), json.get("timed_out")), (Some(&Json::Bool(false)), Some(&Json::Bool(false))));
    assert_eq!(said.err, "", "its errors are in the document");
}

#[test]
fn what_the_help_says() {
    let help = Place::with_scripts(&[]).say(&["run", "--help"]).out;
    let folded = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["standard input is empty", "Its output is printed when it has finished", "run their scripts"] {
        assert!(folded.contains(part), "{part}: {help}");
    }
}

/// A script needs a folder on the disk.
#[test]
fn a_skill_in_an_archive_is_not_run() {
    let files = [
        crate::raw::file("tea/SKILL.md", "---\nname: tea\ndescription: d\n---\n"),
        crate::raw::file("tea/scripts/x.sh", "echo boiled\n"),
    ];
    let place = Place::on(Tree::default().with("/project/tea.skill", crate::raw::build(&files)));
    let said = place.say(&["--json", "run", "--root", "tea.skill", "tea", "x.sh"]);
    assert_eq!((said.code, error_code(&said.json())), (Some(2), Some("in-archive")), "{}", said.err);
    let unpack = format!("`skilltree unpack {}", place.named("project/tea.skill"));
    crate::program::holds("the command that helps", &said.err, &["tea.skill`, from which nothing is run", &unpack]);
}

#[test]
fn what_is_not_run() {
    let script = |name: &str| format!("{HERE}/scripts/{name}");
    let tree = Tree::default()
        .with(&format!("{HERE}/SKILL.md"), "---\nname: tea\ndescription: d\n---\n")
        .with(&script("x.sh"), "touch ran\n")
        .with(&script("plain"), "touch ran\n")
        .with(&script("lost"), "#!/no/such/interpreter\n")
        .with(&script("lost-env"), "#!/usr/bin/env no-such-program\n")
        .with(&script("sub/y.sh"), "")
        .with(&format!("{HERE}/top.sh"), "touch ran\n")
        .with("/etc/out.sh", "touch ran\n")
        .with_link(&script("out.sh"), "/etc/out.sh")
        .with_link(&script("in.sh"), "../top.sh")
        .with_link(&script("away"), "/etc")
        .with_link(&script("nowhere.sh"), "absent.sh")
        .with_other(&script("queue.sh"));
    let place = Place::on(tree);
    place.refused("no such skill", &["te", "x.sh"], "unknown", "did you mean `tea`?");
    place.refused("no such script", &["tea", "y.sh"], "no-script", "has no script `y.sh`; did you mean");
    place.refused("above", &["tea", "../top.sh"], "outside", "`../top.sh` is outside");
    place.refused("absolute", &["tea", &place.named("/etc/out.sh")], "outside", "is outside");
    place.refused("a link out", &["tea", "out.sh"], "outside", "`out.sh` is outside");
    place.refused("a folder that leads out", &["tea", "away/out.sh"], "outside", "is outside");
    place.refused("a dangling link", &["tea", "nowhere.sh"], "no-script", "a broken symlink");
    place.refused("a FIFO", &["tea", "queue.sh"], "no-script", "not a regular file");
    place.refused("a folder", &["tea", "sub"], "no-script", "a folder");
    place.refused("nothing says what runs it", &["tea", "plain"], "no-interpreter", "#!/usr/bin/env python3");
    place.refused(
        "no such interpreter",
        &["tea", "lost"],
        "program-missing",
        "`lost` needs `/no/such/interpreter`, which does not exist",
    );
    place.refused(
        "none in PATH",
        &["tea", "lost-env"],
        "program-missing",
        "`no-such-program`, and PATH has no such program",
    );
    let many = [&["tea", "x.sh"][..], &["a"; 101]].concat();
    place.refused("too many arguments", &many, "too-many-arguments", "at most 100 arguments, got 101");
    let long = "a".repeat(4_097);
    place.refused("long arguments", &["tea", "x.sh", &long], "arguments-too-long", "4096 bytes in total, got 4097");
    place.refused("switched off", &["--disable", "tea", "tea", "x.sh"], "disabled", "`tea` is disabled");
    for time in ["0", "-1", "x", "inf", "nan", "1e-99"] {
        place.refused(
            "a time",
            &[&format!("--timeout={time}"), "tea", "x.sh"],
            "usage",
            "expected a number of seconds",
        );
    }
    for time in ["1e99", "99999999999999999999"] {
        let words = [&format!("--timeout={time}"), "tea", "x.sh"];
        place.refused("a long time", &words, "usage", "expected a smaller number of seconds");
    }
    assert!(!place.at(&format!("{HERE}/ran")).exists(), "nothing of it has run");
    place.ran("a link inside", &["in.sh"], 0, "", "");
    assert!(place.at(&format!("{HERE}/ran")).exists());

    let without_path = |name: &str, path: &str| {
        let said = said(place.command(&["run", "tea", name]).env("PATH", path));
        (said.code, said.err)
    };
    let missing = "error: `x.sh` needs `bash` or `sh`, and PATH has none of them\n";
    assert_eq!(without_path("x.sh", ""), (Some(2), missing.to_owned()));
    let planted = place.named("/project/bash");
    assert!(Command::new("cp").args(["/bin/echo", &planted]).status().unwrap().success());
    assert_eq!(without_path("x.sh", ":."), (Some(2), missing.to_owned()), "none from where one happens to be");
}

#[test]
fn programs_by_themselves() {
    let place = Place::with_scripts(&[]);
    fs::create_dir_all(place.at(&format!("{HERE}/scripts"))).unwrap();
    // Copied by another process, as a program that somebody may still write is not started.
    for (name, mode) in [("program", "755"), ("flat", "644")] {
        let file = place.named(&format!("{HERE}/scripts/{name}"));
        let copy = "cp /bin/echo \"$1\" && chmod \"$2\" \"$1\"";
        assert!(Command::new("/bin/sh").args(["-c", copy, "sh", &file, mode]).status().unwrap().success());
    }
    place.ran("a program", &["program", "a", "-b"], 0, "a -b\n", "");
    place.refused(
        "one that may not be executed",
        &["tea", "flat"],
        "not-started",
        "; make it executable with `chmod +x`",
    );
}

#[test]
fn what_it_may_see() {
    let dir = "/project/.sven/skills/tea";
    let fields = "---\ndescription: d\nsven:\n  requires_env: [TEA_KEY]\n---\n";
    let place = Place::on(
        Tree::default()
            .with(&format!("{dir}/SKILL.md"), fields)
            .with(&format!("{dir}/scripts/env.sh"), "/usr/bin/env\n"),
    );
    let mut command = place.command(&["--dialect", "sven", "--trust", "run", "tea", "env.sh"]);
    let set =
        [("TEA_KEY", "green"), ("SECRET", "no"), ("LANG", "C"), ("TMPDIR", "/tmp"), ("BASH_ENV", "/no"), ("LD_X", "")];
    let said = said(command.envs(set));
    let mut names: Vec<&str> = said.out.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    // What the shell itself adds.
    names.retain(|name| !["PWD", "OLDPWD", "SHLVL", "_"].contains(name));
    names.sort_unstable();
    let expect = ["HOME", "LANG", "PATH", "TEA_KEY", "TMPDIR"];
    assert_eq!((said.code, names), (Some(0), expect.to_vec()), "{}", said.err);
    assert!(said.out.contains("TEA_KEY=green\n"));
}

#[test]
fn who_is_trusted() {
    let skill = |name: &str, more: &str| format!("---\nname: {name}\ndescription: d\n{more}---\n");
    let place = Place::on(
        Tree::default()
            .with("/project/.agents/skills/theirs/SKILL.md", skill("theirs", ""))
            .with("/project/.agents/skills/theirs/scripts/x.sh", "echo theirs\n")
            .with("/home/.agents/skills/mine/SKILL.md", skill("mine", ""))
            .with("/home/.agents/skills/mine/scripts/x.sh", "echo mine\n")
            .with("/home/.claude/skills/model/SKILL.md", skill("model", "user-invocable: false\n"))
            .with("/home/.claude/skills/model/scripts/x.sh", "echo model\n")
            .with("/project/skills/shipped/SKILL.md", skill("shipped", ""))
            .with("/project/skills/shipped/scripts/x.sh", "echo shipped\n")
            .with("/root/asked/SKILL.md", skill("asked", ""))
            .with("/root/asked/scripts/x.sh", "echo asked\n"),
    );
    place.refused("the project's", &["theirs", "x.sh"], "untrusted", "`skilltree approve theirs`, or use `--trust`");
    let refused = place.say(&["run", "theirs", "x.sh"]);
    assert!(
        refused.err.ends_with("`skilltree approve theirs`, or use `--trust` before the command\n"),
        "{}",
        refused.err
    );
    let off = place.say(&["run", "--disable", "mine", "mine", "x.sh"]);
    assert!(off.err.ends_with("`--enable mine` before the command switches it on\n"), "{}", off.err);
    // What ships with an agent comes along with the project, unless the user says where it lies.
    place.refused("in the project", &["--dialect", "pegasus", "shipped", "x.sh"], "untrusted", "--trust");
    let root = place.named("/root");
    let bundled = place.named("/project/skills");
    for (case, words, out) in [
        ("with --trust", &["--trust", "run", "theirs", "x.sh"][..], "theirs\n"),
        ("with --trust, later", &["run", "--trust", "theirs", "x.sh"], "theirs\n"),
        ("one's own", &["run", "mine", "x.sh"], "mine\n"),
        ("hidden from the user alone", &["--dialect", "claude", "run", "model", "x.sh"], "model\n"),
        ("named", &["--dialect", "pegasus", "--bundled", &bundled, "run", "shipped", "x.sh"], "shipped\n"),
        ("of a --root", &["--root", &root, "run", "asked", "x.sh"], "asked\n"),
    ] {
        let said = place.say(words);
        assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (Some(0), out, ""), "{case}");
    }
    let said = place.say(&["run", "theirs", "x.sh", "--trust"]);
    assert_eq!(said.code, Some(2), "after the script, it is the script's");
}

#[test]
fn what_the_manifest_lists() {
    let dir = "/home/.agent/skills/tea";
    let place = Place::on(
        Tree::default()
            .with(&format!("{dir}/SKILL.md"), "---\nname: tea\ndescription: d\nscripts: [a.sh]\n---\n")
            .with(&format!("{dir}/scripts/a.sh"), "echo a\n")
            .with(&format!("{dir}/scripts/b.sh"), "echo b\n"),
    );
    let said = place.say(&["--dialect", "agent-base", "run", "tea", "a.sh"]);
    assert_eq!((said.code, said.out.as_str()), (Some(0), "a\n"), "{}", said.err);
    place.refused("not listed", &["--dialect", "agent-base", "tea", "b.sh"], "script-not-listed", "it lists `a.sh`");
}

#[test]
fn what_is_printed_is_cut() {
    let place = Place::with_scripts(&[
        ("two.sh", "head -c 2097152 /dev/zero\n"),
        ("one.sh", "head -c 1048576 /dev/zero\n"),
        ("errors.sh", "head -c 2097152 /dev/zero; echo why >&2; exit 3\n"),
        ("errors-forever.sh", "head -c 2097152 /dev/zero; head -c 2097152 /dev/zero >&2\n"),
        ("letters.sh", "printf x; yes é | tr -d '\\n' | head -c 2097152; printf é >&2\n"),
        ("both.sh", "head -c 1048570 /dev/zero; printf 0123456789 >&2; echo late; exit 4\n"),
    ]);
    let run = |name: &str| {
        let done = place.command(&["run", "tea", name]).output().unwrap();
        (done.status.code(), done.stdout.len(), String::from_utf8(done.stderr).unwrap())
    };
    let note = "note: the script printed more than 1048576 bytes; the rest was discarded\n";
    assert_eq!(run("two.sh"), (Some(0), 1_048_576, note.to_owned()));
    assert_eq!(run("one.sh"), (Some(0), 1_048_576, String::new()), "what just fits is whole");
    let (code, out, err) = run("both.sh");
    assert_eq!((code, out + err.len() - note.len()), (Some(4), 1_048_576), "both together: {err}");
    assert!(err.ends_with(note), "{err}");
    assert_eq!(run("errors.sh"), (Some(3), 1_048_572, format!("why\n{note}")), "errors that come late are heard");
    let (_, out, err) = run("errors-forever.sh");
    assert_eq!((out, err.len() - note.len()), (983_040, 65_536), "as far as they take a sixteenth");
    let done = place.command(&["run", "tea", "letters.sh"]).output().unwrap();
    let out = String::from_utf8(done.stdout).expect("no letter is cut in two");
    assert_eq!(out.len(), 1_048_573);
    let said = place.say(&["--json", "run", "tea", "two.sh"]);
    let json = said.json();
    let len = json.get("output").and_then(Json::as_text).map(str::len);
    assert_eq!((json.get("cut"), len), (Some(&Json::Bool(true)), Some(1_048_576)));
}

#[test]
fn nothing_of_it_stays() {
    let place = Place::with_scripts(&[
        ("leaves.sh", "sleep 300 & echo $!\n"),
        ("orphan.sh", "(sleep 300 & echo $!)\n"),
        ("away.sh", "setsid sh -c 'sleep 30; echo ended > ended' & echo started\n"),
        ("forever.sh", "while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done\n"),
        ("deaf.sh", "trap '' TERM INT HUP; (trap '' TERM; sleep 300) & echo $!; while :; do sleep 300; done\n"),
        ("partly.sh", "echo before; sleep 300\n"),
        ("quick.sh", "echo done\n"),
    ]);
    for name in ["leaves.sh", "orphan.sh"] {
        let said = place.say(&["run", "tea", name]);
        assert_eq!(said.code, Some(0), "{name}: {}", said.err);
        gone(name, &said.out);
    }
    // Not every system has `setsid`.
    if cfg!(target_os = "linux") {
        place.ran("one who left the group is not waited for", &["away.sh"], 0, "started\n", "");
        assert!(!place.at(HERE).join("ended").exists(), "it had ended before the answer came");
    }

    let timed = |name: &str| place.say(&["run", "--timeout", "1", "tea", name]);
    let note = "note: the script was stopped after 1 s; `--timeout` allows more\n";
    let said = timed("partly.sh");
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (Some(124), "before\n", note));
    let said = timed("deaf.sh");
    assert_eq!((said.code, said.err.as_str()), (Some(124), note));
    gone("deaf.sh", &said.out);
    let said = timed("forever.sh");
    assert!(said.code == Some(124) && said.err.contains(note) && said.out.len() <= 1_048_576, "{}", said.err);

    let said = place.say(&["--json", "run", "--timeout", "0.5", "tea", "partly.sh"]);
    let json = said.json();
    assert_eq!((said.code, json.get("timed_out")), (Some(124), Some(&Json::Bool(true))));
    let said = place.say(&["run", "--timeout", "1e15", "tea", "quick.sh"]);
    assert_eq!((said.code, said.out.as_str()), (Some(0), "done\n"), "a time without end: {}", said.err);
}

/// Sends the signal to the binary when its script is under way: what it says, and the numbers of the script's
/// processes.
fn interrupted(place: &Place, signal: &str, words: &[&str]) -> (Said, Vec<String>) {
    let pids = place.at(&format!("{HERE}/pids"));
    let _ = fs::remove_file(&pids);
    let mut command = place.command(words);
    let mut child: Child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = String::new();
    let is_under_way = soon(|| {
        told = fs::read_to_string(&pids).unwrap_or_default();
        told.lines().count() == 2
    });
    assert!(is_under_way, "{signal}: the script runs");
    let told: Vec<String> = told.lines().map(str::to_owned).collect();
    assert!(told.iter().all(|pid| lives(pid)), "{signal}: {told:?}");
    let id = child.id().to_string();
    assert!(Command::new("kill").args([signal, id.as_str()]).status().unwrap().success());
    if !soon(|| child.try_wait().unwrap().is_some()) {
        child.kill().unwrap();
    }
    (heard(child.wait_with_output().unwrap()), told)
}

#[test]
fn signals_end_it_too() {
    let place = Place::with_scripts(&[
        ("says.sh", "echo so far; echo why >&2; sleep 300 & echo $$ >> pids; echo $! >> pids; wait\n"),
        ("plain.sh", "sleep 300 & echo $$ >> pids; echo $! >> pids; wait\n"),
        (
            "deaf.sh",
            "trap '' INT TERM HUP QUIT; sleep 300 & echo $$ >> pids; echo $! >> pids; while :; do wait; done\n",
        ),
    ]);
    for signal in ["-INT", "-TERM", "-HUP", "-QUIT"] {
        for name in ["plain.sh", "deaf.sh"] {
            let (said, pids) = interrupted(&place, signal, &["run", "tea", name]);
            assert_eq!(said.code, Some(130), "{signal} {name}");
            pids.iter().for_each(|pid| gone(signal, pid));
        }
    }
    let (said, _) = interrupted(&place, "-INT", &["run", "tea", "says.sh"]);
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (Some(130), "so far\n", "why\nerror: stopped\n"));
    let (said, _) = interrupted(&place, "-INT", &["--json", "run", "tea", "says.sh"]);
    let json = Json::parse(&said.out).unwrap();
    let error = json.get("error").and_then(|error| error.get("code")).and_then(Json::as_text);
    assert_eq!((said.code, error), (Some(130), Some("stopped")));
    let output = json.get("output").and_then(Json::as_text);
    assert_eq!((output, json.get("errors").and_then(Json::as_text)), (Some("so far\n"), Some("why\n")));
    assert_eq!(json.get("timed_out"), Some(&Json::Bool(false)));
}

#[test]
fn languages_with_their_runtimes() {
    let place = Place::with_scripts(&[
        ("x.py", "import sys\nprint('python', sys.version_info[0], sys.argv[1:])\n"),
        ("lib.py", "word = 'imported'\n"),
        ("imports.py", "import lib\nprint(lib.word)\n"),
        ("line", "#!/usr/bin/env python3\nprint('by its line')\n"),
        ("x.js", "console.log('js', process.argv.slice(2).join(','))\n"),
        ("x.mjs", "import fs from 'node:fs';\nconsole.log('mjs', typeof fs.readFileSync)\n"),
        ("x.cjs", "console.log('cjs', typeof require)\n"),
        ("x.ts", "const word: string = 'ts';\nconsole.log(word, process.argv.slice(2).join(','))\n"),
    ]);
    let run = |program: &Path, words: &[&str]| {
        let said = said(place.command(&[&["run", "tea"], words].concat()).env("PATH", program.parent().unwrap()));
        (said.code, said.out, said.err)
    };
    let gives = |out: &str| (Some(0), out.to_owned(), String::new());
    if let Some(python) = runtime("python") {
        assert_eq!(run(&python, &["x.py", "a", "-b"]), gives("python 3 ['a', '-b']\n"));
        assert_eq!(run(&python, &["line"]), gives("by its line\n"));
        assert_eq!(run(&python, &["imports.py"]), gives("imported\n"));
        assert!(!place.at(&format!("{HERE}/scripts/__pycache__")).exists(), "it leaves nothing there");
    }
    for name in ["bun", "deno", "node"] {
        let Some(program) = runtime(name) else { continue };
        // Alone in its folder, so that it is the one that is taken.
        let bin = TempDir::new("bin");
        let alone = bin.path().join(name);
        std::os::unix::fs::symlink(program, &alone).unwrap();
        assert_eq!(run(&alone, &["x.js", "a", "-b"]), gives("js a,-b\n"), "{name}");
        assert_eq!(run(&alone, &["x.mjs"]), gives("mjs function\n"), "{name}");
        assert_eq!(run(&alone, &["x.cjs"]), gives("cjs function\n"), "{name}");
        assert_eq!(run(&alone, &["x.ts", "a", "--json"]), gives("ts a,--json\n"), "{name}");
    }
}
