//! A host and places that are given as JSON: for bindings to other languages, such as the WASM module, and by a receipt,
//! which records the answers of another host.

pub(crate) mod arguments;

pub use self::arguments::{Arguments, Refusal};

use crate::model::skill::{Permission, Requirement, Skill};
use crate::model::world::{Fingerprint, Host, Override, Places, Trust};
use crate::path::FsPath;
use crate::text::digest::Digest;
use crate::text::json::{Fields, Json};
use crate::text::order::sort_by;
use std::borrow::Borrow;
use std::cell::RefCell;

/// A host whose answers are given. What is not given is not met, not trusted and not granted. All lists are in byte order,
/// but for the names of commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenHost {
    programs: Vec<String>,
    environment: Vec<String>,
    enabled: Vec<String>,
    disabled: Vec<String>,
    /// Whether all skills are trusted.
    trust: bool,
    /// The trust in single skills, by their paths.
    trusts: Vec<(FsPath, Trust)>,
    places: Places,
    /// Tags of permissions.
    permissions: Vec<String>,
    variables: Vec<(String, String)>,
    ranks: Vec<(String, u64)>,
    unreadable: Vec<FsPath>,
    /// The host's own command names.
    pub reserved: Vec<String>,
}

impl GivenHost {
    /// The host that the field `host` describes.
    pub fn read(arguments: &Arguments<'_>, places: &Places) -> Result<GivenHost, Box<Refusal>> {
        let known = &[
            "disable",
            "enable",
            "environment",
            "permissions",
            "programs",
            "ranks",
            "reserved",
            "trust",
            "trusts",
            "unreadable",
            "variables",
        ];
        let given = arguments.object("host", known)?;
        let texts = |name: &str| given.texts(name).map(sorted);
        let mut host = GivenHost {
            programs: texts("programs")?,
            environment: texts("environment")?,
            enabled: texts("enable")?,
            disabled: texts("disable")?,
            trust: given.flag("trust")?,
            places: places.clone(),
            permissions: texts("permissions")?,
            unreadable: sorted(given.paths("unreadable")?),
            reserved: given.texts("reserved")?,
            ..GivenHost::default()
        };
        if let Some(tag) = host.permissions.iter().find(|tag| Permission::parse(tag).is_none()) {
            let forms = "@network, @events, @read:PATH, @write:PATH or another tag that begins with @";
            return Err(Refusal::arguments(format!("`{tag}` is not a permission; expected {forms}")));
        }
        for (name, value) in given.pairs("variables")? {
            match value.as_text() {
                Some(text) => set(&mut host.variables, name, text.to_owned()),
                None => return Err(Refusal::arguments(format!("the variable `{name}` must be a string"))),
            }
        }
        for (key, rank) in given.pairs("ranks")? {
            let number = match rank {
                Json::Number(text) => text.parse().ok(),
                _ => None,
            };
            match number {
                Some(number) => set(&mut host.ranks, key, number),
                None => {
                    let message = format!("the rank of `{key}` must be a non-negative integer");
                    return Err(Refusal::arguments(message));
                }
            }
        }
        for one in given.list("trusts")? {
            let one = Arguments::new("trusts", one, &["folder", "manifest", "path", "reason", "trusted"])?;
            set(&mut host.trusts, &one.required_path("path")?, read_trust(&one)?);
        }
        Ok(host)
    }

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

fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    sort_by(&mut items, Ord::cmp);
    items.dedup();
    items
}

fn has<Q: Ord + ?Sized, T: Borrow<Q>>(items: &[T], item: &Q) -> bool {
    items.binary_search_by(|known| known.borrow().cmp(item)).is_ok()
}

fn add<T: Ord>(items: &mut Vec<T>, item: T) {
    if let Err(at) = items.binary_search(&item) {
        items.insert(at, item);
    }
}

