//! Repositories of version control systems: their settings name commands, which the system runs when somebody merely asks
//! for a status in the folder. They are no part of a skill, and none may come along with one.

use crate::text::lower::lower;
#[cfg(feature = "archive")]
use std::collections::BTreeMap;

/// The folders and files that version control systems keep what is theirs in, in lower case.
const NAMES: &[&str] =
    &[".git", ".hg", ".svn", "_svn", ".bzr", "_darcs", ".jj", ".pijul", ".sl", ".fslckout", "_fossil_"];

/// Whether some file system takes a name for one of a repository: in any letter case, with dots, blanks or the name of
/// a stream at its end (Windows), in its short form (`GIT~1`), or with characters in it that are ignored (macOS).
pub(crate) fn is_repository(name: &str) -> bool {
    // Nearly every name is none at the first look: those that are begin with one of two signs, or have a short form.
    if name.is_ascii() && !name.starts_with(['.', '_']) && !name.contains('~') {
        return false;
    }
    let is_ignored = |c: &char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let name: String = lower(name).chars().filter(|c| !is_ignored(c)).collect();
    let name = name.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    let is_short = |known: &str| {
        let (stem, count) = name.split_once('~').unwrap_or(("", ""));
        let known = known.trim_start_matches('.');
        let is_number = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
        is_number && !stem.is_empty() && stem == known.get(..known.len().min(6)).unwrap_or(known)
    };
    NAMES.iter().any(|known| name == *known || is_short(known))
}

/// The first repository among files with these names: an entry that [`is_repository`], or a folder of any name that git
/// takes for one, as it holds `HEAD` and what belongs to it.
#[cfg(feature = "archive")]
pub(crate) fn repository<'n>(files: impl Iterator<Item = &'n str>) -> Option<String> {
    /// What stands beside `HEAD`, each with its bit.
    const PARTS: [&str; 5] = ["head", "objects", "refs", "hooks", "commondir"];
    let mut found: BTreeMap<String, u8> = BTreeMap::new();
    for file in files {
        let mut end = 0;
        for name in file.split('/') {
            if is_repository(name) {
                return Some(file.get(..end + name.len()).unwrap_or(file).to_owned());
            }
            let folder = lower(file.get(..end).unwrap_or_default());
            let part = lower(name.trim_end_matches(['.', ' ']));
            if let Some(bit) = PARTS.iter().position(|known| *known == part) {
                *found.entry(folder).or_default() |= 1 << bit;
            }
            end += name.len() + 1;
        }
    }
    let is_whole = |bits: u8| bits & 1 != 0 && (bits & 0b110 == 0b110 || bits & 0b1_1000 != 0);
    let (folder, _) = found.iter().find(|(_, bits)| is_whole(**bits))?;
    Some(format!("{folder}HEAD"))
}
