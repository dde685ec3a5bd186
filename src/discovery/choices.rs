//! Reads the choices of the user and of the project: files that say how skills are offered, by patterns of their keys
//! (rule 9.12). `visibility` applies them. A change is planned in `edit`, and written by the host.
//!
//! ```yaml
//! dialect: claude              # the user's file alone
//! roots: [~/work/skills]       # the user's file alone
//! skills:
//!   "git-*": name-only
//!   deploy: off
//! ```

mod edit;

pub(crate) use edit::set_choice;

use crate::diagnostic::{Code, Diagnostic, Mark, Severity};
use crate::discovery::extras::is_not_read;
use crate::discovery::json_file::{JsonFileError, read_text_file};
use crate::discovery::state::Store;
use crate::discovery::world::World;
use crate::model::skill::{ContainedFs, Visibility};
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::glob::matches_name;
use crate::text::lines::Source;
use crate::text::words::{excerpt, nearest};
use crate::text::yaml::{self, Node, NoticeKind, Span, Value, is_plain_null};

/// How many bytes of a file are read.
const MAX_FILE_BYTES: u64 = 1_048_576;

/// How many entries of a file are read, as each is compared with each skill.
const MAX_ENTRIES: usize = 1_000;

/// How many bytes a pattern has at most. Longer ones than any key only cost time.
const MAX_PATTERN_BYTES: usize = 256;

/// How many characters of a value are quoted.
const MAX_QUOTED: usize = 60;

/// The keys of a file.
const KEYS: [&str; 3] = ["dialect", "roots", "skills"];

/// What the user and the project have chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Choices {
    /// The name of the user's usual dialect, or the path of a file that describes it, as the host spells paths.
    pub dialect: Option<String>,
    /// The user's further folders of skills, from lowest to highest precedence.
    pub roots: Vec<FsPath>,
    /// How skills are offered, in the order of the files: the user's entries, then the project's. Of each file, the last
    /// entry that matches a skill counts.
    pub skills: Vec<Choice>,
}

/// An entry that says how skills are offered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Choice {
    /// The keys that it is about: `*` stands for any characters, `?` for one.
    pub pattern: String,
    /// How these skills are offered.
    pub visibility: Visibility,
    /// Whose file it stands in.
    pub store: Store,
    /// The file.
    pub file: FsPath,
    /// The line, from 1.
    pub line: usize,
}

impl Choices {
    /// Whether there is no entry.
    pub(crate) fn is_empty(&self) -> bool {
        self.skills.is_empty()
    }

    /// The entry of this file that counts for a skill.
    pub fn of(&self, key: &str, store: Store) -> Option<&Choice> {
        let shown = visible(key);
        let is_it = |choice: &&Choice| {
            choice.store == store && (matches_name(&choice.pattern, key) || matches_name(&choice.pattern, &shown))
        };
        self.skills.iter().rfind(is_it)
    }
}

/// Reads the files that [`Places`](crate::Places) names.
pub(crate) fn choices(world: &World<'_>) -> Choices {
    read(world, &mut Vec::new(), &mut Vec::new())
}

/// Reads both files. Adds findings for faults in them, and files that the file system has yet to fetch.
pub(crate) fn read(world: &World<'_>, findings: &mut Vec<Diagnostic>, pending: &mut Vec<FsPath>) -> Choices {
    let mut choices = Choices::default();
    for store in [Store::User, Store::Project] {
        match file(world, store) {
            Ok(None | Some((_, None))) => {}
            Ok(Some((file, Some(text)))) => {
                let source = Source::new(&text);
                let mut reader = Reader { world, file: &file, source: &source, store, choices: &mut choices, findings };
                if let Err((span, reason)) = reader.read() {
                    let mut finding = unreadable(&file, &reason);
                    finding.mark(mark(&source, span));
                    findings.push(finding);
                }
            }
            Err((_, JsonFileError::Pending(path))) => pending.push(path),
            Err((file, JsonFileError::Corrupt(reason))) => findings.push(unreadable(&file, &reason)),
        }
    }
    choices
}

/// The choices in a lean world: all skills are switched off where there is a file, as it may switch them off.
pub(crate) fn unread(world: &World<'_>, findings: &mut Vec<Diagnostic>, pending: &mut Vec<FsPath>) -> Choices {
    let mut choices = Choices::default();
    let of_user = world.places.user_choices.iter().map(|file| (Store::User, file));
    for (store, file) in of_user.chain(world.places.project_choices.iter().map(|file| (Store::Project, file))) {
        if is_not_read(world.fs, file, "the file of choices", findings, pending) {
            let (pattern, file) = ("*".to_owned(), file.clone());
            choices.skills.push(Choice { pattern, visibility: Visibility::Off, store, file, line: 1 });
        }
    }
    choices
}

