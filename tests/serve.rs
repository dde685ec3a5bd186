//! The skills as the Skills extension hands them on: addresses, frontmatters, entries, files and folders. In memory
//! and on the disk, with one answer.
#![cfg(all(unix, feature = "digest"))]

use crate::common;

use common::ground::{Ground, briefs, ground, on};
use common::{Tree, property};
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use skilltree::fs::FsCall;
use skilltree::package::{FilePart, FileRequest, Served, ServedChild, ServedEntry};
use skilltree::{Caller, Digest, Error, World};

fn skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}.\n---\nBody.\n")
}

/// Skills as `path name`, below the folder of the project's skills.
fn skills(skills: &[&str]) -> Ground {
    on(skills.iter().fold(Tree::default(), |tree, row| {
        let (path, name) = row.rsplit_once(' ').unwrap();
        let root = if path.starts_with('/') { "" } else { "/p/.sven/skills/" };
        tree.with(&format!("{root}{path}/SKILL.md"), skill(name))
    }))
}

/// The addresses in the dialect in which folders are keys, so that names may be given twice.
#[track_caller]
fn addresses(case: &str, given: &[&str], expect: &[&str]) {
    let got = skills(given).of(case, "sven", |world, catalog| {
        let served = Served::of(world, catalog);
        assert_eq!(briefs(&served.findings), Vec::<String>::new(), "{case}");
        served.skills.iter().map(|skill| skill.uri["skill://".len()..].to_owned()).collect::<Vec<_>>()
    });
    let expect: Vec<String> = expect.iter().map(|address| format!("{address}/SKILL.md")).collect();
    assert_eq!(got, expect, "{case}");
}

#[test]
fn every_skill_has_an_address_of_its_own() {
    addresses("a skill", &["tea tea"], &["project-sven/tea"]);
    addresses("folders above", &["hot/drinks/tea tea"], &["project-sven/hot/drinks/tea"]);
    addresses("folders above, odd ones", &["a b/ü/tea tea"], &["project-sven/a%20b/%C3%BC/tea"]);
    addresses("another name", &["Tea_1 tea"], &["project-sven/tea"]);
    addresses("a folder beyond ASCII", &["tü tu"], &["project-sven/tu"]);
    addresses("nested", &["tea tea", "tea/green green"], &["project-sven/tea", "project-sven/tea/green"]);
    addresses(
        "nested, folders between",
        &["tea tea", "tea/x/green green"],
        &["project-sven/tea", "project-sven/tea/x/green"],
    );
    addresses("nested in a renamed one", &["T tea", "T/green green"], &["project-sven/tea", "project-sven/tea/green"]);
    addresses("nested and renamed", &["tea tea", "tea/G green"], &["project-sven/:tea:G/green", "project-sven/tea"]);
    addresses("a capital before SKILL.md", &["T tea", "T/A a"], &["project-sven/:T:A/a", "project-sven/tea"]);
    addresses("one name, two folders", &["a/tea tea", "b/tea tea"], &["project-sven/a/tea", "project-sven/b/tea"]);
    addresses("a renamed one takes no other's", &["a tea", "tea tea"], &["project-sven/:a/tea", "project-sven/tea"]);
    addresses("two renamed ones, the first by path", &["a tea", "b tea"], &["project-sven/:b/tea", "project-sven/tea"]);
    addresses("nor lies among another's files", &["x/b y", "x/y/z z"], &["project-sven/:x:b/y", "project-sven/x/y/z"]);
    addresses("an odd folder, kept apart", &["a: tea", "tea tea"], &["project-sven/:a%3A/tea", "project-sven/tea"]);
    addresses("two sources", &["tea tea", "/h/.sven/skills/x/milk milk"], &["global-sven/x/milk", "project-sven/tea"]);
}

#[test]
fn sources_of_one_label_are_told_apart() {
    let tree = Tree::default().with("/a/tea/SKILL.md", skill("tea")).with("/b/milk/SKILL.md", skill("milk"));
    let got = on(tree).roots(&["/a", "/b"]).of("two roots", "agentskills", |world, catalog| {
        Served::of(world, catalog).skills.into_iter().map(|skill| skill.uri).collect::<Vec<_>>()
    });
    assert_eq!(got, ["skill://root-2/milk/SKILL.md", "skill://root/tea/SKILL.md"]);
}

#[test]
fn single_files_and_skills_at_a_root() {
    let tree = Tree::default()
        .with("/x/My Tea.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil.\n")
        .with("/x/more.txt", "no part of it")
        .with("/y/skill.md", "---\nname: milk\ndescription: Makes milk.\n---\nPour.\n");
    let mut ground = on(tree);
    ground.places.registered = ["P=/x/My Tea.md", "q=/y"]
        .map(|one| one.split_once('=').map(|(id, at)| (id.to_owned(), common::path(at))).unwrap())
        .into();
    let got = ground.of("registered", "daycare", |world, catalog| {
        let served = Served::of(world, catalog);
        let (entries, _) = served.entries(world);
        let folder = |entry: &ServedEntry| served.directory(world, entry.uri.trim_end_matches("/SKILL.md")).unwrap();
        let rows = entries.iter().flat_map(|entry| {
            let names = folder(entry).into_iter().map(|child| format!("  {}", child.name));
            entry.resources.iter().map(|file| file.uri.clone()).chain(names).collect::<Vec<_>>()
        });
        rows.collect::<Vec<_>>()
    });
    assert_eq!(got, ["skill://plugin-p/tea/SKILL.md", "  tea", "skill://plugin-q/milk/SKILL.md", "  milk"]);
}

