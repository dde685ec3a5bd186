//! In: a skill. Out: how many files it has and how large they are, as `contents` would find them for serving, and
//! what cannot be named. By listings and looks alone. Absent: any byte of a file.

use super::contents::followed;
use super::{MAX_DIRS, Package};
use crate::discovery::manifest::is_alone;
use crate::fs::{Action, Entry, FileKind, Step, VisitOutcome, Walk};
use crate::path::FsPath;
use crate::text::order::sort_by;

/// What a skill amounts to.
#[derive(Default)]
pub(crate) struct Measure {
    pub(crate) files: usize,
    pub(crate) bytes: u64,
    /// Files and folders whose names are no UTF-8, as near as they can be shown.
    pub(crate) unnamed: Vec<FsPath>,
}

/// Looks at a SKILL.md and at what belongs to it. Sizes are not asked for over so many files.
pub(crate) fn measured(package: &Package<'_>, max_files: usize) -> Measure {
    let (at, purpose) = (package.at, package.purpose);
    let own = package.path(at.path.name());
    let (mut measure, mut paths) = (Measure::default(), Vec::new());
    if !is_alone(&at.path) {
        // What has no name is passed over elsewhere, and told of here.
        let step = |_: &FsPath, _: usize, entries: &[Entry], steps: &mut Vec<Step>| {
            steps.extend(purpose.steps(entries));
            let unnamed = entries.iter().enumerate().filter(|(_, entry)| entry.lossy);
            steps.extend(unnamed.map(|(entry, _)| Step { entry, act: Action::Note }));
        };
        let ask = Walk { root: &at.dir, step: &step, head: 0, max_dirs: MAX_DIRS };
        package.fs.walk(&ask, &mut |visit| match visit.take() {
            VisitOutcome::Again => {
                measure.unnamed.clear();
                paths.clear();
            }
            VisitOutcome::Cut | VisitOutcome::Failed(_) => {}
            VisitOutcome::Listed(noted) => {
                for entry in noted.into_iter().map(|noted| noted.entry) {
                    let Ok(path) = visit.dir.child(&entry.name) else { continue };
                    let Some(name) = path.below(&at.dir).filter(|name| package.takes(name)) else { continue };
                    let is_file = entry.kind == FileKind::File
                        && (!entry.link || followed(package, name, entry.kind).is_ok_and(|(what, _)| what.is_none()));
                    if entry.lossy {
                        measure.unnamed.push(path);
                    } else if path != own && is_file {
                        paths.push(path);
                    }
                }
            }
        });
    }
    measure.files = paths.len() + 1;
    sort_by(&mut measure.unnamed, Ord::cmp);
    if measure.files <= max_files {
        let all_metadata = paths.iter().map(|path| package.fs.metadata(path)).chain([package.whole.metadata(&at.file)]);
        measure.bytes = all_metadata
            .filter_map(|metadata| metadata.ok().flatten())
            .map(|metadata| metadata.len)
            .fold(0, u64::saturating_add);
    }
    measure
}
