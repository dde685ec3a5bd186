//! Mends the SKILL.md files that [`check`](crate::check()) checks: [`FixRequest::fix`] returns what each is to hold. Nothing is written here.
//!
//! A file is mended by the corrections of the findings about it, round by round, until none is left that can be applied.
//! Each round is read again and is dropped if the fields or the body are not what they were before, as they were meant and as
//! the client of the dialect reads them.

use crate::diagnostic::{Code, Diagnostic, Fix, Severity};
use crate::dialect::{self, Dialect, FieldRole};
use crate::discovery::extras::Extras;
use crate::discovery::manifest::{
    DiagnosticSink, FrontmatterOutcome, HEAD_BYTES, Manifest, ReadMode, SKILL_FILE, form_fault, front, is_absent,
    is_left_out, is_refused, is_single_file, is_skill_file, is_utf16, location_name, read_content, read_meant,
};
use crate::discovery::state::FileWrite;
use crate::discovery::world::World;
use crate::explain::check::{CheckRequest, each_file};
use crate::fs::{Fs, FsError};
use crate::model::error::Error;
use crate::model::skill::{ContainedFs, Containment, Frontmatter};
use crate::path::FsPath;
use crate::text::escape::quote_yaml;
use crate::text::frontmatter::{Split, holds_only_fields, more_fields, split};
use crate::text::lines::Source;
use crate::text::lower::small;
use crate::text::order::sort_by;
use crate::text::yaml::{self, Node, Style, Value, is_string, written_string};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// How often one file is read at most while it is mended, and how many lines of frontmatter are read in all. A long frontmatter, of
/// which each line takes time to repair, is read at least so often.
const MAX_READS: usize = 128;
const MAX_LINES_READ: usize = 16_384;
const MIN_READS: usize = 16;

/// What may be changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FixScope {
    /// Only how values are written: the fields keep their values.
    #[default]
    Safe,
    /// Also the name of the skill, the name of its file, misspelled keys, and fences that are missing.
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
    pub fn file_write(&self) -> Result<Option<FileWrite>, FsError> {
        let real = self.real.clone()?;
        let is_changed = self.before != self.after;
        let plan = || FileWrite::at_real(real, self.after.clone(), Some(self.before.clone()));
        Ok(is_changed.then(|| FileWrite { keeps_mode: true, ..plan() }))
    }
}

