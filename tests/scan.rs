//! Scanning: topic 3 of the rules, and the sources of `agentskills` and `sven`. Every case is asked in memory and on
//! the disk.

use crate::common;
#[path = "scan/sources.rs"]
mod sources;

use common::ground::{Ground, briefs, changed, ground, table, told};
use common::path;
use pretty_assertions::assert_eq;
use skilltree::fs::{Entry, FilePrefix, Metadata, Visit, VisitOutcome, Walk};
use skilltree::{Fs, FsError, FsPath, MemFs, Places, World, discover};
use std::fmt::Write as _;

/// A tree in short: `NAME` is a skill's folder below `/p/.sven/skills`, `NAME -> TARGET` a link, `+ PATH` a file.
#[track_caller]
fn forest(short: &[&str]) -> Ground {
    let mut text = "//- /p/.sven/skills dir\n".to_owned();
    for line in short {
        let header = match (line.split_once(" -> "), line.strip_prefix("+ ")) {
            (Some((name, target)), _) => format!("{}  link={target}", absolute(name)),
            (None, Some(rest)) => absolute(rest),
            (None, None) => format!("{}/SKILL.md", absolute(line)),
        };
        writeln!(text, "//- {header}\n---\ndescription: D\n---").expect("text can grow");
    }
    let mut ground = ground(&text);
    // The cases are about links as such, which the user's own sources may have wherever they lead.
    ground.places.follow_links_out = true;
    ground
}

fn absolute(name: &str) -> String {
    if name.starts_with('/') { name.to_owned() } else { format!("/p/.sven/skills/{name}") }
}

fn short(lines: Vec<String>) -> Vec<String> {
    let word = |word: &str| word.strip_suffix("/SKILL.md").unwrap_or(word).replace("/p/.sven/skills/", "");
    lines.iter().map(|line| line.split(' ').map(word).collect::<Vec<_>>().join(" ")).collect()
}

/// The catalog of `sven`, in short.
#[track_caller]
fn check(case: &str, trees: &[&str], expect: &[&str]) {
    let got = forest(trees).of(case, "sven", |_, catalog| short(told(catalog)));
    assert_eq!(got, expect, "{case}");
}

#[test]
fn depth_and_order() {
    check("rule 3.1: no maximum depth", &["a/b/c/d/e/f/g/h/i/j"], &["a/b/c/d/e/f/g/h/i/j = a/b/c/d/e/f/g/h/i/j"]);
    check(
        "rule 3.1: folders without a skill are walked",
        &["sven/implement/research"],
        &["sven/implement/research = sven/implement/research"],
    );
    check("rule 3.1: skills within skills", &["a", "a/b"], &["a = a", "a/b = a/b"]);
    check(
        "rule 3.13: byte order, whatever the letter case",
        &["b", "B", "a-b", "a/x", "ä", "a b"],
        &["B = B", "a b = a b", "a-b = a-b", "a/x = a/x", "b = b", "ä = ä"],
    );
    check("rule 3.2: hidden folders are walked", &[".x/y"], &[".x/y = .x/y"]);
    check("rule 2.8: an empty source", &[], &[]);
    let deep = format!("{}x", "d/".repeat(300));
    check("rule 3.1: 300 levels", &[deep.as_str()], &[&format!("{deep} = {deep}")]);
}

