//! The command `replay`: makes the answer of a receipt again. The options that say where to look name where the folders of
//! the receipt are now; the answer has the paths of the receipt nevertheless, so that it can be compared.

mod vouched;

use crate::args::{GlobalOptions, NonEmptyText};
use crate::dialects::Dialects;
use crate::output::text::count;
use crate::receipt;
use crate::reply::{Exit, Failure, Output, Reply};
use crate::run::{Answer, Runner, note_line};
use crate::setup::{absolute_path, archive, existing_folder, is_archive, working_directory};
use skilltree::fs::{Entry, FilePrefix, Metadata, OverlayFs};
use skilltree::record::{Replay, ReplayRequest};
use skilltree::{Fs, FsError, FsPath, OsFs, Places, visible};
use std::borrow::Cow;

// No doc comment here: clap would take it for the text about the command.
#[derive(clap::Args, Debug)]
pub(crate) struct ReplayArgs {
    /// File that --receipt has written
    #[arg(value_name = "RECEIPT", value_parser = NonEmptyText::new())]
    file: String,
}

impl Runner<'_> {
    pub(crate) fn replay(self, ask: &ReplayArgs) -> Answer {
        let fs = OsFs::new();
        let base = working_directory(&fs);
        let path = absolute_path(&fs, base.as_ref(), &ask.file)?;
        let Some((receipt, _)) = receipt::read(&fs, None, &path)? else {
            let file = fs.display(&path).into_owned();
            return Err(Failure::error("no-receipt", format!("there is no receipt `{}`", visible(&file))));
        };
        vouched::check(self.options, &receipt)?;
        let mut moved = Moved { fs: fs.clone(), base, folders: Vec::new() };
        let places = moved.places(self.options, receipt.places())?;
        let request = self.request(places)?;
        let Moved { folders, .. } = moved;
        let here = MovedFs { fs: fs.clone(), folders };
        let told = receipt.replay(&with_archives(&fs, &here, receipt.places())?, &request);
        let now = |path: &FsPath| fs.display(&here.here(path)).into_owned();
        let at = |path: &FsPath| visible(&now(path)).into_owned();
        if self.json {
            let json = told.to_json(&now);
            return Ok(match failure(&told, &at) {
                Some(failure) => Reply::json(&failure.add_to_json(json)).with_exit(Exit::Negative),
                None => Reply::json(&json),
            });
        }
        let Some(differs) = &told.differs else {
            let note = match told.changed.as_slice() {
                [] => String::new(),
                [first, rest @ ..] => note_line(&format!(
                    "the answer is the same, although `{}`{} changed",
                    at(first),
                    if rest.is_empty() {
                        " has".to_owned()
                    } else {
                        format!(" and {} have", count(rest.len(), "file"))
                    }
                )),
            };
            return Ok(Reply::new(Output::Styled(format!("same bytes: {}\n", told.digest))).with_stderr(&note));
        };
        let (expected, got) = (visible(&differs.expected), visible(&differs.got));
        let text = format!("{} differs\n  expected: {expected}\n  got:      {got}\n", differs.what.named(&at));
        Ok(Reply::new(Output::Styled(text)).with_exit(Exit::Negative))
    }

    /// The options that take the place of what is in the receipt.
    fn request(self, places: Places) -> Result<ReplayRequest, Failure> {
        let GlobalOptions { dialect, enable, disable, trust, permission, .. } = self.options;
        let dialect = dialect.as_deref().map(|name| Dialects::new(self.options).named(Some(name))).transpose()?;
        Ok(ReplayRequest {
            dialect: dialect.map(|chosen| chosen.dialect),
            reading: self.options.reading(),
            places: Some(places),
            enable: enable.clone(),
            disable: disable.clone(),
            trust: *trust,
            permissions: permission.iter().map(|tag| tag.permission.clone()).collect(),
        })
    }
}

fn failure(told: &Replay, at: &dyn Fn(&FsPath) -> String) -> Option<Failure> {
    let differs = told.differs.as_ref()?;
    Some(Failure::negative("differs", format!("{} differs from the receipt", differs.what.named(at))))
}

/// The folders that are elsewhere now.
struct Moved {
    fs: OsFs,
    base: Option<FsPath>,
    /// Where each was, and is.
    folders: Vec<(FsPath, FsPath)>,
}

