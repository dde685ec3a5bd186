//! Files, folders and links that want to be read for ever.

use super::{codes, found, in_time, on_both};
use crate::common::Tree;
use pretty_assertions::assert_eq;
use skilltree::{Caller, Catalog, Code, LoadRequest, PromptRequest, commands, load, prompt, why};

const SKILL: &str = "---\ndescription: Makes tea.\n---\nBody.\n";
const FILE: &str = "/s/tea/SKILL.md";

fn named(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Makes tea.\n---\nBody.\n")
}

#[track_caller]
fn check(case: &'static str, tree: Tree, at: &'static str, expect: &'static [Code], keys: &'static [&'static str]) {
    in_time(case, move || {
        on_both(&tree, "sven", |_, catalog| {
            assert_eq!(codes(catalog, at), expect, "{case}: {:#?}", catalog.findings());
            assert_eq!(self::keys(catalog), keys, "{case}");
        });
    });
}

fn keys(catalog: &Catalog) -> Vec<&str> {
    catalog.skills().iter().map(|skill| skill.key.as_str()).collect()
}

fn tree() -> Tree {
    Tree::default()
}

#[test]
fn files_that_are_none() {
    check("1 GiB of nothing", tree().with_sparse(FILE, 1 << 30), FILE, &[Code::TooLarge], &[]);
    check("a byte too many", tree().with_sparse(FILE, 16_777_217), FILE, &[Code::TooLarge], &[]);
    check("a FIFO", tree().with_other(FILE), FILE, &[Code::NotAFile], &[]);
    check("a folder", tree().with_dir(FILE), FILE, &[Code::NotAFile], &[]);
    check("a link to nothing", tree().with_link(FILE, "nowhere"), FILE, &[Code::BrokenSymlink], &[]);
    check("a link to itself", tree().with_link(FILE, "SKILL.md"), FILE, &[Code::BrokenSymlink], &[]);
    check("a link to a FIFO", tree().with_other("/s/pipe").with_link(FILE, "../pipe"), FILE, &[Code::NotAFile], &[]);
    check("a link to a folder", tree().with_dir("/s/dir").with_link(FILE, "../dir"), FILE, &[Code::NotAFile], &[]);
    check("an empty file", tree().with(FILE, ""), FILE, &[Code::FrontmatterMissing], &[]);
}

#[test]
fn links_in_circles() {
    let around = tree().with_link("/s/a", "b").with_link("/s/b", "a").with(FILE, SKILL);
    check("a to b to a", around, "/s/a", &[Code::BrokenSymlink], &["tea"]);
    let own = tree().with(FILE, SKILL).with_link("/s/tea/self", ".");
    check("a folder in itself", own, "/s/tea/self", &[Code::LinkCycle], &["tea"]);
    let parent = tree().with(FILE, SKILL).with_link("/s/tea/up", "..");
    check("the source in itself", parent, "/s/tea/up", &[Code::LinkCycle], &["tea"]);
    let crossed = tree()
        .with("/s/a/SKILL.md", SKILL)
        .with("/s/b/SKILL.md", SKILL)
        .with_link("/s/a/to", "../b")
        .with_link("/s/b/to", "../a");
    check("each in the other", crossed, "/s/a/to/SKILL.md", &[Code::SameFile], &["a", "b"]);
    let long = (0..100).fold(tree().with("/s/l0/SKILL.md", SKILL), |tree, n| {
        tree.with_link(&format!("/s/l{}", n + 1), &format!("l{n}"))
    });
    check("100 links to links", long, "/s/l100", &[Code::BrokenSymlink], &["l0"]);
}

#[cfg(unix)]
#[test]
fn links_out_of_the_tree_on_the_disk() {
    use std::os::unix::fs::symlink;
    in_time("devices and the root", || {
        let (disk, folder) = tree().with(FILE, SKILL).with_dir("/s/zero").with_dir("/s/full").disk();
        symlink("/dev/zero", folder.path().join("s/zero/SKILL.md")).expect("a link can be made");
        symlink("/dev/tty", folder.path().join("s/full/SKILL.md")).expect("a link can be made");
        symlink("/", folder.path().join("s/root")).expect("a link can be made");
        found(&disk, "sven", |_, catalog| {
            assert_eq!(keys(catalog), ["tea"]);
            assert_eq!(codes(catalog, "/s/zero/SKILL.md"), [Code::NotAFile]);
            assert_eq!(codes(catalog, "/s/full/SKILL.md"), [Code::NotAFile]);
            assert_eq!(codes(catalog, "/s/root"), [Code::LeadsOut]);
        });
        let root = format!("{}/s", folder.path().display());
        let places = skilltree::Places { roots: vec![super::path(&root)], ..super::Places::default() };
        let whole = skilltree::OsFs::new();
        let world = skilltree::World::new(&whole, &places, &());
        let catalog = skilltree::discover(&world, &skilltree::dialect("sven").expect("a dialect"));
        assert_eq!(keys(&catalog), ["tea"]);
        assert_eq!(codes(&catalog, &format!("{root}/root")), [Code::LinkCycle]);
    });
}

#[test]
fn many_links_to_one_folder() {
    in_time("10 000 links", || {
        let mut tree = tree().with(FILE, SKILL);
        for n in 0..10_000 {
            tree = tree.with_link(&format!("/s/l{n}"), "tea");
        }
        on_both(&tree, "sven", |_, catalog| {
            assert_eq!(keys(catalog), ["tea"]);
            let same = catalog.findings().iter().filter(|finding| finding.code == Code::SameFile).count();
            assert_eq!(same, 10_000, "each link is accounted for (rule 3.9)");
        });
    });
}

#[test]
fn many_links_to_folders_of_their_own() {
    in_time("20 000 links", || {
        let tree = (0..20_000).fold(tree(), |tree, n| {
            tree.with(&format!("/e/{n}/SKILL.md"), SKILL).with_link(&format!("/s/{n}"), &format!("/e/{n}"))
        });
        found(&tree.mem(), "sven", |_, catalog| assert_eq!(catalog.skills().len(), 20_000));
    });
    in_time("links into a chain of folders, and many at its end", || {
        let (mut tree, mut at) = (tree().with("/e/SKILL.md", SKILL), String::from("/s"));
        for n in 0..200 {
            at.push_str("/d");
            tree = tree.with_link(&format!("/s/l{n}"), &at);
        }
        let tree = (0..200).fold(tree, |tree, n| tree.with_link(&format!("{at}/{n}/x"), "/e"));
        found(&tree.mem(), "sven", |_, catalog| assert_eq!(keys(catalog).len(), 1));
    });
}

/// A chain of folders, each in the one before, with a skill in each.
fn chain(length: usize) -> (Tree, String) {
    let mut at = String::from("/s");
    let mut made = tree();
    for _ in 0..length {
        at.push_str("/d");
        made = made.with(&format!("{at}/SKILL.md"), SKILL);
    }
    (made, at)
}

#[test]
fn a_deep_chain() {
    in_time("1 800 folders deep", || {
        let (tree, deepest) = chain(1_800);
        on_both(&tree, "sven", |world, catalog| {
            assert_eq!(catalog.skills().len(), 1_800);
            let last = catalog.get(&deepest[3..]).expect("the deepest");
            let parent = catalog.get(&last.key[..last.key.len() - 2]).expect("its parent");
            assert_eq!(catalog.children(parent, Caller::Model), [last]);
            assert!(load(world, catalog, last, &LoadRequest::new(Caller::Model)).is_ok());
        });
    });
    in_time("links from above into every folder of a chain", || {
        let (mut tree, _) = chain(200);
        for n in 1..200 {
            tree = tree.with_link(&format!("/s/l{n:03}"), &format!("/s{}", "/d".repeat(n)));
        }
        on_both(&tree, "sven", |_, catalog| {
            assert_eq!(catalog.skills().len() + catalog.shadowed().len(), 200, "one real file is one skill");
            assert!(super::weight(catalog) < 16 << 20, "{} bytes of findings", super::weight(catalog));
        });
    });
}

/// What costs the more the more skills there are.
fn ask_all(world: &skilltree::World<'_>, catalog: &Catalog) {
    let commands = commands(catalog, &[]);
    prompt(world, catalog, &PromptRequest::default());
    prompt(world, catalog, &PromptRequest { budget: Some(1_000_000), ..PromptRequest::default() });
    why(world, catalog, "/s", &PromptRequest::default());
    catalog.skills().iter().for_each(|skill| drop(catalog.children(skill, Caller::Model)));
    catalog.find("no such skill at all", Caller::User).expect_err("it is not there");
    assert!(commands.complete("").len() == catalog.skills().len());
}

#[test]
fn many_skills() {
    in_time("20 000 in one folder", || {
        let tree = (0..20_000).fold(tree(), |tree, n| tree.with(&format!("/s/{n}/SKILL.md"), SKILL));
        found(&tree.mem(), "sven", |world, catalog| {
            assert_eq!(catalog.skills().len(), 20_000);
            ask_all(world, catalog);
        });
        #[cfg(unix)]
        found(&tree.disk().0, "sven", |_, catalog| assert_eq!(catalog.skills().len(), 20_000));
    });
    in_time("20 000 that are none", || {
        let tree = (0..20_000).fold(tree(), |tree, n| tree.with(&format!("/s/{n}/SKILL.md"), "nothing"));
        found(&tree.mem(), "sven", |world, catalog| {
            assert_eq!((catalog.skills().len(), catalog.findings().len()), (0, 20_000));
            ask_all(world, catalog);
        });
    });
    in_time("2 000 of one name", || {
        let tree = (0..2_000).fold(tree(), |tree, n| tree.with(&format!("/s/{n:04}/SKILL.md"), named("tea")));
        on_both(&tree, "agentskills", |world, catalog| {
            assert_eq!((keys(catalog), catalog.shadowed().len()), (vec!["tea"], 1_999));
            assert_eq!(catalog.skills()[0].path.as_str(), "/s/0000/SKILL.md", "the first by path (rule 8.2)");
            let listed = catalog.to_json(world, &commands(catalog, &[])).to_string();
            assert!(listed.len() < 4 << 20);
            ask_all(world, catalog);
        });
    });
    in_time("20 000 of one command", || {
        let tree = (0..20_000).fold(tree(), |tree, n| {
            tree.with(
                &format!("/s/a{}/SKILL.md", "!".repeat(n / 2_000) + &"?".repeat(n % 2_000 / 50) + &"+".repeat(n % 50)),
                SKILL,
            )
        });
        found(&tree.mem(), "sven", |_, catalog| {
            assert_eq!(commands(catalog, &[]).all().len(), 20_000);
        });
    });
}
