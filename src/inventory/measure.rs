//! In: a skill. Out: how many files it has and how large they are, as `contents` would find them for serving, and
//! what cannot be named. By listings and looks alone. Absent: any byte of a file.

use super::{MAX_DIRS, leads_within};
use crate::activate::MARKER;
use crate::fs::{Act, Entry, Kind, Outcome, Step, Walk};
use crate::manifest::is_alone;
use crate::path::FsPath;
use crate::sort;
use crate::world::World;

/// What a skill amounts to.
#[derive(Default)]
pub(crate) struct Measure {
    pub(crate) files: usize,
    pub(crate) bytes: u64,
    /// Files and folders whose names are no UTF-8, as near as they can be shown.
    pub(crate) unnamed: Vec<FsPath>,
}

/// Looks at a SKILL.md and at what belongs to it. Sizes are not asked for over so many files.
pub(crate) fn measured(world: &World<'_>, skill: &FsPath, max_files: usize) -> Measure {
    let (mut measure, mut paths) = (Measure::default(), vec![skill.clone()]);
    if let Some(dir) = skill.parent().filter(|_| !is_alone(skill)) {
        // What has no name is passed over elsewhere, and told of here.
        let step = |_: &FsPath, _: usize, entries: &[Entry], steps: &mut Vec<Step>| {
            steps.extend(super::steps(entries));
            let unnamed = entries.iter().enumerate().filter(|(_, entry)| entry.lossy);
            steps.extend(unnamed.map(|(entry, _)| Step { entry, act: Act::Note }));
        };
        let ask = Walk { root: &dir, step: &step, head: 0, max_dirs: MAX_DIRS };
        world.fs.walk(&ask, &mut |visit| match visit.take() {
            Outcome::Again => {
                measure.unnamed.clear();
                paths.truncate(1);
            }
            Outcome::Cut | Outcome::Failed(_) => {}
            Outcome::Listed(noted) => {
                for entry in noted.into_iter().map(|noted| noted.entry) {
                    let Ok(path) = visit.dir.child(&entry.name) else { continue };
                    let is_marker = entry.name == MARKER && visit.dir == dir;
                    let is_file = entry.kind == Kind::File && (!entry.link || leads_within(world, &path, &dir));
                    if entry.lossy {
                        measure.unnamed.push(path);
                    } else if path != *skill && !is_marker && is_file {
                        paths.push(path);
                    }
                }
            }
        });
    }
    measure.files = paths.len();
    sort::by(&mut measure.unnamed, Ord::cmp);
    if measure.files <= max_files {
        let looks = paths.iter().filter_map(|path| world.fs.look(path).ok().flatten());
        measure.bytes = looks.map(|look| look.len).fold(0, u64::saturating_add);
    }
    measure
}
