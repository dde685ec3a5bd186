//! The extension module `skilltree_engine._engine`, by which Python calls the engine. It is private: the package
//! `skilltree_engine` around it has the documented functions and their types. An answer is an object with the JSON that
//! the command line prints with `--json`, but for what the guide lists. The module has no state of its own, and lets other threads run while the
//! engine works.

mod answer;
mod catalog;
mod error;
mod given;
mod machine;
mod python_fs;

use pyo3::prelude::*;

#[pymodule]
mod _engine {
    use crate::answer::{Answer, object};
    use crate::error::Failure;
    use crate::given::{Setup, dialect_named, optional_number, texts};
    use pyo3::prelude::*;
    use pyo3::types::{PyDict, PyString};
    use skilltree::author::{MatrixColumn, MatrixTable, Overview};
    use skilltree::dialect::NAMES;
    use skilltree::fs::CachedFs;
    use skilltree::model::ParsedFrontmatters;
    use skilltree::{Dialect, Json, PromptRequest, World, discover};
    use std::sync::Arc;

    #[pymodule_export]
    use crate::catalog::Catalog;

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    fn all_dialects() -> Vec<Arc<Dialect>> {
        NAMES.iter().filter_map(|name| skilltree::dialect(name)).collect()
    }

    /// The tables of all built-in dialects.
    #[pyfunction]
    fn dialects(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        object(py, &Json::List(all_dialects().iter().map(|dialect| dialect.to_json()).collect()))
    }

    /// The table of one dialect.
    #[pyfunction]
    fn dialect<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        object(py, &dialect_named(name)?.to_json())
    }

    /// What each dialect does with each skill.
    #[pyfunction]
    fn matrix<'py>(
        py: Python<'py>,
        dialects: &Bound<'_, PyAny>,
        setup: (Bound<'_, PyAny>, Bound<'_, PyDict>, Bound<'_, PyAny>, Option<String>),
        diff: bool,
        budget: &Bound<'_, PyAny>,
        window: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (files, places, host, reading) = setup;
        let standard = dialect_named(NAMES[0])?;
        let setup = Setup::read(&standard, &files, &places, &host, reading.as_deref())?;
        let names = asked(dialects)?;
        let (budget, window) = (optional_number("budget", budget)?, optional_number("window", window)?);
        let size = PromptRequest { budget, window, query: None };
        let answer = setup.work(py, |world| -> Result<Answer, Failure> {
            let (cached, parsed) = (CachedFs::new(world.fs), ParsedFrontmatters::default());
            let mut world = world.with_parsed(&parsed);
            world.fs = &cached;
            let dialects = chosen(&world, names)?;
            let mut table = MatrixTable::new(dialects.len());
            for (at, dialect) in dialects.iter().enumerate() {
                table.add(&world, at, MatrixColumn::new(&world, &discover(&world, dialect), &size));
            }
            let mut found = table.matrix(&world);
            if diff {
                found.keep_differences();
            }
            Ok(Answer::Text(found.json_text(world.fs).to_string()))
        });
        answer??.into_object(py)
    }

    /// The names of dialects; `None` for the usual ones.
    fn asked(dialects: &Bound<'_, PyAny>) -> PyResult<Option<Vec<String>>> {
        if dialects.is_none() {
            return Ok(None);
        }
        if let Ok(name) = dialects.cast::<PyString>() {
            return Ok(Some(vec![name.to_cow()?.into_owned()]));
        }
        texts("dialects", dialects).map(Some)
    }

    /// The dialects of these names, each once. Without names, the standard and the clients that have left traces here.
    fn chosen(world: &World<'_>, names: Option<Vec<String>>) -> Result<Vec<Arc<Dialect>>, Failure> {
        let all = all_dialects();
        let mut found: Vec<Arc<Dialect>> = Vec::new();
        match names {
            None => found.extend(all.first().cloned().into_iter().chain(Overview::clients(world, &all))),
            Some(names) => {
                for name in names {
                    match name.as_str() {
                        "all" => found.extend(all.iter().cloned()),
                        name => found.push(dialect_named(name)?),
                    }
                }
            }
        }
        let mut once: Vec<Arc<Dialect>> = Vec::new();
        for dialect in found {
            if !once.contains(&dialect) {
                once.push(dialect);
            }
        }
        Ok(once)
    }
}
