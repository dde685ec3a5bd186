//! What several dialects do with the same files: one row a file, one cell a dialect (rule 8.9). In memory and on the
//! disk.

use crate::common;
use crate::transcript::copied;
use common::ground::{Ground, ground, skill, table};
use common::path;
use pretty_assertions::assert_eq;
use skilltree::author::Matrix;
use skilltree::dialect::NAMES;
use skilltree::fs::{Entry, FilePrefix, Metadata};
use skilltree::model::ParsedFrontmatters;
use skilltree::{Code, Dialect, Fs, FsError, FsPath, Json, MemFs, Places, PromptRequest, World, discover};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

fn dialects(names: &[&str]) -> Vec<Arc<Dialect>> {
    names.iter().map(|name| table(name)).collect()
}

fn of(world: &World<'_>, names: &[&str]) -> Matrix {
    Matrix::of(world, &dialects(names), &PromptRequest::default())
}

/// Every row with its cells, one a line.
fn shown(matrix: &Matrix) -> String {
    let mut out = String::new();
    for row in &matrix.rows {
        out.push_str(&format!("{} {}\n", row.path, row.name));
        for (dialect, cell) in matrix.dialects.iter().zip(&row.cells) {
            let part =
                |name: &str, value: Option<&str>| value.map_or(String::new(), |value| format!(" {name}={value}"));
            // The same for each file that is in no source.
            let is_nowhere = cell.code == Some(Code::NotInSource);
            let message = if is_nowhere { String::new() } else { format!("    {}\n", cell.message) };
            out.push_str(&format!(
                "  {dialect}: {}{}{}{}{}\n{message}",
                cell.state.as_str(),
                part("key", cell.key.as_deref()),
                part("code", cell.code.map(Code::as_str)),
                part("by", cell.by.as_ref().map(FsPath::as_str)),
                part("rule", cell.rule),
            ));
            if let Some(help) = cell.help.as_ref().filter(|_| !is_nowhere) {
                out.push_str(&format!("    help: {help}\n"));
            }
        }
    }
    out
}

#[test]
fn a_command_file_is_told_as_by_why() {
    let ground = ground("//- /p/.claude/commands/tea.md\nMake tea.\n");
    let cells = ground.ask("rule 8.9", |world| {
        let [row] = <[_; 1]>::try_from(of(world, &["claude", "codex"]).rows).expect("one row");
        let codex = &row.cells[1];
        let codex_sees = discover(world, &table("codex"));
        let why = skilltree::why(world, &codex_sees, row.path.as_str(), &PromptRequest::default());
        assert_eq!(
            why.iter().map(|why| (why.code, why.help.as_deref())).collect::<Vec<_>>(),
            [(codex.code, codex.help.as_deref())]
        );
        row.cells.iter().map(|cell| (cell.state.as_str(), cell.code)).collect::<Vec<_>>()
    });
    assert_eq!(cells, [("in-use", None), ("unseen", Some(Code::CommandFile))]);
}

#[test]
fn a_symlink_that_is_not_followed_is_in_the_row_of_its_file() {
    let mut ground = ground("//- /h/.config/agents/skills/SKILL.md\n---\nname: skills\ndescription: D\n---\n");
    ground.tree = ground.tree.with_link("/p/.opencode/skill/SKILL.md", "/h/.config/agents/skills/SKILL.md");
    let states = ground.ask("rule 8.9", |world| {
        let rows = of(world, &["opencode", "goose"]).rows;
        rows.iter().map(|row| row.cells.iter().map(|cell| cell.state.as_str()).collect()).collect::<Vec<Vec<_>>>()
    });
    assert_eq!(states, [["skipped", "in-use"]]);
}

#[test]
fn every_dialect_over_one_tree() {
    let dir = crate::common::root().join("testdata/matrix");
    let places = Places { project: Some(path("/project")), home: Some(path("/home")), ..Places::default() };
    let memory = shown(&of(&World::new(&copied(&dir), &places, &()), NAMES));
    #[cfg(unix)]
    {
        let folder = crate::transcript::completed(&dir).expect("it has symlinks");
        let disk = skilltree::OsFs::rooted(folder.path());
        assert_eq!(shown(&of(&World::new(&disk, &places, &()), NAMES)), memory, "disk and memory");
    }
    let file = dir.join("expected.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &memory).expect("it can be written");
    }
    assert_eq!(memory, std::fs::read_to_string(&file).unwrap_or_default(), "run with UPDATE=1");
}

