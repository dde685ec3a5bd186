//! The command `index`, and what `verify` says of the index of a site.

use crate::common::skip::{real_data, skip};
use crate::common::{TempDir, Tree};
use crate::program::{Place, field, holds};
use pretty_assertions::assert_eq;
use skilltree::{Digest, Json};
use std::path::Path;
use std::process::Command;

const TEA: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";
const MILK: &str = "---\nname: milk\ndescription: Is white.\n---\nPour milk.\n";
const FOLDER: &str = ".well-known/agent-skills";
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// Files, each with its text.
type Files<'f> = &'f [(&'f str, &'f str)];

fn place_of(files: Files<'_>) -> Place {
    Place::of(Tree::default().files(files).with_dir("/project"))
}

/// The verdict on each skill, with the files that are not as recorded.
fn verdicts(place: &Place, words: &[&str]) -> Vec<String> {
    let said = place.say(&[&["verify", "--json"], words].concat());
    let Some(Json::List(skills)) = said.json().get("skills").cloned() else { panic!("{}{}", said.out, said.err) };
    let told = |skill: &Json| {
        let text = |path: &str| field(skill, path).replace('"', "");
        format!("{} {} {}", text("key"), text("records.0.verdict"), text("records.0.files.0.path")).replace(" -", "")
    };
    skills.iter().map(told).collect()
}

#[test]
fn a_site_of_skills() {
    let place = place_of(&[
        ("all/tea/SKILL.md", TEA),
        ("all/drinks/milk/SKILL.md", MILK),
        ("all/drinks/milk/scripts/pour.sh", "pour\n"),
    ]);
    let text = "milk  archive   milk.tar.gz\ntea   skill-md  tea/SKILL.md\nwould publish 2 skills in ";
    place.check("nothing is written", &["index", "../all", "--dry-run"], 0, &[text], &[]);
    assert_eq!(place.read(&format!("all/{FOLDER}/index.json")), None);
    let note = "finds these copies, too; `--output DIR` writes them elsewhere";
    place.check("written", &["index", "../all"], 0, &["published 2 skills in "], &[note]);
    let index = place.read(&format!("all/{FOLDER}/index.json")).expect("an index");
    let line = format!(
        "\n    {{\"name\":\"tea\",\"type\":\"skill-md\",\"description\":\"Makes tea.\",\
         \"url\":\"/{FOLDER}/tea/SKILL.md\",\"digest\":\"{}\"}}\n",
        Digest::of(TEA.as_bytes())
    );
    holds("the index", &index, &[&format!("\"$schema\": \"{SCHEMA}\""), &line]);
    place.check("again", &["index", "../all"], 0, &["has 2 skills and is up to date"], &[]);
    place.check("JSON", &["index", "../all", "--json"], 0, &["\"archive\"", "\"written\": 0"], &[]);
    // The archive has the SKILL.md at its root, and is read as a folder with that skill.
    let archive = format!("../all/{FOLDER}/milk.tar.gz");
    place.check("the archive", &["--root", &archive, "load", "milk"], 0, &["Pour milk."], &[]);
    place.check("the archive", &["check", &archive], 0, &["no findings"], &[]);
    let all = ["milk matches", "milk matches", "tea matches", "tea matches"];
    assert_eq!(verdicts(&place, &["../all"]), all);
    std::fs::write(place.at("all/drinks/milk/scripts/pour.sh"), "spill\n").unwrap();
    std::fs::write(place.at(&format!("all/{FOLDER}/tea/SKILL.md")), MILK.replace("milk", "tea")).unwrap();
    let changed = ["milk matches", "milk differs scripts/pour.sh", "tea differs SKILL.md", "tea matches"];
    assert_eq!(verdicts(&place, &["../all"]), changed);
    std::fs::write(place.at(&format!("all/{FOLDER}/milk.tar.gz")), "other").unwrap();
    let changed = ["milk differs", "milk needs source", "tea differs SKILL.md", "tea matches"];
    assert_eq!(verdicts(&place, &["../all"]), changed);
    let another = place.say(&["index", "../all", "--output", "../site"]);
    assert_eq!((another.code, another.err.as_str()), (Some(0), ""));
    assert_eq!(verdicts(&place, &["../site"]), ["milk matches", "tea matches"]);
}

