//! The real binary asked why: paths from any folder, names of nobody, lists of nothing, and what commands point to.

use crate::common;

use crate::program::{Place, error_code, field, heard, holds};
use common::Tree;
use pretty_assertions::assert_eq;

const TEA: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";

fn place(files: &[(&str, &str)]) -> Place {
    Place::of(Tree::default().files(files))
}

impl Place {
    /// What a command says that is started in a folder of the place.
    fn from(&self, dir: &str, words: &[&str]) -> crate::program::Said {
        heard(self.bare(words).current_dir(self.at(dir)).output().expect("the binary starts"))
    }
}

#[test]
fn a_subfolder_of_the_project() {
    let files =
        [("/project/.claude/skills/tea/SKILL.md", TEA), ("/project/sub/.git/HEAD", ""), ("/project/sub/tea/x", "")];
    let place = place(&files);
    let root = place.named("project");
    let says = |case: &str, words: &[&str], parts: &[&str]| {
        let said = place.from("project/sub", &[&["--dialect", "claude", "why"], words].concat());
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{case}: {}", said.out);
        holds(case, &said.out, parts);
    };
    let another = [": skipped [not-in-source]\n", "a source of the project `", "why", &format!("--project {root}")];
    says("by a path from here", &["../.claude/skills/tea/SKILL.md"], &another);
    says("by a whole path", &[&format!("{root}/.claude/skills/tea")], &another);
    says("with the project", &["../.claude/skills/tea", "--project", ".."], &["tea/SKILL.md: in-use\n"]);
    says("a name before a path", &["tea", "--project", ".."], &["tea/SKILL.md: in-use\n"]);
    says("a path before that of the project", &["./tea", "--project", ".."], &["sub/tea: skipped [not-in-source]\n"]);
    says("a path from the project", &[".claude/skills/tea", "--project", ".."], &["tea/SKILL.md: in-use\n"]);
    let list = place.from("project/sub", &["--dialect", "claude", "list"]);
    assert_eq!((list.code, list.out.as_str()), (Some(0), ""));
    let told =
        ["note: 1 SKILL.md file was seen in another project; `skilltree why /", "`skilltree list --dialect claude"];
    holds("a list", &list.err, &told);
}

#[test]
fn a_list_of_nothing() {
    let place = place(&[
        ("/project/.claude/skills/a/b/SKILL.md", TEA),
        ("/project/.claude/skills/a/b/c/d/SKILL.md", TEA),
        ("/project/elsewhere/SKILL.md", TEA),
        ("/project/node_modules/x/SKILL.md", TEA),
    ]);
    let note = "note: 2 SKILL.md files were seen too deep, 1 outside every source; `skilltree why /";
    let why = place.from("project", &["--dialect", "claude", "why", "nothing"]);
    assert_eq!((why.code, why.err.matches(note).count()), (Some(1), 1), "{}", why.err);
    // A list looks no further, and says what does.
    let deeper =
        "note: 1 folder lies deeper than `claude` searches; `skilltree check --dialect claude` searches there\n";
    for words in [&["list"][..], &["tree"]] {
        let said = place.from("project", &[&["--dialect", "claude"], words].concat());
        assert_eq!((said.code, said.err.matches(deeper).count()), (Some(0), 1), "{words:?}: {}", said.err);
        assert!(!said.err.contains("outside every source"), "{words:?}: {}", said.err);
    }
    let said = place.from("project", &["--dialect", "claude", "check"]);
    holds("a check", &said.out, &["note[too-deep]", "a/b/c/d/SKILL.md"]);
    let some = place.from("project", &["--root", "elsewhere/..", "list"]);
    assert!(!some.err.contains("outside every source"), "there are skills: {}", some.err);
    let none = place.from("home", &["--dialect", "claude", "list"]);
    assert!(!none.err.contains("SKILL.md file"), "there are none: {}", none.err);
}

