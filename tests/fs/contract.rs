//! The tree of the suite, and what every file system is to answer about it.

use super::{Suite, path, walked};
use pretty_assertions::assert_eq;
use skilltree::{Fs, Kind};

/// What the tree of the suite holds: path, and what is there.
pub(crate) const TREE: &[(&str, Item)] = &[
    ("/a/SKILL.md", Item::File("---\nname: a\n---\n")),
    ("/a/empty.md", Item::File("")),
    ("/a/deep/er/SKILL.md", Item::File("deep")),
    ("/a/void", Item::Dir),
    ("/b/SKILL.md", Item::Fifo),
    ("/b/long.txt", Item::Long(300_000)),
    ("/c/SKILL.md", Item::Dir),
    ("/d/SKILL.md", Item::Link("nowhere")),
    ("/e/SKILL.md", Item::Link("../a/SKILL.md")),
    ("/links/chain", Item::Link("dir")),
    ("/links/dir", Item::Link("../a/deep")),
    ("/links/file", Item::Link("../a/SKILL.md")),
    ("/links/dangling", Item::Link("../nowhere/at/all")),
    ("/links/cycle", Item::Link("elcyc")),
    ("/links/elcyc", Item::Link("cycle")),
    ("/links/up", Item::Link("..")),
    ("/links/through-file", Item::Link("../a/SKILL.md/x")),
    ("/links/absolute", Item::Link("/a/void")),
    ("/links/above-root", Item::Link("/../../a")),
    ("/names/new\nline", Item::File("1")),
    ("/names/quo\"te'", Item::File("2")),
    ("/names/Z", Item::File("3")),
    ("/names/é", Item::File("4")),
    ("/names/🦀", Item::File("5")),
    ("/names/ lead", Item::File("6")),
    ("/names/back\\slash", Item::File("7")),
    ("/skill/SKILL.md", Item::File("own")),
    ("/skill/in", Item::Link("refs/real.md")),
    ("/skill/in-dir", Item::Link("refs")),
    ("/skill/in-absolute", Item::Link("/skill/refs/real.md")),
    ("/skill/out", Item::Link("../secret/key")),
    ("/skill/out-dir", Item::Link("../secret")),
    ("/skill/out-and-in", Item::Link("../skill/SKILL.md")),
    ("/skill/refs/real.md", Item::File("real")),
    ("/skillful/key", Item::File("neighbour")),
    ("/secret/key", Item::File("secret")),
    ("/alias", Item::Link("skill")),
    ("/shut/dir/SKILL.md", Item::File("hidden")),
    ("/shut/dir", Item::Closed),
    ("/shut/file", Item::File("hidden")),
    ("/shut/file", Item::Closed),
];

