//! The places of the user who runs the program. What the environment holds belongs to the tests' own process.
#![cfg(feature = "host")]

use crate::common::ground::table;
use crate::common::{TempDir, Tree, path};
use skilltree::{Fs, FsPath, OsFs, Places};
use std::ffi::OsString;
use std::io::ErrorKind;

#[test]
fn of_the_environment() {
    let (fs, folder) = (OsFs::new(), TempDir::new("places"));
    let project = fs.parse(folder.path().to_str().expect("UTF-8"), &FsPath::root());
    let places = Places::from_env(&table("agentskills"), folder.path()).expect("there are some");
    let home = Places::home_from_env().and_then(|home| fs.parse(home.to_str()?, &FsPath::root()));
    assert_eq!(places, Places { project, home, ..Places::default() });

    let here = std::env::current_dir().expect("there is one");
    let places = Places::from_env(&table("agentskills"), "testdata/..").expect("there are some");
    assert_eq!(places.project, fs.parse(here.to_str().expect("UTF-8"), &FsPath::root()));
}

#[test]
fn of_no_path() {
    let kind = |project: OsString| Places::from_env(&table("agentskills"), project).map_err(|error| error.kind());
    assert_eq!(kind(OsString::new()), Err(ErrorKind::InvalidInput));
    #[cfg(unix)]
    assert_eq!(kind(std::os::unix::ffi::OsStringExt::from_vec(b"/\xff".to_vec())), Err(ErrorKind::InvalidData));
}

#[test]
fn the_first_managed_folder_that_is_there() {
    let cases = [
        ("none", "/elsewhere/file", None),
        ("the first", "/etc/claude-code/managed-settings.json", Some("/etc/claude-code")),
        ("another", "/Library/Application Support/ClaudeCode/x", Some("/Library/Application Support/ClaudeCode")),
        ("a file", "/etc/claude-code", None),
    ];
    for (case, file, expected) in cases {
        let fs = Tree::default().with(file, "").mem();
        assert_eq!(table("claude").managed_folder(&fs), expected.map(path), "{case}");
    }
}
