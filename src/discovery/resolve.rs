//! Decides precedence: which skill is used for each key, which ones it shadows, who may see and call it, and what
//! became of every file that was read (rules 3.9, 8.3, 8.4 and 8.5). A later source in the dialect's table takes
//! precedence over an earlier one: the rank of a source is its index there. `compare_precedence` orders the candidates
//! of a key, which `set_keys` gives them, and `decide` takes the first valid one. Nothing after this module decides any of this again.

use crate::diagnostic::{Code, Diagnostic, Severity, put_in_order};
use crate::dialect::{Dialect, EqualKeys, KeyPart, KeyPrefix, TieBreak};
use crate::discovery::extras::Noticed;
use crate::discovery::manifest::{Manifest, SKILL_FILE, is_single_file, location_name, restricted};
use crate::discovery::order;
use crate::discovery::scan::{ScanResult, SkillFile, join, same_file};
use crate::discovery::settings::Settings;
use crate::discovery::visibility::Deciders;
use crate::discovery::world::{Override, World};
use crate::model::skill::{Frontmatter, Origin, Requirement, Skill, Source, State, Visibility};
use crate::path::FsPath;
use crate::text::escape::{one_line, visible};
use crate::text::lower::lower;
use crate::text::order::sort_by;
use crate::text::template::Template;
use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
use std::collections::{HashMap, HashSet};
use std::iter;
use std::sync::Arc;

/// The skills that are used, and what became of all other files.
#[derive(Default, PartialEq)]
pub(crate) struct Resolved {
    /// The skill that is used for each key, in the dialect's order.
    pub(crate) skills: Vec<Skill>,
    /// The skills that are not used, as others of the same key are, by path.
    pub(crate) shadowed: Vec<Shadowed>,
    /// The files that were read and are not skills, by path.
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) findings: Vec<Diagnostic>,
    /// The folders that were seen in the sources and not entered, by path.
    pub(crate) unentered: Vec<FsPath>,
    /// Files and folders that the file system has yet to fetch.
    pub(crate) pending: Vec<FsPath>,
}

/// A skill that is not used, as another one of the same key has precedence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shadowed {
    /// The skill that is not used.
    pub skill: Skill,
    /// The SKILL.md of the skill that is used.
    pub by: FsPath,
}

/// A SKILL.md that is not a skill. The finding with this code and path says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Skipped {
    pub(crate) path: FsPath,
    /// Its path with symlinks resolved; `None` if that is `path`.
    pub(crate) target: Option<FsPath>,
    pub(crate) folder: FsPath,
    pub(crate) key: String,
    /// The name in its frontmatter, or else the name of its folder.
    pub(crate) name: String,
    pub(crate) code: Code,
    pub(crate) frontmatter: Arc<Frontmatter>,
    pub(crate) source: Arc<Source>,
}

/// Decides which skills are used, from the scans of all sources. `before` holds the findings made before the scans.
pub(crate) fn resolve(
    world: &World<'_>,
    dialect: &Dialect,
    settings: &Settings,
    scans: Vec<ScanResult>,
    before: ScanResult,
) -> Resolved {
    let mut noticed = Noticed { findings: before.findings, pending: before.pending };
    let states = (world.extras.states)(world, dialect, &mut noticed);
    let choices = (world.extras.choices)(world, dialect, &mut noticed);
    let mut resolved = Resolved { findings: noticed.findings, pending: noticed.pending, ..Resolved::default() };
    let deciders = Deciders::new(world, dialect, states, settings, choices);
    let mut candidates = collect_candidates(dialect, scans, &mut resolved);
    // Candidates are taken from the end, so that their memory is given back while that of the skills grows.
    sort_by(&mut candidates, |a, b| compare_precedence(dialect, b, a));
    resolved.skills.reserve_exact(candidates.len());
    let are_rivals = |a: &SkillFile, b: &SkillFile| match dialect.equal_keys {
        EqualKeys::Keep => false,
        EqualKeys::QualifyOrKeep(_) => a.key == b.key && place(a) == place(b),
        EqualKeys::Shadow | EqualKeys::Undetermined | EqualKeys::Qualify(_) => a.key == b.key,
        EqualKeys::ShadowInAnyCase => lower(&a.key) == lower(&b.key),
    };
    while let Some((first, rest)) = candidates.split_last() {
        let rivals = rest.iter().rev().take_while(|next| are_rivals(first, next)).count();
        let start = rest.len() - rivals;
        if rivals > 0 {
            // A skill that waits for a file gives way to those that do not, which are nearer to the end (rule 9.10).
            let waits = |found: &SkillFile| !deciders.is_offered(&found.manifest.frontmatter);
            sort_by(&mut candidates[start..], |a, b| waits(b).cmp(&waits(a)));
        }
        decide(world, dialect, &deciders, candidates.drain(start..).rev(), &mut resolved);
        if candidates.len() < candidates.capacity() / 2 {
            candidates.shrink_to_fit();
        }
    }
    order::put_in_order(&dialect.order, &resolved.shadowed, world.places.project.as_ref(), &mut resolved.skills);
    sort_by(&mut resolved.shadowed, |a, b| a.skill.path.cmp(&b.skill.path));
    sort_by(&mut resolved.skipped, |a, b| a.path.cmp(&b.path));
    put_in_order(&mut resolved.findings);
    sort_by(&mut resolved.unentered, Ord::cmp);
    resolved.unentered.dedup();
    resolved
}

