//! Files that are being worked on (rule 2.14): which sources below the project they bring into play, and that the work
//! depends on the length of the way to them and not on the size of the repository. In memory and on the disk.

use crate::common;

use common::ground::{Ground, ground, on, skill, table, told};
use common::recording::Recording;
use common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::fs::FsCall;
use skilltree::{Catalog, Dialect, FsPath, IncrementalDiscovery, World, discover};
use std::sync::Arc;

/// The dialects with sources below the project.
const DIALECTS: [&str; 2] = ["claude", "cursor"];

/// How many calls each folder on the way may cost, as long as no source is found in it.
const MAX_CALLS_PER_FOLDER: usize = 4;

/// The folders on the way to [`FILE`].
const WAY: &str = "/p/d1/d2/d3/d4/d5/d6/d7/d8/d9/d10";
const FILE: &str = "/p/d1/d2/d3/d4/d5/d6/d7/d8/d9/d10/file.rs";

/// What is discovered in a world, and the calls that it took.
fn discovered(world: &World<'_>, dialect: &Arc<Dialect>) -> (Catalog, Vec<(FsCall, FsPath)>) {
    let recording = Recording::new(world.fs);
    let catalog = discover(&World::new(&recording, world.places, world.host), dialect);
    (catalog, recording.calls())
}

/// The same ground with these files being worked on.
fn touching(ground: &Ground, files: &[&str]) -> Ground {
    let mut touching = ground.clone();
    touching.places.touched = files.iter().map(|file| path(file)).collect();
    touching
}

/// The paths of the skills that are in use.
fn skills(catalog: &Catalog) -> Vec<String> {
    catalog.skills().iter().map(|skill| skill.path.to_string()).collect()
}

/// A skill in a folder of skills of each of the [`DIALECTS`] in this folder.
fn with_skill(tree: Tree, folder: &str, name: &str) -> Tree {
    let text = skill(&format!("name: {name}\ndescription: Of {folder}."), "Do it.");
    DIALECTS
        .iter()
        .fold(tree, |tree, dialect| tree.with(&format!("{folder}/.{dialect}/skills/{name}/SKILL.md"), text.clone()))
}

/// The path of that skill.
fn skill_in(folder: &str, dialect: &str, name: &str) -> String {
    format!("{folder}/.{dialect}/skills/{name}/SKILL.md")
}

/// A repository with this many folders, twice, in each folder on the way to [`FILE`], and with skills in some of them,
/// which that file does not bring into play.
fn repository(folders_beside: usize) -> Tree {
    let mut tree = with_skill(Tree::default(), "/p", "top").with_dir("/p/.git").with(FILE, "fn main() {}\n");
    let mut folder = path(WAY);
    while folder.depth() > 0 {
        for n in 0..folders_beside {
            tree = tree.with_dir(&format!("{folder}/beside{n}/inner"));
        }
        tree = with_skill(tree, &format!("{folder}/beside0"), "beside");
        folder = folder.parent().expect("there are folders above");
    }
    tree
}

#[test]
fn the_work_depends_on_the_way_and_not_on_the_repository() {
    // More than four thousand folders in memory, and a few on the disk, cost the same.
    let (large, ground) = (repository(200).mem(), on(repository(3)));
    let levels = path(FILE).depth() - path("/p").depth();
    for dialect in DIALECTS {
        let table = table(dialect);
        let (keys, before) = ground.ask(dialect, |world| {
            let (catalog, calls) = discovered(world, &table);
            (skills(&catalog), calls)
        });
        assert_eq!(keys, [skill_in("/p", dialect, "top")], "{dialect}: untouched");
        let (same, after) = touching(&ground, &[FILE]).ask(dialect, |world| {
            let (catalog, calls) = discovered(world, &table);
            (skills(&catalog), calls)
        });
        assert_eq!(same, keys, "{dialect}: nothing lies on the way");
        let places = touching(&ground, &[FILE]).places;
        let (catalog, in_large) = discovered(&World::new(&large, &places, &ground.host), &table);
        assert_eq!((skills(&catalog), in_large), (same, after.clone()), "{dialect}: a large repository");
        assert!(before.len() < after.len(), "{dialect}: the folders on the way are looked at");
        let more = after.len() - before.len();
        assert!(more <= MAX_CALLS_PER_FOLDER * levels, "{dialect}: {more} calls for {levels} folders");
        let lists = |calls: &[(FsCall, FsPath)]| calls.iter().filter(|(call, _)| *call == FsCall::List).count();
        assert_eq!(lists(&after), lists(&before), "{dialect}: no folder of the repository is listed");
        let is_beside = |(_, at): &&(FsCall, FsPath)| at.as_str().contains("beside");
        assert_eq!(after.iter().find(is_beside), None, "{dialect}: nothing off the way is asked for");
    }
}

