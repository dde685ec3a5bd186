//! Mends the SKILL.md files that [`check`](crate::check()) checks: [`fix`] returns what each is to hold. Nothing is written here.
//!
//! A file is mended by the corrections of the findings about it, round by round, until none is left that can be applied.
//! Each round is read again and is dropped if the fields or the body are not what they were before.

mod lines;
mod name;
mod reading;
mod rewrite;

use crate::diagnostic::{Code, Fix, Severity};
use crate::dialect::{self, Dialect, FieldRole};
use crate::discovery::manifest::{ReadMode, SKILL_FILE, is_skill_file};
use crate::discovery::state::FileWrite;
use crate::discovery::world::World;
use crate::explain::check::{CheckRequest, each_file};
use crate::fs::{Fs, FsError};
use crate::model::error::Error;
use crate::model::skill::{ContainedFs, Containment};
use crate::path::FsPath;
use crate::text::order::sort_by;
use lines::Lines;
use reading::Reading;
use std::collections::HashSet;
use std::sync::Arc;

/// How often one file is read at most while it is mended.
const MAX_READS: usize = 128;

/// What may be changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FixScope {
    /// Only how values are written: the fields keep their values.
    #[default]
    Safe,
    /// Also the name of the skill, the name of its file, misspelled keys, and missing fences.
    All,
}

/// How to mend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FixRequest {
    /// The check whose findings are mended.
    pub check: CheckRequest,
    /// What may be changed.
    pub scope: FixScope,
}

/// A file that can be mended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FixedFile {
    /// The file, as it was found.
    pub path: FsPath,
    /// The file with its symlinks resolved. An error if it must not be written: it belongs to a project, and a symlink
    /// leads out of it.
    pub real: Result<FsPath, FsError>,
    /// What it holds.
    pub before: Vec<u8>,
    /// What it is to hold.
    pub after: Vec<u8>,
    /// The numbers of the lines of `before` that are replaced, ascending.
    pub lines: Vec<usize>,
    /// The path that it is to have, if it is to be renamed.
    pub renamed_to: Option<FsPath>,
}

impl FixedFile {
    /// The plan to write the file; `None` if its text does not change.
    ///
    /// # Errors
    /// Returns the error of [`FixedFile::real`].
    pub fn write(&self) -> Result<Option<FileWrite>, FsError> {
        let real = self.real.clone()?;
        let is_changed = self.before != self.after;
        let plan = || FileWrite::at_real(real, self.after.clone(), Some(self.before.clone()));
        Ok(is_changed.then(|| FileWrite { keeps_mode: true, ..plan() }))
    }
}

/// Returns what the files that [`check`](crate::check()) checks are to hold, for those that can be mended. Their bodies stay
/// as they are, and with [`FixScope::Safe`] the values of their fields too.
///
/// ```
/// use skilltree::author::{FixRequest, fix};
/// use skilltree::{FsPath, MemFs, Places, World, dialect};
/// let mut fs = MemFs::new();
/// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Tea: green\n---\nBoil.\n");
/// let (places, tree) = (Places::default(), FsPath::new("/s").unwrap());
/// let world = World::new(&fs, &places, &());
/// let fixed = fix(&world, &dialect("agentskills").unwrap(), &[tree], &FixRequest::default()).unwrap();
/// assert_eq!(fixed[0].after, b"---\nname: tea\ndescription: \"Tea: green\"\n---\nBoil.\n");
/// assert_eq!(fixed[0].lines, [3]);
/// ```
///
/// # Errors
/// Returns [`Error::Fs`] for a path that does not exist or cannot be accessed.
pub fn fix(
    world: &World<'_>,
    dialect: &Arc<Dialect>,
    paths: &[FsPath],
    ask: &FixRequest,
) -> Result<Vec<FixedFile>, Error> {
    let mut fixed: Vec<FixedFile> = Vec::new();
    // What a file is to say is what its author meant, whatever a client makes of it.
    let read_by = dialect.in_world(world);
    let client = Some(&*read_by).filter(|dialect| dialect.reading != dialect::Reading::Repaired);
    let dialects = Dialects { meant: &dialect.with_reading(dialect::Reading::Repaired), client };
    each_file(world, &read_by, paths, &mut Vec::new(), &mut |world, path, containment, _| {
        fixed.extend(file(world, dialects, path, containment, ask));
    })?;
    // A file is written once, whatever paths lead to it.
    sort_by(&mut fixed, |a, b| (&a.path, a.real.is_err()).cmp(&(&b.path, b.real.is_err())));
    let mut seen = HashSet::new();
    fixed.retain(|file| seen.insert(file.real.as_ref().unwrap_or(&file.path).clone()));
    Ok(fixed)
}

