//! The command `toolset`: lists and calls the tools of a skill.

use super::cancel_on_signal;
use super::run::meant;
use crate::answer::{Answer, Runner};
use crate::args::seconds;
use crate::completion::keys;
use crate::output::{findings, style, table, text};
use crate::reply::{Failure, Output, Reply, document};
use crate::setup::Setup;
use anstyle::Style;
use clap::Subcommand;
use clap_complete::engine::ArgValueCompleter;
use skilltree::host::{HostError, Limits, Programs, RegisteredTool, ToolRegistry, ToolResult};
use skilltree::loading::{ToolsetPlan, ToolsetPlans};
use skilltree::{Catalog, Diagnostic, Json, Severity, visible};
use std::time::Duration;

/// The arguments of `toolset`.
#[derive(Debug, clap::Args)]
pub(crate) struct ToolsetArgs {
    #[command(subcommand)]
    command: ToolsetCommand,
}

/// The subcommands of `toolset`.
#[derive(Subcommand, Debug)]
enum ToolsetCommand {
    /// List the tools of a skill
    List {
        /// Key of the skill
        #[arg(allow_hyphen_values = true, add = ArgValueCompleter::new(keys))]
        key: String,
        /// Maximum time to load a toolset, in seconds
        #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "60")]
        timeout: Duration,
    },
    /// Call a tool and print its answer
    #[command(after_help = "Example:\n  skilltree toolset call my-skill my-tool '{\"input\": \"x\"}' --trust")]
    Call {
        /// Key of the skill
        #[arg(allow_hyphen_values = true, add = ArgValueCompleter::new(keys))]
        key: String,
        /// Name of the tool
        #[arg(allow_hyphen_values = true)]
        tool: String,
        /// Arguments of the tool, a JSON object
        #[arg(value_name = "JSON", allow_hyphen_values = true)]
        arguments: String,
        /// Maximum running time in seconds
        #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "60")]
        timeout: Duration,
    },
}

impl Runner<'_> {
    pub(crate) fn toolset(self, ask: &ToolsetArgs) -> Answer {
        let (setup, catalog) = self.discover()?;
        match &ask.command {
            ToolsetCommand::List { key, timeout } => self.listed_tools(&setup, &catalog, key, *timeout),
            ToolsetCommand::Call { key, tool, arguments, timeout } => {
                match called(&setup, &catalog, key, tool, arguments, *timeout) {
                    Ok(result) if self.json => Ok(Reply::json(&ToolResult::answer_json(Ok(&result)))),
                    Ok(result) => Ok(self.text(result.output)),
                    Err(failure) if self.json => {
                        let told = failure.add_to_json(Json::map([("ok", Json::Bool(false))]));
                        Ok(Reply { out: document(&told), ..failure.reply(false) })
                    }
                    Err(failure) => Err(failure),
                }
            }
        }
    }

    fn listed_tools(self, setup: &Setup, catalog: &Catalog, key: &str, time: Duration) -> Answer {
        let ToolsetPlans { plans, findings: mut found, .. } = declared(setup, catalog, key)?;
        let mut registry = registry(setup, &plans, time);
        let (tools, failure) = match registry.tools(&setup.world(), catalog, &cancel_on_signal()?) {
            Ok(_) if plans.is_empty() => (Vec::new(), found.first().map(missing)),
            Ok(tools) => (tools.to_vec(), None),
            Err(HostError::Stopped) => return Err(HostError::Stopped.into()),
            Err(error) => (Vec::new(), Some(Failure::from(error))),
        };
        found.extend_from_slice(registry.findings());
        if let Some(failure) = failure {
            return Ok(none_listed(setup, key, failure, &found, self.json));
        }
        if self.json {
            return Ok(Reply::json(&RegisteredTool::all_to_json(&setup.fs, &tools, &found)));
        }
        let row = |tool: &RegisteredTool| {
            vec![visible(&tool.name).into_owned(), text::folded(&tool.description).into_owned()]
        };
        let rows: Vec<Vec<String>> = tools.iter().map(row).collect();
        let err = findings::about(&setup.fs, &found);
        if rows.is_empty() {
            return Ok(Reply::new(Output::Styled(String::new())).with_stderr(&(err + "no tools found\n")));
        }
        let styles = [style::KEY, Style::new()];
        let table = table::table(&styles, Some(&["TOOL", "DESCRIPTION"]), &rows, self.screen.width);
        Ok(Reply::new(Output::Styled(table)).with_stderr(&err))
    }
}

/// The reply if all toolsets failed: each failure is printed, and the code of the first is the code of the reply.
fn none_listed(setup: &Setup, key: &str, failure: Failure, found: &[Diagnostic], json: bool) -> Reply {
    let (errors, more): (Vec<_>, Vec<_>) = found.iter().cloned().partition(|one| one.severity == Severity::Error);
    let (failure, told) = match errors.len() {
        0 | 1 => (failure, more.as_slice()),
        many => {
            let message = format!("none of the {many} toolsets of the skill `{}` can be loaded", visible(key));
            (failure.with_message(message), found)
        }
    };
    let out = match json {
        true => document(&failure.add_to_json(RegisteredTool::all_to_json(&setup.fs, &[], found))),
        false => Output::Exact(String::new()),
    };
    Reply::new(out)
        .with_exit(failure.exit())
        .with_stderr(&findings::about(&setup.fs, told))
        .with_stderr(&failure.to_stderr())
}

fn called(
    setup: &Setup,
    catalog: &Catalog,
    key: &str,
    tool: &str,
    arguments: &str,
    time: Duration,
) -> Result<ToolResult, Failure> {
    let arguments = Json::parse(arguments)
        .map_err(|error| Failure::negative("bad-arguments", format!("the arguments are not valid JSON: {error}")))?;
    let ToolsetPlans { plans, findings, .. } = declared(setup, catalog, key)?;
    if let Some(first) = findings.first().filter(|_| plans.is_empty()) {
        return Err(missing(first));
    }
    Ok(registry(setup, &plans, time).call(&setup.world(), catalog, tool, &arguments, &cancel_on_signal()?)?)
}

/// The toolsets that a skill declares; an error if it declares none.
fn declared(setup: &Setup, catalog: &Catalog, key: &str) -> Result<ToolsetPlans, Failure> {
    let skill = meant(setup, catalog, key)?;
    let toolsets = ToolsetPlans::of(&setup.world(), catalog, skill)?;
    if toolsets.plans.is_empty() && toolsets.findings.is_empty() {
        return Err(Failure::negative("no-toolsets", format!("the skill `{}` has no toolsets", visible(&skill.key))));
    }
    Ok(toolsets)
}

fn registry(setup: &Setup, plans: &[ToolsetPlan], time: Duration) -> ToolRegistry {
    ToolRegistry::new(&setup.fs, plans.to_vec(), &Programs::of_environment(), Limits::default().with_time(time))
}

fn missing(finding: &Diagnostic) -> Failure {
    Failure::negative(finding.code.as_str(), finding.message.clone())
}