fn get<'v, Q: Ord + ?Sized, K: Borrow<Q>, V>(pairs: &'v [(K, V)], key: &Q) -> Option<&'v V> {
    let at = pairs.binary_search_by(|(known, _)| known.borrow().cmp(key)).ok()?;
    pairs.get(at).map(|(_, value)| value)
}

fn set<Q: Ord + ToOwned<Owned = K> + ?Sized, K: Borrow<Q>, V>(pairs: &mut Vec<(K, V)>, key: &Q, value: V) {
    match pairs.binary_search_by(|(known, _)| known.borrow().cmp(key)) {
        Ok(at) => pairs[at].1 = value,
        Err(at) => pairs.insert(at, (key.to_owned(), value)),
    }
}

fn read_trust(given: &Arguments<'_>) -> Result<Trust, Box<Refusal>> {
    let digest = |name: &str| match given.text(name)? {
        None => Ok(None),
        Some(text) => Digest::parse(text).map(Some).ok_or_else(|| {
            Refusal::arguments(format!("`{name}` of `trusts` must be `sha256:` and 64 hexadecimal digits"))
        }),
    };
    Ok(match (given.flag("trusted")?, digest("folder")?, digest("manifest")?) {
        (true, Some(folder), Some(manifest)) => Trust::Contents(Fingerprint { folder, manifest }),
        (true, None, None) => Trust::Yes,
        (true, ..) => {
            let both = "`folder` and `manifest` of `trusts` must be given together";
            return Err(Refusal::arguments(both.to_owned()));
        }
        (false, ..) => Trust::No(given.text("reason")?.map(str::to_owned)),
    })
}

fn trust_json(path: &FsPath, trust: &Trust) -> Json {
    let mut fields = Fields::default();
    fields.text("path", path.as_str()).flag("trusted", !matches!(trust, Trust::No(_)));
    match trust {
        Trust::Yes => {}
        Trust::No(reason) => _ = fields.some_text("reason", reason.as_deref()),
        Trust::Contents(print) => {
            fields.text("folder", &print.folder.to_string()).text("manifest", &print.manifest.to_string());
        }
    }
    fields.done()
}

impl Host for GivenHost {
    fn meets(&self, need: &Requirement) -> bool {
        match need {
            Requirement::Bin(name) => has(&self.programs, name),
            Requirement::Env(name) => has(&self.environment, name),
        }
    }

    fn trusts(&self, skill: &Skill) -> Trust {
        if self.trust {
            return Trust::Yes;
        }
        let given = get(&self.trusts, &skill.path).cloned();
        given.unwrap_or_else(|| if self.places.is_from_project(skill) { Trust::No(None) } else { Trust::Yes })
    }

    fn holds(&self, permission: &Permission) -> bool {
        self.permissions.iter().filter_map(|tag| Permission::parse(tag)).any(|held| held.covers(permission))
    }

    fn may_read(&self, file: &FsPath) -> bool {
        !has(&self.unreadable, file)
    }

    fn variable(&self, name: &str) -> Option<String> {
        get(&self.variables, name).cloned()
    }

    fn rank(&self, skill: &Skill) -> u64 {
        get(&self.ranks, skill.key.as_str()).copied().unwrap_or_default()
    }

    fn override_of(&self, skill: &Skill) -> Override {
        Override::of(skill, &|key| has(&self.enabled, key), &|key| has(&self.disabled, key))
    }
}

/// A host that notes the answers of another one, as a [`GivenHost`] which answers the same.
pub(crate) struct RecordedHost<'h> {
    host: &'h dyn Host,
    answers: RefCell<GivenHost>,
}

impl<'h> RecordedHost<'h> {
    pub(crate) fn new(host: &'h dyn Host, places: &Places) -> RecordedHost<'h> {
        RecordedHost { host, answers: RefCell::new(GivenHost { places: places.clone(), ..GivenHost::default() }) }
    }

    /// The answers so far.
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

/// The places that the field `places` names.
pub fn read_places(arguments: &Arguments<'_>) -> Result<Places, Box<Refusal>> {
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

/// What [`read_places`] reads.
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
