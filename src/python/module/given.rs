//! Reads what Python gives: the files, the places and the host of a call. A value of the wrong type is a `TypeError`,
//! as it is anywhere in Python; what the engine refuses is an exception of this package.

use crate::error::{Failure, wrong_type};
use crate::machine::{self, Machine};
use crate::python_fs::{PythonFs, bytes_like};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyDict, PyInt, PyMapping, PyMemoryView, PyString};
use pyo3::{PyTraverseError, PyVisit};
use skilltree::dialect::NAMES;
use skilltree::discovery::given::{Arguments, GivenHost};
use skilltree::host::Programs;
use skilltree::model::Reading;
use skilltree::{Caller, Diagnostic, Dialect, FsPath, Json, MemFs, OsFs, Places, World, dialect};
use std::path::PathBuf;
use std::sync::Arc;

/// The files of the skills.
pub(crate) enum Files {
    /// The real disk.
    Disk(OsFs),
    /// A tree in memory, which never changes.
    Memory(Box<MemFs>),
    /// An object of Python.
    Object(Py<PyAny>),
}

/// Everything that the answers depend on, but for the dialect.
pub(crate) struct Setup {
    pub(crate) files: Files,
    pub(crate) places: Places,
    pub(crate) host: Machine,
    pub(crate) reading: Option<Reading>,
    /// Findings about the user's choices.
    pub(crate) notes: Vec<Diagnostic>,
}

impl Setup {
    pub(crate) fn read(
        dialect: &Dialect,
        files: &Bound<'_, PyAny>,
        places: &Bound<'_, PyDict>,
        host: &Bound<'_, PyAny>,
        reading: Option<&str>,
    ) -> PyResult<Setup> {
        let files = Files::read(files)?;
        let mut places = files.places(places)?;
        let notes = match files {
            Files::Disk(_) => machine::complete(&mut places, dialect)?,
            Files::Memory(_) | Files::Object(_) => Vec::new(),
        };
        let host = files.host(host, &places)?;
        let reading = reading.map(|name| {
            let why = || format!("`reading` must be `faithful` or `repaired`, not `{name}`");
            Reading::named(name).ok_or_else(|| Failure::value("bad-arguments", why()))
        });
        Ok(Setup { files, places, host, reading: reading.transpose()?, notes })
    }

    /// Lets the engine work, detached from the interpreter, so that other threads of Python go on meanwhile. Nothing
    /// here holds a lock while it waits for the interpreter, or the other way round.
    ///
    /// # Errors
    /// The exception that ended the call, if the files are an object of Python's and it raised one that is no answer.
    pub(crate) fn work<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&World<'_>) -> T + Send) -> PyResult<T> {
        py.detach(|| match &self.files {
            Files::Disk(fs) => Ok(work(&self.world(fs))),
            Files::Memory(fs) => Ok(work(&self.world(fs.as_ref()))),
            Files::Object(object) => {
                let fs = PythonFs::new(object);
                let answer = work(&self.world(&fs));
                fs.into_interruption().map_or(Ok(answer), Err)
            }
        })
    }

    fn world<'w>(&'w self, fs: &'w dyn skilltree::Fs) -> World<'w> {
        World::new(fs, &self.places, &self.host).with_reading(self.reading).with_resources()
    }

    /// Shows Python's garbage collector the object that this holds.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match &self.files {
            Files::Object(object) => visit.call(object),
            Files::Disk(_) | Files::Memory(_) => Ok(()),
        }
    }
}

impl Files {
    fn read(files: &Bound<'_, PyAny>) -> PyResult<Files> {
        if files.is_none() {
            return Ok(Files::Disk(OsFs::new()));
        }
        if let Ok(files) = files.cast::<PyMapping>() {
            return Ok(Files::Memory(Box::new(tree(files)?)));
        }
        let has = |name: &str| files.getattr(name).is_ok_and(|method| method.is_callable());
        if has("list") && has("read") {
            return Ok(Files::Object(files.clone().unbind()));
        }
        Err(wrong_type("files", "None, a mapping of paths to contents, or an object with `list` and `read`", files))
    }

