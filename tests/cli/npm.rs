//! The npm package, installed from the file that `.ci/npm` made and `SKILLTREE_NPM` names the folder of: its command answers as
//! the native program does, to the byte; its functions are imported and required, with types, and load skills for an agent of
//! the AI SDK; and the native program is preferred where its package is installed.
#![cfg(unix)]

use crate::common::runtimes::{self, runtime};
use crate::common::skip::skip;
use crate::common::{TempDir, root};
use crate::program::{BINARY, PATH, holds, said};
use pretty_assertions::assert_eq;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder in which the package is installed; `None`, and a line about it, where no package or no npm is.
#[track_caller]
fn installed() -> Option<TempDir> {
    let Some(made) = std::env::var_os("SKILLTREE_NPM").filter(|made| !made.is_empty()) else {
        skip("SKILLTREE_NPM names no package");
        return None;
    };
    let package = concat!("skilltree-", env!("CARGO_PKG_VERSION"), ".tgz");
    let place = TempDir::new("npm");
    fs::write(place.path().join("package.json"), r#"{"private": true}"#).unwrap();
    let mut npm = Command::new("npm");
    npm.args(["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts"])
        .arg(Path::new(&made).join(package));
    let said = said(npm.current_dir(place.path()));
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    Some(place)
}

/// The command of the package.
fn command_of(place: &TempDir) -> Command {
    let mut command = Command::new("node");
    command.arg(place.path().join("node_modules/skilltree/cli.mjs"));
    command
}

/// What a command printed and left on the disk: files with their modes.
#[derive(Debug, PartialEq)]
struct Outcome {
    code: Option<i32>,
    out: String,
    err: String,
    files: BTreeMap<PathBuf, (u32, Vec<u8>)>,
}

/// Runs `line` in a shell, in which `skilltree` is the program, in a copy of the example at `ground`, which is the same for both
/// programs, as paths are in their answers.
fn outcome(ground: &Path, program: &str, line: &str) -> Outcome {
    let _ = fs::remove_dir_all(ground);
    copy(&root().join("testdata/example"), ground);
    let manifest = ground.join("project/.claude/skills/pdf-forms/SKILL.md");
    fs::set_permissions(manifest, fs::Permissions::from_mode(0o600)).unwrap();
    symlink("pdf-forms", ground.join("project/.claude/skills/linked")).unwrap();
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &format!("skilltree() {{ {program} \"$@\"; }}; {line}")]).current_dir(ground.join("project"));
    shell.stdin(Stdio::null()).env_clear().env("PATH", PATH).env("HOME", ground.join("home"));
    let told = said(shell.env("SKILLTREE_CONFIG", ground.join("config")));
    let mut files = BTreeMap::new();
    collect(ground, &mut files);
    Outcome { code: told.code, out: told.out, err: told.err, files }
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to)
        } else {
            fs::copy(entry.path(), to).map(drop).unwrap()
        }
    }
}

fn collect(folder: &Path, into: &mut BTreeMap<PathBuf, (u32, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, metadata) = (entry.path(), entry.metadata().unwrap());
        if metadata.is_dir() {
            collect(&path, into);
        }
        let bytes = if metadata.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        into.insert(path, (metadata.permissions().mode(), bytes));
    }
}

/// Commands that read, and commands that write.
const LINES: &[&str] = &[
    "skilltree",
    "skilltree list",
    "skilltree list --json",
    "skilltree tree",
    "skilltree prompt --budget 100",
    "skilltree check",
    "skilltree check --json",
    "skilltree check --format sarif",
    "skilltree check --fix --dry-run",
    "skilltree check --fix",
    "skilltree matrix",
    "skilltree matrix --dialects all --json",
    "skilltree why review",
    "skilltree load pdf-forms --json",
    "skilltree load pdf-form",
    "skilltree invoke /deploy now",
    "skilltree search form",
    "skilltree new tea",
    "skilltree convert pdf-forms --to sven -d .sven/skills",
    "skilltree dialect claude --yaml",
    "skilltree explain name-mismatch",
    "skilltree list --help",
    "skilltree listt",
    "skilltree --dialect ./none.yaml list",
    "skilltree --root .claude/skills list",
    "skilltree state pdf-forms off && skilltree list && skilltree state",
    r#"skilltree call '{"name": "pdf-forms"}' --session s.json && skilltree session s.json reattach"#,
    "skilltree load pdf-forms --receipt r.json && skilltree replay r.json",
    "skilltree lock && skilltree lock --check && skilltree verify",
    "skilltree index .claude/skills/release-notes -o site && skilltree verify site",
    "skilltree pack pdf-forms && skilltree unpack pdf-forms.skill -d unpacked",
    "skilltree approve pdf-forms && skilltree approve pdf-forms --revoke",
    "printf 'form\\ntranscript\\n' | skilltree search --queries - --json",
    "skilltree list | head -n 1",
    "mkdir .claude/skills/$(printf 'a\\377') && cp .claude/skills/deploy/SKILL.md .claude/skills/a*/ && skilltree check",
    "mkfifo .claude/skills/deploy/pipe && rm .claude/skills/deploy/SKILL.md && mkfifo .claude/skills/deploy/SKILL.md && skilltree check",
    "chmod 0 .claude/skills/deploy/SKILL.md && skilltree why deploy",
];

