//! The threat model names the tests that attack its guarantees: they exist.
#![cfg(not(target_family = "wasm"))]

use pretty_assertions::assert_eq;
use std::path::Path;

/// The text between backticks that begins with `tests/`.
fn named(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).filter(|word| word.starts_with("tests/")).collect()
}

/// Why a test that is named is not there.
fn complaint(root: &Path, name: &str) -> Option<String> {
    let (file, test) = name.split_once("::").map_or((name, None), |(file, test)| (file, Some(test)));
    let Ok(text) = std::fs::read_to_string(root.join(file)) else {
        return Some(format!("{name}: there is no such file"));
    };
    let is_there = test
        .is_none_or(|test| text.contains(&format!("\nfn {test}()")) || text.contains(&format!("async fn {test}()")));
    (!is_there).then(|| format!("{name}: there is no such test"))
}

#[test]
fn the_tests_that_are_named_are_there() {
    let root = crate::common::root();
    let text = std::fs::read_to_string(root.join("src/guide/threats.md")).expect("it is there");
    let names = named(&text);
    assert!(names.len() > 40, "{names:?}");
    let complaints: Vec<String> = names.iter().filter_map(|name| complaint(root, name)).collect();
    assert_eq!(complaints, Vec::<String>::new());
    assert!(complaint(root, "tests/threats.rs::nobody").is_some() && complaint(root, "tests/nowhere.rs").is_some());
    // Every guarantee names one.
    for guarantee in text.split("\n**").skip(1).take_while(|guarantee| !guarantee.contains("\n# ")) {
        assert!(!named(guarantee).is_empty(), "{guarantee}");
    }
}
