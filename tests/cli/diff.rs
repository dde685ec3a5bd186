//! The command `diff`: what changes for the model between two trees, client by client, in each of its formats; and revisions of git
//! as trees.

use crate::common::Tree;
use crate::program::{Place, error_code, field, holds, said};
use pretty_assertions::assert_eq;

fn skill(name: &str, description: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n{body}\n")
}

fn place_of(files: &[(&str, &str)]) -> Place {
    Place::of(files.iter().fold(Tree::default(), |tree, (path, text)| tree.with(&format!("/{path}"), *text)))
}

/// Two projects, with one change of each kind.
fn place() -> Place {
    let tea = skill("tea", "Makes tea.", "Boil water.");
    let files = [
        ("old/.claude/skills/tea/SKILL.md", tea.clone()),
        ("new/.claude/skills/tea/SKILL.md", skill("tea", "Makes green tea.", "Boil water.")),
        ("new/.claude/skills/tea/scripts/boil.sh", "curl https://kettle.example/\n".to_owned()),
        ("old/.claude/skills/pot/SKILL.md", skill("pot", "Holds tea.", "Warm the pot.")),
        ("new/.claude/skills/kettle/SKILL.md", skill("kettle", "Holds water.", "Warm the pot.")),
        ("old/.claude/skills/cup/SKILL.md", skill("cup", "Holds tea, too.", "Take a cup.")),
        ("new/.claude/skills/milk/SKILL.md", skill("milk", "Is white.", "Pour milk.")),
        ("old/.agents/skills/jam/SKILL.md", skill("jam", "Is sweet.", "Spread it.")),
        ("new/.agents/skills/jam/SKILL.md", skill("jam", "Is sweet.", "Spread it.")),
        ("new/.claude/skills/jam/SKILL.md", skill("jam", "Is sweet.", "Spread it.")),
        ("same/.claude/skills/tea/SKILL.md", tea),
    ];
    place_of(&files.each_ref().map(|(path, text)| (*path, text.as_str())))
}

#[test]
fn each_kind_of_change_for_each_client() {
    let place = place();
    let text = "agentskills: the model now sees −1 / +1
  - cup
  + milk
  ~ kettle: was `pot`; description `Holds water.`, was `Holds tea.`
  ~ tea: description `Makes green tea.`, was `Makes tea.`; files +scripts/boil.sh; hosts +kettle.example
  = jam: `.claude/skills/jam/SKILL.md` is shadowed by `.agents/skills/jam/SKILL.md`
  the list: 614 → 624 characters for agentskills
claude: the model now sees −1 / +2
  - cup
  + jam
  + milk
  ~ kettle: was `pot`; description `Holds water.`, was `Holds tea.`
  ~ tea: description `Makes green tea.`, was `Makes tea.`; files +scripts/boil.sh; hosts +kettle.example
  the list: 58 → 81 characters for claude
codex: no change
";
    let words = ["diff", "../old", "../new", "--dialects", "agentskills,claude,codex"];
    place.exact("text", &words, 0, text, "");
    let claude = [
        ("old", "\"../old\""),
        ("clients.claude.gained", "[\"jam\",\"milk\"]"),
        ("clients.claude.lost", "[\"cup\"]"),
        ("clients.claude.renamed.0", "{\"from\":\"pot\",\"to\":\"kettle\"}"),
        ("clients.claude.shadowed", "[]"),
        ("clients.claude.changed.0.key", "\"kettle\""),
        ("clients.claude.changed.1.key", "\"tea\""),
        ("clients.claude.changed.1.path", "\".claude/skills/tea/SKILL.md\""),
        ("clients.claude.changed.1.description.new", "\"Makes green tea.\""),
        ("clients.claude.changed.1.text", "-"),
        ("clients.claude.changed.1.files.added", "[\"scripts/boil.sh\"]"),
        ("clients.claude.changed.1.hosts.added", "[\"kettle.example\"]"),
        ("clients.claude.changed.2", "-"),
        ("clients.claude.listing", "{\"old\":58,\"new\":81,\"unit\":\"characters\"}"),
        ("clients.codex.gained", "[]"),
        ("clients.agentskills.shadowed.0.by", "\".agents/skills/jam/SKILL.md\""),
        ("clients.sven", "-"),
    ];
    place.fields("as JSON", &words, 0, &claude);
}

