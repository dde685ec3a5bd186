//! The tree of the suite on the real disk.

use super::{Defaults, keeps};
use skilltree::fs::contract::{Holds, Item};
use skilltree::fs::{CachedFs, OverlayFs};
use skilltree::{FsPath, OsFs};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// A folder of its own, taken away at the end.
struct TempDir(PathBuf);

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = fs::set_permissions(self.0.join("shut/dir"), fs::Permissions::from_mode(0o755));
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Linux alone takes names that are not UTF-8 everywhere; the superuser may read what is closed.
fn holds(dir: &Path) -> Holds {
    let probe = dir.join("probe");
    fs::write(&probe, "").unwrap();
    fs::set_permissions(&probe, fs::Permissions::from_mode(0o000)).unwrap();
    let closed = fs::read(&probe).is_err();
    fs::remove_file(probe).unwrap();
    Holds { closed, lossy: cfg!(target_os = "linux"), ..Holds::ALL }
}

fn on_disk() -> (TempDir, Holds) {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("contract-{}", std::process::id()));
    fs::create_dir_all(&dir).unwrap();
    let dir = TempDir(dir);
    let holds = holds(&dir.0);
    let host = |path: &str| dir.0.join(path.trim_start_matches('/'));
    for (path, item) in holds.tree() {
        let at = host(path);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        match item {
            Item::File(text) => fs::write(at, text).unwrap(),
            Item::Long(len) => fs::write(at, vec![0; len]).unwrap(),
            Item::Dir => fs::create_dir_all(at).unwrap(),
            Item::Link(target) if target.starts_with('/') => symlink(host(target), at).unwrap(),
            Item::Link(target) => symlink(target, at).unwrap(),
            Item::Special => assert!(std::process::Command::new("mkfifo").arg(at).status().unwrap().success()),
            Item::Closed => fs::set_permissions(at, fs::Permissions::from_mode(0o000)).unwrap(),
            Item::Lossy => {
                let bytes = path.trim_start_matches('/').split('\u{FFFD}').map(str::as_bytes).collect::<Vec<_>>();
                fs::write(dir.0.join(OsStr::from_bytes(&bytes.join(&0xff_u8))), "").unwrap();
            }
        }
    }
    (dir, holds)
}

#[test]
fn the_disk_keeps_it() {
    let (dir, holds) = on_disk();
    let rooted = || OsFs::rooted(&dir.0);
    keeps("disk", &rooted(), "/", holds);
    keeps("disk by the defaults", &Defaults(rooted()), "/", holds);
    let (disk, machine) = (rooted(), OsFs::new());
    let cached = CachedFs::new(&disk);
    keeps("a cache of the disk", &cached, "/", holds);
    keeps("a cache of the disk that knows all", &cached, "/", holds);
    keeps("disk as a layer", &OverlayFs::new().layer(rooted()).layer(skilltree::MemFs::new()), "/", holds);
    let at = FsPath::new("/x/y").unwrap();
    keeps("disk at a place", &OverlayFs::new().layer(OsFs::new()).mount(at, rooted()), "/x/y", holds);
    let real = dir.0.canonicalize().unwrap();
    keeps("the whole machine", &machine, real.to_str().unwrap(), holds);
    keeps("a cache of the whole machine", &CachedFs::new(&machine), real.to_str().unwrap(), holds);
}
