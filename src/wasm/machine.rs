//! Reads the fields `host` and `places` of a call, as a [`Host`] and as [`Places`]. A module cannot see the machine, so
//! what the call does not name is not met, not trusted and not granted.

use super::arguments::{Arguments, Refusal};
use crate::model::skill::{Permission, Requirement, Skill};
use crate::model::world::{Host, Override, Places, Trust};
use crate::path::FsPath;
use crate::text::json::Json;
use crate::text::order::sort_by;
use std::collections::HashSet;

/// A host whose answers a call has given.
pub(super) struct Machine {
    programs: HashSet<String>,
    environment: HashSet<String>,
    enabled: HashSet<String>,
    disabled: HashSet<String>,
    trust: bool,
    places: Places,
    permissions: Vec<Permission>,
    variables: Vec<(String, String)>,
    /// In byte order, as are the files that may not be read.
    ranks: Vec<(String, u64)>,
    unreadable: Vec<FsPath>,
    /// The host's own command names.
    pub(super) reserved: Vec<String>,
}

impl Machine {
    /// The host that the field `host` describes.
    pub(super) fn read(arguments: &Arguments<'_>, places: &Places) -> Result<Machine, Box<Refusal>> {
        let known = &[
            "disable",
            "enable",
            "environment",
            "permissions",
            "programs",
            "ranks",
            "reserved",
            "trust",
            "unreadable",
            "variables",
        ];
        let host = arguments.object("host", known)?;
        let set = |name: &str| host.texts(name).map(HashSet::from_iter);
        let mut machine = Machine {
            programs: set("programs")?,
            environment: set("environment")?,
            enabled: set("enable")?,
            disabled: set("disable")?,
            trust: host.flag("trust")?,
            places: places.clone(),
            permissions: Vec::new(),
            variables: Vec::new(),
            ranks: Vec::new(),
            unreadable: host.paths("unreadable")?,
            reserved: host.texts("reserved")?,
        };
        for tag in host.texts("permissions")? {
            match Permission::parse(&tag) {
                Some(permission) => machine.permissions.push(permission),
                None => {
                    let forms = "@network, @events, @read:PATH or @write:PATH";
                    return Err(Refusal::arguments(format!("`{tag}` is not a permission; expected {forms}")));
                }
            }
        }
        for (name, value) in host.pairs("variables")? {
            match value.as_text() {
                Some(text) => machine.variables.push((name.clone(), text.to_owned())),
                None => return Err(Refusal::arguments(format!("the variable `{name}` must be a string"))),
            }
        }
        for (key, rank) in host.pairs("ranks")? {
            let number = match rank {
                Json::Number(text) => text.parse().ok(),
                _ => None,
            };
            match number {
                Some(number) => machine.ranks.push((key.clone(), number)),
                None => {
                    let message = format!("the rank of `{key}` must be a non-negative integer");
                    return Err(Refusal::arguments(message));
                }
            }
        }
        sort_by(&mut machine.unreadable, Ord::cmp);
        sort_by(&mut machine.ranks, |(a, _), (b, _)| a.cmp(b));
        Ok(machine)
    }
}

impl Host for Machine {
    fn meets(&self, need: &Requirement) -> bool {
        match need {
            Requirement::Bin(name) => self.programs.contains(name),
            Requirement::Env(name) => self.environment.contains(name),
        }
    }

    fn trusts(&self, skill: &Skill) -> Trust {
        if self.trust || !self.places.is_from_project(skill) { Trust::Yes } else { Trust::No(None) }
    }

    fn holds(&self, permission: &Permission) -> bool {
        self.permissions.iter().any(|held| held.covers(permission))
    }

    fn may_read(&self, file: &FsPath) -> bool {
        self.unreadable.binary_search(file).is_err()
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    fn rank(&self, skill: &Skill) -> u64 {
        let at = self.ranks.binary_search_by(|(key, _)| key.cmp(&skill.key)).ok();
        at.and_then(|at| self.ranks.get(at)).map_or(0, |(_, rank)| *rank)
    }

    fn override_of(&self, skill: &Skill) -> Override {
        Override::of(skill, &|key| self.enabled.contains(key), &|key| self.disabled.contains(key))
    }
}

/// The places that the field `places` names.
pub(super) fn places(arguments: &Arguments<'_>) -> Result<Places, Box<Refusal>> {
    let known = &[
        "active",
        "bundled",
        "config",
        "follow_links_out",
        "home",
        "managed",
        "mount",
        "only_roots",
        "project",
        "project_choices",
        "registered",
        "roots",
        "touched",
        "user",
        "user_choices",
    ];
    let given = arguments.object("places", known)?;
    let mut places = Places {
        project: given.path("project")?,
        home: given.path("home")?,
        bundled: given.path("bundled")?,
        config: given.path("config")?,
        user: given.path("user")?,
        managed: given.path("managed")?,
        touched: given.paths("touched")?,
        user_choices: given.path("user_choices")?,
        project_choices: given.paths("project_choices")?,
        active: given.path("active")?,
        mount: given.text("mount")?.map(str::to_owned),
        registered: Vec::new(),
        roots: given.paths("roots")?,
        only_roots: given.flag("only_roots")?,
        follow_links_out: given.flag("follow_links_out")?,
    };
    for one in given.list("registered")? {
        let one = Arguments::new("registered", one, &["id", "path"])?;
        places.registered.push((one.required_text("id")?.to_owned(), one.required_path("path")?));
    }
    Ok(places)
}
