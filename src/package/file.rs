//! In: a skill, the name of one of its files, who asks. Out: a [`FilePart`], as much of the file's text as one answer
//! holds. What the caller may not have is refused here as everywhere, and so is what lies outside of the skill's
//! folder, links resolved, or belongs to a skill nested in it (decisions 18, 27, 29). Absent: which files there are.

use crate::discovery::catalog::Catalog;
use crate::discovery::manifest::is_alone;
use crate::discovery::scan::holds_skill;
use crate::fs::FsError;
use crate::model::error::Error;
use crate::model::skill::{Caller, Location, Skill};
use crate::model::world::World;
use crate::package::activate::{ActiveLocation, standing};
use crate::package::inventory::{Hidden, Package, Purpose, left_out};
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
    /// The file, links resolved.
    pub path: FsPath,
    /// The text; none where the file holds none.
    pub text: Option<String>,
    /// Where the next part begins; none at the end.
    pub next: Option<u64>,
    /// How many bytes the whole file has.
    pub bytes: u64,
}

/// Reads a part of a skill's file.
///
/// ```
/// use skilltree::{Caller, FsPath, MemFs, Places, World, dialect, discover};
/// use skilltree::package::{FileRequest, file};
/// let mut fs = MemFs::new();
/// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n").file("/s/tea/kinds.md", "green, black");
/// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
/// let world = World::new(&fs, &places, &());
/// let catalog = discover(&world, &dialect("agentskills").unwrap());
/// let ask = FileRequest { caller: Caller::Model, name: "kinds.md".to_owned(), offset: 7 };
/// let part = file(&world, &catalog, &catalog.skills()[0], &ask).unwrap();
/// assert_eq!(part.text.as_deref(), Some("black"));
/// ```
///
/// # Errors
/// [`Error::NotForModel`] and its kin when the caller may not have the skill; [`Error::Fs`] for what is no file of its
/// folder; [`Error::OfAnotherSkill`]; [`Error::ReadDenied`]; [`Error::BadArguments`] for an offset that is none.
pub fn file(world: &World<'_>, catalog: &Catalog, skill: &Skill, ask: &FileRequest) -> Result<FilePart, Error> {
    let skill = catalog.find(&skill.key, ask.caller)?;
    let ActiveLocation { path: main, dir: shown } = standing(world, catalog, skill)?;
    let path = named(world, &main, &shown, &ask.name)?;
    let dir = main.parent().filter(|_| !is_alone(&main));
    if path != main && dir.as_ref().is_none_or(|dir| !path.is_within(dir)) {
        return Err(FsError::Escapes(path).into());
    }
    let at = location(world, skill, main)?;
    let package = Package::open(world, &at, Purpose::List)?;
    let name = if path == at.path { Some(at.path.name()) } else { dir.and_then(|dir| path.below(&dir)) };
    let escapes = || FsError::Escapes(path.clone());
    let real =
        package.fs.canonical(&package.path(name.ok_or_else(escapes)?)).map_err(|error| error.at(path.clone()))?;
    if is_nested(&package, &real, &Hidden::of(catalog, ask.caller))? {
        return Err(Error::OfAnotherSkill { path, key: visible(&skill.key).into_owned() });
    }
    if !real.below(&at.dir).is_some_and(|name| package.takes(name)) {
        return Err(left_out(path));
    }
    if !world.host.may_read(&path) || !world.host.may_read(&real) {
        return Err(Error::ReadDenied { path });
    }
    let until = ask.offset.saturating_add(MAX_PART_BYTES).min(MAX_FILE_BYTES);
    let head = package.fs.read(&real, until).map_err(|error| error.at(path.clone()))?;
    if head.len < ask.offset || MAX_FILE_BYTES <= ask.offset {
        let most = head.len.min(MAX_FILE_BYTES);
        return Err(Error::BadArguments(format!("`{path}` can be read up to byte {most}, got {}", ask.offset)));
    }
    let whole = head.len == head.bytes.len() as u64;
    let Some(text) = text(&head.bytes, whole) else {
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

/// The path that a caller means: by the path under which the folder is shown to it, or from the folder.
fn named(world: &World<'_>, main: &FsPath, shown: &str, name: &str) -> Result<FsPath, Error> {
    let dir = main.parent().unwrap_or_else(FsPath::root);
    let below = name.strip_prefix(shown).and_then(|rest| rest.strip_prefix('/'));
    world
        .fs
        .parse(below.unwrap_or(name), &dir)
        .ok_or_else(|| Error::BadArguments(format!("`{}` is not a file", visible(name))))
}

/// Where the skill's files are read: where it was found, or where its copy for use is, which is never a link.
fn location(world: &World<'_>, skill: &Skill, main: FsPath) -> Result<Location, Error> {
    if main == skill.path {
        return Ok(skill.location());
    }
    let dir = main.parent().unwrap_or_else(FsPath::root);
    let above = world.fs.canonical(&dir.parent().unwrap_or_else(FsPath::root))?;
    let dir = above.child(dir.name()).unwrap_or(above);
    let file = dir.child(main.name()).unwrap_or_else(|_| dir.clone());
    Ok(Location { path: main, dir, file })
}

/// Whether the file belongs to a skill that is nested in this one: a folder on the way to it holds a SKILL.md of its
/// own, or it is of a skill that the caller may not see.
fn is_nested(package: &Package<'_>, file: &FsPath, hidden: &Hidden) -> Result<bool, FsError> {
    let hidden = hidden.below(package.at);
    if file.below(&package.at.dir).is_some_and(|name| !Package::is_shown(&hidden, name)) {
        return Ok(true);
    }
    let mut folder = file.parent();
    while let Some(at) = folder.filter(|at| *at != package.at.dir && at.is_within(&package.at.dir)) {
        if holds_skill(&package.fs.list(&at)?) {
            return Ok(true);
        }
        folder = at.parent();
    }
    Ok(false)
}

/// The bytes as text, without a character that is cut at their end; none where they are no text.
fn text(bytes: &[u8], whole: bool) -> Option<&str> {
    if bytes.contains(&0) {
        return None;
    }
    decode_utf8(bytes, !whole).ok()
}
