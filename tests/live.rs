//! Refreshing: what is listed and read again, in memory; and on the disk, that nothing goes unseen.

use crate::common;

use common::ground::{ground, skill, table};
use pretty_assertions::assert_eq;
use skilltree::fs::FsCall;
use skilltree::{Catalog, IncrementalDiscovery, MemFs, World, discover};

/// What a catalog says, in lines.
fn told(catalog: &Catalog) -> Vec<String> {
    let skills = catalog
        .skills()
        .iter()
        .map(|skill| format!("{} {} {:?} {:?}", skill.key, skill.path, skill.target, skill.frontmatter.description));
    skills.chain(catalog.findings().iter().map(|finding| format!("{finding:?}"))).collect()
}

#[track_caller]
fn check(case: &str, change: impl FnOnce(&mut MemFs), lists: usize, reads: usize) {
    let ground = ground(&format!(
        "//- /p/.sven/skills/a/SKILL.md\n{a}\n//- /p/.sven/skills/a/notes.md\ntext\n//- /p/.sven/skills/b/c/SKILL.md\n{c}\n\
         //- /e/SKILL.md\n{e}\n//- /p/.sven/skills/link link=/e\n",
        a = skill("description: A.", "A"),
        c = skill("description: C.", "C"),
        e = skill("description: E.", "E"),
    ));
    let mut ground = ground;
    // The link leads to a folder that the user keeps elsewhere.
    ground.places.follow_links_out = true;
    let mut fs = ground.tree.mem();
    let mut live = IncrementalDiscovery::new(table("sven"));
    let first = live.refresh(&World::new(&fs, &ground.places, &ground.host));
    assert_eq!(first.skills().len(), 3, "{case}");
    change(&mut fs);
    fs.reset();
    let world = World::new(&fs, &ground.places, &ground.host);
    let refreshed = live.refresh(&world);
    let asked = (fs.calls(FsCall::List), fs.calls(FsCall::Read));
    assert_eq!(told(&refreshed), told(&discover(&world, &table("sven"))), "{case}");
    assert_eq!(asked, (lists, reads), "{case}: lists and reads");
    live.forget();
    fs.reset();
    assert_eq!(told(&live.refresh(&world)), told(&refreshed), "{case}: forgotten");
    assert!(fs.calls(FsCall::List) > 3 && fs.calls(FsCall::Read) > 1, "{case}: everything is read again");
}

#[test]
fn only_what_has_changed_is_read() {
    let text = |words: &str| skill(words, "B");
    // In memory a written file is a new one, so its folder has changed too.
    check("nothing", |_| {}, 0, 0);
    check(
        "a body",
        |fs| {
            fs.file("/p/.sven/skills/a/SKILL.md", skill("description: A.", "B"));
        },
        1,
        1,
    );
    check(
        "a file beside",
        |fs| {
            fs.file("/p/.sven/skills/a/notes.md", "more");
        },
        1,
        0,
    );
    check(
        "a new skill",
        |fs| {
            fs.file("/p/.sven/skills/d/SKILL.md", text("description: D."));
        },
        2,
        1,
    );
    check(
        "one less",
        |fs| {
            fs.remove("/p/.sven/skills/a/SKILL.md");
        },
        1,
        0,
    );
    check(
        "behind a link",
        |fs| {
            fs.file("/e/SKILL.md", text("description: Other."));
        },
        1,
        1,
    );
    check(
        "a link to nothing now",
        |fs| {
            fs.remove("/e");
        },
        0,
        0,
    );
    check(
        "a link elsewhere",
        |fs| {
            fs.link("/p/.sven/skills/link", "/p/.sven/skills/b");
        },
        1,
        0,
    );
}

