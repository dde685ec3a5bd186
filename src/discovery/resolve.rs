//! In: what the scans of all sources found. Out: one skill a key, what it shadows, who may call it, and what
//! became of every file (decisions 10, 14–16). Final: no room above decides any of this again.

use crate::diagnostic::{Code, Diagnostic, Severity, put_in_order};
use crate::dialect::{Dialect, KeyRule, Order, TieBreak};
use crate::discovery::manifest::{Manifest, location_name};
use crate::discovery::scan::{ScanResult, SkillFile, join, same_file};
use crate::discovery::state::{self, States};
use crate::model::skill::{Audience, Frontmatter, Origin, Requirement, Skill, State};
use crate::model::world::{Override, World};
use crate::path::FsPath;
use crate::text::escape::{fold, unhidden, visible};
use std::cmp::{Ordering, Reverse};
use std::collections::{HashMap, HashSet};
use std::iter;
use std::sync::Arc;

/// What there is, and what became of the rest.
#[derive(Default, PartialEq)]
pub(crate) struct Resolved {
    pub(crate) skills: Vec<Skill>,
    pub(crate) shadowed: Vec<Shadowed>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) findings: Vec<Diagnostic>,
    pub(crate) pending: Vec<FsPath>,
}

/// A skill that another of the same key beats.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shadowed {
    /// The skill that is not in use.
    pub skill: Skill,
    /// The SKILL.md of the one that is.
    pub by: FsPath,
}

/// A SKILL.md that is no skill here; the finding of this code and path says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Skipped {
    pub(crate) path: FsPath,
    /// The real path of its folder.
    pub(crate) folder: FsPath,
    /// The key that it would have.
    pub(crate) key: String,
    /// The name that it gives itself.
    pub(crate) name: String,
    pub(crate) code: Code,
}

/// Decides. `before` is what was noticed before any scan.
pub(crate) fn resolve(world: &World<'_>, dialect: &Dialect, scans: Vec<ScanResult>, before: ScanResult) -> Resolved {
    let mut resolved = Resolved { findings: before.findings, pending: before.pending, ..Resolved::default() };
    let states = state::read(world, dialect.states.as_ref(), &mut resolved.findings, &mut resolved.pending);
    let mut candidates = collect_candidates(dialect, scans, &mut resolved);
    // From the last to the first, so that the skills can have the room of the candidates that are used up.
    candidates.sort_unstable_by(|a, b| compare_precedence(dialect.tie_break, b, a));
    // Where a skill is not in a catalog by its own source.
    let mut lowered: HashMap<String, usize> = HashMap::new();
    let mut skills: Vec<Skill> = Vec::with_capacity(candidates.len());
    let mut group: Vec<SkillFile> = Vec::new();
    while let Some(candidate) = candidates.pop() {
        if candidates.len() < candidates.capacity() / 2 {
            candidates.shrink_to_fit();
        }
        let is_last = candidates.last().is_none_or(|next| next.key != candidate.key);
        group.push(candidate);
        if is_last {
            let Some((place, skill)) = decide(world, dialect, &states, &mut group, &mut resolved) else { continue };
            if place != skill.source.rank {
                lowered.insert(skill.key.clone(), place);
            }
            skills.push(skill);
        }
    }
    let place = |skill: &Skill| lowered.get(&skill.key).copied().unwrap_or(skill.source.rank);
    match dialect.order {
        Order::Key => {}
        Order::SourceThenName => {
            skills.sort_unstable_by(|a, b| (place(a), &a.name, &a.path).cmp(&(place(b), &b.name, &b.path)));
        }
        Order::NameThenPath => skills.sort_unstable_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path))),
    }
    resolved.skills = skills;
    resolved.shadowed.sort_by(|a, b| a.skill.path.cmp(&b.skill.path));
    resolved.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    put_in_order(&mut resolved.findings);
    resolved
}

/// Takes the accounts apart. Of the occurrences of one real file, the one of highest precedence stands
/// (decisions 10): of the highest source, in it the lowest level, real files before links, byte order of paths.
fn collect_candidates(dialect: &Dialect, scans: Vec<ScanResult>, resolved: &mut Resolved) -> Vec<SkillFile> {
    let mut all: Vec<SkillFile> = Vec::new();
    for account in scans {
        join(&mut resolved.findings, account.findings);
        join(&mut resolved.pending, account.pending);
        join(&mut all, account.found);
    }
    if may_have_duplicates(&all) {
        drop_duplicates(&mut all, &mut resolved.findings);
    }
    all.iter_mut().for_each(|found| found.key = key(dialect, found));
    all
}