impl FixRequest {
    /// Returns what the files that [`check`](crate::check()) checks are to hold, for those that can be mended. Their bodies stay
    /// as they are, and with [`FixScope::Safe`] the values of their fields too.
    ///
    /// ```
    /// use skilltree::author::FixRequest;
    /// use skilltree::{FsPath, MemFs, Places, World, dialect};
    /// let mut fs = MemFs::new();
    /// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Tea: green\n---\nBoil.\n");
    /// let (places, tree) = (Places::default(), FsPath::new("/s").unwrap());
    /// let world = World::new(&fs, &places, &());
    /// let fixed = FixRequest::default().fix(&world, &dialect("agentskills").unwrap(), &[tree]).unwrap();
    /// assert_eq!(fixed[0].after, b"---\nname: tea\ndescription: \"Tea: green\"\n---\nBoil.\n");
    /// assert_eq!(fixed[0].lines, [3]);
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Fs`] for a path that does not exist or cannot be accessed.
    pub fn fix(&self, world: &World<'_>, dialect: &Arc<Dialect>, paths: &[FsPath]) -> Result<Vec<FixedFile>, Error> {
        let mut fixed: Vec<FixedFile> = Vec::new();
        // What a file is to say is what its author meant, whatever a client makes of it.
        let read_by = dialect.in_world(world);
        let client = Some(&*read_by).filter(|dialect| dialect.reading != dialect::Reading::Repaired);
        let dialects = Dialects { meant: &dialect.with_reading(dialect::Reading::Repaired), client };
        each_file(world, &read_by, paths, &mut Vec::new(), &mut |world, path, containment, _| {
            fixed.extend(file(world, dialects, path, containment, self));
        })?;
        // A file is written once, whatever paths lead to it; it is told by the path without symlinks, if that is among them.
        let is_link = |file: &FixedFile| file.real.as_ref() != Ok(&file.path);
        sort_by(&mut fixed, |a, b| (is_link(a), &a.path, a.real.is_err()).cmp(&(is_link(b), &b.path, b.real.is_err())));
        let mut seen = HashSet::new();
        fixed.retain(|file| seen.insert(file.real.as_ref().unwrap_or(&file.path).clone()));
        sort_by(&mut fixed, |a, b| a.path.cmp(&b.path));
        Ok(fixed)
    }
}

/// The readings of a dialect by which a file is mended.
#[derive(Clone, Copy)]
struct Dialects<'d> {
    /// The one that repairs: the fields and the body that it reads are to stay.
    meant: &'d Dialect,
    /// The one that reads as the client does, if that is the dialect's: its findings have corrections, too, and what it reads
    /// stays or becomes what was meant.
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
    let text = std::str::from_utf8(&before).ok().filter(|_| !is_utf16(&before))?;
    let mode = ask.check.mode();
    let mended = Mender::new(dialects, path, mode, text).map(|mender| mender.mended(ask.scope));
    let (after, lines) = mended.map_or_else(|| (text.to_owned(), Vec::new()), |lines| (lines.text(), lines.replaced));
    // Links that are followed to be read are not followed to be written.
    let around = || world.places.project.as_ref().filter(|project| path.starts_with(project));
    let project = containment.map(|containment| &containment.project).or_else(around);
    let home = &world.places.home;
    let own = project.map(|project| Containment { project: project.clone(), home: home.clone(), trusted: Vec::new() });
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

struct Mender<'m> {
    dialects: Dialects<'m>,
    path: &'m FsPath,
    mode: ReadMode,
    lines: Lines<'m>,
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
    fn new(dialects: Dialects<'m>, path: &'m FsPath, mode: ReadMode, text: &'m str) -> Option<Mender<'m>> {
        let reading = Reading::new(dialects, path, text, mode)?;
        let (lines, refused) = (Lines::new(text), Vec::new());
        let reads_left = (MAX_LINES_READ / reading.body_line.max(1)).clamp(MIN_READS, MAX_READS);
        Some(Mender { dialects, path, mode, lines, reading, refused, is_changed: false, reads_left })
    }

    fn mended(mut self, scope: FixScope) -> Lines<'m> {
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
        self.remove_mark(is_kept);
        self.apply_all(is_kept);
        // From the last field to the first, so that the numbers of the lines stay right.
        for fixes in rewrites(&self.lines, &self.reading).iter().rev() {
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
        // What the client finds without the mark may have been wrong before.
        if self.remove_mark(is_kept) {
            self.refused.clear();
            self.apply_all(is_kept);
        }
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
        let reading = Reading::new(self.dialects, self.path, &lines.text(), self.mode);
        // What stands in the place of the closing fence is known only behind an opening one.
        let closing = reading.as_ref().filter(|_| self.reading.map.is_none()).and_then(Reading::closing_fence);
        let closed = closing.map(|closing| lines.with(&[closing]));
        if self.take(lines, reading, gate) {
            return true;
        }
        if let (Some(closed), Some(left)) = (closed, self.reads_left.checked_sub(1)) {
            self.reads_left = left;
            let reading = Reading::new(self.dialects, self.path, &closed.text(), self.mode);
            if self.take(closed, reading, gate) {
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

    /// Takes a mended text if the gate lets it pass, and returns whether it does.
    fn take(&mut self, lines: Lines<'m>, reading: Option<Reading>, gate: Gate<'_>) -> bool {
        let reading = reading.filter(|reading| self.reading.may_become(reading, &self.lines.text(), gate));
        let is_taken = reading.is_some();
        if let Some(reading) = reading {
            (self.lines, self.reading, self.is_changed) = (lines, reading, true);
        }
        is_taken
    }

    /// The corrections that change something and were not refused, in the order of their lines.
    fn fixes(&self) -> Vec<Fix> {
        let of_client = self.reading.client.iter().flat_map(|client| &client.own.findings);
        let findings = self.reading.findings.iter().chain(of_client);
        // A `#` with a word behind it may be a part of the value: only the author knows.
        let is_clear = |code: Code, severity| code != Code::YamlComment || severity == Severity::Note;
        // Of two corrections of a line, the one by which it is valid comes first: another may be refused with all beside it.
        let is_later = |code: Code| !matches!(code, Code::Yaml | Code::YamlRepaired);
        let mut fixes: Vec<(bool, Fix)> = findings
            .filter(|finding| is_clear(finding.code, finding.severity))
            .filter_map(|finding| Some((is_later(finding.code), finding.fix.clone()?)))
            .chain(self.lines_without_control().map(|fix| (false, fix)))
            .filter(|(_, fix)| {
                let is_refused =
                    |before: &str| self.refused.iter().any(|(old, with)| old == before && *with == fix.with);
                self.lines.before(fix).is_some_and(|before| before != fix.with && !is_refused(&before))
            })
            .collect();
        sort_by(&mut fixes, |(a_later, a), (b_later, b)| {
            (a.line, a.last, a_later, &a.with).cmp(&(b.line, b.last, b_later, &b.with))
        });
        fixes.into_iter().map(|(_, fix)| fix).collect()
    }

    /// The lines of the frontmatter that contain control characters, which are not read (rule 4.4), without these.
    fn lines_without_control(&self) -> impl Iterator<Item = Fix> {
        let is_control = |c: char| c < ' ' && !matches!(c, '\t' | '\r');
        let end = if self.reading.map.is_some() { self.reading.body_line } else { 0 };
        let lines = self.lines.numbered().take_while(move |(line, _)| *line < end);
        let lines = lines.filter(move |(_, text)| text.contains(is_control));
        let fixes = lines.map(move |(line, text)| Fix { line, last: line, with: text.replace(is_control, "") });
        fixes.filter(|fix| !fix.with.is_empty())
    }

    /// Removes the byte order mark if the client does not read a file with one, and the gate lets that pass. Returns whether it was
    /// removed.
    fn remove_mark(&mut self, gate: Gate<'_>) -> bool {
        let mut findings = self.reading.client.iter().flat_map(|client| &client.own.findings);
        if !findings.any(|finding| finding.code == Code::ByteOrderMark) {
            return false;
        }
        let mut lines = Lines { has_mark: false, ..self.lines.clone() };
        if lines.replaced.first() != Some(&1) {
            lines.replaced.insert(0, 1);
        }
        let reading = Reading::new(self.dialects, self.path, &lines.text(), self.mode);
        self.take(lines, reading, gate)
    }

    fn set_name(&mut self) {
        let dialect = self.dialects.meant;
        let fix_of = |reading: &Reading, lines: &Lines<'_>| {
            let name = wanted_name(dialect, self.path, reading, self.mode)?;
            name_fix(dialect, &lines.text(), reading, &name).map(|fix| (name, fix))
        };
        // A misspelled key is corrected together with a value that has no place in the field.
        let keys = self.reading.findings.iter().filter(|_| field(dialect, &self.reading).is_none());
        let keys = keys.filter(|finding| matches!(finding.code, Code::NameMissing | Code::UnknownField));
        let renamed = keys.filter_map(|finding| finding.fix.as_ref()).find_map(|key| {
            let lines = self.lines.with(&[key]);
            let reading = Reading::by(dialect, self.path, &lines.text(), self.mode)?;
            field(dialect, &reading)?;
            fix_of(&reading, &lines).filter(|(_, fix)| fix.line == key.line)
        });
        let Some((name, fix)) = renamed.or_else(|| fix_of(&self.reading, &self.lines)) else { return };
        let field = dialect.path_of(&FieldRole::Name).map(str::to_owned);
        self.try_apply(&[&fix], &|before, _, after| {
            before.differs_in_one_pair(after, field.as_deref())
                && after.frontmatter.name.as_deref() == Some(name.as_str())
        });
    }
}

