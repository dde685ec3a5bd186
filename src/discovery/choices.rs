//! Reads the choices of the user and of the project: files that say how skills are offered, by patterns of their keys
//! (rule 9.12). `visibility` applies them. A change is planned as a [`FileWrite`] of which only the line of the entry is
//! new, so that comments and all other entries stay; the host writes it. The new text is read again before it is planned:
//! a file whose form is not understood is not changed.
//!
//! ```yaml
//! dialect: claude              # the user's file alone
//! roots: [~/work/skills]       # the user's file alone
//! skills:
//!   "git-*": name-only
//!   deploy: off
//! ```

use crate::diagnostic::{Code, Diagnostic, Mark, Severity};
use crate::discovery::extras::{Noticed, is_not_read};
use crate::discovery::small_file::{SmallFileError, read_text_file};
use crate::discovery::state::{FileWrite, Store, store_path};
use crate::discovery::world::World;
use crate::fs::FsError;
use crate::model::error::Error;
use crate::model::skill::{ContainedFs, Skill, Visibility};
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::glob::{is_name_pattern, matches_name};
use crate::text::json::Json;
use crate::text::lines::Source;
use crate::text::words::{excerpt, nearest};
use crate::text::yaml::{self, Node, NoticeKind, Span, Style, Value, is_plain_null};

const MAX_FILE_BYTES: u64 = 1_048_576;

/// How many entries of a file are read, as each is compared with each skill.
const MAX_ENTRIES: usize = 1_000;

/// How many bytes a pattern has at most. Longer ones than any key only cost time.
const MAX_PATTERN_BYTES: usize = 256;

const MAX_QUOTED: usize = 60;

const KEYS: [&str; 3] = ["dialect", "roots", "skills"];

/// What the user and the project have chosen. What they say about a skill is in the catalog: [`Skill::visibility`] is how it is
/// offered, and [`Skill::decision`] names the entry that decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Choices {
    /// The name of the user's usual dialect, or the path of a file that describes it, as the host spells paths.
    pub dialect: Option<String>,
    /// The user's further folders of skills, from lowest to highest precedence.
    pub roots: Vec<FsPath>,
    /// How skills are offered, in the order of the files: the user's entries, then the project's. Of each file, the last
    /// entry that matches a skill counts.
    skills: Vec<Choice>,
}

/// An entry that says how skills are offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The keys that it is about: `*` stands for any characters, `?` for one.
    pub(crate) pattern: String,
    pub(crate) visibility: Visibility,
    store: Store,
    pub(crate) file: FsPath,
    /// The line, from 1.
    pub(crate) line: usize,
}

impl Choices {
    pub(crate) fn is_empty(&self) -> bool {
        self.skills.is_empty()
    }

    /// Reads the files that [`Places`](crate::Places) names. Faults in them are reported by [`discover`](crate::discover),
    /// not here.
    ///
    /// ```
    /// use skilltree::discovery::Choices;
    /// use skilltree::{FsPath, MemFs, Places, World};
    /// let mut fs = MemFs::new();
    /// fs.file("/me/skilltree.yaml", "dialect: claude\nroots: [work/skills]\n");
    /// let places = Places { user_choices: FsPath::new("/me/skilltree.yaml").ok(), ..Places::default() };
    /// let choices = Choices::read(&World::new(&fs, &places, &()));
    /// assert_eq!(choices.dialect.as_deref(), Some("claude"));
    /// assert_eq!(choices.roots[0].as_str(), "/me/work/skills");
    /// ```
    pub fn read(world: &World<'_>) -> Choices {
        read(world, &mut Noticed::default())
    }