#[test]
fn what_fails() {
    let place = place();
    let cases: &[(&[&str], i32)] = &[
        (&["../old", "../new"], 0),
        (&["../old", "../new", "--fail-on", "lost"], 1),
        (&["../old", "../new", "--fail-on", "shadowed,changed"], 1),
        (&["../old", "../new", "--fail-on", "renamed, gained", "--dialects", "claude, codex"], 1),
        (&["../old", "../new", "--fail-on", "shadowed", "--dialects", "claude"], 0),
        (&["../same", "../same", "--fail-on", "lost,gained,renamed,shadowed,changed"], 0),
        (&["../old", "../none"], 2),
        (&["../old", "../new", "--dialects", "cladue"], 2),
        (&["../old", "../new", "--fail-on", "gone"], 2),
        (&["../old", "../new", "--format", "markdown", "--json"], 2),
    ];
    for (words, code) in cases {
        let said = place.say(&[&["diff"], *words].concat());
        assert_eq!(said.code, Some(*code), "{words:?}: {}{}", said.out, said.err);
        if *code < 2 {
            let (again, json) = place.json(&[&["diff"], *words].concat());
            assert_eq!((again, error_code(&json)), (Some(*code), (*code == 1).then_some("diff-failed")), "{words:?}");
            assert!(json.get("clients").is_some(), "{words:?}: {json}");
        }
    }
}

/// A comment on a pull request shows the texts of strangers as plain text.
#[test]
fn markdown_is_not_forged() {
    let name = "x";
    let place = place_of(&[
        ("old/.claude/skills/x/SKILL.md", &skill(name, "Is plain.", "Do it.")),
        ("new/.claude/skills/x/SKILL.md", &skill(name, "'| <b>@all</b> #1 [x](https://evil.example) `y`'", "Do it.")),
    ]);
    let said = place.say(&["diff", "../old", "../new", "--format", "markdown", "--dialects", "claude"]);
    let rows: Vec<&str> = said.out.lines().filter(|line| line.contains("description")).collect();
    let [row] = rows[..] else { panic!("{}", said.out) };
    for forged in ["<b>", "@all", "](", "https://", "#1 ", " | `y", "[x]"] {
        assert!(!row.contains(forged), "{forged} in {row}");
    }
    assert_eq!(row.replace("\\|", "").matches('|').count(), 4, "the columns are ours: {row}");
    assert!(
        said.out.starts_with("**Claude Code: the model sees the same number of skills, 1 of them changed**\n"),
        "{}",
        said.out
    );
}

/// The page has the rows of the table in Markdown.
#[test]
fn a_page_of_one_file() {
    let place = place();
    let words = ["diff", "../old", "../new", "--dialects", "agentskills,claude,codex", "--format", "html"];
    let told = place.say(&words).out;
    let rows = [
        "<h2>agentskills: the model now sees −1 / +1</h2>",
        "<h2>Claude Code: the model now sees −1 / +2</h2>",
        "<tr><td class=\"error\">-</td><th scope=\"row\">cup</th><td></td></tr>",
        "<tr><td class=\"good\">+</td><th scope=\"row\">jam</th><td></td></tr>",
        "was `Makes tea.`; files +scripts/boil.sh; hosts +kettle.example</td></tr>",
        "<p class=\"faint\">The list: 58 → 81 characters for claude.</p>",
        "<p>No change: Codex CLI.</p>",
    ];
    holds("the page", &told, &rows);
    assert!(!told.contains("<script") && !told.contains("://"), "{told}");
}

