//! Copies of skills for use: where the copy of a skill is, and [`CopyPlan`], by which copies are made. A copy's name is
//! made of its skill's id (rules 20.1 and 20.2).

mod marker;
mod plan;
mod tree;

use crate::text::order::sort_by;
pub(crate) use marker::MARKER;
#[cfg(feature = "host")]
pub(crate) use marker::marker;
#[cfg(feature = "host")]
pub(crate) use plan::MAX_PLAN_BYTES;
pub use plan::{CopyFile, CopyPlan, SkillCopy, activation};
#[cfg(feature = "host")]
pub(crate) use tree::MAX_SKILL_BYTES;
#[cfg(feature = "digest")]
pub(crate) use tree::copied_name;

use crate::dialect::ActivationRule;
use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::model::error::Error;
use crate::model::skill::Skill;
use crate::package::files::child;
use crate::path::FsPath;
use crate::text::escape::visible;
use std::collections::{HashMap, HashSet};

/// Where a skill is read, and under which path the model sees its folder.
pub(crate) struct ActiveLocation {
    pub(crate) path: FsPath,
    pub(crate) dir: String,
}

/// The copy for use, where there is a folder of them; else the skill where it was found (rule 12.2).
pub(crate) fn standing(world: &World<'_>, catalog: &Catalog, skill: &Skill) -> Result<ActiveLocation, Error> {
    let (Some(rule), Some(active)) = (&catalog.dialect().activation, &world.places.active) else {
        return Ok(ActiveLocation { path: skill.path.clone(), dir: world.fs.display(&skill.dir()).into_owned() });
    };
    let gone = |reason: String| Error::SkillGone { key: visible(&skill.key).into_owned(), reason };
    let keys = activation_keys(rule, catalog);
    let name = keys.get(skill.key.as_str()).and_then(|key| key.name.clone());
    let Some((name, dir)) = name.and_then(|name| active.child(&name).ok().map(|dir| (name, dir))) else {
        return Err(gone("its id cannot be turned into a folder name".to_owned()));
    };
    let path = child(&dir, crate::discovery::scan::SKILL_FILE)?;
    if world.fs.metadata(&path)?.is_none() {
        return Err(Error::CopyMissing { key: visible(&skill.key).into_owned(), root: active.clone() });
    }
    let dir = match &world.places.mount {
        Some(mount) => format!("{}/{name}", mount.trim_end_matches('/')),
        None => world.fs.display(&dir).into_owned(),
    };
    Ok(ActiveLocation { path, dir })
}

/// The name of a copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ActivationKey {
    /// None where the id gives none.
    pub(crate) name: Option<String>,
    /// Whether it would be another skill's too, but for the hash.
    pub(crate) shared: bool,
}

/// The names of all copies, in byte order of their ids.
pub(crate) struct ActivationKeys<'c>(Vec<(&'c str, ActivationKey)>);

impl ActivationKeys<'_> {
    pub(crate) fn get(&self, id: &str) -> Option<&ActivationKey> {
        let at = self.0.binary_search_by(|(known, _)| (*known).cmp(id)).ok()?;
        self.0.get(at).map(|(_, key)| key)
    }
}

/// Names all copies. Skills that are invalid now count too: their copies stay, under their names.
pub(crate) fn activation_keys<'c>(rule: &ActivationRule, catalog: &'c Catalog) -> ActivationKeys<'c> {
    let mut ids = Vec::new();
    catalog.seen().for_each(|seen| ids.extend(seen.key));
    sort_by(&mut ids, Ord::cmp);
    ids.dedup();
    // Not every file system distinguishes letter cases.
    let mut times: HashMap<String, usize> = HashMap::new();
    for id in &ids {
        *times.entry(plain_key(rule, id).to_ascii_lowercase()).or_default() += 1;
    }
    let mut taken: HashSet<String> = HashSet::new();
    let mut keys = Vec::with_capacity(ids.len());
    for id in ids {
        let plain = plain_key(rule, id);
        let shared = times.get(&plain.to_ascii_lowercase()).is_some_and(|times| *times > 1);
        let name = if shared { format!("{plain}--{:08x}", hash(id)) } else { plain };
        // Another id may be spelled as a key with its hash, or have the hash of this one.
        let is_usable = is_usable(&name) && taken.insert(name.to_ascii_lowercase());
        keys.push((id, ActivationKey { name: is_usable.then_some(name), shared }));
    }
    ActivationKeys(keys)
}

/// Whether a name can be a folder's. Names that begin with a dot are reserved for the engine's own files.
fn is_usable(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.')
}

// Rule 20.1
fn plain_key(rule: &ActivationRule, id: &str) -> String {
    let mut name = String::with_capacity(id.len() + 8);
    for c in id.trim().chars() {
        match c {
            ':' | '/' => name.push_str(&rule.separator),
            c if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') => name.push(c),
            _ => {}
        }
    }
    name
}

/// The lower half of FNV-1a with 64 bits, which does not change between builds or machines.
fn hash(id: &str) -> u32 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    id.bytes().fold(0xcbf2_9ce4_8422_2325, step) as u32
}

#[cfg(test)]
#[path = "../../tests/unit/activate.rs"]
mod tests;
