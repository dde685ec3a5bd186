//! What the user has approved: bound to every file of a skill's folder and to its place, void at any change. In
//! memory and on the disk, with one answer.
#![cfg(all(unix, feature = "digest"))]

use crate::common;

use common::ground::{Ground, briefs, on};
use common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::discovery::FileWrite;
use skilltree::package::{Approval, Approvals, Review};
use skilltree::{Error, Json, World};

const STORE: &str = "/h/.local/state/skilltree/approved.json";
const SKILL: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";

/// Files in a skill's folder: a name is a file that holds its name, `a=b` one that holds `b`, `a/` a folder,
/// `a -> b` a link, `a |` a FIFO; with a leading slash they lie elsewhere.
fn tree(dir: &str, files: &[&str]) -> Tree {
    let mut tree = Tree::default().with(&format!("{dir}/SKILL.md"), SKILL).with("/p/out.txt", "out");
    for file in files {
        let place = |name: &str| if name.starts_with('/') { name.to_owned() } else { format!("{dir}/{name}") };
        tree = match (file.split_once(" -> "), file.split_once('='), file.strip_suffix('/'), file.strip_suffix(" |")) {
            (Some((name, target)), ..) => tree.with_link(&place(name), target),
            (_, Some((name, text)), ..) => tree.with(&place(name), text),
            (.., Some(name), _) => tree.with_dir(&place(name)),
            (.., Some(name)) => tree.with_other(&place(name)),
            _ => tree.with(&place(file), *file),
        };
    }
    tree
}

fn approved(world: &World<'_>, catalog: &skilltree::Catalog) -> Result<FileWrite, Error> {
    let tea = catalog.find_any("tea")?;
    Review::of(world, catalog, tea)?.approve(world, tea, &path(STORE))
}

/// The store in which this tree's skill is approved.
#[track_caller]
fn store(case: &str, tree: Tree) -> String {
    let write = on(tree).of(case, "agentskills", |world, catalog| approved(world, catalog).unwrap());
    assert_eq!((write.path.as_str(), &write.expected), (STORE, &None), "{case}");
    assert!(write.private, "{case}: nobody else may read what the user has approved");
    String::from_utf8(write.bytes).unwrap()
}

/// What becomes of the approval of `before` when the folder is as in `now`.
#[track_caller]
fn check(case: &str, before: &[&str], now: &[&str], expect: &str) {
    let store = store(case, tree(DIR, before));
    check_tree(case, &store, tree(DIR, now), expect);
}

#[track_caller]
fn check_tree(case: &str, store: &str, now: Tree, expect: &str) {
    let got = on(now.with(STORE, store)).of(case, "agentskills", |world, catalog| {
        let approval = Approvals::read(world.fs, &path(STORE)).of(world, catalog.find_any("tea").unwrap());
        match &approval {
            Approval::None => "none".to_owned(),
            Approval::Exact(_) => "exact".to_owned(),
            other => other.void().unwrap().trim_start_matches("its approval is no longer valid: ").to_owned(),
        }
    });
    assert_eq!(got, expect, "{case}");
}

const DIR: &str = "/p/.agents/skills/tea";

#[test]
fn any_change_makes_it_void() {
    check("nothing", &[], &[], "exact");
    check("nothing of all kinds", &["a", "b/c", "d -> a", "e |", "f/"], &["a", "b/c", "d -> a", "e |", "f/"], "exact");
    check("an edit", &["a"], &["a=b"], "`a` has changed");
    check(
        "an edit of the SKILL.md",
        &[],
        &["SKILL.md=---\nname: tea\ndescription: d\n---\n"],
        "`SKILL.md` has changed",
    );
    check("an added file", &[], &["a"], "`a` is new");
    check("an added folder", &[], &["a/"], "`a` is new");
    check("an added FIFO", &[], &["a |"], "`a` is new");
    check("a removed file", &["a"], &[], "`a` is gone");
    check("a renamed file", &["a=x"], &["b=x"], "`b` is new, and one more differs");
    check("several", &["a", "b", "c"], &["a=1", "b=1", "d"], "`a` has changed, and 3 more differ");
    check("a file in node_modules", &["node_modules/x"], &["node_modules/x=y"], "`node_modules/x` has changed");
    check("a file in .git", &["x"], &["x", ".git/hooks/y"], "`.git` is new, and 2 more differ");
    check("a file beside a marker", &[], &[".skilltree-copy"], "`.skilltree-copy` is new");
    check("a nested skill", &["in/SKILL.md"], &["in/SKILL.md=x"], "`in/SKILL.md` has changed");
    check("a file in place of a folder", &["a/"], &["a"], "`a` has changed");
    check("a FIFO in place of a file", &["a"], &["a |"], "`a` has changed");
    check("a link in place of a file", &["a", "b=a"], &["a", "b -> a"], "`b` has changed");
    check(
        "a link to another file of one content",
        &["a=x", "b=x", "c -> a"],
        &["a=x", "b=x", "c -> b"],
        "`c` has changed",
    );
    check(
        "a link that comes to lead somewhere",
        &["a -> b"],
        &["a -> b", "b"],
        "`a` has changed, and one more differs",
    );
    check("a link led outside", &["a", "b -> a"], &["a", "b -> ../../../out.txt"], "`b` has changed");
    check(
        "a link to a folder outside",
        &["a"],
        &["a -> ../../.."],
        "the symlink `/p/.agents/skills/tea/a` leads to a folder outside the skill",
    );
    check("a file outside", &["a -> /p/out.txt"], &["a -> /p/out.txt"], "exact");
    check("an edit of it", &["a -> /p/out.txt"], &["a -> /p/out.txt", "/p/out.txt=new"], "`a` has changed");
    check("another file outside of one content", &["a -> /p/out.txt"], &["a -> /p/b", "/p/b=out"], "`a` has changed");
    check("a file outside that was none", &["a -> /p/b"], &["a -> /p/b", "/p/b"], "`a` has changed");
    check("a file of another skill", &[], &["/p/.agents/skills/milk/SKILL.md"], "exact");
}

