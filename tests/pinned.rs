//! What runs is what was approved: files are exchanged at each single moment between the question for trust and the
//! run, and what was not approved is neither granted nor run. And trust that is gone ends what runs by it.
#![cfg(all(unix, feature = "processes"))]

use crate::common;

use common::ground::table;
use common::living::{gone, left_in};
use common::runtimes::runtime;
use common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::fs::{Entry, FilePrefix, Metadata};
use skilltree::host::{CancelToken, CommandOutput, HostError, Limits, Programs, ToolRegistry, Toolset};
use skilltree::loading::{ScriptPlan, ToolsetPlans};
use skilltree::package::{Contents, Purpose};
use skilltree::{
    Fs, FsError, FsPath, Host, Invocation, Json, LoadRequest, MemFs, OsFs, Permission, Places, Skill, Trust, World,
    commands, discover, invoke, load,
};
use std::cell::{Cell, RefCell};

use std::fs;
use std::path::{Path, PathBuf};

/// What no output and no grant may ever hold.
const CANARY: &str = "unapproved";

/// A file system on which something happens before a call: by the number of the call, from 0.
struct Watched<'a, F> {
    fs: F,
    calls: Cell<usize>,
    before: Box<dyn Fn(usize) + 'a>,
}

impl<'a, F: Fs> Watched<'a, F> {
    fn new(fs: F, before: impl Fn(usize) + 'a) -> Watched<'a, F> {
        Watched { fs, calls: Cell::new(0), before: Box::new(before) }
    }

    fn fs(&self) -> &F {
        let call = self.calls.get();
        self.calls.set(call + 1);
        (self.before)(call);
        &self.fs
    }
}

impl<F: Fs> Fs for Watched<'_, F> {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.fs().list(dir)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.fs().read(file, at_most)
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.fs().metadata(path)
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        self.fs().canonical(path)
    }

    fn read_within(&self, root: &FsPath, rel: &str, at_most: u64) -> Result<FilePrefix, FsError> {
        self.fs().read_within(root, rel, at_most)
    }
}

/// Two trees, of which one is there.
struct Two {
    trees: [MemFs; 2],
    now: Cell<usize>,
}

impl Fs for &Two {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.trees[self.now.get()].list(dir)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.trees[self.now.get()].read(file, at_most)
    }
}

/// A host whose user has approved what has this digest, as the command line asks for it: at each question anew.
struct Approving<'a> {
    fs: &'a dyn Fs,
    approved: skilltree::Digest,
}

impl Host for Approving<'_> {
    fn trusts(&self, skill: &Skill) -> Trust {
        match Contents::of(&World::new(self.fs, &Places::default(), &()), skill, Purpose::Approve) {
            Ok(now) if now.digest() == self.approved => now.trust(skill),
            _ => Trust::No(Some("its approval is no longer valid".to_owned())),
        }
    }

    fn holds(&self, _: &Permission) -> bool {
        true
    }
}

/// The digest of the only skill's folder.
fn digest(fs: &dyn Fs, places: &Places, dialect: &str) -> skilltree::Digest {
    let world = World::new(fs, places, &());
    let catalog = discover(&world, &table(dialect));
    Contents::of(&world, &catalog.skills()[0], Purpose::Approve).unwrap().digest()
}

fn project() -> Places {
    Places { project: Some(path("/p")), ..Places::default() }
}

