//! Finds the dialect that the user names: one that is built in, a file, or the name of a file in the user's or the
//! project's folder for dialects. Also the command `dialect`.
//!
//! A file of the project is read only if the user names it, and never through a symlink that leads out of the project.
//! It grants nothing: what it searches in the project stays the project's.

use crate::answer::{Answer, Runner};
use crate::args::GlobalOptions;
use crate::host::resolved;
use crate::output::style;
use crate::output::text::folded;
use crate::output::{findings, table};
use crate::reply::{Failure, Output, Reply};
use crate::setup::{self, absolute_path, working_directory};
use crate::suggested::command;
use anstyle::Style;
use skilltree::dialect::NAMES;
use skilltree::fs::{FileKind, FilePrefix};
use skilltree::{Code, Diagnostic, Dialect, Fs, FsError, FsPath, Json, OsFs, Places, Position, Severity, visible};
use std::cell::RefCell;
use std::sync::Arc;

/// The environment variable that names the default dialect.
const VARIABLE: &str = "SKILLTREE_DIALECT";

/// The dialect that is used if none is named.
const DEFAULT: &str = NAMES[0];

/// Where the dialects of a project are, below its folder.
const PROJECT_FOLDER: &str = ".skilltree/dialects";

/// How many files may extend each other.
const MAX_EXTENDED: usize = 8;

/// The dialect that the environment variable names.
pub(crate) fn usual() -> Option<String> {
    let name = std::env::var_os(VARIABLE)?;
    Some(name.to_string_lossy().into_owned()).filter(|name| !name.is_empty())
}

/// Whether a value of `--dialect` is the path of a file, and not a name.
pub(crate) fn is_path(value: &str) -> bool {
    value.contains(['/', '\\']) || [".yaml", ".yml"].iter().any(|end| value.ends_with(end))
}

pub(crate) struct Chosen {
    pub(crate) dialect: Arc<Dialect>,
    pub(crate) is_file: bool,
}

/// Where dialects are looked for.
pub(crate) struct Dialects {
    fs: OsFs,
    working_directory: Option<FsPath>,
    /// The user's folder for dialects.
    user: Option<FsPath>,
    project: Option<FsPath>,
}

/// A dialect file.
#[derive(Clone, PartialEq)]
struct File {
    path: FsPath,
    owner: Owner,
}

/// Who has put a dialect file where it is.
#[derive(Clone, Copy, PartialEq)]
enum Owner {
    /// It was named by its path.
    Caller,
    User,
    Project,
}

impl Dialects {
    pub(crate) fn new(options: &GlobalOptions) -> Dialects {
        let fs = OsFs::new();
        let working_directory = working_directory(&fs);
        let parsed = |text: &str| absolute_path(&fs, working_directory.as_ref(), text).ok();
        let home = match &options.home {
            Some(home) => parsed(home),
            None => Places::home_from_env().and_then(|home| parsed(home.to_str()?)),
        };
        // A folder whose path is not valid has no dialects; it is reported where choices are read.
        let config = setup::user_folder(&fs, working_directory.as_ref(), home.as_ref()).ok().flatten();
        let user = config.and_then(|config| config.child("dialects").ok());
        let project = parsed(options.project.as_deref().unwrap_or("."));
        Dialects { fs, working_directory, user, project }
    }

    /// The dialect that a value of `--dialect` names, or the default one.
    pub(crate) fn named(&self, value: Option<&str>) -> Result<Chosen, Failure> {
        let value = value.unwrap_or(DEFAULT);
        let file = if is_path(value) {
            let path = absolute_path(&self.fs, self.working_directory.as_ref(), value)?;
            Some(File { path, owner: Owner::Caller })
        } else if let Some(dialect) = skilltree::dialect(value) {
            return Ok(Chosen { dialect, is_file: false });
        } else {
            self.file_named(value, Owner::Caller).map_err(|finding| self.refused(&[*finding]))?
        };
        let file = file.ok_or_else(|| self.unknown(value))?;
        match self.read(&file, &[]) {
            Ok(dialect) => Ok(Chosen { dialect: Arc::new(dialect), is_file: true }),
            Err(found) => Err(self.refused(&found)),
        }
    }

