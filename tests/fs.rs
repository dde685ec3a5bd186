//! The contract of `Fs`: one suite over one tree, the same answers from memory, from the disk and from the defaults.

use pretty_assertions::assert_eq;
use skilltree::{Act, Call, Entry, Fs, FsError, FsPath, Head, Kind, Look, MemFs, Outcome, Step, Visit, Walk};

/// What the tree of the suite holds: path, and what is there.
const TREE: &[(&str, Item)] = &[
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
enum Item {
    File(&'static str),
    Long(usize),
    Dir,
    Link(&'static str),
    Fifo,
    Closed,
}

fn in_memory() -> MemFs {
    let mut fs = MemFs::new();
    for (path, item) in TREE {
        match *item {
            Item::File(text) => fs.file(path, text),
            Item::Long(len) => fs.sparse(path, len as u64),
            Item::Dir => fs.dir(path),
            Item::Link(target) => fs.link(path, target),
            Item::Fifo => fs.other(path),
            Item::Closed => fs.unreadable(path),
        };
    }
    fs
}

/// Lists, reads and resolves like another file system; the rest is the trait's defaults.
struct Defaults<'a>(&'a dyn Fs);

impl Fs for Defaults<'_> {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.0.list(dir)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<Head, FsError> {
        self.0.read(file, at_most)
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        self.0.canonical(path)
    }
}

fn path(text: &str) -> FsPath {
    FsPath::new(text).unwrap()
}

fn shown(entry: &Entry) -> String {
    let link = if entry.link { " link" } else { "" };
    let lossy = if entry.lossy { " lossy" } else { "" };
    format!("{} {:?}{link}{lossy}", entry.name.escape_debug(), entry.kind)
}

fn head_shown(head: &Result<Head, FsError>) -> String {
    match head {
        Ok(head) => format!("{:?} of {}", String::from_utf8_lossy(&head.bytes), head.len),
        Err(error) => error.to_string(),
    }
}

struct Suite<'a> {
    name: &'a str,
    fs: &'a dyn Fs,
}

impl Suite<'_> {
    #[track_caller]
    fn list(&self, case: &str, dir: &str, expect: &str) {
        let got = match self.fs.list(&path(dir)) {
            Ok(entries) => entries.iter().map(shown).collect::<Vec<_>>().join(", "),
            Err(error) => error.to_string(),
        };
        assert_eq!(got, expect, "{}: {case}", self.name);
    }

    #[track_caller]
    fn read(&self, case: &str, file: &str, at_most: u64, expect: &str) {
        assert_eq!(head_shown(&self.fs.read(&path(file), at_most)), expect, "{}: {case}", self.name);
    }

    #[track_caller]
    fn look(&self, case: &str, at: &str, expect: Option<(Kind, bool, u64)>) {
        let got = self.fs.look(&path(at)).unwrap();
        let got = got.map(|Look { kind, link, len, .. }| (kind, link, len));
        assert_eq!(got, expect, "{}: {case}", self.name);
    }

    #[track_caller]
    fn canonical(&self, case: &str, at: &str, expect: &str) {
        let got = self.fs.canonical(&path(at)).map_or_else(|error| error.to_string(), |real| real.to_string());
        assert_eq!(got, expect, "{}: {case}", self.name);
    }

    #[track_caller]
    fn within(&self, case: &str, root: &str, rel: &str, expect: &str) {
        assert_eq!(head_shown(&self.fs.read_within(&path(root), rel, 64)), expect, "{}: {case}", self.name);
    }

    #[track_caller]
    fn walk(&self, case: &str, root: &str, max_dirs: usize, expect: &[&str]) {
        assert_eq!(walked(self.fs, root, max_dirs), expect, "{}: {case}", self.name);
    }
}

/// Enters all, reads every SKILL.md, notes links and what is neither file nor folder. Visits sorted by path.
fn walked(fs: &dyn Fs, root: &str, max_dirs: usize) -> Vec<String> {
    let step = |_: &FsPath, _: usize, entries: &[Entry]| -> Vec<Step> {
        let act = |entry: &Entry| match entry.kind {
            _ if entry.name == "SKILL.md" && entry.kind != Kind::Dir => Some(Act::Read),
            Kind::Dir => Some(Act::Enter),
            Kind::File if !entry.link && !entry.lossy => None,
            _ => Some(Act::Note),
        };
        entries.iter().enumerate().filter_map(|(entry, at)| Some(Step { entry, act: act(at)? })).collect()
    };
    let mut visits: Vec<Visit> = Vec::new();
    let root = path(root);
    fs.walk(&Walk { root: &root, step: &step, head: 3, max_dirs }, &mut |visit| visits.push(visit));
    visits.sort_by(|a, b| a.dir.cmp(&b.dir));
    visits.iter().map(visit_shown).collect()
}

fn visit_shown(visit: &Visit) -> String {
    let outcome = match &visit.outcome {
        Outcome::Cut => "cut".to_owned(),
        Outcome::Failed(error) => error.to_string(),
        Outcome::Listed(noted) => {
            let noted = noted.iter().map(|noted| match &noted.head {
                None => shown(&noted.entry),
                Some(head) => format!("{} = {}", shown(&noted.entry), head_shown(head)),
            });
            noted.collect::<Vec<_>>().join(", ")
        }
    };
    format!("{} {}: {outcome}", visit.depth, visit.dir)
}

