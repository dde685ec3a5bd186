//! Says in which other dialects a skill is in use, for a name that is not in use in the dialect that was asked.

use crate::dialect::Dialect;
use crate::discovery::catalog::{FileStatus, SeenFile, discover};
use crate::discovery::world::World;
use crate::explain::why::Question;
use crate::fs::{CachedFs, Fs};
use crate::model::parsed::ParsedFrontmatters;
use crate::model::skill::{Caller, State};
use crate::path::FsPath;
use crate::text::escape::reveal;
use std::sync::Arc;

/// A dialect in which a skill is in use.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Elsewhere {
    /// The name of the dialect.
    pub dialect: String,
    /// The SKILL.md that it uses.
    pub path: FsPath,
    /// Whether the model may use the skill there, and not the user alone. Whether it fits into the list of the prompt is not looked
    /// at.
    pub is_for_model: bool,
}

impl Elsewhere {
    /// Those of these dialects in which a skill of this name or path is in use, in their order. Each takes a discovery, so a caller asks if [`why`](crate::why()) knows no file that is in use. Each folder is
    /// listed and each file is read once for all dialects.
    ///
    /// ```
    /// use skilltree::author::Elsewhere;
    /// use skilltree::{FsPath, MemFs, Places, World, dialect};
    /// let mut fs = MemFs::new();
    /// fs.file("/p/.sven/skills/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n");
    /// let places = Places { project: FsPath::new("/p").ok(), ..Places::default() };
    /// let others = ["claude", "sven"].iter().filter_map(|name| dialect(name));
    /// let found = Elsewhere::find(&World::new(&fs, &places, &()), others, "tea");
    /// assert_eq!(found[0].dialect, "sven");
    /// ```
    pub fn find(world: &World<'_>, dialects: impl IntoIterator<Item = Arc<Dialect>>, asked: &str) -> Vec<Elsewhere> {
        let fs: Box<dyn Fs + '_> = Box::new(world.fs);
        let (cached, parsed) = (CachedFs::new(fs), ParsedFrontmatters::default());
        let world = &World { fs: &cached, parsed: Some(&parsed), ..*world };
        let questions = [Question::new(world, asked), Question::new(world, &reveal(asked))];
        // A dialect may reach the file by another path, through symlinks.
        let reals: Vec<FsPath> = questions.iter().filter_map(|question| question.real_path(world)).collect();
        let is_about = |seen: &SeenFile<'_>| {
            let real = seen.target.unwrap_or(seen.path);
            questions.iter().any(|question| question.is_about(seen)) || reals.iter().any(|path| real.starts_with(path))
        };
        let in_use = |dialect: Arc<Dialect>| {
            let catalog = discover(world, &dialect);
            let used = catalog.seen().filter(is_about).find_map(|seen| match seen.status {
                FileStatus::InUse(skill) => Some(skill).filter(|skill| skill.state != State::Disabled),
                _ => None,
            })?;
            let (path, is_for_model) = (used.path.clone(), used.as_read().is_for(Caller::Model));
            Some(Elsewhere { dialect: dialect.name.to_string(), path, is_for_model })
        };
        let dialects = dialects.into_iter().filter(|_| !asked.is_empty());
        dialects.filter_map(in_use).collect()
    }
}
