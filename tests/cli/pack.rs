//! The real binary: a skill's folder as a `.skill` file and back, what is refused on the way, and a `.skill` file named
//! where a folder is taken.
#![cfg(unix)]

use crate::common;

use crate::raw;

use crate::program::{PATH, Place, error_code};
use common::Tree;
use pretty_assertions::assert_eq;
use raw::{build, file};
use std::fs;
use std::os::unix::fs::PermissionsExt;

const SKILL: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";

fn place() -> Place {
    let tree = Tree::default()
        .with("/project/tea/SKILL.md", SKILL)
        .with("/project/tea/scripts/boil.sh", "#!/bin/sh\necho boiled\n")
        .with("/project/tea/.git/HEAD", "x")
        .with_link("/project/tea/same.md", "SKILL.md")
        .with_link("/project/tea/out.md", "../notes.md")
        .with("/project/notes.md", "x")
        .with("/project/bad/SKILL.md", "---\nname: Bad Name\n---\n")
        .with("/project/hostile.skill", build(&[file("tea/SKILL.md", SKILL), file("../../evil", "x")]))
        .with("/project/loose.skill", build(&[file("SKILL.md", SKILL), file("notes.md", "hot")]))
        .with("/project/text.skill", "no zip")
        .with("/project/broken.skill", build(&[file("tea/SKILL.md", SKILL).told(|told| told.crc = 7)]))
        .with("/project/git.skill", build(&[file("tea/SKILL.md", SKILL), file("tea/.GIT/config", "x")]))
        .with("/project/hidden.skill", build(&[file(".claude/settings.json", "{}")]))
        .with("/project/empty.skill", build(&[]));
    Place::of(tree).env("PATH", PATH)
}

const GREEN: &str = "---\nname: green\ndescription: Makes green tea.\n---\nBoil.\n";

