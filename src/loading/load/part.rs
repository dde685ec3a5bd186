//! Loads one file of a skill that is asked for by the skill's name and the path of the file: `pdf/forms.md`.

use super::{Loaded, empty};
use crate::dialect::{Escape, LoadRule};
use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::fs::FsError;
use crate::model::error::Error;
use crate::model::skill::{Caller, Skill};
use crate::offer::fill::fill;
use crate::package::file::{FileRequest, file};
use crate::package::inventory::inventory;
use crate::text::escape::visible;

/// How many files the error for an unknown one names.
const MAX_AVAILABLE: usize = 10;

/// Loads the file that is asked for as `NAME/FILE`, for dialects whose load tool takes that. `None` if the dialect's does
/// not, or if no skill that the caller may have is named so. Of a file larger than 262,144 bytes only the beginning is
/// loaded.
///
/// # Errors
/// Returns the errors of [`file`](crate::package::file()), and [`Error::Fs`] for a file that is not text.
pub fn load_file(world: &World<'_>, catalog: &Catalog, asked: &str, caller: Caller) -> Result<Option<Loaded>, Error> {
    let rule = &catalog.dialect().load;
    if rule.file_frame.source().is_empty() {
        return Ok(None);
    }
    // The name of a skill may have slashes too: the longest one counts.
    let splits = asked.rmatch_indices('/').filter_map(|(at, _)| Some((asked.get(..at)?, asked.get(at + 1..)?)));
    let found = splits.filter_map(|(name, rest)| Some((catalog.find(name, caller).ok()?, rest))).next();
    let Some((skill, name)) = found else { return Ok(None) };
    let request = FileRequest { caller, name: name.to_owned(), offset: 0 };
    let part = match file(world, catalog, skill, &request) {
        Err(_) if !rule.file_unknown.source().is_empty() => return Err(unknown(world, rule, skill, asked)),
        part => part?,
    };
    let Some(content) = part.text else {
        return Err(FsError::Other { path: part.path, message: "it is not UTF-8 text".to_owned() }.into());
    };
    let mut loaded = empty(catalog, skill, caller);
    let asked = visible(asked);
    fill(&rule.file_frame, Escape::Plain, &[("asked", &asked), ("content", &content)], &mut loaded.text);
    loaded.body = content;
    loaded.files.push(part.path);
    Ok(Some(loaded))
}

/// The error for a file that a skill does not list, in the words of the dialect.
fn unknown(world: &World<'_>, rule: &LoadRule, skill: &Skill, asked: &str) -> Error {
    let (dir, files) = (skill.dir(), inventory(world, skill));
    let names = files.iter().filter_map(|file| file.relative_to(&dir)).take(MAX_AVAILABLE).map(visible);
    let available = Vec::from_iter(names).join(", ");
    let (asked, key) = (visible(asked), visible(&skill.key));
    let mut said = String::new();
    let holes = [("asked", &*asked), ("key", &*key), ("available", &available)];
    fill(&rule.file_unknown, Escape::Plain, &holes, &mut said);
    Error::NotFound { said, near: Vec::new() }
}
