//! The commands that messages of the real binary suggest: each is taken out of the output, pasted into a shell in the
//! same folder, and does what was promised. Names and paths are those that a shell would take apart.
#![cfg(unix)]

use crate::common;

use crate::program::{Place, Said, heard};
use common::Tree;
use pretty_assertions::assert_eq;
use std::process::Stdio;

/// Every character that a shell does something with, and some that a terminal does something with.
const ODD: &str = "-a b'c\"d$HOME`e\\n%s~*é\u{202e}\u{1b}[1m";

/// What stands in backticks and is a command of ours.
fn suggested(said: &Said) -> Vec<String> {
    let commands = |text: &str| -> Vec<String> {
        let rests = text.split("`skilltree ").skip(1);
        rests.filter_map(|rest| Some(format!("skilltree {}", rest.split_once('`')?.0))).collect()
    };
    let json = said.out.trim_start().starts_with('{').then(|| said.json());
    let mut all = commands(&said.err);
    match json {
        Some(json) => texts(&json).iter().for_each(|text| all.extend(commands(text))),
        None => all.extend(commands(&said.out)),
    }
    all
}

/// Every text in a document.
fn texts(json: &skilltree::Json) -> Vec<String> {
    match json {
        skilltree::Json::Text(text) => vec![text.clone()],
        skilltree::Json::List(items) => items.iter().flat_map(texts).collect(),
        skilltree::Json::Map(fields) => fields.iter().flat_map(|(_, value)| texts(value)).collect(),
        _ => Vec::new(),
    }
}

/// Runs the words, and all that is suggested then: the beginning of each command, its exit code, and what it says.
#[track_caller]
fn works(case: &str, place: &Place, words: &[&str], expect: &[(&str, i32, &str)]) {
    let said = place.bare(words).output().map(heard).expect("the binary starts");
    let mut commands = suggested(&said);
    commands.dedup();
    assert_eq!(commands.len(), expect.len(), "{case}: {commands:#?}\n{}{}", said.out, said.err);
    for (line, (head, code, part)) in commands.iter().zip(expect) {
        assert!(line.starts_with(head) && !line.contains(char::is_control), "{case}: {head}: {line:?}");
        let done = place.pasted(line);
        assert_eq!(done.code, Some(*code), "{case}: {line}\n{}{}", done.out, done.err);
        assert!(format!("{}{}", done.out, done.err).contains(part), "{case}: {line}\n{}{}", done.out, done.err);
    }
}

fn skill(name: &str, more: &str) -> String {
    format!("---\nname: {name}\ndescription: D.\n{more}---\nText.\n")
}

fn place(files: &[(&str, &str)]) -> Place {
    let files: Vec<_> = files.iter().map(|(path, text)| (path.replace("ODD", ODD), *text)).collect();
    Place::of(files.iter().fold(Tree::default(), |tree, (path, text)| tree.with(path, *text)))
}

/// A skill that is broken, in a dialect that is not the default, in a project with an odd name.
#[test]
fn what_is_found() {
    let broken = "---\nname: broken\n---\nText.\n";
    let place = place(&[("/project/ODD/.sven/skills/ODD/SKILL.md", broken), ("/project/more/SKILL.md", broken)]);
    let project = format!("--project={ODD}");
    let home = format!("--home={ODD}");
    let words = ["--dialect", "sven", &project];
    let expect = [("skilltree check", 1, "description-missing")];
    works("a list", &place, &[&words[..], &["list"]].concat(), &expect);
    works("another home", &place, &[&words[..], &["list", &home]].concat(), &expect);
    works("a source", &place, &[&words[..], &["--only-roots", "--root", ".", "tree"]].concat(), &expect);
    let why = [("skilltree why", 0, "description-missing")];
    works("a name", &place, &[&words[..], &["load", "--", ODD]].concat(), &why);
    works("a name, as JSON", &place, &[&words[..], &["load", "--json", "--", ODD]].concat(), &why);
    let at_root = [("skilltree new hello", 0, "more/hello"), ("skilltree check", 0, "skill-at-root")];
    works("more sources", &place, &[&words[..], &["--only-roots", "--root", "more", "tree"]].concat(), &at_root);
}

