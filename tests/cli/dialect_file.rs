//! The real binary with dialects in files: where it finds them, what it says of one that is none, and that a project
//! gains no trust by its own.

use crate::common;

use crate::program::{Place, field, holds, said, texts};
use common::Tree;
use pretty_assertions::assert_eq;
use skilltree::Json;

const TEA: &str = "name: tea\nextends: agentskills\nsources:\n  \
    - {base: project, path: tea, label: tea, scope: project, origin: project}\n";

const FILES: &[(&str, &str)] = &[
    ("/project/mine.yaml", TEA),
    ("/project/bad.yaml", "name: bad\nextends: agentskills\nscan:\n  dept: 1\n"),
    ("/project/.skilltree/dialects/shop.yaml", "name: shop\nextends: house\nabout: of the project\n"),
    ("/project/.skilltree/dialects/house.yaml", "name: house\nextends: agentskills\nabout: of the project\n"),
    ("/project/.skilltree/dialects/loop.yaml", "name: loop\nextends: loop\n"),
    ("/project/.skilltree/dialects/claude.yaml", "name: never read\n"),
    ("/project/.skilltree/dialects/notes.txt", "No dialect.\n"),
    ("/home/.config/skilltree/dialects/house.yaml", TEA),
    ("/home/.config/skilltree/dialects/lost.yaml", "name: lost\nextends: shop\n"),
    ("/project/tea/green/SKILL.md", "---\nname: green\ndescription: Green tea.\nallowed-tools: Bash\n---\nPour.\n"),
];

fn place() -> Place {
    at_usual_places(Tree::default().files(FILES))
}

/// Without the variable that names another folder of the configuration.
fn at_usual_places(tree: Tree) -> Place {
    Place::of(tree).env("SKILLTREE_CONFIG", "")
}

#[test]
fn a_dialect_is_named_by_its_file() {
    let t = place();
    t.fields(
        "a path",
        &["list", "--dialect", "./mine.yaml"],
        0,
        &[("dialect", "\"tea\""), ("skills.0.key", "\"green\"")],
    );
    t.fields("a file here", &["list", "--dialect", "mine.yaml"], 0, &[("dialect", "\"tea\"")]);
    t.fields("an absolute path", &["list", "--dialect", &t.named("/project/mine.yaml")], 0, &[("dialect", "\"tea\"")]);
    t.fields("one of the user", &["list", "--dialect", "house"], 0, &[("dialect", "\"tea\"")]);
    t.fields("one of the project", &["list", "--dialect", "shop"], 0, &[("dialect", "\"shop\"")]);
    t.fields("one that is built in", &["list", "--dialect", "claude"], 0, &[("dialect", "\"claude\"")]);
    t.fields("a profile", &["check", "--profile", "mine.yaml"], 0, &[]);
    t.check("a command that repeats it", &["load", "gren", "--dialect", "./mine.yaml"], 1, &[], &["`green`"]);
    let stub = ["--dialect=", &t.named("/project/mine.yaml")].concat();
    t.check(
        "a program that runs elsewhere",
        &["tool", "--stub", "python", "--dialect", "./mine.yaml"],
        0,
        &[&stub],
        &[],
    );
    let mut elsewhere = t.command(&["list", "--project", "../project", "--json", "--dialect", "shop"]);
    let said = said(elsewhere.current_dir(t.at("/home")));
    assert_eq!(said.json().get("dialect").and_then(Json::as_text), Some("shop"), "{}", said.err);
}

#[test]
fn the_variables_name_a_file_and_a_folder() {
    let t = place().env("SKILLTREE_DIALECT", "./mine.yaml");
    t.fields("the usual one", &["list"], 0, &[("dialect", "\"tea\"")]);
    let t = place();
    let config = t.at("/home/.config");
    let t = t.env("XDG_CONFIG_HOME", config).env("HOME", "/nowhere");
    t.fields("the folder", &["list", "--dialect", "house"], 0, &[("dialect", "\"tea\"")]);
    let t = place().env("SKILLTREE_CONFIG", "../home/.config/skilltree").env("HOME", "/nowhere");
    t.fields("the folder of the configuration", &["list", "--dialect", "house"], 0, &[("dialect", "\"tea\"")]);
    let t = place().env("XDG_CONFIG_HOME", "relative");
    t.fields("a relative one is ignored", &["list", "--dialect", "house"], 0, &[("dialect", "\"tea\"")]);
}