#[test]
fn a_page_is_not_forged() {
    let place = place_of(&[
        ("old/.agents/skills/x/SKILL.md", &skill("x", "Is plain.", "Do it.")),
        ("new/.agents/skills/x/SKILL.md", &skill("x", "'</td><script>alert(1)</script>'", "Do it.")),
    ]);
    let told = place.say(&["diff", "../old", "../new", "--format", "html", "--dialects", "codex"]).out;
    assert!(told.contains("&lt;/td&gt;&lt;script&gt;alert(1)") && !told.contains("<script"), "{told}");
}

/// A package whose skills are in no folder of a client is a folder of skills, and an archive is a tree as well.
#[test]
fn folders_of_skills_and_archives() {
    let tea = skill("tea", "Makes tea.", "Boil water.");
    let milk = skill("milk", "Is white.", "Pour milk.");
    let place = place_of(&[
        ("old/skills/tea/SKILL.md", &tea),
        ("new/skills/tea/SKILL.md", &tea),
        ("new/skills/milk/SKILL.md", &milk),
    ]);
    let expected = "claude: the model now sees −0 / +1\n  + milk\n  the list: 17 → 35 characters for claude\n";
    let words = ["diff", "../old", "../new", "--dialects", "claude"];
    place.exact("folders", &words, 0, expected, "both trees were read as folders of skills");
    for tree in ["old", "new"] {
        let packed = place.say(&["pack", &format!("../{tree}/skills/tea"), "-o", &format!("../{tree}.skill")]);
        assert_eq!(packed.code, Some(0), "{}", packed.err);
    }
    let words = ["diff", "../old.skill", "../new.skill", "--dialects", "claude"];
    place.exact("archives", &words, 0, "claude: no change\n", "both trees were read as folders of skills");
    let same = place.say(&["diff", "../old/skills/tea", "../old.skill"]);
    let changed: Vec<&str> = same.out.lines().filter(|line| !line.ends_with(": no change")).collect();
    assert_eq!(changed, Vec::<&str>::new(), "a skill and its archive");
}

/// What a client sees does not depend on which others are compared: `claude` does not look in `.agents`, and nobody takes it for a
/// folder of its skills.
#[test]
fn a_folder_of_a_client_that_is_not_compared() {
    let place = place_of(&[
        ("old/.agents/skills/x/SKILL.md", &skill("x", "Is plain.", "Do it.")),
        ("new/.agents/skills/y/SKILL.md", &skill("y", "Is new.", "Do it now.")),
    ]);
    place.exact("alone", &["diff", "../old", "../new", "--dialects", "claude"], 0, "claude: no change\n", "");
    let said = place.say(&["diff", "../old", "../new", "--dialects", "claude,codex"]).out;
    assert!(said.contains("codex: the model now sees −1 / +1\n") && said.ends_with("claude: no change\n"), "{said}");
}