#[test]
fn sources_are_found_on_the_way_only() {
    let on_the_way = ["/p/d1", "/p/d1/d2/d3/d4", WAY];
    let mut tree = repository(3);
    for (n, folder) in on_the_way.iter().enumerate() {
        tree = with_skill(tree, folder, &format!("way{n}"));
    }
    let ground = on(with_skill(tree, &format!("{WAY}/below"), "below"));
    for dialect in DIALECTS {
        let table = table(dialect);
        let found = |files: &[&str]| {
            touching(&ground, files).ask(dialect, |world| {
                let (catalog, calls) = discovered(world, &table);
                let mut found = skills(&catalog);
                found.sort();
                (found, calls)
            })
        };
        let expected = |folders: &[&str]| {
            let way = folders.iter().enumerate().map(|(n, folder)| skill_in(folder, dialect, &format!("way{n}")));
            let mut expected: Vec<String> = way.chain([skill_in("/p", dialect, "top")]).collect();
            expected.sort();
            expected
        };
        let (all, calls) = found(&[FILE]);
        assert_eq!(all, expected(&on_the_way), "{dialect}: the whole way");
        let is_foreign = |(call, at): &&(FsCall, FsPath)| {
            *call == FsCall::List && at.starts_with(&path("/p")) && !at.as_str().contains("/skills")
        };
        let is_beside = |(_, at): &&(FsCall, FsPath)| at.as_str().contains("beside");
        assert_eq!(calls.iter().find(is_foreign), None, "{dialect}: only folders of skills are listed");
        assert_eq!(calls.iter().find(is_beside), None, "{dialect}: nothing off the way is asked for");

        assert_eq!(found(&["/p/d1/other.rs"]).0, expected(&on_the_way[..1]), "{dialect}: a part of the way");
        assert_eq!(found(&["/p/d1/d2/d3/d4"]).0, expected(&on_the_way[..2]), "{dialect}: a folder itself");
        let twice = ["/p/d1/other.rs", FILE, FILE, "/p/d1/d2/x"];
        assert_eq!(found(&twice).0, expected(&on_the_way), "{dialect}: several files, each folder once");
    }
}

#[test]
fn a_file_elsewhere_or_nowhere_is_harmless() {
    let tree = ["/p", "/p/a", "/x", "/h", "/prefix"]
        .iter()
        .fold(Tree::default(), |tree, folder| with_skill(tree, folder, if *folder == "/p" { "top" } else { "other" }));
    let ground = on(tree.with("/p/a/file.rs", "").with("/x/file.rs", "").with_link("/p/out", "/x"));
    for dialect in DIALECTS {
        let table = table(dialect);
        let all = |files: &[&str]| touching(&ground, files).ask(dialect, |world| told(&discover(world, &table)));
        let untouched = all(&[]);
        let elsewhere =
            ["/x/file.rs", "/", "/p", "/h/file.rs", "/prefix/file.rs", "/nowhere/at/all", "/p/no/such/file"];
        for file in elsewhere {
            assert_eq!(all(&[file]), untouched, "{dialect}: {file}");
        }
        assert_eq!(all(&elsewhere), untouched, "{dialect}: all of these");
        let deep = format!("/p{}", "/n".repeat(1_000));
        assert_eq!(all(&[&deep]), untouched, "{dialect}: a thousand folders that do not exist");
        // A file that is yet to be written counts for the folders that exist.
        assert_ne!(all(&["/p/a/b/new.rs"]), untouched, "{dialect}: a new file");
        assert_eq!(all(&["/p/a/b/new.rs"]), all(&["/p/a/file.rs"]), "{dialect}: a new file");

        // A symlink of the project does not bring in skills from elsewhere.
        let of = |files: &[&str]| touching(&ground, files).ask(dialect, |world| skills(&discover(world, &table)));
        assert_eq!(of(&["/p/out/file.rs"]), of(&[]), "{dialect}: a symlink out of the project");
    }
}