/// A skill in another one is a part of it, and published by itself as well.
#[test]
fn skills_in_skills() {
    let place = place_of(&[("all/milk/SKILL.md", MILK), ("all/milk/tea/SKILL.md", TEA)]);
    place.check("written", &["index", "../all"], 0, &["published 2 skills"], &[]);
    assert_eq!(verdicts(&place, &["../all"]), ["milk matches", "milk matches", "tea matches", "tea matches"]);
    let place = place_of(&[("all/milk/SKILL.md", MILK), ("all/milk/samples/bad/SKILL.md", "# A sample\n")]);
    place.check("a sample in a skill", &["index", "../all"], 0, &["published 1 skill"], &[]);
}

/// The archive is one that other programs unpack.
#[test]
#[cfg(unix)]
fn what_tar_unpacks() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = place_of(&[("all/milk/SKILL.md", MILK), ("all/milk/scripts/pour.sh", "pour\n")]);
    let script = place.at("all/milk/scripts/pour.sh");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    place.check("written", &["index", "../all"], 0, &["published 1 skill"], &[]);
    let out = TempDir::new("untar");
    let archive = place.at(&format!("all/{FOLDER}/milk.tar.gz"));
    let Ok(done) = Command::new("tar").arg("xzf").arg(archive).arg("-C").arg(out.path()).status() else {
        return skip("there is no tar");
    };
    assert!(done.success());
    assert_eq!(std::fs::read_to_string(out.path().join("SKILL.md")).unwrap(), MILK);
    let mode = std::fs::metadata(out.path().join("scripts/pour.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
}

#[test]
fn what_cannot_be_published() {
    let long = TEA.replace("Makes tea.", &"x".repeat(1_025));
    let cases: &[(&str, Files<'_>, &str)] = &[
        ("a name", &[("all/tea/SKILL.md", &TEA.replace("tea\nd", "../tea\nd"))], "its name is `../tea`"),
        ("no name", &[("all/tea/SKILL.md", "---\ndescription: x\n---\n")], "its name is ``"),
        ("no description", &[("all/tea/SKILL.md", "---\nname: tea\n---\n")], "it has no description"),
        ("a long description", &[("all/tea/SKILL.md", &long)], "its description has 1025 characters"),
        ("twice", &[("all/a/SKILL.md", TEA), ("all/b/SKILL.md", TEA)], "another skill is called `tea`"),
        ("broken", &[("all/tea/SKILL.md", "---\nname: [\n---\n")], "a frontmatter of valid YAML"),
        ("repaired", &[("all/tea/SKILL.md", &TEA.replace("Makes", "Tea: makes"))], "a frontmatter of valid YAML"),
        ("none", &[("all/tea/README.md", "")], "there are no skills in"),
    ];
    for (case, files, why) in cases {
        let place = place_of(files);
        place.check(case, &["index", "../all"], 1, &[], &[why]);
        assert!(!place.at("all/.well-known").exists(), "{case}");
    }
    place_of(&[]).check("no folder", &["index", "../all"], 2, &[], &["does not exist"]);
}

/// A frontmatter may be written in every way that the specification and YAML allow.
#[test]
fn valid_frontmatters_are_published() {
    for text in [
        TEA.replace("---\nB", "x: &q [a, b]\ny: *q\n---\nB"),
        TEA.replace("Makes tea.", "&q Makes tea.\nx: *q"),
        TEA.replacen("---\n", "--- \t\n", 1),
        format!("\n \n{TEA}"),
    ] {
        let place = place_of(&[("all/tea/SKILL.md", &text)]);
        place.check(&text, &["index", "../all"], 0, &["published 1 skill in "], &[]);
        let index = place.read(&format!("all/{FOLDER}/index.json")).expect("an index");
        holds(&text, &index, &["\"name\":\"tea\"", "\"description\":\"Makes tea.\""]);
    }
}

/// An index with these entries: name, type, address and digest.
fn index(entries: &[(&str, &str, &str, &str)]) -> String {
    let entry = |(name, kind, url, digest): &(&str, &str, &str, &str)| {
        let fields = [("name", *name), ("type", kind), ("description", "x"), ("url", url), ("digest", digest)];
        Json::map(fields.map(|(field, value)| (field, Json::from(value)))).to_string()
    };
    let entries: Vec<String> = entries.iter().map(entry).collect();
    format!("{{\"$schema\": \"{SCHEMA}\", \"skills\": [{}]}}", entries.join(","))
}

#[test]
fn addresses_and_entries() {
    let digest = Digest::of(TEA.as_bytes()).to_string();
    let digest = digest.as_str();
    let own = format!("{FOLDER}/tea/SKILL.md");
    let file = format!("project/{own}");
    let cases: &[(&str, &str, &str, &str, &[&str])] = &[
        ("from the root", "skill-md", &format!("/{own}"), digest, &["tea matches"]),
        ("from the index", "skill-md", "tea/SKILL.md", digest, &["tea matches"]),
        ("with a dot", "skill-md", "./tea/SKILL.md?v=1#top", digest, &["tea matches"]),
        ("whole", "skill-md", &format!("https://tea.example/{own}"), digest, &["tea matches"]),
        ("of another site", "skill-md", "https://tea.example/a/SKILL.md", digest, &["tea matches"]),
        ("above the root", "skill-md", "../../../tea/SKILL.md", digest, &["tea missing", "tea matches"]),
        ("missing", "skill-md", "/gone/SKILL.md", digest, &["tea missing", "tea matches"]),
        ("a missing archive", "archive", "/gone.zip", digest, &["tea missing", "tea needs source"]),
        ("an archive elsewhere", "archive", "https://tea.example/tea.zip", digest, &["tea needs source"]),
        ("no archive", "archive", &format!("/{own}"), digest, &["tea unknown record", "tea unknown record"]),
        ("another type", "task", "/tea", digest, &["tea unknown record"]),
        ("no digest", "skill-md", &format!("/{own}"), "sha256:1", &["tea unknown record"]),
        (
            "another digest",
            "skill-md",
            &format!("/{own}"),
            &format!("sha256:{}", "0".repeat(64)),
            &["tea differs SKILL.md"],
        ),
    ];
    for (case, kind, url, digest, expected) in cases {
        let index = index(&[("tea", kind, url, digest)]);
        let place = place_of(&[(&file, TEA), (&format!("project/{FOLDER}/index.json"), &index), ("tea/SKILL.md", TEA)]);
        assert_eq!(verdicts(&place, &["."]), *expected, "{case}");
    }
}

#[test]
fn indexes_that_are_not_known() {
    let file = format!("project/{FOLDER}/tea/SKILL.md");
    let good = index(&[("tea", "skill-md", "tea/SKILL.md", &Digest::of(TEA.as_bytes()).to_string())]);
    let twice = good.replace("[{", &format!("[{},{{", good.split_once('[').unwrap().1.trim_end_matches("]}")));
    let cases: &[(&str, &str, &str)] = &[
        ("another schema", &good.replace("0.2.0", "0.3.0"), "expected `https://schemas.agentskills.io"),
        ("no schema", &good.replace("$schema", "schema"), "version 0.1.0 has no digests"),
        (
            "no list",
            "{\"$schema\": \"https://schemas.agentskills.io/discovery/0.2.0/schema.json\"}",
            "no list of skills",
        ),
        ("no JSON", "{", "expected"),
        ("a name twice", &twice, "`tea` stands twice"),
        ("no name", &good.replace("\"name\"", "\"title\""), "entry 1 has no name"),
    ];
    for (case, index, why) in cases {
        let place = place_of(&[(&file, TEA), (&format!("project/{FOLDER}/index.json"), index)]);
        assert_eq!(verdicts(&place, &["."]), ["tea unknown record"], "{case}");
        place.check(case, &["verify", "."], 0, &["unknown record"], &["warning", why]);
        place.check(case, &["verify", ".", "--require", "matches"], 1, &["unknown record"], &[]);
    }
}

/// What `check` says of the index of a site, by its folder and by its file.
#[test]
fn what_is_checked() {
    let digest = Digest::of(TEA.as_bytes()).to_string();
    let good = index(&[("tea", "skill-md", "tea/SKILL.md", &digest)]);
    let long = good.replace("\"x\"", &format!("\"{}\"", "x".repeat(1_025)));
    let cases: &[(&str, &str, Option<&str>)] = &[
        ("as it should be", &good, None),
        ("of another site", &good.replace("tea/SKILL.md", "https://tea.example/SKILL.md"), None),
        ("another schema", &good.replace("0.2.0", "0.3.0"), Some("the index cannot be used: its `$schema`")),
        ("no JSON", "{", Some("the index cannot be used: expected")),
        ("a name", &good.replace("\"tea\"", "\"Tea_time\""), Some("the entry `Tea_time`: expected a name of 1 to 64")),
        ("no description", &good.replace("\"x\"", "\" \""), Some("the entry `tea`: it has no description")),
        ("a long description", &long, Some("its description has 1025 characters")),
        ("no file", &good.replace("tea/SKILL.md", "gone/SKILL.md"), Some("there is no file at gone/SKILL.md")),
        ("with dots", &good.replace("tea/SKILL.md", "x/.././tea/SKILL.md"), None),
        (
            "no file, with dots",
            &good.replace("tea/SKILL.md", "/.well-known/../nope.md"),
            Some("there is no file at /.well-known/../nope.md"),
        ),
        ("another digest", &good.replace(&digest, &format!("sha256:{}", "0".repeat(64))), Some("has another digest")),
        ("no digest", &good.replace("digest", "sha256"), Some("it has no `digest`")),
        ("no archive", &good.replace("skill-md", "archive"), Some("tea/SKILL.md: neither a complete zip archive")),
    ];
    for (case, index, expected) in cases {
        let file = format!("site/{FOLDER}/index.json");
        let place = place_of(&[(&file, index), (&format!("site/{FOLDER}/tea/SKILL.md"), TEA)]);
        for path in ["../site", &format!("../{file}")] {
            let said = place.say(&["check", path]);
            assert_eq!(said.code, Some(i32::from(expected.is_some())), "{case}: {}{}", said.out, said.err);
            assert_eq!(said.out.contains("entry-refused"), expected.is_some(), "{case}: {}", said.out);
            holds(case, &said.out, &[expected.unwrap_or_default()]);
        }
    }
}

/// Real sites: `SKILLTREE_SITES` names a folder of folders with a `site` each.
#[test]
fn real_sites() {
    let Some(all) = real_data("SKILLTREE_SITES", "sites") else { return };
    let mut told = Vec::new();
    let mut sites: Vec<_> = std::fs::read_dir(Path::new(&all)).unwrap().map(|entry| entry.unwrap().path()).collect();
    sites.sort();
    for site in sites.iter().map(|site| site.join("site")).filter(|site| site.is_dir()) {
        let place = place_of(&[]);
        let site = site.to_str().unwrap();
        let said = place.say(&["verify", "--json", site]);
        let counts = said.json().get("verdicts").map(Json::to_string).unwrap_or_default();
        told.push(format!("{}: {counts}", Path::new(site).parent().unwrap().file_name().unwrap().to_str().unwrap()));
    }
    let expected = [
        "coldiq: {\"matches\":18}",
        "deepworkplan-website: {\"needs source\":8}",
        "giskard-docs: {\"needs source\":2}",
        "kami: {\"matches\":1}",
        "kinocut-site: {\"matches\":1}",
        "llms-skills-registry: {\"matches\":3}",
        "vercel-chat: {\"unknown record\":1}",
    ];
    assert_eq!(told, expected);
}
