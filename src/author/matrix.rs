//! Compares what several dialects do with the same files: [`Matrix::of`] has a row for each SKILL.md and a cell for each
//! dialect (rule 8.9). Files are told apart by their real paths. The reason in a cell is the one that `why` gives.

use crate::diagnostic::{Code, Diagnostic, put_in_order};
use crate::dialect::Dialect;
use crate::discovery::catalog::{Catalog, FileStatus, SeenFile, discover};
use crate::discovery::manifest::is_skill_file;
use crate::discovery::settings::Settings;
use crate::discovery::world::World;
use crate::explain::beyond::Beyond;
use crate::explain::why::exclusion::Exclusions;
use crate::explain::why::{Outcome, Why, is_passed_over, of_seen};
use crate::fs::{CachedFs, Fs};
use crate::model::parsed::ParsedFrontmatters;
use crate::model::skill::Caller;
use crate::offer::list::{Omissions, PromptRequest, omissions};
use crate::path::FsPath;
use crate::text::order::sort_by;
use crate::text::words::names;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::iter;
use std::sync::Arc;

/// What becomes of each skill in each of several dialects.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Matrix {
    /// The names of the dialects.
    pub dialects: Vec<String>,
    /// A row for each file, by path.
    pub rows: Vec<MatrixRow>,
    /// The folders below the project that hold skills which a dialect reads only while a file in them is being worked on, by
    /// path.
    pub nested: Vec<FsPath>,
    /// Where the search for files that no dialect reads was cut short: see [`Beyond`](crate::explain::Beyond).
    pub looked_no_further: Vec<Diagnostic>,
    /// Files and folders that the file system has yet to fetch. Ask again when it has.
    pub pending: Vec<FsPath>,
}

/// What becomes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MatrixRow {
    /// The path under which the first dialect that sees the file finds it.
    pub path: FsPath,
    /// The name that the first dialect that reads the file gives the skill, or else the name of its folder.
    pub name: String,
    /// A cell for each dialect, in the order of [`Matrix::dialects`].
    pub cells: Vec<MatrixCell>,
}

/// What becomes of one file in one dialect, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MatrixCell {
    /// What becomes of it.
    pub state: CellState,
    /// The key that the skill has, or would have if it were used; `None` if the file was not read.
    pub key: Option<String>,
    /// The code of the finding about it, if there is one.
    pub code: Option<Code>,
    /// The SKILL.md that is used instead of a shadowed one.
    pub by: Option<FsPath>,
    /// The part of the dialect that decides this, such as `scan.depth`; `None` for a skill that is shown completely.
    pub rule: Option<&'static str>,
    /// Whether it is in use only thanks to a repair: see [`Skill::repaired`](crate::Skill::repaired).
    pub repaired: bool,
    /// Whether the model is offered it by the client, and not here: see
    /// [`Skill::withheld_from`](crate::Skill::withheld_from).
    pub withheld: bool,
    /// Whether the client may use it or another skill of the same key: see
    /// [`Skill::undetermined`](crate::Skill::undetermined).
    pub undetermined: bool,
    /// The reason, on one line.
    pub message: Arc<str>,
    /// How to change that.
    pub help: Option<Arc<str>>,
}

impl MatrixCell {
    /// Gives the texts up for equal ones in the same row: most dialects say the same about a file.
    fn share_texts(&mut self, row: &[Option<MatrixCell>]) {
        if let Some(other) = row.iter().flatten().find(|other| other.message == self.message) {
            self.message = Arc::clone(&other.message);
        }
        if let Some(other) = row.iter().flatten().find(|other| other.help == self.help) {
            self.help.clone_from(&other.help);
        }
    }
}

/// What becomes of a file: the first variant that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellState {
    /// The dialect does not look at it.
    Unseen,
    /// It is not read as a skill.
    Skipped,
    /// Another skill is used for its key.
    Shadowed,
    /// The model does not see it.
    Hidden,
    /// It did not fit into the prompt.
    LeftOut,
    /// The prompt shows its name without its description, which did not fit.
    NameOnly,
    /// It is in use.
    InUse,
}

