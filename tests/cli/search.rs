//! The command `search`: the table, the JSON, and many requests from a file or from standard input.

use crate::common;

use crate::program::{Place, Said, heard};
use common::Tree;
use pretty_assertions::assert_eq;
use std::io::Write;
use std::process::Stdio;

fn place() -> Place {
    Place::of(Tree::default().files(&[
        ("/project/.claude/skills/tea/SKILL.md", "---\nname: tea\ndescription: Brews tea leaves.\n---\nHeat the kettle.\n"),
        ("/project/.claude/skills/pdf-forms/SKILL.md", "---\nname: pdf-forms\ndescription: Für PDF: fills in forms.\n---\nText.\n"),
        ("/project/.claude/skills/coffee/SKILL.md", "---\nname: coffee\ndescription: Brews a drink.\n---\nGrind.\n"),
        ("/project/queries", "brewing leaves\n\n{\"query\": \"form\", \"limit\": 1}\n{\"query\": 1}\n{\n{\"query\": \"brew\", \"limit\": 1}\n{\"query\": \"tea\", \"limit\": 0}\n{\"query\": \"tea\", \"limit\": \"1\"}\n"),
    ]))
}

#[test]
fn a_table() {
    let table = "RANK  KEY     MATCHED            DESCRIPTION\n\
                 1     tea     name, description  Brews tea leaves.\n\
                 2     coffee  description        Brews a drink.\n";
    place().exact("words", &["search", "brewing", "tea"], 0, table, "");
    place().exact("one text", &["search", "brewing tea"], 0, table, "");
    let one = "RANK  KEY  MATCHED            DESCRIPTION\n1     tea  name, description  Brews tea leaves.\n";
    place().exact("a limit", &["search", "brewing tea", "--limit", "1"], 0, one, "");
    place().exact("a text like an option", &["search", "-brewing", "tea", "--limit", "1"], 0, one, "");
    let body = "RANK  KEY  MATCHED  DESCRIPTION\n1     tea  body     Brews tea leaves.\n";
    place().exact("bodies", &["search", "kettle"], 0, body, "");
    place().exact("bodies, as it was asked for before", &["search", "kettle", "--body"], 0, body, "");
    let marked = place().say(&["search", "brew tea", "--limit", "1", "--color", "always"]).out;
    assert!(marked.contains("\u{1b}[1mBrews\u{1b}[0m \u{1b}[1mtea\u{1b}[0m leaves."), "{marked:?}");
}

#[test]
fn as_json() {
    place().fields(
        "hits",
        &["search", "brewing", "tea"],
        0,
        &[
            ("query", "\"brewing tea\""),
            ("hits.0.key", "\"tea\""),
            ("hits.0.description", "\"Brews tea leaves.\""),
            ("hits.0.matched", "[\"name\",\"description\"]"),
            ("hits.0.marks", "[[0,5],[6,9]]"),
            ("hits.1.key", "\"coffee\""),
            ("hits.2", "-"),
        ],
    );
    place().fields("in characters", &["search", "forms"], 0, &[("hits.0.marks", "[[18,23]]")]);
    let path = crate::program::field(&place().json(&["search", "forms"]).1, "hits.0.path");
    assert!(path.ends_with("/project/.claude/skills/pdf-forms/SKILL.md\""), "{path}");
    let scores = place().json(&["search", "brewing tea"]).1;
    let score = |at: &str| crate::program::field(&scores, at).parse::<f64>().expect("a number");
    assert!(score("hits.0.score") > score("hits.1.score") && score("hits.1.score") > 0.0, "{scores}");
}

