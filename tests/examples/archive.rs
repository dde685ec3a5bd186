//! A skill as a `.skill` file: packed into a zip, and read from it without unpacking.

use skilltree::fs::{ArchiveFs, OverlayFs};
use skilltree::package::Packed;
use skilltree::{Caller, FsPath, LoadRequest, MemFs, Places, World};

#[cfg_attr(test, test)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dialect = skilltree::dialect::agentskills();
    let mut author = MemFs::new();
    author.file("/drafts/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n");
    author.file("/drafts/tea/scripts/boil.sh", "#!/bin/sh\n").file("/drafts/tea/.git/HEAD", "");

    let places = Places::default();
    let packed = Packed::of(&World::new(&author, &places, &()), &dialect, &FsPath::new("/drafts/tea")?)?;
    assert_eq!(packed.files.iter().map(|file| &*file.name).collect::<Vec<_>>(), ["SKILL.md", "scripts/boil.sh"]);

    // Any bytes may come from others: what is dangerous in a zip is refused, and a note says so.
    let archive = ArchiveFs::new(packed.bytes)?;
    assert!(archive.notes().is_empty());

    // The user's own folder of skills, with the archive in it.
    let mut home = MemFs::new();
    home.file("/me/.agents/skills/mate/SKILL.md", "---\nname: mate\ndescription: Makes mate.\n---\nBoil less.\n");
    let fs = OverlayFs::new().layer(home).mount(FsPath::new("/me/.agents/skills")?, archive);
    let places = Places { home: FsPath::new("/me").ok(), ..Places::default() };
    let world = World::new(&fs, &places, &());
    let catalog = skilltree::discover(&world, &dialect);
    assert_eq!(catalog.skills().iter().map(|skill| &*skill.key).collect::<Vec<_>>(), ["mate", "tea"]);

    let tea = catalog.find("tea", Caller::Model)?;
    let loaded = skilltree::load(&world, &catalog, tea, &LoadRequest::new(Caller::Model))?;
    assert_eq!(loaded.files, [FsPath::new("/me/.agents/skills/tea/scripts/boil.sh")?]);
    Ok(())
}
