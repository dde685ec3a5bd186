//! The frontmatters of plain files, each parsed once for all dialects that read files as their clients do.

use crate::fs::locked;
use crate::path::FsPath;
use crate::text::lines::{Source, decode_utf8};
use crate::text::yaml::{self, Node, Value};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

/// What several discoveries of the same files by different dialects share: the frontmatters, each parsed once.
///
/// It holds only those that all dialects split and parse alike, by the paths of their files: valid YAML without repeated
/// keys, aliases, merge keys, line ends of YAML 1.1 and a block scalar at the end, between two plain `---` lines that are the only
/// dashes of that kind. Most are. All others are parsed
/// for each dialect by its own rules. A file whose frontmatter has changed is parsed again.
///
/// ```
/// use skilltree::model::{ParsedFrontmatters, Reading};
/// use skilltree::{FsPath, MemFs, Places, World, dialect, discover};
/// let mut fs = MemFs::new();
/// fs.file("/s/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\n");
/// let places = Places { roots: vec![FsPath::new("/s").unwrap()], ..Places::default() };
/// let parsed = ParsedFrontmatters::default();
/// for name in ["claude", "agentskills"] {
///     let world = World::new(&fs, &places, &()).with_reading(Some(Reading::Faithful)).with_parsed(&parsed);
///     let catalog = discover(&world, &dialect(name).unwrap());
///     assert_eq!(catalog.skills()[0].description(), "Makes tea.");
/// }
/// ```
#[derive(Default)]
pub struct ParsedFrontmatters {
    /// `None` for a file that each dialect has to parse.
    by_path: Mutex<HashMap<FsPath, Option<Arc<ParsedFrontmatter>>>>,
}

/// A frontmatter that all dialects split and parse alike.
pub(crate) struct ParsedFrontmatter {
    /// The text from the opening to the closing fence.
    pub(crate) text: String,
    /// The fields. Their spans are bytes of the text after the opening fence.
    pub(crate) map: Vec<(Node, Node)>,
}

impl ParsedFrontmatter {
    pub(crate) const FENCE: &str = "---\n";
}

impl ParsedFrontmatters {
    /// The frontmatter of a plain file, which is this text with its fences, if all dialects parse it alike.
    pub(crate) fn get(&self, path: &FsPath, plain: &[u8]) -> Option<Arc<ParsedFrontmatter>> {
        let known = locked(&self.by_path).get(path).cloned();
        let is_current = |known: &ParsedFrontmatter| plain == known.text.as_bytes();
        if let Some(known) = known.filter(|known| known.as_deref().is_none_or(is_current)) {
            return known;
        }
        let parsed = parse(plain).map(Arc::new);
        locked(&self.by_path).insert(path.clone(), parsed.clone());
        parsed
    }
}

impl fmt::Debug for ParsedFrontmatters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParsedFrontmatters").finish_non_exhaustive()
    }
}

/// Parses the frontmatter of a plain file; `None` unless all dialects split and parse it alike.
fn parse(plain: &[u8]) -> Option<ParsedFrontmatter> {
    let text = std::str::from_utf8(plain).ok()?;
    let yaml = text.strip_prefix(ParsedFrontmatter::FENCE)?.strip_suffix(ParsedFrontmatter::FENCE)?;
    // Some clients take other lines with dashes, or dashes within a line, for a fence.
    let is_unchanged = decode_utf8(text.as_bytes(), false).is_ok_and(|decoded| Source::new(decoded).text() == text);
    let is_usual = !yaml.contains("<<") && !yaml.contains(['\u{85}', '\u{2028}', '\u{2029}']);
    if yaml.contains("---") || !is_usual || !is_unchanged {
        return None;
    }
    let document = yaml::parse(yaml).ok()?;
    match document.root?.value {
        // Some clients take the line feed before the fence for a part of it, which counts where a block scalar ends there.
        Value::Map(map) if map.last().is_some_and(|(_, last)| last.style.is_block_scalar()) => None,
        Value::Map(mut map) if document.notices.is_empty() => {
            map.shrink_to_fit();
            Some(ParsedFrontmatter { text: text.to_owned(), map })
        }
        _ => None,
    }
}