/// The name that the findings about a text ask for: that of the folder, or else the present name with its form
/// corrected. `None` if they do not ask for another one.
fn wanted_name(dialect: &Dialect, path: &FsPath, reading: &Reading, mode: ReadMode) -> Option<String> {
    let is_about_name = |code: Code| matches!(code, Code::NameMissing | Code::NameInvalid | Code::NameMismatch);
    let codes = || reading.findings.iter().map(|finding| finding.code);
    if !codes().any(is_about_name) {
        return None;
    }
    let folder = location_name(path);
    if !is_single_file(path) && is_valid(dialect, folder, mode) {
        return Some(folder.to_owned());
    }
    let (_, value) = field(dialect, reading)?;
    let Value::Text(name) = &value.value else { return None };
    let is_invalid = codes().any(|code| code == Code::NameInvalid);
    let name = if is_invalid { normalized(dialect, name, mode) } else { return None };
    is_valid(dialect, &name, mode).then_some(name)
}

fn name_fix(dialect: &Dialect, raw: &str, reading: &Reading, name: &str) -> Option<Fix> {
    let source = Source::new(raw);
    let Some((key, value)) = field(dialect, reading) else {
        // The new field is the first one, unless it is among those below the frontmatter.
        let (first, _) = reading.map.as_ref().filter(|_| more_fields(&reading.body).is_none())?.first()?;
        let line = source.position(first.span.start).line;
        let field = dialect.path_of(&FieldRole::Name)?;
        return Some(Fix {
            line,
            last: line,
            with: format!("{field}: {}\n{}", written(name, None), source.line(line)?),
        });
    };
    let (start, end) = (source.position(value.span.start.max(key.span.end)), source.position(value.span.end));
    let line = source.line(start.line)?;
    let byte = |column: usize| line.char_indices().nth(column - 1).map_or(line.len(), |(at, _)| at);
    let (before, mut after) = (line.get(..byte(start.column))?, "");
    if start.line == end.line {
        after = line.get(byte(end.column)..)?;
    }
    let name = written(name, Some(value.style));
    let with = match value.span.start == value.span.end {
        // A value that is empty begins directly behind its colon, or at its key.
        true => {
            let (before, after) =
                (before.trim_end_matches([':', ' ', '\t']), after.trim_start_matches([':', ' ', '\t']));
            format!("{before}: {name}{}{after}", if after.is_empty() { "" } else { " " })
        }
        false => format!("{before}{name}{after}"),
    };
    Some(Fix { line: start.line, last: end.line.max(start.line), with })
}