/// Whether a file may have been found twice: behind a link, or as one source lies in another. The files of a source
/// come one after another.
fn may_have_duplicates(all: &[SkillFile]) -> bool {
    let sources = all.chunk_by(|a, b| Arc::ptr_eq(&a.source, &b.source));
    let mut roots = HashSet::new();
    let is_new = sources.filter_map(<[SkillFile]>::first).all(|found| roots.insert(found.source.root.clone()));
    let lies_in = |root: &FsPath| iter::successors(root.parent(), FsPath::parent).any(|above| roots.contains(&above));
    !is_new || roots.iter().any(lies_in) || all.iter().any(|found| found.target.is_some())
}

/// Drops the occurrences of files that stand elsewhere, with a finding where that is another path.
fn drop_duplicates(all: &mut Vec<SkillFile>, findings: &mut Vec<Diagnostic>) {
    let collect_candidates = |found: &SkillFile| (Reverse(found.source.rank), found.level, found.is_symlink);
    all.sort_unstable_by(|a, b| collect_candidates(a).cmp(&collect_candidates(b)).then_with(|| a.path.cmp(&b.path)));
    let mut by_real: HashMap<&FsPath, &FsPath> = HashMap::with_capacity(all.len());
    let mut stands = Vec::with_capacity(all.len());
    for found in &*all {
        let first = *by_real.entry(found.real_path()).or_insert(&found.path);
        let is_first = std::ptr::eq(first, &found.path);
        if !is_first && *first != found.path {
            findings.push(same_file(found.path.clone(), first));
        }
        stands.push(is_first);
    }
    let mut stands = stands.into_iter();
    all.retain(|_| stands.next().unwrap_or(true));
}

/// By key; of one key the one of highest precedence first, within a source the first or last by path.
fn compare_precedence(tie_break: TieBreak, a: &SkillFile, b: &SkillFile) -> Ordering {
    let by_path = || match tie_break {
        TieBreak::First => a.path.cmp(&b.path),
        TieBreak::Last => b.path.cmp(&a.path),
    };
    a.key.cmp(&b.key).then_with(|| b.source.rank.cmp(&a.source.rank)).then_with(by_path)
}

/// What a skill is called by (decisions 43 for names).
fn key(dialect: &Dialect, found: &SkillFile) -> String {
    let source = &found.source;
    // Where its folder is below the source.
    let rel = || found.path.below(&source.root).and_then(|rel| rel.rsplit_once('/')).map_or("", |(dir, _)| dir);
    match dialect.key {
        KeyRule::RelativePath => rel().to_owned(),
        KeyRule::Name => declared_or_folder_name(found),
        KeyRule::Folder => found.path.folder().to_owned(),
        KeyRule::NamespacedName => {
            let namespace = found.manifest.frontmatter.namespace.as_ref().or(source.namespace.as_ref());
            match namespace {
                Some(namespace) => format!("{namespace}:{}", declared_or_folder_name(found)),
                None => declared_or_folder_name(found),
            }
        }
        KeyRule::LabelledPath if found.is_single => format!("{}/{}", source.label, location_name(&found.path)),
        KeyRule::LabelledPath => match rel() {
            "" => format!("{}:skill", source.label),
            rel => format!("{}:{rel}", source.label),
        },
    }
}

fn declared_or_folder_name(found: &SkillFile) -> String {
    found.manifest.frontmatter.name.clone().unwrap_or_else(|| found.path.folder().to_owned())
}

