//! In: a plan. Out: the command that starts its process, and the first line that it is sent. The program on the other
//! side is ours and goes along as an argument, so nothing is written anywhere. Nothing is fetched: an import is the
//! runtime's own, the skill's, or one of the modules that we provide.

use crate::answers::script::Language;
use crate::answers::toolset::ToolsetPlan;
use crate::fs::OsFs;
use crate::host::environment::environment;
use crate::host::error::HostError;
use crate::host::process::command;
use crate::host::programs::Programs;
use crate::host::runtime::{NO_INSTALL, NO_UPDATES, RuntimeKind, runtime};
use crate::host::runtime_options;
use crate::path::FsPath;
use crate::text::escape::visible;
use crate::text::json::Json;
use std::path::PathBuf;
use std::process::Command;

const JAVASCRIPT: &str = concat!(include_str!("zod.mjs"), include_str!("shim.mjs"));
const PYTHON: &str = include_str!("shim.py");
const TOOLS: &str = include_str!("module_tools.mjs");
const ZOD: &str = include_str!("module_zod.mjs");

/// The names that a toolset may import our zod by.
const ZOD_NAMES: &[&str] = &["zod", "zod/v3", "zod/v4"];

pub(super) struct Launch {
    pub(super) program: PathBuf,
    pub(super) command: Command,
    /// What the process has to know, but for the token.
    pub(super) open: Json,
}

/// How the toolset's process is started.
pub(super) fn launch(disk: &OsFs, plan: &ToolsetPlan, programs: &Programs) -> Result<Launch, HostError> {
    let runtime = runtime(plan.language, &plan.spec, programs)?;
    if let Some(odd) = unloadable(runtime.kind, &plan.file) {
        return Err(HostError::ToolsetFailed {
            key: visible(&plan.key).into_owned(),
            toolset: visible(&plan.spec).into_owned(),
            reason: format!(
                "cannot be loaded: its path `{}` contains a `{odd}`, from where `{}` cannot load files",
                visible(plan.file.as_str()),
                visible(&runtime.program.to_string_lossy())
            ),
            last: String::new(),
        });
    }
    let modules = modules(plan);
    let dir = disk.host(&plan.dir).map_err(crate::model::error::Error::from)?;
    let file = disk.host(&plan.file).map_err(crate::model::error::Error::from)?;
    let mut command = command(&runtime.program);
    match runtime.kind {
        RuntimeKind::Node => command.args(runtime.before).args(["--input-type=module", "-e", JAVASCRIPT]),
        RuntimeKind::Bun => command
            .arg(NO_INSTALL)
            .args(runtime_options::options(runtime.kind, &file, &dir, &[]))
            .args(["-e", JAVASCRIPT]),
        RuntimeKind::Deno => {
            command.args(["eval", "--quiet", "--no-config", "--no-lock", "--no-remote", "--cached-only", "--no-check"]);
            command.args(["--node-modules-dir=manual", "--unstable-sloppy-imports"]);
            command.arg(format!("--import-map={}", import_map(&modules))).arg(JAVASCRIPT)
        }
        RuntimeKind::Python | RuntimeKind::Shell => command.args(runtime.before).args(["-c", PYTHON]),
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

/// What of a file's path a runtime cannot load from, however it is written.
fn unloadable(kind: RuntimeKind, file: &FsPath) -> Option<char> {
    let odd: &[char] = match kind {
        RuntimeKind::Bun => &['?', '\\'],
        RuntimeKind::Deno | RuntimeKind::Node => &['\\'],
        RuntimeKind::Python | RuntimeKind::Shell => &[],
    };
    file.as_str().chars().find(|c| odd.contains(c))
}

/// The modules that are provided, with their text.
fn modules(plan: &ToolsetPlan) -> Vec<(&'static str, &'static str)> {
    let is_ours = plan.language != Language::Python && !plan.brings_zod;
    let zod = ZOD_NAMES.iter().filter(|_| is_ours).map(|name| (*name, ZOD));
    [("@agent/tools", TOOLS)].into_iter().chain(zod).collect()
}

/// An import map, for a runtime that takes modules by that alone.
fn import_map(modules: &[(&str, &str)]) -> String {
    // The name goes along: errors are told with it.
    let module = |name, text| Json::from(format!("data:text/javascript,{}#{name}", percent_encoded(text)));
    let imports = Json::map(modules.iter().map(|(name, text)| (*name, module(name, text))));
    format!("data:application/json,{}", percent_encoded(&Json::map([("imports", imports)]).to_string()))
}

fn percent_encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}
