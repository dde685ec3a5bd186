//! The command `diff`: what changes for the model, client by client, between two trees. Both are read as
//! projects if one of them has a skill in a folder of any client, or if all skills are in such folders further below, and otherwise as
//! folders of skills. Nothing else of this machine is read.

use crate::answer::{Answer, Runner, note_line};
use crate::args::{Listed, NonEmptyText, format_or_json};
use crate::completion;
use crate::dialects::Dialects;
use crate::matrix::{self, each_once};
use crate::output::findings;
use crate::output::page::{Escaped, class, page};
use crate::output::style::{ERROR, HEAD, KEY, paint};
use crate::reply::{Exit, Failure, Output, Reply};
use crate::tree_fs::Tree;
use anstyle::Style;
use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use skilltree::dialect::NAMES;
use skilltree::offer::{ListedSkill, PromptRow};
use skilltree::package::{OtherKind, Package, Purpose, Review};
use skilltree::{
    Caller, Catalog, Diagnostic, Dialect, Error, FsError, FsPath, Json, OsFs, Places, PromptRequest, Skill, World,
    prompt, visible,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::sync::Arc;

/// The arguments of `diff`.
#[derive(Args, Debug)]
pub(crate) struct DiffArgs {
    /// The tree before: a folder, an archive, or `git:REVISION:PATH`
    #[arg(value_parser = NonEmptyText::new())]
    old: String,
    /// The tree after
    #[arg(value_parser = NonEmptyText::new())]
    new: String,
    /// Dialects to compare, separated by commas; may be repeated [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = NonEmptyText::new(), add = ArgValueCompleter::new(completion::dialects))]
    dialects: Vec<String>,
    /// How to print the changes [default: text]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Exit with 1 if any dialect has such a change; separated by commas
    #[arg(long, value_name = "CHANGES", value_delimiter = ',', value_parser = Listed::<Kind>::new())]
    fail_on: Vec<Kind>,
}

impl DiffArgs {
    pub(crate) fn is_json(&self) -> bool {
        self.format == Some(Format::Json)
    }
}

/// How the changes are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A block for each group of dialects with the same changes
    Text,
    /// One JSON document, as with --json
    Json,
    /// Tables for a comment on a pull request
    Markdown,
    /// A page of one file
    Html,
}

/// What may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// The model sees a skill that it did not see
    Gained,
    /// The model no longer sees a skill
    Lost,
    /// A skill has another key
    Renamed,
    /// A skill is newly shadowed by another one of its key
    Shadowed,
    /// The description, the text, the files, the tools, the hosts or the hidden contents of a skill are different
    Changed,
}

/// The changes for one dialect.
struct Changes {
    gained: Vec<String>,
    lost: Vec<String>,
    /// Pairs of the old and the new key.
    renamed: Vec<(String, String)>,
    shadowed: Vec<Shadow>,
    changed: Vec<Change>,
    /// What the list of the prompt costs before and after.
    cost: (usize, usize),
    /// The unit of the cost.
    unit: &'static str,
}

/// A skill that is shadowed, and the path of the one that is used.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Shadow {
    key: String,
    path: String,
    by: String,
}

/// A skill that the model sees in both trees, and what is different in it.
struct Change {
    key: String,
    path: String,
    /// The description in the list, before and after.
    description: Option<(String, String)>,
    /// Whether the text that is loaded is another one.
    text: bool,
    files: Difference,
    tools: Difference,
    hosts: Difference,
    /// What a reviewer of the files may overlook, by code and file.
    hidden: Difference,
    /// Why not everything could be compared.
    incomplete: Option<String>,
}

/// Names that are only there after, only there before, or in both with other content.
struct Difference {
    added: Vec<String>,
    removed: Vec<String>,
    changed: Vec<String>,
}

/// What a tree holds for one dialect.
#[derive(Default)]
struct Side {
    /// In the order of their keys and paths. A client may use several of one key.
    skills: Vec<Seen>,
    shadowed: BTreeSet<Shadow>,
    cost: usize,
    in_tokens: bool,
}

/// A skill that the model sees.
struct Seen {
    key: String,
    path: FsPath,
    description: String,
    /// Whether the whole SKILL.md is loaded, with its frontmatter.
    is_whole: bool,
    contents: Arc<Held>,
}

