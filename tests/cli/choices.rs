//! The real binary with the files in which a user and a project choose: which files it reads, what it takes from them, and
//! what `state` shows and writes in dialects without states of their own.

use crate::common;

use crate::program::{Place, error_code};
use common::Tree;
use pretty_assertions::assert_eq;
use skilltree::Json;

const FILES: &[(&str, &str)] = &[
    ("/home/.claude/skills/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n"),
    (
        "/project/.claude/skills/mine/SKILL.md",
        "---\nname: mine\ndescription: Mine.\ndisable-model-invocation: true\n---\nText.\n",
    ),
    ("/more/skills/milk/SKILL.md", "---\nname: milk\ndescription: Milk.\n---\nPour.\n"),
];

const USER: &str = "config/skilltree.yaml";

fn place(more: &[(&str, &str)]) -> Place {
    Place::of(Tree::default().files(FILES.iter().chain(more)))
}

/// The keys that `list` finds, and the name of the dialect.
#[track_caller]
fn listed(place: &Place, words: &[&str]) -> (String, Vec<String>) {
    let (code, json) = place.json(&[&["list"], words].concat());
    assert_eq!(code, Some(0), "{json}");
    let dialect = json.get("dialect").and_then(Json::as_text).unwrap_or_default().to_owned();
    let keys = crate::program::texts(&json, "skills", "key");
    (dialect, keys.into_iter().map(str::to_owned).collect())
}

#[test]
fn where_the_users_file_is() {
    let claude = "dialect: claude\n";
    let is_read = |case: &str, place: Place, expect: &str| assert_eq!(listed(&place, &[]).0, expect, "{case}");
    is_read("the variable", place(&[("/config/skilltree.yaml", claude)]), "claude");
    is_read("a relative one", place(&[("/project/c/skilltree.yaml", claude)]).env("SKILLTREE_CONFIG", "c"), "claude");
    is_read("no such folder", place(&[]).env("SKILLTREE_CONFIG", "/nonexistent"), "agentskills");
    let home = || place(&[("/home/.config/skilltree/skilltree.yaml", claude)]);
    is_read("the variable beats the home", home(), "agentskills");
    if cfg!(unix) {
        is_read("an empty one is none", home().env("SKILLTREE_CONFIG", ""), "claude");
        let relative = home().env("SKILLTREE_CONFIG", "").env("XDG_CONFIG_HOME", "x");
        is_read("a relative shared folder is none", relative, "claude");
        let shared = place(&[("/shared/skilltree/skilltree.yaml", claude)]).env("SKILLTREE_CONFIG", "");
        let folder = shared.named("shared");
        is_read("the shared folder", shared.env("XDG_CONFIG_HOME", folder), "claude");
        let other = place(&[("/else/.config/skilltree/skilltree.yaml", claude)]).env("SKILLTREE_CONFIG", "");
        let home = other.named("else");
        assert_eq!(listed(&other, &["--home", &home]).0, "claude", "another home");
        let t = place(&[]).env("SKILLTREE_CONFIG", "");
        let mut homeless = t.command(&["list"]);
        assert_eq!(crate::program::said(homeless.env_remove("HOME")).code, Some(0), "no home");
    }
}

