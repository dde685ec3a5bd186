//! The confined view of a folder of an overlay. If a single layer holds the folder, it is that layer's own view.

use super::{Found, OverlayFs, Within};
use crate::fs::{Fs, FsError};
use crate::path::FsPath;

pub(super) fn confined<'f>(overlay: &'f OverlayFs<'_>, root: &FsPath) -> Result<Box<dyn Fs + 'f>, FsError> {
    if let Ok([Found { layer, within: Within::Own(_), .. }]) = overlay.found(root).as_deref() {
        // A layer that has another path for the folder would answer with other paths.
        if let Some(layer) = overlay.layers.get(*layer).filter(|layer| layer.mount.depth() == 0) {
            return layer.fs.confined(root);
        }
    }
    crate::fs::confined::confined(Box::new(overlay), root)
}
