//! The real binary asked to compare dialects: its table, its JSON, and what it refuses.

use crate::common;

use crate::program::{Place, error_code, field, holds, texts};
use common::Tree;
use pretty_assertions::assert_eq;
use skilltree::Json;
use skilltree::dialect::NAMES;

const TEA: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";

fn place() -> Place {
    Place::of(Tree::default().files(&[
        ("/project/.claude/skills/tea/SKILL.md", TEA),
        ("/project/.claude/skills/group/deep/SKILL.md", "---\nname: deep\ndescription: D\n---\n"),
        ("/home/.claude/skills/mine/SKILL.md", "---\nname: mine\ndescription: D\n---\n"),
        ("/extra/more/SKILL.md", "---\nname: more\ndescription: D\n---\n"),
    ]))
}

fn rows(json: &Json) -> Vec<String> {
    texts(json, "rows", "name").into_iter().map(str::to_owned).collect()
}

#[test]
fn a_table() {
    let said = place().say(&["matrix", "--dialects", "agentskills,claude"]);
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
    let words = |line: &str| line.split_whitespace().take(5).map(str::to_owned).collect::<Vec<_>>();
    let lines: Vec<Vec<String>> = said.out.lines().take(4).map(words).collect();
    assert_eq!(lines[0], ["NAME", "agentskills", "claude", "PATH"]);
    assert_eq!(lines[1][..], ["mine", "✓", "in-use", "✓", "in-use"], "{}", said.out);
    assert_eq!(lines[2][..], ["deep", "✓", "in-use", "!", "skipped"], "{}", said.out);
    assert_eq!(lines[3][..], ["tea", "✓", "in-use", "✓", "in-use"], "{}", said.out);
    holds("a legend", &said.out, &["\n\n✓ in-use    the model sees it\n", "! skipped   not read as a skill\n"]);
    assert!(!said.out.contains("shadowed"), "only the states that occur are explained: {}", said.out);
}

/// OpenCode 1.18.33 uses one skill in one run and the other in the next.
#[test]
fn winners_that_the_client_does_not_determine() {
    let files = ["project/.claude/skills/tea/SKILL.md", "home/.claude/skills/tea/SKILL.md"];
    let place = Place::of(Tree::default().files(&files.map(|file| (file, TEA))));
    let ask = |words: &[&str]| place.say(&[words, &["--dialect", "opencode"]].concat()).out;
    let table = place.say(&["matrix", "--dialects", "claude,opencode"]).out;
    holds(
        "each has a mark",
        &table,
        &["= shadowed?", "✓ in-use?", "does not determine which skill of this key it uses\n"],
    );
    holds("of both files", &ask(&["list"]), &[&place.named(files[0]), ", but the client may use either\n"]);
    let why = ask(&["why", "tea"]);
    holds(
        "of the winner",
        &why,
        &["whether OpenCode uses it or another skill of this key is not determined (rule 8.12)"],
    );
    holds("of the other", &why, &["which of the two OpenCode uses is not determined (rule 8.12)"]);
    let (_, json) = place.json(&["matrix", "--dialects", "claude,opencode"]);
    assert_eq!(field(&json, "rows.0.cells.opencode.undetermined"), "true");
    assert_eq!(field(&json, "rows.0.cells.claude.undetermined"), "-");
}

#[test]
fn rows_that_differ() {
    let place = place();
    let words = ["matrix", "--diff", "--dialects", "agentskills", "--dialects", "claude"];
    assert_eq!(rows(&place.json(&words).1), ["deep"]);
    let same = place.say(&["matrix", "--diff", "--dialects", "claude,claude"]);
    assert_eq!((same.code, same.out.as_str()), (Some(0), ""));
    assert_eq!(same.err, "note: the dialects do the same with each of the 3 skills that were found\n");
    let none = place.say(&["matrix", "--project", "../extra", "--home", "nowhere"]);
    assert_eq!((none.code, none.out.as_str()), (Some(0), ""));
    assert_eq!(none.err, "note: no SKILL.md was found in the sources of these dialects\n");
}

