//! Where skills are searched on this machine.

use crate::dialect::Dialect;
use crate::discovery::world::Places;
use crate::fs::{Fs, OsFs};
use crate::path::FsPath;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::Path;

impl Places {
    /// The places on this machine: the project, which is the working directory if its path is `.`; the home directory that the
    /// environment names; and the first of the dialect's managed folders that is there.
    ///
    /// ```
    /// use skilltree::{OsFs, Places, World, dialect, discover};
    /// # fn main() -> std::io::Result<()> {
    /// let dialect = dialect("claude").unwrap();
    /// let (fs, places) = (OsFs::new(), Places::from_env(&dialect, ".")?);
    /// let catalog = discover(&World::new(&fs, &places, &()), &dialect);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] for an empty path, [`ErrorKind::InvalidData`] for a path that is not UTF-8, and those of
    /// reading the working directory, which a relative path needs.
    pub fn from_env(dialect: &Dialect, project: impl AsRef<Path>) -> io::Result<Places> {
        let fs = OsFs::new();
        let project = parsed(&fs, &std::path::absolute(project)?)?;
        let home = Places::home_from_env().map(|home| parsed(&fs, Path::new(&home))).transpose()?;
        Ok(Places { project: Some(project), home, managed: dialect.managed_folder(&fs), ..Places::default() })
    }

    /// The home directory in the environment: `HOME`, or `USERPROFILE` on Windows. `None` if the variable is not set or empty.
    pub fn home_from_env() -> Option<OsString> {
        let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        std::env::var_os(name).filter(|home| !home.is_empty())
    }
}

fn parsed(fs: &OsFs, path: &Path) -> io::Result<FsPath> {
    let parsed = path.to_str().and_then(|text| fs.parse(text, &FsPath::root()));
    parsed.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, format!("`{}` is not a valid path", path.display())))
}
