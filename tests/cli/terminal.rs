//! The real binary on a terminal: what it leaves out there, and how wide its lines are. The terminal is that of `script`.
#![cfg(target_os = "linux")]

use crate::common;

use crate::program::{BINARY, PATH, Place, Said, holds, said};
use common::Tree;
use pretty_assertions::assert_eq;
use std::path::Path;
use std::process::{Command, Stdio};

const LONG: &str = "A description that goes on well beyond the right edge of a terminal, however wide it may be, as it says \
    everything twice, a description that goes on well beyond the right edge of a terminal, however wide it may be.";

fn skill(name: &str, more: &str) -> String {
    format!("---\nname: {name}\ndescription: {LONG}\n{more}---\nBody.\n")
}

fn place(files: &[(&str, String)]) -> Place {
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    Place::of(Tree::default().files(&files))
}

/// Two sources, one skill for the user alone, one that is shadowed.
fn mixed() -> Place {
    place(&[
        ("project/.claude/skills/pdf/SKILL.md", skill("pdf", "")),
        ("project/.agents/skills/pdf/SKILL.md", skill("pdf", "")),
        ("project/.agents/skills/tea/SKILL.md", skill("tea", "disable-model-invocation: true\n")),
        ("home/.claude/skills/own/SKILL.md", skill("own", "")),
    ])
}

/// What both outputs of a command show on a terminal, by a line for the shell.
#[track_caller]
fn typed(place: &Place, line: &str, variables: &[(&str, &str)]) -> String {
    let mut script = Command::new("script");
    script.args(["-qec", line, "/dev/null"]).current_dir(place.at("project")).stdin(Stdio::null());
    let path = format!("{}:{PATH}", Path::new(BINARY).parent().unwrap().display());
    script.env_clear().env("PATH", path).env("HOME", place.at("home")).env("SHELL", "/bin/sh");
    script.envs(variables.iter().copied());
    said(&mut script).out.replace("\r\n", "\n")
}

#[track_caller]
fn shown(place: &Place, columns: usize, words: &str) -> String {
    typed(place, &format!("skilltree --color=never {words}"), &[("COLUMNS", &columns.to_string())])
}

/// How many columns a text takes, for the characters that stand in these tests.
fn width(text: &str) -> usize {
    text.chars().map(|c| if ('\u{3000}'..'\u{ff00}').contains(&c) || c > '\u{1f000}' { 2 } else { 1 }).sum()
}

/// The text with its lines in one, as a message is broken between words.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn fits(case: &str, text: &str, columns: usize) {
    let wide: Vec<&str> = text.lines().filter(|line| columns < width(line)).collect();
    assert_eq!(wide, Vec::<&str>::new(), "{case}: wider than {columns}:\n{text}");
}

#[test]
fn a_total_ends_the_list() {
    let t = mixed();
    for words in ["list", "tree"] {
        let text = shown(&t, 80, words);
        assert_eq!(text.lines().last(), Some("3 skills, 1 shadowed"), "{text}");
    }
    let one = place(&[("project/.claude/skills/pdf/SKILL.md", skill("pdf", ""))]);
    assert_eq!(shown(&one, 80, "list").lines().last(), Some("1 skill"));
    assert!(!one.say(&["list"]).err.contains("skill"), "not where nobody looks on");
    let watched = typed(&one, "skilltree list > out.txt", &[]);
    assert_eq!(watched, "1 skill\n", "but where somebody does");
    assert!(one.read("project/out.txt").unwrap().contains(LONG), "whole in a file");
}

