//! A host and places that are given as JSON: for bindings to other languages, such as the WASM module, and by a receipt,
//! which records the answers of another host.

#[cfg(feature = "receipts")]
mod recorded;

#[cfg(feature = "receipts")]
pub(crate) use recorded::{RecordedHost, places_json};

use crate::discovery::world::{Host, Override, Places, Trust};
use crate::model::error::Error;
use crate::model::skill::{Caller, Permission, Requirement, Skill};
use crate::path::FsPath;
use crate::text::digest::Digest;
use crate::text::json::{Fields, Json};
use crate::text::list::quoted;
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
        (true, Some(folder), Some(manifest)) => Trust::Contents { folder, manifest },
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

/// Why a call is refused: a code for programs and a message for people. Boxed, as many functions return it.
#[derive(Debug)]
pub struct Refusal {
    code: &'static str,
    message: String,
}

impl Refusal {
    /// A refusal with a code of the caller's own.
    pub fn new(code: &'static str, message: String) -> Box<Refusal> {
        Box::new(Refusal { code, message })
    }

    /// A refusal with the code `bad-arguments`.
    pub fn arguments(message: String) -> Box<Refusal> {
        Refusal::new("bad-arguments", message)
    }

    /// `{"error": {"code": …, "message": …}}`.
    pub fn to_json(&self) -> Json {
        let error = Fields::default().text("code", self.code).text("message", &self.message).done();
        Fields::default().put("error", error).done()
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<Error> for Box<Refusal> {
    fn from(error: Error) -> Box<Refusal> {
        Refusal::new(error.code(), error.to_string())
    }
}

/// The fields of an object. Each method reads one of them, and refuses the call if the field has the wrong kind.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a> {
    /// The name of the call, or of the field that holds the object; for messages.
    name: &'a str,
    fields: &'a [(String, Json)],
}

impl<'a> Arguments<'a> {
    /// The fields of `json`, which must be an object without fields other than `known`.
    pub fn new(name: &'a str, json: &'a Json, known: &[&str]) -> Result<Arguments<'a>, Box<Refusal>> {
        let Json::Map(fields) = json else {
            return Err(Refusal::arguments(format!("`{name}` must be an object")));
        };
        match fields.iter().find(|(field, _)| !known.contains(&field.as_str())) {
            Some((field, _)) => {
                let known = quoted(known, ", ");
                Err(Refusal::arguments(format!("`{name}` has an unknown field `{field}`; known fields: {known}")))
            }
            None => Ok(Arguments { name, fields }),
        }
    }

    /// The object in a field; without fields if it is absent.
    pub fn object(&self, name: &'a str, known: &[&str]) -> Result<Arguments<'a>, Box<Refusal>> {
        match self.value(name) {
            Some(json) => Arguments::new(name, json, known),
            None => Ok(Arguments { name, fields: &[] }),
        }
    }

    /// The refusal of a field that must be of another kind.
    pub fn wrong(&self, name: &str, kind: &str) -> Box<Refusal> {
        Refusal::arguments(format!("`{name}` of `{}` must be {kind}", self.name))
    }

    /// The value of a field; `None` if it is absent or null.
    pub fn value(&self, name: &str) -> Option<&'a Json> {
        let field = self.fields.iter().find(|(known, _)| known == name);
        field.map(|(_, value)| value).filter(|value| **value != Json::Null)
    }

    /// The text in a field; `None` if it is absent.
    pub fn text(&self, name: &str) -> Result<Option<&'a str>, Box<Refusal>> {
        match self.value(name) {
            Some(value) => value.as_text().map(Some).ok_or_else(|| self.wrong(name, "a text")),
            None => Ok(None),
        }
    }

    /// The text in a field, which must be there.
    pub fn required_text(&self, name: &str) -> Result<&'a str, Box<Refusal>> {
        self.text(name)?.ok_or_else(|| self.wrong(name, "present, and a string"))
    }

    /// The whole number in a field; `None` if it is absent.
    pub fn number(&self, name: &str) -> Result<Option<usize>, Box<Refusal>> {
        match self.value(name) {
            None => Ok(None),
            // A limit that does not fit limits nothing.
            Some(Json::Number(text)) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                Ok(Some(text.parse().unwrap_or(usize::MAX)))
            }
            Some(_) => Err(self.wrong(name, "a non-negative integer")),
        }
    }

    /// The whole number in a field, which must be there.
    pub fn required_number(&self, name: &str) -> Result<usize, Box<Refusal>> {
        self.number(name)?.ok_or_else(|| self.wrong(name, "present, and a number"))
    }

    /// The truth value in a field; false if it is absent.
    pub fn flag(&self, name: &str) -> Result<bool, Box<Refusal>> {
        self.flag_or(name, false)
    }

    /// The same, and `absent` if there is none.
    pub fn flag_or(&self, name: &str, absent: bool) -> Result<bool, Box<Refusal>> {
        match self.value(name) {
            None => Ok(absent),
            Some(Json::Bool(value)) => Ok(*value),
            Some(_) => Err(self.wrong(name, "true or false")),
        }
    }

    /// Who asks, in the field `as`: the user if it is absent.
    pub fn caller(&self) -> Result<Caller, Box<Refusal>> {
        let Some(name) = self.text("as")? else { return Ok(Caller::User) };
        Caller::named(name).ok_or_else(|| self.wrong("as", &format!("`user` or `model`, not `{name}`")))
    }

    /// The items of a list; none if it is absent.
    pub fn list(&self, name: &str) -> Result<&'a [Json], Box<Refusal>> {
        match self.value(name) {
            None => Ok(&[]),
            Some(Json::List(items)) => Ok(items),
            Some(_) => Err(self.wrong(name, "a list")),
        }
    }

    /// The texts of a list; none if it is absent.
    pub fn texts(&self, name: &str) -> Result<Vec<String>, Box<Refusal>> {
        let mut texts = Vec::new();
        for item in self.list(name)? {
            let text = item.as_text().ok_or_else(|| self.wrong(name, "an array of strings"))?;
            texts.push(text.to_owned());
        }
        Ok(texts)
    }

    /// The names and values of an object whose names are the caller's.
    pub fn pairs(&self, name: &str) -> Result<&'a [(String, Json)], Box<Refusal>> {
        match self.value(name) {
            None => Ok(&[]),
            Some(Json::Map(fields)) => Ok(fields),
            Some(_) => Err(self.wrong(name, "an object")),
        }
    }

    /// The absolute path in a field; `None` if it is absent.
    pub fn path(&self, name: &str) -> Result<Option<FsPath>, Box<Refusal>> {
        self.text(name)?.map(parse_path).transpose()
    }

    /// The absolute paths of a list; none if it is absent.
    pub fn paths(&self, name: &str) -> Result<Vec<FsPath>, Box<Refusal>> {
        let mut paths = Vec::new();
        for text in self.texts(name)? {
            paths.push(parse_path(&text)?);
        }
        Ok(paths)
    }

    /// The absolute path in a field, which must be there.
    pub fn required_path(&self, name: &str) -> Result<FsPath, Box<Refusal>> {
        parse_path(self.required_text(name)?)
    }
}

pub(crate) fn parse_path(text: &str) -> Result<FsPath, Box<Refusal>> {
    FsPath::new(text).map_err(|error| Refusal::new("bad-path", format!("`{text}` is not a valid path: {error}")))
}