#[test]
fn a_name_of_nobody() {
    let place = place(&[("/project/.claude/skills/pdf-processing/SKILL.md", TEA)]);
    let words = ["--dialect", "claude", "why", "pdf-procesing"];
    let said = place.bare(&words).output().map(heard).unwrap();
    assert_eq!((said.code, said.out.as_str()), (Some(1), ""));
    let parts = [
        "no skill or file `pdf-procesing` was found; did you mean `pdf-processing`?",
        "help: skills are searched for in `",
    ];
    holds("in text", &said.err, &parts);
    holds("each place", &said.err, &["project/.claude/skills`, `", "home/.claude/skills` (does not exist)"]);
    let json = place.bare(&[&words[..], &["--json"]].concat()).output().map(heard).unwrap().json();
    assert_eq!((error_code(&json), field(&json, "outcomes")), (Some("unknown"), "[]".to_owned()));
    holds("as JSON", &field(&json, "error.help"), &[".claude/skills"]);
}

/// A folder that may not be read is not taken for one that is missing.
#[cfg(unix)]
#[test]
fn what_may_not_be_read() {
    let place = place(&[("/home/.agents/skills/tea/SKILL.md", TEA)]);
    for (asked, why) in [("tea", "`tea` was found\n"), ("../home/.agents/other", "may not be read (permission denied)")]
    {
        let Some(said) = place.say_while_forbidden("home/.agents", &["why", asked]) else { return };
        assert_eq!((said.code, said.out.as_str()), (Some(1), ""), "{asked}: {}", said.err);
        holds(asked, &said.err, &[why, "home/.agents/skills` (cannot be read)", "[source-unreadable]"]);
        assert!(!said.err.contains("no such file"), "{asked}: {}", said.err);
    }
}

/// A key of no letters is one, and no command.
#[test]
fn an_empty_name() {
    let nameless = "---\nname:\ndescription: Does tea.\n---\nBoil water.\n";
    let place = place(&[("/project/.gemini/skills/a/SKILL.md", nameless)]).last(&["--dialect", "gemini"]);
    place.check("loaded", &["load", ""], 0, &["Boil water."], &[]);
    place.check("explained", &["why", ""], 0, &[".gemini/skills/a/SKILL.md: in-use\n"], &[]);
    place.exact("completed", &["complete"], 0, "", "");
    place.check("invoked", &["invoke", "/"], 1, &["/\n"], &[]);
}

/// An entry of an archive that is refused because of its name is known by the names in it.
#[test]
fn entries_that_are_refused() {
    let archive = |name: &str| crate::raw::build(&[crate::raw::file(name, TEA)]);
    let tree = Tree::default().with("/project/win.zip", archive("pdf\\SKILL.md"));
    let place = Place::of(tree.with("/project/dot.zip", archive("./pdf/SKILL.md")));
    let root = |root: &'static str| ["--only-roots", "--root", root, "why", "pdf"];
    place.check("a backslash", &root("win.zip"), 0, &["skipped [entry-refused]", "contains a `\\`"], &[]);
    place.check("a dot", &root("dot.zip"), 0, &["dot.zip/pdf/SKILL.md: in-use\n"], &[]);
}

/// A store that cannot be read: what a list points to shows it.
#[test]
fn what_is_wrong_with_stores() {
    let skill = ("/project/.gen/skills/tea/SKILL.md", TEA);
    let stores = [
        ("/project/.gen/skills.json", "{", "store-corrupt", 1),
        ("/home/.gen/skills.json", "{\"skills\": {\"tea\": \"on\"}}", "state-unknown", 0),
        ("/home/.gen/plugins/installed_plugins.json", "[", "store-corrupt", 1),
    ];
    for (path, text, code, exit) in stores {
        let place = place(&[skill, (path, text)]);
        let say = |words: &[&str]| heard(place.bare(&[&["--dialect", "gencode"], words].concat()).output().unwrap());
        let list = say(&["list"]);
        holds(path, &list.err, &[path, code, "`skilltree check"]);
        let check = say(&["check"]);
        assert_eq!(check.code, Some(exit), "{path}: {}", check.out);
        holds(path, &check.out, &[code, path]);
        let state = say(&["state"]);
        assert_eq!(state.code, Some(0), "{path}: {}", state.err);
        holds(path, &state.err, &[path, code]);
        holds(path, &say(&["state", "tea"]).err, &[path, code]);
        holds(path, &say(&["state", "--json"]).json().to_string(), &["states", "tea", "findings", code]);
        let why = say(&["why", &place.named(path)]);
        assert_eq!((why.code, why.err.as_str()), (Some(0), ""), "{path}");
        holds(path, &why.out, &[path, code, "help: "]);
    }
    let place = place(&[skill]);
    let fine = heard(place.bare(&["--dialect", "gencode", "state"]).output().unwrap());
    assert_eq!((fine.code, fine.err.as_str()), (Some(0), ""));
}

