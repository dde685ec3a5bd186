//! What is in a skill's folder: files with their digests, links, what is no file, and the bounds. In memory and on
//! the disk, with one answer.
#![cfg(all(unix, feature = "digest"))]

use crate::common;

use common::Tree;
use common::ground::{Ground, briefs, on};
use pretty_assertions::assert_eq;
use skilltree::package::{Contents, Purpose};
use skilltree::{Digest, Error, MemFs};

const DIR: &str = "/p/.agents/skills/tea";
const SKILL: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";

/// The skill `tea` with more in its folder. A name that ends with `/` is a folder, `a -> b` a link, `a |` a FIFO.
fn tea(more: &[&str]) -> Ground {
    let mut tree = Tree::default().with(&format!("{DIR}/SKILL.md"), SKILL).with("/p/out.txt", "out");
    for name in more {
        tree = match (name.split_once(" -> "), name.strip_suffix('/'), name.strip_suffix(" |")) {
            (Some((name, target)), ..) => tree.with_link(&format!("{DIR}/{name}"), target),
            (_, Some(name), _) => tree.with_dir(&format!("{DIR}/{name}")),
            (.., Some(name)) => tree.with_other(&format!("{DIR}/{name}")),
            _ => tree.with(&format!("{DIR}/{name}"), format!("this is {name}")),
        };
    }
    on(tree)
}

fn rows(contents: &Contents) -> Vec<String> {
    let to = |target: &Option<skilltree::FsPath>| {
        target.as_ref().map_or_else(String::new, |target| format!(" -> {}", target.as_str().replace(DIR, "@")))
    };
    let files = contents.files.iter().map(|file| format!("{} {}{}", file.name, file.size, to(&file.target)));
    let others =
        contents.others.iter().map(|other| format!("{} {}{}", other.name, other.kind.as_str(), to(&other.target)));
    let findings = briefs(&contents.findings);
    files.chain(others).chain(findings).filter(|row| row != "SKILL.md 54").collect()
}

#[track_caller]
fn check(case: &str, reach: Purpose, more: &[&str], expect: &[&str]) {
    let got = tea(more).of(case, "agentskills", |world, catalog| {
        Contents::of(world, catalog.find_any("tea").unwrap(), reach)
            .map_or_else(|error| vec![error.to_string()], |found| rows(&found))
    });
    assert_eq!(got, expect.to_vec(), "{case}");
}

#[test]
fn what_belongs_to_a_skill() {
    use Purpose::Serve;
    check("the skill alone", Serve, &[], &[]);
    check("files below, in byte order", Serve, &["b/c", "b.txt", "a"], &["a 9", "b.txt 13", "b/c 11", "b folder"]);
    check("an empty folder", Serve, &["a/"], &["a folder"]);
    check("a skill nested in it", Serve, &["in/SKILL.md", "in/x"], &["in/SKILL.md 19", "in/x 12", "in folder"]);
    check("what is never entered", Serve, &[".git/config", "node_modules/x/i.js", "a/.hg/x"], &["a folder"]);
    check("other hidden files", Serve, &[".env"], &[".env 12"]);
    check("a copy's marker", Serve, &[".skilltree-copy"], &[]);
    check("a marker further down", Serve, &["a/.skilltree-copy"], &["a/.skilltree-copy 25", "a folder"]);
    check("a link to a file inside", Serve, &["a", "b -> a"], &["a 9", "b 9 -> @/a"]);
    check("a link to a folder inside", Serve, &["a/x", "b -> a"], &["a/x 11", "a folder", "b link-to-folder -> @/a"]);
    let note = "note not-covered /p/.agents/skills/tea/a";
    check("a link outside", Serve, &["a -> ../../../out.txt"], &["a link-outside -> /p/out.txt", note]);
    check("a link to a folder above", Serve, &["a -> .."], &["a link-outside -> /p/.agents/skills", note]);
    check("a link to nothing", Serve, &["a -> b"], &["a link-to-nothing"]);
    check("links that lead round", Serve, &["a -> b", "b -> a"], &["a link-to-nothing", "b link-to-nothing"]);
    check("a FIFO", Serve, &["a |"], &["a special"]);
}

