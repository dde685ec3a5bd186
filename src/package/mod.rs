//! Which files belong to a skill: one answer for listing, serving, approving, copying and archiving.

pub(crate) mod activate;
#[cfg(feature = "digest")]
pub(crate) mod approve;
pub(crate) mod body;
#[cfg(any(feature = "archive", feature = "os"))]
pub(crate) mod bundle;
#[cfg(feature = "digest")]
pub(crate) mod contents;
#[cfg(feature = "os")]
pub mod embed;
pub(crate) mod file;
pub(crate) mod files;
pub(crate) mod inventory;
#[cfg(feature = "digest")]
pub(crate) mod serve;
pub(crate) mod trust;

pub use activate::{CopyFile, CopyPlan, SkillCopy, activation};
#[cfg(feature = "digest")]
pub use approve::{Approval, Approvals, Differences, approve, fingerprint, revoke, revoke_at};
#[cfg(feature = "archive")]
pub use bundle::{Packed, PackedFile, pack};
#[cfg(feature = "digest")]
pub use contents::{ContentScope, Contents, FileContent, OtherContent, contents};
pub use file::{FilePart, FileRequest, file};
pub use files::{OtherEntry, OtherKind, Package, PackageFile, Purpose};
pub use inventory::{Resources, inventory, resources};
#[cfg(feature = "digest")]
pub use serve::{Served, ServedChild, ServedEntry, ServedFile, ServedResource, ServedSkill};
pub use trust::ExpectedContents;
