//! A headless Chromium sees on the page what the command line prints, wherever node, Chromium, playwright-core and the WASM
//! module are. `.ci/page` brings these. Tests are started in the order of their names, and this one takes the longest: its
//! module's name stands near the beginning.

use crate::common::TempDir;
use crate::common::skip::skip;
use crate::program::BINARY;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// How many programs drive browsers at the same time.
const SHARES: usize = 3;

fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|named| !named.is_empty()).map(PathBuf::from)
}

fn answers(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|told| told.status.success())
}

/// The folder of playwright-core, and Chromium; or what is missing.
fn browser() -> Result<(PathBuf, &'static str), &'static str> {
    let runtimes = named("SKILLTREE_RUNTIMES").ok_or("SKILLTREE_RUNTIMES names no folder with playwright-core")?;
    if ["playwright-core", "axe-core"].iter().any(|name| !runtimes.join("node_modules").join(name).is_dir()) {
        return Err("no playwright-core and axe-core in SKILLTREE_RUNTIMES; `.ci/page` puts them there");
    }
    if named("SKILLTREE_WASM").is_none() {
        return Err("SKILLTREE_WASM names no module");
    }
    if !answers("node") {
        return Err("no node");
    }
    let known = ["chromium", "chromium-browser", "google-chrome"];
    known.into_iter().find(|program| answers(program)).map(|program| (runtimes, program)).ok_or("no chromium")
}

#[track_caller]
fn printed(program: &mut Command) -> String {
    let output = program.output().unwrap_or_else(|error| panic!("{program:?}: {error}"));
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{program:?}: {out}{}", String::from_utf8_lossy(&output.stderr));
    out
}

#[test]
#[allow(clippy::print_stdout, reason = "the sum of the cases in the browser is for whoever runs the tests")]
fn a_browser_sees_what_the_command_line_prints() {
    let (runtimes, chromium) = match browser() {
        Ok(there) => there,
        Err(missing) => return skip(missing),
    };
    let root = crate::common::root();
    let folder = TempDir::new("page");
    printed(Command::new(root.join("src/wasm/page/make")).arg(folder.path()));
    let chromium = printed(Command::new("/bin/sh").args(["-c", "command -v \"$0\"", chromium]));
    // The cases wait for the browser most of the time.
    let drives: Vec<Child> = (1..=SHARES)
        .map(|share| {
            let mut drive = Command::new("node");
            drive.arg(root.join("tests/page/drive.mjs")).arg(folder.path()).arg(&runtimes).arg(chromium.trim_end());
            drive.arg(BINARY).env("SHARE", format!("{share}/{SHARES}"));
            drive.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("node starts")
        })
        .collect();
    for drive in drives {
        let output = drive.wait_with_output().expect("it ends");
        let told = String::from_utf8_lossy(&output.stdout);
        let is_fine = output.status.success() && told.lines().last().is_some_and(|sum| sum.ends_with(" 0 failed"));
        assert!(is_fine, "{told}{}", String::from_utf8_lossy(&output.stderr));
        println!("{told}");
    }
}
