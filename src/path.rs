//! [`FsPath`], the only path type of the engine. It is text; nothing here touches a disk. `Fs::display` and `Fs::parse`
//! convert between it and the paths of the host.

use crate::text::escape::visible;
use std::fmt;

/// An absolute path in a file system: UTF-8, with `/` between names, and without `.`, `..` and empty names.
///
/// Paths are ordered by the bytes of their text.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FsPath(String);

/// Why a text is not an [`FsPath`], or not a name in one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The path does not begin with `/`.
    #[error("expected an absolute path, got `{0}`")]
    NotAbsolute(String),
    /// The path leads out of where it starts, by too many `..`.
    #[error("expected a path without `..` that leads out, got `{0}`")]
    Climbs(String),
    /// The text is not one name: it is empty, `.` or `..`, or contains `/` or NUL.
    #[error("expected one name, got `{0}`")]
    NotAName(String),
    /// The path contains NUL.
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

    /// Parses an absolute path. Empty names and `.` are removed, and `..` removes the name before it.
    ///
    /// ```
    /// use skilltree::FsPath;
    /// assert_eq!(FsPath::new("/a//b/./c/../d").unwrap().as_str(), "/a/b/d");
    /// assert!(FsPath::new("a").is_err());
    /// assert!(FsPath::new("/..").is_err());
    /// ```
    ///
    /// # Errors
    /// [`PathError`] for a relative path, one that leads out of `/`, or one with NUL.
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
        // The loop has no branch, so that the compiler can compare many bytes at once.
        let is_invalid = name.bytes().fold(false, |found, byte| found | (byte == b'/') | (byte == b'\0'));
        if is_invalid || matches!(name, "" | "." | "..") {
            return Err(PathError::NotAName(name.to_owned()));
        }
        Ok(self.appended(name))
    }

    /// The same place in a tree whose root is `root`: `/a/b` is `/b` in `/a`. None if it is not within `root`.
    pub(crate) fn strip_root(&self, root: &FsPath) -> Option<FsPath> {
        self.relative_to(root).map(|rest| FsPath(format!("/{rest}")))
    }

    /// The path in a larger tree, in which this tree's root is at `root`: `/b` at `/a` is `/a/b`.
    pub(crate) fn mounted_at(&self, root: &FsPath) -> FsPath {
        root.appended(&self.0[1..])
    }

    /// The path that `rel` leads to from this one. A `..` may only remove a name of `rel` itself.
    ///
    /// ```
    /// use skilltree::FsPath;
    /// let dir = FsPath::new("/skills/pdf").unwrap();
    /// assert_eq!(dir.join("scripts/../run.sh").unwrap().as_str(), "/skills/pdf/run.sh");
    /// assert!(dir.join("../other").is_err());
    /// ```
    ///
    /// # Errors
    /// [`PathError::Climbs`] if `rel` leads out of this path, [`PathError::Nul`] if it contains NUL.
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

    /// The path without its last name; `None` for the root.
    pub fn parent(&self) -> Option<FsPath> {
        let (head, _) = self.0.rsplit_once('/').filter(|_| self.0.len() > 1)?;
        Some(FsPath(if head.is_empty() { "/".to_owned() } else { head.to_owned() }))
    }

    /// The path, and each folder that it lies in, up to the root.
    pub(crate) fn ancestors(&self) -> impl Iterator<Item = FsPath> {
        std::iter::successors(Some(self.clone()), FsPath::parent)
    }

    /// The last name; empty for the root.
    pub fn name(&self) -> &str {
        after_last_slash(&self.0)
    }

    /// The name of the folder that contains this path; empty if that is the root, or there is none.
    pub(crate) fn folder(&self) -> &str {
        let (dir, _) = self.0.split_at(self.0.len() - self.name().len() - 1);
        after_last_slash(dir)
    }

    /// Whether this path is `root` or below it.
    ///
    /// ```
    /// use skilltree::FsPath;
    /// let a = FsPath::new("/a").unwrap();
    /// assert!(FsPath::new("/a/b").unwrap().starts_with(&a));
    /// assert!(!FsPath::new("/ab").unwrap().starts_with(&a));
    /// ```
    pub fn starts_with(&self, root: &FsPath) -> bool {
        self.relative_to(root).is_some()
    }

    /// The relative path from `root` to this path: empty for `root` itself, `None` if this path is not below it.
    pub fn relative_to(&self, root: &FsPath) -> Option<&str> {
        if root.0.len() == 1 {
            return Some(&self.0[1..]);
        }
        let rest = self.0.strip_prefix(root.0.as_str())?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
    }

    /// The number of names in the path: 0 for the root.
    pub fn depth(&self) -> usize {
        if self.0.len() == 1 { 0 } else { self.0.matches('/').count() }
    }

    /// The folder that holds this path, as `dirname` gives it: the root is its own folder.
    pub(crate) fn dirname(&self) -> FsPath {
        self.parent().unwrap_or_else(FsPath::root)
    }

    /// The path that lies below `to` as this one lies below `from`; `None` unless this path is `from` or lies below it.
    pub(crate) fn rebased(&self, from: &FsPath, to: &FsPath) -> Option<FsPath> {
        self.relative_to(from).map(|rest| to.appended(rest))
    }

    /// The last name of this path in the folder `dir`.
    pub(crate) fn moved_to(&self, dir: &FsPath) -> FsPath {
        dir.appended(self.name())
    }

    /// A text that sorts before every path below this one, and after every other path that sorts before these.
    pub(crate) fn before_all_below(&self) -> FsPath {
        self.appended("\u{1}")
    }

    /// A text that sorts after every path below this one, and before every other path that sorts after these.
    pub(crate) fn after_all_below(&self) -> FsPath {
        // `0` is the next character after `/`.
        FsPath(format!("{}0", self.0))
    }

    /// Appends `names`, which are the end of another path and so need no check.
    pub(crate) fn appended(&self, names: &str) -> FsPath {
        if names.is_empty() {
            return self.clone();
        }
        let mut text = String::with_capacity(self.0.len() + 1 + names.len());
        if self.0.len() > 1 {
            text.push_str(&self.0);
        }
        text.push('/');
        text.push_str(names);
        FsPath(text)
    }
}

/// The text behind the last `/`, or the whole text. Names are so short that comparing byte by byte is the fastest.
fn after_last_slash(text: &str) -> &str {
    match text.bytes().rposition(|byte| byte == b'/') {
        Some(slash) => &text[slash + 1..],
        None => text,
    }
}

impl fmt::Debug for FsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// Writes the path for messages, on one line, with invisible characters and line ends escaped by [`visible`]. The exact
/// path is [`FsPath::as_str`].
impl fmt::Display for FsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&visible(&self.0))
    }
}

#[cfg(test)]
#[path = "../tests/unit/path.rs"]
mod tests;
