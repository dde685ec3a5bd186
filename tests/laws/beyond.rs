//! The law of the guarantee: whatever a walk that knows no rule finds in the sources is told.

use super::grow::{self, sources};
use super::{dialects, places};
use crate::common::{Machine, Tree, path, property};
use crate::parts::part;
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use skilltree::author::Matrix;
use skilltree::fs::FileKind;
use skilltree::{CheckRequest, Code, Dialect, Fs, FsPath, MemFs, PromptRequest, World};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How many levels of folders are promised.
const LEVELS: usize = 16;

/// Names of folders, of which some are never entered.
const NAMES: &[&str] =
    &["a", "b", "c", "deep", "scripts", ".hidden", "node_modules", ".git", "synced", "dist", ".claude", "skills"];

/// Skills in folders of these names below a source, or below the sources of a folder of the project.
#[derive(Clone, Debug)]
struct Lost {
    root: Index,
    names: Vec<&'static str>,
    is_nested: bool,
}

fn lost() -> impl Strategy<Value = Vec<Lost>> {
    let names = prop_oneof![4 => vec(select(NAMES), 0..5), 1 => vec(select(NAMES), 5..20)];
    let one = (any::<Index>(), names, prop::bool::weighted(0.2));
    vec(one.prop_map(|(root, names, is_nested)| Lost { root, names, is_nested }), 1..10)
}

/// The sources that are folders, and no folders of plugins.
fn all_roots(dialect: &Dialect) -> Vec<String> {
    let commands = part(dialect, "sources").rows().filter(|rule| rule.at("kind").text() == "commands");
    let commands = commands.filter_map(|rule| match rule.at("base").text() {
        base @ ("home" | "project") => Some(format!("/{base}/{}", rule.at("path").text())),
        _ => None,
    });
    let extra = places().roots.into_iter().map(|root| root.to_string());
    sources(dialect).into_iter().map(|(_, root)| root).chain(commands).chain(extra).collect()
}

/// Every SKILL.md below a folder that is reached without a symlink.
fn walked(fs: &MemFs, root: &FsPath) -> BTreeSet<FsPath> {
    let (mut found, mut waiting) = (BTreeSet::new(), vec![(root.clone(), 0)]);
    while let Some((dir, level)) = waiting.pop() {
        for entry in fs.list(&dir).unwrap_or_default().into_iter().filter(|entry| !entry.is_symlink && !entry.is_lossy)
        {
            let at = path(&format!("{dir}/{}", entry.name));
            match entry.kind {
                FileKind::Dir if level < LEVELS => waiting.push((at, level + 1)),
                FileKind::File if entry.name == "SKILL.md" => found.extend(fs.canonical(&at).ok()),
                _ => {}
            }
        }
    }
    found
}

#[track_caller]
fn all_is_told(dialect: &Arc<Dialect>, tree: &Tree, roots: &[String]) {
    let (fs, host, places) = (tree.mem(), Machine::default(), places());
    let world = World::new(&fs, &places, &host);
    let (catalog, findings) = CheckRequest::default().check_sources(&world, dialect);
    let real = |path: &FsPath| fs.canonical(path).unwrap_or_else(|_| path.clone());
    let seen = catalog.seen().map(|seen| real(seen.path));
    let checked: BTreeSet<FsPath> = seen.chain(findings.iter().map(|finding| real(&finding.path))).collect();
    let table = Matrix::of(&world, &[Arc::clone(dialect)], &PromptRequest::default());
    let rows: BTreeSet<FsPath> = table.rows.iter().map(|row| real(&row.path)).collect();
    for root in roots {
        for file in walked(&fs, &path(root)) {
            let name = &dialect.name();
            let is_cut =
                findings.iter().any(|one| one.code == Code::LookedNoFurther && file.starts_with(&real(&one.path)));
            assert!(is_cut || checked.contains(&file), "{name}: `{file}` is not in the check: {findings:#?}");
            let is_cut = table.looked_no_further.iter().any(|one| file.starts_with(&real(&one.path)));
            assert!(is_cut || rows.contains(&file), "{name}: `{file}` is not in the matrix: {rows:#?}");
        }
    }
    let told =
        |code: Code| findings.iter().filter(move |one| one.code == code).map(|one| &one.path).collect::<Vec<_>>();
    let twice = |paths: Vec<&FsPath>| paths.len() - paths.iter().collect::<BTreeSet<_>>().len();
    assert_eq!(
        [Code::TooDeep, Code::NotEntered, Code::NestedSource].map(|code| twice(told(code))),
        [0; 3],
        "once each"
    );
}

#[test]
fn whatever_lies_in_a_source_is_told() {
    property::check("whatever_lies_in_a_source_is_told", 40, lost(), |lost| {
        for dialect in dialects() {
            let own = all_roots(&dialect);
            let below = part(&dialect, "sources").rows().filter(|rule| rule.at("reach").text() == "below");
            let nested: Vec<String> =
                below.map(|rule| format!("/project/packages/web/{}", rule.at("path").text())).collect();
            let tree = lost.iter().fold(Tree::default().with_dir("/project/.git"), |tree, one| {
                let among = if one.is_nested && !nested.is_empty() { &nested } else { &own };
                let folder = one.names.iter().fold(one.root.get(among).clone(), |at, name| format!("{at}/{name}"));
                tree.with(&format!("{folder}/SKILL.md"), "---\nname: a\ndescription: D\n---\n")
            });
            all_is_told(&dialect, &tree, &[own, nested].concat());
        }
        Ok(())
    });
}

#[test]
fn so_is_what_symlinks_lead_to() {
    property::check("so_is_what_symlinks_lead_to", 30, grow::linked(), |sketch| {
        for dialect in dialects() {
            let roots = grow::roots(&dialect);
            all_is_told(&dialect, &sketch.plan(&roots).tree(), &roots);
        }
        Ok(())
    });
}