/// Decides one key, whose candidates come in order: the first valid one wins. With the skill comes its place in a
/// catalog: the source of the lowest one of its key (decisions 14).
fn decide(
    world: &World<'_>,
    dialect: &Dialect,
    states: &States,
    group: &mut Vec<SkillFile>,
    resolved: &mut Resolved,
) -> Option<(usize, Skill)> {
    let mut winner: Option<Skill> = None;
    let mut place = 0;
    let mut beaten: Vec<FsPath> = Vec::new();
    for mut candidate in group.drain(..) {
        resolved.findings.append(&mut candidate.manifest.findings);
        if let Some(code) = rejection(world, &candidate, resolved) {
            let SkillFile { path, folder, manifest, key, .. } = candidate;
            let folder = folder.or_else(|| path.parent()).unwrap_or_else(FsPath::root);
            if winner.is_none() {
                beaten.push(path.clone());
            }
            let name = manifest.frontmatter.name.clone().unwrap_or_else(|| path.folder().to_owned());
            resolved.skipped.push(Skipped { path, folder, key, name, code });
            continue;
        }
        place = candidate.source.rank;
        let skill = skill(world, dialect, states, candidate);
        match &winner {
            None => winner = Some(skill),
            Some(winner) => resolved.shadowed.push(Shadowed { skill, by: winner.path.clone() }),
        }
    }
    let winner = winner?;
    for path in beaten {
        let message = format!("this skill is not used; `{}` is loaded from `{}`", visible(&winner.key), winner.path);
        resolved.findings.push(Diagnostic::new(Severity::Note, Code::LowerInUse, path, message));
    }
    Some((place, winner))
}

/// Why a candidate is no skill, if it is none. Asks the host about what a skill requires (decisions 8).
fn rejection(world: &World<'_>, candidate: &SkillFile, resolved: &mut Resolved) -> Option<Code> {
    let SkillFile { path, manifest, .. } = candidate;
    if manifest.lost.is_some() {
        return manifest.lost;
    }
    let unmet_requirement = unmet_requirement(world, manifest)?;
    let (message, help) = match unmet_requirement {
        Requirement::Bin(bin) => {
            let bin = visible(bin);
            (
                format!("the skill needs the program `{bin}`, which was not found"),
                format!("install `{bin}`, or add it to the PATH"),
            )
        }
        Requirement::Env(name) => {
            let name = visible(name);
            (format!("the skill needs the environment variable `{name}`, which is not set"), format!("set `{name}`"))
        }
    };
    resolved
        .findings
        .push(Diagnostic::new(Severity::Warning, Code::UnmetRequirement, path.clone(), message).help(help));
    Some(Code::UnmetRequirement)
}

fn unmet_requirement<'m>(world: &World<'_>, manifest: &'m Manifest) -> Option<&'m Requirement> {
    manifest.frontmatter.needs().requires.iter().find(|need| !world.host.meets(need))
}

/// The skill that a candidate is, with state and audience.
fn skill(world: &World<'_>, dialect: &Dialect, states: &States, found: SkillFile) -> Skill {
    let SkillFile { source, key, path, target, folder, resources, manifest: Manifest { frontmatter, .. }, .. } = found;
    let name = display_name(dialect, &frontmatter, &path);
    let flags = Audience { model: !frontmatter.not_for_model, user: !frontmatter.not_for_user };
    let stored = states.of(&key);
    let mut skill = Skill {
        key,
        name,
        source,
        target,
        folder,
        resources,
        path,
        audience: flags,
        state: stored.unwrap_or(State::Enabled),
        frontmatter,
    };
    // decisions 20: a host's word beats the manifest's.
    let is_off_by_itself =
        skill.source.level == Origin::Bundled && skill.frontmatter.triggers().default_enabled == Some(false);
    skill.state = match world.host.override_of(&skill) {
        Override::Unset if is_off_by_itself => State::Disabled,
        Override::Unset => skill.state,
        Override::On if skill.state == State::Disabled => State::Enabled,
        Override::On => skill.state,
        Override::Off => State::Disabled,
    };
    // decisions 19: where a dialect has states, the model is for the active ones alone.
    let (model, user) = match skill.state {
        State::Disabled => (false, false),
        State::Enabled => (stored.is_none(), true),
        State::Active => (true, true),
    };
    skill.audience = Audience { model: model && flags.model, user: user && flags.user };
    skill
}

/// The name for people: the frontmatter's on one line, else the folder's; or the folder's alone (decisions 25).
pub(crate) fn display_name(dialect: &Dialect, frontmatter: &Frontmatter, path: &FsPath) -> String {
    if dialect.key == KeyRule::LabelledPath {
        return location_name(path).to_owned();
    }
    match frontmatter.name.as_deref().map(|name| fold(&unhidden(name).0).into_owned()) {
        Some(name) if !name.is_empty() => name,
        _ => path.folder().to_owned(),
    }
}