names! {
    CellState {
        Unseen = "unseen", Skipped = "skipped", Shadowed = "shadowed", Hidden = "hidden", LeftOut = "left-out",
        NameOnly = "name-only", InUse = "in-use",
    }
}

impl Matrix {
    /// Finds the skills in the sources of all these dialects, and says what becomes of each of them in each dialect. Each
    /// folder is listed and each file is read once for all dialects. `ask` has the budget of the prompts.
    ///
    /// ```
    /// use skilltree::author::Matrix;
    /// use skilltree::{FsPath, MemFs, Places, PromptRequest, World, dialect};
    /// let mut fs = MemFs::new();
    /// fs.file("/me/.claude/skills/group/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n");
    /// let places = Places { home: FsPath::new("/me").ok(), ..Places::default() };
    /// let dialects = ["agentskills", "claude"].map(|name| dialect(name).unwrap());
    /// let matrix = Matrix::of(&World::new(&fs, &places, &()), &dialects, &PromptRequest::default());
    /// let states = matrix.rows[0].cells.iter().map(|cell| cell.state.as_str());
    /// assert_eq!(states.collect::<Vec<_>>(), ["in-use", "skipped"]);
    /// assert_eq!(matrix.rows[0].cells[1].rule, Some("scan.depth"));
    /// ```
    pub fn of(world: &World<'_>, dialects: &[Arc<Dialect>], ask: &PromptRequest) -> Matrix {
        let fs: Box<dyn Fs + '_> = Box::new(world.fs);
        let cached = CachedFs::new(fs);
        let parsed = ParsedFrontmatters::default();
        let world = World { fs: &cached, parsed: Some(&parsed), ..*world };
        let mut columns: Vec<(usize, &Arc<Dialect>)> = dialects.iter().enumerate().collect();
        // The first walk of a tree is the fast one, so a dialect comes first whose walk goes through the whole tree.
        sort_by(&mut columns, |(_, a), (_, b)| {
            let depth = |dialect: &Dialect| Reverse(dialect.scan.depth.unwrap_or(usize::MAX));
            depth(a).cmp(&depth(b))
        });
        let mut table = MatrixTable::new(dialects.len());
        for (at, dialect) in columns {
            table.add(&world, at, MatrixColumn::new(&world, &discover(&world, dialect), ask));
        }
        table.matrix(&world)
    }

    /// Keeps only the rows whose cells differ in their states.
    pub fn keep_differences(&mut self) {
        self.rows.retain(MatrixRow::is_different);
    }
}

impl MatrixRow {
    /// Whether not all dialects do the same with the file.
    pub fn is_different(&self) -> bool {
        self.cells.windows(2).any(|pair| matches!(pair, [a, b] if a.state != b.state))
    }
}

/// What one dialect does with the files that it sees, for a [`MatrixTable`]. It holds nothing else of the catalog, which is
/// several times as large.
pub struct MatrixColumn {
    dialect: Arc<Dialect>,
    settings: Arc<Settings>,
    /// The files that were [`seen`](Catalog::seen).
    files: Vec<FileCell>,
    /// The findings about what was passed over, by path.
    passed_over: Vec<Diagnostic>,
    /// What lies where the discovery did not look. The findings about files are in `passed_over`.
    beyond: Beyond,
}

/// A file that a dialect has seen, and what becomes of it.
struct FileCell {
    path: FsPath,
    /// Its path with symlinks resolved; `None` if that is `path`.
    target: Option<FsPath>,
    /// The name of the skill; `None` if the file was never read.
    name: Option<String>,
    cell: MatrixCell,
}

