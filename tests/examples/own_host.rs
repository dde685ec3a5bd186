//! A host that answers for its machine and user: which programs there are, which permissions the agent holds, and
//! which skills the user has approved.

use skilltree::package::{Approvals, Review};
use skilltree::{
    Caller, Code, Error, FsPath, Host, Invocation, MemFs, Permission, Places, Requirement, Skill, Trust, World,
};

struct Agent<'a> {
    fs: &'a MemFs,
    approvals: Approvals,
    programs: &'a [&'a str],
    permissions: Vec<Permission>,
}

impl Host for Agent<'_> {
    fn meets(&self, needed: &Requirement) -> bool {
        matches!(needed, Requirement::Bin(program) if self.programs.contains(&program.as_str()))
    }

    fn trusts(&self, skill: &Skill) -> Trust {
        // The skill is read again, as an approval counts for its contents alone.
        self.approvals.of(&World::new(self.fs, &Places::default(), &()), skill).trust()
    }

    fn holds(&self, asked: &Permission) -> bool {
        self.permissions.iter().any(|held| held.covers(asked))
    }
}

#[cfg_attr(test, test)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut fs = MemFs::new();
    let report = "name: report\ndescription: Reports.\nsandbox: true\npermissions: [\"@read:/data/notes\"]";
    fs.file("/p/.daycare/skills/report/SKILL.md", format!("---\n{report}\n---\nSum up.\n"));
    let ship = "name: ship\ndescription: Ships.\nsven: {requires_bins: [docker]}";
    fs.file("/p/.sven/skills/ship/SKILL.md", format!("---\n{ship}\n---\nShip it.\n"));
    let places = Places { project: FsPath::new("/p").ok(), ..Places::default() };

    // Discovery leaves out a skill whose program is missing.
    let mut agent = Agent { fs: &fs, approvals: Approvals::default(), programs: &["git"], permissions: Vec::new() };
    let catalog = skilltree::discover(&World::new(&fs, &places, &agent), &skilltree::dialect::sven());
    assert_eq!(catalog.findings()[0].code, Code::UnmetRequirement);

    // A separate agent is not started with a permission that its caller does not hold.
    let daycare = skilltree::dialect::daycare();
    let call = |agent: &Agent<'_>| {
        let world = World::new(&fs, &places, agent);
        skilltree::call(&world, &skilltree::discover(&world, &daycare), r#"{"name": "report", "prompt": "This week."}"#)
    };
    assert!(matches!(call(&agent), Err(Error::PermissionNotHeld { .. })));
    agent.permissions.extend(Permission::parse("@read:/data"));

    // It is granted nothing for a skill that the user has not approved.
    assert!(matches!(call(&agent)?, Invocation::Fork(task) if task.trusted().is_err() && task.granted().is_empty()));

    // The user is shown all that the approval covers, and approves it; the host writes the file.
    let world = World::new(&fs, &places, &agent);
    let catalog = skilltree::discover(&world, &daycare);
    let report = catalog.find("report", Caller::User)?;
    let store = FsPath::new("/me/approvals.json")?;
    let write = Review::of(&world, &catalog, report)?.approve(&world, report, &store)?;
    let mut disk = MemFs::new();
    disk.file(write.path.as_str(), write.bytes);
    agent.approvals = Approvals::read(&disk, &store);
    assert!(matches!(call(&agent)?, Invocation::Fork(task) if task.granted() == ["@read:/data/notes"]));
    Ok(())
}