    /// The path that a value names.
    pub(crate) fn path(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<FsPath> {
        let path: PathBuf = value.extract().map_err(|_| wrong_type(name, "a `str` or an `os.PathLike`", value))?;
        let bad = |why: &str| Failure::value("bad-path", format!("`{}` is not a valid path: {why}", path.display()));
        let text = path.to_str().ok_or_else(|| bad("expected UTF-8"))?;
        Ok(match self {
            Files::Disk(_) => machine::path(text)?,
            Files::Memory(_) | Files::Object(_) => FsPath::new(text).map_err(|error| bad(&error.to_string()))?,
        })
    }

    /// The paths that an iterable of values names; or a single one.
    pub(crate) fn paths(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<FsPath>> {
        let is_one = value.is_instance_of::<PyString>() || value.hasattr("__fspath__")?;
        if is_one {
            return Ok(vec![self.path(name, value)?]);
        }
        items(name, value)?.iter().map(|item| self.path(name, item)).collect()
    }

    fn places(&self, given: &Bound<'_, PyDict>) -> PyResult<Places> {
        let mut places = Places::default();
        for (name, value) in given {
            let name: String = name.extract()?;
            if value.is_none() {
                continue;
            }
            let path = || self.path(&name, &value).map(Some);
            let paths = || self.paths(&name, &value);
            match name.as_str() {
                "active" => places.active = path()?,
                "bundled" => places.bundled = path()?,
                "config" => places.config = path()?,
                "follow_links_out" => places.follow_links_out = flag(&name, &value)?,
                "home" => places.home = path()?,
                "managed" => places.managed = path()?,
                "mount" => places.mount = Some(text(&name, &value)?),
                "only_roots" => places.only_roots = flag(&name, &value)?,
                "project" => places.project = path()?,
                "project_choices" => places.project_choices = paths()?,
                "registered" => places.registered = self.registered(&value)?,
                "roots" => places.roots = paths()?,
                "touched" => places.touched = paths()?,
                "user" => places.user = path()?,
                "user_choices" => places.user_choices = path()?,
                _ => return Err(PyTypeError::new_err(format!("there is no place `{name}`"))),
            }
        }
        Ok(places)
    }

    /// The skills of plugins, each a mapping with `id` and `path`.
    fn registered(&self, value: &Bound<'_, PyAny>) -> PyResult<Vec<(String, FsPath)>> {
        let one = |item: &Bound<'_, PyAny>| {
            let fields = item.cast::<PyMapping>().ok().and_then(|item| {
                let field = |name: &str| item.get_item(name).ok();
                field("id").zip(field("path")).filter(|_| item.len().is_ok_and(|len| len == 2))
            });
            let (id, path) = fields.ok_or_else(|| wrong_type("registered", "mappings with `id` and `path`", item))?;
            Ok((text("id", &id)?, self.path("path", &path)?))
        };
        items("registered", value)?.iter().map(one).collect()
    }

    fn host(&self, given: &Bound<'_, PyAny>, places: &Places) -> PyResult<Machine> {
        let mut fields = Vec::new();
        if !given.is_none() {
            let given = given.cast::<PyMapping>().map_err(|_| wrong_type("host", "a mapping", given))?;
            for pair in given.items()? {
                let (name, value): (String, Bound<'_, PyAny>) = pair.extract()?;
                if !value.is_none() {
                    let value = self.host_field(&name, &value)?;
                    fields.push((name, value));
                }
            }
        }
        let is_disk = matches!(self, Files::Disk(_));
        let lacks = |name: &str| is_disk && !fields.iter().any(|(known, _)| known == name);
        let programs = lacks("programs").then(Programs::of_environment);
        let (has_environment, has_variables) = (lacks("environment"), lacks("variables"));
        let json = Json::map([("host", Json::map(fields))]);
        let given = GivenHost::read(&Arguments::new("discover", &json, &["host"]).map_err(Failure::from)?, places);
        Ok(Machine { given: given.map_err(Failure::from)?, programs, has_environment, has_variables })
    }

    /// A field of the host, with the type that the field has. What an unknown field holds does not matter, as it is
    /// refused.
    fn host_field(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Json> {
        let pairs = |read: &dyn Fn(&str, &Bound<'_, PyAny>) -> PyResult<Json>| {
            let value = value.cast::<PyMapping>().map_err(|_| wrong_type(name, "a mapping", value))?;
            let mut fields = Vec::new();
            for pair in value.items()? {
                let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
                let key = text(name, &key)?;
                let value = read(&key, &value)?;
                fields.push((key, value));
            }
            Ok::<Json, PyErr>(Json::map(fields))
        };
        Ok(match name {
            "trust" => Json::from(flag(name, value)?),
            "variables" => pairs(&|key, value| text(key, value).map(Json::from))?,
            "ranks" => pairs(&|key, value| number(key, value).map(Json::from))?,
            "unreadable" => Json::from(self.path_texts(name, value)?.as_slice()),
            "trusts" => {
                let trust = |item: &Bound<'_, PyAny>| {
                    let item = item.cast::<PyMapping>().map_err(|_| wrong_type(name, "a list of mappings", item))?;
                    let mut fields = Vec::new();
                    for pair in item.items()? {
                        let (key, value): (String, Bound<'_, PyAny>) = pair.extract()?;
                        let value = match key.as_str() {
                            "trusted" => Json::from(flag(&key, &value)?),
                            "path" => Json::from(self.path(&key, &value)?.as_str()),
                            _ => Json::from(text(&key, &value)?),
                        };
                        fields.push((key, value));
                    }
                    Ok(Json::map(fields))
                };
                Json::List(items(name, value)?.iter().map(trust).collect::<PyResult<_>>()?)
            }
            "disable" | "enable" | "environment" | "permissions" | "programs" | "reserved" => {
                Json::from(texts(name, value)?.as_slice())
            }
            _ => Json::Null,
        })
    }

    fn path_texts(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
        Ok(self.paths(name, value)?.iter().map(|path| path.as_str().to_owned()).collect())
    }
}

/// The tree in memory of a mapping from paths to contents: text, bytes, None for a folder, or a mapping with the field
/// `link` for a symbolic link.
fn tree(files: &Bound<'_, PyMapping>) -> PyResult<MemFs> {
    let mut fs = MemFs::new();
    for pair in files.items()? {
        let (path, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
        let path = text("a path of files", &path)?;
        if value.is_none() {
            fs.dir(&path);
        } else if let Ok(bytes) = value.cast::<PyBytes>() {
            fs.file(&path, bytes.as_bytes());
        } else if let Ok(text) = value.cast::<PyString>() {
            fs.file(&path, text.to_cow()?.as_bytes());
        } else if value.is_instance_of::<PyByteArray>() || value.is_instance_of::<PyMemoryView>() {
            let bytes = bytes_like(&value)?;
            fs.file(&path, bytes.as_ref().map_or(&[][..], |bytes| bytes.as_bytes()));
        } else {
            let link = value.cast::<PyMapping>().ok().and_then(|value| value.get_item("link").ok());
            let link = link.ok_or_else(|| {
                let expected = "`str`, `bytes`, None for a folder, or a mapping with `link` for a symbolic link";
                wrong_type(&format!("files[{path:?}]"), expected, &value)
            })?;
            fs.link(&path, &text("link", &link)?);
        }
    }
    Ok(fs)
}

/// The items of an iterable that is no text, which would be taken for a list of letters.
pub(crate) fn items<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let is_text = value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>();
    match value.try_iter() {
        Ok(items) if !is_text => items.collect(),
        _ => Err(wrong_type(name, "a list or another iterable", value)),
    }
}

/// The texts of an iterable.
pub(crate) fn texts(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    items(name, value)?.iter().map(|item| text(name, item)).collect()
}

fn text(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = value.cast::<PyString>().map_err(|_| wrong_type(name, "a `str`", value))?;
    Ok(text.to_cow()?.into_owned())
}

fn flag(name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.cast::<PyBool>().map(|flag| flag.is_true()).map_err(|_| wrong_type(name, "a `bool`", value))
}

/// A whole number. One that does not fit limits nothing.
pub(crate) fn number(name: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    let is_number = value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>();
    if !is_number {
        return Err(wrong_type(name, "an `int`", value));
    }
    if value.lt(0)? {
        let why = format!("`{name}` must be a non-negative integer, not {value}");
        return Err(Failure::value("bad-arguments", why).into());
    }
    Ok(value.extract().unwrap_or(usize::MAX))
}

/// The number in an argument that may be absent.
pub(crate) fn optional_number(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if value.is_none() { Ok(None) } else { number(name, value).map(Some) }
}

pub(crate) fn caller(name: &str) -> Result<Caller, Failure> {
    let why = || format!("`caller` must be `model` or `user`, not `{name}`");
    Caller::named(name).ok_or_else(|| Failure::value("bad-arguments", why()))
}

pub(crate) fn dialect_named(name: &str) -> Result<Arc<Dialect>, Failure> {
    dialect(name).ok_or_else(|| {
        let near = Dialect::similar_names(name, NAMES.iter().copied());
        let near: Vec<String> = near.into_iter().map(|name| format!("`{name}`")).collect();
        let why = match near.is_empty() {
            true => format!("there is no dialect `{name}`; there are `{}`", NAMES.join("`, `")),
            false => format!("there is no dialect `{name}`; did you mean {}?", near.join(" or ")),
        };
        Failure::value("unknown-dialect", why)
    })
}