/// What the folder of a skill holds.
#[derive(Default)]
struct Held {
    /// The text below the frontmatter.
    text: String,
    /// The digest of the SKILL.md.
    manifest: String,
    /// What each entry but the SKILL.md and folders is: a digest, or where a symlink leads that is not followed.
    files: BTreeMap<String, String>,
    tools: BTreeSet<String>,
    hosts: BTreeSet<String>,
    hidden: BTreeSet<String>,
    /// Why this is not everything.
    incomplete: Option<String>,
}

/// The contents of the skills of a tree that were read already, by path.
type Known = HashMap<FsPath, Arc<Held>>;

impl Runner<'_> {
    pub(crate) fn diff(self, ask: &DiffArgs) -> Answer {
        let format = format_or_json(ask.format, self.json, Format::Text, Format::Json)?;
        let (old, new) = (Tree::open(&ask.old)?, Tree::open(&ask.new)?);
        let dialects = Dialects::new(self.options).each_named(&ask.dialects, |all| all)?;
        let touched = self.options.touch.iter().map(|path| Tree::root().join(path)).collect::<Result<_, _>>()?;
        let project = Places {
            project: Some(Tree::root()),
            project_choices: Places::project_choices_in(&[Tree::root()]),
            touched,
            ..Places::default()
        };
        let others = NAMES.iter().filter_map(|name| skilltree::dialect(name));
        let others: Vec<_> = others.filter(|other| !dialects.contains(other)).collect();
        // The answer about a client does not depend on which others are asked about.
        let all = [&dialects[..], &others].concat();
        let is_of_client = [&old, &new].into_iter().any(|tree| has_client_folder(tree, &project, &all));
        let has_only_nested = !is_of_client && has_only_nested([&old, &new], &all);
        let is_project = is_of_client || has_only_nested;
        let folders = if is_project { Vec::new() } else { skill_folders([&old, &new]) };
        let places = |tree: &Tree| {
            if is_project {
                return project.clone();
            }
            let mut roots = folders.clone();
            // The folder of a skill is seen in a folder of skills, and not a second time as one.
            roots.retain(|folder| !tree.is_skill || *folder != Tree::root());
            Places { roots, only_roots: true, touched: project.touched.clone(), ..Places::default() }
        };
        let mut unread = Vec::new();
        let mut sides = |tree: &Tree| self.sides(tree, &places(tree), &dialects, &mut unread);
        let (before, after) = (sides(&old), sides(&new));
        let compared: Vec<(&Dialect, Changes)> = dialects
            .iter()
            .zip(before.iter().zip(&after))
            .map(|(dialect, (old, new))| (&**dialect, compare(old, new)))
            .collect();
        let fails = |(_, changes): &(&Dialect, Changes)| ask.fail_on.iter().any(|kind| changes.has(*kind));
        let why = "there are changes of a kind that `--fail-on` names";
        let failure = compared.iter().any(fails).then(|| Failure::negative("diff-failed", why));
        let out = match format {
            Format::Text => Output::Styled(text(&compared)),
            Format::Json => {
                let json = json(ask, &compared);
                crate::reply::document(&match &failure {
                    Some(failure) => failure.add_to_json(json),
                    None => json,
                })
            }
            Format::Markdown => Output::Styled(markdown(&compared)),
            Format::Html => Output::Exact(html(&compared)),
        };
        let exit = failure.map_or(Exit::Success, |failure| failure.exit());
        let mut notes: String =
            [old.notes, new.notes].concat().iter().map(|note| note_line(&note.to_string())).collect();
        notes.push_str(&findings::unread(&OsFs::new(), &each_once(unread)));
        if !is_project {
            notes.push_str(&note_line(
                "no skill is in a folder of a client, so both trees were read as folders of skills",
            ));
        }
        if has_only_nested && project.touched.is_empty() {
            notes.push_str(&note_line(
                "all skills count only while a file near them is being worked on, which `--touch PATH` names",
            ));
        }
        Ok(Reply::new(out).with_stderr(&notes).with_exit(exit))
    }

    /// What a tree holds for each of the dialects.
    fn sides(self, tree: &Tree, places: &Places, dialects: &[Arc<Dialect>], unread: &mut Vec<Diagnostic>) -> Vec<Side> {
        let world = World::new(&tree.fs, places, &()).with_reading(self.options.reading());
        let mut known = Known::new();
        let mut side = |dialect: &Arc<Dialect>| {
            let catalog = skilltree::discover(&world, dialect);
            unread.extend(matrix::unread(&catalog).into_iter().map(|finding| tree.at_its_place(finding)));
            Side::of(tree, &world, &catalog, &mut known)
        };
        dialects.iter().map(&mut side).collect()
    }
}