#[test]
fn what_is_hidden() {
    let secret = skill("secret", "user-invocable: false\n");
    let place = place(&[("/project/.claude/skills/secret/SKILL.md", &secret)]);
    let load = [("skilltree load --as model secret", 0, "Text.")];
    works("hidden from the user", &place, &["--dialect", "claude", "load", "secret"], &load);
}

/// What the project's skills ask for: the key is odd, too.
#[test]
fn what_is_not_trusted() {
    let (tea, odd) = (skill("tea", "allowed-tools: Read\n"), skill("\"-o d\"", "allowed-tools: Read\n"));
    let script = "#!/bin/sh\necho boiled\n";
    let place = place(&[
        ("/project/.claude/skills/tea/SKILL.md", &tea),
        ("/project/.claude/skills/tea/scripts/boil.sh", script),
        ("/project/.claude/skills/-o d$'s/SKILL.md", &odd),
        ("/project/.claude/skills/-o d$'s/scripts/boil.sh", script),
    ]);
    let home = place.named("home");
    for key in ["tea", "-o d$'s"] {
        let words = ["--dialect", "claude", "--home", &home];
        let approve = [("skilltree approve", 0, key)];
        let told = |words: &[&str]| place.bare(words).output().map(heard).unwrap();
        let load = [&words[..], &["load", "--json", "--", key]].concat();
        works("a grant", &place, &load, &approve);
        assert_eq!(suggested(&told(&load)), [""; 0], "{key}: it is granted now");
        let dir = place.at(&format!("project/.claude/skills/{key}/new.txt"));
        std::fs::write(dir, "new").unwrap();
        // Of `run` all that stands after the script is the script's.
        let run = [&words[..], &["run", "--", key, "boil.sh"]].concat();
        works("a void approval", &place, &run, &approve);
        assert_eq!(told(&run).out, "boiled\n", "{key}: it is run now");
        assert_eq!(told(&[&words[..], &["approve", "--revoke", "--", key]].concat()).code, Some(0));
        works("no approval", &place, &run, &approve);
        assert_eq!(told(&run).out, "boiled\n", "{key}: it is run again");
    }
}

#[test]
fn what_has_a_state() {
    let (tea, odd) = (skill("tea", ""), skill("o'd", ""));
    let place = place(&[
        ("/project/.gen/skills/tea/SKILL.md", &tea),
        ("/project/.gen/skills/odd/SKILL.md", &odd),
        ("/project/.gen/skills.json", "{\"skills\": {\"tea\": \"disable\"}}"),
    ]);
    let home = place.named("home");
    let words = |more: &[&'static str]| [&["--dialect", "gencode", "--home", &home], more].concat();
    let state = |key: &'static str| [("skilltree state", 0, key)];
    works("none is active", &place, &words(&["prompt"]), &state("● o'd active"));
    place.bare(&words(&["state", "o'd", "enable"])).output().unwrap();
    works("it is not active", &place, &words(&["call", "{\"skill\": \"o'd\"}"]), &state("● o'd active"));
    works("it is off", &place, &words(&["load", "tea"]), &state("● tea active"));
    place.bare(&words(&["state", "tea", "enable"])).output().unwrap();
    works("why it is hidden", &place, &words(&["why", "tea"]), &state("● tea active"));
    works("an option switches it off", &place, &words(&["--disable", "tea", "load", "tea"]), &[]);
}

#[test]
fn what_has_a_copy() {
    let mine = skill("mine", "");
    let script = "#!/bin/sh\necho said\n";
    let place = place(&[
        ("/project/u ser/skills/personal/mine/SKILL.md", &mine),
        ("/project/u ser/skills/personal/mine/scripts/say.sh", script),
    ]);
    let words = ["--dialect", "daycare", "--user", "u ser"];
    let run =
        |words: &[&str]| place.bare(&[words, &["run", "user:mine", "say.sh"]].concat()).output().map(heard).unwrap();
    let sync = [&words[..], &["sync", "--to", "u ser/skills/active"]].concat();
    assert_eq!(place.bare(&sync).output().map(heard).unwrap().code, Some(0));
    let with_active = [&words[..], &["--active", "u ser/skills/active"]].concat();
    assert_eq!(run(&with_active).out, "said\n");
    let copy = place.at("project/u ser/skills/active/user--mine");
    std::fs::write(copy.join("scripts/say.sh"), "echo else\n").unwrap();
    let line = suggested(&run(&with_active)).pop().expect("a command");
    std::fs::remove_dir_all(copy).unwrap();
    assert_eq!(place.pasted(&line).code, Some(0), "{line}");
    assert_eq!(run(&with_active).out, "said\n", "{line}");
}

/// A server is asked from anywhere: what it suggests works in any folder.
#[test]
#[cfg(feature = "mcp")]
fn what_a_server_says() {
    use std::io::{BufRead, BufReader, Write};
    let tea = skill("tea", "");
    let place = place(&[
        ("/project/.claude/skills/tea/SKILL.md", &tea),
        ("/project/.claude/skills/tea/scripts/boil.sh", "true\n"),
    ]);
    let mut server = place.bare(&["--dialect", "claude", "--home", "../home", "mcp", "--allow-run"]);
    let mut server = server.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let call = r#"{"name":"run_skill_script","arguments":{"skill":"tea","script":"boil.sh"}}"#;
    let start = r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}"#;
    let lines = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{start}}}\n\
         {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}\n\
         {{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{call}}}\n"
    );
    let mut input = server.stdin.take().unwrap();
    input.write_all(lines.as_bytes()).unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap()).lines();
    let answer = output.find_map(|line| line.ok().filter(|line| line.contains("\"id\":2"))).expect("an answer");
    drop(input);
    assert_eq!(server.wait_with_output().map(heard).unwrap().code, Some(0));
    let said = Said { code: None, out: answer.clone(), err: String::new() };
    let line = suggested(&said).pop().unwrap_or_else(|| panic!("a command in {answer}"));
    let done = place.pasted(&format!("cd / && {line}"));
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{line}");
    assert!(done.out.starts_with("approved tea"), "{line}: {}", done.out);
}

