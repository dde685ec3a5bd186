//! The answers of a file system as text, for comparisons. The tests of the file systems include this file as well, so
//! that they run without the feature `contract`; that is why it takes its names from `super`.

use super::{Action, Entry, FileKind, FilePrefix, Fs, FsError, FsPath, Step, Visit, VisitOutcome, Walk};

pub(super) fn entry(entry: &Entry) -> String {
    let link = if entry.is_symlink { " link" } else { "" };
    let lossy = if entry.is_lossy { " lossy" } else { "" };
    format!("{} {:?}{link}{lossy}", entry.name.escape_debug(), entry.kind)
}

pub(super) fn head(head: &Result<FilePrefix, FsError>) -> String {
    const SHOWN_BYTES: usize = 64;
    match head {
        Ok(head) if SHOWN_BYTES < head.bytes.len() => format!("{} bytes of {}", head.bytes.len(), head.len),
        Ok(head) => format!("{:?} of {}", String::from_utf8_lossy(&head.bytes), head.len),
        Err(error) => error.to_string(),
    }
}

/// Enters all, reads every SKILL.md, notes links and what is neither file nor folder. The visits in order of paths.
pub(super) fn walk(fs: &dyn Fs, root: &FsPath, max_dirs: usize) -> Vec<String> {
    let step = |_: &FsPath, _: usize, entries: &[Entry], steps: &mut Vec<Step>| {
        let act = |entry: &Entry| match entry.kind {
            _ if entry.name == "SKILL.md" && entry.kind != FileKind::Dir => Some(Action::Read),
            FileKind::Dir => Some(Action::Enter),
            FileKind::File if !entry.is_symlink && !entry.is_lossy => None,
            _ => Some(Action::Report),
        };
        steps.extend(entries.iter().enumerate().filter_map(|(entry, at)| Some(Step { entry, action: act(at)? })));
    };
    let mut visits: Vec<Visit> = Vec::new();
    fs.walk(&Walk { root, step: &step, prefix_len: 3, max_dirs }, &mut |visit| match visit.outcome {
        VisitOutcome::Restarted => visits.clear(),
        VisitOutcome::Cut | VisitOutcome::Failed(_) | VisitOutcome::Listed(_) => visits.push(visit.clone()),
    });
    visits.sort_by(|a, b| a.dir.cmp(&b.dir));
    visits.iter().map(visited).collect()
}

pub(super) fn visited(visit: &Visit) -> String {
    let outcome = match &visit.outcome {
        VisitOutcome::Cut => "cut".to_owned(),
        VisitOutcome::Restarted => "again".to_owned(),
        VisitOutcome::Failed(error) => error.to_string(),
        VisitOutcome::Listed(noted) => {
            let noted = noted.iter().map(|noted| match &noted.prefix {
                None => entry(&noted.entry),
                Some(read) => format!("{} = {}", entry(&noted.entry), head(read)),
            });
            noted.collect::<Vec<_>>().join(", ")
        }
    };
    format!("{} {}: {outcome}", visit.depth, visit.dir)
}
