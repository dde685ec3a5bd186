//! The page: its sources put nothing but text on it and name no other place, and how it is made. `browser.rs` drives it.

#[cfg(unix)]
use crate::common;

use std::fs;
use std::path::{Path, PathBuf};

fn sources() -> Vec<(PathBuf, String)> {
    let dir = crate::common::root().join("src/wasm/page");
    let entries = fs::read_dir(dir).expect("the page's folder").map(|entry| entry.expect("an entry").path());
    let read = entries.filter(|path| !path.ends_with("make")).map(|path| {
        let text = fs::read_to_string(&path).expect("text");
        (path, text)
    });
    read.collect()
}

/// What turns text into markup or code has no use here.
#[test]
fn nothing_on_the_page_becomes_markup() {
    let never = [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "DOMParser",
        "setHTML",
        "eval(",
        "new Function",
    ];
    for (path, text) in sources() {
        for word in never {
            assert!(!text.contains(word), "{} has `{word}`", path.display());
        }
    }
}

#[test]
fn the_page_names_no_other_place() {
    for (path, text) in sources() {
        // The name of a format, which nobody fetches.
        let text = text.replace("http://www.w3.org/2000/svg", "");
        assert!(!text.contains("://"), "{} names another place", path.display());
    }
}

#[test]
fn the_policy_allows_its_own_files_alone() {
    let (_, page) = sources().into_iter().find(|(path, _)| path.ends_with("index.html")).expect("index.html");
    let (_, policy) = page.split_once("http-equiv=\"Content-Security-Policy\" content=\"").expect("a policy");
    let (policy, _) = policy.split_once('"').expect("its end");
    let rules: Vec<Vec<&str>> = policy.split("; ").map(|rule| rule.split(' ').collect()).collect();
    assert_eq!(rules.first(), Some(&vec!["default-src", "'none'"]));
    for word in rules.iter().flat_map(|rule| rule.iter().skip(1)) {
        assert!(["'none'", "'self'", "'wasm-unsafe-eval'", "blob:"].contains(word), "`{word}` in {policy}");
    }
    assert!(
        !page.contains("style=") && !page.contains(" on"),
        "the page has neither styles nor handlers in its markup"
    );
}

/// A script that builds no module is no reason to say that there is a page.
#[cfg(unix)]
#[test]
fn make_fails_where_it_made_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let folder = common::TempDir::new("page-make");
    let own = crate::common::root().join("src/wasm/page/make");
    let at = |name: &str| folder.path().join(name);
    let script = |name: &str, text: &str| {
        fs::create_dir_all(at(name).parent().expect("a folder")).expect("made");
        fs::write(at(name), text).expect("written");
        fs::set_permissions(at(name), fs::Permissions::from_mode(0o755)).expect("set");
    };
    script("src/wasm/page/make", &fs::read_to_string(own).expect("the script"));
    let none = at("none.wasm");
    let cases = [
        ("#!/bin/sh\necho 'skipped: no wasm target'\n", None, "no page is made"),
        ("#!/bin/sh\nexit 101\n", None, "the WASM module was not built"),
        ("#!/bin/sh\n", Some(&none), "there is no such file"),
    ];
    for (builder, module, said) in cases {
        script(".ci/wasm", builder);
        let mut make = std::process::Command::new(at("src/wasm/page/make"));
        make.arg(at("out")).env_remove("SKILLTREE_WASM").envs(module.map(|module| ("SKILLTREE_WASM", module)));
        let output = make.output().expect("the script runs");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains(said), "{builder:?}: {error}");
        assert!(!at("out/index.html").exists(), "{builder:?} made a page");
    }
}