/// The one error is told at once, and what else is found by a check.
#[test]
fn what_a_list_points_to() {
    let broken = "---\nname: broken\n---\n";
    let odd = "---\nname: Odd\ndescription: D.\n---\n";
    let place = place(&[("/project/.agents/skills/odd/SKILL.md", odd), ("/project/.agents/skills/tea/SKILL.md", TEA)]);
    let said = place.from("project", &["list"]);
    assert!(said.err.contains("`skilltree check` shows them\n"), "{}", said.err);
    let place =
        self::place(&[("/project/.agents/skills/odd/SKILL.md", odd), ("/project/.agents/skills/b/SKILL.md", broken)]);
    let said = place.from("project", &["list"]);
    holds("lost", &said.err, &["b/SKILL.md: error[description-missing]", "`skilltree check` shows them"]);
}

/// What is shown of a name can be given to another command.
#[test]
fn blanks_in_names() {
    let skill = "---\ndescription: D.\nsven:\n  user_invocable_only: true\n---\n";
    let place = place(&[("/project/.sven/skills/two  sp/SKILL.md", skill)]);
    place.check(
        "sven",
        &["--dialect", "sven", "why", "two  sp"],
        0,
        &["two  sp/SKILL.md: hidden", "`two  sp` is"],
        &[],
    );
}

#[test]
fn the_text_names_the_option_that_helps() {
    let place = place(&[("/project/.agents/skills/tea/SKILL.md", TEA)]);
    let words = ["why", "tea", "--budget", "0"];
    place.check("as text", &words, 0, &["left-out", "larger budget: `--budget N`\n"], &[]);
    let json = place.say(&[&words[..], &["--json"]].concat());
    assert!(json.out.contains("larger budget") && !json.out.contains("--budget"), "as JSON: {}", json.out);
}

#[test]
fn the_prompt_for_a_request() {
    let coffee = "---\nname: coffee\ndescription: Makes coffee.\n---\n";
    let skills = [("/project/.claude/skills/tea/SKILL.md", TEA), ("/project/.claude/skills/coffee/SKILL.md", coffee)];
    let place = place(&skills);
    let says = |case: &str, name: &str, query: &[&str], expect: &str| {
        let words = [&["--dialect", "claude", "why", name, "--budget", "35"], query].concat();
        let said = place.say(&words);
        let line = said.out.lines().nth(1).unwrap_or_default().trim_start();
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{case}");
        assert_eq!(line, expect.replace('@', name), "{case}");
    };
    let in_use = "`@` is in use, from the source `project-claude`";
    let shortened = "only the name of `@` is in the prompt: its description did not fit";
    says("the last one gives way", "tea", &[], shortened);
    says("the first one stays", "coffee", &[], in_use);
    says("the one that is asked for stays", "tea", &["--query", "a cup of tea"], in_use);
    says("the other one gives way", "coffee", &["--query", "a cup of tea"], shortened);
}

/// A finding about a folder answers for a file in it, but not for the others there.
#[test]
fn another_dialect_uses_another_file_of_the_folder() {
    let below = |file: &str| format!("/project/.agents/skills/node_modules/{file}/SKILL.md");
    let place = place(&[(&below("good"), TEA), (&below("bad"), "no fields\n")]);
    for (file, is_used) in [("good", true), ("bad", false)] {
        let told = place.from("project", &["why", &format!(".agents/skills/node_modules/{file}/SKILL.md")]);
        assert!(told.out.contains("[not-entered]"), "{}", told.out);
        assert_eq!(told.out.contains("is in use in `codex`"), is_used, "{}", told.out);
    }
}
