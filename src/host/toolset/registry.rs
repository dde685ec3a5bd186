//! In: the plans of many skills. Out: one table of tools, by name. A name that is taken is a finding; a toolset that
//! cannot be loaded is one too, and the others go on. Absent: what a tool is shown as to a model.

use super::{ToolResult, ToolSpec, Toolset, unknown};
use crate::answers::toolset::ToolsetPlan;
use crate::diagnostic::{Code, Diagnostic, Severity, put_in_order};
use crate::discovery::catalog::Catalog;
use crate::fs::OsFs;
use crate::host::error::HostError;
use crate::host::limits::{CancelToken, Limits};
use crate::host::programs::Programs;
use crate::model::world::World;
use crate::text::escape::visible;
use crate::text::json::Json;

/// A tool in a [`ToolRegistry`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegisteredTool {
    /// The key of the skill that it belongs to.
    pub key: String,
    /// Its toolset, as declared.
    pub toolset: String,
    /// What it is called by: its own name, or `KEY/NAME` where another tool had that name first.
    pub name: String,
    /// What it does; empty where its author does not say.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub input_schema: Json,
}

/// The tools of many toolsets. A toolset is started when it is first needed; one that cannot be loaded then is not
/// asked again.
pub struct ToolRegistry {
    slots: Vec<Slot>,
    tools: Vec<RegisteredTool>,
    /// For each tool its slot, and its name there.
    owners: Vec<(usize, String)>,
    findings: Vec<Diagnostic>,
}

struct Slot {
    toolset: Toolset,
    /// Whether its tools are in the table, or why they are not; none before it has been asked.
    asked: Option<Result<(), HostError>>,
}

impl ToolRegistry {
    /// A registry of these toolsets, in this order; none is started yet.
    pub fn new(disk: &OsFs, plans: Vec<ToolsetPlan>, programs: &Programs, limits: Limits) -> ToolRegistry {
        let slot = |plan| Slot { toolset: Toolset::new(disk, plan, programs, limits), asked: None };
        let slots = plans.into_iter().map(slot).collect();
        ToolRegistry { slots, tools: Vec::new(), owners: Vec::new(), findings: Vec::new() }
    }

    /// Starts every toolset that has not been asked yet, and gives all tools in order. One that fails is a finding. One that
    /// was asked before and is not to be run any more (see [`Toolset::renew`]) is ended, and its tools are gone.
    ///
    /// # Errors
    /// [`HostError::Stopped`]; and where every toolset fails, the first one's error.
    pub fn tools(
        &mut self,
        world: &World<'_>,
        catalog: &Catalog,
        stop: &CancelToken,
    ) -> Result<&[RegisteredTool], HostError> {
        for n in 0..self.slots.len() {
            self.close(n, world, catalog);
            self.open(n, world, catalog, stop)?;
        }
        let failures = || self.slots.iter().map(|slot| slot.asked.as_ref().and_then(|asked| asked.as_ref().err()));
        match failures().next().flatten() {
            Some(first) if failures().all(|failure| failure.is_some()) => Err(first.clone()),
            _ => Ok(&self.tools),
        }
    }

    /// What was found so far: toolsets that failed, names that are taken, schemas that cannot be told.
    pub fn findings(&self) -> &[Diagnostic] {
        &self.findings
    }

    /// Calls a tool by its name, or by `KEY/NAME`. Toolsets are started, in order, until one has it.
    ///
    /// # Errors
    /// As [`Toolset::call`]; where no toolset has the tool and one failed, that one's error.
    pub fn call(
        &mut self,
        world: &World<'_>,
        catalog: &Catalog,
        name: &str,
        args: &Json,
        stop: &CancelToken,
    ) -> Result<ToolResult, HostError> {
        let mut opened = None;
        for n in 0..self.slots.len() {
            if self.find(name).is_some() {
                break;
            }
            if self.open(n, world, catalog, stop)? {
                opened = Some(n);
            }
        }
        let Some((slot, own)) = self.find(name) else {
            let failed = self.slots.iter().find_map(|slot| slot.asked.as_ref()?.as_ref().err());
            let names = self.tools.iter().map(|tool| tool.name.as_str());
            return Err(failed.cloned().unwrap_or_else(|| unknown(name, names)));
        };
        match self.slots.get_mut(slot) {
            // Whether it may be run was asked a moment ago, and that may take a while.
            Some(found) if opened == Some(slot) => found.toolset.call_as_planned(&own, args, stop),
            Some(slot) => slot.toolset.call(world, catalog, &own, args, stop),
            None => Err(unknown(name, std::iter::empty())),
        }
    }