/// The readings of a dialect by which a file is mended.
#[derive(Clone, Copy)]
struct Dialects<'d> {
    /// The one that repairs: the fields and the body that it reads are to stay.
    meant: &'d Dialect,
    /// The one that reads as the client does, if that is the dialect's: its findings have corrections, too.
    client: Option<&'d Dialect>,
}

/// The file with its corrections; `None` if it cannot be read or there are none.
fn file(
    world: &World<'_>,
    dialects: Dialects<'_>,
    path: &FsPath,
    containment: Option<&Containment>,
    ask: &FixRequest,
) -> Option<FixedFile> {
    let most = dialects.meant.max_skill_bytes();
    let before = world.fs.read(path, most + 1).ok().filter(|head| head.len <= most)?.bytes;
    let text = std::str::from_utf8(&before).ok()?;
    let mode = ask.check.mode();
    let mended = Mender::new(dialects, path, mode, text).map(|mender| mender.mended(ask.scope));
    let (after, lines) =
        mended.map_or_else(|| (text.to_owned(), Vec::new()), |lines| (lines.text(), lines.replaced().to_vec()));
    let own = containment.map(|containment| Containment { trusted: Vec::new(), ..containment.clone() });
    let real = ContainedFs::new(world.fs, own.as_ref()).canonical(path);
    let renamed_to = match (ask.scope, &real) {
        (FixScope::All, Ok(real)) => renamed(world, path, real),
        (FixScope::Safe, _) | (_, Err(_)) => None,
    };
    let after = after.into_bytes();
    let is_fixed = after != before || renamed_to.is_some();
    is_fixed.then(|| FixedFile { path: path.clone(), real, after, lines, renamed_to, before })
}

/// The path of a file that is named like SKILL.md but for the letter case, with the right name. `None` if that is taken,
/// or the file is a symlink.
fn renamed(world: &World<'_>, path: &FsPath, real: &FsPath) -> Option<FsPath> {
    if path.name() == SKILL_FILE || !is_skill_file(path.name()) || real.name() != path.name() {
        return None;
    }
    let folder = path.parent()?;
    let entries = world.fs.list(&folder).ok()?;
    let own = entries.iter().find(|entry| entry.name == path.name())?;
    let is_taken = entries.iter().any(|entry| entry.name == SKILL_FILE);
    if own.is_symlink || is_taken { None } else { folder.child(SKILL_FILE).ok() }
}

/// A text that is mended step by step.
struct Mender<'m> {
    dialects: Dialects<'m>,
    path: &'m FsPath,
    mode: ReadMode,
    lines: Lines,
    reading: Reading,
    /// The corrections that were tried and dropped, with the lines that they would have replaced.
    refused: Vec<(String, String)>,
    /// Whether something was applied since the refused corrections were last forgotten.
    is_changed: bool,
    reads_left: usize,
}

/// Decides whether a mended text may take the place of the text so far, by what both say.
type Gate<'g> = &'g dyn Fn(&Reading, &str, &Reading) -> bool;

