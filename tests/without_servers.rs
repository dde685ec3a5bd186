//! The program without its servers, which is what a first look is built with. It is a test program of its own, as it is
//! empty with all features and has to be built without them: `cargo test -p skilltree-cli --test without_servers`.
#![cfg(all(not(feature = "lsp"), not(feature = "mcp")))]

#[path = "common/mod.rs"]
mod common;
#[path = "cli/program.rs"]
mod program;

use common::Tree;
use program::Place;

#[test]
fn the_server_says_how_to_get_it_and_all_else_answers() {
    let tea = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";
    let place = Place::of(Tree::default().with("/project/.claude/skills/tea/SKILL.md", tea));
    place.check("a list", &["list"], 0, &["tea", "Makes tea."], &[]);
    place.check("a load", &["load", "tea"], 0, &["Boil water."], &[]);
    for words in [&["mcp"][..], &["mcp", "--allow-run", "--poll", "3"], &["--dialect", "sven", "mcp"]] {
        let expect = ["this program was built without the server", "cargo install --path src/cli --all-features"];
        place.check("the server", words, 2, &[], &expect);
    }
    let expect = ["this program was built without the language server", "cargo install --path src/cli --all-features"];
    place.check("the language server", &["lsp", "--stdio"], 2, &[], &expect);
}

/// What cannot be checked is never said to hold.
#[cfg(not(feature = "signatures"))]
#[test]
fn signatures_are_not_known() {
    let tea = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";
    let tree = Tree::default().with("/project/.agents/skills/tea/SKILL.md", tea);
    let place = Place::of(tree.clone().with("/project/.agents/skills/tea/skill.oms.sig", "{}"));
    let why = "this program was built without the feature `signatures`";
    place.check("a signature", &["verify"], 0, &["unknown record", why, "cargo install --path src/cli"], &[]);
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
        place.check("a root", words, 2, &[], &[why, "cargo install --path src/cli"]);
    }
}