/// Whether a SKILL.md of the tree is in a folder of one of these clients, such as `.claude/skills`.
fn has_client_folder(tree: &Tree, project: &Places, dialects: &[Arc<Dialect>]) -> bool {
    let world = World::new(&tree.fs, project, &());
    let is_hidden = |path: &FsPath| below(path).starts_with('.');
    dialects.iter().any(|dialect| skilltree::discover(&world, dialect).seen().any(|seen| is_hidden(seen.path)))
}

/// Whether there are skills, and all of them are in folders of clients that count only while a file near them is being worked on. Beside
/// other skills, such as those of a package, they may be the data of its tests.
fn has_only_nested(trees: [&Tree; 2], dialects: &[Arc<Dialect>]) -> bool {
    let mut paths = trees.into_iter().flat_map(manifests).peekable();
    let is_nested = |path: FsPath| dialects.iter().any(|dialect| dialect.nested_folder(&below(&path)).is_some());
    paths.peek().is_some() && paths.all(is_nested)
}

/// Every SKILL.md in a tree: the standard is read at any depth.
fn manifests(tree: &Tree) -> Vec<FsPath> {
    let places = Places { roots: vec![Tree::root()], only_roots: true, ..Places::default() };
    let catalog = skilltree::discover(&World::new(&tree.fs, &places, &()), &skilltree::dialect::agentskills());
    catalog.seen().map(|seen| seen.path.clone()).collect()
}

/// The folders of skills in both trees, where none is that of a client: each outermost folder with folders of skills in it, and that
/// in which a tree is seen that is itself the folder of a skill.
fn skill_folders(trees: [&Tree; 2]) -> Vec<FsPath> {
    let mut folders = BTreeSet::new();
    for tree in trees {
        if tree.is_skill {
            folders.insert(Tree::above_skill());
            continue;
        }
        folders.extend(manifests(tree).iter().filter_map(|path| path.parent()?.parent()));
    }
    let is_outermost = |folder: &&FsPath| folders.iter().all(|other| other == *folder || !folder.starts_with(other));
    folders.iter().filter(is_outermost).cloned().collect()
}

/// A path below the tree, which may be seen as the folder of a skill.
fn below(path: &FsPath) -> String {
    Tree::below(path).unwrap_or(path.as_str()).to_owned()
}

/// What an error says, with its path below the tree.
fn told(error: &Error) -> String {
    let path = match error {
        Error::TooMuch { path, .. } => Some(path),
        _ => error.path(),
    };
    let top = path.and_then(|path| Some((Tree::below(path)?, path.as_str().strip_suffix(Tree::below(path)?)?)));
    let text = error.to_string();
    match top {
        Some((below, top)) => text.replacen(top, if below.is_empty() { "." } else { "" }, 1),
        None => text,
    }
}

impl Side {
    fn of(tree: &Tree, world: &World<'_>, catalog: &Catalog, known: &mut Known) -> Side {
        let ask = PromptRequest::default();
        let mut side = Side::default();
        let real = |path: &FsPath| world.fs.canonical(path).unwrap_or_else(|_| path.clone());
        let listed = ListedSkill::all(world, catalog, &ask).into_iter();
        let mut listed: HashMap<(String, FsPath), String> =
            listed.map(|one| ((one.key, real(&one.path)), one.description)).collect();
        let offered = || catalog.skills().iter().filter(|skill| skill.is_for(Caller::Model));
        // The unit is the same for all.
        side.in_tokens = offered().next().is_some_and(|skill| PromptRow::of(world, catalog, skill, &ask).in_tokens);
        for skill in offered() {
            let contents =
                known.entry(skill.path.clone()).or_insert_with(|| Arc::new(Held::of(tree, world, catalog, skill)));
            side.skills.push(Seen {
                key: skill.key.clone(),
                path: skill.path.clone(),
                description: listed.remove(&(skill.key.clone(), real(&skill.path))).unwrap_or_default(),
                is_whole: catalog.dialect().loads_whole_file(),
                contents: Arc::clone(contents),
            });
        }
        side.skills.sort_by(|a, b| (&a.key, &a.path).cmp(&(&b.key, &b.path)));
        let shadowed = catalog.shadowed().iter();
        side.shadowed = shadowed
            .map(|one| Shadow { key: one.skill.key.clone(), path: below(&one.skill.path), by: below(&one.by) })
            .collect();
        side.cost = prompt(world, catalog, &ask).cost;
        side
    }
}