#[test]
fn the_usual_dialect_and_more_roots() {
    let t = place(&[("/config/skilltree.yaml", "dialect: claude\nroots: [../more/skills]\n")]);
    let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
    assert_eq!(listed(&t, &[]), ("claude".to_owned(), keys(&["milk", "tea", "mine"])));
    assert_eq!(listed(&t, &["--dialect", "sven"]).0, "sven", "an option beats it");
    assert_eq!(listed(&t, &["--only-roots", "--root", "."]).1, keys(&[]), "only those of the command line");
    t.check("a stub names it", &["tool", "--stub", "python"], 0, &["--dialect=claude"], &[]);
    let t = t.env("SKILLTREE_DIALECT", "pegasus");
    assert_eq!(listed(&t, &[]).0, "pegasus", "the variable beats it");

    let milk = ("/own/milk/SKILL.md", "---\nname: milk\ndescription: Own milk.\n---\nPour.\n");
    let t = place(&[("/config/skilltree.yaml", "roots: [../more/skills, ~/none]\n"), milk]);
    let own = t.named("own");
    t.check(
        "a root of the command line is higher",
        &["list", "--root", &own],
        0,
        &["Own milk.", "SHADOWED", "milk"],
        &[],
    );
    let found = ["source-unreadable", "none", "does not exist"];
    let (_, json) = t.json(&["list"]);
    let json = json.to_string();
    assert!(found.iter().all(|part| json.contains(part)), "a root that does not exist: {json}");

    let wrong = place(&[("/config/skilltree.yaml", "dialect: latin\n")]);
    let errors = ["unknown dialect `latin`", "help:", "`dialect` of your `skilltree.yaml`", "--dialect"];
    wrong.check("no dialect", &["list"], 2, &[], &errors);
    let broken = place(&[("/config/skilltree.yaml", "dialect: [\n")]);
    let (dialect, keys) = listed(&broken, &[]);
    assert_eq!((dialect.as_str(), keys.len()), ("agentskills", 2), "a broken file stops nothing");
    broken.check("it is told of", &["check"], 1, &["store-corrupt"], &[]);
    let project = place(&[("/project/skilltree.yaml", "dialect: claude\nroots: [/]\n")]);
    assert_eq!(listed(&project, &[]).0, "agentskills", "a project chooses neither");
}

/// The states that `state … --json` gives, and the code of its error.
#[track_caller]
fn states(t: &Place, words: &[&str], code: i32, expect: &[(&str, &str)], error: Option<&str>) {
    let (got, json) = t.json(&[&["state"], words].concat());
    let Some(Json::Map(states)) = json.get("states") else { panic!("{words:?}: {json}") };
    let states: Vec<_> = states.iter().map(|(key, state)| (key.as_str(), state.as_text().unwrap())).collect();
    assert_eq!((got, states, error_code(&json)), (Some(code), expect.to_vec(), error), "{words:?}");
}

#[test]
fn states_in_text() {
    let t = place(&[]);
    let all = [
        "KEY",
        "STATE",
        "BY",
        "DESCRIPTION",
        "tea",
        "full",
        "default",
        "Makes tea.",
        "mine",
        "user-only",
        "frontmatter",
    ];
    t.check("all", &["state"], 0, &all, &[]);
    t.check("one", &["state", "tea"], 0, &["tea full\n"], &[]);
    t.check("a change", &["state", "tea", "name-only"], 0, &["tea name-only\n"], &[]);
    assert_eq!(t.read(USER).as_deref(), Some("skills:\n  tea: name-only\n"));
    t.check("the change stays", &["state"], 0, &["tea", "name-only", "skilltree.yaml:2"], &[]);
    t.check("why", &["why", "tea"], 0, &["listed by its name only: set to `name-only` by the entry `tea`"], &[]);
    t.check("the prompt", &["prompt"], 0, &["<name>tea</name>\n  </skill>"], &[]);
    t.check("off", &["state", "tea", "off"], 0, &["tea off\n"], &[]);
    t.check("the list", &["list"], 0, &["off"], &[]);
    t.check("loading", &["load", "tea"], 1, &[], &["is disabled", "--enable tea"]);
    t.check("the options beat it", &["load", "tea", "--enable", "tea"], 0, &["Boil water."], &[]);
    t.check("switched off by an option", &["state", "--disable", "mine"], 0, &["tea", "mine", "off", "--disable"], &[]);
    let note = ["note: `mine` is `user-only`, as decided by: frontmatter"];
    t.check("the frontmatter hides", &["state", "mine", "full"], 0, &["mine user-only\n"], &note);
    assert_eq!(t.read(USER).as_deref(), Some("skills:\n  tea: off\n  mine: full\n"));

    let project = "project/.skilltree/skilltree.yaml";
    t.check(
        "in the project",
        &["state", "tea", "user-only", "--project-level"],
        0,
        &["tea off\n"],
        &["note: `tea` is `off`"],
    );
    assert_eq!(t.read(project).as_deref(), Some("skills:\n  tea: user-only\n"));
    let refused = ["error: the file of a project may only narrow", "name-only, user-only or off, got full"];
    t.check("nothing wider", &["state", "tea", "full", "--project-level"], 1, &[], &refused);
    let note = ["note: `tea` is `user-only`", "skilltree.yaml:2"];
    t.check("the project narrows", &["state", "tea", "full"], 0, &["tea user-only\n"], &note);

    for word in ["on", "enable", "active"] {
        t.check("the same in other words", &["state", "tea", word], 0, &["tea user-only\n"], &note);
    }
    t.check("the next one", &["state", "tea", "next"], 0, &["tea off\n"], &[]);
    t.check("off in another word", &["state", "tea", "disable"], 0, &["tea off\n"], &[]);
    t.check("no word", &["state", "tea", "sometimes"], 2, &[], &["sometimes", "name-only"]);
    t.check("unknown", &["state", "tee", "off"], 1, &[], &["error: there is no skill `tee`; did you mean `tea`?"]);
    t.check("no skills", &["state", "--only-roots"], 0, &[], &["no skills found"]);
}