/// Markdown files directly in a source, in memory and on the disk.
#[test]
fn files_beside_folders() {
    #[track_caller]
    fn check(case: &str, files: &[(&str, &str)], expect: &[&str]) {
        let mut text = String::new();
        for (file, yaml) in files {
            writeln!(text, "//- /p/.pi/skills/{file}\n---\n{yaml}\ndescription: D\n---").expect("text can grow");
        }
        let got = ground(&text).of(case, "pi", |_, catalog| {
            let children = |skill| catalog.direct_children(skill).count();
            assert_eq!(catalog.skills().iter().map(children).sum::<usize>(), 0, "{case}: a file has no children");
            told(catalog).iter().map(|line| line.replace("/p/.pi/skills/", "")).collect::<Vec<_>>()
        });
        assert_eq!(got, expect, "{case}");
    }
    check(
        "rule 3.19: the order of names",
        &[("a.md", "name: a"), ("b/SKILL.md", "name: b"), ("c.md", "name: c")],
        &["a = a.md", "b = b/SKILL.md", "c = c.md"],
    );
    check(
        "rule 3.19: the folder has precedence",
        &[("x.md", "name: x"), ("x/SKILL.md", "name: x")],
        &["x = x/SKILL.md", "x < x.md by x/SKILL.md"],
    );
    check(
        "rule 3.19: a skill in the source itself",
        &[("SKILL.md", "name: r"), ("x.md", "name: x")],
        &["r = SKILL.md"],
    );
    check("rule 3.19: hidden files and files in folders", &[(".x.md", "name: x"), ("f/y.md", "name: y")], &[]);
    check("rule 3.19: a skill by the name of the file", &[("x.md", "license: MIT")], &["x = x.md"]);
    let mut plain = ground("//- /p/.pi/skills/README.md\nJust notes.\n");
    plain.places.home = None;
    let got = plain.of("rule 3.19: no frontmatter", "pi", |_, catalog| told(catalog));
    assert_eq!(got, Vec::<String>::new(), "rule 3.19: no frontmatter");
}

/// The folder in which Claude Code keeps the skills of an account.
#[test]
fn reserved_folders() {
    let skill = "---\nname: a\ndescription: D\n---\nBody.\n";
    let files =
        ["h/.claude/skills/Synced", "h/.claude/skills/a", "h/.claude/skills/a/synced", "p/.claude/skills/synced/b"];
    let mut text: String = files.iter().map(|at| format!("//- /{at}/SKILL.md\n{skill}")).collect();
    text.push_str(&format!("//- /r/c/SKILL.md\n{skill}//- /r/SYNCED  link=/h/.claude/skills/Synced\n"));
    let mut ground = ground(&text);
    ground.places.roots = vec![path("/r")];
    let got = ground.of("claude", "claude", |_, catalog| {
        catalog.findings().iter().for_each(|finding| assert!(finding.help.is_some(), "{finding}"));
        told(catalog)
    });
    let expect = [
        "c = /r/c/SKILL.md",
        "a = /h/.claude/skills/a/SKILL.md",
        "warning not-entered /h/.claude/skills/Synced",
        "warning too-deep /h/.claude/skills/a/synced/SKILL.md",
        "warning not-entered /p/.claude/skills/synced",
        "warning not-entered /r/SYNCED",
    ];
    assert_eq!(got, expect);
    let got = ground.of("another system", "sven", |_, catalog| catalog.skills().len());
    assert_eq!(got, 5, "no other system has such a folder");
}

/// A way that a walk does not take is none by which a folder has been reached.
#[test]
fn symlinks_to_what_a_walk_leaves_out() {
    let skill = "---\nname: a\ndescription: D\n---\nBody.\n";
    let text = format!("//- /p/.claude/skills/synced/SKILL.md\n{skill}//- /p/.claude/skills/mine  link=synced\n");
    let got = ground(&text).of("a reserved folder", "claude", |_, catalog| told(catalog));
    assert_eq!(got, ["mine = /p/.claude/skills/mine/SKILL.md", "warning not-entered /p/.claude/skills/synced"]);
    // Cursor reads only the SKILL.md in a folder that a symlink of the user leads to.
    let text = format!(
        "//- /store/tea/SKILL.md\n{skill}//- /h/.cursor/skills/all  link=/store\n\
         //- /h/.cursor/skills/hot/tea  link=/store/tea\n"
    );
    let got = ground(&text).of("a folder below another one", "cursor", |_, catalog| told(catalog));
    let expect = ["tea = /h/.cursor/skills/hot/tea/SKILL.md", "warning too-deep /h/.cursor/skills/all/tea/SKILL.md"];
    assert_eq!(got, expect);
}