/// A tree may be the folder of a skill itself, with whatever name it has, and is compared as that skill.
#[test]
fn the_folders_of_a_skill() {
    let tea = skill("tea", "Makes tea.", "Boil water.");
    let place = place_of(&[
        ("d1/SKILL.md", &tea),
        ("d1/notes.md", "x"),
        ("d2/SKILL.md", &skill("tea", "Makes tea.", "Boil milk.")),
        ("d2/notes.md", "y"),
        ("d3/SKILL.md", &skill("pot", "Makes tea.", "Boil water.")),
        ("d3/notes.md", "x"),
        ("packed/skills/tea/SKILL.md", &tea),
        ("unnamed/SKILL.md", "---\ndescription: Makes tea.\n---\nBoil water.\n"),
        ("project/.claude/skills/tea/SKILL.md", &tea),
        ("project/SKILL.md", &skill("pot", "Holds tea.", "Take a pot.")),
    ]);
    let changed = "the model sees the same number of skills, 1 of them changed";
    let same = "claude: no change\n".to_owned();
    let cases = [
        ("changed", ["d1", "d2"], format!("claude: {changed}\n  ~ tea: text; files ~notes.md\n"), 1),
        ("the same", ["d1", "d1"], same.clone(), 0),
        ("another name", ["d1", "d3"], format!("claude: {changed}\n  ~ pot: was `tea`\n"), 0),
        (
            "with a folder of skills",
            ["packed", "d2"],
            format!("claude: {changed}\n  ~ tea: text; files +notes.md\n"),
            1,
        ),
        ("without a name", ["unnamed", "unnamed"], same.clone(), 0),
        ("a project is a project", ["project", "project"], same, 0),
    ];
    for (case, [old, new], expected, code) in cases {
        let words =
            ["diff", &format!("../{old}"), &format!("../{new}"), "--dialects", "claude", "--fail-on", "changed"];
        let said = place.say(&words);
        assert_eq!((said.out.as_str(), said.code), (expected.as_str(), Some(code)), "{case}: {}", said.err);
    }
    let words = ["diff", "../d1", "../d2", "--dialects", "claude"];
    place.fields("its path", &words, 0, &[("clients.claude.changed.0.path", "\"SKILL.md\"")]);
}

/// Files by their paths.
type Files<'f> = &'f [(&'f str, &'f str)];

/// Two trees of these files.
fn compared(old: Files<'_>, new: Files<'_>) -> Place {
    let tree = |name: &str, files: Files<'_>| -> Vec<(String, String)> {
        files.iter().map(|(path, text)| (format!("{name}/{path}"), (*text).to_owned())).collect()
    };
    let all = [tree("old", old), tree("new", new)].concat();
    place_of(&all.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect::<Vec<_>>())
}

/// Which skill before is which one after: that of the same key and place, of the same key, in the same place, of the same text.
#[test]
fn which_skills_are_the_same() {
    const X: &str = ".agents/skills/x/SKILL.md";
    const Y: &str = ".agents/skills/y/SKILL.md";
    const A: &str = ".agents/skills/a/SKILL.md";
    let [x, y, new] = ["X", "Y", "New"].map(|word| skill("tea", &format!("{word} does."), word));
    let [m, z, c] = ["m", "z", "c"].map(|name| skill(name, "M.", "Text."));
    let same = "the model sees the same number of skills";
    let cases: [(&str, Files<'_>, Files<'_>, String); 6] = [
        ("one of two is lost", &[(X, &x), (Y, &y)], &[(Y, &y)], format!("the model now sees −1 / +0\n  - tea ({X})\n")),
        (
            "a third one",
            &[(X, &x), (Y, &y)],
            &[(X, &x), (Y, &y), (A, &new)],
            format!("the model now sees −0 / +1\n  + tea ({A})\n"),
        ),
        ("one of two moves", &[(X, &x), (Y, &y)], &[(A, &x), (Y, &y)], "no change\n".to_owned()),
        (
            "one of two changes",
            &[(X, &x), (Y, &y)],
            &[(X, &x), (Y, &new)],
            format!("{same}, 1 of them changed\n  ~ tea ({Y}): description `New does.`, was `Y does.`; text\n"),
        ),
        (
            "the place before the text",
            &[(X, &m)],
            &[(A, &c), (X, &z)],
            "the model now sees −0 / +1\n  + c\n  ~ z: was `m`; text\n".to_owned(),
        ),
        ("the text", &[(X, &m)], &[(A, &z)], format!("{same}, 1 of them changed\n  ~ z: was `m`; text\n")),
    ];
    for (case, old, new, expected) in cases {
        let said = compared(old, new).say(&["diff", "../old", "../new", "--dialects", "codex"]).out;
        let told: String =
            said.lines().filter(|line| !line.starts_with("  the list: ")).map(|line| format!("{line}\n")).collect();
        assert_eq!(told.strip_prefix("codex: "), Some(expected.as_str()), "{case}: {said}");
    }
}

