//! The activation root: which folder the copies of skills are in, and updating them before a skill is loaded if the
//! dialect requires it.

use crate::reply::Failure;
use crate::setup::Setup;
use skilltree::host::apply;
use skilltree::package::activation;
use skilltree::{Catalog, Code, Diagnostic, Error, FsPath, Severity};

/// The activation root: the folder that the user names, or else the one that skills are read from.
pub(crate) fn root(setup: &Setup, named: Option<&str>) -> Result<FsPath, Failure> {
    if setup.dialect.activation.is_none() {
        return Err(Error::NotInDialect { dialect: setup.dialect.name.to_string(), what: "activation" }.into());
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
    let is_wanted = setup.dialect.activation.is_some();
    let Some(root) = setup.own_copies().filter(|own| is_wanted && setup.places.active.as_ref() == Some(own)) else {
        return Vec::new();
    };
    match activation(&setup.world(), catalog, &root) {
        Ok(plan) => {
            let known = plan.findings.iter().filter(|finding| finding.code == Code::CopyFailed).cloned();
            known.chain(apply(&setup.fs, &plan).findings).collect()
        }
        Err(error) => {
            let message = format!("the activated copies could not be updated: {error}");
            vec![Diagnostic::new(Severity::Warning, Code::CopyFailed, root, message)]
        }
    }
}
