//! In: where to look, and a catalog. Out: the folder of copies for use; the copies brought up to date before a skill is
//! loaded, where the dialect has it so. Absent: which copies there are, and copying (the library).

use crate::reply::Failure;
use crate::setup::Setup;
use skilltree::host::apply;
use skilltree::package::activation;
use skilltree::{Catalog, Code, Diagnostic, Error, FsPath, Severity};

/// The folder for copies that the user names, else the one that copies are read from.
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

/// Brings the copies in the user's folder up to date, where the dialect has that done before each call and copies are
/// read from there. Gives what could not be done: the copies that are there are used all the same.
pub(crate) fn before_a_call(setup: &Setup, catalog: &Catalog) -> Vec<Diagnostic> {
    let is_wanted = setup.dialect.activation.as_ref().is_some_and(|rule| rule.before_calls);
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