impl Held {
    fn of(tree: &Tree, world: &World<'_>, catalog: &Catalog, skill: &Skill) -> Held {
        let text = catalog.body(world, skill).unwrap_or_default();
        let (review, fault) = match Review::partial(world, catalog, skill) {
            Ok(read) => read,
            Err(error) => return Held { text, incomplete: Some(told(&error)), ..Held::default() },
        };
        // What a symlink out of the folder leads to is no part of the skill; where it leads is compared.
        let leads_out = |fault: &Error| matches!(fault, Error::LinkedFolder { .. } | Error::Fs(FsError::Escapes(_)));
        let fault = fault.filter(|fault| !leads_out(fault));
        let folder = skill.path.parent().unwrap_or_else(FsPath::root);
        let real_folder = world.fs.canonical(&folder).unwrap_or_else(|_| folder.clone());
        let outside =
            |target: &FsPath| (!target.starts_with(&real_folder)).then(|| format!("symlink to {}", below(target)));
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        let mut manifest = String::new();
        for file in &review.contents.files {
            let digest = file.digest.to_string();
            if file.name == skill.path.name() {
                manifest = digest;
            } else {
                files.insert(file.name.clone(), file.target.as_ref().and_then(outside).unwrap_or(digest));
            }
        }
        files.extend(review.contents.others.iter().filter(|other| other.kind != OtherKind::Folder).map(|other| {
            let link = || Some(format!("symlink to {}", tree.link(&folder.join(&other.name).ok()?)?));
            let out = other.target.as_ref().map_or_else(link, outside);
            let inside = || format!("{} {}", other.kind.as_str(), other.target.as_ref().map(below).unwrap_or_default());
            (other.name.clone(), out.unwrap_or_else(inside))
        }));
        // An approval covers what does not belong to the skill; a client is given none of it (rule 18.2).
        let excluded: Vec<String> = Package::open(world, skill, Purpose::Serve).map_or_else(
            |_| Vec::new(),
            |package| {
                let excluded = package.others.into_iter().filter(|other| other.kind == OtherKind::Excluded);
                excluded.map(|other| other.name).collect()
            },
        );
        let is_in = |name: &str, folder: &String| {
            name.strip_prefix(folder.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        files.retain(|name, _| !excluded.iter().any(|folder| is_in(name, folder)));
        let hidden = review.facts.iter().map(|fact| format!("{} in {}", fact.code, below(&fact.path)));
        Held {
            text,
            manifest,
            files,
            tools: review.tools.into_iter().collect(),
            hosts: review.hosts.into_iter().collect(),
            hidden: hidden.collect(),
            incomplete: fault.as_ref().map(told),
        }
    }
}

impl Difference {
    fn of_names(old: &BTreeSet<String>, new: &BTreeSet<String>) -> Difference {
        let (added, removed) = (new.difference(old), old.difference(new));
        Difference { added: added.cloned().collect(), removed: removed.cloned().collect(), changed: Vec::new() }
    }

    fn of_files(old: &BTreeMap<String, String>, new: &BTreeMap<String, String>) -> Difference {
        let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect();
        let is_changed = |(name, digest): &(&String, &String)| old.get(*name).is_some_and(|before| before != *digest);
        let changed = new.iter().filter(is_changed).map(|(name, _)| name.clone()).collect();
        Difference { changed, ..Difference::of_names(&names(old), &names(new)) }
    }

    fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }

    fn to_json(&self) -> Json {
        let lists = [("added", &self.added), ("removed", &self.removed), ("changed", &self.changed)];
        map(lists.into_iter().map(|(name, list)| (name, texts(list))).collect())
    }

    /// As `+new -gone ~other`.
    fn signed(&self) -> String {
        let signs = [('+', &self.added), ('-', &self.removed), ('~', &self.changed)];
        let all = signs
            .into_iter()
            .flat_map(|(sign, names)| names.iter().map(move |name| format!("{sign}{}", visible(name))));
        all.collect::<Vec<_>>().join(" ")
    }
}

/// When two skills are the same one before and after: what comes first is decided for all skills first.
const SAME: [fn(&Seen, &Seen) -> bool; 5] = [
    |a, b| a.key == b.key && a.path == b.path,
    |a, b| a.key == b.key && has_text_of(a, b),
    |a, b| a.key == b.key,
    |a, b| a.path == b.path,
    has_text_of,
];

fn has_text_of(a: &Seen, b: &Seen) -> bool {
    !a.contents.text.is_empty() && a.contents.text == b.contents.text
}

fn compare(old: &Side, new: &Side) -> Changes {
    let (mut lost, mut gained): (Vec<&Seen>, Vec<&Seen>) = (old.skills.iter().collect(), new.skills.iter().collect());
    let mut pairs: Vec<(&Seen, &Seen)> = Vec::new();
    for is_same in SAME {
        lost.retain(|before| {
            let Some(at) = gained.iter().position(|after| is_same(before, after)) else { return true };
            pairs.push((before, gained.remove(at)));
            false
        });
    }
    let twice = [old, new].into_iter().flat_map(|side| side.skills.windows(2)).filter_map(|two| match two {
        [a, b] => (a.key == b.key).then_some(&a.key),
        _ => None,
    });
    let twice: BTreeSet<&String> = twice.collect();
    // A client may use several skills of one key, which are told apart by their paths.
    let named = |skill: &Seen| match twice.contains(&skill.key) {
        true => format!("{} ({})", skill.key, below(&skill.path)),
        false => skill.key.clone(),
    };
    let of_other_key = pairs.iter().filter(|(before, after)| before.key != after.key);
    let mut renamed: Vec<(String, String)> =
        of_other_key.map(|(before, after)| (named(before), named(after))).collect();
    renamed.sort();
    let mut changed: Vec<Change> = Vec::new();
    for (before, after) in pairs {
        let (a, b) = (&before.contents, &after.contents);
        let change = Change {
            key: named(after),
            path: below(&after.path),
            description: (before.description != after.description)
                .then(|| (before.description.clone(), after.description.clone())),
            text: a.text != b.text || (after.is_whole && a.manifest != b.manifest),
            files: Difference::of_files(&a.files, &b.files),
            tools: Difference::of_names(&a.tools, &b.tools),
            hosts: Difference::of_names(&a.hosts, &b.hosts),
            hidden: Difference::of_names(&a.hidden, &b.hidden),
            incomplete: b.incomplete.as_ref().or(a.incomplete.as_ref()).cloned(),
        };
        if !change.parts().is_empty() {
            changed.push(change);
        }
    }
    changed.sort_by(|a, b| a.key.cmp(&b.key));
    let unit = if old.in_tokens || new.in_tokens { "tokens" } else { "characters" };
    // Which skill shadows it may be another one than before.
    let was_shadowed = |one: &Shadow| old.shadowed.iter().any(|was| was.key == one.key && was.path == one.path);
    let shadowed = new.shadowed.iter().filter(|one| !was_shadowed(one)).cloned().collect();
    let [lost, gained] = [lost, gained].map(|skills| skills.into_iter().map(named).collect());
    Changes { gained, lost, renamed, shadowed, changed, cost: (old.cost, new.cost), unit }
}

impl Changes {
    fn has(&self, kind: Kind) -> bool {
        !match kind {
            Kind::Gained => self.gained.is_empty(),
            Kind::Lost => self.lost.is_empty(),
            Kind::Renamed => self.renamed.is_empty(),
            Kind::Shadowed => self.shadowed.is_empty(),
            Kind::Changed => self.changed.is_empty(),
        }
    }

