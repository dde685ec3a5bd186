//! What the server says on standard error of what it looks at: in a line, and once.

use super::lines::{HELLO, Wire};
use crate::common::Tree;
use crate::program::{PATH, Place};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::io::Read;
use std::process::Stdio;

/// What is said in a session of so many requests for each list.
pub(super) fn told(place: &Place, words: &[&str], requests: usize) -> String {
    let mut wire = Wire::with_errors(place, words, Stdio::piped());
    wire.send(HELLO);
    wire.answer(&json!("hello"));
    wire.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    for n in 0..requests {
        for method in ["tools/list", "resources/list", "skills/list"] {
            let id = json!(format!("{method} {n}"));
            wire.send(json!({"jsonrpc": "2.0", "id": id, "method": method}).to_string());
            let answer = wire.answer(&id);
            assert!(answer.get("result").is_some(), "{answer}");
        }
    }
    drop(wire.input.take());
    assert_eq!(wire.ended(), Some(0));
    let mut told = String::new();
    wire.child.stderr.take().expect("a pipe").read_to_string(&mut told).expect("text");
    told
}

#[test]
fn without_skills_it_says_once_where_it_looked() {
    let place = Place::of(Tree::default().with_dir("/home/.agents/skills")).first(&["mcp"]).env("PATH", PATH);
    for requests in [0, 2] {
        let told = told(&place, &[], requests);
        assert_eq!(told.matches("no skills found").count(), 1, "{told}");
        for (path, there) in [
            ("home/.claude/skills", "does not exist"),
            ("home/.agents/skills", "exists"),
            ("project/.claude/skills", "does not exist"),
            ("project/.agents/skills", "does not exist"),
        ] {
            let path = place.named(path);
            let line = told.lines().find(|line| line.contains(&path));
            assert!(line.is_some_and(|line| line.contains(there)), "{path}: {told}");
        }
    }
    let place = Place::served(&[]);
    let told = told(&place, &[], 1);
    assert_eq!(told, "", "with skills nothing is said");
}

#[test]
fn what_is_not_served_is_one_line() {
    let odd: Vec<(String, String)> = (0..30)
        .map(|n| {
            let text = format!("---\nname: odd-{n}\ndescription: Odd.\nmetadata: [a]\n---\n");
            (format!("/project/.agents/skills/odd-{n}/SKILL.md"), text)
        })
        .collect();
    let odd: Vec<(&str, &str)> = odd.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let place = Place::served(&odd);
    for requests in [0, 2] {
        let told = told(&place, &[], requests);
        let lines: Vec<&str> = told.lines().filter(|line| line.contains("not-served")).collect();
        let [line] = lines[..] else { panic!("{told}") };
        assert!(line.contains("30 skills") && line.contains("odd-0/SKILL.md:4:1: "), "{line}");
        assert!(line.contains("`metadata` is not a mapping") && line.ends_with("and 27 more"), "{line}");
    }
    assert_eq!(told(&place, &["--quiet"], 1), "", "these are warnings");
    let place = Place::served(&odd[..1]);
    let told = told(&place, &[], 1);
    assert_eq!(
        told.lines().filter(|line| line.contains("[not-served]: the skill is not served: ")).count(),
        1,
        "{told}"
    );
}
