//! The real binary and what its children leave behind: whatever they do, nothing that was started survives the end,
//! be it their own, a limit, a signal to the binary, or the binary's own death by SIGKILL. Everything that is started
//! here works in a folder of the test's own, so one look at the working directories of all processes finds who is left.
#![cfg(target_os = "linux")]

use crate::common;

use crate::program::{BINARY, PATH, Place, error_code, field};
use common::living::{left_in, soon};
use common::runtimes::runtime;
use common::{TempDir, Tree};
use pretty_assertions::assert_eq;
use skilltree::host::Programs;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The folder of the skill `tea`.
const TEA: &str = "/home/.claude/skills/tea";

/// Starts a daemon as a daemon starts: an orphan in a session of its own, deaf to SIGTERM, which holds none of our
/// pipes. Its number stands in the file `daemon` once it runs.
const DAEMON: &str = "(setsid sh -c 'trap \"\" TERM HUP INT; echo $$ > daemon; while :; do sleep 0.05; done' \
    </dev/null >/dev/null 2>&1 &); until test -s daemon; do sleep 0.01; done\n";

/// A place with a skill `tea` that has these scripts, and with these files besides.
fn place(scripts: &[(&str, String)], files: &[(&str, String)]) -> Place {
    let tree = Tree::default().with(&format!("{TEA}/SKILL.md"), "---\nname: tea\ndescription: Makes tea.\n---\nTea.\n");
    let tree = files.iter().fold(tree, |tree, (path, text)| tree.with(path, text.as_str()));
    let script = |tree: Tree, (name, text): &(&str, String)| tree.with(&format!("{TEA}/scripts/{name}"), text.as_str());
    Place::of(scripts.iter().fold(tree, script)).env("PATH", PATH)
}

/// The processes that work below a folder. A process that has ended has no working directory any more.
fn workers(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("/proc is mounted").flatten();
    let works = |pid: &str| fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(folder));
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name.parse::<u32>().is_ok() && works(name)).collect()
}

#[track_caller]
fn nobody_is_left(case: &str, place: &Place) {
    let folder = fs::canonicalize(place.at("/")).expect("the folder is there");
    let line =
        |pid: &String| format!("{pid}: {}", fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default());
    let is_empty = soon(|| workers(&folder).is_empty());
    let left: Vec<String> = workers(&folder);
    let told: Vec<String> = left.iter().map(line).collect();
    // A failing test leaves none of them behind either.
    for pid in &left {
        let _ = Command::new("kill").args(["-9", pid]).status();
    }
    assert!(is_empty, "{case}: still there: {told:#?}");
}

/// Kills the binary when a file is there, so that its children are known to run, and looks who is left.
#[track_caller]
fn killed(case: &str, place: &Place, mut command: Command, file: &Path) {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary starts");
    left_in(file);
    child.kill().expect("it can be killed");
    child.wait().expect("it has ended");
    nobody_is_left(case, place);
}

