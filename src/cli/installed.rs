//! Tells which version of a client is installed here, by files alone: no program is run.

use skilltree::host::Programs;
use skilltree::{Dialect, Json, visible};
use std::fs;
use std::path::Path;

/// How many folders above its program the package of a client is looked for.
const MAX_ABOVE: usize = 8;
/// How many bytes the manifest of a package may have.
const MAX_MANIFEST: u64 = 1_048_576;

/// A sentence for each of these dialects whose client is installed in another version than the one that was run.
pub(crate) fn other_versions<'d>(dialects: impl Iterator<Item = &'d Dialect>) -> Vec<String> {
    let programs = Programs::of_environment();
    let other = |dialect: &Dialect| {
        let [program, package, proven] = dialect.proven_client()?;
        let installed = version(&programs, program, package).filter(|installed| installed != proven)?;
        let (name, installed) = (visible(dialect.name()), visible(&installed));
        Some(format!(
            "`{program}` {installed} is installed; the dialect `{name}` was verified against version {proven}"
        ))
    };
    dialects.filter_map(other).collect()
}

/// The version of a program in PATH that this package brings; `None` if its files do not tell.
fn version(programs: &Programs, program: &str, package: &str) -> Option<String> {
    let real = fs::canonicalize(programs.find(program)?).ok()?;
    let above = || real.ancestors().skip(1).take(MAX_ABOVE);
    let installed = above().find_map(|dir| of_npm(dir, package).or_else(|| of_python(dir, package)));
    // Installers of vendors put each version into a folder of its name.
    installed
        .or_else(|| real.iter().rev().filter_map(|name| name.to_str()).find(|name| is_version(name)).map(str::to_owned))
}

/// The version in the manifest of a package of npm in this folder.
fn of_npm(dir: &Path, package: &str) -> Option<String> {
    let path = dir.join("package.json");
    let is_manifest = fs::metadata(&path).is_ok_and(|found| found.is_file() && found.len() <= MAX_MANIFEST);
    let text = is_manifest.then(|| fs::read_to_string(&path).ok()).flatten()?;
    let manifest = Json::parse(&text).ok()?;
    let text = |field| manifest.get(field).and_then(Json::as_text);
    text("version").filter(|_| text("name") == Some(package)).map(str::to_owned)
}

/// The version in the name of a package of Python's: `lib/python3.12/site-packages/mistral_vibe-3.0.2.dist-info`.
fn of_python(dir: &Path, package: &str) -> Option<String> {
    let start = format!("{}-", package.replace('-', "_"));
    let names = |dir: &Path| fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let pythons = names(&dir.join("lib"));
    pythons.flat_map(|python| names(&python.join("site-packages"))).find_map(|path| {
        let name = path.file_name()?.to_str()?.strip_prefix(&start)?.strip_suffix(".dist-info")?;
        Some(name.to_owned())
    })
}

fn is_version(name: &str) -> bool {
    let parts: Vec<&str> = name.split('.').collect();
    parts.len() == 3 && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(all(test, unix))]
#[path = "../../tests/unit/installed.rs"]
mod tests;