fn field<'r>(dialect: &Dialect, reading: &'r Reading) -> Option<&'r (Node, Node)> {
    let field = dialect.path_of(&FieldRole::Name)?;
    let is_it = |(key, _): &&(Node, Node)| matches!(&key.value, Value::Text(text) if text == field);
    reading.map.as_ref()?.iter().find(is_it)
}

fn is_valid(dialect: &Dialect, name: &str, mode: ReadMode) -> bool {
    let limits = dialect.limits.iter().filter(|limit| limit.role == FieldRole::Name);
    let is_short = limits.into_iter().all(|limit| name.chars().count() <= limit.max_chars);
    is_short && !name.trim().is_empty() && form_fault(dialect, name, mode).is_none()
}

/// The name in lower case, with single hyphens in place of the characters that a name must not contain.
fn normalized(dialect: &Dialect, name: &str, mode: ReadMode) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.trim().chars().flat_map(small) {
        if c != '-' && form_fault(dialect, &format!("a{c}a"), mode).is_none() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    out.truncate(out.trim_end_matches('-').len());
    out
}

/// A name as YAML, in quotes if it has been in quotes.
fn written(name: &str, style: Option<Style>) -> Cow<'_, str> {
    match style {
        Some(style) if style.is_quoted() => Cow::Owned(quote_yaml(name)),
        _ => written_string(name),
    }
}

/// The longest value that is written anew, in bytes.
const MAX_BYTES: usize = 16 * 1024;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Value,
    /// With the source of each list and mapping in it as a text, as it counts in a list of texts (rule 6.4).
    Items,
    /// With its source as a text, as it counts where a text is expected.
    Text,
}

/// Fixes for each field whose lines are not valid YAML to all readers: some take a carriage return for the end of a line. One
/// of the fixes of a field is to be applied.
fn rewrites(lines: &Lines<'_>, reading: &Reading) -> Vec<Vec<Fix>> {
    let pairs = reading.map.iter().flatten();
    // The lines of a field may be valid only beside the others: in a flow mapping, or with an alias of an anchor elsewhere.
    let (yaml, closing_line) = reading.yaml();
    let is_valid = yaml::parse(yaml).is_ok();
    let last = pairs.clone().map(|(key, _)| key.span.start).max().unwrap_or(0);
    let line_feeds: Vec<usize> =
        reading.text.get(..last).unwrap_or_default().match_indices('\n').map(|(at, _)| at).collect();
    let line_at = |(key, _): &(Node, Node)| line_feeds.partition_point(|at| *at < key.span.start) + 1;
    let starts: Vec<usize> = pairs.clone().map(line_at).collect();
    let is_refused = |code| matches!(code, Code::YamlRefused | Code::YamlRepaired | Code::YamlTab);
    let refused = reading.findings.iter().filter(|finding| is_refused(finding.code));
    let refused: BTreeSet<usize> = refused.map(|finding| finding.at.map_or(0, |at| at.line)).collect();
    let ends = starts.iter().skip(1).copied().chain([closing_line]);
    let found = pairs.zip(starts.iter().zip(ends)).filter_map(|((key, value), (first, end))| {
        let last = end.checked_sub(1).filter(|last| first <= last)?;
        let source = lines.before(&Fix { line: *first, last, with: String::new() })?;
        let is_refused = refused.range(*first..=last).next().is_some();
        let is_fine = !is_refused && (is_valid || yaml::parse(&source).is_ok()) && !source.contains('\r');
        let is_candidate = !is_fine && source.len() <= MAX_BYTES;
        let forms = [Form::Value, Form::Items, Form::Text].into_iter().filter(|_| is_candidate);
        let fixes = forms.filter_map(|form| {
            let mut writer = Writer { reading, form, out: String::new() };
            if !writer.write_pair(key, value, 0) {
                return None;
            }
            let mut with = writer.out;
            // Each of these ends a line, and so a comment, for some readers.
            let lines = source.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
            for line in lines.filter(|line| !line.trim().is_empty()) {
                with.push_str(if line.starts_with('#') { "\n" } else { "\n# " });
                with.push_str(line);
            }
            Some(Fix { line: *first, last, with: with.trim_start_matches('\n').to_owned() })
        });
        Some(fixes.collect())
    });
    found.collect()
}