#[test]
fn columns_that_are_the_same_stand_once() {
    let heads = |text: &str| text.lines().find(|line| line.starts_with("KEY")).unwrap_or_default().to_owned();
    let all = shown(&mixed(), 120, "list");
    assert_eq!(heads(&all).split_whitespace().collect::<Vec<_>>(), ["KEY", "SOURCE", "FOR", "DESCRIPTION"]);

    let one = place(&[
        ("project/.claude/skills/a/SKILL.md", skill("a", "")),
        ("project/.claude/skills/b/SKILL.md", skill("b", "")),
    ]);
    let text = shown(&one, 120, "list");
    assert_eq!(heads(&text).split_whitespace().collect::<Vec<_>>(), ["KEY", "DESCRIPTION"]);
    let root = one.named("project/.claude/skills");
    holds("a line above", &text, &["FOR model+user  SOURCE project-claude (", "\n\nKEY"]);
    assert!(text.contains(&root) || text.contains("…"), "{text}");
    assert_eq!((text.matches("model+user").count(), text.matches("project-claude").count()), (1, 1), "{text}");

    let users = place(&[
        ("project/.claude/skills/a/SKILL.md", skill("a", "")),
        ("project/.claude/skills/b/SKILL.md", skill("b", "disable-model-invocation: true\n")),
    ]);
    let text = shown(&users, 120, "tree");
    assert_eq!(heads(&text).split_whitespace().collect::<Vec<_>>(), ["KEY", "FOR", "DESCRIPTION"]);
    holds("the source alone", &text, &["SOURCE project-claude (", "a    model+user", "b    user"]);

    let roots = place(&[("project/x/a/SKILL.md", skill("a", "")), ("project/y/b/SKILL.md", skill("b", ""))]);
    let text = shown(&roots, 120, "list --only-roots --root x --root y");
    holds("one label for two places", &text, &["SOURCE root\n"]);

    let piped = one.say(&["list"]).out;
    holds(
        "all of it in a pipe",
        &piped,
        &["KEY", "SOURCE", "FOR", "DESCRIPTION", "project-claude", "model+user", LONG],
    );
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let wide = "茶道の手順を説明します".repeat(9);
    let many = place(&[
        ("project/.claude/skills/茶道の手順/SKILL.md", format!("---\nname: 茶道の手順\ndescription: {wide}\n---\n")),
        ("project/.claude/skills/🍵/SKILL.md", format!("---\nname: 🍵\ndescription: {}\n---\n", "🍵🍰 ".repeat(60))),
        (
            "project/.claude/skills/short/SKILL.md",
            skill("short", "argument-hint: \"[a] [hint] [that] [goes] [on] [and] [on]\"\n"),
        ),
        ("project/.agents/skills/short/SKILL.md", skill("short", "")),
        ("project/.agents/skills/a/b/c/d/e/f/g/SKILL.md", skill(&"long-".repeat(12), "")),
        ("project/.agents/skills/a/SKILL.md", skill("a", "disable-model-invocation: true\n")),
        ("project/.sven/skills/one/two/three/four/five/six/seven/SKILL.md", skill("x", "")),
        ("project/.agent/skills/tea/SKILL.md", skill("tea", "")),
        (
            "project/.gen/skills/tea/SKILL.md",
            skill("tea", "namespace: a-namespace\nargument-hint: \"[cups] [kind]\"\n"),
        ),
    ]);
    let commands = [
        "list",
        "tree",
        "list --dialect sven",
        "tree --dialect sven",
        "list --dialect gencode",
        "state --dialect gencode",
        "complete ''",
        "complete --dialect gencode ''",
        "complete --dialect claude ''",
        "match --dialect agent-base 'list skills'",
    ];
    for columns in [24, 60, 80, 120, 200] {
        for words in commands {
            // What is found goes elsewhere: it is one line that is to be read whole.
            let text = shown(&many, columns, &format!("{words} 2>/dev/null"));
            fits(words, &text, columns);
            assert!(!text.is_empty(), "{words}");
        }
    }
    for words in commands {
        let text = shown(&many, 60, &format!("{words} 2>/dev/null"));
        assert!(text.contains('…'), "what is cut ends with a sign: {words}:\n{text}");
    }
    holds("a key is whole where it fits", &shown(&many, 80, "list"), &["\n", &"long-".repeat(12)]);
}

