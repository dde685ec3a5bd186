//! A constrained build: all worlds of the program are lean and its only dialect is chosen by its function, so that it
//! links nothing else. The guide's page on the library has the profile for a small program.

use skilltree::{Caller, Code, FsPath, MemFs, Places, World};

#[cfg_attr(test, test)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut fs = MemFs::new();
    fs.file("/me/.agents/skills/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n");
    fs.file("/me/.agents/skills/mate/SKILL.md", "---\nname: mate\ndescription: Mate: the drink\n---\nBoil less.\n");
    let user_choices = FsPath::new("/me/.config/skilltree/skilltree.yaml").ok();
    let places = Places { home: FsPath::new("/me").ok(), user_choices, ..Places::default() };
    // Not `dialect("agentskills")`, which links the tables of all dialects.
    let dialect = skilltree::dialect::agentskills();

    // A full world repairs frontmatter that is not valid YAML. A lean one reports it.
    let catalog = skilltree::discover(&World::lean(&fs, &places, &()), &dialect);
    assert!(catalog.find("tea", Caller::Model).is_ok());
    let finding = &catalog.findings()[0];
    assert_eq!((finding.code, finding.path.as_str()), (Code::Yaml, "/me/.agents/skills/mate/SKILL.md"));

    // A file of choices, which a lean world does not read, may switch off any skill. So all are withheld.
    fs.file("/me/.config/skilltree/skilltree.yaml", "skills: {mate: off}\n");
    let catalog = skilltree::discover(&World::lean(&fs, &places, &()), &dialect);
    assert!(catalog.find("tea", Caller::Model).is_err() && catalog.find("tea", Caller::User).is_err());
    assert!(catalog.findings().iter().any(|finding| finding.code == Code::NotRead));
    Ok(())
}
