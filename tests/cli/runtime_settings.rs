//! Settings of folders above a skill, which no approval covers, and what runs all the same: the skill's own files.
//! Each case puts a settings file there that would have the runtime load a file of the project's.
#![cfg(unix)]

use crate::common;

use crate::program::{PATH, Place, Said};
use common::Tree;
use common::runtimes::runtime;
use pretty_assertions::assert_eq;
use skilltree::host::Programs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The skill's folder, below each of the folders that are attacked from.
const SKILL: &str = "/project/.agent/skills/tea";
const ABOVE: &[(&str, &str)] = &[("/project", ".agent/skills/tea"), ("/project/.agent/skills", "tea")];

/// A file of the project's that no skill names.
const EVIL: (&str, &str) =
    ("evil.mjs", "console.log('EVIL'); export const leaf = 'EVIL'; export const kettle = 'EVIL';");

/// What the skill has besides the file that is started.
const MODULES: &[(&str, &str)] =
    &[("scripts/leaf.mjs", "export const leaf = 'honest';"), ("scripts/leaf.py", "leaf = 'honest'")];

/// A package that the skill brings along.
const PACKAGE: &[(&str, &str)] = &[
    ("package.json", r#"{"dependencies": {"kettle": "*"}}"#),
    ("node_modules/kettle/index.js", "exports.kettle = 'honest';"),
    ("node_modules/kettle/package.json", r#"{"name": "kettle", "version": "1.0.0", "main": "index.js"}"#),
];

/// A module beside the script, the package, and a name that the skill has nothing of.
const IMPORTS: &str = "import { leaf } from './leaf.mjs';
const found = (name) => import(name).then(({ leaf, kettle }) => leaf ?? kettle, () => 'none');
const all = `${leaf} ${await found('kettle')} ${await found('absent')}`;
";
const SCRIPT: &str = "console.log(all);\n";
const TOOLSET: &str = "export const X = { see: () => all };\n";

const PYTHON: &str = "import leaf, json, random
try:
    import absent
    absent = absent.leaf
except ImportError:
    absent = 'none'
all = f'{leaf.leaf} none {absent}'
";
const PYTHON_SCRIPT: &str = "print(all)\n";
const PYTHON_TOOLSET: &str = "def see() -> str:\n    return all\nX = [see]\n";

const SHELL: &str = "echo honest \"$(printf none)\" \"${ABSENT:-none}\"\n";

/// A way in which something of a skill is started.
struct Start {
    file: &'static str,
    text: String,
    is_toolset: bool,
}

fn script(file: &'static str, parts: &[&str]) -> Start {
    Start { file, text: parts.concat(), is_toolset: false }
}

fn toolset(file: &'static str, parts: &[&str]) -> Start {
    Start { file, text: parts.concat(), is_toolset: true }
}

/// Scripts by their ending and by their first line, and toolsets.
fn starts(runtime: &str) -> Vec<Start> {
    let line = |file, line, text: &[&str]| script(file, &[&[line, "\n"], text].concat());
    let all = [IMPORTS, SCRIPT];
    match runtime {
        "bun" => vec![
            script("scripts/a.ts", &all),
            line("scripts/bun", "#!/usr/bin/env bun", &all),
            line("scripts/bun-run.ts", "#!/usr/bin/env -S bun run --silent", &all),
            toolset("scripts/t.ts", &[IMPORTS, TOOLSET]),
        ],
        "deno" => vec![
            script("scripts/a.ts", &all),
            line("scripts/deno-run.ts", "#!/usr/bin/env -S deno run -A", &all),
            line("scripts/deno.ts", "#!/usr/bin/env -S deno -A", &all),
            toolset("scripts/t.ts", &[IMPORTS, TOOLSET]),
        ],
        "node" => vec![
            script("scripts/a.ts", &all),
            script("scripts/a.mjs", &all),
            line("scripts/node.mjs", "#!/usr/bin/env node", &all),
            line("scripts/node-options.mjs", "#!/usr/bin/env -S node --no-warnings", &all),
            toolset("scripts/t.ts", &[IMPORTS, TOOLSET]),
        ],
        "python3" => vec![
            script("scripts/a.py", &[PYTHON, PYTHON_SCRIPT]),
            line("scripts/python", "#!/usr/bin/env python3", &[PYTHON, PYTHON_SCRIPT]),
            line("scripts/python-u", "#!/usr/bin/env -S python3 -u", &[PYTHON, PYTHON_SCRIPT]),
            toolset("scripts/t.py", &[PYTHON, PYTHON_TOOLSET]),
        ],
        _ => vec![
            script("scripts/a.sh", &[SHELL]),
            line("scripts/sh", "#!/bin/sh", &[SHELL]),
            line("scripts/bash", "#!/usr/bin/env bash", &[SHELL]),
        ],
    }
}

/// The program of a runtime; none, and a word about it, where it is not there.
fn program(name: &str) -> Option<PathBuf> {
    match name {
        "python3" => Programs::of_environment().find("python3").or_else(|| runtime("python")),
        "bash" => Some(PathBuf::from("/bin/bash")),
        _ => runtime(name),
    }
}

/// A project with these files, and nothing in PATH but one program and what it needs.
fn place(tree: Tree, name: &'static str, program: &Path) -> Place {
    let place = Place::of(tree.with_dir("/bin")).first(&["--dialect", "agent-base"]);
    std::os::unix::fs::symlink(program, place.at("bin").join(name)).unwrap();
    // What stands in PATH as Python may be a script of a version manager's.
    let more = if name == "python3" { PATH } else { "" };
    let path = format!("{}:{more}", place.at("bin").display());
    place.env("PATH", path)
}

impl Start {
    /// A skill that has this.
    fn skill(&self, own: &[(&str, &str)]) -> Tree {
        let toolsets = if self.is_toolset { format!("toolsets: [\"{}:X\"]\n", self.file) } else { String::new() };
        let tree = Tree::default()
            .with(&format!("{SKILL}/SKILL.md"), format!("---\nname: tea\ndescription: Makes tea.\n{toolsets}---\n"))
            .with(&format!("{SKILL}/{}", self.file), self.text.as_str());
        own.iter().fold(tree, |tree, (name, text)| tree.with(&format!("{SKILL}/{name}"), *text))
    }

    fn say(&self, place: &Place, trust: &[&str]) -> Said {
        let words: &[&str] = match self.file.strip_prefix("scripts/") {
            Some(name) if !self.is_toolset => &["run", "tea", name],
            _ => &["toolset", "call", "tea", "see", "{}"],
        };
        place.say(&[trust, words].concat())
    }

    /// What it prints; a toolset's answer has no line end of its own.
    fn output(&self, place: &Place, trust: &[&str]) -> String {
        let said = self.say(place, trust);
        format!(
            "{}{}",
            said.out,
            if said.code == Some(0) { String::new() } else { format!("{:?} {}", said.code, said.err) }
        )
    }
}

/// Settings: the name of the file, its text, and others that it leads to. `SKILL` in it is the way to the skill.
type Settings = &'static [(&'static str, &'static str)];

const BUN: &[Settings] = &[
    &[("tsconfig.json", r#"{"compilerOptions": {"paths": {"*": ["./evil.mjs"]}}}"#)],
    &[("jsconfig.json", r#"{"compilerOptions": {"paths": {"*": ["./evil.mjs"]}}}"#)],
    &[("tsconfig.json", r#"{"compilerOptions": {"baseUrl": ".", "paths": {"absent": ["evil.mjs"]}}}"#)],
    &[
        ("tsconfig.json", r#"{"compilerOptions": {"baseUrl": "./stolen"}}"#),
        ("stolen/absent.js", "export const leaf = 'EVIL';"),
        ("stolen/kettle.js", "export const kettle = 'EVIL';"),
    ],
    &[
        ("tsconfig.json", r#"{"extends": "./base.json"}"#),
        ("base.json", r#"{"compilerOptions": {"paths": {"*": ["./evil.mjs"]}}}"#),
    ],
    &[("bunfig.toml", "preload = [\"./evil.mjs\"]\n")],
    &[(".bunfig.toml", "preload = [\"./evil.mjs\"]\n")],
    &[(".env", "BUN_OPTIONS=--preload=./evil.mjs\nNODE_OPTIONS=--import=./evil.mjs\nNODE_PATH=.\n")],
    &[(".npmrc", "node-options=--import=./evil.mjs\n")],
    &[(
        "package.json",
        r#"{"scripts": {"a.ts": "echo EVIL", "prebun": "echo EVIL"}, "bun": {"preload": ["./evil.mjs"]}}"#,
    )],
];

const DENO: &[Settings] = &[
    &[("deno.json", r#"{"imports": {"absent": "./evil.mjs", "kettle": "./evil.mjs"}}"#)],
    &[("deno.jsonc", "{ // settings\n\"imports\": {\"absent\": \"./evil.mjs\"}}")],
    &[("deno.json", r#"{"imports": {"./SKILL/scripts/leaf.mjs": "./evil.mjs"}}"#)],
    &[("deno.json", r#"{"importMap": "./map.json"}"#), ("map.json", r#"{"imports": {"absent": "./evil.mjs"}}"#)],
    &[("deno.json", r#"{"scopes": {"./SKILL/": {"./SKILL/scripts/leaf.mjs": "./evil.mjs"}}}"#)],
    &[("deno.json", r#"{"workspace": ["./SKILL"], "imports": {"absent": "./evil.mjs"}}"#)],
    &[
        ("deno.json", r#"{"workspace": ["./stolen"]}"#),
        ("stolen/deno.json", r#"{"name": "absent", "version": "1.0.0", "exports": "./leaf.mjs"}"#),
        ("stolen/leaf.mjs", "export const leaf = 'EVIL';"),
    ],
    &[("deno.lock", "no lock"), (".npmrc", "registry=http://127.0.0.1:9/\n"), ("import_map.json", "{")],
    &[("tsconfig.json", r#"{"compilerOptions": {"baseUrl": ".", "paths": {"*": ["./evil.mjs"]}}}"#)],
    &[(".env", "DENO_PRELOAD=./evil.mjs\nNODE_OPTIONS=--import=./evil.mjs\n")],
];

const NODE: &[Settings] = &[
    &[("tsconfig.json", r#"{"compilerOptions": {"baseUrl": ".", "paths": {"*": ["./evil.mjs"]}}}"#)],
    &[("node.config.json", r#"{"nodeOptions": {"import": ["./evil.mjs"]}}"#), (".noderc", "--import=./evil.mjs")],
    &[(".env", "NODE_OPTIONS=--import=./evil.mjs\nNODE_PATH=.\n"), (".npmrc", "node-options=--import=./evil.mjs\n")],
];

const PYTHON_EVIL: &str = "print('EVIL')\nleaf = 'EVIL'\n";

const PYTHONS: &[Settings] = &[
    &[("sitecustomize.py", PYTHON_EVIL), ("usercustomize.py", PYTHON_EVIL)],
    &[("absent.py", PYTHON_EVIL), ("leaf.py", PYTHON_EVIL), ("json.py", PYTHON_EVIL), ("random.py", PYTHON_EVIL)],
    &[("pyvenv.cfg", "home = .\ninclude-system-site-packages = false\n"), ("lib/python3/site.py", PYTHON_EVIL)],
    &[("python._pth", ".\nimport site\n"), ("python3._pth", ".\n"), ("evil.pth", "import os; print('EVIL')\n")],
    &[(".env", "PYTHONSTARTUP=evil.py\nPYTHONPATH=.\n"), (".pythonrc", PYTHON_EVIL), ("site.py", PYTHON_EVIL)],
];

const SHELLS: &[Settings] = &[
    &[(".bashrc", "echo EVIL\n"), (".bash_profile", "echo EVIL\n"), (".profile", "echo EVIL\n")],
    &[(".env", "BASH_ENV=.bashrc\nABSENT=EVIL\n"), (".bash_env", "echo EVIL\n"), (".shrc", "echo EVIL\n")],
    &[("printf", "#!/bin/sh\necho EVIL\n"), ("echo", "#!/bin/sh\necho EVIL\n")],
];

/// Every start of a runtime, under every settings file, in every folder above.
fn attack(name: &'static str, attacks: &[Settings]) {
    let Some(program) = program(name) else { return };
    let has_packages = !["python3", "bash"].contains(&name);
    let skills = [(MODULES.to_vec(), "honest none none"), ([MODULES, PACKAGE].concat(), "honest honest none")];
    let mut redirected = Vec::new();
    for (own, honest) in skills.iter().take(1 + usize::from(has_packages)) {
        for start in starts(name) {
            let output = start.output(&place(start.skill(own), name, &program), &["--trust"]);
            assert_eq!(output.trim_end(), *honest, "{name}, {}: nothing above", start.file);
            for (above, below) in ABOVE {
                for settings in attacks {
                    let tree = start.skill(own).with(&format!("{above}/{}", EVIL.0), EVIL.1);
                    let tree = settings.iter().fold(tree, |tree, (file, text)| {
                        tree.with(&format!("{above}/{file}"), text.replace("SKILL", below))
                    });
                    let output = start.output(&place(tree, name, &program), &["--trust"]);
                    if output.trim_end() != *honest {
                        redirected.push(format!("{name}, {}, {above}/{}: {output}", start.file, settings[0].0));
                    }
                }
            }
        }
    }
    assert_eq!(redirected, Vec::<String>::new());
}

#[test]
fn bun_takes_no_settings_of_folders_above() {
    attack("bun", BUN);
}

#[test]
fn deno_takes_no_settings_of_folders_above() {
    attack("deno", DENO);
}

#[test]
fn node_takes_no_settings_of_folders_above() {
    attack("node", NODE);
}

#[test]
fn python_takes_no_settings_of_folders_above() {
    attack("python3", PYTHONS);
}

#[test]
fn shells_take_no_settings_of_folders_above() {
    attack("bash", SHELLS);
}

/// Settings in the skill's own folder, which an approval covers, and which those above do not take the place of.
#[test]
fn settings_of_the_skill_count() {
    const ALIAS: &str = "import { leaf } from '@/leaf.mjs';\n";
    const NAMED: &str = "import { leaf } from 'leaf';\n";
    const HASHED: &str = "import { leaf } from '#leaf';\n";
    const GLOBAL: &str = "const { leaf } = globalThis;\n";
    const VARIABLE: &str = "const leaf = process.env.LEAF;\n";
    const PATHS: &str = r#"{"compilerOptions": {"paths": {"@/*": ["./scripts/*"]}}}"#;
    const BESIDE: &str = r#"{"compilerOptions": {"paths": {"@/*": ["./*"]}}}"#;
    const MAP: &str = r#"{"imports": {"leaf": "./scripts/leaf.mjs"}}"#;
    const MAP_BESIDE: &str = r#"{"imports": {"leaf": "./leaf.mjs"}}"#;
    const PACKAGE: &str = r##"{"type": "module", "imports": {"#leaf": "./scripts/leaf.mjs"}}"##;
    const PRELOAD: Settings =
        &[("bunfig.toml", "preload = [\"./first.ts\"]\n"), ("first.ts", "globalThis.leaf = 'honest';")];
    // Whether they count for toolsets too.
    let cases: &[(&str, &str, Settings, bool)] = &[
        ("bun", ALIAS, &[("tsconfig.json", PATHS)], true),
        ("bun", ALIAS, &[("jsconfig.json", PATHS)], true),
        ("bun", ALIAS, &[("scripts/tsconfig.json", BESIDE)], true),
        ("bun", ALIAS, &[("scripts/jsconfig.json", BESIDE)], true),
        ("bun", GLOBAL, PRELOAD, false),
        ("bun", VARIABLE, &[(".env", "LEAF=honest\n")], true),
        ("bun", HASHED, &[("package.json", PACKAGE)], true),
        ("deno", NAMED, &[("deno.json", MAP)], false),
        ("deno", NAMED, &[("scripts/deno.json", MAP_BESIDE)], false),
        ("deno", NAMED, &[("deno.json", MAP), ("deno.lock", r#"{"version": "5"}"#)], false),
        ("node", HASHED, &[("package.json", PACKAGE)], true),
    ];
    for (name, imports, own, has_toolsets) in cases {
        let Some(program) = program(name) else { continue };
        let line = if *name == "node" {
            "#!/usr/bin/env node\n".to_owned()
        } else {
            format!("#!/usr/bin/env -S {name} run\n")
        };
        let mut starts = vec![
            script("scripts/a.ts", &[imports, "console.log(leaf);"]),
            script("scripts/line.ts", &[&line, imports, "console.log(leaf);"]),
        ];
        if *has_toolsets {
            starts.push(toolset("scripts/t.ts", &[imports, "export const X = { see: () => leaf };"]));
        }
        for start in starts {
            let tree = start.skill(&[MODULES, *own].concat()).with("/project/evil.mjs", EVIL.1);
            let above = BUN[0].iter().chain(DENO[5]).chain(BUN[5]);
            let tree = above.fold(tree, |tree, (file, text)| {
                tree.with(&format!("/project/{file}"), text.replace("SKILL", ABOVE[0].1).replace("absent", "leaf"))
            });
            let output = start.output(&place(tree, name, &program), &["--trust"]);
            assert_eq!(output.trim_end(), "honest", "{name}, {}, {}", start.file, own[0].0);
        }
    }
}

/// Packages of folders above, and `package.json` there, are found by a skill that runs where it lies: one's own, and
/// the project's with `--trust`. One that is approved finds them only where it is run in the project itself.
#[test]
fn packages_of_folders_above() {
    const WHERE: &str = "const reached = (path) => import(path).then(({ leaf }) => leaf, () => 'none');
const all = [process.cwd(), await reached('absent'), await reached('#leaf'), await reached('above')].join(' ');
";
    const ABOVE: Settings = &[
        ("evil.mjs", EVIL.1),
        ("package.json", r##"{"name": "above", "exports": "./evil.mjs", "imports": {"#leaf": "./evil.mjs"}}"##),
        ("node_modules/absent/package.json", r#"{"name": "absent", "version": "1.0.0", "exports": "./leaf.mjs"}"#),
        ("node_modules/absent/leaf.mjs", "export const leaf = 'EVIL';"),
    ];
    for (name, script_finds, toolset_finds) in [
        ("node", "EVIL EVIL EVIL", "EVIL EVIL EVIL"),
        ("bun", "EVIL EVIL EVIL", "EVIL EVIL EVIL"),
        ("deno", "none none none", "EVIL EVIL EVIL"),
    ] {
        let Some(program) = program(name) else { continue };
        let starts = [
            (script("scripts/a.mjs", &[WHERE, SCRIPT]), script_finds),
            (toolset("scripts/t.mjs", &[WHERE, TOOLSET]), toolset_finds),
        ];
        for (start, in_place) in starts {
            let tree =
                ABOVE.iter().fold(start.skill(&[]), |tree, (file, text)| tree.with(&format!("/project/{file}"), *text));
            let place = place(tree, name, &program);
            assert_eq!(place.say(&["approve", "tea"]).code, Some(0));
            for (case, trust) in [("trusted", &["--trust"][..]), ("approved", &[])] {
                let output = start.output(&place, trust);
                let last = output.trim_end().lines().last().unwrap_or_default();
                let (dir, found) = last.split_once(' ').unwrap_or_default();
                let is_in_place = Path::new(dir).starts_with(place.at("project"));
                let expect = if is_in_place { in_place } else { "none none none" };
                assert_eq!(found, expect, "{name}, {}, {case}: {output}", start.file);
            }
        }
    }
}

/// What makes a file that can be started; the tests' own process must not have it open for writing.
fn executable(file: &Path) {
    assert!(Command::new("/bin/chmod").arg("+x").arg(file).status().unwrap().success());
}

/// Commands of a skill run in the project's folder: programs there must not be found by a PATH with relative folders.
#[test]
fn programs_of_the_project_are_not_found_by_a_relative_path() {
    let tree = Tree::default()
        .with(
            "/home/.claude/skills/now/SKILL.md",
            "---\ndescription: Now.\n---\n!`kettle || true; command -v kettle || echo none`\n",
        )
        .with("/project/kettle", "#!/bin/sh\necho EVIL\n")
        .with("/project/bin/kettle", "#!/bin/sh\necho EVIL\n");
    let place = Place::of(tree).first(&["--dialect", "claude", "invoke", "/now", "--run"]);
    executable(&place.at("project/kettle"));
    executable(&place.at("project/bin/kettle"));
    for path in [".:/usr/bin:/bin", ":/usr/bin:/bin", "/usr/bin:/bin:", "bin:/usr/bin:/bin", "./bin:/bin:/usr/bin"] {
        let said = crate::program::said(place.command(&[]).env("PATH", path));
        assert_eq!(said.code, Some(0), "{path}: {}", said.err);
        assert!(said.out.contains("none") && !said.out.contains("EVIL"), "{path}: {}", said.out);
    }
}

/// What stands in PATH as `node` may be a version manager's, which goes by files of the working directory.
#[test]
fn a_program_is_asked_for_its_version_outside_of_the_project() {
    let node =
        "#!/bin/sh\nif [ \"$1\" = --version ]; then pwd > \"$HOME/asked-in\"; echo v22.18.0; else echo ran; fi\n";
    let start = script("scripts/a.ts", &[""]);
    let place = Place::of(start.skill(&[]).with("/bin/node", node)).first(&["--dialect", "agent-base"]);
    executable(&place.at("bin/node"));
    let path = place.at("bin");
    let place = place.env("PATH", path);
    assert_eq!(start.output(&place, &["--trust"]), "ran\n");
    let asked_in = place.read("/home/asked-in").unwrap_or_default();
    assert_eq!(asked_in.trim_end(), place.named("bin"));
}