#[test]
fn it_is_bound_to_the_place() {
    let store = store("the place", tree(DIR, &["a"]));
    check_tree("another folder", &store, tree("/p/.agents/skills/green", &["a"]), "none");
    check_tree("another source", &store, tree("/p/.claude/skills/tea", &["a"]), "none");
    let linked = tree(DIR, &["a"]).with_link("/p/.claude/skills/tea", "../../.agents/skills/tea");
    check_tree("reached by a link too", &store, linked, "exact");
    let moved = tree("/p/x/tea", &["a"]).with_link(DIR, "/p/x/tea");
    check_tree("a link in its place", &store, moved, "none");
}

#[test]
fn a_linked_file_takes_no_approval_along() {
    let linked =
        |dir: &str| Tree::default().with("/p/x/SKILL.md", SKILL).with_link(&format!("{dir}/SKILL.md"), "/p/x/SKILL.md");
    let store = store("a linked SKILL.md", linked(DIR));
    check_tree("as it was", &store, linked(DIR), "exact");
    check_tree("in another folder", &store, linked("/p/.agents/skills/green"), "none");
    check_tree(
        "with other text",
        &store,
        linked(DIR).with("/p/x/SKILL.md", format!("{SKILL}x")),
        "`SKILL.md` has changed",
    );
}

#[test]
fn what_cannot_be_read_is_not_approved() {
    let ground = on(tree(DIR, &["a"]).with(STORE, store("readable", tree(DIR, &["a"]))));
    let mut fs = ground.tree.mem();
    fs.unreadable(&format!("{DIR}/a"));
    let world = World::new(&fs, &ground.places, &());
    let catalog = skilltree::discover(&world, &common::ground::table("agentskills"));
    let tea = catalog.find_any("tea").unwrap();
    let approval = Approvals::read(&fs, &path(STORE)).of(&world, tea);
    let void = "its approval is no longer valid: it cannot be read completely: `/p/.agents/skills/tea/a` may not be read (permission denied)";
    assert_eq!(approval.void().as_deref(), Some(void));
    assert!(approved(&world, &catalog).is_err());
    assert!(Approvals::revoke(&world, tea, &path(STORE)).unwrap().is_some());
}

/// What a change of the store writes: with the tea approved, the store is this text.
fn with_store(text: &str) -> Ground {
    on(tree(DIR, &[]).with(STORE, text))
}