/// A skill that was shadowed before is not newly shadowed, whichever skill shadows it.
#[test]
fn what_was_shadowed_before() {
    let [shadowed, other] = ["A.", "B."].map(|description| skill("cup", description, "Take it."));
    let one = (".claude/skills/cup/SKILL.md", shadowed.as_str());
    let place =
        compared(&[one, (".agents/skills/cup/SKILL.md", &other)], &[one, (".agents/skills/mug/SKILL.md", &other)]);
    let words = ["diff", "../old", "../new", "--dialects", "goose", "--fail-on", "shadowed"];
    place.exact("another place", &words, 0, "goose: no change\n", "");
}

/// The choices of the project are a part of it.
#[test]
fn choices_of_the_project() {
    let tea = skill("tea", "Makes tea.", "Boil water.");
    let one = (".claude/skills/tea/SKILL.md", tea.as_str());
    let place = compared(&[one], &[one, ("skilltree.yaml", "skills: {tea: off}\n")]);
    let words = ["diff", "../old", "../new", "--dialects", "claude", "--fail-on", "lost"];
    place.check("off", &words, 1, &["claude: the model now sees −1 / +0\n  - tea\n"], &[]);
    place.write("new/skilltree.yaml", "skills: {tea: name-only}\n");
    place.check("name-only", &words, 0, &["~ tea: description ``, was `Makes tea.`\n"], &[]);
}

/// Skills of a nested folder count while a file there is being worked on. Beside other skills they do not make a tree a project.
#[test]
fn folders_of_clients_below_the_project() {
    let [tea, green] = ["Makes tea.", "Makes green tea."].map(|description| skill("tea", description, "Boil water."));
    let nested = "packages/web/.claude/skills/tea/SKILL.md";
    let place = compared(&[(nested, &tea)], &[(nested, &green)]);
    let words = ["diff", "../old", "../new", "--dialects", "claude,codex"];
    let none = "claude, codex: no change\n";
    place.exact("nothing is worked on", &words, 0, none, "which `--touch PATH` names");
    let words = [&words[..], &["--touch", "packages/web/main.rs"]].concat();
    place.check("a file there", &words, 0, &["  ~ tea: description `Makes green tea.`", "codex: no change"], &[]);
    place.check("outside", &[&words[..5], &["--touch", "../main.rs"]].concat(), 2, &[], &["../main.rs"]);
    let others =
        compared(&[("skills/pot/SKILL.md", &tea), (nested, &tea)], &[("skills/pot/SKILL.md", &green), (nested, &tea)]);
    let told = ["~ pot: description `Makes green tea.`"];
    others.check("beside other skills", &words[..5], 0, &told, &["folders of skills"]);
}

/// Rule 18.2: what does not belong to a skill is not compared.
#[test]
fn files_that_belong_to_no_skill() {
    let tea = skill("tea", "Makes tea.", "Boil water.");
    let place = place_of(&[
        ("old/.claude/skills/tea/SKILL.md", &tea),
        ("old/.claude/skills/tea/.git", "gitdir: elsewhere\n"),
        ("new/.claude/skills/tea/SKILL.md", &tea),
        ("new/.claude/skills/tea/node_modules/x/index.js", "x\n"),
        ("new/.claude/skills/tea/lib/.git/HEAD", "x\n"),
        ("new/.claude/skills/tea/lib/git.md", "x\n"),
    ]);
    let told = "claude: the model sees the same number of skills, 1 of them changed\n  ~ tea: files +lib/git.md\n";
    place.exact("diff", &["diff", "../old", "../new", "--dialects", "claude"], 0, told, "");
}