#[test]
fn nothing_found() {
    let help = "error: no skill matches `kettle`\n\
                help: without `--no-body`, the texts of the skills are searched too\n";
    place().exact("none", &["search", "kettle", "--no-body"], 1, "", help);
    let none = [("query", "\"kettle\""), ("hits", "[]"), ("error.code", "\"no-match\"")];
    place().fields("none as JSON", &["search", "kettle", "--no-body"], 1, &none);
    place().exact("none in bodies", &["search", "spaceship"], 1, "", "list` shows all skills");
    place().check("one way or the other", &["search", "tea", "--body", "--no-body"], 2, &[], &["cannot be used with"]);
    place().exact("not for this caller", &["search", "nobody", "--as", "model"], 1, "", "no skill matches `nobody`");
    Place::of(Tree::default()).check("no skills", &["search", "tea"], 1, &[], &["no skill"]);
    place().check("no text", &["search"], 2, &[], &["TEXT"]);
    place().check("both", &["search", "tea", "--queries", "queries"], 2, &[], &["cannot be used with"]);
    place().check("no such file", &["search", "--queries", "nowhere"], 2, &[], &["error: nowhere: "]);
    let none = ["for '--limit <N>': expected a whole number of at least 1"];
    place().check("at most none", &["search", "tea", "--limit", "0"], 2, &[], &none);
    place().check("a folder", &["search", "--queries", "."], 2, &[], &["error: .: "]);
}

/// The keys, or the message of the error, of each line.
#[track_caller]
fn answers(said: &Said) -> Vec<String> {
    let answer = |line: &str| {
        let json = skilltree::Json::parse(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        match json.get("error") {
            Some(error) => format!("! {}", error.get("message").and_then(|text| text.as_text()).unwrap_or_default()),
            None => crate::program::texts(&json, "hits", "key").join(" "),
        }
    };
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
    said.out.lines().map(answer).collect()
}

#[test]
fn many_requests() {
    let expect = [
        "tea coffee",
        "! expected a request, got an empty line",
        "pdf-forms",
        "! expected a text `query`",
        "! expected a key or `}` at line 1, column 2",
        "coffee",
        "! expected a whole number of at least 1 as `limit`, got `0`",
        "! expected a whole number of at least 1 as `limit`, got `\"1\"`",
    ];
    let place = place();
    assert_eq!(answers(&place.say(&["search", "--queries", "queries"])), expect, "a file");
    let mut command = place.command(&["search", "--queries", "-", "--limit", "1"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let input = [b"brewing\n\xff\n".as_slice(), &vec![b'x'; (1 << 20) + 7], b"\nspaceship\nform"].concat();
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let said = heard(child.wait_with_output().expect("ends"));
    writer.join().expect("no panic").expect("all is read");
    let expect = ["coffee", "! expected UTF-8", "! expected a line of at most 1048576 bytes", "", "pdf-forms"];
    assert_eq!(answers(&said), expect, "standard input");
}

#[test]
fn what_is_not_in_use_for_want_of_a_description() {
    let place = Place::of(Tree::default().files(&[
        ("/project/.claude/skills/tea/SKILL.md", "---\nname: tea\n---\nHeat the kettle.\n"),
        ("/project/.claude/skills/pot/SKILL.md", "---\nname: pot\ndescription: Holds tea.\n---\nText.\n"),
    ]));
    let words = |words: &[&'static str]| [&["search", "--dialect", "agentskills"], words].concat();
    let table = "RANK  KEY  MATCHED      DESCRIPTION\n\
                 1     tea  name         (not in use: description-missing)\n\
                 2     pot  description  Holds tea.\n";
    place.exact("a table", &words(&["tea", "--no-body"]), 0, table, "");
    let fields = [
        ("hits.0.key", "\"tea\""),
        ("hits.0.unused", "\"description-missing\""),
        ("hits.0.matched", "[\"body\"]"),
        ("hits.1", "-"),
    ];
    place.fields("by its body, as JSON", &words(&["kettle"]), 0, &fields);
    place.exact("not for the model", &words(&["kettle", "--as", "model"]), 1, "", "no skill matches `kettle`");
}

/// What never ends is not read, or not on.
#[cfg(target_os = "linux")]
#[test]
fn endless_requests() {
    let place = place();
    for device in ["/dev/zero", "/dev/null"] {
        place.check(device, &["search", "--queries", device], 2, &[], &["expected a file, got a device"]);
    }
    let zero = std::fs::File::open("/dev/zero").expect("it is there");
    let mut command = place.command(&["search", "--queries", "-"]);
    let said = heard(command.stdin(zero).output().expect("it ends"));
    assert_eq!(answers(&said), ["! expected a line of at most 1048576 bytes; nothing more is read"]);
}
