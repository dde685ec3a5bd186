//! Makes objects of Python from the JSON of an answer. This takes three quarters of the time that it takes to write the
//! JSON of a thousand skills as text and to read that with Python's own `json.loads`.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyList, PyString};
use skilltree::Json;
use std::collections::HashMap;

/// The names of fields. Most stand in an answer many times, and are the same object then.
type Names<'py, 'j> = HashMap<&'j str, Bound<'py, PyString>>;

/// An answer of the engine. Some can only be written as text.
pub(crate) enum Answer {
    Json(Json),
    Text(String),
}

impl Answer {
    pub(crate) fn into_object(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self {
            Answer::Json(json) => object(py, &json),
            Answer::Text(text) => py.import("json")?.call_method1("loads", (text,)),
        }
    }
}

impl From<Json> for Answer {
    fn from(json: Json) -> Answer {
        Answer::Json(json)
    }
}

/// The object that `json.loads` would make of this JSON.
pub(crate) fn object<'py>(py: Python<'py>, json: &Json) -> PyResult<Bound<'py, PyAny>> {
    value(py, json, &mut HashMap::new())
}

fn value<'py, 'j>(py: Python<'py>, json: &'j Json, names: &mut Names<'py, 'j>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match json {
        Json::Null => py.None().into_bound(py),
        Json::Bool(flag) => PyBool::new(py, *flag).to_owned().into_any(),
        Json::Number(text) => number(py, text)?,
        Json::Text(text) => PyString::new(py, text).into_any(),
        Json::List(items) => {
            let items: PyResult<Vec<_>> = items.iter().map(|item| value(py, item, names)).collect();
            PyList::new(py, items?)?.into_any()
        }
        Json::Map(fields) => {
            let map = PyDict::new(py);
            for (name, field) in fields {
                let field = value(py, field, names)?;
                map.set_item(&*names.entry(name).or_insert_with(|| PyString::new(py, name)), field)?;
            }
            map.into_any()
        }
    })
}

fn number<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(number) = text.parse::<i64>() {
        return Ok(number.into_pyobject(py)?.into_any());
    }
    match text.parse::<f64>() {
        Ok(number) if text.contains(['.', 'e', 'E']) => Ok(number.into_pyobject(py)?.into_any()),
        // A whole number of any size.
        _ => py.get_type::<PyInt>().call1((text,)),
    }
}
