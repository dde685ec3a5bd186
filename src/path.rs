//! In: text. Out: [`FsPath`], the only path type of the engine: absolute, `/`, UTF-8, without `.` and `..`.
//! A path made here cannot climb: `child` takes one name, `join` never rises above where it starts.
//! Absent: any look at a disk. `Fs::spell` and `Fs::parse` are the two crossings to the host's spelling.

use crate::text::escape::visible;
use std::fmt;

/// An absolute path inside a file system: `/` between names, UTF-8, no `.`, no `..`, no empty name.
///
/// Order is byte order of the text.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FsPath(String);

/// Why a text is no [`FsPath`], or no name below one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The text does not begin with `/`.
    #[error("expected an absolute path, got `{0}`")]
    NotAbsolute(String),
    /// The text has more `..` than folders to leave.
    #[error("expected a path without `..` that leads out, got `{0}`")]
    Climbs(String),
    /// One name was wanted: not empty, not `.` or `..`, without `/` and NUL.
    #[error("expected one name, got `{0}`")]
    NotAName(String),
    /// The text holds a NUL.
    #[error("expected a path without NUL")]
    Nul,
}

impl FsPath {
    /// The root, `/`.
    ///
    /// ```
    /// assert_eq!(skilltree::FsPath::root().as_str(), "/");
    /// ```
    pub fn root() -> FsPath {
        FsPath("/".to_owned())
    }

    /// Reads an absolute path. Empty names and `.` are dropped, `..` is resolved by text alone.
    ///
    /// ```
    /// use skilltree::FsPath;
    /// assert_eq!(FsPath::new("/a//b/./c/../d").unwrap().as_str(), "/a/b/d");
    /// assert!(FsPath::new("a").is_err());
    /// assert!(FsPath::new("/..").is_err());
    /// ```
    ///
    /// # Errors
    /// [`PathError`] for a relative text, one that climbs above `/`, or one with a NUL.
    pub fn new(text: &str) -> Result<FsPath, PathError> {
        match text.strip_prefix('/') {
            None => Err(PathError::NotAbsolute(text.to_owned())),
            Some(rest) => FsPath::root().join(rest),
        }
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The child of this name.
    ///
    /// ```
    /// use skilltree::FsPath;
    /// assert_eq!(FsPath::root().child("a").unwrap().as_str(), "/a");
    /// assert!(FsPath::root().child("..").is_err());
    /// assert!(FsPath::root().child("a/b").is_err());
    /// ```
    ///
    /// # Errors
    /// [`PathError::NotAName`] unless `name` is one name.
    pub fn child(&self, name: &str) -> Result<FsPath, PathError> {
        // Without an early way out, this looks at many bytes at once.
        let parts = name.bytes().fold(false, |found, byte| found | (byte == b'/') | (byte == b'\0'));
        if parts || matches!(name, "" | "." | "..") {
            return Err(PathError::NotAName(name.to_owned()));
        }
        let mut text = String::with_capacity(self.0.len() + 1 + name.len());
        if self.0.len() > 1 {
            text.push_str(&self.0);
        }
        text.push('/');
        text.push_str(name);
        Ok(FsPath(text))
    }

    /// The same place in a tree whose root is `root`: `/a/b` is `/b` in `/a`. None if it is not within `root`.
    pub(crate) fn strip_root(&self, root: &FsPath) -> Option<FsPath> {
        self.below(root).map(|rest| FsPath(format!("/{rest}")))
    }

    /// The path in a larger tree, in which this tree's root is at `root`: `/b` at `/a` is `/a/b`.
    pub(crate) fn mounted_at(&self, root: &FsPath) -> FsPath {
        match (self.0.as_str(), root.0.as_str()) {
            ("/", _) => root.clone(),
            (_, "/") => self.clone(),
            (rest, root) => FsPath(format!("{root}{rest}")),
        }
    }

    /// A relative path below this one. `..` may leave names that `rel` itself entered, never more.
    ///
    /// ```
    /// use skilltree::FsPath;
    /// let dir = FsPath::new("/skills/pdf").unwrap();
    /// assert_eq!(dir.join("scripts/../run.sh").unwrap().as_str(), "/skills/pdf/run.sh");
    /// assert!(dir.join("../other").is_err());
    /// ```
    ///
    /// # Errors
    /// [`PathError::Climbs`] when `rel` would leave this path, [`PathError::NotAbsolute`] never.
    pub fn join(&self, rel: &str) -> Result<FsPath, PathError> {
        let mut names: Vec<&str> = Vec::new();
        for name in rel.split('/') {
            match name {
                "" | "." => {}
                ".." => {
                    if names.pop().is_none() {
                        return Err(PathError::Climbs(rel.to_owned()));
                    }
                }
                name if name.contains('\0') => return Err(PathError::Nul),
                name => names.push(name),
            }
        }
        let mut text = if self.0.len() > 1 { self.0.clone() } else { String::new() };
        for name in names {
            text.push('/');
            text.push_str(name);
        }
        if text.is_empty() {
            text.push('/');
        }
        Ok(FsPath(text))
    }

    /// The folder that holds this path; none for the root.
    pub fn parent(&self) -> Option<FsPath> {
        let (head, _) = self.0.rsplit_once('/').filter(|_| self.0.len() > 1)?;
        Some(FsPath(if head.is_empty() { "/".to_owned() } else { head.to_owned() }))
    }

    /// The last name; empty for the root.
    pub fn name(&self) -> &str {
        after_last_slash(&self.0)
    }

    /// The name of the folder that holds this path; empty where that is the root, or there is none.
    pub(crate) fn folder(&self) -> &str {
        let dir = self.0.len().saturating_sub(self.name().len() + 1);
        after_last_slash(self.0.get(..dir).unwrap_or(""))
    }

    /// Whether this path is `root` or lies below it.
    ///
    /// ```
    /// use skilltree::FsPath;
    /// let a = FsPath::new("/a").unwrap();
    /// assert!(FsPath::new("/a/b").unwrap().is_within(&a));
    /// assert!(!FsPath::new("/ab").unwrap().is_within(&a));
    /// ```
    pub fn is_within(&self, root: &FsPath) -> bool {
        self.below(root).is_some()
    }

    /// What stands after `root`, without a leading `/`: empty for `root` itself, none outside of it.
    pub fn below(&self, root: &FsPath) -> Option<&str> {
        if root.0.len() == 1 {
            return Some(&self.0[1..]);
        }
        let rest = self.0.strip_prefix(root.0.as_str())?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
    }

    /// How many names the path has: 0 for the root.
    pub fn depth(&self) -> usize {
        if self.0.len() == 1 { 0 } else { self.0.matches('/').count() }
    }
}

/// Names are short, so it is looked for byte by byte.
fn after_last_slash(text: &str) -> &str {
    let slash = text.bytes().rposition(|byte| byte == b'/');
    slash.and_then(|at| text.get(at + 1..)).unwrap_or(text)
}

impl fmt::Debug for FsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// As messages show it, on one line: what is invisible or ends a line is written by [`visible`]. The exact path is
/// [`FsPath::as_str`].
impl fmt::Display for FsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&visible(&self.0))
    }
}
