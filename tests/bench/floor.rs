//! The floor: the least that any loader does. A walk with `std::fs` that reads every SKILL.md whole, and no more.

use std::path::Path;

/// How many bytes of SKILL.md there are below a folder.
pub(crate) fn floor(root: &Path) -> usize {
    let (mut bytes, mut waiting) = (0, vec![root.to_owned()]);
    while let Some(dir) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&dir) else { continue };
        for entry in entries.flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => waiting.push(entry.path()),
                Ok(kind) if kind.is_file() && entry.file_name() == "SKILL.md" => {
                    bytes += std::fs::read(entry.path()).map_or(0, |text| text.len());
                }
                _ => {}
            }
        }
    }
    bytes
}
