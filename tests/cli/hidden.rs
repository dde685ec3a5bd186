//! The real binary, for text that goes to a terminal or to standard error: arguments that are echoed, bodies, and what
//! could not be read.

use crate::common;

use crate::program::{Place, field, holds};
use common::Tree;
#[cfg(target_os = "linux")]
use common::skip::skip;
use pretty_assertions::assert_eq;
use skilltree::Json;

/// What a terminal would obey, and what nobody sees.
const ODD: &str = "\u{1b}]0;owned\u{7}\u{1b}[31mred\u{9b}32m\u{202e}turned\u{e0041}\u{200b}";

fn is_odd(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t')) || matches!(c, '\u{202e}' | '\u{e0041}' | '\u{200b}' | '\u{2028}')
}

#[track_caller]
fn is_clean(case: &str, text: &str) {
    assert!(!text.contains(is_odd), "{case}: {text:?}");
}

/// Arguments may come from elsewhere, and the texts about them are read by people and models.
#[test]
fn arguments_that_are_echoed() {
    let t = Place::of(Tree::default());
    let option = format!("--{ODD}");
    let value = format!("--max={ODD}");
    let two_lines = "evil\nerror: all is well";
    let cases: &[(&str, &[&str], &str)] = &[
        ("a command", &[ODD], r"\u{1b}]0;owned\u{7}"),
        ("a command of two lines", &[two_lines], r"evil\u{a}error"),
        ("an option", &["list", &option], r"\u{202e}turned\u{e0041}"),
        ("a value", &["match", "x", &value], r"\u{9b}32m"),
        ("a value of few", &["load", "x", "--as", ODD], r"\u{1b}[31mred"),
        ("one word too many", &["list", ODD], r"\u{200b}"),
        ("a permission", &["list", "--permission", ODD], r"\u{7}"),
        ("a time", &["invoke", "/x", "--run", "--timeout", ODD], r"\u{7}"),
        ("a colour", &["list", "--color", ODD], r"\u{1b}[31mred"),
        ("a dialect", &["list", "--dialect", ODD], r"unknown dialect `\u{1b}]0;owned"),
        ("a project", &["list", "--project", ODD], r"\u{1b}]0;owned\u{7}"),
        ("a root", &["list", "--root", ODD], r"\u{202e}turned"),
        ("a skill", &["load", ODD], r"there is no skill `\u{1b}]0;owned"),
        ("a call", &["call", ODD], ""),
        ("a name", &["why", ODD], r"no skill or file `\u{1b}]0;owned"),
        ("a path to check", &["check", ODD], r"\u{1b}]0;owned"),
        ("a folder to pack", &["pack", ODD], r"\u{1b}]0;owned"),
        ("a state", &["state", ODD, "--dialect", "gencode"], r"\u{1b}]0;owned"),
    ];
    for (case, words, shown) in cases {
        let said = t.say(words);
        assert_ne!(said.code, Some(0), "{case}: {}", said.out);
        is_clean(case, &said.err);
        holds(case, &said.err, &["error: ", shown]);
        let (_, json) = t.json(words);
        is_clean(case, &json.to_string());
        assert!(field(&json, "error.message").len() > 2, "{case}: {json}");
        // Styles of ours stay, and nothing else that begins with an escape.
        let styled = t.say(&[&["--color", "always"], *words].concat());
        let rest = styled.err.replace("\u{1b}[0m", "").replace("\u{1b}[1m", "").replace("\u{1b}[4m", "");
        let rest = ["30", "31", "32", "33", "36", "90", "91", "92", "93"]
            .iter()
            .fold(rest, |rest, color| rest.replace(&format!("\u{1b}[{color}m"), ""));
        is_clean(case, &rest);
    }
}

/// JSON is the same value for a program, and shows what a terminal would obey or hide.
#[test]
fn json_shows_what_hides() {
    let text = "---\nname: tea\ndescription: Makes tea.\nlicense: \"a\\u200B\\U000E0041\\u009B\\u3164\"\n---\nBoil\u{200b} it.\n";
    let t = Place::of(Tree::default().with("/project/.agents/skills/tea/SKILL.md", text));
    let said = t.say(&["list", "--json"]);
    assert!(said.out.contains(r"a\u200b\udb40\udc41\u009b\u3164"), "{}", said.out);
    let license = said.json().get("skills").and_then(|skills| match skills {
        Json::List(skills) => skills.first()?.get("license")?.as_text().map(str::to_owned),
        _ => None,
    });
    assert_eq!(license.as_deref(), Some("a\u{200b}\u{e0041}\u{9b}\u{3164}"));
}