#[test]
fn what_is_out_of_reach() {
    let tea = skill("tea", "");
    let near = || place(&[("/project/.claude/skills/a b/x/c'd/SKILL.md", &tea), ("/project/$HOME/.git/HEAD", "")]);
    let words = ["--dialect", "claude"];
    let deep = [("skilltree check", 0, "too-deep"), ("skilltree new hello", 0, "skills/hello")];
    works("a list of nothing", &near(), &[&words[..], &["list"]].concat(), &deep);
    let project = ["--project", "$HOME"];
    let another = [
        ("skilltree why", 0, "not-in-source"),
        ("skilltree list", 0, "deeper than"),
        ("skilltree new hello", 0, "skills/hello"),
    ];
    works("a list in a subfolder", &near(), &[&words[..], &project, &["list"]].concat(), &another);
    let why = [("skilltree why", 0, "too-deep")];
    works("in another project", &near(), &[&words[..], &project, &["why", "c'd"]].concat(), &why);
}

/// Of many files that could not be read the first is named, and asked for.
#[test]
fn what_could_not_be_read() {
    let tea = skill("tea", "");
    let place = place(&[("/project/.claude/skills/tea/SKILL.md", &tea), ("/elsewhere/SKILL.md", &tea)]);
    for link in ["a b", "c'd"] {
        let link = place.at(&format!("project/.claude/skills/{link}"));
        std::os::unix::fs::symlink(place.at("elsewhere"), link).unwrap();
    }
    let check = [("skilltree check", 0, "leads out of the project")];
    works("a prompt", &place, &["--dialect", "claude", "prompt"], &check);
    let why = [("skilltree why", 0, "leads out of the project")];
    works("a message", &place, &["--dialect", "claude", "invoke", "/nothing"], &why);
}

#[test]
fn what_a_pattern_grows_to() {
    let one = skill("one", "triggers: {patterns: ['\\w{9000}']}\n");
    let place = place(&[("/project/.agent/skills/o ne/SKILL.md", &one)]);
    let check = [("skilltree check", 1, "pattern-invalid")];
    works("a match", &place, &["--dialect", "agent-base", "match", "x"], &check);
}
