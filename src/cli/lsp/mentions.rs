//! Where the body of a skill mentions another one: `/name` as a command, a name in backticks beside the word "skill", and
//! paths into its folder. A bare word is no mention, as most names are words of the language too.

use super::links;
use super::markdown::{prose, targets};
use skilltree::FsPath;
use std::ops::Range;

/// A skill that is renamed.
pub(super) struct Renamed<'r> {
    /// The names by which it is mentioned, the longest first, each with its new one.
    pub(super) names: Vec<(String, String)>,
    /// Its folder, and the new one if that is renamed too.
    pub(super) folder: Option<(&'r FsPath, &'r FsPath)>,
}

/// The places in a text at which the skill is mentioned, each with what has to stand there. The body begins at `body`;
/// `dir` is the folder of the file.
pub(super) fn mentions(text: &str, body: usize, dir: &FsPath, renamed: &Renamed<'_>) -> Vec<(Range<usize>, String)> {
    let mut found: Vec<(Range<usize>, String)> = Vec::new();
    for (start, line) in prose(text, body) {
        for (slash, _) in line.match_indices('/') {
            let is_begun =
                line[..slash].chars().next_back().is_none_or(|c| c.is_whitespace() || "`(\"'[*_".contains(c));
            let rest = &line[slash + 1..];
            let named = renamed.names.iter().find(|(old, _)| is_begun && begins_with_word(rest, old));
            if let Some((old, new)) = named {
                let place = start + slash + 1..start + slash + 1 + old.len();
                found.push((place, new.clone()));
            }
        }
    }
    for (word, place) in targets(text, body) {
        if let Some((_, new)) = renamed.names.iter().find(|(old, _)| old == word && is_beside_skill(text, &place)) {
            found.push((place, new.clone()));
        }
    }
    for reference in links::of_body(text, body) {
        let Some((old, new)) = renamed.folder else { continue };
        let path = text.get(reference.place.clone()).unwrap_or("");
        if let Some(changed) = with_new_folder(dir, path, old, new) {
            found.push((reference.place, changed));
        }
    }
    found.sort_by_key(|(place, _)| (place.start, place.end));
    let mut end = 0;
    found.retain(|(place, _)| {
        let is_free = end <= place.start;
        end = if is_free { place.end } else { end };
        is_free
    });
    found
}

/// Whether a text begins with a name, behind which another word or nothing follows.
fn begins_with_word(text: &str, name: &str) -> bool {
    let continues = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | ':');
    let Some(rest) = text.strip_prefix(name) else { return false };
    let mut rest = rest.chars();
    match rest.next() {
        None => true,
        // The end of a sentence, and not of a file's name.
        Some('.') => rest.next().is_none_or(char::is_whitespace),
        Some(':') => rest.next().is_none_or(char::is_whitespace),
        Some(c) => !continues(c),
    }
}

/// Whether the word before or behind a part in backticks is "skill".
fn is_beside_skill(text: &str, place: &Range<usize>) -> bool {
    let is_skill = |word: Option<&str>| {
        let word = word.unwrap_or("").trim_matches(|c: char| !c.is_alphanumeric());
        word.eq_ignore_ascii_case("skill") || word.eq_ignore_ascii_case("skills")
    };
    let (before, behind) = (text.get(..place.start).unwrap_or(""), text.get(place.end..).unwrap_or(""));
    if !before.ends_with('`') || !behind.starts_with('`') {
        return false;
    }
    is_skill(before.trim_end_matches('`').split_whitespace().next_back())
        || is_skill(behind.trim_start_matches('`').split_whitespace().next())
}

/// A relative path into a folder, with the new name of the folder; `None` if it does not lead there.
fn with_new_folder(dir: &FsPath, path: &str, old: &FsPath, new: &FsPath) -> Option<String> {
    let mut at = dir.clone();
    let mut changed = Vec::new();
    let mut is_found = false;
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => at = at.parent()?,
            name => at = at.child(name).ok()?,
        }
        let is_folder = !is_found && at == *old && !matches!(part, "" | "." | "..");
        is_found |= is_folder;
        changed.push(if is_folder { new.name() } else { part });
    }
    is_found.then(|| changed.join("/"))
}