    /// The dialects of these names, each once; `all` stands for all built-in ones. Without names, those that `usual` takes of
    /// these.
    pub(crate) fn each_named(
        &self,
        names: &[String],
        usual: impl FnOnce(Vec<Arc<Dialect>>) -> Vec<Arc<Dialect>>,
    ) -> Result<Vec<Arc<Dialect>>, Failure> {
        let all = || -> Vec<_> { NAMES.iter().filter_map(|name| skilltree::dialect(name)).collect() };
        let mut asked = if names.is_empty() { usual(all()) } else { Vec::new() };
        for name in names {
            match name.trim() {
                "all" => asked.extend(all()),
                name => asked.push(self.named(Some(name))?.dialect),
            }
        }
        let mut dialects: Vec<Arc<Dialect>> = Vec::new();
        for dialect in asked {
            if !dialects.contains(&dialect) {
                dialects.push(dialect);
            }
        }
        Ok(dialects)
    }

    /// The findings of a file that has the form of a dialect; `None` if it does not.
    pub(crate) fn check(&self, value: &str) -> Option<Vec<Diagnostic>> {
        let path = absolute_path(&self.fs, self.working_directory.as_ref(), value).ok()?;
        let file = File { path, owner: Owner::Caller };
        let text = self.text(&file).ok().filter(|_| value.ends_with(".yaml") || value.ends_with(".yml"))?;
        let keys = ["name:", "extends:", "sources:"];
        // A file without any key is none of another kind.
        let is_dialect = !text.contains(':') || text.lines().any(|line| keys.iter().any(|key| line.starts_with(key)));
        is_dialect.then(|| self.read(&file, &[]).err().unwrap_or_default())
    }

    fn refused(&self, found: &[Diagnostic]) -> Failure {
        let message = format!("the dialect cannot be used: {}", findings::counted(found));
        let more = found.iter().map(|finding| format!("{}: {}", findings::place(&self.fs, finding), finding.message));
        let failure = Failure::error("dialect-file", message).with_more(more.collect());
        failure.with_note(findings::counted_blocks(&self.fs, found))
    }