#[test]
fn a_skill_goes_into_a_file_and_comes_back() {
    let place = place();
    let archive = place.named("project/tea.skill");
    place.check(
        "packed",
        &["pack", "tea"],
        0,
        &[&format!("packed tea into {archive} ("), "SKILL.md\n", "same.md\n", "scripts/boil.sh\n"],
        &["out.md: warning[not-covered]: `out.md` is left out: the symlink leads out of the folder"],
    );
    let bytes = fs::read(&archive).unwrap();
    assert_eq!(bytes.get(..4), Some(&b"PK\x03\x04"[..]));
    let keyed = Place::of(Tree::default().with("/project/.agents/skills/group/green/SKILL.md", GREEN));
    let file = keyed.named("project/green.skill");
    keyed.check("by its key", &["pack", "green"], 0, &[&format!("packed green into {file} (")], &[]);
    place.check("not written over", &["pack", "tea"], 1, &[], &["exists already and is not overwritten"]);
    place.check("unless told to", &["pack", "tea", "--force"], 0, &["packed tea"], &["out.md"]);
    assert_eq!(fs::read(&archive).unwrap(), bytes, "the same bytes again");
    let named = ["pack", "tea", "-o", "../home/x.skill"];
    place.fields(
        "named",
        &named,
        0,
        &[("name", r#""tea""#), ("bytes", &bytes.len().to_string()), ("files.0.name", r#""SKILL.md""#)],
    );
    assert_eq!(fs::read(place.at("home/x.skill")).unwrap(), bytes);

    let unpack = ["unpack", "tea.skill", "-d", "../home/.agents/skills"];
    let folder = place.named("home/.agents/skills/tea");
    let out =
        format!("unpacked {folder} (3 files, {} bytes)\nSKILL.md\nsame.md\nscripts/boil.sh\n", 2 * SKILL.len() + 22);
    place.exact("unpacked", &unpack, 0, &out, "");
    assert_eq!(place.read("home/.agents/skills/tea/same.md").unwrap(), SKILL);
    let mode = |name: &str| fs::metadata(place.at(name)).unwrap().permissions().mode();
    assert_eq!(mode("home/.agents/skills/tea/scripts/boil.sh") & 0o100, 0o100, "a script stays a program");
    assert_eq!(mode("home/.agents/skills/tea/SKILL.md") & 0o111, 0);
    place.exact("used", &["run", "tea", "boil.sh"], 0, "boiled\n", "");
    place.check(
        "not written over",
        &unpack,
        1,
        &[],
        &["exists already and is not overwritten; use another folder, or `skilltree unpack --force"],
    );
    fs::write(place.at("home/.agents/skills/tea/old.md"), "x").unwrap();
    let force = [&unpack[..], &["--force"]].concat();
    let (folder_at, moved) = (place.at("home/.agents/skills/tea"), place.at("home/tea"));
    fs::rename(&folder_at, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &folder_at).unwrap();
    place.check("no folder", &force, 1, &[], &["as it is not a folder; move it, or use another folder"]);
    fs::remove_file(&folder_at).unwrap();
    fs::rename(&moved, &folder_at).unwrap();
    place.fields(
        "replaced",
        &force,
        0,
        &[("folder", &format!("{folder:?}")), ("files", r#"["SKILL.md","same.md","scripts/boil.sh"]"#)],
    );
    assert!(!place.at("home/.agents/skills/tea/old.md").exists());
    let left: Vec<_> =
        fs::read_dir(place.at("home/.agents/skills")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["tea"], "nothing is left behind");
}

#[test]
fn what_is_refused_is_not_written() {
    let place = place();
    place.check("a skill with errors", &["pack", "bad"], 1, &[], &["name-invalid", "so nothing is written"]);
    assert!(!place.at("project/bad.skill").exists());
    let (code, json) = place.json(&["pack", "bad"]);
    assert_eq!((code, error_code(&json)), (Some(1), Some("check-failed")));
    place.check("no skill", &["pack", "../home"], 1, &[], &["no-skill"]);
    place.check("no folder", &["pack", "./nowhere"], 2, &[], &["the folder `", "does not exist"]);
    place.check("neither folder nor key", &["pack", "nowhere"], 1, &[], &["there is no skill `nowhere`"]);
    place.check("a file", &["pack", "notes.md"], 2, &[], &["is not a directory"]);
    place.check(
        "into itself",
        &["pack", "tea", "-o", "tea/tea.skill"],
        2,
        &[],
        &["would be inside the folder that is packed"],
    );
    place.check("onto a folder", &["pack", "tea", "-o", "bad", "--force"], 2, &[], &["it exists and is not a file"]);

    let unpack = |case: &str, file: &str, code: i32, expect: &[&str]| {
        place.check(case, &["unpack", file, "-d", "out"], code, &[], expect);
        assert!(
            !place.at("project/out").exists() || fs::read_dir(place.at("project/out")).unwrap().next().is_none(),
            "{case}"
        );
    };
    unpack(
        "a hostile one",
        "hostile.skill",
        1,
        &["entry-refused", "`../../evil`", "contains `..`", "so nothing is written"],
    );
    unpack("no zip", "text.skill", 2, &["not a zip archive"]);
    unpack("an empty one", "empty.skill", 1, &["the archive is empty"]);
    unpack("a repository", "git.skill", 1, &["contains the repository `tea/.GIT`"]);
    unpack("a damaged one", "broken.skill", 2, &["could not be unpacked", "it is damaged"]);
    unpack("nothing", "nowhere.skill", 2, &["does not exist"]);
    unpack("a folder", "tea", 2, &["is not a regular file"]);
    let (code, json) = place.json(&["unpack", "hostile.skill"]);
    assert_eq!((code, error_code(&json)), (Some(1), Some("archive-refused")));
    assert!(!place.at("evil").exists() && !place.at("project/evil").exists());

    fs::create_dir_all(place.at("project/loose")).unwrap();
    place.check("a folder of the file's name", &["unpack", "loose.skill"], 1, &[], &["exists already"]);
    fs::remove_dir(place.at("project/loose")).unwrap();
    place.check("without a folder", &["unpack", "loose.skill"], 0, &["loose (2 files", "SKILL.md", "notes.md"], &[]);
    place.check("a hidden folder", &["unpack", "hidden.skill"], 1, &[], &["has no SKILL.md at its top"]);
    fs::write(place.at("project/plain"), "x").unwrap();
    fs::rename(place.at("project/loose.skill"), place.at("project/plain.skill")).unwrap();
    place.check("over a file", &["unpack", "plain.skill", "--force"], 1, &[], &["exists already"]);
    assert_eq!(place.read("project/plain").unwrap(), "x");
}

/// An archive that macOS has made is the skill in it.
#[test]
fn what_macos_adds_is_passed_over() {
    let mac = build(&[file("tea/SKILL.md", SKILL), file("__MACOSX/tea/._SKILL.md", "\0\u{5}\u{16}\u{7}")]);
    let place = Place::of(Tree::default().with("/project/mac.zip", mac));
    place.check("unpacked", &["unpack", "mac.zip", "-d", "out"], 0, &["project/out/tea (1 file"], &[]);
    let names = fs::read_dir(place.at("project/out/tea")).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["SKILL.md"]);
    let registered = ["list", "--dialect", "daycare", "--register", "tg=mac.zip"];
    place.fields("registered", &registered, 0, &[("skills.0.key", r#""plugin:tg/tea""#)]);
    let loose = build(&[file("SKILL.md", SKILL), file("__MACOSX/._SKILL.md", "x")]);
    place.check("checked", &["check", "mac.zip"], 0, &["no findings"], &[]);
    fs::write(place.at("project/loose.zip"), loose).unwrap();
    place.check("without a folder", &["unpack", "loose.zip", "-d", "out"], 0, &["project/out/loose (1 file"], &[]);
}

#[test]
fn a_file_is_read_where_a_folder_is_taken() {
    let place = place();
    place.check("packed", &["pack", "tea"], 0, &["packed tea"], &["out.md"]);
    let skill = place.named("project/tea.skill/tea/SKILL.md");
    let list = ["list", "--only-roots", "--root", "tea.skill"];
    place.fields("listed", &list, 0, &[("skills.0.key", r#""tea""#), ("skills.0.path", &format!("{skill:?}"))]);
    place.check("loaded", &["load", "tea", "--only-roots", "--root", "tea.skill"], 0, &["Boil water."], &[]);
    place.exact("checked", &["check", "tea.skill"], 0, "no findings\n", "");
    place.fields(
        "what is refused is checked too",
        &["check", "hostile.skill"],
        1,
        &[("findings.0.code", r#""entry-refused""#), ("error.code", r#""check-failed""#)],
    );
    let hostile = ["list", "--only-roots", "--root", "hostile.skill"];
    place.check("and told of in a list", &hostile, 0, &["tea"], &["entry-refused", "contains `..`"]);
    place.fields(
        "also as JSON",
        &hostile,
        0,
        &[("skills.0.key", r#""tea""#), ("findings.0.code", r#""entry-refused""#)],
    );
    place.check("a damaged one", &["check", "broken.skill"], 1, &["unreadable", "it is damaged"], &[]);
    let bundled = ["list", "--dialect", "agent-base", "--bundled", "tea.skill"];
    place.fields(
        "as what ships",
        &bundled,
        0,
        &[("skills.0.key", r#""tea""#), ("skills.0.path", &format!("{skill:?}"))],
    );
    let registered = ["list", "--dialect", "daycare", "--register", "tg=tea.skill"];
    let key = r#""plugin:tg/tea""#;
    place.fields(
        "as what is registered",
        &registered,
        0,
        &[("skills.0.key", key), ("skills.0.path", &format!("{skill:?}"))],
    );
    let unreadable = ["text.skill`: neither a complete zip archive nor a file that gzip has packed"];
    place.check("no archive that ships", &["list", "--bundled", "text.skill"], 2, &[], &unreadable);
    place.check("no archive", &["check", "text.skill"], 2, &[], &unreadable);
    place.check("as a root", &["list", "--root", "text.skill"], 2, &[], &unreadable);
}