#[test]
fn its_command_answers_as_the_native_program_does() {
    let Some(place) = installed() else { return };
    let ground = TempDir::new("npm-ground");
    let node = said(Command::new("node").args(["-p", "process.execPath"])).out;
    let package = format!("'{}' '{}'", node.trim(), place.path().join("node_modules/skilltree/cli.mjs").display());
    for line in LINES {
        let at = ground.path().join("here");
        let native = outcome(&at, &format!("'{BINARY}'"), line);
        assert_eq!(outcome(&at, &package, line), native, "{line}");
    }
}

/// What needs a process or a server says so before it does anything, and names the program that can do it.
#[test]
fn what_it_cannot_do_says_what_can() {
    let Some(place) = installed() else { return };
    let example = root().join("testdata/example/project");
    let cases: &[(&[&str], &[&str])] = &[
        (&["--trust", "run", "pdf-forms", "fields.py"], &["cannot start processes", "the native program"]),
        (&["mcp"], &["built without the server", "the native program"]),
        (&["lsp"], &["built without the language server", "the native program"]),
    ];
    for (words, expected) in cases {
        let said = said(command_of(&place).args(*words).current_dir(&example));
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{words:?}");
        holds(&format!("{words:?}"), &said.err, expected);
    }
}

#[test]
fn the_native_program_is_preferred() {
    let Some(place) = installed() else { return };
    let platform = said(Command::new("node").args(["-p", "`${process.platform}-${process.arch}`"])).out;
    let folder = place.path().join(format!("node_modules/@skilltree/cli-{}", platform.trim()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("package.json"), r#"{"name": "native", "version": "0.0.0"}"#).unwrap();
    fs::write(folder.join("skilltree"), "#!/bin/sh\necho native \"$@\"\nexit 7\n").unwrap();
    fs::set_permissions(folder.join("skilltree"), fs::Permissions::from_mode(0o755)).unwrap();
    let told = said(command_of(&place).args(["list", "--json"]));
    assert_eq!((told.code, told.out.as_str()), (Some(7), "native list --json\n"), "{}", told.err);
    fs::write(folder.join("skilltree"), "#!/bin/sh\nkill -9 $$\n").unwrap();
    assert_eq!(said(&mut command_of(&place)).code, Some(128 + 9));
}

/// A program that lists the skills of the example by each part of the package.
const PROGRAM: &str = r"
const places = { home: process.argv[2] + '/home', project: process.argv[2] + '/project' };
for (const { discover, list, load } of [full, slim]) {
  const skills = await discover({ dialect: 'claude', places });
  console.log((await list(skills)).skills.map(({ key }) => key).join(' '));
  await load(skills, 'deplo').catch(error => console.log(error.code));
}
";

/// The slim module leaves out what only a repair can read.
const ANSWER: &str =
    "meeting-notes deploy pdf-forms release-notes\nunknown\nmeeting-notes deploy release-notes\nunknown\n";

#[test]
fn its_functions_are_imported_and_required() {
    let Some(place) = installed() else { return };
    let imports = "import * as full from 'skilltree';\nimport * as slim from 'skilltree/slim';\n";
    let requires = "const full = require('skilltree');\nconst slim = require('skilltree/slim');\n";
    let modules =
        [("a.mjs", format!("{imports}{PROGRAM}")), ("a.cjs", format!("{requires}(async () => {{{PROGRAM}}})();"))];
    for (name, text) in modules {
        fs::write(place.path().join(name), text).unwrap();
        let told = said(Command::new("node").arg(name).arg(root().join("testdata/example")).current_dir(place.path()));
        assert_eq!((told.code, told.out.as_str()), (Some(0), ANSWER), "{name}: {}", told.err);
    }
}

/// A program that any of these would refuse where the types are wrong.
const TYPED: &str = "
import { discover, prompt, search, SkillTree, type Skill } from 'skilltree';
import { discover as slim, why } from 'skilltree/slim';
export async function main(): Promise<string> {
  const skills: SkillTree = await discover({ dialect: 'claude', reading: 'faithful' });
  const first: Skill | undefined = (await skills.list()).skills[0];
  const { hits } = await search(skills, 'tea', { limit: 3 });
  const { outcomes } = await why(await slim(), 'tea');
  // @ts-expect-error the budget is a number
  await prompt(skills, { budget: 'much' });
  return `${first?.key} ${hits.length} ${outcomes.length} ${(await prompt(skills)).text}`;
}
";

/// What is said behind `// →` in the README is what is printed.
#[test]
fn the_example_of_the_readme_runs() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let (_, code) = readme.split_once("```javascript\n").expect("an example");
    let (code, _) = code.split_once("```").expect("its end");
    let promised: Vec<&str> = code.lines().filter_map(|line| Some(line.split_once("// → ")?.1)).collect();
    assert!(!promised.is_empty(), "it promises something");
    let Some(place) = installed() else { return };
    let example = place.path().join("example.mjs");
    fs::write(&example, code).unwrap();
    let ground = root().join("testdata/example");
    let mut node = Command::new("node");
    node.arg(example).current_dir(ground.join("project")).env("HOME", ground.join("home"));
    let told = said(&mut node);
    assert_eq!((told.code, told.out.lines().collect()), (Some(0), promised), "{}", told.err);
}

#[test]
fn it_has_types() {
    let Some(place) = installed() else { return };
    let Some(compiler) = runtime("tsc") else { return };
    fs::write(place.path().join("typed.mts"), TYPED).unwrap();
    fs::write(
        place.path().join("typed.cts"),
        "import skilltree = require('skilltree');\nexport const text: Promise<string> = skilltree.discover().then(async skills => \
         (await skilltree.prompt(skills)).text);\n",
    )
    .unwrap();
    let cases: &[&[&str]] = &[
        &["--module", "node16", "typed.mts", "typed.cts"],
        &["--module", "nodenext", "typed.mts", "typed.cts"],
        &["--module", "esnext", "--moduleResolution", "bundler", "typed.mts"],
    ];
    for words in cases {
        let mut tsc = Command::new(&compiler);
        tsc.args(["--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,dom"]).args(*words);
        let told = said(tsc.current_dir(place.path()));
        assert_eq!((told.code, told.out.as_str()), (Some(0), ""), "{words:?}: {}", told.err);
    }
}

/// The example for the AI SDK, whose own package is beside the installed one.
#[test]
fn an_agent_of_the_ai_sdk_loads_skills() {
    let Some(place) = installed() else { return };
    let (Some(node), Some(ai)) = (runtime("node"), runtimes::installed("node_modules/ai")) else { return };
    fs::copy(root().join("tests/examples/ai_sdk.mjs"), place.path().join("ai_sdk.mjs")).unwrap();
    // Node looks for what a linked package needs beside the package itself.
    symlink(ai, place.path().join("node_modules/ai")).unwrap();
    let example = root().join("testdata/example");
    let mut node = Command::new(node);
    node.arg(place.path().join("ai_sdk.mjs")).current_dir(example.join("project"));
    let told = said(node.env_clear().env("PATH", PATH).env("HOME", example.join("home")));
    assert_eq!((told.code, told.out.as_str()), (Some(0), "5 calls are answered\n"), "{}", told.err);
}

/// Paths of Windows, which its file system is asked for in its own form.
#[test]
fn paths_of_windows_are_translated_both_ways() {
    let paths = root().join("src/npm/paths.mjs");
    let script = format!(
        "import {{ guestPath, hostPath }} from '{}';
         const guests = ['C:\\\\Users\\\\me', 'd:/x', 'C:', 'a\\\\b', '/c/x', '--json'];
         console.log(guests.map(path => guestPath(path, 'win32')).join(' '));
         console.log(['/C:/Users/me', '//C:/x', '/C:', '/', '/etc/x', '/Ca:/x'].map(path => hostPath(path, 'win32')).join(' '));
         console.log(guestPath('C:\\\\x', 'linux'), hostPath('/C:/x', 'linux'));",
        paths.display()
    );
    if Command::new("node").arg("--version").output().is_err() {
        return skip("there is no node");
    }
    let told = said(Command::new("node").args(["--input-type=module", "-e", &script]));
    let expected = "/C:/Users/me /d:/x C: a\\b /c/x --json\nC:/Users/me C:/x C: / /etc/x /Ca:/x\nC:\\x /C:/x\n";
    assert_eq!((told.code, told.out.as_str()), (Some(0), expected), "{}", told.err);
}