#[test]
fn not_entered() {
    check(
        "rule 3.2: version control and packages",
        &[".git/a", ".hg/a", ".svn/a", "node_modules/a", "b/node_modules/c"],
        &[
            "note not-entered .git",
            "note not-entered .hg",
            "note not-entered .svn",
            "note not-entered b/node_modules",
            "note not-entered node_modules",
        ],
    );
    check(
        "rule 3.2: names that only resemble them",
        &[".github/a", "node_modules2/a", "Node_Modules/a"],
        &[".github/a = .github/a", "Node_Modules/a = Node_Modules/a", "node_modules2/a = node_modules2/a"],
    );
    check("rule 3.2: a file of such a name is silent", &["a", "+ a/.git"], &["a = a"]);
    check("rule 3.2: a link of such a name", &["a", "node_modules -> a"], &["a = a", "note not-entered node_modules"]);
    check(
        "rule 3.2: a link to a folder of such a name by another is entered",
        &["/x/node_modules/t", "m -> /x/node_modules"],
        &["m/t = m/t"],
    );
}

#[test]
fn links() {
    check("rule 3.6: a link to a skill elsewhere", &["/x/t", "a -> /x/t"], &["a = a"]);
    check("rule 3.9: a link to a skill beside it", &["a", "b -> a"], &["a = a", "note same-file b"]);
    check(
        "rule 3.9: a real folder before a link, whatever the names",
        &["b", "a -> b"],
        &["b = b", "note same-file a"],
    );
    check(
        "rule 3.9: of two links the first by name",
        &["/x/t", "b -> /x/t", "a -> /x/t"],
        &["a = a", "note same-file b"],
    );
    check(
        "rule 3.3: level by level: a link above a deep folder",
        &["deep/er/t", "z -> deep/er/t"],
        &["z = z", "note same-file deep/er/t"],
    );
    check("rule 3.3: within a level folders first", &["d/t", "e/u -> ../d/t"], &["d/t = d/t", "note same-file e/u"]);
    check("rule 3.6: a link to a file", &["a", "b/SKILL.md -> ../a/SKILL.md"], &["a = a", "note same-file b"]);
    check("rule 3.6: a link to a file elsewhere", &["+ /x/tea.md", "b/SKILL.md -> /x/tea.md"], &["b = b"]);
    check(
        "rule 3.9: two links to a file elsewhere",
        &["+ /x/tea.md", "b/SKILL.md -> /x/tea.md", "a/SKILL.md -> /x/tea.md"],
        &["a = a", "note same-file b"],
    );
    check(
        "rule 3.6: links in a row",
        &["/x/t", "a -> b", "b -> c", "c -> /x/t"],
        &["a = a", "note same-file b", "note same-file c"],
    );
    check("rule 3.6: a link to a folder of skills", &["/x/s/t", "/x/s/u", "g -> /x/s"], &["g/t = g/t", "g/u = g/u"]);
    check(
        "rule 3.9: a folder of skills again",
        &["g/t", "g/u", "h -> g"],
        &["g/t = g/t", "g/u = g/u", "note same-file h/t", "note same-file h/u"],
    );
    check(
        "rule 3.9: a link inside of what a link leads to",
        &["/x/s/t", "/y/u", "/x/s/l -> /y/u", "g -> /x/s"],
        &["g/l = g/l", "g/t = g/t"],
    );
    check(
        "rule 3.9: a link to a part of what a link leads to",
        &["/x/s/t", "a -> /x/s", "b -> /x/s/t"],
        &["b = b", "note same-file a/t"],
    );
    check("rule 3.4: a link to what holds no skill", &["+ /x/s/readme", "a -> /x/s"], &[]);
    check(
        "rule 3.4: two links between folders outside",
        &["/x/s/t", "/y/s/u", "/x/s/y -> /y/s", "/y/s/x -> /x/s", "a -> /x/s"],
        &["a/t = a/t", "a/y/u = a/y/u", "note same-file a/y/x/t"],
    );
}

