//! Laws of discovery: what is found does not depend on chance, nothing vanishes, disk and memory agree.

use super::grow::{Item, Plan, linked, plain, plugins, roots, sources};
use super::{account, dialects, with_catalog};
use crate::common::{Machine, property};
use crate::parts::{Part, part};
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use skilltree::model::Reading;
use skilltree::{Caller, Code, Dialect, Fs, FsPath, MemFs, Skill};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

pub(crate) fn machine() -> Machine {
    Machine { off: BTreeSet::from(["b".to_owned()]), ..Machine::default() }
}

#[test]
fn the_order_in_which_files_were_added_does_not_matter() {
    let order = vec(any::<u16>(), 0..60);
    property::check("the_order_in_which_files_were_added_does_not_matter", 150, (linked(), order), |(tree, order)| {
        for dialect in dialects() {
            let plan = tree.plan(&roots(&dialect));
            let first = with_catalog(&plan.tree().mem(), &machine(), &dialect, |_, catalog| account(catalog));
            let again = plan.ordered(&order).mem();
            let again = with_catalog(&again, &machine(), &dialect, |_, catalog| account(catalog));
            assert_eq!(first, again, "{}", dialect.name());
        }
        Ok(())
    });
}

#[test]
fn a_lower_source_never_changes_a_winner() {
    let trees = (plain(), plain(), any::<Index>());
    property::check("a_lower_source_never_changes_a_winner", 150, trees, |(above, below, border)| {
        // Elsewhere a key may come to be shared, or be given to another skill (rule 8.8).
        let shadows = |dialect: &Arc<Dialect>| matches!(part(dialect, "equal_keys").text(), "shadow" | "undetermined");
        for dialect in dialects().into_iter().filter(shadows) {
            let roots = roots(&dialect);
            let (lower, higher) = roots.split_at(1 + border.index(roots.len() - 1));
            let plan = above.plan(higher);
            let below = below.plan(lower);
            let winners = |plan: &Plan| -> BTreeMap<String, FsPath> {
                with_catalog(&plan.tree().mem(), &(), &dialect, |_, catalog| {
                    catalog.skills().iter().map(|skill| (skill.key.clone(), skill.path.clone())).collect()
                })
            };
            let before = winners(&plan);
            let mut both = below.clone();
            both.0.extend(plan.0);
            let after = winners(&both);
            for (key, winner) in before {
                assert_eq!(Some(&winner), after.get(&key), "{}: the winner of `{key}`", dialect.name());
            }
        }
        Ok(())
    });
}

#[test]
fn keys_are_unique_and_found() {
    property::check("keys_are_unique_and_found", 150, linked(), |tree| {
        for dialect in dialects().into_iter().filter(|dialect| !part(dialect, "equal_keys").text().ends_with("keep")) {
            let plan = tree.plan(&roots(&dialect));
            with_catalog(&plan.tree().mem(), &machine(), &dialect, |_, catalog| {
                let keys: BTreeSet<&str> = catalog.skills().iter().map(|skill| skill.key.as_str()).collect();
                assert_eq!(keys.len(), catalog.skills().len(), "{}", dialect.name());
                for skill in catalog.skills() {
                    assert_eq!(catalog.get(&skill.key), Some(skill));
                }
                let in_any_case = part(&dialect, "equal_keys").text() == "shadow-in-any-case";
                for shadowed in catalog.shadowed() {
                    let key = &shadowed.skill.key;
                    let is_winner = |skill: &&Skill| match in_any_case {
                        true => skill.key.to_lowercase() == key.to_lowercase(),
                        false => skill.key == *key,
                    };
                    let winner = catalog.skills().iter().find(is_winner).map(|winner| &winner.path);
                    assert_eq!(winner, Some(&shadowed.by), "{}: who shadows", dialect.name());
                }
            });
        }
        Ok(())
    });
}

/// How a source is searched, as its dialect says.
struct Search<'d> {
    root: &'d str,
    depth: Option<usize>,
    reserved: Vec<&'static str>,
    skipped: Vec<&'static str>,
    skipped_parts: Vec<&'static str>,
    /// Whether skills lie in the folders of skills.
    is_nested: bool,
    /// Whether a file of another letter case is no SKILL.md.
    is_exact: bool,
    reads_root: bool,
    enters_hidden: bool,
    linked_folders: &'static str,
}