const TREE: &str = "
//- /h/.claude/skills/low/SKILL.md
---
name: low
description: D
---
//- /p/.claude/skills/low/SKILL.md
---
name: low
description: D
---
//- /p/.claude/skills/twice/SKILL.md
---
name: low
description: D
---
//- /p/.claude/skills/deep/er/SKILL.md
---
name: deep
description: D
---
//- /p/.claude/skills/deep/er/and/er/SKILL.md
---
name: deepest
description: D
---
//- /p/.claude/skills/off/SKILL.md
---
name: off
description: D
---
//- /p/.claude/skills/node_modules/pack/SKILL.md
//- /p/.claude/skills/dir/SKILL.md/x
//- /p/.claude/skills/gone/SKILL.md link=nowhere
//- /p/.claude/skills/SKILL.md
//- /p/.agents/skills/other/SKILL.md
---
name: other
description: D
---
//- /h/.claude/skills/linked link=/p/.agents/skills/other
";

fn tree() -> Ground {
    ground(TREE).off("off")
}

/// `path: state rule, …`, with the usual parts of paths cut off.
fn cells(matrix: &Matrix) -> Vec<String> {
    let short = |path: &FsPath| path.as_str().replace("/.claude/skills/", " ").replace("/.agents/skills/", " ~");
    let row = |row: &skilltree::author::MatrixRow| {
        let cells = row.cells.iter().map(|cell| {
            let by = cell.by.as_ref().map(|by| format!(" by {}", short(by))).unwrap_or_default();
            format!("{}{}{by}", cell.state.as_str(), cell.rule.map(|rule| format!(" {rule}")).unwrap_or_default())
        });
        format!("{}: {}", short(&row.path).replace("/SKILL.md", ""), cells.collect::<Vec<_>>().join(", "))
    };
    matrix.rows.iter().map(row).collect()
}

#[test]
fn states_and_rules() {
    let got = tree().ask("states", |world| cells(&of(world, &["agentskills", "claude", "daycare"])));
    let expect = [
        "/h low: shadowed sources by /p low/SKILL.md, in-use, unseen sources",
        "/p ~other: in-use, in-use, unseen sources",
        "/p SKILL.md: skipped scan.root, skipped scan.root, unseen sources",
        "/p deep/er: in-use, skipped scan.depth, unseen sources",
        "/p deep/er/and/er: in-use, skipped scan.depth, unseen sources",
        "/p dir: skipped scan.files, skipped scan.files, unseen sources",
        "/p gone: skipped scan.links, skipped scan.links, unseen sources",
        "/p low: in-use, shadowed sources by /h low/SKILL.md, unseen sources",
        "/p node_modules/pack: skipped scan.skipped, skipped scan.depth, unseen sources",
        "/p off: hidden states, hidden states, unseen sources",
        "/p twice: shadowed tie_break by /p low/SKILL.md, in-use, unseen sources",
    ];
    assert_eq!(got, expect);
    let same = tree().ask("the same", |world| cells(&of(world, &["claude", "claude"])));
    assert!(same.iter().all(|row| row.split([':', ',']).skip(1).all(|cell| row.ends_with(cell))), "{same:?}");
}

#[test]
fn the_budget_of_the_prompt() {
    let files = (0..4).map(|n| {
        format!(
            "//- /p/.claude/skills/s{n}/SKILL.md\n{}",
            skill(&format!("name: s{n}\ndescription: {}", "x".repeat(60)), "")
        )
    });
    let ground = ground(&files.collect::<String>());
    for (budget, dialect, expect) in [
        (Some(0), "agentskills", "left-out prompt.budget"),
        (Some(120), "claude", "name-only prompt.budget"),
        (None, "claude", "in-use"),
    ] {
        let ask = PromptRequest { budget, ..PromptRequest::default() };
        let got = ground.ask("a budget", |world| cells(&Matrix::of(world, &dialects(&[dialect]), &ask)));
        assert_eq!(got.last().map(String::as_str), Some(&*format!("/p s3: {expect}")), "{dialect}: {got:?}");
    }
}

