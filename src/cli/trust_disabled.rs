//! Signatures in a program built without them: none is trusted, and each says how to install a program that checks it.

pub(crate) use crate::absent::IgnoredArgs as TrustArgs;
use crate::absent::{HOW_TO_INSTALL_ALL, absent};
use crate::answer::{Answer, Runner};
use crate::policy::ListedRoot;
use crate::reply::Failure;
use crate::setup::Setup;
use crate::verify::{Distrust, Signer};

/// # Errors
/// Always, so that a policy that names signers by a file forbids everything.
pub(crate) fn listed(_: &str, _: &[&'static str]) -> Result<(Vec<ListedRoot>, Vec<String>), String> {
    Err(WHY.to_owned())
}

/// Trusts nothing.
pub(crate) struct Trust {
    pub(crate) notes: String,
}

const WHY: &str = "this program was built without the feature `signatures`";

fn without() -> Failure {
    absent("no-signatures", "the feature `signatures`")
}

#[allow(clippy::unused_self, reason = "the program with signatures has the same functions")]
impl Trust {
    /// # Errors
    /// If a root or a time is named, as it would not count.
    pub(crate) fn new(_: &Setup, files: &[String], at: Option<&str>) -> Result<Trust, Failure> {
        if files.is_empty() && at.is_none() { Ok(Trust { notes: String::new() }) } else { Err(without()) }
    }

    pub(crate) fn is_able(&self) -> Result<(), Distrust> {
        Err(Distrust::Unknown(format!("{WHY}; {HOW_TO_INSTALL_ALL}")))
    }

    pub(crate) fn now(&self) -> u64 {
        0
    }

    pub(crate) fn has_roots(&self) -> bool {
        false
    }

    pub(crate) fn names(&self, _: &str) -> bool {
        false
    }

    pub(crate) fn x509(&self, _: &[Vec<u8>], _: &[u8], _: &[u8]) -> Result<Signer, Distrust> {
        self.is_able().map(|()| Signer { root: String::new(), subject: String::new() })
    }

    pub(crate) fn ssh(&self, _: &str, _: &str, _: Option<&str>, _: &[u8]) -> Result<Signer, Distrust> {
        self.x509(&[], &[], &[])
    }
}

/// Never called, as nothing is decoded that is not checked.
pub(crate) fn base64(_: &str) -> Result<Vec<u8>, Distrust> {
    Err(Distrust::Unknown(WHY.to_owned()))
}

impl Runner<'_> {
    #[allow(clippy::unused_self, reason = "the program with signatures has the same function")]
    pub(crate) fn trust(self, _: &TrustArgs) -> Answer {
        Err(without())
    }
}
