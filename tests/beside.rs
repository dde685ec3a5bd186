//! Files beside a SKILL.md that a dialect reads too: they are asked for only in folders whose listings show them, and
//! found wherever they are (rules 6.20 and 7.12).

use crate::common;

use common::ground::{ground, on, skill, table};
use common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::fs::{Entry, FilePrefix, FsCall};
use skilltree::{Caller, Catalog, Fs, FsError, FsPath, IncrementalDiscovery, MemFs, World, discover};

const SIDECAR: &str = "policy:\n  allow_implicit_invocation: false\n";

/// The key of each skill, and whether the model sees it.
fn skills(catalog: &Catalog) -> Vec<(String, bool)> {
    let mut skills: Vec<_> =
        catalog.skills().iter().map(|skill| (skill.key.clone(), skill.is_for(Caller::Model))).collect();
    skills.sort();
    skills
}

fn with_skill(tree: Tree, dir: &str) -> Tree {
    let name = dir.rsplit('/').next().unwrap_or_default();
    tree.with(&format!("{dir}/SKILL.md"), skill(&format!("name: {name}\ndescription: D"), "B"))
}

#[test]
fn they_are_asked_for_only_where_a_listing_shows_them() {
    let calls = |tree: Tree| {
        let ground = on(tree);
        let fs = ground.tree.mem();
        let catalog = discover(&World::new(&fs, &ground.places, &ground.host), &table("codex"));
        (catalog.skills().len(), [FsCall::Read, FsCall::Metadata, FsCall::Canonical].map(|call| fs.calls(call)))
    };
    let many = |count: usize| {
        (0..count).fold(Tree::default(), |tree, n| with_skill(tree, &format!("/h/.agents/skills/group/s{n}")))
    };
    let (found, [reads, metadata, canonical]) = calls(many(1));
    assert_eq!(found, 1);
    assert_eq!(calls(many(20)), (20, [reads + 19, metadata, canonical]), "only the SKILL.md files are read");
    let tree = many(20).with("/h/.agents/skills/group/s3/agents/openai.yaml", SIDECAR);
    let of_one_folder = [reads + 19 + 4, metadata + 3, canonical];
    assert_eq!(
        calls(tree),
        (20, of_one_folder),
        "and the file there, and three manifests of plugins in the same folder"
    );
}

/// A repeated discovery finds the same.
#[test]
fn they_are_found_wherever_they_are() {
    let base = "/h/.agents/skills";
    let mut tree = Tree::default();
    for dir in ["plain", "hidden", "linked", "broken", "group/kit/cut", "group/other/sew"] {
        tree = with_skill(tree, &format!("{base}/{dir}"));
    }
    let tree = with_skill(with_skill(tree, "/far/away/near"), "/far/tools/by-tool")
        .with(&format!("{base}/hidden/agents/openai.yaml"), SIDECAR)
        .with("/far/agents/openai.yaml", SIDECAR)
        .with_link(&format!("{base}/linked/agents"), "/far/agents")
        .with_link(&format!("{base}/broken/agents"), "/nowhere")
        .with(&format!("{base}/group/kit/.codex-plugin/plugin.json"), "{\"name\": \"kit\"}")
        .with_link(&format!("{base}/group/other/.claude-plugin"), "/far/plugin")
        .with("/far/plugin/plugin.json", "{}");
    let linked = tree
        .clone()
        .with_link(&format!("{base}/to-far"), "/far/away")
        .with("/far/away/.cursor-plugin/plugin.json", "{\"name\": \"away\"}")
        .with("/far/away/near/agents/openai.yaml", SIDECAR);
    let of_root = tree.clone().with(&format!("{base}/.codex-plugin/plugin.json"), "{\"name\": \"all\"}");
    for (case, tree) in [("folders", tree), ("a linked folder", linked), ("the root", of_root)] {
        let found = on(tree).ask(case, |world| {
            let codex = table("codex");
            let catalog = discover(world, &codex);
            let again = IncrementalDiscovery::new(codex).refresh(world);
            assert_eq!(catalog, again, "{case}");
            skills(&catalog)
        });
        let is_hidden = |key: &str| found.iter().any(|(known, model)| known.ends_with(key) && !model);
        assert!(is_hidden("hidden") && is_hidden("linked") && !is_hidden("plain"), "{case}: {found:?}");
        assert!(found.iter().any(|(key, _)| key == "kit:cut"), "{case}: {found:?}");
        assert_eq!(is_hidden("away:near"), case == "a linked folder", "{found:?}");
        assert_eq!(found.iter().any(|(key, _)| key == "all:plain"), case == "the root", "{found:?}");
    }
}

/// A file system that ignores letter case: a folder is listed as it was made, and found by any spelling.
struct AnyCase(MemFs);

impl Fs for AnyCase {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        let mut entries = self.0.list(dir)?;
        for entry in entries.iter_mut().filter(|entry| entry.name == "agents") {
            entry.name = "Agents".to_owned();
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.0.read(&path(&file.as_str().replace("/Agents/", "/agents/")), at_most)
    }
}

#[test]
fn letter_case_is_left_to_the_file_system() {
    let ground = ground("");
    let tree = with_skill(Tree::default(), "/h/.agents/skills/tea");
    let fs = AnyCase(tree.with("/h/.agents/skills/tea/agents/openai.yaml", SIDECAR).mem());
    let catalog = discover(&World::new(&fs, &ground.places, &ground.host), &table("codex"));
    assert_eq!(skills(&catalog), [("tea".to_owned(), false)]);
}