#[test]
fn cycles() {
    check("rule 3.4: a link to its own folder", &["a", "a/me -> ."], &["a = a", "warning link-cycle a/me"]);
    check(
        "rule 3.4: a link to the folder above",
        &["a/b", "a/b/up -> .."],
        &["a/b = a/b", "warning link-cycle a/b/up"],
    );
    check("rule 3.4: a link to its source", &["a", "a/top -> ../"], &["a = a", "warning link-cycle a/top"]);
    check("rule 3.4: a link above its source", &["a", "a/out -> ../../.."], &["a = a", "warning link-cycle a/out"]);
    check("rule 3.4: a link to the root", &["a", "all -> /"], &["a = a", "warning link-cycle all"]);
    check(
        "rule 3.4: two folders that link to each other",
        &["a", "b", "a/b -> ../b", "b/a -> ../a"],
        &["a = a", "b = b", "note same-file a/b", "note same-file b/a"],
    );
    check("rule 3.11: a link to itself", &["a", "l -> l"], &["a = a", "warning link-dangling l"]);
    check("rule 3.11: a broken symlink", &["a", "l -> gone"], &["a = a", "warning link-dangling l"]);
    let beside = &["a = a", "note link-dangling a/l"];
    check(
        "rule 3.11: a broken symlink beside a SKILL.md, which may have been a skill in it",
        &["a", "a/l -> gone"],
        beside,
    );
}

#[test]
fn the_file() {
    check(
        "rule 3.10: another letter case",
        &["+ a/skill.md"],
        &["a = a/skill.md", "warning file-name-case a/skill.md"],
    );
    check(
        "rule 3.10: the first of two others",
        &["+ a/skill.md", "+ a/Skill.md"],
        &["a = a/Skill.md", "warning file-name-case a/Skill.md", "warning file-name-case a/skill.md"],
    );
    check("rule 3.10: the exact name wins", &["a", "+ a/SKILL.MD"], &["a = a", "warning file-name-case a/SKILL.MD"]);
    check("rule 3.10: an ending that is too much", &["+ a/SKILL.md.txt"], &["warning file-name-case a/SKILL.md.txt"]);
    check("rule 3.10: another ending", &["+ a/skill.markdown"], &["warning file-name-case a/skill.markdown"]);
    check("rule 3.10: such a file beside a SKILL.md", &["a", "+ a/SKILL.md.md"], &["a = a"]);
    check("rule 3.10: the ending of a text file", &["+ a/SKILL.txt"], &["warning file-name-case a/SKILL.txt"]);
    check("rule 3.10: no ending", &["+ a/SKILL"], &["warning file-name-case a/SKILL"]);
    check("rule 3.10: other files are none", &["+ a/skill", "+ a/MYSKILL.md"], &[]);
    let archive = "note not-entered tea.skill";
    check("rule 3.10: an archive", &["+ tea.skill", "+ tea.zip", "+ a/b.skill"], &[archive]);
    check("rule 3.11: a folder of that name", &["+ a/SKILL.md/x"], &["error not-a-file a"]);
    check(
        "rule 3.11: a folder of that name is a folder",
        &["a/SKILL.md/b"],
        &["a/SKILL.md/b = a/SKILL.md/b", "error not-a-file a"],
    );
    check("rule 3.11: a dangling link", &["a/SKILL.md -> gone"], &["error link-dangling a"]);
    check("rule 3.11: a link to a folder", &["b", "a/SKILL.md -> ../b"], &["b = b", "error not-a-file a"]);
    let fifo = ground("//- /p/.sven/skills/a/SKILL.md other\n").of("rule 3.11: a FIFO", "sven", |_, c| short(told(c)));
    assert_eq!(fifo, ["error not-a-file a"], "rule 3.11: a FIFO");
}

