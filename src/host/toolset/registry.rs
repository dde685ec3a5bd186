//! The tools of many toolsets in one table, by name. A name that is used twice and a toolset that cannot be loaded are
//! findings; the other tools stay available.

use super::{ToolResult, ToolSpec, Toolset, unknown};
use crate::diagnostic::{Code, Diagnostic, Severity, put_in_order};
use crate::discovery::catalog::Catalog;
use crate::discovery::world::World;
use crate::fs::OsFs;
use crate::host::error::HostError;
use crate::host::limits::{CancelToken, Limits};
use crate::host::programs::Programs;
use crate::loading::toolset::ToolsetPlan;
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
    /// Its name in the registry: its own name, or `KEY/NAME` if another tool had that name first.
    pub name: String,
    /// What it does; empty if the toolset has no description for it.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub input_schema: Json,
}

/// The tools of many toolsets. A toolset is started when it is first needed. If it cannot be loaded then, it is not tried
/// again.
pub struct ToolRegistry {
    slots: Vec<Slot>,
    tools: Vec<RegisteredTool>,
    /// For each tool the index of its slot, and its name in the toolset.
    owners: Vec<(usize, String)>,
    findings: Vec<Diagnostic>,
}

/// A toolset and the result of loading it.
struct Slot {
    toolset: Toolset,
    /// `Ok` if its tools are in the table, otherwise why not; `None` before it was loaded.
    loaded: Option<Result<(), HostError>>,
}

impl ToolRegistry {
    /// A registry of these toolsets, in this order; none is started yet.
    pub fn new(disk: &OsFs, plans: Vec<ToolsetPlan>, programs: &Programs, limits: Limits) -> ToolRegistry {
        let slot = |plan| Slot { toolset: Toolset::new(disk, plan, programs, limits), loaded: None };
        let slots = plans.into_iter().map(slot).collect();
        ToolRegistry { slots, tools: Vec::new(), owners: Vec::new(), findings: Vec::new() }
    }

    /// Loads every toolset that has not been loaded yet, and returns all tools in order. A toolset that fails is a finding.
    /// A loaded toolset that may not run any more (see [`Toolset::renew`]) is ended, and its tools are removed.
    ///
    /// # Errors
    /// Returns [`HostError::Stopped`]; and the error of the first toolset if every toolset fails.
    pub fn tools(
        &mut self,
        world: &World<'_>,
        catalog: &Catalog,
        stop: &CancelToken,
    ) -> Result<&[RegisteredTool], HostError> {
        for n in 0..self.slots.len() {
            self.unload_if_refused(n, world, catalog);
            self.load(n, world, catalog, stop)?;
        }
        let failures = || self.slots.iter().map(|slot| slot.loaded.as_ref().and_then(|loaded| loaded.as_ref().err()));
        match failures().next().flatten() {
            Some(first) if failures().all(|failure| failure.is_some()) => Err(first.clone()),
            _ => Ok(&self.tools),
        }
    }

    /// The findings so far: toolsets that failed, names that are used twice, schemas that cannot be described.
    pub fn findings(&self) -> &[Diagnostic] {
        &self.findings
    }

    /// Calls a tool by its name or by `KEY/NAME`. Toolsets are loaded in order until one has it.
    ///
    /// # Errors
    /// Returns the errors of [`Toolset::call`]; and if no toolset has the tool and one failed, the error of that toolset.
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
            if self.load(n, world, catalog, stop)? {
                opened = Some(n);
            }
        }
        let Some((slot, own)) = self.find(name) else {
            let failed = self.slots.iter().find_map(|slot| slot.loaded.as_ref()?.as_ref().err());
            let names = self.tools.iter().map(|tool| tool.name.as_str());
            return Err(failed.cloned().unwrap_or_else(|| unknown(name, names)));
        };
        match self.slots.get_mut(slot) {
            // Loading has just planned the toolset, and planning may take long.
            Some(found) if opened == Some(slot) => found.toolset.call_as_planned(&own, args, stop),
            Some(slot) => slot.toolset.call(world, catalog, &own, args, stop),
            None => {
                debug_assert!(false, "the owner of a tool is a slot");
                Err(unknown(name, std::iter::empty()))
            }
        }
    }

    /// The index of a tool's slot, and its name in the toolset.
    fn find(&self, name: &str) -> Option<(usize, String)> {
        let by_name = self.tools.iter().position(|tool| tool.name == name);
        let is_full = |(tool, (_, own)): (&RegisteredTool, &(usize, String))| full_name(&tool.key, own) == name;
        let index = by_name.or_else(|| self.tools.iter().zip(&self.owners).position(is_full))?;
        self.owners.get(index).cloned()
    }

    /// Removes the tools of a loaded toolset if it may not run any more.
    fn unload_if_refused(&mut self, n: usize, world: &World<'_>, catalog: &Catalog) {
        let Some(slot) = self.slots.get_mut(n).filter(|slot| matches!(slot.loaded, Some(Ok(())))) else { return };
        let Err(error) = slot.toolset.renew(world, catalog) else { return };
        self.findings.push(failed(slot.toolset.plan(), &error));
        slot.loaded = Some(Err(error));
        let mut owners = self.owners.iter();
        self.tools.retain(|_| owners.next().is_some_and(|(owner, _)| *owner != n));
        self.owners.retain(|(owner, _)| *owner != n);
    }

    /// Loads a toolset if it has not been loaded, and returns whether it was loaded now.
    fn load(&mut self, n: usize, world: &World<'_>, catalog: &Catalog, stop: &CancelToken) -> Result<bool, HostError> {
        let Some(slot) = self.slots.get_mut(n).filter(|slot| slot.loaded.is_none()) else { return Ok(false) };
        match slot.toolset.tools(world, catalog, stop).map(<[ToolSpec]>::to_vec) {
            Err(HostError::Stopped) => return Err(HostError::Stopped),
            Err(error) => {
                self.findings.push(failed(slot.toolset.plan(), &error));
                slot.loaded = Some(Err(error));
            }
            Ok(tools) => {
                slot.loaded = Some(Ok(()));
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
        let registered = |name: &str| self.tools.iter().find(|tool| tool.name == name);
        let mut name = own.clone();
        if let Some(first) = registered(&own) {
            name = full_name(&plan.key, &own);
            let message =
                format!("the tool name `{}` is already used by the skill `{}`", visible(&own), visible(&first.key));
            let is_lost = registered(&name).is_some() || first.key == plan.key;
            let help = match is_lost {
                true => "rename it; until then it cannot be called".to_owned(),
                false => format!("call it as `{}`, or rename it", visible(&name)),
            };
            let finding = Diagnostic::new(Severity::Warning, Code::ToolNameTaken, plan.file.clone(), message);
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

/// The name of a tool that includes the key of its skill.
fn full_name(key: &str, name: &str) -> String {
    format!("{key}/{name}")
}
