//! Which program is taken for a language, of those that are there.

use super::{RuntimeKind, runs_typescript, runtime};
use crate::host::programs::Programs;
use crate::loading::script::Language;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder with these programs in it; each says this to `--version`.
struct Bin(PathBuf);

impl Bin {
    fn new(case: &str, programs: &[(&str, &str)]) -> Bin {
        let folder = std::env::temp_dir().join(format!("skilltree-runtime-{}-{case}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for (name, says) in programs {
            // Written by another process: what is open for writing here, a child of another test may hold open still,
            // and what is open for writing is not started.
            let write = "printf '#!/bin/sh\\necho %s\\n' \"$2\" > \"$1\" && chmod +x \"$1\"";
            let written = Command::new("/bin/sh").args(["-c", write, "sh"]).arg(folder.join(name)).arg(says).status();
            assert!(written.unwrap().success());
        }
        Bin(folder)
    }
}

impl Drop for Bin {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[track_caller]
fn check(case: &str, language: Language, there: &[(&str, &str)], expect: Result<(&str, RuntimeKind), &str>) {
    let bin = Bin::new(&case.replace(' ', "-"), there);
    let got = runtime(language, "x", &Programs::new(bin.0.as_os_str()));
    let got = got.map(|found| (found.program, found.kind)).map_err(|error| error.to_string());
    let expect = expect.map(|(name, kind)| (bin.0.join(name), kind)).map_err(str::to_owned);
    assert_eq!(got, expect, "{case}");
}

#[test]
fn the_first_that_is_there() {
    use Language::{JavaScript, Python, Shell, TypeScript};
    let all =
        &[("bun", ""), ("deno", ""), ("node", "v24.1.0"), ("python", ""), ("python3", ""), ("sh", ""), ("bash", "")];
    check("python of all", Python, all, Ok(("python3", RuntimeKind::Python)));
    check("python alone", Python, &[("python", "")], Ok(("python", RuntimeKind::Python)));
    check("shell of all", Shell, all, Ok(("bash", RuntimeKind::Shell)));
    check("sh alone", Shell, &[("sh", "")], Ok(("sh", RuntimeKind::Shell)));
    check("javascript of all", JavaScript, all, Ok(("node", RuntimeKind::Node)));
    check("javascript in an old node", JavaScript, &[("node", "v0.10.0")], Ok(("node", RuntimeKind::Node)));
    check("javascript without node", JavaScript, &[("bun", ""), ("deno", "")], Ok(("bun", RuntimeKind::Bun)));
    check("typescript of all", TypeScript, all, Ok(("bun", RuntimeKind::Bun)));
    check("typescript in deno", TypeScript, &[("deno", ""), ("node", "v24.1.0")], Ok(("deno", RuntimeKind::Deno)));
    check("typescript in node", TypeScript, &[("node", "v22.18.0")], Ok(("node", RuntimeKind::Node)));
}

#[test]
fn none_that_would_do() {
    use Language::{Python, TypeScript};
    check("no python", Python, &[], Err("`x` needs `python3` or `python`, and PATH has none of them"));
    let typescript = Err("`x` needs `bun` or `deno` or `node >= 22.18`, and PATH has none of them");
    check("no typescript", TypeScript, &[], typescript);
    let old = "`x` needs `bun` or `deno` or `node >= 22.18`, and PATH has none of them; it has `node v22.17.1`";
    check("an old node", TypeScript, &[("node", "v22.17.1")], Err(old));
    let mute = "`x` needs `bun` or `deno` or `node >= 22.18`, and PATH has none of them; it has `node`";
    check("a node that says nothing", TypeScript, &[("node", "")], Err(mute));
}

#[test]
fn versions_of_node() {
    for yes in ["v22.18.0\n", "v22.99.1", "v23.6.0", "v24.0.0", "v100.0.0"] {
        assert!(runs_typescript(yes), "{yes}");
    }
    for no in ["", "v", "x", "v20.19.0", "v22.17.9", "v23.5.0", "v18", "22"] {
        assert!(!runs_typescript(no), "{no}");
    }
}

#[test]
fn only_absolute_folders_of_path_count() {
    assert_eq!(Programs::new(".ci:.:".as_ref()).find("run"), None, "a program in the working directory");
    assert!(Programs::new("/bin".as_ref()).find("sh").is_some_and(|sh| sh == Path::new("/bin/sh")));
}