/// A project path with what Python could not read as JSON writes it.
#[test]
fn a_stub_for_an_odd_project() {
    let t = Place::of(
        Tree::default()
            .with("/odd \u{e0041}\u{1b}/.agents/skills/tea/SKILL.md", "---\nname: tea\ndescription: T\n---\n"),
    );
    let said = t.say(&["tool", "--stub", "python", "--project", &t.named("/odd \u{e0041}\u{1b}")]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    is_clean("a stub", &said.out);
    assert!(said.out.contains(r"/odd \U000e0041\u001b"), "{}", said.out);
}

/// A body is the author's to the byte where a program reads it.
const BODY: &str = "Boil it\u{202e} well\u{e0041}.\tA tab\u{2028}and \u{9b}31m ❤\u{fe0f} می\u{200c}خ.";

fn odd_bodies() -> Place {
    let skill = |more: &str| format!("---\nname: tea\ndescription: Makes tea.\n{more}---\n{BODY}\n");
    let tree = Tree::default()
        .with("/home/.agents/skills/tea/SKILL.md", skill(""))
        .with("/home/.agents/skills/tea/scripts/say.sh", format!("cat <<'END'\n{BODY}\n{ODD}\nEND\n"))
        .with("/project/.agent/skills/tea/SKILL.md", skill("triggers: {verbs: [boil]}\n"));
    Place::of(tree).env("PATH", crate::program::PATH)
}

const ANSWERS: &[&[&str]] = &[
    &["load", "tea"],
    &["call", "{\"name\": \"tea\"}"],
    &["invoke", "/tea"],
    &["match", "boil it", "--dialect", "agent-base"],
    &["prompt", "--query", "boil it", "--dialect", "agent-base"],
];

#[test]
fn bodies_are_exact_for_programs() {
    let t = odd_bodies();
    for words in ANSWERS {
        let said = t.say(words);
        assert!(said.code == Some(0) && said.out.contains(BODY), "{words:?}: {:?} {}", said.out, said.err);
    }
    if cfg!(unix) {
        assert_eq!(t.say(&["run", "tea", "say.sh"]).out, format!("{BODY}\n{ODD}\n"));
    }
}

/// The same on a terminal, which obeys what comes.
#[cfg(target_os = "linux")]
#[test]
fn bodies_are_shown_on_a_terminal() {
    let t = odd_bodies();
    let mut all: Vec<Vec<&str>> = ANSWERS.iter().map(|words| words.to_vec()).collect();
    all.push(vec!["run", "tea", "say.sh"]);
    all.push(vec![ODD]);
    for words in all {
        let Some(shown) = on_terminal(&t, &words) else { return };
        let shown = shown.replace("\r\n", "\n").replace("\u{1b}[0m", "").replace("\u{1b}[1m", "");
        let shown =
            ["31", "91", "33"].iter().fold(shown, |shown, color| shown.replace(&format!("\u{1b}[{color}m"), ""));
        let shown = shown.replace("\u{1b}[4m", "").replace("\u{1b}[1;31m", "").replace("\u{1b}[32m", "");
        is_clean(&format!("{words:?}"), &shown);
        if words[0] != ODD {
            let expect = "Boil it\\u{202e} well\\u{e0041}.\tA tab\\u{2028}and \\u{9b}31m ";
            assert!(shown.contains(expect) && shown.contains("❤\u{fe0f} می\u{200c}خ."), "{words:?}: {shown}");
        }
    }
}

/// What a command says to a terminal; nothing where there is no `script` of util-linux to make one.
#[cfg(target_os = "linux")]
fn on_terminal(t: &Place, words: &[&str]) -> Option<String> {
    let program = std::path::Path::new("/usr/bin/script");
    if !program.exists() {
        skip(format_args!("there is no `{}`", program.display()));
        return None;
    }
    let quoted = |word: &str| format!("'{}'", word.replace('\'', r"'\''"));
    let line: Vec<String> = [crate::program::BINARY].iter().chain(words).map(|word| quoted(word)).collect();
    let mut command = std::process::Command::new(program);
    command.args(["-q", "-e", "-c", &line.join(" "), "/dev/null"]).current_dir(t.at("project"));
    command
        .env_clear()
        .env("HOME", t.at("home"))
        .env("PATH", crate::program::PATH)
        .env("TERM", "xterm")
        .env("SHELL", "/bin/sh");
    let done = command.stdin(std::process::Stdio::null()).output().expect("script starts");
    Some(String::from_utf8(done.stdout).expect("UTF-8"))
}

/// A project of which one source is a file, and two more that cannot be read.
fn unread(broken: &[&str]) -> Place {
    let mut tree =
        Tree::default().with("/home/.agents/skills/tea/SKILL.md", "---\nname: tea\ndescription: T\n---\nBoil.\n");
    tree = tree.with(
        "/home/.agent/skills/milk/SKILL.md",
        "---\nname: milk\ndescription: M\ntriggers: {verbs: [pour]}\n---\nPour.\n",
    );
    for path in broken {
        tree = tree.with(path, "no folder\n");
    }
    Place::of(tree)
}

/// What could not be read is said by every answer that it may be missing in.
#[test]
fn what_could_not_be_read_is_said() {
    let one = unread(&["/project/.agents/skills"]);
    let two = unread(&["/project/.agents/skills", "/project/.claude/skills"]);
    let single = "skills: error[source-unreadable]: the source `project-agents` could not be listed";
    let both = "error: 2 sources could not be read, `";
    let cases: &[(&str, &[&str], i32)] = &[
        ("load of what is not there", &["load", "coffee"], 1),
        ("the same as the model", &["load", "coffee", "--as", "model"], 1),
        ("the same in JSON", &["load", "coffee", "--json"], 1),
        ("call", &["call", "{\"name\": \"coffee\"}"], 1),
        ("invoke", &["invoke", "/coffee"], 1),
        ("invoke --json", &["invoke", "/coffee", "--json"], 1),
        ("run", &["run", "coffee", "say.sh"], 2),
        ("approve", &["approve", "coffee"], 1),
    ];
    for (case, words, code) in cases {
        for (place, expect) in [(&one, single), (&two, both)] {
            let said = place.say(words);
            assert_eq!(said.code, Some(*code), "{case}: {}", said.err);
            assert_eq!(said.err.matches(expect).count(), 1, "{case}: {}", said.err);
            assert_eq!(said.err.matches("could not be").count(), 1, "{case}: one line: {}", said.err);
        }
        holds(case, &two.say(words).err, &[".agents/skills` first; `skilltree why /", "shows why\n"]);
    }
    for words in [&["list"][..], &["prompt"], &["prompt", "--json"]] {
        for (place, expect) in [(&one, single), (&two, "2 errors in 2 files; 2 sources could not be read, `")] {
            let said = place.say(words);
            assert_eq!(said.code, Some(0), "{words:?}: {}", said.err);
            holds("the line about all findings has it", &said.err, &[expect, "`skilltree check` shows"]);
            assert_eq!(said.err.lines().count(), 1, "{words:?}: {}", said.err);
        }
    }
    for words in
        [&["load", "tea"][..], &["invoke", "/tea"], &["invoke", "good morning"], &["call", "{\"name\": \"tea\"}"]]
    {
        assert!(!two.say(words).err.contains("could not be"), "{words:?}: what was asked for is there");
    }
    let matching = unread(&["/project/.agent/skills"]);
    for words in [&["match", "pour it"][..], &["match", "pour it", "--json"], &["prompt", "--query", "pour it"]] {
        let said = matching.say(&[words, &["--dialect", "agent-base"]].concat());
        assert_eq!(said.code, Some(0), "{words:?}: {}", said.err);
        holds("a match", &said.err, &["source-unreadable", "could not be listed"]);
    }
}

/// A folder, and then a file, that may not be read: each command that says which skills there are names it, and none writes down that
/// they are all.
#[test]
#[cfg(unix)]
fn what_may_not_be_read_is_said() {
    let skill = |name: &str| format!("---\nname: {name}\ndescription: A skill.\n---\nBoil.\n");
    let names = ["tea", "locked", "jam"];
    let tree = names.iter().fold(Tree::default(), |tree, name| {
        let of = |folder: &str| format!("/{folder}/.claude/skills/{name}/SKILL.md");
        tree.with(&of("project"), skill(name)).with(&of("old"), skill(name))
    });
    let place = Place::locked(tree);
    let lock = place.read("project/skilltree.lock").unwrap();
    let folder = "project/.claude/skills/locked";
    let file = format!("{folder}/SKILL.md");
    let inner = ".claude/skills/locked";
    let not_listed = "the folder could not be listed: it may not be read (permission denied)";
    let denied = ["skills/locked", "permission denied"];
    // The words, the exit code with the folder and with the file, and parts of what is said of the folder.
    let cases: &[(&[&str], i32, i32, &[&str])] = &[
        (&["search", "skill"], 0, 0, &denied),
        (&["state"], 0, 0, &denied),
        (&["state", "milk", "off"], 1, 1, &denied),
        (&["overlap"], 0, 0, &denied),
        (&["overlap", "--json"], 0, 0, &denied),
        (&["session", "s.json", "reattach", "--dry-run"], 0, 0, &denied),
        (&["diff", "../old", "."], 0, 0, &["project/.claude/skills/locked: warning[unreadable]", "permission denied"]),
        (&["verify"], 0, 0, &denied),
        (&["verify", "--require", "matches"], 1, 1, &denied),
        (&["verify", ".claude", "--require", "matches"], 1, 1, &["skills/locked`: the folder could not be listed"]),
        (&["lock", "--check"], 1, 1, &denied),
        (&["lock", "--check", ".claude"], 1, 1, &["skills/locked", not_listed]),
        (&["lock"], 2, 2, &["skills/locked`: ", not_listed, "nothing is written, as skills may be missing"]),
        (&["lock", "--dry-run"], 2, 2, &["skills/locked`: ", not_listed]),
        (&["lock", ".claude"], 2, 1, &["skills/locked`: ", not_listed]),
        (&["lock", "--dialect", "codex"], 2, 1, &["skills/locked`: ", not_listed]),
        (&["index", ".claude", "-o", "../site"], 2, 1, &["skills/locked`: ", not_listed]),
    ];
    for (words, of_folder, of_file, expect) in cases {
        for (path, code) in [(folder, of_folder), (file.as_str(), of_file)] {
            let Some(said) = place.say_while_forbidden(path, words) else { return };
            assert_eq!(said.code, Some(*code), "{words:?} of {path}: {}{}", said.out, said.err);
            if path == folder {
                holds(&format!("{words:?}"), &said.err, expect);
            } else {
                let text = said.out + &said.err;
                holds(&format!("{words:?}"), &text, &["skills/locked"]);
                let is_said = ["permission denied", "may not be read"].iter().any(|why| text.contains(why));
                assert!(is_said, "{words:?}: {text}");
            }
            assert_eq!(place.read("project/skilltree.lock").unwrap(), lock, "{words:?}");
            assert!(!place.at("site").exists(), "{words:?}");
        }
    }
    let missing = format!("{inner}`: {not_listed}");
    holds("verify", &place.say_while_forbidden(folder, &["verify"]).unwrap().out, &["locked", "missing", &missing]);
    let checked = place.say_while_forbidden(folder, &["lock", "--check"]).unwrap();
    holds("lock --check", &checked.out, &["missing", inner, not_listed]);
    // A folder that is named.
    let named = ["verify", inner, "--require", "matches"];
    let said = place.say_while_forbidden(folder, &named).unwrap();
    assert_eq!((said.code, said.err.matches("permission denied").count()), (Some(1), 1), "{}", said.err);
    let said = place.say_while_forbidden(folder, &["check", inner]).unwrap();
    assert_eq!(said.code, Some(1), "{}", said.out);
    holds("check", &said.out, &["error[source-unreadable]", "1 error\n"]);
    assert!(!said.out.contains("entry-refused"), "{}", said.out);
    // What is not locked is no less missing.
    std::fs::remove_dir_all(place.at("project/.claude/skills/jam")).unwrap();
    place.check("locked without it", &["lock"], 0, &["- .claude/skills/jam"], &[]);
    place.write("project/.claude/skills/jam/SKILL.md", &skill("jam"));
    let said = place.say_while_forbidden("project/.claude/skills/jam", &["lock", "--check"]).unwrap();
    assert_eq!(said.code, Some(1), "{}", said.out);
    holds(
        "lock --check",
        &said.err,
        &["skills/jam", "permission denied", "not everything in the project could be read"],
    );
}

/// A skill in a folder whose name is not UTF-8, and a SKILL.md above the limit of this program, are missing for it and not for a client:
/// what says which skills there are names them.
#[test]
#[cfg(target_os = "linux")]
fn what_only_this_program_passes_over_is_said() {
    use std::os::unix::ffi::OsStrExt as _;
    let skill = |name: &str| format!("---\nname: {name}\ndescription: A skill.\n---\nBoil.\n");
    let folder = |place: &Place, path: &[u8]| {
        let at = place.at("project/.claude/skills").join(std::ffi::OsStr::from_bytes(path));
        std::fs::create_dir(&at).unwrap();
        std::fs::write(at.join("SKILL.md"), skill("evil")).unwrap();
    };
    let tree = ["project", "old"]
        .iter()
        .fold(Tree::default(), |tree, top| tree.with(&format!("/{top}/.claude/skills/tea/SKILL.md"), skill("tea")));
    let [odd, large] = [Place::locked(tree.clone()), Place::locked(tree)];
    folder(&odd, b"ev\xffil");
    large.write("project/.claude/skills/big/SKILL.md", &(skill("big") + &"x".repeat(16_777_216)));
    let not_searched = "ev\u{fffd}il: warning[path-not-utf8]: the folder name is not UTF-8, so it was not searched";
    let too_large = "big/SKILL.md: error[too-large]: expected at most 16777216 bytes";
    let nothing_written = "nothing is written, as skills may be missing";
    let cases: &[(&[&str], i32)] = &[
        (&["search", "skill"], 0),
        (&["state"], 0),
        (&["overlap"], 0),
        (&["matrix"], 0),
        (&["prompt"], 0),
        (&["load", "evil"], 1),
        (&["diff", "../old", "."], 0),
        (&["verify"], 0),
        (&["verify", "--require", "matches"], 1),
        (&["lock", "--check"], 1),
    ];
    for (words, code) in cases {
        for (place, expect) in [(&odd, not_searched), (&large, too_large)] {
            let said = place.say(words);
            assert_eq!(said.code, Some(*code), "{words:?}: {}{}", said.out, said.err);
            assert_eq!(said.err.matches(expect).count(), 1, "{words:?}: {}{}", said.out, said.err);
        }
    }
    odd.check("lock", &["lock"], 2, &[], &["ev\u{fffd}il`: the folder name is not UTF-8", nothing_written]);
    large.check("lock", &["lock"], 2, &[], &["big/SKILL.md`: expected at most 16777216", nothing_written]);
    for words in [&["lock", "--dialect", "codex", ".claude"][..], &["index", ".claude/skills", "-o", "../site"]] {
        odd.check("below a path", words, 2, &[], &["ev\u{fffd}il`: the folder name is not UTF-8", nothing_written]);
    }
    let said = odd.say(&["verify", ".claude", "--require", "matches"]);
    assert_eq!((said.code, said.err.matches("is not UTF-8").count()), (Some(1), 1), "{}", said.err);
    // The limit of a client is the client's own.
    large.check("a client with a lower limit", &["lock", "--check", "--dialect", "claude"], 0, &["1 of 1"], &[]);
    if odd.git(&["init", "--quiet"]) {
        odd.git(&["add", "--all"]);
        odd.git(&["commit", "--quiet", "--message=all"]);
        odd.check("a revision", &["check", "git:HEAD"], 0, &["path-not-utf8", "ev\u{fffd}il"], &[]);
        odd.check("a revision", &["diff", "../old", "git:HEAD"], 0, &["no change"], &[not_searched]);
        let said = odd.say(&["verify", "git:HEAD", "--require", "matches"]);
        assert_eq!((said.code, said.err.matches("is not UTF-8").count()), (Some(1), 1), "{}", said.err);
        assert!(!said.out.contains('\u{fffd}'), "{}", said.out);
    }
    // In the folder of a skill, where the client reads no other, it hides none.
    std::fs::remove_dir_all(odd.at("project/.claude/skills").join(std::ffi::OsStr::from_bytes(b"ev\xffil"))).unwrap();
    folder(&odd, b"tea/od\xffd");
    let claude = ["--dialect", "claude"];
    let said = odd.say(&[&["prompt"], &claude[..]].concat());
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
    odd.check(
        "lock",
        &[&["lock"], &claude[..]].concat(),
        1,
        &[],
        &["`od\u{fffd}d` is not a regular file with a name in UTF-8"],
    );
    odd.check("check", &[&["check"], &claude[..]].concat(), 0, &["note[path-not-utf8]", "od\u{fffd}d"], &[]);
}

/// The server says it as well, however much else there is to say.
#[test]
fn the_server_says_what_could_not_be_read() {
    let mut tree =
        Tree::default().with("/project/.agents/skills", "no folder\n").with("/project/.claude/skills", "none\n");
    for n in 0..40 {
        tree = tree.with(&format!("/home/.agents/skills/a{n}/SKILL.md"), "---\nno: description\n---\n");
    }
    // Its client ends the session at once.
    let said = Place::of(tree).say(&["mcp"]);
    assert_eq!((said.code, said.out.as_str()), (Some(0), ""), "{}", said.err);
    assert_eq!(said.err.matches("2 sources could not be read").count(), 1, "{}", said.err);
    holds("before the others", &said.err, &["2 sources could not be read", "description-missing", "more\n"]);
}

/// `why` has the answer for each, and for what would lie in it.
#[test]
fn why_it_could_not_be_read() {
    let t = unread(&["/project/.agents/skills"]);
    for asked in [".agents/skills", ".agents/skills/coffee/SKILL.md", &t.named("/project/.agents/skills")] {
        t.check(asked, &["why", asked], 0, &["skills: skipped [source-unreadable]", "could not be listed"], &[]);
    }
}

/// What a service of continuous integration obeys in a log.
const LOG_COMMANDS: &[&str] =
    &["::add-mask::x", "::error file=a::b", "##[error]b", "##vso[task.setvariable variable=a]b"];

/// No line of text that people read is a command to the service that keeps the log, whoever chose the names.
#[test]
fn names_are_no_commands_to_a_log() {
    for name in LOG_COMMANDS {
        let skill =
            format!("---\nname: '{name}'\ndescription: '{name}'\nallowed-tools: '{name}'\n'{name}': 1\n---\nText.\n");
        let broken = format!("---\n{name}: [\n---\n");
        let place = Place::of(
            Tree::default()
                .with(&format!("/project/.agents/skills/{name}/SKILL.md"), skill.as_str())
                .with(&format!("/project/.agents/skills/b/{name}/SKILL.md"), broken.as_str())
                .with(&format!("/project/.agents/skills/{name}/{name}"), "x")
                .with(&format!("/project/.agents/skills/{name}/scripts/{name}.sh"), "#!/bin/sh\n"),
        );
        let folder = format!("./.agents/skills/{name}");
        let commands: &[&[&str]] = &[
            &["list"],
            &["tree"],
            &["why", name],
            &["check"],
            &["check", &folder],
            &["check", "--strict"],
            &["state"],
            &["matrix"],
            &["overlap"],
            &["complete", ""],
            &["search", "x"],
            &["search", name],
            &["load", name],
            &["load", "none::"],
            &["approve", name],
            &["pack", &folder, "-o", "x.skill"],
            &["state", name, "off"],
            &["new", name],
            &["run", name, "none"],
            &["convert", name, "--to", "claude", "-d", "made"],
            &["explain"],
            &["--dialect", name, "list"],
            &["check", "--fix"],
            &[name],
        ];
        for words in commands {
            for color in ["never", "always"] {
                let said = place.say(&[words, &["--color", color][..]].concat());
                // The text of a skill is exact.
                let out = if words[0] == "load" { "" } else { said.out.as_str() };
                for line in out.lines().chain(said.err.lines()) {
                    let plain = line.trim_start_matches(|c: char| c == '\u{1b}' || c.is_whitespace());
                    let obeyed = plain.starts_with("::") || line.contains("##[") || line.contains("##vso[");
                    assert!(!obeyed, "{words:?}: {line:?}");
                }
            }
        }
        assert!(place.say(&["list"]).out.contains(r"\u{"), "it is shown, with an escape");
    }
}
