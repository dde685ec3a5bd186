//! A program of another's that calls the library and has called `guard` first: this test is one itself, and so has a
//! `main` of its own. Whatever door a process was started through, nothing that comes from it survives its end, and
//! nothing survives the program.

#[cfg(not(all(feature = "processes", target_os = "linux")))]
fn main() {}

#[cfg(all(feature = "processes", target_os = "linux"))]
mod common;

#[cfg(all(feature = "processes", target_os = "linux"))]
fn main() {
    skilltree::host::guard();
    linux::main();
}

#[cfg(all(feature = "processes", target_os = "linux"))]
#[allow(clippy::print_stdout, reason = "a test without a harness says its result itself")]
mod linux {
    use crate::common::living::{gone, left_in};
    use crate::common::runtimes::runtime;
    use crate::common::{Machine, TempDir, Tree, path};
    use skilltree::host::{CancelToken, CommandAgent, Limits, Programs, SubagentHost, Toolset};
    use skilltree::loading::{ScriptPlan, ToolsetPlans};
    use skilltree::{
        Caller, Catalog, FsPath, Invocation, OsFs, Places, Skill, World, commands, dialect, discover, invoke,
    };
    use std::fs;
    use std::path::Path;
    use std::process::{Command, Stdio};

    /// An orphan in a session of its own, deaf to SIGTERM, whose number stands in the file `daemon` of the working
    /// directory.
    const DAEMON: &str = "(setsid sh -c 'trap \"\" TERM HUP; echo $$ > daemon; while :; do sleep 0.05; done' \
        </dev/null >/dev/null 2>&1 &); until test -s daemon; do sleep 0.01; done; $1\n";

    const TOOLSET: &str = "import subprocess\nsubprocess.run(['sh', 'scripts/daemon.sh'])\n\
        def one() -> str:\n    return 'one'\n\nX = [one]\n";

    /// Through which doors a process is started.
    const DOORS: &[&str] = &["script", "commands", "agent", "toolset"];

    pub(crate) fn main() {
        let words: Vec<String> = std::env::args().skip(1).collect();
        if let [word, door, folder] = words.as_slice() {
            if word == "--through" {
                return through(door, Path::new(folder), "sleep 300");
            }
        }
        for door in DOORS {
            if *door == "toolset" && python().is_none() {
                continue;
            }
            let folder = place();
            through(door, folder.path(), "exit 0");
            gone(&format!("{door}: its end"), &left_in(&daemon(door, folder.path())));

            let folder = place();
            let file = daemon(door, folder.path());
            let ours = std::env::current_exe().expect("a program");
            let mut host = Command::new(ours);
            host.args(["--through", door]).arg(folder.path()).stdin(Stdio::piped());
            let mut host = host.spawn().expect("it starts");
            let pid = left_in(&file);
            host.kill().and_then(|()| host.wait()).expect("it can be killed");
            gone(&format!("{door}: the program was killed"), &pid);
        }
        not_started();
        println!("test result: ok. The doors are {DOORS:?}");
    }

    fn python() -> Option<std::path::PathBuf> {
        runtime("python").or_else(|| Programs::of_environment().find("python3"))
    }

    fn place() -> TempDir {
        let dir = "/home/.claude/skills/now";
        let text = "---\nname: now\ndescription: N\n---\nNow: !`sh home/.claude/skills/now/scripts/daemon.sh \"$0\"`\n";
        let fork = "---\nname: away\ndescription: A\ncontext: fork\n---\nGo.\n";
        let kit = "---\nname: kit\ndescription: K\ntoolsets: [\"t:X\"]\n---\nKit.\n";
        Tree::default()
            .with(&format!("{dir}/SKILL.md"), text)
            .with(&format!("{dir}/scripts/daemon.sh"), DAEMON)
            .with("/home/.claude/skills/away/SKILL.md", fork)
            .with("/home/.agent/skills/kit/SKILL.md", kit)
            .with("/home/.agent/skills/kit/t.py", TOOLSET)
            .with("/home/.agent/skills/kit/scripts/daemon.sh", DAEMON)
            .folder()
    }

