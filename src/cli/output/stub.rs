//! Generates a Python function that calls the load tool through this command line. It needs only the Python standard
//! library.

use crate::args::GlobalOptions;
use crate::output::FOR_A_SUBAGENT;
use crate::reply::Failure;
use crate::suggested::{location_options, with_absolute_paths};
use skilltree::{Json, Tool};

/// The class of a fork. A fork is not an answer, and its first line says so.
const FORK: &str = r#"import json
import subprocess


class Fork(str):
    """A task for an agent of its own, and no answer.

    `task` is the text for the agent; `terms` says what kind of agent it is for, and what that may use.
    """

    def __new__(cls, answer):
        self = super().__new__(cls, ABOUT + "\n\n" + answer["text"])
        self.task = answer["text"]
        self.terms = {key: value for key, value in answer.items() if key not in ("ok", "kind", "text")}
        return self


"#;

/// The end of the function, which handles the answer.
const ANSWER: &str = r#"
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise RuntimeError(done.stderr.strip()) from None
    if not answer.get("ok"):
        raise RuntimeError(answer["error"]["message"])
    if "task" in answer:
        return answer["task"]["output"].removesuffix("\n")
    if answer["kind"] == "pending":
        raise RuntimeError("the skill wants commands run first: " + "; ".join(answer["commands"]))
    return Fork(answer) if answer["kind"] == "fork" else answer["text"]
"#;

/// A Python module with one function, whose parameters are those of the tool's schema. With an agent, forks are
/// passed to it.
pub(crate) fn python(tool: &Tool, options: &GlobalOptions, agent: Option<&str>) -> Result<String, Failure> {
    let name = identifier(&tool.name);
    let required = required(&tool.input_schema);
    let mut names: Vec<&str> = required.clone();
    names.extend(properties(&tool.input_schema).into_iter().filter(|name| !required.contains(name)));
    let parameters: Vec<String> = names
        .iter()
        .map(|&name| {
            let default = if required.contains(&name) { "" } else { " = None" };
            format!("{}{default}", identifier(name))
        })
        .collect();
    let arguments: Vec<String> = names.iter().map(|&name| format!("{}: {}", quoted(name), identifier(name))).collect();
    let run = agent.map(|agent| ["--run".to_owned(), format!("--agent-command={agent}")]);
    let command = command(options)?.into_iter().chain(["--json".to_owned(), "call".to_owned()]);
    let command: Vec<String> = command.chain(run.into_iter().flatten()).map(|word| quoted(&word)).collect();
    Ok(format!(
        "{fork}def {name}({parameters}):\n    {about}\n    \
         arguments = {{key: value for key, value in {{{arguments}}}.items() if value is not None}}\n    \
         command = [{command}, \"--\", json.dumps(arguments)]{ANSWER}",
        fork = FORK.replace("ABOUT", &quoted(FOR_A_SUBAGENT)),
        parameters = parameters.join(", "),
        about = quoted(&tool.description),
        arguments = arguments.join(", "),
        command = command.join(", "),
    ))
}

fn program() -> Result<String, Failure> {
    // A WebAssembly module has no path; it runs as the command that is in PATH.
    if cfg!(target_family = "wasm") {
        return Ok("skilltree".to_owned());
    }
    let failure = |reason: &str| Failure::error("no-program", format!("the path of this program is unknown: {reason}"));
    let program = std::env::current_exe().map_err(|error| failure(&error.to_string()))?;
    program.into_os_string().into_string().map_err(|_| failure("it is not valid UTF-8"))
}

/// A command line that uses the same folders in any working directory. Without `--project`, its working directory is
/// the project.
fn command(options: &GlobalOptions) -> Result<Vec<String>, Failure> {
    let mut words = vec![program()?];
    words.extend(location_options(&with_absolute_paths(options)?).into_iter().map(|(name, value)| match value {
        Some(value) => format!("--{name}={value}"),
        None => format!("--{name}"),
    }));
    words.extend(options.trust.then(|| "--trust".to_owned()));
    Ok(words)
}

fn properties(schema: &Json) -> Vec<&str> {
    match schema.get("properties") {
        Some(Json::Map(fields)) => fields.iter().map(|(name, _)| name.as_str()).collect(),
        _ => Vec::new(),
    }
}

fn required(schema: &Json) -> Vec<&str> {
    match schema.get("required") {
        Some(Json::List(names)) => names.iter().filter_map(Json::as_text).collect(),
        _ => Vec::new(),
    }
}

/// Quotes a Python string. A JSON string is one as well, unless it contains surrogate pairs.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for part in text.split_inclusive(|c| c > '\u{ffff}') {
        let end = part.find(|c| c > '\u{ffff}').unwrap_or(part.len());
        let (plain, beyond) = part.split_at(end);
        let json = Json::from(plain).to_string();
        out.push_str(json.split_at(json.len() - 1).0.split_at(1).1);
        out.extend(beyond.chars().map(|c| format!("\\U{:08x}", u32::from(c))));
    }
    out + "\""
}

fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