#[test]
fn only_rows_that_differ() {
    let names = ["agentskills", "claude"];
    let got = tree().ask("a difference", |world| {
        let mut matrix = of(world, &names);
        matrix.keep_differences();
        cells(&matrix)
    });
    let expect = [
        "/h low: shadowed sources by /p low/SKILL.md, in-use",
        "/p deep/er: in-use, skipped scan.depth",
        "/p deep/er/and/er: in-use, skipped scan.depth",
        "/p low: in-use, shadowed sources by /h low/SKILL.md",
        "/p twice: shadowed tie_break by /p low/SKILL.md, in-use",
    ];
    assert_eq!(got, expect);
}

/// The order of the columns is the caller's, whatever order the dialects are discovered in.
#[test]
fn the_columns_are_in_the_given_order() {
    let of = |names: &[&str]| {
        tree().ask("an order", |world| {
            let matrix = of(world, names);
            let json = Json::parse(&matrix.json_text(world.fs).to_string()).expect("JSON");
            (matrix.dialects.clone(), json)
        })
    };
    let (names, json) = of(&["claude", "agentskills"]);
    assert_eq!(names, ["claude", "agentskills"]);
    let (names, other) = of(&["agentskills", "claude"]);
    assert_eq!(names, ["agentskills", "claude"]);
    let cells = |json: &Json, dialect: &str| {
        let Some(Json::List(rows)) = json.get("rows") else { panic!("no rows") };
        let cell = |row: &Json| row.get("cells").and_then(|cells| cells.get(dialect)).expect("a cell").to_string();
        // A file may have another path, and so another place, if another dialect is the first that sees it.
        rows.iter().map(cell).collect::<BTreeSet<String>>()
    };
    for dialect in ["claude", "agentskills"] {
        assert_eq!(cells(&json, dialect), cells(&other, dialect), "{dialect}");
    }
}

#[test]
fn as_json() {
    let ground = ground(
        "//- /h/.claude/skills/tea/SKILL.md\n---\nname: tea\ndescription: D\n---\n\
         //- /p/.claude/skills/tea/SKILL.md\n---\nname: tea\ndescription: D\n---\n",
    );
    let json = ground.ask("json", |world| of(world, &["claude", "pegasus"]).json_text(world.fs).to_string());
    let unseen = "\"pegasus\":{\"state\":\"unseen\",\"code\":\"not-in-source\",\"rule\":\"sources\",\
         \"message\":\"it is in none of the folders where `pegasus` looks for skills\",\
         \"help\":\"move the skill's folder into `/p/skills` or `/p/data/skills`, or add its folder as a source\"}";
    let expect = format!(
        "{{\"dialects\":[\"claude\",\"pegasus\"],\"rows\":[\
         {{\"path\":\"/h/.claude/skills/tea/SKILL.md\",\"name\":\"tea\",\"cells\":{{\"claude\":{{\"state\":\"in-use\",\
         \"key\":\"tea\",\"message\":\"`tea` is in use, from the source `home-claude`\"}},{unseen}}}}},\
         {{\"path\":\"/p/.claude/skills/tea/SKILL.md\",\"name\":\"tea\",\"cells\":{{\"claude\":{{\"state\":\"shadowed\",\
         \"key\":\"tea\",\"by\":\"/h/.claude/skills/tea/SKILL.md\",\"rule\":\"sources\",\
         \"message\":\"shadowed by `/h/.claude/skills/tea/SKILL.md`, which also defines `tea`: the source `home-claude` wins over `project-claude` in Claude Code (rule 8.1)\",\
         \"help\":\"rename or remove one of the two\"}},{unseen}}}}}]}}"
    );
    assert_eq!(json, expect);
}

/// A file system that remembers what it was asked for, by real paths.
struct Recording {
    fs: MemFs,
    lists: RefCell<Vec<FsPath>>,
    reads: RefCell<Vec<FsPath>>,
}

impl Fs for Recording {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.lists.borrow_mut().push(self.fs.canonical(dir).unwrap_or_else(|_| dir.clone()));
        self.fs.list(dir)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.reads.borrow_mut().push(self.fs.canonical(file).unwrap_or_else(|_| file.clone()));
        self.fs.read(file, at_most)
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.fs.metadata(path)
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        self.fs.canonical(path)
    }
}

