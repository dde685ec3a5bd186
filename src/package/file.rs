//! Parts of a skill's file for a caller, each as much of the text as one answer holds. A file that the caller may not
//! have is refused, and so is one that is outside of the skill's folder, symlinks resolved, or that belongs to a nested
//! skill (rules 9.1, 18.2, 18.3 and 18.5).

use crate::discovery::catalog::Catalog;
use crate::discovery::manifest::is_single_file;
use crate::discovery::world::World;
use crate::fs::FsError;
use crate::model::error::Error;
use crate::model::skill::{Caller, Location, Skill};
use crate::package::activate::{ActiveLocation, active_location};
use crate::package::files::{Folder, Hidden, Membership, Purpose, child, excluded};
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::lines::decode_utf8;

/// How many bytes of a file one answer holds: some sixty thousand tokens.
const MAX_PART_BYTES: u64 = 262_144;

/// How many bytes of a file can be come by, part after part: a skill is no larger where skills are served.
const MAX_FILE_BYTES: u64 = 16_777_216;

/// Which file, and from where on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRequest {
    /// Who asks.
    pub caller: Caller,
    /// The file: a path below the skill's folder, or an absolute one that leads there.
    pub name: String,
    /// The byte to begin with.
    pub offset: u64,
}

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FilePart {
    /// The real path of the file.
    pub path: FsPath,
    /// The text; `None` if the file is not text.
    pub text: Option<String>,
    /// Where the next part begins; `None` at the end.
    pub next: Option<u64>,
    /// How many bytes the whole file has.
    pub bytes: u64,
}

impl FilePart {
    /// Reads a part of a skill's file.
    ///
    /// ```
    /// use skilltree::{Caller, FsPath, MemFs, Places, World, dialect, discover};
    /// use skilltree::package::{FilePart, FileRequest};
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n").file("/s/tea/kinds.md", "green, black");
    /// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let catalog = discover(&world, &dialect("agentskills").unwrap());
    /// let ask = FileRequest { caller: Caller::Model, name: "kinds.md".to_owned(), offset: 7 };
    /// let part = FilePart::read(&world, &catalog, &catalog.skills()[0], &ask).unwrap();
    /// assert_eq!(part.text.as_deref(), Some("black"));
    /// ```
    ///
    /// # Errors
    /// [`Error::NotForModel`] and its kin when the caller may not have the skill; [`Error::Fs`] for what is no file of its
    /// folder; [`Error::BelongsToOtherSkill`]; [`Error::ReadDenied`]; [`Error::BadArguments`] for an offset that is none.
    pub fn read(world: &World<'_>, catalog: &Catalog, skill: &Skill, ask: &FileRequest) -> Result<FilePart, Error> {
        let skill = catalog.find_counterpart(skill, ask.caller)?;
        let ActiveLocation { path: main, dir: shown } = active_location(world, catalog, skill)?;
        let path = named(world, &main, &shown, &ask.name)?;
        let dir = main.parent().filter(|_| !is_single_file(&main));
        if path != main && dir.as_ref().is_none_or(|dir| !path.starts_with(dir)) {
            return Err(FsError::Escapes(path).into());
        }
        let at = location(world, skill, main)?;
        let hidden = Hidden::of(catalog, ask.caller).within(&at);
        let folder = Folder::open(world.fs, &at, Purpose::List)?.without(&hidden);
        let name = if path == at.path { Some(at.path.name()) } else { dir.and_then(|dir| path.relative_to(&dir)) };
        let found = name.and_then(|name| at.dir.join(name).ok()).ok_or_else(|| FsError::Escapes(path.clone()))?;
        // The SKILL.md itself may be a symlink to anywhere that a discovery follows.
        let is_own = path == at.path;
        let real = match is_own {
            true => at.file.clone(),
            false => folder.view().canonical(&found).map_err(|error| error.at(path.clone()))?,
        };
        match if is_own { Membership::Member } else { folder.membership(&real)? } {
            Membership::Member => {}
            Membership::OfAnotherSkill => {
                return Err(Error::BelongsToOtherSkill { path, key: visible(&skill.key).into_owned() });
            }
            Membership::Excluded => return Err(excluded(path)),
        }
        if !world.host.may_read(&path) || !world.host.may_read(&real) {
            return Err(Error::ReadDenied { path });
        }
        let until = ask.offset.saturating_add(MAX_PART_BYTES).min(MAX_FILE_BYTES);
        let head = if is_own { folder.read_own(until) } else { folder.view().read(&real, until) };
        let head = head.map_err(|error| error.at(path.clone()))?;
        if head.len < ask.offset || MAX_FILE_BYTES <= ask.offset {
            let most = head.len.min(MAX_FILE_BYTES);
            return Err(Error::BadArguments(format!("`{path}` can be read up to byte {most}, got {}", ask.offset)));
        }
        let whole = head.len == head.bytes.len() as u64;
        let is_binary = head.bytes.contains(&0);
        // A character that is cut at the end belongs to the next part.
        let Some(text) = decode_utf8(&head.bytes, !whole).ok().filter(|_| !is_binary) else {
            return Ok(FilePart { path: real, text: None, next: None, bytes: head.len });
        };
        let from = usize::try_from(ask.offset).unwrap_or(usize::MAX);
        let Some(part) = text.get(from..) else {
            return Err(Error::BadArguments(format!(
                "no character of `{path}` starts at byte {from}; use an `offset` from an earlier part"
            )));
        };
        let end = text.len() as u64;
        let next = (end < head.len && end < MAX_FILE_BYTES).then_some(end);
        Ok(FilePart { path: real, text: Some(part.to_owned()), next, bytes: head.len })
    }
}

/// The path that a caller means: by the path under which the folder is shown to it, or from the folder.
fn named(world: &World<'_>, main: &FsPath, shown: &str, name: &str) -> Result<FsPath, Error> {
    let dir = main.parent().unwrap_or_else(FsPath::root);
    let below = name.strip_prefix(shown).and_then(|rest| rest.strip_prefix('/'));
    world
        .fs
        .parse(below.unwrap_or(name), &dir)
        .ok_or_else(|| Error::BadArguments(format!("`{}` is not a file", visible(name))))
}

/// Where the skill's files are read: where it was found, or where its copy for use is, which is never a symlink.
fn location(world: &World<'_>, skill: &Skill, main: FsPath) -> Result<Location, Error> {
    if main == skill.path {
        return Ok(skill.location());
    }
    let dir = main.parent().ok_or_else(|| FsError::NotAFile(main.clone()))?;
    let above = dir.parent().ok_or_else(|| FsError::NotADirectory(dir.clone()))?;
    let dir = child(&world.fs.canonical(&above)?, dir.name())?;
    let file = child(&dir, main.name())?;
    Ok(Location { path: main, dir, file })
}
