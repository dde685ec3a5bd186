//! The real binary on skills that were approved: what runs is what was approved, from a private copy, while others
//! exchange files; and what honest skills do works there as in their own folder.
#![cfg(unix)]

use crate::common;

use crate::program::{PATH, Place, Said, error_code, field, said};
use common::Tree;
use common::living::{gone, left_in, soon};
use common::property::tries;
use common::runtimes::runtime;
use common::skip::skip;
use pretty_assertions::assert_eq;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};

/// How often each command is run while files are exchanged.
const ROUNDS: u32 = 300;

/// What nobody has approved, and what no output may hold.
const CANARY: &str = "unapproved";

impl Place {
    /// A place with a folder for temporary files of its own.
    fn with_tmp(files: &[(&str, &str)]) -> Place {
        let place = Place::of(Tree::default().files(files).with_dir("/tmp"));
        let tmp = place.at("tmp");
        place.env("PATH", PATH).env("TMPDIR", tmp)
    }

    #[track_caller]
    fn approve(&self, key: &str) {
        let said = self.say(&["approve", key]);
        assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    }

    /// The names of the copies that are there.
    fn copies(&self) -> Vec<String> {
        let entries = fs::read_dir(self.at("tmp")).expect("a folder");
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect()
    }
}

/// Runs `round` so often, while this file is exchanged for one with other text and back, in one step each time.
fn while_exchanged(file: &Path, others: &[&str], mut round: impl FnMut()) {
    let own = fs::read(file).expect("the file is there");
    let exchange = |new: &dyn Fn(&Path)| {
        // Outside of the skill's folder, so that nothing but the file differs.
        let beside = file.ancestors().nth(5).expect("a folder above").join("beside.new");
        new(&beside);
        fs::rename(&beside, file).expect("the file can be exchanged");
    };
    let put = |text: &[u8]| exchange(&|at| fs::write(at, text).expect("a file can be written"));
    while_done(
        || {
            for other in others {
                match other.strip_prefix("-> ") {
                    Some(target) => exchange(&|at| symlink(target, at).expect("a link can be made")),
                    None => put(other.as_bytes()),
                }
                put(&own);
            }
        },
        || (0..tries(ROUNDS)).for_each(|_| round()),
    );
    put(&own);
}

/// Runs `disturb` again and again while `work` is done.
fn while_done(disturb: impl Fn() + Sync, work: impl FnOnce()) {
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                disturb();
            }
        });
        // A failure must end the other thread as well.
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        is_done.store(true, Ordering::Relaxed);
        done.unwrap_or_else(|failure| std::panic::resume_unwind(failure));
    });
}

#[track_caller]
fn approved_or_refused(case: &str, said: &Said, approved: &str) {
    assert!(!said.out.contains(CANARY) && !said.err.contains(CANARY), "{case}: {}{}", said.out, said.err);
    let is_refused = said.code != Some(0) && said.err.contains("error: ");
    assert!(is_refused || said.out == approved, "{case}: {}{}", said.out, said.err);
}

const NOW: &str = "project/.claude/skills/now";
const TEXT: &str =
    "---\nname: now\ndescription: Says it.\nallowed-tools: Read\n---\n!`sh ${CLAUDE_SKILL_DIR}/scripts/say.sh`\n";
const SAY: &str = "#!/bin/sh\n. \"${0%/*}/more.sh\"\ncat \"${0%/*}/../data.txt\"\n";