struct Writer<'r> {
    reading: &'r Reading,
    form: Form,
    out: String,
}

impl Writer<'_> {
    /// Writes a pair on lines of its own; false if it contains what was not read. Recurses at most `yaml::MAX_DEPTH` times.
    fn write_pair(&mut self, key: &Node, value: &Node, indent: usize) -> bool {
        self.start_line(indent);
        let is_written = if is_left_out(key) {
            self.out.push_str("\"\"");
            true
        } else {
            self.write_scalar(key)
        };
        self.out.push(':');
        is_written && self.write_value(value, indent, self.form == Form::Text)
    }

    fn start_line(&mut self, indent: usize) {
        self.out.push('\n');
        self.out.push_str(&" ".repeat(indent));
    }

    /// Writes a value behind its colon or dash; a list or a map as its source if it `is_text`.
    fn write_value(&mut self, value: &Node, indent: usize, is_text: bool) -> bool {
        match &value.value {
            Value::List(_) | Value::Map(_) if is_text => {
                self.out.push(' ');
                self.out.push_str(&quote_yaml(self.reading.source_of(value)));
                true
            }
            Value::List(items) if !items.is_empty() => items.iter().all(|item| {
                self.start_line(indent + 2);
                self.out.push('-');
                self.write_value(item, indent + 2, self.form == Form::Items)
            }),
            Value::Map(pairs) if !pairs.is_empty() => {
                pairs.iter().all(|(key, value)| self.write_pair(key, value, indent + 2))
            }
            _ => {
                self.out.push(' ');
                match value.value {
                    Value::List(_) => self.out.push_str("[]"),
                    Value::Map(_) => self.out.push_str("{}"),
                    Value::Text(_) | Value::Absent => return self.write_scalar(value),
                }
                true
            }
        }
    }

    fn write_scalar(&mut self, node: &Node) -> bool {
        match &node.value {
            Value::Text(text) if is_string(node) => self.out.push_str(&quote_yaml(text)),
            Value::Text(text) if node.tag.is_none() && !is_refused(node) => self.out.push_str(text),
            Value::Text(text) => self.out.push_str(&quote_yaml(text)),
            Value::List(_) | Value::Map(_) | Value::Absent => return false,
        }
        true
    }
}

struct Reading {
    /// What the client makes of the text, if files are read as it does.
    client: Option<Box<ClientReading>>,
    findings: Vec<Diagnostic>,
    /// The fields; `None` if there is no frontmatter, or it cannot be read.
    map: Option<Vec<(Node, Node)>>,
    frontmatter: Arc<Frontmatter>,
    rejected: Option<Code>,
    /// The text without its byte order mark and control characters, in which the spans of the fields are.
    text: String,
    /// The body, with the bytes that it has in the file.
    body: String,
    /// The line of the file in which the body begins.
    body_line: usize,
}

/// What a client makes of a text, and what it would make of it if it read the fields that the author meant.
struct ClientReading {
    own: Reading,
    of_meant: Manifest,
}

impl Reading {
    fn new(dialects: Dialects<'_>, path: &FsPath, raw: &str, mode: ReadMode) -> Option<Reading> {
        let mut reading = Reading::by(dialects.meant, path, raw, mode)?;
        if let Some(client) = dialects.client {
            let own = Reading::by(client, path, raw, mode)?;
            let of_meant = read_meant(client, path, raw, mode)?;
            reading.client = Some(Box::new(ClientReading { own, of_meant }));
        }
        Some(reading)
    }

    fn by(dialect: &Dialect, path: &FsPath, raw: &str, mode: ReadMode) -> Option<Reading> {
        let manifest = read_content(Extras::FULL, dialect, path, raw.as_bytes(), mode)?.manifest;
        let source = Source::new(raw);
        let front = front(Extras::FULL, dialect, &mut DiagnosticSink::new(path, &source), false)?;
        let map = match front.outcome {
            FrontmatterOutcome::Map(mut map) => {
                map.iter_mut().for_each(|(key, value)| quote_text(dialect, key, value));
                Some(map)
            }
            FrontmatterOutcome::Missing(_) | FrontmatterOutcome::Lost(_) => None,
        };
        let body = raw.get(source.raw_offset(front.body.start)..source.raw_offset(front.body.end))?.to_owned();
        Some(Reading {
            client: None,
            findings: manifest.findings,
            map,
            frontmatter: manifest.frontmatter,
            rejected: manifest.rejected,
            text: source.text().to_owned(),
            body,
            // Without the index of all lines, of which a body may have very many.
            body_line: source.text().get(..front.body.start)?.matches('\n').count() + 1,
        })
    }