/// In sources of the user, of the project, behind symlinks and named as roots.
#[test]
fn each_folder_is_listed_once_and_each_file_read_once() {
    let text = |name: &str| skill(&format!("name: {name}\ndescription: D"), "B");
    let mut tree = common::Tree::default();
    let mut files = BTreeSet::new();
    for source in ["/h/.claude/skills", "/h/.agents/skills", "/p/.claude/skills", "/p/.gen/skills", "/x"] {
        for (n, place) in ["one", "group/two", "a/b/c/three"].iter().enumerate() {
            let file = format!("{source}/{place}/SKILL.md");
            tree = tree.with(&file, text(&format!("s{n}"))).with(&format!("{source}/{place}/scripts/run.sh"), "");
            files.insert(path(&file));
        }
    }
    let tree =
        tree.with_link("/h/.sven/skills", "/h/.agents/skills").with_link("/p/.agents/skills", "../.claude/skills");
    let ground = common::ground::on(tree).roots(&["/x"]);
    let fs = Recording { fs: ground.tree.mem(), lists: RefCell::default(), reads: RefCell::default() };
    let matrix = of(&World::new(&fs, &ground.places, &ground.host), NAMES);
    assert_eq!(matrix.rows.len(), files.len());
    let (lists, reads) = (fs.lists.into_inner(), fs.reads.into_inner());
    assert_eq!(twice(&lists), Vec::<&FsPath>::new(), "each folder once");
    assert_eq!(twice(&reads), Vec::<&FsPath>::new(), "each file once");
    assert_eq!(reads.into_iter().filter(|file| file.name() == "SKILL.md").collect::<BTreeSet<_>>(), files);
}

/// What each client takes for a frontmatter, and how it reads it, does not depend on whether others have read it before.
#[test]
fn a_frontmatter_that_is_parsed_once_is_read_as_by_each_dialect() {
    let fields = [
        "name: s\ndescription: D",
        "name: s\ndescription: D\nmetadata:\n  author: me\nallowed-tools: [Read, Grep]",
        "name: s\ndescription: a --- b",
        "name: s\n--- \ndescription: D",
        "name: s\n---x\ndescription: D",
        "name: s\n ---\ndescription: D",
        "name: s\nname: t\ndescription: D",
        "name: 123\ndescription: yes",
        "name: [a, b]\ndescription: {a: b}",
        "name: s\ndescription: a: b",
        "name: s\ndescription: D # comment",
        "name: s\ndescription: D #comment",
        "name: &a s\ndescription: *a",
        "name: s\ndescription: |\n  one\n  two\nuser-invocable: maybe",
        "name: Straße\ndescription: Grüße\u{a0}\u{200b}",
        "name: s\ndescription: \u{7} bell",
        "name: s\r\ndescription: D",
        "name: s\rdescription: D",
        "metadata: text\nname: s\ndescription: D",
        "disable-model-invocation: \"true\"\nname: s\ndescription: D",
        "description: D",
        "name: s",
        "- a list",
        "",
    ];
    let shapes = [
        "---\n{}\n---\nB\n",
        "---\n{}\n---",
        "\n---\n{}\n---\nB",
        "---\n{}\n---\nB\0\n",
        "---\n{}\n--- x\nB",
        "---\n{}\n",
    ];
    let mut fs = MemFs::new();
    for (n, shape) in shapes.iter().enumerate() {
        for (m, fields) in fields.iter().enumerate() {
            fs.file(&format!("/s/s{n}-{m}/SKILL.md"), shape.replace("{}", fields));
        }
    }
    let places = Places { roots: vec![path("/s")], only_roots: true, ..Places::default() };
    let parsed = ParsedFrontmatters::default();
    let compare = |fs: &MemFs, case: &str| {
        for dialect in &dialects(NAMES) {
            let world = World::new(fs, &places, &());
            let (alone, shared) = (discover(&world, dialect), discover(&world.with_parsed(&parsed), dialect));
            assert_eq!(shared, alone, "{}: {case}", dialect.name());
        }
    };
    compare(&fs, "as written");
    fs.file("/s/s0-0/SKILL.md", "---\nname: s\ndescription: Changed\n---\nB\n");
    fs.file("/s/s0-1/SKILL.md", "---\nname: s\n---\nB\n");
    compare(&fs, "changed");
}

/// The paths that are there more than once.
fn twice(paths: &[FsPath]) -> Vec<&FsPath> {
    let mut once = BTreeSet::new();
    paths.iter().filter(|path| !once.insert(*path)).collect()
}
