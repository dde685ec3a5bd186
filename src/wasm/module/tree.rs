//! The skills of one handle: a dialect, places, a host, and the files that have been supplied so far. The catalog is
//! discovered again only after files have changed, and the indexes of the search are updated only then. Discovery records
//! which files are missing.

use super::host_fs::{HostFs, Item, Want};
use skilltree::dialect::NAMES;
use skilltree::discovery::given::{Arguments, GivenHost, Refusal};
use skilltree::fs::FileKind;
use skilltree::model::Reading;
#[cfg(feature = "full")]
use skilltree::offer::SearchIndex;
use skilltree::{Catalog, Dialect, Fs, FsError, FsPath, IncrementalDiscovery, Json, MemFs, Places, World, dialect};
use std::collections::HashMap;
use std::sync::Arc;

/// How much one name in memory takes besides its bytes, about.
const NAME_BYTES: usize = 256;

/// The dialect of a tree that names none.
const DEFAULT_DIALECT: &str = NAMES[0];

const MAX_PATH_BYTES: usize = 4_096;

/// The state of one handle.
pub(super) struct Tree {
    #[cfg(feature = "full")]
    pub(super) dialect: Arc<Dialect>,
    pub(super) host: GivenHost,
    places: Places,
    reading: Option<Reading>,
    files: Files,
    live: IncrementalDiscovery,
    catalog: Option<Catalog>,
    /// What was searched last, without the bodies of skills and with them. Each holds the catalog that it was made of.
    #[cfg(feature = "full")]
    index: Option<SearchIndex>,
    #[cfg(feature = "full")]
    index_with_bodies: Option<SearchIndex>,
}

enum Files {
    /// All files are given; what is not there does not exist.
    Given { fs: Box<MemFs>, sizes: HashMap<FsPath, usize>, bytes: usize },
    /// The host is asked for what is needed.
    HostFs(HostFs),
}

impl Files {
    fn fs(&self) -> &dyn Fs {
        match self {
            Files::Given { fs, .. } => fs.as_ref(),
            Files::HostFs(asked) => asked,
        }
    }

    /// Whether the call needs files that the host has yet to supply.
    fn is_wanting(&self) -> bool {
        match self {
            Files::Given { .. } => false,
            Files::HostFs(asked) => asked.is_wanting(),
        }
    }
}

/// The world of a tree: a lean one in the slim module.
fn world<'w>(files: &'w Files, places: &'w Places, host: &'w GivenHost, reading: Option<Reading>) -> World<'w> {
    let make = if cfg!(feature = "full") { World::new } else { World::lean };
    make(files.fs(), places, host).with_reading(reading)
}

impl Tree {
    pub(super) fn open(arguments: &Arguments<'_>) -> Result<Box<Tree>, Box<Refusal>> {
        let dialect = named(arguments.text("dialect")?)?;
        let places = GivenHost::read_places(arguments)?;
        let reading = read_reading(arguments)?;
        let host = GivenHost::read(arguments, &places)?;
        let files = match arguments.flag("asks")? {
            true => Files::HostFs(HostFs::default()),
            false => Files::Given { fs: Box::default(), sizes: HashMap::new(), bytes: 0 },
        };
        let live = IncrementalDiscovery::new(Arc::clone(&dialect));
        Ok(Box::new(Tree {
            #[cfg(feature = "full")]
            dialect,
            host,
            places,
            reading,
            files,
            live,
            catalog: None,
            #[cfg(feature = "full")]
            index: None,
            #[cfg(feature = "full")]
            index_with_bodies: None,
        }))
    }

    #[cfg(feature = "full")]
    pub(super) fn fs(&self) -> &dyn Fs {
        self.files.fs()
    }