fn contract(name: &str, fs: &dyn Fs) {
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

#[test]
fn memory_keeps_the_contract() {
    contract("memory", &in_memory());
}

#[test]
fn the_defaults_keep_the_contract() {
    contract("defaults", &Defaults(&in_memory()));
}

#[test]
fn spelled_paths_are_parsed_by_text() {
    let fs = MemFs::new();
    let check = |case: &str, text: &str, expect: Option<&str>| {
        assert_eq!(fs.parse(text, &path("/home/me")), expect.map(path), "{case}");
    };
    check("absolute", "/a//b/../c", Some("/a/c"));
    check("relative", "skills/./x", Some("/home/me/skills/x"));
    check("up", "../you", Some("/home/you"));
    check("up to the root", "../..", Some("/"));
    check("above the root", "../../../x", None);
    check("nothing", "", None);
    check("a NUL", "a\0b", None);
    assert_eq!(fs.spell(&path("/a b/ü")), "/a b/ü");
}

#[test]
fn a_walk_takes_odd_steps() {
    let mut fs = MemFs::new();
    fs.file("/f", "x").dir("/d/e").lossy("/", "d\u{FFFD}");
    let steps = [(0, Act::Enter), (0, Act::Enter), (1, Act::Read), (2, Act::Enter), (9, Act::Read), (2, Act::Note)];
    let step = |_: &FsPath, depth: usize, _: &[Entry]| match depth {
        0 => steps.iter().map(|(entry, act)| Step { entry: *entry, act: *act }).collect(),
        _ => Vec::new(),
    };
    let mut got = Vec::new();
    let ask = Walk { root: &FsPath::root(), step: &step, head: 1, max_dirs: 9 };
    fs.walk(&ask, &mut |visit| got.push(visit_shown(&visit)));
    let expect = ["0 /: d\u{FFFD} File lossy, f File, f File", "1 /d: "];
    assert_eq!(got, expect, "entered once, a lossy name not read, a file not entered, no such entry passed over");
}

#[test]
fn memory_can_be_edited_and_told_to_fail() {
    let mut fs: MemFs = [("/a/b", "1"), ("c", "2")].into_iter().collect();
    let (a, b) = (path("/a"), path("/a/b"));
    let before = fs.read(&b, 9).unwrap().stamp;
    assert_eq!(fs.read(&b, 9).unwrap().stamp, before, "a stamp stays while nothing is edited");
    fs.file("/a/b", "1");
    assert!(fs.read(&b, 9).unwrap().stamp != before, "an edit gives another stamp");
    let folder = fs.look(&a).unwrap();
    fs.remove("/a/b");
    assert_eq!(fs.read(&b, 9), Err(FsError::NotFound(b.clone())));
    assert!(fs.look(&a).unwrap() != folder, "a folder's stamp says that an entry has gone");
    fs.file("/a", "a file now").file("/a/b", "a folder again").file("/", "the root stays").remove("/").remove("/x/y");
    assert_eq!(head_shown(&fs.read(&b, 9)), "\"a folder \" of 14");

    fs.pending("/a").fault(Call::Read, "/a/b", FsError::Denied(b.clone()));
    assert_eq!(fs.list(&a), Err(FsError::Pending(a.clone())));
    assert_eq!(fs.look(&a), Err(FsError::Pending(a.clone())));
    assert_eq!(fs.read(&b, 9), Err(FsError::Denied(b.clone())));
    assert_eq!(walked(&fs, "/", 9), ["0 /: ", "1 /a: `/a` is not here yet"]);
    assert!(fs.mend("/a").mend("/a/b").read(&b, 9).is_ok());

    fs.reset();
    let copy = fs.clone();
    assert!(fs.list(&a).is_ok() && fs.list(&b).is_err());
    assert_eq!([Call::List, Call::Read, Call::Look, Call::Canonical].map(|call| fs.calls(call)), [2, 0, 0, 0]);
    assert_eq!(copy.calls(Call::List), 0, "a copy counts by itself");
}

#[test]
fn memory_is_deep_and_large_without_trouble() {
    let mut fs = MemFs::new();
    let deep = "/d".repeat(20_000);
    fs.file(&deep, "x").sparse("/big", u64::MAX);
    assert_eq!(head_shown(&fs.read(&path(&deep), 9)), "\"x\" of 1");
    let head = fs.read(&path("/big"), 4).unwrap();
    assert_eq!((head.bytes.len(), head.len), (4, u64::MAX));
    assert!(matches!(fs.read(&path("/big"), u64::MAX), Err(FsError::Other { .. })));
    for hop in 0..41 {
        fs.link(&format!("/hop{hop}"), &format!("hop{}", hop + 1));
    }
    fs.file("/hop41", "end");
    assert!(fs.read(&path("/hop1"), 9).is_ok(), "40 links are followed");
    assert_eq!(fs.read(&path("/hop0"), 9), Err(FsError::LinkLoop(path("/hop0"))), "41 are not");
}

#[cfg(all(unix, feature = "os"))]
#[path = "fs/disk.rs"]
mod disk;