/// Takes the files, findings and pending paths out of the scans, and gives each file its key. Of several paths to one
/// real file, the one of highest precedence stays (rule 3.9): the source of the highest rank, then the folder nested
/// least deeply, real files before symlinks, then byte order of paths.
fn collect_candidates(dialect: &Dialect, scans: Vec<ScanResult>, resolved: &mut Resolved) -> Vec<SkillFile> {
    let mut all: Vec<SkillFile> = Vec::new();
    for scan in scans {
        join(&mut resolved.findings, scan.findings);
        join(&mut resolved.unentered, scan.unentered);
        join(&mut resolved.pending, scan.pending);
        join(&mut all, scan.files);
    }
    if may_have_duplicates(&all) {
        drop_duplicates(&mut all, &mut resolved.findings);
    }
    set_keys(dialect, &mut all);
    all
}

/// Whether a file may have been found twice: through a symlink, or as one source lies in another. The files of each
/// source are adjacent in `all`.
fn may_have_duplicates(all: &[SkillFile]) -> bool {
    let sources = all.chunk_by(|a, b| Arc::ptr_eq(&a.source, &b.source));
    let mut roots = HashSet::new();
    let is_new = sources.filter_map(<[SkillFile]>::first).all(|found| roots.insert(found.source.root.clone()));
    let lies_in = |root: &FsPath| iter::successors(root.parent(), FsPath::parent).any(|above| roots.contains(&above));
    !is_new || roots.iter().any(lies_in) || all.iter().any(|found| found.target.is_some())
}

/// Drops every file that was found under a path of higher precedence too, and reports it if the paths differ.
fn drop_duplicates(all: &mut Vec<SkillFile>, findings: &mut Vec<Diagnostic>) {
    let precedence = |found: &SkillFile| (Reverse(found.source.rank), found.level, found.is_symlink);
    sort_by(all, |a, b| precedence(a).cmp(&precedence(b)).then_with(|| a.path.cmp(&b.path)));
    let mut by_real: HashMap<&str, usize> = HashMap::with_capacity(all.len());
    let mut is_duplicate = Vec::with_capacity(all.len());
    for (at, found) in all.iter().enumerate() {
        let first = *by_real.entry(found.real_path().as_str()).or_insert(at);
        if all[first].path != found.path {
            findings.push(same_file(found.path.clone(), &all[first].path));
        }
        is_duplicate.push(first != at);
    }
    let files = std::mem::take(all).into_iter().zip(is_duplicate);
    *all = files.filter_map(|(found, is_duplicate)| (!is_duplicate).then_some(found)).collect();
}

/// The scope of a candidate, the folder below the project that holds its source, and its path below its source.
fn place(found: &SkillFile) -> (&str, Option<&str>, &str) {
    (&found.source.scope, found.source.nested_in.as_deref(), folder_in_source(found))
}