#[test]
fn all_that_a_script_could_use() {
    use Purpose::Approve;
    let all = &[".git/config", "node_modules/x/i.js", ".skilltree-copy"];
    let found = &[
        ".git/config 19",
        ".skilltree-copy 23",
        "node_modules/x/i.js 27",
        ".git folder",
        "node_modules folder",
        "node_modules/x folder",
    ];
    check("everything", Approve, all, found);
    check("a link to a file outside", Approve, &["a -> ../../../out.txt"], &["a 3 -> /p/out.txt"]);
    check(
        "by a link inside",
        Approve,
        &["a -> ../../../out.txt", "b -> a"],
        &["a 3 -> /p/out.txt", "b 3 -> /p/out.txt"],
    );
    check("a link to nothing outside", Approve, &["a -> ../../../none"], &["a link-to-nothing"]);
    check("a link to a folder inside", Approve, &["a/x", "b -> a"], &["a/x 11", "a folder", "b link-to-folder -> @/a"]);
    let refused = "the symlink `/p/.agents/skills/tea/a` leads to the folder `/p` outside the skill and is not \
                   followed; copy the folder into the skill";
    check("a link to a folder outside", Approve, &["a -> ../../.."], &[refused]);
    check("a link from a file to a FIFO", Approve, &["a |", "b -> a"], &["a special", "b special -> @/a"]);
}

#[test]
fn a_digest_is_of_the_bytes() {
    let digests = tea(&["a", "b -> a"]).of("digests", "agentskills", |world, catalog| {
        let found = Contents::of(world, catalog.find_any("tea").unwrap(), Purpose::Serve).unwrap();
        found.files.into_iter().map(|file| (file.name, file.digest)).collect::<Vec<_>>()
    });
    let of = |name: &str, bytes: &str| (name.to_owned(), Digest::of(bytes.as_bytes()));
    assert_eq!(digests, [of("SKILL.md", SKILL), of("a", "this is a"), of("b", "this is a")]);
}

#[test]
fn the_own_file_counts_wherever_it_leads() {
    let tree = Tree::default().with("/p/shared.md", SKILL).with_link(&format!("{DIR}/SKILL.md"), "../../../shared.md");
    let got = on(tree).of("a linked SKILL.md", "agentskills", |world, catalog| {
        rows(&Contents::of(world, catalog.find_any("tea").unwrap(), Purpose::Approve).unwrap())
    });
    assert_eq!(got, ["SKILL.md 54 -> /p/shared.md"]);
}

#[test]
fn a_registered_file_stands_alone() {
    let mut ground = on(Tree::default().with("/x/tea.md", SKILL).with("/x/other.txt", "no part of it"));
    ground.places.registered = vec![("plug".to_owned(), common::path("/x/tea.md"))];
    let got = ground.of("a file", "daycare", |world, catalog| {
        rows(&Contents::of(world, &catalog.skills()[0], Purpose::Approve).unwrap())
    });
    assert_eq!(got, ["tea.md 54"]);
}

#[test]
fn the_whole_digest_tells_apart() {
    let of = |case: &str, more: &[&str]| {
        tea(more).of(case, "agentskills", |world, catalog| {
            Contents::of(world, catalog.find_any("tea").unwrap(), Purpose::Approve).unwrap().digest()
        })
    };
    let trees: &[&[&str]] = &[
        &[],
        &["a"],
        &["b"],
        &["a/"],
        &["a |"],
        &["a -> SKILL.md"],
        &["a -> nothing"],
        &["a -> ../../../out.txt"],
        &["a -> ../../../out2.txt"],
        &["a/b"],
        &["a/b", "c/"],
        &["a/b", "c -> a"],
    ];
    let mut digests: Vec<Digest> = trees.iter().map(|tree| of(&tree.join(","), tree)).collect();
    assert_eq!(of("again", &["a/b"]), digests[9]);
    // Two links that lead nowhere are one kind; each of the rest is its own.
    assert_eq!(digests.remove(8), digests[6]);
    let count = digests.len();
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(digests.len(), count);
}