#[test]
fn a_store_keeps_what_it_holds() {
    let text = store("new", tree(DIR, &["a", "b -> a", "c/"]));
    let json = Json::parse(&text).unwrap();
    assert_eq!(json.get("version"), Some(&Json::from(1)));
    let entry = json.get("approved").and_then(|approved| approved.get(&format!("{DIR}/SKILL.md"))).unwrap();
    assert_eq!(entry.get("key").and_then(Json::as_text), Some("tea"));
    let file =
        |name: &str| entry.get("files").and_then(|files| files.get(name)).and_then(Json::as_text).unwrap().to_owned();
    assert_eq!(file("c"), "folder");
    assert_eq!(file("b"), format!("{} -> {DIR}/a", file("a")));

    let held = r#"{"more": [1], "version": 1, "approved": {"/z": {"own": true}, "/a": 7}}"#;
    let (one, two) = with_store(held).of("other entries", "agentskills", |world, catalog| {
        let write = approved(world, catalog).unwrap();
        assert_eq!(write.expected.as_deref(), Some(held.as_bytes()));
        let tea = catalog.find_any("tea").unwrap();
        (String::from_utf8(write.bytes).unwrap(), Approvals::revoke(world, tea, &path(STORE)).unwrap())
    });
    let json = Json::parse(&one).unwrap();
    assert_eq!(json.get("more"), Some(&Json::List(vec![Json::from(1)])));
    let Some(Json::Map(entries)) = json.get("approved") else { panic!("{one}") };
    assert_eq!(
        entries.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["/a", "/p/.agents/skills/tea/SKILL.md", "/z"]
    );
    assert_eq!(two, None, "what is not approved cannot be revoked");

    let gone = on(Tree::default().with(STORE, one.as_str())).ask("gone", |world| {
        let approvals = Approvals::read(world.fs, &path(STORE));
        let [(key, place)] = approvals.all().collect::<Vec<_>>().try_into().expect("one has a key");
        let write = Approvals::revoke_at(world.fs, &place, &path(STORE)).unwrap().unwrap();
        assert_eq!(Approvals::revoke_at(world.fs, &path("/q"), &path(STORE)), Ok(None));
        (key.to_owned(), place.to_string(), String::from_utf8(write.bytes).unwrap())
    });
    assert_eq!((gone.0.as_str(), gone.1), ("tea", format!("{DIR}/SKILL.md")));

    let revoked = on(tree(DIR, &[]).with(STORE, one)).of("revoked", "agentskills", |world, catalog| {
        let write = Approvals::revoke(world, catalog.find_any("tea").unwrap(), &path(STORE)).unwrap().unwrap();
        String::from_utf8(write.bytes).unwrap()
    });
    assert_eq!(revoked, gone.2);
    assert_eq!(
        Json::parse(&revoked),
        Json::parse(&held.replace("\"/z\": {\"own\": true}, \"/a\": 7", "\"/a\": 7, \"/z\": {\"own\": true}"))
    );
}