/// Clients that load the whole SKILL.md give its frontmatter to the model.
#[test]
fn the_frontmatter_where_it_is_loaded() {
    let tea = |more: &str| format!("---\nname: tea\ndescription: Makes tea.\n{more}---\nBoil water.\n");
    for (case, more) in [("metadata", "metadata: {note: Ask first.}\n"), ("a comment", "# Ask first.\n")] {
        let place = place_of(&[("old/tea/SKILL.md", &tea("")), ("new/tea/SKILL.md", &tea(more))]);
        let words = ["diff", "../old", "../new", "--dialects", "codex,claude", "--fail-on", "changed"];
        let expected =
            "codex: the model sees the same number of skills, 1 of them changed\n  ~ tea: text\nclaude: no change\n";
        place.exact(case, &words, 1, expected, "folders of skills");
    }
}

/// A symlink out of the folder of a skill hides nothing else.
#[cfg(unix)]
#[test]
fn symlinks_out_of_a_skill() {
    let tea = skill("tea", "Makes tea.", "Boil water.");
    let same =
        [("old/tea/SKILL.md", &*tea), ("old/more/a.md", "a"), ("new/tea/SKILL.md", &tea), ("new/more/a.md", "a")];
    let cases = [
        ("nothing", ("old/x", ""), "../more", "claude: no change\n".to_owned(), 0),
        ("a script", ("new/tea/scripts/x.sh", "curl https://kettle.example/\n"), "../more", String::new(), 1),
        ("elsewhere", ("new/other/b.md", "b"), "../other", String::new(), 1),
    ];
    for (case, (path, text), target, expected, code) in cases {
        let place = place_of(&[&same[..], &[(path, text)]].concat());
        for (tree, target) in [("old", "../more"), ("new", target)] {
            std::os::unix::fs::symlink(target, place.at(&format!("{tree}/tea/shared"))).unwrap();
        }
        let words = ["diff", "../old", "../new", "--dialects", "claude", "--fail-on", "changed"];
        let said = place.say(&words);
        assert_eq!(said.code, Some(code), "{case}: {}{}", said.out, said.err);
        let change = match case {
            "a script" => "  ~ tea: files +scripts/x.sh; hosts +kettle.example\n",
            "elsewhere" => "  ~ tea: files ~shared\n",
            _ => &expected,
        };
        assert!(said.out.ends_with(change), "{case}: {}", said.out);
    }
}

/// Of a symlink out of the folder of a skill it is compared where it leads, and of one in the folder what it leads to.
#[cfg(unix)]
#[test]
fn where_symlinks_lead() {
    let tea = skill("tea", "Makes tea.", "Boil water.");
    let cases = [
        ("/etc/passwd", "/etc/hostname", true),
        ("/etc/passwd", "/etc", true),
        ("/etc/passwd", "/etc/passwd", false),
        ("nowhere", "../../../elsewhere", true),
        ("../../../nowhere", "../../../nowhere", false),
        ("../../../x/f", "../../../x/f", false),
        ("../../../x/f", "../../../x/g", true),
        ("../../../x/f", "/etc/passwd", true),
        ("a.md", "b.md", false),
    ];
    for (before, after, is_changed) in cases {
        let case = format!("{before} and {after}");
        let place = place_of(&[("project/o/x/f", "o"), ("project/n/x/f", "n")]);
        for (tree, target) in [("o", before), ("n", after)] {
            for (path, text) in [("x/g", "o"), (".claude/skills/tea/SKILL.md", &*tea)] {
                place.write(&format!("project/{tree}/{path}"), text);
            }
            place.write(&format!("project/{tree}/.claude/skills/tea/a.md"), "same");
            place.write(&format!("project/{tree}/.claude/skills/tea/b.md"), "same");
            std::os::unix::fs::symlink(target, place.at(&format!("project/{tree}/.claude/skills/tea/out"))).unwrap();
        }
        let mut trees = vec![["o", "n"]];
        if place.git(&["init", "--quiet"]) {
            place.git(&["add", "--all"]);
            place.git(&["commit", "--quiet", "--message=all"]);
            trees.push(["git:HEAD:o", "git:HEAD:n"]);
            trees.push(["o", "git:HEAD:n"]);
        }
        for [old, new] in trees {
            let said = place.say(&["diff", old, new, "--dialects", "claude", "--fail-on", "changed"]);
            let expected = if is_changed { "  ~ tea: files ~out\n" } else { "claude: no change\n" };
            assert!(said.out.ends_with(expected), "{case} in {new}: {}{}", said.out, said.err);
            assert_eq!(said.code, Some(i32::from(is_changed)), "{case} in {new}");
        }
    }
}