    /// The correction of a line that was meant as the closing fence.
    fn closing_fence(&self) -> Option<&Fix> {
        let is_fence = |code: Code| matches!(code, Code::FrontmatterUnclosed | Code::FrontmatterFence);
        self.findings.iter().find(|finding| is_fence(finding.code))?.fix.as_ref()
    }

    /// The lines between the fences, and the line of the closing one. Without fences both are empty.
    fn yaml(&self) -> (&str, usize) {
        match split(&self.text) {
            Split::Found(parts) => (&self.text[parts.yaml.clone()], self.line_at(parts.yaml.end)),
            Split::Missing | Split::Unclosed { .. } | Split::Odd(_) => ("", 0),
        }
    }

    fn line_at(&self, byte: usize) -> usize {
        self.text.get(..byte).map_or(0, |before| before.matches('\n').count() + 1)
    }

    /// Whether the gate lets the text become another one, both as it was meant and as the client reads it. What the client does
    /// not read as it was meant may become that instead, but the client still uses the file and has no new error.
    fn may_become(&self, after: &Reading, raw: &str, gate: Gate<'_>) -> bool {
        let is_fine_for_client = || {
            let (Some(client), Some(new)) = (&self.client, &after.client) else { return true };
            let (own, of_meant, new) = (&client.own, &new.of_meant, &new.own);
            // A file that the client did not read may have other errors now, but not more of them than it would have had.
            let has_no_more_errors = match own.rejected {
                Some(_) => new.errors(None) <= own.errors(None).max(errors(&of_meant.findings, None)),
                None => new.rejected.is_none() && own.has_all_errors_of(new),
            };
            let finds_nothing = own.map.is_none() && new.map.is_none() && own.frontmatter == new.frontmatter;
            let is_as_meant = || {
                let may_change = own.rejected.is_some() || own.is_misread(self) || own.frontmatter == new.frontmatter;
                let is_kept = new.body == after.body && !own.is_cut_in(new) && own.is_restricted_in(new);
                may_change && new.frontmatter == of_meant.frontmatter && is_kept
            };
            has_no_more_errors && (new.rejected.is_some() || finds_nothing || gate(own, raw, new) || is_as_meant())
        };
        gate(self, raw, after) && is_fine_for_client()
    }

    /// Whether a client does not find the frontmatter, or does not read it as YAML. `meant` is what its author meant.
    fn is_misread(&self, meant: &Reading) -> bool {
        let count = |reading: &Reading| reading.map.as_ref().map_or(0, Vec::len);
        self.findings.iter().any(|finding| match finding.code {
            Code::Yaml | Code::YamlRepaired | Code::ByteOrderMark => true,
            Code::FrontmatterMissing | Code::FrontmatterUnclosed => true,
            Code::FrontmatterNotFirst | Code::FrontmatterFence => true,
            // A client may read the lines of two fields alone because of the type of a value.
            Code::WrongType => count(self) < count(meant),
            _ => false,
        })
    }

