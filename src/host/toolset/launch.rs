//! Makes the command that starts a toolset's process, and the first request to it.
//!
//! The process runs our own program, which is passed as an argument, so no file is written. Nothing is downloaded: an
//! import is resolved by the runtime, by the skill's files, or by one of the modules that are provided here.

use crate::fs::OsFs;
use crate::host::environment::environment;
use crate::host::error::HostError;
use crate::host::process::command;
use crate::host::programs::Programs;
use crate::host::runtime::{NO_INSTALL, NO_UPDATES, RuntimeKind, runtime};
use crate::host::runtime_options;
use crate::loading::script::Language;
use crate::loading::toolset::ToolsetPlan;
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::json::Json;
use crate::text::percent;
use std::path::PathBuf;
use std::process::Command;

const JAVASCRIPT: &str = concat!(include_str!("zod.mjs"), include_str!("shim.mjs"));
const PYTHON: &str = include_str!("shim.py");
const TOOLS: &str = include_str!("module_tools.mjs");
const ZOD: &str = include_str!("module_zod.mjs");

/// The names by which a toolset may import the provided zod.
const ZOD_NAMES: &[&str] = &["zod", "zod/v3", "zod/v4"];

/// How to start a toolset's process.
pub(super) struct Launch {
    pub(super) program: PathBuf,
    pub(super) command: Command,
    /// The first request, without the token.
    pub(super) open: Json,
}

/// Chooses the runtime of a toolset, and makes the command for it.
pub(super) fn launch(disk: &OsFs, plan: &ToolsetPlan, programs: &Programs) -> Result<Launch, HostError> {
    let runtime = runtime(plan.language, &plan.spec, programs)?;
    if let Some(character) = unloadable_character(runtime.kind, &plan.file) {
        return Err(HostError::ToolsetFailed {
            key: visible(&plan.key).into_owned(),
            toolset: visible(&plan.spec).into_owned(),
            reason: format!(
                "cannot be loaded: its path `{}` contains a `{character}`, from where `{}` cannot load files",
                visible(plan.file.as_str()),
                visible(&runtime.program.to_string_lossy())
            ),
            last: String::new(),
        });
    }
    let modules = modules(plan);
    let dir = disk.for_programs(&plan.dir).map_err(crate::model::error::Error::from)?;
    let file = disk.for_programs(&plan.file).map_err(crate::model::error::Error::from)?;
    let mut command = command(&runtime.program);
    match runtime.kind {
        RuntimeKind::Node => command.args(runtime.arguments).args(["--input-type=module", "-e", JAVASCRIPT]),
        RuntimeKind::Bun => command
            .arg(NO_INSTALL)
            .args(runtime_options::options(runtime.kind, &file, &dir, &[]))
            .args(["-e", JAVASCRIPT]),
        RuntimeKind::Deno => {
            command.args(["eval", "--quiet", "--no-config", "--no-lock", "--no-remote", "--cached-only", "--no-check"]);
            command.args(["--node-modules-dir=manual", "--unstable-sloppy-imports"]);
            command.arg(format!("--import-map={}", import_map(&modules))).arg(JAVASCRIPT)
        }
        // `Language::has_modules` lets no other runtime through.
        RuntimeKind::Python | RuntimeKind::PowerShell | RuntimeKind::Shell | RuntimeKind::Batch => {
            command.args(runtime.arguments).args(["-c", PYTHON])
        }
    };
    command.env_clear().envs(environment(&plan.variables)).env("NO_COLOR", "1").current_dir(&dir);
    if runtime.kind == RuntimeKind::Deno {
        command.env(NO_UPDATES.0, NO_UPDATES.1);
    }
    let open = Json::map([
        ("file", Json::from(file.to_string_lossy().into_owned())),
        ("export", Json::from(plan.export.as_str())),
        ("dir", Json::from(dir.to_string_lossy().into_owned())),
        ("key", Json::from(plan.key.as_str())),
        ("modules", Json::map(modules.into_iter().map(|(name, text)| (name, Json::from(text))))),
    ]);
    Ok(Launch { program: runtime.program, command, open })
}

/// A character of the path that keeps the runtime from loading the file, however it is escaped.
fn unloadable_character(kind: RuntimeKind, file: &FsPath) -> Option<char> {
    let characters: &[char] = match kind {
        RuntimeKind::Bun => &['?', '\\'],
        RuntimeKind::Deno | RuntimeKind::Node => &['\\'],
        RuntimeKind::Python | RuntimeKind::PowerShell | RuntimeKind::Shell | RuntimeKind::Batch => &[],
    };
    file.as_str().chars().find(|c| characters.contains(c))
}

/// The names and texts of the modules that are provided to the toolset.
fn modules(plan: &ToolsetPlan) -> Vec<(&'static str, &'static str)> {
    let needs_zod = plan.language != Language::Python && !plan.brings_zod;
    let zod = ZOD_NAMES.iter().filter(|_| needs_zod).map(|name| (*name, ZOD));
    [("@agent/tools", TOOLS)].into_iter().chain(zod).collect()
}

/// An import map with the modules, for a runtime that has no other way to provide them.
fn import_map(modules: &[(&str, &str)]) -> String {
    // The runtime shows the fragment of the URL in its errors.
    let module = |name, text| Json::from(format!("data:text/javascript,{}#{name}", percent::encoded(text)));
    let imports = Json::map(modules.iter().map(|(name, text)| (*name, module(name, text))));
    format!("data:application/json,{}", percent::encoded(&Json::map([("imports", imports)]).to_string()))
}