    fn is_empty(&self) -> bool {
        !Kind::value_variants().iter().any(|kind| self.has(*kind))
    }

    /// `−3 / +1`, or what has changed if no skill came or went.
    fn headline(&self) -> String {
        let (lost, gained) = (self.lost.len(), self.gained.len());
        if lost + gained > 0 {
            return format!("the model now sees −{lost} / +{gained}");
        }
        let count = self.lines().len();
        format!("the model sees the same number of skills, {count} of them changed")
    }

    /// Lines of a sign, the key of a skill, and what happened to it.
    fn lines(&self) -> Vec<(char, String, String)> {
        let plain =
            |sign, keys: &[String]| -> Vec<_> { keys.iter().map(|key| (sign, key.clone(), String::new())).collect() };
        let mut lines = plain('-', &self.lost);
        lines.extend(plain('+', &self.gained));
        let was = |key: &str| {
            self.renamed.iter().find(|(_, new)| new == key).map(|(old, _)| format!("was `{}`", visible(old)))
        };
        let is_changed = |key: &str| self.changed.iter().any(|change| change.key == key);
        let only_renamed = self.renamed.iter().filter(|(_, new)| !is_changed(new));
        lines.extend(only_renamed.map(|(_, new)| ('~', new.clone(), was(new).unwrap_or_default())));
        lines.extend(self.changed.iter().map(|change| {
            let parts: Vec<String> = was(&change.key).into_iter().chain(change.parts()).collect();
            ('~', change.key.clone(), parts.join("; "))
        }));
        let shadow = |one: &Shadow| format!("`{}` is shadowed by `{}`", visible(&one.path), visible(&one.by));
        lines.extend(self.shadowed.iter().map(|one| ('=', one.key.clone(), shadow(one))));
        lines
    }
}

impl Change {
    /// What is different, for people.
    fn parts(&self) -> Vec<String> {
        let mut parts = Vec::new();
        if let Some((old, new)) = &self.description {
            parts.push(format!("description `{}`, was `{}`", visible(new), visible(old)));
        }
        if self.text {
            parts.push("text".to_owned());
        }
        let lists = [("files", &self.files), ("tools", &self.tools), ("hosts", &self.hosts), ("hidden", &self.hidden)];
        parts.extend(
            lists
                .into_iter()
                .filter(|(_, list)| !list.is_empty())
                .map(|(name, list)| format!("{name} {}", list.signed())),
        );
        parts.extend(self.incomplete.as_ref().map(|why| format!("not everything could be compared: {why}")));
        parts
    }