/// Why a skill cannot be compared is said of the trees, and not of where they are seen.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_cannot_be_compared() {
    use std::os::unix::ffi::OsStrExt as _;
    let tea = skill("tea", "Makes tea.", "Boil water.");
    for (folder, told) in [(".claude/skills/tea", ".claude/skills/tea/"), ("", "")] {
        let of = |tree: &str| format!("{tree}/{folder}/SKILL.md");
        let place = place_of(&[(&of("old"), &tea), (&of("new"), &tea)]);
        std::fs::write(place.at("new").join(folder).join(std::ffi::OsStr::from_bytes(b"a\xff")), "x").unwrap();
        let said = place.say(&["diff", "../old", "../new", "--dialects", "claude"]);
        let expected = format!("  ~ tea: not everything could be compared: `{told}a\u{fffd}`: its name is not UTF-8, ");
        assert!(said.out.contains(&expected), "{folder}: {}{}", said.out, said.err);
    }
}

/// What cannot be compared counts as changed.
#[test]
fn a_skill_that_is_too_large_to_be_compared() {
    let tea = skill("tea", "Makes tea.", "Boil water.");
    let place = place_of(&[("old/tea/SKILL.md", &tea), ("new/tea/SKILL.md", &tea)]);
    let large = std::fs::File::create(place.at("new/tea/large.bin")).unwrap();
    large.set_len(300 << 20).unwrap();
    let words = ["diff", "../old", "../new", "--dialects", "claude", "--fail-on", "changed"];
    place.check(
        "text",
        &words,
        1,
        &["  ~ tea: ", "not everything could be compared: `tea` contains"],
        &["folders of skills"],
    );
    let words = [&words[..], &["--json"]].concat();
    let (code, json) = place.json(&words);
    assert_eq!(code, Some(1));
    assert!(
        field(&json, "clients.claude.changed.0.incomplete").contains("contains more than 268435456 bytes"),
        "{json}"
    );
}

/// Seven folders, each of which is in the next one ten times, list ten million files.
#[cfg(unix)]
#[test]
fn a_revision_of_many_files_is_refused_before_they_are_listed() {
    let place = place_of(&[("project/tea/SKILL.md", &skill("tea", "Makes tea.", "Boil water."))])
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    if !place.git(&["init", "--quiet"]) {
        return;
    }
    let script = "tree=$(for n in 0 1 2 3 4 5 6 7 8 9; do printf '100644 blob %s\\tf%d\\n' $(echo x | git hash-object -w --stdin) $n; done \\
        | git mktree)
        for level in 1 2 3 4 5 6; do
          tree=$(for n in 0 1 2 3 4 5 6 7 8 9; do printf '040000 tree %s\\td%d\\n' $tree $n; done | git mktree)
        done
        git tag bomb $tree";
    let made = std::process::Command::new("sh").args(["-c", script]).current_dir(place.at("project")).status();
    assert!(made.unwrap().success());
    place.check("too many", &["diff", "git:bomb", "tea"], 2, &[], &["git:bomb:", "it has over 1000000 files"]);
}