#[test]
fn as_json() {
    let place = place();
    let columns = |place: &Place, words: &[&str]| {
        let (code, json) = place.json(&[&["matrix"], words].concat());
        assert_eq!(code, Some(0));
        let Some(Json::List(names)) = json.get("dialects") else { panic!("no dialects: {json}") };
        names.iter().filter_map(Json::as_text).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(columns(&place, &[]), ["agentskills", "claude"], "the standard and what is found here by default");
    assert_eq!(columns(&place, &["--dialects", "pi,all"])[..2], ["pi", "agentskills"], "each once");
    assert_eq!(columns(&place, &["--dialects", "all"]), NAMES);
    let others = Place::of(Tree::default().files(&[
        ("/home/.codex/config.toml", ""),
        ("/home/.config/crush/crush.json", "{}"),
        ("/project/.agents/skills/tea/SKILL.md", TEA),
        ("/project/.qwen/skills/tea/SKILL.md", TEA),
    ]));
    let found = columns(&others, &[]);
    assert_eq!(found, ["agentskills", "codex", "qwen", "crush"], "folders that many dialects share are no traces");
    let (_, json) = place.json(&["matrix", "--dialects", "claude"]);
    let path = place.named("project/.claude/skills/group/deep/SKILL.md");
    let text = |path: &str| field(&json, path).trim_matches('"').to_owned();
    assert_eq!(text("rows.1.path"), path);
    let cell = [("state", "skipped"), ("key", "-"), ("code", "too-deep"), ("by", "-"), ("rule", "scan.depth")];
    for (name, value) in cell {
        assert_eq!(text(&format!("rows.1.cells.claude.{name}")), value, "{name}: {json}");
    }
}

#[test]
fn the_options_that_say_where_to_look() {
    let names = |words: &[&str]| rows(&place().json(&[&["matrix", "--dialects", "claude"], words].concat()).1);
    assert_eq!(names(&["--root", "../extra", "--only-roots"]), ["more"]);
    assert_eq!(names(&["--project", "../extra"]), ["mine"]);
    assert_eq!(names(&["--home", "../extra"]), ["deep", "tea"]);
}

#[test]
fn a_dialect_that_is_not_known() {
    let place = place();
    let said = place.say(&["matrix", "--dialects", "claude,latin"]);
    assert_eq!((said.code, said.out.as_str()), (Some(2), ""));
    holds("in text", &said.err, &["error: unknown dialect `latin`; known dialects: `agentskills`"]);
    let (code, json) = place.json(&["matrix", "--dialects", "latin"]);
    assert_eq!((code, error_code(&json)), (Some(2), Some("unknown-dialect")));
    assert_eq!(place.say(&["matrix", "--dialects", "claude,"]).code, Some(2), "an empty name");
}

/// The page says what the text and the JSON say, whose texts of files cannot become markup.
#[test]
fn a_page_of_one_file() {
    let place = place();
    let words = ["matrix", "--dialects", "agentskills,claude", "--format"];
    let page = |more: &[&str]| {
        let said = place.say(&[&words, more].concat());
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{}", said.out);
        said.out
    };
    let told = page(&["html"]);
    holds("the page", &told, &["<!doctype html>", "default-src 'none'", "! skipped", "<th scope=\"col\">claude</th>"]);
    let cell = "<td class=\"error\">!<span class=\"word\"> skipped</span></td>";
    holds("a cell", &told, &["<summary>~/.claude/skills/mine/", cell, "<summary>.claude/skills/group/"]);
    assert!(!told.contains("<script") && !told.contains("://"), "it runs and fetches nothing: {told}");
    let json = Json::parse(&page(&["json"])).expect("JSON");
    for row in 0.. {
        let message = field(&json, &format!("rows.{row}.cells.claude.message"));
        if message == "-" {
            assert_eq!(row, 3, "{json}");
            break;
        }
        let message = message.trim_matches('"').replace('\'', "&#39;").replace("\\\"", "&quot;");
        assert!(told.contains(&message), "{message} in {told}");
    }
    let said = place.say(&["matrix", "--format", "html", "--json"]);
    assert_eq!(said.code, Some(2), "{}", said.out);
}

#[test]
fn a_page_is_not_forged() {
    let forged = "<script>alert(1)</script>\" onload='x' &amp;";
    let text = format!("---\nname: '{}'\ndescription: '{0}'\n---\n", forged.replace('\'', "''"));
    let tree = Tree::default().files(&[("/project/.claude/skills/a <b>&/SKILL.md", text.as_str())]);
    let place = Place::of(tree);
    let said = place.say(&["matrix", "--dialects", "agentskills,opencode,claude", "--format", "html"]);
    for markup in ["<script", "<b>", "onload='", "&amp;amp;\"", "& "] {
        assert!(!said.out.contains(markup), "{markup} in {}", said.out);
    }
    holds(
        "as text",
        &said.out,
        &["&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload=&#39;x&#39; &amp;amp;", "a &lt;b&gt;&amp;"],
    );
}

#[cfg(unix)]
#[test]
fn control_characters_are_escaped() {
    let text = "---\nname: \"red\\e[31m\"\ndescription: D\n---\n";
    let place = Place::of(Tree::default().files(&[("/project/.agents/skills/a\u{1b}[2J/SKILL.md", text)]));
    let said = place.say(&["matrix", "--dialects", "agentskills"]);
    assert!(!said.out.contains('\u{1b}') && said.out.contains("skills/a"), "{}", said.out);
    let json = place.say(&["matrix", "--dialects", "agentskills", "--json"]);
    assert!(!json.out.contains('\u{1b}'), "{}", json.out);
}