#[test]
fn the_width_is_that_of_the_terminal() {
    let t = mixed();
    let widest = |text: &str| text.lines().map(width).max().unwrap_or(0);
    for columns in [60, 100] {
        let text = typed(&t, &format!("stty cols {columns} && skilltree --color never list"), &[]);
        assert_eq!(widest(&text), columns, "{text}");
    }
    assert_eq!(widest(&typed(&t, "skilltree --color never list", &[])), 80, "one that does not know its width");
    assert_eq!(widest(&typed(&t, "skilltree --color never list", &[("COLUMNS", "0")])), 80, "nor this variable");
    let piped = typed(&t, "skilltree list | cat", &[("COLUMNS", "60")]);
    assert!(piped.contains(LONG), "a pipe has no width");
}

#[test]
fn shadowed_skills_lie_in_their_sources() {
    let t = mixed();
    let text = shown(&t, 80, "list");
    holds("short", &text, &["SHADOWED\n", "pdf  project-claude: pdf  shadowed by project-agents: pdf\n"]);
    assert!(!text.contains(&t.named("project/.claude")), "{text}");
    let narrow = shown(&t, 40, "list");
    holds("on two lines", &narrow, &["SHADOWED\n", "pdf  project-claude: pdf\n  shadowed by project-agents: pdf\n"]);
    let one =
        place(&[("project/all/deep/pdf/SKILL.md", skill("pdf", "")), ("project/all/pdf/SKILL.md", skill("pdf", ""))]);
    let text = shown(&one, 80, "list --only-roots --root all");
    holds("one source has no label", &text, &["SHADOWED\n", "pdf  pdf  shadowed by deep/pdf\n"]);
    let roots = shown(&t, 200, "list --only-roots --root .claude/skills --root .agents/skills");
    let paths = [t.named("project/.claude/skills/pdf"), t.named("project/.agents/skills/pdf")];
    holds("a label of two sources says nothing", &roots, &["SHADOWED\n", &paths[0], "shadowed by", &paths[1]]);
    holds("a pipe", &t.say(&["list"]).out, &["SHADOWED\n", &paths[0], "/SKILL.md  shadowed by", &paths[1]]);
}

/// So many files that are lost, and so many with a warning, beside one that is fine.
fn faulty(lost: usize, odd: usize) -> Place {
    let mut files = vec![("project/my skills/fine/SKILL.md".to_owned(), skill("fine", ""))];
    let text = |n| format!("---\nname: lost-{n}\n---\n");
    files.extend((0..lost).map(|n| (format!("project/my skills/lost-{n}/SKILL.md"), text(n))));
    files.extend((0..odd).map(|n| (format!("project/my skills/odd-{n}/SKILL.md"), skill(&format!("other-{n}"), ""))));
    let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    place(&files)
}

const ROOT: &[&str] = &["--only-roots", "--root", "my skills"];

#[test]
fn findings_are_one_line() {
    let t = faulty(3, 0).last(ROOT);
    for words in [["list"], ["tree"], ["prompt"]] {
        let err = t.say(&words).err;
        let check = "`skilltree check --root 'my skills' --only-roots` shows them\n";
        assert_eq!(err, format!("note: 3 errors in 3 files; 3 SKILL.md files skipped; {check}"), "{words:?}");
    }
    let both = faulty(2, 4).last(ROOT);
    let err = both.say(&["list"]).err;
    holds("several kinds", &err, &["note: 6 errors in 6 files; 2 SKILL.md files skipped; `skilltree "]);
    assert_eq!(err.lines().count(), 1, "{err}");
    let text = shown(&both, 80, "--only-roots --root 'my skills' list");
    holds("with the total on a terminal", &joined(&text), &["5 skills; 6 errors in 6 files", "` shows them"]);
    let json = t.say(&["list", "--json"]);
    assert_eq!(json.err, "", "JSON has them itself");
    let prompt = t.say(&["prompt", "--json"]).err;
    holds("that of a prompt has not", &prompt, &["3 errors"]);
    let odd = faulty(0, 3).last(ROOT);
    holds("broken rules alone", &odd.say(&["list"]).err, &["3 errors in 3 files; `skilltree check "]);
    assert_eq!(odd.say(&["prompt"]).err, "", "they cost a prompt nothing");
    assert_eq!(mixed().say(&["list"]).err, "", "nothing found, nothing said");
}

