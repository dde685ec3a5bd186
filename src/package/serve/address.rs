//! The addresses of skills and their files in the scheme `skill:`. No two skills have one address, and every name has one
//! spelling in it.

use crate::model::skill::{Skill, Source};
use crate::path::FsPath;
use crate::text::percent::{decoded, encoded};
use std::collections::{BTreeMap, BTreeSet};

/// What every address begins with.
const SCHEME: &str = "skill://";

/// A source, so that no two are one: several may have one label.
type SourceKey<'s> = (usize, &'s str, &'s FsPath);

/// Where a skill is, and what it is called.
struct Spot<'s> {
    source: SourceKey<'s>,
    /// The folders below the source's root, the skill's own last; none for one at the root.
    folders: Vec<&'s str>,
    name: &'s str,
}

/// The addresses of skills, without the file, in the order of the skills: `skill://project-agents/tools/pdf`.
///
/// An address is the source, the folders below its root, and the skill's name in place of its folder's. A nested
/// skill has an address below that of the skill around it, so that both give its files the same addresses. A skill whose name is not
/// its folder's and whose address would be another's, or be among another's files, has its folders in one part that
/// no folder is written as: `skill://project-agents/:tools:pdf/fill`.
pub(super) fn addresses(skills: &[(&Skill, &str)]) -> Vec<String> {
    let dirs: Vec<FsPath> = skills.iter().map(|(skill, _)| skill.dir()).collect();
    let spots: Vec<Spot<'_>> =
        skills.iter().zip(&dirs).map(|((skill, name), dir)| Spot::new(&skill.source, dir, name)).collect();
    let authorities = authorities(spots.iter().map(|spot| spot.source));
    let by_folders: BTreeMap<(SourceKey<'_>, &[&str]), usize> =
        spots.iter().enumerate().map(|(at, spot)| ((spot.source, spot.folders.as_slice()), at)).collect();
    let outer = |spot: &Spot<'_>| {
        let shorter = (0..spot.folders.len()).rev();
        let found = shorter.map(|len| by_folders.get(&(spot.source, spot.folders.get(..len)?)).map(|at| (*at, len)));
        found.flatten().next()
    };
    // First those whose name is their folder's, as no two of these collide. Then the renamed, then the nested, outermost first.
    let mut order: Vec<(u8, &Spot<'_>, usize)> = Vec::new();
    for (at, spot) in spots.iter().enumerate() {
        let pass = match outer(spot) {
            Some(_) => 2,
            None if spot.is_named() => 0,
            None => 1,
        };
        order.push((pass, spot, at));
    }
    order.sort_by_key(|(pass, spot, at)| (*pass, spot.folders.len(), &spot.folders, *at));
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut addresses = vec![String::new(); spots.len()];
    for (_, spot, at) in order {
        let root = authorities.get(&spot.source).map_or("", String::as_str);
        let (base, rest) = match outer(spot).and_then(|(outer, len)| Some((addresses.get(outer)?, len))) {
            Some((base, len)) => (base.clone(), spot.folders.get(len..).unwrap_or_default()),
            None => (format!("{SCHEME}{root}"), spot.folders.as_slice()),
        };
        let plain = below(&base, rest, spot.name);
        // A nested one that is renamed is never free: it would be among the files of the one around it.
        let is_fine = spot.is_named() || is_free(&taken, &plain);
        let address = if is_fine { plain } else { spot.apart(root) };
        taken.insert(address.clone());
        if let Some(own) = addresses.get_mut(at) {
            *own = address;
        }
    }
    addresses
}

impl<'s> Spot<'s> {
    fn new(source: &'s Source, dir: &'s FsPath, name: &'s str) -> Spot<'s> {
        let below = dir.relative_to(&source.root).unwrap_or("");
        let folders = below.split('/').filter(|name| !name.is_empty()).collect();
        Spot { source: (source.rank, &source.label, &source.root), folders, name }
    }

    /// Whether its name is its folder's. At a source's root there is no folder to differ from.
    fn is_named(&self) -> bool {
        self.folders.last().is_none_or(|folder| *folder == self.name)
    }

    fn apart(&self, root: &str) -> String {
        let folders: String = self.folders.iter().map(|folder| format!(":{}", encoded(folder))).collect();
        format!("{SCHEME}{root}/{folders}/{}", encoded(self.name))
    }
}

/// The address with these folders below it, the name in place of the last.
fn below(base: &str, folders: &[&str], name: &str) -> String {
    let (_, between) = folders.split_last().unwrap_or((&"", &[]));
    let parts = between.iter().chain([&name]).map(|part| format!("/{}", encoded(part)));
    format!("{base}{}", parts.collect::<String>())
}

/// Whether an address is not taken, is not below a taken one, and has no taken one below it.
fn is_free(taken: &BTreeSet<String>, address: &str) -> bool {
    let above = address.match_indices('/').filter_map(|(at, _)| address.get(..at));
    let first_below = format!("{address}/");
    let is_below = taken.range(first_below.clone()..).next().is_some_and(|next| next.starts_with(&first_below));
    !is_below && !above.chain([address]).any(|address| taken.contains(address))
}

/// The first part of the addresses of each source: its label as an authority, numbered where there are more of it.
fn authorities<'s>(sources: impl Iterator<Item = SourceKey<'s>>) -> BTreeMap<SourceKey<'s>, String> {
    let sources: BTreeSet<SourceKey<'s>> = sources.collect();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut out = BTreeMap::new();
    for source in sources {
        let plain = authority(source.1);
        let numbered = (2..).map(|n: usize| format!("{plain}-{n}"));
        let free = std::iter::once(plain.clone()).chain(numbered).find(|name| !taken.contains(name));
        let name = free.unwrap_or_else(|| plain.clone());
        taken.insert(name.clone());
        out.insert(source, name);
    }
    out
}

/// A label as an authority: lower-case letters, digits, `-` and `.`.
fn authority(label: &str) -> String {
    let is_fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '.';
    let letters = label.chars().map(|c| c.to_ascii_lowercase()).map(|c| if is_fine(c) { c } else { '-' });
    let name = letters.collect::<String>().trim_matches(['-', '.']).to_owned();
    if name.is_empty() { "skills".to_owned() } else { name }
}

/// The relative path that parts of an address spell, in the one spelling that `encoded_path` gives; none for any
/// other, so that no two addresses are one file's.
pub(super) fn decoded_path(parts: &str) -> Option<String> {
    let names = parts.split('/').map(|part| {
        let name = decoded(part)?;
        let is_name = !matches!(name.as_str(), "" | "." | "..") && !name.contains(['/', '\0']);
        (is_name && encoded(&name) == part).then_some(name)
    });
    Some(names.collect::<Option<Vec<_>>>()?.join("/"))
}
