//! The law that `list`, `why` and the matrix give one answer about each file, in every dialect and both ways of reading; and
//! the law that what either reading of a file restricts holds wherever its text is given.

use super::{dialects, grow, places, roots};
use crate::common::{Machine, Tree, path, property};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use skilltree::author::{CellState, Elsewhere, Matrix, MatrixCell};
use skilltree::fs::FileKind;
use skilltree::model::Reading;
use skilltree::{
    Caller, Catalog, Code, Dialect, Fs, FsPath, LoadRequest, Outcome, PromptRequest, Skill, State, Why, World,
    discover, load, prompt, tool, why,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many trees are made.
pub(super) const CASES: u32 = 12;

pub(super) const READINGS: [Option<Reading>; 3] = [None, Some(Reading::Faithful), Some(Reading::Repaired)];

/// A file whose flags, fences and values clients read in different ways.
fn odd_file() -> impl Strategy<Value = String> {
    let opening =
        select(&["---\n", "---\n", "---\n", "\u{feff}---\n", "\n---\n", "--- \n", "----\n", "# Tea\n---\n", ""][..]);
    let closing = select(&["---\n", "---\n", "---\n", "--- \n", "----\n", "---x\n", ""][..]);
    let line = select(
        &[
            "name: tea\n",
            "name: a\n",
            "name: Tea: pot\n",
            "name: 12\n",
            "name:\"tea\"\n",
            "description: Makes tea.\n",
            "description: Makes: tea\n",
            "description: Makes tea #1\n",
            "description:\n",
            "disable-model-invocation: true\n",
            "disable-model-invocation: \"true\"\n",
            "disable-model-invocation: yes\n",
            "disable-model-invocation: false\n",
            "disable_model_invocation: true\n",
            "user-invocable: false\n",
            "user-invocable: 'no'\n",
            "sven:\n  user_invocable_only: true\n",
            "sandbox: yes\n",
            "allowed-tools: [Read\n",
            "allowed-tools: Read, Bash(git:*)\n",
            "allowed-tools: @all: more\n",
            "scripts: [a.sh]\n",
            "metadata: text\n",
            "paths: **/*.ts\n",
            "\tx: y\n",
        ][..],
    );
    (opening, vec(line, 1..7), closing)
        .prop_map(|(opening, lines, closing)| format!("{opening}{}{closing}Boil SECRET water.\n", lines.concat()))
}

/// Odd files in the folders of all dialects, some of equal names.
pub(super) fn odd_tree() -> impl Strategy<Value = Tree> {
    let all: Vec<String> = {
        let mut all: Vec<String> = dialects().iter().flat_map(|dialect| roots(dialect)).collect();
        all.sort();
        all.dedup();
        all
    };
    let file = (
        select(all),
        select(&["tea", "a", "group/tea", "a/b/c/deep", ".hidden/tea", "SKILL.md", "group/SKILL.md/tea"][..]),
        odd_file(),
    );
    let name = prop_oneof![9 => Just("SKILL.md"), 1 => Just("skill.md")];
    vec((file, name), 1..12).prop_map(|files| {
        let at = |((root, folder, text), name)| (format!("{root}/{folder}/{name}"), text);
        let files: BTreeMap<String, String> = files.into_iter().map(at).collect();
        files.into_iter().fold(Tree::default(), |tree, (at, text)| tree.with(&at, text))
    })
}

/// A tree as others grow it, with and without symlinks, or one of odd files.
fn any_tree() -> impl Strategy<Value = Tree> {
    let all: Vec<String> = dialects().iter().flat_map(|dialect| roots(dialect)).collect();
    prop_oneof![grow::any_tree().prop_map(move |sketch| sketch.plan(&all).tree()), odd_tree()]
}

#[test]
fn one_answer_about_each_file() {
    property::check("laws::one_answer::one_answer_about_each_file", CASES, any_tree(), |tree| {
        let (fs, places, machine) = (tree.mem(), places(), Machine::default());
        for reading in READINGS {
            let world = World::new(&fs, &places, &machine).with_reading(reading);
            let dialects = dialects();
            let matrix = Matrix::of(&world, &dialects, &PromptRequest::default());
            for (column, dialect) in dialects.iter().enumerate() {
                let catalog = discover(&world, dialect);
                for row in &matrix.rows {
                    let case = format!("{}, {reading:?}: {}", dialect.name(), row.path);
                    agree(&case, &world, &catalog, &row.path, &row.cells[column])?;
                }
                for seen in catalog.seen() {
                    let real = fs.canonical(seen.path).unwrap_or_else(|_| seen.path.clone());
                    let is_it = |path: &FsPath| fs.canonical(path).is_ok_and(|path| path == real) || path == seen.path;
                    prop_assert!(matrix.rows.iter().any(|row| is_it(&row.path)), "{}: no row", seen.path);
                }
            }
        }
        Ok(())
    });
}

/// Dialects that are asked together share what was listed, read and parsed, and each of them answers as it does alone.
#[test]
fn together_as_alone() {
    property::check("laws::one_answer::together_as_alone", CASES, any_tree(), |tree| {
        let (fs, places, machine) = (tree.mem(), places(), Machine::default());
        for reading in READINGS {
            let world = World::new(&fs, &places, &machine).with_reading(reading);
            let catalogs: Vec<Catalog> = dialects().iter().map(|dialect| discover(&world, dialect)).collect();
            // What is a path as well is asked for by its path, too.
            let is_path = |asked: &&str| matches!(fs.metadata(&path(&format!("/project/{asked}"))), Ok(Some(_)));
            for asked in ["tea", "deep", "group"].into_iter().filter(|asked| !is_path(asked)) {
                let is_it = |skill: &&Skill| {
                    let folder = skill.path.parent();
                    let names = [Some(&*skill.key), Some(&*skill.name), folder.as_ref().map(FsPath::name)];
                    skill.state != State::Disabled && names.contains(&Some(asked))
                };
                let alone = catalogs.iter().filter_map(|catalog| {
                    let skill = catalog.skills().iter().find(is_it)?;
                    Some((catalog.dialect().name().to_owned(), skill.path.clone()))
                });
                let together = Elsewhere::find(&world, dialects(), asked).into_iter();
                let together: Vec<(String, FsPath)> = together.map(|one| (one.dialect, one.path)).collect();
                prop_assert_eq!(together, alone.collect::<Vec<_>>(), "{:?}: {}", reading, asked);
            }
        }
        Ok(())
    });
}

/// Holds a cell against what `why` says about the file and what is listed.
fn agree(
    case: &str,
    world: &World<'_>,
    catalog: &Catalog,
    path: &FsPath,
    cell: &MatrixCell,
) -> Result<(), TestCaseError> {
    let real = world.fs.canonical(path).unwrap_or_else(|_| path.clone());
    let is_it = |other: &FsPath| other == path || world.fs.canonical(other).is_ok_and(|other| other == real);
    // A dialect may know the file by another path.
    let known = catalog.seen().find(|seen| is_it(seen.path)).map_or(path, |seen| seen.path);
    let told = why(world, catalog, known.as_str(), &PromptRequest::default());
    let of_it = told.iter().filter(|told| is_it(&told.path)).max_by_key(|told| (told.path == *known, rank(told)));
    // Of the folders that hold it, the innermost says most.
    let above = told.iter().filter(|told| known.starts_with(&told.path)).max_by_key(|told| told.path.depth());
    // Of a folder named SKILL.md that the dialect does not know, it is told what lies in it.
    let is_dir = world.fs.metadata(path).ok().flatten().is_some_and(|found| found.kind == FileKind::Dir);
    if of_it.or(above).is_none() && is_dir && !told.is_empty() {
        let is_none = matches!(cell.state, CellState::Skipped | CellState::Unseen);
        prop_assert!(is_none, "{}: the cell is {:?}, why says {:?}", case, cell, told);
        return Ok(());
    }
    let answer = of_it.or(above).or(told.first());
    let Some(answer) = answer else { return Err(TestCaseError::fail(format!("{case}: why has no answer"))) };
    let expected = match cell.state {
        CellState::Unseen => (Outcome::Skipped, true),
        CellState::Skipped => (Outcome::Skipped, false),
        CellState::Shadowed => (Outcome::Shadowed, false),
        CellState::Hidden => (Outcome::Hidden, false),
        CellState::LeftOut | CellState::NameOnly => (Outcome::LeftOut, false),
        CellState::InUse => (Outcome::InUse, false),
    };
    let got = (answer.outcome, answer.code == Some(Code::NotInSource));
    prop_assert_eq!(got, expected, "{}: the cell is {:?}, why says {:?}", case, cell, answer);
    if known != path {
        let told = why(world, catalog, path.as_str(), &PromptRequest::default());
        let is_told = told.iter().any(|told| told.outcome == expected.0 || told.code == Some(Code::SameFile));
        prop_assert!(is_told, "{}: the cell is {:?}, why says of this path {:?}", case, cell, told);
    }
    // A file that is passed over at several paths has a reason at each, and the cell has one of them. A folder named SKILL.md
    // has as many as lie in it, so of these only the states are compared.
    let reason = |why: &Why| (why.rule, why.code);
    let of_real = || why(world, catalog, real.as_str(), &PromptRequest::default());
    let is_cells = |told: &Why| reason(told) == (cell.rule, cell.code);
    let is_other = cell.state == CellState::Skipped
        && (is_dir
            || told.iter().any(|told| is_it(&told.path) && is_cells(told))
            || catalog.findings().iter().any(|found| Some(found.code) == cell.code && is_it(&found.path))
            || real != *path && of_real().iter().any(is_cells));
    if !is_other {
        let case = format!("{case}: the cell is {cell:?}, why says {answer:?}");
        prop_assert_eq!((cell.rule, cell.code), reason(answer), "{}", case);
    }
    let used = catalog.skills().iter().find(|skill| is_it(&skill.path));
    let is_used = matches!(cell.state, CellState::InUse | CellState::NameOnly | CellState::LeftOut | CellState::Hidden);
    prop_assert_eq!(used.is_some(), is_used, "{}: {:?}", case, cell);
    prop_assert_eq!(used.is_some_and(|skill| skill.repaired), cell.repaired, "{}", case);
    if let Some(skill) = used {
        prop_assert_eq!(skill.as_read().is_for(Caller::Model), cell.state != CellState::Hidden, "{}: {:?}", case, cell);
        prop_assert_eq!(Some(&skill.key), cell.key.as_ref(), "{}", case);
    }
    let is_shadowed = catalog.shadowed().iter().any(|shadowed| is_it(&shadowed.skill.path));
    prop_assert_eq!(is_shadowed, cell.state == CellState::Shadowed, "{}: {:?}", case, cell);
    if cell.state == CellState::Skipped {
        // A finding about the file, or about a folder that holds it, unless no discovery goes there. That a link leads nowhere
        // or to a file of another name is told also of one where no discovery goes.
        let is_above = |found: &FsPath| path.starts_with(found) || real.starts_with(found);
        let has_finding = catalog.findings().iter().any(|found| is_it(&found.path) || is_above(&found.path));
        let is_to_other_name = real != *path && cell.code == Some(Code::NotSkillFile);
        prop_assert!(
            has_finding
                || is_to_other_name
                || matches!(cell.code, Some(Code::NoSkill | Code::TooDeep | Code::NotEntered | Code::BrokenSymlink)),
            "{}: no finding, {:?}",
            case,
            cell
        );
    }
    Ok(())
}

/// Notes that a file is the same as another matter least.
fn rank(why: &Why) -> (bool, Outcome) {
    (why.code != Some(Code::SameFile), why.outcome)
}

#[test]
fn what_either_reading_restricts_holds() {
    property::check("laws::one_answer::what_either_reading_restricts_holds", CASES * 4, odd_tree(), |tree| {
        let (fs, places, machine) = (tree.mem(), places(), Machine::default());
        for dialect in dialects() {
            let catalogs = READINGS.map(|reading| {
                let world = World::new(&fs, &places, &machine).with_reading(reading);
                (world, discover(&world, &dialect))
            });
            for (world, catalog) in &catalogs {
                restricted(&dialect, world, catalog, &catalogs)?;
            }
        }
        Ok(())
    });
}

/// Holds what a catalog gives against what the readings of the same files forbid.
fn restricted(
    dialect: &Arc<Dialect>,
    world: &World<'_>,
    catalog: &Catalog,
    all: &[(World<'_>, Catalog)],
) -> Result<(), TestCaseError> {
    let section = prompt(world, catalog, &PromptRequest::default());
    let schema = tool(catalog).map(|tool| tool.input_schema.to_string()).unwrap_or_default();
    for skill in catalog.skills() {
        let readings = all.iter().filter_map(|(_, other)| other.skills().iter().find(|other| other.path == skill.path));
        for other in readings.map(|other| other.as_read()) {
            for (caller, is_forbidden) in
                [(Caller::Model, other.frontmatter.not_for_model), (Caller::User, other.frontmatter.not_for_user)]
            {
                if !is_forbidden {
                    continue;
                }
                let case = format!("{}: {} for {}", dialect.name(), skill.path, caller.as_str());
                prop_assert!(load(world, catalog, skill, &LoadRequest::new(caller)).is_err(), "{}", case);
                // A key that several skills have names none of them.
                let is_only = catalog.skills().iter().filter(|other| other.key == skill.key).count() == 1;
                prop_assert!(!is_only || catalog.find(&skill.key, caller).is_err(), "{}", case);
                if caller == Caller::Model && is_only {
                    prop_assert!(!section.shown.contains(&skill.key), "{}: in the prompt", case);
                    prop_assert!(!schema.contains(&format!("\"{}\"", skill.key)), "{}: in the tool", case);
                }
            }
        }
    }
    Ok(())
}