#[test]
fn what_stands_alone_is_told() {
    let error = "/my skills/lost-0/SKILL.md: error[description-missing]: missing field `description`";
    let alone = faulty(1, 0).last(ROOT);
    for words in [["list"], ["tree"], ["prompt"]] {
        let err = alone.say(&words).err;
        holds("the only finding", &err, &[error, "; `skilltree ", "` shows it\n"]);
        assert_eq!(err.lines().count(), 1, "{words:?}: {err}");
    }
    let among = faulty(1, 3).last(ROOT).say(&["list"]).err;
    holds("the only skill that is lost", &among, &[error, "; 4 errors in 4 files; `skilltree check", "` shows them\n"]);
    assert_eq!(among.lines().count(), 1, "{among}");
    let tolerated = faulty(0, 1).last(ROOT).say(&["list"]).err;
    holds(
        "the only finding of a skill in use",
        &tolerated,
        &["odd-0/SKILL.md:2:7: error[name-mismatch]: ", "` shows it\n"],
    );
    let text = shown(&faulty(1, 0), 80, "--only-roots --root 'my skills' list");
    let error = "skills/lost-0/SKILL.md: error[description-missing]: missing field `description`";
    holds("below the total on a terminal", &joined(&text), &[error, " 1 skill; "]);
}

#[test]
fn what_is_named_shows_them() {
    for (lost, odd) in [(1, 0), (3, 2), (0, 1)] {
        let t = faulty(lost, odd);
        let err = t.say(&[&["list"], ROOT].concat()).err;
        let command = err.rsplit('`').nth(1).unwrap_or_default();
        let path = format!("{}:{PATH}", Path::new(BINARY).parent().unwrap().display());
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", command]).current_dir(t.at("project")).env_clear().env("PATH", path);
        let Said { out, .. } = said(&mut shell);
        assert_eq!(out.matches("description-missing]").count(), lost, "{command}: {out}");
        assert_eq!(out.matches("name-mismatch]").count(), odd, "{command}: {out}");
    }
}

#[test]
fn a_prompt_says_how_many_it_leaves_out() {
    let names: Vec<String> = (0..30).map(|n| format!("project/.claude/skills/s{n}/SKILL.md")).collect();
    let files: Vec<(&str, String)> =
        names.iter().enumerate().map(|(n, path)| (path.as_str(), skill(&format!("s{n}"), ""))).collect();
    let t = place(&files);
    let err = t.say(&["prompt", "--budget", "300"]).err;
    holds(
        "one line",
        &err,
        &["note: ", " of 30 skills are left out of the prompt to fit its budget: `s", " more; use a larger `--budget`"],
    );
    assert!(err.lines().count() <= 2 && !err.contains("SKILL.md"), "{err}");
}

#[test]
fn nothing_raw_reaches_the_terminal() {
    let evil = "---\nname: evil\ndescription: \"red \\e[31m and \\u202E back\"\n---\n";
    let t = Place::of(Tree::default().files(&[
        ("project/.claude/skills/a\u{1b}[2Jb\u{202e}/SKILL.md", evil),
        ("project/.agents/skills/c\u{1b}[2Jd/SKILL.md", evil),
        ("project/r\u{1b}]0;x\u{7}/e\u{9b}2J/SKILL.md", "---\nname: e\n---\n"),
    ]));
    for words in ["list", "tree", "prompt", "complete ''", "list --dialect sven", "check", "list --root r*"] {
        for columns in [30, 80] {
            let text = shown(&t, columns, words);
            let raw = text.find(|c: char| (c.is_control() && c != '\n') || c == '\u{202e}');
            assert_eq!(raw.and_then(|at| text.get(at..)), None, "{words}");
        }
    }
    let coloured = typed(&t, "skilltree list", &[("TERM", "xterm")]);
    assert!(coloured.contains("\u{1b}[32m"), "{coloured}");
    for escape in coloured.split('\u{1b}').skip(1) {
        let end = escape.find('m').unwrap_or(0);
        let style = escape.get(1..end).unwrap_or("?");
        assert!(escape.starts_with('[') && style.bytes().all(|b| b.is_ascii_digit() || b == b';'), "{escape:?}");
    }
    let plain = typed(&t, "skilltree list", &[("NO_COLOR", "1"), ("TERM", "xterm")]);
    assert!(!plain.contains('\u{1b}'), "{plain}");
}

