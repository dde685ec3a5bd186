//! Where the parts of a SKILL.md are, for editors: [`Outline::of`] finds its fields and its body, and
//! [`Outline::references`] the files that it refers to.

use crate::dialect::{Dialect, FieldRole};
use crate::discovery::extras::Extras;
use crate::discovery::manifest::{DiagnosticSink, Front, FrontmatterOutcome, front, items};
use crate::discovery::world::World;
use crate::explain::check::{Trusted, containment};
use crate::fs::{FileKind, Fs};
use crate::model::skill::ContainedFs;
use crate::package::inventory::files_of;
use crate::path::FsPath;
use crate::text::lines::{Position, Source};
use crate::text::markdown;
use crate::text::yaml::{Node, Span, Value, written_string};
use std::borrow::Cow;
use std::ops::Range;

/// The parts of a SKILL.md.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outline {
    /// The fields of the frontmatter, in the order of the file. Those of a map follow the map.
    pub fields: Vec<OutlineField>,
    /// Where the body begins; `None` if the frontmatter is not closed.
    pub body: Option<Position>,
}

/// A field of a frontmatter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutlineField {
    /// Its key; `sven.always` for the key `always` of the map `sven`.
    pub path: String,
    /// What it means; `None` if the dialect does not know it.
    pub role: Option<FieldRole>,
    /// The place of the key.
    pub key: (Position, Position),
    /// The place of the value; from and to the same position if there is none.
    pub value: (Position, Position),
    /// The value, if it is one text.
    pub text: Option<String>,
    /// The items of a list of files, each with its place.
    pub files: Vec<(String, (Position, Position))>,
}

impl Outline {
    /// The lines of a text that are not fenced code, each with the place of its first byte.
    ///
    /// ```
    /// use skilltree::author::Outline;
    /// let lines: Vec<(usize, &str)> = Outline::prose("# Tea\n```\n# code\n```\nBoil.\n").collect();
    /// assert_eq!(lines, [(0, "# Tea"), (21, "Boil.")]);
    /// ```
    pub fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
        markdown::prose(text)
    }

    /// The parts of a Markdown text that may name a file, by their places in bytes: the targets of links and images, and the
    /// code spans.
    ///
    /// ```
    /// use skilltree::author::Outline;
    /// let text = "Read [the guide](guide.md).\n";
    /// assert_eq!(Outline::mentions(text).map(|range| &text[range]).collect::<Vec<_>>(), ["guide.md"]);
    /// ```
    pub fn mentions(text: &str) -> impl Iterator<Item = Range<usize>> {
        markdown::references(text).into_iter().map(|reference| reference.range)
    }

    /// Finds the parts of a SKILL.md. Frontmatter that is not valid YAML is read as far as it can be repaired.
    ///
    /// ```
    /// use skilltree::author::Outline;
    /// use skilltree::{FsPath, dialect};
    /// let path = FsPath::new("/tea/SKILL.md").unwrap();
    /// let outline = Outline::of(&dialect("agentskills").unwrap(), &path, "---\nname: tea\n---\n# Tea\n");
    /// assert_eq!((outline.fields[0].path.as_str(), outline.fields[0].text.as_deref()), ("name", Some("tea")));
    /// assert_eq!(outline.body.unwrap().line, 4);
    /// ```
    pub fn of(dialect: &Dialect, path: &FsPath, text: &str) -> Outline {
        let source = Source::new(text);
        let mut sink = DiagnosticSink::new(path, &source);
        let Some(Front { outcome, body }) = front(Extras::FULL, dialect, &mut sink, false) else {
            return Outline::default();
        };
        let map = match outcome {
            FrontmatterOutcome::Map(map) => map,
            FrontmatterOutcome::Missing(_) => Vec::new(),
            FrontmatterOutcome::Lost(_) if body.is_empty() => return Outline::default(),
            FrontmatterOutcome::Lost(_) => Vec::new(),
        };
        let place = |span: Span| (source.position(span.start), source.position(span.end.max(span.start)));
        let field = |path: String, key: &Node, value: &Node| OutlineField {
            role: dialect.role_of(&path).cloned(),
            path,
            key: place(key.span),
            value: place(value.span),
            text: match &value.value {
                Value::Text(text) => Some(text.clone()),
                Value::List(_) | Value::Map(_) | Value::Absent => None,
            },
            files: Vec::new(),
        };
        let mut fields = Vec::new();
        for (key, value) in &map {
            let Value::Text(name) = &key.value else { continue };
            fields.push(field(name.clone(), key, value));
            let Value::Map(nested) = &value.value else { continue };
            for (key, value) in nested {
                let Value::Text(inner) = &key.value else { continue };
                fields.push(field(format!("{name}.{inner}"), key, value));
            }
        }
        for field in &mut fields {
            if let Some(role @ (FieldRole::Scripts | FieldRole::Toolsets)) = &field.role {
                let listed = items(Extras::FULL, dialect, path, text.as_bytes(), role).into_iter();
                field.files = listed.map(|item| item.into_place()).collect();
            }
        }
        Outline { fields, body: Some(source.position(body.start)) }
    }

    /// A text as the value of a field: without quotes if every reader of YAML takes that for this text.
    ///
    /// ```
    /// use skilltree::author::Outline;
    /// assert_eq!(["tea", "null"].map(Outline::written), ["tea", "\"null\""]);
    /// ```
    pub fn written(text: &str) -> Cow<'_, str> {
        written_string(text)
    }

    /// The files that relative paths in a SKILL.md lead to, in their order; `None` for what is no file. As with
    /// [`check`](crate::check), what comes with a project is not followed to anywhere outside of it.
    pub fn references(world: &World<'_>, dialect: &Dialect, path: &FsPath, asked: &[&str]) -> Vec<Option<FsPath>> {
        let dir = path.dirname();
        let containment = containment(world, path, dir.clone(), &Trusted::of(world, dialect));
        let files = ContainedFs::new(world.fs, containment.as_ref());
        let file = |reference: &&str| {
            let target = relative(&dir, reference)?;
            // Only what may be followed is looked at.
            files.canonical(&target).ok()?;
            files.metadata(&target).ok()?.filter(|metadata| metadata.kind == FileKind::File).map(|_| target)
        };
        asked.iter().map(file).collect()
    }

    /// The files that belong to the skill with this SKILL.md, as paths relative to its folder.
    pub fn files_beside(world: &World<'_>, path: &FsPath) -> Vec<String> {
        let dir = path.dirname();
        files_of(world, path).iter().filter_map(|file| file.relative_to(&dir).map(str::to_owned)).collect()
    }
}

/// The path that a relative path leads to, also by `..`; `None` for one that is not relative or leads out of the root.
fn relative(dir: &FsPath, reference: &str) -> Option<FsPath> {
    if reference.is_empty() || reference.starts_with('/') {
        return None;
    }
    FsPath::new(&format!("{}/{reference}", dir.as_str())).ok()
}