#[test]
fn targets_are_recorded() {
    let got = forest(&["/x/t", "a -> /x/t", "b"]).of("rule 3.6: the target", "sven", |_, catalog| {
        catalog.skills().iter().map(|skill| skill.target.as_ref().map(ToString::to_string)).collect::<Vec<_>>()
    });
    assert_eq!(got, [Some("/x/t/SKILL.md".to_owned()), None], "rule 3.6: the target");
}

#[test]
fn a_dialect_of_one_level() {
    #[track_caller]
    fn check(case: &str, trees: &[&str], expect: &[&str]) {
        let one = changed("sven", "scan: {depth: 1}");
        let got = forest(trees).ask(case, |world| short(told(&discover(world, &one))));
        assert_eq!(got, expect, "{case}");
    }
    check("dialects: the first level", &["a", "b"], &["a = a", "b = b"]);
    check(
        "dialects: one level further is told of",
        &["a", "a/b", "c/d"],
        &["a = a", "warning too-deep a/b", "warning too-deep c/d"],
    );
    check("dialects: two levels further are not looked at", &["a/b/c"], &[]);
    check("dialects: a link at the first level", &["/x/t", "a -> /x/t"], &["a = a"]);
    check("dialects: a link at the second level", &["/x/t", "a/l -> /x/t"], &["warning too-deep a/l"]);
    check(
        "dialects: a link brings up what is too deep",
        &["g/t", "a -> g/t"],
        &["a = a", "note same-file g/t", "warning too-deep g/t"],
    );
    check("dialects: no notes below the last level", &["a/b/.git/c"], &[]);
}

#[test]
fn names_and_rights_in_memory() {
    let mut fs = MemFs::new();
    let text = "---\ndescription: D\n---\n";
    fs.file("/p/.sven/skills/a/SKILL.md", text).file("/p/.sven/skills/b/SKILL.md", text).dir("/p/.sven/skills/c");
    fs.unreadable("/p/.sven/skills/b/SKILL.md").unreadable("/p/.sven/skills/c");
    let places = Places { project: Some(path("/p")), ..Places::default() };
    let catalog = discover(&World::new(&fs, &places, &()), &table("sven"));
    assert_eq!(
        short(told(&catalog)),
        ["a = a", "error unreadable b", "warning unreadable c"],
        "rule 2.8: what may not be read"
    );
    fs.unreadable("/p/.sven/skills");
    let catalog = discover(&World::new(&fs, &places, &()), &table("sven"));
    assert_eq!(
        told(&catalog),
        ["error source-unreadable /p/.sven/skills"],
        "rule 2.8: a source that may not be listed"
    );
}