/// What `why`, `check` and standard error say, in whole words; commands stay whole, so that they can be pasted.
#[test]
fn messages_are_broken_between_words() {
    let t = faulty(2, 1);
    for words in ["list", "check", "why lost-0", "load lost-0", "matrix --dialects claude,sven --diff"] {
        let words = format!("--only-roots --root 'my skills' {words}");
        let (narrow, whole) = (shown(&t, 48, &words), shown(&t, 400, &words));
        // Commands can be pasted, and lines of source code are as they are.
        let is_kept = |line: &str| line.contains('`') || line.contains("skilltree explain") || line.contains(" | ");
        for line in narrow.lines().filter(|line| 48 < width(line)) {
            assert!(is_kept(line), "{words}: {line:?} is wider:\n{narrow}");
        }
        let commands = |text: &str| {
            text.split('`')
                .skip(1)
                .step_by(2)
                .filter(|code| code.starts_with("skilltree "))
                .map(str::to_owned)
                .collect()
        };
        let (kept, all): (Vec<String>, Vec<String>) = (commands(&narrow), commands(&whole));
        assert_eq!(kept, all, "{words}: {narrow}");
        assert!(!narrow.lines().any(|line| line.ends_with(' ')), "{words}: {narrow}");
    }
}

/// A cell has the colour of its state, and a row with an error that of errors.
#[test]
fn a_matrix_in_colours() {
    let t = faulty(1, 0);
    let words = "skilltree --color=always --only-roots --root 'my skills' matrix --dialects agentskills,goose";
    let text = typed(&t, words, &[("COLUMNS", "200"), ("TERM", "xterm")]);
    let red = "\u{1b}[1m\u{1b}[31m";
    holds("an error", &text, &[&format!("{red}lost-0\u{1b}[0m"), &format!("{red}! skipped\u{1b}[0m")]);
    holds("a skill in use", &text, &["\u{1b}[32m✓ in-use\u{1b}[0m"]);
    assert!(!t.say(&["matrix", "--only-roots", "--root", "my skills"]).out.contains('\u{1b}'), "not in a file");
}

/// What `list` counts is what `check` shows.
#[test]
fn a_list_counts_what_a_check_finds() {
    let text = skill("tea", "") + "Run [it](scripts/gone.sh).\n";
    let t = place(&[("project/.agents/skills/tea/SKILL.md", text)]);
    t.check("one more than discovery finds", &["check"], 0, &["reference-missing", "1 warning\n"], &[]);
    t.check("in a list", &["list"], 0, &["tea"], &["warning[reference-missing]"]);
}

#[test]
fn a_matrix() {
    let name = "a-name-of-a-skill-that-goes-on-beyond-what-a-column-takes";
    let t = place(&[
        ("project/.claude/skills/group/pdf/SKILL.md", skill("pdf", "")),
        (&format!("project/.agents/skills/{name}/SKILL.md"), skill(name, "")),
    ]);
    let dialects = skilltree::dialect::NAMES[..13].join(",");
    for columns in [60, 80, 120, 200] {
        let text = shown(&t, columns, &format!("matrix --dialects {dialects}"));
        // The last line is a command to be copied.
        let table = text.lines().filter(|line| !line.starts_with('`')).collect::<Vec<_>>().join("\n");
        fits("a matrix", &table, columns);
        let is_narrow = table.contains("\n1 agentskills  2 claude  ");
        assert_eq!(is_narrow, columns < 200, "numbers stand for names: {text}");
        let end = if columns < 80 { "…/pd…\n" } else { "/SKILL.md\n" };
        assert!(table.contains(end), "as much of a path as fits is shown: {text}");
        holds("a command", &text, &["`skilltree why PATH --dialect NAME` gives the reason\n"]);
    }
}