#[test]
fn a_file_that_is_no_dialect_is_shown_with_its_line() {
    let t = place();
    let parts =
        &["error", "unknown part `dept`", "bad.yaml:4:3", "dept: 1", "^^^^", "did you mean `depth`?", "1 error"];
    t.check("a key", &["list", "--dialect", "bad.yaml"], 2, &[], parts);
    t.check("a profile", &["check", "--profile", "bad.yaml"], 2, &[], parts);
    t.fields("its code", &["list", "--dialect", "bad.yaml"], 2, &[("error.code", "\"dialect-file\"")]);
    let (_, json) = t.json(&["list", "--dialect", "bad.yaml"]);
    holds("each finding", &field(&json, "error.more.0"), &["bad.yaml:4:3: `scan`: unknown part `dept`"]);
    t.check("none", &["list", "--dialect", "./none.yaml"], 2, &[], &["none.yaml", "does not exist"]);
    t.check("a folder", &["list", "--dialect", "./tea"], 2, &[], &["tea"]);
    t.check("itself", &["list", "--dialect", "loop"], 2, &[], &["`loop` itself"]);
    t.check("of the user", &["list", "--dialect", "lost"], 2, &[], &["got `shop`"]);
    let known = &["unknown dialect `none`", "`agentskills`", "`claude`", "`house`", "`lost`", "`loop`", "`shop`"];
    t.check("a name", &["list", "--dialect", "none"], 2, &[], known);
    std::fs::write(t.at("/project/large.yaml"), vec![b' '; 262_145]).expect("written");
    t.check("large", &["list", "--dialect", "large.yaml"], 2, &[], &["at most 262144 bytes, got 262145"]);
    std::fs::write(t.at("/project/odd.yaml"), b"name: a\nx: \xff").expect("written");
    t.check("no text", &["list", "--dialect", "odd.yaml"], 2, &[], &["expected UTF-8", "odd.yaml:2:4"]);
}

#[test]
fn a_dialect_file_is_checked() {
    let t = place();
    let note = |name: &str| format!("note: `{name}` was checked as a dialect file\n");
    t.exact("nothing is wrong", &["check", "mine.yaml"], 0, "no findings\n", &note("mine.yaml"));
    let parts = &["unknown part `dept`", "bad.yaml:4:3", "did you mean `depth`?"];
    t.check("a mistake", &["check", "./bad.yaml", "mine.yaml"], 1, parts, &[&note("./bad.yaml")]);
    let found = &[("findings.0.code", "\"dialect-file\""), ("error.code", "\"check-failed\"")];
    t.fields("its JSON", &["check", "bad.yaml"], 1, found);
    t.check("beside a skill", &["check", "tea/green", "bad.yaml"], 1, parts, &[&note("bad.yaml")]);
    for (text, reason) in [("", "expected a dialect, got an empty file"), ("{\n", "not valid YAML")] {
        std::fs::write(t.at("/project/broken.yaml"), text).expect("written");
        t.check(
            "a broken one",
            &["check", "broken.yaml"],
            1,
            &["error[dialect-file]", reason],
            &[&note("broken.yaml")],
        );
    }
    std::fs::write(t.at("/project/other.yaml"), "a: x\n").expect("written");
    t.check("another file", &["check", "other.yaml"], 1, &["frontmatter-missing"], &[]);
}

