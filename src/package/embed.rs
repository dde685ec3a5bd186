//! The skills of a folder as the source of a table for [`EmbeddedFs`](crate::fs::EmbeddedFs), so that a program ships
//! them inside its own executable. A `build.rs` calls [`EmbeddedFs::table`](crate::fs::EmbeddedFs::table), and writes what it returns.

use crate::fs::{Fs, FsError, OsFs};
use crate::model::error::Error;
use crate::package::facts::left_out;
use crate::package::files::{Folder, Purpose};
use crate::path::FsPath;
use std::fmt::Write;
use std::path::Path;

impl crate::fs::EmbeddedFs {
    /// A Rust expression: the table of all files in a folder, by `include_bytes!` and absolute path.
    ///
    /// In byte order of names. `.git`, `node_modules` and the like are left out; symlinks that stay inside are followed.
    /// A relative path begins at the working directory, which for a `build.rs` is its package's folder.
    ///
    /// ```no_run
    /// // build.rs, with `skilltree` among the `[build-dependencies]`
    /// fn main() -> Result<(), Box<dyn std::error::Error>> {
    ///     println!("cargo::rerun-if-changed=skills");
    ///     let file = std::path::Path::new(&std::env::var("OUT_DIR")?).join("skills.rs");
    ///     Ok(std::fs::write(file, skilltree::fs::EmbeddedFs::table("skills")?)?)
    /// }
    /// ```
    ///
    /// In the program, with `skilltree` among the `[dependencies]`:
    ///
    /// ```ignore
    /// use skilltree::fs::EmbeddedFs;
    /// static SKILLS: EmbeddedFs = EmbeddedFs::new("/bundled", include!(concat!(env!("OUT_DIR"), "/skills.rs")));
    /// ```
    ///
    /// # Errors
    /// [`Error::NotPacked`] for what cannot be embedded: a symlink that leads out of the folder, that is broken, or that leads to
    /// a folder that contains it, a FIFO, a name that is not UTF-8. [`Error::TooMuch`] over 10 000 files and folders, or 32 folders in one another.
    /// [`Error::Fs`] for what cannot be read.
    pub fn table(dir: impl AsRef<Path>) -> Result<String, Error> {
        let disk = OsFs::new();
        let dir = named(&disk, dir.as_ref())?;
        let package = Folder::of_directory(&disk, &dir, Purpose::Archive)?.list().complete()?;
        if let Some(finding) = left_out(&package).first() {
            return Err(Error::NotPacked { path: finding.path.clone(), reason: finding.message.clone() });
        }
        let mut table = "&[\n".to_owned();
        for file in &package.files {
            // What is not written here is not missed: a `String` takes all.
            let _ = writeln!(table, "    ({:?}, include_bytes!({:?}) as &[u8]),", file.name, disk.display(&file.path));
        }
        table.push_str("]\n");
        Ok(table)
    }
}

fn named(disk: &OsFs, dir: &Path) -> Result<FsPath, Error> {
    let unnamed = |why: &str| FsError::Other { path: FsPath::root(), message: format!("`{}` {why}", dir.display()) };
    let whole = std::path::absolute(dir).map_err(|error| unnamed(&format!("is no path: {error}")))?;
    let path = whole.to_str().and_then(|text| disk.parse(text, &FsPath::root()));
    Ok(path.ok_or_else(|| unnamed("is no path in UTF-8"))?)
}
