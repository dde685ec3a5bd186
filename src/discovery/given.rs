//! A host and places that are given as JSON: for bindings to other languages, such as the WASM module, and by a receipt,
//! which records the answers of another host.

pub(crate) mod arguments;
#[cfg(feature = "receipts")]
mod recorded;

pub use self::arguments::{Arguments, Refusal};
#[cfg(feature = "receipts")]
pub(crate) use self::recorded::{RecordedHost, places_json};

use crate::discovery::world::{Fingerprint, Host, Override, Places, Trust};
use crate::model::skill::{Permission, Requirement, Skill};
use crate::path::FsPath;
use crate::text::digest::Digest;
use crate::text::json::Json;
use crate::text::order::sort_by;
use std::borrow::Borrow;

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
}

fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    sort_by(&mut items, Ord::cmp);
    items.dedup();
    items
}

fn has<Q: Ord + ?Sized, T: Borrow<Q>>(items: &[T], item: &Q) -> bool {
    items.binary_search_by(|known| known.borrow().cmp(item)).is_ok()
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

/// The places that the field `places` names.
pub(crate) fn read_places(arguments: &Arguments<'_>) -> Result<Places, Box<Refusal>> {
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

impl GivenHost {
    /// The places that the field `places` names.
    pub fn read_places(arguments: &Arguments<'_>) -> Result<Places, Box<Refusal>> {
        read_places(arguments)
    }
}