    fn unknown(&self, name: &str) -> Failure {
        let mut known: Vec<String> = NAMES.iter().map(|name| (*name).to_owned()).collect();
        known.extend(self.names());
        let quoted = |name: &str| format!("`{}`", visible(name));
        let near: Vec<String> =
            Dialect::similar_names(name, known.iter().map(String::as_str)).into_iter().map(quoted).collect();
        let known: Vec<String> = known.iter().map(|name| quoted(name)).collect();
        let near = if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) };
        let message = match near.is_empty() {
            true => format!("unknown dialect `{}`; known dialects: {}", visible(name), known.join(", ")),
            false => format!("unknown dialect `{}`{near}", visible(name)),
        };
        let failure = Failure::error("unknown-dialect", message);
        failure.with_help(match usual().is_some_and(|usual| usual == name) {
            true => Some(format!("choose one with `--dialect` or the environment variable `{VARIABLE}`")),
            false => setup::dialect_help(name),
        })
    }

    /// The names of the dialects in the folders of the user and the project.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> + use<> {
        self.files().into_iter().map(|(name, _)| name)
    }

    /// The names and paths of the files in the folders for dialects; the first of one name is used.
    fn files(&self) -> Vec<(String, FsPath)> {
        let mut files: Vec<(String, FsPath)> = Vec::new();
        let of_user = self.user.as_ref().map(|dir| (dir.clone(), self.fs.list(dir)));
        let of_project = self.project.as_ref().and_then(|project| {
            let root = self.fs.canonical(project).ok()?;
            let listed = root.join(PROJECT_FOLDER).ok()?;
            let entries = self.fs.confined(&root).and_then(|view| view.list(&listed));
            Some((project.join(PROJECT_FOLDER).ok()?, entries))
        });
        for (dir, entries) in of_user.into_iter().chain(of_project) {
            for entry in entries.unwrap_or_default() {
                let is_file = entry.kind == FileKind::File && !entry.is_lossy;
                let Some(name) = entry.name.strip_suffix(".yaml").filter(|name| is_file && !name.is_empty()) else {
                    continue;
                };
                let is_hidden = NAMES.contains(&name) || files.iter().any(|(known, _)| known == name);
                if let (false, Ok(path)) = (is_hidden, dir.child(&entry.name)) {
                    files.push((name.to_owned(), path));
                }
            }
        }
        files
    }

    /// The file of this name in the user's folder, or else in the project's. A file of the user does not refer to one of
    /// the project.
    fn file_named(&self, name: &str, asker: Owner) -> Result<Option<File>, Box<Diagnostic>> {
        let in_folder = |dir: &FsPath| dir.child(&format!("{name}.yaml")).ok();
        let of_user = self.user.as_ref().and_then(in_folder);
        let of_project = self.project.as_ref().and_then(|project| in_folder(&project.join(PROJECT_FOLDER).ok()?));
        let of_project = of_project.filter(|_| asker != Owner::User);
        let files = [(of_user, Owner::User), (of_project, Owner::Project)];
        for (path, owner) in files.into_iter().filter_map(|(path, owner)| Some((path?, owner))) {
            let file = File { path, owner };
            match self.bytes(&file, 0) {
                Err(FsError::NotFound(_) | FsError::NotADirectory(_)) => {}
                Err(error) => return Err(Box::new(unreadable(&file.path, &error))),
                Ok(_) => return Ok(Some(file)),
            }
        }
        Ok(None)
    }

    /// The beginning of a file. One of the project is read through a view of the project.
    fn bytes(&self, file: &File, most: u64) -> Result<FilePrefix, FsError> {
        let project = self.project.as_ref().filter(|_| file.owner == Owner::Project);
        let Some(project) = project else { return self.fs.read(&file.path, most) };
        let root = self.fs.canonical(project)?;
        match file.path.relative_to(project) {
            Some(rest) => self.fs.read_within(&root, rest, most),
            None => Err(FsError::Escapes(file.path.clone())),
        }
    }

    /// Reads a file and those that it extends. `readers` are the files that extend it.
    fn read(&self, file: &File, readers: &[File]) -> Result<Dialect, Vec<Diagnostic>> {
        let text = self.text(file).map_err(|finding| vec![*finding])?;
        let readers = [readers, std::slice::from_ref(file)].concat();
        let of_base = RefCell::new(Vec::new());
        let base = |name: &str| match skilltree::dialect(name) {
            Some(dialect) => Some(dialect),
            None => self.extended(name, file, &readers).unwrap_or_else(|found| {
                of_base.borrow_mut().extend(found);
                None
            }),
        };
        Dialect::parse(&file.path, &text, &base).map_err(|found| {
            let of_base = of_base.take();
            if of_base.is_empty() { found } else { of_base }
        })
    }

    /// The dialect of a name that a file extends, from another file.
    fn extended(&self, name: &str, file: &File, readers: &[File]) -> Result<Option<Arc<Dialect>>, Vec<Diagnostic>> {
        let Some(base) = self.file_named(name, file.owner).map_err(|finding| vec![*finding])? else { return Ok(None) };
        let message = match readers.len() {
            _ if readers.contains(&base) => format!("expected another dialect to extend, got `{name}` itself"),
            MAX_EXTENDED => format!("expected at most {MAX_EXTENDED} files that extend each other"),
            _ => return self.read(&base, readers).map(|dialect| Some(Arc::new(dialect))),
        };
        Err(vec![Diagnostic::new(Severity::Error, Code::DialectFile, file.path.clone(), message)])
    }

    fn text(&self, file: &File) -> Result<String, Box<Diagnostic>> {
        let finding = |message: String| Diagnostic::new(Severity::Error, Code::DialectFile, file.path.clone(), message);
        let most = Dialect::MAX_FILE_BYTES as u64;
        let head = self.bytes(file, most + 1).map_err(|error| Box::new(unreadable(&file.path, &error)))?;
        let len = head.len.max(head.bytes.len() as u64);
        if most < len {
            return Err(Box::new(finding(format!("expected a dialect of at most {most} bytes, got {len}"))));
        }
        String::from_utf8(head.bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let before = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
            let line = before.rsplit_once('\n').map_or(before.as_str(), |(_, line)| line);
            let mut finding = finding("expected UTF-8".to_owned());
            let line_number = before.matches('\n').count() + 1;
            finding.at = Some(Position { line: line_number, column: line.chars().count() + 1 });
            Box::new(finding)
        })
    }
}

fn unreadable(path: &FsPath, error: &FsError) -> Diagnostic {
    let message = match error {
        FsError::Escapes(_) => "the file leads out of the project, so it is not read".to_owned(),
        error => error.to_string(),
    };
    Diagnostic::new(Severity::Error, Code::DialectFile, path.clone(), message)
}