impl MatrixColumn {
    /// The column of a catalog that was discovered in this world. `ask` has the budget of the prompt.
    pub fn new(world: &World<'_>, catalog: &Catalog, ask: &PromptRequest) -> MatrixColumn {
        let omissions = omissions(world, catalog, ask);
        let file = |seen: SeenFile<'_>| FileCell {
            path: seen.path.clone(),
            target: seen.target.cloned(),
            name: seen.name.map(str::to_owned),
            cell: cell_of_seen(catalog, &seen, &omissions),
        };
        let files = catalog.seen().map(file).collect();
        let mut beyond = Beyond::of(world, catalog);
        beyond.pending.extend_from_slice(catalog.pending());
        let is_cut = |finding: &Diagnostic| finding.code == Code::LookedNoFurther;
        let (cuts, mut passed_over): (Vec<_>, Vec<_>) = beyond.findings.into_iter().partition(is_cut);
        beyond.findings = cuts;
        passed_over.extend(catalog.findings().iter().filter(|finding| is_passed_over(finding.code)).cloned());
        passed_over.shrink_to_fit();
        put_in_order(&mut passed_over);
        let (dialect, settings) = (Arc::clone(catalog.dialect()), Arc::clone(catalog.settings()));
        MatrixColumn { dialect, settings, files, passed_over, beyond }
    }
}

/// A [`Matrix`] while it is being made, for callers that make its columns in their own way: in several threads, for example.
/// A column takes about a fifth of its memory once it has been added, as most dialects say the same about a file.
///
/// ```
/// use skilltree::author::{MatrixColumn, MatrixTable};
/// use skilltree::{FsPath, MemFs, Places, PromptRequest, World, dialect, discover};
/// let mut fs = MemFs::new();
/// fs.file("/me/.claude/skills/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n");
/// let places = Places { home: FsPath::new("/me").ok(), ..Places::default() };
/// let world = World::new(&fs, &places, &());
/// let mut table = MatrixTable::new(2);
/// for (at, name) in [(1, "claude"), (0, "codex")] {
///     let catalog = discover(&world, &dialect(name).unwrap());
///     table.add(&world, at, MatrixColumn::new(&world, &catalog, &PromptRequest::default()));
/// }
/// assert_eq!(table.matrix(&world).dialects, ["codex", "claude"]);
/// ```
pub struct MatrixTable {
    /// The number of dialects.
    width: usize,
    rows: Vec<Row>,
    /// The index of the row of each known path, which may be the real path or another one.
    by_path: HashMap<FsPath, usize>,
    /// The columns that were added, without their files.
    columns: Vec<Option<MatrixColumn>>,
}

/// A row while it is being made.
struct Row {
    /// The real path, followed by the other paths under which the file was seen.
    paths: Vec<FsPath>,
    /// The path in the first dialect that has seen the file, and the column of that dialect.
    path: (usize, FsPath),
    /// The name in the first dialect that has read the file, and the column of that dialect.
    name: Option<(usize, String)>,
    /// `None` for a dialect that has not seen the file.
    cells: Vec<Option<MatrixCell>>,
}

impl Row {
    fn path(&self) -> &FsPath {
        &self.path.1
    }

    fn finished(self) -> MatrixRow {
        let name = self.name.map_or_else(|| self.path.1.folder().to_owned(), |(_, name)| name);
        let mut cells = Vec::with_capacity(self.cells.len());
        cells.extend(self.cells.into_iter().flatten());
        MatrixRow { path: self.path.1, name, cells }
    }
}

impl MatrixTable {
    /// A table for this number of dialects.
    pub fn new(dialects: usize) -> MatrixTable {
        let columns = iter::repeat_with(|| None).take(dialects).collect();
        MatrixTable { width: dialects, rows: Vec::new(), by_path: HashMap::new(), columns }
    }

