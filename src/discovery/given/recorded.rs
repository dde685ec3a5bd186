//! The answers of another host, recorded as a [`GivenHost`] that gives the same answers, and as JSON.

use super::{GivenHost, set};
use crate::discovery::world::{Host, Override, Places, Trust};
use crate::model::skill::{Permission, Requirement, Skill};
use crate::path::FsPath;
use crate::text::json::{Fields, Json};
use std::cell::RefCell;

impl GivenHost {
    /// The host of these places, with further keys that are switched on, that are switched off, and tags of permissions.
    pub(crate) fn with(&self, places: &Places, more: [Vec<String>; 3], trust: bool) -> GivenHost {
        let mut host = GivenHost { places: places.clone(), trust: self.trust || trust, ..self.clone() };
        let lists = [&mut host.enabled, &mut host.disabled, &mut host.permissions];
        lists.into_iter().zip(more).for_each(|(list, more)| more.into_iter().for_each(|one| add(list, one)));
        host
    }

    /// What [`GivenHost::read`] reads, without the places.
    pub(crate) fn to_json(&self) -> Json {
        let variables = self.variables.iter().map(|(name, value)| (name.clone(), Json::from(value.as_str()))).collect();
        let ranks = self.ranks.iter().map(|(key, rank)| (key.clone(), Json::Number(rank.to_string()))).collect();
        let trusts = || Json::list(&self.trusts, |(path, trust)| trust_json(path, trust));
        let unreadable = || Json::list(&self.unreadable, |path| Json::from(path.as_str()));
        let map = |fields: Vec<(String, Json)>| (!fields.is_empty()).then_some(Json::Map(fields));
        Fields::default()
            .filled("disable", &self.disabled)
            .filled("enable", &self.enabled)
            .filled("environment", &self.environment)
            .filled("permissions", &self.permissions)
            .filled("programs", &self.programs)
            .some("ranks", map(ranks))
            .filled("reserved", &self.reserved)
            .some("trust", self.trust.then_some(Json::Bool(true)))
            .some("trusts", (!self.trusts.is_empty()).then(trusts))
            .some("unreadable", (!self.unreadable.is_empty()).then(unreadable))
            .some("variables", map(variables))
            .done()
    }
}

fn add<T: Ord>(items: &mut Vec<T>, item: T) {
    if let Err(at) = items.binary_search(&item) {
        items.insert(at, item);
    }
}

fn trust_json(path: &FsPath, trust: &Trust) -> Json {
    let mut fields = Fields::default();
    fields.text("path", path.as_str()).flag("trusted", !matches!(trust, Trust::No(_)));
    match trust {
        Trust::Yes => {}
        Trust::No(reason) => _ = fields.some_text("reason", reason.as_deref()),
        Trust::Contents { folder, manifest } => {
            fields.text("folder", &folder.to_string()).text("manifest", &manifest.to_string());
        }
    }
    fields.done()
}

/// A host that records the answers of another one.
pub(crate) struct RecordedHost<'h> {
    host: &'h dyn Host,
    answers: RefCell<GivenHost>,
}

impl<'h> RecordedHost<'h> {
    pub(crate) fn new(host: &'h dyn Host, places: &Places) -> RecordedHost<'h> {
        RecordedHost { host, answers: RefCell::new(GivenHost { places: places.clone(), ..GivenHost::default() }) }
    }

    pub(crate) fn answers(&self) -> GivenHost {
        self.answers.borrow().clone()
    }
}

impl Host for RecordedHost<'_> {
    fn meets(&self, need: &Requirement) -> bool {
        let is_met = self.host.meets(need);
        if is_met {
            let mut answers = self.answers.borrow_mut();
            match need {
                Requirement::Bin(name) => add(&mut answers.programs, name.clone()),
                Requirement::Env(name) => add(&mut answers.environment, name.clone()),
            }
        }
        is_met
    }

    fn trusts(&self, skill: &Skill) -> Trust {
        let trust = self.host.trusts(skill);
        set(&mut self.answers.borrow_mut().trusts, &skill.path, trust.clone());
        trust
    }

    fn holds(&self, permission: &Permission) -> bool {
        let is_held = self.host.holds(permission);
        if is_held {
            add(&mut self.answers.borrow_mut().permissions, permission.tag());
        }
        is_held
    }

    fn may_read(&self, file: &FsPath) -> bool {
        let may_read = self.host.may_read(file);
        if !may_read {
            add(&mut self.answers.borrow_mut().unreadable, file.clone());
        }
        may_read
    }

    fn variable(&self, name: &str) -> Option<String> {
        let value = self.host.variable(name);
        if let Some(value) = &value {
            set(&mut self.answers.borrow_mut().variables, name, value.clone());
        }
        value
    }

    fn rank(&self, skill: &Skill) -> u64 {
        let rank = self.host.rank(skill);
        if rank != 0 {
            set(&mut self.answers.borrow_mut().ranks, skill.key.as_str(), rank);
        }
        rank
    }

    fn override_of(&self, skill: &Skill) -> Override {
        let is = self.host.override_of(skill);
        let mut answers = self.answers.borrow_mut();
        match is {
            Override::Unset => {}
            Override::On => add(&mut answers.enabled, skill.key.clone()),
            Override::Off => add(&mut answers.disabled, skill.key.clone()),
        }
        is
    }
}

/// What [`GivenHost::read_places`] reads.
pub(crate) fn places_json(places: &Places) -> Json {
    let paths = |paths: &[FsPath]| (!paths.is_empty()).then(|| Json::list(paths, |path| Json::from(path.as_str())));
    let path = |path: &Option<FsPath>| path.as_ref().map(|path| Json::from(path.as_str()));
    let registered = || {
        Json::list(&places.registered, |(id, path)| Fields::default().text("id", id).text("path", path.as_str()).done())
    };
    Fields::default()
        .some("active", path(&places.active))
        .some("bundled", path(&places.bundled))
        .some("config", path(&places.config))
        .some("follow_links_out", places.follow_links_out.then_some(Json::Bool(true)))
        .some("home", path(&places.home))
        .some("managed", path(&places.managed))
        .some_text("mount", places.mount.as_deref())
        .some("only_roots", places.only_roots.then_some(Json::Bool(true)))
        .some("project", path(&places.project))
        .some("project_choices", paths(&places.project_choices))
        .some("registered", (!places.registered.is_empty()).then(registered))
        .some("roots", paths(&places.roots))
        .some("touched", paths(&places.touched))
        .some("user", path(&places.user))
        .some("user_choices", path(&places.user_choices))
        .done()
}