#[derive(Clone, Copy)]
pub(crate) enum Item {
    File(&'static str),
    Long(usize),
    Dir,
    Link(&'static str),
    Fifo,
    Closed,
}

pub(crate) fn contract(name: &str, fs: &dyn Fs) {
    let suite = Suite { name, fs };
    lists(&suite);
    reads(&suite);
    looks(&suite);
    resolves(&suite);
    confines(&suite);
    walks(&suite);
    // The superuser may read everything: nothing is shut then.
    if fs.read(&path("/shut/file"), 1).is_err() {
        keeps_shut(&suite);
    }
}

fn lists(suite: &Suite<'_>) {
    suite.list("sorted, with kinds", "/a", "SKILL.md File, deep Dir, empty.md File, void Dir");
    suite.list("an empty folder", "/a/void", "");
    suite.list("a FIFO", "/b", "SKILL.md Other, long.txt File");
    let names = r#" lead File, Z File, back\\slash File, new\nline File, quo\"te\' File, é File, 🦀 File"#;
    suite.list("names in byte order (decisions 13)", "/names", names);
    suite.list(
        "links, with what they lead to (decisions 10)",
        "/links",
        "above-root Dir link, absolute Dir link, chain Dir link, cycle Missing link, dangling Missing link, dir Dir link, \
         elcyc Missing link, file File link, through-file Missing link, up Dir link",
    );
    suite.list("through a chain of links", "/links/chain/er", "SKILL.md File");
    suite.list("a file", "/a/SKILL.md", "`/a/SKILL.md` is not a directory");
    suite.list("below a file", "/a/SKILL.md/x", "`/a/SKILL.md/x` is not a directory");
    suite.list("nothing", "/nowhere", "`/nowhere` does not exist");
    suite.list("a dangling link", "/links/dangling", "`/links/dangling` does not exist");
    suite.list("a circle of links", "/links/cycle", "the links at `/links/cycle` lead round in a circle");
}

fn reads(suite: &Suite<'_>) {
    suite.read("the whole", "/a/SKILL.md", 100, r#""---\nname: a\n---\n" of 16"#);
    suite.read("exactly", "/a/SKILL.md", 16, r#""---\nname: a\n---\n" of 16"#);
    suite.read("a head", "/a/SKILL.md", 3, r#""---" of 16"#);
    suite.read("nothing of it", "/a/SKILL.md", 0, r#""" of 16"#);
    suite.read("an empty file", "/a/empty.md", 10, r#""" of 0"#);
    suite.read("a head of a long file", "/b/long.txt", 2, r#""\0\0" of 300000"#);
    suite.read("through links", "/links/chain/er/SKILL.md", 9, r#""deep" of 4"#);
    suite.read("an odd name", "/names/new\nline", 9, r#""1" of 1"#);
    suite.read("a folder (decisions 11)", "/c/SKILL.md", 9, "`/c/SKILL.md` is not a regular file");
    suite.read("a FIFO does not block (decisions 11)", "/b/SKILL.md", 9, "`/b/SKILL.md` is not a regular file");
    suite.read("a dangling link", "/d/SKILL.md", 9, "`/d/SKILL.md` does not exist");
    suite.read("a circle", "/links/cycle", 9, "the links at `/links/cycle` lead round in a circle");
    suite.read("nothing", "/a/none", 9, "`/a/none` does not exist");
    suite.read("below a file", "/a/SKILL.md/x", 9, "`/a/SKILL.md/x` is not a directory");
    for at_most in [262_143, 262_144, 262_145, 300_000, u64::MAX] {
        let head = suite.fs.read(&path("/b/long.txt"), at_most).unwrap();
        assert_eq!((head.bytes.len() as u64, head.len), (at_most.min(300_000), 300_000), "{}", suite.name);
    }
}

fn looks(suite: &Suite<'_>) {
    suite.look("the root", "/", Some((Kind::Dir, false, 0)));
    suite.look("a file", "/a/SKILL.md", Some((Kind::File, false, 16)));
    suite.look("a folder has no length", "/a", Some((Kind::Dir, false, 0)));
    suite.look("a FIFO", "/b/SKILL.md", Some((Kind::Other, false, 0)));
    suite.look("a link to a file", "/links/file", Some((Kind::File, true, 16)));
    suite.look("a link to a folder", "/links/chain", Some((Kind::Dir, true, 0)));
    suite.look("a dangling link", "/links/dangling", Some((Kind::Missing, true, 0)));
    suite.look("a circle", "/links/cycle", Some((Kind::Missing, true, 0)));
    suite.look("nothing", "/nowhere", None);
    suite.look("below nothing", "/nowhere/x", None);
    suite.look("below a file", "/a/SKILL.md/x", None);
    suite.look("below a dangling link", "/links/dangling/x", None);
    suite.look("a name longer than any", &format!("/{}", "n".repeat(5_000)), None);
}

fn resolves(suite: &Suite<'_>) {
    suite.canonical("the root", "/", "/");
    suite.canonical("a chain of links", "/links/chain/er", "/a/deep/er");
    suite.canonical("a link to an ancestor", "/links/up/links/up", "/");
    suite.canonical("an absolute link", "/links/absolute", "/a/void");
    suite.canonical("a dangling link", "/links/dangling", "`/links/dangling` does not exist");
    suite.canonical("a circle", "/links/cycle", "the links at `/links/cycle` lead round in a circle");
    suite.canonical("a link through a file", "/links/through-file", "`/links/through-file` is not a directory");
    suite.canonical("nothing", "/nowhere", "`/nowhere` does not exist");
}

fn confines(suite: &Suite<'_>) {
    suite.within("a file", "/skill", "SKILL.md", r#""own" of 3"#);
    suite.within("a file further down", "/skill", "refs/real.md", r#""real" of 4"#);
    suite.within("`..` inside", "/skill", "refs/../SKILL.md", r#""own" of 3"#);
    suite.within("through a root that is a link", "/alias", "refs/real.md", r#""real" of 4"#);
    suite.within("a link below a root that is a link", "/alias", "in", r#""real" of 4"#);
    suite.within("a link that stays inside (decisions 29)", "/skill", "in", r#""real" of 4"#);
    suite.within("a folder's link that stays inside", "/skill", "in-dir/real.md", r#""real" of 4"#);
    suite.within("an absolute link that stays inside", "/skill", "in-absolute", r#""real" of 4"#);
    suite.within("a link that goes out and comes back", "/skill", "out-and-in", r#""own" of 3"#);
    suite.within("a link that leads out (decisions 29)", "/skill", "out", "`/skill/out` leads outside its folder");
    suite.within(
        "a folder's link that leads out",
        "/skill",
        "out-dir/key",
        "`/skill/out-dir/key` leads outside its folder",
    );
    suite.within("climbing", "/skill", "../secret/key", "`/secret/key` leads outside its folder");
    suite.within("climbing later", "/skill", "refs/../../secret/key", "`/secret/key` leads outside its folder");
    suite.within("climbing to a like name", "/skill", "../skillful/key", "`/skillful/key` leads outside its folder");
    suite.within("climbing above the root", "/skill", "../../x", "`/skill` leads outside its folder");
    suite.within("an absolute name", "/skill", "/secret/key", "`/secret/key` leads outside its folder");
    suite.within(
        "an absolute name of one inside",
        "/skill",
        "/skill/SKILL.md",
        "`/skill/SKILL.md` leads outside its folder",
    );
    suite.within("a NUL", "/skill", "a\0b", "`/skill` leads outside its folder");
    suite.within("the folder itself", "/skill", "", "`/skill` is not a regular file");
    suite.within("a folder", "/skill", "refs", "`/skill/refs` is not a regular file");
    suite.within("a FIFO", "/b", "SKILL.md", "`/b/SKILL.md` is not a regular file");
    suite.within("nothing", "/skill", "none", "`/skill/none` does not exist");
    suite.within("below a file", "/skill", "SKILL.md/x", "`/skill/SKILL.md/x` is not a directory");
    suite.within("a root that is not there", "/nowhere", "x", "`/nowhere/x` does not exist");
    suite.within("a circle", "/links", "cycle", "the links at `/links/cycle` lead round in a circle");
    suite.within("all in all", "/", "links/chain/er/SKILL.md", r#""deep" of 4"#);
}

fn walks(suite: &Suite<'_>) {
    let a = [
        "0 /a: SKILL.md File = \"---\" of 16",
        "1 /a/deep: ",
        "2 /a/deep/er: SKILL.md File = \"dee\" of 4",
        "1 /a/void: ",
    ];
    suite.walk("a tree", "/a", 100, &a);
    suite.walk("exactly at the bound", "/a", 4, &a);
    suite.walk(
        "a level that passes the bound (decisions 9)",
        "/a",
        2,
        &[a[0], a[1], "2 /a/deep/er: cut", "1 /a/void: cut"],
    );
    suite.walk("a level that fits, the next not", "/a", 3, &[a[0], a[1], "2 /a/deep/er: cut", a[3]]);
    suite.walk("the first level does not fit", "/a", 1, &[a[0], "1 /a/deep: cut", "1 /a/void: cut"]);
    suite.walk("no directory at all", "/a", 0, &["0 /a: cut"]);
    suite.walk("a FIFO", "/b", 9, &["0 /b: SKILL.md Other = `/b/SKILL.md` is not a regular file"]);
    suite.walk("a dangling link", "/d", 9, &["0 /d: SKILL.md Missing link = `/d/SKILL.md` does not exist"]);
    suite.walk("a link to a file", "/e", 9, &["0 /e: SKILL.md File link = \"---\" of 16"]);
    suite.walk(
        "a root that is a link",
        "/links/dir",
        9,
        &["0 /links/dir: ", "1 /links/dir/er: SKILL.md File = \"dee\" of 4"],
    );
    suite.walk(
        "links are handed out, not entered",
        "/links",
        9,
        &["0 /links: above-root Dir link, absolute Dir link, chain Dir link, cycle Missing link, dangling Missing link, \
           dir Dir link, elcyc Missing link, file File link, through-file Missing link, up Dir link"],
    );
    suite.walk("nothing", "/nowhere", 9, &["0 /nowhere: `/nowhere` does not exist"]);
    suite.walk("a file", "/a/SKILL.md", 9, &["0 /a/SKILL.md: `/a/SKILL.md` is not a directory"]);
    assert_eq!(walked(suite.fs, "/", 1_000).len(), 18, "{}: every folder once", suite.name);
}

fn keeps_shut(suite: &Suite<'_>) {
    suite.list("entries are seen", "/shut", "dir Dir, file File");
    suite.list("a folder", "/shut/dir", "`/shut/dir` may not be read (permission denied)");
    suite.read("a file", "/shut/file", 9, "`/shut/file` may not be read (permission denied)");
    suite.read(
        "a file in a folder",
        "/shut/dir/SKILL.md",
        9,
        "`/shut/dir/SKILL.md` may not be read (permission denied)",
    );
    suite.walk("a walk", "/shut", 9, &["0 /shut: ", "1 /shut/dir: `/shut/dir` may not be read (permission denied)"]);
}