impl<'m> Mender<'m> {
    fn new(dialects: Dialects<'m>, path: &'m FsPath, mode: ReadMode, text: &str) -> Option<Mender<'m>> {
        let reading = Reading::new(dialects, path, text, mode)?;
        let (lines, refused) = (Lines::new(text), Vec::new());
        Some(Mender { dialects, path, mode, lines, reading, refused, is_changed: false, reads_left: MAX_READS })
    }

    fn mended(mut self, scope: FixScope) -> Lines {
        self.apply_safe();
        let (safe, errors) = (self.lines.clone(), self.reading.errors(None));
        if scope == FixScope::Safe {
            return safe;
        }
        self.refused.clear();
        self.apply_all(&|before, raw, after| {
            before.is_kept_by(after) || before.differs_in_one_pair(after, None) || before.is_found_by(raw, after)
        });
        self.set_name();
        self.refused.clear();
        self.apply_safe();
        // A file that could not be read before may have other errors now, but not more of them.
        if self.reading.errors(None) <= errors { self.lines } else { safe }
    }

    /// Applies the corrections that keep what is read, and writes what they do not make valid anew.
    fn apply_safe(&mut self) {
        let is_kept: Gate<'_> = &|before, _, after| before.is_kept_by(after);
        self.apply_all(is_kept);
        // From the last field to the first, so that the numbers of the lines stay right.
        for fixes in rewrite::fixes(&self.lines, &self.reading).iter().rev() {
            for fix in fixes {
                let refused = self.refused.len();
                self.try_apply(&[fix], is_kept);
                if self.refused.len() == refused {
                    break;
                }
            }
        }
        self.refused.clear();
        self.apply_all(is_kept);
    }

    /// Applies the corrections of the findings in rounds, until none is left that the gate lets pass.
    fn apply_all(&mut self, gate: Gate<'_>) {
        loop {
            let fixes = self.fixes();
            let mut batch: Vec<&Fix> = Vec::new();
            for fix in &fixes {
                if batch.last().is_none_or(|last| last.last < fix.line) {
                    batch.push(fix);
                }
            }
            if batch.is_empty() && self.is_changed && !self.refused.is_empty() {
                // What was refused may pass beside what was applied since.
                self.is_changed = false;
                self.refused.clear();
            } else if batch.is_empty() || !self.try_apply(&batch, gate) {
                return;
            }
        }
    }

    /// Applies as many of these corrections as the gate lets pass together: all, or else those of a half of them. Returns
    /// whether any was applied or refused.
    fn try_apply(&mut self, batch: &[&Fix], gate: Gate<'_>) -> bool {
        let Some(left) = self.reads_left.checked_sub(1) else { return false };
        self.reads_left = left;
        let lines = self.lines.with(batch);
        let text = lines.text();
        if let Some(reading) = Reading::new(self.dialects, self.path, &text, self.mode) {
            if gate(&self.reading, &self.lines.text(), &reading) {
                (self.lines, self.reading) = (lines, reading);
                self.is_changed = true;
                return true;
            }
        }
        if let [fix] = batch {
            let before = self.lines.before(fix).unwrap_or_default();
            self.refused.push((before, fix.with.clone()));
            return true;
        }
        let (first, second) = batch.split_at(batch.len() / 2);
        // What is applied changes the numbers of the lines, so the others wait for the next round.
        self.try_apply(first, gate) || self.try_apply(second, gate)
    }

    /// The corrections that change something and were not refused, in the order of their lines.
    fn fixes(&self) -> Vec<Fix> {
        let findings = self.reading.findings.iter().chain(&self.reading.findings_of_client);
        // A `#` with a word behind it may be a part of the value: only the author knows.
        let is_clear = |code: Code, severity| code != Code::YamlComment || severity == Severity::Note;
        let mut fixes: Vec<Fix> = findings
            .filter(|finding| is_clear(finding.code, finding.severity))
            .filter_map(|finding| finding.fix.clone())
            .chain(self.lines_without_control())
            .filter(|fix| {
                self.lines.before(fix).is_some_and(|before| before != fix.with && !self.is_refused(&before, fix))
            })
            .collect();
        sort_by(&mut fixes, |a, b| (a.line, a.last, &a.with).cmp(&(b.line, b.last, &b.with)));
        fixes
    }

    fn is_refused(&self, before: &str, fix: &Fix) -> bool {
        self.refused.iter().any(|(old, with)| old == before && *with == fix.with)
    }

    /// The lines of the frontmatter that contain control characters, which are not read (rule 4.4), without these.
    fn lines_without_control(&self) -> impl Iterator<Item = Fix> {
        let is_control = |c: char| c < ' ' && !matches!(c, '\t' | '\r');
        let is_readable = self.reading.map.is_some();
        let lines = self.lines.numbered().take_while(|(line, _)| is_readable && *line < self.reading.body_line);
        let lines = lines.filter(move |(_, text)| text.contains(is_control));
        let fixes = lines.map(move |(line, text)| Fix { line, last: line, with: text.replace(is_control, "") });
        fixes.collect::<Vec<_>>().into_iter().filter(|fix| !fix.with.is_empty())
    }

    /// Gives the skill the name that it should have.
    fn set_name(&mut self) {
        let Some(name) = name::wanted(self.dialects.meant, self.path, &self.reading, self.mode) else { return };
        let Some(fix) = name::fix(self.dialects.meant, &self.lines.text(), &self.reading, &name) else { return };
        let field = self.dialects.meant.path_of(&FieldRole::Name).map(str::to_owned);
        self.try_apply(&[&fix], &|before, _, after| {
            before.differs_in_one_pair(after, field.as_deref()) && after.name().is_some_and(|read| read == name)
        });
    }
}
