//! What `check`, `why` and `matrix` tell of skills that no discovery comes to (rule 8.10). In memory and on the disk.

use crate::common;

use common::ground::{Ground, briefs, changed, ground, on, skill, table};
use common::recording::Recording;
use common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::author::Elsewhere;
use skilltree::author::Matrix;
use skilltree::dialect::NAMES;
use skilltree::explain::Beyond;
use skilltree::fs::{Entry, FilePrefix, FsCall, Metadata};
use skilltree::{
    Catalog, CheckRequest, Code, Dialect, Fs, FsError, FsPath, PromptRequest, Severity, World, discover, prompt, why,
};
use std::collections::BTreeSet;
use std::sync::Arc;

const SKILL: &str = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";

/// Skills that are named as their folders.
fn with_skills(files: &[&str]) -> Ground {
    let named = |file: &str| SKILL.replace("tea", file.rsplit('/').nth(1).unwrap_or_default());
    on(files.iter().fold(Tree::default().with_dir("/p/.git"), |tree, file| tree.with(file, named(file))))
}

/// `code path` of each note, with the usual parts of paths cut off.
fn notes(ground: &Ground, dialect: &str) -> Vec<String> {
    ground.of(dialect, dialect, |world, catalog| {
        let found = Beyond::of(world, catalog);
        assert_eq!(found.pending, []);
        assert!(found.findings.iter().all(|finding| finding.severity == Severity::Note && finding.help.is_some()));
        let line =
            |finding: &skilltree::Diagnostic| format!("{} {}", finding.code, finding.path).replace("/SKILL.md", "");
        found.findings.iter().map(line).collect()
    })
}

fn outcomes(ground: &Ground, dialect: &str, asked: &str) -> Vec<String> {
    ground.of(asked, dialect, |world, catalog| {
        let outcomes = why(world, catalog, asked, &PromptRequest::default());
        let line = |one: &skilltree::Why| {
            let help = one.help.as_deref().unwrap_or_default();
            format!("{} {}: {}; {help}", one.code.map_or("none", Code::as_str), one.path, one.message)
        };
        outcomes.iter().map(line).collect()
    })
}

fn tables(names: &[&str]) -> Vec<Arc<Dialect>> {
    names.iter().map(|name| table(name)).collect()
}

fn compared(ground: &Ground, names: &[&str]) -> Matrix {
    ground.ask("a matrix", |world| Matrix::of(world, &tables(names), &PromptRequest::default()))
}

#[test]
fn below_the_limit_of_depth() {
    let deep = "/p/.claude/skills/a/b/c/deep/SKILL.md";
    let ground = with_skills(&[deep, "/p/.claude/skills/tea/SKILL.md", "/p/.claude/skills/x/y/SKILL.md"]);
    assert_eq!(notes(&ground, "claude"), ["too-deep /p/.claude/skills/a/b/c/deep"]);
    let found = ground.ask("a check", |world| CheckRequest::default().check_sources(world, &table("claude")).1);
    let of_deep: Vec<_> = found.iter().filter(|finding| finding.path == path(deep)).collect();
    assert_eq!((of_deep.len(), of_deep[0].message.contains("4 folders deep")), (1, true), "{of_deep:?}");
    // Discovery itself reports what is one level too deep, and that is not told twice.
    let told =
        ["note too-deep /p/.claude/skills/a/b/c/deep/SKILL.md", "warning too-deep /p/.claude/skills/x/y/SKILL.md"];
    assert_eq!(briefs(&found), told);
    for asked in ["deep", deep, ".claude/skills/a/b/c/deep"] {
        let told = outcomes(&ground, "claude", asked);
        assert!(told.len() == 1 && told[0].starts_with("too-deep "), "{asked}: {told:?}");
    }
    let table = compared(&ground, &["claude", "agentskills", "codex"]);
    let row = table.rows.iter().find(|row| row.path == path(deep)).expect("a row");
    let cells = row.cells.iter().map(|cell| (cell.state.as_str(), cell.rule));
    let expect = [("skipped", Some("scan.depth")), ("in-use", None), ("unseen", Some("sources"))];
    assert_eq!(cells.collect::<Vec<_>>(), expect);
    let count = ground.of("counted", "claude", |_, catalog| catalog.count_below_depth());
    assert_eq!(count, 1, "the folder c, which belongs to no skill");
}

