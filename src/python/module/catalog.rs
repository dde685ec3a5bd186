//! [`Catalog`], the class with the skills of one discovery, and its methods. What they take and answer is documented in
//! Python.

use crate::answer::{Answer, object};
use crate::error::Failure;
use crate::given::{Files, Setup, caller, dialect_named, optional_number, texts};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{PyTraverseError, PyVisit};
use skilltree::offer::{Query, SearchIndex, SearchRequest};
use skilltree::{
    CheckRequest, Command, Diagnostic, Dialect, Error, IncrementalDiscovery, Invocation, Json, LoadRequest,
    PromptRequest, SelectRequest, Why, World, check, commands, discover, invoke, load, prompt, select, tool, why,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The skills that one dialect finds in a set of files.
#[pyclass(frozen, module = "skilltree_engine._engine")]
pub(crate) struct Catalog {
    dialect: Arc<Dialect>,
    setup: Setup,
    now: Mutex<Now>,
    /// What finds changes; made by the first refresh, as most programs discover once.
    live: Mutex<Option<IncrementalDiscovery>>,
}

/// What was discovered last, and the indexes of the search that were made since then.
struct Now {
    catalog: skilltree::Catalog,
    /// How many times it was discovered.
    age: u64,
    /// Without the bodies of skills, and with them; each with the age of the catalog that it was made of.
    indexes: [Option<(u64, Arc<SearchIndex>)>; 2],
}

/// What is behind a lock is complete at any time, so a panic elsewhere leaves nothing incomplete.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Catalog {
    fn catalog(&self) -> skilltree::Catalog {
        locked(&self.now).catalog.clone()
    }

    /// Lets the engine answer from the catalog.
    fn answer<'py, A: Into<Answer> + Send>(
        &self,
        py: Python<'py>,
        answer: impl FnOnce(&World<'_>, &skilltree::Catalog) -> Result<A, Failure> + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let catalog = self.catalog();
        self.setup.work(py, |world| answer(world, &catalog))??.into().into_object(py)
    }

    /// An index of the catalog. No lock is held while it is made, as the files may be those of an object of Python's,
    /// which may call this catalog again.
    fn index(&self, world: &World<'_>, has_bodies: bool) -> (u64, Arc<SearchIndex>) {
        let (catalog, age, known) = {
            let now = locked(&self.now);
            (now.catalog.clone(), now.age, now.indexes[usize::from(has_bodies)].clone())
        };
        let index = match (known, has_bodies) {
            (Some((known, index)), _) if known == age => index,
            (None, false) => Arc::new(SearchIndex::new(&catalog)),
            (None, true) => Arc::new(SearchIndex::with_bodies(world, &catalog)),
            (Some((_, index)), false) => {
                let mut index = Arc::unwrap_or_clone(index);
                index.update(&catalog);
                Arc::new(index)
            }
            (Some((_, index)), true) => {
                let mut index = Arc::unwrap_or_clone(index);
                index.update_with_bodies(world, &catalog);
                Arc::new(index)
            }
        };
        (age, index)
    }
}

/// The size that the prompt may have, and what it is for.
fn prompt_request(
    budget: &Bound<'_, PyAny>,
    window: &Bound<'_, PyAny>,
    query: Option<&str>,
) -> PyResult<PromptRequest> {
    let (budget, window) = (optional_number("budget", budget)?, optional_number("window", window)?);
    Ok(PromptRequest { budget, window, query: query.map(|query| Query::from(query.to_owned())) })
}

#[pymethods]
impl Catalog {
    #[new]
    fn new(
        py: Python<'_>,
        dialect: &str,
        files: &Bound<'_, PyAny>,
        places: &Bound<'_, PyDict>,
        host: &Bound<'_, PyAny>,
        reading: Option<&str>,
    ) -> PyResult<Catalog> {
        let dialect = dialect_named(dialect)?;
        let setup = Setup::read(&dialect, files, places, host, reading)?;
        let catalog = setup.work(py, |world| discover(world, &dialect))?;
        let now = Mutex::new(Now { catalog, age: 0, indexes: [None, None] });
        Ok(Catalog { dialect, setup, now, live: Mutex::new(None) })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.setup.traverse(&visit)
    }

    fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.answer(py, |world, catalog| {
            let (reserved, notes) = (&self.setup.host.given.reserved, &self.setup.notes);
            if !catalog.skills().is_empty() && notes.is_empty() {
                return Ok(Answer::Json(catalog.to_json(world, &commands(catalog, reserved))));
            }
            // Only the text has findings of the caller's, and the places that were searched.
            let searched = catalog.skills().is_empty().then(|| world.searched_places(&self.dialect));
            Ok(Answer::Text(catalog.json_text(world, reserved, notes, searched.as_deref()).to_string()))
        })
    }

    fn prompt<'py>(
        &self,
        py: Python<'py>,
        budget: &Bound<'_, PyAny>,
        window: &Bound<'_, PyAny>,
        query: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let how = prompt_request(budget, window, query)?;
        self.answer(py, |world, catalog| Ok(prompt(world, catalog, &how).to_json()))
    }

    fn load<'py>(
        &self,
        py: Python<'py>,
        key: &str,
        caller: &str,
        args: &str,
        already: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let caller = self::caller(caller)?;
        let already = texts("already", already)?;
        let how = LoadRequest { caller, asked: Some(key.to_owned()), args: args.to_owned(), already_loaded: already };
        self.answer(py, |world, catalog| {
            let skill = match catalog.locate(world, key, caller) {
                Err(error @ Error::UnknownSkill { .. }) => {
                    // It may be a file of a skill.
                    return match catalog.load_file(world, key, caller)? {
                        Some(loaded) => Ok(loaded.to_json(world.fs, None)),
                        None => Err(error.into()),
                    };
                }
                found => found?,
            };
            let loaded = load(world, catalog, skill, &how)?;
            let view = catalog.load_view(world, &skill.key, Ok(skill));
            Ok(loaded.to_json(world.fs, view.as_deref()))
        })
    }

    fn invoke<'py>(&self, py: Python<'py>, line: &str) -> PyResult<Bound<'py, PyAny>> {
        self.answer(py, |world, catalog| {
            let commands = commands(catalog, &self.setup.host.given.reserved);
            let invocation = invoke(world, catalog, &commands, line)?;
            Ok(Invocation::line_json(world.fs, invocation.as_ref(), line))
        })
    }

    fn r#match<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        max: &Bound<'_, PyAny>,
        recent: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let max = optional_number("max", max)?;
        let how = SelectRequest { query: text.to_owned(), recent: texts("recent", recent)?, max };
        self.answer(py, |world, catalog| Ok(select(world, catalog, &how)?.to_json()))
    }

    fn search<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        limit: &Bound<'_, PyAny>,
        body: bool,
        caller: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut request = SearchRequest::new(text, self::caller(caller)?);
        request.limit = optional_number("limit", limit)?.unwrap_or(request.limit);
        let (age, index, answer) = self.setup.work(py, |world| {
            let (age, index) = self.index(world, body);
            let answer = index.search(&request).to_json(world.fs);
            (age, index, answer)
        })?;
        // Only now, as an index whose making was interrupted lacks bodies.
        let mut now = locked(&self.now);
        let place = &mut now.indexes[usize::from(body)];
        if place.as_ref().is_none_or(|(known, _)| *known < age) {
            *place = Some((age, index));
        }
        drop(now);
        object(py, &answer)
    }

    fn why<'py>(
        &self,
        py: Python<'py>,
        asked: &Bound<'_, PyAny>,
        budget: &Bound<'_, PyAny>,
        window: &Bound<'_, PyAny>,
        query: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let how = prompt_request(budget, window, query)?;
        let asked = match asked.extract::<String>() {
            Ok(asked) => asked,
            Err(_) => self.setup.files.path("asked", asked)?.as_str().to_owned(),
        };
        self.answer(py, |world, catalog| Ok(Why::all_to_json(world.fs, &asked, &why(world, catalog, &asked, &how))))
    }

    fn check<'py>(
        &self,
        py: Python<'py>,
        paths: &Bound<'_, PyAny>,
        strict: bool,
        profile: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let profile = profile.map_or_else(|| Ok(Arc::clone(&self.dialect)), dialect_named)?;
        let paths = self.setup.files.paths("paths", paths)?;
        self.answer(py, |world, _| {
            let mut found = check(world, &profile, &paths, &CheckRequest { strict })?;
            found.extend_from_slice(&self.setup.notes);
            Ok(Json::map([("findings", Diagnostic::all_to_json(world.fs, &found))]))
        })
    }

    fn tool<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.answer(py, |_, catalog| Ok(tool(catalog)?.to_json()))
    }

    fn call<'py>(&self, py: Python<'py>, arguments: &str) -> PyResult<Bound<'py, PyAny>> {
        self.answer(py, |world, catalog| {
            let answer = skilltree::call(world, catalog, arguments);
            let view = catalog.call_view(world, arguments, answer.as_ref().map(Invocation::key));
            Ok(Invocation::answer_json(world.fs, answer.as_ref(), view.as_deref()))
        })
    }

    fn complete<'py>(&self, py: Python<'py>, prefix: &str) -> PyResult<Bound<'py, PyAny>> {
        self.answer(py, |_, catalog| {
            let commands = commands(catalog, &self.setup.host.given.reserved);
            Ok(Command::all_to_json(&commands.complete(prefix.strip_prefix('/').unwrap_or(prefix))))
        })
    }

    /// Discovers again. Calls that have begun before answer from the catalog that there was then.
    fn refresh(&self, py: Python<'_>) -> PyResult<bool> {
        let before = self.catalog();
        let catalog = self.setup.work(py, |world| match self.setup.files {
            // An object of Python's says nothing about what has changed, so nothing could be saved. No lock is held
            // while it is asked, as it may call this catalog again.
            Files::Object(_) => discover(world, &self.dialect),
            Files::Disk(_) | Files::Memory(_) => {
                let mut live = locked(&self.live);
                let make = || IncrementalDiscovery::new(Arc::clone(&self.dialect));
                live.get_or_insert_with(make).refresh(world)
            }
        })?;
        let has_changed = catalog != before;
        let mut now = locked(&self.now);
        now.catalog = catalog;
        now.age += 1;
        Ok(has_changed)
    }

    /// How many skills there are, those that are switched off included.
    fn __len__(&self) -> usize {
        self.catalog().skills().len()
    }
}
