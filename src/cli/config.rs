//! Where the user's own configuration is, and what of it counts before a discovery: the default dialect and further
//! roots.

use crate::args::GlobalOptions;
use crate::command_line::OPTIONS;
use crate::reply::Failure;
use crate::setup::{Setup, absolute_path, working_directory};
use skilltree::discovery::Choices;
use skilltree::{Code, Diagnostic, Fs, FsPath, OsFs, Places, Severity, World, visible};
use std::path::Path;

/// The environment variable that names the folder of the user's configuration.
const FOLDER_VARIABLE: &str = "SKILLTREE_CONFIG";

/// The variable that names the folder of all programs' configuration.
const SHARED_VARIABLE: &str = if cfg!(windows) { "APPDATA" } else { "XDG_CONFIG_HOME" };

/// The name of the file of choices.
const FILE: &str = "skilltree.yaml";

/// The files that may hold the project's choices. The first that exists is read.
const PROJECT_FILES: [&str; 2] = [".skilltree/skilltree.yaml", FILE];

/// The user's file of choices, which need not exist; `None` if there is no home directory.
fn user_file(fs: &OsFs, base: Option<&FsPath>, home: Option<&FsPath>) -> Result<Option<FsPath>, Failure> {
    Ok(user_folder(fs, base, home)?.and_then(|folder| folder.child(FILE).ok()))
}

/// The folder of the user's configuration, which need not exist; `None` if there is no home directory.
pub(crate) fn user_folder(fs: &OsFs, base: Option<&FsPath>, home: Option<&FsPath>) -> Result<Option<FsPath>, Failure> {
    let named = |variable: &str| {
        let Some(value) = std::env::var_os(variable).filter(|value| !value.is_empty()) else { return Ok(None) };
        let invalid = |_| Failure::error("bad-path", format!("the path in {variable} is not valid UTF-8"));
        value.into_string().map(Some).map_err(invalid)
    };
    Ok(match named(FOLDER_VARIABLE)? {
        Some(folder) => Some(absolute_path(fs, base, &folder)?),
        None => match named(SHARED_VARIABLE)?.filter(|folder| Path::new(folder).is_absolute()) {
            Some(folder) => absolute_path(fs, base, &folder)?.child("skilltree").ok(),
            None => home.and_then(|home| home.join(".config/skilltree").ok()),
        },
    })
}

/// Sets the files of choices, and adds the user's roots below those of the command line. A root that does not exist is a
/// finding, as the file may be shared by several machines.
pub(crate) fn apply(setup: &mut Setup, base: Option<&FsPath>) -> Result<(), Failure> {
    setup.places.user_choices = user_file(&setup.fs, base, setup.places.home.as_ref())?;
    setup.places.project_choices = PROJECT_FILES.iter().filter_map(|file| setup.project.join(file).ok()).collect();
    if setup.options.only_roots {
        return Ok(());
    }
    for root in Choices::read(&setup.world()).roots {
        let text = setup.fs.display(&root).into_owned();
        match setup.opened(&text).and_then(|_| setup.folder(&text, "root")) {
            Ok(root) => setup.places.roots.push(root),
            Err(failure) => {
                let finding = Diagnostic::new(Severity::Warning, Code::SourceUnreadable, root, failure.message());
                let file = setup.places.user_choices.as_ref().map(|file| setup.fs.display(file).into_owned());
                setup.notes.push(finding.help(format!("change `roots` in `{}`", file.unwrap_or_default())));
            }
        }
    }
    Ok(())
}

/// The dialect that the user's file names. Faults in the file are found by discovery.
pub(crate) fn chosen_dialect(options: &GlobalOptions) -> Option<String> {
    let fs = OsFs::new();
    let base = working_directory(&fs);
    let home = match &options.home {
        Some(home) => Some(home.clone()),
        None => Places::home_from_env().and_then(|home| home.into_string().ok()),
    };
    let home = home.and_then(|home| absolute_path(&fs, base.as_ref(), &home).ok());
    let user_choices = user_file(&fs, base.as_ref(), home.as_ref()).ok()??;
    let places = Places { home, user_choices: Some(user_choices), ..Places::default() };
    Choices::read(&World::new(&fs, &places, &())).dialect
}

/// What to do about an unknown dialect that the user's file names; `None` if it does not.
pub(crate) fn dialect_help(name: &str) -> Option<String> {
    let chosen = chosen_dialect(OPTIONS.get()?)?;
    (chosen == name)
        .then(|| format!("`{}` is the `dialect` of your `{FILE}`; change it there, or use `--dialect`", visible(name)))
}