/// A file and its text, which it has not if the file does not exist.
type Found = Option<(FsPath, Option<String>)>;

/// The file of the user or of the project. A symlink in the project's file that leads out of the project is not followed,
/// as messages quote what is in the file. `None` if the caller names no such file.
fn file(world: &World<'_>, store: Store) -> Result<Found, (FsPath, JsonFileError)> {
    let places = world.places;
    let files = match store {
        Store::User => places.user_choices.as_slice(),
        Store::Project => &places.project_choices,
    };
    let containment = places.containment(Vec::new()).filter(|_| store == Store::Project);
    let contained = ContainedFs::new(world.fs, containment.as_ref());
    for file in files {
        let text = read_text_file(&contained, file, MAX_FILE_BYTES).map_err(|error| (file.clone(), error))?;
        if text.is_some() {
            return Ok(Some((file.clone(), text)));
        }
    }
    Ok(files.first().map(|file| (file.clone(), None)))
}

fn unreadable(file: &FsPath, reason: &str) -> Diagnostic {
    let message = format!("the file of choices could not be read: {reason}");
    Diagnostic::new(Severity::Error, Code::JsonFileCorrupt, file.clone(), message)
        .help("fix the file; until then it is ignored, and never overwritten")
}

fn mark(source: &Source<'_>, span: Span) -> Mark {
    let at = source.position(span.start);
    let to = (span.start < span.end).then(|| source.position(span.end));
    Mark { at, to, line_text: source.line(at.line).map(str::to_owned) }
}