    // Every answer begins with it: it is not to stand in each of them.
    #[inline(never)]
    pub(super) fn world(&self) -> World<'_> {
        world(&self.files, &self.places, &self.host, self.reading)
    }

    /// How many bytes the files take, about.
    pub(super) fn bytes(&self) -> usize {
        match &self.files {
            Files::Given { bytes, .. } => *bytes,
            Files::HostFs(asked) => asked.bytes(),
        }
    }

    /// The requests that the last answer needs.
    pub(super) fn wanted(&self) -> Vec<Want> {
        match &self.files {
            Files::Given { .. } => Vec::new(),
            Files::HostFs(asked) => asked.wanted(),
        }
    }

    /// The catalog of the current files. It is cached if no file was missing.
    pub(super) fn catalog(&mut self) -> Catalog {
        if let Some(catalog) = &self.catalog {
            return catalog.clone();
        }
        let world = world(&self.files, &self.places, &self.host, self.reading).with_resources();
        let catalog = self.live.refresh(&world);
        self.catalog = (!self.files.is_wanting()).then(|| catalog.clone());
        catalog
    }

    /// The index of the current files, which is updated if files have changed; `None` if a file was missing.
    #[cfg(feature = "full")]
    pub(super) fn index(&mut self, has_bodies: bool) -> Option<&SearchIndex> {
        let catalog = self.catalog();
        if self.files.is_wanting() {
            return None;
        }
        let world = world(&self.files, &self.places, &self.host, self.reading);
        let index = if has_bodies { &mut self.index_with_bodies } else { &mut self.index };
        match (index.as_mut(), has_bodies) {
            (None, false) => *index = Some(SearchIndex::new(&catalog)),
            (None, true) => *index = Some(SearchIndex::with_bodies(&world, &catalog)),
            (Some(index), false) => index.update(&catalog),
            (Some(index), true) => index.update_with_bodies(&world, &catalog),
        }
        // A body that was missing is not in it.
        if self.files.is_wanting() {
            *index = None;
        }
        index.as_ref()
    }

    /// Puts files, folders and links; the bytes of the files stand one behind the other in `attached`.
    pub(super) fn put(&mut self, arguments: &Arguments<'_>, mut attached: &[u8]) -> Result<(), Box<Refusal>> {
        let files = arguments.list("files")?;
        let Files::Given { fs, sizes, bytes } = &mut self.files else { return Err(not_given()) };
        self.catalog = None;
        for file in files {
            let file = Arguments::new("files", file, &["bytes", "link", "path"])?;
            let at = stored_path(&file)?;
            let (len, target) = (file.number("bytes")?, file.text("link")?);
            if let Ok(Some(metadata)) = fs.metadata(&at) {
                if metadata.kind == FileKind::Dir {
                    cut(sizes, bytes, &at);
                }
            }
            let mut size = cost(at.as_str());
            match (len, target) {
                (Some(len), None) => {
                    size += len;
                    fs.file(at.as_str(), take(&mut attached, len)?);
                }
                (None, Some(target)) => {
                    size += target.len();
                    fs.link(at.as_str(), target);
                }
                (None, None) => {
                    fs.dir(at.as_str());
                }
                (Some(_), Some(_)) => {
                    return Err(Refusal::arguments(format!("`{at}` must be a file or a link, not both")));
                }
            }
            *bytes += size;
            *bytes -= sizes.insert(at, size).unwrap_or_default();
        }
        Ok(())
    }

    /// Takes files and folders away.
    pub(super) fn remove(&mut self, arguments: &Arguments<'_>) -> Result<(), Box<Refusal>> {
        let paths = arguments.paths("paths")?;
        let Files::Given { fs, sizes, bytes } = &mut self.files else { return Err(not_given()) };
        self.catalog = None;
        for path in paths {
            fs.remove(path.as_str());
            cut(sizes, bytes, &path);
        }
        Ok(())
    }

    /// Takes what the host was asked for.
    pub(super) fn tell(&mut self, arguments: &Arguments<'_>, mut attached: &[u8]) -> Result<(), Box<Refusal>> {
        let (lists, reads) = (arguments.list("lists")?, arguments.list("reads")?);
        let Files::HostFs(asked) = &mut self.files else { return Err(not_asked()) };
        self.catalog = None;
        for list in lists {
            let list = Arguments::new("lists", list, &["entries", "error", "path"])?;
            let dir = stored_path(&list)?;
            let mut bytes = cost(dir.as_str());
            let what = match reported_error(&list, &dir)? {
                Some(error) => Err(error),
                None => {
                    let mut items = Vec::new();
                    for json in list.list("entries")? {
                        let item = item(json)?;
                        bytes += cost(&item.name) + item.target.as_ref().map_or(0, String::len);
                        items.push(item);
                    }
                    Ok(items)
                }
            };
            asked.listed(dir, what, bytes);
        }
        for read in reads {
            let read = Arguments::new("reads", read, &["bytes", "error", "path"])?;
            let file = stored_path(&read)?;
            let what = match reported_error(&read, &file)? {
                Some(error) => Err(error),
                None => {
                    // Without `bytes` the file is empty.
                    let len = read.number("bytes")?.unwrap_or(0);
                    Ok(take(&mut attached, len)?.to_vec())
                }
            };
            let bytes = cost(file.as_str()) + what.as_ref().map_or(0, Vec::len);
            asked.read(file, what, bytes);
        }
        Ok(())
    }

    /// Forgets what the host was asked for, there and below.
    pub(super) fn forget(&mut self, arguments: &Arguments<'_>) -> Result<(), Box<Refusal>> {
        let paths = arguments.paths("paths")?;
        let Files::HostFs(asked) = &mut self.files else { return Err(not_asked()) };
        self.catalog = None;
        paths.iter().for_each(|path| asked.forget(path));
        Ok(())
    }
}