/// What a frontmatter is as JSON, or the finding that says why it is not served, with its help or mended line.
#[track_caller]
fn front(case: &str, frontmatter: &str, expect: &str) {
    let text = format!("//- /p/.claude/skills/tea/SKILL.md\n---\n{frontmatter}---\nBoil water.\n");
    let got = ground(&text).repaired().of(case, "claude", |world, catalog| {
        let served = Served::of(world, catalog);
        let found = served.findings.iter().map(|found| {
            let line = found.at.map_or(String::new(), |at| format!("{}: ", at.line));
            let fix = found.fix.as_ref().map(|fix| format!(" [{}]", fix.with));
            assert!(found.help.is_some() || fix.is_some(), "{case}: {found}");
            format!("{line}{}{}", found.message, fix.unwrap_or_default())
        });
        served.skills.iter().map(|skill| skill.frontmatter.to_string()).chain(found).collect::<Vec<_>>().join("\n")
    });
    let got = got.replace("the skill is not served", "no").replace("as its frontmatter cannot be compared", "unlike");
    assert_eq!(got, expect, "{case}");
}

#[test]
fn frontmatters_as_json() {
    let tea = "name: tea\ndescription: Makes tea.\n";
    let json = |more: &str| format!("{{\"name\":\"tea\",\"description\":\"Makes tea.\",{more}}}");
    front(
        "types",
        &format!("{tea}a: 1\nb: 1.10\nc: true\nd: ~\ne: 2001-01-01\nf: yes\ng: '7'\n"),
        &json(r#""a":1,"b":1.10,"c":true,"d":null,"e":"2001-01-01","f":"yes","g":"7""#),
    );
    front(
        "nested",
        &format!("{tea}more:\n  x: [1, two]\n  y:\n    z: 0o10\n"),
        &json(r#""more":{"x":[1,"two"],"y":{"z":8}}"#),
    );
    front("order stays", &format!("z: 1\n{tea}a: 2\n"), r#"{"z":1,"name":"tea","description":"Makes tea.","a":2}"#);
    front("a number for a name", "name: 123\ndescription: d\n", "2: no: its `name` is not text");
    front("a boolean for a description", "name: tea\ndescription: true\n", "3: no: its `description` is not text");
    front("a number in quotes", "name: '007'\ndescription: \"1.0\"\n", r#"{"name":"007","description":"1.0"}"#);
    front(
        "block text",
        "name: tea\ndescription: |\n  One.\n  Two.\n",
        r#"{"name":"tea","description":"One.\nTwo.\n"}"#,
    );
    front("a comment", &format!("{tea}a: b # c\n"), &json(r#""a":"b""#));
    let word = "misleading YAML: unquoted value starts with `&`; read as plain text";
    let no = format!("4: no, unlike: {word} [a: \"&x b\"]");
    front("an anchor", &format!("{tea}a: &x b\n"), &no);

    front("no name", "description: Makes tea.\n", "2: no: it has no `name`");
    front("a name of nothing", "name: ~\ndescription: d\n", "2: no: it has no `name`");
    front("a list for a name", "name: [tea]\ndescription: d\n", "2: no: its `name` is not text");
    front("an empty name", "name: ''\ndescription: d\n", "2: no: the name `` is empty");
    front(
        "a capital",
        "name: Tea\ndescription: d\n",
        "2: no: the name `Tea` contains the capital letter `T`, expected lower-case letters, digits and hyphens",
    );
    front(
        "white space round it",
        "name: ' tea'\ndescription: d\n",
        "2: no: the name ` tea` contains ` `, expected lower-case letters, digits and hyphens",
    );
    front(
        "a slash",
        "name: a/b\ndescription: d\n",
        "2: no: the name `a/b` contains `/`, expected lower-case letters, digits and hyphens",
    );
    front("hyphens", "name: a--b\ndescription: d\n", "2: no: the name `a--b` contains two hyphens in a row");
    let long = "a".repeat(65);
    front(
        "a long name",
        &format!("name: {long}\ndescription: d\n"),
        &format!("2: no: the name `{long}` has 65 characters, expected at most 64"),
    );
    front("no description", "name: tea\n", "2: no: it has no `description`");
    front("an empty description", "name: tea\ndescription: ' '\n", "3: no: it has no `description`");

    front("a name beyond ASCII", "name: tü\ndescription: d\n", "2: no: the name `tü` is not ASCII");
    front(
        "a long description",
        &format!("description: {}\nname: tea\n", "x".repeat(1_025)),
        "2: no: the description has 1025 characters, expected at most 1024",
    );
    front(
        "a number in metadata",
        &format!("{tea}metadata:\n  version: 1.0\n"),
        "4: no: `version` in its `metadata` is not text",
    );
    front("a list for metadata", &format!("{tea}metadata: [a]\n"), "4: no: its `metadata` is not a mapping");
    front(
        "a list for compatibility",
        &format!("{tea}compatibility: [a]\n"),
        "4: no: its `compatibility` is not a text of 1 to 500 characters",
    );

    front(
        "repaired",
        "name: tea\ndescription: Use when: always\n",
        "3: no, unlike: invalid YAML: unquoted `: ` in a value; read as plain text [description: \"Use when: always\"]",
    );
    front("a key twice", &format!("{tea}a: 1\na: 2\n"), "5: no, unlike: duplicate key `a`; the first value is used");
    front(
        "an alias within its own value",
        &format!("{tea}a: &x [*x]\n"),
        "4: no, unlike: the YAML alias refers to a value that it is a part of; the value is ignored",
    );
    let deep = format!("{}1{}", "[".repeat(70), "]".repeat(70));
    front(
        "too deep",
        &format!("{tea}a: {deep}\n"),
        "4: no, unlike: expected at most 64 levels of nesting; the value is ignored",
    );
    front(
        "no number",
        &format!("{tea}a: .nan\n"),
        "4: no: JSON has no such number; put the value in double quotes if it is text",
    );
    front(
        "more than 64 bits",
        &format!("{tea}a: 18446744073709551616\n"),
        "4: no: many JSON parsers change an integer of more than 64 bits; put the value in double quotes if it is text",
    );
    front("a foreign tag", &format!("{tea}a: !x [y]\n"), "4: no: a tag of this kind has no JSON equivalent");
    front(
        "a key that is no text",
        &format!("{tea}a:\n  [b]: c\n"),
        "5: no, unlike: misleading YAML: the key is a list or a mapping; read as plain text [  \"[b]\": c]",
    );
    front(
        "a control character",
        &format!("{tea}a: b\u{1}c\n"),
        "4: no, unlike: the control character U+0001 is removed",
    );
}

/// A skill with files of odd names, a nested one, links and what is no file.
fn odd() -> Ground {
    let dir = "/p/.agents/skills/tea";
    let mut tree = Tree::default().with(&format!("{dir}/SKILL.md"), skill("tea")).with("/p/out.md", "out");
    for name in ODD {
        tree = tree.with(&format!("{dir}/{name}"), format!("this is {name}"));
    }
    let nested = skill("cup");
    tree = tree.with(&format!("{dir}/in/cup/SKILL.md"), nested).with(&format!("{dir}/in/cup/scripts/a.py"), "a");
    tree = tree.with(&format!("{dir}/.git/config"), "no").with(&format!("{dir}/.skilltree-copy"), "no");
    tree = tree.with_link(&format!("{dir}/same.md"), "a b.md").with_link(&format!("{dir}/out.md"), "../../../out.md");
    tree = tree
        .with_link(&format!("{dir}/linked"), "in")
        .with_other(&format!("{dir}/fifo"))
        .with_dir(&format!("{dir}/empty"));
    on(tree)
}

const ODD: &[&str] = &[
    "a b.md",
    "100%.txt",
    "%2e%2e",
    "%",
    "q?x#y.json",
    "ü/日本.PNG",
    "a:b",
    "...",
    "~",
    "a\\b",
    "no ending",
    "\u{202e}x",
];

#[test]
fn what_is_listed_can_be_read() {
    let rows = odd().of("odd names", "agentskills", |world, catalog| {
        let served = Served::of(world, catalog);
        let (entries, findings) = served.entries(world);
        assert_eq!(briefs(&findings), Vec::<String>::new());
        let mut rows = Vec::new();
        for entry in entries {
            // What a client reaches folder by folder is what is listed.
            let (mut files, mut folders) = (Vec::new(), vec![entry.uri.trim_end_matches("/SKILL.md").to_owned()]);
            while let Some(folder) = folders.pop() {
                for child in served.directory(world, &folder).unwrap() {
                    match child.mime {
                        "inode/directory" => folders.push(child.uri),
                        _ => files.push(child.uri),
                    }
                }
            }
            files.sort();
            let mut listed: Vec<String> = entry.resources.iter().map(|file| file.uri.clone()).collect();
            listed.sort();
            assert_eq!(files, listed, "{}", entry.uri);
            for file in &entry.resources {
                let read = served.read(world, &file.uri, Some(file.digest)).unwrap();
                assert_eq!((read.digest, read.bytes.len() as u64, &read.uri), (file.digest, file.size, &file.uri));
                assert_eq!(served.read(world, &file.uri, Some(Digest::of(b"else"))).unwrap_err().code(), "changed");
            }
            rows.extend(entry.resources.into_iter().map(|file| file.uri["skill://project-agents/".len()..].to_owned()));
        }
        rows
    });
    let tea = [
        "%25",
        "%252e%252e",
        "...",
        "100%25.txt",
        "SKILL.md",
        "a%20b.md",
        "a%3Ab",
        "a%5Cb",
        "in/cup/SKILL.md",
        "in/cup/scripts/a.py",
        "no%20ending",
        "q%3Fx%23y.json",
        "same.md",
        "~",
        "%C3%BC/%E6%97%A5%E6%9C%AC.PNG",
        "%E2%80%AEx",
    ];
    let mut expect: Vec<String> = tea.iter().map(|name| format!("tea/{name}")).collect();
    expect.splice(0..0, ["tea/in/cup/SKILL.md".to_owned(), "tea/in/cup/scripts/a.py".to_owned()]);
    assert_eq!(sorted(rows), sorted(expect));
}

fn sorted(mut rows: Vec<String>) -> Vec<String> {
    rows.sort();
    rows
}

#[test]
fn folders_and_kinds() {
    let list = |uri: &str| {
        odd().of(uri, "agentskills", |world, catalog| {
            Served::of(world, catalog).directory(world, &format!("skill://project-agents/{uri}")).map_or_else(
                |error| vec![error.code().to_owned()],
                |children| {
                    children.into_iter().map(|child| format!("{} {}", child.name, child.mime)).collect::<Vec<_>>()
                },
            )
        })
    };
    assert_eq!(list("tea/empty"), Vec::<String>::new());
    assert_eq!(list("tea/in"), ["cup inode/directory"]);
    assert_eq!(list("tea/in/cup"), ["cup text/markdown", "scripts inode/directory"]);
    assert_eq!(list("tea/%C3%BC"), ["日本.PNG image/png"]);
    let all = list("tea");
    for row in
        ["tea text/markdown", "100%.txt text/plain", "no ending application/octet-stream", "empty inode/directory"]
    {
        assert!(all.iter().any(|found| found == row), "{row} in {all:?}");
    }
    for none in [
        "",
        "te",
        "tea/",
        "tea/none",
        "tea/SKILL.md",
        "tea/linked",
        "tea/.git",
        "tea/fifo",
        "tea/in/..",
        "tea//in",
        "tea/%69n",
        "milk",
    ] {
        assert_eq!(list(none), ["not-served"], "{none}");
    }
}

#[test]
fn addresses_that_are_no_file() {
    odd().of("refused", "agentskills", |world, catalog| {
        let served = Served::of(world, catalog);
        let read = |uri: &str| served.read(world, uri, None).map(|file| file.uri).map_err(|error| error.code());
        let fine = "skill://project-agents/tea/a%20b.md";
        assert_eq!(read(fine), Ok(fine.to_owned()));
        for uri in [
            "tea/../tea/a%20b.md",
            "tea/./a%20b.md",
            "tea/in/../a%20b.md",
            "tea/in%2Fcup/SKILL.md",
            "tea/%2e%2e/x",
            "tea/%2E%2E/x",
            "tea/a%2520b.md",
            "tea/a b.md",
            "tea/a%20b.md/",
            "tea/a%20b.md?x",
            "tea/a%20b.md#x",
            "tea//a%20b.md",
            "tea/a%20b.m%64",
            "tea/%c3%bc/%E6%97%A5%E6%9C%AC.PNG",
            "tea/%",
            "tea/%2",
            "tea/%zz",
            "tea/%FF",
            "tea/%00",
            "tea",
            "tea/",
            "tea/in",
            "tea/none",
            "tea/out.md",
            "tea/linked/cup/SKILL.md",
            "tea/.git/config",
            "tea/.skilltree-copy",
            "tea/fifo",
            "Tea/a%20b.md",
            "tea/skill.md",
            "",
        ] {
            assert_eq!(read(&format!("skill://project-agents/{uri}")), Err("not-served"), "{uri}");
        }
        for uri in [
            "",
            "/",
            "skill://",
            "skill:",
            "skill://project-agents",
            "SKILL://project-agents/tea/SKILL.md",
            "file:///p/out.md",
            "/p/out.md",
            "skill://home-agents/tea/SKILL.md",
        ] {
            assert_eq!(read(uri), Err("not-served"), "{uri}");
        }
    });
}

#[test]
fn what_the_model_may_not_see_is_not_served() {
    let hidden = "---\nname: milk\ndescription: d\ndisable-model-invocation: true\n---\n";
    let tree = Tree::default()
        .with("/p/.agents/skills/tea/SKILL.md", skill("tea"))
        .with("/p/.agents/skills/milk/SKILL.md", hidden)
        .with("/p/.agents/skills/off/SKILL.md", skill("off"))
        .with("/h/.agents/skills/tea/SKILL.md", skill("tea"));
    on(tree).off("off").of("hidden", "agentskills", |world, catalog| {
        let served = Served::of(world, catalog);
        let uris: Vec<&str> = served.skills.iter().map(|skill| skill.uri.as_str()).collect();
        let both = vec!["skill://home-agents/tea/SKILL.md", "skill://project-agents/tea/SKILL.md"];
        assert_eq!((uris, briefs(&served.findings)), (both, Vec::new()), "neither of one key hides the other");
        assert_eq!(served.get("skill://project-agents/tea/SKILL.md").map(|skill| skill.key.as_str()), Some("tea"));
        assert_eq!(served.get("skill://project-agents/milk/SKILL.md"), None);
        assert_eq!(served.read(world, "skill://project-agents/milk/SKILL.md", None).unwrap_err().code(), "not-served");
    });
}

#[test]
fn a_skill_behind_a_link() {
    let tree = Tree::default()
        .with("/p/x/tea/SKILL.md", skill("tea"))
        .with("/p/x/tea/a.txt", "a")
        .with_link("/p/.agents/skills/tea", "../../x/tea");
    on(tree).of("a linked folder", "agentskills", |world, catalog| {
        let served = Served::of(world, catalog);
        let (entries, _) = served.entries(world);
        let a =
            format!("{{\"uri\":\"skill://project-agents/tea/a.txt\",\"digest\":\"{}\",\"size\":1}}", Digest::of(b"a"));
        let json = entries[0].to_json().to_string();
        assert!(
            json.starts_with("{\"uri\":\"skill://project-agents/tea/SKILL.md\",\"frontmatter\":{\"name\":\"tea\""),
            "{json}"
        );
        assert!(json.ends_with(&format!("{a}]}}")), "{json}");
        let children = served.directory(world, "skill://project-agents/tea").unwrap();
        let own = r#"{"uri":"skill://project-agents/tea/SKILL.md","name":"tea","mimeType":"text/markdown","description":"Does tea."}"#;
        let other = r#"{"uri":"skill://project-agents/tea/a.txt","name":"a.txt","mimeType":"text/plain"}"#;
        assert_eq!(ServedChild::all_to_json(&children).to_string(), format!("[{own},{other}]"));
        assert_eq!(served.read(world, &entries[0].resources[1].uri, None).unwrap().bytes, b"a");
    });
}

#[test]
fn over_the_limits() {
    let dir = "/p/.agents/skills/tea";
    let tree = Tree::default().with(&format!("{dir}/SKILL.md"), skill("tea"));
    let many = (0..512).fold(tree.clone(), |tree, n| tree.with(&format!("{dir}/x/{n}"), ""));
    for (case, tree) in [("files", many), ("bytes", tree.with_sparse(&format!("{dir}/x"), 16_777_216))] {
        let found = on(tree).of(case, "agentskills", |world, catalog| {
            let served = Served::of(world, catalog);
            let (entries, findings) = served.entries(world);
            assert_eq!((entries, findings), (Vec::new(), Vec::new()));
            assert_eq!(served.get("skill://project-agents/tea/SKILL.md"), None, "one answer everywhere");
            served.findings[0].to_string()
        });
        assert!(found.contains("warning[not-served]: the skill is not served: ") && found.contains(case), "{found}");
    }
}

#[test]
fn what_stands_before_the_frontmatter_or_hides_in_it() {
    for before in ["\n", "\u{feff}", " \n", "<!-- x -->\n"] {
        let tree = Tree::default().with("/p/.agents/skills/tea/SKILL.md", format!("{before}{}", skill("tea")));
        on(tree).of(before, "agentskills", |world, catalog| {
            let served = Served::of(world, catalog);
            assert_eq!(served.skills, [], "{before:?}");
            assert!(served.findings[0].to_string().contains("its first line is not `---`"), "{:?}", served.findings);
        });
    }
    let hidden = "---\nname: tea\ndescription: \"a\u{202e}b\"\n---\n";
    on(Tree::default().with("/p/.agents/skills/tea/SKILL.md", hidden)).of("hidden", "agentskills", |world, catalog| {
        let served = Served::of(world, catalog);
        let tea = &served.skills[0];
        let front = tea.frontmatter.get("description").and_then(|text| text.as_text());
        assert_eq!((tea.description.as_str(), front), ("ab", Some("a\u{202e}b")), "the frontmatter is what it is");
    });
}

#[test]
fn names_of_files_are_shown_without_what_hides() {
    let tree = Tree::default()
        .with("/p/.agents/skills/tea/SKILL.md", skill("tea"))
        .with("/p/.agents/skills/tea/a\u{e0041}\u{3164}\nb.txt", "a");
    on(tree).of("odd names", "agentskills", |world, catalog| {
        let served = Served::of(world, catalog);
        let uri = served.skills[0].uri.trim_end_matches("/SKILL.md").to_owned();
        let children = served.directory(world, &uri).unwrap();
        let json = ServedChild::all_to_json(&children).to_string();
        assert!(json.contains(r#""name":"a\\u{e0041}\\u{3164}\\u{a}b.txt""#), "{json}");
        let odd = children.iter().find(|child| child.name != "tea").expect("it is there");
        assert_eq!(served.read(world, &odd.uri, None).unwrap().bytes, b"a", "it is read by its address");
    });
}

#[test]
fn a_file_without_a_name_in_utf_8_is_left_out_alone() {
    let mut fs = skilltree::MemFs::new();
    fs.file("/p/.agents/skills/tea/SKILL.md", skill("tea")).file("/p/.agents/skills/tea/a.txt", "a");
    fs.lossy("/p/.agents/skills/tea", "b\u{fffd}");
    let ground = on(Tree::default());
    let world = World::new(&fs, &ground.places, &ground.host);
    let served = Served::of(&world, &skilltree::discover(&world, &common::ground::table("agentskills")));
    let found = served.findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(found.contains("not-served") && found.contains("its name is not UTF-8"), "{found}");
    assert_eq!(served.entry(&world, &served.skills[0]).unwrap().resources.len(), 2);
    assert_eq!(served.directory(&world, "skill://project-agents/tea").unwrap().len(), 2);
}

#[test]
fn what_changes_is_refused() {
    let ground = skills(&["/p/.agents/skills/tea tea"]);
    let mut fs = ground.tree.mem();
    let (served, listed, uri) = {
        let world = World::new(&fs, &ground.places, &ground.host);
        let served = Served::of(&world, &skilltree::discover(&world, &common::ground::table("agentskills")));
        let entry = served.entry(&world, &served.skills[0]).unwrap();
        (served, entry.resources[0].digest, entry.uri)
    };
    fs.file("/p/.agents/skills/tea/SKILL.md", skill("tea") + "More.\n");
    let world = World::new(&fs, &ground.places, &ground.host);
    let changed = Error::Changed { uri: uri.clone() };
    assert_eq!(served.read(&world, &uri, Some(listed)), Err(changed.clone()));
    assert_eq!(served.entry(&world, &served.skills[0]), Err(changed));
    assert_ne!(served.read(&world, &uri, None).unwrap().digest, listed);
}

#[test]
fn what_the_host_keeps_is_not_read() {
    let mut ground = odd();
    ground.host.unreadable =
        ["tea/a b.md", "tea/in/cup/SKILL.md"].map(|name| common::path(&format!("/p/.agents/skills/{name}"))).into();
    ground.of("kept", "agentskills", |world, catalog| {
        let served = Served::of(world, catalog);
        let read = |name: &str| {
            served.read(world, &format!("skill://project-agents/tea/{name}"), None).map_err(|error| error.code())
        };
        assert_eq!(read("a%20b.md"), Err("read-denied"));
        assert_eq!(read("in/cup/SKILL.md"), Err("read-denied"));
        assert_eq!(served.skills.len(), 1);
    });
}

/// A law, on trees of few names, so that folders, files and names meet: no two skills have one address, and whatever
/// an entry lists is read at its address.
#[test]
fn addresses_never_lead_to_another_file() {
    let entry = prop_oneof![
        1 => select(&["a", "b", "x.md"][..]).prop_map(|name| (name, "a file of ".to_owned())),
        2 => select(&["a", "b", "c", "d"][..]).prop_map(|name| ("SKILL.md", skill(name))),
    ];
    let entries = vec((vec(select(&["a", "b", "c", ":a", "SKILL.md"][..]), 1..=4), entry), 1..=16);
    property::check("addresses_never_lead_to_another_file", 400, entries, |entries| {
        let tree = entries.iter().enumerate().fold(Tree::default(), |tree, (number, (folders, (name, text)))| {
            tree.with(&format!("/p/.sven/skills/{}/{name}", folders.join("/")), format!("{text}{number}"))
        });
        let (fs, ground) = (tree.mem(), on(Tree::default()));
        let world = World::new(&fs, &ground.places, &());
        let served = Served::of(&world, &skilltree::discover(&world, &common::ground::table("sven")));
        let (entries, findings) = served.entries(&world);
        assert_eq!((entries.len(), findings), (served.skills.len(), Vec::new()));
        for (skill, entry) in served.skills.iter().zip(&entries) {
            assert!(entry.uri.ends_with(&format!("/{}/SKILL.md", skill.name)), "{}", entry.uri);
            assert_eq!(served.get(&entry.uri), Some(skill));
            for file in &entry.resources {
                let read = served.read(&world, &file.uri, Some(file.digest)).map(|read| read.digest);
                assert_eq!(read, Ok(file.digest), "{} in {}", file.uri, entry.uri);
            }
        }
        Ok(())
    });
}

/// A skill with others nested in it that the model may not see, and with what is never listed.
fn nested() -> Ground {
    let dir = "/p/.agents/skills/tea";
    let hidden =
        |name: &str| format!("---\nname: {name}\ndescription: d\ndisable-model-invocation: true\n---\nHush.\n");
    let tree = Tree::default()
        .with(&format!("{dir}/SKILL.md"), skill("tea"))
        .with(&format!("{dir}/open/SKILL.md"), skill("open"))
        .with(&format!("{dir}/open/a.md"), "a")
        .with(&format!("{dir}/cup/SKILL.md"), hidden("cup"))
        .with(&format!("{dir}/cup/notes.md"), "Hush.")
        .with(&format!("{dir}/cup/inner/SKILL.md"), skill("inner"))
        .with(&format!("{dir}/cups.md"), "of tea")
        .with(&format!("{dir}/deep/in/off/SKILL.md"), skill("off"))
        .with(&format!("{dir}/deep/in/off/notes.md"), "Hush.")
        .with(&format!("{dir}/broken/SKILL.md"), "---\nname: broken\ndisable-model-invocation: true\n---\nHush.\n")
        .with(&format!("{dir}/broken/notes.md"), "Hush.")
        .with(&format!("{dir}/.git/config"), "Hush.")
        .with(&format!("{dir}/sub/.git"), "gitdir: ../../Hush")
        .with(&format!("{dir}/.GIT/config"), "Hush.")
        .with(&format!("{dir}/node_modules/x/i.js"), "Hush.")
        .with("/p/shared.md", hidden("linked"))
        .with_link(&format!("{dir}/linked/SKILL.md"), "../../../../shared.md")
        .with(&format!("{dir}/linked/notes.md"), "Hush.")
        .with_link(&format!("{dir}/peek.md"), "cup/notes.md")
        .with_link(&format!("{dir}/head.md"), ".git/config")
        .with_link(&format!("{dir}/way"), "cup");
    on(tree).off("off")
}

/// What is none of the skill's, by its name in the folder.
const NOT_ITS: &[&str] = &[
    "cup/SKILL.md",
    "cup/notes.md",
    "deep/in/off/SKILL.md",
    "deep/in/off/notes.md",
    "broken/SKILL.md",
    "broken/notes.md",
    "linked/SKILL.md",
    "linked/notes.md",
    "peek.md",
    "head.md",
    "way/notes.md",
    ".git/config",
    ".GIT/config",
    "sub/.git",
    "node_modules/x/i.js",
    "open/../cup/notes.md",
    "./.git/config",
];

#[test]
fn nested_skills_that_are_hidden_and_what_is_left_out_are_not_served() {
    nested().of("nested", "agentskills", |world, catalog| {
        let served = Served::of(world, catalog);
        let tea = "skill://project-agents/tea";
        let entry = served.entry(world, served.get(&format!("{tea}/SKILL.md")).expect("served")).expect("an entry");
        let listed: Vec<&str> = entry.resources.iter().map(|file| &file.uri[tea.len() + 1..]).collect();
        assert_eq!(listed, ["SKILL.md", "cups.md", "open/SKILL.md", "open/a.md"]);
        let names = |folder: &str| {
            let children = served.directory(world, &format!("{tea}{folder}")).map_err(|error| error.code());
            children.map(|children| children.into_iter().map(|child| child.name).collect::<Vec<_>>())
        };
        assert_eq!(names("").unwrap(), ["tea", "cups.md", "deep", "open", "sub"]);
        assert_eq!((names("/deep/in"), names("/sub")), (Ok(vec![]), Ok(vec![])));
        for hidden in ["/cup", "/deep/in/off", "/broken", "/linked", "/.git", "/.GIT", "/node_modules", "/way"] {
            assert_eq!(names(hidden), Err("not-served"), "{hidden}");
        }
        for name in NOT_ITS {
            let read = served.read(world, &format!("{tea}/{name}"), None).map(|file| file.uri);
            assert_eq!(read.map_err(|error| error.code()), Err("not-served"), "{name}");
        }
        let inner = served.read(world, &format!("{tea}/cup/inner/SKILL.md"), None).map(|file| file.uri);
        assert_eq!(inner, Ok(format!("{tea}/cup/inner/SKILL.md")), "one that may be seen is, wherever it lies");
    });
}

#[test]
fn what_is_not_served_is_not_read_as_a_file_either() {
    nested().of("nested", "agentskills", |world, catalog| {
        let tea = catalog.find("tea", Caller::Model).expect("tea is there");
        for name in NOT_ITS {
            for name in [(*name).to_owned(), format!("/p/.agents/skills/tea/{name}")] {
                for caller in [Caller::Model, Caller::User] {
                    let ask = FileRequest { caller, name: name.clone(), offset: 0 };
                    let read = FilePart::read(world, catalog, tea, &ask).map(|part| part.text);
                    assert!(read.is_err(), "{name}: {read:?}");
                }
            }
        }
        let ask = FileRequest { caller: Caller::Model, name: "cups.md".to_owned(), offset: 0 };
        assert!(FilePart::read(world, catalog, tea, &ask).is_ok(), "a name that begins alike");
    });
}

#[test]
fn a_single_file_that_is_hidden_is_not_read_with_a_skill_round_it() {
    let hidden = "---\nname: rum\ndescription: d\n---\nHush.\n";
    let tree = Tree::default()
        .with("/x/tea/SKILL.md", skill("tea"))
        .with("/x/tea/rum.md", hidden)
        .with("/x/tea/rum.txt", "of tea");
    let mut ground = on(tree);
    ground.places.registered =
        vec![("p".to_owned(), common::path("/x/tea")), ("q".to_owned(), common::path("/x/tea/rum.md"))];
    let keys = ground.of("keys", "daycare", |_, catalog| common::ground::keys(catalog));
    let rum = keys.iter().find(|key| key.contains("rum")).expect("the file is a skill of its own").clone();
    ground.off(&rum).of("off", "daycare", |world, catalog| {
        let served = Served::of(world, catalog);
        let (entries, findings) = served.entries(world);
        assert_eq!((entries.len(), briefs(&findings)), (1, Vec::new()));
        let base = entries[0].uri.trim_end_matches("/SKILL.md");
        let listed: Vec<&str> = entries[0].resources.iter().map(|file| &file.uri[base.len() + 1..]).collect();
        assert_eq!(listed, ["SKILL.md", "rum.txt"]);
        assert_eq!(served.read(world, &format!("{base}/rum.md"), None).unwrap_err().code(), "not-served");
        let tea = catalog.skills().iter().find(|skill| skill.key != rum).expect("tea is there");
        let ask = |name: &str| FileRequest { caller: Caller::Model, name: name.to_owned(), offset: 0 };
        assert_eq!(FilePart::read(world, catalog, tea, &ask("rum.md")).unwrap_err().code(), "of-another-skill");
        assert!(FilePart::read(world, catalog, tea, &ask("rum.txt")).is_ok());
    });
}

/// A law, on trees of few names with links among them: what is hidden, left out or outside is never handed out, under
/// whatever name, and whatever is listed is read.
#[test]
fn nothing_hidden_comes_out_under_any_name() {
    const ROOT: &str = "/p/.agents/skills";
    let folder =
        (any::<Index>(), select(&["a", "b", "c", ".git", "node_modules"][..]), prop::bool::weighted(1.0 / 3.0));
    let link = (any::<Index>(), any::<Index>(), 0..3_usize);
    let name = "nothing_hidden_comes_out_under_any_name";
    property::check(name, 400, (vec(folder, 0..=8), vec(link, 0..=6)), |(below, links)| {
        let mut folders = vec!["t".to_owned()];
        for (above, name, _) in &below {
            let folder = format!("{}/{name}", above.get(&folders));
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        let mut tree = Tree::default().with(&format!("{ROOT}/t/SKILL.md"), skill("t")).with("/p/out.md", "HUSH");
        folders.sort();
        let mut hidden: Vec<String> = Vec::new();
        for ((at, folder), (_, _, is_hidden)) in folders.iter().enumerate().skip(1).zip(&below) {
            if *is_hidden {
                let front = format!("name: s{at}\ndescription: d\ndisable-model-invocation: true");
                tree = tree.with(&format!("{ROOT}/{folder}/SKILL.md"), format!("---\n{front}\n---\nHUSH\n"));
                hidden.push(format!("{folder}/"));
            }
        }
        let is_kept = |folder: &str| {
            let below = format!("{folder}/");
            let in_left_out = folder.split('/').any(|name| matches!(name, ".git" | "node_modules"));
            in_left_out || hidden.iter().any(|hidden| below.starts_with(hidden))
        };
        for folder in &folders {
            let text = if is_kept(folder) { "HUSH" } else { "fine" };
            tree = tree.with(&format!("{ROOT}/{folder}/x.md"), text);
        }
        for (n, (from, to, target)) in links.iter().enumerate() {
            let (from, to) = (from.get(&folders), to.get(&folders));
            let targets = [format!("{ROOT}/{to}"), format!("{ROOT}/{to}/x.md"), "/p/out.md".to_owned()];
            tree = tree.with_link(&format!("{ROOT}/{from}/l{n}"), &targets[*target]);
        }
        let (fs, ground) = (tree.mem(), on(Tree::default()));
        let world = World::new(&fs, &ground.places, &());
        let catalog = skilltree::discover(&world, &common::ground::table("agentskills"));
        let served = Served::of(&world, &catalog);
        assert_eq!(served.skills.len(), 1);
        let entry = served.entry(&world, &served.skills[0]).expect("an entry");
        for file in &entry.resources {
            let read = served.read(&world, &file.uri, Some(file.digest)).expect("what is listed is read");
            assert!(!String::from_utf8_lossy(&read.bytes).contains("HUSH"), "{}", file.uri);
        }
        let t = catalog.find("t", Caller::Model).expect("t is there");
        let mut ways: Vec<String> = folders.iter().map(|folder| folder["t".len()..].to_owned()).collect();
        ways.extend(
            folders.iter().flat_map(|folder| (0..links.len()).map(|n| format!("{}/l{n}", &folder["t".len()..]))),
        );
        for way in ways {
            for name in ["x.md", "SKILL.md", "l0", "l1", "l2", "l3", "l4", "l5", ""] {
                let name = format!("{way}/{name}").trim_matches('/').to_owned();
                let uri = format!("skill://project-agents/t/{name}");
                let read =
                    served.read(&world, &uri, None).map(|read| String::from_utf8_lossy(&read.bytes).into_owned());
                assert!(read.is_err() || entry.resources.iter().any(|file| file.uri == uri), "{uri}");
                let ask = FileRequest { caller: Caller::Model, name: name.clone(), offset: 0 };
                let part = FilePart::read(&world, &catalog, t, &ask).map(|part| part.text.unwrap_or_default());
                assert!(!part.is_ok_and(|text| text.contains("HUSH")), "{name}");
            }
        }
        Ok(())
    });
}

#[test]
fn what_has_not_changed_is_not_read_again() {
    let dir = "/p/.agents/skills";
    let tree = Tree::default()
        .with(&format!("{dir}/tea/SKILL.md"), skill("tea"))
        .with(&format!("{dir}/tea/green/SKILL.md"), skill("green"))
        .with(&format!("{dir}/milk/SKILL.md"), skill("milk"))
        .with(&format!("{dir}/odd/SKILL.md"), "---\nname: odd\ndescription: d\nmetadata: 1\n---\n");
    let mut fs = tree.mem();
    let ground = on(Tree::default());
    let table = common::ground::table("agentskills");
    let milk = common::path(&format!("{dir}/milk/SKILL.md"));
    fs.file(milk.as_str(), skill("milk"));
    let first = {
        let world = World::new(&fs, &ground.places, &ground.host);
        Served::of(&world, &skilltree::discover(&world, &table))
    };
    fs.file(milk.as_str(), format!("{}More.\n", skill("milk")));
    let world = World::new(&fs, &ground.places, &ground.host);
    let catalog = skilltree::discover(&world, &table);
    for (case, is_same, reads) in [("nothing is known to be the same", None, 4), ("one was written", Some(&milk), 2)] {
        fs.reset();
        let again = first.again(&world, &catalog, &|path| is_same.is_some_and(|changed| path != changed));
        assert_eq!(fs.calls(FsCall::Read), reads, "{case}: what is read, the one that is not served among it");
        assert_eq!(again, Served::of(&world, &catalog), "{case}");
    }
    assert_eq!(Served::left_out(&world, &catalog), first.findings);
    let stale = first.again(&world, &catalog, &|_| true);
    assert_eq!(stale, first, "who says that nothing has changed gets what there was");
}