    /// Whether a value ends in `new` before a `#` that may belong to it, while it has that here: a client that reads the lines of a
    /// file which is not valid YAML takes no comments out of them.
    fn is_cut_in(&self, new: &Reading) -> bool {
        let texts = |reading: &'_ Reading| {
            let pairs = reading.map.iter().flatten();
            let texts = pairs.filter_map(|(key, value)| Some((key.as_text()?.to_owned(), value.as_text()?.to_owned())));
            texts.collect::<HashMap<String, String>>()
        };
        let new = texts(new);
        texts(self).iter().any(|(key, whole)| {
            let rest = new.get(key).and_then(|part| whole.strip_prefix(part.as_str()));
            let word = rest.and_then(|rest| rest.trim_start().strip_prefix('#'));
            word.is_some_and(|word| word.starts_with(|c: char| !c.is_whitespace()))
        })
    }

    /// Whether each kind of restriction that is in force here is so in `new`, whatever the items of a list are.
    fn is_restricted_in(&self, new: &Reading) -> bool {
        let kinds = |reading: &Reading| {
            let (read, run) = (&reading.frontmatter, reading.frontmatter.run());
            let is_off = read.triggers().default_enabled == Some(false);
            let (has_tools, has_paths) = (run.disallowed_tools.is_some(), !run.paths.is_empty());
            [read.not_for_model, read.not_for_user, is_off, run.sandbox, has_tools, has_paths]
        };
        kinds(self).iter().zip(kinds(new)).all(|(was_set, is_set)| !was_set || is_set)
    }

    /// Whether `after` is the same skill with the same fields and the same body, and no error is new in it.
    fn is_kept_by(&self, after: &Reading) -> bool {
        self.body == after.body
            && self.frontmatter == after.frontmatter
            && self.rejected == after.rejected
            && self.has_values_of(after)
            && self.has_all_errors_of(after)
    }

    /// Whether `after` has the same body and the same values, but for one key; or else for the field `except`, which may stand in
    /// the place of one with another key.
    fn differs_in_one_pair(&self, after: &Reading, except: Option<&str>) -> bool {
        let (Some(before), Some(new)) = (&self.map, &after.map) else { return false };
        let is_excepted = |key: &Node| except.is_some() && key.as_text() == except;
        let is_replaced = |key: &Node| except.is_some() && !new.iter().any(|(new_key, _)| key.is_same(new_key));
        let is_fewer = new.len() < before.len();
        let before: Vec<_> = before.iter().filter(|(key, _)| !is_excepted(key) && !is_replaced(key)).collect();
        let new: Vec<_> = new.iter().filter(|(key, _)| !is_excepted(key)).collect();
        let pairs = || before.iter().zip(&new);
        self.body == after.body
            && !is_fewer
            && before.len() == new.len()
            && pairs().all(|((_, value), (_, new_value))| value.is_same(new_value))
            && pairs().filter(|((key, _), (new_key, _))| !key.is_same(new_key)).count() == usize::from(except.is_none())
            && after.errors(None) <= self.errors(None)
    }

    /// Whether `after` has a frontmatter while this text has none, and its body is the end of this text.
    fn is_found_by(&self, raw: &str, after: &Reading) -> bool {
        self.map.is_none() && after.map.is_some() && raw.ends_with(&after.body) && after.holds_only_fields()
    }

    /// Whether no line of the frontmatter looks like one of a body.
    fn holds_only_fields(&self) -> bool {
        matches!(self.yaml(), (yaml, 1..) if holds_only_fields(yaml))
    }

    /// Whether no error is new in `after`.
    fn has_all_errors_of(&self, after: &Reading) -> bool {
        Code::ALL.iter().all(|code| after.errors(Some(*code)) <= self.errors(Some(*code)))
    }

    /// How many errors with this code there are; of any code without one.
    fn errors(&self, code: Option<Code>) -> usize {
        errors(&self.findings, code)
    }

    fn has_values_of(&self, after: &Reading) -> bool {
        let (Some(map), Some(new)) = (&self.map, &after.map) else { return false };
        map.len() == new.len()
            && map.iter().zip(new).all(|((key, value), (new_key, new_value))| {
                self.is_kept_key(key, new_key) && self.is_kept_in(value, new_value)
            })
    }

    /// Whether a value of the other text is this one. That of a scalar that some readers refuse (rule 5.12) is its text.
    /// Recurses at most [`MAX_DEPTH`](crate::text::yaml::MAX_DEPTH) times.
    fn is_kept_in(&self, value: &Node, new: &Node) -> bool {
        match (&value.value, &new.value) {
            (Value::Text(text), Value::Text(read)) => {
                // What is read as a text is written in quotes without the white space around it (rule 6.2).
                let is_quoted = !value.style.is_quoted() && new.style == Style::Double;
                text == read && (value.is_same(new) || is_refused(value))
                    || is_quoted && is_string(value) && text.trim() == read
            }
            (Value::List(items), Value::List(read)) => {
                items.len() == read.len() && items.iter().zip(read).all(|(item, read)| self.is_kept_in(item, read))
            }
            (Value::Map(pairs), Value::Map(read)) => {
                let is_kept = |((key, value), (new_key, new)): (&(Node, Node), &(Node, Node))| {
                    self.is_kept_key(key, new_key) && self.is_kept_in(value, new)
                };
                pairs.len() == read.len() && pairs.iter().zip(read).all(is_kept)
            }
            // A list or a map counts as text where text is expected (rule 6.4). That it is expected here is seen from the
            // fields that were read.
            (Value::List(_) | Value::Map(_), Value::Text(text)) if self.source_of(value) == text.as_str() => true,
            _ => value.is_same(new),
        }
    }

    fn is_kept_key(&self, key: &Node, new: &Node) -> bool {
        self.is_kept_in(key, new) || is_left_out(key) && matches!(&new.value, Value::Text(text) if text.is_empty())
    }

    fn source_of(&self, value: &Node) -> &str {
        self.text.get(value.span.start..value.span.end).unwrap_or_default().trim()
    }
}