pub(super) fn named(name: Option<&str>) -> Result<Arc<Dialect>, Box<Refusal>> {
    let name = name.unwrap_or(DEFAULT_DIALECT);
    dialect(name).ok_or_else(|| {
        let known = NAMES.join("`, `");
        Refusal::new("unknown-dialect", format!("there is no dialect `{name}`; there are `{known}`"))
    })
}

/// How files are read, if the caller says so.
fn read_reading(arguments: &Arguments<'_>) -> Result<Option<Reading>, Box<Refusal>> {
    let Some(name) = arguments.text("reading")? else { return Ok(None) };
    let refusal = || Refusal::arguments(format!("`reading` must be `faithful` or `repaired`, not `{name}`"));
    Reading::named(name).map(Some).ok_or_else(refusal)
}

/// The field `path` of a file or a listing to store.
fn stored_path(arguments: &Arguments<'_>) -> Result<FsPath, Box<Refusal>> {
    let len = arguments.required_text("path")?.len();
    if MAX_PATH_BYTES < len {
        return Err(Refusal::new("bad-path", format!("a path has at most {MAX_PATH_BYTES} bytes, got {len}")));
    }
    arguments.required_path("path")
}

fn cost(path: &str) -> usize {
    path.len() + NAME_BYTES * (1 + path.matches('/').count())
}

fn cut(sizes: &mut HashMap<FsPath, usize>, bytes: &mut usize, path: &FsPath) {
    sizes.retain(|at, size| {
        let is_kept = !at.starts_with(path);
        *bytes -= if is_kept { 0 } else { *size };
        is_kept
    });
}

/// The next so many bytes.
fn take<'b>(attached: &mut &'b [u8], len: usize) -> Result<&'b [u8], Box<Refusal>> {
    let left = attached.len();
    let (bytes, rest) = attached
        .split_at_checked(len)
        .ok_or_else(|| Refusal::arguments(format!("a file must have {len} bytes, but only {left} follow the JSON")))?;
    *attached = rest;
    Ok(bytes)
}

/// Why the host could not answer, if it could not.
fn reported_error(arguments: &Arguments<'_>, path: &FsPath) -> Result<Option<FsError>, Box<Refusal>> {
    if arguments.value("error").is_none() {
        return Ok(None);
    }
    let error = arguments.object("error", &["code", "message"])?;
    let path = path.clone();
    Ok(Some(match error.required_text("code")? {
        "not-found" => FsError::NotFound(path),
        "denied" => FsError::Denied(path),
        "not-a-file" => FsError::NotAFile(path),
        "not-a-directory" => FsError::NotADirectory(path),
        _ => FsError::Other { path, message: error.text("message")?.unwrap_or("no reason is given").to_owned() },
    }))
}

fn item(json: &Json) -> Result<Item, Box<Refusal>> {
    let entry = Arguments::new("entries", json, &["kind", "name", "size", "target"])?;
    let name = entry.required_text("name")?.to_owned();
    let kind = match entry.required_text("kind")? {
        "file" => Some(FileKind::File),
        "dir" => Some(FileKind::Dir),
        "other" => Some(FileKind::Other),
        "link" => None,
        kind => {
            let message = format!("`{name}` must be `file`, `dir`, `link` or `other`, not `{kind}`");
            return Err(Refusal::arguments(message));
        }
    };
    let target = entry.text("target")?.filter(|_| kind.is_none()).map(str::to_owned);
    let len = entry.number("size")?.filter(|_| kind.is_some()).map(|len| len as u64);
    Ok(Item { name, kind, target, len })
}

fn not_given() -> Box<Refusal> {
    Refusal::new("asks-for-files", "this tree asks for its files; use `forget` to make it ask again".to_owned())
}

fn not_asked() -> Box<Refusal> {
    Refusal::new("has-its-files", "this tree does not ask for files; use `put` and `remove` to change them".to_owned())
}
