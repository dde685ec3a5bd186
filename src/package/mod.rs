//! Which files belong to a skill. One table, [`Purpose`], says so for listing, serving, approving, copying and archiving;
//! `Folder` opens the folder of a skill for a purpose, and [`Package`] is what is in it.
//!
//! - `files/purpose` is the table: what each purpose includes. `files` has the only walk that decides
//!   which files belong to a skill.
//! - `inventory` names the files for models and listings; `file` and `body` read one file and the SKILL.md.
//! - `contents` hashes the files, for `approve` (what the user looks at and has approved) and `serve` (resources for MCP
//!   clients). `facts` finds what a reviewer of the files does not see.
//! - `trust` compares what is read with what is trusted. The decision to trust is the host's.
//! - `activate` plans copies; `bundle` packs archives; `embed` puts a folder into a program.

pub(crate) mod activate;
#[cfg(feature = "digest")]
pub(crate) mod approve;
pub(crate) mod body;
#[cfg(feature = "archive")]
pub(crate) mod bundle;
#[cfg(feature = "digest")]
pub(crate) mod contents;
#[cfg(feature = "os")]
pub(crate) mod embed;
pub(crate) mod facts;
pub(crate) mod file;
pub(crate) mod files;
pub(crate) mod inventory;
#[cfg(feature = "digest")]
pub(crate) mod serve;
pub(crate) mod trust;

pub use activate::{CopyFile, CopyPlan, SkillCopy};
#[cfg(feature = "digest")]
pub use approve::{Approval, ApprovalChange, Approvals, ChangeKind, ChangedPart, Changes, Review};
#[cfg(feature = "archive")]
pub use bundle::{Packed, PackedFile};
#[cfg(feature = "digest")]
pub use contents::{Contents, FileContent};
pub use file::{FilePart, FileRequest};
pub use files::{OtherEntry, OtherKind, Package, PackageFile, Purpose};
pub use inventory::Resources;
#[cfg(feature = "digest")]
pub use serve::{Served, ServedChild, ServedEntry, ServedFile, ServedResource, ServedSkill};
pub use trust::ExpectedContents;