fn now() -> Place {
    let place = Place::with_tmp(&[
        (&format!("/{NOW}/SKILL.md"), TEXT),
        (&format!("/{NOW}/scripts/say.sh"), SAY),
        (&format!("/{NOW}/scripts/more.sh"), "echo approved\n"),
        (&format!("/{NOW}/data.txt"), "data\n"),
        ("/evil.sh", "#!/bin/sh\necho unapproved\n"),
    ])
    .first(&["--dialect", "claude"]);
    fs::set_permissions(place.at("evil.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    place.approve("now");
    place
}

#[test]
fn files_are_exchanged_while_scripts_and_commands_are_run() {
    let place = now();
    let (evil, interpreter) = (format!("-> {}", place.named("evil.sh")), format!("#!{}\n", place.named("evil.sh")));
    let text = TEXT.replace("Read", "Bash").replace("sh $", "echo unapproved $");
    let unapproved = "#!/bin/sh\necho unapproved\n";
    for (file, others) in [
        ("scripts/say.sh", &[unapproved, &evil, &interpreter][..]),
        ("scripts/more.sh", &[unapproved, &evil]),
        ("data.txt", &["unapproved\n"]),
        ("SKILL.md", &[&text]),
    ] {
        let mut turn = 0;
        while_exchanged(&place.at(&format!("{NOW}/{file}")), others, || {
            turn += 1;
            match turn % 3 {
                0 => approved_or_refused(file, &place.say(&["run", "now", "say.sh"]), "approved\ndata\n"),
                1 => approved_or_refused(file, &place.say(&["invoke", "/now", "--run"]), "approved\ndata\n"),
                _ => {
                    let said = place.say(&["load", "now", "--json"]);
                    assert!(!said.out.contains(r#""tools":["Bash"]"#) || said.code != Some(0), "{}", said.out);
                }
            }
        });
        place.exact(file, &["run", "now", "say.sh"], 0, "approved\ndata\n", "");
        place.exact(file, &["invoke", "/now", "--run"], 0, "approved\ndata\n", "");
        assert_eq!(place.copies(), Vec::<String>::new(), "{file}: no copy is left behind");
    }
}

#[test]
fn a_link_is_led_from_the_users_own_skill_to_another() {
    let say = |word: &str| format!("#!/bin/sh\necho {word}\n");
    let skill = "---\nname: own\ndescription: Own.\n---\nOwn.\n";
    let (own, theirs) = ("home/.claude/skills/own", "project/theirs");
    let place = Place::with_tmp(&[
        (&format!("/{own}/SKILL.md"), skill),
        (&format!("/{own}/scripts/say.sh"), &say("approved")),
        (&format!("/{theirs}/SKILL.md"), skill),
        (&format!("/{theirs}/scripts/say.sh"), &say(CANARY)),
    ]);
    fs::create_dir_all(place.at("project/.claude/skills")).unwrap();
    let (link, beside) = (place.at("project/.claude/skills/linked"), place.at("project/.claude/beside"));
    let lead = |to: &PathBuf| {
        symlink(to, &beside).unwrap();
        fs::rename(&beside, &link).unwrap();
    };
    let (own, theirs) = (place.at(own), place.at(theirs));
    lead(&own);
    place.exact("the user's own", &["run", "own", "say.sh"], 0, "approved\n", "");
    while_done(
        || {
            lead(&theirs);
            lead(&own);
        },
        || {
            for _ in 0..tries(ROUNDS) {
                approved_or_refused("a link", &place.say(&["run", "own", "say.sh"]), "approved\n");
            }
        },
    );
}

#[test]
fn files_are_exchanged_while_tools_are_called() {
    let Some(python) = runtime("python") else { return };
    let dir = "project/.agent/skills/kit";
    let tools = "import more\n\ndef say() -> str:\n    return more.WORD\n\nTOOLS = [say]\n";
    let skill = "---\nname: kit\ndescription: Kit.\ntoolsets: [\"tools:TOOLS\"]\n---\nUse it.\n";
    let place = Place::with_tmp(&[
        (&format!("/{dir}/SKILL.md"), skill),
        (&format!("/{dir}/tools.py"), tools),
        (&format!("/{dir}/more.py"), "WORD = 'approved'\n"),
    ])
    .first(&["--dialect", "agent-base"]);
    place.approve("kit");
    let path = format!("{}:{PATH}", python.parent().expect("a folder").display());
    let call = || said(place.command(&["toolset", "call", "kit", "say", "{}"]).env("PATH", &path));
    let mut turn = 0;
    while_exchanged(&place.at(&format!("{dir}/more.py")), &["WORD = 'unapproved'\n"], || {
        turn += 1;
        // Each takes a while, and the next test exchanges the file that is loaded itself.
        if turn % 2 == 0 {
            approved_or_refused("a module", &call(), "approved\n");
        }
    });
    let other = tools.replace("more.WORD", "'unapproved'");
    while_exchanged(&place.at(&format!("{dir}/tools.py")), &[&other], || {
        turn += 1;
        if turn % 2 == 0 {
            approved_or_refused("the toolset", &call(), "approved\n");
        }
    });
    let said = call();
    assert_eq!((said.code, said.out.as_str()), (Some(0), "approved\n"), "{}", said.err);
    assert_eq!(place.copies(), Vec::<String>::new());
}

/// What honest scripts do.
const HONEST: &str = r#"#!/bin/sh
. "${0%/*}/lib.sh"
pwd
ls -ld .. . data.txt tools/helper | cut -c1-10
cat data.txt "${0%/*}/../data.txt" data-link.txt linked/inner.txt out.txt
tools/helper
echo "own: $SKILLTREE_SKILL_DIR"
"#;

const TEA: &str = "project/.agents/skills/tea";

fn honest(dir: &str) -> Place {
    let at = |name: &str| format!("/{dir}/{name}");
    let tree = Tree::default()
        .with(&at("SKILL.md"), "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n")
        .with(&at("scripts/all.sh"), HONEST)
        .with(&at("scripts/lib.sh"), "echo library\n")
        .with(&at("scripts/hang.sh"), "#!/bin/sh\necho $$ > \"$1\"\nexec sleep 1000\n")
        .with(&at("scripts/fails.sh"), "#!/bin/sh\nchmod 500 .\nexit 7\n")
        .with(&at("scripts/kettle.cjs"), "console.log(require('kettle'))\n")
        .with(&at("scripts/beside.py"), "import beside_lib\nprint(beside_lib.WORD)\n")
        .with(&at("scripts/beside_lib.py"), "WORD = 'beside'\n")
        .with(&at("node_modules/kettle/index.js"), "module.exports = 'kettle'\n")
        .with(&at("data.txt"), "data\n")
        .with(&at("folder/inner.txt"), "inner\n")
        .with(&at("tools/helper"), "#!/bin/sh\necho helped\n")
        .with_link(&at("data-link.txt"), "data.txt")
        .with_link(&at("linked"), "folder")
        .with_link(&at("nowhere"), "none")
        .with_link(&at("out.txt"), "../../../out.txt")
        .with("/project/out.txt", "out\n")
        .with("/home/out.txt", "out\n")
        .with_dir("/tmp");
    let place = Place::of(tree);
    let helper = place.at(&format!("{dir}/tools/helper"));
    fs::set_permissions(helper, fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(place.at("tmp"), fs::Permissions::from_mode(0o700)).unwrap();
    let echo = place.at(&format!("{dir}/scripts/echo"));
    fs::copy("/bin/sh", &echo).expect("a program");
    fs::set_permissions(echo, fs::Permissions::from_mode(0o755)).unwrap();
    let tmp = place.at("tmp");
    place.env("PATH", PATH).env("TMPDIR", tmp)
}

#[test]
fn honest_scripts_run_in_a_copy_as_in_their_own_folder() {
    let place = honest(TEA);
    place.approve("tea");
    let ran = place.say(&["run", "tea", "all.sh"]);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let dir = lines[1];
    assert!(dir.contains("/skilltree-run-") && dir.ends_with("/tea"), "{dir}");
    let own = format!("own: {}", place.named(TEA));
    let expect = ["data", "data", "data", "inner", "out", "helped", &own];
    assert_eq!(lines[0], "library");
    assert_eq!(lines[2..6], ["drwx------", "drwx------", "-rw-------", "-rwx------"]);
    assert_eq!(lines[6..], expect);
    assert_eq!((place.copies(), Path::new(dir).exists()), (vec![], false), "the copy is gone");

    let ran = place.say(&["run", "tea", "echo", "-c", "echo program"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "program\n"), "a program: {}", ran.err);
    assert_eq!(place.say(&["run", "tea", "fails.sh"]).code, Some(7));
    assert_eq!(place.say(&["run", "--timeout", "1", "tea", "hang.sh", &place.named("pid")]).code, Some(124));
    assert_eq!(place.copies(), Vec::<String>::new(), "also after what failed and what was ended");
    for (name, script, expect) in [("node", "kettle.cjs", "kettle\n"), ("python", "beside.py", "beside\n")] {
        let Some(program) = runtime(name) else { continue };
        let folder = program.parent().expect("a folder").display();
        let ran = said(place.command(&["run", "tea", script]).env("PATH", format!("{folder}:{PATH}")));
        let out = if name == "python" && ran.out.is_empty() { ran.err.clone() } else { ran.out };
        assert_eq!((ran.code, out.as_str()), (Some(0), expect), "{name}: {}", ran.err);
    }
}

/// Runtimes take packages and settings from the folders above a file, and every user can write to `/tmp`.
#[test]
fn copies_lie_where_no_other_user_can_write() {
    let mode = |dir: &Path| dir.metadata().map_or(0, |frontmatter| frontmatter.permissions().mode());
    let is_shared = |dir: &Path| dir.ancestors().any(|dir| mode(dir) & 0o002 != 0);
    let own = Path::new(env!("CARGO_TARGET_TMPDIR")).canonicalize().unwrap();
    if is_shared(&own) || !is_shared(Path::new("/tmp")) {
        return skip(format_args!("`{}` is shared with other users, or `/tmp` is not", own.display()));
    }
    let home = own.join(format!("home-{}", std::process::id()));
    fs::create_dir_all(&home).unwrap();
    for (variable, at) in [("HOME", home.join(".cache/skilltree")), ("TMPDIR", home.clone())] {
        let place = honest(TEA).env("TMPDIR", "/tmp").env("HOME", &home).env(variable, &home);
        place.approve("tea");
        let ran = place.say(&["run", "tea", "all.sh"]);
        let dir = ran.out.lines().nth(1).unwrap_or_default();
        assert!(dir.starts_with(&format!("{}/skilltree-run-", at.display())), "{variable}: {dir}{}", ran.err);
    }
    fs::remove_dir_all(&home).unwrap();
}

#[test]
fn who_is_trusted_runs_in_its_own_folder() {
    for (dir, words) in [("home/.agents/skills/tea", &[][..]), (TEA, &["--trust"])] {
        let place = honest(dir);
        let ran = place.say(&[&["run", "tea", "all.sh"][..1], words, &["tea", "all.sh"]].concat());
        let own = place.at(dir).canonicalize().unwrap();
        let lines: Vec<&str> = ran.out.lines().collect();
        assert_eq!(ran.code, Some(0), "{dir}: {}", ran.err);
        assert_eq!((lines[1], lines.last()), (own.to_str().unwrap(), Some(&"own: ")), "{dir}");
    }
}

#[test]
fn copies_of_killed_runs_are_swept_and_nothing_else_is() {
    let place = honest(TEA);
    place.approve("tea");
    let pid = place.at("pid");
    let mut run = place.command(&["run", "tea", "hang.sh", pid.to_str().unwrap()]);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let script = left_in(&pid);
    let left = place.copies();
    assert_eq!(left.len(), 1);

    let tmp = place.at("tmp");
    let (file, alive) = ("skilltree-run-999999999-file", format!("skilltree-run-{}-alive", std::process::id()));
    let stays = ["other", "skilltree-run-", "skilltree-run-x-y", "skilltree-999999999-1", &alive];
    stays.iter().for_each(|name| fs::create_dir(tmp.join(name)).unwrap());
    fs::write(tmp.join(file), "x").unwrap();
    symlink(place.at("project"), tmp.join("skilltree-run-999999999-link")).unwrap();
    fs::create_dir_all(tmp.join("skilltree-run-999999999-dead/tea")).unwrap();
    symlink(place.at("project"), tmp.join("skilltree-run-999999999-dead/tea/link")).unwrap();
    assert_eq!(place.say(&["run", "tea", "fails.sh"]).code, Some(7));
    let mut expect: Vec<String> = stays.iter().map(|name| (*name).to_owned()).collect();
    expect.extend([file.to_owned(), "skilltree-run-999999999-link".to_owned(), left[0].clone()]);
    expect.sort();
    let copies = || {
        let mut copies = place.copies();
        copies.sort();
        copies
    };
    assert_eq!(copies(), expect, "a copy in use stays too");
    assert!(place.at(&format!("{TEA}/SKILL.md")).exists(), "nothing behind a link is touched");

    run.kill().unwrap();
    run.wait().unwrap();
    assert_eq!(place.say(&["run", "tea", "fails.sh"]).code, Some(7));
    expect.retain(|name| *name != left[0]);
    assert_eq!(copies(), expect, "that of the killed run is gone");
    let _ = std::process::Command::new("kill").args(["-9", &script]).status();
    gone("the script", &script);
}

/// A skill of the user's own, and one of the project's, with their copies for use.
fn with_copies() -> Place {
    let skill = |name: &str| format!("---\nname: {name}\ndescription: It is {name}.\n---\nText.\n");
    let place = Place::with_tmp(&[
        ("/user/skills/personal/mine/SKILL.md", &skill("mine")),
        ("/user/skills/personal/mine/scripts/say.sh", "#!/bin/sh\n. \"${0%/*}/more.sh\"\n"),
        ("/user/skills/personal/mine/scripts/more.sh", "echo approved\n"),
        ("/user/skills/personal/mine/.git/config", "x"),
        ("/project/.daycare/skills/theirs/SKILL.md", &skill("theirs")),
        ("/project/.daycare/skills/theirs/scripts/say.sh", "#!/bin/sh\necho approved\n"),
    ])
    .first(&["--dialect", "daycare", "--user", "../user", "--active", "../user/skills/active"]);
    let said = place.say(&["sync", "--to", "../user/skills/active"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    place
}

#[test]
fn a_copy_for_use_is_run_as_long_as_it_is_what_its_source_is() {
    type Edit = fn(&Path);
    let edits: &[(&str, Edit, &str)] = &[
        (
            "a script",
            |dir| fs::write(dir.join("scripts/say.sh"), "echo unapproved\n").unwrap(),
            "`scripts/say.sh` has changed",
        ),
        (
            "a module",
            |dir| fs::write(dir.join("scripts/more.sh"), "echo unapproved\n").unwrap(),
            "`scripts/more.sh` has changed",
        ),
        (
            "a new file",
            |dir| fs::write(dir.join("scripts/new.sh"), "echo unapproved\n").unwrap(),
            "`scripts/new.sh` is new",
        ),
        ("a file gone", |dir| fs::remove_file(dir.join("scripts/more.sh")).unwrap(), "`scripts/more.sh` is gone"),
        (
            "a text",
            |dir| fs::write(dir.join("SKILL.md"), "---\nname: mine\ndescription: d\n---\nunapproved\n").unwrap(),
            "`SKILL.md` has changed",
        ),
        (
            "a link",
            |dir| {
                fs::rename(dir.join("scripts/more.sh"), dir.join("../../more.sh")).unwrap();
                symlink("../../../more.sh", dir.join("scripts/more.sh")).unwrap();
            },
            "`scripts/more.sh` has changed",
        ),
    ];
    for (case, edit, what) in edits {
        let place = with_copies();
        place.exact(case, &["run", "user:mine", "say.sh"], 0, "approved\n", "");
        edit(&place.at("user/skills/active/user--mine"));
        let said = place.say(&["--json", "run", "user:mine", "say.sh"]);
        assert_eq!((said.code, error_code(&said.json())), (Some(2), Some("copy-differs")), "{case}: {}", said.err);
        let message = field(&said.json(), "error.message");
        assert!(
            message.contains(what) && message.contains("copy the skill again with `skilltree sync --to="),
            "{case}: {message}"
        );
        assert_eq!(place.say(&["--trust", "run", "user:mine", "say.sh"]).code, Some(2), "{case}: trusted or not");
        fs::remove_dir_all(place.at("user/skills/active/user--mine")).unwrap();
        place.say(&["sync", "--to", "../user/skills/active"]);
        place.exact(case, &["run", "user:mine", "say.sh"], 0, "approved\n", "");
    }
}

#[test]
fn a_copy_of_a_skill_that_was_approved_needs_its_approval() {
    let place = with_copies();
    let run = || place.say(&["run", "config:theirs", "say.sh"]);
    assert!(run().err.contains("`skilltree approve config:theirs --dialect daycare"), "{}", run().err);
    place.approve("config:theirs");
    assert_eq!(run().out, "approved\n", "{}", run().err);
    fs::write(place.at("user/skills/active/config--theirs/scripts/say.sh"), "echo unapproved\n").unwrap();
    assert!(run().err.contains("differs from its source"), "{}", run().err);
    fs::write(place.at("user/skills/active/config--theirs/scripts/say.sh"), "#!/bin/sh\necho approved\n").unwrap();
    assert_eq!(run().out, "approved\n", "{}", run().err);
    // The source and the copy are exchanged alike: what both hold now was never approved.
    for dir in ["project/.daycare/skills/theirs", "user/skills/active/config--theirs"] {
        fs::write(place.at(&format!("{dir}/scripts/say.sh")), "echo unapproved\n").unwrap();
    }
    assert!(run().err.contains("its approval is no longer valid"), "{}", run().err);
    assert!(soon(|| place.copies().is_empty()));
}