/// Makes sure that a dialect file does not declare folders of the project to be the user's own, whose skills are
/// trusted.
// Rule 1.7
pub(crate) fn check_owners(fs: &OsFs, dialect: &Dialect, places: &Places) -> Result<(), Failure> {
    let Some(project) = places.project.as_ref().map(|project| resolved(fs, project)) else { return Ok(()) };
    // A project that holds the home directory is the user's own.
    if places.home.as_ref().is_some_and(|home| resolved(fs, home).starts_with(&project)) {
        return Ok(());
    }
    for (label, root) in places.trusted_roots(dialect) {
        let real = resolved(fs, &root);
        let holds_project = project.starts_with(&real);
        if holds_project || real.starts_with(&project) {
            let where_it_is = if holds_project { "the project lies in it" } else { "it lies in the project" };
            let message = format!(
                "the dialect `{}` declares the folder `{}` to be the user's own, but {where_it_is}",
                visible(dialect.name()),
                visible(&fs.display(&root))
            );
            let help = format!("give the source `{label}` the base and the origin `project`");
            return Err(Failure::error("dialect-file", message).with_help(help));
        }
    }
    Ok(())
}

impl Runner<'_> {
    pub(crate) fn dialect(self, name: Option<&str>, is_yaml: bool, is_schema: bool) -> Answer {
        if is_schema {
            return Ok(Reply::json(&Dialect::schema()));
        }
        let dialects = Dialects::new(self.options);
        let Some(name) = name else { return Ok(self.dialects(&dialects)) };
        let dialect = dialects.named(Some(name))?.dialect;
        if is_yaml {
            let text = dialect.to_yaml();
            return Ok(match self.json {
                true => Reply::json(&Json::map([("yaml", text.into())])),
                false => Reply::new(Output::Exact(text)),
            });
        }
        let table = dialect.to_json();
        if self.json {
            return Ok(Reply::json(&table));
        }
        let print = command(&["dialect", "--yaml"], &[name]);
        let first = style::paint(style::FAINT, &format!("# A summary; {print} prints the dialect file"));
        let mut text = format!("{first}\n");
        outline(&table, 0, &mut text);
        Ok(Reply::new(Output::Styled(text)))
    }

    /// Lists the dialects. Files are listed without being read.
    fn dialects(self, dialects: &Dialects) -> Reply {
        let tables: Vec<Arc<Dialect>> = NAMES.iter().filter_map(|name| skilltree::dialect(name)).collect();
        let files = dialects.files();
        if self.json {
            let tables: Vec<Json> = tables.iter().map(|dialect| dialect.to_json()).collect();
            let file = |(name, path): &(String, FsPath)| {
                let path = dialects.fs.display(path);
                Json::map([("name", Json::from(name.as_str())), ("path", Json::from(&*path))])
            };
            let files: Vec<Json> = files.iter().map(file).collect();
            return Reply::json(&Json::map([("dialects", tables.into()), ("files", files.into())]));
        }
        let built_in = tables.iter().map(|dialect| vec![dialect.name().to_owned(), dialect.about().to_owned()]);
        let files = files
            .iter()
            .map(|(name, path)| vec![visible(name).into_owned(), visible(&dialects.fs.display(path)).into_owned()]);
        let rows: Vec<Vec<String>> = built_in.chain(files).collect();
        Reply::new(Output::Styled(table::table(&[style::KEY, Style::new()], None, &rows, self.screen.width)))
    }
}

/// Formats a JSON value as an indented outline, so that the text always shows what the JSON contains. Single-line values
/// follow their name; other values are printed below it.
fn outline(json: &Json, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    match json {
        Json::Map(fields) if !fields.is_empty() => {
            out.push_str(if depth > 0 { "\n" } else { "" });
            for (key, field) in fields {
                out.push_str(&format!("{indent}{}:", style::paint(style::KEY, &visible(key))));
                outline(field, depth + 1, out);
            }
        }
        Json::List(items) if !items.is_empty() => {
            out.push_str(if depth > 0 { "\n" } else { "" });
            for item in items {
                out.push_str(&format!("{indent}-"));
                outline(item, depth + 1, out);
            }
        }
        Json::Text(text) if text.contains('\n') => {
            out.push_str(" |\n");
            out.extend(text.lines().map(|line| format!("{indent}{}\n", visible(line))));
        }
        Json::Text(text) => out.push_str(&format!(" {}\n", folded(text))),
        other => out.push_str(&format!(" {other}\n")),
    }
}
