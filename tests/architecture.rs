//! The architecture as a test: which layer may use which, which files may touch the machine, what library code must not
//! contain, what the top level holds, and which crates a user of the library builds.
//! Each rule is a function from a file's text to complaints, and is tried on bad snippets first.
#![cfg(not(target_family = "wasm"))]

#[path = "architecture/citations.rs"]
mod citations;
#[path = "architecture/code.rs"]
mod code;

use crate::common::root;
use crate::common::skip::skip;
use code::{Code, is_name, names_after};
use pretty_assertions::assert_eq;
use skilltree::dialect::NAMES;
use std::collections::BTreeSet;
use std::process::Command;

/// The layers of `src`, lowest first. A layer uses only those listed before it.
const LAYERS: &[&str] = &[
    "text",
    "path",
    "diagnostic",
    "fs",
    "model",
    "dialect",
    "discovery",
    "package",
    "offer",
    "loading",
    "explain",
    "author",
    "record",
    "host",
    "report",
    "guide",
];

/// How many entries a reader finds in `src`.
const MAX_ENTRIES: usize = 22;

/// The only files that may use [`MACHINE`].
const ADAPTERS: &[&str] = &[
    "src/fs/os.rs",
    "src/fs/os/",
    "src/host/",
    "src/package/embed.rs",
    "src/python/module/machine.rs",
    "src/wasm/module/lib.rs",
    "src/cli/",
];
/// What of `std` touches the machine.
const MACHINE: &[&str] = &["fs", "env", "process", "net", "time", "thread"];
/// The name of a dialect that is a common word too: the cursor of a list.
const COMMON_WORD: &str = "cursor";
const PANICS: &[&str] = &[".unwrap()", ".expect(", "panic!", "todo!", "unimplemented!", "unreachable!"];

/// What `cargo add skilltree` brings without default features.
const CRATES: &[&str] = &[
    "arraydeque",
    "foldhash",
    "hashbrown",
    "hashlink",
    "proc-macro2",
    "quote",
    "syn",
    "thiserror",
    "thiserror-impl",
    "unicode-ident",
    "yaml-rust2",
];

/// What the feature `os` adds on this target.
#[cfg(target_os = "linux")]
const OS_CRATES: &[&str] = &["bitflags", "linux-raw-sys", "rustix"];
#[cfg(all(unix, not(target_os = "linux")))]
const OS_CRATES: &[&str] = &["bitflags", "errno", "libc", "rustix"];
#[cfg(not(unix))]
const OS_CRATES: &[&str] = &[];

/// What the feature `archive` adds.
const ARCHIVE_CRATES: &[&str] = &["adler2", "miniz_oxide"];

/// A rule: a file's path, its text, its code; complaints into the list.
type Rule = fn(&str, &str, &Code, &mut Vec<String>);

fn below(path: &str, places: &[&str]) -> bool {
    places.iter().any(|place| path == *place || (place.ends_with('/') && path.starts_with(place)))
}

/// The folders of the packages that use the library from outside.
const PACKAGES: &[&str] = &["src/cli/", "src/python/module/", "src/wasm/module/"];

/// The layer of a file of the library; none for `lib.rs`.
fn layer(path: &str) -> Option<&str> {
    let inside = path.strip_prefix("src/").filter(|inside| !below(path, PACKAGES) && *inside != "lib.rs")?;
    Some(inside.split('/').next().unwrap_or(inside).trim_end_matches(".rs"))
}

fn may_use(user: &str, used: &str) -> bool {
    let rank = |layer: &str| LAYERS.iter().position(|name| *name == layer);
    rank(used).is_some_and(|used| Some(used) < rank(user))
}

/// The names that a file takes from the crate's root, by `crate::` or by climbing there.
fn taken_from_root(path: &str, code: &Code) -> Vec<(usize, String)> {
    let climb = vec!["super"; path.matches('/').count()].join("::");
    let mut names = names_after(&code.text, "crate");
    names.extend(names_after(&code.text, &climb));
    names.retain(|(_, name)| name != "super");
    names
}