    /// The slot of a tool, and its name there.
    fn find(&self, name: &str) -> Option<(usize, String)> {
        let by_name = self.tools.iter().position(|tool| tool.name == name);
        let full = |(tool, (_, own)): (&RegisteredTool, &(usize, String))| full(&tool.key, own) == name;
        let place = by_name.or_else(|| self.tools.iter().zip(&self.owners).position(full))?;
        self.owners.get(place).cloned()
    }

    /// Lets go of a toolset that is not to be run any more.
    fn close(&mut self, n: usize, world: &World<'_>, catalog: &Catalog) {
        let Some(slot) = self.slots.get_mut(n).filter(|slot| matches!(slot.asked, Some(Ok(())))) else { return };
        let Err(error) = slot.toolset.renew(world, catalog) else { return };
        self.findings.push(failed(slot.toolset.plan(), &error));
        slot.asked = Some(Err(error));
        let mut owners = self.owners.iter();
        self.tools.retain(|_| owners.next().is_some_and(|(owner, _)| *owner != n));
        self.owners.retain(|(owner, _)| *owner != n);
    }

    /// Asks a toolset for its tools, once. Whether that was now.
    fn open(&mut self, n: usize, world: &World<'_>, catalog: &Catalog, stop: &CancelToken) -> Result<bool, HostError> {
        let Some(slot) = self.slots.get_mut(n).filter(|slot| slot.asked.is_none()) else { return Ok(false) };
        match slot.toolset.tools(world, catalog, stop).map(<[ToolSpec]>::to_vec) {
            Err(HostError::Stopped) => return Err(HostError::Stopped),
            Err(error) => {
                self.findings.push(failed(slot.toolset.plan(), &error));
                slot.asked = Some(Err(error));
            }
            Ok(tools) => {
                slot.asked = Some(Ok(()));
                self.findings.extend_from_slice(slot.toolset.findings());
                let plan = slot.toolset.plan().clone();
                for tool in tools {
                    self.add(n, &plan, tool);
                }
            }
        }
        put_in_order(&mut self.findings);
        Ok(true)
    }

    fn add(&mut self, slot: usize, plan: &ToolsetPlan, tool: ToolSpec) {
        let ToolSpec { name: own, description, input_schema } = tool;
        let by = |name: &str| self.tools.iter().find(|tool| tool.name == name);
        let mut name = own.clone();
        if let Some(first) = by(&own) {
            name = full(&plan.key, &own);
            let told =
                format!("the tool name `{}` is already used by the skill `{}`", visible(&own), visible(&first.key));
            let is_lost = by(&name).is_some() || first.key == plan.key;
            let help = match is_lost {
                true => "rename it; until then it cannot be called".to_owned(),
                false => format!("call it as `{}`, or rename it", visible(&name)),
            };
            let finding = Diagnostic::new(Severity::Warning, Code::ToolNameTaken, plan.file.clone(), told);
            self.findings.push(finding.help(help));
            if is_lost {
                return;
            }
        }
        let (key, toolset) = (plan.key.clone(), plan.spec.clone());
        self.tools.push(RegisteredTool { key, toolset, name, description, input_schema });
        self.owners.push((slot, own));
    }
}

fn failed(plan: &ToolsetPlan, error: &HostError) -> Diagnostic {
    Diagnostic::new(Severity::Error, Code::ToolsetFailed, plan.file.clone(), visible(&error.to_string()))
}

/// The name of a tool that goes by its skill's key too.
fn full(key: &str, name: &str) -> String {
    format!("{key}/{name}")
}
