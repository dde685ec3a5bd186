//! The README and the guide's first hour run: each command in a block of the language `console` prints what stands below it, in a
//! fresh copy of `testdata/example`. `UPDATE=1` writes that. The other commands of the README are those that tests run elsewhere.
#![cfg(unix)]

use crate::common::{TempDir, root};
use crate::npm::copy;
use crate::program::{BINARY, path_with_program};
use pretty_assertions::assert_eq;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Commands that other tests run, each by the words with which its line begins.
const ELSEWHERE: &[(&str, &str)] = &[
    ("cargo run -- --home testdata/example/home --project testdata/example/project list", "tests/cli/readme.rs"),
    ("cargo test --all-features", ".ci/run"),
    ("cargo install --path src/cli", "tests/readme.rs"),
    ("npm install -g DIR/skilltree-0.1.0.tgz ", "tests/cli/npm.rs"),
    ("pip install DIR/skilltree_engine-0.1.0-*.whl ", ".ci/python"),
    ("claude mcp add skills -- skilltree mcp", "tests/cli/mcp_clients.rs"),
];

const MAX_WORDS: usize = 700;

/// What the README promises, and the test that holds it: its file and its name.
const PROMISES: &[(&str, &str, &str)] = &[
    ("It is a small, synchronous Rust library", "tests/bench/embed.rs", "main"),
    ("without changing what they mean", "tests/laws/fix.rs", "mending_keeps_what_is_read_and_is_done_at_once"),
    ("Nearly every command takes `--json`", "tests/cli/general.rs", "answers_in_json"),
    ("a list of everything that is lost", "tests/convert.rs", "fields_by_their_meaning"),
    ("over any file system", "tests/fs_contract.rs", "memory_answers_as_it_is_written_down"),
    ("withholds what that could restrict", "tests/laws/lean.rs", "a_lean_world_differs_only_where_a_finding_says_so"),
    ("give skills to an agent of", "tests/frameworks.rs", "the_page_shows_what_runs"),
    ("runs nothing without `--allow-run`", "tests/cli/mcp/run.rs", "nothing_is_run_unless_the_user_says_so"),
    (
        "without `skilltree approve NAME` or `--trust`",
        "tests/cli/mcp/trust.rs",
        "a_call_without_trust_is_refused_and_ends_the_process",
    ),
    ("is a language server", "tests/cli/lsp/session.rs", "a_finding_is_corrected_by_its_action"),
    ("Nothing leaves the browser", "tests/cli/page.rs", "the_policy_allows_its_own_files_alone"),
    ("send no text twice", "tests/session.rs", "a_text_is_sent_again_unless_it_is_there"),
    ("reproduces the answer", "tests/receipt.rs", "every_answer_of_the_cases_is_the_same_again"),
    ("is lost silently", "tests/laws/finding.rs", "no_skill_file_vanishes"),
    ("No input crashes the program", "tests/laws/texts.rs", "no_bytes_make_anything_panic"),
    ("read outside of the given folders", "tests/laws/paths.rs", "a_confined_read_never_escapes"),
    ("forges the prompt", "tests/hostile/names.rs", "texts_that_close_their_frames"),
    (
        "says `verified` only of files under a signature whose root you have named",
        "tests/cli/verify_signatures.rs",
        "nothing_that_is_rewritten_is_verified",
    ),
    ("as long as reading the files alone", "tests/bench/discovery.rs", "main"),
    ("read files as the client does", "tests/vectors.rs", "every_dialect_lists_what_its_client_listed"),
];

fn read(page: &str) -> String {
    fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// What a shell prints for a line in the project, in which the user's home is `/home/me`.
fn printed(folder: &Path, line: &str) -> String {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", line]).current_dir(folder.join("me/project")).env_clear();
    let output =
        shell.env("PATH", path_with_program()).env("HOME", folder.join("me")).output().expect("the shell runs");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).expect("text");
    text.replace(folder.to_str().expect("text"), "/home")
}

/// The page with what its commands print now.
fn run(page: &str) -> String {
    let folder = TempDir::new("readme");
    let real = fs::canonicalize(folder.path()).expect("a folder");
    copy(&root().join("testdata/example/home"), &real.join("me"));
    copy(&root().join("testdata/example/project"), &real.join("me/project"));
    let mut out = String::new();
    let mut is_console = false;
    for line in read(page).lines() {
        match line {
            "```console" => is_console = true,
            "```" => is_console = false,
            _ if is_console && !line.starts_with("$ ") => continue,
            _ => {}
        }
        if is_console && line.starts_with("$ ") && !out.ends_with("```console\n") {
            out.push('\n');
        }
        out.push_str(line);
        out.push('\n');
        if let Some(line) = line.strip_prefix("$ ").filter(|_| is_console) {
            out.push_str(&printed(&real, line));
        }
    }
    out
}

#[test]
fn the_consoles_show_what_is_printed() {
    for page in ["README.md", "src/guide/first_hour.md"] {
        let now = run(page);
        if std::env::var_os("UPDATE").is_some() {
            fs::write(root().join(page), now).expect("written");
        } else {
            assert_eq!(read(page), now, "`UPDATE=1` writes what {page} shows");
        }
    }
}

#[test]
fn every_other_command_runs_elsewhere() {
    let readme = read("README.md");
    let blocks = readme.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    for line in blocks.flat_map(str::lines) {
        let line = format!("{line} ");
        let known = ELSEWHERE.iter().find(|(words, _)| line.starts_with(words));
        let (_, place) = known.unwrap_or_else(|| panic!("no test runs `{line}`"));
        assert!(root().join(place).exists(), "{place}");
    }
    let (command, _) = ELSEWHERE.first().expect("the first command");
    let words = command.strip_prefix("cargo run -- ").expect("the program").split(' ');
    let said = Command::new(BINARY).args(words).current_dir(root()).output().expect("it runs");
    assert!(said.status.success() && String::from_utf8_lossy(&said.stdout).contains("pdf-forms"), "{said:?}");
}

#[test]
fn every_promise_has_a_test() {
    assert_eq!(skilltree::dialect::NAMES.len(), 26, "the README says `twenty-six systems`");
    let readme = read("README.md").split_whitespace().collect::<Vec<_>>().join(" ");
    let wrong: Vec<_> = PROMISES
        .iter()
        .filter(|(words, file, name)| {
            !readme.contains(words) || !root().join(file).is_file() || !read(file).contains(&format!("fn {name}("))
        })
        .collect();
    assert_eq!(wrong, Vec::<&(&str, &str, &str)>::new(), "neither a sentence nor its test may go alone");
}

/// What the tables say is not counted, nor are blocks of code.
#[test]
fn the_readme_is_short() {
    let readme = read("README.md");
    let prose = readme.split("```").step_by(2).flat_map(str::lines);
    let words: usize =
        prose.filter(|line| !line.starts_with(['|', '<'])).map(|line| line.split_whitespace().count()).sum();
    assert!(words < MAX_WORDS, "{words} words");
}
