//! The command `replay`: makes the answer of a receipt again. The options that say where to look name where the folders of
//! the receipt are now; the answer has the paths of the receipt nevertheless, so that it can be compared.
//!
//! A receipt may come from anybody, and `replay` prints digests of what it reads: it reads in the project, where the same
//! command would look without a receipt, and where an option says.

use crate::answer::{Answer, Runner, note_line};
use crate::args::{GlobalOptions, NonEmptyText};
use crate::dialects::Dialects;
use crate::git;
use crate::host::resolved;
use crate::output::text::count;
use crate::receipt;
use crate::reply::{Exit, Failure, Output, Reply};
use crate::setup::{
    ARCHIVE_EXTENSIONS, Setup, absolute_path, and_above, archive, archive_at, existing_folder, is_archive,
    working_directory,
};
use crate::suggested::{command, command_at};
use skilltree::dialect::NAMES;
use skilltree::fs::{Entry, FilePrefix, FileRecord, Metadata, OverlayFs};
use skilltree::record::{Receipt, Replay, ReplayRequest};
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
        // The receipt has its own dialect.
        let setup = Setup::new(&GlobalOptions { dialect: None, ..self.options.clone() })?;
        check_vouched(&setup, &receipt, &ask.file)?;
        let mut here = MovedFs { fs: fs.clone(), files: setup.files(), base, folders: Vec::new() };
        let places = here.places(&setup, receipt.places())?;
        here.add_real_paths(&receipt);
        let request = self.request(places)?;
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

/// The files with the archives among the places of the receipt opened.
fn with_archives<'f>(fs: &OsFs, here: &'f MovedFs<'f>, places: &Places) -> Result<OverlayFs<'f>, Failure> {
    let mut files = OverlayFs::new().layer(here);
    let registered = places.registered.iter().map(|(_, path)| path);
    for place in places.roots.iter().chain(&places.bundled).chain(registered) {
        // The place may be a folder in the archive.
        let lower = place.as_str().to_lowercase();
        let may_be_packed = ARCHIVE_EXTENSIONS.iter().any(|end| lower.contains(end));
        if let Some(path) = may_be_packed.then(|| archive_at(here, place)).flatten() {
            let (archive, _) = archive(fs, &here.here(&path))?;
            files = files.mount(path, archive);
        }
    }
    Ok(files)
}

/// The disk, with some folders at the paths at which they were.
struct MovedFs<'f> {
    fs: OsFs,
    /// The disk with the archives and revisions that the options name.
    files: &'f (dyn Fs + Sync),
    base: Option<FsPath>,
    /// Where each was, and is.
    folders: Vec<(FsPath, FsPath)>,
}