#[test]
fn names_that_are_not_utf8_in_memory() {
    let places = Places { project: Some(path("/p")), ..Places::default() };
    let of = |name: &str, fs: &MemFs| told(&discover(&World::new(fs, &places, &()), &table(name)));
    let mut fs = forest(&["a"]).tree.mem();
    fs.lossy("/p/.sven/skills", "b\u{fffd}/").lossy("/p/.sven/skills", "c\u{fffd}");
    assert_eq!(short(of("sven", &fs)), ["a = a", "warning path-not-utf8 b\u{fffd}"], "rule 3.14: folders alone");
    let mut fs = MemFs::new();
    fs.file("/p/.claude/skills/a/SKILL.md", "---\ndescription: D\n---\n");
    fs.lossy("/p/.claude/skills/a", "b\u{fffd}/").lossy("/p/.claude/skills", "b\u{fffd}/");
    let expect = [
        "a = /p/.claude/skills/a/SKILL.md",
        "note path-not-utf8 /p/.claude/skills/a/b\u{fffd}",
        "warning path-not-utf8 /p/.claude/skills/b\u{fffd}",
    ];
    assert_eq!(of("claude", &fs), expect, "rule 3.14: a note where no skill can be");
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf8() {
    use std::os::unix::ffi::OsStrExt as _;
    let (disk, folder) = forest(&["a"]).tree.disk();
    let odd = folder.path().join("p/.sven/skills").join(std::ffi::OsStr::from_bytes(b"b\xff"));
    std::fs::create_dir(&odd).expect("a folder can be made");
    std::fs::write(odd.join("SKILL.md"), "---\ndescription: D\n---\n").expect("a file can be written");
    let places = Places { project: Some(path("/p")), ..Places::default() };
    let catalog = discover(&World::new(&disk, &places, &()), &table("sven"));
    assert_eq!(short(told(&catalog)), ["a = a", "warning path-not-utf8 b\u{fffd}"], "rule 3.14: path-not-utf8");
}

/// A file system that shows one folder and nothing above it, as WASI does.
struct Preopened(MemFs, FsPath);

impl Preopened {
    fn shown<T>(&self, path: &FsPath, answer: impl FnOnce(&MemFs) -> Result<T, FsError>) -> Result<T, FsError> {
        if path.starts_with(&self.1) { answer(&self.0) } else { Err(FsError::NotFound(path.clone())) }
    }
}

impl Fs for Preopened {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.shown(dir, |fs| fs.list(dir))
    }
    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.shown(file, |fs| fs.read(file, at_most))
    }
    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.shown(path, |fs| fs.metadata(path)).or(Ok(None))
    }
    /// Goes name by name, from the root.
    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        self.shown(&FsPath::root(), |fs| fs.canonical(path)).map_err(|_| FsError::NotFound(path.clone()))
    }
}

#[test]
fn a_source_without_the_folders_above_it() {
    let of_home = Places { home: Some(path("/p")), ..Places::default() };
    let of_project = Places { project: Some(path("/p")), ..Places::default() };
    for (case, places, shown) in
        [("a project", &of_project, "/p/.sven/skills"), ("a home directory", &of_home, "/p/.sven/skills/a")]
    {
        let fs = Preopened(forest(&["a"]).tree.mem(), path(shown));
        let told = told(&discover(&World::new(&fs, places, &()), &table("sven")));
        let expect: &[&str] =
            if shown.ends_with("skills") { &["error source-unreadable /p/.sven/skills"] } else { &[] };
        assert_eq!(told, expect, "rule 2.8: {case}");
    }
}

/// A file system whose walk is at its bound at once.
struct Full(MemFs);

impl Fs for Full {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.0.list(dir)
    }
    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.0.read(file, at_most)
    }
    fn walk(&self, ask: &Walk<'_>, out: &mut dyn FnMut(&mut Visit)) {
        assert_eq!(ask.max_dirs, 1_000_000, "rule 3.5: directories per source");
        for name in ["z", "b"] {
            out(&mut Visit { dir: ask.root.child(name).expect("a name"), depth: 1, outcome: VisitOutcome::Cut });
        }
    }
}

#[test]
fn the_bound() {
    let fs = Full(forest(&["a"]).tree.mem());
    let places = Places { project: Some(path("/p")), ..Places::default() };
    let catalog = discover(&World::new(&fs, &places, &()), &table("sven"));
    let found: Vec<_> = catalog.findings().iter().filter(|finding| finding.path == path("/p/.sven/skills")).collect();
    assert_eq!(briefs(catalog.findings()).iter().filter(|line| line.contains("/p/.sven")).count(), 1);
    assert_eq!(
        (found[0].severity.as_str(), found[0].code.as_str()),
        ("warning", "scan-truncated"),
        "rule 3.5: the bound"
    );
    assert!(found[0].message.contains("`/p/.sven/skills/b`"), "rule 3.5: where it was cut: {}", found[0].message);
}