/// What of a text counts at the first look, each time that it is exchanged at another moment: `ask` says what is
/// granted or would be run. Gives all that counted.
fn texts(
    dialect: &str,
    at: &str,
    texts: [&str; 2],
    ask: impl Fn(&World<'_>, &skilltree::Catalog) -> Vec<String>,
) -> Vec<Vec<String>> {
    let tree = |text: &str| Tree::default().with(at, text).with("/p/out.txt", "out").mem();
    let approved = digest(&tree(texts[0]), &project(), dialect);
    let mut counted = Vec::new();
    for first in [0, 1] {
        for moment in 0_usize.. {
            let two = Two { trees: texts.map(tree), now: Cell::new(first) };
            let fs = Watched::new(&two, |call| {
                if call == moment {
                    two.now.set(1 - first);
                }
            });
            let (places, host) = (project(), Approving { fs: &fs, approved });
            let world = World::new(&fs, &places, &host);
            let catalog = discover(&World::new(&tree(texts[first]), &places, &host), &table(dialect));
            counted.push(ask(&world, &catalog));
            if fs.calls.get() <= moment {
                break;
            }
        }
    }
    counted
}

#[track_caller]
fn only_approved(counted: &[Vec<String>], approved: &[&str]) {
    assert!(10 < counted.len(), "there are moments to exchange a file at");
    assert!(counted.iter().any(|counted| counted == approved), "what was approved counts: {counted:?}");
    assert!(counted.iter().any(Vec::is_empty), "nothing else does");
    let others: Vec<_> = counted.iter().filter(|counted| !counted.is_empty() && *counted != approved).collect();
    assert_eq!(others, Vec::<&Vec<String>>::new());
}

#[test]
fn tools_are_granted_by_the_text_that_was_approved() {
    let text = |tools: &str| format!("---\nname: tea\ndescription: Makes tea.\nallowed-tools: {tools}\n---\nBoil.\n");
    let (approved, other) = (text("Read"), text("unapproved"));
    for already in [vec![], vec!["tea".to_owned()]] {
        let counted = texts("agentskills", "/p/.agents/skills/tea/SKILL.md", [&approved, &other], |world, catalog| {
            let mut ask = LoadRequest::new(skilltree::Caller::User);
            ask.already_loaded.clone_from(&already);
            load(world, catalog, &catalog.skills()[0], &ask).map_or_else(|_| vec![], |loaded| loaded.tools.unwrap())
        });
        only_approved(&counted, &["Read"]);
    }
}

#[test]
fn commands_are_those_of_the_text_that_was_approved() {
    let text = |word: &str| format!("---\nname: now\ndescription: Says it.\n---\nNow !`echo {word}`\n");
    let (approved, other) = (text("approved"), text(CANARY));
    let counted =
        texts("claude", "/p/.claude/skills/now/SKILL.md", [&approved, &other], |world, catalog| {
            match invoke(world, catalog, &commands(catalog, &[]), "/now") {
                Ok(Some(Invocation::Pending(pending))) if pending.trusted().is_ok() => pending.commands,
                _ => vec![],
            }
        });
    only_approved(&counted, &["echo approved"]);
}

#[test]
fn agents_are_given_the_permissions_of_the_text_that_was_approved() {
    let text = |tag: &str| {
        format!("---\nname: box\ndescription: Box.\nsandbox: true\npermissions: ['@read:/{tag}']\n---\nBox.\n")
    };
    let (approved, other) = (text("approved"), text(CANARY));
    let counted =
        texts(
            "daycare",
            "/p/.daycare/skills/box/SKILL.md",
            [&approved, &other],
            |world, catalog| match skilltree::call(world, catalog, "{\"name\": \"config:box\", \"prompt\": \"x\"}") {
                Ok(Invocation::Fork(fork)) => fork.granted().to_vec(),
                _ => vec![],
            },
        );
    only_approved(&counted, &["@read:/approved"]);
}

const TEA: &str = "p/.agent/skills/tea";
const SKILL: &str = "---\nname: tea\ndescription: Makes tea.\ntoolsets: [\"tools:TOOLS\"]\n---\nBoil water.\n";
const SCRIPT: &str = "#!/bin/sh\n. \"${0%/*}/more.sh\"\ncat data.txt\n";
const TOOLS: &str = "import more\n\ndef say() -> str:\n    return more.WORD\n\nTOOLS = [say]\n";

/// A project's skill, and in `other` what takes its place.
struct Ground {
    disk: OsFs,
    folder: common::TempDir,
    places: Places,
    approved: skilltree::Digest,
}

impl Ground {
    /// The skill but for these files, with `{root}` for the folder that all lies in.
    fn new(other: &[(&str, &str)]) -> Ground {
        let good = [
            ("SKILL.md", SKILL),
            ("scripts/say.sh", SCRIPT),
            ("scripts/more.sh", "echo approved\n"),
            ("data.txt", "data\n"),
            ("tools.py", TOOLS),
            ("more.py", "WORD = 'approved'\n"),
        ];
        let mut tree = Tree::default().with("/evil.sh", format!("#!/bin/sh\necho {CANARY}\n"));
        for (name, text) in good {
            tree = tree.with(&format!("/{TEA}/{name}"), text).with(&format!("/other/{name}"), text);
        }
        let folder = tree.folder();
        let root = folder.path().to_str().unwrap().to_owned();
        make_program(&folder.path().join("evil.sh"));
        for (name, text) in other {
            let at = folder.path().join("other").join(name);
            let _ = fs::remove_file(&at);
            match text.strip_prefix("-> ") {
                Some(target) => std::os::unix::fs::symlink(target.replace("{root}", &root), &at).unwrap(),
                None => fs::write(&at, text.replace("{root}", &root)).unwrap(),
            }
        }
        let disk = OsFs::new();
        let places = Places { project: disk.parse(&format!("{root}/p"), &FsPath::root()), ..Places::default() };
        let approved = digest(&disk, &places, "agent-base");
        Ground { disk, folder, places, approved }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts the other folder in the place of the skill's, and this one in its.
    fn exchange(&self) {
        fs::rename(self.at(TEA), self.at("aside")).unwrap();
        fs::rename(self.at("other"), self.at(TEA)).unwrap();
        fs::rename(self.at("aside"), self.at("other")).unwrap();
    }

    /// What is said each time that the folders are exchanged at another moment: for good, or back so many calls
    /// later; and from the start, up to that moment.
    fn each_moment(&self, say: impl Fn(&World<'_>, &skilltree::Catalog) -> Result<String, HostError>) -> Vec<String> {
        let mut said = Vec::new();
        for back_after in [None, Some(1), Some(4), Some(usize::MAX)] {
            for moment in 0_usize.. {
                let exchanged = Cell::new(back_after == Some(usize::MAX));
                if exchanged.get() {
                    self.exchange();
                }
                let fs = Watched::new(self.disk.clone(), |call| {
                    let is_back = back_after.and_then(|after| moment.checked_add(after)) == Some(call);
                    if call == moment || is_back {
                        self.exchange();
                        exchanged.set(!exchanged.get());
                    }
                });
                let host = Approving { fs: &fs, approved: self.approved };
                let catalog = discover(&World::new(&self.disk, &self.places, &host), &table("agent-base"));
                let one = say(&World::new(&fs, &self.places, &host), &catalog);
                said.push(one.unwrap_or_else(|error| format!("{}: {error}", error.code())));
                if exchanged.get() {
                    self.exchange();
                }
                if fs.calls.get() <= moment {
                    break;
                }
            }
        }
        said
    }
}

fn make_program(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

#[track_caller]
fn nothing_else(case: &str, said: &[String], approved: &str) {
    assert!(20 < said.len(), "{case}: there are moments to exchange a file at");
    assert!(said.iter().any(|said| said == approved), "{case}: what was approved is run: {said:?}");
    assert!(said.iter().any(|said| said.starts_with("untrusted: ")), "{case}: what is exchanged is refused: {said:?}");
    let others: Vec<_> = said.iter().filter(|said| said.contains(CANARY)).collect();
    assert_eq!(others, Vec::<&String>::new(), "{case}");
}

/// What may take the place of the skill's files.
const OTHERS: &[(&str, &[(&str, &str)])] = &[
    ("the script", &[("scripts/say.sh", "#!/bin/sh\necho unapproved\n")]),
    ("its interpreter", &[("scripts/say.sh", "#!{root}/evil.sh\n")]),
    ("a module", &[("scripts/more.sh", "echo unapproved\n"), ("more.py", "WORD = 'unapproved'\n")]),
    ("data", &[("data.txt", "unapproved\n")]),
    ("a link out", &[("scripts/say.sh", "-> {root}/evil.sh")]),
    ("a folder's link out", &[("scripts/more.sh", "-> {root}/evil.sh")]),
    ("the toolset", &[("tools.py", "def say() -> str:\n    return 'unapproved'\n\nTOOLS = [say]\n")]),
    ("a new file", &[("more.sh", "echo unapproved\n")]),
];

#[test]
fn scripts_are_run_as_they_were_approved() {
    for (case, other) in OTHERS {
        let ground = Ground::new(other);
        let said = ground.each_moment(|world, catalog| {
            let plan = ScriptPlan::of(world, catalog, &catalog.skills()[0], "say.sh", &[])?;
            let ran = plan.run(&ground.disk, &Limits::default(), &CancelToken::new())?;
            Ok(String::from_utf8_lossy(&[ran.output, ran.errors].concat()).into_owned())
        });
        nothing_else(case, &said, "approved\ndata\n");
    }
}

/// The Python of the runtimes alone.
fn python() -> Option<Programs> {
    Some(Programs::new(runtime("python")?.parent()?.as_os_str()))
}

#[test]
fn toolsets_are_loaded_as_they_were_approved() {
    let Some(programs) = python() else { return };
    // Each moment starts Python, so these are the files that a toolset is made of alone.
    for (case, other) in OTHERS.iter().filter(|(case, _)| matches!(*case, "a module" | "the toolset")) {
        let ground = Ground::new(other);
        let said = ground.each_moment(|world, catalog| {
            let plan = ToolsetPlans::of(world, catalog, &catalog.skills()[0])?.plans.remove(0);
            let mut toolset = Toolset::new(&ground.disk, plan, &programs, Limits::default());
            toolset
                .call(world, catalog, "say", &Json::parse("{}").unwrap(), &CancelToken::new())
                .map(|said| said.output)
        });
        nothing_else(case, &said, "approved");
    }
}

#[test]
fn what_is_exchanged_after_it_was_planned_is_refused() {
    for (case, other) in OTHERS {
        let ground = Ground::new(other);
        let host = Approving { fs: &ground.disk, approved: ground.approved };
        let world = World::new(&ground.disk, &ground.places, &host);
        let catalog = discover(&world, &table("agent-base"));
        let plan = ScriptPlan::of(&world, &catalog, &catalog.skills()[0], "say.sh", &[]).unwrap();
        ground.exchange();
        let refused = plan.run(&ground.disk, &Limits::default(), &CancelToken::new()).unwrap_err();
        assert!(
            refused.code() == "untrusted" && refused.to_string().contains("its approval is no longer valid"),
            "{case}: {refused}"
        );
        ground.exchange();
        assert!(plan.run(&ground.disk, &Limits::default(), &CancelToken::new()).is_ok(), "{case}");
    }
}

#[test]
fn commands_find_the_approved_files_by_their_variable() {
    let text = "---\ndescription: D\n---\n!`sh ${CLAUDE_SKILL_DIR}/say.sh; echo $SKILLTREE_SKILL_DIR`\n";
    let tree = Tree::default().with("/p/.claude/skills/now/SKILL.md", text);
    let (disk, folder) = tree.with("/p/.claude/skills/now/say.sh", "echo approved; pwd\n").disk();
    let host = Approving { fs: &disk, approved: digest(&disk, &project(), "claude") };
    let (places, file) = (project(), folder.path().join("p/.claude/skills/now/say.sh"));
    let world = World::new(&disk, &places, &host);
    let catalog = discover(&world, &table("claude"));
    let Ok(Some(Invocation::Pending(pending))) = invoke(&world, &catalog, &commands(&catalog, &[]), "/now") else {
        panic!("commands are to be run");
    };
    let run = || pending.run(&disk, &path("/p"), &Limits::default(), &CancelToken::new());
    let said = run().unwrap().iter().map(CommandOutput::text).collect::<String>();
    let real = folder.path().canonicalize().unwrap();
    let own = folder.path().join("p/.claude/skills/now");
    assert_eq!(said, format!("approved\n{}\n{}", real.join("p").display(), own.display()));
    fs::write(&file, "echo unapproved\n").unwrap();
    let refused = run().unwrap_err();
    assert!(
        refused.code() == "untrusted" && refused.to_string().contains("its approval is no longer valid"),
        "{refused}"
    );
}

/// A host whose answer the test gives, and how often it was asked.
struct Told(RefCell<Trust>, Cell<usize>);

impl Told {
    fn new(trust: Trust) -> Told {
        Told(RefCell::new(trust), Cell::new(0))
    }
}

impl Host for Told {
    fn trusts(&self, _: &Skill) -> Trust {
        self.1.set(self.1.get() + 1);
        self.0.borrow().clone()
    }

    fn holds(&self, _: &Permission) -> bool {
        true
    }
}

/// The answer may take the host a look at every file of the skill.
#[test]
fn a_call_asks_for_trust_once() {
    let texts = [
        (
            "claude",
            "/p/.claude/skills/a/SKILL.md",
            "allowed-tools: Read\ncontext: fork",
            "!`true`",
            r#"{"skill": "KEY"}"#,
        ),
        (
            "daycare",
            "/p/.daycare/skills/a/SKILL.md",
            "sandbox: true\npermissions: ['@network']",
            "",
            r#"{"name": "KEY", "prompt": "x"}"#,
        ),
    ];
    for (dialect, at, fields, body, arguments) in texts {
        let text = format!("---\nname: a\ndescription: A.\n{fields}\n---\n{body}\n");
        let fs = Tree::default().with(at, text).with(&at.replace("SKILL.md", "scripts/a.sh"), "").mem();
        for trust in [Trust::Yes, Trust::No(None)] {
            let (places, host) = (project(), Told::new(trust));
            let world = World::new(&fs, &places, &host);
            let catalog = discover(&world, &table(dialect));
            let skill = &catalog.skills()[0];
            let arguments = arguments.replace("KEY", &skill.key);
            assert!(skilltree::call(&world, &catalog, &arguments).is_ok(), "{dialect}");
            assert_eq!(host.1.replace(0), 1, "{dialect}: called");
            let _ = ScriptPlan::of(&world, &catalog, skill, "a.sh", &[]);
            assert_eq!(host.1.get(), 1, "{dialect}: a script");
        }
    }
}

#[test]
fn trust_that_is_gone_ends_a_toolset() {
    let Some(programs) = python() else { return };
    let tools = "import os\n\ndef pid() -> str:\n    open(os.environ['SKILLTREE_SKILL_DIR'] + '/../pid', 'w').write(f'{os.getpid()}\\n')\n    \
         return 'left'\n\nTOOLS = [pid]\n";
    let ground = Ground::new(&[]);
    fs::write(ground.at(TEA).join("tools.py"), tools).unwrap();
    let host = Told::new(Trust::Yes);
    let world = World::new(&ground.disk, &ground.places, &host);
    let catalog = discover(&world, &table("agent-base"));
    let skill = &catalog.skills()[0];
    let now = Contents::of(&world, skill, Purpose::Approve).unwrap();
    let approved = now.trust(skill);
    let (empty, stop) = (Json::parse("{}").unwrap(), CancelToken::new());
    let pid_file = ground.at(TEA).join("../pid");
    let pid = || {
        let pid = left_in(&pid_file);
        fs::remove_file(&pid_file).unwrap();
        pid
    };
    let plans = || {
        host.0.replace(approved.clone());
        ToolsetPlans::of(&world, &catalog, skill).unwrap().plans
    };

    let mut toolset = Toolset::new(&ground.disk, plans().remove(0), &programs, Limits::default());
    assert_eq!(toolset.call(&world, &catalog, "pid", &empty, &stop).unwrap().output, "left");
    let first = pid();
    assert_eq!(toolset.call(&world, &catalog, "pid", &empty, &stop).unwrap().output, "left");
    assert_eq!(pid(), first, "the process stays");
    host.1.set(0);
    toolset.call(&world, &catalog, "pid", &empty, &stop).unwrap();
    assert_eq!((host.1.get(), pid()), (1, first.clone()), "each call asks once");
    host.0.replace(Trust::No(None));
    assert_eq!(toolset.call(&world, &catalog, "pid", &empty, &stop).unwrap_err().code(), "untrusted");
    gone("a toolset that is called", &first);
    assert!(!pid_file.exists(), "it was not called");
    assert_eq!(toolset.tools(&world, &catalog, &stop).unwrap_err().code(), "untrusted", "it is not started again");
    host.0.replace(approved.clone());
    toolset.call(&world, &catalog, "pid", &empty, &stop).unwrap();
    let second = pid();
    host.0.replace(Trust::No(Some("its approval is no longer valid: `x` is new".to_owned())));
    let refused = toolset.renew(&world, &catalog).unwrap_err();
    assert!(refused.to_string().contains("`x` is new"), "{refused}");
    gone("a toolset that is only looked after", &second);

    let mut registry = ToolRegistry::new(&ground.disk, plans(), &programs, Limits::default());
    registry.call(&world, &catalog, "pid", &empty, &stop).unwrap();
    let first = pid();
    host.0.replace(Trust::No(None));
    assert_eq!(registry.call(&world, &catalog, "pid", &empty, &stop).unwrap_err().code(), "untrusted");
    gone("a tool that is called by name", &first);
    host.0.replace(approved);
    registry.call(&world, &catalog, "pid", &empty, &stop).unwrap();
    let second = pid();
    host.0.replace(Trust::No(None));
    assert_eq!(registry.tools(&world, &catalog, &stop).unwrap_err().code(), "untrusted");
    gone("tools that are listed", &second);
    assert_eq!(registry.call(&world, &catalog, "pid", &empty, &stop).unwrap_err().code(), "untrusted");
}
