//! The smallest program, which lacks all features. It is a test program of its own, as it is empty with any of them but
//! `patterns`:
//! `cargo test -p skilltree-cli --no-default-features --test smallest`.
#![cfg(not(any(
    feature = "archives",
    feature = "lsp",
    feature = "mcp",
    feature = "processes",
    feature = "signatures"
)))]

#[path = "common/mod.rs"]
mod common;
#[path = "cli/program.rs"]
mod program;

use common::Tree;
use program::{Place, error_code};

/// How to install a program that lacks nothing.
const INSTALL: &str = "cargo install --path src/cli --all-features";

#[test]
fn what_is_absent_says_how_to_get_it_and_all_else_answers() {
    let tea = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";
    let command = "---\nname: now\ndescription: Tells the time.\n---\nIt is !`date`.\n";
    let tree = Tree::default().with("/project/.claude/skills/tea/SKILL.md", tea);
    let tree = tree.with("/project/.claude/skills/tea/scripts/boil.sh", "echo boiled\n");
    let tree = tree.with("/project/.claude/skills/now/SKILL.md", command).with("/project/tea.skill", "PK");
    let place = Place::of(tree);
    place.check("a list", &["list"], 0, &["tea", "Makes tea."], &[]);
    place.check("a load", &["load", "tea"], 0, &["Boil water."], &[]);
    place.check("a line", &["--dialect", "claude", "invoke", "/tea"], 0, &["Boil water."], &[]);
    let absent: [(&[&str], &str); 11] = [
        (&["mcp"], "without the server"),
        (&["mcp", "--allow-run", "--poll", "3"], "without the server"),
        (&["--dialect", "sven", "mcp"], "without the server"),
        (&["lsp", "--stdio"], "without the language server"),
        (&["run", "tea", "boil.sh"], "without the feature `processes`"),
        (&["toolset", "list", "tea"], "without the feature `processes`"),
        (&["--dialect", "claude", "--trust", "invoke", "/now", "--run"], "without the feature `processes`"),
        (&["pack", "tea"], "without the feature `archives`"),
        (&["unpack", "tea.skill", "--force"], "without the feature `archives`"),
        (&["--root", "tea.skill", "list"], "without the feature `archives`"),
        (&["index", ".claude/skills", "--output", "site"], "without the feature `archives`"),
    ];
    for (words, what) in absent {
        let code = if words[0] == "index" { 1 } else { 2 };
        place.check(&words.join(" "), words, code, &[], &[&format!("this program was built {what}"), INSTALL]);
    }
    // A site of single files needs no archive.
    place.check("published", &["index", ".claude/skills/now", "--output", "site"], 0, &["published 1 skill"], &[]);
    let run = ["--dialect", "claude", "--json", "--trust", "invoke", "/now", "--run"];
    let json = place.say(&run).json();
    assert_eq!(error_code(&json), Some("no-processes"));
}

/// What cannot be checked is never said to hold.
#[test]
fn signatures_are_not_known() {
    let tea = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";
    let tree = Tree::default().with("/project/.agents/skills/tea/SKILL.md", tea);
    let place = Place::of(tree.clone().with("/project/.agents/skills/tea/skill.oms.sig", "{}"));
    let why = "this program was built without the feature `signatures`";
    place.check("a signature", &["verify"], 0, &["unknown record", why, INSTALL], &[]);
    place.check("required", &["verify", "--require", "signature"], 1, &["unknown record"], &[]);
    let manifest = |more: &str| {
        let text = format!("{{\"version\": \"1.0.0\", \"files\": {{}}{more}}}");
        Place::of(tree.clone().with("/project/.agents/skills/tea/MANIFEST.sig.json", text))
    };
    manifest(", \"signature\": \"x\"").check("a manifest", &["verify"], 0, &["unknown record", why], &[]);
    manifest("").check("an unsigned one", &["verify"], 0, &["extra", "+SKILL.md"], &[]);
    // A lock that names a signer keeps it, and says that nothing is known of the signature.
    assert_eq!(place.say(&["lock"]).code, Some(0));
    let signer =
        "\"name\": \"tea\",\n      \"signer\": {\"kind\":\"oms\",\"root\":\"sha256:x\",\"subject\":\"CN=Tea\"},";
    let lock = place.read("project/skilltree.lock").unwrap().replace("\"name\": \"tea\",", signer);
    place.write("project/skilltree.lock", &lock);
    place.check("a signer", &["lock", "--check"], 1, &["unknown record", why], &["not every signer"]);
    place.exact("kept", &["lock"], 0, "`skilltree.lock` has 1 skill, and nothing has changed\n", "");
    for words in
        [&["trust"][..], &["trust", "root.pem"], &["verify", "--trust-root", "root.pem"], &["verify", "--at", "2026"]]
    {
        place.check("a root", words, 2, &[], &[why, INSTALL]);
    }
}
