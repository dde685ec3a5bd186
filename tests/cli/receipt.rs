//! The real binary: what an answer was made of is written to a file, and the answer is made again.
#![cfg(unix)]

use crate::common;

use crate::claude_skills::{CAKE, TEA, with_claude_skills};
use crate::program::{Place, error_code, field, last_suggested};
use common::Tree;
use pretty_assertions::assert_eq;
use skilltree::{Digest, Json};
use std::fs;
use std::os::unix::fs::PermissionsExt;

fn place() -> Place {
    with_claude_skills(
        Tree::default().with("/extra/more/SKILL.md", "---\nname: more\ndescription: More.\n---\nMore.\n"),
    )
}

/// The commands that can have a receipt, with the exit code of each.
const ANSWERS: &[(&[&str], i32)] = &[
    (&["prompt"], 0),
    (&["prompt", "--budget", "90", "--query", "tea"], 0),
    (&["prompt", "--budget", "0"], 0),
    (&["load", "tea", "--args", "green"], 0),
    (&["load", "tea", "--as", "model", "--already", "tea"], 0),
    (&["call", r#"{"skill": "cake"}"#], 0),
    (&["invoke", "/tea two cups"], 0),
    (&["invoke", "/apart now"], 0),
    (&["invoke", "/live"], 0),
    (&["--trust", "invoke", "/live", "--run"], 0),
    (&["invoke", "hello"], 1),
    (&["load", "none"], 1),
    (&["call", r#"{"skill": "none"}"#], 1),
];

/// The digest of a text, as JSON.
fn digest(text: &str) -> String {
    format!("\"{}\"", Digest::of(text.as_bytes()))
}

/// The digest of a document is that of what was printed, and a replay is about its text.
#[test]
fn the_receipt_of_a_document() {
    let place = place();
    for (words, code) in ANSWERS {
        let case = words.join(" ");
        let said = place.say(&[words, &["--json", "--receipt", "r.json"][..]].concat());
        assert_eq!(said.code, Some(*code), "{case}");
        let receipt = skilltree::Json::parse(&place.read("project/r.json").unwrap()).unwrap();
        assert_eq!(field(&receipt, "answer.printed"), digest(&said.out), "{case}");
        let text = skilltree::Json::parse(&said.out).unwrap();
        if let Some(skilltree::Json::Text(text)) = text.get("text") {
            assert_eq!(field(&receipt, "answer.digest"), digest(text), "{case}");
        }
        assert_eq!(place.say(&["replay", "r.json"]).code, Some(0), "{case}");
        fs::remove_file(place.at("project/r.json")).unwrap();
    }
}

#[test]
fn the_receipt_is_about_the_bytes_that_were_printed() {
    let place = place();
    for (words, code) in ANSWERS {
        let case = words.join(" ");
        let plain = place.say(words);
        let with = place.say(&[words, &["--receipt", "r.json"][..]].concat());
        assert_eq!((with.code, &with.out), (plain.code, &plain.out), "{case}");
        assert_eq!(with.code, Some(*code), "{case}");
        let receipt = skilltree::Json::parse(&place.read("project/r.json").unwrap()).unwrap();
        assert_eq!(field(&receipt, "answer.printed"), digest(&with.out), "{case}");
        if with.out.is_empty() {
            let error = if *code == 0 { "-" } else { "\"unknown\"" };
            assert_eq!(field(&receipt, "answer.error"), error, "{case}");
        }
        let told = place.say(&["replay", "r.json"]);
        assert_eq!(told.out, format!("same bytes: {}\n", field(&receipt, "answer.digest").trim_matches('"')), "{case}");
        assert_eq!((told.code, told.err.as_str()), (Some(0), ""), "{case}");
        let (code, json) = place.json(&["replay", "r.json"]);
        assert_eq!(
            (code, field(&json, "same"), field(&json, "differs")),
            (Some(0), "true".into(), "null".into()),
            "{case}"
        );
        fs::remove_file(place.at("project/r.json")).unwrap();
    }
}

#[test]
fn what_differs_is_named() {
    let place = place();
    let file = place.at("project/.claude/skills/tea/SKILL.md");
    place.check("load", &["load", "tea", "--receipt", "r.json"], 0, &["Boil"], &[]);
    fs::write(&file, TEA.replace("Boil", "Heat")).unwrap();
    let named = format!("file {} differs", file.display());
    let digests = [Digest::of(TEA.as_bytes()), Digest::of(TEA.replace("Boil", "Heat").as_bytes())];
    let text = format!("{named}\n  expected: {}\n  got:      {}\n", digests[0], digests[1]);
    place.exact("rule 30.3", &["replay", "r.json"], 1, &text, "");
    let (code, json) = place.json(&["replay", "r.json"]);
    assert_eq!((code, field(&json, "same"), error_code(&json)), (Some(1), "false".to_owned(), Some("differs")));
    assert_eq!(field(&json, "differs.what"), format!("{:?}", format!("file {}", file.display())));
    assert_eq!(field(&json, "changed.0"), format!("{:?}", file.display().to_string()));

    // A file that does not matter.
    fs::write(&file, TEA).unwrap();
    fs::write(place.at("project/.claude/skills/cake/SKILL.md"), CAKE.replace("Stir", "Bake")).unwrap();
    place.check(
        "rule 30.3",
        &["replay", "r.json"],
        0,
        &["same bytes: sha256:"],
        &["the answer is the same, although", "cake"],
    );

    // Options take the place of what is in the receipt.
    let options: &[(&[&str], &str)] = &[
        (&["--disable", "tea"], "option disable differs\n  expected: none\n  got:      [\"tea\"]\n"),
        (&["--dialect", "sven"], "option dialect differs\n  expected: claude\n  got:      sven\n"),
        (&["--only-roots"], "option only_roots differs\n  expected: none\n  got:      true\n"),
    ];
    for (words, expected) in options {
        // The last value of an option counts.
        place.exact(&words.join(" "), &[&["replay", "r.json"][..], words].concat(), 1, expected, "");
    }
}

#[test]
fn folders_may_be_elsewhere() {
    let place = place();
    let load = ["load", "more", "--root", "../extra", "--receipt", "r.json"];
    place.check("load", &load, 0, &["More."], &[]);
    place.check("prompt", &["prompt", "--root", "../extra", "--receipt", "p.json"], 0, &["tea"], &[]);
    fs::create_dir(place.at("moved")).unwrap();
    fs::rename(place.at("extra"), place.at("moved/skills")).unwrap();
    place.check(
        "nobody names it",
        &["replay", "r.json"],
        2,
        &[],
        &["which this command would not read by itself", "--root"],
    );
    place.check("it is there", &["replay", "r.json", "--root", "../moved/skills"], 0, &["same bytes"], &[]);
    fs::write(place.at("moved/skills/more/SKILL.md"), "---\nname: more\ndescription: More.\n---\nLess.\n").unwrap();
    let now = place.at("moved/skills/more/SKILL.md");
    let named = format!("file {} differs", now.display());
    place.check("the path where it is now", &["replay", "r.json", "--root", "../moved/skills"], 1, &[&named], &[]);
    place.check("a root that is not there", &["replay", "r.json", "--root", "nowhere"], 2, &[], &["does not exist"]);

    let home = ["--home", "../nowhere"];
    let load = ["load", "tea", home[0], home[1], "--receipt", "h.json"];
    place.check("without a home directory", &load, 0, &["Boil"], &[]);
    place.check("again", &["replay", "h.json", home[0], home[1]], 0, &["same bytes"], &[]);
    place.check("another one", &["replay", "h.json", home[0], "../none"], 2, &[], &["does not exist"]);

    fs::create_dir(place.at("other")).unwrap();
    fs::rename(place.at("project/.claude"), place.at("other/.claude")).unwrap();
    let elsewhere = ["replay", "p.json", "--project", "../other", "--root", "../moved/skills"];
    place.check("the project", &elsewhere, 0, &["same bytes"], &[]);
}

/// A receipt has the real paths of what was read behind a symlink.
#[cfg(unix)]
#[test]
fn a_project_behind_a_symlink() {
    let place =
        Place::of(Tree::default().with("/real/.claude/skills/tea/SKILL.md", TEA)).first(&["--dialect", "claude"]);
    std::os::unix::fs::symlink("real", place.at("link")).unwrap();
    place.check("load", &["load", "tea", "--project", "../link", "--receipt", "r.json"], 0, &["Boil"], &[]);
    let replay = |project: &str| {
        let done = place.bare(&["replay", "r.json", "--json", "--project", project]).output().unwrap();
        Json::parse(&String::from_utf8(done.stdout).unwrap()).unwrap()
    };
    place.write("copy/.claude/skills/tea/SKILL.md", TEA);
    for project in ["../link", "../real", "../copy"] {
        let told = replay(project);
        assert_eq!(
            (field(&told, "same").as_str(), field(&told, "changed").as_str()),
            ("true", "[]"),
            "{project}: {told}"
        );
    }
    for project in ["link", "real", "copy"] {
        place.write(&format!("{project}/.claude/skills/tea/SKILL.md"), &TEA.replace("Boil", "Cool"));
        let told = replay(&format!("../{project}"));
        let file = format!("file {}", place.named(&format!("{project}/.claude/skills/tea/SKILL.md")));
        assert_eq!(field(&told, "differs.what").trim_matches('"'), file, "{told}");
        assert_eq!(field(&told, "differs.expected"), digest(TEA), "{told}");
        place.write(&format!("{project}/.claude/skills/tea/SKILL.md"), TEA);
    }
}

/// The choices of the folders between a project and the root of its repository count as where no receipt is.
#[test]
fn a_project_below_the_root_of_its_repository() {
    let tree = Tree::default().with("/project/web/app/.agents/skills/tea/SKILL.md", TEA).with_dir("/project/.git");
    let place = Place::of(tree.with("/project/web/app/.agents/skills/cake/SKILL.md", CAKE));
    place.write("project/skilltree.yaml", "skills: {cake: off}\n");
    let prompt = ["prompt", "--project", "web/app", "--receipt", "r.json"];
    let said = place.say(&prompt);
    assert!(said.out.contains("tea") && !said.out.contains("cake"), "{}", said.out);
    let replay = ["replay", "r.json", "--project", "web/app"];
    place.check("as it is", &replay, 0, &["same bytes"], &[]);
    place.check("from a folder above", &["replay", "r.json"], 0, &["same bytes"], &[]);
    place.check("from a folder between", &["replay", "r.json", "--project", "web"], 1, &["differs"], &[]);
    for folder in ["new", "new/.git", "new/www"] {
        fs::create_dir(place.at(folder)).unwrap();
    }
    fs::rename(place.at("project/web/app"), place.at("new/www/app")).unwrap();
    fs::rename(place.at("project/skilltree.yaml"), place.at("new/skilltree.yaml")).unwrap();
    let moved = ["replay", "r.json", "--project", "../new/www/app"];
    place.check("moved", &moved, 0, &["same bytes"], &[]);
    fs::write(place.at("new/skilltree.yaml"), "skills: {tea: off}\n").unwrap();
    let named = format!("file {} differs", place.at("new/skilltree.yaml").display());
    place.check("choices that differ", &moved, 1, &[&named], &[]);
    let elsewhere = ["replay", "r.json", "--project", "../new/www"];
    place.check("a folder that is no place of these choices", &elsewhere, 2, &[], &["neither yours nor the project's"]);
}

/// The command that a refusal suggests replays the receipt, if nothing else is refused.
#[test]
fn what_a_refusal_suggests_can_be_pasted() {
    let dialect = "name: mine\nextends: agentskills\nsources:\n  \
                   - {base: project, path: kept, label: kept, scope: project, origin: project}\n";
    let place = Place::of(
        Tree::default()
            .with("/project/kept/tea/SKILL.md", TEA)
            .with("/an other/cake/SKILL.md", CAKE)
            .with("/more/pot/SKILL.md", "---\nname: pot\ndescription: Holds tea.\n---\nTake a pot.\n")
            .with("/mine.yaml", dialect),
    );
    let roots = ["prompt", "--root", "../an other", "--root", "../more", "--receipt", "r s.json"];
    let cases: &[(&str, &[&str], &[&str], &str)] = &[
        ("a root", &["prompt", "--root", "../an other", "--receipt", "r.json"], &["r.json"], "--root"),
        ("two roots", &roots, &["r s.json", "--root", "../an other"], "--root"),
        ("a project", &["prompt", "--project", "../more", "--receipt", "r.json"], &["r.json"], "--project"),
        ("links", &["prompt", "--follow-links-out", "--receipt", "r.json"], &["r.json"], "--follow-links-out"),
        ("a dialect", &["prompt", "--dialect", "../mine.yaml", "--receipt", "r.json"], &["r.json"], "--home"),
        (
            "a registered skill",
            &["prompt", "--dialect", "daycare", "--register", "id=../more/pot", "--receipt", "r.json"],
            &["r.json"],
            "--register",
        ),
    ];
    for (case, words, replay, option) in cases {
        assert_eq!(place.say(words).code, Some(0), "{case}");
        let refused = place.say(&[&["replay"], *replay].concat());
        assert_eq!((refused.code, refused.out.as_str()), (Some(2), ""), "{case}");
        assert!(refused.err.contains(&format!("allow it with `{option}`: ")), "{case}: {}", refused.err);
        let line = format!("SKILLTREE_CONFIG='{}' {}", place.named("config"), last_suggested(&refused.err));
        let told = place.pasted(&line);
        assert!(told.out.starts_with("same bytes: "), "{case}: {}{}{}", refused.err, told.out, told.err);
    }
}

/// The options say where the folders of a receipt are now, also where the user has roots and choices of their own.
#[test]
fn what_is_elsewhere_now_is_read_there() {
    let pot = "---\nname: pot\ndescription: Holds tea.\n---\nTake a pot.\n";
    let tree = Tree::default().with("/project/.agents/skills/tea/SKILL.md", TEA).with("/more/cake/SKILL.md", CAKE);
    let tree =
        tree.with("/plugin/pot/SKILL.md", pot).with("/home/.agents/skills/milk/SKILL.md", pot.replace("pot", "milk"));
    let place = Place::of(tree.with("/others/jam/SKILL.md", pot.replace("pot", "jam")));
    place.write("config/skilltree.yaml", &format!("roots: [{:?}]\n", place.named("others")));
    let prompt = ["prompt", "--root", "../more", "--receipt", "r.json"];
    place.check("a root beside the user's own", &prompt, 0, &["jam", "cake"], &[]);
    place.check("where it was", &["replay", "r.json", "--root", "../more"], 0, &["same bytes"], &[]);
    let load = ["load", "pot", "--dialect", "daycare", "--register", "x=../plugin/pot", "--receipt", "p.json"];
    place.check("a registered skill", &load, 0, &["Take a pot."], &[]);
    for (was, is) in [("more", "more2"), ("plugin", "plugin2"), ("home", "home2"), ("config", "config2")] {
        fs::rename(place.at(was), place.at(is)).unwrap();
    }
    let place = place.env("SKILLTREE_CONFIG", "../config2");
    let moved = ["replay", "r.json", "--root", "../more2", "--home", "../home2"];
    place.check("where it is now", &moved, 0, &["same bytes"], &[]);
    let moved = ["replay", "p.json", "--register", "x=../plugin2/pot", "--home", "../home2"];
    place.check("where the registered skill is now", &moved, 0, &["same bytes"], &[]);
    let expect = ["allow it with `--register`: ", "name the place that it has instead"];
    place.check("nobody names it", &["replay", "p.json", "--home", "../home2"], 2, &[], &expect);
}

/// Revisions, folders in archives and a user's folder with copies are read where the options of the command say.
#[test]
fn what_is_no_folder_of_the_disk_is_read_again() {
    let cake = Tree::default().with("/project/skills/cake/SKILL.md", CAKE);
    let cake = cake.with("/project/.daycare/skills/pot/SKILL.md", "---\nname: pot\ndescription: Holds.\n---\nPot.\n");
    let place = Place::of(cake.with_dir("/user")).env("PATH", crate::program::PATH);
    let replayed =
        |words: &[&str]| place.check(&words.join(" "), &[&["replay"], words].concat(), 0, &["same bytes"], &[]);
    if place.git(&["init", "--quiet"]) && place.git(&["add", "."]) && place.git(&["commit", "--quiet", "-m", "one"]) {
        let load = ["load", "cake", "--root", "git:HEAD:skills", "--receipt", "g.json"];
        place.check("a revision", &load, 0, &["Stir."], &[]);
        let refused = place.say(&["replay", "g.json"]);
        assert_eq!(refused.code, Some(2), "{}", refused.out);
        let line = format!("SKILLTREE_CONFIG='{}' {}", place.named("config"), last_suggested(&refused.err));
        let told = place.pasted(&line);
        assert!(told.out.starts_with("same bytes: "), "{line}: {}", told.err);
        replayed(&["g.json", "--root", "git:HEAD:skills"]);
    }
    let mut tar = std::process::Command::new("tar");
    let packed = tar.args(["czf", "../t.tgz", "skills"]).current_dir(place.at("project"));
    assert!(packed.status().expect("tar").success());
    let load = ["load", "cake", "--root", "../t.tgz/skills", "--receipt", "t.json"];
    place.check("a folder in an archive", &load, 0, &["Stir."], &[]);
    replayed(&["t.json", "--root", "../t.tgz/skills"]);
    let load = ["load", "pot", "--dialect", "daycare", "--user", "../user", "--receipt", "u.json"];
    place.check("a user's folder", &load, 0, &["Pot."], &[]);
    replayed(&["u.json", "--user", "../user"]);
    place.check("nobody names it", &["replay", "u.json"], 2, &[], &["allow it with `--user`: "]);
}

#[test]
fn skills_in_archives_are_read_again() {
    let place = place();
    place.check("pack", &["pack", ".claude/skills/cake"], 0, &["cake.skill"], &[]);
    fs::remove_dir_all(place.at("project/.claude/skills/cake")).unwrap();
    let load = ["load", "cake", "--root", "cake.skill", "--receipt", "r.json"];
    place.check("load", &load, 0, &["Stir."], &[]);
    place.check("replay", &["replay", "r.json"], 0, &["same bytes"], &[]);
    fs::rename(place.at("project/cake.skill"), place.at("cake.skill")).unwrap();
    place.check("elsewhere", &["replay", "r.json", "--root", "../cake.skill"], 0, &["same bytes"], &[]);
}

#[test]
fn a_session_is_part_of_the_question() {
    let place = place();
    let call = ["call", r#"{"skill": "tea"}"#, "--session", "s.json", "--receipt", "r.json"];
    for (case, expected) in [("the first time", "Boil ()."), ("again", "already loaded")] {
        place.check(case, &call, 0, &[expected], &[]);
        place.check(case, &["replay", "r.json"], 0, &["same bytes"], &[]);
    }
    place.check("compacted", &["session", "s.json", "compacted"], 0, &["compacted"], &[]);
    place.check("the receipt has its own session", &["replay", "r.json"], 0, &["same bytes"], &[]);
}

#[test]
fn files_of_receipts_are_kept_safe() {
    let place = place();
    place.check("rule 30.4", &["load", "tea", "--receipt", "r.json"], 0, &["Boil"], &[]);
    let mode = fs::metadata(place.at("project/r.json")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600, "rule 30.4: it is private");
    place.check("rule 30.4: written again", &["prompt", "--receipt", "r.json"], 0, &["tea"], &[]);
    for (file, reason) in [("now", "it is not JSON"), (".claude/skills/tea/SKILL.md", "it is not JSON")] {
        let before = place.read(&format!("project/{file}")).unwrap();
        place.check(
            "rule 30.4",
            &["prompt", "--receipt", file],
            2,
            &[],
            &["is not a receipt", reason, "not overwritten"],
        );
        assert_eq!(place.read(&format!("project/{file}")).unwrap(), before);
    }
    place.check("no folder", &["prompt", "--receipt", "now/r.json"], 2, &[], &["now"]);
    place.check("no receipt", &["replay", "now"], 2, &[], &["`", "is not a receipt: it is not JSON"]);
    place.check("no file", &["replay", "nothing.json"], 2, &[], &["there is no receipt"]);
    place.check("another command", &["list", "--receipt", "x.json"], 0, &["tea"], &["`--receipt` is ignored"]);
    assert!(place.read("project/x.json").is_none());
}

/// A receipt from a stranger has no file told about that lies where nobody but the receipt looks.
#[test]
fn a_hostile_receipt_reads_nothing_elsewhere() {
    let place = with_claude_skills(
        Tree::default()
            .with("/home/.ssh/id/SKILL.md", "---\nname: id\ndescription: Private.\n---\nPrivate.\n")
            .with("/home/.ssh/key", "private")
            .with_link("/project/linked/id", "../../home/.ssh/id"),
    );
    place.check("an honest one", &["prompt", "--receipt", "r.json"], 0, &["tea"], &[]);
    place.check("it is replayed", &["replay", "r.json"], 0, &["same bytes"], &[]);
    let honest = place.read("project/r.json").expect("it is there");
    let ssh = place.named("home/.ssh");
    let project = place.named("project");
    let registered = format!("[{{\"id\": \"x\", \"path\": \"{ssh}/key\"}}]");
    let cases = [
        ("roots", format!("[\"{ssh}\"]")),
        // A root of the project, in which symlinks would be followed as in one of the user.
        ("roots", format!("[\"{project}/linked\"]")),
        ("registered", registered),
        ("bundled", format!("\"{ssh}\"")),
        ("config", format!("\"{ssh}\"")),
        ("user", format!("\"{ssh}\"")),
        ("managed", format!("\"{ssh}\"")),
        ("active", format!("\"{ssh}\"")),
        ("project_choices", format!("[\"{ssh}/key\"]")),
        ("home", format!("\"{ssh}\"")),
        ("project", format!("\"{ssh}\"")),
        ("follow_links_out", "true".to_owned()),
    ];
    for (case, value) in cases {
        let receipt = skilltree::Json::parse(&honest).expect("JSON");
        let places = receipt.get("places").expect("places").clone();
        let places = places.with(case, Some(skilltree::Json::parse(&value).expect("JSON")));
        let text = receipt.with("places", Some(places)).to_string();
        fs::write(place.at("project/hostile.json"), &text).expect("it is written");
        let said = place.say(&["replay", "hostile.json"]);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{case}: {}", said.err);
        let (_, json) = place.json(&["replay", "hostile.json"]);
        assert_eq!(error_code(&json), Some("not-vouched-for"), "{case}: {json}");
        assert!(!said.err.contains("sha256:"), "{case}: {}", said.err);
    }
    // The choices that are read are the user's own, whatever the receipt says.
    let receipt = skilltree::Json::parse(&honest).expect("JSON");
    let choices = skilltree::Json::from(format!("{ssh}/key"));
    let places = receipt.get("places").expect("places").clone().with("user_choices", Some(choices));
    fs::write(place.at("project/hostile.json"), receipt.with("places", Some(places)).to_string()).expect("written");
    place.check("choices", &["replay", "hostile.json"], 0, &["same bytes"], &[]);
}

#[test]
fn a_receipt_that_is_too_large_is_not_read() {
    let place = place();
    let file = fs::File::create(place.at("project/large.json")).expect("a file");
    file.set_len(33_554_433).expect("a hole");
    place.check("replay", &["replay", "large.json"], 2, &[], &["it is larger than 33554432 bytes"]);
}