/// Makes a number, a flag or a time the text that it is written as, where a text is expected (rule 6.2).
fn quote_text(dialect: &Dialect, key: &Node, value: &mut Node) {
    let is_text = || key.as_text().and_then(|key| dialect.role_of(key)).is_some_and(FieldRole::is_text);
    if value.as_text().is_some() && !is_string(value) && !is_absent(value) && is_text() {
        (value.style, value.tag) = (Style::Double, None);
    }
}

fn errors(findings: &[Diagnostic], code: Option<Code>) -> usize {
    let is_one =
        |finding: &&Diagnostic| finding.severity == Severity::Error && code.is_none_or(|code| code == finding.code);
    findings.iter().filter(is_one).count()
}

/// A text as lines. Line endings, the byte order mark and the end of the last line stay as they are.
#[derive(Clone, Debug)]
struct Lines<'t> {
    has_mark: bool,
    lines: Vec<Line>,
    /// What follows the head of the text, with the line feed before it. Nothing in it is corrected.
    rest: &'t str,
    /// The numbers of the replaced lines of the original, ascending.
    replaced: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Line {
    /// The line without its line feed, but with its carriage return.
    text: String,
    /// The first and the last line of the original that it stands for.
    origin: (usize, usize),
}

const MARK: char = '\u{feff}';

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Lines<'t> {
        let unmarked = text.strip_prefix(MARK);
        let text = unmarked.unwrap_or(text);
        let end = text.match_indices('\n').find(|(at, _)| HEAD_BYTES <= *at as u64).map_or(text.len(), |(at, _)| at);
        let (head, rest) = text.split_at(end);
        let numbered = (1..).zip(head.split('\n'));
        let lines = numbered.map(|(number, text)| Line { text: text.to_owned(), origin: (number, number) });
        Lines { has_mark: unmarked.is_some(), lines: lines.collect(), rest, replaced: Vec::new() }
    }

    fn text(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(|line| line.text.as_str()).collect();
        let mark = if self.has_mark { MARK.to_string() } else { String::new() };
        mark + &lines.join("\n") + self.rest
    }

    /// The lines that a fix replaces, without their endings, separated by line feeds. `None` if they do not exist.
    fn before(&self, fix: &Fix) -> Option<String> {
        let lines = self.lines.get(fix.line.checked_sub(1)?..fix.last)?;
        Some(lines.iter().map(|line| without_return(&line.text)).collect::<Vec<_>>().join("\n"))
    }

    /// The lines without their endings, each with its number.
    fn numbered(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.lines.iter().map(|line| without_return(&line.text)))
    }

    /// The text with some lines replaced. The fixes are in ascending order and do not overlap.
    fn with(&self, fixes: &[&Fix]) -> Lines<'t> {
        let mut new = self.clone();
        // From the last to the first, so that lines keep their numbers.
        for fix in fixes.iter().rev() {
            new.apply(fix);
        }
        new.replaced.sort_unstable();
        new.replaced.dedup();
        new
    }

    fn apply(&mut self, fix: &Fix) {
        let Some(from) = fix.line.checked_sub(1).filter(|from| *from < fix.last && fix.last <= self.lines.len()) else {
            return;
        };
        let is_end = fix.last == self.lines.len() && self.rest.is_empty();
        let ends_in_return = |line: &Line| line.text.ends_with('\r');
        let last_returns = ends_in_return(&self.lines[fix.last - 1]);
        let returns = last_returns || self.lines.first().is_some_and(ends_in_return);
        let mut with: Vec<String> = match fix.with.is_empty() {
            // The text still ends in the line ending before the removed lines.
            true if is_end => vec![String::new()],
            true => Vec::new(),
            false => fix.with.split('\n').map(str::to_owned).collect(),
        };
        let count = with.len();
        for (n, line) in with.iter_mut().enumerate() {
            if if n + 1 == count { last_returns } else { returns } {
                line.push('\r');
            }
        }
        // Lines that stay as they are keep their numbers.
        let old = &self.lines[from..fix.last];
        let head = old.iter().zip(&with).take_while(|(old, new)| old.text == **new).count();
        let tails = old[head..].iter().rev().zip(with[head..].iter().rev());
        let tail = tails.take_while(|(old, new)| old.text == **new).count();
        let (start, end) = (from + head, fix.last - tail);
        let (changed, with) = (&self.lines[start..end], &with[head..count - tail]);
        let origin = match (changed.first(), changed.last()) {
            (Some(first), Some(last)) => (first.origin.0, last.origin.1),
            _ if with.is_empty() => return,
            // Lines are inserted, which the line before them is named for.
            _ => self.lines.get(start.saturating_sub(1)).map_or((1, 1), |line| line.origin),
        };
        self.replaced.extend(origin.0..=origin.1);
        self.lines.splice(start..end, with.iter().map(|text| Line { text: text.clone(), origin }));
    }
}

fn without_return(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}