/// How large the module is matters to continuous integration, and not to somebody who wants the page.
#[cfg(unix)]
#[test]
fn make_takes_a_module_of_any_size() {
    use std::os::unix::fs::PermissionsExt;
    let folder = common::TempDir::new("page-size");
    let root = crate::common::root();
    let at = |name: &str| folder.path().join(name);
    let script = |name: &str, text: &str| {
        fs::write(at(name), text).expect("written");
        fs::set_permissions(at(name), fs::Permissions::from_mode(0o755)).expect("set");
    };
    fs::create_dir(at("bin")).expect("made");
    script("bin/rustup", "#!/bin/sh\nprintf 'wasm32-unknown-unknown\\n%s' \"$OTHER_TARGET\"\n");
    let build = "#!/bin/sh\n[ \"$1\" = build ] || exit 0\nto=$CARGO_TARGET_DIR/wasm32-unknown-unknown/wasm\n\
        mkdir -p \"$to\" && head -c 2000000 /dev/zero > \"$to/skilltree_module.wasm\"\n";
    script("bin/cargo", build);
    let path = |more: &[&str]| {
        let own = more.iter().map(|name| at(name)).chain(["/usr/bin", "/bin"].map(PathBuf::from));
        std::env::join_paths(own).expect("a path")
    };
    let run = |program: &str, path: &std::ffi::OsStr, other: &str| {
        let mut command = std::process::Command::new(root.join(program));
        command.arg(at("out")).env_remove("SKILLTREE_WASM").env("PATH", path).env("OTHER_TARGET", other);
        let output = command.env("CARGO_TARGET_DIR", at("target")).output().expect("the script runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        (output.status.success(), text)
    };
    if Path::new("/usr/bin/wasm-opt").exists() {
        return crate::common::skip::skip("wasm-opt is a part of this system");
    }
    let (is_made, said) = run("src/wasm/page/make", &path(&["bin"]), "");
    assert!(is_made && at("out/index.html").exists(), "without wasm-opt: {said}");
    // What the optimiser writes is as large as what it reads.
    fs::create_dir(at("opt")).expect("made");
    script("opt/wasm-opt", "#!/bin/sh\nexit 0\n");
    let (is_made, said) = run("src/wasm/page/make", &path(&["bin", "opt"]), "");
    assert!(is_made, "with wasm-opt: {said}");
    let (is_well, said) = run(".ci/wasm", &path(&["bin", "opt"]), "wasm32-wasip1");
    assert!(!is_well && said.contains("got 2000000 and"), "continuous integration: {said}");
}

/// The page asks for the slim module only if it is there.
#[cfg(unix)]
#[test]
fn make_takes_the_slim_module_that_is_beside_the_full_one() {
    let folder = common::TempDir::new("page-slim");
    let at = |name: &str| folder.path().join(name);
    let make = || {
        let mut make = std::process::Command::new(common::root().join("src/wasm/page/make"));
        let output = make.arg(at("out")).env("SKILLTREE_WASM", at("full.wasm")).output().expect("the script runs");
        let worker = fs::read_to_string(at("out/worker.mjs")).expect("the worker");
        let asks = ["true", "false"].map(|word| worker.contains(&format!("const hasSlim = {word};")));
        (output.status.success(), asks, at("out/skilltree-slim.wasm").exists())
    };
    fs::write(at("full.wasm"), "").expect("written");
    assert_eq!(make(), (true, [false, true], false));
    fs::write(at("skilltree-slim.wasm"), "").expect("written");
    assert_eq!(make(), (true, [true, false], true));
    fs::remove_file(at("skilltree-slim.wasm")).expect("removed");
    assert_eq!(make(), (true, [false, true], false));
}

/// Other sites find the picture by a whole address alone.
#[cfg(unix)]
#[test]
fn make_names_the_picture_where_the_page_will_stand() {
    let folder = common::TempDir::new("page-address");
    let root = crate::common::root();
    let make = |address: &[&str]| {
        let mut make = std::process::Command::new(root.join("src/wasm/page/make"));
        // Any file will do for the module.
        make.arg(folder.path().join("out")).args(address).env("SKILLTREE_WASM", root.join("Cargo.toml"));
        let output = make.output().expect("the script runs");
        let page = fs::read_to_string(folder.path().join("out/index.html")).unwrap_or_default();
        let picture = page.split_once("og:image\" content=\"").and_then(|(_, rest)| rest.split('"').next());
        (output.status.success(), picture.unwrap_or_default().to_owned())
    };
    assert_eq!(make(&["ftp://example.org"]), (false, String::new()));
    assert_eq!(make(&["https://example.org/\" onload="]), (false, String::new()));
    assert_eq!(make(&[]), (true, "preview.png".to_owned()));
    let whole = (true, "https://example.org/skills/preview.png".to_owned());
    assert_eq!(make(&["https://example.org/skills"]), whole);
    assert_eq!(make(&["https://example.org/skills/"]), whole);
}