#[test]
fn folders_that_git_ignores_are_left_out() {
    // The lines of the file in the project, the folder of a skill, and whether the skill is found.
    const CASES: &[(&str, &str, bool)] = &[
        ("", "/p/dist/web", true),
        ("dist/", "/p/dist", false),
        ("dist/", "/p/dist/web", false),
        ("dist/", "/p/apps/dist/web", false),
        ("dist/", "/p/distance/web", true),
        ("# dist/", "/p/dist/web", true),
        ("/build", "/p/build/web", false),
        ("/build", "/p/apps/build", true),
        ("*.tmp", "/p/apps/x.tmp", false),
        ("*.tmp", "/p/apps/x.tmp/y", false),
        ("*.tmp", "/p/apps/tmp", true),
        ("*.tmp\n!kept.tmp", "/p/kept.tmp/web", true),
        ("!kept.tmp\n*.tmp", "/p/kept.tmp/web", false),
        ("dist/\n!dist/web", "/p/dist/web", false),
        ("dist/*\n!dist/web", "/p/dist/web", true),
        ("dist/*\n!dist/web", "/p/dist/api", false),
        ("apps/*/out", "/p/apps/web/out", false),
        ("apps/*/out", "/p/apps/out", true),
        ("apps/**/out", "/p/apps/a/b/out", false),
        ("dist/\r\n*.tmp\r\n", "/p/dist/web", false),
        ("dist/   ", "/p/dist/web", false),
    ];
    for (lines, folder, is_found) in CASES {
        for dialect in DIALECTS {
            let tree = with_skill(Tree::default(), folder, "inner").with("/p/.gitignore", *lines);
            let file = format!("{folder}/file.rs");
            let case = format!("{dialect}: {lines:?} and {folder}");
            let table = table(dialect);
            let (found, calls) = touching(&on(tree), &[&file]).ask(&case, |world| {
                let (catalog, calls) = discovered(world, &table);
                (skills(&catalog), calls)
            });
            let expected: Vec<_> = is_found.then(|| skill_in(folder, dialect, "inner")).into_iter().collect();
            assert_eq!(found, expected, "{case}");
            let is_searched = calls.iter().any(|(_, at)| at.as_str().ends_with(&format!(".{dialect}/skills/inner")));
            assert!(*is_found || !is_searched, "{case}: an excluded folder is not searched");
        }
    }
}

#[test]
fn inner_gitignore_files_count_for_their_folders() {
    let tree = ["/p/a/out", "/p/a/kept", "/p/b/out"]
        .iter()
        .fold(Tree::default(), |tree, folder| with_skill(tree, folder, folder.rsplit('/').next().expect("a name")))
        .with("/p/.gitignore", "kept/\n")
        .with("/p/a/.gitignore", "out/\n!kept/\n");
    let ground = touching(&on(tree), &["/p/a/out/x", "/p/a/kept/x", "/p/b/out/x"]);
    for dialect in DIALECTS {
        let found = ground.of(dialect, dialect, |_, catalog| {
            let mut found = skills(catalog);
            found.sort();
            found
        });
        let expected = [skill_in("/p/a/kept", dialect, "kept"), skill_in("/p/b/out", dialect, "out")];
        assert_eq!(found, expected, "{dialect}");
    }
}

#[test]
fn refreshing_with_other_files_is_a_fresh_discovery() {
    let tree = ["/p", "/p/a", "/p/a/b", "/p/c"].iter().fold(Tree::default(), |tree, folder| {
        // The same name everywhere: each file changes what the name means.
        with_skill(with_skill(tree, folder, "deploy"), folder, &format!("of{}", folder.replace('/', "-")))
    });
    let patterned = skill("description: For Rust.\npaths: \"*.rs\"", "Do it.");
    let tree = DIALECTS
        .iter()
        .fold(tree, |tree, dialect| tree.with(&format!("/p/.{dialect}/skills/rust/SKILL.md"), patterned.clone()));
    let ground = on(tree);
    let moments: &[&[&str]] =
        &[&[], &["/p/a/b/x.rs"], &["/p/c/x.md"], &["/p/c/x.md", "/p/a/x.rs"], &["/p/a/b/x.rs"], &[], &["/p/x.rs"]];
    for dialect in DIALECTS {
        let table = table(dialect);
        let said = ground.ask(dialect, |world| {
            let mut live = IncrementalDiscovery::new(Arc::clone(&table));
            let mut said = Vec::new();
            for files in moments {
                let places = touching(&ground, files).places;
                let world = World::new(world.fs, &places, world.host);
                let visible = |catalog: &Catalog| {
                    let offered = catalog.skills().iter().map(|skill| skill.visibility().as_str());
                    (told(catalog), offered.collect::<Vec<_>>())
                };
                let fresh = visible(&discover(&world, &table));
                assert_eq!(visible(&live.refresh(&world)), fresh, "{dialect}: {files:?}");
                said.push(fresh);
            }
            said
        });
        assert_eq!(said[0], said[5], "{dialect}: nothing is touched any more");
        assert_eq!(said[1], said[4], "{dialect}: the same file again");
        assert!(said[..6].windows(2).all(|pair| pair[0] != pair[1]), "{dialect}: each file makes a difference");
        // The field `paths` hides no skill in the Cursor SDK 1.0.32.
        assert_eq!(said[5] == said[6], dialect == "cursor", "{dialect}: a file that a pattern matches");
    }
}

#[test]
fn a_nested_folder_that_cannot_be_read_is_reported() {
    let mut fs = ground("//- /p/a/file.rs\n\n").tree.mem();
    fs.dir("/p/a/.claude/skills").unreadable("/p/a/.claude/skills");
    let ground = touching(&ground(""), &["/p/a/file.rs"]);
    let catalog = discover(&World::new(&fs, &ground.places, &ground.host), &table("claude"));
    assert_eq!(told(&catalog), ["error source-unreadable /p/a/.claude/skills"]);
}