/// Orders candidates by key, and those of one key by precedence: the candidate whose source has the highest rank is the
/// least; within a source, files without a folder of their own come after the others, and then the first or last by path
/// counts. Command files come after all others. Where precedence is decided for each place, the candidates of a place are
/// together.
fn compare_precedence(dialect: &Dialect, a: &SkillFile, b: &SkillFile) -> Ordering {
    let by_path = || match dialect.tie_break {
        TieBreak::First => order::by_folders(&a.path, &b.path),
        TieBreak::Last => order::by_folders(&b.path, &a.path),
        TieBreak::Deepest => b.path.depth().cmp(&a.path.depth()).then_with(|| order::by_folders(&a.path, &b.path)),
    };
    let by_kind = || a.is_command.cmp(&b.is_command);
    let by_place = || match dialect.equal_keys {
        EqualKeys::QualifyOrKeep(_) => place(a).cmp(&place(b)),
        EqualKeys::Keep
        | EqualKeys::Shadow
        | EqualKeys::ShadowInAnyCase
        | EqualKeys::Undetermined
        | EqualKeys::Qualify(_) => Ordering::Equal,
    };
    let by_rank = || b.source.rank.cmp(&a.source.rank).then_with(|| a.is_single.cmp(&b.is_single));
    let by_key = match dialect.equal_keys {
        EqualKeys::ShadowInAnyCase => lower(&a.key).cmp(&lower(&b.key)),
        _ => a.key.cmp(&b.key),
    };
    by_key.then_with(by_place).then_with(by_kind).then_with(by_rank).then_with(by_path)
}

/// Decides which of the candidates for one key is used: the first valid one. They come with the highest precedence first.
fn decide(
    world: &World<'_>,
    dialect: &Dialect,
    deciders: &Deciders<'_>,
    candidates: impl Iterator<Item = SkillFile>,
    resolved: &mut Resolved,
) {
    let at = resolved.skills.len();
    let mut rejected_above: Vec<FsPath> = Vec::new();
    for mut candidate in candidates {
        resolved.findings.append(&mut candidate.manifest.findings);
        if let Some(code) = rejection(world, &candidate, resolved) {
            let name = declared_or_folder_name(&candidate);
            let SkillFile { path, target, folder, key, source, manifest, .. } = candidate;
            let frontmatter = manifest.frontmatter;
            let folder = folder.unwrap_or_else(|| path.dirname());
            if resolved.skills.len() == at {
                rejected_above.push(path.clone());
            }
            resolved.skipped.push(Skipped { path, target, folder, key, name, code, frontmatter, source });
            continue;
        }
        let mut skill = skill(world, dialect, deciders, candidate);
        let own = &skill.frontmatter;
        if own.not_for_model && !own.not_for_user && dialect.reserves_command(&skill.key) {
            let (key, client) = (visible(&skill.key), dialect.title());
            let message = format!("only the user may call the skill, and `/{key}` is a command of {client} itself");
            let finding = Diagnostic::new(Severity::Warning, Code::Unreachable, skill.path.clone(), message);
            resolved.findings.push(finding.help("rename the skill"));
        }
        match resolved.skills.get_mut(at) {
            None => resolved.skills.push(skill),
            Some(winner) => {
                winner.undetermined = dialect.equal_keys == EqualKeys::Undetermined;
                skill.undetermined = winner.undetermined;
                resolved.shadowed.push(Shadowed { skill, by: winner.path.clone() });
            }
        }
    }
    let Some(winner) = resolved.skills.get(at) else { return };
    for path in rejected_above {
        let message = format!("this skill is not used; `{}` is loaded from `{}`", visible(&winner.key), winner.path);
        resolved.findings.push(Diagnostic::new(Severity::Note, Code::LowerInUse, path, message));
    }
}

/// Why a candidate is not a skill, if it is not. Asks the host whether it meets the requirements (rule 6.11).
fn rejection(world: &World<'_>, candidate: &SkillFile, resolved: &mut Resolved) -> Option<Code> {
    let SkillFile { path, manifest, .. } = candidate;
    if manifest.rejected.is_some() {
        return manifest.rejected;
    }
    if manifest.frontmatter.needs().is_for_other_products {
        let message = "the skill is for other products only, so it is not loaded";
        resolved.findings.push(
            Diagnostic::new(Severity::Note, Code::OtherProduct, path.clone(), message)
                .help("add this product to the list of products, or remove the list"),
        );
        return Some(Code::OtherProduct);
    }
    let (message, help) = match unmet_requirement(world, manifest)? {
        Requirement::Bin(bin) => {
            let bin = visible(bin);
            (
                format!("the skill needs the program `{bin}`, which was not found"),
                format!("install `{bin}`, or add it to the PATH"),
            )
        }
        Requirement::Env(name) => {
            let name = visible(name);
            (
                format!("the skill needs the environment variable `{name}`, which is unset or empty"),
                format!("set `{name}`"),
            )
        }
    };
    resolved
        .findings
        .push(Diagnostic::new(Severity::Warning, Code::UnmetRequirement, path.clone(), message).help(help));
    Some(Code::UnmetRequirement)
}