    /// Where the number of a door's daemon stands.
    fn daemon(door: &str, folder: &Path) -> std::path::PathBuf {
        folder.join(match door {
            "script" => "home/.claude/skills/now/daemon",
            "toolset" => "home/.agent/skills/kit/daemon",
            _ => "daemon",
        })
    }

    /// Starts a process through a door, which starts a daemon and then does this.
    fn through(door: &str, folder: &Path, then: &str) {
        let root: FsPath = path(folder.to_str().expect("UTF-8"));
        let (disk, stop, host) = (OsFs::new(), CancelToken::new(), Machine::default());
        let home = root.join("home").expect("a path");
        let places = Places { home: Some(home), project: Some(root.clone()), ..Places::default() };
        let world = World::new(&disk, &places, &host);
        let catalog = |name: &str| discover(&world, &dialect(name).expect("a dialect"));
        let invoked = |catalog: &Catalog, line: &str| {
            invoke(&world, catalog, &commands(catalog, &[]), line).expect("it is there").expect("a command")
        };
        match door {
            "script" => {
                let catalog = catalog("claude");
                let plan = ScriptPlan::of(&world, &catalog, found(&catalog, "now"), "daemon.sh", &[then.to_owned()]);
                let ran = plan.expect("a plan").run(&disk, &Limits::default(), &stop).expect("it runs");
                assert_eq!(ran.code, 0, "{ran:?}");
            }
            "commands" => {
                let Invocation::Pending(pending) = invoked(&catalog("claude"), &format!("/now '{then}'")) else {
                    panic!("it has commands")
                };
                pending.run(&disk, &root, &Limits::default(), &stop).expect("they run");
            }
            "agent" => {
                let Invocation::Fork(fork) = invoked(&catalog("claude"), "/away") else { panic!("it is a fork") };
                let line = format!("sh {}/home/.claude/skills/now/scripts/daemon.sh '{then}'", folder.display());
                let agent = CommandAgent::new(&disk, &line, &root, Limits::of_agent(), &stop).expect("an agent");
                let id = agent.submit(fork).expect("it starts");
                assert_eq!(agent.wait(&id, None).expect("it is known").state.as_str(), "done");
            }
            "toolset" => {
                let catalog = catalog("agent-base");
                let plan =
                    ToolsetPlans::of(&world, &catalog, found(&catalog, "kit")).expect("it is trusted").plans.remove(0);
                let bin = TempDir::new("bin");
                std::os::unix::fs::symlink(python().expect("a Python"), bin.path().join("python3")).expect("a link");
                let programs = Programs::new(bin.path().as_os_str());
                let mut toolset = Toolset::new(&disk, plan, &programs, Limits::default());
                assert_eq!(toolset.tools(&world, &catalog, &stop).expect("it loads").len(), 1);
                // A toolset stays until it is dropped, or until nobody is there who could.
                if then != "exit 0" {
                    std::thread::park();
                }
            }
            _ => panic!("no door {door}"),
        }
    }

    fn found<'c>(catalog: &'c Catalog, key: &str) -> &'c Skill {
        catalog.find(key, Caller::User).expect("it is there")
    }

    /// What keeps a program from being started is told as without a guard.
    fn not_started() {
        let folder = place();
        let file = folder.path().join("home/.claude/skills/now/scripts/flat");
        fs::copy("/bin/sh", &file).expect("a copy");
        Command::new("chmod").arg("644").arg(&file).status().expect("chmod runs");
        let root: FsPath = path(folder.path().to_str().expect("UTF-8"));
        let (disk, host) = (OsFs::new(), Machine::default());
        let places = Places { home: root.join("home").ok(), ..Places::default() };
        let world = World::new(&disk, &places, &host);
        let catalog = discover(&world, &dialect("claude").expect("a dialect"));
        let plan = ScriptPlan::of(&world, &catalog, found(&catalog, "now"), "flat", &[]).expect("a plan");
        let error = plan.run(&disk, &Limits::default(), &CancelToken::new()).expect_err("nobody may execute it");
        assert_eq!(error.code(), "not-started");
        assert!(error.to_string().contains("Permission denied") && error.to_string().contains("chmod +x"), "{error}");
    }
}
