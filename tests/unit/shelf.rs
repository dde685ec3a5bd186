//! The skills as resources, look after look: what is listed and read again, and whether it is the very same.

use super::ResourceCache;
use skilltree::fs::FsCall;
use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
use std::sync::Arc;

fn skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}.\n---\nBody.\n")
}

fn places() -> Places {
    Places { roots: vec![FsPath::new("/s").expect("a path")], ..Places::default() }
}

/// A look at what there is: the cache as it is then, and how many folders were listed and files read for it.
fn metadata(fs: &MemFs, cache: Option<&Arc<ResourceCache>>) -> (Arc<ResourceCache>, usize, usize) {
    let places = places();
    let world = World::new(fs, &places, &());
    let catalog = discover(&world, &dialect("agentskills").expect("a dialect"));
    fs.reset();
    let now = match cache {
        None => Arc::new(ResourceCache::new(&world, &catalog)),
        // What the catalog has found is not the cache's affair.
        Some(cache) => cache.updated(&world, &catalog, true),
    };
    (now, fs.calls(FsCall::List), fs.calls(FsCall::Read))
}

#[track_caller]
fn check(case: &str, change: impl FnOnce(&mut MemFs), is_listed: bool, expect: (bool, bool, bool)) {
    let mut fs = MemFs::new();
    fs.file("/s/tea/SKILL.md", skill("tea"))
        .file("/s/tea/references/a.md", "A")
        .file("/s/milk/SKILL.md", skill("milk"));
    let (first, ..) = metadata(&fs, None);
    if is_listed {
        let places = places();
        let (skills, findings) = first.skills(&World::new(&fs, &places, &()), None).expect("a page");
        assert_eq!((skills.skills.len(), findings.len()), (2, 0), "{case}");
    }
    change(&mut fs);
    let (now, lists, reads) = metadata(&fs, Some(&first));
    assert_eq!((lists == 0, reads == 0, Arc::ptr_eq(&now, &first)), expect, "{case}: {lists} lists, {reads} reads");
    let (again, lists, reads) = metadata(&fs, Some(&now));
    assert_eq!((lists, reads, Arc::ptr_eq(&again, &now)), (0, 0, true), "{case}: and then nothing");
}

#[test]
fn only_what_has_changed_is_looked_at() {
    check("nothing", |_| {}, false, (true, true, true));
    check("nothing, listed", |_| {}, true, (true, true, true));
    let reference = |fs: &mut MemFs| {
        fs.file("/s/tea/references/a.md", "More.");
    };
    check("a file that nobody was told of", reference, false, (true, true, true));
    check("a file that was listed", reference, true, (false, false, false));
    let more = |fs: &mut MemFs| {
        fs.file("/s/tea/references/b.md", "B");
    };
    check("a new file beside it", more, true, (false, false, false));
    let body = |fs: &mut MemFs| {
        fs.file("/s/tea/SKILL.md", format!("{}More.\n", skill("tea")));
    };
    check("a SKILL.md", body, false, (false, false, false));
}

/// The client has the list of a skill that is gone for a while, so other bytes are a change when it comes back.
#[test]
fn what_comes_back_is_what_was_listed_or_has_changed() {
    let place = places();
    let mut fs = MemFs::new();
    let tree = |fs: &mut MemFs, text: &str| {
        fs.file("/s/tea/SKILL.md", skill("tea")).file("/s/tea/a.md", text).file("/s/milk/SKILL.md", skill("milk"));
    };
    tree(&mut fs, "A");
    let (first, ..) = metadata(&fs, None);
    first.skills(&World::new(&fs, &place, &()), None).expect("a page");
    let address = "skill://root/tea/a.md";
    for (text, is_same) in [("A", true), ("B", false)] {
        fs.remove("/s/tea");
        let (gone, ..) = metadata(&fs, Some(&first));
        assert!(gone.read(&World::new(&fs, &place, &()), address).is_err());
        tree(&mut fs, text);
        let (back, ..) = metadata(&fs, Some(&gone));
        let world = World::new(&fs, &place, &());
        assert_eq!(back.read(&world, address).is_ok(), is_same, "{text}");
        back.skills(&world, None).expect("a page");
        assert!(back.read(&world, address).is_ok(), "{text}: listed again");
    }
}