/// Every change that a stamp has to tell, on a disk whose clock has gone on since.
#[cfg(unix)]
#[test]
fn on_the_disk_nothing_goes_unseen() {
    use std::fs;
    let names = ["kept", "edited", "touched", "gone", "moved", "file", "linked", "retargeted", "forbidden", "cased"];
    let mut text = String::new();
    for name in names {
        text.push_str(&format!(
            "//- /p/.sven/skills/{name}/SKILL.md\n{}\n",
            skill(&format!("description: {name}."), "A")
        ));
    }
    text.push_str("//- /p/.sven/skills/to link=../../one\n//- /p/one/x/SKILL.md\n---\ndescription: One.\n---\n");
    text.push_str("//- /p/two/x/SKILL.md\n---\ndescription: Two.\n---\n");
    let ground = ground(&text);
    let (disk, folder) = ground.tree.disk();
    let world = World::new(&disk, &ground.places, &ground.host);
    let folders = names.map(|name| format!("/p/.sven/skills/{name}"));
    let files = folders.each_ref().map(|folder| format!("{folder}/SKILL.md"));
    let more = ["/p/.sven/skills", "/p/one/x/SKILL.md", "/p/two/x/SKILL.md", "/p/one", "/p/two", "/p"];
    crate::common::living::settled(&disk, folders.iter().chain(&files).map(String::as_str).chain(more));
    let mut live = IncrementalDiscovery::new(table("sven"));
    assert_eq!(told(&live.refresh(&world)), told(&discover(&world, &table("sven"))), "the first");
    assert_eq!(told(&live.refresh(&world)), told(&discover(&world, &table("sven"))), "nothing changed");
    let at = |name: &str| folder.path().join("p/.sven/skills").join(name);
    let old = fs::metadata(at("edited/SKILL.md")).and_then(|frontmatter| frontmatter.modified()).unwrap();
    let edited = fs::read_to_string(at("edited/SKILL.md")).unwrap().replace("edited.", "EDITED.");
    let changes: &[(&str, &dyn Fn())] = &[
        ("as many bytes, with the old time", &|| {
            fs::write(at("edited/SKILL.md"), &edited).unwrap();
            fs::File::options().write(true).open(at("edited/SKILL.md")).unwrap().set_modified(old).unwrap();
        }),
        ("a skill gone", &|| fs::remove_dir_all(at("gone")).unwrap()),
        ("a folder moved", &|| fs::rename(at("moved"), at("elsewhere")).unwrap()),
        ("a folder that is a file now", &|| {
            fs::remove_dir_all(at("file")).unwrap();
            fs::write(at("file"), "text").unwrap();
        }),
        ("a folder that is a link now", &|| {
            fs::rename(at("linked"), folder.path().join("p/three")).unwrap();
            std::os::unix::fs::symlink("../../three", at("linked")).unwrap();
        }),
        ("a link that leads elsewhere", &|| {
            fs::remove_file(at("to")).unwrap();
            std::os::unix::fs::symlink("../../two", at("to")).unwrap();
        }),
        ("what the link leads to is gone", &|| fs::remove_dir_all(folder.path().join("p/two")).unwrap()),
        ("what the link leads to is a file", &|| fs::write(folder.path().join("p/two"), "text").unwrap()),
        ("what the link leads to is a folder again", &|| {
            fs::remove_file(folder.path().join("p/two")).unwrap();
            fs::rename(folder.path().join("p/one"), folder.path().join("p/two")).unwrap();
        }),
        ("another letter case", &|| fs::rename(at("cased/SKILL.md"), at("cased/skill.md")).unwrap()),
        ("a new skill", &|| {
            fs::create_dir(at("new")).unwrap();
            fs::write(at("new/SKILL.md"), "---\ndescription: New.\n---\n").unwrap();
        }),
    ];
    let mut before = told(&discover(&world, &table("sven")));
    for (case, change) in changes {
        change();
        let fresh = told(&discover(&world, &table("sven")));
        assert_ne!(fresh, before, "{case}: it can be seen");
        assert_eq!(told(&live.refresh(&world)), fresh, "{case}");
        before = fresh;
    }
}