#[test]
fn dialects_are_listed_and_printed() {
    let t = place();
    t.check("a list", &["dialect"], 0, &["agentskills", "claude", "house", "lost", "loop", "shop"], &[]);
    let (_, json) = t.json(&["dialect"]);
    assert_eq!(texts(&json, "files", "name"), ["house", "lost", "loop", "shop"]);
    let paths = texts(&json, "files", "path");
    assert_eq!(paths[0], t.named("/home/.config/skilltree/dialects/house.yaml"), "the user's is used");
    let first = "# A summary; `skilltree dialect --yaml mine.yaml` prints the dialect file\nname: tea\n";
    t.check("a table", &["dialect", "mine.yaml"], 0, &[first], &[]);
    t.fields("its JSON", &["dialect", "mine.yaml"], 0, &[("name", "\"tea\""), ("sources.0.path", "\"./tea\"")]);

    let printed = t.say(&["dialect", "sven", "--yaml"]).out;
    std::fs::write(t.at("/project/again.yaml"), &printed).expect("written");
    assert_eq!(t.say(&["dialect", "again.yaml", "--yaml"]).out, printed);
    let schema = t.say(&["dialect", "--schema"]).json();
    assert!(schema.get("$defs").is_some(), "{schema}");
    for words in [&["dialect", "--yaml"][..], &["dialect", "sven", "--schema"]] {
        assert_eq!(t.say(words).code, Some(2), "{words:?}");
    }
}

#[test]
fn a_project_gains_no_trust_by_its_dialect() {
    let t = place();
    let invoke = ["invoke", "/green", "--dialect", "mine.yaml"];
    t.fields("no tools are granted", &invoke, 0, &[("kind", "\"inline\""), ("tools", "[]")]);
    let trusted = [&invoke[..], &["--trust"]].concat();
    t.fields("but for the user's word", &trusted, 0, &[("tools", "[\"Bash\"]")]);
    let write = |name: &str, text: &str| std::fs::write(t.at(&format!("/project/{name}")), text).expect("written");
    let source = |rest: &str| format!("name: x\nextends: agentskills\nsources: [{{scope: s, label: own, {rest}}}]\n");
    // The project as a folder of the home directory.
    let at_home = |rest: &str, case: &str, why: &str| {
        write("own.yaml", &source(rest));
        let home = t.named("/");
        t.check(case, &["list", "--dialect", "own.yaml", "--home", &home], 2, &[], &["`x`", why, "`own`"]);
    };
    at_home("base: home, path: project/tea, origin: user", "below the project", "it lies in the project");
    let plugins = "base: home, path: project, origin: plugin, kind: {plugins: {list: installed.json, skills: skills}}";
    at_home(plugins, "the project", "the project");
    at_home("base: home, path: '', origin: user", "above the project", "the project lies in it");
    write("own.yaml", &source("base: project, path: tea, origin: user"));
    t.check("its origin", &["list", "--dialect", "own.yaml"], 2, &[], &["expected `project`"]);
    write("own.yaml", &source("base: home, path: tea, origin: user"));
    t.check("another folder of the home", &["list", "--dialect", "own.yaml", "--home", &t.named("/")], 0, &[], &[]);
}

#[cfg(unix)]
#[test]
fn a_dialect_of_the_project_does_not_lead_out_of_it() {
    use std::os::unix::fs::symlink;
    let t = place();
    let dialects = t.at("/project/.skilltree/dialects");
    symlink(t.at("/home/.config/skilltree/dialects/house.yaml"), dialects.join("out.yaml")).expect("linked");
    t.check("a symlink out", &["list", "--dialect", "out"], 2, &[], &["leads out of the project"]);
    symlink("house.yaml", dialects.join("in.yaml")).expect("linked");
    t.fields("a symlink within", &["dialect", "in"], 0, &[("about", "\"of the project\"")]);
    symlink(t.at("/home/.config/skilltree/dialects/house.yaml"), t.at("/project/link.yaml")).expect("linked");
    t.fields("one that the user names", &["dialect", "./link.yaml"], 0, &[("name", "\"tea\"")]);

    let t = at_usual_places(Tree::default().files(&[("/home/d/out.yaml", TEA)]).with_dir("/project/.skilltree"));
    symlink(t.at("/home/d"), t.at("/project/.skilltree/dialects")).expect("linked");
    t.check("a folder out", &["list", "--dialect", "out"], 2, &[], &["leads out of the project"]);
    t.fields("and is not listed", &["dialect"], 0, &[("files", "[]")]);
}
