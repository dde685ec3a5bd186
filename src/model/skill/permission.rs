//! The permissions that a skill may ask for besides tools, and the tags that name them.

use crate::path::FsPath;

/// What a fork may be allowed to do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Permission {
    /// Use the network.
    Network,
    /// Use the agent's events.
    Events,
    /// Read below a path, as written.
    Read(String),
    /// Write below a path, as written.
    Write(String),
    /// What a tag of the host's own stands for, as written: `@workspace`. Only the same tag includes it.
    Other(String),
}

impl Permission {
    /// Whether this permission includes `other`: the same one, or one for a path below its own. Permission to write
    /// below a path includes permission to read there. Paths are compared as texts: the host has to resolve symlinks.
    ///
    /// ```
    /// use skilltree::Permission;
    /// let held = Permission::parse("@write:/data").unwrap();
    /// assert!(held.covers(&Permission::parse("@read:/data/notes").unwrap()));
    /// assert!(!held.covers(&Permission::parse("@write:/data/../etc").unwrap()));
    /// ```
    pub fn covers(&self, other: &Permission) -> bool {
        let (root, path) = match (self, other) {
            (held, asked) if held == asked => return true,
            (Permission::Read(root) | Permission::Write(root), Permission::Read(path)) => (root, path),
            (Permission::Write(root), Permission::Write(path)) => (root, path),
            _ => return false,
        };
        match (FsPath::new(root), FsPath::new(path)) {
            (Ok(root), Ok(path)) => path.starts_with(&root),
            _ => false,
        }
    }

    /// Its tag, which [`Permission::parse`] reads.
    pub fn tag(&self) -> String {
        match self {
            Permission::Network => "@network".to_owned(),
            Permission::Events => "@events".to_owned(),
            Permission::Read(path) => format!("@read:{path}"),
            Permission::Write(path) => format!("@write:{path}"),
            Permission::Other(tag) => tag.clone(),
        }
    }

    /// The permission that a tag names: `@network`, `@events`, `@read:PATH`, `@write:PATH`, or any other that begins with
    /// `@`. `None` for what is no tag, and for `@read` and `@write` without a path.
    ///
    /// ```
    /// use skilltree::Permission;
    /// assert_eq!(Permission::parse("@workspace"), Some(Permission::Other("@workspace".to_owned())));
    /// assert_eq!(Permission::parse("workspace"), None);
    /// ```
    pub fn parse(tag: &str) -> Option<Permission> {
        let tag = tag.trim();
        let (kind, path) = tag.split_once(':').map_or((tag, None), |(kind, path)| (kind, Some(path.trim())));
        match (kind, path) {
            ("@network", None) => Some(Permission::Network),
            ("@events", None) => Some(Permission::Events),
            ("@read" | "@write", None | Some("")) => None,
            ("@read", Some(path)) => Some(Permission::Read(path.to_owned())),
            ("@write", Some(path)) => Some(Permission::Write(path.to_owned())),
            _ => (kind.len() > 1 && kind.starts_with('@')).then(|| Permission::Other(tag.to_owned())),
        }
    }
}