fn layers(path: &str, _: &str, code: &Code, out: &mut Vec<String>) {
    let Some(user) = layer(path) else { return };
    if !LAYERS.contains(&user) {
        out.push(format!("{path}: `{user}` is not in the list of layers"));
    }
    for (line, used) in taken_from_root(path, code) {
        if used != user && !may_use(user, &used) {
            out.push(format!("{path}:{line}: `{user}` may not use `crate::{used}`"));
        }
    }
}

fn machine(path: &str, _: &str, code: &Code, out: &mut Vec<String>) {
    if below(path, ADAPTERS) {
        return;
    }
    for (line, name) in names_after(&code.text, "std") {
        if MACHINE.contains(&name.as_str()) || name == "*" {
            out.push(format!("{path}:{line}: `std::{name}` outside of the adapters"));
        }
    }
}

fn yaml(path: &str, _: &str, code: &Code, out: &mut Vec<String>) {
    // The command line reads records as plain data, for which the library's reader is not public.
    let is_reader = below(path, &["src/text/yaml.rs", "src/text/yaml/", "src/cli/verify/data.rs"]);
    if !is_reader && has_word(&code.text, "yaml_rust2") {
        out.push(format!("{path}: `yaml_rust2` outside of the yaml file"));
    }
}

/// The standard library's tables for it would go into a WASM module whole.
fn letters(path: &str, _: &str, code: &Code, out: &mut Vec<String>) {
    let is_free = path == "src/text/lower.rs" || below(path, &["src/host/", "src/cli/"]);
    if !is_free && has_word(&code.text, "to_lowercase") {
        out.push(format!("{path}: `to_lowercase` outside of `text::lower`"));
    }
}

fn names(path: &str, _: &str, code: &Code, out: &mut Vec<String>) {
    if below(path, &["src/dialect/"]) {
        return;
    }
    for (line, literal) in &code.literals {
        // a help text of the binary may name a dialect in an example; its code may not compare with one
        let mut names = NAMES.iter().filter(|name| **name != COMMON_WORD);
        let named = names.find(|name| literal == *name || (layer(path).is_some() && has_word(literal, name)));
        if let Some(name) = named {
            out.push(format!("{path}:{line}: the dialect `{name}` is named outside of its table"));
        }
    }
}

fn panics(path: &str, _: &str, code: &Code, out: &mut Vec<String>) {
    if path.starts_with("src/cli/") {
        return;
    }
    let spoken = PANICS.iter().filter(|word| has_word(&code.text, word));
    out.extend(spoken.map(|word| format!("{path}: `{word}`")));
}

/// Only the names that a WASM module exports and those that the shim in Node provides are unsafe to declare, and nothing is unsafe
/// to do.
fn safety(path: &str, _: &str, code: &Code, out: &mut Vec<String>) {
    const ALLOWANCE: &str = "allow(unsafe_code";
    let declaration = match path {
        "src/wasm/module/lib.rs" => Some("#[unsafe(no_mangle)]"),
        "src/host/dir_handle/portable.rs" => Some("unsafe extern"),
        _ => None,
    };
    let text = declaration.map_or(code.text.clone(), |declaration| code.text.replace(declaration, ""));
    // an attribute may name the lint `unsafe_code`; the keyword stands alone
    if has_word(&text, "unsafe") || (declaration.is_none() && text.contains(ALLOWANCE)) {
        out.push(format!("{path}: `unsafe`"));
    }
}

/// Whether `word` stands in the text, not as a part of a longer name.
fn has_word(text: &str, word: &str) -> bool {
    let name_before = |at: usize| text[..at].ends_with(is_name) && word.starts_with(is_name);
    let name_after = |at: usize| text[at + word.len()..].starts_with(is_name) && word.ends_with(is_name);
    text.match_indices(word).any(|(at, _)| !name_before(at) && !name_after(at))
}

const RULES: &[(&str, Rule)] = &[
    ("layers", layers),
    ("machine", machine),
    ("yaml", yaml),
    ("letters", letters),
    ("names", names),
    ("panics", panics),
    ("safety", safety),
];

fn complaints(rule: Rule, path: &str, text: &str) -> Vec<String> {
    let mut out = Vec::new();
    rule(path, text, &code::read(text), &mut out);
    out
}