#[test]
fn in_folders_that_are_left_out_by_their_names() {
    let files = [
        // A run of Claude Code 2.1.330 reads skills directly in such folders, and none below them.
        "/h/.claude/skills/node_modules/pack/SKILL.md",
        "/p/.claude/skills/.git/one/SKILL.md",
        "/p/.claude/skills/a/.hidden/SKILL.md",
        "/p/.claude/skills/synced/account/SKILL.md",
        "/p/.claude/skills/synced/tea/deep/er/SKILL.md",
        "/p/.claude/skills/tea/SKILL.md",
        "/p/.claude/skills/tea/scripts/node_modules/one/two/SKILL.md",
        "/p/.claude/commands/group/SKILL.md",
    ];
    let expect = [
        "too-deep /p/.claude/commands/group",
        "not-entered /p/.claude/skills/synced/account",
        "not-entered /p/.claude/skills/synced/tea/deep/er",
        "too-deep /p/.claude/skills/tea/scripts/node_modules/one/two",
    ];
    assert_eq!(notes(&with_skills(&files), "claude"), expect);
    let hidden = ["/p/.agents/skills/.x/tea/SKILL.md", "/p/.agents/skills/one/SKILL.md"];
    assert_eq!(notes(&with_skills(&hidden), "codex"), ["not-entered /p/.agents/skills/.x/tea"]);
    assert_eq!(notes(&with_skills(&hidden), "agentskills"), [""; 0], "it enters them");
}

#[test]
fn through_no_symlink() {
    let tree = with_skills(&["/p/.claude/skills/a/b/c/SKILL.md", "/x/deep/SKILL.md"]).tree;
    let tree = tree.with_link("/p/.claude/skills/a/b/c/link", "/x").with_link("/p/.claude/skills/a/b/c/up", "..");
    let tree = tree.with_link("/p/.claude/skills/a/b/out", "/x").with_link("/p/web/.claude", "/x");
    assert_eq!(notes(&on(tree), "claude"), ["too-deep /p/.claude/skills/a/b/c"]);
}

#[test]
fn folders_below_the_project() {
    let files = [
        "/p/.claude/skills/own/SKILL.md",
        "/p/api/.cursor/skills/tea/SKILL.md",
        "/p/build/out/.claude/skills/tea/SKILL.md",
        "/p/node_modules/x/.claude/skills/tea/SKILL.md",
        "/p/packages/web/.claude/skills/deep/er/SKILL.md",
        "/p/packages/web/.claude/skills/tea/SKILL.md",
        "/p/packages/web/src/.claude/skills/inner/SKILL.md",
    ];
    let mut ground = with_skills(&files);
    ground.tree = ground.tree.with("/p/.gitignore", "build/\n");
    let expect = [
        "too-deep /p/packages/web/.claude/skills/deep/er",
        "nested-source /p/packages/web/.claude/skills/tea",
        "nested-source /p/packages/web/src/.claude/skills/inner",
    ];
    assert_eq!(notes(&ground, "claude"), expect);
    assert_eq!(notes(&ground, "cursor"), ["nested-source /p/api/.cursor/skills/tea"]);
    for dialect in NAMES.iter().filter(|name| !["claude", "cursor"].contains(name)) {
        assert_eq!(notes(&ground, dialect), [""; 0], "{dialect} has no such sources");
    }

    for asked in [files[4], "er"] {
        let told = outcomes(&ground, "claude", asked);
        let expect = "too-deep /p/packages/web/.claude/skills/deep/er/SKILL.md: the skill is 2 folders deep";
        assert!(told.len() == 1 && told[0].starts_with(expect), "{asked}: {told:?}");
    }
    let tea = &files[5];
    let reads = "nested-source /p/packages/web/.claude/skills/tea/SKILL.md: `claude` reads \
                 `/p/packages/web/.claude/skills` only while a file in `/p/packages/web` is being worked on; name \
                 `/p/packages/web`, or a file in it, as being worked on";
    for asked in ["tea", "packages/web/.claude/skills/tea", tea] {
        let told = outcomes(&ground, "claude", asked);
        let told: Vec<String> = told.iter().map(|one| one.replace("/tea/SKILL.md: ", "/tea: ")).collect();
        assert!(told.contains(&reads.replace("/tea/SKILL.md: ", "/tea: ")), "{asked}: {told:?}");
        let of_api = told.iter().filter(|one| one.contains(" /p/api/.cursor/skills/tea: "));
        assert_eq!((told.len(), of_api.count()), if asked == "tea" { (3, 1) } else { (1, 0) }, "{asked}: {told:?}");
    }
    let ignored = outcomes(&ground, "claude", files[2]);
    assert!(ignored[0].contains("leaves out folders that git ignores, such as `/p/build/out`"), "{ignored:?}");
    let without = outcomes(&ground, "agentskills", tea);
    let expect = "`agentskills` does not look for skills in folders below the project; add \
                  `/p/packages/web/.claude/skills` as a source, or use `/p/packages/web` as the project";
    assert!(without.len() == 1 && without[0].ends_with(expect), "{without:?}");

    let table = compared(&ground, &["agentskills", "claude", "cursor"]);
    assert_eq!(table.nested, ["/p/api", "/p/packages/web", "/p/packages/web/src"].map(path));
    let row = table.rows.iter().find(|row| row.path == path(tea)).expect("a row");
    let codes = row.cells.iter().map(|cell| (cell.state.as_str(), cell.code.map_or("", Code::as_str)));
    let unseen = [("unseen", "not-in-source"), ("unseen", "nested-source"), ("unseen", "not-in-source")];
    assert_eq!(codes.collect::<Vec<_>>(), unseen);
    assert!(
        row.cells.iter().all(|cell| cell.message.contains("below the project") || cell.message.contains("worked on"))
    );

    // What the step that helps brings into play is not told any more.
    ground.places.touched = vec![path("/p/packages/web")];
    assert_eq!(notes(&ground, "claude"), ["nested-source /p/packages/web/src/.claude/skills/inner"]);
    let keys = ground.of("touched", "claude", |_, catalog| common::ground::keys(catalog));
    assert_eq!(keys, ["tea", "own"], "the nearest first");
    ground.places.only_roots = true;
    assert_eq!(notes(&ground, "claude"), [""; 0], "no place is searched");
}

