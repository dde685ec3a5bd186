//! What the frame of a loaded text may show besides the body.

use crate::common::ground::{Ground, changed, ground, quoted};
use crate::common::path;
use pretty_assertions::assert_eq;
use skilltree::{Caller, Dialect, LoadRequest, load};
use std::fmt::Write as _;
use std::sync::Arc;

/// A table with this frame, and with more parts of its rule for loading.
fn framed(frame: &str, more: &str) -> Arc<Dialect> {
    changed("agentskills", &format!("load:\n  closing_tag: ''\n  frame: {}\n{more}", quoted(frame)))
}

#[track_caller]
fn text(case: &str, table: &Arc<Dialect>, ground: &Ground, asked: Option<&str>) -> String {
    ground.by(case, table, |world, catalog| {
        let skill = catalog.get("tea").expect("the skill is there");
        let ask = LoadRequest { asked: asked.map(str::to_owned), ..LoadRequest::new(Caller::Model) };
        load(world, catalog, skill, &ask).expect("it loads").text
    })
}

const TEA: &str = "
//- /p/.agents/skills/tea/SKILL.md
---
name: tea
description: Green & <black>.
---

Boil water.

//- /p/.agents/skills/tea/scripts/run.sh
//- /p/.agents/skills/tea/Notes.md
//- /p/.agents/skills/tea/about.md
//- /p/.agents/skills/tea/dist/x.js
//- /p/.agents/skills/tea/scripts/dist/y.js
//- /p/.agents/skills/tea/node_modules/z.js
//- /p/.agents/skills/tea/inner/SKILL.md
---
name: inner
description: I.
---
//- /p/.agents/skills/tea/linked.md link=about.md
//- /p/.agents/skills/tea/empty dir
";

#[test]
fn values() {
    let ground = ground(TEA);
    let frame = |frame, escape| framed(frame, &format!("  escape: {escape}"));
    let path = "/p/.agents/skills/tea/SKILL.md";
    for (case, frame, asked, expect) in [
        ("asked", frame("<x n=\"{@asked}\">{asked}", "xml"), Some("Te\"a"), "<x n=\"Te&quot;a\">Te\"a".to_owned()),
        ("asked by its key", frame("{asked}", "xml"), None, "tea".to_owned()),
        ("hidden characters", frame("{asked}", "xml"), Some("t\u{202e}"), "t\\u{202e}".to_owned()),
        ("description", frame("{description}", "plain"), None, "Green & <black>.".to_owned()),
        ("no tag", frame("{description}", "xml"), None, "Green &amp; &lt;black&gt;.".to_owned()),
        ("path", frame("{path}|{dir}", "plain"), None, format!("{path}|/p/.agents/skills/tea")),
        (
            "the whole file",
            frame("<s>\n{source}\n</s>", "xml"),
            None,
            "<s>\n---\nname: tea\ndescription: Green & <black>.\n---\n\nBoil water.\n\n</s>".to_owned(),
        ),
        ("no variants", frame("[{variants}]", "plain"), None, "[]".to_owned()),
    ] {
        assert_eq!(text(case, &frame, &ground, asked), expect, "{case}");
    }
}

#[test]
fn the_whole_file_has_plain_line_ends() {
    let ground =
        ground("//- /p/.agents/skills/tea/SKILL.md crlf\n\u{feff}---\nname: tea\ndescription: D\n---\nB\u{0} {key}\n");
    let got = text("crlf", &framed("{source}", ""), &ground, None);
    assert_eq!(got, "---\nname: tea\ndescription: D\n---\nB {key}\n");
}

#[test]
fn rows_of_files() {
    let ground = ground(TEA);
    let all = ["Notes.md", "about.md", "dist/x.js", "linked.md", "scripts/dist/y.js", "scripts/run.sh"];
    let listed = ["Notes.md", "about.md", "linked.md", "scripts/run.sh"];
    for (case, unlisted, max_files, names, more) in [
        ("all", "none", 20, all.as_slice(), ""),
        ("some folders are not listed", "dist", 20, &listed, ""),
        ("their files do not count", "dist", 2, &listed[..2], "\n2 more"),
        ("the most that are listed", "dist", 4, &listed, ""),
    ] {
        let rows = "  file_row: \"{key}/{relative} -> {absolute}\"\n  more_files: \"{count} more\"\n";
        let limits = format!("  max_files: {max_files}\n  unlisted_folders: [{unlisted}]\n");
        let table = framed("{files}", &format!("{rows}{limits}"));
        let line = |name: &&str| format!("tea/{name} -> /p/.agents/skills/tea/{name}");
        let rows: Vec<String> = names.iter().map(line).collect();
        assert_eq!(text(case, &table, &ground, None), rows.join("\n") + more, "{case}");
    }
}