/// Reads one file.
struct Reader<'a> {
    world: &'a World<'a>,
    file: &'a FsPath,
    source: &'a Source<'a>,
    store: Store,
    choices: &'a mut Choices,
    findings: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    /// Reads the file. The error says why it is not a file of choices, and where.
    fn read(&mut self) -> Result<(), (Span, String)> {
        let document = yaml::parse(self.source.text())
            .map_err(|error| (Span { start: error.at, end: error.at }, format!("it is not YAML: {}", error.message)))?;
        for notice in &document.notices {
            if let NoticeKind::DuplicateKey { key, .. } = &notice.what {
                let message = format!("duplicate key `{}`; the first one is used", excerpt(key, MAX_QUOTED));
                self.report(notice.span, Severity::Error, Code::DuplicateKey, message).advise("remove one of them");
            }
        }
        let fields = match document.root {
            None => return Ok(()),
            Some(Node { value: Value::Map(fields), .. }) => fields,
            Some(Node { span, .. }) => return Err((span, "expected lines of the form `key: value`".to_owned())),
        };
        for (key, value) in &fields {
            match (&key.value, self.store) {
                (Value::Text(name), _) if name == "skills" => self.skills(value),
                (Value::Text(name), Store::Project) if KEYS.contains(&name.as_str()) => {
                    let message =
                        format!("`{name}` is ignored, as the file of a project may only narrow what is offered");
                    self.report(key.span, Severity::Warning, Code::ChoiceRefused, message)
                        .advise("write it in your own file");
                }
                (Value::Text(name), Store::User) if name == "dialect" => self.dialect(value),
                (Value::Text(name), Store::User) if name == "roots" => self.roots(value),
                (Value::Text(name), _) => {
                    let near = nearest(name, KEYS.into_iter());
                    let help = near.first().map_or_else(
                        || "the keys are `dialect`, `roots` and `skills`".to_owned(),
                        |near| format!("did you mean `{near}`?"),
                    );
                    let message = format!("unknown key `{}`", excerpt(name, MAX_QUOTED));
                    let finding = self.report(key.span, Severity::Warning, Code::UnknownField, message);
                    *finding = finding.clone().help(help);
                }
                _ => self.wrong_type(key.span, "a key", "a text"),
            }
        }
        Ok(())
    }

    fn dialect(&mut self, value: &Node) {
        let Value::Text(text) = &value.value else {
            return self.wrong_type(value.span, "`dialect`", "a name or a file");
        };
        if is_plain_null(value.style, text) {
            return;
        }
        // A name has no slash in it.
        let dialect = match text.contains('/') {
            true => self.path(text).map(|path| self.world.fs.display(&path).into_owned()),
            false => Some(text.clone()),
        };
        match dialect {
            Some(dialect) => self.choices.dialect = Some(dialect),
            None => self.wrong_type(value.span, "`dialect`", "a name or a file"),
        }
    }

    fn roots(&mut self, value: &Node) {
        let items = match &value.value {
            Value::List(items) => items.as_slice(),
            Value::Text(text) if is_plain_null(value.style, text) => return,
            _ => return self.wrong_type(value.span, "`roots`", "a list of folders"),
        };
        for item in items {
            let path = match &item.value {
                Value::Text(text) if !is_plain_null(item.style, text) => self.path(text),
                _ => None,
            };
            match path {
                Some(path) => self.choices.roots.push(path),
                None => self.wrong_type(item.span, "an item of `roots`", "the path of a folder"),
            }
        }
    }

    /// A path of the user's file: `~/` at the start is the home directory, other relative paths start from the file.
    fn path(&self, text: &str) -> Option<FsPath> {
        match text.strip_prefix("~/") {
            Some(rest) => self.world.fs.parse(rest, self.world.places.home.as_ref()?),
            None if text.is_empty() => None,
            None => self.world.fs.parse(text, &self.file.dirname()),
        }
    }

    fn skills(&mut self, value: &Node) {
        let fields = match &value.value {
            Value::Map(fields) => fields.as_slice(),
            Value::Text(text) if is_plain_null(value.style, text) => return,
            _ => return self.wrong_type(value.span, "`skills`", "a map of keys to words"),
        };
        for (at, (key, value)) in fields.iter().enumerate() {
            if at == MAX_ENTRIES {
                let message = format!("there are more than {MAX_ENTRIES} entries; those from here on are ignored");
                self.report(key.span, Severity::Error, Code::TooManyPatterns, message).advise("use patterns");
                return;
            }
            match &key.value {
                Value::Text(pattern) if MAX_PATTERN_BYTES < pattern.len() => {
                    self.wrong_type(key.span, "a key of `skills`", "at most 256 bytes");
                }
                Value::Text(pattern) => self.entry(pattern, key.span, value),
                _ => self.wrong_type(key.span, "a key of `skills`", "a text"),
            }
        }
    }

    /// Reads an entry. A word that is not known switches the skills off.
    fn entry(&mut self, pattern: &str, span: Span, value: &Node) {
        let word = match &value.value {
            Value::Text(word) => Some(word.as_str()),
            Value::List(_) | Value::Map(_) | Value::Absent => None,
        };
        let known = word.and_then(Visibility::named);
        if known.is_none() {
            let words = Visibility::ALL.iter().map(|visibility| visibility.as_str());
            let near = nearest(word.unwrap_or_default(), words);
            let got = word.map_or_else(|| "no word".to_owned(), |word| format!("`{}`", excerpt(word, MAX_QUOTED)));
            let message = format!(
                "`{}` is {got}, expected pinned, full, name-only, user-only or off; off is used",
                excerpt(pattern, MAX_QUOTED)
            );
            let help =
                near.first().map_or_else(|| "write one of the five".to_owned(), |near| format!("write `{near}`"));
            let finding = self.report(value.span, Severity::Warning, Code::StateUnknown, message);
            *finding = finding.clone().help(help);
        }
        let visibility = known.unwrap_or(Visibility::Off);
        if self.store == Store::Project && !visibility.is_narrowing() {
            let message = format!(
                "`{}` is ignored, as the file of a project may only narrow what is offered",
                visibility.as_str()
            );
            self.report(value.span, Severity::Warning, Code::ChoiceRefused, message)
                .advise("write name-only, user-only or off, or write it in your own file");
            return;
        }
        let line = self.source.position(span.start).line;
        let (pattern, file) = (pattern.to_owned(), self.file.clone());
        self.choices.skills.push(Choice { pattern, visibility, store: self.store, file, line });
    }

    fn wrong_type(&mut self, span: Span, what: &str, expected: &str) {
        let message = format!("{what} is ignored: expected {expected}");
        self.report(span, Severity::Warning, Code::WrongType, message);
    }

    fn report(&mut self, span: Span, severity: Severity, code: Code, message: String) -> &mut Diagnostic {
        let mut finding = Diagnostic::new(severity, code, self.file.clone(), message);
        finding.mark(mark(self.source, span));
        self.findings.push(finding);
        let last = self.findings.len() - 1;
        &mut self.findings[last]
    }
}