#[test]
fn other_dialects_and_folders_of_a_name() {
    let ground =
        with_skills(&["/h/.sven/skills/tea/SKILL.md", "/p/.claude/skills/tea/SKILL.md", "/h/.gen/skills/x/SKILL.md"]);
    let others = |own: &str, asked: &str| {
        ground.ask(asked, |world| {
            let others = NAMES.iter().filter(|name| **name != own).map(|name| table(name));
            let found = Elsewhere::find(world, others, asked);
            found.iter().map(|one| format!("{} {}", one.dialect, one.path)).collect::<Vec<_>>()
        })
    };
    assert_eq!(others("agentskills", "x"), ["gencode /h/.gen/skills/x/SKILL.md"], "by the folder");
    let of_tea = others("pegasus", "tea");
    assert!(of_tea.contains(&"claude /p/.claude/skills/tea/SKILL.md".to_owned()), "{of_tea:?}");
    assert!(!of_tea.iter().any(|one| one.starts_with("daycare") || one.starts_with("pegasus")), "{of_tea:?}");
    assert_eq!(others("sven", "/h/.gen/skills/x"), ["gencode /h/.gen/skills/x/SKILL.md"], "by path");
    assert_eq!(others("sven", "nobody"), [""; 0]);
    assert_eq!(others("sven", ""), [""; 0]);
}

/// The codes and paths, and what was found of a million folders.
fn cut(ground: &Ground) -> Vec<String> {
    let notes = notes(ground, "claude");
    notes.into_iter().filter(|note| note.starts_with("looked-no-further")).collect()
}

#[test]
fn where_a_search_is_cut_short() {
    let chain = |levels: usize| format!("/p/.claude/skills{}/SKILL.md", "/d".repeat(levels));
    let ground = with_skills(&[&chain(16), &chain(17)]);
    let deepest = format!("too-deep {}", chain(16).replace("/SKILL.md", ""));
    assert_eq!(notes(&ground, "claude"), ["looked-no-further /p/.claude/skills".to_owned(), deepest]);
    assert_eq!(cut(&with_skills(&[&chain(16)])), [""; 0]);

    let folder = "/p/.claude/skills/synced";
    let many = |count: usize| {
        let files = (1..count).fold(Tree::default(), |tree, n| tree.with(&format!("{folder}/f{n:05}"), ""));
        on(files.with(&format!("{folder}/z/SKILL.md"), SKILL))
    };
    assert_eq!(notes(&many(9_999), "claude"), [format!("not-entered {folder}/z")], "10,000 entries");
    assert_eq!(notes(&many(10_000), "claude"), ["looked-no-further /p/.claude/skills"]);
}

