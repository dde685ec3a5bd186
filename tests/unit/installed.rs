use super::version;
use pretty_assertions::assert_eq;
use skilltree::host::Programs;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// A folder of this test, which is new.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("skilltree-installed-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::canonicalize(folder).unwrap()
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The version of the program `tea` of the package `@pots/tea-pot` in the folder `bin`.
fn found(folder: &Path) -> Option<String> {
    version(&Programs::new(folder.join("bin").as_os_str()), "tea", "@pots/tea-pot")
}

#[test]
fn a_package_of_npm() {
    let folder = folder("npm");
    let package = folder.join("lib/node_modules/@pots/tea-pot");
    write(&package.join("dist/tea.js"), "");
    write(&package.join("dist/package.json"), r#"{"type": "module"}"#);
    write(&package.join("package.json"), r#"{"name": "@pots/tea-pot", "version": "1.2.3"}"#);
    fs::create_dir(folder.join("bin")).unwrap();
    symlink(package.join("dist/tea.js"), folder.join("bin/tea")).unwrap();
    assert_eq!(found(&folder).as_deref(), Some("1.2.3"));
    write(&package.join("package.json"), r#"{"name": "another", "version": "1.2.3"}"#);
    assert_eq!(found(&folder), None);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_package_of_python() {
    let folder = folder("python");
    write(&folder.join("bin/tea"), "");
    fs::create_dir_all(folder.join("lib/python3.12/site-packages/@pots/tea_pot-4.5.6.dist-info")).unwrap();
    assert_eq!(found(&folder), None);
    let programs = Programs::new(folder.join("bin").as_os_str());
    fs::create_dir_all(folder.join("lib/python3.12/site-packages/tea_pot-4.5.6.dist-info")).unwrap();
    assert_eq!(version(&programs, "tea", "tea-pot").as_deref(), Some("4.5.6"));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_folder_of_the_version() {
    let folder = folder("vendor");
    write(&folder.join("share/tea/versions/7.8.9"), "");
    fs::create_dir(folder.join("bin")).unwrap();
    symlink(folder.join("share/tea/versions/7.8.9"), folder.join("bin/tea")).unwrap();
    assert_eq!(found(&folder).as_deref(), Some("7.8.9"));
    assert_eq!(version(&Programs::new(folder.join("bin").as_os_str()), "coffee", "x"), None);
    fs::remove_dir_all(folder).unwrap();
}