#[test]
fn a_corrupt_store_approves_nothing_and_stays() {
    let tea = store("fine", tree(DIR, &[]));
    let corrupt = ("store-corrupt", "is corrupt, and has to be fixed or moved away first");
    for (case, text, (expect, said)) in [
        ("no JSON", "{".to_owned(), corrupt),
        ("cut off", tea[..tea.len() - 5].to_owned(), corrupt),
        ("no object", "[]".to_owned(), corrupt),
        ("no approvals", r#"{"version": 1}"#.to_owned(), corrupt),
        ("approvals of another kind", r#"{"version": 1, "approved": []}"#.to_owned(), corrupt),
        ("an earlier version", tea.replace("\"version\": 1", "\"version\": 0"), corrupt),
        ("no number for a version", tea.replace("\"version\": 1", "\"version\": \"2\""), corrupt),
        (
            "a later version",
            tea.replace("\"version\": 1", "\"version\": 2"),
            ("store-newer", "has version 2, newer than 1, and needs a newer version of skilltree"),
        ),
        ("no version", tea.replace("\"version\"", "\"v\""), corrupt),
        ("a byte order mark", format!("\u{feff}{tea}"), corrupt),
        ("two lists", tea.replace("\"approved\"", "\"approved\": {}, \"approved\""), corrupt),
        ("a place twice", tea.replace("\"approved\": {", "\"approved\": {\"/a\": 1, \"/a\": 2,"), corrupt),
    ] {
        let (of, code, revoked) = with_store(&text).of(case, "agentskills", |world, catalog| {
            let skill = catalog.find_any("tea").unwrap();
            let error = approved(world, catalog).unwrap_err();
            let approvals = Approvals::read(world.fs, &path(STORE));
            assert_eq!(approvals.trouble().map(Error::code), Some(error.code()), "{case}");
            assert_eq!(approvals.all().count(), 0, "{case}");
            let of = approvals.of(world, skill);
            (of, error.code(), Approvals::revoke(world, skill, &path(STORE)).unwrap_err().code())
        });
        assert_eq!((code, revoked), (expect, expect), "{case}");
        let said = format!("its approval cannot be read: `{STORE}` {said}");
        assert_eq!(of.void(), Some(said), "{case}");
    }
    for (case, digest) in
        [("no digest", "\"digest\": 7, \"x\""), ("another spelling", "\"digest\": \"SHA256:00\", \"x\"")]
    {
        check_tree(case, &tea.replace("\"digest\"", digest), tree(DIR, &[]), "the contents of its folder have changed");
    }
}

/// What `approve` shows of a tree's skill, if this store is there.
#[track_caller]
fn changes(case: &str, store: Option<&str>, now: Tree) -> (bool, Vec<String>) {
    let now = store.map_or(now.clone(), |store| now.with(STORE, store));
    on(now).of(case, "agentskills", |world, catalog| {
        let tea = catalog.find_any("tea").unwrap();
        let review = Review::of(world, catalog, tea).unwrap();
        let changes = Approvals::read(world.fs, &path(STORE)).changes(world, tea, &review);
        (changes.is_first, changes.all.iter().map(ToString::to_string).collect())
    })
}

#[test]
fn what_is_new_since_the_last_approval() {
    const AFTER: &str = "SKILL.md=---\nname: tea\ndescription: |\n  Makes tea\n  for two.\nallowed-tools: Read Bash(curl *)\n---\n\
                         See https://b.example/x and git@c.example:tea.git.\n";
    let before = tree(DIR, &["a", "b", "scripts/x.sh=curl https://a.example:80/"]);
    let first = ["+ description: Makes tea.", "+ host: a.example", "+ file: SKILL.md", "+ file: a", "+ file: b"];
    let all_files = first.into_iter().chain(["+ file: scripts", "+ file: scripts/x.sh"]).map(str::to_owned).collect();
    assert_eq!(changes("never approved", None, before.clone()), (true, all_files));
    let store = store("before", before.clone());
    assert_eq!(changes("nothing new", Some(&store), before), (false, Vec::new()));
    let expect = [
        "- description: Makes tea.",
        "+ description: Makes tea for two.",
        "+ tool: Bash(curl *)",
        "+ tool: Read",
        "- host: a.example",
        "+ host: b.example",
        "+ host: c.example",
        "- file: b",
        "~ file: SKILL.md",
        "~ file: scripts/x.sh",
        "+ file: c",
    ];
    let after = tree(DIR, &["a", "c", "scripts/x.sh=true", AFTER]);
    let (is_first, all) = changes("everything new", Some(&store), after.clone());
    assert_eq!((is_first, all.iter().map(String::as_str).collect::<Vec<_>>()), (false, expect.to_vec()));
    // A store that was written before these fields were, and one with something else in them.
    let new = ["+ description: Makes tea for two.", "+ tool: Bash(curl *)", "+ tool: Read", "+ host: b.example"];
    for (from, to) in [("\"description\"", "\"d\""), ("\"Makes tea.\"", "7")] {
        let (_, all) = changes("an older store", Some(&store.replace(from, to).replace("hosts", "h")), after.clone());
        assert_eq!(all[..4], new, "{from}");
    }
    let (_, all) = changes("without names", Some(&store.replace("\"files\"", "\"others\"")), after);
    assert!(!all.iter().any(|line| line.contains("file: ")), "{all:?}");
}

#[test]
fn what_a_reader_does_not_see_is_in_the_review() {
    let hidden = "SKILL.md=---\nname: tea\ndescription: d\n---\nBoil\u{200b} it.\n";
    // Large files are looked at as a whole, too.
    let large =
        format!("large.txt={}https://b.example/\n{}https://c.example", "x".repeat(1_048_570), "y\n".repeat(600_000));
    let files = [hidden, "scripts/x.py=print(1)", "tool.bin=\u{7f}ELF\0https://a.example/", &large];
    let codes = on(tree(DIR, &files)).of("facts", "agentskills", |world, catalog| {
        let review = Review::of(world, catalog, catalog.find_any("tea").unwrap()).unwrap();
        assert_eq!(
            review.hosts,
            ["a.example", "b.example", "c.example"],
            "no file is left out as binary, as a shell runs whatever bytes are in it"
        );
        briefs(&review.facts)
    });
    let at = |file: &str| format!("{DIR}/{file}");
    let expect =
        [format!("warning hidden-characters {}:5:5", at("SKILL.md")), format!("note compiled-file {}", at("tool.bin"))];
    assert_eq!(codes, expect);
}

#[test]
fn what_a_grant_says_of_a_void_approval() {
    struct Doubting;
    impl skilltree::Host for Doubting {
        fn trusts(&self, _: &skilltree::Skill) -> skilltree::Trust {
            skilltree::Trust::No(Some("its approval is no longer valid: `a` is new".to_owned()))
        }
    }
    let ground =
        on(Tree::default()
            .with(&format!("{DIR}/SKILL.md"), SKILL.replace("---\nBoil", "allowed-tools: Read\n---\nBoil")));
    let fs = ground.tree.mem();
    let world = World::new(&fs, &ground.places, &Doubting);
    let catalog = skilltree::discover(&world, &common::ground::table("agentskills"));
    let ask = skilltree::LoadRequest::new(skilltree::Caller::Model);
    let loaded = skilltree::load(&world, &catalog, catalog.find_any("tea").unwrap(), &ask).unwrap();
    assert_eq!(briefs(&loaded.findings), ["warning untrusted-grant /p/.agents/skills/tea/SKILL.md"]);
    assert!(loaded.findings[0].message.ends_with("is not granted `Read`; its approval is no longer valid: `a` is new"));
    assert!(loaded.findings[0].help.as_deref().unwrap().contains("approve it"));
}
