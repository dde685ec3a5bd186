//! Recognises the repositories of version control systems. Their settings name commands, which such a system runs as soon as
//! somebody asks for the status of the folder. A repository is not a part of a skill, and must not come with one.

use crate::text::lower::lower;
#[cfg(feature = "archive")]
use std::collections::BTreeMap;

/// The folders and files in which version control systems store a repository, in lower case.
const NAMES: &[&str] =
    &[".git", ".hg", ".svn", "_svn", ".bzr", "_darcs", ".jj", ".pijul", ".sl", ".fslckout", "_fossil_"];

/// How many characters of a long name its short form on Windows begins with: `GITIGN~1`.
const SHORT_CHARS: usize = 6;

/// Whether some file system treats a name as that of a repository: in any letter case, with dots, spaces or the name of a
/// stream at its end (Windows), in its short form (`GIT~1`), or with characters in it that are ignored (macOS).
pub(crate) fn is_repository(name: &str) -> bool {
    // Nearly every name fails this quick test: the names of repositories begin with one of two characters, and short forms
    // have a `~`.
    if name.is_ascii() && !name.starts_with(['.', '_']) && !name.contains('~') {
        return false;
    }
    let is_ignored = |c: &char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let name: String = lower(name).chars().filter(|c| !is_ignored(c)).collect();
    let name = name.split_once(':').map_or(name.as_str(), |(name, _)| name).trim_end_matches(['.', ' ']);
    let is_short = |known: &str| {
        let Some((stem, count)) = name.split_once('~') else { return false };
        let is_number = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
        is_number && stem.chars().eq(known.trim_start_matches('.').chars().take(SHORT_CHARS))
    };
    NAMES.iter().any(|known| name == *known || is_short(known))
}

/// The path of the first repository among files with these paths: an entry that [`is_repository`], or the `HEAD` of a folder
/// of any name that git treats as a repository, as it holds `HEAD` and other parts of one.
#[cfg(feature = "archive")]
pub(crate) fn find_repository<'n>(files: impl Iterator<Item = &'n str>) -> Option<String> {
    /// The parts of a repository. Each is one bit of a number.
    const PARTS: [&str; 5] = ["head", "objects", "refs", "hooks", "commondir"];
    let mut found: BTreeMap<String, u8> = BTreeMap::new();
    for file in files {
        let mut end = 0;
        for name in file.split('/') {
            if is_repository(name) {
                return Some(file[..end + name.len()].to_owned());
            }
            let part = lower(name.trim_end_matches(['.', ' ']));
            if let Some(bit) = PARTS.iter().position(|known| *known == part) {
                *found.entry(lower(&file[..end])).or_default() |= 1 << bit;
            }
            end += name.len() + 1;
        }
    }
    let is_whole = |bits: u8| bits & 1 != 0 && (bits & 0b110 == 0b110 || bits & 0b1_1000 != 0);
    let (folder, _) = found.iter().find(|(_, bits)| is_whole(**bits))?;
    Some(format!("{folder}HEAD"))
}
