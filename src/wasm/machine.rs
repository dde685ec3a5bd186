//! In: what a call says of the host and of the places. Out: the same as a [`Host`] and as [`Places`]. What is not said
//! is not so: nothing is met, trusted or held. Absent: any look at the machine, which a module cannot see.

use super::ask::{Ask, Refusal};
use crate::model::skill::{Permission, Requirement, Skill};
use crate::model::world::{Host, Override, Places, Trust};
use crate::path::FsPath;
use crate::text::json::Json;
use std::collections::HashSet;

/// A host that answers by what it was told.
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
    pub(super) fn read(call: &Ask<'_>, places: &Places) -> Machine {
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
        let ask = call.part("host", known);
        let set = |name: &str| HashSet::from_iter(ask.texts(name));
        let mut machine = Machine {
            programs: set("programs"),
            environment: set("environment"),
            enabled: set("enable"),
            disabled: set("disable"),
            trust: ask.flag("trust"),
            places: places.clone(),
            permissions: Vec::new(),
            variables: Vec::new(),
            ranks: Vec::new(),
            unreadable: ask.paths("unreadable"),
            reserved: ask.texts("reserved"),
        };
        let wrong = |message: String| ask.refuse(Refusal::arguments(message));
        for tag in ask.texts("permissions") {
            match Permission::parse(&tag) {
                Some(permission) => machine.permissions.push(permission),
                None => {
                    let forms = "@network, @events, @read:PATH or @write:PATH";
                    wrong(format!("`{tag}` is not a permission; expected {forms}"));
                }
            }
        }
        for (name, value) in ask.pairs("variables") {
            match value.as_text() {
                Some(text) => machine.variables.push((name.clone(), text.to_owned())),
                None => wrong(format!("the variable `{name}` must be a string")),
            }
        }
        for (key, rank) in ask.pairs("ranks") {
            let number = match rank {
                Json::Number(text) => text.parse().ok(),
                _ => None,
            };
            match number {
                Some(number) => machine.ranks.push((key.clone(), number)),
                None => wrong(format!("the rank of `{key}` must be a non-negative integer")),
            }
        }
        machine.unreadable.sort_unstable();
        machine.ranks.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        machine
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

/// Where to look.
pub(super) fn places(call: &Ask<'_>) -> Places {
    let known = &[
        "active",
        "bundled",
        "config",
        "follow_links_out",
        "home",
        "mount",
        "only_roots",
        "project",
        "registered",
        "roots",
        "user",
    ];
    let ask = call.part("places", known);
    let mut places = Places {
        project: ask.path("project"),
        home: ask.path("home"),
        bundled: ask.path("bundled"),
        config: ask.path("config"),
        user: ask.path("user"),
        active: ask.path("active"),
        mount: ask.text("mount").map(str::to_owned),
        registered: Vec::new(),
        roots: ask.paths("roots"),
        only_roots: ask.flag("only_roots"),
        follow_links_out: ask.flag("follow_links_out"),
    };
    for one in ask.list("registered") {
        let one = ask.item("registered", one, &["id", "path"]);
        places.registered.push((one.needed("id").to_owned(), one.needed_path("path")));
    }
    places
}