#[test]
fn revisions_of_git() {
    let tea = skill("tea", "Makes tea.", "Boil water.");
    let place = place_of(&[("project/.claude/skills/tea/SKILL.md", &tea), ("project/big.bin", &"x".repeat(100_000))])
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    if !place.git(&["init", "--quiet"]) || !place.git(&["add", "."]) || !place.git(&["commit", "--quiet", "-m", "one"])
    {
        return;
    }
    std::fs::create_dir_all(place.at("project/.claude/skills/milk")).unwrap();
    std::fs::write(place.at("project/.claude/skills/milk/SKILL.md"), skill("milk", "Is white.", "Pour milk.")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("milk", place.at("project/.claude/skills/z-linked")).unwrap();
    place.git(&["add", "."]);
    place.git(&["commit", "--quiet", "-m", "two"]);
    let gained = "claude: the model now sees −0 / +1\n  + milk\n  the list: 17 → 35 characters for claude\n";
    let of = |old: &'static str, new: &'static str| ["diff", old, new, "--dialects", "claude"];
    let other = "claude: the model now sees −1 / +1\n  - tea\n  + milk\n";
    place.exact("two revisions", &of("git:HEAD~1", "git:HEAD"), 0, gained, "");
    place.exact("the folder and a revision", &of("git:HEAD~1:", "."), 0, gained, "");
    place.exact("nothing has changed since", &of("git:HEAD", "."), 0, "claude: no change\n", "");
    #[cfg(unix)]
    {
        let linked = tea.replace("tea", "pot");
        place.write("project/skills/_store/pot/SKILL.md", &linked);
        std::os::unix::fs::symlink("_store/pot", place.at("project/skills/pot")).unwrap();
        place.git(&["add", "."]);
        place.git(&["commit", "--quiet", "-m", "three"]);
        let same = "claude: no change\n";
        place.exact("a link to a skill", &of("git:HEAD:skills", "skills"), 0, same, "folders of skills");
        let words = ["--dialect", "claude", "--only-roots", "--root", "git:HEAD:skills", "list"];
        place.check("a link to a skill is listed", &words, 0, &["pot"], &[]);
        place.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    }
    place.exact(
        "a folder of it",
        &of("git:HEAD~1:.claude/skills", "git:HEAD:.claude/skills"),
        0,
        gained,
        "folders of skills",
    );
    let fails =
        [&of("git:HEAD:.claude/skills/tea", "git:HEAD:.claude/skills/milk")[..], &["--fail-on", "lost"]].concat();
    place.exact("the folder of a skill", &fails, 1, other, "folders of skills");
    for (case, revision) in
        [("no such revision", "git:nope"), ("an option", "git:--output=x"), ("no such folder", "git:HEAD:nope")]
    {
        let said = place.say(&["diff", revision, "."]);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{case}");
        assert!(said.err.contains("cannot be read") && said.err.contains("name a revision"), "{case}: {}", said.err);
    }
    let old = ["list", "--json", "--only-roots", "--root", "git:HEAD~1:.claude/skills"];
    let listed = said(&mut place.command(&old)).json();
    assert_eq!(field(&listed, "skills.0.key"), "\"tea\"", "a revision is a root of any command");
    assert_eq!(field(&listed, "skills.1"), "-");
    let load = ["load", "tea", "--only-roots", "--root", "git:HEAD:.claude/skills"];
    place.check(
        "and is loaded from",
        &load,
        0,
        &["Boil water.", "Skill directory: ", "git:HEAD:.claude/skills/tea"],
        &[],
    );
    let told: &[&str] = if cfg!(unix) { &["note[same-file]", "z-linked/SKILL.md", "1 note"] } else { &["no findings"] };
    place.check("and checked", &["check", "git:HEAD:.claude/skills"], 0, told, &[]);
    let json = said(&mut place.command(&["diff", "git:HEAD~1", "git:HEAD", "--json"])).json();
    assert_eq!(field(&json, "clients.claude.gained"), "[\"milk\"]");
}