    /// Adds the column of the dialect `at` this place, from 0. The order in which columns are added does not matter. `world`
    /// is what the column was made in. A place beyond the number of dialects is ignored.
    pub fn add(&mut self, world: &World<'_>, at: usize, mut column: MatrixColumn) {
        if self.width <= at {
            return;
        }
        for FileCell { path, target, name, mut cell } in std::mem::take(&mut column.files) {
            // A symlink that is not followed leads to a file all the same.
            let is_unfollowed = cell.code == Some(Code::LeadsOut);
            let real = target.or_else(|| if is_unfollowed { world.fs.canonical(&path).ok() } else { None });
            let row = self.row(at, real.as_ref().unwrap_or(&path), &path, name);
            let cells = &mut self.rows[row].cells;
            // A file that is seen at several paths is in use or shadowed before it is skipped, in the order of `seen`.
            if cells[at].is_none() {
                cell.share_texts(cells);
                cells[at] = Some(cell);
            }
        }
        self.columns[at] = Some(column);
    }

    /// The matrix of the columns that were added. `world` is what they were made in.
    pub fn matrix(mut self, world: &World<'_>) -> Matrix {
        let mut columns: Vec<(usize, MatrixColumn)> = Vec::new();
        for (at, column) in std::mem::take(&mut self.columns).into_iter().enumerate() {
            columns.extend(column.map(|column| (at, column)));
        }
        let (mut nested, mut looked_no_further, mut pending) = (Vec::new(), Vec::new(), Vec::new());
        for (at, column) in &mut columns {
            self.add_passed_over(world, *at, &column.passed_over);
            nested.append(&mut column.beyond.nested);
            looked_no_further.append(&mut column.beyond.findings);
            pending.append(&mut column.beyond.pending);
        }
        put_in_order(&mut looked_no_further);
        let nested_folders: HashSet<FsPath> = nested.iter().cloned().collect();
        sort_by(&mut nested, Ord::cmp);
        nested.dedup();
        for (at, column) in &columns {
            let exclusions = Exclusions::of(world, &column.dialect, &column.settings);
            self.complete(*at, &exclusions, &column.passed_over, &nested_folders);
        }
        sort_by(&mut pending, Ord::cmp);
        pending.dedup();
        let dialects = columns.iter().map(|(_, column)| column.dialect.name.to_string()).collect();
        let rows = self.rows.into_iter().map(Row::finished).collect();
        let mut matrix = Matrix { dialects, rows, nested, looked_no_further, pending };
        sort_by(&mut matrix.rows, |a, b| a.path.cmp(&b.path));
        matrix
    }

    /// Adds the first finding of a dialect about each SKILL.md that it has passed over.
    fn add_passed_over(&mut self, world: &World<'_>, column: usize, findings: &[Diagnostic]) {
        let firsts = findings.chunk_by(|a, b| a.path == b.path).filter_map(<[Diagnostic]>::first);
        for finding in firsts.filter(|finding| is_skill_file(finding.path.name())) {
            let real = match self.by_path.get(&finding.path).and_then(|row| self.rows[*row].paths.first()) {
                Some(real) => real.clone(),
                None => world.fs.canonical(&finding.path).unwrap_or_else(|_| finding.path.clone()),
            };
            let row = self.row(column, &real, &finding.path, None);
            let row = &mut self.rows[row];
            // Of several paths to the file, that of the row counts, as for `why`.
            let is_of_row = *row.path() == finding.path;
            if row.cells[column].as_ref().is_none_or(|cell| cell.key.is_none() && is_of_row) {
                row.cells[column] = Some(cell(Why::of_finding(finding)));
            }
        }
    }

    /// The row of the file with this real path, which the dialect of a column has seen under `path`.
    fn row(&mut self, column: usize, real: &FsPath, path: &FsPath, name: Option<String>) -> usize {
        let at = match self.by_path.get(real) {
            Some(at) => *at,
            None => {
                self.by_path.insert(real.clone(), self.rows.len());
                let (paths, cells) = (Vec::from([real.clone()]), vec![None; self.width]);
                self.rows.push(Row { paths, path: (column, path.clone()), name: None, cells });
                self.rows.len() - 1
            }
        };
        let row = &mut self.rows[at];
        if path != real && !row.paths.contains(path) {
            row.paths.push(path.clone());
            self.by_path.insert(path.clone(), at);
        }
        if column < row.path.0 {
            row.path = (column, path.clone());
        }
        if let Some(name) = name.filter(|_| row.name.as_ref().is_none_or(|(first, _)| column < *first)) {
            row.name = Some((column, name));
        }
        at
    }

