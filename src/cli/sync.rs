//! The activation root: which folder the copies of skills are in, the command `sync`, and updating the copies before a skill
//! is loaded if the dialect requires it.

use crate::answer::{Answer, Runner};
use crate::output::findings;
use crate::reply::{Exit, Failure, Output, Reply, document};
use crate::setup::Setup;
use skilltree::package::CopyPlan;
use skilltree::{Catalog, Code, Diagnostic, Error, FsPath, Severity, visible};

/// The activation root: the folder that the user names, or else the one that skills are read from.
pub(crate) fn root(setup: &Setup, named: Option<&str>) -> Result<FsPath, Failure> {
    if setup.dialect.activation_folder().is_none() {
        return Err(Error::NotInDialect { dialect: setup.dialect.name().to_owned(), what: "activation" }.into());
    }
    if let Some(named) = named {
        return setup.path(named);
    }
    setup.places.active.clone().ok_or_else(|| {
        let why = "no activation root to copy to; pass `--to DIR`, or the user's folder as `--user DIR`";
        Failure::error("no-directory", why)
    })
}

/// Updates the copies in the user's folder if the dialect has copies and they are read from there. Returns what failed; existing copies are used nevertheless.
pub(crate) fn before_a_call(setup: &Setup, catalog: &Catalog) -> Vec<Diagnostic> {
    let is_wanted = setup.dialect.activation_folder().is_some();
    let Some(root) = setup.own_copies().filter(|own| is_wanted && setup.places.active.as_ref() == Some(own)) else {
        return Vec::new();
    };
    match CopyPlan::of(&setup.world(), catalog, &root) {
        Ok(plan) => {
            let known = plan.findings.iter().filter(|finding| finding.code == Code::CopyFailed).cloned();
            known.chain(plan.apply(&setup.fs).findings).collect()
        }
        Err(error) => {
            let message = format!("the activated copies could not be updated: {error}");
            vec![Diagnostic::new(Severity::Warning, Code::CopyFailed, root, message)]
        }
    }
}

impl Runner<'_> {
    pub(crate) fn sync(self, to: Option<&str>, dry_run: bool) -> Answer {
        let (setup, catalog) = self.discover()?;
        let to = root(&setup, to)?;
        let plan = CopyPlan::of(&setup.world(), &catalog, &to)?;
        let copied = plan.copies.iter().map(|copy| copy.name.clone()).collect();
        let done = match dry_run {
            true => (copied, plan.removals.clone(), Vec::new()),
            false => {
                let applied = plan.apply(&setup.fs);
                (applied.copied, applied.removed, applied.findings)
            }
        };
        let (copied, removed, failed) = done;
        let found = [plan.findings.as_slice(), &failed].concat();
        // Planning already finds some skills that cannot be copied completely.
        let is_failure = |found: &&Diagnostic| found.code == Code::CopyFailed && found.severity == Severity::Error;
        let failed: Vec<Diagnostic> = found.iter().filter(is_failure).cloned().collect();
        let json = plan.copied_json(&setup.fs, &copied, &removed, &found);
        let failure = Failure::negative("copy-failed", findings::counted(&failed));
        let mut reply = if self.json {
            Reply::new(document(&if failed.is_empty() { json } else { failure.add_to_json(json) }))
        } else {
            let (copy, remove) = if dry_run { ("would copy", "would remove") } else { ("copied", "removed") };
            let rows = [(copy, &copied), ("unchanged", &plan.unchanged), (remove, &removed)];
            let rows =
                rows.iter().flat_map(|(what, keys)| keys.iter().map(move |key| format!("{what} {}\n", visible(key))));
            Reply::new(Output::Styled(rows.collect())).with_stderr(&findings::about(&setup.fs, &found))
        };
        reply = reply.with_stderr(&setup.missing_skills_note(&catalog));
        if !failed.is_empty() {
            reply = reply.with_stderr(&failure.to_stderr()).with_exit(Exit::Negative);
        }
        Ok(reply)
    }
}