#[test]
fn states_in_json() {
    let t = place(&[]);
    states(&t, &[], 0, &[("tea", "full"), ("mine", "user-only")], None);
    states(&t, &["tea"], 0, &[("tea", "full"), ("mine", "user-only")], None);
    states(&t, &["tea", "pinned"], 0, &[("tea", "pinned"), ("mine", "user-only")], None);
    states(
        &t,
        &["tea", "pinned", "--project-level"],
        1,
        &[("tea", "pinned"), ("mine", "user-only")],
        Some("bad-arguments"),
    );
    states(&t, &["tee", "off"], 1, &[("tea", "pinned"), ("mine", "user-only")], Some("unknown"));
    t.fields("pinned", &["list"], 0, &[("skills.0.pinned", "true"), ("skills.0.visibility", "\"pinned\"")]);
    t.fields("by line", &["list"], 0, &[("skills.0.decided_by.line", "2"), ("skills.1.visibility", "-")]);
}

#[test]
fn files_that_are_not_written() {
    let broken = "skills: {tea: off\n";
    let t = place(&[("/config/skilltree.yaml", broken)]);
    states(&t, &["tea", "full"], 1, &[("tea", "full"), ("mine", "user-only")], Some("store-corrupt"));
    t.check("in text", &["state", "tea", "full"], 1, &[], &["is corrupt and is not overwritten"]);
    assert_eq!(t.read(USER).as_deref(), Some(broken));
    if cfg!(unix) {
        let t = place(&[]).env("SKILLTREE_CONFIG", "");
        let mut homeless = t.command(&["state", "tea", "off", "--root", &t.named("home/.claude/skills")]);
        let said = crate::program::said(homeless.env_remove("HOME"));
        assert_eq!(said.code, Some(2), "{}", said.err);
    }
    #[cfg(unix)]
    {
        let t = place(&[("/out/x", "")]);
        std::os::unix::fs::symlink(t.at("out"), t.at("project/.skilltree")).unwrap();
        t.check("out of the project", &["state", "tea", "off", "--project-level"], 2, &[], &["error"]);
        assert_eq!(std::fs::read_dir(t.at("out")).unwrap().count(), 1, "nothing is written there");
        let t = place(&[("/dotfiles/mine.yaml", "# mine\n")]);
        std::fs::create_dir_all(t.at("config")).unwrap();
        std::os::unix::fs::symlink(t.at("dotfiles/mine.yaml"), t.at(USER)).unwrap();
        t.check("a symlink of the user", &["state", "tea", "off"], 0, &["tea off"], &[]);
        assert_eq!(t.read("dotfiles/mine.yaml").as_deref(), Some("# mine\nskills:\n  tea: off\n"));
        assert!(t.at(USER).is_symlink());
    }
}

/// An entry for a key with `*` would be about other skills as well.
#[test]
fn a_key_that_is_a_pattern() {
    let star = "---\nname: '*'\ndescription: Star.\n---\nText.\n";
    let place = place(&[("/project/.agents/skills/star/SKILL.md", star)]);
    let words = ["state", "*", "off"];
    place.check("refused", &words, 1, &[], &["`*` is a pattern in a file of choices", "other skills"]);
    assert!(!place.at(USER).exists());
}