    /// Fills in the cells of the files that a dialect has not seen. `findings` are about what it has passed over.
    fn complete(
        &mut self,
        column: usize,
        exclusions: &Exclusions<'_>,
        findings: &[Diagnostic],
        nested: &HashSet<FsPath>,
    ) {
        let is_nested = |path: &FsPath| iter::successors(path.parent(), FsPath::parent).any(|at| nested.contains(&at));
        // The same for all files in no source.
        let mut in_no_source: Option<MatrixCell> = None;
        for row in self.rows.iter_mut().filter(|row| row.cells[column].is_none()) {
            // By the path of the row, and the real one, as `why` does.
            let path = row.path();
            let real = row.paths.first().unwrap_or(path);
            let finding = covering(findings, path).or_else(|| covering(findings, real));
            // What no dialect has read may be something else than a file.
            let in_source = || match row.name {
                Some(_) => exclusions.file_rule(path, real),
                None => exclusions.rule(path),
            };
            let nested = || if is_nested(path) { exclusions.nested_rule(path) } else { None };
            let command = || exclusions.command_file(path);
            let why = finding.map(Why::of_finding).or_else(in_source).or_else(command).or_else(nested);
            row.cells[column] = Some(match why {
                Some(why) => cell(why),
                None => in_no_source.get_or_insert_with(|| cell(exclusions.in_no_source(path))).clone(),
            });
        }
    }
}

/// The finding about a path, or about the innermost folder that contains it. The findings are sorted by path.
fn covering<'f>(findings: &'f [Diagnostic], path: &FsPath) -> Option<&'f Diagnostic> {
    let mut above = Some(path.clone()).filter(|_| !findings.is_empty());
    while let Some(at) = above {
        let first = findings.partition_point(|finding| finding.path < at);
        if let Some(finding) = findings.get(first).filter(|finding| finding.path == at) {
            return Some(finding);
        }
        above = at.parent();
    }
    None
}

fn cell_of_seen(catalog: &Catalog, seen: &SeenFile<'_>, omissions: &Omissions<'_>) -> MatrixCell {
    let mut cell = MatrixCell { key: seen.key.map(str::to_owned), ..cell(of_seen(catalog, seen, || omissions)) };
    if let FileStatus::InUse(skill) = seen.status {
        (cell.repaired, cell.withheld) = (skill.repaired, skill.withheld_from(Caller::Model));
        cell.undetermined = skill.undetermined;
    }
    match seen.status {
        FileStatus::Shadowed(shadowed) => {
            (cell.by, cell.undetermined) = (Some(shadowed.by.clone()), shadowed.skill.undetermined);
        }
        FileStatus::InUse(skill) if cell.state == CellState::LeftOut && omissions.bare.contains(&skill.path) => {
            cell.state = CellState::NameOnly;
        }
        FileStatus::InUse(_) | FileStatus::Skipped(_) => {}
    }
    cell
}

fn cell(why: Why) -> MatrixCell {
    let Why { outcome, code, rule, message, help, .. } = why;
    let state = match outcome {
        Outcome::Skipped if matches!(code, Some(Code::NotInSource | Code::NestedSource | Code::CommandFile)) => {
            CellState::Unseen
        }
        Outcome::Skipped => CellState::Skipped,
        Outcome::Shadowed => CellState::Shadowed,
        Outcome::Hidden => CellState::Hidden,
        Outcome::LeftOut => CellState::LeftOut,
        Outcome::InUse => CellState::InUse,
    };
    let (message, help) = (message.into(), help.map(Arc::from));
    MatrixCell {
        state,
        key: None,
        code,
        by: None,
        rule,
        repaired: false,
        withheld: false,
        undetermined: false,
        message,
        help,
    }
}