/// Every Rust file below `src`, as `src/…` and its text.
fn sources() -> Vec<(String, String)> {
    let (mut files, mut waiting) = (Vec::new(), vec![root().join("src")]);
    while let Some(dir) = waiting.pop() {
        for entry in std::fs::read_dir(&dir).expect("src can be listed") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let name = path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
                files.push((name, std::fs::read_to_string(&path).expect("a source is text")));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn every_source_follows_the_rules() {
    let sources = sources();
    assert!(sources.len() > 10, "the sources are found");
    let mut found = Vec::new();
    for (path, text) in &sources {
        let code = code::read(text);
        for (_, rule) in RULES {
            rule(path, text, &code, &mut found);
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

#[track_caller]
fn check(case: &str, rule: &str, path: &str, text: &str, bad: usize) {
    let (_, rule) = RULES.iter().find(|(name, _)| *name == rule).expect("a rule of this name");
    let found = complaints(*rule, path, text);
    assert_eq!(found.len(), bad, "{case}: {found:?}");
}

#[test]
fn each_rule_finds_what_it_forbids() {
    check("a lower layer", "layers", "src/loading/load.rs", "use crate::package::body;", 0);
    check("a higher layer", "layers", "src/package/body.rs", "use crate::loading::load;", 1);
    check("the layer itself", "layers", "src/text/yaml.rs", "use crate::text::lines;", 0);
    check("a group", "layers", "src/discovery/scan.rs", "use crate::{path::{a, b}, loading, package::*};", 2);
    check("by climbing", "layers", "src/fs/mem.rs", "use super::super::discovery;", 1);
    check("by climbing from a layer", "layers", "src/path.rs", "use super::discovery;", 1);
    check("a sibling file", "layers", "src/fs/mem.rs", "use super::walk;", 0);
    check("the root's re-exports", "layers", "src/loading/load.rs", "use crate::FsPath;", 1);
    check("a layer that is not listed", "layers", "src/attic.rs", "", 1);
    check("in a doc comment", "layers", "src/path.rs", "/// see [`crate::loading`]\n/* crate::report */", 0);
    check("lib.rs is free", "layers", "src/lib.rs", "use crate::wasm;", 0);

    check("an adapter", "machine", "src/fs/os.rs", "use std::fs::File;", 0);
    check("below an adapter", "machine", "src/fs/os/unix.rs", "std::thread::scope(f)", 0);
    check("no adapter", "machine", "src/load.rs", "use std::fs::File;", 1);
    check("a group", "machine", "src/load.rs", "use std::{env, fmt, io, time::Instant};", 2);
    check("everything", "machine", "src/load.rs", "use std::*;", 1);
    check("from the root", "machine", "src/load.rs", "::std::process::exit(1)", 1);
    check("nothing of the machine", "machine", "src/load.rs", "use std::fmt; // std::fs\nlet s = \"std::fs\";", 0);

    check("yaml at home", "yaml", "src/text/yaml.rs", "use yaml_rust2::parser;", 0);
    check("yaml abroad", "yaml", "src/manifest.rs", "use yaml_rust2::parser;", 1);

    check("lower case at home", "letters", "src/text/lower.rs", "c.to_lowercase()", 0);
    check("lower case abroad", "letters", "src/catalog/lookup.rs", "key.to_lowercase()", 1);
    check("lower case of ASCII", "letters", "src/scan.rs", "name.to_ascii_lowercase()", 0);

    check("a table", "names", "src/dialect/sven.rs", "let n = \"sven\";", 0);
    check("a comparison", "names", "src/load.rs", "if d.name == \"sven\" {}", 1);
    check("raw", "names", "src/load.rs", "if d.name == r#\"agent-base\"# {}", 1);
    check("inside a sentence", "names", "src/load.rs", "\"as claude does\"", 1);
    check("a comment", "names", "src/load.rs", "// sven, \"Directory layout\"\n/// \"sven\"", 0);
    check("an example of the binary", "names", "src/cli/args.rs", "\"--dialect sven\"", 0);
    check("a default of the binary", "names", "src/cli/args.rs", "default = \"agentskills\"", 1);
    check("in a test", "names", "src/load.rs", "#[cfg(test)]\nmod t { fn x() { f(\"sven\") } }", 0);
    check("after a test", "names", "src/load.rs", "#[cfg(test)]\nmod t;\nconst X: &str = \"sven\";", 1);

    for word in PANICS {
        let call = if word.ends_with('!') { format!("{word}()") } else { format!("x{word}") };
        check(word, "panics", "src/load.rs", &call, 1);
        check(word, "panics", "src/cli/main.rs", &call, 0);
    }
    check("a block", "safety", "src/load.rs", "fn f() { unsafe { g() } }", 1);
    check(
        "a block of the module",
        "safety",
        "src/wasm/module/lib.rs",
        "#[unsafe(no_mangle)]\nfn f() { unsafe { g() } }",
        1,
    );
    check("a block of a binary", "safety", "src/cli/main.rs", "fn f() { unsafe { g() } }", 1);
    check("an import", "safety", "src/host/dir_handle/portable.rs", "unsafe extern \"C\" { safe fn f(); }", 0);
    check("an import from elsewhere", "safety", "src/host/write.rs", "unsafe extern \"C\" { safe fn f(); }", 1);
    check("an export", "safety", "src/wasm/module/lib.rs", "#[unsafe(no_mangle)]\nextern \"C\" fn f() {}", 0);
    check(
        "an export from elsewhere",
        "safety",
        "src/wasm/module/call.rs",
        "#[unsafe(no_mangle)]\nextern \"C\" fn f() {}",
        1,
    );
    check("the lint's name", "safety", "src/lib.rs", "#![forbid(unsafe_code)]", 0);
    check("the lint allowed", "safety", "src/load.rs", "#![allow(unsafe_code)]", 1);
    check(
        "the lint allowed to the module",
        "safety",
        "src/wasm/module/lib.rs",
        "#![allow(unsafe_code, reason = \"\")]",
        0,
    );
    check("their cousins", "panics", "src/load.rs", "x.unwrap_or(y).map(|c| c == '\"'); debug_assert!(true)", 0);
    check("in a doc test", "panics", "src/load.rs", "/// x.unwrap()\nfn f() {}", 0);
    check("after a quote as a character", "panics", "src/load.rs", "('\"', '\\'', \"\\\"\"); x.unwrap()", 1);
    check("after a lifetime", "panics", "src/load.rs", "fn f<'a>(x: &'a str) { x.unwrap() }", 1);
}

/// What the top level may hold besides dot-files.
fn at_top(name: &str) -> bool {
    name.starts_with('.')
        || name.starts_with("LICENSE-")
        || ["Cargo.toml", "Cargo.lock", "README.md", "src", "tests", "testdata"].contains(&name)
}

#[test]
fn the_top_level_is_small() {
    assert!(at_top("LICENSE-MIT") && at_top(".ci") && at_top("src"));
    assert!(!at_top("benches") && !at_top("NOTES.md") && !at_top("Makefile"));
    let listed = Command::new("git").arg("ls-files").current_dir(root()).output();
    let listed = listed.ok().filter(|listed| listed.status.success());
    let Some(listed) = listed else { return skip("this is no repository of git") };
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let top: BTreeSet<&str> = listed.lines().filter_map(|path| path.trim_matches('"').split('/').next()).collect();
    assert_eq!(top.into_iter().filter(|name| !at_top(name)).collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn the_sources_are_few_at_the_top() {
    let entries = std::fs::read_dir(root().join("src")).expect("src can be listed").count();
    assert!(entries <= MAX_ENTRIES, "src holds {entries} entries, at most {MAX_ENTRIES}");
}

#[test]
fn every_file_of_tests_is_run() {
    // The last two are programs of their own.
    for (dir, main, others) in [("tests", "library", ["guarded", "smallest"]), ("tests/cli", "main", ["", ""])] {
        let dir = root().join(dir);
        let text = std::fs::read_to_string(dir.join(main).with_extension("rs")).expect("it is there");
        let entries = std::fs::read_dir(&dir).expect("it is there").flatten();
        let files = entries.filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".rs").map(str::to_owned));
        let files = files.filter(|name| name != main && !others.contains(&name.as_str()));
        let forgotten: Vec<String> = files.filter(|name| !text.contains(&format!("\nmod {name};\n"))).collect();
        assert_eq!(forgotten, Vec::<String>::new(), "each needs its `mod` in {main}.rs of {}", dir.display());
    }
}

/// The crates of `cargo tree`, this one left out.
fn crates_in(tree: &str) -> BTreeSet<String> {
    let name = |line: &str| line.split_whitespace().next().map(str::to_owned);
    tree.lines().filter_map(name).filter(|name| name != "skilltree").collect()
}

/// What `cargo tree` says with these words; without a network if that will do.
fn tree(words: &[&str]) -> BTreeSet<String> {
    let tree = |more: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["tree", "--prefix", "none", "--locked"]).args(words).args(more);
        cargo.current_dir(root()).output().expect("cargo runs")
    };
    let output = Some(tree(&["--offline"])).filter(|output| output.status.success()).unwrap_or_else(|| tree(&[]));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    crates_in(&String::from_utf8_lossy(&output.stdout))
}

/// The crates that a build of the library needs.
fn crates(features: &[&str]) -> BTreeSet<String> {
    tree(&[&["-e", "normal", "-p", "skilltree"], features].concat())
}

#[test]
fn the_list_of_crates_is_held() {
    let held = |lists: &[&[&str]]| lists.concat().into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(crates_in("skilltree v0.1.0 (/x)\nquote v1.0.0\n\nquote v1.0.0 (*)\n"), held(&[&["quote"]]));
    assert_eq!(crates(&["--no-default-features"]), held(&[CRATES]));
    assert_eq!(crates(&[]), held(&[CRATES, OS_CRATES]));
    assert_eq!(crates(&["--no-default-features", "--features", "archive"]), held(&[CRATES, ARCHIVE_CRATES]));
    assert_eq!(crates(&["--no-default-features", "--features", "contract"]), held(&[CRATES]));
}

/// A version as numbers: `1.85` is 1, 85.
fn numbers(version: &str) -> Vec<u32> {
    version.split('.').chain(["0", "0"]).take(3).map(|part| part.parse().unwrap_or(0)).collect()
}

/// What the server of the Model Context Protocol is made of may want a newer Rust than the rest.
const MCP_RUST: &str = "1.88";

/// `rust-version` is a promise that no crate of ours may break, but for those that the feature `mcp` brings, and the
/// tests of it. Clippy holds our own code to it.
#[test]
fn no_crate_wants_a_newer_rust() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version", "1", "--locked", "--all-features"]).current_dir(root());
    let told = String::from_utf8(cargo.output().expect("cargo runs").stdout).expect("UTF-8");
    let metadata = skilltree::Json::parse(&told).expect("JSON");
    let Some(skilltree::Json::List(packages)) = metadata.get("packages") else { panic!("no packages") };
    let ours = env!("CARGO_PKG_RUST_VERSION");
    assert_eq!(numbers(ours)[..2], [1, 85]);
    let with_mcp = tree(&["-e", "normal,build,dev", "-p", "skilltree-cli", "--features", "mcp"]);
    let others = tree(&["-e", "normal", "-p", "skilltree-cli", "--features", "lsp"]);
    let is_of_mcp = |name: &str| with_mcp.contains(name) && !others.contains(name);
    assert!(is_of_mcp("rmcp") && !is_of_mcp("clap") && !is_of_mcp("sha2"));
    let mut newer = Vec::new();
    for package in packages {
        let name = package.get("name").and_then(skilltree::Json::as_text).unwrap_or_default();
        let wants = package.get("rust_version").and_then(skilltree::Json::as_text).unwrap_or("1");
        let most = if is_of_mcp(name) { MCP_RUST } else { ours };
        // Crates for other targets are in the list too, and are not built with ours.
        if numbers(most) < numbers(wants) && !name.starts_with("windows") {
            newer.push(format!("{name} wants {wants}, and {most} is the most"));
        }
    }
    assert_eq!(newer, Vec::<String>::new());
    assert!(10 < packages.len());
}