    /// Plans to change how a skill is offered, in the file of the user or of the project. The project's file takes only what
    /// narrows: `NameOnly`, `UserOnly` and `Off`.
    ///
    /// ```
    /// use skilltree::discovery::{Choices, Store};
    /// use skilltree::{FsPath, MemFs, Places, Visibility, World, dialect, discover};
    /// let mut fs = MemFs::new();
    /// fs.file("/p/.agents/skills/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n");
    /// fs.file("/me/skilltree.yaml", "skills:\n  coffee: off  # never\n");
    /// let (project, user_choices) = (FsPath::new("/p").ok(), FsPath::new("/me/skilltree.yaml").ok());
    /// let places = Places { project, user_choices, ..Places::default() };
    /// let world = World::new(&fs, &places, &());
    /// let catalog = discover(&world, &dialect("agentskills").unwrap());
    /// let write = Choices::set(&world, catalog.find_any("tea")?, Visibility::NameOnly, Store::User)?;
    /// assert_eq!(write.bytes, b"skills:\n  coffee: off  # never\n  tea: name-only\n");
    /// # Ok::<(), skilltree::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoStore`] if the places name no such file, [`Error::BadArguments`] for a project's file that is to widen,
    /// [`Error::StoreCorrupt`] for a file that cannot be read or changed, [`Error::Fs`] for a file of the project that is
    /// a symlink out of the project.
    pub fn set(world: &World<'_>, skill: &Skill, visibility: Visibility, store: Store) -> Result<FileWrite, Error> {
        if store == Store::Project && !visibility.is_narrowing() {
            let word = visibility.as_str();
            return Err(Error::BadArguments(format!(
                "the file of a project may only narrow what is offered: expected name-only, user-only or off, got {word}"
            )));
        }
        if is_name_pattern(&skill.key) {
            return Err(Error::BadArguments(format!(
                "`{}` is a pattern in a file of choices, where `*` and `?` stand for any characters, so that an entry would be about \
                 other skills, too",
                visible(&skill.key)
            )));
        }
        let (file, text) = match files(world, store).into_iter().next() {
            Some((file, Ok(text))) => (file, text),
            None => return Err(Error::NoStore { store: store.as_str() }),
            Some((_, Err(SmallFileError::Pending(path)))) => return Err(Error::Fs(FsError::Pending(path))),
            Some((path, Err(SmallFileError::Corrupt(reason)))) => return Err(Error::StoreCorrupt { path, reason }),
        };
        let path = store_path(world, &file, store)?;
        let old = text.as_deref().unwrap_or("");
        let corrupt = |reason| Error::StoreCorrupt { path: file.clone(), reason };
        let new = edited(old, &skill.key, visibility).map_err(corrupt)?;
        let is_right = is_changed_alone(world, &file, store, (old, &new), &skill.key, visibility);
        if !is_right.map_err(corrupt)? {
            let reason = format!(
                "its form is not one in which an entry can be added; add `{}` by hand",
                entry(&skill.key, visibility)
            );
            return Err(corrupt(reason));
        }
        Ok(FileWrite::at_real(path, new.into_bytes(), text.map(String::into_bytes)))
    }

    /// The entry that counts for a skill: of each file the last one that matches, and of two files the narrower one.
    pub(crate) fn of(&self, key: &str, store: Store) -> Option<&Choice> {
        let shown = visible(key);
        let is_it = |choice: &&Choice| {
            choice.store == store && (matches_name(&choice.pattern, key) || matches_name(&choice.pattern, &shown))
        };
        let last = self.skills.iter().rfind(is_it)?;
        let other = self.skills.iter().rfind(|choice| is_it(choice) && choice.file != last.file);
        other.filter(|other| last.visibility < other.visibility).or(Some(last))
    }
}

/// Reads the files. Adds findings for faults in them, and files that the file system has yet to fetch.
pub(crate) fn read(world: &World<'_>, noticed: &mut Noticed) -> Choices {
    let mut choices = Choices::default();
    let of_store = |store| files(world, store).into_iter().map(move |(file, text)| (store, file, text));
    for (store, file, text) in [Store::User, Store::Project].into_iter().flat_map(of_store) {
        match text {
            Ok(None) => {}
            Ok(Some(text)) => {
                let source = Source::new(&text);
                let (choices, findings) = (&mut choices, &mut noticed.findings);
                let read = Reader { world, file: &file, source: &source, store, choices, findings }.read();
                if let Err((span, reason)) = read {
                    let mut finding = unreadable(&file, &reason);
                    finding.mark(mark(&source, span));
                    noticed.findings.push(finding);
                }
            }
            Err(SmallFileError::Pending(path)) => noticed.pending.push(path),
            Err(SmallFileError::Corrupt(reason)) => noticed.findings.push(unreadable(&file, &reason)),
        }
    }
    choices
}

/// The choices in a lean world: all skills are switched off where there is a file, as it may switch them off.
pub(crate) fn unread(world: &World<'_>, noticed: &mut Noticed) -> Choices {
    let mut choices = Choices::default();
    let of_user = world.places.user_choices.iter().map(|file| (Store::User, file));
    for (store, file) in of_user.chain(world.places.project_choices.iter().map(|file| (Store::Project, file))) {
        if is_not_read(world.fs, file, "the file of choices", noticed) {
            let (pattern, file) = ("*".to_owned(), file.clone());
            choices.skills.push(Choice { pattern, visibility: Visibility::Off, store, file, line: 1 });
        }
    }
    choices
}

