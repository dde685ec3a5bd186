//! The words that runtimes are given, for the files that a skill has.

use super::RuntimeKind;
use super::{options, shebang_arguments};
use std::fs;
use std::path::{Path, PathBuf};

/// A skill with these files, in a folder that holds settings of its own.
struct Skill(PathBuf);

impl Skill {
    fn new(case: &str, files: &[&str]) -> Skill {
        let root =
            std::env::temp_dir().join(format!("skilltree-settings-{}-{}", std::process::id(), case.replace(' ', "-")));
        let put = |name: &str| {
            let file = root.join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "{}").unwrap();
        };
        for above in ["tsconfig.json", "deno.json", "deno.lock", "package.json"] {
            put(above);
        }
        put("skill/scripts/deep/run.ts");
        files.iter().for_each(|file| put(&format!("skill/{file}")));
        Skill(root)
    }

    fn dir(&self) -> PathBuf {
        self.0.join("skill")
    }

    fn file(&self) -> PathBuf {
        self.dir().join("scripts/deep/run.ts")
    }
}

impl Drop for Skill {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[track_caller]
fn check(case: &str, kind: RuntimeKind, files: &[&str], expect: &[&str]) {
    let skill = Skill::new(case, files);
    let got = options(kind, &skill.file(), &skill.dir(), &[]);
    let dir = skill.dir().display().to_string();
    let got: Vec<String> =
        got.iter().map(|word| word.to_string_lossy().replace(&dir, "DIR").replace('\\', "/")).collect();
    assert_eq!(got, expect, "{case}");
}

#[test]
fn settings_above_do_not_count_and_those_of_the_skill_do() {
    use RuntimeKind::{Bun, Deno, Node, Python, Shell};
    let nothing = if cfg!(windows) { "--tsconfig-override=NUL" } else { "--tsconfig-override=/dev/null" };
    check("bun without its own", Bun, &[], &[nothing]);
    check("bun with its own", Bun, &["tsconfig.json"], &[]);
    check("bun with its own of the other name", Bun, &["jsconfig.json", "scripts/tsconfig.json"], &[]);
    let deep = "--tsconfig-override=DIR/scripts/deep/jsconfig.json";
    check("bun with the nearest", Bun, &["scripts/tsconfig.json", "scripts/deep/jsconfig.json"], &[deep]);
    check("bun with a folder of that name", Bun, &["tsconfig.json/x"], &[nothing]);

    check("deno without its own", Deno, &[], &["--no-config", "--no-lock"]);
    let map = "--import-map=DIR/deno.json";
    check("deno with its own", Deno, &["deno.json"], &["--no-config", map, "--no-lock"]);
    let near = "--import-map=DIR/scripts/deno.json";
    check("deno with the nearest", Deno, &["deno.json", "scripts/deno.json"], &["--no-config", near, "--no-lock"]);
    let packages = "--node-modules-dir=manual";
    check("deno with packages", Deno, &["package.json"], &["--no-config", packages, "--no-lock"]);
    check("deno with a lock file", Deno, &["deno.lock"], &["--no-config", "--lock=DIR/deno.lock"]);

    for kind in [Node, Python, Shell] {
        check("others", kind, &["tsconfig.json", "deno.json", "package.json"], &[]);
    }
}

#[test]
fn words_of_the_first_line() {
    let skill = Skill::new("lines", &[]);
    let check = |written: &str, expect: &str| {
        let mut words = written.split(' ').map(str::to_owned);
        let program = words.next().unwrap_or_default();
        let got = shebang_arguments(Path::new(&program), &words.collect::<Vec<_>>(), &skill.file(), &skill.dir());
        let got: Vec<_> = got.iter().map(|word| word.to_string_lossy()).collect();
        assert_eq!(got.join(" ").replace("NUL", "/dev/null"), expect, "{written}");
    };
    let none = "--tsconfig-override=/dev/null";
    check("/x/bun", &format!("--no-install {none}"));
    check("/x/bun run --silent", &format!("--no-install {none} run --silent"));
    check("/x/bun.exe --bun", &format!("--no-install {none} --bun"));
    check("/x/bun --install=fallback", &format!("{none} --install=fallback"));
    check("/x/bun --tsconfig-override=mine.json", "--no-install --tsconfig-override=mine.json");
    check("/x/deno", "--no-config --no-lock");
    check("/x/deno -A", "--no-config --no-lock -A");
    check("/x/deno run -A", "run --no-config --no-lock -A");
    check("/x/deno run --no-lock --no-config -A", "run --no-lock --no-config -A");
    check("/x/deno run -c mine.json", "run --no-lock -c mine.json");
    check("/x/deno run --config=mine.json --lock=mine.lock", "run --config=mine.json --lock=mine.lock");
    check("/x/deno run --import-map=mine.json", "run --no-config --no-lock --import-map=mine.json");
    check("/x/deno task x", "task x");
    check("/x/python3.12 -u", "-B -u");
    check("/x/node --no-warnings", "--no-warnings");
    check("/x/bunny", "");
}