impl MovedFs<'_> {
    /// The places of the receipt, with what the options add.
    fn places(&mut self, setup: &Setup, recorded: &Places) -> Result<Places, Failure> {
        let (options, own) = (&setup.options, &setup.places);
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
        let mut moved = optional_roots(setup, recorded);
        for given in &options.root {
            let mut root = moved.next().cloned();
            let is_new = root.is_none();
            self.place(given, &mut root, "root")?;
            places.roots.extend(root.filter(|_| is_new));
        }
        for (at, (id, was)) in recorded.registered.iter().enumerate() {
            self.folders.extend(registration(own, recorded, (at, id)).map(|path| (was.clone(), path.clone())));
        }
        // The user's own choices count, wherever this machine has them.
        self.folders.extend(recorded.user_choices.clone().zip(own.user_choices.clone()));
        self.folders.extend(project_choices(setup, recorded));
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
        // What was not there when the receipt was written need not be there now.
        if place.as_ref() != Some(&path) && !is_archive(&self.fs, &path) {
            existing_folder(&self.fs, self.files, self.base.as_ref(), given, what)?;
        }
        match place {
            Some(was) => self.folders.push((was.clone(), path)),
            None => *place = Some(path),
        }
        Ok(())
    }

    /// Notes where the folders are now that were behind symlinks: the receipt names by real paths what was read in them, and
    /// nothing below the paths by which it names the folders themselves.
    fn add_real_paths(&mut self, receipt: &Receipt) {
        let read = receipt.files().iter().filter(|(_, record)| matches!(record, FileRecord::Read { .. }));
        let named = self.folders.clone();
        let is_named = |file: &FsPath| named.iter().any(|(was, _)| file.starts_with(was));
        for (_, is) in named.iter().filter(|(was, _)| read.clone().all(|(file, _)| !file.starts_with(was))) {
            let is_there = |folder: &FsPath, file: &FsPath| {
                let now = file.relative_to(folder).and_then(|below| is.join(below).ok());
                now.is_some_and(|now| matches!(self.files.metadata(&now), Ok(Some(_))))
            };
            // The outermost folder leaves the longest path for a file that is there now.
            let folder_of = |file: &FsPath| and_above(file).skip(1).filter(|folder| is_there(folder, file)).last();
            let was = read.clone().filter(|(file, _)| !is_named(file)).find_map(|(file, _)| folder_of(file));
            self.folders.extend(was.map(|was| (was, is.clone())));
        }
    }

    /// Where a path of the receipt is now.
    fn here(&self, path: &FsPath) -> FsPath {
        let folders = self.folders.iter().map(|(was, is)| (was, is));
        moved(path, folders)
    }

    /// Where a path was that is here now.
    fn there(&self, path: &FsPath) -> FsPath {
        let real = |is: &FsPath| self.files.canonical(is).unwrap_or_else(|_| is.clone());
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

impl Fs for MovedFs<'_> {
    fn list(&self, dir: &FsPath) -> Result<Vec<Entry>, FsError> {
        self.ask(dir, |dir| self.files.list(dir))
    }

    fn read(&self, file: &FsPath, at_most: u64) -> Result<FilePrefix, FsError> {
        self.ask(file, |file| self.files.read(file, at_most))
    }

    fn metadata(&self, path: &FsPath) -> Result<Option<Metadata>, FsError> {
        self.ask(path, |path| self.files.metadata(path))
    }

    fn canonical(&self, path: &FsPath) -> Result<FsPath, FsError> {
        Ok(self.there(&self.ask(path, |path| self.files.canonical(path))?))
    }

    fn display<'p>(&self, path: &'p FsPath) -> Cow<'p, str> {
        self.fs.display(path)
    }

    fn parse(&self, text: &str, base: &FsPath) -> Option<FsPath> {
        self.fs.parse(text, base)
    }
}