#[test]
fn drawings() {
    let table = framed("{tree}", "  unlisted_folders: [node_modules, dist, .git]\n");
    let more = " `...` marks folders with more items: they were skipped, or the limit of 200 items was reached.";
    let head = "Showing up to 200 items (files + folders).";
    let at = "\n\n/p/.agents/skills/tea/";
    let expect = "
├───about.md
├───Notes.md
├───SKILL.md
├───dist/...
├───empty/
├───inner/...
├───node_modules/...
└───scripts/
    ├───run.sh
    └───dist/...";
    assert_eq!(text("files", &table, &ground(TEA), None), format!("{head}{more}{at}{expect}"), "files");

    let small = ground(
        "//- /p/.agents/skills/tea/SKILL.md\n---\nname: tea\ndescription: D\n---\n\
         //- /p/.agents/skills/tea/a/b/c.txt\n//- /p/.agents/skills/tea/z.txt\n//- /p/.agents/skills/tea/d/e.txt\n",
    );
    let expect = "
├───SKILL.md
├───z.txt
├───a/
│   └───b/
│       └───c.txt
└───d/
    └───e.txt";
    assert_eq!(text("nested", &table, &small, None), format!("{head}{at}{expect}"), "nested");
}

#[test]
fn a_drawing_has_at_most_two_hundred_items() {
    let table = framed("{tree}", "");
    for (files, folders, is_cut) in [(199, 0, false), (200, 0, true), (150, 49, false), (150, 50, true), (250, 3, true)]
    {
        let case = format!("{files} files, {folders} folders");
        let mut tree = "//- /p/.agents/skills/tea/SKILL.md\n---\nname: tea\ndescription: D\n---\n".to_owned();
        for n in 0..files {
            writeln!(tree, "//- /p/.agents/skills/tea/f{n:03}").expect("text can grow");
        }
        for n in 0..folders {
            writeln!(tree, "//- /p/.agents/skills/tea/d{n:03} dir").expect("text can grow");
        }
        let got = text(&case, &table, &ground(&tree), None);
        let drawn = got.lines().skip(3).filter(|line| !line.ends_with("...")).count();
        assert_eq!(drawn, 200, "{case}: {got}");
        assert_eq!(got.contains("limit of 200"), is_cut, "{case}");
        assert_eq!(got.ends_with("└───..."), is_cut, "{case}");
    }
}

#[test]
fn variants_are_the_skills_that_were_given_another_key() {
    let qualified =
        changed("claude", "load: {closing_tag: '', frame: '[{variants}]'}\nequal_keys: {qualify: '{place}:{key}'}\n");
    let skill = |folder: &str, more: &str| format!("//- {folder}/SKILL.md\n---\ndescription: D\n{more}---\n");
    let tree = [
        skill("/p/.claude/skills/tea", ""),
        skill("/p/a/.claude/skills/tea", ""),
        skill("/p/b/.claude/skills/tea", ""),
        skill("/p/b/.claude/skills/coffee", ""),
        skill("/p/c/.claude/skills/tea", "disable-model-invocation: true\n"),
        // This name was not changed: it has a colon of its own.
        skill("/p/.claude/skills/x:tea", ""),
    ];
    let mut ground = ground(&tree.concat());
    ground.places.touched = ["/p/a/f", "/p/b/f", "/p/c/f"].map(path).to_vec();
    assert_eq!(text("qualified", &qualified, &ground, None), "[b:tea, a:tea]");
    ground.places.touched.clear();
    assert_eq!(text("none", &qualified, &ground, None), "[]", "a name with a colon is no variant");
}

/// Files in memory of which one folder cannot be listed.
struct Unlisted(skilltree::MemFs);

impl skilltree::Fs for Unlisted {
    fn list(&self, dir: &skilltree::FsPath) -> Result<Vec<skilltree::fs::Entry>, skilltree::FsError> {
        match dir.name() {
            "scripts" => Err(skilltree::FsError::Denied(dir.clone())),
            _ => self.0.list(dir),
        }
    }

    fn read(&self, file: &skilltree::FsPath, at_most: u64) -> Result<skilltree::fs::FilePrefix, skilltree::FsError> {
        self.0.read(file, at_most)
    }
}

#[test]
fn a_folder_that_cannot_be_listed_is_said() {
    let ground = ground(TEA);
    let fs = Unlisted(ground.tree.mem());
    let world = skilltree::World::new(&fs, &ground.places, &ground.host);
    let catalog = skilltree::discover(&world, &crate::common::ground::table("agentskills"));
    let tea = catalog.get("tea").expect("the skill is there");
    let loaded = load(&world, &catalog, tea, &LoadRequest::new(Caller::Model)).expect("it loads");
    let found: Vec<String> = loaded.findings.iter().map(crate::common::ground::brief).collect();
    assert_eq!(found, ["warning unreadable /p/.agents/skills/tea/scripts"]);
    assert!(loaded.findings[0].message.contains("could not be listed"), "{}", loaded.findings[0].message);
    assert!(!loaded.files.iter().any(|file| file.as_str().contains("scripts")), "{:?}", loaded.files);
}