/// The file of the user, or those of the project in the first folder that has any, with their texts; if there is none, the one
/// that may be made. A symlink of the project that leads out of it is not followed, as messages quote what is in a file.
fn files(world: &World<'_>, store: Store) -> Vec<(FsPath, Result<Option<String>, SmallFileError>)> {
    let places = world.places;
    let files = match store {
        Store::User => places.user_choices.as_slice(),
        Store::Project => &places.project_choices,
    };
    let containment = places.containment(Vec::new()).filter(|_| store == Store::Project);
    let contained = ContainedFs::new(world.fs, containment.as_ref());
    // The folder whose choices a file holds.
    let folder = |file: &FsPath| match file.dirname() {
        hidden if hidden.name() == ".skilltree" => hidden.dirname(),
        folder => folder,
    };
    let mut found: Vec<(FsPath, _)> = Vec::new();
    for file in files {
        if found.first().is_some_and(|(first, _)| folder(first) != folder(file)) {
            break;
        }
        let text = read_text_file(&contained, file, MAX_FILE_BYTES);
        // The project may be the folder `.skilltree` itself, so that one file is named twice.
        if !matches!(text, Ok(None)) && found.iter().all(|(known, _)| known != file) {
            found.push((file.clone(), text));
        }
    }
    if found.is_empty() {
        found.extend(files.first().map(|file| (file.clone(), Ok(None))));
    }
    found
}

fn unreadable(file: &FsPath, reason: &str) -> Diagnostic {
    let message = format!("the file of choices could not be read: {reason}");
    Diagnostic::new(Severity::Error, Code::StoreCorrupt, file.clone(), message)
        .help("fix the file; until then it is ignored, and never overwritten")
}