#[test]
fn where_the_search_of_the_project_is_cut_short() {
    let project = |count: usize| {
        let first = Tree::default().with("/p/z/.claude/skills/tea/SKILL.md", SKILL);
        // Two for `z` and `.claude`, one for each of the folders and one for each of the files.
        (0..count).fold(first, |tree, n| tree.with(&format!("/p/a{:03}/f{n:05}", n / 1_000), ""))
    };
    let codes = |tree: &Tree| {
        let (fs, ground) = (tree.mem(), on(Tree::default()));
        let world = World::new(&fs, &ground.places, &ground.host);
        let found = Beyond::of(&world, &discover(&world, &table("claude")));
        found.findings.iter().map(|finding| format!("{} {}", finding.code, finding.path)).collect::<Vec<_>>()
    };
    assert_eq!(codes(&project(99_000)), ["nested-source /p/z/.claude/skills/tea/SKILL.md"]);
    assert_eq!(codes(&project(100_000)), ["looked-no-further /p"]);
}

/// Nothing of this is paid for by a discovery, a list or a prompt.
#[test]
fn a_discovery_looks_no_further() {
    let files =
        ["/p/.claude/skills/tea/SKILL.md", "/p/.claude/skills/a/b/c/d/SKILL.md", "/p/web/.claude/skills/x/SKILL.md"];
    let ground = with_skills(&files);
    let (far, near) = (ground.tree.mem(), with_skills(&files[..1]).tree.with_dir("/p/.claude/skills/a/b/c").mem());
    let of = |fs: &dyn Fs| {
        let fs = Recording::new(fs);
        let world = World::new(&fs, &ground.places, &ground.host);
        let catalog = discover(&world, &table("claude"));
        prompt(&world, &catalog, &PromptRequest::default());
        assert_eq!(catalog.count_below_depth(), 1, "which costs nothing");
        let calls = fs.calls();
        Beyond::of(&world, &catalog);
        let is_far = |(_, at): &&(FsCall, FsPath)| at.as_str().contains("/c") && at.as_str().contains("/b/");
        assert_eq!(calls.iter().find(is_far), None, "nothing below the limit");
        (calls, fs.calls().len())
    };
    let ((calls, more), (same, _)) = (of(&far), of(&near));
    assert_eq!(calls, same, "the same calls, whatever lies beyond");
    assert!(more > 0, "the others do look");
}

/// A file system that has not fetched one folder yet.
struct Unfetched<'f>(&'f dyn Fs, FsPath);

impl Fs for Unfetched<'_> {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        if *dir == self.1 { Err(FsError::Pending(dir.clone())) } else { self.0.list(dir) }
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.0.read(file, at_most)
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.0.metadata(path)
    }
}

#[test]
fn what_is_not_there_yet() {
    let ground = with_skills(&["/p/.claude/skills/a/b/c/d/SKILL.md", "/p/web/.claude/skills/x/SKILL.md"]);
    let fs = ground.tree.mem();
    for folder in ["/p/.claude/skills/a/b/c", "/p/web", "/p/web/.claude/skills"] {
        let fs = Unfetched(&fs, path(folder));
        let world = World::new(&fs, &ground.places, &ground.host);
        let found = Beyond::of(&world, &discover(&world, &table("claude")));
        assert_eq!((found.pending, found.findings.len()), (vec![path(folder)], 1), "{folder}");
        let all = Matrix::of(&world, &tables(&["claude"]), &PromptRequest::default());
        assert_eq!(all.pending, [path(folder)], "{folder}");
    }
}

/// A source whose own rule for hidden folders differs from that of the dialect.
#[test]
fn the_rule_of_the_source_counts() {
    let ground = with_skills(&["/h/.opencode/skills/.x/tea/SKILL.md"]);
    assert_eq!(notes(&ground, "opencode"), ["not-entered /h/.opencode/skills/.x/tea"]);
    let shallow = changed("opencode", "scan: {depth: 1}");
    let found = ground.by("changed", &shallow, |world, catalog: &Catalog| Beyond::of(world, catalog).findings);
    assert_eq!(found.iter().map(|one| one.code).collect::<BTreeSet<_>>(), BTreeSet::from([Code::NotEntered]));
    let text = skill("name: a\ndescription: D", "");
    let twice = super::common::ground::ground(&format!("//- /h/.claude/skills/a/b/c/d/SKILL.md\n{text}"));
    assert_eq!(notes(&twice, "claude").len(), 1);
    assert_eq!(notes(&ground_of_links(), "claude"), ["too-deep /p/.claude/skills/a/b/c"]);
}

/// Two sources that are one folder.
fn ground_of_links() -> Ground {
    ground("//- /h/.claude/skills/a/b/c/SKILL.md\n---\nname: a\n---\n//- /p/.claude link=/h/.claude\n")
}
