//! What the dialect files hold.

use crate::dialect::{Dialect, FILES};
use crate::path::FsPath;
use std::sync::Arc;

/// The dialect of one of the files.
pub(crate) fn from_file(name: &str) -> Option<Arc<Dialect>> {
    let (_, text) = FILES.iter().find(|(known, _)| *known == name)?;
    match Dialect::parse(&FsPath::root().appended(name), text, &from_file) {
        Ok(table) => Some(Arc::new(table)),
        Err(findings) => {
            debug_assert!(false, "the file of the dialect `{name}` is not valid: {findings:?}");
            None
        }
    }
}