/// The refusal for a tree, in memory; building it on a disk would say nothing more.
#[track_caller]
fn refused(case: &str, reach: Purpose, tree: Tree, expect: &str) {
    let ground = on(tree.with(&format!("{DIR}/SKILL.md"), SKILL));
    let fs = ground.tree.mem();
    let world = skilltree::World::new(&fs, &ground.places, &());
    let catalog = skilltree::discover(&world, &common::ground::table("agentskills"));
    let error = Contents::of(&world, catalog.find_any("tea").unwrap(), reach).map(|found| rows(&found)).unwrap_err();
    assert!(error.to_string().starts_with(expect), "{case}: {error}");
    assert!(matches!((&error, error.code()), (Error::TooMuch { .. }, "too-much") | (Error::Fs(_), _)), "{case}");
}

#[test]
fn bounds() {
    let many = |count: usize| (0..count).fold(Tree::default(), |tree, n| tree.with(&format!("{DIR}/x/{n}"), ""));
    refused("files", Purpose::Serve, many(512), &format!("`{DIR}` contains more than 512 files"));
    let mut links = many(511);
    links = links.with_link(&format!("{DIR}/link"), "SKILL.md");
    refused("links are files", Purpose::Serve, links, &format!("`{DIR}` contains more than 512 files"));
    let large = |bytes: u64| Tree::default().with_sparse(&format!("{DIR}/large"), bytes);
    refused("bytes", Purpose::Serve, large(16_777_216 - 53), &format!("`{DIR}` contains more than 16777216 bytes"));
    refused("bytes, far more", Purpose::Serve, large(1 << 60), &format!("`{DIR}` contains more than 16777216 bytes"));
    let outside = Tree::default().with_sparse("/p/large", 1 << 60).with_link(&format!("{DIR}/large"), "/p/large");
    refused("bytes outside", Purpose::Approve, outside, &format!("`{DIR}` contains more than 268435456 bytes"));
    let whole = on(large(16_777_216 - 54).with(&format!("{DIR}/SKILL.md"), SKILL));
    let sizes = whole.of("the last byte", "agentskills", |world, catalog| {
        rows(&Contents::of(world, catalog.find_any("tea").unwrap(), Purpose::Serve).unwrap())
    });
    assert_eq!(sizes, ["large 16777162"]);
}

#[test]
fn what_cannot_be_read_is_named() {
    let ground = on(Tree::default().with(&format!("{DIR}/SKILL.md"), SKILL).with(&format!("{DIR}/a/x"), ""));
    type Fault = fn(&mut MemFs);
    let faults: [(&str, Fault); 3] = [
        ("`/p/.agents/skills/tea/a/x` may not be read", |fs| {
            fs.unreadable(&format!("{DIR}/a/x"));
        }),
        ("`/p/.agents/skills/tea/a` may not be read", |fs| {
            fs.unreadable(&format!("{DIR}/a"));
        }),
        ("`/p/.agents/skills/tea/\u{fffd}`: its name is not UTF-8", |fs| {
            fs.lossy(DIR, "\u{fffd}");
        }),
    ];
    for (expect, fault) in faults {
        let mut fs = ground.tree.mem();
        fault(&mut fs);
        let world = skilltree::World::new(&fs, &ground.places, &());
        let catalog = skilltree::discover(&world, &common::ground::table("agentskills"));
        let skill = catalog.find_any("tea").unwrap();
        for reach in [Purpose::Serve, Purpose::Approve] {
            let contents = Contents::of(&world, skill, reach);
            // What is served has an address, which such a name cannot have: that file alone is left out.
            if reach == Purpose::Serve && expect.contains("UTF-8") {
                assert_eq!(contents.unwrap().files.len(), 2, "{expect}");
                continue;
            }
            let error = contents.unwrap_err().to_string();
            assert!(error.starts_with(expect), "{error}");
        }
    }
}
