//! In: a program's name. Out: the file that the machine would run for it. Absent: running it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Where programs are looked up: the folders of a PATH.
///
/// ```
/// let programs = skilltree::host::Programs::new("".as_ref());
/// assert!(programs.find("sh").is_none());
/// ```
#[derive(Clone, Debug)]
pub struct Programs {
    dirs: Vec<PathBuf>,
    /// What a program's file may end in: nothing, and on Windows also what PATHEXT lists.
    endings: Vec<OsString>,
}

impl Programs {
    /// Programs in these folders, as a PATH lists them. Those that are relative do not count: what they name would
    /// depend on the working directory, which may be a project's.
    pub fn new(path: &OsStr) -> Programs {
        let dirs = std::env::split_paths(path).filter(|dir| dir.is_absolute());
        Programs { dirs: dirs.collect(), endings: endings() }
    }

    /// Programs in the PATH of the environment.
    pub fn of_environment() -> Programs {
        Programs::new(&std::env::var_os("PATH").unwrap_or_default())
    }

    /// The file of a program; a name with a separator counts if it is an absolute path, and is not looked up.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        if name.contains(['/', std::path::MAIN_SEPARATOR]) {
            return Some(Path::new(name)).filter(|path| path.is_absolute()).and_then(|path| self.runs(path));
        }
        if name.is_empty() {
            return None;
        }
        self.dirs.iter().find_map(|dir| self.runs(&dir.join(name)))
    }

    fn runs(&self, path: &Path) -> Option<PathBuf> {
        let with = |ending: &OsString| {
            let mut file = path.as_os_str().to_owned();
            file.push(ending);
            PathBuf::from(file)
        };
        self.endings.iter().map(with).find(|file| is_program(file))
    }
}

fn endings() -> Vec<OsString> {
    let mut endings = vec![OsString::new()];
    if cfg!(windows) {
        let listed = std::env::var_os("PATHEXT").unwrap_or_else(|| OsString::from(".COM;.EXE;.BAT;.CMD"));
        endings.extend(listed.to_string_lossy().split(';').filter(|ending| !ending.is_empty()).map(OsString::from));
    }
    endings
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.extension().is_some() && std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file())
}