fn mark(source: &Source<'_>, span: Span) -> Mark {
    let at = source.position(span.start);
    let to = (span.start < span.end).then(|| source.position(span.end));
    Mark { at, to, line_text: source.line_text(at.line) }
}

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
        let fields = match document.root {
            None => return Ok(()),
            Some(Node { value: Value::Map(fields), .. }) => fields,
            Some(Node { span, .. }) => return Err((span, "expected lines of the form `key: value`".to_owned())),
        };
        let mut choices = 0..0;
        for (key, value) in &fields {
            match (&key.value, self.store) {
                (Value::Text(name), _) if name == "skills" => {
                    choices = span(value.span);
                    self.skills(value);
                }
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
        for notice in &document.notices {
            if let NoticeKind::DuplicateKey { key, .. } = &notice.what {
                // The second value of a choice has not been kept, and may restrict more than the first one.
                let is_choice = choices.contains(&notice.span.start) && key.len() <= MAX_PATTERN_BYTES;
                let used = if is_choice { "off" } else { "the first one" };
                let message = format!("duplicate key `{}`; {used} is used", excerpt(key, MAX_QUOTED));
                self.report(notice.span, Severity::Error, Code::DuplicateKey, message).advise("remove one of them");
                if is_choice {
                    self.choose(key, Visibility::Off, notice.span);
                }
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
        self.choose(pattern, visibility, span);
    }

    fn choose(&mut self, pattern: &str, visibility: Visibility, span: Span) {
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

fn entry(key: &str, visibility: Visibility) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/' | '.');
    let is_word = key.starts_with(|c: char| c.is_ascii_alphabetic()) && key.chars().all(is_plain);
    let is_value = matches!(key.to_ascii_lowercase().as_str(), "null" | "true" | "false" | "yes" | "no" | "on" | "off");
    let key = if is_word && !is_value { key.to_owned() } else { Json::from(key).to_string() };
    format!("{key}: {}", visibility.as_str())
}

/// The text with the entry for exactly this key changed or added. The error says why the text is no file of choices.
fn edited(text: &str, key: &str, visibility: Visibility) -> Result<String, String> {
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let line_end = if body.contains("\r\n") { "\r\n" } else { "\n" };
    let root = yaml::parse(body).map_err(|error| error.message)?.root;
    let fields = match &root {
        None => &[][..],
        Some(Node { value: Value::Map(fields), .. }) => fields,
        Some(_) => return Err("expected lines of the form `key: value`".to_owned()),
    };
    let entry = entry(key, visibility);
    let skills = fields.iter().find(|(name, _)| name.as_text() == Some("skills"));
    let mut new = body.to_owned();
    match skills {
        None => add_line(&mut new, body.len(), &format!("skills:{line_end}  {entry}"), line_end),
        Some((name, value)) => match &value.value {
            Value::Map(pairs) => match pairs.iter().position(|(name, _)| name.as_text() == Some(key)) {
                Some(at) => replace(&mut new, pairs, at, (key, visibility), &entry, line_end),
                None if pairs.is_empty() => new.replace_range(span(value.span), &format!("{{{entry}}}")),
                None if value.style == Style::Flow => {
                    new.insert_str(value.span.end.saturating_sub(1), &format!(", {entry}"))
                }
                None => add_entry(&mut new, pairs, &entry, line_end),
            },
            Value::Text(text) if is_plain_null(value.style, text) => {
                add_line(&mut new, name.span.end, &format!("  {entry}"), line_end);
            }
            _ => return Err("`skills` is not a map of keys to words".to_owned()),
        },
    }
    Ok(format!("{mark}{new}"))
}

/// Changes the entry at this place. If a later entry matches the key too, the changed one is moved behind it.
fn replace(
    text: &mut String,
    pairs: &[(Node, Node)],
    at: usize,
    (key, visibility): (&str, Visibility),
    entry: &str,
    line_end: &str,
) {
    let Some((name, value)) = pairs.get(at) else { return };
    let is_later = |(name, _): &(Node, Node)| name.as_text().is_some_and(|pattern| matches_name(pattern, key));
    if pairs.iter().skip(at + 1).any(is_later) {
        add_entry(text, pairs, entry, line_end);
        let start = text.get(..name.span.start).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
        let end = text
            .get(value.span.end..)
            .and_then(|after| after.find('\n'))
            .map_or(text.len(), |end| value.span.end + end + 1);
        text.replace_range(start..end, "");
        return;
    }
    let is_empty = value.span.start == value.span.end;
    let word = if is_empty { format!(" {}", visibility.as_str()) } else { visibility.as_str().to_owned() };
    text.replace_range(span(value.span), &word);
}

/// Adds an entry behind the last one, with the indentation of the first.
fn add_entry(text: &mut String, pairs: &[(Node, Node)], entry: &str, line_end: &str) {
    let (Some((first, _)), Some((_, last))) = (pairs.first(), pairs.last()) else { return };
    let before = text.get(..first.span.start).unwrap_or_default();
    let indent = before.rsplit_once('\n').map_or(before, |(_, indent)| indent).to_owned();
    add_line(text, last.span.end, &format!("{indent}{entry}"), line_end);
}

/// Adds lines behind the line of this byte.
fn add_line(text: &mut String, at: usize, lines: &str, line_end: &str) {
    let rest = text.get(at..).and_then(|rest| rest.find('\n'));
    match rest {
        Some(end) => text.insert_str(at + end + 1, &format!("{lines}{line_end}")),
        None if text.is_empty() || text.ends_with('\n') => text.push_str(&format!("{lines}{line_end}")),
        None => text.push_str(&format!("{line_end}{lines}{line_end}")),
    }
}

fn span(span: Span) -> std::ops::Range<usize> {
    span.start..span.end
}

/// Whether the new text gives the skill this visibility, and says the same as the old one otherwise. The error says why
/// the old text is no file of choices.
fn is_changed_alone(
    world: &World<'_>,
    file: &FsPath,
    store: Store,
    (old, new): (&str, &str),
    key: &str,
    visibility: Visibility,
) -> Result<bool, String> {
    let read = |text: &str| {
        let (mut choices, mut findings) = (Choices::default(), Vec::new());
        let source = Source::new(text);
        let (choices_read, findings) = (&mut choices, &mut findings);
        Reader { world, file, source: &source, store, choices: choices_read, findings }
            .read()
            .map_err(|(_, reason)| reason)?;
        Ok::<_, String>(choices)
    };
    let (old, Ok(new)) = (read(old)?, read(new)) else { return Ok(false) };
    let others = |choices: &Choices| {
        let other = choices.skills.iter().filter(|choice| choice.pattern != key);
        other.map(|choice| (choice.pattern.clone(), choice.visibility)).collect::<Vec<_>>()
    };
    Ok(others(&old) == others(&new)
        && (&old.dialect, &old.roots) == (&new.dialect, &new.roots)
        && new.of(key, store).is_some_and(|choice| choice.pattern == key && choice.visibility == visibility))
}