fn unmet_requirement<'m>(world: &World<'_>, manifest: &'m Manifest) -> Option<&'m Requirement> {
    manifest.frontmatter.needs().requires.iter().find(|requirement| !world.host.meets(requirement))
}

fn skill(world: &World<'_>, dialect: &Dialect, deciders: &Deciders<'_>, found: SkillFile) -> Skill {
    let SkillFile { source, key, path, target, folder, resources, manifest, .. } = found;
    let Manifest { frontmatter, is_repaired, other_reading, .. } = manifest;
    // A client looks for this name alone.
    let is_in_other_case = path.name() != SKILL_FILE && !is_single_file(&path);
    let restricted = other_reading.and_then(|other| restricted(dialect, &frontmatter, &other));
    let name = display_name(dialect, &frontmatter, &path);
    let mut skill = Skill {
        key,
        name,
        source,
        target,
        folder,
        resources,
        path,
        is_for_model: false,
        is_for_user: false,
        state: State::Disabled,
        frontmatter,
        decision: None,
        repaired: is_repaired || is_in_other_case,
        undetermined: false,
        as_read: None,
    };
    let as_read = restricted.map(|restricted| {
        let mut as_read = skill.clone();
        decide_audience(world, deciders, &mut as_read);
        skill.frontmatter = restricted;
        Arc::new(as_read)
    });
    decide_audience(world, deciders, &mut skill);
    skill.as_read = as_read;
    skill
}

/// Decides the state of a skill, and who may see and call it, by what its frontmatter says.
fn decide_audience(world: &World<'_>, deciders: &Deciders<'_>, skill: &mut Skill) {
    (skill.is_for_model, skill.is_for_user) = (!skill.frontmatter.not_for_model, !skill.frontmatter.not_for_user);
    let stored = deciders.states.of(&skill.key);
    skill.state = stored.unwrap_or(State::Enabled);
    // Rule 9.4: the host's override beats everything else that switches a skill on or off.
    let is_off_by_default =
        skill.source.origin == Origin::Bundled && skill.frontmatter.triggers().default_enabled == Some(false);
    let overridden = world.host.override_of(skill);
    skill.decision = deciders.decision(skill, overridden).map(Arc::new);
    let decided = skill.decided();
    skill.state = match overridden {
        Override::Unset if is_off_by_default || decided == Some(Visibility::Off) => State::Disabled,
        Override::Unset => skill.state,
        Override::On if skill.state == State::Disabled => State::Enabled,
        Override::On => skill.state,
        Override::Off => State::Disabled,
    };
    // Rule 9.6: where a dialect has states, the model sees active skills only.
    let (model, user) = match skill.state {
        State::Disabled => (false, false),
        State::Enabled => (stored.is_none(), true),
        State::Active => (true, true),
    };
    skill.is_for_model &= model && decided != Some(Visibility::UserOnly);
    skill.is_for_user &= user;
}

/// The name for people, on one line: the name in the frontmatter, or else the name of the folder. Where keys are
/// labelled paths, always the latter (rule 7.6).
pub(crate) fn display_name(dialect: &Dialect, frontmatter: &Frontmatter, path: &FsPath) -> String {
    if dialect.key.prefix == Some(KeyPrefix::Label) {
        return location_name(path).to_owned();
    }
    match frontmatter.name.as_deref().map(one_line) {
        Some(name) if !name.is_empty() => name.into_owned(),
        _ => location_name(path).to_owned(),
    }
}