impl Moved {
    /// The places of the receipt, with what the options add.
    fn places(&mut self, options: &GlobalOptions, recorded: &Places) -> Result<Places, Failure> {
        let mut places = recorded.clone();
        let one = [
            (&options.project, &mut places.project, "project"),
            (&options.home, &mut places.home, "home directory"),
            (&options.bundled, &mut places.bundled, "folder"),
            (&options.config, &mut places.config, "folder"),
            (&options.user, &mut places.user, "folder"),
            (&options.managed, &mut places.managed, "managed folder"),
            (&options.active, &mut places.active, "activation root"),
        ];
        for (given, place, what) in one {
            if let Some(given) = given {
                self.place(given, place, what)?;
            }
        }
        let mut roots: Vec<Option<FsPath>> = places.roots.drain(..).map(Some).collect();
        roots.resize(roots.len().max(options.root.len()), None);
        for (given, root) in options.root.iter().zip(&mut roots) {
            self.place(given, root, "root")?;
        }
        places.roots.extend(roots.into_iter().flatten());
        if !options.touch.is_empty() {
            let touched = options.touch.iter().map(|path| absolute_path(&self.fs, self.base.as_ref(), path));
            places.touched = touched.collect::<Result<_, _>>()?;
        }
        if options.mount.is_some() {
            places.mount.clone_from(&options.mount);
        }
        places.only_roots |= options.only_roots;
        places.follow_links_out |= options.follow_links_out;
        Ok(places)
    }

    /// Notes where a folder is now, or adds one that the receipt does not have.
    fn place(&mut self, given: &str, place: &mut Option<FsPath>, what: &str) -> Result<(), Failure> {
        let path = absolute_path(&self.fs, self.base.as_ref(), given)?;
        if !is_archive(&self.fs, &path) {
            existing_folder(&self.fs, &self.fs, self.base.as_ref(), given, what)?;
        }
        match place {
            Some(was) => self.folders.push((was.clone(), path)),
            None => *place = Some(path),
        }
        Ok(())
    }
}

/// The files with the archives among the places of the receipt opened.
fn with_archives<'f>(fs: &OsFs, here: &'f MovedFs, places: &Places) -> Result<OverlayFs<'f>, Failure> {
    let mut files = OverlayFs::new().layer(here);
    let registered = places.registered.iter().map(|(_, path)| path);
    for place in places.roots.iter().chain(&places.bundled).chain(registered) {
        // The place may be a folder in the archive.
        let mut at = Some(place.clone()).filter(|_| place.as_str().contains(".skill"));
        while let Some(path) = at {
            if is_archive(here, &path) {
                let (archive, _) = archive(fs, &here.here(&path))?;
                files = files.mount(path, archive);
                break;
            }
            at = path.parent();
        }
    }
    Ok(files)
}

/// The disk, with some folders at the paths at which they were.
struct MovedFs {
    fs: OsFs,
    folders: Vec<(FsPath, FsPath)>,
}

impl MovedFs {
    /// Where a path of the receipt is now.
    fn here(&self, path: &FsPath) -> FsPath {
        let folders = self.folders.iter().map(|(was, is)| (was, is));
        moved(path, folders)
    }

    /// Where a path was that is here now.
    fn there(&self, path: &FsPath) -> FsPath {
        let real = |is: &FsPath| self.fs.canonical(is).unwrap_or_else(|_| is.clone());
        let folders: Vec<_> = self.folders.iter().map(|(was, is)| (real(is), was)).collect();
        moved(path, folders.iter().map(|(is, was)| (is, *was)))
    }

    fn ask<T>(&self, path: &FsPath, ask: impl FnOnce(&FsPath) -> Result<T, FsError>) -> Result<T, FsError> {
        ask(&self.here(path)).map_err(|error| error.at(path.clone()))
    }
}

/// The path below the second folder of the pair with the longest first folder that it lies below.
fn moved<'p>(path: &FsPath, folders: impl Iterator<Item = (&'p FsPath, &'p FsPath)>) -> FsPath {
    let innermost = folders.filter(|(from, _)| path.starts_with(from)).max_by_key(|(from, _)| from.depth());
    let rebased = innermost.and_then(|(from, to)| match path.relative_to(from)? {
        "" => Some(to.clone()),
        rest => to.join(rest).ok(),
    });
    rebased.unwrap_or_else(|| path.clone())
}

impl Fs for MovedFs {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.ask(dir, |dir| self.fs.list(dir))
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.ask(file, |file| self.fs.read(file, at_most))
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.ask(path, |path| self.fs.metadata(path))
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        Ok(self.there(&self.ask(path, |path| self.fs.canonical(path))?))
    }

    fn display<'p>(&self, path: &'p FsPath) -> Cow<'p, str> {
        self.fs.display(path)
    }

    fn parse(&self, text: &str, base: &FsPath) -> Option<FsPath> {
        self.fs.parse(text, base)
    }
}