    fn to_json(&self) -> Json {
        let mut fields = vec![("key", self.key.as_str().into()), ("path", self.path.as_str().into())];
        if let Some((old, new)) = &self.description {
            fields.push(("description", map(vec![("old", old.as_str().into()), ("new", new.as_str().into())])));
        }
        if self.text {
            fields.push(("text", true.into()));
        }
        let lists = [("files", &self.files), ("tools", &self.tools), ("hosts", &self.hosts), ("hidden", &self.hidden)];
        fields
            .extend(lists.into_iter().filter(|(_, list)| !list.is_empty()).map(|(name, list)| (name, list.to_json())));
        fields.extend(self.incomplete.as_ref().map(|why| ("incomplete", why.as_str().into())));
        map(fields)
    }
}

fn map(fields: Vec<(&str, Json)>) -> Json {
    Json::Map(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn texts(list: &[String]) -> Json {
    Json::List(list.iter().map(|text| text.as_str().into()).collect())
}

fn json(ask: &DiffArgs, compared: &[(&Dialect, Changes)]) -> Json {
    let of = |changes: &Changes| {
        let renamed = changes.renamed.iter();
        let renamed = renamed.map(|(old, new)| map(vec![("from", old.as_str().into()), ("to", new.as_str().into())]));
        let shadow = |one: &Shadow| {
            map(vec![
                ("key", one.key.as_str().into()),
                ("path", one.path.as_str().into()),
                ("by", one.by.as_str().into()),
            ])
        };
        let listing =
            map(vec![("old", changes.cost.0.into()), ("new", changes.cost.1.into()), ("unit", changes.unit.into())]);
        map(vec![
            ("gained", texts(&changes.gained)),
            ("lost", texts(&changes.lost)),
            ("renamed", Json::List(renamed.collect())),
            ("shadowed", Json::List(changes.shadowed.iter().map(shadow).collect())),
            ("changed", Json::List(changes.changed.iter().map(Change::to_json).collect())),
            ("listing", listing),
        ])
    };
    let clients = compared.iter().map(|(dialect, changes)| (dialect.name(), of(changes))).collect();
    map(vec![("old", ask.old.as_str().into()), ("new", ask.new.as_str().into()), ("clients", map(clients))])
}

/// The dialects with the same changes; those without changes last. What the list costs differs in nearly all of them.
fn groups<'c>(compared: &'c [(&'c Dialect, Changes)]) -> Vec<Vec<&'c (&'c Dialect, Changes)>> {
    let mut groups: Vec<Vec<&(&Dialect, Changes)>> = Vec::new();
    for one in compared {
        let is_same = |known: &&mut Vec<&(&Dialect, Changes)>| {
            known.first().is_some_and(|(_, known)| known.lines() == one.1.lines())
        };
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups.sort_by_key(|group| group.iter().any(|(_, changes)| changes.is_empty()));
    groups
}

/// What the list of the prompt costs where that has changed: `211 → 246 characters for claude`.
fn costs(group: &[&(&Dialect, Changes)]) -> Option<String> {
    let changed = group.iter().filter(|(_, changes)| changes.cost.0 != changes.cost.1);
    let all: Vec<_> = changed
        .map(|(dialect, changes)| {
            let (old, new) = changes.cost;
            format!("{old} → {new} {} for {}", changes.unit, visible(dialect.name()))
        })
        .collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// The style of the sign before a change.
fn of_sign(sign: char) -> Style {
    match sign {
        '-' => ERROR,
        '+' => KEY,
        _ => HEAD,
    }
}

fn text(compared: &[(&Dialect, Changes)]) -> String {
    let mut out = String::new();
    for group in groups(compared) {
        let names: Vec<_> = group.iter().map(|(dialect, _)| visible(dialect.name())).collect();
        let names = paint(HEAD, &names.join(", "));
        let Some((_, changes)) = group.first().filter(|(_, changes)| !changes.is_empty()) else {
            let _ = writeln!(out, "{names}: no change");
            continue;
        };
        let _ = writeln!(out, "{names}: {}", changes.headline());
        for (sign, key, what) in changes.lines() {
            let about = if what.is_empty() { what } else { format!(": {what}") };
            let _ = writeln!(out, "  {} {}{about}", paint(of_sign(sign), &sign.to_string()), visible(&key));
        }
        if let Some(costs) = costs(&group) {
            let _ = writeln!(out, "  the list: {costs}");
        }
    }
    out
}

fn markdown(compared: &[(&Dialect, Changes)]) -> String {
    let mut out = String::new();
    for group in groups(compared) {
        let titles: Vec<_> = group.iter().map(|(dialect, _)| escaped(&dialect.title())).collect();
        let titles = titles.join(", ");
        let Some((_, changes)) = group.first().filter(|(_, changes)| !changes.is_empty()) else {
            let _ = writeln!(out, "No change: {titles}.");
            continue;
        };
        let _ = writeln!(out, "**{titles}: {}**\n\n| | skill | what changed |\n|---|---|---|", changes.headline());
        for (sign, key, what) in changes.lines() {
            let _ =
                writeln!(out, "| {} | {} | {} |", escaped(&sign.to_string()), escaped(&visible(&key)), escaped(&what));
        }
        if let Some(costs) = costs(&group) {
            let _ = writeln!(out, "\nThe list: {}.", escaped(&costs));
        }
        out.push('\n');
    }
    out
}

fn html(compared: &[(&Dialect, Changes)]) -> String {
    let mut body = String::new();
    for group in groups(compared) {
        let titles: Vec<_> = group.iter().map(|(dialect, _)| dialect.title().replace('`', "")).collect();
        let titles = titles.join(", ");
        let titles = Escaped(&titles);
        let Some((_, changes)) = group.first().filter(|(_, changes)| !changes.is_empty()) else {
            let _ = writeln!(body, "<p>No change: {titles}.</p>");
            continue;
        };
        let _ = writeln!(body, "<h2>{titles}: {}</h2>\n<table class=\"changes\">", changes.headline());
        body.push_str(
            "<thead><tr><th scope=\"col\"></th><th scope=\"col\">Skill</th><th scope=\"col\">What changed</th></tr></thead>\n",
        );
        for (sign, key, what) in changes.lines() {
            let class = class(of_sign(sign));
            let (key, what) = (Escaped(&key), Escaped(&what));
            let _ =
                writeln!(body, "<tr><td class=\"{class}\">{sign}</td><th scope=\"row\">{key}</th><td>{what}</td></tr>");
        }
        body.push_str("</table>\n");
        if let Some(costs) = costs(&group) {
            let _ = writeln!(body, "<p class=\"faint\">The list: {}.</p>", Escaped(&costs));
        }
    }
    page("What changes for the model", &body)
}

/// Text of a stranger as plain text of Markdown: no markup, link, mention or reference.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '@' | '#' | '<' | '>' | '&' | ':' => _ = write!(out, "&#{};", u32::from(char)),
            _ if char.is_ascii_punctuation() => out.extend(['\\', char]),
            _ => out.push(char),
        }
    }
    out
}