#[test]
fn daemons_end_with_their_script() {
    let scripts = [
        ("ends.sh", format!("{DAEMON}echo done; exit 3\n")),
        ("fails.sh", format!("{DAEMON}kill -9 $$\n")),
        ("late.sh", format!("{DAEMON}echo begun; sleep 300\n")),
        ("deaf.sh", format!("trap '' TERM; {DAEMON}echo begun; while :; do sleep 300; done\n")),
    ];
    let place = place(&scripts, &[]);
    for (script, code, out) in [("ends.sh", 3, "done\n"), ("fails.sh", 137, "")] {
        let said = place.say(&["run", "tea", script]);
        assert_eq!((said.code, said.out.as_str()), (Some(code), out), "{script}: {}", said.err);
        nobody_is_left(script, &place);
        fs::remove_file(place.at(&format!("{TEA}/daemon"))).expect("the daemon has run");
    }
    for script in ["late.sh", "deaf.sh"] {
        let said = place.say(&["run", "--timeout=2", "tea", script]);
        assert_eq!((said.code, said.out.as_str()), (Some(124), "begun\n"), "{script}: {}", said.err);
        nobody_is_left(script, &place);
        fs::remove_file(place.at(&format!("{TEA}/daemon"))).expect("the daemon has run");
    }
    let file = place.at(&format!("{TEA}/daemon"));
    let mut command = place.command(&["run", "tea", "deaf.sh"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary starts");
    left_in(&file);
    assert!(Command::new("kill").arg(child.id().to_string()).status().expect("kill runs").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    nobody_is_left("told to stop", &place);
}

#[test]
fn a_killed_binary_leaves_nobody() {
    let scripts = [
        ("plain.sh", "sleep 300 & echo $$ > begun; wait\n".to_owned()),
        ("daemon.sh", format!("{DAEMON}echo $$ > begun; sleep 300\n")),
        ("deaf.sh", format!("trap '' TERM HUP; {DAEMON}echo $$ > begun; while :; do sleep 300; done\n")),
    ];
    let now = "---\ndescription: Now.\n---\nNow: !`sh ../daemon.sh`\n".to_owned();
    let away = "---\ndescription: Away.\ncontext: fork\n---\nGo away.\n".to_owned();
    let files = [
        ("/daemon.sh", format!("{DAEMON}echo $$ > begun; sleep 300\n")),
        ("/home/.claude/skills/now/SKILL.md", now),
        ("/home/.claude/skills/away/SKILL.md", away),
    ];
    let place = place(&scripts, &files).first(&["--dialect", "claude"]);
    for (name, _) in &scripts {
        let begun = place.at(&format!("{TEA}/begun"));
        killed(name, &place, place.command(&["run", "tea", name]), &begun);
        fs::remove_file(begun).expect("it has run");
        let _ = fs::remove_file(place.at(&format!("{TEA}/daemon")));
    }
    let agent = format!("--agent-command=sh {}", place.named("/daemon.sh"));
    for words in [["invoke", "/now", "--run"].as_slice(), &["invoke", "/away", "--run", &agent]] {
        killed(words[1], &place, place.command(words), &place.at("project/begun"));
        fs::remove_file(place.at("project/begun")).expect("it has run");
        fs::remove_file(place.at("project/daemon")).expect("the daemon has run");
    }
}

/// A script that ends its own supervisor gains nothing for what stays in its group.
#[test]
fn a_script_that_kills_its_parent_ends_too() {
    let scripts = [("kills.sh", "sleep 300 & kill -9 $PPID; sleep 300\n".to_owned())];
    let place = place(&scripts, &[]);
    // Without a supervisor its parent is the binary itself. On one processor the script may run before its supervisor
    // does anything more.
    for _ in 0..5 {
        on_one_processor(&place, &["run", "tea", "kills.sh"]).output().expect("it ends");
        nobody_is_left("SIGKILL to its parent", &place);
    }
    // The second does it again and again, so that the supervisor hardly runs, and its work is done in its place.
    let scripts = [
        ("stops.sh", format!("{DAEMON}kill -STOP $PPID; sleep 300\n")),
        ("stops-again.sh", format!("trap '' TERM; {DAEMON}while :; do kill -STOP $PPID; done\n")),
    ];
    let place = self::place(&scripts, &[]);
    for name in ["stops.sh", "stops.sh", "stops.sh", "stops-again.sh"] {
        let mut command = on_one_processor(&place, &["run", "--timeout=2", "tea", name]);
        let mut child = command.stderr(Stdio::null()).spawn().expect("the binary starts");
        let ends = soon(|| child.try_wait().expect("it is ours").is_some());
        assert!(ends, "a supervisor that was stopped holds nobody up: {name}");
        nobody_is_left(name, &place);
    }
}

/// The binary, which shares one processor with all that it starts.
fn on_one_processor(place: &Place, words: &[&str]) -> Command {
    let command = place.command(words);
    let status = fs::read_to_string("/proc/self/status").expect("/proc is mounted");
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("the processors");
    let first: String = allowed.trim().chars().take_while(char::is_ascii_digit).collect();
    let mut pinned = Command::new("taskset");
    pinned.args(["-c", &first]).arg(command.get_program()).args(command.get_args()).env_clear();
    pinned.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    pinned.current_dir(command.get_current_dir().expect("the project")).env("PATH", PATH).stdin(Stdio::null());
    pinned
}

#[test]
fn what_multiplies_is_ended() {
    let scripts = [
        // Forty processes, each in a session of its own, which hold their pipes and hear no SIGTERM.
        (
            "many.sh",
            "trap '' TERM; i=0; while [ $i -lt 40 ]; do setsid sh -c 'while :; do sleep 300; done' & i=$((i+1)); done; \
             echo $i > begun; wait\n"
                .to_owned(),
        ),
        // One that is another process at every look: each starts the next, in a new session, and ends.
        (
            "relay.sh",
            "trap '' TERM HUP; n=${1:-0}; [ $n -eq 100 ] && echo $n > begun; [ $n -lt 100000 ] || exit 0\n\
             setsid sh scripts/relay.sh $((n+1)) </dev/null >/dev/null 2>&1 &\n\
             [ $n -eq 0 ] && sleep 300; exit 0\n"
                .to_owned(),
        ),
        // A few that each start another again and again, up to fifty at a time.
        (
            "bomb.sh",
            "trap '' TERM HUP; echo $$ > begun; set -m\n\
             grow() { while :; do for i in 1 2 3 4 5 6; do (sleep 0.01; sleep 0.01) & done; wait; done; }\n\
             for i in 1 2 3 4 5 6; do grow & done; wait\n"
                .to_owned(),
        ),
    ];
    let place = place(&scripts, &[]);
    let begun = place.at(&format!("{TEA}/begun"));
    for (name, _) in &scripts {
        let said = place.say(&["run", "--timeout=3", "tea", name]);
        assert_eq!(said.code, Some(124), "{name}: {}", said.err);
        nobody_is_left(name, &place);
        fs::remove_file(&begun).expect("it has run");
        killed(name, &place, place.command(&["run", "tea", name]), &begun);
        fs::remove_file(&begun).expect("it has run");
    }
}

/// Twenty that each start another, in a session of its own, and end at once: none is there for long enough to be met
/// by a look at all processes.
const RELAY: &str = "
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
until = time.time() + 300
for n in range(20):
    if os.fork() == 0:
        for fd in range(3): os.close(fd)
        while time.time() < until:
            if os.fork(): os._exit(0)
            os.setsid()
        os._exit(0)
open('begun', 'w').write('begun\\n')
time.sleep(300)
";

#[test]
fn what_never_stays_is_ended() {
    let Some((_folder, path)) = python() else { return };
    let place = place(&[("relay.py", RELAY.to_owned())], &[]).env("PATH", path);
    let begun = place.at(&format!("{TEA}/begun"));
    let said = place.say(&["run", "--timeout=2", "tea", "relay.py"]);
    assert_eq!(said.code, Some(124), "{}", said.err);
    nobody_is_left("at the limit", &place);
    fs::remove_file(&begun).expect("it has run");
    killed("killed", &place, place.command(&["run", "tea", "relay.py"]), &begun);
}

/// Whoever starts the binary may have the signal of ended children ignored, which is inherited.
#[test]
fn exit_codes_are_kept_where_nobody_asks_for_them() {
    let Some((_folder, path)) = python() else { return };
    let scripts = [("code.sh", "exit $1\n".to_owned()), ("daemon.sh", format!("{DAEMON}exit 4\n"))];
    let place = place(&scripts, &[]);
    let python = Programs::new(path.as_os_str()).find("python3").expect("it is there");
    let ignoring =
        "import os, signal, sys\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\nos.execv(sys.argv[1], sys.argv[1:])";
    for (words, code) in [(["code.sh", "3"], 3), (["daemon.sh", ""], 4)] {
        let mut command = Command::new(&python);
        command.args(["-c", ignoring, BINARY, "run", "tea"]).args(words).current_dir(place.at("project"));
        let status = command.env("HOME", place.at("home")).env("PATH", PATH).status().expect("it starts");
        assert_eq!(status.code(), Some(code), "{words:?}");
        nobody_is_left(words[0], &place);
    }
}

/// Orphans are taken from the system while the script still runs: their numbers are not used up.
#[test]
fn orphans_that_end_leave_no_zombies() {
    let count = "p=$PPID; cat /proc/[0-9]*/stat 2>/dev/null | grep -c \"^[0-9]* (.*) Z $p \"";
    let script = format!(
        "i=0; while [ $i -lt 50 ]; do (true &); i=$((i+1)); done; n=0\n\
         while [ $n -lt 3000 ] && [ \"$({count})\" -gt 0 ]; do n=$((n+1)); sleep 0.01; done; {count}; exit 0\n"
    );
    let place = place(&[("orphans.sh", script)], &[]);
    let said = place.say(&["run", "tea", "orphans.sh"]);
    assert_eq!((said.code, said.out.as_str()), (Some(0), "0\n"), "{}", said.err);
}

/// A Python, with the folder to find it in.
fn python() -> Option<(TempDir, PathBuf)> {
    let python = runtime("python").or_else(|| Programs::of_environment().find("python3"))?;
    let folder = TempDir::new("bin");
    std::os::unix::fs::symlink(python, folder.path().join("python3")).expect("a link");
    let path = PathBuf::from(format!("{}:{PATH}", folder.path().display()));
    Some((folder, path))
}

const TOOLSET: &str = "
import os, subprocess, sys

subprocess.run(['sh', '../daemon.sh'])

def flood() -> str:
    while True:
        sys.stderr.write('y' * 65536)

def quiet() -> str:
    sys.stderr.write('y' * 3000000)
    return 'fine'

open('begun', 'w').write(f'{os.getpid()}\\n')
X = [flood, quiet]
";

fn toolset_place(path: &Path) -> Place {
    let kit = "---\nname: kit\ndescription: Kit.\ntoolsets: [\"t:X\"]\n---\nKit.\n".to_owned();
    let files = [
        ("/home/.agent/skills/kit/SKILL.md", kit),
        ("/home/.agent/skills/kit/t.py", TOOLSET.to_owned()),
        ("/home/.agent/skills/daemon.sh", DAEMON.to_owned()),
        ("/home/.agent/skills/tea/SKILL.md", "---\nname: tea\ndescription: Tea.\n---\nTea.\n".to_owned()),
        ("/home/.agent/skills/tea/scripts/daemon.sh", format!("{DAEMON}echo done\n")),
        ("/home/.agent/skills/tea/scripts/flood.sh", "yes\n".to_owned()),
    ];
    place(&[], &files).first(&["--dialect", "agent-base"]).env("PATH", path)
}

/// The server, spoken to line by line.
struct Server {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Server {
    fn start(place: &Place) -> Server {
        let mut command = place.command(&["mcp", "--allow-run", "--trust"]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut server = Server { child, lines };
        server.send(
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#,
        );
        server.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        server
    }

    fn send(&mut self, line: &str) {
        let input = self.child.stdin.as_mut().expect("its input is open");
        writeln!(input, "{line}").expect("it reads");
    }

    /// What a script of `tea` came to.
    fn run(&mut self, script: &str) -> String {
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"run_skill_script","arguments":{{"skill":"tea","script":"{script}"}}}}}}"#
        ));
        let line = self.lines.by_ref().map_while(Result::ok).find(|line| line.contains(r#""id":1"#));
        line.expect("an answer")
    }
}

#[test]
fn what_the_server_started_ends_with_it() {
    let Some((_folder, path)) = python() else { return };
    let kit = "/home/.agent/skills/kit";
    for how in ["its input ends", "SIGTERM", "SIGKILL"] {
        let place = toolset_place(&path);
        let mut server = Server::start(&place);
        left_in(&place.at(&format!("{kit}/daemon")));
        left_in(&place.at(&format!("{kit}/begun")));
        match how {
            "SIGKILL" => server.child.kill().expect("it can be killed"),
            "SIGTERM" => {
                let told = Command::new("kill").arg(server.child.id().to_string()).status();
                assert!(told.expect("kill runs").success());
            }
            _ => drop(server.child.stdin.take()),
        }
        server.child.wait().expect("it has ended");
        nobody_is_left(how, &place);
    }
}

#[test]
fn scripts_of_the_server_leave_nobody_while_it_goes_on() {
    let place = toolset_place(Path::new(PATH));
    let mut server = Server::start(&place);
    let answer = server.run("daemon.sh");
    assert!(answer.contains(r#""output":"done\n""#), "{answer}");
    let tea = fs::canonicalize(place.at("/home/.agent/skills/tea")).expect("the skill is there");
    assert!(soon(|| workers(&tea).is_empty()), "{:?}", workers(&tea));
    let answer = server.run("flood.sh");
    assert!(answer.contains(r#""flooded":true"#) && answer.contains("more than 67108864 bytes"), "it is told");
    assert!(answer.contains(r#""isError":true"#) && answer.contains(r#""timed_out":false"#), "it is an error");
    assert_eq!(server.child.try_wait().expect("it is ours"), None, "the server goes on");
    server.child.kill().expect("it can be killed");
    server.child.wait().expect("it has ended");
    nobody_is_left("the server was killed", &place);
}

#[test]
fn what_floods_is_ended() {
    let much = 64 * 1_048_576;
    let scripts = [
        ("yes.sh", "yes\n".to_owned()),
        ("errors.sh", "yes >&2\n".to_owned()),
        ("both.sh", "yes & yes >&2\n".to_owned()),
        ("deaf.sh", "trap 'exit 0' TERM; while :; do head -c 1000000 /dev/zero; done\n".to_owned()),
        ("daemon.sh", format!("{DAEMON}yes\n")),
        ("most.sh", format!("head -c {much} /dev/zero\n")),
        ("more.sh", format!("head -c {much} /dev/zero; printf x\n")),
    ];
    let now = "---\ndescription: Now.\n---\nNow: !`yes`\n".to_owned();
    let away = "---\ndescription: Away.\ncontext: fork\n---\nGo away.\n".to_owned();
    let files = [("/home/.claude/skills/now/SKILL.md", now), ("/home/.claude/skills/away/SKILL.md", away)];
    let place = place(&scripts, &files).first(&["--dialect", "claude"]);
    let note = "note: the script printed more than 67108864 bytes and was stopped\n";
    for name in ["yes.sh", "errors.sh", "both.sh", "deaf.sh", "daemon.sh", "more.sh"] {
        let said = place.say(&["--json", "run", "--timeout=3000", "tea", name]);
        let (code, json) = (said.code, said.json());
        let told = ["code", "flooded", "timed_out", "cut"].map(|name| field(&json, name));
        assert_eq!((code, told.join(" ")), (Some(124), "124 true false true".to_owned()), "{name}");
        nobody_is_left(name, &place);
    }
    let said = place.say(&["run", "--timeout=3000", "tea", "yes.sh"]);
    assert_eq!((said.code, said.err.as_str()), (Some(124), note));
    let said = place.say(&["--json", "run", "--timeout=3000", "tea", "most.sh"]);
    let (code, json) = (said.code, said.json());
    assert_eq!((code, field(&json, "flooded"), field(&json, "cut")), (Some(0), "false".to_owned(), "true".to_owned()));

    let (code, json) = place.json(&["invoke", "/now", "--run", "--timeout=3000"]);
    assert_eq!((code, error_code(&json)), (Some(1), Some("command-failed")), "{json}");
    assert!(field(&json, "error.message").contains("printed more than 67108864 bytes"), "{json}");
    let (code, json) = place.json(&["invoke", "/away", "--run", "--agent-command=yes", "--timeout=3000"]);
    assert_eq!(
        (code, error_code(&json), field(&json, "task.flooded")),
        (Some(1), Some("agent-failed"), "true".to_owned())
    );
    assert!(field(&json, "error.message").contains("printed more than 67108864 bytes"), "{json}");
    nobody_is_left("an agent", &place);
}

#[test]
fn a_toolset_that_floods_its_errors_is_ended() {
    let Some((_folder, path)) = python() else { return };
    let place = toolset_place(&path);
    let call = |tool: &str| place.json(&["toolset", "call", "kit", tool, "{}", "--timeout=3000"]);
    let (code, json) = call("quiet");
    assert_eq!((code, field(&json, "result.output")), (Some(0), "\"fine\"".to_owned()), "{json}");
    let (code, json) = call("flood");
    assert_eq!((code, error_code(&json)), (Some(1), Some("toolset-failed")), "{json}");
    assert!(field(&json, "error.message").contains("printed more than 67108864 bytes to standard error"), "{json}");
    nobody_is_left("a toolset", &place);
}

/// What a script may count on goes through a supervisor unchanged.
#[test]
fn honest_scripts_are_unharmed() {
    let scripts = [
        ("code.sh", "exit $1\n".to_owned()),
        ("signal.sh", "kill -$1 $$; sleep 300\n".to_owned()),
        (
            "tee.bash",
            "#!/usr/bin/env bash\nexec > >(sleep 0.1; tee log)\nfor i in 1 2 3; do echo $i; done\n".to_owned(),
        ),
        ("helper.sh", "{ sleep 0.2; echo late; } & echo early\n".to_owned()),
        ("descriptors.sh", "ls /proc/self/fd | tr '\\n' ' '\n".to_owned()),
        ("terminal.sh", "trap - PIPE; sh -c 'kill -PIPE $$'; echo $?\n".to_owned()),
        ("waits.sh", "sleep 0.1 & wait $!; echo $?; (exit 7) & wait $!; echo $?\n".to_owned()),
    ];
    let away = "---\ndescription: Away.\ncontext: fork\n---\n".to_owned() + &"0123456789abcde\n".repeat(16_000);
    let place = place(&scripts, &[("/home/.claude/skills/away/SKILL.md", away)]).first(&["--dialect", "claude"]);
    for code in 0..=255_i32 {
        let said = place.say(&["run", "tea", "code.sh", &code.to_string()]);
        assert_eq!((said.code, said.err.as_str()), (Some(code), ""), "exit {code}");
    }
    // Shells are deaf to SIGQUIT, and what runs in the background may be to SIGINT.
    for signal in (1..=15).chain([24, 25, 31, 34, 64]).filter(|signal| ![2, 3].contains(signal)) {
        let said = place.say(&["run", "tea", "signal.sh", &signal.to_string()]);
        let note = format!("note: the script was killed by signal {signal}");
        assert!(said.code == Some(128 + signal) && said.err.starts_with(&note), "{signal}: {said:?}");
    }
    for (name, out) in
        [("tee.bash", "1\n2\n3\n"), ("helper.sh", "early\nlate\n"), ("terminal.sh", "141\n"), ("waits.sh", "0\n7\n")]
    {
        let said = place.say(&["run", "tea", name]);
        assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (Some(0), out, ""), "{name}");
    }
    // No descriptor of ours goes along: those that there are, are what any process here is given.
    let mut direct = Command::new("bash");
    direct.arg(place.at(&format!("{TEA}/scripts/descriptors.sh"))).stdin(Stdio::null());
    let direct = String::from_utf8(direct.output().expect("bash starts").stdout).expect("UTF-8");
    assert_eq!(place.say(&["run", "tea", "descriptors.sh"]).out, direct);
    let (code, json) = place.json(&["invoke", "/away", "--run", "--agent-command=wc -c"]);
    let bytes: usize =
        field(&json, "task.output").trim_matches(['"', ' ']).replace("\\n", "").trim().parse().unwrap_or(0);
    assert!(code == Some(0) && bytes >= 255_000, "all of a large task is read: {json}");
}