fn set_keys(dialect: &Dialect, all: &mut [SkillFile]) {
    all.iter_mut().for_each(|found| found.key = key(dialect, found));
    if let EqualKeys::Qualify(template) | EqualKeys::QualifyOrKeep(template) = &dialect.equal_keys {
        qualify(template, all);
    }
}

/// Gives other keys to skills of one source that have the same key, and to those of nested sources whose key a skill of
/// another source has. A command file makes no key unclear, as others have precedence over it.
fn qualify(template: &Template, all: &mut [SkillFile]) {
    let mut by_key: HashMap<&str, Vec<usize>> = HashMap::with_capacity(all.len());
    for (at, found) in all.iter().enumerate().filter(|(_, found)| !found.is_command) {
        by_key.entry(&found.key).or_default().push(at);
    }
    let mut unclear: Vec<usize> = Vec::new();
    for mut places in by_key.into_values().filter(|places| places.len() > 1) {
        let source = |at: usize| &all[at].source;
        sort_by(&mut places, |a, b| Arc::as_ptr(source(*a)).cmp(&Arc::as_ptr(source(*b))));
        let is_unclear = |in_source: &&[usize]| {
            let is_nested = in_source.first().is_some_and(|at| source(*at).nested_in.is_some());
            in_source.len() > 1 || (is_nested && in_source.len() < places.len())
        };
        let by_source = places.chunk_by(|a, b| Arc::ptr_eq(source(*a), source(*b)));
        unclear.extend(by_source.filter(is_unclear).flatten());
    }
    if unclear.is_empty() {
        return;
    }
    sort_by(&mut unclear, Ord::cmp);
    let in_source = |found: &SkillFile, key: &str| format!("{} {key}", found.source.rank);
    let (mut taken, mut numbers) = (HashSet::new(), HashMap::new());
    for (at, found) in all.iter().enumerate() {
        if unclear.binary_search(&at).is_err() {
            taken.insert(in_source(found, &found.key));
        }
    }
    for at in unclear {
        let found = &all[at];
        let path = folder_in_source(found).replace('/', "-");
        let place = found.source.nested_in.as_deref().unwrap_or("");
        let value = |hole: &str| match hole {
            "key" => Some(Cow::Borrowed(found.key.as_str())),
            "path" => Some(Cow::Borrowed(path.as_str())),
            "place" => Some(Cow::Borrowed(place)),
            _ => None,
        };
        let mut key = String::new();
        template.render(&value, &mut key);
        // What still has the key of another skill is numbered.
        let first = key.clone();
        while !taken.insert(in_source(found, &key)) {
            let number = numbers.entry(in_source(found, &first)).or_insert(1);
            *number += 1;
            key = format!("{first}-{number}");
        }
        all[at].key = key;
    }
}

/// The path of the folder of a skill below its source; empty for the root itself.
fn folder_in_source(found: &SkillFile) -> &str {
    let path = found.path.relative_to(&found.source.root);
    debug_assert!(path.is_some(), "{:?} is in its source {:?}", found.path, found.source.root);
    path.unwrap_or(found.path.as_str()).rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The key of a skill, by the rule of the dialect (rule 7.1 for names).
fn key(dialect: &Dialect, found: &SkillFile) -> String {
    let (rule, source) = (dialect.key, &found.source);
    let prefix = match rule.prefix {
        None => None,
        Some(KeyPrefix::Namespace) => found.manifest.frontmatter.namespace.as_ref().or(source.namespace.as_ref()),
        // A single file has no path below its source.
        Some(KeyPrefix::Label) if found.is_single && rule.of == KeyPart::Path => {
            return format!("{}/{}", source.label, location_name(&found.path));
        }
        Some(KeyPrefix::Label) => Some(&source.label),
    };
    let own = match rule.of {
        KeyPart::Folder if prefix.is_none() => location_name(&found.path).to_owned(),
        KeyPart::Name | KeyPart::Folder => declared_or_folder_name(found),
        KeyPart::Path => match (folder_in_source(found), prefix) {
            ("", Some(_)) => "skill".to_owned(),
            (path, _) => path.to_owned(),
        },
    };
    match prefix {
        Some(prefix) => format!("{prefix}:{own}"),
        None => own,
    }
}

fn declared_or_folder_name(found: &SkillFile) -> String {
    found.manifest.frontmatter.name.clone().unwrap_or_else(|| location_name(&found.path).to_owned())
}