impl<'d> Search<'d> {
    /// How a folder is searched; without a rule for its source it is a search root.
    fn of(dialect: &'d Dialect, root: &'d str, source: Option<Part>) -> Search<'d> {
        let rule = part(dialect, "scan");
        let own = source.map(|source| source.at("hidden")).filter(|own| !own.is_null());
        let linked_folders = source.map(|source| source.at("linked_folders")).filter(|own| !own.is_null());
        Search {
            root,
            depth: rule.at("depth").number(),
            reserved: rule.at("reserved").texts(),
            skipped: rule.at("skipped").texts(),
            skipped_parts: rule.at("skipped_parts").texts(),
            is_nested: rule.at("nested").text() == "yes",
            is_exact: dialect.reading() == Reading::Faithful,
            reads_root: rule.at("root").text() == "yes",
            enters_hidden: own.unwrap_or(rule.at("hidden")).text() == "yes",
            linked_folders: linked_folders.map_or("followed", Part::text),
        }
    }

    /// How one of the [`roots`] is searched.
    fn of_root(dialect: &'d Dialect, root: &'d str) -> Search<'d> {
        let source = sources(dialect).into_iter().find(|(_, at)| at == root).map(|(source, _)| source);
        Search::of(dialect, root, source)
    }

    /// Whether a folder of this name is never entered in a folder at this level (rule 3.2).
    fn is_skipped(&self, name: &str, level: usize) -> bool {
        let is_reserved = level == 0 && self.reserved.iter().any(|known| known.eq_ignore_ascii_case(name));
        let is_hidden = !self.enters_hidden && name.starts_with('.');
        let has_part = self.skipped_parts.iter().any(|part| name.contains(part));
        is_reserved || is_hidden || has_part || self.skipped.contains(&name)
    }
}

/// Every SKILL.md below a source, by real path, as a reader of the rules would look for them: no folder that is
/// never entered, no link to a folder above itself or above the source, none deeper than one folder below the limit (rules
/// 3.1, 3.2 and 3.7). And the links of a project's source that lead out of the project, into none of the other sources.
fn by_hand(plan: &Plan, fs: &MemFs, search: &Search<'_>, roots: &[&str]) -> (BTreeSet<FsPath>, BTreeSet<FsPath>) {
    let real = |at: &str| FsPath::new(at).ok().and_then(|at| fs.canonical(&at).ok());
    let (mut found, mut refused) = (BTreeSet::new(), BTreeSet::new());
    let is_projects = search.root.starts_with("/project/");
    let mut allowed: Vec<FsPath> = real("/project").into_iter().collect();
    allowed.extend(roots.iter().filter(|root| !root.starts_with("/project/")).filter_map(|root| real(root)));
    let may_lead_to = |target: &FsPath| !is_projects || allowed.iter().any(|folder| target.starts_with(folder));
    let Some(root) = real(search.root) else { return (found, refused) };
    if !may_lead_to(&root) {
        refused.extend(FsPath::new(search.root));
        return (found, refused);
    }
    let mut entered = BTreeSet::from([root.clone()]);
    // Level by level, so that each folder is entered by the shortest way.
    let mut waiting = VecDeque::from([(root.clone(), 0)]);
    let inside = |dir: &FsPath| {
        let inside = plan.0.range(format!("{dir}/")..format!("{dir}0"));
        let start = dir.as_str().len() + 1;
        inside.filter(move |(at, _)| !at[start..].contains('/')).map(move |(at, item)| (at, &at[start..], item))
    };
    let is_skill = |name: &str, target: &FsPath| {
        matches!(plan.0.get(target.as_str()), Some(Item::File(_))) && name.eq_ignore_ascii_case("SKILL.md")
    };
    while let Some((dir, level)) = waiting.pop_front() {
        let is_read = (level > 0 || search.reads_root) && search.depth.is_none_or(|depth| level <= depth);
        let has_skill = is_read
            && inside(&dir).any(|(at, name, _)| {
                let is_named_so = !search.is_exact || name == "SKILL.md";
                is_named_so && real(at).is_some_and(|target| is_skill(name, &target))
            });
        for (at, name, item) in inside(&dir) {
            let Some(target) = real(at) else { continue };
            let is_dir = matches!(plan.0.get(target.as_str()), Some(Item::Dir));
            let is_link = matches!(item, Item::Link(_));
            let leads_back = is_link && (dir.starts_with(&target) || root.starts_with(&target));
            let is_ignored = is_link && (name == "SKILL.md" || search.linked_folders == "ignored");
            let is_too_deep = search.depth.is_some_and(|depth| depth < level);
            let is_outside = search.linked_folders == "inside" && !target.starts_with(&root);
            if is_skill(name, &target) {
                found.insert(target);
                continue;
            }
            if has_skill && !search.is_nested {
                // Rule 3.18: skills do not lie in skills.
                continue;
            }
            if !is_dir || search.is_skipped(name, level) || leads_back || is_ignored || is_too_deep {
                continue;
            }
            if is_link && !may_lead_to(&target) {
                refused.extend(FsPath::new(at));
            } else if is_link && is_outside {
                continue;
            } else if is_link && search.linked_folders == "own-skill" {
                let own = inside(&target).filter_map(|(at, name, _)| Some((name, real(at)?)));
                found.extend(own.filter(|(name, target)| is_skill(name, target)).map(|(_, target)| target));
            } else if entered.insert(target.clone()) {
                waiting.push_back((target, level + 1));
            }
        }
    }
    (found, refused)
}

