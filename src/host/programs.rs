//! Finds programs in PATH.

use super::dir_handle::mode_at;
use super::folders_of;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The folders of a PATH, in which programs are looked up.
///
/// ```
/// let programs = skilltree::host::Programs::new("".as_ref());
/// assert!(programs.find("sh").is_none());
/// ```
#[derive(Clone, Debug)]
pub struct Programs {
    dirs: Vec<PathBuf>,
    /// The extensions of program files: none, and on Windows also those of PATHEXT.
    extensions: Vec<OsString>,
}

impl Programs {
    /// The programs in the folders of `path`, which has the form of PATH. Relative folders are ignored, as they would name
    /// programs of the working directory, which may be an untrusted project.
    pub fn new(path: &OsStr) -> Programs {
        Programs { dirs: folders_of(path), extensions: extensions() }
    }

    /// The programs in the PATH of the environment. There are none if PATH is not set.
    pub fn of_environment() -> Programs {
        Programs::new(&std::env::var_os("PATH").unwrap_or_default())
    }

    /// The file of a program. A name with a separator is not looked up: it must be an absolute path.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        if name.contains(['/', std::path::MAIN_SEPARATOR]) {
            return Some(Path::new(name)).filter(|path| path.is_absolute()).and_then(|path| self.program_at(path));
        }
        if name.is_empty() {
            return None;
        }
        self.dirs.iter().find_map(|dir| self.program_at(&dir.join(name)))
    }

    /// The program at this path, possibly with one of the extensions.
    fn program_at(&self, path: &Path) -> Option<PathBuf> {
        let with = |extension: &OsString| {
            let mut file = path.as_os_str().to_owned();
            file.push(extension);
            PathBuf::from(file)
        };
        self.extensions.iter().map(with).find(|file| is_program(file))
    }
}

fn extensions() -> Vec<OsString> {
    let mut extensions = vec![OsString::new()];
    if cfg!(windows) {
        // The default of Windows.
        let listed = std::env::var_os("PATHEXT").unwrap_or_else(|| OsString::from(".COM;.EXE;.BAT;.CMD"));
        let listed = listed.to_string_lossy();
        extensions.extend(listed.split(';').filter(|extension| !extension.is_empty()).map(OsString::from));
    }
    extensions
}

fn is_program(file: &Path) -> bool {
    let is_marked = || match mode_at(file) {
        Ok(Some(mode)) => mode & 0o111 != 0,
        Ok(None) | Err(_) => file.extension().is_some(),
    };
    file.is_file() && is_marked()
}