/// Fails if the receipt in this file names a place that nobody but the receipt vouches for.
fn check_vouched(setup: &Setup, receipt: &Receipt, file: &str) -> Result<(), Failure> {
    let options = &setup.options;
    let (recorded, own) = (receipt.places(), &setup.places);
    // The activated copies in the user's folder are read with it.
    let in_user = recorded.active.as_ref().zip(recorded.user.as_ref()).is_some_and(|(at, user)| at.starts_with(user));
    let is_below = |path: &FsPath| resolved(&setup.fs, path).starts_with(&resolved(&setup.fs, &setup.project));
    let is_packed = |path: &FsPath| is_below(path) && archive_at(&setup.fs, path).is_some();
    let is_managed = |path: &FsPath| {
        let mut dialects = NAMES.iter().filter_map(|name| skilltree::dialect(name));
        dialects.any(|dialect| dialect.managed_folders().any(|at| setup.path(at).ok().as_ref() == Some(path)))
    };
    let places = [
        ("--project", options.project.is_some(), recorded.project.as_ref(), own.project.as_ref()),
        ("--home", options.home.is_some(), recorded.home.as_ref(), own.home.as_ref()),
        ("--bundled", options.bundled.is_some(), recorded.bundled.as_ref(), None),
        ("--config", options.config.is_some(), recorded.config.as_ref(), None),
        ("--user", options.user.is_some(), recorded.user.as_ref(), None),
        ("--managed", options.managed.is_some(), recorded.managed.as_ref(), own.managed.as_ref()),
        (
            "--active",
            options.active.is_some() || (options.user.is_some() && in_user),
            recorded.active.as_ref(),
            own.active.as_ref(),
        ),
    ];
    let refused = |path: &FsPath, option: &str, allowing: String| {
        let why = format!("the receipt reads `{}`, which this command would not read by itself", shown(setup, path));
        let is_gone = setup.fs.metadata(path).is_ok_and(|found| found.is_none());
        let elsewhere = if is_gone { "; nothing is there now, so name the place that it has instead" } else { "" };
        not_vouched_for(&why, option, &format!("{allowing}{elsewhere}"))
    };
    let allowing = |option: &str, value: &str| command(&["replay", option, value], &[file]);
    let named = |path: &FsPath| match path.as_str().split_once(&format!("/{}", git::PREFIX)) {
        // A revision is named as it was, for git to find it in the repository here.
        Some((_, revision)) if setup.fs.metadata(path).is_ok_and(|found| found.is_none()) => {
            format!("{}{revision}", git::PREFIX)
        }
        _ => setup.fs.display(path).into_owned(),
    };
    for (option, is_given, recorded, own) in places {
        let Some(path) = recorded.filter(|path| !is_given && own != Some(path)) else { continue };
        let is_fine = match option {
            "--project" => is_below(path),
            "--managed" => is_managed(path),
            _ => is_packed(path),
        };
        if !is_fine {
            return Err(refused(path, option, allowing(option, &named(path))));
        }
    }
    // The options take the places of the roots in their order, but for those of the user's own choices.
    let roots: Vec<&FsPath> = optional_roots(setup, recorded).skip(options.root.len()).collect();
    if let Some(at) = roots.iter().position(|path| !is_packed(path)) {
        let named = roots.iter().take(at + 1).map(|root| named(root));
        let allowing = command_at(|options| options.root.extend(named), &["replay"], &[file]);
        return Err(refused(roots[at], "--root", allowing));
    }
    for (at, (id, path)) in recorded.registered.iter().enumerate() {
        if registration(own, recorded, (at, id)).is_none() && !is_packed(path) {
            return Err(refused(path, "--register", allowing("--register", &format!("{id}={}", named(path)))));
        }
    }
    // Where this machine has no place for choices of the user, none is read instead.
    let choices = recorded.user_choices.iter().filter(|_| own.user_choices.is_none());
    let of_folders: Vec<FsPath> = project_choices(setup, recorded).map(|(was, _)| was).collect();
    let is_of_project = |path: &&FsPath| {
        let is_in_recorded = recorded.project.as_ref().is_some_and(|project| path.starts_with(project));
        is_in_recorded || of_folders.contains(path) || own.project_choices.contains(path) || is_below(path)
    };
    let choices = choices.chain(recorded.project_choices.iter().filter(|path| !is_of_project(path)));
    if let Some(path) = choices.into_iter().next() {
        let why = format!(
            "the receipt reads the choices in `{}`, which is neither yours nor the project's",
            shown(setup, path)
        );
        return Err(Failure::error("not-vouched-for", why));
    }
    if recorded.follow_links_out && !options.follow_links_out {
        let why = "the receipt follows the project's symlinks out of the project";
        let option = "--follow-links-out";
        return Err(not_vouched_for(why, option, &command(&["replay", option], &[file])));
    }
    let home = recorded.home.as_ref().filter(|_| options.dialect.is_none() && options.home.is_none());
    if let Some(home) = home.filter(|_| receipt.has_own_dialect()) {
        let why = "the receipt has a dialect of its own, which may read any file in your home directory";
        return Err(not_vouched_for(why, "--home", &allowing("--home", &named(home))));
    }
    Ok(())
}

/// The roots of the receipt that are not in the user's own choices, whose roots stand before those of the options.
fn optional_roots<'p>(setup: &'p Setup, recorded: &'p Places) -> impl Iterator<Item = &'p FsPath> {
    let roots = &setup.places.roots;
    let configured = roots.get(..roots.len().saturating_sub(setup.options.root.len())).unwrap_or_default();
    recorded.roots.iter().filter(|root| !configured.contains(root))
}

/// The files of choices of this project's folders, which may lie above the project: where each was by the receipt, and is.
fn project_choices(setup: &Setup, recorded: &Places) -> impl Iterator<Item = (FsPath, FsPath)> {
    let was = match recorded.project.as_ref().filter(|_| setup.options.project.is_some()) {
        Some(project) => {
            let folders: Vec<FsPath> = and_above(project).take(setup.folders.len()).collect();
            Places::project_choices_in(&folders)
        }
        None => setup.places.project_choices.clone(),
    };
    was.into_iter().zip(setup.places.project_choices.clone())
}

/// The path that the options register in the place of one of the receipt: those of a plugin in their order.
fn registration<'o>(own: &'o Places, recorded: &Places, (at, id): (usize, &str)) -> Option<&'o FsPath> {
    let before = recorded.registered.iter().take(at).filter(|(other, _)| other == id).count();
    own.registered.iter().filter(|(other, _)| other == id).nth(before).map(|(_, path)| path)
}

fn shown(setup: &Setup, path: &FsPath) -> String {
    visible(&setup.fs.display(path)).into_owned()
}

fn not_vouched_for(why: &str, option: &str, command: &str) -> Failure {
    let help = format!("if you trust the receipt, allow it with `{option}`: {command}");
    Failure::error("not-vouched-for", why).with_help(help)
}