/// Checks that discovery tells of each SKILL.md that is found by hand, and of each link that leads out.
#[track_caller]
fn nothing_vanishes(dialect: &Arc<Dialect>, plan: &Plan, searches: &[Search<'_>]) {
    let fs = plan.tree().mem();
    let (told, left_out) = with_catalog(&fs, &machine(), dialect, |_, catalog| {
        let seen = catalog.seen().map(|seen| seen.path.clone());
        let named = catalog.findings().iter().map(|finding| finding.path.clone());
        let told: BTreeSet<FsPath> = seen.chain(named).filter_map(|path| fs.canonical(&path).ok()).collect();
        let left_out = catalog.findings().iter().filter(|finding| finding.code == Code::LeadsOut);
        // A folder that links lead to stands at one path: its own links are told of by their names there.
        let left_out: BTreeSet<String> = left_out.map(|finding| finding.path.name().to_owned()).collect();
        (told, left_out)
    });
    let roots: Vec<&str> = searches.iter().map(|search| search.root).collect();
    for search in searches {
        let root = search.root;
        let (files, refused) = by_hand(plan, &fs, search, &roots);
        for file in files {
            assert!(told.contains(&file), "{}: `{file}` has vanished from {root}\n{plan:#?}", dialect.name());
        }
        for link in refused {
            let is_told = left_out.contains(link.name());
            assert!(is_told, "{}: `{link}` has vanished from {root}\n{plan:#?}", dialect.name());
        }
    }
}

#[test]
fn no_skill_file_vanishes() {
    property::check("no_skill_file_vanishes", 400, linked(), |tree| {
        for dialect in dialects() {
            let roots = roots(&dialect);
            let searches: Vec<Search<'_>> = roots.iter().map(|root| Search::of_root(&dialect, root)).collect();
            nothing_vanishes(&dialect, &tree.plan(&roots), &searches);
        }
        Ok(())
    });
}

/// Where all is in one source, more symlinks of it lead to its own folders.
#[test]
fn no_skill_file_vanishes_from_a_source() {
    property::check("no_skill_file_vanishes_from_a_source", 400, (linked(), any::<Index>()), |(tree, root)| {
        for dialect in dialects() {
            let roots = roots(&dialect);
            let searches: Vec<Search<'_>> = roots.iter().map(|root| Search::of_root(&dialect, root)).collect();
            nothing_vanishes(&dialect, &tree.plan(&[root.get(&roots).clone()]), &searches);
        }
        Ok(())
    });
}

/// Plugins of one folder have the same rank, and so leave to an earlier one what it has.
#[test]
fn no_skill_file_vanishes_from_a_plugin() {
    property::check("no_skill_file_vanishes_from_a_plugin", 400, linked(), |tree| {
        for dialect in dialects() {
            for (source, folders) in plugins(&dialect) {
                let searches: Vec<Search<'_>> =
                    folders.iter().map(|root| Search::of(&dialect, root, Some(source))).collect();
                let mut plan = tree.plan(&folders);
                // Where packages lie beside plugins, it is the manifest that makes a folder a plugin.
                let manifests = part(&dialect, "plugin_manifests").texts();
                let manifest = manifests.first().filter(|_| !part(&dialect, "packages").is_null());
                // A client may also need one that says more than nothing.
                let needed = Some(source.at("kind.plugins.manifest").text()).filter(|name| !name.is_empty());
                let text = br#"{"name": "a", "version": "1"}"#;
                let manifests =
                    manifest.map(|name| (*name, &b"{}"[..])).into_iter().chain(needed.map(|name| (name, &text[..])));
                for (name, text) in manifests {
                    for folder in &folders {
                        let plugin = folder.rsplit_once('/').expect("a folder in a plugin").0;
                        plan.0.insert(format!("{plugin}/{name}"), Item::File(text.to_vec()));
                    }
                }
                nothing_vanishes(&dialect, &plan, &searches);
            }
        }
        Ok(())
    });
}

#[test]
fn what_is_skipped_has_its_finding() {
    property::check("what_is_skipped_has_its_finding", 150, linked(), |tree| {
        for dialect in dialects() {
            let plan = tree.plan(&roots(&dialect));
            with_catalog(&plan.tree().mem(), &machine(), &dialect, |_, catalog| {
                for seen in catalog.seen() {
                    let skilltree::discovery::FileStatus::Skipped(code) = seen.status else { continue };
                    let is_named =
                        |finding: &&skilltree::Diagnostic| finding.path == *seen.path && finding.code == code;
                    assert!(catalog.findings().iter().any(|finding| is_named(&finding)), "{}: {code}", seen.path);
                }
            });
        }
        Ok(())
    });
}

#[test]
fn a_child_has_its_parent() {
    property::check("a_child_has_its_parent", 150, linked(), |tree| {
        for dialect in dialects() {
            let plan = tree.plan(&roots(&dialect));
            with_catalog(&plan.tree().mem(), &(), &dialect, |_, catalog| {
                for parent in catalog.skills() {
                    let mut told = catalog.children(parent, Caller::Model);
                    let is_child = |skill: &&Skill| {
                        let above = catalog.skills().iter().filter(|above| is_above(&dialect, above, skill));
                        let nearest = above.max_by_key(|above| line(&dialect, above).len());
                        nearest == Some(parent) && skill.is_for(Caller::Model)
                    };
                    let mut own: Vec<&Skill> = catalog.skills().iter().filter(is_child).collect();
                    // Where skills keep equal keys, these do not say which comes first.
                    own.sort_by(|a, b| (&a.key, &a.path).cmp(&(&b.key, &b.path)));
                    told.sort_by(|a, b| (&a.key, &a.path).cmp(&(&b.key, &b.path)));
                    assert_eq!(told, own, "{}: {}", dialect.name(), parent.key);
                }
            });
        }
        Ok(())
    });
}

/// What a dialect sees nesting by.
fn line(dialect: &Dialect, skill: &Skill) -> String {
    if is_by_folder(dialect) { skill.dir().to_string() } else { skill.key.clone() }
}

fn is_by_folder(dialect: &Dialect) -> bool {
    part(dialect, "children").text() == "by-folder"
}

fn is_above(dialect: &Dialect, above: &Skill, skill: &Skill) -> bool {
    let is_level = |rest: &str| rest.starts_with('/') && (is_by_folder(dialect) || !rest[1..].contains('/'));
    line(dialect, skill).strip_prefix(&line(dialect, above)).is_some_and(is_level)
}

#[cfg(unix)]
#[test]
fn disk_and_memory_agree() {
    property::check("disk_and_memory_agree", 40, linked(), |tree| {
        for dialect in dialects() {
            let plan = tree.plan(&roots(&dialect));
            let tree = plan.tree();
            let (disk, _folder) = tree.disk();
            let memory = with_catalog(&tree.mem(), &machine(), &dialect, |_, catalog| account(catalog));
            let disk = with_catalog(&disk, &machine(), &dialect, |_, catalog| account(catalog));
            assert_eq!(memory, disk, "{}: {plan:#?}", dialect.name());
        }
        Ok(())
    });
}
